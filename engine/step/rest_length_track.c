#include "engine/step/rest_length_track.h"

#include "engine/step/balance_changes.h"
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

static double energy_of(const world_model *model, int32_t spring) {
  const energy_terms e = energy_terms_of_spring(model, spring);
  return e.elastic - model->substep * e.lag;
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
