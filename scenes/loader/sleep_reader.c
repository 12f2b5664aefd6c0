#include "scenes/loader/sleep_reader.h"

bool sleep_read(const json_place *root, scene *s) {
  static const char *const keys[] = {"speed", "delay", NULL};
  static const quantity speed = {"a speed of 0 or more in m/s", 0, NUMBER_LARGEST},
                        delay = {"a time above 0 in s", NUMBER_SMALLEST, NUMBER_LARGEST};
  const json_place place = place_member(root, "sleep");
  msd_sleep_def def = msd_default_sleep_def();
  if (!place.value)
    return true;
  if (!place_check_object(&place, keys) || !read_real(&place, "speed", &speed, &def.speed) ||
      !read_real(&place, "delay", &delay, &def.delay))
    return false;
  return !s->world || msd_world_set_sleep(s->world, &def) == MSD_OK ||
         place_fail(&place, "%s", msd_world_message(s->world));
}
