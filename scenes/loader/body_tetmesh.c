/* Bodies made of tetrahedra. */
#include "scenes/loader/mass_shift_reader.h"
#include "scenes/loader/material_reader.h"
#include "scenes/loader/spring_reader.h"
#include "scenes/loader/surface.h"
#include "scenes/loader/transform.h"
#include "scenes/meshes/tetgen_file.h"

static bool read_tetrahedra(const char *path, void *data, scene_warnings *warnings, scene_error *error) {
  (void)warnings;
  return tetgen_file_read(path, data, error);
}

static bool add_tetmesh(const body_task *t, const tet_data *mesh, msd_tetmesh_def def) {
  def.vertices = mesh->vertices;
  def.vertex_count = mesh->vertex_count;
  def.tetrahedra = mesh->tetrahedra;
  def.tetrahedron_count = mesh->tetrahedron_count;
  msd_body made;
  if (!body_check_added(t, msd_add_tetmesh(t->world, &def, &made)))
    return false;
  body_keep_ranges(t->body, &made, "structural", "volume");
  return surface_of_tetmesh(t->body, &def) || place_out_of_memory(t->place);
}

bool body_read_tetmesh(const body_task *t) {
  static const char *const keys[] = {BODY_KEYS, "file",     TRANSFORM_KEYS, "density", "structural",
                                     "volume",  "material", MASS_SHIFT_KEY, NULL};
  static const char *const replaced[] = {"density", "structural", "volume", NULL};
  static const quantity density = {"a density above 0 in kg/m^3", NUMBER_SMALLEST, NUMBER_LARGEST};
  msd_tetmesh_def def = msd_default_tetmesh_def();
  transform where;
  if (!(place_check_object(t->place, keys) &&
        material_read(t, MATERIAL_TETRAHEDRA, replaced, &def.material) && transform_read(t->place, &where) &&
        read_real(t->place, "density", &density, &def.density) &&
        spring_read_group(t->place, "structural", SPRING_LENGTH, &def.structural) &&
        spring_read_group(t->place, "volume", SPRING_VOLUME, &def.volume) &&
        mass_shift_read(t->place, 0, t->body)))
    return false;
  if (!t->world)
    return true;
  tet_data mesh = {0};
  const bool done = body_read_file(t, "the name of a .node or .ele file of TetGen", read_tetrahedra, &mesh) &&
                    transform_points(t->place, &where, mesh.vertices, mesh.vertex_count) &&
                    add_tetmesh(t, &mesh, def);
  tet_data_free(&mesh);
  return done;
}
