#include "engine/contact/broad_phase_parts.h"

#include "engine/base/growth.h"
#include "engine/base/min_max.h"
#include "engine/contact/broad_phase_partition.h"
#include "engine/contact/flags.h"
#include "engine/kernel/widths.h"

#include <string.h>

static const growth_array arrays[] = {GROWTH_ARRAY(pair_list, slots),     GROWTH_ARRAY(pair_list, kind),
                                      GROWTH_ARRAY(pair_list, thickness), GROWTH_ARRAY(pair_list, gap_begin),
                                      GROWTH_ARRAY(pair_list, gap_end),   GROWTH_ARRAY(pair_list, skins)};
static const growth_table pair_growth = GROWTH(pair_list, count, capacity, arrays, .most = INT32_MAX);

const pair_kernel *pair_parts_kernel(msd_simd simd) {
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

static void free_parts(pair_search *s, memory *m) {
  for (int n = 0; n < s->part_count; n++)
    growth_free(&pair_growth, &s->parts[n], m);
  memory_release(m, s->parts);
  memory_release(m, s->piles);
  s->parts = NULL;
  s->piles = NULL;
  s->part_count = 0;
}

void pair_parts_free(pair_search *s, memory *m) {
  free_parts(s, m);
  growth_free(&pair_growth, &s->list, m);
}

bool pair_parts_reserve(pair_search *s, memory *m, int threads) {
  if (s->part_count >= threads)
    return true;
  free_parts(s, m);
  s->parts = memory_allocate_items(m, threads, sizeof *s->parts);
  s->piles = memory_allocate_items(m, threads, sizeof *s->piles);
  if (!s->parts || !s->piles) {
    free_parts(s, m);
    return false;
  }
  s->part_count = threads;
  return true;
}

void pair_parts_begin(pair_finding *f, int32_t leaves_at_once) {
  pair_search *s = f->work.search;
  s->seeker_count = 0;
  for (int32_t leaf = marks_next(s->seeks, 1, 0, s->leaf_room); leaf < s->leaf_room;
       leaf = marks_next(s->seeks, 1, leaf + 1, s->leaf_room))
    s->query_clusters[s->seeker_count++] = leaf;
  s->chunk_leaves = leaves_at_once;
  s->chunk_count = s->seeker_count / leaves_at_once + (s->seeker_count % leaves_at_once != 0);
  s->own_chunks = (parallel_range){0, s->chunk_count};
  f->is_shared = pair_share_chunks(s, f->work.question->team);
}

/* Chunks without results: not searched yet, or left for the next round and already in `found`. */
enum { CHUNK_NEW = -1, CHUNK_LEFT = -2 };

static bool is_crowded(const pair_finding *f) {
  return pair_question_is_crowded(f->work.question, atomic_load_explicit(&f->found, memory_order_relaxed));
}

/* A chunk that exceeds the capacity of the list is left for the next round. */
static void find_chunk(pair_finding *f, int32_t n, int32_t part, pair_output *out) {
  const pair_search *s = f->work.search;
  pair_chunk *chunk = &s->chunks[n];
  const int32_t first = out->list->count;
  const parallel_range leaves = pair_leaves_of(s, n);
  const bool is_new = chunk->count == CHUNK_NEW;
  out->missing = 0;
  out->first = first;
  for (int32_t k = leaves.first; k < leaves.last && !stop_poll_ask(f->work.question->stop, part); k++)
    f->kernel->find(&f->work, s->query_clusters[k], out);
  if (is_new)
    atomic_fetch_add(&f->found, out->missing + out->list->count - first);
  if (out->missing > 0) {
    chunk->count = CHUNK_LEFT;
    atomic_fetch_add(&f->missing, out->missing + out->list->count - first);
    out->list->count = first;
  } else {
    *chunk = (pair_chunk){part, first, out->list->count - first, 0};
  }
}

static void find_all(void *context, int thread, int threads) {
  (void)threads;
  pair_finding *f = context;
  pair_search *s = f->work.search;
  pair_output out = {.list = &s->parts[thread], .thread = thread};
  const int32_t end = s->own_chunks.last;
  for (int n = atomic_fetch_add(&f->next, 1); n < end && !is_crowded(f); n = atomic_fetch_add(&f->next, 1))
    if (s->chunks[n].count < 0)
      find_chunk(f, n, thread, &out);
}

/* Finds all pairs. Chunks that exceeded a capacity are repeated, once every list can take all of them. Ends
   early when there are too many pairs; false when stopped. */
static bool find_parts(pair_finding *f, memory *m, int threads) {
  pair_search *s = f->work.search;
  for (int n = 0; n < s->part_count; n++)
    s->parts[n].count = 0;
  for (int32_t n = s->own_chunks.first; n < s->own_chunks.last; n++)
    s->chunks[n].count = CHUNK_NEW;
  atomic_store(&f->found, f->work.updates ? s->list.count : 0);
  for (;;) {
    atomic_store(&f->next, s->own_chunks.first);
    atomic_store(&f->missing, 0);
    parallel_run(f->work.question->tasks, threads, find_all, f);
    const int64_t missing = atomic_load(&f->missing);
    if (stop_poll_is_stopped(f->work.question->stop))
      return false;
    if (missing == 0 || is_crowded(f))
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
  memcpy(to->skins + at, from->skins + begin, size * sizeof *to->skins);
}

/* True if the first thread's list already has all pairs in order. */
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
  const pair_search *s = ((const pair_finding *)context)->work.search;
  const parallel_range own = parallel_split(s->own_chunks.last - s->own_chunks.first, thread, threads);
  for (int32_t n = s->own_chunks.first + own.first; n < s->own_chunks.first + own.last; n++)
    if (s->chunks[n].count > 0)
      copy_pairs(&s->list, &s->parts[s->chunks[n].part], &s->chunks[n]);
}

/* Below this number of pairs one thread does all. */
enum { SHARED_PAIRS = 4096 };

/* Copies the pairs of all chunks to the end of the list. */
static void copy_found(pair_finding *f, int threads) {
  pair_search *s = f->work.search;
  const int32_t before = s->list.count;
  for (int32_t n = s->own_chunks.first; n < s->own_chunks.last; n++) {
    s->chunks[n].to = s->list.count;
    s->list.count += s->chunks[n].count;
  }
  parallel_run(f->work.question->tasks, s->list.count - before < SHARED_PAIRS ? 1 : threads, copy_chunks, f);
}

/* The same, with the memory for it. */
static bool append_parts(pair_finding *f, memory *m, int threads) {
  pair_search *s = f->work.search;
  const int64_t count = s->list.count + count_found(s);
  if (count > INT32_MAX || !growth_reserve(&pair_growth, &s->list, m, count))
    return false;
  copy_found(f, threads);
  return true;
}

static bool join_parts(pair_finding *f, memory *m, int threads) {
  pair_search *s = f->work.search;
  if (is_joined(s)) {
    const pair_list joined = s->parts[0];
    s->parts[0] = s->list;
    s->list = joined;
    return true;
  }
  const int32_t count = s->list.count;
  s->list.count = 0;
  const bool done = append_parts(f, m, threads);
  s->list.count = done ? s->list.count : count;
  return done;
}

/* Numbers that ranks exchange. */
enum { TOLD_FAILED, TOLD_PAIRS, TOLD_CHUNKS };

/* Receives the pairs of other ranks; those of this one are in place. */
static void gather_pairs(const pair_list *list, int32_t first, const contact_team *team) {
  contact_team_gather(team, list->slots + first, sizeof *list->slots, TOLD_PAIRS);
  contact_team_gather(team, list->kind + first, sizeof *list->kind, TOLD_PAIRS);
  contact_team_gather(team, list->thickness + first, sizeof *list->thickness, TOLD_PAIRS);
  contact_team_gather(team, list->gap_begin + first, sizeof *list->gap_begin, TOLD_PAIRS);
  contact_team_gather(team, list->gap_end + first, sizeof *list->gap_end, TOLD_PAIRS);
  contact_team_gather(team, list->skins + first, sizeof *list->skins, TOLD_PAIRS);
}

/* Records the costs by which the next search is divided. */
static void note_found(pair_search *s, const contact_team *team) {
  for (int32_t n = s->own_chunks.first; n < s->own_chunks.last; n++)
    s->found[n] = s->chunks[n].count;
  contact_team_gather(team, s->found, sizeof *s->found, TOLD_CHUNKS);
  for (int32_t n = 0; n < s->chunk_count; n++)
    for (int32_t k = pair_leaves_of(s, n).first; k < pair_leaves_of(s, n).last; k++)
      s->past[s->query_clusters[k]] = s->found[n] / s->chunk_leaves;
}

/* Receives the pairs of all ranks after the `first` pairs of the list. `well`: this rank has succeeded so
   far. */
static bool gather_parts(pair_finding *f, memory *m, int32_t first, bool well, int threads) {
  pair_search *s = f->work.search;
  const pair_question *question = f->work.question;
  int64_t pairs = well ? count_found(s) : 0;
  if (is_crowded(f))
    pairs = question->most_pairs + 1 - first;
  contact_team *team = f->work.question->team;
  const parallel_range own = s->own_chunks;
  contact_team_tell(team,
                    (int64_t[CONTACT_TEAM_NUMBERS]){
                        [TOLD_FAILED] = !well, [TOLD_PAIRS] = pairs, [TOLD_CHUNKS] = own.last - own.first});
  const int ranks = contact_team_count(team);
  const int64_t count = first + contact_team_sum(team, TOLD_PAIRS, ranks);
  s->is_crowded = pair_question_is_crowded(question, count);
  if (s->is_crowded || contact_team_sum(team, TOLD_FAILED, ranks) > 0 || count > INT32_MAX ||
      !contact_team_agrees(team, growth_reserve(&pair_growth, &s->list, m, count)))
    return false;
  s->list.count = first + (int32_t)contact_team_sum(team, TOLD_PAIRS, contact_team_rank(team));
  copy_found(f, threads);
  s->list.count = (int32_t)count;
  gather_pairs(&s->list, first, team);
  return true;
}

bool pair_parts_find(pair_finding *f, memory *m, int threads) {
  pair_search *s = f->work.search;
  contact_team *team = f->work.question->team;
  const bool updates = f->work.updates, well = find_parts(f, m, threads);
  s->is_crowded = is_crowded(f);
  if (!f->is_shared)
    return contact_team_agrees(team, well && !s->is_crowded &&
                                         (updates ? append_parts(f, m, threads) : join_parts(f, m, threads)));
  if (!gather_parts(f, m, updates ? s->list.count : 0, well, threads))
    return false;
  if (!updates)
    note_found(s, team);
  return true;
}
