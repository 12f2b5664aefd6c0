#include "engine/contact/self_contact.h"

/* What the threads of a run share that find what sticks. */
typedef struct holding {
  near_pairs *near;
  const self_contact_end *at;
} holding;

static void hold(void *context, int thread, int threads) {
  const holding *h = context;
  near_kernel_choose(h->at->simd)
      ->hold(h->near, h->at->positions, h->at->stride, parallel_split(h->near->group_count, thread, threads));
}

/* Fewer groups than that take one thread as long as several. */
enum { FEW_GROUPS = 256 };

static void take_grips(self_contact *c, grips *to, const self_contact_end *at) {
  holding h = {&c->near, at};
  const int threads = c->near.group_count < FEW_GROUPS ? 1 : at->threads;
  parallel_run(at->tasks, threads, hold, &h);
  c->near.has_followed = false;
  grips_take(to, &c->near, at->particle, at->tasks, threads);
}

/* A step that was stopped before its first substep has left all as it was. */
void self_contact_hold(self_contact *c, const self_contact_end *end) {
  const bool is_known = c->is_listed && c->is_chosen;
  if (is_known && c->near.count > 0)
    take_grips(c, &c->look.grips, end);
  else if (is_known || c->mesh.touches_nothing)
    self_contact_let_go(c);
}

void self_contact_let_go(self_contact *c) {
  if (c->look.grips.count > 0)
    grips_clear(&c->look.grips);
}

const grips *self_contact_grips(const self_contact_step *s) {
  self_contact *c = s->contact;
  const self_contact_end at = {s->before, s->stride, s->tangles->particle, s->tasks, s->threads, s->simd};
  grips *held = c->is_chosen ? &c->grips : &c->look.grips;
  if (c->is_chosen && c->near.count > 0)
    take_grips(c, held, &at);
  else if (c->is_chosen)
    grips_clear(held);
  grips_index(held, s->tasks, s->threads);
  return held;
}
