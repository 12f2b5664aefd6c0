/* What is drawn on: a framebuffer with depth and several samples for each pixel, which not every window has. */
#ifndef MSD_RENDER_PAINT_CANVAS_H
#define MSD_RENDER_PAINT_CANVAS_H

#include "render/paint/gpu.h"

typedef struct canvas canvas;

/* `samples` >= 1 for each pixel, or as many as the machine has. NULL with a line in `error` when it cannot. */
canvas *canvas_create(int width, int height, int samples, char *error, size_t size);

/* NULL is allowed. */
void canvas_destroy(canvas *c);

GLuint canvas_framebuffer(const canvas *c);

/* Copies the mean of the samples into another framebuffer of this size: a window's. */
void canvas_show(const canvas *c, GLuint framebuffer);

/* Writes the mean of the samples: rows from the top, 3 bytes for each pixel. */
void canvas_read(canvas *c, uint8_t *pixels);

#endif
