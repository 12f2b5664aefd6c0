/* The compiled collision surface: all collision meshes of a world, in the layout that the pair search needs.
   A `piece` is one collision mesh, made of triangles (cloth, the skin of a soft body), segments (ropes) or
   both.

   Each piece has vertices, edges and triangles. A particle is one vertex in each piece that contains it, an
   edge of two triangles is one edge, and a segment of a rope is an edge like any other. Two pieces can share
   a particle, but never a vertex.

   Vertices are ordered by recursive bisection of their bounding box, so that 16 consecutive ones are
   neighbors at rest. They form a leaf (a cluster). Each edge and triangle belongs to the leaf of its first
   vertex. The primitives of each kind in a leaf are stored in blocks of 16 places, the last of which may be
   incomplete:

       leaf       0               1                     2
       vertices   |0 ..... 15|    |16 ...... 31|        |32 . 40------|
       edges      |0 ..... 15|16 .. 27----|  |32 ..... 47|48 ..... 63|64 . 70----|  |...
       triangles  |...

   Vertex numbers are places too, so the n-th leaf begins at vertex 16 n. The order of leaves, blocks and
   places depends only on the definition of the surface. */
#ifndef MSD_ENGINE_CONTACT_SURFACE_MESH_H
#define MSD_ENGINE_CONTACT_SURFACE_MESH_H

#include "engine/base/memory.h"
#include "engine/base/record.h"
#include "engine/base/vec3.h"
#include "engine/contact/flat_regions.h"

enum { SURFACE_BLOCK = 16, SURFACE_CORNERS = 3 };

/* The value is the number of corners less one. */
typedef enum surface_kind { SURFACE_VERTICES, SURFACE_EDGES, SURFACE_TRIANGLES, SURFACE_KINDS } surface_kind;

/* Definition of a piece. */
typedef struct surface_body {
  /* Particles, three for each triangle and two for each segment. If a particle occurs twice in a primitive,
     only its edges between different particles are used. */
  const int32_t *triangles, *segments;
  int32_t triangle_count, segment_count;
  /* m: distance at which two such pieces touch. Pieces of different thickness touch at their mean. */
  msd_real thickness;
  /* Coulomb's coefficient; below 0: the default. */
  msd_real friction;
} surface_body;

/* Definition of a surface. The caller owns all arrays. */
typedef struct surface_definition {
  const surface_body *pieces;
  int32_t piece_count;
  /* Pairs of pieces that do not collide, in any order; {n, n} disables self-collision of piece n. */
  const int32_t (*ignored)[2];
  int32_t ignored_count;
  /* By particle of a piece, in m: its rest position, where it was when the surface was placed. */
  const msd_vec3 *rest;
  /* Of the world. */
  int32_t particle_count;
  /* At most; 0 means one. */
  int threads;
  const msd_tasks *tasks;
  /* As surface_mesh_set_slots. */
  const int32_t *slot;
} surface_definition;

/* All vertices, edges or triangles of a surface. */
typedef struct surface_primitives {
  int32_t count;
  int32_t block_count;
  /* leaf_count + 1 entries: where the blocks of each leaf begin. */
  int32_t *first_block;
  /* By block: the number of places in use. */
  int32_t *filled;
  /* By place: its vertices. Unused places repeat the first of their block. */
  int32_t *corner[SURFACE_CORNERS];
  /* By place: the particles of these vertices. */
  int32_t *particle[SURFACE_CORNERS];
} surface_primitives;

/* The edges or triangles at each particle, by slot. */
typedef struct vertex_adjacency {
  /* By slot, plus one entry: where those of each particle begin. */
  int32_t *first;
  /* For an edge: the slot of its other end, and its piece. For a triangle: the slots of the other two
     corners. In the order of the primitives. */
  int32_t (*others)[2];
} vertex_adjacency;

/* A leaf, and the box at rest of all its primitives in m. */
typedef struct surface_leaf {
  int32_t piece;
  /* m: half the thickness of the piece. */
  msd_real half;
  double low[3], high[3];
} surface_leaf;

/* Least gap of a pair along the normal of a face, as a part of the thickness, for planes and forces along that
   normal. Bodies pressed thinner, between two jaws, keep those along their closest points. */
#define SURFACE_LEAST_LEVEL_GAP 0.5

typedef struct surface_mesh {
  surface_primitives of[SURFACE_KINDS];
  int32_t leaf_count;
  surface_leaf *leaves;
  /* Neighborhoods that cannot touch themselves while they are smooth. */
  flat_regions patches;
  /* The vertices that the primitives of leaf n use: `reached` from first_reached[n] up to first_reached[n +
     1] - 1. Whole blocks, padded with the first vertex. */
  int32_t *first_reached, *reached;
  /* The leaves of these vertices, in the same layout but without padding. */
  int32_t *first_used, *used;
  /* The inverse: the leaves that use a leaf, ascending. */
  int32_t *first_user, *user;
  /* By vertex: the slot of its particle (store/particle.h). */
  int32_t *slot;
  /* By slot: the first vertex of the particle; by vertex: the next one of the same particle. -1: none. */
  int32_t *first_vertex, *next_vertex;
  /* By vertex, a quad (base/record.h): its rest position in m; the fourth number is unused. */
  msd_real *rest;
  /* ignored_count distinct pairs in ascending order, with the lower piece in the upper 32 bits. */
  uint64_t *ignored;
  int32_t ignored_count;
  /* All pairs of pieces are ignored, including each piece with itself. */
  bool touches_nothing;
  /* By piece: its friction. By slot: the first piece that contains the particle. */
  msd_real *friction;
  int32_t *piece;
  vertex_adjacency edges_at, triangles_at;
  /* By slot: the other end of its first edge; -1 if it has none, or edges of several pieces. */
  int32_t *first_edge;
  int32_t particles;
} surface_mesh;

/* Builds the mesh; initialize with zeros before the first call. False without memory or above 2^31-1
   primitives; the mesh is then unchanged. */
bool surface_mesh_make(surface_mesh *mesh, memory *m, const surface_definition *from);
void surface_mesh_free(surface_mesh *mesh, memory *m);

/* Adapts to another order of slots: slot[i] is that of particle i. NULL: slots are particle indices. */
void surface_mesh_set_slots(surface_mesh *mesh, const int32_t *slot);

/* True if the two pieces never touch. */
bool surface_mesh_ignores(const surface_mesh *mesh, int32_t piece, int32_t other);

/* The friction between two particles, by slot; `otherwise` if neither piece has its own. */
static inline msd_real surface_mesh_friction(const surface_mesh *mesh, int32_t slot, int32_t other,
                                             msd_real otherwise) {
  const msd_real a = mesh->friction[mesh->piece[slot]], b = mesh->friction[mesh->piece[other]];
  if (a < 0 || b < 0)
    return a >= 0 ? a : b >= 0 ? b : otherwise;
  return (msd_real)sqrt((double)a * (double)b);
}

/* True if the edge from `slot` to `to` is the first of its piece there, not counting edges to `others`. */
bool surface_mesh_find_first_edge(const surface_mesh *mesh, int32_t slot, int32_t to,
                                  const int32_t others[2]);

/* The same with a fast path. */
static inline bool surface_mesh_is_first_edge(const surface_mesh *mesh, int32_t slot, int32_t to,
                                              const int32_t others[2]) {
  const int32_t first = mesh->first_edge[slot];
  if (first < 0 || first == others[0] || first == others[1])
    return surface_mesh_find_first_edge(mesh, slot, to, others);
  return first == to;
}

static inline int32_t surface_mesh_places(const surface_mesh *mesh, surface_kind kind) {
  return mesh->of[kind].block_count * SURFACE_BLOCK;
}

static inline bool surface_mesh_is_filled(const surface_mesh *mesh, surface_kind kind, int32_t place) {
  return place % SURFACE_BLOCK < mesh->of[kind].filled[place / SURFACE_BLOCK];
}

/* The first place of a leaf. Its places end where those of the next leaf begin. */
static inline int32_t surface_mesh_first_place(const surface_mesh *mesh, surface_kind kind, int32_t leaf) {
  return mesh->of[kind].first_block[leaf] * SURFACE_BLOCK;
}

static inline double3 surface_mesh_rest(const surface_mesh *mesh, int32_t vertex) {
  const msd_real *x = mesh->rest + (size_t)vertex * RECORD_QUAD;
  return (double3){(double)x[0], (double)x[1], (double)x[2]};
}

/* A corner of the triangle in a place, modulo 3. */
static inline int32_t surface_mesh_triangle_corner(const surface_mesh *mesh, int32_t place, int corner) {
  return mesh->of[SURFACE_TRIANGLES].corner[corner % SURFACE_CORNERS][place];
}

static inline int32_t surface_mesh_leaf_of(int32_t vertex) {
  return vertex / SURFACE_BLOCK;
}

/* True if the primitive contains the particle. */
static inline bool surface_mesh_has(const surface_mesh *mesh, surface_kind kind, int32_t place,
                                    int32_t particle) {
  for (int corner = 0; corner <= (int)kind; corner++)
    if (mesh->of[kind].particle[corner][place] == particle)
      return true;
  return false;
}

/* True if two primitives share a particle. */
static inline bool surface_mesh_share(const surface_mesh *mesh, surface_kind kind, int32_t place,
                                      surface_kind other_kind, int32_t other) {
  for (int corner = 0; corner <= (int)other_kind; corner++)
    if (surface_mesh_has(mesh, kind, place, mesh->of[other_kind].particle[corner][other]))
      return true;
  return false;
}

#endif
