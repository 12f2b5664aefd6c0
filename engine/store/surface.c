#include "engine/store/surface.h"

#include "engine/base/definition.h"

#include <string.h>

static const growth_array entries[] = {GROWTH_ARRAY(surface_store, entries)};
static const growth_array triangles[] = {GROWTH_ARRAY(surface_store, triangles)};
static const growth_array segments[] = {GROWTH_ARRAY(surface_store, segments)};
static const growth_array rests[] = {GROWTH_ARRAY(surface_store, rest)};
static const growth_array pairs[] = {GROWTH_ARRAY(surface_store, ignored)};

static const growth_table entry_growth = GROWTH(surface_store, count, capacity, entries, .most = INT32_MAX);
static const growth_table triangle_growth =
    GROWTH(surface_store, triangle_count, triangle_capacity, triangles, .most = INT32_MAX / 3);
static const growth_table segment_growth =
    GROWTH(surface_store, segment_count, segment_capacity, segments, .most = INT32_MAX / 2);
static const growth_table rest_growth =
    GROWTH(surface_store, rest_count, rest_capacity, rests, .most = INT32_MAX);
static const growth_table ignored_growth =
    GROWTH(surface_store, ignored_count, ignored_capacity, pairs, .most = INT32_MAX / 2);

void surface_store_free(surface_store *s, memory *m) {
  growth_free(&entry_growth, s, m);
  growth_free(&triangle_growth, s, m);
  growth_free(&segment_growth, s, m);
  growth_free(&rest_growth, s, m);
  growth_free(&ignored_growth, s, m);
  *s = (surface_store){0};
}

bool surface_store_reserve(surface_store *s, memory *m, int64_t surfaces, int64_t more_triangles,
                           int64_t more_segments, int32_t particles) {
  return growth_reserve(&entry_growth, s, m, s->count + surfaces) &&
         growth_reserve(&triangle_growth, s, m, s->triangle_count + more_triangles) &&
         growth_reserve(&segment_growth, s, m, s->segment_count + more_segments) &&
         growth_reserve(&rest_growth, s, m, particles);
}

static void place(surface_store *s, const particle_store *p, const int32_t *corners, int32_t count) {
  for (int32_t n = 0; n < count; n++)
    s->rest[corners[n]] = particle_vector(p, POSITION_X, corners[n]);
}

/* Rest positions are 0 until a mesh uses the particle. */
static void extend_rests(surface_store *s, int32_t particles) {
  for (; s->rest_count < particles; s->rest_count++)
    s->rest[s->rest_count] = (msd_vec3){0, 0, 0};
}

void surface_store_append_rest(surface_store *s, int32_t particle, int32_t other) {
  extend_rests(s, particle + 1);
  s->rest[particle] = s->rest[other];
}

void surface_store_append(surface_store *s, const particle_store *p, const msd_collision_mesh_def *def) {
  s->entries[s->count++] = (surface_entry){.first_triangle = s->triangle_count,
                                           .triangle_count = def->triangle_count,
                                           .first_segment = s->segment_count,
                                           .segment_count = def->segment_count,
                                           .thickness = def->thickness,
                                           .friction = def->friction,
                                           .self_collision = def->self_collision};
  extend_rests(s, p->count);
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

msd_collision_mesh_def surface_def_of(const surface_store *s, int32_t surface) {
  const surface_entry *e = &s->entries[surface];
  return (msd_collision_mesh_def){.triangles = e->triangle_count > 0 ? s->triangles[e->first_triangle] : NULL,
                                  .segments = e->segment_count > 0 ? s->segments[e->first_segment] : NULL,
                                  .triangle_count = e->triangle_count,
                                  .segment_count = e->segment_count,
                                  .thickness = e->thickness,
                                  .friction = e->friction,
                                  .self_collision = e->self_collision,
                                  .cookie = MSD_SURFACE_COOKIE};
}

/* ----------------------------------------------------------------------------------------------- removal */

/* The filter, and the primitives with `size` corners that are kept so far. */
typedef struct dropping {
  surface_drops *drops;
  const void *context;
  int32_t *corners;
  int size;
  int32_t kept;
} dropping;

/* Compacts the primitives of a mesh and updates its range. */
static void drop_of(dropping *d, int32_t surface, int32_t *first, int32_t *count) {
  const int32_t begin = d->kept;
  for (int32_t n = *first; n < *first + *count; n++) {
    const int32_t *from = d->corners + (size_t)n * (size_t)d->size;
    if (!d->drops(d->context, surface, from, d->size))
      memmove(d->corners + (size_t)d->kept++ * (size_t)d->size, from, (size_t)d->size * sizeof *from);
  }
  *first = begin;
  *count = d->kept - begin;
}

bool surface_store_drop(surface_store *s, surface_drops *drops, const void *context) {
  dropping faces = {drops, context, (int32_t *)s->triangles, 3, 0},
           lines = {drops, context, (int32_t *)s->segments, 2, 0};
  for (int32_t n = 0; n < s->count; n++) {
    surface_entry *e = &s->entries[n];
    drop_of(&faces, n, &e->first_triangle, &e->triangle_count);
    drop_of(&lines, n, &e->first_segment, &e->segment_count);
  }
  const bool some = faces.kept < s->triangle_count || lines.kept < s->segment_count;
  s->triangle_count = faces.kept;
  s->segment_count = lines.kept;
  return some;
}

static void move_pairs(surface_store *s, const int32_t *to) {
  int32_t kept = 0;
  for (int32_t n = 0; n < s->ignored_count; n++) {
    const surface_pair pair = {to[s->ignored[n].low], to[s->ignored[n].high]};
    if (pair.low >= 0 && pair.high >= 0)
      s->ignored[kept++] = pair;
  }
  s->ignored_count = kept;
}

static void move_corners(surface_store *s, const int32_t *to) {
  for (int32_t t = 0; t < s->triangle_count; t++)
    for (int corner = 0; corner < 3; corner++)
      s->triangles[t][corner] = to[s->triangles[t][corner]];
  for (int32_t t = 0; t < s->segment_count; t++)
    for (int end = 0; end < 2; end++)
      s->segments[t][end] = to[s->segments[t][end]];
  growth_move_arrays(&rest_growth, s, to);
}

void surface_close_gaps(surface_store *s, memory *m, const int32_t *to, const int32_t *particle_to) {
  if (to) {
    move_pairs(s, to);
    column_compact(&entry_growth, s, m, to);
  }
  if (particle_to)
    move_corners(s, particle_to);
  if (s->count == 0)
    s->rest_count = 0;
  growth_resize(&triangle_growth, s, m, s->triangle_count);
  growth_resize(&segment_growth, s, m, s->segment_count);
  growth_resize(&rest_growth, s, m, s->rest_count);
  s->list_policy = (list_policy){0};
}

/* ---------------------------------------------------------------------------------------- excluded pairs */

bool surface_store_reserve_ignored(surface_store *s, memory *m, int64_t count) {
  return growth_reserve(&ignored_growth, s, m, count);
}

static surface_pair pair_of(int32_t surface, int32_t other) {
  return surface < other ? (surface_pair){surface, other} : (surface_pair){other, surface};
}

/* The first pair that is not below `pair`. */
static int32_t find_pair(const surface_store *s, surface_pair pair) {
  int32_t first = 0, last = s->ignored_count;
  while (first < last) {
    const int32_t middle = first + (last - first) / 2;
    const surface_pair at = s->ignored[middle];
    if (at.low < pair.low || (at.low == pair.low && at.high < pair.high))
      first = middle + 1;
    else
      last = middle;
  }
  return first;
}

bool surface_store_ignores(const surface_store *s, int32_t surface, int32_t other) {
  if (surface == other)
    return !s->entries[surface].self_collision;
  const surface_pair pair = pair_of(surface, other);
  const int32_t at = find_pair(s, pair);
  return at < s->ignored_count && s->ignored[at].low == pair.low && s->ignored[at].high == pair.high;
}

void surface_store_ignore(surface_store *s, int32_t surface, int32_t other) {
  if (surface == other)
    s->entries[surface].self_collision = false;
  if (surface_store_ignores(s, surface, other))
    return;
  const surface_pair pair = pair_of(surface, other);
  const int32_t at = find_pair(s, pair);
  memmove(s->ignored + at + 1, s->ignored + at, (size_t)(s->ignored_count - at) * sizeof *s->ignored);
  s->ignored[at] = pair;
  s->ignored_count++;
}

static bool is_left(const surface_store *s, int32_t surface) {
  return s->entries[surface].triangle_count > 0 || s->entries[surface].segment_count > 0;
}

int32_t surface_store_touching(const surface_store *s) {
  int64_t left = 0, touching = 0;
  for (int32_t n = 0; n < s->count; n++) {
    touching += is_left(s, n) ? left + s->entries[n].self_collision : 0;
    left += is_left(s, n);
  }
  for (int32_t k = 0; k < s->ignored_count; k++)
    touching -= is_left(s, s->ignored[k].low) && is_left(s, s->ignored[k].high);
  return (int32_t)(touching < INT32_MAX ? touching : INT32_MAX);
}
