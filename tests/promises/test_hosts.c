/* Programs that embed the library do as they like with their own process: they round in other directions, flush
   denormals, trap, fork, or leave no room for threads. A world steps the same bits in all of them. */
#include "tests/support/networks.h"

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
  def.air_drag = (msd_real)0.3;
  msd_world *world;
  cr_assert_eq(msd_create_world(&def, &world), MSD_OK);
  msd_cloth_def cloth = msd_default_cloth_def();
  cloth.columns = COLUMNS;
  cloth.rows = ROWS;
  cloth.mass = (msd_real)0.3;
  cloth.shear = cloth.structural;
  cloth.bend = cloth.structural;
  cloth.bend_kind = MSD_BEND_DIHEDRAL;
  cr_assert_eq(msd_add_cloth(world, &cloth, NULL), MSD_OK);
  cr_assert_eq(msd_particle_pin(world, 0), MSD_OK);
  return world;
}

static uint64_t hash_after_frames(int threads) {
  msd_world *world = cloth_on_threads(threads);
  for (int frame = 0; frame < FRAMES; frame++)
    cr_assert_eq(msd_world_step(world, (msd_real)(1 / 60.0), 3), MSD_OK);
  const uint64_t hash = msd_world_hash(world);
  msd_destroy_world(world);
  return hash;
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
