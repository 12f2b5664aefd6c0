/* Sleep where surfaces touch: islands are what is near, and what comes near wakes. */
#include "tests/support/sleepers.h"

#include "engine/world/world.h"

#include <stdlib.h>

enum { SHEET = SLEEPERS_SHEET };

/* Two stacks of two sheets on the ground, far from each other. */
static msd_world *stacks(int threads, msd_simd simd) {
  msd_world *world = sleepers_world(threads, simd);
  add_sleepers_ground(world);
  add_sleepers_sheet(world, 0, (msd_real)0.02, false);
  add_sleepers_sheet(world, 0, (msd_real)0.06, false);
  add_sleepers_sheet(world, 3, (msd_real)0.02, false);
  add_sleepers_sheet(world, 3, (msd_real)0.06, false);
  return world;
}

static msd_world *sleeping_stacks(void) {
  msd_world *world = stacks(1, MSD_SIMD_WIDEST);
  step_until_asleep(world, 4 * SHEET);
  return world;
}

Test(sleeping_surfaces, stacks_fall_asleep_and_cost_no_search) {
  msd_world *world = sleeping_stacks();
  const uint64_t hash = msd_world_hash(world);
  world->stepper.self.cache.chosen_at = 7; /* which a step that searches forgets */
  step_sleepers(world, 5);
  cr_assert_eq(msd_world_hash(world), hash);
  cr_assert_eq(world->stepper.self.cache.chosen_at, 7);
  msd_destroy_world(world);
}

Test(sleeping_surfaces, sheets_of_one_stack_wake_and_sleep_together) {
  msd_world *world = sleeping_stacks();
  for (int sheet = 0; sheet < 2; sheet++) {
    msd_world *copy = NULL;
    ASSERT_OK(world, msd_copy_world(world, &copy));
    ASSERT_OK(copy, msd_particle_wake(copy, sheet * SHEET + 40));
    cr_assert_eq(msd_world_get_stats(copy).asleep, 2 * SHEET);
    cr_assert(!msd_particle_is_asleep(copy, 0) && !msd_particle_is_asleep(copy, SHEET));
    for (int frame = 0; frame < 200; frame++) {
      step_sleepers(copy, 1);
      cr_assert_eq(msd_particle_is_asleep(copy, 0), msd_particle_is_asleep(copy, SHEET));
      cr_assert(msd_particle_is_asleep(copy, 2 * SHEET) && msd_particle_is_asleep(copy, 3 * SHEET));
    }
    cr_assert_eq(msd_world_get_stats(copy).asleep, 4 * SHEET);
    msd_destroy_world(copy);
  }
  msd_destroy_world(world);
}

Test(sleeping_surfaces, a_sheet_that_falls_wakes_the_stack_that_it_falls_on_alone) {
  msd_world *world = stacks(1, MSD_SIMD_WIDEST);
  const int32_t falling = add_sleepers_sheet(world, 0, 40, false);
  for (int frame = 0; !msd_particle_is_asleep(world, 0) && frame < 600; frame++)
    step_sleepers(world, 1);
  cr_assert(msd_particle_is_asleep(world, 0) && !msd_particle_is_asleep(world, falling));
  for (int32_t i = 0; i < SHEET; i++) {
    msd_vec3 to = msd_particle_get_position(world, falling + i);
    to.y = (msd_real)0.5;
    ASSERT_OK(world, msd_particle_set_position(world, falling + i, to));
    ASSERT_OK(world, msd_particle_set_velocity(world, falling + i, (msd_vec3){0, -1, 0}));
  }
  const int32_t top = SHEET + SHEET / 2;
  bool woke = false;
  for (int frame = 0; frame < 60 && !woke; frame++) {
    const double gap = (double)(msd_particle_get_position(world, falling + SHEET / 2).y -
                                msd_particle_get_position(world, top).y);
    step_sleepers(world, 1);
    woke = !msd_particle_is_asleep(world, top);
    cr_assert(!woke || gap < 0.15, "from %g m", gap);
    cr_assert(woke || gap > 0.01);
    cr_assert_eq(msd_particle_is_asleep(world, 0), !woke);
    cr_assert(msd_particle_is_asleep(world, 2 * SHEET));
  }
  cr_assert(woke);
  step_until_asleep(world, 5 * SHEET);
  cr_assert_eq(msd_world_get_stats(world).penetrations, 0);
  msd_destroy_world(world);
}

Test(sleeping_surfaces, pins_that_stand_join_nothing_and_do_not_wake) {
  msd_world *world = sleepers_world(1, MSD_SIMD_WIDEST);
  const int32_t ground = add_sleepers_sheet(world, 0, 0, true);
  const int32_t sheet = add_sleepers_sheet(world, 0, (msd_real)0.04, false);
  step_until_asleep(world, 2 * SHEET);
  ASSERT_OK(world, msd_particle_set_velocity(world, sheet, (msd_vec3){0, (msd_real)0.5, 0}));
  step_sleepers(world, 1);
  cr_assert_eq(msd_world_get_stats(world).asleep, SHEET);
  step_until_asleep(world, 2 * SHEET);
  for (int32_t i = 0; i < SHEET; i++) {
    msd_vec3 to = msd_particle_get_position(world, ground + i);
    to.y += (msd_real)0.01;
    ASSERT_OK(world, msd_particle_move_to(world, ground + i, to));
  }
  step_sleepers(world, 1);
  cr_assert_not(msd_particle_is_asleep(world, sheet + SHEET / 2));
  msd_destroy_world(world);
}

/* Of what sleeps, where lists have it: returns how many leaves have stayed where they were placed. */
static int expect_lists_to_have(const msd_world *world, int frame) {
  const self_contact *c = &world->stepper.self;
  const particle_store *p = &world->model.particles;
  int standing = 0;
  for (int32_t v = 0; v < c->mesh.of[SURFACE_VERTICES].count; v++) {
    const int32_t slot = c->mesh.slot[v];
    if (!surface_mesh_is_filled(&c->mesh, SURFACE_VERTICES, v) ||
        world->stepper.sleep.marks[slot] & SLEEP_AWAKE)
      continue;
    const msd_real *record = c->search.records + (size_t)v * RECORD_SIZE;
    cr_assert_eq(c->search.vertex_skins[v], 0, "vertex %d in frame %d", (int)v, frame);
    for (size_t axis = 0; axis < 3; axis++) {
      cr_assert_eq(record[axis], p->slab[p->current][axis * p->stride + (size_t)slot], "vertex %d", (int)v);
      cr_assert_eq(record[RECORD_QUAD + axis], 0, "vertex %d", (int)v);
    }
  }
  for (int32_t leaf = 0; leaf < c->mesh.leaf_count; leaf++)
    standing += c->search.stands[leaf] != 0;
  return standing;
}

/* Lists are made for a sheet that falls, again and again with other skins. */
Test(sleeping_surfaces, what_sleeps_is_in_lists_where_it_is_and_has_no_skin_of_before) {
  msd_world *world = stacks(1, MSD_SIMD_WIDEST);
  add_sleepers_sheet(world, 0, 40, false);
  for (int frame = 0; !msd_particle_is_asleep(world, 0) && frame < 600; frame++)
    step_sleepers(world, 1);
  cr_assert_eq(msd_world_get_stats(world).asleep, 4 * SHEET);
  for (int frame = 0; frame < 40; frame++) {
    step_sleepers(world, 1);
    cr_expect_gt(expect_lists_to_have(world, frame), 0, "frame %d", frame);
  }
  msd_destroy_world(world);
}

static msd_world *played(int threads, msd_simd simd) {
  msd_world *world = stacks(threads, simd);
  for (int frame = 0; frame < 150; frame++) {
    if (frame == 100)
      ASSERT_OK(world, msd_particle_set_velocity(world, SHEET + 30, (msd_vec3){0, 1, 0}));
    step_sleepers(world, 1);
  }
  return world;
}

Test(sleeping_surfaces, bits_do_not_depend_on_threads_and_widths) {
  msd_world *reference = played(1, MSD_SIMD_SCALAR);
  static const int threads[] = {1, 3, 2};
  static const msd_simd widths[] = {MSD_SIMD_WIDEST, MSD_SIMD_128, MSD_SIMD_WIDEST};
  for (int n = 0; n < 3; n++) {
    msd_world *world = played(threads[n], widths[n]);
    cr_assert_eq(msd_world_hash(world), msd_world_hash(reference), "%d threads", threads[n]);
    cr_assert_eq(msd_world_get_stats(world).asleep, msd_world_get_stats(reference).asleep);
    msd_destroy_world(world);
  }
  msd_destroy_world(reference);
}

Test(sleeping_surfaces, copies_go_on_with_the_same_bits) {
  msd_world *world = stacks(1, MSD_SIMD_WIDEST);
  for (int moment = 0; moment < 8; moment++) {
    step_sleepers(world, 12);
    if (moment == 5)
      ASSERT_OK(world, msd_particle_set_velocity(world, SHEET + 30, (msd_vec3){0, 1, 0}));
    msd_world *copy = NULL;
    ASSERT_OK(world, msd_copy_world(world, &copy));
    step_sleepers(world, 10);
    step_sleepers(copy, 10);
    cr_assert_eq(msd_world_hash(world), msd_world_hash(copy), "moment %d", moment);
    cr_assert_eq(msd_world_get_stats(world).asleep, msd_world_get_stats(copy).asleep);
    msd_destroy_world(copy);
  }
  msd_destroy_world(world);
}

Test(sleeping_surfaces, in_turbulence_nothing_sleeps_and_in_still_air_it_does) {
  for (int turbulence = 0; turbulence < 2; turbulence++) {
    msd_world *world = stacks(1, MSD_SIMD_WIDEST);
    msd_wind_def wind = msd_default_wind_def();
    wind.turbulence = turbulence ? (msd_real)0.001 : 0;
    ASSERT_OK(world, msd_world_set_wind(world, &wind));
    step_sleepers(world, 150);
    cr_assert_eq(msd_world_get_stats(world).asleep, turbulence ? 0 : 4 * SHEET);
    msd_destroy_world(world);
  }
}

static void set_air(msd_world *world) {
  msd_wind_def wind = msd_default_wind_def();
  wind.velocity = (msd_vec3){0, 0, (msd_real)0.25};
  wind.turbulence = 0;
  ASSERT_OK(world, msd_world_set_wind(world, &wind));
}

/* What air did to a face stays where it is kept, if nobody asks for it again. */
Test(sleeping_surfaces, air_pushes_what_falls_as_if_alone_and_no_face_that_sleeps) {
  for (int threads = 1; threads <= 3; threads++) {
    msd_world *both = sleepers_world(threads, MSD_SIMD_WIDEST), *alone = sleepers_world(1, MSD_SIMD_WIDEST);
    add_sleepers_ground(both);
    add_sleepers_ground(alone);
    set_air(both);
    set_air(alone);
    add_sleepers_sheet(both, 0, (msd_real)0.02, true);
    step_until_asleep(both, SHEET);
    add_sleepers_sheet(both, 3, 1, false);
    add_sleepers_sheet(alone, 3, 1, false);
    step_sleepers(both, 1);
    step_sleepers(alone, 1);
    const wind_work *air = &both->stepper.wind;
    cr_assert_eq(air->awake.total, air->face_count / 2);
    air->pushes[0].most = air->pushes[air->face_count - 1].most = -7;
    step_sleepers(both, 20);
    step_sleepers(alone, 20);
    cr_assert_eq(msd_world_get_stats(both).asleep, SHEET);
    cr_assert_eq(air->pushes[0].most, -7);
    cr_assert_neq(air->pushes[air->face_count - 1].most, -7);
    for (int32_t i = 0; i < SHEET; i++) {
      const msd_vec3 p = msd_particle_get_position(both, SHEET + i), q = msd_particle_get_position(alone, i);
      cr_assert(p.x == q.x && p.y == q.y && p.z == q.z, "particle %d", (int)i);
    }
    msd_destroy_world(both);
    msd_destroy_world(alone);
  }
}

/* A sheet of 3600 particles far above the ground. */
static void add_wide_sheet(msd_world *world) {
  enum { WIDE = 60 };
  msd_cloth_def def = msd_default_cloth_def();
  def.origin = (msd_vec3){0, 20, 0};
  def.u = (msd_vec3){3, 0, 0};
  def.v = (msd_vec3){0, 0, 3};
  def.columns = def.rows = WIDE;
  def.mass = 3;
  def.stretch = def.shear = sleepers_spring(20, (msd_real)0.02);
  msd_body body;
  ASSERT_OK(world, msd_add_cloth(world, &def, &body));
  static int32_t triangles[3 * WIDE * WIDE];
  int32_t count = 0;
  for (int32_t row = 0; row + 1 < WIDE; row++)
    for (int32_t column = 0; column + 1 < WIDE; column++, count++) {
      const int32_t a = body.particles.first + row * WIDE + column;
      memcpy(triangles + 3 * (size_t)count, (int32_t[3]){a, a + 1, a + WIDE}, 3 * sizeof *triangles);
    }
  msd_collision_mesh_def surface = msd_default_collision_mesh_def();
  surface.triangles = triangles;
  surface.triangle_count = count;
  surface.thickness = (msd_real)0.02;
  ASSERT_OK(world, msd_add_collision_meshes(world, &surface, 1, NULL));
}

/* Lists give it no skins. So no motion bound may carry it along with what falls, of which there is 25 times as
   much. */
Test(sleeping_surfaces, what_sleeps_is_expected_to_stay_where_it_is_while_the_others_fall) {
  msd_world *world = sleepers_world(1, MSD_SIMD_WIDEST);
  add_sleepers_ground(world);
  add_sleepers_sheet(world, 0, (msd_real)0.02, false);
  step_until_asleep(world, SHEET);
  add_wide_sheet(world);
  for (int frame = 0; frame < 6; frame++) {
    step_sleepers(world, 1);
    cr_assert_eq(msd_world_get_stats(world).asleep, SHEET);
    const motion_bound *list = &world->stepper.self.cache.list;
    const particle_store *p = &world->model.particles;
    cr_assert_gt(list->age, 0);
    for (int32_t i = 0; i < SHEET; i++)
      for (size_t axis = 0; axis < 3; axis++) {
        const size_t slot = (size_t)particle_slot(p, i), at = axis * list->stride + slot;
        const double expected = (double)list->state[at] +
                                (double)list->state[3 * list->stride + at] * list->age +
                                motion_bound_shift(list, axis, list->age);
        cr_assert_float_eq(expected, (double)p->slab[p->current][axis * p->stride + slot], 1e-6,
                           "particle %d in frame %d", (int)i, frame);
      }
  }
  msd_destroy_world(world);
}
