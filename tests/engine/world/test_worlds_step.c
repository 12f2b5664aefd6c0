/* msd_worlds_step: the steps of several worlds in one call. */
#include "tests/support/laboratory.h"
#include "tests/support/schedulers.h"

#include <stdatomic.h>
#include <string.h>
#include <time.h>

enum { CAPES = 100, SIDE = 20, FRAMES = 3 };

/* A cape that hangs from its corners, each of another weight. */
static msd_world *new_cape(int number) {
  const msd_world_def def = msd_default_world_def();
  msd_world *world;
  cr_assert_eq(msd_create_world(&def, &world), MSD_OK);
  msd_cloth_def cape = msd_default_cloth_def();
  cape.columns = cape.rows = SIDE;
  cape.mass = (msd_real)(1 + number % 7) / 8;
  ok(world, msd_add_cloth(world, &cape, NULL));
  ok(world, msd_particle_pin(world, 0));
  ok(world, msd_particle_pin(world, SIDE - 1));
  return world;
}

static void make_capes(msd_step steps[CAPES]) {
  for (int n = 0; n < CAPES; n++)
    steps[n] = (msd_step){.world = new_cape(n), .frame_time = (msd_real)1 / 60, .substeps = 1 + n % 3};
}

static void free_capes(msd_step steps[CAPES]) {
  for (int n = 0; n < CAPES; n++)
    msd_destroy_world(steps[n].world);
}

static void expect_capes(const uint64_t expected[CAPES], int threads, const msd_tasks *tasks) {
  msd_step steps[CAPES];
  make_capes(steps);
  for (int frame = 0; frame < FRAMES; frame++)
    cr_assert_eq(msd_worlds_step(steps, CAPES, threads, tasks), MSD_OK);
  for (int n = 0; n < CAPES; n++) {
    cr_expect_eq(steps[n].result, MSD_OK);
    cr_expect_eq(msd_world_hash(steps[n].world), expected[n], "cape %d, %d threads", n, threads);
  }
  free_capes(steps);
}

Test(worlds_step, capes_have_the_bits_that_they_have_one_by_one) {
  msd_step steps[CAPES];
  uint64_t expected[CAPES];
  make_capes(steps);
  for (int n = 0; n < CAPES; n++) {
    for (int frame = 0; frame < FRAMES; frame++)
      ok(steps[n].world, msd_world_step(steps[n].world, steps[n].frame_time, steps[n].substeps));
    expected[n] = msd_world_hash(steps[n].world);
  }
  free_capes(steps);
  for (int threads = 0; threads <= 3; threads++)
    expect_capes(expected, threads, NULL);

  host_pool pool;
  host_pool_open(&pool, 3);
  const msd_tasks tasks = host_pool_tasks(&pool);
  expect_capes(expected, 0, &tasks);
  host_pool_close(&pool);

  static task_keeper keeper;
  for (int n = 0; n < SERIAL_SCHEDULER_COUNT; n++) {
    const msd_tasks serial = tasks_of(&SERIAL_SCHEDULERS[n], &keeper, 3);
    expect_capes(expected, 3, &serial);
  }
}

/* A mass that is thrown out of all numbers by one substep. */
static msd_world *new_exploding(void) {
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  add_particle(world, 1, 0, 0, 0);
  set_velocity(world, 0, IS_DOUBLE ? 1e308 : 3e38, 0, 0);
  return world;
}

Test(worlds_step, the_errors_of_each_world_are_told_and_keep_no_other_back) {
  msd_world *good = new_cape(1), *last = new_cape(2), *exploding = new_exploding();
  msd_step steps[] = {
      {.world = good, .frame_time = 1, .substeps = 3, .result = MSD_DIVERGED},
      {.world = NULL, .frame_time = 1, .substeps = 3},
      {.world = exploding, .frame_time = 1000, .substeps = 1},
      {.world = good, .frame_time = 1, .substeps = 3},
      {.world = last, .frame_time = -1, .substeps = 3},
  };
  const msd_result expected[] = {MSD_OK, MSD_BAD_VALUE, MSD_DIVERGED, MSD_LOCKED, MSD_BAD_FRAME_TIME};
  for (int threads = 1; threads <= 3; threads++) {
    cr_expect_eq(msd_worlds_step(steps, 5, threads, NULL), MSD_BAD_VALUE, "the first that is not MSD_OK");
    for (int n = 0; n < 5; n++)
      cr_expect_eq(steps[n].result, expected[n], "%d: %s", n, msd_result_string(steps[n].result));
    cr_expect_eq(msd_world_get_steps(good), 3 * threads, "it is stepped once in each call");
    cr_expect_eq(msd_world_get_steps(last), 0);
  }
  cr_expect_not_null(strstr(msd_world_message(exploding), "particle 0"));
  cr_expect_not_null(strstr(msd_world_message(last), "frame time"));
  ok(good, msd_world_step(good, 1, 3));
  msd_destroy_world(good);
  msd_destroy_world(last);
  msd_destroy_world(exploding);
}

Test(worlds_step, what_cannot_be_done_is_refused_before_any_step) {
  msd_world *world = new_cape(1);
  msd_step step = {.world = world, .frame_time = 1, .substeps = 1};
  const msd_tasks bad = {keep_task, NULL, NULL, 2};
  cr_expect_eq(msd_worlds_step(NULL, 0, 0, NULL), MSD_OK, "no worlds are all done");
  cr_expect_eq(msd_worlds_step(NULL, 1, 0, NULL), MSD_BAD_VALUE);
  cr_expect_eq(msd_worlds_step(&step, -1, 0, NULL), MSD_BAD_VALUE);
  cr_expect_eq(msd_worlds_step(&step, 1, -1, NULL), MSD_BAD_VALUE);
  cr_expect_eq(msd_worlds_step(&step, 1, 257, NULL), MSD_BAD_VALUE);
  cr_expect_eq(msd_worlds_step(&step, 1, 0, &bad), MSD_BAD_VALUE);
  cr_expect_eq(msd_world_get_steps(world), 0);
  msd_destroy_world(world);
}

static void note_threads(const msd_world *world, const msd_substep_info *moment, void *most) {
  (void)moment;
  const int threads = msd_world_get_thread_count(world);
  if (threads > *(int *)most)
    *(int *)most = threads;
}

Test(worlds_step, each_world_is_stepped_by_one_thread) {
  host_pool pool;
  host_pool_open(&pool, 2);
  const msd_tasks tasks = host_pool_tasks(&pool);
  int most[4] = {0};
  msd_step steps[4];
  for (int n = 0; n < 4; n++) {
    steps[n] = (msd_step){.world = new_cape(n), .frame_time = 1, .substeps = 1};
    ok(steps[n].world, msd_world_set_thread_count(steps[n].world, 3));
    ok(steps[n].world, msd_world_set_tasks(steps[n].world, &tasks));
    ok(steps[n].world, msd_world_set_callbacks(steps[n].world, &(msd_callbacks){.before_step = note_threads,
                                                                                .context = &most[n]}));
  }
  for (int threads = 1; threads <= 3; threads++)
    cr_expect_eq(msd_worlds_step(steps, 4, threads, &tasks), MSD_OK);
  for (int n = 0; n < 4; n++) {
    cr_expect_eq(most[n], 1);
    cr_expect_eq(msd_world_get_thread_count(steps[n].world), 3);
    msd_destroy_world(steps[n].world);
  }
  host_pool_close(&pool);
}

/* The first world waits in its step until all others have taken theirs, or for two seconds. */
typedef struct waiting {
  atomic_int others;
  bool is_over;
} waiting;

static void wait_for_others(const msd_world *world, const msd_substep_info *moment, void *context) {
  (void)world, (void)moment;
  waiting *w = context;
  for (int n = 0; n < 2000 && atomic_load(&w->others) < CAPES - 1; n++)
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
  w->is_over = atomic_load(&w->others) == CAPES - 1;
}

static void count_other(const msd_world *world, const msd_substep_info *moment, void *context) {
  (void)world, (void)moment;
  atomic_fetch_add(&((waiting *)context)->others, 1);
}

Test(worlds_step, a_thread_that_is_done_takes_the_worlds_of_one_that_is_not) {
  host_pool pool;
  host_pool_open(&pool, 1);
  const msd_tasks tasks = host_pool_tasks(&pool);
  msd_step steps[CAPES];
  make_capes(steps);
  waiting w = {.is_over = false};
  for (int n = 0; n < CAPES; n++)
    ok(steps[n].world,
       msd_world_set_callbacks(
           steps[n].world,
           &(msd_callbacks){.after_step = n == 0 ? wait_for_others : count_other, .context = &w}));
  for (int tries = 0; tries < 10 && !w.is_over; tries++) { /* the pool may come too late */
    atomic_store(&w.others, 0);
    cr_expect_eq(msd_worlds_step(steps, CAPES, 2, &tasks), MSD_OK);
  }
  cr_expect(w.is_over);
  free_capes(steps);
  host_pool_close(&pool);
}
