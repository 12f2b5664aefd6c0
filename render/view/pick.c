#include "render/view/pick.h"

#include <float.h>
#include <math.h>

typedef struct projection {
  mat4 matrix;
  /* Pixels. */
  float half_width, half_height;
} projection;

static projection projection_of(const pick_view *view) {
  projection p = {.half_width = (float)view->width / 2, .half_height = (float)view->height / 2};
  camera_matrix(&view->camera, (float)view->width / (float)view->height, p.matrix);
  return p;
}

/* The pixel and depth of a particle; false behind the eye. */
static bool project(const pick_view *view, const projection *p, int32_t particle, float pixel[2],
                    float *depth) {
  const float *at = view->points[particle];
  vec4 clip;
  glm_mat4_mulv((vec4 *)p->matrix, (vec4){at[0], at[1], at[2], 1}, clip);
  if (clip[3] <= 0)
    return false;
  pixel[0] = (clip[0] / clip[3] + 1) * p->half_width;
  pixel[1] = (1 - clip[1] / clip[3]) * p->half_height;
  *depth = clip[3];
  return true;
}

bool pick_project(const pick_view *view, int32_t particle, float pixel[2], float *depth) {
  projection p = projection_of(view);
  return project(view, &p, particle, pixel, depth);
}

static float cross_2d(const float a[2], const float b[2], const float c[2]) {
  return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

/* The depth of a projected triangle at a pixel, and the weights of its corners there; FLT_MAX outside of it. */
static float triangle_depth(float corners[3][2], const float depths[3], const float pixel[2],
                            float weights[3]) {
  float area = cross_2d(corners[0], corners[1], corners[2]);
  if (area == 0)
    return FLT_MAX;
  /* 1 / depth is linear in the picture. */
  float inverse = 0;
  for (int i = 0; i < 3; i++) {
    weights[i] = cross_2d(corners[(i + 1) % 3], corners[(i + 2) % 3], pixel) / area;
    if (weights[i] < 0)
      return FLT_MAX;
    inverse += weights[i] / depths[i];
  }
  return 1 / inverse;
}

/* The particle nearest to the foremost triangle at a pixel, and the depth there; -1 where there is no
   surface. */
static int32_t pick_surface(const pick_view *view, const projection *p, const float pixel[2],
                            float *nearest) {
  int32_t found = -1;
  *nearest = FLT_MAX;
  for (int32_t i = 0; i + 2 < view->shapes->index_count; i += 3) {
    float corners[3][2], depths[3], weights[3] = {0};
    int32_t triangle[3];
    for (int c = 0; c < 3; c++)
      triangle[c] = view->shapes->creases.points[view->shapes->indices[i + c]];
    bool visible = true;
    for (int c = 0; c < 3; c++)
      visible = visible && project(view, p, triangle[c], corners[c], &depths[c]);
    float depth = visible ? triangle_depth(corners, depths, pixel, weights) : FLT_MAX;
    if (depth < *nearest) {
      *nearest = depth;
      int best = weights[1] > weights[0] ? 1 : 0;
      found = view->shapes->particle_of[triangle[weights[2] > weights[best] ? 2 : best]];
    }
  }
  return found;
}

int32_t pick_particle(const pick_view *view, const float pixel[2], float reach) {
  projection p = projection_of(view);
  float surface_depth;
  int32_t found = pick_surface(view, &p, pixel, &surface_depth);
  bool is_hit = found >= 0;
  float best = reach;
  if (found >= view->shapes->body_particles)
    found = -1;
  for (int32_t i = 0; i < view->shapes->body_particles; i++) {
    topology_fan fan = view->shapes->fans[i];
    bool is_on_surface = fan.last_corner > fan.first_corner;
    /* The corner that was found is in front of all others of surfaces. */
    if (is_hit && is_on_surface)
      continue;
    float at[2], depth;
    if (!project(view, &p, i, at, &depth) || depth > surface_depth)
      continue;
    float away = hypotf(at[0] - pixel[0], at[1] - pixel[1]);
    if (away < best) {
      best = away;
      found = i;
    }
  }
  return found;
}

/* How far along the segment a b its point nearest to a pixel is, from 0 to 1; and how far that is from the
   pixel. */
static float nearest_along(const float a[2], const float b[2], const float pixel[2], float *distance) {
  float along[2] = {b[0] - a[0], b[1] - a[1]};
  float length = along[0] * along[0] + along[1] * along[1];
  float t = length > 0 ? ((pixel[0] - a[0]) * along[0] + (pixel[1] - a[1]) * along[1]) / length : 0;
  t = fminf(fmaxf(t, 0), 1);
  *distance = hypotf(a[0] + t * along[0] - pixel[0], a[1] + t * along[1] - pixel[1]);
  return t;
}

int32_t pick_mesh_collider(const pick_view *view, const float pixel[2], float reach, float *depth) {
  projection p = projection_of(view);
  int32_t found = pick_surface(view, &p, pixel, depth);
  if (found < view->shapes->body_particles)
    found = -1;
  for (int32_t i = 0; i < view->shapes->strand_count; i++) {
    const topology_strand *line = &view->shapes->strands[i];
    float a[2], b[2], depths[2], away;
    if (line->color != LOOK_COLLIDER || !project(view, &p, line->a, a, &depths[0]) ||
        !project(view, &p, line->b, b, &depths[1]))
      continue;
    const float t = nearest_along(a, b, pixel, &away);
    /* 1 / depth is linear in the picture. */
    const float there = 1 / ((1 - t) / depths[0] + t / depths[1]);
    if (away < reach && there < *depth) {
      *depth = there;
      found = line->a;
    }
  }
  return found;
}

int32_t pick_spring(const pick_view *view, const float pixel[2], float reach) {
  projection p = projection_of(view);
  int32_t found = -1;
  for (int32_t i = 0; i < view->shapes->line_count; i++) {
    topology_line line = view->shapes->lines[i];
    float a[2], b[2], depth;
    if (line.kind == KIND_TETHERS || line.a == line.b || !project(view, &p, line.a, a, &depth) ||
        !project(view, &p, line.b, b, &depth))
      continue;
    float away;
    nearest_along(a, b, pixel, &away);
    if (away < reach) {
      reach = away;
      found = i;
    }
  }
  return found;
}

static bool segments_cross(const float a[2], const float b[2], const float c[2], const float d[2]) {
  float c_side = cross_2d(a, b, c), d_side = cross_2d(a, b, d);
  float a_side = cross_2d(c, d, a), b_side = cross_2d(c, d, b);
  return (c_side > 0) != (d_side > 0) && (a_side > 0) != (b_side > 0);
}

int32_t pick_crossed(const pick_view *view, const float from[2], const float to[2], int32_t *springs,
                     int32_t capacity) {
  projection p = projection_of(view);
  int32_t count = 0;
  for (int32_t i = 0; i < view->shapes->line_count && count < capacity; i++) {
    topology_line line = view->shapes->lines[i];
    float a[2], b[2], depth;
    if (line.a == line.b || !project(view, &p, line.a, a, &depth) || !project(view, &p, line.b, b, &depth))
      continue;
    if (segments_cross(from, to, a, b))
      springs[count++] = i;
  }
  return count;
}
