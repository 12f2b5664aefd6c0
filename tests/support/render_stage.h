/* Scenes of one body for the tests of render/, built by hand so that every position is known. */
#ifndef MSD_TESTS_SUPPORT_RENDER_STAGE_H
#define MSD_TESTS_SUPPORT_RENDER_STAGE_H

#include "scenes/loader/scene.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

typedef struct stage {
  scene scene;
  scene_body body;
} stage;

/* An empty scene. Gravity only tells which way is up, since nothing is stepped. */
static inline void stage_make(stage *st, const char *kind, msd_vec3 gravity) {
  msd_world_def def = msd_default_world_def();
  def.gravity = gravity;
  *st = (stage){.scene = {.name = "test",
                          .path = "test",
                          .title = "",
                          .description = "",
                          .bodies = &st->body,
                          .body_count = 1,
                          .frame_time = 1.0 / 60}};
  st->body = (scene_body){.name = "it", .kind = kind, .surface.number = -1};
  cr_assert(msd_create_world(&def, &st->scene.world) == MSD_OK);
}

static inline void stage_free(stage *st) {
  msd_destroy_world(st->scene.world);
  free(st->body.triangles);
}

static const msd_vec3 down = {0, (msd_real)-9.81, 0};
static const msd_vec3 nowhere = {0, 0, 0};

/* The triangles of 20 x 10 cells between 21 columns and 11 rows of particles. */
static inline void add_cloth_triangles(scene_body *b) {
  b->triangles = malloc(sizeof(int32_t) * 6 * 20 * 10);
  for (int32_t row = 0; row < 10; row++) {
    for (int32_t column = 0; column < 20; column++) {
      int32_t i = row * 21 + column, corners[6] = {i, i + 21, i + 1, i + 1, i + 21, i + 22};
      memcpy(b->triangles + 3 * b->triangle_count, corners, sizeof corners);
      b->triangle_count += 2;
    }
  }
}

/* A flat cloth 2 m wide and 1 m high in the plane z = 0 around the origin, with its front towards +z. */
static inline void make_cloth(stage *st, msd_vec3 gravity) {
  stage_make(st, "cloth", gravity);
  msd_cloth_def def = msd_default_cloth_def();
  def.origin = (msd_vec3){-1, (msd_real)0.5, 0};
  def.u = (msd_vec3){2, 0, 0};
  def.v = (msd_vec3){0, -1, 0};
  def.columns = 21;
  def.rows = 11;
  def.mass = (msd_real)0.3;
  def.stretch.law = MSD_SPRING_STIFFNESS;
  def.stretch.stiffness = 100;
  def.shear = def.stretch;
  msd_body made;
  cr_assert(msd_add_cloth(st->scene.world, &def, &made) == MSD_OK);
  scene_body *b = &st->body;
  b->particles = made.particles;
  b->springs = made.springs;
  b->groups[0] = (scene_group){"stretch", made.stretch};
  b->groups[1] = (scene_group){"shear", made.shear};
  b->group_count = 2;
  b->columns = def.columns;
  b->rows = def.rows;
  add_cloth_triangles(b);
}

/* The same sheet without springs, with two fibers of 1.5 N m in each triangle: an even one along x, an odd one
   along y. */
static inline void make_fiber_cloth(stage *st) {
  stage_make(st, "mesh", nowhere);
  for (int32_t i = 0; i < 11 * 21; i++) {
    msd_particle_def particle = msd_default_particle_def();
    particle.position.x = (msd_real)(i % 21 * 0.1 - 1);
    particle.position.y = (msd_real)(0.5 - i / 21 * 0.1);
    cr_assert(msd_add_particles(st->scene.world, &particle, 1, NULL) == MSD_OK);
  }
  st->body.particles = (msd_range){0, 11 * 21};
  add_cloth_triangles(&st->body);
  for (int32_t t = 0; t < st->body.triangle_count; t++) {
    msd_constraint_def fiber = msd_default_constraint_def();
    msd_vec3 rest[3];
    fiber.kind = MSD_CONSTRAINT_FIBER;
    fiber.rest = 1;
    fiber.stiffness = (msd_real)1.5;
    for (int c = 0; c < 3; c++) {
      fiber.particles[c] = st->body.triangles[3 * t + c];
      rest[c] = msd_particle_get_position(st->scene.world, fiber.particles[c]);
    }
    for (int n = 0; n < 2; n++) {
      const msd_vec3 along = {(msd_real)(1 - n), (msd_real)n, 0};
      cr_assert(msd_fiber_weights(rest, 3, along, fiber.weights) == MSD_OK);
      cr_assert(msd_add_constraints(st->scene.world, &fiber, 1, NULL) == MSD_OK);
    }
  }
}

static inline void make_ball(stage *st, msd_vec3 gravity) {
  stage_make(st, "particles", gravity);
  msd_particle_def def = msd_default_particle_def();
  cr_assert(msd_add_particles(st->scene.world, &def, 1, NULL) == MSD_OK);
  st->body.particles = (msd_range){0, 1};
}

static inline void make_rope(stage *st) {
  stage_make(st, "rope", nowhere);
  msd_rope_def def = msd_default_rope_def();
  def.particles = 11;
  msd_body made;
  cr_assert(msd_add_rope(st->scene.world, &def, &made) == MSD_OK);
  st->body.particles = made.particles;
  st->body.springs = made.springs;
  st->body.groups[0] = (scene_group){"stretch", made.stretch};
  st->body.group_count = 1;
}

/* Multiplies the x and y of all positions. */
static inline void stretch(stage *st, double stretch_x, double stretch_y) {
  for (int32_t i = 0; i < st->body.particles.count; i++) {
    msd_vec3 at = msd_particle_get_position(st->scene.world, i);
    at.x = (msd_real)(stretch_x * (double)at.x);
    at.y = (msd_real)(stretch_y * (double)at.y);
    cr_assert(msd_particle_set_position(st->scene.world, i, at) == MSD_OK);
  }
}

#endif
