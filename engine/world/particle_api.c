/* Public functions of msd/particle.h: argument checks, and changes of the world. */

#include "engine/base/float_environment.h"
#include "engine/base/vec3.h"
#include "engine/world/world.h"

#include <math.h>
#include <string.h>

msd_particle_def msd_default_particle_def(void) {
  return (msd_particle_def){.mass = 1, .cookie = MSD_PARTICLE_COOKIE};
}

static msd_result check_mass(report *r, subject about, msd_real mass) {
  if (particle_inverse(mass) > 0)
    return MSD_OK;
  return report_refuse(r, MSD_BAD_VALUE, about, "mass is %g kg; it must be finite and above 0", (double)mass);
}

static msd_result check_def(report *r, const msd_particle_def *def, subject about) {
  msd_result result = check_cookie(r, about, &def->cookie, MSD_PARTICLE_COOKIE);
  if (result == MSD_OK)
    result = check_vector(r, about, "position", def->position);
  if (result == MSD_OK)
    result = check_vector(r, about, "velocity", def->velocity);
  return result == MSD_OK ? check_mass(r, about, def->mass) : result;
}

msd_result msd_add_particles(msd_world *world, const msd_particle_def *defs, int count, int32_t *first) {
  DEFAULT_FLOAT_ENVIRONMENT;
  if (!world_is_open(world))
    return fail_locked(world);
  msd_result result = check_list(&world->model.report, __func__, count, defs);
  for (int i = 0; i < count && result == MSD_OK; i++)
    result = check_def(&world->model.report, &defs[i], (subject){"particle definition", i, NULL});
  if (result == MSD_OK)
    result = world_reserve(world, &(world_size){.particles = count});
  if (result != MSD_OK)
    return result;
  particle_store *p = &world->model.particles;
  if (first)
    *first = p->count;
  for (int i = 0; i < count; i++) {
    const int32_t particle = p->count++;
    if (p->slot)
      p->slot[particle] = particle;
    particle_set_vector(p, POSITION_X, particle, defs[i].position);
    particle_set_vector(p, VELOCITY_X, particle, defs[i].velocity);
    p->mass[particle] = defs[i].mass;
    p->inverse_mass[particle] = defs[i].pinned ? 0 : particle_inverse(defs[i].mass);
    p->valence[particle] = 0;
    if (p->newly_pinned)
      p->newly_pinned[particle] = 0;
    if (p->move_of)
      p->move_of[particle] = 0;
    if (p->origin)
      p->origin[particle] = particle;
    p->pinned += defs[i].pinned;
  }
  model_note_particles(&world->model, count);
  return MSD_OK;
}

msd_vec3 msd_particle_get_position(const msd_world *world, int32_t particle) {
  if (!world_has(world, MSD_OBJECT_PARTICLE, particle))
    return (msd_vec3){0, 0, 0};
  return particle_vector(&world->model.particles, POSITION_X, particle);
}

msd_vec3 msd_particle_get_velocity(const msd_world *world, int32_t particle) {
  if (!world_has(world, MSD_OBJECT_PARTICLE, particle))
    return (msd_vec3){0, 0, 0};
  return particle_vector(&world->model.particles, VELOCITY_X, particle);
}

msd_real msd_particle_get_mass(const msd_world *world, int32_t particle) {
  return world_has(world, MSD_OBJECT_PARTICLE, particle) ? world->model.particles.mass[particle] : 0;
}

bool msd_particle_is_pinned(const msd_world *world, int32_t particle) {
  return world_has(world, MSD_OBJECT_PARTICLE, particle) &&
         world->model.particles.inverse_mass[particle] == 0;
}

int32_t msd_particle_get_origin(const msd_world *world, int32_t particle) {
  if (!world_has(world, MSD_OBJECT_PARTICLE, particle))
    return -1;
  const particle_store *p = &world->model.particles;
  return p->origin ? p->origin[particle] : particle;
}

msd_particle_def msd_particle_get_def(const msd_world *world, int32_t particle) {
  msd_particle_def def = msd_default_particle_def();
  if (!world_has(world, MSD_OBJECT_PARTICLE, particle))
    return def;
  def.position = msd_particle_get_position(world, particle);
  def.velocity = msd_particle_get_velocity(world, particle);
  def.mass = msd_particle_get_mass(world, particle);
  def.pinned = msd_particle_is_pinned(world, particle);
  return def;
}

static msd_result check_change(msd_world *world, int32_t particle, msd_vec3 value, const char *name) {
  const msd_result result = world_check(world, MSD_OBJECT_PARTICLE, particle);
  return result == MSD_OK
             ? check_vector(&world->model.report, (subject){"particle", particle, NULL}, name, value)
             : result;
}

msd_result msd_particle_set_position(msd_world *world, int32_t particle, msd_vec3 position) {
  const msd_result result = check_change(world, particle, position, "position");
  if (result != MSD_OK)
    return result;
  model_wake_where_placed(&world->model, particle);
  particle_cancel_move(&world->model.particles, particle);
  particle_set_vector(&world->model.particles, POSITION_X, particle, position);
  world->model.revision.state++;
  world->model.revision.positions++;
  return MSD_OK;
}

msd_result msd_particle_set_velocity(msd_world *world, int32_t particle, msd_vec3 velocity) {
  const msd_result result = check_change(world, particle, velocity, "velocity");
  if (result != MSD_OK)
    return result;
  sleep_wake(&world->model.sleep, particle);
  particle_cancel_move(&world->model.particles, particle);
  particle_set_vector(&world->model.particles, VELOCITY_X, particle, velocity);
  world->model.revision.state++;
  return MSD_OK;
}

/* Records a change of mass or pinning. `takes`: the stability loads can only decrease, so the known
   stable limit stays valid. True for more mass, a new pin, and for unpinning a particle that was free when
   the limit was computed, unless spring laws depend on masses. */
static void note_mass(world_model *model, int32_t particle, bool takes) {
  model_note_change(model, change_of_particle(particle),
                    takes && spring_mass_followers(&model->springs) == 0);
}

void world_set_mass(msd_world *world, int32_t particle, msd_real mass) {
  world_model *model = &world->model;
  const msd_real before = model->particles.mass[particle];
  if (mass == before)
    return;
  particle_set_mass(&model->particles, particle, mass);
  /* With more mass a soft pin is less damped, so its load can increase. */
  note_mass(model, particle, mass > before && model->soft_pins.count == 0);
}

void world_set_pinned(msd_world *world, int32_t particle, bool is_pinned) {
  world_model *model = &world->model;
  const bool was_free = is_pinned || particle_is_newly_pinned(&model->particles, particle);
  /* New pins are not tracked before there is a limit, or without memory. */
  if (is_pinned && world->limits.stable_step_made_for.definitions > 0)
    particle_open_new_pins(&model->particles, &model->memory);
  if (!particle_set_pinned(&model->particles, particle, is_pinned))
    return;
  note_mass(model, particle, was_free);
  model_note_pin(model);
}

msd_result msd_particle_set_mass(msd_world *world, int32_t particle, msd_real mass) {
  DEFAULT_FLOAT_ENVIRONMENT;
  msd_result result = world_check(world, MSD_OBJECT_PARTICLE, particle);
  if (result == MSD_OK)
    result = check_mass(&world->model.report, (subject){"particle", particle, NULL}, mass);
  if (result != MSD_OK)
    return result;
  world_set_mass(world, particle, mass);
  return MSD_OK;
}

msd_result msd_particle_pin(msd_world *world, int32_t particle) {
  const msd_result result = world_check(world, MSD_OBJECT_PARTICLE, particle);
  if (result != MSD_OK)
    return result;
  world_set_pinned(world, particle, true);
  return MSD_OK;
}

msd_result msd_particle_unpin(msd_world *world, int32_t particle) {
  DEFAULT_FLOAT_ENVIRONMENT;
  const msd_result result = world_check(world, MSD_OBJECT_PARTICLE, particle);
  if (result != MSD_OK)
    return result;
  world_set_pinned(world, particle, false);
  return MSD_OK;
}

msd_result msd_particle_move_to(msd_world *world, int32_t particle, msd_vec3 position) {
  return msd_particle_move_along(world, particle, position, (msd_turn){{0, 0, 0}, {0, 0, 0}});
}

msd_result msd_particle_move_along(msd_world *world, int32_t particle, msd_vec3 position, msd_turn turn) {
  msd_result result = check_change(world, particle, position, "target");
  if (result == MSD_OK)
    result = check_turn(&world->model.report, (subject){"particle", particle, NULL}, turn);
  if (result != MSD_OK)
    return result;
  if (!msd_particle_is_pinned(world, particle))
    return world_fail(world, MSD_BAD_VALUE, "particle %d is not pinned; pin it before moving it",
                      (int)particle);
  particle_store *p = &world->model.particles;
  if (!particle_reserve_moves(p, &world->model.memory, p->move_count + (int64_t)1))
    return world_fail(world, MSD_OUT_OF_MEMORY, "no memory for the motion of pin %d", (int)particle);
  sleep_wake(&world->model.sleep, particle);
  particle_set_target(p, particle, position, turn);
  return MSD_OK;
}

msd_result msd_particle_apply_force(msd_world *world, int32_t particle, msd_vec3 force) {
  DEFAULT_FLOAT_ENVIRONMENT;
  const msd_result result = check_change(world, particle, force, "force");
  if (result != MSD_OK)
    return result;
  particle_store *p = &world->model.particles;
  void *block;
  if (!p->force && !(p->force = particle_allocate_slab(p, &world->model.memory, 3, &block)))
    return world_fail(world, MSD_OUT_OF_MEMORY, "no memory for forces on %d particles", (int)p->count);
  msd_real *at = p->force + particle_slot(p, particle);
  const msd_vec3 sum = {at[0] + force.x, at[p->stride] + force.y, at[2 * p->stride] + force.z};
  if (!vec3_is_finite(sum))
    return world_fail(world, MSD_BAD_VALUE, "particle %d: the sum of its forces is not finite",
                      (int)particle);
  at[0] = sum.x;
  at[p->stride] = sum.y;
  at[2 * p->stride] = sum.z;
  p->forced = true;
  sleep_wake(&world->model.sleep, particle);
  return MSD_OK;
}

static msd_view view_of(const msd_world *world, int component) {
  if (!world || !world->model.particles.count)
    return (msd_view){0};
  const particle_store *p = &world->model.particles;
  const msd_real *at = particle_state(p) + (size_t)component * p->stride;
  return (msd_view){at, at + p->stride, at + 2 * p->stride, p->slot, p->count};
}

msd_view msd_world_get_positions(const msd_world *world) {
  return view_of(world, POSITION_X);
}

msd_view msd_world_get_velocities(const msd_world *world) {
  return view_of(world, VELOCITY_X);
}
