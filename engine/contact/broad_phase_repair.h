/* Repair of a list (broad_phase.h) after a few particles got new X, V and R. The pairs of these particles
   are searched again and appended. Their old pairs remain in the list, with no thickness and a gap of
   PAIR_FAR.

   The cost is proportional to the number of such particles. Searched are they and all primitives that use
   one. The leaves that own these make new boxes for them, for themselves and for the nodes above. Each such
   leaf then searches the tree from the top, for leaves that the box around its searched primitives overlaps,
   or whose own such box overlaps it.

   No pair is missed. Take a pair that is not listed and could come close. If no corner is marked, its
   records, skins and thickness are those of the last search, which has ruled it out. If a corner is marked,
   at least one side is searched, and both sides have boxes of the current records and skins: a side that is
   not searched has no marked corner, so its box is still valid, or is made when its leaf is first met. The
   box of each leaf and those above it enclose all its primitives, since each leaf that owns a searched
   primitive was updated. So the tree leads from one of the two leaves to the other. The box around the
   searched primitives of the first contains the searched side, the box of the second leaf the other side.
   The sides touch, so the leaves are tested, and the narrow phase leaves out only what it rules out by
   proof. */
#ifndef MSD_ENGINE_CONTACT_BROAD_PHASE_REPAIR_H
#define MSD_ENGINE_CONTACT_BROAD_PHASE_REPAIR_H

#include "engine/contact/pair_index.h"

/* Searches again for the pairs of marked particles, by slot. The input is that of the last search, except
   for these particles. `blocks` contains all their pairs in the list; NULL: search the whole list. False
   without memory on any rank, or above 2^31-1 pairs; then the list must be rebuilt. */
bool pair_search_mend(pair_search *search, memory *m, const surface_mesh *mesh, const pair_question *question,
                      const pair_index *blocks, const uint8_t *marked, uint8_t mark);

#endif
