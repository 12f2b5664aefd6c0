/* Programs that embed the library do as they like with their own process: they round in other directions, flush
   denormals, trap, fork, leave no room for threads, or have threads of their own. A world steps the same bits
   in all of them. */
#include "tests/support/networks.h"
#include "tests/support/schedulers.h"

#include <criterion/criterion.h>
#include <fenv.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifdef __SSE__
#include <xmmintrin.h>
#endif

enum { COLUMNS = 96, ROWS = 64, FRAMES = 4 };

static msd_world *cloth_on_threads(int threads) {
  msd_world_def def = msd_default_world_def();
  def.thread_count = threads;
  def.linear_damping = (msd_real)0.3;
  msd_world *world;
  cr_assert_eq(msd_create_world(&def, &world), MSD_OK);
  msd_cloth_def cloth = msd_default_cloth_def();
  cloth.columns = COLUMNS;
  cloth.rows = ROWS;
  cloth.mass = (msd_real)0.3;
  cloth.shear = cloth.stretch;
  cloth.bend = cloth.stretch;
  cloth.bend_kind = MSD_BEND_DIHEDRAL;
  cr_assert_eq(msd_add_cloth(world, &cloth, NULL), MSD_OK);
  cr_assert_eq(msd_particle_pin(world, 0), MSD_OK);
  return world;
}

static uint64_t hash_of_tasks(const msd_tasks *tasks, int threads) {
  msd_world *world = cloth_on_threads(threads);
  ASSERT_OK(world, msd_world_set_tasks(world, tasks));
  for (int frame = 0; frame < FRAMES; frame++)
    cr_assert_eq(msd_world_step(world, (msd_real)(1 / 60.0), 3), MSD_OK);
  const uint64_t hash = msd_world_hash(world);
  msd_destroy_world(world);
  return hash;
}

static uint64_t hash_after_frames(int threads) {
  return hash_of_tasks(NULL, threads);
}

Test(hosts, the_rounding_mode_of_the_host_changes_no_bit_and_is_left_as_it_was) {
  const int modes[] = {FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO};
  const uint64_t expected = hash_after_frames(1);
  for (size_t m = 0; m < sizeof modes / sizeof modes[0]; m++)
    for (int threads = 1; threads <= 4; threads++) {
      cr_assert_eq(fesetround(modes[m]), 0);
      const uint64_t hash = hash_after_frames(threads);
      cr_assert_eq(fegetround(), modes[m]);
      fesetround(FE_TONEAREST);
      cr_assert_eq(hash, expected, "rounding mode %d, %d threads", modes[m], threads);
    }
}

/* Workers keep the environment that they are born with: those of this run come from a host that rounds
   upwards. */
Test(hosts, workers_that_were_born_in_another_rounding_mode_compute_alike) {
  fesetround(FE_UPWARD);
  const uint64_t born = hash_after_frames(4);
  fesetround(FE_TONEAREST);
  cr_assert_eq(hash_after_frames(4), born);
  cr_assert_eq(hash_after_frames(1), born);
}

#ifdef __SSE__

enum { FLUSH_TO_ZERO = 0x8000, DENORMALS_ARE_ZERO = 0x0040 };

/* A cloth that falls so little that its velocities out of plane are denormal. */
static uint64_t hash_of_denormals(int threads) {
  msd_world *world = cloth_on_threads(threads);
  cr_assert_eq(msd_world_set_gravity(world, (msd_vec3){0, 0, (msd_real)1e-37}), MSD_OK);
  for (int frame = 0; frame < FRAMES; frame++)
    cr_assert_eq(msd_world_step(world, (msd_real)(1 / 60.0), 3), MSD_OK);
  const uint64_t hash = msd_world_hash(world);
  msd_destroy_world(world);
  return hash;
}

Test(hosts, flushed_denormals_of_the_host_change_no_bit_and_stay_as_they_were) {
  const uint64_t expected = hash_of_denormals(1);
  const unsigned usual = _mm_getcsr();
  for (int threads = 1; threads <= 4; threads++) {
    _mm_setcsr(usual | FLUSH_TO_ZERO | DENORMALS_ARE_ZERO);
    const uint64_t hash = hash_of_denormals(threads);
    const unsigned left = _mm_getcsr();
    _mm_setcsr(usual);
    cr_assert((left & FLUSH_TO_ZERO) && (left & DENORMALS_ARE_ZERO));
    cr_assert_eq(hash, expected, "%d threads", threads);
  }
}

Test(hosts, a_host_that_traps_on_inexact_results_is_not_interrupted) {
  const uint64_t expected = hash_after_frames(2);
  const unsigned usual = _mm_getcsr();
  _mm_setcsr(usual & ~(unsigned)0x1f80 & ~(unsigned)0x3f);
  const uint64_t hash = hash_after_frames(2);
  _mm_setcsr(usual);
  cr_assert_eq(hash, expected);
}

#endif

/* The exit status of a child, which is killed when it does not end. */
static int status_of(pid_t child) {
  int status = 0;
  for (int tenths = 0; tenths < 1200; tenths++) {
    if (waitpid(child, &status, WNOHANG) == child)
      return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
  }
  kill(child, SIGKILL);
  waitpid(child, &status, 0);
  return -2;
}

Test(hosts, a_forked_child_steps_on_although_its_parent_had_threads) {
  const uint64_t expected = hash_after_frames(2);
  const pid_t child = fork();
  cr_assert(child >= 0);
  if (child == 0)
    _exit(hash_after_frames(2) == expected ? 0 : 1);
  cr_assert_eq(status_of(child), 0);
  cr_assert_eq(hash_after_frames(2), expected);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

/* Address space for a world, but for the stacks of only a few of the threads that are asked for. */
Test(hosts, threads_that_cannot_be_had_are_done_without) {
  const uint64_t expected = hash_after_frames(1);
  const pid_t child = fork();
  cr_assert(child >= 0);
  if (child == 0) {
    FILE *statm = fopen("/proc/self/statm", "r");
    unsigned long pages = 0;
    const bool known = statm && fscanf(statm, "%lu", &pages) == 1;
    const rlim_t bytes = (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE) + ((rlim_t)40 << 20);
    if (!known || setrlimit(RLIMIT_AS, &(struct rlimit){bytes, bytes}) != 0)
      _exit(77);
    _exit(hash_after_frames(64) == expected ? 0 : 1);
  }
  const int status = status_of(child);
  if (status == 77)
    cr_skip("no /proc to learn the present size from");
  cr_assert_eq(status, 0);
}

#endif

/* ------------------------------------------------------------------------------------- schedulers of hosts */

Test(hosts, any_order_of_tasks_gives_the_same_bits) {
  const uint64_t expected = hash_after_frames(1);
  static task_keeper keeper;
  for (int n = 0; n < SERIAL_SCHEDULER_COUNT; n++) {
    const msd_tasks tasks = tasks_of(&SERIAL_SCHEDULERS[n], &keeper, 4);
    cr_expect_eq(hash_of_tasks(&tasks, 4), expected, "called %s", SERIAL_SCHEDULERS[n].name);
  }
}

/* What is asked between steps of the energies and the stretch of a world that was stepped on one thread. */
static void ask(msd_world *world, const msd_tasks *tasks, int threads, double answers[5]) {
  msd_static_stretch stretch;
  ASSERT_OK(world, msd_world_set_tasks(world, tasks));
  ASSERT_OK(world, msd_world_set_thread_count(world, threads));
  const msd_stats stats = msd_world_get_stats(world);
  ASSERT_OK(world, msd_world_estimate_stretch(world, (msd_real)0.001, &stretch));
  answers[0] = stats.elastic_energy;
  answers[1] = stats.mean_stretch;
  answers[2] = stats.max_stretch;
  answers[3] = stretch.present;
  answers[4] = stretch.unseen_springs;
}

Test(hosts, a_pool_answers_what_is_asked_between_steps_with_the_same_bits) {
  msd_world *world = cloth_on_threads(1);
  ASSERT_OK(world, msd_world_step(world, (msd_real)(1 / 60.0), 3));
  double expected[5], answers[5];
  ask(world, NULL, 1, expected);
  cr_expect(expected[0] > 0 && expected[2] > 0 && expected[3] > 0);
  host_pool pool;
  host_pool_open(&pool, 3);
  const msd_tasks tasks = host_pool_tasks(&pool);
  for (int threads = 2; threads <= 4; threads++)
    for (int n = 0; n < 8; n++) {
      ask(world, &tasks, threads, answers);
      cr_expect_eq(memcmp(answers, expected, sizeof answers), 0, "%d threads of a pool", threads);
      ask(world, NULL, threads, answers);
      cr_expect_eq(memcmp(answers, expected, sizeof answers), 0, "%d threads", threads);
    }
  for (int trial = 0; trial < POOL_TRIALS && !host_pool_has_begun(&pool); trial++)
    ask(world, &tasks, 4, answers);
  cr_expect(host_pool_has_begun(&pool));
  host_pool_close(&pool);
  msd_destroy_world(world);
}

enum { TRIANGLES = 1200, FOUND_MAX = 20000 };

/* Particles of which each three are a triangle that goes through others. */
static msd_world *heap_of_triangles(void) {
  msd_world_def def = msd_default_world_def();
  msd_world *world;
  cr_assert_eq(msd_create_world(&def, &world), MSD_OK);
  generator random = {.state = 1};
  for (int n = 0; n < TRIANGLES; n++) {
    const msd_vec3 at = random_vector(&random, 1);
    for (int corner = 0; corner < 3; corner++) {
      const msd_vec3 way = random_vector(&random, (msd_real)0.3);
      msd_particle_def particle = msd_default_particle_def();
      particle.position = (msd_vec3){at.x + way.x, at.y + way.y, at.z + way.z};
      cr_assert_eq(msd_add_particles(world, &particle, 1, NULL), MSD_OK);
    }
  }
  return world;
}

static int64_t find_in_heap(msd_world *world, const msd_tasks *tasks, int threads, msd_intersection *out) {
  static int32_t corners[3 * TRIANGLES];
  for (int n = 0; n < 3 * TRIANGLES; n++)
    corners[n] = n;
  msd_intersection_def def = msd_default_intersection_def();
  def.triangles = corners;
  def.triangle_count = TRIANGLES;
  int64_t found = -1;
  ASSERT_OK(world, msd_world_set_tasks(world, tasks));
  ASSERT_OK(world, msd_world_set_thread_count(world, threads));
  cr_assert_eq(msd_world_find_intersections(world, &def, out, FOUND_MAX, &found), MSD_OK);
  cr_assert(found > TRIANGLES && found <= FOUND_MAX, "%d", (int)found);
  return found;
}

/* Whether they are those of one thread. */
static bool finds_the_same(msd_world *world, const msd_tasks *tasks, int threads) {
  static msd_intersection expected[FOUND_MAX], found[FOUND_MAX];
  const int64_t count = find_in_heap(world, NULL, 1, expected);
  return find_in_heap(world, tasks, threads, found) == count &&
         memcmp(found, expected, (size_t)count * sizeof *found) == 0;
}

Test(hosts, any_order_of_tasks_finds_the_same_intersections_and_so_does_a_forked_child) {
  static task_keeper keeper;
  msd_world *world = heap_of_triangles();
  for (int n = 0; n < SERIAL_SCHEDULER_COUNT; n++) {
    const msd_tasks tasks = tasks_of(&SERIAL_SCHEDULERS[n], &keeper, 4);
    cr_expect(finds_the_same(world, &tasks, 4), "called %s", SERIAL_SCHEDULERS[n].name);
  }
  host_pool pool;
  host_pool_open(&pool, 3);
  const msd_tasks tasks = host_pool_tasks(&pool);
  for (int n = 0; n < 8; n++)
    cr_expect(finds_the_same(world, &tasks, 4));
  host_pool_close(&pool);
  cr_expect(finds_the_same(world, NULL, 3));
  const pid_t child = fork();
  cr_assert(child >= 0);
  if (child == 0)
    _exit(finds_the_same(world, NULL, 3) ? 0 : 1);
  cr_assert_eq(status_of(child), 0);
  msd_destroy_world(world);
}

Test(hosts, a_pool_gives_the_same_bits_with_more_and_with_fewer_threads_than_tasks) {
  const uint64_t expected = hash_after_frames(1);
  for (int threads = 1; threads <= 3; threads++) {
    host_pool pool;
    host_pool_open(&pool, threads);
    msd_tasks tasks = host_pool_tasks(&pool);
    tasks.worker_count = 8;
    for (int asked = 0; asked <= 8; asked += 2)
      cr_expect_eq(hash_of_tasks(&tasks, asked), expected, "%d threads of a pool of %d", asked, threads);
    for (int trial = 0; trial < POOL_TRIALS && !host_pool_has_begun(&pool); trial++)
      cr_assert_eq(hash_of_tasks(&tasks, 8), expected);
    cr_expect(host_pool_has_begun(&pool));
    host_pool_close(&pool);
  }
}

Test(hosts, the_world_has_as_many_threads_as_its_host) {
  host_pool pool;
  host_pool_open(&pool, 3);
  const msd_tasks tasks = host_pool_tasks(&pool);
  msd_world_def def = msd_default_world_def();
  def.tasks = tasks;
  def.thread_count = 16;
  msd_world *world, *copy;
  cr_assert_eq(msd_create_world(&def, &world), MSD_OK);
  cr_expect_eq(msd_world_get_thread_count(world), 4);
  ASSERT_OK(world, msd_copy_world(world, &copy));
  cr_expect_eq(msd_world_get_thread_count(copy), 4, "a copy has the same tasks");
  ASSERT_OK(copy, msd_world_set_thread_count(copy, 2));
  cr_expect_eq(msd_world_get_thread_count(copy), 2);
  msd_destroy_world(world);
  msd_destroy_world(copy);
  host_pool_close(&pool);
}

Test(hosts, tasks_that_lack_something_are_refused_and_the_old_ones_stay) {
  static task_keeper keeper;
  const msd_tasks good = {keep_task, forget_task, &keeper, 3};
  msd_world_def def = msd_default_world_def();
  def.thread_count = 16;
  msd_world *world;
  cr_assert_eq(msd_create_world(&def, &world), MSD_OK);
  ASSERT_OK(world, msd_world_set_tasks(world, &good));
  const msd_tasks bad[] = {{NULL, forget_task, &keeper, 3},
                           {keep_task, NULL, &keeper, 3},
                           {keep_task, forget_task, &keeper, 0},
                           {keep_task, forget_task, &keeper, 257}};
  for (size_t n = 0; n < sizeof bad / sizeof bad[0]; n++) {
    cr_expect_eq(msd_world_set_tasks(world, &bad[n]), MSD_BAD_VALUE);
    cr_expect_eq(strncmp(msd_world_message(world), "tasks", 5), 0, "%s", msd_world_message(world));
    cr_expect_eq(msd_world_get_thread_count(world), 3);
    def.tasks = bad[n];
    msd_world *none = world;
    cr_expect_eq(msd_create_world(&def, &none), MSD_BAD_VALUE);
    cr_expect_null(none);
  }
  cr_expect_eq(msd_world_set_tasks(NULL, &good), MSD_BAD_VALUE);
  msd_destroy_world(world);
}
