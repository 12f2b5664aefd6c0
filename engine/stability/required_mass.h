/* The mass that each particle needs for a substep.

   With x = 1 at every particle the bound of bound.h is

       radius <= max w_i (sum 2 kappa_e + own_i),

   so each particle needs a mass that does not depend on its neighbors. That holds for stiffness laws in N/m
   and N s/m. Coefficient and frequency laws scale with the masses. Their mass fractions bound them for any
   masses: kappa (w_a n_a + w_b n_b) is at most max(n_a, n_b) times its value for a reduced mass of 1 kg.
   Radii add up, so the particles get what these leave of 4.

   Constraints with a stiffness budget (softening_weights.h) get a fixed budget of the radius, the same at
   every particle. Their diagonal term is that or their use, whichever is larger. A larger budget needs less
   mass for these constraints and more for everything else; the best of a few values is used. */
#ifndef MSD_ENGINE_STABILITY_REQUIRED_MASS_H
#define MSD_ENGINE_STABILITY_REQUIRED_MASS_H

#include "engine/stability/analysis.h"

/* The demands on one particle. */
typedef struct mass_demand {
  /* kg times the radius: of everything without a budget, of constraints with a budget, and for that
     budget. */
  step_load held, used, wanted;
  /* The radius of diagonal terms that do not depend on the substep; they scale with the mass. */
  double coefficient;
} mass_demand;

typedef struct mass_demands {
  const world_model *model;
  memory *memory;
  /* Per particle; all 0 for a pinned one. */
  mass_demand *of;
  /* A radius bound for all springs whose law scales with the masses, as a function of dt. */
  step_load share;
  bool has_room;
} mass_demands;

/* `softened` as in an analysis. Returns false if memory runs out; close them in any case. */
bool mass_demands_open(mass_demands *d, const world_model *model, analysis_softened softened, memory *m);
void mass_demands_close(mass_demands *d);

/* The radius that remains for everything else at a substep of dt. */
double mass_demands_radius(const mass_demands *d, double dt);

/* kg: the mass that one particle needs at dt for that radius and budget; INFINITY: no mass suffices. */
double mass_demands_at(const mass_demands *d, int32_t particle, double dt, double radius, double room);

/* kg: the total mass that the particles of a range lack at dt with the best budget, which is an output. */
double mass_demands_lack(const mass_demands *d, msd_range particles, double dt, double *room);

/* Implements msd_world_find_required_masses for a positive time step. Error: MSD_OUT_OF_MEMORY. */
msd_result required_mass_find(const world_model *model, double substep, double *masses);

#endif
