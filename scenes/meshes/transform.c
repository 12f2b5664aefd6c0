#include "scenes/meshes/transform.h"

#include "scenes/input/number_range.h"

#include <math.h>
#include <string.h>

bool transform_point(transform *t, const double from[3], msd_vec3 *to) {
  double q[3] = {from[0], from[1], from[2]};
  if (t) {
    const double p[3] = {from[0] * t->scale[0], from[1] * t->scale[1], from[2] * t->scale[2]};
    for (int c = 0; c < 3; c++)
      q[c] = t->rotation[c][0] * p[0] + t->rotation[c][1] * p[1] + t->rotation[c][2] * p[2] + t->position[c];
    if (fmax(fmax(fabs(q[0]), fabs(q[1])), fabs(q[2])) > NUMBER_LARGEST) {
      t->is_exceeded = true;
      memcpy(t->beyond, q, sizeof q);
      return false;
    }
  }
  /* Adding 0 makes -0 the same position as 0. */
  *to = (msd_vec3){(msd_real)q[0] + 0, (msd_real)q[1] + 0, (msd_real)q[2] + 0};
  return true;
}
