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

   A picture owns an OpenGL context of the thread that opened it: all calls must come from that thread, and a
   thread can have one picture open at a time. Functions that can fail return false with one line in `error`. */
#ifndef MSD_RENDER_PAINT_PICTURE_H
#define MSD_RENDER_PAINT_PICTURE_H

#include "scenes/loader/scene.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes that hold every message; a message is cut short in a smaller buffer. */
enum { PICTURE_ERROR_MAX = 1024 };

/* Pixels: the largest width and height. */
enum { PICTURE_SIDE_MAX = 8192 };

/* What the colors of a picture mean. */
typedef enum picture_color {
  /* Each body has a color of its own. */
  PICTURE_COLOR_NONE,
  /* length / rest_length - 1 of springs; on a surface, the mean at each particle. */
  PICTURE_COLOR_STRAIN,
  /* |tension| of springs in N; on a surface, the mean at each particle. */
  PICTURE_COLOR_FORCE,
  /* m/s; of a rotor, of its rim. */
  PICTURE_COLOR_SPEED,
  /* Kinetic energy of a particle or a rotor in J. */
  PICTURE_COLOR_ENERGY,
  /* Springs as lines, in a color for each kind: stretch, shear, bend ... */
  PICTURE_COLOR_KIND,
  PICTURE_COLOR_COUNT
} picture_color;

/* What is behind the scene. */
typedef struct picture_background {
  /* False (default): a sky, and a ground with lines. True: one color, and of the ground only the shadow. */
  bool is_plain;
  /* Red, green and blue in sRGB, when is_plain. */
  uint8_t color[3];
} picture_background;

/* Where the camera is: on a sphere around what it looks at. Up is against gravity, or +y without gravity. */
typedef struct picture_camera {
  /* Degrees around the up axis: 0 looks along -z, 90 looks along -x; default 25. */
  double azimuth;
  /* Degrees above the horizon, -89 .. 89; default 12. */
  double elevation;
  /* 1 (default): everything is in the inner 84 % of the picture, and its shadow too as far as that makes the
     scene smaller by no more than a fifth. 2 is twice as close; 0.01 .. 100. */
  double zoom;
  /* False (default): looks at the middle of the scene. */
  bool has_target;
  /* m: where to look when has_target. */
  double target[3];
} picture_camera;

typedef struct picture_options {
  /* Pixels, 16 .. PICTURE_SIDE_MAX; default 1280 x 800. */
  int width, height;
  /* Samples per pixel, for smooth edges: 1 .. 16, fewer where the machine does not offer as many; default 4. */
  int samples;
  /* Default PICTURE_COLOR_NONE. */
  picture_color color;
  /* The value at the top of the color scale, in the unit of `color` (a strain of 0.1 is 10 %); larger values
     have the top color. 0 (default): a round number that at most 2 % of the particles exceed, in this frame
     and in all before it. */
  double color_max;
  picture_camera camera;
  picture_background background;
  /* No background: pixels have an opacity, and the shadow on the ground is black. Default false. */
  bool is_transparent;
  /* Draws all springs as lines; default false: only springs that are not part of a surface or a rope, as tubes.
     */
  bool springs;
  /* Draws all particles as balls; default false: only those that are not part of anything else, and beads. */
  bool particles;
  /* Draws the contacts of the last substep, as dots with lines along their normals that are longer for larger
     forces; default false. */
  bool contacts;
  /* Draws the ground with the shadow on it, or without gravity a grid; default true. */
  bool ground;
  /* Draws the color scale, for every color but none, if anything in the scene has values; default true. */
  bool legend;
  /* Draws without light and shade, exactly in the colors of the scale; default false. */
  bool flat;
} picture_options;

picture_options picture_default_options(void);

/* These read what a user typed after an option. False, with one line in `error` that says what would be right.
   Size: "1280x800". Color: "none", "strain", "force", "speed", "energy", "kind". Camera:
   "AZIMUTH,ELEVATION[,ZOOM[,X,Y,Z]]", as "30,15" or "30,15,2,0,1.5,0". Background: "sky", "white", "black" or
   "#rrggbb". */
bool picture_parse_size(const char *text, int *width, int *height, char *error, size_t size);
bool picture_parse_color(const char *text, picture_color *color, char *error, size_t size);
bool picture_parse_camera(const char *text, picture_camera *camera, char *error, size_t size);
bool picture_parse_background(const char *text, picture_background *background, char *error, size_t size);

/* The name of a color, as picture_parse_color reads it. */
const char *picture_color_name(picture_color color);

/* The file of frame `frame`: `pattern` with its one %d or %04d (zeros to any width up to 9) replaced by the
   number, and %% by %. A pattern without a number gives the same file for every frame. */
bool picture_frame_path(const char *pattern, int frame, char *path, size_t path_size, char *error,
                        size_t size);

typedef struct picture picture;

/* Prepares to draw `s`, which must outlive the picture. Fails when an option is out of range, or when the
   machine offers no OpenGL 3.3 through EGL. On failure *out is NULL. */
bool picture_open(const scene *s, const picture_options *options, picture **out, char *error, size_t size);

/* Draws the world in its present state. The first call fits the camera to it; later calls only widen the view,
   when something would leave it, so that the camera stands still over a sequence of frames. */
bool picture_draw(picture *p, char *error, size_t size);

/* Makes the next picture_draw like the first: camera and scale are fitted to that frame alone. */
void picture_begin_anew(picture *p);

/* The last frame: rows from the top without gaps, 3 bytes per pixel (red, green, blue), or 4 when
   is_transparent (and opacity; colors are not multiplied by it). Valid until the next picture_draw. */
const uint8_t *picture_pixels(const picture *p);
int picture_channels(const picture *p);
int picture_width(const picture *p);
int picture_height(const picture *p);

/* Writes the last frame as a PNG file: to a file beside it first, which is then renamed, so that there is never
   half a picture at `path`. */
bool picture_write_png(const picture *p, const char *path, char *error, size_t size);

/* NULL is allowed. */
void picture_close(picture *p);

#endif
