#include "engine/step/balance_changes.h"

#include "engine/base/vec3.h"
#include "engine/step/stepper.h"

#include <math.h>

energy_terms energy_terms_of_spring(const world_model *model, int32_t spring) {
  const spring_store *s = &model->springs;
  const particle_store *p = &model->particles;
  if (!spring_moves(s, p, spring))
    return (energy_terms){0, 0};
  const law_terms terms = spring_effective_mass(s, p, spring);
  const law_tuning tuning = law_present(&terms, model->tuned_step, model->clamp_stiffness);
  double unit[3], velocity[3];
  const double error = spring_direction(s, p, spring, unit) - (double)s->rest[spring];
  vec3_components(vec3_subtract(particle_vector(p, VELOCITY_X, s->a[spring]),
                                particle_vector(p, VELOCITY_X, s->b[spring])),
                  velocity);
  const double rate = velocity[0] * unit[0] + velocity[1] * unit[1] + velocity[2] * unit[2];
  const double pull = spring_acts_at(s, spring, error) ? tuning.stiffness * error : 0;
  const bool is_damped = spring_acts_at(s, spring, error) &&
                         spring_acts_at(s, spring, tuning.stiffness * error + tuning.damping * rate);
  return (energy_terms){0.5 * pull * error,
                        0.5 * pull * rate + (is_damped ? 0.25 * tuning.damping * rate * rate : 0)};
}

energy_terms energy_terms_of_constraint(const world_model *model, int32_t constraint) {
  const constraint_store *s = &model->constraints;
  if (constraint_is_broken(s, constraint))
    return (energy_terms){0, 0};
  const constraint_shape shape = constraint_measure(s, &model->particles, constraint);
  const law_tuning tuning = constraint_present_tuning(s, &model->particles, constraint, &shape,
                                                      model->tuned_step, model->clamp_stiffness);
  const double pull = tuning.stiffness * shape.error;
  return (energy_terms){0.5 * pull * shape.error,
                        0.5 * pull * shape.rate + 0.25 * tuning.damping * shape.rate * shape.rate};
}

revision balance_revision_of_springs(const stepper *s) {
  const bool follows = s->tuned_for.step > 0 || stepper_scales_masses(s);
  return revision_of_energy(&s->model->revision, follows ? s->model->tuned_step : 1);
}

revision balance_revision_of_constraints(const stepper *s) {
  const bool follows = s->constraint_forces.follows_step;
  return revision_of_energy(&s->model->revision, follows ? s->model->tuned_step : 1);
}

/* True if the balance of constraints follows changes. */
static bool follows_constraints(const stepper *s) {
  return stepper_has_account(s) && s->account.is_active && s->model->energy >= MSD_ENERGY_BOUNDED;
}

static bool continues(const energy_limiter *g, revision now) {
  return !g->is_lost && revision_holds(&g->made_for, now);
}

static void add_to(double *sum, double change) {
  *sum += isfinite(change) ? change : 0;
}

void balance_note_substep(stepper *s, double last) {
  const world_model *model = s->model;
  const double longer = last > 0 ? model->substep - last : 0;
  double springs = 0, constraints = 0;
  if (longer == 0)
    return;
  if (stepper_is_watched(s) && !continues(&s->limiter, balance_revision_of_springs(s)))
    for (int32_t e = 0; e < model->springs.count; e++)
      springs += energy_terms_of_spring(model, e).lag;
  if (follows_constraints(s) && !continues(&s->account.limiter, balance_revision_of_constraints(s)))
    for (int32_t c = 0; c < model->constraints.count; c++)
      constraints += energy_terms_of_constraint(model, c).lag;
  add_to(&s->limiter.made, -longer * springs);
  add_to(&s->account.limiter.made, -longer * constraints);
}

static double energy_at_substep(const world_model *model, energy_terms e) {
  return e.elastic - model->substep * e.lag;
}

/* What the springs still have beyond E and the G that the limiter shows, if its last substep was limited. */
static void close(energy_limiter *g, double energy) {
  const double withheld = energy - g->balance - g->made;
  if (isfinite(withheld))
    g->withheld = fmax(withheld, 0);
}

void balance_close(stepper *s) {
  const world_model *model = s->model;
  double springs = 0, constraints = 0;
  if (stepper_is_watched(s) && s->limiter.withheld > 0) {
    for (int32_t e = 0; e < model->springs.count; e++)
      springs += energy_at_substep(model, energy_terms_of_spring(model, e));
    close(&s->limiter, springs);
  }
  if (follows_constraints(s) && s->account.limiter.withheld > 0) {
    for (int32_t c = 0; c < model->constraints.count; c++)
      constraints += energy_at_substep(model, energy_terms_of_constraint(model, c));
    close(&s->account.limiter, constraints);
  }
}

/* --------------------------------------------------------------------------------------------- moving pins */

static bool is_moving(const particle_store *p, int32_t particle) {
  return particle >= 0 && p->move_of[particle] > 0;
}

static double springs_at_pins(const world_model *model) {
  const spring_store *s = &model->springs;
  double sum = 0;
  for (int32_t e = 0; e < s->count; e++)
    if (is_moving(&model->particles, s->a[e]) || is_moving(&model->particles, s->b[e]))
      sum += energy_at_substep(model, energy_terms_of_spring(model, e));
  return sum;
}

static double constraints_at_pins(const world_model *model) {
  const constraint_store *s = &model->constraints;
  double sum = 0;
  for (int32_t c = 0; c < s->count; c++) {
    const constraint_corners corners = constraint_corners_of(s, c);
    bool some = false;
    for (int32_t n = 0; n < corners.count && !some; n++)
      some = is_moving(&model->particles, corners.particles[n]);
    if (some)
      sum += energy_at_substep(model, energy_terms_of_constraint(model, c));
  }
  return sum;
}

pin_balance balance_before_pins(const stepper *s) {
  pin_balance b = {0};
  if (s->model->particles.move_count == 0)
    return b;
  b.has_springs = stepper_is_watched(s) && continues(&s->limiter, balance_revision_of_springs(s));
  b.has_constraints =
      follows_constraints(s) && continues(&s->account.limiter, balance_revision_of_constraints(s));
  b.springs = b.has_springs ? springs_at_pins(s->model) : 0;
  b.constraints = b.has_constraints ? constraints_at_pins(s->model) : 0;
  return b;
}

void balance_after_pins(stepper *s, const pin_balance *before) {
  if (before->has_springs) {
    add_to(&s->limiter.balance, springs_at_pins(s->model) - before->springs);
    s->limiter.made_for = balance_revision_of_springs(s);
  }
  if (before->has_constraints) {
    add_to(&s->account.limiter.balance, constraints_at_pins(s->model) - before->constraints);
    s->account.limiter.made_for = balance_revision_of_constraints(s);
  }
}
