#include "render/paint/buckets.h"

#include <criterion/criterion.h>

Test(buckets, items_lie_in_their_buckets_in_order) {
  static const int32_t bucket_of[] = {2, 0, -1, 2, 3, 0, 2};
  static const int32_t first[] = {0, 2, 2, 5, 6}, order[] = {1, 5, 0, 3, 6, 4};
  buckets b;
  cr_assert(buckets_make(&b, bucket_of, 7, 4));
  cr_expect_arr_eq(b.first, first, sizeof first);
  cr_expect_arr_eq(b.order, order, sizeof order);
  buckets_free(&b);
}

Test(buckets, without_items_all_are_empty) {
  static const int32_t first[] = {0, 0, 0};
  buckets b;
  cr_assert(buckets_make(&b, NULL, 0, 2));
  cr_expect_arr_eq(b.first, first, sizeof first);
  buckets_free(&b);
  cr_assert(buckets_make(&b, NULL, 0, 0));
  buckets_free(&b);
}
