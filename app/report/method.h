/* The cheapest solver for a scene: explicit, explicit with selective mass scaling, or Gauss-Seidel. Costs are
   counted and not timed, so a scene has the same choice on every machine (bench/notes/solver_choice.md).
   Contact is counted as while little touches. */
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

/* One solver, and its expected result. */
typedef struct method_prospect {
  /* Why it is not available; empty: it is. */
  char refusal[256];
  /* Whether the stretch is within the target, and the substeps within the budget. */
  bool reached;
  /* Of a frame. 0: the budget is too small for the number that it needs. */
  int32_t substeps;
  /* Those that meet the target in any budget; 0: no number up to 1000000 does. */
  int32_t needed;
  /* length/rest_length - 1 to expect at rest; INFINITY: not known. */
  double stretch;
  /* s of a substep, of a frame in addition to its substeps, and of a frame in all, on one core of the machine
     that bench/notes/solver_choice.md names. */
  double substep_cost, frame_cost, cost;
} method_prospect;

/* A question, and its answer. */
typedef struct method_choice {
  /* False where memory ran out: nothing else is valid. */
  bool made;
  /* Largest stretch wanted, length/rest_length - 1; s that a frame may cost, 0: any. */
  double wanted, budget;
  method_prospect of[METHOD_COUNT];
  /* METHOD_COUNT: none. */
  method_kind chosen;
} method_choice;

/* The default of `wanted`. */
static const double METHOD_STRETCH = 0.05;

/* "explicit", "mass scaling", "Gauss-Seidel". */
const char *method_name(method_kind kind);

/* For frames of `frame_time` s: the cheapest of those that reach `wanted`; where none does, of those that come
   within a tenth of the least stretch. Springs keep their stiffness. Changes nothing of the world. A
   problem where no solver fits, or without memory. */
bool method_choose(const msd_world *world, double frame_time, double wanted, double budget,
                   method_choice *choice, problem *p);

/* The solver that a world is set to. */
method_kind method_of(const msd_world *world);

/* s: of a substep of this solver on one core of the machine that bench/notes/solver_choice.md names, without
   contact between surfaces. */
double method_substep_cost(const msd_world *world, method_kind kind);

/* Gives the world the settings of `kind`. */
msd_result method_apply(msd_world *world, method_kind kind);

enum { METHOD_TEXT_MAX = 1024 };

/* One line: the chosen solver with its expected result, then the others. */
void method_describe(const method_choice *choice, char *text, size_t size);

#endif
