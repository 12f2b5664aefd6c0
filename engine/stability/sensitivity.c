/* At a fixed dt the load of a spring is a polynomial in each parameter v of its law, as it is in dt for fixed
   parameters:

       law           first parameter              second parameter
       stiffness     dt^2 v + 2 dt mu             2 dt v + dt^2 k
       coefficient   m v + 2 m cd                 2 m v + m ck
       frequency     m (2 pi dt)^2 v^2 +          8 pi m dt f v + m (2 pi dt f)^2
                     8 pi m dt ratio v

   So the search for the largest stable dt also finds the largest stable v: v replaces dt, the springs of the
   range have these polynomials, and all else is constant. */
#include "engine/stability/sensitivity.h"

#include "engine/stability/bound.h"
#include "engine/stability/report.h"

#include <float.h>
#include <math.h>

typedef struct question {
  const world_model *model;
  msd_range springs;
  /* The law of the first spring of the range. Springs with another kind of law stay constant. */
  law pattern;
  double dt;
} question;

static double number_of(law l, int number) {
  return (double)(number == 0 ? l.first : l.second);
}

static bool varies(const question *q, int32_t spring) {
  return spring >= q->springs.first && spring - q->springs.first < q->springs.count &&
         law_is(spring_law(&q->model->springs, spring), (msd_spring_law)q->pattern.kind);
}

/* The polynomial of the table above, as a load. */
static step_load polynomial(const question *q, const analysis *a, int32_t e, int number) {
  const analysis_spring s = analysis_spring_at(a, e);
  const double mass = 1 / (analysis_inverse_mass(a, s.a) + analysis_inverse_mass(a, s.b));
  law one = spring_law(&q->model->springs, s.spring);
  *(number == 0 ? &one.first : &one.second) = 1;
  const law_terms t = law_split(one, mass, analysis_share(a, e));
  const double first = q->dt * q->dt * t.stiffness + t.mass_ck;
  const double second = 2 * (q->dt * t.damping + t.mass_cd);
  if (number == 1)
    return (step_load){0, second / 2, first};
  if (law_is(one, MSD_SPRING_FREQUENCY)) /* both terms grow with the frequency */
    return (step_load){first, second / 2, 0};
  return (step_load){0, first / 2, second};
}

static bool varying(const question *q, const analysis *a, int32_t e) {
  return e < a->model_springs && varies(q, analysis_spring_at(a, e).spring);
}

/* The load of a spring that stays constant. Fibers may have been converted already. */
static step_load fixed(const question *q, const analysis *a, int32_t e) {
  if (e >= a->model_springs)
    return (step_load){0, 0, step_load_at(a->terms[e], q->dt)};
  const law_terms t =
      spring_effective_mass(&q->model->springs, &q->model->particles, analysis_spring_at(a, e).spring);
  const step_load load = {t.stiffness, t.damping, t.mass_ck + 2 * t.mass_cd};
  return (step_load){0, 0, step_load_at(load, q->dt)};
}

static void set_terms(const question *q, analysis *a, int number) {
  a->has_stiffness = a->has_damping = a->has_room = false;
  a->has_coefficient = true;
  for (int32_t e = 0; e < a->count; e++) {
    a->terms[e] = varying(q, a, e) ? polynomial(q, a, e, number) : fixed(q, a, e);
    a->has_stiffness = a->has_stiffness || a->terms[e].stiffness > 0;
    a->has_damping = a->has_damping || a->terms[e].damping > 0;
  }
}

/* Returns whether all varying springs have the parameters of the first. */
static bool are_alike(const question *q) {
  for (int32_t e = q->springs.first; e - q->springs.first < q->springs.count; e++) {
    const law l = spring_law(&q->model->springs, e);
    if (varies(q, e) &&
        (number_of(l, 0) != number_of(q->pattern, 0) || number_of(l, 1) != number_of(q->pattern, 1)))
      return false;
  }
  return true;
}

/* Makes the limit consistent with the reported radius, which also uses other bounds. If all loads grow by a
   factor c, so does the radius. A parameter that grows by c increases no load by more than c; a frequency by
   at most c^2. */
static double agree(const question *q, int number, double limit, double radius) {
  const double now = number_of(q->pattern, number);
  if (now < 0) /* MSD_MAX_STABLE */
    return limit;
  if (!(radius < 4))
    return fmin(limit, now);
  double growth = radius > 0 ? 4 / radius : INFINITY;
  if (law_is(q->pattern, MSD_SPRING_FREQUENCY) && number == 0)
    growth = sqrt(growth);
  return now > 0 ? fmax(limit, now * growth) : fmax(limit, DBL_MIN);
}

static msd_stiffness_limits answer(const question *q, analysis *a, double radius) {
  const bool alike = are_alike(q);
  double limits[2];
  for (int number = 0; number < 2; number++) {
    set_terms(q, a, number);
    const double quick = quick_step(a);
    const double limit = certify_step(a, fmax(number_of(q->pattern, number), 1), quick).step;
    limits[number] = alike ? agree(q, number, limit, radius) : limit;
  }
  return (msd_stiffness_limits){limits[0], limits[1]};
}

msd_result stiffness_limits_find(const world_model *model, const msd_range *springs, int count,
                                 double substep, msd_stiffness_limits *limits) {
  const bool is_limited = model->clamp_stiffness;
  for (int n = 0; n < count && is_limited; n++)
    limits[n] = (msd_stiffness_limits){INFINITY, INFINITY};
  if (count == 0 || is_limited)
    return MSD_OK;
  msd_stability present;
  const msd_result result = stability_report(model, substep, &present);
  if (result != MSD_OK)
    return result;
  memory scratch = {.allocator = model->memory.allocator, .limit = model->memory.limit};
  analysis a;
  const bool open = analysis_open(&a, model, &scratch) && analysis_spread(&a);
  if (open) {
    a.sweeps_max = STABILITY_SWEEPS_AGAIN;
    for (int32_t i = 0; a.own && i < model->particles.count; i++)
      a.own[i] = (step_load){0, 0, step_load_at(a.own[i], substep)};
    for (int n = 0; n < count; n++) {
      const question q = {model, springs[n], spring_law(&model->springs, springs[n].first), substep};
      limits[n] = answer(&q, &a, present.radius);
    }
  }
  analysis_close(&a);
  return open ? MSD_OK : MSD_OUT_OF_MEMORY;
}
