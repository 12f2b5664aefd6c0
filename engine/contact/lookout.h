/* What is known of which surfaces may meet, in numbers of particles: the forecasts that the list of pairs
   (pair_search.h) and the choice of what is near (near_choice.h) hold for, and what has been mended of them.
   And what of them sticks (grips.h).

   Who has left a skin is expected anew: a forecast has other X, V and R of it from then on (forecast.h). What
   it had before is noted here, round by round. So the forecasts as the list and the choice were made with,
   and all that has come since, follow from those of now; and with them list and choice do, pair by pair and
   in their order, since a search, a choice and a mend give the same for the same forecasts. Snapshots have
   these few numbers, and no pairs; and whoever makes up numbers gets a list that is complete for them, and
   leaves it as soon as a particle is not where they say. */
#ifndef MSD_ENGINE_CONTACT_LOOKOUT_H
#define MSD_ENGINE_CONTACT_LOOKOUT_H

#include "engine/base/growth.h"
#include "engine/contact/cells.h"
#include "engine/contact/forecast.h"
#include "engine/contact/grips.h"

/* One that was expected anew: X, V and R of it before that, or behind it while that is undone. */
typedef struct lookout_mend {
  int32_t slot;
  msd_real state[FORECAST_COMPONENTS];
} lookout_mend;

/* Those that were expected anew together, slots ascending, from the mend `first` on; and s, how old the
   forecasts of the list and of the watch were then. */
typedef struct lookout_round {
  int32_t first;
  bool is_of_watch;
  double list_age, watch_age;
} lookout_round;

typedef struct lookout {
  /* Of the list, and of what is near. */
  forecast list, watch;
  /* m, by slot: R of the watch when the choice was made, which leaves some unwatched. */
  msd_real *chosen_skins;
  void *chosen_block;
  /* Since the list was made, but none of a watch that is over. */
  int32_t count, capacity, round_count, round_capacity;
  lookout_mend *mends;
  lookout_round *rounds;
  /* While some rounds are undone, the first of them. */
  int32_t undone;
  /* When the step began: how many rounds there were, and whether there was a choice; -1: the list or a choice
     has been given up since. */
  int32_t rounds_then;
  bool chosen_then;
  /* How many mends are of each forecast. */
  int32_t of_list, of_watch;
  /* Behind a step, of each pair that is kept apart what cells.h goes on with. */
  int32_t kept_count, kept_capacity;
  cell_distance *kept;
  /* Rounds of the list before the choice, and s, how old the list was then. */
  int32_t rounds_before;
  double chosen_at;
  /* Behind the last step, whether the next one goes on with the list or not. */
  grips grips;
  /* Some list has been made that `list` still tells of; and it has the pairs of all, as none slept then. */
  bool has_list, is_whole;
} lookout;

/* For those particles. False, and empty, without memory. */
bool lookout_reserve(lookout *l, memory *m, const particle_store *p);
void lookout_free(lookout *l, memory *m);

/* Memory that it holds. */
size_t lookout_bytes(const lookout *l);

/* Whether it is of those particles. */
bool lookout_is_of(const lookout *l, const particle_store *p);

/* Nothing is known any more; or only of the list. */
void lookout_forget(lookout *l);
void lookout_forget_choice(lookout *l);

/* When a step begins that goes on with what is known; and when it is known of the list that it will not. */
void lookout_begin_step(lookout *l);
static inline void lookout_give_up(lookout *l) {
  l->rounds_then = -1;
}

/* Brings all that is known back to what it was when the step began, where nothing of that was given up; says
   whether. */
bool lookout_take_back(lookout *l);

/* When a list has been made, and when the forecast of a choice has been begun: mends of those before are
   over. */
void lookout_begin_list(lookout *l, bool is_whole);
void lookout_begin_choice(lookout *l);

/* Before they are expected anew: notes those that have one of the marks, by slot, as a round. False without
   memory. */
bool lookout_note(lookout *l, memory *m, bool of_watch, const uint8_t *marked, uint8_t marks);

/* Takes back all rounds, so that forecasts are those that list and choice were made with, at any age. */
void lookout_undo(lookout *l);

/* Does a round again that is the first of those undone, and marks its particles, by slot; or does all again
   that are left, without that. */
void lookout_redo(lookout *l, int32_t round, uint8_t *marked, uint8_t mark);
void lookout_redo_rest(lookout *l);

/* Behind the last mend of a round. */
static inline int32_t lookout_end_of(const lookout *l, int32_t round) {
  return round + 1 < l->round_count ? l->rounds[round + 1].first : l->count;
}

/* How many mends and rounds there are at most: with more than `particles`, or a quarter of that in rounds,
   another list is due, and one look at all of them adds no more than both forecasts have particles. */
static inline int32_t lookout_most_mends(int32_t particles) {
  return particles < INT32_MAX / 3 ? 3 * particles : INT32_MAX;
}

static inline int32_t lookout_most_rounds(int32_t particles) {
  return particles / 4 + 16;
}

/* How many pairs that are kept apart a choice may have for the next step to go on with it. */
static inline int32_t lookout_most_kept(int32_t particles) {
  return particles < INT32_MAX / 2 ? 2 * particles : INT32_MAX;
}

static inline bool lookout_is_full(const lookout *l) {
  return l->count > l->list.particles || l->round_count > lookout_most_rounds(l->list.particles) - 4;
}

/* Whether one that was read can be one of its particles. */
bool lookout_is_sound(const lookout *l);

extern const growth_table lookout_mend_growth, lookout_round_growth, lookout_kept_growth;

#endif
