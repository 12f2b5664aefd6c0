#include "render/paint/colliders.h"

#include "render/paint/sun.h"
#include "shaders.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* A rounded line has two half spheres of so many rings and sectors. */
enum { RINGS = 16, SECTORS = 64, ROUND_VERTICES = 6 * (2 * RINGS + 1) * SECTORS, BOX_VERTICES = 36 };

#define TURN 6.28318530717958647693f

/* Planes are drawn that far around the middle of the scene, relative to its size. */
#define PLANE_REACH 1.0f

/* The cosine of the angle up to which a plane is level. */
#define LEVEL 0.9999f

typedef struct solid_vertex {
  float corner[3], outwards[3];
} solid_vertex;

/* On the rounded line from -1 to 1 along y. */
static solid_vertex round_vertex(int ring, int sector) {
  const bool is_upper = ring > RINGS;
  const float height = TURN / 4 * (float)(ring - (is_upper ? RINGS + 1 : RINGS)) / RINGS;
  const float around = TURN * (float)sector / SECTORS;
  return (solid_vertex){.corner = {0, is_upper ? 1 : -1, 0},
                        .outwards = {cosf(height) * cosf(around), sinf(height), cosf(height) * sinf(around)}};
}

static int add_round(solid_vertex *v) {
  static const int corners[6][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 0}, {1, 1}, {0, 1}};
  int count = 0;
  for (int ring = 0; ring < 2 * RINGS + 1; ring++)
    for (int sector = 0; sector < SECTORS; sector++)
      for (int c = 0; c < 6; c++)
        v[count++] = round_vertex(ring + corners[c][0], sector + corners[c][1]);
  return count;
}

static int add_box(solid_vertex *v) {
  static const float corners[6][2] = {{-1, -1}, {1, 1}, {-1, 1}, {-1, -1}, {1, -1}, {1, 1}};
  int count = 0;
  for (int axis = 0; axis < 3; axis++)
    for (int side = -1; side <= 1; side += 2)
      for (int c = 0; c < 6; c++) {
        solid_vertex *one = &v[count++];
        *one = (solid_vertex){0};
        one->outwards[axis] = one->corner[axis] = (float)side;
        one->corner[(axis + 1) % 3] = corners[c][0] * (float)side;
        one->corner[(axis + 2) % 3] = corners[c][1];
      }
  return count;
}

static bool make_array(colliders *c) {
  solid_vertex *vertices = malloc((ROUND_VERTICES + BOX_VERTICES) * sizeof *vertices);
  if (vertices == NULL)
    return false;
  int count = add_round(vertices);
  count += add_box(vertices + count);
  glGenVertexArrays(1, &c->array);
  glBindVertexArray(c->array);
  c->buffer = gpu_buffer(GL_ARRAY_BUFFER, count * (int64_t)sizeof *vertices, vertices);
  free(vertices);
  glEnableVertexAttribArray(0);
  glEnableVertexAttribArray(1);
  glVertexAttribPointer(0, 3, GL_FLOAT, GL_FALSE, sizeof *vertices,
                        (const void *)offsetof(solid_vertex, corner));
  glVertexAttribPointer(1, 3, GL_FLOAT, GL_FALSE, sizeof *vertices,
                        (const void *)offsetof(solid_vertex, outwards));
  glBindVertexArray(0);
  return true;
}

bool colliders_create(colliders *c, const scene *s, char *error, size_t size) {
  *c = (colliders){.scene = s, .count = msd_world_get_collider_count(s->world)};
  if (c->count == 0)
    return true;
  c->all = calloc((size_t)c->count, sizeof *c->all);
  c->program = gpu_program("collider", shader_collider, "", error, size);
  c->shadow_program =
      c->program != 0 ? gpu_program("collider shadow", shader_collider, "#define SHADOW\n", error, size) : 0;
  if (c->shadow_program == 0)
    return false;
  if (c->all != NULL && make_array(c)) {
    colliders_update(c);
    return true;
  }
  snprintf(error, size, "out of memory for drawing");
  return false;
}

void colliders_destroy(colliders *c) {
  glDeleteProgram(c->program);
  glDeleteProgram(c->shadow_program);
  glDeleteBuffers(1, &c->buffer);
  glDeleteVertexArrays(1, &c->array);
  free(c->all);
  *c = (colliders){0};
}

/* ---------------------------------------------------------------------------------------------- places */

static void to_float(msd_vec3 v, vec3 out) {
  out[0] = (float)v.x;
  out[1] = (float)v.y;
  out[2] = (float)v.z;
}

/* Turns the y axis of a solid along a direction, which is not 0. */
static void turn_y(const vec3 direction, mat3 turn) {
  glm_vec3_normalize_to((float *)direction, turn[1]);
  glm_vec3_ortho(turn[1], turn[0]);
  glm_vec3_normalize(turn[0]);
  glm_vec3_cross(turn[0], turn[1], turn[2]);
}

static void place_plane(const colliders *c, collider_solid *solid) {
  vec3 arm;
  glm_vec3_sub((float *)c->middle, solid->place, arm);
  glm_vec3_muladds(solid->turn[1], -glm_vec3_dot(arm, solid->turn[1]), arm);
  glm_vec3_add(solid->place, arm, solid->place);
  glm_vec3_copy((vec3){c->reach, 0, c->reach}, solid->extents);
}

/* The middle of a capsule, which its line leads through. */
static void place_capsule(const msd_collider_def *def, collider_solid *solid) {
  vec3 from, to, middle, along;
  mat3 own, whole;
  to_float(def->from, from);
  to_float(def->to, to);
  glm_vec3_center(from, to, middle);
  glm_vec3_sub(to, from, along);
  glm_mat3_mulv(solid->turn, middle, middle);
  glm_vec3_add(solid->place, middle, solid->place);
  solid->extents[1] = glm_vec3_norm(along) / 2;
  if (!(solid->extents[1] > 0))
    return;
  turn_y(along, own);
  glm_mat3_mul(solid->turn, own, whole);
  glm_mat3_copy(whole, solid->turn);
}

static collider_solid solid_of(const colliders *c, const msd_collider_def *def) {
  collider_solid solid = {.is_plane = def->kind == MSD_COLLIDER_PLANE};
  const msd_quaternion q = def->rotation;
  versor turned = {(float)q.x, (float)q.y, (float)q.z, (float)q.w};
  vec3 normal;
  to_float(def->position, solid.place);
  glm_quat_mat3(turned, solid.turn);
  switch (def->kind) {
  case MSD_COLLIDER_PLANE:
    to_float(def->normal, normal);
    glm_mat3_mulv(solid.turn, normal, normal);
    turn_y(normal, solid.turn);
    place_plane(c, &solid);
    break;
  case MSD_COLLIDER_BOX:
    to_float(def->size, solid.extents);
    glm_vec3_scale(solid.extents, 0.5f, solid.extents);
    break;
  case MSD_COLLIDER_CAPSULE:
    place_capsule(def, &solid);
    solid.radius = (float)def->radius;
    break;
  default:
    solid.radius = (float)def->radius;
    break;
  }
  return solid;
}

void colliders_place_planes(colliders *c, const box *around, float size, const vec3 up, bool has_up) {
  if (!box_is_empty(around))
    glm_vec3_center((float *)around->low, (float *)around->high, c->middle);
  c->reach = PLANE_REACH * size;
  if (has_up)
    glm_vec3_copy((float *)up, c->up);
  colliders_update(c);
}

void colliders_update(colliders *c) {
  for (int32_t i = 0; i < c->count; i++) {
    const msd_collider_def def = msd_collider_get_def(c->scene->world, i);
    c->all[i] = solid_of(c, &def);
  }
}

/* ---------------------------------------------------------------------------------------------- extents */

/* How far a solid reaches along a unit vector from its place. */
static float reach_along(const collider_solid *s, const vec3 direction) {
  float reach = s->radius;
  for (int axis = 0; axis < 3; axis++)
    reach += s->extents[axis] * fabsf(glm_vec3_dot((float *)s->turn[axis], (float *)direction));
  return reach;
}

static box box_of(const collider_solid *s) {
  box b;
  for (int axis = 0; axis < 3; axis++) {
    vec3 direction = {0, 0, 0};
    direction[axis] = 1;
    const float reach = reach_along(s, direction);
    b.low[axis] = s->place[axis] - reach;
    b.high[axis] = s->place[axis] + reach;
  }
  return b;
}

void colliders_add_to_box(const colliders *c, box *b) {
  for (int32_t i = 0; i < c->count; i++) {
    const box one = box_of(&c->all[i]);
    if (!c->all[i].is_plane)
      box_join(b, &one);
  }
}

float colliders_lowest(const colliders *c, const vec3 up) {
  float lowest = INFINITY;
  for (int32_t i = 0; i < c->count; i++) {
    const collider_solid *s = &c->all[i];
    if (!s->is_plane)
      lowest = fminf(lowest, glm_vec3_dot((float *)s->place, (float *)up) - reach_along(s, up));
  }
  return lowest;
}

static bool is_level(const colliders *c, const collider_solid *s) {
  return s->is_plane && glm_vec3_dot((float *)s->turn[1], (float *)c->up) > LEVEL;
}

float colliders_ground(const colliders *c) {
  float highest = -INFINITY;
  for (int32_t i = 0; i < c->count; i++)
    if (is_level(c, &c->all[i]))
      highest = fmaxf(highest, glm_vec3_dot((float *)c->all[i].place, (float *)c->up));
  return highest;
}

void colliders_add_shadow(const colliders *c, const vec3 light, const vec3 up, float ground, box *b) {
  for (int32_t i = 0; i < c->count; i++) {
    const box one = box_of(&c->all[i]);
    if (!c->all[i].is_plane)
      sun_add_box_shadow(light, up, ground, &one, b);
  }
}

/* ------------------------------------------------------------------------------------------------ rays */

/* m: how far a point is from a solid; negative inside. */
static float distance_to(const collider_solid *s, const vec3 point) {
  vec3 arm, outside;
  float inside = -INFINITY;
  glm_vec3_sub((float *)point, (float *)s->place, arm);
  for (int axis = 0; axis < 3; axis++) {
    const float beyond = fabsf(glm_vec3_dot(arm, (float *)s->turn[axis])) - s->extents[axis];
    outside[axis] = fmaxf(beyond, 0);
    inside = fmaxf(inside, beyond);
  }
  return glm_vec3_norm(outside) + fminf(inside, 0) - s->radius;
}

/* Goes along the ray as far as nothing can be in between, again and again. */
static bool meets(const collider_solid *s, const vec3 origin, const vec3 direction, float *distance) {
  enum { STRIDES = 200 };
  const float close = 1e-4f * (s->radius + glm_vec3_norm((float *)s->extents));
  float along = 0;
  for (int stride = 0; stride < STRIDES && along < *distance; stride++) {
    vec3 point;
    glm_vec3_copy((float *)origin, point);
    glm_vec3_muladds((float *)direction, along, point);
    const float away = distance_to(s, point);
    if (away < close) {
      *distance = along;
      return true;
    }
    along += away;
  }
  return false;
}

int32_t colliders_hit(const colliders *c, const vec3 origin, const vec3 direction, float *distance) {
  int32_t found = -1;
  for (int32_t i = 0; i < c->count; i++)
    if (!c->all[i].is_plane && meets(&c->all[i], origin, direction, distance))
      found = i;
  return found;
}

/* ---------------------------------------------------------------------------------------------- drawing */

void colliders_draw(const colliders *c, bool is_shadow) {
  if (c->count == 0)
    return;
  const GLuint program = is_shadow ? c->shadow_program : c->program;
  glUseProgram(program);
  glBindVertexArray(c->array);
  const GLint place = glGetUniformLocation(program, "place"), turn = glGetUniformLocation(program, "turn");
  const GLint extents = glGetUniformLocation(program, "extents");
  const GLint radius = glGetUniformLocation(program, "radius");
  for (int32_t i = 0; i < c->count; i++) {
    const collider_solid *s = &c->all[i];
    if (is_level(c, s))
      continue;
    glUniform3fv(place, 1, s->place);
    glUniformMatrix3fv(turn, 1, GL_FALSE, s->turn[0]);
    glUniform3fv(extents, 1, s->extents);
    glUniform1f(radius, s->radius);
    glDrawArrays(GL_TRIANGLES, s->radius > 0 ? 0 : ROUND_VERTICES,
                 s->radius > 0 ? ROUND_VERTICES : BOX_VERTICES);
  }
}
