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
  candidate_place first, end;
  int32_t springs;
  int32_t offset, group;
  uint8_t side;
  /* Different lower ends: a second spring between the same two particles has no lane. */
  int32_t lanes;
} candidate_row;

/* What candidate_next_row begins with. */
candidate_row candidates_before_rows(const compiler *c);

/* The next row; false behind the last. */
bool candidate_next_row(const compiler *c, candidate_row *row);

/* The springs of a row that have a lane, one by one. */
typedef struct candidate_lane {
  candidate_place next;
  /* Springs of the row behind it. */
  int32_t left;
  int32_t spring, lower_end;
} candidate_lane;

/* What candidate_next_lane begins with. */
candidate_lane candidates_before_lanes(const candidate_row *row);

/* The next one of the row; false behind the last. */
bool candidate_next_lane(const compiler *c, candidate_lane *lane);

#endif
