/* Public functions of msd/collider.h: argument checks, and changes of the world. */

#include "engine/base/float_environment.h"
#include "engine/base/portable_math.h"
#include "engine/base/quaternion.h"
#include "engine/collider/motion.h"
#include "engine/world/world.h"

/* -------------------------------------------------------------------------------------------- definitions */

const char *msd_collider_kind_name(msd_collider_kind kind) {
  static const char *const names[MSD_COLLIDER_KIND_COUNT] = {"plane", "sphere", "capsule", "box"};
  return (unsigned)kind < MSD_COLLIDER_KIND_COUNT ? names[kind] : NULL;
}

msd_collider_def msd_default_collider_def(void) {
  return (msd_collider_def){.kind = MSD_COLLIDER_PLANE,
                            .rotation = {1, 0, 0, 0},
                            .normal = {0, 1, 0},
                            .radius = 1,
                            .size = {1, 1, 1},
                            .friction = MSD_CONTACT_FRICTION,
                            .cookie = MSD_COLLIDER_COOKIE};
}

msd_contact_settings msd_default_contact_settings(void) {
  return (msd_contact_settings){
      .thickness = (msd_real)0.005, .friction = (msd_real)0.3, .cookie = MSD_CONTACT_COOKIE};
}

msd_quaternion msd_quaternion_from_degrees(msd_vec3 degrees) {
  const double angle[3] = {(double)degrees.x, (double)degrees.y, (double)degrees.z};
  msd_quaternion all = {1, 0, 0, 0};
  for (int axis = 0; axis < 3; axis++) {
    double sine = 0, cosine = 1;
    if (isfinite(angle[axis]))
      elementary_sin_cos(angle[axis] * (3.14159265358979323846 / 360), &sine, &cosine);
    const msd_quaternion one = {cosine, axis == 0 ? sine : 0, axis == 1 ? sine : 0, axis == 2 ? sine : 0};
    all = quaternion_product(one, all);
  }
  return all;
}

static msd_result check_above(report *r, subject about, const char *field, double value) {
  return value > 0 && isfinite(value)
             ? MSD_OK
             : report_refuse(r, MSD_BAD_VALUE, about, "%s is %g; it must be finite and above 0", field,
                             value);
}

static msd_result check_pose(report *r, subject about, msd_vec3 position, msd_quaternion rotation) {
  const msd_result result = check_vector(r, about, "position", position);
  if (result != MSD_OK || collider_normalize(&rotation))
    return result;
  return report_refuse(r, MSD_BAD_VALUE, about, "rotation is (%g, %g, %g, %g); it must be finite and not 0",
                       rotation.w, rotation.x, rotation.y, rotation.z);
}

/* Checks the fields that belong to the type of the collider. */
static msd_result check_shape(report *r, subject about, const msd_collider_def *def) {
  msd_result result = MSD_OK;
  if (def->kind == MSD_COLLIDER_PLANE) {
    msd_vec3 normal = def->normal;
    result = check_vector(r, about, "normal", normal);
    if (result == MSD_OK && !collider_normalize_vector(&normal))
      return report_refuse(r, MSD_BAD_VALUE, about, "normal has no length; it must point out of the plane");
  }
  if (def->kind == MSD_COLLIDER_CAPSULE)
    result = check_vector(r, about, "from", def->from);
  if (result == MSD_OK && def->kind == MSD_COLLIDER_CAPSULE)
    result = check_vector(r, about, "to", def->to);
  if (result == MSD_OK && (def->kind == MSD_COLLIDER_CAPSULE || def->kind == MSD_COLLIDER_SPHERE))
    result = check_above(r, about, "radius", (double)def->radius);
  const double sides[3] = {(double)def->size.x, (double)def->size.y, (double)def->size.z};
  for (int side = 0; side < 3 && result == MSD_OK && def->kind == MSD_COLLIDER_BOX; side++)
    result = check_above(r, about, "a side of size", sides[side]);
  return result;
}

static msd_result check_def(report *r, const msd_collider_def *def, subject about) {
  msd_result result = check_cookie(r, about, def ? &def->cookie : NULL, MSD_COLLIDER_COOKIE);
  if (result != MSD_OK)
    return result;
  if ((unsigned)def->kind >= MSD_COLLIDER_KIND_COUNT)
    return report_refuse(r, MSD_BAD_VALUE, about, "kind is %d; it must be plane, sphere, capsule or box",
                         (int)def->kind);
  result = check_pose(r, about, def->position, def->rotation);
  if (result == MSD_OK)
    result = check_shape(r, about, def);
  if (result != MSD_OK || def->friction == MSD_CONTACT_FRICTION ||
      (def->friction >= 0 && isfinite(def->friction)))
    return result;
  return report_refuse(r, MSD_BAD_VALUE, about,
                       "friction is %g; it must be finite and 0 or more, or MSD_CONTACT_FRICTION",
                       (double)def->friction);
}

/* Fields that do not belong to the type are ignored and get their defaults. */
static msd_collider_def with_own_fields(const msd_collider_def *def) {
  msd_collider_def own = msd_default_collider_def();
  own.kind = def->kind;
  own.position = def->position;
  own.rotation = def->rotation;
  own.friction = def->friction;
  if (def->kind == MSD_COLLIDER_PLANE)
    own.normal = def->normal;
  if (def->kind == MSD_COLLIDER_BOX)
    own.size = def->size;
  if (def->kind == MSD_COLLIDER_CAPSULE) {
    own.from = def->from;
    own.to = def->to;
  }
  if (def->kind == MSD_COLLIDER_CAPSULE || def->kind == MSD_COLLIDER_SPHERE)
    own.radius = def->radius;
  return own;
}

static collider_entry entry_of(const msd_collider_def *def) {
  const msd_collider_def own = with_own_fields(def);
  return collider_entry_of(&own);
}

/* ---------------------------------------------------------------------------------------------- colliders */

msd_result msd_add_colliders(msd_world *world, const msd_collider_def *defs, int count, int32_t *first) {
  DEFAULT_FLOAT_ENVIRONMENT;
  if (!world_is_open(world))
    return fail_locked(world);
  msd_result result = check_list(&world->model.report, __func__, count, defs);
  for (int i = 0; i < count && result == MSD_OK; i++)
    result = check_def(&world->model.report, &defs[i], (subject){"collider definition", i, NULL});
  if (result == MSD_OK)
    result = world_reserve(world, &(world_size){.colliders = count});
  if (result != MSD_OK)
    return result;
  collider_store *s = &world->model.colliders;
  if (first)
    *first = s->count;
  for (int i = 0; i < count; i++)
    s->entries[s->count++] = entry_of(&defs[i]);
  for (int i = 0; i < count; i++)
    sleep_wake_near(&world->model, &s->entries[s->count - 1 - i]);
  world->model.revision.colliders++;
  return MSD_OK;
}

msd_result msd_collider_set_def(msd_world *world, int32_t collider, const msd_collider_def *def) {
  DEFAULT_FLOAT_ENVIRONMENT;
  msd_result result = world_check(world, MSD_OBJECT_COLLIDER, collider);
  if (result == MSD_OK)
    result = check_def(&world->model.report, def, (subject){"collider", collider, NULL});
  if (result != MSD_OK)
    return result;
  collider_entry *entry = &world->model.colliders.entries[collider];
  sleep_wake_near(&world->model, entry);
  *entry = entry_of(def);
  sleep_wake_near(&world->model, entry);
  world->model.revision.colliders++;
  return MSD_OK;
}

/* rad: closer to half a turn than this, the shorter arc is a matter of rounding; and the difference that a turn
   may leave to its target. */
static const double TURN_TOLERANCE = 0.02;

static const double PI = 3.14159265358979323846;

static msd_result check_path(msd_world *world, int32_t collider, const collider_entry *moved) {
  const double degrees = 180 / PI;
  if (!moved->has_turn && collider_path(moved).angle > PI - TURN_TOLERANCE)
    return world_fail(world, MSD_BAD_VALUE,
                      "collider %d: the rotation is half a turn away, and it is not known on which side; use "
                      "msd_collider_move_along",
                      (int)collider);
  const double rest = moved->has_turn ? collider_turn_rest(moved) : 0;
  if (rest > TURN_TOLERANCE)
    return world_fail(world, MSD_BAD_VALUE, "collider %d: the turn ends %g degrees away from the rotation",
                      (int)collider, rest * degrees);
  return MSD_OK;
}

/* `turn` is NULL for the shorter arc. */
static msd_result move_collider(msd_world *world, int32_t collider, msd_vec3 position,
                                msd_quaternion rotation, const msd_turn *turn) {
  const subject about = {"collider", collider, NULL};
  msd_result result = world_check(world, MSD_OBJECT_COLLIDER, collider);
  if (result == MSD_OK)
    result = check_pose(&world->model.report, about, position, rotation);
  if (result == MSD_OK && turn)
    result = check_turn(&world->model.report, about, *turn);
  if (result != MSD_OK)
    return result;
  collider_entry *c = &world->model.colliders.entries[collider];
  collider_entry moved = *c;
  collider_normalize(&rotation);
  moved.target = (collider_pose){vec3_double(position), rotation};
  moved.has_turn = turn != NULL;
  moved.turn = turn ? *turn : (msd_turn){{0, 0, 0}, {0, 0, 0}};
  moved.moves = true;
  result = check_path(world, collider, &moved);
  if (result == MSD_OK)
    *c = moved;
  return result;
}

msd_result msd_collider_move_to(msd_world *world, int32_t collider, msd_vec3 position,
                                msd_quaternion rotation) {
  DEFAULT_FLOAT_ENVIRONMENT;
  return move_collider(world, collider, position, rotation, NULL);
}

msd_result msd_collider_move_along(msd_world *world, int32_t collider, msd_vec3 position,
                                   msd_quaternion rotation, msd_turn turn) {
  DEFAULT_FLOAT_ENVIRONMENT;
  return move_collider(world, collider, position, rotation, &turn);
}

int32_t msd_world_get_collider_count(const msd_world *world) {
  return world_count(world, MSD_OBJECT_COLLIDER);
}

msd_collider_def msd_collider_get_def(const msd_world *world, int32_t collider) {
  return world_has(world, MSD_OBJECT_COLLIDER, collider)
             ? collider_def_of(&world->model.colliders.entries[collider])
             : msd_default_collider_def();
}

/* ----------------------------------------------------------------------------------------------- contacts */

msd_result msd_world_set_contact_settings(msd_world *world, const msd_contact_settings *def) {
  if (!world_is_open(world))
    return fail_locked(world);
  report *r = &world->model.report;
  const subject about = {"contact definition", -1, NULL};
  const msd_result result = check_cookie(r, about, def ? &def->cookie : NULL, MSD_CONTACT_COOKIE);
  if (result != MSD_OK)
    return result;
  const contact_settings settings = {def->thickness, def->friction, def->relaxation,
                                     def->error_on_intersection};
  if (!contact_settings_are_sound(settings))
    return report_refuse(
        r, MSD_BAD_VALUE, about,
        "thickness %g, friction %g, relaxation %g; they must be finite and 0 or more, and relaxation below 1",
        (double)def->thickness, (double)def->friction, (double)def->relaxation);
  world->model.contact = settings;
  sleep_wake_all(&world->model.sleep);
  world->model.revision.colliders++;
  return MSD_OK;
}

msd_contact_settings msd_world_get_contact_settings(const msd_world *world) {
  msd_contact_settings def = msd_default_contact_settings();
  if (world) {
    def.thickness = world->model.contact.thickness;
    def.friction = world->model.contact.friction;
    def.relaxation = world->model.contact.relaxation;
    def.error_on_intersection = world->model.contact.error_on_intersection;
  }
  return def;
}

static msd_collider_contact contact_of(const msd_world *world, int32_t particle, int32_t collider) {
  const world_model *model = &world->model;
  const contact_work *w = &world->stepper.contacts;
  const size_t slot = particle_slot(&model->particles, particle);
  const collider_touch touch = collider_find_touch(&model->colliders.entries[collider],
                                                   particle_vector(&model->particles, POSITION_X, particle));
  const double mass = (double)model->particles.mass[particle], factor = mass / model->substep;
  return (msd_collider_contact){.particle = particle,
                                .collider = collider,
                                .point = touch.point,
                                .normal = touch.normal,
                                .force = {(msd_real)((double)w->given[slot] * factor),
                                          (msd_real)((double)w->given[w->stride + slot] * factor),
                                          (msd_real)((double)w->given[2 * w->stride + slot] * factor)},
                                .impulse = {(msd_real)((double)w->given[slot] * mass),
                                            (msd_real)((double)w->given[w->stride + slot] * mass),
                                            (msd_real)((double)w->given[2 * w->stride + slot] * mass)},
                                .is_touching = true};
}

static msd_collider_contact recorded_contact(const frame_record *r, const contact_record *c) {
  const double3 i = c->impulse, f = double3_scale(i, 1 / r->time);
  return (msd_collider_contact){.particle = c->key[0],
                                .collider = c->key[1],
                                .point = c->point,
                                .normal = c->normal,
                                .force = {(msd_real)f.x, (msd_real)f.y, (msd_real)f.z},
                                .impulse = {(msd_real)i.x, (msd_real)i.y, (msd_real)i.z},
                                .is_touching = c->is_last};
}

static int32_t list_recorded(const msd_world *world, msd_collider_contact *contacts, int32_t capacity) {
  const frame_record *r = &world->stepper.record;
  const contact_records *all = &r->contacts[RECORD_OF_COLLIDERS];
  int32_t count = 0;
  for (int32_t n = 0; n < all->count; n++) {
    const contact_record *c = &all->items[n];
    if (!world_has(world, MSD_OBJECT_PARTICLE, c->key[0]) ||
        !world_has(world, MSD_OBJECT_COLLIDER, c->key[1]))
      continue;
    if (contacts && count < capacity)
      contacts[count] = recorded_contact(r, c);
    count++;
  }
  return count;
}

int32_t world_pushed_by(const msd_world *world, int32_t particle) {
  const int32_t collider =
      world->stepper.contacts.pushed_by[particle_slot(&world->model.particles, particle)];
  const bool are_there =
      world_has(world, MSD_OBJECT_COLLIDER, collider) && world_has(world, MSD_OBJECT_PARTICLE, particle);
  return are_there ? collider : -1;
}

int32_t msd_world_get_collider_contacts(const msd_world *world, msd_collider_contact *contacts,
                                        int32_t capacity) {
  DEFAULT_FLOAT_ENVIRONMENT;
  int32_t count = 0;
  if (!world || world->stepper.is_running || !stepper_has_contacts(&world->stepper))
    return 0;
  if (frame_record_has_contacts(&world->stepper.record))
    return list_recorded(world, contacts, capacity);
  const contact_work *w = &world->stepper.contacts;
  for (int32_t i = 0; i < w->particles; i++) {
    const int32_t collider = world_pushed_by(world, i);
    if (collider >= 0 && contacts && count < capacity)
      contacts[count] = contact_of(world, i, collider);
    count += collider >= 0;
  }
  return count;
}
