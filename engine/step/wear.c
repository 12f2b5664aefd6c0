#include "engine/step/wear.h"

#include "engine/step/split.h"
#include "engine/step/stepper.h"

#include <limits.h>
#include <math.h>

void wear_work_free(wear_work *w, memory *m) {
  memory_release(m, w->length);
  *w = (wear_work){0};
}

/* ------------------------------------------------------------------------- springs and those that back them */

/* Of the rest length of what it backs; a number may not become infinite. */
static msd_real backing_rest(const spring_backing *b, msd_real rest) {
  const msd_real product = rest * b->ratio;
  return isfinite(product) ? product : rest;
}

static void set_rest(stepper *s, int32_t spring, msd_real rest) {
  spring_store *springs = &s->model->springs;
  springs->rest[spring] = rest;
  stepper_set_rest(s, spring, spring_is_broken(springs, spring) ? -1 : rest);
}

/* Nothing backs what backs another. */
void wear_set_rest(stepper *s, int32_t spring, msd_real rest) {
  const spring_store *springs = &s->model->springs;
  set_rest(s, spring, rest);
  for (int32_t n = 0; n < springs->backing_count; n++) {
    const int32_t backing = spring_backing_of(&springs->backings[n], spring);
    if (backing >= 0)
      set_rest(s, backing, backing_rest(&springs->backings[n], rest));
  }
}

/* What shares the masses of its ends has more of them. */
static void note_broken(world_model *model, int32_t spring) {
  const bool relaxes = spring_mass_followers(&model->springs) == 0;
  model_note_change(model, change_of_particle(model->springs.a[spring]), relaxes);
  model_note_change(model, change_of_particle(model->springs.b[spring]), relaxes);
}

static void break_one(stepper *s, int32_t spring, bool is_torn) {
  spring_store *springs = &s->model->springs;
  if (spring_is_broken(springs, spring))
    return;
  model_wake_spring(s->model, spring);
  if (is_torn) {
    spring_mark_torn(springs, spring);
  } else {
    spring_mark_broken(springs, &s->model->particles, spring);
    note_broken(s->model, spring);
  }
  stepper_set_rest(s, spring, -1);
}

void wear_break(stepper *s, int32_t spring, bool is_torn) {
  const spring_store *springs = &s->model->springs;
  break_one(s, spring, is_torn);
  for (int32_t n = 0; n < springs->backing_count; n++) {
    const int32_t backing = spring_backing_of(&springs->backings[n], spring);
    if (backing >= 0)
      break_one(s, backing, is_torn);
  }
}

/* ----------------------------------------------------------------------- lengths in the course of a step */

/* A catch holds its length, whatever it was before. What sleeps does not wear. */
static bool may_wear(const world_model *model, int32_t spring) {
  const spring_store *s = &model->springs;
  return s->wear[spring].given > 0 && !spring_is_broken(s, spring) && !spring_is_catch(s, spring) &&
         !sleep_has(&model->sleep, s->a[spring]);
}

/* A strut does not pull. */
static bool may_tear(const world_model *model, int32_t spring) {
  const spring_store *s = &model->springs;
  return s->wear[spring].tear > 0 && may_wear(model, spring) && spring_side(s, spring) != MSD_SPRING_STRUT;
}

static bool may_yield(const world_model *model, int32_t spring) {
  return model->springs.wear[spring].yield > 0 && may_wear(model, spring);
}

/* What is counted in a rest value of 0 does not. */
static bool constraint_may_yield(const world_model *model, int32_t constraint) {
  const constraint_store *s = &model->constraints;
  return s->wear[constraint].yield > 0 && constraint_wear_unit(s, constraint) > 0 &&
         !constraint_is_broken(s, constraint) &&
         !sleep_has(&model->sleep, constraint_corners_of(s, constraint).particles[0]);
}

static bool reserve_lengths(wear_work *w, memory *m, int32_t springs) {
  if (springs <= w->room)
    return true;
  double *larger = memory_replace(m, w->length, (size_t)springs * sizeof *larger);
  if (!larger)
    return false;
  w->length = larger;
  w->room = springs;
  return true;
}

msd_result wear_begin_step(stepper *s) {
  const spring_store *springs = &s->model->springs;
  const constraint_store *constraints = &s->model->constraints;
  wear_work *w = &s->wear;
  w->samples = 0;
  w->tearable = 0;
  w->springs_yield = w->constraints_yield = false;
  for (int32_t e = 0; springs->wear && e < springs->count; e++) {
    w->tearable += may_tear(s->model, e);
    w->springs_yield = w->springs_yield || may_yield(s->model, e);
  }
  for (int32_t c = 0; constraints->wear && c < constraints->count && !w->constraints_yield; c++)
    w->constraints_yield = constraint_may_yield(s->model, c);
  if (w->tearable == 0 || reserve_lengths(w, &s->model->memory, springs->count))
    return MSD_OK;
  return report_fail(&s->model->report, MSD_OUT_OF_MEMORY, "no memory for the lengths of %d springs",
                     (int)springs->count);
}

/* Two moments that follow each other in the middle of the step and two at its end: a mode at the limit of the
   time step has opposite signs in the two. */
enum { MOMENTS = 4 };

bool wear_is_sampled(const stepper *s, int done, int substeps) {
  if (s->wear.tearable == 0)
    return false;
  const int middle = substeps / 2;
  return substeps <= MOMENTS || done == middle - 1 || done == middle || done >= substeps - 1;
}

int wear_distance(const stepper *s, int done, int substeps) {
  const int moments[MOMENTS] = {substeps / 2 - 1, substeps / 2, substeps - 1, substeps};
  if (s->wear.tearable == 0)
    return INT_MAX;
  for (int n = 0; n < MOMENTS && substeps > MOMENTS; n++)
    if (moments[n] > done)
      return moments[n] - done;
  return 1;
}

static double length_of(const world_model *model, int32_t spring) {
  double apart[3];
  return particle_distance(&model->particles, model->springs.a[spring], model->springs.b[spring], apart);
}

/* Each spring by one thread. */
static void sample(void *context, int thread, int threads) {
  const stepper *s = context;
  const spring_store *springs = &s->model->springs;
  const parallel_range own = parallel_split(springs->count, thread, threads);
  for (int32_t e = own.first; e < own.last; e++)
    if (may_tear(s->model, e))
      s->wear.length[e] = (s->wear.samples > 0 ? s->wear.length[e] : 0) + length_of(s->model, e);
}

void wear_sample(stepper *s) {
  parallel_run(&s->model->tasks, stepper_threads(s), sample, s);
  s->wear.samples++;
}

/* ------------------------------------------------------------------------------------------ at its end */

static bool tears(const stepper *s, int32_t spring) {
  const spring_store *springs = &s->model->springs;
  const wear_rule *w = &springs->wear[spring];
  return s->wear.samples > 0 && may_tear(s->model, spring) &&
         s->wear.length[spring] > s->wear.samples * ((double)w->tear * (double)w->given);
}

/* Whether a spring has another rest length than before. A number may not become infinite. */
static bool yield(stepper *s, int32_t spring) {
  const spring_store *springs = &s->model->springs;
  const wear_rule *w = &springs->wear[spring];
  const double rest = (double)springs->rest[spring], given = (double)w->given;
  const double error = length_of(s->model, spring) - rest;
  if (!spring_acts_at(springs, spring, error))
    return false;
  const msd_real taken = (msd_real)(rest + wear_rule_flow(w, given, rest - given, error));
  if (!isfinite(taken) || taken == springs->rest[spring])
    return false;
  wear_set_rest(s, spring, taken);
  return true;
}

/* The same of a constraint. A fold goes on through pi. */
static bool constraint_yield(stepper *s, int32_t constraint) {
  constraint_store *constraints = &s->model->constraints;
  const double error = constraint_measure(constraints, &s->model->particles, constraint).error;
  const double flow =
      wear_rule_flow(&constraints->wear[constraint], constraint_wear_unit(constraints, constraint),
                     constraint_set(constraints, constraint), error);
  const msd_real wanted = (msd_real)((double)constraints->rest[constraint] + flow);
  if (!isfinite(wanted) || wanted == constraints->rest[constraint])
    return false;
  constraints->rest[constraint] = constraint_kind_rest(constraint_kind_of(constraints, constraint), wanted);
  stepper_set_constraint_rest(s, constraint, constraints->rest[constraint]);
  return true;
}

/* Each constraint by one thread: nothing backs it. */
static void yield_constraints(void *context, int thread, int threads) {
  stepper *s = context;
  const constraint_store *constraints = &s->model->constraints;
  const parallel_range own = parallel_split(constraints->count, thread, threads);
  for (int32_t c = own.first; c < own.last; c++)
    if (constraint_may_yield(s->model, c) && constraint_yield(s, c))
      atomic_store_explicit(&s->wear.has_yielded, true, memory_order_relaxed);
}

static double mean_length(const stepper *s, int32_t spring) {
  return s->wear.length[spring] / s->wear.samples;
}

static bool tears_by_split(const stepper *s, int32_t spring) {
  return s->model->springs.wear && s->model->springs.wear[spring].splits > 0 && tears(s, spring);
}

/* What gets shorter is being let go, as a spring is whose end has just been split. */
static bool is_due(const stepper *s, int32_t spring) {
  static const double HELD = 0.999;
  return tears_by_split(s, spring) && length_of(s->model, spring) >= HELD * mean_length(s, spring);
}

/* Those that are due to split, with room for all that comes of it. */
static msd_result list_splits(stepper *s, double certified, splits *due) {
  const spring_store *springs = &s->model->springs;
  int32_t count = 0;
  for (int32_t e = 0; s->wear.tearable > 0 && e < springs->count; e++)
    count += is_due(s, e);
  const msd_result result = splits_open(due, s, count, certified);
  if (result != MSD_OK || count == 0)
    return result;
  for (int32_t e = 0; e < springs->count; e++)
    if (is_due(s, e))
      splits_add(due, e, mean_length(s, e) / (double)springs->wear[e].given);
  return splits_reserve(due);
}

/* Returns whether one has yielded. */
static bool tear_and_yield(stepper *s, splits *due) {
  const spring_store *springs = &s->model->springs;
  bool has_yielded = false;
  for (int32_t e = 0; (s->wear.tearable > 0 || s->wear.springs_yield) && e < springs->count; e++) {
    if (tears_by_split(s, e))
      continue;
    if (tears(s, e)) {
      wear_break(s, e, true);
      splits_note_torn(due, e);
    } else if (may_yield(s->model, e)) {
      has_yielded = yield(s, e) || has_yielded;
    }
  }
  return has_yielded;
}

/* Only the kinds of changes that have happened are counted: the certificate, and all that is softened or capped
   to it, hold on. Constraints yield before their corners are split. */
msd_result wear_end_step(stepper *s, double certified) {
  splits due;
  const msd_result result = list_splits(s, certified, &due);
  if (result == MSD_OK) {
    atomic_store(&s->wear.has_yielded, tear_and_yield(s, &due));
    if (s->wear.constraints_yield)
      parallel_run(&s->model->tasks, stepper_threads(s), yield_constraints, s);
    splits_apply(&due);
    if (due.has_torn) {
      s->knows_damped = false;
      s->model->revision.tears++;
    }
    s->model->revision.state += due.has_torn || due.has_split || atomic_load(&s->wear.has_yielded);
  }
  splits_close(&due);
  return result;
}
