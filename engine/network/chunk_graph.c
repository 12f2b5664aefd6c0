#include "engine/network/chunk_graph.h"

#include "engine/base/counting_sort.h"
#include "engine/base/min_max.h"
#include "engine/base/parallel.h"

/* Collects the edges from the current chunk to others. Stores them if the neighbor array is set; else only
   counts. */
typedef struct edges {
  int32_t chunk, chunk_count;
  /* Per chunk, the last chunk that has found it, plus 1. */
  int32_t *found_by;
  int32_t *neighbor;
  int32_t count;
} edges;

static void find(edges *e, int32_t chunk) {
  if (chunk == e->chunk || chunk < 0 || chunk >= e->chunk_count || e->found_by[chunk] == e->chunk + 1)
    return;
  e->found_by[chunk] = e->chunk + 1;
  if (e->neighbor)
    e->neighbor[e->count] = chunk;
  e->count++;
}

/* The partners of the particle in `slot`, or with a step of 1 of the particles in its group. */
static void find_indexed(edges *e, const network *net, int32_t slot, int32_t step, int32_t first,
                         int32_t end) {
  for (int32_t lane = first; lane < end; lane++)
    find(e, network_partner(net, slot + step * (lane % NETWORK_GROUP), lane) / NETWORK_CHUNK);
}

/* Finds the chunks that the springs of a group read. */
static void find_of_group(edges *e, const network *net, int32_t group) {
  const network_group *g = &net->groups[group];
  for (int32_t r = g[0].up; r < g[1].up; r++) {
    const int32_t first = group * NETWORK_GROUP + net->rows[r].shift, last = first + NETWORK_GROUP - 1;
    find(e, int_max(first, 0) / NETWORK_CHUNK);
    find(e, int_max(last, 0) / NETWORK_CHUNK);
  }
  find_indexed(e, net, group * NETWORK_GROUP, 1, g->indexed * NETWORK_GROUP, g->indexed_end * NETWORK_GROUP);
  for (int32_t t = network_first_tail(net, group); t < network_first_tail(net, group + 1); t++)
    find_indexed(e, net, net->tails[t].particle, 0, net->tails[t].first, net->tails[t].end);
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

/* Fills in first[], and the neighbor array if it is given. Returns the number of edges. */
static int32_t go_through(const network *net, int32_t *found_by, int32_t *first, int32_t *neighbor) {
  edges e = {.chunk_count = net->chunk_count, .found_by = found_by, .neighbor = neighbor};
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

/* --------------------------------------------------------------------------- couplings other than springs */

/* The cost of an item at each of its corners, in lanes: a constraint takes about as long as that many
   springs. */
enum { CORNER_COST = 5, COST_MAX = INT32_MAX - CORNER_COST };

/* Collects couplings of chunks from both ends, with repetitions. Stores them if `other` is set; else only
   counts. */
typedef struct joins {
  const network *net;
  chunk_graph *graph;
  /* chunk_count + 2 entries, as counting_sort.h needs. */
  int32_t *first;
  int32_t *other;
  int64_t count;
  /* Per chunk, the last item in which it was found; and the chunks of the current item. */
  int32_t *found_in, *found;
  int32_t item;
} joins;

static void add_join(void *to, const int32_t *slots, int32_t count) {
  joins *j = to;
  int32_t chunks = 0;
  j->item++;
  for (int32_t n = 0; n < count; n++) {
    const int32_t chunk = slots[n] / NETWORK_CHUNK;
    if (!(j->net->inverse_mass[slots[n]] > 0))
      continue;
    if (!j->other)
      j->graph->cost[chunk] = int_min(j->graph->cost[chunk], COST_MAX) + CORNER_COST;
    if (j->found_in[chunk] == j->item)
      continue;
    j->found_in[chunk] = j->item;
    j->found[chunks++] = chunk;
  }
  j->count += (int64_t)chunks * (chunks - 1);
  if (j->count > INT32_MAX)
    return;
  for (int32_t n = 0; n < chunks; n++)
    for (int32_t k = 0; k < chunks; k++) {
      if (k == n)
        continue;
      if (j->other)
        counting_sort_put(j->first, j->other, j->found[n], j->found[k]);
      else
        counting_sort_count(j->first, j->found[n]);
    }
}

static void walk_all(joins *j, const chunk_joint *joints, int joint_count) {
  j->count = 0;
  j->item = 0;
  for (int32_t chunk = 0; chunk < j->graph->count; chunk++)
    j->found_in[chunk] = 0;
  for (int n = 0; n < joint_count; n++)
    joints[n].walk(joints[n].of, add_join, j);
}

/* Returns false if memory runs out, or there are too many couplings. */
static bool list_joins(joins *j, memory *m, const chunk_joint *joints, int joint_count) {
  walk_all(j, joints, joint_count);
  if (j->count > INT32_MAX)
    return false;
  counting_sort_begin(j->first, j->graph->count);
  j->other = memory_allocate_items(m, j->count + 1, sizeof *j->other);
  if (j->other)
    walk_all(j, joints, joint_count);
  return j->other != NULL;
}

/* ---------------------------------------------------------------------------------------------- all edges */

/* Lists of chunks: the list of chunk n is at[first[n]] to at[first[n + 1] - 1]. */
typedef struct chunk_lists {
  int32_t *first, *at;
} chunk_lists;

static void find_listed(edges *e, const chunk_lists *l) {
  for (int32_t n = l->first[e->chunk]; n < l->first[e->chunk + 1]; n++)
    find(e, l->at[n]);
}

/* The reversed edges of springs. */
static void turn_round(const chunk_lists *springs, int32_t count, const chunk_lists *turned) {
  for (int32_t n = 0; n < springs->first[count]; n++)
    counting_sort_count(turned->first, springs->at[n]);
  counting_sort_begin(turned->first, count);
  for (int32_t chunk = 0; chunk < count; chunk++)
    for (int32_t n = springs->first[chunk]; n < springs->first[chunk + 1]; n++)
      counting_sort_put(turned->first, turned->at, springs->at[n], chunk);
}

/* Merges the lists without repetitions. */
static void merge(chunk_graph *g, const chunk_lists lists[3], int32_t *found_by) {
  edges e = {.chunk_count = g->count, .found_by = found_by, .neighbor = g->neighbor};
  for (int32_t chunk = 0; chunk < g->count; chunk++)
    found_by[chunk] = 0;
  for (e.chunk = 0; e.chunk < g->count; e.chunk++) {
    g->first[e.chunk] = e.count;
    for (int n = 0; n < 3; n++)
      find_listed(&e, &lists[n]);
  }
  g->first[e.chunk] = e.count;
}

/* The edges of springs, the reversed edges, and the other couplings. */
typedef struct maker {
  chunk_lists lists[3];
  int32_t *found_by, *found;
} maker;

static bool reserve(maker *w, chunk_graph *g, memory *m) {
  const int64_t count = (int64_t)g->count + 2;
  g->first = memory_allocate_items(m, count, sizeof *g->first);
  g->cost = memory_allocate_items(m, count, sizeof *g->cost);
  w->found_by = memory_allocate_items(m, count, sizeof *w->found_by);
  w->found = memory_allocate_items(m, count, sizeof *w->found);
  bool done = g->first && g->cost && w->found_by && w->found;
  for (int n = 0; n < 3; n++)
    done = (w->lists[n].first = memory_allocate_items(m, count, sizeof(int32_t))) && done;
  return done;
}

static bool list_edges(maker *w, chunk_graph *g, memory *m, const network *net) {
  chunk_lists *springs = &w->lists[0], *turned = &w->lists[1];
  const int32_t count = go_through(net, w->found_by, springs->first, NULL);
  springs->at = memory_allocate_items(m, (int64_t)count + 1, sizeof *springs->at);
  turned->at = memory_allocate_items(m, (int64_t)count + 1, sizeof *turned->at);
  if (!springs->at || !turned->at)
    return false;
  go_through(net, w->found_by, springs->first, springs->at);
  turn_round(springs, g->count, turned);
  return true;
}

static bool make(maker *w, chunk_graph *g, memory *m, const network *net, const chunk_joint *joints,
                 int joint_count) {
  g->count = net->chunk_count;
  if (!reserve(w, g, m) || !list_edges(w, g, m, net))
    return false;
  for (int32_t group = 0; group < net->group_count; group++)
    g->cost[group / NETWORK_CHUNK_GROUPS] += cost_of_group(net, group);
  joins j = {.net = net, .graph = g, .first = w->lists[2].first, .found_in = w->found_by, .found = w->found};
  const bool done = list_joins(&j, m, joints, joint_count);
  w->lists[2].at = j.other;
  if (!done)
    return false;
  int64_t most = 1;
  for (int n = 0; n < 3; n++)
    most += w->lists[n].first[g->count];
  g->neighbor = memory_allocate_items(m, most, sizeof *g->neighbor);
  if (g->neighbor)
    merge(g, w->lists, w->found_by);
  return g->neighbor != NULL;
}

bool chunk_graph_make(chunk_graph *g, memory *m, const network *net, const chunk_joint *joints,
                      int joint_count) {
  maker w = {0};
  *g = (chunk_graph){0};
  const bool done = make(&w, g, m, net, joints, joint_count);
  for (int n = 0; n < 3; n++) {
    memory_release(m, w.lists[n].first);
    memory_release(m, w.lists[n].at);
  }
  memory_release(m, w.found_by);
  memory_release(m, w.found);
  if (!done)
    chunk_graph_free(g, m);
  return done;
}

void chunk_graph_free(chunk_graph *g, memory *m) {
  memory_release(m, g->first);
  memory_release(m, g->neighbor);
  memory_release(m, g->cost);
  *g = (chunk_graph){0};
}
