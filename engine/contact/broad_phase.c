#include "engine/contact/broad_phase.h"

#include "engine/base/min_max.h"
#include "engine/base/record.h"
#include "engine/contact/broad_phase_partition.h"
#include "engine/contact/broad_phase_parts.h"

#include <string.h>

/* Leaves per work item. */
enum { CHUNK_LEAVES = 8 };

static int32_t blocks_of(int32_t count, int32_t size) {
  return count / size + (count % size != 0);
}

/* ------------------------------------------------------------------------------------------------ buffers */

static void free_buffers(pair_search *s, memory *m) {
  memory_release(m, s->records);
  memory_release(m, s->vertex_skins);
  memory_release(m, s->skin_range);
  memory_release(m, s->travel);
  memory_release(m, s->skin);
  memory_release(m, s->meeting_count);
  memory_release(m, s->meetings);
  memory_release(m, s->is_met);
  memory_release(m, s->is_laid);
  memory_release(m, s->gradients);
  memory_release(m, s->triangles);
  memory_release(m, s->seeks);
  memory_release(m, s->is_moved);
  memory_release(m, s->sought_box);
  memory_release(m, s->stands);
  memory_release(m, s->query_clusters);
  memory_release(m, s->chunks);
  memory_release(m, s->found);
  memory_release(m, s->past);
  memory_release(m, s->smooths);
  for (int kind = 0; kind < SURFACE_KINDS; kind++) {
    memory_release(m, s->sought[kind]);
    memory_release(m, s->blocks[kind]);
    memory_release(m, s->around[kind]);
  }
  for (int level = 0; level < PAIR_LEVELS; level++)
    memory_release(m, s->levels[level]);
  const pair_search kept = {
      .list = s->list, .parts = s->parts, .piles = s->piles, .part_count = s->part_count};
  *s = kept;
}

void pair_search_free(pair_search *s, memory *m) {
  pair_parts_free(s, m);
  free_buffers(s, m);
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

/* Allocates buffers for a mesh of that size, except the lists. */
static bool reserve(pair_search *s, memory *m, const surface_mesh *mesh) {
  if (fits(s, mesh))
    return true;
  free_buffers(s, m);
  const int32_t leaves = mesh->leaf_count;
  s->records = memory_allocate_items(m, (int64_t)leaves * SURFACE_BLOCK * RECORD_SIZE, sizeof *s->records);
  s->vertex_skins = memory_allocate_items(m, (int64_t)leaves * SURFACE_BLOCK, sizeof *s->vertex_skins);
  s->skin_range = memory_allocate_items(m, leaves, sizeof *s->skin_range);
  s->travel = memory_allocate_items(m, leaves, sizeof *s->travel);
  s->skin = memory_allocate_items(m, leaves, sizeof *s->skin);
  s->seeks = memory_allocate_items(m, leaves, sizeof *s->seeks);
  s->is_moved = memory_allocate_items(m, leaves, sizeof *s->is_moved);
  s->stands = memory_allocate_items(m, leaves, sizeof *s->stands);
  s->query_clusters = memory_allocate_items(m, leaves, sizeof *s->query_clusters);
  s->chunks = memory_allocate_items(m, leaves, sizeof *s->chunks);
  s->found = memory_allocate_items(m, leaves, sizeof *s->found);
  s->past = memory_allocate_items(m, leaves, sizeof *s->past);
  s->smooths = memory_allocate_items(m, leaves, sizeof *s->smooths);
  s->meeting_count = memory_allocate_items(m, leaves, sizeof *s->meeting_count);
  s->meetings = memory_allocate_items(m, leaves, sizeof *s->meetings);
  s->is_met = memory_allocate_items(m, leaves, sizeof *s->is_met);
  s->is_laid = memory_allocate_items(m, leaves, sizeof *s->is_laid);
  s->sought_box = memory_allocate_items(m, leaves, sizeof *s->sought_box);
  bool done = allocate_levels(s, m, leaves) && s->sought_box && s->records && s->vertex_skins &&
              s->skin_range && s->travel && s->skin && s->meeting_count && s->meetings && s->is_met &&
              s->is_laid && s->seeks && s->is_moved && s->stands && s->query_clusters && s->chunks &&
              s->found && s->past && s->smooths;
  s->triangles = memory_allocate_items(m, mesh->of[SURFACE_TRIANGLES].block_count, sizeof *s->triangles);
  s->gradients = memory_allocate_items(m, leaves, sizeof *s->gradients);
  done = done && s->triangles && s->gradients;
  for (int kind = 0; kind < SURFACE_KINDS; kind++) {
    s->block_room[kind] = mesh->of[kind].block_count;
    s->blocks[kind] = memory_allocate_items(m, s->block_room[kind], sizeof(pair_block));
    if (kind != SURFACE_VERTICES)
      s->around[kind] = memory_allocate_items(m, s->block_room[kind], sizeof *s->around[kind]);
    s->sought[kind] = memory_allocate_items(m, s->block_room[kind], sizeof *s->sought[kind]);
    done = done && s->blocks[kind] && (s->around[kind] || kind == SURFACE_VERTICES) && s->sought[kind];
  }
  s->leaf_room = leaves;
  if (!done)
    free_buffers(s, m);
  return done;
}

/* ------------------------------------------------------------------------------ primitives to be searched */

static void seek_all(pair_search *s) {
  for (int kind = 0; kind < SURFACE_KINDS; kind++)
    memset(s->sought[kind], 0xff, (size_t)s->block_room[kind] * sizeof *s->sought[kind]);
  memset(s->seeks, 1, (size_t)s->leaf_room);
}

/* The places of a block whose primitives have awake particles. */
static uint16_t awake_of(const surface_mesh *mesh, surface_kind kind, int32_t block, const uint8_t *awake) {
  uint32_t bits = 0;
  for (int corner = 0; corner <= (int)kind; corner++) {
    const int32_t *vertices = mesh->of[kind].corner[corner] + (size_t)block * SURFACE_BLOCK;
    for (int n = 0; n < SURFACE_BLOCK; n++)
      bits |= (uint32_t)((awake[mesh->slot[vertices[n]]] & PAIR_AWAKE) != 0) << n;
  }
  return (uint16_t)bits;
}

static void find_moved(pair_search *s, const surface_mesh *mesh, int32_t leaf, const uint8_t *awake) {
  s->sought[SURFACE_VERTICES][leaf] = awake_of(mesh, SURFACE_VERTICES, leaf, awake);
  s->is_moved[leaf] = s->sought[SURFACE_VERTICES][leaf] != 0;
}

/* True if the primitives of a leaf may use awake vertices; needs find_moved for all leaves. */
static bool uses_moved(const pair_search *s, const surface_mesh *mesh, int32_t leaf) {
  bool does = false;
  for (int32_t k = mesh->first_used[leaf]; k < mesh->first_used[leaf + 1]; k++)
    does = does || s->is_moved[mesh->used[k]];
  return does;
}

static void seek_awake(pair_search *s, const surface_mesh *mesh, int32_t leaf, const uint8_t *awake) {
  const bool may_have = uses_moved(s, mesh, leaf);
  uint32_t any = s->sought[SURFACE_VERTICES][leaf];
  for (int kind = SURFACE_EDGES; kind < SURFACE_KINDS; kind++) {
    const int32_t *first = mesh->of[kind].first_block + leaf;
    for (int32_t block = first[0]; block < first[1]; block++)
      any |= s->sought[kind][block] = may_have ? awake_of(mesh, (surface_kind)kind, block, awake) : 0;
  }
  s->seeks[leaf] = any != 0;
}

/* ---------------------------------------------------------------------------------------- building a list */

typedef struct building {
  pair_finding finding;
  /* The boxes of sleeping leaves are reused. */
  bool keeps;
  /* By slot; NULL: all particles are awake. */
  const uint8_t *awake;
  parallel_barrier barrier;
} building;

/* Makes the boxes of all levels above the leaves. */
static void place_levels(const building *b) {
  const pair_search *s = b->finding.work.search;
  int32_t nodes = b->finding.work.mesh->leaf_count;
  msd_real box[PAIR_BOX];
  for (int level = 0; level < s->level_count; level++) {
    for (int c = 0; c < PAIR_BOX; c++)
      box[c] = c / 3 % 2 == 0 ? (msd_real)INFINITY : -(msd_real)INFINITY;
    const int32_t blocks = blocks_of(nodes, SURFACE_BLOCK);
    for (int32_t empty = nodes; empty < blocks * SURFACE_BLOCK; empty++)
      pair_block_put(&s->levels[level][empty / SURFACE_BLOCK], empty % SURFACE_BLOCK, box);
    for (int32_t block = 0; block < blocks && level + 1 < s->level_count; block++) {
      b->finding.kernel->enclose(&s->levels[level][block], box);
      pair_block_put(&s->levels[level + 1][block / SURFACE_BLOCK], block % SURFACE_BLOCK, box);
    }
    nodes = blocks;
  }
}

static bool is_placed(const building *b, int32_t leaf) {
  return !b->keeps || !b->finding.work.search->stands[leaf];
}

/* A leaf sleeps if all leaves that its primitives use do. */
static void find_standing(const building *b, int32_t leaf) {
  pair_search *s = b->finding.work.search;
  if (!b->keeps)
    s->stands[leaf] = !s->is_moved[leaf] && !uses_moved(s, b->finding.work.mesh, leaf);
}

/* Makes the records of those of its leaves that are not reused. */
static void place_own_vertices(building *b, parallel_range own, int threads) {
  pair_search *s = b->finding.work.search;
  if (b->awake) {
    for (int32_t leaf = own.first; leaf < own.last; leaf++)
      if (b->keeps && s->stands[leaf])
        s->is_moved[leaf] = 0, s->sought[SURFACE_VERTICES][leaf] = 0;
      else
        find_moved(s, b->finding.work.mesh, leaf, b->awake);
    parallel_wait(&b->barrier, threads);
  }
  for (int32_t leaf = own.first; leaf < own.last; leaf++) {
    if (b->awake) {
      seek_awake(s, b->finding.work.mesh, leaf, b->awake);
      find_standing(b, leaf);
    }
    if (is_placed(b, leaf))
      b->finding.kernel->place_vertices(&b->finding.work, leaf);
    atomic_store_explicit(&s->is_met[leaf], 0, memory_order_relaxed);
  }
}

/* Leaves that no leaf touches need no boxes for their primitives until a repair finds that one does. */
static void lay(const building *b, int32_t leaf) {
  pair_search *s = b->finding.work.search;
  const bool is_other = is_placed(b, leaf),
             is_met = atomic_load_explicit(&s->is_met[leaf], memory_order_relaxed),
             is_laid = atomic_load_explicit(&s->is_laid[leaf], memory_order_relaxed) && !is_other;
  if (is_met && !is_laid)
    b->finding.kernel->lay(&b->finding.work, leaf, true);
  atomic_store_explicit(&s->is_laid[leaf], is_met || is_laid, memory_order_relaxed);
}

/* Divides the search among ranks. With sleeping leaves every rank computes the smoothness of all, since it
   is reused later. */
static void share_out(building *b) {
  pair_finding *f = &b->finding;
  pair_parts_begin(f, CHUNK_LEAVES);
  if (f->is_shared && !b->awake) {
    clusters_to_certify(f->work.search, f->work.mesh);
    f->work.smooths = f->work.search->smooths;
  }
}

/* Finds the leaves that may touch and makes the boxes of their primitives, dynamically distributed because
   costs vary. After the second barrier all such pairs are known. */
static void meet_and_lay(building *b, int thread, int threads) {
  pair_search *s = b->finding.work.search;
  stop_poll *stop = b->finding.work.question->stop;
  const parallel_range all = pair_own_leaves(s);
  work_queue_fill(s->piles, blocks_of(all.last - all.first, CHUNK_LEAVES), thread, threads);
  parallel_wait(&b->barrier, threads);
  for (int32_t n = work_queue_pop(s->piles, thread, threads); n >= 0 && !stop_poll_ask(stop, thread);
       n = work_queue_pop(s->piles, thread, threads)) {
    const int32_t first = all.first + n * CHUNK_LEAVES;
    for (int32_t leaf = first; leaf < int_min(first + CHUNK_LEAVES, all.last); leaf++)
      if (s->seeks[leaf])
        b->finding.kernel->meet(&b->finding.work, leaf);
  }
  parallel_wait(&b->barrier, threads);
  work_queue_fill(s->piles, blocks_of(s->leaf_room, CHUNK_LEAVES), thread, threads);
  parallel_wait(&b->barrier, threads);
  for (int32_t n = work_queue_pop(s->piles, thread, threads); n >= 0 && !stop_poll_ask(stop, thread);
       n = work_queue_pop(s->piles, thread, threads))
    for (int32_t leaf = n * CHUNK_LEAVES; leaf < int_min((n + 1) * CHUNK_LEAVES, s->leaf_room); leaf++)
      lay(b, leaf);
}

static void place_all(void *context, int thread, int threads) {
  building *b = context;
  const parallel_range own = parallel_split(b->finding.work.mesh->leaf_count, thread, threads);
  place_own_vertices(b, own, threads);
  parallel_wait(&b->barrier, threads);
  if (thread == 0)
    share_out(b);
  parallel_wait(&b->barrier, threads);
  for (int32_t leaf = own.first; leaf < own.last; leaf++)
    if (is_placed(b, leaf))
      b->finding.kernel->place(&b->finding.work, leaf);
  parallel_wait(&b->barrier, threads);
  if (thread == 0)
    place_levels(b);
  meet_and_lay(b, thread, threads);
}

bool pair_search_build(pair_search *s, memory *m, const surface_mesh *mesh, const pair_question *question) {
  const int threads = int_max(1, int_min(question->threads, blocks_of(mesh->leaf_count, CHUNK_LEAVES)));
  if (!contact_team_agrees(question->team, reserve(s, m, mesh) && pair_parts_reserve(s, m, threads)))
    return false;
  building b = {
      .finding = {.work = {.mesh = mesh, .question = question, .search = s, .is_whole = !question->awake},
                  .kernel = pair_parts_kernel(question->simd)},
      .keeps = question->awake && question->awake_for == s->stands_for,
      .awake = question->awake};
  seek_all(s);
  parallel_run(question->tasks, threads, place_all, &b);
  const bool is_stopped = stop_poll_is_stopped(question->stop);
  s->stands_for = question->awake && !is_stopped ? question->awake_for : 0;
  s->is_crowded = false;
  return !is_stopped && pair_parts_find(&b.finding, m, threads);
}
