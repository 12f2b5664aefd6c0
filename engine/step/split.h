/* Splits: where a spring has torn that may split particles, one of its ends becomes two, and a tear opens
   between them. docs/tearing.md tells how, and why the certificate holds.

   A plane through the particle, across the spring, cuts what is around it. The triangles and segments on the
   side of the spring that hang together by edges go to a part of their own, with the springs, folds and fibres
   that belong to them; the others keep the particle. A spring that is an edge on both sides becomes two of half
   the stiffness. What would go across the tear breaks.

          stays | goes               before              after
            \   |   /              l --- i --- r      l === i === r     i keeps the springs below,
             \  |  /                  \  |  /           \\ i' //        i' has those above, = are halves
        -------(i)------- the plane

   The mass is shared as the rows of the operator are (stability/steps.h): of what springs and fibres add to the
   row of the particle at x = 1 each part has what is its own, so its row is what that of the particle was.
   Both parts go on as fast as it was, a hair apart, around the same centre of mass. */
#ifndef MSD_ENGINE_STEP_SPLIT_H
#define MSD_ENGINE_STEP_SPLIT_H

#include "engine/step/cut.h"

struct stepper;

/* What is about to split, behind one step. */
typedef struct splits {
  struct stepper *stepper;
  /* The springs that are due, in order, and room to sort them. */
  sort_item *due[2];
  int32_t count;
  /* By particle: how far the springs that are due at it are stretched in all. */
  double *load;
  cutter cutter;
  /* By spring: the other half of one that became two. */
  int32_t *half;
  bool has_split, has_torn;
} splits;

/* Room for so many springs; 0: for none. Substeps of `certified` s stay certified if they are.
   MSD_OUT_OF_MEMORY. */
msd_result splits_open(splits *w, struct stepper *s, int32_t count, double certified);
void splits_close(splits *w);

/* A spring that is due, which is so many times as long as given. */
void splits_add(splits *w, int32_t spring, double stretch);

/* Makes room for all that may come of those that are due. MSD_OUT_OF_MEMORY, and nothing has changed. */
msd_result splits_reserve(splits *w);

/* A spring has torn in this step: its ends wait for the next one. */
void splits_note_torn(splits *w, int32_t spring);

/* Splits, or tears what cannot be split, the most stretched first, and of equals that of the lower index. A
   particle splits once, and next to it none does: what that leaves waits for the next step. */
void splits_apply(splits *w);

#endif
