/* Candidates for contiguous rows: springs sorted by descending offset, by mode, by ascending lower end.
   Springs of lattices usually come in that order, in few runs; then only the runs are stored. Others are
   sorted. */
#ifndef MSD_ENGINE_NETWORK_DIAGONALS_H
#define MSD_ENGINE_NETWORK_DIAGONALS_H

#include "engine/network/network_compiler.h"

/* Counts the springs of the compiler, lists its candidates, and allocates the places. Returns false if memory
   runs out. */
bool candidates_list(compiler *c);

/* Frees the list and the places. */
void candidates_release(compiler *c);

/* The position of a candidate: an index into the sorted list, or a run and a spring. */
typedef struct candidate_place {
  int32_t run, at;
} candidate_place;

/* Candidates with the same offset, mode and group of the lower end. */
typedef struct candidate_row {
  /* The position of the next row. */
  candidate_place end;
  int32_t offset, group;
  uint8_t side;
  /* The number of different lower ends, with their springs. A second spring between the same two particles
     has no lane. */
  int32_t lanes;
  int32_t springs[NETWORK_GROUP], lower_ends[NETWORK_GROUP];
} candidate_row;

/* Initializes *row for candidate_next_row. */
void candidates_before_rows(const compiler *c, candidate_row *row);

/* The next row; false after the last. */
bool candidate_next_row(const compiler *c, candidate_row *row);

#endif
