/* Sums of doubles that are not rounded, against whole numbers of any width. */
#include "tests/support/networks.h"

#include "engine/intersection/exact_integer.h"
#include "engine/intersection/expansion.h"

#include <math.h>

/* Below the last bit of any product of three. */
enum { LEAST_EXPONENT = -1074 };

static exact_integer whole(double value) {
  exact_integer result;
  exact_integer_set(&result, value, LEAST_EXPONENT);
  return result;
}

static exact_integer total(const expansion *e) {
  exact_integer sum = whole(0);
  for (int n = 0; n < e->count; n++) {
    const exact_integer before = sum, part = whole(e->part[n]);
    exact_integer_add(&sum, &before, &part);
  }
  return sum;
}

static int difference_sign(const exact_integer *a, const exact_integer *b) {
  exact_integer difference;
  exact_integer_subtract(&difference, a, b);
  return difference.sign;
}

/* a b c, of which each is a multiple of 2^exponent. */
static exact_integer product(double a, double b, double c, int exponent) {
  exact_integer of_a, of_b, of_c, two, three;
  exact_integer_set(&of_a, a, exponent);
  exact_integer_set(&of_b, b, exponent);
  exact_integer_set(&of_c, c, exponent);
  exact_integer_multiply(&two, &of_a, &of_b);
  exact_integer_multiply(&three, &two, &of_c);
  return three;
}

/* From the smallest to the largest, none of them 0, none with bits of the next. */
static void assert_is_made_well(const expansion *e) {
  for (int n = 0; n < e->count; n++)
    cr_assert_neq(e->part[n], 0);
  for (int n = 0; n + 1 < e->count; n++) {
    const int last_bit = exact_integer_exponent(e->part[n + 1]);
    cr_assert(fabs(e->part[n]) < ldexp(1, last_bit));
  }
}

/* Up to 53 bits of any size around 1, now and then 0. */
static double random_number(generator *random, int sizes) {
  const int bits = 1 + random_below(random, 53);
  const double size =
      ldexp((double)(next_random(random) >> (64 - bits)), random_below(random, 2 * sizes) - sizes);
  return random_below(random, 2) ? size : -size;
}

/* (a b - c d) e, and the same of other numbers added, each a multiple of 2^-exponent. */
static void assert_determinants(generator *random, int sizes) {
  const int exponent = -sizes;
  expansion sum;
  sum.count = 0;
  exact_integer expected = whole(0);
  for (int term = 0; term < 3; term++) {
    double n[5];
    for (int k = 0; k < 5; k++)
      n[k] = random_number(random, sizes);
    /* So that minors cancel, all or but for their last bits. */
    if (random_below(random, 3) == 0)
      n[2] = n[0], n[3] = random_below(random, 2) ? n[1] : nextafter(n[1], 0);
    if (exact_integer_exponent(n[3]) < exponent)
      n[3] = n[1];
    expansion minor, scaled;
    expansion_minor(&minor, n[0], n[1], n[2], n[3]);
    expansion_scale(&scaled, &minor, n[4]);
    assert_is_made_well(&minor);
    assert_is_made_well(&scaled);
    expansion_add(&sum, &scaled);
    const exact_integer before = expected, down = product(n[0], n[1], n[4], exponent),
                        up = product(n[2], n[3], n[4], exponent);
    exact_integer both;
    exact_integer_subtract(&both, &down, &up);
    exact_integer_add(&expected, &before, &both);
  }
  assert_is_made_well(&sum);
  cr_assert_eq(expansion_sign(&sum), expected.sign);
  /* The parts are multiples of 2^LEAST_EXPONENT, the products of 2^(3 exponent). */
  exact_integer found = total(&sum), scale, scaled;
  exact_integer_set(&scale, ldexp(1, 3 * exponent), LEAST_EXPONENT);
  exact_integer_multiply(&scaled, &expected, &scale);
  cr_assert_eq(difference_sign(&found, &scaled), 0);
}

Test(expansion, sums_of_products_of_three_are_those_of_whole_numbers) {
  generator random = {.state = 1};
  const int sizes[] = {1, 30, 100, 240};
  for (int n = 0; n < 20000; n++)
    assert_determinants(&random, sizes[n % 4]);
}

Test(expansion, differences_are_exact_where_they_have_no_rounding) {
  generator random = {.state = 2};
  for (int n = 0; n < 100000; n++) {
    const double a = random_number(&random, 60), b = random_number(&random, 60);
    const exact_integer of_a = whole(a), of_b = whole(b), rounded = whole(a - b);
    exact_integer difference;
    exact_integer_subtract(&difference, &of_a, &of_b);
    cr_assert_eq(expansion_is_exact_difference(a, b), difference_sign(&difference, &rounded) == 0);
  }
}

Test(expansion, takes_what_three_of_can_be_multiplied) {
  cr_expect(expansion_takes(0));
  cr_expect(expansion_takes(EXPANSION_LEAST));
  cr_expect(expansion_takes(-EXPANSION_MOST));
  cr_expect_not(expansion_takes(EXPANSION_LEAST / 2));
  cr_expect_not(expansion_takes(-2 * EXPANSION_MOST));
  cr_expect_not(expansion_takes(INFINITY));
  cr_expect_not(expansion_takes(NAN));
  /* With all bits, at both ends. */
  const double least = nextafter(2 * EXPANSION_LEAST, 0), most = nextafter(EXPANSION_MOST, 0);
  const double ends[] = {least, most};
  for (int n = 0; n < 2; n++) {
    const double e = ends[n];
    expansion minor, cube;
    expansion_minor(&minor, e, e, 0, e);
    expansion_scale(&cube, &minor, e);
    const int exponent = exact_integer_exponent(e);
    const exact_integer expected = product(e, e, e, exponent);
    exact_integer found = whole(0), back;
    for (int part = 0; part < cube.count; part++) {
      const exact_integer before = found;
      exact_integer_set(&back, cube.part[part], 3 * exponent);
      exact_integer_add(&found, &before, &back);
    }
    cr_expect_eq(difference_sign(&found, &expected), 0);
  }
}
