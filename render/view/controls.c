#include "render/view/controls.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void read_settings(controls *c, const scene *s) {
  msd_vec3 gravity = msd_world_get_gravity(s->world);
  c->integrator = msd_world_get_integrator(s->world);
  c->limit = msd_world_get_clamp_stiffness(s->world);
  c->energy = msd_world_get_energy_mode(s->world);
  c->frame_time = s->frame_time;
  c->substeps = s->substeps;
  c->gravity[0] = (double)gravity.x;
  c->gravity[1] = (double)gravity.y;
  c->gravity[2] = (double)gravity.z;
  c->linear_damping = (double)msd_world_get_linear_damping(s->world);
  c->settings_changed = false;
}

bool controls_open(controls *c, const scene *s) {
  *c = (controls){.newest = CONTROL_HISTORY - 1, .wants_stability = true};
  read_settings(c, s);
  int count = 0;
  for (int b = 0; b < s->body_count; b++)
    count += s->bodies[b].group_count;
  c->groups = calloc((size_t)count + 1, sizeof *c->groups);
  c->spring_made = calloc((size_t)msd_world_get_spring_count(s->world) + 1, sizeof *c->spring_made);
  if (c->groups == NULL || c->spring_made == NULL) {
    controls_close(c);
    return false;
  }
  for (int b = 0; b < s->body_count; b++) {
    for (int g = 0; g < s->bodies[b].group_count; g++) {
      scene_group group = s->bodies[b].groups[g];
      if (group.springs.count > 0)
        c->groups[c->group_count++] = (control_group){s->bodies[b].name,
                                                      group.name,
                                                      group.springs,
                                                      msd_spring_get_def(s->world, group.springs.first),
                                                      false,
                                                      {INFINITY, INFINITY}};
    }
  }
  return true;
}

void controls_close(controls *c) {
  free(c->groups);
  free(c->spring_made);
  *c = (controls){0};
}

static bool refuse(const scene *s, const char *what, msd_result result, char *error, size_t size) {
  const char *message = msd_world_message(s->world);
  snprintf(error, size, "%s: %s", what, message[0] != '\0' ? message : msd_result_string(result));
  return false;
}

static bool apply_settings(const controls *c, scene *s, char *error, size_t size) {
  msd_world *world = s->world;
  const double *g = c->gravity;
  msd_result result;
  s->frame_time = c->frame_time;
  s->substeps = c->substeps;
  /* Other integrators take no other energy. */
  if (c->energy == MSD_ENERGY_OFF && (result = msd_world_set_energy_mode(world, c->energy)) != MSD_OK)
    return refuse(s, "energy", result, error, size);
  if ((result = msd_world_set_integrator(world, c->integrator)) != MSD_OK)
    return refuse(s, "integrator", result, error, size);
  if ((result = msd_world_set_energy_mode(world, c->energy)) != MSD_OK)
    return refuse(s, "energy", result, error, size);
  if ((result = msd_world_set_clamp_stiffness(world, c->limit)) != MSD_OK)
    return refuse(s, "limit", result, error, size);
  if ((result = msd_world_set_gravity(world, (msd_vec3){(msd_real)g[0], (msd_real)g[1], (msd_real)g[2]})) !=
      MSD_OK)
    return refuse(s, "gravity", result, error, size);
  if ((result = msd_world_set_linear_damping(world, (msd_real)c->linear_damping)) != MSD_OK)
    return refuse(s, "linear damping", result, error, size);
  if ((result = msd_world_set_thread_count(world, c->threads)) != MSD_OK)
    return refuse(s, "threads", result, error, size);
  return true;
}

static bool apply_group(control_group *group, scene *s, char *error, size_t size) {
  group->is_changed = false;
  for (int32_t i = group->springs.first; i < group->springs.first + group->springs.count; i++) {
    msd_result result = msd_spring_set_law(s->world, i, &group->pattern);
    if (result != MSD_OK) {
      group->pattern = msd_spring_get_def(s->world, group->springs.first);
      return refuse(s, group->name, result, error, size);
    }
  }
  return true;
}

bool controls_apply(controls *c, scene *s, char *error, size_t size) {
  bool done = true;
  c->wants_stability = c->wants_stability || c->settings_changed;
  if (c->settings_changed) {
    done = apply_settings(c, s, error, size);
    read_settings(c, s);
  }
  for (int i = 0; i < c->group_count; i++) {
    if (c->groups[i].is_changed) {
      c->wants_stability = true;
      done = apply_group(&c->groups[i], s, error, size) && done;
    }
  }
  return done;
}

/* Finds where stability ends on the sliders of each group; when memory is short, nowhere. */
static void find_limits(controls *c, const scene *s, msd_real substep) {
  const size_t count = (size_t)c->group_count;
  msd_range *springs = calloc(count + 1, sizeof *springs);
  msd_stiffness_limits *limits = calloc(count + 1, sizeof *limits);
  for (size_t i = 0; i < count && springs != NULL; i++)
    springs[i] = c->groups[i].springs;
  const bool is_known =
      springs != NULL && limits != NULL &&
      msd_world_find_stiffness_limits(s->world, springs, c->group_count, substep, limits) == MSD_OK;
  for (size_t i = 0; i < count; i++) {
    c->groups[i].limit[0] = is_known ? limits[i].stiffness : INFINITY;
    c->groups[i].limit[1] = is_known ? limits[i].damping : INFINITY;
  }
  free(springs);
  free(limits);
}

/* Finds the stability of the present substep. */
static void find_stability(controls *c, const scene *s) {
  int32_t fewest = s->substeps;
  c->wants_stability = false;
  c->has_stability = false;
  if (fewest == 0 && msd_world_find_substeps(s->world, (msd_real)s->frame_time, &fewest) != MSD_OK)
    return;
  c->substeps_taken = fewest;
  if (fewest == 0)
    return;
  const msd_real substep = (msd_real)(s->frame_time / fewest);
  c->has_stability = msd_world_analyze_stability(s->world, substep, &c->stability) == MSD_OK &&
                     msd_world_find_softening(s->world, substep, msd_world_get_clamp_stiffness(s->world),
                                              &c->softening) == MSD_OK;
  if (c->has_stability)
    find_limits(c, s, substep);
}

/* What the steps have made, and which spring has most of it. */
static void sample_made(controls *c, const scene *s) {
  const double made = msd_world_get_energy_account(s->world).gain;
  c->made[c->newest] = (float)made;
  c->made_most[0] = '\0';
  if (c->energy == MSD_ENERGY_OFF)
    return;
  msd_world_add_spring_energy_gain(s->world, c->spring_made);
  int32_t most = -1;
  double largest = 0;
  for (int32_t e = 0; e < msd_world_get_spring_count(s->world); e++) {
    const double of_spring = made < 0 ? -c->spring_made[e] : c->spring_made[e];
    if (of_spring > largest) {
      largest = of_spring;
      most = e;
    }
  }
  if (most >= 0)
    scene_describe_spring(s, most, c->made_most, sizeof c->made_most);
}

void controls_sample(controls *c, const scene *s, double step_seconds) {
  msd_stats stats = msd_world_get_stats(s->world);
  if (c->samples == 0)
    c->first_potential = stats.potential_energy;
  double potential = stats.potential_energy - c->first_potential;
  int i = c->newest = (c->newest + 1) % CONTROL_HISTORY;
  c->samples += c->samples < CONTROL_HISTORY;
  c->kinetic[i] = (float)stats.kinetic_energy;
  c->elastic[i] = (float)stats.elastic_energy;
  c->potential[i] = (float)potential;
  c->total[i] = (float)(stats.kinetic_energy + stats.elastic_energy + potential);
  c->step_time[i] = (float)(1e3 * step_seconds);
  c->stretch[i] = (float)(100 * stats.max_stretch);
  sample_made(c, s);
  if (c->wants_stability)
    find_stability(c, s);
}
