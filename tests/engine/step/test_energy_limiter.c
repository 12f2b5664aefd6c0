/* The energy that steps make: measured exactly, and kept within its credit. */
#include "tests/support/kernels.h"
#include "tests/support/share.h"
#include "tests/support/snapshots.h"

#include "engine/step/energy_limiter.h"

#include <math.h>

/* --------------------------------------------------------------------------------------------- decisions */

/* A limiter that has seen 100 J, so that 1 J is its credit, and has made `made`. */
static energy_limiter limiter_that_gained(double made, msd_energy_mode energy) {
  energy_limiter limiter = {.energy = energy, .balance = 40, .least_kept = 1, .credit = 1};
  const spring_tally sum = {.energy = 40 + made, .kinetic = 60};
  const limiter_decision decision = energy_limiter_measure(&limiter, &sum, true);
  cr_assert(made > 1 || decision.answer == LIMITER_ACCEPT);
  return limiter;
}

Test(energy_limiter, a_substep_within_the_credit_stays_as_it_is) {
  energy_limiter limiter = limiter_that_gained(0.75, MSD_ENERGY_BOUNDED);
  cr_expect_eq(limiter.made, 0.75);
  cr_expect_eq(limiter.credit, 1.0);
}

Test(energy_limiter, what_is_over_the_credit_is_paid_by_the_springs_energy) {
  energy_limiter limiter = limiter_that_gained(0, MSD_ENERGY_BOUNDED);
  const spring_tally sum = {.energy = 50, .kinetic = 50};
  const limiter_decision decision = energy_limiter_measure(&limiter, &sum, true);
  cr_expect_eq(decision.answer, LIMITER_SCALE);
  cr_expect_eq(decision.turned, 0.0);
  /* s^2 A - B = sum e - X with A = sum e: 50 s^2 = 41 */
  cr_expect_float_eq(decision.kept * decision.kept * 50, 41, 1e-12);
  energy_limiter_commit(&limiter, &decision, 0, 1);
  cr_expect_float_eq(limiter.made, limiter.credit, 1e-12);
  cr_expect_eq(limiter.scaled, 1);
}

Test(energy_limiter, only_what_forces_along_the_springs_cannot_pay_turns_them) {
  energy_limiter limiter = limiter_that_gained(0, MSD_ENERGY_BOUNDED);
  const spring_tally sum = {.energy = -10, .kinetic = 50}, little = {.energy = 2, .work = 64};
  limiter.balance = -20;
  cr_assert_eq(energy_limiter_measure(&limiter, &sum, true).answer, LIMITER_NEEDS_SECOND_PASS);
  const limiter_decision decision = energy_limiter_reserve(&limiter, &little);
  cr_expect_eq(decision.kept, 0.0);
  /* 10 - 1 J are over, 2 of them along the springs: (2 theta - theta^2) 64 = 7 */
  cr_expect_float_eq((2 * decision.turned - decision.turned * decision.turned) * 64, 7, 1e-12);
  limiter.energy = MSD_ENERGY_BOUNDED_CENTRAL;
  cr_expect_eq(energy_limiter_reserve(&limiter, &little).turned, 0.0, "central forces never turn a system");
}

Test(energy_limiter, a_measured_world_is_never_scaled) {
  energy_limiter limiter = limiter_that_gained(0, MSD_ENERGY_MONITOR);
  const spring_tally sum = {.energy = 500, .kinetic = 50};
  cr_expect_eq(energy_limiter_measure(&limiter, &sum, true).answer, LIMITER_ACCEPT);
  cr_expect_eq(limiter.made, 460.0);
}

Test(energy_limiter, heat_is_no_credit_but_a_loss_that_motion_may_take_back_is) {
  energy_limiter limiter = limiter_that_gained(0, MSD_ENERGY_BOUNDED);
  const spring_tally less = {.energy = 30, .kinetic = 60}, back = {.energy = 40, .kinetic = 60};
  energy_limiter_measure(&limiter, &less, true);
  cr_expect_eq(limiter.made, -10.0);
  energy_limiter_measure(&limiter, &back, true);
  cr_expect_eq(limiter.made, 0.0);
  limiter.is_damped = true;
  energy_limiter_measure(&limiter, &less, true);
  cr_expect_eq(limiter.made, 0.0);
  cr_expect_eq(energy_limiter_measure(&limiter, &back, true).answer, LIMITER_SCALE);
}

Test(energy_limiter, what_comes_from_outside_is_not_what_the_step_has_made) {
  energy_limiter limiter = limiter_that_gained(0.5, MSD_ENERGY_BOUNDED);
  const spring_tally pulled = {.energy = 1e6, .kinetic = 60};
  cr_expect_eq(energy_limiter_measure(&limiter, &pulled, false).answer, LIMITER_ACCEPT);
  cr_expect_eq(limiter.made, 0.5);
  cr_expect_gt(limiter.credit, 1e4 * 0.99);
}

/* The springs still have what the last substep withheld, unless a change has taken it from them. */
Test(energy_limiter, a_change_gives_nothing_back_of_what_is_withheld) {
  const spring_tally sum = {.energy = 50, .kinetic = 50}, empty = {.energy = 3};
  energy_limiter limiter = limiter_that_gained(0, MSD_ENERGY_BOUNDED);
  const limiter_decision decision = energy_limiter_measure(&limiter, &sum, true);
  energy_limiter_commit(&limiter, &decision, 0, 1);
  energy_limiter changed = limiter;
  cr_expect_eq(energy_limiter_measure(&changed, &sum, false).answer, LIMITER_SCALE);
  cr_expect_float_eq(changed.made, 10, 1e-12);
  changed = limiter;
  energy_limiter_measure(&changed, &empty, false);
  cr_expect_float_eq(changed.made, 3, 1e-12);
}

Test(energy_limiter, energies_beyond_all_numbers_are_not_kept) {
  energy_limiter limiter = limiter_that_gained(0.5, MSD_ENERGY_BOUNDED);
  const spring_tally beyond = {.energy = INFINITY, .work = INFINITY, .kinetic = 60},
                     sum = {.energy = 50, .kinetic = 60};
  limiter_decision decision = energy_limiter_measure(&limiter, &beyond, true);
  cr_expect_eq(decision.answer, LIMITER_ACCEPT);
  energy_limiter_commit(&limiter, &decision, beyond.work, 1);
  cr_expect(limiter.is_lost && isfinite(limiter.balance) && limiter.made == 0.5 && limiter.credit == 1);
  decision = energy_limiter_measure(&limiter, &sum, true);
  cr_expect(!limiter.is_lost && limiter.made == 0.5, "the balance starts again");
  energy_limiter_commit(&limiter, &decision, -INFINITY, 1);
  cr_expect(limiter.is_lost && isfinite(limiter.balance));
}

/* ----------------------------------------------------------------------------------------------- identity */

static msd_world *watched_world(msd_energy_mode energy, int threads, msd_simd simd) {
  msd_world_def def = msd_default_world_def();
  def.energy_mode = energy;
  def.thread_count = threads;
  def.simd = simd;
  def.gravity = (msd_vec3){0, -1, 0};
  return world_from_def(&def);
}

/* Undamped springs between random particles, some pinned. Every `one_sided`th, 0: none, only pulls or only
   pushes. */
static msd_world *undamped_world_of(msd_energy_mode energy, uint64_t seed, int one_sided) {
  generator random = {.state = seed};
  msd_world *world = watched_world(energy, 1, MSD_SIMD_WIDEST);
  for (int32_t i = 0; i < 40; i++) {
    msd_particle_def def = msd_default_particle_def();
    def.position = random_vector(&random, 1);
    def.velocity = random_vector(&random, 1);
    def.mass = (msd_real)(1 + random_below(&random, 64)) / 8;
    def.pinned = i % 13 == 0;
    def.velocity = def.pinned ? (msd_vec3){0, 0, 0} : def.velocity;
    ASSERT_OK(world, msd_add_particles(world, &def, 1, NULL));
  }
  for (int32_t e = 0; e < 120; e++) {
    msd_spring_def def = msd_default_spring_def();
    def.a = random_below(&random, 40);
    def.b = (def.a + 1 + random_below(&random, 39)) % 40;
    def.rest_length = e % 10 == 0 ? 0 : (msd_real)(1 + random_below(&random, 16)) / 8;
    def.stiffness = (msd_real)(1 + random_below(&random, 256));
    if (one_sided > 0 && e % one_sided == 0)
      def.mode = e % 2 == 0 ? MSD_SPRING_TENSION_ONLY : MSD_SPRING_COMPRESSION_ONLY;
    ASSERT_OK(world, msd_add_springs(world, &def, 1, NULL));
  }
  return world;
}

static msd_world *undamped_world(msd_energy_mode energy, uint64_t seed) {
  return undamped_world_of(energy, seed, 0);
}

/* Every third free particle is caught by others or by a pin, before it is where it began. */
static void add_hard_limits(msd_world *world) {
  for (int32_t i = 1; i < 40; i += 3) {
    msd_spring_def def = msd_default_spring_def();
    def.law = MSD_SPRING_HARD_LIMIT;
    def.mode = i % 2 ? MSD_SPRING_TENSION_ONLY : MSD_SPRING_COMPRESSION_ONLY;
    def.a = i % 4 ? i : 13 * (i % 3);
    def.b = i % 4 ? (i + 7) % 40 : i;
    def.ck = (msd_real)(1 + i % 4) / 4;
    ASSERT_OK(world, msd_add_springs(world, &def, 1, NULL));
  }
}

Test(energy_limiter, a_world_of_such_energies_can_be_saved_and_restored) {
  msd_world *world = undamped_world(MSD_ENERGY_BOUNDED, 3);
  const msd_real far = sizeof(msd_real) == 8 ? (msd_real)1e160 : (msd_real)1e25;
  ASSERT_OK(world, msd_particle_set_position(world, 1, (msd_vec3){far, 0, 0}));
  msd_world_step(world, (msd_real)1e-6, 2);
  const snapshot s = snapshot_of(world);
  ASSERT_OK(world, msd_world_restore(world, s.data, s.size));
  free(s.data);
  msd_destroy_world(world);
}

static double stable_step(const msd_world *world) {
  msd_stability limit;
  cr_assert_eq(msd_world_analyze_stability(world, 1, &limit), MSD_OK);
  return limit.stable_substep;
}

static void put_direction(const msd_world *world, const msd_spring_def *spring, double d[4]) {
  const msd_vec3 a = msd_particle_get_position(world, spring->a),
                 b = msd_particle_get_position(world, spring->b);
  d[0] = (double)a.x - (double)b.x;
  d[1] = (double)a.y - (double)b.y;
  d[2] = (double)a.z - (double)b.z;
  d[3] = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
}

static bool has_free_end(const msd_spring_def *spring) {
  return spring->a % 13 != 0 || spring->b % 13 != 0;
}

/* What the springs leave behind between two states: -(k L/2) (l1 - l0) (1 - cos of the turn). */
static double made_between(const msd_world *world, double (*before)[4], double (*after)[4]) {
  double made = 0;
  for (int32_t e = 0; e < 120; e++) {
    const msd_spring_def def = msd_spring_get_def(world, e);
    const double *p = before[e], *q = after[e];
    const double cosine = (p[0] * q[0] + p[1] * q[1] + p[2] * q[2]) / (p[3] * q[3]);
    const double gain = -(double)def.stiffness * (double)def.rest_length / 2 * (q[3] - p[3]) * (1 - cosine);
    made += has_free_end(&def) ? gain : 0;
  }
  return made;
}

/* A ball in the middle that the particles come to, and a floor. */
static void add_colliders(msd_world *world) {
  msd_collider_def defs[2] = {msd_default_collider_def(), msd_default_collider_def()};
  defs[0].kind = MSD_COLLIDER_SPHERE;
  defs[0].radius = (msd_real)0.25;
  defs[0].position = msd_particle_get_position(world, 20);
  defs[1].position.y = (msd_real)0.5;
  ASSERT_OK(world, msd_add_colliders(world, defs, 2, NULL));
}

/* What a longer substep adds to the energies of springs, by the formula of balance_changes.h. */
static double made_by_change(const msd_world *world, double longer) {
  double made = 0;
  for (int32_t e = 0; e < 120; e++) {
    const msd_spring_def def = msd_spring_get_def(world, e);
    const msd_vec3 a = msd_particle_get_position(world, def.a), b = msd_particle_get_position(world, def.b);
    const msd_vec3 v = msd_particle_get_velocity(world, def.a), w = msd_particle_get_velocity(world, def.b);
    const double d[3] = {(double)a.x - (double)b.x, (double)a.y - (double)b.y, (double)a.z - (double)b.z};
    const double u[3] = {(double)v.x - (double)w.x, (double)v.y - (double)w.y, (double)v.z - (double)w.z};
    const double length = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    const double rate = length > 0 ? (d[0] * u[0] + d[1] * u[1] + d[2] * u[2]) / length : 0;
    const double gain = -longer / 2 * (double)def.stiffness * (length - (double)def.rest_length) * rate;
    made += has_free_end(&def) ? gain : 0;
  }
  return made;
}

/* Frames of three lengths, pins that move in each, and in every fifth a program that sets what there is. */
Test(energy_limiter, frames_of_changing_length_and_moving_pins_are_measured) {
  const double rounding = sizeof(msd_real) == 8 ? 1e-12 : 1e-4;
  for (uint64_t seed = 1; seed <= (uint64_t)share_of(20); seed++) {
    msd_world *world = undamped_world(MSD_ENERGY_MONITOR, seed);
    generator random = {.state = seed};
    for (int32_t e = 0; e < 120; e++) {
      const msd_spring_def def = msd_spring_get_def(world, e);
      if (!has_free_end(&def))
        ASSERT_OK(world, msd_spring_break(world, e));
    }
    const double longest = 0.7 * stable_step(world);
    double directions[2][120][4], made = 0, last = 0;
    for (int n = 0; n < 300; n++) {
      const double dt = (double)(msd_real)(longest / (1 + random_below(&random, 3)));
      const bool is_set = n % 5 == 4;
      for (int32_t e = 0; e < 120; e++) {
        const msd_spring_def def = msd_spring_get_def(world, e);
        put_direction(world, &def, directions[n % 2][e]);
      }
      made += n > 0 && !is_set ? made_between(world, directions[(n + 1) % 2], directions[n % 2]) : 0;
      made += n > 0 ? made_by_change(world, dt - last) : 0;
      if (is_set)
        ASSERT_OK(world, msd_particle_set_velocity(world, 1, msd_particle_get_velocity(world, 1)));
      for (int32_t i = 0; i < 40; i += 13) {
        const msd_vec3 from = msd_particle_get_position(world, i), way = random_vector(&random, (msd_real)dt);
        ASSERT_OK(world,
                  msd_particle_move_to(world, i, (msd_vec3){from.x + way.x, from.y + way.y, from.z + way.z}));
      }
      ASSERT_OK(world, msd_world_step(world, (msd_real)dt, 1));
      last = dt;
      const msd_energy_account account = msd_world_get_energy_account(world);
      cr_assert_float_eq(account.gain, made, rounding * (100 * account.allowance + fabs(made)) * (n + 1),
                         "seed %d, substep %d: %g of %g J", (int)seed, n, account.gain, made);
    }
    msd_destroy_world(world);
  }
}

static void assert_measured(bool has_hard_limits, bool has_colliders) {
  const double rounding = sizeof(msd_real) == 8 ? 1e-12 : 1e-4;
  for (uint64_t seed = 1; seed <= (uint64_t)share_of(20); seed++) {
    msd_world *world = undamped_world(MSD_ENERGY_MONITOR, seed);
    if (has_hard_limits)
      add_hard_limits(world);
    if (has_colliders)
      add_colliders(world);
    const double dt = 0.7 * stable_step(world);
    double directions[2][120][4], made = 0;
    int touched = 0;
    for (int n = 0; n < 300; n++) {
      for (int32_t e = 0; e < 120; e++) {
        const msd_spring_def def = msd_spring_get_def(world, e);
        put_direction(world, &def, directions[n % 2][e]);
      }
      made += n > 0 ? made_between(world, directions[(n + 1) % 2], directions[n % 2]) : 0;
      ASSERT_OK(world, msd_world_step(world, (msd_real)dt, 1));
      const msd_energy_account account = msd_world_get_energy_account(world);
      const double all = 100 * account.allowance;
      touched += msd_world_get_stats(world).contacts;
      cr_assert_float_eq(account.gain, made, rounding * all * (n + 1), "seed %d, substep %d: %g of %g J",
                         (int)seed, n, account.gain, made);
    }
    cr_expect(!has_colliders || touched > 20, "seed %d: %d contacts", (int)seed, touched);
    msd_destroy_world(world);
  }
}

Test(energy_limiter, what_each_spring_makes_adds_up_to_what_the_world_makes) {
  const double rounding = sizeof(msd_real) == 8 ? 1e-12 : 1e-4;
  for (uint64_t seed = 1; seed <= (uint64_t)share_of(20); seed++) {
    msd_world *world = undamped_world_of(MSD_ENERGY_MONITOR, seed, 3);
    const double dt = 0.5 * stable_step(world);
    double made[120] = {0}, sum = 0;
    msd_world_add_spring_energy_gain(world, made);
    cr_assert_eq(made[0], 0, "nothing before the first step");
    ASSERT_OK(world, msd_spring_break(world, 7));
    ASSERT_OK(world, msd_world_step(world, (msd_real)dt, 1));
    for (int n = 0; n < 300; n++) {
      double of_springs[120] = {0};
      msd_world_add_spring_energy_gain(world, of_springs);
      for (int e = 0; e < 120; e++)
        sum += of_springs[e];
      cr_assert_eq(of_springs[7], 0, "it is broken");
      ASSERT_OK(world, msd_world_step(world, (msd_real)dt, 1));
      const msd_energy_account account = msd_world_get_energy_account(world);
      cr_assert_float_eq(account.gain, sum, rounding * 100 * account.allowance * (n + 1),
                         "seed %d, substep %d: %g of %g J", (int)seed, n, account.gain, sum);
    }
    msd_destroy_world(world);
  }
}

Test(energy_limiter, what_is_measured_is_what_springs_make_that_turn_while_they_shorten) {
  assert_measured(false, false);
}

Test(energy_limiter, what_hard_limits_do_is_work_from_outside) {
  assert_measured(true, false);
}

Test(energy_limiter, what_colliders_do_is_work_from_outside) {
  assert_measured(false, true);
  assert_measured(true, true);
}

/* ------------------------------------------------------------------------------------ bits and schedules */

static void assert_same(const msd_world *one, const msd_world *other, const char *what) {
  cr_assert_eq(first_difference(one, other), -1, "%s", what);
  const msd_energy_account a = msd_world_get_energy_account(one), b = msd_world_get_energy_account(other);
  cr_assert_eq(memcmp(&a.gain, &b.gain, sizeof a.gain), 0, "%s: made %.17g and %.17g J", what, a.gain,
               b.gain);
  cr_assert_eq(memcmp(&a.allowance, &b.allowance, sizeof a.allowance), 0, "%s: %.17g and %.17g J", what,
               a.allowance, b.allowance);
  cr_assert_eq(a.bounded_substeps, b.bounded_substeps, "%s", what);
}

static msd_world *watched_graph(const graph *g, msd_energy_mode energy, int threads, msd_simd simd,
                                int32_t sides) {
  msd_world *world = watched_world(energy, threads, simd);
  populate(world, g,
           &(making){LAWS_MIXED, .seed = 7, .pins = true, .breaks = 11, .soften = 16, .sides = sides});
  return world;
}

Test(energy_limiter, measuring_moves_nothing) {
  named_graph list[ALL_GRAPHS];
  make_all_graphs(list);
  for (int n = 0; n < ALL_GRAPHS; n++)
    for (int32_t sides = 0; sides <= 3; sides += 3) {
      msd_world *plain = watched_graph(&list[n].graph, MSD_ENERGY_OFF, 1, MSD_SIMD_WIDEST, sides);
      msd_world *measured = watched_graph(&list[n].graph, MSD_ENERGY_MONITOR, 2, MSD_SIMD_WIDEST, sides);
      ASSERT_OK(plain, msd_world_step(plain, (msd_real)0.0625, 16));
      ASSERT_OK(measured, msd_world_step(measured, (msd_real)0.0625, 16));
      cr_assert_eq(first_difference(plain, measured), -1, "%s", list[n].name);
      msd_destroy_world(plain);
      msd_destroy_world(measured);
    }
  free_all_graphs(list);
}

/* In one call and one by one, the second half behind a snapshot. */
static void step_guarded(msd_world *world, double dt, bool one_by_one) {
  for (int n = 0; n < (one_by_one ? 64 : 2); n++) {
    const int substeps = one_by_one ? 1 : 32;
    /* Each call takes substeps of the same length, to the bit. */
    ASSERT_OK(world, msd_world_step(world, (msd_real)substeps * (msd_real)dt, substeps));
    if (one_by_one && n == 31) {
      snapshot s = snapshot_of(world);
      ASSERT_OK(world, msd_world_restore(world, s.data, s.size));
      free(s.data);
    }
  }
}

/* Undamped, near the limit, and far from rest. */
static msd_world *violent_world(const graph *g, int threads, msd_simd simd, int32_t sides) {
  msd_world *world = watched_world(MSD_ENERGY_BOUNDED, threads, simd);
  populate(world, g, &(making){LAWS_PHYSICAL, .seed = 7, .breaks = 11, .sides = sides, .undamped = true});
  return world;
}

Test(energy_limiter, a_guarded_world_has_the_same_bits_with_any_threads_widths_calls_and_snapshots) {
  static const msd_simd widths[] = {MSD_SIMD_WIDEST, MSD_SIMD_128, MSD_SIMD_256, MSD_SIMD_512};
  named_graph list[ALL_GRAPHS];
  make_all_graphs(list);
  int64_t guarded = 0;
  for (int n = 0; n < ALL_GRAPHS; n++)
    for (int32_t sides = 0; sides <= 3; sides += 3) {
      msd_world *reference = violent_world(&list[n].graph, 1, MSD_SIMD_SCALAR, sides);
      const double dt = fmin(0.98 * stable_step(reference), 0.0625);
      step_guarded(reference, dt, false);
      guarded += msd_world_get_energy_account(reference).bounded_substeps;
      for (int way = 0; way < 4; way++) {
        msd_world *world = violent_world(&list[n].graph, 1 + way, widths[way], sides);
        step_guarded(world, dt, way % 2 == 1);
        assert_same(reference, world, list[n].name);
        msd_destroy_world(world);
      }
      msd_destroy_world(reference);
    }
  cr_expect_gt(guarded, 100, "the limiter acted in %d substeps", (int)guarded);
  free_all_graphs(list);
}

/* Larger than the caches: several substeps in one pass through memory, while the limiter does not act. */
Test(energy_limiter, a_large_world_has_the_same_account_in_one_call_and_in_many) {
  graph cloth = graph_cloth(448, 448, CLOTH_SHEAR);
  for (int energy = MSD_ENERGY_MONITOR; energy <= MSD_ENERGY_BOUNDED; energy++) {
    msd_world *one = watched_world((msd_energy_mode)energy, 2, MSD_SIMD_WIDEST);
    msd_world *many = watched_world((msd_energy_mode)energy, 1, MSD_SIMD_WIDEST);
    const making m = {LAWS_PHYSICAL, .seed = 3, .pins = true};
    populate(one, &cloth, &m);
    populate(many, &cloth, &m);
    ASSERT_OK(one, msd_world_step(one, (msd_real)8 / 256, 8));
    for (int n = 0; n < 8; n++)
      ASSERT_OK(many, msd_world_step(many, (msd_real)1 / 256, 1));
    assert_same(one, many, "large cloth");
    msd_destroy_world(one);
    msd_destroy_world(many);
  }
  graph_free(&cloth);
}

/* ------------------------------------------------------------------------------------------------- outside */

Test(energy_limiter, a_particle_that_is_put_elsewhere_is_work_from_outside) {
  msd_world *world = undamped_world(MSD_ENERGY_BOUNDED, 5);
  const double dt = 0.25 * stable_step(world);
  ASSERT_OK(world, msd_world_step(world, (msd_real)(4 * dt), 4));
  ASSERT_OK(world, msd_particle_set_position(world, 1, (msd_vec3){50, 50, 50}));
  ASSERT_OK(world, msd_world_step(world, (msd_real)dt, 1));
  const msd_energy_account account = msd_world_get_energy_account(world);
  cr_expect_leq(account.gain, account.allowance);
  cr_expect_eq(account.bounded_substeps, 0);
  cr_expect_gt(account.allowance, 0.01 * 1000, "the springs that were pulled are energy that there is");
  msd_destroy_world(world);
}

Test(energy_limiter, rest_lengths_that_are_set_are_work_from_outside) {
  msd_world *world = undamped_world(MSD_ENERGY_BOUNDED, 5);
  const double dt = 0.25 * stable_step(world);
  ASSERT_OK(world, msd_world_step(world, (msd_real)(4 * dt), 4));
  for (int32_t s = 0; s < 120; s++)
    ASSERT_OK(world, msd_spring_set_rest_length(world, s, 20));
  ASSERT_OK(world, msd_world_step(world, (msd_real)dt, 1));
  const msd_energy_account account = msd_world_get_energy_account(world);
  cr_expect_eq(account.bounded_substeps, 0, "%g of %g J", account.gain, account.allowance);
  cr_expect_gt(account.allowance, 0.01 * 1000, "the springs that were set are energy that there is");
  msd_destroy_world(world);
}

/* Constraints take their share of the stiffness that a step can carry from the stiffest springs. */
Test(energy_limiter, springs_that_give_way_to_constraints_are_work_from_outside) {
  msd_world *world = watched_world(MSD_ENERGY_BOUNDED, 1, MSD_SIMD_WIDEST);
  for (int32_t i = 0; i < 3; i++) {
    msd_particle_def def = msd_default_particle_def();
    def.position = (msd_vec3){(msd_real)i, (msd_real)(i % 2), 0};
    ASSERT_OK(world, msd_add_particles(world, &def, 1, NULL));
  }
  for (int32_t i = 0; i < 2; i++) {
    msd_spring_def def = msd_default_spring_def();
    def.a = i, def.b = i + 1;
    def.rest_length = 1;
    def.law = MSD_SPRING_COEFFICIENT;
    def.cd = 0;
    ASSERT_OK(world, msd_add_springs(world, &def, 1, NULL));
  }
  ASSERT_OK(world, msd_world_step(world, (msd_real)0.0625, 16));
  msd_constraint_def angle = msd_default_constraint_def();
  for (int32_t corner = 0; corner < 3; corner++)
    angle.particles[corner] = corner;
  angle.law = MSD_SPRING_COEFFICIENT;
  angle.ck = (msd_real)0.5;
  ASSERT_OK(world, msd_add_constraints(world, &angle, 1, NULL));
  const msd_energy_account before = msd_world_get_energy_account(world);
  ASSERT_OK(world, msd_world_step(world, (msd_real)0.00390625, 1));
  const msd_energy_account account = msd_world_get_energy_account(world);
  cr_expect_lt(fabs(account.gain - before.gain), 0.1 * before.allowance, "%g, then %g of %g J", before.gain,
               account.gain, account.allowance);
  msd_destroy_world(world);
}

Test(energy_limiter, an_soft_pin_that_drags_a_particle_is_work_from_outside) {
  msd_world *world = watched_world(MSD_ENERGY_MONITOR, 1, MSD_SIMD_WIDEST);
  graph rope = graph_rope(20, false);
  populate(world, &rope, &(making){.laws = LAWS_PHYSICAL});
  msd_soft_pin_def def = msd_default_soft_pin_def();
  def.particle = 0;
  def.stiffness = 1000;
  ASSERT_OK(world, msd_add_soft_pins(world, &def, 1, NULL));
  for (int frame = 1; frame <= 100; frame++) {
    ASSERT_OK(world, msd_soft_pin_move_to(world, 0, (msd_vec3){0, (msd_real)frame / 32, 0}));
    ASSERT_OK(world, msd_world_step(world, (msd_real)0.0625, 16));
  }
  const msd_energy_account account = msd_world_get_energy_account(world);
  cr_expect_lt(account.gain, 0.1 * account.allowance, "%g of %g J", account.gain, account.allowance);
  graph_free(&rope);
  msd_destroy_world(world);
}

Test(energy_limiter, other_integrators_are_refused_by_name) {
  msd_world *world = watched_world(MSD_ENERGY_BOUNDED, 1, MSD_SIMD_WIDEST);
  cr_expect_eq(msd_world_set_integrator(world, MSD_RK4), MSD_BAD_VALUE);
  cr_expect_not_null(strstr(msd_world_message(world), "needs integrator \"symplectic_euler\", not \"rk4\""));
  ASSERT_OK(world, msd_world_set_energy_mode(world, MSD_ENERGY_OFF));
  ASSERT_OK(world, msd_world_set_integrator(world, MSD_RK4));
  cr_expect_eq(msd_world_set_energy_mode(world, MSD_ENERGY_MONITOR), MSD_BAD_VALUE);
  cr_expect_not_null(strstr(msd_world_message(world), "needs integrator \"symplectic_euler\", not \"rk4\""));
  cr_expect_eq(msd_world_set_energy_mode(world, MSD_ENERGY_MODE_COUNT), MSD_BAD_VALUE);
  cr_expect_eq(msd_world_get_energy_mode(world), MSD_ENERGY_OFF);
  msd_destroy_world(world);
}
