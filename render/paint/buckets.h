/* Numbers sorted into buckets: bucket b holds order[first[b]] .. order[first[b + 1] - 1], in ascending order.
   */
#ifndef MSD_RENDER_PAINT_BUCKETS_H
#define MSD_RENDER_PAINT_BUCKETS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct buckets {
  int32_t *first, *order;
} buckets;

/* Puts each i of 0 .. items - 1 into bucket bucket_of[i], which is 0 .. count - 1, or -1 for none. False, with
   nothing to free, when memory is short. */
bool buckets_make(buckets *b, const int32_t *bucket_of, int32_t items, int32_t count);
void buckets_free(buckets *b);

#endif
