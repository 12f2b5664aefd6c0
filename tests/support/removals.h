/* A world of everything, of which any part may be left out: what is left after removal should be. */
#ifndef MSD_TESTS_SUPPORT_REMOVALS_H
#define MSD_TESTS_SUPPORT_REMOVALS_H

#include "tests/support/picture.h"

#include <stdint.h>

enum { COLUMNS = 8, ROWS = 5, PARTICLES = COLUMNS * ROWS, ITEMS_MOST = 160, SURFACES = 3, SURFACE_FACES = 4 };

static inline uint32_t next_number(uint32_t *state) {
  *state = *state * 1664525u + 1013904223u;
  return *state >> 8;
}

/* Of each kind which are left out; where the others are, -1: out; and how many were passed so far. */
typedef struct part {
  bool gone[MSD_OBJECT_COUNT][ITEMS_MOST];
  int32_t to[MSD_OBJECT_COUNT][ITEMS_MOST];
  int32_t passed[MSD_OBJECT_COUNT], kept[MSD_OBJECT_COUNT];
} part;

/* Whether the next item of a kind stays, of which some corners may be out. */
static inline bool subdomain_takes(part *p, msd_object item, msd_object of, const int32_t *corners,
                                   int count) {
  const int32_t index = p->passed[item]++;
  for (int n = 0; n < count; n++)
    p->gone[item][index] = p->gone[item][index] || (corners[n] >= 0 && p->to[of][corners[n]] < 0);
  p->to[item][index] = p->gone[item][index] ? -1 : p->kept[item]++;
  return p->to[item][index] >= 0;
}

static inline void add_some_particles(msd_world *world, part *p) {
  uint32_t random = 77;
  for (int32_t i = 0; i < PARTICLES; i++) {
    msd_particle_def def = msd_default_particle_def();
    const uint32_t x = next_number(&random) % 64, y = next_number(&random) % 64,
                   z = next_number(&random) % 64;
    def.position = (msd_vec3){(msd_real)(i % COLUMNS) + (msd_real)x / 512,
                              (msd_real)(i / COLUMNS) + (msd_real)y / 512, (msd_real)z / 512};
    def.velocity.z = (msd_real)(i % 3) / 4;
    def.mass = 1 + (msd_real)(i % 4) / 4;
    def.pinned = i % 11 == 0;
    if (subdomain_takes(p, MSD_OBJECT_PARTICLE, MSD_OBJECT_PARTICLE, NULL, 0))
      cr_assert_eq(msd_add_particles(world, &def, 1, NULL), MSD_OK);
  }
}

static inline void add_some_spring(msd_world *world, part *p, int32_t a, int32_t b, bool has_hard_limits) {
  const int32_t ends[2] = {a, b};
  msd_spring_def def = msd_default_spring_def();
  const int32_t kind = p->passed[MSD_OBJECT_SPRING] % (has_hard_limits ? 6 : 5);
  def.stiffness = 200 + (msd_real)(kind * 10);
  def.damping = (msd_real)0.5;
  def.frequency = 2;
  def.damping_ratio = (msd_real)0.25;
  def.law = kind == 1   ? MSD_SPRING_FREQUENCY
            : kind == 2 ? MSD_SPRING_COEFFICIENT
            : kind == 5 ? MSD_SPRING_HARD_LIMIT
                        : MSD_SPRING_STIFFNESS;
  def.mode = kind == 3 || kind == 5 ? MSD_SPRING_TENSION_ONLY
             : kind == 4            ? MSD_SPRING_COMPRESSION_ONLY
                                    : MSD_SPRING_BOTH;
  if (!subdomain_takes(p, MSD_OBJECT_SPRING, MSD_OBJECT_PARTICLE, ends, 2))
    return;
  def.a = p->to[MSD_OBJECT_PARTICLE][a];
  def.b = p->to[MSD_OBJECT_PARTICLE][b];
  cr_assert_eq(msd_add_springs(world, &def, 1, NULL), MSD_OK);
}

static inline void add_some_springs(msd_world *world, part *p, bool has_hard_limits) {
  for (int32_t i = 0; i < PARTICLES; i++) {
    if (i % COLUMNS < COLUMNS - 1)
      add_some_spring(world, p, i, i + 1, has_hard_limits);
    if (i / COLUMNS < ROWS - 1)
      add_some_spring(world, p, i, i + COLUMNS, has_hard_limits);
    if (i % COLUMNS < COLUMNS - 1 && i / COLUMNS < ROWS - 1)
      add_some_spring(world, p, i + 1, i + COLUMNS, has_hard_limits);
  }
}

static inline void add_some_constraint(msd_world *world, part *p, int32_t i) {
  static const int corners[12] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3};
  const int32_t own[4] = {i, i + 1, i + COLUMNS, i + COLUMNS + 2};
  const msd_constraint_kind kind = (msd_constraint_kind)(i % MSD_CONSTRAINT_KIND_COUNT);
  const int32_t count = kind == MSD_CONSTRAINT_MESH_VOLUME ? 4 : msd_constraint_kind_particles(kind);
  msd_constraint_def def = msd_default_constraint_def();
  int32_t triangles[12];
  def.kind = kind;
  def.stiffness = 5;
  def.damping = (msd_real)0.125;
  def.frequency = 1;
  def.law = i % 3 == 0 ? MSD_SPRING_FREQUENCY : MSD_SPRING_STIFFNESS;
  if (!subdomain_takes(p, MSD_OBJECT_CONSTRAINT, MSD_OBJECT_PARTICLE, own, count))
    return;
  for (int n = 0; n < 4; n++)
    def.particles[n] = n < count ? p->to[MSD_OBJECT_PARTICLE][own[n]] : -1;
  for (int n = 0; n < 12 && kind == MSD_CONSTRAINT_MESH_VOLUME; n++)
    triangles[n] = def.particles[corners[n]];
  if (kind == MSD_CONSTRAINT_MESH_VOLUME) {
    def.triangles = triangles;
    def.triangle_count = 4;
  }
  const msd_real weights[4] = {-1, (msd_real)0.5, (msd_real)0.25, (msd_real)0.25};
  for (int n = 0; n < 4 && kind == MSD_CONSTRAINT_FIBER; n++)
    def.weights[n] = weights[n];
  cr_assert_eq(msd_add_constraints(world, &def, 1, NULL), MSD_OK, "%s", msd_world_message(world));
}

static inline void add_some_soft_pins_and_rotors(msd_world *world, part *p) {
  for (int32_t n = 0; n < 4; n++) {
    const int32_t particle = 5 + 9 * n;
    msd_soft_pin_def def = msd_default_soft_pin_def();
    if (!subdomain_takes(p, MSD_OBJECT_SOFT_PIN, MSD_OBJECT_PARTICLE, &particle, 1))
      continue;
    def.particle = p->to[MSD_OBJECT_PARTICLE][particle];
    def.position = (msd_vec3){(msd_real)n, 1, 1};
    def.frequency = 1;
    cr_assert_eq(msd_add_soft_pins(world, &def, 1, NULL), MSD_OK);
  }
  for (int32_t n = 0; n < 6; n++) {
    msd_rotor_def def = msd_default_rotor_def();
    def.angle = n;
    def.angular_velocity = 1 + n;
    if (subdomain_takes(p, MSD_OBJECT_ROTOR, MSD_OBJECT_ROTOR, NULL, 0))
      cr_assert_eq(msd_add_rotors(world, &def, 1, NULL), MSD_OK);
  }
  for (int32_t n = 0; n < 6; n++) {
    const int32_t ends[2] = {n, n == 5 ? MSD_GROUND : n + 1};
    msd_torsion_spring_def def = msd_default_torsion_spring_def();
    def.stiffness = 2;
    def.damping = (msd_real)0.125;
    if (!subdomain_takes(p, MSD_OBJECT_TORSION_SPRING, MSD_OBJECT_ROTOR, ends, 2))
      continue;
    def.a = p->to[MSD_OBJECT_ROTOR][ends[0]];
    def.b = ends[1] < 0 ? ends[1] : p->to[MSD_OBJECT_ROTOR][ends[1]];
    def.rest_angle = n;
    cr_assert_eq(msd_add_torsion_springs(world, &def, 1, NULL), MSD_OK);
  }
}

static inline void add_some_colliders(msd_world *world, part *p) {
  for (int32_t n = 0; n < 4; n++) {
    msd_collider_def def = msd_default_collider_def();
    def.kind = n == 3 ? MSD_COLLIDER_PLANE : MSD_COLLIDER_SPHERE;
    def.radius = (msd_real)0.75;
    def.position = n == 3 ? (msd_vec3){0, -1, 0} : (msd_vec3){(msd_real)(1 + 2 * n), 1, (msd_real)-0.75};
    if (subdomain_takes(p, MSD_OBJECT_COLLIDER, MSD_OBJECT_COLLIDER, NULL, 0))
      cr_assert_eq(msd_add_colliders(world, &def, 1, NULL), MSD_OK);
  }
}

/* Four triangles in a row of cells, and a segment. A surface of which nothing is left is out. */
static inline void add_some_surface(msd_world *world, part *p, int32_t n) {
  const int32_t *to = p->to[MSD_OBJECT_PARTICLE];
  int32_t triangles[3 * SURFACE_FACES], faces = 0;
  for (int32_t f = 0; f < SURFACE_FACES; f++) {
    const int32_t i = 2 * f - (f == 3) + n * COLUMNS;
    const int32_t corners[3] = {to[i], to[i + 1], to[i + COLUMNS]};
    if (corners[0] < 0 || corners[1] < 0 || corners[2] < 0)
      continue;
    for (int corner = 0; corner < 3; corner++)
      triangles[3 * faces + corner] = corners[corner];
    faces++;
  }
  const int32_t ends[2] = {to[PARTICLES - 1 - n], to[PARTICLES - 5 - n]};
  msd_collision_mesh_def def = msd_default_collision_mesh_def();
  def.triangles = triangles;
  def.triangle_count = faces;
  def.segments = ends;
  def.segment_count = ends[0] >= 0 && ends[1] >= 0;
  def.thickness = (msd_real)0.0625;
  p->gone[MSD_OBJECT_COLLISION_MESH][n] =
      p->gone[MSD_OBJECT_COLLISION_MESH][n] || def.triangle_count + def.segment_count == 0;
  if (subdomain_takes(p, MSD_OBJECT_COLLISION_MESH, MSD_OBJECT_COLLISION_MESH, NULL, 0))
    cr_assert_eq(msd_add_collision_meshes(world, &def, 1, NULL), MSD_OK, "%s", msd_world_message(world));
}

/* Builds what is left, and tells where all is. `touches`: with what takes an integrator that predicts. */
static inline msd_world *world_of_part(part *p, bool touches) {
  msd_world *world = empty_world();
  memset(p->passed, 0, sizeof p->passed);
  memset(p->kept, 0, sizeof p->kept);
  add_some_particles(world, p);
  add_some_springs(world, p, touches);
  for (int32_t i = 0; i < PARTICLES - 2 * COLUMNS; i += 2)
    if (i % COLUMNS < COLUMNS - 2)
      add_some_constraint(world, p, i);
  add_some_soft_pins_and_rotors(world, p);
  if (touches)
    add_some_colliders(world, p);
  for (int32_t n = 0; n < SURFACES && touches; n++)
    add_some_surface(world, p, n);
  const int32_t *surface = p->to[MSD_OBJECT_COLLISION_MESH];
  if (touches && surface[0] >= 0 && surface[2] >= 0)
    cr_assert_eq(msd_collision_mesh_exclude(world, surface[0], surface[2]), MSD_OK);
  return world;
}

/* Destroys about one item in `one_in` of each kind, in any order, and marks them. */
static inline void destroy_some(msd_world *world, part *p, uint32_t seed, uint32_t one_in) {
  uint32_t random = seed;
  for (int item = MSD_OBJECT_COUNT - 1; item >= 0; item--) {
    int32_t list[ITEMS_MOST], count = 0;
    for (int32_t i = 0; i < p->passed[item]; i++)
      if (next_number(&random) % one_in == 0)
        list[count++] = i;
    for (int32_t n = 0; n < count; n++)
      p->gone[item][list[n]] = true;
    cr_assert_eq(msd_destroy_objects(world, (msd_object)item, list, count), MSD_OK, "%s",
                 msd_world_message(world));
  }
}

#endif
