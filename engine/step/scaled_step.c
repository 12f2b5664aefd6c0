#include "engine/step/scaled_step.h"

#include "engine/base/min_max.h"
#include "engine/base/record.h"

#include <string.h>

/* Levels with fewer groups are processed by one thread, because barriers would cost more than the work. */
enum { SHARED_GROUPS_MIN = 32 };

static void wait_for_all(const scaled_thread *t) {
  parallel_wait(t->barrier, t->threads);
}

static parallel_range own_groups(const scaled_thread *t, const scaled_level *l) {
  if (l == t->scaling->levels)
    return t->groups;
  return parallel_split(l->system.rows.group_count, t->thread, t->threads);
}

static void cycle(const scaled_thread *t, int level);

/* z = S^-1 r + P C' P' (r - B S^-1 r). Each thread computes its own rows. */
static void correct_from_next(const scaled_thread *t, int level, parallel_range own) {
  const scaled_level *l = &t->scaling->levels[level], *next = l + 1;
  const sparse_kernel *kernel = &t->kernels->sparse;
  const parallel_range next_own = own_groups(t, next);
  kernel->residual(&l->system, l->start, l->rest, own.first, own.last);
  wait_for_all(t);
  kernel->restrict_to(&l->restriction, l->rest, next->system.inverse, next->start, next_own.first,
                      next_own.last);
  cycle(t, level + 1);
  kernel->prolong(&l->prolongation, (sparse_vector){next->start.at, next->start.stride, next->rest}, l->start,
                  l->z, own.first, own.last);
}

static void fill_quads(const scaled_thread *t, const sparse_vector *v, parallel_range own) {
  if (v->quads)
    t->kernels->sparse.fill_quads(*v, own.first, own.last);
}

/* The last level has no coarse correction. */
static void copy_start(const scaled_thread *t, const scaled_level *l, parallel_range own) {
  const size_t first = (size_t)own.first * SPARSE_GROUP,
               count = (size_t)(own.last - own.first) * SPARSE_GROUP;
  for (size_t c = 0; c < 3; c++)
    memcpy(l->z.at + c * l->z.stride + first, l->start.at + c * l->start.stride + first,
           count * sizeof(msd_real));
  fill_quads(t, &l->z, own);
}

/* A cycle without the last smoothing step. Each thread has written its rows of `start`. Ends with a
   barrier. */
static void correct(const scaled_thread *t, int level, parallel_range own) {
  if (level == 0)
    fill_quads(t, &t->scaling->levels[0].start, own);
  wait_for_all(t);
  if (level + 1 < t->scaling->level_count)
    correct_from_next(t, level, own);
  else
    copy_start(t, &t->scaling->levels[level], own);
  wait_for_all(t);
}

/* Computes `start` and `rest` = C' r of a level other than the first. Ends with a barrier. */
static void cycle(const scaled_thread *t, int level) {
  const scaled_level *l = &t->scaling->levels[level];
  if (t->threads > 1 && l->system.rows.group_count < SHARED_GROUPS_MIN) {
    scaled_thread alone = *t;
    alone.thread = 0;
    alone.threads = 1;
    wait_for_all(t);
    if (t->thread == 0)
      cycle(&alone, level);
    wait_for_all(t);
    return;
  }
  const parallel_range own = own_groups(t, l);
  correct(t, level, own);
  t->kernels->sparse.smooth(&l->system, l->start, l->z, l->rest, own.first, own.last);
  wait_for_all(t);
}

/* Groups that are moved together while their result of C is in the L1 cache. */
enum { MOVED_GROUPS = 16 };

/* Computes `start` = C r of the first level; each thread has written its rows of `start`. If `in` is not
   NULL, moves the groups of this thread too. Returns true if the moved particles are finite. */
static bool apply(const scaled_thread *t, const spring_input *in) {
  const scaled_level *l = &t->scaling->levels[0];
  const sparse_kernel *kernel = &t->kernels->sparse;
  const parallel_range own = own_groups(t, l);
  bool finite = true;
  correct(t, 0, own);
  for (int32_t first = own.first; first < own.last; first += MOVED_GROUPS) {
    const int32_t last = int_min(first + MOVED_GROUPS, own.last);
    kernel->smooth(&l->system, l->start, l->z, NULL, first, last);
    finite = (!in || kernel->move(in, l->start, NULL, NULL, first, last)) && finite;
  }
  return finite;
}

void scaled_apply(const scaled_thread *t) {
  apply(t, NULL);
}

/* Number of partial sums that are computed in parallel, to hide the latency of additions. */
enum { STRANDS = 4 };

/* Sum over the slots first..last-1, weighted by mass if has_masses is true. */
static void sum_slots(const free_components *f, bool has_masses, sparse_vector of, int32_t first,
                      int32_t last, double sum[3]) {
  double strand[STRANDS][3] = {{0}};
  for (int32_t at = first; at < last; at++) {
    const size_t slot = (size_t)f->slots[at];
    const double mass = has_masses ? f->slot_mass[slot] : 1;
    double *own = strand[(at - first) % STRANDS];
    for (size_t c = 0; c < 3; c++)
      own[c] += mass * (double)of.at[c * of.stride + slot];
  }
  for (int c = 0; c < 3; c++)
    sum[c] = (strand[0][c] + strand[1][c]) + (strand[2][c] + strand[3][c]);
}

/* Sums a vector over each free body, block by block and then body by body, and divides by the mass of the
   body. The order does not depend on the number of threads. With has_masses each value is weighted by the
   mass of its particle. */
static void sum_bodies(const scaled_thread *t, bool has_masses, sparse_vector of, double (*sums)[3]) {
  const free_components *f = &t->scaling->free;
  const parallel_range blocks = parallel_split(f->block_count, t->thread, t->threads);
  const parallel_range bodies = parallel_split(f->body_count, t->thread, t->threads);
  wait_for_all(t);
  for (int32_t n = blocks.first; n < blocks.last; n++)
    sum_slots(f, has_masses, of, f->first_slot[n], f->first_slot[n + 1], f->block_sum[n]);
  wait_for_all(t);
  for (int32_t body = bodies.first; body < bodies.last; body++)
    for (int c = 0; c < 3; c++) {
      double sum = 0;
      for (int32_t n = f->first_block[body]; n < f->first_block[body + 1]; n++)
        sum += f->block_sum[n][c];
      sums[body][c] = sum * f->inverse_mass[body];
    }
  wait_for_all(t);
}

/* The mean of C f in each free body. */
static void find_means(const scaled_thread *t) {
  sum_bodies(t, true, t->scaling->levels[0].start, t->scaling->free.mean);
}

msd_real *scaled_start(const mass_scaling *scaling) {
  return scaling->levels[0].start.at;
}

spring_input scaled_forces(const mass_scaling *scaling, const spring_input *in, const msd_real *acting,
                           network *net) {
  spring_input forces = *in;
  *net = *in->net;
  net->inverse_mass = scaling->levels[0].system.inverse;
  forces.net = net;
  forces.force = acting;
  forces.gravity[0] = forces.gravity[1] = forces.gravity[2] = 0;
  return forces;
}

bool scaled_step(const scaled_thread *t, const spring_input *in) {
  const scaled_level *first = &t->scaling->levels[0];
  const free_components *free = &t->scaling->free;
  const parallel_range own = own_groups(t, first);
  if (free->body_count == 0)
    return apply(t, in);
  scaled_apply(t);
  find_means(t);
  return t->kernels->sparse.move(in, first->start, free->body, free->mean, own.first, own.last);
}

/* --------------------------------------------------------------------------------------- after the kick */

void scaled_begin_change(const scaled_thread *t, const spring_input *in) {
  const scaled_level *first = &t->scaling->levels[0];
  const parallel_range own = own_groups(t, first);
  const size_t begin = (size_t)own.first * NETWORK_GROUP,
               count = (size_t)(own.last - own.first) * NETWORK_GROUP;
  for (size_t c = 0; c < 3; c++)
    memcpy(first->start.at + c * first->start.stride + begin,
           in->write.slab + (c + VELOCITY_X) * in->stride + begin, count * sizeof *in->write.slab);
}

static bool some_acted(const scaled_thread *t) {
  for (int n = 0; n < t->threads; n++)
    if (t->scaling->acted[n])
      return true;
  return false;
}

bool scaled_end_change(const scaled_thread *t, const spring_input *in, bool *changed) {
  const scaled_level *level = &t->scaling->levels[0];
  const free_components *free = &t->scaling->free;
  const sparse_kernel *kernel = &t->kernels->sparse;
  const parallel_range own = own_groups(t, level);
  const int32_t *body = free->body_count > 0 ? free->body : NULL;
  t->scaling->acted[t->thread] = kernel->take_impulses(in, level->start, own.first, own.last);
  wait_for_all(t);
  *changed = some_acted(t);
  if (!*changed) {
    wait_for_all(t); /* the next call overwrites `acted` */
    return true;
  }
  if (body)
    sum_bodies(t, false, level->start, free->pushed);
  /* Rigid translation of a free body bypasses C. */
  kernel->take_out(in, level->system.inverse, level->start, body, free->pushed, own.first, own.last);
  scaled_apply(t);
  if (body)
    find_means(t);
  return kernel->change(in, level->start, body, free->pushed, free->mean, own.first, own.last);
}
