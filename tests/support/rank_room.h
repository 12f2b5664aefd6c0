/* Ranks without processes: each is a thread of this program with a world of its own, and they meet in a room.
   It holds them to what msd/ranks.h says: parcels come when `end` has returned and not before, a route that is
   opened is closed, and all ask for the largest of as many numbers, and gather as many bytes of each. */
#ifndef MSD_TESTS_SUPPORT_RANK_ROOM_H
#define MSD_TESTS_SUPPORT_RANK_ROOM_H

#include <criterion/criterion.h>
#include <msd/msd.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM_RANKS_MAX = 8, ROOM_VALUES_MAX = 512, ROOM_FEW_BYTES = 64 };

typedef struct rank_room rank_room;

typedef struct room_seat {
  rank_room *room;
  int rank;
  int value_count;
  double values[ROOM_VALUES_MAX];
  /* Of the exchange that is under way. */
  const char *give;
  int32_t give_count;
  /* Exchanges so far. */
  int exchanges;
  /* What is gathered, and how often something has been that has room for more than a few numbers. */
  char *gathered;
  size_t bytes[ROOM_RANKS_MAX];
  int gathers;
} room_seat;

struct rank_room {
  int count;
  /* Where all wait for the last one. */
  pthread_mutex_t door;
  pthread_cond_t opened;
  int waiting, rounds;
  room_seat seats[ROOM_RANKS_MAX];
  atomic_int open_routes;
  /* Each piece goes to any rank, by this number; 0: strips. */
  uint32_t shuffle;
  /* The rank whose `open` has no memory; -1: none. */
  int poor;
};

typedef struct room_route {
  msd_route is;
  msd_halo_message *take;
} room_route;

static inline void room_meet(rank_room *room) {
  pthread_mutex_lock(&room->door);
  const int round = room->rounds;
  if (++room->waiting == room->count) {
    room->waiting = 0;
    room->rounds++;
    pthread_cond_broadcast(&room->opened);
  }
  while (round == room->rounds)
    pthread_cond_wait(&room->opened, &room->door);
  pthread_mutex_unlock(&room->door);
}

static inline void *room_open(const msd_route *route, void *context) {
  room_seat *seat = context;
  if (seat->rank == seat->room->poor)
    return NULL;
  room_route *r = malloc(sizeof *r);
  const size_t size = (size_t)route->take_count * sizeof *r->take;
  *r = (room_route){.is = *route, .take = malloc(size + 1)};
  memcpy(r->take, route->take, size);
  atomic_fetch_add(&seat->room->open_routes, 1);
  return r;
}

static inline void room_close(void *route, void *context) {
  room_seat *seat = context;
  room_route *r = route;
  free(r->take);
  free(r);
  atomic_fetch_sub(&seat->room->open_routes, 1);
}

/* What is taken is no number until it is there. */
static inline void room_begin(void *route, const void *give, void *take, void *context) {
  room_seat *seat = context;
  const room_route *r = route;
  memset(take, 0xff, (size_t)r->is.take_count * r->is.bytes);
  seat->give = give;
  seat->give_count = r->is.give_count;
}

static inline void room_end(void *route, const void *give, void *take, void *context) {
  room_seat *seat = context;
  const room_route *r = route;
  (void)give;
  room_meet(seat->room);
  for (int32_t n = 0; n < r->is.take_count; n++) {
    const room_seat *from = &seat->room->seats[r->take[n].rank];
    cr_assert_lt(r->take[n].number, from->give_count);
    cr_assert_neq(r->take[n].rank, seat->rank);
    memcpy((char *)take + (size_t)n * r->is.bytes, from->give + (size_t)r->take[n].number * r->is.bytes,
           r->is.bytes);
  }
  seat->exchanges++;
  room_meet(seat->room);
}

static inline void room_largest(double *values, int count, void *context) {
  room_seat *seat = context;
  cr_assert_leq(count, ROOM_VALUES_MAX);
  seat->value_count = count;
  memcpy(seat->values, values, (size_t)count * sizeof *values);
  room_meet(seat->room);
  for (int rank = 0; rank < seat->room->count; rank++) {
    const room_seat *other = &seat->room->seats[rank];
    cr_assert_eq(other->value_count, count, "rank %d asks for %d numbers, and rank %d for %d", seat->rank,
                 count, rank, other->value_count);
    for (int n = 0; n < count; n++)
      values[n] = other->values[n] > values[n] ? other->values[n] : values[n];
  }
  room_meet(seat->room);
}

/* What others give is no number until it is there. */
static inline void room_gather(void *all, const size_t *bytes, void *context) {
  room_seat *seat = context;
  const int ranks = seat->room->count;
  size_t sum = 0, at = 0;
  seat->gathered = all;
  memcpy(seat->bytes, bytes, (size_t)ranks * sizeof *bytes);
  for (int rank = 0; rank < ranks; sum += bytes[rank++])
    if (rank != seat->rank)
      memset(seat->gathered + sum, 0xff, bytes[rank]);
  room_meet(seat->room);
  for (int rank = 0; rank < ranks; at += bytes[rank++]) {
    const room_seat *other = &seat->room->seats[rank];
    cr_assert_eq(memcmp(other->bytes, bytes, (size_t)ranks * sizeof *bytes), 0,
                 "ranks %d and %d do not gather the same", seat->rank, rank);
    if (rank != seat->rank)
      memcpy(seat->gathered + at, other->gathered + at, bytes[rank]);
  }
  seat->gathers += sum > (size_t)ranks * ROOM_FEW_BYTES;
  room_meet(seat->room);
}

static inline bool room_divide(const msd_component_graph *pieces, int32_t *rank_of, void *context) {
  const room_seat *seat = context;
  uint32_t state = seat->room->shuffle;
  for (int32_t piece = 0; piece < pieces->piece_count; piece++) {
    state = state * 1664525U + 1013904223U;
    rank_of[piece] = (int32_t)((state >> 16) % (uint32_t)seat->room->count);
  }
  return true;
}

static inline msd_ranks room_ranks(room_seat *seat, int depth) {
  return (msd_ranks){.rank = seat->rank,
                     .count = seat->room->count,
                     .depth = depth,
                     .open = room_open,
                     .close = room_close,
                     .begin = room_begin,
                     .end = room_end,
                     .largest = room_largest,
                     .gather = room_gather,
                     .divide = seat->room->shuffle ? room_divide : NULL,
                     .context = seat};
}

static inline void room_begin_with(rank_room *room, int count, uint32_t shuffle) {
  *room = (rank_room){.count = count, .shuffle = shuffle, .poor = -1};
  cr_assert_leq(count, ROOM_RANKS_MAX);
  pthread_mutex_init(&room->door, NULL);
  pthread_cond_init(&room->opened, NULL);
  for (int rank = 0; rank < count; rank++)
    room->seats[rank] = (room_seat){.room = room, .rank = rank};
}

/* Calls it once for each rank, all at the same time, with its seat. */
static inline void room_run(rank_room *room, void *(*rank)(void *seat)) {
  pthread_t threads[ROOM_RANKS_MAX];
  for (int n = 0; n < room->count; n++)
    cr_assert_eq(pthread_create(&threads[n], NULL, rank, &room->seats[n]), 0);
  for (int n = 0; n < room->count; n++)
    pthread_join(threads[n], NULL);
  pthread_cond_destroy(&room->opened);
  pthread_mutex_destroy(&room->door);
  cr_assert_eq(room->open_routes, 0, "%d routes are left open", room->open_routes);
}

#endif
