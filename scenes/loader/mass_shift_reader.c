#include "scenes/loader/mass_shift_reader.h"

#include <stdlib.h>

bool mass_shift_read(const json_place *body, double usual, scene_body *out) {
  static const quantity fraction = {
      "the part of the mass of a body that may be moved among its particles, from 0, which is none, to 1", 0,
      1};
  out->mass_shift = usual;
  return read_double(body, MASS_SHIFT_KEY, &fraction, &out->mass_shift);
}

bool mass_shift_apply(const json_place *root, scene *s) {
  int count = 0;
  msd_mass_pool *pools = malloc((size_t)s->body_count * sizeof *pools);
  if (!pools)
    return place_out_of_memory(root);
  for (int b = 0; b < s->body_count; b++)
    if (s->bodies[b].mass_shift > 0)
      pools[count++] = (msd_mass_pool){s->bodies[b].particles, s->bodies[b].mass_shift};
  s->has_mass_shift = count > 0;
  const bool done = count == 0 || msd_world_shift_mass(s->world, pools, count, (msd_real)s->time_step,
                                                       &s->mass_shift) == MSD_OK;
  free(pools);
  return done || place_fail(root, "%s", msd_world_message(s->world));
}
