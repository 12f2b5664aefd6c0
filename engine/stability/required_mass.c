#include "engine/stability/required_mass.h"

#include "engine/stability/bound.h"
#include "engine/stability/constraint_bound.h"
#include "engine/stability/softening_weights.h"

#include <math.h>

/* Returns whether kappa does not depend on the masses. */
static bool is_free_of_masses(law l) {
  return law_is(l, MSD_SPRING_STIFFNESS);
}

/* The largest number of springs and constraints at a free end. */
static double busiest_end(const analysis *a, analysis_spring s) {
  const int32_t *valence = a->model->particles.valence;
  const double at_a = analysis_inverse_mass(a, s.a) > 0 ? valence[s.a] : 0;
  const double at_b = analysis_inverse_mass(a, s.b) > 0 ? valence[s.b] : 0;
  return fmax(at_a, at_b);
}

static step_load most_of(step_load one, step_load other) {
  return (step_load){fmax(one.stiffness, other.stiffness), fmax(one.damping, other.damping),
                     fmax(one.coefficient, other.coefficient)};
}

/* Removes the springs whose law scales with the masses from the analysis. Returns a bound of their radius for
   any masses. */
static step_load take_share_of_others(analysis *a) {
  step_load most = {0, 0, 0};
  for (int32_t e = 0; e < a->model_springs; e++) {
    const law l = spring_law(&a->model->springs, analysis_spring_at(a, e).spring);
    if (is_free_of_masses(l))
      continue;
    const double n = busiest_end(a, analysis_spring_at(a, e));
    const law_terms t = law_split(l, 1, 1 / n);
    most = most_of(most, (step_load){n * t.stiffness, n * t.damping, n * (t.mass_ck + 2 * t.mass_cd)});
    a->terms[e] = (step_load){0, 0, 0};
  }
  return most;
}

/* `used` and `wanted` are arrays with a load for each particle. */
static void sum_demands(mass_demands *d, analysis *a, bool is_held, step_load *used, step_load *wanted) {
  if (d->has_room)
    constraint_bound_demands(a, is_held, used, wanted);
  even_rows(a);
  for (int32_t i = 0; i < d->model->particles.count; i++) {
    const double w = analysis_inverse_mass(a, i);
    if (!(w > 0))
      continue;
    d->of[i].held = a->rows[i];
    d->of[i].coefficient = a->own ? w * a->own[i].coefficient : 0;
    if (d->has_room) {
      d->of[i].used = used[i];
      d->of[i].wanted = wanted[i];
    }
  }
}

bool mass_demands_open(mass_demands *d, const world_model *model, analysis_softened softened, memory *m) {
  const size_t count = (size_t)model->particles.count;
  *d = (mass_demands){.model = model, .memory = m, .has_room = softening_has_room(model)};
  d->of = memory_allocate(m, count * sizeof *d->of);
  step_load *used = NULL, *wanted = NULL;
  if (d->has_room) {
    used = memory_allocate(m, count * sizeof *used);
    wanted = memory_allocate(m, count * sizeof *wanted);
  }
  analysis a;
  bool open = analysis_open_springs(&a, model, m) && d->of && (!d->has_room || (used && wanted));
  if (open) {
    a.softened = SOFTENED_LEFT_OUT;
    open = analysis_set_own(&a, true, 0);
  }
  if (open) {
    d->share = take_share_of_others(&a);
    sum_demands(d, &a, softened == SOFTENED_FOLLOWED, used, wanted);
  }
  analysis_close(&a);
  memory_release(m, used);
  memory_release(m, wanted);
  return open;
}

void mass_demands_close(mass_demands *d) {
  memory_release(d->memory, d->of);
}

double mass_demands_radius(const mass_demands *d, double dt) {
  /* An additional margin, because masses are rounded and the bound is tight. */
  const double most = STABILITY_RADIUS * STABILITY_MARGIN;
  return most - step_load_at(d->share, dt) - (d->has_room ? SOFTENING_LEFT_LEAST : 0);
}

static double mass_for(double demand, double radius) {
  return !(demand > 0) ? 0 : radius > 0 ? demand / radius : INFINITY;
}

double mass_demands_at(const mass_demands *d, int32_t particle, double dt, double radius, double room) {
  const mass_demand *of = &d->of[particle];
  const double held = step_load_at(of->held, dt), left = radius - of->coefficient;
  const double beside = fmax(mass_for(held, left - room), mass_for(held + step_load_at(of->used, dt), left));
  return fmax(beside, mass_for(step_load_at(of->wanted, dt), room));
}

/* kg: the mass that the particles of a range lack with a given budget. */
static double lack_at(const mass_demands *d, msd_range particles, double dt, double radius, double room) {
  double lack = 0;
  for (int32_t i = particles.first; i < particles.first + particles.count; i++)
    if (d->model->particles.inverse_mass[i] > 0)
      lack += fmax(mass_demands_at(d, i, dt, radius, room) - (double)d->model->particles.mass[i], 0);
  return lack;
}

double mass_demands_lack(const mass_demands *d, msd_range particles, double dt, double *room) {
  static const double parts[] = {1 / 64.0, 1 / 32.0, 1 / 16.0, 1 / 8.0, 1 / 4.0, 1 / 2.0, 3 / 4.0};
  const double radius = mass_demands_radius(d, dt);
  double least = INFINITY;
  *room = 0;
  if (!d->has_room)
    return lack_at(d, particles, dt, radius, 0);
  for (size_t p = 0; p < sizeof parts / sizeof *parts; p++) {
    const double lack = lack_at(d, particles, dt, radius, parts[p] * radius);
    if (p > 0 && !(lack < least))
      continue;
    least = lack;
    *room = parts[p] * radius;
  }
  return least;
}

msd_result required_mass_find(const world_model *model, double substep, double *masses) {
  memory scratch = {.allocator = model->memory.allocator, .limit = model->memory.limit};
  mass_demands d;
  const bool open = mass_demands_open(&d, model, SOFTENED_AT_SHAPE, &scratch);
  if (open) {
    double room;
    const int32_t count = model->particles.count;
    mass_demands_lack(&d, (msd_range){0, count}, substep, &room);
    const double radius = mass_demands_radius(&d, substep);
    for (int32_t i = 0; i < count; i++)
      masses[i] = mass_demands_at(&d, i, substep, radius, room);
  }
  mass_demands_close(&d);
  return open ? MSD_OK : MSD_OUT_OF_MEMORY;
}
