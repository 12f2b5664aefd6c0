/* The public functions of msd/collision_mesh.h: definitions, and which surfaces ignore each other. */
#include "engine/world/world.h"
#include "tests/support/colliders.h"
#include "tests/support/snapshots.h"

static const int32_t LOWER[] = {0, 1, 2}, UPPER[] = {3, 4, 5};

/* Two triangles, of which the upper one is free, 0.1 m above the other, and falls at 2 m/s. */
static msd_world *two_triangles(void) {
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  for (int n = 0; n < 2; n++) {
    const double y = 0.1 * n;
    add_particle(world, 1, 0, y, 0);
    add_particle(world, 1, 1, y, 0);
    add_particle(world, 1, 0, y, 1);
  }
  for (int n = 0; n < 3; n++) {
    ok(world, msd_particle_pin(world, LOWER[n]));
    set_velocity(world, UPPER[n], 0, -2, 0);
  }
  return world;
}

static msd_collision_mesh_def surface_of_triangle(const int32_t triangle[3]) {
  msd_collision_mesh_def def = msd_default_collision_mesh_def();
  def.triangles = triangle;
  def.triangle_count = 1;
  return def;
}

static void add_both(msd_world *world) {
  const msd_collision_mesh_def both[] = {surface_of_triangle(LOWER), surface_of_triangle(UPPER)};
  int32_t first = -1;
  ok(world, msd_add_collision_meshes(world, both, 2, &first));
  cr_assert_eq(first, 0);
}

static void expect_refused(msd_world *world, msd_collision_mesh_def def, msd_result result,
                           const char *field) {
  const msd_collision_mesh_def both[] = {surface_of_triangle(LOWER), def};
  int32_t first = 77;
  cr_expect_eq(msd_add_collision_meshes(world, both, 2, &first), result, "%s", field);
  cr_expect_not_null(strstr(msd_world_message(world), field), "%s: %s", field, msd_world_message(world));
  cr_expect(first == 77 && msd_world_get_collision_mesh_count(world) == 0, "all or none");
}

Test(surface_api, a_definition_that_is_wrong_is_refused_by_the_name_of_its_field) {
  msd_world *world = two_triangles();
  const msd_real bad[] = {(msd_real)-0.5, -2, (msd_real)INFINITY, (msd_real)NAN};
  for (int n = 0; n < 4; n++) {
    msd_collision_mesh_def def = surface_of_triangle(UPPER);
    def.thickness = bad[n];
    expect_refused(world, def, MSD_BAD_VALUE, "thickness");
    def = surface_of_triangle(UPPER);
    def.friction = bad[n];
    expect_refused(world, def, MSD_BAD_VALUE, "friction");
  }
  static const int32_t beyond[] = {0, 1, 6}, twice[] = {0, 1, 0};
  expect_refused(world, surface_of_triangle(beyond), MSD_BAD_INDEX, "triangle 0 has particle 6");
  expect_refused(world, surface_of_triangle(twice), MSD_BAD_VALUE, "twice");
  expect_refused(world, msd_default_collision_mesh_def(), MSD_BAD_VALUE, "neither triangles nor segments");
  msd_collision_mesh_def def = surface_of_triangle(UPPER);
  def.segment_count = 1;
  expect_refused(world, def, MSD_BAD_VALUE, "no list");
  def = surface_of_triangle(UPPER);
  def.cookie = 0;
  expect_refused(world, def, MSD_UNINITIALIZED_DEF, "msd_default_collision_mesh_def");
  msd_destroy_world(world);
}

static void expect_same(msd_collision_mesh_def a, msd_collision_mesh_def b) {
  cr_assert(a.triangle_count == b.triangle_count && a.segment_count == b.segment_count);
  cr_expect(a.triangle_count == 0 ||
            memcmp(a.triangles, b.triangles, 3 * (size_t)a.triangle_count * sizeof *a.triangles) == 0);
  cr_expect(a.segment_count == 0 ||
            memcmp(a.segments, b.segments, 2 * (size_t)a.segment_count * sizeof *a.segments) == 0);
  cr_expect(a.thickness == b.thickness && a.friction == b.friction && a.self_collision == b.self_collision &&
            a.cookie == b.cookie);
}

Test(surface_api, definitions_and_pairs_come_back_also_from_a_snapshot) {
  static const int32_t segments[] = {0, 4, 4, 2};
  msd_world *world = two_triangles(), *other = new_world(MSD_SYMPLECTIC_EULER);
  msd_collision_mesh_def defs[] = {surface_of_triangle(LOWER), surface_of_triangle(UPPER),
                                   msd_default_collision_mesh_def()};
  defs[1].thickness = (msd_real)0.25;
  defs[1].friction = (msd_real)0.5;
  defs[2].segments = segments;
  defs[2].segment_count = 2;
  defs[2].self_collision = false;
  ok(world, msd_add_collision_meshes(world, defs, 3, NULL));
  ok(world, msd_collision_mesh_exclude(world, 2, 1));
  const snapshot saved = snapshot_of(world);
  ok(other, msd_world_restore(other, saved.data, saved.size));
  const msd_world *both[] = {world, other};
  for (int w = 0; w < 2; w++) {
    cr_assert_eq(msd_world_get_collision_mesh_count(both[w]), 3);
    for (int n = 0; n < 3; n++)
      expect_same(msd_collision_mesh_get_def(both[w], n), defs[n]);
    for (int a = 0; a < 3; a++)
      for (int b = 0; b < 3; b++)
        cr_expect_eq(msd_collision_mesh_excludes(both[w], a, b), a + b == 3 || (a == 2 && b == 2));
    expect_same(msd_collision_mesh_get_def(both[w], 3), msd_default_collision_mesh_def());
  }
  free(saved.data);
  msd_destroy_world(world);
  msd_destroy_world(other);
}

Test(surface_api, ignoring_twice_is_ignoring_and_what_is_not_there_cannot) {
  msd_world *world = two_triangles();
  add_both(world);
  ok(world, msd_collision_mesh_exclude(world, 0, 0));
  ok(world, msd_collision_mesh_exclude(world, 0, 1));
  const snapshot once = snapshot_of(world);
  ok(world, msd_collision_mesh_exclude(world, 0, 0));
  ok(world, msd_collision_mesh_exclude(world, 1, 0));
  const snapshot twice = snapshot_of(world);
  cr_assert_eq(once.size, twice.size);
  cr_expect_eq(memcmp(once.data, twice.data, once.size), 0);
  cr_expect_not(msd_collision_mesh_get_def(world, 0).self_collision);
  cr_expect(msd_collision_mesh_get_def(world, 1).self_collision);
  cr_expect_eq(msd_collision_mesh_exclude(world, 0, 2), MSD_BAD_INDEX);
  cr_expect_not_null(strstr(msd_world_message(world), "collision mesh 2"), "%s", msd_world_message(world));
  cr_expect_eq(msd_collision_mesh_exclude(world, -1, 0), MSD_BAD_INDEX);
  cr_expect_eq(msd_collision_mesh_exclude(NULL, 0, 0), MSD_BAD_INDEX);
  cr_expect_not(msd_collision_mesh_excludes(world, 0, 2));
  cr_expect_not(msd_collision_mesh_excludes(NULL, 0, 1));
  free(once.data);
  free(twice.data);
  msd_destroy_world(world);
}

/* After 0.1 s at 2 m/s it would be 0.1 m below. */
Test(surface_api, what_is_ignored_falls_through_and_all_else_does_not) {
  for (int ignored = 0; ignored <= 1; ignored++) {
    msd_world *world = two_triangles();
    add_both(world);
    if (ignored) {
      ok(world, msd_world_step(world, (msd_real)0.01, 1)); /* the lists are there already */
      ok(world, msd_collision_mesh_exclude(world, 1, 0));
    }
    for (int frame = ignored; frame < 10; frame++)
      ok(world, msd_world_step(world, (msd_real)0.01, 1));
    for (int n = 0; n < 3; n++) {
      const double y = (double)msd_particle_get_position(world, UPPER[n]).y;
      cr_expect(ignored ? fabs(y + 0.1) < 1e-5 : y > 0, "%g", y);
    }
    msd_destroy_world(world);
  }
}

/* The distance from the origin at which positions are rounded to a 32nd of the default thickness. */
static double too_far(const msd_world *world) {
  const double epsilon = sizeof(msd_real) == sizeof(double) ? 0x1p-52 : 0x1p-23;
  return (double)msd_world_get_contact_settings(world).thickness / (32 * epsilon);
}

static void move_triangle(msd_world *world, const int32_t triangle[3], double x) {
  for (int k = 0; k < 3; k++) {
    msd_vec3 at = msd_particle_get_position(world, triangle[k]);
    at.x = (msd_real)(x + (k == 1));
    ok(world, msd_particle_set_position(world, triangle[k], at));
  }
}

Test(surface_api, a_mesh_too_far_from_the_origin_for_its_thickness_is_refused_and_nothing_changes) {
  for (int axis = 0; axis < 2; axis++) {
    msd_world *world = two_triangles();
    add_both(world);
    const double far = (axis == 0 ? 1 : -1) * 1.01 * too_far(world);
    move_triangle(world, UPPER, far);
    const uint64_t before = msd_world_hash(world);
    cr_expect_eq(msd_world_check(world), MSD_TOO_FAR);
    cr_expect_eq(msd_world_step(world, (msd_real)0.01, 4), MSD_TOO_FAR);
    cr_expect(strstr(msd_world_message(world), "collision mesh 1") != NULL, "%s", msd_world_message(world));
    cr_expect_eq(msd_world_hash(world), before);
    move_triangle(world, UPPER, far / 1.1);
    ok(world, msd_world_step(world, (msd_real)0.01, 4));
    msd_destroy_world(world);
  }
}

/* What falls out of the world does not stop the rest. */
Test(surface_api, a_mesh_of_which_less_than_half_is_too_far_goes_on) {
  static const int32_t both[] = {0, 1, 2, 3, 4, 5};
  msd_world *world = two_triangles();
  msd_collision_mesh_def def = msd_default_collision_mesh_def();
  def.triangles = both;
  def.triangle_count = 2;
  int32_t first;
  ok(world, msd_add_collision_meshes(world, &def, 1, &first));
  move_triangle(world, UPPER, 1.5 * too_far(world));
  ok(world, msd_world_step(world, (msd_real)0.01, 4));
  move_triangle(world, LOWER, 1.5 * too_far(world));
  cr_expect_eq(msd_world_step(world, (msd_real)0.01, 4), MSD_TOO_FAR);
  msd_destroy_world(world);
}

/* A thickness of its own counts, and 0 asks for nothing. */
Test(surface_api, how_far_a_mesh_may_be_is_by_its_own_thickness) {
  static const double thicknesses[] = {0, 0.0005, 0.05};
  for (int n = 0; n < 3; n++) {
    msd_world *world = two_triangles();
    msd_collision_mesh_def def = surface_of_triangle(UPPER);
    def.thickness = (msd_real)thicknesses[n];
    int32_t first;
    ok(world, msd_add_collision_meshes(world, &def, 1, &first));
    move_triangle(world, UPPER, 2 * too_far(world));
    cr_expect_eq(msd_world_step(world, (msd_real)0.01, 4), n == 1 ? MSD_TOO_FAR : MSD_OK);
    msd_destroy_world(world);
  }
}
