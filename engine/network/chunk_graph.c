#include "engine/network/chunk_graph.h"

#include "engine/base/min_max.h"
#include "engine/base/parallel.h"

/* Edges as they are found, from the chunk at hand to others. With `neighbour` they are filled in, and else
   counted. */
typedef struct edges {
  int32_t chunk, chunk_count;
  /* The last chunk that has found each one, plus 1. */
  int32_t *found_by;
  int32_t *neighbour;
  int32_t count;
} edges;

static void find(edges *e, int32_t chunk) {
  if (chunk == e->chunk || chunk < 0 || chunk >= e->chunk_count || e->found_by[chunk] == e->chunk + 1)
    return;
  e->found_by[chunk] = e->chunk + 1;
  if (e->neighbour)
    e->neighbour[e->count] = chunk;
  e->count++;
}

static void find_indexed(edges *e, const network *net, int32_t first, int32_t end) {
  for (int32_t lane = first; lane < end; lane++)
    find(e, net->partner[lane] / NETWORK_CHUNK);
}

/* What the springs that are stored at a group read. */
static void find_of_group(edges *e, const network *net, int32_t group) {
  const network_group *g = &net->groups[group];
  for (int32_t r = g[0].up; r < g[1].up; r++) {
    const int32_t first = group * NETWORK_GROUP + net->rows[r].shift, last = first + NETWORK_GROUP - 1;
    find(e, int_max(first, 0) / NETWORK_CHUNK);
    find(e, int_max(last, 0) / NETWORK_CHUNK);
  }
  find_indexed(e, net, g->indexed * NETWORK_GROUP, g->indexed_end * NETWORK_GROUP);
  for (int32_t t = network_first_tail(net, group); t < network_first_tail(net, group + 1); t++)
    find_indexed(e, net, net->tails[t].first, net->tails[t].end);
}

static int32_t cost_of_group(const network *net, int32_t group) {
  const network_group *g = &net->groups[group];
  int32_t cost = (1 + g[1].up - g->up + g[1].held - g->held + g->indexed_end - g->indexed) * NETWORK_GROUP;
  for (int32_t t = network_first_tail(net, group); t < network_first_tail(net, group + 1); t++)
    cost += net->tails[t].end - net->tails[t].first;
  return cost;
}

static parallel_range groups_of(const network *net, int32_t chunk) {
  return (parallel_range){chunk * NETWORK_CHUNK_GROUPS,
                          int_min((chunk + 1) * NETWORK_CHUNK_GROUPS, net->group_count)};
}

/* Fills in first[], or with `neighbour` that; returns how many edges there are. */
static int32_t go_through(const network *net, int32_t *found_by, int32_t *first, int32_t *neighbour) {
  edges e = {.chunk_count = net->chunk_count, .found_by = found_by, .neighbour = neighbour};
  for (int32_t chunk = 0; chunk < net->chunk_count; chunk++)
    found_by[chunk] = 0;
  for (e.chunk = 0; e.chunk < net->chunk_count; e.chunk++) {
    const parallel_range groups = groups_of(net, e.chunk);
    first[e.chunk] = e.count;
    for (int32_t group = groups.first; group < groups.last; group++)
      find_of_group(&e, net, group);
  }
  first[e.chunk] = e.count;
  return e.count;
}

/* The edges of a graph, each also from its other end; `at` and `found_by` are numbers of each chunk to work
   in. */
static void make_symmetric(chunk_graph *g, const int32_t *first, const int32_t *neighbour, int32_t *at,
                           int32_t *from) {
  for (int32_t chunk = 0; chunk <= g->count; chunk++)
    at[chunk] = 0;
  for (int32_t n = 0; n < first[g->count]; n++)
    at[neighbour[n] + 1]++;
  for (int32_t chunk = 0; chunk < g->count; chunk++)
    at[chunk + 1] += at[chunk];
  for (int32_t chunk = 0; chunk < g->count; chunk++)
    for (int32_t n = first[chunk]; n < first[chunk + 1]; n++)
      from[at[neighbour[n]]++] = chunk;
}

/* Adds to a chunk's neighbours those that have it as theirs alone. */
static void join(chunk_graph *g, const int32_t *first, const int32_t *neighbour, const int32_t *end,
                 const int32_t *from, int32_t *found_by) {
  edges e = {.chunk_count = g->count, .found_by = found_by, .neighbour = g->neighbour};
  for (int32_t chunk = 0; chunk < g->count; chunk++)
    found_by[chunk] = 0;
  for (e.chunk = 0; e.chunk < g->count; e.chunk++) {
    g->first[e.chunk] = e.count;
    for (int32_t n = first[e.chunk]; n < first[e.chunk + 1]; n++)
      find(&e, neighbour[n]);
    for (int32_t n = e.chunk > 0 ? end[e.chunk - 1] : 0; n < end[e.chunk]; n++)
      find(&e, from[n]);
  }
  g->first[e.chunk] = e.count;
}

static bool make(chunk_graph *g, memory *m, const network *net, int32_t *work[4]) {
  const int32_t count = net->chunk_count;
  g->count = count;
  g->first = memory_allocate_items(m, (int64_t)count + 1, sizeof *g->first);
  g->cost = memory_allocate_items(m, (int64_t)count + 1, sizeof *g->cost);
  int32_t *found_by = work[0] = memory_allocate_items(m, 2 * ((int64_t)count + 1), sizeof **work);
  int32_t *first = work[1] = memory_allocate_items(m, (int64_t)count + 1, sizeof **work);
  if (!g->first || !g->cost || !found_by || !first)
    return false;
  const int32_t edge_count = go_through(net, found_by, first, NULL);
  int32_t *neighbour = work[2] = memory_allocate_items(m, (int64_t)edge_count + 1, sizeof **work);
  int32_t *from = work[3] = memory_allocate_items(m, (int64_t)edge_count + 1, sizeof **work);
  g->neighbour = memory_allocate_items(m, 2 * (int64_t)edge_count + 1, sizeof *g->neighbour);
  if (!neighbour || !from || !g->neighbour)
    return false;
  go_through(net, found_by, first, neighbour);
  int32_t *end = found_by + count + 1;
  make_symmetric(g, first, neighbour, end, from);
  join(g, first, neighbour, end, from, found_by);
  for (int32_t group = 0; group < net->group_count; group++)
    g->cost[group / NETWORK_CHUNK_GROUPS] += cost_of_group(net, group);
  return true;
}

bool chunk_graph_make(chunk_graph *g, memory *m, const network *net) {
  int32_t *work[4] = {NULL};
  *g = (chunk_graph){0};
  const bool done = make(g, m, net, work);
  for (int n = 0; n < 4; n++)
    memory_release(m, work[n]);
  if (!done)
    chunk_graph_free(g, m);
  return done;
}

void chunk_graph_free(chunk_graph *g, memory *m) {
  memory_release(m, g->first);
  memory_release(m, g->neighbour);
  memory_release(m, g->cost);
  *g = (chunk_graph){0};
}
