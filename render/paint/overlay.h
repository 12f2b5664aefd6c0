/* Text and rectangles over a picture, collected and then drawn in one call. Positions are pixels from the top
   left corner. */
#ifndef MSD_RENDER_PAINT_OVERLAY_H
#define MSD_RENDER_PAINT_OVERLAY_H

#include "render/paint/colormap.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct overlay overlay;

/* Letters, rectangles and lines per frame; further ones are not drawn. */
enum { OVERLAY_QUADS = 8192 };

overlay *overlay_create(char *error, size_t size);
void overlay_destroy(overlay *o);

/* Text `height` pixels high below `top`, with its left end (align 0), middle (0.5) or right end (1) at x.
   Returns its width in pixels. */
float overlay_text(overlay *o, float x, float top, float height, float align, rgb color, const char *text);
float overlay_text_width(float height, const char *text);

void overlay_rectangle(overlay *o, float x, float top, float width, float height, rgb color, float opacity);

/* A line of `width` pixels. */
void overlay_line(overlay *o, const float from[2], const float to[2], float width, rgb color, float opacity);

/* A bar of the color scale, from its lowest color on the left to its highest on the right. */
void overlay_scale(overlay *o, float x, float top, float width, float height);

/* Draws everything added since the last call into the current framebuffer. The uniforms of the frame must be
   bound, as painter_draw leaves them. */
void overlay_draw(overlay *o);

#endif
