#include "engine/store/wind.h"

#include "engine/base/vec3.h"

msd_wind_def wind_none(void) {
  msd_wind_def def = msd_default_wind_def();
  def.density = 0;
  return def;
}

static bool is_not_negative(msd_real number) {
  return isfinite(number) && number >= 0;
}

static bool is_positive(msd_real number) {
  return isfinite(number) && number > 0;
}

const char *wind_fault(const msd_wind_def *def) {
  if (!vec3_is_finite(def->velocity))
    return "velocity must be finite";
  if (!is_not_negative(def->turbulence))
    return "turbulence must be finite and 0 or more";
  if (!is_positive(def->turbulence_length) || !is_positive(def->turbulence_time))
    return "turbulence_length and turbulence_time must be finite and above 0";
  if (!is_not_negative(def->density))
    return "density must be finite and 0 or more";
  if (!is_not_negative(def->normal_drag) || !is_not_negative(def->tangential_drag))
    return "normal_drag and tangential_drag must be finite and 0 or more";
  return NULL;
}
