#include "scenes/loader/mass_redistribution_reader.h"

#include <stdlib.h>

bool mass_redistribution_read(const json_place *body, double usual, scene_body *out) {
  static const quantity fraction = {
      "the fraction of the mass of a body that may move between its particles, from 0 to 1", 0, 1};
  out->mass_redistribution = usual;
  return read_double(body, MASS_REDISTRIBUTION_KEY, &fraction, &out->mass_redistribution);
}

bool mass_redistribution_apply(const json_place *root, scene *s) {
  int count = 0;
  msd_mass_pool *pools = malloc((size_t)s->body_count * sizeof *pools);
  if (!pools)
    return place_out_of_memory(root);
  for (int b = 0; b < s->body_count; b++)
    if (s->bodies[b].mass_redistribution > 0)
      pools[count++] = (msd_mass_pool){s->bodies[b].particles, s->bodies[b].mass_redistribution};
  s->has_mass_redistribution = count > 0;
  const bool done = count == 0 || msd_world_redistribute_mass(s->world, pools, count, (msd_real)s->frame_time,
                                                              &s->mass_redistribution) == MSD_OK;
  free(pools);
  return done || place_fail(root, "%s", msd_world_message(s->world));
}
