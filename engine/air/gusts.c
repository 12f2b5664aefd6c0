#include "engine/air/gusts.h"

#include <string.h>

/* One dimension: the lower of the two whole numbers, and the weights of both. */
typedef struct lattice_place {
  uint64_t cell;
  double weight[2];
} lattice_place;

static lattice_place place_on(double at) {
  const double cell = floor(at);
  if (!(fabs(cell) < 0x1p52))
    return (lattice_place){0, {1, 0}};
  const double f = at - cell, s = f * f * (3 - 2 * f);
  return (lattice_place){(uint64_t)(int64_t)cell, {1 - s, s}};
}

/* Every bit of the result depends on every bit of the key (splitmix64, Steele et al. 2014). */
static uint64_t mixed(uint64_t key) {
  key = (key ^ key >> 30) * 0xbf58476d1ce4e5b9u;
  key = (key ^ key >> 27) * 0x94d049bb133111ebu;
  return key ^ key >> 31;
}

/* An odd number of 2^-21 in -1..1, of 21 bits. */
static double even_number(uint64_t bits) {
  return (double)(2 * (int64_t)(bits & 0x1fffff) + 1 - 0x200000) / 0x200000;
}

static void find_corners(gust_cell *c, uint64_t seed) {
  static const uint64_t odd[GUST_DIMENSIONS] = {0x9e3779b97f4a7c15u, 0xc2b2ae3d27d4eb4fu, 0xd6e8feb86659fd93u,
                                                0xa0761d6478bd642fu};
  const uint64_t first_key = mixed(seed + 1);
  for (int corner = 0; corner < GUST_CORNERS; corner++) {
    uint64_t key = first_key;
    for (int k = 0; k < GUST_DIMENSIONS; k++)
      key += (c->at[k] + ((uint64_t)corner >> k & 1)) * odd[k];
    const uint64_t bits = mixed(key);
    c->corners[corner] = (double3){even_number(bits), even_number(bits >> 21), even_number(bits >> 42)};
  }
}

static void enter_cell(gust_cell *c, const lattice_place p[GUST_DIMENSIONS], uint64_t seed) {
  uint64_t at[GUST_DIMENSIONS];
  for (int k = 0; k < GUST_DIMENSIONS; k++)
    at[k] = p[k].cell;
  if (c->is_known && memcmp(c->at, at, sizeof at) == 0)
    return;
  memcpy(c->at, at, sizeof at);
  find_corners(c, seed);
  c->is_known = true;
}

static double3 noise_at(const lattice_place p[GUST_DIMENSIONS], const gust_cell *c) {
  double low[4], high[4], squares = 1;
  for (int n = 0; n < 4; n++) {
    low[n] = p[0].weight[n & 1] * p[1].weight[n >> 1];
    high[n] = p[2].weight[n & 1] * p[3].weight[n >> 1];
  }
  double3 sum = {0, 0, 0};
  for (int corner = 0; corner < GUST_CORNERS; corner++)
    sum = double3_add_scaled(sum, c->corners[corner], low[corner & 3] * high[corner >> 2]);
  for (int k = 0; k < GUST_DIMENSIONS; k++)
    squares *= p[k].weight[0] * p[k].weight[0] + p[k].weight[1] * p[k].weight[1];
  return double3_scale(sum, sqrt(3 / squares));
}

double3 gusts_wind_at(const msd_wind_def *wind, double3 place, double time, gust_cell *last) {
  const double3 mean = vec3_double(wind->velocity);
  if (!(wind->gust > 0))
    return mean;
  const double3 carried = double3_add_scaled(place, mean, -time);
  const double length = (double)wind->gust_length;
  const lattice_place p[GUST_DIMENSIONS] = {place_on(carried.x / length), place_on(carried.y / length),
                                            place_on(carried.z / length),
                                            place_on(time / (double)wind->gust_time)};
  enter_cell(last, p, wind->seed);
  return double3_add_scaled(mean, noise_at(p, last), (double)wind->gust);
}
