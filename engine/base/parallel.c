#include "engine/base/parallel.h"

#include "engine/base/float_environment.h"

#include <limits.h>

#ifdef _WIN32
#include <windows.h>
#else
#include <sched.h>
#endif

#ifdef _OPENMP
#include <omp.h>
#ifndef _WIN32
#include <pthread.h>
#include <unistd.h>
#endif
#endif

/* Below this many particles per thread, starting and meeting cost more than the work that is shared;
   measured with cloths on two cores. A barrier spins for some microseconds before it yields. */
enum { PARTICLES_PER_THREAD = 512, SPINS = 400 };

/* Calls after which the slower choice is timed again: that costs a small fraction. */
enum { CALLS_BETWEEN_TRIALS = 64 };

#ifdef _OPENMP
#ifndef _WIN32

/* A forked child has none of its parent's threads, but the OpenMP runtime in it would wait for them
   forever. */
static atomic_long threaded_process; /* the process that has run several threads; 0: none */

static bool may_start_threads(void) {
  const long process = atomic_load(&threaded_process);
  return process == 0 || process == (long)getpid();
}

/* The runtime ends the program when it cannot start a thread. So before it starts more than ever before for
   this thread of the host, as many are started on trial; their stacks are then free for the runtime. */
enum { TRIED_MAX = 256 };

static void *wait_for_end(void *lock) {
  pthread_mutex_lock(lock);
  pthread_mutex_unlock(lock);
  return NULL;
}

static int try_threads(int threads) {
  pthread_t tried[TRIED_MAX];
  pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  int started = 0;
  pthread_mutex_lock(&lock);
  while (started < threads - 1 && started < TRIED_MAX &&
         pthread_create(&tried[started], NULL, wait_for_end, &lock) == 0)
    started++;
  pthread_mutex_unlock(&lock);
  for (int n = 0; n < started; n++)
    pthread_join(tried[n], NULL);
  pthread_mutex_destroy(&lock);
  return started + 1;
}

/* How many threads to start: all, or one when resources are so short that the runtime itself might not get
   what it needs. */
static int startable_threads(int threads) {
  static _Thread_local int known = 1;
  if (threads <= known)
    return threads;
  const int startable = try_threads(threads);
  if (startable == threads)
    known = threads;
  atomic_store(&threaded_process, (long)getpid());
  return startable == threads ? threads : 1;
}

#else

static bool may_start_threads(void) {
  return true;
}

static int startable_threads(int threads) {
  return threads;
}

#endif
#endif

int parallel_threads(int requested, int32_t particles) {
#ifdef _OPENMP
  if (omp_in_parallel() || !may_start_threads())
    return 1;
  const int limit = omp_get_thread_limit();
  if (requested > 0)
    return requested < limit ? requested : limit;
  const int offered = omp_get_max_threads();
  const int repaid = particles / PARTICLES_PER_THREAD;
  const int threads = offered < repaid ? offered : repaid;
  return threads > 1 ? threads : 1;
#else
  (void)requested, (void)particles;
  return 1;
#endif
}

/* A monotonic clock, unlike the time of day: one jump would spoil the mean for good. Without OpenMP there is
   one thread, and nothing to compare. */
double parallel_clock(void) {
#ifdef _OPENMP
  return omp_get_wtime();
#else
  return 0;
#endif
}

int parallel_trial_begin(parallel_trial *t, int most) {
  t->choice = t->seconds[1] <= t->seconds[0];
  if (t->calls % CALLS_BETWEEN_TRIALS == CALLS_BETWEEN_TRIALS - 1 &&
      t->seconds[!t->choice] < 4 * t->seconds[t->choice])
    t->choice = !t->choice;
  if (t->calls < 4) /* all threads have to be started once, and then each choice is timed */
    t->choice = t->calls != 2;
  return t->choice == 0 ? 1 : most;
}

void parallel_trial_end(parallel_trial *t, double seconds) {
  const double before = t->seconds[t->choice];
  if (t->calls > 0)
    t->seconds[t->choice] = before > 0 ? before + (seconds - before) / 4 : seconds;
  t->calls++;
}

void parallel_run(int threads, parallel_task *task, void *context) {
#ifdef _OPENMP
  const int started = threads > 1 && may_start_threads() ? startable_threads(threads) : 1;
  if (started > 1) {
#pragma omp parallel num_threads(started)
    {
      DEFAULT_FLOAT_ENVIRONMENT;
      task(context, omp_get_thread_num(), omp_get_num_threads());
    }
    return;
  }
#else
  (void)threads;
#endif
  task(context, 0, 1);
}

parallel_range parallel_split(int32_t count, int thread, int threads) {
  return (parallel_range){(int32_t)((int64_t)count * thread / threads),
                          (int32_t)((int64_t)count * (thread + 1) / threads)};
}

static void yield_processor(void) {
#ifdef _WIN32
  SwitchToThread();
#else
  sched_yield();
#endif
}

static void relax_processor(void) {
#if defined(__GNUC__) && (defined(__x86_64__) || defined(__i386__))
  __builtin_ia32_pause();
#endif
}

void parallel_wait(parallel_barrier *barrier, int threads) {
  if (threads == 1)
    return;
  const int round = atomic_load_explicit(&barrier->round, memory_order_acquire);
  if (atomic_fetch_add_explicit(&barrier->arrived, 1, memory_order_acq_rel) == threads - 1) {
    atomic_store_explicit(&barrier->arrived, 0, memory_order_relaxed);
    atomic_store_explicit(&barrier->round, round + 1, memory_order_release);
    return;
  }
  for (int spins = 0; atomic_load_explicit(&barrier->round, memory_order_acquire) == round; spins++)
    if (spins < SPINS)
      relax_processor();
    else
      yield_processor();
}

void parallel_meeting_begin(parallel_meeting *meeting) {
  atomic_init(&meeting->barrier.arrived, 0);
  atomic_init(&meeting->barrier.round, 0);
  atomic_init(&meeting->failed, INT_MAX);
}

bool parallel_meet(parallel_meeting *meeting, int threads, int round, bool well) {
  if (!well)
    atomic_store_explicit(&meeting->failed, round, memory_order_relaxed);
  parallel_wait(&meeting->barrier, threads);
  /* A faster thread may already have failed in the next round: this one goes on to meet it there. */
  return atomic_load_explicit(&meeting->failed, memory_order_relaxed) > round;
}

int parallel_meeting_failed(const parallel_meeting *meeting) {
  return atomic_load(&meeting->failed);
}
