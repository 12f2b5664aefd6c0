/* All pairs of triangles and segments that intersect. */
#ifndef MSD_ENGINE_INTERSECTION_INTERSECTIONS_H
#define MSD_ENGINE_INTERSECTION_INTERSECTIONS_H

#include "engine/base/memory.h"

/* As msd_world_find_intersections, of a definition with its cookie; MSD_OUT_OF_MEMORY also where the limit is
   the reason. MSD_BAD_VALUE also of a position that is used and not finite. */
msd_result intersections_find(msd_view positions, const msd_intersection_def *def, memory *m,
                              msd_intersection *out, int capacity, int64_t *found);

#endif
