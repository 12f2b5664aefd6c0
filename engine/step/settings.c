#include "engine/step/settings.h"

#include "engine/step/integrator.h"

#include <stdio.h>

/* ------------------------------------------------------------------------------- settings among themselves */

static bool needs_integrator(const settings_choice *c, const char *setting, const char *value,
                             char text[REPORT_MESSAGE_MAX]) {
  if (c->integrator == MSD_SYMPLECTIC_EULER)
    return false;
  snprintf(text, REPORT_MESSAGE_MAX, "%s \"%s\" needs integrator \"%s\", not \"%s\"", setting, value,
           msd_integrator_name(MSD_SYMPLECTIC_EULER), msd_integrator_name(c->integrator));
  return true;
}

static bool excludes(const settings_choice *c, const char *setting, const char *value,
                     char text[REPORT_MESSAGE_MAX]) {
  snprintf(text, REPORT_MESSAGE_MAX, "solver \"%s\" cannot be combined with %s \"%s\"; remove one of them",
           msd_solver_name(c->solver), setting, value);
  return true;
}

bool settings_conflict(const settings_choice *c, char text[REPORT_MESSAGE_MAX]) {
  const char *energy = msd_energy_mode_name(c->energy), *scaling = msd_mass_scaling_name(c->mass_scaling);
  const bool has_energy = c->energy != MSD_ENERGY_OFF, scales = c->mass_scaling != MSD_MASS_SCALING_NONE;
  const bool projects = c->solver != MSD_SOLVER_EXPLICIT;
  return (has_energy && needs_integrator(c, "energy_mode", energy, text)) ||
         (scales && needs_integrator(c, "mass_scaling", scaling, text)) ||
         (projects && needs_integrator(c, "solver", msd_solver_name(c->solver), text)) ||
         (projects && has_energy && excludes(c, "energy_mode", energy, text)) ||
         (projects && scales && excludes(c, "mass_scaling", scaling, text));
}

/* -------------------------------------------------------------------------------- settings and the world */

/* Refuses objects that act on predicted positions x + dt v' with an integrator that does not predict them. */
static msd_result check_integrator(stepper *s) {
  world_model *model = s->model;
  const char *what = model_live_count(model, MSD_OBJECT_COLLIDER) > 0         ? "colliders need"
                     : model_live_count(model, MSD_OBJECT_COLLISION_MESH) > 0 ? "collision meshes need"
                     : model->springs.hard_limits > 0                         ? "hard length limits need"
                                                                              : NULL;
  if (!what || integrator_predicts(model->integrator))
    return MSD_OK;
  return report_fail(&model->report, MSD_BAD_VALUE, "%s integrator \"%s\" or \"%s\", not \"%s\"", what,
                     msd_integrator_name(MSD_SYMPLECTIC_EULER), msd_integrator_name(MSD_SEQUENTIAL_IMPULSE),
                     msd_integrator_name(model->integrator));
}

static msd_result check_scaling(stepper *s) {
  world_model *model = s->model;
  if (!stepper_scales_masses(s) || surface_store_touching(&model->surfaces) == 0)
    return MSD_OK;
  return report_fail(
      &model->report, MSD_BAD_VALUE,
      "mass_scaling \"%s\" does not support self-collision; use \"%s\", or turn self_collision off",
      msd_mass_scaling_name(model->mass_scaling), msd_mass_scaling_name(MSD_MASS_SCALING_NONE));
}

static bool has_fibers(const constraint_store *s) {
  for (int32_t c = 0; c < s->count; c++)
    if (constraint_is_fiber(s, c) && !constraint_is_broken(s, c))
      return true;
  return false;
}

static msd_result check_solver(stepper *s) {
  world_model *model = s->model;
  const char *what = !stepper_projects(s)              ? NULL
                     : model->soft_pins.count > 0      ? "soft pins"
                     : has_fibers(&model->constraints) ? "fibers, which a material with \"elements\" makes"
                                                       : NULL;
  if (!what)
    return MSD_OK;
  return report_fail(&model->report, MSD_BAD_VALUE, "solver \"%s\" does not support %s; use solver \"%s\"",
                     msd_solver_name(model->solver), what, msd_solver_name(MSD_SOLVER_EXPLICIT));
}

static msd_result sleep_needs(stepper *s, const char *setting, const char *right, const char *wrong) {
  return report_fail(&s->model->report, MSD_BAD_VALUE, "sleep needs %s \"%s\", not \"%s\"", setting, right,
                     wrong);
}

static msd_result check_sleep(stepper *s) {
  const world_model *model = s->model;
  if (!sleep_is_on(&model->sleep))
    return MSD_OK;
  if (model->integrator != MSD_SYMPLECTIC_EULER)
    return sleep_needs(s, "integrator", msd_integrator_name(MSD_SYMPLECTIC_EULER),
                       msd_integrator_name(model->integrator));
  if (model->energy != MSD_ENERGY_OFF)
    return sleep_needs(s, "energy_mode", msd_energy_mode_name(MSD_ENERGY_OFF),
                       msd_energy_mode_name(model->energy));
  if (stepper_scales_masses(s))
    return sleep_needs(s, "mass_scaling", msd_mass_scaling_name(MSD_MASS_SCALING_NONE),
                       msd_mass_scaling_name(model->mass_scaling));
  if (stepper_projects(s))
    return sleep_needs(s, "solver", msd_solver_name(MSD_SOLVER_EXPLICIT), msd_solver_name(model->solver));
  return MSD_OK;
}

msd_result stepper_check_settings(stepper *s) {
  msd_result result = check_solver(s);
  if (result == MSD_OK)
    result = check_scaling(s);
  if (result == MSD_OK)
    result = check_integrator(s);
  if (result == MSD_OK)
    result = check_sleep(s);
  return result;
}
