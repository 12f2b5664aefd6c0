/* The public functions of msd/anchor.h: what they check, and what they touch. */

#include "engine/base/float_environment.h"
#include "engine/step/anchor_step.h"
#include "engine/world/world.h"

#include <string.h>

bool msd_integrator_has_exact_anchors(msd_integrator integrator) {
  return integrator == MSD_SYMPLECTIC_EULER || integrator == MSD_SEQUENTIAL_IMPULSE;
}

/* ---------------------------------------------------------------------------------------------- definitions */

msd_anchor_def msd_default_anchor_def(void) {
  return (msd_anchor_def){.particle = -1,
                          .law = MSD_SPRING_FREQUENCY,
                          .ck = 1,
                          .cd = 1,
                          .frequency = 4,
                          .damping_ratio = 1,
                          .cookie = MSD_ANCHOR_COOKIE};
}

static msd_result check_law(report *r, const msd_anchor_def *def, subject about) {
  const msd_result result = law_check(r, LAW_FIELDS(def), about);
  if (result != MSD_OK || anchor_can_have(law_read(LAW_FIELDS(def))))
    return result;
  return report_refuse(r, MSD_BAD_VALUE, about, "ck %g and cd %g; they must be 0 or more with ck + 2 cd < 4",
                       (double)def->ck, (double)def->cd);
}

/* All but that no other anchor holds the particle. */
static msd_result check_def(msd_world *world, const msd_anchor_def *def, subject about) {
  report *r = &world->model.report;
  msd_result result = check_cookie(r, about, def ? &def->cookie : NULL, MSD_ANCHOR_COOKIE);
  if (result == MSD_OK)
    result = world_check_field(world, about, "particle", MSD_ITEM_PARTICLE, def->particle,
                               "-1 for an anchor that holds nothing");
  if (result == MSD_OK)
    result = check_vector(r, about, "point", def->point);
  return result == MSD_OK ? check_law(r, def, about) : result;
}

static msd_result refuse_second(msd_world *world, int32_t particle, subject about) {
  return world_refuse(world, MSD_BAD_VALUE, about, "particle %d is held by another anchor; one is the most",
                      (int)particle);
}

static anchor_entry entry_of(const msd_anchor_def *def) {
  return (anchor_entry){.particle = def->particle, .law = law_read(LAW_FIELDS(def)), .point = def->point};
}

/* ------------------------------------------------------------------------------------------------ public
   API */

/* An anchor is, or was, one of those that the world's limits rest on only if it weighs something: a hand that
   takes hold of a large network does not have it analysed anew. Of sequential impulses every anchor that
   moves something decides what is proven. */
static void count_change(msd_world *world, int32_t anchor) {
  const anchor_weight w = anchor_weigh(&world->model, anchor, anchor_is_exact(&world->model));
  world->model.revision.anchors++;
  sleep_wake(&world->model.sleep, world->model.anchors.entries[anchor].particle);
  if (w.stiffness > 0 || w.damping > 0 || w.coefficient > 0 ||
      world->model.integrator == MSD_SEQUENTIAL_IMPULSE)
    world->model.revision.anchor_weights++;
}

static msd_result check_defs(msd_world *world, const msd_anchor_def *defs, int count, unsigned char *held) {
  const anchor_store *s = &world->model.anchors;
  for (int32_t i = 0; i < s->count; i++)
    anchor_mark_held(held, s->entries[i].particle);
  for (int i = 0; i < count; i++) {
    const subject about = {"anchor definition", i, NULL};
    const msd_result result = check_def(world, &defs[i], about);
    if (result != MSD_OK)
      return result;
    if (!anchor_mark_held(held, defs[i].particle))
      return refuse_second(world, defs[i].particle, about);
  }
  return MSD_OK;
}

msd_result msd_add_anchors(msd_world *world, const msd_anchor_def *defs, int count, int32_t *first) {
  DEFAULT_FLOAT_ENVIRONMENT;
  if (!world_is_open(world))
    return world_say_closed(world);
  msd_result result = check_list(&world->model.report, __func__, count, defs);
  if (result != MSD_OK)
    return result;
  unsigned char *held = memory_allocate(&world->model.memory, (size_t)world->model.particles.count + 1);
  result = held ? check_defs(world, defs, count, held)
                : world_fail(world, MSD_OUT_OF_MEMORY, "no memory to check %d anchors", count);
  memory_release(&world->model.memory, held);
  if (result == MSD_OK)
    result = world_reserve(world, &(world_size){.anchors = count});
  if (result != MSD_OK)
    return result;
  anchor_store *s = &world->model.anchors;
  if (first)
    *first = s->count;
  for (int i = 0; i < count; i++) {
    s->entries[s->count++] = entry_of(&defs[i]);
    count_change(world, s->count - 1);
  }
  return MSD_OK;
}

msd_result msd_anchor_set_def(msd_world *world, int32_t anchor, const msd_anchor_def *def) {
  DEFAULT_FLOAT_ENVIRONMENT;
  const subject about = {"anchor", anchor, NULL};
  msd_result result = world_check(world, MSD_ITEM_ANCHOR, anchor);
  if (result == MSD_OK)
    result = check_def(world, def, about);
  if (result != MSD_OK)
    return result;
  anchor_store *s = &world->model.anchors;
  for (int32_t i = 0; i < s->count && def->particle >= 0; i++)
    if (i != anchor && s->entries[i].particle == def->particle)
      return refuse_second(world, def->particle, about);
  count_change(world, anchor);
  const anchor_entry old = s->entries[anchor];
  anchor_entry *a = &s->entries[anchor];
  *a = entry_of(def);
  if (a->particle == old.particle) {
    a->knows_velocity = old.knows_velocity;
    memcpy(a->velocity, old.velocity, sizeof a->velocity);
    memcpy(a->seen, old.seen, sizeof a->seen);
    a->force = old.force;
  }
  count_change(world, anchor);
  return MSD_OK;
}

void world_release_anchor(msd_world *world, int32_t anchor) {
  anchor_entry *a = &world->model.anchors.entries[anchor];
  count_change(world, anchor);
  *a = (anchor_entry){.particle = -1, .law = a->law, .point = a->point};
}

msd_result msd_anchor_move_to(msd_world *world, int32_t anchor, msd_vec3 point) {
  msd_result result = world_check(world, MSD_ITEM_ANCHOR, anchor);
  if (result == MSD_OK)
    result = check_vector(&world->model.report, (subject){"anchor", anchor, NULL}, "target", point);
  if (result != MSD_OK)
    return result;
  world->model.anchors.entries[anchor].target = point;
  world->model.anchors.entries[anchor].moves = true;
  sleep_wake(&world->model.sleep, world->model.anchors.entries[anchor].particle);
  return MSD_OK;
}

int32_t msd_world_get_anchor_count(const msd_world *world) {
  return world_count(world, MSD_ITEM_ANCHOR);
}

msd_anchor_def msd_anchor_get_def(const msd_world *world, int32_t anchor) {
  msd_anchor_def def = msd_default_anchor_def();
  if (!world_has(world, MSD_ITEM_ANCHOR, anchor))
    return def;
  const anchor_entry *a = &world->model.anchors.entries[anchor];
  def.particle = a->particle;
  def.point = a->point;
  LAW_WRITE(&def, a->law);
  return def;
}

bool msd_anchor_is_exact(const msd_world *world, int32_t anchor) {
  return world_has(world, MSD_ITEM_ANCHOR, anchor) && anchor_is_exact(&world->model) &&
         !law_is(world->model.anchors.entries[anchor].law, MSD_SPRING_COEFFICIENT);
}

int32_t msd_particle_get_anchor(const msd_world *world, int32_t particle) {
  for (int32_t n = 0; world && particle >= 0 && n < world->model.anchors.count; n++)
    if (world->model.anchors.entries[n].particle == particle)
      return n;
  return -1;
}

msd_vec3 msd_anchor_get_force(const msd_world *world, int32_t anchor) {
  const msd_vec3 none = {0, 0, 0};
  if (!world_has(world, MSD_ITEM_ANCHOR, anchor))
    return none;
  const anchor_entry *a = &world->model.anchors.entries[anchor];
  return anchor_moves(&world->model.anchors, &world->model.particles, anchor) ? a->force : none;
}
