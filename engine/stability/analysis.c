#include "engine/stability/analysis.h"

#include "engine/stability/constraint_bound.h"
#include "engine/stability/fibre_bound.h"
#include "engine/step/anchor_step.h"

#include <string.h>

/* Tighter than that is nothing that a run would notice; of large networks, where it costs something to come
   close, less is enough. */
static const double TIGHT = 1e-4, TIGHT_LARGE = 1e-3;

/* What all sweeps for one certificate go through at most, but for STABILITY_SWEEPS_AGAIN of them. */
enum { SPRINGS_SWEPT = 10000000 };

static int32_t blocks_of(int32_t count, int32_t size) {
  return count / size + (count % size != 0);
}

/* ------------------------------------------------------------------------------------------------ threads */

static parallel_range items_of(parallel_range blocks, int32_t size, int32_t count) {
  const int64_t last = (int64_t)blocks.last * size;
  return (parallel_range){blocks.first * size, last < count ? (int32_t)last : count};
}

typedef struct run {
  analysis *analysis;
  analysis_task *task;
  const void *question;
  int32_t springs;
} run;

static void run_range(void *context, int thread, int threads) {
  const run *r = context;
  const int32_t particles = r->analysis->model->particles.count;
  const int32_t particle_blocks = blocks_of(particles, ANALYSIS_PARTICLES);
  const int32_t spring_blocks = blocks_of(r->springs, ANALYSIS_SPRINGS);
  const analysis_range range = {
      items_of(parallel_split(particle_blocks, thread, threads), ANALYSIS_PARTICLES, particles),
      items_of(parallel_split(spring_blocks, thread, threads), ANALYSIS_SPRINGS, r->springs)};
  r->task(r->analysis, r->question, range);
}

/* A thread without a block of particles would only wait. */
static void run_over(analysis *a, analysis_task *task, const void *question, int32_t springs) {
  const int32_t particles = a->model->particles.count;
  const int asked = parallel_threads(&a->model->tasks, a->model->thread_count, particles);
  const int32_t most = blocks_of(particles, ANALYSIS_PARTICLES);
  parallel_run(&a->model->tasks, asked < most ? asked : most, run_range, &(run){a, task, question, springs});
}

void analysis_run(analysis *a, analysis_task *task, const void *question) {
  run_over(a, task, question, a->count);
}

analysis_part analysis_sum(const analysis *a) {
  analysis_part all = {.extreme = -INFINITY};
  const parallel_range particles = {0, a->model->particles.count};
  for (int32_t i = 0; i < particles.last; i = analysis_block_end(i, particles)) {
    const analysis_part *part = analysis_part_of(a, i);
    all.sum += part->sum;
    all.norm += part->norm;
    all.extreme = fmax(all.extreme, part->extreme);
    all.largest = fmax(all.largest, part->largest);
    step_load_add(&all.load, part->load, 1);
  }
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

/* --------------------------------------------------------------------------------------------- springs */

static bool moves_something(const world_model *model, int32_t spring) {
  const spring_store *s = &model->springs;
  const msd_real *w = model->particles.inverse_mass;
  return !spring_is_broken(s, spring) && (w[s->a[spring]] > 0 || w[s->b[spring]] > 0);
}

/* Of each block of the model how many springs move something, into parts[].sum. */
static void count_springs(analysis *a, const void *question, analysis_range range) {
  (void)question;
  for (int32_t e = range.springs.first; e < range.springs.last; e++) {
    analysis_part *part = &a->parts[e / ANALYSIS_SPRINGS];
    if (e % ANALYSIS_SPRINGS == 0)
      *part = (analysis_part){0};
    part->sum += moves_something(a->model, e);
  }
}

/* From parts[].sum on, where those of a block begin. Leaves the sums of their terms there. */
static void fill_springs(analysis *a, const void *question, analysis_range range) {
  const spring_store *s = &a->model->springs;
  (void)question;
  int32_t next = 0;
  for (int32_t e = range.springs.first; e < range.springs.last; e++) {
    analysis_part *part = &a->parts[e / ANALYSIS_SPRINGS];
    if (e % ANALYSIS_SPRINGS == 0)
      next = (int32_t)part->sum;
    if (!moves_something(a->model, e))
      continue;
    const law_terms t = spring_split(s, &a->model->particles, e);
    a->springs[next] = (analysis_spring){e, s->a[e], s->b[e]};
    a->terms[next] = (step_load){t.stiffness, t.damping, t.mass_ck + 2 * t.mass_cd};
    step_load_add(&part->load, a->terms[next++], 1);
  }
}

static void find_ends(analysis *a, const void *question, analysis_range range) {
  (void)question;
  for (int32_t e = range.springs.first; e < range.springs.last; e++) {
    const analysis_spring s = a->springs[e];
    analysis_ends *ends = &a->ends[e / ANALYSIS_SPRINGS];
    if (e % ANALYSIS_SPRINGS == 0)
      *ends = (analysis_ends){s.a, s.a};
    ends->least = s.a < ends->least ? s.a : ends->least;
    ends->least = s.b < ends->least ? s.b : ends->least;
    ends->most = s.a > ends->most ? s.a : ends->most;
    ends->most = s.b > ends->most ? s.b : ends->most;
  }
}

static void add_springs(analysis *a) {
  const int32_t springs = a->model->springs.count;
  run_over(a, count_springs, NULL, springs);
  for (int32_t n = 0; n < blocks_of(springs, ANALYSIS_SPRINGS); n++) {
    const int32_t here = (int32_t)a->parts[n].sum;
    a->parts[n].sum = a->count;
    a->count += here;
  }
  run_over(a, fill_springs, NULL, springs);
  for (int32_t n = 0; n < blocks_of(springs, ANALYSIS_SPRINGS); n++) {
    a->has_stiffness = a->has_stiffness || a->parts[n].load.stiffness > 0;
    a->has_damping = a->has_damping || a->parts[n].load.damping > 0;
    a->has_coefficient = a->has_coefficient || a->parts[n].load.coefficient > 0;
  }
  a->model_springs = a->count;
  fibre_bound_add(a);
  analysis_run(a, find_ends, NULL);
}

/* ------------------------------------------------------------------------------- constraints and anchors */

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

step_load analysis_anchor_term(const analysis *a, int32_t anchor, bool is_exact) {
  const anchor_weight weight = anchor_weigh(a->model, anchor, is_exact);
  const double mass = 1 / analysis_inverse_mass(a, a->model->anchors.entries[anchor].particle);
  return (step_load){mass * weight.stiffness, mass * weight.damping, mass * weight.coefficient};
}

static void add_anchors(analysis *a, bool is_exact, double limited_dt) {
  const anchor_store *s = &a->model->anchors;
  for (int32_t n = 0; n < s->count; n++) {
    if (!anchor_moves(s, &a->model->particles, n))
      continue;
    const int32_t particle = s->entries[n].particle;
    const step_load defined = analysis_anchor_term(a, n, is_exact);
    const double most = ANCHOR_SHARE / analysis_inverse_mass(a, particle);
    const step_load limited = {0, 0, fmin(step_load_at(defined, limited_dt), most)};
    analysis_add_own(a, particle, limited_dt > 0 ? limited : defined);
  }
}

bool analysis_set_own(analysis *a, bool is_exact, double limited_dt) {
  const world_model *model = a->model;
  if (model->constraints.count == model->constraints.broken && model->anchors.count == 0)
    return true;
  if (!make_own(a))
    return false;
  memset(a->own, 0, (size_t)a->model->particles.count * sizeof *a->own);
  memset(a->sharers, 0, (size_t)a->model->particles.count * sizeof *a->sharers);
  constraint_bound_fill(a, limited_dt);
  add_anchors(a, is_exact, limited_dt);
  return true;
}

/* --------------------------------------------------------------------------------------- the whole of it */

/* Those of large networks are rationed: each takes as long as a substep. */
static void ration_sweeps(analysis *a) {
  const int affordable = SPRINGS_SWEPT / (a->count + 1);
  a->sweeps_max = constraint_bound_every_shape(a->model) ? STABILITY_SWEEPS : STABILITY_SWEEPS_AGAIN;
  a->tight = TIGHT;
  if (affordable >= a->sweeps_max)
    return;
  a->sweeps_max = affordable > STABILITY_SWEEPS_AGAIN ? affordable : STABILITY_SWEEPS_AGAIN;
  a->tight = TIGHT_LARGE;
}

bool analysis_open_springs(analysis *a, const world_model *model, memory *m) {
  const int64_t all_springs = model->springs.count + fibre_bound_count(model);
  const size_t particles = (size_t)model->particles.count, springs = (size_t)all_springs;
  const size_t particle_blocks = (size_t)blocks_of(model->particles.count, ANALYSIS_PARTICLES);
  const size_t spring_blocks = springs / ANALYSIS_SPRINGS + 1;
  *a = (analysis){.model = model, .memory = m, .keeps_rows = spring_some_splits(&model->springs)};
  a->springs = memory_allocate_unset(m, springs * sizeof *a->springs);
  a->terms = memory_allocate_unset(m, springs * sizeof *a->terms);
  a->kappa = memory_allocate_unset(m, springs * sizeof *a->kappa);
  a->ends = memory_allocate_unset(m, spring_blocks * sizeof *a->ends);
  a->parts = memory_allocate_unset(m, (particle_blocks + spring_blocks) * sizeof *a->parts);
  a->x = memory_allocate_unset(m, particles * sizeof *a->x);
  a->y = memory_allocate_unset(m, particles * sizeof *a->y);
  a->rows = memory_allocate_unset(m, particles * sizeof *a->rows);
  if (all_springs > INT32_MAX || !a->springs || !a->terms || !a->kappa || !a->ends || !a->parts || !a->x ||
      !a->y || !a->rows)
    return false;
  add_springs(a);
  ration_sweeps(a);
  return true;
}

bool analysis_open(analysis *a, const world_model *model, memory *m) {
  return analysis_open_springs(a, model, m) && analysis_set_own(a, true, 0);
}

void analysis_close(analysis *a) {
  memory_release(a->memory, a->springs);
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
