/* How heavy each particle must be for a substep.

   With x = 1 at every particle the bound of bound.h is

       radius <= max w_i (sum 2 kappa_e + own_i),

   which asks each particle for a mass of its own, whatever its neighbours weigh: a light one is found by
   itself. That holds for what is stiff and damped in N/m and N s/m. Coefficients and frequencies go with the
   masses; they are bounded by their shares, at any masses: kappa (w_a n_a + w_b n_b) is at most max(n_a, n_b)
   times what it is for a reduced mass of 1 kg. Radii add up, so particles get what these leave of 4.

   Constraints that take room (softening_weights.h) have a part `room` of the radius, the same at every
   particle, and an own term that is that or what they use, whichever is more. The more room, the less mass they
   want for it, and the more all else does: what serves best is found among a few. */
#ifndef MSD_ENGINE_STABILITY_NEEDED_MASS_H
#define MSD_ENGINE_STABILITY_NEEDED_MASS_H

#include "engine/stability/analysis.h"

/* What a particle asks for. */
typedef struct mass_demand {
  /* By all but what takes room, by what does, and for the room of that; kg times the radius. */
  step_load held, used, wanted;
  /* What own terms take of the radius whatever the step: they go with the mass. */
  double coefficient;
} mass_demand;

typedef struct mass_demands {
  const world_model *model;
  memory *memory;
  /* Of each particle; all 0 of one that is pinned. */
  mass_demand *of;
  /* A bound of the radius of all springs whose law goes with the masses, at a step of dt. */
  step_load share;
  bool has_room;
} mass_demands;

/* `softened` as in an analysis. False when there is no memory; close them all the same. */
bool mass_demands_open(mass_demands *d, const world_model *model, analysis_softened softened, memory *m);
void mass_demands_close(mass_demands *d);

/* What a step of dt leaves for all else of the radius, at most. */
double mass_demands_radius(const mass_demands *d, double dt);

/* kg: what one particle needs at dt, of that radius and with so much of it as room; INFINITY: no mass helps. */
double mass_demands_at(const mass_demands *d, int32_t particle, double dt, double radius, double room);

/* kg: what the particles of a range lack at dt with the room that serves them best, which is *room. */
double mass_demands_lack(const mass_demands *d, msd_range particles, double dt, double *room);

/* What msd_world_find_needed_masses says, for a time step that is a number above 0. MSD_OUT_OF_MEMORY. */
msd_result needed_mass_find(const world_model *model, double time_step, double *masses);

#endif
