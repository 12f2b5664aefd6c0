#include "scenes/loader/scene.h"

#include <stdlib.h>

bool scene_count_pieces(const scene *s, scene_pieces *out) {
  const int32_t count = msd_world_get_particle_count(s->world);
  bool *is_attached = malloc((size_t)count + 1);
  msd_components components;
  const bool done =
      is_attached && msd_world_find_components(s->world, NULL, is_attached, &components) == MSD_OK;
  *out = (scene_pieces){.loose_particle = -1};
  if (done) {
    *out = (scene_pieces){components.components, components.components - components.attached, -1};
    for (int32_t i = count - 1; i >= 0; i--)
      if (!is_attached[i])
        out->loose_particle = i;
  }
  free(is_attached);
  return done;
}
