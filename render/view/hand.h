/* A hand that holds a particle, a collider or pins that make one body by a damped spring to where the pointer
   is.

   The spring is an soft pin of the world, of a few hertz and critically damped for a load as heavy as the whole
   scene, of mass M. The particle stays free and feels its springs: the cloth pulls back, and a load of weight
   W hangs lower by W / (M (2 pi f)^2). The particle itself is lighter, so the soft pin overdamps it, and does
   not shorten the step that the network is certified for.

   With integrators that treat an soft pin as a force, its stiffness would shorten the step. The particle is
   then pinned while it is held, and the pin follows the exact motion of a spring. So does a particle that was
   pinned before, and it stays pinned; so do the pins of a mesh collider, all of them alike; and so does a
   collider. Nothing pulls these back. */
#ifndef MSD_RENDER_VIEW_HAND_H
#define MSD_RENDER_VIEW_HAND_H

#include <msd/msd.h>

/* The frequency of the soft pin in Hz. */
#define HAND_FREQUENCY 4.0

typedef struct hand {
  /* The particle or the collider that is held; -1: none. */
  int32_t particle, collider;
  /* m: where it is led to. */
  double goal[3];
  /* The soft pin that the hand added to the world, which is kept for the next time; -1: none was needed so far.
     */
  int32_t own_soft_pin;
  /* The soft pin that holds the particle: the hand's own, or one of the scene that held the particle before. */
  int32_t soft_pin;
  /* The definition of that soft pin while the hand holds it, and what it was before. */
  msd_soft_pin_def soft_pin_def, old_soft_pin_def;
  bool leads_pin, was_pinned;
  /* The pins that are dragged: the particle alone, or all of a mesh collider. And in m, where each of them was
     when it was taken, and the point by which they were. */
  msd_range pins;
  msd_vec3 *placed;
  double taken[3];
  /* m: from where the collider is held to its position. */
  double grip[3];
  /* m and m/s: the position and velocity of the point by which pins are dragged, or of the collider. */
  double x[3], v[3];
} hand;

hand hand_empty(void);

/* Takes hold of a particle, after letting go of what the hand held before. */
void hand_grab(hand *h, msd_world *world, int32_t particle);

/* The same with a collider, at a point of it in m, which is then led to the goal. */
void hand_grab_collider(hand *h, msd_world *world, int32_t collider, const double at[3]);

/* The same with pins, all of which follow the point alike. Nothing is held when memory is short. */
void hand_grab_pins(hand *h, msd_world *world, msd_range pins, const double at[3]);

/* Must be called before each step of the world, of frame_time seconds. */
void hand_step(hand *h, msd_world *world, double frame_time);

/* Lets go. A particle keeps its velocity, or its pin if it was pinned before, and colliders stand. */
void hand_release(hand *h, msd_world *world);

/* The same when there is no world any more. */
void hand_forget(hand *h);

#endif
