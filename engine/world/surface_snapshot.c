/* Collision meshes in a snapshot: their settings, the corners of all elements, the positions of particles
   when their mesh was added, excluded pairs, and the list policy. The contact cache is in
   contact_cache_snapshot.c. */

#include "engine/base/vec3.h"
#include "engine/world/snapshot.h"

#include <math.h>

uint64_t surface_snapshot_size(surface_snapshot h) {
  return (uint64_t)h.surfaces * (2 * sizeof(int32_t) + 2 * sizeof(msd_real) + 1) +
         (uint64_t)h.triangles * 3 * sizeof(int32_t) + (uint64_t)h.segments * 2 * sizeof(int32_t) +
         (uint64_t)h.rests * sizeof(msd_vec3) + (uint64_t)h.ignored * sizeof(surface_pair) +
         (h.surfaces > 0 ? 4 * sizeof(double) + sizeof(int32_t) : 0);
}

void surface_snapshot_put(unsigned char **to, const surface_store *s) {
  for (int32_t i = 0; i < s->count; i++) {
    const surface_entry *e = &s->entries[i];
    snapshot_put(to, &e->triangle_count, sizeof e->triangle_count);
    snapshot_put(to, &e->segment_count, sizeof e->segment_count);
    snapshot_put(to, &e->thickness, sizeof e->thickness);
    snapshot_put(to, &e->friction, sizeof e->friction);
    *(*to)++ = e->self_collision;
  }
  snapshot_put(to, s->triangles, (size_t)s->triangle_count * sizeof *s->triangles);
  snapshot_put(to, s->segments, (size_t)s->segment_count * sizeof *s->segments);
  snapshot_put(to, s->rest, (size_t)s->rest_count * sizeof *s->rest);
  snapshot_put(to, s->ignored, (size_t)s->ignored_count * sizeof *s->ignored);
  if (s->count > 0) {
    snapshot_put(to, &s->list_policy.skin, sizeof s->list_policy.skin);
    snapshot_put(to, s->list_policy.bend, sizeof s->list_policy.bend);
    snapshot_put(to, &s->list_policy.substeps, sizeof s->list_policy.substeps);
  }
}

/* Reads one mesh. Fails if it has more elements than remain. */
static bool get_entry(surface_store *s, surface_snapshot h, const unsigned char **from) {
  surface_entry *e = &s->entries[s->count++];
  e->first_triangle = s->triangle_count;
  e->first_segment = s->segment_count;
  snapshot_get(&e->triangle_count, from, sizeof e->triangle_count);
  snapshot_get(&e->segment_count, from, sizeof e->segment_count);
  snapshot_get(&e->thickness, from, sizeof e->thickness);
  snapshot_get(&e->friction, from, sizeof e->friction);
  const unsigned char self_collision = *(*from)++;
  e->self_collision = self_collision != 0;
  if (self_collision > 1 || e->triangle_count < 0 || e->triangle_count > h.triangles - s->triangle_count ||
      e->segment_count < 0 || e->segment_count > h.segments - s->segment_count ||
      !(e->thickness == MSD_CONTACT_THICKNESS || (e->thickness >= 0 && isfinite(e->thickness))) ||
      !(e->friction == MSD_CONTACT_FRICTION || (e->friction >= 0 && isfinite(e->friction))))
    return false;
  s->triangle_count += e->triangle_count;
  s->segment_count += e->segment_count;
  return true;
}

/* True if each element has distinct particles with known reference positions. */
static bool are_corners(const int32_t *corners, int32_t count, int size, int32_t rests) {
  for (int32_t n = 0; n < count; n++)
    for (int k = 0; k < size; k++) {
      const int32_t *c = corners + (size_t)n * (size_t)size;
      bool sound = c[k] >= 0 && c[k] < rests;
      for (int other = 0; other < k; other++)
        sound = sound && c[other] != c[k];
      if (!sound)
        return false;
    }
  return true;
}

/* True if the pairs are valid and sorted. */
static bool are_pairs(const surface_store *s) {
  for (int32_t n = 0; n < s->ignored_count; n++) {
    const surface_pair pair = s->ignored[n], last = n > 0 ? s->ignored[n - 1] : (surface_pair){-1, -1};
    if (pair.low < 0 || pair.high >= s->count || pair.low >= pair.high || pair.low < last.low ||
        (pair.low == last.low && pair.high <= last.high))
      return false;
  }
  return true;
}

bool surface_snapshot_get(surface_store *s, surface_snapshot h, const unsigned char **from) {
  for (int32_t i = 0; i < h.surfaces; i++)
    if (!get_entry(s, h, from))
      return false;
  if (s->triangle_count != h.triangles || s->segment_count != h.segments)
    return false;
  s->rest_count = h.rests;
  s->ignored_count = h.ignored;
  snapshot_get(s->triangles, from, (size_t)h.triangles * sizeof *s->triangles);
  snapshot_get(s->segments, from, (size_t)h.segments * sizeof *s->segments);
  snapshot_get(s->rest, from, (size_t)h.rests * sizeof *s->rest);
  snapshot_get(s->ignored, from, (size_t)h.ignored * sizeof *s->ignored);
  if (h.surfaces > 0) {
    snapshot_get(&s->list_policy.skin, from, sizeof s->list_policy.skin);
    snapshot_get(s->list_policy.bend, from, sizeof s->list_policy.bend);
    snapshot_get(&s->list_policy.substeps, from, sizeof s->list_policy.substeps);
  }
  bool sound = s->list_policy.skin >= 0 && isfinite(s->list_policy.skin) && s->list_policy.substeps >= 0 &&
               are_pairs(s) && (h.triangles == 0 || are_corners(s->triangles[0], h.triangles, 3, h.rests)) &&
               (h.segments == 0 || are_corners(s->segments[0], h.segments, 2, h.rests));
  for (int axis = 0; axis < 3; axis++)
    sound = sound && isfinite(s->list_policy.bend[axis]);
  for (int32_t i = 0; i < h.rests; i++)
    sound = sound && vec3_is_finite(s->rest[i]);
  return sound;
}
