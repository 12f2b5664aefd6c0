/* Public functions of msd/spring.h: argument checks, and changes of the world. */

#include "engine/base/float_environment.h"
#include "engine/base/vec3.h"
#include "engine/step/rest_length_track.h"
#include "engine/world/world.h"

#include <math.h>

const char *msd_spring_law_name(msd_spring_law kind) {
  static const char *const names[MSD_SPRING_LAW_COUNT] = {"none", "stiffness", "coefficient", "frequency",
                                                          "hard_limit"};
  return (unsigned)kind < MSD_SPRING_LAW_COUNT ? names[kind] : NULL;
}

msd_spring_def msd_default_spring_def(void) {
  return (msd_spring_def){.a = -1,
                          .b = -1,
                          .rest_length = -1,
                          .law = MSD_SPRING_STIFFNESS,
                          .ck = MSD_MAX_STABLE,
                          .cd = MSD_MAX_STABLE,
                          .cookie = MSD_SPRING_COOKIE};
}

/* Checks the law of a definition for a spring with this mode. */
static msd_result check_law_at(report *r, const msd_spring_def *def, msd_spring_mode side, subject about) {
  if (def->law != MSD_SPRING_HARD_LIMIT)
    return law_check(r, LAW_FIELDS(def), about);
  if (side == MSD_SPRING_BOTH)
    return report_refuse(r, MSD_BAD_VALUE, about,
                         "mode is both; a hard limit must be tension_only or compression_only");
  return law_check_hard_limit(r, LAW_FIELDS(def), about);
}

msd_result spring_check_law(report *r, const msd_spring_def *def, subject about) {
  if ((unsigned)def->mode >= MSD_SPRING_MODE_COUNT)
    return report_refuse(r, MSD_BAD_VALUE, about,
                         "mode is %d; it must be both, tension_only or compression_only", (int)def->mode);
  return check_law_at(r, def, def->mode, about);
}

msd_result spring_check_range(msd_world *world, msd_range springs) {
  const int32_t count = world->model.springs.count;
  if (springs.first >= 0 && springs.count >= 0 && springs.count <= count - springs.first)
    return MSD_OK;
  return world_fail(world, MSD_BAD_INDEX, "springs %d to %lld; the world has %d", (int)springs.first,
                    (long long)springs.first + springs.count - 1, (int)count);
}

/* Current distance in m. */
static double length_between(const msd_world *world, int32_t a, int32_t b) {
  double along[3];
  return particle_distance(&world->model.particles, a, b, along);
}

static double placed_length(const msd_world *world, const msd_spring_def *def) {
  return length_between(world, def->a, def->b);
}

/* True if two definitions differ at most in their ends and rest lengths, as in most lists. */
static bool is_like(const msd_spring_def *def, const msd_spring_def *other) {
  return def->cookie == other->cookie && def->mode == other->mode && def->law == other->law &&
         def->stiffness == other->stiffness && def->damping == other->damping && def->ck == other->ck &&
         def->cd == other->cd && def->frequency == other->frequency &&
         def->damping_ratio == other->damping_ratio;
}

static msd_result check_end(msd_world *world, const char *field, int32_t particle, subject about) {
  return world_has(world, MSD_OBJECT_PARTICLE, particle)
             ? MSD_OK
             : world_check_field(world, about, field, MSD_OBJECT_PARTICLE, particle, NULL);
}

/* True if the ends and the rest length of a definition are clearly valid; other definitions get the detailed
   checks. */
static bool has_sound_ends(const msd_world *world, const msd_spring_def *def) {
  const world_model *model = &world->model;
  const uint32_t count = (uint32_t)model->particles.count;
  if ((uint32_t)def->a >= count || (uint32_t)def->b >= count || def->a == def->b ||
      model->tombstones.of[MSD_OBJECT_PARTICLE].count > 0)
    return false;
  return def->rest_length >= 0 ? isfinite(def->rest_length)
                               : isfinite(def->rest_length) && isfinite((msd_real)placed_length(world, def));
}

/* `checked` is a definition that has passed the checks, or NULL. */
static msd_result check_def(msd_world *world, const msd_spring_def *def, const msd_spring_def *checked,
                            subject about) {
  report *r = &world->model.report;
  msd_result result = MSD_OK;
  if (checked && is_like(def, checked) && has_sound_ends(world, def))
    return MSD_OK;
  if (!checked || !is_like(def, checked)) {
    result = check_cookie(r, about, &def->cookie, MSD_SPRING_COOKIE);
    if (result == MSD_OK)
      result = spring_check_law(r, def, about);
  }
  if (result == MSD_OK)
    result = check_end(world, "a", def->a, about);
  if (result == MSD_OK)
    result = check_end(world, "b", def->b, about);
  if (result == MSD_OK && def->a == def->b)
    result = report_refuse(r, MSD_BAD_INDEX, about, "both ends are particle %d", (int)def->a);
  if (result == MSD_OK)
    result = check_finite(r, about, "rest_length", (double)def->rest_length);
  if (result == MSD_OK && def->rest_length < 0 && !isfinite((msd_real)placed_length(world, def)))
    result = report_refuse(r, MSD_BAD_VALUE, about, "particles %d and %d are too far apart", (int)def->a,
                           (int)def->b);
  return result;
}

/* Sets the laws of springs to be appended. */
static msd_result set_laws(msd_world *world, const msd_spring_def *defs, int count) {
  spring_store *s = &world->model.springs;
  for (int i = 0; i < count; i++) {
    if (i > 0 && is_like(&defs[i], &defs[i - 1])) {
      law_table_repeat(&s->laws, s->count + i, 1);
      continue;
    }
    const law own = law_read(LAW_FIELDS(&defs[i]));
    if (!law_table_set(&s->laws, &world->model.memory, s->count + i, own, s->count + i, s->capacity))
      return world_fail(world, MSD_OUT_OF_MEMORY, "no memory for the stiffness of %d springs",
                        (int)s->count + count);
  }
  return MSD_OK;
}

/* Memory is reserved and the law is set. A negative rest length: the current distance. */
static void append(msd_world *world, int32_t a, int32_t b, msd_real rest_length, msd_spring_mode side) {
  spring_store *s = &world->model.springs;
  const int32_t spring = s->count++;
  s->a[spring] = a;
  s->b[spring] = b;
  model_wake_spring(&world->model, spring);
  s->rest[spring] = rest_length < 0 ? (msd_real)length_between(world, a, b) : rest_length;
  spring_count_last(s, &world->model.particles, (uint8_t)side);
}

msd_result msd_add_springs(msd_world *world, const msd_spring_def *defs, int count, int32_t *first) {
  DEFAULT_FLOAT_ENVIRONMENT;
  if (!world_is_open(world))
    return fail_locked(world);
  msd_result result = check_list(&world->model.report, __func__, count, defs);
  for (int i = 0; i < count && result == MSD_OK; i++)
    result = check_def(world, &defs[i], i > 0 ? &defs[i - 1] : NULL, (subject){"spring definition", i, NULL});
  if (result == MSD_OK)
    result = world_reserve(world, &(world_size){.springs = count});
  if (result == MSD_OK)
    result = set_laws(world, defs, count);
  if (result != MSD_OK)
    return result;
  if (first)
    *first = world->model.springs.count;
  for (int i = 0; i < count; i++)
    append(world, defs[i].a, defs[i].b, defs[i].rest_length, defs[i].mode);
  model_note_springs(&world->model, count);
  return MSD_OK;
}

static msd_spring_def batch_def(const spring_batch *batch, int i) {
  msd_spring_def def = *batch->pattern;
  def.a = batch->ends[i][0];
  def.b = batch->ends[i][1];
  def.rest_length = batch->rest[i];
  def.stiffness = batch->stiffness[i];
  return def;
}

/* True if the law of a spring in a batch differs from that of the previous one. */
static bool changes_law(const spring_batch *batch, int i) {
  return i == 0 || batch->stiffness[i] != batch->stiffness[i - 1];
}

/* Fails with a message if a spring is invalid. Otherwise computes all rest lengths. */
static msd_result check_batch(msd_world *world, const spring_batch *batch) {
  msd_result result = MSD_OK;
  for (int i = 0; i < batch->count && result == MSD_OK; i++) {
    const msd_real asked = batch->rest[i];
    const msd_real rest =
        asked < 0 ? (msd_real)length_between(world, batch->ends[i][0], batch->ends[i][1]) : asked;
    if (changes_law(batch, i) || !isfinite(asked) || !isfinite(rest)) {
      const msd_spring_def def = batch_def(batch, i);
      result = check_def(world, &def, NULL, (subject){"spring definition", i, NULL});
    }
    batch->rest[i] = rest;
  }
  return result;
}

static bool set_batch_laws(spring_store *s, memory *m, const spring_batch *batch) {
  for (int i = 0, end; i < batch->count; i = end) {
    const msd_spring_def def = batch_def(batch, i);
    const int32_t spring = s->count + i;
    if (!law_table_set(&s->laws, m, spring, law_read(LAW_FIELDS(&def)), spring, s->capacity))
      return false;
    for (end = i + 1; end < batch->count && !changes_law(batch, end);)
      end++;
    law_table_repeat(&s->laws, spring + 1, end - i - 1);
  }
  return true;
}

msd_result spring_add_batch(msd_world *world, const spring_batch *batch) {
  spring_store *s = &world->model.springs;
  msd_result result = check_batch(world, batch);
  if (result == MSD_OK)
    result = world_reserve(world, &(world_size){.springs = batch->count});
  if (result != MSD_OK)
    return result;
  if (!set_batch_laws(s, &world->model.memory, batch))
    return world_fail(world, MSD_OUT_OF_MEMORY, "no memory for the stiffness of %d springs",
                      (int)s->count + batch->count);
  spring_add_alike(s, &world->model.particles, batch->ends, batch->rest, batch->count, batch->pattern->mode);
  for (int i = 0; i < batch->count && world->model.sleep.particles > 0; i++)
    model_wake_spring(&world->model, s->count - batch->count + i);
  model_note_springs(&world->model, batch->count);
  return MSD_OK;
}

int32_t msd_world_get_law_count(const msd_world *world, msd_spring_law kind) {
  return world && (unsigned)kind < MSD_SPRING_LAW_COUNT ? world->model.springs.of_law[kind] : 0;
}

msd_spring_def msd_spring_get_def(const msd_world *world, int32_t spring) {
  msd_spring_def def = msd_default_spring_def();
  if (!world_has(world, MSD_OBJECT_SPRING, spring))
    return def;
  const spring_store *s = &world->model.springs;
  def.a = s->a[spring];
  def.b = s->b[spring];
  def.rest_length = s->rest[spring];
  def.mode = spring_side(s, spring);
  LAW_WRITE(&def, spring_law(s, spring));
  return def;
}

/* Checks a law for all springs of a range. */
static msd_result check_law_def(msd_world *world, const msd_spring_def *def, msd_range springs) {
  report *r = &world->model.report;
  const subject first = {"spring", springs.first, NULL};
  msd_result result = check_cookie(r, first, def ? &def->cookie : NULL, MSD_SPRING_COOKIE);
  if (result == MSD_OK && springs.count == 0)
    result = check_law_at(r, def, MSD_SPRING_TENSION_ONLY, first);
  for (int32_t n = 0; n < springs.count && result == MSD_OK; n++)
    if (world_has(world, MSD_OBJECT_SPRING, springs.first + n))
      result = check_law_at(r, def, spring_side(&world->model.springs, springs.first + n),
                            (subject){"spring", springs.first + n, NULL});
  return result;
}

/* True if both laws have an absolute stiffness and damping, and neither increases. */
static bool relaxes(law before, law now) {
  return law_is(before, MSD_SPRING_STIFFNESS) && law_is(now, MSD_SPRING_STIFFNESS) &&
         now.first <= before.first && now.second <= before.second;
}

/* Hard limits and other springs are stored in different structures, which are rebuilt if one becomes the
   other. Returns false, with nothing changed, if memory runs out. */
static bool set_law(msd_world *world, int32_t spring, law wanted) {
  world_model *model = &world->model;
  spring_store *s = &model->springs;
  const law before = spring_law(s, spring);
  const bool was_hard_limit = spring_is_hard_limit(s, spring);
  if (!spring_set_law(s, &model->particles, &model->memory, spring, wanted))
    return false;
  if (spring_is_hard_limit(s, spring) == was_hard_limit) {
    model_note_change(model, spring, relaxes(before, wanted));
  } else {
    model_wake_spring(model, spring);
    model->revision.definitions++;
    model_lay_out_anew(model);
  }
  return true;
}

msd_result msd_spring_set_law(msd_world *world, int32_t spring, const msd_spring_def *def) {
  msd_result result = world_check(world, MSD_OBJECT_SPRING, spring);
  if (result == MSD_OK)
    result = check_law_def(world, def, (msd_range){spring, 1});
  if (result != MSD_OK)
    return result;
  if (!set_law(world, spring, law_read(LAW_FIELDS(def))))
    return world_fail(world, MSD_OUT_OF_MEMORY, "no memory for the stiffness of spring %d", (int)spring);
  return MSD_OK;
}

msd_result msd_springs_set_law(msd_world *world, msd_range springs, const msd_spring_def *def) {
  if (!world_is_open(world))
    return fail_locked(world);
  msd_result result = spring_check_range(world, springs);
  if (result == MSD_OK)
    result = check_law_def(world, def, springs);
  if (result == MSD_OK)
    result = world_reserve_laws(world, false);
  if (result != MSD_OK)
    return result;
  for (int32_t n = 0; n < springs.count; n++)
    if (world_has(world, MSD_OBJECT_SPRING, springs.first + n))
      set_law(world, springs.first + n, law_read(LAW_FIELDS(def)));
  return MSD_OK;
}

static msd_result check_rest_length(msd_world *world, int32_t spring, msd_real rest_length) {
  const msd_result result = world_check(world, MSD_OBJECT_SPRING, spring);
  if (result != MSD_OK || (isfinite(rest_length) && rest_length >= 0))
    return result;
  return fail_field(world, MSD_BAD_VALUE, (subject){"spring", spring, NULL},
                    "rest_length is %g; it must be finite and 0 or more", (double)rest_length);
}

msd_result msd_spring_set_rest_length(msd_world *world, int32_t spring, msd_real rest_length) {
  const msd_result result = check_rest_length(world, spring, rest_length);
  if (result != MSD_OK)
    return result;
  rest_move_cancel(&world->model.springs.moves, spring);
  rest_length_track_set(&world->stepper, spring, rest_length);
  model_wake_spring(&world->model, spring);
  world->model.revision.state++;
  return MSD_OK;
}

msd_result msd_spring_move_rest_length_to(msd_world *world, int32_t spring, msd_real rest_length) {
  const msd_result result = check_rest_length(world, spring, rest_length);
  if (result != MSD_OK ||
      rest_move_send(&world->model.springs.moves, &world->model.memory, spring, rest_length))
    return result;
  return world_fail(world, MSD_OUT_OF_MEMORY, "no memory for the rest length track of spring %d",
                    (int)spring);
}

msd_result msd_spring_break(msd_world *world, int32_t spring) {
  const msd_result result = world_check(world, MSD_OBJECT_SPRING, spring);
  if (result != MSD_OK || spring_is_broken(&world->model.springs, spring))
    return result;
  damage_break(&world->stepper, spring, false);
  return MSD_OK;
}

bool msd_spring_is_broken(const msd_world *world, int32_t spring) {
  return index_was_valid(world, MSD_OBJECT_SPRING, spring) && spring_is_broken(&world->model.springs, spring);
}

msd_real msd_spring_get_length(const msd_world *world, int32_t spring) {
  DEFAULT_FLOAT_ENVIRONMENT;
  return world_has(world, MSD_OBJECT_SPRING, spring)
             ? (msd_real)spring_length(&world->model.springs, &world->model.particles, spring)
             : 0;
}

static law_tuning present_tuning(const msd_world *world, int32_t spring) {
  if (!world_has(world, MSD_OBJECT_SPRING, spring))
    return (law_tuning){0};
  const world_model *model = &world->model;
  if (spring_is_hard_limit(&model->springs, spring) && !spring_is_broken(&model->springs, spring)) {
    const law_terms caught = {.mass_ck = (double)stepper_hard_limit_numbers(&world->stepper, spring).mass};
    return law_present(&caught, model->substep, false);
  }
  const law_terms terms = spring_effective_mass(&model->springs, &model->particles, spring);
  return law_present(&terms, model->tuned_step, model->clamp_stiffness);
}

/* Tension in N of a hard limit in the last substep. */
static double caught_tension(const msd_world *world, int32_t spring) {
  const double dt = world->model.substep;
  const double pull =
      dt > 0 ? (double)stepper_hard_limit_numbers(&world->stepper, spring).given / (dt * dt) : 0;
  return spring_side(&world->model.springs, spring) == MSD_SPRING_COMPRESSION_ONLY ? -pull : pull;
}

msd_real msd_spring_get_stiffness(const msd_world *world, int32_t spring) {
  DEFAULT_FLOAT_ENVIRONMENT;
  return (msd_real)present_tuning(world, spring).stiffness;
}

msd_real msd_spring_get_damping(const msd_world *world, int32_t spring) {
  DEFAULT_FLOAT_ENVIRONMENT;
  return (msd_real)present_tuning(world, spring).damping;
}

msd_real msd_spring_get_tension(const msd_world *world, int32_t spring) {
  DEFAULT_FLOAT_ENVIRONMENT;
  if (!world_has(world, MSD_OBJECT_SPRING, spring))
    return 0;
  const spring_store *s = &world->model.springs;
  if (spring_is_hard_limit(s, spring))
    return (msd_real)caught_tension(world, spring);
  return (msd_real)spring_tension(s, &world->model.particles, spring, present_tuning(world, spring));
}
