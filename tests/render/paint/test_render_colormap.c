#include "render/paint/colormap.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

Test(colormap, has_the_published_colors_of_viridis) {
  /* viridis(5) of the R package viridisLite: #440154 #3B528B #21908C #5DC863 #FDE725. */
  static const rgb published[5] = {
      {0x44, 0x01, 0x54}, {0x3b, 0x52, 0x8b}, {0x21, 0x90, 0x8c}, {0x5d, 0xc8, 0x63}, {0xfd, 0xe7, 0x25}};
  static const int entries[5] = {0, 64, 127, 191, 255};
  for (int i = 0; i < 5; i++) {
    rgb color = colormap_entry(entries[i]);
    cr_expect(abs(color.r - published[i].r) <= 2 && abs(color.g - published[i].g) <= 2 &&
                  abs(color.b - published[i].b) <= 2,
              "entry %d is %d %d %d", entries[i], color.r, color.g, color.b);
  }
}

/* CIE 1976 lightness, 0..100, of an sRGB color (IEC 61966-2-1, D65). */
static double lightness(rgb color) {
  const double weights[3] = {0.2126, 0.7152, 0.0722};
  const uint8_t channels[3] = {color.r, color.g, color.b};
  double luminance = 0;
  for (int i = 0; i < 3; i++) {
    double c = channels[i] / 255.0;
    luminance += weights[i] * (c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4));
  }
  return luminance > 0.008856 ? 116 * cbrt(luminance) - 16 : 903.3 * luminance;
}

Test(colormap, grows_lighter_in_equal_steps) {
  double low = lightness(colormap_entry(0)), high = lightness(colormap_entry(255));
  cr_expect(high - low > 70, "lightness goes from %g to %g only", low, high);
  for (int i = 0; i <= 255; i += 15) {
    double at = lightness(colormap_entry(i)), even = low + (high - low) * i / 255;
    cr_expect(fabs(at - even) < 2.5, "entry %d has lightness %g; even steps would give %g", i, at, even);
  }
}

Test(colormap, clamps_what_is_outside) {
  rgb low = colormap_entry(-5), first = colormap_entry(0), high = colormap_entry(1000),
      last = colormap_entry(255);
  cr_expect(low.r == first.r && low.g == first.g && low.b == first.b);
  cr_expect(high.r == last.r && high.g == last.g && high.b == last.b);
}

static int distance(rgb a, rgb b) {
  return abs(a.r - b.r) + abs(a.g - b.g) + abs(a.b - b.b);
}

Test(colormap, tells_kinds_of_springs_and_bodies_apart) {
  for (int i = 0; i < KIND_COLORS; i++)
    for (int j = 0; j < i; j++)
      cr_expect(distance(kind_color(i), kind_color(j)) > 80, "kinds %d and %d", i, j);
  for (int i = 0; i < BODY_COLORS; i++)
    for (int j = 0; j < i; j++)
      cr_expect(distance(body_color(i), body_color(j)) > 80, "bodies %d and %d", i, j);
  for (int i = 0; i < BODY_COLORS; i++)
    cr_expect(distance(body_color(i), body_back_color(i)) > 80, "sides of body %d", i);
}
