/* Worlds of bodies with surfaces: sheets, ropes, closed meshes and single triangles, and the exact count of
   what of them intersects. */
#ifndef MSD_TESTS_SUPPORT_TOUCHING_H
#define MSD_TESTS_SUPPORT_TOUCHING_H

#include "tests/support/colliders.h"

typedef struct touching {
  msd_world *world;
  int32_t *triangles, *segments;
  int32_t triangle_count, segment_count;
} touching;

static inline touching contact_step_new(msd_vec3 gravity, double friction, double relaxation) {
  touching t = {.world = new_world(MSD_SYMPLECTIC_EULER)};
  ok(t.world, msd_world_set_gravity(t.world, gravity));
  set_contact(t.world, 0.005, friction, relaxation);
  return t;
}

static inline void contact_step_free(touching *t) {
  msd_destroy_world(t->world);
  free(t->triangles);
  free(t->segments);
}

static inline int32_t *touching_append(int32_t *list, int32_t old, const int32_t *more, int32_t count) {
  if (count == 0)
    return list;
  list = realloc(list, (size_t)(old + count) * sizeof *list);
  cr_assert_not_null(list);
  memcpy(list + old, more, (size_t)count * sizeof *list);
  return list;
}

/* Adds a surface, of which the checker then knows. */
static inline void touching_add(touching *t, msd_collision_mesh_def def) {
  ok(t->world, msd_add_collision_meshes(t->world, &def, 1, NULL));
  t->triangles = touching_append(t->triangles, 3 * t->triangle_count, def.triangles, 3 * def.triangle_count);
  t->segments = touching_append(t->segments, 2 * t->segment_count, def.segments, 2 * def.segment_count);
  t->triangle_count += def.triangle_count;
  t->segment_count += def.segment_count;
}

/* How many pairs of all surfaces intersect, exactly. */
static inline int64_t touching_intersections(const touching *t) {
  msd_intersection_def def = msd_default_intersection_def();
  def.triangles = t->triangles;
  def.segments = t->segments;
  def.triangle_count = t->triangle_count;
  def.segment_count = t->segment_count;
  int64_t found = -1;
  cr_assert_eq(msd_world_find_intersections(t->world, &def, NULL, 0, &found), MSD_OK);
  return found;
}

/* ------------------------------------------------------------------------------------------------- bodies */

static inline double length_of_vector(msd_vec3 v) {
  return sqrt(component(v, 0) * component(v, 0) + component(v, 1) * component(v, 1) +
              component(v, 2) * component(v, 2));
}

/* The triangles of a grid whose particle (row, column) is first + row*down + column*across. */
static inline int32_t grid_triangles(int32_t *out, int32_t first, int32_t columns, int32_t rows,
                                     int32_t across, int32_t down) {
  int32_t count = 0;
  for (int32_t j = 0; j + 1 < rows; j++)
    for (int32_t i = 0; i + 1 < columns; i++) {
      const int32_t a = first + j * down + i * across, b = a + across, c = b + down, d = a + down;
      const int32_t two[6] = {a, b, (i + j) % 2 ? d : c, (i + j) % 2 ? b : a, c, d};
      memcpy(out + 3 * (size_t)count, two, sizeof two);
      count += 2;
    }
  return count;
}

/* A cloth of 0.1 kg/m^2 with shear and bending, as stiff as a substep can take; returns its first particle. */
static inline int32_t touching_sheet(touching *t, int32_t columns, int32_t rows, msd_vec3 origin, msd_vec3 u,
                                     msd_vec3 v, bool has_surface) {
  msd_cloth_def def = msd_default_cloth_def();
  def.columns = columns;
  def.rows = rows;
  def.origin = origin;
  def.u = u;
  def.v = v;
  def.mass = (msd_real)(0.1 * length_of_vector(u) * length_of_vector(v));
  def.stretch = coefficient(0.5, 0.1);
  def.shear = coefficient(0.25, 0.05);
  def.bend = coefficient(0.02, 0.02);
  msd_body body;
  ok(t->world, msd_add_cloth(t->world, &def, &body));
  if (has_surface) {
    int32_t *triangles = calloc(6 * (size_t)(columns * rows), sizeof *triangles);
    cr_assert_not_null(triangles);
    msd_collision_mesh_def surface = msd_default_collision_mesh_def();
    surface.triangles = triangles;
    surface.triangle_count = grid_triangles(triangles, body.particles.first, columns, rows, 1, columns);
    touching_add(t, surface);
    free(triangles);
  }
  return body.particles.first;
}

/* A rope of 0.02 kg/m; returns its first particle. */
static inline int32_t touching_rope(touching *t, int32_t particles, msd_vec3 from, msd_vec3 to) {
  msd_rope_def def = msd_default_rope_def();
  def.particles = particles;
  def.from = from;
  def.to = to;
  def.mass = (msd_real)0.02;
  def.stretch = coefficient(0.5, 0.2);
  def.bend = coefficient(0.05, 0.02);
  msd_body body;
  ok(t->world, msd_add_rope(t->world, &def, &body));
  int32_t *segments = calloc(2 * (size_t)particles, sizeof *segments);
  cr_assert_not_null(segments);
  for (int32_t i = 0; i + 1 < particles; i++) {
    segments[2 * (size_t)i] = body.particles.first + i;
    segments[2 * (size_t)i + 1] = body.particles.first + i + 1;
  }
  msd_collision_mesh_def surface = msd_default_collision_mesh_def();
  surface.segments = segments;
  surface.segment_count = particles - 1;
  touching_add(t, surface);
  free(segments);
  return body.particles.first;
}

/* A block of so many parts along each side, whose skin is a closed surface; returns its first particle. */
static inline int32_t touching_block(touching *t, int32_t parts, msd_vec3 origin, double size, double mass) {
  msd_block_def def = msd_default_block_def();
  for (int k = 0; k < 3; k++)
    def.cells[k] = parts;
  def.origin = origin;
  def.size = vector(size, size, size);
  def.mass = (msd_real)mass;
  def.stretch = coefficient(0.3, 0.05);
  def.shear = coefficient(0.3, 0.05);
  msd_body body;
  ok(t->world, msd_add_block(t->world, &def, &body));
  const int32_t side = parts + 1, first = body.particles.first, steps[3] = {1, side, side * side};
  int32_t *triangles = calloc(36 * (size_t)(parts * parts), sizeof *triangles), count = 0;
  cr_assert_not_null(triangles);
  for (int axis = 0; axis < 3; axis++)
    for (int32_t end = 0; end < 2; end++)
      count += grid_triangles(triangles + 3 * (size_t)count, first + end * parts * steps[axis], side, side,
                              steps[(axis + 1) % 3], steps[(axis + 2) % 3]);
  msd_collision_mesh_def surface = msd_default_collision_mesh_def();
  surface.triangles = triangles;
  surface.triangle_count = count;
  touching_add(t, surface);
  free(triangles);
  return first;
}

/* One triangle without springs; returns its first particle. */
static inline int32_t touching_triangle(touching *t, double mass, msd_vec3 a, msd_vec3 b, msd_vec3 c) {
  const msd_vec3 at[3] = {a, b, c};
  int32_t corners[3];
  for (int k = 0; k < 3; k++)
    corners[k] = add_particle(t->world, mass, (double)at[k].x, (double)at[k].y, (double)at[k].z);
  msd_collision_mesh_def surface = msd_default_collision_mesh_def();
  surface.triangles = corners;
  surface.triangle_count = 1;
  touching_add(t, surface);
  return corners[0];
}

static inline void pin_all(msd_world *world, int32_t first, int32_t count) {
  for (int32_t i = first; i < first + count; i++)
    ok(world, msd_particle_pin(world, i));
}

static inline void throw_all(msd_world *world, int32_t first, int32_t count, msd_vec3 velocity) {
  for (int32_t i = first; i < first + count; i++)
    ok(world, msd_particle_set_velocity(world, i, velocity));
}

#endif
