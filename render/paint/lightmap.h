/* The scene as seen from the light. Its depths give the shadows that things cast on each other, and a blurred
   copy the soft shadow on the ground. */
#ifndef MSD_RENDER_PAINT_LIGHTMAP_H
#define MSD_RENDER_PAINT_LIGHTMAP_H

#include "render/paint/gpu.h"

/* Texels along each side. */
enum { LIGHTMAP_SIDE = 1024 };

typedef struct lightmap {
  /* Textures; the first of a pair holds the result of the first of the two passes of a blur. */
  GLuint depth, cover, small, shade[2], wide[2];
  GLuint framebuffer, small_target, shade_targets[2], wide_targets[2];
  GLuint shrink_program, blur_program, triangle;
  GLint blur_location;
} lightmap;

bool lightmap_create(lightmap *m, char *error, size_t size);
void lightmap_destroy(lightmap *m);

/* Clears the map and makes it the target of drawing. */
void lightmap_begin(const lightmap *m);

/* Makes the blurred copies of what was drawn. */
void lightmap_end(const lightmap *m);

#endif
