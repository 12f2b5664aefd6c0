/* A hand that holds a particle: a critically damped spring leads the particle to where the pointer is.

   The particle is pinned while held and moved along the exact solution of that spring, so it never overshoots,
   whatever the time step. A network with one more pin is stable wherever the network without it is certified. */
#ifndef MSD_HAND_H
#define MSD_HAND_H

#include <msd/msd.h>

typedef struct hand {
  int32_t particle; /* -1: holds nothing */
  bool was_pinned;
  double x[3], v[3]; /* m, m/s of the particle */
  double goal[3];    /* m: where it is led to */
} hand;

hand hand_empty(void);

/* Takes hold of a particle; what the hand held before is released. */
void hand_grab(hand *h, msd_world *world, int32_t particle);

/* Before each step of the world: moves on by time_step seconds. */
void hand_step(hand *h, msd_world *world, double time_step);

/* Lets go. The particle keeps the velocity it was moved with, or its pin if it was pinned before. */
void hand_release(hand *h, msd_world *world);

#endif
