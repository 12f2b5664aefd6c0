/* Substeps of a network of rotors: the integrators of integrator.h in one dimension.

   Each torsion spring has C = angle_a - angle_b - rest. The torque on a is -(k C + mu C'), and the torque on
   b is its opposite. One thread processes the springs in the order of their indices. Rotors are few, and they
   do not interact with particles, so each batch of substeps advances all rotors before the particles
   (world_step.c). */
#ifndef MSD_ENGINE_STEP_ROTOR_STEP_H
#define MSD_ENGINE_STEP_ROTOR_STEP_H

#include "engine/store/model.h"

typedef struct rotor_progress {
  /* Completed substeps; fewer than requested if the next one produced a non-finite value. */
  int done;
  /* First rotor with a non-finite state; -1: none. */
  int32_t failed;
} rotor_progress;

/* Advances all rotors by `substeps` substeps of `dt` seconds. They keep the state after the last
   completed one. Torques are kept for rotor_repeat. */
rotor_progress rotor_advance(world_model *model, double dt, int substeps);

/* Undoes the last rotor_advance and redoes only its first `substeps` substeps. */
void rotor_repeat(world_model *model, double dt, int substeps);

/* Clears the torques of the last frame. */
void rotor_clear_torques(world_model *model);

#endif
