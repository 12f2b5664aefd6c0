#include "scenes/loader/scene.h"

#include "scenes/input/checksum.h"
#include "scenes/input/file_bytes.h"
#include "scenes/input/json_reader.h"
#include "scenes/loader/animation_reader.h"
#include "scenes/loader/body_names.h"
#include "scenes/loader/body_reader.h"
#include "scenes/loader/collider_reader.h"
#include "scenes/loader/connection_reader.h"
#include "scenes/loader/contact_reader.h"
#include "scenes/loader/mass_redistribution_reader.h"
#include "scenes/loader/render_points.h"
#include "scenes/loader/scene_checks.h"
#include "scenes/loader/scene_folder.h"
#include "scenes/loader/scene_part.h"
#include "scenes/loader/scene_settings.h"
#include "scenes/loader/seam_reader.h"
#include "scenes/loader/sleep_reader.h"
#include "scenes/loader/wind_reader.h"

#include <stdlib.h>
#include <string.h>

/* "scenes/curtain.json" is "curtain". */
static char *name_of_path(const char *path) {
  const char *slash = strrchr(path, '/');
  const char *base = slash ? slash + 1 : path;
  const char *dot = strrchr(base, '.');
  return strndup(base, dot && dot > base ? (size_t)(dot - base) : strlen(base));
}

static bool read_kinds(const json_place *list, scene *s) {
  const size_t count = json_array_size(list->value);
  if (count == 0)
    return place_fail(list, "is empty; a scene needs at least one body");
  s->bodies = calloc(count, sizeof *s->bodies);
  if (!s->bodies)
    return place_out_of_memory(list);
  s->body_count = (int)count;
  for (int i = 0; i < s->body_count; i++) {
    json_place place = place_item(list, (size_t)i);
    s->bodies[i].kind = body_read_kind(&place);
    if (!s->bodies[i].kind)
      return false;
  }
  return true;
}

/* While the scene has no world, everything is only checked. */
static bool read_parts(const json_place *root, const char *folder, scene *s, const body_names *names) {
  json_place list = place_member(root, "bodies");
  for (int i = 0; i < s->body_count; i++) {
    json_place place = place_item(&list, (size_t)i);
    if (!body_read(&place, folder, s->frame_time, s->world, &s->bodies[i]))
      return false;
  }
  return connections_read(root, s, names) && seams_read(root, s, names) && colliders_read(root, folder, s) &&
         wind_read(root, s) && contact_read(root, s) && sleep_read(root, s) && animation_read(root, s, names);
}

/* What tells the animation from others. */
static bool keep_text(const json_place *root, scene *s) {
  static const char *const keys[] = {"animation", "colliders", "seams", "origin"};
  json_t *told = json_object();
  bool done = told != NULL;
  for (size_t k = 0; done && k < sizeof keys / sizeof *keys; k++) {
    const json_place place = place_member(root, keys[k]);
    /* jansson counts who holds a value, and changes nothing else of it. */
    done = !place.value || json_object_set(told, keys[k], (json_t *)(uintptr_t)place.value) == 0;
  }
  json_t *skeletons = json_array();
  for (int f = 0; done && f < s->animation.skeleton_count; f++)
    done =
        json_array_append_new(skeletons, json_integer((json_int_t)s->animation.skeletons[f].checksum)) == 0;
  if (json_array_size(skeletons) > 0)
    done = done && json_object_set(told, "skeletons", skeletons) == 0;
  json_decref(skeletons);
  if (done && json_object_size(told) > 0) {
    s->animation.text = json_dumps(told, JSON_COMPACT);
    done = s->animation.text != NULL;
  }
  json_decref(told);
  return done || place_out_of_memory(root);
}

/* Keeps the message of a world that could not be created, without what it is about. */
static void keep_message(const char *message, void *context) {
  scene_error *kept = context;
  const char *text = strstr(message, ": ");
  scene_fail(kept, "%s", text ? text + 2 : message);
}

/* There is no world to have the message: the same definition is refused again, with a log. */
static bool make_world(const json_place *root, const msd_world_def *wanted, msd_world **world) {
  if (msd_create_world(wanted, world) == MSD_OK)
    return true;
  scene_error message = {"out of memory for the world"};
  msd_world_def def = *wanted;
  def.log = keep_message;
  def.log_context = &message;
  if (msd_create_world(&def, world) == MSD_OK) {
    msd_destroy_world(*world);
    *world = NULL;
  }
  return place_fail(root, "%s", message.text);
}

/* Each process counts what there is of everything in a world that keeps nothing, and then knows its part. */
static bool divide(const json_place *root, const char *folder, scene *s, const msd_world_def *def) {
  const json_place list = place_member(root, "bodies");
  bool done = msd_world_set_subdomain(s->world, s->ranks, 0, 0) == MSD_OK ||
              place_fail(root, "%s", msd_world_message(s->world));
  for (int i = 0; done && i < s->body_count; i++) {
    const json_place place = place_item(&list, (size_t)i);
    s->bodies[i].is_part = true;
    s->bodies[i].wants_faces = s->wants_faces;
    done = body_read_size(&place, folder, s->frame_time, s->world, s->bodies[i].kind);
  }
  const msd_subdomain whole = msd_world_get_subdomain(s->world);
  msd_destroy_world(s->world);
  s->world = NULL;
  if (!done || !make_world(root, def, &s->world))
    return false;
  return msd_world_set_subdomain(s->world, s->ranks, whole.particles, whole.reach) == MSD_OK ||
         place_fail(root, "%s", msd_world_message(s->world));
}

static bool read_scene(const json_place *root, const char *folder, scene *s) {
  json_place list = place_member(root, "bodies");
  msd_world_def def = msd_default_world_def();
  if (!scene_settings_read(root, s, &def) || !place_check_array(&list, "a list of bodies") ||
      !read_kinds(&list, s))
    return false;
  body_names *names = NULL;
  const bool done = body_names_read(&list, s, &names) && read_parts(root, folder, s, names) &&
                    (!s->ranks || scene_part_check(root, s)) && make_world(root, &def, &s->world) &&
                    (!s->ranks || divide(root, folder, s, &def)) && read_parts(root, folder, s, names) &&
                    mass_redistribution_apply(root, s) && keep_text(root, s);
  json_decref(names);
  return done;
}

static bool go_to_rest(const json_place *root, scene *s) {
  const json_place start = place_member(root, "start");
  msd_equilibrium_def def = msd_default_equilibrium_def();
  msd_equilibrium_report report;
  if (!s->starts_at_rest)
    return true;
  def.substep = scene_substep(s);
  if (msd_world_find_equilibrium(s->world, &def, &report) != MSD_OK)
    return place_fail(&start, "no equilibrium: %s", msd_world_message(s->world));
  if (!report.converged)
    scene_warn(
        &s->warnings,
        "%s: start: not in equilibrium after %d iterations: the largest acceleration left is %.3g m/s^2",
        scene_error_path(s->path), report.iterations, report.acceleration);
  return true;
}

/* Whether all processes have read the same of the file, and bodies of the same size. */
static bool check_alike(const json_place *root, scene *s) {
  enum { NUMBERS = 5 };
  if (!s->ranks)
    return true;
  char *text = json_dumps(root->value, JSON_COMPACT);
  const uint64_t sum = text ? checksum_of_more(CHECKSUM_START, (const unsigned char *)text, strlen(text)) : 0;
  const msd_subdomain part = msd_world_get_subdomain(s->world);
  const double own[NUMBERS] = {part.particles, part.springs, part.reach, (double)(sum >> 32),
                               (double)(sum & UINT32_MAX)};
  double most[2 * NUMBERS];
  bool is_alike = true;
  for (int n = 0; n < NUMBERS; n++) {
    most[n] = own[n];
    most[NUMBERS + n] = -own[n];
  }
  msd_world_all_reduce_max(s->world, most, 2 * NUMBERS);
  for (int n = 0; n < NUMBERS; n++)
    is_alike = is_alike && most[n] == -most[NUMBERS + n];
  const bool has_text = text != NULL;
  free(text);
  if (!has_text)
    return place_out_of_memory(root);
  return is_alike || place_fail(root, "is another scene on some processes; all must see the same files");
}

static bool load_file(scene *s, scene_error *error) {
  json_source source = {s->path, error, &s->warnings, s->ranks ? s->ranks->count : 0, {0}};
  s->name = name_of_path(s->path);
  char *folder = file_folder(s->path);
  if (!s->name || !folder) {
    free(folder);
    return scene_fail_out_of_memory(error);
  }
  json_t *file = json_source_parse(&source);
  json_place root = place_root(&source, file);
  bool done = file && scene_origin_read(&root, s);
  memcpy(source.origin, s->origin, sizeof source.origin);
  done = done && read_scene(&root, folder, s);
  if (done) {
    render_points_number(s);
    s->substeps = scene_choose_substeps(s, s->frame_time);
    done = go_to_rest(&root, s) && check_alike(&root, s) && scene_check_world(&root, s);
  }
  if (done)
    scene_check_oddities(s);
  json_decref(file);
  free(folder);
  return done;
}

/* Who has a mesh wants to see it move, and does not know yet that it takes a scene. */
static bool refuse_mesh(const char *path, scene_error *error) {
  static const char *const kinds[][2] = {
      {".obj", "mesh"}, {".ply", "mesh"}, {".stl", "mesh"}, {".node", "tetmesh"}, {".ele", "tetmesh"}};
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
    if (file_has_ending(path, kinds[k][0]))
      return scene_fail(
          error,
          "%s: is a mesh, not a scene; write a scene file that names it: { \"msd\": 1, \"bodies\": [ { "
          "\"type\": \"%s\", \"file\": \"%s\" } ] }",
          scene_error_path(path), kinds[k][1], scene_error_path(path));
  return true;
}

static bool load_named(scene *s, const char *name_or_path, scene_error *error) {
  if (!refuse_mesh(name_or_path, error))
    return false;
  s->path = scene_folder_find(name_or_path, error);
  return s->path && load_file(s, error);
}

scene *scene_load(const char *name_or_path, scene_error *error) {
  return scene_load_part(name_or_path, NULL, false, error);
}

scene *scene_load_part(const char *name_or_path, const msd_ranks *ranks, bool wants_faces,
                       scene_error *error) {
  error->text[0] = '\0';
  scene *s = calloc(1, sizeof *s);
  if (!s) {
    scene_fail_out_of_memory(error);
    return NULL;
  }
  s->wants_faces = wants_faces;
  s->ranks = load_ranks_begin(&s->loading, ranks);
  if (load_ranks_end(&s->loading, load_named(s, name_or_path, error), error))
    return s;
  scene_free(s);
  return NULL;
}

const int32_t *scene_triangles(const scene *s, const scene_body *body) {
  return body->surface.number < 0 ? body->triangles
                                  : msd_collision_mesh_get_def(s->world, body->surface.number).triangles;
}

const int32_t *scene_segments(const scene *s, const scene_body *body) {
  return body->surface.number < 0 ? body->segments
                                  : msd_collision_mesh_get_def(s->world, body->surface.number).segments;
}

void scene_free(scene *s) {
  if (!s)
    return;
  for (int i = 0; i < s->body_count; i++) {
    free(s->bodies[i].name);
    free(s->bodies[i].triangles);
    free(s->bodies[i].faces.triangles);
    free(s->bodies[i].faces.numbers);
    free(s->bodies[i].segments);
    free(s->bodies[i].skin.points);
    free(s->bodies[i].skin.triangles);
    free(s->bodies[i].particle_of_vertex);
    free(s->bodies[i].sewn);
    vertex_groups_free(&s->bodies[i].named_vertices);
    corner_attributes_free(&s->bodies[i].attributes);
    free(s->bodies[i].file);
    free(s->bodies[i].rotors.positions);
    free(s->bodies[i].rotors.radii);
  }
  free(s->bodies);
  for (int c = 0; c < s->collider_count; c++)
    free(s->colliders[c].name);
  free(s->colliders);
  animation_free(&s->animation);
  scene_warnings_free(&s->warnings);
  msd_destroy_world(s->world);
  free(s->description);
  free(s->title);
  free(s->path);
  free(s->name);
  free(s);
}
