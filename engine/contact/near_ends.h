/* Pairs of edges that are nearest at an end: two ends of ropes, two bends, a corner of a cloth and its border.

   Such a pair may push where the surfaces are nearest to each other there, and not only the two edges: all
   other edges of a vertex lead away from what it is nearest to, and of an edge all triangles do. So inner edges
   and vertices of a surface are no bumps: what is nearest to one of those in a flat cloth would be nearer to
   the triangle beside it.

   Many pairs share a vertex, and would see the same two points. Of the edges of a vertex only the first acts
   for it that has no particle in common with the other edge, and so is in the list with it. */
#ifndef MSD_ENGINE_CONTACT_NEAR_ENDS_H
#define MSD_ENGINE_CONTACT_NEAR_ENDS_H

#include "engine/contact/near_pairs.h"

/* Whether two edges, by their slots, may push at an end of one; `closest`: bit n is whether they are closest at
   the n-th. Then the witness becomes the one where they push. */
bool near_ends_find(const near_question *q, const int32_t slots[PAIR_CORNERS], unsigned closest,
                    near_witness *witness);

#endif
