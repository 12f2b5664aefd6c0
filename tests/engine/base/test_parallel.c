/* Thread ranges, the parallel run, and the barrier. */
#include "engine/base/parallel.h"

#include "tests/support/schedulers.h"

#include <criterion/criterion.h>
#include <limits.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

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
    parallel_run(NULL, threads, visit, &v);
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
    atomic_store(&v->inner, parallel_threads(NULL, 8, INT32_MAX));
  }
}

Test(parallel, there_is_one_thread_inside_a_parallel_region_of_the_host) {
  visits v;
  memset(&v, 0, sizeof v);
  parallel_run(NULL, 4, ask_inside, &v);
  if (atomic_load(&v.told) > 1)
    cr_assert_eq(atomic_load(&v.inner), 1);
}

Test(parallel, small_worlds_get_one_thread_and_none_gets_fewer) {
  const int32_t sizes[] = {0, 1, 10, 100};
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
    cr_assert_eq(parallel_threads(NULL, 0, sizes[i]), 1);
  cr_assert(parallel_threads(NULL, 0, INT32_MAX) >= 1);
}

Test(parallel, the_machine_never_offers_fewer_threads_for_a_larger_world) {
  int before = 1;
  for (int32_t size = 1; size < 1 << 30; size *= 2) {
    const int threads = parallel_threads(NULL, 0, size);
    cr_assert(threads >= before);
    before = threads;
  }
}

/* Unless the build has no threads, or the environment limits them. */
Test(parallel, a_requested_number_of_threads_is_used) {
  const int threads = parallel_threads(NULL, 3, 1);
  cr_assert(threads >= 1 && threads <= 3);
  if (parallel_threads(NULL, 2, 1) == 2 && !getenv("OMP_THREAD_LIMIT"))
    cr_assert_eq(threads, 3);
  for (int n = 0; n < 200; n++) {
    visits v;
    memset(&v, 0, sizeof v);
    parallel_run(NULL, threads, visit, &v);
    cr_assert_eq(atomic_load(&v.told), threads, "threads that leave a run come to the next one");
  }
}

static void *run_beside(void *right) {
  for (int n = 0; n < 2000; n++) {
    visits v;
    memset(&v, 0, sizeof v);
    parallel_run(NULL, 2 + n % 3, visit, &v);
    const int told = atomic_load(&v.told);
    for (int thread = 0; thread < MOST_THREADS; thread++)
      if (atomic_load(&v.calls[thread]) != (thread < told ? 1 : 0))
        atomic_store((atomic_bool *)right, false);
  }
  return NULL;
}

Test(parallel, runs_of_several_callers_at_once_share_the_threads, .timeout = 120) {
  atomic_bool right = true;
  pthread_t others[3];
  for (int n = 0; n < 3; n++)
    cr_assert_eq(pthread_create(&others[n], NULL, run_beside, &right), 0);
  run_beside(&right);
  for (int n = 0; n < 3; n++)
    pthread_join(others[n], NULL);
  cr_expect(atomic_load(&right));
}

/* ---------------------------------------------------------------------------------------- busy machines */

/* The other threads of a run lose the processor for so long, in s, while the caller waits for them. */
typedef struct disturbance {
  double away;
  parallel_barrier barrier;
  int threads;
} disturbance;

static void keep_busy(double seconds) {
  for (const double start = parallel_clock(); parallel_clock() - start < seconds;)
    ;
}

static void be_disturbed(void *context, int thread, int threads) {
  disturbance *d = context;
  if (thread > 0)
    nanosleep(&(struct timespec){.tv_nsec = (long)(d->away * 1e9)}, NULL);
  else
    d->threads = threads;
  parallel_wait(&d->barrier, threads);
}

static int threads_of_disturbed_run(const msd_tasks *tasks, double away) {
  disturbance d = {.away = away};
  parallel_run(tasks, 3, be_disturbed, &d);
  return d.threads;
}

/* False if no thread came to help within many runs. */
static bool lose_time(const msd_tasks *tasks) {
  int threads = 1;
  for (int n = 0; n < 10000 && threads == 1; n++) {
    parallel_work_alone(1);
    threads = threads_of_disturbed_run(tasks, 0.02);
  }
  return threads > 1;
}

static void expect_one_thread_after_loss(const msd_tasks *tasks) {
  if (!lose_time(tasks))
    cr_skip("no threads");
  cr_expect(parallel_is_alone());
  for (int n = 0; n < 100; n++)
    cr_assert_eq(threads_of_disturbed_run(tasks, 0.02), 1);
  parallel_work_alone(0.01);
  cr_expect(parallel_is_alone(), "20 ms were lost");
  /* More where other programs took the processor away. */
  for (int n = 0; n < 1000 && parallel_is_alone(); n++)
    parallel_work_alone(1);
  cr_expect(!parallel_is_alone());
}

Test(parallel, after_a_loss_there_is_one_thread_until_it_is_a_small_part_of_the_work, .timeout = 120) {
  parallel_require_all_threads(false);
  expect_one_thread_after_loss(NULL);
}

Test(parallel, the_threads_of_a_host_are_as_little_waited_for, .timeout = 120) {
  parallel_require_all_threads(false);
  host_pool pool;
  host_pool_open(&pool, 2);
  const msd_tasks tasks = host_pool_tasks(&pool);
  expect_one_thread_after_loss(&tasks);
  host_pool_close(&pool);
}

/* Runs in which the caller has 1 ms of work, and threads that help would cost 5 ms: 3 at first, and then one
   for each 5 ms / 0.05 of work. */
Test(parallel, threads_that_never_help_cost_a_small_part_of_the_work, .timeout = 120) {
  parallel_require_all_threads(false);
  double alone = 0;
  int shared = 0;
  for (int n = 0; n < 300; n++) {
    const double start = parallel_clock();
    keep_busy(1e-3);
    const bool is_shared = threads_of_disturbed_run(NULL, 5e-3) > 1;
    if (is_shared)
      shared++;
    const double time = parallel_clock() - start;
    if (!is_shared) {
      parallel_work_alone(time);
      alone += time;
    }
  }
  cr_expect_leq(shared, 3 + 0.05 * alone / 5e-3, "%d runs in %g s", shared, alone);
}

static void share_work(void *context, int thread, int threads) {
  (void)thread;
  keep_busy(1e-3 / threads);
  *(atomic_int *)context = threads;
}

/* Threads that help are used again, whatever was lost before. */
Test(parallel, threads_that_help_go_on_helping, .timeout = 120) {
  parallel_require_all_threads(false);
  if (!lose_time(NULL))
    cr_skip("no threads");
  parallel_work_alone(10);
  atomic_int threads = 1;
  for (int n = 0; n < 10000 && atomic_load(&threads) == 1; n++) {
    parallel_work_alone(1e-3);
    parallel_run(NULL, 2, share_work, &threads);
  }
  cr_expect_eq(atomic_load(&threads), 2);
}

/* -------------------------------------------------------------------------------------- runs on a host */

static void expect_each_called_once(const msd_tasks *tasks, int threads, const char *name) {
  visits v;
  memset(&v, 0, sizeof v);
  parallel_run(tasks, threads, visit, &v);
  const int told = atomic_load(&v.told);
  cr_assert(told >= 1 && told <= threads, "%s: %d threads", name, told);
  for (int thread = 0; thread < MOST_THREADS; thread++)
    cr_assert_eq(atomic_load(&v.calls[thread]), thread < told ? 1 : 0, "%s, thread %d of %d", name, thread,
                 told);
}

Test(parallel, tasks_that_are_called_one_after_the_other_leave_the_run_to_the_caller) {
  static task_keeper keeper;
  for (int n = 0; n < SERIAL_SCHEDULER_COUNT; n++) {
    const msd_tasks tasks = tasks_of(&SERIAL_SCHEDULERS[n], &keeper, 4);
    visits v;
    memset(&v, 0, sizeof v);
    parallel_run(&tasks, 4, visit, &v);
    cr_assert_eq(atomic_load(&v.told), 1, "%s", SERIAL_SCHEDULERS[n].name);
    cr_assert_eq(atomic_load(&v.calls[0]), 1, "%s", SERIAL_SCHEDULERS[n].name);
  }
}

Test(parallel, each_thread_of_a_run_on_a_pool_is_called_once) {
  host_pool pool;
  host_pool_open(&pool, 3);
  const msd_tasks tasks = host_pool_tasks(&pool);
  for (int n = 0; n < 300; n++)
    expect_each_called_once(&tasks, 1 + n % 8, "pool");
  host_pool_close(&pool);
}

Test(parallel, threads_of_a_pool_take_part) {
  host_pool pool;
  host_pool_open(&pool, 2);
  const msd_tasks tasks = host_pool_tasks(&pool);
  int most = 0;
  for (int n = 0; n < 100000 && most < 2; n++) {
    visits v;
    memset(&v, 0, sizeof v);
    parallel_run(&tasks, 3, visit, &v);
    most = atomic_load(&v.told) > most ? atomic_load(&v.told) : most;
  }
  host_pool_close(&pool);
  cr_assert_geq(most, 2);
}

/* The caller waits for another thread, at most 10 s. */
static void wait_for_another(void *context, int thread, int threads) {
  atomic_int *others = context;
  cr_assert(thread < threads);
  if (thread > 0)
    atomic_fetch_add(others, 1);
  for (const double start = parallel_clock(); atomic_load(others) == 0 && parallel_clock() - start < 10;)
    nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
}

/* The thread of the pool is busy for longer than runs wait for threads. */
static void be_late(void *context) {
  (void)context;
  nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
}

static void *enqueue_late(msd_task_function call, void *task_context, void *context) {
  host_pool_enqueue(be_late, NULL, context);
  return host_pool_enqueue(call, task_context, context);
}

Test(parallel, threads_join_a_loose_run_at_any_time, .timeout = 60) {
  host_pool pool;
  host_pool_open(&pool, 1);
  const msd_tasks tasks = {enqueue_late, host_pool_finish, &pool, 2};
  atomic_int others = 0;
  parallel_run_loose(&tasks, 2, wait_for_another, &others);
  cr_expect_eq(atomic_load(&others), 1);
  host_pool_close(&pool);
}

static void wait_for_lock(void *lock) {
  pthread_mutex_lock(lock);
  pthread_mutex_unlock(lock);
}

Test(parallel, a_run_does_not_wait_for_a_pool_that_is_busy) {
  pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  host_pool pool;
  host_pool_open(&pool, 1);
  const msd_tasks tasks = host_pool_tasks(&pool);
  pthread_mutex_lock(&lock);
  void *other = tasks.enqueue(wait_for_lock, &lock, tasks.context);
  for (int n = 0; n < 20; n++)
    expect_each_called_once(&tasks, 2, "busy pool");
  pthread_mutex_unlock(&lock);
  tasks.finish(other, tasks.context);
  host_pool_close(&pool);
}

/* Two thousand runs of nothing would wait 0.4 s if each waited for threads to join, and this wait spins. */
Test(parallel, a_host_whose_threads_never_come_is_soon_not_waited_for) {
  parallel_require_all_threads(false);
  static task_keeper keeper;
  const msd_tasks never = {keep_task, forget_task, &keeper, 4};
  const clock_t start = clock();
  for (int n = 0; n < 2000; n++)
    expect_each_called_once(&never, 4, "never");
  cr_expect_lt((double)(clock() - start) / CLOCKS_PER_SEC, 0.3);
}

Test(parallel, a_host_offers_as_many_threads_as_it_has_workers) {
  const msd_tasks tasks = {keep_task, forget_task, NULL, 3};
  cr_expect_eq(parallel_threads(&tasks, 0, INT32_MAX), 3);
  cr_expect_eq(parallel_threads(&tasks, 2, 1), 2);
  cr_expect_eq(parallel_threads(&tasks, 8, 1), 3);
  cr_expect_eq(parallel_threads(&tasks, 0, 100), 1);
}

typedef struct nested {
  const msd_tasks *tasks;
  atomic_int inner;
} nested;

static void run_inside(void *context, int thread, int threads) {
  (void)thread, (void)threads;
  nested *n = context;
  const int inner = parallel_threads(n->tasks, 8, INT32_MAX);
  if (inner > atomic_load(&n->inner))
    atomic_store(&n->inner, inner);
}

Test(parallel, there_is_one_thread_inside_a_run) {
  host_pool pool;
  host_pool_open(&pool, 3);
  const msd_tasks tasks = host_pool_tasks(&pool);
  for (int n = 0; n < 200; n++) {
    nested own = {.tasks = &tasks}, of_openmp = {.tasks = NULL};
    parallel_run(&tasks, 4, run_inside, &own);
    parallel_run(&tasks, 4, run_inside, &of_openmp);
    cr_assert_eq(atomic_load(&own.inner), 1);
    cr_assert_eq(atomic_load(&of_openmp.inner), 1);
  }
  cr_assert_eq(parallel_threads(&tasks, 4, 1), 4, "behind them all are there again");
  host_pool_close(&pool);
}

/* Queues a task, and takes up one that another run may have queued: that run may wait for this one, as its own
   thread does the same. */
static void *enqueue_and_help(msd_task_function call, void *task_context, void *context) {
  host_pool *pool = context;
  void *handle = host_pool_enqueue(call, task_context, pool);
  pthread_mutex_lock(&pool->lock);
  host_task *next = host_pool_next(pool);
  if (next)
    next->state = HOST_TASK_RUNS;
  pthread_mutex_unlock(&pool->lock);
  if (!next)
    return handle;
  next->call(next->context);
  pthread_mutex_lock(&pool->lock);
  next->state = HOST_TASK_ENDED;
  pthread_cond_broadcast(&pool->has_finished);
  pthread_mutex_unlock(&pool->lock);
  return handle;
}

static void *run_often(void *pool) {
  const msd_tasks tasks = {enqueue_and_help, host_pool_finish, pool, 3};
  for (int n = 0; n < 2000; n++)
    expect_each_called_once(&tasks, 3, "crossing");
  return NULL;
}

Test(parallel, two_runs_that_take_up_each_others_tasks_both_end) {
  host_pool pool;
  host_pool_open(&pool, 1);
  pthread_t other;
  cr_assert_eq(pthread_create(&other, NULL, run_often, &pool), 0);
  run_often(&pool);
  pthread_join(other, NULL);
  host_pool_close(&pool);
}

Test(parallel, the_clock_goes_forward_with_the_time) {
  const double before = parallel_clock();
  for (int n = 0; n < 10000000 && parallel_clock() == before; n++)
    ;
  cr_expect_gt(parallel_clock(), before);
}

/* ------------------------------------------------------------------------------------------------ pieces */

/* Threads that take all pieces, of which those of the first one are slow. */
typedef struct taking {
  work_queue piles[MOST_THREADS];
  parallel_barrier barrier;
  int32_t pieces;
  atomic_int *taken;
  /* Pieces that were taken from others. */
  atomic_int given;
} taking;

static void take_all(void *context, int thread, int threads) {
  taking *t = context;
  const parallel_range own = parallel_split(t->pieces, thread, threads);
  work_queue_fill(t->piles, t->pieces, thread, threads);
  parallel_wait(&t->barrier, threads);
  for (int32_t n = work_queue_pop(t->piles, thread, threads); n >= 0;
       n = work_queue_pop(t->piles, thread, threads)) {
    atomic_fetch_add(&t->taken[n], 1);
    const bool is_own = n >= own.first && n < own.last;
    atomic_fetch_add(&t->given, !is_own);
    /* The first thread does not go on until somebody has taken one of its own, if there is somebody. */
    while (thread == 0 && threads > 1 && own.last - own.first > 1 && atomic_load(&t->given) == 0)
      sched_yield();
  }
}

Test(parallel, each_piece_is_taken_once_and_those_of_a_slow_thread_by_others, .timeout = 60) {
  const int32_t counts[] = {0, 1, 5, 16, 1000};
  for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
    for (int threads = 1; threads <= 4; threads++) {
      taking *t = calloc(1, sizeof *t);
      t->pieces = counts[c];
      t->taken = calloc((size_t)counts[c] + 1, sizeof *t->taken);
      cr_assert(t->taken != NULL);
      parallel_run(NULL, threads, take_all, t);
      for (int32_t n = 0; n < counts[c]; n++)
        cr_assert_eq(atomic_load(&t->taken[n]), 1, "piece %d of %d", (int)n, (int)counts[c]);
      free(t->taken);
      free(t);
    }
}

Test(parallel, a_thread_takes_its_own_pieces_in_order_and_then_the_last_ones_of_others) {
  work_queue piles[2] = {0};
  for (int thread = 0; thread < 2; thread++)
    work_queue_fill(piles, 10, thread, 2);
  const int32_t expected[] = {5, 6, 7, 8, 9, 4, 3, 2};
  for (size_t n = 0; n < sizeof expected / sizeof *expected; n++)
    cr_assert_eq(work_queue_pop(piles, 1, 2), expected[n]);
  cr_assert_eq(work_queue_pop(piles, 0, 2), 0);
  cr_assert_eq(work_queue_pop(piles, 0, 2), 1);
  cr_assert_eq(work_queue_pop(piles, 0, 2), -1);
  cr_assert_eq(work_queue_pop(piles, 1, 2), -1);
}

/* ------------------------------------------------------------------------------------------------- trial */

/* How many of the last 30 calls of 40 are made with one thread, when a call takes so long with one and with
   all. */
static int calls_with_one(double seconds_with_one, double seconds_with_all) {
  thread_count_tuner trial;
  memset(&trial, 0, sizeof trial);
  int with_one = 0;
  for (int call = 0; call < 40; call++) {
    const int threads = thread_count_tuner_begin(&trial, 4);
    cr_assert(threads == 1 || threads == 4);
    thread_count_tuner_end(&trial, threads == 1 ? seconds_with_one : seconds_with_all);
    with_one += call >= 10 && threads == 1;
  }
  return with_one;
}

Test(parallel, a_trial_finds_out_whether_threads_pay) {
  cr_assert(calls_with_one(0.0002, 0.004) >= 25, "threads that do not pay are used");
  cr_assert(calls_with_one(0.004, 0.0002) <= 5, "threads that pay are not used");
}

/* Behind so many calls, each of which took `seconds` for each unit of work. */
static thread_count_tuner trial_after(int calls, double seconds) {
  thread_count_tuner trial;
  memset(&trial, 0, sizeof trial);
  for (int call = 0; call < calls; call++) {
    thread_count_tuner_begin(&trial, 2);
    thread_count_tuner_end(&trial, seconds);
  }
  return trial;
}

Test(parallel, a_try_of_one_thread_takes_few_units_of_a_long_call_and_no_other_call_does) {
  int tries = 0;
  for (int calls = 0; calls < 100; calls++) {
    thread_count_tuner slow = trial_after(calls, 0.01), quick = trial_after(calls, 1e-5);
    const int units = thread_count_tuner_units(&slow, 2, 1000);
    cr_expect_eq(thread_count_tuner_units(&quick, 2, 1000), 1000, "behind %d calls", calls);
    cr_expect_eq(thread_count_tuner_units(&slow, 2, 2), 2, "behind %d calls", calls);
    const bool tries_one = thread_count_tuner_begin(&slow, 2) == 1;
    cr_expect(tries_one ? units < 10 : units == 1000, "%d units behind %d calls", units, calls);
    tries += tries_one;
  }
  cr_expect(tries > 1, "%d calls", tries);
}

/* As of a world that was stepped alone three times, and then among many, where it has one thread. */
Test(parallel, where_there_is_one_thread_nothing_is_tried) {
  for (int calls = 0; calls < 10; calls++) {
    const thread_count_tuner slow = trial_after(calls, 0.01);
    cr_expect_eq(thread_count_tuner_units(&slow, 1, 1000), 1000, "behind %d calls", calls);
  }
}

/* Calls with one thread take 1 s, with all 0.9 s, but for the last ones, which are disturbed and take 9 s: so
   long after one thread was tried that it may be tried again. */
static int threads_after_slow_calls(int slow) {
  enum { QUICK = 16 };
  thread_count_tuner trial;
  memset(&trial, 0, sizeof trial);
  for (int call = 0; call < QUICK + slow; call++) {
    const int threads = thread_count_tuner_begin(&trial, 4);
    thread_count_tuner_end(&trial, threads == 1 ? 1 : call >= QUICK ? 9 : 0.9);
  }
  return thread_count_tuner_begin(&trial, 4);
}

/* Of so many calls, the share of their time that is lost to the slower choice. */
static double share_lost(double seconds_with_one, double seconds_with_all, int calls) {
  thread_count_tuner trial;
  memset(&trial, 0, sizeof trial);
  double spent = 0;
  for (int call = 0; call < calls; call++) {
    const double seconds = thread_count_tuner_begin(&trial, 2) == 1 ? seconds_with_one : seconds_with_all;
    thread_count_tuner_end(&trial, seconds);
    spent += seconds;
  }
  const double least = seconds_with_one < seconds_with_all ? seconds_with_one : seconds_with_all;
  return spent / (calls * least) - 1;
}

Test(parallel, to_try_the_slower_choice_costs_a_fiftieth_at_most_however_slow_it_is) {
  const double slower[] = {1.1, 2, 3.9, 10, 50};
  for (size_t n = 0; n < sizeof slower / sizeof slower[0]; n++) {
    cr_expect_leq(share_lost(1, slower[n], 60000), 0.02, "%g", slower[n]);
    cr_expect_leq(share_lost(slower[n], 1, 60000), 0.02, "%g", slower[n]);
  }
}

/* Threads are 3 times as slow until they are twice as fast, as when another program ends or a core is moved. */
Test(parallel, a_choice_that_has_become_the_faster_one_is_found_and_kept) {
  thread_count_tuner trial;
  memset(&trial, 0, sizeof trial);
  int with_all = 0;
  for (int call = 0; call < 3000; call++) {
    const bool all = thread_count_tuner_begin(&trial, 2) == 2;
    thread_count_tuner_end(&trial, !all ? 1 : call < 1000 ? 3 : 0.5);
    with_all += all && call >= 2000;
  }
  cr_expect_gt(with_all, 950);
}

/* Calls take longer from one to the next, or less long, by that factor, as the same work is done by fewer or
   more threads. Returns how many of them the slower choice has. */
static int calls_by_slower(double change, double with_one, double with_all) {
  thread_count_tuner trial;
  memset(&trial, 0, sizeof trial);
  int slower = 0;
  double work = 1;
  for (int call = 0; call < 60; call++, work *= change) {
    const bool all = thread_count_tuner_begin(&trial, 2) == 2;
    thread_count_tuner_end(&trial, work * (all ? with_all : with_one));
    slower += all == (with_all > with_one);
  }
  return slower;
}

Test(parallel, work_that_becomes_more_or_less_from_call_to_call_does_not_make_the_slower_choice_look_faster) {
  const double changes[] = {0.85, 0.95, 1.05, 1.2};
  for (size_t n = 0; n < sizeof changes / sizeof *changes; n++) {
    cr_expect_leq(calls_by_slower(changes[n], 1.6, 1), 60 / 8, "%g", changes[n]);
    cr_expect_leq(calls_by_slower(changes[n], 1, 1.6), 9 + 2 * 60 / 8, "%g", changes[n]);
  }
}

Test(parallel, threads_that_pay_are_used_while_work_grows_by_half_from_call_to_call) {
  cr_expect_leq(calls_by_slower(1.5, 1.6, 1), 60 / 8);
}

/* What one thread took when it was tried is soon less than what all take of more work. */
Test(parallel, one_thread_that_has_lost_by_much_is_seldom_tried_while_work_grows) {
  cr_expect_leq(calls_by_slower(1.2, 1.6, 1), 60 / 15);
  cr_expect_leq(calls_by_slower(1.05, 1.6, 1), 60 / 15);
}

/* All threads take 2 s for a while, and 1 s otherwise; one takes 1.5 s. */
Test(parallel, threads_that_are_slow_just_before_and_behind_one_try_are_used_again) {
  thread_count_tuner trial;
  memset(&trial, 0, sizeof trial);
  int with_one = 0;
  for (int call = 0; call < 30; call++) {
    const bool all = thread_count_tuner_begin(&trial, 2) == 2;
    thread_count_tuner_end(&trial, !all ? 1.5 : call < 6 ? 2 : 1);
    with_one += !all;
  }
  cr_expect_leq(with_one, 2);
}

Test(parallel, one_slow_call_is_overlooked_and_two_in_a_row_are_not) {
  cr_assert_eq(threads_after_slow_calls(1), 4);
  cr_assert_eq(threads_after_slow_calls(2), 1);
}

/* The second call, the first that is timed, is one of a state that is not in the caches yet. */
Test(parallel, a_slow_first_call_does_not_decide) {
  thread_count_tuner trial;
  memset(&trial, 0, sizeof trial);
  for (int call = 0; call < 5; call++) {
    const int threads = thread_count_tuner_begin(&trial, 4);
    thread_count_tuner_end(&trial, threads == 1 ? 1 : call < 2 ? 5 : 0.6);
  }
  cr_assert_eq(thread_count_tuner_begin(&trial, 4), 4);
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
    parallel_run(NULL, threads, meet, &m);
    cr_assert_eq(atomic_load(&m.wrong), 0, "%d threads", threads);
  }
}

Test(parallel, the_barrier_holds_on_a_hosts_threads) {
  static meeting m;
  host_pool pool;
  host_pool_open(&pool, 3);
  const msd_tasks tasks = host_pool_tasks(&pool);
  for (int n = 0; n < 200; n++) {
    memset(&m, 0, sizeof m);
    parallel_run(&tasks, 2 + n % 3, meet, &m);
    cr_assert_eq(atomic_load(&m.wrong), 0);
  }
  host_pool_close(&pool);
}

Test(parallel, the_barrier_moves_on_with_many_more_threads_than_cores) {
  static meeting m;
  parallel_run(NULL, MOST_THREADS, meet, &m);
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
  phase_barrier meeting;
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
    if (!phase_barrier_wait(&r->meeting, threads, round, !fails))
      return;
  }
}

Test(parallel, all_part_after_the_round_in_which_one_failed) {
  for (int threads = 1; threads <= 8; threads++)
    for (int round = 0; round <= ROUNDS; round += 7) {
      rounds r = {.fails_thread = round, .fails_round = round};
      phase_barrier_begin(&r.meeting);
      parallel_run(NULL, threads, go_round, &r);
      cr_assert_eq(phase_barrier_failed(&r.meeting), round < ROUNDS ? round : INT_MAX);
      for (int thread = 0; thread < atomic_load(&r.threads); thread++)
        cr_assert_eq(r.done[thread], round < ROUNDS ? round + 1 : ROUNDS, "thread %d of %d", thread, threads);
    }
}
