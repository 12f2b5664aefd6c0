#include "engine/scaling/sparse_matrix.h"

#include "engine/base/min_max.h"
#include "engine/base/record.h"
#include "engine/base/sort.h"

#include <stdlib.h>
#include <string.h>

bool sparse_matrix_open(sparse_matrix *a, memory *m, int32_t rows, int32_t columns, int64_t entries) {
  *a = (sparse_matrix){.rows = rows, .columns = columns};
  if (entries > INT32_MAX)
    return false;
  a->first = memory_allocate_items(m, (int64_t)rows + 2, sizeof *a->first);
  a->column = memory_allocate_items(m, entries, sizeof *a->column);
  a->value = memory_allocate_items(m, entries, sizeof *a->value);
  if (a->first && a->column && a->value)
    return true;
  sparse_matrix_free(a, m);
  return false;
}

void sparse_matrix_free(sparse_matrix *a, memory *m) {
  memory_release(m, a->first);
  memory_release(m, a->column);
  memory_release(m, a->value);
  *a = (sparse_matrix){.rows = 0};
}

/* While entries are stored, first[j + 1] is the next position in row j. */
bool sparse_matrix_transpose(sparse_matrix *t, memory *m, const sparse_matrix *a) {
  if (!sparse_matrix_open(t, m, a->columns, a->rows, a->first[a->rows]))
    return false;
  for (int32_t e = 0; e < a->first[a->rows]; e++)
    t->first[a->column[e] + 2]++;
  for (int32_t j = 0; j < t->rows; j++)
    t->first[j + 2] += t->first[j + 1];
  for (int32_t i = 0; i < a->rows; i++)
    for (int32_t e = a->first[i]; e < a->first[i + 1]; e++) {
      const int32_t at = t->first[a->column[e] + 1]++;
      t->column[at] = i;
      t->value[at] = a->value[e];
    }
  return true;
}

/* One row of a product; `place` has the position of each column in the row, or a position before the row. */
typedef struct product_row {
  sparse_matrix *c;
  int32_t *place;
  int32_t begin, end;
} product_row;

static void add_row(product_row *row, double factor, const sparse_matrix *b, int32_t i) {
  for (int32_t e = b->first[i]; e < b->first[i + 1]; e++) {
    const int32_t column = b->column[e];
    const bool is_new = row->place[column] < row->begin;
    if (is_new) {
      row->place[column] = row->end++;
      row->c->column[row->place[column]] = column;
      row->c->value[row->place[column]] = 0;
    }
    row->c->value[row->place[column]] += factor * b->value[e];
  }
}

/* Counts the new columns of a row; `seen` has the last row that each column was counted for. */
static int32_t count_row(int32_t *seen, const sparse_matrix *b, int32_t i, int32_t row) {
  int32_t count = 0;
  for (int32_t e = b->first[i]; e < b->first[i + 1]; e++) {
    count += seen[b->column[e]] != row;
    seen[b->column[e]] = row;
  }
  return count;
}

static int64_t count_product(int32_t *seen, bool has_diagonal, const sparse_matrix *a,
                             const sparse_matrix *b) {
  int64_t count = 0;
  memset(seen, -1, (size_t)b->columns * sizeof *seen);
  for (int32_t i = 0; i < a->rows; i++) {
    count += has_diagonal ? count_row(seen, b, i, i) : 0;
    for (int32_t e = a->first[i]; e < a->first[i + 1]; e++)
      count += count_row(seen, b, a->column[e], i);
  }
  memset(seen, -1, (size_t)b->columns * sizeof *seen);
  return count;
}

bool sparse_matrix_multiply(sparse_matrix *c, memory *m, const double *diagonal, const sparse_matrix *a,
                            const sparse_matrix *b) {
  int32_t *place = memory_allocate_items(m, b->columns, sizeof *place);
  *c = (sparse_matrix){.rows = 0};
  if (!place || !sparse_matrix_open(c, m, a->rows, b->columns, count_product(place, diagonal, a, b))) {
    memory_release(m, place);
    return false;
  }
  product_row row = {.c = c, .place = place};
  for (int32_t i = 0; i < a->rows; i++) {
    row.begin = row.end;
    if (diagonal)
      add_row(&row, diagonal[i], b, i);
    for (int32_t e = a->first[i]; e < a->first[i + 1]; e++)
      add_row(&row, a->value[e], b, a->column[e]);
    c->first[i + 1] = row.end;
  }
  memory_release(m, place);
  return true;
}

int32_t sparse_matrix_find(const sparse_matrix *a, int32_t row, int32_t column) {
  const int32_t *columns = a->column + a->first[row], count = a->first[row + 1] - a->first[row],
                place = sorted_place(columns, count, sizeof *columns, column);
  return place < count && columns[place] == column ? a->first[row] + place : -1;
}

void sparse_matrix_merge(sparse_matrix *a) {
  int32_t end = 0;
  for (int32_t i = 0; i < a->rows; i++) {
    const int32_t begin = end, from = a->first[i];
    a->first[i] = begin;
    for (int32_t e = from; e < a->first[i + 1]; e++) {
      if (end > begin && a->column[end - 1] == a->column[e]) {
        a->value[end - 1] += a->value[e];
        continue;
      }
      a->column[end] = a->column[e];
      a->value[end++] = a->value[e];
    }
  }
  a->first[a->rows] = end;
}

/* ----------------------------------------------------------------------------------------- groups of rows */

/* Distances above the diagonal with lanes of their own: those at which a matrix is symmetric and at least
   RUN_SHARE of its rows have an entry. Their views are not aligned to cache lines; if all coefficients fit
   into the inner caches, that costs more than it saves. */
enum { RUNS_MAX = 8, RUN_ROWS_MIN = 1 << 15 };
static const double RUN_SHARE = 0.5;

typedef struct run_list {
  int count;
  int32_t shift[RUNS_MAX];
} run_list;

static bool has_its_like(const sparse_matrix *a, int32_t row, int32_t entry) {
  const int32_t like = sparse_matrix_find(a, a->column[entry], row);
  return like >= 0 && a->value[like] == a->value[entry];
}

/* Counts the entries at each distance above the diagonal, and those above and below it without an equal
   counterpart. */
static void count_distances(const sparse_matrix *a, int32_t *above, int32_t *odd) {
  for (int32_t i = 0; i < a->rows; i++)
    for (int32_t e = a->first[i]; e < a->first[i + 1]; e++) {
      const int32_t j = a->column[e];
      if (j < i)
        odd[i - j]++;
      if (j <= i || j >= a->rows)
        continue;
      above[j - i]++;
      odd[j - i] += has_its_like(a, i, e) ? -1 : 1;
    }
}

static bool find_runs(run_list *runs, memory *m, const sparse_matrix *a) {
  int32_t *above = memory_allocate_items(m, 2 * (int64_t)a->rows, sizeof *above);
  if (!above)
    return false;
  int32_t *odd = above + a->rows;
  count_distances(a, above, odd);
  for (int32_t s = 1; s < a->rows && runs->count < RUNS_MAX; s++)
    if (above[s] >= RUN_SHARE * a->rows && odd[s] == 0)
      runs->shift[runs->count++] = s;
  memory_release(m, above);
  return true;
}

/* Entries of fewer rows than this at one distance from the diagonal are gathered. */
enum { SHARED_MIN = 6 };

/* The state of packing; `out` is NULL while slots are counted. */
typedef struct packing {
  sparse_rows *out;
  sparse_slots kind;
  run_list runs;
  /* The number of lanes per distance, and of all values so far. */
  int64_t run_lanes, values;
  int64_t slots, indexed;
} packing;

static void add_slot(packing *p, int32_t shift, bool is_indexed, int64_t values) {
  if (p->out)
    p->out->slots[p->slots] =
        (sparse_slot){shift, is_indexed ? (int32_t)(p->indexed * SPARSE_GROUP) : -1, (int32_t)values};
  p->slots++;
  p->indexed += is_indexed;
}

static void put(const packing *p, int64_t at, double value) {
  if (p->out)
    p->out->values[at] = (msd_real)value;
}

/* The position of the coefficients of a group at that distance in the shared lanes; -1: none. A view may
   begin up to a group before the first row. */
static int64_t run_values(const packing *p, int32_t first_row, int32_t shift) {
  for (int n = 0; n < p->runs.count; n++)
    if (abs(shift) == p->runs.shift[n])
      return n * p->run_lanes + SPARSE_GROUP + first_row + (shift < 0 ? shift : 0);
  return -1;
}

/* For the rows of a group: the next entry, the end, and the distance of the next entry from the diagonal. */
typedef struct row_heads {
  int32_t first_row;
  int32_t at[SPARSE_GROUP], end[SPARSE_GROUP], shift[SPARSE_GROUP];
  /* The number of gathered entries of each row so far, and the maximum. */
  int gathered[SPARSE_GROUP], most;
} row_heads;

/* The shift of a row without further entries. */
static const int32_t ENDED = INT32_MAX;

static void go_on(row_heads *h, const sparse_matrix *a, int lane, int32_t to) {
  h->at[lane] = to;
  h->shift[lane] = to < h->end[lane] ? a->column[to] - (h->first_row + lane) : ENDED;
}

static row_heads begin_group(const sparse_matrix *a, int32_t group) {
  row_heads h = {.first_row = group * SPARSE_GROUP};
  for (int lane = 0; lane < SPARSE_GROUP; lane++) {
    const int32_t row = h.first_row + lane < a->rows ? h.first_row + lane : a->rows - 1;
    h.end[lane] = a->first[row + 1];
    go_on(&h, a, lane, row == h.first_row + lane ? a->first[row] : h.end[lane]);
  }
  return h;
}

/* The smallest shift among the next entries of the rows, and the number of rows that have it; 0: none
   left. */
static int least_shift(const row_heads *h, int32_t *least) {
  int32_t found = ENDED;
  int count = 0;
  for (int lane = 0; lane < SPARSE_GROUP; lane++)
    found = h->shift[lane] < found ? h->shift[lane] : found;
  for (int lane = 0; lane < SPARSE_GROUP; lane++)
    count += h->shift[lane] == found;
  *least = found;
  return found == ENDED ? 0 : count;
}

/* Stores the number of an entry, from 1 on, in its index position. */
static void gather_entry(packing *p, row_heads *h, int lane) {
  const int nth = h->gathered[lane]++;
  if (p->out)
    p->out->index[(p->indexed + nth) * SPARSE_GROUP + lane] = h->at[lane] + 1;
  h->most = nth + 1 > h->most ? nth + 1 : h->most;
}

/* Adds the slots for the gathered entries of a group, after the shared ones. */
static void add_gathered(packing *p, const sparse_matrix *a, const row_heads *h) {
  for (int n = 0; n < h->most; n++) {
    int32_t *index = p->out ? p->out->index + p->indexed * SPARSE_GROUP : NULL;
    for (int lane = 0; index && lane < SPARSE_GROUP; lane++) {
      if (index[lane] == 0)
        continue;
      put(p, p->values + lane, a->value[index[lane] - 1]);
      index[lane] = a->column[index[lane] - 1] * RECORD_QUAD;
    }
    add_slot(p, -1, true, p->values);
    p->values += SPARSE_GROUP;
  }
}

/* The smallest next column of the rows; ENDED: none. */
static int32_t least_column(const row_heads *h, const sparse_matrix *a) {
  int32_t least = ENDED;
  for (int lane = 0; lane < SPARSE_GROUP; lane++)
    if (h->shift[lane] != ENDED && a->column[h->at[lane]] < least)
      least = a->column[h->at[lane]];
  return least;
}

/* Adds windows for all remaining entries. In each window a row advances by one entry, if its next column is
   inside. */
static void add_windows(packing *p, const sparse_matrix *a, row_heads h) {
  for (int32_t first; (first = least_column(&h, a)) != ENDED; p->values += SPARSE_GROUP) {
    int32_t *index = p->out ? p->out->index + p->indexed * SPARSE_GROUP : NULL;
    for (int lane = 0; lane < SPARSE_GROUP; lane++) {
      const bool is_there = h.shift[lane] != ENDED && a->column[h.at[lane]] < first + SPARSE_WINDOW;
      if (index)
        index[lane] = (is_there ? a->column[h.at[lane]] : first) * RECORD_QUAD;
      if (!is_there)
        continue;
      put(p, p->values + lane, a->value[h.at[lane]]);
      go_on(&h, a, lane, h.at[lane] + 1);
    }
    add_slot(p, first, true, p->values);
  }
}

/* Returns whether all rows were stored in windows; not done if that needs more slots than gathering. */
static bool try_windows(packing *p, const sparse_matrix *a, const row_heads *h) {
  packing tried = *p;
  int32_t most = 0;
  for (int lane = 0; lane < SPARSE_GROUP; lane++)
    most = int_max(most, h->end[lane] - h->at[lane]);
  tried.out = NULL;
  add_windows(&tried, a, *h);
  if (tried.slots - p->slots > most)
    return false;
  add_windows(p, a, *h);
  return true;
}

static void gather_rows(packing *p, const sparse_matrix *a, row_heads *h) {
  for (int lane = 0; lane < SPARSE_GROUP; lane++)
    for (; h->shift[lane] != ENDED; go_on(h, a, lane, h->at[lane] + 1))
      gather_entry(p, h, lane);
}

static void share_rows(packing *p, const sparse_matrix *a, row_heads *h) {
  int32_t shift = 0;
  for (int count; (count = least_shift(h, &shift)) > 0;) {
    const int64_t run = run_values(p, h->first_row, shift), values = run < 0 ? p->values : run;
    const bool is_shared = run >= 0 || count >= SHARED_MIN;
    for (int lane = 0; lane < SPARSE_GROUP; lane++) {
      if (h->shift[lane] != shift)
        continue;
      if (is_shared)
        put(p, values + lane, a->value[h->at[lane]]);
      else
        gather_entry(p, h, lane);
      go_on(h, a, lane, h->at[lane] + 1);
    }
    if (is_shared)
      add_slot(p, shift, false, values);
    p->values += is_shared && run < 0 ? SPARSE_GROUP : 0;
  }
}

static void pack_group(packing *p, const sparse_matrix *a, int32_t group) {
  row_heads h = begin_group(a, group);
  if (p->kind == SPARSE_WINDOWS && try_windows(p, a, &h))
    return;
  if (p->kind == SPARSE_SHARED)
    share_rows(p, a, &h);
  else
    gather_rows(p, a, &h);
  add_gathered(p, a, &h);
}

static packing pack(sparse_rows *out, const sparse_matrix *a, sparse_slots kind, const run_list *runs) {
  packing p = {.out = out, .kind = kind, .runs = *runs};
  const int32_t groups = (a->rows + SPARSE_GROUP - 1) / SPARSE_GROUP;
  p.run_lanes = ((int64_t)groups + 1) * SPARSE_GROUP;
  p.values = runs->count * p.run_lanes;
  for (int32_t g = 0; g < groups; g++) {
    if (out)
      out->first[g] = (int32_t)p.slots;
    pack_group(&p, a, g);
  }
  if (out)
    out->first[groups] = (int32_t)p.slots;
  return p;
}

bool sparse_rows_make(sparse_rows *rows, memory *m, const sparse_matrix *a, sparse_slots kind) {
  run_list runs = {.count = 0};
  *rows = (sparse_rows){.group_count = (a->rows + SPARSE_GROUP - 1) / SPARSE_GROUP};
  if (kind == SPARSE_SHARED && a->rows >= RUN_ROWS_MIN && !find_runs(&runs, m, a))
    return false;
  const packing needed = pack(NULL, a, kind, &runs);
  if (needed.values > INT32_MAX || needed.indexed > INT32_MAX / SPARSE_GROUP ||
      a->columns > INT32_MAX / RECORD_QUAD)
    return false;
  rows->first = memory_allocate_items(m, (int64_t)rows->group_count + 1, sizeof *rows->first);
  rows->slots = memory_allocate_items(m, needed.slots, sizeof *rows->slots);
  rows->values = memory_allocate_items(m, needed.values, sizeof *rows->values);
  rows->index = memory_allocate_items(m, needed.indexed * SPARSE_GROUP, sizeof *rows->index);
  if (!rows->first || !rows->slots || !rows->values || !rows->index) {
    sparse_rows_free(rows, m);
    return false;
  }
  pack(rows, a, kind, &runs);
  return true;
}

void sparse_rows_free(sparse_rows *rows, memory *m) {
  memory_release(m, rows->first);
  memory_release(m, rows->slots);
  memory_release(m, rows->values);
  memory_release(m, rows->index);
  *rows = (sparse_rows){.group_count = 0};
}
