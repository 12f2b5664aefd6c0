/* A picture that is drawn with fewer pixels than it is shown with, for frames that must not take long. */
#ifndef MSD_RENDER_PAINT_ENLARGED_H
#define MSD_RENDER_PAINT_ENLARGED_H

#include "render/paint/gpu.h"

typedef struct enlarged {
  GLuint program, triangle;
  /* 0 until something is drawn. */
  GLuint color, depth, framebuffer;
  /* Pixels that are drawn. */
  int width, height;
} enlarged;

/* False, with a line in `error`, on failure. */
bool enlarged_create(enlarged *e, char *error, size_t size);

void enlarged_destroy(enlarged *e);

/* The framebuffer to draw on, of e->width times e->height pixels, for a picture of `width` x `height` of which
   `side` x `side` are drawn as one. 0 where the driver has none. */
GLuint enlarged_begin(enlarged *e, int width, int height, int side);

/* Fills a framebuffer of that size with what was drawn. */
void enlarged_end(const enlarged *e, GLuint framebuffer, int width, int height);

#endif
