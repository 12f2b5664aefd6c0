/* A hand that holds a particle by a damped spring to where the pointer is.

   The spring is an anchor of the world, critically damped and of a few hertz for a load as heavy as the whole
   scene. The particle stays free and feels its springs: the cloth pulls back, and a load W hangs lower by
   W / (M (2 pi f)^2). On the particle itself, which is lighter, that anchor is overdamped, so it costs nothing of
   the step that the network is certified for, at any step.

   Where an anchor would be a force, whose stiffness counts (integrators other than symplectic Euler and sequential
   impulses), the particle is pinned while held, and the pin is led along the exact motion of a spring; a particle
   that was pinned before is led like that, too, and stays pinned. */
#ifndef MSD_RENDER_VIEW_HAND_H
#define MSD_RENDER_VIEW_HAND_H

#include <msd/msd.h>

/* Of the anchor, in Hz. */
#define HAND_FREQUENCY 4.0

typedef struct hand {
  int32_t particle; /* -1: holds nothing */
  double goal[3];   /* m: where it is led to */
  int32_t own;      /* anchor of the world, kept for the next time; -1: none was needed yet */
  int32_t anchor;   /* that holds the particle: its own, or one of the scene that held it before */
  msd_anchor_def spring, before; /* the anchor as it holds, and as it was */
  bool leads_pin, was_pinned;
  double x[3], v[3]; /* m, m/s of the pin that it leads */
} hand;

hand hand_empty(void);

/* Takes hold of a particle; what the hand held before is released. */
void hand_grab(hand *h, msd_world *world, int32_t particle);

/* Before each step of the world, of time_step seconds. */
void hand_step(hand *h, msd_world *world, double time_step);

/* Lets go. The particle keeps the velocity it has, or its pin if it was pinned before. */
void hand_release(hand *h, msd_world *world);

#endif
