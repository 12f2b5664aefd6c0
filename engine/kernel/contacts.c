#include "engine/kernel/contacts.h"

#include "engine/kernel/chord_offset.h"
#include "engine/kernel/records.h"

static int32_t group_count(int32_t particles) {
  return (particles + CONTACT_GROUP - 1) / CONTACT_GROUP;
}

bool contact_work_make(contact_work *w, memory *m, int threads, int32_t colliders, const particle_store *p) {
  contact_work_free(w, m);
  w->motions = memory_allocate(m, (size_t)threads * (size_t)colliders * sizeof *w->motions);
  w->tallies = memory_allocate(m, (size_t)threads * sizeof *w->tallies);
  w->pushed_by = memory_allocate(m, (size_t)group_count(p->count) * CONTACT_GROUP * sizeof *w->pushed_by);
  w->given = particle_allocate_slab(p, m, 3, &w->given_block);
  w->clear = particle_allocate_slab(p, m, 1, &w->clear_block);
  w->is_pushed = memory_allocate(m, (size_t)group_count(p->count));
  if (!w->motions || !w->tallies || !w->pushed_by || !w->given || !w->clear || !w->is_pushed) {
    contact_work_free(w, m);
    return false;
  }
  w->threads = threads;
  w->colliders = colliders;
  w->stride = p->stride;
  w->particles = p->count;
  for (int32_t i = 0; i < group_count(p->count) * CONTACT_GROUP; i++)
    w->pushed_by[i] = -1;
  return true;
}

void contact_work_free(contact_work *w, memory *m) {
  memory_release(m, w->motions);
  memory_release(m, w->tallies);
  memory_release(m, w->pushed_by);
  memory_release(m, w->given_block);
  memory_release(m, w->clear_block);
  memory_release(m, w->chord_offset_block);
  memory_release(m, w->is_pushed);
  *w = (contact_work){0};
}

bool contact_work_measure(contact_work *w, memory *m, const particle_store *p, const surface_store *s) {
  memory_release(m, w->chord_offset_block);
  w->chord_offset_block = w->chord_offset = NULL;
  if (s->count == 0)
    return true;
  w->chord_offset = particle_allocate_slab(p, m, 1, &w->chord_offset_block);
  if (w->chord_offset)
    chord_offset_measure(w->chord_offset, p, s);
  return w->chord_offset != NULL;
}

void contact_work_forget_own(contact_work *w, size_t first, size_t last) {
  for (size_t i = first; i < last && i < (size_t)w->particles; i++)
    w->clear[i] = -1;
}

void contact_work_forget_clear(contact_work *w) {
  contact_work_forget_own(w, 0, (size_t)w->particles);
}

void contact_work_begin(contact_work *w) {
  for (int thread = 0; thread < w->threads; thread++)
    w->tallies[thread] = (contact_tally){0, 0};
  if (w->pushes)
    atomic_store_explicit(&w->pushes->count, 0, memory_order_relaxed);
}

contact_tally contact_work_sum(const contact_work *w) {
  contact_tally sum = {0, 0};
  for (int thread = 0; thread < w->threads; thread++) {
    sum.contacts += w->tallies[thread].contacts;
    sum.squeezed += w->tallies[thread].squeezed;
  }
  return sum;
}

void contact_begin(contact_thread *t) {
  contact_work *w = t->work;
  collider_motion *motions = w->motions + (size_t)t->thread * (size_t)w->colliders;
  t->motion_count = 0;
  t->reach = 0;
  for (int32_t c = 0; c < t->colliders->count; c++) {
    if (t->colliders->entries[c].is_gone)
      continue;
    collider_motion *made = &motions[t->motion_count++];
    *made = collider_motion_make(&t->colliders->entries[c], t->settings, t->share_before, t->share_behind);
    made->collider = c;
    t->reach = made->reach > t->reach ? made->reach : t->reach;
  }
  t->motions = motions;
  w->tallies[t->thread] = (contact_tally){0, 0};
}

bool contact_act_on(const contact_thread *t, parallel_range groups) {
  const contact_work *w = t->work;
  groups.last = int_min(groups.last, group_count(w->particles));
  bool finite = true;
  for (parallel_range part = {groups.first, groups.first};
       span_next(&t->awake, CONTACT_CHUNK, groups, &part);)
    finite = t->kernel(t, part.first, part.last) && finite;
  for (int32_t group = groups.first; group < groups.last && t->records; group++)
    if (w->is_pushed[group] || t->loose)
      records_from_slab(t->behind, t->stride, t->records, (size_t)group * CONTACT_GROUP,
                        ((size_t)group + 1) * CONTACT_GROUP);
  return finite;
}

bool contact_act(const contact_thread *given) {
  contact_thread t = *given;
  contact_begin(&t);
  return contact_act_on(&t, t.groups);
}
