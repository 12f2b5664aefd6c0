#include "render/paint/wheels.h"

#include "render/paint/sun.h"
#include "shaders.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* As in wheel.glsl: the wheel and the axle, each with two caps and a side; the inner wall of the rim; and two
   walls for each of five spokes and the hand. */
enum { SIDES = 64, VERTICES = 2 * (12 + 6 * SIDES) + 6 * SIDES + 6 * 12 };

#define TURN 6.28318530717958647693

static void add_body(wheels *w, int body) {
  const scene_rotors *r = &w->scene->bodies[body].rotors;
  for (int32_t i = 0; i < r->rotors.count && r->positions != NULL; i++) {
    const msd_vec3 at = r->positions[i];
    w->rotors[w->count] = r->rotors.first + i;
    w->all[w->count++] = (wheel){.center = {(float)at.x, (float)at.y, (float)at.z},
                                 .radius = (float)r->radii[i],
                                 .axis = {(float)r->axis.x, (float)r->axis.y, (float)r->axis.z},
                                 .body = body};
  }
}

static void make_array(wheels *w) {
  glGenVertexArrays(1, &w->array);
  glBindVertexArray(w->array);
  w->buffer = gpu_buffer(GL_ARRAY_BUFFER, w->count * (int64_t)sizeof *w->all, w->all);
  for (GLuint i = 0; i < 4; i++) {
    glEnableVertexAttribArray(i);
    glVertexAttribDivisor(i, 1);
  }
  glVertexAttribPointer(0, 4, GL_FLOAT, GL_FALSE, sizeof *w->all, (const void *)offsetof(wheel, center));
  glVertexAttribPointer(1, 4, GL_FLOAT, GL_FALSE, sizeof *w->all, (const void *)offsetof(wheel, axis));
  glVertexAttribIPointer(2, 1, GL_INT, sizeof *w->all, (const void *)offsetof(wheel, body));
  glVertexAttribPointer(3, 1, GL_FLOAT, GL_FALSE, sizeof *w->all, (const void *)offsetof(wheel, value));
  glBindVertexArray(0);
}

bool wheels_create(wheels *w, const scene *s, char *error, size_t size) {
  *w = (wheels){.scene = s};
  size_t rotors = (size_t)msd_world_get_rotor_count(s->world);
  if (rotors == 0)
    return true;
  w->all = calloc(rotors, sizeof *w->all);
  w->rotors = calloc(rotors, sizeof *w->rotors);
  if (w->all == NULL || w->rotors == NULL) {
    snprintf(error, size, "out of memory for drawing");
    return false;
  }
  for (int b = 0; b < s->body_count; b++)
    add_body(w, b);
  w->program = gpu_program("wheel", shader_wheel, "", error, size);
  w->shadow_program =
      w->program != 0 ? gpu_program("wheel shadow", shader_wheel, "#define SHADOW\n", error, size) : 0;
  if (w->shadow_program == 0)
    return false;
  make_array(w);
  return true;
}

void wheels_destroy(wheels *w) {
  glDeleteProgram(w->program);
  glDeleteProgram(w->shadow_program);
  glDeleteBuffers(1, &w->buffer);
  glDeleteVertexArrays(1, &w->array);
  free(w->all);
  free(w->rotors);
  *w = (wheels){0};
}

static box box_of(const wheel *one) {
  box b = box_empty();
  for (int side = -1; side <= 1; side += 2) {
    float corner[3];
    for (int c = 0; c < 3; c++)
      corner[c] = one->center[c] +
                  (float)side * one->radius * fmaxf(sqrtf(fmaxf(1 - one->axis[c] * one->axis[c], 0)), 0.24f);
    box_add(&b, corner);
  }
  return b;
}

void wheels_add_to_box(const wheels *w, box *b) {
  for (int32_t i = 0; i < w->count; i++) {
    box one = box_of(&w->all[i]);
    box_join(b, &one);
  }
}

void wheels_add_shadow(const wheels *w, const vec3 light, const vec3 up, float ground, box *b) {
  for (int32_t i = 0; i < w->count; i++) {
    box one = box_of(&w->all[i]);
    sun_add_box_shadow(light, up, ground, &one, b);
  }
}

float wheels_lowest(const wheels *w, const vec3 up) {
  float lowest = INFINITY;
  for (int32_t i = 0; i < w->count; i++) {
    const wheel *one = &w->all[i];
    float height = 0, along = 0;
    for (int c = 0; c < 3; c++) {
      height += one->center[c] * up[c];
      along += one->axis[c] * up[c];
    }
    float reach = fmaxf(sqrtf(fmaxf(1 - along * along, 0)), 0.24f * fabsf(along));
    lowest = fminf(lowest, height - one->radius * reach);
  }
  return lowest;
}

/* Strain and force are of springs between particles; colors of those leave rotors gray. */
static double value_of(const wheels *w, int32_t i, picture_color color) {
  double turning = msd_rotor_get_angular_velocity(w->scene->world, w->rotors[i]);
  if (color == PICTURE_COLOR_SPEED)
    return (double)w->all[i].radius * fabs(turning);
  double inertia = (double)msd_rotor_get_def(w->scene->world, w->rotors[i]).inertia;
  return color == PICTURE_COLOR_ENERGY && isfinite(inertia) ? 0.5 * inertia * turning * turning : 0;
}

void wheels_update(wheels *w, picture_color color) {
  if (w->count == 0)
    return;
  for (int32_t i = 0; i < w->count; i++) {
    w->all[i].angle = (float)fmod(msd_rotor_get_angle(w->scene->world, w->rotors[i]), TURN);
    w->all[i].value = (float)value_of(w, i, color);
  }
  glBindBuffer(GL_ARRAY_BUFFER, w->buffer);
  glBufferSubData(GL_ARRAY_BUFFER, 0, (GLsizeiptr)((size_t)w->count * sizeof *w->all), w->all);
}

double wheels_value_high(const wheels *w) {
  double high = 0;
  for (int32_t i = 0; i < w->count; i++)
    high = fmax(high, (double)w->all[i].value);
  return high;
}

void wheels_draw(const wheels *w, bool is_shadow) {
  if (w->count == 0)
    return;
  glUseProgram(is_shadow ? w->shadow_program : w->program);
  glBindVertexArray(w->array);
  glDrawArraysInstanced(GL_TRIANGLES, 0, VERTICES, w->count);
}
