/* Damage and plasticity: springs and constraints tear or yield during a frame, depending on their strain. The
   public header has the rules; docs/theory/damage.md explains why the stable limit remains valid.

   Changes of a spring are applied to its companion springs here, whatever their cause. */
#ifndef MSD_ENGINE_STEP_DAMAGE_H
#define MSD_ENGINE_STEP_DAMAGE_H

#include "engine/base/sort.h"
#include "engine/store/model.h"

#include <stdatomic.h>

struct stepper;

/* The unloading wave of a spring that tears: how long it takes to reach other springs.

   The wave passes a spring of stiffness k in sqrt(m/k), with m the mass that its ends have in common, and not
   faster than one spring in a substep. Pins stop it. */
typedef struct unloading {
  /* item[first[i]] to item[first[i + 1] - 1] are the springs at particle i. */
  int32_t *first, *item;
  /* By spring: the time in s that the wave takes to pass it; INFINITY: the wave does not pass it. */
  double *delay;
  /* By particle: the arrival in s after the last tear; INFINITY: never. */
  double *arrival;
  /* Particles that the wave has reached, and a circular queue of those from which it continues. */
  int32_t *reached, *queue;
  bool *is_queued;
  /* Ends of springs that have torn since unloading_forget_tears. */
  bool *has_torn;
  int32_t reached_count;
  /* True if springs and delays are those of the current frame; and the capacities. */
  bool is_open;
  int32_t particles, springs;
} unloading;

/* The current frame. */
typedef struct damage_work {
  /* The springs that may tear. By number in that list: the spring, the slots of its ends, the length at which
     it tears in m, twice its square, the square of the length at half of that strain, and the squares of the
     lengths after the last two substeps, of which square[now] is the later one. */
  int32_t tearable;
  int32_t *spring;
  int32_t (*ends)[2];
  double *limit;
  msd_real *most, *half;
  msd_real *square[2];
  bool now;
  /* By the same number. wait: the time in s before the spring may tear, because a connected one has torn. peak:
     the largest overload in this frame of a spring that splits particles; 0: none. */
  double *wait, *peak;
  bool some_wait;
  /* Springs that are due, and a buffer to sort them. */
  sort_item *due[2];
  int32_t capacity;
  /* By spring: its number in the list; -1: it is not listed. */
  int32_t *entry;
  int32_t entry_capacity;
  /* Open from the first tear in a frame to its end. */
  unloading unloading;
  /* The substep in s, and the number of substeps of the frame. */
  double dt;
  int substeps;
  /* Number of completed substeps when lengths were last measured, and when springs and constraints last
     yielded; and the time in s since they had yielded before. */
  int measured_after, yielded_after;
  double flow_time;
  /* Whether some springs and constraints may yield. */
  bool springs_yield, constraints_yield;
  bool has_torn;
  /* Set by any thread: some spring may be due; some is beyond half of its strain; something has yielded in this
     frame. */
  atomic_bool some_due, some_loaded, has_yielded;
} damage_work;

void damage_work_free(damage_work *w, memory *m);

/* Sets the rest length of a spring in m, and those of its companion springs. */
void damage_set_rest(struct stepper *s, int32_t spring, msd_real rest);

/* Breaks a spring and its companion springs, unless they are broken. `is_torn`: because of its strain. */
void damage_break(struct stepper *s, int32_t spring, bool is_torn);

/* Before each frame: lists the springs that may tear. Returns MSD_OUT_OF_MEMORY if memory runs out. */
msd_result damage_begin_step(struct stepper *s);

/* Before the first substep, once coefficients are those of the substep `dt` in s. */
void damage_start(struct stepper *s, double dt, int substeps);

/* Number of substeps from the `done` completed ones until damage_after_substep must be called; INT_MAX: not
   in this frame. */
int substeps_until_damage(const struct stepper *s, int done);

/* After a substep, the `done`th of the frame: springs tear and yield. */
void damage_after_substep(struct stepper *s, int done);

/* After each frame: splits particles (step/fracture.h). `stable_substep`: the larger of the substep used and
   the longest one known to be proven stable, in s; 0: the frame is not complete, and no particle splits.
   Returns MSD_OUT_OF_MEMORY if memory runs out; then no particle splits in this frame. */
msd_result damage_end_step(struct stepper *s, double stable_substep);

#endif
