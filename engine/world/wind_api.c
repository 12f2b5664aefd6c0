/* Public functions of msd/wind.h. */

#include "engine/air/turbulence.h"
#include "engine/base/float_environment.h"
#include "engine/world/world.h"

msd_wind_def msd_default_wind_def(void) {
  return (msd_wind_def){.turbulence_length = 2,
                        .turbulence_time = 1,
                        .density = (msd_real)1.2,
                        .normal_drag = (msd_real)1.2,
                        .tangential_drag = (msd_real)0.02,
                        .cookie = MSD_WIND_COOKIE};
}

msd_result msd_world_set_wind(msd_world *world, const msd_wind_def *def) {
  if (!world_is_open(world))
    return fail_locked(world);
  report *r = &world->model.report;
  const subject about = {"wind definition", -1, NULL};
  const msd_result result = check_cookie(r, about, def ? &def->cookie : NULL, MSD_WIND_COOKIE);
  if (result != MSD_OK)
    return result;
  const char *fault = wind_fault(def);
  if (fault)
    return report_refuse(r, MSD_BAD_VALUE, about, "%s", fault);
  world->model.wind = *def;
  sleep_wake_all(&world->model.sleep);
  return MSD_OK;
}

msd_wind_def msd_world_get_wind(const msd_world *world) {
  return world ? world->model.wind : wind_none();
}

msd_vec3 msd_world_get_wind_velocity(const msd_world *world, msd_vec3 place) {
  DEFAULT_FLOAT_ENVIRONMENT;
  if (!world || !(world->model.wind.density > 0))
    return (msd_vec3){0, 0, 0};
  turbulence_cell cell = {0};
  const double3 v = turbulence_wind_at(&world->model.wind, vec3_double(place), world->time, &cell);
  return (msd_vec3){(msd_real)v.x, (msd_real)v.y, (msd_real)v.z};
}
