#include "bench/resolution.h"

#include "bench/refined_mesh.h"
#include "scenes/input/file_bytes.h"
#include "scenes/input/json_reader.h"
#include "scenes/loader/scene_folder.h"
#include "scenes/meshes/mesh_file.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROPE_SIDE = 25 };

/* A scene while its resolution changes. */
typedef struct rewriting {
  json_t *root;
  int32_t side;
  /* Factor on the rows and columns of cloths. */
  double scale;
  /* The folder of the scene file, and the folder of the rewritten files. */
  const char *from, *to;
  int meshes;
  scene_error *error;
} rewriting;

static json_int_t whole_of(const json_t *object, const char *key, json_int_t otherwise) {
  const json_t *value = json_object_get(object, key);
  return json_is_number(value) ? (json_int_t)json_number_value(value) : otherwise;
}

static bool is_kind(const json_t *body, const char *kind) {
  const char *own = json_string_value(json_object_get(body, "type"));
  return own && strcmp(own, kind) == 0;
}

static bool set(const rewriting *r, json_t *object, const char *key, json_t *value) {
  return json_object_set_new(object, key, value) == 0 || scene_fail_out_of_memory(r->error);
}

/* ------------------------------------------------------------------------------ particles by their number */

/* The particles of a cloth, or of a rope with one row: in the file, and after the change. */
typedef struct grid {
  json_int_t columns, rows, new_columns, new_rows;
} grid;

/* The index among `to` particles that is nearest to index `at` among `of` particles. */
static json_int_t nearest(json_int_t at, json_int_t of, json_int_t to) {
  return of > 1 ? llround((double)at * (double)(to - 1) / (double)(of - 1)) : 0;
}

static json_int_t nearest_new(const grid *g, json_int_t old) {
  return nearest(old / g->columns, g->rows, g->new_rows) * g->new_columns +
         nearest(old % g->columns, g->columns, g->new_columns);
}

static json_int_t nearest_old(const grid *g, json_int_t new) {
  return nearest(new / g->new_columns, g->new_rows, g->rows) * g->columns +
         nearest(new % g->new_columns, g->new_columns, g->columns);
}

static bool names(const json_t *list, json_int_t particle, json_int_t count) {
  size_t n;
  json_t *item;
  json_array_foreach(list, n, item) {
    const json_int_t own = json_integer_value(item);
    if (json_is_integer(item) && (own < 0 ? own + count : own) == particle)
      return true;
  }
  return false;
}

/* Renumbers the particles of a list; entries that are not numbers stay. */
static json_t *renumbered(const grid *g, const json_t *list) {
  const json_int_t count = g->columns * g->rows;
  json_t *out = json_array();
  size_t n;
  json_t *item;
  json_array_foreach(list, n, item) {
    if (!json_is_integer(item))
      json_array_append(out, item);
  }
  const size_t others = json_array_size(out);
  for (json_int_t i = 0; others < json_array_size(list) && i < g->new_columns * g->new_rows; i++)
    if (names(list, nearest_old(g, i), count))
      json_array_append_new(out, json_integer(i));
  const bool has_any = json_array_size(out) > others;
  for (json_int_t i = 0; !has_any && i < count; i++)
    if (names(list, i, count))
      json_array_append_new(out, json_integer(nearest_new(g, i)));
  return out;
}

/* Renumbers a list of particles that begins with the name of their body. */
static bool renumber_named(const rewriting *r, const grid *g, const char *name, json_t *object,
                           const char *key) {
  json_t *list = json_object_get(object, key);
  const char *first = json_string_value(json_array_get(list, 0));
  return !first || strcmp(first, name) != 0 || set(r, object, key, renumbered(g, list));
}

/* Renumbers [name, particle, name, particle]. */
static void renumber_joint(const grid *g, const char *name, json_t *pair) {
  for (size_t n = 0; n + 1 < json_array_size(pair); n += 2) {
    const char *own = json_string_value(json_array_get(pair, n));
    const json_t *particle = json_array_get(pair, n + 1);
    if (own && strcmp(own, name) == 0 && json_is_integer(particle))
      json_array_set_new(pair, n + 1, json_integer(nearest_new(g, json_integer_value(particle))));
  }
}

static bool renumber(const rewriting *r, const grid *g, json_t *body) {
  json_t *pins = json_object_get(body, "pinned"), *item;
  if (pins && !set(r, body, "pinned", renumbered(g, pins)))
    return false;
  const char *name = json_string_value(json_object_get(body, "name"));
  if (!name)
    return true;
  size_t n;
  json_array_foreach(json_object_get(r->root, "connections"), n, item) {
    renumber_joint(g, name, json_object_get(item, "between"));
  }
  json_array_foreach(json_object_get(r->root, "animation"), n, item) {
    if (json_object_get(item, "cut"))
      return scene_fail(
          r->error, "animation[%zu] cuts springs by particle number, which differ at another resolution", n);
    if (!renumber_named(r, g, name, item, "particles") || !renumber_named(r, g, name, item, "release"))
      return false;
  }
  return true;
}

/* ------------------------------------------------------------------------------------------------- bodies */

static json_int_t scaled(json_int_t count, double by) {
  return count > 1 ? llround(fmax(1, (double)(count - 1) * by)) + 1 : count;
}

static double scale_of_cloths(const json_t *root, int32_t side) {
  json_int_t longest = 2;
  size_t n;
  json_t *body;
  json_array_foreach(json_object_get(root, "bodies"), n, body) {
    const json_int_t columns = whole_of(body, "columns", 2), rows = whole_of(body, "rows", 2);
    longest = columns > longest ? columns : longest;
    longest = rows > longest ? rows : longest;
  }
  return (double)(side - 1) / (double)(longest - 1);
}

static bool change_cloth(const rewriting *r, json_t *cloth) {
  grid g = {whole_of(cloth, "columns", 2), whole_of(cloth, "rows", 2), 0, 0};
  g.new_columns = scaled(g.columns, r->scale);
  g.new_rows = scaled(g.rows, r->scale);
  return set(r, cloth, "columns", json_integer(g.new_columns)) &&
         set(r, cloth, "rows", json_integer(g.new_rows)) && renumber(r, &g, cloth);
}

static bool stiffen(const rewriting *r, json_t *springs, double by) {
  static const char *const keys[] = {"stiffness", "damping"};
  bool done = true;
  for (int k = 0; k < 2 && done; k++) {
    const json_t *value = json_object_get(springs, keys[k]);
    done = !value || set(r, springs, keys[k], json_real(by * json_number_value(value)));
  }
  return done;
}

static bool change_rope(const rewriting *r, json_t *rope) {
  static const char *const springs[] = {"stretch", "bend"};
  const json_int_t count = whole_of(rope, "particles", 2);
  const grid g = {count, 1, scaled(count, fmax(1, (double)r->side / ROPE_SIDE)), 1};
  const double by = (double)(g.new_columns - 1) / (double)(count - 1);
  bool done = set(r, rope, "particles", json_integer(g.new_columns)) && renumber(r, &g, rope);
  for (int k = 0; k < 2 && done; k++)
    done = stiffen(r, json_object_get(rope, springs[k]), by);
  return done;
}

/* The number of subdivisions after which the number of vertices is nearest to side^2, by ratio. */
static int halvings(const mesh_data *mesh, int32_t side) {
  const double ratio = (double)side * side / mesh->vertex_count;
  return ratio > 1 ? (int)lround(log(ratio) / log(4)) : 0;
}

static char *path_of_mesh(const rewriting *r, int number) {
  char name[32];
  snprintf(name, sizeof name, "mesh_%d.obj", number);
  return file_path_in_folder(r->to, name);
}

static bool change_mesh(rewriting *r, json_t *body) {
  const char *file = json_string_value(json_object_get(body, "file"));
  mesh_data mesh;
  if (!file || !mesh_file_read(file, &mesh, NULL, r->error))
    return !file;
  const int times = halvings(&mesh, r->side);
  char *path = path_of_mesh(r, r->meshes);
  bool done = path || scene_fail_out_of_memory(r->error);
  if (done && times > 0)
    done = halved_mesh_write(&mesh, times, path, r->error) && set(r, body, "file", json_string(path));
  r->meshes += times > 0;
  free(path);
  mesh_data_free(&mesh);
  return done;
}

static bool change_bodies(rewriting *r) {
  size_t n;
  json_t *body;
  json_array_foreach(json_object_get(r->root, "bodies"), n, body) {
    const bool done = is_kind(body, "cloth")  ? change_cloth(r, body)
                      : is_kind(body, "rope") ? change_rope(r, body)
                                              : !is_kind(body, "mesh") || change_mesh(r, body);
    if (!done)
      return false;
  }
  return true;
}

/* --------------------------------------------------------------------------------------------------- files */

/* Makes the path of a file absolute, because the rewritten scene is in another folder. */
static bool name_in_full(const rewriting *r, json_t *object) {
  const char *file = json_string_value(json_object_get(object, "file"));
  if (!file)
    return true;
  char *path = file_path_in_folder(r->from, file), *full = path ? realpath(path, NULL) : NULL;
  const bool done = full ? set(r, object, "file", json_string(full))
                         : scene_fail(r->error, "%s: cannot be found", path ? path : file);
  free(path);
  free(full);
  return done;
}

static bool name_files(const rewriting *r) {
  static const char *const lists[] = {"bodies", "colliders"};
  size_t n;
  json_t *item;
  for (int k = 0; k < 2; k++) {
    json_array_foreach(json_object_get(r->root, lists[k]), n, item) {
      if (!name_in_full(r, item))
        return false;
    }
  }
  return true;
}

/* Removes the files in the folder, and the folder. */
static void clear(const rewriting *r, const char *scene_path) {
  for (int n = 0; n < r->meshes; n++) {
    char *path = path_of_mesh(r, n);
    if (path)
      unlink(path);
    free(path);
  }
  unlink(scene_path);
  rmdir(r->to);
}

static scene *load_in(rewriting *r, const char *name) {
  char path[PATH_MAX];
  scene *s = NULL;
  snprintf(path, sizeof path, "%s/%s.json", r->to, name);
  if (name_files(r) && change_bodies(r)) {
    if (json_dump_file(r->root, path, JSON_INDENT(1)) == 0)
      s = scene_load(path, r->error);
    else
      scene_fail(r->error, "%s: cannot be written", scene_error_path(path));
  }
  clear(r, path);
  return s;
}

static const char *name_of(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

scene *resolution_load(const char *name_or_path, int32_t side, scene_error *error) {
  char folder[] = "/tmp/msd_side_XXXXXX";
  char *path = scene_folder_find(name_or_path, error), *from = path ? file_folder(path) : NULL;
  const json_source source = {.file = path, .error = error};
  json_t *root = from ? json_source_parse(&source) : NULL;
  scene *s = NULL;
  if (root && mkdtemp(folder)) {
    rewriting r = {root, side, scale_of_cloths(root, side), from, folder, 0, error};
    char name[NAME_MAX];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(name_of(path), "."), name_of(path));
    s = load_in(&r, name);
  } else if (root)
    scene_fail(error, "%s: cannot be made", folder);
  json_decref(root);
  free(from);
  free(path);
  return s;
}
