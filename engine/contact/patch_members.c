#include "engine/contact/patch_maker.h"

/* Rings of triangles around what the leaf in the middle owns. */
enum { MOST_RINGS = 4 };

/* How far planes of one patch may be turned, as a cosine, and how wrong that and the slopes in them may be. */
static const double LEAST_COSINE = 0.7, MOST_OFF = 0.25;

/* Whether a leaf can be in the patch of another: it is not turned too far. */
static bool may_join(const leaf_plane *a, const leaf_plane *c) {
  return !c->has_triangles || (c->is_smooth && fabs(double3_dot(a->normal, c->normal)) >= LEAST_COSINE &&
                               patch_off_plane(a, c) <= MOST_OFF);
}

/* A leaf joins the patch, if it may. False where there are too many. */
bool patch_take_member(patch_maker *k, surface_patch *patch, int32_t leaf) {
  if (k->member[leaf] >= 0 || (patch->count > 0 && !may_join(&k->planes[patch->leaf[0]], &k->planes[leaf])))
    return true;
  if (patch->count == PATCH_LEAVES)
    return false;
  k->member[leaf] = patch->count;
  patch->leaf[patch->count++] = leaf;
  return true;
}

void patch_leave(patch_maker *k, surface_patch *patch, int count) {
  while (patch->count > count)
    k->member[patch->leaf[--patch->count]] = -1;
}

/* What is noted of a vertex that was met around a leaf, and of one around which all was. */
static int32_t note_met(int32_t leaf) {
  return 2 * leaf;
}

static int32_t note_done(int32_t leaf) {
  return 2 * leaf + 1;
}

/* The leaves of the vertices around one join the patch, and these vertices the ring around the leaf, unless
   it is the last. False where there are too many. */
static bool take_around(patch_maker *k, surface_patch *patch, int32_t leaf, int32_t vertex, int32_t *count,
                        bool is_last) {
  if (k->met[vertex] == note_done(leaf))
    return true;
  k->met[vertex] = note_done(leaf);
  int32_t most;
  const int32_t *around = joins_around(k->joins, vertex, &most);
  for (int32_t n = 0; n < most && around[n] >= 0; n++) {
    const int32_t other = around[n];
    if (k->member[surface_mesh_leaf_of(other)] < 0 &&
        !patch_take_member(k, patch, surface_mesh_leaf_of(other)))
      return false;
    if (is_last || k->met[other] == note_met(leaf) || k->met[other] == note_done(leaf))
      continue;
    if (*count == PATCH_VERTICES)
      return false;
    k->met[other] = note_met(leaf);
    k->ring[(*count)++] = other;
  }
  return true;
}

/* Those at all that a leaf owns. */
static bool take_first_ring(patch_maker *k, surface_patch *patch, int32_t leaf, int32_t *count) {
  bool more = true;
  for (int kind = 0; kind < SURFACE_KINDS; kind++)
    for (int32_t place = surface_mesh_first_place(k->mesh, (surface_kind)kind, leaf);
         place < surface_mesh_first_place(k->mesh, (surface_kind)kind, leaf + 1); place++)
      for (int corner = 0; corner <= kind && more; corner++)
        more = take_around(k, patch, leaf, k->mesh->of[kind].corner[corner][place], count, false);
  return more;
}

/* The leaf comes first, then those of the triangles at what it owns, and as many whole rings more as there is
   room for. False where there is none for the first. */
bool patch_take_members(patch_maker *k, surface_patch *patch, int32_t leaf) {
  int32_t count = 0, seen = 0;
  if (!patch_take_member(k, patch, leaf) || !take_first_ring(k, patch, leaf, &count)) {
    patch_leave(k, patch, 0);
    return false;
  }
  bool more = true;
  for (int ring = 0; ring < MOST_RINGS && more; ring++) {
    const int members = patch->count;
    for (const int32_t end = count; seen < end && more; seen++)
      more = take_around(k, patch, leaf, k->ring[seen], &count, ring + 1 == MOST_RINGS);
    if (!more)
      patch_leave(k, patch, members);
  }
  return true;
}

static bool has_member_at(const patch_maker *k, int32_t vertex) {
  for (int32_t n = k->joins->first_at[vertex]; n < k->joins->first_at[vertex + 1]; n++)
    if (k->member[patch_leaf_of(k, k->joins->at[n])] >= 0)
      return true;
  return false;
}

static bool has_member_along(const patch_maker *k, int32_t edge) {
  const int32_t along = k->joins->along[edge], beyond = along >= 0 ? k->joins->beyond[along] : JOIN_BORDER;
  return (along >= 0 && k->member[patch_leaf_of(k, along / 3)] >= 0) ||
         (beyond >= 0 && k->member[patch_leaf_of(k, beyond)] >= 0);
}

bool patch_covers(const patch_maker *k, int32_t leaf) {
  const leaf_rim *rim = &k->rims[leaf];
  for (int32_t n = 0; n < rim->bare_vertex_count; n++)
    if (!has_member_at(k, rim->bare[n]))
      return false;
  for (int32_t n = rim->bare_vertex_count; n < rim->bare_count; n++)
    if (!has_member_along(k, rim->bare[n]))
      return false;
  return true;
}
