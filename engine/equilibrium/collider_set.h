/* Collider constraints of an iteration toward the static equilibrium (equilibrium.h), with colliders at their
   current poses.

   A particle at x wants to move by w. For each collider let p be the point nearest to x, n its normal and d
   the distance. The particle must stay in the half-space

       n . (z - p) >= e,       e = min(thickness, initial distance),

   which contains every position that keeps the distance e, since the collider is convex. P w is the point in
   the intersection of the half-spaces nearest to w, as displacements from x; w - P w = - sum of lambda n.
   Friction of one half-space removes min(|t|, mu lambda) of the tangential displacement t. D times a
   displacement is a force, so that is Coulomb's law. Of the remaining displacement s the particle moves

       share s,    share = min(1, w . s/|s|^2), not below 0,

   where share is 1 unless friction of several half-spaces has rotated s. So w . v >= |v|^2 for the resulting
   displacement v, which the proof needs (docs/theory). */
#ifndef MSD_ENGINE_EQUILIBRIUM_COLLIDER_SET_H
#define MSD_ENGINE_EQUILIBRIUM_COLLIDER_SET_H

#include "engine/collider/motion.h"
#include "engine/store/model.h"

/* A half-space in displacements from x: gap + normal . v >= 0. */
typedef struct rest_half_space {
  double gap, push, friction;
  double3 normal;
} rest_half_space;

typedef struct collider_set {
  int32_t colliders;
  collider_motion *motions;
  /* m: e of each particle. */
  double *height;
  /* Scratch for the half-spaces of one particle: `colliders` entries per thread. */
  rest_half_space *spaces;
} collider_set;

/* Collects all colliders, or none if not wanted. Returns false if memory runs out; free it in any case. */
bool collider_set_make(collider_set *t, memory *m, const world_model *model, int threads, bool wanted);
void collider_set_free(collider_set *t, memory *m);

/* m: the distance of a position from the nearest collider, whose index goes to *collider; infinite without
   colliders. */
double collider_set_distance(const collider_set *t, double3 x, int32_t *collider);

/* The displacement of a particle at x that wants to move by w; `thread` selects the scratch memory. */
double3 collider_set_go(const collider_set *t, int thread, int32_t particle, double3 x, double3 w);

#endif
