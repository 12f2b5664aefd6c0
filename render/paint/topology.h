/* The shapes of a scene as flat arrays for the graphics card. They hold indices only, since the card looks up
   the positions; no frame uploads any of this. */
#ifndef MSD_RENDER_PAINT_TOPOLOGY_H
#define MSD_RENDER_PAINT_TOPOLOGY_H

#include "render/paint/colormap.h"
#include "render/paint/creases.h"

#include "scenes/loader/scene.h"

#include <stdbool.h>
#include <stdint.h>

/* Vertex i of the surfaces is at the triangle corners [first_corner, last_corner). Particle i, and a point
   that is nearest to it, has the links [first_link, last_link), the distance springs and fibers whose stretch a
   surface shows. */
typedef struct topology_fan {
  int32_t first_corner, last_corner, first_link, last_link;
} topology_fan;

/* The point at a corner of a triangle, and those at the next two corners in the order of the triangle. */
typedef struct topology_corner {
  int32_t point, next, last;
} topology_corner;

/* A spring, or a fiber, as seen from one of its particles, `here`. */
typedef struct topology_link {
  /* The particle at the other end; -1 of a fiber, which is no line between two particles. */
  int32_t other;
  /* The index of its value: that of the spring, and behind all springs that in topology.fibers. */
  int32_t value;
  /* Of a spring the rest length in m, > 0; of a fiber the size of its weight here in 1/m, which makes newtons
     of its tension. */
  float measure;
  int32_t here;
} topology_link;

/* Colors, beside those of the bodies, which are their numbers: of loose springs and joints, of pins, and of
   mesh colliders. */
enum { LOOK_SPRING = -1, LOOK_PIN = -2, LOOK_COLLIDER = -3 };

/* A spring, or a line of a mesh collider, drawn as a tube from a to b. `before` and `after` are the next
   particles of a rope on both sides; at its ends they are a and b. */
typedef struct topology_strand {
  int32_t before, a, b, after;
  /* m. */
  float rest_length, radius;
  /* A body, or LOOK_... */
  int32_t color;
  /* The index of the spring in the world; of no meaning for a line. */
  int32_t spring;
} topology_strand;

typedef struct topology_ball {
  int32_t particle;
  /* m. */
  float radius;
  /* A body, or LOOK_... */
  int32_t color;
} topology_ball;

/* A spring of the world; there is one for each, in the order of their indices. A broken spring has a = b. */
typedef struct topology_line {
  int32_t a, b;
  /* m. */
  float rest_length;
  /* KIND_... */
  int32_t kind;
} topology_line;

/* The surface of a body: `count` items of topology.indices from `first`. */
typedef struct topology_surface {
  int32_t body, first, count;
} topology_surface;

typedef struct topology {
  /* Those from body_particles on are of mesh colliders. */
  int32_t body_particles;
  /* Particles and, behind them, vertices of meshes that simpler ones stand for (render_points.h). */
  int32_t points;
  /* The particle that each point is, or is nearest to. */
  int32_t *particle_of;
  int32_t particles, corner_count, link_count, index_count, surface_count, strand_count, ball_count,
      extra_ball_count, line_count, fiber_count;
  creases creases;
  /* One for each vertex. */
  topology_fan *fans;
  topology_corner *corners;
  topology_link *links;
  /* Vertices of the surfaces, 3 for each triangle. */
  uint32_t *indices;
  topology_surface *surfaces;
  topology_strand *strands;
  /* First ball_count balls that are always shown, then extra_ball_count of particles that are part of other
     shapes, which are shown on demand. */
  topology_ball *balls;
  topology_line *lines;
  /* Constraints of the world: fibers that are not broken and have a rest value. */
  int32_t *fibers;
  /* m: the radius of the mark of a pin, one for each particle. */
  float *pin_radii;
  /* Which kinds of springs there are, by KIND_... */
  bool kinds[KIND_COLORS];
} topology;

/* Whether springs of a kind tell how strained a body is. Shear and bend springs do not, since folding a cloth
   shortens them without straining it. Nor do tethers, which fan out from the pins; they are drawn as lines
   only, where they are taut. */
bool topology_shows_strain(int kind);

/* Makes the shapes of the scene, with creases where its surfaces are sharp now. The thickness of tubes and
   balls is in proportion to the extent of the scene, `size` m. Broken springs and triangles with a broken edge
   are left out. False, with *t empty, when memory is short. */
bool topology_make(const scene *s, float size, topology *t);

/* The same after springs broke or particles split, with the creases that were found then: where none has split
   there are as many vertices as before, and no more of anything else. False, with *t as it was, when memory is
   short. */
bool topology_remake(const scene *s, float size, topology *t);

void topology_free(topology *t);

/* How many springs and fibers have a value that may color them. */
static inline int32_t topology_value_count(const topology *t) {
  return t->line_count + t->fiber_count;
}

#endif
