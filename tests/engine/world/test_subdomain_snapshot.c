/* Snapshots of worlds of which each rank has a part, in threads: their bytes are those of one process, and any
   number of ranks goes on from them. */
#include "tests/support/parts.h"
#include "tests/support/share.h"

enum { SUBSTEPS = 13 };
/* Of a step of 100 s. Springs gain orders of magnitude in each, so that a double too becomes infinite. */
enum { TOO_FEW_SUBSTEPS = 130 };

static const msd_real FRAME = (msd_real)0.015625;

/* Of a step; 0: those that the engine chooses. */
static int substeps = SUBSTEPS;

/* What a snapshot is to be, and what arrives. */
typedef struct store {
  unsigned char *bytes;
  size_t size, capacity;
} store;

/* What all ranks of a trial make and do. */
static struct {
  const char *name;
  void (*fill)(msd_world *world);
  msd_subdomain whole;
  int steps;
  /* Of one process, and behind one step more. */
  store snapshot;
  uint64_t hash_then;
  msd_stats stats_then;
  /* Of ranks. */
  store written;
  /* Where reading fails, and on which rank. */
  uint64_t bad_from;
  int bad_rank;
  const char *wanted;
  msd_result result;
} now;

static void put(const void *bytes, size_t count, void *context) {
  store *to = context;
  cr_assert_gt(count, 0);
  cr_assert_leq(to->size + count, to->capacity, "%s: %zu bytes, and %zu are known", now.name,
                to->size + count, to->capacity);
  memcpy(to->bytes + to->size, bytes, count);
  to->size += count;
}

static void put_nowhere(const void *bytes, size_t count, void *context) {
  (void)bytes, (void)count, (void)context;
  cr_assert_fail("%s: a rank that is not the first is given bytes", now.name);
}

typedef struct reader {
  const store *from;
  int rank;
} reader;

static bool get(void *bytes, uint64_t at, size_t count, void *context) {
  const reader *r = context;
  cr_assert(count <= r->from->size && at <= r->from->size - count, "%s: %zu bytes from %llu on of %zu",
            now.name, count, (unsigned long long)at, r->from->size);
  if (r->rank == now.bad_rank && at + count > now.bad_from)
    return false;
  memcpy(bytes, r->from->bytes + at, count);
  return true;
}

static store save(const msd_world *world) {
  store s = {.bytes = NULL};
  cr_assert_eq(msd_world_save(world, NULL, 0, &s.size), MSD_OK);
  s.capacity = s.size;
  s.bytes = malloc(s.size);
  cr_assert_eq(msd_world_save(world, s.bytes, s.size, &s.size), MSD_OK);
  return s;
}

static msd_world *part_of(room_seat *seat) {
  msd_world *world = empty();
  const msd_ranks ranks = room_ranks(seat, 0);
  ASSERT_OK(world, msd_world_set_subdomain(world, &ranks, now.whole.particles, now.whole.reach));
  now.fill(world);
  return world;
}

static void take_steps(msd_world *world, int steps) {
  for (int n = 0; n < steps; n++)
    ASSERT_OK(world, msd_world_step(world, FRAME, substeps));
}

static msd_result restore(msd_world *world, const room_seat *seat, const store *from) {
  reader r = {from, seat->rank};
  return msd_world_restore_global(world, get, &r, from->size);
}

/* The snapshot behind so many steps of one process. */
static void begin(const char *name, void (*fill)(msd_world *world), int steps) {
  memset(&now, 0, sizeof now);
  now.name = name;
  now.fill = fill;
  now.steps = steps;
  now.bad_rank = -1;
  now.whole = measure(fill);
  msd_world *alone = empty();
  fill(alone);
  take_steps(alone, steps);
  now.snapshot = save(alone);
  now.written = (store){malloc(now.snapshot.size), 0, now.snapshot.size};
  take_steps(alone, 1);
  now.hash_then = msd_world_hash(alone);
  now.stats_then = msd_world_get_stats(alone);
  msd_destroy_world(alone);
}

static void end(void) {
  free(now.snapshot.bytes);
  free(now.written.bytes);
}

static void run_on(int ranks, void *(*take)(void *seat)) {
  rank_room room;
  room_begin_with(&room, ranks, 0);
  room_run(&room, take);
}

/* -------------------------------------------------------------------------------------------------- saving */

static void *write_part(void *context) {
  room_seat *seat = context;
  msd_world *world = part_of(seat);
  uint64_t size = 0, again = 0;
  take_steps(world, now.steps);
  ASSERT_OK(world, msd_world_save_global(world, NULL, NULL, &size));
  cr_assert_eq(size, now.snapshot.size, "%s: rank %d of %d", now.name, seat->rank, seat->room->count);
  ASSERT_OK(world, msd_world_save_global(world, seat->rank == 0 ? put : put_nowhere, &now.written, &again));
  cr_assert_eq(size, again);
  take_steps(world, 1);
  cr_assert_eq(msd_world_hash(world), now.hash_then, "%s: it does not go on", now.name);
  msd_destroy_world(world);
  return NULL;
}

static void assert_same_bytes(const char *name, void (*fill)(msd_world *world)) {
  static const int counts[] = {1, 2, 3, 4, 7};
  for (int steps = 0; steps < 3; steps += 2) {
    begin(name, fill, steps);
    for (int n = 0; n < 5; n += in_part ? 2 : 1) {
      now.written.size = 0;
      run_on(counts[n], write_part);
      cr_assert_eq(now.written.size, now.snapshot.size, "%s on %d ranks", name, counts[n]);
      size_t at = 0;
      while (at < now.snapshot.size && now.written.bytes[at] == now.snapshot.bytes[at])
        at++;
      cr_assert_eq(at, now.snapshot.size, "%s on %d ranks, %d steps: byte %zu of %zu", name, counts[n], steps,
                   at, now.snapshot.size);
    }
    end();
  }
}

Test(subdomain_snapshot, parts_of_one_body_have_the_bytes_of_one_process) {
  assert_same_bytes("cloth", cloth);
  assert_same_bytes("rope", rope);
  assert_same_bytes("block", block);
}

Test(subdomain_snapshot, parts_of_several_bodies_have_the_bytes_of_one_process) {
  assert_same_bytes("several", several);
}

Test(subdomain_snapshot, parts_of_meshes_have_the_bytes_of_one_process) {
  assert_same_bytes("sheet", sheet);
  assert_same_bytes("sheets", sheets);
}

/* Limits that have been found are in it. */
Test(subdomain_snapshot, chosen_substeps_leave_the_bytes_of_one_process) {
  substeps = 0;
  assert_same_bytes("cloth", cloth);
  assert_same_bytes("several", several);
}

Test(subdomain_snapshot, ranks_without_particles_write_nothing) {
  assert_same_bytes("small rope", small);
}

/* ----------------------------------------------------------------------------------------------- restoring */

static void *go_on(void *context) {
  room_seat *seat = context;
  msd_world *world = part_of(seat);
  for (int n = 0; n < 2; n++) {
    cr_assert_eq(restore(world, seat, &now.snapshot), MSD_OK, "%s", msd_world_message(world));
    cr_assert(substeps == 0 || msd_world_get_steps(world) == now.steps * substeps);
    take_steps(world, 1);
    cr_assert_eq(msd_world_hash(world), now.hash_then, "%s: rank %d of %d, time %d", now.name, seat->rank,
                 seat->room->count, n);
    const msd_stats stats = msd_world_get_stats(world);
    cr_assert_eq(memcmp(&stats.momentum, &now.stats_then.momentum, sizeof stats.momentum), 0);
    cr_assert_eq(stats.elastic_energy, now.stats_then.elastic_energy);
    cr_assert_eq(stats.pinned, now.stats_then.pinned);
    /* Whatever it has done meanwhile; even where that cannot go on. */
    const msd_result result = msd_world_step(world, 100, TOO_FEW_SUBSTEPS);
    cr_assert(result == MSD_DIVERGED || now.fill != cloth);
    cr_assert_eq(msd_world_step(world, FRAME, SUBSTEPS), result == MSD_OK ? MSD_OK : MSD_BAD_VALUE);
  }
  msd_destroy_world(world);
  return NULL;
}

static void assert_goes_on(const char *name, void (*fill)(msd_world *world)) {
  static const int counts[] = {1, 2, 3, 4, 7};
  begin(name, fill, 2);
  for (int n = 0; n < 5; n += in_part ? 2 : 1)
    run_on(counts[n], go_on);
  end();
}

Test(subdomain_snapshot, any_number_of_ranks_goes_on_from_one_process) {
  assert_goes_on("cloth", cloth);
  assert_goes_on("cloth of coefficients", cloth_of_coefficients);
  assert_goes_on("several", several);
}

Test(subdomain_snapshot, chosen_substeps_and_meshes_go_on) {
  assert_goes_on("sheets", sheets);
  substeps = 0;
  assert_goes_on("cloth", cloth);
  assert_goes_on("sheet", sheet);
}

/* What is no longer as the bodies make it: pins, masses, springs. */
static void worn_cloth(msd_world *world) {
  cloth(world);
  for (int32_t i = 100; i < 3000; i += 333) {
    const int32_t at = local(world, i);
    if (at >= 0 && at < msd_world_get_particle_count(world))
      ASSERT_OK(world, msd_particle_set_mass(world, at, (msd_real)0.5));
  }
  for (int32_t e = 0; e < msd_world_get_spring_count(world); e++)
    if (subdomain_spring_number(world, e) % 97 == 5)
      ASSERT_OK(world, msd_spring_break(world, e));
}

static void *go_on_worn(void *context) {
  room_seat *seat = context;
  now.fill = cloth;
  msd_world *world = part_of(seat);
  cr_assert_eq(restore(world, seat, &now.snapshot), MSD_OK, "%s", msd_world_message(world));
  take_steps(world, 1);
  cr_assert_eq(msd_world_hash(world), now.hash_then, "rank %d of %d", seat->rank, seat->room->count);
  msd_destroy_world(world);
  return NULL;
}

Test(subdomain_snapshot, masses_and_broken_springs_come_from_the_snapshot) {
  assert_same_bytes("worn cloth", worn_cloth);
  begin("worn cloth", worn_cloth, 2);
  run_on(3, go_on_worn);
  end();
}

/* ---------------------------------------------------------------------------------------- what is refused */

/* On all ranks alike, and nothing is lost. */
static void *assert_not_read(void *context) {
  room_seat *seat = context;
  msd_world *world = part_of(seat);
  take_steps(world, now.steps);
  cr_assert_eq(restore(world, seat, &now.written), now.result, "%s", msd_world_message(world));
  cr_assert(strstr(msd_world_message(world), now.wanted) != NULL, "%s, and not: %s", msd_world_message(world),
            now.wanted);
  take_steps(world, 1);
  cr_assert_eq(msd_world_hash(world), now.hash_then, "%s: it is another world", now.wanted);
  msd_destroy_world(world);
  return NULL;
}

static void assert_refused(msd_result result, const char *wanted) {
  now.result = result;
  now.wanted = wanted;
  run_on(3, assert_not_read);
}

/* Of one process. */
static void write_another(void (*fill)(msd_world *world)) {
  msd_world *world = empty();
  fill(world);
  free(now.written.bytes);
  now.written = save(world);
  msd_destroy_world(world);
}

static void longer_rope(msd_world *world) {
  rope(world);
  small(world);
}

/* As many particles and springs as the rope, and other ends. */
static void turned_rope(msd_world *world) {
  const msd_spring_def stretch = stiff(500), bend = stiff(7);
  msd_particle_def particle = msd_default_particle_def();
  for (int n = 0; n < 5001; n++)
    ASSERT_OK(world, msd_add_particles(world, &particle, 1, NULL));
  for (int reach = 1; reach < 3; reach++)
    for (int32_t n = 0; n + reach < 5001; n++) {
      msd_spring_def def = reach == 1 ? stretch : bend;
      def.a = n + reach;
      def.b = n;
      ASSERT_OK(world, msd_add_springs(world, &def, 1, NULL));
    }
}

static void rope_with_a_collider(msd_world *world) {
  const msd_collider_def def = msd_default_collider_def();
  rope(world);
  ASSERT_OK(world, msd_add_colliders(world, &def, 1, NULL));
}

Test(subdomain_snapshot, snapshots_of_other_worlds_are_refused) {
  begin("rope", rope, 1);
  write_another(longer_rope);
  assert_refused(MSD_BAD_SNAPSHOT, "other bodies");
  write_another(rope_with_a_collider);
  assert_refused(MSD_BAD_SNAPSHOT, "other bodies");
  write_another(turned_rope);
  assert_refused(MSD_BAD_SNAPSHOT, "springs of other bodies");
  end();
}

Test(subdomain_snapshot, damaged_snapshots_are_refused) {
  begin("rope", rope, 1);
  write_another(rope);
  now.written.bytes[now.written.size / 2] ^= 1;
  assert_refused(MSD_BAD_SNAPSHOT, "checksum");
  now.written.bytes[now.written.size / 2] ^= 1;
  now.written.size--;
  assert_refused(MSD_BAD_SNAPSHOT, "truncated");
  now.written.size = 20;
  assert_refused(MSD_BAD_SNAPSHOT, "not a snapshot");
  end();
}

Test(subdomain_snapshot, what_one_rank_cannot_read_none_restores) {
  begin("rope", rope, 1);
  write_another(rope);
  for (now.bad_rank = 0; now.bad_rank < 3; now.bad_rank++)
    for (int n = 0; n < 3; n++) {
      now.bad_from = (size_t)n * now.written.size / 3;
      assert_refused(MSD_BAD_SNAPSHOT, "cannot be read");
    }
  end();
}

static void *assert_not_written(void *context) {
  room_seat *seat = context;
  msd_world *world = part_of(seat);
  uint64_t size = 5;
  take_steps(world, now.steps);
  /* A force on the last particle is known to the last rank alone. */
  const int32_t last = local(world, now.whole.particles - 1);
  if (last >= 0)
    ASSERT_OK(world, msd_particle_apply_force(world, last, (msd_vec3){0}));
  cr_assert_eq(msd_world_save_global(world, put_nowhere, NULL, &size), MSD_BAD_VALUE);
  cr_assert(strstr(msd_world_message(world), "before forces") != NULL, "%s", msd_world_message(world));
  take_steps(world, 1);
  ASSERT_OK(world, msd_world_set_integrator(world, MSD_RK4));
  cr_assert_eq(msd_world_save_global(world, put_nowhere, NULL, &size), MSD_BAD_VALUE);
  cr_assert_eq(size, 5);
  cr_assert_eq(msd_world_save_global(world, put_nowhere, NULL, NULL), MSD_BAD_VALUE);
  cr_assert_eq(msd_world_restore_global(world, NULL, NULL, 100), MSD_BAD_VALUE);
  msd_destroy_world(world);
  return NULL;
}

Test(subdomain_snapshot, what_waits_for_a_step_is_not_saved) {
  begin("rope", rope, 1);
  run_on(3, assert_not_written);
  end();
}

/* The room has no memory for routes of one rank. */
static void *assert_lacks_memory(void *context) {
  room_seat *seat = context;
  msd_world *world = part_of(seat);
  uint64_t size;
  take_steps(world, now.steps);
  room_meet(seat->room);
  seat->room->poor = 1;
  room_meet(seat->room);
  cr_assert_eq(msd_world_save_global(world, put_nowhere, NULL, &size), MSD_OUT_OF_MEMORY);
  take_steps(world, 1);
  cr_assert_eq(msd_world_hash(world), now.hash_then);
  msd_destroy_world(world);
  return NULL;
}

Test(subdomain_snapshot, without_memory_nothing_is_written) {
  begin("rope", rope, 1);
  run_on(3, assert_lacks_memory);
  end();
}

Test(subdomain_snapshot, a_world_that_is_no_part_has_no_whole) {
  msd_world *world = empty();
  uint64_t size;
  cr_assert_eq(msd_world_save_global(world, put_nowhere, NULL, &size), MSD_BAD_VALUE);
  cr_assert_eq(msd_world_restore_global(world, get, NULL, 100), MSD_BAD_VALUE);
  msd_destroy_world(world);
}
