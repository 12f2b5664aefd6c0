/* Rest lengths that go somewhere during a step, and those that are set: work from outside to the account of
   the energy. A rest length goes in equal parts, one in front of each substep, so that none of them begins
   with a jerk of a whole step. The certificate knows no rest lengths, so all that it promises holds on. */
#ifndef MSD_ENGINE_STEP_REST_MOTION_H
#define MSD_ENGINE_STEP_REST_MOTION_H

#include "msd/base.h"

struct stepper;

/* Gives a spring another rest length in m at once, which is the one that it was given. */
void rest_motion_set(struct stepper *s, int32_t spring, msd_real rest);

/* Before the first substep, and behind the last that was done of so many: there they stay. */
void rest_motion_begin(struct stepper *s);
void rest_motion_end(struct stepper *s, int done, int substeps);

/* How many substeps can be taken at once while they go; INT_MAX: nothing does. */
int rest_motion_distance(const struct stepper *s);

/* Puts them where they are in substep `number`, counted from 1. */
void rest_motion_go(struct stepper *s, int number, int substeps);

#endif
