/* The forces that act at each particle, arranged in rows for vectorized sums. The n-th term of a group of
   particles is in the n-th row of the group: the index of the force and its weight. The sums of a group are
   formed side by side (quad_row), each in the order of its corners. */
#ifndef MSD_ENGINE_CONTACT_PARTICLE_GATHER_H
#define MSD_ENGINE_CONTACT_PARTICLE_GATHER_H

#include "engine/base/record.h"
#include "engine/contact/particle_lists.h"

enum { CORNER_GROUP = RECORD_QUAD };

typedef struct corner_rows {
  /* By group of particles: the index of its first row, and its capacity, at least one row for each corner. */
  int32_t *first, *room;
  /* By particle: how many of its rows are used. Weights in unused rows are 0. */
  int32_t *terms;
  int32_t used, capacity;
  quad_row *rows;
} corner_rows;

/* For that many particles, without rows. False without memory; then empty. */
bool corner_rows_reserve(corner_rows *r, memory *m, int32_t particles);
void corner_rows_free(corner_rows *r, memory *m);

/* The number of groups, including late particles (CORNERS_LATE). */
static inline int32_t corner_rows_groups(const corner_lists *c) {
  return (c->late + CORNERS_LATE + CORNER_GROUP - 1) / CORNER_GROUP;
}

/* Allocates rows for all groups, which must then be emptied. False without memory. */
bool corner_rows_lay(corner_rows *r, memory *m, const corner_lists *c);
void corner_rows_empty(corner_rows *r, parallel_range groups);

/* Extends a group to its current number of corners and keeps its rows; false if the rows are used up. */
bool corner_rows_extend(corner_rows *r, const corner_lists *c, int32_t group);

/* The first row of a group, and how many rows have terms. */
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
