#include "engine/base/ordered.h"

/* The size of the terms of a round, the minimum number of terms per thread, and the maximum number of
   threads. One thread consumes all terms, so more than a few threads would wait for it. Rounds are long,
   because waiting is expensive if there are more threads than processors. */
enum { ROUND_BYTES = 64 << 10, SHARE_LEAST = 32, THREADS_MOST = 4 };

/* Double buffering: while one thread consumes the terms of a round, the others compute those of the next
   one. */
typedef struct rounds {
  const ordered_work *work;
  int32_t count, items;
  parallel_barrier barrier;
  _Alignas(64) unsigned char terms[2][ROUND_BYTES];
} rounds;

static void run_rounds(void *context, int thread, int threads) {
  rounds *r = context;
  const ordered_work *work = r->work;
  int turn = 0;
  for (int32_t left = r->count; left > 0; turn = 1 - turn) {
    const int32_t first = r->count - left, some = left < r->items ? left : r->items;
    const parallel_range own = parallel_split(some, thread, threads);
    work->make(work->context, first + own.first, own.last - own.first,
               r->terms[turn] + (size_t)own.first * work->term);
    if (threads > 1)
      parallel_wait(&r->barrier, threads);
    if (thread == 0)
      work->take(work->context, first, some, r->terms[turn]);
    left -= some;
  }
}

void ordered_run(const msd_tasks *tasks, int threads, int32_t count, const ordered_work *work) {
  rounds r; /* the terms are uninitialized */
  r.work = work;
  r.count = count;
  r.items = (int32_t)(ROUND_BYTES / work->term);
  r.barrier = (parallel_barrier){0};
  const int busy = (count < r.items ? count : r.items) / SHARE_LEAST + 1,
            most = busy < THREADS_MOST ? busy : THREADS_MOST;
  parallel_run(tasks, threads < most ? threads : most, run_rounds, &r);
}
