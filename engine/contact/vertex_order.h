/* The order of vertices in leaves: neighbours at rest stand together. */
#ifndef MSD_ENGINE_CONTACT_VERTEX_ORDER_H
#define MSD_ENGINE_CONTACT_VERTEX_ORDER_H

#include "engine/base/memory.h"
#include "engine/base/parallel.h"

/* Puts particles into an order in which each `leaf` of them lie together, by the positions at `rest`: their box
   is halved across its longest side, and so are both halves, down to single particles. Takes about
   count log(count) steps, by that many threads at most. The order depends on the positions and indices of the
   particles alone. False without memory. */
bool vertex_order_make(int32_t *particles, int32_t count, const msd_vec3 *rest, int32_t leaf, memory *m,
                       const msd_tasks *tasks, int threads);

#endif
