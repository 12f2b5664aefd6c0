/* The order of vertices in leaves: neighbors at rest are adjacent. */
#ifndef MSD_ENGINE_CONTACT_CLUSTER_VERTICES_H
#define MSD_ENGINE_CONTACT_CLUSTER_VERTICES_H

#include "engine/base/memory.h"
#include "engine/base/parallel.h"

/* Orders particles so that each `leaf` of them are close together at rest: by recursive bisection of their
   box across its longest side. Takes about count log(count) operations. The result depends only on positions
   and indices. False without memory. */
bool vertex_order_make(int32_t *particles, int32_t count, const msd_vec3 *rest, int32_t leaf, memory *m,
                       const msd_tasks *tasks, int threads);

#endif
