#include "app/report/step_parts.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* The factor on the stable substep of damping by the ratio r (msd/material.h). */
static const double RATIO = 0.05;

static double left_by(double ratio) {
  return sqrt(1 + ratio * ratio) - ratio;
}

static int32_t substeps_of(const msd_world *world, double frame_time) {
  int32_t substeps = 0;
  msd_world_find_substeps(world, (msd_real)frame_time, &substeps);
  return substeps;
}

/* Returns whether there was any. Setting a valid law fails only without memory; some damping then stays. */
static bool take_damping(msd_world *world) {
  bool any = false;
  for (int32_t e = 0; e < msd_world_get_spring_count(world); e++) {
    msd_spring_def def = msd_spring_get_def(world, e);
    if (def.law != MSD_SPRING_STIFFNESS || !(def.damping > 0))
      continue;
    any = true;
    def.damping = 0;
    msd_spring_set_law(world, e, &def);
  }
  for (int32_t c = 0; c < msd_world_get_constraint_count(world); c++) {
    msd_constraint_def def = msd_constraint_get_def(world, c);
    if (def.law != MSD_SPRING_STIFFNESS || !(def.damping > 0))
      continue;
    any = true;
    def.damping = 0;
    msd_constraint_set_law(world, c, &def);
  }
  return any;
}

static bool take_bending(const scene *s, msd_world *world) {
  bool any = false;
  for (int b = 0; b < s->body_count; b++) {
    const scene_body *body = &s->bodies[b];
    for (int g = 0; g < body->group_count; g++)
      for (int32_t n = 0; strcmp(body->groups[g].name, "bend") == 0 && n < body->groups[g].springs.count; n++)
        any = msd_spring_break(world, body->groups[g].springs.first + n) == MSD_OK || any;
    for (int g = 0; g < body->constraint_group_count; g++) {
      const scene_constraint_group *group = &body->constraint_groups[g];
      for (int32_t n = 0; strcmp(group->name, "bend") == 0 && n < group->constraints.count; n++)
        any = msd_constraint_break(world, group->constraints.first + n) == MSD_OK || any;
    }
  }
  return any;
}

step_parts step_parts_find(const scene *s) {
  step_parts parts = {.all = substeps_of(s->world, s->frame_time)};
  msd_world *copy = NULL;
  parts.undamped = parts.unbent = parts.all;
  if (parts.all == 0 || msd_copy_world(s->world, &copy) != MSD_OK)
    return parts;
  parts.is_damped = take_damping(copy);
  if (parts.is_damped)
    parts.undamped = substeps_of(copy, s->frame_time);
  msd_destroy_world(copy);
  if (msd_copy_world(s->world, &copy) != MSD_OK)
    return parts;
  parts.is_bent = take_bending(s, copy);
  if (parts.is_bent)
    parts.unbent = substeps_of(copy, s->frame_time);
  msd_destroy_world(copy);
  return parts;
}

void step_parts_print(const step_parts *parts, FILE *stream) {
  const int32_t damping = parts->all - parts->undamped, bending = parts->all - parts->unbent;
  if (damping > 0 || bending > 0) {
    fprintf(stream, "  causes            ");
    if (damping > 0)
      fprintf(stream, "damping costs %" PRId32 " of %" PRId32 " substeps%s", damping, parts->all,
              bending > 0 ? ", " : "");
    if (bending > 0)
      fprintf(stream, "bending costs %" PRId32 " of %" PRId32, bending, parts->all);
    fputc('\n', stream);
  }
  const double by_ratio = ceil(parts->undamped / left_by(RATIO));
  if (parts->undamped > 0 && 1.5 * by_ratio < parts->all)
    fprintf(stream,
            "                    damping limits the substep: a \"damping_ratio\" of %g, as a \"material\" "
            "has, would need "
            "about %.0f\n",
            RATIO, by_ratio);
}

int step_parts_json(const step_parts *parts, json_t *object) {
  int failed = 0;
  if (parts->is_damped)
    failed |= json_object_set_new(object, "substeps_undamped", json_integer(parts->undamped));
  if (parts->is_bent)
    failed |= json_object_set_new(object, "substeps_unbent", json_integer(parts->unbent));
  return failed;
}
