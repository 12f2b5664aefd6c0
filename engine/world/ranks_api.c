/* Public functions of worlds that several processes advance together. */

#include "engine/base/float_environment.h"
#include "engine/world/world.h"

/* Describes what is wrong with ranks; NULL: they are valid. */
static const char *bad_ranks(const msd_ranks *ranks) {
  if (ranks->count < 1 || ranks->count > MSD_RANKS_MAX)
    return "ranks.count must be 1 to 1048576";
  if (ranks->rank < 0 || ranks->rank >= ranks->count)
    return "ranks.rank must be 0 to ranks.count - 1";
  if (ranks->depth < 0 || ranks->depth > MSD_RANKS_DEPTH_MAX)
    return "ranks.depth must be 0 to 16";
  if (!ranks->open || !ranks->close || !ranks->begin || !ranks->end || !ranks->largest)
    return "ranks must have open, close, begin, end and largest";
  return NULL;
}

msd_result msd_world_set_ranks(msd_world *world, const msd_ranks *ranks) {
  if (!world_is_open(world))
    return fail_locked(world);
  const char *bad = ranks ? bad_ranks(ranks) : NULL;
  if (bad)
    return world_fail(world, MSD_BAD_VALUE, "%s", bad);
  stepper_forget_partition(&world->stepper);
  world->stepper.ranks = ranks ? *ranks : (msd_ranks){.count = 1};
  return MSD_OK;
}

msd_result world_share_failure(msd_world *world, msd_result result, bool is_own) {
  const msd_ranks *ranks = &world->stepper.ranks;
  double values[1 + REPORT_MESSAGE_MAX] = {0}, first = is_own ? -ranks->rank : -ranks->count;
  char message[REPORT_MESSAGE_MAX];
  if (ranks->count < 2)
    return result;
  ranks->largest(&first, 1, ranks->context);
  const bool is_mine = -first == ranks->rank;
  values[0] = is_mine ? result : 0;
  for (int n = 0; n < REPORT_MESSAGE_MAX && is_mine; n++)
    values[1 + n] = (unsigned char)world->model.report.message[n];
  ranks->largest(values, 1 + REPORT_MESSAGE_MAX, ranks->context);
  for (int n = 0; n < REPORT_MESSAGE_MAX; n++)
    message[n] = (char)(unsigned char)values[1 + n];
  if (!is_mine)
    world_fail(world, (msd_result)values[0], "%s", message);
  return (msd_result)values[0];
}

/* If no frame has fixed the layout yet, it is computed for this query and then discarded. So the first frame
   chooses the order of the particles. */
msd_result msd_world_find_layout_order(msd_world *world, int32_t *place, bool *is_kept) {
  DEFAULT_FLOAT_ENVIRONMENT;
  if (!world_is_open(world))
    return fail_locked(world);
  const particle_store *p = &world->model.particles;
  const msd_result result = stepper_prepare(&world->stepper);
  for (int32_t i = 0; i < p->count && place && result == MSD_OK; i++)
    place[i] = (int32_t)particle_slot(p, i);
  if (is_kept && result == MSD_OK)
    *is_kept = !p->slot;
  if (!world->model.layout_is_fixed)
    model_lay_out_anew(&world->model);
  return result;
}

const char *msd_world_why_not_distributed(const msd_world *world) {
  return world ? stepper_distribution_obstacle(&world->stepper) : NULL;
}
