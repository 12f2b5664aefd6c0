/* Which of the listed pairs are near: those that may push or have to be kept apart in the next few substeps.

   All pairs are decided on when a forecast is made for that, a watch; only those of some particles when these
   have strayed from it, or when their pairs are listed anew. What has once been near stays so until the next
   watch. Particles that no pair has which may be near need not be watched. */
#ifndef MSD_ENGINE_CONTACT_NEAR_CHOICE_H
#define MSD_ENGINE_CONTACT_NEAR_CHOICE_H

#include "engine/contact/cells.h"
#include "engine/contact/forecast.h"
#include "engine/contact/near_pairs.h"
#include "engine/contact/tangles.h"

/* What a thread has chosen of its share of the list. */
typedef struct near_tally {
  int32_t chosen, pushing, kept;
  bool has_changed;
} near_tally;

typedef struct near_choice {
  /* Of the list: PAIR_ flags, and the witnesses of what has some. */
  int32_t count, capacity;
  uint8_t *fate;
  near_witness *witness;
  /* Which of the list are near, each thread's from the beginning of its share on. */
  int32_t *chosen;
  /* Some are listed no more that may still have flags. */
  bool has_dropped;
  /* By slot: the watch as records; whether a pair that may be near has the particle. */
  msd_real *records;
  uint8_t *is_watched;
  near_tally *tallies;
  int threads;
} near_choice;

/* What is chosen from, and where it goes. */
typedef struct near_choosing {
  near_choice *choice;
  const pair_list *list;
  const forecast *expected;
  forecast *watch;
  const surface_mesh *mesh;
  const tangles *tangles;
  near_pairs *near;
  cells *cells;
  memory *memory;
  const msd_real *inverse_mass;
  /* Of surfaces that have none of their own. */
  msd_real friction;
  const msd_tasks *tasks;
  int threads;
  msd_simd simd;
} near_choosing;

/* False, and empty, without memory. */
bool near_choice_reserve(near_choice *c, memory *m, int32_t particles, int threads);
void near_choice_free(near_choice *c, memory *m);

/* Decides on all, for a watch that begins. False without memory. */
bool near_choice_make(const near_choosing *s);

/* Marks particles that are in pairs listed since and have not been watched. False without memory. */
bool near_choice_extend(const near_choosing *s, uint8_t *marked, uint8_t mark);

/* Decides again on pairs with particles that are marked at all, by slot; says whether another is near. False
   without memory. */
bool near_choice_mend(const near_choosing *s, const uint8_t *marked, bool *has_changed);

#endif
