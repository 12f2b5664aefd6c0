/* Computes the stiffness and damping of springs and constraints for the substep length, in the arrays that the
   kernels read. It runs once per frame, after the number of substeps has been chosen and before the first
   substep. Coefficients are computed again only if their inputs have changed. */

#include "engine/step/stepper.h"

/* State of one pass over the springs. */
typedef struct tuning_run {
  stepper *stepper;
  network_source source;
  /* In s. */
  double substep;
  /* Whether some coefficient depends on the substep length; whether some spring is damped. */
  bool follows_step, is_damped;
} tuning_run;

/* Returns false for springs that are broken or between two pins; they keep their coefficients. */
static bool find_tuning(tuning_run *run, int32_t spring, law_tuning *tuning) {
  const world_model *model = run->stepper->model;
  const law own = spring_law(&model->springs, spring);
  if (!spring_moves(&model->springs, &model->particles, spring))
    return false;
  *tuning = (law_tuning){(double)own.first, (double)own.second, false};
  if (!law_is_plain(own, model->clamp_stiffness)) {
    const law_terms terms = spring_effective_mass(&model->springs, &model->particles, spring);
    *tuning = law_tune(&terms, run->substep, model->clamp_stiffness);
    run->follows_step = run->follows_step || terms.mass_ck > 0 || terms.mass_cd > 0;
  }
  run->is_damped = run->is_damped || tuning->damping > 0;
  return true;
}

static bool tune_spring(void *context, int32_t spring) {
  tuning_run *run = context;
  law_tuning tuning;
  return !find_tuning(run, spring, &tuning) ||
         network_set_tuning(&run->stepper->network, &run->stepper->model->memory, &run->source, spring,
                            (msd_real)tuning.stiffness, (msd_real)tuning.damping);
}

static void set_inverse_mass(stepper *s, int32_t particle) {
  const particle_store *p = &s->model->particles;
  s->network.inverse_mass[particle_slot(p, particle)] =
      sleep_has(&s->model->sleep, particle) ? 0 : p->inverse_mass[particle];
}

/* Coefficients of the springs of one thread. is_alike: in each section of the network, these springs have a
   single pair of coefficients. */
typedef struct tuning_share {
  tuning_run run;
  coefficient_class *materials;
  bool is_alike;
} tuning_share;

typedef struct tuning_shares {
  tuning_share *of;
  /* Number of threads. */
  int threads;
  /* Some section has different coefficients, so all threads can stop. */
  atomic_bool is_over;
} tuning_shares;

static void tune_range(void *context, int thread, int threads) {
  tuning_shares *found = context;
  tuning_share own = found->of[thread];
  const stepper *s = own.run.stepper;
  const parallel_range springs = parallel_split(s->model->springs.count, thread, threads);
  law_tuning tuning;
  own.is_alike = true;
  for (int32_t e = springs.first; e < springs.last && own.is_alike; e++) {
    if (find_tuning(&own.run, e, &tuning))
      own.is_alike = network_note_tuning(&s->network, &own.run.source, e, (msd_real)tuning.stiffness,
                                         (msd_real)tuning.damping, own.materials);
    if (atomic_load_explicit(&found->is_over, memory_order_relaxed))
      own.is_alike = false;
  }
  if (!own.is_alike)
    atomic_store_explicit(&found->is_over, true, memory_order_relaxed);
  found->of[thread] = own;
  if (thread == 0)
    found->threads = threads;
}

static bool merge_ranges(tuning_run *run, const tuning_shares *found) {
  network *n = &run->stepper->network;
  bool agree = found->of[0].is_alike;
  for (int t = 1; t < found->threads && agree; t++)
    agree = found->of[t].is_alike && network_join_tuning(n, found->of[t].materials, found->of[0].materials);
  if (!agree)
    return false;
  for (int t = 0; t < found->threads; t++) {
    run->follows_step = run->follows_step || found->of[t].run.follows_step;
    run->is_damped = run->is_damped || found->of[t].run.is_damped;
  }
  network_take_tuning(n, found->of[0].materials);
  return true;
}

/* Minimum average number of springs in a section. It bounds the memory of `materials`, which has an entry for
   each section and thread. */
enum { SPRINGS_OF_PART = 64 };

/* Computes the coefficients on all threads, for a network in which each section has a single pair of them.
   Returns false, with nothing changed, if a section has several or memory runs out. The threads stop once one
   of them has found such a section. */
static bool tune_uniform(tuning_run *run) {
  stepper *s = run->stepper;
  const int threads = stepper_threads(s);
  const size_t parts = (size_t)network_part_count(&s->network);
  if (threads == 1 || parts * SPRINGS_OF_PART > (size_t)s->model->springs.count)
    return false;
  memory *m = &s->model->memory;
  tuning_shares found = {.of = memory_allocate(m, (size_t)threads * sizeof *found.of)};
  coefficient_class *materials = memory_allocate(m, (size_t)threads * parts * sizeof *materials);
  bool done = found.of && materials;
  for (int t = 0; t < threads && done; t++)
    found.of[t] = (tuning_share){*run, materials + (size_t)t * parts, false};
  if (done) {
    parallel_run(&s->model->tasks, threads, tune_range, &found);
    done = merge_ranges(run, &found);
  }
  memory_release(m, found.of);
  memory_release(m, materials);
  return done;
}

/* Computes the coefficients of all springs. Without stiffness clamping, a spring with a stiffness law has the
   same coefficients for any substep length. Returns false if memory runs out. */
static bool tune_all(tuning_run *run) {
  stepper *s = run->stepper;
  run->follows_step = s->model->clamp_stiffness;
  network_begin_tuning(&s->network);
  const bool is_done = tune_uniform(run);
  for (int32_t e = 0; e < s->model->springs.count && !is_done; e++)
    if (!tune_spring(run, e))
      return false;
  for (int32_t i = 0; i < s->model->particles.count; i++)
    set_inverse_mass(s, i);
  s->limiter.is_damped = run->is_damped;
  s->knows_damped = true;
  return true;
}

/* Lists the definitions that have changed since the coefficients were computed. Returns false if all
   coefficients must be computed. That is so with an energy mode, because only tune_all determines is_damped. */
static bool find_changed(const stepper *s, revision now, change_range *changes) {
  const revision made_for = revision_followed(s->tuned_for, &now);
  return s->model->energy == MSD_ENERGY_OFF && revision_holds(&made_for, now) &&
         change_list_since(&s->model->changes, s->tuned_for.definitions, now.definitions, changes);
}

/* Computes the coefficients of changed and added springs only. Afterwards is_damped of the limiter is not
   valid. Returns false if all coefficients must be computed, or memory runs out. */
static bool tune_changed(tuning_run *run, revision now) {
  stepper *s = run->stepper;
  change_range changes;
  if (!find_changed(s, now, &changes))
    return false;
  const incidence *at = model_springs_at(s->model);
  run->follows_step = s->tuned_for.step > 0;
  s->knows_damped = false;
  if (!at || !model_visit_changed(s->model, at, changes, tune_spring, run) ||
      !model_visit_added(s->model, at, s->tuned_springs, tune_spring, run))
    return false;
  for (int32_t i = s->tuned_particles; i < s->model->particles.count; i++)
    set_inverse_mass(s, i);
  for (int32_t c = changes.first; c < changes.end; c++)
    if (s->model->changes.items[c] < 0)
      set_inverse_mass(s, change_of_particle(s->model->changes.items[c]));
  return true;
}

/* Updates the operator of mass scaling, or releases its memory if masses are not scaled. */
static msd_result scale_masses(stepper *s, double substep) {
  const revision now = revision_of_mass_scaling(&s->model->revision, substep);
  if (!stepper_scales_masses(s)) {
    mass_scaling_free(&s->scaling, &s->model->memory);
    return MSD_OK;
  }
  if (revision_holds(&s->scaling.made_for, now))
    return MSD_OK;
  if (!mass_scaling_make(&s->scaling, s->model, substep))
    return report_fail(&s->model->report, MSD_OUT_OF_MEMORY, "no memory to scale the masses of %d particles",
                       (int)s->model->particles.count);
  s->scaling.made_for = now;
  return MSD_OK;
}

static msd_result tune_springs(stepper *s, double substep) {
  const world_model *model = s->model;
  const revision now = revision_of_tuning(&model->revision, substep);
  if (revision_holds(&s->tuned_for, now) && (s->knows_damped || model->energy == MSD_ENERGY_OFF))
    return MSD_OK;
  tuning_run run = {.stepper = s, .source = network_source_of(model), .substep = substep};
  const bool done = tune_changed(&run, now) || tune_all(&run);
  s->tuned_for = (revision){0};
  if (!done)
    return report_fail(&s->model->report, MSD_OUT_OF_MEMORY,
                       "no memory for the stiffness and damping of %d springs", (int)model->springs.count);
  s->tuned_for = run.follows_step ? now : revision_of_tuning(&model->revision, 0);
  s->tuned_particles = model->particles.count;
  s->tuned_springs = model->springs.count;
  return MSD_OK;
}

msd_result stepper_tune_springs(stepper *s, double substep) {
  const msd_result result = tune_springs(s, substep);
  return result == MSD_OK ? scale_masses(s, substep) : result;
}

static void tune_constraint_forces(stepper *s, double substep) {
  constraint_forces *f = &s->constraint_forces;
  const revision now = revision_of_constraint_tuning(&s->model->revision, substep);
  if (!stepper_has_forces(s) || revision_holds(&f->tuned_for, now))
    return;
  constraint_forces_tune(f, &s->model->constraints, &s->model->particles, substep, s->model->clamp_stiffness);
  f->tuned_for = now;
}

/* Coefficients for Gauss-Seidel. Springs with MSD_MAX_STABLE are rigid. */
static projection_tuning projection_tuning_of(const world_model *model, int32_t spring, double substep) {
  const law l = spring_law(&model->springs, spring);
  const law_terms terms = spring_effective_mass(&model->springs, &model->particles, spring);
  const law_tuning tuning = law_tune(&terms, substep, model->clamp_stiffness);
  return (projection_tuning){tuning.stiffness, tuning.damping,
                             law_is(l, MSD_SPRING_COEFFICIENT) && l.first == MSD_MAX_STABLE};
}

static void tune_projections(stepper *s, double substep) {
  spring_projections *plan = &s->projections;
  const revision now = revision_of_tuning(&s->model->revision, substep);
  if (!stepper_projects(s) || revision_holds(&plan->tuned_for, now))
    return;
  plan->is_damped = false;
  for (int32_t n = 0; n < plan->count; n++)
    for (int lane = 0; lane < PROJECTION_LANES; lane++)
      if (plan->blocks[n].index[lane] >= 0)
        spring_projections_tune(plan, &s->network, &plan->blocks[n], lane,
                                projection_tuning_of(s->model, plan->blocks[n].index[lane], substep),
                                substep);
  plan->tuned_for = now;
}

static void tune_impulses(stepper *s, double substep) {
  spring_impulses *plan = &s->spring_impulses;
  const revision now = revision_of_tuning(&s->model->revision, substep);
  const network_source source = network_source_of(s->model);
  if (s->model->integrator != MSD_SEQUENTIAL_IMPULSE)
    return;
  if (!revision_holds(&plan->tuned_for, now))
    spring_impulses_tune(plan, &s->network, &source);
  plan->tuned_for = s->tuned_for;
  constraint_impulses_tune(&s->constraint_impulses, &s->model->constraints, &s->model->particles, substep,
                           s->model->clamp_stiffness);
}

void stepper_tune_constraints(stepper *s, double substep) {
  tune_constraint_forces(s, substep);
  tune_impulses(s, substep);
  tune_projections(s, substep);
}
