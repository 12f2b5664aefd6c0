/* The static equilibrium of a world: minimizes the potential energy over the free particles,

       E(x) = sum of 1/2 k dist(y, S)^2 + sum of 1/2 k C^2 - sum of m g . x         (energy_terms.h)

   so that it decreases in every iteration. docs/theory has the method and the proof.

   An iteration goes from x to x + v, with g = grad E at x and

       v = swing v - pace g/D           D_i = sum over bars of k |w_i| sum of |w_j|, and likewise for shapes

   where v is the displacement of the previous iteration, and the momentum factor `swing` grows from 0 toward
   1. If E would increase, v is reset to 0 and the step factor `pace` to 1. That is the plain step x - g/D,
   for which

       E(x - g/D) <= E(x) - 1/2 sum of |g_i|^2/D_i

   is proven for bars, at every x. Shapes have no such bound: for them the step factor is halved until E
   decreases.

   Colliders and friction limit v (collider_set.h), also for the plain step; |g_i|^2/D_i is then D_i |v_i|^2.

   The sign of the change of E decides. The change is summed as differences of terms. */
#ifndef MSD_ENGINE_EQUILIBRIUM_EQUILIBRIUM_H
#define MSD_ENGINE_EQUILIBRIUM_EQUILIBRIUM_H

#include "engine/base/parallel.h"
#include "engine/equilibrium/collider_set.h"
#include "engine/equilibrium/energy_terms.h"

typedef struct equilibrium_search {
  energy_terms terms;
  collider_set touch;
  const world_model *model;
  int threads;

  /* Per particle: its position, the trial position, g, and v. A pin has no gradient and does not move. */
  double3 *x, *trial, *gradient, *move;
  /* N: per particle the part of -g that colliders and friction do not balance. */
  double3 *force;
  /* 1/D_i at x, and the contribution of bars to D. */
  double *inverse, *bars;
  /* Per chunk of terms and of particles: the change of E, and the largest acceleration. */
  double *term_changes, *changes, *accelerations;
  parallel_barrier barrier;

  /* The termination criteria of the current call. */
  int iterations_most;
  double acceleration_least;

  /* Iterations since v was reset. */
  int since;
  double pace;
  /* The number of iterations, and of resets of v. */
  int iterations, returns;
  /* m/s^2: the largest |force_i|/m_i at x. */
  double acceleration;
  /* J: the change of E since the start. */
  double change;
  /* No step decreases E: only rounding is left, or a constraint has no gradient. */
  bool is_stuck;
} equilibrium_search;

/* Starts at the current state, with the stiffness of a substep of that many seconds. `touches`: colliders are
   included. Returns false if memory runs out; end it in any case. */
bool rest_begin(equilibrium_search *s, memory *m, const world_model *model, int threads, double substep,
                bool touches);
void rest_end(equilibrium_search *s, memory *m);

/* J: E at given positions. */
double rest_energy(const equilibrium_search *s, const double3 *x);

/* Continues for that many iterations, or until the largest residual acceleration is at most `acceleration`,
   or it is stuck. */
void rest_go_on(equilibrium_search *s, int iterations, double acceleration);

#endif
