/* The letters of the overlay, printable ASCII, as fields of distances from their outlines. bake_font makes them
   when the project is built. */
#ifndef MSD_RENDER_PAINT_FONT_H
#define MSD_RENDER_PAINT_FONT_H

/* Atlas pixels from the top of the highest letter to the bottom of the lowest. */
#define FONT_SIZE 32.0f
/* Pixels around each letter. */
#define FONT_MARGIN 4
/* By how much the field changes per atlas pixel across an outline, of 255. */
#define FONT_STEEPNESS 28.0f

enum {
  FONT_FIRST = 32,
  FONT_LAST = 126,
  FONT_GLYPHS = FONT_LAST - FONT_FIRST + 1,
  FONT_ATLAS_WIDTH = 512,
  FONT_ATLAS_HEIGHT = 256
};

typedef struct font_glyph {
  /* Its rectangle in the atlas. */
  short x, y, width, height;
  /* From the pen on the baseline to the top left corner of the rectangle, in atlas pixels. */
  short left, top;
  /* How far the pen moves on, in units of FONT_SIZE. */
  float advance;
} font_glyph;

extern const font_glyph font_glyphs[FONT_GLYPHS];
extern const unsigned char font_atlas[FONT_ATLAS_HEIGHT * FONT_ATLAS_WIDTH];

#endif
