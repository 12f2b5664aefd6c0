/* The energy of a world as a sum of terms, with its gradient, for the search of the static equilibrium
   (equilibrium.h). All in double, from the definitions of the model.

   Bars. A spring, a soft pin and a fiber are 1/2 k dist(y, S)^2 of a vector

       y = sum of w_j x_j - origin

   from a set S: the sphere with the rest length as radius about 0; for a tension-only spring the ball inside
   it, for a compression-only spring the outside. A spring has the weights 1 and -1, a soft pin 1 and its
   position as origin, a fiber its own weights.

   Shapes. An angle, a dihedral angle, an area and a volume are 1/2 k C^2 with a gradient at each corner.

   The corners of both are listed by term and by particle, so that each term or particle is summed by one
   thread, in a fixed order. Global sums are taken in chunks of REST_CHUNK. */
#ifndef MSD_ENGINE_EQUILIBRIUM_ENERGY_TERMS_H
#define MSD_ENGINE_EQUILIBRIUM_ENERGY_TERMS_H

#include "engine/store/model.h"

enum { REST_CHUNK = 512 };

static inline int32_t rest_chunks(int32_t count) {
  return count / REST_CHUNK + (count % REST_CHUNK > 0);
}

/* The corners of term t are first[t] to first[t + 1] - 1. The corners at particle i are at[n], of term
   term[n], for n from at_first[i] to at_first[i + 1] - 1. */
typedef struct rest_corners {
  int32_t terms, count;
  int32_t *first, *particle;
  int32_t *at_first, *at, *term;
} rest_corners;

typedef struct rest_bar {
  /* The larger one of the stiffness above and below the rest length. */
  double stiffness, rest;
  double tension, compression;
  double3 origin;
} rest_bar;

typedef struct rest_shape {
  double stiffness;
  int32_t constraint;
} rest_shape;

typedef struct energy_terms {
  const world_model *model;
  int32_t particles;

  rest_corners bars;
  /* Bars 0 to pairs - 1 are springs: two corners with the weights 1 and -1, and no origin. */
  int32_t pairs;
  /* Per corner; and in the order by particle, for contiguous reads. */
  double *weights, *at_weights;
  rest_bar *bar;
  /* N: the gradient of the energy of a bar at a corner of weight 1. */
  double3 *bar_force;

  rest_corners shapes;
  rest_shape *shape;
  /* dC/dx per corner; k C; and the sum of |dC/dx|. */
  double3 *gradient;
  double *shape_force, *shape_gradients;
} energy_terms;

/* Collects all terms, with the stiffness of springs in a substep of that many seconds. Returns false if
   memory runs out; free them in any case. */
bool energy_terms_make(energy_terms *t, memory *m, const world_model *model, double substep);
void energy_terms_free(energy_terms *t, memory *m);

/* The number of bars, which come first, and shapes. */
static inline int32_t rest_term_count(const energy_terms *t) {
  return t->bars.terms + t->shapes.terms;
}

/* J: the energy of the terms first..last-1 at given positions. */
double energy_terms_energy(const energy_terms *t, const double3 *x, int32_t first, int32_t last);

/* Computes the forces at x + move and returns the change of energy from x to there, as a sum of differences
   that loses no precision to the total energy. */
double energy_terms_move(energy_terms *t, const double3 *x, const double3 *to, const double3 *move,
                         int32_t first, int32_t last);

/* After a barrier: the gradient of all terms at a particle, and the contribution of shapes to its D
   (equilibrium.h). */
double3 energy_terms_gather(const energy_terms *t, int32_t particle, double *weight);

/* The contribution of bars to D, which is the same in every configuration. */
double energy_terms_weight(const energy_terms *t, int32_t particle);

#endif
