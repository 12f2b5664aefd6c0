#include "scenes/loader/decimate.h"

#include "scenes/meshes/decimation.h"
#include "scenes/meshes/embedding.h"
#include "scenes/meshes/point.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

bool decimate_read(const json_place *body, decimate_option *option) {
  static const quantity substeps = {
      "the substeps of a frame to be reached, a whole number of 1 or more, or \"median\"", 1,
      DECIMATE_SUBSTEPS_MOST};
  const json_place place = place_member(body, DECIMATE_KEY);
  double number = 0;
  option->is_wanted = place.value != NULL;
  if (json_is_string(place.value) && strcmp(json_string_value(place.value), "median") == 0)
    return true;
  if (!read_whole(body, DECIMATE_KEY, &substeps, &number))
    return false;
  option->substeps = (int32_t)number;
  return true;
}

static double area_of(const msd_vec3 *vertices, const int32_t *triangles, int32_t count) {
  double sum = 0;
  for (int32_t t = 0; t < count; t++) {
    const int32_t *corners = triangles + CORNERS * (size_t)t;
    const point at = point_of(vertices[corners[0]]);
    sum += point_length(point_cross(point_minus(point_of(vertices[corners[1]]), at),
                                    point_minus(point_of(vertices[corners[2]]), at))) /
           2;
  }
  return sum;
}

static void describe(scene_skin *skin, const mesh_data *mesh, const mesh_cage *cage) {
  skin->area_kept = area_of(cage->vertices, cage->triangles, cage->triangle_count) /
                    area_of(mesh->vertices, mesh->triangles, mesh->triangle_count);
  for (int32_t v = 0; v < mesh->vertex_count; v++)
    skin->furthest = fmax(
        skin->furthest,
        point_length(point_minus(point_of(mesh->vertices[v]), point_of(cage->vertices[cage->vertex_of[v]]))));
}

/* The skin takes the triangles of the mesh, and the mesh those of the cage. */
static bool take_cage(const body_task *t, mesh_data *mesh, mesh_cage *cage) {
  scene_skin *skin = &t->body->skin;
  skin->points = embedding_make(mesh, cage);
  if (!skin->points)
    return place_out_of_memory(t->place);
  describe(skin, mesh, cage);
  skin->count = mesh->vertex_count;
  skin->triangles = mesh->triangles;
  skin->triangle_count = mesh->triangle_count;
  for (int32_t v = 0; v < mesh->file_vertex_count; v++)
    if (mesh->vertex_of[v] >= 0)
      mesh->vertex_of[v] = cage->vertex_of[mesh->vertex_of[v]];
  int32_t lines = 0;
  for (int32_t e = 0; e < mesh->segment_count; e++) {
    const int32_t a = cage->vertex_of[mesh->segments[2 * e]], b = cage->vertex_of[mesh->segments[2 * e + 1]];
    mesh->segments[2 * lines] = a;
    mesh->segments[2 * lines + 1] = b;
    lines += a != b;
  }
  mesh->segment_count = lines;
  free(mesh->vertices);
  mesh->vertices = cage->vertices;
  mesh->vertex_count = cage->vertex_count;
  mesh->triangles = cage->triangles;
  mesh->triangle_count = cage->triangle_count;
  cage->vertices = NULL;
  cage->triangles = NULL;
  return true;
}

bool decimate_mesh(const body_task *t, const decimate_option *option, const msd_mesh_def *def,
                   mesh_data *mesh, mesh_cage *cage) {
  *cage = (mesh_cage){0};
  if (!option->is_wanted)
    return true;
  if (!mesh_cage_make(mesh, cage))
    return place_out_of_memory(t->place);
  scene_error inner;
  int32_t substeps = option->substeps;
  if (!decimate_cage(cage, def, t->frame_time, &substeps, &inner))
    return place_fail(t->place, "%s", inner.text);
  t->body->skin.substeps = substeps;
  if (cage->vertex_count < mesh->vertex_count)
    return take_cage(t, mesh, cage);
  mesh_cage_free(cage);
  return true;
}

bool decimate_finish(const body_task *t, const mesh_cage *cage) {
  const scene_skin *skin = &t->body->skin;
  const int32_t first = t->body->particles.first;
  for (int32_t p = 0; p < skin->count; p++)
    for (int c = 0; c < CORNERS; c++)
      skin->points[p].corners[c] += first;
  for (int32_t v = 0; v < cage->vertex_count; v++)
    if (!body_check_added(t, msd_particle_set_mass(t->world, first + v, (msd_real)cage->masses[v])))
      return false;
  return true;
}
