#include "scenes/loader/render_points.h"

#include <stdlib.h>

void render_points_number(scene *s) {
  int32_t next = msd_world_get_particle_count(s->world);
  for (int b = 0; b < s->body_count; b++) {
    scene_skin *skin = &s->bodies[b].skin;
    skin->first = next;
    next += skin->count;
    for (int32_t c = 0; c < 3 * skin->triangle_count; c++)
      skin->triangles[c] += skin->first;
  }
}

int32_t shown_point_count(const scene *s) {
  int32_t count = msd_world_get_particle_count(s->world);
  for (int b = 0; b < s->body_count; b++)
    count += s->bodies[b].skin.count;
  return count;
}

/* NULL of a particle. */
static const embedded_point *find_embedded(const scene *s, int32_t point) {
  for (int b = 0; b < s->body_count; b++) {
    const scene_skin *skin = &s->bodies[b].skin;
    if (point >= skin->first && point - skin->first < skin->count)
      return &skin->points[point - skin->first];
  }
  return NULL;
}

int32_t shown_particle(const scene *s, int32_t point) {
  const embedded_point *found =
      point >= msd_world_get_particle_count(s->world) ? find_embedded(s, point) : NULL;
  return found ? embedded_nearest(found) : point;
}

bool shown_is_torn(const scene *s, const edge_set *broken, const scene_body *body, int32_t triangle) {
  const int32_t *corners = shown_triangles(s, body) + 3 * triangle;
  const scene_skin *skin = &body->skin;
  if (!skin->points)
    return edge_set_cuts(broken, corners);
  for (int c = 0; c < 3; c++)
    if (edge_set_cuts(broken, skin->points[corners[c] - skin->first].corners))
      return true;
  return false;
}

bool render_points_open(render_points *points, const scene *s) {
  const int32_t count = shown_point_count(s);
  *points = (render_points){.scene = s};
  if (count > msd_world_get_particle_count(s->world)) {
    points->numbers = malloc(6 * (size_t)count * sizeof *points->numbers);
    if (!points->numbers)
      return false;
  }
  render_points_update(points);
  return true;
}

static void put(msd_real *x, int32_t count, int32_t at, msd_vec3 v) {
  x[at] = v.x;
  x[(size_t)count + (size_t)at] = v.y;
  x[2 * (size_t)count + (size_t)at] = v.z;
}

static msd_view view_of(const msd_real *x, int32_t count) {
  return (msd_view){.x = x, .y = x + count, .z = x + 2 * (size_t)count, .count = count};
}

void render_points_update(render_points *points) {
  const scene *s = points->scene;
  const msd_view positions = msd_world_get_positions(s->world),
                 velocities = msd_world_get_velocities(s->world);
  const int32_t count = shown_point_count(s);
  points->positions = positions;
  points->velocities = velocities;
  if (!points->numbers)
    return;
  msd_real *x = points->numbers, *v = points->numbers + 3 * (size_t)count;
  for (int32_t i = 0; i < positions.count; i++) {
    put(x, count, i, msd_view_at(positions, i));
    put(v, count, i, msd_view_at(velocities, i));
  }
  for (int b = 0; b < s->body_count; b++) {
    const scene_skin *skin = &s->bodies[b].skin;
    for (int32_t p = 0; p < skin->count; p++) {
      put(x, count, skin->first + p, embedded_position(&skin->points[p], positions));
      put(v, count, skin->first + p, embedded_velocity(&skin->points[p], velocities));
    }
  }
  points->positions = view_of(x, count);
  points->velocities = view_of(v, count);
}

void render_points_close(render_points *points) {
  free(points->numbers);
  *points = (render_points){0};
}
