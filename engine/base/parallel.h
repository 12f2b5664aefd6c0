/* Parallel runs, on threads of the engine (thread_pool.h) or of the host (msd/tasks.h). */
#ifndef MSD_ENGINE_BASE_PARALLEL_H
#define MSD_ENGINE_BASE_PARALLEL_H

#include "engine/base/wait_word.h"

#include <msd/tasks.h>

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { PARALLEL_THREADS_MAX = 256 };

/* Functions with a `tasks` argument use the engine's own threads if it is NULL or has no callbacks. */

/* The maximum number of threads for `particles` particles: `requested`, or for 0 a number that the machine or
   host offers and the size justifies. It is 1 inside parallel_run; without tasks also inside a parallel
   region of the host's OpenMP and in builds without OpenMP. At least 1. */
int parallel_threads(const msd_tasks *tasks, int requested, int32_t particles);

/* Measures whether several threads are faster than one, which they may not be on a busy machine. Results do
   not depend on the number of threads, so it may change at any time. Initially all zeros.

   A call may have more work than the previous one, and take longer with any number of threads. So the current
   choice is timed immediately before and after a call with the other choice. It is replaced if the other was
   faster than both, twice in a row:

       all  all  all  one  all  all  ...       the first of several calls with all threads wakes them up, and is
             *    *    *         *             not timed */
typedef struct thread_count_tuner {
  /* Seconds per unit of work, with all threads and with one: the last call, and the faster one of the last
     two; 0: not timed yet. */
  double last_seconds[2], seconds[2];
  /* Indices into these: of the current call and of the previous one; and the number of consecutive calls with
     that choice. */
  int choice, last_choice;
  int64_t calls_alike;
  /* The current choice, and its time before the trial of the other one. */
  int kept;
  double before;
  /* 0: the current choice is used; 1: the other is tried; 2: the current one is timed after it. */
  int stage;
  /* The number of trials in a row that the other choice has won; the calls since its last trial, and until
     the next one. */
  int wins;
  int64_t calls;
  double calls_between;
} thread_count_tuner;

/* Returns the number of threads for the next call, 1 or `most`. Call _end after it with the seconds per unit
   of work. */
int thread_count_tuner_begin(thread_count_tuner *t, int most);
void thread_count_tuner_end(thread_count_tuner *t, double seconds);

/* The number of `units` units of work for the next call. It is all of them, unless one of at most `most`
   threads is tried, and a few units take long enough with all threads. There are no trials if `most` is 1. */
int thread_count_tuner_units(const thread_count_tuner *t, int most, int units);

/* Runs task(context, thread, threads) once for each thread in 0..threads-1, and returns when all are done.
   `threads` is the actual number. It is lower than requested if the machine has fewer threads, if some do not
   come in time, and 1 if parallel_is_alone or in a forked child of a multithreaded process. Each thread has the
   default floating-point environment.

   All tasks run concurrently, so they may wait for each other. A task system need not guarantee that: its tasks
   only offer to join, and the threads that arrive in time take part. Those that arrive later, or on this same
   thread, return at once. */
typedef void parallel_task(void *context, int thread, int threads);
void parallel_run(const msd_tasks *tasks, int threads, parallel_task *task, void *context);

/* The same for tasks that do not wait for each other and take work until there is none. The calling thread
   begins at once; others join at any time, or never. `threads` is the requested number, so each call has an
   index below it. */
void parallel_run_loose(const msd_tasks *tasks, int threads, parallel_task *task, void *context);

/* True while runs of the calling thread use one thread only, because other programs take so much of the machine
   that several threads have been slower. Work that is done with one thread for this reason, outside of
   parallel_run, is reported in s. */
bool parallel_is_alone(void);
void parallel_work_alone(double seconds);

/* For tests: whether runs wait for all of the engine's own threads, however long they take. */
void parallel_require_all_threads(bool all);

/* The range first..last-1 of one thread, out of 0..count-1. */
typedef struct parallel_range {
  int32_t first, last;
} parallel_range;
parallel_range parallel_split(int32_t count, int thread, int threads);

/* Work stealing, for items of unknown cost, by index. A thread takes the items of its own range from the
   first to the last, then those that other threads have left, from their last ones on. So most items run on
   the same thread as before, whose caches have the data, and fast threads do not wait for slow ones. The
   thread of an item may change each time, so results must not depend on it. One queue per thread; all zeros
   is empty. */
typedef struct work_queue {
  /* The first remaining item, and the end, packed. */
  _Alignas(64) atomic_uint_least64_t left;
  /* Padding: cores prefetch lines in pairs. */
  _Alignas(64) char apart;
} work_queue;

/* Each thread fills its own queue with its range of 0..count-1. A barrier must follow before any thread takes
   an item. */
void work_queue_fill(work_queue *piles, int32_t count, int thread, int threads);

/* The next item for a thread; -1: none. */
int32_t work_queue_pop(work_queue *piles, int thread, int threads);

/* A barrier. Threads spin for a while, and then sleep. Initially all zeros. */
typedef struct parallel_barrier {
  _Alignas(64) atomic_int arrived;
  wait_word round;
} parallel_barrier;

/* Waits until all `threads` threads have arrived. Their previous writes are then visible. */
void parallel_wait(parallel_barrier *barrier, int threads);

/* A progress counter: one thread publishes the number of rounds that it has done, for the threads that wait
   for it. */
typedef struct progress_counter {
  wait_word round;
  /* Padding: cores prefetch lines in pairs. */
  _Alignas(64) char apart;
} progress_counter;

void progress_counter_begin(progress_counter *post);

/* Previous writes are visible to a thread that has waited for that round. */
void progress_counter_publish(progress_counter *post, int round);
void progress_counter_wait(progress_counter *post, int round);

/* A barrier after each round, with error propagation. Rounds are numbered in ascending order. All threads end
   after the first round in which one of them failed. */
typedef struct phase_barrier {
  parallel_barrier barrier;
  /* The round that failed; INT_MAX: none. */
  atomic_int failed;
} phase_barrier;

void phase_barrier_begin(phase_barrier *meeting);

/* Waits for all threads. Returns whether all have succeeded in that round. */
bool phase_barrier_wait(phase_barrier *meeting, int threads, int round, bool well);

/* The round in which some thread failed; INT_MAX: none. */
int phase_barrier_failed(const phase_barrier *meeting);

#endif
