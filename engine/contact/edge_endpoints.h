/* Edge pairs whose closest points are at an end: two ends of ropes, two bends, a corner of a cloth and the
   border of another.

   Such a pair may push only if the surfaces, not just the two edges, are closest to each other there: every
   edge at that end must lead away from the other surface, and so must every triangle at an edge that is met
   in its interior. Inner edges and vertices of a surface are therefore no bumps: near those of a flat cloth,
   a point of an adjacent triangle is nearer.

   Many pairs share a vertex and would see the same two points. Of the edges at that vertex only the first
   acts, among those that share no particle with the other edge and are therefore listed with it. */
#ifndef MSD_ENGINE_CONTACT_EDGE_ENDPOINTS_H
#define MSD_ENGINE_CONTACT_EDGE_ENDPOINTS_H

#include "engine/contact/contact_pairs.h"

/* True if two edges, by slots, may push at an end of one. Bit n of `closest`: their closest point is the
   n-th end. On success `witness` is that of the end. */
bool near_ends_find(const near_question *q, const int32_t slots[PAIR_CORNERS], unsigned closest,
                    near_witness *witness);

/* At an inner edge or vertex of a flat kinematic surface that slides far until the motion bound `f` ends, the
   witness of a listed pair becomes the normal of the surface. Along any other direction a part of that way
   would count as an approach, and the pair would push. */
void near_level_witness(const near_question *q, const motion_bound *f, const msd_real *inverse_mass,
                        int32_t listed, near_witness *witness);

#endif
