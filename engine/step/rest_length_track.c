#include "engine/step/rest_length_track.h"

#include "engine/base/vec3.h"
#include "engine/step/stepper.h"

#include <limits.h>

/* Also sets the length from which damage is measured, if the spring has damage. */
static void set_both(stepper *s, int32_t spring, msd_real rest, msd_real given) {
  if (s->model->springs.damage)
    s->model->springs.damage[spring].given = given;
  damage_set_rest(s, spring, rest);
}

void rest_length_track_set(stepper *s, int32_t spring, msd_real rest) {
  set_both(s, spring, rest, rest);
}

void rest_length_track_begin(stepper *s) {
  const spring_store *springs = &s->model->springs;
  for (int32_t n = 0; n < springs->moves.count; n++) {
    rest_move *move = &springs->moves.items[n];
    move->from = springs->rest[move->spring];
    move->given = springs->damage ? springs->damage[move->spring].given : move->from;
  }
}

int substeps_until_rest_lengths(const stepper *s) {
  return s->model->springs.moves.count > 0 ? 1 : INT_MAX;
}

/* ----------------------------------------------------------------------------------------- energy balance */

/* Energy e of kernel/energy_meter.h, in J. */
static double energy_of(const world_model *model, int32_t spring) {
  const spring_store *s = &model->springs;
  const particle_store *p = &model->particles;
  const law_terms terms = spring_effective_mass(s, p, spring);
  const law_tuning tuning = law_present(&terms, model->tuned_step, model->clamp_stiffness);
  double unit[3], velocity[3];
  const double error = spring_direction(s, p, spring, unit) - (double)s->rest[spring];
  vec3_components(vec3_subtract(particle_vector(p, VELOCITY_X, s->a[spring]),
                                particle_vector(p, VELOCITY_X, s->b[spring])),
                  velocity);
  const double rate = velocity[0] * unit[0] + velocity[1] * unit[1] + velocity[2] * unit[2];
  const double tau = spring_acts_at(s, spring, error) ? error : 0, b = model->substep * rate;
  const bool acts = spring_acts_at(s, spring, error) &&
                    spring_acts_at(s, spring, tuning.stiffness * error + tuning.damping * rate);
  return 0.5 * tuning.stiffness * tau * (tau - b) - (acts ? 0.25 * tuning.damping * b * rate : 0);
}

/* Energy of a spring and its companion springs, in J. */
static double energy_of_all(const world_model *model, int32_t spring) {
  const spring_store *s = &model->springs;
  double energy = energy_of(model, spring);
  for (int32_t n = 0; n < s->companion_count; n++) {
    const int32_t companion = spring_companion_of(&s->companions[n], spring);
    energy += companion >= 0 ? energy_of(model, companion) : 0;
  }
  return energy;
}

/* The energy change is work from outside: it is added to the balance, so the numerical energy gain is not
   affected. */
static void set_watched(stepper *s, int32_t spring, msd_real rest, msd_real given_rest) {
  const double before = energy_of_all(s->model, spring);
  set_both(s, spring, rest, given_rest);
  const double given = energy_of_all(s->model, spring) - before;
  s->limiter.balance += isfinite(given) ? given : 0;
}

/* ------------------------------------------------------------------------------------------ interpolation */

static msd_real part_of(const rest_move *move, int number, int substeps) {
  const double from = (double)move->from, way = (double)move->target - from;
  return number == substeps ? move->target : (msd_real)(from + way * ((double)number / substeps));
}

/* Sets the rest lengths of a substep, counted from 1. Number 0 restores the values before the first one. */
void rest_length_track_go(stepper *s, int number, int substeps) {
  const rest_length_store *moves = &s->model->springs.moves;
  for (int32_t n = 0; n < moves->count; n++) {
    const rest_move *move = &moves->items[n];
    const msd_real rest = number == 0 ? move->from : part_of(move, number, substeps),
                   given = number == 0 ? move->given : rest;
    if (s->model->energy == MSD_ENERGY_OFF)
      set_both(s, move->spring, rest, given);
    else
      set_watched(s, move->spring, rest, given);
  }
}

void rest_length_track_end(stepper *s, int done, int substeps) {
  rest_length_track_go(s, done, substeps);
  s->model->springs.moves.count = 0;
}
