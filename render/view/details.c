#include "render/view/details.h"

#include <math.h>
#include <stdio.h>

static double norm(msd_vec3 v) {
  return sqrt((double)v.x * (double)v.x + (double)v.y * (double)v.y + (double)v.z * (double)v.z);
}

void details_of_particle(const scene *s, int32_t i, char lines[DETAIL_LINES][DETAIL_MAX]) {
  msd_vec3 x = msd_particle_get_position(s->world, i);
  scene_describe_particle(s, i, lines[0], DETAIL_MAX);
  snprintf(lines[1], DETAIL_MAX, "at %.4g, %.4g, %.4g m   mass %.3g kg%s", (double)x.x, (double)x.y,
           (double)x.z, (double)msd_particle_get_mass(s->world, i),
           msd_particle_is_pinned(s->world, i) ? "   pinned" : "");
  snprintf(lines[2], DETAIL_MAX, "speed %.3g m/s", norm(msd_particle_get_velocity(s->world, i)));
}

void details_of_spring(const scene *s, int32_t i, char lines[DETAIL_LINES][DETAIL_MAX]) {
  double length = (double)msd_spring_get_length(s->world, i);
  double rest = (double)msd_spring_get_def(s->world, i).rest_length;
  scene_describe_spring(s, i, lines[0], DETAIL_MAX);
  if (msd_spring_is_broken(s->world, i)) {
    snprintf(lines[1], DETAIL_MAX, "broken");
    lines[2][0] = '\0';
    return;
  }
  snprintf(lines[1], DETAIL_MAX, "length %.4g m   at rest %.4g m   strain %.3g %%", length, rest,
           rest > 0 ? 100 * (length / rest - 1) : 0);
  snprintf(lines[2], DETAIL_MAX, "tension %.3g N   stiffness %.3g N/m   damping %.3g N s/m",
           (double)msd_spring_get_tension(s->world, i), (double)msd_spring_get_stiffness(s->world, i),
           (double)msd_spring_get_damping(s->world, i));
}
