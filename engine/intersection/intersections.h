/* Finds all pairs of triangles and segments that intersect. */
#ifndef MSD_ENGINE_INTERSECTION_INTERSECTIONS_H
#define MSD_ENGINE_INTERSECTION_INTERSECTIONS_H

#include "engine/base/memory.h"
#include "engine/base/parallel.h"

/* What to test. */
typedef struct intersection_question {
  msd_view positions;
  const msd_intersection_def *def;
  const msd_tasks *tasks;
  /* At most; does not affect the result. */
  int threads;
} intersection_question;

/* As msd_world_find_intersections, for an initialized definition. MSD_OUT_OF_MEMORY also if the memory limit
   is reached; MSD_BAD_VALUE also if a position in use is not finite. */
msd_result intersections_find(const intersection_question *question, memory *m, msd_intersection *out,
                              int capacity, int64_t *found);

#endif
