#define _POSIX_C_SOURCE 200809L /* clock_gettime */
#include "engine/base/parallel.h"

#include "engine/base/float_environment.h"
#include "engine/base/min_max.h"

#include <limits.h>
#include <math.h>

#ifdef _WIN32
#include <windows.h>
#else
#include <sched.h>
#include <time.h>
#endif

#ifdef _OPENMP
#include <omp.h>
#ifndef _WIN32
#include <pthread.h>
#include <unistd.h>
#endif
#endif

/* The number of particles that justifies one more thread; half of it justifies the second thread. Measured
   with cloths and ropes on two cores. A barrier spins for some microseconds before it yields. */
enum { PARTICLES_PER_THREAD = 512, SPINS = 400 };

/* The minimum number of calls between trials of the slower choice, and the number per unit of its relative
   loss. A trial takes up to two calls, so it costs less than 1 in 80 of the time. The first trial is when the
   current choice has been timed twice. */
enum { CALLS_BETWEEN_TRIALS = 8, CALLS_PER_LOSS = 160, FIRST_CALLS = 3 };

/* The interval is multiplied by this if the current choice has become slower. */
static const double SOONER = 1.0 / 6;

/* How often in a row the other choice must be faster. */
enum { WINS = 2 };

/* The choices, and the stages of a trial. */
enum { ALL_THREADS, ONE_THREAD };
enum { USES_KEPT, TRIES_OTHER, TIMES_KEPT };

/* This many units suffice to time one thread, if they take at least that many seconds. */
enum { TRIED_UNITS = 8 };
static const double TRIED_SECONDS = 4e-3;

/* True on a thread inside parallel_run, or while it distributes one. */
static _Thread_local bool is_running;

static bool has_scheduler(const msd_tasks *tasks) {
  return tasks && tasks->enqueue;
}

#ifdef _OPENMP
#ifndef _WIN32

/* A forked child has none of its parent's threads, but its OpenMP runtime would wait for them forever. */
static atomic_long threaded_process; /* the process that has run several threads; 0: none */

static bool may_start_threads(void) {
  const long process = atomic_load(&threaded_process);
  return process == 0 || process == (long)getpid();
}

/* The runtime terminates the program if it cannot start a thread. So before it starts more than ever before
   on this host thread, the same number is started as a test. Their stacks are then free for the runtime. */
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

/* The number of threads to start: all, or one if resources are so short that the runtime might fail. */
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

typedef struct offer {
  /* The maximum, and the default number. */
  int limit, usual;
} offer;

static offer offer_of(const msd_tasks *tasks) {
  if (is_running)
    return (offer){1, 1};
  if (has_scheduler(tasks))
    return (offer){tasks->worker_count, tasks->worker_count};
#ifdef _OPENMP
  if (!omp_in_parallel() && may_start_threads())
    return (offer){omp_get_thread_limit(), omp_get_max_threads()};
#endif
  return (offer){1, 1};
}

int parallel_threads(const msd_tasks *tasks, int requested, int32_t particles) {
  const offer offered = offer_of(tasks);
  if (requested > 0)
    return int_min(requested, offered.limit);
  const int64_t paying = 1 + ((int64_t)particles + PARTICLES_PER_THREAD / 2) / PARTICLES_PER_THREAD;
  return paying < offered.usual ? (int)paying : offered.usual;
}

/* A monotonic clock: a jump in the time of day would spoil measurements. */
double parallel_clock(void) {
#ifdef _WIN32
  LARGE_INTEGER now, frequency;
  QueryPerformanceCounter(&now);
  QueryPerformanceFrequency(&frequency);
  return (double)now.QuadPart / (double)frequency.QuadPart;
#else
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
#endif
}

static int choice_of(const thread_count_tuner *t) {
  return t->stage == TRIES_OTHER ? !t->kept : t->kept;
}

int thread_count_tuner_units(const thread_count_tuner *t, int most, int units) {
  const bool tries_one = most > 1 && t->stage == TRIES_OTHER && choice_of(t) == ONE_THREAD;
  return tries_one && units > TRIED_UNITS && t->seconds[ALL_THREADS] * TRIED_UNITS > TRIED_SECONDS
             ? TRIED_UNITS
             : units;
}

int thread_count_tuner_begin(thread_count_tuner *t, int most) {
  t->choice = choice_of(t);
  return t->choice == ONE_THREAD ? 1 : most;
}

/* Returns whether the call counts. A single disturbed call gives no information; two in a row do. */
static bool note_time(thread_count_tuner *t, double seconds) {
  const bool is_next = t->choice == t->last_choice && t->calls_alike > 0;
  t->calls_alike = is_next ? t->calls_alike + 1 : 1;
  t->last_choice = t->choice;
  const int64_t timed = t->calls_alike - (t->choice == ALL_THREADS);
  if (timed > 0) {
    const bool is_slower = timed > 1 && t->last_seconds[t->choice] < seconds;
    t->seconds[t->choice] = is_slower ? t->last_seconds[t->choice] : seconds;
    t->last_seconds[t->choice] = seconds;
  }
  return timed > 0;
}

/* The relative difference of two times; 0 if the clock is too coarse. */
static double difference(double a, double b) {
  const double least = fmin(a, b);
  return least > 0 ? fmax(a, b) / least - 1 : 0;
}

/* Called when the other choice has been timed between two calls of the current one. */
static void judge(thread_count_tuner *t) {
  const double kept = fmin(t->before, t->seconds[t->kept]), other = t->seconds[!t->kept];
  t->wins = other < kept ? t->wins + 1 : 0;
  t->stage = t->wins > 0 && t->wins < WINS ? TRIES_OTHER : USES_KEPT;
  t->before = t->seconds[t->kept];
  t->calls = 0;
  t->calls_between = CALLS_BETWEEN_TRIALS + CALLS_PER_LOSS * difference(kept, other);
  if (t->wins < WINS)
    return;
  t->kept = !t->kept;
  t->wins = 0;
}

/* The current choice may have become the slower one if it takes longer than the other did in its trial. Or
   calls have more work now. That is likelier the slower the other was, and then the trial is later. */
static void use_kept(thread_count_tuner *t) {
  t->calls++;
  const bool has_slowed = t->seconds[t->kept] > t->seconds[!t->kept];
  const double between = has_slowed ? t->calls_between * SOONER : t->calls_between;
  const int64_t least = t->calls_between > 0 ? CALLS_BETWEEN_TRIALS : FIRST_CALLS;
  if (t->calls < least || (double)t->calls < between)
    return;
  t->stage = TRIES_OTHER;
  t->before = t->seconds[t->kept];
}

void thread_count_tuner_end(thread_count_tuner *t, double seconds) {
  const bool is_timed = note_time(t, seconds);
  if (t->stage == USES_KEPT)
    use_kept(t);
  else if (is_timed && t->stage == TRIES_OTHER)
    t->stage = TIMES_KEPT;
  else if (is_timed)
    judge(t);
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

/* A nested parallel_run uses one thread. */
static void run_part(parallel_task *task, void *context, int thread, int threads) {
  const bool was_running = is_running;
  is_running = true;
  task(context, thread, threads);
  is_running = was_running;
}

/* One iteration of a wait loop; `turns` were made before. */
static void wait_a_turn(int turns) {
  if (turns < SPINS)
    relax_processor();
  else
    yield_processor();
}

/* -------------------------------------------------------------------------------------- host task systems */

/* The time in s that this thread may still wait for threads of a host. An eighth of the run time is added to
   it, so that a host whose threads never arrive costs at most that. It is at most a millisecond, which is
   enough to wake threads. */
static const double PATIENCE_MAX = 1e-3, PATIENCE_SHARE = 0.125;
static _Thread_local double patience = 1e-3;

/* s: the maximum wait of an arriving thread for the run to open. The run opens when the host has accepted the
   other tasks, or never if the host waits for this one first. */
static const double OPENING_MAX = 1e-3;

typedef struct host_run {
  parallel_task *task;
  void *context;
  int threads_max;
  /* 0: not open yet. Then the number of threads; negated when the run is closed to more. */
  _Alignas(64) atomic_int crew;
  /* The number of threads that are done. */
  _Alignas(64) atomic_int left;
} host_run;

/* The index of this thread in the run; 0: it arrived too early or too late. Between opening and closing only
   engine code runs on this thread. */
static int board(host_run *r) {
  const double start = parallel_clock();
  int crew = atomic_load_explicit(&r->crew, memory_order_acquire);
  for (int turns = 0; crew == 0 && parallel_clock() - start < OPENING_MAX; turns++) {
    wait_a_turn(turns);
    crew = atomic_load_explicit(&r->crew, memory_order_acquire);
  }
  while (crew > 0 && crew < r->threads_max)
    if (atomic_compare_exchange_weak_explicit(&r->crew, &crew, crew + 1, memory_order_acq_rel,
                                              memory_order_acquire))
      return crew;
  return 0;
}

/* The task for the host's task system, enqueued once per additional thread. */
static void take_part(void *context) {
  host_run *r = context;
  const int thread = is_running ? 0 : board(r);
  if (thread == 0)
    return;
  DEFAULT_FLOAT_ENVIRONMENT;
  int crew = 0;
  for (int turns = 0; (crew = atomic_load_explicit(&r->crew, memory_order_acquire)) > 0; turns++)
    wait_a_turn(turns);
  run_part(r->task, r->context, thread, -crew);
  atomic_fetch_add_explicit(&r->left, 1, memory_order_release);
}

/* Opens the run to `awaited` additional threads, and closes it when all have arrived or the wait time is used
   up. Returns the number of threads. */
static int muster(host_run *r, int awaited) {
  const double start = parallel_clock();
  double now = start;
  r->threads_max = awaited + 1;
  int crew = 1;
  atomic_store_explicit(&r->crew, crew, memory_order_release);
  for (int turns = 0; crew <= awaited && now - start < patience; turns++) {
    wait_a_turn(turns);
    now = parallel_clock();
    crew = atomic_load_explicit(&r->crew, memory_order_relaxed);
  }
  patience -= fmin(now - start, patience);
  while (!atomic_compare_exchange_weak_explicit(&r->crew, &crew, -crew, memory_order_acq_rel,
                                                memory_order_relaxed))
    ;
  return crew;
}

static void run_on_host(const msd_tasks *tasks, int threads, parallel_task *task, void *context) {
  host_run r = {.task = task, .context = context};
  void *handles[PARALLEL_THREADS_MAX];
  int count = 0;
  is_running = true;
  for (int n = 1; n < threads; n++) {
    handles[count] = tasks->enqueue(take_part, &r, tasks->context);
    count += handles[count] != NULL;
  }
  const int crew = muster(&r, count);
  const double start = parallel_clock();
  run_part(task, context, 0, crew);
  is_running = false;
  for (int turns = 0; atomic_load_explicit(&r.left, memory_order_acquire) < crew - 1; turns++)
    wait_a_turn(turns);
  patience = fmin(patience + PATIENCE_SHARE * (parallel_clock() - start), PATIENCE_MAX);
  for (int n = 0; n < count; n++)
    tasks->finish(handles[n], tasks->context);
}

/* -------------------------------------------------------------------------------------------------- runs */

#ifdef _OPENMP
/* Returns whether threads were available. */
static bool run_on_own_threads(int threads, parallel_task *task, void *context) {
  const int started = may_start_threads() ? startable_threads(threads) : 1;
  if (started == 1)
    return false;
#pragma omp parallel num_threads(started)
  {
    DEFAULT_FLOAT_ENVIRONMENT;
    run_part(task, context, omp_get_thread_num(), omp_get_num_threads());
  }
  return true;
}
#else
static bool run_on_own_threads(int threads, parallel_task *task, void *context) {
  (void)threads, (void)task, (void)context;
  return false;
}
#endif

void parallel_run(const msd_tasks *tasks, int threads, parallel_task *task, void *context) {
  const bool is_shared = threads > 1 && !is_running;
  if (is_shared && has_scheduler(tasks))
    run_on_host(tasks, threads, task, context);
  else if (!is_shared || !run_on_own_threads(threads, task, context))
    run_part(task, context, 0, 1);
}

parallel_range parallel_split(int32_t count, int thread, int threads) {
  return (parallel_range){(int32_t)((int64_t)count * thread / threads),
                          (int32_t)((int64_t)count * (thread + 1) / threads)};
}

static uint64_t packed(uint32_t first, uint32_t end) {
  return (uint64_t)end << 32 | first;
}

void work_queue_fill(work_queue *piles, int32_t count, int thread, int threads) {
  const parallel_range own = parallel_split(count, thread, threads);
  atomic_store_explicit(&piles[thread].left, packed((uint32_t)own.first, (uint32_t)own.last),
                        memory_order_relaxed);
}

/* Takes the first item of a queue, or its last. Relaxed order suffices: a barrier publishes the results. */
static int32_t take_from(work_queue *pile, bool first_one) {
  uint_least64_t left = atomic_load_explicit(&pile->left, memory_order_relaxed);
  for (;;) {
    const uint32_t first = (uint32_t)left, end = (uint32_t)(left >> 32);
    if (first == end)
      return -1;
    const uint64_t rest = first_one ? packed(first + 1, end) : packed(first, end - 1);
    if (atomic_compare_exchange_weak_explicit(&pile->left, &left, rest, memory_order_relaxed,
                                              memory_order_relaxed))
      return (int32_t)(first_one ? first : end - 1);
  }
}

int32_t work_queue_pop(work_queue *piles, int thread, int threads) {
  int32_t piece = take_from(&piles[thread], true);
  for (int n = 1; n < threads && piece < 0; n++)
    piece = take_from(&piles[(thread + n) % threads], false);
  return piece;
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
  for (int turns = 0; atomic_load_explicit(&barrier->round, memory_order_acquire) == round; turns++)
    wait_a_turn(turns);
}

void progress_counter_begin(progress_counter *post) {
  atomic_init(&post->round, 0);
}

void progress_counter_publish(progress_counter *post, int round) {
  atomic_store_explicit(&post->round, round, memory_order_release);
}

void progress_counter_wait(progress_counter *post, int round) {
  for (int turns = 0; atomic_load_explicit(&post->round, memory_order_acquire) < round; turns++)
    wait_a_turn(turns);
}

void phase_barrier_begin(phase_barrier *meeting) {
  atomic_init(&meeting->barrier.arrived, 0);
  atomic_init(&meeting->barrier.round, 0);
  atomic_init(&meeting->failed, INT_MAX);
}

bool phase_barrier_wait(phase_barrier *meeting, int threads, int round, bool well) {
  if (!well)
    atomic_store_explicit(&meeting->failed, round, memory_order_relaxed);
  parallel_wait(&meeting->barrier, threads);
  /* A faster thread may have failed in the next round already; then this thread continues, and meets it
     there. */
  return atomic_load_explicit(&meeting->failed, memory_order_relaxed) > round;
}

int phase_barrier_failed(const phase_barrier *meeting) {
  return atomic_load(&meeting->failed);
}
