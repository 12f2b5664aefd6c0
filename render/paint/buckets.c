#include "render/paint/buckets.h"

#include <stdlib.h>
#include <string.h>

void buckets_free(buckets *b) {
  free(b->first);
  free(b->order);
  *b = (buckets){0};
}

bool buckets_make(buckets *b, const int32_t *bucket_of, int32_t items, int32_t count) {
  b->first = calloc((size_t)count + 1, sizeof *b->first);
  b->order = calloc((size_t)items + 1, sizeof *b->order);
  if (b->first == NULL || b->order == NULL) {
    buckets_free(b);
    return false;
  }
  for (int32_t i = 0; i < items; i++)
    if (bucket_of[i] >= 0)
      b->first[bucket_of[i] + 1]++;
  for (int32_t i = 0; i < count; i++)
    b->first[i + 1] += b->first[i];
  /* While a bucket is filled its beginning moves up to its end, which is the beginning of the next. */
  for (int32_t i = 0; i < items; i++)
    if (bucket_of[i] >= 0)
      b->order[b->first[bucket_of[i]]++] = i;
  memmove(b->first + 1, b->first, (size_t)count * sizeof *b->first);
  b->first[0] = 0;
  return true;
}
