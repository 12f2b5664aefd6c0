/* Turbulence, against what is said of them: their mean and variance, how smooth they are, and what carries
   them. */
#include "tests/support/colliders.h"

#include "engine/air/turbulence.h"

enum { PLACES = 20000 };

static msd_wind_def gusty(double strength, msd_vec3 velocity) {
  msd_wind_def wind = msd_default_wind_def();
  wind.velocity = velocity;
  wind.turbulence = (msd_real)strength;
  return wind;
}

/* Asked alone. */
static double3 wind_at(const msd_wind_def *wind, double3 place, double time) {
  turbulence_cell cell = {0};
  return turbulence_wind_at(wind, place, time, &cell);
}

static double part(double3 v, int c) {
  return c == 0 ? v.x : c == 1 ? v.y : v.z;
}

static double random_within(generator *random, double size) {
  return size * (2 * (double)(next_random(random) >> 11) / 0x1p53 - 1);
}

static double3 far_place(generator *random) {
  const double x = random_within(random, 1e4), y = random_within(random, 1e4), z = random_within(random, 1e4);
  return (double3){x, y, z};
}

/* Of many places that share `shift`, where they are between whole lengths; the tolerances are five standard
   deviations. A turbulence of n places has a fourth moment below that of the normal distribution. */
static void expect_moments(const msd_wind_def *wind, bool on_lattice, double shift) {
  generator random = {.state = 7};
  const double3 mean = vec3_double(wind->velocity);
  const double strength = (double)wind->turbulence, length = (double)wind->turbulence_length;
  double sum[3] = {0}, squares[3] = {0}, mixed[3] = {0};
  for (int n = 0; n < PLACES; n++) {
    double3 x = far_place(&random);
    double time = random_within(&random, 1e4);
    if (on_lattice) {
      x = (double3){length * (floor(x.x) + shift), length * (floor(x.y) + shift),
                    length * (floor(x.z) + shift)};
      time = (double)wind->turbulence_time * (floor(time) + shift);
    }
    const double3 g = double3_subtract(wind_at(wind, x, time), mean);
    for (int c = 0; c < 3; c++) {
      sum[c] += part(g, c) / PLACES;
      squares[c] += part(g, c) * part(g, c) / PLACES;
      mixed[c] += part(g, c) * part(g, (c + 1) % 3) / PLACES;
    }
  }
  for (int c = 0; c < 3; c++) {
    cr_expect_lt(fabs(sum[c]), 5 * strength / sqrt(PLACES), "mean %d at %g: %g", c, shift, sum[c]);
    cr_expect_lt(fabs(squares[c] / (strength * strength) - 1), 5 * sqrt(2.0 / PLACES),
                 "variance %d at %g: %g", c, shift, squares[c]);
    cr_expect_lt(fabs(mixed[c]), 5 * strength * strength / sqrt(PLACES), "covariance %d at %g: %g", c, shift,
                 mixed[c]);
  }
}

Test(turbulence, their_mean_is_the_wind_and_their_deviation_the_same_at_all_places) {
  const msd_wind_def still = gusty(3, vector(0, 0, 0)), wind = gusty(0.5, vector(4, -1, 2));
  expect_moments(&still, false, 0);
  expect_moments(&wind, false, 0);
  for (int n = 0; n < 4; n++)
    expect_moments(&still, true, n / 6.0);
}

Test(turbulence, none_is_above_its_bound) {
  const msd_wind_def wind = gusty(2, vector(0, 0, 0));
  generator random = {.state = 3};
  for (int n = 0; n < PLACES; n++) {
    const double3 g = wind_at(&wind, far_place(&random), random_within(&random, 1e4));
    for (int c = 0; c < 3; c++)
      cr_assert_leq(fabs(part(g, c)), 4 * sqrt(3) * 2);
  }
}

/* The weights change by at most 3/2 in a length, so sum w a by 3 of them and by less than 24 in all four
   dimensions, and the factor 1/sqrt(sum w^2) <= 4 by a factor of 1.5 a dimension: far below 1000 per length. */
Test(turbulence, they_are_continuous_also_from_cell_to_cell) {
  const msd_wind_def wind = gusty(1, vector(1, 2, 3));
  const double step = 1e-6;
  generator random = {.state = 5};
  for (int n = 0; n < PLACES; n++) {
    double3 x = far_place(&random);
    double time = 0;
    if (n % 2) /* across a border of cells */
      x.x = 2 * floor(x.x) - step / 2;
    else if (n % 4)
      time = -step / 2;
    const double3 a = wind_at(&wind, x, time), b = wind_at(&wind, (double3){x.x + step, x.y, x.z}, time),
                  c = wind_at(&wind, x, time + step);
    for (int k = 0; k < 3; k++) {
      cr_assert_lt(fabs(part(b, k) - part(a, k)), 1000 * step);
      cr_assert_lt(fabs(part(c, k) - part(a, k)), 10000 * step);
    }
  }
}

/* At the border of cells a second difference of a step of h is far below h times any slope. */
Test(turbulence, they_have_no_kinks_between_cells) {
  const msd_wind_def wind = gusty(1, vector(0, 0, 0));
  const double h = 1e-4;
  generator random = {.state = 6};
  for (int n = 0; n < 1000; n++) {
    double3 x = far_place(&random);
    x.z = 2 * floor(x.z);
    const double3 low = wind_at(&wind, (double3){x.x, x.y, x.z - h}, 0.5), middle = wind_at(&wind, x, 0.5),
                  high = wind_at(&wind, (double3){x.x, x.y, x.z + h}, 0.5);
    for (int c = 0; c < 3; c++)
      cr_assert_lt(fabs(part(low, c) - 2 * part(middle, c) + part(high, c)), 0.02 * h);
  }
}

/* Where they never change on their way. */
Test(turbulence, the_mean_carries_them) {
  msd_wind_def wind = gusty(2, vector(8, -4, 2));
  wind.turbulence_time = (msd_real)1e9;
  generator random = {.state = 9};
  for (int n = 0; n < 1000; n++) {
    const double3 x = far_place(&random), there = double3_add_scaled(x, (double3){8, -4, 2}, 3);
    const double3 now = wind_at(&wind, x, 0), then = wind_at(&wind, there, 3);
    for (int c = 0; c < 3; c++)
      cr_assert_lt(fabs(part(now, c) - part(then, c)), 1e-6);
  }
}

/* The mean of the product of turbulence a time apart falls to 0 where no corner is shared. */
Test(turbulence, they_have_another_value_two_lengths_or_times_away_and_with_another_seed) {
  const msd_wind_def wind = gusty(1, vector(0, 0, 0));
  msd_wind_def other = wind;
  other.seed = 1;
  generator random = {.state = 11};
  double near = 0, far = 0, later = 0, seeds = 0;
  for (int n = 0; n < PLACES; n++) {
    const double3 x = far_place(&random), beside = {x.x + 0.1, x.y, x.z}, away = {x.x + 4, x.y, x.z};
    const double g = wind_at(&wind, x, 0).y;
    near += g * wind_at(&wind, beside, 0).y / PLACES;
    far += g * wind_at(&wind, away, 0).y / PLACES;
    later += g * wind_at(&wind, x, 2).y / PLACES;
    seeds += g * wind_at(&other, x, 0).y / PLACES;
  }
  cr_expect_gt(near, 0.9);
  cr_expect_lt(fabs(far), 5 / sqrt(PLACES));
  cr_expect_lt(fabs(later), 5 / sqrt(PLACES));
  cr_expect_lt(fabs(seeds), 5 / sqrt(PLACES));
}

Test(turbulence, what_is_beyond_all_cells_has_a_finite_wind) {
  const msd_wind_def wind = gusty(1, vector(1, 0, 0));
  static const double far[] = {1e15, 1e17, 1e30, 1e300};
  for (int n = 0; n < 4; n++)
    for (int sign = -1; sign <= 1; sign += 2) {
      const double3 g = wind_at(&wind, (double3){sign * far[n], 0, sign * far[n]}, far[n]);
      cr_expect(isfinite(g.x) && isfinite(g.y) && isfinite(g.z), "at %g", sign * far[n]);
    }
}

Test(turbulence, without_strength_there_is_the_mean_alone) {
  const msd_wind_def wind = gusty(0, vector(1, -2, 0.5));
  const double3 v = wind_at(&wind, (double3){0.3, 0.7, 100}, 12);
  cr_expect(v.x == 1 && v.y == -2 && v.z == 0.5);
}

Test(turbulence, the_cell_that_was_asked_before_changes_no_bit) {
  const msd_wind_def wind = gusty(2, vector(1, 2, 3));
  generator random = {.state = 13};
  turbulence_cell cell = {0};
  for (int n = 0; n < PLACES; n++) {
    const double3 x = {random_within(&random, 3), random_within(&random, 3), random_within(&random, 3)};
    const double time = random_within(&random, 1);
    const double3 kept = turbulence_wind_at(&wind, x, time, &cell), alone = wind_at(&wind, x, time);
    cr_assert(kept.x == alone.x && kept.y == alone.y && kept.z == alone.z);
  }
}
