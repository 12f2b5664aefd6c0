/* What the colours of a picture mean, in its lower left corner. */
#ifndef MSD_RENDER_PAINT_LEGEND_H
#define MSD_RENDER_PAINT_LEGEND_H

#include "render/paint/overlay.h"
#include "render/paint/picture.h"

/* The smallest of 1, 2 and 5 times a power of ten that is not below `value`: at least 0.1 % for strain, and 1
   for other quantities that are nowhere above 0. */
double legend_round_up(picture_color color, double value);

/* What stands behind a legend: the background of a picture, or what a person turns and moves there, from
   which paper sets it apart. */
typedef enum legend_ground { LEGEND_ON_LIGHT, LEGEND_ON_DARK, LEGEND_ON_PAPER } legend_ground;

legend_ground legend_ground_of(const picture_background *background);

/* Adds the scale from 0 to `max` (for PICTURE_COLOR_KIND: the kinds that `kinds` marks) to the overlay of a
   picture of this size. Nothing for PICTURE_COLOR_NONE. */
void legend_add(overlay *o, int width, int height, picture_color color, double max, const bool *kinds,
                legend_ground ground);

/* Where legend_add puts the bar of the scale: x, top, width, height in pixels. */
void legend_bar(int width, int height, float bar[4]);

#endif
