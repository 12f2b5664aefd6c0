#include "render/paint/colormap.h"

#include <math.h>

/* Every 10 % of viridis, by Nathaniel Smith and Stefan van der Walt (CC0, BIDS/colormap). */
static const double soft_pins[11][3] = {
    {0.267004, 0.004874, 0.329415}, {0.282623, 0.140926, 0.457517}, {0.253935, 0.265254, 0.529983},
    {0.206756, 0.371758, 0.553117}, {0.163625, 0.471133, 0.558148}, {0.127568, 0.566949, 0.550556},
    {0.134692, 0.658636, 0.517649}, {0.266941, 0.748751, 0.440573}, {0.477504, 0.821444, 0.318195},
    {0.741388, 0.873449, 0.149561}, {0.993248, 0.906157, 0.143936}};

/* Catmull-Rom through the soft pins; at both ends the missing neighbor continues the line. */
static double interpolate(int channel, double at) {
  int i = at < 9 ? (int)at : 9;
  double t = at - i;
  double p1 = soft_pins[i][channel], p2 = soft_pins[i + 1][channel];
  double p0 = i > 0 ? soft_pins[i - 1][channel] : 2 * p1 - p2;
  double p3 = i < 9 ? soft_pins[i + 2][channel] : 2 * p2 - p1;
  return p1 + 0.5 * t * (p2 - p0 + t * (2 * p0 - 5 * p1 + 4 * p2 - p3 + t * (3 * (p1 - p2) + p3 - p0)));
}

rgb colormap_entry(int i) {
  int entry = i < 0 ? 0 : i >= COLORMAP_SIZE ? COLORMAP_SIZE - 1 : i;
  uint8_t channels[3];
  for (int c = 0; c < 3; c++) {
    double value = interpolate(c, 10.0 * entry / (COLORMAP_SIZE - 1));
    channels[c] = (uint8_t)lround(255 * fmin(fmax(value, 0), 1));
  }
  return (rgb){channels[0], channels[1], channels[2]};
}

/* After Okabe and Ito, "Color universal design", so that color-blind eyes tell them apart. */
rgb kind_color(int kind) {
  static const rgb colors[KIND_COLORS] = {{0, 90, 160},   {214, 94, 0}, {0, 140, 105},
                                          {150, 80, 150}, {60, 60, 60}, {204, 160, 30}};
  return colors[(unsigned)kind % KIND_COLORS];
}

rgb body_color(int i) {
  static const rgb colors[BODY_COLORS] = {{38, 116, 150}, {226, 152, 58}, {86, 140, 88},
                                          {128, 96, 164}, {186, 76, 62},  {78, 86, 110}};
  return colors[(unsigned)i % BODY_COLORS];
}

rgb body_back_color(int i) {
  static const rgb colors[BODY_COLORS] = {{236, 206, 150}, {132, 156, 160}, {226, 216, 170},
                                          {220, 204, 226}, {240, 208, 178}, {192, 198, 212}};
  return colors[(unsigned)i % BODY_COLORS];
}
