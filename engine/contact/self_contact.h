/* Contact of surfaces with each other and themselves: pushed apart where they are nearer than their thickness,
   and kept apart whatever pushes them together.

   Behind each substep, on what springs, anchors and catches have made of the particles:

       force      pairs that are near push, see near_pairs.h; then the colliders push
       cells      planes between pairs keep them apart, see cells.h

   Three levels say which pairs that is:

       list       pair_search.h: all that may come within their thickness while every particle keeps within its
                  skin about a forecast X + V t, some substeps ahead, which bends by what all gain of velocity
       near       of the list, for a forecast of fewer substeps with smaller skins
       acting     of what is near, in each substep

   Behind each substep every particle is looked for. Those that have left their skin in the list are expected
   anew, as they go now and with a wider skin, and their pairs are found anew; where
   many have, the list is made anew at the state before the substep. Of those that have left that of the shorter
   forecast, the watch, the pairs are decided on again. Where that brings one near that was not, and that would
   have changed the substep, this is done again; near_choice.h says which would not. So at x and x', and on the
   way between them, all is within the skins that the choice was made with, and what was not looked at has not
   come together. Particles that no pair has which may be near need not keep to the watch.

   Lists of few pairs that all keep to are made with wider skins and for longer, as long as they last. All of
   that is decided from the state and from how lists have lasted, so it is the same on any number of threads. */
#ifndef MSD_ENGINE_CONTACT_SELF_CONTACT_H
#define MSD_ENGINE_CONTACT_SELF_CONTACT_H

#include "engine/base/parallel.h"
#include "engine/contact/lookout.h"
#include "engine/contact/near_choice.h"
#include "engine/contact/pair_search.h"
#include "engine/contact/tangles.h"
#include "engine/kernel/contacts.h"
#include "engine/store/surface.h"

/* Of one thread in the last substep. */
typedef struct self_contact_tally {
  int32_t contacts, shortened, pinched;
  /* Some particle is out of its skin in the list; in the watch. */
  bool left_list, left_watch;
  /* Of what is kept apart some pairs have stopped, or are led. */
  bool cells_ask;
  /* Forces are to be found again. */
  bool has_shared;
  bool is_finite;
} self_contact_tally;

typedef struct self_contact {
  surface_mesh mesh;
  pair_search search;
  lookout look;
  /* The search has the pairs of the list, and what is near has been chosen. */
  bool is_listed;
  /* This step began with a list of the last one, so that lists may be for longer than it. */
  bool goes_on;
  /* Substeps in which nothing acts have been dropped since it was last decided what is near, in this step. */
  bool is_restless;
  near_pairs near;
  /* Near pairs have been chosen for the place where this step has come to; and what they are held by, while all
     are chosen anew. Before that it is look.grips. */
  bool is_chosen;
  grips grips;
  cells cells;
  near_choice choice;
  /* Who shares the work of lists and choices. */
  contact_team team;
  /* By slot: who is out of a skin. */
  uint8_t *strayed;
  /* The state behind the substep before anything here has acted, as that of a forecast. */
  msd_real *predicted;
  void *predicted_block;
  size_t stride;
  int32_t particles;
  self_contact_tally *tallies;
  /* What threads deal out to each other in a substep. */
  parallel_pile *piles;
  int threads;
  /* Since the beginning: ways cut short. */
  int64_t shortened_steps;
  revision made_for;
} self_contact;

/* What acts behind one substep of all threads. The states and the colliders are in `colliders`, whose work is
   NULL where there are none. */
typedef struct self_contact_step {
  self_contact *contact;
  tangles *tangles;
  surface_habit *habit;
  memory *memory;
  contact_thread colliders;
  contact_settings settings;
  const msd_real *inverse_mass;
  const msd_real *before;
  msd_real *behind;
  size_t stride;
  /* s */
  double time_step;
  /* With this one. */
  int32_t substeps_left;
  /* By slot, who is awake (bit 1); NULL: all are. Whether somebody was woken that a list pairs with one that
     is; marks, inverse masses and `colliders.awake` have followed. */
  const uint8_t *awake;
  /* What counts when that changes, and what else lists of those that sleep follow from. */
  const uint64_t *awake_for;
  bool (*wake)(void *context, const pair_list *list);
  void *wake_context;
  const msd_tasks *tasks;
  int threads;
  msd_simd simd;
} self_contact_step;

typedef enum self_contact_result {
  SELF_CONTACT_DONE,
  SELF_CONTACT_NOT_FINITE,
  SELF_CONTACT_NO_MEMORY
} self_contact_result;

/* Makes room for a surface, whose mesh has been made. What is known of as many particles stays, but for the
   pairs, which are to be listed again. False, and empty but for the mesh and that, without memory. */
bool self_contact_reserve(self_contact *c, memory *m, const particle_store *p, int threads);
void self_contact_free(self_contact *c, memory *m);

/* Before a step: forgets the list, as something else has moved the particles; or goes on with it, and with
   what is near if nothing else has changed that. */
void self_contact_forget(self_contact *c);
void self_contact_go_on(self_contact *c, bool with_choice);

/* Where surfaces have come to behind a step. */
typedef struct self_contact_end {
  const msd_real *positions;
  size_t stride;
  /* By slot. */
  const int32_t *particle;
  const msd_tasks *tasks;
  int threads;
  msd_simd simd;
} self_contact_end;

/* Behind a step: notes what sticks; or that nothing does, where surfaces did not act in it. */
void self_contact_hold(self_contact *c, const self_contact_end *end);
void self_contact_let_go(self_contact *c);

/* Before a substep: what pairs are held by that are about to be chosen anew. */
const grips *self_contact_grips(const self_contact_step *s);

/* Behind a step that the next one may go on from. */
void self_contact_end_step(self_contact *c);

/* Behind a step that has ended in its first substep: brings the list and the choice that it went on with back
   to what they were, to be listed again, where they have not been given up; says whether. */
bool self_contact_take_back(self_contact *c);

/* Whether the next step may go on with the list: it holds, and has the pairs of all. */
static inline bool self_contact_may_go_on(const self_contact *c) {
  return c->look.list.holds && c->look.is_whole;
}

/* Before the first substep of a step: lists the pairs of the list again and chooses what is near, as it was,
   mends and all; where it is known from a snapshot, or others share the work than when it was made. False,
   and it is known as before, without memory. */
bool self_contact_relist(const self_contact_step *s);

self_contact_result self_contact_act(const self_contact_step *s);

/* Behind a substep that has led to that state, and behind the last one of a step: how all particles have become
   faster of late, which the forecasts to come should know. */
void self_contact_note_bend(const self_contact *c, surface_habit *habit, const msd_real *state,
                            double time_step);

/* Substeps in which nothing of surfaces acts need not be taken one by one, as long as all particles keep to
   their skins: each of them may be followed through several substeps before the next one is, and all are
   dropped where one has not kept to them. */

/* Before a substep, of which the state behind is not known yet: finds what may be near in it and the next ones,
   as the substep would. SELF_CONTACT_NO_MEMORY. */
self_contact_result self_contact_look(const self_contact_step *s);

/* How many of the next substeps, at most so many, those are: 0 where something is near, or what may be is not
   known, and where that has come to nothing not long ago. */
int self_contact_quiet(const self_contact *c, double time_step, int most);

/* Some particles behind a substep, counted from 0. */
typedef struct self_contact_place {
  const msd_real *behind;
  parallel_range particles;
  int substep;
  double time_step;
  msd_simd simd;
} self_contact_place;

/* Whether they have kept to their skins. Threads may ask for different particles at once. */
bool self_contact_keeps(const self_contact *c, const self_contact_place *place);

/* So many have been taken; or dropped. */
void self_contact_pass(self_contact *c, double time_step, int substeps);
void self_contact_drop(self_contact *c);

#endif
