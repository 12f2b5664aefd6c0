/* The public functions of msd/constraint.h: what they check, and what they touch. */

#include "engine/base/float_environment.h"
#include "engine/base/vec3.h"
#include "engine/world/world.h"

#include <stdio.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------- checks */

/* How the messages about a constraint, or about a definition, begin. */
typedef struct constraint_place {
  char text[40];
} constraint_place;

static constraint_place place_of(const char *what, int index) {
  constraint_place place;
  snprintf(place.text, sizeof place.text, "%s %d: ", what, index);
  return place;
}

bool world_has_constraint(msd_world *world, int32_t constraint) {
  if (world && constraint >= 0 && constraint < world->model.constraints.count)
    return true;
  if (world)
    world_fail(world, MSD_BAD_INDEX, "there is no constraint %d; the world has %d", (int)constraint,
               (int)world->model.constraints.count);
  return false;
}

static msd_result check_law(msd_world *world, const msd_constraint_def *def, const char *place) {
  if (def->cookie != MSD_CONSTRAINT_COOKIE)
    return world_fail(world, MSD_BAD_DEF, "%sthe definition was not made by msd_default_constraint_def",
                      place);
  return law_check(&world->model.report, LAW_FIELDS(def), place);
}

static msd_result check_mesh(msd_world *world, const msd_constraint_def *def, const char *place) {
  const msd_result result = constraint_check_mesh(&world->model.report, &world->model.memory, def->triangles,
                                                  def->triangle_count, place);
  for (int32_t n = 0; result == MSD_OK && n < 3 * def->triangle_count; n++)
    if (def->triangles[n] >= world->model.particles.count)
      return world_fail(world, MSD_BAD_INDEX, "%striangle %d has particle %d; the world has %d particles",
                        place, (int)(n / 3), (int)def->triangles[n], (int)world->model.particles.count);
  return result;
}

static msd_result check_corners(msd_world *world, const msd_constraint_def *def, int corners,
                                const char *place) {
  if (def->triangle_count != 0)
    return world_fail(world, MSD_BAD_VALUE, "%striangle_count is %d; only a mesh_volume has triangles", place,
                      (int)def->triangle_count);
  for (int n = 0; n < corners; n++) {
    const int32_t particle = def->particles[n];
    if (particle < 0 || particle >= world->model.particles.count)
      return world_fail(world, MSD_BAD_INDEX, "%sparticles[%d] is %d; the world has %d particles", place, n,
                        (int)particle, (int)world->model.particles.count);
    for (int other = 0; other < n; other++)
      if (def->particles[other] == particle)
        return world_fail(world, MSD_BAD_INDEX, "%sparticles[%d] and particles[%d] are both %d", place, other,
                          n, (int)particle);
  }
  return MSD_OK;
}

static msd_result check_def(msd_world *world, const msd_constraint_def *def, const char *place) {
  msd_result result = check_law(world, def, place);
  if (result != MSD_OK)
    return result;
  const constraint_kind *kind = constraint_kind_get(def->kind);
  if (!kind)
    return world_fail(world, MSD_BAD_VALUE, "%skind is %d; it must be one of msd_constraint_kind", place,
                      (int)def->kind);
  result = def->kind == MSD_CONSTRAINT_MESH_VOLUME ? check_mesh(world, def, place)
                                                   : check_corners(world, def, kind->corners, place);
  if (result != MSD_OK)
    return result;
  if (!isfinite(def->rest))
    return world_fail(world, MSD_BAD_VALUE, "%srest is %g; it must be finite", place, (double)def->rest);
  if (def->rest == MSD_AS_PLACED &&
      !isfinite((msd_real)constraint_placed_value(&world->model.particles, def)))
    return world_fail(world, MSD_BAD_VALUE, "%sits particles are too far apart for the %s between them",
                      place, kind->name);
  return MSD_OK;
}

/* ------------------------------------------------------------------------------------------ adding */

/* Bytes that a step takes for a constraint and for a triangle of a mesh beside their definitions; an estimate
   that only keeps hopeless requests from being tried. */
enum { STEP_BYTES_PER_CONSTRAINT = 160, STEP_BYTES_PER_TRIANGLE = 40 };

/* Half as much again, so that adding one by one costs little. */
static int64_t grown(int64_t needed, int64_t capacity, int64_t most) {
  const int64_t roomy = capacity + capacity / 2;
  return needed > capacity && roomy > needed ? (roomy < most ? roomy : most) : needed;
}

msd_result constraint_reserve(msd_world *world, int64_t constraints, int64_t meshes, int64_t triangles) {
  constraint_store *s = &world->model.constraints;
  memory *m = &world->model.memory;
  const int64_t most = INT64_MAX / 4; /* of what is asked for: still safe to add to */
  const int64_t all = s->count + (constraints < most ? constraints : most);
  const int64_t all_triangles = s->triangle_count + (triangles < most ? triangles : most);
  const double estimate = (double)all * (18 + 3 * sizeof(msd_real) + STEP_BYTES_PER_CONSTRAINT) +
                          (double)all_triangles * (24 + 12 + STEP_BYTES_PER_TRIANGLE);
  if (all > CONSTRAINTS_MAX || all_triangles > CONSTRAINT_TRIANGLES_MAX || estimate > (double)m->limit)
    return world_fail(
        world, MSD_TOO_LARGE,
        "%lld constraints with %lld triangles would take about %.3g GB; memory_limit is %.3g GB and "
        "indices end at %d and %d",
        (long long)all, (long long)all_triangles, estimate / 1e9, (double)m->limit / 1e9,
        (int)CONSTRAINTS_MAX, (int)CONSTRAINT_TRIANGLES_MAX);
  m->over_limit = false;
  const int64_t all_meshes = s->mesh_count + meshes;
  if (constraint_store_reserve(s, m, grown(all, s->capacity, CONSTRAINTS_MAX),
                               grown(all_meshes, s->mesh_capacity, CONSTRAINTS_MAX),
                               grown(all_triangles, s->triangle_capacity, CONSTRAINT_TRIANGLES_MAX)) ||
      (m->over_limit && constraint_store_reserve(s, m, all, all_meshes, all_triangles)))
    return MSD_OK;
  return world_fail(world, MSD_OUT_OF_MEMORY, "no memory for %lld constraints (about %.3g GB)",
                    (long long)all, estimate / 1e9);
}

int32_t constraint_add(msd_world *world, const msd_constraint_def *defs, int count) {
  constraint_store *s = &world->model.constraints;
  const int32_t first = s->count;
  for (int n = 0; n < count; n++) {
    msd_constraint_def def = defs[n];
    if (def.rest == MSD_AS_PLACED)
      def.rest = (msd_real)constraint_placed_value(&world->model.particles, &def);
    constraint_count_valence(s, &world->model.particles, constraint_store_append(s, &def), 1);
  }
  if (count > 0)
    world->model.revision.constraints++;
  return first;
}

msd_result msd_add_constraints(msd_world *world, const msd_constraint_def *defs, int count, int32_t *first) {
  DEFAULT_FLOAT_ENVIRONMENT;
  if (!world)
    return MSD_BAD_VALUE;
  if (count < 0 || (count > 0 && !defs))
    return world_fail(world, MSD_BAD_VALUE, "msd_add_constraints: count is %d and defs %s", count,
                      defs ? "set; count must be 0 or more" : "NULL");
  int64_t meshes = 0, triangles = 0;
  for (int n = 0; n < count; n++) {
    const msd_result result = check_def(world, &defs[n], place_of("constraint definition", n).text);
    if (result != MSD_OK)
      return result;
    meshes += defs[n].kind == MSD_CONSTRAINT_MESH_VOLUME;
    triangles += defs[n].triangle_count;
  }
  constraint_store *s = &world->model.constraints;
  const uintptr_t begin = (uintptr_t)s->triangles,
                  end = begin + 3 * (size_t)s->triangle_count * sizeof(int32_t);
  const msd_result result = constraint_reserve(world, count, meshes, triangles);
  if (result != MSD_OK)
    return result;
  if (first)
    *first = s->count;
  for (int n = 0; n < count; n++) {
    msd_constraint_def def = defs[n];
    /* The triangles of msd_constraint_get_def have moved with the store. */
    if ((uintptr_t)def.triangles >= begin && (uintptr_t)def.triangles < end)
      def.triangles = s->triangles + ((uintptr_t)def.triangles - begin) / sizeof(int32_t);
    constraint_add(world, &def, 1);
  }
  return MSD_OK;
}

/* ------------------------------------------------------------------------------- asking and changing */

msd_constraint_def msd_default_constraint_def(void) {
  return (msd_constraint_def){.kind = MSD_CONSTRAINT_ANGLE,
                              .particles = {-1, -1, -1, -1},
                              .rest = MSD_AS_PLACED,
                              .law = MSD_SPRING_PHYSICAL,
                              .ck = MSD_STIFFEST,
                              .cd = MSD_STIFFEST,
                              .cookie = MSD_CONSTRAINT_COOKIE};
}

int32_t msd_world_get_constraint_count(const msd_world *world) {
  return world ? world->model.constraints.count : 0;
}

static bool is_constraint(const msd_world *world, int32_t constraint) {
  return world && constraint >= 0 && constraint < world->model.constraints.count;
}

msd_constraint_def msd_constraint_get_def(const msd_world *world, int32_t constraint) {
  msd_constraint_def def = msd_default_constraint_def();
  if (!is_constraint(world, constraint))
    return def;
  const constraint_store *s = &world->model.constraints;
  def.kind = (msd_constraint_kind)s->kind[constraint];
  def.rest = s->rest[constraint];
  if (constraint_is_mesh(s, constraint)) {
    const constraint_mesh *mesh = constraint_mesh_of(s, constraint);
    def.triangles = s->triangles + 3 * (size_t)mesh->first_triangle;
    def.triangle_count = mesh->triangle_count;
  } else {
    memcpy(def.particles, constraint_corners_of(s, constraint).particles, sizeof def.particles);
  }
  LAW_WRITE(&def, s->laws[constraint]);
  return def;
}

msd_result msd_constraint_set_law(msd_world *world, int32_t constraint, const msd_constraint_def *def) {
  if (!world_has_constraint(world, constraint))
    return MSD_BAD_INDEX;
  const constraint_place place = place_of("constraint", (int)constraint);
  if (!def)
    return world_fail(world, MSD_BAD_DEF, "%sthe definition is NULL", place.text);
  const msd_result result = check_law(world, def, place.text);
  if (result != MSD_OK)
    return result;
  world->model.constraints.laws[constraint] = law_read(LAW_FIELDS(def));
  world->model.revision.definitions++;
  return MSD_OK;
}

msd_result msd_constraint_set_rest(msd_world *world, int32_t constraint, msd_real rest) {
  DEFAULT_FLOAT_ENVIRONMENT;
  if (!world_has_constraint(world, constraint))
    return MSD_BAD_INDEX;
  constraint_store *s = &world->model.constraints;
  if (rest == MSD_AS_PLACED)
    rest = (msd_real)constraint_measure(s, &world->model.particles, constraint).value;
  if (!isfinite(rest))
    return world_fail(world, MSD_BAD_VALUE, "constraint %d: rest is %g; it must be finite", (int)constraint,
                      (double)rest);
  s->rest[constraint] = constraint_kind_rest(constraint_kind_of(s, constraint), rest);
  stepper_set_constraint_rest(&world->stepper, constraint, s->rest[constraint]);
  return MSD_OK;
}

msd_result msd_constraint_break(msd_world *world, int32_t constraint) {
  if (!world_has_constraint(world, constraint))
    return MSD_BAD_INDEX;
  constraint_store *s = &world->model.constraints;
  if (constraint_is_broken(s, constraint))
    return MSD_OK;
  s->is_broken[constraint] = true;
  s->broken++;
  constraint_count_valence(s, &world->model.particles, constraint, -1);
  world->model.revision.definitions++;
  return MSD_OK;
}

bool msd_constraint_is_broken(const msd_world *world, int32_t constraint) {
  return is_constraint(world, constraint) && constraint_is_broken(&world->model.constraints, constraint);
}

double msd_constraint_get_value(const msd_world *world, int32_t constraint) {
  DEFAULT_FLOAT_ENVIRONMENT;
  return is_constraint(world, constraint)
             ? constraint_measure(&world->model.constraints, &world->model.particles, constraint).value
             : 0;
}

double msd_constraint_get_tension(const msd_world *world, int32_t constraint) {
  DEFAULT_FLOAT_ENVIRONMENT;
  if (!is_constraint(world, constraint))
    return 0;
  const constraint_shape shape =
      constraint_measure(&world->model.constraints, &world->model.particles, constraint);
  const law_tuning tuning = constraint_present_tuning(&world->model.constraints, constraint, &shape,
                                                      world->model.tuned_step, world->model.limit);
  return tuning.stiffness * shape.error + tuning.damping * shape.rate;
}
