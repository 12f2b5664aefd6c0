#include "scenes/meshes/mesh_pieces.h"

#include <stdlib.h>
#include <string.h>

/* The first vertex of the piece of a vertex; the ways there become shorter. */
static int32_t find_first(int32_t *before, int32_t vertex) {
  while (before[vertex] != vertex) {
    before[vertex] = before[before[vertex]];
    vertex = before[vertex];
  }
  return vertex;
}

static void join(int32_t *before, int32_t a, int32_t b) {
  const int32_t p = find_first(before, a), q = find_first(before, b);
  before[p > q ? p : q] = p > q ? q : p;
}

/* piece_of[v] becomes the number of the piece of vertex v; -1: it is in none. Their number. */
static int32_t number_pieces(const mesh_data *mesh, int32_t *before, int32_t *piece_of) {
  enum { IN_ONE = -2 };
  for (int32_t v = 0; v < mesh->vertex_count; v++) {
    before[v] = v;
    piece_of[v] = -1;
  }
  for (int32_t i = 0; i < CORNERS * mesh->triangle_count; i++) {
    join(before, mesh->triangles[i], mesh->triangles[i - i % CORNERS]);
    piece_of[mesh->triangles[i]] = IN_ONE;
  }
  for (int32_t e = 0; e < 2 * mesh->segment_count; e++) {
    join(before, mesh->segments[e], mesh->segments[e - e % 2]);
    piece_of[mesh->segments[e]] = IN_ONE;
  }
  int32_t pieces = 0;
  for (int32_t v = 0; v < mesh->vertex_count; v++) {
    const int32_t first = find_first(before, v);
    if (piece_of[v] == IN_ONE)
      piece_of[v] = first == v ? pieces++ : piece_of[first];
  }
  return pieces;
}

static void keep_of_piece(mesh_data *mesh, const int32_t *piece_of, int32_t piece) {
  int32_t triangles = 0, segments = 0;
  for (int32_t t = 0; t < mesh->triangle_count; t++) {
    const size_t from = (size_t)CORNERS * (size_t)t, to = (size_t)CORNERS * (size_t)triangles;
    if (piece_of[mesh->triangles[from]] != piece)
      continue;
    memmove(mesh->triangles + to, mesh->triangles + from, CORNERS * sizeof *mesh->triangles);
    memmove(mesh->corner_of + to, mesh->corner_of + from, CORNERS * sizeof *mesh->corner_of);
    mesh->face_of[triangles++] = mesh->face_of[t];
  }
  for (int32_t e = 0; e < mesh->segment_count; e++) {
    if (piece_of[mesh->segments[2 * e]] != piece)
      continue;
    mesh->segments[2 * segments] = mesh->segments[2 * e];
    mesh->segments[2 * segments + 1] = mesh->segments[2 * e + 1];
    segments++;
  }
  mesh->triangle_count = triangles;
  mesh->segment_count = segments;
}

bool mesh_keep_piece(mesh_data *mesh, int32_t piece, scene_error *error) {
  const size_t count = (size_t)mesh->vertex_count + 1;
  int32_t *before = malloc(count * sizeof *before), *piece_of = malloc(count * sizeof *piece_of);
  const int32_t pieces = before && piece_of ? number_pieces(mesh, before, piece_of) : -1;
  if (pieces > piece)
    keep_of_piece(mesh, piece_of, piece);
  free(before);
  free(piece_of);
  if (pieces < 0)
    return scene_fail_out_of_memory(error);
  return pieces > piece || scene_fail(error, "%s: has no component %d; its components are 0 to %d",
                                      mesh->path, (int)piece, (int)pieces - 1);
}
