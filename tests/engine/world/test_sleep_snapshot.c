/* Who sleeps, in snapshots and states that somebody has forged. */
#include "tests/support/forged_snapshot.h"
#include "tests/support/sleepers.h"
#include "tests/support/snapshots.h"

#include "engine/world/snapshot_header.h"
#include "engine/world/world.h"

#include <math.h>
#include <stdlib.h>

enum { ROPES = 4, ROPE = 3, PARTICLES = ROPES * ROPE };

/* Ropes, each of which is a piece: the second is awake, the others sleep, the first and the last together. */
static msd_world *ropes(void) {
  msd_world *world = sleepers_world(1, MSD_SIMD_WIDEST);
  msd_sleep_def sleep = msd_default_sleep_def();
  sleep.speed = 1000;
  sleep.delay = SLEEPERS_FRAME;
  ASSERT_OK(world, msd_world_set_sleep(world, &sleep));
  for (int n = 0; n < ROPES; n++) {
    msd_rope_def rope = msd_default_rope_def();
    rope.particles = ROPE;
    rope.from.z = rope.to.z = (msd_real)n;
    rope.stretch = sleepers_spring(10, (msd_real)0.1);
    ASSERT_OK(world, msd_add_rope(world, &rope, NULL));
  }
  step_sleepers(world, 1);
  cr_assert_eq(msd_world_get_stats(world).asleep, PARTICLES);
  world->model.sleep.next[0] = ROPES - 1;
  world->model.sleep.next[ROPES - 1] = 0;
  ASSERT_OK(world, msd_particle_wake(world, ROPE));
  return world;
}

typedef void forgery(sleep_store *s);

static void no_piece(sleep_store *s) {
  s->piece[5] = -1;
}
static void piece_that_is_not_there(sleep_store *s) {
  s->piece[5] = ROPES;
}
static void rest_that_is_no_number(sleep_store *s) {
  s->still[2] = (double)NAN;
}
static void rest_for_ever(sleep_store *s) {
  s->still[2] = (double)INFINITY;
}
static void rest_below_nothing(sleep_store *s) {
  s->still[1] = -1;
}
static void rest_of_minus_nothing(sleep_store *s) {
  s->still[1] = -0.0;
}
static void mark_of_a_search(sleep_store *s) {
  s->next[1] = SLEEP_RESTLESS;
}
static void next_that_is_not_there(sleep_store *s) {
  s->next[2] = ROPES;
}
static void next_that_is_awake(sleep_store *s) {
  s->next[2] = 1;
}
static void ring_that_is_entered_twice(sleep_store *s) {
  s->next[2] = 0;
}
static void ring_without_an_end(sleep_store *s) {
  s->next[0] = 2;
}
static void more_pieces_than_particles(sleep_store *s) {
  s->pieces = PARTICLES + 1;
}

static forgery *const forgeries[] = {
    no_piece,           piece_that_is_not_there,    rest_that_is_no_number, rest_for_ever,
    rest_below_nothing, rest_of_minus_nothing,      mark_of_a_search,       next_that_is_not_there,
    next_that_is_awake, ring_that_is_entered_twice, ring_without_an_end,    more_pieces_than_particles};

/* Room for what is forged. */
static sleep_store kept_of(const sleep_store *s) {
  sleep_store kept = *s;
  kept.piece = calloc(2 * PARTICLES, sizeof *kept.piece);
  kept.still = calloc(2 * PARTICLES, sizeof *kept.still);
  kept.next = calloc(2 * PARTICLES, sizeof *kept.next);
  cr_assert(kept.piece && kept.still && kept.next);
  memcpy(kept.piece, s->piece, (size_t)s->particles * sizeof *kept.piece);
  memcpy(kept.still, s->still, (size_t)s->pieces * sizeof *kept.still);
  memcpy(kept.next, s->next, (size_t)s->pieces * sizeof *kept.next);
  return kept;
}

static void free_kept(sleep_store *s) {
  free(s->piece);
  free(s->still);
  free(s->next);
}

static size_t save_state(const msd_world *world, void **bytes) {
  size_t size = 0;
  cr_assert_eq(msd_world_save_state(world, NULL, 0, &size), MSD_OK);
  *bytes = malloc(size);
  cr_assert_not_null(*bytes);
  cr_assert_eq(msd_world_save_state(world, *bytes, size, &size), MSD_OK);
  return size;
}

Test(sleep_snapshot, forged_sleepers_are_refused_by_snapshots_and_states_and_nothing_changes) {
  msd_world *world = ropes(), *other = ropes();
  const sleep_store own = world->model.sleep;
  const uint64_t hash = msd_world_hash(other);
  for (size_t n = 0; n < sizeof forgeries / sizeof *forgeries; n++) {
    sleep_store forged = kept_of(&own);
    forgeries[n](&forged);
    world->model.sleep = forged;
    const snapshot b = snapshot_of(world);
    void *state = NULL;
    const size_t size = save_state(world, &state);
    world->model.sleep = own;
    cr_expect_eq(msd_world_restore(other, b.data, b.size), MSD_BAD_SNAPSHOT, "forgery %zu", n);
    cr_expect_eq(msd_world_restore_state(other, state, size), MSD_BAD_SNAPSHOT, "forgery %zu", n);
    cr_expect_eq(msd_world_get_stats(other).asleep, PARTICLES - ROPE);
    cr_expect_eq(msd_world_hash(other), hash);
    free(state);
    free(b.data);
    free_kept(&forged);
  }
  msd_destroy_world(world);
  msd_destroy_world(other);
}

/* Else a world would step on with sleepers that its next snapshot has not. The last is nothing in a float. */
Test(sleep_snapshot, sleepers_where_the_speed_lets_nothing_sleep_are_refused) {
  msd_world *world = ropes(), *other = ropes();
  const uint64_t hash = msd_world_hash(other);
  const double speeds[] = {0, -0.0, sizeof(msd_real) == sizeof(float) ? 1e-300 : 0};
  for (size_t n = 0; n < sizeof speeds / sizeof *speeds; n++) {
    const snapshot b = snapshot_of(world);
    memcpy((unsigned char *)b.data + offsetof(snapshot_header, sleep_speed), &speeds[n], sizeof speeds[n]);
    sign_snapshot(b.data, b.size);
    cr_expect_eq(msd_world_restore(other, b.data, b.size), MSD_BAD_SNAPSHOT, "speed %g", speeds[n]);
    cr_expect_eq(msd_world_hash(other), hash);
    free(b.data);
  }
  msd_destroy_world(world);
  msd_destroy_world(other);
}

/* Any other rings are as good as those that there were: all of what sleeps can be woken, and steps go on. */
Test(sleep_snapshot, sleepers_of_any_sound_rings_stay_and_can_be_woken) {
  for (int way = 0; way < 3; way++) {
    msd_world *world = ropes();
    sleep_store *s = &world->model.sleep;
    for (int32_t piece = 0; piece < ROPES && way == 0; piece++)
      s->next[piece] = piece;
    for (int32_t piece = 0; piece < ROPES && way == 1; piece++)
      s->next[piece] = (piece + 1) % ROPES;
    /* One that sleeps and has a speed all the same. */
    if (way == 2)
      particle_set_vector(&world->model.particles, VELOCITY_X, 0, (msd_vec3){1, 2, 3});
    const snapshot b = snapshot_of(world);
    ASSERT_OK(world, msd_world_restore(world, b.data, b.size));
    step_sleepers(world, 2);
    cr_assert_eq(msd_particle_get_velocity(world, 0).y, 0);
    cr_assert(msd_particle_is_asleep(world, 0) && msd_particle_is_asleep(world, 2 * ROPE));
    ASSERT_OK(world, msd_particle_wake(world, 0));
    cr_assert_not(msd_particle_is_asleep(world, 0));
    cr_assert_eq(msd_particle_is_asleep(world, 2 * ROPE), way != 1);
    step_sleepers(world, 1);
    msd_destroy_world(world);
    free(b.data);
  }
}

Test(sleep_snapshot, a_state_of_sleepers_wakes_all_in_a_world_that_is_told_not_to_sleep) {
  msd_world *world = ropes();
  void *state = NULL;
  const size_t size = save_state(world, &state);
  msd_sleep_def awake = msd_default_sleep_def();
  awake.speed = 0;
  ASSERT_OK(world, msd_world_set_sleep(world, &awake));
  step_sleepers(world, 1);
  ASSERT_OK(world, msd_world_restore_state(world, state, size));
  cr_assert_eq(msd_world_get_stats(world).asleep, 0);
  const msd_real before = msd_particle_get_position(world, 0).y;
  step_sleepers(world, 4);
  cr_assert_lt(msd_particle_get_position(world, 0).y, before);
  free(state);
  msd_destroy_world(world);
}
