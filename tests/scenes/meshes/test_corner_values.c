#include "scenes/meshes/corner_values.h"

#include <criterion/criterion.h>
#include <math.h>

Test(corner_values, corners_that_were_given_none_have_none) {
  corner_values v = {0};
  cr_assert_eq(corner_values_at(&v, 7), -1);
  cr_assert(corner_values_set(&v, 1000, 3));
  cr_expect_eq(corner_values_at(&v, 1000), 3);
  for (int32_t c = 0; c < 1000; c++)
    cr_assert_eq(corner_values_at(&v, c), -1);
  cr_expect_eq(corner_values_at(&v, 1001), -1);
  cr_assert(corner_values_set(&v, 4, 9) && corner_values_set(&v, 1000, 5));
  cr_expect(corner_values_at(&v, 4) == 9 && corner_values_at(&v, 1000) == 5 && corner_values_at(&v, 5) == -1);
  corner_values_free(&v);
}

/* Corners move up where others go, and one without a value leaves none behind. */
Test(corner_values, a_corner_that_moves_takes_its_value_along) {
  corner_values v = {0};
  cr_assert(corner_values_set(&v, 0, 10) && corner_values_set(&v, 2, 12));
  corner_values_move(&v, 2, 1);
  cr_expect_eq(corner_values_at(&v, 1), 12);
  corner_values_move(&v, 5, 2);
  cr_expect_eq(corner_values_at(&v, 2), -1);
  corner_values_move(&v, 9, 8);
  cr_expect_eq(corner_values_at(&v, 8), -1);
  corner_values_free(&v);
}

Test(corner_values, values_are_kept_and_are_finite) {
  corner_values v = {0};
  for (int i = 0; i < 200; i++)
    cr_assert(corner_values_add(&v, (const double[]){i, 0.1 * i, -i}));
  cr_assert(corner_values_add(&v, (const double[]){NAN, INFINITY, -INFINITY}));
  cr_assert_eq(v.count, 201);
  cr_expect(v.values[150][0] == 150 && v.values[150][1] == 0.1 * 150 && v.values[150][2] == -150);
  cr_expect(v.values[200][0] == 0 && v.values[200][1] == 0 && v.values[200][2] == 0);
  corner_values_free(&v);
}
