/* What the colours of a picture mean, in its lower left corner. */
#ifndef MSD_RENDER_PAINT_LEGEND_H
#define MSD_RENDER_PAINT_LEGEND_H

#include "render/paint/overlay.h"
#include "render/paint/picture.h"

/* The smallest of 1, 2 and 5 times a power of ten that is not below `value`: at least 0.1 % for strain, and 1
   for other quantities that are nowhere above 0. */
double legend_round_up(picture_color color, double value);

/* Adds the scale from 0 to `max` (for PICTURE_COLOR_KIND: the kinds that `kinds` marks) to the overlay of a
   picture of this size. Nothing for PICTURE_COLOR_NONE. */
void legend_add(overlay *o, int width, int height, picture_color color, double max, const bool *kinds);

/* Where legend_add puts the bar of the scale: x, top, width, height in pixels. */
void legend_bar(int width, int height, float bar[4]);

#endif
