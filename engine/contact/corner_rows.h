/* The corners of corner_lists.h in rows: the n-th corners of the particles of a group stand side by side in its
   n-th row, with where the forces of their pairs are and their weights. So the sums at all of them are made at
   once, by vectors, each in the order of its corners. */
#ifndef MSD_ENGINE_CONTACT_CORNER_ROWS_H
#define MSD_ENGINE_CONTACT_CORNER_ROWS_H

#include "engine/contact/corner_lists.h"

enum { CORNER_GROUP = 16 };

typedef struct corner_rows {
  /* Of each group of owners, where its rows begin, and how many it has room for. */
  int32_t *first, *room;
  int32_t used, capacity;
  /* Behind the last corner of an owner are weights of 0, for the force of that corner. */
  int32_t (*force)[CORNER_GROUP];
  msd_real (*weight)[CORNER_GROUP];
} corner_rows;

/* Room for that many particles, with no rows. False, and empty, without memory. */
bool corner_rows_reserve(corner_rows *r, memory *m, int32_t particles);
void corner_rows_free(corner_rows *r, memory *m);

/* How many groups owners make, with as many late ones as there may be. */
static inline int32_t corner_rows_groups(const corner_lists *c) {
  return (c->late + CORNERS_LATE + CORNER_GROUP - 1) / CORNER_GROUP;
}

/* Rows for all groups, which have nothing in them yet. False without memory. */
bool corner_rows_lay(corner_rows *r, memory *m, const corner_lists *c);

/* As many rows for a group as it has corners by now, with what is in them; false where there is no room. */
bool corner_rows_extend(corner_rows *r, const corner_lists *c, int32_t group);

#endif
