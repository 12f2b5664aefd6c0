#include "engine/contact/corner_rows.h"

#include "engine/base/min_max.h"

#include <string.h>

/* A group gets so many rows more than it has corners. All together have room for half as many rows again as
   there are, and some more. */
enum { SPARE_ROWS = 2, SPARE_ROOM = 64 };

bool corner_rows_reserve(corner_rows *r, memory *m, int32_t particles) {
  corner_rows_free(r, m);
  const int32_t groups = (particles + CORNERS_LATE) / CORNER_GROUP + 1;
  r->first = memory_allocate(m, (size_t)groups * sizeof *r->first);
  r->room = memory_allocate(m, (size_t)groups * sizeof *r->room);
  if (r->first && r->room)
    return true;
  corner_rows_free(r, m);
  return false;
}

void corner_rows_free(corner_rows *r, memory *m) {
  memory_release(m, r->first);
  memory_release(m, r->room);
  memory_release(m, r->force);
  memory_release(m, r->weight);
  *r = (corner_rows){0};
}

static int32_t find_longest(const corner_lists *c, int32_t group) {
  const int32_t begin = group * CORNER_GROUP, end = int_min(begin + CORNER_GROUP, c->count);
  int32_t longest = 0;
  for (int32_t n = begin; n < end; n++)
    longest = int_max(longest, c->last[n] - c->first[n]);
  return longest;
}

static bool reserve_rows(corner_rows *r, memory *m, int64_t rows) {
  if (rows <= r->capacity)
    return true;
  const int64_t room = rows + rows / 2 + SPARE_ROOM;
  if (room > INT32_MAX)
    return false;
  memory_release(m, r->force);
  memory_release(m, r->weight);
  r->force = memory_allocate_items(m, room, sizeof *r->force);
  r->weight = memory_allocate_items(m, room, sizeof *r->weight);
  r->capacity = r->force && r->weight ? (int32_t)room : 0;
  return r->capacity > 0;
}

bool corner_rows_lay(corner_rows *r, memory *m, const corner_lists *c) {
  const int32_t groups = corner_rows_groups(c);
  int64_t used = 0;
  r->used = 0;
  for (int32_t group = 0; group < groups; group++) {
    r->first[group] = (int32_t)used;
    r->room[group] = find_longest(c, group) + SPARE_ROWS;
    used += r->room[group];
    if (used > INT32_MAX)
      return false;
  }
  if (!reserve_rows(r, m, used))
    return false;
  r->used = (int32_t)used;
  return true;
}

bool corner_rows_extend(corner_rows *r, const corner_lists *c, int32_t group) {
  const int32_t longest = find_longest(c, group), first = r->first[group], had = r->room[group];
  if (longest <= had)
    return true;
  const int32_t room = longest + longest / 2;
  if (room > r->capacity - r->used)
    return false;
  memcpy(r->force[r->used], r->force[first], (size_t)had * sizeof *r->force);
  memcpy(r->weight[r->used], r->weight[first], (size_t)had * sizeof *r->weight);
  for (int32_t row = had; row < room; row++) {
    memcpy(r->force[r->used + row], r->force[first + had - 1], sizeof *r->force);
    memset(r->weight[r->used + row], 0, sizeof *r->weight);
  }
  r->first[group] = r->used;
  r->room[group] = room;
  r->used += room;
  return true;
}
