/* The order of vertices in leaves: neighbours at rest stand together. */
#ifndef MSD_ENGINE_CONTACT_VERTEX_ORDER_H
#define MSD_ENGINE_CONTACT_VERTEX_ORDER_H

#include "msd/msd.h"

/* Puts particles into an order in which each `leaf` of them lie together, by the positions at `rest`: their box
   is halved across its longest side, and so are both halves, down to single particles. Takes about
   count log(count) steps. What comes first depends on the positions and the order of the particles alone. */
void vertex_order_make(int32_t *particles, int32_t count, const msd_vec3 *rest, int32_t leaf);

#endif
