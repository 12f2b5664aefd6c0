/* A hand that holds a particle by a damped spring to where the pointer is.

   The spring is an anchor of the world, of a few hertz and critically damped for a load as heavy as the whole
   scene. The particle stays free and feels its springs: the cloth pulls back, and a load W hangs lower by W /
   (M (2 pi f)^2). The particle itself is lighter, so on it the anchor is overdamped and takes nothing of the
   step that the network is certified for.

   With integrators to which an anchor is a force, whose stiffness counts, the particle is pinned while held,
   and the pin is led along the exact motion of a spring; so is a particle that was pinned before, which stays
   pinned. */
#ifndef MSD_RENDER_VIEW_HAND_H
#define MSD_RENDER_VIEW_HAND_H

#include <msd/msd.h>

/* Of the anchor, in Hz. */
#define HAND_FREQUENCY 4.0

typedef struct hand {
  /* -1: holds nothing. */
  int32_t particle;
  /* m: where it is led to. */
  double goal[3];
  /* The hand's anchor in the world, kept for the next time; -1: none was needed yet. */
  int32_t own;
  /* The anchor that holds the particle: the hand's, or one of the scene that held it before. */
  int32_t anchor;
  /* That anchor while it holds, and as it was before. */
  msd_anchor_def spring, before;
  bool leads_pin, was_pinned;
  /* m and m/s of the pin that it leads. */
  double x[3], v[3];
} hand;

hand hand_empty(void);

/* Takes hold of a particle; what the hand held before is released. */
void hand_grab(hand *h, msd_world *world, int32_t particle);

/* Before each step of the world, of time_step seconds. */
void hand_step(hand *h, msd_world *world, double time_step);

/* Lets go. The particle keeps the velocity it has, or its pin if it was pinned before. */
void hand_release(hand *h, msd_world *world);

#endif
