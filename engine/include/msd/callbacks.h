/* msd: functions of the program that a step calls. */
#ifndef MSD_CALLBACKS_H
#define MSD_CALLBACKS_H

#include "msd/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Whether a step is to end before its time. */
typedef bool (*msd_stop_function)(void *context);

/* Where a step is. */
typedef struct msd_moment {
  /* s: the time simulated. msd_world_get_time is that at the beginning of the step until the last substep is
     done. */
  double time;
  /* Substeps that have been taken, and those of the whole step. */
  int done, substeps;
  /* In after_step what the step is going to return; else MSD_OK. */
  msd_result result;
} msd_moment;

typedef void (*msd_moment_function)(const msd_world *world, const msd_moment *moment, void *context);

typedef void (*msd_torn_function)(const msd_world *world, int32_t spring, void *context);

/* Two that touch: a particle and a collider, or two surfaces; the other two are -1. */
typedef struct msd_touch {
  int32_t particle, collider;
  /* a <= b; a surface that touches itself is both. */
  int32_t surface_a, surface_b;
} msd_touch;

typedef void (*msd_touch_function)(const msd_world *world, const msd_touch *touch, void *context);

/* What a step calls, each NULL (default) or a function. None changes a bit of what the step gives. They are
   called by the thread that steps, one after the other, with the default floating-point environment, and must
   return: not by longjmp, nor by an exception.

   In all of them the world can be read, and nothing else: every function that would change it, step it or
   take a snapshot, state or copy of it answers MSD_BUSY and does nothing, and so does msd_destroy_world.
   Other worlds may be used at will. To act on what a function is told, keep it until the step has returned;
   to act in the course of a frame, take the frame in several steps. */
typedef struct msd_callbacks {
  /* Is asked when a step begins, and then before each substep where before_substep or after_substep is set,
     else after a tenth of a second or 32 substeps, whichever is longer. When it answers true the step ends
     with MSD_STOPPED after the substep at hand, as it does for one that diverges: the time is that of the
     substeps done, forces are cleared, and pins and points of anchors stand where they have come to. */
  msd_stop_function stop;

  /* When nothing refuses the step any more and nothing has moved; and at the very end of such a step, also
     of one that has failed or was stopped. */
  msd_moment_function before_step, after_step;

  /* Before and after every substep; after it not where it would have left a non-finite state. Substeps are then
     taken one by one, and not several in one pass through memory. */
  msd_moment_function before_substep, after_substep;

  /* Of each spring that strain has broken in the step (wear.h), at its end, in the order of the springs. */
  msd_torn_function spring_torn;

  /* What touches in the last substep of a step and has not in that of the step before, and the other way
     round, as msd_world_get_contacts and msd_world_get_surface_contacts tell it: at the end of a step that
     is complete or was stopped, first all that has ended, then all that has begun; in both first particles
     that a collider pushes, in their order, then surfaces, in the order of a and then b. What these
     functions have been told goes on over additions and restored snapshots: the next step tells what is
     different. It begins anew, with nothing that touches, when functions are set. Where there is no memory
     for what touches, the step returns MSD_OUT_OF_MEMORY at its end, nothing is told, and the next one tells
     all. */
  msd_touch_function contact_begin, contact_end;

  /* Is handed to all of them. */
  void *context;
} msd_callbacks;

/* Sets all of them; NULL: none. Copies of the world have none; they are neither saved nor restored.
   MSD_BUSY. */
MSD_API msd_result msd_world_set_callbacks(msd_world *world, const msd_callbacks *callbacks);

MSD_API msd_callbacks msd_world_get_callbacks(const msd_world *world);

#ifdef __cplusplus
}
#endif

#endif
