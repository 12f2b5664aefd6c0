/* Surfaces of a few triangles for the tests of render/. */
#ifndef MSD_TESTS_SUPPORT_RENDER_SOLIDS_H
#define MSD_TESTS_SUPPORT_RENDER_SOLIDS_H

#include "tests/support/render_stage.h"

#include <math.h>

/* Fills the body of a stage with these particles and triangles, without springs. */
static inline void add_surface(stage *st, const msd_vec3 *positions, int count, const int32_t *corners,
                               int triangles) {
  for (int i = 0; i < count; i++) {
    msd_particle_def def = msd_default_particle_def();
    def.position = positions[i];
    cr_assert(msd_add_particles(st->scene.world, &def, 1, NULL) == MSD_OK);
  }
  st->body.particles = (msd_range){0, count};
  st->body.triangles = malloc(sizeof(int32_t) * 3 * (size_t)triangles);
  memcpy(st->body.triangles, corners, sizeof(int32_t) * 3 * (size_t)triangles);
  st->body.triangle_count = triangles;
}

/* A cube of 1 m around the origin whose triangles face outwards. Bits 0, 1 and 2 of i tell the signs of x, y
   and z of corner i. */
static inline void make_cube(stage *st, msd_vec3 gravity) {
  static const int32_t corners[12][3] = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
                                         {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
  msd_vec3 at[8];
  for (int i = 0; i < 8; i++)
    at[i] =
        (msd_vec3){(msd_real)((i & 1) - 0.5), (msd_real)((i >> 1 & 1) - 0.5), (msd_real)((i >> 2 & 1) - 0.5)};
  stage_make(st, "mesh", gravity);
  add_surface(st, at, 8, corners[0], 12);
}

/* The side of a prism with this many faces around the y axis, open above and below: particles 2 i and 2 i + 1
   are the lower and upper end of edge i. */
static inline void make_tube(stage *st, int sides) {
  msd_vec3 at[64];
  int32_t corners[64][3];
  for (int i = 0; i < sides; i++) {
    double angle = 2 * 3.14159265358979 * i / sides;
    int32_t low = 2 * i, next = 2 * ((i + 1) % sides);
    for (int end = 0; end < 2; end++)
      at[low + end] = (msd_vec3){(msd_real)cos(angle), (msd_real)(end - 0.5), (msd_real)sin(angle)};
    memcpy(corners[2 * i], (int32_t[]){low, low + 1, next}, sizeof corners[0]);
    memcpy(corners[2 * i + 1], (int32_t[]){next, low + 1, next + 1}, sizeof corners[0]);
  }
  stage_make(st, "mesh", nowhere);
  add_surface(st, at, 2 * sides, corners[0], 2 * sides);
}

#endif
