#include "render/paint/camera.h"

#include <float.h>
#include <math.h>

box box_empty(void) {
  return (box){{FLT_MAX, FLT_MAX, FLT_MAX}, {-FLT_MAX, -FLT_MAX, -FLT_MAX}};
}

bool box_is_empty(const box *b) {
  return b->low[0] > b->high[0];
}

void box_add(box *b, const float point[3]) {
  for (int axis = 0; axis < 3; axis++) {
    /* A library's functions would be called for every particle. What is no number changes nothing. */
    b->low[axis] = point[axis] < b->low[axis] ? point[axis] : b->low[axis];
    b->high[axis] = point[axis] > b->high[axis] ? point[axis] : b->high[axis];
  }
}

void box_join(box *b, const box *other) {
  if (box_is_empty(other))
    return;
  box_add(b, other->low);
  box_add(b, other->high);
}

bool box_contains(const box *b, const box *other) {
  for (int axis = 0; axis < 3; axis++)
    if (other->low[axis] < b->low[axis] || other->high[axis] > b->high[axis])
      return false;
  return true;
}

float box_radius(const box *b) {
  if (box_is_empty(b))
    return 0;
  vec3 diagonal;
  glm_vec3_sub((float *)b->high, (float *)b->low, diagonal);
  return glm_vec3_norm(diagonal) / 2;
}

camera camera_default(void) {
  return (camera){.up = {0, 1, 0}, .distance = 1, .field_of_view = 30, .near_plane = 0.01f, .far_plane = 100};
}

void camera_horizon(const vec3 up, vec3 x, vec3 z) {
  /* The shortest rotation that takes +y to up, applied to +x and +z. */
  versor turn;
  glm_quat_from_vecs((vec3){0, 1, 0}, (float *)up, turn);
  glm_quat_rotatev(turn, (vec3){1, 0, 0}, x);
  glm_quat_rotatev(turn, (vec3){0, 0, 1}, z);
}

void camera_axes(const camera *c, vec3 right, vec3 top, vec3 back) {
  vec3 x, z;
  camera_horizon(c->up, x, z);
  float azimuth = glm_rad(c->azimuth), elevation = glm_rad(c->elevation);
  for (int i = 0; i < 3; i++) {
    float level = sinf(azimuth) * x[i] + cosf(azimuth) * z[i];
    right[i] = cosf(azimuth) * x[i] - sinf(azimuth) * z[i];
    back[i] = cosf(elevation) * level + sinf(elevation) * c->up[i];
  }
  glm_vec3_cross(back, right, top);
}

void camera_eye(const camera *c, vec3 eye) {
  vec3 right, top, back;
  camera_axes(c, right, top, back);
  glm_vec3_copy((float *)c->target, eye);
  glm_vec3_muladds(back, c->distance, eye);
}

void camera_matrix(const camera *c, float aspect, mat4 view_projection) {
  vec3 eye;
  mat4 view, projection;
  camera_eye(c, eye);
  glm_lookat(eye, (float *)c->target, (float *)c->up, view);
  glm_perspective(glm_rad(c->field_of_view), aspect, c->near_plane, c->far_plane, projection);
  glm_mat4_mul(projection, view, view_projection);
}

static void corner_of(const box *b, int corner, vec3 point) {
  for (int axis = 0; axis < 3; axis++)
    point[axis] = corner >> axis & 1 ? b->high[axis] : b->low[axis];
}

/* The shortest distance from the target at which all corners are within these slopes. */
static float distance_to(const camera *c, const box *b, float slope_x, float slope_y) {
  vec3 right, top, back;
  camera_axes(c, right, top, back);
  float distance = 0;
  for (int corner = 0; corner < 8; corner++) {
    vec3 arm;
    corner_of(b, corner, arm);
    glm_vec3_sub(arm, (float *)c->target, arm);
    float towards = glm_vec3_dot(arm, back);
    distance = fmaxf(distance, towards + fabsf(glm_vec3_dot(arm, right)) / slope_x);
    distance = fmaxf(distance, towards + fabsf(glm_vec3_dot(arm, top)) / slope_y);
  }
  return distance;
}

void camera_frame(camera *c, const box *b, float aspect, float share) {
  c->distance = 1;
  if (box_is_empty(b))
    return;
  glm_vec3_center((float *)b->low, (float *)b->high, c->target);
  float slope = tanf(glm_rad(c->field_of_view) / 2) * share;
  float distance = distance_to(c, b, slope * aspect, slope);
  if (distance > 0)
    c->distance = distance;
}

/* Moves the target across the line of sight to the middle of what is seen of the boxes. */
static void center_target(camera *c, const box *boxes[2]) {
  vec3 right, top, back;
  camera_axes(c, right, top, back);
  float low[2] = {FLT_MAX, FLT_MAX}, high[2] = {-FLT_MAX, -FLT_MAX};
  for (int corner = 0; corner < 16; corner++) {
    vec3 arm;
    corner_of(boxes[corner / 8], corner % 8, arm);
    glm_vec3_sub(arm, c->target, arm);
    float away = fmaxf(c->distance - glm_vec3_dot(arm, back), 1e-3f * c->distance);
    float at[2] = {glm_vec3_dot(arm, right) / away, glm_vec3_dot(arm, top) / away};
    for (int i = 0; i < 2; i++) {
      low[i] = fminf(low[i], at[i]);
      high[i] = fmaxf(high[i], at[i]);
    }
  }
  glm_vec3_muladds(right, (low[0] + high[0]) / 2 * c->distance, c->target);
  glm_vec3_muladds(top, (low[1] + high[1]) / 2 * c->distance, c->target);
}

void camera_frame_both(camera *c, const box *a, const box *b, float aspect, float share) {
  const box *boxes[2] = {a, b};
  box both = *a;
  box_join(&both, b);
  camera_frame(c, &both, aspect, share);
  if (box_is_empty(a) || box_is_empty(b))
    return;
  float slope = tanf(glm_rad(c->field_of_view) / 2) * share;
  /* Where the middle is depends on the distance, and the distance on the middle: each round starts from the one
     before, and four are more than enough. */
  for (int i = 0; i < 4; i++) {
    center_target(c, boxes);
    float distance =
        fmaxf(distance_to(c, a, slope * aspect, slope), distance_to(c, b, slope * aspect, slope));
    if (distance > 0)
      c->distance = distance;
  }
}

void camera_set_depth(camera *c, const vec3 middle, float radius) {
  vec3 eye;
  camera_eye(c, eye);
  float away = glm_vec3_distance(eye, (float *)middle);
  float reach = fmaxf(radius, 1e-3f * c->distance);
  /* The ground comes closer to the eye than the scene on it. */
  c->near_plane = glm_clamp(away - 1.5f * reach, 0.01f * c->distance, 0.05f * c->distance);
  c->far_plane = away + 60 * reach;
}

bool camera_project(const camera *c, int width, int height, const vec3 point, float pixel[2], float *depth) {
  mat4 m;
  camera_matrix(c, (float)width / (float)height, m);
  vec4 clip;
  glm_mat4_mulv(m, (vec4){point[0], point[1], point[2], 1}, clip);
  if (clip[3] <= 0)
    return false;
  pixel[0] = (clip[0] / clip[3] + 1) / 2 * (float)width;
  pixel[1] = (1 - clip[1] / clip[3]) / 2 * (float)height;
  *depth = clip[3];
  return true;
}

void camera_ray(const camera *c, int width, int height, const float pixel[2], vec3 origin, vec3 direction) {
  vec3 right, top, back;
  camera_axes(c, right, top, back);
  camera_eye(c, origin);
  float slope = tanf(glm_rad(c->field_of_view) / 2) * 2 / (float)height;
  float x = (pixel[0] - (float)width / 2) * slope, y = ((float)height / 2 - pixel[1]) * slope;
  for (int i = 0; i < 3; i++)
    direction[i] = x * right[i] + y * top[i] - back[i];
  glm_vec3_normalize(direction);
}

void camera_orbit(camera *c, float azimuth, float elevation) {
  c->azimuth = fmodf(c->azimuth + azimuth, 360);
  c->elevation = glm_clamp(c->elevation + elevation, -89, 89);
}

void camera_pan(camera *c, int height, float dx, float dy) {
  vec3 right, top, back;
  camera_axes(c, right, top, back);
  float meters = 2 * c->distance * tanf(glm_rad(c->field_of_view) / 2) / (float)height;
  glm_vec3_muladds(right, -dx * meters, c->target);
  glm_vec3_muladds(top, dy * meters, c->target);
}

void camera_zoom(camera *c, float factor) {
  c->distance = glm_clamp(c->distance / factor, 1e-3f, 1e6f);
}
