/* The pool of threads: tasks run once or never, and never after they were finished. */
#include "engine/base/thread_pool.h"

#include "engine/base/parallel.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#ifdef _OPENMP
#include <omp.h>
#endif

typedef struct counted {
  atomic_int runs;
  atomic_bool is_over;
  atomic_int *late;
} counted;

static void count(void *context) {
  counted *c = context;
  if (atomic_load(&c->is_over))
    atomic_fetch_add(c->late, 1);
  atomic_fetch_add(&c->runs, 1);
}

/* All at once, and after pauses in which the threads fall asleep. */
static void *offer_and_finish(void *late) {
  enum { TASKS = 3 };
  const msd_tasks tasks = thread_pool_tasks(TASKS + 1);
  for (int n = 0; n < 4000 && tasks.enqueue; n++) {
    counted own[TASKS];
    void *handles[TASKS];
    for (int t = 0; t < TASKS; t++) {
      own[t] = (counted){.late = late};
      handles[t] = tasks.enqueue(count, &own[t], tasks.context);
    }
    if (n % 100 == 0)
      nanosleep(&(struct timespec){.tv_nsec = 300000}, NULL);
    for (int t = 0; t < TASKS; t++) {
      if (handles[t])
        tasks.finish(handles[t], tasks.context);
      atomic_store(&own[t].is_over, true);
      cr_assert_leq(atomic_load(&own[t].runs), handles[t] ? 1 : 0);
    }
  }
  return NULL;
}

Test(thread_pool, a_finished_task_has_run_once_or_never_runs, .timeout = 120) {
  atomic_int late = 0;
  offer_and_finish(&late);
  cr_expect_eq(atomic_load(&late), 0);
}

/* A caller neither cancels the tasks of another one nor waits for them. */
Test(thread_pool, callers_on_several_threads_share_the_pool, .timeout = 120) {
  atomic_int late = 0;
  pthread_t others[3];
  for (int n = 0; n < 3; n++)
    cr_assert_eq(pthread_create(&others[n], NULL, offer_and_finish, &late), 0);
  offer_and_finish(&late);
  for (int n = 0; n < 3; n++)
    pthread_join(others[n], NULL);
  cr_expect_eq(atomic_load(&late), 0);
}

static void wait_for_release(void *context) {
  pthread_mutex_lock(context);
  pthread_mutex_unlock(context);
}

Test(thread_pool, a_task_for_which_no_thread_is_free_is_refused) {
  const msd_tasks tasks = thread_pool_tasks(PARALLEL_THREADS_MAX);
  if (thread_pool_offer().limit < PARALLEL_THREADS_MAX)
    cr_skip("no threads");
  pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  void *handles[PARALLEL_THREADS_MAX];
  pthread_mutex_lock(&lock);
  int accepted = 0;
  for (int n = 0; n < PARALLEL_THREADS_MAX; n++) {
    handles[accepted] = tasks.enqueue(wait_for_release, &lock, tasks.context);
    accepted += handles[accepted] != NULL;
  }
  cr_expect_leq(accepted, PARALLEL_THREADS_MAX - 1);
  pthread_mutex_unlock(&lock);
  for (int n = 0; n < accepted; n++)
    tasks.finish(handles[n], tasks.context);
}

static void keep_mask(void *context) {
  pthread_sigmask(SIG_BLOCK, NULL, context);
}

Test(thread_pool, signals_are_left_to_the_threads_of_the_host) {
  const msd_tasks tasks = thread_pool_tasks(2);
  if (!tasks.enqueue)
    cr_skip("no threads");
  sigset_t seen, own;
  bool has_run = false;
  for (int n = 0; n < 10000 && !has_run; n++) {
    sigemptyset(&seen);
    void *handle = tasks.enqueue(keep_mask, &seen, tasks.context);
    nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
    if (handle)
      tasks.finish(handle, tasks.context);
    has_run = sigismember(&seen, SIGUSR1) == 1;
  }
  cr_expect(has_run && sigismember(&seen, SIGTERM) == 1);
  cr_assert_eq(pthread_sigmask(SIG_BLOCK, NULL, &own), 0);
  cr_expect_eq(sigismember(&own, SIGTERM), 0);
}

static void exit_while_others_wait(void *context, int thread, int threads) {
  if (thread == 0)
    exit(7);
  parallel_wait(context, threads);
}

/* The threads that wait for the caller are not waited for at the exit. */
Test(thread_pool, a_program_may_exit_within_a_run, .timeout = 120) {
  for (int n = 0; n < 10; n++) {
    const pid_t child = fork();
    cr_assert_geq(child, 0);
    if (child == 0) {
      parallel_barrier barrier = {0};
      parallel_run(NULL, 3, exit_while_others_wait, &barrier);
    }
    int status = 0;
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_expect(WIFEXITED(status) && WEXITSTATUS(status) == 7);
  }
}

#ifdef _OPENMP
Test(thread_pool, openmp_determines_the_number_of_threads) {
  omp_set_num_threads(5);
  cr_expect_eq(thread_pool_offer().usual, 5);
  cr_expect_eq(thread_pool_offer().limit, omp_get_thread_limit());
}

Test(thread_pool, there_are_no_more_threads_inside_a_parallel_region_of_the_host) {
  int limits[2] = {1, 1};
#pragma omp parallel num_threads(2)
  limits[omp_get_thread_num()] = thread_pool_offer().limit;
  cr_expect_eq(limits[0], 1);
  cr_expect_eq(limits[1], 1);
}
#endif
