/* These formats are read here, and not by an import library, because a mesh file is input like any other
   and must not be able to crash the program: assimp 5.2 writes outside its buffers on damaged PLY files
   (repaired after that version by its pull requests 5310, 5739 and 5956), gives no line of an error and does
   not keep the order of an OBJ file's vertices. */
#include "scenes/meshes/mesh_file.h"

#include "scenes/input/file_bytes.h"
#include "scenes/meshes/mesh_formats.h"
#include "scenes/meshes/mesh_pieces.h"
#include "scenes/meshes/triangulation.h"

#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------------- reading */

static const file_kind mesh_kind = {.what = "an OBJ, PLY, STL or glTF file",
                                    .missing_remedy = "mesh files are looked for beside the scene file",
                                    .size_remedy = "make the mesh coarser",
                                    .largest_mb = 2000};

typedef bool (*format_reader)(char *bytes, size_t size, polygon_mesh *mesh, scene_error *error);

/* By the ending of a name; NULL: it is none of them. */
static format_reader find_format(const char *path) {
  static const struct {
    const char *ending;
    format_reader read;
  } formats[] = {
      {".obj", obj_read}, {".ply", ply_read}, {".stl", stl_read}, {".gltf", gltf_read}, {".glb", gltf_read}};
  for (size_t f = 0; f < sizeof formats / sizeof *formats; f++)
    if (file_has_ending(path, formats[f].ending))
      return formats[f].read;
  return NULL;
}

static bool read_polygons(const char *path, mesh_lines lines, polygon_mesh *mesh, scene_error *error) {
  const format_reader read = find_format(path);
  mesh->file = path;
  mesh->path = scene_error_path(path);
  if (!read)
    return scene_fail(error,
                      "%s: is not a mesh format that msd reads; give a file that ends in .obj, .ply, .stl, "
                      ".gltf or .glb (Blender and "
                      "meshio convert others)",
                      mesh->path);
  size_t size = 0;
  char *bytes = file_bytes_read(path, &mesh_kind, &size, error);
  if (!bytes)
    return false;
  const size_t mark = file_mark_length(bytes, size);
  const bool done = size > mark
                        ? read(bytes + mark, size - mark, mesh, error)
                        : scene_fail(error, "%s: is empty; it must hold vertices and faces", mesh->path);
  free(bytes);
  return done && (mesh->polygon_count > 0 || (mesh->end_count > 0 && lines == LINES_ALL) ||
                  scene_fail(error, "%s: has no faces; a mesh needs at least one face of 3 corners%s",
                             mesh->path, lines == LINES_ALL ? " or a line" : ""));
}

/* ------------------------------------------------------------------------------ vertices without area */

static int32_t *triangle_at(const mesh_data *mesh, int32_t t) {
  return mesh->triangles + (size_t)CORNERS * (size_t)t;
}

/* new_number[v] becomes what vertex v is called after those have gone that no triangle with an area, and no
   line that counts, uses, since they would have no mass; -1 for these. Their number. */
static int32_t number_used(const mesh_data *mesh, mesh_lines lines, int32_t *new_number) {
  for (int32_t v = 0; v < mesh->vertex_count; v++)
    new_number[v] = -1;
  for (int32_t t = 0; t < mesh->triangle_count; t++)
    for (int c = 0; mesh_data_has_area(mesh, t) && c < CORNERS; c++)
      new_number[triangle_at(mesh, t)[c]] = 0;
  for (int32_t e = 0; lines == LINES_ALL && e < 2 * mesh->segment_count; e++)
    new_number[mesh->segments[e]] = 0;
  int32_t used = 0;
  for (int32_t v = 0; v < mesh->vertex_count; v++)
    if (new_number[v] == 0)
      new_number[v] = used++;
  return mesh->vertex_count - used;
}

static void drop_vertices(mesh_data *mesh, const int32_t *new_number) {
  for (int32_t v = 0; v < mesh->vertex_count; v++)
    if (new_number[v] >= 0) {
      mesh->vertices[new_number[v]] = mesh->vertices[v];
      memmove(mesh->file_vertices[new_number[v]], mesh->file_vertices[v], sizeof *mesh->file_vertices);
    }
  for (int32_t f = 0; f < mesh->file_vertex_count; f++)
    mesh->vertex_of[f] = new_number[mesh->vertex_of[f]];
  int32_t kept = 0;
  for (int32_t t = 0; t < mesh->triangle_count; t++) {
    const int32_t *from = triangle_at(mesh, t);
    const int32_t a = new_number[from[0]], b = new_number[from[1]], c = new_number[from[2]];
    if (a < 0 || b < 0 || c < 0)
      continue;
    int32_t *to = triangle_at(mesh, kept);
    to[0] = a;
    to[1] = b;
    to[2] = c;
    memmove(mesh->corner_of + (size_t)CORNERS * (size_t)kept, mesh->corner_of + (size_t)CORNERS * (size_t)t,
            CORNERS * sizeof *mesh->corner_of);
    mesh->face_of[kept++] = mesh->face_of[t];
  }
  mesh->triangle_count = kept;
}

/* Returns how many have an end that is left out, and go too. */
static int32_t drop_lines(mesh_data *mesh, const int32_t *new_number) {
  const int32_t count = mesh->segment_count;
  mesh->segment_count = 0;
  for (int32_t s = 0; s < count; s++) {
    const int32_t a = new_number[mesh->segments[2 * s]], b = new_number[mesh->segments[2 * s + 1]];
    if (a < 0 || b < 0)
      continue;
    mesh->segments[2 * mesh->segment_count] = a;
    mesh->segments[2 * mesh->segment_count++ + 1] = b;
  }
  return count - mesh->segment_count;
}

static void warn_of_dropped(const mesh_data *mesh, int32_t dropped, int32_t lines, scene_warnings *warnings) {
  if (lines > 0)
    scene_warn(warnings, "%s: %d of the lines have an end in no face, and are left out", mesh->path,
               (int)lines);
  int32_t first = 0;
  while (mesh->vertex_of[first] >= 0)
    first++;
  if (dropped == 1)
    scene_warn(warnings, "%s: vertex %d (from 0) belongs to no face with an area, and is left out",
               mesh->path, (int)first);
  else
    scene_warn(warnings,
               "%s: vertex %d (from 0) and %d more belong to no face with an area, and are left out",
               mesh->path, (int)first, (int)dropped - 1);
}

static bool keep_used(mesh_data *mesh, mesh_lines lines, scene_warnings *warnings, scene_error *error) {
  int32_t *new_number = malloc((size_t)mesh->vertex_count * sizeof *new_number);
  if (!new_number)
    return scene_fail_out_of_memory(error);
  const int32_t dropped = number_used(mesh, lines, new_number);
  const bool some_left = dropped < mesh->vertex_count;
  if (some_left && dropped > 0) {
    drop_vertices(mesh, new_number);
    warn_of_dropped(mesh, dropped, drop_lines(mesh, new_number), warnings);
  }
  mesh->vertex_count -= dropped;
  free(new_number);
  return some_left || scene_fail(error, "%s: no face has an area; its corners lie in a line", mesh->path);
}

/* ------------------------------------------------------------------------------ the whole */

static bool keep_attributes(const polygon_mesh *polygons, mesh_data *mesh, scene_warnings *warnings,
                            scene_error *error) {
  if (polygons->lost_count > 0)
    scene_warn(
        warnings,
        "%s:%d: a corner names texture coordinates or a normal that no line above it gives, the first of %d; "
        "they are left out",
        mesh->path, (int)polygons->lost_line, (int)polygons->lost_count);
  const bool done = corner_attributes_make(mesh->triangles, mesh->corner_of, mesh->triangle_count,
                                           &polygons->texture, &polygons->normals, &mesh->attributes);
  free(mesh->corner_of);
  mesh->corner_of = NULL;
  return done || scene_fail_out_of_memory(error);
}

/* The groups of the file are all known then. */
static bool keep_group(polygon_mesh *polygons, const char *name, mesh_lines lines, scene_error *error) {
  if (!vertex_groups_finish(&polygons->groups, polygons->corners, polygons->corner_count))
    return scene_fail_out_of_memory(error);
  if (!name)
    return true;
  if (polygon_mesh_keep_group(polygons, name)) {
    polygons->end_count = lines == LINES_OF_FACES ? polygons->end_count : 0;
    return true;
  }
  char remedy[GROUP_REMEDY_MAX];
  vertex_groups_suggest(&polygons->groups, name, remedy);
  return scene_fail(error, "%s: has no group \"%.60s\"; %s", polygons->path, name, remedy);
}

/* Where lines are between faces, only these make a piece: it has the same number however the lines are read. */
static bool keep_piece(mesh_data *mesh, const mesh_options *options, scene_error *error) {
  const int32_t lines = mesh->segment_count;
  if (options->lines == LINES_OF_FACES)
    mesh->segment_count = 0;
  const bool done = mesh_keep_piece(mesh, options->piece, error);
  if (options->lines == LINES_OF_FACES)
    mesh->segment_count = lines;
  return done;
}

/* The vertices go over to *mesh, as do the lines and groups. */
static bool make_triangles(polygon_mesh *polygons, const mesh_options *options, mesh_data *mesh,
                           scene_warnings *warnings, scene_error *error) {
  mesh->path = strdup(polygons->path);
  mesh->has_lines = polygons->has_lines;
  mesh->file_vertex_count = polygons->vertex_count;
  mesh->vertex_of = malloc((size_t)polygons->vertex_count * sizeof *mesh->vertex_of);
  if (!mesh->path || !mesh->vertex_of)
    return scene_fail_out_of_memory(error);
  if (!keep_group(polygons, options->group, options->lines, error) ||
      !polygon_mesh_weld(polygons, &options->weld, mesh->vertex_of, &mesh->welded, error))
    return false;
  if (!triangulate(polygons, mesh, warnings))
    return scene_fail_out_of_memory(error);
  if (mesh->triangle_count == 0 && polygons->end_count == 0)
    return scene_fail(error, "%s: no face has 3 corners in different positions%s", mesh->path,
                      options->weld.distance > 0 ? "; lower \"merge_distance\"" : "");
  mesh->vertices = polygons->vertices;
  mesh->vertex_count = polygons->vertex_count;
  mesh->segments = polygons->ends;
  mesh->segment_count = polygons->end_count / 2;
  polygons->vertices = NULL;
  mesh->file_vertices = polygons->file_vertices;
  polygons->file_vertices = NULL;
  polygons->ends = NULL;
  mesh->groups = polygons->groups;
  polygons->groups = (vertex_groups){0};
  mesh->unread_lines = polygons->unread_lines;
  if (options->has_piece && !keep_piece(mesh, options, error))
    return false;
  if (!keep_used(mesh, options->lines, options->group || options->has_piece ? NULL : warnings, error))
    return false;
  vertex_groups_renumber(&mesh->groups, mesh->vertex_of);
  return keep_attributes(polygons, mesh, warnings, error);
}

bool mesh_file_read_with(const char *path, const mesh_options *options, mesh_data *mesh,
                         scene_warnings *warnings, scene_error *error) {
  *mesh = (mesh_data){0};
  polygon_mesh polygons = {.wants_lines = options->lines != LINES_COUNTED, .where = options->where};
  const bool done = read_polygons(path, options->lines, &polygons, error) &&
                    make_triangles(&polygons, options, mesh, warnings, error);
  polygon_mesh_free(&polygons);
  if (!done)
    mesh_data_free(mesh);
  return done;
}

bool mesh_file_read(const char *path, mesh_data *mesh, scene_warnings *warnings, scene_error *error) {
  return mesh_file_read_with(path, &(mesh_options){0}, mesh, warnings, error);
}
