/* The step of a network of rotors: the integrators of integrator.h in one dimension.

   With I the inertias, w = 1/I and C = angle_a - angle_b - rest of each angular spring, the torque on a is
   -(k C + mu C'), the opposite on b. One thread goes through the springs in the order of their indices;
   rotors are few, and what turns does not touch what moves. */
#ifndef MSD_ENGINE_STEP_ROTOR_STEP_H
#define MSD_ENGINE_STEP_ROTOR_STEP_H

#include "engine/store/model.h"

typedef struct rotor_progress {
  /* Substeps done; fewer than asked for when the next one gave a number that is not finite. */
  int done;
  /* The first rotor whose state was not finite; -1: none. */
  int32_t failed;
} rotor_progress;

/* Advances all rotors by `substeps` of `time_step` seconds. They are left as after the last one done, and
   their torques stay for rotor_repeat. */
rotor_progress rotor_advance(world_model *model, double time_step, int substeps);

/* Takes the rotors back to where the last rotor_advance began, and through `substeps` of the same. */
void rotor_repeat(world_model *model, double time_step, int substeps);

/* Removes the torques of the last step. */
void rotor_clear_torques(world_model *model);

#endif
