#include "scenes/loader/particle_selector.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SELECTOR_TEXT                                                                                        \
  "{ \"box\": { \"center\": [x, y, z], \"size\": [x, y, z] } }, { \"sphere\": { \"center\": [x, y, z], "     \
  "\"radius\": r } } or { \"group\": NAME }"

/* A part of space: along each axis as far from the center as `half`, or a sphere. */
typedef struct region {
  double center[3], half[3];
  /* 0: a box. */
  double radius;
} region;

static void spread(msd_vec3 v, double out[3]) {
  out[0] = (double)v.x;
  out[1] = (double)v.y;
  out[2] = (double)v.z;
}

static bool read_center(const json_place *place, region *r) {
  msd_vec3 center;
  if (!require_member(place, "center", "three numbers [x, y, z]") || !read_position(place, "center", &center))
    return false;
  spread(center, r->center);
  return true;
}

static bool read_box(const json_place *place, region *r) {
  static const char *const keys[] = {"center", "size", NULL};
  const char *text = "three lengths of 0 or more in m [x, y, z]";
  msd_vec3 size;
  if (!place_check_object(place, keys) || !read_center(place, r) || !require_member(place, "size", text) ||
      !read_vector(place, "size", &size))
    return false;
  spread(size, r->half);
  for (int c = 0; c < 3; c++) {
    const json_place list = place_member(place, "size");
    if (r->half[c] < 0)
      return place_fail(&list, "has a side of %g; it must be %s", r->half[c], text);
    r->half[c] /= 2;
  }
  return true;
}

static bool read_sphere(const json_place *place, region *r) {
  static const char *const keys[] = {"center", "radius", NULL};
  static const quantity radius = {"a radius above 0 in m", NUMBER_SMALLEST, NUMBER_LARGEST};
  return place_check_object(place, keys) && read_center(place, r) &&
         require_member(place, "radius", radius.text) && read_double(place, "radius", &radius, &r->radius);
}

static bool check_group(const json_place *place, const scene_body *body) {
  if (strcmp(body->kind, "mesh") != 0 && strcmp(body->kind, "balloon") != 0)
    return place_fail(place,
                      "is only for bodies of type mesh and balloon, whose file has groups; this is a %s",
                      body->kind);
  return json_is_string(place->value) || place_fail_type(place, "the name of a group of the mesh file");
}

/* The one member that it has; *r is filled from a box or a sphere. */
static bool read_member(const json_place *place, const scene_body *body, region *r) {
  static const char *const keys[] = {"box", "sphere", "group", NULL};
  const json_place box = place_member(place, "box"), sphere = place_member(place, "sphere"),
                   group = place_member(place, "group");
  if (!place_check_object(place, keys))
    return false;
  if ((box.value != NULL) + (sphere.value != NULL) + (group.value != NULL) != 1)
    return place_fail(place, "must have exactly one of its keys: " SELECTOR_TEXT);
  if (box.value)
    return read_box(&box, r);
  return sphere.value ? read_sphere(&sphere, r) : check_group(&group, body);
}

bool selector_check(const json_place *place, const scene_body *body) {
  region unused = {0};
  return read_member(place, body, &unused);
}

/* What is meant to be at the edge is in it, however its coordinates were rounded. */
static bool is_in(const region *r, const double at[3]) {
  double square = 0, slack = 0;
  bool in_box = true;
  for (int c = 0; c < 3; c++) {
    const double apart = fabs(at[c] - r->center[c]), rounding = 1e-6 * (fabs(r->center[c]) + r->half[c]);
    in_box = in_box && apart <= r->half[c] + rounding;
    square += apart * apart;
    slack = fmax(slack, rounding);
  }
  return r->radius > 0 ? sqrt(square) <= r->radius * (1 + 1e-6) + slack : in_box;
}

/* Marks the particles of the body that are in it, and finds how far all of them reach. */
static void mark_region(const msd_world *world, const scene_body *body, const region *r, bool *marks,
                        double low[3], double high[3]) {
  for (int32_t i = 0; i < body->particles.count; i++) {
    double at[3];
    spread(msd_particle_get_position(world, body->particles.first + i), at);
    marks[i] = is_in(r, at);
    for (int c = 0; c < 3; c++) {
      low[c] = fmin(low[c], at[c]);
      high[c] = fmax(high[c], at[c]);
    }
  }
}

static int32_t *collect(const scene_body *body, const bool *marks, int32_t *count) {
  int32_t *chosen = malloc(((size_t)body->particles.count + 1) * sizeof *chosen);
  *count = 0;
  for (int32_t i = 0; chosen && i < body->particles.count; i++)
    if (marks[i])
      chosen[(*count)++] = body->particles.first + i;
  return chosen;
}

/* Whether any is marked, and how far the body reaches, of all processes that have a part of it. */
static bool holds_any(const msd_world *world, const scene_body *body, const bool *marks, double low[3],
                      double high[3]) {
  double most[7] = {memchr(marks, true, (size_t)body->particles.count) != NULL};
  for (int c = 0; c < 3; c++) {
    most[1 + c] = fmax(-low[c], -DBL_MAX);
    most[4 + c] = fmax(high[c], -DBL_MAX);
  }
  msd_world_all_reduce_max(world, most, 7);
  for (int c = 0; c < 3; c++) {
    low[c] = -most[1 + c];
    high[c] = most[4 + c];
  }
  return most[0] > 0;
}

/* False with the error filled where nothing of the body is in it. */
static bool mark(const json_place *place, const msd_world *world, const scene_body *body, const region *r,
                 bool *marks) {
  const json_place group = place_member(place, "group");
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
  if (!group.value) {
    mark_region(world, body, r, marks, low, high);
    return holds_any(world, body, marks, low, high) ||
           place_fail(
               place,
               "contains no particle of \"%.60s\", which is placed between %.6g %.6g %.6g and %.6g %.6g "
               "%.6g; move it there, or make it larger",
               body->name, low[0], low[1], low[2], high[0], high[1], high[2]);
  }
  const char *name = json_string_value(group.value);
  char remedy[GROUP_REMEDY_MAX];
  if (!vertex_groups_mark(&body->named_vertices, name, marks)) {
    vertex_groups_suggest(&body->named_vertices, name, remedy);
    return place_fail(&group, "no group of \"%.60s\" is called \"%.60s\"; %s", body->name, name, remedy);
  }
  return memchr(marks, true, (size_t)body->particles.count) ||
         place_fail(&group, "has no vertex in this body; name another group");
}

int32_t *selector_read(const json_place *place, const msd_world *world, const scene_body *body,
                       int32_t *count) {
  region r = {0};
  if (!read_member(place, body, &r))
    return NULL;
  bool *marks = calloc((size_t)body->particles.count + 1, sizeof *marks);
  if (!marks) {
    place_out_of_memory(place);
    return NULL;
  }
  int32_t *chosen = NULL;
  if (mark(place, world, body, &r, marks)) {
    chosen = collect(body, marks, count);
    if (!chosen)
      place_out_of_memory(place);
  }
  free(marks);
  return chosen;
}
