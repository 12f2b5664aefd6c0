#include "engine/contact/flat_region_builder.h"

/* Rings of triangles around the central leaf. */
enum { MOST_RINGS = 4 };

/* Limits for the leaves of one patch: the cosine of the angle between planes, and tan t. */
static const double LEAST_COSINE = 0.7, MOST_OFF = 0.25;

/* True if the planes of two leaves differ little enough. */
static bool may_join(const cluster_frame *a, const cluster_frame *c) {
  return !c->has_triangles || (c->is_smooth && fabs(double3_dot(a->normal, c->normal)) >= LEAST_COSINE &&
                               patch_off_plane(a, c) <= MOST_OFF);
}

bool flat_region_take_member(flat_region_builder *k, flat_region *patch, int32_t leaf) {
  if (k->member[leaf] >= 0 || (patch->count > 0 && !may_join(&k->planes[patch->leaf[0]], &k->planes[leaf])))
    return true;
  if (patch->count == PATCH_LEAVES)
    return false;
  k->member[leaf] = patch->count;
  patch->leaf[patch->count++] = leaf;
  return true;
}

void patch_leave(flat_region_builder *k, flat_region *patch, int count) {
  while (patch->count > count)
    k->member[patch->leaf[--patch->count]] = -1;
}

/* Marks of a vertex that was visited around a leaf, and of one whose neighbors all were. */
static int32_t note_met(int32_t leaf) {
  return 2 * leaf;
}

static int32_t note_done(int32_t leaf) {
  return 2 * leaf + 1;
}

/* Adds the leaves of the neighbors of a vertex to the patch, and these neighbors to the ring unless it is
   the last. False if something is full. */
static bool take_around(flat_region_builder *k, flat_region *patch, int32_t leaf, int32_t vertex,
                        int32_t *count, bool is_last) {
  if (k->met[vertex] == note_done(leaf))
    return true;
  k->met[vertex] = note_done(leaf);
  int32_t most;
  const int32_t *around = joins_around(k->joins, vertex, &most);
  for (int32_t n = 0; n < most && around[n] >= 0; n++) {
    const int32_t other = around[n];
    if (k->member[surface_mesh_leaf_of(other)] < 0 &&
        !flat_region_take_member(k, patch, surface_mesh_leaf_of(other)))
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

/* Visits all vertices that the leaf uses. */
static bool take_first_ring(flat_region_builder *k, flat_region *patch, int32_t leaf, int32_t *count) {
  bool more = true;
  for (int kind = 0; kind < SURFACE_KINDS; kind++)
    for (int32_t place = surface_mesh_first_place(k->mesh, (surface_kind)kind, leaf);
         place < surface_mesh_first_place(k->mesh, (surface_kind)kind, leaf + 1); place++)
      for (int corner = 0; corner <= kind && more; corner++)
        more = take_around(k, patch, leaf, k->mesh->of[kind].corner[corner][place], count, false);
  return more;
}

bool flat_region_take_members(flat_region_builder *k, flat_region *patch, int32_t leaf) {
  int32_t count = 0, seen = 0;
  if (!flat_region_take_member(k, patch, leaf) || !take_first_ring(k, patch, leaf, &count)) {
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

static bool has_member_at(const flat_region_builder *k, int32_t vertex) {
  for (int32_t n = k->joins->first_at[vertex]; n < k->joins->first_at[vertex + 1]; n++)
    if (k->member[flat_region_cluster_of(k, k->joins->at[n])] >= 0)
      return true;
  return false;
}

static bool has_member_along(const flat_region_builder *k, int32_t edge) {
  const int32_t along = k->joins->along[edge], beyond = along >= 0 ? k->joins->beyond[along] : JOIN_BORDER;
  return (along >= 0 && k->member[flat_region_cluster_of(k, along / 3)] >= 0) ||
         (beyond >= 0 && k->member[flat_region_cluster_of(k, beyond)] >= 0);
}

bool flat_region_covers(const flat_region_builder *k, int32_t leaf) {
  const cluster_boundary *rim = &k->rims[leaf];
  for (int32_t n = 0; n < rim->bare_vertex_count; n++)
    if (!has_member_at(k, rim->bare[n]))
      return false;
  for (int32_t n = rim->bare_vertex_count; n < rim->bare_count; n++)
    if (!has_member_along(k, rim->bare[n]))
      return false;
  return true;
}
