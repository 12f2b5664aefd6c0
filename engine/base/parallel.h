/* Threads: the only place that knows OpenMP and the schedulers of hosts. */
#ifndef MSD_ENGINE_BASE_PARALLEL_H
#define MSD_ENGINE_BASE_PARALLEL_H

#include <msd/tasks.h>

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { PARALLEL_THREADS_MAX = 256 };

/* Threads are those of OpenMP, or run tasks of a host's scheduler (msd/tasks.h): everything here that is given
   `tasks` takes OpenMP where they are NULL or have no functions. */

/* The number of threads to use at most for `particles` particles: `requested`, or for 0 as many as the
   machine or the host offers and the size may repay. 1 inside a run; without tasks also inside a parallel
   region of the host and in builds without OpenMP. At least 1. */
int parallel_threads(const msd_tasks *tasks, int requested, int32_t particles);

/* Finds out call by call whether threads pay, which on a busy machine they may not. Their number changes no
   bit of the result, so it may change at any time. Starts as all zeros.

   A call may do more than the one before, and takes longer then, whatever the number of threads is. So the
   choice that is kept is timed just before and just behind a call of the other one, and gives way to it where
   that was faster than both, twice in a row:

       all  all  all  one  all  all  ...       the first of several calls with all threads wakes them up, and is
             *    *    *         *             not timed */
typedef struct parallel_trial {
  /* For one unit of work, with all threads and with one: the last call, and the faster one of the last two; 0:
     not tried yet. */
  double last_seconds[2], seconds[2];
  /* Indices into these: of the call in progress, and of the one before; and how many ended with that. */
  int choice, last_choice;
  int64_t calls_alike;
  /* The one that is kept, and what it took when the other was tried. */
  int kept;
  double before;
  /* 0: the kept one is used; 1: the other is tried; 2: the kept one is timed behind it. */
  int stage;
  /* How often in a row the other has won. How many calls there were since it was tried last, and for how many
     it is not tried again. */
  int wins;
  int64_t calls;
  double calls_between;
} parallel_trial;

/* Returns the threads for the next call, 1 or `most`. Afterwards _end is told the seconds per unit of work. */
int parallel_trial_begin(parallel_trial *t, int most);
void parallel_trial_end(parallel_trial *t, double seconds);

/* Of `units` units of work, how many to give the next call: all, but where it tries one thread of at most
   `most`, and a few units take a while already at the pace of all threads. Where one is all there is nothing is
   tried. */
int parallel_trial_units(const parallel_trial *t, int most, int units);

/* Seconds of a clock that only goes forward. */
double parallel_clock(void);

/* Runs task(context, thread, threads) once for each thread in 0..threads-1, and returns when all are done.
   The tasks are told how many threads the run really has: fewer than asked for when the machine has no more,
   when a host's threads are busy elsewhere, and one in a forked child of a process that had several. Each
   thread has the default floating-point environment.

   They all run at the same time, so they may wait for each other. A scheduler need not provide that: what is
   given to it is an invitation to a run, taken up by the threads that come in time. Those that come later, or
   that are this one, leave at once. */
typedef void parallel_task(void *context, int thread, int threads);
void parallel_run(const msd_tasks *tasks, int threads, parallel_task *task, void *context);

/* One thread's share first..last-1 of 0..count-1. */
typedef struct parallel_range {
  int32_t first, last;
} parallel_range;
parallel_range parallel_split(int32_t count, int thread, int threads);

/* Pieces of work of which nobody knows before what they take, by their numbers: a thread takes those of its own
   share from the first to the last, and then those that others have left, from their last ones on. So most are
   done by the thread that did them before, and has what they need, and nobody waits for a slower one. Which
   thread takes a piece may be another one each time, so nothing of the result may depend on it. One pile for
   each thread, all zeros when nothing has been dealt. */
typedef struct parallel_pile {
  /* The first one that is left, and the end of them. */
  _Alignas(64) atomic_uint_least64_t left;
  /* Cores ask for lines in pairs. */
  _Alignas(64) char apart;
} parallel_pile;

/* Each thread of the run deals its own share of 0..count-1, and they meet before one takes a piece. */
void parallel_deal(parallel_pile *piles, int32_t count, int thread, int threads);

/* The next piece for a thread; -1: there is none. */
int32_t parallel_take(parallel_pile *piles, int thread, int threads);

/* A barrier that spins for a while and then yields: a substep is microseconds, and the barrier of a runtime
   sleeps for milliseconds when there are more threads than cores. Starts as all zeros. */
typedef struct parallel_barrier {
  _Alignas(64) atomic_int arrived;
  _Alignas(64) atomic_int round;
} parallel_barrier;

/* Waits until all `threads` threads of the run have arrived; what they wrote before is then visible. */
void parallel_wait(parallel_barrier *barrier, int threads);

/* Where one thread of a run tells those that wait for it, and for no other, how many rounds it has done. */
typedef struct parallel_post {
  _Alignas(64) atomic_int round;
  /* Cores ask for lines in pairs. */
  _Alignas(64) char apart;
} parallel_post;

void parallel_post_begin(parallel_post *post);

/* What was written before is visible to who has waited for that round. */
void parallel_post_round(parallel_post *post, int round);
void parallel_await_round(parallel_post *post, int round);

/* Where the threads of a run meet after each of its rounds, which are numbered upwards. The run ends for all
   after the first round in which one of them failed. */
typedef struct parallel_meeting {
  parallel_barrier barrier;
  /* The round that failed; INT_MAX: none. */
  atomic_int failed;
} parallel_meeting;

void parallel_meeting_begin(parallel_meeting *meeting);

/* Waits for all, and returns whether all have succeeded in that round. */
bool parallel_meet(parallel_meeting *meeting, int threads, int round, bool well);

/* The round in which some thread failed; INT_MAX: none. */
int parallel_meeting_failed(const parallel_meeting *meeting);

#endif
