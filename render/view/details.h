/* The numbers of a particle or spring that was clicked, as lines of text. */
#ifndef MSD_RENDER_VIEW_DETAILS_H
#define MSD_RENDER_VIEW_DETAILS_H

#include "scenes/loader/scene.h"

enum { DETAIL_LINES = 3, DETAIL_MAX = 200 };

void details_of_particle(const scene *s, int32_t particle, char lines[DETAIL_LINES][DETAIL_MAX]);
void details_of_spring(const scene *s, int32_t spring, char lines[DETAIL_LINES][DETAIL_MAX]);

#endif
