/* Pictures of a scene on a machine with or without a display.

     picture_options options = picture_default_options();
     char error[PICTURE_ERROR_MAX];
     picture *p = NULL;
     if (!picture_open(s, &options, &p, error, sizeof error)) ...
     for each frame {
       msd_world_step(s->world, ...);
       if (!picture_draw(p, error, sizeof error) || !picture_write_png(p, "frame.png", error, sizeof error)) ...
     }
     picture_close(p);

   A picture owns an OpenGL context of the thread that opened it; all its calls belong to that thread, and one
   thread holds one picture at a time. The functions that can fail return false with one line in `error`. */
#ifndef MSD_RENDER_PAINT_PICTURE_H
#define MSD_RENDER_PAINT_PICTURE_H

#include "scenes/loader/scene.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes that hold every message; a shorter buffer gets the beginning. */
enum { PICTURE_ERROR_MAX = 1024 };

/* Pixels. */
enum { PICTURE_SIDE_MAX = 8192 };

/* What the colours of a picture tell. */
typedef enum picture_color {
  /* Each body has a colour of its own. */
  PICTURE_COLOR_NONE,
  /* length / rest_length - 1 of springs; of a surface, the mean at each particle. */
  PICTURE_COLOR_STRAIN,
  /* |tension| of springs in N; of a surface, the mean at each particle. */
  PICTURE_COLOR_FORCE,
  /* m/s; of a rotor, of its rim. */
  PICTURE_COLOR_SPEED,
  /* Kinetic energy of a particle or a rotor in J. */
  PICTURE_COLOR_ENERGY,
  /* Springs as lines, one colour for each kind: structural, shear, bend ... */
  PICTURE_COLOR_KIND,
  PICTURE_COLOR_COUNT
} picture_color;

/* What is behind everything. */
typedef struct picture_background {
  /* False (default): a sky, and a floor with lines. True: one colour, and of the floor only the shadow. */
  bool is_plain;
  /* Red, green and blue in sRGB. */
  uint8_t color[3];
} picture_background;

/* Where the camera stands: on a sphere around what it looks at. Up is against gravity (or +y without). */
typedef struct picture_camera {
  /* Degrees around the up axis: 0 looks along -z, 90 looks along -x; default 25. */
  double azimuth;
  /* Degrees above the horizon, -89 .. 89; default 12. */
  double elevation;
  /* 1 (default): everything is in the inner 84 %, and its shadow where that makes it smaller by a fifth at
     most; 2 is twice as close; 0.01 .. 100. */
  double zoom;
  /* False (default): looks at the middle of everything. */
  bool has_target;
  /* m: looks here when has_target. */
  double target[3];
} picture_camera;

typedef struct picture_options {
  /* Pixels, 16 .. PICTURE_SIDE_MAX; default 1280 x 800. */
  int width, height;
  /* Of antialiasing per pixel, 1 .. 16, at most what the machine has; default 4. */
  int samples;
  /* Default PICTURE_COLOR_NONE. */
  picture_color color;
  /* The value at the top of the colour scale, in the unit of `color` (a strain of 0.1 is 10 %); what exceeds
     it has the highest colour. 0 (default): a round number that at most 2 % of the particles exceed, in this
     frame and all before it. */
  double color_max;
  picture_camera camera;
  picture_background background;
  /* No background: pixels have an opacity, and the shadow on the floor is black. Default false. */
  bool is_transparent;
  /* Every spring as a line; default false: only those that no surface or rope shows. */
  bool springs;
  /* Every particle as a sphere; default false: those that nothing else shows, and beads. */
  bool particles;
  /* The ground with its shadow, without gravity a grid; default true. */
  bool ground;
  /* The colour scale, for every colour but none, if anything has it; default true. */
  bool legend;
  /* Surfaces without light and shade, exactly in the colours of the scale; default false. */
  bool flat;
} picture_options;

picture_options picture_default_options(void);

/* Read what a person typed after an option. False with one line in `error` that says what would be right.
   Size: "1280x800". Color: "none", "strain", "force", "speed", "energy", "kind". Camera:
   "AZIMUTH,ELEVATION[,ZOOM[,X,Y,Z]]", as "30,15" or "30,15,2,0,1.5,0". Background: "sky", "white", "black" or
   "#rrggbb". */
bool picture_parse_size(const char *text, int *width, int *height, char *error, size_t size);
bool picture_parse_color(const char *text, picture_color *color, char *error, size_t size);
bool picture_parse_camera(const char *text, picture_camera *camera, char *error, size_t size);
bool picture_parse_background(const char *text, picture_background *background, char *error, size_t size);

/* The name that picture_parse_color reads. */
const char *picture_color_name(picture_color color);

/* The file of frame `frame`: `pattern` with its one %d or %04d (zeros to any width up to 9) replaced by the
   number, and %% by %. A pattern without a number gives the same file for every frame. */
bool picture_frame_path(const char *pattern, int frame, char *path, size_t path_size, char *error,
                        size_t size);

typedef struct picture picture;

/* Gets everything ready for `s`, which must outlive the picture. Fails when an option is out of range and
   when the machine offers no OpenGL 3.3 through EGL. On failure *out is NULL. */
bool picture_open(const scene *s, const picture_options *options, picture **out, char *error, size_t size);

/* Draws the world as it now is. The first call fits the camera to it; later ones only widen the view, when
   something would leave it, so that a row of frames stands still. */
bool picture_draw(picture *p, char *error, size_t size);

/* The next picture_draw is as the first: camera and scale fit that frame alone. */
void picture_begin_anew(picture *p);

/* The last frame: rows from the top, no gaps, 3 bytes (red, green, blue) for each pixel, or when is_transparent
   4 (opacity, by which the colours are not multiplied). Valid until the next picture_draw. */
const uint8_t *picture_pixels(const picture *p);
int picture_channels(const picture *p);
int picture_width(const picture *p);
int picture_height(const picture *p);

/* Writes the last frame as a PNG file: to a file beside it first, then renamed, so that there is never half
   a picture at `path`. */
bool picture_write_png(const picture *p, const char *path, char *error, size_t size);

/* NULL is allowed. */
void picture_close(picture *p);

#endif
