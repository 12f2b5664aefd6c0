/* Lookup tables of a surface_mesh by slot. They are computed again when the order of slots changes. */
#include "engine/contact/surface_mesh.h"

#include <string.h>

/* First pass: counts the primitives of each slot. Second pass: writes them, which advances first[slot] to
   its end. */
static void go_around(const surface_mesh *mesh, surface_kind kind, vertex_adjacency *at, bool counts) {
  const surface_primitives *of = &mesh->of[kind];
  const int corners = (int)kind + 1;
  for (int32_t place = 0; place < of->block_count * SURFACE_BLOCK; place++) {
    if (place % SURFACE_BLOCK >= of->filled[place / SURFACE_BLOCK])
      continue;
    for (int corner = 0; corner < corners; corner++) {
      const int32_t slot = mesh->slot[of->corner[corner][place]],
                    next = of->corner[(corner + 1) % corners][place],
                    last = of->corner[(corner + 2) % corners][place];
      if (counts) {
        at->first[slot + 1]++;
        continue;
      }
      int32_t *others = at->others[at->first[slot]++];
      others[0] = mesh->slot[next];
      others[1] = kind == SURFACE_EDGES ? mesh->leaves[surface_mesh_leaf_of(last)].piece : mesh->slot[last];
    }
  }
}

static void list_around(const surface_mesh *mesh, surface_kind kind, vertex_adjacency *at) {
  const size_t count = (size_t)mesh->particles;
  memset(at->first, 0, (count + 1) * sizeof *at->first);
  go_around(mesh, kind, at, true);
  for (size_t slot = 0; slot < count; slot++)
    at->first[slot + 1] += at->first[slot];
  go_around(mesh, kind, at, false);
  memmove(at->first + 1, at->first, count * sizeof *at->first);
  at->first[0] = 0;
}

bool surface_mesh_find_first_edge(const surface_mesh *mesh, int32_t slot, int32_t to,
                                  const int32_t others[2]) {
  const vertex_adjacency *at = &mesh->edges_at;
  int32_t own = at->first[slot];
  while (own < at->first[slot + 1] && at->others[own][0] != to)
    own++;
  if (own == at->first[slot + 1])
    return false;
  for (int32_t n = at->first[slot]; n < own; n++)
    if (at->others[n][1] == at->others[own][1] && at->others[n][0] != others[0] &&
        at->others[n][0] != others[1])
      return false;
  return to != others[0] && to != others[1];
}

static void find_first_edges(const surface_mesh *mesh) {
  const vertex_adjacency *at = &mesh->edges_at;
  for (int32_t slot = 0; slot < mesh->particles; slot++) {
    const int32_t first = at->first[slot], end = at->first[slot + 1];
    const bool is_of_one = first < end && at->others[first][1] == at->others[end - 1][1];
    mesh->first_edge[slot] = is_of_one ? at->others[first][0] : -1;
  }
}

void surface_mesh_set_slots(surface_mesh *mesh, const int32_t *slot) {
  for (int32_t n = 0; n < mesh->particles; n++)
    mesh->first_vertex[n] = -1;
  for (int32_t v = mesh->leaf_count * SURFACE_BLOCK - 1; v >= 0; v--) {
    const int32_t particle = mesh->of[SURFACE_VERTICES].particle[0][v];
    mesh->slot[v] = slot ? slot[particle] : particle;
    mesh->piece[mesh->slot[v]] = mesh->leaves[surface_mesh_leaf_of(v)].piece;
    if (!surface_mesh_is_filled(mesh, SURFACE_VERTICES, v))
      continue;
    mesh->next_vertex[v] = mesh->first_vertex[mesh->slot[v]];
    mesh->first_vertex[mesh->slot[v]] = v;
  }
  list_around(mesh, SURFACE_EDGES, &mesh->edges_at);
  list_around(mesh, SURFACE_TRIANGLES, &mesh->triangles_at);
  find_first_edges(mesh);
}
