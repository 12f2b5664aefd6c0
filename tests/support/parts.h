/* Bodies for worlds of which each rank has a part, the same in one process. */
#ifndef MSD_TESTS_SUPPORT_PARTS_H
#define MSD_TESTS_SUPPORT_PARTS_H

#include "engine/world/world.h"
#include "tests/support/networks.h"
#include "tests/support/rank_room.h"

static inline msd_world *empty(void) {
  msd_world_def def = msd_default_world_def();
  def.air_drag = (msd_real)0.1;
  msd_world *world;
  cr_assert_eq(msd_create_world(&def, &world), MSD_OK);
  return world;
}

static inline msd_spring_def stiff(msd_real stiffness) {
  msd_spring_def def = msd_default_spring_def();
  def.law = MSD_SPRING_PHYSICAL;
  def.stiffness = stiffness;
  def.damping = (msd_real)0.001;
  return def;
}

static inline msd_spring_def coefficients(void) {
  msd_spring_def def = msd_default_spring_def();
  def.law = MSD_SPRING_COEFFICIENT;
  def.ck = (msd_real)0.1;
  def.cd = (msd_real)0.05;
  return def;
}

/* A particle of the whole, where the world has it; -1. */
static inline int32_t local(const msd_world *world, int32_t particle) {
  const msd_part part = msd_world_get_part(world);
  const int32_t at = particle - part.kept.first;
  if (!world->part.is_open)
    return particle;
  return at >= 0 && at < part.kept.count ? at : -1;
}

/* Each to be found at its place in the whole, whoever has it. */
static inline void pin(msd_world *world, int32_t particle) {
  const int32_t at = local(world, particle);
  if (at >= 0 && at < msd_world_get_particle_count(world))
    ASSERT_OK(world, msd_particle_pin(world, at));
}

static inline void add_cloth(msd_world *world, int32_t columns, int32_t rows, msd_spring_def springs,
                             msd_real z) {
  msd_cloth_def def = msd_default_cloth_def();
  def.columns = columns;
  def.rows = rows;
  def.origin.z = z;
  def.structural = def.shear = def.bend = springs;
  ASSERT_OK(world, msd_add_cloth(world, &def, NULL));
}

static inline void cloth(msd_world *world) {
  add_cloth(world, 40, 77, stiff(20), 0);
  pin(world, 0);
  pin(world, 39);
}

/* The mass that acts at a spring follows from how many there are at its ends. */
static inline void cloth_of_coefficients(msd_world *world) {
  add_cloth(world, 48, 60, coefficients(), 0);
  pin(world, 0);
  pin(world, 47);
}

static inline void rope(msd_world *world) {
  msd_rope_def def = msd_default_rope_def();
  def.particles = 5001;
  def.mass = 500;
  def.stretch = stiff(500);
  def.bend = stiff(7);
  ASSERT_OK(world, msd_add_rope(world, &def, NULL));
  pin(world, 0);
  pin(world, 5000);
}

static inline void block(msd_world *world) {
  msd_block_def def = msd_default_block_def();
  def.cells[0] = 15;
  def.cells[1] = 12;
  def.cells[2] = 21;
  def.structural = def.shear = stiff(30);
  def.mass = 50;
  ASSERT_OK(world, msd_add_block(world, &def, NULL));
  pin(world, 5);
}

/* Three columns: no group of 16 particles has 12 springs to the right, or along a diagonal. */
static inline void add_narrow(msd_world *world, int32_t rows) {
  msd_cloth_def def = msd_default_cloth_def();
  def.columns = 3;
  def.rows = rows;
  def.structural = def.shear = stiff(1);
  ASSERT_OK(world, msd_add_cloth(world, &def, NULL));
}

/* The last rank has little in rows, and the whole enough. */
static inline void several(msd_world *world) {
  msd_rope_def def = msd_default_rope_def();
  cloth(world);
  def.particles = 333;
  def.stretch = stiff(50);
  ASSERT_OK(world, msd_add_rope(world, &def, NULL));
  block(world);
  add_cloth(world, 31, 17, coefficients(), 2);
  add_narrow(world, 1200);
}

static inline void of_a_material(msd_world *world) {
  msd_material material = msd_default_material();
  msd_cloth_def def = msd_default_cloth_def();
  material.stretch = 30;
  material.shear = 10;
  material.bend = 0;
  material.area_density = 1;
  def.columns = def.rows = 50;
  def.material = &material;
  ASSERT_OK(world, msd_add_cloth(world, &def, NULL));
  pin(world, 0);
}

/* A sheet of triangles with holes, row by row, pushed about a little so that nothing is even. */
typedef struct sheet_mesh {
  msd_vec3 *vertices;
  int32_t *triangles;
  int32_t columns, vertex_count, triangle_count;
} sheet_mesh;

static inline sheet_mesh make_sheet(int32_t columns, int32_t rows) {
  sheet_mesh m = {.columns = columns, .vertex_count = columns * rows};
  m.vertices = malloc((size_t)m.vertex_count * sizeof *m.vertices);
  m.triangles = malloc((size_t)m.vertex_count * 6 * sizeof *m.triangles);
  for (int32_t i = 0; i < m.vertex_count; i++) {
    m.vertices[i] =
        (msd_vec3){(msd_real)(i % columns) / 8, (msd_real)(i / columns) / 8, (msd_real)(i * 7 % 11) / 64};
    if (i % columns == columns - 1 || i / columns == rows - 1)
      continue;
    const int32_t corners[] = {i, i + 1, i + columns + 1, i, i + columns + 1, i + columns};
    memcpy(m.triangles + 3 * (size_t)m.triangle_count, corners, (i % 29 == 3 ? 3 : 6) * sizeof *corners);
    m.triangle_count += i % 29 == 3 ? 1 : 2;
  }
  return m;
}

/* The vertices from `first` to `end` - 1 with the triangles among them, counted from the first. */
static inline sheet_mesh cut_sheet(const sheet_mesh *from, int32_t first, int32_t end) {
  sheet_mesh m = {.columns = from->columns, .vertex_count = end - first};
  m.vertices = malloc((size_t)m.vertex_count * sizeof *m.vertices + 1);
  m.triangles = malloc((size_t)from->triangle_count * 3 * sizeof *m.triangles);
  memcpy(m.vertices, from->vertices + first, (size_t)m.vertex_count * sizeof *m.vertices);
  for (int32_t t = 0; t < from->triangle_count; t++) {
    const int32_t *corner = from->triangles + 3 * (size_t)t;
    bool is_inside = true;
    for (int c = 0; c < 3; c++)
      is_inside = is_inside && corner[c] >= first && corner[c] < end;
    for (int c = 0; is_inside && c < 3; c++)
      m.triangles[3 * (size_t)m.triangle_count + (size_t)c] = corner[c] - first;
    m.triangle_count += is_inside;
  }
  return m;
}

static inline void free_sheet(sheet_mesh *m) {
  free(m->vertices);
  free(m->triangles);
}

static inline int32_t within(int64_t value, int32_t most) {
  return value < 0 ? 0 : value < most ? (int32_t)value : most;
}

/* The whole of it, or what a rank is to have. */
static inline void add_sheet(msd_world *world, int32_t columns, int32_t rows, msd_spring_def edges,
                             msd_spring_def bends) {
  sheet_mesh all = make_sheet(columns, rows);
  const msd_part part = msd_world_get_part(world);
  const int32_t span = columns + 1,
                first = within((int64_t)part.kept.first - part.particles, all.vertex_count),
                end = within((int64_t)part.kept.first + part.kept.count - part.particles, all.vertex_count),
                from = end > first ? within((int64_t)first - span, all.vertex_count) : 0,
                to = end > first ? within((int64_t)end + span, all.vertex_count) : 0;
  sheet_mesh own =
      cut_sheet(&all, world->part.is_open ? from : 0, world->part.is_open ? to : all.vertex_count);
  msd_mesh_def def = msd_default_mesh_def();
  def.vertices = own.vertices;
  def.vertex_count = own.vertex_count;
  def.triangles = own.triangles;
  def.triangle_count = own.triangle_count;
  def.structural = edges;
  def.bend = bends;
  if (world->part.is_open)
    ASSERT_OK(world, msd_add_mesh_part(world, &def, &(msd_mesh_part){all.vertex_count, from, span}, NULL));
  else
    ASSERT_OK(world, msd_add_mesh(world, &def, NULL));
  free_sheet(&own);
  free_sheet(&all);
}

static inline void sheet(msd_world *world) {
  add_sheet(world, 45, 70, stiff(20), stiff(3));
  pin(world, 0);
  pin(world, 44);
}

static inline void sheet_of_coefficients(msd_world *world) {
  msd_spring_def none = msd_default_spring_def();
  none.law = MSD_SPRING_NONE;
  add_sheet(world, 50, 60, coefficients(), none);
  pin(world, 3);
}

/* Meshes among other bodies, whose first particles lie within chunks. */
static inline void sheets(msd_world *world) {
  rope(world);
  add_sheet(world, 33, 40, stiff(40), coefficients());
  add_cloth(world, 31, 27, coefficients(), 2);
  add_sheet(world, 60, 31, coefficients(), stiff(1));
}

/* Fewer chunks than ranks. */
static inline void small(msd_world *world) {
  msd_rope_def def = msd_default_rope_def();
  def.particles = 300;
  def.stretch = stiff(50);
  ASSERT_OK(world, msd_add_rope(world, &def, NULL));
  pin(world, 299);
}

/* What bodies bring, from a world that keeps none of it. */
static inline msd_part measure(void (*fill)(msd_world *world)) {
  rank_room room;
  room_begin_with(&room, 5, 0);
  const msd_ranks ranks = room_ranks(&room.seats[2], 0);
  msd_world *world = empty();
  ASSERT_OK(world, msd_world_set_part(world, &ranks, 0, 0));
  fill(world);
  cr_assert_eq(msd_world_get_particle_count(world) + msd_world_get_spring_count(world), 0);
  const msd_part part = msd_world_get_part(world);
  msd_destroy_world(world);
  return part;
}

#endif
