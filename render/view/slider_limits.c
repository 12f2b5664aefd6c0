#include "render/view/slider_limits.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846

/* What a spring weighs as a function of one number v: square v^2 + linear v + constant, in kg. */
typedef struct weight {
  double square, linear, constant;
} weight;

/* A spring with what its weight needs to know. */
typedef struct loaded_spring {
  msd_spring_def def;
  double wa, wb;      /* 1/kg */
  double mass, share; /* kg: 1/(w_a + w_b) and 1/(n_a w_a + n_b w_b) */
  bool is_broken;
} loaded_spring;

typedef struct network_load {
  const msd_world *world;
  double dt;
  loaded_spring *springs;
  int32_t count;
  weight *sums; /* of each particle */
} network_load;

static double inverse_mass(const msd_world *world, int32_t particle) {
  return msd_particle_is_pinned(world, particle) ? 0 : 1 / (double)msd_particle_get_mass(world, particle);
}

static bool load_network(network_load *n, const msd_world *world) {
  size_t particles = (size_t)msd_world_get_particle_count(world);
  n->count = msd_world_get_spring_count(world);
  n->springs = calloc((size_t)n->count + 1, sizeof *n->springs);
  n->sums = calloc(particles + 1, sizeof *n->sums);
  int32_t *valence = calloc(particles + 1, sizeof *valence);
  if (n->springs == NULL || n->sums == NULL || valence == NULL) {
    free(valence);
    return false;
  }
  for (int32_t e = 0; e < n->count; e++) {
    loaded_spring *s = &n->springs[e];
    s->def = msd_spring_get_def(world, e);
    s->wa = inverse_mass(world, s->def.a);
    s->wb = inverse_mass(world, s->def.b);
    s->is_broken = msd_spring_is_broken(world, e) || s->wa + s->wb == 0;
    valence[s->def.a] += !s->is_broken;
    valence[s->def.b] += !s->is_broken;
  }
  for (int32_t e = 0; e < n->count; e++) {
    loaded_spring *s = &n->springs[e];
    if (s->is_broken)
      continue;
    s->mass = 1 / (s->wa + s->wb);
    s->share = 1 / (valence[s->def.a] * s->wa + valence[s->def.b] * s->wb);
  }
  free(valence);
  return true;
}

/* dt^2 k + 2 dt mu of a spring as a function of its first (0) or second (1) number, or of none (-1). */
static weight weight_of(const loaded_spring *s, double dt, int varies) {
  const msd_spring_def *d = &s->def;
  switch (d->law) {
  case MSD_SPRING_COEFFICIENT: {
    double ck = d->ck < 0 ? s->share : s->mass * (double)d->ck;
    double cd = d->cd < 0 ? s->share : s->mass * (double)d->cd;
    return varies == 0   ? (weight){0, s->mass, 2 * cd}
           : varies == 1 ? (weight){0, 2 * s->mass, ck}
                         : (weight){0, 0, ck + 2 * cd};
  }
  case MSD_SPRING_FREQUENCY: {
    double turn = 2 * PI * dt, f = (double)d->frequency, ratio = (double)d->damping_ratio;
    double stiff = s->mass * turn * turn, damped = 4 * s->mass * turn; /* of f^2 and f ratio */
    return varies == 0   ? (weight){stiff, damped * ratio, 0}
           : varies == 1 ? (weight){0, damped * f, stiff * f * f}
                         : (weight){0, 0, stiff * f * f + damped * f * ratio};
  }
  default: {
    double k = dt * dt * (double)d->stiffness, mu = 2 * dt * (double)d->damping;
    return varies == 0   ? (weight){0, dt * dt, mu}
           : varies == 1 ? (weight){0, 2 * dt, k}
                         : (weight){0, 0, k + mu};
  }
  }
}

static void add(weight *sum, weight w, double factor) {
  sum->square += factor * w.square;
  sum->linear += factor * w.linear;
  sum->constant += factor * w.constant;
}

/* The v >= 0 at which it reaches 4: 0 when it is there at once, INFINITY when it never is. */
static double root(weight w) {
  double room = 4 - w.constant, half = w.linear / 2;
  if (room <= 0)
    return w.square > 0 || w.linear > 0 ? 0 : INFINITY; /* not this number's fault */
  double slope = half + sqrt(half * half + room * w.square);
  return slope > 0 ? room / slope : INFINITY;
}

static double limit_of(network_load *n, msd_range group, int number) {
  memset(n->sums, 0, (size_t)msd_world_get_particle_count(n->world) * sizeof *n->sums);
  for (int32_t e = 0; e < n->count; e++) {
    const loaded_spring *s = &n->springs[e];
    if (s->is_broken)
      continue;
    bool varies = e >= group.first && e < group.first + group.count;
    weight w = weight_of(s, n->dt, varies ? number : -1);
    add(&n->sums[s->def.a], w, s->wa);
    add(&n->sums[s->def.b], w, s->wb);
  }
  double least = INFINITY;
  for (int32_t e = 0; e < n->count; e++) {
    const loaded_spring *s = &n->springs[e];
    weight both = n->sums[s->def.a];
    add(&both, n->sums[s->def.b], 1);
    if (!s->is_broken)
      least = fmin(least, root(both));
  }
  return least;
}

static double number_of(const msd_spring_def *d, int number) {
  switch (d->law) {
  case MSD_SPRING_COEFFICIENT:
    return (double)(number == 0 ? d->ck : d->cd);
  case MSD_SPRING_FREQUENCY:
    return (double)(number == 0 ? d->frequency : d->damping_ratio);
  default:
    return (double)(number == 0 ? d->stiffness : d->damping);
  }
}

/* The report knows more: other bounds, and what is no distance spring. With everything c times as heavy the
   radius is c times as large, and a number that grows c times makes nothing heavier than that; a frequency
   c^2. */
static double agree(double limit, const control_group *group, int number, double radius) {
  double now = number_of(&group->pattern, number);
  if (radius >= 4)
    return fmin(limit, now);
  double growth = radius > 0 ? 4 / radius : INFINITY;
  if (group->pattern.law == MSD_SPRING_FREQUENCY && number == 0)
    growth = sqrt(growth);
  return now > 0 ? fmax(limit, growth * now) : limit;
}

void slider_limits_find(controls *c, const scene *s) {
  network_load n = {.world = s->world, .dt = c->stability.time_step};
  bool is_limited = c->limit == MSD_LIMIT_COEFFICIENTS; /* then every number is as good as a smaller one */
  bool done = !is_limited && load_network(&n, s->world);
  for (int g = 0; g < c->group_count; g++)
    for (int number = 0; number < 2; number++) {
      control_group *group = &c->groups[g];
      double limit = done ? limit_of(&n, group->springs, number) : INFINITY;
      group->limit[number] = done ? agree(limit, group, number, c->stability.radius) : INFINITY;
    }
  free(n.springs);
  free(n.sums);
}
