/* The letters of the overlay (printable ASCII): a picture of distances from their outlines, made when building. */
#ifndef MSD_RENDER_PAINT_FONT_H
#define MSD_RENDER_PAINT_FONT_H

#define FONT_SIZE      32.0f /* pixels of the atlas from the highest to the lowest part of letters */
#define FONT_MARGIN    4     /* pixels around each letter */
#define FONT_STEEPNESS 28.0f /* of 255, per pixel across an outline */

enum {
  FONT_FIRST = 32,
  FONT_LAST = 126,
  FONT_GLYPHS = FONT_LAST - FONT_FIRST + 1,
  FONT_ATLAS_WIDTH = 512,
  FONT_ATLAS_HEIGHT = 256
};

typedef struct font_glyph {
  short x, y, width, height; /* its place in the atlas */
  short left, top;           /* from the pen on the baseline to its top left corner, in atlas pixels */
  float advance;             /* of the pen, in units of FONT_SIZE */
} font_glyph;

extern const font_glyph font_glyphs[FONT_GLYPHS];
extern const unsigned char font_atlas[FONT_ATLAS_HEIGHT * FONT_ATLAS_WIDTH];

#endif
