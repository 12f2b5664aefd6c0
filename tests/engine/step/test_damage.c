/* What strain makes of springs: plasticity, tearing, stiffening and strain limits, against theory. */
#include "tests/support/laboratory.h"
#include "tests/support/networks.h"
#include "tests/support/snapshots.h"

#include "engine/step/damage.h"
#include "engine/world/world.h"

static msd_damage_def damage_of(double tear_strain, double yield_strain) {
  msd_damage_def def = msd_default_damage_def();
  def.tear_strain = (msd_real)tear_strain;
  def.yield_strain = (msd_real)yield_strain;
  return def;
}

static void set_damage(msd_world *world, int32_t first, int32_t count, msd_damage_def def) {
  ok(world, msd_springs_set_damage(world, (msd_range){first, count}, &def));
}

static void set_all(msd_world *world, msd_damage_def def) {
  set_damage(world, 0, msd_world_get_spring_count(world), def);
}

/* A spring of 100 N/m between a pin and a mass that is so large that no step moves it: it is put where the
   length is to be taken. */
static msd_world *bench_of(double rest) {
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  add_pin(world, 0, 0, 0);
  add_particle(world, 1e18, rest, 0, 0);
  add_spring(world, physical(100, 0), 0, 1, rest);
  return world;
}

static void lead_to(msd_world *world, double length) {
  ok(world, msd_particle_set_position(world, 1, (msd_vec3){(msd_real)length, 0, 0}));
  set_velocity(world, 1, 0, 0, 0);
  step(world, 0.0009765625, 8);
}

static double rest_of(const msd_world *world, int32_t spring) {
  return (double)msd_spring_get_def(world, spring).rest_length;
}

/* ---------------------------------------------------------------------------------------------- plasticity */

/* Ideal plasticity: the force never stays above k Y, and what is left is the largest strain less the yield. */
Test(damage, loading_and_unloading_leave_the_permanent_set_of_theory) {
  msd_world *world = bench_of(2);
  set_all(world, damage_of(0, 0.125));
  lead_to(world, 2.125); /* elastic */
  cr_expect_eq(rest_of(world, 0), 2);
  cr_expect_eq(msd_spring_get_plastic_strain(world, 0), 0);
  for (int n = 1; n <= 8; n++) {
    lead_to(world, 2.25 + n * 0.0625);
    cr_expect_float_eq(rest_of(world, 0), 2 + n * 0.0625, 8 * EPSILON);
    cr_expect_float_eq((double)msd_spring_get_tension(world, 0), 100 * 0.25, 4000 * EPSILON);
  }
  cr_expect_float_eq(msd_spring_get_plastic_strain(world, 0), 0.25, 8 * EPSILON);
  for (int n = 0; n < 8; n++) { /* unloading is elastic, down to the yield in compression */
    lead_to(world, 2.75 - n * 0.0625);
    cr_expect_float_eq(rest_of(world, 0), 2.5, 8 * EPSILON);
  }
  lead_to(world, 2.0);
  cr_expect_float_eq(rest_of(world, 0), 2.25, 8 * EPSILON);
  cr_expect_eq(msd_world_get_stats(world).yielded, 1);
  msd_destroy_world(world);
}

/* At a given length the excess falls by exp(-rate time), at any frame rate. */
Test(damage, creep_takes_its_share_of_what_is_beyond_in_each_second) {
  static const int rates[] = {8, 24, 60, 240, 1000};
  for (size_t k = 0; k < sizeof rates / sizeof *rates; k++) {
    msd_world *world = bench_of(2);
    msd_damage_def def = damage_of(0, 0.0625);
    def.plastic_rate = 3;
    set_all(world, def);
    ok(world, msd_particle_pin(world, 1));
    ok(world, msd_particle_set_position(world, 1, (msd_vec3){3, 0, 0}));
    for (int n = 0; n < rates[k] / 2; n++)
      step(world, 1.0 / rates[k], 3);
    const double beyond = (1 - 0.125) * exp(-3 * 0.5); /* |l - rest| - yield */
    cr_expect_float_eq(3 - rest_of(world, 0), 0.125 + beyond, 400 * EPSILON, "%d frames/s", rates[k]);
    msd_destroy_world(world);
  }
}

/* A weight that hangs on what creeps sinks at a rate times the excess of its strain. */
Test(damage, a_load_that_creeps_sinks_as_far_at_any_frame_rate) {
  static const int rates[] = {24, 60, 240};
  for (size_t k = 0; k < sizeof rates / sizeof *rates; k++) {
    msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
    ok(world, msd_world_set_gravity(world, (msd_vec3){10, 0, 0}));
    add_pin(world, 0, 0, 0);
    add_particle(world, 1, 1.1, 0, 0);
    add_spring(world, physical(100, 2), 0, 1, 1);
    msd_damage_def def = damage_of(0, 0.05);
    def.plastic_rate = (msd_real)1.2;
    set_all(world, def);
    for (int n = 0; n < 2 * rates[k]; n++)
      ok(world, msd_world_step(world, (msd_real)(1.0 / rates[k]), 480 / rates[k]));
    const double rate = 1.2, error = (10 + rate * 2 * 0.05) / (100 + rate * 2); /* k C + mu dC/dt = m g */
    const double flowed = rate * (error - 0.05) * 2;
    cr_expect_float_eq(rest_of(world, 0) - 1, flowed, 0.02 * flowed, "%g m at %d frames/s, not %g",
                       rest_of(world, 0) - 1, rates[k], flowed);
    msd_destroy_world(world);
  }
}

Test(damage, hardening_ends_the_flow_both_ways) {
  msd_world *world = bench_of(2);
  msd_damage_def def = damage_of(0, 0.0625);
  def.max_plastic_strain = (msd_real)0.25;
  set_all(world, def);
  lead_to(world, 4);
  cr_expect_eq(rest_of(world, 0), 2.5);
  lead_to(world, 0.25);
  cr_expect_eq(rest_of(world, 0), 1.5);
  msd_destroy_world(world);
}

/* A limit that is set later may be behind the rest length: what yields goes no further from it then, and never
   away from its length, which would take work. */
Test(damage, a_limit_below_what_has_yielded_gives_no_energy) {
  msd_world *world = bench_of(2);
  msd_damage_def def = damage_of(0, 0.0625);
  set_all(world, def);
  lead_to(world, 4);
  cr_assert_eq(rest_of(world, 0), 3.875);
  def.max_plastic_strain = (msd_real)0.25;
  set_all(world, def);
  lead_to(world, 4.5);
  cr_expect_eq(rest_of(world, 0), 3.875);
  lead_to(world, 0.25);
  cr_expect_eq(rest_of(world, 0), 1.5);
  lead_to(world, 4.5);
  cr_expect_eq(rest_of(world, 0), 2.5);
  msd_destroy_world(world);
}

/* Pins can be further apart than a number says. */
Test(damage, no_rest_length_becomes_infinite) {
  const double most = sizeof(msd_real) == sizeof(double) ? DBL_MAX : (double)FLT_MAX;
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  add_pin(world, -most, 0, 0);
  add_pin(world, most, 0, 0);
  add_spring(world, physical(100, 0), 0, 1, 2);
  set_all(world, damage_of(0, 0.0625));
  step(world, 0.0009765625, 8);
  cr_expect_eq(rest_of(world, 0), 2);
  msd_destroy_world(world);
}

Test(damage, slack_tethers_and_springs_without_a_rest_length_do_not_yield) {
  msd_world *world = bench_of(2);
  msd_spring_def tether = physical(100, 0);
  tether.mode = MSD_SPRING_TENSION_ONLY;
  add_spring(world, tether, 0, 1, 2);
  add_spring(world, physical(100, 0), 0, 1, 0);
  set_all(world, damage_of(0.5, 0.0625));
  lead_to(world, 1);
  cr_expect_float_eq(rest_of(world, 0), 1.125, 8 * EPSILON);
  cr_expect_eq(rest_of(world, 1), 2);
  cr_expect_eq(rest_of(world, 2), 0);
  cr_expect_not(msd_spring_is_broken(world, 2));
  msd_destroy_world(world);
}

/* ------------------------------------------------------------------------------------------------- tearing */

/* n springs in a row, one of half the stiffness, of which each end is led apart slowly: that one has twice the
   strain of the others, and is the one to tear, when it has come to the given stretch. */
Test(damage, a_chain_in_slow_tension_tears_where_and_when_theory_says) {
  enum { SPRINGS = 12, WEAK = 7 };
  const double strain = 0.25;
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  for (int i = 0; i <= SPRINGS; i++)
    add_particle(world, 0.5, i, 0, 0);
  ok(world, msd_particle_pin(world, 0));
  ok(world, msd_particle_pin(world, SPRINGS));
  for (int i = 0; i < SPRINGS; i++)
    add_spring(world, physical(i == WEAK ? 500 : 1000, 20), i, i + 1, 1);
  set_all(world, damage_of(strain, 0));
  const double expected = SPRINGS + strain + (SPRINGS - 1) * strain / 2;
  double end = SPRINGS;
  while (msd_world_get_stats(world).torn == 0 && end < 2 * SPRINGS) {
    end += 0.002;
    ok(world, msd_particle_move_to(world, SPRINGS, (msd_vec3){(msd_real)end, 0, 0}));
    step(world, 0.0625, 16);
  }
  cr_expect(msd_spring_is_torn(world, WEAK) && msd_spring_is_broken(world, WEAK));
  cr_expect_float_eq(end, expected, 0.01, "%g, not %g", end, expected);
  for (int n = 0; n < 100; n++)
    step(world, 0.0625, 16);
  cr_expect_eq(msd_world_get_stats(world).torn, 1);
  cr_expect_eq(msd_world_get_stats(world).broken, 1);
  msd_destroy_world(world);
}

/* A mass on a spring at kappa = 4: with the velocity kappa/2 x it is as far on either side of the rest length
   in turns. */
Test(damage, a_vibration_tears_nothing_and_what_lasts_does) {
  for (int substeps = 2; substeps <= 40; substeps += 2) {
    oscillator o = new_oscillator(MSD_SYMPLECTIC_EULER, physical(4 * 0.999, 0), 1, 2, 0.75, 1.5);
    set_damage(o.world, 0, 1, damage_of(0.25, 0));
    double most = 0;
    for (int n = 0; n < 6; n++) {
      step(o.world, substeps, substeps);
      most = largest(most, fabs(displacement(&o)));
    }
    cr_expect_not(msd_spring_is_torn(o.world, 0), "%d substeps", substeps);
    cr_expect_gt(most, 0.5); /* beyond 1.25 times 2 m at every second substep */
    ok(o.world, msd_particle_set_position(o.world, 1, (msd_vec3){3, 0, 0}));
    ok(o.world, msd_particle_pin(o.world, 1));
    step(o.world, substeps, substeps);
    cr_expect(msd_spring_is_torn(o.world, 0), "%d substeps", substeps);
    msd_destroy_world(o.world);
  }
}

/* A pin that goes straight tears by the mean of the last two lengths of the frame, which is the
   largest. */
Test(damage, what_tears_is_the_largest_mean_of_two_substeps) {
  for (int before = 0; before < 2; before++) {
    msd_world *world = bench_of(2);
    ok(world, msd_particle_pin(world, 1));
    const int substeps = 16;
    const double mean = 2 + (15 + 16) / 2.0 / substeps; /* led by 1 m */
    set_all(world, damage_of(mean / 2 - 1 + (before ? 1e-3 : -1e-3), 0));
    ok(world, msd_particle_move_to(world, 1, (msd_vec3){3, 0, 0}));
    step(world, 1, substeps);
    cr_expect_eq(msd_spring_is_torn(world, 0), !before);
    msd_destroy_world(world);
  }
}

Test(damage, struts_never_tear) {
  msd_world *world = bench_of(2);
  msd_spring_def strut = physical(100, 0);
  strut.mode = MSD_SPRING_COMPRESSION_ONLY;
  add_spring(world, strut, 0, 1, 2);
  set_all(world, damage_of(0.25, 0));
  lead_to(world, 4);
  lead_to(world, 4);
  cr_expect(msd_spring_is_torn(world, 0));
  cr_expect_not(msd_spring_is_broken(world, 1));
  msd_destroy_world(world);
}

Test(damage, a_step_that_is_stopped_wears_nothing) {
  msd_world *world = bench_of(2);
  set_all(world, damage_of(0.25, 0.0625));
  ok(world, msd_particle_set_position(world, 1, (msd_vec3){4, 0, 0}));
  cr_assert_eq(msd_world_step(world, (msd_real)INFINITY, 1), MSD_BAD_FRAME_TIME);
  cr_expect_not(msd_spring_is_broken(world, 0));
  step(world, 1, 1);
  cr_expect(msd_spring_is_torn(world, 0));
  cr_expect_eq(rest_of(world, 0), 2);
  msd_destroy_world(world);
}

/* --------------------------------------------------------------------------------------------------- energy */

/* A random network of all laws and sides, with springs that back others, as a substep may have left it. */
static msd_world *random_world(uint64_t seed) {
  graph g = graph_random(60, 240, seed);
  msd_world *world = world_of(&g, &(making){LAWS_MIXED, .seed = seed, .pins = true, .sides = 5});
  graph_free(&g);
  msd_range made;
  for (int32_t e = 0; e < 240; e++) {
    const msd_spring_def def = msd_spring_get_def(world, e);
    if (def.law == MSD_SPRING_STIFFNESS && def.mode != MSD_SPRING_COMPRESSION_ONLY)
      ok(world, msd_springs_stiffen(world, (msd_range){e, 1}, (msd_real)0.125, 3, &made));
  }
  ok(world, msd_springs_limit_stretch(world, (msd_range){0, 240}, (msd_real)0.25, (msd_real)0.5, &made));
  step(world, 1e-4, 1);
  for (int32_t e = 0; e < 240; e++) {
    msd_damage_def def = damage_of(e % 2 ? 0.5 : 0, (e % 4) / 16.0);
    def.plastic_rate = e % 3 ? (msd_real)(1 + e % 3) * 1000 : (msd_real)INFINITY;
    if (msd_spring_get_def(world, e).law != MSD_SPRING_HARD_LIMIT)
      set_damage(world, e, 1, def);
  }
  return world;
}

/* Of the wear alone: positions do not change. */
Test(damage, takes_elastic_energy_and_never_gives_any) {
  for (uint64_t seed = 1; seed <= 40; seed++) {
    msd_world *world = random_world(seed);
    double before = msd_world_get_stats(world).elastic_energy;
    for (int n = 0; n < 4; n++) {
      const msd_stats was = msd_world_get_stats(world);
      ok(world, damage_begin_step(&world->stepper));
      damage_start(&world->stepper, 1e-4, 1);
      damage_after_substep(&world->stepper, 1);
      damage_end_step(&world->stepper, 1e-4);
      const double after = msd_world_get_stats(world).elastic_energy;
      cr_expect_leq(after, before * (1 + 16 * EPSILON), "seed %d: %.9g J from %.9g J", (int)seed, after,
                    before);
      if (n == 0)
        cr_expect(after < before && msd_world_get_stats(world).torn > was.torn &&
                  msd_world_get_stats(world).yielded > 0);
      before = after;
    }
    msd_destroy_world(world);
  }
}

/* ------------------------------------------------------------------------------------------ the certificate */

static double stable_step(const msd_world *world) {
  msd_stability s;
  ok(world, msd_world_analyze_stability(world, 1, &s));
  return s.stable_substep;
}

/* Whatever tears and yields, what was certified holds: the step does not look for another limit, and the exact
   limit of what is left, which a search bounds from both sides, is no shorter. */
Test(damage, keeps_the_certificate_without_another_search) {
  for (uint64_t seed = 1; seed <= 30; seed++) {
    msd_world *world = random_world(seed);
    const double before = stable_step(world);
    ok(world, msd_world_step(world, (msd_real)1e-4, 0));
    const revision made_for = world->limits.stable_step_made_for;
    for (int n = 0; n < 10; n++)
      ok(world, msd_world_step(world, (msd_real)1e-4, 0));
    cr_assert_gt(msd_world_get_stats(world).torn, 0);
    cr_expect(memcmp(&made_for, &world->limits.stable_step_made_for, sizeof made_for) == 0 &&
              revision_holds(&made_for, revision_of_stable_steps(&world->model.revision)));
    world->model.revision.definitions++;
    msd_stability after;
    ok(world, msd_world_analyze_stability(world, 1, &after));
    cr_expect_geq(after.stable_substep / after.tightness, before * (1 - 1e-9),
                  "seed %d: at most %.12g s, before %.12g s", (int)seed,
                  after.stable_substep / after.tightness, before);
    msd_destroy_world(world);
  }
}

/* The stiffest springs beside one that has torn would be stiffer if it had left them its share. */
Test(damage, a_torn_spring_leaves_the_stiffness_of_its_neighbors_as_it_was) {
  msd_world *torn = new_world(MSD_SYMPLECTIC_EULER), *broken = new_world(MSD_SYMPLECTIC_EULER);
  msd_world *const both[] = {torn, broken};
  for (int w = 0; w < 2; w++) {
    add_particle(both[w], 1, 0, 0, 0);
    for (int i = 0; i < 3; i++)
      add_spring(both[w], coefficient(-1, 0), 0, add_pin(both[w], 1 + i, i, 0), -1);
    step(both[w], 0.01, 1);
  }
  const double before = (double)msd_spring_get_stiffness(torn, 0);
  ok(torn, msd_spring_set_rest_length(torn, 2, (msd_real)0.5));
  set_damage(torn, 2, 1, damage_of(0.25, 0));
  step(torn, 0.01, 1);
  cr_assert(msd_spring_is_torn(torn, 2));
  step(torn, 0.01, 1);
  cr_expect_eq((double)msd_spring_get_stiffness(torn, 0), before);
  ok(broken, msd_spring_break(broken, 2));
  step(broken, 0.01, 1);
  cr_expect_gt((double)msd_spring_get_stiffness(broken, 0), 1.4 * before);
  msd_destroy_world(torn);
  msd_destroy_world(broken);
}

static double energy_of(const msd_world *world) {
  const msd_stats s = msd_world_get_stats(world);
  return s.kinetic_energy + s.elastic_energy + s.potential_energy;
}

/* Physical springs that tear, yield and stiffen, each step at 0.98 of what was certified at the beginning. */
Test(damage, no_network_explodes_at_the_limit_of_the_beginning) {
  double worst = 0;
  for (uint64_t seed = 1; seed <= 60; seed++) {
    graph g = graph_random(40, 160, seed);
    msd_world *world = world_of(&g, &(making){LAWS_PHYSICAL, .seed = seed, .pins = true});
    graph_free(&g);
    ok(world, msd_world_set_gravity(world, (msd_vec3){0, 0, 0}));
    ok(world, msd_springs_stiffen(world, (msd_range){0, 160}, (msd_real)0.25, 4, NULL));
    for (int32_t e = 0; e < 160; e++)
      set_damage(world, e, 1, damage_of(e % 3 ? 1 : 0, e % 2 ? 0.25 : 0));
    const msd_real dt = (msd_real)(0.98 * stable_step(world));
    ok(world, msd_world_step(world, dt, 1));
    const double begin = energy_of(world);
    for (int n = 0; n < 200; n++) {
      ok(world, msd_world_step(world, 8 * dt, 8));
      worst = largest(worst, energy_of(world) / begin);
    }
    cr_expect(msd_world_get_stats(world).torn > 0 && msd_world_get_stats(world).yielded > 0);
    msd_destroy_world(world);
  }
  cr_expect_lt(worst, 4, "%g", worst);
}

/* ----------------------------------------------------------------------------------- stiffening, and limits */

Test(damage, stiffened_springs_have_the_tension_of_two_straight_lines) {
  const double k = 100, rest = 2, strain = 0.125, factor = 4;
  msd_world *world = bench_of(rest);
  msd_range made;
  ok(world, msd_springs_stiffen(world, (msd_range){0, 1}, (msd_real)strain, (msd_real)factor, &made));
  cr_assert(made.first == 1 && made.count == 1);
  step(world, 0.01, 1);
  for (double length = 1; length < 4; length += 0.0625) {
    ok(world, msd_particle_set_position(world, 1, (msd_vec3){(msd_real)length, 0, 0}));
    const double beyond = length - rest * (1 + strain);
    const double expected = k * (length - rest) + (beyond > 0 ? (factor - 1) * k * beyond : 0);
    const double found = (double)msd_spring_get_tension(world, 0) + (double)msd_spring_get_tension(world, 1);
    cr_expect_float_eq(found, expected, 4e3 * EPSILON, "%g N at %g m, not %g N", found, length, expected);
  }
  msd_destroy_world(world);
}

/* A stiffened spring takes of the step what one of its largest slope does, by any law in N/m, Hz or m/dt^2. */
Test(damage, stiffened_springs_are_certified_by_their_largest_slope) {
  const msd_spring_def all[] = {physical(100, 3), frequency(2, 0.125), coefficient(0.125, 0)};
  for (int n = 0; n < 3; n++) {
    oscillator o = new_oscillator(MSD_SYMPLECTIC_EULER, all[n], 1, 2, 0, 0);
    ok(o.world, msd_springs_stiffen(o.world, (msd_range){0, 1}, (msd_real)0.125, 4, NULL));
    step(o.world, 0.01, 1);
    const double k = (double)msd_spring_get_stiffness(o.world, 0),
                 mu = (double)msd_spring_get_damping(o.world, 0);
    cr_expect_float_eq((double)msd_spring_get_stiffness(o.world, 1), 3 * k, 3 * k * 1e-5);
    cr_expect_eq(msd_spring_get_damping(o.world, 1), 0);
    if (n < 2) { /* dt^2 4 k + 2 dt mu < 4 */
      const double most = (-mu + sqrt(mu * mu + 16 * k)) / (4 * k);
      const double found = stable_step(o.world);
      cr_expect(found <= most && found > 0.999 * most, "%g s, not %g s", found, most);
    }
    msd_destroy_world(o.world);
  }
}

Test(damage, limited_springs_are_as_long_as_their_limit_and_cost_no_step) {
  oscillator o = new_oscillator(MSD_SYMPLECTIC_EULER, physical(5, 1), 1, 2, 0, 0);
  const double before = stable_step(o.world);
  ok(o.world, msd_springs_limit_stretch(o.world, (msd_range){0, 1}, (msd_real)0.125, 1, NULL));
  cr_expect_eq(stable_step(o.world), before);
  ok(o.world, msd_world_set_gravity(o.world, (msd_vec3){10, 0, 0})); /* 2 m more by the spring alone */
  for (int n = 0; n < 50; n++) {
    step(o.world, 0.0625, 16);
    cr_expect_leq(displacement(&o), 0.25 + 8 * EPSILON);
  }
  cr_expect_float_eq(displacement(&o), 0.25, 1e-3);
  msd_destroy_world(o.world);
}

Test(damage, what_backs_a_spring_yields_breaks_and_is_set_with_it) {
  msd_world *world = bench_of(2);
  msd_range stiffer, limit;
  ok(world, msd_springs_stiffen(world, (msd_range){0, 1}, (msd_real)0.5, 2, &stiffer));
  ok(world, msd_springs_limit_stretch(world, (msd_range){0, 1}, 1, 1, &limit));
  set_damage(world, 0, 1, damage_of(0, 0.125));
  lead_to(world, 2.75);
  cr_expect_float_eq(rest_of(world, 0), 2.5, 8 * EPSILON);
  cr_expect_float_eq(rest_of(world, stiffer.first), 3.75, 8 * EPSILON);
  cr_expect_float_eq(rest_of(world, limit.first), 5, 16 * EPSILON);
  ok(world, msd_spring_set_rest_length(world, 0, 4));
  cr_expect_eq(rest_of(world, stiffer.first), 6);
  cr_expect_eq(rest_of(world, limit.first), 8);
  cr_expect_eq(msd_spring_get_plastic_strain(world, 0), 0);
  ok(world, msd_spring_break(world, 0));
  for (int32_t e = 0; e < msd_world_get_spring_count(world); e++)
    cr_expect(msd_spring_is_broken(world, e) && !msd_spring_is_torn(world, e));
  ok(world, msd_springs_stiffen(world, (msd_range){0, 1}, 0, 2, &stiffer));
  cr_expect(msd_spring_is_broken(world, stiffer.first));
  msd_destroy_world(world);
}

/* Catches that have torn, too: the limit goes with the spring. */
Test(damage, nothing_holds_what_has_torn) {
  oscillator o = new_oscillator(MSD_SYMPLECTIC_EULER, physical(5, 1), 1, 2, 0, 0);
  ok(o.world, msd_springs_limit_stretch(o.world, (msd_range){0, 1}, (msd_real)0.25, 1, NULL));
  set_damage(o.world, 0, 1, damage_of(0.1875, 0));
  ok(o.world, msd_world_set_gravity(o.world, (msd_vec3){10, 0, 0}));
  for (int n = 0; n < 200 && !msd_spring_is_torn(o.world, 0); n++)
    step(o.world, 0.0625, 16);
  cr_assert(msd_spring_is_torn(o.world, 0) && msd_spring_is_torn(o.world, 1));
  cr_expect_eq(msd_spring_get_tension(o.world, 1), 0);
  const double v = velocity(&o);
  step(o.world, 1, 1024);
  cr_expect_float_eq(velocity(&o) - v, 10, 1e-3);
  cr_expect_eq(msd_world_get_stats(o.world).elastic_energy, 0);
  msd_destroy_world(o.world);
}

/* ----------------------------------------------------------------------------------------------- equal bits */

/* A sheet on its upper corners that tears by its weight, with limits; substeps are those that are certified. */
static msd_world *torn_sheet(void) {
  graph g = graph_cloth(20, 16, CLOTH_SHEAR);
  msd_world *world = world_of(&g, &(making){LAWS_MIXED, .seed = 9, .pins = true});
  graph_free(&g);
  const int32_t springs = msd_world_get_spring_count(world);
  ok(world, msd_springs_limit_stretch(world, (msd_range){0, 200}, 1, 1, NULL));
  for (int32_t e = 0; e < springs; e++)
    set_damage(world, e, 1, damage_of(0.5 + (e % 7) / 8.0, e % 3 ? 0.25 : 0));
  return world;
}

static void run(msd_world *world, int frames) {
  for (int n = 0; n < frames; n++)
    ok(world, msd_world_step(world, (msd_real)0.015625, 0));
}

Test(damage, has_the_same_bits_on_any_threads_and_widths) {
  uint64_t first = 0;
  for (int threads = 1; threads <= 4; threads++)
    for (int simd = 0; simd < MSD_SIMD_COUNT; simd++) {
      msd_world *world = torn_sheet();
      ok(world, msd_world_set_thread_count(world, threads));
      if (msd_world_set_simd(world, (msd_simd)simd) != MSD_OK) {
        msd_destroy_world(world);
        continue;
      }
      run(world, 40);
      const msd_stats stats = msd_world_get_stats(world);
      cr_expect(stats.torn > 10 && stats.yielded > 20, "%d torn, %d yielded", stats.torn, stats.yielded);
      first = first ? first : msd_world_hash(world);
      cr_expect_eq(msd_world_hash(world), first, "%d threads, vectors %d", threads, simd);
      msd_destroy_world(world);
    }
}

/* At any frame; substeps are found by the limits that were there before the springs tore. */
Test(damage, goes_on_behind_a_snapshot_with_the_same_bits) {
  for (int at = 0; at <= 40; at += 5) {
    msd_world *world = torn_sheet(), *other = new_world(MSD_SYMPLECTIC_EULER);
    run(world, at);
    snapshot s = snapshot_of(world);
    ok(other, msd_world_restore(other, s.data, s.size));
    run(world, 30);
    run(other, 30);
    cr_expect_eq(msd_world_hash(world), msd_world_hash(other), "after %d frames", at);
    cr_expect_eq(msd_world_get_steps(world), msd_world_get_steps(other));
    cr_expect_eq(msd_world_get_stats(world).torn, msd_world_get_stats(other).torn);
    cr_expect_eq(msd_world_get_stats(world).yielded, msd_world_get_stats(other).yielded);
    free(s.data);
    msd_destroy_world(world);
    msd_destroy_world(other);
  }
}

/* What limited the step has torn, but the limit that was found with it holds: in a restored world, too. */
Test(damage, a_restored_world_takes_the_substeps_of_the_limit_before) {
  oscillator o = new_oscillator(MSD_SYMPLECTIC_EULER, physical(1, 0), 1, 2, 0, 0);
  msd_world *other = new_world(MSD_SYMPLECTIC_EULER);
  const int32_t stiff = add_spring(o.world, physical(1e4, 0), 0, 1, 1);
  set_damage(o.world, stiff, 1, damage_of(0.25, 0));
  ok(o.world, msd_particle_set_position(o.world, 1, (msd_vec3){64, 0, 0}));
  ok(o.world, msd_world_step(o.world, (msd_real)0.03125, 0));
  const int64_t substeps = msd_world_get_steps(o.world);
  cr_assert(msd_spring_is_torn(o.world, stiff) && substeps == 2);
  snapshot s = snapshot_of(o.world);
  ok(other, msd_world_restore(other, s.data, s.size));
  ok(o.world, msd_world_step(o.world, (msd_real)0.03125, 0));
  ok(other, msd_world_step(other, (msd_real)0.03125, 0));
  cr_expect(msd_world_get_steps(o.world) == 2 * substeps && msd_world_get_steps(other) == 2 * substeps);
  cr_expect_eq(msd_world_hash(o.world), msd_world_hash(other));
  free(s.data);
  msd_destroy_world(o.world);
  msd_destroy_world(other);
}

static bool never(void *context) {
  (void)context;
  return false;
}

Test(damage, a_step_in_pieces_has_the_same_bits) {
  msd_world *world = torn_sheet(), *other = torn_sheet();
  ok(other, msd_world_set_callbacks(other, &(msd_callbacks){.stop = never}));
  for (int n = 0; n < 6; n++) {
    step(world, 0.25, 300);
    step(other, 0.25, 300);
  }
  cr_expect_gt(msd_world_get_stats(world).torn, 0);
  cr_expect_eq(msd_world_hash(world), msd_world_hash(other));
  msd_destroy_world(world);
  msd_destroy_world(other);
}

/* Springs that cannot wear cost no bit, nor do those whose strain is small. */
Test(damage, that_does_not_happen_changes_no_bit) {
  msd_world *plain = torn_sheet(), *tough = torn_sheet();
  set_all(plain, msd_default_damage_def());
  for (int32_t e = 0; e < msd_world_get_spring_count(tough) - 200; e++)
    set_damage(tough, e, 1, damage_of(1e6, 1e6));
  run(plain, 20);
  run(tough, 20);
  cr_expect_eq(msd_world_hash(plain), msd_world_hash(tough));
  msd_destroy_world(plain);
  msd_destroy_world(tough);
}
