/* What acts at particles, in rows: the n-th term of each of a group of particles stands in its n-th row, with
   where the force is and its weight. So their sums are made side by side (quad_row), each in the order of its
   corners. */
#ifndef MSD_ENGINE_CONTACT_CORNER_ROWS_H
#define MSD_ENGINE_CONTACT_CORNER_ROWS_H

#include "engine/base/record.h"
#include "engine/contact/corner_lists.h"

enum { CORNER_GROUP = RECORD_QUAD };

typedef struct corner_rows {
  /* Of each group of owners, where its rows begin, and how many it has room for: one for each corner at
     least. */
  int32_t *first, *room;
  /* Of each owner, how many of its rows have a term; the weights in the others are 0, for any force. */
  int32_t *terms;
  int32_t used, capacity;
  quad_row *rows;
} corner_rows;

/* Room for that many particles, with no rows. False, and empty, without memory. */
bool corner_rows_reserve(corner_rows *r, memory *m, int32_t particles);
void corner_rows_free(corner_rows *r, memory *m);

/* How many groups owners make, with as many late ones as there may be. */
static inline int32_t corner_rows_groups(const corner_lists *c) {
  return (c->late + CORNERS_LATE + CORNER_GROUP - 1) / CORNER_GROUP;
}

/* Rows for all groups, which are to be emptied. False without memory. */
bool corner_rows_lay(corner_rows *r, memory *m, const corner_lists *c);
void corner_rows_empty(corner_rows *r, parallel_range groups);

/* As many rows for a group as it has corners by now, with what is in them; false where there is no room. */
bool corner_rows_extend(corner_rows *r, const corner_lists *c, int32_t group);

/* Where the rows of a group begin, and how many of them have terms. */
static inline quad_row *corner_rows_of(const corner_rows *r, int32_t group) {
  return r->rows + r->first[group];
}

static inline int32_t corner_rows_count(const corner_rows *r, int32_t group) {
  const int32_t *terms = r->terms + group * CORNER_GROUP;
  int32_t most = 0;
  for (int n = 0; n < CORNER_GROUP; n++)
    most = terms[n] > most ? terms[n] : most;
  return most;
}

#endif
