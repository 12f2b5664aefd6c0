/* The noise of gusts.h at several places at once, GUST_LANES of them (one, unless a file says otherwise): loops
   over lanes of which compilers make vectors. A lane has the bits that it would have alone. */
#ifndef MSD_ENGINE_AIR_GUST_NOISE_H
#define MSD_ENGINE_AIR_GUST_NOISE_H

#include "engine/air/gusts.h"

#ifndef GUST_LANES
#define GUST_LANES 1
#endif

/* One dimension: the lower of the two whole numbers, and the weights of both. */
typedef struct gust_places {
  double cell[GUST_LANES], weight[2][GUST_LANES];
} gust_places;

static inline void gust_noise_place(gust_places *p, const double at[GUST_LANES]) {
  for (int n = 0; n < GUST_LANES; n++) {
    const double cell = floor(at[n]), f = at[n] - cell, s = f * f * (3 - 2 * f);
    const bool is_in_range = fabs(cell) < 0x1p52;
    p->cell[n] = is_in_range ? cell : 0;
    p->weight[0][n] = is_in_range ? 1 - s : 1;
    p->weight[1][n] = is_in_range ? s : 0;
  }
}

/* As if all were in that cell; component by component. */
static inline void gust_noise_in(const gust_places p[GUST_DIMENSIONS], const gust_cell *c,
                                 double out[3][GUST_LANES]) {
  double low[4][GUST_LANES], high[4][GUST_LANES], squares[GUST_LANES];
  for (int k = 0; k < 4; k++)
    for (int n = 0; n < GUST_LANES; n++) {
      low[k][n] = p[0].weight[k & 1][n] * p[1].weight[k >> 1][n];
      high[k][n] = p[2].weight[k & 1][n] * p[3].weight[k >> 1][n];
    }
  for (int n = 0; n < GUST_LANES; n++) {
    out[0][n] = out[1][n] = out[2][n] = 0;
    squares[n] = 1;
  }
  for (int corner = 0; corner < GUST_CORNERS; corner++)
    for (int n = 0; n < GUST_LANES; n++) {
      const double weight = low[corner & 3][n] * high[corner >> 2][n];
      out[0][n] += c->corners[corner].x * weight;
      out[1][n] += c->corners[corner].y * weight;
      out[2][n] += c->corners[corner].z * weight;
    }
  for (int k = 0; k < GUST_DIMENSIONS; k++)
    for (int n = 0; n < GUST_LANES; n++)
      squares[n] *= p[k].weight[0][n] * p[k].weight[0][n] + p[k].weight[1][n] * p[k].weight[1][n];
  for (int n = 0; n < GUST_LANES; n++) {
    const double scale = sqrt(3 / squares[n]);
    out[0][n] *= scale;
    out[1][n] *= scale;
    out[2][n] *= scale;
  }
}

static inline void gust_noise_enter(gust_cell *c, const gust_places p[GUST_DIMENSIONS], int n,
                                    uint64_t seed) {
  gust_cell_enter(c, (double[]){p[0].cell[n], p[1].cell[n], p[2].cell[n], p[3].cell[n]}, seed);
}

static inline bool gust_noise_share_cell(const gust_places p[GUST_DIMENSIONS], int n, int other) {
  bool same = true;
  for (int k = 0; k < GUST_DIMENSIONS; k++)
    same = same && p[k].cell[n] == p[k].cell[other];
  return same;
}

/* Most places that stand beside each other are in one cell, or in two. */
static inline void gust_noise_at(const gust_places p[GUST_DIMENSIONS], gust_cell *last, uint64_t seed,
                                 double out[3][GUST_LANES]) {
  bool is_done[GUST_LANES] = {false};
  for (int n = 0; n < GUST_LANES; n++) {
    if (is_done[n])
      continue;
    double own[3][GUST_LANES];
    gust_noise_enter(last, p, n, seed);
    gust_noise_in(p, last, own);
    for (int other = n; other < GUST_LANES; other++)
      if (gust_noise_share_cell(p, n, other)) {
        is_done[other] = true;
        for (int axis = 0; axis < 3; axis++)
          out[axis][other] = own[axis][other];
      }
  }
}

/* m/s: of the wind at places, as gusts_wind_at. */
static inline void gust_noise_wind(const msd_wind_def *wind, double places[3][GUST_LANES], double time,
                                   gust_cell *last, double out[3][GUST_LANES]) {
  const double mean[3] = {(double)wind->velocity.x, (double)wind->velocity.y, (double)wind->velocity.z};
  const double length = (double)wind->gust_length, strength = (double)wind->gust;
  if (!(wind->gust > 0)) {
    for (int axis = 0; axis < 3; axis++)
      for (int n = 0; n < GUST_LANES; n++)
        out[axis][n] = mean[axis];
    return;
  }
  gust_places p[GUST_DIMENSIONS];
  double at[GUST_LANES];
  for (int axis = 0; axis < 3; axis++) {
    for (int n = 0; n < GUST_LANES; n++)
      at[n] = (places[axis][n] + mean[axis] * -time) / length;
    gust_noise_place(&p[axis], at);
  }
  for (int n = 0; n < GUST_LANES; n++)
    at[n] = time / (double)wind->gust_time;
  gust_noise_place(&p[3], at);
  gust_noise_at(p, last, wind->seed, out);
  for (int axis = 0; axis < 3; axis++)
    for (int n = 0; n < GUST_LANES; n++)
      out[axis][n] = mean[axis] + out[axis][n] * strength;
}

#endif
