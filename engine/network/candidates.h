/* Springs that may get rows of contiguous lanes, in the order of those rows: by descending offset, by side, by
   ascending lower end. Springs of lattices come as runs in that order, family by family, and of those nothing
   is kept but where they begin; others are sorted. */
#ifndef MSD_ENGINE_NETWORK_CANDIDATES_H
#define MSD_ENGINE_NETWORK_CANDIDATES_H

#include "engine/network/network_compiler.h"

/* Counts the springs of the compiler and lists its candidates, and makes room for the places. False without
   memory. */
bool candidates_list(compiler *c);

/* Of the list and the places. */
void candidates_release(compiler *c);

/* The place of a candidate: its number among those that were sorted, or its run and its spring. */
typedef struct candidate_place {
  int32_t run, at;
} candidate_place;

/* Candidates that share an offset, a side and the group of the lower end. */
typedef struct candidate_row {
  /* Where the next row begins. */
  candidate_place end;
  int32_t offset, group;
  uint8_t side;
  /* Those of different lower ends, with them: a second spring between the same two particles has no lane. */
  int32_t lanes;
  int32_t springs[NETWORK_GROUP], lower_ends[NETWORK_GROUP];
} candidate_row;

/* Makes *row what candidate_next_row begins with. */
void candidates_before_rows(const compiler *c, candidate_row *row);

/* The next row; false behind the last. */
bool candidate_next_row(const compiler *c, candidate_row *row);

#endif
