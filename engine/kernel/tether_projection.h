/* Exact tethers to pins: hard length limits with fraction 1 between a particle and a pin. One tether keeps
   its particle in a ball around the pin, two keep it in the intersection of two balls. The nearest point has
   a closed form. With y the predicted position, it is

       y, if y is in both balls
       else the nearest point of one ball, if that is in the other
       else the nearest point of the circle where the spheres intersect

   which is the projection onto a convex set. If the balls do not intersect, the particle goes between the
   pins, on the line through both. Particles with three or more tethers to pins use the general hard length
   limits. */
#ifndef MSD_ENGINE_KERNEL_TETHER_PROJECTION_H
#define MSD_ENGINE_KERNEL_TETHER_PROJECTION_H

#include "engine/kernel/hard_limits.h"

typedef struct tether_projection {
  /* Slot of the particle. */
  int32_t slot;
  /* Lanes of its tethers in the list of hard length limits; the second is -1 if it has only one. */
  int32_t lane[2];
} tether_projection;

typedef struct tether_projections {
  /* By ascending slot. */
  tether_projection *items;
  int32_t count;
  revision made_for;
} tether_projections;

/* Finds them in a list that was laid out for these stores. Returns false, and leaves it empty, if memory runs
   out. */
bool tether_projections_make(tether_projections *t, memory *m, const hard_limit_list *c,
                             const spring_store *s, const particle_store *p);
void tether_projections_free(tether_projections *t, memory *m);

/* Changes the velocities of the particles in slots first..last-1 so that x + dt v is in their balls. The
   velocities of pins must be set. No other thread reads the results. */
typedef struct tether_state {
  const msd_real *position;
  msd_real *velocity;
  size_t stride;
  /* s */
  msd_real dt;
} tether_state;

void tether_projections_hold(const tether_projections *t, const hard_limit_list *c, const tether_state *state,
                             size_t first, size_t last);

#endif
