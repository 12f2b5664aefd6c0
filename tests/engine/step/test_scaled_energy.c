/* The energy that steps make under scaled masses: measured exactly, and kept within its credit. */
#include "tests/support/kernels.h"
#include "tests/support/share.h"
#include "tests/support/snapshots.h"

#include "engine/scaling/pair_weights.h"

#include <math.h>

static msd_world *scaled_world(msd_energy_mode energy, int threads, msd_simd simd, msd_vec3 gravity) {
  msd_world_def def = msd_default_world_def();
  def.energy_mode = energy;
  def.mass_scaling = MSD_MASS_SCALING_SELECTIVE;
  def.thread_count = threads;
  def.simd = simd;
  def.gravity = gravity;
  return world_from_def(&def);
}

static double random_power(generator *g, int least, int most) {
  return pow(10, least + random_below(g, 64 * (most - least) + 1) / 64.0);
}

enum { PARTICLES = 24, SPRINGS = 60 };

/* A penetration of undamped springs that are off their rest lengths, with a stiffness over mass of
   10^least_power to 10^most_power 1/s^2, without gravity. */
static msd_world *penetration(msd_energy_mode energy, uint64_t seed, int least_power, int most_power,
                              bool pins) {
  generator random = {.state = seed};
  msd_world *world = scaled_world(energy, 1, MSD_SIMD_WIDEST, (msd_vec3){0, 0, 0});
  for (int32_t i = 0; i < PARTICLES; i++) {
    msd_particle_def def = msd_default_particle_def();
    def.position = random_vector(&random, 1);
    def.mass = (msd_real)random_power(&random, -1, 1);
    def.pinned = pins && i % 9 == 0;
    ASSERT_OK(world, msd_add_particles(world, &def, 1, NULL));
  }
  for (int32_t e = 0; e < SPRINGS; e++) {
    msd_spring_def def = msd_default_spring_def();
    def.a = e < PARTICLES - 1 ? e : random_below(&random, PARTICLES);
    def.b = e < PARTICLES - 1 ? e + 1 : (def.a + 1 + random_below(&random, PARTICLES - 1)) % PARTICLES;
    def.rest_length = (msd_real)(1 + random_below(&random, 16)) / 8;
    const double light =
        fmin((double)msd_particle_get_mass(world, def.a), (double)msd_particle_get_mass(world, def.b));
    def.stiffness = (msd_real)(light * random_power(&random, least_power, most_power));
    def.damping = 0;
    if (e % 7 == 0)
      def.mode = e % 2 == 0 ? MSD_SPRING_TENSION_ONLY : MSD_SPRING_COMPRESSION_ONLY;
    ASSERT_OK(world, msd_add_springs(world, &def, 1, NULL));
  }
  return world;
}

/* ----------------------------------------------------------------------------------------------- identity */

typedef enum outside { NOTHING, HARD_LIMITS, COLLIDERS, MOVING_PINS, OUTSIDES } outside;

static void add_hard_limits(msd_world *world) {
  for (int32_t i = 1; i < PARTICLES; i += 3) {
    msd_spring_def def = msd_default_spring_def();
    def.law = MSD_SPRING_HARD_LIMIT;
    def.mode = i % 2 ? MSD_SPRING_TENSION_ONLY : MSD_SPRING_COMPRESSION_ONLY;
    def.a = i;
    def.b = (i + 7) % PARTICLES;
    def.ck = (msd_real)(1 + i % 4) / 4;
    ASSERT_OK(world, msd_add_springs(world, &def, 1, NULL));
  }
}

static void add(msd_world *world, outside what) {
  msd_collider_def plane = msd_default_collider_def();
  plane.position.y = (msd_real)-0.5;
  if (what == HARD_LIMITS)
    add_hard_limits(world);
  if (what == COLLIDERS)
    ASSERT_OK(world, msd_add_colliders(world, &plane, 1, NULL));
  for (int32_t i = 0; i < PARTICLES && what == MOVING_PINS; i += 9)
    ASSERT_OK(world, msd_particle_set_velocity(world, i, (msd_vec3){1, (msd_real)0.5, 0}));
}

/* What a spring makes follows from where its ends were before and behind, and not from any mass. */
static void assert_measured(outside what) {
  const double rounding = sizeof(msd_real) == 8 ? 1e-11 : 1e-3;
  for (uint64_t seed = 1; seed <= (uint64_t)share_of(12); seed++) {
    msd_world *world = penetration(MSD_ENERGY_MONITOR, seed, 2, 7, true);
    add(world, what);
    double sum = 0, gross = 0;
    for (int n = 0; n < 200; n++) {
      double of_springs[SPRINGS + PARTICLES] = {0};
      ASSERT_OK(world, msd_world_step(world, (msd_real)0.00390625, 1));
      const msd_energy_account account = msd_world_get_energy_account(world);
      cr_assert_float_eq(account.gain, sum, rounding * (100 * account.allowance + gross),
                         "%d: seed %d, substep %d: %g, not %g J", (int)what, (int)seed, n, account.gain, sum);
      msd_world_add_spring_energy_gain(world, of_springs);
      for (int e = 0; e < SPRINGS; e++) {
        sum += of_springs[e];
        gross += fabs(of_springs[e]);
      }
    }
    cr_expect_gt(gross, 0);
    msd_destroy_world(world);
  }
}

Test(scaled_energy, what_is_measured_is_what_springs_make_that_turn_while_they_shorten) {
  assert_measured(NOTHING);
}

Test(scaled_energy, what_acts_behind_the_kick_is_work_from_outside) {
  for (int what = HARD_LIMITS; what < OUTSIDES; what++)
    assert_measured((outside)what);
}

Test(scaled_energy, where_no_mass_is_scaled_the_account_in_drag_is_that_of_plain_masses) {
  const double rounding = sizeof(msd_real) == 8 ? 1e-11 : 1e-3;
  for (uint64_t seed = 1; seed <= (uint64_t)share_of(12); seed++) {
    msd_world *worlds[2];
    for (int k = 0; k < 2; k++) {
      worlds[k] = penetration(MSD_ENERGY_MONITOR, seed, 0, 2, true);
      ASSERT_OK(worlds[k], msd_world_set_linear_damping(worlds[k], 2));
      if (k == 1)
        ASSERT_OK(worlds[k], msd_world_set_mass_scaling(worlds[k], MSD_MASS_SCALING_NONE));
      ASSERT_OK(worlds[k], msd_world_step(worlds[k], (msd_real)0.0625, 16));
    }
    const msd_energy_account scaled = msd_world_get_energy_account(worlds[0]),
                             plain = msd_world_get_energy_account(worlds[1]);
    cr_expect_float_eq(scaled.gain, plain.gain, rounding * fabs(plain.gain), "seed %d: %g, not %g J",
                       (int)seed, scaled.gain, plain.gain);
    cr_expect_float_eq(scaled.allowance, plain.allowance, rounding * plain.allowance, "seed %d", (int)seed);
    for (int k = 0; k < 2; k++)
      msd_destroy_world(worlds[k]);
  }
}

/* ------------------------------------------------------------------------------------------------ the bound */

/* J: of a visit of what is added to the masses. */
typedef struct added_energy {
  const msd_world *world;
  double twice;
} added_energy;

static void add_energy(void *context, size_t a, size_t b, double added) {
  added_energy *e = context;
  const particle_store *p = &e->world->model.particles;
  const msd_real *v = particle_state(p) + VELOCITY_X * p->stride;
  for (size_t c = 0; c < 3; c++) {
    const double apart = (double)v[c * p->stride + a] - (a == b ? 0 : (double)v[c * p->stride + b]);
    e->twice += added * apart * apart;
  }
}

/* 1/2 v' B v, which is no more than T in the norm of W. Pins stand. */
static double scaled_kinetic(const msd_world *world, double dt) {
  added_energy e = {world, 0};
  pair_weights_visit((world_model *)&world->model, dt, add_energy, &e);
  return msd_world_get_stats(world).kinetic_energy + e.twice / 2;
}

typedef struct run_outcome {
  /* (1 - rho/4) T over what the theorem allows, the largest of the substeps. */
  double of_bound;
  int64_t guarded;
} run_outcome;

static run_outcome run(msd_energy_mode energy, uint64_t seed, double dt, int least_power, int most_power,
                       int substeps) {
  msd_world *world = penetration(energy, seed, least_power, most_power, seed % 3 > 0);
  const double before = msd_world_get_stats(world).elastic_energy;
  run_outcome out = {0, 0};
  for (int n = 0; n < substeps; n++) {
    if (msd_world_step(world, (msd_real)dt, 1) != MSD_OK) {
      out.of_bound = INFINITY; /* of what nothing guards */
      break;
    }
    const double bound = before + msd_world_get_energy_account(world).allowance;
    out.of_bound = fmax(out.of_bound, (1 - 3.92 / 4) * scaled_kinetic(world, dt) / bound);
  }
  out.guarded = msd_world_get_energy_account(world).bounded_substeps;
  msd_destroy_world(world);
  return out;
}

Test(scaled_energy, no_guarded_network_passes_the_bound_at_any_stiffness_and_step) {
  static const double steps[] = {0.25, 0.0009765625, 0.015625, 0.00390625};
  int64_t guarded = 0;
  double worst = 0, worst_plain = 0;
  for (uint64_t seed = 1; seed <= (uint64_t)share_of(40); seed++) {
    const int power = (int)(seed % 5) * 2;
    const double dt = steps[seed % 4];
    const run_outcome kept = run(MSD_ENERGY_BOUNDED, seed, dt, power, power + 4, share_of(10000)),
                      plain = run(MSD_ENERGY_OFF, seed, dt, power, power + 4, share_of(1000));
    cr_expect_leq(kept.of_bound, 1, "seed %d: %g", (int)seed, kept.of_bound);
    guarded += kept.guarded;
    worst = fmax(worst, kept.of_bound);
    worst_plain = fmax(worst_plain, plain.of_bound);
  }
  cr_expect_gt(guarded, 100, "the limiter acted in %d substeps", (int)guarded);
  cr_expect_gt(worst_plain, 10 * worst, "%g of the bound, and %g without the limiter", worst, worst_plain);
}

/* ---------------------------------------------------------------------------------------------------- bits */

static void assert_same(const msd_world *one, const msd_world *other, const char *what) {
  cr_assert_eq(first_difference(one, other), -1, "%s", what);
  const msd_energy_account a = msd_world_get_energy_account(one), b = msd_world_get_energy_account(other);
  cr_assert_eq(memcmp(&a.gain, &b.gain, sizeof a.gain), 0, "%s: made %.17g and %.17g J", what, a.gain,
               b.gain);
  cr_assert_eq(a.bounded_substeps, b.bounded_substeps, "%s", what);
}

static msd_world *watched_graph(const graph *g, msd_energy_mode energy, int threads, msd_simd simd,
                                bool undamped) {
  msd_world *world = scaled_world(energy, threads, simd, (msd_vec3){0, -1, 0});
  populate(world, g, &(making){LAWS_PHYSICAL, .seed = 7, .pins = true, .breaks = 11, .undamped = undamped});
  return world;
}

Test(scaled_energy, measuring_moves_nothing) {
  named_graph list[ALL_GRAPHS];
  make_all_graphs(list);
  for (int n = 0; n < ALL_GRAPHS; n++) {
    msd_world *plain = watched_graph(&list[n].graph, MSD_ENERGY_OFF, 1, MSD_SIMD_WIDEST, false);
    msd_world *measured = watched_graph(&list[n].graph, MSD_ENERGY_MONITOR, 2, MSD_SIMD_WIDEST, false);
    ASSERT_OK(plain, msd_world_step(plain, 1, 16));
    ASSERT_OK(measured, msd_world_step(measured, 1, 16));
    cr_assert_eq(first_difference(plain, measured), -1, "%s", list[n].name);
    msd_destroy_world(plain);
    msd_destroy_world(measured);
  }
  free_all_graphs(list);
}

/* In one call and one by one, the second half behind a snapshot. */
static void step_guarded(msd_world *world, bool one_by_one) {
  const msd_real dt = (msd_real)0.0625;
  for (int n = 0; n < (one_by_one ? 32 : 2); n++) {
    const int substeps = one_by_one ? 1 : 16;
    ASSERT_OK(world, msd_world_step(world, (msd_real)substeps * dt, substeps));
    if (one_by_one && n == 15) {
      snapshot s = snapshot_of(world);
      ASSERT_OK(world, msd_world_restore(world, s.data, s.size));
      free(s.data);
    }
  }
}

Test(scaled_energy, a_guarded_world_has_the_same_bits_with_any_threads_widths_calls_and_snapshots) {
  static const msd_simd widths[] = {MSD_SIMD_WIDEST, MSD_SIMD_128, MSD_SIMD_256, MSD_SIMD_512};
  named_graph list[ALL_GRAPHS];
  make_all_graphs(list);
  int64_t guarded = 0;
  for (int n = 0; n < ALL_GRAPHS; n++) {
    msd_world *reference = watched_graph(&list[n].graph, MSD_ENERGY_BOUNDED, 1, MSD_SIMD_SCALAR, true);
    step_guarded(reference, false);
    guarded += msd_world_get_energy_account(reference).bounded_substeps;
    for (int way = 0; way < 4; way++) {
      msd_world *world = watched_graph(&list[n].graph, MSD_ENERGY_BOUNDED, 1 + way, widths[way], true);
      step_guarded(world, way % 2 == 1);
      assert_same(reference, world, list[n].name);
      msd_destroy_world(world);
    }
    msd_destroy_world(reference);
  }
  cr_expect_gt(guarded, 20, "the limiter acted in %d substeps", (int)guarded);
  free_all_graphs(list);
}
