/* Worlds that several processes step together. */

#include "engine/world/world.h"

/* What is wrong with ranks, and what would be right; NULL when nothing is. */
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
    return world_say_closed(world);
  const char *bad = ranks ? bad_ranks(ranks) : NULL;
  if (bad)
    return world_fail(world, MSD_BAD_VALUE, "%s", bad);
  stepper_forget_shares(&world->stepper);
  world->stepper.ranks = ranks ? *ranks : (msd_ranks){.count = 1};
  return MSD_OK;
}

const char *msd_world_why_unshared(const msd_world *world) {
  return world ? stepper_why_unshared(&world->stepper) : NULL;
}
