#include "engine/contact/pair_search.h"

#include "engine/base/growth.h"
#include "engine/base/min_max.h"
#include "engine/base/parallel.h"
#include "engine/base/record.h"
#include "engine/contact/pair_work.h"
#include "engine/kernel/widths.h"

#include <string.h>

/* Leaves that a thread takes at once. */
enum { CHUNK_LEAVES = 8 };

static const growth_array arrays[] = {GROWTH_ARRAY(pair_list, slots), GROWTH_ARRAY(pair_list, kind),
                                      GROWTH_ARRAY(pair_list, thickness), GROWTH_ARRAY(pair_list, gap_begin),
                                      GROWTH_ARRAY(pair_list, gap_end)};
static const growth_table pair_growth = GROWTH(pair_list, count, capacity, arrays, .most = INT32_MAX);

static const pair_kernel *choose_kernel(msd_simd simd) {
  switch (kernels_width(simd)) {
#ifdef MSD_KERNELS_X86
  case MSD_SIMD_512:
    return &pair_kernel_512;
  case MSD_SIMD_256:
    return &pair_kernel_256;
#endif
#ifdef __GNUC__
  case MSD_SIMD_128:
    return &pair_kernel_128;
#endif
  default:
    return &pair_kernel_scalar;
  }
}

static int32_t blocks_of(int32_t count, int32_t size) {
  return count / size + (count % size != 0);
}

/* -------------------------------------------------------------------------------------------------- buffers */

static void free_parts(pair_search *s, memory *m) {
  for (int n = 0; n < s->part_count; n++)
    growth_free(&pair_growth, &s->parts[n], m);
  memory_release(m, s->parts);
  s->parts = NULL;
  s->part_count = 0;
}

static void free_buffers(pair_search *s, memory *m) {
  memory_release(m, s->records);
  memory_release(m, s->travel);
  memory_release(m, s->skin);
  memory_release(m, s->chunks);
  for (int kind = 0; kind < SURFACE_KINDS; kind++) {
    memory_release(m, s->blocks[kind]);
    memory_release(m, s->around[kind]);
  }
  for (int level = 0; level < PAIR_LEVELS; level++)
    memory_release(m, s->levels[level]);
  const pair_search kept = {.list = s->list, .parts = s->parts, .part_count = s->part_count};
  *s = kept;
}

void pair_search_free(pair_search *s, memory *m) {
  free_parts(s, m);
  free_buffers(s, m);
  growth_free(&pair_growth, &s->list, m);
  *s = (pair_search){0};
}

static bool allocate_levels(pair_search *s, memory *m, int32_t leaves) {
  int32_t nodes = leaves;
  bool done = true;
  do {
    nodes = blocks_of(nodes, SURFACE_BLOCK);
    s->levels[s->level_count] = memory_allocate_items(m, nodes, sizeof(pair_block));
    done = s->levels[s->level_count] && done;
    s->level_count++;
  } while (nodes > 1);
  return done;
}

static bool fits(const pair_search *s, const surface_mesh *mesh) {
  bool same = s->level_count > 0 && s->leaf_room == mesh->leaf_count;
  for (int kind = 0; kind < SURFACE_KINDS; kind++)
    same = same && s->block_room[kind] == mesh->of[kind].block_count;
  return same;
}

/* Buffers for a mesh of that size, but for those that grow with the list. */
static bool reserve(pair_search *s, memory *m, const surface_mesh *mesh) {
  if (fits(s, mesh))
    return true;
  free_buffers(s, m);
  const int32_t leaves = mesh->leaf_count;
  s->chunk_count = blocks_of(leaves, CHUNK_LEAVES);
  s->records = memory_allocate_items(m, (int64_t)leaves * SURFACE_BLOCK * RECORD_SIZE, sizeof *s->records);
  s->travel = memory_allocate_items(m, leaves, sizeof *s->travel);
  s->skin = memory_allocate_items(m, leaves, sizeof *s->skin);
  s->chunks = memory_allocate_items(m, s->chunk_count, sizeof *s->chunks);
  bool done = allocate_levels(s, m, leaves) && s->records && s->travel && s->skin && s->chunks;
  for (int kind = 0; kind < SURFACE_KINDS; kind++) {
    s->block_room[kind] = mesh->of[kind].block_count;
    s->blocks[kind] = memory_allocate_items(m, s->block_room[kind], sizeof(pair_block));
    s->around[kind] = memory_allocate_items(m, s->block_room[kind], sizeof *s->around[kind]);
    done = done && s->blocks[kind] && s->around[kind];
  }
  s->leaf_room = leaves;
  if (!done)
    free_buffers(s, m);
  return done;
}

static bool reserve_parts(pair_search *s, memory *m, int threads) {
  if (s->part_count >= threads)
    return true;
  free_parts(s, m);
  s->parts = memory_allocate_items(m, threads, sizeof *s->parts);
  s->part_count = s->parts ? threads : 0;
  return s->parts != NULL;
}

/* ----------------------------------------------------------------------------------------------- one build */

typedef struct building {
  pair_work work;
  const pair_kernel *kernel;
  parallel_barrier barrier;
  /* The next chunk that no thread has taken. */
  atomic_int next;
  /* Pairs that found no room. */
  atomic_llong missing;
} building;

/* The records of the vertices of one leaf. */
static void place_vertices(const pair_work *w, int32_t leaf) {
  const pair_question *q = w->question;
  msd_real *travel = &w->search->travel[leaf];
  *travel = 0;
  for (int32_t v = leaf * SURFACE_BLOCK; v < (leaf + 1) * SURFACE_BLOCK; v++) {
    const msd_real *at = q->state + w->mesh->slot[v];
    msd_real *record = w->search->records + (size_t)v * RECORD_SIZE, sum = 0;
    for (size_t axis = 0; axis < 3; axis++) {
      const msd_real d = q->horizon * at[(axis + 3) * q->stride];
      record[axis] = at[axis * q->stride];
      record[RECORD_QUAD + axis] = d;
      sum += d < 0 ? -d : d;
    }
    *travel = sum > *travel ? sum : *travel;
  }
}

/* The boxes of the upper levels; those of the leaves are made. */
static void place_levels(const building *b) {
  const pair_search *s = b->work.search;
  int32_t nodes = b->work.mesh->leaf_count;
  msd_real box[PAIR_BOX];
  for (int level = 0; level < s->level_count; level++) {
    for (int c = 0; c < PAIR_BOX; c++)
      box[c] = c / 3 % 2 == 0 ? (msd_real)INFINITY : -(msd_real)INFINITY;
    const int32_t blocks = blocks_of(nodes, SURFACE_BLOCK);
    for (int32_t empty = nodes; empty < blocks * SURFACE_BLOCK; empty++)
      pair_block_put(&s->levels[level][empty / SURFACE_BLOCK], empty % SURFACE_BLOCK, box);
    for (int32_t block = 0; block < blocks && level + 1 < s->level_count; block++) {
      b->kernel->enclose(&s->levels[level][block], box);
      pair_block_put(&s->levels[level + 1][block / SURFACE_BLOCK], block % SURFACE_BLOCK, box);
    }
    nodes = blocks;
  }
}

static void place_all(void *context, int thread, int threads) {
  building *b = context;
  const parallel_range own = parallel_split(b->work.mesh->leaf_count, thread, threads);
  for (int32_t leaf = own.first; leaf < own.last; leaf++)
    place_vertices(&b->work, leaf);
  parallel_wait(&b->barrier, threads);
  b->kernel->place(&b->work, own.first, own.last);
  parallel_wait(&b->barrier, threads);
  if (thread == 0)
    place_levels(b);
}

/* A chunk that does not fit into the list is left for the next round. */
static void find_chunk(building *b, int32_t n, int32_t part, pair_output *out) {
  pair_chunk *chunk = &b->work.search->chunks[n];
  const int32_t first = out->list->count, end = b->work.mesh->leaf_count;
  out->missing = 0;
  for (int32_t leaf = n * CHUNK_LEAVES; leaf < end && leaf < (n + 1) * CHUNK_LEAVES; leaf++)
    b->kernel->find(&b->work, leaf, out);
  if (out->missing > 0) {
    atomic_fetch_add(&b->missing, out->missing + out->list->count - first);
    out->list->count = first;
  } else {
    *chunk = (pair_chunk){part, first, out->list->count - first};
  }
}

static void find_all(void *context, int thread, int threads) {
  (void)threads;
  building *b = context;
  pair_search *s = b->work.search;
  pair_output out = {.list = &s->parts[thread]};
  for (int n = atomic_fetch_add(&b->next, 1); n < s->chunk_count; n = atomic_fetch_add(&b->next, 1))
    if (s->chunks[n].count < 0)
      find_chunk(b, n, thread, &out);
}

/* Finds all pairs. Chunks for which there was no room are done once more when there is enough of it for all of
   them in any list. */
static bool find_parts(building *b, memory *m, int threads) {
  pair_search *s = b->work.search;
  for (int n = 0; n < s->part_count; n++)
    s->parts[n].count = 0;
  for (int32_t n = 0; n < s->chunk_count; n++)
    s->chunks[n].count = -1;
  for (;;) {
    atomic_store(&b->next, 0);
    atomic_store(&b->missing, 0);
    parallel_run(threads, find_all, b);
    const int64_t missing = atomic_load(&b->missing);
    if (missing == 0)
      return true;
    for (int n = 0; n < threads; n++) {
      const int64_t needed = s->parts[n].count + missing;
      if (needed > INT32_MAX || !growth_reserve(&pair_growth, &s->parts[n], m, needed))
        return false;
    }
  }
}

static void copy_pairs(pair_list *to, const pair_list *from, int32_t first, int32_t count) {
  const size_t at = (size_t)to->count, begin = (size_t)first, size = (size_t)count;
  memcpy(to->slots + at, from->slots + begin, size * sizeof *to->slots);
  memcpy(to->kind + at, from->kind + begin, size * sizeof *to->kind);
  memcpy(to->thickness + at, from->thickness + begin, size * sizeof *to->thickness);
  memcpy(to->gap_begin + at, from->gap_begin + begin, size * sizeof *to->gap_begin);
  memcpy(to->gap_end + at, from->gap_end + begin, size * sizeof *to->gap_end);
  to->count += count;
}

/* Whether the first part has all pairs in the order of the list: one thread found them, and none had to wait
   for room. */
static bool is_joined(const pair_search *s) {
  int64_t end = 0;
  for (int32_t n = 0; n < s->chunk_count; n++) {
    if (s->chunks[n].count > 0 && (s->chunks[n].part != 0 || s->chunks[n].first != end))
      return false;
    end += s->chunks[n].count;
  }
  return true;
}

static bool join_parts(pair_search *s, memory *m) {
  if (is_joined(s)) {
    const pair_list joined = s->parts[0];
    s->parts[0] = s->list;
    s->list = joined;
    return true;
  }
  int64_t count = 0;
  for (int32_t n = 0; n < s->chunk_count; n++)
    count += s->chunks[n].count;
  if (count > INT32_MAX || !growth_reserve(&pair_growth, &s->list, m, count))
    return false;
  s->list.count = 0;
  for (int32_t n = 0; n < s->chunk_count; n++)
    if (s->chunks[n].count > 0)
      copy_pairs(&s->list, &s->parts[s->chunks[n].part], s->chunks[n].first, s->chunks[n].count);
  return true;
}

bool pair_search_build(pair_search *s, memory *m, const surface_mesh *mesh, const pair_question *question) {
  const int32_t chunks = blocks_of(mesh->leaf_count, CHUNK_LEAVES);
  const int threads = int_max(1, int_min(question->threads, chunks));
  if (!reserve(s, m, mesh) || !reserve_parts(s, m, threads))
    return false;
  building b = {.work = {mesh, question, s}, .kernel = choose_kernel(question->simd)};
  parallel_run(threads, place_all, &b);
  return find_parts(&b, m, threads) && join_parts(s, m);
}
