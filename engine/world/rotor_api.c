/* Public functions of rotors: argument checks, and changes of the world. */

#include "engine/base/float_environment.h"
#include "engine/world/world.h"

#include <math.h>

msd_rotor_def msd_default_rotor_def(void) {
  return (msd_rotor_def){.inertia = 1, .cookie = MSD_ROTOR_COOKIE};
}

static msd_result check_def(report *r, const msd_rotor_def *def, subject about) {
  msd_result result = check_cookie(r, about, def ? &def->cookie : NULL, MSD_ROTOR_COOKIE);
  if (result == MSD_OK)
    result = check_finite(r, about, "angle", def->angle);
  if (result == MSD_OK)
    result = check_finite(r, about, "angular_velocity", def->angular_velocity);
  if (result == MSD_OK && rotor_inverse(def->inertia) == 0)
    result = report_refuse(r, MSD_BAD_VALUE, about, "inertia is %g kg m^2; it must be finite and above 0",
                           (double)def->inertia);
  return result;
}

msd_result msd_add_rotors(msd_world *world, const msd_rotor_def *defs, int count, int32_t *first) {
  DEFAULT_FLOAT_ENVIRONMENT;
  if (!world_is_open(world))
    return fail_locked(world);
  msd_result result = check_list(&world->model.report, __func__, count, defs);
  for (int i = 0; i < count && result == MSD_OK; i++)
    result = check_def(&world->model.report, &defs[i], (subject){"rotor definition", i, NULL});
  if (result == MSD_OK)
    result = world_reserve(world, &(world_size){.rotors = count});
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
  return world_count(world, MSD_OBJECT_ROTOR);
}

msd_rotor_def msd_rotor_get_def(const msd_world *world, int32_t rotor) {
  msd_rotor_def def = msd_default_rotor_def();
  if (!world_has(world, MSD_OBJECT_ROTOR, rotor))
    return def;
  const rotor_store *r = &world->model.rotors;
  def.angle = r->angle[rotor];
  def.angular_velocity = r->velocity[rotor];
  def.inertia = r->inertia[rotor];
  def.pinned = r->inverse_inertia[rotor] == 0;
  return def;
}

double msd_rotor_get_angle(const msd_world *world, int32_t rotor) {
  return world_has(world, MSD_OBJECT_ROTOR, rotor) ? world->model.rotors.angle[rotor] : 0;
}

double msd_rotor_get_angular_velocity(const msd_world *world, int32_t rotor) {
  return world_has(world, MSD_OBJECT_ROTOR, rotor) ? world->model.rotors.velocity[rotor] : 0;
}

msd_result msd_rotor_set_def(msd_world *world, int32_t rotor, const msd_rotor_def *def) {
  DEFAULT_FLOAT_ENVIRONMENT;
  msd_result result = world_check(world, MSD_OBJECT_ROTOR, rotor);
  if (result == MSD_OK)
    result = check_def(&world->model.report, def, (subject){"rotor", rotor, NULL});
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
  const msd_result result = world_check(world, MSD_OBJECT_ROTOR, rotor);
  if (result != MSD_OK)
    return result;
  const double sum = world->model.rotors.torque[rotor] + torque;
  if (!isfinite(sum))
    return fail_field(world, MSD_BAD_VALUE, (subject){"rotor", rotor, NULL},
                      "torque %g makes a sum that is not finite", torque);
  world->model.rotors.torque[rotor] = sum;
  return MSD_OK;
}
