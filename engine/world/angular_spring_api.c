/* The public functions of msd/rotor.h about angular springs: what they check, and what they touch. */

#include "engine/base/float_environment.h"
#include "engine/world/world.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

law_tuning angular_spring_present_tuning(const world_model *model, int32_t spring) {
  const law_terms terms = angular_spring_split(&model->angular_springs, &model->rotors, spring);
  return law_present(&terms, model->tuned_step, model->limit);
}

msd_angular_spring_def msd_default_angular_spring_def(void) {
  return (msd_angular_spring_def){.a = -1,
                                  .b = MSD_FRAME,
                                  .rest_angle = (double)MSD_AS_PLACED,
                                  .law = MSD_SPRING_PHYSICAL,
                                  .ck = MSD_STIFFEST,
                                  .cd = MSD_STIFFEST,
                                  .cookie = MSD_ANGULAR_SPRING_COOKIE};
}

static msd_result check_law(msd_world *world, const msd_angular_spring_def *def, int index) {
  if (def->cookie != MSD_ANGULAR_SPRING_COOKIE)
    return world_fail(world, MSD_BAD_DEF,
                      "angular spring %d: the definition was not made by msd_default_angular_spring_def",
                      index);
  char place[40];
  snprintf(place, sizeof place, "angular spring %d: ", index);
  return law_check(&world->model.report, LAW_FIELDS(def), place);
}

static double placed_angle(const msd_world *world, int32_t a, int32_t b) {
  const double *angle = world->model.rotors.angle;
  return angle[a] - (b >= 0 ? angle[b] : 0);
}

static msd_result check_rest(msd_world *world, int32_t a, int32_t b, double rest, const char *what,
                             int index) {
  if (rest == (double)MSD_AS_PLACED && !isfinite(placed_angle(world, a, b)))
    return world_fail(world, MSD_BAD_VALUE, "%s %d: the angle between rotors %d and %d is not finite", what,
                      index, (int)a, (int)b);
  if (!isfinite(rest))
    return world_fail(world, MSD_BAD_VALUE, "%s %d: rest_angle is %g; it must be finite", what, index, rest);
  return MSD_OK;
}

static double rest_of(const msd_world *world, int32_t a, int32_t b, double rest) {
  return rest == (double)MSD_AS_PLACED ? placed_angle(world, a, b) : rest;
}

static msd_result check_def(msd_world *world, const msd_angular_spring_def *def, int index) {
  const msd_result result = check_law(world, def, index);
  if (result != MSD_OK)
    return result;
  const int32_t count = world->model.rotors.count;
  if (def->a < 0 || def->a >= count || def->b < MSD_FRAME || def->b >= count)
    return world_fail(world, MSD_BAD_INDEX,
                      "angular spring definition %d: ends %d and %d; the world has %d rotors, and b may be "
                      "MSD_FRAME",
                      index, (int)def->a, (int)def->b, (int)count);
  if (def->a == def->b)
    return world_fail(world, MSD_BAD_INDEX, "angular spring definition %d: both ends are rotor %d", index,
                      (int)def->a);
  return check_rest(world, def->a, def->b, def->rest_angle, "angular spring definition", index);
}

static void count_ends(msd_world *world, int32_t spring, int32_t change) {
  const angular_spring_store *s = &world->model.angular_springs;
  world->model.rotors.valence[s->a[spring]] += change;
  if (s->b[spring] >= 0)
    world->model.rotors.valence[s->b[spring]] += change;
  world->model.revision.rotors++;
}

msd_result msd_add_angular_springs(msd_world *world, const msd_angular_spring_def *defs, int count,
                                   int32_t *first) {
  DEFAULT_FLOAT_ENVIRONMENT;
  if (!world)
    return MSD_BAD_VALUE;
  if (count < 0 || (count > 0 && !defs))
    return world_fail(world, MSD_BAD_VALUE, "msd_add_angular_springs: count is %d and defs %s", count,
                      defs ? "set; count must be 0 or more" : "NULL");
  for (int i = 0; i < count; i++) {
    const msd_result result = check_def(world, &defs[i], i);
    if (result != MSD_OK)
      return result;
  }
  const msd_result result = rotor_reserve(world, 0, count);
  if (result != MSD_OK)
    return result;
  angular_spring_store *s = &world->model.angular_springs;
  if (first)
    *first = s->count;
  for (int i = 0; i < count; i++) {
    const int32_t spring = s->count++;
    s->a[spring] = defs[i].a;
    s->b[spring] = defs[i].b;
    s->laws[spring] = law_read(LAW_FIELDS(&defs[i]));
    s->is_broken[spring] = false;
    s->rest[spring] = rest_of(world, defs[i].a, defs[i].b, defs[i].rest_angle);
    s->given[spring] = 0;
    count_ends(world, spring, 1);
  }
  return MSD_OK;
}

int32_t msd_world_get_angular_spring_count(const msd_world *world) {
  return world ? world->model.angular_springs.count : 0;
}

static bool is_spring(const msd_world *world, int32_t spring) {
  return world && spring >= 0 && spring < world->model.angular_springs.count;
}

/* Keeps the message when not. */
static bool is_known(msd_world *world, int32_t spring) {
  if (world && !is_spring(world, spring))
    world_fail(world, MSD_BAD_INDEX, "there is no angular spring %d; the world has %d", (int)spring,
               (int)world->model.angular_springs.count);
  return is_spring(world, spring);
}

msd_angular_spring_def msd_angular_spring_get_def(const msd_world *world, int32_t spring) {
  msd_angular_spring_def def = msd_default_angular_spring_def();
  if (!is_spring(world, spring))
    return def;
  const angular_spring_store *s = &world->model.angular_springs;
  def.a = s->a[spring];
  def.b = s->b[spring];
  def.rest_angle = s->rest[spring];
  LAW_WRITE(&def, s->laws[spring]);
  return def;
}

msd_result msd_angular_spring_set_law(msd_world *world, int32_t spring, const msd_angular_spring_def *def) {
  if (!is_known(world, spring))
    return MSD_BAD_INDEX;
  if (!def)
    return world_fail(world, MSD_BAD_DEF, "angular spring %d: the definition is NULL", (int)spring);
  const msd_result result = check_law(world, def, (int)spring);
  if (result != MSD_OK)
    return result;
  world->model.angular_springs.laws[spring] = law_read(LAW_FIELDS(def));
  world->model.revision.rotors++;
  return MSD_OK;
}

msd_result msd_angular_spring_set_rest_angle(msd_world *world, int32_t spring, double rest_angle) {
  DEFAULT_FLOAT_ENVIRONMENT;
  if (!is_known(world, spring))
    return MSD_BAD_INDEX;
  angular_spring_store *s = &world->model.angular_springs;
  const msd_result result =
      check_rest(world, s->a[spring], s->b[spring], rest_angle, "angular spring", (int)spring);
  if (result != MSD_OK)
    return result;
  s->rest[spring] = rest_of(world, s->a[spring], s->b[spring], rest_angle);
  return MSD_OK;
}

msd_result msd_angular_spring_break(msd_world *world, int32_t spring) {
  if (!is_known(world, spring))
    return MSD_BAD_INDEX;
  if (angular_spring_is_broken(&world->model.angular_springs, spring))
    return MSD_OK;
  world->model.angular_springs.is_broken[spring] = true;
  count_ends(world, spring, -1);
  return MSD_OK;
}

bool msd_angular_spring_is_broken(const msd_world *world, int32_t spring) {
  return is_spring(world, spring) && angular_spring_is_broken(&world->model.angular_springs, spring);
}

double msd_angular_spring_get_torque(const msd_world *world, int32_t spring) {
  DEFAULT_FLOAT_ENVIRONMENT;
  if (!is_spring(world, spring))
    return 0;
  const angular_spring_store *s = &world->model.angular_springs;
  const law_tuning tuning = angular_spring_present_tuning(&world->model, spring);
  return tuning.stiffness * angular_spring_error(s, spring, world->model.rotors.angle) +
         tuning.damping * angular_spring_rate(s, spring, world->model.rotors.velocity);
}
