/* Tethers to pins, taken exactly: catches of the whole excess (catches.h) between a particle and a pin. One
   keeps its particle in a ball around the pin, two in the intersection of two balls, and the nearest point of
   either is known in closed form: with y the predicted position,

       it is y, where y is in both
       else the nearest point of one ball, where that is in the other
       else the nearest point of the circle that both spheres have

   which is the projection on a convex set. Pins so far apart that the balls do not meet leave the particle
   between them, on the line through both. Particles with three tethers to pins or more are left to catches. */
#ifndef MSD_ENGINE_KERNEL_TETHER_BALLS_H
#define MSD_ENGINE_KERNEL_TETHER_BALLS_H

#include "engine/kernel/catches.h"

typedef struct tether_ball {
  /* Of the particle. */
  int32_t slot;
  /* Of its tethers in the list of catches; the second -1: it has one. */
  int32_t lane[2];
} tether_ball;

typedef struct tether_balls {
  /* By ascending slot. */
  tether_ball *items;
  int32_t count;
  revision made_for;
} tether_balls;

/* Finds them among catches that were laid out for these stores. False, and empty, when there is no memory. */
bool tether_balls_make(tether_balls *t, memory *m, const catch_list *c, const spring_store *s,
                       const particle_store *p);
void tether_balls_free(tether_balls *t, memory *m);

/* Particles of slots first..last-1 get velocities with which x + dt v is in their balls. The velocities of pins
   must be there; what is written is read by no other thread. */
typedef struct tether_state {
  const msd_real *position;
  msd_real *velocity;
  size_t stride;
  /* s */
  msd_real time_step;
} tether_state;

void tether_balls_hold(const tether_balls *t, const catch_list *c, const tether_state *state, size_t first,
                       size_t last);

#endif
