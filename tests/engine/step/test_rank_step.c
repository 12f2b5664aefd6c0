/* Worlds that several ranks step together, in threads: each has, after every step, the bits of a world alone.
   */
#include "tests/support/rank_trials.h"
#include "tests/support/share.h"

static msd_world *cloth(void) {
  return world_made(graph_cloth(48, 80, CLOTH_BEND),
                    &(making){LAWS_PHYSICAL, .seed = 1, .soften = 8, .pins = true});
}

static msd_world *rope(void) {
  return world_made(graph_rope(5000, true), &LIVELY);
}

static msd_world *irregular(void) {
  graph g = graph_mesh(47, 61, 0, 1);
  return world_made(g, &(making){LAWS_MIXED, .seed = 1, .pins = true, .breaks = 9, .sides = 6});
}

static msd_world *hubs(void) {
  return world_made(graph_near_hubs(2001, 400, 120), &(making){LAWS_COEFFICIENT, .seed = 6, .pins = true});
}

/* Fewer chunks than ranks. */
static msd_world *small(void) {
  return world_made(graph_rope(300, false), &LIVELY);
}

static msd_world *tethers(void) {
  return world_made(graph_cloth(32, 60, CLOTH_SHEAR),
                    &(making){LAWS_PHYSICAL, .seed = 2, .pins = true, .sides = 5});
}

Test(rank_step, cloths_and_ropes_have_the_bits_of_one_process) {
  assert_same_on_ranks("cloth", cloth, true);
  assert_same_on_ranks("rope", rope, true);
  assert_same_on_ranks("small rope", small, true);
}

Test(rank_step, springs_of_no_pattern_have_the_bits_of_one_process) {
  assert_same_on_ranks("irregular", irregular, true);
  assert_same_on_ranks("hubs", hubs, true);
}

Test(rank_step, one_sided_springs_have_the_bits_of_one_process) {
  assert_same_on_ranks("tethers", tethers, true);
}

/* Larger than the caches, so that several substeps go through memory in one pass on each rank. */
static msd_world *large(void) {
  return world_made(graph_cloth(600, 720, CLOTH_SHEAR), &(making){LAWS_COEFFICIENT, .seed = 3, .pins = true});
}

Test(rank_step, several_substeps_in_one_pass_have_the_bits_of_one_process) {
  now =
      (trial){.name = "large", .make = large, .substeps = in_part ? 9 : 21, .is_shared = true, .threads = 1};
  take_alone(&now);
  for (now.depth = in_part ? 8 : 0; now.depth <= (in_part ? 8 : 16);
       now.depth += 8, now.threads = 3 - now.threads)
    run_trial(2, 0);
}

/* ------------------------------------------------------------------------------------- what is not shared */

static msd_world *by_impulses(void) {
  msd_world *world = rope();
  ASSERT_OK(world, msd_world_set_integrator(world, MSD_SEQUENTIAL_IMPULSE));
  return world;
}

Test(rank_step, what_is_not_shared_is_taken_by_each_rank) {
  assert_same_on_ranks("impulses", by_impulses, false);
}

Test(rank_step, it_is_said_what_is_not_shared) {
  msd_world *world = by_impulses();
  cr_assert_str_eq(msd_world_why_not_distributed(world), "sequential impulses");
  ASSERT_OK(world, msd_world_set_integrator(world, MSD_SYMPLECTIC_EULER));
  cr_assert_null(msd_world_why_not_distributed(world));
  cr_assert_null(msd_world_why_not_distributed(NULL));
  msd_destroy_world(world);
}

/* --------------------------------------------------------------------------------------------- failures */

/* One particle is so fast that it leaves the numbers in some substep. */
static msd_world *diverging(void) {
  msd_world *world = rope();
  ASSERT_OK(world, msd_particle_set_velocity(world, 4000, (msd_vec3){LARGEST / 2, 0, 0}));
  return world;
}

static int64_t steps_alone;
static char message_alone[512];

static void *diverge(void *context) {
  room_seat *seat = context;
  msd_world *world = diverging();
  const msd_ranks ranks = room_ranks(seat, 3);
  ASSERT_OK(world, msd_world_set_ranks(world, &ranks));
  cr_assert_eq(msd_world_step(world, FRAME * 2048, 20), MSD_DIVERGED);
  cr_assert_eq(msd_world_hash(world), now.alone[0]);
  cr_assert_eq(msd_world_get_steps(world), steps_alone);
  cr_assert_str_eq(msd_world_message(world), message_alone);
  msd_destroy_world(world);
  return NULL;
}

Test(rank_step, a_state_that_is_not_finite_is_found_on_all_ranks) {
  msd_world *world = diverging();
  cr_assert_eq(msd_world_step(world, FRAME * 2048, 20), MSD_DIVERGED);
  now.alone[0] = msd_world_hash(world);
  steps_alone = msd_world_get_steps(world);
  snprintf(message_alone, sizeof message_alone, "%s", msd_world_message(world));
  msd_destroy_world(world);
  rank_room room;
  room_begin_with(&room, 3, 0);
  room_run(&room, diverge);
}

static void *differ(void *context) {
  room_seat *seat = context;
  msd_world *world = rope();
  const msd_ranks ranks = room_ranks(seat, 3);
  ASSERT_OK(world, msd_world_set_ranks(world, &ranks));
  const uint64_t before = msd_world_hash(world);
  cr_assert_eq(msd_world_step(world, FRAME, seat->rank == 1 ? 4 : 5), MSD_BAD_VALUE);
  cr_assert_not_null(strstr(msd_world_message(world), "different worlds or steps"));
  cr_assert_eq(msd_world_step(world, seat->rank == 1 ? -1 : FRAME, 4), MSD_BAD_FRAME_TIME);
  cr_assert_not_null(strstr(msd_world_message(world), "-1"), "not what rank 1 has said: %s",
                     msd_world_message(world));
  cr_assert_eq(msd_world_hash(world), before);
  ASSERT_OK(world, msd_world_step(world, FRAME, 4));
  msd_destroy_world(world);
  return NULL;
}

Test(rank_step, no_rank_begins_a_step_that_another_does_not) {
  rank_room room;
  room_begin_with(&room, 3, 0);
  room_run(&room, differ);
}

/* Only the last rank asks for it. */
static bool stop_on_last(void *context) {
  const room_seat *seat = context;
  return seat->rank == seat->room->count - 1 && seat->exchanges > 0;
}

static void *stop(void *context) {
  room_seat *seat = context;
  msd_world *world = rope();
  const msd_ranks ranks = room_ranks(seat, 2);
  ASSERT_OK(world, msd_world_set_ranks(world, &ranks));
  ASSERT_OK(world, msd_world_set_callbacks(world, &(msd_callbacks){.stop = stop_on_last, .context = seat}));
  cr_assert_eq(msd_world_step(world, FRAME, 5000), MSD_CANCELED);
  double taken[] = {(double)msd_world_get_steps(world), -(double)msd_world_get_steps(world)};
  room_largest(taken, 2, seat);
  cr_assert(taken[0] == -taken[1] && taken[0] > 0 && taken[0] < 5000);
  msd_destroy_world(world);
  return NULL;
}

Test(rank_step, one_rank_that_is_stopped_stops_all) {
  rank_room room;
  room_begin_with(&room, 3, 0);
  room_run(&room, stop);
}

/* A rank that cannot have a route takes everything, and so do the others. */
Test(rank_step, without_memory_on_one_rank_each_takes_all) {
  now = (trial){.name = "poor", .make = rope, .substeps = 13, .depth = 2, .threads = 1};
  take_alone(&now);
  rank_room room;
  room_begin_with(&room, 3, 0);
  room.poor = 1;
  room_run(&room, take_steps);
}

Test(rank_step, ranks_that_cannot_be_are_refused) {
  msd_world *world = rope();
  room_seat seat = {.room = &(rank_room){.count = 2}};
  const msd_ranks good = room_ranks(&seat, 3);
  msd_ranks bad[] = {good, good, good, good, good, good};
  bad[0].count = 0;
  bad[1].rank = 2;
  bad[2].depth = 17;
  bad[3].largest = NULL;
  bad[4].rank = -1;
  bad[5].open = NULL;
  for (int n = 0; n < 6; n++)
    cr_assert_eq(msd_world_set_ranks(world, &bad[n]), MSD_BAD_VALUE, "%d", n);
  cr_assert_eq(msd_world_set_ranks(NULL, &good), MSD_BAD_VALUE);
  /* None of them is there: this step would wait for another rank. */
  ASSERT_OK(world, msd_world_step(world, FRAME, 4));
  ASSERT_OK(world, msd_world_set_ranks(world, &good));
  msd_step step = {.world = world, .frame_time = FRAME, .substeps = 1};
  cr_assert_eq(msd_worlds_step(&step, 1, 1, NULL), MSD_BAD_VALUE);
  ASSERT_OK(world, msd_world_set_ranks(world, NULL));
  ASSERT_OK(world, msd_world_step(world, FRAME, 4));
  msd_destroy_world(world);
}
