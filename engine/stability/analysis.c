#include "engine/stability/analysis.h"

#include "engine/stability/constraint_bound.h"
#include "engine/stability/fiber_bound.h"
#include "engine/step/rank_step.h"
#include "engine/step/rank_sum.h"
#include "engine/step/soft_pin_step.h"

#include <string.h>

/* A tighter bound makes no noticeable difference to a run. Large networks, where sweeps are expensive, use
   the looser one. */
static const double TIGHT = 1e-4, TIGHT_LARGE = 1e-3;

/* The maximum work of all sweeps of a certificate, in springs. STABILITY_SWEEPS_AGAIN sweeps are always
   made. */
enum { SPRINGS_SWEPT = 10000000 };

static int32_t blocks_of(int32_t count, int32_t size) {
  return count / size + (count % size != 0);
}

/* ------------------------------------------------------------------------------------------------ threads */

/* The items of some blocks, if the first of `count` items is `offset` after the beginning of its block. */
static parallel_range items_of(parallel_range blocks, int32_t size, int32_t count, int32_t offset) {
  const int64_t first = (int64_t)blocks.first * size - offset, last = (int64_t)blocks.last * size - offset;
  return (parallel_range){first > 0 ? (int32_t)first : 0, last < count ? (int32_t)last : count};
}

static int32_t particle_blocks(const analysis *a) {
  return blocks_of(a->model->particles.count + a->offset, ANALYSIS_PARTICLES);
}

typedef struct run {
  analysis *analysis;
  analysis_task *task;
  const void *question;
  int32_t springs;
} run;

static void run_range(void *context, int thread, int threads) {
  const run *r = context;
  const analysis *a = r->analysis;
  const parallel_range particles = parallel_split(particle_blocks(a), thread, threads),
                       springs = parallel_split(blocks_of(r->springs, ANALYSIS_SPRINGS), thread, threads);
  const analysis_range range = {items_of(particles, ANALYSIS_PARTICLES, a->model->particles.count, a->offset),
                                items_of(springs, ANALYSIS_SPRINGS, r->springs, 0)};
  r->task(r->analysis, r->question, range);
}

/* Uses at most one thread per block of particles. */
static void run_over(analysis *a, analysis_task *task, const void *question, int32_t springs) {
  const int32_t particles = a->model->particles.count;
  const int asked = parallel_threads(&a->model->tasks, a->model->thread_count, particles);
  const int32_t most = particle_blocks(a);
  parallel_run(&a->model->tasks, asked < most ? asked : most, run_range, &(run){a, task, question, springs});
}

void analysis_run(analysis *a, analysis_task *task, const void *question) {
  run_over(a, task, question, a->count);
}

static void add_part(analysis_part *all, const analysis_part *part) {
  all->sum += part->sum;
  all->norm += part->norm;
  all->extreme = fmax(all->extreme, part->extreme);
  all->largest = fmax(all->largest, part->largest);
  step_load_add(&all->load, part->load, 1);
}

analysis_part analysis_sum(const analysis *a) {
  analysis_part all = {.extreme = -INFINITY};
  const parallel_range particles = {0, a->model->particles.count};
  for (int32_t i = 0; i < particles.last; i = analysis_block_end(a, i, particles))
    add_part(&all, analysis_part_of(a, i));
  return all;
}

bool analysis_visit_next(const analysis *a, parallel_range particles, analysis_visit *v) {
  while (v->last < a->count) {
    const analysis_ends ends = a->ends[v->last / ANALYSIS_SPRINGS];
    v->first = v->last;
    v->last = a->count - v->first > ANALYSIS_SPRINGS ? v->first + ANALYSIS_SPRINGS : a->count;
    v->is_inside = analysis_has(particles, ends.least) && analysis_has(particles, ends.most);
    if (ends.most >= particles.first && ends.least < particles.last)
      return true;
  }
  return false;
}

/* --------------------------------------------------------------------------------------------- subdomains */

/* The partial sum that goes from rank to rank: all complete blocks, and the last block so far. */
typedef struct whole_sum {
  analysis_part all, last;
} whole_sum;

typedef struct whole_turn {
  const analysis *analysis;
  analysis_adder *add;
} whole_turn;

/* A block that another rank has begun is continued particle by particle. */
static void add_blocks(void *context, void *sum) {
  const whole_turn *turn = context;
  const analysis *a = turn->analysis;
  whole_sum *s = sum;
  for (int32_t i = a->counted.first; i < a->counted.last;) {
    const int32_t end = analysis_block_end(a, i, a->counted);
    const bool begins = (i + a->offset) % ANALYSIS_PARTICLES == 0;
    if (begins) {
      add_part(&s->all, &s->last);
      s->last = *analysis_part_of(a, i);
    }
    for (; !begins && i < end; i++)
      turn->add(a, i, &s->last);
    i = end;
  }
}

analysis_part analysis_sum_whole(const analysis *a, analysis_adder *add) {
  if (!a->whole)
    return analysis_sum(a);
  whole_sum sum = {.all.extreme = -INFINITY, .last.extreme = -INFINITY};
  rank_sum_in_turn(a->whole->ranks, add_blocks, &(whole_turn){a, add}, &sum, sizeof sum);
  add_part(&sum.all, &sum.last);
  return sum.all;
}

void analysis_find_largest(const analysis *a, double *values, int count) {
  if (a->whole)
    rank_find_largest(a->whole->ranks, values, count);
}

void analysis_exchange(const analysis *a, void *values, size_t bytes) {
  if (a->whole)
    a->whole->exchange(a->whole->context, values, bytes);
}

void analysis_freshen(analysis *a) {
  if (!a->whole || a->fresh > 0)
    return;
  analysis_exchange(a, a->x, sizeof *a->x);
  a->fresh = a->whole->depth;
}

static void count_springs_of_rank(void *context, void *sum) {
  const analysis *a = context;
  int64_t *count = sum;
  for (int32_t e = 0; e < a->count; e++)
    *count += analysis_counts(a, e);
}

/* Combines over all ranks: whether memory sufficed, the properties of the springs, and their number. */
static bool join_others(analysis *a, bool is_open, int64_t *springs) {
  double some[] = {!is_open, a->has_stiffness, a->has_damping, a->has_coefficient};
  *springs = a->count;
  if (!a->whole)
    return is_open;
  analysis_find_largest(a, some, 4);
  if (some[0] > 0)
    return false;
  a->has_stiffness = some[1] > 0;
  a->has_damping = some[2] > 0;
  a->has_coefficient = some[3] > 0;
  *springs = 0;
  rank_sum_in_turn(a->whole->ranks, count_springs_of_rank, a, springs, sizeof *springs);
  return true;
}

/* --------------------------------------------------------------------------------------------- springs */

static bool moves_something(const world_model *model, int32_t spring) {
  const spring_store *s = &model->springs;
  const msd_real *w = model->particles.inverse_mass;
  return !spring_is_broken(s, spring) && (w[s->a[spring]] > 0 || w[s->b[spring]] > 0);
}

/* Counts, for each block of the model, the springs that move something, into parts[].sum. */
static void count_springs(analysis *a, const void *question, analysis_range range) {
  (void)question;
  for (int32_t e = range.springs.first; e < range.springs.last; e++) {
    analysis_part *part = &a->parts[e / ANALYSIS_SPRINGS];
    if (e % ANALYSIS_SPRINGS == 0)
      *part = (analysis_part){0};
    part->sum += moves_something(a->model, e);
  }
}

/* Lists them; parts[].sum is the first position of each block. */
static void list_springs(analysis *a, const void *question, analysis_range range) {
  const spring_store *s = &a->model->springs;
  (void)question;
  int32_t next = 0;
  for (int32_t e = range.springs.first; e < range.springs.last; e++) {
    if (e % ANALYSIS_SPRINGS == 0)
      next = (int32_t)a->parts[e / ANALYSIS_SPRINGS].sum;
    if (moves_something(a->model, e))
      a->list[next++] = (analysis_spring){e, s->a[e], s->b[e]};
  }
}

static step_load load_of(law_terms t) {
  return (step_load){t.stiffness, t.damping, t.mass_ck + 2 * t.mass_cd};
}

static void fill_terms(analysis *a, const void *question, analysis_range range) {
  (void)question;
  for (int32_t e = range.springs.first; e < range.springs.last; e++)
    a->terms[e] = load_of(
        spring_effective_mass(&a->model->springs, &a->model->particles, analysis_spring_at(a, e).spring));
}

/* Unused laws, which may have any values, get 0. */
static void fill_terms_of_laws(analysis *a) {
  bool is_used[UINT8_MAX + 1] = {false};
  for (int32_t e = 0; e < a->count; e++)
    is_used[analysis_term_at(a, e)] = true;
  for (int32_t n = 0; n < a->term_count; n++)
    a->terms[n] =
        is_used[n] ? load_of(law_split(a->model->springs.laws.shared[n], 1, 1)) : (step_load){0, 0, 0};
}

static void find_ends(analysis *a, const void *question, analysis_range range) {
  (void)question;
  for (int32_t e = range.springs.first; e < range.springs.last; e++) {
    const analysis_spring s = analysis_spring_at(a, e);
    analysis_ends *ends = &a->ends[e / ANALYSIS_SPRINGS];
    if (e % ANALYSIS_SPRINGS == 0)
      *ends = (analysis_ends){s.a, s.a};
    ends->least = s.a < ends->least ? s.a : ends->least;
    ends->least = s.b < ends->least ? s.b : ends->least;
    ends->most = s.a > ends->most ? s.a : ends->most;
    ends->most = s.b > ends->most ? s.b : ends->most;
  }
}

/* Returns whether kappa depends on the law alone: not on masses, and without stiffness clamping. */
static bool has_terms_of_laws(const world_model *model) {
  const spring_store *s = &model->springs;
  return s->laws.index && s->of_law[MSD_SPRING_STIFFNESS] == s->count && !model->clamp_stiffness;
}

static bool open_terms(analysis *a, size_t count) {
  a->terms = memory_allocate_unset(a->memory, count * sizeof *a->terms);
  a->kappa = memory_allocate_unset(a->memory, count * sizeof *a->kappa);
  a->term_count = (int32_t)count;
  return a->terms && a->kappa;
}

/* Reserves space for the springs that represent fibers. Returns false if memory runs out. */
static bool open_springs(analysis *a, int64_t fibers) {
  const spring_store *s = &a->model->springs;
  const int64_t most = s->count + fibers;
  run_over(a, count_springs, NULL, s->count);
  for (int32_t n = 0; n < blocks_of(s->count, ANALYSIS_SPRINGS); n++) {
    const int32_t here = (int32_t)a->parts[n].sum;
    a->parts[n].sum = a->count;
    a->count += here;
  }
  if (fibers > 0 || a->count < s->count)
    a->list = memory_allocate_unset(a->memory, (size_t)most * sizeof *a->list);
  if (fibers == 0 && has_terms_of_laws(a->model))
    a->law = s->laws.index;
  return (a->list || (fibers == 0 && a->count == s->count)) &&
         open_terms(a, a->law ? (size_t)s->laws.count : (size_t)most);
}

/* Returns false if memory runs out. */
static bool add_springs(analysis *a, int64_t fibers) {
  if (!open_springs(a, fibers))
    return false;
  if (a->list)
    run_over(a, list_springs, NULL, a->model->springs.count);
  a->model_springs = a->count;
  if (a->law)
    fill_terms_of_laws(a);
  else
    analysis_run(a, fill_terms, NULL);
  for (int32_t n = 0; n < (a->law ? a->term_count : a->count); n++) {
    a->has_stiffness = a->has_stiffness || a->terms[n].stiffness > 0;
    a->has_damping = a->has_damping || a->terms[n].damping > 0;
    a->has_coefficient = a->has_coefficient || a->terms[n].coefficient > 0;
  }
  fiber_bound_add(a);
  analysis_run(a, find_ends, NULL);
  return true;
}

bool analysis_spread(analysis *a) {
  step_load *terms = a->terms;
  double *kappa = a->kappa;
  if (!a->law)
    return true;
  const bool done = open_terms(a, (size_t)a->count);
  for (int32_t e = 0; e < a->count && done; e++)
    a->terms[e] = terms[analysis_term_at(a, e)];
  a->law = NULL;
  memory_release(a->memory, terms);
  memory_release(a->memory, kappa);
  return done;
}

/* ----------------------------------------------------------------------------- constraints and soft pins */

static bool make_own(analysis *a) {
  if (a->own)
    return true;
  a->own = memory_allocate(a->memory, (size_t)a->model->particles.count * sizeof *a->own);
  a->placed_loads = memory_allocate(a->memory, (size_t)a->model->particles.count * sizeof *a->placed_loads);
  a->own_kappa = memory_allocate(a->memory, (size_t)a->model->particles.count * sizeof *a->own_kappa);
  a->sharers = memory_allocate(a->memory, (size_t)a->model->particles.count * sizeof *a->sharers);
  return a->own && a->placed_loads && a->own_kappa && a->sharers;
}

void analysis_add_own(analysis *a, int32_t particle, step_load term) {
  if (!(analysis_inverse_mass(a, particle) > 0))
    return;
  step_load_add(&a->own[particle], term, 1);
  a->has_stiffness = a->has_stiffness || term.stiffness > 0;
  a->has_damping = a->has_damping || term.damping > 0;
  a->has_coefficient = a->has_coefficient || term.coefficient > 0;
}

step_load analysis_soft_pin_term(const analysis *a, int32_t soft_pin, bool is_exact) {
  const soft_pin_weight weight = soft_pin_weigh(a->model, soft_pin, is_exact);
  const double mass = 1 / analysis_inverse_mass(a, a->model->soft_pins.entries[soft_pin].particle);
  return (step_load){mass * weight.stiffness, mass * weight.damping, mass * weight.coefficient};
}

static void add_soft_pins(analysis *a, bool is_exact, double limited_dt) {
  const soft_pin_store *s = &a->model->soft_pins;
  for (int32_t n = 0; n < s->count; n++) {
    if (!soft_pin_moves(s, &a->model->particles, n))
      continue;
    const int32_t particle = s->entries[n].particle;
    const step_load defined = analysis_soft_pin_term(a, n, is_exact);
    const double most = SOFT_PIN_SHARE / analysis_inverse_mass(a, particle);
    const step_load limited = {0, 0, fmin(step_load_at(defined, limited_dt), most)};
    analysis_add_own(a, particle, limited_dt > 0 ? limited : defined);
  }
}

bool analysis_set_own(analysis *a, bool is_exact, double limited_dt) {
  const world_model *model = a->model;
  if (model->constraints.count == model->constraints.broken && model->soft_pins.count == 0)
    return true;
  if (!make_own(a))
    return false;
  memset(a->own, 0, (size_t)a->model->particles.count * sizeof *a->own);
  memset(a->sharers, 0, (size_t)a->model->particles.count * sizeof *a->sharers);
  constraint_bound_fill(a, limited_dt);
  add_soft_pins(a, is_exact, limited_dt);
  return true;
}

/* ----------------------------------------------------------------------------------- opening and closing */

/* Limits the number of sweeps for large networks, where a sweep takes as long as a substep. */
static void ration_sweeps(analysis *a, int64_t springs) {
  const int affordable = (int)(SPRINGS_SWEPT / (springs + 1));
  a->sweeps_max = constraint_bound_every_shape(a->model) ? STABILITY_SWEEPS : STABILITY_SWEEPS_AGAIN;
  a->tight = TIGHT;
  if (affordable >= a->sweeps_max)
    return;
  a->sweeps_max = affordable > STABILITY_SWEEPS_AGAIN ? affordable : STABILITY_SWEEPS_AGAIN;
  a->tight = TIGHT_LARGE;
}

static analysis begin(const world_model *model, memory *m, const analysis_whole *whole) {
  return (analysis){.model = model,
                    .memory = m,
                    .whole = whole,
                    .counted = whole ? whole->own : (parallel_range){0, model->particles.count},
                    .offset = whole ? whole->first % ANALYSIS_PARTICLES : 0,
                    .keeps_rows = spring_some_splits(&model->springs)};
}

static bool open_all(analysis *a) {
  const world_model *model = a->model;
  memory *m = a->memory;
  const int64_t all_springs = model->springs.count + fiber_bound_count(model);
  const size_t particles = (size_t)model->particles.count, springs = (size_t)all_springs;
  const size_t spring_blocks = springs / ANALYSIS_SPRINGS + 1;
  a->ends = memory_allocate_unset(m, spring_blocks * sizeof *a->ends);
  a->parts = memory_allocate_unset(m, ((size_t)particle_blocks(a) + spring_blocks) * sizeof *a->parts);
  a->x = memory_allocate_unset(m, particles * sizeof *a->x);
  a->y = memory_allocate_unset(m, particles * sizeof *a->y);
  a->rows = memory_allocate_unset(m, particles * sizeof *a->rows);
  return all_springs <= INT32_MAX && a->ends && a->parts && a->x && a->y && a->rows &&
         add_springs(a, all_springs - model->springs.count);
}

bool analysis_open_part(analysis *a, const world_model *model, memory *m, const analysis_whole *whole) {
  int64_t springs_of_all;
  *a = begin(model, m, whole);
  if (!join_others(a, open_all(a), &springs_of_all))
    return false;
  ration_sweeps(a, springs_of_all);
  return true;
}

bool analysis_open_springs(analysis *a, const world_model *model, memory *m) {
  return analysis_open_part(a, model, m, NULL);
}

bool analysis_open(analysis *a, const world_model *model, memory *m) {
  return analysis_open_springs(a, model, m) && analysis_set_own(a, true, 0);
}

void analysis_close(analysis *a) {
  memory_release(a->memory, a->list);
  memory_release(a->memory, a->terms);
  memory_release(a->memory, a->kappa);
  memory_release(a->memory, a->ends);
  memory_release(a->memory, a->parts);
  memory_release(a->memory, a->x);
  memory_release(a->memory, a->y);
  memory_release(a->memory, a->rows);
  memory_release(a->memory, a->own);
  memory_release(a->memory, a->placed_loads);
  memory_release(a->memory, a->own_kappa);
  memory_release(a->memory, a->sharers);
}
