#include "engine/kernel/corner_gather.h"

#include "engine/base/min_max.h"
#include "engine/base/sort.h"

void corner_gather_free(corner_gather *s, memory *m) {
  memory_release(m, s->slices);
  memory_release(m, s->slots);
  memory_release(m, s->counts);
  memory_release(m, s->more);
  memory_release(m, s->windows);
  *s = (corner_gather){0};
}

/* Sorting does not distinguish larger counts. */
enum { COUNTS_MAX = 255 };

/* Sorts slots by descending number of summands, then by index. `to` has space for a window. */
static void sort_window(const int32_t *parts, const int32_t *touched, int32_t count, int32_t *to) {
  int32_t next[COUNTS_MAX + 2] = {0};
  for (int32_t n = 0; n < count; n++)
    next[COUNTS_MAX - int_min(parts[touched[n]], COUNTS_MAX) + 1]++;
  for (int n = 0; n <= COUNTS_MAX; n++)
    next[n + 1] += next[n];
  for (int32_t n = 0; n < count; n++)
    to[next[COUNTS_MAX - int_min(parts[touched[n]], COUNTS_MAX)]++] = touched[n];
}

/* Assigns slots to slices. */
static void assign_slots(corner_gather *s, const int32_t *parts, int32_t count) {
  int32_t touched[CORNER_WINDOW], held = 0;
  for (int32_t slot = 0; slot < count; slot++) {
    if (parts[slot] > 0)
      touched[held++] = slot;
    if (held == 0 || (held < CORNER_WINDOW && slot + 1 < count))
      continue;
    sort_window(parts, touched, held, s->slots + (size_t)s->window_count * CORNER_WINDOW);
    s->windows[s->window_count++] = touched[0];
    held = 0;
  }
}

/* Lays out the rows of a slice and the summands after them. Slices begin at cache lines. */
static void make_slice(corner_gather *s, int32_t slice, int32_t *parts) {
  enum { ALIGNED = 64 / RECORD_QUAD / sizeof(float) };
  int32_t *slots = s->slots + (size_t)slice * CORNER_LANES, *more = s->more + (size_t)slice * CORNER_LANES;
  int32_t rows = INT32_MAX;
  for (int lane = 0; lane < CORNER_LANES; lane++)
    rows = int_min(rows, slots[lane] < 0 ? 0 : parts[slots[lane]]);
  int32_t end = s->part_count + rows * CORNER_LANES;
  for (int lane = 0; lane < CORNER_LANES; lane++) {
    more[lane] = end;
    if (slots[lane] < 0)
      continue;
    end += parts[slots[lane]] - rows;
    parts[slots[lane]] = slice * CORNER_LANES + lane;
  }
  s->slices[slice] = (corner_slice){s->part_count, rows, end > s->part_count + rows * CORNER_LANES,
                                    (uint8_t)runs_of_row(slots)};
  s->part_count = (end + ALIGNED - 1) / ALIGNED * ALIGNED;
}

bool corner_gather_make(corner_gather *s, memory *m, int32_t *parts, int32_t count) {
  int32_t touched = 0;
  for (int32_t slot = 0; slot < count; slot++)
    touched += parts[slot] > 0;
  *s = (corner_gather){.slice_count = (touched + CORNER_LANES - 1) / CORNER_LANES};
  const int64_t lanes = (int64_t)s->slice_count * CORNER_LANES;
  s->slices = memory_allocate_items(m, s->slice_count, sizeof *s->slices);
  s->slots = memory_allocate_items(m, lanes, sizeof *s->slots);
  s->counts = memory_allocate_items(m, lanes, sizeof *s->counts);
  s->more = memory_allocate_items(m, lanes, sizeof *s->more);
  s->windows = memory_allocate_items(m, (int64_t)touched / CORNER_WINDOW + 1, sizeof *s->windows);
  if (!s->slices || !s->slots || !s->counts || !s->more || !s->windows) {
    corner_gather_free(s, m);
    return false;
  }
  assign_slots(s, parts, count);
  for (int64_t lane = touched; lane < lanes; lane++)
    s->slots[lane] = -1;
  for (int32_t slice = 0; slice < s->slice_count; slice++)
    make_slice(s, slice, parts);
  return true;
}

int32_t corner_gather_place(corner_gather *s, int32_t lane) {
  const corner_slice *slice = &s->slices[lane / CORNER_LANES];
  const int32_t n = s->counts[lane]++;
  const int32_t part = n < slice->rows ? slice->first + n * CORNER_LANES + lane % CORNER_LANES
                                       : s->more[lane] + n - slice->rows;
  return part * RECORD_QUAD;
}

parallel_range corner_gather_slices(const corner_gather *s, size_t first, size_t last) {
  int32_t begin = sorted_place(s->windows, s->window_count, sizeof *s->windows, (int32_t)first);
  const int32_t end = sorted_place(s->windows, s->window_count, sizeof *s->windows, (int32_t)last);
  if (begin > 0 && (begin == s->window_count || s->windows[begin] > (int32_t)first))
    begin--;
  return (parallel_range){begin * CORNER_WINDOW_SLICES, int_min(end * CORNER_WINDOW_SLICES, s->slice_count)};
}
