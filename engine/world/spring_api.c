/* The public functions of msd/spring.h: what they check, and what they touch. */

#include "engine/base/float_environment.h"
#include "engine/base/vec3.h"
#include "engine/world/world.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

msd_spring_def msd_default_spring_def(void) {
  return (msd_spring_def){.a = -1,
                          .b = -1,
                          .rest_length = -1,
                          .law = MSD_SPRING_PHYSICAL,
                          .ck = MSD_STIFFEST,
                          .cd = MSD_STIFFEST,
                          .cookie = MSD_SPRING_COOKIE};
}

msd_result spring_check_law(report *r, const msd_spring_def *def, const char *place) {
  if ((unsigned)def->side >= MSD_SPRING_SIDE_COUNT)
    return report_fail(r, MSD_BAD_VALUE, "%sside is %d; it must be both, tether or strut", place,
                       (int)def->side);
  return law_check(r, LAW_FIELDS(def), place);
}

/* How the messages about spring `index` begin. */
typedef struct spring_place {
  char text[32];
} spring_place;

static spring_place place_of(int index) {
  spring_place place;
  snprintf(place.text, sizeof place.text, "spring %d: ", index);
  return place;
}

static msd_result check_cookie(msd_world *world, const msd_spring_def *def, int index) {
  if (def->cookie == MSD_SPRING_COOKIE)
    return MSD_OK;
  return world_fail(world, MSD_BAD_DEF, "spring %d: the definition was not made by msd_default_spring_def",
                    index);
}

static double placed_length(const msd_world *world, const msd_spring_def *def) {
  double unit[3];
  return particle_direction(&world->model.particles, def->a, def->b, unit);
}

static msd_result check_spring_def(msd_world *world, const msd_spring_def *def, int index) {
  msd_result result = check_cookie(world, def, index);
  if (result == MSD_OK)
    result = spring_check_law(&world->model.report, def, place_of(index).text);
  if (result != MSD_OK)
    return result;
  const int32_t count = world->model.particles.count;
  if (def->a < 0 || def->a >= count || def->b < 0 || def->b >= count)
    return world_fail(world, MSD_BAD_INDEX,
                      "spring definition %d: ends %d and %d; the world has %d particles", index, (int)def->a,
                      (int)def->b, (int)count);
  if (def->a == def->b)
    return world_fail(world, MSD_BAD_INDEX, "spring definition %d: both ends are particle %d", index,
                      (int)def->a);
  if (!isfinite(def->rest_length))
    return world_fail(world, MSD_BAD_VALUE, "spring definition %d: rest_length is %g; it must be finite",
                      index, (double)def->rest_length);
  if (def->rest_length < 0 && !isfinite((msd_real)placed_length(world, def)))
    return world_fail(world, MSD_BAD_VALUE, "spring definition %d: particles %d and %d are too far apart",
                      index, (int)def->a, (int)def->b);
  return MSD_OK;
}

/* The springs that are to follow the last. */
static msd_result set_laws(msd_world *world, const msd_spring_def *defs, int count) {
  spring_store *s = &world->model.springs;
  for (int i = 0; i < count; i++)
    if (!law_table_set(&s->laws, &world->model.memory, s->count + i, law_read(LAW_FIELDS(&defs[i])),
                       s->count + i, s->capacity))
      return world_fail(world, MSD_OUT_OF_MEMORY, "no memory for the laws of %d springs",
                        (int)s->count + count);
  return MSD_OK;
}

msd_result msd_add_springs(msd_world *world, const msd_spring_def *defs, int count, int32_t *first) {
  DEFAULT_FLOAT_ENVIRONMENT;
  if (!world)
    return MSD_BAD_VALUE;
  if (count < 0 || (count > 0 && !defs))
    return world_fail(world, MSD_BAD_VALUE, "msd_add_springs: count is %d and defs %s", count,
                      defs ? "set; count must be 0 or more" : "NULL");
  for (int i = 0; i < count; i++) {
    const msd_result result = check_spring_def(world, &defs[i], i);
    if (result != MSD_OK)
      return result;
  }
  msd_result result = world_reserve(world, 0, count);
  if (result == MSD_OK)
    result = set_laws(world, defs, count);
  if (result != MSD_OK)
    return result;
  spring_store *s = &world->model.springs;
  if (first)
    *first = s->count;
  for (int i = 0; i < count; i++) {
    const int32_t spring = s->count++;
    s->a[spring] = defs[i].a;
    s->b[spring] = defs[i].b;
    s->side[spring] = (uint8_t)defs[i].side;
    s->one_sided += defs[i].side != MSD_SPRING_BOTH;
    s->rest[spring] =
        defs[i].rest_length < 0 ? (msd_real)placed_length(world, &defs[i]) : defs[i].rest_length;
    world->model.particles.valence[defs[i].a]++;
    world->model.particles.valence[defs[i].b]++;
  }
  if (count > 0)
    world->model.revision.topology++;
  return MSD_OK;
}

static bool is_spring(const msd_world *world, int32_t spring) {
  return world && spring >= 0 && spring < world->model.springs.count;
}

msd_spring_def msd_spring_get_def(const msd_world *world, int32_t spring) {
  msd_spring_def def = msd_default_spring_def();
  if (!is_spring(world, spring))
    return def;
  const spring_store *s = &world->model.springs;
  def.a = s->a[spring];
  def.b = s->b[spring];
  def.rest_length = s->rest[spring];
  def.side = spring_side(s, spring);
  LAW_WRITE(&def, spring_law(s, spring));
  return def;
}

msd_result msd_spring_set_law(msd_world *world, int32_t spring, const msd_spring_def *def) {
  if (!world_has_spring(world, spring))
    return MSD_BAD_INDEX;
  if (!def)
    return world_fail(world, MSD_BAD_DEF, "spring %d: the definition is NULL", (int)spring);
  msd_result result = check_cookie(world, def, (int)spring);
  if (result == MSD_OK)
    result = law_check(&world->model.report, LAW_FIELDS(def), place_of((int)spring).text);
  if (result != MSD_OK)
    return result;
  spring_store *s = &world->model.springs;
  if (!law_table_set(&s->laws, &world->model.memory, spring, law_read(LAW_FIELDS(def)), s->count,
                     s->capacity))
    return world_fail(world, MSD_OUT_OF_MEMORY, "no memory for the law of spring %d", (int)spring);
  world->model.revision.definitions++;
  return MSD_OK;
}

msd_result msd_spring_set_rest_length(msd_world *world, int32_t spring, msd_real rest_length) {
  if (!world_has_spring(world, spring))
    return MSD_BAD_INDEX;
  if (!isfinite(rest_length) || rest_length < 0)
    return world_fail(world, MSD_BAD_VALUE, "%srest_length is %g; it must be finite and 0 or more",
                      place_of((int)spring).text, (double)rest_length);
  world->model.springs.rest[spring] = rest_length;
  stepper_set_rest(&world->stepper, spring,
                   spring_is_broken(&world->model.springs, spring) ? -1 : rest_length);
  return MSD_OK;
}

msd_result msd_spring_break(msd_world *world, int32_t spring) {
  if (!world_has_spring(world, spring))
    return MSD_BAD_INDEX;
  spring_store *s = &world->model.springs;
  if (spring_is_broken(s, spring))
    return MSD_OK;
  s->side[spring] |= SPRING_BROKEN;
  s->broken++;
  world->model.particles.valence[s->a[spring]]--;
  world->model.particles.valence[s->b[spring]]--;
  stepper_set_rest(&world->stepper, spring, -1);
  world->model.revision.definitions++;
  return MSD_OK;
}

bool msd_spring_is_broken(const msd_world *world, int32_t spring) {
  return is_spring(world, spring) && spring_is_broken(&world->model.springs, spring);
}

msd_real msd_spring_get_length(const msd_world *world, int32_t spring) {
  DEFAULT_FLOAT_ENVIRONMENT;
  double unit[3];
  return is_spring(world, spring)
             ? (msd_real)spring_direction(&world->model.springs, &world->model.particles, spring, unit)
             : 0;
}

static law_tuning present_tuning(const msd_world *world, int32_t spring) {
  if (!is_spring(world, spring))
    return (law_tuning){0};
  const law_terms terms = spring_split(&world->model.springs, &world->model.particles, spring);
  return law_present(&terms, world->model.tuned_step, world->model.limit);
}

msd_real msd_spring_get_stiffness(const msd_world *world, int32_t spring) {
  DEFAULT_FLOAT_ENVIRONMENT;
  return (msd_real)present_tuning(world, spring).stiffness;
}

msd_real msd_spring_get_damping(const msd_world *world, int32_t spring) {
  DEFAULT_FLOAT_ENVIRONMENT;
  return (msd_real)present_tuning(world, spring).damping;
}

msd_real msd_spring_get_tension(const msd_world *world, int32_t spring) {
  DEFAULT_FLOAT_ENVIRONMENT;
  if (!is_spring(world, spring))
    return 0;
  const spring_store *s = &world->model.springs;
  const law_tuning tuning = present_tuning(world, spring);
  double unit[3];
  const double length = spring_direction(s, &world->model.particles, spring, unit);
  const msd_vec3 va = particle_vector(&world->model.particles, VELOCITY_X, s->a[spring]);
  const msd_vec3 vb = particle_vector(&world->model.particles, VELOCITY_X, s->b[spring]);
  const double rate = ((double)va.x - (double)vb.x) * unit[0] + ((double)va.y - (double)vb.y) * unit[1] +
                      ((double)va.z - (double)vb.z) * unit[2];
  const double error = length - (double)s->rest[spring];
  const double pull = tuning.stiffness * error + tuning.damping * rate;
  return spring_acts_at(s, spring, error) && spring_acts_at(s, spring, pull) ? (msd_real)pull : 0;
}
