/* The public functions of msd/wear.h: what they check, and what they touch. */

#include "engine/base/float_environment.h"
#include "engine/world/world.h"

#include <math.h>

msd_wear_def msd_default_wear_def(void) {
  return (msd_wear_def){.creep = 1, .cookie = MSD_WEAR_COOKIE};
}

/* A number of 0, which is none, or above `least`. */
static msd_result check_above(report *r, subject about, const char *field, msd_real value, double least) {
  if (isfinite(value) && (value == 0 || (double)value > least))
    return MSD_OK;
  return report_refuse(r, MSD_BAD_VALUE, about, "%s is %g; it must be 0 or finite and above %g", field,
                       (double)value, least);
}

static msd_result check_wear(report *r, const msd_wear_def *def, subject about) {
  msd_result result = check_cookie(r, about, def ? &def->cookie : NULL, MSD_WEAR_COOKIE);
  if (result == MSD_OK)
    result = check_above(r, about, "tear", def->tear, 1);
  if (result == MSD_OK && def->splits && def->tear == 0)
    result = report_refuse(r, MSD_BAD_VALUE, about,
                           "splits is set and tear is 0; give it the length at which it tears");
  if (result == MSD_OK)
    result = check_above(r, about, "yield", def->yield, 0);
  if (result == MSD_OK && !(def->creep > 0 && def->creep <= 1))
    result = report_refuse(r, MSD_BAD_VALUE, about, "creep is %g; it must be above 0 and at most 1",
                           (double)def->creep);
  if (result == MSD_OK)
    result = check_above(r, about, "set_limit", def->set_limit, 0);
  return result;
}

/* The first of a range of springs that backs another; -1: none. */
static int32_t first_backing_in(const spring_store *s, msd_range springs) {
  for (int32_t n = 0; n < s->backing_count; n++) {
    const msd_range backing = {s->backings[n].first_backing, s->backings[n].count};
    if (world_ranges_overlap(backing, springs))
      return backing.first > springs.first ? backing.first : springs.first;
  }
  return -1;
}

static msd_result check_can_wear(msd_world *world, msd_range springs) {
  const spring_store *s = &world->model.springs;
  const int32_t backing = first_backing_in(s, springs);
  if (backing >= 0)
    return world_refuse(world, MSD_BAD_VALUE, (subject){"spring", backing, NULL},
                        "backs another, and tears and yields with that");
  for (int32_t e = springs.first; e < springs.first + springs.count; e++)
    if (spring_is_catch(s, e))
      return world_refuse(world, MSD_BAD_VALUE, (subject){"spring", e, NULL},
                          "is a catch, which holds its length; it can neither tear nor yield");
  return MSD_OK;
}

static bool has_wear(const msd_wear_def *def) {
  return def->tear > 0 || def->yield > 0;
}

/* What was given is the rest value before anything has yielded. */
static void set_rule(wear_rule *w, msd_real rest, const msd_wear_def *def) {
  *w = (wear_rule){.given = w->creep > 0 ? w->given : rest,
                   .tear = def->tear,
                   .yield = def->yield,
                   .creep = def->creep,
                   .set_limit = def->set_limit,
                   .splits = def->splits};
}

static void set_rules(wear_rule *rules, const msd_real *rest, msd_range range, const msd_wear_def *def) {
  for (int32_t n = range.first; n < range.first + range.count; n++)
    set_rule(&rules[n], rest[n], def);
}

/* The default of what does not wear. */
static msd_wear_def def_of(const wear_rule *w) {
  msd_wear_def def = msd_default_wear_def();
  if (!(w->tear > 0) && !(w->yield > 0))
    return def;
  def.tear = w->tear;
  def.yield = w->yield;
  def.creep = w->creep;
  def.set_limit = w->set_limit;
  def.splits = w->splits > 0;
  return def;
}

msd_result msd_springs_set_wear(msd_world *world, msd_range springs, const msd_wear_def *def) {
  if (!world_is_open(world))
    return world_say_closed(world);
  spring_store *s = &world->model.springs;
  msd_result result = spring_check_range(world, springs);
  if (result == MSD_OK)
    result = check_wear(&world->model.report, def, (subject){"spring", springs.first, NULL});
  if (result != MSD_OK)
    return result;
  if (!has_wear(def) && !s->wear)
    return MSD_OK;
  if (has_wear(def))
    result = check_can_wear(world, springs);
  if (result != MSD_OK)
    return result;
  if (!spring_open_wear(s, &world->model.memory))
    return world_fail(world, MSD_OUT_OF_MEMORY, "no memory for the wear of %d springs", (int)s->count);
  const bool could_split = spring_some_splits(s);
  set_rules(s->wear, s->rest, springs, def);
  for (int32_t n = 0; n < springs.count; n++)
    model_wake_spring(&world->model, springs.first + n);
  /* Where some may, the step is certified by rows. */
  world->model.revision.definitions += spring_some_splits(s) != could_split;
  return MSD_OK;
}

msd_wear_def msd_spring_get_wear(const msd_world *world, int32_t spring) {
  const bool wears = world_has(world, MSD_ITEM_SPRING, spring) && world->model.springs.wear;
  return wears ? def_of(&world->model.springs.wear[spring]) : msd_default_wear_def();
}

bool msd_spring_is_torn(const msd_world *world, int32_t spring) {
  return world_has(world, MSD_ITEM_SPRING, spring) && spring_is_torn(&world->model.springs, spring);
}

double msd_spring_get_set(const msd_world *world, int32_t spring) {
  DEFAULT_FLOAT_ENVIRONMENT;
  return world_has(world, MSD_ITEM_SPRING, spring) ? spring_set(&world->model.springs, spring) : 0;
}

/* -------------------------------------------------------------------------------------------- constraints */

static msd_result check_constraints(msd_world *world, msd_range range, const msd_wear_def *def) {
  const int32_t count = world->model.constraints.count;
  if (range.first < 0 || range.count < 0 || range.count > count - range.first)
    return world_fail(world, MSD_BAD_INDEX, "constraints %d to %lld; the world has %d", (int)range.first,
                      (long long)range.first + range.count - 1, (int)count);
  const subject about = {"constraint", range.first, NULL};
  const msd_result result = check_wear(&world->model.report, def, about);
  if (result == MSD_OK && def->tear > 0)
    return world_refuse(world, MSD_BAD_VALUE, about, "tear is %g; springs tear, and constraints only yield",
                        (double)def->tear);
  return result;
}

msd_result msd_constraints_set_wear(msd_world *world, msd_range constraints, const msd_wear_def *def) {
  if (!world_is_open(world))
    return world_say_closed(world);
  constraint_store *s = &world->model.constraints;
  const msd_result result = check_constraints(world, constraints, def);
  if (result != MSD_OK || constraints.count == 0 || (!has_wear(def) && !s->wear))
    return result;
  if (!constraint_open_wear(s, &world->model.memory))
    return world_fail(world, MSD_OUT_OF_MEMORY, "no memory for the wear of %d constraints", (int)s->count);
  set_rules(s->wear, s->rest, constraints, def);
  return MSD_OK;
}

msd_wear_def msd_constraint_get_wear(const msd_world *world, int32_t constraint) {
  const bool wears = world_has(world, MSD_ITEM_CONSTRAINT, constraint) && world->model.constraints.wear;
  return wears ? def_of(&world->model.constraints.wear[constraint]) : msd_default_wear_def();
}

double msd_constraint_get_set(const msd_world *world, int32_t constraint) {
  DEFAULT_FLOAT_ENVIRONMENT;
  if (!world_has(world, MSD_ITEM_CONSTRAINT, constraint))
    return 0;
  const constraint_store *s = &world->model.constraints;
  const double set = constraint_set(s, constraint);
  if (set == 0 || constraint_is_in_radians((msd_constraint_kind)s->kind[constraint]))
    return set;
  return set / (double)s->wear[constraint].given;
}

/* ------------------------------------------------------------------------------- springs that back others */

/* What backs a range: tethers at a ratio, with their law. */
typedef struct backing_plan {
  msd_range springs;
  msd_real ratio;
  /* 0: catches of this share. */
  msd_real more, share;
} backing_plan;

/* The law of a spring with `more` times its stiffness, and no damping. */
static law stiffened(law l, msd_real more) {
  const msd_real factor = law_is(l, MSD_SPRING_FREQUENCY) ? (msd_real)sqrt((double)more) : more;
  return (law){.kind = l.kind, .first = l.first * factor};
}

static msd_result check_stiffened(msd_world *world, int32_t spring, msd_real more) {
  const subject about = {"spring", spring, NULL};
  const law own = spring_law(&world->model.springs, spring);
  if (law_is(own, MSD_SPRING_CATCH))
    return world_refuse(world, MSD_BAD_VALUE, about, "is a catch, which has no stiffness to multiply");
  if (spring_side(&world->model.springs, spring) == MSD_SPRING_STRUT)
    return world_refuse(world, MSD_BAD_VALUE, about, "is a strut, which has no tension to multiply");
  if (law_is(own, MSD_SPRING_COEFFICIENT) && own.first < 0)
    return world_refuse(world, MSD_BAD_VALUE, about,
                        "is the stiffest that is certified, which leaves no room to stiffen; give it a "
                        "stiffness, a frequency or a ck");
  if (!isfinite(stiffened(own, more).first))
    return world_refuse(world, MSD_BAD_VALUE, about, "would have an infinite stiffness");
  return MSD_OK;
}

static msd_spring_def backing_def(const spring_store *s, const backing_plan *plan, int32_t spring) {
  msd_spring_def def = msd_default_spring_def();
  const msd_real rest = s->rest[spring] * plan->ratio;
  def.a = s->a[spring];
  def.b = s->b[spring];
  def.rest_length = isfinite(rest) ? rest : s->rest[spring];
  def.side = MSD_SPRING_TETHER;
  def.law = MSD_SPRING_CATCH;
  def.ck = plan->share;
  if (plan->more > 0)
    LAW_WRITE(&def, stiffened(spring_law(s, spring), plan->more));
  return def;
}

static void keep_backing(spring_store *s, particle_store *p, const backing_plan *plan, int32_t first) {
  s->backings[s->backing_count++] =
      (spring_backing){plan->springs.first, plan->springs.count, first, plan->ratio};
  for (int32_t n = 0; n < plan->springs.count; n++)
    if (spring_is_broken(s, plan->springs.first + n))
      spring_mark_broken(s, p, first + n);
}

static msd_result add_backing(msd_world *world, const backing_plan *plan, msd_range *made) {
  spring_store *s = &world->model.springs;
  memory *m = &world->model.memory;
  const int32_t count = plan->springs.count;
  msd_spring_def *defs = memory_allocate_items(m, count, sizeof *defs);
  int32_t first = s->count;
  msd_result result = MSD_OK;
  if (!defs || !growth_reserve(&spring_backing_growth, s, m, (int64_t)s->backing_count + 1))
    result = world_fail(world, MSD_OUT_OF_MEMORY, "no memory to back %d springs", (int)count);
  if (result == MSD_OK && world_find_gap(world, MSD_ITEM_SPRING, plan->springs) >= 0)
    result = world_check(world, MSD_ITEM_SPRING, world_find_gap(world, MSD_ITEM_SPRING, plan->springs));
  if (result == MSD_OK && first_backing_in(s, plan->springs) >= 0)
    result = world_refuse(world, MSD_BAD_VALUE, (subject){"spring", first_backing_in(s, plan->springs), NULL},
                          "backs another; back that one a second time");
  for (int32_t n = 0; n < count && result == MSD_OK; n++)
    defs[n] = backing_def(s, plan, plan->springs.first + n);
  if (result == MSD_OK)
    result = msd_add_springs(world, defs, count, &first);
  memory_release(m, defs);
  if (result != MSD_OK)
    return result;
  if (count > 0)
    keep_backing(s, &world->model.particles, plan, first);
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
    return world_say_closed(world);
  const backing_plan plan = {.springs = springs, .ratio = 1 + strain, .more = factor - 1};
  msd_result result = spring_check_range(world, springs);
  if (result == MSD_OK)
    result = check_number(world, __func__, "strain", strain, strain >= 0 && isfinite(plan.ratio),
                          "finite and 0 or more");
  if (result == MSD_OK)
    result = check_number(world, __func__, "factor", factor, plan.more > 0 && isfinite(factor),
                          "finite and above 1");
  for (int32_t n = 0; n < springs.count && result == MSD_OK; n++)
    result = check_stiffened(world, springs.first + n, plan.more);
  return result == MSD_OK ? add_backing(world, &plan, made) : result;
}

msd_result msd_springs_limit_stretch(msd_world *world, msd_range springs, msd_real stretch, msd_real share,
                                     msd_range *made) {
  DEFAULT_FLOAT_ENVIRONMENT;
  if (!world_is_open(world))
    return world_say_closed(world);
  const backing_plan plan = {.springs = springs, .ratio = stretch, .share = share};
  msd_result result = spring_check_range(world, springs);
  if (result == MSD_OK)
    result = check_number(world, __func__, "stretch", stretch, stretch >= 1 && isfinite(stretch),
                          "finite and 1 or more");
  if (result == MSD_OK)
    result = check_number(world, __func__, "share", share, share > 0 && share <= 1, "above 0 and at most 1");
  return result == MSD_OK ? add_backing(world, &plan, made) : result;
}
