/* Contact between collision meshes, and self-collision: the step of contact that follows each substep's
   springs, soft pins and hard length limits.

       boxes     boxes push elements near their edges (box_contact.h)
       forces    pairs nearer than their thickness push apart (contact_pairs.h); then colliders push
       planes    separating planes keep all pairs apart, whatever the forces were (separation.h)
       guard     no element ends the substep in a box

   The pairs are selected at three levels:

       candidates    broad_phase.h lists all pairs that can come within their thickness while each particle
                     stays within its skin about a motion bound X + V t, many substeps ahead. The bound
                     includes a common acceleration A.
       active set    candidates that may need a force or a plane, by a motion bound of fewer substeps with
                     narrower skins (`active_bound` in the code; active_set.h)
       contacts      pairs of the active set that act in a substep

   After each substep all particles are tested for skin violations. A particle that violates the skin of the
   list gets a new prediction and a wider skin, and its candidates are searched again. If too many do, the
   list is rebuilt from the state before the substep. If a particle violates the skin of the active set, its
   pairs are classified again. If that adds a pair that would have changed the substep, the substep is
   repeated; active_set.h says which would not. So at x, at x' and in between, every particle is within the
   skins that the active set was built with, and no unlisted pair has met. Particles in no pair that may be
   near are not monitored by the active set.

   Short lists without violations get wider skins and longer horizons, up to a cap. All decisions follow from
   the state and from how long lists have lasted, so they are the same on any number of threads. */
#ifndef MSD_ENGINE_CONTACT_SELF_CONTACT_H
#define MSD_ENGINE_CONTACT_SELF_CONTACT_H

#include "engine/base/parallel.h"
#include "engine/base/stop_poll.h"
#include "engine/contact/active_set.h"
#include "engine/contact/box_contacts.h"
#include "engine/contact/broad_phase.h"
#include "engine/contact/contact_cache.h"
#include "engine/contact/penetrations.h"
#include "engine/kernel/contacts.h"
#include "engine/store/surface.h"

/* Results of one thread in the last substep. */
typedef struct self_contact_tally {
  int32_t contacts, shortened, forced_count;
  /* Half-spaces visited while moves were clipped, and pairs while kinematic particles carried others. */
  int64_t visits, carry_visits;
  /* Some particle has violated its skin in the list, or in the active set. */
  bool left_list, left_active;
  /* Some pair violates its plane, or has a plane and a kinematic corner that moves. */
  bool separation_request;
  /* Some G has changed, so forces must be computed again. */
  bool has_shared;
  /* Some element would end the substep in a box; and boxes lack memory. */
  bool meets_box, lacks_memory;
  bool is_finite;
} self_contact_tally;

typedef struct self_contact {
  surface_mesh mesh;
  pair_search search;
  contact_cache cache;
  /* `search` contains the candidates of cache.list, and an active set was chosen from them. */
  bool is_listed;
  /* The step has continued with the list of the last step, so a new list may outlast this step too. */
  bool goes_on;
  /* Contact-free substeps were discarded since the last choice of the active set, in this step. */
  bool is_restless;
  near_pairs near;
  /* The active set is that of the current state of this step; `friction_cache` then stores its anchors while
     it is chosen again. Before that, cache.friction_cache does. */
  bool is_chosen;
  friction_cache friction_cache;
  cells cells;
  box_contacts boxes;
  near_choice choice;
  /* The ranks that search for pairs together. */
  contact_team team;
  /* By slot: skin violations. */
  uint8_t *violators;
  /* The state after springs and before contact, with the layout of a motion bound. */
  msd_real *predicted;
  void *predicted_block;
  size_t stride;
  int32_t particles;
  self_contact_tally *tallies;
  /* The work queues of the threads within a substep. */
  work_queue *piles;
  int threads;
  /* Since the beginning: clipped moves, and half-spaces visited for them. */
  int64_t clipped_moves, visits;
  /* Pairs visited in this frame while kinematic particles carried others, above those that any frame may visit.
     The frame sets it to 0. */
  int64_t carry_visits;
  revision made_for;
} self_contact;

/* Input of the contact step of one substep. `colliders` contains the states and colliders; its `work` is
   NULL without colliders. */
typedef struct self_contact_step {
  self_contact *contact;
  penetrations *penetrations;
  list_policy *list_policy;
  memory *memory;
  contact_thread colliders;
  contact_settings settings;
  const msd_real *inverse_mass;
  const msd_real *before;
  msd_real *behind;
  size_t stride;
  /* s */
  double dt;
  /* Pins that turn in this frame, and the part of their turn in this substep; NULL: none does. */
  const particle_store *turning;
  double turn_share;
  /* By slot: 1 if a pin or soft pin holds the body of the particle. */
  const uint8_t *attached;
  /* There are pins; some move in this frame. */
  bool has_pins, pins_move;
  /* Including this one. */
  int32_t substeps_left;
  /* By slot: PAIR_AWAKE if the particle is awake; NULL: all are. `wake` wakes sleeping particles that a list
     pairs with awake ones, and returns true if there were any; flags, inverse masses and `colliders.awake`
     are then up to date. */
  const uint8_t *awake;
  /* Changes whenever `awake` does, or anything else that the lists of sleeping particles depend on. */
  const uint64_t *awake_for;
  bool (*wake)(void *context, const pair_list *list);
  void *wake_context;
  const msd_tasks *tasks;
  int threads;
  msd_simd simd;
  /* NULL: the substep is never stopped. */
  stop_poll *stop;
} self_contact_step;

/* CROWDED: particles move so far in a substep that too many pairs come near. STOPPED: see stop_poll.h. */
typedef enum self_contact_result {
  SELF_CONTACT_DONE,
  SELF_CONTACT_NOT_FINITE,
  SELF_CONTACT_CROWDED,
  SELF_CONTACT_STOPPED,
  SELF_CONTACT_NO_MEMORY
} self_contact_result;

/* Above this number of pairs for each particle, besides a number of pairs that any world may have, a substep
   is refused in which particles move farther than the thickness relative to each other. */
enum { SELF_CONTACT_MOST_PAIRS = 256, SELF_CONTACT_FREE_PAIRS = 1 << 14 };

/* How often kinematic particles that carry others may visit pairs in a frame: FREE for each pair and attempt at
   a substep, and MOST besides, which takes seconds. The next attempt is refused then: pins that move on by
   several edges in a substep would spend as much in each. */
enum { SELF_CONTACT_FREE_CARRY_VISITS = 16, SELF_CONTACT_MOST_CARRY_VISITS = 1 << 26 };

/* Allocates for a mesh that has been made. If the number of particles is unchanged, the contact cache is
   kept, but its pairs must be listed again. False without memory; then only the mesh and the cache remain. */
bool self_contact_reserve(self_contact *c, memory *m, const particle_store *p, int threads);
void self_contact_free(self_contact *c, memory *m);

/* Call one of them before a step. forget: particles were moved by something other than steps, so the lists
   are dropped. go_on: continues with the list, and with the active set if `with_choice`. */
void self_contact_forget(self_contact *c);
void self_contact_go_on(self_contact *c, bool with_choice);

/* The state after a step. */
typedef struct self_contact_end {
  const msd_real *positions;
  size_t stride;
  /* The particle, by slot. */
  const int32_t *particle;
  const msd_tasks *tasks;
  int threads;
  msd_simd simd;
} self_contact_end;

/* Call after a step: stores the friction anchors, or clears them if contact was not active in it. */
void self_contact_hold(self_contact *c, const self_contact_end *end);
void self_contact_let_go(self_contact *c);

/* Call after near_kernel.read and before near_kernel.push, for ranges of groups: the friction anchors of pairs
   with pins that were given no turn follow the rotation of their triangle in the substep, as in
   near_pairs_turn. */
void self_contact_turn_anchors(const self_contact_step *s, parallel_range groups);

/* Friction anchors of the active set that is about to be replaced. */
const friction_cache *self_contact_friction(const self_contact_step *s);

/* Call after a step from which the next one may continue. */
void self_contact_end_step(self_contact *c);

/* Call after a step that ended in its first substep: restores the list and active set it began with, which
   must then be built again. False if they were already replaced. */
bool self_contact_rollback(self_contact *c);

/* True if the next step may continue with the list: it is valid and was built with no particle asleep. */
static inline bool self_contact_may_go_on(const self_contact *c) {
  return c->cache.list.holds && c->cache.is_whole;
}

/* Call before the first substep of a step: rebuilds the same list and active set, including all updates.
   Needed after a snapshot was restored, or if the ranks or threads have changed. False without memory; the
   cache is then unchanged. */
bool self_contact_relist(const self_contact_step *s);

self_contact_result self_contact_act(const self_contact_step *s);

/* Call after a substep, and after the last one of a step: estimates the common acceleration A for future
   motion bounds. */
void self_contact_note_bend(const self_contact *c, list_policy *policy, const msd_real *state, double dt);

/* Contact-free substeps need not be taken one by one while all particles stay within their skins. Each
   particle can be advanced through several substeps before the next one (step/temporal_blocking.h). If a
   particle violates its skin, all of them are discarded. */

/* Call before a substep whose result is not known yet: prepares the list and active set for it and the
   following ones. */
self_contact_result broad_phase_update(const self_contact_step *s);

/* The same for boxes and elements. Contact-free substeps are possible if no boxes are near. False without
   memory. */
bool self_contact_find_boxes(const self_contact_step *s, bool *are_near);

/* How many of the next `most` substeps are contact-free. 0 if the active set is not empty, or if such
   substeps were discarded since it was chosen. */
int contact_free_substeps(const self_contact *c, double dt, int most);

/* Some particles after a substep, which is counted from 0. */
typedef struct self_contact_place {
  const msd_real *behind;
  parallel_range particles;
  int substep;
  double dt;
  msd_simd simd;
  /* Boxes may touch elements. */
  bool has_boxes;
} self_contact_place;

/* True if they are within their skins. Threads may call this concurrently for different particles. */
bool self_contact_within_skins(const self_contact *c, const self_contact_place *place);

/* Accepts that many contact-free substeps; or discards them. */
void self_contact_pass(self_contact *c, double dt, int substeps);
void self_contact_drop(self_contact *c);

#endif
