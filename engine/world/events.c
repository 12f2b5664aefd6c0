#include "engine/world/events.h"

#include "engine/base/growth.h"
#include "engine/base/min_max.h"
#include "engine/base/sort.h"
#include "engine/world/world.h"

#include <string.h>

static const growth_array touch_arrays[] = {GROWTH_ARRAY(contact_list, pairs)};
static const growth_table touch_growth =
    GROWTH(contact_list, count, capacity, touch_arrays, .most = INT32_MAX);

void callback_work_free(callback_work *c, memory *m) {
  for (int kind = 0; kind < TOUCH_KINDS; kind++) {
    growth_free(&touch_growth, &c->told[kind], m);
    growth_free(&touch_growth, &c->found[kind], m);
    growth_free(&touch_growth, &c->left[kind], m);
  }
  memory_release(m, c->was_torn);
  *c = (callback_work){0};
}

msd_result msd_world_set_callbacks(msd_world *world, const msd_callbacks *callbacks) {
  if (!world_is_open(world))
    return fail_locked(world);
  callback_work_free(&world->callbacks, &world->model.memory);
  if (callbacks)
    world->callbacks.given = *callbacks;
  return MSD_OK;
}

msd_callbacks msd_world_get_callbacks(const msd_world *world) {
  return world ? world->callbacks.given : (msd_callbacks){0};
}

void events_emit(const msd_world *world, msd_substep_function function, msd_substep_info moment) {
  if (function)
    function(world, &moment, world->callbacks.given.context);
}

/* ------------------------------------------------------------------------------------------- torn springs */

msd_result callbacks_begin_step(msd_world *world) {
  callback_work *c = &world->callbacks;
  const spring_store *springs = &world->model.springs;
  c->torn_count = c->given.spring_torn && springs->damage ? springs->count : 0;
  if (c->torn_count > c->torn_room) {
    uint8_t *larger = memory_replace(&world->model.memory, c->was_torn, (size_t)c->torn_count);
    if (!larger)
      return world_fail(world, MSD_OUT_OF_MEMORY, "no memory for the tear events of %d springs",
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

/* ----------------------------------------------------------------------------------------- contact events */

static msd_contact_event touch_of(int kind, touching_pair p) {
  return kind == TOUCHES_COLLIDER
             ? (msd_contact_event){.particle = p.first, .collider = p.second, .mesh_a = -1, .mesh_b = -1}
             : (msd_contact_event){.particle = -1, .collider = -1, .mesh_a = p.first, .mesh_b = p.second};
}

static bool is_before(touching_pair p, touching_pair other) {
  return p.first < other.first || (p.first == other.first && p.second < other.second);
}

/* Returns true if a sorted list contains a pair at or after `place`, which advances to the first pair that is
   not before it. */
static bool find(const contact_list *list, touching_pair p, int32_t *place) {
  while (*place < list->count && is_before(list->pairs[*place], p))
    ++*place;
  return *place < list->count && !is_before(p, list->pairs[*place]);
}

/* Adds a pair unless the list contains it. Particles arrive in ascending order, and there are few pairs of
   meshes. Returns false if memory runs out. */
static bool add(contact_list *list, memory *m, int32_t first, int32_t second) {
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

static void move_touches(contact_list *list, const int32_t *first_to, const int32_t *second_to) {
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

bool callbacks_need_contacts(const msd_world *world) {
  return world->callbacks.given.contact_begin || world->callbacks.given.contact_end;
}

static touching_pair pair_of(const msd_world *world, int kind, const contact_record *c) {
  if (kind == TOUCHES_COLLIDER)
    return (touching_pair){c->key[0], c->key[1]};
  const int32_t *mesh = world->stepper.penetrations.surface;
  const int32_t a = mesh[c->key[1]], b = mesh[c->key[PAIR_CORNERS]];
  return (touching_pair){int_min(a, b), int_max(a, b)};
}

static bool has_pair(const contact_list *list, touching_pair p) {
  int32_t place = sorted_place(list->pairs, list->count, sizeof p, p.first);
  return find(list, p, &place);
}

/* Lists the pairs in contact in the last substep, then the pairs that were in contact only before it. */
static bool find_recorded(msd_world *world, int kind) {
  callback_work *c = &world->callbacks;
  const contact_records *all = &world->stepper.record.contacts[kind];
  bool done = true;
  for (int turn = 0; turn < 2; turn++)
    for (int32_t n = 0; n < all->count && done; n++) {
      const touching_pair p = pair_of(world, kind, &all->items[n]);
      if (turn == 0 && all->items[n].is_last)
        done = add(&c->found[kind], &world->model.memory, p.first, p.second);
      if (turn == 1 && !all->items[n].is_last && !has_pair(&c->found[kind], p))
        done = add(&c->left[kind], &world->model.memory, p.first, p.second);
    }
  return done;
}

static bool find_on_colliders(msd_world *world, contact_list *list) {
  const contact_work *w = &world->stepper.contacts;
  bool done = true;
  for (int32_t i = 0; stepper_has_contacts(&world->stepper) && i < w->particles && done; i++) {
    const int32_t collider = world_pushed_by(world, i);
    done = collider < 0 || add(list, &world->model.memory, i, collider);
  }
  return done;
}

static bool find_on_surfaces(msd_world *world, contact_list *list) {
  const near_pairs *near = &world->stepper.self.near;
  const penetrations *all = &world->stepper.penetrations;
  const bool has_surfaces = stepper_has_surfaces(&world->stepper) && penetrations_are_placed(all);
  bool done = true;
  for (int32_t n = 0; has_surfaces && n < near->count && done; n++) {
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
  if (!callbacks_need_contacts(world))
    return MSD_OK;
  for (int kind = 0; kind < TOUCH_KINDS; kind++)
    c->found[kind].count = c->left[kind].count = 0;
  const bool is_recorded = world->stepper.record.what & MSD_RECORD_CONTACTS;
  if (is_recorded ? !find_recorded(world, TOUCHES_COLLIDER) || !find_recorded(world, TOUCHES_SURFACE)
                  : !find_on_colliders(world, &c->found[TOUCHES_COLLIDER]) ||
                        !find_on_surfaces(world, &c->found[TOUCHES_SURFACE]))
    return world_fail(world, MSD_OUT_OF_MEMORY, "no memory for the contact events; the step is complete");
  c->has_found = true;
  return MSD_OK;
}

/* Calls `function` for the pairs of `one` that are missing in `other`. */
static void emit_difference(const msd_world *world, msd_contact_event_function function,
                            const contact_list *one, const contact_list *other, int kind) {
  int32_t place = 0;
  for (int32_t n = 0; function && n < one->count; n++) {
    const msd_contact_event touch = touch_of(kind, one->pairs[n]);
    if (!find(other, one->pairs[n], &place))
      function(world, &touch, world->callbacks.given.context);
  }
}

static void tell_touches(msd_world *world) {
  callback_work *c = &world->callbacks;
  for (int kind = 0; kind < TOUCH_KINDS; kind++)
    emit_difference(world, c->given.contact_end, &c->told[kind], &c->found[kind], kind);
  for (int kind = 0; kind < TOUCH_KINDS; kind++)
    emit_difference(world, c->given.contact_begin, &c->found[kind], &c->told[kind], kind);
  for (int kind = 0; kind < TOUCH_KINDS; kind++)
    emit_difference(world, c->given.contact_begin, &c->left[kind], &c->told[kind], kind);
  for (int kind = 0; kind < TOUCH_KINDS; kind++)
    emit_difference(world, c->given.contact_end, &c->left[kind], &c->told[kind], kind);
  for (int kind = 0; kind < TOUCH_KINDS; kind++) {
    const contact_list old = c->told[kind];
    c->told[kind] = c->found[kind];
    c->found[kind] = old;
  }
  c->has_found = false;
}

void callbacks_end_step(msd_world *world, msd_substep_info moment) {
  if (moment.result == MSD_OK)
    tell_torn(world);
  if (world->callbacks.has_found)
    tell_touches(world);
  events_emit(world, world->callbacks.given.after_step, moment);
}
