/* Wear: what strain makes of springs and constraints at the end of a step: they tear and yield. msd/wear.h has
   the rules, docs/tearing.md why none of it asks for another certificate.

   Changes of a spring go here through its backings, whoever asks for them. */
#ifndef MSD_ENGINE_STEP_WEAR_H
#define MSD_ENGINE_STEP_WEAR_H

#include "engine/base/memory.h"

#include <stdatomic.h>

struct stepper;

/* How long springs were in the step at hand. */
typedef struct wear_work {
  /* m: of each spring that may tear the sum over `samples` moments; `room` springs. */
  double *length;
  int32_t room;
  int samples;
  /* Springs that may tear, and whether some springs and constraints may yield. */
  int32_t tearable;
  bool springs_yield, constraints_yield;
  /* Behind it: whether some have, as any thread says. */
  atomic_bool has_yielded;
} wear_work;

void wear_work_free(wear_work *w, memory *m);

/* Gives a spring another rest length in m, and those that back it theirs. */
void wear_set_rest(struct stepper *s, int32_t spring, msd_real rest);

/* Breaks a spring, unless it is broken, and those that back it; by its strain or otherwise. */
void wear_break(struct stepper *s, int32_t spring, bool is_torn);

/* Before each step. MSD_OUT_OF_MEMORY. */
msd_result wear_begin_step(struct stepper *s);

/* How many substeps behind the first `done` of a step the lengths are to be taken next; INT_MAX: not in this
   step. */
int wear_distance(const struct stepper *s, int done, int substeps);

/* Behind that substep, and whether it is one. */
bool wear_is_sampled(const struct stepper *s, int done, int substeps);
void wear_sample(struct stepper *s);

/* Behind each step that is complete; `certified` s is the longest substep that is known to be certified, or the
   one that was taken. MSD_OUT_OF_MEMORY where particles would split (step/split.h); then nothing wears. */
msd_result wear_end_step(struct stepper *s, double certified);

#endif
