#include "engine/store/spring.h"

#include "engine/base/vec3.h"
#include "engine/world/world.h"

#include <stdio.h>
#include <string.h>

size_t spring_store_cost(int64_t capacity) {
  const size_t n = (size_t)capacity;
  return 2 * memory_cost(n * sizeof(int32_t)) + memory_cost(n * sizeof(msd_real)) + memory_cost(n) +
         spring_materials_cost(capacity);
}

void spring_store_free(spring_store *s, memory *m) {
  memory_release(m, s->a);
  memory_release(m, s->b);
  memory_release(m, s->rest);
  memory_release(m, s->side);
  spring_materials_free(&s->materials, m);
  *s = (spring_store){0};
}

bool spring_store_reserve(spring_store *s, memory *m, int64_t capacity) {
  if (capacity <= s->capacity)
    return true;
  const size_t n = (size_t)capacity, reals = n * sizeof(msd_real), indices = n * sizeof(int32_t);
  spring_store larger = {
      .count = s->count,
      .capacity = (int32_t)capacity,
      .broken = s->broken,
      .one_sided = s->one_sided,
      .a = memory_allocate(m, indices),
      .b = memory_allocate(m, indices),
      .rest = memory_allocate(m, reals),
      .side = memory_allocate(m, n),
  };
  if (!larger.a || !larger.b || !larger.rest || !larger.side ||
      !spring_materials_grow(&s->materials, m, s->count, (int32_t)capacity)) {
    spring_store_free(&larger, m);
    return false;
  }
  larger.materials = s->materials;
  s->materials = (spring_materials){0};
  if (s->count) {
    const size_t old = (size_t)s->count;
    memcpy(larger.a, s->a, old * sizeof *s->a);
    memcpy(larger.b, s->b, old * sizeof *s->b);
    memcpy(larger.rest, s->rest, old * sizeof *s->rest);
    memcpy(larger.side, s->side, old * sizeof *s->side);
  }
  spring_store_free(s, m);
  *s = larger;
  return true;
}

spring_terms spring_split(const spring_store *s, const particle_store *p, int32_t spring) {
  const int32_t a = s->a[spring], b = s->b[spring];
  const double wa = (double)p->inverse_mass[a], wb = (double)p->inverse_mass[b];
  if (spring_is_broken(s, spring) || wa + wb == 0)
    return (spring_terms){0};
  const double reduced_mass = 1 / (wa + wb);
  const spring_material material = spring_material_of(s, spring);
  const double first = (double)material.stiffness, second = (double)material.damping;
  spring_terms t = {.share = 1 / (p->valence[a] * wa + p->valence[b] * wb)};
  switch ((msd_spring_law)material.law) {
  case MSD_SPRING_COEFFICIENT:
    t.mass_ck = first < 0 ? t.share : first * reduced_mass;
    t.mass_cd = second < 0 ? t.share : second * reduced_mass;
    break;
  case MSD_SPRING_FREQUENCY: {
    const double angular_frequency = 2 * 3.14159265358979323846 * first;
    t.stiffness = reduced_mass * angular_frequency * angular_frequency;
    t.damping = 2 * second * reduced_mass * angular_frequency;
    break;
  }
  default:
    t.stiffness = first;
    t.damping = second;
  }
  return t;
}

spring_tuning spring_tune(const spring_terms *t, double time_step, msd_limit limit) {
  spring_tuning tuning = {t->stiffness, t->damping, false};
  if (t->mass_ck > 0 || t->mass_cd > 0)
    tuning = (spring_tuning){t->mass_ck / (time_step * time_step), t->mass_cd / time_step, false};
  if (limit == MSD_LIMIT_COEFFICIENTS) {
    const double most_stiffness = t->share / (time_step * time_step), most_damping = t->share / time_step;
    tuning.capped = tuning.stiffness > most_stiffness || tuning.damping > most_damping;
    if (tuning.stiffness > most_stiffness)
      tuning.stiffness = most_stiffness;
    if (tuning.damping > most_damping)
      tuning.damping = most_damping;
  }
  return tuning;
}

static double direction(const particle_store *p, int32_t end_a, int32_t end_b, double unit[3]) {
  const msd_vec3 a = particle_vector(p, POSITION_X, end_a);
  const msd_vec3 b = particle_vector(p, POSITION_X, end_b);
  const double d[3] = {(double)a.x - (double)b.x, (double)a.y - (double)b.y, (double)a.z - (double)b.z};
  const double length = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
  for (int c = 0; c < 3; c++)
    unit[c] = length > 0 ? d[c] / length : 0;
  return length;
}

double spring_direction(const spring_store *s, const particle_store *p, int32_t spring, double unit[3]) {
  return direction(p, s->a[spring], s->b[spring], unit);
}

/* ------------------------------------------------------------------------------------------- public API */

msd_spring_def msd_default_spring_def(void) {
  return (msd_spring_def){.a = -1,
                          .b = -1,
                          .rest_length = -1,
                          .law = MSD_SPRING_PHYSICAL,
                          .ck = MSD_STIFFEST,
                          .cd = MSD_STIFFEST,
                          .cookie = MSD_SPRING_COOKIE};
}

static msd_result check_number(msd_world *world, const char *place, const char *name, msd_real value,
                               bool may_be_stiffest) {
  if (isfinite(value) && (value >= 0 || (may_be_stiffest && value == MSD_STIFFEST)))
    return MSD_OK;
  return world_fail(world, MSD_BAD_VALUE, "%s%s is %g; it must be finite and 0 or more%s", place, name,
                    (double)value, may_be_stiffest ? ", or MSD_STIFFEST" : "");
}

static msd_result check_numbers(msd_world *world, const msd_spring_def *def, const char *place) {
  const char *names[2] = {"stiffness", "damping"};
  msd_real numbers[2] = {def->stiffness, def->damping};
  switch (def->law) {
  case MSD_SPRING_PHYSICAL:
    break;
  case MSD_SPRING_COEFFICIENT:
    names[0] = "ck", names[1] = "cd";
    numbers[0] = def->ck, numbers[1] = def->cd;
    break;
  case MSD_SPRING_FREQUENCY:
    names[0] = "frequency", names[1] = "damping_ratio";
    numbers[0] = def->frequency, numbers[1] = def->damping_ratio;
    break;
  default:
    return world_fail(world, MSD_BAD_VALUE, "%slaw is %d; it must be physical, coefficient or frequency",
                      place, (int)def->law);
  }
  const bool may_be_stiffest = def->law == MSD_SPRING_COEFFICIENT;
  const msd_result result = check_number(world, place, names[0], numbers[0], may_be_stiffest);
  return result != MSD_OK ? result : check_number(world, place, names[1], numbers[1], may_be_stiffest);
}

msd_result spring_check_law(msd_world *world, const msd_spring_def *def, const char *place) {
  if ((unsigned)def->side >= MSD_SPRING_SIDE_COUNT)
    return world_fail(world, MSD_BAD_VALUE, "%sside is %d; it must be both, tether or strut", place,
                      (int)def->side);
  return check_numbers(world, def, place);
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
  return direction(&world->particles, def->a, def->b, unit);
}

static msd_result check_spring_def(msd_world *world, const msd_spring_def *def, int index) {
  msd_result result = check_cookie(world, def, index);
  if (result == MSD_OK)
    result = spring_check_law(world, def, place_of(index).text);
  if (result != MSD_OK)
    return result;
  const int32_t count = world->particles.count;
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

static spring_material material_of(const msd_spring_def *def) {
  const uint8_t law = (uint8_t)def->law;
  switch (def->law) {
  case MSD_SPRING_COEFFICIENT:
    return (spring_material){def->ck, def->cd, law};
  case MSD_SPRING_FREQUENCY:
    return (spring_material){def->frequency, def->damping_ratio, law};
  default:
    return (spring_material){def->stiffness, def->damping, law};
  }
}

/* The springs that are to follow the last. */
static msd_result set_materials(msd_world *world, const msd_spring_def *defs, int count) {
  spring_store *s = &world->springs;
  for (int i = 0; i < count; i++)
    if (!spring_materials_set(&s->materials, &world->memory, s->count + i, material_of(&defs[i]),
                              s->count + i, s->capacity))
      return world_fail(world, MSD_OUT_OF_MEMORY, "no memory for the materials of %d springs",
                        (int)s->count + count);
  return MSD_OK;
}

msd_result msd_add_springs(msd_world *world, const msd_spring_def *defs, int count, int32_t *first) {
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
    result = set_materials(world, defs, count);
  if (result != MSD_OK)
    return result;
  spring_store *s = &world->springs;
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
    world->particles.valence[defs[i].a]++;
    world->particles.valence[defs[i].b]++;
  }
  if (count > 0)
    world_touch_network(world);
  return MSD_OK;
}

static bool is_spring(const msd_world *world, int32_t spring) {
  return world && spring >= 0 && spring < world->springs.count;
}

msd_spring_def msd_spring_get_def(const msd_world *world, int32_t spring) {
  msd_spring_def def = msd_default_spring_def();
  if (!is_spring(world, spring))
    return def;
  const spring_store *s = &world->springs;
  def.a = s->a[spring];
  def.b = s->b[spring];
  def.rest_length = s->rest[spring];
  const spring_material material = spring_material_of(s, spring);
  def.law = (msd_spring_law)material.law;
  def.side = spring_side(s, spring);
  switch (def.law) {
  case MSD_SPRING_COEFFICIENT:
    def.ck = material.stiffness;
    def.cd = material.damping;
    break;
  case MSD_SPRING_FREQUENCY:
    def.frequency = material.stiffness;
    def.damping_ratio = material.damping;
    break;
  default:
    def.stiffness = material.stiffness;
    def.damping = material.damping;
  }
  return def;
}

msd_result msd_spring_retune(msd_world *world, int32_t spring, const msd_spring_def *def) {
  if (!world_has_spring(world, spring))
    return MSD_BAD_INDEX;
  if (!def)
    return world_fail(world, MSD_BAD_DEF, "spring %d: the definition is NULL", (int)spring);
  msd_result result = check_cookie(world, def, (int)spring);
  if (result == MSD_OK)
    result = check_numbers(world, def, place_of((int)spring).text);
  if (result != MSD_OK)
    return result;
  spring_store *s = &world->springs;
  if (!spring_materials_set(&s->materials, &world->memory, spring, material_of(def), s->count, s->capacity))
    return world_fail(world, MSD_OUT_OF_MEMORY, "no memory for the material of spring %d", (int)spring);
  world_touch_tuning(world);
  return MSD_OK;
}

msd_result msd_spring_set_rest_length(msd_world *world, int32_t spring, msd_real rest_length) {
  if (!world_has_spring(world, spring))
    return MSD_BAD_INDEX;
  const msd_result result =
      check_number(world, place_of((int)spring).text, "rest_length", rest_length, false);
  if (result != MSD_OK)
    return result;
  world->springs.rest[spring] = rest_length;
  world_set_network_rest(world, spring, spring_is_broken(&world->springs, spring) ? -1 : rest_length);
  return MSD_OK;
}

msd_result msd_spring_break(msd_world *world, int32_t spring) {
  if (!world_has_spring(world, spring))
    return MSD_BAD_INDEX;
  spring_store *s = &world->springs;
  if (spring_is_broken(s, spring))
    return MSD_OK;
  s->side[spring] |= SPRING_BROKEN;
  s->broken++;
  world->particles.valence[s->a[spring]]--;
  world->particles.valence[s->b[spring]]--;
  world_set_network_rest(world, spring, -1);
  world_touch_tuning(world);
  return MSD_OK;
}

bool msd_spring_is_broken(const msd_world *world, int32_t spring) {
  return is_spring(world, spring) && spring_is_broken(&world->springs, spring);
}

msd_real msd_spring_get_length(const msd_world *world, int32_t spring) {
  double unit[3];
  return is_spring(world, spring)
             ? (msd_real)spring_direction(&world->springs, &world->particles, spring, unit)
             : 0;
}

/* As in the last substep; before the first, what does not depend on it. */
static spring_tuning present_tuning(const msd_world *world, int32_t spring) {
  if (!is_spring(world, spring))
    return (spring_tuning){0};
  const spring_terms terms = spring_split(&world->springs, &world->particles, spring);
  if (world->tuned_step > 0)
    return spring_tune(&terms, world->tuned_step, world->limit);
  return (spring_tuning){terms.stiffness, terms.damping, false};
}

msd_real msd_spring_get_stiffness(const msd_world *world, int32_t spring) {
  return (msd_real)present_tuning(world, spring).stiffness;
}

msd_real msd_spring_get_damping(const msd_world *world, int32_t spring) {
  return (msd_real)present_tuning(world, spring).damping;
}

msd_real msd_spring_get_tension(const msd_world *world, int32_t spring) {
  if (!is_spring(world, spring))
    return 0;
  const spring_store *s = &world->springs;
  const spring_tuning tuning = present_tuning(world, spring);
  double unit[3];
  const double length = spring_direction(s, &world->particles, spring, unit);
  const msd_vec3 va = particle_vector(&world->particles, VELOCITY_X, s->a[spring]);
  const msd_vec3 vb = particle_vector(&world->particles, VELOCITY_X, s->b[spring]);
  const double rate = ((double)va.x - (double)vb.x) * unit[0] + ((double)va.y - (double)vb.y) * unit[1] +
                      ((double)va.z - (double)vb.z) * unit[2];
  const double error = length - (double)s->rest[spring];
  const double pull = tuning.stiffness * error + tuning.damping * rate;
  return spring_acts_at(s, spring, error) && spring_acts_at(s, spring, pull) ? (msd_real)pull : 0;
}
