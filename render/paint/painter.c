#include "render/paint/painter_state.h"

#include "shaders.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool make_programs(painter *p, char *error, size_t size) {
  static const struct {
    const char *name, *source, *defines;
  } sources[PROGRAM_COUNT] = {[GATHER] = {"gather", shader_gather, ""},
                              [SURFACE] = {"surface", shader_surface, ""},
                              [GATHER_SOME] = {"gather some", shader_gather, "#define SOME\n"},
                              [STRAND] = {"strand", shader_strand, ""},
                              [LINE] = {"line", shader_line, ""},
                              [BALL] = {"ball", shader_ball, ""},
                              [CONTACT] = {"contact", shader_contact, ""},
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
  gpu_array_upload(GPU_FANS, GL_RGBA_INTEGER, GL_INT, t->creases.vertex_count, sizeof *t->fans, t->fans);
  gpu_array_upload(GPU_CORNERS, GL_RGB_INTEGER, GL_INT, t->corner_count, sizeof *t->corners, t->corners);
  gpu_array_upload(GPU_LINKS, GL_RGBA_INTEGER, GL_INT, t->link_count, sizeof *t->links, t->links);
}

static bool make_textures(painter *p, char *error, size_t size) {
  const topology *t = &p->shapes;
  p->point_texture = gpu_array(GPU_POINTS, GL_RGBA32F, t->points, error, size);
  p->gathered_texture = gpu_array(GPU_GATHERED, GL_RGBA32UI, t->creases.vertex_count, error, size);
  p->value_texture = gpu_array(GPU_VALUES, GL_R32F, topology_value_count(t), error, size);
  p->fan_texture = gpu_array(GPU_FANS, GL_RGBA32I, t->creases.vertex_count, error, size);
  p->corner_texture = gpu_array(GPU_CORNERS, GL_RGB32I, t->corner_count, error, size);
  p->link_texture = gpu_array(GPU_LINKS, GL_RGBA32I, t->link_count, error, size);
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

/* Attribute `index` is `components` integers or floats at `offset` of each vertex, or of each instance. */
static void attribute(GLuint index, bool of_instance, GLint components, GLenum type, GLsizei stride,
                      size_t offset) {
  glEnableVertexAttribArray(index);
  glVertexAttribDivisor(index, of_instance);
  if (type == GL_INT)
    glVertexAttribIPointer(index, components, type, stride, (const void *)offset);
  else
    glVertexAttribPointer(index, components, type, GL_FALSE, stride, (const void *)offset);
}

/* Makes a vertex array on a new buffer with these items, and leaves both bound. */
static GLuint array_of(int64_t count, size_t item_bytes, const void *items, GLuint *buffer) {
  GLuint array;
  glGenVertexArrays(1, &array);
  glBindVertexArray(array);
  *buffer = gpu_buffer(GL_ARRAY_BUFFER, count * (int64_t)item_bytes, items);
  return array;
}

static GLuint strand_array(int64_t count, const topology_strand *strands, GLuint *buffer) {
  GLuint array = array_of(count, sizeof *strands, strands, buffer);
  attribute(0, true, 4, GL_INT, sizeof *strands, offsetof(topology_strand, before));
  attribute(1, true, 2, GL_FLOAT, sizeof *strands, offsetof(topology_strand, rest_length));
  attribute(2, true, 2, GL_INT, sizeof *strands, offsetof(topology_strand, color));
  return array;
}

static GLuint ball_array(int64_t count, const topology_ball *balls, GLuint *buffer) {
  GLuint array = array_of(count, sizeof *balls, balls, buffer);
  attribute(0, true, 1, GL_INT, sizeof *balls, offsetof(topology_ball, particle));
  attribute(1, true, 1, GL_FLOAT, sizeof *balls, offsetof(topology_ball, radius));
  attribute(2, true, 1, GL_INT, sizeof *balls, offsetof(topology_ball, color));
  return array;
}

static void make_arrays(painter *p) {
  const topology *t = &p->shapes;
  glGenVertexArrays(1, &p->empty_array);

  const creases *c = &t->creases;
  p->surface_array = array_of(c->vertex_count, sizeof *c->points, c->points, &p->vertex_buffer);
  p->index_buffer =
      gpu_buffer(GL_ELEMENT_ARRAY_BUFFER, t->index_count * (int64_t)sizeof *t->indices, t->indices);
  attribute(0, false, 1, GL_INT, sizeof *c->points, 0);

  p->strand_array = strand_array(t->strand_count, t->strands, &p->strand_buffer);
  p->rod_array = strand_array(0, NULL, &p->rod_buffer);
  p->ball_array = ball_array((int64_t)t->ball_count + t->extra_ball_count, t->balls, &p->ball_buffer);
  p->pin_array = ball_array(0, NULL, &p->pin_buffer);

  p->contact_array = array_of(0, sizeof(contact_mark), NULL, &p->contact_buffer);
  attribute(0, true, 3, GL_FLOAT, sizeof(contact_mark), offsetof(contact_mark, from));
  attribute(1, true, 3, GL_FLOAT, sizeof(contact_mark), offsetof(contact_mark, to));
  attribute(2, true, 1, GL_FLOAT, sizeof(contact_mark), offsetof(contact_mark, dot));
  glBindVertexArray(0);
}

void painter_make_lines(painter *p) {
  const topology *t = &p->shapes;
  p->line_array = array_of(t->line_count, sizeof *t->lines, t->lines, &p->line_buffer);
  attribute(0, true, 4, GL_INT, sizeof *t->lines, offsetof(topology_line, a));
}

bool painter_make_coarse(painter *p) {
  coarse *c = &p->coarse;
  if (p->coarse_array != 0)
    return true;
  if (!coarse_make(c, &p->shapes, COARSE_MAX))
    return false;
  glGenVertexArrays(1, &p->coarse_array);
  glBindVertexArray(p->coarse_array);
  glBindBuffer(GL_ARRAY_BUFFER, p->vertex_buffer);
  attribute(0, false, 1, GL_INT, sizeof *p->shapes.creases.points, 0);
  p->coarse_buffer =
      gpu_buffer(GL_ELEMENT_ARRAY_BUFFER, c->index_count * (int64_t)sizeof *c->indices, c->indices);
  p->some_array = array_of(c->vertex_count, sizeof *c->vertices, c->vertices, &p->some_buffer);
  attribute(0, false, 1, GL_INT, sizeof *c->vertices, 0);
  glBindVertexArray(0);
  return true;
}

static void free_coarse(painter *p) {
  glDeleteBuffers(2, (GLuint[]){p->coarse_buffer, p->some_buffer});
  glDeleteVertexArrays(2, (GLuint[]){p->coarse_array, p->some_array});
  p->coarse_buffer = p->some_buffer = p->coarse_array = p->some_array = 0;
  coarse_free(&p->coarse);
}

/* What make_textures and make_arrays have made. */
static void free_shapes(painter *p) {
  free_coarse(p);
  glDeleteTextures(7, (GLuint[]){p->point_texture, p->value_texture, p->gathered_texture, p->fan_texture,
                                 p->corner_texture, p->link_texture, p->color_texture});
  glDeleteBuffers(8, (GLuint[]){p->index_buffer, p->vertex_buffer, p->strand_buffer, p->rod_buffer,
                                p->ball_buffer, p->pin_buffer, p->line_buffer, p->contact_buffer});
  glDeleteVertexArrays(8, (GLuint[]){p->empty_array, p->surface_array, p->strand_array, p->rod_array,
                                     p->ball_array, p->pin_array, p->line_array, p->contact_array});
  glDeleteFramebuffers(1, &p->gather_target);
  p->line_array = p->line_buffer = 0;
}

void painter_destroy(painter *p) {
  if (p == NULL)
    return;
  for (int i = 0; i < PROGRAM_COUNT; i++)
    glDeleteProgram(p->programs[i]);
  glDeleteBuffers(2, p->frames);
  free_shapes(p);
  lightmap_destroy(&p->light);
  enlarged_destroy(&p->enlarged);
  wheels_destroy(&p->wheels);
  colliders_destroy(&p->colliders);
  topology_free(&p->shapes);
  render_points_close(&p->shown);
  free(p->points);
  free(p->is_falling);
  free(p->values);
  pins_free(&p->pins);
  contact_marks_free(&p->contacts);
  free(p->sample);
  free(p);
}

static int32_t broken_springs(const painter *p) {
  return msd_world_get_counts(p->scene->world).broken;
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

/* Bodies above a collider may land on it and are not counted as falling. Without memory no body is. */
static void find_falling(painter *p) {
  const int32_t particles = p->shapes.particles;
  msd_components found;
  bool some_fall = msd_world_find_components(p->scene->world, NULL, p->is_falling, &found) == MSD_OK &&
                   p->has_up && found.attached > 0 && found.attached < found.components &&
                   p->colliders.count == 0;
  for (int32_t i = 0; i < particles; i++) {
    bool is_attached = p->is_falling[i];
    p->is_falling[i] = some_fall && !is_attached;
  }
  for (int32_t i = particles; i < p->shapes.points; i++)
    p->is_falling[i] = p->is_falling[p->shapes.particle_of[i]];
}

static box world_box(const msd_world *world) {
  msd_view positions = msd_world_get_positions(world);
  box b = box_empty();
  for (int32_t i = 0; i < positions.count; i++) {
    msd_vec3 x = msd_view_at(positions, i);
    box_add(&b, (float[]){(float)x.x, (float)x.y, (float)x.z});
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
  if (!wheels_create(&p->wheels, s, error, size) || !colliders_create(&p->colliders, s, error, size)) {
    wheels_destroy(&p->wheels);
    colliders_destroy(&p->colliders);
    free(p);
    return NULL;
  }
  box bounds = world_box(s->world);
  wheels_add_to_box(&p->wheels, &bounds);
  colliders_add_to_box(&p->colliders, &bounds);
  p->size = 2 * box_radius(&bounds);
  /* A single particle has no extent; it is seen from 1 m. */
  if (p->size == 0)
    p->size = 1;
  p->ground = INFINITY;
  find_up(p);
  colliders_place_planes(&p->colliders, &bounds, p->size, p->up, p->has_up);
  if (!topology_make(s, p->size, &p->shapes)) {
    snprintf(error, size, "out of memory for drawing");
    wheels_destroy(&p->wheels);
    colliders_destroy(&p->colliders);
    free(p);
    return NULL;
  }
  const topology *t = &p->shapes;
  size_t points = t->points > 0 ? (size_t)t->points : 1;
  p->points = calloc(points, sizeof *p->points);
  p->values = calloc((size_t)topology_value_count(t) + 1, sizeof *p->values);
  p->sample = calloc(SAMPLE_MAX, sizeof *p->sample);
  p->is_falling = calloc(points, sizeof *p->is_falling);
  bool done = p->points != NULL && p->values != NULL && p->sample != NULL && p->is_falling != NULL &&
              render_points_open(&p->shown, s);
  if (!done)
    snprintf(error, size, "out of memory for drawing");
  done = done && make_programs(p, error, size) && make_textures(p, error, size) &&
         lightmap_create(&p->light, error, size) && enlarged_create(&p->enlarged, error, size);
  if (!done) {
    painter_destroy(p);
    return NULL;
  }
  p->pinned = pins_number(s->world);
  p->broken = broken_springs(p);
  find_falling(p);
  make_arrays(p);
  for (int i = 0; i < 2; i++)
    p->frames[i] = gpu_buffer(GL_UNIFORM_BUFFER, sizeof(frame), NULL);
  return p;
}

static void upload(GLuint array, GLenum target, GLuint buffer, int64_t bytes, const void *contents) {
  /* An index buffer is bound to the vertex array that uses it. */
  glBindVertexArray(array);
  glBindBuffer(target, buffer);
  glBufferSubData(target, 0, (GLsizeiptr)bytes, contents);
}

/* Room for `count` zeroed items instead of others; false, with those, when memory is short. */
static bool replace_items(void **items, int64_t count, size_t size) {
  void *more = calloc((size_t)count + 1, size);
  if (more == NULL)
    return false;
  free(*items);
  *items = more;
  return true;
}

/* Particles that have been split make more of everything. When memory is short what was there is drawn on. */
static bool remake(painter *p) {
  const msd_world *world = p->scene->world;
  const int64_t points = shown_point_count(p->scene);
  const int64_t values = (int64_t)msd_world_get_spring_count(world) + msd_world_get_constraint_count(world);
  char error[256];
  void *of_points = p->points, *of_values = p->values, *falling = p->is_falling;
  const bool done = replace_items(&of_points, points, sizeof *p->points) &&
                    replace_items(&of_values, values, sizeof *p->values) &&
                    replace_items(&falling, points, sizeof *p->is_falling);
  p->points = of_points;
  p->values = of_values;
  p->is_falling = falling;
  if (!done || !topology_remake(p->scene, p->size, &p->shapes))
    return false;
  free_shapes(p);
  make_arrays(p);
  return make_textures(p, error, sizeof error);
}

/* There are never more shapes than when they were made, so all buffers are large enough as they are. */
static bool reshape(painter *p) {
  if (!topology_remake(p->scene, p->size, &p->shapes))
    return false;
  const topology *t = &p->shapes;
  free_coarse(p);
  upload_fans(t);
  upload(p->surface_array, GL_ELEMENT_ARRAY_BUFFER, p->index_buffer,
         t->index_count * (int64_t)sizeof *t->indices, t->indices);
  upload(p->strand_array, GL_ARRAY_BUFFER, p->strand_buffer, t->strand_count * (int64_t)sizeof *t->strands,
         t->strands);
  upload(p->ball_array, GL_ARRAY_BUFFER, p->ball_buffer,
         ((int64_t)t->ball_count + t->extra_ball_count) * (int64_t)sizeof *t->balls, t->balls);
  if (p->line_array != 0)
    upload(p->line_array, GL_ARRAY_BUFFER, p->line_buffer, t->line_count * (int64_t)sizeof *t->lines,
           t->lines);
  glBindVertexArray(0);
  return true;
}

static bool has_broken(const painter *p) {
  if (broken_springs(p) != p->broken)
    return true;
  for (int32_t n = 0; n < p->shapes.fiber_count; n++)
    if (msd_constraint_is_broken(p->scene->world, p->shapes.fibers[n]))
      return true;
  return false;
}

void painter_notice_changes(painter *p) {
  const uint64_t pinned = pins_number(p->scene->world);
  const bool has_split = shown_point_count(p->scene) != p->shapes.points && remake(p);
  const bool is_broken = !has_split && has_broken(p);
  if (!is_broken || reshape(p))
    p->broken = broken_springs(p);
  if (has_split || is_broken || pinned != p->pinned)
    find_falling(p);
  p->pinned = pinned;
}

const box *painter_box(const painter *p) {
  return &p->bounds;
}

double painter_value_high(const painter *p) {
  return p->value_high;
}

bool painter_has_values(const painter *p, picture_color color) {
  if (color == PICTURE_COLOR_SPEED || color == PICTURE_COLOR_ENERGY)
    return true;
  return topology_value_count(&p->shapes) > 0;
}

void painter_up(const painter *p, vec3 up) {
  glm_vec3_copy((float *)p->up, up);
}

int32_t painter_hit_collider(const painter *p, const vec3 origin, const vec3 direction, float *distance) {
  return colliders_hit(&p->colliders, origin, direction, distance);
}

int32_t painter_contacts(const painter *p) {
  return p->contacts.count;
}

const topology *painter_shapes(const painter *p) {
  return &p->shapes;
}

const float (*painter_points(const painter *p))[4] {
  return (const float(*)[4])p->points;
}
