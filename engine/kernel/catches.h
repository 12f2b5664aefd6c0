/* Catches: tethers and struts that act behind a substep instead of in it. docs/catches.md has the proofs.

   Whatever a substep of dt seconds does, it leaves predicted positions y = x + dt v*. A catch between i and j
   with d = x_i - x_j, the rest length l and the share c then gives the impulse J/dt along n:

       tether    n = d(y)/|d(y)|      J = c m_e max(0, |d(y)| - l)
       strut     n = d(x)/|d(x)|      J = c m_e max(0, l - n . d(y))
       m_e = 1/(w_i n_i + w_j n_j),   w the inverse masses, n the catches at each end
       x+ = y -+ w J n,               v+ = v* + (x+ - y)/dt

   All are found from the same y, so their order does not matter but for rounding. With it they take two phases:

       1. every group of 16 particles   each particle sums what its catches give it, from y -> moved
       2. every group                   y becomes x+ where something is not 0

   Layout. A particle that is no pin has its catches in the order of their indices, tethers before struts. Row
   r of a group holds the r-th of each of its particles, as indexed rows of a network do (network/network.h);
   lanes without one rest where they can never act. A catch between two particles is evaluated at both, with
   exactly opposite bits. Most tethers of a cloth go to the same pin as those beside them; such a row has that
   in `common`, and gathers nothing. */
#ifndef MSD_ENGINE_KERNEL_CATCHES_H
#define MSD_ENGINE_KERNEL_CATCHES_H

#include "engine/base/spans.h"
#include "engine/store/revision.h"
#include "engine/store/spring.h"

#include <math.h>

enum { CATCH_LANES = 16, CATCH_CHUNK = 16 };

typedef struct catch_list {
  /* Those that can act, ascending, and their lanes at a and at b: -1 at a pin. */
  int32_t count;
  int32_t *springs;
  int32_t *lanes;

  /* The groups that have some, ascending. */
  int32_t group_count;
  int32_t *groups;
  /* 2 group_count + 1: the rows of tethers of groups[k] begin at rows[2 k], and end where its struts begin. */
  int32_t *rows;
  /* Of each row: the slot of the other ends, if they are one; else -1. */
  int32_t *common;
  /* Of each lane: the slot of the other end, m, and c m_e in kg. */
  int32_t *partner;
  msd_real *rest, *mass;
  /* kg m: J in the last substep. */
  msd_real *given;
  /* m: three rows for each group, and whether some of it is not 0. */
  msd_real *moved;
  uint8_t *moves;

  revision made_for;
} catch_list;

/* Lays out all catches of a store. False, with the list empty, when there is no memory or they would need more
   than 2^31-1 lanes. */
bool catch_list_make(catch_list *c, memory *m, const spring_store *s, const particle_store *p);
void catch_list_free(catch_list *c, memory *m);

/* A rest length that no length passes: that of a broken catch. */
static inline msd_real catch_never(msd_spring_side side) {
  return side == MSD_SPRING_STRUT ? -(msd_real)INFINITY : (msd_real)INFINITY;
}

/* Changes one rest length in place; of a spring that is not in the list it does nothing. */
void catch_list_set_rest(catch_list *c, int32_t spring, msd_real rest);

/* Of a spring: c m_e in kg, and J in the last substep in kg m. 0 of one that is not in the list. */
typedef struct catch_numbers {
  msd_real mass, given;
} catch_numbers;

catch_numbers catch_list_numbers(const catch_list *c, int32_t spring);

/* Two states: x, before the substep, and y behind it, six components with one stride; and 1/kg in each slot. */
typedef struct catch_state {
  const msd_real *before;
  msd_real *behind;
  size_t stride;
  const msd_real *inverse_mass;
  /* s: dt. */
  msd_real time_step;
} catch_state;

/* The two phases for groups[first..last-1]. The second returns whether all that it moved is finite. */
typedef struct catch_kernel {
  void (*give)(const catch_list *c, const catch_state *state, int32_t first, int32_t last);
  bool (*move)(const catch_list *c, const catch_state *state, int32_t first, int32_t last);
} catch_kernel;

/* What one thread does in a substep. */
typedef struct catch_thread {
  const catch_list *list;
  catch_kernel kernel;
  catch_state state;
  /* The state behind the substep, too; NULL: there are none. */
  msd_real *records;
  /* The groups of the network that this thread moves: whole chunks, where the energy is watched. */
  parallel_range groups;
  /* Of these the chunks of CATCH_CHUNK groups that are to be gone through. */
  span_list chunks;
  parallel_barrier *barrier;
  int threads;
} catch_thread;

/* All threads of a run call it together when they are done with the substep. Returns whether all that this
   thread moved is finite. */
bool catch_list_act(const catch_thread *t);

/* What groups[first..last-1] are within some groups of the network. */
parallel_range catch_list_within(const catch_list *c, parallel_range groups);

#endif
