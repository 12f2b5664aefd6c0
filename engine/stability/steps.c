#include "engine/stability/steps.h"

#include "engine/base/min_max.h"
#include "engine/stability/constraint_bound.h"
#include "engine/stability/rotor_bound.h"
#include "engine/stability/scaled_steps.h"
#include "engine/step/integrator.h"
#include "engine/step/rank_step.h"
#include "engine/step/soft_pin_step.h"

#include <math.h>
#include <string.h>

/* RK4 is stable for dt^2 k + RK4_DAMPING dt mu < RK4_RADIUS; see steps.h. */
#define RK4_RADIUS 8.0
static const double RK4_DAMPING = RK4_RADIUS / 2.785293563405282;

/* The contribution of m ck of springs to the rows of A x, over w, into y. For diagonal terms it counts as
   damping. */
static void weigh_elastic_coefficients(analysis *a) {
  for (int32_t i = 0; i < a->model->particles.count; i++)
    a->y[i] = 0;
  for (int32_t e = 0; a->has_coefficient && e < a->model_springs; e++) {
    const analysis_spring s = analysis_spring_at(a, e);
    const double mass_ck = spring_effective_mass(&a->model->springs, &a->model->particles, s.spring).mass_ck;
    a->y[s.a] += mass_ck * (a->x[s.a] + a->x[s.b]);
    a->y[s.b] += mass_ck * (a->x[s.a] + a->x[s.b]);
  }
}

/* The limit of RK4 by Collatz and Wielandt with the x of symplectic Euler, which is nearly optimal for RK4
   too. Never below `symplectic`, since k + 2.8722 d <= 1.44 (k + 2 d) < 8. */
static double rk4_step(analysis *a, double symplectic) {
  double least = INFINITY;
  weigh_elastic_coefficients(a);
  for (int32_t i = a->counted.first; i < a->counted.last; i++) {
    if (a->x[i] <= 0)
      continue;
    const step_load row = step_load_scaled(a->rows[i], 1 / a->x[i]);
    const double less = a->y[i] * analysis_inverse_mass(a, i) / a->x[i];
    const step_load weighed = {row.stiffness, row.damping * RK4_DAMPING / 2,
                               (row.coefficient - less) * RK4_DAMPING / 2 + less};
    least = fmin(least, step_load_root(weighed, RK4_RADIUS * STABILITY_MARGIN));
  }
  return fmax(analysis_find_least(a, least), symplectic);
}

static bool holds_anything(const world_model *model) {
  for (int32_t n = 0; n < model->soft_pins.count; n++)
    if (soft_pin_moves(&model->soft_pins, &model->particles, n))
      return true;
  return false;
}

/* Sequential impulses. Without damping they are the forces of symplectic Euler. If nothing is stiff, the
   impulse of a spring changes the kinetic energy by -m cd (1 - cd/2) C'^2. More iterations descend in the
   energy 1/2 v' M v + 1/2 L' diag(G_ee (1/cd - 1)) L of spring_impulse.h, with v the velocities changed by L;
   its second term is never below 0 for cd <= 1. Both hold for constraints as for springs. For the rest there
   is no proof; a soft pin, whose motion is exact, counts as stiff. */
static double impulse_step(const analysis *a, double symplectic) {
  const world_model *model = a->model;
  const double cd_max = (model->impulse_iterations > 1 ? 1 : 2) * STABILITY_MARGIN;
  const constraint_impulse_bound constraints = constraint_bound_impulses(model, cd_max);
  bool is_stiff = constraints.is_stiff || holds_anything(model), is_damped = constraints.is_damped;
  double step = constraints.step;
  if (a->has_damping && (is_stiff || a->has_stiffness))
    return 0;
  if (!is_damped && !a->has_damping && !a->has_coefficient)
    return symplectic;
  for (int32_t e = 0; e < a->model_springs; e++) {
    if (!analysis_counts(a, e))
      continue;
    const law_terms t =
        spring_effective_mass(&model->springs, &model->particles, analysis_spring_at(a, e).spring);
    const double most = cd_max / (analysis_inverse_mass(a, analysis_spring_at(a, e).a) +
                                  analysis_inverse_mass(a, analysis_spring_at(a, e).b));
    is_stiff = is_stiff || t.stiffness > 0 || t.mass_ck > 0;
    is_damped = is_damped || t.damping > 0 || t.mass_cd > 0;
    if (t.mass_cd > most)
      step = 0;
    else if (t.damping > 0)
      step = fmin(step, most / t.damping);
  }
  double found[] = {is_stiff, is_damped, -step};
  analysis_find_largest(a, found, 3);
  if (found[1] == 0)
    return symplectic;
  return found[0] > 0 || model->impulse_warm_start ? 0 : -found[2];
}

/* The proven stable substeps of the integrators that apply forces as symplectic Euler does. Leaves the final
   x. */
static certificate force_steps(analysis *a, double asked, double quick, double steps[MSD_INTEGRATOR_COUNT]) {
  const certificate c = certify_step(a, asked, quick);
  const bool is_stiff = a->has_stiffness || a->has_coefficient;
  steps[MSD_SYMPLECTIC_EULER] = steps[MSD_VELOCITY_VERLET] = c.step;
  steps[MSD_EXPLICIT_EULER] = is_stiff ? 0 : c.step;
  steps[MSD_RK4] = rk4_step(a, c.step);
  return c;
}

/* For symplectic Euler soft pins are not forces, and have a smaller load. The second and third call of
   analysis_set_own need no new memory. */
certificate stability_steps(analysis *a, double asked, double quick, double steps[MSD_INTEGRATOR_COUNT]) {
  double exact_steps[MSD_INTEGRATOR_COUNT];
  if (a->model->soft_pins.count > 0) {
    analysis_set_own(a, false, 0);
    force_steps(a, asked, quick_step(a), steps);
    analysis_set_own(a, true, 0);
  }
  const certificate c = force_steps(a, asked, quick, a->model->soft_pins.count > 0 ? exact_steps : steps);
  steps[MSD_SYMPLECTIC_EULER] = c.step;
  steps[MSD_SEQUENTIAL_IMPULSE] = impulse_step(a, c.step);
  for (int n = 0; n < MSD_INTEGRATOR_COUNT; n++)
    if (a->model->springs.hard_limits > 0 && !integrator_predicts((msd_integrator)n))
      steps[n] = 0;
  return c;
}

double stability_radius_limit(msd_integrator integrator) {
  return integrator == MSD_RK4 ? RK4_RADIUS : 4;
}

double stability_damping_weight(msd_integrator integrator) {
  return integrator == MSD_RK4 ? RK4_DAMPING / 2 : 1;
}

/* In frames, each of which costs as much as a few searches. */
enum { PATIENCE_MAX = 32 };

/* A smaller relative gain counts as none. */
static const double GAIN_LEAST = 0.0625;

/* Returns whether the model that the limits depend on is unchanged. */
static bool is_of_model(const world_model *model, const stability_cache *known, bool with_shape) {
  return revision_holds(&known->stable_step_made_for, revision_of_stable_steps(&model->revision)) &&
         (!with_shape || revision_holds(&known->shape_made_for, revision_of_shape(&model->revision)));
}

/* The owner of the incremental bounds. NULL: a complete model without bounds to update. */
typedef struct limits_owner {
  world_model *model;
  incremental_bounds *bounds;
  /* The global analysis of a distributed model; NULL: the model is complete. */
  const analysis_whole *whole;
} limits_owner;

static const analysis_whole *whole_of(const limits_owner *owner) {
  return owner ? owner->whole : NULL;
}

/* Combines a condition over all ranks of a distributed model: true if it holds on any. */
static bool on_any(const limits_owner *owner, bool is_so) {
  const analysis_whole *whole = whole_of(owner);
  return whole ? rank_on_any(whole->ranks, is_so) : is_so;
}

static void mark_made(const world_model *model, stability_cache *cache) {
  cache->stable_step_made_for = revision_of_stable_steps(&model->revision);
  cache->shape_made_for = revision_of_shape(&model->revision);
  cache->springs = model->springs.count;
}

/* The number of substeps after which the cost of a search is negligible; and the maximum, if searches do not
   help. */
enum { WAIT_LEAST = 1024, WAIT_MOST = 1 << 20 };

static bool is_due(const stability_cache *known) {
  return known->state != LIMITS_FOUND && known->worked >= known->wait;
}

static bool has_limit_of_euler(msd_integrator integrator) {
  return integrator == MSD_SYMPLECTIC_EULER || integrator == MSD_VELOCITY_VERLET;
}

/* Returns whether the limits are for the integrator of the model, and were valid for its network when they
   were computed. */
static bool serves(const world_model *model, const stability_cache *known) {
  return known->state != LIMITS_STALE &&
         (known->state != LIMITS_FOLLOWED || has_limit_of_euler(model->integrator));
}

static bool stands(const world_model *model, const stability_cache *known) {
  if (constraint_bound_every_shape(model))
    return is_of_model(model, known, false) && serves(model, known) && !is_due(known);
  const bool is_softened_to_fit = !model->clamp_stiffness;
  const int32_t age_max = !is_softened_to_fit ? 1 : known->was_softened ? known->patience : PATIENCE_MAX;
  return is_of_model(model, known, true) && known->age < age_max;
}

/* With fewer springs a search takes a fraction of a millisecond. */
enum { FOLLOWED_SPRINGS_MIN = 256 };

/* The new state of limits after single changes and added springs and particles: LIMITS_STALE if they may be
   too large, as with more springs. Returns false if there were other changes. */
static bool state_now(const world_model *model, const stability_cache *known, limits_state *state) {
  const revision now = revision_of_stable_steps(&model->revision);
  const revision made_for = revision_followed(known->stable_step_made_for, &now);
  const bool added = now.springs != known->stable_step_made_for.springs;
  change_range changes;
  if (model->constraints.count > 0 || known->springs < FOLLOWED_SPRINGS_MIN ||
      !revision_holds(&made_for, now) ||
      !change_list_since(&model->changes, known->stable_step_made_for.definitions, now.definitions, &changes))
    return false;
  *state = added || !changes.relaxes                                     ? LIMITS_STALE
           : known->state == LIMITS_FOUND && changes.end > changes.first ? LIMITS_KEPT
                                                                         : (limits_state)known->state;
  return true;
}

static int32_t next_patience(const world_model *model, const stability_cache *known, double step) {
  const bool is_put_off = known->was_softened && is_of_model(model, known, true) &&
                          step > known->stable_step[model->integrator] * (1 - GAIN_LEAST);
  return is_put_off ? int_min(2 * known->patience, PATIENCE_MAX) : 1;
}

/* Limits of an unrelated model give no information about the benefit of a search. */
static int32_t next_wait(const world_model *model, const stability_cache *known, double step) {
  limits_state state;
  const bool is_useless = is_due(known) &&
                          (is_of_model(model, known, false) || state_now(model, known, &state)) &&
                          step < known->stable_step[model->integrator] * (1 + GAIN_LEAST);
  return is_useless ? int_min(2 * known->wait, WAIT_MOST) : WAIT_LEAST;
}

static bool find_stable_steps(const limits_owner *owner, const world_model *model, memory *m,
                              const stability_cache *known, stability_cache *now) {
  analysis a;
  bool open = analysis_open_part(&a, model, m, whole_of(owner));
  if (open) {
    a.softened = SOFTENED_FOLLOWED;
    open = analysis_set_own(&a, true, 0);
  }
  if (open)
    stability_steps(&a, 1, quick_step(&a), now->stable_step);
  analysis_close(&a);
  open = open && scaled_raise_step(model, m, &now->stable_step[MSD_SYMPLECTIC_EULER]);
  if (!open)
    return false;
  now->patience = next_patience(model, known, now->stable_step[model->integrator]);
  now->wait = next_wait(model, known, now->stable_step[model->integrator]);
  now->age = now->worked = 0;
  now->was_softened = false;
  now->state = LIMITS_FOUND;
  now->is_new = true;
  mark_made(model, now);
  return true;
}

/* For an owned model, or without storing anything. */
static bool bound_step(const limits_owner *owner, const world_model *model, memory *m, double *step) {
  if (owner) {
    const incidence *at = model_springs_at(owner->model);
    return at && incremental_bounds_find(owner->bounds, m, model, at, step);
  }
  incidence at;
  incremental_bounds bounds = {.sums = NULL};
  const bool done = spring_find_incidence(&at, m, &model->springs, model->particles.count) &&
                    incremental_bounds_find(&bounds, m, model, &at, step);
  incidence_free(&at, m);
  incremental_bounds_free(&bounds, m);
  return done;
}

/* If incremental bounds fall below this fraction of the limit, a search follows. */
static const double FOLLOWED_LEAST = 0.75;

/* Updates the limits incrementally or by a search; subdomains always search. Returns false if memory runs out
   in `m`. */
static bool follow_stable_steps(const limits_owner *owner, const world_model *model, memory *m,
                                const stability_cache *known, stability_cache *now) {
  limits_state state;
  double step;
  if (whole_of(owner) || is_due(known) || !state_now(model, known, &state))
    return find_stable_steps(owner, model, m, known, now);
  now->state = (int32_t)state;
  mark_made(model, now);
  if (serves(model, now))
    return true;
  if (!has_limit_of_euler(model->integrator) || !incremental_bounds_apply(model))
    return find_stable_steps(owner, model, m, known, now);
  if (!bound_step(owner, model, m, &step))
    return false;
  if (!(step >= FOLLOWED_LEAST * known->stable_step[model->integrator]))
    return find_stable_steps(owner, model, m, known, now);
  now->stable_step[MSD_SYMPLECTIC_EULER] = now->stable_step[MSD_VELOCITY_VERLET] = step;
  now->state = LIMITS_FOLLOWED;
  now->is_new = true;
  return true;
}

/* Copies *known to *now and recomputes what is outdated, with the same result on all ranks. Returns false if
   memory runs out in `m`. */
static bool find_steps(const limits_owner *owner, const world_model *model, memory *m,
                       const stability_cache *known, stability_cache *now) {
  const revision rotors = revision_of_rotor_steps(&model->revision);
  *now = *known;
  if (on_any(owner, !stands(model, known)) && !follow_stable_steps(owner, model, m, known, now))
    return false;
  const bool lacks =
      !revision_holds(&known->rotor_step_made_for, rotors) && !rotor_stable_steps(model, m, now->rotor_step);
  if (on_any(owner, lacks))
    return false;
  now->rotor_step_made_for = rotors;
  return true;
}

void stability_keep(world_model *model, stability_cache *cache) {
  if (cache->is_new)
    particle_settle_pins(&model->particles);
  if (cache->is_new && cache->state == LIMITS_FOUND)
    change_list_resume(&model->changes, model->revision.definitions, 0);
  cache->is_new = false;
}

void stability_watch(stability_cache *cache, bool was_softened, int chosen) {
  if (cache->state != LIMITS_FOUND)
    cache->worked = chosen < WAIT_MOST - cache->worked ? cache->worked + chosen : WAIT_MOST;
  cache->age = int_min(cache->age + 1, PATIENCE_MAX);
  cache->was_softened = cache->was_softened || was_softened;
}

/* Limits that are valid after single changes count as current in a restored world, because it has no change
   log. */
stability_standing stability_standing_of(const world_model *model, const stability_cache *cache) {
  stability_standing s = {.age = cache->age,
                          .patience = cache->patience,
                          .was_softened = cache->was_softened,
                          .worked = cache->worked,
                          .wait = cache->wait};
  limits_state state = (limits_state)cache->state;
  const bool every_shape = constraint_bound_every_shape(model);
  if (!is_of_model(model, cache, !every_shape) && !(every_shape && state_now(model, cache, &state)))
    return (stability_standing){.patience = 0};
  s.state = (int32_t)state;
  memcpy(s.stable_step, cache->stable_step, sizeof s.stable_step);
  return s;
}

bool stability_standing_is_sound(const stability_standing *standing) {
  for (int n = 0; n < MSD_INTEGRATOR_COUNT; n++)
    if (!(standing->stable_step[n] >= 0))
      return false;
  return standing->patience >= 0 && standing->patience <= PATIENCE_MAX && standing->age >= 0 &&
         standing->age <= PATIENCE_MAX && (standing->was_softened == 0 || standing->was_softened == 1) &&
         standing->state >= 0 && standing->state < LIMITS_STATE_COUNT && standing->worked >= 0 &&
         standing->worked <= WAIT_MOST && standing->wait >= 0 && standing->wait <= WAIT_MOST;
}

void stability_resume(const world_model *model, stability_cache *cache, const stability_standing *standing) {
  cache->stable_step_made_for = (revision){0};
  if (standing->patience == 0)
    return;
  memcpy(cache->stable_step, standing->stable_step, sizeof cache->stable_step);
  cache->age = standing->age;
  cache->patience = standing->patience;
  cache->was_softened = standing->was_softened;
  cache->state = standing->state;
  cache->worked = standing->worked;
  cache->wait = standing->wait;
  mark_made(model, cache);
}

static double step_of(const world_model *model, const stability_cache *limits) {
  return fmin(limits->stable_step[model->integrator], limits->rotor_step[model->integrator]);
}

msd_result stability_stable_step(world_model *model, stability_cache *cache, incremental_bounds *bounds,
                                 const analysis_whole *whole, double *step) {
  const limits_owner owner = {model, bounds, whole};
  stability_cache now;
  if (!find_steps(&owner, model, &model->memory, cache, &now))
    return report_fail(&model->report, MSD_OUT_OF_MEMORY,
                       "no memory to find the stable time step of %d particles and %d rotors",
                       (int)model->particles.count, (int)model->rotors.count);
  *cache = now;
  *step = step_of(model, cache);
  return MSD_OK;
}

double stability_known_step(const world_model *model, const stability_cache *cache) {
  const bool is_known =
      is_of_model(model, cache, !constraint_bound_every_shape(model)) && serves(model, cache);
  const double step = is_known ? cache->stable_step[model->integrator] : 0;
  return isfinite(step) ? step : 0;
}

msd_result stability_find_stable_substep(const world_model *model, const stability_cache *cache,
                                         double *step) {
  memory scratch = {.allocator = model->memory.allocator, .limit = model->memory.limit};
  stability_cache now;
  if (!find_steps(NULL, model, &scratch, cache, &now))
    return MSD_OUT_OF_MEMORY;
  *step = step_of(model, &now);
  return MSD_OK;
}

bool stability_limit_certifies(const world_model *model, msd_integrator integrator) {
  return model->clamp_stiffness && integrator == MSD_SYMPLECTIC_EULER;
}

int32_t stability_substeps(double stable_step, double frame) {
  if (!(stable_step > 0))
    return 0;
  const double needed = floor(frame / stable_step) + 1;
  return needed <= STABILITY_SUBSTEPS_MAX ? (int32_t)needed : 0;
}
