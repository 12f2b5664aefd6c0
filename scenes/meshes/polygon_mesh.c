#include "scenes/meshes/polygon_mesh.h"

#include "scenes/input/number_range.h"
#include "scenes/meshes/growth.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void polygon_mesh_free(polygon_mesh *mesh) {
  free(mesh->vertices);
  free(mesh->file_vertices);
  free(mesh->corners);
  free(mesh->polygons);
  free(mesh->ends);
  vertex_groups_free(&mesh->groups);
  corner_values_free(&mesh->texture);
  corner_values_free(&mesh->normals);
  *mesh = (polygon_mesh){0};
}

const char *face_text(const char *path, bool has_lines, int32_t number, char text[FACE_TEXT_MAX]) {
  snprintf(text, FACE_TEXT_MAX, has_lines ? "%s:%d" : "%s: face %d", path, (int)number);
  return text;
}

/* ------------------------------------------------------------------------------------------- growing it */

static bool is_number(const double xyz[3]) {
  return fabs(xyz[0]) <= NUMBER_LARGEST && fabs(xyz[1]) <= NUMBER_LARGEST && fabs(xyz[2]) <= NUMBER_LARGEST;
}

bool polygon_mesh_takes(const polygon_mesh *mesh, const double xyz[3]) {
  msd_vec3 at;
  return is_number(xyz) && transform_point(mesh->where, xyz, &at);
}

/* Positions that are equal fall to the same share. */
static uint32_t share_of(msd_vec3 at, uint32_t shares) {
  const double place[3] = {(double)at.x, (double)at.y, (double)at.z};
  uint64_t hash = 14695981039346656037u;
  for (int c = 0; c < 3; c++) {
    uint64_t bits;
    memcpy(&bits, &place[c], sizeof bits);
    hash = (hash ^ (bits >> 32)) * 1099511628211u;
    hash = (hash ^ (bits & UINT32_MAX)) * 1099511628211u;
  }
  return (uint32_t)((hash ^ hash >> 29) % shares);
}

static bool is_kept(const polygon_window *w, int32_t vertex, msd_vec3 at) {
  return w->shares > 0 ? share_of(at, w->shares) == w->share : vertex >= w->first && vertex < w->end;
}

bool polygon_mesh_add_vertex(polygon_mesh *mesh, const double xyz[3], const char *where, scene_error *error) {
  if (!is_number(xyz))
    return scene_fail(error, "%s: a vertex is at %g %g %g; coordinates must be numbers of at most %g", where,
                      xyz[0], xyz[1], xyz[2], NUMBER_LARGEST);
  msd_vec3 at;
  if (!transform_point(mesh->where, xyz, &at))
    return scene_fail(error, "%s: a vertex is moved to %g %g %g; coordinates go to %g", where,
                      mesh->where->beyond[0], mesh->where->beyond[1], mesh->where->beyond[2], NUMBER_LARGEST);
  polygon_window *w = mesh->window;
  if (w && mesh->vertex_count == INT32_MAX)
    return scene_fail(error, "%s: has more than 2147483647 vertices", mesh->path);
  if (w && !is_kept(w, mesh->vertex_count, at)) {
    mesh->vertex_count++;
    return true;
  }
  const int32_t place = w ? w->kept++ : mesh->vertex_count;
  void *items = mesh->vertices, *points = mesh->file_vertices;
  const bool is_roomy =
      grow_for_one(&items, &mesh->vertex_capacity, place, sizeof *mesh->vertices) &&
      grow_for_one(&points, &mesh->file_vertex_capacity, place, sizeof *mesh->file_vertices);
  mesh->vertices = items;
  mesh->file_vertices = points;
  if (!is_roomy)
    return scene_fail_out_of_memory(error);
  mesh->vertices[place] = at;
  memcpy(mesh->file_vertices[place], xyz, sizeof *mesh->file_vertices);
  mesh->vertex_count++;
  return true;
}

bool polygon_mesh_add_corner(polygon_mesh *mesh, int32_t vertex, scene_error *error) {
  void *items = mesh->corners;
  bool roomy = grow_for_one(&items, &mesh->corner_capacity, mesh->corner_count, sizeof *mesh->corners);
  mesh->corners = items;
  if (!roomy)
    return scene_fail_out_of_memory(error);
  mesh->corners[mesh->corner_count++] = vertex;
  return true;
}

bool polygon_mesh_add_line(polygon_mesh *mesh, int32_t a, int32_t b, scene_error *error) {
  const int32_t ends[2] = {a, b};
  for (int e = 0; e < 2; e++) {
    void *items = mesh->ends;
    bool roomy = grow_for_one(&items, &mesh->end_capacity, mesh->end_count, sizeof *mesh->ends);
    mesh->ends = items;
    if (!roomy)
      return scene_fail_out_of_memory(error);
    mesh->ends[mesh->end_count++] = ends[e];
  }
  return true;
}

bool polygon_mesh_set_attributes(polygon_mesh *mesh, int32_t corner, int32_t texture, int32_t normal,
                                 scene_error *error) {
  const bool done = (texture < 0 || corner_values_set(&mesh->texture, corner, texture)) &&
                    (normal < 0 || corner_values_set(&mesh->normals, corner, normal));
  return done || scene_fail_out_of_memory(error);
}

/* Whether a polygon is kept; notes what it spans. */
static bool is_in_window(polygon_window *w, const int32_t *corners, int32_t count) {
  int32_t least = corners[0], most = corners[0];
  for (int32_t c = 1; c < count; c++) {
    least = corners[c] < least ? corners[c] : least;
    most = corners[c] > most ? corners[c] : most;
  }
  w->span = most - least > w->span ? most - least : w->span;
  return w->shares == 0 && least >= w->first && most < w->end;
}

bool polygon_mesh_end_polygon(polygon_mesh *mesh, int32_t number, scene_error *error) {
  const int32_t first = mesh->polygon_count > 0 ? mesh->polygons[mesh->polygon_count - 1].end : 0;
  if (mesh->corner_count - first < 3) {
    char where[FACE_TEXT_MAX];
    face_text(mesh->path, mesh->has_lines, number, where);
    return scene_fail(error, "%s: a face of %d corners; every face needs 3 or more", where,
                      (int)(mesh->corner_count - first));
  }
  polygon_window *w = mesh->window;
  const int32_t before = w && w->triangles < INT32_MAX ? (int32_t)w->triangles : INT32_MAX;
  if (w)
    w->triangles += mesh->corner_count - first - 2;
  if (w && !is_in_window(w, mesh->corners + first, mesh->corner_count - first)) {
    mesh->corner_count = first;
    return true;
  }
  void *items = mesh->polygons;
  bool roomy = grow_for_one(&items, &mesh->polygon_capacity, mesh->polygon_count, sizeof *mesh->polygons);
  mesh->polygons = items;
  if (!roomy)
    return scene_fail_out_of_memory(error);
  mesh->polygons[mesh->polygon_count++] = (polygon){first, mesh->corner_count, number, before};
  return true;
}

/* -------------------------------------------------------------------------------------------- one group */

bool polygon_mesh_keep_group(polygon_mesh *mesh, const char *name) {
  int32_t run, end, kept = 0;
  if (!vertex_groups_find(&mesh->groups, name, &run, &end))
    return false;
  for (int32_t p = 0; p < mesh->polygon_count; p++) {
    while (run < end && mesh->groups.items[run].end <= mesh->polygons[p].first)
      run++;
    if (run < end && mesh->groups.items[run].first <= mesh->polygons[p].first)
      mesh->polygons[kept++] = mesh->polygons[p];
  }
  mesh->polygon_count = kept;
  mesh->is_part = true;
  return true;
}

/* ----------------------------------------------------------------------------------------------- merging */

/* Renumbers the vertices that stay, in their order. `first` becomes the new number of each old one. */
static void move_up(polygon_mesh *mesh, int32_t *first) {
  int32_t kept = 0;
  for (int32_t i = 0; i < mesh->vertex_count; i++) {
    if (first[i] == i) {
      mesh->vertices[kept] = mesh->vertices[i];
      memmove(mesh->file_vertices[kept], mesh->file_vertices[i], sizeof *mesh->file_vertices);
      first[i] = kept++;
    } else {
      first[i] = first[first[i]]; /* lower than i, so already renumbered */
    }
  }
  mesh->vertex_count = kept;
}

/* Quads with two corners in one position are triangles, as at the poles of a sphere made of quads. */
static void renumber_corners(polygon_mesh *mesh, const int32_t *vertex_of) {
  int32_t kept = 0;
  for (int32_t p = 0; p < mesh->polygon_count; p++) {
    polygon *of = &mesh->polygons[p];
    const int32_t first = kept;
    for (int32_t c = of->first; c < of->end; c++) {
      const int32_t vertex = vertex_of[mesh->corners[c]];
      if (kept > first && mesh->corners[kept - 1] == vertex)
        continue;
      corner_values_move(&mesh->texture, c, kept);
      corner_values_move(&mesh->normals, c, kept);
      mesh->corners[kept++] = vertex;
    }
    while (kept - first > 1 && mesh->corners[kept - 1] == mesh->corners[first])
      kept--;
    of->first = first;
    of->end = kept;
  }
  mesh->corner_count = kept;
}

static void renumber_ends(polygon_mesh *mesh, const int32_t *vertex_of) {
  int32_t kept = 0;
  for (int32_t e = 0; e < mesh->end_count; e += 2) {
    const int32_t a = vertex_of[mesh->ends[e]], b = vertex_of[mesh->ends[e + 1]];
    if (a == b)
      continue;
    mesh->ends[kept++] = a;
    mesh->ends[kept++] = b;
  }
  mesh->end_count = kept;
}

/* Of the vertices of faces; NULL when out of memory. */
static bool *find_used(const polygon_mesh *mesh) {
  bool *is_used = calloc((size_t)mesh->vertex_count + 1, sizeof *is_used);
  for (int32_t p = 0; is_used && p < mesh->polygon_count; p++)
    for (int32_t c = mesh->polygons[p].first; c < mesh->polygons[p].end; c++)
      is_used[mesh->corners[c]] = true;
  return is_used;
}

bool polygon_mesh_weld(polygon_mesh *mesh, const welding *how, int32_t *vertex_of, weld_result *result,
                       scene_error *error) {
  bool *is_used = mesh->is_part ? find_used(mesh) : NULL;
  const bool done = (is_used || !mesh->is_part) &&
                    weld_vertices(mesh->vertices, is_used, mesh->vertex_count, how, vertex_of, result);
  free(is_used);
  if (!done)
    return scene_fail_out_of_memory(error);
  move_up(mesh, vertex_of);
  renumber_corners(mesh, vertex_of);
  renumber_ends(mesh, vertex_of);
  return true;
}
