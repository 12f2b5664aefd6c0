/* The proven stability of the substeps of a run, for its integrator and its other settings. */
#ifndef MSD_APP_REPORT_CERTIFICATE_H
#define MSD_APP_REPORT_CERTIFICATE_H

#include "app/base/message.h"
#include "scenes/loader/scene.h"

#include <stddef.h>

/* Room for a sentence about one. */
enum { CERTIFICATE_TEXT_MAX = 800 };

typedef struct certificate {
  /* s: of a frame. */
  double frame;
  /* Substeps that a frame takes; 0: none, since no number is proven stable. */
  int substeps;
  /* The fewest that are proven stable for the integrator; 0: no number is. */
  int fewest;
  /* The same for symplectic Euler. */
  int symplectic;
  /* s: the longest stable substep of the integrator; INFINITY: any, 0: none. */
  double step;
  /* Whether it holds in every configuration, as of msd_stability. */
  bool every_shape;
  /* What stiffness clamping, where it is on, changes at the substep. */
  msd_softening softening;
} certificate;

/* For the world of a scene as it now is, which remembers its limit where that is enough and no event can change
   it before the next substep. With `substeps` 0 a frame takes the fewest that are stable. */
bool certificate_make(const scene *s, double frame, int substeps, certificate *out, problem *p);

/* Whether the substeps that are taken are proven stable. */
bool certificate_holds(const certificate *c);

/* What sets the limit, as the end of "set by"; "" when nothing does. For the same world as the certificate. */
void certificate_culprit(const scene *s, const certificate *c, char *text, size_t size);

/* What would make the run stable: "use --substeps auto, or 41 or more". */
void certificate_remedy(const msd_world *world, const certificate *c, char *text, size_t size);

#endif
