/* Constraints of every kind between particles, for several tests; and what they are by the definitions of their
   values alone: plain formulas in double, with gradients by differences. */
#ifndef MSD_TESTS_SUPPORT_CONSTRAINTS_H
#define MSD_TESTS_SUPPORT_CONSTRAINTS_H

#include "tests/support/networks.h"

#include <math.h>

/* ------------------------------------------------------------------------------------------- making some */

/* Of the corners of a fiber: of other kinds they do not count. */
static inline void give_weights(msd_constraint_def *def) {
  static const msd_real weights[4] = {(msd_real)-0.75, (msd_real)1.25, (msd_real)-0.875, (msd_real)0.375};
  memcpy(def->weights, weights, sizeof weights);
}

static inline msd_constraint_def constraint_of(msd_constraint_kind kind, int32_t a, int32_t b, int32_t c,
                                               int32_t d) {
  msd_constraint_def def = msd_default_constraint_def();
  const int32_t particles[4] = {a, b, c, d};
  def.kind = kind;
  for (int n = 0; n < msd_constraint_kind_particles(kind); n++)
    def.particles[n] = particles[n];
  give_weights(&def);
  return def;
}

static inline int32_t add_constraint(msd_world *world, msd_constraint_def def) {
  int32_t index = -1;
  ASSERT_OK(world, msd_add_constraints(world, &def, 1, &index));
  return index;
}

/* A law with its numbers; all come by turns. */
static inline void give_law(msd_constraint_def *def, int turn) {
  switch (turn % 4) {
  case 0:
    def->law = MSD_SPRING_STIFFNESS;
    def->stiffness = 24;
    def->damping = (msd_real)0.375;
    break;
  case 1:
    def->law = MSD_SPRING_COEFFICIENT; /* stiffest */
    break;
  case 2:
    def->law = MSD_SPRING_COEFFICIENT;
    def->ck = (msd_real)0.125;
    def->cd = turn % 8 == 2 ? (msd_real)0.0625 : MSD_MAX_STABLE;
    break;
  default:
    def->law = MSD_SPRING_FREQUENCY;
    def->frequency = 2;
    def->damping_ratio = (msd_real)0.25;
  }
}

/* An octahedron whose triangles are each cut into four, `rounds` times, and put on the unit sphere: 8, 32, 128,
   512 triangles, counterclockwise from outside. */
typedef struct sphere {
  msd_vec3 *at;
  int32_t vertices;
  int32_t *triangles;
  int32_t triangle_count;
} sphere;

static inline int32_t sphere_middle(sphere *s, int32_t a, int32_t b) {
  const msd_vec3 p = s->at[a], q = s->at[b];
  double m[3] = {(double)p.x + (double)q.x, (double)p.y + (double)q.y, (double)p.z + (double)q.z};
  const double length = sqrt(m[0] * m[0] + m[1] * m[1] + m[2] * m[2]);
  const msd_vec3 at = {(msd_real)(m[0] / length), (msd_real)(m[1] / length), (msd_real)(m[2] / length)};
  for (int32_t v = 0; v < s->vertices; v++)
    if (s->at[v].x == at.x && s->at[v].y == at.y && s->at[v].z == at.z)
      return v;
  s->at[s->vertices] = at;
  return s->vertices++;
}

static inline sphere make_sphere(int rounds) {
  static const msd_vec3 corners[6] = {{1, 0, 0}, {0, 1, 0}, {-1, 0, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
  static const int32_t faces[24] = {0, 1, 4, 1, 2, 4, 2, 3, 4, 3, 0, 4, 1, 0, 5, 2, 1, 5, 3, 2, 5, 0, 3, 5};
  int32_t count = 8;
  for (int r = 0; r < rounds; r++)
    count *= 4;
  sphere s = {.at = calloc((size_t)count, sizeof *s.at), .vertices = 6, .triangle_count = 8};
  s.triangles = calloc(3 * (size_t)count, sizeof *s.triangles);
  int32_t *finer = calloc(3 * (size_t)count, sizeof *finer);
  cr_assert(s.at && s.triangles && finer);
  memcpy(s.at, corners, sizeof corners);
  memcpy(s.triangles, faces, sizeof faces);
  for (int r = 0; r < rounds; r++) {
    for (int32_t t = 0; t < s.triangle_count; t++) {
      const int32_t a = s.triangles[3 * t], b = s.triangles[3 * t + 1], c = s.triangles[3 * t + 2];
      const int32_t ab = sphere_middle(&s, a, b), bc = sphere_middle(&s, b, c), ca = sphere_middle(&s, c, a);
      const int32_t four[12] = {a, ab, ca, ab, b, bc, ca, bc, c, ab, bc, ca};
      memcpy(finer + 12 * (size_t)t, four, sizeof four);
    }
    s.triangle_count *= 4;
    memcpy(s.triangles, finer, 3 * (size_t)s.triangle_count * sizeof *finer);
  }
  free(finer);
  return s;
}

static inline void free_sphere(sphere *s) {
  free(s->at);
  free(s->triangles);
}

static inline msd_constraint_def constraint_on(const sphere *s) {
  msd_constraint_def def = msd_default_constraint_def();
  def.kind = MSD_CONSTRAINT_MESH_VOLUME;
  def.triangles = s->triangles;
  def.triangle_count = s->triangle_count;
  return def;
}

/* Puts the sphere's particles into the world, `first` its next index, scaled and moved along x, each shaken a
   little, and returns the constraint on its volume with its indices; free its triangles. */
static inline msd_constraint_def add_sphere(msd_world *world, const sphere *s, double radius, double x) {
  const int32_t first = msd_world_get_particle_count(world);
  generator random = {7};
  for (int32_t v = 0; v < s->vertices; v++) {
    msd_particle_def p = msd_default_particle_def();
    const msd_vec3 shake = random_vector(&random, (msd_real)0.0625);
    p.position = (msd_vec3){(msd_real)(radius * ((double)s->at[v].x + (double)shake.x) + x),
                            (msd_real)(radius * ((double)s->at[v].y + (double)shake.y)),
                            (msd_real)(radius * ((double)s->at[v].z + (double)shake.z))};
    p.velocity = random_vector(&random, (msd_real)0.5);
    p.mass = (msd_real)(v % 3 + 1) / 2;
    p.pinned = v == 5;
    ASSERT_OK(world, msd_add_particles(world, &p, 1, NULL));
  }
  msd_constraint_def def = constraint_on(s);
  int32_t *triangles = calloc(3 * (size_t)s->triangle_count, sizeof *triangles);
  cr_assert_not_null(triangles);
  for (int32_t n = 0; n < 3 * s->triangle_count; n++)
    triangles[n] = s->triangles[n] + first;
  def.triangles = triangles;
  return def;
}

/* Particles on a wavy strip of two rows, and constraints of all kinds but fibers and of all laws along it;
   every value is off its rest. One particle in 13 is pinned. No shape is near to having no direction. */
static inline void add_strip(msd_world *world, int32_t columns, uint64_t seed) {
  generator random = {seed};
  const int32_t first = msd_world_get_particle_count(world);
  for (int32_t i = 0; i < 2 * columns; i++) {
    const int32_t column = i / 2, row = i % 2;
    msd_particle_def p = msd_default_particle_def();
    const msd_vec3 shake = random_vector(&random, (msd_real)0.125);
    p.position = (msd_vec3){(msd_real)column + shake.x, (msd_real)row + shake.y,
                            (msd_real)(column % 3) / 2 + (msd_real)(row * (column % 2)) / 2 + shake.z};
    p.velocity = random_vector(&random, (msd_real)0.5);
    p.mass = (msd_real)(1 + i % 4) / 2;
    p.pinned = i % 13 == 5;
    ASSERT_OK(world, msd_add_particles(world, &p, 1, NULL));
  }
  int turn = 0;
  for (int32_t i = first; i + 5 < first + 2 * columns; i++) {
    const int32_t corners[MSD_CONSTRAINT_FIBER][4] = {
        {i, i + 2, i + 5, -1}, {i + 1, i + 2, i, i + 3}, {i, i + 1, i + 2, -1}, {i, i + 1, i + 2, i + 3}};
    for (int kind = 0; kind < MSD_CONSTRAINT_FIBER; kind++) {
      const int32_t *c = corners[kind];
      msd_constraint_def def = constraint_of((msd_constraint_kind)kind, c[0], c[1], c[2], c[3]);
      give_law(&def, turn / 3 + kind + turn);
      turn++;
      const int32_t index = add_constraint(world, def);
      const msd_real rest = msd_constraint_get_def(world, index).rest;
      ASSERT_OK(world, msd_constraint_set_rest(world, index,
                                               rest + (turn % 2 ? (msd_real)0.0625 : (msd_real)-0.0625)));
    }
  }
}

/* Particles at random places around a line, and fibers of all laws between each four or three that follow
   one another: one to seven over the same corners, one after the other. */
static inline void add_fiber_strip(msd_world *world, int32_t particles, uint64_t seed) {
  generator random = {seed};
  const int32_t first = msd_world_get_particle_count(world);
  for (int32_t i = 0; i < particles; i++) {
    const msd_vec3 shake = random_vector(&random, (msd_real)0.5);
    msd_particle_def p = msd_default_particle_def();
    p.position = (msd_vec3){(msd_real)i / 4 + shake.x, shake.y, shake.z};
    p.velocity = random_vector(&random, (msd_real)0.5);
    p.mass = (msd_real)(1 + i % 4) / 2;
    p.pinned = i % 13 == 5;
    ASSERT_OK(world, msd_add_particles(world, &p, 1, NULL));
  }
  int turn = 0;
  for (int32_t i = first; i + 4 <= first + particles; i++)
    for (int n = 0; n <= (int)(i % 7); n++) {
      msd_constraint_def def = constraint_of(MSD_CONSTRAINT_FIBER, i, i + 1, i + 2, i % 2 ? i + 3 : -1);
      def.weights[0] = 0;
      for (int k = 1; k < 3 + i % 2; k++) {
        def.weights[k] = random_real(&random) + (k == 1);
        def.weights[0] -= def.weights[k];
      }
      def.rest = (msd_real)(1 + turn % 3) / 2;
      give_law(&def, turn++);
      add_constraint(world, def);
    }
}

/* --------------------------------------------------------------------------------------- by definition */

typedef struct point {
  double c[3];
} point;

static inline point point_between(const point *to, const point *from) {
  return (point){{to->c[0] - from->c[0], to->c[1] - from->c[1], to->c[2] - from->c[2]}};
}

static inline point point_cross(point a, point b) {
  return (point){{a.c[1] * b.c[2] - a.c[2] * b.c[1], a.c[2] * b.c[0] - a.c[0] * b.c[2],
                  a.c[0] * b.c[1] - a.c[1] * b.c[0]}};
}

static inline double point_dot(point a, point b) {
  return a.c[0] * b.c[0] + a.c[1] * b.c[1] + a.c[2] * b.c[2];
}

static inline double point_length(point a) {
  return sqrt(point_dot(a, a));
}

/* The definitions of msd/constraint.h. `x` are all particles. */
static inline double defined_value(const msd_constraint_def *def, const point *x) {
  const int32_t *p = def->particles;
  switch (def->kind) {
  case MSD_CONSTRAINT_ANGLE: {
    const point a = point_between(&x[p[0]], &x[p[1]]), b = point_between(&x[p[2]], &x[p[1]]);
    return acos(point_dot(a, b) / (point_length(a) * point_length(b)));
  }
  case MSD_CONSTRAINT_DIHEDRAL: {
    const point e = point_between(&x[p[1]], &x[p[0]]), b = point_between(&x[p[3]], &x[p[0]]);
    const point n1 = point_cross(e, point_between(&x[p[2]], &x[p[0]])), n2 = point_cross(b, e);
    const double angle = acos(point_dot(n1, n2) / (point_length(n1) * point_length(n2)));
    return point_dot(n1, b) > 0 ? angle : -angle;
  }
  case MSD_CONSTRAINT_AREA:
    return point_length(point_cross(point_between(&x[p[1]], &x[p[0]]), point_between(&x[p[2]], &x[p[0]]))) /
           2;
  case MSD_CONSTRAINT_VOLUME:
    return point_dot(point_cross(point_between(&x[p[1]], &x[p[0]]), point_between(&x[p[2]], &x[p[0]])),
                     point_between(&x[p[3]], &x[p[0]])) /
           6;
  case MSD_CONSTRAINT_FIBER: {
    point y = {{0}};
    for (int n = 0; n < 4 && p[n] >= 0; n++)
      for (int c = 0; c < 3; c++)
        y.c[c] += (double)def->weights[n] * x[p[n]].c[c];
    return point_length(y);
  }
  default: {
    double sum = 0; /* tetrahedra from the origin */
    for (int32_t t = 0; t < def->triangle_count; t++) {
      const int32_t *corner = def->triangles + 3 * (size_t)t;
      sum += point_dot(point_cross(x[corner[0]], x[corner[1]]), x[corner[2]]);
    }
    return sum / 6;
  }
  }
}

/* By central differences: to 1e-9 of shapes of the size of 1 m. */
static inline point defined_gradient(const msd_constraint_def *def, point *x, int32_t particle) {
  point gradient;
  for (int c = 0; c < 3; c++) {
    const double was = x[particle].c[c], h = 1e-5;
    x[particle].c[c] = was + h;
    const double above = defined_value(def, x);
    x[particle].c[c] = was - h;
    const double below = defined_value(def, x);
    x[particle].c[c] = was;
    gradient.c[c] = remainder(above - below, 2 * 3.14159265358979323846) / (2 * h);
  }
  return gradient;
}

/* The different corners of a constraint; returns how many. `corners` has room for 3 to a triangle. */
static inline int32_t defined_corners(const msd_constraint_def *def, int32_t *corners) {
  if (def->kind != MSD_CONSTRAINT_MESH_VOLUME) {
    int count = msd_constraint_kind_particles(def->kind);
    while (def->particles[count - 1] < 0)
      count--;
    memcpy(corners, def->particles, (size_t)count * sizeof *corners);
    return count;
  }
  int32_t count = 0;
  for (int32_t n = 0; n < 3 * def->triangle_count; n++) {
    bool known = false;
    for (int32_t c = 0; c < count && !known; c++)
      known = corners[c] == def->triangles[n];
    if (!known)
      corners[count++] = def->triangles[n];
  }
  return count;
}

#endif
