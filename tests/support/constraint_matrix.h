/* What the tests of stability know about constraints independently of the engine's bounds: the stiffness and
   damping matrices of a network at its present shape, from the definitions of the laws, with the Hessians by
   central differences of the gradients; and dense eigenvalues. */
#ifndef MSD_TESTS_SUPPORT_CONSTRAINT_MATRIX_H
#define MSD_TESTS_SUPPORT_CONSTRAINT_MATRIX_H

#include "tests/support/constraints.h"
#include "tests/support/eigenvalue.h"

#include "engine/world/world.h"

enum { MATRIX_PARTICLES = 12, MATRIX_SIZE = 3 * MATRIX_PARTICLES };

typedef struct matrix {
  double at[MATRIX_SIZE][MATRIX_SIZE];
  int size;
} matrix;

static inline spectrum matrix_spectrum(const matrix *given) {
  matrix m = *given;
  return spectrum_of(&m.at[0][0], m.size, MATRIX_SIZE);
}

/* All places of a world as one vector in double. */
typedef struct places {
  double x[MATRIX_SIZE];
} places;

static inline places places_of(const msd_world *world) {
  places all = {{0}};
  for (int32_t i = 0; i < msd_world_get_particle_count(world); i++) {
    const msd_vec3 x = msd_particle_get_position(world, i);
    all.x[3 * i] = (double)x.x, all.x[3 * i + 1] = (double)x.y, all.x[3 * i + 2] = (double)x.z;
  }
  return all;
}

static inline double3 place(const places *all, int32_t i) {
  return (double3){all->x[3 * i], all->x[3 * i + 1], all->x[3 * i + 2]};
}

/* The value of a constraint at those places, and its gradient by all of them. The volume of a mesh is the sum
   of the tetrahedra between its triangles and the origin. */
static inline double shape_at(const msd_constraint_def *def, const places *all,
                              double gradient[MATRIX_SIZE]) {
  memset(gradient, 0, MATRIX_SIZE * sizeof *gradient);
  double value = 0;
  double3 x[4], g[4];
  if (def->kind != MSD_CONSTRAINT_MESH_VOLUME) {
    const constraint_kind *kind = constraint_kind_get(def->kind);
    double weights[4];
    for (int n = 0; n < 4; n++) {
      x[n] = place(all, def->particles[n < kind->corners && def->particles[n] >= 0 ? n : 0]);
      weights[n] = (double)def->weights[n];
    }
    value = kind->shape_double(x, weights, g);
    for (int n = 0; n < kind->corners && def->particles[n] >= 0; n++) {
      double *to = gradient + 3 * def->particles[n];
      to[0] += g[n].x, to[1] += g[n].y, to[2] += g[n].z;
    }
    return value;
  }
  for (int t = 0; t < def->triangle_count; t++) {
    const int32_t *corner = def->triangles + 3 * t;
    for (int n = 0; n < 3; n++) {
      const double3 a = place(all, corner[(n + 1) % 3]), b = place(all, corner[(n + 2) % 3]);
      const double3 area = {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
      double *to = gradient + 3 * corner[n];
      to[0] += area.x / 6, to[1] += area.y / 6, to[2] += area.z / 6;
      if (n == 0) {
        const double3 c = place(all, corner[0]);
        value += (c.x * area.x + c.y * area.y + c.z * area.z) / 6;
      }
    }
  }
  return value;
}

static inline double inverse_mass_of(const msd_world *world, int32_t particle) {
  return msd_particle_is_pinned(world, particle) ? 0 : 1 / (double)msd_particle_get_mass(world, particle);
}

/* k and mu of a constraint at a substep of dt, from the definitions of the laws. */
typedef struct tuning {
  double stiffness, damping;
} tuning;

static inline tuning constraint_tuning_of(const msd_world *world, const msd_constraint_def *def,
                                          const double gradient[MATRIX_SIZE], double dt) {
  double weight = 0, shared = 0;
  for (int32_t i = 0; i < msd_world_get_particle_count(world); i++) {
    const double *g = gradient + 3 * i;
    const double square = inverse_mass_of(world, i) * (g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
    weight += square;
    shared += square * world->model.particles.valence[i];
  }
  const double m = weight > 0 ? 1 / weight : 0, least = shared > 0 ? 1 / shared : 0;
  const double w = 2 * 3.14159265358979323846 * (double)def->frequency;
  switch (def->law) {
  case MSD_SPRING_COEFFICIENT:
    return (tuning){(def->ck < 0 ? least : (double)def->ck * m) / (dt * dt),
                    (def->cd < 0 ? least : (double)def->cd * m) / dt};
  case MSD_SPRING_FREQUENCY:
    return (tuning){m * w * w, 2 * (double)def->damping_ratio * m * w};
  default:
    return (tuning){(double)def->stiffness, (double)def->damping};
  }
}

/* sum += (dt^2 k + 2 dt mu) g g' + dt^2 k C H of one constraint, the second of fibers in any case. */
static inline void add_constraint_matrix(matrix *sum, const msd_world *world, int32_t constraint, double dt,
                                         bool geometric) {
  const msd_constraint_def def = msd_constraint_get_def(world, constraint);
  const places all = places_of(world);
  double g[MATRIX_SIZE], above[MATRIX_SIZE], below[MATRIX_SIZE];
  const double value = shape_at(&def, &all, g);
  const double error = constraint_error_double(constraint_kind_get(def.kind), value, (double)def.rest);
  const tuning t = constraint_tuning_of(world, &def, g, dt);
  for (int i = 0; i < sum->size; i++)
    for (int j = 0; j < sum->size; j++)
      sum->at[i][j] += (dt * dt * t.stiffness + 2 * dt * t.damping) * g[i] * g[j];
  const bool with_hessian = geometric || def.kind == MSD_CONSTRAINT_FIBER;
  for (int i = 0; with_hessian && i < sum->size; i++) {
    const double step = 1e-5;
    places moved = all;
    moved.x[i] = all.x[i] + step;
    shape_at(&def, &moved, above);
    moved.x[i] = all.x[i] - step;
    shape_at(&def, &moved, below);
    for (int j = 0; j < sum->size; j++) {
      const double part = dt * dt * t.stiffness * error * (above[j] - below[j]) / (4 * step);
      sum->at[i][j] += part;
      sum->at[j][i] += part;
    }
  }
}

/* (dt^2 k + 2 dt mu) u u' + dt^2 k (1 - rest/l)(1 - u u') of one spring between its ends. */
static inline void add_spring_matrix(matrix *sum, const msd_world *world, int32_t spring, double dt) {
  const msd_spring_def def = msd_spring_get_def(world, spring);
  const law_terms terms = spring_effective_mass(&world->model.springs, &world->model.particles, spring);
  const law_tuning t = law_tune(&terms, dt, false);
  double u[3];
  const double length = spring_direction(&world->model.springs, &world->model.particles, spring, u);
  const double slack = length > 0 ? 1 - (double)def.rest_length / length : 0;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      const double k = (dt * dt * t.stiffness + 2 * dt * t.damping) * u[i] * u[j] +
                       dt * dt * t.stiffness * slack * ((i == j) - u[i] * u[j]);
      sum->at[3 * def.a + i][3 * def.a + j] += k;
      sum->at[3 * def.b + i][3 * def.b + j] += k;
      sum->at[3 * def.a + i][3 * def.b + j] -= k;
      sum->at[3 * def.b + i][3 * def.a + j] -= k;
    }
}

/* dt^2 K + 2 dt D of the whole network. */
static inline matrix network_matrix(const msd_world *world, double dt, bool geometric) {
  matrix sum = {.size = 3 * msd_world_get_particle_count(world)};
  cr_assert_leq(sum.size, MATRIX_SIZE);
  for (int32_t s = 0; s < msd_world_get_spring_count(world); s++)
    if (!msd_spring_is_broken(world, s))
      add_spring_matrix(&sum, world, s, dt);
  for (int32_t c = 0; c < msd_world_get_constraint_count(world); c++)
    if (!msd_constraint_is_broken(world, c))
      add_constraint_matrix(&sum, world, c, dt, geometric);
  return sum;
}

/* The largest eigenvalue of M^-1 (dt^2 K + 2 dt D), which is below 4 where the linearized step is stable. */
static inline double linear_radius(const msd_world *world, double dt, bool geometric) {
  matrix m = network_matrix(world, dt, geometric);
  for (int i = 0; i < m.size; i++)
    for (int j = 0; j < m.size; j++)
      m.at[i][j] *= sqrt(inverse_mass_of(world, i / 3) * inverse_mass_of(world, j / 3));
  return matrix_spectrum(&m).most;
}

#endif
