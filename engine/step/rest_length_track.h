/* Rest lengths of springs: linear interpolation to a target over a frame, and immediate changes. The energy
   change counts as external work. A rest length changes linearly, one increment before each substep, which
   avoids a jump once per frame. The stable limit does not depend on rest lengths, so it remains valid. */
#ifndef MSD_ENGINE_STEP_REST_LENGTH_TRACK_H
#define MSD_ENGINE_STEP_REST_LENGTH_TRACK_H

#include "msd/base.h"

struct stepper;

/* Sets the rest length of a spring in m at once. Damage is measured from it. */
void rest_length_track_set(struct stepper *s, int32_t spring, msd_real rest);

/* Before the first substep of a frame, and after the last one. `done` of `substeps` substeps were completed;
   rest lengths keep the value reached. */
void rest_length_track_begin(struct stepper *s);
void rest_length_track_end(struct stepper *s, int done, int substeps);

/* Number of substeps that can be advanced at once: 1 while a rest length changes, else INT_MAX. */
int substeps_until_rest_lengths(const struct stepper *s);

/* Sets the rest lengths of substep `number`, counted from 1. */
void rest_length_track_go(struct stepper *s, int number, int substeps);

#endif
