/* Thread ranges, the parallel run, and the barrier. */
#include "engine/base/parallel.h"

#include <criterion/criterion.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_THREADS = 16 };

/* ------------------------------------------------------------------------------------------------ ranges */

Test(parallel, ranges_cover_everything_once_and_in_order) {
  const int32_t counts[] = {0, 1, 2, 7, 16, 100, 12345, INT32_MAX};
  for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++)
    for (int threads = 1; threads <= 256; threads++) {
      int32_t next = 0;
      for (int thread = 0; thread < threads; thread++) {
        const parallel_range range = parallel_split(counts[c], thread, threads);
        cr_assert_eq(range.first, next);
        cr_assert(range.last >= range.first);
        next = range.last;
      }
      cr_assert_eq(next, counts[c]);
    }
}

Test(parallel, ranges_differ_by_one_at_most) {
  for (int32_t count = 0; count < 200; count++)
    for (int threads = 1; threads <= 20; threads++)
      for (int thread = 0; thread < threads; thread++) {
        const parallel_range range = parallel_split(count, thread, threads);
        const int32_t length = range.last - range.first;
        cr_assert(length == count / threads || length == count / threads + 1);
      }
}

/* --------------------------------------------------------------------------------------------------- runs */

typedef struct visits {
  atomic_int calls[MOST_THREADS];
  atomic_int told; /* the number of threads that the tasks were told */
  atomic_int inner;
} visits;

static void visit(void *context, int thread, int threads) {
  visits *v = context;
  atomic_fetch_add(&v->calls[thread], 1);
  atomic_store(&v->told, threads);
}

Test(parallel, each_thread_of_a_run_is_called_once) {
  for (int threads = 1; threads <= MOST_THREADS; threads++) {
    visits v;
    memset(&v, 0, sizeof v);
    parallel_run(threads, visit, &v);
    const int told = atomic_load(&v.told);
    cr_assert(told >= 1 && told <= threads);
    for (int thread = 0; thread < MOST_THREADS; thread++)
      cr_assert_eq(atomic_load(&v.calls[thread]), thread < told ? 1 : 0);
  }
}

static void ask_inside(void *context, int thread, int threads) {
  visits *v = context;
  if (thread == 0) {
    atomic_store(&v->told, threads);
    atomic_store(&v->inner, parallel_threads(8, INT32_MAX));
  }
}

Test(parallel, there_is_one_thread_inside_a_parallel_region_of_the_host) {
  visits v;
  memset(&v, 0, sizeof v);
  parallel_run(4, ask_inside, &v);
  if (atomic_load(&v.told) > 1)
    cr_assert_eq(atomic_load(&v.inner), 1);
}

Test(parallel, small_worlds_get_one_thread_and_none_gets_fewer) {
  const int32_t sizes[] = {0, 1, 10, 100};
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
    cr_assert_eq(parallel_threads(0, sizes[i]), 1);
  cr_assert(parallel_threads(0, INT32_MAX) >= 1);
}

Test(parallel, the_machine_never_offers_fewer_threads_for_a_larger_world) {
  int before = 1;
  for (int32_t size = 1; size < 1 << 30; size *= 2) {
    const int threads = parallel_threads(0, size);
    cr_assert(threads >= before);
    before = threads;
  }
}

/* Unless the build has no threads, or the environment limits them or leaves their number to the runtime. */
Test(parallel, a_requested_number_of_threads_is_used) {
  const int threads = parallel_threads(3, 1);
  visits v;
  memset(&v, 0, sizeof v);
  parallel_run(threads, visit, &v);
  cr_assert(threads >= 1 && threads <= 3);
  if (!getenv("OMP_DYNAMIC"))
    cr_assert_eq(atomic_load(&v.told), threads);
  if (parallel_threads(2, 1) == 2 && !getenv("OMP_THREAD_LIMIT"))
    cr_assert_eq(threads, 3);
}

/* ------------------------------------------------------------------------------------------------- trial */

/* How many of the last 30 calls of 40 are made with one thread, when a call takes so long with one and with
   all. */
static int calls_with_one(double seconds_with_one, double seconds_with_all) {
  parallel_trial trial;
  memset(&trial, 0, sizeof trial);
  int with_one = 0;
  for (int call = 0; call < 40; call++) {
    const int threads = parallel_trial_begin(&trial, 4);
    cr_assert(threads == 1 || threads == 4);
    parallel_trial_end(&trial, threads == 1 ? seconds_with_one : seconds_with_all);
    with_one += call >= 10 && threads == 1;
  }
  return with_one;
}

Test(parallel, a_trial_finds_out_whether_threads_pay) {
  cr_assert(calls_with_one(0.0002, 0.004) >= 25, "threads that do not pay are used");
  cr_assert(calls_with_one(0.004, 0.0002) <= 5, "threads that pay are not used");
}

/* Calls with one thread take 1 s, with all 0.9 s; one of these is disturbed and takes 1.2 s, which makes a
   mean of 0.975 s, or 4 s, which makes 1.675 s. */
static int threads_after_a_slow_call(double seconds) {
  parallel_trial trial;
  memset(&trial, 0, sizeof trial);
  for (int call = 0; call < 20; call++) {
    const bool is_slow = call == 19;
    const int threads = parallel_trial_begin(&trial, 4);
    parallel_trial_end(&trial, threads == 1 ? 1 : is_slow ? seconds : 0.9);
  }
  return parallel_trial_begin(&trial, 4);
}

Test(parallel, one_slow_call_weighs_a_quarter) {
  cr_assert_eq(threads_after_a_slow_call(1.2), 4);
  cr_assert_eq(threads_after_a_slow_call(4), 1);
}

/* ----------------------------------------------------------------------------------------------- barrier */

enum { ROUNDS = 60 };

typedef struct meeting {
  parallel_barrier barrier;
  int written[MOST_THREADS][16]; /* a line each; plain memory, made visible by the barrier alone */
  atomic_int wrong;
} meeting;

/* In every round each thread writes its place, meets, reads all places, and meets again. */
static void meet(void *context, int thread, int threads) {
  meeting *m = context;
  for (int round = 1; round <= ROUNDS; round++) {
    m->written[thread][0] = round * (thread + 1);
    parallel_wait(&m->barrier, threads);
    for (int other = 0; other < threads; other++)
      if (m->written[other][0] != round * (other + 1))
        atomic_fetch_add(&m->wrong, 1);
    parallel_wait(&m->barrier, threads);
  }
}

Test(parallel, what_was_written_before_a_barrier_is_seen_behind_it) {
  for (int threads = 1; threads <= 8; threads++) {
    static meeting m;
    memset(&m, 0, sizeof m);
    parallel_run(threads, meet, &m);
    cr_assert_eq(atomic_load(&m.wrong), 0, "%d threads", threads);
  }
}

Test(parallel, the_barrier_moves_on_with_many_more_threads_than_cores) {
  static meeting m;
  parallel_run(MOST_THREADS, meet, &m);
  cr_assert_eq(atomic_load(&m.wrong), 0);
}

Test(parallel, one_thread_never_waits) {
  parallel_barrier barrier;
  memset(&barrier, 0, sizeof barrier);
  for (int i = 0; i < 1000; i++)
    parallel_wait(&barrier, 1);
}

/* ----------------------------------------------------------------------------------------------- meeting */

typedef struct rounds {
  parallel_meeting meeting;
  int fails_thread, fails_round;
  int done[MOST_THREADS];
  atomic_int threads;
} rounds;

static void go_round(void *context, int thread, int threads) {
  rounds *r = context;
  atomic_store(&r->threads, threads);
  for (int round = 0; round < ROUNDS; round++) {
    const bool fails = thread == r->fails_thread % threads && round >= r->fails_round;
    r->done[thread]++;
    if (!parallel_meet(&r->meeting, threads, round, !fails))
      return;
  }
}

Test(parallel, all_part_after_the_round_in_which_one_failed) {
  for (int threads = 1; threads <= 8; threads++)
    for (int round = 0; round <= ROUNDS; round += 7) {
      rounds r = {.fails_thread = round, .fails_round = round};
      parallel_meeting_begin(&r.meeting);
      parallel_run(threads, go_round, &r);
      cr_assert_eq(parallel_meeting_failed(&r.meeting), round < ROUNDS ? round : INT_MAX);
      for (int thread = 0; thread < atomic_load(&r.threads); thread++)
        cr_assert_eq(r.done[thread], round < ROUNDS ? round + 1 : ROUNDS, "thread %d of %d", thread, threads);
    }
}
