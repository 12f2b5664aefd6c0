#include "engine/step/partition.h"

#include "engine/base/min_max.h"
#include "engine/base/rank_agreement.h"

#include <string.h>

enum { DEPTH_MAX = MSD_RANKS_DEPTH_MAX, OUTSIDE = DEPTH_MAX + 1 };

/* Cost model in s, measured between two processes on one machine: a lane on one thread, an exchange, and each
   message. It chooses the halo depth if none is given. */
static const double LANE_SECONDS = 0.4e-9, EXCHANGE_SECONDS = 6e-6, PARCEL_SECONDS = 3e-6;

/* A subdomain with more lanes than LANES_CACHED exceeds the caches. It passes through memory once between two
   exchanges, at PASS_SECONDS a lane. */
static const double LANES_CACHED = 2e6, PASS_SECONDS = 0.4e-9;

/* ------------------------------------------------------------------------------------ ownership of chunks */

void partition_in_strips(const chunk_graph *graph, int ranks, int32_t *rank_of) {
  int64_t all = 0, before = 0;
  for (int32_t chunk = 0; chunk < graph->count; chunk++)
    all += graph->cost[chunk];
  for (int32_t chunk = 0; chunk < graph->count; chunk++) {
    /* A chunk goes to the strip that contains its middle, measured by cost. */
    const double middle = (double)before + graph->cost[chunk] / 2.0;
    rank_of[chunk] = int_min((int32_t)(middle / (double)all * ranks), ranks - 1);
    before += graph->cost[chunk];
  }
}

static bool are_ranks(const int32_t *rank_of, int32_t count, int ranks) {
  for (int32_t chunk = 0; chunk < count; chunk++)
    if (rank_of[chunk] < 0 || rank_of[chunk] >= ranks)
      return false;
  return true;
}

/* Hash of the owners that is exact in a double. */
static double digest_of(const int32_t *rank_of, int32_t count) {
  uint32_t digest = 2166136261U;
  for (int32_t chunk = 0; chunk < count; chunk++)
    digest = (digest ^ (uint32_t)rank_of[chunk]) * 16777619U;
  return digest;
}

/* Assigns an owner to each chunk. Returns false on all ranks if one of them fails or the ranks disagree. */
static bool divide(partition *s, const chunk_graph *graph) {
  const msd_ranks *ranks = &s->ranks;
  bool done = true;
  if (ranks->divide)
    done = ranks->divide(&(msd_component_graph){graph->count, graph->cost, graph->first, graph->neighbor},
                         s->rank_of, ranks->context) &&
           are_ranks(s->rank_of, graph->count, ranks->count);
  else
    partition_in_strips(graph, ranks->count, s->rank_of);
  const double digest = digest_of(s->rank_of, graph->count);
  double values[] = {!done, digest, -digest};
  ranks->largest(values, 3, ranks->context);
  return values[0] == 0 && values[1] == -values[2];
}

/* ------------------------------------------------------------------------------------------------- rings */

void partition_rings(const chunk_graph *graph, const int32_t *rank_of, int rank, int depth, int32_t *ring,
                     int32_t *queue) {
  int32_t first = 0, last = 0;
  for (int32_t chunk = 0; chunk < graph->count; chunk++) {
    ring[chunk] = rank_of[chunk] == rank ? 0 : OUTSIDE;
    if (ring[chunk] == 0)
      queue[last++] = chunk;
  }
  for (; first < last; first++) {
    const int32_t chunk = queue[first];
    if (ring[chunk] == depth)
      continue;
    for (int32_t n = graph->first[chunk]; n < graph->first[chunk + 1]; n++)
      if (ring[graph->neighbor[n]] == OUTSIDE) {
        ring[graph->neighbor[n]] = ring[chunk] + 1;
        queue[last++] = graph->neighbor[n];
      }
  }
}

/* Distance of each chunk to the nearest chunk of another owner, counted in rings: the chunk belongs to that
   owner's ring of this number. */
static void find_borders(const chunk_graph *graph, const int32_t *rank_of, int depth, int32_t *border,
                         int32_t *queue) {
  int32_t first = 0, last = 0;
  for (int32_t chunk = 0; chunk < graph->count; chunk++) {
    border[chunk] = OUTSIDE;
    for (int32_t n = graph->first[chunk]; n < graph->first[chunk + 1] && border[chunk] == OUTSIDE; n++)
      if (rank_of[graph->neighbor[n]] != rank_of[chunk])
        border[chunk] = 1;
    if (border[chunk] == 1)
      queue[last++] = chunk;
  }
  for (; first < last; first++) {
    const int32_t chunk = queue[first];
    if (border[chunk] == depth)
      continue;
    for (int32_t n = graph->first[chunk]; n < graph->first[chunk + 1]; n++) {
      const int32_t next = graph->neighbor[n];
      if (border[next] == OUTSIDE && rank_of[next] == rank_of[chunk]) {
        border[next] = border[chunk] + 1;
        queue[last++] = next;
      }
    }
  }
}

/* Chooses the number of rings that minimizes the cost of a substep on the slowest rank. */
static int choose_depth(const partition *s, const chunk_graph *graph) {
  const int most = DEPTH_MAX / s->reach;
  double lanes[DEPTH_MAX + 1] = {0}, parcels[DEPTH_MAX + 1] = {0}, seconds[DEPTH_MAX];
  for (int32_t chunk = 0; chunk < graph->count; chunk++)
    if (s->ring[chunk] <= DEPTH_MAX) {
      lanes[s->ring[chunk]] += graph->cost[chunk];
      parcels[s->ring[chunk]] += s->ring[chunk] > 0;
    }
  const double pass = lanes[0] > LANES_CACHED ? lanes[0] * PASS_SECONDS : 0;
  double within = 0, work = 0, taken = 0;
  for (int n = 0, ring = 0; n < most; n++) {
    for (int end = ring + s->reach; ring < end; ring++) {
      within += lanes[ring];
      taken += parcels[ring + 1];
    }
    work += within;
    seconds[n] = (work * LANE_SECONDS + pass + EXCHANGE_SECONDS + taken * PARCEL_SECONDS) / (n + 1);
  }
  s->ranks.largest(seconds, most, s->ranks.context);
  int best = 0;
  for (int n = 1; n < most; n++)
    if (seconds[n] < seconds[best])
      best = n;
  return (best + 1) * s->reach;
}

/* ------------------------------------------------------------------------------------------------- lists */

static bool reserve_spans(span_list *list, memory *m, int32_t count) {
  list->spans = memory_allocate_items(m, (int64_t)count / 2 + 1, sizeof *list->spans);
  return list->spans != NULL;
}

/* `border` comes from find_borders. */
static bool make_spans(partition *s, memory *m, const int32_t *border) {
  bool done = reserve_spans(&s->inner, m, s->chunk_count);
  for (int n = 0; n < s->depth; n++)
    done = reserve_spans(&s->within[n], m, s->chunk_count) &&
           reserve_spans(&s->outer[n], m, s->chunk_count) && done;
  for (int32_t chunk = 0; chunk < s->chunk_count && done; chunk++) {
    const bool is_inner = s->ring[chunk] == 0 && border[chunk] > 1;
    if (is_inner)
      span_add(&s->inner, chunk, chunk + 1);
    for (int n = 0; n < s->depth; n++) {
      if (s->ring[chunk] <= n)
        span_add(&s->within[n], chunk, chunk + 1);
      if (s->ring[chunk] <= n && !is_inner)
        span_add(&s->outer[n], chunk, chunk + 1);
    }
  }
  return done;
}

/* Selects the chunks of a route. */
typedef struct route_rule {
  const int32_t *ring, *border;
  /* Upper bound for both. */
  int32_t depth;
} route_rule;

static bool is_given(const route_rule *r, int32_t chunk) {
  return r->border[chunk] <= r->depth;
}

static bool is_taken(const route_rule *r, int32_t chunk) {
  return r->ring[chunk] > 0 && r->ring[chunk] <= r->depth;
}

/* Sorts the received chunks by owner. `numbers` is scratch memory for one entry per rank and one more. */
static void sort_taken(const partition *s, const route_rule *rule, halo_route *route, int32_t *numbers) {
  const int ranks = s->ranks.count;
  memset(numbers, 0, ((size_t)ranks + 1) * sizeof *numbers);
  for (int32_t chunk = 0; chunk < s->chunk_count; chunk++)
    numbers[s->rank_of[chunk] + 1] += is_taken(rule, chunk);
  for (int rank = 0; rank < ranks; rank++)
    numbers[rank + 1] += numbers[rank];
  for (int32_t chunk = 0; chunk < s->chunk_count; chunk++)
    if (is_taken(rule, chunk))
      route->take[numbers[s->rank_of[chunk]]++] = chunk;
}

/* `number` has one entry per chunk: the index of its message at the owner. Scratch memory. */
static bool make_route(partition *s, memory *m, const route_rule *rule, halo_route *route, int32_t *number,
                       int32_t *numbers) {
  int32_t taken = 0;
  memset(numbers, 0, ((size_t)s->ranks.count + 1) * sizeof *numbers);
  for (int32_t chunk = 0; chunk < s->chunk_count; chunk++) {
    number[chunk] = is_given(rule, chunk) ? numbers[s->rank_of[chunk]]++ : -1;
    taken += is_taken(rule, chunk);
  }
  route->give_count = numbers[s->ranks.rank];
  route->take_count = taken;
  route->give = memory_allocate_items(m, (int64_t)route->give_count + 1, sizeof *route->give);
  route->take = memory_allocate_items(m, (int64_t)taken + 1, sizeof *route->take);
  route->from = memory_allocate_items(m, (int64_t)taken + 1, sizeof *route->from);
  if (!route->give || !route->take || !route->from)
    return false;
  for (int32_t chunk = 0; chunk < s->chunk_count; chunk++)
    if (number[chunk] >= 0 && s->rank_of[chunk] == s->ranks.rank)
      route->give[number[chunk]] = chunk;
  sort_taken(s, rule, route, numbers);
  for (int32_t n = 0; n < taken; n++)
    route->from[n] = (msd_halo_message){s->rank_of[route->take[n]], number[route->take[n]]};
  return true;
}

static bool reserve_parcels(partition *s, memory *m) {
  const int64_t give = int_max(s->rings.give_count, s->whole.give_count),
                take = int_max(s->rings.take_count, s->whole.take_count);
  s->give = memory_allocate_items(m, give + 1, s->parcel * sizeof *s->give);
  s->take = memory_allocate_items(m, take + 1, s->parcel * sizeof *s->take);
  return s->give && s->take;
}

/* The route `whole` covers all chunks, because it restores the complete state. */
static bool make_lists(partition *s, memory *m, const chunk_graph *graph) {
  const int64_t chunks = (int64_t)graph->count + 1;
  int32_t *border = memory_allocate_items(m, chunks, sizeof *border),
          *number = memory_allocate_items(m, chunks, sizeof *number),
          *numbers = memory_allocate_items(m, (int64_t)s->ranks.count + 1, sizeof *numbers);
  bool done = border && number && numbers;
  if (done) {
    find_borders(graph, s->rank_of, s->depth, border, number);
    partition_rings(graph, s->rank_of, s->ranks.rank, s->depth, s->ring, number);
    const route_rule rings = {s->ring, border, s->depth}, whole = {s->ring, border, OUTSIDE};
    done = make_spans(s, m, border) && make_route(s, m, &rings, &s->rings, number, numbers) &&
           make_route(s, m, &whole, &s->whole, number, numbers) && reserve_parcels(s, m);
  }
  memory_release(m, border);
  memory_release(m, number);
  memory_release(m, numbers);
  return done;
}

static void open_route(const partition *s, halo_route *route) {
  const msd_route given = {.bytes = s->parcel * sizeof(msd_real),
                           .give_count = route->give_count,
                           .take_count = route->take_count,
                           .take = route->from};
  route->handle = s->ranks.open(&given, s->ranks.context);
}

static void close_route(const msd_ranks *ranks, halo_route *route) {
  if (route->handle)
    ranks->close(route->handle, ranks->context);
  route->handle = NULL;
}

/* ----------------------------------------------------------------------------------------- halo messages */

/* Number of slots in a chunk; the last chunk may be shorter. */
static size_t slots_of(int32_t chunk, size_t slots) {
  const size_t first = (size_t)chunk * NETWORK_CHUNK;
  return first + NETWORK_CHUNK <= slots ? NETWORK_CHUNK : slots - first;
}

void partition_pack(const partition *s, const halo_route *route, const msd_real *components, size_t stride,
                    size_t slots, int count) {
  for (int32_t n = 0; n < route->give_count; n++) {
    const size_t first = (size_t)route->give[n] * NETWORK_CHUNK;
    for (size_t c = 0; c < (size_t)count; c++)
      memcpy(partition_outgoing(s, n) + c * NETWORK_CHUNK, components + c * stride + first,
             slots_of(route->give[n], slots) * sizeof *components);
  }
}

void partition_unpack(const partition *s, const halo_route *route, msd_real *components, size_t stride,
                      size_t slots, int count) {
  for (int32_t n = 0; n < route->take_count; n++) {
    const size_t first = (size_t)route->take[n] * NETWORK_CHUNK;
    for (size_t c = 0; c < (size_t)count; c++)
      memcpy(components + c * stride + first, partition_incoming(s, n) + c * NETWORK_CHUNK,
             slots_of(route->take[n], slots) * sizeof *components);
  }
}

/* --------------------------------------------------------------------------------------------- partition */

static bool begin(partition *s, memory *m, const partition_input *demand, chunk_graph *graph) {
  const int64_t chunks = (int64_t)demand->net->chunk_count + 1;
  s->rank_of = memory_allocate_items(m, chunks, sizeof *s->rank_of);
  s->ring = memory_allocate_items(m, 2 * chunks, sizeof *s->ring);
  return s->rank_of && s->ring &&
         chunk_graph_make(graph, m, demand->net, demand->joints, demand->joint_count);
}

/* Each stage ends with an agreement of all ranks, so that no rank waits for one that has failed. */
static bool make(partition *s, memory *m, const partition_input *demand, chunk_graph *graph) {
  if (rank_on_any(&s->ranks, !begin(s, m, demand, graph)) || !divide(s, graph))
    return false;
  s->depth = int_min(s->ranks.depth, DEPTH_MAX / s->reach) * s->reach;
  if (s->depth == 0) {
    partition_rings(graph, s->rank_of, s->ranks.rank, DEPTH_MAX, s->ring, s->ring + s->chunk_count + 1);
    s->depth = choose_depth(s, graph);
  }
  if (rank_on_any(&s->ranks, !make_lists(s, m, graph)))
    return false;
  open_route(s, &s->rings);
  open_route(s, &s->whole);
  return !rank_on_any(&s->ranks, !s->rings.handle || !s->whole.handle);
}

void partition_make(partition *s, memory *m, const partition_input *demand, const msd_ranks *ranks) {
  chunk_graph graph = {0};
  partition_free(s, m);
  s->ranks = *ranks;
  s->chunk_count = demand->net->chunk_count;
  s->reach = demand->reach;
  s->parcel = PARTITION_PARCEL + demand->beside;
  const bool done = make(s, m, demand, &graph);
  chunk_graph_free(&graph, m);
  if (!done)
    partition_free(s, m);
  s->are_made = done;
}

static void free_route(const msd_ranks *ranks, memory *m, halo_route *route) {
  close_route(ranks, route);
  memory_release(m, route->from);
  memory_release(m, route->give);
  memory_release(m, route->take);
}

void partition_free(partition *s, memory *m) {
  free_route(&s->ranks, m, &s->rings);
  free_route(&s->ranks, m, &s->whole);
  for (int n = 0; n < DEPTH_MAX; n++) {
    memory_release(m, s->within[n].spans);
    memory_release(m, s->outer[n].spans);
  }
  memory_release(m, s->inner.spans);
  memory_release(m, s->rank_of);
  memory_release(m, s->ring);
  memory_release(m, s->give);
  memory_release(m, s->take);
  *s = (partition){0};
}
