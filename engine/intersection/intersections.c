#include "engine/intersection/intersections.h"

#include "engine/intersection/box_tree.h"
#include "engine/intersection/hull.h"

#include <math.h>

enum { TRIANGLE = 3, SEGMENT = 2, WORD_BITS = 64 };

/* A triangle or segment of the definition: its particles. */
typedef struct piece {
  const int32_t *particle;
  int count;
} piece;

typedef struct finder {
  const msd_intersection_def *def;
  /* Of triangles and segments. */
  int32_t count;
  /* Of all particles; those that the definition names are set. */
  point *points;
  box *boxes;
  box_tree tree;
  /* What may meet the piece at hand, and a bit for each piece that does. */
  int32_t *near;
  uint64_t *meeting;
} finder;

static piece piece_of(const msd_intersection_def *def, int32_t i) {
  return i < def->triangle_count
             ? (piece){def->triangles + TRIANGLE * (size_t)i, TRIANGLE}
             : (piece){def->segments + SEGMENT * (size_t)(i - def->triangle_count), SEGMENT};
}

/* ---------------------------------------------------------------------------------------- what is given */

static msd_result check_piece(piece p, int32_t particles) {
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
    result = check_piece(piece_of(def, i), particles);
  return result;
}

/* Copies the positions of a piece, and puts its box around them. False where one is not finite. */
static bool place(finder *f, msd_view positions, int32_t i) {
  const piece p = piece_of(f->def, i);
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
  memory_release(m, f->near);
  memory_release(m, f->meeting);
}

static msd_result finder_open(finder *f, msd_view positions, memory *m) {
  f->points = memory_allocate_items(m, positions.count, sizeof *f->points);
  f->boxes = memory_allocate_items(m, f->count, sizeof *f->boxes);
  f->near = memory_allocate_items(m, f->count, sizeof *f->near);
  f->meeting = memory_allocate_items(m, f->count / WORD_BITS + 1, sizeof *f->meeting);
  if (!f->points || !f->boxes || !f->near || !f->meeting)
    return MSD_OUT_OF_MEMORY;
  for (int32_t i = 0; i < f->count; i++)
    if (!place(f, positions, i))
      return MSD_BAD_VALUE;
  return box_tree_make(&f->tree, m, f->boxes, f->count) ? MSD_OK : MSD_OUT_OF_MEMORY;
}

/* ------------------------------------------------------------------------------------------------ pairs */

/* -1: it has no such corner. */
static int corner_of(piece p, int32_t particle) {
  for (int i = 0; i < p.count; i++)
    if (p.particle[i] == particle)
      return i;
  return -1;
}

/* The faces of two pieces that have no particle in common are those of a few pairs of hulls: each corner that
   both have stays with the one or with the other. `kept` has the bits of those that stay with the one. */
static bool faces_meet(const finder *f, piece one, piece other, unsigned shared, unsigned kept) {
  hull a = {.count = 0}, b = {.count = 0};
  for (int i = 0; i < one.count; i++)
    if (((shared & ~kept) >> i & 1) == 0)
      a.corner[a.count++] = &f->points[one.particle[i]];
  for (int i = 0; i < other.count; i++) {
    const int corner = corner_of(one, other.particle[i]);
    if (corner < 0 || (kept >> corner & 1) == 0)
      b.corner[b.count++] = &f->points[other.particle[i]];
  }
  return a.count > 0 && b.count > 0 && hulls_meet(&a, &b);
}

static bool pieces_meet(const finder *f, int32_t a, int32_t b) {
  const piece one = piece_of(f->def, a), other = piece_of(f->def, b);
  unsigned shared = 0;
  for (int i = 0; i < one.count; i++)
    shared |= (unsigned)(corner_of(other, one.particle[i]) >= 0) << i;
  for (unsigned kept = 0; kept <= shared; kept++)
    if ((kept & ~shared) == 0 && faces_meet(f, one, other, shared, kept))
      return true;
  return false;
}

/* Marks the pieces after `a` that intersect it, and returns the range that they are in; of 0 or fewer for
   none. */
static msd_range mark_meeting(const finder *f, int32_t a) {
  const int32_t near = box_tree_find(&f->tree, a, &f->boxes[a], f->near);
  int32_t first = f->count, last = -1;
  for (int32_t n = 0; n < near; n++) {
    const int32_t b = f->near[n];
    if (!pieces_meet(f, a, b))
      continue;
    f->meeting[b / WORD_BITS] |= UINT64_C(1) << b % WORD_BITS;
    first = b < first ? b : first;
    last = b > last ? b : last;
  }
  return (msd_range){first, last - first + 1};
}

/* The tree finds partners in its own order; the marks put them into that of their numbers. */
static int64_t find_all(const finder *f, msd_intersection *out, int capacity) {
  int64_t found = 0;
  for (int32_t a = 0; a < f->count; a++) {
    const msd_range range = mark_meeting(f, a);
    for (int32_t b = range.first; b - range.first < range.count; b++) {
      uint64_t *word = &f->meeting[b / WORD_BITS];
      const uint64_t bit = UINT64_C(1) << b % WORD_BITS;
      if ((*word & bit) == 0)
        continue;
      *word &= ~bit;
      if (found < capacity)
        out[found] = (msd_intersection){a, b};
      found++;
    }
  }
  return found;
}

msd_result intersections_find(msd_view positions, const msd_intersection_def *def, memory *m,
                              msd_intersection *out, int capacity, int64_t *found) {
  msd_result result = check(def, positions.count);
  finder f = {.def = def, .count = result == MSD_OK ? def->triangle_count + def->segment_count : 0};
  if (f.count > 0) {
    result = finder_open(&f, positions, m);
    if (result == MSD_OK)
      *found = find_all(&f, out, capacity);
    finder_close(&f, m);
  } else if (result == MSD_OK) {
    *found = 0;
  }
  return result;
}
