#include "engine/stability/needed_mass.h"

#include "engine/stability/bound.h"

#include <math.h>

/* Whether kappa is the same whatever the masses. */
static bool is_free_of_masses(law l) {
  return law_is(l, MSD_SPRING_PHYSICAL);
}

/* The most springs and constraints at an end that can move. */
static double busiest_end(const analysis *a, analysis_spring s) {
  const int32_t *valence = a->model->particles.valence;
  const double at_a = analysis_inverse_mass(a, s.a) > 0 ? valence[s.a] : 0;
  const double at_b = analysis_inverse_mass(a, s.b) > 0 ? valence[s.b] : 0;
  return fmax(at_a, at_b);
}

/* Of the springs that go with the masses: a bound of their radius at any masses. */
static double share_of_others(const analysis *a, double dt) {
  double most = 0;
  for (int32_t e = 0; e < a->count; e++) {
    const law l = spring_law(&a->model->springs, a->springs[e].spring);
    if (is_free_of_masses(l))
      continue;
    const double n = busiest_end(a, a->springs[e]);
    const law_terms t = law_split(l, 1, 1 / n);
    most = fmax(most, n * step_load_at((step_load){t.stiffness, t.damping, t.mass_ck + 2 * t.mass_cd}, dt));
  }
  return most;
}

/* kg: what the springs of a particle, and its own terms, ask for with all of 4; the rest of own terms goes
   with its mass. Own terms count twice, so that the bounds of steps.h, which take the two ends of a spring
   together, see the same. */
static void sum_demands(const analysis *a, double dt, double *demands) {
  for (int32_t i = 0; i < a->model->particles.count; i++)
    demands[i] = a->own ? 2 * step_load_at((step_load){a->own[i].stiffness, a->own[i].damping, 0}, dt) : 0;
  for (int32_t e = 0; e < a->count; e++) {
    const analysis_spring s = a->springs[e];
    if (!is_free_of_masses(spring_law(&a->model->springs, s.spring)))
      continue;
    const double kappa = step_load_at(a->terms[e], dt);
    demands[s.a] += 2 * kappa;
    demands[s.b] += 2 * kappa;
  }
}

msd_result needed_mass_find(const world_model *model, double time_step, double *masses) {
  memory scratch = {.allocator = model->memory.allocator, .limit = model->memory.limit};
  analysis a;
  const bool open = analysis_open(&a, model, &scratch);
  if (open) {
    sum_demands(&a, time_step, masses);
    const double share = share_of_others(&a, time_step);
    for (int32_t i = 0; i < model->particles.count; i++) {
      const double w = analysis_inverse_mass(&a, i);
      const double room = STABILITY_RADIUS - share - (a.own ? w * a.own[i].coefficient : 0);
      if (w == 0 || masses[i] == 0)
        masses[i] = 0;
      else
        masses[i] = room > 0 ? masses[i] / room : INFINITY;
    }
  }
  analysis_close(&a);
  return open ? MSD_OK : MSD_OUT_OF_MEMORY;
}
