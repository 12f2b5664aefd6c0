/* Everything a frame needs besides the model: the compiled network, work memory and data carried from one
   substep to the next. All of it is rebuilt when its inputs have changed; see store/revision.h.

   A frame calls stepper_prepare (compile.c), then stepper_tune_springs and stepper_tune_constraints
   (coefficients.c), then stepper_advance (scheduler.c) for each batch of substeps. */
#ifndef MSD_ENGINE_STEP_STEPPER_H
#define MSD_ENGINE_STEP_STEPPER_H

#include "engine/air/wind.h"
#include "engine/base/parallel.h"
#include "engine/contact/penetrations.h"
#include "engine/contact/self_contact.h"
#include "engine/kernel/constraint_force.h"
#include "engine/kernel/constraint_impulse.h"
#include "engine/kernel/contacts.h"
#include "engine/kernel/hard_limits.h"
#include "engine/kernel/spring_impulse.h"
#include "engine/kernel/spring_projection.h"
#include "engine/kernel/tether_projection.h"
#include "engine/kernel/warm_start.h"
#include "engine/network/network.h"
#include "engine/scaling/mass_scaling.h"
#include "engine/step/adjacency.h"
#include "engine/step/constraint_account.h"
#include "engine/step/damage.h"
#include "engine/step/energy_limiter.h"
#include "engine/step/frame_record.h"
#include "engine/step/halos.h"
#include "engine/step/loose.h"
#include "engine/step/sleep_step.h"
#include "engine/store/model.h"

typedef struct stepper {
  world_model *model;

  /* Measures how many threads are fastest, if model->thread_count is automatic. */
  thread_count_tuner thread_trial;
  msd_simd simd;

  network network;
  /* Revisions of the compiled network and of its coefficients. */
  revision network_made_for, tuned_for;
  /* Numbers of particles and springs at that time. */
  int32_t tuned_particles, tuned_springs;
  /* True if limiter.is_damped is valid for the current coefficients. */
  bool knows_damped;

  /* Stages of the integrators, scratch_size reals. */
  msd_real *scratch;
  void *scratch_block;
  size_t scratch_size;
  /* AoS copies of the two states, records_size reals each. */
  msd_real *records[2];
  size_t records_size;
  /* Records of the last substep of an in-place run, if it produced a non-finite position. */
  const msd_real *failed_records;
  /* Carried sums of diagonal blocks, down_size reals, all zero. */
  msd_real *down;
  size_t down_size;

  halo_memory halos;

  /* Ranks that advance substeps together, a single process if the count is 0 or 1; and their partition. */
  msd_ranks ranks;
  partition partition;
  /* Used if the partition has more than springs. */
  coupling_lists adjacency;
  /* Revision of the couplings for which a partition was attempted. */
  revision shared_for;
  /* A constraint was clamped since the last stepper_take_softened, in substeps whose `excess` has been
     overwritten. */
  bool was_softened;

  constraint_forces constraint_forces;
  spring_impulses spring_impulses;
  constraint_impulses constraint_impulses;
  /* For the Gauss-Seidel solver. */
  spring_projections projections;
  /* For selective mass scaling. */
  mass_scaling scaling;
  hard_limit_list hard_limits;
  tether_projections tethers;
  loose_particles loose;
  contact_work contacts;
  self_contact self;
  /* By slot: 1 if a pin or soft pin holds the body of the particle. */
  uint8_t *attached;
  revision attached_for;
  /* Revisions for which the neighbor list and the active set are valid, if the next frame can continue with the
     list; otherwise all 0. */
  revision listed_for, chosen_for;
  /* Why the last run ended early, unless a position was not finite. lacks_memory: memory ran out. is_crowded:
     particles move too far for contact. is_stopped: the stop callback ended the run between substeps.
     is_abandoned: it ended the run within a substep, which is undone. Mesh contact polls `stop` within a
     substep (base/stop_poll.h); the other passes are short. */
  bool lacks_memory, is_crowded, is_stopped, is_abandoned;
  stop_poll stop;
  /* A run is in progress, so contacts must not be read. */
  bool is_running;
  penetrations penetrations;
  /* Bytes of all contact structures: collider contact, mesh contact and penetrations. */
  size_t contact_bytes;
  wind_work wind;
  damage_work damage;
  sleep_work sleep;
  /* Impulses of springs in N s, and of constraints in the unit of k C times seconds. */
  given_impulses spring_given, constraint_given;

  frame_record record;

  energy_limiter limiter;
  constraint_account account;
  /* True if the particles are a subdomain, whose sums are not those of the world. */
  bool is_subdomain;
  /* At least two for each chunk of the network, if the energy is measured. */
  spring_tally *tallies;
  size_t tally_count;
} stepper;

/* Input of the network compiler. */
network_source network_source_of(const world_model *model);

/* True if the network contains all springs, except those added since it was compiled. */
bool stepper_has_network(const stepper *s);

/* Updates the network to the model. If the layout is not fixed, chooses the particle order too. Returns
   MSD_OUT_OF_MEMORY if memory runs out. */
msd_result stepper_prepare_network(stepper *s);

/* Prepares everything that does not depend on the substep length: the network, the particle order and the
   memory of the integrator. Returns MSD_BAD_VALUE for an unsupported combination, or MSD_OUT_OF_MEMORY. */
msd_result stepper_prepare(stepper *s);

/* Finds intersecting collision meshes, unless they are known. It runs after all other checks that can refuse
   a frame, because snapshots contain the result. Returns MSD_TOO_FAR, MSD_INITIAL_INTERSECTION if contact is
   strict and there are any, or MSD_OUT_OF_MEMORY. */
msd_result stepper_find_penetrations(stepper *s);

/* Computes the stiffness and damping of springs for a substep in s, and the mass scaling. Returns
   MSD_OUT_OF_MEMORY if memory runs out. */
msd_result stepper_tune_springs(stepper *s, double substep);

/* Computes the coefficients of constraints, whose weights must be up to date, and of all impulses. */
void stepper_tune_constraints(stepper *s, double substep);

/* Allocates the second state, or releases it if frames run in place. Returns false if memory runs out. */
bool stepper_make_states(stepper *s);

/* Advances `substeps` substeps of `substep` seconds, for which all coefficients are prepared. `before`
   substeps of the frame precede them. The current slab then has the new state. Returns the number of
   completed substeps. It is smaller if the next one produced a non-finite position, or if the run ended early
   for a reason that lacks_memory and the flags beside it give. */
int stepper_advance(stepper *s, msd_real substep, int before, int substeps);

/* First particle with a non-finite state in the failed substep. */
int32_t stepper_find_failed(const stepper *s);

void stepper_free(stepper *s);

/* Partitions the network among the ranks, each of which has prepared its own, or with mesh contact the broad
   phase. If memory runs out on a rank, each rank does all the work. */
void stepper_distribute(stepper *s);

/* First unsupported feature as a plural noun for a message, such as "scaled masses"; NULL: substeps can be
   distributed. */
const char *stepper_distribution_obstacle(const stepper *s);

/* Discards the partition. */
void stepper_forget_partition(stepper *s);

/* Whether soft pins act as forces; whether any force besides springs depends on the state. */
bool stepper_has_soft_pin_forces(const stepper *s);
bool stepper_has_forces(const stepper *s);

/* Applied forces in N to which constraints and soft pins add theirs. NULL: there are none, or they are
   separate, as with mass scaling. */
const msd_real *stepper_acting_applied(const stepper *s);

/* True if springs act on scaled masses. */
bool stepper_scales_masses(const stepper *s);
/* True if spring forces are stored in scratch, for the energy with mass scaling. */
bool stepper_keeps_spring_forces(const stepper *s);

/* True if the energy of springs is measured. */
bool stepper_is_watched(const stepper *s);

/* True if the errors that the last substep of the Gauss-Seidel solver left are known. */
bool stepper_has_residual(const stepper *s);

/* Loose particles by slot (loose.h); NULL: none, or another integrator. */
const msd_real *stepper_loose(const stepper *s);

/* True if springs are solved by Gauss-Seidel. */
bool stepper_projects(const stepper *s);

/* True if the world has colliders, or collision meshes, that have not been destroyed. */
bool stepper_has_colliders(const stepper *s);
bool stepper_has_live_surfaces(const stepper *s);

/* True if only network springs, linear damping and applied forces act, with symplectic Euler. */
bool stepper_is_plain(const stepper *s);
/* True if at most colliders and mesh contact act besides what stepper_is_plain allows. */
bool stepper_is_plain_except_contact(const stepper *s);

/* True if there is air and a collision mesh for wind to act on. */
bool stepper_has_wind(const stepper *s);

/* State of a hard limit in the last substep; 0 if its inputs have changed since. */
hard_limit_numbers stepper_hard_limit_numbers(const stepper *s, int32_t spring);

/* True if the collider contacts of the last substep are valid. */
bool stepper_has_contacts(const stepper *s);

/* True if `self` is valid for the current collision meshes. */
bool stepper_has_surfaces(const stepper *s);

/* True if constraints have an energy account: they act as forces with symplectic Euler, no
   particle sleeps, and the world is whole. */
bool stepper_has_account(const stepper *s);

/* Reserves `count` tallies. If memory runs out, the old ones stay valid. */
bool stepper_reserve_tallies(stepper *s, size_t count);

/* Largest number of threads that a frame uses. */
int stepper_threads(const stepper *s);

/* Sets the rest length of a spring in the compiled structures; negative for a broken spring. */
void stepper_set_rest(stepper *s, int32_t spring, msd_real rest);

/* Sets the rest value of a constraint in the compiled structures. */
void stepper_set_constraint_rest(stepper *s, int32_t constraint, msd_real rest);

/* True if a constraint with a stiffness or frequency law was clamped to its substep since the last call, on
   any rank. All ranks must call it. */
bool stepper_take_softened(stepper *s);

/* Accumulates this rank's part of stepper_take_softened in was_softened, before substeps overwrite it. */
void stepper_keep_softened(stepper *s);

/* Takes over the penetrations that a snapshot contains, whose memory belongs to the model; and its contact
   cache, if it has one. */
void stepper_take_penetrations(stepper *s, const penetrations *taken);
void stepper_take_contact_cache(stepper *s, const contact_cache *taken);

/* Discards the impulses of the previous substep, used for warm starts. */
void stepper_forget_impulses(stepper *s);

#endif
