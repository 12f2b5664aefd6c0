#include "engine/builder/builder.h"

#include <stdio.h>

#include <float.h>
#include <math.h>

bool builder_is_storable(double value) {
  return fabs(value) <= (sizeof(msd_real) == sizeof(float) ? (double)FLT_MAX : DBL_MAX);
}

bool builder_is_usable_mass(double mass) {
  return builder_is_storable(mass) && particle_inverse((msd_real)mass) > 0;
}

msd_result builder_check_vector(msd_world *world, const char *body, const char *field, msd_vec3 v) {
  if (builder_is_storable((double)v.x) && builder_is_storable((double)v.y) &&
      builder_is_storable((double)v.z))
    return MSD_OK;
  return world_fail(world, MSD_BAD_VALUE, "%s: %s is (%g, %g, %g); it must be finite", body, field,
                    (double)v.x, (double)v.y, (double)v.z);
}

msd_result builder_check_at_least(msd_world *world, const char *body, const char *field, int32_t value,
                                  int32_t least) {
  if (value >= least)
    return MSD_OK;
  return world_fail(world, MSD_BAD_VALUE, "%s: %s is %d; it must be %d or more", body, field, (int)value,
                    (int)least);
}

msd_result builder_check_def(msd_world *world, const char *body, bool made) {
  if (!world_is_open(world))
    return fail_locked(world);
  if (made)
    return MSD_OK;
  return world_fail(world, MSD_UNINITIALIZED_DEF, "%s: the definition was not made by msd_default_%s_def",
                    body, body);
}

msd_result builder_check_pattern(msd_world *world, const char *body, const char *group,
                                 const msd_spring_def *pattern) {
  const subject about = {body, -1, group};
  const msd_result result = check_cookie(&world->model.report, about, &pattern->cookie, MSD_SPRING_COOKIE);
  return result == MSD_OK && builder_wants(pattern) ? spring_check_law(&world->model.report, pattern, about)
                                                    : result;
}

msd_result builder_check_bend_kind(msd_world *world, const char *body, msd_bend_kind kind, unsigned kinds) {
  static const char *const names[] = {[MSD_BEND_DISTANCE] = "MSD_BEND_DISTANCE",
                                      [MSD_BEND_ANGLE] = "MSD_BEND_ANGLE",
                                      [MSD_BEND_DIHEDRAL] = "MSD_BEND_DIHEDRAL"};
  if ((unsigned)kind < MSD_BEND_KIND_COUNT && kinds >> (unsigned)kind & 1)
    return MSD_OK;
  char choice[80] = "";
  for (unsigned k = 0, used = 0; k < MSD_BEND_KIND_COUNT; k++)
    if (kinds >> k & 1)
      used += (unsigned)snprintf(choice + used, sizeof choice - used, "%s%s", used ? " or " : "", names[k]);
  return world_fail(world, MSD_BAD_VALUE, "%s: bend_kind is %d; it must be %s", body, (int)kind, choice);
}

msd_result builder_check_vertices(msd_world *world, const char *body, const msd_vec3 *vertices,
                                  int32_t count) {
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
  for (int32_t v = 0; v < count; v++) {
    double p[3];
    vec3_components(vertices[v], p);
    for (int c = 0; c < 3; c++) {
      if (!builder_is_storable(p[c]))
        return world_fail(world, MSD_BAD_VALUE, "%s: vertex %d is (%g, %g, %g); it must be finite", body,
                          (int)v, p[0], p[1], p[2]);
      low[c] = fmin(low[c], p[c]);
      high[c] = fmax(high[c], p[c]);
    }
  }
  double square = 0.0;
  for (int c = 0; c < 3; c++)
    square += (high[c] - low[c]) * (high[c] - low[c]);
  if (!builder_is_storable(square))
    return world_fail(world, MSD_BAD_VALUE,
                      "%s: its vertices are too far apart: the squares of its lengths must be finite", body);
  return MSD_OK;
}

static const int64_t COUNT_MAX = INT64_MAX / 4;

int64_t builder_product(int64_t a, int64_t b) {
  return b > 0 && a > COUNT_MAX / b ? COUNT_MAX : a * b;
}

int64_t builder_sum(int64_t a, int64_t b) {
  return a > COUNT_MAX - b ? COUNT_MAX : a + b;
}

double builder_six_volumes(msd_vec3 a, msd_vec3 b, msd_vec3 c, msd_vec3 d) {
  double origin[3], u[3], v[3], w[3];
  vec3_components(a, origin);
  vec3_components(b, u);
  vec3_components(c, v);
  vec3_components(d, w);
  for (int i = 0; i < 3; i++) {
    u[i] -= origin[i];
    v[i] -= origin[i];
    w[i] -= origin[i];
  }
  return (u[1] * v[2] - u[2] * v[1]) * w[0] + (u[2] * v[0] - u[0] * v[2]) * w[1] +
         (u[0] * v[1] - u[1] * v[0]) * w[2];
}

msd_result builder_reserve(msd_world *world, const world_size *size, bool laws_differ, msd_body *body) {
  msd_result result = world_reserve(world, size);
  if (result == MSD_OK)
    result = world_reserve_laws(world, laws_differ);
  if (result != MSD_OK)
    return result;
  body->particles = (msd_range){msd_world_get_particle_count(world), (int32_t)size->particles};
  body->springs = (msd_range){msd_world_get_spring_count(world), (int32_t)size->springs};
  body->constraints = (msd_range){msd_world_get_constraint_count(world), (int32_t)size->constraints};
  return MSD_OK;
}

msd_result builder_hand_over(msd_result result, const msd_body *made, msd_body *body) {
  if (body)
    *body = result == MSD_OK ? *made : (msd_body){0};
  return result;
}

msd_spring_def builder_pattern(msd_spring_law kind) {
  msd_spring_def def = msd_default_spring_def();
  def.law = kind;
  return def;
}

msd_result builder_add_vertices(msd_world *world, const msd_vec3 *vertices, const double *mass,
                                int32_t count) {
  msd_particle_def defs[BUILDER_BATCH];
  for (int32_t v = 0; v < count; v += BUILDER_BATCH) {
    const int32_t left = count - v, some = left < BUILDER_BATCH ? left : BUILDER_BATCH;
    for (int32_t d = 0; d < some; d++) {
      defs[d] = msd_default_particle_def();
      defs[d].position = vertices[v + d];
      defs[d].mass = (msd_real)mass[v + d];
    }
    const msd_result result = msd_add_particles(world, defs, some, NULL);
    if (result != MSD_OK)
      return result;
  }
  return MSD_OK;
}

void builder_springs_begin(builder_springs *springs, msd_world *world, const msd_spring_def *pattern) {
  springs->world = world;
  springs->range = (msd_range){msd_world_get_spring_count(world), 0};
  springs->pattern = *pattern;
  springs->stiffness = pattern->stiffness;
  springs->waiting = 0;
}

static msd_result flush(builder_springs *springs) {
  const spring_batch batch = {&springs->pattern, (const int32_t(*)[2])springs->ends, springs->rest,
                              springs->each_stiffness, springs->waiting};
  const msd_result result = spring_add_batch(springs->world, &batch);
  springs->range.count += result == MSD_OK ? springs->waiting : 0;
  springs->waiting = 0;
  return result;
}

msd_result builder_springs_add_resting(builder_springs *springs, int32_t a, int32_t b, double rest) {
  const int n = springs->waiting++;
  springs->ends[n][0] = a;
  springs->ends[n][1] = b;
  springs->rest[n] = (msd_real)rest;
  springs->each_stiffness[n] = springs->stiffness;
  return springs->waiting == BUILDER_BATCH ? flush(springs) : MSD_OK;
}

msd_result builder_springs_add(builder_springs *springs, int32_t a, int32_t b) {
  return builder_springs_add_resting(springs, a, b, -1);
}

msd_result builder_springs_end(builder_springs *springs, msd_range *range) {
  const msd_result result = flush(springs);
  *range = springs->range;
  return result;
}

msd_constraint_def builder_constraint(msd_constraint_kind kind, const msd_spring_def *pattern) {
  msd_constraint_def def = msd_default_constraint_def();
  def.kind = kind;
  LAW_WRITE(&def, law_read(LAW_FIELDS(pattern)));
  return def;
}

void builder_constraints_begin(builder_constraints *constraints, msd_world *world, msd_constraint_kind kind,
                               const msd_spring_def *pattern) {
  constraints->world = world;
  constraints->range = (msd_range){msd_world_get_constraint_count(world), 0};
  constraints->stiffness = pattern->stiffness;
  constraints->compression = 1;
  for (int c = 0; c < 4; c++)
    constraints->weights[c] = 0;
  constraints->waiting = 0;
  for (int i = 0; i < BUILDER_BATCH; i++)
    constraints->defs[i] = builder_constraint(kind, pattern);
}

static void flush_constraints(builder_constraints *constraints) {
  if (constraints->waiting > 0)
    constraint_add(constraints->world, constraints->defs, constraints->waiting);
  constraints->range.count += constraints->waiting;
  constraints->waiting = 0;
}

void builder_constraints_add(builder_constraints *constraints, const int32_t particles[]) {
  msd_constraint_def *def = &constraints->defs[constraints->waiting++];
  for (int c = 0; c < msd_constraint_kind_particles(def->kind); c++)
    def->particles[c] = particles[c];
  for (int c = 0; c < 4; c++)
    def->weights[c] = constraints->weights[c];
  def->stiffness = constraints->stiffness;
  def->compression_factor = constraints->compression;
  if (constraints->waiting == BUILDER_BATCH)
    flush_constraints(constraints);
}

void builder_constraints_end(builder_constraints *constraints, msd_range *range) {
  flush_constraints(constraints);
  *range = constraints->range;
}
