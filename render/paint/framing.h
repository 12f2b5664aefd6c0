/* Places the camera so that everything is in the picture, and its shadow as far as it fits. */
#ifndef MSD_RENDER_PAINT_FRAMING_H
#define MSD_RENDER_PAINT_FRAMING_H

#include "render/paint/painter.h"

typedef struct framing {
  /* Bounds of everything that was drawn so far, and of its shadow on the ground. */
  box seen, shadow;
} framing;

framing framing_empty(void);

/* Extends the bounds to the last update of the painter and, with `has_shadow`, to its shadow in the light of
   this camera. Returns whether they grew. */
bool framing_widen(framing *f, const painter *p, const camera *c, bool has_shadow);

/* Moves the camera, without turning it, to where everything is within the inner `share` of the picture. The
   shadow may make the scene smaller by a fifth at most; shadow that would need more is cut off. */
void framing_apply(const framing *f, camera *c, float aspect, float share);

#endif
