#include "render/paint/picture.h"

#include "render/paint/canvas.h"
#include "render/paint/framing.h"
#include "render/paint/headless.h"
#include "render/paint/legend.h"
#include "render/paint/png.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The share of the picture that a scene fills. */
#define FRAME_SHARE 0.84f

struct picture {
  picture_options options;
  headless *context;
  painter *painter;
  overlay *overlay;
  canvas *canvas;
  /* As picture_pixels returns them. */
  uint8_t *pixels;
  /* The same on a black and on a white background, to find the opacity; NULL unless is_transparent. */
  uint8_t *on_black, *on_white;
  framing framing;
  /* The largest painter_value_high so far. */
  double value_high;
};

static bool check_options(const picture_options *o, char *error, size_t size) {
  if (o->width < 16 || o->width > PICTURE_SIDE_MAX || o->height < 16 || o->height > PICTURE_SIDE_MAX) {
    snprintf(error, size, "a picture of %d x %d pixels: each side must be 16 to %d", o->width, o->height,
             PICTURE_SIDE_MAX);
    return false;
  }
  if (o->samples < 1 || o->samples > 16) {
    snprintf(error, size, "%d samples per pixel: there can be 1 to 16", o->samples);
    return false;
  }
  if ((int)o->color < 0 || o->color >= PICTURE_COLOR_COUNT) {
    snprintf(error, size, "there is no picture_color %d", (int)o->color);
    return false;
  }
  if (!isfinite(o->color_max) || o->color_max < 0) {
    snprintf(error, size, "the top of the color scale is %g; it must be above 0, or 0 for automatic",
             o->color_max);
    return false;
  }
  const picture_camera *c = &o->camera;
  bool is_target_finite = isfinite(c->target[0]) && isfinite(c->target[1]) && isfinite(c->target[2]);
  if (!isfinite(c->azimuth) || !(fabs(c->elevation) <= 89) || !(c->zoom >= 0.01 && c->zoom <= 100) ||
      (c->has_target && !is_target_finite)) {
    snprintf(error, size,
             "the camera's elevation must be -89 to 89 degrees, its zoom 0.01 to 100, the rest finite");
    return false;
  }
  return true;
}

void picture_close(picture *p) {
  if (p == NULL)
    return;
  painter_destroy(p->painter);
  overlay_destroy(p->overlay);
  canvas_destroy(p->canvas);
  headless_close(p->context);
  free(p->pixels);
  free(p->on_black);
  free(p->on_white);
  free(p);
}

bool picture_open(const scene *s, const picture_options *options, picture **out, char *error, size_t size) {
  *out = NULL;
  if (!check_options(options, error, size))
    return false;
  picture *p = calloc(1, sizeof *p);
  size_t area = (size_t)options->width * (size_t)options->height;
  if (p != NULL) {
    p->options = *options;
    p->framing = framing_empty();
    p->pixels = calloc(area, (size_t)picture_channels(p));
    p->on_black = options->is_transparent ? calloc(area, 3) : NULL;
    p->on_white = options->is_transparent ? calloc(area, 3) : NULL;
  }
  if (p == NULL || p->pixels == NULL ||
      (options->is_transparent && (p->on_black == NULL || p->on_white == NULL))) {
    snprintf(error, size, "out of memory for a picture of %d x %d pixels", options->width, options->height);
    picture_close(p);
    return false;
  }
  p->context = headless_open(error, size);
  bool done =
      p->context != NULL && gpu_load(headless_function, error, size) &&
      (p->painter = painter_create(s, error, size)) != NULL &&
      (p->overlay = overlay_create(error, size)) != NULL &&
      (p->canvas = canvas_create(options->width, options->height, options->samples, error, size)) != NULL;
  if (!done) {
    picture_close(p);
    return false;
  }
  *out = p;
  return true;
}

void picture_begin_anew(picture *p) {
  p->framing = framing_empty();
  p->value_high = 0;
}

/* The camera that shows everything drawn so far. */
static camera find_camera(picture *p) {
  const picture_camera *options = &p->options.camera;
  camera c = camera_default();
  painter_up(p->painter, c.up);
  c.azimuth = (float)fmod(options->azimuth, 360);
  c.elevation = (float)options->elevation;
  bool has_shadow = p->options.ground && p->options.color != PICTURE_COLOR_KIND;
  framing_widen(&p->framing, p->painter, &c, has_shadow);
  framing_apply(&p->framing, &c, (float)p->options.width / (float)p->options.height, FRAME_SHARE);
  camera_zoom(&c, (float)options->zoom);
  if (options->has_target)
    for (int i = 0; i < 3; i++)
      c.target[i] = (float)options->target[i];
  return c;
}

static void draw_on(picture *p, const camera *c, const picture_background *background, uint8_t *pixels) {
  const picture_options *o = &p->options;
  double color_max = o->color_max > 0 ? o->color_max : legend_round_up(o->color, p->value_high);
  painter_view view = {.camera = *c,
                       .width = o->width,
                       .height = o->height,
                       .color = o->color,
                       .color_max = color_max,
                       .springs = o->springs,
                       .particles = o->particles,
                       .contacts = o->contacts,
                       .ground = o->ground,
                       .flat = o->flat,
                       .background = *background};
  painter_draw(p->painter, &view, canvas_framebuffer(p->canvas));
  if (o->legend && painter_has_values(p->painter, o->color))
    legend_add(p->overlay, o->width, o->height, o->color, color_max, painter_shapes(p->painter)->kinds,
               legend_backing_of(&o->background));
  overlay_draw(p->overlay);
  canvas_read(p->canvas, pixels);
}

/* What covers a share of a pixel hides that share of the difference between a white and a black background. On
   black the pixel has that share of its color. */
static void find_opacity(picture *p) {
  size_t area = (size_t)p->options.width * (size_t)p->options.height;
  for (size_t i = 0; i < area; i++) {
    const uint8_t *black = p->on_black + 3 * i, *white = p->on_white + 3 * i;
    /* How much of the background is seen, times 3 * 255. */
    int shown = 0;
    for (int c = 0; c < 3; c++)
      shown += white[c] > black[c] ? white[c] - black[c] : 0;
    int opacity = 255 - (shown + 1) / 3;
    uint8_t *pixel = p->pixels + 4 * i;
    for (int c = 0; c < 3; c++) {
      int color = opacity > 0 ? (255 * black[c] + opacity / 2) / opacity : 0;
      pixel[c] = (uint8_t)(color < 255 ? color : 255);
    }
    pixel[3] = (uint8_t)opacity;
  }
}

bool picture_draw(picture *p, char *error, size_t size) {
  const picture_options *o = &p->options;
  painter_update(p->painter, &(painter_reading){o->color, o->springs, o->contacts});
  p->value_high = fmax(p->value_high, painter_value_high(p->painter));
  camera c = find_camera(p);
  if (o->is_transparent) {
    draw_on(p, &c, &(picture_background){.is_plain = true}, p->on_black);
    draw_on(p, &c, &(picture_background){.is_plain = true, .color = {255, 255, 255}}, p->on_white);
    find_opacity(p);
  } else {
    draw_on(p, &c, &o->background, p->pixels);
  }
  return gpu_check("when drawing a picture", error, size);
}

const uint8_t *picture_pixels(const picture *p) {
  return p->pixels;
}

int picture_channels(const picture *p) {
  return p->options.is_transparent ? 4 : 3;
}

int picture_width(const picture *p) {
  return p->options.width;
}

int picture_height(const picture *p) {
  return p->options.height;
}

bool picture_write_png(const picture *p, const char *path, char *error, size_t size) {
  return png_write(path, p->options.width, p->options.height, picture_channels(p), p->pixels, error, size);
}
