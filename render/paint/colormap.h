/* The colours of a picture: a perceptually uniform scale, kinds of springs, bodies.
   Channels are 0..255 in sRGB, as a picture file holds them. */
#ifndef MSD_RENDER_PAINT_COLORMAP_H
#define MSD_RENDER_PAINT_COLORMAP_H

#include <stdint.h>

typedef struct rgb {
  uint8_t r, g, b;
} rgb;

enum { COLORMAP_SIZE = 256, KIND_COLORS = 6, BODY_COLORS = 6 };

/* Entry i of the scale, for the value i / 255; i is clamped to it. Equal steps look equally large, also
   printed in grey and to colour-blind eyes. */
rgb colormap_entry(int i);

/* Kinds of springs, KIND_... below. */
rgb kind_color(int kind);
enum { KIND_STRUCTURAL, KIND_SHEAR, KIND_BEND, KIND_SPRINGS, KIND_JOINTS, KIND_TETHERS };

/* The front and the back of body i; the colours repeat after BODY_COLORS. */
rgb body_color(int i);
rgb body_back_color(int i);

#endif
