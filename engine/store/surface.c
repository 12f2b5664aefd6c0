#include "engine/store/surface.h"

#include <string.h>

static const growth_array entries[] = {GROWTH_ARRAY(surface_store, entries)};
static const growth_array triangles[] = {GROWTH_ARRAY(surface_store, triangles)};
static const growth_array segments[] = {GROWTH_ARRAY(surface_store, segments)};
static const growth_array rests[] = {GROWTH_ARRAY(surface_store, rest)};

const growth_table surface_growth = GROWTH(surface_store, count, capacity, entries, .most = INT32_MAX);
const growth_table surface_triangle_growth =
    GROWTH(surface_store, triangle_count, triangle_capacity, triangles, .most = INT32_MAX / 3);
const growth_table surface_segment_growth =
    GROWTH(surface_store, segment_count, segment_capacity, segments, .most = INT32_MAX / 2);
const growth_table surface_rest_growth =
    GROWTH(surface_store, rest_count, rest_capacity, rests, .most = INT32_MAX);

void surface_store_free(surface_store *s, memory *m) {
  growth_free(&surface_growth, s, m);
  growth_free(&surface_triangle_growth, s, m);
  growth_free(&surface_segment_growth, s, m);
  growth_free(&surface_rest_growth, s, m);
  *s = (surface_store){0};
}

bool surface_store_reserve(surface_store *s, memory *m, int64_t surfaces, int64_t more_triangles,
                           int64_t more_segments, int32_t particles) {
  return growth_reserve(&surface_growth, s, m, s->count + surfaces) &&
         growth_reserve(&surface_triangle_growth, s, m, s->triangle_count + more_triangles) &&
         growth_reserve(&surface_segment_growth, s, m, s->segment_count + more_segments) &&
         growth_reserve(&surface_rest_growth, s, m, particles);
}

static void place(surface_store *s, const particle_store *p, const int32_t *corners, int32_t count) {
  for (int32_t n = 0; n < count; n++)
    s->rest[corners[n]] = particle_vector(p, POSITION_X, corners[n]);
}

void surface_store_append(surface_store *s, const particle_store *p, const msd_surface_def *def) {
  s->entries[s->count++] = (surface_entry){s->triangle_count,  def->triangle_count, s->segment_count,
                                           def->segment_count, def->thickness,      def->touches_itself};
  for (; s->rest_count < p->count; s->rest_count++)
    s->rest[s->rest_count] = (msd_vec3){0, 0, 0};
  if (def->triangle_count > 0)
    memcpy(s->triangles[s->triangle_count], def->triangles,
           (size_t)def->triangle_count * sizeof *s->triangles);
  if (def->segment_count > 0)
    memcpy(s->segments[s->segment_count], def->segments, (size_t)def->segment_count * sizeof *s->segments);
  s->triangle_count += def->triangle_count;
  s->segment_count += def->segment_count;
  place(s, p, def->triangles, 3 * def->triangle_count);
  place(s, p, def->segments, 2 * def->segment_count);
}
