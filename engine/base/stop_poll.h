/* Stopping inside a substep: the calling thread asks a callback now and then, and all threads see the
   answer. */
#ifndef MSD_ENGINE_BASE_STOP_POLL_H
#define MSD_ENGINE_BASE_STOP_POLL_H

#include "engine/base/parallel.h"

typedef struct stop_poll {
  /* NULL: never stopped. */
  bool (*ask)(void *context);
  void *context;
  /* s: the least time between two questions. After the answer `stop` a substep may still end within `grace`. */
  double period, grace;
  /* When the callback was last asked; when it said stop, and whether it did. Only the calling thread uses
     them. */
  double asked_at, answered_at;
  bool is_asked_to_stop;
  /* Threads are to abandon the substep. */
  atomic_bool is_stopped;
} stop_poll;

/* Items of a loop between two looks at the flag. */
enum { STOP_POLL_ITEMS = 16384 };

/* Asks at most ten times a second, and abandons a substep that does not end within another tenth. */
static inline stop_poll stop_poll_new(void) {
  return (stop_poll){.period = 0.1, .grace = 0.1};
}

/* Call when a frame begins. `ask` may be NULL. */
void stop_poll_begin(stop_poll *p, bool (*ask)(void *context), void *context);

/* Notes that the callback was just asked outside of a substep. */
void stop_poll_note_asked(stop_poll *p);

/* True if the substep is to be abandoned. Thread 0 of parallel_run, which is the calling thread, asks if it is
   time. NULL: never. */
bool stop_poll_ask(stop_poll *p, int thread);

static inline bool stop_poll_is_stopped(const stop_poll *p) {
  return p && atomic_load_explicit(&p->is_stopped, memory_order_relaxed);
}

/* Iterates over a range in parts, and ends early when stopped. Begin with an empty part at the start of the
   range. Without a callback the whole range is one part. */
bool stop_poll_next(stop_poll *p, int thread, parallel_range all, parallel_range *part);

#endif
