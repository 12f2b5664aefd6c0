/* Which way to take springs is the cheapest for a scene: forces, with scaled masses too, or Gauss-Seidel. The
   costs are counted and not timed, so a scene has the same choice on every machine (docs/method.md). */
#ifndef MSD_APP_REPORT_METHOD_H
#define MSD_APP_REPORT_METHOD_H

#include "app/base/message.h"

#include <msd/msd.h>

typedef enum method_kind {
  METHOD_FORCES,
  METHOD_MASS_SCALING,
  METHOD_GAUSS_SEIDEL,
  METHOD_COUNT
} method_kind;

/* One way, and what would come of it. */
typedef struct method_prospect {
  /* Why it is out of the question; empty: it is not. */
  char refusal[256];
  /* Whether the stretch is within the target, and the substeps within the budget. */
  bool reached;
  /* Of a frame. 0: the budget has no room for as many as it takes. */
  int32_t substeps;
  /* Those that meet the target in any budget; 0: no number up to 1000000 does. */
  int32_t needed;
  /* length/rest_length - 1 to expect at rest; INFINITY: not known. */
  double stretch;
  /* s of a substep, and of a frame, on one core of the machine that docs/method.md names. */
  double substep_cost, cost;
} method_prospect;

/* What was asked, and what came of it. */
typedef struct method_choice {
  /* Whether any of this is so: false where memory ran out. */
  bool made;
  /* Largest stretch wanted, length/rest_length - 1; s that a frame may cost, 0: any. */
  double wanted, budget;
  method_prospect of[METHOD_COUNT];
  /* METHOD_COUNT: none. */
  method_kind chosen;
} method_choice;

/* Stretch where none is asked for. */
static const double METHOD_STRETCH = 0.05;

/* "forces", "mass scaling", "gauss_seidel". */
const char *method_name(method_kind kind);

/* For frames of `time_step` s: the cheapest of those that reach `wanted`; where none does, of those that come
   within a tenth of the least stretch. Springs keep their stiffness. Changes nothing of the world. A
   problem where there is no way at all, or no memory. */
bool method_choose(const msd_world *world, double time_step, double wanted, double budget,
                   method_choice *choice, problem *p);

/* Gives the world the settings of `kind`. */
msd_result method_apply(msd_world *world, method_kind kind);

enum { METHOD_TEXT_MAX = 1024 };

/* One line: what was chosen with what to expect, and why the others were not. */
void method_describe(const method_choice *choice, char *text, size_t size);

#endif
