/* These two formats are read here, and not by an import library, because a mesh file is input like any other
   and must not be able to crash the program: assimp 5.2 writes outside its buffers on damaged PLY files
   (mended after that version by its pull requests 5310, 5739 and 5956), gives no line of an error and does
   not keep the order of an OBJ file's vertices. */
#include "scenes/meshes/mesh_file.h"

#include "scenes/input/file_bytes.h"
#include "scenes/input/json_reader.h"
#include "scenes/input/scene_error.h"
#include "scenes/meshes/mesh_formats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CORNERS = 3 };

/* -------------------------------------------------------------------------------------------- growing it */

/* Makes room for one more item in an array that doubles. */
static bool make_room(void **items, int32_t *capacity, int32_t count, size_t item_size) {
  if (count < *capacity)
    return true;
  if (count > INT32_MAX / 2 / CORNERS)
    return false;
  int32_t larger = count ? 2 * count : 64;
  void *moved = realloc(*items, (size_t)larger * item_size);
  if (!moved)
    return false;
  *items = moved;
  *capacity = larger;
  return true;
}

bool mesh_add_vertex(mesh_data *mesh, const double xyz[3], const char *place, scene_error *error) {
  for (int c = 0; c < 3; c++)
    if (!(fabs(xyz[c]) <= NUMBER_LARGEST))
      return scene_fail(error, "%s: a vertex is at %g %g %g; coordinates must be numbers of at most %g",
                        place, xyz[0], xyz[1], xyz[2], NUMBER_LARGEST);
  void *items = mesh->vertices;
  bool roomy = make_room(&items, &mesh->vertex_capacity, mesh->vertex_count, sizeof *mesh->vertices);
  mesh->vertices = items;
  if (!roomy)
    return scene_fail_out_of_memory(error);
  /* Adding 0 makes -0 the same place as 0. */
  mesh->vertices[mesh->vertex_count++] =
      (msd_vec3){(msd_real)xyz[0] + 0, (msd_real)xyz[1] + 0, (msd_real)xyz[2] + 0};
  return true;
}

static bool add_triangle(mesh_data *mesh, int32_t a, int32_t b, int32_t c, scene_error *error) {
  void *items = mesh->triangles;
  bool roomy =
      make_room(&items, &mesh->triangle_capacity, mesh->triangle_count, CORNERS * sizeof *mesh->triangles);
  mesh->triangles = items;
  if (!roomy)
    return scene_fail_out_of_memory(error);
  int32_t *triangle = mesh->triangles + (size_t)CORNERS * (size_t)mesh->triangle_count++;
  triangle[0] = a;
  triangle[1] = b;
  triangle[2] = c;
  return true;
}

static double distance(msd_vec3 a, msd_vec3 b) {
  double x = (double)a.x - (double)b.x, y = (double)a.y - (double)b.y, z = (double)a.z - (double)b.z;
  return sqrt(x * x + y * y + z * z);
}

bool mesh_add_corner(mesh_data *mesh, int32_t vertex, scene_error *error) {
  void *items = mesh->corners;
  bool roomy = make_room(&items, &mesh->corner_capacity, mesh->corner_count, sizeof *mesh->corners);
  mesh->corners = items;
  if (!roomy)
    return scene_fail_out_of_memory(error);
  mesh->corners[mesh->corner_count++] = vertex;
  return true;
}

bool mesh_end_polygon(mesh_data *mesh, const char *place, scene_error *error) {
  const int32_t *corner = mesh->corners;
  int32_t count = mesh->corner_count;
  mesh->corner_count = 0;
  if (count < CORNERS)
    return scene_fail(error, "%s: a face of %d corners; every face needs 3 or more", place, (int)count);
  const msd_vec3 *v = mesh->vertices;
  if (count == 4 && distance(v[corner[1]], v[corner[3]]) < distance(v[corner[0]], v[corner[2]]))
    return add_triangle(mesh, corner[0], corner[1], corner[3], error) &&
           add_triangle(mesh, corner[1], corner[2], corner[3], error);
  for (int32_t i = 2; i < count; i++)
    if (!add_triangle(mesh, corner[0], corner[i - 1], corner[i], error))
      return false;
  return true;
}

void mesh_data_free(mesh_data *mesh) {
  free(mesh->vertices);
  free(mesh->triangles);
  free(mesh->corners);
  *mesh = (mesh_data){0};
}

/* ----------------------------------------------------------------------------------------------- welding */

typedef struct numbered_vertex {
  msd_vec3 at;
  int32_t number;
} numbered_vertex;

static int compare_reals(msd_real a, msd_real b) {
  return (a > b) - (a < b);
}

static int compare_places(const numbered_vertex *a, const numbered_vertex *b) {
  int order = compare_reals(a->at.x, b->at.x);
  if (order == 0)
    order = compare_reals(a->at.y, b->at.y);
  if (order == 0)
    order = compare_reals(a->at.z, b->at.z);
  return order;
}

static int compare_vertices(const void *left, const void *right) {
  const numbered_vertex *a = left, *b = right;
  int order = compare_places(a, b);
  return order ? order : (a->number > b->number) - (a->number < b->number);
}

/* first[i] becomes the lowest vertex at the place of vertex i. */
static bool find_first_at_place(const mesh_data *mesh, int32_t *first) {
  size_t count = (size_t)mesh->vertex_count;
  numbered_vertex *sorted = malloc(count * sizeof *sorted);
  if (!sorted)
    return false;
  for (size_t i = 0; i < count; i++)
    sorted[i] = (numbered_vertex){mesh->vertices[i], (int32_t)i};
  qsort(sorted, count, sizeof *sorted, compare_vertices);
  for (size_t i = 0, start = 0; i < count; i++) {
    if (compare_places(&sorted[i], &sorted[start]) != 0)
      start = i;
    first[sorted[i].number] = sorted[start].number;
  }
  free(sorted);
  return true;
}

/* Renumbers the vertices that stay, in their order. `first` becomes the new number of each old one. */
static void move_up(mesh_data *mesh, int32_t *first) {
  int32_t kept = 0;
  for (int32_t i = 0; i < mesh->vertex_count; i++) {
    if (first[i] == i) {
      mesh->vertices[kept] = mesh->vertices[i];
      first[i] = kept++;
    } else {
      first[i] = first[first[i]]; /* lower than i, so already renumbered */
    }
  }
  mesh->vertex_count = kept;
}

/* Triangles with two corners in one place have no area: the poles of a sphere made of quads are such. */
static void renumber_triangles(mesh_data *mesh, const int32_t *number) {
  int32_t kept = 0;
  for (int32_t t = 0; t < mesh->triangle_count; t++) {
    const int32_t *from = mesh->triangles + (size_t)CORNERS * (size_t)t;
    int32_t a = number[from[0]], b = number[from[1]], c = number[from[2]];
    if (a == b || b == c || c == a)
      continue;
    int32_t *to = mesh->triangles + (size_t)CORNERS * (size_t)kept++;
    to[0] = a;
    to[1] = b;
    to[2] = c;
  }
  mesh->triangle_count = kept;
}

static bool weld(mesh_data *mesh, scene_error *error) {
  int32_t *number = malloc((size_t)mesh->vertex_count * sizeof *number);
  if (!number || !find_first_at_place(mesh, number)) {
    free(number);
    return scene_fail_out_of_memory(error);
  }
  move_up(mesh, number);
  renumber_triangles(mesh, number);
  free(number);
  return true;
}

static bool has_area(const mesh_data *mesh, const int32_t *triangle) {
  msd_vec3 p = mesh->vertices[triangle[0]], q = mesh->vertices[triangle[1]], r = mesh->vertices[triangle[2]];
  double a[3] = {(double)q.x - (double)p.x, (double)q.y - (double)p.y, (double)q.z - (double)p.z};
  double b[3] = {(double)r.x - (double)p.x, (double)r.y - (double)p.y, (double)r.z - (double)p.z};
  return a[1] * b[2] != a[2] * b[1] || a[2] * b[0] != a[0] * b[2] || a[0] * b[1] != a[1] * b[0];
}

/* A vertex of no face, or of flat ones only, would have no mass. */
static bool check_all_used(const char *path, const mesh_data *mesh, scene_error *error) {
  char *used = calloc((size_t)mesh->vertex_count, 1);
  if (!used)
    return scene_fail_out_of_memory(error);
  for (int32_t t = 0; t < mesh->triangle_count; t++) {
    const int32_t *triangle = mesh->triangles + (size_t)CORNERS * (size_t)t;
    for (int c = 0; has_area(mesh, triangle) && c < CORNERS; c++)
      used[triangle[c]] = 1;
  }
  const char *loose = memchr(used, 0, (size_t)mesh->vertex_count);
  int32_t vertex = loose ? (int32_t)(loose - used) : 0;
  free(used);
  if (!loose)
    return true;
  msd_vec3 v = mesh->vertices[vertex];
  return scene_fail(error,
                    "%s: the vertex at %g %g %g belongs to no face with an area; delete it, or give it one",
                    path, (double)v.x, (double)v.y, (double)v.z);
}

/* ----------------------------------------------------------------------------------------------- reading */

static const file_kind mesh_kind = {.what = "an OBJ or PLY file",
                                    .missing_remedy = "mesh files are looked for beside the scene file",
                                    .size_remedy = "make the mesh coarser",
                                    .largest_mb = 2000};

static bool read_any(const char *path, mesh_data *mesh, scene_error *error) {
  const char *shown = scene_error_path(path);
  bool obj = file_has_ending(path, ".obj");
  if (!obj && !file_has_ending(path, ".ply"))
    return scene_fail(error, "%s: is no known kind of mesh; give a file that ends in .obj or .ply", shown);
  size_t size = 0;
  char *text = file_bytes_read(path, &mesh_kind, &size, error);
  if (!text)
    return false;
  bool done = size == 0 ? scene_fail(error, "%s: is empty; it must hold vertices and faces", shown)
              : obj     ? obj_read(shown, text, size, mesh, error)
                        : ply_read(shown, text, size, mesh, error);
  free(text);
  return done;
}

bool mesh_file_read(const char *path, mesh_data *mesh, scene_error *error) {
  *mesh = (mesh_data){0};
  bool done = read_any(path, mesh, error);
  if (done && mesh->triangle_count == 0)
    done = scene_fail(error, "%s: has no faces; a mesh needs at least one face of 3 corners",
                      scene_error_path(path));
  done = done && weld(mesh, error);
  if (done && mesh->triangle_count == 0)
    done = scene_fail(error, "%s: no face has 3 corners in different places", scene_error_path(path));
  done = done && check_all_used(scene_error_path(path), mesh, error);
  if (!done)
    mesh_data_free(mesh);
  return done;
}
