/* What colliders allow of an iteration towards the shape of rest (rest.h), where they stand now.

   A particle at x would go by w. For each collider let p be its point nearest to x, n the normal there and d
   the distance. It may not leave the half-space

       n . (z - p) >= e,       e = min(thickness, what it was in the shape that the search began with)

   which holds all that e allows of the collider, as that is convex. P w is the point of the half-spaces nearest
   to w, in ways from x; w - P w = - sum of lambda n. Friction of one of them takes min(|t|, mu lambda) of the
   way t along it. As D times a way is a force that is Coulomb's law. Of the way s that is then left the
   particle goes

       share s,    share = min(1, w . s/|s|^2), not below 0,

   which is 1 but where friction of several half-spaces has turned it. So w . v >= |v|^2 for the way v that
   is gone, which is what the proof of docs/rest.md needs. */
#ifndef MSD_ENGINE_REST_TOUCH_H
#define MSD_ENGINE_REST_TOUCH_H

#include "engine/collider/motion.h"
#include "engine/store/model.h"

/* A half-space in ways from x: gap + normal . v >= 0. */
typedef struct rest_half_space {
  double gap, push, friction;
  double3 normal;
} rest_half_space;

typedef struct rest_touch {
  int32_t colliders;
  collider_motion *motions;
  /* m: e of each particle. */
  double *height;
  /* Room for those of one particle: `colliders` for each thread. */
  rest_half_space *spaces;
} rest_touch;

/* All colliders, or none where they are not wanted. False when there is no memory; free it all the same. */
bool rest_touch_make(rest_touch *t, memory *m, const world_model *model, int threads, bool wanted);
void rest_touch_free(rest_touch *t, memory *m);

/* m: how far a place is outside of the collider that it is least far outside of, whose number *collider is;
   infinite where there are none. */
double rest_touch_distance(const rest_touch *t, double3 x, int32_t *collider);

/* What a particle at x goes of the way w; `thread` says whose room it takes. */
double3 rest_touch_go(const rest_touch *t, int thread, int32_t particle, double3 x, double3 w);

#endif
