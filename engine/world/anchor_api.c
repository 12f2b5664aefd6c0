/* The public functions of msd/anchor.h: what they check, and what they touch. */

#include "engine/base/float_environment.h"
#include "engine/base/vec3.h"
#include "engine/step/anchor_step.h"
#include "engine/world/world.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

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

/* How the messages about an anchor begin. */
typedef struct anchor_place {
  char text[40];
} anchor_place;

static msd_result check_law(msd_world *world, const msd_anchor_def *def, const char *place) {
  const msd_result result = law_check(&world->model.report, LAW_FIELDS(def), place);
  if (result != MSD_OK || anchor_can_have(law_read(LAW_FIELDS(def))))
    return result;
  return world_fail(world, MSD_BAD_VALUE, "%sck %g and cd %g; they must be 0 or more with ck + 2 cd < 4",
                    place, (double)def->ck, (double)def->cd);
}

/* All but that no other anchor holds the particle. */
static msd_result check_def(msd_world *world, const msd_anchor_def *def, const char *place) {
  if (!def || def->cookie != MSD_ANCHOR_COOKIE)
    return world_fail(world, MSD_BAD_DEF, "%sit was not made by msd_default_anchor_def", place);
  if (def->particle < -1 || def->particle >= world->model.particles.count)
    return world_fail(
        world, MSD_BAD_INDEX,
        "%sparticle %d; it must be one of the world's %d, or -1 for an anchor that holds nothing", place,
        (int)def->particle, (int)world->model.particles.count);
  if (!vec3_is_finite(def->point))
    return world_fail(world, MSD_BAD_VALUE, "%spoint (%g, %g, %g) is not finite", place, (double)def->point.x,
                      (double)def->point.y, (double)def->point.z);
  return check_law(world, def, place);
}

static msd_result refuse_second(msd_world *world, int32_t particle, const char *place) {
  return world_fail(world, MSD_BAD_VALUE, "%sparticle %d is held by another anchor; one is the most", place,
                    (int)particle);
}

static anchor_entry entry_of(const msd_anchor_def *def) {
  return (anchor_entry){.particle = def->particle, .law = law_read(LAW_FIELDS(def)), .point = def->point};
}

/* ------------------------------------------------------------------------------------------------ public API */

/* An anchor is, or was, one of those that the world's limits rest on only if it weighs something: a hand that takes
   hold of a large network does not have it analysed anew. Of sequential impulses every anchor that moves something
   decides what is proven. */
static void count_change(msd_world *world, int32_t anchor) {
  const anchor_weight w = anchor_weigh(&world->model, anchor, anchor_is_exact(world->model.integrator));
  world->model.revision.anchors++;
  if (w.stiffness > 0 || w.damping > 0 || w.coefficient > 0 ||
      world->model.integrator == MSD_SEQUENTIAL_IMPULSE)
    world->model.revision.anchor_weights++;
}

static msd_result check_defs(msd_world *world, const msd_anchor_def *defs, int count, unsigned char *held) {
  const anchor_store *s = &world->model.anchors;
  for (int32_t i = 0; i < s->count; i++)
    anchor_mark_held(held, s->entries[i].particle);
  for (int i = 0; i < count; i++) {
    anchor_place place;
    snprintf(place.text, sizeof place.text, "anchor definition %d: ", i);
    const msd_result result = check_def(world, &defs[i], place.text);
    if (result != MSD_OK)
      return result;
    if (!anchor_mark_held(held, defs[i].particle))
      return refuse_second(world, defs[i].particle, place.text);
  }
  return MSD_OK;
}

/* With room to grow, or without it where that would pass the limit. */
static msd_result reserve_more(msd_world *world, int count) {
  anchor_store *s = &world->model.anchors;
  memory *m = &world->model.memory;
  const int64_t needed = (int64_t)s->count + count, roomy = (int64_t)s->capacity + s->capacity / 2;
  if (needed > INT32_MAX)
    return world_fail(world, MSD_TOO_LARGE, "%lld anchors; indices end at 2^31-1", (long long)needed);
  m->over_limit = false;
  const bool grows = needed > s->capacity && roomy > needed && roomy <= INT32_MAX;
  if ((grows && anchor_store_reserve(s, m, roomy)) || anchor_store_reserve(s, m, needed))
    return MSD_OK;
  return world_fail(world, MSD_OUT_OF_MEMORY, "no memory for %lld anchors", (long long)needed);
}

msd_result msd_add_anchors(msd_world *world, const msd_anchor_def *defs, int count, int32_t *first) {
  DEFAULT_FLOAT_ENVIRONMENT;
  if (!world)
    return MSD_BAD_VALUE;
  if (count < 0 || (count > 0 && !defs))
    return world_fail(world, MSD_BAD_VALUE, "msd_add_anchors: count is %d and defs %s", count,
                      defs ? "set; count must be 0 or more" : "NULL");
  unsigned char *held = memory_allocate(&world->model.memory, (size_t)world->model.particles.count + 1);
  msd_result result = held ? check_defs(world, defs, count, held)
                           : world_fail(world, MSD_OUT_OF_MEMORY, "no memory to check %d anchors", count);
  memory_release(&world->model.memory, held);
  if (result == MSD_OK)
    result = reserve_more(world, count);
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

bool world_has_anchor(msd_world *world, int32_t anchor) {
  if (world && anchor >= 0 && anchor < world->model.anchors.count)
    return true;
  if (world)
    world_fail(world, MSD_BAD_INDEX, "there is no anchor %d; the world has %d", (int)anchor,
               (int)world->model.anchors.count);
  return false;
}

msd_result msd_anchor_set_def(msd_world *world, int32_t anchor, const msd_anchor_def *def) {
  DEFAULT_FLOAT_ENVIRONMENT;
  if (!world_has_anchor(world, anchor))
    return MSD_BAD_INDEX;
  anchor_place place;
  snprintf(place.text, sizeof place.text, "anchor %d: ", (int)anchor);
  const msd_result result = check_def(world, def, place.text);
  if (result != MSD_OK)
    return result;
  anchor_store *s = &world->model.anchors;
  for (int32_t i = 0; i < s->count && def->particle >= 0; i++)
    if (i != anchor && s->entries[i].particle == def->particle)
      return refuse_second(world, def->particle, place.text);
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

msd_result msd_anchor_move_to(msd_world *world, int32_t anchor, msd_vec3 point) {
  if (!world_has_anchor(world, anchor))
    return MSD_BAD_INDEX;
  if (!vec3_is_finite(point))
    return world_fail(world, MSD_BAD_VALUE, "anchor %d: target (%g, %g, %g) is not finite", (int)anchor,
                      (double)point.x, (double)point.y, (double)point.z);
  world->model.anchors.entries[anchor].target = point;
  world->model.anchors.entries[anchor].moves = true;
  return MSD_OK;
}

int32_t msd_world_get_anchor_count(const msd_world *world) {
  return world ? world->model.anchors.count : 0;
}

msd_anchor_def msd_anchor_get_def(const msd_world *world, int32_t anchor) {
  msd_anchor_def def = msd_default_anchor_def();
  if (!world || anchor < 0 || anchor >= world->model.anchors.count)
    return def;
  const anchor_entry *a = &world->model.anchors.entries[anchor];
  def.particle = a->particle;
  def.point = a->point;
  LAW_WRITE(&def, a->law);
  return def;
}

msd_vec3 msd_anchor_get_force(const msd_world *world, int32_t anchor) {
  const msd_vec3 none = {0, 0, 0};
  if (!world || anchor < 0 || anchor >= world->model.anchors.count)
    return none;
  const anchor_entry *a = &world->model.anchors.entries[anchor];
  return anchor_moves(&world->model.anchors, &world->model.particles, anchor) ? a->force : none;
}
