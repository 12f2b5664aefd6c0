/* Lists of index intervals to process: ascending, disjoint and not adjacent. */
#ifndef MSD_ENGINE_BASE_INTERVALS_H
#define MSD_ENGINE_BASE_INTERVALS_H

#include "engine/base/min_max.h"
#include "engine/base/parallel.h"

typedef struct span_list {
  /* NULL: everything. */
  parallel_range *spans;
  int32_t count;
  /* The sum of their lengths. */
  int32_t total;
} span_list;

/* Appends an interval after all others. The capacity must suffice: half of the number of indices, plus one,
   always does. */
static inline void span_add(span_list *l, int32_t first, int32_t last) {
  if (l->count > 0 && l->spans[l->count - 1].last == first)
    l->spans[l->count - 1].last = last;
  else
    l->spans[l->count++] = (parallel_range){first, last};
  l->total += last - first;
}

/* The nth index of all intervals. */
static inline int32_t span_at(const span_list *l, int32_t n) {
  int32_t at = 0;
  while (n >= l->spans[at].last - l->spans[at].first) {
    n -= l->spans[at].last - l->spans[at].first;
    at++;
  }
  return l->spans[at].first + n;
}

/* The range of one thread, out of 0..count-1, that contains an equal number of listed indices for each
   thread. It also includes the gaps between its intervals. */
static inline parallel_range span_share(const span_list *l, int32_t count, int thread, int threads) {
  if (!l->spans)
    return parallel_split(count, thread, threads);
  const parallel_range own = parallel_split(l->total, thread, threads);
  if (own.first == own.last)
    return (parallel_range){0, 0};
  return (parallel_range){span_at(l, own.first), span_at(l, own.last - 1) + 1};
}

/* The next listed interval within a range. A listed index stands for `unit` indices of the range. Begin with
   an empty interval at the start of the range; returns false after the last. */
static inline bool span_next(const span_list *l, int32_t unit, parallel_range within, parallel_range *part) {
  const parallel_range left = {part->last, within.last};
  if (!l->spans) {
    *part = left;
    return left.first < left.last;
  }
  for (int32_t n = 0; n < l->count; n++) {
    const int32_t first = int_max(l->spans[n].first * unit, left.first),
                  last = int_min(l->spans[n].last * unit, left.last);
    if (first < last) {
      *part = (parallel_range){first, last};
      return true;
    }
  }
  return false;
}

#endif
