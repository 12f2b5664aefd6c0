/* Settings that exclude each other, and settings that exclude objects of the world. Both are checked before a
   frame starts. A new rule for pairs of settings goes into settings_conflict, and into are_settings_sound of
   world/snapshot_header.c. */
#ifndef MSD_ENGINE_STEP_SETTINGS_H
#define MSD_ENGINE_STEP_SETTINGS_H

#include "engine/base/error.h"
#include "engine/step/stepper.h"

typedef struct settings_choice {
  msd_integrator integrator;
  msd_energy_mode energy;
  msd_mass_scaling mass_scaling;
  msd_solver solver;
} settings_choice;

/* Whether two of the settings exclude each other. `text` then names both, and the value that would be right. */
bool settings_conflict(const settings_choice *c, char text[REPORT_MESSAGE_MAX]);

/* MSD_BAD_VALUE where the settings do not support something that the world has: colliders, collision meshes,
   hard limits, soft pins, fibers or sleep. Costs one pass through the springs or constraints at most. */
msd_result stepper_check_settings(stepper *s);

#endif
