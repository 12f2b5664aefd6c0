/* What sets the stable substep: a kind of springs or constraints of one body, and how the one that limits
   compares with the others of its own kind. */
#ifndef MSD_APP_REPORT_LIMITING_H
#define MSD_APP_REPORT_LIMITING_H

#include "scenes/loader/scene.h"

#include <stddef.h>

enum { LIMITING_TEXT_MAX = 400 };

typedef struct limiting_class {
  /* "stretch springs of curtain" */
  char name[160];
  /* How many there are, unbroken or not; 0: nothing limits. */
  int32_t count;
  /* Their stiffness in `unit`; NAN where they have none of their own. */
  double least, most;
  const char *unit;
  /* Why the one that limits does, beside others of its kind: MSD_CAUSE_ALL_ALIKE where nothing is more than
     twice the typical. */
  msd_cause cause;
  double ratio;
  /* Of the one that limits, and of its lightest particle: "row 13 column 13". */
  char place[96], lightest[96];
} limiting_class;

/* Of an explanation of the stability of the world of the scene. */
void limiting_find(const scene *s, const msd_stability_explanation *why, limiting_class *out);

/* "the stretch springs of curtain (500 N/m, all 8,064 alike)"; "" when nothing limits. */
void limiting_describe(const limiting_class *c, char *text, size_t size);

/* "the stretch springs of curtain": without numbers, except where one stands out. */
void limiting_describe_briefly(const limiting_class *c, char *text, size_t size);

#endif
