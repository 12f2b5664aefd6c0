/* The public functions of msd/removal.h that destroy: what they check, and what they touch. All memory is asked
   for before the first item goes. */

#include "engine/base/float_environment.h"
#include "engine/store/tears.h"
#include "engine/world/world.h"

/* ------------------------------------------------------------------------------------------------- one item */

/* What is to go, and what is at hand for it. */
typedef struct removal {
  msd_world *world;
  world_model *model;
  /* The springs at each particle, where particles go. */
  const incidence *springs_at;
  /* What torn springs have cut that go. */
  torn_edges torn;
  /* Whether what is pinned has gone from surfaces. */
  bool lifts;
} removal;

static bool is_gone(const removal *r, msd_item item, int32_t index) {
  return gaps_have(&r->model->gaps, item, index);
}

static void destroy_spring(removal *r, int32_t spring);

static void destroy_backings(removal *r, int32_t spring) {
  const spring_store *s = &r->model->springs;
  for (int32_t n = 0; n < s->backing_count; n++) {
    const int32_t backing = spring_backing_of(&s->backings[n], spring);
    if (backing >= 0)
      destroy_spring(r, backing);
  }
}

/* Others share the masses of the ends of a torn spring only now. */
static void forget_torn(removal *r, int32_t spring) {
  spring_store *s = &r->model->springs;
  const bool relaxes = spring_mass_followers(s) == 0;
  torn_edges_add(&r->torn, s->a[spring], s->b[spring]);
  spring_forget_torn(s, &r->model->particles, spring);
  model_note_change(r->model, change_of_particle(s->a[spring]), relaxes);
  model_note_change(r->model, change_of_particle(s->b[spring]), relaxes);
}

static void destroy_spring(removal *r, int32_t spring) {
  if (is_gone(r, MSD_ITEM_SPRING, spring))
    return;
  gaps_add(&r->model->gaps, MSD_ITEM_SPRING, spring);
  wear_break(&r->world->stepper, spring, false);
  if (spring_is_torn(&r->model->springs, spring))
    forget_torn(r, spring);
  rest_move_cancel(&r->model->springs.moves, spring);
  destroy_backings(r, spring);
}

static void destroy_constraint(removal *r, int32_t constraint) {
  gaps_add(&r->model->gaps, MSD_ITEM_CONSTRAINT, constraint);
  world_break_constraint(r->world, constraint);
}

static void destroy_anchor(removal *r, int32_t anchor) {
  gaps_add(&r->model->gaps, MSD_ITEM_ANCHOR, anchor);
  world_release_anchor(r->world, anchor);
}

static void destroy_angular_spring(removal *r, int32_t spring) {
  gaps_add(&r->model->gaps, MSD_ITEM_ANGULAR_SPRING, spring);
  world_break_angular_spring(r->world, spring);
}

static void destroy_rotor(removal *r, int32_t rotor) {
  rotor_store *s = &r->model->rotors;
  gaps_add(&r->model->gaps, MSD_ITEM_ROTOR, rotor);
  s->inverse_inertia[rotor] = s->velocity[rotor] = s->torque[rotor] = 0;
  r->model->revision.rotors++;
}

/* A one-sided spring is laid out by the pins at its ends. */
static void destroy_particle(removal *r, int32_t particle) {
  incidence_visit at = incidence_at(r->springs_at, particle, 0);
  bool is_laid_out_anew = false;
  int32_t spring;
  while (incidence_next(&at, &spring)) {
    destroy_spring(r, spring);
    is_laid_out_anew = is_laid_out_anew || spring_side(&r->model->springs, spring) != MSD_SPRING_BOTH;
  }
  gaps_add(&r->model->gaps, MSD_ITEM_PARTICLE, particle);
  r->lifts = r->lifts || (r->model->surfaces.count > 0 && r->model->particles.inverse_mass[particle] == 0);
  particle_bury(&r->model->particles, particle);
  model_note_change(r->model, change_of_particle(particle), spring_mass_followers(&r->model->springs) == 0);
  if (is_laid_out_anew)
    model_lay_out_anew(r->model);
  r->model->revision.state++;
}

static void destroy_collider(removal *r, int32_t collider) {
  gaps_add(&r->model->gaps, MSD_ITEM_COLLIDER, collider);
  sleep_wake_near(r->model, &r->model->colliders.entries[collider]);
  r->model->colliders.entries[collider].is_gone = true;
  r->model->revision.colliders++;
}

static void destroy_surface(removal *r, int32_t surface) {
  gaps_add(&r->model->gaps, MSD_ITEM_SURFACE, surface);
  r->model->revision.surfaces++;
}

static void destroy_one(removal *r, msd_item item, int32_t index) {
  static void (*const destroy[MSD_ITEM_COUNT])(removal *, int32_t) = {
      [MSD_ITEM_PARTICLE] = destroy_particle,     [MSD_ITEM_SPRING] = destroy_spring,
      [MSD_ITEM_CONSTRAINT] = destroy_constraint, [MSD_ITEM_ANCHOR] = destroy_anchor,
      [MSD_ITEM_ROTOR] = destroy_rotor,           [MSD_ITEM_ANGULAR_SPRING] = destroy_angular_spring,
      [MSD_ITEM_COLLIDER] = destroy_collider,     [MSD_ITEM_SURFACE] = destroy_surface};
  if (!is_gone(r, item, index))
    destroy[item](r, index);
}

/* ---------------------------------------------------------------------------------------- what goes with it */

static bool has_gone_corner(const removal *r, constraint_corners corners) {
  bool some = false;
  for (int32_t n = 0; n < corners.count; n++)
    some = some || is_gone(r, MSD_ITEM_PARTICLE, corners.particles[n]);
  return some;
}

static void follow_particles(removal *r) {
  const world_model *model = r->model;
  for (int32_t c = 0; c < model->constraints.count; c++)
    if (has_gone_corner(r, constraint_corners_of(&model->constraints, c)))
      destroy_one(r, MSD_ITEM_CONSTRAINT, c);
  for (int32_t n = 0; n < model->anchors.count; n++)
    if (model->anchors.entries[n].particle >= 0 &&
        is_gone(r, MSD_ITEM_PARTICLE, model->anchors.entries[n].particle))
      destroy_one(r, MSD_ITEM_ANCHOR, n);
}

static void follow_rotors(removal *r) {
  const angular_spring_store *s = &r->model->angular_springs;
  for (int32_t e = 0; e < s->count; e++)
    if (is_gone(r, MSD_ITEM_ROTOR, s->a[e]) || (s->b[e] >= 0 && is_gone(r, MSD_ITEM_ROTOR, s->b[e])))
      destroy_one(r, MSD_ITEM_ANGULAR_SPRING, e);
}

static bool drops(const void *context, int32_t surface, const int32_t *corners, int count) {
  const removal *r = context;
  return is_gone(r, MSD_ITEM_SURFACE, surface) || has_gone_corner(r, (constraint_corners){corners, count}) ||
         torn_edges_cut(&r->torn, corners, count);
}

static void wake_dropped(removal *r, int32_t surface, const int32_t *corners, int count) {
  if (!drops(r, surface, corners, count))
    return;
  for (int c = 0; c < count; c++) {
    sleep_wake(&r->model->sleep, corners[c]);
    r->lifts = r->lifts || (r->model->particles.inverse_mass[corners[c]] == 0 &&
                            !is_gone(r, MSD_ITEM_PARTICLE, corners[c]));
  }
}

/* What sleeps beside something that is free wakes with it; what lies on pins does not. */
static void wake_surfaces(removal *r) {
  const surface_store *s = &r->model->surfaces;
  for (int32_t n = 0; n < s->count; n++) {
    const surface_entry *e = &s->entries[n];
    for (int32_t t = e->first_triangle; t < e->first_triangle + e->triangle_count; t++)
      wake_dropped(r, n, s->triangles[t], 3);
    for (int32_t t = e->first_segment; t < e->first_segment + e->segment_count; t++)
      wake_dropped(r, n, s->segments[t], 2);
  }
  if (r->lifts)
    sleep_wake_all(&r->model->sleep);
}

/* Surfaces of which nothing is left go; those that lost something have other tangles, which are found again. */
static void follow_surfaces(removal *r) {
  surface_store *s = &r->model->surfaces;
  torn_edges_sort(&r->torn);
  if (r->model->sleep.pieces > 0)
    wake_surfaces(r);
  if (s->count == 0 || !surface_store_drop(s, drops, r))
    return;
  for (int32_t n = 0; n < s->count; n++)
    if (s->entries[n].triangle_count + s->entries[n].segment_count == 0)
      destroy_one(r, MSD_ITEM_SURFACE, n);
  r->model->revision.surfaces++;
  if (!stepper_has_live_surfaces(&r->world->stepper))
    stepper_take_tangles(&r->world->stepper, &(tangles){.count = 0});
}

/* ---------------------------------------------------------------------------------------------- public API */

/* What is to be destroyed: a list, or a range without one. */
typedef struct selection {
  msd_item item;
  const int32_t *indices;
  int32_t first, count;
} selection;

static int32_t element(const selection *s, int32_t n) {
  return s->indices ? s->indices[n] : s->first + n;
}

static msd_result check_kind(msd_world *world, msd_item item, int32_t count) {
  if (!world_is_open(world))
    return world_say_closed(world);
  if ((unsigned)item >= MSD_ITEM_COUNT)
    return world_fail(world, MSD_BAD_VALUE, "item %d; it must be one of msd_item", (int)item);
  if (count < 0)
    return world_fail(world, MSD_BAD_VALUE, "%d %ss to destroy; it must be 0 or more", (int)count,
                      msd_item_name(item));
  return MSD_OK;
}

static bool cover(removal *r, msd_item item) {
  return gaps_cover(&r->model->gaps, &r->model->memory, item, model_count(r->model, item));
}

/* Of all kinds that may go with what is to go. */
static bool make_room(removal *r, msd_item item) {
  const bool with_particles = item == MSD_ITEM_PARTICLE,
             with_springs = with_particles || item == MSD_ITEM_SPRING;
  if (!cover(r, item) || (with_springs && (!cover(r, MSD_ITEM_SPRING) || !cover(r, MSD_ITEM_SURFACE))) ||
      (with_particles && (!cover(r, MSD_ITEM_CONSTRAINT) || !cover(r, MSD_ITEM_ANCHOR))) ||
      (item == MSD_ITEM_ROTOR && !cover(r, MSD_ITEM_ANGULAR_SPRING)))
    return false;
  if (with_particles && !(r->springs_at = model_springs_at(r->model)))
    return false;
  return torn_edges_open(&r->torn, &r->model->memory, with_springs ? r->model->springs.torn : 0);
}

static msd_result destroy_all(msd_world *world, const selection *s) {
  removal r = {.world = world, .model = &world->model};
  if (s->count == 0)
    return MSD_OK;
  if (!make_room(&r, s->item))
    return world_fail(world, MSD_OUT_OF_MEMORY, "no memory to destroy %d %ss", (int)s->count,
                      msd_item_name(s->item));
  for (int32_t n = 0; n < s->count; n++)
    destroy_one(&r, s->item, element(s, n));
  if (s->item == MSD_ITEM_PARTICLE)
    follow_particles(&r);
  if (s->item == MSD_ITEM_ROTOR)
    follow_rotors(&r);
  if (s->item == MSD_ITEM_PARTICLE || s->item == MSD_ITEM_SURFACE || r.torn.count > 0)
    follow_surfaces(&r);
  torn_edges_free(&r.torn, &world->model.memory);
  return MSD_OK;
}

msd_result msd_destroy_items(msd_world *world, msd_item item, const int32_t *indices, int32_t count) {
  DEFAULT_FLOAT_ENVIRONMENT;
  msd_result result = check_kind(world, item, count);
  if (result == MSD_OK && count > 0 && !indices)
    result = world_fail(world, MSD_BAD_VALUE, "%d %ss to destroy, and no list of them", (int)count,
                        msd_item_name(item));
  for (int32_t n = 0; n < count && result == MSD_OK; n++)
    result = world_check(world, item, indices[n]);
  return result == MSD_OK ? destroy_all(world, &(selection){item, indices, 0, count}) : result;
}

msd_result msd_destroy_range(msd_world *world, msd_item item, msd_range range) {
  DEFAULT_FLOAT_ENVIRONMENT;
  const msd_result result = check_kind(world, item, range.count);
  if (result != MSD_OK)
    return result;
  const int32_t count = world_count(world, item);
  if (range.first < 0 || range.count > count - range.first)
    return world_fail(world, MSD_BAD_INDEX, "%d %ss from %d on; the world has %d", (int)range.count,
                      msd_item_name(item), (int)range.first, (int)count);
  return destroy_all(world, &(selection){item, NULL, range.first, range.count});
}

bool msd_item_is_destroyed(const msd_world *world, msd_item item, int32_t index) {
  return (unsigned)item < MSD_ITEM_COUNT && world_had(world, item, index) && !world_has(world, item, index);
}

int32_t msd_world_get_live_count(const msd_world *world, msd_item item) {
  return world && (unsigned)item < MSD_ITEM_COUNT ? model_live_count(&world->model, item) : 0;
}
