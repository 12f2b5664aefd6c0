#include "engine/air/turbulence_noise.h"

#include <string.h>

/* A hash: every bit of the result depends on every bit of the key (splitmix64, Steele et al. 2014). */
static uint64_t mixed(uint64_t key) {
  key = (key ^ key >> 30) * 0xbf58476d1ce4e5b9u;
  key = (key ^ key >> 27) * 0x94d049bb133111ebu;
  return key ^ key >> 31;
}

/* A uniform odd multiple of 2^-21 in -1..1, from 21 bits. */
static double even_number(uint64_t bits) {
  return (double)(2 * (int64_t)(bits & 0x1fffff) + 1 - 0x200000) / 0x200000;
}

static void find_corners(turbulence_cell *c, uint64_t seed) {
  static const uint64_t odd[TURBULENCE_DIMENSIONS] = {0x9e3779b97f4a7c15u, 0xc2b2ae3d27d4eb4fu,
                                                      0xd6e8feb86659fd93u, 0xa0761d6478bd642fu};
  const uint64_t first_key = mixed(seed + 1);
  for (int corner = 0; corner < TURBULENCE_CORNERS; corner++) {
    uint64_t key = first_key;
    for (int k = 0; k < TURBULENCE_DIMENSIONS; k++)
      key += (c->at[k] + ((uint64_t)corner >> k & 1)) * odd[k];
    const uint64_t bits = mixed(key);
    c->corners[corner] = (double3){even_number(bits), even_number(bits >> 21), even_number(bits >> 42)};
  }
}

void turbulence_cell_enter(turbulence_cell *c, const double cell[TURBULENCE_DIMENSIONS], uint64_t seed) {
  uint64_t at[TURBULENCE_DIMENSIONS];
  for (int k = 0; k < TURBULENCE_DIMENSIONS; k++)
    at[k] = (uint64_t)(int64_t)cell[k];
  if (c->is_known && memcmp(c->at, at, sizeof at) == 0)
    return;
  memcpy(c->at, at, sizeof at);
  find_corners(c, seed);
  c->is_known = true;
}

double3 turbulence_wind_at(const msd_wind_def *wind, double3 place, double time, turbulence_cell *last) {
  double places[3][TURBULENCE_LANES] = {{place.x}, {place.y}, {place.z}}, out[3][TURBULENCE_LANES];
  turbulence_noise_wind(wind, places, time, last, out);
  return (double3){out[0][0], out[1][0], out[2][0]};
}
