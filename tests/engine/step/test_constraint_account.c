/* Constraints give back at most what they have received: where softening ends, where an angle jumps, beside
   contact, and in the bounded modes always. */
#include "tests/support/networks.h"
#include "tests/support/share.h"
#include "tests/support/touching.h"

#include <math.h>

static const msd_real FRAME = (msd_real)(1.0 / 60);

static double uniform(generator *random) {
  return (double)(next_random(random) >> 11) / 9007199254740992.0;
}

static double energy_of(const msd_world *world) {
  const msd_stats s = msd_world_get_stats(world);
  return s.kinetic_energy + s.elastic_energy;
}

static msd_world *world_without_weight(msd_energy_mode energy) {
  msd_world_def def = msd_default_world_def();
  def.gravity = (msd_vec3){0, 0, 0};
  def.energy_mode = energy;
  return world_from_def(&def);
}

static void add_moving(msd_world *world, double mass, msd_vec3 position, msd_vec3 velocity) {
  msd_particle_def def = msd_default_particle_def();
  def.position = position;
  def.velocity = velocity;
  def.mass = (msd_real)mass;
  ASSERT_OK(world, msd_add_particles(world, &def, 1, NULL));
}

/* ----------------------------------------------------------------------------------------------- one hinge */

/* A hinge of 18 Hz on four particles of 1 kg, of which one flies past the hinge line. */
static msd_world *swinging_hinge(msd_energy_mode energy) {
  msd_world *world = world_without_weight(energy);
  const msd_vec3 places[] = {{(msd_real)0.61, (msd_real)-0.01, (msd_real)-0.32},
                             {(msd_real)-0.59, (msd_real)0.62, (msd_real)0.05},
                             {(msd_real)1.76517236, (msd_real)-1.28533053, (msd_real)2.3349452},
                             {(msd_real)-0.993, (msd_real)-0.414, (msd_real)0.978}};
  for (int i = 0; i < 4; i++)
    add_moving(world, 1, places[i],
               i == 1 ? (msd_vec3){(msd_real)0.4, (msd_real)-1.5, (msd_real)0.1} : (msd_vec3){0, 0, 0});
  msd_constraint_def def = msd_default_constraint_def();
  def.kind = MSD_CONSTRAINT_DIHEDRAL;
  const int32_t corners[4] = {3, 0, 1, 2};
  memcpy(def.particles, corners, sizeof corners);
  def.law = MSD_SPRING_FREQUENCY;
  def.frequency = (msd_real)18.1959953;
  def.rest = (msd_real)0.691915214;
  ASSERT_OK(world, msd_add_constraints(world, &def, 1, NULL));
  return world;
}

Test(constraint_account, a_hinge_that_hardens_again_gives_back_no_more_than_it_received) {
  for (int energy = 0; energy < MSD_ENERGY_MODE_COUNT; energy++)
    for (int substeps = 0; substeps <= 16; substeps = substeps ? 2 * substeps : 1) {
      msd_world *world = swinging_hinge((msd_energy_mode)energy);
      const double start = energy_of(world);
      for (int frame = 0; frame < 600; frame++) {
        ASSERT_OK(world, msd_world_step(world, FRAME, substeps));
        cr_assert_leq(energy_of(world), 2.5 * start, "%d substeps, mode %d, frame %d: %g J of %g J", substeps,
                      energy, frame, energy_of(world), start);
      }
      msd_destroy_world(world);
    }
}

/* Two springs pull the tip of a hinge through its hinge line, where the angle jumps. Without the account 0.32 J
   become 48 J, with 256 substeps as with 16. */
Test(constraint_account, an_angle_that_jumps_at_the_hinge_line_adds_no_energy) {
  for (int substeps = 16; substeps <= 64; substeps *= 2) {
    msd_world *world = world_without_weight(MSD_ENERGY_OFF);
    const double places[6][3] = {{-0.65, -0.77, -0.25}, {0.36, 0.17, 0.37},     {-1.32, 0.66, -0.6},
                                 {0.4, 1, -0.2},        {-0.445, 0.791, 0.463}, {-1.1, -0.3, -1}};
    for (int i = 0; i < 6; i++)
      add_moving(world, 1, (msd_vec3){(msd_real)places[i][0], (msd_real)places[i][1], (msd_real)places[i][2]},
                 (msd_vec3){0, 0, 0});
    msd_spring_def springs[2] = {msd_default_spring_def(), msd_default_spring_def()};
    springs[0].a = 4, springs[0].b = 3, springs[1].a = 5, springs[1].b = 3;
    springs[0].rest_length = (msd_real)1.15313816, springs[0].stiffness = (msd_real)163.079;
    springs[1].rest_length = (msd_real)2.11586237, springs[1].stiffness = (msd_real)154.99;
    ASSERT_OK(world, msd_add_springs(world, springs, 2, NULL));
    msd_constraint_def def = msd_default_constraint_def();
    def.kind = MSD_CONSTRAINT_DIHEDRAL;
    const int32_t corners[4] = {1, 2, 4, 0};
    memcpy(def.particles, corners, sizeof corners);
    def.stiffness = 1000;
    def.rest = (msd_real)-0.799968302;
    ASSERT_OK(world, msd_add_constraints(world, &def, 1, NULL));
    const double start = energy_of(world);
    for (int frame = 0; frame < 300; frame++) {
      ASSERT_OK(world, msd_world_step(world, FRAME, substeps));
      cr_assert_leq(energy_of(world), 1.5 * start, "%d substeps, frame %d: %g J of %g J", substeps, frame,
                    energy_of(world), start);
    }
    msd_destroy_world(world);
  }
}

/* -------------------------------------------------------------------------------------------- random worlds */

static msd_constraint_def random_constraint(generator *random, msd_constraint_kind kind) {
  msd_constraint_def def = msd_default_constraint_def();
  def.kind = kind;
  const int corners = kind == MSD_CONSTRAINT_FIBER ? 3 : msd_constraint_kind_particles(kind);
  const int32_t first = random_below(random, 6);
  for (int n = 0; n < corners; n++)
    def.particles[n] = (first + n) % 6;
  if (kind == MSD_CONSTRAINT_FIBER) {
    const msd_vec3 shape[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    cr_assert_eq(
        msd_fiber_weights(shape, 3, (msd_vec3){1, (msd_real)(uniform(random) - 0.5), 0}, def.weights),
        MSD_OK);
  }
  def.law = uniform(random) < 0.5 ? MSD_SPRING_FREQUENCY : MSD_SPRING_STIFFNESS;
  def.frequency = (msd_real)(2 + 20 * uniform(random));
  def.stiffness = (msd_real)pow(10, 1 + 2 * uniform(random));
  if (kind != MSD_CONSTRAINT_FIBER && uniform(random) < 0.7)
    def.rest = (msd_real)(kind == MSD_CONSTRAINT_DIHEDRAL ? 6 * uniform(random) - 3 : 3 * uniform(random));
  return def;
}

/* Six particles with constraints of one kind. Returns the world. */
static msd_world *random_shapes(uint64_t seed, msd_constraint_kind kind, msd_energy_mode energy) {
  generator random = {.state = seed * 7919 + (uint64_t)kind};
  msd_world *world = world_without_weight(energy);
  for (int i = 0; i < 6; i++) {
    const double mass = pow(10, 2 * uniform(&random) - 1);
    const msd_vec3 place = random_vector(&random, 1), velocity = random_vector(&random, 1);
    add_moving(world, mass, place, velocity);
  }
  for (int n = 0; n < 3; n++) {
    const msd_constraint_def def = random_constraint(&random, kind);
    ASSERT_OK(world, msd_add_constraints(world, &def, 1, NULL));
  }
  return world;
}

/* (1 - rho/4) T <= H_0 + C with rho <= 2: softening leaves constraints half of 4, and twice the certified
   number of substeps fibers a quarter. */
static void assert_no_kind_exceeds(msd_energy_mode energy, int worlds, double most, bool changes) {
  const double frames[] = {1.0 / 30, 1.0 / 60, 1.0 / 144};
  for (int kind = 0; kind < MSD_CONSTRAINT_MESH_VOLUME; kind++)
    for (int seed = 1; seed <= worlds; seed++) {
      msd_world *world = random_shapes((uint64_t)seed, (msd_constraint_kind)kind, energy);
      const msd_real frame_time = (msd_real)frames[seed % 3];
      double start = energy_of(world);
      if (changes) {
        add_moving(world, 1, (msd_vec3){9, 9, 9}, (msd_vec3){0, 0, 0});
        ASSERT_OK(world, msd_particle_pin(world, 6));
      }
      for (int frame = 0; frame < 400; frame++) {
        int32_t substeps = 0;
        cr_assert_eq(msd_world_find_substeps(world, frame_time, &substeps), MSD_OK);
        if (changes)
          ASSERT_OK(world, msd_particle_move_to(world, 6, (msd_vec3){9, (msd_real)(9 + frame % 2), 9}));
        ASSERT_OK(world, msd_world_step(world, changes && frame % 2 ? frame_time / 2 : frame_time,
                                        kind == MSD_CONSTRAINT_FIBER ? 2 * substeps
                                        : changes                    ? substeps
                                                                     : 0));
        const msd_energy_account account = msd_world_get_energy_account(world);
        const double kinetic = msd_world_get_stats(world).kinetic_energy;
        start = fmax(start, 100 * account.constraint_allowance);
        cr_assert_leq(kinetic, 2.02 * most * start, "kind %d, world %d, frame %d: %g J of %g J", kind, seed,
                      frame, kinetic, start);
        cr_assert(energy < MSD_ENERGY_BOUNDED || changes ||
                      account.constraint_gain <= 1.001 * account.constraint_allowance + 1e-6,
                  "kind %d, world %d: gain %g of %g", kind, seed, account.constraint_gain,
                  account.constraint_allowance);
      }
      msd_destroy_world(world);
    }
}

Test(constraint_account, no_kind_of_constraint_moves_with_more_than_the_bound) {
  assert_no_kind_exceeds(MSD_ENERGY_BOUNDED, share_of(60), 1, false);
}

/* The gain may exceed the allowance for a while, as a shorter substep can remove less; the bound holds. */
Test(constraint_account, nor_in_frames_of_changing_length_beside_a_pin_that_moves) {
  assert_no_kind_exceeds(MSD_ENERGY_BOUNDED, share_of(60), 1, true);
}

/* What is not softened gains a little, as springs do; softening pumped by factors of thousands. */
Test(constraint_account, no_kind_of_constraint_pumps_without_an_energy_mode) {
  assert_no_kind_exceeds(MSD_ENERGY_OFF, share_of(60), 3, false);
}

/* A free sheet of undamped fibers in its plane, whose particles move at random, and a pin far from it. */
static msd_world *fiber_sheet(void) {
  enum { SIDE = 8 };
  generator random = {.state = 5};
  msd_world *world = world_without_weight(MSD_ENERGY_BOUNDED);
  for (int i = 0; i < SIDE * SIDE; i++)
    add_moving(world, 0.01, (msd_vec3){(msd_real)(i % SIDE) / 8, 0, (msd_real)(i / SIDE) / 8},
               random_vector(&random, (msd_real)0.5));
  for (int32_t i = 0; i < SIDE * (SIDE - 1); i++)
    for (int half = 0; half < 2 && i % SIDE < SIDE - 1; half++) {
      msd_constraint_def fiber = msd_default_constraint_def();
      const int32_t corners[3] = {half ? i + SIDE + 1 : i, half ? i + SIDE : i + 1, half ? i + 1 : i + SIDE};
      msd_vec3 shape[3];
      fiber.kind = MSD_CONSTRAINT_FIBER;
      fiber.rest = 1;
      fiber.stiffness = 1;
      memcpy(fiber.particles, corners, sizeof corners);
      for (int n = 0; n < 3; n++)
        shape[n] = msd_particle_get_position(world, corners[n]);
      for (int way = 0; way < 4; way++) {
        const msd_vec3 direction = {(msd_real)(way < 3), 0, (msd_real)(way == 1 ? 0 : way == 2 ? -1 : 1)};
        cr_assert_eq(msd_fiber_weights(shape, 3, direction, fiber.weights), MSD_OK);
        ASSERT_OK(world, msd_add_constraints(world, &fiber, 1, NULL));
      }
    }
  add_moving(world, 1, (msd_vec3){9, 9, 9}, (msd_vec3){0, 0, 0});
  ASSERT_OK(world, msd_particle_pin(world, SIDE * SIDE));
  return world;
}

/* Frames of two lengths resonate with stiff fibers. The pin moves, or its position is set. */
Test(constraint_account, a_sheet_of_fibers_does_not_resonate_with_frames_of_changing_length) {
  for (int sets = 0; sets < 2; sets++) {
    msd_world *world = fiber_sheet();
    const int32_t pin = msd_world_get_particle_count(world) - 1;
    msd_stability limit;
    int32_t substeps = 0;
    cr_assert_eq(msd_world_find_substeps(world, (msd_real)(1.0 / 30), &substeps), MSD_OK);
    cr_assert_eq(msd_world_analyze_stability(world, FRAME, &limit), MSD_OK);
    const double part = 1.0 / 30 / substeps / limit.stable_substep, start = energy_of(world);
    for (int frame = 0; frame < 600; frame++) {
      const msd_vec3 place = {9, (msd_real)(9 + frame % 2), 9};
      ASSERT_OK(world, sets ? msd_particle_set_position(world, pin, place)
                            : msd_particle_move_to(world, pin, place));
      ASSERT_OK(world, msd_world_step(world, (msd_real)(frame % 2 ? 1.0 / 60 : 1.0 / 30), substeps));
      const double kinetic = msd_world_get_stats(world).kinetic_energy;
      cr_assert_leq((1 - part * part) * kinetic, 1.02 * start, "frame %d: %g J of %g J at %g of the limit",
                    frame, kinetic, start, part);
    }
    msd_destroy_world(world);
  }
}

Test(constraint_account, limited_forces_sum_to_zero) {
  for (uint64_t seed = 1; seed <= 40; seed++) {
    const msd_constraint_kind kind = (msd_constraint_kind)(seed % MSD_CONSTRAINT_MESH_VOLUME);
    msd_world *world = random_shapes(seed, kind, MSD_ENERGY_BOUNDED);
    const msd_stats before = msd_world_get_stats(world);
    for (int frame = 0; frame < 100; frame++)
      ASSERT_OK(world, msd_world_step(world, (msd_real)(1.0 / 30), 0));
    const msd_stats after = msd_world_get_stats(world);
    for (int c = 0; c < 3; c++)
      cr_expect_float_eq(after.momentum[c], before.momentum[c], 1e-2 * before.total_mass,
                         "world %d, kind %d: %g became %g kg m/s, %g kg", (int)seed, (int)kind,
                         before.momentum[c], after.momentum[c], before.total_mass);
    msd_destroy_world(world);
  }
}

/* ------------------------------------------------------------------------------------------- with collision */

/* Two undamped sheets with hinges that fly into each other, and a soft pin. */
static touching colliding_sheets(msd_energy_mode energy, int threads) {
  touching t = contact_step_new((msd_vec3){0, 0, 0}, 0.3, 0);
  ok(t.world, msd_world_set_energy_mode(t.world, energy));
  ok(t.world, msd_world_set_thread_count(t.world, threads));
  for (int sheet = 0; sheet < 2; sheet++) {
    const msd_real tilt = (msd_real)(0.1 * sheet);
    const int32_t first = touching_sheet(&t, 9, 9, (msd_vec3){0, (msd_real)(0.04 * sheet), 0},
                                         (msd_vec3){1, 0, tilt}, (msd_vec3){tilt, 0, 1}, true);
    for (int32_t i = 0; i < 81; i++)
      ok(t.world,
         msd_particle_set_velocity(
             t.world, first + i, (msd_vec3){(msd_real)sin(0.7 * i), sheet ? -2 : 2, (msd_real)cos(1.3 * i)}));
    for (int32_t i = 0; i < 71; i += 3) {
      msd_constraint_def hinge = msd_default_constraint_def();
      hinge.kind = MSD_CONSTRAINT_DIHEDRAL;
      const int32_t corners[4] = {first + i, first + i + 10, first + i + 1, first + i + 9};
      memcpy(hinge.particles, corners, sizeof corners);
      hinge.stiffness = (msd_real)0.05;
      ok(t.world, msd_add_constraints(t.world, &hinge, 1, NULL));
    }
  }
  for (int32_t e = 0; e < msd_world_get_spring_count(t.world); e++) {
    msd_spring_def law = msd_spring_get_def(t.world, e);
    law.law = MSD_SPRING_STIFFNESS;
    law.stiffness = 30;
    law.damping = 0;
    ok(t.world, msd_spring_set_law(t.world, e, &law));
  }
  msd_soft_pin_def pin = msd_default_soft_pin_def();
  pin.particle = 4;
  pin.law = MSD_SPRING_STIFFNESS;
  pin.stiffness = 5;
  ok(t.world, msd_add_soft_pins(t.world, &pin, 1, NULL));
  return t;
}

/* In frames of one length, or of two with the substeps of the longer. */
static void assert_bounded_with_contact(bool changes) {
  touching t = colliding_sheets(MSD_ENERGY_BOUNDED, 1);
  const double start = energy_of(t.world);
  int64_t contacts = 0;
  for (int frame = 0; frame < 400; frame++) {
    int32_t substeps = 0;
    cr_assert_eq(msd_world_find_substeps(t.world, FRAME, &substeps), MSD_OK);
    ok(t.world, msd_world_step(t.world, changes && frame % 2 ? FRAME / 2 : FRAME, substeps));
    const msd_energy_account account = msd_world_get_energy_account(t.world);
    contacts += msd_world_get_stats(t.world).contacts;
    cr_assert(changes || account.gain <= 1.001 * account.allowance);
    cr_assert(changes || account.constraint_gain <= 1.001 * account.constraint_allowance);
    cr_assert_leq(energy_of(t.world), 1.1 * start, "frame %d: %g J of %g J", frame, energy_of(t.world),
                  start);
  }
  cr_expect_gt(contacts, 100);
  cr_expect_eq(touching_intersections(&t), 0);
  contact_step_free(&t);
}

Test(constraint_account, bounded_energy_holds_with_constraints_soft_pins_and_self_collision) {
  assert_bounded_with_contact(false);
  assert_bounded_with_contact(true);
}

Test(constraint_account, monitored_contact_moves_as_without_an_energy_mode) {
  touching plain = colliding_sheets(MSD_ENERGY_OFF, 1), monitored = colliding_sheets(MSD_ENERGY_MONITOR, 2);
  for (int frame = 0; frame < 100; frame++) {
    ok(plain.world, msd_world_step(plain.world, FRAME, 0));
    ok(monitored.world, msd_world_step(monitored.world, FRAME, 0));
    cr_assert_eq(msd_world_hash(plain.world), msd_world_hash(monitored.world), "frame %d", frame);
  }
  cr_expect_neq(msd_world_get_energy_account(monitored.world).gain, 0);
  contact_step_free(&plain);
  contact_step_free(&monitored);
}

Test(constraint_account, bounded_contact_is_the_same_with_any_number_of_threads) {
  touching one = colliding_sheets(MSD_ENERGY_BOUNDED, 1), two = colliding_sheets(MSD_ENERGY_BOUNDED, 2);
  for (int frame = 0; frame < 60; frame++) {
    ok(one.world, msd_world_step(one.world, FRAME, 0));
    ok(two.world, msd_world_step(two.world, FRAME, 0));
    cr_assert_eq(msd_world_hash(one.world), msd_world_hash(two.world), "frame %d", frame);
  }
  contact_step_free(&one);
  contact_step_free(&two);
}

/* ------------------------------------------------------------------------------------------------ snapshots */

Test(constraint_account, a_restored_world_continues_the_account) {
  for (int frame = 0; frame < 120; frame += 7) {
    msd_world *world = swinging_hinge(MSD_ENERGY_OFF), *copy = world_without_weight(MSD_ENERGY_OFF);
    for (int n = 0; n < frame; n++)
      ASSERT_OK(world, msd_world_step(world, FRAME, 0));
    size_t size = 0;
    const size_t bound = msd_world_get_save_bound(world);
    void *bytes = malloc(bound);
    cr_assert_not_null(bytes);
    ASSERT_OK(world, msd_world_save(world, bytes, bound, &size));
    ASSERT_OK(copy, msd_world_restore(copy, bytes, size));
    free(bytes);
    for (int n = 0; n < 30; n++) {
      ASSERT_OK(world, msd_world_step(world, FRAME, 0));
      ASSERT_OK(copy, msd_world_step(copy, FRAME, 0));
      cr_assert_eq(msd_world_hash(world), msd_world_hash(copy), "restored at frame %d, %d frames later",
                   frame, n);
      cr_assert_eq(msd_world_get_energy_account(world).constraint_gain,
                   msd_world_get_energy_account(copy).constraint_gain);
    }
    msd_destroy_world(world);
    msd_destroy_world(copy);
  }
}

Test(constraint_account, every_vector_width_gives_the_same_limited_motion) {
  for (int kind = 0; kind < MSD_CONSTRAINT_MESH_VOLUME; kind++) {
    uint64_t expected = 0;
    for (int simd = MSD_SIMD_SCALAR; simd <= MSD_SIMD_512; simd++) {
      msd_world *world = random_shapes(5, (msd_constraint_kind)kind, MSD_ENERGY_BOUNDED);
      if (msd_world_set_simd(world, (msd_simd)simd) == MSD_OK) {
        for (int frame = 0; frame < 100; frame++)
          ASSERT_OK(world, msd_world_step(world, (msd_real)(1.0 / 30), 0));
        expected = expected ? expected : msd_world_hash(world);
        cr_assert_eq(msd_world_hash(world), expected, "kind %d, width %d", kind, simd);
      }
      msd_destroy_world(world);
    }
  }
}
