/* bake_font FONT.ttf OUTPUT.c: turns the letters of the overlay into distance fields at build time, so that the
   program needs no font file and letters are sharp at any size. */
#include "render/paint/font.h"

#define STB_TRUETYPE_IMPLEMENTATION
#include <stb/stb_truetype.h>

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned char *read_file(const char *path) {
  FILE *file = fopen(path, "rb");
  if (file == NULL)
    return NULL;
  unsigned char *bytes = NULL;
  long size = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
  if (size > 0 && fseek(file, 0, SEEK_SET) == 0)
    bytes = malloc((size_t)size);
  if (bytes != NULL && fread(bytes, 1, (size_t)size, file) != (size_t)size) {
    free(bytes);
    bytes = NULL;
  }
  fclose(file);
  return bytes;
}

/* Places the letters in the atlas, row by row. False when it is too small. */
static bool draw_letters(const stbtt_fontinfo *info, font_glyph glyphs[FONT_GLYPHS],
                         unsigned char atlas[FONT_ATLAS_HEIGHT][FONT_ATLAS_WIDTH]) {
  float scale = stbtt_ScaleForPixelHeight(info, FONT_SIZE);
  int x = 0, y = 0, row_height = 0;
  for (int i = 0; i < FONT_GLYPHS; i++) {
    int code = FONT_FIRST + i, advance, bearing, width = 0, height = 0, left = 0, top = 0;
    stbtt_GetCodepointHMetrics(info, code, &advance, &bearing);
    glyphs[i].advance = (float)advance * scale / FONT_SIZE;
    unsigned char *field = stbtt_GetCodepointSDF(info, scale, code, FONT_MARGIN, 128, FONT_STEEPNESS, &width,
                                                 &height, &left, &top);
    if (field == NULL)
      continue; /* a space */
    if (x + width > FONT_ATLAS_WIDTH) {
      x = 0;
      y += row_height;
      row_height = 0;
    }
    row_height = height > row_height ? height : row_height;
    bool fits = y + height <= FONT_ATLAS_HEIGHT;
    for (int row = 0; fits && row < height; row++)
      memcpy(&atlas[y + row][x], field + row * width, (size_t)width);
    stbtt_FreeSDF(field, NULL);
    if (!fits)
      return false;
    glyphs[i].x = (short)x, glyphs[i].y = (short)y;
    glyphs[i].width = (short)width, glyphs[i].height = (short)height;
    glyphs[i].left = (short)left, glyphs[i].top = (short)top;
    x += width;
  }
  return true;
}

static bool write_letters(const char *path, const font_glyph glyphs[FONT_GLYPHS],
                          unsigned char atlas[FONT_ATLAS_HEIGHT][FONT_ATLAS_WIDTH]) {
  FILE *out = fopen(path, "w");
  if (out == NULL)
    return false;
  fprintf(out, "#include \"render/paint/font.h\"\n\nconst font_glyph font_glyphs[FONT_GLYPHS] = {\n");
  for (int i = 0; i < FONT_GLYPHS; i++) {
    font_glyph g = glyphs[i];
    fprintf(out, "    {%d, %d, %d, %d, %d, %d, %.6ff},\n", g.x, g.y, g.width, g.height, g.left, g.top,
            (double)g.advance);
  }
  fprintf(out, "};\n\nconst unsigned char font_atlas[FONT_ATLAS_HEIGHT * FONT_ATLAS_WIDTH] = {");
  for (int i = 0; i < FONT_ATLAS_HEIGHT * FONT_ATLAS_WIDTH; i++)
    fprintf(out, "%s%d,", i % 32 == 0 ? "\n" : "", atlas[i / FONT_ATLAS_WIDTH][i % FONT_ATLAS_WIDTH]);
  fprintf(out, "};\n");
  return fclose(out) == 0;
}

int main(int argc, char **argv) {
  unsigned char *font = argc == 3 ? read_file(argv[1]) : NULL;
  stbtt_fontinfo info;
  static unsigned char atlas[FONT_ATLAS_HEIGHT][FONT_ATLAS_WIDTH];
  font_glyph glyphs[FONT_GLYPHS] = {0};
  const char *problem = NULL;
  if (font == NULL || !stbtt_InitFont(&info, font, 0))
    problem = "cannot read the font; give a font and an output";
  else if (!draw_letters(&info, glyphs, atlas))
    problem = "the letters need a larger atlas";
  else if (!write_letters(argv[2], glyphs, atlas))
    problem = "cannot write the output";
  free(font);
  if (problem != NULL)
    fprintf(stderr, "bake_font: %s\n", problem);
  return problem != NULL;
}
