#include "render/paint/legend.h"

#include <math.h>
#include <stdio.h>

/* Pixels around the text, in a picture 800 pixels high. */
#define MARGIN 12

legend_backing legend_backing_of(const picture_background *background) {
  const uint8_t *c = background->color;
  bool is_dark = background->is_plain && 0.3 * c[0] + 0.59 * c[1] + 0.11 * c[2] < 128;
  return is_dark ? LEGEND_ON_DARK : LEGEND_ON_LIGHT;
}

static rgb ink_on(legend_backing backing) {
  return backing == LEGEND_ON_DARK ? (rgb){226, 230, 236} : (rgb){52, 58, 68};
}

static void add_paper(overlay *o, legend_backing backing, float x, float top, float width, float height,
                      float s) {
  if (backing == LEGEND_ON_PAPER)
    overlay_rectangle(o, x - MARGIN * s, top - MARGIN * s, width + 2 * MARGIN * s, height + 2 * MARGIN * s,
                      (rgb){255, 255, 255}, 0.66f);
}

/* The factor on all lengths: 1 in a picture 800 pixels high. */
static float scale_of(int width, int height) {
  float by_height = (float)height / 800, by_width = (float)width / 700;
  return fmaxf(fminf(by_height, by_width), 0.75f);
}

double legend_round_up(picture_color color, double value) {
  /* A smaller strain may be rounding. */
  if (color == PICTURE_COLOR_STRAIN)
    value = fmax(value, 0.001);
  if (!(value > 0))
    return 1;
  double power = pow(10, floor(log10(value)));
  static const double steps[] = {1, 2, 5, 10};
  for (int i = 0; i < 4; i++)
    if (value <= steps[i] * power * (1 + 1e-9))
      return steps[i] * power;
  return 10 * power;
}

void legend_bar(int width, int height, float bar[4]) {
  float s = scale_of(width, height);
  bar[0] = 28 * s;
  bar[1] = (float)height - 54 * s;
  bar[2] = 240 * s;
  bar[3] = 11 * s;
}

static void add_kinds(overlay *o, int width, int height, const bool *kinds, legend_backing backing) {
  static const char *const names[KIND_COLORS] = {"stretch", "shear",       "bend",
                                                 "springs", "connections", "tethers"};
  float s = scale_of(width, height), row = 21 * s, widest = 0;
  int rows = 0;
  for (int kind = 0; kind < KIND_COLORS; kind++) {
    rows += kinds[kind];
    widest = kinds[kind] ? fmaxf(widest, overlay_text_width(17 * s, names[kind])) : widest;
  }
  float top = (float)height - 19 * s - row * (float)rows;
  add_paper(o, backing, 28 * s, top, 30 * s + widest, row * (float)rows, s);
  for (int kind = 0; kind < KIND_COLORS; kind++) {
    if (!kinds[kind])
      continue;
    overlay_rectangle(o, 28 * s, top + 6 * s, 22 * s, 4 * s, kind_color(kind), 1);
    overlay_text(o, 58 * s, top, 17 * s, 0, ink_on(backing), names[kind]);
    top += row;
  }
}

void legend_add(overlay *o, int width, int height, picture_color color, double max, const bool *kinds,
                legend_backing backing) {
  static const struct {
    const char *title, *unit;
    double factor;
  } quantities[PICTURE_COLOR_COUNT] = {[PICTURE_COLOR_STRAIN] = {"strain", " %", 100},
                                       [PICTURE_COLOR_FORCE] = {"spring force", " N", 1},
                                       [PICTURE_COLOR_SPEED] = {"speed", " m/s", 1},
                                       [PICTURE_COLOR_ENERGY] = {"kinetic energy of each", " J", 1}};
  if (color == PICTURE_COLOR_NONE)
    return;
  if (color == PICTURE_COLOR_KIND) {
    add_kinds(o, width, height, kinds, backing);
    return;
  }
  float s = scale_of(width, height), bar[4];
  legend_bar(width, height, bar);
  rgb ink = ink_on(backing);
  add_paper(o, backing, bar[0], bar[1] - 25 * s, bar[2] + 14 * s, 58 * s, s);
  overlay_text(o, bar[0], bar[1] - 25 * s, 18 * s, 0, ink, quantities[color].title);
  overlay_scale(o, bar[0], bar[1], bar[2], bar[3]);
  for (int tick = 0; tick <= 2; tick++) {
    float x = bar[0] + bar[2] * (float)tick / 2;
    char label[48];
    snprintf(label, sizeof label, "%.6g%s", max * quantities[color].factor * tick / 2,
             tick == 2 ? quantities[color].unit : "");
    overlay_rectangle(o, x - s / 2, bar[1] + bar[3], s, 4 * s, ink, 1);
    overlay_text(o, tick == 0 ? bar[0] : x, bar[1] + bar[3] + 6 * s, 15 * s, tick == 0 ? 0 : 0.5f, ink,
                 label);
  }
}
