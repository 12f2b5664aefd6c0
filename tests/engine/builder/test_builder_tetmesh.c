/* What tetrahedral meshes are made of, and what is refused. */
#include "tests/support/bodies.h"

#include <stdlib.h>
#include <string.h>

/* A corner of a cube, and the tetrahedron that leans on its slanted face: volumes 1/6 and 1/3, one each way
   round. */
static const msd_vec3 vertices[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}};
static const int32_t tetrahedra[] = {0, 1, 2, 3, 4, 1, 2, 3};

static msd_tetmesh_def pair(void) {
  msd_tetmesh_def def = msd_default_tetmesh_def();
  def.vertices = vertices;
  def.vertex_count = 5;
  def.tetrahedra = tetrahedra;
  def.tetrahedron_count = 2;
  return def;
}

Test(builder_tetmesh, it_has_a_particle_a_vertex_a_spring_an_edge_and_a_volume_a_tetrahedron) {
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  add_particle(world, 1, 5, 5, 5);
  add_particle(world, 1, 6, 5, 5);
  add_spring(world, physical(1, 0), 0, 1, 1);
  const msd_tetmesh_def def = pair();
  msd_body body;
  ok(world, msd_add_tetmesh(world, &def, &body));
  expect_range(body.particles, 2, 5, "particles");
  expect_range(body.springs, 1, 9, "springs");
  expect_range(body.stretch, 1, 9, "edges");
  expect_range(body.constraints, 0, 2, "constraints");
  expect_range(body.volume, 0, 2, "volumes");
  cr_expect(body.shear.count == 0 && body.bend.count == 0 && body.bend_constraints.count == 0);
  bool joined[5][5] = {{false}};
  for (int32_t s = 1; s < 10; s++) {
    const msd_spring_def spring = msd_spring_get_def(world, s);
    cr_assert_lt(spring.a, spring.b);
    cr_expect_not(joined[spring.a - 2][spring.b - 2], "an edge twice");
    joined[spring.a - 2][spring.b - 2] = true;
    cr_expect(spring.law == MSD_SPRING_COEFFICIENT && spring.ck == MSD_MAX_STABLE);
  }
  cr_expect_not(joined[0][4], "no tetrahedron has the edge 0-4");
  for (int32_t t = 0; t < 2; t++) {
    const msd_constraint_def volume = msd_constraint_get_def(world, t);
    cr_expect(volume.kind == MSD_CONSTRAINT_VOLUME && volume.law == MSD_SPRING_COEFFICIENT &&
              volume.ck == MSD_MAX_STABLE);
    cr_expect_float_eq((double)volume.rest, t == 0 ? 1.0 / 6 : 1.0 / 3, 1e-6);
  }
  msd_destroy_world(world);
}

Test(builder_tetmesh, each_corner_gets_a_quarter_of_the_mass) {
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  msd_tetmesh_def def = pair();
  def.density = 24;
  ok(world, msd_add_tetmesh(world, &def, NULL));
  static const double masses[] = {1, 3, 3, 3, 2};
  for (int32_t v = 0; v < 5; v++)
    cr_expect_float_eq((double)msd_particle_get_mass(world, v), masses[v], 1e-5);
  msd_destroy_world(world);
}

Test(builder_tetmesh, it_stays_at_rest_as_it_is_placed) {
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  msd_tetmesh_def def = pair();
  def.stretch = physical(1000, 1);
  def.volume = physical(1e5, 10);
  ok(world, msd_add_tetmesh(world, &def, NULL));
  for (int n = 0; n < 50; n++)
    step(world, 1e-3, 1);
  for (int32_t v = 0; v < 5; v++) {
    const msd_vec3 p = msd_particle_get_position(world, v);
    cr_expect(fabs((double)p.x - (double)vertices[v].x) < 20 * EPSILON &&
              fabs((double)p.y - (double)vertices[v].y) < 20 * EPSILON &&
              fabs((double)p.z - (double)vertices[v].z) < 20 * EPSILON);
  }
  msd_destroy_world(world);
}

Test(builder_tetmesh, springs_and_volumes_are_left_out_when_not_wanted) {
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  msd_tetmesh_def def = pair();
  def.stretch.law = MSD_SPRING_NONE;
  msd_body body;
  ok(world, msd_add_tetmesh(world, &def, &body));
  cr_expect(body.springs.count == 0 && body.volume.count == 2);
  def = pair();
  def.volume.law = MSD_SPRING_NONE;
  ok(world, msd_add_tetmesh(world, &def, &body));
  cr_expect(body.springs.count == 9 && body.constraints.count == 0);
  msd_destroy_world(world);
}

static void expect_refused(msd_world *world, const msd_tetmesh_def *def, msd_result expected,
                           const char *part) {
  msd_body body = {.particles = {1, 1}};
  const msd_result result = msd_add_tetmesh(world, def, &body);
  cr_expect_eq(result, expected, "%s: %s", msd_result_string(result), msd_world_message(world));
  cr_expect(strstr(msd_world_message(world), part), "\"%s\" should say \"%s\"", msd_world_message(world),
            part);
  cr_expect(body.particles.count == 0 && msd_world_get_particle_count(world) == 0 &&
            msd_world_get_spring_count(world) == 0 && msd_world_get_constraint_count(world) == 0);
}

Test(builder_tetmesh, a_wrong_one_is_refused_with_its_index) {
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  const msd_tetmesh_def good = pair();
  msd_tetmesh_def def = {0};
  cr_expect_eq(msd_add_tetmesh(NULL, &good, NULL), MSD_BAD_VALUE);
  expect_refused(world, NULL, MSD_UNINITIALIZED_DEF, "msd_default_tetmesh_def");
  expect_refused(world, &def, MSD_UNINITIALIZED_DEF, "msd_default_tetmesh_def");
  def = good, def.vertices = NULL;
  expect_refused(world, &def, MSD_BAD_VALUE, "tetmesh: vertices is NULL");
  def = good, def.tetrahedra = NULL;
  expect_refused(world, &def, MSD_BAD_VALUE, "tetmesh: tetrahedra is NULL");
  def = good, def.vertex_count = 3;
  expect_refused(world, &def, MSD_BAD_VALUE, "tetmesh: vertex_count is 3; it must be 4 or more");
  def = good, def.tetrahedron_count = 0;
  expect_refused(world, &def, MSD_BAD_VALUE, "tetmesh: tetrahedron_count is 0");
  def = good, def.tetrahedron_count = INT32_MAX;
  expect_refused(world, &def, MSD_TOO_LARGE, "tetmesh: tetrahedron_count");
  def = good, def.density = 0;
  expect_refused(world, &def, MSD_BAD_VALUE, "tetmesh: density is 0");
  def = good, def.density = (msd_real)NAN;
  expect_refused(world, &def, MSD_BAD_VALUE, "tetmesh: density");
  def = good, def.stretch = physical(-1, 0);
  expect_refused(world, &def, MSD_BAD_VALUE, "tetmesh: stretch.stiffness is -1");
  def = good, def.volume = physical(1, -1);
  expect_refused(world, &def, MSD_BAD_VALUE, "tetmesh: volume.damping is -1");

  msd_vec3 moved[6];
  memcpy(moved, vertices, sizeof vertices);
  moved[5] = (msd_vec3){7, 7, 7};
  def = good, def.vertices = moved, def.vertex_count = 6;
  expect_refused(world, &def, MSD_BAD_VALUE, "tetmesh: vertex 5 is a corner of no tetrahedron");
  def.vertex_count = 5;
  moved[4].y = (msd_real)INFINITY;
  expect_refused(world, &def, MSD_BAD_VALUE, "tetmesh: vertex 4 is (1, inf, 1)");
  moved[4] = (msd_vec3){(msd_real)0.5, (msd_real)0.5, 0};
  moved[3] = (msd_vec3){1, 1, 0};
  expect_refused(world, &def, MSD_BAD_VALUE, "tetmesh: tetrahedron 0 is flat");

  static const int32_t above[] = {0, 1, 2, 3, 1, 2, 3, 5}, below[] = {0, 1, 2, 3, -1, 2, 3, 4},
                       twice[] = {0, 1, 2, 3, 1, 2, 4, 1};
  def = good, def.tetrahedra = above;
  expect_refused(world, &def, MSD_BAD_VALUE,
                 "tetmesh: tetrahedron 1 has the corner 5; vertices go from 0 to 4");
  def = good, def.tetrahedra = below;
  expect_refused(world, &def, MSD_BAD_VALUE, "tetmesh: tetrahedron 1 has the corner -1");
  def = good, def.tetrahedra = twice;
  expect_refused(world, &def, MSD_BAD_VALUE, "tetmesh: tetrahedron 1 has vertex 1 twice");
  msd_destroy_world(world);
}

/* Nearly flat is a matter of shape, and not of size. */
Test(builder_tetmesh, small_and_large_ones_are_not_flat) {
  static const double scales[] = {1e-9, 1e-3, 1e3, 1e9};
  for (size_t i = 0; i < sizeof scales / sizeof *scales; i++) {
    msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
    msd_vec3 scaled[5];
    for (int v = 0; v < 5; v++)
      scaled[v] = (msd_vec3){(msd_real)scales[i] * vertices[v].x, (msd_real)scales[i] * vertices[v].y,
                             (msd_real)scales[i] * vertices[v].z};
    msd_tetmesh_def def = pair();
    def.vertices = scaled;
    def.density = (msd_real)(1 / (scales[i] * scales[i] * scales[i]));
    ok(world, msd_add_tetmesh(world, &def, NULL));
    msd_destroy_world(world);
  }
}

typedef struct counting {
  int64_t blocks, requests, fail_at;
} counting;

static void *counting_allocate(size_t bytes, void *context) {
  counting *c = context;
  if (++c->requests == c->fail_at)
    return NULL;
  void *memory = aligned_alloc(64, (bytes + 63) / 64 * 64);
  c->blocks += memory != NULL;
  return memory;
}

static void counting_release(void *memory, void *context) {
  counting *c = context;
  c->blocks--;
  free(memory);
}

Test(builder_tetmesh, when_memory_runs_out_nothing_is_added_and_nothing_leaks) {
  int failures = 0;
  for (int64_t n = 1;; n++) {
    counting c = {0};
    msd_world_def world_def = msd_default_world_def();
    world_def.allocator = (msd_allocator){counting_allocate, counting_release, &c};
    msd_world *world = NULL;
    cr_assert_eq(msd_create_world(&world_def, &world), MSD_OK);
    c.fail_at = c.requests + n;
    const msd_tetmesh_def def = pair();
    const msd_result result = msd_add_tetmesh(world, &def, NULL);
    if (result != MSD_OK) {
      failures++;
      cr_expect_eq(result, MSD_OUT_OF_MEMORY);
      cr_expect(msd_world_get_particle_count(world) == 0 && msd_world_get_spring_count(world) == 0 &&
                msd_world_get_constraint_count(world) == 0);
      c.fail_at = 0;
      cr_expect_eq(msd_add_tetmesh(world, &def, NULL), MSD_OK, "the world still works");
    }
    msd_destroy_world(world);
    cr_expect_eq(c.blocks, 0, "%d blocks leaked", (int)c.blocks);
    if (result == MSD_OK)
      break;
    cr_assert_lt(n, 1000);
  }
  cr_expect_gt(failures, 0);
}
