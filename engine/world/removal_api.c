/* Public functions of msd/removal.h that destroy objects. All memory is allocated before the first object is
   destroyed. */

#include "engine/base/float_environment.h"
#include "engine/store/fracture.h"
#include "engine/world/world.h"

/* --------------------------------------------------------------------------------------------- one object */

/* State of one call. */
typedef struct removal {
  msd_world *world;
  world_model *model;
  /* Springs at each particle, if particles are destroyed. */
  const incidence *springs_at;
  /* Edges cut by torn springs that are destroyed. */
  torn_edges torn;
  /* True if pinned particles were removed from collision meshes. */
  bool lifts;
} removal;

static bool is_gone(const removal *r, msd_object item, int32_t index) {
  return tombstones_have(&r->model->tombstones, item, index);
}

static void destroy_spring(removal *r, int32_t spring);

static void destroy_companions(removal *r, int32_t spring) {
  const spring_store *s = &r->model->springs;
  for (int32_t n = 0; n < s->companion_count; n++) {
    const int32_t companion = spring_companion_of(&s->companions[n], spring);
    if (companion >= 0)
      destroy_spring(r, companion);
  }
}

/* Releases the mass share that a torn spring has at its ends. Torn springs keep it until they are destroyed. */
static void forget_torn(removal *r, int32_t spring) {
  spring_store *s = &r->model->springs;
  const bool relaxes = spring_mass_followers(s) == 0;
  torn_edges_add(&r->torn, s->a[spring], s->b[spring]);
  spring_forget_torn(s, &r->model->particles, spring);
  model_note_change(r->model, change_of_particle(s->a[spring]), relaxes);
  model_note_change(r->model, change_of_particle(s->b[spring]), relaxes);
}

static void destroy_spring(removal *r, int32_t spring) {
  if (is_gone(r, MSD_OBJECT_SPRING, spring))
    return;
  tombstones_add(&r->model->tombstones, MSD_OBJECT_SPRING, spring);
  damage_break(&r->world->stepper, spring, false);
  if (spring_is_torn(&r->model->springs, spring))
    forget_torn(r, spring);
  rest_move_cancel(&r->model->springs.moves, spring);
  destroy_companions(r, spring);
}

static void destroy_constraint(removal *r, int32_t constraint) {
  tombstones_add(&r->model->tombstones, MSD_OBJECT_CONSTRAINT, constraint);
  world_break_constraint(r->world, constraint);
}

static void destroy_soft_pin(removal *r, int32_t soft_pin) {
  tombstones_add(&r->model->tombstones, MSD_OBJECT_SOFT_PIN, soft_pin);
  world_release_soft_pin(r->world, soft_pin);
}

static void destroy_torsion_spring(removal *r, int32_t spring) {
  tombstones_add(&r->model->tombstones, MSD_OBJECT_TORSION_SPRING, spring);
  world_break_torsion_spring(r->world, spring);
}

static void destroy_rotor(removal *r, int32_t rotor) {
  rotor_store *s = &r->model->rotors;
  tombstones_add(&r->model->tombstones, MSD_OBJECT_ROTOR, rotor);
  s->inverse_inertia[rotor] = s->velocity[rotor] = s->torque[rotor] = 0;
  r->model->revision.rotors++;
}

/* Destroys a particle with its springs. If one of them is one-sided, the network is laid out again, because the
   layout of such a spring depends on pins at its ends. */
static void destroy_particle(removal *r, int32_t particle) {
  incidence_visit at = incidence_at(r->springs_at, particle, 0);
  bool is_laid_out_anew = false;
  int32_t spring;
  while (incidence_next(&at, &spring)) {
    destroy_spring(r, spring);
    is_laid_out_anew = is_laid_out_anew || spring_side(&r->model->springs, spring) != MSD_SPRING_BOTH;
  }
  tombstones_add(&r->model->tombstones, MSD_OBJECT_PARTICLE, particle);
  r->lifts = r->lifts || (r->model->surfaces.count > 0 && r->model->particles.inverse_mass[particle] == 0);
  particle_deactivate(&r->model->particles, particle);
  model_note_change(r->model, change_of_particle(particle), spring_mass_followers(&r->model->springs) == 0);
  if (is_laid_out_anew)
    model_lay_out_anew(r->model);
  r->model->revision.state++;
}

static void destroy_collider(removal *r, int32_t collider) {
  tombstones_add(&r->model->tombstones, MSD_OBJECT_COLLIDER, collider);
  sleep_wake_near(r->model, &r->model->colliders.entries[collider]);
  r->model->colliders.entries[collider].is_gone = true;
  r->model->revision.colliders++;
}

static void destroy_surface(removal *r, int32_t surface) {
  tombstones_add(&r->model->tombstones, MSD_OBJECT_COLLISION_MESH, surface);
  r->model->revision.surfaces++;
}

static void destroy_one(removal *r, msd_object item, int32_t index) {
  static void (*const destroy[MSD_OBJECT_COUNT])(removal *, int32_t) = {
      [MSD_OBJECT_PARTICLE] = destroy_particle,     [MSD_OBJECT_SPRING] = destroy_spring,
      [MSD_OBJECT_CONSTRAINT] = destroy_constraint, [MSD_OBJECT_SOFT_PIN] = destroy_soft_pin,
      [MSD_OBJECT_ROTOR] = destroy_rotor,           [MSD_OBJECT_TORSION_SPRING] = destroy_torsion_spring,
      [MSD_OBJECT_COLLIDER] = destroy_collider,     [MSD_OBJECT_COLLISION_MESH] = destroy_surface};
  if (!is_gone(r, item, index))
    destroy[item](r, index);
}

/* -------------------------------------------------------------------------------------- dependent objects */

static bool has_gone_corner(const removal *r, constraint_corners corners) {
  bool some = false;
  for (int32_t n = 0; n < corners.count; n++)
    some = some || is_gone(r, MSD_OBJECT_PARTICLE, corners.particles[n]);
  return some;
}

static void follow_particles(removal *r) {
  const world_model *model = r->model;
  for (int32_t c = 0; c < model->constraints.count; c++)
    if (has_gone_corner(r, constraint_corners_of(&model->constraints, c)))
      destroy_one(r, MSD_OBJECT_CONSTRAINT, c);
  for (int32_t n = 0; n < model->soft_pins.count; n++)
    if (model->soft_pins.entries[n].particle >= 0 &&
        is_gone(r, MSD_OBJECT_PARTICLE, model->soft_pins.entries[n].particle))
      destroy_one(r, MSD_OBJECT_SOFT_PIN, n);
}

static void follow_rotors(removal *r) {
  const torsion_spring_store *s = &r->model->torsion_springs;
  for (int32_t e = 0; e < s->count; e++)
    if (is_gone(r, MSD_OBJECT_ROTOR, s->a[e]) || (s->b[e] >= 0 && is_gone(r, MSD_OBJECT_ROTOR, s->b[e])))
      destroy_one(r, MSD_OBJECT_TORSION_SPRING, e);
}

static bool drops(const void *context, int32_t surface, const int32_t *corners, int count) {
  const removal *r = context;
  return is_gone(r, MSD_OBJECT_COLLISION_MESH, surface) ||
         has_gone_corner(r, (constraint_corners){corners, count}) || torn_edges_cut(&r->torn, corners, count);
}

static void wake_dropped(removal *r, int32_t surface, const int32_t *corners, int count) {
  if (!drops(r, surface, corners, count))
    return;
  for (int c = 0; c < count; c++) {
    sleep_wake(&r->model->sleep, corners[c]);
    r->lifts = r->lifts || (r->model->particles.inverse_mass[corners[c]] == 0 &&
                            !is_gone(r, MSD_OBJECT_PARTICLE, corners[c]));
  }
}

/* Components that sleep in contact with a removed free element wake with it. Contact with pins does not join
   islands, so if a pinned element is removed, everything wakes. */
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

/* Destroys collision meshes that have become empty. Other meshes that lost elements need a new search for
   penetrations. */
static void follow_surfaces(removal *r) {
  surface_store *s = &r->model->surfaces;
  torn_edges_sort(&r->torn);
  if (r->model->sleep.pieces > 0)
    wake_surfaces(r);
  if (s->count == 0 || !surface_store_drop(s, drops, r))
    return;
  for (int32_t n = 0; n < s->count; n++)
    if (s->entries[n].triangle_count + s->entries[n].segment_count == 0)
      destroy_one(r, MSD_OBJECT_COLLISION_MESH, n);
  r->model->revision.surfaces++;
  if (!stepper_has_live_surfaces(&r->world->stepper))
    stepper_take_penetrations(&r->world->stepper, &(penetrations){.count = 0});
}

/* --------------------------------------------------------------------------------------------- public API */

/* Objects to destroy: a list, or a range if `indices` is NULL. */
typedef struct selection {
  msd_object item;
  const int32_t *indices;
  int32_t first, count;
} selection;

static int32_t element(const selection *s, int32_t n) {
  return s->indices ? s->indices[n] : s->first + n;
}

static msd_result check_kind(msd_world *world, msd_object item, int32_t count) {
  if (!world_is_open(world))
    return fail_locked(world);
  if ((unsigned)item >= MSD_OBJECT_COUNT)
    return world_fail(world, MSD_BAD_VALUE, "object type %d; it must be one of msd_object", (int)item);
  if (count < 0)
    return world_fail(world, MSD_BAD_VALUE, "%d %ss to destroy; it must be 0 or more", (int)count,
                      msd_object_name(item));
  return MSD_OK;
}

static bool cover(removal *r, msd_object item) {
  return tombstones_cover(&r->model->tombstones, &r->model->memory, item, model_count(r->model, item));
}

/* Reserves memory for all types of objects that may be destroyed along. */
static bool make_room(removal *r, msd_object item) {
  const bool with_particles = item == MSD_OBJECT_PARTICLE,
             with_springs = with_particles || item == MSD_OBJECT_SPRING;
  if (!cover(r, item) ||
      (with_springs && (!cover(r, MSD_OBJECT_SPRING) || !cover(r, MSD_OBJECT_COLLISION_MESH))) ||
      (with_particles && (!cover(r, MSD_OBJECT_CONSTRAINT) || !cover(r, MSD_OBJECT_SOFT_PIN))) ||
      (item == MSD_OBJECT_ROTOR && !cover(r, MSD_OBJECT_TORSION_SPRING)))
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
                      msd_object_name(s->item));
  for (int32_t n = 0; n < s->count; n++)
    destroy_one(&r, s->item, element(s, n));
  if (s->item == MSD_OBJECT_PARTICLE)
    follow_particles(&r);
  if (s->item == MSD_OBJECT_ROTOR)
    follow_rotors(&r);
  if (s->item == MSD_OBJECT_PARTICLE || s->item == MSD_OBJECT_COLLISION_MESH || r.torn.count > 0)
    follow_surfaces(&r);
  torn_edges_free(&r.torn, &world->model.memory);
  return MSD_OK;
}

msd_result msd_destroy_objects(msd_world *world, msd_object item, const int32_t *indices, int32_t count) {
  DEFAULT_FLOAT_ENVIRONMENT;
  msd_result result = check_kind(world, item, count);
  if (result == MSD_OK && count > 0 && !indices)
    result = world_fail(world, MSD_BAD_VALUE, "%d %ss to destroy, and no list of them", (int)count,
                        msd_object_name(item));
  for (int32_t n = 0; n < count && result == MSD_OK; n++)
    result = world_check(world, item, indices[n]);
  return result == MSD_OK ? destroy_all(world, &(selection){item, indices, 0, count}) : result;
}

msd_result msd_destroy_range(msd_world *world, msd_object item, msd_range range) {
  DEFAULT_FLOAT_ENVIRONMENT;
  const msd_result result = check_kind(world, item, range.count);
  if (result != MSD_OK)
    return result;
  const int32_t count = world_count(world, item);
  if (range.first < 0 || range.count > count - range.first)
    return world_fail(world, MSD_BAD_INDEX, "%d %ss from %d on; the world has %d", (int)range.count,
                      msd_object_name(item), (int)range.first, (int)count);
  return destroy_all(world, &(selection){item, NULL, range.first, range.count});
}

bool msd_object_is_destroyed(const msd_world *world, msd_object item, int32_t index) {
  return (unsigned)item < MSD_OBJECT_COUNT && index_was_valid(world, item, index) &&
         !world_has(world, item, index);
}

int32_t msd_world_get_live_count(const msd_world *world, msd_object item) {
  return world && (unsigned)item < MSD_OBJECT_COUNT ? model_live_count(&world->model, item) : 0;
}
