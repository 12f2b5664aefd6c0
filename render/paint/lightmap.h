/* The scene as the light sees it: its depths give the shadows that things throw on each other, a blurred copy
   the soft shadow on the ground. */
#ifndef MSD_RENDER_PAINT_LIGHTMAP_H
#define MSD_RENDER_PAINT_LIGHTMAP_H

#include "render/paint/gpu.h"

/* Texels. */
enum { LIGHTMAP_SIDE = 1024 };

typedef struct lightmap {
  /* Textures; [0] of a pair holds what lies between the two passes of a blur. */
  GLuint depth, cover, shade[2], wide[2];
  GLuint framebuffer, shade_targets[2], wide_targets[2];
  GLuint blur_program, triangle;
  GLint blur_location;
} lightmap;

bool lightmap_create(lightmap *m, char *error, size_t size);
void lightmap_destroy(lightmap *m);

/* Makes the light's picture the target of drawing, and empties it. */
void lightmap_begin(const lightmap *m);

/* Blurs what was drawn. */
void lightmap_end(const lightmap *m);

#endif
