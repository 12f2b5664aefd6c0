#include "engine/scaling/mass_scaling.h"

#include "engine/base/parallel.h"
#include "engine/scaling/aggregation.h"
#include "engine/scaling/free_components.h"
#include "engine/scaling/pair_weights.h"
#include "engine/scaling/sparsify.h"

#include <math.h>

double mass_scaling_of(const law_terms *terms, double substep, bool limit) {
  if (terms->share == 0)
    return 0;
  const law_tuning t = law_tune(terms, substep, limit);
  const double kappa = substep * substep * t.stiffness + 2 * substep * t.damping;
  return fmax(0, kappa / MASS_SCALING_RADIUS - terms->share);
}

/* -------------------------------------------------------------------------------------------- first level */

static void count_spring(void *context, size_t a, size_t b, double added) {
  (void)added;
  *(int64_t *)context += a == b ? 0 : 2;
}

/* Entries are counted, then stored, row by row; see sparse_matrix_transpose. */
static void count_rows(void *context, size_t a, size_t b, double added) {
  level_matrix *l = context;
  if (a == b) {
    l->own[a] += added;
    return;
  }
  l->beside.first[a + 2]++;
  l->beside.first[b + 2]++;
}

static void put_one(sparse_matrix *beside, size_t row, size_t column, double value) {
  const int32_t at = beside->first[row + 1]++;
  beside->column[at] = (int32_t)column;
  beside->value[at] = value;
}

static void put_spring(void *context, size_t a, size_t b, double added) {
  level_matrix *l = context;
  if (a == b)
    return;
  put_one(&l->beside, a, b, -added);
  put_one(&l->beside, b, a, -added);
}

/* Sorts the columns of each row. */
static bool sort_columns(sparse_matrix *a, memory *m) {
  sparse_matrix turned;
  if (!sparse_matrix_transpose(&turned, m, a))
    return false;
  sparse_matrix_free(a, m);
  const bool done = sparse_matrix_transpose(a, m, &turned);
  sparse_matrix_free(&turned, m);
  return done;
}

static bool first_level(level_matrix *l, world_model *model, double substep) {
  const particle_store *p = &model->particles;
  int64_t entries = 0;
  pair_weights_visit(model, substep, count_spring, &entries);
  *l = (level_matrix){.own = memory_allocate_items(&model->memory, p->count, sizeof *l->own)};
  if (!l->own || !sparse_matrix_open(&l->beside, &model->memory, p->count, p->count, entries))
    return false;
  for (int32_t i = 0; i < p->count; i++)
    if (p->inverse_mass[i] > 0)
      l->own[particle_slot(p, i)] = 1 / (double)p->inverse_mass[i];
  pair_weights_visit(model, substep, count_rows, l);
  for (int32_t i = 0; i < p->count; i++)
    l->beside.first[i + 2] += l->beside.first[i + 1];
  pair_weights_visit(model, substep, put_spring, l);
  if (!sort_columns(&l->beside, &model->memory))
    return false;
  sparse_matrix_merge(&l->beside);
  return thin_level(l, &model->memory);
}

/* -------------------------------------------------------------------------------------------- next levels */

/* sum a_ij (x_j - x_i) + own_i x_i. */
static double apply_row(const level_matrix *b, const double *x, int32_t row) {
  double sum = b->own[row] * x[row];
  for (int32_t e = b->beside.first[row]; e < b->beside.first[row + 1]; e++)
    sum += b->beside.value[e] * (x[b->beside.column[e]] - x[row]);
  return sum;
}

/* The off-diagonal entries of a matrix, averaged with those of its transpose, both with ascending columns.
   The two differ by rounding. */
static bool take_beside(sparse_matrix *beside, memory *m, const sparse_matrix *a,
                        const sparse_matrix *turned) {
  int32_t end = 0;
  if (!sparse_matrix_open(beside, m, a->rows, a->rows, a->first[a->rows]))
    return false;
  for (int32_t i = 0; i < a->rows; i++) {
    for (int32_t e = a->first[i]; e < a->first[i + 1]; e++) {
      if (a->column[e] == i)
        continue;
      beside->column[end] = a->column[e];
      beside->value[end++] = (a->value[e] + turned->value[e]) / 2;
    }
    beside->first[i + 1] = end;
  }
  return true;
}

/* The row sums of P' B P are P' B u with u = P 1. */
static bool next_own(level_matrix *next, memory *m, const level_matrix *b, const sparse_matrix *p,
                     const sparse_matrix *restriction) {
  double *u = memory_allocate_items(m, p->rows, sizeof *u);
  double *applied = memory_allocate_items(m, p->rows, sizeof *applied);
  next->own = memory_allocate_items(m, p->columns, sizeof *next->own);
  const bool done = u && applied && next->own;
  for (int32_t i = 0; done && i < p->rows; i++)
    for (int32_t e = p->first[i]; e < p->first[i + 1]; e++)
      u[i] += p->value[e];
  for (int32_t i = 0; done && i < p->rows; i++)
    applied[i] = apply_row(b, u, i);
  for (int32_t i = 0; done && i < p->columns; i++)
    for (int32_t e = restriction->first[i]; e < restriction->first[i + 1]; e++)
      next->own[i] += restriction->value[e] * applied[restriction->column[e]];
  memory_release(m, u);
  memory_release(m, applied);
  return done;
}

/* Computes P' B P. `next` may be freed in any case. */
static bool next_level(level_matrix *next, memory *m, const level_matrix *b, const sparse_matrix *p,
                       const sparse_matrix *restriction) {
  sparse_matrix half = {.rows = 0}, whole = half, turned = half, sorted = half;
  double *diagonal = memory_allocate_items(m, p->rows, sizeof *diagonal);
  for (int32_t i = 0; diagonal && i < p->rows; i++)
    diagonal[i] = level_diagonal(b, i);
  *next = (level_matrix){.own = NULL};
  const bool done = diagonal && sparse_matrix_multiply(&half, m, diagonal, &b->beside, p) &&
                    sparse_matrix_multiply(&whole, m, NULL, restriction, &half) &&
                    sparse_matrix_transpose(&turned, m, &whole) &&
                    sparse_matrix_transpose(&sorted, m, &turned) &&
                    take_beside(&next->beside, m, &sorted, &turned) && next_own(next, m, b, p, restriction) &&
                    thin_level(next, m);
  memory_release(m, diagonal);
  sparse_matrix_free(&half, m);
  sparse_matrix_free(&whole, m);
  sparse_matrix_free(&turned, m);
  sparse_matrix_free(&sorted, m);
  return done;
}

/* ------------------------------------------------------------------------------------ layout for substeps */

static void free_level(scaled_level *l, memory *m) {
  sparse_rows_free(&l->system.rows, m);
  sparse_rows_free(&l->restriction, m);
  sparse_rows_free(&l->prolongation, m);
  memory_release(m, l->system.own);
  memory_release(m, l->system.inverse);
  memory_release(m, l->system.weight);
  memory_release(m, l->vectors);
  *l = (scaled_level){.rows = 0};
}

/* Quads are used if at least this fraction of the slots has indices. */
static const double QUADS_MIN = 0.1;

static bool wants_quads(const sparse_rows *rows) {
  const int32_t slots = rows->first[rows->group_count];
  int32_t indexed = 0;
  for (int32_t n = 0; n < slots; n++)
    indexed += rows->slots[n].index >= 0;
  return indexed > QUADS_MIN * slots;
}

/* Allocates two vectors with that stride, which must fit all rows of the level, and quads. */
static bool open_vectors(scaled_level *l, memory *m, size_t stride, int64_t padded) {
  const size_t each = 3 * stride;
  const bool has_quads = wants_quads(&l->system.rows);
  const int64_t all = (int64_t)(2 * each) + (has_quads ? 3 : 1) * RECORD_QUAD * padded + 2 * SPARSE_GUARD;
  l->vectors = memory_allocate_items(m, all, sizeof(msd_real));
  if (!l->vectors)
    return false;
  msd_real *at = (msd_real *)l->vectors + SPARSE_GUARD;
  l->rest = at + 2 * each + SPARSE_GUARD;
  msd_real *quads = l->rest + RECORD_QUAD * padded;
  l->start = (sparse_vector){at, stride, has_quads ? quads : NULL};
  l->z = (sparse_vector){at + each, stride, has_quads ? quads + RECORD_QUAD * padded : NULL};
  return true;
}

static bool place_level(scaled_level *l, memory *m, const level_matrix *b, size_t stride) {
  l->rows = b->beside.rows;
  const int64_t padded = ((int64_t)l->rows + SPARSE_GROUP - 1) / SPARSE_GROUP * SPARSE_GROUP;
  l->system.own = memory_allocate_items(m, padded, sizeof(msd_real));
  l->system.inverse = memory_allocate_items(m, padded, sizeof(msd_real));
  l->system.weight = memory_allocate_items(m, padded, sizeof(msd_real));
  if (!l->system.own || !l->system.inverse || !l->system.weight ||
      !sparse_rows_make(&l->system.rows, m, &b->beside, SPARSE_SHARED) ||
      !open_vectors(l, m, stride > 0 ? stride : (size_t)padded + SPARSE_GUARD, padded))
    return false;
  for (int32_t i = 0; i < l->rows; i++) {
    const double smoother = level_smoother(b, i);
    l->system.own[i] = (msd_real)b->own[i];
    l->system.inverse[i] = smoother > 0 ? (msd_real)(1 / smoother) : 0;
    l->system.weight[i] = (msd_real)(smoother - b->own[i]);
  }
  return true;
}

/* Builds the level after l. *has_next is false if there is none. */
static bool descend(scaled_level *l, memory *m, const level_matrix *b, level_matrix *next, bool *has_next) {
  sparse_matrix p, restriction = {.rows = 0};
  *has_next = false;
  if (!aggregate_level(&p, m, b))
    return false;
  bool done = true;
  if (p.columns > 0) {
    done = sparse_matrix_transpose(&restriction, m, &p) && next_level(next, m, b, &p, &restriction) &&
           sparse_rows_make(&l->prolongation, m, &p, SPARSE_WINDOWS) &&
           sparse_rows_make(&l->restriction, m, &restriction, SPARSE_GATHERED);
    *has_next = true;
  }
  sparse_matrix_free(&p, m);
  sparse_matrix_free(&restriction, m);
  return done;
}

static bool make_levels(mass_scaling *s, world_model *model, double substep) {
  memory *m = &model->memory;
  level_matrix b = {.own = NULL};
  bool done = first_level(&b, model, substep), has_next = done;
  while (done && has_next) {
    scaled_level *l = &s->levels[s->level_count++];
    level_matrix next = {.own = NULL};
    done = place_level(l, m, &b, s->level_count == 1 ? model->particles.stride : 0);
    has_next = false;
    if (done && s->level_count < SCALED_LEVELS_MAX)
      done = descend(l, m, &b, &next, &has_next);
    level_matrix_free(&b, m);
    b = next;
  }
  level_matrix_free(&b, m);
  return done;
}

bool mass_scaling_make(mass_scaling *s, world_model *model, double substep) {
  mass_scaling_free(s, &model->memory);
  s->acted = memory_allocate(&model->memory, PARALLEL_THREADS_MAX);
  if (s->acted && free_components_find(&s->free, model) && make_levels(s, model, substep))
    return true;
  mass_scaling_free(s, &model->memory);
  return false;
}

void mass_scaling_free(mass_scaling *s, memory *m) {
  for (int n = 0; n < s->level_count; n++)
    free_level(&s->levels[n], m);
  free_components_free(&s->free, m);
  memory_release(m, s->acted);
  *s = (mass_scaling){.level_count = 0};
}
