#include "scenes/loader/scene_settings.h"

#include <string.h>

/* ----------------------------------------------------------------------------------------------- the world */

static bool read_integrator(const json_place *root, msd_integrator *integrator) {
  const char *names[MSD_INTEGRATOR_COUNT + 1] = {NULL};
  for (int i = 0; i < MSD_INTEGRATOR_COUNT; i++)
    names[i] = msd_integrator_name((msd_integrator)i);
  int choice = (int)*integrator;
  if (!read_choice(root, "integrator", names, &choice))
    return false;
  *integrator = (msd_integrator)choice;
  return true;
}

static bool read_energy(const json_place *root, msd_energy_mode *energy) {
  const char *names[MSD_ENERGY_MODE_COUNT + 1] = {NULL};
  for (int i = 0; i < MSD_ENERGY_MODE_COUNT; i++)
    names[i] = msd_energy_mode_name((msd_energy_mode)i);
  int choice = (int)*energy;
  if (!read_choice(root, "energy_mode", names, &choice))
    return false;
  *energy = (msd_energy_mode)choice;
  return true;
}

static bool read_mass_scaling(const json_place *root, msd_mass_scaling *scaling) {
  const char *names[MSD_MASS_SCALING_COUNT + 1] = {NULL};
  for (int i = 0; i < MSD_MASS_SCALING_COUNT; i++)
    names[i] = msd_mass_scaling_name((msd_mass_scaling)i);
  int choice = (int)*scaling;
  if (!read_choice(root, "mass_scaling", names, &choice))
    return false;
  *scaling = (msd_mass_scaling)choice;
  return true;
}

/* The world itself refuses settings that exclude each other. */
static bool read_solver(const json_place *root, msd_solver *solver) {
  const char *names[MSD_SOLVER_COUNT + 1] = {NULL};
  for (int i = 0; i < MSD_SOLVER_COUNT; i++)
    names[i] = msd_solver_name((msd_solver)i);
  int choice = (int)*solver;
  if (!read_choice(root, "solver", names, &choice))
    return false;
  *solver = (msd_solver)choice;
  return true;
}

static bool read_iterations(const json_place *root, int *iterations) {
  static const quantity number = {"a whole number from 1 to 1000", 1, 1000};
  double count = *iterations;
  if (!read_whole(root, "impulse_iterations", &number, &count))
    return false;
  *iterations = (int)count;
  return true;
}

static bool read_world(const json_place *root, msd_world_def *def) {
  static const quantity drag = {"a rate of 0 or more in 1/s", 0, NUMBER_LARGEST};
  return read_vector(root, "gravity", &def->gravity) &&
         read_real(root, "linear_damping", &drag, &def->linear_damping) &&
         read_integrator(root, &def->integrator) &&
         read_flag(root, "clamp_stiffness", &def->clamp_stiffness) &&
         read_iterations(root, &def->impulse_iterations) &&
         read_flag(root, "impulse_warm_start", &def->impulse_warm_start) &&
         read_energy(root, &def->energy_mode) && read_mass_scaling(root, &def->mass_scaling) &&
         read_solver(root, &def->solver);
}

/* --------------------------------------------------------------------------------------------- the times */

static const double default_frame_time = 1.0 / 60; /* s */
static const double default_duration = 5;          /* s */

static bool read_substeps(const json_place *root, scene *s) {
  static const quantity number = {"\"auto\" or a whole number from 1 to 1000000", 1, 1e6};
  json_place place = place_member(root, "substeps");
  double count = 0;
  s->is_auto =
      !place.value || (json_is_string(place.value) && strcmp(json_string_value(place.value), "auto") == 0);
  if (s->is_auto)
    return true;
  if (!place_get_whole(&place, &number, &count))
    return false;
  s->substeps = (int)count;
  return true;
}

static bool read_times(const json_place *root, scene *s) {
  static const quantity seconds = {"a time above 0 in s", NUMBER_SMALLEST, NUMBER_LARGEST};
  s->frame_time = default_frame_time;
  s->duration = default_duration;
  if (!(read_double(root, "frame_time", &seconds, &s->frame_time) &&
        read_double(root, "duration", &seconds, &s->duration) && read_substeps(root, s)))
    return false;
  double frames = s->duration / s->frame_time;
  json_place duration = place_member(root, "duration");
  return frames <= INT32_MAX ||
         place_fail(&duration,
                    "is %.9g s, which is more than the %d frames that a scene can have; take a shorter "
                    "duration, or a longer frame_time than %.9g s",
                    s->duration, INT32_MAX, s->frame_time);
}

static bool read_start(const json_place *root, scene *s) {
  static const char *const names[] = {"as_placed", "equilibrium", NULL};
  int choice = 0;
  if (!read_choice(root, "start", names, &choice))
    return false;
  s->starts_at_rest = choice == 1;
  return true;
}

/* --------------------------------------------------------------------------------------------- the whole */

static bool copy_text(const json_place *root, const char *key, char **copy) {
  const char *text = "";
  if (!read_text(root, key, &text))
    return false;
  *copy = strdup(text);
  return *copy || place_out_of_memory(root);
}

static bool check_version(const json_place *root) {
  static const quantity version = {"1, the version of the format", 1, 1};
  json_place place = place_member(root, "msd");
  double number = 0;
  if (place.value == NULL)
    return place_fail(root, "add \"msd\": 1, the version of the format");
  return place_get_number(&place, &version, &number);
}

bool scene_origin_read(const json_place *root, scene *s) {
  const json_place origin = place_member(root, "origin");
  return !json_is_object(root->value) || !origin.value || place_get_point(&origin, s->origin);
}

bool scene_settings_read(const json_place *root, scene *s, msd_world_def *def) {
  static const char *const keys[] = {"msd",
                                     "title",
                                     "description",
                                     "origin",
                                     "gravity",
                                     "linear_damping",
                                     "integrator",
                                     "impulse_iterations",
                                     "impulse_warm_start",
                                     "frame_time",
                                     "substeps",
                                     "clamp_stiffness",
                                     "energy_mode",
                                     "mass_scaling",
                                     "solver",
                                     "duration",
                                     "bodies",
                                     "connections",
                                     "seams",
                                     "animation",
                                     "colliders",
                                     "contact",
                                     "sleep",
                                     "wind",
                                     "start",
                                     "$schema",
                                     NULL};
  const char *unused;
  return place_check_object(root, keys) && read_text(root, "$schema", &unused) && check_version(root) &&
         copy_text(root, "title", &s->title) && copy_text(root, "description", &s->description) &&
         read_times(root, s) && read_world(root, def) && read_start(root, s);
}
