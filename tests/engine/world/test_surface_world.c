/* Worlds with surfaces: corners that are none, integrators, what touches what, changes between steps, steps
   that end early, and snapshots in the middle of a fold. */
#include "engine/world/world.h"
#include "tests/support/scarce_memory.h"
#include "tests/support/snapshots.h"
#include "tests/support/touching.h"

#include <limits.h>
#include <string.h>

static const double FRAME = 1.0 / 60;

static const msd_vec3 DOWN = {0, (msd_real)-9.81, 0}, NOWHERE = {0, 0, 0};

/* ---------------------------------------------------------------------------------------------- definitions */

static msd_world *world_of_five(void) {
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  for (int i = 0; i < 5; i++)
    add_particle(world, 1, i, i * i, i % 2);
  return world;
}

static const int32_t CORNERS[6] = {0, 1, 2, 1, 2, 3}, ENDS[4] = {0, 1, 3, 4};

static msd_collision_mesh_def surface_of(int32_t triangles, int32_t segments) {
  msd_collision_mesh_def def = msd_default_collision_mesh_def();
  def.triangles = CORNERS;
  def.triangle_count = triangles;
  def.segments = ENDS;
  def.segment_count = segments;
  return def;
}

/* With a good one before it: all or none are added. */
static void expect_refused(msd_world *world, msd_collision_mesh_def def, msd_result result,
                           const char *part) {
  const msd_collision_mesh_def both[2] = {surface_of(2, 2), def};
  const int32_t before = msd_world_get_collision_mesh_count(world);
  int32_t first = 77;
  cr_expect_eq(msd_add_collision_meshes(world, both, 2, &first), result, "%s", part);
  cr_expect_not_null(strstr(msd_world_message(world), part), "%s: %s", part, msd_world_message(world));
  cr_expect_not_null(strstr(msd_world_message(world), "collision mesh definition 1"), "%s",
                     msd_world_message(world));
  cr_expect(first == 77 && msd_world_get_collision_mesh_count(world) == before, "all or none");
}

Test(surface_world, corners_are_different_particles_that_there_are) {
  msd_world *world = world_of_five();
  static const int32_t beyond[] = {-1, 5, INT32_MAX};
  for (int32_t place = 0; place < 6; place++)
    for (int n = 0; n < 4; n++) {
      int32_t corners[6] = {0, 1, 2, 1, 2, 3};
      corners[place] = n < 3 ? beyond[n] : corners[place < 3 ? (place + 1) % 3 : 3 + (place + 1) % 3];
      msd_collision_mesh_def def = surface_of(2, 0);
      def.triangles = corners;
      expect_refused(world, def, n < 3 ? MSD_BAD_INDEX : MSD_BAD_VALUE,
                     place < 3 ? "triangle 0" : "triangle 1");
    }
  for (int32_t place = 0; place < 4; place++)
    for (int n = 0; n < 4; n++) {
      int32_t ends[4] = {0, 1, 3, 4};
      ends[place] = n < 3 ? beyond[n] : ends[place ^ 1];
      msd_collision_mesh_def def = surface_of(0, 2);
      def.segments = ends;
      expect_refused(world, def, n < 3 ? MSD_BAD_INDEX : MSD_BAD_VALUE,
                     place < 2 ? "segment 0" : "segment 1");
    }
  msd_destroy_world(world);
}

Test(surface_world, indices_follow_each_other_and_lists_are_copied) {
  msd_world *world = world_of_five();
  int32_t corners[3] = {0, 1, 2}, first = -1;
  msd_collision_mesh_def defs[2] = {surface_of(1, 0), surface_of(0, 1)};
  defs[0].triangles = corners;
  ok(world, msd_add_collision_meshes(world, defs, 2, &first));
  cr_expect_eq(first, 0);
  corners[0] = 99;
  ok(world, msd_add_collision_meshes(world, &defs[1], 1, &first));
  cr_expect_eq(first, 2);
  ok(world, msd_add_collision_meshes(world, NULL, 0, NULL));
  cr_expect_eq(msd_world_get_collision_mesh_count(world), 3);
  step(world, FRAME, 2);
  cr_expect_eq(msd_add_collision_meshes(world, NULL, 1, NULL), MSD_BAD_VALUE);
  cr_expect_eq(msd_add_collision_meshes(world, defs, -1, NULL), MSD_BAD_VALUE);
  msd_destroy_world(world);
}

Test(surface_world, a_world_that_is_none_is_refused) {
  const msd_collision_mesh_def def = surface_of(1, 0);
  cr_expect_eq(msd_add_collision_meshes(NULL, &def, 1, NULL), MSD_BAD_VALUE);
  cr_expect_eq(msd_world_get_collision_mesh_count(NULL), 0);
}

/* ---------------------------------------------------------------------------------------------- integrators */

Test(surface_world, integrators_without_predictions_refuse_them) {
  for (int n = 0; n < MSD_INTEGRATOR_COUNT; n++) {
    msd_world *world = world_of_five();
    const msd_collision_mesh_def def = surface_of(1, 0);
    ok(world, msd_world_set_integrator(world, (msd_integrator)n));
    ok(world, msd_add_collision_meshes(world, &def, 1, NULL));
    const msd_result result = msd_world_step(world, (msd_real)FRAME, 2);
    if (n == MSD_SYMPLECTIC_EULER || n == MSD_SEQUENTIAL_IMPULSE) {
      cr_expect_eq(result, MSD_OK);
    } else {
      cr_expect_eq(result, MSD_BAD_VALUE);
      cr_expect_not_null(strstr(msd_world_message(world), "symplectic_euler"));
      cr_expect_not_null(strstr(msd_world_message(world), "collision meshes need"));
    }
    msd_destroy_world(world);
  }
}

/* --------------------------------------------------------------------------------------- what touches what */

/* A triangle of 3 kg that falls onto another which is held, each with a thickness, until it rests. */
static touching rest_on_each_other(double lower, double upper) {
  touching t = contact_step_new(DOWN, 0.3, 0);
  const msd_vec3 large[3] = {vector(-2, 0, -2), vector(2, 0, -2), vector(0, 0, 3)};
  const msd_vec3 small[3] = {vector(0, 0.1, 0), vector(0.1, 0.1, 0), vector(0, 0.1, 0.1)};
  for (int n = 0; n < 2; n++) {
    int32_t corners[3];
    for (int k = 0; k < 3; k++) {
      const msd_vec3 at = n ? small[k] : large[k];
      corners[k] = add_particle(t.world, 1, (double)at.x, (double)at.y, (double)at.z);
    }
    msd_collision_mesh_def def = msd_default_collision_mesh_def();
    def.triangles = corners;
    def.triangle_count = 1;
    def.thickness = (msd_real)(n ? upper : lower);
    touching_add(&t, def);
  }
  pin_all(t.world, 0, 3);
  for (int frame = 0; frame < 60; frame++)
    step(t.world, FRAME, 8);
  return t;
}

/* How high it comes to rest. */
static double resting_height(double lower, double upper) {
  touching t = rest_on_each_other(lower, upper);
  const double height = (double)msd_particle_get_position(t.world, 3).y;
  contact_step_free(&t);
  return height;
}

Test(surface_world, the_contacts_of_what_rests_carry_its_weight) {
  touching t = rest_on_each_other(0.01, 0.01);
  msd_mesh_contact contacts[16];
  const int32_t count = msd_world_get_mesh_contacts(t.world, contacts, 16);
  cr_assert(count >= 3 && count <= 16, "%d contacts", (int)count);
  cr_expect_eq(msd_world_get_mesh_contacts(t.world, NULL, 0), count);
  double weight = 0;
  for (int32_t n = 0; n < count; n++) {
    const msd_mesh_contact *c = &contacts[n];
    const double sign = c->mesh_a == 1 ? 1 : -1;
    cr_expect(c->mesh_a + c->mesh_b == 1 && c->is_point_and_triangle);
    cr_expect_float_eq(sign * (double)c->normal.y, 1, 1e-5);
    cr_expect_float_eq((double)c->point.y, 0.005, 1e-5, "halfway up to %g m", (double)c->point.y);
    cr_expect(c->particles[0] >= 3 && c->particles[1] < 3, "a corner of the upper on the lower");
    weight += sign * (double)c->force.y;
  }
  cr_expect_float_eq(weight, 3 * 9.81, 3 * 9.81 * 2e-3, "%g N", weight);
  const msd_particle_def more = msd_default_particle_def();
  ok(t.world, msd_add_particles(t.world, &more, 1, NULL));
  cr_expect_eq(msd_world_get_mesh_contacts(t.world, contacts, 16), 0, "they are of what there was");
  contact_step_free(&t);
}

Test(surface_world, surfaces_keep_the_mean_of_their_thicknesses_apart) {
  cr_expect_float_eq(resting_height(0.02, 0.04), 0.03, 1e-5);
  cr_expect_float_eq(resting_height(0.04, 0.01), 0.025, 1e-5);
  cr_expect_float_eq(resting_height(MSD_CONTACT_THICKNESS, MSD_CONTACT_THICKNESS), 0.005, 1e-5);
  cr_expect_float_eq(resting_height(MSD_CONTACT_THICKNESS, 0.015), 0.01, 1e-5);
  const double thin = resting_height(0, 0);
  cr_expect(thin > 0 && thin < 1e-4, "of no thickness: %g m", thin);
}

/* Mesh sizes, ropes and layers may be finer than the thickness. */
Test(surface_world, what_was_nearer_than_the_thickness_when_it_was_added_is_not_pushed_apart) {
  touching t = contact_step_new(NOWHERE, 0.3, 0);
  set_contact(t.world, 0.1, 0.3, 0);
  touching_sheet(&t, 8, 8, vector(0, 0, 0), vector(0.2, 0, 0), vector(0, 0, 0.2), true);
  touching_sheet(&t, 8, 8, vector(0, 0.02, 0), vector(0.2, 0, 0), vector(0, 0, 0.2), true);
  touching_rope(&t, 20, vector(0, 0.03, 0.1), vector(0.2, 0.03, 0.1));
  step(t.world, 1, 60);
  cr_expect_lt(msd_world_get_stats(t.world).max_speed, 1e-5);
  contact_step_free(&t);
}

/* Of two sheets that are dropped on their edges onto a floor, one beside the other: the most pairs that
   intersect within one, and of one with the other. */
typedef struct crossings {
  int64_t within, between;
} crossings;

static crossings crossings_of(bool has_surface, bool self_collision) {
  touching t = contact_step_new(DOWN, 0.3, 0);
  add_collider(t.world, plane_of(vector(0, 1, 0)));
  int32_t triangles[2 * 6 * 100], count = 0;
  for (int n = 0; n < 2; n++) {
    const int32_t first = touching_sheet(&t, 10, 10, vector(0.01 * n, 0.02, 0.04 * n), vector(0.4, 0, 0),
                                         vector(0.02, 0.4, 0.01), false);
    msd_collision_mesh_def def = msd_default_collision_mesh_def();
    def.triangles = triangles + 3 * (size_t)count;
    def.triangle_count = grid_triangles(triangles + 3 * (size_t)count, first, 10, 10, 1, 10);
    def.self_collision = self_collision;
    count += def.triangle_count;
    if (has_surface)
      ok(t.world, msd_add_collision_meshes(t.world, &def, 1, NULL));
  }
  msd_intersection_def check = msd_default_intersection_def();
  check.triangles = triangles;
  check.triangle_count = count;
  crossings most = {0, 0};
  for (int frame = 0; frame < 50; frame++) {
    step(t.world, FRAME, 6);
    msd_intersection pairs[2000];
    int64_t found = 0;
    ok(t.world, msd_world_find_intersections(t.world, &check, pairs, 2000, &found));
    crossings now = {0, 0};
    for (int64_t n = 0; n < found && n < 2000; n++)
      *((pairs[n].a < count / 2) == (pairs[n].b < count / 2) ? &now.within : &now.between) += 1;
    most.within = now.within > most.within ? now.within : most.within;
    most.between = now.between > most.between ? now.between : most.between;
  }
  contact_step_free(&t);
  return most;
}

Test(surface_world, a_surface_may_touch_others_and_not_itself) {
  const crossings none = crossings_of(false, true), others = crossings_of(true, false),
                  all = crossings_of(true, true);
  cr_expect(none.within > 0 && none.between > 0, "without surfaces: %d and %d", (int)none.within,
            (int)none.between);
  cr_expect(others.within > 0 && others.between == 0, "with others alone: %d and %d", (int)others.within,
            (int)others.between);
  cr_expect(all.within == 0 && all.between == 0, "with all: %d and %d", (int)all.within, (int)all.between);
}

/* ------------------------------------------------------------------------------------------------- changes */

/* In the middle of a fold: what is added, moved and set acts from the next step on. */
static touching crumple(void) {
  touching t = contact_step_new(DOWN, 0.3, 0.25);
  add_collider(t.world, plane_of(vector(0, 1, 0)));
  touching_sheet(&t, 9, 11, vector(0, 0.02, 0), vector(0.4, 0, 0), vector(0.02, 0.4, 0.01), true);
  const int32_t rope = touching_rope(&t, 15, vector(0, 0.1, 0.1), vector(0.4, 0.15, 0.1));
  throw_all(t.world, rope, 15, vector(0, 0, -2));
  return t;
}

Test(surface_world, surfaces_particles_and_thickness_may_change_between_steps) {
  touching t = crumple();
  for (int frame = 0; frame < 40; frame++) {
    if (frame == 15) {
      touching_triangle(&t, 0.1, vector(0.1, 0.6, 0), vector(0.3, 0.6, 0), vector(0.2, 0.61, 0.1));
      add_spring(t.world, physical(1, 0), 3, 60, 0.1);
    }
    if (frame == 20)
      set_contact(t.world, 0.008, 0.1, 0);
    if (frame == 25)
      ok(t.world, msd_particle_pin(t.world, 30));
    if (frame == 30)
      set_contact(t.world, 0.002, 0.9, 0);
    ok(t.world, msd_world_set_thread_count(t.world, 1 + frame % 3));
    step(t.world, FRAME, 6);
    cr_assert_eq(touching_intersections(&t), 0, "frame %d", frame);
  }
  contact_step_free(&t);
}

Test(surface_world, a_world_restored_or_copied_in_the_middle_of_a_fold_goes_on_with_the_same_bits) {
  touching t = crumple();
  for (int frame = 0; frame < 20; frame++)
    step(t.world, FRAME, 6);
  for (int round = 0; round < 5; round++) {
    step(t.world, FRAME / 6 * (round % 3 + 1), round % 3 + 1);
    const snapshot s = snapshot_of(t.world);
    msd_world *restored = new_world(MSD_SYMPLECTIC_EULER), *copy = NULL;
    ok(restored, msd_world_restore(restored, s.data, s.size));
    ok(t.world, msd_copy_world(t.world, &copy));
    const snapshot again = snapshot_of(restored);
    cr_expect(again.size == s.size && memcmp(again.data, s.data, s.size) == 0,
              "the snapshot of what it gives");
    cr_expect_eq(msd_world_get_collision_mesh_count(restored), 2);
    for (int frame = 0; frame < 4; frame++) {
      step(t.world, FRAME, 5);
      step(restored, FRAME, 5);
      step(copy, FRAME, 5);
      cr_assert_eq(msd_world_hash(t.world), msd_world_hash(restored), "round %d, frame %d", round, frame);
      cr_assert_eq(msd_world_hash(t.world), msd_world_hash(copy), "round %d, frame %d", round, frame);
    }
    free(s.data);
    free(again.data);
    msd_destroy_world(restored);
    msd_destroy_world(copy);
  }
  contact_step_free(&t);
}

static bool at_once(void *context) {
  return --*(int *)context < 0;
}

Test(surface_world, a_step_that_is_stopped_goes_on_without_an_intersection) {
  touching t = crumple();
  int questions = 0;
  for (int frame = 0; frame < 30; frame++) {
    questions = frame % 3;
    ok(t.world, msd_world_set_callbacks(t.world, &(msd_callbacks){.stop = at_once, .context = &questions}));
    const msd_result result = msd_world_step(t.world, (msd_real)FRAME, 100);
    cr_assert(result == MSD_OK || result == MSD_CANCELED);
    cr_assert_eq(touching_intersections(&t), 0, "frame %d", frame);
  }
  contact_step_free(&t);
}

/* A crumple that something leaves at great speed. */
Test(surface_world, a_step_that_diverges_leaves_the_last_finite_state_without_an_intersection) {
  touching t = crumple();
  for (int frame = 0; frame < 10; frame++)
    step(t.world, FRAME, 6);
  const double most = IS_DOUBLE ? 1e308 : 3e38;
  ok(t.world, msd_particle_set_velocity(t.world, 5, vector(0, most, 0)));
  cr_expect_eq(msd_world_step(t.world, 60, 3), MSD_DIVERGED, "%s", msd_world_message(t.world));
  cr_expect_not_null(strstr(msd_world_message(t.world), "particle"), "%s", msd_world_message(t.world));
  for (int32_t i = 0; i < msd_world_get_particle_count(t.world); i++)
    cr_assert(isfinite(msd_particle_get_position(t.world, i).y));
  cr_expect_eq(touching_intersections(&t), 0);
  set_velocity(t.world, 5, 0, 0, 0);
  step(t.world, FRAME, 6);
  cr_expect_eq(touching_intersections(&t), 0);
  contact_step_free(&t);
}

/* Two sheets, of which one lies on the other: what may meet is known from one step to the next. */
static touching two_sheets_on_each_other(scarce *supply) {
  touching t = {.world = NULL};
  msd_world_def def = msd_default_world_def();
  def.allocator = scarce_allocator(supply);
  def.thread_count = 1;
  ok(NULL, msd_create_world(&def, &t.world));
  set_contact(t.world, 0.005, 0.3, 0);
  for (int n = 0; n < 2; n++) {
    const int32_t first = touching_sheet(&t, 12, 12, vector(0.01 * n, 0.006 * n, 0), vector(0.12, 0, 0),
                                         vector(0, 0, 0.12), true);
    for (int32_t corner = 0; n == 0 && corner < 12; corner++)
      ok(t.world, msd_particle_pin(t.world, first + corner));
  }
  for (int n = 0; n < 6; n++)
    ok(t.world, msd_world_step(t.world, (msd_real)0.0125, 8));
  return t;
}

/* Whether a step that failed has nothing left of what the last one knew of which surfaces may meet. */
static bool has_forgotten(const msd_world *world) {
  return strstr(msd_world_message(world), "substep") && world->stepper.listed_for.topology == 0;
}

/* Whether a step that is refused so much memory fails; before its first substep, and while what may meet is
   listed again, it leaves the world as it was, and the same step has the same bits when there is memory. */
static bool fails_and_goes_on(const msd_world *world, scarce *supply, int served, int *before_substeps,
                              int *listing) {
  msd_world *one = NULL, *other = NULL;
  cr_assert(msd_copy_world(world, &one) == MSD_OK && msd_copy_world(world, &other) == MSD_OK);
  supply->left = served;
  const msd_result result = msd_world_step(one, (msd_real)0.0125, 8);
  supply->left = INT_MAX;
  if (result != MSD_OK && !has_forgotten(one)) {
    *listing += strstr(msd_world_message(one), "substep") != NULL;
    ++*before_substeps;
    for (int n = 0; n < 3; n++) {
      ok(one, msd_world_step(one, (msd_real)0.0125, 8));
      ok(other, msd_world_step(other, (msd_real)0.0125, 8));
      cr_assert_eq(msd_world_hash(one), msd_world_hash(other), "with %d blocks, step %d", served, n);
    }
  }
  msd_destroy_world(one);
  msd_destroy_world(other);
  return result != MSD_OK;
}

Test(surface_world, without_memory_for_a_step_what_may_meet_is_still_known) {
  scarce supply = {.left = INT_MAX};
  touching t = two_sheets_on_each_other(&supply);
  int before_substeps = 0, listing = 0;
  for (int served = 0; fails_and_goes_on(t.world, &supply, served, &before_substeps, &listing); served++)
    continue;
  cr_assert_gt(before_substeps, 20);
  cr_assert_gt(listing, 5);
  contact_step_free(&t);
  cr_assert_eq(supply.in_use, 0);
}
