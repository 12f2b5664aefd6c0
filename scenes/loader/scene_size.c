#include "scenes/loader/scene.h"

#include <math.h>

void scene_body_size(const scene *s, const scene_body *body, double size[3]) {
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
  const int32_t first = body->particles.first, end = first + body->particles.count;
  for (int32_t i = first; i < end; i++) {
    const msd_vec3 p = msd_particle_get_position(s->world, i);
    const double at[3] = {(double)p.x, (double)p.y, (double)p.z};
    for (int c = 0; c < 3; c++) {
      low[c] = fmin(low[c], at[c]);
      high[c] = fmax(high[c], at[c]);
    }
  }
  for (int c = 0; c < 3; c++)
    size[c] = end > first ? high[c] - low[c] : 0;
}
