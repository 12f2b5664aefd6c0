/* Who takes which chunks, and what rings lie around them, against distances in the graph that are found the
   long way. */
#include "tests/support/courses.h"
#include "tests/support/meshes.h"
#include "tests/support/rank_room.h"

#include "engine/step/partition.h"

enum { FAR = MSD_RANKS_DEPTH_MAX + 1 };

/* The fewest edges from each chunk to one of a rank, by as many rounds as there are chunks. */
static void find_distances(const chunk_graph *g, const int32_t *rank_of, int rank, int32_t *distance) {
  for (int32_t chunk = 0; chunk < g->count; chunk++)
    distance[chunk] = rank_of[chunk] == rank ? 0 : 1 << 20;
  for (int32_t round = 0; round < g->count; round++)
    for (int32_t chunk = 0; chunk < g->count; chunk++)
      for (int32_t n = g->first[chunk]; n < g->first[chunk + 1]; n++)
        if (distance[g->neighbor[n]] + 1 < distance[chunk])
          distance[chunk] = distance[g->neighbor[n]] + 1;
}

static chunk_graph graph_of(msd_world *world) {
  chunk_graph g;
  ASSERT_OK(world, msd_world_step(world, (msd_real)0.0009765625, 1));
  cr_assert(chunk_graph_make(&g, &world->model.memory, &world->stepper.network, NULL, 0));
  return g;
}

static msd_world *mesh(void) {
  return world_made(graph_mesh(60, 150, 0, 11), &LIVELY);
}

Test(partition, rings_are_distances_in_springs) {
  msd_world *world = mesh();
  chunk_graph g = graph_of(world);
  int32_t *rank_of = calloc((size_t)g.count, sizeof *rank_of), *ring = calloc((size_t)g.count, sizeof *ring),
          *queue = calloc((size_t)g.count, sizeof *queue),
          *distance = calloc((size_t)g.count, sizeof *distance);
  for (int32_t chunk = 0; chunk < g.count; chunk++)
    rank_of[chunk] = chunk / 9 % 2;
  int found = 0;
  for (int depth = 1; depth <= 5; depth++)
    for (int rank = 0; rank < 2; rank++) {
      partition_rings(&g, rank_of, rank, depth, ring, queue);
      find_distances(&g, rank_of, rank, distance);
      for (int32_t chunk = 0; chunk < g.count; chunk++, found += ring[chunk > 0 ? chunk - 1 : 0] == 2)
        cr_assert_eq(ring[chunk], distance[chunk] <= depth ? distance[chunk] : FAR, "chunk %d, depth %d",
                     (int)chunk, depth);
    }
  cr_assert_gt(found, 0);
  free(rank_of), free(ring), free(queue), free(distance);
  chunk_graph_free(&g, &world->model.memory);
  msd_destroy_world(world);
}

Test(partition, strips_cost_the_same_and_leave_nothing_out) {
  msd_world *world = mesh();
  chunk_graph g = graph_of(world);
  int32_t *rank_of = calloc((size_t)g.count, sizeof *rank_of);
  for (int ranks = 1; ranks <= 7; ranks++) {
    double cost[7] = {0}, all = 0, largest = 0;
    partition_in_strips(&g, ranks, rank_of);
    for (int32_t chunk = 0; chunk < g.count; chunk++) {
      cr_assert(rank_of[chunk] >= 0 && rank_of[chunk] < ranks);
      cr_assert(chunk == 0 || rank_of[chunk] == rank_of[chunk - 1] ||
                rank_of[chunk] == rank_of[chunk - 1] + 1);
      cost[rank_of[chunk]] += g.cost[chunk];
      all += g.cost[chunk];
      largest = g.cost[chunk] > largest ? g.cost[chunk] : largest;
    }
    for (int rank = 0; rank < ranks; rank++)
      cr_assert(cost[rank] <= all / ranks + largest && cost[rank] >= all / ranks - largest);
  }
  free(rank_of);
  chunk_graph_free(&g, &world->model.memory);
  msd_destroy_world(world);
}

/* ------------------------------------------------------------------------------------------------- routes */

static atomic_int given, taken;

static bool lists(const span_list *list, int32_t chunk) {
  for (int32_t n = 0; n < list->count; n++)
    if (chunk >= list->spans[n].first && chunk < list->spans[n].last)
      return true;
  return false;
}

/* Each chunk sends its own number, and the number arrives in the place of that chunk. */
static void check_route(const partition *s, const halo_route *route, room_seat *seat) {
  for (int32_t n = 0; n < route->give_count; n++)
    s->give[n * PARTITION_PARCEL] = s->give[(n + 1) * PARTITION_PARCEL - 1] = (msd_real)route->give[n];
  s->ranks.begin(route->handle, s->give, s->take, seat);
  s->ranks.end(route->handle, s->give, s->take, seat);
  for (int32_t n = 0; n < route->take_count; n++)
    cr_assert(s->take[n * PARTITION_PARCEL] == (msd_real)route->take[n] &&
              s->take[(n + 1) * PARTITION_PARCEL - 1] == (msd_real)route->take[n]);
  atomic_fetch_add(&given, route->give_count);
  atomic_fetch_add(&taken, route->take_count);
}

static void *share_and_check(void *context) {
  room_seat *seat = context;
  msd_world *world = mesh();
  chunk_graph g = graph_of(world);
  const msd_ranks ranks = room_ranks(seat, 3);
  partition s = {0};
  int32_t *distance = calloc((size_t)g.count, sizeof *distance);
  partition_make(&s, &world->model.memory, &(partition_input){.net = &world->stepper.network, .reach = 1},
                 &ranks);
  cr_assert(s.are_made && s.depth == 3);
  find_distances(&g, s.rank_of, seat->rank, distance);
  int32_t near = 0;
  for (int32_t chunk = 0; chunk < g.count; chunk++) {
    near += distance[chunk] >= 1 && distance[chunk] <= 3;
    for (int n = 0; n < 3; n++) {
      cr_assert_eq(lists(&s.within[n], chunk), distance[chunk] <= n);
      cr_assert_eq(lists(&s.outer[n], chunk), distance[chunk] <= n && !lists(&s.inner, chunk));
    }
    for (int32_t n = g.first[chunk]; n < g.first[chunk + 1] && lists(&s.inner, chunk); n++)
      cr_assert_eq(s.rank_of[g.neighbor[n]], seat->rank, "inner chunk %d reaches another rank", (int)chunk);
  }
  cr_assert_eq(s.rings.take_count, near);
  cr_assert_eq(s.whole.take_count + s.whole.give_count, g.count);
  check_route(&s, &s.rings, seat);
  check_route(&s, &s.whole, seat);
  partition_free(&s, &world->model.memory);
  free(distance);
  chunk_graph_free(&g, &world->model.memory);
  msd_destroy_world(world);
  return NULL;
}

Test(partition, routes_bring_each_chunk_to_its_place) {
  for (int ranks = 2; ranks <= 4; ranks++)
    for (uint32_t shuffle = 0; shuffle < 2; shuffle++) {
      rank_room room;
      room_begin_with(&room, ranks, shuffle);
      room_run(&room, share_and_check);
    }
  cr_assert(given > 0 && taken > 0);
}

static void *share_without_memory(void *context) {
  room_seat *seat = context;
  msd_world *world = mesh();
  ASSERT_OK(world, msd_world_step(world, (msd_real)0.0009765625, 1));
  const msd_ranks ranks = room_ranks(seat, 2);
  const size_t used = world->model.memory.used, limit = world->model.memory.limit;
  for (size_t more = 0; more < 40; more++) {
    partition s = {0};
    /* One rank has hardly any memory, and more each time. */
    world->model.memory.limit = seat->rank == 1 ? used + more * 400 : limit;
    partition_make(&s, &world->model.memory, &(partition_input){.net = &world->stepper.network, .reach = 1},
                   &ranks);
    double made[] = {s.are_made, -(double)s.are_made};
    ranks.largest(made, 2, seat);
    cr_assert_eq(made[0], -made[1], "some ranks have partition, and others have none");
    partition_free(&s, &world->model.memory);
    cr_assert_eq(world->model.memory.used, used);
  }
  msd_destroy_world(world);
  return NULL;
}

Test(partition, are_on_all_ranks_or_on_none) {
  rank_room room;
  room_begin_with(&room, 3, 0);
  room_run(&room, share_without_memory);
}
