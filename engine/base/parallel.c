#include "engine/base/parallel.h"

#include "engine/base/float_environment.h"
#include "engine/base/min_max.h"
#include "engine/base/thread_pool.h"

#include <limits.h>
#include <math.h>

/* The number of particles that justifies one more thread; half of it justifies the second thread. Measured
   with cloths and ropes on two cores. */
enum { PARTICLES_PER_THREAD = 512 };

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

static thread_offer offer_of(const msd_tasks *tasks) {
  if (is_running)
    return (thread_offer){1, 1};
  if (has_scheduler(tasks))
    return (thread_offer){tasks->worker_count, tasks->worker_count};
  return thread_pool_offer();
}

int parallel_threads(const msd_tasks *tasks, int requested, int32_t particles) {
  const thread_offer offered = offer_of(tasks);
  if (requested > 0)
    return int_min(requested, offered.limit);
  const int64_t paying = 1 + ((int64_t)particles + PARTICLES_PER_THREAD / 2) / PARTICLES_PER_THREAD;
  return paying < offered.usual ? (int)paying : offered.usual;
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

/* A nested parallel_run uses one thread. */
static void run_part(parallel_task *task, void *context, int thread, int threads) {
  const bool was_running = is_running;
  is_running = true;
  task(context, thread, threads);
  is_running = was_running;
}

/* ---------------------------------------------------------------------------------------------- balance */

/* What several threads have gained or lost so far, compared with one. In a run, a thread other than the caller
   saves the caller at most the time that it works, and the caller's waits are lost. On a busy machine a thread
   that others wait for may not run for milliseconds. Then the caller works alone, until the loss is at most
   LOSS_SHARE of its time. So several threads take at most that much longer than one thread, plus BALANCE_MAX
   and the loss of the last run. The balance is per calling thread, in s. */
static const double LOSS_SHARE = 0.05, BALANCE_MAX = 3e-3, BALANCE_AT_START = 1e-3;

/* s: the balance for which several threads are tried again. */
static const double BALANCE_TO_RETRY = 2e-4;

static _Thread_local double balance = BALANCE_AT_START;
static _Thread_local bool is_alone;

/* For tests. */
static atomic_bool needs_all_threads;

void parallel_require_all_threads(bool all) {
  atomic_store(&needs_all_threads, all);
}

bool parallel_is_alone(void) {
  return is_alone && !atomic_load_explicit(&needs_all_threads, memory_order_relaxed);
}

static void add_to_balance(double seconds) {
  balance = fmin(balance + seconds, BALANCE_MAX);
  is_alone = balance < (is_alone ? BALANCE_TO_RETRY : 0);
}

void parallel_work_alone(double seconds) {
  add_to_balance(LOSS_SHARE * seconds);
}

/* ------------------------------------------------------------------------------------------------- runs */

/* s: the maximum wait for threads to join a run, which is enough to wake them; and the maximum wait of a
   thread that joins for the run to open. It opens when the host has accepted the other tasks, or never if the
   host waits for this one first. */
static const double JOINING_MAX = 2e-4, OPENING_MAX = 1e-3;

/* The state of a place in a run. Threads that do not join before it closes are left out. */
enum { SHUT, OPEN, JOINED, STARTED, DONE, CLOSED };

typedef struct shared_run {
  parallel_task *task;
  void *context;
  int threads;
  bool is_loose;
} shared_run;

/* Of one additional thread. */
typedef struct place {
  wait_word state;
  const shared_run *run;
  int thread;
  /* The time that the thread has worked, in s. */
  double work;
  void *handle;
} place;

/* False if the run has not opened, or is closed. */
static bool join(place *p) {
  const double start = parallel_clock();
  while (wait_word_get(&p->state) == SHUT && parallel_clock() - start < OPENING_MAX)
    relax_processor();
  return wait_word_replace(&p->state, OPEN, p->run->is_loose ? STARTED : JOINED);
}

/* The task for a task system, enqueued once for each place. */
static void take_part(void *context) {
  place *p = context;
  if (is_running || !join(p))
    return;
  DEFAULT_FLOAT_ENVIRONMENT;
  wait_word_leave(&p->state, JOINED);
  const double start = parallel_clock(), waited = wait_word_seconds();
  run_part(p->run->task, p->run->context, p->thread, p->run->threads);
  p->work = parallel_clock() - start - (wait_word_seconds() - waited);
  wait_word_set(&p->state, DONE);
}

/* Returns the number of places whose tasks were accepted. */
static int open_places(const shared_run *r, place *places, const msd_tasks *tasks, bool are_own) {
  int count = 0;
  for (int n = 1; n < r->threads; n++) {
    place *p = &places[count];
    wait_word_begin(&p->state, are_own ? OPEN : SHUT);
    p->run = r;
    p->thread = count + 1;
    p->work = 0;
    p->handle = tasks->enqueue(take_part, p, tasks->context);
    count += p->handle != NULL;
  }
  for (int n = 0; n < count && !are_own; n++)
    wait_word_replace(&places[n].state, SHUT, OPEN);
  return count;
}

/* Waits until all threads have joined, but not long. */
static void wait_for_threads(const place *places, int count, bool are_own) {
  const bool waits = are_own && atomic_load_explicit(&needs_all_threads, memory_order_relaxed);
  const double start = parallel_clock();
  for (int n = 0; n < count; n++)
    while (wait_word_get(&places[n].state) == OPEN && (waits || parallel_clock() - start < JOINING_MAX))
      relax_processor();
}

static void close_places(place *places, int count) {
  for (int n = 0; n < count; n++)
    wait_word_replace(&places[n].state, OPEN, CLOSED);
}

/* Starts the threads that have joined. */
static void start_threads(shared_run *r, place *places, int count) {
  close_places(places, count);
  r->threads = 1;
  for (int n = 0; n < count; n++)
    if (wait_word_get(&places[n].state) == JOINED)
      places[n].thread = r->threads++;
  for (int n = 0; n < count; n++)
    wait_word_replace(&places[n].state, JOINED, STARTED);
}

static void run_shared(const msd_tasks *tasks, bool are_own, shared_run *r) {
  place places[PARALLEL_THREADS_MAX];
  const double start = parallel_clock();
  is_running = true;
  const int count = open_places(r, places, tasks, are_own);
  if (!r->is_loose || atomic_load_explicit(&needs_all_threads, memory_order_relaxed))
    wait_for_threads(places, count, are_own);
  if (!r->is_loose)
    start_threads(r, places, count);
  const double begin = parallel_clock(), waited = wait_word_seconds();
  run_part(r->task, r->context, 0, r->threads);
  is_running = false;
  const double end = parallel_clock(), work = end - begin - (wait_word_seconds() - waited);
  close_places(places, count);
  for (int n = 0; n < count; n++)
    wait_word_leave(&places[n].state, STARTED);
  double gained = work - (parallel_clock() - start);
  for (int n = 0; n < count; n++) {
    gained += fmin(places[n].work, work);
    tasks->finish(places[n].handle, tasks->context);
  }
  add_to_balance(gained);
}

static void run_alone(parallel_task *task, void *context) {
  const double start = parallel_clock();
  run_part(task, context, 0, 1);
  parallel_work_alone(parallel_clock() - start);
}

static void run(const msd_tasks *tasks, shared_run *r) {
  const bool are_own = !has_scheduler(tasks);
  if (r->threads <= 1 || is_running || (are_own && thread_pool_offer().limit <= 1)) {
    run_part(r->task, r->context, 0, 1);
  } else if (parallel_is_alone()) {
    run_alone(r->task, r->context);
  } else {
    const msd_tasks own = thread_pool_tasks(r->threads);
    run_shared(are_own ? &own : tasks, are_own, r);
  }
}

void parallel_run(const msd_tasks *tasks, int threads, parallel_task *task, void *context) {
  run(tasks, &(shared_run){.task = task, .context = context, .threads = threads});
}

void parallel_run_loose(const msd_tasks *tasks, int threads, parallel_task *task, void *context) {
  run(tasks, &(shared_run){.task = task, .context = context, .threads = threads, .is_loose = true});
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
  const unsigned round = wait_word_get(&barrier->round);
  if (atomic_fetch_add_explicit(&barrier->arrived, 1, memory_order_acq_rel) == threads - 1) {
    atomic_store_explicit(&barrier->arrived, 0, memory_order_relaxed);
    wait_word_set(&barrier->round, round + 1);
    return;
  }
  wait_word_leave(&barrier->round, round);
}

void progress_counter_begin(progress_counter *post) {
  wait_word_begin(&post->round, 0);
}

void progress_counter_publish(progress_counter *post, int round) {
  wait_word_set(&post->round, (unsigned)round);
}

void progress_counter_wait(progress_counter *post, int round) {
  for (unsigned now = wait_word_get(&post->round); now < (unsigned)round;)
    now = wait_word_leave(&post->round, now);
}

void phase_barrier_begin(phase_barrier *meeting) {
  atomic_init(&meeting->barrier.arrived, 0);
  wait_word_begin(&meeting->barrier.round, 0);
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
