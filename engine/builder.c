#include "builder.h"

#include <stdio.h>

#include <float.h>
#include <math.h>

bool builder_is_storable(double value) {
  return fabs(value) <= (sizeof(msd_real) == sizeof(float) ? (double)FLT_MAX : DBL_MAX);
}

bool builder_is_usable_mass(double mass) {
  return builder_is_storable(mass) && (msd_real)mass > 0 && builder_is_storable(1.0 / (double)(msd_real)mass);
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
  if (!world)
    return MSD_BAD_VALUE;
  if (made)
    return MSD_OK;
  return world_fail(world, MSD_BAD_DEF, "%s: the definition was not made by msd_default_%s_def", body, body);
}

msd_result builder_check_pattern(msd_world *world, const char *body, const char *group,
                                 const msd_spring_def *pattern) {
  if (pattern->cookie != MSD_SPRING_COOKIE)
    return world_fail(world, MSD_BAD_DEF, "%s: %s was not made by msd_default_spring_def", body, group);
  if (pattern->law == MSD_SPRING_NONE)
    return MSD_OK;
  char place[64];
  snprintf(place, sizeof place, "%s: %s.", body, group);
  return spring_check_law(world, pattern, place);
}

static const int64_t COUNT_MAX = INT64_MAX / 4;

int64_t builder_product(int64_t a, int64_t b) {
  return b > 0 && a > COUNT_MAX / b ? COUNT_MAX : a * b;
}

int64_t builder_sum(int64_t a, int64_t b) {
  return a > COUNT_MAX - b ? COUNT_MAX : a + b;
}

void builder_to_double(msd_vec3 v, double out[3]) {
  out[0] = (double)v.x;
  out[1] = (double)v.y;
  out[2] = (double)v.z;
}

msd_result builder_hand_over(msd_result result, const msd_body *made, msd_body *body) {
  if (body)
    *body = result == MSD_OK ? *made : (msd_body){0};
  return result;
}

msd_spring_def builder_pattern(msd_spring_law law) {
  msd_spring_def def = msd_default_spring_def();
  def.law = law;
  return def;
}

void builder_springs_begin(builder_springs *springs, msd_world *world, const msd_spring_def *pattern) {
  springs->world = world;
  springs->range = (msd_range){msd_world_get_spring_count(world), 0};
  springs->waiting = 0;
  for (int i = 0; i < BUILDER_BATCH; i++) {
    springs->defs[i] = *pattern;
    springs->defs[i].rest_length = -1; /* as placed */
  }
}

static msd_result flush(builder_springs *springs) {
  const msd_result result = msd_add_springs(springs->world, springs->defs, springs->waiting, NULL);
  springs->range.count += result == MSD_OK ? springs->waiting : 0;
  springs->waiting = 0;
  return result;
}

msd_result builder_springs_add(builder_springs *springs, int32_t a, int32_t b) {
  springs->defs[springs->waiting].a = a;
  springs->defs[springs->waiting].b = b;
  springs->waiting++;
  return springs->waiting == BUILDER_BATCH ? flush(springs) : MSD_OK;
}

msd_result builder_springs_end(builder_springs *springs, msd_range *range) {
  const msd_result result = flush(springs);
  *range = springs->range;
  return result;
}
