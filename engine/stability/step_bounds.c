#include "engine/stability/step_bounds.h"

#include "engine/base/min_max.h"

#include <math.h>

enum { BLOCK = 64 };

/* What the functions below go through. */
typedef struct bounds_run {
  step_bounds *bounds;
  const world_model *model;
  const incidence *at;
  /* Springs that may still be looked at before all of them are. */
  int64_t left;
} bounds_run;

static double inverse_mass(const bounds_run *run, int32_t particle) {
  return (double)run->model->particles.inverse_mass[particle];
}

static int32_t other_end(const bounds_run *run, int32_t spring, int32_t particle) {
  const spring_store *s = &run->model->springs;
  return s->a[spring] == particle ? s->b[spring] : s->a[spring];
}

/* ------------------------------------------------------------------------------------- of one particle */

/* Writes the value of a particle, and the least of its block. */
static void put(const bounds_run *run, double *values, double *least, int32_t particle, double value) {
  const int32_t block = particle / BLOCK, first = block * BLOCK;
  const int32_t end = int_min(first + BLOCK, run->model->particles.count);
  const double before = values[particle];
  values[particle] = value;
  if (value <= least[block]) {
    least[block] = value;
  } else if (before <= least[block]) {
    least[block] = INFINITY;
    for (int32_t i = first; i < end; i++)
      least[block] = fmin(least[block], values[i]);
  }
}

static bool are_alike(step_load a, step_load b) {
  return a.stiffness == b.stiffness && a.damping == b.damping && a.coefficient == b.coefficient;
}

/* Sums the springs at a particle, and marks it if the sum is another. */
static void sum_at(bounds_run *run, int32_t particle) {
  step_bounds *b = run->bounds;
  const world_model *model = run->model;
  const double w = inverse_mass(run, particle);
  step_load sum = {0, 0, 0}, row = {0, 0, 0};
  for (int32_t n = run->at->first[particle]; n < run->at->first[particle + 1]; n++) {
    const int32_t spring = run->at->item[n];
    const law_terms t = spring_split(&model->springs, &model->particles, spring);
    const step_load kappa = {t.stiffness, t.damping, t.mass_ck + 2 * t.mass_cd};
    step_load_add(&sum, kappa, w);
    step_load_add(&row, kappa, inverse_mass(run, other_end(run, spring, particle)) > 0 ? 2 * w : w);
  }
  run->left -= run->at->first[particle + 1] - run->at->first[particle];
  if (!are_alike(sum, b->sums[particle]))
    b->marks[particle] = 1;
  b->sums[particle] = sum;
  put(run, b->rows, b->least_rows, particle, step_load_root(row, STABILITY_RADIUS));
}

/* A spring between two pins, a catch, or one that is broken has no step of its own. */
static void find_ends(bounds_run *run, int32_t particle) {
  step_bounds *b = run->bounds;
  const world_model *model = run->model;
  double least = INFINITY;
  for (int32_t n = run->at->first[particle]; n < run->at->first[particle + 1]; n++) {
    const int32_t spring = run->at->item[n], other = other_end(run, spring, particle);
    if (model->springs.a[spring] != particle || spring_is_broken(&model->springs, spring) ||
        spring_is_catch(&model->springs, spring) ||
        (inverse_mass(run, particle) == 0 && inverse_mass(run, other) == 0))
      continue;
    step_load both = b->sums[particle];
    step_load_add(&both, b->sums[other], 1);
    least = fmin(least, step_load_root(both, STABILITY_RADIUS));
  }
  run->left -= run->at->first[particle + 1] - run->at->first[particle];
  put(run, b->ends, b->least_ends, particle, least);
}

/* ---------------------------------------------------------------------------------- around what changed */

/* Does something for a particle and all that springs join it to, while springs are left. */
typedef void at_particle(bounds_run *run, int32_t particle);

static void for_joined(bounds_run *run, int32_t particle, at_particle *act) {
  act(run, particle);
  for (int32_t n = run->at->first[particle]; n < run->at->first[particle + 1] && run->left >= 0; n++)
    act(run, other_end(run, run->at->item[n], particle));
}

/* Of what has another sum, the springs have other steps. */
static void find_ends_around(bounds_run *run, int32_t particle) {
  if (!run->bounds->marks[particle])
    return;
  run->bounds->marks[particle] = 0;
  for_joined(run, particle, find_ends);
}

/* Once for the sums, then for the springs. The law of a spring counts at its ends alone. */
static bool follow_each(bounds_run *run, change_range changes, at_particle *act) {
  const spring_store *s = &run->model->springs;
  for (int32_t c = changes.first; c < changes.end && run->left >= 0; c++) {
    const int32_t item = run->model->changes.items[c];
    if (item < 0) {
      for_joined(run, change_of_particle(item), act);
    } else {
      act(run, s->a[item]);
      act(run, s->b[item]);
    }
  }
  return run->left >= 0;
}

/* False where only all of it can be found. */
static bool follow(bounds_run *run, revision now) {
  revision made_for = run->bounds->made_for;
  const uint64_t before = made_for.definitions;
  change_range changes;
  made_for.definitions = now.definitions;
  run->left = run->model->springs.count;
  return run->bounds->sums && revision_holds(&made_for, now) &&
         change_list_since(&run->model->changes, before, now.definitions, &changes) &&
         follow_each(run, changes, sum_at) && follow_each(run, changes, find_ends_around);
}

/* ------------------------------------------------------------------------------------------------- all */

static bool open(step_bounds *b, memory *m, int32_t particles) {
  const int64_t blocks = particles / BLOCK + 1;
  step_bounds_free(b, m);
  b->sums = memory_allocate_items(m, particles, sizeof *b->sums);
  b->rows = memory_allocate_items(m, particles, sizeof *b->rows);
  b->ends = memory_allocate_items(m, particles, sizeof *b->ends);
  b->least_rows = memory_allocate_items(m, blocks, sizeof *b->least_rows);
  b->least_ends = memory_allocate_items(m, blocks, sizeof *b->least_ends);
  b->marks = memory_allocate_items(m, particles, sizeof *b->marks);
  if (b->sums && b->rows && b->ends && b->least_rows && b->least_ends && b->marks)
    return true;
  step_bounds_free(b, m);
  return false;
}

static bool find_all(bounds_run *run, memory *m) {
  step_bounds *b = run->bounds;
  const int32_t particles = run->model->particles.count;
  if (!open(b, m, particles))
    return false;
  for (int32_t i = 0; i < particles; i++) {
    b->rows[i] = b->ends[i] = INFINITY;
    b->least_rows[i / BLOCK] = b->least_ends[i / BLOCK] = INFINITY;
  }
  for (int32_t i = 0; i < particles; i++)
    sum_at(run, i);
  for (int32_t i = 0; i < particles; i++) {
    find_ends(run, i);
    b->marks[i] = 0;
  }
  return true;
}

bool step_bounds_find(step_bounds *b, memory *m, const world_model *model, const incidence *at,
                      double *step) {
  bounds_run run = {.bounds = b, .model = model, .at = at};
  const revision now = revision_of_stable_steps(&model->revision);
  if (!revision_holds(&b->made_for, now) && !follow(&run, now) && !find_all(&run, m))
    return false;
  b->made_for = now;
  double rows = INFINITY, ends = INFINITY;
  for (int32_t i = 0; i < model->particles.count; i += BLOCK) {
    rows = fmin(rows, b->least_rows[i / BLOCK]);
    ends = fmin(ends, b->least_ends[i / BLOCK]);
  }
  *step = fmax(rows, ends);
  return true;
}

void step_bounds_free(step_bounds *b, memory *m) {
  memory_release(m, b->sums);
  memory_release(m, b->rows);
  memory_release(m, b->ends);
  memory_release(m, b->least_rows);
  memory_release(m, b->least_ends);
  memory_release(m, b->marks);
  *b = (step_bounds){.sums = NULL};
}
