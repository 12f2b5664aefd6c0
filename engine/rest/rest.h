/* The shape of rest of a world: free particles go where the potential energy

       E(x) = sum of 1/2 k dist(y, S)^2 + sum of 1/2 k C^2 - sum of m g . x         (terms.h)

   has no slope, downhill all the way. docs/rest.md has the method at length, and the proof.

   An iteration goes from x to x + v, with g = grad E at x and

       v = swing v - pace g/D           D_i = sum over bars of k |w_i| sum of |w_j|, and likewise of shapes

   v is what the last iteration went by, and swing grows from 0 towards 1. Where E would rise by that, v becomes
   0 and the pace 1: that is the plain step x - g/D, of which

       E(x - g/D) <= E(x) - 1/2 sum of |g_i|^2/D_i

   is proved for bars, at every x. Shapes have no such bound: the pace is halved until E falls there.

   Where there are colliders, v goes only as far as they and friction let it (touch.h), and so does the plain
   step; |g_i|^2/D_i is then D_i |v_i|^2.

   Whether E falls is decided by what it changes by, which is added up as differences. */
#ifndef MSD_ENGINE_REST_REST_H
#define MSD_ENGINE_REST_REST_H

#include "engine/base/parallel.h"
#include "engine/rest/terms.h"
#include "engine/rest/touch.h"

typedef struct rest_search {
  rest_terms terms;
  rest_touch touch;
  const world_model *model;
  int threads;

  /* Of each particle: where it is, where it is tried, g, and v. A pin has no gradient and moves nowhere. */
  double3 *x, *trial, *gradient, *move;
  /* N: of each particle what is left of -g when colliders and friction have taken what they hold. */
  double3 *force;
  /* 1/D_i at x, and what bars have of D. */
  double *inverse, *bars;
  /* Of each chunk of terms and of particles: by how much E changes, and the largest acceleration. */
  double *term_changes, *changes, *accelerations;
  parallel_barrier barrier;

  /* What this run of iterations is to end with. */
  int iterations_most;
  double acceleration_least;

  /* Iterations since v was 0. */
  int since;
  double pace;
  /* In all, and how often v became 0. */
  int iterations, returns;
  /* m/s^2: the largest |force_i|/m_i at x. */
  double acceleration;
  /* J: what E has changed by since it began. */
  double change;
  /* No step leads further down: what is left is rounding, or a shape that has no direction. */
  bool is_stuck;
} rest_search;

/* Begins at the present state, with the stiffness of a substep of that many seconds; colliders count where that
   is said. False when there is no memory; end it all the same. */
bool rest_begin(rest_search *s, memory *m, const world_model *model, int threads, double substep,
                bool touches);
void rest_end(rest_search *s, memory *m);

/* J: E at places. */
double rest_energy(const rest_search *s, const double3 *x);

/* Goes on for so many iterations, or until no particle would be accelerated by more, or it is stuck. */
void rest_go_on(rest_search *s, int iterations, double acceleration);

#endif
