#include "engine/intersection/intersections.h"

#include "engine/base/min_max.h"
#include "engine/intersection/box_tree.h"
#include "engine/intersection/fans.h"
#include "engine/intersection/piece.h"

#include <math.h>

enum { TRIANGLE = 3, SEGMENT = 2, WORD_BITS = 64 };

/* Primitives per work item; the number of intersecting primitives that is worth several threads. */
enum { CHUNK = 256, SHARED_FOUND = 256 };

/* The particles of a triangle or segment. */
typedef struct corner_list {
  const int32_t *particle;
  int count;
} corner_list;

/* Buffers of one thread: candidates of the current primitive, and a bit for each primitive that it meets. */
typedef struct finder_notes {
  int32_t *near;
  uint64_t *meeting;
} finder_notes;

typedef struct finder {
  const msd_intersection_def *def;
  memory *memory;
  /* Primitives: triangles first, then segments. */
  int32_t count;
  msd_view positions;
  /* By particle. */
  point *points;
  box *boxes;
  box_tree tree;
  fans fans;
  finder_notes *notes;
  int threads;
  /* All positions are finite; the tree was made. */
  atomic_bool is_finite;
  bool has_tree;
  /* By primitive: it meets a later one; and the number of those that do. */
  atomic_bool *meets;
  atomic_int meeting;
  /* By chunk, plus one entry: how many intersections are found in earlier chunks. */
  int64_t *before;
  /* Receives the first `capacity` intersections. */
  msd_intersection *out;
  int capacity;
  /* The next chunk, and the next particle, that no thread has taken. */
  atomic_int next, next_particle;
  parallel_barrier barrier;
  /* Posted when the fans are listed. */
  progress_counter listed;
} finder;

static corner_list corners_of(const msd_intersection_def *def, int32_t i) {
  return i < def->triangle_count
             ? (corner_list){def->triangles + TRIANGLE * (size_t)i, TRIANGLE}
             : (corner_list){def->segments + SEGMENT * (size_t)(i - def->triangle_count), SEGMENT};
}

/* --------------------------------------------------------------------------------------- checks and boxes */

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

/* Makes the box of a primitive. False if a position is not finite. */
static bool enclose(const finder *f, int32_t i) {
  const corner_list p = corners_of(f->def, i);
  box *b = &f->boxes[i];
  bool is_finite = true;
  for (int k = 0; k < 3; k++) {
    b->low[k] = (msd_real)INFINITY;
    b->high[k] = -(msd_real)INFINITY;
    for (int c = 0; c < p.count; c++) {
      const msd_real at = (msd_real)f->points[p.particle[c]].at[k];
      b->low[k] = at < b->low[k] ? at : b->low[k];
      b->high[k] = at > b->high[k] ? at : b->high[k];
      is_finite = is_finite && isfinite(at);
    }
  }
  return is_finite;
}

static void finder_close(finder *f, memory *m) {
  box_tree_free(&f->tree, m);
  memory_release(m, f->points);
  memory_release(m, f->boxes);
  fans_free(&f->fans, m);
  memory_release(m, f->meets);
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

static bool allocate_finder(finder *f, memory *m) {
  f->points = memory_allocate_unset_items(m, f->positions.count, sizeof *f->points);
  f->boxes = memory_allocate_unset_items(m, f->count, sizeof *f->boxes);
  f->meets = memory_allocate_items(m, f->count, sizeof *f->meets);
  f->before = memory_allocate_items(m, (int64_t)chunks_of(f->count) + 1, sizeof *f->before);
  return f->points && f->boxes && f->meets && f->before && allocate_notes(f, m) &&
         fans_allocate(&f->fans, m, f->positions.count, f->def->triangle_count);
}

static void place_share(void *context, int thread, int threads) {
  finder *f = context;
  const parallel_range particles = parallel_split(f->positions.count, thread, threads),
                       pieces = parallel_split(f->count, thread, threads);
  for (int32_t p = particles.first; p < particles.last; p++) {
    const msd_vec3 at = msd_view_at(f->positions, p);
    f->points[p] = (point){{(double)at.x, (double)at.y, (double)at.z}};
  }
  parallel_wait(&f->barrier, threads);
  bool is_finite = true;
  for (int32_t i = pieces.first; i < pieces.last; i++)
    is_finite = enclose(f, i) && is_finite;
  if (!is_finite)
    atomic_store(&f->is_finite, false);
}

/* -------------------------------------------------------------------------------------------------- pairs */

static mesh_piece piece_of(const finder *f, int32_t i) {
  const corner_list from = corners_of(f->def, i);
  mesh_piece p = {.count = from.count};
  for (int n = 0; n < p.count; n++) {
    p.particle[n] = from.particle[n];
    p.corner[n] = &f->points[from.particle[n]];
  }
  return p;
}

/* Marks the primitives after `a` that intersect it, and returns the range that contains them; a count of 0
   or less if there are none. */
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

/* Writes the marked primitives of a range as partners of `a`, after `found` others, and clears the marks.
   Returns the new number. */
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

/* Writes the intersections of a chunk after `found` others, and returns the new number. The tree finds
   partners in its own order; the marks sort them by number. */
static int64_t list_chunk(const finder *f, const finder_notes *notes, int32_t chunk, int64_t found,
                          int capacity) {
  const int32_t first = chunk * CHUNK;
  for (int32_t a = first; a - first < int_min(CHUNK, f->count - first); a++)
    if (atomic_load_explicit(&f->meets[a], memory_order_relaxed)) {
      const msd_range range = mark_meeting(f, notes, a);
      found = list_marked(f, notes->meeting, a, range, found, capacity);
    }
  return found;
}

/* First pass: counts the intersections of each chunk. */
static void count_chunks(void *context, int thread, int threads) {
  (void)threads;
  finder *f = context;
  const int32_t chunks = chunks_of(f->count);
  for (int32_t n = atomic_fetch_add(&f->next, 1); n < chunks; n = atomic_fetch_add(&f->next, 1))
    f->before[n + 1] = list_chunk(f, &f->notes[thread], n, 0, 0);
}

/* Second pass: writes those that fit. */
static void list_chunks(void *context, int thread, int threads) {
  (void)threads;
  finder *f = context;
  const int32_t chunks = chunks_of(f->count);
  for (int32_t n = atomic_fetch_add(&f->next, 1); n < chunks; n = atomic_fetch_add(&f->next, 1))
    if (f->before[n] < f->capacity && f->before[n] < f->before[n + 1])
      list_chunk(f, &f->notes[thread], n, f->before[n], f->capacity);
}

/* True if two primitives share a corner with an open fan. */
static bool share_fan(const finder *f, int32_t a, int32_t b) {
  if (a >= f->def->triangle_count || b >= f->def->triangle_count)
    return false;
  const int32_t *one = f->def->triangles + TRIANGLE * (size_t)a,
                *other = f->def->triangles + TRIANGLE * (size_t)b;
  for (int i = 0; i < TRIANGLE; i++)
    if ((one[i] == other[0] || one[i] == other[1] || one[i] == other[2]) && f->fans.is_open[one[i]])
      return true;
  return false;
}

static hull triangle_of(const finder *f, int32_t i) {
  const int32_t *particle = f->def->triangles + TRIANGLE * (size_t)i;
  return (hull){{&f->points[particle[0]], &f->points[particle[1]], &f->points[particle[2]]}, TRIANGLE};
}

/* True if both are triangles that are clearly apart. Never true for triangles that share a corner. */
static bool is_apart(const finder *f, int32_t a, int32_t b) {
  if (b >= f->def->triangle_count)
    return false;
  const hull one = triangle_of(f, a), other = triangle_of(f, b);
  return triangles_are_apart(&one, &other);
}

/* For two primitives with overlapping boxes: records that the first meets a later one, unless that is known. */
static void see_pair(finder *f, int32_t item, int32_t other) {
  const int32_t a = int_min(item, other), b = int_max(item, other);
  if (share_fan(f, a, b) || atomic_load_explicit(&f->meets[a], memory_order_relaxed) || is_apart(f, a, b))
    return;
  const mesh_piece one = piece_of(f, a), two = piece_of(f, b);
  if (pieces_meet(&one, &two) && !atomic_exchange_explicit(&f->meets[a], true, memory_order_relaxed))
    atomic_fetch_add_explicit(&f->meeting, 1, memory_order_relaxed);
}

static void see_leaves(void *context, int32_t leaf, int32_t other) {
  finder *f = context;
  const int32_t *items = f->tree.leaf[leaf].item, *others = f->tree.leaf[other].item;
  const uint32_t bits = box_tree_overlaps(&f->tree, leaf, other);
  for (int pair = 0; bits >> pair; pair++)
    if (bits >> pair & 1)
      see_pair(f, items[pair / BOX_TREE_ITEMS], others[pair % BOX_TREE_ITEMS]);
}

/* The last thread lists triangles at corners while the first makes the tree; then all look for fans. */
static void prepare_share(finder *f, int thread, int threads) {
  const msd_intersection_def *def = f->def;
  const int32_t particles = f->positions.count;
  if (thread + 1 == threads) {
    fans_list(&f->fans, def->triangles, def->triangle_count, particles);
    progress_counter_publish(&f->listed, 1);
  }
  if (thread == 0)
    f->has_tree = box_tree_make(&f->tree, f->memory, f->boxes, f->count);
  progress_counter_wait(&f->listed, 1);
  for (int32_t n = atomic_fetch_add(&f->next_particle, CHUNK); n < particles;
       n = atomic_fetch_add(&f->next_particle, CHUNK))
    fans_find(&f->fans, def->triangles, f->points, n, int_min(n + CHUNK, particles));
}

/* Finds the primitives that meet a later one. Usually there are few, and only those are listed. */
static void see_share(void *context, int thread, int threads) {
  finder *f = context;
  prepare_share(f, thread, threads);
  parallel_wait(&f->barrier, threads);
  const int32_t parts = f->has_tree ? box_tree_part_count(&f->tree) : 0;
  for (int32_t n = atomic_fetch_add(&f->next, 1); n < parts; n = atomic_fetch_add(&f->next, 1))
    box_tree_pair(&f->tree, n, see_leaves, f);
}

static int64_t list_alone(const finder *f) {
  int64_t found = 0;
  for (int32_t n = 0; n < chunks_of(f->count); n++)
    found = list_chunk(f, &f->notes[0], n, found, f->capacity);
  return found;
}

/* Counts first, so that each thread knows where to write. */
static int64_t list_shared(finder *f, const msd_tasks *tasks) {
  const int32_t chunks = chunks_of(f->count);
  atomic_store(&f->next, 0);
  parallel_run(tasks, f->threads, count_chunks, f);
  for (int32_t n = 0; n < chunks; n++)
    f->before[n + 1] += f->before[n];
  atomic_store(&f->next, 0);
  parallel_run(tasks, f->threads, list_chunks, f);
  return f->before[chunks];
}

static msd_result find(finder *f, const msd_tasks *tasks, int64_t *found) {
  if (!allocate_finder(f, f->memory))
    return MSD_OUT_OF_MEMORY;
  parallel_run(tasks, f->threads, place_share, f);
  if (!atomic_load(&f->is_finite))
    return MSD_BAD_VALUE;
  progress_counter_begin(&f->listed);
  parallel_run(tasks, f->threads, see_share, f);
  if (!f->has_tree)
    return MSD_OUT_OF_MEMORY;
  const bool shares = f->threads > 1 && atomic_load(&f->meeting) >= SHARED_FOUND;
  *found = shares ? list_shared(f, tasks) : list_alone(f);
  return MSD_OK;
}

msd_result intersections_find(const intersection_question *q, memory *m, msd_intersection *out, int capacity,
                              int64_t *found) {
  msd_result result = check(q->def, q->positions.count);
  finder f = {.def = q->def, .out = out, .capacity = capacity, .positions = q->positions, .memory = m};
  atomic_init(&f.is_finite, true);
  f.count = result == MSD_OK ? q->def->triangle_count + q->def->segment_count : 0;
  f.threads = int_max(1, int_min(q->threads, chunks_of(f.count)));
  if (f.count > 0) {
    result = find(&f, q->tasks, found);
    finder_close(&f, m);
  } else if (result == MSD_OK) {
    *found = 0;
  }
  return result;
}
