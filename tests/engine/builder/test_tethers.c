/* Tethers: one-sided springs from a body to its pins, as a step sees them and as msd_add_tethers lays them. */
#include "tests/support/networks.h"
#include "tests/support/scarce_memory.h"

#include <float.h>
#include <math.h>

static const double EPSILON = sizeof(msd_real) == sizeof(double) ? DBL_EPSILON : FLT_EPSILON;

static msd_world *empty_world(msd_vec3 gravity) {
  msd_world_def def = msd_default_world_def();
  def.gravity = gravity;
  return world_from_def(&def);
}

static int32_t add_point(msd_world *world, msd_vec3 at, bool pinned) {
  msd_particle_def def = msd_default_particle_def();
  def.position = at;
  def.pinned = pinned;
  int32_t particle = -1;
  ASSERT_OK(world, msd_add_particles(world, &def, 1, &particle));
  return particle;
}

static double length_of(msd_vec3 v) {
  return hypot(hypot((double)v.x, (double)v.y), (double)v.z);
}

static msd_vec3 between(const msd_world *world, int32_t a, int32_t b) {
  const msd_vec3 x = msd_particle_get_position(world, a), y = msd_particle_get_position(world, b);
  return (msd_vec3){x.x - y.x, x.y - y.y, x.z - y.z};
}

/* ------------------------------------------------------------------------------------------ one-sidedness */

/* A particle at the origin on a one-sided spring to a pin at (1, 0, 0). */
static msd_world *pinned_pair(msd_spring_mode side, msd_real rest, msd_vec3 velocity) {
  msd_world *world = empty_world((msd_vec3){0, 0, 0});
  add_point(world, (msd_vec3){0, 0, 0}, false);
  add_point(world, (msd_vec3){1, 0, 0}, true);
  msd_spring_def def = msd_default_spring_def();
  def.a = 0;
  def.b = 1;
  def.stiffness = 64;
  def.damping = 4;
  def.rest_length = rest;
  def.mode = side;
  ASSERT_OK(world, msd_add_springs(world, &def, 1, NULL));
  ASSERT_OK(world, msd_particle_set_velocity(world, 0, velocity));
  return world;
}

static msd_real velocity_after_a_step(msd_spring_mode side, msd_real rest, msd_real velocity,
                                      msd_simd width) {
  msd_world *world = pinned_pair(side, rest, (msd_vec3){velocity, 0, 0});
  ASSERT_OK(world, msd_world_set_simd(world, width));
  ASSERT_OK(world, msd_world_step(world, (msd_real)0.125, 1));
  const msd_real after = msd_particle_get_velocity(world, 0).x;
  msd_destroy_world(world);
  return after;
}

/* dv = dt max(0, k C + mu C') where C > 0, in numbers that are exact: C' is minus the velocity towards the
   pin. */
Test(tethers, a_tether_pulls_with_k_c_plus_mu_c_dot_and_never_pushes) {
  for (int w = MSD_SIMD_SCALAR; w < MSD_SIMD_COUNT; w++) {
    const msd_simd width = (msd_simd)w;
    cr_assert_eq(velocity_after_a_step(MSD_SPRING_TENSION_ONLY, (msd_real)0.5, 0, width), 4); /* 64/2/8 */
    cr_assert_eq(velocity_after_a_step(MSD_SPRING_TENSION_ONLY, (msd_real)0.5, -2, width), -2 + 4 + 1);
    cr_assert_eq(velocity_after_a_step(MSD_SPRING_TENSION_ONLY, (msd_real)0.5, 2, width), 2 + 4 - 1);
    cr_assert_eq(velocity_after_a_step(MSD_SPRING_TENSION_ONLY, (msd_real)0.5, 8, width), 8); /* 32 - 32 */
    cr_assert_eq(velocity_after_a_step(MSD_SPRING_TENSION_ONLY, (msd_real)0.5, 16, width), 16);
    cr_assert_eq(velocity_after_a_step(MSD_SPRING_TENSION_ONLY, (msd_real)1, -16, width), -16);
    cr_assert_eq(velocity_after_a_step(MSD_SPRING_TENSION_ONLY, (msd_real)1.5, -16, width), -16);
    cr_assert_eq(velocity_after_a_step(MSD_SPRING_TENSION_ONLY, (msd_real)1.5, 16, width), 16);
  }
}

Test(tethers, a_strut_pushes_where_a_tether_is_slack_and_never_pulls) {
  for (int w = MSD_SIMD_SCALAR; w < MSD_SIMD_COUNT; w++) {
    const msd_simd width = (msd_simd)w;
    cr_assert_eq(velocity_after_a_step(MSD_SPRING_COMPRESSION_ONLY, (msd_real)1.5, 0, width), -4);
    cr_assert_eq(velocity_after_a_step(MSD_SPRING_COMPRESSION_ONLY, (msd_real)1.5, 2, width), 2 - 4 - 1);
    cr_assert_eq(velocity_after_a_step(MSD_SPRING_COMPRESSION_ONLY, (msd_real)1.5, -16, width), -16);
    cr_assert_eq(velocity_after_a_step(MSD_SPRING_COMPRESSION_ONLY, (msd_real)1, 16, width), 16);
    cr_assert_eq(velocity_after_a_step(MSD_SPRING_COMPRESSION_ONLY, (msd_real)0.5, -16, width), -16);
  }
}

/* A ball on a rope, thrown up: a free fall until the rope is taut, in every integrator. */
Test(tethers, a_slack_tether_leaves_free_fall_as_it_is) {
  for (int integrator = 0; integrator < MSD_INTEGRATOR_COUNT; integrator++) {
    msd_world *tied = empty_world((msd_vec3){0, -8, 0}), *loose = empty_world((msd_vec3){0, -8, 0});
    msd_world *worlds[2] = {tied, loose};
    for (int k = 0; k < 2; k++) {
      add_point(worlds[k], (msd_vec3){0, 0, 0}, false);
      add_point(worlds[k], (msd_vec3){0, (msd_real)0.5, 0}, true);
      ASSERT_OK(worlds[k], msd_world_set_integrator(worlds[k], (msd_integrator)integrator));
      ASSERT_OK(worlds[k], msd_particle_set_velocity(worlds[k], 0, (msd_vec3){1, 2, 0}));
    }
    msd_spring_def def = msd_default_spring_def();
    def.a = 0;
    def.b = 1;
    def.stiffness = 100;
    def.damping = 1;
    def.rest_length = 2;
    def.mode = MSD_SPRING_TENSION_ONLY;
    ASSERT_OK(tied, msd_add_springs(tied, &def, 1, NULL));
    /* Without any spring it would be loose and move by another rule (engine/step/loose.h). */
    def.rest_length = 200;
    ASSERT_OK(loose, msd_add_springs(loose, &def, 1, NULL));
    for (int n = 0; n < 3; n++) {
      ASSERT_OK(tied, msd_world_step(tied, (msd_real)0.125, 8));
      ASSERT_OK(loose, msd_world_step(loose, (msd_real)0.125, 8));
      cr_assert_eq(first_difference(tied, loose), -1, "integrator %d, step %d", integrator, n);
    }
    for (int n = 0; n < 40; n++)
      ASSERT_OK(tied, msd_world_step(tied, (msd_real)0.125, 32));
    cr_assert_lt(length_of(between(tied, 0, 1)), 2.5, "integrator %d", integrator);
    msd_destroy_world(tied);
    msd_destroy_world(loose);
  }
}

/* ----------------------------------------------------------------------------------------- held by a pin */

static msd_world *hanging_sheet(bool tethers, msd_body *body) {
  msd_world *world = empty_world((msd_vec3){0, (msd_real)-9.81, 0});
  ASSERT_OK(world, msd_world_set_linear_damping(world, (msd_real)0.5));
  msd_cloth_def cloth = msd_default_cloth_def();
  cloth.u = (msd_vec3){1, 0, 0};
  cloth.v = (msd_vec3){0, 0, 1};
  cloth.columns = cloth.rows = 24;
  cloth.shear = cloth.stretch;
  ASSERT_OK(world, msd_add_cloth(world, &cloth, body));
  ASSERT_OK(world, msd_particle_pin(world, 0));
  ASSERT_OK(world, msd_particle_pin(world, 23));
  if (tethers) {
    msd_tethers_def def = msd_default_tethers_def();
    def.particles = body->particles;
    ASSERT_OK(world, msd_add_tethers(world, &def, NULL));
  }
  return world;
}

static double largest_stretch(const msd_world *world, const msd_body *body) {
  double most = -1;
  for (int32_t s = body->springs.first; s < body->springs.first + body->springs.count; s++)
    most = fmax(
        most, (double)msd_spring_get_length(world, s) / (double)msd_spring_get_def(world, s).rest_length - 1);
  return most;
}

Test(tethers, a_hanging_cloth_stretches_a_fifth_of_what_it_would_without) {
  msd_body body;
  msd_world *with = hanging_sheet(true, &body), *without = hanging_sheet(false, &body);
  for (int frame = 0; frame < 180; frame++) {
    ASSERT_OK(with, msd_world_step(with, (msd_real)1 / 60, 8));
    ASSERT_OK(without, msd_world_step(without, (msd_real)1 / 60, 8));
  }
  const double held = largest_stretch(with, &body), free = largest_stretch(without, &body);
  cr_assert_lt(held, free / 5, "%g with, %g without", held, free);
  msd_destroy_world(with);
  msd_destroy_world(without);
}

/* Certified by sums that count a tether like any spring. */
Test(tethers, the_default_tethers_of_a_cloth_are_certified_at_any_step) {
  msd_body body;
  msd_world *world = hanging_sheet(true, &body);
  msd_stability s;
  ASSERT_OK(world, msd_world_analyze_stability(world, (msd_real)0.01, &s));
  cr_assert(s.radius < 4 && isinf(s.stable_substep), "radius %g", s.radius);
  /* Its own weights are all that bounds it: no energy comes from nowhere at the largest step there is. */
  for (int frame = 0; frame < 600; frame++)
    ASSERT_OK(world, msd_world_step(world, 1, 1));
  cr_assert(isfinite(msd_world_get_stats(world).kinetic_energy));
  msd_destroy_world(world);
}

/* A tether moves its pin by nothing, so it may be held by the pin or by a particle of infinite mass. */
Test(tethers, a_spring_held_by_a_pin_moves_its_particle_as_one_held_by_a_very_heavy_particle) {
  msd_world *worlds[2];
  for (int k = 0; k < 2; k++) {
    worlds[k] = empty_world((msd_vec3){0, 0, 0});
    msd_particle_def heavy = msd_default_particle_def();
    heavy.mass = (msd_real)1e15;
    heavy.pinned = k == 0;
    ASSERT_OK(worlds[k], msd_add_particles(worlds[k], &heavy, 1, NULL));
    generator random = {.state = 3};
    for (int i = 0; i < 40; i++) {
      const int32_t particle = add_point(worlds[k], random_vector(&random, 2), false);
      ASSERT_OK(worlds[k], msd_particle_set_velocity(worlds[k], particle, random_vector(&random, 1)));
      msd_spring_def def = msd_default_spring_def();
      def.a = i % 2 ? 0 : particle;
      def.b = i % 2 ? particle : 0;
      def.rest_length = 1;
      def.stiffness = 20;
      def.damping = 1;
      def.mode = i % 3 ? MSD_SPRING_TENSION_ONLY : MSD_SPRING_COMPRESSION_ONLY;
      ASSERT_OK(worlds[k], msd_add_springs(worlds[k], &def, 1, NULL));
    }
    ASSERT_OK(worlds[k], msd_world_step(worlds[k], 1, 64));
  }
  for (int32_t i = 1; i <= 40; i++) {
    const msd_vec3 held = msd_particle_get_position(worlds[0], i),
                   tied = msd_particle_get_position(worlds[1], i);
    cr_assert_lt(fabs((double)held.x - (double)tied.x), 1e-10 + 100 * EPSILON, "particle %d", i);
    cr_assert_lt(fabs((double)held.y - (double)tied.y), 1e-10 + 100 * EPSILON, "particle %d", i);
  }
  msd_destroy_world(worlds[0]);
  msd_destroy_world(worlds[1]);
}

/* Let go, the particle that was a pin is pulled by its tethers: momentum stays, and so does the length. */
Test(tethers, a_pin_let_go_is_pulled_by_its_tethers_and_holds_again_when_pinned) {
  msd_world *world = empty_world((msd_vec3){0, 0, 0});
  add_point(world, (msd_vec3){0, 0, 0}, true);
  msd_spring_def def = msd_default_spring_def();
  def.a = 0;
  def.stiffness = 50;
  def.rest_length = (msd_real)0.5;
  def.mode = MSD_SPRING_TENSION_ONLY;
  for (int i = 0; i < 20; i++) {
    def.b = add_point(world, (msd_vec3){1, (msd_real)(i % 2), 0}, false);
    ASSERT_OK(world, msd_add_springs(world, &def, 1, NULL));
  }
  ASSERT_OK(world, msd_world_step(world, (msd_real)0.03125, 1));
  cr_assert_eq(msd_particle_get_position(world, 0).x, 0);
  const double before = msd_world_get_stats(world).momentum[0];
  ASSERT_OK(world, msd_particle_unpin(world, 0));
  ASSERT_OK(world, msd_world_step(world, (msd_real)0.25, 64));
  cr_assert_gt(msd_particle_get_position(world, 0).x, 0.1);
  cr_assert_lt(fabs(msd_world_get_stats(world).momentum[0] - before), 2000 * EPSILON);
  ASSERT_OK(world, msd_particle_pin(world, 0));
  const msd_vec3 held = msd_particle_get_position(world, 0);
  ASSERT_OK(world, msd_world_step(world, (msd_real)0.25, 64));
  cr_assert_eq(msd_particle_get_position(world, 0).x, held.x);
  msd_destroy_world(world);
}

/* A pin that travels at v drags what hangs from it after itself. */
Test(tethers, a_moving_pin_drags_what_it_holds) {
  for (int w = MSD_SIMD_SCALAR; w < MSD_SIMD_COUNT; w++) {
    msd_world *world = empty_world((msd_vec3){0, 0, 0});
    add_point(world, (msd_vec3){0, 0, 0}, true);
    msd_spring_def def = msd_default_spring_def();
    def.a = 0;
    def.law = MSD_SPRING_FREQUENCY;
    def.frequency = 4;
    def.damping_ratio = 1;
    def.mode = MSD_SPRING_TENSION_ONLY;
    def.rest_length = 1;
    for (int i = 0; i < 33; i++) {
      def.b = add_point(world, (msd_vec3){-1, (msd_real)i / 64, 0}, false);
      ASSERT_OK(world, msd_add_springs(world, &def, 1, NULL));
    }
    ASSERT_OK(world, msd_world_set_simd(world, (msd_simd)w));
    ASSERT_OK(world, msd_particle_set_velocity(world, 0, (msd_vec3){2, 0, 0}));
    for (int n = 0; n < 40; n++)
      ASSERT_OK(world, msd_world_step(world, (msd_real)0.125, 16));
    cr_assert_eq(msd_particle_get_position(world, 0).x, 10);
    for (int32_t i = 1; i <= 33; i++) {
      const double distance = length_of(between(world, 0, i));
      cr_assert(distance < 1.05, "width %d: particle %d is left behind by %g m", w, i, distance);
    }
    msd_destroy_world(world);
  }
}

/* ----------------------------------------------------------------------------------------- the nearest pins */

typedef struct found {
  double square;
  int32_t pin;
} found;

/* All pins, nearest first; of pins at one distance the lower index first. */
static int nearest_by_force(const msd_world *world, msd_range range, int32_t particle, found *list) {
  const msd_vec3 x = msd_particle_get_position(world, particle);
  int count = 0;
  for (int32_t i = range.first; i < range.first + range.count; i++) {
    if (!msd_particle_is_pinned(world, i))
      continue;
    const msd_vec3 y = msd_particle_get_position(world, i);
    const double d[3] = {(double)x.x - (double)y.x, (double)x.y - (double)y.y, (double)x.z - (double)y.z};
    const found one = {d[0] * d[0] + d[1] * d[1] + d[2] * d[2], i};
    int to = count++;
    for (; to > 0 && list[to - 1].square > one.square; to--)
      list[to] = list[to - 1];
    list[to] = one;
  }
  return count;
}

static void assert_nearest(msd_world *world, msd_range range, int32_t each, msd_real slack) {
  msd_tethers_def def = msd_default_tethers_def();
  def.particles = range;
  def.pins_each = each;
  def.slack = slack;
  msd_range made = {-1, -1};
  ASSERT_OK(world, msd_add_tethers(world, &def, &made));
  found *list = calloc((size_t)range.count, sizeof *list);
  cr_assert_not_null(list);
  int32_t spring = made.first;
  for (int32_t i = range.first; i < range.first + range.count; i++) {
    if (msd_particle_is_pinned(world, i))
      continue;
    const int pins = nearest_by_force(world, range, i, list);
    for (int n = 0; n < (each < pins ? each : pins); n++, spring++) {
      const msd_spring_def tether = msd_spring_get_def(world, spring);
      cr_assert(tether.a == i && tether.b == list[n].pin && tether.mode == MSD_SPRING_TENSION_ONLY,
                "particle %d is tied to %d, not %d", i, tether.b, list[n].pin);
      cr_assert_eq(tether.rest_length, (msd_real)((double)(1 + slack) * sqrt(list[n].square)));
    }
  }
  cr_assert_eq(spring, made.first + made.count);
  cr_assert_eq(spring, msd_world_get_spring_count(world));
  free(list);
}

Test(tethers, each_particle_is_tied_to_its_nearest_pins) {
  for (uint64_t seed = 1; seed <= 40; seed++) {
    generator random = {.state = seed};
    msd_world *world = empty_world((msd_vec3){0, 0, 0});
    /* Flat in some axes, on a grid (many equal distances) or not. */
    const msd_real size[3] = {1, seed % 3 ? 1 : 0, seed % 4 ? (msd_real)0.125 : 0};
    for (int i = 0; i < 150; i++) {
      msd_vec3 at = random_vector(&random, 1);
      if (seed % 2)
        at = (msd_vec3){(msd_real)random_below(&random, 5), (msd_real)random_below(&random, 5),
                        (msd_real)random_below(&random, 5)};
      add_point(world, (msd_vec3){at.x * size[0], at.y * size[1], at.z * size[2]},
                random_below(&random, 8) < (int)(seed % 5) || i == 60);
    }
    assert_nearest(world, (msd_range){0, 150}, 1 + (int32_t)(seed % 8), 0);
    assert_nearest(world, (msd_range){60, 50}, 2, (msd_real)0.25);
    msd_destroy_world(world);
  }
}

Test(tethers, fewer_pins_than_asked_for_are_all_taken) {
  msd_world *world = empty_world((msd_vec3){0, 0, 0});
  add_point(world, (msd_vec3){0, 0, 0}, true);
  for (int i = 1; i < 4; i++)
    add_point(world, (msd_vec3){(msd_real)i, 0, 0}, false);
  assert_nearest(world, (msd_range){0, 4}, 8, 0);
  cr_assert_eq(msd_world_get_spring_count(world), 3);
  msd_destroy_world(world);
}

/* A pin for every column: 40,000 particles with 200 pins must not look at all pins each, or at least be
   quick. */
Test(tethers, a_row_of_pins_holds_its_columns) {
  msd_world *world = empty_world((msd_vec3){0, 0, 0});
  msd_cloth_def cloth = msd_default_cloth_def();
  cloth.u = (msd_vec3){199, 0, 0};
  cloth.v = (msd_vec3){0, -199, 0};
  cloth.columns = cloth.rows = 200;
  msd_body body;
  ASSERT_OK(world, msd_add_cloth(world, &cloth, &body));
  for (int32_t c = 0; c < 200; c++)
    ASSERT_OK(world, msd_particle_pin(world, c));
  msd_tethers_def def = msd_default_tethers_def();
  def.particles = body.particles;
  def.pins_each = 1;
  msd_range made;
  ASSERT_OK(world, msd_add_tethers(world, &def, &made));
  for (int32_t s = 0; s < made.count; s++) {
    const msd_spring_def tether = msd_spring_get_def(world, made.first + s);
    cr_assert(tether.a == 200 + s && tether.b == tether.a % 200);
  }
  msd_destroy_world(world);
}

/* --------------------------------------------------------------------------------------------- bad input */

Test(tethers, definitions_out_of_range_are_refused_and_add_nothing) {
  msd_world *world = empty_world((msd_vec3){0, 0, 0});
  add_point(world, (msd_vec3){0, 0, 0}, true);
  add_point(world, (msd_vec3){1, 0, 0}, false);
  add_point(world, (msd_vec3){2, 0, 0}, false);
  msd_tethers_def good = msd_default_tethers_def();
  good.particles = (msd_range){0, 3};
  struct {
    const char *what;
    msd_tethers_def def;
    msd_result result;
  } cases[] = {{"cookie", good, MSD_UNINITIALIZED_DEF},
               {"3 particles", good, MSD_BAD_INDEX},
               {"3 particles", good, MSD_BAD_INDEX},
               {"-1 particles", good, MSD_BAD_INDEX},
               {"pins_each", good, MSD_BAD_VALUE},
               {"pins_each", good, MSD_BAD_VALUE},
               {"slack", good, MSD_BAD_VALUE},
               {"slack", good, MSD_BAD_VALUE},
               {"is pinned", good, MSD_BAD_VALUE},
               {"spring.ck", good, MSD_BAD_VALUE},
               {"spring was", good, MSD_UNINITIALIZED_DEF},
               {"is pinned", good, MSD_BAD_VALUE},
               {"spring.mode", good, MSD_BAD_VALUE}};
  enum { CASES = sizeof cases / sizeof cases[0] };
  cases[0].def.cookie = 1;
  cases[1].def.particles.first = 1;
  cases[2].def.particles.first = -1;
  cases[3].def.particles.count = -1;
  cases[4].def.pins_each = 0;
  cases[5].def.pins_each = 9;
  cases[6].def.slack = (msd_real)-0.01;
  cases[7].def.slack = (msd_real)INFINITY;
  cases[8].def.particles = (msd_range){1, 2};
  cases[9].def.spring.ck = (msd_real)NAN;
  cases[10].def.spring.cookie = 0;
  cases[11].def.particles = (msd_range){3, 0};
  cases[12].def.spring.mode = MSD_SPRING_MODE_COUNT;
  for (int c = 0; c < CASES; c++) {
    msd_range made = {5, 5};
    cr_assert_eq(msd_add_tethers(world, &cases[c].def, &made), cases[c].result, "case %d, %s: %s", c,
                 cases[c].what, msd_world_message(world));
    cr_assert(c == 0 || strstr(msd_world_message(world), cases[c].what), "%s: %s", cases[c].what,
              msd_world_message(world));
    cr_assert(made.count == 0 && msd_world_get_spring_count(world) == 0);
  }
  cr_assert_eq(msd_add_tethers(NULL, &good, NULL), MSD_BAD_VALUE);
  cr_assert_eq(msd_add_tethers(world, NULL, NULL), MSD_UNINITIALIZED_DEF);
  /* No law makes no springs, as in every builder. */
  good.spring.law = MSD_SPRING_NONE;
  ASSERT_OK(world, msd_add_tethers(world, &good, NULL));
  cr_assert_eq(msd_world_get_spring_count(world), 0);
  msd_destroy_world(world);
}

Test(tethers, a_pin_too_far_for_a_length_is_refused_and_adds_nothing) {
  const msd_real far = sizeof(msd_real) == sizeof(double) ? (msd_real)1.7e308 : (msd_real)3e38;
  msd_world *world = empty_world((msd_vec3){0, 0, 0});
  add_point(world, (msd_vec3){far, far, 0}, true);
  for (int i = 0; i < 300; i++)
    add_point(world, (msd_vec3){far, far - (msd_real)(far / 1024) * (msd_real)(i % 5), 0}, false);
  add_point(world, (msd_vec3){-far, -far, 0}, false);
  msd_tethers_def def = msd_default_tethers_def();
  def.particles = (msd_range){0, 302};
  cr_assert_eq(msd_add_tethers(world, &def, NULL), MSD_BAD_VALUE);
  cr_assert(strstr(msd_world_message(world), "too far"), "%s", msd_world_message(world));
  cr_assert_eq(msd_world_get_spring_count(world), 0);
  msd_destroy_world(world);
}

/* ----------------------------------------------------------------------------------------------- memory */

Test(tethers, without_memory_nothing_is_added_and_nothing_lost) {
  bool done = false;
  for (int left = 0; !done; left++) {
    scarce s = {.left = 1000};
    msd_world_def world_def = msd_default_world_def();
    world_def.allocator = scarce_allocator(&s);
    msd_world *world = world_from_def(&world_def);
    for (int i = 0; i < 20; i++)
      add_point(world, (msd_vec3){(msd_real)i, 0, 0}, i % 7 == 0);
    const size_t before = msd_world_get_stats(world).bytes;
    msd_tethers_def def = msd_default_tethers_def();
    def.particles = (msd_range){0, 20};
    s.left = left;
    const msd_result result = msd_add_tethers(world, &def, NULL);
    done = result == MSD_OK;
    if (!done) {
      cr_assert_eq(result, MSD_OUT_OF_MEMORY);
      cr_assert_eq(msd_world_get_spring_count(world), 0);
    }
    cr_assert(left > 20 || done || msd_world_get_stats(world).bytes >= before);
    cr_assert_lt(left, 40);
    msd_destroy_world(world);
  }
}
