/* Ray casts, nearest points and overlaps, against closed forms and against testing points one by one. */
#include "tests/support/laboratory.h"

#include <stdlib.h>
#include <string.h>

static double random_to(uint32_t *seed, double most) {
  *seed = *seed * 1664525u + 1013904223u;
  return most * ((double)(*seed >> 8) / (double)(1 << 24) * 2 - 1);
}

static msd_vec3 random_vector(uint32_t *seed, double most) {
  const double x = random_to(seed, most), y = random_to(seed, most), z = random_to(seed, most);
  return (msd_vec3){(msd_real)x, (msd_real)y, (msd_real)z};
}

static double dot(msd_vec3 a, msd_vec3 b) {
  return (double)a.x * (double)b.x + (double)a.y * (double)b.y + (double)a.z * (double)b.z;
}

static msd_vec3 minus(msd_vec3 a, msd_vec3 b) {
  return (msd_vec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static double length(msd_vec3 v) {
  return sqrt(dot(v, v));
}

static int32_t add_mesh(msd_world *world, const int32_t *triangles, int triangle_count,
                        const int32_t *segments, int segment_count) {
  msd_collision_mesh_def def = msd_default_collision_mesh_def();
  def.triangles = triangles;
  def.triangle_count = triangle_count;
  def.segments = segments;
  def.segment_count = segment_count;
  int32_t index = -1;
  ok(world, msd_add_collision_meshes(world, &def, 1, &index));
  return index;
}

static int32_t add_collider(msd_world *world, msd_collider_def def) {
  int32_t index = -1;
  ok(world, msd_add_colliders(world, &def, 1, &index));
  return index;
}

static msd_ray ray_from(double x, double y, double z, double dx, double dy, double dz) {
  return (msd_ray){
      {(msd_real)x, (msd_real)y, (msd_real)z}, {(msd_real)dx, (msd_real)dy, (msd_real)dz}, INFINITY};
}

static msd_hit cast(const msd_world *world, msd_ray ray, const msd_query_def *def) {
  msd_hit hit;
  ok(world, msd_world_cast_rays(world, &ray, 1, def, &hit));
  return hit;
}

static void expect_vector(msd_vec3 v, double x, double y, double z, const char *what) {
  const double most = 64 * EPSILON * (1 + fabs(x) + fabs(y) + fabs(z));
  cr_expect(fabs((double)v.x - x) <= most && fabs((double)v.y - y) <= most && fabs((double)v.z - z) <= most,
            "%s: (%g, %g, %g), not (%g, %g, %g)", what, (double)v.x, (double)v.y, (double)v.z, x, y, z);
}

/* A triangle in the plane y = 1, a rope, and one collider of each kind along x. */
static msd_world *gallery(void) {
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  add_particle(world, 1, 0, 1, 0);
  add_particle(world, 1, 1, 1, 0);
  add_particle(world, 1, 0, 1, 1);
  add_particle(world, 1, 3, 1, -1);
  add_particle(world, 1, 3, 1, 1);
  add_mesh(world, (const int32_t[]){0, 1, 2}, 1, NULL, 0);
  add_mesh(world, NULL, 0, (const int32_t[]){3, 4}, 1);
  msd_collider_def def = msd_default_collider_def();
  def.kind = MSD_COLLIDER_SPHERE;
  def.position = (msd_vec3){6, 1, 0};
  def.radius = (msd_real)0.5;
  add_collider(world, def);
  def.kind = MSD_COLLIDER_BOX;
  def.position = (msd_vec3){9, 1, 0};
  def.rotation = (msd_quaternion){(msd_real)0.70710678118654752, 0, 0, (msd_real)0.70710678118654752};
  def.size = (msd_vec3){1, 2, 4};
  add_collider(world, def);
  def = msd_default_collider_def();
  def.kind = MSD_COLLIDER_CAPSULE;
  def.position = (msd_vec3){12, 1, 0};
  def.from = (msd_vec3){0, 0, -1};
  def.to = (msd_vec3){0, 0, 1};
  def.radius = (msd_real)0.25;
  add_collider(world, def);
  def = msd_default_collider_def();
  def.position = (msd_vec3){0, -2, 0};
  add_collider(world, def);
  return world;
}

Test(query, a_ray_hits_each_shape_where_geometry_says) {
  msd_world *world = gallery();
  msd_query_def def = msd_default_query_def();
  def.segment_radius = (msd_real)0.125;
  const struct {
    double x, z, y;
    msd_object type;
    int32_t index;
  } rows[] = {{0.25, 0.5, 1, MSD_OBJECT_COLLISION_MESH, 0}, {3, 0.5, 1.125, MSD_OBJECT_COLLISION_MESH, 1},
              {6, 0, 1.5, MSD_OBJECT_COLLIDER, 0},          {6.3, 0, 1 + 0.4, MSD_OBJECT_COLLIDER, 0},
              {9, 0.4, 1.5, MSD_OBJECT_COLLIDER, 1},        {9.9, 1.9, 1.5, MSD_OBJECT_COLLIDER, 1},
              {12, 0.5, 1.25, MSD_OBJECT_COLLIDER, 2},      {12, 1.15, 1 + 0.2, MSD_OBJECT_COLLIDER, 2},
              {20, 0, -2, MSD_OBJECT_COLLIDER, 3}};
  for (size_t n = 0; n < sizeof rows / sizeof *rows; n++) {
    const msd_hit hit = cast(world, ray_from(rows[n].x, 5, rows[n].z, 0, -3, 0), &def);
    cr_expect(hit.is_hit && hit.type == rows[n].type && hit.index == rows[n].index, "row %zu: %s %d", n,
              msd_object_name(hit.type), (int)hit.index);
    expect_vector(hit.point, rows[n].x, rows[n].y, rows[n].z, "point");
    cr_expect_float_eq((double)hit.distance, 5 - rows[n].y, 64 * EPSILON * 5);
    cr_expect_gt((double)hit.normal.y, 0);
    cr_expect_float_eq(length(hit.normal), 1, 8 * EPSILON);
  }
  msd_destroy_world(world);
}

Test(query, a_hit_names_the_element_and_its_weights) {
  msd_world *world = gallery();
  const msd_hit below = cast(world, ray_from(0.25, -1, 0.5, 0, 1, 0), NULL);
  cr_expect(below.is_triangle && below.element == 0 && below.particles[0] == 0 && below.particles[2] == 2);
  expect_vector((msd_vec3){below.weights[0], below.weights[1], below.weights[2]}, 0.25, 0.25, 0.5, "weights");
  cr_expect_eq((double)below.normal.y, -1, "the normal faces the ray");
  const msd_hit rope = cast(world, ray_from(3, 5, 0.5, 0, -1, 0), NULL);
  cr_expect(!rope.is_triangle && rope.element == 0 && rope.particles[0] == 3 && rope.particles[2] == -1);
  cr_expect_float_eq((double)rope.weights[1], 0.75, 8 * EPSILON);
  const double thickness = (double)msd_world_get_contact_settings(world).thickness;
  cr_expect_float_eq((double)rope.point.y, 1 + thickness / 2, 64 * EPSILON, "half the thickness of its mesh");
  msd_destroy_world(world);
}

Test(query, rays_end_at_their_length_and_from_inside_at_0) {
  msd_world *world = gallery();
  msd_ray ray = ray_from(0.25, 5, 0.25, 0, -1, 0);
  ray.length = (msd_real)3.5;
  cr_expect_not(cast(world, ray, NULL).is_hit);
  ray.length = (msd_real)4.5;
  cr_expect(cast(world, ray, NULL).is_hit);
  const double inside[][3] = {{6, 1.1, 0}, {9, 1.1, 0}, {12, 1.1, 0.5}, {20, -3, 0}};
  for (int n = 0; n < 4; n++) {
    const msd_hit hit = cast(world, ray_from(inside[n][0], inside[n][1], inside[n][2], 0, 0, 1), NULL);
    cr_expect(hit.is_hit && hit.index == n && hit.distance == 0, "collider %d", n);
    expect_vector(hit.point, inside[n][0], inside[n][1], inside[n][2], "where it starts");
  }
  cr_expect_not(cast(world, ray_from(0, 5, 0, 0, 1, 0), NULL).is_hit);
  cr_expect_not(cast(world, ray_from(-1, 1, 0.25, 1, 0, 0), NULL).index == 0, "edge-on rays pass a triangle");
  msd_destroy_world(world);
}

static bool accept_colliders_but_2(void *context, msd_object type, int32_t index) {
  ++*(int *)context;
  return type == MSD_OBJECT_COLLIDER && index != 2;
}

Test(query, only_tests_what_the_definition_and_the_filter_accept) {
  msd_world *world = gallery();
  msd_query_def def = msd_default_query_def();
  const msd_ray at_mesh = ray_from(0.25, 5, 0.5, 0, -1, 0), at_capsule = ray_from(12, 5, 0, 0, -1, 0);
  def.collision_meshes = false;
  cr_expect_eq(cast(world, at_mesh, &def).index, 3);
  def.colliders = false;
  cr_expect_not(cast(world, at_mesh, &def).is_hit);
  def = msd_default_query_def();
  int calls = 0;
  def.filter = accept_colliders_but_2;
  def.context = &calls;
  cr_expect_eq(cast(world, at_mesh, &def).index, 3);
  cr_expect_eq(calls, 6);
  cr_expect_eq(cast(world, at_capsule, &def).index, 3);
  msd_destroy_world(world);
}

Test(query, does_not_find_what_was_destroyed) {
  msd_world *world = gallery();
  const int32_t particle = 0, capsule = 2;
  ok(world, msd_destroy_objects(world, MSD_OBJECT_COLLIDER, &capsule, 1));
  ok(world, msd_destroy_objects(world, MSD_OBJECT_PARTICLE, &particle, 1));
  cr_expect_eq(cast(world, ray_from(12, 5, 0, 0, -1, 0), NULL).index, 3);
  cr_expect_eq(cast(world, ray_from(0.25, 5, 0.5, 0, -1, 0), NULL).type, MSD_OBJECT_COLLIDER);
  msd_destroy_world(world);
}

enum { SIDE = 24, CORNERS = SIDE * SIDE, FACES = 2 * (SIDE - 1) * (SIDE - 1) };

/* A rough sheet 1 m wide, a rope above it and some colliders. */
static msd_world *landscape(void) {
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  uint32_t seed = 7;
  for (int n = 0; n < CORNERS; n++)
    add_particle(world, 1, (double)(n % SIDE) / (SIDE - 1), random_to(&seed, 0.05),
                 (double)(n / SIDE) / (SIDE - 1)); /* NOLINT */
  int32_t faces[FACES][3];
  int count = 0;
  for (int n = 0; n < CORNERS; n++)
    if (n % SIDE < SIDE - 1 && n / SIDE < SIDE - 1) {
      const int32_t a = n, b = n + 1, c = n + SIDE, d = n + SIDE + 1;
      memcpy(faces[count++], (const int32_t[]){a, c, b}, sizeof *faces);
      memcpy(faces[count++], (const int32_t[]){b, c, d}, sizeof *faces);
    }
  add_mesh(world, faces[0], count, NULL, 0);
  int32_t rope[64][2];
  for (int n = 0; n < 65; n++)
    add_particle(world, 1, n / 64.0, 0.3 + random_to(&seed, 0.1), 0.5 + random_to(&seed, 0.2));
  for (int n = 0; n < 64; n++)
    rope[n][0] = CORNERS + n, rope[n][1] = CORNERS + n + 1;
  add_mesh(world, NULL, 0, rope[0], 64);
  msd_collider_def def = msd_default_collider_def();
  def.kind = MSD_COLLIDER_SPHERE;
  def.position = (msd_vec3){(msd_real)0.5, (msd_real)0.2, (msd_real)0.2};
  def.radius = (msd_real)0.1;
  add_collider(world, def);
  def.kind = MSD_COLLIDER_BOX;
  def.position = (msd_vec3){(msd_real)0.2, (msd_real)0.2, (msd_real)0.8};
  def.rotation = (msd_quaternion){1, 2, 3, 4};
  def.size = (msd_vec3){(msd_real)0.1, (msd_real)0.2, (msd_real)0.3};
  add_collider(world, def);
  return world;
}

/* Down through every corner and edge midpoint: in a mesh without holes a ray that aims at the seams hits. */
Test(query, rays_at_corners_and_edges_do_not_slip_through) {
  msd_world *world = landscape();
  msd_query_def def = msd_default_query_def();
  def.colliders = false;
  def.segment_radius = 0;
  for (int k = 0; k < 3; k++)
    for (int n = 0; n < CORNERS; n++) {
      const int column = n % SIDE, row = n / SIDE, other = k == 0 ? n : k == 1 ? n + 1 : n + SIDE;
      if (column == 0 || row == 0 || column > SIDE - 3 || row > SIDE - 3)
        continue;
      const msd_vec3 a = msd_particle_get_position(world, n), b = msd_particle_get_position(world, other);
      const msd_vec3 aim = {(a.x + b.x) / 2, (a.y + b.y) / 2, (a.z + b.z) / 2};
      for (int m = 0; m < 5; m++) {
        const msd_vec3 from = {(msd_real)(0.3 * m), 2, (msd_real)(1 - 0.2 * m)};
        const msd_hit hit = cast(world, (msd_ray){from, minus(aim, from), INFINITY}, &def);
        cr_assert(hit.is_hit, "corner %d, edge kind %d, ray %d", n, k, m);
        cr_expect_lt((double)hit.distance, 4);
      }
    }
  msd_destroy_world(world);
}

/* The distance of a point from a triangle or segment, as the least over a fine grid of points, refined. */
static double sampled_distance(const msd_world *world, const int32_t *corners, int count, msd_vec3 p) {
  double best = INFINITY, u0 = 0, v0 = 0, span = 1;
  for (int round = 0; round < 12; round++) {
    double u1 = u0, v1 = v0;
    for (int i = -8; i <= 8; i++)
      for (int j = count == 3 ? -8 : 0; j <= (count == 3 ? 8 : 0); j++) {
        const double u = u0 + span * i / 8, v = v0 + span * j / 8;
        if (u < 0 || v < 0 || u + v > 1)
          continue;
        double square = 0;
        for (int c = 0; c < 3; c++) {
          double x = (1 - u - v) * component(msd_particle_get_position(world, corners[0]), c) +
                     u * component(msd_particle_get_position(world, corners[1]), c);
          if (count == 3)
            x += v * component(msd_particle_get_position(world, corners[2]), c);
          square += (x - component(p, c)) * (x - component(p, c));
        }
        if (square < best)
          best = square, u1 = u, v1 = v;
      }
    u0 = u1, v0 = v1;
    span *= 0.4;
  }
  return sqrt(best);
}

Test(query, the_nearest_point_is_as_near_as_any_point_of_the_meshes) {
  msd_world *world = landscape();
  msd_query_def def = msd_default_query_def();
  def.colliders = false;
  def.segment_radius = 0;
  uint32_t seed = 3;
  for (int n = 0; n < 12; n++) {
    const msd_vec3 p = random_vector(&seed, 1.2);
    msd_hit hit;
    ok(world, msd_world_find_nearest(world, &p, 1, INFINITY, &def, &hit));
    double best = INFINITY;
    for (int32_t mesh = 0; mesh < 2; mesh++) {
      const msd_collision_mesh_def of = msd_collision_mesh_get_def(world, mesh);
      for (int32_t e = 0; e < of.triangle_count + of.segment_count; e++)
        best = fmin(best, of.triangle_count > 0 ? sampled_distance(world, of.triangles + 3 * (size_t)e, 3, p)
                                                : sampled_distance(world, of.segments + 2 * (size_t)e, 2, p));
    }
    cr_expect_float_eq((double)hit.distance, best, 1e-5, "point %d: %.7f, sampled %.7f", n,
                       (double)hit.distance, best);
    cr_expect_float_eq(length(minus(p, hit.point)), (double)hit.distance, 1e-5);
  }
  msd_destroy_world(world);
}

Test(query, distances_from_colliders_are_signed) {
  msd_world *world = gallery();
  msd_query_def def = msd_default_query_def();
  def.collision_meshes = false;
  const struct {
    double x, y, z, distance;
    int32_t index;
  } rows[] = {
      {6, 2, 0, 0.5, 0},    {6, 1.25, 0, -0.25, 0}, {9, 2, 0, 0.5, 1},      {10.3, 1.9, 2.3, 0.583095, 1},
      {9, 1.4, 0, -0.1, 1}, {12, 1, 2, 0.75, 2},    {12, 1.1, 0, -0.15, 2}, {12, -1.5, 0, 0.5, 3}};
  for (size_t n = 0; n < sizeof rows / sizeof *rows; n++) {
    const msd_vec3 p = {(msd_real)rows[n].x, (msd_real)rows[n].y, (msd_real)rows[n].z};
    msd_hit hit;
    ok(world, msd_world_find_nearest(world, &p, 1, 1, &def, &hit));
    cr_expect(hit.is_hit && hit.index == rows[n].index, "row %zu: %d", n, (int)hit.index);
    cr_expect_float_eq((double)hit.distance, rows[n].distance, 1e-5, "row %zu: %g", n, (double)hit.distance);
    const double way = dot(minus(p, hit.point), hit.normal);
    cr_expect_float_eq(way, (double)hit.distance, 1e-5, "row %zu: normal", n);
  }
  const msd_vec3 far = {50, 50, 50};
  msd_hit hit;
  ok(world, msd_world_find_nearest(world, &far, 1, 1, &def, &hit));
  cr_expect(!hit.is_hit && hit.index == -1 && hit.element == -1 && hit.particles[0] == -1);
  msd_destroy_world(world);
}

enum { MANY = 300 };

Test(query, many_at_once_and_on_any_number_of_threads_find_what_each_finds_alone) {
  msd_world *world = landscape();
  msd_ray rays[MANY];
  msd_vec3 points[MANY];
  msd_hit hits[MANY], nearest[MANY], other[MANY];
  uint32_t seed = 11;
  int found = 0;
  for (int n = 0; n < MANY; n++) {
    points[n] = random_vector(&seed, 1);
    const msd_vec3 from = random_vector(&seed, 2), to = random_vector(&seed, (msd_real)0.5);
    const msd_vec3 aim = {to.x + (msd_real)0.5, to.y / 2, to.z + (msd_real)0.5};
    rays[n] = (msd_ray){from, minus(aim, from), (msd_real)(n % 5 ? INFINITY : 1.5)};
  }
  memset(other, 0, sizeof other);
  for (int threads = 1; threads <= 3; threads++) {
    ok(world, msd_world_set_thread_count(world, threads));
    ok(world, msd_world_cast_rays(world, rays, MANY, NULL, hits));
    ok(world, msd_world_find_nearest(world, points, MANY, INFINITY, NULL, nearest));
    for (int n = 0; n < MANY; n++) {
      ok(world, msd_world_cast_rays(world, &rays[n], 1, NULL, &other[n]));
      cr_expect(other[n].is_hit == hits[n].is_hit && other[n].index == hits[n].index &&
                    other[n].element == hits[n].element && other[n].distance == hits[n].distance,
                "ray %d", n);
      ok(world, msd_world_find_nearest(world, &points[n], 1, INFINITY, NULL, &other[n]));
      cr_expect(other[n].is_hit && other[n].index == nearest[n].index &&
                    other[n].element == nearest[n].element && other[n].distance == nearest[n].distance,
                "point %d", n);
      found += hits[n].is_hit;
    }
  }
  cr_expect_gt(found, MANY / 4);
  msd_destroy_world(world);
}

Test(query, overlaps_are_all_elements_within_the_radius_in_order) {
  msd_world *world = landscape();
  msd_query_def def = msd_default_query_def();
  def.segment_radius = 0;
  const msd_vec3 center = {(msd_real)0.45, (msd_real)0.15, (msd_real)0.4};
  const double radius = 0.2;
  int count = -1, again = -1;
  ok(world, msd_world_find_overlaps(world, center, (msd_real)radius, &def, NULL, 0, &count));
  msd_hit *hits = calloc((size_t)count, sizeof *hits);
  cr_assert_not_null(hits);
  ok(world, msd_world_find_overlaps(world, center, (msd_real)radius, &def, hits, count, &again));
  cr_assert_eq(again, count);
  cr_expect(hits[0].type == MSD_OBJECT_COLLIDER && hits[0].index == 0);
  int expected = 1, at = 1;
  for (int32_t mesh = 0; mesh < 2; mesh++) {
    const msd_collision_mesh_def of = msd_collision_mesh_get_def(world, mesh);
    for (int32_t e = 0; e < of.triangle_count + of.segment_count; e++) {
      const double d = of.triangle_count > 0
                           ? sampled_distance(world, of.triangles + 3 * (size_t)e, 3, center)
                           : sampled_distance(world, of.segments + 2 * (size_t)e, 2, center);
      if (d > radius + 1e-5)
        continue;
      expected += d < radius - 1e-5;
      while (at < count && (hits[at].index < mesh || (hits[at].index == mesh && hits[at].element < e)))
        at++;
      cr_expect(d > radius - 1e-5 || (at < count && hits[at].index == mesh && hits[at].element == e),
                "mesh %d element %d is missing", (int)mesh, (int)e);
    }
  }
  cr_expect_geq(count, expected);
  for (int n = 1; n < count; n++)
    cr_expect_leq((double)hits[n].distance, radius);
  free(hits);
  msd_destroy_world(world);
}

/* A sheet of two triangles; the spring of its diagonal tears. */
Test(query, a_ray_passes_where_a_mesh_is_cut) {
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  for (int n = 0; n < 4; n++)
    add_particle(world, 1, n % 2, 0, n / 2); /* NOLINT */
  add_mesh(world, (const int32_t[]){0, 2, 1, 1, 2, 3}, 2, NULL, 0);
  const int32_t diagonal = add_spring(world, physical(1000, 1), 1, 2, 1);
  const msd_ray ray = ray_from(0.25, 1, 0.25, 0, -1, 0);
  cr_expect(cast(world, ray, NULL).is_hit);
  msd_damage_def damage = msd_default_damage_def();
  damage.tear_strain = (msd_real)0.1;
  ok(world, msd_springs_set_damage(world, (msd_range){diagonal, 1}, &damage));
  step(world, 1.0 / 60, 4);
  cr_assert(msd_spring_is_torn(world, diagonal));
  cr_expect_not(cast(world, ray, NULL).is_hit);
  msd_destroy_world(world);
}

Test(query, bad_arguments_are_refused_and_store_nothing) {
  msd_world *world = gallery();
  msd_hit hit, before;
  memset(&before, 0x5a, sizeof before);
  hit = before;
  msd_ray ray = ray_from(0, 0, 0, 0, 1, 0);
  const msd_vec3 p = {0, 0, 0}, bad = {NAN, 0, 0};
  int found = 77;
  msd_query_def def = msd_default_query_def();
  cr_expect_eq(msd_world_cast_rays(NULL, &ray, 1, NULL, &hit), MSD_BAD_VALUE);
  cr_expect_eq(msd_world_cast_rays(world, NULL, 1, NULL, &hit), MSD_BAD_VALUE);
  cr_expect_eq(msd_world_cast_rays(world, &ray, 1, NULL, NULL), MSD_BAD_VALUE);
  cr_expect_eq(msd_world_cast_rays(world, &ray, -1, NULL, &hit), MSD_BAD_VALUE);
  cr_expect_eq(msd_world_cast_rays(world, NULL, 0, NULL, NULL), MSD_OK);
  ray.direction = (msd_vec3){0, 0, 0};
  cr_expect_eq(msd_world_cast_rays(world, &ray, 1, NULL, &hit), MSD_BAD_VALUE);
  ray.direction = bad;
  cr_expect_eq(msd_world_cast_rays(world, &ray, 1, NULL, &hit), MSD_BAD_VALUE);
  ray = ray_from(0, 0, 0, 0, 1, 0);
  ray.length = 0;
  cr_expect_eq(msd_world_cast_rays(world, &ray, 1, NULL, &hit), MSD_BAD_VALUE);
  ray.length = NAN;
  cr_expect_eq(msd_world_cast_rays(world, &ray, 1, NULL, &hit), MSD_BAD_VALUE);
  ray.length = 1;
  def.cookie = 0;
  cr_expect_eq(msd_world_cast_rays(world, &ray, 1, &def, &hit), MSD_UNINITIALIZED_DEF);
  def = msd_default_query_def();
  def.segment_radius = (msd_real)-0.5;
  cr_expect_eq(msd_world_cast_rays(world, &ray, 1, &def, &hit), MSD_BAD_VALUE);
  cr_expect_eq(msd_world_find_nearest(world, &p, 1, 0, NULL, &hit), MSD_BAD_VALUE);
  cr_expect_eq(msd_world_find_nearest(world, &bad, 1, 1, NULL, &hit), MSD_BAD_VALUE);
  cr_expect_eq(msd_world_find_overlaps(world, bad, 1, NULL, &hit, 1, &found), MSD_BAD_VALUE);
  cr_expect_eq(msd_world_find_overlaps(world, p, -1, NULL, &hit, 1, &found), MSD_BAD_VALUE);
  cr_expect_eq(msd_world_find_overlaps(world, p, INFINITY, NULL, &hit, 1, &found), MSD_BAD_VALUE);
  cr_expect_eq(msd_world_find_overlaps(world, p, 1, NULL, NULL, 1, &found), MSD_BAD_VALUE);
  cr_expect_eq(found, 77);
  cr_expect_eq(memcmp(&hit, &before, sizeof hit), 0);
  msd_destroy_world(world);
}
