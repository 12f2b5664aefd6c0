/* The public functions of msd/rotor.h about rotors: what they check, and what they touch. */

#include "engine/base/float_environment.h"
#include "engine/world/world.h"

#include <math.h>
#include <string.h>

/* Half as much again, so that adding one by one costs little. */
static int64_t grown(int64_t needed, int64_t capacity) {
  const int64_t roomy = capacity + capacity / 2;
  return needed > capacity && roomy > needed ? (roomy < INT32_MAX ? roomy : INT32_MAX) : needed;
}

/* With room to grow, or without it where that would pass the limit. */
static bool reserve_stores(msd_world *world, int64_t rotors, int64_t springs) {
  rotor_store *r = &world->model.rotors;
  angular_spring_store *s = &world->model.angular_springs;
  memory *m = &world->model.memory;
  m->over_limit = false;
  return (rotor_store_reserve(r, m, grown(rotors, r->capacity)) ||
          (m->over_limit && rotor_store_reserve(r, m, rotors))) &&
         (angular_spring_store_reserve(s, m, grown(springs, s->capacity)) ||
          (m->over_limit && angular_spring_store_reserve(s, m, springs)));
}

msd_result rotor_reserve(msd_world *world, int64_t rotors, int64_t springs) {
  const int64_t all_rotors = world->model.rotors.count + rotors;
  const int64_t all_springs = world->model.angular_springs.count + springs;
  const double estimate = (double)all_rotors * (double)rotor_store_bytes() +
                          (double)all_springs * (double)angular_spring_store_bytes();
  if (all_rotors > INT32_MAX || all_springs > INT32_MAX || estimate > (double)world->model.memory.limit)
    return world_fail(
        world, MSD_TOO_LARGE,
        "%lld rotors and %lld angular springs would take about %.3g GB; memory_limit is %.3g GB and "
        "indices end at 2^31-1",
        (long long)all_rotors, (long long)all_springs, estimate / 1e9,
        (double)world->model.memory.limit / 1e9);
  if (!reserve_stores(world, all_rotors, all_springs))
    return world_fail(world, MSD_OUT_OF_MEMORY,
                      "no memory for %lld rotors and %lld angular springs (about %.3g GB)",
                      (long long)all_rotors, (long long)all_springs, estimate / 1e9);
  return MSD_OK;
}

bool world_has_rotor(msd_world *world, int32_t rotor) {
  if (world && rotor >= 0 && rotor < world->model.rotors.count)
    return true;
  if (world)
    world_fail(world, MSD_BAD_INDEX, "there is no rotor %d; the world has %d", (int)rotor,
               (int)world->model.rotors.count);
  return false;
}

msd_rotor_def msd_default_rotor_def(void) {
  return (msd_rotor_def){.inertia = 1, .cookie = MSD_ROTOR_COOKIE};
}

static msd_result check_rotor_def(msd_world *world, const msd_rotor_def *def, const char *what, int index) {
  if (def->cookie != MSD_ROTOR_COOKIE)
    return world_fail(world, MSD_BAD_DEF, "%s %d: the definition was not made by msd_default_rotor_def", what,
                      index);
  if (!isfinite(def->angle))
    return world_fail(world, MSD_BAD_VALUE, "%s %d: angle is %g; it must be finite", what, index, def->angle);
  if (!isfinite(def->angular_velocity))
    return world_fail(world, MSD_BAD_VALUE, "%s %d: angular_velocity is %g; it must be finite", what, index,
                      def->angular_velocity);
  if (rotor_inverse(def->inertia) == 0)
    return world_fail(world, MSD_BAD_VALUE, "%s %d: inertia is %g kg m^2; it must be finite and above 0",
                      what, index, (double)def->inertia);
  return MSD_OK;
}

msd_result msd_add_rotors(msd_world *world, const msd_rotor_def *defs, int count, int32_t *first) {
  DEFAULT_FLOAT_ENVIRONMENT;
  if (!world)
    return MSD_BAD_VALUE;
  if (count < 0 || (count > 0 && !defs))
    return world_fail(world, MSD_BAD_VALUE, "msd_add_rotors: count is %d and defs %s", count,
                      defs ? "set; count must be 0 or more" : "NULL");
  for (int i = 0; i < count; i++) {
    const msd_result result = check_rotor_def(world, &defs[i], "rotor definition", i);
    if (result != MSD_OK)
      return result;
  }
  const msd_result result = rotor_reserve(world, count, 0);
  if (result != MSD_OK)
    return result;
  rotor_store *r = &world->model.rotors;
  if (first)
    *first = r->count;
  for (int i = 0; i < count; i++) {
    const int32_t rotor = r->count++;
    r->angle[rotor] = defs[i].angle;
    r->velocity[rotor] = defs[i].angular_velocity;
    r->torque[rotor] = 0;
    r->inertia[rotor] = defs[i].inertia;
    r->inverse_inertia[rotor] = defs[i].pinned ? 0 : rotor_inverse(defs[i].inertia);
    r->valence[rotor] = 0;
  }
  return MSD_OK;
}

int32_t msd_world_get_rotor_count(const msd_world *world) {
  return world ? world->model.rotors.count : 0;
}

static bool is_rotor(const msd_world *world, int32_t rotor) {
  return world && rotor >= 0 && rotor < world->model.rotors.count;
}

msd_rotor_def msd_rotor_get_def(const msd_world *world, int32_t rotor) {
  msd_rotor_def def = msd_default_rotor_def();
  if (!is_rotor(world, rotor))
    return def;
  const rotor_store *r = &world->model.rotors;
  def.angle = r->angle[rotor];
  def.angular_velocity = r->velocity[rotor];
  def.inertia = r->inertia[rotor];
  def.pinned = r->inverse_inertia[rotor] == 0;
  return def;
}

double msd_rotor_get_angle(const msd_world *world, int32_t rotor) {
  return is_rotor(world, rotor) ? world->model.rotors.angle[rotor] : 0;
}

double msd_rotor_get_angular_velocity(const msd_world *world, int32_t rotor) {
  return is_rotor(world, rotor) ? world->model.rotors.velocity[rotor] : 0;
}

msd_result msd_rotor_set_def(msd_world *world, int32_t rotor, const msd_rotor_def *def) {
  DEFAULT_FLOAT_ENVIRONMENT;
  if (!world_has_rotor(world, rotor))
    return MSD_BAD_INDEX;
  if (!def)
    return world_fail(world, MSD_BAD_DEF, "rotor %d: the definition is NULL", (int)rotor);
  const msd_result result = check_rotor_def(world, def, "rotor", (int)rotor);
  if (result != MSD_OK)
    return result;
  rotor_store *r = &world->model.rotors;
  r->angle[rotor] = def->angle;
  r->velocity[rotor] = def->angular_velocity;
  const double inverse = def->pinned ? 0 : rotor_inverse(def->inertia);
  if (inverse != r->inverse_inertia[rotor])
    world->model.revision.rotors++;
  r->inertia[rotor] = def->inertia;
  r->inverse_inertia[rotor] = inverse;
  return MSD_OK;
}

msd_result msd_rotor_apply_torque(msd_world *world, int32_t rotor, double torque) {
  DEFAULT_FLOAT_ENVIRONMENT;
  if (!world_has_rotor(world, rotor))
    return MSD_BAD_INDEX;
  const double sum = world->model.rotors.torque[rotor] + torque;
  if (!isfinite(sum))
    return world_fail(world, MSD_BAD_VALUE, "rotor %d: torque %g makes a sum that is not finite", (int)rotor,
                      torque);
  world->model.rotors.torque[rotor] = sum;
  return MSD_OK;
}
