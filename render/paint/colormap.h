/* The colors of a picture: a perceptually uniform scale, kinds of springs, bodies.
   Channels are 0..255 in sRGB, as a picture file holds them. */
#ifndef MSD_RENDER_PAINT_COLORMAP_H
#define MSD_RENDER_PAINT_COLORMAP_H

#include <stdint.h>

typedef struct rgb {
  uint8_t r, g, b;
} rgb;

enum { COLORMAP_SIZE = 256, KIND_COLORS = 6, BODY_COLORS = 6 };

/* Entry i of the scale, for the value i / 255; i is clamped. Equal steps look equally large, in gray print and
   to color-blind eyes as well. */
rgb colormap_entry(int i);

/* Kinds of springs: KIND_SPRINGS are those of bodies of single particles, KIND_JOINTS those between bodies. */
enum { KIND_STRETCH, KIND_SHEAR, KIND_BEND, KIND_SPRINGS, KIND_JOINTS, KIND_TETHERS };
rgb kind_color(int kind);

/* The front and the back of body i; colors repeat after BODY_COLORS. */
rgb body_color(int i);
rgb body_back_color(int i);

#endif
