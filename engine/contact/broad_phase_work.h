/* Data shared by the phases of broad_phase.h, and the kernels for all vector widths of this build. */
#ifndef MSD_ENGINE_CONTACT_BROAD_PHASE_WORK_H
#define MSD_ENGINE_CONTACT_BROAD_PHASE_WORK_H

#include "engine/contact/broad_phase.h"

/* Input of a search. */
typedef struct pair_work {
  const surface_mesh *mesh;
  const pair_question *question;
  pair_search *search;
  /* All primitives are searched. */
  bool is_whole;
  /* The list is being repaired: boxes of primitives that are not searched are reused. */
  bool updates;
  /* By leaf: its smoothness is needed; NULL: of all leaves. */
  const uint8_t *smooths;
} pair_work;

/* Batch size of the narrow phase, a multiple of every number of lanes; and the capacity including one extra
   row. */
enum { PAIR_BATCH = 256, PAIR_BATCH_ROOM = PAIR_BATCH + SURFACE_BLOCK };

typedef struct pair_batch {
  /* `described`: how many have all data, not only corners. */
  int32_t count, described;
  /* Vertices. */
  int32_t corner[PAIR_CORNERS][PAIR_BATCH_ROOM];
  /* m: h; the sum of the largest skins of the two leaves; and that sum plus rounding. */
  msd_real thickness[PAIR_BATCH], skins[PAIR_BATCH], slack[PAIR_BATCH];
  /* The largest thickness as a fraction of the distance at rest; 0 if the pair is too far apart at rest to
     be limited. */
  msd_real rest_share[PAIR_BATCH];
} pair_batch;

/* Where a thread stores its results. */
typedef struct pair_output {
  pair_list *list;
  /* Pairs that exceeded the capacity of the list; and where those of the current chunk begin there. */
  int64_t missing;
  int32_t first;
  /* Of this thread: its number, and how many pairs of leaves it has met. */
  int thread;
  uint32_t met;
  pair_batch batch[PAIR_KINDS];
} pair_output;

typedef struct pair_kernel {
  /* Makes the vertex records of a leaf, their skins and travel. */
  void (*place_vertices)(const pair_work *work, int32_t leaf);
  /* Makes the box of a leaf and, for a new list, its smoothness numbers. Needs the records of all leaves. */
  void (*place)(const pair_work *work, int32_t leaf);
  /* Finds the leaves that a searching leaf may touch. Needs the boxes of all leaves. In a repair, it also
     makes the boxes of the primitives of those leaves, once each. */
  void (*meet)(const pair_work *work, int32_t leaf);
  /* Makes the boxes of all primitives of a leaf, or only of those to be searched. */
  void (*lay)(const pair_work *work, int32_t leaf, bool all);
  /* The box around a block. */
  void (*enclose)(const pair_block *block, msd_real box[PAIR_BOX]);
  /* Marks the primitives of a leaf that use a vertex as searched; true if there are any. Then makes the box
     around all such primitives of a leaf. */
  bool (*seek)(const pair_work *work, int32_t leaf, int32_t vertex);
  void (*enclose_sought)(const pair_work *work, int32_t leaf);
  /* Finds the pairs of a searching leaf with later leaves, and with earlier ones that do not search, in
     order. */
  void (*find)(const pair_work *work, int32_t leaf, pair_output *out);
} pair_kernel;

/* True if so many pairs are too many. */
static inline bool pair_question_is_crowded(const pair_question *question, int64_t pairs) {
  return question->most_pairs > 0 && pairs > question->most_pairs;
}

static inline void pair_block_put(pair_block *block, int32_t n, const msd_real box[PAIR_BOX]) {
  for (int c = 0; c < PAIR_BOX; c++)
    block->at[c][n] = box[c];
}

static inline void pair_block_get(const pair_block *block, int32_t n, msd_real box[PAIR_BOX]) {
  for (int c = 0; c < PAIR_BOX; c++)
    box[c] = block->at[c][n];
}

/* Each is defined by the file of its name: broad_phase_kernel.h compiled for one vector width. */
extern const pair_kernel pair_kernel_scalar, pair_kernel_128, pair_kernel_256, pair_kernel_512;

#define PAIR_KERNEL                                                                                          \
  {                                                                                                          \
    pair_place_vertices, pair_place, pair_meet, pair_lay, pair_enclose, pair_seek, pair_enclose_sought,      \
        pair_find                                                                                            \
  }

#endif
