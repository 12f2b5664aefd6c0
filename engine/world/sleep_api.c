/* Public functions of msd/sleep.h. */

#include "engine/world/world.h"

#include <math.h>

msd_sleep_def msd_default_sleep_def(void) {
  return (msd_sleep_def){.speed = (msd_real)0.01, .delay = (msd_real)0.5, .cookie = MSD_SLEEP_COOKIE};
}

msd_result msd_world_set_sleep(msd_world *world, const msd_sleep_def *def) {
  if (!world_is_open(world))
    return fail_locked(world);
  report *r = &world->model.report;
  const subject about = {"sleep definition", -1, NULL};
  const msd_result result = check_cookie(r, about, def ? &def->cookie : NULL, MSD_SLEEP_COOKIE);
  if (result != MSD_OK)
    return result;
  if (!sleep_settings_are_sound(def->speed, def->delay))
    return report_refuse(r, MSD_BAD_VALUE, about,
                         "speed %g, delay %g; they must be finite, speed 0 or more and delay above 0",
                         (double)def->speed, (double)def->delay);
  sleep_wake_all(&world->model.sleep);
  world->model.sleep.speed = def->speed;
  world->model.sleep.time = def->delay;
  return MSD_OK;
}

msd_sleep_def msd_world_get_sleep(const msd_world *world) {
  msd_sleep_def def = msd_default_sleep_def();
  def.speed = world ? world->model.sleep.speed : 0;
  def.delay = world ? world->model.sleep.time : def.delay;
  return def;
}

bool msd_particle_is_asleep(const msd_world *world, int32_t particle) {
  return world_has(world, MSD_OBJECT_PARTICLE, particle) && sleep_has(&world->model.sleep, particle);
}

msd_result msd_particle_wake(msd_world *world, int32_t particle) {
  const msd_result result = world_check(world, MSD_OBJECT_PARTICLE, particle);
  if (result == MSD_OK)
    sleep_wake(&world->model.sleep, particle);
  return result;
}

msd_result msd_world_wake_all(msd_world *world) {
  if (!world_is_open(world))
    return fail_locked(world);
  sleep_wake_all(&world->model.sleep);
  return MSD_OK;
}
