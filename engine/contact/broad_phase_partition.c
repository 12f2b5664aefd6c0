#include "engine/contact/broad_phase_partition.h"

#include "engine/base/min_max.h"

#include <string.h>

/* The fixed cost of a leaf, in pairs; and the least cost of a search that is worth the messages. */
enum { LEAF_PAIRS = 16, SHARED_PAIRS = 1024 };

parallel_range pair_leaves_of(const pair_search *s, int32_t chunk) {
  return (parallel_range){chunk * s->chunk_leaves, int_min(s->seeker_count, (chunk + 1) * s->chunk_leaves)};
}

static int64_t chunk_cost(const pair_search *s, int32_t chunk) {
  const parallel_range leaves = pair_leaves_of(s, chunk);
  int64_t cost = 0;
  for (int32_t k = leaves.first; k < leaves.last; k++)
    cost += LEAF_PAIRS + s->past[s->query_clusters[k]];
  return cost;
}

/* Assigns a chunk by its middle, so that it goes to the rank to which most of it belongs. */
bool pair_share_chunks(pair_search *s, const contact_team *team) {
  const int ranks = contact_team_count(team), own = contact_team_rank(team);
  int64_t all = 0, before = 0;
  for (int32_t chunk = 0; chunk < s->chunk_count; chunk++)
    all += chunk_cost(s, chunk);
  if (ranks == 1 || all < SHARED_PAIRS)
    return false;
  s->own_chunks = (parallel_range){0, 0};
  for (int32_t chunk = 0; chunk < s->chunk_count; chunk++) {
    const int64_t cost = chunk_cost(s, chunk);
    const double middle = (double)before + (double)cost / 2;
    const int rank = int_min((int)(middle / (double)all * ranks), ranks - 1);
    s->own_chunks.first += rank < own;
    s->own_chunks.last += rank <= own;
    before += cost;
  }
  return true;
}

parallel_range pair_own_leaves(const pair_search *s) {
  if (s->own_chunks.first == s->own_chunks.last)
    return (parallel_range){0, 0};
  return (parallel_range){s->query_clusters[pair_leaves_of(s, s->own_chunks.first).first],
                          s->query_clusters[pair_leaves_of(s, s->own_chunks.last - 1).last - 1] + 1};
}

void clusters_to_certify(pair_search *s, const surface_mesh *mesh) {
  memset(s->smooths, 0, (size_t)s->leaf_room);
  for (int32_t leaf = pair_own_leaves(s).first; leaf < pair_own_leaves(s).last; leaf++) {
    const flat_region *patch = &mesh->patches.around[leaf];
    for (int n = 0; n < patch->count && s->seeks[leaf]; n++)
      s->smooths[patch->leaf[n]] = 1;
  }
}
