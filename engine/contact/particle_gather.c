#include "engine/contact/particle_gather.h"

#include "engine/base/min_max.h"

#include <string.h>

/* Rows of a group beyond its corners; rows beyond 1.5 times what all groups need. */
enum { SPARE_ROWS = 2, SPARE_ROOM = 64 };

bool corner_rows_reserve(corner_rows *r, memory *m, int32_t particles) {
  corner_rows_free(r, m);
  const int64_t groups = ((int64_t)particles + CORNERS_LATE) / CORNER_GROUP + 1;
  r->first = memory_allocate_items(m, groups, sizeof *r->first);
  r->room = memory_allocate_items(m, groups, sizeof *r->room);
  r->terms = memory_allocate_items(m, groups * CORNER_GROUP, sizeof *r->terms);
  if (r->first && r->room && r->terms)
    return true;
  corner_rows_free(r, m);
  return false;
}

void corner_rows_free(corner_rows *r, memory *m) {
  memory_release(m, r->first);
  memory_release(m, r->room);
  memory_release(m, r->terms);
  memory_release(m, r->rows);
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
  memory_release(m, r->rows);
  r->rows = memory_allocate_items(m, room, sizeof *r->rows);
  r->capacity = r->rows ? (int32_t)room : 0;
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

static void empty_rows(quad_row *rows, int32_t count) {
  memset(rows, 0, (size_t)count * sizeof *rows);
}

void corner_rows_empty(corner_rows *r, parallel_range groups) {
  for (int32_t group = groups.first; group < groups.last; group++) {
    empty_rows(corner_rows_of(r, group), r->room[group]);
    memset(r->terms + group * CORNER_GROUP, 0, CORNER_GROUP * sizeof *r->terms);
  }
}

bool corner_rows_extend(corner_rows *r, const corner_lists *c, int32_t group) {
  const int32_t longest = find_longest(c, group), first = r->first[group], had = r->room[group];
  if (longest <= had)
    return true;
  const int32_t room = longest + longest / 2;
  if (room > r->capacity - r->used)
    return false;
  memcpy(r->rows + r->used, r->rows + first, (size_t)had * sizeof *r->rows);
  empty_rows(r->rows + r->used + had, room - had);
  r->first[group] = r->used;
  r->room[group] = room;
  r->used += room;
  return true;
}
