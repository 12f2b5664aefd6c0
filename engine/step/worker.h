/* One thread in the substeps of a run, and what of the particles it goes through. */
#ifndef MSD_ENGINE_STEP_WORKER_H
#define MSD_ENGINE_STEP_WORKER_H

#include "engine/base/parallel.h"
#include "engine/step/integrator.h"

/* What a thread knows of the energy; all threads know the same. */
typedef struct guard_state {
  energy_guard guard;
  bool is_continued;
  /* So far: each writes to the other tallies than the one before, which some thread may still read. */
  int passes;
} guard_state;

/* One thread in one substep. */
typedef struct worker {
  const integrator_run *run;
  parallel_barrier *barrier;
  int thread, threads;
  parallel_range groups;
  /* Which of the two states is read, and the slabs of both. */
  int from;
  const msd_real *read;
  msd_real *write;
  /* Substeps and s since the beginning of the step. */
  int taken;
  double elapsed;
  guard_state *guard;
} worker;

static inline size_t first_particle(const worker *w) {
  return (size_t)w->groups.first * NETWORK_GROUP;
}

static inline size_t last_particle(const worker *w) {
  return (size_t)w->groups.last * NETWORK_GROUP;
}

/* The next of the thread's groups that are to be gone through, beginning with no_part. */
static inline bool next_part(const worker *w, parallel_range *groups) {
  return span_next(&w->run->awake, NETWORK_CHUNK_GROUPS, w->groups, groups);
}

static inline parallel_range no_part(const worker *w) {
  return (parallel_range){w->groups.first, w->groups.first};
}

#endif
