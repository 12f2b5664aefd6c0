/* Public functions of damage and plasticity: argument checks, and changes of the world. */

#include "engine/base/float_environment.h"
#include "engine/world/world.h"

#include <math.h>

msd_damage_def msd_default_damage_def(void) {
  return (msd_damage_def){.plastic_rate = (msd_real)INFINITY, .cookie = MSD_DAMAGE_COOKIE};
}

/* A value must be 0, which turns the feature off, or above `least`. */
static msd_result check_above(report *r, subject about, const char *field, msd_real value, double least) {
  if (isfinite(value) && (value == 0 || (double)value > least))
    return MSD_OK;
  return report_refuse(r, MSD_BAD_VALUE, about, "%s is %g; it must be 0 or finite and above %g", field,
                       (double)value, least);
}

static msd_result check_damage(report *r, const msd_damage_def *def, subject about) {
  msd_result result = check_cookie(r, about, def ? &def->cookie : NULL, MSD_DAMAGE_COOKIE);
  if (result == MSD_OK)
    result = check_above(r, about, "tear_strain", def->tear_strain, 0);
  if (result == MSD_OK)
    result = check_above(r, about, "tear_energy", def->tear_energy, 0);
  if (result == MSD_OK && def->split && def->tear_strain == 0 && def->tear_energy == 0)
    result = report_refuse(
        r, MSD_BAD_VALUE, about,
        "split is true and tear_strain is 0; give the strain or the energy at which springs tear");
  if (result == MSD_OK)
    result = check_above(r, about, "yield_strain", def->yield_strain, 0);
  if (result == MSD_OK && !(def->plastic_rate > 0))
    result = report_refuse(r, MSD_BAD_VALUE, about,
                           "plastic_rate is %g; it must be above 0 in 1/s, or infinite: at once",
                           (double)def->plastic_rate);
  if (result == MSD_OK)
    result = check_above(r, about, "max_plastic_strain", def->max_plastic_strain, 0);
  return result;
}

/* First companion spring in a range; -1: none. */
static int32_t first_companion_in(const spring_store *s, msd_range springs) {
  for (int32_t n = 0; n < s->companion_count; n++) {
    const msd_range companion = {s->companions[n].first_companion, s->companions[n].count};
    if (world_ranges_overlap(companion, springs))
      return companion.first > springs.first ? companion.first : springs.first;
  }
  return -1;
}

static msd_result check_can_damage(msd_world *world, msd_range springs) {
  const spring_store *s = &world->model.springs;
  const int32_t companion = first_companion_in(s, springs);
  if (companion >= 0)
    return fail_field(world, MSD_BAD_VALUE, (subject){"spring", companion, NULL},
                      "is the companion of another spring, and tears and yields with it");
  for (int32_t e = springs.first; e < springs.first + springs.count; e++)
    if (spring_is_hard_limit(s, e))
      return fail_field(world, MSD_BAD_VALUE, (subject){"spring", e, NULL},
                        "is a hard limit, which can neither tear nor yield");
  return MSD_OK;
}

static bool has_damage(const msd_damage_def *def) {
  return def->tear_strain > 0 || def->tear_energy > 0 || def->yield_strain > 0;
}

/* `given` is the rest value before any plastic strain. */
static void set_rule(damage_rule *w, msd_real rest, const msd_damage_def *def) {
  *w = (damage_rule){.given = w->plastic_rate > 0 ? w->given : rest,
                     .tear_strain = def->tear_strain,
                     .tear_energy = def->tear_energy,
                     .yield_strain = def->yield_strain,
                     .plastic_rate = def->plastic_rate,
                     .max_plastic_strain = def->max_plastic_strain,
                     .split = def->split};
}

static void set_rules(damage_rule *rules, const msd_real *rest, msd_range range, const msd_damage_def *def) {
  for (int32_t n = range.first; n < range.first + range.count; n++)
    set_rule(&rules[n], rest[n], def);
}

/* The default definition if there is neither a tear nor a yield threshold. */
static msd_damage_def def_of(const damage_rule *w) {
  msd_damage_def def = msd_default_damage_def();
  if (!damage_rule_tears(w) && !(w->yield_strain > 0))
    return def;
  def.tear_strain = w->tear_strain;
  def.tear_energy = w->tear_energy;
  def.yield_strain = w->yield_strain;
  def.plastic_rate = w->plastic_rate;
  def.max_plastic_strain = w->max_plastic_strain;
  def.split = w->split > 0;
  return def;
}

msd_result msd_springs_set_damage(msd_world *world, msd_range springs, const msd_damage_def *def) {
  if (!world_is_open(world))
    return fail_locked(world);
  spring_store *s = &world->model.springs;
  msd_result result = spring_check_range(world, springs);
  if (result == MSD_OK)
    result = check_damage(&world->model.report, def, (subject){"spring", springs.first, NULL});
  if (result != MSD_OK)
    return result;
  if (!has_damage(def) && !s->damage)
    return MSD_OK;
  if (has_damage(def))
    result = check_can_damage(world, springs);
  if (result != MSD_OK)
    return result;
  if (!spring_open_damage(s, &world->model.memory))
    return world_fail(world, MSD_OUT_OF_MEMORY, "no memory for the damage of %d springs", (int)s->count);
  const bool could_split = spring_some_splits(s);
  set_rules(s->damage, s->rest, springs, def);
  for (int32_t n = 0; n < springs.count; n++)
    model_wake_spring(&world->model, springs.first + n);
  /* If springs may split particles, the stable limit is computed from row sums. */
  world->model.revision.definitions += spring_some_splits(s) != could_split;
  return MSD_OK;
}

msd_damage_def msd_spring_get_damage(const msd_world *world, int32_t spring) {
  const bool has_damage = world_has(world, MSD_OBJECT_SPRING, spring) && world->model.springs.damage;
  return has_damage ? def_of(&world->model.springs.damage[spring]) : msd_default_damage_def();
}

bool msd_spring_is_torn(const msd_world *world, int32_t spring) {
  return world_has(world, MSD_OBJECT_SPRING, spring) && spring_is_torn(&world->model.springs, spring);
}

double msd_spring_get_plastic_strain(const msd_world *world, int32_t spring) {
  DEFAULT_FLOAT_ENVIRONMENT;
  return world_has(world, MSD_OBJECT_SPRING, spring) ? spring_set(&world->model.springs, spring) : 0;
}

/* -------------------------------------------------------------------------------------------- constraints */

static msd_result check_constraints(msd_world *world, msd_range range, const msd_damage_def *def) {
  const int32_t count = world->model.constraints.count;
  if (range.first < 0 || range.count < 0 || range.count > count - range.first)
    return world_fail(world, MSD_BAD_INDEX, "constraints %d to %lld; the world has %d", (int)range.first,
                      (long long)range.first + range.count - 1, (int)count);
  const subject about = {"constraint", range.first, NULL};
  const msd_result result = check_damage(&world->model.report, def, about);
  if (result == MSD_OK && (def->tear_strain > 0 || def->tear_energy > 0))
    return fail_field(world, MSD_BAD_VALUE, about,
                      "tear_strain is %g and tear_energy %g; constraints yield but do not tear: leave them 0",
                      (double)def->tear_strain, (double)def->tear_energy);
  return result;
}

msd_result msd_constraints_set_damage(msd_world *world, msd_range constraints, const msd_damage_def *def) {
  if (!world_is_open(world))
    return fail_locked(world);
  constraint_store *s = &world->model.constraints;
  const msd_result result = check_constraints(world, constraints, def);
  if (result != MSD_OK || constraints.count == 0 || (!has_damage(def) && !s->damage))
    return result;
  if (!constraint_open_damage(s, &world->model.memory))
    return world_fail(world, MSD_OUT_OF_MEMORY, "no memory for the plastic strain of %d constraints",
                      (int)s->count);
  set_rules(s->damage, s->rest, constraints, def);
  return MSD_OK;
}

msd_damage_def msd_constraint_get_damage(const msd_world *world, int32_t constraint) {
  const bool has_damage =
      world_has(world, MSD_OBJECT_CONSTRAINT, constraint) && world->model.constraints.damage;
  return has_damage ? def_of(&world->model.constraints.damage[constraint]) : msd_default_damage_def();
}

double msd_constraint_get_plastic_strain(const msd_world *world, int32_t constraint) {
  DEFAULT_FLOAT_ENVIRONMENT;
  if (!world_has(world, MSD_OBJECT_CONSTRAINT, constraint))
    return 0;
  const constraint_store *s = &world->model.constraints;
  const double set = constraint_set(s, constraint);
  if (set == 0 || constraint_is_in_radians((msd_constraint_kind)s->kind[constraint]))
    return set;
  return set / (double)s->damage[constraint].given;
}

/* -------------------------------------------------------------------------------------- companion springs */

/* Companion springs for a range: tension-only springs with their rest lengths scaled by `ratio`. */
typedef struct companion_plan {
  msd_range springs;
  msd_real ratio;
  /* Additional stiffness factor; 0: hard limits with the fraction `share`. */
  msd_real more, share;
} companion_plan;

/* The law of a spring with `more` times its stiffness and no damping. */
static law stiffened(law l, msd_real more) {
  const msd_real factor = law_is(l, MSD_SPRING_FREQUENCY) ? (msd_real)sqrt((double)more) : more;
  return (law){.kind = l.kind, .first = l.first * factor};
}

static msd_result check_stiffened(msd_world *world, int32_t spring, msd_real more) {
  const subject about = {"spring", spring, NULL};
  const law own = spring_law(&world->model.springs, spring);
  if (law_is(own, MSD_SPRING_HARD_LIMIT))
    return fail_field(world, MSD_BAD_VALUE, about, "is a hard limit and has no stiffness to multiply");
  if (spring_side(&world->model.springs, spring) == MSD_SPRING_COMPRESSION_ONLY)
    return fail_field(world, MSD_BAD_VALUE, about, "is compression-only and has no tension to multiply");
  if (law_is(own, MSD_SPRING_COEFFICIENT) && own.first < 0)
    return fail_field(
        world, MSD_BAD_VALUE, about,
        "has the maximum stable stiffness and cannot stiffen; give it a stiffness, a frequency or a ck");
  if (!isfinite(stiffened(own, more).first))
    return fail_field(world, MSD_BAD_VALUE, about, "would have an infinite stiffness");
  return MSD_OK;
}

static msd_spring_def companion_def(const spring_store *s, const companion_plan *plan, int32_t spring) {
  msd_spring_def def = msd_default_spring_def();
  const msd_real rest = s->rest[spring] * plan->ratio;
  def.a = s->a[spring];
  def.b = s->b[spring];
  def.rest_length = isfinite(rest) ? rest : s->rest[spring];
  def.mode = MSD_SPRING_TENSION_ONLY;
  def.law = MSD_SPRING_HARD_LIMIT;
  def.ck = plan->share;
  if (plan->more > 0)
    LAW_WRITE(&def, stiffened(spring_law(s, spring), plan->more));
  return def;
}

static void add_companion(spring_store *s, particle_store *p, const companion_plan *plan, int32_t first) {
  s->companions[s->companion_count++] =
      (spring_companion){plan->springs.first, plan->springs.count, first, plan->ratio};
  for (int32_t n = 0; n < plan->springs.count; n++)
    if (spring_is_broken(s, plan->springs.first + n))
      spring_mark_broken(s, p, first + n);
}

static msd_result add_companion_springs(msd_world *world, const companion_plan *plan, msd_range *made) {
  spring_store *s = &world->model.springs;
  memory *m = &world->model.memory;
  const int32_t count = plan->springs.count;
  msd_spring_def *defs = memory_allocate_items(m, count, sizeof *defs);
  int32_t first = s->count;
  msd_result result = MSD_OK;
  if (!defs || !growth_reserve(&spring_companion_growth, s, m, (int64_t)s->companion_count + 1))
    result = world_fail(world, MSD_OUT_OF_MEMORY, "no memory for the companions of %d springs", (int)count);
  if (result == MSD_OK && world_find_gap(world, MSD_OBJECT_SPRING, plan->springs) >= 0)
    result = world_check(world, MSD_OBJECT_SPRING, world_find_gap(world, MSD_OBJECT_SPRING, plan->springs));
  if (result == MSD_OK && first_companion_in(s, plan->springs) >= 0)
    result = fail_field(world, MSD_BAD_VALUE, (subject){"spring", first_companion_in(s, plan->springs), NULL},
                        "is itself a companion; give the original spring a second one");
  for (int32_t n = 0; n < count && result == MSD_OK; n++)
    defs[n] = companion_def(s, plan, plan->springs.first + n);
  if (result == MSD_OK)
    result = msd_add_springs(world, defs, count, &first);
  memory_release(m, defs);
  if (result != MSD_OK)
    return result;
  if (count > 0)
    add_companion(s, &world->model.particles, plan, first);
  if (made)
    *made = (msd_range){first, count};
  return MSD_OK;
}

static msd_result check_number(msd_world *world, const char *call, const char *name, msd_real value,
                               bool is_sound, const char *right) {
  return is_sound ? MSD_OK
                  : world_fail(world, MSD_BAD_VALUE, "%s: %s is %g; it must be %s", call, name, (double)value,
                               right);
}

msd_result msd_springs_stiffen(msd_world *world, msd_range springs, msd_real strain, msd_real factor,
                               msd_range *made) {
  DEFAULT_FLOAT_ENVIRONMENT;
  if (!world_is_open(world))
    return fail_locked(world);
  const companion_plan plan = {.springs = springs, .ratio = 1 + strain, .more = factor - 1};
  msd_result result = spring_check_range(world, springs);
  if (result == MSD_OK)
    result = check_number(world, __func__, "strain", strain, strain >= 0 && isfinite(plan.ratio),
                          "finite and 0 or more");
  if (result == MSD_OK)
    result = check_number(world, __func__, "factor", factor, plan.more > 0 && isfinite(factor),
                          "finite and above 1");
  for (int32_t n = 0; n < springs.count && result == MSD_OK; n++)
    result = check_stiffened(world, springs.first + n, plan.more);
  return result == MSD_OK ? add_companion_springs(world, &plan, made) : result;
}

msd_result msd_springs_limit_stretch(msd_world *world, msd_range springs, msd_real max_stretch, msd_real ck,
                                     msd_range *made) {
  DEFAULT_FLOAT_ENVIRONMENT;
  if (!world_is_open(world))
    return fail_locked(world);
  const companion_plan plan = {.springs = springs, .ratio = 1 + max_stretch, .share = ck};
  msd_result result = spring_check_range(world, springs);
  if (result == MSD_OK)
    result = check_number(world, __func__, "max_stretch", max_stretch,
                          max_stretch >= 0 && isfinite(max_stretch), "finite and 0 or more");
  if (result == MSD_OK)
    result = check_number(world, __func__, "ck", ck, ck > 0 && ck <= 1, "above 0 and at most 1");
  return result == MSD_OK ? add_companion_springs(world, &plan, made) : result;
}
