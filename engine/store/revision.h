/* What is derived from a model is remade only when something that it depends on has changed.

   A model counts its changes, kind by kind. Whatever is derived from it keeps, as `made_for`, the counts of all
   that it depends on, and the substep if it depends on that too; one comparison with the present counts tells
   whether it still holds. Who changes a model increments a count and need not know what is derived from it.

   Definitions of single springs and particles are listed besides (change_list.h), so that what would take long
   to remake may follow them one by one.

   What was added keeps the places of what there was, so that whoever follows it keeps how many particles and
   springs it has seen; revision_followed leaves out what it follows.

   The functions below are the table of what depends on what. */
#ifndef MSD_STORE_REVISION_H
#define MSD_STORE_REVISION_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Counts start at 1 in a model. In a made_for 0 means: does not depend on it; all 0: was never made. */
typedef struct revision {
  /* The order of the particles and the layout of the springs, which are made anew. What is added to a layout
     that stands does not count. */
  uint64_t topology;
  /* Pins, where one-sided springs are laid out by them: the rows are made anew, with the same springs late. */
  uint64_t held;
  /* Particles and springs that were added to it. */
  uint64_t particles, springs;
  /* Constraints added. */
  uint64_t constraints;
  /* Laws, masses, pins, breaks, and the limit. */
  uint64_t definitions;
  /* Those of them that were pins, and constraints that got a shape behind a step or went back to waiting for
     one. */
  uint64_t pins, placements;
  /* What each anchor holds, and by which law; not where its point is. */
  uint64_t anchors;
  /* The load of anchors on the limits of the time step, by integrator. */
  uint64_t anchor_weights;
  /* Inertias and pins of rotors, and laws of angular springs. */
  uint64_t rotors;
  uint64_t integrator;
  /* Iterations and warm start of sequential impulses. */
  uint64_t impulses;
  /* Positions, velocities and rest lengths, by something else than a substep. */
  uint64_t state;
  /* Positions, by a user. */
  uint64_t positions;
  /* Colliders, and what the world says of contacts. */
  uint64_t colliders;
  /* Surfaces added. */
  uint64_t surfaces;
  /* Springs that their strain has torn. */
  uint64_t tears;
  /* s: the substep, in a made_for; 0: holds at all. */
  double step;
} revision;

/* Whether what was made for one revision holds for another. */
static inline bool revision_holds(const revision *made_for, revision now) {
  if (made_for->step == 0)
    now.step = 0;
  return memcmp(made_for, &now, sizeof now) == 0;
}

/* The same with the particles and springs and the definitions of another, whose changes are followed. */
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
                  r->anchors + 1,
                  r->anchor_weights + 1,
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

/* The network of springs and the slots of the particles. */
static inline revision revision_of_network(const revision *r) {
  return (revision){
      .topology = r->topology, .held = r->held, .particles = r->particles, .springs = r->springs};
}

/* What joins particles, beside springs too, and what goes with particles. */
static inline revision revision_of_joints(const revision *r) {
  return (revision){.topology = r->topology,
                    .particles = r->particles,
                    .springs = r->springs,
                    .constraints = r->constraints,
                    .definitions = r->definitions,
                    .anchors = r->anchors,
                    .integrator = r->integrator,
                    .surfaces = r->surfaces,
                    .tears = r->tears};
}

/* Arrays by slot of what depends on no spring. */
static inline revision revision_of_slots(const revision *r) {
  return (revision){.topology = r->topology, .particles = r->particles};
}

/* Stiffness and damping of the springs in it: the stiffest leave room for the constraints at their ends. */
static inline revision revision_of_tuning(const revision *r, double step) {
  revision tuned = revision_of_network(r);
  tuned.constraints = r->constraints;
  tuned.definitions = r->definitions;
  tuned.step = step;
  return tuned;
}

/* The masses that forces kick, in the order of the particles. */
static inline revision revision_of_mass_scaling(const revision *r, double step) {
  revision made = revision_of_tuning(r, step);
  made.tears = r->tears;
  made.anchors = r->anchors;
  return made;
}

/* The layout of catches, and what they weigh. */
static inline revision revision_of_catches(const revision *r) {
  return (revision){.topology = r->topology, .springs = r->springs, .definitions = r->definitions};
}

/* What each particle last touched. */
static inline revision revision_of_contacts(const revision *r) {
  return revision_of_slots(r);
}

/* How far each particle can go before it may touch a collider. */
static inline revision revision_of_clearances(const revision *r) {
  return (revision){.topology = r->topology,
                    .particles = r->particles,
                    .state = r->state,
                    .colliders = r->colliders,
                    .surfaces = r->surfaces};
}

/* How much further than others particles of surfaces stay from what is round. */
static inline revision revision_of_sagitta(const revision *r) {
  return (revision){.topology = r->topology, .particles = r->particles, .surfaces = r->surfaces};
}

/* The compiled surface, in the order of the particles. */
static inline revision revision_of_surfaces(const revision *r) {
  return (revision){.topology = r->topology,
                    .particles = r->particles,
                    .colliders = r->colliders,
                    .surfaces = r->surfaces,
                    .tears = r->tears};
}

/* Which pairs of surfaces may meet, of all but what substeps make of it. */
static inline revision revision_of_meetings(const revision *r) {
  revision made = revision_of_surfaces(r);
  made.state = r->state;
  made.positions = r->positions;
  return made;
}

/* The same, and which of them may push. */
static inline revision revision_of_touches(const revision *r) {
  revision made = revision_of_meetings(r);
  made.definitions = r->definitions;
  return made;
}

/* Which pairs of surfaces intersect, of all but what substeps make of it. */
static inline revision revision_of_tangles(const revision *r) {
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
                    .anchor_weights = r->anchor_weights,
                    .integrator = r->integrator,
                    .step = step};
}

/* The constants of constraints in their layout, with those weights. */
static inline revision revision_of_constraint_tuning(const revision *r, double step) {
  return revision_of_softening(r, step);
}

/* The closed forms of anchors. */
static inline revision revision_of_anchor_works(const revision *r, double step) {
  return (revision){.topology = r->topology,
                    .particles = r->particles,
                    .springs = r->springs,
                    .definitions = r->definitions,
                    .anchors = r->anchors,
                    .integrator = r->integrator,
                    .step = step};
}

/* The certified time steps of all integrators. */
static inline revision revision_of_stable_steps(const revision *r) {
  return (revision){.topology = r->topology,
                    .particles = r->particles,
                    .springs = r->springs,
                    .constraints = r->constraints,
                    .definitions = r->definitions,
                    .anchor_weights = r->anchor_weights,
                    .impulses = r->impulses};
}

/* The same where pins, and constraints that wait for a shape, are what they were then. */
static inline revision revision_of_pinned_steps(const revision *r) {
  revision made = revision_of_stable_steps(r);
  made.definitions -= r->pins + r->placements;
  return made;
}

/* The shape that they were found for, of all but what substeps make of it. */
static inline revision revision_of_shape(const revision *r) {
  return (revision){.positions = r->positions};
}

/* The same for rotors alone. */
static inline revision revision_of_rotor_steps(const revision *r) {
  return (revision){.rotors = r->rotors, .impulses = r->impulses};
}

/* Where the account of the energy of a state stands. */
static inline revision revision_of_energy(const revision *r, double step) {
  revision tuned_and_placed = revision_of_tuning(r, step);
  tuned_and_placed.state = r->state;
  return tuned_and_placed;
}

#endif
