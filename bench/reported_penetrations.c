#include "bench/reported_penetrations.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

typedef struct piece {
  const int32_t *corner;
  int count;
} piece;

static piece piece_of(const told_pieces *all, int32_t n) {
  return n < all->triangle_count ? (piece){all->triangles + 3 * (size_t)n, 3}
                                 : (piece){all->segments + 2 * (size_t)(n - all->triangle_count), 2};
}

static bool is_prescribed(const msd_world *world, piece p) {
  bool all = true;
  for (int n = 0; n < p.count; n++)
    all = all && msd_particle_is_pinned(world, p.corner[n]);
  return all;
}

static bool has_all(piece p, const int32_t *particles, int count) {
  bool all = true;
  for (int n = 0; n < count; n++) {
    bool one = false;
    for (int k = 0; k < p.count; k++)
      one = one || p.corner[k] == particles[n];
    all = all && one;
  }
  return all;
}

/* Two segments of a rope with a common end. */
static bool are_joined(piece a, piece b) {
  return a.count == 2 && b.count == 2 && (has_all(b, a.corner, 1) || has_all(b, a.corner + 1, 1));
}

static bool is_told(piece a, piece b, const msd_penetration *penetrations, int32_t count) {
  for (int32_t n = 0; n < count; n++) {
    const msd_penetration *t = &penetrations[n];
    const int first = t->is_point_and_triangle ? 1 : 2;
    if ((has_all(a, t->particles, first) && has_all(b, t->particles + first, 4 - first)) ||
        (has_all(b, t->particles, first) && has_all(a, t->particles + first, 4 - first)))
      return true;
  }
  return false;
}

static void tell_apart(const msd_world *world, const told_pieces *pieces, const msd_intersection *pairs,
                       int64_t count, const msd_penetration *penetrations, int32_t penetration_count,
                       told_tally *tally) {
  for (int64_t n = 0; n < count; n++) {
    const piece a = piece_of(pieces, pairs[n].a), b = piece_of(pieces, pairs[n].b);
    const bool prescribed = is_prescribed(world, a) && is_prescribed(world, b);
    tally->prescribed += prescribed;
    tally->found += !prescribed;
    const bool is_silent = !prescribed && !is_told(a, b, penetrations, penetration_count);
    tally->folded += is_silent && are_joined(a, b);
    tally->untold += is_silent && !are_joined(a, b);
  }
}

/* Usually nothing intersects, which takes one call and no memory. */
msd_result told_look(const msd_world *world, const told_pieces *pieces, told_tally *tally) {
  msd_intersection_def def = msd_default_intersection_def();
  def.triangles = pieces->triangles;
  def.segments = pieces->segments;
  def.triangle_count = pieces->triangle_count;
  def.segment_count = pieces->segment_count;
  int64_t found = 0;
  msd_result result = msd_world_find_intersections(world, &def, NULL, 0, &found);
  if (result != MSD_OK || found == 0)
    return result;
  const int32_t penetration_count = msd_world_get_penetrations(world, NULL, 0);
  msd_intersection *pairs = malloc((size_t)found * sizeof *pairs);
  msd_penetration *penetrations = malloc(((size_t)penetration_count + 1) * sizeof *penetrations);
  result = pairs && penetrations ? msd_world_find_intersections(world, &def, pairs, (int)found, &found)
                                 : MSD_OUT_OF_MEMORY;
  if (result == MSD_OK) {
    msd_world_get_penetrations(world, penetrations, penetration_count);
    tell_apart(world, pieces, pairs, found, penetrations, penetration_count, tally);
  }
  free(pairs);
  free(penetrations);
  return result;
}

/* What of a mesh is not cut; the array takes all of it. */
static msd_result add_whole(const msd_world *world, int32_t mesh, bool *cut, int32_t *triangles,
                            int32_t *segments, told_pieces *pieces) {
  const msd_collision_mesh_def def = msd_collision_mesh_get_def(world, mesh);
  bool *const cut_segments = cut + def.triangle_count;
  const msd_result result = msd_collision_mesh_find_cut(world, mesh, cut, cut_segments);
  for (int32_t n = 0; n < def.triangle_count && result == MSD_OK; n++)
    if (!cut[n])
      memcpy(triangles + 3 * (size_t)pieces->triangle_count++, def.triangles + 3 * (size_t)n,
             3 * sizeof *triangles);
  for (int32_t n = 0; n < def.segment_count && result == MSD_OK; n++)
    if (!cut_segments[n])
      memcpy(segments + 2 * (size_t)pieces->segment_count++, def.segments + 2 * (size_t)n,
             2 * sizeof *segments);
  return result;
}

msd_result told_look_at_meshes(const msd_world *world, told_tally *tally) {
  const int32_t meshes = msd_world_get_collision_mesh_count(world);
  size_t triangle_count = 0, segment_count = 0;
  for (int32_t m = 0; m < meshes; m++) {
    const msd_collision_mesh_def def = msd_collision_mesh_get_def(world, m);
    triangle_count += (size_t)def.triangle_count;
    segment_count += (size_t)def.segment_count;
  }
  int32_t *triangles = malloc((3 * triangle_count + 1) * sizeof *triangles);
  int32_t *segments = malloc((2 * segment_count + 1) * sizeof *segments);
  bool *cut = malloc(triangle_count + segment_count + 1);
  msd_result result = triangles && segments && cut ? MSD_OK : MSD_OUT_OF_MEMORY;
  told_pieces pieces = {triangles, segments, 0, 0};
  for (int32_t m = 0; m < meshes && result == MSD_OK; m++)
    if (!msd_object_is_destroyed(world, MSD_OBJECT_COLLISION_MESH, m))
      result = add_whole(world, m, cut, triangles, segments, &pieces);
  if (result == MSD_OK)
    result = told_look(world, &pieces, tally);
  free(triangles);
  free(segments);
  free(cut);
  return result;
}
