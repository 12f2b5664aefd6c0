#include "render/paint/painter_state.h"

#include "render/paint/sun.h"

#include <math.h>

/* Contacts are drawn through surfaces that are nearer to them than this fraction of the extent of the scene. */
#define CONTACT_LIFT 0.01f

/* The share of the light that passes a sheet. */
#define SHEET_TRANSLUCENCY 0.4f

enum {
  /* A strip around a tube: 12 sides and the first one again, two vertices each. */
  STRAND_VERTICES = 26,
  /* The most lines drawn on a cloth in each direction. */
  THREADS = 24
};

static void to_vec4(rgb color, vec4 out) {
  glm_vec4_copy((vec4){(float)color.r / 255, (float)color.g / 255, (float)color.b / 255, 1}, out);
}

static void fill_frames(const painter *p, const painter_view *view, const camera *c, bool has_light) {
  frame f = {0};
  camera_matrix(c, (float)view->width / (float)view->height, f.view_projection);
  camera_eye(c, f.eye);
  f.eye[3] = 1;
  camera_axes(c, f.right, f.top, f.back);
  sun_direction(&view->camera, p->up, f.light);
  vec3 middle;
  glm_vec3_center((float *)p->bounds.low, (float *)p->bounds.high, middle);
  float reach = 1.2f * fmaxf(box_radius(&p->bounds), 0.1f * p->size);
  sun_matrix(f.light, p->up, middle, reach, f.light_projection);
  f.light[3] = has_light;
  glm_vec4((float *)p->up, p->ground, f.up);
  glm_vec4_copy(
      (vec4){(float)view->width, (float)view->height, 1 / (float)view->width, 1 / (float)view->height},
      f.viewport);
  glm_vec4_copy((vec4){(float)(1 / view->color_max), (float)view->color, view->flat, 0}, f.coloring);
  glm_vec4_copy((vec4){2 * reach / LIGHTMAP_SIDE, 0.5f / reach, 0, 0}, f.shadow);
  for (int i = 0; i < BODY_COLORS; i++) {
    to_vec4(body_color(i), f.palette[i]);
    to_vec4(body_back_color(i), f.back_palette[i]);
  }
  for (int i = 0; i < KIND_COLORS; i++)
    to_vec4(kind_color(i), f.kinds[i]);
  glBindBuffer(GL_UNIFORM_BUFFER, p->frames[0]);
  glBufferSubData(GL_UNIFORM_BUFFER, 0, sizeof f, &f);

  /* The light looks along -light, from infinity. */
  glm_mat4_copy(f.light_projection, f.view_projection);
  glm_vec4_zero(f.eye);
  glm_vec4_copy(f.light, f.back);
  glm_vec3_ortho(f.back, f.right);
  glm_vec3_normalize(f.right);
  glm_vec3_cross(f.back, f.right, f.top);
  glBindBuffer(GL_UNIFORM_BUFFER, p->frames[1]);
  glBufferSubData(GL_UNIFORM_BUFFER, 0, sizeof f, &f);
}

static void draw_surfaces(const painter *p, program_index program, bool is_coarse) {
  GLuint name = p->programs[program];
  const topology_surface *surfaces = is_coarse ? p->coarse.surfaces : p->shapes.surfaces;
  glUseProgram(name);
  glBindVertexArray(is_coarse ? p->coarse_array : p->surface_array);
  GLint body = glGetUniformLocation(name, "body"), grid = glGetUniformLocation(name, "grid");
  GLint translucency = glGetUniformLocation(name, "translucency");
  for (int32_t i = 0; i < p->shapes.surface_count; i++) {
    const topology_surface *surface = &surfaces[i];
    const scene_body *cloth = &p->scene->bodies[surface->body];
    glUniform1i(body, cloth->is_collider ? LOOK_COLLIDER : surface->body);
    glUniform1f(translucency, p->shapes.creases.is_sheet[surface->body] ? SHEET_TRANSLUCENCY : 0);
    glUniform3i(grid, cloth->particles.first, cloth->columns, (cloth->columns + THREADS - 1) / THREADS);
    glDrawElements(GL_TRIANGLES, surface->count, GL_UNSIGNED_INT,
                   (const void *)((size_t)surface->first * sizeof(uint32_t)));
  }
}

static void draw_instances(GLuint program, GLuint array, GLsizei vertices, GLsizei count) {
  if (count == 0)
    return;
  glUseProgram(program);
  glBindVertexArray(array);
  glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, vertices, count);
}

static void draw_shadows(const painter *p, int32_t balls, bool is_coarse) {
  lightmap_begin(&p->light);
  glBindBufferBase(GL_UNIFORM_BUFFER, 0, p->frames[1]);
  glEnable(GL_POLYGON_OFFSET_FILL);
  glPolygonOffset(1.5f, 2);
  draw_surfaces(p, SURFACE_SHADOW, is_coarse);
  glDisable(GL_POLYGON_OFFSET_FILL);
  draw_instances(p->programs[STRAND_SHADOW], p->strand_array, STRAND_VERTICES, p->shapes.strand_count);
  draw_instances(p->programs[STRAND_SHADOW], p->rod_array, STRAND_VERTICES, p->pins.rod_count);
  draw_instances(p->programs[BALL_SHADOW], p->ball_array, 4, balls);
  wheels_draw(&p->wheels, true);
  colliders_draw(&p->colliders, true);
  lightmap_end(&p->light);
}

/* 1, 2 or 5 times a power of ten, about an eighth of the scene. */
static float grid_spacing(float size) {
  float power = powf(10, floorf(log10f(size / 8)));
  float share = size / 8 / power;
  return power * (share < 1.5f ? 1.0f : share < 3.5f ? 2.0f : share < 7.5f ? 5.0f : 10.0f);
}

static void draw_background(const painter *p, const painter_view *view) {
  const picture_background *b = &view->background;
  glDisable(GL_DEPTH_TEST);
  if (b->is_plain) {
    glClearColor((float)b->color[0] / 255, (float)b->color[1] / 255, (float)b->color[2] / 255, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    return;
  }
  glUseProgram(p->programs[BACKDROP]);
  glBindVertexArray(p->empty_array);
  glDrawArrays(GL_TRIANGLES, 0, 3);
}

/* On a plain background only the shadow that falls on it. */
static void draw_ground(const painter *p, const camera *c, bool is_plain) {
  vec3 x, z, eye, middle;
  camera_eye(c, eye);
  bool is_seen_from_below = glm_vec3_dot(eye, (float *)p->up) <= p->ground;
  if (is_seen_from_below)
    return;
  camera_horizon(p->up, x, z);
  glm_vec3_center((float *)p->bounds.low, (float *)p->bounds.high, middle);
  glm_vec3_muladds((float *)p->up, p->ground - glm_vec3_dot(middle, (float *)p->up), middle);
  GLuint name = p->programs[GROUND];
  glUseProgram(name);
  glBindVertexArray(p->empty_array);
  glUniform1i(glGetUniformLocation(name, "shadow_only"), is_plain);
  glUniform4f(glGetUniformLocation(name, "disc"), middle[0], middle[1], middle[2], 7 * p->size);
  glUniform4f(glGetUniformLocation(name, "axis_x"), x[0], x[1], x[2], p->has_up);
  glUniform4f(glGetUniformLocation(name, "axis_z"), z[0], z[1], z[2], grid_spacing(p->size));
  glEnable(GL_BLEND);
  glBlendFuncSeparate(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA, GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
  glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
  glDisable(GL_BLEND);
}

/* Computes normals and values on the card, see gather.glsl: of all vertices, or of those that are needed. */
static void gather(const painter *p, bool is_coarse) {
  const GLuint program = p->programs[is_coarse ? GATHER_SOME : GATHER];
  const int rows = (p->shapes.creases.vertex_count + GPU_ROW - 1) / GPU_ROW;
  glBindFramebuffer(GL_FRAMEBUFFER, p->gather_target);
  glViewport(0, 0, GPU_ROW, rows);
  glDisable(GL_DEPTH_TEST);
  glUseProgram(program);
  glUniform1i(glGetUniformLocation(program, "point_count"), p->shapes.points);
  glUniform1f(glGetUniformLocation(program, "rows"), (float)rows);
  glBindVertexArray(is_coarse ? p->some_array : p->empty_array);
  if (is_coarse)
    glDrawArrays(GL_POINTS, 0, p->coarse.vertex_count);
  else
    glDrawArrays(GL_TRIANGLES, 0, 3);
}

static void draw(painter *p, const painter_view *view, GLuint framebuffer) {
  const topology *t = &p->shapes;
  bool kinds_only = view->color == PICTURE_COLOR_KIND;
  bool is_empty = box_is_empty(&p->bounds), has_light = !view->flat && !kinds_only && !is_empty;
  int32_t balls = view->particles ? t->ball_count + t->extra_ball_count : t->ball_count;
  camera c = view->camera;
  vec3 middle = {0, 0, 0};
  if (!is_empty)
    glm_vec3_center(p->bounds.low, p->bounds.high, middle);
  camera_set_depth(&c, middle, fmaxf(box_radius(&p->bounds), 0.5f * p->size));
  fill_frames(p, view, &c, has_light);

  glBindBufferBase(GL_UNIFORM_BUFFER, 0, p->frames[0]);
  const bool is_coarse = view->coarse && !view->particles && painter_make_coarse(p);
  gather(p, is_coarse);
  if (has_light) {
    draw_shadows(p, balls, is_coarse);
    glBindBufferBase(GL_UNIFORM_BUFFER, 0, p->frames[0]);
  }

  glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
  glViewport(0, 0, view->width, view->height);
  draw_background(p, view);
  if (view->ground && !is_empty && (p->has_up || !view->background.is_plain))
    draw_ground(p, &c, view->background.is_plain);

  glEnable(GL_DEPTH_TEST);
  glClear(GL_DEPTH_BUFFER_BIT);
  colliders_draw(&p->colliders, false);
  if (!kinds_only) {
    draw_surfaces(p, SURFACE, is_coarse);
    draw_instances(p->programs[STRAND], p->strand_array, STRAND_VERTICES, t->strand_count);
  }
  draw_instances(p->programs[STRAND], p->rod_array, STRAND_VERTICES, p->pins.rod_count);
  if (kinds_only || view->springs) {
    if (p->line_array == 0)
      painter_make_lines(p);
    draw_instances(p->programs[LINE], p->line_array, 4, t->line_count);
  }
  glEnable(GL_SAMPLE_ALPHA_TO_COVERAGE);
  wheels_draw(&p->wheels, false);
  draw_instances(p->programs[BALL], p->ball_array, 4, balls);
  draw_instances(p->programs[BALL], p->pin_array, 4, p->pins.ball_count);
  if (view->contacts) {
    glUseProgram(p->programs[CONTACT]);
    glUniform1f(glGetUniformLocation(p->programs[CONTACT], "lift"), CONTACT_LIFT * p->size);
    draw_instances(p->programs[CONTACT], p->contact_array, 4, p->contacts.count);
  }
  glDisable(GL_SAMPLE_ALPHA_TO_COVERAGE);
  glBindVertexArray(0);
}

/* The overlay takes the size of the picture from the uniforms of the frame. */
static void set_viewport(const painter *p, const painter_view *view) {
  const float width = (float)view->width, height = (float)view->height;
  const float viewport[4] = {width, height, 1 / width, 1 / height};
  glBindBuffer(GL_UNIFORM_BUFFER, p->frames[0]);
  glBufferSubData(GL_UNIFORM_BUFFER, offsetof(frame, viewport), sizeof viewport, viewport);
}

void painter_draw(painter *p, const painter_view *view, GLuint framebuffer) {
  enlarged *e = &p->enlarged;
  const GLuint target =
      view->pixel_side > 1 ? enlarged_begin(e, view->width, view->height, view->pixel_side) : 0;
  if (target == 0) {
    draw(p, view, framebuffer);
    return;
  }
  painter_view fewer = *view;
  fewer.width = e->width;
  fewer.height = e->height;
  draw(p, &fewer, target);
  enlarged_end(e, framebuffer, view->width, view->height);
  set_viewport(p, view);
}
