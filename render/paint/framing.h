/* Where the camera stands so that everything is in the picture, with its shadow as far as there is room. */
#ifndef MSD_RENDER_PAINT_FRAMING_H
#define MSD_RENDER_PAINT_FRAMING_H

#include "render/paint/painter.h"

typedef struct framing {
  /* Around everything that was ever drawn, and around its shadow on the ground. */
  box seen, shadow;
} framing;

framing framing_empty(void);

/* Widens to the last update of the painter and, with `has_shadow`, to its shadow in the light of this camera.
   True when that was not yet within what was seen. */
bool framing_widen(framing *f, const painter *p, const camera *c, bool has_shadow);

/* Moves the camera, without turning it, to where it sees all of that within `share` of the picture. The
   shadow may make the scene smaller by a fifth at most; what would need more is left outside. */
void framing_apply(const framing *f, camera *c, float aspect, float share);

#endif
