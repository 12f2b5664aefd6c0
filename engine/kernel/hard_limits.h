/* Hard length limits: tension-only and compression-only springs that are projected after the substep.
   docs/theory has the proofs.

   A substep of dt seconds predicts positions y = x + dt v*. Consider a limit between i and j, with d = x_i -
   x_j, the rest length l and the projection fraction c. It applies the impulse J/dt along n:

       tension-only        n = d(y)/|d(y)|      J = c m_e max(0, |d(y)| - l)
       compression-only    n = d(x)/|d(x)|      J = c m_e max(0, l - n . d(y))
       m_e = 1/(w_i n_i + w_j n_j),   w the inverse masses, n the number of limits at each end
       x+ = y -+ w J n,               v+ = v* + (x+ - y)/dt

   All limits read the same y, so their order matters only for rounding. To fix the order there are two
   phases:

       1. every group of 16 particles   each particle sums the impulses of its limits, y -> moved
       2. every group                   y becomes x+ where the sum is not 0

   Layout. An unpinned particle has its limits in the order of their indices, tension-only before
   compression-only. Row r of a group stores the r-th limit of each of its particles, as indexed rows of a
   network do (network/network.h). Unused lanes have a rest length at which they never act. A limit between
   two particles is evaluated at both, with exactly opposite results. Most limits of a cloth share a pin with
   their neighbors; such a row stores the pin in `common` and gathers nothing. */
#ifndef MSD_ENGINE_KERNEL_HARD_LIMITS_H
#define MSD_ENGINE_KERNEL_HARD_LIMITS_H

#include "engine/base/intervals.h"
#include "engine/store/revision.h"
#include "engine/store/spring.h"

#include <math.h>

enum { HARD_LIMIT_LANES = 16, HARD_LIMIT_CHUNK = 16 };

typedef struct hard_limit_list {
  /* The limits that can act, ascending, and their lanes at a and at b; -1 at a pin. */
  int32_t count;
  int32_t *springs;
  int32_t *lanes;

  /* The groups that have limits, ascending. */
  int32_t group_count;
  int32_t *groups;
  /* 2 group_count + 1 entries: the tension-only rows of groups[k] begin at rows[2 k], its compression-only
     rows at rows[2 k + 1]. */
  int32_t *rows;
  /* Per row: the slot of the other ends if it is the same for all; else -1. */
  int32_t *common;
  /* Per lane: the slot of the other end, the rest length in m, and c m_e in kg. */
  int32_t *partner;
  msd_real *rest, *mass;
  /* kg m: J in the last substep, per lane. */
  msd_real *given;
  /* m: the displacements, three rows per group, and whether any of them is not 0. */
  msd_real *moved;
  uint8_t *moves;

  revision made_for;
} hard_limit_list;

/* Lays out all hard length limits of a store. Returns false, and leaves the list empty, if memory runs out or
   more than 2^31-1 lanes are needed. */
bool hard_limit_list_make(hard_limit_list *c, memory *m, const spring_store *s, const particle_store *p);
void hard_limit_list_free(hard_limit_list *c, memory *m);

/* A rest length that is never violated, used for a broken limit. */
static inline msd_real hard_limit_never(msd_spring_mode side) {
  return side == MSD_SPRING_COMPRESSION_ONLY ? -(msd_real)INFINITY : (msd_real)INFINITY;
}

/* Changes one rest length in place. Does nothing if the spring is not in the list. */
void hard_limit_list_set_rest(hard_limit_list *c, int32_t spring, msd_real rest);

/* c m_e in kg, and J in the last substep in kg m; 0 if the spring is not in the list. */
typedef struct hard_limit_numbers {
  msd_real mass, given;
} hard_limit_numbers;

hard_limit_numbers hard_limit_list_numbers(const hard_limit_list *c, int32_t spring);

/* Two states with six components each and one stride: x before the substep and y after it. And 1/kg per
   slot. */
typedef struct hard_limit_state {
  const msd_real *before;
  msd_real *behind;
  size_t stride;
  const msd_real *inverse_mass;
  /* s: dt. */
  msd_real dt;
} hard_limit_state;

/* The two phases for groups[first..last-1]. `move` returns whether all results are finite. */
typedef struct hard_limit_kernel {
  void (*give)(const hard_limit_list *c, const hard_limit_state *state, int32_t first, int32_t last);
  bool (*move)(const hard_limit_list *c, const hard_limit_state *state, int32_t first, int32_t last);
} hard_limit_kernel;

/* The arguments of one thread in a substep. */
typedef struct hard_limit_thread {
  const hard_limit_list *list;
  hard_limit_kernel kernel;
  hard_limit_state state;
  /* The state after the substep as records, too; NULL: none. */
  msd_real *records;
  /* The groups of the network that this thread moves. They are whole chunks if energy is measured. */
  parallel_range groups;
  /* The chunks of HARD_LIMIT_CHUNK groups within these that are processed. */
  span_list chunks;
  parallel_barrier *barrier;
  int threads;
} hard_limit_thread;

/* All threads call it together after the substep. Returns whether everything that this thread moved is
   finite. */
bool hard_limit_list_act(const hard_limit_thread *t);

/* The index range of groups[] that lies within some groups of the network. */
parallel_range hard_limit_list_within(const hard_limit_list *c, parallel_range groups);

#endif
