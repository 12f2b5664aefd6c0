/* What strain makes of constraints: folds that keep a crease and wires that stay bent, against theory. */
#include "tests/support/constraints.h"
#include "tests/support/laboratory.h"
#include "tests/support/snapshots.h"

#include "engine/step/damage.h"
#include "engine/world/world.h"

static msd_damage_def yield_of(double yield_strain) {
  msd_damage_def def = msd_default_damage_def();
  def.yield_strain = (msd_real)yield_strain;
  return def;
}

static void set_damage(msd_world *world, int32_t first, int32_t count, msd_damage_def def) {
  ok(world, msd_constraints_set_damage(world, (msd_range){first, count}, &def));
}

static void set_all(msd_world *world, msd_damage_def def) {
  set_damage(world, 0, msd_world_get_constraint_count(world), def);
}

static double rest_of(const msd_world *world, int32_t constraint) {
  return (double)msd_constraint_get_def(world, constraint).rest;
}

/* The best that a number between -pi and pi can be known. */
static double rounding(void) {
  return 16 * EPSILON;
}

/* Two triangles across an edge along z, all pinned, with a spring of 3 N m/rad on the angle between them: 0 is
   flat. */
static msd_world *hinge(msd_integrator integrator, double rest) {
  msd_world *world = new_world(integrator);
  add_pin(world, 0, 0, 0);
  add_pin(world, 0, 0, 1);
  add_pin(world, -1, 0, 0.5);
  add_pin(world, 1, 0, 0.5);
  msd_constraint_def fold = constraint_of(MSD_CONSTRAINT_DIHEDRAL, 0, 1, 2, 3);
  fold.stiffness = 3;
  fold.rest = (msd_real)rest;
  add_constraint(world, fold);
  return world;
}

static void fold_to(msd_world *world, double angle) {
  ok(world,
     msd_particle_set_position(world, 3, (msd_vec3){(msd_real)cos(angle), (msd_real)-sin(angle), 0.5F}));
  step(world, 0.0009765625, 2);
}

/* ------------------------------------------------------------------------------------------- ideal
   plasticity */

/* The moment never stays above k Y, and what is left is the largest angle less the yield: with every
   integrator, as each has its own place for rest values. */
Test(constraint_damage, a_fold_springs_back_by_its_yield_angle) {
  for (int integrator = 0; integrator < MSD_INTEGRATOR_COUNT; integrator++) {
    msd_world *world = hinge((msd_integrator)integrator, 0);
    set_all(world, yield_of(0.25));
    fold_to(world, 0.2); /* elastic */
    cr_expect_eq(msd_constraint_get_plastic_strain(world, 0), 0);
    cr_expect_eq(msd_world_get_stats(world).yielded_constraints, 0);
    for (double angle = 0.5; angle <= 2; angle += 0.25) {
      fold_to(world, angle);
      cr_expect_float_eq(rest_of(world, 0), angle - 0.25, rounding());
      cr_expect_float_eq(msd_constraint_get_tension(world, 0), 3 * 0.25, 10 * rounding());
    }
    fold_to(world, 1.5); /* unloading is elastic, until it yields the other way */
    cr_expect_float_eq(msd_constraint_get_plastic_strain(world, 0), 1.75, rounding());
    fold_to(world, 1);
    cr_expect_float_eq(msd_constraint_get_plastic_strain(world, 0), 1.25, rounding());
    cr_expect_eq(msd_world_get_stats(world).yielded_constraints, 1);
    msd_destroy_world(world);
  }
}

Test(constraint_damage, creep_takes_its_share_of_what_is_beyond_in_each_second) {
  for (int integrator = 0; integrator < MSD_INTEGRATOR_COUNT; integrator++)
    for (int rate = 15; rate <= 960; rate *= 2) {
      msd_world *world = hinge((msd_integrator)integrator, 0);
      msd_damage_def def = yield_of(0.25);
      def.plastic_rate = 3;
      set_all(world, def);
      ok(world, msd_particle_set_position(world, 3, (msd_vec3){(msd_real)cos(2), (msd_real)-sin(2), 0.5F}));
      for (int n = 0; n < rate; n++)
        step(world, 1.0 / rate, 4);
      const double beyond = 1.75 * exp(-3); /* |angle - rest| - yield */
      cr_expect_float_eq(2 - rest_of(world, 0), 0.25 + beyond, 100 * rounding(), "%d frames/s", rate);
      msd_destroy_world(world);
    }
}

/* From where it was given, to either side; what is beyond a limit that is set later stays until it yields
   back. */
Test(constraint_damage, hardening_ends_the_flow_both_ways) {
  msd_world *world = hinge(MSD_SYMPLECTIC_EULER, 0.5);
  msd_damage_def def = yield_of(0.125);
  def.max_plastic_strain = (msd_real)0.75;
  set_all(world, def);
  fold_to(world, 2.5);
  cr_expect_float_eq(rest_of(world, 0), 1.25, rounding());
  fold_to(world, -1.5);
  cr_expect_float_eq(rest_of(world, 0), -0.25, rounding());
  def.max_plastic_strain = (msd_real)0.25;
  set_all(world, def);
  fold_to(world, -2);
  cr_expect_float_eq(rest_of(world, 0), -0.25, rounding());
  fold_to(world, 2);
  cr_expect_float_eq(rest_of(world, 0), 0.75, rounding());
  msd_destroy_world(world);
}

/* A sheet that is folded through pi and on: the crease goes with it, and is counted the short way round. */
Test(constraint_damage, a_crease_goes_on_through_pi) {
  msd_world *world = hinge(MSD_SYMPLECTIC_EULER, 0);
  set_all(world, yield_of(0.25));
  for (double angle = 0; angle <= 4.5; angle += 0.125) {
    fold_to(world, angle);
    const double expected = angle > 0.25 ? angle - 0.25 : 0;
    cr_expect_float_eq(remainder(rest_of(world, 0) - expected, 2 * PI), 0, rounding(), "%g", angle);
    cr_expect_float_eq(msd_constraint_get_plastic_strain(world, 0), remainder(expected, 2 * PI), rounding());
    cr_expect_leq(fabs(rest_of(world, 0)), PI * (1 + EPSILON));
  }
  cr_expect_lt(rest_of(world, 0), -2);
  msd_destroy_world(world);
}

/* Sizes are counted as lengths are: relative to what was given. 0 is nothing to be relative to. */
Test(constraint_damage, areas_volumes_and_fibers_yield_by_their_strain) {
  static const msd_vec3 at[4] = {{0, 0, 0}, {2, 0, 0}, {0, 2, 0}, {0, 0, -3}};
  static const msd_constraint_kind kinds[] = {MSD_CONSTRAINT_AREA, MSD_CONSTRAINT_VOLUME,
                                              MSD_CONSTRAINT_FIBER};
  for (int k = 0; k < 3; k++) {
    msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
    for (int n = 0; n < 4; n++)
      add_pin(world, (double)at[n].x, (double)at[n].y, (double)at[n].z);
    msd_constraint_def def = constraint_of(kinds[k], 0, 1, 2, 3);
    def.stiffness = 1;
    add_constraint(world, def);
    def.rest = 0;
    add_constraint(world, def);
    const double given = rest_of(world, 0);
    set_all(world, yield_of(0.125));
    for (int32_t n = 0; n < 4; n++) {
      const msd_vec3 to = {(msd_real)1.5 * at[n].x, (msd_real)1.5 * at[n].y, (msd_real)1.5 * at[n].z};
      ok(world, msd_particle_set_position(world, n, to));
    }
    step(world, 0.0009765625, 2);
    const double grown = msd_constraint_get_value(world, 0) / given;
    cr_expect_gt(grown, 1.4);
    cr_expect_float_eq(rest_of(world, 0), given * (grown - copysign(0.125, grown)), 40 * rounding());
    cr_expect_float_eq(msd_constraint_get_plastic_strain(world, 0), grown - 1 - 0.125, 40 * rounding());
    cr_expect(rest_of(world, 1) == 0 && msd_constraint_get_plastic_strain(world, 1) == 0);
    msd_destroy_world(world);
  }
}

/* ------------------------------------------------------------------------------------------------ under a
   load */

static msd_world *heavy_air(double drag) {
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  ok(world, msd_world_set_gravity(world, (msd_vec3){0, -10, 0}));
  ok(world, msd_world_set_linear_damping(world, (msd_real)drag));
  return world;
}

/* An angle at pin 1 of a rod of 1 m from 1 to 2, which is level at first and weighs 10 N: a moment of 10 N m
   times the cosine of how far it is down. Air lets it sink slowly. An elastic hinge holds it where k theta is
   that moment; an ideally plastic one flows on until k Y is, wherever that is, and keeps all but Y of it. */
Test(constraint_damage, a_hinge_sinks_until_its_yield_moment_holds_the_load) {
  static const struct { double k, yield_strain; } cases[] = {{16, 0.25}, {16, 0.5}, {40, 0.125}, {16, 1}};
  for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
    const double k = cases[n].k, yield_strain = cases[n].yield_strain;
    msd_world *world = heavy_air(60);
    add_pin(world, -1, 0, 0);
    add_pin(world, 0, 0, 0);
    add_spring(world, physical(1e5, 100), 1, add_particle(world, 1, 1, 0, 0), 1);
    msd_constraint_def def = constraint_of(MSD_CONSTRAINT_ANGLE, 0, 1, 2, -1);
    def.stiffness = (msd_real)k;
    def.rest = (msd_real)PI;
    add_constraint(world, def);
    set_all(world, yield_of(yield_strain));
    for (int s = 0; s < 4000; s++)
      step(world, 0.03125, 32);
    double elastic = 0; /* k theta = 10 cos theta, by Newton's method */
    for (int i = 0; i < 20; i++)
      elastic -= (k * elastic - 10 * cos(elastic)) / (k + 10 * sin(elastic));
    const double flowed = acos(k * yield_strain / 10), expected = elastic > yield_strain ? flowed : elastic;
    const double down = PI - msd_constraint_get_value(world, 0),
                 left = -msd_constraint_get_plastic_strain(world, 0);
    cr_expect_float_eq(down, expected, 2e-3, "k %g, yield %g: %g rad, not %g", k, yield_strain, down,
                       expected);
    cr_expect_float_eq(left, elastic > yield_strain ? expected - yield_strain : 0, 2e-3, "%g", left);
    msd_destroy_world(world);
  }
}

/* A wire of 16 pieces of 1/16 m bent round a drum of 1/4 m, and let go: each of its angles keeps all but Y,
   so that its curvature is less by Y/h, and it comes to rest as a drum would have bent it that is as much
   larger. */
Test(constraint_damage, a_bent_strip_springs_back_to_the_curvature_of_theory) {
  enum { PIECES = 16 };
  const double h = 1.0 / PIECES, radius = 0.25, yield_strain = 0.0625, turn = 2 * asin(h / 2 / radius);
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  ok(world, msd_world_set_linear_damping(world, 4));
  for (int i = 0; i <= PIECES; i++) {
    add_particle(world, 0.01, i * h, 0, 0);
    if (i > 0)
      add_spring(world, physical(1000, 1), i - 1, i, h);
  }
  for (int i = 1; i < PIECES; i++) {
    msd_constraint_def def = constraint_of(MSD_CONSTRAINT_ANGLE, i - 1, i, i + 1, -1);
    def.stiffness = 0.5F;
    def.damping = 0.001F;
    def.rest = (msd_real)PI;
    add_constraint(world, def);
  }
  set_all(world, yield_of(yield_strain));
  for (int i = 0; i <= PIECES; i++) {
    const msd_vec3 at = {(msd_real)(radius * sin(i * turn)), (msd_real)(radius * cos(i * turn)), 0};
    ok(world, msd_particle_set_position(world, i, at));
    ok(world, msd_particle_pin(world, i));
  }
  step(world, 0.001, 1);
  set_all(world, msd_default_damage_def()); /* so that swinging yields nothing more */
  for (int i = 0; i <= PIECES; i++)
    ok(world, msd_particle_unpin(world, i));
  for (int n = 0; n < 400; n++)
    ok(world, msd_world_step(world, (msd_real)0.03125, 0));
  for (int i = 1; i < PIECES; i++)
    cr_expect_float_eq(PI - msd_constraint_get_value(world, i - 1), turn - yield_strain, 2e-3);
  const double left = turn - yield_strain, chord = h * sin(PIECES * left / 2) / sin(left / 2);
  const msd_vec3 a = msd_particle_get_position(world, 0), b = msd_particle_get_position(world, PIECES);
  const double found = hypot((double)a.x - (double)b.x, (double)a.y - (double)b.y);
  cr_expect_float_eq(found, chord, 2e-3, "%g m from end to end, not %g m", found, chord);
  msd_destroy_world(world);
}

/* -------------------------------------------------------------------------------- energy and the certificate
   */

/* Constraints of all kinds and laws off their rest values, some of which yield. */
static msd_world *random_world(uint64_t seed) {
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  add_strip(world, 12, seed);
  add_fiber_strip(world, 12, seed + 1);
  step(world, 1e-4, 1);
  generator random = {seed};
  for (int32_t c = 0; c < msd_world_get_constraint_count(world); c++) {
    msd_damage_def def = yield_of(c % 5 ? fabs((double)random_real(&random)) / 8 + 1e-4 : 0);
    def.plastic_rate = c % 3 ? (msd_real)(1 + c % 3) * 1000 : (msd_real)INFINITY;
    def.max_plastic_strain = (msd_real)((c % 4) / 16.0);
    set_damage(world, c, 1, def);
  }
  return world;
}

/* Of the wear alone: positions do not change. */
Test(constraint_damage, takes_elastic_energy_and_never_gives_any) {
  for (uint64_t seed = 1; seed <= 40; seed++) {
    msd_world *world = random_world(seed);
    double before = msd_world_get_stats(world).elastic_energy;
    for (int n = 0; n < 4; n++) {
      ok(world, damage_begin_step(&world->stepper));
      damage_start(&world->stepper, 1e-4, 1);
      damage_after_substep(&world->stepper, 1);
      cr_assert_eq(damage_end_step(&world->stepper, world->model.tuned_step), MSD_OK);
      const double after = msd_world_get_stats(world).elastic_energy;
      cr_expect_leq(after, before * (1 + 16 * EPSILON), "seed %d: %.9g J from %.9g J", (int)seed, after,
                    before);
      if (n == 0)
        cr_expect(after < before && msd_world_get_stats(world).yielded_constraints > 0);
      before = after;
    }
    msd_destroy_world(world);
  }
}

static double stable_step(const msd_world *world) {
  msd_stability s;
  ok(world, msd_world_analyze_stability(world, 1, &s));
  return s.stable_substep;
}

/* At the same shape the errors are less, and so is what shapes take of the step; nothing else is asked for. */
Test(constraint_damage, takes_nothing_of_the_certified_step) {
  for (uint64_t seed = 1; seed <= 30; seed++) {
    msd_world *world = random_world(seed);
    const double before = stable_step(world);
    const revision was = revision_of_stable_steps(&world->model.revision);
    ok(world, damage_begin_step(&world->stepper));
    damage_start(&world->stepper, 1e-4, 1);
    damage_after_substep(&world->stepper, 1);
    cr_assert_eq(damage_end_step(&world->stepper, world->model.tuned_step), MSD_OK);
    cr_assert_gt(msd_world_get_stats(world).yielded_constraints, 0);
    cr_expect(revision_holds(&was, revision_of_stable_steps(&world->model.revision)));
    world->model.revision.definitions++;
    cr_expect_geq(stable_step(world), before * (1 - 1e-6), "seed %d", (int)seed);
    msd_destroy_world(world);
  }
}

/* A crumpled sheet of folds that yield, at 0.98 of what was certified at the beginning. */
static msd_world *crumpled_sheet(double yield_strain) {
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  msd_cloth_def def = msd_default_cloth_def();
  def.columns = def.rows = 8;
  def.stretch = physical(400, 0);
  def.shear = physical(200, 0);
  def.bend = physical(0.05, 0);
  def.bend_kind = MSD_BEND_DIHEDRAL;
  ok(world, msd_add_cloth(world, &def, NULL));
  generator random = {5};
  for (int32_t i = 0; i < msd_world_get_particle_count(world); i++) {
    const msd_vec3 at = msd_particle_get_position(world, i), by = random_vector(&random, (msd_real)0.08);
    ok(world, msd_particle_set_position(world, i, (msd_vec3){at.x + by.x, at.y + by.y, at.z + by.z}));
  }
  if (yield_strain > 0)
    set_all(world, yield_of(yield_strain));
  return world;
}

Test(constraint_damage, no_sheet_explodes_at_the_limit_of_the_beginning) {
  for (int n = 0; n < 3; n++) {
    msd_world *world = crumpled_sheet(n == 0 ? 0 : n == 1 ? 0.0625 : 0.5);
    const msd_real dt = (msd_real)(0.98 * stable_step(world));
    ok(world, msd_world_step(world, dt, 1));
    const msd_stats begin = msd_world_get_stats(world);
    double worst = 0;
    for (int frame = 0; frame < 500; frame++) {
      ok(world, msd_world_step(world, 8 * dt, 8));
      const msd_stats s = msd_world_get_stats(world);
      worst = largest(worst,
                      (s.kinetic_energy + s.elastic_energy) / (begin.kinetic_energy + begin.elastic_energy));
    }
    cr_expect_lt(worst, 2, "%g", worst);
    cr_expect(n == 0 || msd_world_get_stats(world).yielded_constraints > 10);
    msd_destroy_world(world);
  }
}

/* ---------------------------------------------------------------------------------------------- when, and
   bits */

static bool at_once(void *context) {
  (void)context;
  return true;
}

Test(constraint_damage, a_step_that_fails_or_is_stopped_wears_nothing) {
  msd_world *world = hinge(MSD_SYMPLECTIC_EULER, 0);
  set_all(world, yield_of(0.25));
  ok(world, msd_particle_set_position(world, 3, (msd_vec3){0, -1, 0.5F}));
  cr_assert_eq(msd_world_step(world, (msd_real)INFINITY, 1), MSD_BAD_FRAME_TIME);
  cr_expect_eq(rest_of(world, 0), 0);
  ok(world, msd_world_set_callbacks(world, &(msd_callbacks){.stop = at_once}));
  cr_assert_eq(msd_world_step(world, 1, 4), MSD_CANCELED);
  cr_expect_eq(rest_of(world, 0), 0);
  ok(world, msd_world_set_callbacks(world, NULL));
  step(world, 1, 4);
  cr_expect_float_eq(rest_of(world, 0), PI / 2 - 0.25, rounding());
  msd_destroy_world(world);
}

/* A rest value that is set is the given one from then on; a broken fold yields no more. */
Test(constraint_damage, what_is_set_or_broken_begins_anew_or_ends) {
  msd_world *world = hinge(MSD_SYMPLECTIC_EULER, 0);
  set_all(world, yield_of(0.25));
  fold_to(world, 1);
  cr_expect_float_eq(msd_constraint_get_plastic_strain(world, 0), 0.75, rounding());
  ok(world, msd_constraint_set_rest(world, 0, 0.5F));
  cr_expect_eq(msd_constraint_get_plastic_strain(world, 0), 0);
  set_all(world, msd_default_damage_def());
  fold_to(world, 2);
  cr_expect_eq(rest_of(world, 0), 0.5);
  set_all(world, yield_of(0.25));
  ok(world, msd_constraint_break(world, 0));
  fold_to(world, 2.5);
  cr_expect_eq(rest_of(world, 0), 0.5);
  msd_destroy_world(world);
}

/* A state is what steps change of a world without wear. */
Test(constraint_damage, has_no_states_to_go_back_to) {
  msd_world *world = hinge(MSD_SYMPLECTIC_EULER, 0);
  unsigned char state[2048];
  size_t size = 0;
  ok(world, msd_world_save_state(world, state, sizeof state, &size));
  set_all(world, yield_of(0.25));
  cr_expect_eq(msd_world_save_state(world, NULL, 0, &size), MSD_BAD_VALUE);
  cr_expect_eq(msd_world_restore_state(world, state, size), MSD_BAD_VALUE);
  cr_expect(strstr(msd_world_message(world), "does not include the damage"), "%s", msd_world_message(world));
  msd_destroy_world(world);
}

static void run(msd_world *world, int frames) {
  for (int n = 0; n < frames; n++)
    ok(world, msd_world_step(world, (msd_real)0.015625, 0));
}

Test(constraint_damage, has_the_same_bits_on_any_threads_and_widths) {
  uint64_t first = 0;
  for (int threads = 1; threads <= 4; threads++)
    for (int simd = 0; simd < MSD_SIMD_COUNT; simd++) {
      msd_world *world = crumpled_sheet(0.0625);
      ok(world, msd_world_set_thread_count(world, threads));
      if (msd_world_set_simd(world, (msd_simd)simd) == MSD_OK) {
        run(world, 30);
        first = first ? first : msd_world_hash(world);
        cr_expect_eq(msd_world_hash(world), first, "%d threads, vectors %d", threads, simd);
      }
      msd_destroy_world(world);
    }
}

Test(constraint_damage, goes_on_behind_a_snapshot_with_the_same_bits) {
  for (int at = 0; at <= 20; at += 10) {
    msd_world *world = crumpled_sheet(0.0625), *other = new_world(MSD_SYMPLECTIC_EULER);
    run(world, at);
    snapshot s = snapshot_of(world);
    ok(other, msd_world_restore(other, s.data, s.size));
    run(world, 20);
    run(other, 20);
    cr_expect_eq(msd_world_hash(world), msd_world_hash(other), "after %d frames", at);
    const int yielded = msd_world_get_stats(world).yielded_constraints;
    cr_expect(yielded > 0 && msd_world_get_stats(other).yielded_constraints == yielded);
    for (int32_t c = 0; c < msd_world_get_constraint_count(world); c++)
      cr_expect_eq(msd_constraint_get_plastic_strain(world, c), msd_constraint_get_plastic_strain(other, c));
    free(s.data);
    msd_destroy_world(world);
    msd_destroy_world(other);
  }
}

/* Constraints that can yield but do not cost no bit. */
Test(constraint_damage, that_does_not_happen_changes_no_bit) {
  msd_world *plain = crumpled_sheet(0), *tough = crumpled_sheet(100);
  run(plain, 20);
  run(tough, 20);
  cr_expect_eq(msd_world_hash(plain), msd_world_hash(tough));
  msd_destroy_world(plain);
  msd_destroy_world(tough);
}
