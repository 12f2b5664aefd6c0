#include "engine/step/rest_motion.h"

#include "engine/base/vec3.h"
#include "engine/step/stepper.h"

#include <limits.h>

/* With the length that it counts as given, if it can wear. */
static void set_both(stepper *s, int32_t spring, msd_real rest, msd_real given) {
  if (s->model->springs.wear)
    s->model->springs.wear[spring].given = given;
  wear_set_rest(s, spring, rest);
}

void rest_motion_set(stepper *s, int32_t spring, msd_real rest) {
  set_both(s, spring, rest, rest);
}

void rest_motion_begin(stepper *s) {
  const spring_store *springs = &s->model->springs;
  for (int32_t n = 0; n < springs->moves.count; n++) {
    rest_move *move = &springs->moves.items[n];
    move->from = springs->rest[move->spring];
    move->given = springs->wear ? springs->wear[move->spring].given : move->from;
  }
}

int rest_motion_distance(const stepper *s) {
  return s->model->springs.moves.count > 0 ? 1 : INT_MAX;
}

/* ------------------------------------------------------------------------------ the account of the energy */

/* J: e of kernel/spring_watch.h. */
static double energy_of(const world_model *model, int32_t spring) {
  const spring_store *s = &model->springs;
  const particle_store *p = &model->particles;
  const law_terms terms = spring_split(s, p, spring);
  const law_tuning tuning = law_present(&terms, model->tuned_step, model->limit);
  double unit[3], velocity[3];
  const double error = spring_direction(s, p, spring, unit) - (double)s->rest[spring];
  vec3_components(vec3_subtract(particle_vector(p, VELOCITY_X, s->a[spring]),
                                particle_vector(p, VELOCITY_X, s->b[spring])),
                  velocity);
  const double rate = velocity[0] * unit[0] + velocity[1] * unit[1] + velocity[2] * unit[2];
  const double tau = spring_acts_at(s, spring, error) ? error : 0, b = model->tuned_step * rate;
  const bool acts = spring_acts_at(s, spring, error) &&
                    spring_acts_at(s, spring, tuning.stiffness * error + tuning.damping * rate);
  return 0.5 * tuning.stiffness * tau * (tau - b) - (acts ? 0.25 * tuning.damping * b * rate : 0);
}

/* With what backs it. */
static double energy_of_all(const world_model *model, int32_t spring) {
  const spring_store *s = &model->springs;
  double energy = energy_of(model, spring);
  for (int32_t n = 0; n < s->backing_count; n++) {
    const int32_t backing = spring_backing_of(&s->backings[n], spring);
    energy += backing >= 0 ? energy_of(model, backing) : 0;
  }
  return energy;
}

/* What it does to the springs comes from outside: the balance takes it up, so that what the steps make is
   measured on. */
static void set_watched(stepper *s, int32_t spring, msd_real rest, msd_real given_rest) {
  const double before = energy_of_all(s->model, spring);
  set_both(s, spring, rest, given_rest);
  const double given = energy_of_all(s->model, spring) - before;
  s->guard.balance += isfinite(given) ? given : 0;
}

/* --------------------------------------------------------------------------------------------- on their way */

static msd_real part_of(const rest_move *move, int number, int substeps) {
  const double from = (double)move->from, way = (double)move->target - from;
  return number == substeps ? move->target : (msd_real)(from + way * ((double)number / substeps));
}

/* At number 0 all is as it was before the first. */
void rest_motion_go(stepper *s, int number, int substeps) {
  const rest_move_store *moves = &s->model->springs.moves;
  for (int32_t n = 0; n < moves->count; n++) {
    const rest_move *move = &moves->items[n];
    const msd_real rest = number == 0 ? move->from : part_of(move, number, substeps),
                   given = number == 0 ? move->given : rest;
    if (s->model->energy == MSD_ENERGY_PLAIN)
      set_both(s, move->spring, rest, given);
    else
      set_watched(s, move->spring, rest, given);
  }
}

void rest_motion_end(stepper *s, int done, int substeps) {
  rest_motion_go(s, done, substeps);
  s->model->springs.moves.count = 0;
}
