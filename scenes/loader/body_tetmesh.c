/* Bodies made of tetrahedra. */
#include "scenes/loader/body_task.h"
#include "scenes/loader/spring_reader.h"
#include "scenes/loader/surface.h"
#include "scenes/meshes/tetgen_file.h"

#include <stdlib.h>

static bool load_tetmesh(const body_task *t, tet_data *mesh) {
  char *path = body_file_path(t, "the name of a .node or .ele file of TetGen");
  if (!path)
    return false;
  scene_error inner;
  bool done = tetgen_file_read(path, mesh, &inner);
  free(path);
  json_place place = place_member(t->place, "file");
  return done || place_fail(&place, "%s", inner.text);
}

static bool add_tetmesh(const body_task *t, const tet_data *mesh) {
  static const quantity density = {"a density above 0 in kg/m^3", NUMBER_SMALLEST, NUMBER_LARGEST};
  msd_tetmesh_def def = msd_default_tetmesh_def();
  if (!(body_place_vertices(t->place, mesh->vertices, mesh->vertex_count) &&
        read_real(t->place, "density", &density, &def.density) &&
        spring_read_group(t->place, "structural", SPRING_LENGTH, &def.structural) &&
        spring_read_group(t->place, "volume", SPRING_VOLUME, &def.volume)))
    return false;
  def.vertices = mesh->vertices;
  def.vertex_count = mesh->vertex_count;
  def.tetrahedra = mesh->tetrahedra;
  def.tetrahedron_count = mesh->tetrahedron_count;
  msd_body made;
  if (!body_check_added(t, msd_add_tetmesh(t->world, &def, &made)))
    return false;
  body_keep_ranges(t->body, &made, "structural", "volume");
  return surface_of_tetmesh(t->body, mesh->tetrahedra, mesh->tetrahedron_count) ||
         place_out_of_memory(t->place);
}

bool body_read_tetmesh(const body_task *t) {
  static const char *const keys[] = {BODY_KEYS, "file",       "position", "scale",
                                     "density", "structural", "volume",   NULL};
  tet_data mesh = {0};
  bool done = place_check_object(t->place, keys) && load_tetmesh(t, &mesh) && add_tetmesh(t, &mesh);
  tet_data_free(&mesh);
  return done;
}
