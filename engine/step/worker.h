/* State of one thread in the substeps of a run, and its range of particles. */
#ifndef MSD_ENGINE_STEP_WORKER_H
#define MSD_ENGINE_STEP_WORKER_H

#include "engine/base/parallel.h"
#include "engine/step/integrator.h"

/* Copy of the energy limiter that each thread keeps. All copies are identical. */
typedef struct limiter_state {
  energy_limiter limiter;
  bool is_continued;
  /* The same for constraints; its sums are shared. */
  constraint_account constraints;
  bool constraints_continue;
  /* Number of passes. Passes alternate between two sets of tallies, because a slower thread may still read
     the other one. */
  int passes;
} limiter_state;

/* One thread in one substep. */
typedef struct worker {
  const substep_inputs *run;
  parallel_barrier *barrier;
  int thread, threads;
  parallel_range groups;
  /* Index of the state that is read, and the slabs of both. */
  int from;
  const msd_real *read;
  msd_real *write;
  /* Substeps and time in s since the start of the frame. */
  int taken;
  double elapsed;
  limiter_state *limiter;
} worker;

static inline size_t first_particle(const worker *w) {
  return (size_t)w->groups.first * NETWORK_GROUP;
}

static inline size_t last_particle(const worker *w) {
  return (size_t)w->groups.last * NETWORK_GROUP;
}

/* Next range of active groups of the thread; start with no_part. */
static inline bool next_part(const worker *w, parallel_range *groups) {
  return span_next(&w->run->awake, NETWORK_CHUNK_GROUPS, w->groups, groups);
}

static inline parallel_range no_part(const worker *w) {
  return (parallel_range){w->groups.first, w->groups.first};
}

#endif
