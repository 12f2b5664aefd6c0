/* Public functions of soft pins: argument checks, and changes of the world. */

#include "engine/base/float_environment.h"
#include "engine/step/soft_pin_step.h"
#include "engine/world/world.h"

#include <string.h>

bool msd_integrator_has_exact_soft_pins(msd_integrator integrator) {
  return integrator == MSD_SYMPLECTIC_EULER || integrator == MSD_SEQUENTIAL_IMPULSE;
}

/* -------------------------------------------------------------------------------------------- definitions */

msd_soft_pin_def msd_default_soft_pin_def(void) {
  return (msd_soft_pin_def){.particle = -1,
                            .law = MSD_SPRING_FREQUENCY,
                            .ck = 1,
                            .cd = 1,
                            .frequency = 4,
                            .damping_ratio = 1,
                            .cookie = MSD_SOFT_PIN_COOKIE};
}

static msd_result check_law(report *r, const msd_soft_pin_def *def, subject about) {
  const msd_result result = law_check(r, LAW_FIELDS(def), about);
  if (result != MSD_OK || soft_pin_can_have(law_read(LAW_FIELDS(def))))
    return result;
  return report_refuse(r, MSD_BAD_VALUE, about, "ck %g and cd %g; they must be 0 or more with ck + 2 cd < 4",
                       (double)def->ck, (double)def->cd);
}

/* Checks everything except that the particle has no other soft pin. */
static msd_result check_def(msd_world *world, const msd_soft_pin_def *def, subject about) {
  report *r = &world->model.report;
  msd_result result = check_cookie(r, about, def ? &def->cookie : NULL, MSD_SOFT_PIN_COOKIE);
  if (result == MSD_OK)
    result = world_check_field(world, about, "particle", MSD_OBJECT_PARTICLE, def->particle,
                               "-1 for a soft pin without a particle");
  if (result == MSD_OK)
    result = check_vector(r, about, "point", def->position);
  return result == MSD_OK ? check_law(r, def, about) : result;
}

static msd_result refuse_second(msd_world *world, int32_t particle, subject about) {
  return fail_field(world, MSD_BAD_VALUE, about, "particle %d already has a soft pin; one is the most",
                    (int)particle);
}

static soft_pin_entry entry_of(const msd_soft_pin_def *def) {
  return (soft_pin_entry){
      .particle = def->particle, .law = law_read(LAW_FIELDS(def)), .point = def->position};
}

/* --------------------------------------------------------------------------------------------- public API */

/* A soft pin affects the stable limit only if it has a load: grabbing a large network with the mouse does not
   cause a new analysis. With sequential impulses every soft pin that moves something counts. */
static void count_change(msd_world *world, int32_t soft_pin) {
  const soft_pin_weight w = soft_pin_weigh(&world->model, soft_pin, soft_pin_is_exact(&world->model));
  world->model.revision.soft_pins++;
  sleep_wake(&world->model.sleep, world->model.soft_pins.entries[soft_pin].particle);
  if (w.stiffness > 0 || w.damping > 0 || w.coefficient > 0 ||
      world->model.integrator == MSD_SEQUENTIAL_IMPULSE)
    world->model.revision.soft_pin_weights++;
}

static msd_result check_defs(msd_world *world, const msd_soft_pin_def *defs, int count, unsigned char *held) {
  const soft_pin_store *s = &world->model.soft_pins;
  for (int32_t i = 0; i < s->count; i++)
    soft_pin_mark_held(held, s->entries[i].particle);
  for (int i = 0; i < count; i++) {
    const subject about = {"soft_pin definition", i, NULL};
    const msd_result result = check_def(world, &defs[i], about);
    if (result != MSD_OK)
      return result;
    if (!soft_pin_mark_held(held, defs[i].particle))
      return refuse_second(world, defs[i].particle, about);
  }
  return MSD_OK;
}

msd_result msd_add_soft_pins(msd_world *world, const msd_soft_pin_def *defs, int count, int32_t *first) {
  DEFAULT_FLOAT_ENVIRONMENT;
  if (!world_is_open(world))
    return fail_locked(world);
  msd_result result = check_list(&world->model.report, __func__, count, defs);
  if (result != MSD_OK)
    return result;
  unsigned char *held = memory_allocate(&world->model.memory, (size_t)world->model.particles.count + 1);
  result = held ? check_defs(world, defs, count, held)
                : world_fail(world, MSD_OUT_OF_MEMORY, "no memory to check %d soft pins", count);
  memory_release(&world->model.memory, held);
  if (result == MSD_OK)
    result = world_reserve(world, &(world_size){.soft_pins = count});
  if (result != MSD_OK)
    return result;
  soft_pin_store *s = &world->model.soft_pins;
  if (first)
    *first = s->count;
  for (int i = 0; i < count; i++) {
    s->entries[s->count++] = entry_of(&defs[i]);
    count_change(world, s->count - 1);
  }
  return MSD_OK;
}

msd_result msd_soft_pin_set_def(msd_world *world, int32_t soft_pin, const msd_soft_pin_def *def) {
  DEFAULT_FLOAT_ENVIRONMENT;
  const subject about = {"soft_pin", soft_pin, NULL};
  msd_result result = world_check(world, MSD_OBJECT_SOFT_PIN, soft_pin);
  if (result == MSD_OK)
    result = check_def(world, def, about);
  if (result != MSD_OK)
    return result;
  soft_pin_store *s = &world->model.soft_pins;
  for (int32_t i = 0; i < s->count && def->particle >= 0; i++)
    if (i != soft_pin && s->entries[i].particle == def->particle)
      return refuse_second(world, def->particle, about);
  count_change(world, soft_pin);
  const soft_pin_entry old = s->entries[soft_pin];
  soft_pin_entry *a = &s->entries[soft_pin];
  *a = entry_of(def);
  if (a->particle == old.particle) {
    a->knows_velocity = old.knows_velocity;
    memcpy(a->velocity, old.velocity, sizeof a->velocity);
    memcpy(a->seen, old.seen, sizeof a->seen);
    a->force = old.force;
  }
  count_change(world, soft_pin);
  return MSD_OK;
}

void world_release_soft_pin(msd_world *world, int32_t soft_pin) {
  soft_pin_entry *a = &world->model.soft_pins.entries[soft_pin];
  count_change(world, soft_pin);
  *a = (soft_pin_entry){.particle = -1, .law = a->law, .point = a->point};
}

msd_result msd_soft_pin_move_to(msd_world *world, int32_t soft_pin, msd_vec3 point) {
  return msd_soft_pin_move_along(world, soft_pin, point, (msd_turn){{0, 0, 0}, {0, 0, 0}});
}

msd_result msd_soft_pin_move_along(msd_world *world, int32_t soft_pin, msd_vec3 point, msd_turn turn) {
  const subject about = {"soft_pin", soft_pin, NULL};
  msd_result result = world_check(world, MSD_OBJECT_SOFT_PIN, soft_pin);
  if (result == MSD_OK)
    result = check_vector(&world->model.report, about, "target", point);
  if (result == MSD_OK)
    result = check_turn(&world->model.report, about, turn);
  if (result != MSD_OK)
    return result;
  soft_pin_entry *a = &world->model.soft_pins.entries[soft_pin];
  a->target = point;
  a->turn = turn;
  a->moves = true;
  sleep_wake(&world->model.sleep, a->particle);
  return MSD_OK;
}

int32_t msd_world_get_soft_pin_count(const msd_world *world) {
  return world_count(world, MSD_OBJECT_SOFT_PIN);
}

msd_soft_pin_def msd_soft_pin_get_def(const msd_world *world, int32_t soft_pin) {
  msd_soft_pin_def def = msd_default_soft_pin_def();
  if (!world_has(world, MSD_OBJECT_SOFT_PIN, soft_pin))
    return def;
  const soft_pin_entry *a = &world->model.soft_pins.entries[soft_pin];
  def.particle = a->particle;
  def.position = a->point;
  LAW_WRITE(&def, a->law);
  return def;
}

bool msd_soft_pin_is_exact(const msd_world *world, int32_t soft_pin) {
  return world_has(world, MSD_OBJECT_SOFT_PIN, soft_pin) && soft_pin_is_exact(&world->model) &&
         !law_is(world->model.soft_pins.entries[soft_pin].law, MSD_SPRING_COEFFICIENT);
}

int32_t msd_particle_get_soft_pin(const msd_world *world, int32_t particle) {
  for (int32_t n = 0; world && particle >= 0 && n < world->model.soft_pins.count; n++)
    if (world->model.soft_pins.entries[n].particle == particle)
      return n;
  return -1;
}

msd_vec3 msd_soft_pin_get_force(const msd_world *world, int32_t soft_pin) {
  const msd_vec3 none = {0, 0, 0};
  if (!world_has(world, MSD_OBJECT_SOFT_PIN, soft_pin))
    return none;
  const soft_pin_entry *a = &world->model.soft_pins.entries[soft_pin];
  return soft_pin_moves(&world->model.soft_pins, &world->model.particles, soft_pin) ? a->force : none;
}
