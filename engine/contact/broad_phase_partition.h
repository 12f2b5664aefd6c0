/* Divides a search among ranks (contact_ranks.h). Each takes consecutive chunks with about equal numbers of
   pairs in the last search. */
#ifndef MSD_ENGINE_CONTACT_BROAD_PHASE_PARTITION_H
#define MSD_ENGINE_CONTACT_BROAD_PHASE_PARTITION_H

#include "engine/contact/broad_phase.h"

/* The leaves of a chunk, as a range of the query clusters. */
parallel_range pair_leaves_of(const pair_search *s, int32_t chunk);

/* Call when the searching leaves are listed: selects the chunks of this rank. False if the search is so
   small that each rank does all of it. Same result on all ranks. */
bool pair_share_chunks(pair_search *s, const contact_team *team);

/* From the first to the last searching leaf of this rank. */
parallel_range pair_own_leaves(const pair_search *s);

/* Marks the leaves whose smoothness this rank needs: those around its searching leaves. */
void clusters_to_certify(pair_search *s, const surface_mesh *mesh);

#endif
