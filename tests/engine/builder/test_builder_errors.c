/* Builders that are given something wrong name it and add nothing, and so do those that find no memory. */
#include "tests/support/laboratory.h"

#include <stdlib.h>
#include <string.h>

static const msd_vec3 square[] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
static const int32_t square_triangles[] = {0, 1, 2, 0, 2, 3};

static msd_mesh_def square_mesh(void) {
  msd_mesh_def def = msd_default_mesh_def();
  def.vertices = square;
  def.vertex_count = 4;
  def.triangles = square_triangles;
  def.triangle_count = 2;
  return def;
}

/* ------------------------------------------------------------------------------------------------ errors */

/* A world with a rope in it, which a failing builder must leave alone. */
typedef struct failing {
  msd_world *world;
  msd_stats stats;
  uint64_t hash;
} failing;

static failing failing_begin(void) {
  failing f = {.world = new_world(MSD_SYMPLECTIC_EULER)};
  const msd_rope_def rope = msd_default_rope_def();
  cr_assert_eq(msd_add_rope(f.world, &rope, NULL), MSD_OK);
  f.stats = msd_world_get_stats(f.world);
  f.hash = msd_world_hash(f.world);
  return f;
}

static void failing_end(const failing *f) {
  msd_destroy_world(f->world);
}

static void expect_failure(const failing *f, msd_result result, msd_result expected, const msd_body *body,
                           const char *part_of_message) {
  cr_expect(result == expected, "%s: %s", part_of_message, msd_result_string(result));
  const char *message = msd_world_message(f->world);
  cr_expect(strstr(message, part_of_message) && !strchr(message, '\n'), "\"%s\" is not in \"%s\"",
            part_of_message, message);
  const msd_stats stats = msd_world_get_stats(f->world);
  cr_expect(stats.particles == f->stats.particles && stats.springs == f->stats.springs,
            "%s: something was added", part_of_message);
  cr_expect(stats.bytes == f->stats.bytes, "%s: %zu bytes instead of %zu", part_of_message, stats.bytes,
            f->stats.bytes);
  cr_expect_eq(msd_world_hash(f->world), f->hash);
  cr_expect(body->particles.count == 0 && body->springs.count == 0, "%s: the body is not empty",
            part_of_message);
}

static void fail_rope(const failing *f, msd_rope_def def, msd_result expected, const char *part) {
  msd_body body = {.particles = {1, 1}};
  expect_failure(f, msd_add_rope(f->world, &def, &body), expected, &body, part);
}

Test(builder_errors, a_wrong_rope_is_refused_with_its_field) {
  const failing f = failing_begin();
  const msd_real bad[] = {(msd_real)NAN, (msd_real)INFINITY, (msd_real)-INFINITY};
  const msd_rope_def good = msd_default_rope_def();
  msd_rope_def def = {0};
  fail_rope(&f, def, MSD_UNINITIALIZED_DEF, "msd_default_rope_def");
  for (int i = 0; i < 3; i++) {
    def = good, def.from.y = bad[i];
    fail_rope(&f, def, MSD_BAD_VALUE, "rope: from is (0, ");
    def = good, def.to.z = bad[i];
    fail_rope(&f, def, MSD_BAD_VALUE, "rope: to is (1, 0, ");
    def = good, def.mass = bad[i];
    fail_rope(&f, def, MSD_BAD_VALUE, "rope: mass");
    def = good, def.stretch.ck = bad[i];
    fail_rope(&f, def, MSD_BAD_VALUE, "rope: stretch.ck");
    def = good, def.bend.law = MSD_SPRING_STIFFNESS, def.bend.damping = bad[i];
    fail_rope(&f, def, MSD_BAD_VALUE, "rope: bend.damping");
  }
  for (int32_t n = -1; n < 2; n++) {
    def = good, def.particles = n;
    fail_rope(&f, def, MSD_BAD_VALUE, "rope: particles");
  }
  def = good, def.to = def.from;
  fail_rope(&f, def, MSD_BAD_VALUE, "rope: the way");
  def = good, def.mass = 0;
  fail_rope(&f, def, MSD_BAD_VALUE, "rope: mass is 0");
  def = good, def.mass = -2;
  fail_rope(&f, def, MSD_BAD_VALUE, "rope: mass is -2");
  def = good, def.mass = (msd_real)(sizeof(msd_real) == sizeof(float) ? 1e-38 : 1e-307), def.particles = 1000;
  fail_rope(&f, def, MSD_BAD_VALUE, "rope: mass");
  def = good, def.to.x = (msd_real)(sizeof(msd_real) == sizeof(float) ? 1e30 : 1e200);
  fail_rope(&f, def, MSD_BAD_VALUE, "rope: its corners");
  def = good, def.particles = INT32_MAX;
  fail_rope(&f, def, MSD_TOO_LARGE, "2147483647");
  failing_end(&f);
}

Test(builder_errors, a_wrong_pattern_is_refused_with_its_field) {
  const failing f = failing_begin();
  const msd_rope_def good = msd_default_rope_def();
  msd_rope_def def = good;
  def.stretch.cookie = 0;
  fail_rope(&f, def, MSD_UNINITIALIZED_DEF, "rope: stretch was not made by msd_default_spring_def");
  def = good, def.bend.cookie = 1;
  fail_rope(&f, def, MSD_UNINITIALIZED_DEF, "rope: bend was not made by msd_default_spring_def");
  def = good, def.stretch.law = (msd_spring_law)17;
  fail_rope(&f, def, MSD_BAD_VALUE, "rope: stretch.law is 17");
  def = good, def.stretch.law = MSD_SPRING_LAW_COUNT;
  fail_rope(&f, def, MSD_BAD_VALUE, "rope: stretch.law");
  def = good, def.stretch = physical(-1, 0);
  fail_rope(&f, def, MSD_BAD_VALUE, "rope: stretch.stiffness is -1");
  def = good, def.stretch = physical(1, -3);
  fail_rope(&f, def, MSD_BAD_VALUE, "rope: stretch.damping is -3");
  def = good, def.stretch.ck = -2;
  fail_rope(&f, def, MSD_BAD_VALUE, "rope: stretch.ck is -2");
  def = good, def.stretch.cd = (msd_real)-0.5;
  fail_rope(&f, def, MSD_BAD_VALUE, "rope: stretch.cd is -0.5");
  def = good, def.stretch.law = MSD_SPRING_FREQUENCY, def.stretch.frequency = -1;
  fail_rope(&f, def, MSD_BAD_VALUE, "rope: stretch.frequency is -1");
  def = good, def.stretch.law = MSD_SPRING_FREQUENCY, def.stretch.damping_ratio = -1;
  fail_rope(&f, def, MSD_BAD_VALUE, "rope: stretch.damping_ratio is -1");
  failing_end(&f);
}

static void fail_cloth(const failing *f, msd_cloth_def def, msd_result expected, const char *part) {
  msd_body body = {.particles = {1, 1}};
  expect_failure(f, msd_add_cloth(f->world, &def, &body), expected, &body, part);
}

Test(builder_errors, a_wrong_cloth_is_refused_with_its_field) {
  const failing f = failing_begin();
  const msd_cloth_def good = msd_default_cloth_def();
  msd_cloth_def def = {0};
  fail_cloth(&f, def, MSD_UNINITIALIZED_DEF, "msd_default_cloth_def");
  def = good, def.columns = 0;
  fail_cloth(&f, def, MSD_BAD_VALUE, "cloth: columns is 0");
  def = good, def.rows = -7;
  fail_cloth(&f, def, MSD_BAD_VALUE, "cloth: rows is -7");
  def = good, def.rows = def.columns = 1;
  fail_cloth(&f, def, MSD_BAD_VALUE, "columns and rows are both 1");
  def = good, def.origin.x = (msd_real)NAN;
  fail_cloth(&f, def, MSD_BAD_VALUE, "cloth: origin");
  def = good, def.u.z = (msd_real)INFINITY;
  fail_cloth(&f, def, MSD_BAD_VALUE, "cloth: u");
  def = good, def.v.z = (msd_real)NAN;
  fail_cloth(&f, def, MSD_BAD_VALUE, "cloth: v");
  def = good, def.u = (msd_vec3){0, 0, 0};
  fail_cloth(&f, def, MSD_BAD_VALUE, "cloth: u is zero");
  def = good, def.v = (msd_vec3){0, 0, 0};
  fail_cloth(&f, def, MSD_BAD_VALUE, "cloth: v is zero");
  def = good, def.mass = (msd_real)NAN;
  fail_cloth(&f, def, MSD_BAD_VALUE, "cloth: mass");
  def = good, def.shear = physical((msd_real)NAN, 0);
  fail_cloth(&f, def, MSD_BAD_VALUE, "cloth: shear.stiffness");
  def = good, def.columns = def.rows = 1000000000;
  fail_cloth(&f, def, MSD_TOO_LARGE, "");
  def = good, def.columns = def.rows = INT32_MAX, def.bend = def.shear = physical(1, 1);
  fail_cloth(&f, def, MSD_TOO_LARGE, "");
  def = good, def.columns = 1000000000;
  fail_cloth(&f, def, MSD_TOO_LARGE, "");
  def = good, def.columns = 50000, def.rows = 40000;
  fail_cloth(&f, def, MSD_TOO_LARGE, "");
  failing_end(&f);
}

Test(builder_errors, a_cloth_of_one_row_needs_no_second_side) {
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  msd_cloth_def def = msd_default_cloth_def();
  def.rows = 1;
  def.columns = 3;
  def.v = (msd_vec3){0, 0, 0};
  cr_expect_eq(msd_add_cloth(world, &def, NULL), MSD_OK);
  msd_destroy_world(world);
}

static void fail_block(const failing *f, msd_block_def def, msd_result expected, const char *part) {
  msd_body body = {.particles = {1, 1}};
  expect_failure(f, msd_add_block(f->world, &def, &body), expected, &body, part);
}

Test(builder_errors, a_wrong_block_is_refused_with_its_field) {
  const failing f = failing_begin();
  const msd_block_def good = msd_default_block_def();
  msd_block_def def = {0};
  fail_block(&f, def, MSD_UNINITIALIZED_DEF, "msd_default_block_def");
  def = good, def.cells[1] = 0;
  fail_block(&f, def, MSD_BAD_VALUE, "block: cells[1] is 0");
  def = good, def.cells[2] = INT32_MIN;
  fail_block(&f, def, MSD_BAD_VALUE, "block: cells[2]");
  def = good, def.size.y = 0;
  fail_block(&f, def, MSD_BAD_VALUE, "block: size");
  def = good, def.size.x = -1;
  fail_block(&f, def, MSD_BAD_VALUE, "block: size");
  def = good, def.size.z = (msd_real)NAN;
  fail_block(&f, def, MSD_BAD_VALUE, "block: size");
  def = good, def.origin.z = (msd_real)NAN;
  fail_block(&f, def, MSD_BAD_VALUE, "block: origin");
  def = good, def.mass = -1;
  fail_block(&f, def, MSD_BAD_VALUE, "block: mass");
  def = good, def.shear = physical(0, (msd_real)INFINITY);
  fail_block(&f, def, MSD_BAD_VALUE, "block: shear.damping");
  def = good, def.cells[0] = INT32_MAX;
  fail_block(&f, def, MSD_TOO_LARGE, "block: cells[0]");
  def = good, def.cells[0] = def.cells[1] = def.cells[2] = INT32_MAX - 1, def.shear = physical(1, 1);
  fail_block(&f, def, MSD_TOO_LARGE, "");
  def = good,
  def.cells[0] = def.cells[1] = def.cells[2] = 1290; /* particles still below 2^31, springs above */
  fail_block(&f, def, MSD_TOO_LARGE, "");
  failing_end(&f);
}

static void fail_mesh(const failing *f, msd_mesh_def def, msd_result expected, const char *part) {
  msd_body body = {.particles = {1, 1}};
  expect_failure(f, msd_add_mesh(f->world, &def, &body), expected, &body, part);
}

Test(builder_errors, a_wrong_mesh_is_refused_with_its_index) {
  const failing f = failing_begin();
  const msd_mesh_def good = square_mesh();
  msd_mesh_def def = {0};
  fail_mesh(&f, def, MSD_UNINITIALIZED_DEF, "msd_default_mesh_def");
  def = good, def.vertices = NULL;
  fail_mesh(&f, def, MSD_BAD_VALUE, "mesh: vertices is NULL");
  def = good, def.triangles = NULL;
  fail_mesh(&f, def, MSD_BAD_VALUE, "mesh: triangles is NULL");
  def = good, def.vertex_count = 2;
  fail_mesh(&f, def, MSD_BAD_VALUE, "mesh: vertex_count is 2");
  def = good, def.triangle_count = 0;
  fail_mesh(&f, def, MSD_BAD_VALUE, "mesh: triangle_count is 0");
  def = good, def.triangle_count = INT32_MAX;
  fail_mesh(&f, def, MSD_TOO_LARGE, "mesh: triangle_count is 2147483647");
  def = good, def.area_density = 0;
  fail_mesh(&f, def, MSD_BAD_VALUE, "mesh: area_density is 0");
  def = good, def.area_density = (msd_real)NAN;
  fail_mesh(&f, def, MSD_BAD_VALUE, "mesh: area_density");
  def = good, def.stretch.ck = (msd_real)NAN;
  fail_mesh(&f, def, MSD_BAD_VALUE, "mesh: stretch.ck");
  def = good, def.bend = physical(-1, 0);
  fail_mesh(&f, def, MSD_BAD_VALUE, "mesh: bend.stiffness");

  msd_vec3 vertices[5] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {2, 2, 2}};
  def = good, def.vertices = vertices;
  vertices[2].y = (msd_real)NAN;
  fail_mesh(&f, def, MSD_BAD_VALUE, "mesh: vertex 2 is (1, ");
  vertices[2].y = (msd_real)(sizeof(msd_real) == sizeof(float) ? 3e38 : 1e308);
  fail_mesh(&f, def, MSD_BAD_VALUE, "mesh: its vertices are too far apart");
  vertices[2].y = 1;
  def.vertex_count = 5;
  fail_mesh(&f, def, MSD_BAD_VALUE, "mesh: vertex 4 is a corner of no triangle");

  static const int32_t above[] = {0, 1, 2, 0, 2, 4}, below[] = {0, 1, 2, -1, 2, 3},
                       twice[] = {0, 1, 2, 2, 3, 2};
  def = good, def.triangles = above;
  fail_mesh(&f, def, MSD_BAD_VALUE, "mesh: triangle 1 has the corner 4; vertices go from 0 to 3");
  def = good, def.triangles = below;
  fail_mesh(&f, def, MSD_BAD_VALUE, "mesh: triangle 1 has the corner -1");
  def = good, def.triangles = twice;
  fail_mesh(&f, def, MSD_BAD_VALUE, "mesh: triangle 1 has vertex 2 twice");

  static const msd_vec3 flat[] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {2, 2, 0}};
  static const int32_t flat_triangles[] = {0, 1, 2, 0, 2, 3};
  def = good, def.vertices = flat, def.triangles = flat_triangles;
  fail_mesh(&f, def, MSD_BAD_VALUE, "mesh: vertex 3 belongs only to triangles without an area");

  static const int32_t repeated[] = {0, 1, 2, 0, 2, 3, 2, 0, 1};
  def = good, def.triangles = repeated, def.triangle_count = 3;
  fail_mesh(&f, def, MSD_BAD_VALUE, "mesh: triangle 2 has the corners of triangle 0");
  failing_end(&f);
}

Test(builder_errors, builders_without_a_world_or_a_definition_say_so) {
  const msd_rope_def rope = msd_default_rope_def();
  const msd_cloth_def cloth = msd_default_cloth_def();
  const msd_mesh_def mesh = square_mesh();
  const msd_block_def block = msd_default_block_def();
  cr_expect_eq(msd_add_rope(NULL, &rope, NULL), MSD_BAD_VALUE);
  cr_expect_eq(msd_add_cloth(NULL, &cloth, NULL), MSD_BAD_VALUE);
  cr_expect_eq(msd_add_mesh(NULL, &mesh, NULL), MSD_BAD_VALUE);
  cr_expect_eq(msd_add_block(NULL, &block, NULL), MSD_BAD_VALUE);
  const failing f = failing_begin();
  msd_body body = {0};
  expect_failure(&f, msd_add_rope(f.world, NULL, &body), MSD_UNINITIALIZED_DEF, &body, "rope");
  expect_failure(&f, msd_add_cloth(f.world, NULL, &body), MSD_UNINITIALIZED_DEF, &body, "cloth");
  expect_failure(&f, msd_add_mesh(f.world, NULL, &body), MSD_UNINITIALIZED_DEF, &body, "mesh");
  expect_failure(&f, msd_add_block(f.world, NULL, &body), MSD_UNINITIALIZED_DEF, &body, "block");
  failing_end(&f);
}

/* -------------------------------------------------------------------------------------- without memory */

typedef struct counting {
  int64_t blocks, requests, largest;
  int64_t fail_at; /* the request that gets nothing, counted from 1; 0: none */
} counting;

static void *counting_allocate(size_t bytes, void *context) {
  counting *c = context;
  c->requests++;
  if ((int64_t)bytes > c->largest)
    c->largest = (int64_t)bytes;
  if (c->requests == c->fail_at)
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

static msd_world *counting_world(counting *c, size_t memory_limit) {
  msd_world_def def = msd_default_world_def();
  def.allocator = (msd_allocator){counting_allocate, counting_release, c};
  if (memory_limit)
    def.memory_limit = memory_limit;
  msd_world *world = NULL;
  cr_assert_eq(msd_create_world(&def, &world), MSD_OK);
  return world;
}

Test(builder_errors, a_body_that_is_too_large_is_not_even_tried) {
  counting c = {0};
  msd_world *world = counting_world(&c, (size_t)1 << 20);
  const int64_t before = c.requests;
  msd_cloth_def cloth = msd_default_cloth_def();
  cloth.columns = cloth.rows = 1000;
  cr_expect_eq(msd_add_cloth(world, &cloth, NULL), MSD_TOO_LARGE);
  cr_expect(strpbrk(msd_world_message(world), "0123456789"), "no estimate in \"%s\"",
            msd_world_message(world));
  cloth.columns = cloth.rows = 1000000000;
  cr_expect_eq(msd_add_cloth(world, &cloth, NULL), MSD_TOO_LARGE);
  cr_expect_eq(c.requests, before, "memory was asked for");
  msd_destroy_world(world);
  cr_expect_eq(c.blocks, 0);
}

static msd_result build_all(msd_world *world, int which) {
  msd_rope_def rope = msd_default_rope_def();
  rope.particles = 600;
  msd_cloth_def cloth = msd_default_cloth_def();
  cloth.columns = cloth.rows = 30;
  cloth.shear = cloth.bend = physical(1, 1);
  msd_mesh_def mesh = square_mesh();
  mesh.bend = physical(1, 1);
  msd_block_def block = msd_default_block_def();
  block.cells[0] = block.cells[1] = block.cells[2] = 7;
  block.shear = physical(1, 1);
  switch (which) {
  case 0:
    return msd_add_rope(world, &rope, NULL);
  case 1:
    return msd_add_cloth(world, &cloth, NULL);
  case 2:
    return msd_add_mesh(world, &mesh, NULL);
  default:
    return msd_add_block(world, &block, NULL);
  }
}

Test(builder_errors, a_builder_that_runs_out_of_memory_adds_nothing) {
  for (int which = 0; which < 4; which++) {
    int64_t failures = 0;
    for (int64_t n = 1;; n++) {
      counting c = {0};
      msd_world *world = counting_world(&c, 0);
      c.fail_at = c.requests + n;
      const msd_result result = build_all(world, which);
      if (result != MSD_OK) {
        failures++;
        cr_expect_eq(result, MSD_OUT_OF_MEMORY);
        cr_expect(msd_world_get_particle_count(world) == 0 && msd_world_get_spring_count(world) == 0);
        cr_expect_neq(msd_world_message(world)[0], '\0');
        c.fail_at = 0;
        cr_expect_eq(build_all(world, which), MSD_OK, "the world still works");
      }
      msd_destroy_world(world);
      cr_expect_eq(c.blocks, 0, "%d blocks leaked", (int)c.blocks);
      if (result == MSD_OK)
        break;
      cr_assert_lt(n, 1000);
    }
    cr_expect_gt(failures, 0, "some request must have failed");
  }
}
