#include "scenes/loader/scene.h"

#include <stdlib.h>

bool scene_count_pieces(const scene *s, scene_pieces *out) {
  const int32_t count = msd_world_get_particle_count(s->world);
  bool *is_held = malloc((size_t)count + 1);
  msd_pieces pieces;
  const bool done = is_held && msd_world_find_pieces(s->world, NULL, is_held, &pieces) == MSD_OK;
  *out = (scene_pieces){.loose_particle = -1};
  if (done) {
    *out = (scene_pieces){pieces.pieces, pieces.pieces - pieces.held, -1};
    for (int32_t i = count - 1; i >= 0; i--)
      if (!is_held[i])
        out->loose_particle = i;
  }
  free(is_held);
  return done;
}
