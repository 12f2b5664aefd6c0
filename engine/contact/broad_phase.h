/* The broad phase: lists candidate pairs, the points and triangles and the edge pairs that may come within
   their thickness in the near future (a Verlet neighbor list).

   Each vertex i is predicted at X_i + V_i t and must stay within its skin R_i of that for t in [0, T]. The
   list contains every pair whose distance can fall below its thickness h, except pairs that share a particle
   or whose collision meshes ignore each other. Most other pairs are ruled out:

                 B(t)                 n    the direction between the closest points at t = 0: the witness
            o--------o   .            g(t) the least n.b of the vertices b of B, less the greatest n.a of the
             \ skin R    . g(t)            vertices a of A, less the largest R of each: a lower bound of the
          n ^           .                  distance while all vertices stay within their skins
            |    o---------o
                  A(t)

   Each n.(X + V t) is linear in t, so g, a minimum of lines less a maximum of lines, is concave and

       g(t) >= g(0) + (g(T) - g(0)) t/T.

   If g(0) >= h and g(T) >= h the pair is left out. Listed pairs store both gaps, reduced by rounding: at
   time t the distance is never below that line.

   The thickness of a pair is at most 0.9 times its distance at rest, or 0.3 times within one collision mesh.
   Meshes finer than their thickness therefore do not push themselves apart, and can be creased.

   Boxes. Each primitive has a box at 0 and one at T, widened by the largest R of its vertices and half the
   thickness. The sides of a box around points in uniform motion are convex functions of time. So two boxes
   that are apart along an axis at 0 and, on the same side, at T are apart in between. The boxes of 16
   primitives, leaves or nodes are stored component by component and tested at once:

       node     0 . . . . 15        a tree over the leaves of the surface_mesh, 16 to a node
                |
       leaf     0 . . . . 15 | 16 . . .
                |
       blocks   vertices | edges edges edges | triangles triangles

   Each leaf a finds the leaves b >= a whose boxes overlap its own, except those that are proven to stay
   apart (flat_regions.h). Leaves that are in no such pair, nearly all in a smooth cloth, get no boxes for
   their blocks. For each pair of leaves, the blocks of one are tested against those of the other, and each
   primitive that overlaps the box around a block against the 16 in it. The remaining pairs are collected in
   batches for the narrow phase, which computes n, both gaps and the thickness of several pairs at once.

   Order. Pairs are ordered by a, and within a by the order in which batches of a fixed size are completed.
   The list is therefore the same for any number of threads and any vector width. Threads take chunks of
   leaves, and their results are joined in the order of chunks.

   Ranks. Each rank takes consecutive chunks with about equal numbers of pairs in the last search, and makes
   only the boxes and planes that these need. Then all ranks receive the results of all, in the order of
   chunks. Small searches are repeated on every rank.

   After a few particles got new X, V and R, the list is repaired instead of rebuilt (broad_phase_repair.h). */
#ifndef MSD_ENGINE_CONTACT_BROAD_PHASE_H
#define MSD_ENGINE_CONTACT_BROAD_PHASE_H

#include "engine/base/parallel.h"
#include "engine/base/record.h"
#include "engine/base/stop_poll.h"
#include "engine/contact/contact_ranks.h"
#include "engine/contact/surface_mesh.h"

#include <stdatomic.h>

/* m: the gaps of pairs that were removed from the list. */
#define PAIR_FAR ((msd_real)1e15)

enum { PAIR_CORNERS = 4, PAIR_BOX = 12, PAIR_LEVELS = 8, PAIR_MEETINGS = 32, PAIR_AWAKE = 1 };

/* Numbers of a leaf, in quads whose fourth is unused: the two columns of F at 0 and at T, and its frame, x y
   z each. Then |F|, and the deviation of its triangles from F, along the surface and across. */
enum {
  PATCH_GRADIENT = 12,
  PATCH_FRAME = 4 * RECORD_QUAD,
  PATCH_SIZE = PATCH_FRAME + 3 * RECORD_QUAD,
  PATCH_ALONG,
  PATCH_ACROSS,
  PATCH_NUMBERS = PATCH_SIZE + RECORD_QUAD
};

/* The largest thickness of a pair as a fraction of its distance at rest. */
static inline msd_real pair_rest_share(bool is_one_piece) {
  return (msd_real)(is_one_piece ? 0.3 : 0.9);
}

/* The corners of a point and a triangle are p, a, b, c; those of two edges a0, a1, b0, b1. */
typedef enum pair_kind { PAIR_POINT_TRIANGLE, PAIR_EDGE_EDGE, PAIR_KINDS } pair_kind;

typedef struct pair_list {
  int32_t count, capacity;
  /* The slots of the corners. */
  int32_t (*slots)[PAIR_CORNERS];
  /* pair_kind. */
  uint8_t *kind;
  /* m: h of the pair. */
  msd_real *thickness;
  /* m: lower bounds of g(0) and g(T). */
  msd_real *gap_begin, *gap_end;
  /* m: lower bound of what skins have taken off the gaps. */
  msd_real *skins;
} pair_list;

/* Input of a search. */
typedef struct pair_question {
  /* Six components by slot, positions X and velocities V (store/particle.h), with this stride. */
  const msd_real *state;
  size_t stride;
  /* m, by slot: R >= 0. */
  const msd_real *skins;
  /* s: T >= 0. */
  msd_real horizon;
  /* By slot: PAIR_AWAKE if the particle is awake. Pairs without awake particles are left out. NULL: all are
     awake. */
  const uint8_t *awake;
  /* Changes whenever `awake` does, or anything else of sleeping particles. Until then their boxes are
     reused. */
  uint64_t awake_for;
  /* Ranks that search together; NULL: this process only. */
  contact_team *team;
  const msd_tasks *tasks;
  /* At most. */
  int threads;
  msd_simd simd;
  /* The list may have at most this many pairs; 0: any number. */
  int64_t most_pairs;
  /* May be NULL. When stopped, the search fails as without memory. */
  stop_poll *stop;
} pair_question;

/* Boxes of 16 primitives or nodes. Component c of the n-th is at[c][n]: low and high sides at 0, x y z each,
   then at T. Unused boxes are inverted (low sides infinite, high sides -infinite) and overlap nothing. */
typedef struct pair_block {
  msd_real at[PAIR_BOX][SURFACE_BLOCK];
} pair_block;

/* The columns of F of 16 triangles, at 0 and at T, component by component. */
typedef struct patch_block {
  msd_real at[PATCH_GRADIENT][SURFACE_BLOCK];
} patch_block;

/* A chunk: some of the leaves that search for pairs, taken by a thread at once. The list of which thread,
   where its pairs begin there and how many they are (below 0: not yet found), and where they go in the final
   list. */
typedef struct pair_chunk {
  int32_t part, first, count, to;
} pair_chunk;

/* A search and its buffers. Initialize with zeros. */
typedef struct pair_search {
  /* The result of the last search. */
  pair_list list;

  /* The vertex records (base/record.h), with T V instead of the velocity and R as the fourth number of the
     position; and R alone. */
  msd_real *records, *vertex_skins;
  /* By leaf: the smallest and largest R of its vertices. */
  msd_real (*skin_range)[2];
  pair_block *blocks[SURFACE_KINDS];
  /* The box around each of these blocks, except blocks of vertices. */
  msd_real (*around[SURFACE_KINDS])[PAIR_BOX];
  /* levels[0]: the boxes of the leaves; levels[n + 1]: those of the blocks of levels[n]. */
  pair_block *levels[PAIR_LEVELS];
  int level_count;
  /* m, by leaf: the farthest that one of its vertices travels until T, as |x| + |y| + |z|; the largest R of
     all corners of its primitives. */
  msd_real *travel, *skin;
  /* By leaf: see flat_regions_kernel.h; and the triangles of those that have such numbers. */
  msd_real (*gradients)[PATCH_NUMBERS];
  patch_block *triangles;
  /* By searching leaf: how many leaves it may touch; and which, if they fit. */
  int32_t *meeting_count, (*meetings)[PAIR_MEETINGS];
  /* By leaf: another leaf may touch it; its blocks have up-to-date boxes. Threads write both concurrently. */
  atomic_uchar *is_met, *is_laid;
  /* By block: the primitives to be searched, bit n for the n-th. By leaf: it contains such a primitive; it
     contains such a vertex. The list of leaves of the first kind. */
  uint16_t *sought[SURFACE_KINDS];
  /* During a repair, by leaf: the box around its primitives to be searched. */
  msd_real (*sought_box)[PAIR_BOX];
  uint8_t *seeks, *is_moved;
  /* By leaf: all particles around it sleep. Valid for this `awake_for`; 0: never. */
  uint8_t *stands;
  uint64_t stands_for;
  int32_t *query_clusters;
  int32_t seeker_count;
  pair_chunk *chunks;
  int32_t chunk_count, chunk_leaves;
  /* The chunks of this rank. */
  parallel_range own_chunks;
  /* The last search has failed because of most_pairs. */
  bool is_crowded;
  /* By chunk: its number of pairs, on all ranks; by leaf: its pairs in the last divided search; by leaf:
     this rank needs its smoothness. */
  int32_t *found, *past;
  uint8_t *smooths;
  /* By thread: the pairs it found; its work queue. */
  pair_list *parts;
  work_queue *piles;
  int part_count;
  /* The sizes for which buffers are allocated. */
  int32_t leaf_room, block_room[SURFACE_KINDS];
} pair_search;

/* Builds the list. False without memory on any rank, or with too many pairs; the list is then unchanged. */
bool pair_search_build(pair_search *search, memory *m, const surface_mesh *mesh,
                       const pair_question *question);

void pair_search_free(pair_search *search, memory *m);

#endif
