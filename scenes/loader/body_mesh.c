/* Bodies made of triangle meshes: meshes, and balloons, which have pressure inside. */
#include "scenes/loader/collision.h"
#include "scenes/loader/decimate.h"
#include "scenes/loader/mass_redistribution_reader.h"
#include "scenes/loader/material_reader.h"
#include "scenes/loader/mesh_input.h"
#include "scenes/loader/mesh_lines.h"
#include "scenes/loader/mesh_portion.h"
#include "scenes/loader/spring_reader.h"
#include "scenes/meshes/sphere.h"

#include <stdlib.h>

/* What the file of the scene says of a mesh, all but its triangles. */
typedef struct mesh_settings {
  msd_mesh_def def;
  transform where;
  mesh_options options;
  decimate_option decimate;
  line_use lines;

  /* When it has no file. */
  bool is_sphere;
  double radius, subdivisions;
} mesh_settings;

static bool read_sphere(const json_place *place, mesh_settings *s) {
  static const char *const keys[] = {"radius", "subdivisions", NULL};
  static const quantity length = {"a radius above 0 in m", NUMBER_SMALLEST, NUMBER_LARGEST};
  static const quantity number = {"a whole number from 0 to 8", 0, SPHERE_SUBDIVISIONS_MAX};
  s->is_sphere = true;
  return place_check_object(place, keys) && read_double(place, "radius", &length, &s->radius) &&
         read_whole(place, "subdivisions", &number, &s->subdivisions);
}

static bool read_settings(const body_task *t, mesh_settings *s) {
  static const char *const replaced[] = {"area_density", "stretch", "bend", NULL};
  static const quantity density = {"a mass per area above 0 in kg/m^2", NUMBER_SMALLEST, NUMBER_LARGEST};
  static const quantity rest_volume_scale = {"a factor above 0 on the volume", NUMBER_SMALLEST,
                                             NUMBER_LARGEST};
  const json_place *place = t->place;
  msd_mesh_def *def = &s->def;
  const json_place warp = place_member(place, "warp");
  if (warp.value && !place_member(place, "material").value)
    return place_fail(&warp, "is the direction of the warp of a \"material\"; give one too");
  if (!(material_read(t, MATERIAL_SHEET, replaced, &def->material) &&
        read_vector(place, "warp", &def->warp) && transform_read(place, &s->where) &&
        mesh_input_options(place, &s->options) &&
        read_real(place, "area_density", &density, &def->area_density) &&
        spring_read_group(place, "stretch", SPRING_LENGTH, &def->stretch) &&
        spring_read_bend(place, 1u << MSD_BEND_DISTANCE | 1u << MSD_BEND_DIHEDRAL, &def->bend,
                         &def->bend_kind) &&
        spring_read_group(place, "pressure", SPRING_VOLUME, &def->pressure) &&
        read_real(place, "rest_volume_scale", &rest_volume_scale, &def->rest_volume_scale) &&
        decimate_read(place, &s->decimate) && mesh_lines_read(place, &s->lines) &&
        mass_redistribution_read(place, def->material ? MASS_REDISTRIBUTION_OF_MATERIALS : 0, t->body)))
    return false;
  s->options.lines = s->lines == LINES_SEWN || s->lines == LINES_AS_SPRINGS ? LINES_OF_FACES : LINES_COUNTED;
  json_place inflated = place_member(place, "rest_volume_scale");
  return !inflated.value || body_wants(&def->pressure) ||
         place_fail(&inflated, "has no effect without a \"pressure\"; give one too");
}

static bool make_triangles(const body_task *t, const mesh_settings *s, transform *where, mesh_data *mesh) {
  mesh_options options = s->options;
  options.where = where;
  if (!s->is_sphere)
    return mesh_input_read(t, &options, mesh);
  return (sphere_make(s->radius, (int)s->subdivisions, mesh) || place_out_of_memory(t->place)) &&
         transform_points(t->place, where, mesh->vertices, mesh->vertex_count);
}

bool body_keep_vertex_numbers(const body_task *t, const mesh_data *mesh) {
  scene_body *body = t->body;
  if (mesh->file_vertex_count == mesh->vertex_count || !mesh->vertex_of)
    return true;
  body->particle_of_vertex = malloc((size_t)mesh->file_vertex_count * sizeof *body->particle_of_vertex);
  if (!body->particle_of_vertex)
    return place_out_of_memory(t->place);
  body->vertex_count = mesh->file_vertex_count;
  for (int32_t v = 0; v < mesh->file_vertex_count; v++)
    body->particle_of_vertex[v] = mesh->vertex_of[v] < 0 ? -1 : body->particles.first + mesh->vertex_of[v];
  return true;
}

/* Spheres are closed. */
static bool check_closed(const body_task *t, const mesh_data *mesh, const msd_mesh_def *def) {
  scene_error inner;
  json_place file = place_member(t->place, "file");
  return !file.value || !body_wants(&def->pressure) ||
         mesh_data_check_closed(mesh, "use a body of type \"mesh\" without \"pressure\"", &inner) ||
         place_fail(&file, "%s", inner.text);
}

static bool add_triangles(const body_task *t, const mesh_data *mesh, msd_mesh_def def) {
  def.vertices = mesh->vertices;
  def.vertex_count = mesh->vertex_count;
  def.triangles = mesh->triangles;
  def.triangle_count = mesh->triangle_count;
  msd_body made;
  if (!body_check_added(t, msd_add_mesh(t->world, &def, &made)))
    return false;
  body_keep_ranges(t->body, &made, "stretch", "pressure");
  if (!body_keep_vertex_numbers(t, mesh))
    return false;
  return surface_of_mesh(t->body, mesh->triangles, mesh->triangle_count) || place_out_of_memory(t->place);
}

/* What a process has read of a mesh. */
typedef struct read_mesh {
  mesh_portion portion;
  transform where;
  mesh_data mesh;
  /* Of the triangles, where they are wanted. */
  bool wants_numbers;
  int32_t *numbers;
} read_mesh;

static bool read_portion(const char *path, void *data, scene_warnings *warnings, scene_error *error) {
  read_mesh *read = data;
  mesh_portion *p = &read->portion;
  if (!mesh_part_measure(path, &read->where, p->of_world.rank, p->of_world.ranks, &p->extent, error))
    return false;
  mesh_portion_find(p);
  return p->needed.count == 0 || mesh_part_read(path, &read->where, p->needed, p->kept, &read->mesh,
                                                read->wants_numbers ? &read->numbers : NULL, warnings, error);
}

/* Whether the least corner of a triangle of the portion is this process's own. */
static bool is_own(const mesh_portion *p, const int32_t *corners) {
  const int64_t first = (int64_t)p->of_world.own.first - p->of_world.particles - p->needed.first;
  int32_t least = corners[0];
  for (int c = 1; c < CORNERS; c++)
    least = corners[c] < least ? corners[c] : least;
  return least >= first && least < first + p->of_world.own.count;
}

/* Behind the particles, the first of which is the first vertex that is kept. */
static bool keep_faces(const body_task *t, const read_mesh *read) {
  const mesh_portion *p = &read->portion;
  const mesh_data *mesh = &read->mesh;
  scene_faces *faces = &t->body->faces;
  const int32_t first = t->body->particles.first - (p->kept.first - p->needed.first);
  *faces = (scene_faces){.whole = p->extent.triangles, .has_attributes = p->extent.has_attributes};
  for (int32_t i = 0; i < mesh->triangle_count; i++)
    faces->count += is_own(p, mesh->triangles + CORNERS * (size_t)i);
  faces->triangles = malloc(((size_t)faces->count + 1) * CORNERS * sizeof *faces->triangles);
  faces->numbers = malloc(((size_t)faces->count + 1) * sizeof *faces->numbers);
  if (!faces->triangles || !faces->numbers)
    return place_out_of_memory(t->place);
  for (int32_t i = 0, n = 0; i < mesh->triangle_count; i++) {
    const int32_t *corners = mesh->triangles + CORNERS * (size_t)i;
    if (!is_own(p, corners))
      continue;
    for (size_t c = 0; c < CORNERS; c++)
      faces->triangles[CORNERS * (size_t)n + c] = first + corners[c];
    faces->numbers[n++] = read->numbers[i];
  }
  return true;
}

static bool add_portion(const body_task *t, const mesh_settings *s) {
  read_mesh read = {
      .portion = mesh_portion_begin(t), .where = s->where, .wants_numbers = t->body->wants_faces};
  mesh_data *mesh = &read.mesh;
  msd_mesh_def def = s->def;
  msd_body made;
  bool done = body_read_file(t, MESH_INPUT_FILE, read_portion, &read);
  if (read.where.is_exceeded)
    transform_fail(t->place, &read.where);
  done = mesh_portion_all_have_read(t, done);
  if (done) {
    def.vertices = mesh->vertices;
    def.vertex_count = mesh->vertex_count;
    def.triangles = mesh->triangles;
    def.triangle_count = mesh->triangle_count;
    const msd_mesh_subdomain part = mesh_portion_part(&read.portion);
    done = body_check_added(t, msd_add_mesh_subdomain(t->world, &def, &part, &made));
  }
  if (done) {
    body_keep_ranges(t->body, &made, "stretch", "pressure");
    done = !t->body->wants_faces || keep_faces(t, &read);
  }
  mesh_data_free(mesh);
  free(read.numbers);
  return done;
}

static bool add_mesh(const body_task *t, const mesh_settings *s) {
  if (!t->world)
    return true;
  if (t->body->is_part)
    return add_portion(t, s);
  mesh_data mesh = {0};
  mesh_cage cage = {0};
  transform where = s->where;
  const bool done = make_triangles(t, s, &where, &mesh) && check_closed(t, &mesh, &s->def) &&
                    decimate_mesh(t, &s->decimate, &s->def, &mesh, &cage) &&
                    add_triangles(t, &mesh, s->def) && decimate_finish(t, &cage) &&
                    mesh_lines_add(t, s->lines, &mesh, &s->def.stretch);
  mesh_cage_free(&cage);
  if (done) {
    t->body->attributes = mesh.attributes;
    mesh.attributes = (corner_attributes){0};
    t->body->named_vertices = mesh.groups;
    mesh.groups = (vertex_groups){0};
  }
  mesh_data_free(&mesh);
  return done;
}

#define MESH_KEYS                                                                                            \
  BODY_KEYS, MESH_INPUT_KEYS, "area_density", "stretch", "bend", "pressure", "rest_volume_scale",            \
      "material", "warp", MASS_REDISTRIBUTION_KEY, DECIMATE_KEY, MESH_LINES_KEY

bool body_read_mesh(const body_task *t) {
  static const char *const keys[] = {MESH_KEYS, NULL};
  mesh_settings s = {.def = msd_default_mesh_def()};
  return place_check_object(t->place, keys) && read_settings(t, &s) && add_mesh(t, &s);
}

bool body_read_balloon(const body_task *t) {
  static const char *const keys[] = {MESH_KEYS, "sphere", NULL};
  json_place file = place_member(t->place, "file"), sphere = place_member(t->place, "sphere");
  if (!place_check_object(t->place, keys))
    return false;
  if (file.value && sphere.value)
    return place_fail(&file, "cannot be combined with \"sphere\"; give one of them");
  static const char *const of_files[] = {"group", "component", "merge_distance", DECIMATE_KEY,
                                         MESH_LINES_KEY};
  for (size_t k = 0; k < sizeof of_files / sizeof *of_files; k++) {
    const json_place key = place_member(t->place, of_files[k]);
    if (key.value && sphere.value)
      return place_fail(&key, "is only for a body with a \"file\", and this is a \"sphere\"; leave it out");
  }
  if (!file.value && !sphere.value)
    return place_fail(t->place, "a balloon needs a \"file\", or a \"sphere\" such as { \"radius\": 0.5 }");
  mesh_settings s = {.def = msd_default_mesh_def(), .radius = 1, .subdivisions = 3};
  s.def.pressure.law = MSD_SPRING_COEFFICIENT;
  return (!sphere.value || read_sphere(&sphere, &s)) && read_settings(t, &s) && add_mesh(t, &s);
}
