#include "render/paint/painter.h"

#include "render/paint/colormap.h"
#include "render/paint/lightmap.h"
#include "render/paint/sun.h"
#include "render/paint/topology.h"
#include "render/paint/wheels.h"
#include "shaders.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  STRAND_VERTICES = 26, /* 12 sides and the first again, at two ends */
  SAMPLE_MAX = 4096,    /* particles whose values make the scale */
  THREADS = 24          /* most lines drawn on a cloth across its columns */
};

/* The uniform block of common.glsl. */
typedef struct frame {
  mat4 view_projection, light_projection;
  vec4 eye, right, top, back, light, up, viewport, coloring, shadow;
  vec4 palette[BODY_COLORS], back_palette[BODY_COLORS], kinds[KIND_COLORS];
} frame;

typedef enum program_index {
  GATHER,
  SURFACE,
  STRAND,
  LINE,
  BALL,
  SURFACE_SHADOW,
  STRAND_SHADOW,
  BALL_SHADOW,
  BACKDROP,
  GROUND,
  PROGRAM_COUNT
} program_index;

struct painter {
  const scene *scene;
  topology shapes;
  float size;   /* m: extent of the scene when opened */
  vec3 up;      /* unit vector */
  bool has_up;  /* false without gravity */
  float ground; /* m along up */

  /* Of the last update. */
  float (*points)[4]; /* x, y, z, value of each particle, as uploaded */
  float *values;      /* |tension| of each spring */
  box bounds;
  float lowest; /* m along up */
  topology_ball *pins;
  int32_t pin_count;
  float *sample; /* values of some particles, SAMPLE_MAX at most */
  double value_high;

  GLuint programs[PROGRAM_COUNT];
  GLuint frames[2]; /* uniform buffers: the camera's and the light's */
  GLuint point_texture, value_texture, gathered_texture, gather_target;
  GLuint fan_texture, corner_texture, link_texture, color_texture;
  GLuint empty_array, surface_array, strand_array, ball_array, pin_array, line_array;
  GLuint index_buffer, strand_buffer, ball_buffer, pin_buffer, line_buffer;
  lightmap light;
  wheels wheels;
};

/* ------------------------------------------------------------------------------------------- creation */

static bool make_programs(painter *p, char *error, size_t size) {
  static const struct {
    const char *name, *source, *defines;
  } sources[PROGRAM_COUNT] = {[GATHER] = {"gather", shader_gather, ""},
                              [SURFACE] = {"surface", shader_surface, ""},
                              [STRAND] = {"strand", shader_strand, ""},
                              [LINE] = {"line", shader_line, ""},
                              [BALL] = {"ball", shader_ball, ""},
                              [SURFACE_SHADOW] = {"surface shadow", shader_surface, "#define SHADOW\n"},
                              [STRAND_SHADOW] = {"strand shadow", shader_strand, "#define SHADOW\n"},
                              [BALL_SHADOW] = {"ball shadow", shader_ball, "#define SHADOW\n"},
                              [BACKDROP] = {"backdrop", shader_backdrop, ""},
                              [GROUND] = {"ground", shader_ground, ""}};
  for (int i = 0; i < PROGRAM_COUNT; i++) {
    p->programs[i] = gpu_program(sources[i].name, sources[i].source, sources[i].defines, error, size);
    if (p->programs[i] == 0)
      return false;
  }
  return true;
}

static void upload_fans(const topology *t) {
  gpu_array_upload(GPU_FANS, GL_RGBA_INTEGER, GL_INT, t->particles, sizeof *t->fans, t->fans);
  gpu_array_upload(GPU_CORNERS, GL_RG_INTEGER, GL_INT, t->corner_count, sizeof *t->corners, t->corners);
  gpu_array_upload(GPU_LINKS, GL_RGB_INTEGER, GL_INT, t->link_count, sizeof *t->links, t->links);
}

static bool make_textures(painter *p, char *error, size_t size) {
  const topology *t = &p->shapes;
  p->point_texture = gpu_array(GPU_POINTS, GL_RGBA32F, t->particles, error, size);
  p->gathered_texture = gpu_array(GPU_GATHERED, GL_RGBA32UI, t->particles, error, size);
  p->value_texture = gpu_array(GPU_VALUES, GL_R32F, t->line_count, error, size);
  p->fan_texture = gpu_array(GPU_FANS, GL_RGBA32I, t->particles, error, size);
  p->corner_texture = gpu_array(GPU_CORNERS, GL_RG32I, t->corner_count, error, size);
  p->link_texture = gpu_array(GPU_LINKS, GL_RGB32I, t->link_count, error, size);
  if (p->point_texture == 0 || p->gathered_texture == 0 || p->value_texture == 0 || p->fan_texture == 0 ||
      p->corner_texture == 0 || p->link_texture == 0)
    return false;
  upload_fans(t);

  uint8_t scale[COLORMAP_SIZE][4];
  for (int i = 0; i < COLORMAP_SIZE; i++) {
    rgb color = colormap_entry(i);
    memcpy(scale[i], (uint8_t[]){color.r, color.g, color.b, 255}, 4);
  }
  p->color_texture = gpu_texture(GPU_COLOR_MAP, GL_RGBA8, COLORMAP_SIZE, 1, GL_RGBA, GL_UNSIGNED_BYTE, scale);
  gpu_texture_smooth(GPU_COLOR_MAP);

  glGenFramebuffers(1, &p->gather_target);
  glBindFramebuffer(GL_FRAMEBUFFER, p->gather_target);
  glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, p->gathered_texture, 0);
  GLenum status = glCheckFramebufferStatus(GL_FRAMEBUFFER);
  if (status == GL_FRAMEBUFFER_COMPLETE)
    return true;
  snprintf(error, size, "the graphics driver cannot compute normals (framebuffer status 0x%04x)", status);
  return false;
}

/* An attribute of each instance: `components` integers or floats at `offset`. */
static void instance_attribute(GLuint index, GLint components, GLenum type, GLsizei stride, size_t offset) {
  glEnableVertexAttribArray(index);
  glVertexAttribDivisor(index, 1);
  if (type == GL_INT)
    glVertexAttribIPointer(index, components, type, stride, (const void *)offset);
  else
    glVertexAttribPointer(index, components, type, GL_FALSE, stride, (const void *)offset);
}

static GLuint ball_array(int64_t count, const topology_ball *balls, GLuint *buffer) {
  GLuint array;
  glGenVertexArrays(1, &array);
  glBindVertexArray(array);
  *buffer = gpu_buffer(GL_ARRAY_BUFFER, count * (int64_t)sizeof *balls, balls);
  instance_attribute(0, 1, GL_INT, sizeof *balls, offsetof(topology_ball, particle));
  instance_attribute(1, 1, GL_FLOAT, sizeof *balls, offsetof(topology_ball, radius));
  instance_attribute(2, 1, GL_INT, sizeof *balls, offsetof(topology_ball, color));
  return array;
}

static void make_arrays(painter *p) {
  const topology *t = &p->shapes;
  glGenVertexArrays(1, &p->empty_array);

  glGenVertexArrays(1, &p->surface_array);
  glBindVertexArray(p->surface_array);
  p->index_buffer =
      gpu_buffer(GL_ELEMENT_ARRAY_BUFFER, t->index_count * (int64_t)sizeof *t->indices, t->indices);

  glGenVertexArrays(1, &p->strand_array);
  glBindVertexArray(p->strand_array);
  p->strand_buffer = gpu_buffer(GL_ARRAY_BUFFER, t->strand_count * (int64_t)sizeof *t->strands, t->strands);
  instance_attribute(0, 4, GL_INT, sizeof *t->strands, offsetof(topology_strand, before));
  instance_attribute(1, 2, GL_FLOAT, sizeof *t->strands, offsetof(topology_strand, rest_length));
  instance_attribute(2, 2, GL_INT, sizeof *t->strands, offsetof(topology_strand, color));

  p->ball_array = ball_array((int64_t)t->ball_count + t->extra_ball_count, t->balls, &p->ball_buffer);
  p->pin_array = ball_array(t->particles, NULL, &p->pin_buffer);
  glBindVertexArray(0);
}

/* Made when first shown: a scene has several springs for each particle, and few pictures show them all. */
static void make_line_array(painter *p) {
  const topology *t = &p->shapes;
  glGenVertexArrays(1, &p->line_array);
  glBindVertexArray(p->line_array);
  p->line_buffer = gpu_buffer(GL_ARRAY_BUFFER, t->line_count * (int64_t)sizeof *t->lines, t->lines);
  instance_attribute(0, 4, GL_INT, sizeof *t->lines, offsetof(topology_line, a));
}

void painter_destroy(painter *p) {
  if (p == NULL)
    return;
  for (int i = 0; i < PROGRAM_COUNT; i++)
    glDeleteProgram(p->programs[i]);
  glDeleteTextures(8, (GLuint[]){p->point_texture, p->value_texture, p->gathered_texture, p->fan_texture,
                                 p->corner_texture, p->link_texture, p->color_texture, 0});
  glDeleteBuffers(7, (GLuint[]){p->frames[0], p->frames[1], p->index_buffer, p->strand_buffer, p->ball_buffer,
                                p->pin_buffer, p->line_buffer});
  glDeleteVertexArrays(6, (GLuint[]){p->empty_array, p->surface_array, p->strand_array, p->ball_array,
                                     p->pin_array, p->line_array});
  glDeleteFramebuffers(1, &p->gather_target);
  lightmap_destroy(&p->light);
  wheels_destroy(&p->wheels);
  topology_free(&p->shapes);
  free(p->points);
  free(p->values);
  free(p->pins);
  free(p->sample);
  free(p);
}

static void find_up(painter *p) {
  msd_vec3 gravity = msd_world_get_gravity(p->scene->world);
  glm_vec3_copy((vec3){-(float)gravity.x, -(float)gravity.y, -(float)gravity.z}, p->up);
  p->has_up = glm_vec3_norm(p->up) > 0;
  if (p->has_up)
    glm_vec3_normalize(p->up);
  else
    glm_vec3_copy((vec3){0, 1, 0}, p->up);
}

static box world_box(const msd_world *world) {
  msd_view at = msd_world_positions(world);
  box b = box_empty();
  for (int32_t i = 0; i < at.count; i++) {
    int32_t k = at.slot != NULL ? at.slot[i] : i;
    box_add(&b, (float[]){(float)at.x[k], (float)at.y[k], (float)at.z[k]});
  }
  return b;
}

painter *painter_create(const scene *s, char *error, size_t size) {
  painter *p = calloc(1, sizeof *p);
  if (p == NULL) {
    snprintf(error, size, "out of memory for drawing");
    return NULL;
  }
  p->scene = s;
  if (!wheels_create(&p->wheels, s, error, size)) {
    wheels_destroy(&p->wheels);
    free(p);
    return NULL;
  }
  box bounds = world_box(s->world);
  wheels_add_to_box(&p->wheels, &bounds);
  p->size = 2 * box_radius(&bounds);
  if (p->size == 0)
    p->size = 1; /* a single particle: seen from 1 m */
  p->ground = INFINITY;
  find_up(p);
  if (!topology_make(s, p->size, &p->shapes)) {
    snprintf(error, size, "out of memory for drawing");
    wheels_destroy(&p->wheels);
    free(p);
    return NULL;
  }
  const topology *t = &p->shapes;
  size_t particles = t->particles > 0 ? (size_t)t->particles : 1;
  p->points = calloc(particles, sizeof *p->points);
  p->values = calloc(t->line_count > 0 ? (size_t)t->line_count : 1, sizeof *p->values);
  p->pins = calloc(particles, sizeof *p->pins);
  p->sample = calloc(SAMPLE_MAX, sizeof *p->sample);
  bool done = p->points != NULL && p->values != NULL && p->pins != NULL && p->sample != NULL;
  if (!done)
    snprintf(error, size, "out of memory for drawing");
  done = done && make_programs(p, error, size) && make_textures(p, error, size) &&
         lightmap_create(&p->light, error, size);
  if (!done) {
    painter_destroy(p);
    return NULL;
  }
  make_arrays(p);
  for (int i = 0; i < 2; i++)
    p->frames[i] = gpu_buffer(GL_UNIFORM_BUFFER, sizeof(frame), NULL);
  return p;
}

static void upload(GLuint array, GLenum target, GLuint buffer, int64_t bytes, const void *contents) {
  glBindVertexArray(array); /* which remembers its buffer of indices */
  glBindBuffer(target, buffer);
  glBufferSubData(target, 0, (GLsizeiptr)bytes, contents);
}

/* There are never more shapes than when the painter was created, so all buffers are large enough. */
bool painter_reshape(painter *p, char *error, size_t size) {
  topology shapes;
  if (!topology_make(p->scene, p->size, &shapes)) {
    snprintf(error, size, "out of memory for drawing");
    return false;
  }
  topology_free(&p->shapes);
  p->shapes = shapes;
  const topology *t = &p->shapes;
  upload_fans(t);
  upload(p->surface_array, GL_ELEMENT_ARRAY_BUFFER, p->index_buffer,
         t->index_count * (int64_t)sizeof *t->indices, t->indices);
  upload(p->strand_array, GL_ARRAY_BUFFER, p->strand_buffer, t->strand_count * (int64_t)sizeof *t->strands,
         t->strands);
  if (p->line_array != 0)
    upload(p->line_array, GL_ARRAY_BUFFER, p->line_buffer, t->line_count * (int64_t)sizeof *t->lines,
           t->lines);
  glBindVertexArray(0);
  return true;
}

/* --------------------------------------------------------------------------------------------- update */

static void copy_positions(painter *p) {
  msd_view at = msd_world_positions(p->scene->world);
  p->bounds = box_empty();
  p->lowest = INFINITY;
  for (int32_t i = 0; i < at.count; i++) {
    int32_t k = at.slot != NULL ? at.slot[i] : i;
    float *point = p->points[i];
    point[0] = (float)at.x[k];
    point[1] = (float)at.y[k];
    point[2] = (float)at.z[k];
    point[3] = 0;
    box_add(&p->bounds, point);
    p->lowest = fminf(p->lowest, point[0] * p->up[0] + point[1] * p->up[1] + point[2] * p->up[2]);
  }
  wheels_add_to_box(&p->wheels, &p->bounds);
  p->lowest = fminf(p->lowest, wheels_lowest(&p->wheels, p->up));
}

static void copy_motion(painter *p, picture_color color) {
  const msd_world *world = p->scene->world;
  msd_view v = msd_world_velocities(world);
  for (int32_t i = 0; i < v.count; i++) {
    int32_t k = v.slot != NULL ? v.slot[i] : i;
    double square =
        (double)v.x[k] * (double)v.x[k] + (double)v.y[k] * (double)v.y[k] + (double)v.z[k] * (double)v.z[k];
    p->points[i][3] = color == PICTURE_COLOR_SPEED
                          ? (float)sqrt(square)
                          : (float)(0.5 * (double)msd_particle_get_mass(world, i) * square);
  }
}

static float strain_of(const painter *p, int32_t particle, const topology_link *link) {
  return glm_vec3_distance(p->points[particle], p->points[link->other]) / link->rest_length - 1;
}

/* The value of a particle, as gather.glsl finds it. */
static float particle_value(const painter *p, picture_color color, int32_t particle) {
  if (color != PICTURE_COLOR_STRAIN && color != PICTURE_COLOR_FORCE)
    return p->points[particle][3];
  topology_fan fan = p->shapes.fans[particle];
  double sum = 0;
  for (int32_t i = fan.first_link; i < fan.last_link; i++) {
    const topology_link *link = &p->shapes.links[i];
    sum += (double)(color == PICTURE_COLOR_STRAIN ? strain_of(p, particle, link) : p->values[link->spring]);
  }
  return fan.last_link > fan.first_link ? (float)(sum / (fan.last_link - fan.first_link)) : 0;
}

static int compare_floats(const void *a, const void *b) {
  float x = *(const float *)a, y = *(const float *)b;
  return (x > y) - (x < y);
}

/* From every particle of a small scene, or evenly spread ones of a large one. */
static double find_value_high(const painter *p, picture_color color) {
  int32_t particles = p->shapes.particles;
  int32_t count = particles < SAMPLE_MAX ? particles : SAMPLE_MAX;
  for (int32_t i = 0; i < count; i++)
    p->sample[i] = particle_value(p, color, (int32_t)((int64_t)i * particles / count));
  if (count == 0)
    return 0;
  qsort(p->sample, (size_t)count, sizeof *p->sample, compare_floats);
  return (double)fmaxf(p->sample[(int64_t)(count - 1) * 98 / 100], 0);
}

static void find_pins(painter *p) {
  p->pin_count = 0;
  for (int b = 0; b < p->scene->body_count; b++) {
    msd_range range = p->scene->bodies[b].particles;
    for (int32_t i = range.first; i < range.first + range.count; i++)
      if (msd_particle_is_pinned(p->scene->world, i))
        p->pins[p->pin_count++] = (topology_ball){i, p->shapes.pin_radii[i], -1};
  }
}

void painter_update(painter *p, picture_color color, bool all_springs) {
  const topology *t = &p->shapes;
  copy_positions(p);
  if (color == PICTURE_COLOR_SPEED || color == PICTURE_COLOR_ENERGY)
    copy_motion(p, color);
  gpu_array_upload(GPU_POINTS, GL_RGBA, GL_FLOAT, t->particles, sizeof *p->points, p->points);
  if (color == PICTURE_COLOR_FORCE) {
    for (int32_t i = 0; i < t->line_count; i++)
      if (all_springs || topology_shows_strain(t->lines[i].kind))
        p->values[i] = fabsf((float)msd_spring_get_tension(p->scene->world, i));
    gpu_array_upload(GPU_VALUES, GL_RED, GL_FLOAT, t->line_count, sizeof *p->values, p->values);
  }
  bool has_values = color != PICTURE_COLOR_NONE && color != PICTURE_COLOR_KIND;
  wheels_update(&p->wheels, color);
  p->value_high = has_values ? fmax(find_value_high(p, color), wheels_value_high(&p->wheels)) : 0;
  find_pins(p);
  glBindBuffer(GL_ARRAY_BUFFER, p->pin_buffer);
  glBufferSubData(GL_ARRAY_BUFFER, 0, (GLsizeiptr)((size_t)p->pin_count * sizeof *p->pins), p->pins);
  /* The ground keeps its place while there is room above it, so that it does not follow every swing. */
  if (p->lowest < p->ground + 0.02f * p->size)
    p->ground = p->lowest - 0.08f * p->size;
}

const box *painter_box(const painter *p) {
  return &p->bounds;
}

void painter_add_shadow(const painter *p, const camera *c, box *b) {
  vec3 light;
  if (!p->has_up)
    return;
  sun_direction(c, p->up, light);
  int32_t step = 1 + p->shapes.particles / SAMPLE_MAX;
  for (int32_t i = 0; i < p->shapes.particles; i += step)
    sun_add_shadow(light, p->up, p->ground, p->points[i], b);
  wheels_add_shadow(&p->wheels, light, p->up, p->ground, b);
}

double painter_value_high(const painter *p) {
  return p->value_high;
}

bool painter_has_values(const painter *p, picture_color color) {
  if (color == PICTURE_COLOR_SPEED || color == PICTURE_COLOR_ENERGY)
    return true;
  return p->shapes.line_count > 0;
}

void painter_up(const painter *p, vec3 up) {
  glm_vec3_copy((float *)p->up, up);
}

const topology *painter_shapes(const painter *p) {
  return &p->shapes;
}

const float (*painter_points(const painter *p))[4] {
  return (const float(*)[4])p->points;
}

/* ------------------------------------------------------------------------------------------------ draw */

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

  /* The light looks along -light; its eye is at infinity. */
  glm_mat4_copy(f.light_projection, f.view_projection);
  glm_vec4_zero(f.eye);
  glm_vec4_copy(f.light, f.back);
  glm_vec3_ortho(f.back, f.right);
  glm_vec3_normalize(f.right);
  glm_vec3_cross(f.back, f.right, f.top);
  glBindBuffer(GL_UNIFORM_BUFFER, p->frames[1]);
  glBufferSubData(GL_UNIFORM_BUFFER, 0, sizeof f, &f);
}

static void draw_surfaces(const painter *p, program_index program) {
  GLuint name = p->programs[program];
  glUseProgram(name);
  glBindVertexArray(p->surface_array);
  GLint body = glGetUniformLocation(name, "body"), grid = glGetUniformLocation(name, "grid");
  for (int32_t i = 0; i < p->shapes.surface_count; i++) {
    const topology_surface *surface = &p->shapes.surfaces[i];
    const scene_body *cloth = &p->scene->bodies[surface->body];
    glUniform1i(body, surface->body);
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

static void draw_shadows(const painter *p, int32_t balls) {
  lightmap_begin(&p->light);
  glBindBufferBase(GL_UNIFORM_BUFFER, 0, p->frames[1]);
  glEnable(GL_POLYGON_OFFSET_FILL);
  glPolygonOffset(1.5f, 2);
  draw_surfaces(p, SURFACE_SHADOW);
  glDisable(GL_POLYGON_OFFSET_FILL);
  draw_instances(p->programs[STRAND_SHADOW], p->strand_array, STRAND_VERTICES, p->shapes.strand_count);
  draw_instances(p->programs[BALL_SHADOW], p->ball_array, 4, balls);
  wheels_draw(&p->wheels, true);
  lightmap_end(&p->light);
}

/* 1, 2 or 5 times a power of ten, about an eighth of the scene. */
static float grid_spacing(float size) {
  float power = powf(10, floorf(log10f(size / 8)));
  float share = size / 8 / power;
  return power * (share < 1.5f ? 1.0f : share < 3.5f ? 2.0f : share < 7.5f ? 5.0f : 10.0f);
}

static void draw_ground(const painter *p, const camera *c) {
  vec3 x, z, eye, middle;
  camera_eye(c, eye);
  if (glm_vec3_dot(eye, (float *)p->up) <= p->ground)
    return; /* seen from below */
  camera_horizon(p->up, x, z);
  glm_vec3_center((float *)p->bounds.low, (float *)p->bounds.high, middle);
  glm_vec3_muladds((float *)p->up, p->ground - glm_vec3_dot(middle, (float *)p->up), middle);
  GLuint name = p->programs[GROUND];
  glUseProgram(name);
  glBindVertexArray(p->empty_array);
  glUniform4f(glGetUniformLocation(name, "disc"), middle[0], middle[1], middle[2], 7 * p->size);
  glUniform4f(glGetUniformLocation(name, "axis_x"), x[0], x[1], x[2], p->has_up);
  glUniform4f(glGetUniformLocation(name, "axis_z"), z[0], z[1], z[2], grid_spacing(p->size));
  glEnable(GL_BLEND);
  glBlendFuncSeparate(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA, GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
  glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
  glDisable(GL_BLEND);
}

static void gather(const painter *p) {
  glBindFramebuffer(GL_FRAMEBUFFER, p->gather_target);
  glViewport(0, 0, GPU_ROW, (p->shapes.particles + GPU_ROW - 1) / GPU_ROW);
  glDisable(GL_DEPTH_TEST);
  glUseProgram(p->programs[GATHER]);
  glBindVertexArray(p->empty_array);
  glDrawArrays(GL_TRIANGLES, 0, 3);
}

void painter_draw(painter *p, const painter_view *view, GLuint framebuffer) {
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
  gather(p);
  if (has_light) {
    draw_shadows(p, balls);
    glBindBufferBase(GL_UNIFORM_BUFFER, 0, p->frames[0]);
  }

  glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
  glViewport(0, 0, view->width, view->height);
  glDisable(GL_DEPTH_TEST);
  glUseProgram(p->programs[BACKDROP]);
  glBindVertexArray(p->empty_array);
  glDrawArrays(GL_TRIANGLES, 0, 3);
  if (view->ground && !is_empty)
    draw_ground(p, &c);

  glEnable(GL_DEPTH_TEST);
  glClear(GL_DEPTH_BUFFER_BIT);
  if (!kinds_only) {
    draw_surfaces(p, SURFACE);
    draw_instances(p->programs[STRAND], p->strand_array, STRAND_VERTICES, t->strand_count);
  }
  if (kinds_only || view->springs) {
    if (p->line_array == 0)
      make_line_array(p);
    draw_instances(p->programs[LINE], p->line_array, 4, t->line_count);
  }
  glEnable(GL_SAMPLE_ALPHA_TO_COVERAGE);
  wheels_draw(&p->wheels, false);
  draw_instances(p->programs[BALL], p->ball_array, 4, balls);
  draw_instances(p->programs[BALL], p->pin_array, 4, p->pin_count);
  glDisable(GL_SAMPLE_ALPHA_TO_COVERAGE);
  glBindVertexArray(0);
}
