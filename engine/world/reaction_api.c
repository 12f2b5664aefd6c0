/* Public functions of msd/reaction.h. */

#include "engine/base/float_environment.h"
#include "engine/base/sort.h"
#include "engine/world/world.h"

msd_result msd_world_set_record(msd_world *world, int record) {
  if (!world_is_open(world))
    return fail_locked(world);
  if (record < 0 || record > MSD_RECORD_ALL)
    return world_fail(world, MSD_BAD_VALUE, "record is %d; it must be a sum of MSD_RECORD_ flags, 0 to %d",
                      record, MSD_RECORD_ALL);
  world->stepper.record.wanted = record;
  if (record == 0)
    frame_record_free(&world->stepper.record, &world->model.memory);
  return MSD_OK;
}

int msd_world_get_record(const msd_world *world) {
  return world ? world->stepper.record.wanted : 0;
}

/* Checks that the last frame has recorded a quantity for an object. `what`: the MSD_RECORD_ flag of the
   quantity. `known`: number of objects of this type in that frame. */
static msd_result check_record(const msd_world *world, msd_object item, int32_t index, int32_t known,
                               int what) {
  if (!world_has(world, item, index))
    return MSD_BAD_INDEX;
  const frame_record *r = &world->stepper.record;
  if (!(r->what & what) || r->is_open || !(r->time > 0))
    return MSD_BAD_VALUE;
  return index < known ? MSD_OK : MSD_BAD_INDEX;
}

static msd_vec3 mean(const frame_record *r, double3 sum) {
  const double3 force = double3_scale(sum, 1 / r->time);
  return (msd_vec3){(msd_real)force.x, (msd_real)force.y, (msd_real)force.z};
}

msd_result msd_particle_get_reaction(const msd_world *world, int32_t particle, msd_vec3 *force) {
  DEFAULT_FLOAT_ENVIRONMENT;
  if (force)
    *force = (msd_vec3){0, 0, 0};
  if (!world || !force)
    return MSD_BAD_VALUE;
  const frame_record *r = &world->stepper.record;
  const msd_result result = check_record(world, MSD_OBJECT_PARTICLE, particle, r->pin_count, MSD_RECORD_PINS);
  if (result != MSD_OK)
    return result;
  if (world->model.particles.inverse_mass[particle] != 0)
    return MSD_BAD_INDEX;
  if (r->lacks_pins)
    return MSD_BAD_VALUE;
  const msd_vec3 g = world->model.gravity, sum = mean(r, r->pins[particle]);
  const double m = (double)world->model.particles.mass[particle];
  *force =
      (msd_vec3){(msd_real)(-(double)sum.x - m * (double)g.x), (msd_real)(-(double)sum.y - m * (double)g.y),
                 (msd_real)(-(double)sum.z - m * (double)g.z)};
  return MSD_OK;
}

msd_result msd_soft_pin_get_reaction(const msd_world *world, int32_t soft_pin, msd_vec3 *force) {
  DEFAULT_FLOAT_ENVIRONMENT;
  if (force)
    *force = (msd_vec3){0, 0, 0};
  if (!world || !force)
    return MSD_BAD_VALUE;
  const frame_record *r = &world->stepper.record;
  const msd_result result =
      check_record(world, MSD_OBJECT_SOFT_PIN, soft_pin, r->soft_pin_count, MSD_RECORD_PINS);
  if (result != MSD_OK)
    return result;
  if (world->model.integrator == MSD_VELOCITY_VERLET || world->model.integrator == MSD_RK4)
    return MSD_BAD_VALUE;
  *force = mean(r, r->soft_pins[soft_pin]);
  return MSD_OK;
}

msd_result msd_collider_get_reaction(const msd_world *world, int32_t collider, msd_vec3 *force,
                                     msd_vec3 *torque) {
  DEFAULT_FLOAT_ENVIRONMENT;
  msd_vec3 unused;
  force = force ? force : &unused;
  torque = torque ? torque : &unused;
  *force = *torque = (msd_vec3){0, 0, 0};
  if (!world)
    return MSD_BAD_VALUE;
  const frame_record *r = &world->stepper.record;
  const msd_result result =
      check_record(world, MSD_OBJECT_COLLIDER, collider, r->collider_count, MSD_RECORD_CONTACTS);
  if (result != MSD_OK)
    return result;
  *force = mean(r, r->colliders[collider].impulse);
  *torque = mean(r, r->colliders[collider].moment);
  return MSD_OK;
}

static const constraint_record *find_constraint(const frame_record *r, int32_t constraint) {
  const int32_t n = sorted_place(r->constraints, r->constraint_count, sizeof *r->constraints, constraint);
  return n < r->constraint_count && r->constraints[n].constraint == constraint ? &r->constraints[n] : NULL;
}

msd_result msd_constraint_get_reaction(const msd_world *world, int32_t constraint, double *tension,
                                       msd_vec3 forces[4]) {
  DEFAULT_FLOAT_ENVIRONMENT;
  if (tension)
    *tension = 0;
  for (int k = 0; k < CONSTRAINT_CORNERS && forces; k++)
    forces[k] = (msd_vec3){0, 0, 0};
  if (!world)
    return MSD_BAD_VALUE;
  const frame_record *r = &world->stepper.record;
  const msd_result result =
      check_record(world, MSD_OBJECT_CONSTRAINT, constraint, INT32_MAX, MSD_RECORD_CONSTRAINTS);
  if (result != MSD_OK)
    return result;
  const constraint_record *c = find_constraint(r, constraint);
  if (!c)
    return MSD_BAD_INDEX;
  if (tension)
    *tension = c->sum / r->time;
  for (int k = 0; k < CONSTRAINT_CORNERS && forces; k++)
    forces[k] = mean(r, c->impulse[k]);
  return MSD_OK;
}
