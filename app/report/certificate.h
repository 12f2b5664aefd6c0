/* What is certified of the substeps of a run: for the integrator that it uses, with the limit that it has. */
#ifndef MSD_APP_REPORT_CERTIFICATE_H
#define MSD_APP_REPORT_CERTIFICATE_H

#include "app/base/message.h"
#include "scenes/loader/scene.h"

#include <stddef.h>

/* Room for what is said of one. */
enum { CERTIFICATE_TEXT_MAX = 800 };

typedef struct certificate {
  /* s: time step of a frame. */
  double frame;
  /* That a frame takes; 0: none, since none is certified. */
  int substeps;
  /* That are certified for the integrator; 0: none is. */
  int fewest;
  /* That are certified for symplectic Euler; 0: none is. */
  int symplectic;
  /* s: the largest certified for the integrator; INFINITY: any, 0: none. */
  double step;
  /* Whether it holds at every shape, as of msd_stability. */
  bool every_shape;
  /* What the limit of the world, where it has one, softens at the substep. */
  msd_softening softening;
} certificate;

/* For the world of a scene as it now is, which remembers its limit where that is enough and no event can change
   it before the next step. With `substeps` 0 a frame takes the fewest that are certified. */
bool certificate_make(const scene *s, double frame, int substeps, certificate *out, problem *p);

/* Whether the substeps that are taken are certified. */
bool certificate_holds(const certificate *c);

/* Which spring or constraint limits and why, as the end of "limited by"; "" when nothing does. To be asked
   while the world is what the certificate was made for. */
void certificate_culprit(const scene *s, const certificate *c, char *text, size_t size);

/* What would make the run certified, as a sentence without its end. */
void certificate_remedy(const msd_world *world, const certificate *c, char *text, size_t size);

#endif
