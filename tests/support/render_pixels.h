/* Pictures of the scenes of render_stage.h, and their pixels. */
#ifndef MSD_TESTS_SUPPORT_RENDER_PIXELS_H
#define MSD_TESTS_SUPPORT_RENDER_PIXELS_H

#include "tests/support/render_solids.h"

#include "render/paint/colormap.h"
#include "render/paint/headless.h"
#include "render/paint/picture.h"

#include <math.h>

/* Pixels: the width and height of the pictures. */
enum { SIDE = 400 };

static char error[PICTURE_ERROR_MAX];

/* A view from the front, with exact colors and nothing but the background. */
static inline picture_options plain_options(void) {
  picture_options o = picture_default_options();
  o.width = o.height = SIDE;
  o.camera.azimuth = o.camera.elevation = 0;
  o.ground = o.legend = false;
  o.flat = true;
  return o;
}

/* Skips the test where EGL gives no context; any other failure is one. */
static inline void expect_egl(void) {
  char reason[PICTURE_ERROR_MAX];
  headless *h = headless_open(reason, sizeof reason);
  if (h == NULL)
    cr_skip_test("no picture can be drawn here: %s", reason);
  headless_close(h);
}

/* A picture of a scene as it now is. */
static inline picture *open_scene_picture(const scene *s, const picture_options *o) {
  picture *p = NULL;
  if (!picture_open(s, o, &p, error, sizeof error)) {
    expect_egl();
    cr_assert_fail("%s: %s", s->name, error);
  }
  cr_assert(picture_draw(p, error, sizeof error), "%s: %s", s->name, error);
  return p;
}

static inline picture *open_picture(const stage *st, const picture_options *o) {
  return open_scene_picture(&st->scene, o);
}

/* Draws a picture and returns a copy of its pixels, which the caller frees. */
static inline uint8_t *take_pixels(const stage *st, const picture_options *o) {
  picture *p = open_picture(st, o);
  size_t bytes = (size_t)picture_channels(p) * (size_t)o->width * (size_t)o->height;
  uint8_t *pixels = malloc(bytes);
  cr_assert(pixels != NULL);
  memcpy(pixels, picture_pixels(p), bytes);
  picture_close(p);
  return pixels;
}

static inline rgb pixel(const picture *p, int x, int y) {
  const uint8_t *at = picture_pixels(p) + 3 * (y * picture_width(p) + x);
  return (rgb){at[0], at[1], at[2]};
}

static inline int difference(rgb a, rgb b) {
  return abs(a.r - b.r) + abs(a.g - b.g) + abs(a.b - b.b);
}

/* How many pixels of a row have the color of the first body. */
static inline int body_width(const picture *p, int y) {
  int count = 0;
  for (int x = 0; x < picture_width(p); x++)
    count += difference(pixel(p, x, y), body_color(0)) < 60;
  return count;
}

static inline int brightness(rgb c) {
  return c.r + c.g + c.b;
}

#define expect_color(p, x, y, expected, tolerance)                                                           \
  do {                                                                                                       \
    rgb found_ = pixel(p, x, y), wanted_ = expected;                                                         \
    cr_expect(difference(found_, wanted_) <= (tolerance), "pixel %d, %d is %d %d %d, not %d %d %d", x, y,    \
              found_.r, found_.g, found_.b, wanted_.r, wanted_.g, wanted_.b);                                \
  } while (0)

#endif
