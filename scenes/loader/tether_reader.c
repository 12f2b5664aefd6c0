#include "scenes/loader/tether_reader.h"

#include "scenes/loader/spring_reader.h"

/* true, false, or an object. False in *wanted where there are to be none. */
static bool read_tethers(const json_place *place, msd_tethers_def *def, bool *wanted) {
  static const char *const keys[] = {"pins_each", "slack", SPRING_HARD_LIMIT_KEY, SPRING_LAW_KEYS, NULL};
  static const quantity pins = {"a whole number of pins from 1 to 8", 1, 8};
  static const quantity slack = {"a strain of 0 or more, such as 0.01 for 1 %", 0, NUMBER_LARGEST};
  *wanted = !json_is_false(place->value);
  if (json_is_boolean(place->value))
    return true;
  if (!json_is_object(place->value))
    return place_fail_type(place, "true, false, or an object such as { \"slack\": 0.01 }");
  double each = def->pins_each;
  bool given;
  if (!place_check_object(place, keys) || !read_whole(place, "pins_each", &pins, &each) ||
      !read_real(place, "slack", &slack, &def->slack) ||
      !spring_read_law(place, SPRING_LENGTH, &def->spring, &given))
    return false;
  def->pins_each = (int32_t)each;
  return true;
}

static bool is_all_pinned(const msd_world *world, msd_range particles) {
  for (int32_t i = 0; i < particles.count; i++)
    if (!msd_particle_is_pinned(world, particles.first + i))
      return false;
  return true;
}

bool tethers_read(const body_task *t) {
  json_place place = place_member(t->place, "tethers");
  msd_tethers_def def = msd_default_tethers_def();
  bool wanted = false;
  if (!place.value)
    return true;
  if (!read_tethers(&place, &def, &wanted))
    return false;
  if (!wanted || !t->world)
    return true;
  def.particles = t->body->particles;
  if (is_all_pinned(t->world, def.particles))
    return place_fail(&place, "has nothing to tie: every particle of the body is pinned");
  msd_range made;
  if (msd_add_tethers(t->world, &def, &made) != MSD_OK)
    return place_fail(&place, "%s", msd_world_message(t->world));
  /* They follow the other springs of the body. */
  msd_range *springs = &t->body->springs;
  *springs = (msd_range){springs->count > 0 ? springs->first : made.first, springs->count + made.count};
  body_add_group(t->body, "tethers", made);
  return true;
}
