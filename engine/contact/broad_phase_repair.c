#include "engine/contact/broad_phase_repair.h"

#include "engine/base/min_max.h"
#include "engine/contact/broad_phase_parts.h"
#include "engine/contact/flags.h"

#include <string.h>

/* Leaves per work item; leaves that are worth one more thread. */
enum { LEAVES_AT_ONCE = 1, LEAVES_OF_A_THREAD = 2 };

/* The input of a repair. */
typedef struct mending {
  pair_finding finding;
  /* Blocks of the list with pairs of marked particles; NULL: all. */
  const pair_index *blocks;
  /* Marks, by slot. */
  const uint8_t *marked;
  uint8_t mark;
  parallel_barrier barrier;
} mending;

static bool is_marked(const int32_t slots[PAIR_CORNERS], const uint8_t *marked, uint8_t mark) {
  return (marked[slots[0]] | marked[slots[1]] | marked[slots[2]] | marked[slots[3]]) & mark;
}

static void drop_marked_of(const mending *m, parallel_range listed) {
  pair_list *list = &m->finding.work.search->list;
  for (int32_t n = listed.first; n < listed.last; n++)
    if (is_marked(list->slots[n], m->marked, m->mark))
      list->thickness[n] = 0, list->gap_begin[n] = list->gap_end[n] = PAIR_FAR;
}

static void drop_marked(const mending *m, int thread, int threads) {
  const parallel_range own = parallel_split(m->finding.work.search->list.count, thread, threads);
  if (!m->blocks)
    drop_marked_of(m, own);
  for (parallel_range left = own; m->blocks && left.first < left.last;) {
    const parallel_range run = pair_index_next(m->blocks, left);
    drop_marked_of(m, run);
    left.first = run.first < run.last ? run.last : left.last;
  }
}

/* Clears what the last search has searched. */
static void seek_nothing(const mending *m) {
  const pair_search *s = m->finding.work.search;
  const surface_mesh *mesh = m->finding.work.mesh;
  for (int32_t n = 0; n < s->seeker_count; n++) {
    const int32_t leaf = s->query_clusters[n];
    s->seeks[leaf] = 0;
    for (int kind = 0; kind < SURFACE_KINDS; kind++)
      for (int32_t block = mesh->of[kind].first_block[leaf]; block < mesh->of[kind].first_block[leaf + 1];
           block++)
        s->sought[kind][block] = 0;
  }
}

/* Marks all primitives that use a vertex; they belong to leaves that use its leaf. */
static void seek_around(const mending *m, int32_t vertex) {
  const pair_work *w = &m->finding.work;
  const int32_t own = surface_mesh_leaf_of(vertex);
  for (int32_t k = w->mesh->first_user[own]; k < w->mesh->first_user[own + 1]; k++) {
    const int32_t leaf = w->mesh->user[k];
    if (m->finding.kernel->seek(w, leaf, vertex))
      w->search->seeks[leaf] = 1;
  }
}

static void seek_marked(const mending *m) {
  const surface_mesh *mesh = m->finding.work.mesh;
  const int32_t count = mesh->particles;
  for (int32_t slot = marks_next(m->marked, m->mark, 0, count); slot < count;
       slot = marks_next(m->marked, m->mark, slot + 1, count))
    for (int32_t vertex = mesh->first_vertex[slot]; vertex >= 0; vertex = mesh->next_vertex[vertex])
      seek_around(m, vertex);
}

/* Updates the nodes above the changed leaves, each once, after all below it. */
static void place_levels(const mending *m) {
  const pair_search *s = m->finding.work.search;
  for (int level = 0; level + 1 < s->level_count; level++) {
    int32_t last = -1;
    for (int32_t n = 0; n < s->seeker_count; n++) {
      const int32_t block = s->query_clusters[n] >> 4 * (level + 1);
      msd_real box[PAIR_BOX];
      if (block == last)
        continue;
      last = block;
      m->finding.kernel->enclose(&s->levels[level][block], box);
      pair_block_put(&s->levels[level + 1][block / SURFACE_BLOCK], block % SURFACE_BLOCK, box);
    }
  }
}

/* Makes boxes for the searched primitives of some leaves, or for all of their primitives if they have none
   yet. */
static void lay(const mending *m, parallel_range own) {
  const pair_finding *f = &m->finding;
  pair_search *s = f->work.search;
  for (int32_t n = own.first; n < own.last; n++) {
    const int32_t leaf = s->query_clusters[n];
    const bool was_laid = atomic_exchange_explicit(&s->is_laid[leaf], 1, memory_order_relaxed);
    f->kernel->lay(&f->work, leaf, !was_laid);
    f->kernel->enclose_sought(&f->work, leaf);
  }
}

/* A marked vertex is itself a primitive of its leaf, so leaves without searched primitives have unchanged
   records. */
static void place(void *context, int thread, int threads) {
  mending *m = context;
  const pair_finding *f = &m->finding;
  const pair_search *s = f->work.search;
  const parallel_range own = parallel_split(s->seeker_count, thread, threads),
                       meeting = parallel_split(s->own_chunks.last - s->own_chunks.first, thread, threads);
  drop_marked(m, thread, threads);
  for (int32_t n = own.first; n < own.last; n++)
    if (s->sought[SURFACE_VERTICES][s->query_clusters[n]])
      f->kernel->place_vertices(&f->work, s->query_clusters[n]);
  parallel_wait(&m->barrier, threads);
  for (int32_t n = own.first; n < own.last; n++)
    f->kernel->place(&f->work, s->query_clusters[n]);
  lay(m, own);
  parallel_wait(&m->barrier, threads);
  if (thread == 0)
    place_levels(m);
  parallel_wait(&m->barrier, threads);
  for (int32_t n = meeting.first; n < meeting.last; n++)
    f->kernel->meet(&f->work, s->query_clusters[s->own_chunks.first + n]);
}

bool pair_search_mend(pair_search *s, memory *m, const surface_mesh *mesh, const pair_question *question,
                      const pair_index *blocks, const uint8_t *marked, uint8_t mark) {
  mending b = {.finding = {.work = {.mesh = mesh, .question = question, .search = s, .updates = true},
                           .kernel = pair_parts_kernel(question->simd)},
               .blocks = blocks,
               .marked = marked,
               .mark = mark};
  seek_nothing(&b);
  seek_marked(&b);
  pair_parts_begin(&b.finding, LEAVES_AT_ONCE);
  const int most = int_max(1, int_min(question->threads, s->part_count)),
            threads = int_max(1, int_min(most, s->seeker_count / LEAVES_OF_A_THREAD));
  parallel_run(question->tasks, threads, place, &b);
  return pair_parts_find(&b.finding, m, threads);
}
