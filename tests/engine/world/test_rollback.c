/* States: a world goes back to what it was, and on with the same bits. */
#include "tests/support/busy_world.h"
#include "tests/support/constraints.h"

#include "engine/stability/steps.h"
#include "engine/world/world.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct state {
  unsigned char *data;
  size_t size;
} state;

static state state_of(msd_world *world) {
  state s = {0};
  cr_assert_eq(msd_world_save_state(world, NULL, 0, &s.size), MSD_OK);
  s.data = malloc(s.size);
  cr_assert_not_null(s.data);
  size_t size = 0;
  cr_assert_eq(msd_world_save_state(world, s.data, s.size - 1, &size), MSD_BUFFER_TOO_SMALL);
  cr_assert_eq(msd_world_save_state(world, s.data, s.size, &size), MSD_OK);
  cr_assert_eq(size, s.size);
  return s;
}

enum { FRAMES = 6 };

/* Steps from the state that the world is in, twice, and compares every frame. */
static void expect_to_repeat(const char *what, msd_world *world, int substeps) {
  uint64_t hash[FRAMES];
  double time[FRAMES];
  const state s = state_of(world);
  const uint64_t before = msd_world_hash(world);
  for (int again = 0; again < 3; again++) {
    for (int frame = 0; frame < FRAMES; frame++) {
      ASSERT_OK(world, msd_world_step(world, (msd_real)0.015625, substeps));
      cr_assert(again == 0 || msd_world_hash(world) == hash[frame], "%s: frame %d", what, frame);
      cr_assert(again == 0 || msd_world_get_time(world) == time[frame], "%s: frame %d", what, frame);
      hash[frame] = msd_world_hash(world);
      time[frame] = msd_world_get_time(world);
    }
    ASSERT_OK(world, msd_world_restore_state(world, s.data, s.size));
    cr_assert_eq(msd_world_hash(world), before, "%s", what);
  }
  free(s.data);
}

Test(state, every_integrator_repeats_its_bits) {
  for (int integrator = 0; integrator < MSD_INTEGRATOR_COUNT; integrator++) {
    msd_world *world = busy_world(3);
    ASSERT_OK(world, msd_world_set_integrator(world, (msd_integrator)integrator));
    ASSERT_OK(world, msd_world_set_impulse_warm_start(world, true));
    ASSERT_OK(world, msd_world_step(world, (msd_real)0.015625, 4));
    expect_to_repeat(msd_integrator_name((msd_integrator)integrator), world, 4);
    msd_destroy_world(world);
  }
}

Test(state, particles_in_an_order_of_their_own_repeat_their_bits) {
  graph g = graph_random(400, 1500, 5);
  msd_world *world = world_of(&g, &(making){LAWS_COEFFICIENT, .seed = 4, .pins = true});
  expect_to_repeat("before the first step", world, 3);
  ASSERT_OK(world, msd_world_step(world, (msd_real)0.015625, 3));
  cr_assert_not_null(world->model.particles.slot);
  expect_to_repeat("in order", world, 3);
  graph_free(&g);
  msd_destroy_world(world);
}

/* Folds that are as stiff as their shape lets them be: the limit is of it, and found again as it ages. */
static msd_world *folding_world(void) {
  msd_cloth_def cloth = msd_default_cloth_def();
  cloth.columns = cloth.rows = 9;
  cloth.bend = msd_default_spring_def();
  cloth.bend.stiffness = 100;
  cloth.bend_kind = MSD_BEND_DIHEDRAL;
  msd_world *world = empty_world();
  ASSERT_OK(world, msd_add_cloth(world, &cloth, NULL));
  for (int32_t i = 0; i < 81; i++)
    ASSERT_OK(world, msd_particle_set_velocity(world, i, (msd_vec3){0, 0, (msd_real)(i % 7) - 3}));
  for (int frame = 0; frame < 20; frame++)
    ASSERT_OK(world, msd_world_step(world, (msd_real)0.015625, 0));
  return world;
}

Test(state, substeps_that_are_found_for_a_shape_repeat_their_bits) {
  msd_world *world = folding_world();
  const state s = state_of(world);
  const stability_standing before = stability_standing_of(&world->model, &world->limits);
  cr_assert_gt(before.patience, 0, "the limit is of every shape");
  for (int frame = 0; frame < 3; frame++)
    ASSERT_OK(world, msd_world_step(world, (msd_real)0.015625, 0));
  ASSERT_OK(world, msd_world_restore_state(world, s.data, s.size));
  const stability_standing after = stability_standing_of(&world->model, &world->limits);
  cr_assert_eq(memcmp(&before, &after, sizeof before), 0);
  expect_to_repeat("folds", world, 0);
  free(s.data);
  msd_destroy_world(world);
}

Test(state, the_energy_that_steps_have_made_goes_back) {
  graph g = graph_cloth(9, 9, CLOTH_SHEAR);
  msd_world *world = world_of(&g, &(making){LAWS_PHYSICAL, .seed = 2});
  for (int32_t e = 0; e < msd_world_get_spring_count(world); e++) {
    msd_spring_def def = msd_spring_get_def(world, e);
    def.damping = 0;
    ASSERT_OK(world, msd_spring_set_law(world, e, &def));
  }
  ASSERT_OK(world, msd_world_set_energy_mode(world, MSD_ENERGY_MONITOR));
  for (int frame = 0; frame < 3; frame++)
    ASSERT_OK(world, msd_world_step(world, (msd_real)0.015625, 4));
  const state s = state_of(world);
  const msd_energy_account before = msd_world_get_energy_account(world);
  ASSERT_OK(world, msd_world_step(world, (msd_real)0.015625, 4));
  const msd_energy_account later = msd_world_get_energy_account(world);
  cr_assert_neq(later.gain, before.gain);
  ASSERT_OK(world, msd_world_restore_state(world, s.data, s.size));
  cr_assert_eq(msd_world_get_energy_account(world).gain, before.gain);
  ASSERT_OK(world, msd_world_step(world, (msd_real)0.015625, 4));
  cr_assert_eq(msd_world_get_energy_account(world).gain, later.gain);
  free(s.data);
  graph_free(&g);
  msd_destroy_world(world);
}

/* Damped springs make no energy, however much they have lost: also behind a state. */
Test(state, damped_springs_that_are_guarded_repeat_their_bits) {
  graph g = graph_cloth(9, 9, CLOTH_SHEAR);
  msd_world *world = world_of(&g, &(making){LAWS_PHYSICAL, .seed = 2});
  for (int32_t e = 0; e < msd_world_get_spring_count(world); e++) {
    msd_spring_def def = msd_spring_get_def(world, e);
    def.damping = (msd_real)0.25;
    ASSERT_OK(world, msd_spring_set_law(world, e, &def));
  }
  ASSERT_OK(world, msd_world_set_energy_mode(world, MSD_ENERGY_BOUNDED));
  for (int frame = 0; frame < 3; frame++)
    ASSERT_OK(world, msd_world_step(world, (msd_real)0.015625, 4));
  expect_to_repeat("damped", world, 4);
  ASSERT_OK(world, msd_world_step(world, (msd_real)0.015625, 4));
  cr_assert_geq(msd_world_get_energy_account(world).gain, 0);
  graph_free(&g);
  msd_destroy_world(world);
}

/* A sheet that falls on itself and on a ball, held by an soft pin, beside rotors. */
static msd_world *furnished_world(void) {
  msd_world *world = empty_world();
  msd_cloth_def cloth = msd_default_cloth_def();
  cloth.columns = cloth.rows = 12;
  cloth.u = (msd_vec3){(msd_real)0.4, (msd_real)0.1, 0};
  cloth.v = (msd_vec3){(msd_real)0.05, (msd_real)-0.3, (msd_real)0.3};
  msd_body body;
  ASSERT_OK(world, msd_add_cloth(world, &cloth, &body));
  int32_t triangles[2 * 11 * 11 * 3], n = 0;
  for (int32_t row = 0; row < 11; row++)
    for (int32_t column = 0; column < 11; column++) {
      const int32_t at = 12 * row + column;
      const int32_t corners[6] = {at, at + 12, at + 1, at + 1, at + 12, at + 13};
      for (int c = 0; c < 6; c++)
        triangles[n++] = corners[c];
    }
  msd_collision_mesh_def surface = msd_default_collision_mesh_def();
  surface.triangles = triangles;
  surface.triangle_count = n / 3;
  ASSERT_OK(world, msd_add_collision_meshes(world, &surface, 1, NULL));
  msd_collider_def ball = msd_default_collider_def();
  ball.kind = MSD_COLLIDER_SPHERE;
  ball.radius = (msd_real)0.1;
  ball.position = (msd_vec3){(msd_real)0.2, (msd_real)-0.35, (msd_real)0.1};
  ASSERT_OK(world, msd_add_colliders(world, &ball, 1, NULL));
  msd_soft_pin_def soft_pin = msd_default_soft_pin_def();
  soft_pin.particle = 5;
  soft_pin.frequency = 5;
  soft_pin.law = MSD_SPRING_FREQUENCY;
  ASSERT_OK(world, msd_add_soft_pins(world, &soft_pin, 1, NULL));
  const msd_rotor_def rotor = msd_default_rotor_def();
  ASSERT_OK(world, msd_add_rotors(world, &rotor, 1, NULL));
  msd_torsion_spring_def spring = msd_default_torsion_spring_def();
  spring.a = 0;
  spring.rest_angle = 2;
  ASSERT_OK(world, msd_add_torsion_springs(world, &spring, 1, NULL));
  return world;
}

/* What comes from outside, the same for equal frames. */
static void push(msd_world *world, int frame) {
  ASSERT_OK(world, msd_particle_apply_force(world, 100, (msd_vec3){0, (msd_real)(frame % 3), -1}));
  ASSERT_OK(world, msd_soft_pin_move_to(world, 0, (msd_vec3){0, (msd_real)(0.01 * frame), 0}));
  ASSERT_OK(world,
            msd_collider_move_to(world, 0, (msd_vec3){(msd_real)(0.2 - 0.01 * frame), (msd_real)-0.35, 0},
                                 (msd_quaternion){1, 0, 0, 0}));
  ASSERT_OK(world, msd_rotor_apply_torque(world, 0, frame));
}

Test(state, soft_pins_rotors_colliders_and_surfaces_repeat_their_bits) {
  msd_world *world = furnished_world(), *twin = furnished_world();
  int touched = 0, rubbed = 0;
  for (int frame = 0; frame < 60; frame++) {
    const state s = state_of(world);
    if (frame % 4 == 3) {
      /* Some frames that are forgotten, and inputs that wait. */
      for (int lost = 0; lost < 3; lost++) {
        push(world, 50 - lost);
        ASSERT_OK(world, msd_world_step(world, (msd_real)0.015625, 20));
      }
      push(world, 90);
      ASSERT_OK(world, msd_particle_pin(world, 7));
      ASSERT_OK(world, msd_particle_move_to(world, 7, (msd_vec3){9, 9, 9}));
      ASSERT_OK(world, msd_world_restore_state(world, s.data, s.size));
      cr_assert_not(msd_particle_is_pinned(world, 7));
    }
    free(s.data);
    push(world, frame);
    push(twin, frame);
    ASSERT_OK(world, msd_world_step(world, (msd_real)0.015625, 20));
    ASSERT_OK(twin, msd_world_step(twin, (msd_real)0.015625, 20));
    cr_assert_eq(msd_world_hash(world), msd_world_hash(twin), "frame %d", frame);
    const msd_vec3 one = msd_soft_pin_get_force(world, 0), other = msd_soft_pin_get_force(twin, 0);
    cr_assert(one.x == other.x && one.y == other.y && one.z == other.z, "frame %d", frame);
    touched += msd_world_get_collider_contacts(world, NULL, 0);
    rubbed += msd_world_get_mesh_contacts(world, NULL, 0);
  }
  cr_assert(touched > 0 && rubbed > 0, "%d, %d", touched, rubbed);
  msd_destroy_world(world);
  msd_destroy_world(twin);
}

Test(state, pins_go_back_and_keep_the_speed_that_they_had) {
  msd_world *world = busy_world(2);
  ASSERT_OK(world, msd_particle_set_velocity(world, 0, (msd_vec3){1, 2, 3}));
  const bool was_pinned = msd_particle_is_pinned(world, 0);
  const state s = state_of(world);
  ASSERT_OK(world, was_pinned ? msd_particle_unpin(world, 0) : msd_particle_pin(world, 0));
  ASSERT_OK(world, msd_world_step(world, (msd_real)0.015625, 4));
  ASSERT_OK(world, msd_world_restore_state(world, s.data, s.size));
  cr_assert_eq(msd_particle_is_pinned(world, 0), was_pinned);
  cr_assert_eq(msd_particle_get_velocity(world, 0).z, 3);
  int32_t pinned = 0;
  for (int32_t i = 0; i < msd_world_get_particle_count(world); i++)
    pinned += msd_particle_is_pinned(world, i);
  cr_assert_eq(msd_world_get_stats(world).pinned, pinned);
  free(s.data);
  msd_destroy_world(world);
}

/* Pins are compared by many at once, and numbers too: 301 particles leave a rest of both. */
Test(state, one_pin_among_many_goes_back_and_no_number_is_overlooked) {
  enum { MANY = 301 };
  static const int32_t pinned[] = {0, 63, 64, 127, 200, MANY - 1};
  msd_world *world = empty_world();
  const msd_particle_def def = msd_default_particle_def();
  for (int32_t i = 0; i < MANY; i++)
    ASSERT_OK(world, msd_add_particles(world, &def, 1, NULL));
  const state none = state_of(world);
  for (size_t n = 0; n < sizeof pinned / sizeof *pinned; n++) {
    ASSERT_OK(world, msd_particle_pin(world, pinned[n]));
    const state one = state_of(world);
    ASSERT_OK(world, msd_world_restore_state(world, none.data, none.size));
    cr_assert_eq(msd_world_get_counts(world).pinned, 0);
    ASSERT_OK(world, msd_world_restore_state(world, one.data, one.size));
    cr_assert(msd_particle_is_pinned(world, pinned[n]) && msd_world_get_counts(world).pinned == 1);
    ASSERT_OK(world, msd_particle_unpin(world, pinned[n]));
    free(one.data);
  }
  const msd_real not_a_number = NAN;
  const size_t pins = (MANY + 3) / 4, motion = 6 * MANY * sizeof(msd_real);
  for (size_t at = 0; at < motion; at += 5 * sizeof(msd_real)) {
    unsigned char *number = none.data + none.size - pins - sizeof(msd_real) - at, before[sizeof(msd_real)];
    memcpy(before, number, sizeof before);
    memcpy(number, &not_a_number, sizeof before);
    cr_assert_eq(msd_world_restore_state(world, none.data, none.size), MSD_BAD_SNAPSHOT, "%zu from the end",
                 at);
    memcpy(number, before, sizeof before);
  }
  ASSERT_OK(world, msd_world_restore_state(world, none.data, none.size));
  free(none.data);
  msd_destroy_world(world);
}

/* Eight particles in one place, an area and a volume of them. They have no force until they part, and one by
   coefficients of a shape that is of that moment: going back before it they wait again. */
static msd_world *waiting_world(void) {
  msd_world *world = empty_world();
  const msd_particle_def def = msd_default_particle_def();
  ASSERT_OK(world, msd_world_set_gravity(world, (msd_vec3){0, 0, 0}));
  for (int32_t i = 0; i < 8; i++)
    ASSERT_OK(world, msd_add_particles(world, &def, 1, NULL));
  msd_constraint_def area = constraint_of(MSD_CONSTRAINT_AREA, 0, 1, 2, 3);
  area.law = MSD_SPRING_COEFFICIENT;
  area.ck = (msd_real)0.25;
  add_constraint(world, area);
  static const int32_t corners[12] = {4, 6, 5, 4, 5, 7, 5, 6, 7, 6, 4, 7};
  msd_constraint_def volume = msd_default_constraint_def();
  volume.kind = MSD_CONSTRAINT_MESH_VOLUME;
  volume.law = MSD_SPRING_COEFFICIENT;
  volume.ck = (msd_real)0.25;
  volume.triangles = corners;
  volume.triangle_count = 4;
  add_constraint(world, volume);
  cr_assert_eq(world->model.constraints.unplaced, 2);
  return world;
}

static void let_part(msd_world *world) {
  for (int32_t i = 0; i < 8; i++)
    ASSERT_OK(world,
              msd_particle_set_velocity(
                  world, i, (msd_vec3){(msd_real)(i % 2), (msd_real)(i / 2 % 2), (msd_real)(i % 4 == 3)}));
}

Test(state, constraints_that_wait_for_their_particles_to_part_wait_again) {
  msd_world *world = waiting_world();
  let_part(world);
  const state s = state_of(world);
  expect_to_repeat("before they part", world, 3);
  cr_assert_eq(world->model.constraints.unplaced, 2);
  ASSERT_OK(world, msd_world_step(world, (msd_real)0.015625, 3));
  cr_assert_eq(world->model.constraints.unplaced, 0);
  expect_to_repeat("after they have", world, 3);
  memset(s.data + s.size - sizeof(int32_t), 0x7f, sizeof(int32_t));
  cr_assert_eq(msd_world_restore_state(world, s.data, s.size), MSD_BAD_SNAPSHOT);
  free(s.data);
  msd_destroy_world(world);
}

Test(state, limits_of_constraints_that_wait_go_back_with_them) {
  msd_world *world = waiting_world();
  ASSERT_OK(world, msd_world_step(world, (msd_real)0.015625, 0));
  let_part(world);
  const state s = state_of(world);
  const stability_standing before = stability_standing_of(&world->model, &world->limits);
  cr_assert_gt(before.patience, 0);
  for (int again = 0; again < 2; again++) {
    ASSERT_OK(world, msd_world_step(world, (msd_real)0.015625, 0));
    cr_assert_eq(world->model.constraints.unplaced, 0);
    ASSERT_OK(world, msd_world_restore_state(world, s.data, s.size));
    const stability_standing after = stability_standing_of(&world->model, &world->limits);
    cr_assert_eq(memcmp(&before, &after, sizeof before), 0);
  }
  free(s.data);
  msd_destroy_world(world);
}

Test(state, a_rest_length_that_waits_to_go_is_forgotten) {
  msd_world *world = busy_world(3);
  ASSERT_OK(world, msd_world_step(world, (msd_real)0.015625, 4));
  ASSERT_OK(world, msd_spring_set_rest_length(world, 2, 1));
  const state s = state_of(world);
  ASSERT_OK(world, msd_spring_move_rest_length_to(world, 2, 2));
  ASSERT_OK(world, msd_world_step(world, (msd_real)0.015625, 4));
  ASSERT_OK(world, msd_spring_move_rest_length_to(world, 2, 3));
  ASSERT_OK(world, msd_world_restore_state(world, s.data, s.size));
  ASSERT_OK(world, msd_world_step(world, (msd_real)0.015625, 4));
  cr_assert_eq(msd_spring_get_def(world, 2).rest_length, 2);
  free(s.data);
  msd_destroy_world(world);
}

Test(state, a_state_is_a_quarter_of_a_byte_more_than_positions_and_velocities) {
  msd_world *world = empty_world();
  const msd_particle_def def = msd_default_particle_def();
  for (int i = 0; i < 8000; i++)
    ASSERT_OK(world, msd_add_particles(world, &def, 1, NULL));
  const state s = state_of(world);
  cr_assert(s.size >= 8000 * 6 * sizeof(msd_real) + 2000 && s.size < 8000 * 6 * sizeof(msd_real) + 3000);
  free(s.data);
  msd_destroy_world(world);
}

Test(state, a_copy_goes_on_from_it) {
  msd_world *world = busy_world(4), *copy;
  ASSERT_OK(world, msd_copy_world(world, &copy));
  ASSERT_OK(copy, msd_world_step(copy, (msd_real)0.015625, 4));
  const state s = state_of(copy);
  ASSERT_OK(world, msd_world_restore_state(world, s.data, s.size));
  ASSERT_OK(world, msd_world_step(world, (msd_real)0.015625, 4));
  ASSERT_OK(copy, msd_world_step(copy, (msd_real)0.015625, 4));
  cr_assert_eq(msd_world_hash(world), msd_world_hash(copy));
  free(s.data);
  msd_destroy_world(world);
  msd_destroy_world(copy);
}

/* Steps `from` on from its state, and `to` from it, after frames of its own: both have the same limits and
   bits. */
static void expect_to_go_on_in(msd_world *from, msd_world *to) {
  const state s = state_of(from);
  const stability_standing before = stability_standing_of(&from->model, &from->limits);
  for (int frame = 0; frame < 3; frame++)
    ASSERT_OK(to, msd_world_step(to, (msd_real)0.015625, 0));
  ASSERT_OK(to, msd_world_restore_state(to, s.data, s.size));
  const stability_standing after = stability_standing_of(&to->model, &to->limits);
  cr_assert_eq(memcmp(&before, &after, sizeof before), 0);
  for (int frame = 0; frame < FRAMES; frame++) {
    ASSERT_OK(from, msd_world_step(from, (msd_real)0.015625, 0));
    ASSERT_OK(to, msd_world_step(to, (msd_real)0.015625, 0));
    cr_assert_eq(msd_world_hash(from), msd_world_hash(to), "frame %d", frame);
  }
  free(s.data);
}

Test(state, substeps_that_are_found_for_a_shape_go_on_in_copies_and_in_what_they_are_copies_of) {
  msd_world *world = folding_world(), *copy, *twin, *grandchild;
  ASSERT_OK(world, msd_copy_world(world, &copy));
  ASSERT_OK(world, msd_copy_world(world, &twin));
  ASSERT_OK(copy, msd_copy_world(copy, &grandchild));
  ASSERT_OK(world, msd_world_step(world, (msd_real)0.015625, 0));
  expect_to_go_on_in(world, copy);
  ASSERT_OK(copy, msd_particle_pin(copy, 3));
  expect_to_go_on_in(copy, world);
  expect_to_go_on_in(twin, grandchild);
  msd_destroy_world(world);
  msd_destroy_world(copy);
  msd_destroy_world(twin);
  msd_destroy_world(grandchild);
}

/* Both have as many changes behind them, but of other springs: the limit of one is not that of the other. */
Test(state, limits_are_found_anew_in_a_copy_that_has_changed) {
  msd_world *world = folding_world(), *copy;
  ASSERT_OK(world, msd_copy_world(world, &copy));
  msd_spring_def def = msd_spring_get_def(world, 0);
  def.stiffness *= 4;
  ASSERT_OK(copy, msd_spring_set_law(copy, 0, &def));
  ASSERT_OK(world, msd_spring_set_law(world, 1, &def));
  ASSERT_OK(world, msd_world_step(world, (msd_real)0.015625, 0));
  const state s = state_of(world);
  ASSERT_OK(copy, msd_world_restore_state(copy, s.data, s.size));
  cr_assert_eq(stability_standing_of(&copy->model, &copy->limits).patience, 0);
  free(s.data);
  msd_destroy_world(world);
  msd_destroy_world(copy);
}

static void expect_refused(msd_world *world, const void *bytes, size_t size, msd_result expected,
                           const char *message) {
  const uint64_t before = msd_world_hash(world);
  cr_assert_eq(msd_world_restore_state(world, bytes, size), expected);
  cr_assert(strstr(msd_world_message(world), message), "\"%s\" has no \"%s\"", msd_world_message(world),
            message);
  cr_assert_eq(msd_world_hash(world), before);
}

Test(state, what_is_no_state_of_the_world_is_refused) {
  msd_world *world = furnished_world(), *other = busy_world(2);
  const msd_real mark = (msd_real)0.1234567, not_finite[] = {NAN, INFINITY, -INFINITY};
  ASSERT_OK(world, msd_particle_set_velocity(world, 33, (msd_vec3){0, mark, 0}));
  const state s = state_of(world);
  size_t at = 0;
  while (at + sizeof mark < s.size && memcmp(s.data + at, &mark, sizeof mark) != 0)
    at++;
  for (int n = 0; n < 3; n++) {
    memcpy(s.data + at, &not_finite[n], sizeof mark);
    expect_refused(world, s.data, s.size, MSD_BAD_SNAPSHOT, "number out of its range");
  }
  memcpy(s.data + at, &mark, sizeof mark);
  expect_refused(world, NULL, s.size, MSD_BAD_SNAPSHOT, "NULL");
  expect_refused(world, s.data, 7, MSD_BAD_SNAPSHOT, "not a state");
  expect_refused(world, s.data, s.size - 1, MSD_BAD_SNAPSHOT, "it is truncated");
  expect_refused(other, s.data, s.size, MSD_BAD_SNAPSHOT, "144 particles, 1 soft pins, 1 rotors");
  cr_assert_eq(msd_world_restore_state(NULL, s.data, s.size), MSD_BAD_VALUE);
  msd_damage_def damage = msd_default_damage_def();
  damage.tear_strain = 1;
  ASSERT_OK(world, msd_springs_set_damage(world, (msd_range){0, 1}, &damage));
  expect_refused(world, s.data, s.size, MSD_BAD_VALUE, "does not include the damage");
  size_t size;
  cr_assert_eq(msd_world_save_state(world, NULL, 0, &size), MSD_BAD_VALUE);
  free(s.data);
  msd_destroy_world(world);
  msd_destroy_world(other);
}

/* Of what surfaces have learnt of their lists. */
Test(state, a_bend_that_is_not_finite_is_refused) {
  msd_world *world = furnished_world();
  const double bends[] = {-7.25, 9.5, 3.1875}, bad[] = {INFINITY, NAN};
  memcpy(world->model.surfaces.list_policy.bend, bends, sizeof bends);
  const state s = state_of(world);
  size_t at = 0;
  while (at + sizeof bends < s.size && memcmp(s.data + at, bends, sizeof bends) != 0)
    at++;
  cr_assert_lt(at + sizeof bends, s.size);
  for (size_t n = 0; n < 6; n++) {
    unsigned char *axis = s.data + at + n / 2 * sizeof(double);
    memcpy(axis, &bad[n % 2], sizeof(double));
    expect_refused(world, s.data, s.size, MSD_BAD_SNAPSHOT, "number out of its range");
    memcpy(axis, &bends[n / 2], sizeof(double));
  }
  ASSERT_OK(world, msd_world_restore_state(world, s.data, s.size));
  free(s.data);
  msd_destroy_world(world);
}

/* Nothing signs a state, so any byte may be changed: it is refused, or steps can begin from it. */
Test(state, damaged_bytes_are_refused_or_a_sound_state) {
  msd_world *world = furnished_world();
  for (int frame = 0; frame < 20; frame++)
    ASSERT_OK(world, msd_world_step(world, (msd_real)0.015625, 20));
  const state s = state_of(world);
  const unsigned char masks[] = {0x01, 0x40, 0x80, 0xff};
  int refused = 0;
  for (size_t at = 0; at < s.size; at += 1 + at / 600)
    for (size_t m = 0; m < sizeof masks; m++) {
      s.data[at] ^= masks[m];
      if (msd_world_restore_state(world, s.data, s.size) == MSD_OK) {
        const msd_result result = at % 16 ? MSD_OK : msd_world_step(world, (msd_real)0.001, 1);
        cr_assert(result == MSD_OK || result == MSD_DIVERGED, "byte %zu: %s", at, msd_world_message(world));
        for (int32_t i = 0; i < 144; i++)
          cr_assert(isfinite(msd_particle_get_position(world, i).x), "byte %zu", at);
      } else {
        refused++;
      }
      s.data[at] ^= masks[m];
    }
  cr_assert_gt(refused, 50);
  free(s.data);
  msd_destroy_world(world);
}
