#include "engine/intersection/intersections.h"

#include "engine/base/min_max.h"
#include "engine/intersection/box_tree.h"
#include "engine/intersection/piece.h"

#include <math.h>

enum { TRIANGLE = 3, SEGMENT = 2, WORD_BITS = 64 };

/* How many pieces a thread takes at once; and how many that intersect are worth several threads. */
enum { CHUNK = 256, SHARED_FOUND = 256 };

/* The particles of a triangle or segment of the definition. */
typedef struct corner_list {
  const int32_t *particle;
  int count;
} corner_list;

/* What one thread needs beside: what may meet the piece at hand, and a bit for each piece that does. */
typedef struct finder_notes {
  int32_t *near;
  uint64_t *meeting;
} finder_notes;

typedef struct finder {
  const msd_intersection_def *def;
  /* Of triangles and segments. */
  int32_t count;
  /* Of all particles; those that the definition names are set. */
  point *points;
  box *boxes;
  box_tree tree;
  finder_notes *notes;
  int threads;
  /* Of each piece, whether it is known to meet none after it. */
  bool *apart;
  /* Of each chunk, and of the end, how many are found in those before it. */
  int64_t *before;
  /* Where the first `capacity` of what is found go. */
  msd_intersection *out;
  int capacity;
  /* The first chunk that no thread has taken. */
  atomic_int next;
} finder;

static corner_list corners_of(const msd_intersection_def *def, int32_t i) {
  return i < def->triangle_count
             ? (corner_list){def->triangles + TRIANGLE * (size_t)i, TRIANGLE}
             : (corner_list){def->segments + SEGMENT * (size_t)(i - def->triangle_count), SEGMENT};
}

/* ---------------------------------------------------------------------------------------- what is given */

static msd_result check_piece(corner_list p, int32_t particles) {
  for (int i = 0; i < p.count; i++)
    if (p.particle[i] < 0 || p.particle[i] >= particles)
      return MSD_BAD_INDEX;
  for (int i = 0; i < p.count; i++)
    if (p.particle[i] == p.particle[(i + 1) % p.count])
      return MSD_BAD_VALUE;
  return MSD_OK;
}

static msd_result check(const msd_intersection_def *def, int32_t particles) {
  if (def->triangle_count < 0 || (def->triangle_count > 0 && !def->triangles) || def->segment_count < 0 ||
      (def->segment_count > 0 && !def->segments))
    return MSD_BAD_VALUE;
  if (def->segment_count > INT32_MAX - def->triangle_count)
    return MSD_TOO_LARGE;
  msd_result result = MSD_OK;
  for (int32_t i = 0; i < def->triangle_count + def->segment_count && result == MSD_OK; i++)
    result = check_piece(corners_of(def, i), particles);
  return result;
}

/* Copies the positions of a piece, and puts its box around them. False where one is not finite. */
static bool place(finder *f, msd_view positions, int32_t i) {
  const corner_list p = corners_of(f->def, i);
  box *b = &f->boxes[i];
  for (int c = 0; c < p.count; c++) {
    const msd_vec3 position = msd_view_at(positions, p.particle[c]);
    const msd_real at[3] = {position.x, position.y, position.z};
    for (int k = 0; k < 3; k++) {
      if (!isfinite(at[k]))
        return false;
      f->points[p.particle[c]].at[k] = (double)at[k];
      b->low[k] = c == 0 || at[k] < b->low[k] ? at[k] : b->low[k];
      b->high[k] = c == 0 || at[k] > b->high[k] ? at[k] : b->high[k];
    }
  }
  return true;
}

static void finder_close(finder *f, memory *m) {
  box_tree_free(&f->tree, m);
  memory_release(m, f->points);
  memory_release(m, f->boxes);
  memory_release(m, f->apart);
  memory_release(m, f->before);
  for (int n = 0; n < f->threads && f->notes; n++) {
    memory_release(m, f->notes[n].near);
    memory_release(m, f->notes[n].meeting);
  }
  memory_release(m, f->notes);
}

static bool allocate_notes(finder *f, memory *m) {
  f->notes = memory_allocate_items(m, f->threads, sizeof *f->notes);
  bool done = f->notes != NULL;
  for (int n = 0; n < f->threads && done; n++) {
    f->notes[n].near = memory_allocate_items(m, f->count, sizeof *f->notes->near);
    f->notes[n].meeting = memory_allocate_items(m, f->count / WORD_BITS + 1, sizeof *f->notes->meeting);
    done = f->notes[n].near && f->notes[n].meeting;
  }
  return done;
}

static int32_t chunks_of(int32_t count) {
  return count / CHUNK + (count % CHUNK != 0);
}

static msd_result finder_open(finder *f, msd_view positions, memory *m) {
  f->points = memory_allocate_items(m, positions.count, sizeof *f->points);
  f->boxes = memory_allocate_items(m, f->count, sizeof *f->boxes);
  f->apart = memory_allocate_items(m, f->count, sizeof *f->apart);
  f->before = memory_allocate_items(m, (int64_t)chunks_of(f->count) + 1, sizeof *f->before);
  if (!f->points || !f->boxes || !f->apart || !f->before || !allocate_notes(f, m))
    return MSD_OUT_OF_MEMORY;
  for (int32_t i = 0; i < f->count; i++)
    if (!place(f, positions, i))
      return MSD_BAD_VALUE;
  return box_tree_make(&f->tree, m, f->boxes, f->count) ? MSD_OK : MSD_OUT_OF_MEMORY;
}

/* ------------------------------------------------------------------------------------------------ pairs */

static mesh_piece piece_of(const finder *f, int32_t i) {
  const corner_list from = corners_of(f->def, i);
  mesh_piece p = {.count = from.count};
  for (int n = 0; n < p.count; n++) {
    p.particle[n] = from.particle[n];
    p.corner[n] = &f->points[from.particle[n]];
  }
  return p;
}

/* Marks the pieces after `a` that intersect it, and returns the range that they are in; of 0 or fewer for
   none. */
static msd_range mark_meeting(const finder *f, const finder_notes *notes, int32_t a) {
  const int32_t near = box_tree_find(&f->tree, a, &f->boxes[a], notes->near);
  const mesh_piece one = piece_of(f, a);
  int32_t first = f->count, last = -1;
  for (int32_t n = 0; n < near; n++) {
    const int32_t b = notes->near[n];
    const mesh_piece other = piece_of(f, b);
    if (!pieces_meet(&one, &other))
      continue;
    notes->meeting[b / WORD_BITS] |= UINT64_C(1) << b % WORD_BITS;
    first = int_min(b, first);
    last = int_max(b, last);
  }
  return (msd_range){first, last - first + 1};
}

/* Where the pieces of a range that piece `a` meets go: behind `found` others. Takes the marks off, and returns
   how many there are then. */
static int64_t list_marked(const finder *f, uint64_t *meeting, int32_t a, msd_range range, int64_t found,
                           int capacity) {
  for (int32_t word = range.first / WORD_BITS; word <= (range.first + range.count - 1) / WORD_BITS; word++) {
    uint64_t bits = meeting[word];
    meeting[word] = 0;
    for (int32_t b = word * WORD_BITS; bits != 0; b++, bits >>= 1)
      if (bits & 1) {
        if (found < capacity)
          f->out[found] = (msd_intersection){a, b};
        found++;
      }
  }
  return found;
}

/* Lists what the pieces of a chunk meet, behind `found` others, and returns how many there are then. The tree
   finds partners in its own order; the marks put them into that of their numbers. */
static int64_t list_chunk(const finder *f, const finder_notes *notes, int32_t chunk, int64_t found,
                          int capacity) {
  const int32_t first = chunk * CHUNK;
  for (int32_t a = first; a - first < int_min(CHUNK, f->count - first); a++) {
    if (f->apart[a])
      continue;
    const msd_range range = mark_meeting(f, notes, a);
    f->apart[a] = range.count <= 0;
    if (!f->apart[a])
      found = list_marked(f, notes->meeting, a, range, found, capacity);
  }
  return found;
}

/* Notes of each chunk behind it how many are found in it. */
static void count_chunks(void *context, int thread, int threads) {
  (void)threads;
  finder *f = context;
  const int32_t chunks = chunks_of(f->count);
  for (int32_t n = atomic_fetch_add(&f->next, 1); n < chunks; n = atomic_fetch_add(&f->next, 1))
    f->before[n + 1] = list_chunk(f, &f->notes[thread], n, 0, 0);
}

/* Of chunks that have something for which there is room. */
static void list_chunks(void *context, int thread, int threads) {
  (void)threads;
  finder *f = context;
  const int32_t chunks = chunks_of(f->count);
  for (int32_t n = atomic_fetch_add(&f->next, 1); n < chunks; n = atomic_fetch_add(&f->next, 1))
    if (f->before[n] < f->capacity && f->before[n] < f->before[n + 1])
      list_chunk(f, &f->notes[thread], n, f->before[n], f->capacity);
}

static int64_t find_alone(const finder *f) {
  int64_t found = 0;
  for (int32_t n = 0; n < chunks_of(f->count); n++)
    found = list_chunk(f, &f->notes[0], n, found, f->capacity);
  return found;
}

/* Each thread has to know where to write: so all is counted first, and then looked at again where something
   meets, which mostly is little. */
static int64_t find_shared(finder *f, const msd_tasks *tasks) {
  const int32_t chunks = chunks_of(f->count);
  parallel_run(tasks, f->threads, count_chunks, f);
  for (int32_t n = 0; n < chunks; n++)
    f->before[n + 1] += f->before[n];
  atomic_store(&f->next, 0);
  parallel_run(tasks, f->before[chunks] < SHARED_FOUND || f->capacity == 0 ? 1 : f->threads, list_chunks, f);
  return f->before[chunks];
}

msd_result intersections_find(const intersection_question *q, memory *m, msd_intersection *out, int capacity,
                              int64_t *found) {
  msd_result result = check(q->def, q->positions.count);
  finder f = {.def = q->def, .out = out, .capacity = capacity};
  f.count = result == MSD_OK ? q->def->triangle_count + q->def->segment_count : 0;
  f.threads = int_max(1, int_min(q->threads, chunks_of(f.count)));
  if (f.count > 0) {
    result = finder_open(&f, q->positions, m);
    if (result == MSD_OK)
      *found = f.threads > 1 ? find_shared(&f, q->tasks) : find_alone(&f);
    finder_close(&f, m);
  } else if (result == MSD_OK) {
    *found = 0;
  }
  return result;
}
