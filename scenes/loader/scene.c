#include "scenes/loader/scene.h"

#include "scenes/input/json_reader.h"
#include "scenes/input/suggestion.h"
#include "scenes/loader/body_reader.h"
#include "scenes/loader/particle_name.h"
#include "scenes/loader/scene_folder.h"
#include "scenes/loader/spring_reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double default_time_step = 1.0 / 60; /* s */
static const double default_duration = 5;         /* s */

/* --------------------------------------------------------------------------------------------------- texts */

static bool copy_text(const json_place *root, const char *key, char **copy) {
  const char *text = "";
  if (!read_text(root, key, &text))
    return false;
  *copy = strdup(text);
  return *copy || place_out_of_memory(root);
}

/* "scenes/curtain.json" is "curtain". */
static char *name_of_path(const char *path) {
  const char *slash = strrchr(path, '/');
  const char *base = slash ? slash + 1 : path;
  const char *dot = strrchr(base, '.');
  return strndup(base, dot && dot > base ? (size_t)(dot - base) : strlen(base));
}

static char *folder_of_path(const char *path) {
  const char *slash = strrchr(path, '/');
  if (!slash)
    return strdup(".");
  return strndup(path, slash > path ? (size_t)(slash - path) : 1);
}

/* ---------------------------------------------------------------------------------------------- the world */

static bool read_integrator(const json_place *root, msd_integrator *integrator) {
  const char *names[MSD_INTEGRATOR_COUNT + 1] = {NULL};
  for (int i = 0; i < MSD_INTEGRATOR_COUNT; i++)
    names[i] = msd_integrator_name((msd_integrator)i);
  int choice = (int)*integrator;
  if (!read_choice(root, "integrator", names, &choice))
    return false;
  *integrator = (msd_integrator)choice;
  return true;
}

static bool read_limit(const json_place *root, msd_limit *limit) {
  static const char *const names[MSD_LIMIT_COUNT + 1] = {
      [MSD_LIMIT_NONE] = "none", [MSD_LIMIT_COEFFICIENTS] = "coefficients"};
  int choice = (int)*limit;
  if (!read_choice(root, "limit", names, &choice))
    return false;
  *limit = (msd_limit)choice;
  return true;
}

static bool read_iterations(const json_place *root, int *iterations) {
  static const quantity number = {"a whole number from 1 to 1000", 1, 1000};
  json_place place = place_member(root, "impulse_iterations");
  double count = *iterations;
  if (place.value && !place_get_whole(&place, &number, &count))
    return false;
  *iterations = (int)count;
  return true;
}

static bool make_world(const json_place *root, msd_world **world) {
  static const quantity drag = {"a rate of 0 or more in 1/s", 0, NUMBER_LARGEST};
  msd_world_def def = msd_default_world_def();
  if (!(read_vector(root, "gravity", &def.gravity) && read_real(root, "air_drag", &drag, &def.air_drag) &&
        read_integrator(root, &def.integrator) && read_limit(root, &def.limit) &&
        read_iterations(root, &def.impulse_iterations) &&
        read_flag(root, "impulse_warm_start", &def.impulse_warm_start)))
    return false;
  msd_result result = msd_create_world(&def, world);
  return result == MSD_OK || place_fail(root, "%s", msd_result_string(result));
}

/* --------------------------------------------------------------------------------------------------- times */

static bool read_substeps(const json_place *root, int *substeps) {
  static const quantity number = {"\"auto\" or a whole number from 1 to 1000000", 1, 1e6};
  json_place place = place_member(root, "substeps");
  double count = 0;
  if (!place.value || (json_is_string(place.value) && strcmp(json_string_value(place.value), "auto") == 0))
    return true;
  if (!place_get_whole(&place, &number, &count))
    return false;
  *substeps = (int)count;
  return true;
}

static bool read_times(const json_place *root, scene *s) {
  static const quantity seconds = {"a time above 0 in s", NUMBER_SMALLEST, NUMBER_LARGEST};
  s->time_step = default_time_step;
  s->duration = default_duration;
  if (!(read_double(root, "time_step", &seconds, &s->time_step) &&
        read_double(root, "duration", &seconds, &s->duration) && read_substeps(root, &s->substeps)))
    return false;
  double frames = s->duration / s->time_step;
  json_place duration = place_member(root, "duration");
  return frames <= INT32_MAX ||
         place_fail(&duration, "is %g s, %.3g frames of time_step %g s; there can be at most %d", s->duration,
                    frames, s->time_step, INT32_MAX);
}

/* -------------------------------------------------------------------------------------------------- bodies */

static bool is_taken(const scene *s, const char *name) {
  for (int i = 0; i < s->body_count; i++)
    if (s->bodies[i].name && strcmp(s->bodies[i].name, name) == 0)
      return true;
  return false;
}

static bool take_given_name(const json_place *place, scene *s, int index) {
  const char *name = NULL;
  if (!read_text(place, "name", &name))
    return false;
  if (!name)
    return true;
  json_place member = place_member(place, "name");
  if (!name[0])
    return place_fail(&member, "is empty; give the body a name, or leave the key out");
  for (int i = 0; i < index; i++)
    if (s->bodies[i].name && strcmp(s->bodies[i].name, name) == 0)
      return place_fail(&member, "\"%.60s\" is the name of bodies[%d] too; every body needs its own", name,
                        i);
  s->bodies[index].name = strdup(name);
  return s->bodies[index].name || place_out_of_memory(place);
}

/* "cloth 2" for the second body of a file, or the next number that is free. */
static bool make_up_name(const json_place *place, scene *s, int index) {
  char name[64];
  int number = index + 1;
  do
    snprintf(name, sizeof name, "%s %d", s->bodies[index].kind, number++);
  while (is_taken(s, name));
  s->bodies[index].name = strdup(name);
  return s->bodies[index].name || place_out_of_memory(place);
}

/* Names that the file gives come first, so that no made-up one takes theirs. */
static bool read_kinds_and_names(const json_place *list, scene *s) {
  for (int i = 0; i < s->body_count; i++) {
    json_place place = place_item(list, (size_t)i);
    s->bodies[i].kind = body_read_kind(&place);
    if (!s->bodies[i].kind || !take_given_name(&place, s, i))
      return false;
  }
  for (int i = 0; i < s->body_count; i++) {
    json_place place = place_item(list, (size_t)i);
    if (!s->bodies[i].name && !make_up_name(&place, s, i))
      return false;
  }
  return true;
}

static bool read_bodies(const json_place *root, const char *folder, scene *s) {
  json_place list = place_member(root, "bodies");
  if (!place_check_array(&list, "a list of bodies"))
    return false;
  size_t count = json_array_size(list.value);
  if (count == 0)
    return place_fail(&list, "is empty; a scene needs at least one body");
  if (count > INT32_MAX)
    return place_fail(&list, "has %zu bodies; there can be at most %d", count, INT32_MAX);
  s->bodies = calloc(count, sizeof *s->bodies);
  if (!s->bodies)
    return place_out_of_memory(&list);
  s->body_count = (int)count;
  if (!read_kinds_and_names(&list, s))
    return false;
  for (size_t i = 0; i < count; i++) {
    json_place place = place_item(&list, i);
    if (!body_read(&place, folder, s->world, &s->bodies[i]))
      return false;
  }
  return true;
}

/* -------------------------------------------------------------------------------------------------- joints */

static bool find_body(const json_place *place, const scene *s, const scene_body **body) {
  if (!json_is_string(place->value))
    return place_fail_type(place, "the name of a body");
  const char *name = json_string_value(place->value);
  for (int i = 0; i < s->body_count; i++)
    if (strcmp(s->bodies[i].name, name) == 0) {
      *body = &s->bodies[i];
      return true;
    }
  const char **names = calloc((size_t)s->body_count + 1, sizeof *names);
  if (!names)
    return place_out_of_memory(place);
  for (int i = 0; i < s->body_count; i++)
    names[i] = s->bodies[i].name;
  char suggestion[SUGGESTION_MAX];
  suggest_word(suggestion, name, names);
  free(names);
  return place_fail(place, "there is no body \"%.60s\"; %s", name, suggestion);
}

static bool read_end(const json_place *ends, size_t index, const scene *s, int32_t *particle) {
  json_place name = place_item(ends, index), which = place_item(ends, index + 1);
  const scene_body *body = NULL;
  return find_body(&name, s, &body) && particle_read(&which, s->world, body, particle);
}

static bool read_joint(const json_place *place, const scene *s, msd_spring_def *def) {
  const char *text =
      "[body, particle, body, particle], such as [\"rope\", \"last\", \"cloth\", \"top_left\"]";
  if (!spring_read_single(place, text, def))
    return false;
  json_place ends = place_member(place, "between");
  if (!json_is_array(ends.value) || json_array_size(ends.value) != 4)
    return place_fail_type(&ends, text);
  if (!read_end(&ends, 0, s, &def->a) || !read_end(&ends, 2, s, &def->b))
    return false;
  return def->a != def->b || place_fail(&ends, "joins a particle with itself; give two different ones");
}

static bool read_joints(const json_place *root, scene *s) {
  json_place list = place_member(root, "joints");
  if (!list.value)
    return true;
  if (!place_check_array(&list, "a list of joints"))
    return false;
  size_t count = json_array_size(list.value);
  msd_spring_def *defs = malloc((count + 1) * sizeof *defs);
  if (!defs)
    return place_out_of_memory(&list);
  bool done = true;
  for (size_t i = 0; done && i < count; i++) {
    json_place place = place_item(&list, i);
    done = read_joint(&place, s, &defs[i]);
  }
  if (done) {
    s->joints.count = (int32_t)count;
    msd_result result = msd_add_springs(s->world, defs, (int)count, &s->joints.first);
    done = result == MSD_OK || place_fail(&list, "%s", msd_world_message(s->world));
  }
  free(defs);
  return done;
}

/* ----------------------------------------------------------------------------------------------- the whole */

static bool check_version(const json_place *root) {
  static const quantity version = {"1, the version of the format", 1, 1};
  json_place place = place_member(root, "msd");
  double number = 0;
  return place_get_number(&place, &version, &number);
}

static bool check_no_colliders(const json_place *root) {
  json_place list = place_member(root, "colliders");
  if (!list.value)
    return true;
  if (!place_check_array(&list, "a list"))
    return false;
  return json_array_size(list.value) == 0 ||
         place_fail(&list, "is not supported by this version; leave the list empty");
}

static bool read_scene(const json_place *root, const char *folder, scene *s) {
  static const char *const keys[] = {"msd",
                                     "title",
                                     "description",
                                     "gravity",
                                     "air_drag",
                                     "integrator",
                                     "impulse_iterations",
                                     "impulse_warm_start",
                                     "time_step",
                                     "substeps",
                                     "limit",
                                     "duration",
                                     "bodies",
                                     "joints",
                                     "colliders",
                                     NULL};
  return place_check_object(root, keys) && check_version(root) && copy_text(root, "title", &s->title) &&
         copy_text(root, "description", &s->description) && check_no_colliders(root) && read_times(root, s) &&
         make_world(root, &s->world) && read_bodies(root, folder, s) && read_joints(root, s);
}

static bool load_file(scene *s, scene_error *error) {
  const json_source source = {s->path, error, &s->warnings};
  s->name = name_of_path(s->path);
  char *folder = folder_of_path(s->path);
  if (!s->name || !folder) {
    free(folder);
    return scene_fail_out_of_memory(error);
  }
  json_t *file = json_source_parse(&source);
  json_place root = place_root(&source, file);
  bool done = file && read_scene(&root, folder, s);
  json_decref(file);
  free(folder);
  return done;
}

scene *scene_load(const char *name_or_path, scene_error *error) {
  error->text[0] = '\0';
  scene *s = calloc(1, sizeof *s);
  if (!s) {
    scene_fail_out_of_memory(error);
    return NULL;
  }
  s->path = scene_folder_find(name_or_path, error);
  if (s->path && load_file(s, error))
    return s;
  scene_free(s);
  return NULL;
}

void scene_free(scene *s) {
  if (!s)
    return;
  for (int i = 0; i < s->body_count; i++) {
    free(s->bodies[i].name);
    free(s->bodies[i].triangles);
    free(s->bodies[i].rotors.positions);
    free(s->bodies[i].rotors.radii);
  }
  free(s->bodies);
  scene_warnings_free(&s->warnings);
  msd_destroy_world(s->world);
  free(s->description);
  free(s->title);
  free(s->path);
  free(s->name);
  free(s);
}
