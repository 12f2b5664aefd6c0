/* An offscreen framebuffer with depth and several samples per pixel, which not every window offers. */
#ifndef MSD_RENDER_PAINT_CANVAS_H
#define MSD_RENDER_PAINT_CANVAS_H

#include "render/paint/gpu.h"

typedef struct canvas canvas;

/* `samples` >= 1 per pixel; fewer where the machine does not offer as many. NULL, with a line in `error`, when
   the framebuffer cannot be made. */
canvas *canvas_create(int width, int height, int samples, char *error, size_t size);

/* NULL is allowed. */
void canvas_destroy(canvas *c);

GLuint canvas_framebuffer(const canvas *c);

/* Copies the mean of the samples into another framebuffer of the same size, such as a window's. */
void canvas_show(const canvas *c, GLuint framebuffer);

/* Reads the mean of the samples: rows from the top, 3 bytes per pixel. */
void canvas_read(canvas *c, uint8_t *pixels);

#endif
