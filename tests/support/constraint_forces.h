/* The forces of constraints by their definitions, evaluated plainly. */
#ifndef MSD_TESTS_SUPPORT_CONSTRAINT_FORCES_H
#define MSD_TESTS_SUPPORT_CONSTRAINT_FORCES_H

#include "tests/support/constraints.h"
#include "tests/support/laboratory.h"

/* All particles of a world in double. */
typedef struct system {
  int32_t count;
  point *x, *v;
  double *weight; /* 1/kg */
} system_state;

static inline system_state copy_system(const msd_world *world) {
  const int32_t count = msd_world_get_particle_count(world);
  system_state s = {count, calloc((size_t)count, sizeof *s.x), calloc((size_t)count, sizeof *s.v),
                    calloc((size_t)count, sizeof *s.weight)};
  cr_assert(s.x && s.v && s.weight);
  for (int32_t i = 0; i < count; i++) {
    const msd_vec3 x = msd_particle_get_position(world, i), v = msd_particle_get_velocity(world, i);
    s.x[i] = (point){{(double)x.x, (double)x.y, (double)x.z}};
    s.v[i] = (point){{(double)v.x, (double)v.y, (double)v.z}};
    s.weight[i] = msd_particle_is_pinned(world, i) ? 0 : 1 / (double)msd_particle_get_mass(world, i);
  }
  return s;
}

static inline void free_system(system_state *s) {
  free(s->x);
  free(s->v);
  free(s->weight);
}

/* n of the stiffest coefficients. */
static inline int32_t *count_valence(const msd_world *world, int32_t *corners) {
  int32_t *valence = calloc((size_t)msd_world_get_particle_count(world) + 1, sizeof *valence);
  cr_assert_not_null(valence);
  for (int32_t s = 0; s < msd_world_get_spring_count(world); s++) {
    const msd_spring_def def = msd_spring_get_def(world, s);
    valence[def.a] += !msd_spring_is_broken(world, s);
    valence[def.b] += !msd_spring_is_broken(world, s);
  }
  for (int32_t c = 0; c < msd_world_get_constraint_count(world); c++) {
    const msd_constraint_def def = msd_constraint_get_def(world, c);
    const int32_t count = defined_corners(&def, corners);
    for (int32_t n = 0; n < count && !msd_constraint_is_broken(world, c); n++)
      valence[corners[n]]++;
  }
  return valence;
}

static inline double inverse(double a) {
  return a > 0 ? 1 / a : 0;
}

/* Where the particles of a constraint were when it was added. */
static point *placed;
static int32_t placed_count;

static inline void keep_places(const msd_world *world) {
  const system_state s = copy_system(world);
  placed = realloc(placed, (size_t)s.count * sizeof *placed);
  cr_assert_not_null(placed);
  for (int32_t i = placed_count; i < s.count; i++)
    placed[i] = s.x[i];
  placed_count = s.count;
  free(s.x), free(s.v), free(s.weight);
}

/* 1/sum w |g|^2 and 1/sum n w |g|^2 at some places. */
typedef struct masses {
  double whole, shared;
} masses;

static inline masses masses_at(const msd_constraint_def *def, const int32_t *corners, int32_t count, point *x,
                               const double *weight, const int32_t *valence) {
  masses sum = {0, 0};
  for (int32_t n = 0; n < count; n++) {
    const point g = defined_gradient(def, x, corners[n]);
    const double squared = weight[corners[n]] * point_dot(g, g);
    sum.whole += squared;
    sum.shared += valence[corners[n]] * squared;
  }
  return (masses){inverse(sum.whole), inverse(sum.shared)};
}

/* k and mu of a law, by the words of msd/constraint.h: a coefficient is at no shape more than at that in which
   it was placed; others are not softened here. */
static inline void tune(const msd_constraint_def *def, masses then, masses now, double dt, double *k,
                        double *mu) {
  const double w = 2 * PI * (double)def->frequency;
  *k = (double)def->stiffness, *mu = (double)def->damping;
  if (def->law == MSD_SPRING_COEFFICIENT) {
    const bool shared = def->ck < 0 || def->cd < 0;
    const double left = fmin(1, shared ? now.shared / then.shared : now.whole / then.whole);
    *k = left * (def->ck < 0 ? then.shared : (double)def->ck * then.whole) / (dt * dt);
    *mu = left * (def->cd < 0 ? then.shared : (double)def->cd * then.whole) / dt;
  } else if (def->law == MSD_SPRING_FREQUENCY) {
    *k = then.whole * w * w;
    *mu = 2 * (double)def->damping_ratio * then.whole * w;
  }
}

/* Adds -(k C + mu C') dC/dx of all constraints at a state. */
static inline void add_forces(const msd_world *world, system_state *s, double dt, point *force) {
  int32_t corners[3 * 512];
  int32_t *valence = count_valence(world, corners);
  const bool limited = msd_world_get_clamp_stiffness(world);
  for (int32_t c = 0; c < msd_world_get_constraint_count(world); c++) {
    const msd_constraint_def def = msd_constraint_get_def(world, c);
    if (msd_constraint_is_broken(world, c))
      continue;
    const int32_t count = defined_corners(&def, corners);
    double error = defined_value(&def, s->x) - (double)def.rest, rate = 0, k, mu;
    if (def.kind == MSD_CONSTRAINT_DIHEDRAL)
      error = remainder(error, 2 * PI);
    const masses now = masses_at(&def, corners, count, s->x, s->weight, valence);
    const masses then = masses_at(&def, corners, count, placed, s->weight, valence);
    for (int32_t n = 0; n < count; n++)
      rate += point_dot(defined_gradient(&def, s->x, corners[n]), s->v[corners[n]]);
    tune(&def, then, limited ? then : now, dt, &k, &mu);
    if (limited) {
      k = fmin(k, now.shared / (dt * dt));
      mu = fmin(mu, now.shared / dt);
    }
    for (int32_t n = 0; n < count; n++) {
      const point g = defined_gradient(&def, s->x, corners[n]);
      for (int a = 0; a < 3; a++)
        force[corners[n]].c[a] -= (k * error + mu * rate) * g.c[a];
    }
  }
  free(valence);
}

#endif
