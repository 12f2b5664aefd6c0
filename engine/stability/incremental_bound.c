#include "engine/stability/incremental_bound.h"

#include "engine/base/growth.h"
#include "engine/base/min_max.h"

#include <math.h>

enum { BLOCK = 64 };

/* The arguments of the functions below. */
typedef struct bounds_run {
  incremental_bounds *bounds;
  const world_model *model;
  const incidence *at;
  /* The number of springs that may still be visited before a full rebuild is cheaper. */
  int64_t left;
} bounds_run;

static double inverse_mass(const bounds_run *run, int32_t particle) {
  return (double)run->model->particles.inverse_mass[particle];
}

static int32_t other_end(const bounds_run *run, int32_t spring, int32_t particle) {
  const spring_store *s = &run->model->springs;
  return s->a[spring] == particle ? s->b[spring] : s->a[spring];
}

/* --------------------------------------------------------------------------------------------- memory */

static const growth_array particle_arrays[] = {
    GROWTH_ARRAY(incremental_bounds, sums),
    GROWTH_ARRAY(incremental_bounds, rows),
    GROWTH_ARRAY(incremental_bounds, ends),
    GROWTH_ARRAY(incremental_bounds, marks),
};
static const growth_table particle_growth =
    GROWTH(incremental_bounds, particles, particle_room, particle_arrays, .most = INT32_MAX);

static const growth_array block_arrays[] = {
    GROWTH_ARRAY(incremental_bounds, least_rows),
    GROWTH_ARRAY(incremental_bounds, least_ends),
};
static const growth_table block_growth =
    GROWTH(incremental_bounds, blocks, block_room, block_arrays, .most = INT32_MAX);

/* Extends the arrays; new particles have no springs yet. */
static bool open(incremental_bounds *b, memory *m, int32_t particles) {
  const int32_t blocks = particles / BLOCK + 1;
  if (!growth_reserve(&particle_growth, b, m, particles) || !growth_reserve(&block_growth, b, m, blocks))
    return false;
  for (; b->particles < particles; b->particles++) {
    b->sums[b->particles] = (step_load){0, 0, 0};
    b->rows[b->particles] = b->ends[b->particles] = INFINITY;
    b->marks[b->particles] = 0;
  }
  for (; b->blocks < blocks; b->blocks++)
    b->least_rows[b->blocks] = b->least_ends[b->blocks] = INFINITY;
  return true;
}

/* ---------------------------------------------------------------------------------------- one particle */

/* Stores the value of a particle, and updates the minimum of its block. */
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

/* Sums the springs at a particle, and marks it if the sum has changed. */
static void sum_at(bounds_run *run, int32_t particle) {
  incremental_bounds *b = run->bounds;
  const world_model *model = run->model;
  const double w = inverse_mass(run, particle);
  step_load sum = {0, 0, 0}, row = {0, 0, 0};
  incidence_visit here = incidence_at(run->at, particle, 0);
  for (int32_t spring; incidence_next(&here, &spring); run->left--) {
    const law_terms t = spring_effective_mass(&model->springs, &model->particles, spring);
    const step_load kappa = {t.stiffness, t.damping, t.mass_ck + 2 * t.mass_cd};
    step_load_add(&sum, kappa, w);
    step_load_add(&row, kappa, inverse_mass(run, other_end(run, spring, particle)) > 0 ? 2 * w : w);
  }
  if (!are_alike(sum, b->sums[particle]))
    b->marks[particle] = 1;
  b->sums[particle] = sum;
  put(run, b->rows, b->least_rows, particle, step_load_root(row, STABILITY_RADIUS));
}

/* A spring between two pins, a hard length limit, or a broken spring has no limit. */
static void find_ends(bounds_run *run, int32_t particle) {
  incremental_bounds *b = run->bounds;
  const world_model *model = run->model;
  double least = INFINITY;
  incidence_visit here = incidence_at(run->at, particle, 0);
  for (int32_t spring; incidence_next(&here, &spring); run->left--) {
    const int32_t other = other_end(run, spring, particle);
    if (model->springs.a[spring] != particle || spring_is_broken(&model->springs, spring) ||
        spring_is_hard_limit(&model->springs, spring) ||
        (inverse_mass(run, particle) == 0 && inverse_mass(run, other) == 0))
      continue;
    step_load both = b->sums[particle];
    step_load_add(&both, b->sums[other], 1);
    least = fmin(least, step_load_root(both, STABILITY_RADIUS));
  }
  put(run, b->ends, b->least_ends, particle, least);
}

/* ----------------------------------------------------------------------------- neighborhood of a change */

/* Applies a function to a particle and all its neighbors, within the number of springs left. */
typedef void at_particle(bounds_run *run, int32_t particle);

static void for_joined(bounds_run *run, int32_t particle, at_particle *act) {
  act(run, particle);
  incidence_visit here = incidence_at(run->at, particle, 0);
  for (int32_t spring; run->left >= 0 && incidence_next(&here, &spring);)
    act(run, other_end(run, spring, particle));
}

/* If the sum of a particle has changed, recomputes the limits of its springs. */
static void find_ends_around(bounds_run *run, int32_t particle) {
  if (!run->bounds->marks[particle])
    return;
  run->bounds->marks[particle] = 0;
  for_joined(run, particle, find_ends);
}

/* Called once for the sums, then for the springs. The law of a spring affects only its ends. */
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

/* The same for added springs, which change the mass fractions of others. */
static bool follow_added(bounds_run *run, at_particle *act) {
  const spring_store *s = &run->model->springs;
  for (int32_t e = run->bounds->springs; e < s->count && run->left >= 0; e++) {
    const int32_t ends[2] = {s->a[e], s->b[e]};
    for (int n = 0; n < 2 && run->left >= 0; n++) {
      if (!model_is_first_added(run->at, ends[n], e, run->bounds->springs))
        continue;
      if (spring_mass_followers(s) > 0 && inverse_mass(run, ends[n]) > 0)
        for_joined(run, ends[n], act);
      else
        act(run, ends[n]);
    }
  }
  return run->left >= 0;
}

/* Returns false if a full rebuild is needed. */
static bool follow(bounds_run *run, memory *m, revision now) {
  incremental_bounds *b = run->bounds;
  const revision made_for = revision_followed(b->made_for, &now);
  change_range changes;
  run->left = run->model->springs.count;
  return b->sums && revision_holds(&made_for, now) &&
         change_list_since(&run->model->changes, b->made_for.definitions, now.definitions, &changes) &&
         open(b, m, run->model->particles.count) && follow_each(run, changes, sum_at) &&
         follow_added(run, sum_at) && follow_each(run, changes, find_ends_around) &&
         follow_added(run, find_ends_around);
}

/* ---------------------------------------------------------------------------------------- full rebuild */

static bool find_all(bounds_run *run, memory *m) {
  incremental_bounds *b = run->bounds;
  const int32_t particles = run->model->particles.count;
  incremental_bounds_free(b, m);
  if (!open(b, m, particles)) {
    incremental_bounds_free(b, m);
    return false;
  }
  for (int32_t i = 0; i < particles; i++)
    sum_at(run, i);
  for (int32_t i = 0; i < particles; i++) {
    find_ends(run, i);
    b->marks[i] = 0;
  }
  return true;
}

bool incremental_bounds_find(incremental_bounds *b, memory *m, const world_model *model, const incidence *at,
                             double *step) {
  bounds_run run = {.bounds = b, .model = model, .at = at};
  const revision now = revision_of_stable_steps(&model->revision);
  if (!revision_holds(&b->made_for, now) && !follow(&run, m, now) && !find_all(&run, m))
    return false;
  b->made_for = now;
  b->springs = model->springs.count;
  double rows = INFINITY, ends = INFINITY;
  for (int32_t i = 0; i < model->particles.count; i += BLOCK) {
    rows = fmin(rows, b->least_rows[i / BLOCK]);
    ends = fmin(ends, b->least_ends[i / BLOCK]);
  }
  *step = fmax(rows, ends);
  return true;
}

void incremental_bounds_free(incremental_bounds *b, memory *m) {
  memory_release(m, b->sums);
  memory_release(m, b->rows);
  memory_release(m, b->ends);
  memory_release(m, b->least_rows);
  memory_release(m, b->least_ends);
  memory_release(m, b->marks);
  *b = (incremental_bounds){.sums = NULL};
}
