#include "render/paint/painter_state.h"

#include "render/paint/sun.h"

#include <math.h>
#include <stdlib.h>

static void copy_positions(painter *p) {
  render_points_update(&p->shown);
  msd_view positions = p->shown.positions;
  p->bounds = box_empty();
  p->lowest = INFINITY;
  for (int32_t i = 0; i < positions.count && i < p->shapes.points; i++) {
    msd_vec3 x = msd_view_at(positions, i);
    float *point = p->points[i];
    point[0] = (float)x.x;
    point[1] = (float)x.y;
    point[2] = (float)x.z;
    point[3] = 0;
    if (p->is_falling[i])
      continue;
    box_add(&p->bounds, point);
    const float height = point[0] * p->up[0] + point[1] * p->up[1] + point[2] * p->up[2];
    p->lowest = height < p->lowest ? height : p->lowest;
  }
  wheels_add_to_box(&p->wheels, &p->bounds);
  p->lowest = fminf(p->lowest, wheels_lowest(&p->wheels, p->up));
  colliders_update(&p->colliders);
  colliders_add_to_box(&p->colliders, &p->bounds);
  p->lowest = fminf(p->lowest, colliders_lowest(&p->colliders, p->up));
}

static void copy_motion(painter *p, picture_color color) {
  const msd_world *world = p->scene->world;
  msd_view velocities = p->shown.velocities;
  for (int32_t i = 0; i < velocities.count && i < p->shapes.points; i++) {
    msd_vec3 v = msd_view_at(velocities, i);
    double square = (double)v.x * (double)v.x + (double)v.y * (double)v.y + (double)v.z * (double)v.z;
    p->points[i][3] =
        color == PICTURE_COLOR_SPEED
            ? (float)sqrt(square)
            : (float)(0.5 * (double)msd_particle_get_mass(world, p->shapes.particle_of[i]) * square);
  }
}

static float link_value(const painter *p, picture_color color, const topology_link *link) {
  const bool is_fiber = link->other < 0, is_strain = color == PICTURE_COLOR_STRAIN;
  if (is_strain && !is_fiber)
    return glm_vec3_distance(p->points[link->here], p->points[link->other]) / link->measure - 1;
  return p->values[link->value] * (is_fiber && !is_strain ? link->measure : 1);
}

/* The value of a particle, as gather.glsl computes it. */
static float particle_value(const painter *p, picture_color color, int32_t particle) {
  if (color != PICTURE_COLOR_STRAIN && color != PICTURE_COLOR_FORCE)
    return p->points[particle][3];
  topology_fan fan = p->shapes.fans[particle];
  double sum = 0;
  for (int32_t i = fan.first_link; i < fan.last_link; i++)
    sum += (double)link_value(p, color, &p->shapes.links[i]);
  return fan.last_link > fan.first_link ? (float)(sum / (fan.last_link - fan.first_link)) : 0;
}

static int compare_floats(const void *a, const void *b) {
  float x = *(const float *)a, y = *(const float *)b;
  return (x > y) - (x < y);
}

/* From all particles of a small scene, or an even sample of those of a large one. */
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

static void upload(GLuint buffer, int32_t count, size_t size, const void *items) {
  glBindBuffer(GL_ARRAY_BUFFER, buffer);
  glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)((size_t)count * size), items, GL_STREAM_DRAW);
}

/* What a picture of strain or forces reads of the world: |tension| of springs, whose strain the card finds from
   the points, and of fibers the stretch or |tension|. */
static void copy_values(painter *p, const painter_reading *reading) {
  const topology *t = &p->shapes;
  const msd_world *world = p->scene->world;
  const bool is_force = reading->color == PICTURE_COLOR_FORCE;
  for (int32_t i = 0; is_force && i < t->line_count; i++)
    if (reading->all_springs || topology_shows_strain(t->lines[i].kind))
      p->values[i] = fabsf((float)msd_spring_get_tension(world, i));
  for (int32_t n = 0; n < t->fiber_count; n++)
    p->values[t->line_count + n] = is_force ? fabsf((float)msd_constraint_get_tension(world, t->fibers[n]))
                                            : (float)msd_constraint_get_stretch(world, t->fibers[n]);
  gpu_array_upload(GPU_VALUES, GL_RED, GL_FLOAT, topology_value_count(t), sizeof *p->values, p->values);
}

void painter_update(painter *p, const painter_reading *reading) {
  const topology *t = &p->shapes;
  const picture_color color = reading->color;
  painter_notice_changes(p);
  copy_positions(p);
  if (color == PICTURE_COLOR_SPEED || color == PICTURE_COLOR_ENERGY)
    copy_motion(p, color);
  gpu_array_upload(GPU_POINTS, GL_RGBA, GL_FLOAT, t->points, sizeof *p->points, p->points);
  if (color == PICTURE_COLOR_FORCE || (color == PICTURE_COLOR_STRAIN && t->fiber_count > 0))
    copy_values(p, reading);
  bool has_values = color != PICTURE_COLOR_NONE && color != PICTURE_COLOR_KIND;
  wheels_update(&p->wheels, color);
  p->value_high = has_values ? fmax(find_value_high(p, color), wheels_value_high(&p->wheels)) : 0;
  pins_find(&p->pins, p->scene, t, p->size);
  upload(p->pin_buffer, p->pins.ball_count, sizeof *p->pins.balls, p->pins.balls);
  upload(p->rod_buffer, p->pins.rod_count, sizeof *p->pins.rods, p->pins.rods);
  p->contacts.count = 0;
  if (reading->contacts)
    contact_marks_find(&p->contacts, p->scene->world, p->size);
  upload(p->contact_buffer, p->contacts.count, sizeof *p->contacts.all, p->contacts.all);
  /* Where no collider is the ground, it stays while nothing comes close to it, so that it does not follow every
     swing. */
  const float ground = p->has_up ? colliders_ground(&p->colliders) : -INFINITY;
  if (isfinite(ground))
    p->ground = ground;
  else if (p->lowest < p->ground + 0.02f * p->size)
    p->ground = p->lowest - 0.08f * p->size;
}

void painter_add_shadow(const painter *p, const camera *c, box *b) {
  vec3 light;
  if (!p->has_up)
    return;
  sun_direction(c, p->up, light);
  int32_t step = 1 + p->shapes.points / SAMPLE_MAX;
  for (int32_t i = 0; i < p->shapes.points; i += step)
    if (!p->is_falling[i])
      sun_add_shadow(light, p->up, p->ground, p->points[i], b);
  wheels_add_shadow(&p->wheels, light, p->up, p->ground, b);
  colliders_add_shadow(&p->colliders, light, p->up, p->ground, b);
}
