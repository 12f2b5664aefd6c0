#include "engine/base/stop_poll.h"

#include "engine/base/min_max.h"

void stop_poll_begin(stop_poll *p, bool (*ask)(void *context), void *context) {
  p->ask = ask;
  p->context = context;
  p->is_asked_to_stop = false;
  atomic_store_explicit(&p->is_stopped, false, memory_order_relaxed);
  stop_poll_note_asked(p);
}

void stop_poll_note_asked(stop_poll *p) {
  if (p->ask)
    p->asked_at = parallel_clock();
}

static void ask_if_due(stop_poll *p) {
  double now = parallel_clock();
  if (!p->is_asked_to_stop && now - p->asked_at >= p->period) {
    p->is_asked_to_stop = p->ask(p->context);
    now = p->asked_at = p->answered_at = parallel_clock();
  }
  if (p->is_asked_to_stop && now - p->answered_at >= p->grace)
    atomic_store_explicit(&p->is_stopped, true, memory_order_relaxed);
}

bool stop_poll_ask(stop_poll *p, int thread) {
  if (p && p->ask && thread == 0 && !stop_poll_is_stopped(p))
    ask_if_due(p);
  return stop_poll_is_stopped(p);
}

bool stop_poll_next(stop_poll *p, int thread, parallel_range all, parallel_range *part) {
  if (stop_poll_ask(p, thread))
    return false;
  const int32_t left = all.last - part->last, most = p && p->ask ? STOP_POLL_ITEMS : left;
  *part = (parallel_range){part->last, part->last + int_min(left, most)};
  return part->first < part->last;
}
