/* What ranks give to the first of them arrives in their order, and there alone. */
#include "engine/world/subdomain_stream.h"

#include "tests/support/parts.h"

enum { RANKS = 5, ALL = 100000 + 7 + 200001 + 65536 };

static const size_t sizes[RANKS] = {100000, 0, 7, 200001, 65536};

typedef struct source {
  int rank;
  size_t given;
} source;

static unsigned char letter(int rank, size_t at) {
  return (unsigned char)(at * 31 + (size_t)rank * 7 + at / 251);
}

static size_t give(void *bytes, size_t room, void *context) {
  source *from = context;
  const size_t left = sizes[from->rank] - from->given, count = left < room ? left : room;
  for (size_t n = 0; n < count; n++)
    ((unsigned char *)bytes)[n] = letter(from->rank, from->given++);
  return count;
}

static struct {
  unsigned char bytes[ALL];
  size_t size;
} arrived;

static void take(const void *bytes, size_t count, void *context) {
  cr_assert_null(context);
  cr_assert_leq(arrived.size + count, ALL);
  memcpy(arrived.bytes + arrived.size, bytes, count);
  arrived.size += count;
}

static void take_nothing(const void *bytes, size_t count, void *context) {
  (void)bytes, (void)count, (void)context;
  cr_assert_fail("a rank that is not the first is given bytes");
}

static msd_world *part_of(room_seat *seat) {
  const msd_ranks ranks = room_ranks(seat, 1);
  msd_world *world = empty();
  ASSERT_OK(world, msd_world_set_subdomain(world, &ranks, 300, 1));
  small(world);
  return world;
}

static void run_on(int ranks, int poor, void *(*task)(void *seat)) {
  rank_room room;
  room_begin_with(&room, ranks, 0);
  room.poor = poor;
  arrived.size = 0;
  room_run(&room, task);
}

/* Twice, of which the second stays. */
static void forget_first(const void *bytes, size_t count, void *context) {
  if (arrived.size == ALL)
    arrived.size = 0;
  take(bytes, count, context);
}

static void *give_twice(void *context) {
  room_seat *seat = context;
  msd_world *world = part_of(seat);
  for (int time = 0; time < 2; time++) {
    source from = {.rank = seat->rank};
    ASSERT_OK(world,
              msd_world_gather_text(world, give, &from, seat->rank == 0 ? forget_first : take_nothing, NULL));
  }
  msd_destroy_world(world);
  return NULL;
}

Test(subdomain_stream, bytes_arrive_in_the_order_of_the_ranks) {
  run_on(RANKS, -1, give_twice);
  cr_assert_eq(arrived.size, ALL);
  size_t at = 0;
  for (int rank = 0; rank < RANKS; rank++)
    for (size_t n = 0; n < sizes[rank]; n++, at++)
      cr_assert_eq(arrived.bytes[at], letter(rank, n), "byte %zu of rank %d", n, rank);
}

/* One rank's route cannot be opened. */
static void *assert_fails(void *context) {
  room_seat *seat = context;
  msd_world *world = part_of(seat);
  source from = {.rank = seat->rank};
  cr_assert_eq(msd_world_gather_text(world, give, &from, take_nothing, NULL), MSD_OUT_OF_MEMORY);
  msd_destroy_world(world);
  return NULL;
}

Test(subdomain_stream, none_goes_on_where_one_has_no_memory) {
  run_on(3, 1, assert_fails);
  cr_assert_eq(arrived.size, 0);
}

static void *assert_refused(void *context) {
  room_seat *seat = context;
  msd_world *world = part_of(seat);
  cr_assert_eq(msd_world_gather_text(world, NULL, NULL, take_nothing, NULL), MSD_BAD_VALUE);
  msd_destroy_world(world);
  return NULL;
}

Test(subdomain_stream, what_is_missing_is_refused) {
  run_on(2, -1, assert_refused);
  msd_world *world = empty();
  source from = {0};
  cr_assert_eq(msd_world_gather_text(world, give, &from, take, NULL), MSD_BAD_VALUE);
  cr_assert_eq(msd_world_gather_text(NULL, give, &from, take, NULL), MSD_BAD_VALUE);
  msd_destroy_world(world);
}
