/* The contact cache: what contact knows across substeps and steps, by particle and without pairs. It
   contains the motion bounds of the list (broad_phase.h) and of the active set (active_set.h), their
   updates, and the friction anchors (friction_cache.h).

   When a particle violates its skin, its predictor (X, V) and skin R are replaced (motion_bound.h) and the
   old ones are recorded here as an edit, in batches. From the present motion bounds and the edits, the
   original bounds and all later states follow. Search, classification and repair are deterministic, so the
   list and the active set can be rebuilt from them, pair by pair and in the same order. Snapshots therefore
   contain only these few numbers. Invented numbers do no harm: they give a list that is complete for them,
   and it is replaced as soon as a particle is outside its skin. */
#ifndef MSD_ENGINE_CONTACT_CONTACT_CACHE_H
#define MSD_ENGINE_CONTACT_CONTACT_CACHE_H

#include "engine/base/growth.h"
#include "engine/contact/friction_cache.h"
#include "engine/contact/motion_bound.h"
#include "engine/contact/separation.h"

/* A particle that got a new prediction: its X, V and R before that, or after it while the edit is undone. */
typedef struct contact_cache_edit {
  int32_t slot;
  msd_real state[MOTION_BOUND_COMPONENTS];
} contact_cache_edit;

/* Edits made together, by ascending slot, from index `first` on; and the ages of both motion bounds in s. */
typedef struct contact_cache_edit_batch {
  int32_t first;
  bool is_of_active;
  double list_age, active_age;
} contact_cache_edit_batch;

typedef struct contact_cache {
  /* The motion bounds of the list and of the active set. */
  motion_bound list, active_bound;
  /* m, by slot: R of the active set when it was chosen; MOTION_BOUND_UNWATCHED for particles that are not
     monitored. */
  msd_real *chosen_skins;
  void *chosen_block;
  /* Edits and batches since the list was built, except those of earlier active sets. */
  int32_t count, capacity, batch_count, batch_capacity;
  contact_cache_edit *edits;
  contact_cache_edit_batch *edit_batches;
  /* While batches are undone: the first of them. */
  int32_t undone;
  /* At the beginning of the step: the number of batches, and whether there was an active set. -1: the list
     or active set was replaced since. */
  int32_t batches_then;
  bool chosen_then;
  /* The number of edits of each motion bound. */
  int32_t of_list, of_active;
  /* After a step: the gap bounds of separation pairs, for separation_continue. */
  int32_t kept_count, kept_capacity;
  separation_distance *kept;
  /* Batches of the list before the active set was chosen, and the age of the list then in s. */
  int32_t batches_before;
  double chosen_at;
  /* After the last step, whether or not the next one continues with the list. */
  friction_cache friction_cache;
  /* `list` describes a list that was built; it was built with no particle asleep. */
  bool has_list, is_whole;
} contact_cache;

/* False without memory; then empty. */
bool contact_cache_reserve(contact_cache *l, memory *m, const particle_store *p);
void contact_cache_free(contact_cache *l, memory *m);

/* Memory use. */
size_t contact_cache_bytes(const contact_cache *l);

/* True if it was reserved for this number of particles and stride. */
bool contact_cache_is_of(const contact_cache *l, const particle_store *p);

/* Forgets everything, or only the active set. */
void contact_cache_forget(contact_cache *l);
void contact_cache_forget_choice(contact_cache *l);

/* Call when a step begins that continues with the cache; and when the list or active set is about to be
   replaced. */
void contact_cache_begin_step(contact_cache *l);
static inline void contact_cache_give_up(contact_cache *l) {
  l->batches_then = -1;
}

/* Restores the cache of the beginning of the step; false if something was replaced since. */
bool contact_cache_rollback(contact_cache *l);

/* Call after a list was built, and after the motion bound of an active set has begun: discards older edits. */
void contact_cache_begin_list(contact_cache *l, bool is_whole);
void contact_cache_begin_choice(contact_cache *l);

/* Call before marked particles get a new prediction: records them as a batch. False without memory. */
bool contact_cache_note(contact_cache *l, memory *m, bool of_active, const uint8_t *marked, uint8_t marks);

/* Undoes all batches, which gives the original motion bounds. */
void contact_cache_undo(contact_cache *l);

/* Redoes the first undone batch and marks its particles; or redoes all that are left. */
void contact_cache_redo(contact_cache *l, int32_t batch, uint8_t *marked, uint8_t mark);
void contact_cache_redo_rest(contact_cache *l);

/* The end of the edits of a batch. */
static inline int32_t contact_cache_end_of(const contact_cache *l, int32_t batch) {
  return batch + 1 < l->batch_count ? l->edit_batches[batch + 1].first : l->count;
}

/* Upper limits. Above `particles` edits, or a quarter as many batches, the list is rebuilt; one update adds
   at most one edit for each particle and motion bound. */
static inline int32_t contact_cache_most_edits(int32_t particles) {
  return particles < INT32_MAX / 3 ? 3 * particles : INT32_MAX;
}

static inline int32_t contact_cache_most_batches(int32_t particles) {
  return particles / 4 + 16;
}

/* Above this number of separation pairs the next step does not continue with the active set. */
static inline int32_t contact_cache_most_kept(int32_t particles) {
  return particles < INT32_MAX / 2 ? 2 * particles : INT32_MAX;
}

static inline bool contact_cache_is_full(const contact_cache *l) {
  return l->count > l->list.particles || l->batch_count > contact_cache_most_batches(l->list.particles) - 4;
}

/* Validates a cache read from a snapshot. */
bool contact_cache_is_sound(const contact_cache *l);

extern const growth_table contact_cache_edit_growth, contact_cache_batch_growth, contact_cache_kept_growth;

#endif
