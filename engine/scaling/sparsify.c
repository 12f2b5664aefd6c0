#include "engine/scaling/sparsify.h"

#include <math.h>
#include <stdlib.h>

/* A coupling is weak if it is at most this fraction of those that replace it. */
static const double WEAK = 0.125;

typedef enum entry_fate { STAYS, MAY_GO, GOES } entry_fate;

typedef struct sparsify {
  level_matrix *b;
  /* The largest coupling of each row. */
  double *most;
  /* An entry_fate per entry. */
  uint8_t *fate;
} sparsify;

/* The weight of an entry, which is -B_ij. */
static double weight_of(const sparsify *t, int32_t entry) {
  return -t->b->beside.value[entry];
}

static void find_most(const sparsify *t) {
  const sparse_matrix *a = &t->b->beside;
  for (int32_t i = 0; i < a->rows; i++)
    for (int32_t e = a->first[i]; e < a->first[i + 1]; e++)
      t->most[i] = fmax(t->most[i], weight_of(t, e));
}

/* Marks entries that are weak relative to the largest of both their rows. Only the others may replace a
   coupling. */
static void mark_weak(const sparsify *t) {
  const sparse_matrix *a = &t->b->beside;
  for (int32_t i = 0; i < a->rows; i++)
    for (int32_t e = a->first[i]; e < a->first[i + 1]; e++) {
      const double most = fmin(t->most[i], t->most[a->column[e]]);
      t->fate[e] = fabs(weight_of(t, e)) <= WEAK * most ? MAY_GO : STAYS;
    }
}

/* The entries (i, k) and (j, k) of a detour around the coupling of i and j. */
typedef struct way_around {
  int32_t from_i, from_j;
} way_around;

static bool is_strong(const sparsify *t, int32_t entry, double weight) {
  return t->fate[entry] == STAYS && weight <= WEAK * weight_of(t, entry);
}

static int32_t entry_count(const sparse_matrix *a, int32_t row) {
  return a->first[row + 1] - a->first[row];
}

/* The strong detour whose row index is nearest to the middle of both; -1: none. Only the shorter of the two
   rows is traversed, because the other may have very many entries. */
static way_around contact_displacement(const sparsify *t, int32_t i, int32_t j, double weight) {
  const sparse_matrix *a = &t->b->beside;
  const bool is_turned = entry_count(a, j) < entry_count(a, i);
  const int32_t fewer = is_turned ? j : i, more = is_turned ? i : j;
  way_around best = {-1, -1};
  int64_t least = INT64_MAX;
  for (int32_t e = a->first[fewer]; e < a->first[fewer + 1]; e++) {
    const int64_t off = llabs(2 * (int64_t)a->column[e] - i - j);
    if (off >= least || !is_strong(t, e, weight))
      continue;
    const int32_t other = sparse_matrix_find(a, more, a->column[e]);
    if (other < 0 || !is_strong(t, other, weight))
      continue;
    best = is_turned ? (way_around){other, e} : (way_around){e, other};
    least = off;
  }
  return best;
}

static void add_weight(const sparsify *t, int32_t row, int32_t entry, double weight) {
  sparse_matrix *a = &t->b->beside;
  a->value[entry] -= weight;
  a->value[sparse_matrix_find(a, a->column[entry], row)] -= weight;
}

static void take_weak(const sparsify *t) {
  const sparse_matrix *a = &t->b->beside;
  for (int32_t i = 0; i < a->rows; i++)
    for (int32_t e = a->first[i]; e < a->first[i + 1]; e++) {
      const int32_t j = a->column[e];
      if (t->fate[e] != MAY_GO || j < i)
        continue;
      const double weight = weight_of(t, e);
      if (weight > 0) {
        const way_around way = contact_displacement(t, i, j, weight);
        if (way.from_i < 0)
          continue;
        add_weight(t, i, way.from_i, 2 * weight);
        add_weight(t, j, way.from_j, 2 * weight);
      }
      t->fate[e] = t->fate[sparse_matrix_find(a, j, i)] = GOES;
    }
}

static void leave_out(const sparsify *t) {
  sparse_matrix *a = &t->b->beside;
  int32_t end = 0;
  for (int32_t i = 0; i < a->rows; i++) {
    const int32_t from = a->first[i];
    a->first[i] = end;
    for (int32_t e = from; e < a->first[i + 1]; e++)
      if (t->fate[e] != GOES) {
        a->column[end] = a->column[e];
        a->value[end++] = a->value[e];
      }
  }
  a->first[a->rows] = end;
}

bool thin_level(level_matrix *b, memory *m) {
  const sparse_matrix *a = &b->beside;
  const sparsify t = {.b = b,
                      .most = memory_allocate_items(m, a->rows, sizeof *t.most),
                      .fate = memory_allocate_items(m, a->first[a->rows], sizeof *t.fate)};
  const bool done = t.most && t.fate;
  if (done) {
    find_most(&t);
    mark_weak(&t);
    take_weak(&t);
    leave_out(&t);
  }
  memory_release(m, t.most);
  memory_release(m, t.fate);
  return done;
}
