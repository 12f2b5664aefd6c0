/* Public functions of msd/intersection.h. */

#include "engine/base/definition.h"
#include "engine/base/float_environment.h"
#include "engine/intersection/intersections.h"
#include "engine/world/world.h"

msd_intersection_def msd_default_intersection_def(void) {
  return (msd_intersection_def){.cookie = MSD_INTERSECTION_COOKIE};
}

msd_result msd_world_find_intersections(const msd_world *world, const msd_intersection_def *def,
                                        msd_intersection *out, int capacity, int64_t *found) {
  DEFAULT_FLOAT_ENVIRONMENT;
  if (!world || !found || capacity < 0 || (capacity > 0 && !out))
    return MSD_BAD_VALUE;
  if (!def || def->cookie != MSD_INTERSECTION_COOKIE)
    return MSD_UNINITIALIZED_DEF;
  const world_model *model = &world->model;
  memory scratch = {.allocator = model->memory.allocator, .limit = model->memory.limit};
  const int threads = parallel_threads(&model->tasks, model->thread_count, model->particles.count);
  const intersection_question question = {msd_world_get_positions(world), def, &model->tasks, threads};
  const msd_result result = intersections_find(&question, &scratch, out, capacity, found);
  return result == MSD_OUT_OF_MEMORY && scratch.over_limit ? MSD_TOO_LARGE : result;
}
