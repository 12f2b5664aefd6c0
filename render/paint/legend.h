/* The legend in the lower left corner of a picture: what its colors mean. */
#ifndef MSD_RENDER_PAINT_LEGEND_H
#define MSD_RENDER_PAINT_LEGEND_H

#include "render/paint/overlay.h"
#include "render/paint/picture.h"

/* The smallest of 1, 2 and 5 times a power of ten that is not below `value`. At least 0.1 % for strain; 1 for
   other quantities when `value` is not above 0. */
double legend_round_up(picture_color color, double value);

/* What is behind a legend: a light or dark background; or anything, as in a window, in which case the legend
   brings a white sheet of its own. */
typedef enum legend_backing { LEGEND_ON_LIGHT, LEGEND_ON_DARK, LEGEND_ON_PAPER } legend_backing;

legend_backing legend_backing_of(const picture_background *background);

/* Adds the scale from 0 to `max` to the overlay of a picture of this size; for PICTURE_COLOR_KIND a line for
   each of `kinds` that is set; nothing for PICTURE_COLOR_NONE. */
void legend_add(overlay *o, int width, int height, picture_color color, double max, const bool *kinds,
                legend_backing backing);

/* The place of the color bar that legend_add adds: x, top, width, height in pixels. */
void legend_bar(int width, int height, float bar[4]);

#endif
