/* Vertex splitting: when a spring tears that may split particles, one of its ends becomes two particles, and
   a tear opens between them. docs/theory/damage.md describes the method and why the stable limit remains valid.

   The plane through the particle, across the spring, divides the elements around it. Triangles and segments
   on the side of the spring that are connected by edges move to a new particle, with the springs, hinges and
   fibers that belong to them. The others keep the old particle. A spring that is an edge on both sides
   becomes two springs of half the stiffness. Springs and constraints across the tear break.

          stays | moves               before              after
            \   |   /              l --- i --- r      l === i === r     i keeps the springs below,
             \  |  /                  \  |  /           \\ i' //        i' has those above, = are halves
        -------(i)------- the plane

   The mass is divided in proportion to the stiffness load of the springs and fibers that each particle keeps:
   their row sums in the stability operator (stability/steps.h). The load per mass of each, and with it the
   stable substep, equals that of the old particle. Both particles start with the old velocity, a tiny gap
   apart, around the same center of mass. */
#ifndef MSD_ENGINE_STEP_FRACTURE_H
#define MSD_ENGINE_STEP_FRACTURE_H

#include "engine/step/fracture_plan.h"

struct stepper;

/* Springs to be split at the end of a frame. */
typedef struct splits {
  struct stepper *stepper;
  /* The springs that are due, in order, and a buffer to sort them. */
  sort_item *due[2];
  int32_t count;
  /* By particle: total stretch of the springs that are due there. */
  double *load;
  cutter cutter;
  /* By spring: index of its other half, if it was split. */
  int32_t *half;
  bool has_split, has_torn;
} splits;

/* Reserves memory for `count` springs; 0: none. Splits keep a substep of `stable_substep` seconds proven
   stable. Returns MSD_OUT_OF_MEMORY if memory runs out. */
msd_result splits_open(splits *w, struct stepper *s, int32_t count, double stable_substep);
void splits_close(splits *w);

/* Adds a spring that is due. `stretch` is its length relative to that at which it tears. */
void splits_add(splits *w, int32_t spring, double stretch);

/* Reserves memory for all splits that are due. On MSD_OUT_OF_MEMORY nothing has changed. */
msd_result splits_reserve(splits *w);

/* Keeps the springs that are due for which `is_kept` returns true, in the order of splits_apply. */
void splits_select(splits *w, bool (*is_kept)(void *context, int32_t spring), void *context);

/* Splits the springs that are due, or tears those that cannot be split: the most stretched first, then by
   ascending index. A particle splits at most once, and its neighbors do not split. The remaining springs wait
   for the next frame. */
void splits_apply(splits *w);

#endif
