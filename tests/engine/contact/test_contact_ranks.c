/* Ranks that share the search for what touches: each has, after every step, the bits of a world alone. */
#include "engine/base/parallel.h"
#include "engine/contact/contact_ranks.h"
#include "tests/support/rank_room.h"
#include "tests/support/scarce_memory.h"
#include "tests/support/share.h"
#include "tests/support/touching.h"

#include "engine/world/world.h"

/* ------------------------------------------------------------------------------------------------- scenes */

enum { STEPS = 6, SUBSTEPS = 8, JOINED = 2, PARTED = 4 };

static const msd_real FRAME = (msd_real)0.0125;

static touching begin_scene(scarce *supply, double friction) {
  touching t = {.world = NULL};
  msd_world_def def = msd_default_world_def();
  def.allocator = scarce_allocator(supply);
  cr_assert_eq(msd_create_world(&def, &t.world), MSD_OK);
  set_contact(t.world, 0.005, friction, 0);
  return t;
}

static void add_floor(msd_world *world, double height) {
  msd_collider_def plane = msd_default_collider_def();
  plane.position = vector(0, height, 0);
  ok(world, msd_add_colliders(world, &plane, 1, NULL));
}

/* Stands on its edge and falls onto itself: lists are long, and mended all the time. */
static touching crumpling(scarce *supply) {
  touching t = begin_scene(supply, 0.3);
  const int32_t first =
      touching_sheet(&t, 60, 40, vector(0, 0.01, 0), vector(0.55, 0, 0.08), vector(0.02, 0.36, 0), true);
  throw_all(t.world, first + 20 * 60, 20 * 60, vector(0, -3, 0.5));
  add_floor(t.world, 0);
  return t;
}

/* Sheets, a block and ropes on each other, a floor and a ball. */
static touching piled(scarce *supply) {
  touching t = begin_scene(supply, 0.5);
  for (int n = 0; n < 3; n++) {
    const double y = 0.02 + 0.012 * n;
    const int32_t first =
        touching_sheet(&t, 20, 20, vector(0, y, 0.01 * n), vector(0.2, 0, 0), vector(0, 0, 0.2), true);
    throw_all(t.world, first, 20 * 20, vector(0.1 * n, -2, 0));
  }
  const int32_t block = touching_block(&t, 4, vector(0.1, 0.07, 0.1), 0.08, 0.05);
  throw_all(t.world, block, 125, vector(0, -4, 0));
  touching_rope(&t, 60, vector(0.02, 0.06, 0.02), vector(0.18, 0.06, 0.05));
  add_floor(t.world, 0.01);
  msd_collider_def ball = msd_default_collider_def();
  ball.kind = MSD_COLLIDER_SPHERE;
  ball.position = vector(0.15, -0.06, 0.15);
  ball.radius = (msd_real)0.075;
  ok(t.world, msd_add_colliders(t.world, &ball, 1, NULL));
  return t;
}

/* Three triangles on each other and a floor: fewer leaves than ranks. */
static touching few(scarce *supply) {
  touching t = begin_scene(supply, 0.2);
  for (int n = 0; n < 3; n++) {
    const double y = 0.01 * n;
    const int32_t first = touching_triangle(&t, 0.01, vector(0, y, 0), vector(0.1, y, 0), vector(0, y, 0.1));
    throw_all(t.world, first, 3, vector(0, -1.0 * n, 0));
  }
  add_floor(t.world, -0.01);
  return t;
}

enum { MILL = 20 };

/* A free sheet between two of pins, of each of which a column in four hangs on the others. */
static touching milled(scarce *supply) {
  touching t = begin_scene(supply, 0.3);
  for (int n = -1; n < 2; n++) {
    const int32_t first = touching_sheet(&t, MILL, MILL, vector(0.003 * n, 0.012 * n, 0), vector(0.2, 0, 0),
                                         vector(0, 0, 0.2), true);
    for (int32_t i = 0; i < MILL * MILL && n != 0; i++)
      if (i % MILL % 4 != 0)
        ok(t.world, msd_particle_pin(t.world, first + i));
  }
  return t;
}

/* Until both have passed each other. */
static void mill(msd_world *world, int step) {
  for (int32_t i = 0; i < 3 * MILL * MILL; i++) {
    msd_vec3 to = msd_particle_get_position(world, i);
    to.y = (msd_real)((i < MILL * MILL ? -1 : 1) * (0.009 - 0.003 * step));
    if (msd_particle_is_pinned(world, i))
      ok(world, msd_particle_move_to(world, i, to));
  }
}

/* Pairs of pins alone that are forced count and not apart yet. */
static int32_t count_led(const msd_world *world) {
  const int32_t count = msd_world_get_penetrations(world, NULL, 0);
  msd_penetration *all = calloc((size_t)count + 1, sizeof *all);
  int32_t led = 0;
  msd_world_get_penetrations(world, all, count);
  for (int32_t n = 0; n < count; n++) {
    bool whole = all[n].is_forced;
    for (int k = 0; k < 4; k++)
      whole = whole && msd_particle_is_pinned(world, all[n].particles[k]);
    led += whole;
  }
  free(all);
  return led;
}

/* Sheets that stand fall asleep, and another one onto them. */
static touching woken(scarce *supply) {
  touching t = begin_scene(supply, 0.3);
  ok(t.world, msd_world_set_gravity(t.world, vector(0, 0, 0)));
  msd_sleep_def sleep = msd_default_sleep_def();
  sleep.speed = (msd_real)0.02;
  sleep.delay = FRAME;
  ok(t.world, msd_world_set_sleep(t.world, &sleep));
  for (int n = 0; n < 3; n++)
    touching_sheet(&t, 30, 30, vector(0.4 * n, 0, 0), vector(0.3, 0, 0), vector(0, 0, 0.3), true);
  const int32_t first =
      touching_sheet(&t, 48, 48, vector(-0.1, 0.12, -0.1), vector(0.5, 0, 0), vector(0, 0, 0.5), true);
  throw_all(t.world, first, 48 * 48, vector(0, -3, 0));
  return t;
}

/* ------------------------------------------------------------------------------------------- equal bits */

typedef touching scene_maker(scarce *supply);

/* What all ranks do. */
static struct {
  scene_maker *make;
  /* Before each step; NULL: nothing. */
  void (*lead)(msd_world *world, int step);
  const char *name;
  uint64_t alone[STEPS];
  int32_t contacts[STEPS];
  int threads;
  /* Of the one that is alone: pairs forced count in all; the most of pins alone behind a step; how many slept
     behind the third step and the last. */
  int64_t forced_count;
  int32_t led;
  int32_t asleep_first, asleep_last;
  /* Copied by a snapshot in the middle; ranks have no means to gather; and come together in the middle, when
     each has taken some steps alone, and part again. */
  bool is_restored, is_alone, is_joined;
  /* Whether some search must have been shared, or none. */
  bool is_shared;
} now;

static void take_step(msd_world *world, int step) {
  if (now.lead)
    now.lead(world, step);
  ok(world, msd_world_step(world, FRAME, SUBSTEPS));
}

static void take_alone(void) {
  scarce supply = {.left = INT32_MAX};
  touching t = now.make(&supply);
  ok(t.world, msd_world_set_thread_count(t.world, 1));
  for (int n = 0; n < STEPS; n++) {
    take_step(t.world, n);
    now.alone[n] = msd_world_hash(t.world);
    now.contacts[n] = msd_world_get_stats(t.world).contacts;
    now.led = count_led(t.world) > now.led ? count_led(t.world) : now.led;
    now.asleep_first = n == 2 ? msd_world_get_stats(t.world).asleep : now.asleep_first;
  }
  cr_assert_gt(now.contacts[STEPS - 1], 0, "%s: nothing touches", now.name);
  now.forced_count = msd_world_get_stats(t.world).forced_intersections;
  now.asleep_last = msd_world_get_stats(t.world).asleep;
  contact_step_free(&t);
}

/* Another world, made of the snapshot of one. */
static void restore(touching *t, scarce *supply) {
  size_t size;
  ok(t->world, msd_world_save(t->world, NULL, 0, &size));
  void *bytes = malloc(size);
  ok(t->world, msd_world_save(t->world, bytes, size, &size));
  contact_step_free(t);
  *t = now.make(supply);
  ok(t->world, msd_world_restore(t->world, bytes, size));
  free(bytes);
}

static void share(const touching *t, room_seat *seat) {
  msd_ranks ranks = room_ranks(seat, 0);
  if (now.is_alone)
    ranks.gather = NULL;
  ok(t->world, msd_world_set_thread_count(t->world, now.threads));
  ok(t->world, msd_world_set_ranks(t->world, &ranks));
}

static void *take_steps(void *context) {
  room_seat *seat = context;
  scarce supply = {.left = INT32_MAX};
  touching t = now.make(&supply);
  if (!now.is_joined)
    share(&t, seat);
  for (int n = 0; n < STEPS; n++) {
    if (now.is_joined && (n == JOINED || n == PARTED)) {
      const motion_bound *list = &t.world->stepper.self.cache.list;
      cr_assert(motion_bound_lasts(list, FRAME / SUBSTEPS), "step %d: no list goes on", n);
      if (n == JOINED)
        share(&t, seat);
      else
        ok(t.world, msd_world_set_ranks(t.world, NULL));
    }
    /* Who has more threads lists again, and all others with it. */
    if (now.is_joined && n == JOINED + 1 && seat->rank == 1)
      ok(t.world, msd_world_set_thread_count(t.world, now.threads + 1));
    take_step(t.world, n);
    cr_assert_eq(msd_world_hash(t.world), now.alone[n], "%s: rank %d of %d, step %d", now.name, seat->rank,
                 seat->room->count, n);
    cr_assert_eq(msd_world_get_stats(t.world).contacts, now.contacts[n]);
    if (n == STEPS / 2 && now.is_restored) {
      restore(&t, &supply);
      share(&t, seat);
    }
  }
  if (seat->room->count > 1)
    cr_assert_eq(seat->gathers > 0, now.is_shared, "%s: %d gathers", now.name, seat->gathers);
  contact_step_free(&t);
  return NULL;
}

static void run(int ranks, void *(*rank)(void *seat)) {
  rank_room room;
  room_begin_with(&room, ranks, 0);
  room_run(&room, rank);
}

/* With one rank that is alone, two of two threads, an odd number, and one where chunks of leaves run short. */
static void assert_same_on(const char *name, scene_maker *make, bool is_shared, parallel_range which) {
  static const int counts[] = {1, 2, 3, 7};
  now.name = name;
  now.make = make;
  now.is_shared = is_shared;
  take_alone();
  for (int n = which.first; n < which.last; n++) {
    now.threads = counts[n] == 2 ? 2 : 1;
    run(counts[n], take_steps);
  }
}

static void assert_same(const char *name, scene_maker *make, bool is_shared) {
  assert_same_on(name, make, is_shared, in_part ? (parallel_range){2, 3} : (parallel_range){1, 4});
}

/* In part the one that goes on from a snapshot is enough. */
Test(contact_team, a_sheet_that_crumples_has_the_bits_of_one_process, .disabled = in_part) {
  assert_same("crumpling", crumpling, true);
}

Test(contact_team, bodies_on_bodies_and_colliders_have_the_bits_of_one_process) {
  assert_same("piled", piled, true);
}

Test(contact_team, what_is_forced_has_the_bits_of_one_process) {
  now.lead = mill;
  now.is_restored = true;
  assert_same_on("milled", milled, true, in_part ? (parallel_range){2, 3} : (parallel_range){1, 3});
  cr_assert_gt(now.forced_count, now.led);
  cr_assert_gt(now.led, 0);
}

Test(contact_team, what_sleeps_and_is_woken_has_the_bits_of_one_process) {
  assert_same("woken", woken, true);
  cr_assert_gt(now.asleep_first, now.asleep_last);
}

Test(contact_team, what_is_too_little_to_share_has_the_bits_of_one_process) {
  assert_same_on("few", few, false, (parallel_range){0, 4});
}

Test(contact_team, ranks_go_on_from_a_snapshot_as_one_process_without_it) {
  now.is_restored = true;
  assert_same("crumpling", crumpling, true);
}

/* Whose pairs no rank has had a share of until then; and of those that they have shared. */
Test(contact_team, ranks_go_on_with_the_list_of_the_steps_that_each_took_alone, .disabled = in_part) {
  now.is_joined = true;
  assert_same("crumpling", crumpling, true);
}

/* In part no rank does what it does not do alone. */
Test(contact_team, ranks_that_cannot_gather_search_for_all, .disabled = in_part) {
  now.is_alone = true;
  assert_same_on("crumpling", crumpling, false, (parallel_range){2, 3});
}

/* -------------------------------------------------------------------------------------------- no memory */

/* What each rank had to say, when one of them could not allocate any more from some request on. */
typedef struct failure {
  msd_result result;
  uint64_t hash, later;
  int left;
  char message[256];
} failure;

static failure failures[ROOM_RANKS_MAX];
static int given_to_poor;

static void *lack_memory(void *context) {
  room_seat *seat = context;
  failure *out = &failures[seat->rank];
  scarce supply = {.left = INT32_MAX};
  touching t = crumpling(&supply);
  share(&t, seat);
  for (int n = 0; n < 1; n++)
    ok(t.world, msd_world_step(t.world, FRAME, SUBSTEPS));
  if (seat->rank == 1)
    supply.left = given_to_poor;
  out->result = msd_world_step(t.world, FRAME, 2 * SUBSTEPS);
  out->hash = msd_world_hash(t.world);
  out->left = supply.left;
  snprintf(out->message, sizeof out->message, "%s", msd_world_message(t.world));
  supply.left = INT32_MAX;
  ok(t.world, msd_world_step(t.world, FRAME / SUBSTEPS, 1));
  out->later = msd_world_hash(t.world);
  contact_step_free(&t);
  cr_assert_eq(supply.in_use, 0);
  return NULL;
}

/* One request more each time, or as many as a test in part leaves out, until the step comes to its end. */
Test(contact_team, what_one_rank_lacks_memory_for_fails_on_all) {
  now.threads = 1;
  int failed = 0;
  bool done = false;
  for (given_to_poor = 0; !done; given_to_poor += MSD_TEST_SHARE) {
    run(3, lack_memory);
    for (int rank = 0; rank < 3; rank++) {
      cr_assert_eq(failures[rank].result, failures[1].result, "after %d: rank %d says %d and rank 1 %d",
                   given_to_poor, rank, (int)failures[rank].result, (int)failures[1].result);
      cr_assert_str_eq(failures[rank].message, failures[1].message);
      cr_assert_eq(failures[rank].hash, failures[1].hash);
      cr_assert_eq(failures[rank].later, failures[1].later, "after %d requests", given_to_poor);
    }
    failed += failures[1].result == MSD_OUT_OF_MEMORY;
    done = failures[1].left > 0;
  }
  cr_assert_gt(failed, in_part ? 1 : 3);
}

/* ------------------------------------------------------------------------------------------- the team */

static void *tell_and_gather(void *context) {
  room_seat *seat = context;
  memory m = {.allocator = memory_default_allocator(), .limit = SIZE_MAX};
  contact_team team = {.told = NULL};
  const msd_ranks ranks = room_ranks(seat, 0);
  cr_assert_eq(contact_team_count(&team), 1);
  cr_assert(contact_team_reserve(&team, &m, &ranks));
  cr_assert_eq(contact_team_count(&team), 4);
  cr_assert_eq(contact_team_rank(&team), seat->rank);
  contact_team_tell(&team, (int64_t[CONTACT_TEAM_NUMBERS]){seat->rank, 100 * seat->rank});
  cr_assert_eq(contact_team_sum(&team, 0, 4), 6);
  cr_assert_eq(contact_team_sum(&team, 1, 3), 300);
  int32_t items[6];
  for (int n = 0; n < seat->rank; n++)
    items[contact_team_sum(&team, 0, seat->rank) + n] = 10 * seat->rank + n;
  contact_team_gather(&team, items, sizeof *items, 0);
  for (int n = 0, rank = 0; rank < 4; rank++)
    for (int k = 0; k < rank; k++)
      cr_assert_eq(items[n++], 10 * rank + k);
  cr_assert(contact_team_agrees(&team, true));
  cr_assert_not(contact_team_agrees(&team, seat->rank != 2));
  contact_team_free(&team, &m);
  cr_assert_eq(m.used, 0);
  return NULL;
}

Test(contact_team, what_ranks_give_stands_in_their_order) {
  run(4, tell_and_gather);
}

Test(contact_team, one_that_is_alone_agrees_with_itself) {
  cr_assert_eq(contact_team_count(NULL), 1);
  cr_assert_eq(contact_team_rank(NULL), 0);
  cr_assert(contact_team_agrees(NULL, true));
  cr_assert_not(contact_team_agrees(NULL, false));
}
