/* Worlds that several ranks step together, in threads, each of which has to have the bits of a world alone:
   its hash after every step, and what is told of springs, soft pins and contacts. */
#ifndef MSD_TESTS_SUPPORT_RANK_TRIALS_H
#define MSD_TESTS_SUPPORT_RANK_TRIALS_H

#include "tests/support/courses.h"
#include "tests/support/meshes.h"
#include "tests/support/rank_room.h"
#include "tests/support/share.h"

enum { STEPS = 3 };

/* What all ranks of a trial make and do. */
typedef struct trial {
  const char *name;
  msd_world *(*make)(void);
  int depth, threads, substeps;
  /* The hash, and what is told of all beside it. */
  uint64_t alone[STEPS], told[STEPS];
  /* Exchanges that one rank at least must have made; 0: none may. */
  bool is_shared;
} trial;

static trial now;

static const msd_real FRAME = (msd_real)0.015625;

static inline uint64_t digest_bytes(uint64_t digest, const void *bytes, size_t count) {
  for (size_t n = 0; n < count; n++)
    digest = (digest ^ ((const unsigned char *)bytes)[n]) * 1099511628211U;
  return digest;
}

/* What springs, soft pins and colliders have done in the last substep, and whether a constraint was softened.
   */
static inline uint64_t digest_told(const msd_world *world) {
  const int32_t contacts = msd_world_get_collider_contacts(world, NULL, 0);
  const msd_stats stats = msd_world_get_stats(world);
  const int64_t counts[] = {contacts, stats.contacts, stats.squeezed, world->limits.was_softened};
  uint64_t digest = digest_bytes(14695981039346656037U, counts, sizeof counts);
  msd_collider_contact *list = calloc((size_t)contacts + 1, sizeof *list);
  msd_world_get_collider_contacts(world, list, contacts);
  digest = digest_bytes(digest, list, (size_t)contacts * sizeof *list);
  free(list);
  for (int32_t n = 0; n < msd_world_get_spring_count(world); n++) {
    const msd_real tension = msd_spring_get_tension(world, n);
    digest = digest_bytes(digest, &tension, sizeof tension);
  }
  for (int32_t n = 0; n < msd_world_get_soft_pin_count(world); n++) {
    const msd_vec3 force = msd_soft_pin_get_force(world, n);
    digest = digest_bytes(digest, &force, sizeof force);
  }
  return digest;
}

static inline void disturb(msd_world *world, int step) {
  const int32_t count = msd_world_get_particle_count(world);
  ASSERT_OK(world, msd_particle_apply_force(world, count / 2, (msd_vec3){3, 1, (msd_real)step}));
  ASSERT_OK(world, msd_particle_apply_force(world, count / 3, (msd_vec3){0, -2, 1}));
}

static inline void *take_steps(void *context) {
  room_seat *seat = context;
  msd_world *world = now.make();
  const msd_ranks ranks = room_ranks(seat, now.depth);
  ASSERT_OK(world, msd_world_set_thread_count(world, now.threads));
  ASSERT_OK(world, msd_world_set_ranks(world, &ranks));
  for (int n = 0; n < STEPS; n++) {
    disturb(world, n);
    ASSERT_OK(world, msd_world_step(world, FRAME, now.substeps));
    cr_assert_eq(msd_world_hash(world), now.alone[n], "%s: rank %d of %d, depth %d, %d threads, step %d: %s",
                 now.name, seat->rank, seat->room->count, now.depth, now.threads, n,
                 msd_world_message(world));
    cr_assert_eq(digest_told(world), now.told[n],
                 "%s: rank %d of %d, depth %d, step %d: what is told differs", now.name, seat->rank,
                 seat->room->count, now.depth, n);
  }
  /* With an account of softened constraints, each rank computes the world as a whole. */
  const bool has_account = msd_world_get_energy_account(world).constraint_allowance > 0;
  cr_assert(has_account || (seat->exchanges > 0) == now.is_shared, "%s: %d exchanges", now.name,
            seat->exchanges);
  msd_destroy_world(world);
  return NULL;
}

static inline void take_alone(trial *t) {
  msd_world *world = t->make();
  ASSERT_OK(world, msd_world_set_thread_count(world, 1));
  for (int n = 0; n < STEPS; n++) {
    disturb(world, n);
    ASSERT_OK(world, msd_world_step(world, FRAME, t->substeps));
    t->alone[n] = msd_world_hash(world);
    t->told[n] = digest_told(world);
  }
  msd_destroy_world(world);
}

static inline void run_trial(int ranks, uint32_t shuffle) {
  rank_room room;
  room_begin_with(&room, ranks, shuffle);
  room_run(&room, take_steps);
}

/* On 2, 3, 4 and 7, with all depths up to 8, or with some of them; in part on the fewest and the most. */
static inline void assert_same_on_ranks(const char *name, msd_world *(*make)(void), bool is_shared) {
  static const int counts[] = {2, 3, 4, 7};
  now = (trial){.name = name, .make = make, .substeps = 13, .is_shared = is_shared};
  take_alone(&now);
  for (int n = 0; n < 4; n += in_part ? 3 : 1)
    for (now.depth = 0; now.depth <= 8; now.depth += is_shared && !in_part ? 1 : 4) {
      now.threads = 1 + (now.depth + n) % 3;
      run_trial(counts[n], (uint32_t)((n + now.depth) % 2 * 77));
    }
}

static inline void assert_same_on_some_ranks(const char *name, msd_world *(*make)(void)) {
  static const struct {
    int ranks, depth, threads;
    uint32_t shuffle;
  } trials[] = {{2, 1, 1, 0}, {2, 4, 2, 0}, {3, 3, 2, 77}, {4, 0, 1, 0}, {7, 2, 1, 5}, {3, 8, 1, 0}};
  now = (trial){.name = name, .make = make, .substeps = 13, .is_shared = true};
  take_alone(&now);
  for (size_t n = 0; n < sizeof trials / sizeof *trials; n += in_part ? 2 : 1) {
    now.depth = trials[n].depth;
    now.threads = trials[n].threads;
    run_trial(trials[n].ranks, trials[n].shuffle);
  }
}

#endif
