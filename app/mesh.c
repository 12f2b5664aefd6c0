/* msd mesh: writes a mesh with its vertices in the memory order of the solver. */
#include "app/commands.h"

#include "app/base/options.h"
#include "app/base/output_file.h"
#include "app/base/units.h"
#include "app/export/mesh_order.h"
#include "scenes/input/file_bytes.h"
#include "scenes/meshes/mesh_file.h"
#include "scenes/meshes/tetgen_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OPTION_GROUP = OPTIONS_FIRST_ID, OPTION_PIECE, OPTION_WELD };

static const option_spec specs[] = {
    {OPTION_GROUP, "group", "NAME", "only the triangles of this group, object or material", NULL},
    {OPTION_PIECE, "component", "N", "only this connected component, counted from 0", NULL},
    {OPTION_WELD, "merge-distance", "M", "merge vertices within this distance, m before any scale", "0"},
};

static const command_line line = {
    .name = "mesh",
    .operand = "MESH",
    .folder = "FILE",
    .of_files = true,
    .summary =
        "Reorders the vertices of a mesh for distributed loading: in 'mpirun -n N msd run SCENE --partition\n"
        "distributed' each process then reads its subdomain alone. MESH is an OBJ, PLY, STL or glTF file, "
        "and\n"
        "FILE ends in .obj; or MESH is a .node or .ele file of TetGen, and so is FILE. Vertices of "
        "triangles\n"
        "at one place are merged, and those without a face of some area are left out.",
    .options = specs,
    .option_count = sizeof specs / sizeof *specs,
    .outputs = "the second operand: msd mesh MESH FILE",
    .notes = "exit status: 0 done; 2 bad usage or input; 3 the file cannot be written.",
    .examples = "  msd mesh dress.obj ordered.obj\n"
                "  msd mesh body.node ordered.node",
};

typedef struct mesh_task {
  const char *from, *to;
  mesh_options options;
  bool of_tetrahedra;
} mesh_task;

static bool read_option(const option_reader *r, mesh_options *o) {
  int64_t piece;
  switch (r->option->id) {
  case OPTION_GROUP:
    o->group = r->value;
    return true;
  case OPTION_PIECE:
    o->has_piece = true;
    if (!option_take_count(r, 0, INT32_MAX, "the number of a component, a whole number of 0 or more", &piece))
      return false;
    o->piece = (int32_t)piece;
    return true;
  default:
    return (parse_number(r->value, &o->weld.distance) && o->weld.distance >= 0) ||
           option_refuse(r, "a distance of 0 or more in m, such as 0.001");
  }
}

static bool is_of_tetrahedra(const char *path) {
  return file_has_ending(path, ".node") || file_has_ending(path, ".ele");
}

/* Files that come in pairs are compared without their endings. */
static bool is_same_mesh(const mesh_task *t) {
  if (!t->of_tetrahedra)
    return output_file_same(t->from, t->to);
  char *from = strndup(t->from, (size_t)(strrchr(t->from, '.') - t->from)),
       *to = strndup(t->to, (size_t)(strrchr(t->to, '.') - t->to));
  const bool is_same = from != NULL && to != NULL && output_file_same(from, to);
  free(from);
  free(to);
  return is_same;
}

static bool check(const mesh_task *t) {
  const mesh_options *o = &t->options;
  if (t->of_tetrahedra && (o->group != NULL || o->has_piece || o->weld.distance > 0))
    message_error(line.name,
                  "--group, --component and --merge-distance need triangles, and %s has tetrahedra", t->from);
  else if (t->of_tetrahedra && !is_of_tetrahedra(t->to))
    message_error(line.name, "%s: tetrahedra are written as .node and .ele; give the name of one of them",
                  t->to);
  else if (!t->of_tetrahedra && !file_has_ending(t->to, ".obj"))
    message_error(line.name, "%s: triangles are written as OBJ; give a name that ends in .obj", t->to);
  else if (is_same_mesh(t))
    message_error(line.name, "%s: is the mesh itself, of which not everything is written; name another file",
                  t->to);
  else
    return true;
  return false;
}

/* False with *status set, when there is nothing to do. */
static bool read_options(int argc, char **argv, mesh_task *t, int *status) {
  *t = (mesh_task){0};
  option_reader reader = options_begin(&line, argc, argv);
  int id;
  *status = STATUS_BAD_INPUT;
  while ((id = options_next(&reader)) > OPTIONS_END)
    if (!read_option(&reader, &t->options))
      return false;
  if (id == OPTIONS_HELP)
    *status = STATUS_DONE;
  if (id != OPTIONS_END)
    return false;
  t->from = reader.operand;
  t->to = reader.folder;
  t->of_tetrahedra = is_of_tetrahedra(t->from);
  return check(t);
}

static bool read_tetrahedra(const mesh_task *t, ordered_mesh *mesh) {
  scene_error error;
  tet_data data;
  if (!tetgen_file_read(t->from, NULL, &data, &error)) {
    message_error(line.name, "%s", error.text);
    return false;
  }
  *mesh =
      (ordered_mesh){data.vertices, data.vertex_count, data.tetrahedra, 4, data.tetrahedron_count, 0, false};
  return true;
}

static bool read_triangles(const mesh_task *t, ordered_mesh *mesh) {
  scene_error error;
  scene_warnings warnings = {0};
  mesh_data data;
  const bool done = mesh_file_read_with(t->from, &t->options, &data, &warnings, &error);
  for (int n = 0; n < warnings.count; n++)
    message_warning(line.name, "%s", warnings.lines[n]);
  scene_warnings_free(&warnings);
  if (!done) {
    message_error(line.name, "%s", error.text);
    return false;
  }
  *mesh = (ordered_mesh){data.vertices, data.vertex_count, data.triangles, CORNERS, data.triangle_count, 0,
                         false};
  data.vertices = NULL;
  data.triangles = NULL;
  mesh_data_free(&data);
  return true;
}

static void print_result(const mesh_task *t, const ordered_mesh *mesh) {
  printf("%s: %s vertices, %s %s, each within %s vertices of the order\n", t->to,
         units_count(mesh->vertex_count).text, units_count(mesh->cell_count).text,
         t->of_tetrahedra ? "tetrahedra" : "triangles", units_count(mesh->span).text);
  if (!mesh->is_kept)
    message_warning(line.name,
                    "%s: the mesh is too small to be distributed: some edge spans more than a quarter of the "
                    "vertices, or their "
                    "numbers of edges differ too much",
                    t->to);
}

static int order(const mesh_task *t, ordered_mesh *mesh) {
  problem p;
  if (!ordered_mesh_make(mesh, &p)) {
    message_error(line.name, "%s: %s", t->from, p.text);
    return STATUS_BAD_INPUT;
  }
  if (!ordered_mesh_write(mesh, t->to, &p)) {
    message_error(line.name, "%s", p.text);
    return STATUS_IO;
  }
  print_result(t, mesh);
  return STATUS_DONE;
}

int command_mesh(int argc, char **argv) {
  mesh_task task;
  ordered_mesh mesh = {0};
  int status;
  if (!read_options(argc, argv, &task, &status))
    return status;
  if (!(task.of_tetrahedra ? read_tetrahedra(&task, &mesh) : read_triangles(&task, &mesh)))
    return STATUS_BAD_INPUT;
  status = order(&task, &mesh);
  free(mesh.vertices);
  free(mesh.cells);
  return status;
}
