#include "render/paint/camera.h"

#include <criterion/criterion.h>
#include <math.h>

/* A picture of 400 x 400 pixels, seen along -z from 2 m away: 1 m at the target is 200 / (2 tan 15) pixels. */
static const float pixels_per_meter = 200 / (2 * 0.26794919f);

static camera front_camera(void) {
  camera c = camera_default();
  c.distance = 2;
  c.near_plane = 0.1f;
  c.far_plane = 10;
  return c;
}

static void expect_pixel(const camera *c, const vec3 point, float x, float y, float expected_depth) {
  float pixel[2], depth;
  cr_assert(camera_project(c, 400, 400, point, pixel, &depth));
  cr_expect_float_eq(pixel[0], x, 0.01, "x is %g, not %g", pixel[0], x);
  cr_expect_float_eq(pixel[1], y, 0.01, "y is %g, not %g", pixel[1], y);
  cr_expect_float_eq(depth, expected_depth, 1e-5, "depth is %g, not %g", depth, expected_depth);
}

Test(camera, projects_points_as_a_pinhole_does) {
  camera c = front_camera();
  expect_pixel(&c, (vec3){0, 0, 0}, 200, 200, 2);
  expect_pixel(&c, (vec3){0.3f, 0, 0}, 200 + 0.3f * pixels_per_meter, 200, 2);
  expect_pixel(&c, (vec3){0, 0.3f, 0}, 200, 200 - 0.3f * pixels_per_meter, 2);
  expect_pixel(&c, (vec3){0.3f, 0, 1}, 200 + 0.6f * pixels_per_meter, 200, 1);
}

Test(camera, sees_nothing_behind_the_eye) {
  camera c = front_camera();
  float pixel[2], depth;
  cr_expect_not(camera_project(&c, 400, 400, (vec3){0, 0, 3}, pixel, &depth));
}

Test(camera, stands_where_azimuth_and_elevation_say) {
  camera c = front_camera();
  vec3 eye;
  c.azimuth = 90;
  camera_eye(&c, eye);
  cr_expect(glm_vec3_distance(eye, (vec3){2, 0, 0}) < 1e-5f);
  c.azimuth = 0;
  c.elevation = 30;
  camera_eye(&c, eye);
  cr_expect(glm_vec3_distance(eye, (vec3){0, 1, sqrtf(3)}) < 1e-5f);
}

Test(camera, keeps_any_up_at_the_top_of_the_picture) {
  const vec3 ups[] = {{0, 1, 0}, {0, -1, 0}, {1, 0, 0}, {0, 0, 1}, {0, 0.6f, 0.8f}};
  for (size_t i = 0; i < sizeof ups / sizeof *ups; i++) {
    camera c = front_camera();
    c.azimuth = 33;
    c.elevation = 20;
    glm_vec3_copy((float *)ups[i], c.up);
    float low[2], high[2], depth;
    vec3 above;
    glm_vec3_scale((float *)ups[i], 0.1f, above);
    cr_assert(camera_project(&c, 400, 400, (vec3){0, 0, 0}, low, &depth));
    cr_assert(camera_project(&c, 400, 400, above, high, &depth));
    cr_expect_float_eq(low[0], high[0], 0.01);
    cr_expect(high[1] < low[1] - 10);
  }
}

Test(camera, frames_every_corner_of_a_box_and_no_more) {
  const box boxes[] = {
      {{-1, -1, -1}, {1, 1, 1}}, {{3, 0, 2}, {9, 0, 2.5f}}, {{-5, 1e3f, 0}, {-5, 1.1e3f, 40}}};
  const float azimuths[] = {0, 25, 140, 300}, elevations[] = {-60, 0, 12, 80}, aspects[] = {0.5f, 1, 1.6f};
  for (int b = 0; b < 3; b++) {
    for (int k = 0; k < 48; k++) {
      camera c = camera_default();
      c.azimuth = azimuths[k % 4];
      c.elevation = elevations[k / 4 % 4];
      int height = 600, width = (int)(600 * aspects[k / 16]);
      camera_frame(&c, &boxes[b], aspects[k / 16], 0.8f);
      c.near_plane = 0.01f * c.distance;
      c.far_plane = 10 * c.distance;
      float farthest = 0;
      for (int corner = 0; corner < 8; corner++) {
        vec3 point;
        for (int axis = 0; axis < 3; axis++)
          point[axis] = corner >> axis & 1 ? boxes[b].high[axis] : boxes[b].low[axis];
        float pixel[2], depth;
        cr_assert(camera_project(&c, width, height, point, pixel, &depth));
        farthest = fmaxf(farthest, fabsf(pixel[0] / (float)width - 0.5f) * 2);
        farthest = fmaxf(farthest, fabsf(pixel[1] / (float)height - 0.5f) * 2);
      }
      cr_expect_float_eq(farthest, 0.8f, 2e-3, "box %d, view %d: the corners reach %g", b, k, farthest);
    }
  }
}

/* A scene, and its shadow beside it: every corner is in the picture, from a shorter distance than a box around
   both needs. */
Test(camera, frames_two_boxes_closer_than_a_box_around_them) {
  const box tall = {{-1, 0, -1}, {1, 3, 1}}, flat = {{1, 0, -4}, {5, 0, -2}};
  camera c = camera_default(), whole = c;
  c.azimuth = whole.azimuth = 25;
  c.elevation = whole.elevation = 12;
  box both = tall;
  box_join(&both, &flat);
  camera_frame(&whole, &both, 1.5f, 0.8f);
  camera_frame_both(&c, &tall, &flat, 1.5f, 0.8f);
  cr_expect(c.distance < 0.97f * whole.distance, "from %g m, not %g", c.distance, whole.distance);
  c.near_plane = 0.01f * c.distance;
  c.far_plane = 10 * c.distance;
  for (int corner = 0; corner < 16; corner++) {
    const box *b = corner < 8 ? &tall : &flat;
    vec3 point;
    for (int axis = 0; axis < 3; axis++)
      point[axis] = corner >> axis & 1 ? b->high[axis] : b->low[axis];
    float pixel[2], depth;
    cr_assert(camera_project(&c, 600, 400, point, pixel, &depth));
    cr_expect(fabsf(pixel[0] / 600 - 0.5f) <= 0.401f && fabsf(pixel[1] / 400 - 0.5f) <= 0.401f);
  }
}

Test(camera, frames_a_box_without_extent_from_a_meter) {
  camera c = camera_default();
  box point = box_empty();
  camera_frame(&c, &point, 1, 0.8f);
  cr_expect_eq(c.distance, 1);
  box_add(&point, (float[]){4, 5, 6});
  camera_frame(&c, &point, 1, 0.8f);
  cr_expect_eq(c.distance, 1);
  cr_expect(glm_vec3_distance(c.target, (vec3){4, 5, 6}) == 0);
}

Test(camera, keeps_the_scene_between_its_planes) {
  camera c = front_camera();
  camera_set_depth(&c, (vec3){0, 0, 0}, 0.5f);
  cr_expect(c.near_plane > 0 && c.near_plane < 1.5f && c.far_plane > 2.5f);
  cr_expect(c.near_plane <= 0.1f, "and the ground before it");
  /* The eye is inside of the scene. */
  camera_set_depth(&c, (vec3){0, 0, 0}, 100);
  cr_expect(c.near_plane > 0 && c.near_plane <= 0.1f && c.far_plane > 100);
}

Test(camera, rays_go_back_through_the_points_that_they_project) {
  camera c = front_camera();
  c.azimuth = 70;
  c.elevation = -25;
  const vec3 point = {0.2f, -0.1f, 0.4f};
  float pixel[2], depth;
  vec3 origin, direction, arm;
  cr_assert(camera_project(&c, 640, 400, point, pixel, &depth));
  camera_ray(&c, 640, 400, pixel, origin, direction);
  cr_expect_float_eq(glm_vec3_norm(direction), 1, 1e-5);
  glm_vec3_sub((float *)point, origin, arm);
  glm_vec3_muladds(direction, -glm_vec3_dot(arm, direction), arm);
  cr_expect(glm_vec3_norm(arm) < 1e-5f, "the ray passes %g m beside the point", glm_vec3_norm(arm));
}

Test(camera, pans_so_that_the_target_follows_the_pointer) {
  camera c = front_camera();
  c.azimuth = 40;
  c.elevation = 35;
  vec3 before;
  glm_vec3_copy(c.target, before);
  camera_pan(&c, 400, 30, -12);
  expect_pixel(&c, before, 230, 188, 2);
}

Test(camera, orbits_within_the_poles_and_zooms_within_reason) {
  camera c = front_camera();
  camera_orbit(&c, 400, 500);
  cr_expect_float_eq(c.azimuth, 40, 1e-3);
  cr_expect_eq(c.elevation, 89);
  camera_orbit(&c, 0, -500);
  cr_expect_eq(c.elevation, -89);
  camera_zoom(&c, 2);
  cr_expect_eq(c.distance, 1);
  camera_zoom(&c, 1e30f);
  cr_expect(c.distance > 0);
  camera_zoom(&c, 1e-30f);
  cr_expect(isfinite(c.distance));
}
