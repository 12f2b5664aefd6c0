/* The turbulence noise of turbulence.h at TURBULENCE_LANES positions at once (one, unless a file defines it):
   loops over lanes that compilers vectorize. The result of a lane does not depend on the others. */
#ifndef MSD_ENGINE_AIR_TURBULENCE_NOISE_H
#define MSD_ENGINE_AIR_TURBULENCE_NOISE_H

#include "engine/air/turbulence.h"

#ifndef TURBULENCE_LANES
#define TURBULENCE_LANES 1
#endif

/* One dimension: the lower integer, and the weights of both neighbors. */
typedef struct turbulence_places {
  double cell[TURBULENCE_LANES], weight[2][TURBULENCE_LANES];
} turbulence_places;

static inline void turbulence_noise_place(turbulence_places *p, const double at[TURBULENCE_LANES]) {
  for (int n = 0; n < TURBULENCE_LANES; n++) {
    const double cell = floor(at[n]), f = at[n] - cell, s = f * f * (3 - 2 * f);
    const bool is_in_range = fabs(cell) < 0x1p52;
    p->cell[n] = is_in_range ? cell : 0;
    p->weight[0][n] = is_in_range ? 1 - s : 1;
    p->weight[1][n] = is_in_range ? s : 0;
  }
}

/* The noise as if all positions were in that cell, by component. */
static inline void turbulence_noise_in(const turbulence_places p[TURBULENCE_DIMENSIONS],
                                       const turbulence_cell *c, double out[3][TURBULENCE_LANES]) {
  double low[4][TURBULENCE_LANES], high[4][TURBULENCE_LANES], squares[TURBULENCE_LANES];
  for (int k = 0; k < 4; k++)
    for (int n = 0; n < TURBULENCE_LANES; n++) {
      low[k][n] = p[0].weight[k & 1][n] * p[1].weight[k >> 1][n];
      high[k][n] = p[2].weight[k & 1][n] * p[3].weight[k >> 1][n];
    }
  for (int n = 0; n < TURBULENCE_LANES; n++) {
    out[0][n] = out[1][n] = out[2][n] = 0;
    squares[n] = 1;
  }
  for (int corner = 0; corner < TURBULENCE_CORNERS; corner++)
    for (int n = 0; n < TURBULENCE_LANES; n++) {
      const double weight = low[corner & 3][n] * high[corner >> 2][n];
      out[0][n] += c->corners[corner].x * weight;
      out[1][n] += c->corners[corner].y * weight;
      out[2][n] += c->corners[corner].z * weight;
    }
  for (int k = 0; k < TURBULENCE_DIMENSIONS; k++)
    for (int n = 0; n < TURBULENCE_LANES; n++)
      squares[n] *= p[k].weight[0][n] * p[k].weight[0][n] + p[k].weight[1][n] * p[k].weight[1][n];
  for (int n = 0; n < TURBULENCE_LANES; n++) {
    const double scale = sqrt(3 / squares[n]);
    out[0][n] *= scale;
    out[1][n] *= scale;
    out[2][n] *= scale;
  }
}

static inline void turbulence_noise_enter(turbulence_cell *c,
                                          const turbulence_places p[TURBULENCE_DIMENSIONS], int n,
                                          uint64_t seed) {
  turbulence_cell_enter(c, (double[]){p[0].cell[n], p[1].cell[n], p[2].cell[n], p[3].cell[n]}, seed);
}

static inline bool turbulence_noise_share_cell(const turbulence_places p[TURBULENCE_DIMENSIONS], int n,
                                               int other) {
  bool same = true;
  for (int k = 0; k < TURBULENCE_DIMENSIONS; k++)
    same = same && p[k].cell[n] == p[k].cell[other];
  return same;
}

/* Neighboring positions are mostly in one or two cells. */
static inline void turbulence_noise_at(const turbulence_places p[TURBULENCE_DIMENSIONS],
                                       turbulence_cell *last, uint64_t seed,
                                       double out[3][TURBULENCE_LANES]) {
  bool is_done[TURBULENCE_LANES] = {false};
  for (int n = 0; n < TURBULENCE_LANES; n++) {
    if (is_done[n])
      continue;
    double own[3][TURBULENCE_LANES];
    turbulence_noise_enter(last, p, n, seed);
    turbulence_noise_in(p, last, own);
    for (int other = n; other < TURBULENCE_LANES; other++)
      if (turbulence_noise_share_cell(p, n, other)) {
        is_done[other] = true;
        for (int axis = 0; axis < 3; axis++)
          out[axis][other] = own[axis][other];
      }
  }
}

/* m/s: the wind at the positions, as turbulence_wind_at. */
static inline void turbulence_noise_wind(const msd_wind_def *wind, double places[3][TURBULENCE_LANES],
                                         double time, turbulence_cell *last,
                                         double out[3][TURBULENCE_LANES]) {
  const double mean[3] = {(double)wind->velocity.x, (double)wind->velocity.y, (double)wind->velocity.z};
  const double length = (double)wind->turbulence_length, strength = (double)wind->turbulence;
  if (!(wind->turbulence > 0)) {
    for (int axis = 0; axis < 3; axis++)
      for (int n = 0; n < TURBULENCE_LANES; n++)
        out[axis][n] = mean[axis];
    return;
  }
  turbulence_places p[TURBULENCE_DIMENSIONS];
  double at[TURBULENCE_LANES];
  for (int axis = 0; axis < 3; axis++) {
    for (int n = 0; n < TURBULENCE_LANES; n++)
      at[n] = (places[axis][n] + mean[axis] * -time) / length;
    turbulence_noise_place(&p[axis], at);
  }
  for (int n = 0; n < TURBULENCE_LANES; n++)
    at[n] = time / (double)wind->turbulence_time;
  turbulence_noise_place(&p[3], at);
  turbulence_noise_at(p, last, wind->seed, out);
  for (int axis = 0; axis < 3; axis++)
    for (int n = 0; n < TURBULENCE_LANES; n++)
      out[axis][n] = mean[axis] + out[axis][n] * strength;
}

#endif
