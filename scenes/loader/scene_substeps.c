#include "scenes/loader/scene.h"

/* So that no scene takes minutes for a frame unasked. */
enum { SUBSTEPS_MAX = 1000 };

bool scene_has_max_stable(const scene *s) {
  const msd_world *world = s->world;
  const bool some = msd_world_get_law_count(world, MSD_SPRING_COEFFICIENT) > 0;
  const int32_t count = some ? msd_world_get_spring_count(world) : 0;
  for (int32_t e = 0; e < count; e++) {
    const msd_spring_def def = msd_spring_get_def(world, e);
    if (def.law == MSD_SPRING_COEFFICIENT && def.ck == MSD_MAX_STABLE)
      return true;
  }
  return false;
}

int scene_choose_substeps(const scene *s, double frame_time) {
  if (!s->is_auto)
    return s->substeps;
  if (s->ranks)
    return 0;
  msd_stretch_target target = msd_default_stretch_target();
  target.stretch = SCENE_STRETCH;
  target.frame_time = frame_time;
  target.substeps_max = SUBSTEPS_MAX;
  target.keep_stiffness = true;
  msd_stretch_plan plan;
  int32_t fewest = 0;
  if (!scene_has_max_stable(s) || msd_world_plan_stretch(s->world, &target, &plan) != MSD_OK ||
      msd_world_find_substeps(s->world, (msd_real)frame_time, &fewest) != MSD_OK)
    return 0;
  return plan.substeps > fewest ? plan.substeps : 0;
}

double scene_substep(const scene *s) {
  int32_t fewest = 0;
  if (s->substeps > 0)
    return s->frame_time / s->substeps;
  return msd_world_find_substeps(s->world, (msd_real)s->frame_time, &fewest) == MSD_OK && fewest > 0
             ? s->frame_time / fewest
             : 0;
}
