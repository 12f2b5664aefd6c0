/* Items sorted into buckets: those of bucket b are order[first[b]] .. order[first[b + 1] - 1], in ascending
   order. */
#ifndef MSD_RENDER_PAINT_BUCKETS_H
#define MSD_RENDER_PAINT_BUCKETS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct buckets {
  int32_t *first, *order;
} buckets;

/* Item i, of 0 .. items - 1, goes into bucket bucket_of[i], of 0 .. count - 1; -1: into none. False, with
   nothing to free, when memory is short. */
bool buckets_make(buckets *b, const int32_t *bucket_of, int32_t items, int32_t count);
void buckets_free(buckets *b);

#endif
