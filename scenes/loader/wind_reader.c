#include "scenes/loader/wind_reader.h"

static bool read_seed(const json_place *place, uint32_t *seed) {
  static const quantity number = {"a whole number from 0 to 4294967295", 0, UINT32_MAX};
  double value = *seed;
  if (!read_whole(place, "seed", &number, &value))
    return false;
  *seed = (uint32_t)value;
  return true;
}

static bool read_turbulence(const json_place *place, msd_wind_def *def) {
  static const quantity speed = {"a speed of 0 or more in m/s", 0, NUMBER_LARGEST},
                        length = {"a length above 0 in m", NUMBER_SMALLEST, NUMBER_LARGEST},
                        time = {"a time above 0 in s", NUMBER_SMALLEST, NUMBER_LARGEST};
  return read_real(place, "turbulence", &speed, &def->turbulence) &&
         read_real(place, "turbulence_length", &length, &def->turbulence_length) &&
         read_real(place, "turbulence_time", &time, &def->turbulence_time) && read_seed(place, &def->seed);
}

static bool read_drag(const json_place *place, msd_wind_def *def) {
  static const quantity density = {"a density of 0 or more in kg/m^3", 0, NUMBER_LARGEST},
                        coefficient = {"a coefficient of drag of 0 or more", 0, NUMBER_LARGEST};
  return read_real(place, "density", &density, &def->density) &&
         read_real(place, "normal_drag", &coefficient, &def->normal_drag) &&
         read_real(place, "tangential_drag", &coefficient, &def->tangential_drag);
}

bool wind_read(const json_place *root, scene *s) {
  static const char *const keys[] = {"velocity", "turbulence", "turbulence_length", "turbulence_time",
                                     "seed",     "density",    "normal_drag",       "tangential_drag",
                                     NULL};
  const json_place place = place_member(root, "wind");
  msd_wind_def def = msd_default_wind_def();
  if (!place.value)
    return true;
  if (!place_check_object(&place, keys) || !read_vector(&place, "velocity", &def.velocity) ||
      !read_turbulence(&place, &def) || !read_drag(&place, &def))
    return false;
  return !s->world || msd_world_set_wind(s->world, &def) == MSD_OK ||
         place_fail(&place, "%s", msd_world_message(s->world));
}
