#include "scenes/loader/collider_reader.h"

#include "scenes/loader/item_names.h"
#include "scenes/loader/track_reader.h"
#include "scenes/loader/transform.h"

#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------------ shapes */

/* Where a collider is placed, and its shape as seen from there. */
typedef struct placed_collider {
  msd_collider_def def;
  scene_key place;
  scene_track track;
} placed_collider;

#define COLLIDER_KEYS "kind", "name", "friction", "motion"

static const quantity friction_coefficient = {"a coefficient of friction of 0 or more", 0, NUMBER_LARGEST};
static const quantity length_above_0 = {"a length above 0 in m", NUMBER_SMALLEST, NUMBER_LARGEST};

static void keep_place(placed_collider *c, msd_vec3 at) {
  c->place.offset[0] = (double)at.x;
  c->place.offset[1] = (double)at.y;
  c->place.offset[2] = (double)at.z;
}

static bool read_plane(const json_place *place, placed_collider *c) {
  static const char *const keys[] = {COLLIDER_KEYS, "point", "normal", NULL};
  msd_vec3 point = {0, 0, 0}, *n = &c->def.normal;
  const json_place normal = place_member(place, "normal");
  if (!place_check_object(place, keys) || !read_vector(place, "point", &point) ||
      !read_vector(place, "normal", n))
    return false;
  keep_place(c, point);
  return n->x != 0 || n->y != 0 || n->z != 0 ||
         place_fail(&normal, "has no length; it must point out of the plane, such as [0, 1, 0]");
}

static bool read_sphere(const json_place *place, placed_collider *c) {
  static const char *const keys[] = {COLLIDER_KEYS, "center", "radius", NULL};
  msd_vec3 center = {0, 0, 0};
  if (!place_check_object(place, keys) || !read_vector(place, "center", &center) ||
      !read_real(place, "radius", &length_above_0, &c->def.radius))
    return false;
  keep_place(c, center);
  return true;
}

/* Turned about its middle. */
static bool read_capsule(const json_place *place, placed_collider *c) {
  static const char *const keys[] = {COLLIDER_KEYS, "from", "to", "radius", NULL};
  msd_vec3 *a = &c->def.from, *b = &c->def.to;
  const char *text = "an end [x, y, z] of the line inside, in m";
  if (!place_check_object(place, keys) || !require_member(place, "from", text) ||
      !require_member(place, "to", text) || !read_vector(place, "from", a) || !read_vector(place, "to", b) ||
      !read_real(place, "radius", &length_above_0, &c->def.radius))
    return false;
  const msd_vec3 middle = {(a->x + b->x) / 2, (a->y + b->y) / 2, (a->z + b->z) / 2};
  *a = (msd_vec3){a->x - middle.x, a->y - middle.y, a->z - middle.z};
  *b = (msd_vec3){b->x - middle.x, b->y - middle.y, b->z - middle.z};
  keep_place(c, middle);
  return true;
}

static bool read_size(const json_place *place, msd_vec3 *size) {
  const json_place list = place_member(place, "size");
  msd_real *const sides[] = {&size->x, &size->y, &size->z};
  if (!list.value)
    return true;
  if (!place_check_array_of(&list, 3, "three lengths above 0 [x, y, z]"))
    return false;
  for (size_t c = 0; c < 3; c++) {
    const json_place side = place_item(&list, c);
    double length = 0;
    if (!place_get_number(&side, &length_above_0, &length))
      return false;
    *sides[c] = (msd_real)length;
  }
  return true;
}

static bool read_box(const json_place *place, placed_collider *c) {
  static const char *const keys[] = {COLLIDER_KEYS, "center", "size", "rotation", NULL};
  msd_vec3 center = {0, 0, 0};
  if (!place_check_object(place, keys) || !read_vector(place, "center", &center) ||
      !read_size(place, &c->def.size) || !read_degrees(place, c->place.rotation))
    return false;
  keep_place(c, center);
  return true;
}

/* --------------------------------------------------------------------------------------------- colliders */

static bool read_kind(const json_place *place, msd_collider_kind *kind) {
  const char *names[MSD_COLLIDER_KIND_COUNT + 1] = {NULL};
  for (int k = 0; k < MSD_COLLIDER_KIND_COUNT; k++)
    names[k] = msd_collider_kind_name((msd_collider_kind)k);
  int choice = 0;
  if (!json_is_object(place->value))
    return place_fail_type(place, "an object { } with a \"kind\"");
  if (!require_member(place, "kind", "\"plane\", \"sphere\", \"capsule\" or \"box\"") ||
      !read_choice(place, "kind", names, &choice))
    return false;
  *kind = (msd_collider_kind)choice;
  return true;
}

/* Begins where its motion has it at the time 0. */
static bool read_motion(const json_place *place, placed_collider *c) {
  if (!place_member(place, "motion").value)
    return true;
  if (!track_read(place, "motion", "position", &c->place, &c->track))
    return false;
  c->place = track_at(&c->track, 0);
  return true;
}

static bool read_collider(const json_place *place, placed_collider *c) {
  static bool (*const readers[])(const json_place *place,
                                 placed_collider *c) = {[MSD_COLLIDER_PLANE] = read_plane,
                                                        [MSD_COLLIDER_SPHERE] = read_sphere,
                                                        [MSD_COLLIDER_CAPSULE] = read_capsule,
                                                        [MSD_COLLIDER_BOX] = read_box};
  c->def = msd_default_collider_def();
  if (!read_kind(place, &c->def.kind) || !readers[c->def.kind](place, c) ||
      !read_real(place, "friction", &friction_coefficient, &c->def.friction) || !read_motion(place, c))
    return false;
  c->def.position = key_position(&c->place);
  c->def.rotation = key_rotation(&c->place);
  return true;
}

static bool keep_names(const json_place *list, scene *s, const placed_collider *read, int count) {
  named_item *items = calloc((size_t)count + 1, sizeof *items);
  s->colliders = calloc((size_t)count + 1, sizeof *s->colliders);
  json_t *numbers = NULL;
  bool done = (items && s->colliders) || place_out_of_memory(list);
  s->collider_count = done ? count : 0;
  for (int i = 0; done && i < count; i++)
    items[i] = (named_item){msd_collider_kind_name(read[i].def.kind), &s->colliders[i].name};
  done = done && item_names_read(list, items, count, &numbers);
  json_decref(numbers);
  free(items);
  return done;
}

/* The tracks go to the timetable. */
static bool keep_motions(const json_place *list, scene_timetable *table, placed_collider *read, int count) {
  table->collider_motions = calloc((size_t)count + 1, sizeof *table->collider_motions);
  if (!table->collider_motions)
    return place_out_of_memory(list);
  for (int i = 0; i < count; i++)
    if (read[i].track.count > 0) {
      table->collider_motions[table->collider_motion_count++] = (scene_collider_motion){i, read[i].track};
      read[i].track = (scene_track){0};
    }
  return true;
}

static bool add_colliders(const json_place *list, scene *s, placed_collider *read, int count) {
  msd_collider_def *defs = calloc((size_t)count + 1, sizeof *defs);
  if (!defs)
    return place_out_of_memory(list);
  for (int i = 0; i < count; i++)
    defs[i] = read[i].def;
  const bool done = msd_add_colliders(s->world, defs, count, NULL) == MSD_OK ||
                    place_fail(list, "%s", msd_world_message(s->world));
  free(defs);
  return done && keep_names(list, s, read, count) && keep_motions(list, &s->timetable, read, count);
}

/* ------------------------------------------------------------------------------------------------ contact */

/* The surface of a body: its triangles, or the segments of a rope; none of loose particles. */
static msd_result add_surface(scene *s, const scene_body *body) {
  msd_surface_def def = msd_default_surface_def();
  def.triangles = body->triangles;
  def.triangle_count = body->triangle_count;
  int32_t *segments = NULL;
  if (strcmp(body->kind, "rope") == 0) {
    segments = malloc(2 * (size_t)body->particles.count * sizeof *segments);
    for (int32_t i = 0; segments && i + 1 < body->particles.count; i++) {
      segments[2 * i] = body->particles.first + i;
      segments[2 * i + 1] = body->particles.first + i + 1;
    }
    if (!segments)
      return MSD_OUT_OF_MEMORY;
    def.segments = segments;
    def.segment_count = body->particles.count - 1;
  }
  const msd_result result = def.triangle_count + (int64_t)def.segment_count > 0
                                ? msd_add_surfaces(s->world, &def, 1, NULL)
                                : MSD_OK;
  free(segments);
  return result;
}

static bool add_surfaces(const json_place *place, scene *s) {
  msd_result result = MSD_OK;
  for (int i = 0; result == MSD_OK && i < s->body_count; i++)
    result = add_surface(s, &s->bodies[i]);
  return result == MSD_OK ||
         place_fail(place, "%s: %s", msd_result_string(result), msd_world_message(s->world));
}

static bool read_contact(const json_place *root, scene *s) {
  static const char *const keys[] = {"thickness", "friction", "softness", "self", NULL};
  bool self = false;
  static const quantity thickness = {"a length of 0 or more in m", 0, NUMBER_LARGEST};
  static const quantity softness = {"a share from 0 to 0.99", 0, 0.99};
  const json_place place = place_member(root, "contact");
  msd_contact_def def = msd_default_contact_def();
  if (!place.value)
    return true;
  if (!place_check_object(&place, keys) || !read_real(&place, "thickness", &thickness, &def.thickness) ||
      !read_real(&place, "friction", &friction_coefficient, &def.friction) ||
      !read_real(&place, "softness", &softness, &def.softness) || !read_flag(&place, "self", &self))
    return false;
  if (!s->world)
    return true;
  if (msd_world_set_contact(s->world, &def) != MSD_OK)
    return place_fail(&place, "%s", msd_world_message(s->world));
  return !self || add_surfaces(&place, s);
}

bool colliders_read(const json_place *root, scene *s) {
  const json_place list = place_member(root, "colliders");
  if (!read_contact(root, s))
    return false;
  if (!list.value)
    return true;
  if (!place_check_array(&list, "a list of colliders"))
    return false;
  const int count = (int)json_array_size(list.value);
  placed_collider *read = calloc((size_t)count + 1, sizeof *read);
  bool done = read || place_out_of_memory(&list);
  for (int i = 0; done && i < count; i++) {
    const json_place item = place_item(&list, (size_t)i);
    done = read_collider(&item, &read[i]);
  }
  done = done && (!s->world || add_colliders(&list, s, read, count));
  for (int i = 0; read && i < count; i++)
    free(read[i].track.keys);
  free(read);
  return done;
}
