#include "render/paint/framing.h"

#include <math.h>

/* How far the camera may step back for the shadow, relative to the distance that shows the scene alone. */
#define FARTHER_MAX 1.25f

framing framing_empty(void) {
  return (framing){box_empty(), box_empty()};
}

/* Whether the box grew. */
static bool take_in(box *seen, const box *now) {
  if (box_is_empty(now) || box_contains(seen, now))
    return false;
  box_join(seen, now);
  return true;
}

bool framing_widen(framing *f, const painter *p, const camera *c, bool has_shadow) {
  box shadow = box_empty();
  if (has_shadow)
    painter_add_shadow(p, c, &shadow);
  bool is_wider = take_in(&f->seen, painter_box(p));
  return take_in(&f->shadow, &shadow) || is_wider;
}

/* The view of a camera is bounded by planes, so the targets and distances from which it sees a point form a
   convex set: between two cameras that see the whole scene, every camera does. */
void framing_apply(const framing *f, camera *c, float aspect, float share) {
  camera_frame(c, &f->seen, aspect, share);
  if (box_is_empty(&f->seen) || box_is_empty(&f->shadow))
    return;
  camera with_shadow = *c;
  camera_frame_both(&with_shadow, &f->seen, &f->shadow, aspect, share);
  float farther = with_shadow.distance - c->distance, most = (FARTHER_MAX - 1) * c->distance;
  float shift = farther > most ? most / farther : 1;
  for (int i = 0; i < 3; i++)
    c->target[i] += shift * (with_shadow.target[i] - c->target[i]);
  c->distance += shift * farther;
}
