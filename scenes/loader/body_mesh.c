/* Bodies made of triangle meshes: meshes, and balloons, which have pressure inside. */
#include "scenes/loader/body_task.h"
#include "scenes/loader/spring_reader.h"
#include "scenes/loader/surface.h"
#include "scenes/meshes/mesh_file.h"
#include "scenes/meshes/sphere.h"

#include <stdlib.h>

static bool load_mesh(const body_task *t, mesh_data *mesh) {
  char *path = body_file_path(t, "the name of an OBJ or PLY file");
  if (!path)
    return false;
  scene_error inner;
  bool done = mesh_file_read(path, mesh, &inner);
  free(path);
  json_place place = place_member(t->place, "file");
  return done || place_fail(&place, "%s", inner.text);
}

/* A definition that has the defaults of the kind of body. */
static bool add_mesh(const body_task *t, mesh_data *mesh, msd_mesh_def def) {
  static const quantity density = {"a mass per area above 0 in kg/m^2", NUMBER_SMALLEST, NUMBER_LARGEST};
  static const quantity inflation = {"a factor above 0 on the volume", NUMBER_SMALLEST, NUMBER_LARGEST};
  if (!(body_place_vertices(t->place, mesh->vertices, mesh->vertex_count) &&
        read_real(t->place, "area_density", &density, &def.area_density) &&
        spring_read_group(t->place, "structural", SPRING_LENGTH, &def.structural) &&
        spring_read_bend(t->place, 1u << MSD_BEND_DISTANCE | 1u << MSD_BEND_DIHEDRAL, &def.bend,
                         &def.bend_kind) &&
        spring_read_group(t->place, "pressure", SPRING_VOLUME, &def.pressure) &&
        read_real(t->place, "inflation", &inflation, &def.inflation)))
    return false;
  json_place inflated = place_member(t->place, "inflation");
  if (inflated.value && !body_wants(&def.pressure))
    return place_fail(&inflated, "inflates nothing without a \"pressure\"; give one too");
  def.vertices = mesh->vertices;
  def.vertex_count = mesh->vertex_count;
  def.triangles = mesh->triangles;
  def.triangle_count = mesh->triangle_count;
  msd_body made;
  if (!body_check_added(t, msd_add_mesh(t->world, &def, &made)))
    return false;
  body_keep_ranges(t->body, &made, "structural", "pressure");
  return surface_of_mesh(t->body, mesh->triangles, mesh->triangle_count) || place_out_of_memory(t->place);
}

bool body_read_mesh(const body_task *t) {
  static const char *const keys[] = {BODY_KEYS,    "file", "position", "scale",     "area_density",
                                     "structural", "bend", "pressure", "inflation", NULL};
  mesh_data mesh = {0};
  bool done =
      place_check_object(t->place, keys) && load_mesh(t, &mesh) && add_mesh(t, &mesh, msd_default_mesh_def());
  mesh_data_free(&mesh);
  return done;
}

static bool make_sphere(const json_place *place, mesh_data *mesh) {
  static const char *const keys[] = {"radius", "subdivisions", NULL};
  static const quantity length = {"a radius above 0 in m", NUMBER_SMALLEST, NUMBER_LARGEST};
  static const quantity number = {"a whole number from 0 to 8", 0, SPHERE_SUBDIVISIONS_MAX};
  double radius = 1, subdivisions = 3;
  json_place fineness = place_member(place, "subdivisions");
  if (!(place_check_object(place, keys) && read_double(place, "radius", &length, &radius) &&
        (!fineness.value || place_get_whole(&fineness, &number, &subdivisions))))
    return false;
  return sphere_make(radius, (int)subdivisions, mesh) || place_out_of_memory(place);
}

bool body_read_balloon(const body_task *t) {
  static const char *const keys[] = {BODY_KEYS,    "file", "sphere",   "position",  "scale", "area_density",
                                     "structural", "bend", "pressure", "inflation", NULL};
  json_place file = place_member(t->place, "file"), sphere = place_member(t->place, "sphere");
  if (!place_check_object(t->place, keys))
    return false;
  if (file.value && sphere.value)
    return place_fail(&file, "does not go with \"sphere\"; give one of them");
  if (!file.value && !sphere.value)
    return place_fail(t->place, "a balloon needs a \"file\", or a \"sphere\" such as { \"radius\": 0.5 }");
  msd_mesh_def def = msd_default_mesh_def();
  def.pressure.law = MSD_SPRING_COEFFICIENT;
  mesh_data mesh = {0};
  bool done = (file.value ? load_mesh(t, &mesh) : make_sphere(&sphere, &mesh)) && add_mesh(t, &mesh, def);
  mesh_data_free(&mesh);
  return done;
}
