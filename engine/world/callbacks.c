#include "engine/world/callbacks.h"

#include "engine/base/growth.h"
#include "engine/base/min_max.h"
#include "engine/base/sort.h"
#include "engine/world/world.h"

#include <string.h>

static const growth_array touch_arrays[] = {GROWTH_ARRAY(touch_list, pairs)};
static const growth_table touch_growth = GROWTH(touch_list, count, capacity, touch_arrays, .most = INT32_MAX);

void callback_work_free(callback_work *c, memory *m) {
  for (int kind = 0; kind < TOUCH_KINDS; kind++) {
    growth_free(&touch_growth, &c->told[kind], m);
    growth_free(&touch_growth, &c->found[kind], m);
  }
  memory_release(m, c->was_torn);
  *c = (callback_work){0};
}

msd_result msd_world_set_callbacks(msd_world *world, const msd_callbacks *callbacks) {
  if (!world_is_open(world))
    return world_say_closed(world);
  callback_work_free(&world->callbacks, &world->model.memory);
  if (callbacks)
    world->callbacks.given = *callbacks;
  return MSD_OK;
}

msd_callbacks msd_world_get_callbacks(const msd_world *world) {
  return world ? world->callbacks.given : (msd_callbacks){0};
}

void callbacks_tell(const msd_world *world, msd_moment_function function, msd_moment moment) {
  if (function)
    function(world, &moment, world->callbacks.given.context);
}

/* ----------------------------------------------------------------------------------------------- torn
   springs */

msd_result callbacks_begin_step(msd_world *world) {
  callback_work *c = &world->callbacks;
  const spring_store *springs = &world->model.springs;
  c->torn_count = c->given.spring_torn && springs->wear ? springs->count : 0;
  if (c->torn_count > c->torn_room) {
    uint8_t *larger = memory_replace(&world->model.memory, c->was_torn, (size_t)c->torn_count);
    if (!larger)
      return world_fail(world, MSD_OUT_OF_MEMORY, "no memory to know which of %d springs will be torn",
                        (int)c->torn_count);
    c->was_torn = larger;
    c->torn_room = c->torn_count;
  }
  for (int32_t e = 0; e < c->torn_count; e++)
    c->was_torn[e] = spring_is_torn(springs, e);
  return MSD_OK;
}

static void tell_torn(const msd_world *world) {
  const callback_work *c = &world->callbacks;
  for (int32_t e = 0; e < c->torn_count; e++)
    if (!c->was_torn[e] && spring_is_torn(&world->model.springs, e))
      c->given.spring_torn(world, e, c->given.context);
}

/* ------------------------------------------------------------------------------------------------ what
   touches */

static msd_touch touch_of(int kind, touching_pair p) {
  return kind == TOUCHES_COLLIDER
             ? (msd_touch){.particle = p.first, .collider = p.second, .surface_a = -1, .surface_b = -1}
             : (msd_touch){.particle = -1, .collider = -1, .surface_a = p.first, .surface_b = p.second};
}

static bool is_before(touching_pair p, touching_pair other) {
  return p.first < other.first || (p.first == other.first && p.second < other.second);
}

/* Whether a list has a pair at a place or behind it, which becomes that of the first that is not before it. */
static bool find(const touch_list *list, touching_pair p, int32_t *place) {
  while (*place < list->count && is_before(list->pairs[*place], p))
    ++*place;
  return *place < list->count && !is_before(p, list->pairs[*place]);
}

/* Once. Particles come in their order, and of surfaces there are few pairs, however many contacts. False
   without memory. */
static bool add(touch_list *list, memory *m, int32_t first, int32_t second) {
  const touching_pair pair = {first, second};
  int32_t place = sorted_place(list->pairs, list->count, sizeof pair, first);
  if (find(list, pair, &place))
    return true;
  if (!growth_reserve(&touch_growth, list, m, list->count + (int64_t)1))
    return false;
  touching_pair *at = list->pairs + place;
  memmove(at + 1, at, (size_t)(list->count - place) * sizeof pair);
  *at = pair;
  list->count++;
  return true;
}

static void move_touches(touch_list *list, const int32_t *first_to, const int32_t *second_to) {
  int32_t kept = 0;
  for (int32_t n = 0; n < list->count; n++) {
    const touching_pair pair = list->pairs[n];
    const touching_pair moved = {first_to ? first_to[pair.first] : pair.first,
                                 second_to ? second_to[pair.second] : pair.second};
    if (moved.first >= 0 && moved.second >= 0)
      list->pairs[kept++] = moved;
  }
  list->count = kept;
}

void callbacks_close_gaps(callback_work *c, const int32_t *particle_to, const int32_t *collider_to,
                          const int32_t *surface_to) {
  move_touches(&c->told[TOUCHES_COLLIDER], particle_to, collider_to);
  move_touches(&c->told[TOUCHES_SURFACE], surface_to, surface_to);
}

static bool find_on_colliders(msd_world *world, touch_list *list) {
  const contact_work *w = &world->stepper.contacts;
  bool done = true;
  for (int32_t i = 0; stepper_has_contacts(&world->stepper) && i < w->particles && done; i++) {
    const int32_t collider = world_pushed_by(world, i);
    done = collider < 0 || add(list, &world->model.memory, i, collider);
  }
  return done;
}

static bool find_on_surfaces(msd_world *world, touch_list *list) {
  const near_pairs *near = &world->stepper.self.near;
  const tangles *all = &world->stepper.tangles;
  bool done = true;
  for (int32_t n = 0; stepper_has_surfaces(&world->stepper) && n < near->count && done; n++) {
    near_contact contact;
    if (!near_pairs_get_contact(near, n, &contact))
      continue;
    const int32_t a = all->surface[all->particle[contact.slots[0]]];
    const int32_t b = all->surface[all->particle[contact.slots[PAIR_CORNERS - 1]]];
    done = add(list, &world->model.memory, int_min(a, b), int_max(a, b));
  }
  return done;
}

msd_result callbacks_find_touches(msd_world *world) {
  callback_work *c = &world->callbacks;
  if (!c->given.contact_begin && !c->given.contact_end)
    return MSD_OK;
  for (int kind = 0; kind < TOUCH_KINDS; kind++)
    c->found[kind].count = 0;
  if (!find_on_colliders(world, &c->found[TOUCHES_COLLIDER]) ||
      !find_on_surfaces(world, &c->found[TOUCHES_SURFACE]))
    return world_fail(world, MSD_OUT_OF_MEMORY, "no memory to know what touches; the step is complete");
  c->has_found = true;
  return MSD_OK;
}

/* Those of one list that the other lacks. */
static void tell_missing(const msd_world *world, msd_touch_function function, const touch_list *one,
                         const touch_list *other, int kind) {
  int32_t place = 0;
  for (int32_t n = 0; function && n < one->count; n++) {
    const msd_touch touch = touch_of(kind, one->pairs[n]);
    if (!find(other, one->pairs[n], &place))
      function(world, &touch, world->callbacks.given.context);
  }
}

static void tell_touches(msd_world *world) {
  callback_work *c = &world->callbacks;
  for (int kind = 0; kind < TOUCH_KINDS; kind++)
    tell_missing(world, c->given.contact_end, &c->told[kind], &c->found[kind], kind);
  for (int kind = 0; kind < TOUCH_KINDS; kind++)
    tell_missing(world, c->given.contact_begin, &c->found[kind], &c->told[kind], kind);
  for (int kind = 0; kind < TOUCH_KINDS; kind++) {
    const touch_list old = c->told[kind];
    c->told[kind] = c->found[kind];
    c->found[kind] = old;
  }
  c->has_found = false;
}

void callbacks_end_step(msd_world *world, msd_moment moment) {
  if (moment.result == MSD_OK)
    tell_torn(world);
  if (world->callbacks.has_found)
    tell_touches(world);
  callbacks_tell(world, world->callbacks.given.after_step, moment);
}
