/* Bodies made of tetrahedra. */
#include "scenes/loader/collision.h"
#include "scenes/loader/mass_redistribution_reader.h"
#include "scenes/loader/material_reader.h"
#include "scenes/loader/mesh_portion.h"
#include "scenes/loader/spring_reader.h"
#include "scenes/loader/transform.h"
#include "scenes/meshes/tetgen_file.h"

#define TETGEN_FILE "the name of a .node or .ele file of TetGen"

/* What a process has read of a mesh, or the whole. */
typedef struct read_tetmesh {
  mesh_portion portion;
  transform where;
  tet_data mesh;
} read_tetmesh;

static bool read_tetrahedra(const char *path, void *data, scene_warnings *warnings, scene_error *error) {
  read_tetmesh *read = data;
  (void)warnings;
  return tetgen_file_read(path, &read->where, &read->mesh, error);
}

static bool add_tetmesh(const body_task *t, const tet_data *mesh, msd_tetmesh_def def) {
  def.vertices = mesh->vertices;
  def.vertex_count = mesh->vertex_count;
  def.tetrahedra = mesh->tetrahedra;
  def.tetrahedron_count = mesh->tetrahedron_count;
  msd_body made;
  if (!body_check_added(t, msd_add_tetmesh(t->world, &def, &made)))
    return false;
  body_keep_ranges(t->body, &made, "stretch", "volume");
  return surface_of_tetmesh(t->body, &def) || place_out_of_memory(t->place);
}

static bool read_portion(const char *path, void *data, scene_warnings *warnings, scene_error *error) {
  read_tetmesh *read = data;
  mesh_portion *p = &read->portion;
  (void)warnings;
  if (!tetgen_part_measure(path, &p->extent, error))
    return false;
  mesh_portion_find(p);
  return p->needed.count == 0 || tetgen_part_read(path, &read->where, p->needed, &read->mesh, error);
}

static bool add_portion(const body_task *t, const transform *where, msd_tetmesh_def def) {
  read_tetmesh read = {.portion = mesh_portion_begin(t), .where = *where};
  tet_data *mesh = &read.mesh;
  msd_body made;
  bool done = body_read_file(t, TETGEN_FILE, read_portion, &read);
  if (read.where.is_exceeded)
    transform_fail(t->place, &read.where);
  done = mesh_portion_all_have_read(t, done);
  if (done) {
    def.vertices = mesh->vertices;
    def.vertex_count = mesh->vertex_count;
    def.tetrahedra = mesh->tetrahedra;
    def.tetrahedron_count = mesh->tetrahedron_count;
    const msd_mesh_subdomain part = mesh_portion_part(&read.portion);
    done = body_check_added(t, msd_add_tetmesh_subdomain(t->world, &def, &part, &made));
  }
  if (done)
    body_keep_ranges(t->body, &made, "stretch", "volume");
  tet_data_free(mesh);
  return done;
}

static bool add_whole(const body_task *t, const transform *where, const msd_tetmesh_def *def) {
  read_tetmesh read = {.where = *where};
  const bool done =
      body_read_file(t, TETGEN_FILE, read_tetrahedra, &read) && add_tetmesh(t, &read.mesh, *def);
  if (read.where.is_exceeded)
    transform_fail(t->place, &read.where);
  tet_data_free(&read.mesh);
  return done;
}

/* A volume, or false: none. */
static bool read_volume(const json_place *body, msd_spring_def *pattern) {
  if (!json_is_false(place_member(body, "volume").value))
    return spring_read_group(body, "volume", SPRING_VOLUME, pattern);
  pattern->law = MSD_SPRING_NONE;
  return true;
}

bool body_read_tetmesh(const body_task *t) {
  static const char *const keys[] = {BODY_KEYS, "file",     TRANSFORM_KEYS,          "density", "stretch",
                                     "volume",  "material", MASS_REDISTRIBUTION_KEY, NULL};
  static const char *const replaced[] = {"density", "stretch", "volume", NULL};
  static const quantity density = {"a density above 0 in kg/m^3", NUMBER_SMALLEST, NUMBER_LARGEST};
  msd_tetmesh_def def = msd_default_tetmesh_def();
  transform where;
  if (!(place_check_object(t->place, keys) &&
        material_read(t, MATERIAL_TETRAHEDRA, replaced, &def.material) && transform_read(t->place, &where) &&
        read_real(t->place, "density", &density, &def.density) &&
        spring_read_group(t->place, "stretch", SPRING_LENGTH, &def.stretch) &&
        read_volume(t->place, &def.volume) && mass_redistribution_read(t->place, 0, t->body)))
    return false;
  if (!t->world)
    return true;
  return t->body->is_part ? add_portion(t, &where, def) : add_whole(t, &where, &def);
}
