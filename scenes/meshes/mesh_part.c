#include "scenes/meshes/mesh_part.h"

#include "scenes/meshes/mesh_formats.h"
#include "scenes/meshes/triangulation.h"

#include <stdlib.h>
#include <string.h>

static const file_kind part_kind = {.what = "an OBJ file",
                                    .missing_remedy = "mesh files are looked for beside the scene file",
                                    .size_remedy = "make the mesh coarser",
                                    .largest_mb = 2e6};

static bool read_window(const char *path, transform *where, polygon_window *window, polygon_mesh *polygons,
                        scene_error *error) {
  *polygons = (polygon_mesh){.file = path, .path = scene_error_path(path), .where = where, .window = window};
  if (!file_has_ending(path, ".obj"))
    return scene_fail(
        error,
        "%s: is not an OBJ file; --partition distributed reads meshes only from files that end in .obj",
        polygons->path);
  if (!obj_read_window(path, &part_kind, polygons, error))
    return false;
  for (int32_t c = 0; c < polygons->corner_count; c++)
    polygons->corners[c] -= window->first;
  return true;
}

/* As mesh_file_read does it, which must make no two vertices one. */
static bool weld(polygon_mesh *polygons, const polygon_window *window, scene_error *error) {
  weld_result result = {0};
  polygons->vertex_count = window->kept;
  int32_t *vertex_of = malloc(((size_t)window->kept + 1) * sizeof *vertex_of);
  const bool done = vertex_of ? polygon_mesh_weld(polygons, &(welding){0}, vertex_of, &result, error)
                              : scene_fail_out_of_memory(error);
  free(vertex_of);
  return done &&
         (result.welded == 0 ||
          scene_fail(
              error,
              "%s: has %d vertices at the position of others; --partition distributed cannot merge them",
              polygons->path, (int)result.welded));
}

bool mesh_part_measure(const char *path, transform *where, int32_t number, int32_t count, mesh_extent *extent,
                       scene_error *error) {
  polygon_window window = {.share = (uint32_t)number, .shares = (uint32_t)count};
  polygon_mesh polygons;
  bool done = read_window(path, where, &window, &polygons, error);
  if (done && (polygons.vertex_count < 3 || window.span == 0))
    done = scene_fail(error, "%s: has no faces; a mesh needs at least one face of 3 corners", polygons.path);
  *extent = (mesh_extent){polygons.vertex_count, window.span, window.triangles, window.has_attributes};
  done = done && weld(&polygons, &window, error);
  polygon_mesh_free(&polygons);
  return done;
}

static bool check_used(const mesh_data *mesh, msd_range vertices, msd_range kept, scene_error *error) {
  bool *is_used = calloc((size_t)mesh->vertex_count + 1, sizeof *is_used);
  if (!is_used)
    return scene_fail_out_of_memory(error);
  for (int32_t t = 0; t < mesh->triangle_count; t++)
    for (int c = 0; mesh_data_has_area(mesh, t) && c < CORNERS; c++)
      is_used[mesh->triangles[CORNERS * (size_t)t + (size_t)c]] = true;
  int32_t v = kept.first;
  while (v < kept.first + kept.count && is_used[v - vertices.first])
    v++;
  free(is_used);
  return v == kept.first + kept.count ||
         scene_fail(error, "%s: vertex %d (from 0) belongs to no face with an area; leave it out", mesh->path,
                    (int)v);
}

/* Triangles follow each other as their polygons do. NULL without memory. */
static int32_t *number_triangles(const mesh_data *mesh, const polygon_mesh *polygons) {
  int32_t *numbers = malloc(((size_t)mesh->triangle_count + 1) * sizeof *numbers);
  int32_t p = 0, first = 0;
  for (int32_t t = 0; numbers && t < mesh->triangle_count; t++) {
    if (mesh->face_of[t] != mesh->face_of[first])
      first = t;
    while (polygons->polygons[p].number < mesh->face_of[t])
      p++;
    const int32_t before = polygons->polygons[p].before;
    numbers[t] = before < INT32_MAX - (t - first) ? before + (t - first) : INT32_MAX;
  }
  return numbers;
}

bool mesh_part_read(const char *path, transform *where, msd_range vertices, msd_range kept, mesh_data *mesh,
                    int32_t **numbers, scene_warnings *warnings, scene_error *error) {
  polygon_window window = {.first = vertices.first, .end = vertices.first + vertices.count};
  polygon_mesh polygons;
  *mesh = (mesh_data){0};
  if (numbers)
    *numbers = NULL;
  bool done = read_window(path, where, &window, &polygons, error) && weld(&polygons, &window, error);
  if (done) {
    mesh->path = strdup(polygons.path);
    done = mesh->path && triangulate(&polygons, mesh, warnings);
    if (done && numbers) {
      *numbers = number_triangles(mesh, &polygons);
      done = *numbers != NULL;
    }
    done = done || scene_fail_out_of_memory(error);
  }
  mesh->vertices = polygons.vertices;
  mesh->vertex_count = polygons.vertex_count;
  polygons.vertices = NULL;
  polygon_mesh_free(&polygons);
  done = done && check_used(mesh, vertices, kept, error);
  if (!done)
    mesh_data_free(mesh);
  if (!done && numbers) {
    free(*numbers);
    *numbers = NULL;
  }
  return done;
}
