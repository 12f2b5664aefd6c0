/* What the two phases of pair_search.h share with the kernels that do them, and the kernels in every width of
   vectors that this build has. */
#ifndef MSD_ENGINE_CONTACT_PAIR_WORK_H
#define MSD_ENGINE_CONTACT_PAIR_WORK_H

#include "engine/contact/pair_search.h"

/* What a build works on. */
typedef struct pair_work {
  const surface_mesh *mesh;
  const pair_question *question;
  pair_search *search;
  /* All primitives of all leaves are looked for. */
  bool is_whole;
  /* A list is mended: what is not sought is where it was placed. */
  bool mends;
  /* Of each leaf, whether somebody asks how smooth it is; NULL: of all. */
  const uint8_t *smooths;
} pair_work;

/* Candidates for the narrow phase, a multiple of every number of lanes; and with those of one row more. */
enum { PAIR_BATCH = 256, PAIR_BATCH_ROOM = PAIR_BATCH + SURFACE_BLOCK };

typedef struct pair_batch {
  /* How many there are; of how many of them more than the corners is known. */
  int32_t count, described;
  /* Vertices. */
  int32_t corner[PAIR_CORNERS][PAIR_BATCH_ROOM];
  /* m: h; the largest skins of the two leaves, and what these and rounding may add to a gap. */
  msd_real thickness[PAIR_BATCH], skins[PAIR_BATCH], slack[PAIR_BATCH];
  /* Of its distance at rest, how thick it is at most; 0: that is far. */
  msd_real rest_share[PAIR_BATCH];
} pair_batch;

/* Where a thread puts what it finds. */
typedef struct pair_output {
  pair_list *list;
  /* How many pairs the list had no room for. */
  int64_t missing;
  pair_batch batch[PAIR_KINDS];
} pair_output;

typedef struct pair_kernel {
  /* The records of the vertices of a leaf, their skins, and how far they go. */
  void (*place_vertices)(const pair_work *work, int32_t leaf);
  /* The box around a leaf and, where the list is new, how smooth it is, when all records are made. */
  void (*place)(const pair_work *work, int32_t leaf);
  /* Notes whom a leaf that looks for pairs meets, when all are placed; where a list is mended, when what they
     seek is laid: what they meet is laid then, by the first that meets it. */
  void (*meet)(const pair_work *work, int32_t leaf);
  /* The boxes of all that a leaf owns, or only of what of it is sought. */
  void (*lay)(const pair_work *work, int32_t leaf, bool all);
  /* The box around all of a block. */
  void (*enclose)(const pair_block *block, msd_real box[PAIR_BOX]);
  /* What a leaf owns that has a vertex is sought, too; whether there is something. Then, when what is sought is
     laid, the box around that. */
  bool (*seek)(const pair_work *work, int32_t leaf, int32_t vertex);
  void (*enclose_sought)(const pair_work *work, int32_t leaf);
  /* The pairs of a leaf that looks for some: with those from it on, and with those before it that look for
     none. In order. */
  void (*find)(const pair_work *work, int32_t leaf, pair_output *out);
} pair_kernel;

static inline void pair_block_put(pair_block *block, int32_t n, const msd_real box[PAIR_BOX]) {
  for (int c = 0; c < PAIR_BOX; c++)
    block->at[c][n] = box[c];
}

static inline void pair_block_get(const pair_block *block, int32_t n, msd_real box[PAIR_BOX]) {
  for (int c = 0; c < PAIR_BOX; c++)
    box[c] = block->at[c][n];
}

/* Made by pair_width_scalar.c, pair_width_128.c, pair_width_256.c and pair_width_512.c, which compile the one
   text of pair_kernel.h for their vectors. */
extern const pair_kernel pair_kernel_scalar, pair_kernel_128, pair_kernel_256, pair_kernel_512;

#define PAIR_KERNEL                                                                                          \
  {                                                                                                          \
    pair_place_vertices, pair_place, pair_meet, pair_lay, pair_enclose, pair_seek, pair_enclose_sought,      \
        pair_find                                                                                            \
  }

#endif
