/* The energy of a world as a sum of terms, with its gradient, for the search of its shape of
   rest (rest.h). All in double, from the definitions of the model.

   Bars. A spring, an anchor and a fibre are 1/2 k dist(y, S)^2 of a vector

       y = sum of w_j x_j - origin

   from a set S: the sphere of the rest length about 0, for a tether the ball in it, for a strut what is outside
   of it. A spring has the weights 1 and -1, an anchor 1 and its point as origin, a fibre its own.

   Shapes. An angle, a fold, an area and a volume are 1/2 k C^2 with a gradient at each corner.

   Corners of both are listed by terms and by particles, so that one thread adds up a term or a particle, in a
   fixed order. Sums over all are taken in chunks of REST_CHUNK. */
#ifndef MSD_ENGINE_REST_TERMS_H
#define MSD_ENGINE_REST_TERMS_H

#include "engine/store/model.h"

enum { REST_CHUNK = 512 };

static inline int32_t rest_chunks(int32_t count) {
  return count / REST_CHUNK + (count % REST_CHUNK > 0);
}

/* Corners of term t are first[t] to first[t + 1] - 1; those at particle i are number at[n] of them, of term
   term[n], for n from at_first[i] to at_first[i + 1] - 1. */
typedef struct rest_corners {
  int32_t terms, count;
  int32_t *first, *particle;
  int32_t *at_first, *at, *term;
} rest_corners;

typedef struct rest_bar {
  double stiffness, rest;
  msd_spring_side side;
  double3 origin;
} rest_bar;

typedef struct rest_shape {
  double stiffness;
  int32_t constraint;
} rest_shape;

typedef struct rest_terms {
  const world_model *model;
  int32_t particles;

  rest_corners bars;
  /* Bars 0 to pairs - 1 are springs: two corners of the weights 1 and -1, and no origin. */
  int32_t pairs;
  /* Of each corner; and the same by particles, where they are read in a row. */
  double *weights, *at_weights;
  rest_bar *bar;
  /* N: what a bar gives to a corner of weight 1. */
  double3 *bar_force;

  rest_corners shapes;
  rest_shape *shape;
  /* dC/dx of each corner; k C; and the sum of |dC/dx|. */
  double3 *gradient;
  double *shape_force, *shape_gradients;
} rest_terms;

/* Collects all terms, with the stiffness that springs have in a substep of that many seconds. False when there
   is no memory; free them all the same. */
bool rest_terms_make(rest_terms *t, memory *m, const world_model *model, double substep);
void rest_terms_free(rest_terms *t, memory *m);

/* Both kinds one after the other: bars, then shapes. */
static inline int32_t rest_term_count(const rest_terms *t) {
  return t->bars.terms + t->shapes.terms;
}

/* For terms first..last-1. The energy at places, in J. */
double rest_terms_energy(const rest_terms *t, const double3 *x, int32_t first, int32_t last);

/* Finds the forces at the places x + move, and returns what the energy changes by from x to there: as a sum of
   differences, which loses no digits to the energy that stays. */
double rest_terms_move(rest_terms *t, const double3 *x, const double3 *to, const double3 *move, int32_t first,
                       int32_t last);

/* Behind a barrier: the gradient of all terms at a particle, and what shapes add to its weight (rest.h). */
double3 rest_terms_gather(const rest_terms *t, int32_t particle, double *weight);

/* What bars add to it, which is the same at every shape. */
double rest_terms_weight(const rest_terms *t, int32_t particle);

#endif
