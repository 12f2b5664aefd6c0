/* Bodies for worlds of which each rank has a part, the same in one process. */
#ifndef MSD_TESTS_SUPPORT_PARTS_H
#define MSD_TESTS_SUPPORT_PARTS_H

#include "engine/world/world.h"
#include "tests/support/networks.h"
#include "tests/support/rank_room.h"

static inline msd_world *empty(void) {
  msd_world_def def = msd_default_world_def();
  def.linear_damping = (msd_real)0.1;
  msd_world *world;
  cr_assert_eq(msd_create_world(&def, &world), MSD_OK);
  return world;
}

static inline msd_spring_def stiff(msd_real stiffness) {
  msd_spring_def def = msd_default_spring_def();
  def.law = MSD_SPRING_STIFFNESS;
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
  const msd_subdomain part = msd_world_get_subdomain(world);
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
  def.stretch = def.shear = def.bend = springs;
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
  def.stretch = def.shear = stiff(30);
  def.mass = 50;
  ASSERT_OK(world, msd_add_block(world, &def, NULL));
  pin(world, 5);
}

/* Three columns: no group of 16 particles has 12 springs to the right, or along a diagonal. */
static inline void add_narrow(msd_world *world, int32_t rows) {
  msd_cloth_def def = msd_default_cloth_def();
  def.columns = 3;
  def.rows = rows;
  def.stretch = def.shear = stiff(1);
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
  material.stretch_modulus = 30;
  material.shear_modulus = 10;
  material.bend_rigidity = 0;
  material.area_density = 1;
  def.columns = def.rows = 50;
  def.material = &material;
  ASSERT_OK(world, msd_add_cloth(world, &def, NULL));
  pin(world, 0);
}

/* A mesh of triangles or tetrahedra, and how far apart two corners of one are at most. */
typedef struct cell_mesh {
  msd_vec3 *vertices;
  int32_t *cells;
  int32_t each, vertex_count, cell_count, span;
} cell_mesh;

static inline cell_mesh begin_cells(int32_t each, int32_t vertices, int32_t room) {
  cell_mesh m = {.each = each, .vertex_count = vertices};
  m.vertices = malloc((size_t)vertices * sizeof *m.vertices + 1);
  m.cells = malloc((size_t)each * (size_t)room * sizeof *m.cells + 1);
  cr_assert(m.vertices && m.cells);
  return m;
}

static inline void free_cells(cell_mesh *m) {
  free(m->vertices);
  free(m->cells);
}

static inline void add_cell(cell_mesh *m, const int32_t *corners) {
  memcpy(m->cells + (size_t)m->each * (size_t)m->cell_count++, corners, (size_t)m->each * sizeof *corners);
  for (int a = 0; a < m->each; a++)
    for (int b = 0; b < a; b++)
      m->span = abs(corners[a] - corners[b]) > m->span ? abs(corners[a] - corners[b]) : m->span;
}

/* A sheet of triangles with holes, row by row, pushed about a little so that nothing is even. */
static inline cell_mesh make_sheet(int32_t columns, int32_t rows) {
  cell_mesh m = begin_cells(3, columns * rows, 2 * columns * rows);
  for (int32_t i = 0; i < m.vertex_count; i++) {
    m.vertices[i] =
        (msd_vec3){(msd_real)(i % columns) / 8, (msd_real)(i / columns) / 8, (msd_real)(i * 7 % 11) / 64};
    if (i % columns == columns - 1 || i / columns == rows - 1)
      continue;
    add_cell(&m, (const int32_t[]){i, i + 1, i + columns + 1});
    if (i % 29 != 3)
      add_cell(&m, (const int32_t[]){i, i + columns + 1, i + columns});
  }
  return m;
}

/* In place of `from`, whose vertex v goes to place[v]; with room for one cell more. */
static inline cell_mesh renumbered(cell_mesh from, const int32_t *place) {
  cell_mesh m = begin_cells(from.each, from.vertex_count, from.cell_count + 1);
  for (int32_t v = 0; v < from.vertex_count; v++)
    m.vertices[place[v]] = from.vertices[v];
  for (int32_t n = 0; n < from.cell_count; n++) {
    int32_t corners[4];
    for (int c = 0; c < from.each; c++)
      corners[c] = place[from.cells[from.each * n + c]];
    add_cell(&m, corners);
  }
  free_cells(&from);
  return m;
}

static inline cell_mesh shuffled(cell_mesh from) {
  generator random = {.state = 5};
  int32_t *place = malloc((size_t)from.vertex_count * sizeof *place);
  for (int32_t v = 0; v < from.vertex_count; v++) {
    const int32_t other = random_below(&random, v + 1);
    place[v] = place[other];
    place[other] = v;
  }
  const cell_mesh m = renumbered(from, place);
  free(place);
  return m;
}

/* Points that are shaken, cells that are cut along either diagonal by chance, and no order of numbers. */
static inline cell_mesh make_irregular_sheet(int32_t columns, int32_t rows) {
  generator random = {.state = 3};
  cell_mesh m = begin_cells(3, columns * rows, 2 * columns * rows);
  for (int32_t i = 0; i < m.vertex_count; i++) {
    const msd_vec3 shake = random_vector(&random, (msd_real)0.03125);
    m.vertices[i] =
        (msd_vec3){(msd_real)(i % columns) / 8 + shake.x, (msd_real)(i / columns) / 8 + shake.y, shake.z};
    if (i % columns == columns - 1 || i / columns == rows - 1)
      continue;
    const int turn = random_below(&random, 2);
    const int32_t around[] = {i, i + 1, i + columns + 1, i + columns};
    add_cell(&m, (const int32_t[]){around[turn], around[turn + 1], around[turn + 2]});
    add_cell(&m, (const int32_t[]){around[turn], around[turn + 2], around[(turn + 3) % 4]});
  }
  return shuffled(m);
}

/* Cubes of five tetrahedra, that alternate, in a block whose points are shaken, without an order of numbers. */
static inline cell_mesh make_irregular_block(int32_t side, int32_t length) {
  static const int of_cube[2][5][4] = {
      {{0, 1, 2, 4}, {3, 1, 2, 7}, {5, 1, 4, 7}, {6, 2, 4, 7}, {1, 2, 4, 7}},
      {{1, 0, 3, 5}, {2, 0, 3, 6}, {4, 0, 5, 6}, {7, 3, 5, 6}, {0, 3, 5, 6}}};
  generator random = {.state = 8};
  cell_mesh m = begin_cells(4, side * side * length, 5 * side * side * length);
  for (int32_t i = 0; i < m.vertex_count; i++) {
    const int32_t x = i % side, y = i / side % side, z = i / side / side;
    const msd_vec3 shake = random_vector(&random, (msd_real)0.015625);
    m.vertices[i] =
        (msd_vec3){(msd_real)x / 8 + shake.x, (msd_real)z / 8 + shake.y, (msd_real)y / 8 + shake.z};
    for (int n = 0; n < 5 && x + 1 < side && y + 1 < side && z + 1 < length; n++) {
      int32_t corners[4];
      for (int c = 0; c < 4; c++) {
        const int at = of_cube[(x + y + z) % 2][n][c];
        corners[c] = i + at % 2 + at / 2 % 2 * side + at / 4 * side * side;
      }
      add_cell(&m, corners);
    }
  }
  return shuffled(m);
}

/* The vertices from `first` to `end` - 1 with the cells among them, counted from the first. */
static inline cell_mesh cut_cells(const cell_mesh *from, int32_t first, int32_t end) {
  cell_mesh m = begin_cells(from->each, end - first, from->cell_count);
  memcpy(m.vertices, from->vertices + first, (size_t)m.vertex_count * sizeof *m.vertices);
  for (int32_t n = 0; n < from->cell_count; n++) {
    int32_t corners[4];
    bool is_inside = true;
    for (int c = 0; c < from->each; c++) {
      corners[c] = from->cells[from->each * n + c] - first;
      is_inside = is_inside && corners[c] >= 0 && corners[c] < m.vertex_count;
    }
    if (is_inside)
      add_cell(&m, corners);
  }
  return m;
}

static inline msd_spring_def no_springs(void) {
  msd_spring_def none = msd_default_spring_def();
  none.law = MSD_SPRING_NONE;
  return none;
}

/* All of a mesh, or where there is `part` what is given of it. */
static inline void add_given_cells(msd_world *world, const cell_mesh *m, const msd_mesh_subdomain *part,
                                   msd_spring_def edges, msd_spring_def bends) {
  msd_mesh_def mesh = msd_default_mesh_def();
  msd_tetmesh_def tetmesh = msd_default_tetmesh_def();
  mesh.vertices = tetmesh.vertices = m->vertices;
  mesh.vertex_count = tetmesh.vertex_count = m->vertex_count;
  mesh.triangles = tetmesh.tetrahedra = m->cells;
  mesh.triangle_count = tetmesh.tetrahedron_count = m->cell_count;
  mesh.stretch = tetmesh.stretch = edges;
  mesh.bend = bends;
  tetmesh.density = 10;
  tetmesh.volume = no_springs();
  const bool is_flat = m->each == 3;
  ASSERT_OK(world, part      ? is_flat ? msd_add_mesh_subdomain(world, &mesh, part, NULL)
                                       : msd_add_tetmesh_subdomain(world, &tetmesh, part, NULL)
                        : is_flat ? msd_add_mesh(world, &mesh, NULL)
                             : msd_add_tetmesh(world, &tetmesh, NULL));
}

static inline int32_t within(int64_t value, int32_t most) {
  return value < 0 ? 0 : value < most ? (int32_t)value : most;
}

/* The whole of it, or what a rank is to have. */
static inline void add_cells(msd_world *world, const cell_mesh *all, msd_spring_def edges,
                             msd_spring_def bends) {
  if (!world->part.is_open) {
    add_given_cells(world, all, NULL, edges, bends);
    return;
  }
  const msd_subdomain part = msd_world_get_subdomain(world);
  const int32_t first = within((int64_t)part.kept.first - part.particles, all->vertex_count),
                end = within((int64_t)part.kept.first + part.kept.count - part.particles, all->vertex_count),
                from = end > first ? within((int64_t)first - all->span, all->vertex_count) : 0,
                to = end > first ? within((int64_t)end + all->span, all->vertex_count) : 0;
  cell_mesh own = cut_cells(all, from, to);
  add_given_cells(world, &own, &(msd_mesh_subdomain){all->vertex_count, from, all->span}, edges, bends);
  free_cells(&own);
}

/* With its vertices where a step would have them in memory, if edges were springs. */
static inline cell_mesh in_order(cell_mesh from) {
  int32_t *place = malloc((size_t)from.vertex_count * sizeof *place);
  msd_world *world = empty();
  add_given_cells(world, &from, NULL, stiff(1), no_springs());
  ASSERT_OK(world, msd_world_find_layout_order(world, place, NULL));
  msd_destroy_world(world);
  const cell_mesh m = renumbered(from, place);
  free(place);
  return m;
}

static inline void add_sheet(msd_world *world, int32_t columns, int32_t rows, msd_spring_def edges,
                             msd_spring_def bends) {
  cell_mesh all = make_sheet(columns, rows);
  add_cells(world, &all, edges, bends);
  free_cells(&all);
}

/* Few of its springs are in rows; a spring reaches over some 500 of 12,000 particles. */
static inline void irregular_sheet(msd_world *world) {
  cell_mesh all = in_order(make_irregular_sheet(60, 200));
  add_cells(world, &all, stiff(20), stiff(3));
  free_cells(&all);
  pin(world, 0);
  pin(world, 777);
}

static inline void irregular_sheet_of_coefficients(msd_world *world) {
  cell_mesh all = in_order(make_irregular_sheet(50, 160));
  add_cells(world, &all, coefficients(), no_springs());
  free_cells(&all);
  pin(world, 3);
}

static inline void irregular_block(msd_world *world) {
  cell_mesh all = in_order(make_irregular_block(10, 60));
  add_cells(world, &all, stiff(20), no_springs());
  free_cells(&all);
  pin(world, 5);
}

/* Behind a body that is no whole number of groups, so that those of the mesh are others. */
static inline void irregular_behind_others(msd_world *world) {
  msd_rope_def def = msd_default_rope_def();
  def.particles = 333;
  def.stretch = stiff(50);
  ASSERT_OK(world, msd_add_rope(world, &def, NULL));
  irregular_block(world);
  cell_mesh all = in_order(make_irregular_sheet(40, 160));
  add_cells(world, &all, coefficients(), stiff(1));
  free_cells(&all);
}

static inline void sheet(msd_world *world) {
  add_sheet(world, 45, 70, stiff(20), stiff(3));
  pin(world, 0);
  pin(world, 44);
}

static inline void sheet_of_coefficients(msd_world *world) {
  add_sheet(world, 50, 60, coefficients(), no_springs());
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
static inline msd_subdomain measure(void (*fill)(msd_world *world)) {
  rank_room room;
  room_begin_with(&room, 5, 0);
  const msd_ranks ranks = room_ranks(&room.seats[2], 0);
  msd_world *world = empty();
  ASSERT_OK(world, msd_world_set_subdomain(world, &ranks, 0, 0));
  fill(world);
  cr_assert_eq(msd_world_get_particle_count(world) + msd_world_get_spring_count(world), 0);
  const msd_subdomain part = msd_world_get_subdomain(world);
  msd_destroy_world(world);
  return part;
}

#endif
