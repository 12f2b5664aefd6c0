#include "engine/scaling/aggregation.h"

#include <math.h>

void level_matrix_free(level_matrix *b, memory *m) {
  sparse_matrix_free(&b->beside, m);
  memory_release(m, b->own);
  b->own = NULL;
}

double level_diagonal(const level_matrix *b, int32_t row) {
  double sum = b->own[row];
  for (int32_t e = b->beside.first[row]; e < b->beside.first[row + 1]; e++)
    sum -= b->beside.value[e];
  return sum;
}

static double sum_beside(const level_matrix *b, int32_t row) {
  double sum = 0;
  for (int32_t e = b->beside.first[row]; e < b->beside.first[row + 1]; e++)
    sum += fabs(b->beside.value[e]);
  return sum;
}

double level_smoother(const level_matrix *b, int32_t row) {
  const double diagonal = level_diagonal(b, row);
  return fmax(diagonal, 0.625 * (diagonal + sum_beside(b, row)));
}

/* Values of an aggregate index: NONE for a row that its smoother solves well enough, OPEN for one without an
   aggregate yet. */
enum { OPEN = -1, NONE = -2 };
static const double SOLVED = 0.25;

/* A coupling is strong if it is at least this fraction of the largest coupling of one of its rows. */
static const double STRONG = 0.25;

typedef struct aggregation {
  const level_matrix *b;
  int32_t *of;
  /* The largest coupling of each row. */
  double *most;
  int32_t count;
} aggregation;

static bool is_strong(const aggregation *a, int32_t row, int32_t entry) {
  const int32_t other = a->b->beside.column[entry];
  const double value = fabs(a->b->beside.value[entry]);
  return a->of[other] != NONE && value > 0 && value >= STRONG * fmin(a->most[row], a->most[other]);
}

static void begin_aggregation(aggregation *a) {
  const sparse_matrix *beside = &a->b->beside;
  for (int32_t i = 0; i < beside->rows; i++) {
    for (int32_t e = beside->first[i]; e < beside->first[i + 1]; e++)
      a->most[i] = fmax(a->most[i], fabs(beside->value[e]));
    a->of[i] = sum_beside(a->b, i) <= SOLVED * level_diagonal(a->b, i) ? NONE : OPEN;
  }
}

/* Creates an aggregate of a row and its strong neighbors that have none. */
static void found(aggregation *a, int32_t row) {
  const sparse_matrix *beside = &a->b->beside;
  for (int32_t e = beside->first[row]; e < beside->first[row + 1]; e++)
    if (is_strong(a, row, e) && a->of[beside->column[e]] == OPEN)
      a->of[beside->column[e]] = a->count;
  a->of[row] = a->count++;
}

/* Returns whether a row has strong neighbors, and none of them has an aggregate. */
static bool is_alone(const aggregation *a, int32_t row) {
  const sparse_matrix *beside = &a->b->beside;
  bool some = false;
  for (int32_t e = beside->first[row]; e < beside->first[row + 1]; e++) {
    if (!is_strong(a, row, e))
      continue;
    if (a->of[beside->column[e]] != OPEN)
      return false;
    some = true;
  }
  return some;
}

/* The aggregate, below `end`, of the neighbor with the strongest coupling; OPEN: none. */
static int32_t nearest(const aggregation *a, int32_t row, int32_t end) {
  const sparse_matrix *beside = &a->b->beside;
  double most = 0;
  int32_t found_of = OPEN;
  for (int32_t e = beside->first[row]; e < beside->first[row + 1]; e++) {
    const int32_t of = a->of[beside->column[e]];
    if (is_strong(a, row, e) && of >= 0 && of < end && fabs(beside->value[e]) > most) {
      most = fabs(beside->value[e]);
      found_of = of;
    }
  }
  return found_of;
}

/* Rows that join are first numbered after all aggregates, so that no other row joins through them. */
static void aggregate_rows(aggregation *a) {
  const int32_t rows = a->b->beside.rows;
  begin_aggregation(a);
  for (int32_t i = 0; i < rows; i++)
    if (a->of[i] == OPEN && is_alone(a, i))
      found(a, i);
  const int32_t first = a->count;
  for (int32_t i = 0; i < rows; i++) {
    const int32_t joined = a->of[i] == OPEN ? nearest(a, i, first) : OPEN;
    if (joined != OPEN)
      a->of[i] = first + joined;
  }
  for (int32_t i = 0; i < rows; i++)
    if (a->of[i] >= first)
      a->of[i] -= first;
  for (int32_t i = 0; i < rows; i++)
    if (a->of[i] == OPEN)
      found(a, i);
}

/* Applies (1 - 2/3 S^-1 B) to the indicator vectors of the aggregates, without weak couplings. Rounds to
   msd_real, as substeps use it. */
static bool smooth_aggregates(sparse_matrix *p, memory *m, const aggregation *a) {
  const sparse_matrix *beside = &a->b->beside;
  sparse_matrix columns;
  if (!sparse_matrix_open(p, m, beside->rows, a->count, (int64_t)beside->first[beside->rows] + beside->rows))
    return false;
  int32_t end = 0;
  for (int32_t i = 0; i < beside->rows; i++) {
    const double share = a->of[i] == NONE ? 0 : 2.0 / 3 / level_smoother(a->b, i);
    double kept = 1 - share * a->b->own[i];
    for (int32_t e = beside->first[i]; share > 0 && e < beside->first[i + 1]; e++) {
      const int32_t other = a->of[beside->column[e]];
      if (!is_strong(a, i, e) || other == a->of[i])
        continue;
      p->column[end] = other;
      p->value[end++] = -share * beside->value[e];
      kept += share * beside->value[e];
    }
    if (share > 0) {
      p->column[end] = a->of[i];
      p->value[end++] = kept;
    }
    p->first[i + 1] = end;
  }
  /* Transposing twice sorts the columns; equal ones are merged. */
  const bool turned = sparse_matrix_transpose(&columns, m, p);
  sparse_matrix_free(p, m);
  const bool done = turned && sparse_matrix_transpose(p, m, &columns);
  if (turned)
    sparse_matrix_free(&columns, m);
  if (!done)
    return false;
  sparse_matrix_merge(p);
  for (int32_t e = 0; e < p->first[p->rows]; e++)
    p->value[e] = (double)(msd_real)p->value[e];
  return true;
}

/* Another level must have at most this fraction of the rows. */
static const double FEWER = 0.8;

bool aggregate_level(sparse_matrix *prolongation, memory *m, const level_matrix *b) {
  const int32_t rows = b->beside.rows;
  aggregation a = {.b = b,
                   .of = memory_allocate_items(m, rows, sizeof *a.of),
                   .most = memory_allocate_items(m, rows, sizeof *a.most)};
  bool done = a.of && a.most;
  *prolongation = (sparse_matrix){.rows = 0};
  if (done)
    aggregate_rows(&a);
  if (done && a.count > 0 && a.count <= FEWER * rows)
    done = smooth_aggregates(prolongation, m, &a);
  memory_release(m, a.of);
  memory_release(m, a.most);
  return done;
}
