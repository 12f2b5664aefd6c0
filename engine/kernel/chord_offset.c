#include "engine/kernel/chord_offset.h"

#include "engine/base/vec3.h"

static double square_between(const surface_store *s, int32_t a, int32_t b) {
  const double3 along = double3_subtract(vec3_double(s->rest[a]), vec3_double(s->rest[b]));
  return double3_dot(along, along);
}

/* Applies to all corners, even those between shorter edges. */
static void raise(msd_real *by_slot, const particle_store *p, const int32_t *corners, int count,
                  double variance) {
  for (int n = 0; n < count; n++) {
    msd_real *own = &by_slot[particle_slot(p, corners[n])];
    *own = (msd_real)variance > *own ? (msd_real)variance : *own;
  }
}

void chord_offset_measure(msd_real *by_slot, const particle_store *p, const surface_store *s) {
  for (int32_t n = 0; n < s->triangle_count; n++) {
    const int32_t *c = s->triangles[n];
    const double ab = square_between(s, c[0], c[1]), bc = square_between(s, c[1], c[2]),
                 ca = square_between(s, c[2], c[0]), larger = ab > bc ? ab : bc;
    raise(by_slot, p, c, 3, (larger > ca ? larger : ca) / 3);
  }
  for (int32_t n = 0; n < s->segment_count; n++)
    raise(by_slot, p, s->segments[n], 2, square_between(s, s->segments[n][0], s->segments[n][1]) / 4);
}
