/* All pairs of triangles and segments that intersect. */
#ifndef MSD_ENGINE_INTERSECTION_INTERSECTIONS_H
#define MSD_ENGINE_INTERSECTION_INTERSECTIONS_H

#include "engine/base/memory.h"
#include "engine/base/parallel.h"

/* Where to look. */
typedef struct intersection_question {
  msd_view positions;
  const msd_intersection_def *def;
  const msd_tasks *tasks;
  /* At most; the answer is the same. */
  int threads;
} intersection_question;

/* As msd_world_find_intersections, of a definition with its cookie; MSD_OUT_OF_MEMORY also where the limit is
   the reason. MSD_BAD_VALUE also of a position that is used and not finite. */
msd_result intersections_find(const intersection_question *question, memory *m, msd_intersection *out,
                              int capacity, int64_t *found);

#endif
