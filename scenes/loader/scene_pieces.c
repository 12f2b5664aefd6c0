#include "scenes/loader/scene.h"

#include <msd/anchor.h>
#include <msd/constraint.h>

#include <stdlib.h>

/* Disjoint sets as trees: above[i] is a particle of the same piece, or i itself at the top. */
static int32_t top_of(int32_t *above, int32_t i) {
  while (above[i] != i) {
    above[i] = above[above[i]]; /* halves the way for those who come later */
    i = above[i];
  }
  return i;
}

/* The lower one becomes the top, so that the top of a piece is its first particle. */
static void join(int32_t *above, int32_t a, int32_t b) {
  a = top_of(above, a);
  b = top_of(above, b);
  if (a < b)
    above[b] = a;
  else
    above[a] = b;
}

static void join_by_springs(const msd_world *world, int32_t *above) {
  const int32_t count = msd_world_get_spring_count(world);
  for (int32_t e = 0; e < count; e++) {
    const msd_spring_def def = msd_spring_get_def(world, e);
    if (!msd_spring_is_broken(world, e))
      join(above, def.a, def.b);
  }
}

static void join_by_constraints(const msd_world *world, int32_t *above) {
  const int32_t count = msd_world_get_constraint_count(world);
  for (int32_t n = 0; n < count; n++) {
    const msd_constraint_def def = msd_constraint_get_def(world, n);
    if (msd_constraint_is_broken(world, n))
      continue;
    for (int c = 1; c < msd_constraint_kind_particles(def.kind); c++)
      join(above, def.particles[0], def.particles[c]);
    for (int32_t i = 1; i < 3 * def.triangle_count; i++)
      join(above, def.triangles[0], def.triangles[i]);
  }
}

static void mark_held(const msd_world *world, int32_t *above, bool *is_held) {
  const int32_t particles = msd_world_get_particle_count(world), anchors = msd_world_get_anchor_count(world);
  for (int32_t i = 0; i < particles; i++)
    if (msd_particle_is_pinned(world, i))
      is_held[top_of(above, i)] = true;
  for (int32_t n = 0; n < anchors; n++) {
    const int32_t held = msd_anchor_get_def(world, n).particle;
    if (held >= 0)
      is_held[top_of(above, held)] = true;
  }
}

bool scene_count_pieces(const scene *s, scene_pieces *out) {
  const int32_t count = msd_world_get_particle_count(s->world);
  int32_t *above = malloc(((size_t)count + 1) * sizeof *above);
  bool *is_held = calloc((size_t)count + 1, sizeof *is_held);
  const bool done = above && is_held;
  *out = (scene_pieces){.loose_particle = -1};
  if (done) {
    for (int32_t i = 0; i < count; i++)
      above[i] = i;
    join_by_springs(s->world, above);
    join_by_constraints(s->world, above);
    mark_held(s->world, above, is_held);
    for (int32_t i = 0; i < count; i++) {
      if (above[i] != i)
        continue;
      out->count++;
      if (!is_held[i] && out->loose++ == 0)
        out->loose_particle = i;
    }
  }
  free(above);
  free(is_held);
  return done;
}
