/* Threads: the only place that knows OpenMP. */
#ifndef MSD_PARALLEL_H
#define MSD_PARALLEL_H

#include <stdatomic.h>
#include <stdint.h>

/* Threads to use for `particles` particles: `requested`, or for 0 as many as the machine offers and the size
   repays. 1 inside a parallel region of the host and in builds without OpenMP. At least 1. */
int parallel_threads(int requested, int32_t particles);

/* Runs task(context, thread, threads) once for each thread in 0..threads-1, and returns when all are done.
   `threads` is what the run really has, at most what was asked for. */
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

#endif
