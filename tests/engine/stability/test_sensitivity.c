/* How far the numbers of springs can go at a substep. */
#include "tests/support/unit_networks.h"

enum { PARTICLES = 6 };
static const double PI = 3.14159265358979323846, DT = 0.0078125;

/* Largest eigenvalue of the path of unit masses with springs of kappa = 1: 2 + 2 cos(pi/n). */
static double path_radius(void) {
  return 2 + 2 * cos(PI / PARTICLES);
}

static msd_stiffness_limits limits_of(const msd_world *world, msd_range springs) {
  msd_stiffness_limits limits;
  cr_assert_eq(msd_world_find_stiffness_limits(world, &springs, 1, (msd_real)DT, &limits), MSD_OK);
  return limits;
}

static msd_spring_def frequency(double hertz, double ratio) {
  msd_spring_def def = msd_default_spring_def();
  def.law = MSD_SPRING_FREQUENCY;
  def.frequency = (msd_real)hertz;
  def.damping_ratio = (msd_real)ratio;
  return def;
}

static const msd_range all = {0, PARTICLES - 1};

/* Never above the truth, and little below it. */
static void assert_near(double limit, double truth, msd_spring_law law) {
  cr_assert(limit <= truth * (1 + 1e-6) && limit > 0.99 * truth, "law %d: %g, not %g", law, limit, truth);
}

static void assert_limits(msd_spring_def def, double first, double second) {
  msd_world *world = rope(PARTICLES, def);
  const msd_stiffness_limits limits = limits_of(world, all);
  assert_near(limits.stiffness, first, def.law);
  assert_near(limits.damping, second, def.law);
  msd_destroy_world(world);
}

/* kappa = dt^2 k + 2 dt mu reaches 4/radius; with the reduced mass 1/2 of two unit masses k = 1/2 (2 pi f)^2
   and mu = 1/2 2 ratio 2 pi f, or dt^2 k = ck/2 and dt mu = cd/2. */
Test(stiffness_limits, each_number_ends_where_theory_says) {
  const double kappa = 4 / path_radius();
  assert_limits(physical(1000, 3), (kappa - 2 * DT * 3) / (DT * DT), (kappa - DT * DT * 1000) / (2 * DT));
  assert_limits(coefficient(0.25, 0.125), 2 * kappa - 0.25, kappa - 0.125);
  const double w = 2 * PI * DT, f = 8, ratio = 0.5;
  /* w^2 f^2/2 + 2 ratio w f = kappa */
  const double hertz = (-2 * ratio + sqrt(4 * ratio * ratio + 2 * kappa)) / w;
  assert_limits(frequency(f, ratio), hertz, (kappa - w * w * f * f / 2) / (2 * w * f));
}

static msd_world *random_network(uint64_t seed, int law) {
  msd_world *world = empty_world();
  const int32_t particles = 4 + below(&seed, 8);
  for (int32_t i = 0; i < particles; i++)
    add_particle(world, uniform(&seed), uniform(&seed), uniform(&seed), 0.5 + uniform(&seed));
  const double size = pow(10, 2 * uniform(&seed) - 1), damping = below(&seed, 2) * uniform(&seed);
  const msd_spring_def def = law == 0   ? physical(size * 1e4, damping * 50)
                             : law == 1 ? coefficient(size, damping)
                                        : frequency(size * 10, damping);
  for (int32_t i = 1; i < particles; i++)
    join(world, i, below(&seed, i), def);
  for (int n = below(&seed, 6); n > 0; n--) {
    const int32_t a = below(&seed, particles);
    join(world, a, (a + 1 + below(&seed, particles - 1)) % particles, def);
  }
  if (below(&seed, 2)) {
    msd_soft_pin_def soft_pin = msd_default_soft_pin_def();
    soft_pin.particle = 0;
    soft_pin.law = MSD_SPRING_COEFFICIENT;
    cr_assert_eq(msd_add_soft_pins(world, &soft_pin, 1, NULL), MSD_OK);
  }
  return world;
}

static double number_of(msd_spring_def def, int number) {
  switch (def.law) {
  case MSD_SPRING_COEFFICIENT:
    return (double)(number == 0 ? def.ck : def.cd);
  case MSD_SPRING_FREQUENCY:
    return (double)(number == 0 ? def.frequency : def.damping_ratio);
  default:
    return (double)(number == 0 ? def.stiffness : def.damping);
  }
}

static msd_spring_def with_number(msd_spring_def def, int number, double value) {
  const msd_real v = (msd_real)value;
  if (number == 0)
    def.stiffness = def.ck = def.frequency = v;
  else
    def.damping = def.cd = def.damping_ratio = v;
  return def;
}

/* Which is what a slider shows: its mark is beyond the knob as long as the network is certified. */
Test(stiffness_limits, present_numbers_are_below_them_exactly_when_the_network_is_certified) {
  int certified = 0;
  for (uint64_t seed = 0; seed < 300; seed++) {
    msd_world *world = random_network(seed, (int)(seed % 3));
    const msd_range springs = {0, msd_world_get_spring_count(world)};
    const msd_stiffness_limits limits = limits_of(world, springs);
    const msd_spring_def def = msd_spring_get_def(world, 0);
    const bool is_certified = report_of(world, DT).used < 1;
    cr_assert_eq(number_of(def, 0) < limits.stiffness, is_certified, "network %d: %g and %g", (int)seed,
                 number_of(def, 0), limits.stiffness);
    cr_assert_eq(number_of(def, 1) < limits.damping, is_certified, "network %d: %g and %g", (int)seed,
                 number_of(def, 1), limits.damping);
    certified += is_certified;
    msd_destroy_world(world);
  }
  cr_assert(certified > 60 && certified < 240, "%d", certified);
}

Test(stiffness_limits, just_below_a_limit_the_network_is_certified) {
  for (uint64_t seed = 0; seed < 150; seed++)
    for (int number = 0; number < 2; number++) {
      msd_world *world = random_network(seed, (int)(seed % 3));
      const msd_range part = {0, (msd_world_get_spring_count(world) + 1) / 2};
      const msd_stiffness_limits limits = limits_of(world, part);
      const double limit = number == 0 ? limits.stiffness : limits.damping;
      const msd_spring_def def = with_number(msd_spring_get_def(world, 0), number, 0.9999 * limit);
      if (limit > 0 && isfinite(limit)) {
        cr_assert_eq(msd_springs_set_law(world, part, &def), MSD_OK);
        cr_assert(report_of(world, DT).used < 1 + 1e-6, "network %d, number %d: %g", (int)seed, number,
                  report_of(world, DT).used);
      }
      msd_destroy_world(world);
    }
}

Test(stiffness_limits, nothing_helps_where_others_are_over_the_limit) {
  msd_world *world = rope(PARTICLES, physical(100, 0));
  const msd_spring_def stiff = physical(1e7, 0);
  cr_assert_eq(msd_spring_set_law(world, 0, &stiff), MSD_OK);
  const msd_stiffness_limits others = limits_of(world, (msd_range){2, 3}),
                             itself = limits_of(world, (msd_range){0, 1});
  cr_assert(others.stiffness == 0 && others.damping == 0);
  cr_assert(itself.stiffness > 100 && itself.stiffness < 1e7, "%g", itself.stiffness);
  msd_destroy_world(world);
}

Test(stiffness_limits, with_the_limit_on_coefficients_there_are_none) {
  msd_world *world = rope(PARTICLES, physical(1e9, 0));
  cr_assert_eq(msd_world_set_clamp_stiffness(world, true), MSD_OK);
  const msd_stiffness_limits limits = limits_of(world, all);
  cr_assert(isinf(limits.stiffness) && isinf(limits.damping));
  msd_destroy_world(world);
}

Test(stiffness_limits, ranges_of_springs_that_do_not_exist_are_refused) {
  msd_world *world = rope(PARTICLES, physical(100, 0));
  const msd_range bad[] = {{0, 0},         {-1, 1},        {0, PARTICLES}, {PARTICLES - 1, 1},
                           {INT32_MAX, 1}, {1, INT32_MAX}, {0, -1}};
  msd_stiffness_limits limits[2] = {{7, 7}, {7, 7}};
  for (size_t n = 0; n < sizeof bad / sizeof *bad; n++) {
    const msd_range both[] = {all, bad[n]};
    cr_assert_eq(msd_world_find_stiffness_limits(world, both, 2, 1, limits), MSD_BAD_INDEX, "range %zu", n);
    cr_assert_eq(limits[0].stiffness, 7, "nothing is written");
  }
  cr_assert_eq(msd_world_find_stiffness_limits(world, &all, -1, 1, limits), MSD_BAD_VALUE);
  cr_assert_eq(msd_world_find_stiffness_limits(world, NULL, 1, 1, limits), MSD_BAD_VALUE);
  cr_assert_eq(msd_world_find_stiffness_limits(NULL, &all, 1, 1, limits), MSD_BAD_VALUE);
  cr_assert_eq(msd_world_find_stiffness_limits(world, NULL, 0, 1, limits), MSD_OK);
  msd_destroy_world(world);
}
