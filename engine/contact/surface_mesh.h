/* A compiled surface: what of a model can touch. Its pieces are bodies, each of triangles (cloth, the skin of a
   block) or of segments (ropes) or both.

   A piece has vertices, edges and triangles. A particle is a vertex once in each piece that has it, an edge of
   two triangles is one edge, and a segment of a rope is an edge like any other. What two pieces share is known
   by the particle.

   Vertices are ordered by halving their box again and again, so that 16 in a row are neighbours at rest: a
   leaf. It has the vertices that it is made of, and of the edges and triangles those whose first vertex it has:
   every one has one owner. Within a leaf each kind stands in blocks of 16 places, of which the last may be
   filled in part:

       leaf       0               1                     2
       vertices   |0 ..... 15|    |16 ...... 31|        |32 . 40------|
       edges      |0 ..... 15|16 .. 27----|  |32 ..... 47|48 ..... 63|64 . 70----|  |...
       triangles  |...

   Vertex numbers are places too, so the n-th leaf begins at vertex 16 n. The order of leaves, blocks and places
   follows from what the surface is made of alone. */
#ifndef MSD_ENGINE_CONTACT_SURFACE_MESH_H
#define MSD_ENGINE_CONTACT_SURFACE_MESH_H

#include "engine/base/memory.h"
#include "engine/base/record.h"
#include "engine/base/vec3.h"
#include "engine/contact/patches.h"

enum { SURFACE_BLOCK = 16, SURFACE_CORNERS = 3 };

/* Named by what has one, two and three corners. */
typedef enum surface_kind { SURFACE_VERTICES, SURFACE_EDGES, SURFACE_TRIANGLES, SURFACE_KINDS } surface_kind;

/* What a piece is made from. */
typedef struct surface_piece {
  /* Three particles each, and two each. One that has a particle twice has no area or no length, and of it only
     the edges between different particles are taken. */
  const int32_t *triangles, *segments;
  int32_t triangle_count, segment_count;
  /* m: how far apart two such surfaces are when they touch. Pieces of two thicknesses touch at their mean. */
  msd_real thickness;
  /* Coulomb's; below 0: none of its own. */
  msd_real friction;
} surface_piece;

/* What a surface is made from. All arrays are the caller's. */
typedef struct surface_definition {
  const surface_piece *pieces;
  int32_t piece_count;
  /* Pairs of pieces that never touch; a piece paired with itself does not touch itself. In any order. */
  const int32_t (*ignored)[2];
  int32_t ignored_count;
  /* Of every particle of a piece where it was when the surface was placed. */
  const msd_vec3 *rest;
  /* All that there are. */
  int32_t particle_count;
  /* That make it, at most; 0: one. */
  int threads;
  const msd_tasks *tasks;
  /* As surface_mesh_set_slots. */
  const int32_t *slot;
} surface_definition;

/* All vertices, edges or triangles. */
typedef struct surface_primitives {
  int32_t count;
  int32_t block_count;
  /* leaf_count + 1: where the blocks of each leaf begin. */
  int32_t *first_block;
  /* Of each block: the places of it that are filled. */
  int32_t *filled;
  /* Of each place its vertices; of one that is not filled, those of the first in its block. A vertex has
     itself. */
  int32_t *corner[SURFACE_CORNERS];
  /* The particles of these vertices. */
  int32_t *particle[SURFACE_CORNERS];
} surface_primitives;

/* By slot, the edges or triangles that a particle is in. */
typedef struct surface_around {
  /* One more than there are slots: where those of each begin. */
  int32_t *first;
  /* Of an edge the slot of its other end, and its piece; of a triangle the slots of the other two corners. In
     the order of the edges or triangles. */
  int32_t (*others)[2];
} surface_around;

/* What a leaf is at rest, for all that it owns. */
typedef struct surface_leaf {
  int32_t piece;
  /* m: half of the piece's thickness. */
  msd_real half;
  double low[3], high[3];
} surface_leaf;

typedef struct surface_mesh {
  surface_primitives of[SURFACE_KINDS];
  int32_t leaf_count;
  surface_leaf *leaves;
  /* What of it cannot touch while it is smooth. */
  surface_patches patches;
  /* The vertices of all that the n-th leaf owns: reached[first_reached[n]] and so on up to that of the next, in
     whole blocks, the last of which is filled with the first. */
  int32_t *first_reached, *reached;
  /* The leaves that these are of, in the same way, but for blocks. */
  int32_t *first_used, *used;
  /* The other way around: the leaves that use one, ascending. */
  int32_t *first_user, *user;
  /* Of each vertex the slot of its particle (store/particle.h). */
  int32_t *slot;
  /* By slot the first vertex of the particle, and of each vertex the next of the same; -1: there is none. */
  int32_t *first_vertex, *next_vertex;
  /* Of each vertex a quad (base/record.h): where it is at rest, and nothing. */
  msd_real *rest;
  /* Ascending and different: ignored_count pairs, the lower piece in the upper half. */
  uint64_t *ignored;
  int32_t ignored_count;
  /* All pairs of pieces are ignored, those of a piece with itself, too. */
  bool touches_nothing;
  /* Of each piece; and of each slot that has a vertex the piece of it, the first of several. */
  msd_real *friction;
  int32_t *piece;
  surface_around edges_at, triangles_at;
  /* By slot, the other end of its first edge; -1 where it has none or those of several pieces. */
  int32_t *first_edge;
  int32_t particles;
} surface_mesh;

/* Makes it anew. False, with the mesh as it was, when there is no memory or more than 2^31-1 of something.
   Begin with all zeros. */
bool surface_mesh_make(surface_mesh *mesh, memory *m, const surface_definition *from);
void surface_mesh_free(surface_mesh *mesh, memory *m);

/* Follows the particles to other slots: slot[i] is that of particle i; NULL: its index, as after making. */
void surface_mesh_set_slots(surface_mesh *mesh, const int32_t *slot);

/* Whether no primitive of one piece may touch one of the other. */
bool surface_mesh_ignores(const surface_mesh *mesh, int32_t piece, int32_t other);

/* The friction between what has the one slot and what has the other; `otherwise` where neither has its own. */
static inline msd_real surface_mesh_friction(const surface_mesh *mesh, int32_t slot, int32_t other,
                                             msd_real otherwise) {
  const msd_real a = mesh->friction[mesh->piece[slot]], b = mesh->friction[mesh->piece[other]];
  if (a < 0 || b < 0)
    return a >= 0 ? a : b >= 0 ? b : otherwise;
  return (msd_real)sqrt((double)a * (double)b);
}

/* Whether the edge from one slot to another is the first of its piece there, leaving out those to two
   others. */
bool surface_mesh_find_first_edge(const surface_mesh *mesh, int32_t slot, int32_t to,
                                  const int32_t others[2]);

/* The same, for most at a glance. */
static inline bool surface_mesh_is_first_edge(const surface_mesh *mesh, int32_t slot, int32_t to,
                                              const int32_t others[2]) {
  const int32_t first = mesh->first_edge[slot];
  if (first < 0 || first == others[0] || first == others[1])
    return surface_mesh_find_first_edge(mesh, slot, to, others);
  return first == to;
}

/* How many places of a kind there are, and whether one is filled. */
static inline int32_t surface_mesh_places(const surface_mesh *mesh, surface_kind kind) {
  return mesh->of[kind].block_count * SURFACE_BLOCK;
}

static inline bool surface_mesh_is_filled(const surface_mesh *mesh, surface_kind kind, int32_t place) {
  return place % SURFACE_BLOCK < mesh->of[kind].filled[place / SURFACE_BLOCK];
}

/* The first place of a leaf; that of the leaf behind is where its places end. */
static inline int32_t surface_mesh_first_place(const surface_mesh *mesh, surface_kind kind, int32_t leaf) {
  return mesh->of[kind].first_block[leaf] * SURFACE_BLOCK;
}

/* Where a vertex is at rest. */
static inline double3 surface_mesh_rest(const surface_mesh *mesh, int32_t vertex) {
  const msd_real *x = mesh->rest + (size_t)vertex * RECORD_QUAD;
  return (double3){(double)x[0], (double)x[1], (double)x[2]};
}

/* A corner of the triangle in a place, counted on from any. */
static inline int32_t surface_mesh_triangle_corner(const surface_mesh *mesh, int32_t place, int corner) {
  return mesh->of[SURFACE_TRIANGLES].corner[corner % SURFACE_CORNERS][place];
}

/* The leaf of a vertex. */
static inline int32_t surface_mesh_leaf_of(int32_t vertex) {
  return vertex / SURFACE_BLOCK;
}

/* Whether a primitive of that kind, in that place, has the particle. */
static inline bool surface_mesh_has(const surface_mesh *mesh, surface_kind kind, int32_t place,
                                    int32_t particle) {
  for (int corner = 0; corner <= (int)kind; corner++)
    if (mesh->of[kind].particle[corner][place] == particle)
      return true;
  return false;
}

/* Whether two primitives, each of a kind and in a place, share a particle. */
static inline bool surface_mesh_share(const surface_mesh *mesh, surface_kind kind, int32_t place,
                                      surface_kind other_kind, int32_t other) {
  for (int corner = 0; corner <= (int)other_kind; corner++)
    if (surface_mesh_has(mesh, kind, place, mesh->of[other_kind].particle[corner][other]))
      return true;
  return false;
}

#endif
