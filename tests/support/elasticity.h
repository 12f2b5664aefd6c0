/* What a body gives way to, by linear statics from the definitions of its springs and constraints alone: in
   double, at the places of its particles, and by no code of the step. */
#ifndef MSD_TESTS_SUPPORT_ELASTICITY_H
#define MSD_TESTS_SUPPORT_ELASTICITY_H

#include "tests/support/laboratory.h"

#include "engine/constraint/kind.h"

#include <stdlib.h>
#include <string.h>

/* Energy 1/2 k (sum of g . x)^2 in the displacements x of the particles. */
typedef struct elastic_term {
  int corners;
  int32_t particle[4];
  double3 gradient[4];
  double stiffness;
} elastic_term;

typedef struct elastic {
  elastic_term *terms;
  int32_t term_count, particles;
  double3 *rest;
  /* 3 for each particle: whether it may move along that axis. */
  bool *is_free;
} elastic;

static inline double elastic_dot(double3 a, double3 b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline elastic elastic_of(const msd_world *world) {
  const int32_t springs = msd_world_get_spring_count(world), all = msd_world_get_constraint_count(world);
  elastic e = {.particles = msd_world_get_particle_count(world), .term_count = springs + all};
  e.terms = calloc((size_t)e.term_count + 1, sizeof *e.terms);
  e.rest = calloc((size_t)e.particles, sizeof *e.rest);
  e.is_free = calloc(3 * (size_t)e.particles, sizeof *e.is_free);
  cr_assert(e.terms && e.rest && e.is_free);
  for (int32_t i = 0; i < e.particles; i++) {
    const msd_vec3 p = msd_particle_get_position(world, i);
    e.rest[i] = (double3){(double)p.x, (double)p.y, (double)p.z};
  }
  for (int32_t s = 0; s < springs; s++) {
    const msd_spring_def def = msd_spring_get_def(world, s);
    const double3 a = e.rest[def.a], b = e.rest[def.b];
    const double3 d = {a.x - b.x, a.y - b.y, a.z - b.z};
    const double length = sqrt(elastic_dot(d, d));
    const double3 u = {d.x / length, d.y / length, d.z / length};
    e.terms[s] = (elastic_term){2, {def.a, def.b}, {u, {-u.x, -u.y, -u.z}}, (double)def.stiffness};
  }
  for (int32_t c = 0; c < all; c++) {
    const msd_constraint_def def = msd_constraint_get_def(world, c);
    const constraint_kind *kind = constraint_kind_get(def.kind);
    elastic_term *term = &e.terms[springs + c];
    const int corners = kind->corners == 4 && def.particles[3] < 0 ? 3 : kind->corners; /* a fiber's */
    double3 at[4];
    double weights[4];
    for (int n = 0; n < 4; n++) {
      at[n] = e.rest[def.particles[n < corners ? n : 0]];
      weights[n] = (double)def.weights[n];
    }
    *term = (elastic_term){.corners = corners, .stiffness = (double)def.stiffness};
    memcpy(term->particle, def.particles, sizeof term->particle);
    kind->shape_double(at, weights, term->gradient);
  }
  return e;
}

static inline void elastic_free(elastic *e) {
  free(e->terms);
  free(e->rest);
  free(e->is_free);
}

/* The forces that displacements ask for, 3 for each particle; returns twice the energy. */
static inline double elastic_forces(const elastic *e, const double *x, double *force) {
  double energy = 0;
  memset(force, 0, 3 * (size_t)e->particles * sizeof *force);
  for (int32_t t = 0; t < e->term_count; t++) {
    const elastic_term *term = &e->terms[t];
    double change = 0;
    for (int n = 0; n < term->corners; n++) {
      const double *at = x + 3 * term->particle[n];
      change += elastic_dot(term->gradient[n], (double3){at[0], at[1], at[2]});
    }
    energy += term->stiffness * change * change;
    for (int n = 0; n < term->corners; n++) {
      double *to = force + 3 * term->particle[n];
      to[0] += term->stiffness * change * term->gradient[n].x;
      to[1] += term->stiffness * change * term->gradient[n].y;
      to[2] += term->stiffness * change * term->gradient[n].z;
    }
  }
  return energy;
}

/* Where the free ones go under a load, 3 numbers for each particle, which are written to x: by conjugate
   gradients, until what is left of the load is 1e-10 of it. */
static inline void elastic_solve(const elastic *e, const double *load, double *x) {
  const int32_t size = 3 * e->particles;
  double *left = calloc(3 * (size_t)size, sizeof *left), *along = left + size, *force = along + size;
  cr_assert_not_null(left);
  double squares = 0;
  for (int32_t i = 0; i < size; i++) {
    x[i] = 0;
    along[i] = left[i] = e->is_free[i] ? load[i] : 0;
    squares += left[i] * left[i];
  }
  const double enough = 1e-20 * squares;
  for (int32_t n = 0; n < 40 * size && squares > enough; n++) {
    const double far = squares / elastic_forces(e, along, force);
    double now = 0;
    for (int32_t i = 0; i < size; i++) {
      x[i] += far * along[i];
      left[i] -= e->is_free[i] ? far * force[i] : 0;
      now += left[i] * left[i];
    }
    for (int32_t i = 0; i < size; i++)
      along[i] = left[i] + now / squares * along[i];
    squares = now;
  }
  cr_assert_leq(squares, enough);
  free(left);
}

/* Twice the energy of a uniform strain, symmetric, as xx yy zz yz xz xy with shears as tensors have them.
   Writes the largest force on what `is_inside` finds, if it is not NULL, over the largest at the border: 0
   where the strain is that of rest. */
static inline double elastic_strained(const elastic *e, const double strain[6], bool (*is_inside)(double3),
                                      double *unrest) {
  double *x = calloc(6 * (size_t)e->particles, sizeof *x), *force = x + 3 * e->particles;
  cr_assert_not_null(x);
  for (int32_t i = 0; i < e->particles; i++) {
    const double3 p = e->rest[i];
    x[3 * i] = strain[0] * p.x + strain[5] * p.y + strain[4] * p.z;
    x[3 * i + 1] = strain[5] * p.x + strain[1] * p.y + strain[3] * p.z;
    x[3 * i + 2] = strain[4] * p.x + strain[3] * p.y + strain[2] * p.z;
  }
  const double energy = elastic_forces(e, x, force);
  double inside = 0, border = 0;
  for (int32_t i = 0; i < e->particles; i++)
    for (int c = 0; c < 3; c++) {
      double *most = is_inside && is_inside(e->rest[i]) ? &inside : &border;
      *most = fmax(*most, fabs(force[3 * i + c]));
    }
  *unrest = inside / border;
  free(x);
  return energy;
}

#endif
