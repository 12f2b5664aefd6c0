#include "render/view/viewer_state.h"

#include <math.h>
#include <string.h>

/* How far the pointer may move during a click, as a share of how far from it things are picked. */
#define CLICK_SLACK 0.45f

pick_view viewer_pick_view(const viewer *v) {
  return (pick_view){painter_shapes(v->painter), painter_points(v->painter), v->camera, v->width, v->height};
}

/* Puts the goal under the pointer, in the plane of what is dragged that faces the camera. */
static void aim(viewer *v) {
  vec3 eye, ray, right, top, back;
  float pixel[2] = {v->pointer[0] + v->target_offset[0], v->pointer[1] + v->target_offset[1]};
  camera_ray(&v->camera, v->width, v->height, pixel, eye, ray);
  camera_axes(&v->camera, right, top, back);
  float along = v->target_depth / -glm_vec3_dot(ray, back);
  for (int i = 0; i < 3; i++)
    v->goal[i] = (double)(eye[i] + along * ray[i]);
}

/* Where springs are shown as lines they are preferred to particles, except close to their ends. */
static void select_under(viewer *v, float x, float y) {
  pick_view view = viewer_pick_view(v);
  const float pixel[2] = {x, y};
  bool shows_lines = v->springs || v->color == PICTURE_COLOR_KIND;
  v->selected_spring = shows_lines || v->target.particle < 0 ? pick_spring(&view, pixel, v->reach) : -1;
  if (v->target.particle >= 0 && v->selected_spring >= 0) {
    topology_line line = view.shapes->lines[v->selected_spring];
    float ends[3][2] = {{0}};
    float depth;
    bool is_seen = pick_project(&view, line.a, ends[0], &depth) &&
                   pick_project(&view, line.b, ends[1], &depth) &&
                   pick_project(&view, v->target.particle, ends[2], &depth);
    float length = hypotf(ends[0][0] - ends[1][0], ends[0][1] - ends[1][1]);
    if (is_seen && hypotf(ends[2][0] - x, ends[2][1] - y) < fminf(0.3f * length, v->reach))
      v->selected_spring = -1;
  }
  v->selected_particle = v->selected_spring < 0 ? v->target.particle : -1;
}

/* When there is no room for more points every other one is dropped, so that all of a long stroke is seen. */
static void lengthen_stroke(viewer *v, float x, float y) {
  if (v->stroke_count == STROKE_MAX) {
    v->stroke_count /= 2;
    for (int i = 0; i < v->stroke_count; i++)
      memcpy(v->stroke[i], v->stroke[2 * i], sizeof v->stroke[i]);
  }
  v->stroke[v->stroke_count][0] = x;
  v->stroke[v->stroke_count++][1] = y;
}

/* The body that a particle is part of; -1: none, as for no particle. */
static int32_t body_of(const scene *s, int32_t particle) {
  particle = msd_particle_get_origin(s->world, particle);
  for (int b = 0; b < s->body_count; b++)
    if (particle >= s->bodies[b].particles.first &&
        particle < s->bodies[b].particles.first + s->bodies[b].particles.count)
      return b;
  return -1;
}

/* The particle under the pointer, or the collider where that is in front of it. */
static void find_target(viewer *v) {
  const pick_view view = viewer_pick_view(v);
  vec3 eye, ray, right, top, back;
  float at[2] = {v->pointer[0], v->pointer[1]}, distance = INFINITY;
  camera_ray(&v->camera, v->width, v->height, v->pointer, eye, ray);
  camera_axes(&v->camera, right, top, back);
  const float slope = -glm_vec3_dot(ray, back);
  v->target.particle = pick_particle(&view, v->pointer, v->reach);
  if (v->target.particle < 0)
    v->target.body = body_of(v->scene, pick_mesh_collider(&view, v->pointer, v->reach, &v->target_depth));
  else
    pick_project(&view, v->target.particle, at, &v->target_depth);
  if (target_is_there(v->target))
    distance = v->target_depth / slope;
  const int32_t collider = painter_hit_collider(v->painter, eye, ray, &distance);
  if (collider >= 0) {
    v->target = NO_TARGET;
    v->target.collider = collider;
    v->target_depth = distance * slope;
  }
  if (!target_is_there(v->target))
    return;
  for (int c = 0; c < 2; c++)
    v->target_offset[c] = v->target.particle >= 0 ? at[c] - v->pointer[c] : 0;
  for (int i = 0; i < 3; i++)
    v->grip[i] = (double)(eye[i] + distance * ray[i]);
}

void viewer_set_reach(viewer *v, float pixels) {
  v->reach = pixels;
}

void viewer_press(viewer *v, viewer_button button, bool cuts, bool pins, float x, float y) {
  viewer_release(v);
  v->pressed[0] = v->pointer[0] = x;
  v->pressed[1] = v->pointer[1] = y;
  v->has_moved = false;
  v->is_click = button == VIEWER_LEFT && !cuts && !pins;
  v->target = NO_TARGET;
  if (button != VIEWER_LEFT) {
    v->gesture = button == VIEWER_RIGHT ? GESTURE_TURN : GESTURE_MOVE;
    return;
  }
  if (cuts) {
    v->gesture = GESTURE_CUT;
    v->stroke_count = 0;
    lengthen_stroke(v, x, y);
    return;
  }
  find_target(v);
  v->gesture = pins ? GESTURE_PIN : target_is_there(v->target) ? GESTURE_PULL : GESTURE_TURN;
}

static void cut_to(viewer *v, float x, float y) {
  lengthen_stroke(v, x, y);
  pick_view view = viewer_pick_view(v);
  /* A stroke may cross a spring several times before the world is free, hence the limit. */
  int32_t room = view.shapes->line_count - v->cut_count;
  v->cut_count += pick_crossed(&view, v->pointer, (float[]){x, y}, v->to_cut + v->cut_count, room);
}

void viewer_move(viewer *v, float x, float y) {
  float dx = x - v->pointer[0], dy = y - v->pointer[1];
  bool was_click = !v->has_moved;
  v->has_moved = v->has_moved || hypotf(x - v->pressed[0], y - v->pressed[1]) > CLICK_SLACK * v->reach;
  if (v->gesture == GESTURE_CUT)
    cut_to(v, x, y);
  v->pointer[0] = x;
  v->pointer[1] = y;
  if (v->gesture == GESTURE_TURN || v->gesture == GESTURE_MOVE)
    v->follows = false;
  if (v->gesture == GESTURE_TURN)
    camera_orbit(&v->camera, -0.35f * dx, 0.35f * dy);
  if (v->gesture == GESTURE_MOVE)
    camera_pan(&v->camera, v->height, dx, dy);
  if (v->gesture == GESTURE_PULL && v->has_moved) {
    aim(v);
    if (was_click)
      v->to_grab = v->target;
  }
}

void viewer_release(viewer *v) {
  if (v->gesture == GESTURE_PULL) {
    /* The hand may not have taken hold yet. */
    if (target_is_there(v->to_grab))
      v->to_grab = NO_TARGET;
    else
      v->to_release = v->hand.particle >= 0 || v->hand.collider >= 0 || v->hand.pins.count > 0;
  }
  if (!v->has_moved && v->gesture == GESTURE_PIN)
    v->to_pin = v->target.particle;
  if (v->gesture != GESTURE_NONE && v->is_click && !v->has_moved)
    select_under(v, v->pointer[0], v->pointer[1]);
  v->gesture = GESTURE_NONE;
}

void viewer_scroll(viewer *v, float notches) {
  v->follows = false;
  camera_zoom(&v->camera, powf(1.12f, notches));
}
