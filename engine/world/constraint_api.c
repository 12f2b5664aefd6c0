/* Public functions of msd/constraint.h: argument checks, and changes of the world. */

#include "engine/base/float_environment.h"
#include "engine/base/vec3.h"
#include "engine/world/world.h"

#include <math.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------- checks */

static msd_result check_law(report *r, const msd_constraint_def *def, subject about) {
  const msd_result result = check_cookie(r, about, def ? &def->cookie : NULL, MSD_CONSTRAINT_COOKIE);
  return result == MSD_OK ? law_check(r, LAW_FIELDS(def), about) : result;
}

static msd_result check_mesh(msd_world *world, const msd_constraint_def *def, subject about) {
  const msd_result result = constraint_check_mesh(&world->model.report, &world->model.memory, def->triangles,
                                                  def->triangle_count, about);
  for (int32_t n = 0; result == MSD_OK && n < 3 * def->triangle_count; n++)
    if (!world_has(world, MSD_OBJECT_PARTICLE, def->triangles[n]))
      return world_refuse_particle(world, about, "triangle", n / 3, def->triangles[n]);
  return result;
}

static msd_result check_corners(msd_world *world, const msd_constraint_def *def, int corners, subject about) {
  static const char *const names[] = {"particles[0]", "particles[1]", "particles[2]", "particles[3]"};
  if (def->triangle_count != 0)
    return fail_field(world, MSD_BAD_VALUE, about, "triangle_count is %d; only a mesh_volume has triangles",
                      (int)def->triangle_count);
  for (int n = 0; n < corners; n++) {
    const int32_t particle = def->particles[n];
    if (n == 3 && def->kind == MSD_CONSTRAINT_FIBER && particle == -1)
      break;
    const msd_result result = world_check_field(world, about, names[n], MSD_OBJECT_PARTICLE, particle, NULL);
    if (result != MSD_OK)
      return result;
    for (int other = 0; other < n; other++)
      if (def->particles[other] == particle)
        return fail_field(world, MSD_BAD_INDEX, about, "%s and %s are both %d", names[other], names[n],
                          (int)particle);
  }
  return MSD_OK;
}

/* `corners` is 3 or 4. */
static msd_result check_weights(msd_world *world, const msd_constraint_def *def, int corners, subject about) {
  static const char *const names[] = {"weights[0]", "weights[1]", "weights[2]", "weights[3]"};
  static const double ROUNDING = 1e-6;
  double sum = 0, size = 0;
  for (int n = 0; n < corners; n++) {
    const msd_result result = check_finite(&world->model.report, about, names[n], (double)def->weights[n]);
    if (result != MSD_OK)
      return result;
    sum += (double)def->weights[n];
    size += fabs((double)def->weights[n]);
  }
  if (!(size <= FIBER_WEIGHTS_MOST))
    return fail_field(world, MSD_BAD_VALUE, about,
                      "weights have sizes of %g/m in all; that must be at most %g/m", size,
                      FIBER_WEIGHTS_MOST);
  if (size == 0)
    return fail_field(world, MSD_BAD_VALUE, about,
                      "weights are all 0; get those of a direction from msd_fiber_weights");
  if (fabs(sum) > ROUNDING * size)
    return fail_field(world, MSD_BAD_VALUE, about, "weights have the sum %g; it must be 0", sum);
  return MSD_OK;
}

static msd_result check_def(msd_world *world, const msd_constraint_def *def, subject about) {
  msd_result result = check_law(&world->model.report, def, about);
  if (result != MSD_OK)
    return result;
  const constraint_kind *kind = constraint_kind_get(def->kind);
  if (!kind)
    return fail_field(world, MSD_BAD_VALUE, about, "kind is %d; it must be one of msd_constraint_kind",
                      (int)def->kind);
  result = def->kind == MSD_CONSTRAINT_MESH_VOLUME ? check_mesh(world, def, about)
                                                   : check_corners(world, def, kind->corners, about);
  if (result == MSD_OK && def->kind == MSD_CONSTRAINT_FIBER)
    result = check_weights(world, def, def->particles[3] < 0 ? 3 : 4, about);
  if (result == MSD_OK && !(def->compression_factor >= 0 && def->compression_factor <= 1))
    result = fail_field(world, MSD_BAD_VALUE, about, "compression_factor is %g; it must be 0 to 1",
                        (double)def->compression_factor);
  if (result == MSD_OK && def->compression_factor != 1 && def->kind != MSD_CONSTRAINT_FIBER)
    result =
        fail_field(world, MSD_BAD_VALUE, about, "compression_factor is %g; only a fiber may have one but 1",
                   (double)def->compression_factor);
  if (result == MSD_OK)
    result = check_finite(&world->model.report, about, "rest", (double)def->rest);
  if (result == MSD_OK && def->rest == MSD_AS_PLACED &&
      !isfinite((msd_real)constraint_placed_value(&world->model.particles, def)))
    result = fail_field(world, MSD_BAD_VALUE, about,
                        "its particles are too far apart for the %s between them", kind->name);
  return result;
}

/* ------------------------------------------------------------------------------------------ adding */

int32_t constraint_add(msd_world *world, const msd_constraint_def *defs, int count) {
  constraint_store *s = &world->model.constraints;
  const int32_t first = s->count;
  for (int n = 0; n < count; n++) {
    msd_constraint_def def = defs[n];
    if (def.rest == MSD_AS_PLACED)
      def.rest = (msd_real)constraint_placed_value(&world->model.particles, &def);
    const int32_t constraint = constraint_store_append(s, &def);
    constraint_place(s, &world->model.particles, constraint);
    constraint_count_valence(s, &world->model.particles, constraint, 1);
    model_wake_constraint(&world->model, constraint);
  }
  if (count > 0)
    world->model.revision.constraints++;
  return first;
}

msd_result msd_add_constraints(msd_world *world, const msd_constraint_def *defs, int count, int32_t *first) {
  DEFAULT_FLOAT_ENVIRONMENT;
  if (!world_is_open(world))
    return fail_locked(world);
  world_size more = {.constraints = count};
  msd_result result = check_list(&world->model.report, __func__, count, defs);
  for (int n = 0; n < count && result == MSD_OK; n++) {
    result = check_def(world, &defs[n], (subject){"constraint definition", n, NULL});
    more.meshes += defs[n].kind == MSD_CONSTRAINT_MESH_VOLUME;
    more.triangles += defs[n].triangle_count;
  }
  if (result != MSD_OK)
    return result;
  constraint_store *s = &world->model.constraints;
  const uintptr_t begin = (uintptr_t)s->triangles,
                  end = begin + 3 * (size_t)s->triangle_count * sizeof(int32_t);
  result = world_reserve(world, &more);
  if (result != MSD_OK)
    return result;
  if (first)
    *first = s->count;
  for (int n = 0; n < count; n++) {
    msd_constraint_def def = defs[n];
    /* Triangles from msd_constraint_get_def point into the store, which was reallocated. */
    if ((uintptr_t)def.triangles >= begin && (uintptr_t)def.triangles < end)
      def.triangles = s->triangles + ((uintptr_t)def.triangles - begin) / sizeof(int32_t);
    constraint_add(world, &def, 1);
  }
  return MSD_OK;
}

/* ------------------------------------------------------------------------------- queries and changes */

msd_constraint_def msd_default_constraint_def(void) {
  return (msd_constraint_def){.kind = MSD_CONSTRAINT_ANGLE,
                              .particles = {-1, -1, -1, -1},
                              .rest = MSD_AS_PLACED,
                              .compression_factor = 1,
                              .law = MSD_SPRING_STIFFNESS,
                              .ck = MSD_MAX_STABLE,
                              .cd = MSD_MAX_STABLE,
                              .cookie = MSD_CONSTRAINT_COOKIE};
}

int32_t msd_world_get_constraint_count(const msd_world *world) {
  return world_count(world, MSD_OBJECT_CONSTRAINT);
}

msd_constraint_def msd_constraint_get_def(const msd_world *world, int32_t constraint) {
  msd_constraint_def def = msd_default_constraint_def();
  if (!world_has(world, MSD_OBJECT_CONSTRAINT, constraint))
    return def;
  const constraint_store *s = &world->model.constraints;
  def.kind = (msd_constraint_kind)s->kind[constraint];
  def.rest = s->rest[constraint];
  def.compression_factor = s->compression[constraint];
  if (constraint_is_mesh(s, constraint)) {
    const constraint_mesh *mesh = constraint_mesh_of(s, constraint);
    def.triangles = s->triangles + 3 * (size_t)mesh->first_triangle;
    def.triangle_count = mesh->triangle_count;
  } else {
    memcpy(def.particles, constraint_corners_of(s, constraint).particles, sizeof def.particles);
    memcpy(def.weights, constraint_fiber_of(s, constraint), sizeof def.weights);
  }
  LAW_WRITE(&def, s->laws[constraint]);
  return def;
}

msd_result msd_constraint_set_law(msd_world *world, int32_t constraint, const msd_constraint_def *def) {
  msd_result result = world_check(world, MSD_OBJECT_CONSTRAINT, constraint);
  if (result == MSD_OK)
    result = check_law(&world->model.report, def, (subject){"constraint", constraint, NULL});
  if (result != MSD_OK)
    return result;
  world->model.constraints.laws[constraint] = law_read(LAW_FIELDS(def));
  model_wake_constraint(&world->model, constraint);
  world->model.revision.definitions++;
  return MSD_OK;
}

msd_result msd_constraint_set_rest(msd_world *world, int32_t constraint, msd_real rest) {
  DEFAULT_FLOAT_ENVIRONMENT;
  msd_result result = world_check(world, MSD_OBJECT_CONSTRAINT, constraint);
  if (result != MSD_OK)
    return result;
  constraint_store *s = &world->model.constraints;
  const bool as_placed = rest == MSD_AS_PLACED;
  if (as_placed)
    rest = (msd_real)constraint_measure(s, &world->model.particles, constraint).value;
  result =
      check_finite(&world->model.report, (subject){"constraint", constraint, NULL}, "rest", (double)rest);
  if (result != MSD_OK)
    return result;
  s->rest[constraint] = constraint_kind_rest(constraint_kind_of(s, constraint), rest);
  if (s->damage)
    s->damage[constraint].given = s->rest[constraint];
  stepper_set_constraint_rest(&world->stepper, constraint, s->rest[constraint]);
  model_wake_constraint(&world->model, constraint);
  if (as_placed) {
    constraint_place(s, &world->model.particles, constraint);
    world->model.revision.definitions++;
  }
  return MSD_OK;
}

void world_break_constraint(msd_world *world, int32_t constraint) {
  if (constraint_is_broken(&world->model.constraints, constraint))
    return;
  constraint_store *s = &world->model.constraints;
  model_wake_constraint(&world->model, constraint);
  s->is_broken[constraint] = true;
  s->broken++;
  constraint_count_valence(s, &world->model.particles, constraint, -1);
  world->model.revision.definitions++;
}

msd_result msd_constraint_break(msd_world *world, int32_t constraint) {
  const msd_result result = world_check(world, MSD_OBJECT_CONSTRAINT, constraint);
  if (result == MSD_OK)
    world_break_constraint(world, constraint);
  return result;
}

bool msd_constraint_is_broken(const msd_world *world, int32_t constraint) {
  return index_was_valid(world, MSD_OBJECT_CONSTRAINT, constraint) &&
         constraint_is_broken(&world->model.constraints, constraint);
}

double msd_constraint_get_value(const msd_world *world, int32_t constraint) {
  DEFAULT_FLOAT_ENVIRONMENT;
  return world_has(world, MSD_OBJECT_CONSTRAINT, constraint)
             ? constraint_measure(&world->model.constraints, &world->model.particles, constraint).value
             : 0;
}

double msd_constraint_get_tension(const msd_world *world, int32_t constraint) {
  DEFAULT_FLOAT_ENVIRONMENT;
  if (!world_has(world, MSD_OBJECT_CONSTRAINT, constraint))
    return 0;
  const constraint_shape shape =
      constraint_measure(&world->model.constraints, &world->model.particles, constraint);
  const law_tuning tuning =
      constraint_present_tuning(&world->model.constraints, &world->model.particles, constraint, &shape,
                                world->model.tuned_step, world->model.clamp_stiffness);
  return tuning.stiffness * shape.error + tuning.damping * shape.rate;
}
