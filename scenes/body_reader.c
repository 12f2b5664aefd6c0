#include "scenes/body_reader.h"

#include "scenes/mesh_file.h"
#include "scenes/particle_name.h"
#include "scenes/report.h"
#include "scenes/spring_reader.h"
#include "scenes/surface.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct body_task {
  const json_place *place;
  const char *folder;
  msd_world *world;
  scene_body *body;
} body_task;

static const quantity mass = {"a mass above 0 in kg", NUMBER_SMALLEST, NUMBER_LARGEST};
static const quantity count = {"a whole number of 1 or more", 1, NUMBER_LARGEST};

/* ------------------------------------------------------------------------------------------ shared pieces */

static bool check_added(const body_task *t, msd_result result) {
  if (result == MSD_OK)
    return true;
  const char *message = msd_world_message(t->world);
  return place_fail(t->place, "%s", message[0] ? message : msd_result_string(result));
}

static void add_group(scene_body *body, const char *name, msd_range springs) {
  if (springs.count > 0)
    body->groups[body->group_count++] = (scene_group){name, springs};
}

static void keep_ranges(scene_body *body, const msd_body *made, const char *structural) {
  body->particles = made->particles;
  body->springs = made->springs;
  add_group(body, structural, made->structural);
  add_group(body, "shear", made->shear);
  add_group(body, "bend", made->bend);
}

/* What a world takes, its compiled network included, measured on cloths and blocks. */
enum { BYTES_PER_PARTICLE = 16 * sizeof(msd_real), BYTES_PER_SPRING = 12 * sizeof(msd_real) };

/* Refuses a body that cannot fit before anything is allocated for it. `place` is the number to lower. */
static bool check_size(const json_place *place, const char *kind, double particles, double springs) {
  const double limit = (double)msd_default_world_def().memory_limit, gb = 1024.0 * 1024 * 1024;
  double bytes = particles * BYTES_PER_PARTICLE + springs * BYTES_PER_SPRING;
  if (bytes <= limit && particles <= INT32_MAX && springs <= INT32_MAX)
    return true;
  return place_fail(
      place,
      "makes a %s of %.3g particles and %.3g springs, which would take about %.3g GiB of memory; "
      "lower it until it fits into %.3g GiB",
      kind, particles, springs, bytes / gb, limit / gb);
}

/* A count that may still be too large for an int32_t: check_size comes before the conversion. */
static bool read_count(const json_place *object, const char *key, double *out) {
  json_place place = place_member(object, key);
  return !place.value || place_get_whole(&place, &count, out);
}

static bool has_springs(const msd_spring_def *pattern) {
  return pattern->law != MSD_SPRING_NONE;
}

static bool is_zero(msd_vec3 v) {
  return v.x == 0 && v.y == 0 && v.z == 0;
}

/* ---------------------------------------------------------------------------------------------- particles */

/* One number for each particle, or one for all. */
static bool read_masses(const json_place *object, msd_particle_def *defs, size_t particles) {
  json_place list = place_member(object, "mass");
  if (!list.value)
    return true;
  bool each = json_is_array(list.value);
  if (!each && !json_is_number(list.value))
    return place_fail_type(&list, "a mass in kg, or a list of one for each particle");
  if (each && json_array_size(list.value) != particles)
    return place_fail(&list, "has %zu masses for %zu particles; give one for each, or one number for all",
                      json_array_size(list.value), particles);
  for (size_t i = 0; i < particles; i++) {
    json_place item = each ? place_item(&list, i) : list;
    double kg = 0;
    if (!place_get_number(&item, &mass, &kg))
      return false;
    defs[i].mass = (msd_real)kg;
  }
  return true;
}

static bool read_velocities(const json_place *object, msd_particle_def *defs, size_t particles) {
  json_place list = place_member(object, "velocity");
  if (!list.value)
    return true;
  if (!place_check_array(&list, "a list of velocities [x, y, z] in m/s"))
    return false;
  if (json_array_size(list.value) != particles)
    return place_fail(&list, "has %zu velocities for %zu particles; give one for each",
                      json_array_size(list.value), particles);
  for (size_t i = 0; i < particles; i++) {
    json_place item = place_item(&list, i);
    if (!place_get_vector(&item, &defs[i].velocity))
      return false;
  }
  return true;
}

static bool read_positions(const json_place *list, msd_particle_def *defs, size_t particles) {
  for (size_t i = 0; i < particles; i++) {
    json_place item = place_item(list, i);
    defs[i] = msd_default_particle_def();
    if (!place_get_vector(&item, &defs[i].position))
      return false;
  }
  return true;
}

static bool read_spring(const body_task *t, const json_place *place, msd_spring_def *def) {
  const char *text = "two particles of this body, such as [0, 1]";
  if (!spring_read_single(place, text, def))
    return false;
  json_place ends = place_member(place, "between");
  if (!json_is_array(ends.value) || json_array_size(ends.value) != 2)
    return place_fail_type(&ends, text);
  json_place a = place_item(&ends, 0), b = place_item(&ends, 1);
  if (!particle_read(&a, t->world, t->body, &def->a) || !particle_read(&b, t->world, t->body, &def->b))
    return false;
  return def->a != def->b || place_fail(&ends, "joins a particle with itself; give two different ones");
}

static bool read_springs(const body_task *t) {
  json_place list = place_member(t->place, "springs");
  if (!list.value)
    return true;
  if (!place_check_array(&list, "a list of springs"))
    return false;
  size_t springs = json_array_size(list.value);
  msd_spring_def *defs = malloc((springs + 1) * sizeof *defs);
  if (!defs)
    return place_out_of_memory(&list);
  bool done = true;
  for (size_t i = 0; done && i < springs; i++) {
    json_place item = place_item(&list, i);
    done = read_spring(t, &item, &defs[i]);
  }
  msd_range *made = &t->body->springs;
  made->count = (int32_t)springs;
  done = done && check_added(t, msd_add_springs(t->world, defs, (int)springs, &made->first));
  if (done)
    add_group(t->body, "springs", *made);
  free(defs);
  return done;
}

static bool read_particles(const body_task *t) {
  static const char *const keys[] = {"kind", "name",   "position", "velocity",
                                     "mass", "pinned", "springs",  NULL};
  const char *text = "a list of at least one position [x, y, z] in m";
  json_place list = place_member(t->place, "position");
  if (!place_check_object(t->place, keys) || !place_check_array(&list, text))
    return false;
  size_t particles = json_array_size(list.value);
  if (particles == 0)
    return place_fail(&list, "is empty; it must be %s", text);
  msd_particle_def *defs = malloc(particles * sizeof *defs);
  if (!defs)
    return place_out_of_memory(&list);
  msd_range *made = &t->body->particles;
  bool done = read_positions(&list, defs, particles) && read_velocities(t->place, defs, particles) &&
              read_masses(t->place, defs, particles) &&
              check_added(t, msd_add_particles(t->world, defs, (int)particles, &made->first));
  if (done)
    made->count = (int32_t)particles;
  free(defs);
  return done && read_springs(t);
}

/* --------------------------------------------------------------------------------------------------- rope */

static bool read_rope(const body_task *t) {
  static const char *const keys[] = {"kind", "name",   "from",    "to",   "particles",
                                     "mass", "pinned", "stretch", "bend", NULL};
  msd_rope_def def = msd_default_rope_def();
  double particles = def.particles;
  if (!(place_check_object(t->place, keys) && read_vector(t->place, "from", &def.from) &&
        read_vector(t->place, "to", &def.to) && read_count(t->place, "particles", &particles) &&
        read_real(t->place, "mass", &mass, &def.mass) &&
        spring_read_group(t->place, "stretch", &def.stretch) &&
        spring_read_group(t->place, "bend", &def.bend)))
    return false;

  json_place length = place_member(t->place, "to"), number = place_member(t->place, "particles");
  if (particles < 2)
    return place_fail(&number, "is 1; a rope needs 2 or more");
  if (!check_size(&number, "rope", particles, particles * (1 + has_springs(&def.bend))))
    return false;
  if (def.from.x == def.to.x && def.from.y == def.to.y && def.from.z == def.to.z)
    return place_fail(&length, "is the place where the rope comes from; give it a length");

  def.particles = (int32_t)particles;
  msd_body made;
  if (!check_added(t, msd_add_rope(t->world, &def, &made)))
    return false;
  keep_ranges(t->body, &made, "stretch");
  return true;
}

/* -------------------------------------------------------------------------------------------------- cloth */

static bool check_cloth_shape(const body_task *t, const msd_cloth_def *def, double columns, double rows) {
  json_place u = place_member(t->place, "u"), v = place_member(t->place, "v");
  if (columns > 1 && is_zero(def->u))
    return place_fail(&u, "is zero; it must be the way along a row, in m");
  if (rows > 1 && is_zero(def->v))
    return place_fail(&v, "is zero; it must be the way down a column, in m");
  double x = (double)def->u.y * (double)def->v.z - (double)def->u.z * (double)def->v.y;
  double y = (double)def->u.z * (double)def->v.x - (double)def->u.x * (double)def->v.z;
  double z = (double)def->u.x * (double)def->v.y - (double)def->u.y * (double)def->v.x;
  if (columns > 1 && rows > 1 && x == 0 && y == 0 && z == 0)
    return place_fail(&v, "points the same way as u; a cloth needs two different ways");
  return true;
}

static bool check_cloth_size(const body_task *t, const msd_cloth_def *def, double columns, double rows) {
  json_place larger = place_member(t->place, columns >= rows ? "columns" : "rows");
  if (columns * rows < 2)
    return place_fail(&larger, "makes a cloth of 1 particle; it needs 2 or more");
  double springs = has_springs(&def->structural) + has_springs(&def->shear) + has_springs(&def->bend);
  return check_size(&larger, "cloth", columns * rows, 2 * columns * rows * springs);
}

static bool read_cloth(const body_task *t) {
  static const char *const keys[] = {"kind", "name",   "origin",     "u",     "v",    "columns", "rows",
                                     "mass", "pinned", "structural", "shear", "bend", NULL};
  msd_cloth_def def = msd_default_cloth_def();
  double columns = def.columns, rows = def.rows;
  if (!(place_check_object(t->place, keys) && read_vector(t->place, "origin", &def.origin) &&
        read_vector(t->place, "u", &def.u) && read_vector(t->place, "v", &def.v) &&
        read_count(t->place, "columns", &columns) && read_count(t->place, "rows", &rows) &&
        read_real(t->place, "mass", &mass, &def.mass) &&
        spring_read_group(t->place, "structural", &def.structural) &&
        spring_read_group(t->place, "shear", &def.shear) && spring_read_group(t->place, "bend", &def.bend)))
    return false;
  if (!check_cloth_size(t, &def, columns, rows) || !check_cloth_shape(t, &def, columns, rows))
    return false;

  def.columns = (int32_t)columns;
  def.rows = (int32_t)rows;
  msd_body made;
  if (!check_added(t, msd_add_cloth(t->world, &def, &made)))
    return false;
  keep_ranges(t->body, &made, "structural");
  t->body->columns = def.columns;
  t->body->rows = def.rows;
  return surface_of_cloth(t->body) || place_out_of_memory(t->place);
}

/* --------------------------------------------------------------------------------------------------- mesh */

static char *path_in_folder(const char *folder, const char *file) {
  size_t size = strlen(folder) + strlen(file) + 2;
  char *path = malloc(size);
  if (!path)
    return NULL;
  if (file[0] == '/')
    snprintf(path, size, "%s", file);
  else
    snprintf(path, size, "%s/%s", folder, file);
  return path;
}

static bool load_mesh(const body_task *t, mesh_data *mesh) {
  const char *text = "the name of an OBJ or PLY file", *file = NULL;
  json_place place = place_member(t->place, "file");
  if (!require_member(t->place, "file", text) || !read_text(t->place, "file", &file))
    return false;
  char *path = path_in_folder(t->folder, file);
  if (!path)
    return place_out_of_memory(&place);
  scene_error inner;
  bool done = mesh_file_read(path, mesh, &inner);
  free(path);
  return done || place_fail(&place, "%s", inner.text);
}

static bool move_mesh(const body_task *t, mesh_data *mesh) {
  static const quantity factor = {"a factor above 0", NUMBER_SMALLEST, NUMBER_LARGEST};
  msd_vec3 position = {0, 0, 0};
  double scale = 1;
  if (!read_vector(t->place, "position", &position) || !read_double(t->place, "scale", &factor, &scale))
    return false;
  for (int32_t i = 0; i < mesh->vertex_count; i++) {
    msd_vec3 *v = &mesh->vertices[i];
    double x = (double)v->x * scale + (double)position.x, y = (double)v->y * scale + (double)position.y,
           z = (double)v->z * scale + (double)position.z;
    if (fmax(fmax(fabs(x), fabs(y)), fabs(z)) > NUMBER_LARGEST) {
      json_place factor_place = place_member(t->place, "scale");
      return place_fail(&factor_place, "moves a vertex to %g %g %g; coordinates go to %g: lower it", x, y, z,
                        NUMBER_LARGEST);
    }
    *v = (msd_vec3){(msd_real)x, (msd_real)y, (msd_real)z};
  }
  return true;
}

static bool add_mesh(const body_task *t, mesh_data *mesh) {
  static const quantity density = {"a mass per area above 0 in kg/m^2", NUMBER_SMALLEST, NUMBER_LARGEST};
  msd_mesh_def def = msd_default_mesh_def();
  if (!(move_mesh(t, mesh) && read_real(t->place, "area_density", &density, &def.area_density) &&
        spring_read_group(t->place, "structural", &def.structural) &&
        spring_read_group(t->place, "bend", &def.bend)))
    return false;
  def.vertices = mesh->vertices;
  def.vertex_count = mesh->vertex_count;
  def.triangles = mesh->triangles;
  def.triangle_count = mesh->triangle_count;
  msd_body made;
  if (!check_added(t, msd_add_mesh(t->world, &def, &made)))
    return false;
  keep_ranges(t->body, &made, "structural");
  return surface_of_mesh(t->body, mesh->triangles, mesh->triangle_count) || place_out_of_memory(t->place);
}

static bool read_mesh(const body_task *t) {
  static const char *const keys[] = {"kind",         "name",   "file",       "position", "scale",
                                     "area_density", "pinned", "structural", "bend",     NULL};
  mesh_data mesh = {0};
  bool done = place_check_object(t->place, keys) && load_mesh(t, &mesh) && add_mesh(t, &mesh);
  mesh_data_free(&mesh);
  return done;
}

/* -------------------------------------------------------------------------------------------------- block */

static bool read_size(const json_place *object, msd_vec3 *size) {
  static const quantity side = {"a length above 0 in m", NUMBER_SMALLEST, NUMBER_LARGEST};
  json_place list = place_member(object, "size");
  if (!read_vector(object, "size", size))
    return false;
  for (size_t c = 0; list.value && c < 3; c++) {
    json_place item = place_item(&list, c);
    double metres = 0;
    if (!place_get_number(&item, &side, &metres))
      return false;
  }
  return true;
}

static bool read_cells(const json_place *object, double cells[3]) {
  json_place list = place_member(object, "cells");
  if (!list.value)
    return true;
  if (!json_is_array(list.value) || json_array_size(list.value) != 3)
    return place_fail_type(&list, "three whole numbers, such as [8, 8, 8]");
  for (size_t c = 0; c < 3; c++) {
    json_place item = place_item(&list, c);
    if (!place_get_whole(&item, &count, &cells[c]))
      return false;
  }
  return true;
}

static bool read_block(const body_task *t) {
  static const char *const keys[] = {"kind", "name",   "origin",     "size",  "cells",
                                     "mass", "pinned", "structural", "shear", NULL};
  msd_block_def def = msd_default_block_def();
  double cells[3] = {def.cells[0], def.cells[1], def.cells[2]};
  if (!(place_check_object(t->place, keys) && read_vector(t->place, "origin", &def.origin) &&
        read_size(t->place, &def.size) && read_cells(t->place, cells) &&
        read_real(t->place, "mass", &mass, &def.mass) &&
        spring_read_group(t->place, "structural", &def.structural) &&
        spring_read_group(t->place, "shear", &def.shear)))
    return false;
  json_place number = place_member(t->place, "cells");
  double particles = (cells[0] + 1) * (cells[1] + 1) * (cells[2] + 1);
  if (!check_size(&number, "block", particles,
                  particles * (3 * has_springs(&def.structural) + 6 * has_springs(&def.shear))))
    return false;

  for (int c = 0; c < 3; c++)
    t->body->cells[c] = def.cells[c] = (int32_t)cells[c];
  msd_body made;
  if (!check_added(t, msd_add_block(t->world, &def, &made)))
    return false;
  keep_ranges(t->body, &made, "structural");
  return surface_of_block(t->body) || place_out_of_memory(t->place);
}

/* ------------------------------------------------------------------------------------------------ any kind */

static bool pin(const body_task *t) {
  json_place list = place_member(t->place, "pinned");
  if (!list.value)
    return true;
  if (!place_check_array(&list, "a list of particle indices and names such as \"first\""))
    return false;
  for (size_t i = 0; i < json_array_size(list.value); i++) {
    json_place item = place_item(&list, i);
    int32_t particles = 0;
    int32_t *chosen = particles_read(&item, t->world, t->body, &particles);
    if (!chosen)
      return false;
    bool done = true;
    for (int32_t p = 0; done && p < particles; p++)
      done = check_added(t, msd_particle_pin(t->world, chosen[p]));
    free(chosen);
    if (!done)
      return false;
  }
  return true;
}

typedef struct body_kind {
  const char *name;
  bool (*read)(const body_task *task);
} body_kind;

static const body_kind kinds[] = {{"particles", read_particles},
                                  {"rope", read_rope},
                                  {"cloth", read_cloth},
                                  {"mesh", read_mesh},
                                  {"block", read_block}};

static const char *const kind_names[] = {"particles", "rope", "cloth", "mesh", "block", NULL};

const char *body_read_kind(const json_place *place) {
  int kind = 0;
  if (!json_is_object(place->value)) {
    place_fail_type(place, "an object { } with a \"kind\"");
    return NULL;
  }
  if (!require_member(place, "kind", "\"particles\", \"rope\", \"cloth\", \"mesh\" or \"block\"") ||
      !read_choice(place, "kind", kind_names, &kind))
    return NULL;
  return kind_names[kind];
}

bool body_read(const json_place *place, const char *folder, msd_world *world, scene_body *body) {
  const body_task task = {place, folder, world, body};
  for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++)
    if (strcmp(kinds[k].name, body->kind) == 0)
      return kinds[k].read(&task) && pin(&task);
  return false;
}
