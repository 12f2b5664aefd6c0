/* What a step needs beside the model: the compiled network, the memory that substeps work in, and what is
   carried over from one substep to the next. All of it is remade when something that it follows from has
   changed; see store/revision.h. */
#ifndef MSD_ENGINE_STEP_STEPPER_H
#define MSD_ENGINE_STEP_STEPPER_H

#include "engine/air/wind.h"
#include "engine/base/parallel.h"
#include "engine/contact/self_contact.h"
#include "engine/contact/tangles.h"
#include "engine/kernel/catches.h"
#include "engine/kernel/constraint_force.h"
#include "engine/kernel/constraint_impulse.h"
#include "engine/kernel/contacts.h"
#include "engine/kernel/given_impulses.h"
#include "engine/kernel/spring_impulse.h"
#include "engine/kernel/spring_projection.h"
#include "engine/kernel/tether_balls.h"
#include "engine/network/network.h"
#include "engine/scaling/mass_scaling.h"
#include "engine/step/couplings.h"
#include "engine/step/energy_guard.h"
#include "engine/step/halos.h"
#include "engine/step/sleep_step.h"
#include "engine/step/wear.h"
#include "engine/store/model.h"

typedef struct stepper {
  world_model *model;

  /* Finds out how many threads pay, where model->thread_count leaves it open. */
  parallel_trial thread_trial;
  msd_simd simd;

  network network;
  /* The network, and the stiffness and damping in it. */
  revision network_made_for, tuned_for;
  /* Particles and springs that were tuned then. */
  int32_t tuned_particles, tuned_springs;
  /* Whether guard.is_damped is of the springs as they were tuned last. */
  bool knows_damped;

  /* Stages of the integrators that need them: `scratch_size` reals. */
  msd_real *scratch;
  void *scratch_block;
  size_t scratch_size;
  /* The two states as records, `records_size` reals each. */
  msd_real *records[2];
  size_t records_size;
  /* Where the last substep of a step in place has left a position that is not finite, as records. */
  const msd_real *failed_records;
  /* Down sums of the runs, `down_size` reals, all zero. */
  msd_real *down;
  size_t down_size;

  halo_memory halos;

  /* The processes that take substeps together, of which one is alone with a count of 0 or 1; and who takes
     what. */
  msd_ranks ranks;
  shares shares;
  /* Of shares that have more than springs. */
  coupling_lists couplings;
  /* Whether it has been asked for, for what joins particles now. */
  revision shared_for;
  /* Whether a constraint was softened in substeps before those that its own numbers tell of. */
  bool was_softened;

  constraint_forces constraint_forces;
  spring_impulses spring_impulses;
  constraint_impulses constraint_impulses;
  /* Where the model asks for it. */
  spring_projections projections;
  /* Where the model asks for it. */
  mass_scaling scaling;
  catch_list catches;
  tether_balls tethers;
  contact_work contacts;
  self_contact self;
  /* Behind a step with whose list the next one may go on: what that, and the choice from it, is of. All 0
     else. */
  revision listed_for, chosen_for;
  /* The last substep has failed for lack of it. */
  bool lacks_memory;
  tangles tangles;
  /* Of all three. */
  size_t contact_bytes;
  wind_work wind;
  wear_work wear;
  sleep_work sleep;
  /* N s; and of constraints in the unit of k C times seconds. */
  given_impulses spring_given, constraint_given;

  energy_guard guard;
  /* At least two for each chunk of the network, where the energy is watched. */
  spring_tally *tallies;
  size_t tally_count;
} stepper;

/* What the network of a model is compiled from. */
network_source network_source_of(const world_model *model);

/* Whether the network has all springs in their rows, but for those that were added since it was made. */
bool stepper_has_network(const stepper *s);

/* Makes the network follow the model, and where its layout does not stand the order of the particles.
   MSD_OUT_OF_MEMORY. */
msd_result stepper_prepare_network(stepper *s);

/* Makes ready what follows from the model whatever the substep: the network and the order of the particles,
   and what the integrator needs beside it. MSD_OUT_OF_MEMORY. */
msd_result stepper_prepare(stepper *s);

/* Finds what of surfaces intersects, unless that is known; behind all that may refuse a step but for memory, as
   snapshots have what was found. MSD_INTERSECTING where contact is strict, MSD_OUT_OF_MEMORY. */
msd_result stepper_find_tangles(stepper *s);

/* Gives springs their stiffness and damping at a substep of that many seconds, and scales masses for it.
   MSD_OUT_OF_MEMORY. */
msd_result stepper_tune_springs(stepper *s, double substep);

/* The same for constraints, whose weights have been made; and for all impulses. */
void stepper_tune_constraints(stepper *s, double substep);

/* Makes sure that there is a state to write to, where steps do not end in the one that they began with; there
   its memory is given back. False when there is no memory. */
bool stepper_make_states(stepper *s);

/* Takes substeps of that many seconds, to which all is tuned, after the `before` first ones of the step; the
   current slab is then the one behind them. Returns how many were done: fewer than asked when the next one
   gave a position that is not finite. */
int stepper_advance(stepper *s, msd_real substep, int before, int substeps);

/* The first particle of which the substep that has failed would have left no finite state. */
int32_t stepper_find_failed(const stepper *s);

void stepper_free(stepper *s);

/* Shares the network among the ranks, of which each has prepared its own, or the search for what touches.
   Without memory on one of them each takes all. */
void stepper_share(stepper *s);

/* What keeps substeps from being shared, in the plural; NULL: nothing does. */
const char *stepper_why_unshared(const stepper *s);

/* Forgets who takes what. */
void stepper_forget_shares(stepper *s);

/* Whether anchors are forces to the integrator; and whether something beside the springs between two
   particles is a force that depends on the state. */
bool stepper_has_acting_anchors(const stepper *s);
bool stepper_has_forces(const stepper *s);

/* What users apply, in N, where constraints and anchors add their forces to it; NULL: nothing, or they are kept
   apart, as under scaled masses. */
const msd_real *stepper_acting_applied(const stepper *s);

/* Whether springs kick scaled masses. */
bool stepper_scales_masses(const stepper *s);
/* Whether what they do is kept in the scratch, for the energy under scaled masses. */
bool stepper_keeps_spring_forces(const stepper *s);

/* Whether springs go by Gauss-Seidel. */
bool stepper_projects(const stepper *s);

/* Whether there are such that have not been destroyed. */
bool stepper_has_colliders(const stepper *s);
bool stepper_has_live_surfaces(const stepper *s);

/* Whether nothing but the springs of the network, drag and given forces moves particles, by symplectic
   Euler. */
bool stepper_is_plain(const stepper *s);
/* The same but for colliders and for surfaces that touch. */
bool stepper_is_plain_but_for_touch(const stepper *s);

/* Whether there is air, and something that it pushes. */
bool stepper_has_wind(const stepper *s);

/* Of a catch in the last substep; 0 where what it follows from has changed since. */
catch_numbers stepper_catch_numbers(const stepper *s, int32_t spring);

/* Whether it is known what each particle touched in the last substep. */
bool stepper_has_contacts(const stepper *s);

/* Whether `self` is of the model's surfaces as they now are. */
bool stepper_has_surfaces(const stepper *s);

/* Makes room for so many. On failure the old ones are kept. */
bool stepper_reserve_tallies(stepper *s, size_t count);

/* The most threads that a step uses. */
int stepper_threads(const stepper *s);

/* A spring's rest length where the steps read it, negative for a broken spring. */
void stepper_set_rest(stepper *s, int32_t spring, msd_real rest);

/* The same of a constraint. */
void stepper_set_constraint_rest(stepper *s, int32_t constraint, msd_real rest);

/* Whether a constraint in N/m or Hz was softened to fit into its substep since it was last asked, on any rank;
   all have to ask. */
bool stepper_take_softened(stepper *s);

/* Keeps what it would say, of this rank alone, apart from what comes. */
void stepper_keep_softened(stepper *s);

/* Takes over those of a snapshot, whose memory is the model's; and what that knows of which surfaces may meet,
   if it does. */
void stepper_take_tangles(stepper *s, const tangles *taken);
void stepper_take_look(stepper *s, const lookout *taken);

/* Forgets what springs and constraints gave in the substep before. */
void stepper_forget_impulses(stepper *s);

#endif
