/* Public functions of static equilibrium: argument checks, worlds without an equilibrium, and changes of the
   world. */

#include "engine/base/float_environment.h"
#include "engine/equilibrium/equilibrium.h"
#include "engine/store/components.h"
#include "engine/world/world.h"

#include <math.h>

msd_equilibrium_def msd_default_equilibrium_def(void) {
  return (msd_equilibrium_def){
      .tolerance = 1e-4, .iterations = 200000, .progress_interval = 100, .cookie = MSD_REST_COOKIE};
}

/* ----------------------------------------------------------------------------------------- refused worlds */

static const subject definition = {"equilibrium definition", -1, NULL};

static msd_result check_def(msd_world *world, const msd_equilibrium_def *def) {
  report *r = &world->model.report;
  const msd_result result = check_cookie(r, definition, def ? &def->cookie : NULL, MSD_REST_COOKIE);
  if (result != MSD_OK)
    return result;
  if (!isfinite(def->tolerance) || !(def->tolerance > 0))
    return report_refuse(r, MSD_BAD_VALUE, definition, "tolerance %g m/s^2; it must be finite and above 0",
                         def->tolerance);
  if (def->iterations < 1)
    return report_refuse(r, MSD_BAD_VALUE, definition, "%d iterations; there must be 1 or more",
                         def->iterations);
  if (def->progress_interval < 1)
    return report_refuse(r, MSD_BAD_VALUE, definition, "progress_interval is %d; it must be 1 or more",
                         def->progress_interval);
  if (!isfinite(def->substep) || def->substep < 0)
    return report_refuse(r, MSD_BAD_VALUE, definition, "substep %g s; it must be finite and 0 or more",
                         def->substep);
  return MSD_OK;
}

static bool law_follows_step(const world_model *model, law own) {
  return law_is(own, MSD_SPRING_COEFFICIENT) || model->clamp_stiffness;
}

/* Type of the first object whose stiffness depends on the substep, with its index; NULL: none. */
static const char *step_follower(const world_model *model, int *index) {
  for (*index = 0; *index < model->springs.count; ++*index)
    if (!spring_is_broken(&model->springs, *index) &&
        law_follows_step(model, spring_law(&model->springs, *index)))
      return "spring";
  for (*index = 0; *index < model->constraints.count; ++*index)
    if (!constraint_is_broken(&model->constraints, *index) &&
        law_follows_step(model, model->constraints.laws[*index]))
      return "constraint";
  for (*index = 0; *index < model->soft_pins.count; ++*index)
    if (soft_pin_moves(&model->soft_pins, &model->particles, *index) &&
        law_follows_step(model, model->soft_pins.entries[*index].law))
      return "soft_pin";
  return NULL;
}

static bool has_wind(const msd_wind_def *w) {
  return w->density > 0 &&
         (w->turbulence > 0 || w->velocity.x != 0 || w->velocity.y != 0 || w->velocity.z != 0);
}

/* Refuses forces without an energy. */
static msd_result check_forces(msd_world *world, const msd_equilibrium_def *def) {
  const world_model *model = &world->model;
  if (model->springs.hard_limits > 0)
    return world_fail(
        world, MSD_BAD_VALUE,
        "equilibrium cannot include hard length limits, and the world has %d; remove them, or use "
        "tension-only springs",
        (int)model->springs.hard_limits);
  if (model->torsion_springs.count > 0)
    return world_fail(
        world, MSD_BAD_VALUE,
        "equilibrium cannot include rotors, and the world has %d torsion springs; step it instead",
        (int)model->torsion_springs.count);
  if (def->ignore_contact || model->surfaces.count == 0)
    return MSD_OK;
  return world_fail(world, MSD_BAD_VALUE,
                    "equilibrium cannot include %s; ignore contact, or simulate with linear_damping instead",
                    has_wind(&model->wind) ? "wind or contact between bodies" : "contact between bodies");
}

static msd_result check_substep(msd_world *world, double substep) {
  int index;
  const char *follower = substep > 0 ? NULL : step_follower(&world->model, &index);
  if (!follower)
    return MSD_OK;
  return world_fail(
      world, MSD_BAD_VALUE,
      "the stiffness of %s %d depends on the substep, which is not known before the first step; set substep",
      follower, index);
}

static bool has_colliders(const world_model *model) {
  for (int32_t n = 0; n < model->colliders.count; n++)
    if (!model->colliders.entries[n].is_gone)
      return true;
  return false;
}

/* A component without pins or soft pins falls forever, unless there are colliders. */
static msd_result check_components(msd_world *world, const msd_equilibrium_def *def) {
  world_model *model = &world->model;
  const msd_vec3 g = model->gravity;
  memory *m = &model->memory;
  const int32_t count = model->particles.count;
  if ((g.x == 0 && g.y == 0 && g.z == 0) || (!def->ignore_contact && has_colliders(model)))
    return MSD_OK;
  int32_t loose = 0;
  bool *is_attached = memory_allocate_items(m, count, sizeof *is_attached);
  memory scratch = {.allocator = m->allocator, .limit = m->limit};
  msd_components components;
  const bool done = is_attached && components_find(model, &scratch, NULL, is_attached, &components);
  while (done && loose < count && is_attached[loose])
    loose++;
  memory_release(m, is_attached);
  if (!done)
    return world_fail(world, MSD_OUT_OF_MEMORY, "out of memory for the connected components of %d particles",
                      (int)count);
  if (loose == count)
    return MSD_OK;
  return world_fail(
      world, MSD_BAD_VALUE,
      "particle %d is attached to nothing and would fall for ever; pin it, or give it a soft pin",
      (int)loose);
}

/* A particle that starts inside a collider has no descent direction out of it. A particle without springs has
   no entry in the preconditioner D, so the search cannot move it. */
static msd_result check_touch(msd_world *world, const equilibrium_search *s) {
  const particle_store *p = &world->model.particles;
  const msd_vec3 g = world->model.gravity;
  const bool falls = s->touch.colliders > 0 && (g.x != 0 || g.y != 0 || g.z != 0);
  for (int32_t i = 0; i < p->count; i++) {
    int32_t collider;
    if (p->inverse_mass[i] == 0)
      continue;
    if (collider_set_distance(&s->touch, s->x[i], &collider) < 0)
      return world_fail(world, MSD_BAD_VALUE,
                        "particle %d is inside collider %d; move it out, or ignore contact", (int)i,
                        (int)collider);
    if (falls && s->inverse[i] == 0)
      return world_fail(
          world, MSD_BAD_VALUE,
          "no spring or constraint acts on particle %d, so it would fall for ever; pin or remove it", (int)i);
  }
  return MSD_OK;
}

/* ------------------------------------------------------------------------------------------------- search */

static bool tell(const msd_equilibrium_def *def, const equilibrium_search *s, double energy_before) {
  return !def->progress || def->progress((msd_equilibrium_progress){.iteration = s->iterations,
                                                                    .energy = energy_before + s->change,
                                                                    .acceleration = s->acceleration},
                                         def->context);
}

static void search(equilibrium_search *s, const msd_equilibrium_def *def, msd_equilibrium_report *out) {
  out->energy_before = rest_energy(s, s->x);
  bool goes_on = tell(def, s, out->energy_before);
  while (goes_on && !s->is_stuck && s->acceleration > def->tolerance && s->iterations < def->iterations) {
    const int left = def->iterations - s->iterations;
    rest_go_on(s, left < def->progress_interval ? left : def->progress_interval, def->tolerance);
    goes_on = tell(def, s, out->energy_before);
  }
  out->iterations = s->iterations;
  out->returns = s->returns;
  out->converged = s->acceleration <= def->tolerance;
}

static void describe(const equilibrium_search *s, msd_equilibrium_report *out) {
  const particle_store *p = &s->model->particles;
  out->particle = -1;
  out->acceleration = s->acceleration;
  for (int32_t i = 0; i < p->count; i++) {
    const double force = sqrt(double3_dot(s->force[i], s->force[i]));
    if (p->inverse_mass[i] == 0 || (out->particle >= 0 && force / (double)p->mass[i] < s->acceleration))
      continue;
    out->particle = i;
    out->force = force;
    if (force / (double)p->mass[i] >= s->acceleration)
      break;
  }
}

static msd_vec3 rounded(double3 x) {
  return (msd_vec3){(msd_real)x.x, (msd_real)x.y, (msd_real)x.z};
}

/* Moves the particles to the configuration that the search has found, rounded to msd_real, and sets their
   velocities to 0. If rounding adds more energy than the search has removed, the initial positions are kept. */
static void take_shape(msd_world *world, equilibrium_search *s, msd_equilibrium_report *out) {
  particle_store *p = &world->model.particles;
  for (int32_t i = 0; i < p->count; i++)
    s->trial[i] = vec3_double(rounded(s->x[i]));
  const double energy = rest_energy(s, s->trial);
  out->energy = energy <= out->energy_before ? energy : out->energy_before;
  for (int32_t i = 0; i < p->count; i++) {
    if (p->inverse_mass[i] == 0)
      continue;
    if (energy <= out->energy_before)
      particle_set_vector(p, POSITION_X, i, rounded(s->x[i]));
    particle_set_vector(p, VELOCITY_X, i, (msd_vec3){0, 0, 0});
  }
  for (int32_t a = 0; a < world->model.soft_pins.count; a++)
    world->model.soft_pins.entries[a].knows_velocity = false;
  sleep_wake_all(&world->model.sleep);
  world->model.revision.state++;
  world->model.revision.positions++;
}

static msd_result relax(msd_world *world, const msd_equilibrium_def *def, msd_equilibrium_report *out) {
  world_model *model = &world->model;
  const double substep = def->substep > 0 ? def->substep : model->tuned_step;
  msd_result result = check_forces(world, def);
  if (result == MSD_OK)
    result = check_substep(world, substep);
  if (result == MSD_OK)
    result = check_components(world, def);
  if (result != MSD_OK)
    return result;
  equilibrium_search s;
  if (rest_begin(&s, &model->memory, model, stepper_threads(&world->stepper), substep,
                 !def->ignore_contact)) {
    result = check_touch(world, &s);
    if (result == MSD_OK) {
      search(&s, def, out);
      describe(&s, out);
      take_shape(world, &s, out);
    }
  } else {
    result = world_fail(world, MSD_OUT_OF_MEMORY,
                        "out of memory for the equilibrium of %d particles and %d springs",
                        (int)model->particles.count, (int)model->springs.count);
  }
  rest_end(&s, &model->memory);
  return result;
}

msd_result msd_world_find_equilibrium(msd_world *world, const msd_equilibrium_def *def,
                                      msd_equilibrium_report *told) {
  DEFAULT_FLOAT_ENVIRONMENT;
  if (!world_is_open(world))
    return fail_locked(world);
  msd_equilibrium_report unused, *out = told ? told : &unused;
  *out = (msd_equilibrium_report){.particle = -1};
  msd_result result = check_def(world, def);
  if (result != MSD_OK)
    return result;
  world->is_stepping = true;
  result = relax(world, def, out);
  world->is_stepping = false;
  return result;
}
