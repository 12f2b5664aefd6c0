/* Rest lengths that go somewhere during a step, against those that are set before every substep, and against
   the motion of an oscillator. */
#include "tests/support/laboratory.h"
#include "tests/support/networks.h"
#include "tests/support/snapshots.h"

#include "engine/step/rest_length_track.h"
#include "engine/world/world.h"

enum { SUBSTEPS = 8, FRAMES = 3 };

static const msd_real FRAME = (msd_real)0.0078125;

static msd_world *make_with(msd_world_def def, const graph *g, bool hard_limits) {
  const making how = {.laws = LAWS_MIXED,
                      .seed = 3,
                      .pins = true,
                      .breaks = 31,
                      .soften = 4,
                      .sides = 5,
                      .hard_limits = hard_limits};
  msd_world *world = world_from_def(&def);
  populate(world, g, &how);
  return world;
}

static msd_world *make(msd_integrator integrator, const graph *g) {
  msd_world_def def = msd_default_world_def();
  def.integrator = integrator;
  return make_with(def, g, integrator == MSD_SYMPLECTIC_EULER);
}

static double rest_of(const msd_world *world, int32_t spring) {
  return (double)msd_spring_get_def(world, spring).rest_length;
}

/* Every third spring, to a length of its own, which some have already. */
static double target_of(int32_t spring, int frame) {
  return (1 + (spring + frame) % 7) / 16.0;
}

static void send_all(msd_world *world, int frame) {
  for (int32_t e = 0; e < msd_world_get_spring_count(world); e += 3)
    ok(world, msd_spring_move_rest_length_to(world, e, (msd_real)target_of(e, frame)));
}

/* To be freed. */
static double *all_rests(const msd_world *world) {
  const int32_t count = msd_world_get_spring_count(world);
  double *rests = calloc((size_t)count, sizeof *rests);
  cr_assert(rests);
  for (int32_t e = 0; e < count; e++)
    rests[e] = rest_of(world, e);
  return rests;
}

/* Substep `number`, from 1, of the same frame with rest lengths that are set by hand; `from` are those before
   the frame. */
static void substep_by_hand(msd_world *world, const double *from, int frame, int number, msd_real substep) {
  for (int32_t e = 0; e < msd_world_get_spring_count(world); e += 3) {
    const double way = target_of(e, frame) - from[e];
    ok(world, msd_spring_set_rest_length(world, e, (msd_real)(from[e] + way * number / SUBSTEPS)));
  }
  ok(world, msd_world_step(world, substep, 1));
}

static void expect_alike(const msd_world *one, const msd_world *other, const char *what) {
  cr_assert_eq(first_difference(one, other), -1, "%s", what);
  for (int32_t e = 0; e < msd_world_get_spring_count(one); e++)
    cr_assert_eq(rest_of(one, e), rest_of(other, e), "%s, spring %d", what, (int)e);
}

Test(rest_length_track, a_step_is_that_of_rest_lengths_set_before_each_substep) {
  graph g = graph_shuffled(graph_cloth(14, 11, CLOTH_BEND), 6);
  for (int i = 0; i < MSD_INTEGRATOR_COUNT; i++) {
    msd_world *world = make((msd_integrator)i, &g), *by_hand = make((msd_integrator)i, &g);
    for (int frame = 0; frame < FRAMES; frame++) {
      send_all(world, frame);
      ok(world, msd_world_step(world, FRAME, SUBSTEPS));
      double *from = all_rests(by_hand);
      for (int n = 1; n <= SUBSTEPS; n++)
        substep_by_hand(by_hand, from, frame, n, FRAME / SUBSTEPS);
      free(from);
      expect_alike(world, by_hand, msd_integrator_name((msd_integrator)i));
    }
    msd_destroy_world(world);
    msd_destroy_world(by_hand);
  }
  graph_free(&g);
}

Test(rest_length_track, threads_and_vectors_change_no_bit) {
  graph g = graph_shuffled(graph_cloth(40, 30, CLOTH_BEND), 6);
  msd_world *first = NULL;
  for (int n = 0; n < 6; n++) {
    msd_world_def def = msd_default_world_def();
    def.thread_count = 1 + n % 3;
    def.simd = n < 3 ? MSD_SIMD_WIDEST : MSD_SIMD_SCALAR;
    msd_world *world = make_with(def, &g, true);
    for (int frame = 0; frame < FRAMES; frame++) {
      send_all(world, frame);
      ok(world, msd_world_step(world, FRAME, SUBSTEPS));
    }
    if (first)
      expect_alike(first, world, "threads and vectors");
    else
      first = world;
    if (world != first)
      msd_destroy_world(world);
  }
  msd_destroy_world(first);
  graph_free(&g);
}

/* x'' = -w^2 (x - c t): x - rest = c t - (c/w) sin wt, whose speed is at most 2c. */
Test(rest_length_track, a_mass_follows_without_a_jerk_however_long_the_step) {
  enum { LONG = 4096 };
  const double c = 0.25, w = 8;
  for (int steps = 1; steps <= 64; steps *= 8) {
    const oscillator o = new_oscillator(MSD_SYMPLECTIC_EULER, physical(w * w, 0), 1, 1, 0, 0);
    for (int n = 1; n <= steps; n++) {
      const double t = (double)n / steps;
      ok(o.world, msd_spring_move_rest_length_to(o.world, 0, (msd_real)(1 + c * t)));
      step(o.world, 1.0 / steps, LONG / steps);
      cr_expect_float_eq(displacement(&o), c * t - c / w * sin(w * t), 5e-4, "%d steps, %g s", steps, t);
      cr_expect_float_eq(velocity(&o), c * (1 - cos(w * t)), 2e-3, "%d steps, %g s", steps, t);
    }
    msd_destroy_world(o.world);
  }
}

Test(rest_length_track, the_last_call_before_a_step_counts_and_one_that_sets_ends_it) {
  const oscillator o = new_oscillator(MSD_SYMPLECTIC_EULER, physical(1, 0), 1, 1, 0, 0);
  ok(o.world, msd_spring_move_rest_length_to(o.world, 0, 5));
  ok(o.world, msd_spring_move_rest_length_to(o.world, 0, (msd_real)1.3));
  cr_expect_eq(rest_of(o.world, 0), 1, "nothing goes before the step");
  step(o.world, 0.125, 3);
  cr_expect_eq(rest_of(o.world, 0), (double)(msd_real)1.3, "it is there exactly");
  step(o.world, 0.125, 3);
  cr_expect_eq(rest_of(o.world, 0), (double)(msd_real)1.3, "and stays");
  ok(o.world, msd_spring_move_rest_length_to(o.world, 0, 5));
  ok(o.world, msd_spring_set_rest_length(o.world, 0, 2));
  step(o.world, 0.125, 3);
  cr_expect_eq(rest_of(o.world, 0), 2);
  ok(o.world, msd_spring_move_rest_length_to(o.world, 0, 3));
  ok(o.world, msd_spring_break(o.world, 0));
  step(o.world, 0.125, 3);
  cr_expect(msd_spring_is_broken(o.world, 0) && msd_spring_get_tension(o.world, 0) == 0);
  msd_destroy_world(o.world);
}

static bool stop_after(void *context) {
  int *left = context;
  return (*left)-- == 0;
}

Test(rest_length_track, a_step_that_ends_early_takes_it_as_far_as_it_came) {
  const oscillator o = new_oscillator(MSD_SYMPLECTIC_EULER, physical(1, 0), 1, 1, 0, 0);
  ok(o.world, msd_spring_move_rest_length_to(o.world, 0, 2));
  cr_expect_eq(msd_world_step(o.world, -1, 1), MSD_BAD_FRAME_TIME);
  cr_expect_eq(rest_of(o.world, 0), 1, "a refused step leaves it waiting");
  int left = 3;
  ok(o.world, msd_world_set_callbacks(o.world, &(msd_callbacks){.stop = stop_after, .context = &left}));
  cr_expect_eq(msd_world_step(o.world, 1, 8), MSD_CANCELED);
  cr_expect_eq(msd_world_get_time(o.world), 0.375);
  cr_expect_eq(rest_of(o.world, 0), 1.375);
  ok(o.world, msd_world_set_callbacks(o.world, NULL));
  step(o.world, 0.5, 8);
  cr_expect_eq(rest_of(o.world, 0), 1.375, "it does not go on by itself");
  msd_destroy_world(o.world);
}

/* A rest length that lets the force become infinite in the middle of the step. */
Test(rest_length_track, a_step_that_diverges_leaves_the_rest_length_of_its_last_state) {
  const msd_real most = sizeof(msd_real) == sizeof(double) ? (msd_real)1e300 : (msd_real)1e37f;
  const oscillator o = new_oscillator(MSD_SYMPLECTIC_EULER, physical(64, 0), 1, 1, 0, 0);
  ok(o.world, msd_spring_move_rest_length_to(o.world, 0, most));
  int substeps = 0;
  cr_assert_eq(msd_world_step(o.world, 1000, 10), MSD_DIVERGED);
  substeps = (int)msd_world_get_steps(o.world);
  cr_assert(substeps < 10, "%d", substeps);
  cr_expect_float_eq(rest_of(o.world, 0) / (1 + ((double)most - 1) * substeps / 10), 1, 1e-6);
  msd_destroy_world(o.world);
}

Test(rest_length_track, a_snapshot_has_what_is_about_to_go) {
  graph g = graph_cloth(9, 9, CLOTH_SHEAR);
  msd_world *world = make(MSD_SYMPLECTIC_EULER, &g), *again = make(MSD_SYMPLECTIC_EULER, &g);
  ok(world, msd_world_step(world, FRAME, SUBSTEPS));
  const size_t bound = msd_world_get_save_bound(world);
  for (int32_t e = 0; e < msd_world_get_spring_count(world); e++)
    ok(world, msd_spring_move_rest_length_to(world, e, (msd_real)target_of(e, 1)));
  const snapshot saved = snapshot_of(world);
  cr_expect_leq(saved.size, bound);
  ok(again, msd_world_restore(again, saved.data, saved.size));
  free(saved.data);
  for (int frame = 0; frame < FRAMES; frame++) {
    ok(world, msd_world_step(world, FRAME, SUBSTEPS));
    ok(again, msd_world_step(again, FRAME, SUBSTEPS));
    cr_expect_eq(msd_world_hash(world), msd_world_hash(again));
  }
  cr_expect_eq(rest_of(again, 4), target_of(4, 1));
  msd_destroy_world(world);
  msd_destroy_world(again);
  graph_free(&g);
}

static msd_world *make_undamped(msd_energy_mode energy, const graph *g) {
  msd_world_def def = msd_default_world_def();
  def.energy_mode = energy;
  msd_world *world = world_from_def(&def);
  populate(world, g, &(making){LAWS_PHYSICAL, .seed = 3, .undamped = true});
  return world;
}

/* J: what a substep has made at all springs. */
static double made_by_last(const msd_world *world) {
  const int32_t count = msd_world_get_spring_count(world);
  double *made = calloc((size_t)count, sizeof *made), sum = 0;
  cr_assert(made);
  msd_world_add_spring_energy_gain(world, made);
  for (int32_t e = 0; e < count; e++)
    sum += made[e];
  free(made);
  return sum;
}

/* What the steps make is one thing, what comes from outside another: the account is that of the springs one by
   one, which knows nothing of where rest lengths come from, up to the beginning of the last substep. */
Test(rest_length_track, what_it_gives_is_not_made_by_the_steps) {
  graph g = graph_cloth(9, 9, CLOTH_SHEAR);
  msd_world *world = make_undamped(MSD_ENERGY_MONITOR, &g), *by_hand = make_undamped(MSD_ENERGY_OFF, &g);
  const msd_real LONG = (msd_real)0.125;
  double made = 0, last = 0;
  for (int frame = 0; frame < FRAMES; frame++) {
    send_all(world, frame);
    ok(world, msd_world_step(world, LONG, SUBSTEPS));
    double *from = all_rests(by_hand);
    for (int n = 1; n <= SUBSTEPS; n++) {
      substep_by_hand(by_hand, from, frame, n, LONG / SUBSTEPS);
      made += last;
      last = made_by_last(by_hand);
    }
    free(from);
    expect_alike(world, by_hand, "watched");
  }
  const double counted = msd_world_get_energy_account(world).gain;
  cr_expect(fabs(made) > 0.1, "%g J", made);
  cr_expect_float_eq(counted, made, 1e-3 * fabs(made), "%g J, and %g J", counted, made);
  msd_destroy_world(world);
  msd_destroy_world(by_hand);
  graph_free(&g);
}

/* Struts, tethers, damping: nothing of what rest lengths give is taken for what steps make, by which a guarded
   world would be slowed down. */
Test(rest_length_track, a_guard_lets_rest_lengths_do_their_work) {
  graph g = graph_shuffled(graph_cloth(14, 11, CLOTH_BEND), 6);
  msd_world_def def = msd_default_world_def();
  msd_world *plain = make_with(def, &g, false);
  def.energy_mode = MSD_ENERGY_BOUNDED;
  msd_world *guarded = make_with(def, &g, false);
  for (int frame = 0; frame < 20; frame++) {
    send_all(plain, frame);
    send_all(guarded, frame);
    ok(plain, msd_world_step(plain, FRAME, 4 * SUBSTEPS));
    ok(guarded, msd_world_step(guarded, FRAME, 4 * SUBSTEPS));
  }
  cr_expect_eq(msd_world_get_energy_account(guarded).bounded_substeps, 0);
  expect_alike(plain, guarded, "guarded");
  msd_destroy_world(plain);
  msd_destroy_world(guarded);
  graph_free(&g);
}

Test(rest_length_track, the_certified_step_is_the_same_as_before) {
  graph g = graph_cloth(9, 9, CLOTH_SHEAR);
  msd_world *world = make(MSD_SYMPLECTIC_EULER, &g);
  msd_stability before, behind;
  ok(world, msd_world_analyze_stability(world, FRAME, &before));
  send_all(world, 0);
  ok(world, msd_world_step(world, FRAME, SUBSTEPS));
  ok(world, msd_world_analyze_stability(world, FRAME, &behind));
  cr_expect(before.radius == behind.radius && before.certified == behind.certified);
  msd_destroy_world(world);
  graph_free(&g);
}

/* A spring of given length 1 that is pulled to 2 and yields to 1.5 has a strain at rest of a half. */
Test(rest_length_track, a_step_that_stops_at_once_leaves_what_a_yielded_spring_was_given) {
  const oscillator o = new_oscillator(MSD_SYMPLECTIC_EULER, physical(1, 0), 1e18, 1, 1, 0);
  msd_damage_def damage = msd_default_damage_def();
  damage.yield_strain = (msd_real)0.5;
  damage.plastic_rate = 1;
  ok(o.world, msd_springs_set_damage(o.world, (msd_range){0, 1}, &damage));
  step(o.world, 0.0625, 8);
  const double set = (double)msd_spring_get_plastic_strain(o.world, 0);
  cr_assert(set > 0, "%g", set);
  ok(o.world, msd_spring_move_rest_length_to(o.world, 0, 2));
  int left = 0;
  ok(o.world, msd_world_set_callbacks(o.world, &(msd_callbacks){.stop = stop_after, .context = &left}));
  cr_expect_eq(msd_world_step(o.world, 1, 8), MSD_CANCELED);
  cr_expect_eq((double)msd_spring_get_plastic_strain(o.world, 0), set);
  msd_destroy_world(o.world);
}

/* Strain is counted from where it has gone. */
Test(rest_length_track, damage_counts_from_the_new_rest_length) {
  const oscillator o = new_oscillator(MSD_SYMPLECTIC_EULER, physical(1, 0), 1e18, 1, 0.25, 0);
  msd_damage_def damage = msd_default_damage_def();
  damage.tear_strain = (msd_real)0.5;
  ok(o.world, msd_springs_set_damage(o.world, (msd_range){0, 1}, &damage));
  ok(o.world, msd_spring_move_rest_length_to(o.world, 0, (msd_real)0.875));
  step(o.world, 0.0625, 8);
  cr_expect(!msd_spring_is_broken(o.world, 0), "1.43 times as long");
  ok(o.world, msd_spring_move_rest_length_to(o.world, 0, (msd_real)0.75));
  step(o.world, 0.0625, 8);
  cr_expect(msd_spring_is_broken(o.world, 0), "1.67 times as long");
  msd_destroy_world(o.world);
}

Test(rest_length_track, what_cannot_be_a_rest_length_is_refused) {
  const oscillator o = new_oscillator(MSD_SYMPLECTIC_EULER, physical(1, 0), 1, 1, 0, 0);
  cr_expect_eq(msd_spring_move_rest_length_to(o.world, 1, 1), MSD_BAD_INDEX);
  cr_expect_eq(msd_spring_move_rest_length_to(o.world, 0, -1), MSD_BAD_VALUE);
  cr_expect_eq(msd_spring_move_rest_length_to(o.world, 0, (msd_real)NAN), MSD_BAD_VALUE);
  cr_expect(strstr(msd_world_message(o.world), "spring 0: rest_length is nan; it must be finite"), "%s",
            msd_world_message(o.world));
  cr_expect_neq(msd_spring_move_rest_length_to(NULL, 0, 1), MSD_OK);
  msd_destroy_world(o.world);
}
