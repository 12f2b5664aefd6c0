/* Surfaces that several tests search: particles with positions, velocities and places at rest, and pieces. */
#ifndef MSD_TESTS_SUPPORT_SURFACES_H
#define MSD_TESTS_SUPPORT_SURFACES_H

#include "tests/support/networks.h"

#include "engine/contact/surface_mesh.h"

#include <criterion/criterion.h>
#include <math.h>

enum { SURFACE_PIECES_MAX = 48 };

typedef struct surface {
  int32_t particles, piece_count;
  msd_vec3 *x, *v, *rest;
  surface_body pieces[SURFACE_PIECES_MAX];
  int32_t ignored[SURFACE_PIECES_MAX][2];
  int32_t ignored_count;
} surface;

static inline void *surface_copy(const void *old, size_t old_bytes, size_t bytes) {
  void *block = calloc(1, bytes + 1);
  cr_assert_not_null(block);
  if (old_bytes > 0)
    memcpy(block, old, old_bytes);
  return block;
}

static inline void surface_grow(msd_vec3 **list, int32_t old, int32_t count) {
  msd_vec3 *grown = surface_copy(*list, (size_t)old * sizeof *grown, (size_t)count * sizeof *grown);
  free(*list);
  *list = grown;
}

/* The index of the first of so many new particles, at the origin. */
static inline int32_t surface_add_particles(surface *s, int32_t count) {
  const int32_t first = s->particles;
  surface_grow(&s->x, first, first + count);
  surface_grow(&s->v, first, first + count);
  surface_grow(&s->rest, first, first + count);
  s->particles += count;
  return first;
}

static inline surface_body *surface_add_piece(surface *s, const int32_t *triangles, int32_t triangle_count,
                                              const int32_t *segments, int32_t segment_count,
                                              double thickness) {
  cr_assert_lt(s->piece_count, SURFACE_PIECES_MAX);
  surface_body *piece = &s->pieces[s->piece_count++];
  const size_t three = 3 * (size_t)triangle_count * sizeof(int32_t),
               two = 2 * (size_t)segment_count * sizeof(int32_t);
  *piece = (surface_body){.triangles = surface_copy(triangles, three, three),
                          .segments = surface_copy(segments, two, two),
                          .triangle_count = triangle_count,
                          .segment_count = segment_count,
                          .thickness = (msd_real)thickness};
  return piece;
}

/* A sheet of columns x rows particles, `edge` apart in the plane of x and z; returns its first particle. */
static inline int32_t surface_add_sheet(surface *s, int32_t columns, int32_t rows, double edge,
                                        double thickness) {
  const int32_t first = surface_add_particles(s, columns * rows);
  int32_t *triangles = calloc(6 * (size_t)(columns * rows), sizeof *triangles), count = 0;
  cr_assert_not_null(triangles);
  for (int32_t j = 0; j < rows; j++)
    for (int32_t i = 0; i < columns; i++) {
      const int32_t a = first + j * columns + i;
      s->rest[a] = s->x[a] = (msd_vec3){(msd_real)(edge * i), 0, (msd_real)(edge * j)};
      if (i + 1 < columns && j + 1 < rows) {
        const int32_t two[6] = {a, a + 1, a + columns + 1, a, a + columns + 1, a + columns};
        memcpy(triangles + 3 * (size_t)count, two, sizeof two);
        count += 2;
      }
    }
  surface_add_piece(s, triangles, count, NULL, 0, thickness);
  free(triangles);
  return first;
}

/* A rope of so many particles, `edge` apart along x; returns the first. */
static inline int32_t surface_add_rope(surface *s, int32_t count, double edge, double thickness) {
  const int32_t first = surface_add_particles(s, count);
  int32_t *segments = calloc(2 * (size_t)count, sizeof *segments);
  cr_assert_not_null(segments);
  for (int32_t i = 0; i < count; i++) {
    s->rest[first + i] = s->x[first + i] = (msd_vec3){(msd_real)(edge * i), 0, 0};
    segments[2 * (size_t)i] = first + i;
    segments[2 * (size_t)i + 1] = first + i + 1;
  }
  surface_add_piece(s, NULL, 0, segments, count - 1, thickness);
  free(segments);
  return first;
}

/* Triangles anywhere in a cube of side 2, each side of one at most 2 `size` long along each axis; every fifth
   has no area, every 25th no extent at all. They are at rest where they are. */
static inline void surface_add_cloud(surface *s, generator *random, int32_t triangles, msd_real size,
                                     double thickness) {
  const int32_t first = surface_add_particles(s, 3 * triangles);
  int32_t *corners = calloc(3 * (size_t)triangles, sizeof *corners);
  cr_assert_not_null(corners);
  for (int32_t t = 0; t < triangles; t++) {
    const msd_vec3 at = random_vector(random, 1);
    for (int32_t k = 0; k < 3; k++) {
      const int32_t i = first + 3 * t + k;
      const msd_vec3 d = random_vector(random, t % 25 == 0 ? 0 : size);
      s->x[i] = (msd_vec3){at.x + d.x, at.y + d.y, at.z + d.z};
      if (t % 5 == 0 && k == 2)
        s->x[i] = (msd_vec3){(s->x[i - 1].x + s->x[i - 2].x) / 2, (s->x[i - 1].y + s->x[i - 2].y) / 2,
                             (s->x[i - 1].z + s->x[i - 2].z) / 2};
      s->rest[i] = s->x[i];
      corners[3 * t + k] = i;
    }
  }
  surface_add_piece(s, corners, triangles, NULL, 0, thickness);
  free(corners);
}

static inline void surface_ignore(surface *s, int32_t piece, int32_t other) {
  s->ignored[s->ignored_count][0] = piece;
  s->ignored[s->ignored_count++][1] = other;
}

/* Velocities of up to `speed` along each axis. */
static inline void surface_set_moving(surface *s, generator *random, msd_real speed) {
  for (int32_t i = 0; i < s->particles; i++)
    s->v[i] = random_vector(random, speed);
}

static inline surface_definition surface_define(const surface *s) {
  return (surface_definition){.pieces = s->pieces,
                              .piece_count = s->piece_count,
                              .ignored = s->ignored,
                              .ignored_count = s->ignored_count,
                              .rest = s->rest,
                              .particle_count = s->particles};
}

static inline void surface_free(surface *s) {
  for (int32_t p = 0; p < s->piece_count; p++) {
    free((int32_t *)s->pieces[p].triangles);
    free((int32_t *)s->pieces[p].segments);
  }
  free(s->x);
  free(s->v);
  free(s->rest);
}

#endif
