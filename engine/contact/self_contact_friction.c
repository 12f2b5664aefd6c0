#include "engine/contact/self_contact.h"

/* Shared by the threads that compute tangential displacements. */
typedef struct holding {
  near_pairs *near;
  const self_contact_end *at;
} holding;

static void hold(void *context, int thread, int threads) {
  const holding *h = context;
  near_kernel_choose(h->at->simd)
      ->hold(h->near, h->at->positions, h->at->stride, parallel_split(h->near->group_count, thread, threads));
}

/* Below this number of groups one thread is as fast as several. */
enum { FEW_GROUPS = 256 };

static void take_friction_cache(self_contact *c, friction_cache *to, const self_contact_end *at) {
  holding h = {&c->near, at};
  const int threads = c->near.group_count < FEW_GROUPS ? 1 : at->threads;
  parallel_run(at->tasks, threads, hold, &h);
  c->near.has_followed = false;
  friction_cache_take(to, &c->near, at->particle, at->tasks, threads);
}

/* A step that was canceled before its first substep leaves the cache unchanged. */
void self_contact_hold(self_contact *c, const self_contact_end *end) {
  const bool is_known = c->is_listed && c->is_chosen;
  if (is_known && c->near.count > 0)
    take_friction_cache(c, &c->cache.friction_cache, end);
  else if (is_known || c->mesh.touches_nothing)
    self_contact_let_go(c);
}

void self_contact_let_go(self_contact *c) {
  if (c->cache.friction_cache.count > 0)
    friction_cache_clear(&c->cache.friction_cache);
}

const friction_cache *self_contact_friction(const self_contact_step *s) {
  self_contact *c = s->contact;
  const self_contact_end at = {s->before, s->stride,  s->penetrations->particle,
                               s->tasks,  s->threads, s->simd};
  friction_cache *held = c->is_chosen ? &c->friction_cache : &c->cache.friction_cache;
  if (c->is_chosen && c->near.count > 0)
    take_friction_cache(c, held, &at);
  else if (c->is_chosen)
    friction_cache_clear(held);
  friction_cache_index(held, s->tasks, s->threads);
  return held;
}
