/* Revision counters: derived data is rebuilt only if something that it depends on has changed.

   A model counts its changes by category. Derived data stores in `made_for` the counts of all categories that
   it depends on, and the substep length if it depends on that. A comparison with the current counts shows
   whether it is up to date. Code that changes a model only increments a counter and need not know the derived
   data.

   Definitions of single springs and particles are also logged (change_list.h), so that expensive data can be
   updated incrementally. Appended objects do not change existing indices. Code that supports appending stores
   how many particles and springs it has seen, and uses revision_followed to ignore these counts.

   The functions below are the dependency table. */
#ifndef MSD_STORE_REVISION_H
#define MSD_STORE_REVISION_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* The counts of a model start at 1. In a made_for, a count of 0 means no dependency; all 0 means never
   built. */
typedef struct revision {
  /* The order of the particles and the layout of the springs, each time they are rebuilt. Appending to a
     fixed layout does not count. */
  uint64_t topology;
  /* Pins, if one-sided springs are laid out by them: the rows are rebuilt, and the same springs stay
     appended. */
  uint64_t held;
  /* Particles and springs appended to the layout. */
  uint64_t particles, springs;
  /* Constraints added. */
  uint64_t constraints;
  /* Laws, masses, pins, breaks, and stiffness clamping. */
  uint64_t definitions;
  /* The subset of the definitions that were pins; and constraints that got a reference configuration after a
     substep, or lost it. */
  uint64_t pins, placements;
  /* The particle and the law of each soft pin, not its position. */
  uint64_t soft_pins;
  /* The load of soft pins on the stability limits, by integrator. */
  uint64_t soft_pin_weights;
  /* Inertias and pins of rotors, and laws of torsion springs. */
  uint64_t rotors;
  uint64_t integrator;
  /* Iterations and warm start of sequential impulses. */
  uint64_t impulses;
  /* Positions, velocities and rest lengths, changed by anything except a substep. */
  uint64_t state;
  /* Positions, changed by a user. */
  uint64_t positions;
  /* Colliders, and the contact settings of the world. */
  uint64_t colliders;
  /* Collision meshes added. */
  uint64_t surfaces;
  /* Springs torn by strain. */
  uint64_t tears;
  /* s: the substep length, in a made_for; 0: no dependency. */
  double step;
} revision;

/* Returns whether data built for one revision is valid for another. */
static inline bool revision_holds(const revision *made_for, revision now) {
  if (made_for->step == 0)
    now.step = 0;
  return memcmp(made_for, &now, sizeof now) == 0;
}

/* The same revision with the particles, springs and definitions of `now`, for data that is updated
   incrementally. */
static inline revision revision_followed(revision made_for, const revision *now) {
  made_for.particles = now->particles;
  made_for.springs = now->springs;
  made_for.definitions = now->definitions;
  return made_for;
}

/* Marks everything as changed. */
static inline void revision_advance(revision *r) {
  *r = (revision){r->topology + 1,
                  r->held + 1,
                  r->particles + 1,
                  r->springs + 1,
                  r->constraints + 1,
                  r->definitions + 1,
                  r->pins + 1,
                  r->placements + 1,
                  r->soft_pins + 1,
                  r->soft_pin_weights + 1,
                  r->rotors + 1,
                  r->integrator + 1,
                  r->impulses + 1,
                  r->state + 1,
                  r->positions + 1,
                  r->colliders + 1,
                  r->surfaces + 1,
                  r->tears + 1,
                  0};
}

/* The spring network and the slots of the particles. */
static inline revision revision_of_network(const revision *r) {
  return (revision){
      .topology = r->topology, .held = r->held, .particles = r->particles, .springs = r->springs};
}

/* Everything that connects particles, and everything stored per particle. */
static inline revision revision_of_connections(const revision *r) {
  return (revision){.topology = r->topology,
                    .particles = r->particles,
                    .springs = r->springs,
                    .constraints = r->constraints,
                    .definitions = r->definitions,
                    .soft_pins = r->soft_pins,
                    .integrator = r->integrator,
                    .surfaces = r->surfaces,
                    .tears = r->tears};
}

/* Arrays by slot that depend on no spring. */
static inline revision revision_of_slots(const revision *r) {
  return (revision){.topology = r->topology, .particles = r->particles};
}

/* Stiffness and damping of the springs in the network. MSD_MAX_STABLE leaves stiffness budget for the
   constraints at the ends. */
static inline revision revision_of_tuning(const revision *r, double step) {
  revision tuned = revision_of_network(r);
  tuned.constraints = r->constraints;
  tuned.definitions = r->definitions;
  tuned.step = step;
  return tuned;
}

/* The scaled masses, in the order of the particles. */
static inline revision revision_of_mass_scaling(const revision *r, double step) {
  revision made = revision_of_tuning(r, step);
  made.tears = r->tears;
  made.soft_pins = r->soft_pins;
  return made;
}

/* The layout and the masses of hard length limits. */
static inline revision revision_of_hard_limits(const revision *r) {
  return (revision){.topology = r->topology, .springs = r->springs, .definitions = r->definitions};
}

/* The last contact of each particle. */
static inline revision revision_of_contacts(const revision *r) {
  return revision_of_slots(r);
}

/* The distance that each particle can move before it may reach a collider. */
static inline revision revision_of_clearances(const revision *r) {
  return (revision){.topology = r->topology,
                    .particles = r->particles,
                    .state = r->state,
                    .colliders = r->colliders,
                    .surfaces = r->surfaces};
}

/* The extra distance from round colliders for particles of collision meshes; see kernel/chord_offset.h. */
static inline revision revision_of_chord_offset(const revision *r) {
  return (revision){
      .topology = r->topology, .particles = r->particles, .surfaces = r->surfaces, .tears = r->tears};
}

/* The compiled collision mesh, in the order of the particles. */
static inline revision revision_of_surfaces(const revision *r) {
  return (revision){.topology = r->topology,
                    .particles = r->particles,
                    .colliders = r->colliders,
                    .surfaces = r->surfaces,
                    .tears = r->tears};
}

/* The candidate pairs of collision meshes; substeps update them separately. */
static inline revision revision_of_meetings(const revision *r) {
  revision made = revision_of_surfaces(r);
  made.state = r->state;
  made.positions = r->positions;
  return made;
}

/* The same, with the pairs that may have contact forces. */
static inline revision revision_of_touches(const revision *r) {
  revision made = revision_of_meetings(r);
  made.definitions = r->definitions;
  return made;
}

/* The intersecting pairs of collision meshes; substeps update them separately. */
static inline revision revision_of_penetrations(const revision *r) {
  return (revision){.positions = r->positions, .surfaces = r->surfaces};
}

/* The layout of constraints. */
static inline revision revision_of_constraint_layout(const revision *r) {
  return (revision){.topology = r->topology, .particles = r->particles, .constraints = r->constraints};
}

/* The weights that soften constraints. */
static inline revision revision_of_softening(const revision *r, double step) {
  return (revision){.topology = r->topology,
                    .particles = r->particles,
                    .springs = r->springs,
                    .constraints = r->constraints,
                    .definitions = r->definitions,
                    .soft_pin_weights = r->soft_pin_weights,
                    .integrator = r->integrator,
                    .step = step};
}

/* The constants of constraints in their layout, with those weights. */
static inline revision revision_of_constraint_tuning(const revision *r, double step) {
  return revision_of_softening(r, step);
}

/* The closed forms of soft pins. */
static inline revision revision_of_soft_pin_works(const revision *r, double step) {
  return (revision){.topology = r->topology,
                    .particles = r->particles,
                    .springs = r->springs,
                    .definitions = r->definitions,
                    .soft_pins = r->soft_pins,
                    .integrator = r->integrator,
                    .step = step};
}

/* The stability limits of all integrators. */
static inline revision revision_of_stable_steps(const revision *r) {
  return (revision){.topology = r->topology,
                    .particles = r->particles,
                    .springs = r->springs,
                    .constraints = r->constraints,
                    .definitions = r->definitions,
                    .soft_pin_weights = r->soft_pin_weights,
                    .impulses = r->impulses};
}

/* The same if pins, and missing reference configurations, are as they were then. */
static inline revision revision_of_pinned_steps(const revision *r) {
  revision made = revision_of_stable_steps(r);
  made.definitions -= r->pins + r->placements;
  return made;
}

/* The configuration that the limits were found for; substeps update it separately. */
static inline revision revision_of_shape(const revision *r) {
  return (revision){.positions = r->positions};
}

/* The stability limits of rotors. */
static inline revision revision_of_rotor_steps(const revision *r) {
  return (revision){.rotors = r->rotors, .impulses = r->impulses};
}

/* The energy balance of a state. */
static inline revision revision_of_energy(const revision *r, double step) {
  revision tuned_and_placed = revision_of_tuning(r, step);
  tuned_and_placed.state = r->state;
  return tuned_and_placed;
}

#endif
