/* Energy that a step can never invent: (1 - rho/4) T <= H_0 + C + W after every substep, at every shape. */
#include "tests/support/networks.h"
#include "tests/support/share.h"

#include <math.h>

/* Random networks of springs of all sides, with masses and stiffnesses over `decades` powers of ten, some of
   rest length 0, some particles in one place, some pinned. */
typedef struct network_kind {
  double decades, damping, fraction;
  bool two_sided;
} network_kind;

enum { PARTICLES = 40, SPRINGS = 120 };

static double uniform(generator *random) {
  return (double)(next_random(random) >> 11) / 9007199254740992.0;
}

static msd_particle_def random_particle(generator *random, int32_t i, double decades) {
  msd_particle_def def = msd_default_particle_def();
  def.position = i % 9 == 1 ? (msd_vec3){0, 0, 0} : random_vector(random, 1);
  def.velocity = random_vector(random, 1);
  def.mass = (msd_real)pow(10, decades * (uniform(random) - 0.5));
  def.pinned = i % 12 == 0;
  def.velocity = def.pinned ? (msd_vec3){0, 0, 0} : def.velocity;
  return def;
}

static msd_spring_def random_spring(generator *random, int32_t e, const network_kind *kind) {
  msd_spring_def def = msd_default_spring_def();
  def.a = random_below(random, PARTICLES);
  def.b = (def.a + 1 + random_below(random, PARTICLES - 1)) % PARTICLES;
  def.rest_length = e % 11 == 0 ? 0 : (msd_real)(0.2 + uniform(random));
  def.stiffness = (msd_real)(100 * pow(10, kind->decades * (uniform(random) - 0.5)));
  def.damping = (msd_real)(kind->damping * sqrt((double)def.stiffness));
  if (!kind->two_sided)
    def.mode = e % 7 == 0   ? MSD_SPRING_TENSION_ONLY
               : e % 7 == 1 ? MSD_SPRING_COMPRESSION_ONLY
                            : MSD_SPRING_BOTH;
  return def;
}

static msd_world *random_world(uint64_t seed, const network_kind *kind, msd_energy_mode energy) {
  generator random = {.state = seed};
  msd_world_def def = msd_default_world_def();
  def.gravity = (msd_vec3){0, 0, 0};
  def.energy_mode = energy;
  msd_world *world = world_from_def(&def);
  for (int32_t i = 0; i < PARTICLES; i++) {
    const msd_particle_def particle = random_particle(&random, i, kind->decades);
    ASSERT_OK(world, msd_add_particles(world, &particle, 1, NULL));
  }
  for (int32_t e = 0; e < SPRINGS; e++) {
    const msd_spring_def spring = random_spring(&random, e, kind);
    ASSERT_OK(world, msd_add_springs(world, &spring, 1, NULL));
  }
  return world;
}

static double certified_step(const msd_world *world) {
  msd_stability limit;
  cr_assert_eq(msd_world_analyze_stability(world, 1, &limit), MSD_OK);
  return limit.stable_substep;
}

/* The largest (1 - rho/4) T over H_0 + C, and G over C, of a run. Without loads W is 0. */
typedef struct extremes {
  double motion, made, growth;
} extremes;

static extremes run(uint64_t seed, const network_kind *kind, msd_energy_mode energy, int substeps) {
  enum { PIECE = 10 };
  msd_world *world = random_world(seed, kind, energy);
  const double dt = kind->fraction * certified_step(world);
  const msd_stats start = msd_world_get_stats(world);
  extremes e = {0};
  for (int n = 0; n < substeps; n += PIECE) {
    ASSERT_OK(world, msd_world_step(world, (msd_real)(PIECE * dt), PIECE));
    const msd_stats now = msd_world_get_stats(world);
    const msd_energy_account account = msd_world_get_energy_account(world);
    /* H_0 as the limiter has it: a hundred credits at least, as C is a hundredth of all that there was. */
    const double had = fmax(start.kinetic_energy + start.elastic_energy, 100 * account.allowance);
    const double spare = 1 - kind->fraction * kind->fraction;
    e.motion = fmax(e.motion, spare * now.kinetic_energy / (had + account.allowance));
    e.made = fmax(e.made, account.gain / account.allowance);
    e.growth = fmax(e.growth, (now.kinetic_energy + now.elastic_energy) / had);
  }
  msd_destroy_world(world);
  return e;
}

static void assert_bounded(const network_kind *kind, int networks, int substeps) {
  for (int seed = 1; seed <= share_of(networks); seed++) {
    const extremes e = run((uint64_t)seed, kind, MSD_ENERGY_BOUNDED, substeps);
    cr_assert_leq(e.made, 1.001, "network %d made %g of its credit", seed, e.made);
    cr_assert_leq(e.motion, 1.001, "network %d moves with %g of the bound", seed, e.motion);
  }
}

Test(energy, no_undamped_network_moves_with_more_than_the_bound) {
  assert_bounded(&(network_kind){.decades = 3, .fraction = 0.98}, 30, 4000);
  assert_bounded(&(network_kind){.decades = 3, .fraction = 0.7}, 30, 4000);
}

Test(energy, nor_does_one_with_masses_and_stiffnesses_over_eight_decades) {
  assert_bounded(&(network_kind){.decades = 8, .fraction = 0.98}, 30, 4000);
}

Test(energy, nor_does_a_damped_one) {
  assert_bounded(&(network_kind){.decades = 3, .damping = 0.05, .fraction = 0.98}, 30, 4000);
}

Test(energy, nor_in_a_hundred_thousand_substeps, .disabled = in_part) {
  assert_bounded(&(network_kind){.decades = 4, .fraction = 0.98}, 2, 100000);
}

/* -------------------------------------------------------------------------------- frames of changing length */

/* The frame times of a run: each of the longest, or half of it in every second, or any. */
typedef enum frame_pattern { HALVES, RANDOM, FRAME_PATTERNS } frame_pattern;

typedef struct changing_run {
  frame_pattern pattern;
  /* A pin at which there is nothing moves in every frame; the position of one is set. */
  bool moves, sets;
} changing_run;

/* The largest (1 - rho/4) T over H_0 + C, with the rho of the longest substep: frames of 4 substeps. */
static double motion_in(uint64_t seed, const network_kind *kind, msd_energy_mode energy,
                        const changing_run *run) {
  enum { PIECE = 4, FRAMES = 1000 };
  msd_world *world = random_world(seed, kind, energy);
  generator random = {.state = seed};
  msd_particle_def lone = msd_default_particle_def();
  lone.pinned = true;
  ASSERT_OK(world, msd_add_particles(world, &lone, 1, NULL));
  const double longest = kind->fraction * certified_step(world);
  const msd_stats start = msd_world_get_stats(world);
  double most = 0;
  for (int n = 0; n < FRAMES && most < 1e6; n++) {
    const double share = run->pattern == HALVES ? 1 - n % 2 * 0.5 : 0.1 + 0.9 * uniform(&random);
    if (run->moves)
      ASSERT_OK(world, msd_particle_move_to(world, PARTICLES, random_vector(&random, 1)));
    if (run->sets)
      ASSERT_OK(world, msd_particle_set_position(world, PARTICLES, random_vector(&random, 1)));
    ASSERT_OK(world, msd_world_step(world, (msd_real)(PIECE * share * longest), PIECE));
    const double allowance = msd_world_get_energy_account(world).allowance;
    const double had = fmax(start.kinetic_energy + start.elastic_energy, 100 * allowance);
    const double spare = 1 - kind->fraction * kind->fraction;
    most = fmax(most, spare * msd_world_get_stats(world).kinetic_energy / (had + allowance));
  }
  msd_destroy_world(world);
  return most;
}

static void assert_bounded_in_changing_frames(const changing_run *run) {
  static const network_kind kinds[] = {{.decades = 3, .fraction = 0.98},
                                       {.decades = 3, .fraction = 0.7},
                                       {.decades = 3, .damping = 0.01, .fraction = 0.9}};
  for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++)
    for (int seed = 1; seed <= share_of(10); seed++) {
      const double motion = motion_in((uint64_t)seed, &kinds[k], MSD_ENERGY_BOUNDED, run);
      cr_assert_leq(motion, 1.001, "kind %d, network %d moves with %g of the bound", (int)k, seed, motion);
    }
}

Test(energy, no_network_moves_with_more_than_the_bound_in_frames_of_changing_length) {
  for (frame_pattern pattern = HALVES; pattern < FRAME_PATTERNS; pattern++)
    assert_bounded_in_changing_frames(&(changing_run){.pattern = pattern});
}

Test(energy, nor_beside_pins_that_move_in_every_frame) {
  for (frame_pattern pattern = HALVES; pattern < FRAME_PATTERNS; pattern++)
    assert_bounded_in_changing_frames(&(changing_run){.pattern = pattern, .moves = true});
}

/* The last substep before a change is work from outside, so the bound is not proven; it holds here. */
Test(energy, nor_where_a_program_sets_a_position_in_every_frame) {
  for (frame_pattern pattern = HALVES; pattern < FRAME_PATTERNS; pattern++)
    assert_bounded_in_changing_frames(&(changing_run){.pattern = pattern, .sets = true});
}

Test(energy, unbounded_networks_resonate_with_frames_of_changing_length) {
  const network_kind kind = {.decades = 3, .fraction = 0.98};
  double most = 0;
  for (uint64_t seed = 1; seed <= 3; seed++)
    most = fmax(most, motion_in(seed, &kind, MSD_ENERGY_MONITOR, &(changing_run){.pattern = HALVES}));
  cr_expect_gt(most, 1000);
}

/* Two substeps of a mode that alternate grow where (a + b)^2 > 4 + a^2 b^2, with a = omega dt: the trace of two
   step matrices. One particle of 1 kg at a spring of 1 N/m without a rest length. */
Test(energy, alternating_substeps_grow_where_the_trace_says) {
  for (int i = 1; i < 20; i++)
    for (int j = i; j < 20; j++) {
      const double a = i / 10.0, b = j / 10.0, trace = 2 - (a + b) * (a + b) + a * a * b * b;
      if (fabs(trace + 2) < 0.05)
        continue;
      msd_world_def def = msd_default_world_def();
      def.gravity = (msd_vec3){0, 0, 0};
      msd_world *world = world_from_def(&def);
      for (int n = 0; n < 2; n++) {
        msd_particle_def particle = msd_default_particle_def();
        particle.position.x = (msd_real)n;
        particle.pinned = n == 0;
        ASSERT_OK(world, msd_add_particles(world, &particle, 1, NULL));
      }
      msd_spring_def spring = msd_default_spring_def();
      spring.a = 0, spring.b = 1;
      spring.rest_length = 0;
      spring.stiffness = 1;
      ASSERT_OK(world, msd_add_springs(world, &spring, 1, NULL));
      double most = 0;
      for (int n = 0; n < 400 && most < 1e4; n++) {
        ASSERT_OK(world, msd_world_step(world, (msd_real)(n % 2 ? b : a), 1));
        const msd_stats stats = msd_world_get_stats(world);
        most = fmax(most, stats.kinetic_energy + stats.elastic_energy);
      }
      cr_expect_eq(most > 1e4, trace < -2, "%g and %g: %g J", a, b, most);
      msd_destroy_world(world);
    }
}

/* ---------------------------------------------------------------------------------------- one frame length */

/* That there is something to prove: unguarded, networks gain many times the energy that they had. */
Test(energy, unguarded_networks_gain_energy_that_guarded_ones_do_not) {
  const network_kind kind = {.decades = 3, .fraction = 0.98};
  double plain = 0, guarded = 0;
  for (uint64_t seed = 1; seed <= 10; seed++) {
    plain = fmax(plain, run(seed, &kind, MSD_ENERGY_MONITOR, 4000).made);
    guarded = fmax(guarded, run(seed, &kind, MSD_ENERGY_BOUNDED, 4000).made);
  }
  cr_expect_gt(plain, 100);
  cr_expect_leq(guarded, 1.001);
}

/* sqrt(H_n) <= sqrt(H_0) + 2 a n, with a = sqrt(rho R/(1 - sqrt(rho)/2)) and R = sum 1/2 k rest^2. */
Test(energy, plain_steps_gain_at_most_with_the_square_of_their_number) {
  const network_kind kind = {.decades = 3, .fraction = 0.98, .two_sided = true};
  for (uint64_t seed = 1; seed <= 20; seed++) {
    msd_world *world = random_world(seed, &kind, MSD_ENERGY_MONITOR);
    const double dt = kind.fraction * certified_step(world), root = 2 * kind.fraction;
    double resting = 0;
    for (int32_t e = 0; e < SPRINGS; e++) {
      const msd_spring_def def = msd_spring_get_def(world, e);
      resting += 0.5 * (double)def.stiffness * (double)def.rest_length * (double)def.rest_length;
    }
    const double a = sqrt(root * root * resting / (1 - root / 2));
    for (int n = 1; n <= 2000; n++) {
      ASSERT_OK(world, msd_world_step(world, (msd_real)dt, 1));
      const msd_energy_account account = msd_world_get_energy_account(world);
      const double begun = 100 * account.allowance;
      cr_assert_leq(sqrt(begun + account.gain), sqrt(begun) + 2 * a * n, "network %d, substep %d", (int)seed,
                    n);
    }
    msd_destroy_world(world);
  }
}

Test(energy, springs_without_a_rest_length_gain_nothing) {
  const double rounding = sizeof(msd_real) == 8 ? 1e-9 : 0.1;
  const network_kind kind = {.decades = 3, .fraction = 0.98, .two_sided = true};
  for (uint64_t seed = 1; seed <= 20; seed++) {
    msd_world *world = random_world(seed, &kind, MSD_ENERGY_MONITOR);
    for (int32_t e = 0; e < SPRINGS; e++)
      ASSERT_OK(world, msd_spring_set_rest_length(world, e, 0));
    ASSERT_OK(world, msd_world_step(world, (msd_real)(2000 * kind.fraction * certified_step(world)), 2000));
    const msd_energy_account account = msd_world_get_energy_account(world);
    cr_assert_leq(fabs(account.gain), rounding * account.allowance, "network %d: %g of %g J", (int)seed,
                  account.gain, account.allowance);
    msd_destroy_world(world);
  }
}

/* Two masses that whirl about each other at 0.98 of the limit gain without end; guarded they do not, and by
   central forces they keep what they turn with. */
static msd_world *whirling_pair(msd_energy_mode energy) {
  msd_world_def def = msd_default_world_def();
  def.gravity = (msd_vec3){0, 0, 0};
  def.energy_mode = energy;
  msd_world *world = world_from_def(&def);
  for (int i = 0; i < 2; i++) {
    msd_particle_def particle = msd_default_particle_def();
    particle.position.x = (msd_real)(i ? 0.75 : -0.75);
    particle.velocity.y = (msd_real)(i ? 5 : -5);
    ASSERT_OK(world, msd_add_particles(world, &particle, 1, NULL));
  }
  msd_spring_def spring = msd_default_spring_def();
  spring.a = 0;
  spring.b = 1;
  spring.rest_length = 1;
  spring.stiffness = 50;
  ASSERT_OK(world, msd_add_springs(world, &spring, 1, NULL));
  return world;
}

Test(energy, a_whirling_pair_keeps_its_angular_momentum_by_central_forces) {
  msd_world *world = whirling_pair(MSD_ENERGY_BOUNDED_CENTRAL);
  const double dt = 0.98 * certified_step(world);
  const double before = msd_world_get_stats(world).angular_momentum[2];
  ASSERT_OK(world, msd_world_step(world, (msd_real)(2000 * dt), 2000));
  const double after = msd_world_get_stats(world).angular_momentum[2];
  cr_expect_float_eq(after, before, 1e-3 * fabs(before), "%g became %g", before, after);
  msd_destroy_world(world);
}

Test(energy, linear_momentum_is_kept_whatever_the_guard_does) {
  msd_world *world = whirling_pair(MSD_ENERGY_BOUNDED);
  const double dt = 0.98 * certified_step(world);
  ASSERT_OK(world, msd_world_step(world, (msd_real)(20000 * dt), 20000));
  const msd_stats stats = msd_world_get_stats(world);
  for (int c = 0; c < 3; c++)
    cr_expect_float_eq(stats.momentum[c], 0, 1e-3);
  cr_expect_gt(msd_world_get_energy_account(world).bounded_substeps, 0);
  msd_destroy_world(world);
}
