/* Sheets of triangles and blocks of tetrahedra, regular and not, and fibers in them. */
#ifndef MSD_TESTS_SUPPORT_FIBERS_H
#define MSD_TESTS_SUPPORT_FIBERS_H

#include "tests/support/networks.h"

#include <math.h>

typedef enum sheet_kind {
  SHEET_SQUARE,
  SHEET_ALTERNATING,
  SHEET_JITTERED,
  SHEET_RANDOM,
  SHEET_KINDS
} sheet_kind;

enum {
  SHEET_CELLS = 6,
  SHEET_SIDE = SHEET_CELLS + 1,
  SHEET_VERTICES = SHEET_SIDE * SHEET_SIDE,
  SHEET_TRIANGLES = 2 * SHEET_CELLS * SHEET_CELLS
};

/* In the plane z = 0, of side 1.5; triangles go counterclockwise. */
typedef struct sheet {
  msd_vec3 at[SHEET_VERTICES];
  int32_t triangles[SHEET_TRIANGLES][3];
} sheet;

static inline double sheet_area(const sheet *s, const int32_t *t) {
  const msd_vec3 a = s->at[t[0]], b = s->at[t[1]], c = s->at[t[2]];
  return (((double)b.x - (double)a.x) * ((double)c.y - (double)a.y) -
          ((double)c.x - (double)a.x) * ((double)b.y - (double)a.y)) /
         2;
}

/* The vertices of a jittered sheet are off by up to 0.3 of a cell, of a random one by 0.45, with the
   diagonals of cells at random, where both triangles keep an area. */
static inline sheet make_sheet(sheet_kind kind) {
  static const double JITTER[SHEET_KINDS] = {0, 0, 0.3, 0.45}, CELL = 0.25;
  generator random = {.state = 11 + (uint64_t)kind};
  sheet s;
  for (int32_t v = 0; v < SHEET_VERTICES; v++) {
    const int32_t row = v / SHEET_SIDE, column = v % SHEET_SIDE;
    const bool is_inside = row % SHEET_CELLS != 0 && column % SHEET_CELLS != 0;
    const msd_vec3 shake = random_vector(&random, is_inside ? (msd_real)(JITTER[kind] * CELL) : 0);
    s.at[v] = (msd_vec3){(msd_real)(column * CELL) + shake.x, (msd_real)(row * CELL) + shake.y, 0};
  }
  for (int32_t cell = 0; cell < SHEET_CELLS * SHEET_CELLS; cell++) {
    const int32_t row = cell / SHEET_CELLS, column = cell % SHEET_CELLS, a = row * SHEET_SIDE + column;
    const int32_t b = a + 1, c = a + SHEET_SIDE + 1, d = a + SHEET_SIDE;
    const int32_t ways[2][6] = {{a, b, c, a, c, d}, {a, b, d, b, c, d}};
    int way = kind == SHEET_ALTERNATING ? (row + column) % 2
              : kind == SHEET_RANDOM    ? random_below(&random, 2)
                                        : 0;
    for (int turn = 0; turn < 2; turn++, way = 1 - way) {
      memcpy(s.triangles[(ptrdiff_t)2 * cell], ways[way], sizeof ways[way]);
      if (sheet_area(&s, s.triangles[2 * cell]) > 0.004 && sheet_area(&s, s.triangles[2 * cell + 1]) > 0.004)
        break;
    }
  }
  return s;
}

/* Directions at these angles, each with a stiffness over the area of its triangle. */
typedef struct fiber_family {
  double angle, stiffness;
} fiber_family;

static inline void add_sheet_fibers(msd_world *world, const sheet *s, const fiber_family *families, int count,
                                    double damping) {
  for (int32_t t = 0; t < SHEET_TRIANGLES; t++)
    for (int n = 0; n < count; n++) {
      const msd_vec3 along = {(msd_real)cos(families[n].angle), (msd_real)sin(families[n].angle), 0};
      const int32_t *corner = s->triangles[t];
      const msd_vec3 rest[3] = {s->at[corner[0]], s->at[corner[1]], s->at[corner[2]]};
      msd_constraint_def def = msd_default_constraint_def();
      def.kind = MSD_CONSTRAINT_FIBER;
      for (int c = 0; c < 3; c++)
        def.particles[c] = corner[c];
      def.rest = 1;
      def.stiffness = (msd_real)(families[n].stiffness * sheet_area(s, corner));
      def.damping = (msd_real)(damping * (double)def.stiffness);
      cr_assert_eq(msd_fiber_weights(rest, 3, along, def.weights), MSD_OK);
      ASSERT_OK(world, msd_add_constraints(world, &def, 1, NULL));
    }
}

#endif
