#include "scenes/loader/scene.h"

#include <float.h>
#include <math.h>

void scene_body_size(const scene *s, const scene_body *body, double size[3]) {
  /* The largest coordinates, and those turned round. */
  double most[6] = {-DBL_MAX, -DBL_MAX, -DBL_MAX, -DBL_MAX, -DBL_MAX, -DBL_MAX};
  const int32_t first = body->particles.first, end = first + body->particles.count;
  for (int32_t i = first; i < end; i++) {
    const msd_vec3 p = msd_particle_get_position(s->world, i);
    const double at[3] = {(double)p.x, (double)p.y, (double)p.z};
    for (int c = 0; c < 3; c++) {
      most[c] = fmax(most[c], at[c]);
      most[3 + c] = fmax(most[3 + c], -at[c]);
    }
  }
  msd_world_all_reduce_max(s->world, most, 6);
  for (int c = 0; c < 3; c++)
    size[c] = most[c] > -DBL_MAX ? most[c] + most[3 + c] : 0;
}
