/* The shapes of a scene, as flat arrays for the graphics card. They hold indices only: positions are read on
   the card, so a frame uploads nothing from here. */
#ifndef MSD_RENDER_PAINT_TOPOLOGY_H
#define MSD_RENDER_PAINT_TOPOLOGY_H

#include "render/paint/colormap.h"
#include "render/paint/creases.h"

#include "scenes/loader/scene.h"

#include <stdbool.h>
#include <stdint.h>

/* Vertex i of the surfaces has the triangle corners [first_corner, last_corner), and particle i the distance
   springs [first_link, last_link) whose stretch is shown on a surface. */
typedef struct topology_fan {
  int32_t first_corner, last_corner, first_link, last_link;
} topology_fan;

/* The particle at a corner, and those at the next two corners of the triangle, in its order. */
typedef struct topology_corner {
  int32_t particle, next, last;
} topology_corner;

typedef struct topology_link {
  int32_t other, spring;
  /* m, > 0. */
  float rest_length;
} topology_link;

/* The colours of what belongs to no body: springs and joints, and pins. */
enum { LOOK_SPRING = -1, LOOK_PIN = -2 };

/* A spring drawn as a tube from a to b. `before` and `after` are its neighbours in a rope, or a and b. */
typedef struct topology_strand {
  int32_t before, a, b, after;
  /* m. */
  float rest_length, radius;
  /* A body, or LOOK_... */
  int32_t color;
  int32_t spring;
} topology_strand;

typedef struct topology_ball {
  int32_t particle;
  /* m. */
  float radius;
  /* A body, or LOOK_... */
  int32_t color;
} topology_ball;

/* Every spring of the world, in the order of their indices. Broken ones have a = b. */
typedef struct topology_line {
  int32_t a, b;
  /* m. */
  float rest_length;
  /* KIND_... */
  int32_t kind;
} topology_line;

/* The surface of a body: `count` indices from `first`. */
typedef struct topology_surface {
  int32_t body, first, count;
} topology_surface;

typedef struct topology {
  int32_t particles, corner_count, link_count, index_count, surface_count, strand_count, ball_count,
      extra_ball_count, line_count;
  creases creases;
  /* One for each vertex. */
  topology_fan *fans;
  topology_corner *corners;
  topology_link *links;
  /* Vertices of the surfaces, 3 for each triangle. */
  uint32_t *indices;
  topology_surface *surfaces;
  topology_strand *strands;
  /* First ball_count that are always shown, then extra_ball_count whose particles other shapes show. */
  topology_ball *balls;
  topology_line *lines;
  /* m, one for each particle: of the mark of its pin. */
  float *pin_radii;
  /* Which kinds of springs there are, by KIND_... */
  bool kinds[KIND_COLORS];
} topology;

/* Whether springs of a kind tell how strained a body is. Shear and bend springs do not: folding a cloth
   shortens them and strains nothing. Nor do tethers, which fan out from the pins: only lines show them, where
   they are taut. */
bool topology_shows_strain(int kind);

/* Reads the scene, and finds the creases of its surfaces as they now are. Thin shapes are made in proportion
   to its extent, `size` m. Triangles with a broken edge and broken springs are left out. False, with *t
   empty, when memory is short. */
bool topology_make(const scene *s, float size, topology *t);

/* The same after springs broke, with the creases that were found before: there are then as many vertices as
   before, and no more of anything else. False, with *t as it was, when memory is short. */
bool topology_remake(const scene *s, float size, topology *t);

void topology_free(topology *t);

#endif
