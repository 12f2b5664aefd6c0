/* Public functions of torsion springs: argument checks, and changes of the world. */

#include "engine/base/float_environment.h"
#include "engine/world/world.h"

#include <math.h>

law_tuning torsion_spring_present_tuning(const world_model *model, int32_t spring) {
  const law_terms terms = torsion_spring_split(&model->torsion_springs, &model->rotors, spring);
  return law_present(&terms, model->tuned_step, model->clamp_stiffness);
}

msd_torsion_spring_def msd_default_torsion_spring_def(void) {
  return (msd_torsion_spring_def){.a = -1,
                                  .b = MSD_GROUND,
                                  .rest_angle = (double)MSD_AS_PLACED,
                                  .law = MSD_SPRING_STIFFNESS,
                                  .ck = MSD_MAX_STABLE,
                                  .cd = MSD_MAX_STABLE,
                                  .cookie = MSD_TORSION_SPRING_COOKIE};
}

static msd_result check_law(report *r, const msd_torsion_spring_def *def, subject about) {
  const msd_result result = check_cookie(r, about, def ? &def->cookie : NULL, MSD_TORSION_SPRING_COOKIE);
  return result == MSD_OK ? law_check(r, LAW_FIELDS(def), about) : result;
}

static double placed_angle(const msd_world *world, int32_t a, int32_t b) {
  const double *angle = world->model.rotors.angle;
  return angle[a] - (b >= 0 ? angle[b] : 0);
}

static msd_result check_rest(msd_world *world, int32_t a, int32_t b, double rest, subject about) {
  if (rest == (double)MSD_AS_PLACED && !isfinite(placed_angle(world, a, b)))
    return fail_field(world, MSD_BAD_VALUE, about, "the angle between rotors %d and %d is not finite", (int)a,
                      (int)b);
  return check_finite(&world->model.report, about, "rest_angle", rest);
}

static double rest_of(const msd_world *world, int32_t a, int32_t b, double rest) {
  return rest == (double)MSD_AS_PLACED ? placed_angle(world, a, b) : rest;
}

static msd_result check_def(msd_world *world, const msd_torsion_spring_def *def, subject about) {
  report *r = &world->model.report;
  msd_result result = check_law(r, def, about);
  if (result == MSD_OK)
    result = world_check_field(world, about, "a", MSD_OBJECT_ROTOR, def->a, NULL);
  if (result == MSD_OK)
    result = world_check_field(world, about, "b", MSD_OBJECT_ROTOR, def->b, "MSD_GROUND");
  if (result == MSD_OK && def->a == def->b)
    result = report_refuse(r, MSD_BAD_INDEX, about, "both ends are rotor %d", (int)def->a);
  return result == MSD_OK ? check_rest(world, def->a, def->b, def->rest_angle, about) : result;
}

static void count_ends(msd_world *world, int32_t spring, int32_t change) {
  const torsion_spring_store *s = &world->model.torsion_springs;
  world->model.rotors.valence[s->a[spring]] += change;
  if (s->b[spring] >= 0)
    world->model.rotors.valence[s->b[spring]] += change;
  world->model.revision.rotors++;
}

msd_result msd_add_torsion_springs(msd_world *world, const msd_torsion_spring_def *defs, int count,
                                   int32_t *first) {
  DEFAULT_FLOAT_ENVIRONMENT;
  if (!world_is_open(world))
    return fail_locked(world);
  msd_result result = check_list(&world->model.report, __func__, count, defs);
  for (int i = 0; i < count && result == MSD_OK; i++)
    result = check_def(world, &defs[i], (subject){"torsion spring definition", i, NULL});
  if (result == MSD_OK)
    result = world_reserve(world, &(world_size){.torsion_springs = count});
  if (result != MSD_OK)
    return result;
  torsion_spring_store *s = &world->model.torsion_springs;
  if (first)
    *first = s->count;
  for (int i = 0; i < count; i++) {
    const int32_t spring = s->count++;
    s->a[spring] = defs[i].a;
    s->b[spring] = defs[i].b;
    s->laws[spring] = law_read(LAW_FIELDS(&defs[i]));
    s->is_broken[spring] = false;
    s->rest[spring] = rest_of(world, defs[i].a, defs[i].b, defs[i].rest_angle);
    s->given[spring] = 0;
    count_ends(world, spring, 1);
  }
  return MSD_OK;
}

int32_t msd_world_get_torsion_spring_count(const msd_world *world) {
  return world_count(world, MSD_OBJECT_TORSION_SPRING);
}

msd_torsion_spring_def msd_torsion_spring_get_def(const msd_world *world, int32_t spring) {
  msd_torsion_spring_def def = msd_default_torsion_spring_def();
  if (!world_has(world, MSD_OBJECT_TORSION_SPRING, spring))
    return def;
  const torsion_spring_store *s = &world->model.torsion_springs;
  def.a = s->a[spring];
  def.b = s->b[spring];
  def.rest_angle = s->rest[spring];
  LAW_WRITE(&def, s->laws[spring]);
  return def;
}

msd_result msd_torsion_spring_set_law(msd_world *world, int32_t spring, const msd_torsion_spring_def *def) {
  msd_result result = world_check(world, MSD_OBJECT_TORSION_SPRING, spring);
  if (result == MSD_OK)
    result = check_law(&world->model.report, def, (subject){"torsion spring", spring, NULL});
  if (result != MSD_OK)
    return result;
  world->model.torsion_springs.laws[spring] = law_read(LAW_FIELDS(def));
  world->model.revision.rotors++;
  return MSD_OK;
}

msd_result msd_torsion_spring_set_rest_angle(msd_world *world, int32_t spring, double rest_angle) {
  DEFAULT_FLOAT_ENVIRONMENT;
  msd_result result = world_check(world, MSD_OBJECT_TORSION_SPRING, spring);
  if (result != MSD_OK)
    return result;
  torsion_spring_store *s = &world->model.torsion_springs;
  result =
      check_rest(world, s->a[spring], s->b[spring], rest_angle, (subject){"torsion spring", spring, NULL});
  if (result != MSD_OK)
    return result;
  s->rest[spring] = rest_of(world, s->a[spring], s->b[spring], rest_angle);
  return MSD_OK;
}

void world_break_torsion_spring(msd_world *world, int32_t spring) {
  if (torsion_spring_is_broken(&world->model.torsion_springs, spring))
    return;
  world->model.torsion_springs.is_broken[spring] = true;
  count_ends(world, spring, -1);
}

msd_result msd_torsion_spring_break(msd_world *world, int32_t spring) {
  const msd_result result = world_check(world, MSD_OBJECT_TORSION_SPRING, spring);
  if (result == MSD_OK)
    world_break_torsion_spring(world, spring);
  return result;
}

bool msd_torsion_spring_is_broken(const msd_world *world, int32_t spring) {
  return index_was_valid(world, MSD_OBJECT_TORSION_SPRING, spring) &&
         torsion_spring_is_broken(&world->model.torsion_springs, spring);
}

double msd_torsion_spring_get_torque(const msd_world *world, int32_t spring) {
  DEFAULT_FLOAT_ENVIRONMENT;
  if (!world_has(world, MSD_OBJECT_TORSION_SPRING, spring))
    return 0;
  const torsion_spring_store *s = &world->model.torsion_springs;
  const law_tuning tuning = torsion_spring_present_tuning(&world->model, spring);
  return tuning.stiffness * torsion_spring_error(s, spring, world->model.rotors.angle) +
         tuning.damping * torsion_spring_rate(s, spring, world->model.rotors.velocity);
}
