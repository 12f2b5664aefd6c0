#include "scenes/loader/collider_reader.h"

#include "scenes/loader/body_task.h"
#include "scenes/loader/collider_mesh.h"
#include "scenes/loader/contact_reader.h"
#include "scenes/loader/item_names.h"
#include "scenes/loader/skeleton_reader.h"
#include "scenes/loader/track_reader.h"
#include "scenes/loader/transform.h"

#include <stdlib.h>

/* ------------------------------------------------------------------------------------------------ shapes */

/* Behind the kinds of the engine: a mesh, which is made of pinned particles, and a figure, which is made of
   capsules. */
enum { MESH = MSD_COLLIDER_KIND_COUNT, SKELETON, KIND_COUNT };

/* Where a collider is placed, and its shape as seen from there. */
typedef struct placed_collider {
  /* An msd_collider_kind, or one of those of which only the friction is in the definition. */
  int kind;
  msd_collider_def def;
  mesh_options options;
  double scale[3];
  scene_key place;
  scene_track track;
} placed_collider;

#define COLLIDER_KEYS "type", "name", "friction", "keyframes"

static const quantity length_above_0 = {"a length above 0 in m", NUMBER_SMALLEST, NUMBER_LARGEST};

static void keep_place(placed_collider *c, msd_vec3 at) {
  c->place.offset[0] = (double)at.x;
  c->place.offset[1] = (double)at.y;
  c->place.offset[2] = (double)at.z;
}

static bool read_plane(const json_place *place, placed_collider *c) {
  static const char *const keys[] = {COLLIDER_KEYS, "position", "normal", NULL};
  msd_vec3 point = {0, 0, 0}, *n = &c->def.normal;
  const json_place normal = place_member(place, "normal");
  if (!place_check_object(place, keys) || !read_position(place, "position", &point) ||
      !read_vector(place, "normal", n))
    return false;
  keep_place(c, point);
  return n->x != 0 || n->y != 0 || n->z != 0 ||
         place_fail(&normal, "has no length; it must point out of the plane, such as [0, 1, 0]");
}

static bool read_sphere(const json_place *place, placed_collider *c) {
  static const char *const keys[] = {COLLIDER_KEYS, "position", "radius", NULL};
  msd_vec3 center = {0, 0, 0};
  if (!place_check_object(place, keys) || !read_position(place, "position", &center) ||
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
      !require_member(place, "to", text) || !read_position(place, "from", a) ||
      !read_position(place, "to", b) || !read_real(place, "radius", &length_above_0, &c->def.radius))
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
  static const char *const keys[] = {COLLIDER_KEYS, "position", "size", "rotation", NULL};
  msd_vec3 center = {0, 0, 0};
  if (!place_check_object(place, keys) || !read_position(place, "position", &center) ||
      !read_size(place, &c->def.size) || !read_degrees(place, c->place.rotation))
    return false;
  keep_place(c, center);
  return true;
}

static bool read_mesh(const json_place *place, placed_collider *c) {
  static const char *const keys[] = {COLLIDER_KEYS, MESH_INPUT_KEYS, NULL};
  c->options.lines = LINES_ALL;
  return place_check_object(place, keys) && require_member(place, "file", MESH_INPUT_FILE) &&
         read_point(place, "position", c->place.offset) && read_degrees(place, c->place.rotation) &&
         read_scale(place, c->scale) && mesh_input_options(place, &c->options);
}

/* The rest when it is added. */
static bool read_skeleton(const json_place *place, placed_collider *c) {
  (void)c;
  return skeleton_check(place);
}

/* --------------------------------------------------------------------------------------------- colliders */

static bool is_solid(const placed_collider *c) {
  return c->kind < MESH;
}

static const char *name_of_kind(int kind) {
  return kind == MESH       ? "mesh"
         : kind == SKELETON ? "skeleton"
                            : msd_collider_kind_name((msd_collider_kind)kind);
}

static bool read_kind(const json_place *place, int *kind) {
  const char *names[KIND_COUNT + 1] = {NULL};
  for (int k = 0; k < KIND_COUNT; k++)
    names[k] = name_of_kind(k);
  if (!json_is_object(place->value))
    return place_fail_type(place, "an object { } with a \"type\"");
  return require_member(place, "type",
                        "\"plane\", \"sphere\", \"capsule\", \"box\", \"mesh\" or \"skeleton\"") &&
         read_choice(place, "type", names, kind);
}

/* Begins where its motion has it at the time 0. */
static bool read_motion(const json_place *place, placed_collider *c) {
  static const track_words words = {
      .list = "keyframes", .offset = "position", .is_point = true, .turns = true};
  if (!place_member(place, "keyframes").value)
    return true;
  if (!track_read(place, &words, &c->place, &c->track))
    return false;
  c->place = track_at(&c->track, 0);
  return true;
}

static bool read_collider(const json_place *place, placed_collider *c) {
  static bool (*const readers[])(const json_place *place,
                                 placed_collider *c) = {[MSD_COLLIDER_PLANE] = read_plane,
                                                        [MSD_COLLIDER_SPHERE] = read_sphere,
                                                        [MSD_COLLIDER_CAPSULE] = read_capsule,
                                                        [MSD_COLLIDER_BOX] = read_box,
                                                        [MESH] = read_mesh,
                                                        [SKELETON] = read_skeleton};
  c->def = msd_default_collider_def();
  if (!read_kind(place, &c->kind))
    return false;
  if (is_solid(c))
    c->def.kind = (msd_collider_kind)c->kind;
  if (!readers[c->kind](place, c) || !read_real(place, "friction", &friction_coefficient, &c->def.friction) ||
      !read_motion(place, c))
    return false;
  c->def.position = key_position(&c->place);
  c->def.rotation = key_rotation(&c->place);
  return true;
}

/* The names of meshes are those of their bodies, which are the last. */
static bool keep_names(const json_place *list, scene *s, const placed_collider *read, int count) {
  named_item *items = calloc((size_t)count + 1, sizeof *items);
  json_t *numbers = NULL;
  int collider = 0, skeletons = 0, body = s->body_count;
  for (int i = 0; i < count; i++)
    body -= read[i].kind == MESH;
  for (int i = 0; items && i < count; i++)
    items[i] = (named_item){name_of_kind(read[i].kind), read[i].kind == MESH ? &s->bodies[body++].name
                                                        : read[i].kind == SKELETON
                                                            ? &s->animation.skeletons[skeletons++].name
                                                            : &s->colliders[collider++].name};
  bool done = items ? item_names_read(list, items, count, &numbers) : place_out_of_memory(list);
  for (int f = 0; done && f < s->animation.skeleton_count; f++)
    done = skeleton_name_bones(list, s, &s->animation.skeletons[f]);
  json_decref(numbers);
  free(items);
  return done;
}

/* The tracks go to the animation. */
static bool keep_motions(const json_place *list, scene_animation *table, placed_collider *read, int count) {
  table->collider_motions = calloc((size_t)count + 1, sizeof *table->collider_motions);
  if (!table->collider_motions)
    return place_out_of_memory(list);
  for (int i = 0, collider = 0; i < count; i++) {
    if (!is_solid(&read[i]))
      continue;
    if (read[i].track.count > 0) {
      table->collider_motions[table->collider_motion_count++] =
          (scene_collider_motion){collider, read[i].track};
      read[i].track = (scene_track){0};
    }
    collider++;
  }
  return true;
}

/* Those of the engine. */
static bool add_solids(const json_place *list, scene *s, const placed_collider *read, int count) {
  msd_collider_def *defs = calloc((size_t)count + 1, sizeof *defs);
  s->colliders = calloc((size_t)count + 1, sizeof *s->colliders);
  if (!defs || !s->colliders) {
    free(defs);
    return place_out_of_memory(list);
  }
  for (int i = 0; i < count; i++)
    if (is_solid(&read[i]))
      defs[s->collider_count++] = read[i].def;
  const bool done = msd_add_colliders(s->world, defs, s->collider_count, NULL) == MSD_OK ||
                    place_fail(list, "%s", msd_world_message(s->world));
  free(defs);
  return done;
}

static bool add_files(const json_place *list, const char *folder, scene *s, placed_collider *read,
                      int count) {
  bool done = true;
  for (int i = 0; done && i < count; i++) {
    const json_place place = place_item(list, (size_t)i);
    placed_collider *c = &read[i];
    if (c->kind == MESH)
      done =
          collider_mesh_add(&place, folder, s, &c->options, c->scale, c->def.friction, &c->place, &c->track);
    else if (c->kind == SKELETON)
      done = skeleton_add(&place, folder, s, c->def.friction);
  }
  return done;
}

/* ---------------------------------------------------------------------------------------------- the whole */

bool colliders_read(const json_place *root, const char *folder, scene *s) {
  const json_place list = place_member(root, "colliders");
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
  done = done && (!s->world ||
                  (add_solids(&list, s, read, count) && add_files(&list, folder, s, read, count) &&
                   keep_names(&list, s, read, count) && keep_motions(&list, &s->animation, read, count)));
  for (int i = 0; read && i < count; i++)
    free(read[i].track.keys);
  free(read);
  return done;
}
