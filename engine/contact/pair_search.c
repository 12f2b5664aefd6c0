#include "engine/contact/pair_search.h"

#include "engine/base/growth.h"
#include "engine/base/min_max.h"
#include "engine/base/record.h"
#include "engine/contact/pair_shares.h"
#include "engine/contact/pair_work.h"
#include "engine/kernel/widths.h"

#include <string.h>

/* Leaves that a thread takes at once, when all are looked at and when few are. */
enum { CHUNK_LEAVES = 8, MENDED_LEAVES = 1 };

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
  memory_release(m, s->vertex_skins);
  memory_release(m, s->skin_range);
  memory_release(m, s->travel);
  memory_release(m, s->skin);
  memory_release(m, s->meeting_count);
  memory_release(m, s->meetings);
  memory_release(m, s->is_met);
  memory_release(m, s->is_laid);
  for (int n = 0; n < PATCH_NUMBERS; n++)
    memory_release(m, s->gradients[n]);
  memory_release(m, s->triangles);
  memory_release(m, s->seeks);
  memory_release(m, s->is_moved);
  memory_release(m, s->stands);
  memory_release(m, s->seekers);
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
  s->records = memory_allocate_items(m, (int64_t)leaves * SURFACE_BLOCK * RECORD_SIZE, sizeof *s->records);
  s->vertex_skins = memory_allocate_items(m, (int64_t)leaves * SURFACE_BLOCK, sizeof *s->vertex_skins);
  s->skin_range = memory_allocate_items(m, leaves, sizeof *s->skin_range);
  s->travel = memory_allocate_items(m, leaves, sizeof *s->travel);
  s->skin = memory_allocate_items(m, leaves, sizeof *s->skin);
  s->seeks = memory_allocate_items(m, leaves, sizeof *s->seeks);
  s->is_moved = memory_allocate_items(m, leaves, sizeof *s->is_moved);
  s->stands = memory_allocate_items(m, leaves, sizeof *s->stands);
  s->seekers = memory_allocate_items(m, leaves, sizeof *s->seekers);
  s->chunks = memory_allocate_items(m, leaves, sizeof *s->chunks);
  s->found = memory_allocate_items(m, leaves, sizeof *s->found);
  s->past = memory_allocate_items(m, leaves, sizeof *s->past);
  s->smooths = memory_allocate_items(m, leaves, sizeof *s->smooths);
  s->meeting_count = memory_allocate_items(m, leaves, sizeof *s->meeting_count);
  s->meetings = memory_allocate_items(m, leaves, sizeof *s->meetings);
  s->is_met = memory_allocate_items(m, leaves, sizeof *s->is_met);
  s->is_laid = memory_allocate_items(m, leaves, sizeof *s->is_laid);
  bool done = allocate_levels(s, m, leaves) && s->records && s->vertex_skins && s->skin_range && s->travel &&
              s->skin && s->meeting_count && s->meetings && s->is_met && s->is_laid && s->seeks &&
              s->is_moved && s->stands && s->seekers && s->chunks && s->found && s->past && s->smooths;
  s->triangles = memory_allocate_items(m, mesh->of[SURFACE_TRIANGLES].block_count, sizeof *s->triangles);
  done = done && s->triangles;
  for (int n = 0; n < PATCH_NUMBERS; n++) {
    s->gradients[n] = memory_allocate_items(m, leaves, sizeof *s->gradients[n]);
    done = done && s->gradients[n];
  }
  for (int kind = 0; kind < SURFACE_KINDS; kind++) {
    s->block_room[kind] = mesh->of[kind].block_count;
    s->blocks[kind] = memory_allocate_items(m, s->block_room[kind], sizeof(pair_block));
    s->around[kind] = memory_allocate_items(m, s->block_room[kind], sizeof *s->around[kind]);
    s->sought[kind] = memory_allocate_items(m, s->block_room[kind], sizeof *s->sought[kind]);
    done = done && s->blocks[kind] && s->around[kind] && s->sought[kind];
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

/* -------------------------------------------------------------------------------- what looks for pairs */

static void seek_all(pair_search *s) {
  for (int kind = 0; kind < SURFACE_KINDS; kind++)
    memset(s->sought[kind], 0xff, (size_t)s->block_room[kind] * sizeof *s->sought[kind]);
  memset(s->seeks, 1, (size_t)s->leaf_room);
}

/* Which places of a block have particles that are marked. */
static uint16_t marks_of(const surface_mesh *mesh, surface_kind kind, int32_t block, const uint8_t *marked,
                         uint8_t mark) {
  uint32_t bits = 0;
  for (int corner = 0; corner <= (int)kind; corner++) {
    const int32_t *vertices = mesh->of[kind].corner[corner] + (size_t)block * SURFACE_BLOCK;
    for (int n = 0; n < SURFACE_BLOCK; n++)
      bits |= (uint32_t)((marked[mesh->slot[vertices[n]]] & mark) != 0) << n;
  }
  return (uint16_t)bits;
}

/* Whether vertices of a leaf are marked. */
static void find_moved(pair_search *s, const surface_mesh *mesh, int32_t leaf, const uint8_t *marked,
                       uint8_t mark) {
  s->sought[SURFACE_VERTICES][leaf] = marks_of(mesh, SURFACE_VERTICES, leaf, marked, mark);
  s->is_moved[leaf] = s->sought[SURFACE_VERTICES][leaf] != 0;
}

/* Whether a leaf may own something that has marked vertices, when all leaves know whether they have some. */
static bool uses_moved(const pair_search *s, const surface_mesh *mesh, int32_t leaf) {
  bool does = false;
  for (int32_t k = mesh->first_used[leaf]; k < mesh->first_used[leaf + 1]; k++)
    does = does || s->is_moved[mesh->used[k]];
  return does;
}

static void seek_marked(pair_search *s, const surface_mesh *mesh, int32_t leaf, const uint8_t *marked,
                        uint8_t mark) {
  const bool may_have = uses_moved(s, mesh, leaf);
  uint32_t any = s->sought[SURFACE_VERTICES][leaf];
  for (int kind = SURFACE_EDGES; kind < SURFACE_KINDS; kind++) {
    const int32_t *first = mesh->of[kind].first_block + leaf;
    for (int32_t block = first[0]; block < first[1]; block++)
      any |= s->sought[kind][block] = may_have ? marks_of(mesh, (surface_kind)kind, block, marked, mark) : 0;
  }
  s->seeks[leaf] = any != 0;
}

static void list_seekers(pair_search *s, int32_t leaves_at_once) {
  s->seeker_count = 0;
  for (int32_t leaf = 0; leaf < s->leaf_room; leaf++)
    if (s->seeks[leaf])
      s->seekers[s->seeker_count++] = leaf;
  s->chunk_leaves = leaves_at_once;
  s->chunk_count = blocks_of(s->seeker_count, leaves_at_once);
  s->own_chunks = (parallel_range){0, s->chunk_count};
}

/* ----------------------------------------------------------------------------------------------- one build */

typedef struct building {
  pair_work work;
  int32_t chunk_leaves;
  bool is_shared;
  const pair_kernel *kernel;
  /* Leaves that stand are where they were placed. */
  bool keeps;
  /* By slot, who has the mark; NULL: all are sought. */
  const uint8_t *marked;
  uint8_t mark;
  parallel_barrier barrier;
  /* The next chunk that no thread has taken. */
  atomic_int next;
  /* Pairs that found no room. */
  atomic_llong missing;
} building;

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

static bool is_marked(const int32_t slots[PAIR_CORNERS], const uint8_t *marked, uint8_t mark) {
  return (marked[slots[0]] | marked[slots[1]] | marked[slots[2]] | marked[slots[3]]) & mark;
}

/* Those of a range that have marked particles are listed no more. */
static void drop_marked(pair_list *list, const uint8_t *marked, uint8_t mark, parallel_range pairs) {
  for (int32_t n = pairs.first; n < pairs.last; n++)
    if (is_marked(list->slots[n], marked, mark))
      list->thickness[n] = 0, list->gap_begin[n] = list->gap_end[n] = PAIR_FAR;
}

/* Leaves that look for nothing are where they were when the list is mended. */
static bool is_placed(const building *b, int32_t leaf) {
  const pair_search *s = b->work.search;
  return b->work.mends ? s->seeks[leaf] : !b->keeps || !s->stands[leaf];
}

/* The boxes and the skins of a leaf follow from all leaves that it uses. */
static void find_standing(const building *b, int32_t leaf) {
  pair_search *s = b->work.search;
  if (!b->work.mends && !b->keeps)
    s->stands[leaf] = !s->is_moved[leaf] && !uses_moved(s, b->work.mesh, leaf);
}

/* Which of its leaves are placed anew, and their records. */
static void place_own_vertices(building *b, parallel_range own, int threads) {
  pair_search *s = b->work.search;
  if (b->marked) {
    for (int32_t leaf = own.first; leaf < own.last; leaf++)
      if (b->keeps && s->stands[leaf])
        s->is_moved[leaf] = 0, s->sought[SURFACE_VERTICES][leaf] = 0;
      else
        find_moved(s, b->work.mesh, leaf, b->marked, b->mark);
    parallel_wait(&b->barrier, threads);
  }
  for (int32_t leaf = own.first; leaf < own.last; leaf++) {
    if (b->marked) {
      seek_marked(s, b->work.mesh, leaf, b->marked, b->mark);
      find_standing(b, leaf);
    }
    if (is_placed(b, leaf))
      b->kernel->place_vertices(&b->work, leaf);
    atomic_store_explicit(&s->is_met[leaf], 0, memory_order_relaxed);
  }
}

/* What no leaf meets needs no boxes for what it owns. It may be met once the list is mended. */
static void lay(const building *b, int32_t leaf) {
  pair_search *s = b->work.search;
  const bool is_other = is_placed(b, leaf),
             is_met = atomic_load_explicit(&s->is_met[leaf], memory_order_relaxed);
  if (is_met && (is_other || !s->is_laid[leaf]))
    b->kernel->lay(&b->work, leaf, !s->is_laid[leaf] || !b->work.mends);
  s->is_laid[leaf] = is_met || (s->is_laid[leaf] && !is_other);
}

/* When all know what they look for. What sleeps stays as smooth as it was found to be: then all is asked. */
static void share_out(building *b) {
  pair_search *s = b->work.search;
  list_seekers(s, b->chunk_leaves);
  b->is_shared = pair_share_chunks(s, b->work.question->team);
  if (b->is_shared && !b->work.mends && !b->work.question->awake) {
    pair_find_smooths(s, b->work.mesh);
    b->work.smooths = s->smooths;
  }
}

static void place_all(void *context, int thread, int threads) {
  building *b = context;
  pair_search *s = b->work.search;
  const parallel_range own = parallel_split(b->work.mesh->leaf_count, thread, threads);
  if (b->work.mends)
    drop_marked(&s->list, b->marked, b->mark, parallel_split(s->list.count, thread, threads));
  place_own_vertices(b, own, threads);
  parallel_wait(&b->barrier, threads);
  if (thread == 0)
    share_out(b);
  parallel_wait(&b->barrier, threads);
  for (int32_t leaf = own.first; leaf < own.last; leaf++)
    if (is_placed(b, leaf))
      b->kernel->place(&b->work, leaf);
  parallel_wait(&b->barrier, threads);
  if (thread == 0)
    place_levels(b);
  parallel_wait(&b->barrier, threads);
  const parallel_range all = pair_own_leaves(s),
                       meeting = parallel_split(all.last - all.first, thread, threads);
  for (int32_t leaf = all.first + meeting.first; leaf < all.first + meeting.last; leaf++)
    if (s->seeks[leaf])
      b->kernel->meet(&b->work, leaf);
  parallel_wait(&b->barrier, threads);
  for (int32_t leaf = own.first; leaf < own.last; leaf++)
    lay(b, leaf);
}

/* A chunk that does not fit into the list is left for the next round. */
static void find_chunk(building *b, int32_t n, int32_t part, pair_output *out) {
  const pair_search *s = b->work.search;
  pair_chunk *chunk = &s->chunks[n];
  const int32_t first = out->list->count;
  const parallel_range leaves = pair_leaves_of(s, n);
  out->missing = 0;
  for (int32_t k = leaves.first; k < leaves.last; k++)
    b->kernel->find(&b->work, s->seekers[k], out);
  if (out->missing > 0) {
    atomic_fetch_add(&b->missing, out->missing + out->list->count - first);
    out->list->count = first;
  } else {
    *chunk = (pair_chunk){part, first, out->list->count - first, 0};
  }
}

static void find_all(void *context, int thread, int threads) {
  (void)threads;
  building *b = context;
  pair_search *s = b->work.search;
  pair_output out = {.list = &s->parts[thread]};
  const int32_t end = s->own_chunks.last;
  for (int n = atomic_fetch_add(&b->next, 1); n < end; n = atomic_fetch_add(&b->next, 1))
    if (s->chunks[n].count < 0)
      find_chunk(b, n, thread, &out);
}

/* Finds all pairs. Chunks for which there was no room are done once more when there is enough of it for all of
   them in any list. */
static bool find_parts(building *b, memory *m, int threads) {
  pair_search *s = b->work.search;
  for (int n = 0; n < s->part_count; n++)
    s->parts[n].count = 0;
  for (int32_t n = s->own_chunks.first; n < s->own_chunks.last; n++)
    s->chunks[n].count = -1;
  for (;;) {
    atomic_store(&b->next, s->own_chunks.first);
    atomic_store(&b->missing, 0);
    parallel_run(b->work.question->tasks, threads, find_all, b);
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

static void copy_pairs(const pair_list *to, const pair_list *from, const pair_chunk *chunk) {
  const size_t at = (size_t)chunk->to, begin = (size_t)chunk->first, size = (size_t)chunk->count;
  memcpy(to->slots + at, from->slots + begin, size * sizeof *to->slots);
  memcpy(to->kind + at, from->kind + begin, size * sizeof *to->kind);
  memcpy(to->thickness + at, from->thickness + begin, size * sizeof *to->thickness);
  memcpy(to->gap_begin + at, from->gap_begin + begin, size * sizeof *to->gap_begin);
  memcpy(to->gap_end + at, from->gap_end + begin, size * sizeof *to->gap_end);
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

static int64_t count_found(const pair_search *s) {
  int64_t count = 0;
  for (int32_t n = s->own_chunks.first; n < s->own_chunks.last; n++)
    count += s->chunks[n].count;
  return count;
}

static void copy_chunks(void *context, int thread, int threads) {
  const pair_search *s = ((const building *)context)->work.search;
  const parallel_range own = parallel_split(s->own_chunks.last - s->own_chunks.first, thread, threads);
  for (int32_t n = s->own_chunks.first + own.first; n < s->own_chunks.first + own.last; n++)
    if (s->chunks[n].count > 0)
      copy_pairs(&s->list, &s->parts[s->chunks[n].part], &s->chunks[n]);
}

/* Of fewer pairs than that one thread does. */
enum { SHARED_PAIRS = 4096 };

/* Puts what was found behind what the list has. */
static void copy_found(building *b, int threads) {
  pair_search *s = b->work.search;
  const int32_t before = s->list.count;
  for (int32_t n = s->own_chunks.first; n < s->own_chunks.last; n++) {
    s->chunks[n].to = s->list.count;
    s->list.count += s->chunks[n].count;
  }
  parallel_run(b->work.question->tasks, s->list.count - before < SHARED_PAIRS ? 1 : threads, copy_chunks, b);
}

/* Puts all that was found behind what the list has. */
static bool append_parts(building *b, memory *m, int threads) {
  pair_search *s = b->work.search;
  const int64_t count = s->list.count + count_found(s);
  if (count > INT32_MAX || !growth_reserve(&pair_growth, &s->list, m, count))
    return false;
  copy_found(b, threads);
  return true;
}

static bool join_parts(building *b, memory *m, int threads) {
  pair_search *s = b->work.search;
  if (is_joined(s)) {
    const pair_list joined = s->parts[0];
    s->parts[0] = s->list;
    s->list = joined;
    return true;
  }
  const int32_t count = s->list.count;
  s->list.count = 0;
  const bool done = append_parts(b, m, threads);
  s->list.count = done ? s->list.count : count;
  return done;
}

/* What ranks tell of what they have found. */
enum { TOLD_FAILED, TOLD_PAIRS, TOLD_CHUNKS };

/* The pairs of this rank are in their places. */
static void gather_pairs(const pair_list *list, int32_t first, const contact_team *team) {
  contact_team_gather(team, list->slots + first, sizeof *list->slots, TOLD_PAIRS);
  contact_team_gather(team, list->kind + first, sizeof *list->kind, TOLD_PAIRS);
  contact_team_gather(team, list->thickness + first, sizeof *list->thickness, TOLD_PAIRS);
  contact_team_gather(team, list->gap_begin + first, sizeof *list->gap_begin, TOLD_PAIRS);
  contact_team_gather(team, list->gap_end + first, sizeof *list->gap_end, TOLD_PAIRS);
}

/* So that the next build is shared by what this one has found. */
static void note_found(pair_search *s, const contact_team *team) {
  for (int32_t n = s->own_chunks.first; n < s->own_chunks.last; n++)
    s->found[n] = s->chunks[n].count;
  contact_team_gather(team, s->found, sizeof *s->found, TOLD_CHUNKS);
  for (int32_t n = 0; n < s->chunk_count; n++)
    for (int32_t k = pair_leaves_of(s, n).first; k < pair_leaves_of(s, n).last; k++)
      s->past[s->seekers[k]] = s->found[n] / s->chunk_leaves;
}

/* Puts what all ranks have found behind the first pairs of the list; `well`: this one has found its own. */
static bool gather_parts(building *b, memory *m, int32_t first, bool well, int threads) {
  pair_search *s = b->work.search;
  contact_team *team = b->work.question->team;
  const parallel_range own = s->own_chunks;
  contact_team_tell(team, (int64_t[CONTACT_TEAM_NUMBERS]){[TOLD_FAILED] = !well,
                                                          [TOLD_PAIRS] = well ? count_found(s) : 0,
                                                          [TOLD_CHUNKS] = own.last - own.first});
  const int ranks = contact_team_count(team);
  const int64_t count = first + contact_team_sum(team, TOLD_PAIRS, ranks);
  if (contact_team_sum(team, TOLD_FAILED, ranks) > 0 || count > INT32_MAX ||
      !contact_team_agrees(team, growth_reserve(&pair_growth, &s->list, m, count)))
    return false;
  s->list.count = first + (int32_t)contact_team_sum(team, TOLD_PAIRS, contact_team_rank(team));
  copy_found(b, threads);
  s->list.count = (int32_t)count;
  gather_pairs(&s->list, first, team);
  return true;
}

/* Finds all pairs, together with other ranks where that is shared, and puts them behind what a list has that is
   mended, or in the place of it. */
static bool find_list(building *b, memory *m, int threads) {
  pair_search *s = b->work.search;
  contact_team *team = b->work.question->team;
  const bool mends = b->work.mends, well = find_parts(b, m, threads);
  if (!b->is_shared)
    return contact_team_agrees(team,
                               well && (mends ? append_parts(b, m, threads) : join_parts(b, m, threads)));
  if (!gather_parts(b, m, mends ? s->list.count : 0, well, threads))
    return false;
  if (!mends)
    note_found(s, team);
  return true;
}

bool pair_search_build(pair_search *s, memory *m, const surface_mesh *mesh, const pair_question *question) {
  const int threads = int_max(1, int_min(question->threads, blocks_of(mesh->leaf_count, CHUNK_LEAVES)));
  if (!contact_team_agrees(question->team, reserve(s, m, mesh) && reserve_parts(s, m, threads)))
    return false;
  building b = {.chunk_leaves = CHUNK_LEAVES,
                .work = {.mesh = mesh, .question = question, .search = s, .is_whole = !question->awake},
                .kernel = choose_kernel(question->simd),
                .keeps = question->awake && question->awake_for == s->stands_for,
                .marked = question->awake,
                .mark = PAIR_AWAKE};
  seek_all(s);
  parallel_run(question->tasks, threads, place_all, &b);
  s->stands_for = question->awake ? question->awake_for : 0;
  return find_list(&b, m, threads);
}

bool pair_search_mend(pair_search *s, memory *m, const surface_mesh *mesh, const pair_question *question,
                      const uint8_t *marked, uint8_t mark) {
  const int threads = int_max(1, int_min(question->threads, s->part_count));
  building b = {.chunk_leaves = MENDED_LEAVES,
                .work = {.mesh = mesh, .question = question, .search = s, .mends = true},
                .kernel = choose_kernel(question->simd),
                .marked = marked,
                .mark = mark};
  parallel_run(question->tasks, threads, place_all, &b);
  return find_list(&b, m, threads);
}
