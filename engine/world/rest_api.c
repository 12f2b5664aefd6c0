/* The public functions of msd/rest.h: what they refuse, and what they change. */

#include "engine/base/float_environment.h"
#include "engine/rest/rest.h"
#include "engine/store/pieces.h"
#include "engine/world/world.h"

#include <math.h>

msd_rest_def msd_default_rest_def(void) {
  return (msd_rest_def){
      .tolerance = 1e-4, .iterations = 200000, .told_every = 100, .cookie = MSD_REST_COOKIE};
}

/* ------------------------------------------------------------------------------------------ what is refused */

static const subject definition = {"rest definition", -1, NULL};

static msd_result check_def(msd_world *world, const msd_rest_def *def) {
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
  if (def->told_every < 1)
    return report_refuse(r, MSD_BAD_VALUE, definition, "told_every is %d; it must be 1 or more",
                         def->told_every);
  if (!isfinite(def->substep) || def->substep < 0)
    return report_refuse(r, MSD_BAD_VALUE, definition, "substep %g s; it must be finite and 0 or more",
                         def->substep);
  return MSD_OK;
}

static bool law_follows_step(const world_model *model, law own) {
  return law_is(own, MSD_SPRING_COEFFICIENT) || model->limit != MSD_LIMIT_NONE;
}

/* The first whose stiffness is that of a substep, in words; NULL: none. */
static const char *step_follower(const world_model *model, int *index) {
  for (*index = 0; *index < model->springs.count; ++*index)
    if (!spring_is_broken(&model->springs, *index) &&
        law_follows_step(model, spring_law(&model->springs, *index)))
      return "spring";
  for (*index = 0; *index < model->constraints.count; ++*index)
    if (!constraint_is_broken(&model->constraints, *index) &&
        law_follows_step(model, model->constraints.laws[*index]))
      return "constraint";
  for (*index = 0; *index < model->anchors.count; ++*index)
    if (anchor_moves(&model->anchors, &model->particles, *index) &&
        law_follows_step(model, model->anchors.entries[*index].law))
      return "anchor";
  return NULL;
}

static bool has_wind(const msd_wind_def *w) {
  return w->density > 0 && (w->gust > 0 || w->velocity.x != 0 || w->velocity.y != 0 || w->velocity.z != 0);
}

/* What acts without an energy. */
static msd_result check_forces(msd_world *world, const msd_rest_def *def) {
  const world_model *model = &world->model;
  if (model->springs.catches > 0)
    return world_fail(world, MSD_BAD_VALUE,
                      "%d catches, which have no energy to be at rest with; break them, or use tethers",
                      (int)model->springs.catches);
  if (model->angular_springs.count > 0)
    return world_fail(world, MSD_BAD_VALUE, "%d angular springs: rotors are not taken to rest; step them",
                      (int)model->angular_springs.count);
  if (def->ignores_contact || model->surfaces.count == 0)
    return MSD_OK;
  return world_fail(
      world, MSD_BAD_VALUE,
      "%d surfaces%s, which have no energy to be at rest with; step the world, or ignore contact",
      (int)model->surfaces.count, has_wind(&model->wind) ? " in the wind" : "");
}

static msd_result check_substep(msd_world *world, double substep) {
  int index;
  const char *follower = substep > 0 ? NULL : step_follower(&world->model, &index);
  if (!follower)
    return MSD_OK;
  return world_fail(world, MSD_BAD_VALUE,
                    "%s %d is as stiff as the substep makes it, and none was taken yet; set substep",
                    follower, index);
}

static bool has_colliders(const world_model *model) {
  for (int32_t n = 0; n < model->colliders.count; n++)
    if (!model->colliders.entries[n].is_gone)
      return true;
  return false;
}

/* What nothing holds falls for ever, if not on a collider. */
static msd_result check_pieces(msd_world *world, const msd_rest_def *def) {
  world_model *model = &world->model;
  const msd_vec3 g = model->gravity;
  memory *m = &model->memory;
  const int32_t count = model->particles.count;
  if ((g.x == 0 && g.y == 0 && g.z == 0) || (!def->ignores_contact && has_colliders(model)))
    return MSD_OK;
  int32_t loose = 0;
  bool *is_held = memory_allocate_items(m, count, sizeof *is_held);
  memory scratch = {.allocator = m->allocator, .limit = m->limit};
  msd_pieces pieces;
  const bool done = is_held && pieces_find(model, &scratch, NULL, is_held, &pieces);
  while (done && loose < count && is_held[loose])
    loose++;
  memory_release(m, is_held);
  if (!done)
    return world_fail(world, MSD_OUT_OF_MEMORY, "no memory for the pieces of %d particles", (int)count);
  if (loose == count)
    return MSD_OK;
  return world_fail(world, MSD_BAD_VALUE,
                    "particle %d belongs to a piece that nothing holds and gravity pulls; pin or anchor it",
                    (int)loose);
}

/* What begins within a collider has no way out that goes downhill; and what nothing pulls at has no D to be
   moved by, wherever it falls to. */
static msd_result check_touch(msd_world *world, const rest_search *s) {
  const particle_store *p = &world->model.particles;
  const msd_vec3 g = world->model.gravity;
  const bool falls = s->touch.colliders > 0 && (g.x != 0 || g.y != 0 || g.z != 0);
  for (int32_t i = 0; i < p->count; i++) {
    int32_t collider;
    if (p->inverse_mass[i] == 0)
      continue;
    if (rest_touch_distance(&s->touch, s->x[i], &collider) < 0)
      return world_fail(world, MSD_BAD_VALUE,
                        "particle %d is within collider %d; move it out, or ignore contact", (int)i,
                        (int)collider);
    if (falls && s->inverse[i] == 0)
      return world_fail(world, MSD_BAD_VALUE, "nothing pulls at particle %d but gravity; pin or remove it",
                        (int)i);
  }
  return MSD_OK;
}

/* ---------------------------------------------------------------------------------------------- searching */

static bool tell(const msd_rest_def *def, const rest_search *s, double energy_before) {
  return !def->told || def->told((msd_rest_progress){.iteration = s->iterations,
                                                     .energy = energy_before + s->change,
                                                     .acceleration = s->acceleration},
                                 def->context);
}

static void search(rest_search *s, const msd_rest_def *def, msd_rest_report *out) {
  out->energy_before = rest_energy(s, s->x);
  bool goes_on = tell(def, s, out->energy_before);
  while (goes_on && !s->is_stuck && s->acceleration > def->tolerance && s->iterations < def->iterations) {
    const int left = def->iterations - s->iterations;
    rest_go_on(s, left < def->told_every ? left : def->told_every, def->tolerance);
    goes_on = tell(def, s, out->energy_before);
  }
  out->iterations = s->iterations;
  out->returns = s->returns;
  out->converged = s->acceleration <= def->tolerance;
}

static void describe(const rest_search *s, msd_rest_report *out) {
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

/* Where rounding makes more of the energy than the search took of it, the shape stays. */
static void take_shape(msd_world *world, rest_search *s, msd_rest_report *out) {
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
  for (int32_t a = 0; a < world->model.anchors.count; a++)
    world->model.anchors.entries[a].knows_velocity = false;
  sleep_wake_all(&world->model.sleep);
  world->model.revision.state++;
  world->model.revision.positions++;
}

static msd_result relax(msd_world *world, const msd_rest_def *def, msd_rest_report *out) {
  world_model *model = &world->model;
  const double substep = def->substep > 0 ? def->substep : model->tuned_step;
  msd_result result = check_forces(world, def);
  if (result == MSD_OK)
    result = check_substep(world, substep);
  if (result == MSD_OK)
    result = check_pieces(world, def);
  if (result != MSD_OK)
    return result;
  rest_search s;
  if (rest_begin(&s, &model->memory, model, stepper_threads(&world->stepper), substep,
                 !def->ignores_contact)) {
    result = check_touch(world, &s);
    if (result == MSD_OK) {
      search(&s, def, out);
      describe(&s, out);
      take_shape(world, &s, out);
    }
  } else {
    result =
        world_fail(world, MSD_OUT_OF_MEMORY, "no memory to search the rest of %d particles and %d springs",
                   (int)model->particles.count, (int)model->springs.count);
  }
  rest_end(&s, &model->memory);
  return result;
}

msd_result msd_world_relax(msd_world *world, const msd_rest_def *def, msd_rest_report *told) {
  DEFAULT_FLOAT_ENVIRONMENT;
  if (!world_is_open(world))
    return world_say_closed(world);
  msd_rest_report unused, *out = told ? told : &unused;
  *out = (msd_rest_report){.particle = -1};
  msd_result result = check_def(world, def);
  if (result != MSD_OK)
    return result;
  world->is_stepping = true;
  result = relax(world, def, out);
  world->is_stepping = false;
  return result;
}
