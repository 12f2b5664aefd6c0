/* Which leaves look for pairs on which of several ranks (contact_team.h). Each takes chunks that follow each
   other, as many as make its share by what the last build has found in them. */
#ifndef MSD_ENGINE_CONTACT_PAIR_SHARES_H
#define MSD_ENGINE_CONTACT_PAIR_SHARES_H

#include "engine/contact/pair_search.h"

/* The leaves of a chunk, as a range of the seekers. */
parallel_range pair_leaves_of(const pair_search *s, int32_t chunk);

/* When the seekers are listed: gives this rank its chunks; false, and they stay as they are, where there is so
   little to search that each rank takes all. The same on all ranks. */
bool pair_share_chunks(pair_search *s, const contact_team *team);

/* From the first leaf that looks for pairs here to the last. */
parallel_range pair_own_leaves(const pair_search *s);

/* Those that are asked how smooth they are: they lie around the ones that look for pairs here. */
void pair_find_smooths(pair_search *s, const surface_mesh *mesh);

#endif
