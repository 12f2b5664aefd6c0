#include "render/paint/sun.h"

/* Degrees: above the horizon, and to the left of the camera. */
#define ELEVATION 47.0f
#define TURN      68.0f

void sun_direction(const camera *c, const vec3 up, vec3 light) {
  camera lamp = *c;
  lamp.azimuth -= TURN;
  lamp.elevation = ELEVATION;
  glm_vec3_copy((float *)up, lamp.up);
  vec3 right, top;
  camera_axes(&lamp, right, top, light);
}

void sun_matrix(const vec3 light, const vec3 up, const vec3 middle, float reach, mat4 projection) {
  vec3 eye, x, z;
  glm_vec3_copy((float *)middle, eye);
  glm_vec3_muladds((float *)light, 2 * reach, eye);
  camera_horizon(up, x, z);
  mat4 view, ortho;
  glm_lookat(eye, (float *)middle, z, view);
  glm_ortho(-reach, reach, -reach, reach, reach, 3 * reach, ortho);
  glm_mat4_mul(ortho, view, projection);
}

void sun_add_shadow(const vec3 light, const vec3 up, float ground, const vec3 point, box *b) {
  vec3 shadow;
  float height = glm_vec3_dot((float *)point, (float *)up) - ground;
  glm_vec3_copy((float *)point, shadow);
  glm_vec3_muladds((float *)light, -height / glm_vec3_dot((float *)light, (float *)up), shadow);
  box_add(b, shadow);
}

void sun_add_box_shadow(const vec3 light, const vec3 up, float ground, const box *of, box *b) {
  for (int corner = 0; corner < 8; corner++) {
    vec3 point;
    for (int axis = 0; axis < 3; axis++)
      point[axis] = corner >> axis & 1 ? of->high[axis] : of->low[axis];
    sun_add_shadow(light, up, ground, point, b);
  }
}
