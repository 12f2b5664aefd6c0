/* Contact of surfaces with each other and themselves: pushed apart where they are nearer than their thickness,
   and kept apart whatever pushes them together.

   A substep of dt seconds has left particles at y = x + u, u = dt v. Pairs are a point and a triangle or two
   edges without a common particle. Let z(x) = sum of g_j x_j, over the four corners, lead from the closest point
   of B to that of A, so that sum |g| = 2; n its direction and d its length at x.

   Force. C(y) = d + n . z(u) - e, e = min(h, d + CONTACT_PUSH dt), h the thickness of the pair. Where C < 0 it
   acts: with G_j the sum of |g| over the pairs that act at particle j, w inverse masses,

       m = 1/sum_j w_j |g_j| G_j                       J = -(1 - softness) m C
       F = J n - min(m |t|, mu J) t/|t|                t the part of z(u) across n
       x' = y + w sum of g F,                          v' = v + (x' - y)/dt

   The shares |g_ej|/G_j sum to 1 at each particle, so m (sum_j |g_j||z_j|)^2 <= sum_j (|g_j|/G_j) m_j |z_j|^2 by
   Cauchy and Schwarz: the sum of 1/2 m min(0, C)^2 is convex with a gradient that changes at most as fast as the
   particles in the norm of their masses, and the step is x' = y - its gradient. So kinetic and contact energy
   never grow together, however many pairs act (docs/contact.md).

   Cells. Then the colliders push, which leaves everything at x'. For each pair, the plane across n between A and B
   at x divides the gap in proportion to how far each comes; a particle that would pass it (less a margin of a
   50th of h, and of the gap less than half) goes only part of its way from x to x'. All of A stays on one side and
   all of B on the other, at the beginning and at the end and so all the way: half-spaces are convex. Whatever the
   forces do, no pair that was apart comes together. Planes are tested in double on the numbers that the state
   will have; where rounding would pass one, the particles stay at x.

   Lists. pair_search.h lists all pairs that may come within h while every particle keeps within a skin R about
   X + V t. Where x, y or x' would not, the list is made anew at x, with the velocities of y, and the substep is
   done again from y. Of the list, those near in the next substeps are looked at.

   All sums run over the pairs of a particle in the order of the list, so the bits are those of one thread. */
#ifndef MSD_ENGINE_CONTACT_SELF_CONTACT_H
#define MSD_ENGINE_CONTACT_SELF_CONTACT_H

#include "engine/base/parallel.h"
#include "engine/contact/pair_search.h"
#include "engine/kernel/contacts.h"

/* A pair that is near, and what it does in a substep. */
typedef struct near_pair {
  int32_t slots[PAIR_CORNERS];
  pair_kind kind;
  /* m */
  double thickness;
  /* Unit vector from B to A, g, and z(u) . n + d - e; whether the force acts. */
  double3 normal;
  double weight[PAIR_CORNERS];
  double gap;
  bool acts;
  /* kg m: F. */
  double3 force;
  /* The plane and its margin; the share of its way that each corner may go; whether all must stay. */
  double plane, margin;
  double share[PAIR_CORNERS];
  bool stops;
} near_pair;

/* Of one thread in the last substep. */
typedef struct self_contact_tally {
  int32_t contacts, shortened, pinched;
  /* m: the furthest that a particle is from where the list has it. */
  double strayed;
} self_contact_tally;

typedef struct self_contact {
  surface_mesh mesh;
  pair_search search;
  /* Of the list: where particles were and how fast, six components by slot with `stride`; its skin and horizon;
     the time since; how many substeps the near pairs still hold. */
  msd_real *origin;
  void *origin_block;
  double skin, horizon, age;
  int near_left;
  bool has_list;

  near_pair *near;
  int32_t near_count, near_capacity;
  /* By slot: where its corners of near pairs begin in `corners`; 4 times the pair plus the corner. */
  int32_t *first, *corners;
  int32_t corner_capacity;
  /* By slot: the sum of |g|. */
  double *sharing;
  /* The state behind the substep before anything here has acted, as `origin`. */
  msd_real *predicted;
  void *predicted_block;
  size_t stride;
  int32_t particles;
  self_contact_tally *tallies;
  int threads;
  /* Since the beginning. */
  int64_t shortened_steps;
  revision made_for;
} self_contact;

/* What acts behind one substep of all threads. The states and the colliders are in `colliders`, whose work is
   NULL where there are none. */
typedef struct self_contact_step {
  self_contact *contact;
  memory *memory;
  contact_thread colliders;
  contact_settings settings;
  const msd_real *inverse_mass;
  const msd_real *before;
  msd_real *behind;
  size_t stride;
  /* s */
  double time_step;
  int threads;
  msd_simd simd;
} self_contact_step;

typedef enum self_contact_result {
  SELF_CONTACT_DONE,
  SELF_CONTACT_NOT_FINITE,
  SELF_CONTACT_NO_MEMORY
} self_contact_result;

/* Makes room for a surface, whose mesh has been made. False, and empty but for the mesh, without memory. */
bool self_contact_reserve(self_contact *c, memory *m, const particle_store *p, int threads);
void self_contact_free(self_contact *c, memory *m);

/* Forgets the list: something else has moved the particles. */
void self_contact_forget_list(self_contact *c);

self_contact_result self_contact_act(const self_contact_step *s);

#endif
