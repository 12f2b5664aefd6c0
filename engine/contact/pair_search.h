/* The search for candidate pairs: which points and triangles, and which edges, may come so close to each other
   in the near future that something must look at them.

   Every vertex i of a surface is predicted on X_i + V_i t, and promises to stay within its skin R_i of that for
   t in [0, T]. A pair comes close when its distance is below its thickness h. All pairs that could are listed,
   but for those that share a particle, or whose pieces ignore each other; most of those that could not are
   left out:

                 B(t)                 n    the direction between the closest points at t = 0: the witness
            o--------o   .            g(t) the least of n.b for the vertices b of B, less the most of n.a for
             \ skin R    . g(t)            the vertices a of A, and less the largest R of each: never more
          n ^           .                  than the distance of A and B as long as all keep within their skins
            |    o---------o
                  A(t)

   Each n.(X + V t) is a line over t, so g is concave: the least of lines less the most of lines. Hence
   g(t) >= g(0) + (g(T) - g(0)) t/T, and where g(0) >= h and g(T) >= h nothing in between is less: the pair is
   left out. Both gaps are kept with the pairs that are listed: at the time t of the list no such pair is closer
   than that line. Rounding is taken off them beforehand.

   The thickness of a pair is at most 0.9 times its distance at rest, and within one piece 0.3 times, so that
   meshes finer than the surfaces are thick do not push themselves apart, and can be creased.

   Broad phase. Everything has a box at 0 and one at T, widened by the largest R of its vertices and half the
   thickness. Sides of boxes
   around what moves on straight lines bend outwards only, so two boxes that are apart along an axis at 0 and,
   on the same side, at T are apart in between. The boxes of 16 primitives, leaves or nodes stand beside each
   other, component by component, and are tested at once:

       node     0 . . . . 15        a tree over the leaves of the surface_mesh, 16 to a node
                |
       leaf     0 . . . . 15 | 16 . . .
                |
       blocks   vertices | edges edges edges | triangles triangles

   Each leaf a looks for leaves b >= a that touch it, and notes those that are not known to stay apart
   (patches.h). Blocks of leaves that none has noted, in a smooth cloth nearly all, have no boxes. Then
   each block of the one is held against those of the other, and each primitive of a block that touches the box
   around another block against the 16 in that. What is left are candidates, collected in batches for the narrow
   phase, which finds n and both gaps of several at once, and of those that are left how thick they are.

   Order. Pairs are listed by a, and for one a in the order in which batches of a fixed size are full: the same
   list for any number of threads and any width of vectors. Threads take chunks of leaves, and what they found
   is put together in the order of the chunks.

   Ranks. Each takes chunks that follow each other, as many as make its share by what was found in them last
   time, and places boxes and planes of what these ask for; then all get what each has found, in the order of
   the chunks. Where there is little to search each rank does all of it.

   Where a few particles have other X, V and R than the list was made with, it is mended (pair_mending.h). */
#ifndef MSD_ENGINE_CONTACT_PAIR_SEARCH_H
#define MSD_ENGINE_CONTACT_PAIR_SEARCH_H

#include "engine/base/parallel.h"
#include "engine/base/record.h"
#include "engine/contact/contact_team.h"
#include "engine/contact/surface_mesh.h"

#include <stdatomic.h>

/* m: the gaps of pairs that were listed and are no more. */
#define PAIR_FAR ((msd_real)1e15)

enum { PAIR_CORNERS = 4, PAIR_BOX = 12, PAIR_LEVELS = 8, PAIR_MEETINGS = 32, PAIR_AWAKE = 1 };

/* Numbers of a leaf, in quads whose fourth is nothing: the two columns of F at 0 and at T, and its frame, x y z
   each; then |F|, and how far others are from it along the surface and across. */
enum {
  PATCH_GRADIENT = 12,
  PATCH_FRAME = 4 * RECORD_QUAD,
  PATCH_SIZE = PATCH_FRAME + 3 * RECORD_QUAD,
  PATCH_ALONG,
  PATCH_ACROSS,
  PATCH_NUMBERS = PATCH_SIZE + RECORD_QUAD
};

/* Of its distance at rest, how thick a pair is at most: within one piece, and of two. */
static inline msd_real pair_rest_share(bool is_one_piece) {
  return (msd_real)(is_one_piece ? 0.3 : 0.9);
}

/* The corners of a point and a triangle are p, a, b, c, those of two edges a0, a1, b0, b1. */
typedef enum pair_kind { PAIR_POINT_TRIANGLE, PAIR_EDGE_EDGE, PAIR_KINDS } pair_kind;

typedef struct pair_list {
  int32_t count, capacity;
  /* The slots of the corners. */
  int32_t (*slots)[PAIR_CORNERS];
  /* A pair_kind. */
  uint8_t *kind;
  /* m: h of the pair. */
  msd_real *thickness;
  /* m: g(0) and g(T), or less. */
  msd_real *gap_begin, *gap_end;
  /* m: what skins have taken off them, or less. */
  msd_real *skins;
} pair_list;

/* What to search for. */
typedef struct pair_question {
  /* Six components by slot, positions X and velocities V (store/particle.h), with that stride. */
  const msd_real *state;
  size_t stride;
  /* m, by slot: R >= 0. */
  const msd_real *skins;
  /* s: T >= 0. */
  msd_real horizon;
  /* By slot, who is awake (PAIR_AWAKE); pairs of those that are not are left out. NULL: all are. */
  const uint8_t *awake;
  /* Another number when others are awake or something else has changed of those that are not. Until then their
     leaves stay where they are placed. */
  uint64_t awake_for;
  /* Who searches together; NULL: this process does alone. */
  contact_team *team;
  const msd_tasks *tasks;
  /* At most. */
  int threads;
  msd_simd simd;
} pair_question;

/* The boxes of 16 primitives or nodes. Component c of the n-th is at[c][n]: the low and the high sides at 0,
   x y z each, then those at T. What is not filled has its low sides at infinity and its high ones at
   -infinity, and touches nothing. */
typedef struct pair_block {
  msd_real at[PAIR_BOX][SURFACE_BLOCK];
} pair_block;

/* The columns of F of 16 triangles, at 0 and at T, component by component. */
typedef struct patch_block {
  msd_real at[PATCH_GRADIENT][SURFACE_BLOCK];
} patch_block;

/* Some of the leaves that look for pairs, which a thread takes at once, and where in its list their pairs are;
   count < 0: they are still to be found. Then where in the list they go. */
typedef struct pair_chunk {
  int32_t part, first, count, to;
} pair_chunk;

/* A search and its buffers. Begin with all zeros. */
typedef struct pair_search {
  /* What the last build found. */
  pair_list list;

  /* The records (base/record.h) of the vertices, with T V in place of the velocity and R as the fourth number
     of the position; and R. */
  msd_real *records, *vertex_skins;
  /* Of the vertices of each leaf the least and the largest. */
  msd_real (*skin_range)[2];
  pair_block *blocks[SURFACE_KINDS];
  /* The box around each of these blocks, but for those of vertices, which are never columns. */
  msd_real (*around[SURFACE_KINDS])[PAIR_BOX];
  /* levels[0] has the boxes of the leaves, levels[n + 1] those of the blocks of levels[n]. */
  pair_block *levels[PAIR_LEVELS];
  int level_count;
  /* m, of each leaf: the most that one of its vertices travels until T, as |x| + |y| + |z|; the largest skin of
     all corners that it has. */
  msd_real *travel, *skin;
  /* Of each leaf the numbers of patch_kernel.h; and the triangles of those with any. */
  msd_real (*gradients)[PATCH_NUMBERS];
  patch_block *triangles;
  /* Of each leaf that looks for pairs, how many leaves it meets, and which, where there is room for all. */
  int32_t *meeting_count, (*meetings)[PAIR_MEETINGS];
  /* Of each leaf, whether some leaf meets it, which threads set side by side; and whether the boxes of what it
     owns are those of its records, which whoever lays them first says. */
  atomic_uchar *is_met, *is_laid;
  /* Of each block, which of it are looked for: bit n is the n-th. Whether something of a leaf is, and whether a
     vertex of it is; and the leaves of which something is. */
  uint16_t *sought[SURFACE_KINDS];
  /* Where a list is mended, the box around what is looked for of each leaf that has some. */
  msd_real (*sought_box)[PAIR_BOX];
  uint8_t *seeks, *is_moved;
  /* Of each leaf, whether nothing around it is awake; and for which `awake_for`, 0: none. */
  uint8_t *stands;
  uint64_t stands_for;
  int32_t *seekers;
  int32_t seeker_count;
  pair_chunk *chunks;
  int32_t chunk_count, chunk_leaves;
  /* Of these, the ones that this rank takes. */
  parallel_range own_chunks;
  /* How many pairs each chunk has, when ranks have told; of each leaf, how many it had in the last build that
     they shared; and whether this rank asks how smooth it is. */
  int32_t *found, *past;
  uint8_t *smooths;
  /* What each thread found; and what they deal out to each other before. */
  pair_list *parts;
  parallel_pile *piles;
  int part_count;
  /* What the buffers have room for. */
  int32_t leaf_room, block_room[SURFACE_KINDS];
} pair_search;

/* Finds the list anew. False, with the list as it was, when there is no memory, on this rank or another one,
   or the pairs would be more than 2^31-1. */
bool pair_search_build(pair_search *search, memory *m, const surface_mesh *mesh,
                       const pair_question *question);

void pair_search_free(pair_search *search, memory *m);

#endif
