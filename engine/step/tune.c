/* Stiffness and damping of everything, where the kernels read them. */

#include "engine/step/stepper.h"

/* Physical springs without a limit keep theirs at any step. */
msd_result stepper_tune_springs(stepper *s, double substep) {
  const world_model *model = s->model;
  const revision now = revision_of_tuning(&model->revision, substep);
  if (revision_holds(&s->tuned_for, now))
    return MSD_OK;
  const network_source source = network_source_of(model);
  bool follows_step = model->limit != MSD_LIMIT_NONE;
  s->tuned_for = (revision){0};
  s->guard.is_damped = false;
  network_begin_tuning(&s->network);
  for (int32_t e = 0; e < model->springs.count; e++) {
    const law_terms terms = spring_split(&model->springs, &model->particles, e);
    if (terms.share == 0) /* broken, or between two pins */
      continue;
    const law_tuning tuning = law_tune(&terms, substep, model->limit);
    if (!network_set_tuning(&s->network, &s->model->memory, &source, e, (msd_real)tuning.stiffness,
                            (msd_real)tuning.damping))
      return report_fail(&s->model->report, MSD_OUT_OF_MEMORY,
                         "no memory for the stiffness and damping of %d springs", (int)model->springs.count);
    s->guard.is_damped = s->guard.is_damped || tuning.damping > 0;
    if (terms.mass_ck > 0 || terms.mass_cd > 0)
      follows_step = true;
  }
  for (int32_t i = 0; i < model->particles.count; i++)
    s->network.inverse_mass[particle_slot(&model->particles, i)] = model->particles.inverse_mass[i];
  s->tuned_for = follows_step ? now : revision_of_tuning(&model->revision, 0);
  return MSD_OK;
}

static void tune_constraint_forces(stepper *s, double substep) {
  constraint_forces *f = &s->constraint_forces;
  const revision now = revision_of_constraint_tuning(&s->model->revision, substep);
  if (!stepper_has_forces(s) || revision_holds(&f->tuned_for, now))
    return;
  constraint_forces_tune(f, &s->model->constraints, &s->model->particles, substep, s->model->limit);
  f->tuned_for = now;
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
                           s->model->limit);
}

void stepper_tune_constraints(stepper *s, double substep) {
  tune_constraint_forces(s, substep);
  tune_impulses(s, substep);
}
