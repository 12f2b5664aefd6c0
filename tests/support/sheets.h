/* Flat sheets of triangles in the plane x, y, from -1 cell of each column to `length`, whose cells are cut by
   alternating diagonals: even, shaken, or equilateral. */
#ifndef MSD_TESTS_SUPPORT_SHEETS_H
#define MSD_TESTS_SUPPORT_SHEETS_H

#include "tests/support/laboratory.h"

#include <stdlib.h>

typedef struct sheet {
  msd_vec3 *vertices;
  int32_t *triangles;
  int32_t vertex_count, triangle_count;
  /* m^2. */
  double area;
} sheet;

typedef struct sheet_plan {
  int columns, rows;
  /* m: of the cells. */
  double across, down;
  /* Of a cell, at most: how far what is not at the border is shaken. */
  double shake;
  /* Rows are moved by half a cell by turns, and the diagonals are the short ones. */
  bool is_staggered;
} sheet_plan;

static inline double sheet_random(uint64_t *seed) {
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(*seed >> 11) / 9007199254740992.0 - 0.5;
}

static inline void sheet_cut(sheet *s, const sheet_plan *plan, int c, int r) {
  const int32_t a = r * plan->columns + c, b = a + 1, d = a + plan->columns, e = d + 1;
  const bool from_a = plan->is_staggered ? r % 2 != 0 : (c + r) % 2 == 0;
  const int32_t cut[2][6] = {{a, d, b, b, d, e}, {a, d, e, a, e, b}};
  for (int n = 0; n < 6; n++)
    s->triangles[3 * s->triangle_count + n] = cut[from_a][n];
  s->triangle_count += 2;
}

static inline sheet sheet_new(sheet_plan plan) {
  sheet s = {.vertex_count = plan.columns * plan.rows};
  s.vertices = calloc((size_t)s.vertex_count, sizeof *s.vertices);
  s.triangles = calloc(6 * (size_t)s.vertex_count, sizeof *s.triangles);
  cr_assert(s.vertices && s.triangles);
  uint64_t seed = 7;
  for (int r = 0; r < plan.rows; r++)
    for (int c = 0; c < plan.columns; c++) {
      const bool is_border = r == 0 || c == 0 || r + 1 == plan.rows || c + 1 == plan.columns;
      const double u = is_border ? 0 : 2 * plan.shake * sheet_random(&seed);
      const double v = is_border ? 0 : 2 * plan.shake * sheet_random(&seed);
      s.vertices[r * plan.columns + c] =
          (msd_vec3){(msd_real)((c + u + (plan.is_staggered ? 0.5 * (r % 2) : 0)) * plan.across),
                     (msd_real)((r + v) * plan.down), 0};
      if (r + 1 < plan.rows && c + 1 < plan.columns)
        sheet_cut(&s, &plan, c, r);
    }
  s.area = (plan.columns - 1) * (plan.rows - 1) * plan.across * plan.down;
  return s;
}

static inline void sheet_free(sheet *s) {
  free(s->vertices);
  free(s->triangles);
}

/* As a mesh of the material, in a world without gravity. */
static inline msd_world *sheet_world_along(const sheet *s, const msd_material *material, msd_vec3 warp,
                                           msd_body *body) {
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  msd_mesh_def def = msd_default_mesh_def();
  def.vertices = s->vertices;
  def.vertex_count = s->vertex_count;
  def.triangles = s->triangles;
  def.triangle_count = s->triangle_count;
  def.material = material;
  def.warp = warp;
  ok(world, msd_add_mesh(world, &def, body));
  return world;
}

static inline msd_world *sheet_world(const sheet *s, const msd_material *material, msd_body *body) {
  return sheet_world_along(s, material, (msd_vec3){0, 1, 0}, body);
}

#endif
