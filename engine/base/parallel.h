/* Threads: the only place that knows OpenMP. */
#ifndef MSD_ENGINE_BASE_PARALLEL_H
#define MSD_ENGINE_BASE_PARALLEL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Most threads to use for `particles` particles: `requested`, or for 0 as many as the machine offers and the
   size may repay. 1 inside a parallel region of the host and in builds without OpenMP. At least 1. */
int parallel_threads(int requested, int32_t particles);

/* Finds by trying whether threads pay, call by call: on a machine that is busy with something else they may
   not. Their number changes no bit of the result, so it may change at any time. Start with all zero. */
typedef struct parallel_trial {
  double seconds[2]; /* for one unit of work, lately, with one thread and with all; 0: not tried yet */
  int64_t calls;
  int way; /* of the call in progress: 0 one thread, 1 all */
} parallel_trial;

/* Threads for the next call, 1 or `most`; and what to say after it: the seconds that a unit of work took. */
int parallel_trial_begin(parallel_trial *t, int most);
void parallel_trial_end(parallel_trial *t, double seconds);

/* Seconds of a clock that only goes forward; 0 in builds without OpenMP, which have nothing to time. */
double parallel_clock(void);

/* Runs task(context, thread, threads) once for each thread in 0..threads-1, and returns when all are done.
   `threads` is what the run really has: at most what was asked for, fewer when the machine has no more to
   give, and one in a forked child of a process that had several. Each thread has the default floating-point
   environment. */
typedef void parallel_task(void *context, int thread, int threads);
void parallel_run(int threads, parallel_task *task, void *context);

/* The part first..last-1 of 0..count-1 that is one thread's. */
typedef struct parallel_range {
  int32_t first, last;
} parallel_range;
parallel_range parallel_split(int32_t count, int thread, int threads);

/* A barrier that spins for a while and then yields: a substep is microseconds, and the barrier of a runtime
   sleeps for milliseconds when there are more threads than cores. Start with all zero. */
typedef struct parallel_barrier {
  _Alignas(64) atomic_int arrived;
  _Alignas(64) atomic_int round;
} parallel_barrier;

/* Waits until all `threads` threads of the run have come; what they wrote before is then visible. */
void parallel_wait(parallel_barrier *barrier, int threads);

/* Where the threads of a run meet after each of its rounds, which are numbered upwards, and part for good
   after the first in which one of them failed. */
typedef struct parallel_meeting {
  parallel_barrier barrier;
  atomic_int failed; /* the round; INT_MAX: none yet */
} parallel_meeting;

void parallel_meeting_begin(parallel_meeting *meeting);

/* Waits for all, and returns whether all have done well in that round. */
bool parallel_meet(parallel_meeting *meeting, int threads, int round, bool well);

/* The round in which some thread failed; INT_MAX: none. */
int parallel_meeting_failed(const parallel_meeting *meeting);

#endif
