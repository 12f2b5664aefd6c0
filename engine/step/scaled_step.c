#include "engine/step/scaled_step.h"

#include "engine/base/record.h"

#include <math.h>
#include <string.h>

/* Levels with fewer groups are left to one thread: the others would wait longer than they work. */
enum { SHARED_GROUPS_MIN = 32 };

static void wait_for_all(const scaled_thread *t) {
  parallel_wait(t->barrier, t->threads);
}

static parallel_range own_groups(const scaled_thread *t, const scaled_level *l) {
  return parallel_split(l->system.rows.group_count, t->thread, t->threads);
}

static void cycle(const scaled_thread *t, int level);

/* z = S^-1 r + P C' P' (r - B S^-1 r), of which each thread has its rows when all have come. */
static void correct_from_next(const scaled_thread *t, int level, parallel_range own) {
  const scaled_level *l = &t->scaling->levels[level], *next = l + 1;
  const sparse_kernel *kernel = &t->kernels->sparse;
  const parallel_range next_own = own_groups(t, next);
  kernel->residual(&l->system, l->start, l->rest, own.first, own.last);
  wait_for_all(t);
  kernel->restrict_to(&l->restriction, l->rest, next->system.inverse, next->start, next_own.first,
                      next_own.last);
  cycle(t, level + 1);
  kernel->prolong(&l->prolongation, next->rest, l->start, l->z, own.first, own.last);
}

static void fill_quads(const sparse_vector *v, parallel_range own) {
  for (int32_t i = own.first * SPARSE_GROUP; v->quads && i < own.last * SPARSE_GROUP; i++)
    for (size_t c = 0; c < 3; c++)
      v->quads[(size_t)i * RECORD_QUAD + c] = v->at[c * v->stride + (size_t)i];
}

/* In the last level there is nothing to correct. */
static void copy_start(const scaled_level *l, parallel_range own) {
  const size_t first = (size_t)own.first * SPARSE_GROUP,
               count = (size_t)(own.last - own.first) * SPARSE_GROUP;
  for (size_t c = 0; c < 3; c++)
    memcpy(l->z.at + c * l->z.stride + first, l->start.at + c * l->start.stride + first,
           count * sizeof(msd_real));
  fill_quads(&l->z, own);
}

/* All of a cycle but the last smoothing, of a level whose `start` each thread has written its rows of; all
   have come when it returns. */
static void correct(const scaled_thread *t, int level, parallel_range own) {
  if (level == 0)
    fill_quads(&t->scaling->levels[0].start, own);
  wait_for_all(t);
  if (level + 1 < t->scaling->level_count)
    correct_from_next(t, level, own);
  else
    copy_start(&t->scaling->levels[level], own);
  wait_for_all(t);
}

/* `rest` = C' r of a level that is not the first. All have come when it returns. */
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

void scaled_apply(const scaled_thread *t) {
  const scaled_level *l = &t->scaling->levels[0];
  const parallel_range own = own_groups(t, l);
  correct(t, 0, own);
  t->kernels->sparse.finish(&l->system, l->start, l->z, own.first, own.last);
}

/* The sum of a vector over each free body, over the mass of the body, block by block and then body by body,
   whoever does it. With inverse masses each number is taken times its mass. */
static void sum_bodies(const scaled_thread *t, const msd_real *inverse_mass, sparse_vector of,
                       double (*sums)[3]) {
  const free_bodies *f = &t->scaling->free;
  const parallel_range blocks = parallel_split(f->block_count, t->thread, t->threads);
  const parallel_range bodies = parallel_split(f->body_count, t->thread, t->threads);
  wait_for_all(t);
  for (int32_t n = blocks.first; n < blocks.last; n++) {
    double sum[3] = {0};
    for (int32_t at = f->first_slot[n]; at < f->first_slot[n + 1]; at++) {
      const double mass = inverse_mass ? 1 / (double)inverse_mass[f->slots[at]] : 1;
      for (size_t c = 0; c < 3; c++)
        sum[c] += mass * (double)of.at[c * of.stride + (size_t)f->slots[at]];
    }
    for (int c = 0; c < 3; c++)
      f->block_sum[n][c] = sum[c];
  }
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
static void find_means(const scaled_thread *t, const spring_input *in) {
  sum_bodies(t, in->net->inverse_mass, t->scaling->levels[0].start, t->scaling->free.mean);
}

/* The free body of a slot; -1: it is in none. */
static int32_t body_of(const mass_scaling *s, int32_t slot) {
  return s->free.body_count > 0 ? s->free.body[slot] : -1;
}

/* So many groups are moved while what C made of them is in the nearest cache. */
enum { MOVED_GROUPS = 16 };

/* Ends the cycle and moves what nothing is to be taken from. */
static bool finish_and_move(const scaled_thread *t, const spring_input *in, parallel_range own) {
  const scaled_level *l = &t->scaling->levels[0];
  const sparse_kernel *kernel = &t->kernels->sparse;
  bool finite = true;
  for (int32_t first = own.first; first < own.last; first += MOVED_GROUPS) {
    const int32_t last = first + MOVED_GROUPS < own.last ? first + MOVED_GROUPS : own.last;
    kernel->finish(&l->system, l->start, l->z, first, last);
    finite = kernel->move(in, l->start, NULL, NULL, first, last) && finite;
  }
  return finite;
}

bool scaled_step(const scaled_thread *t, const spring_input *in, const msd_real *acting) {
  const scaled_level *first = &t->scaling->levels[0];
  const free_bodies *free = &t->scaling->free;
  const parallel_range own = own_groups(t, first);
  network net = *in->net;
  net.inverse_mass = first->system.inverse;
  spring_input forces = *in;
  forces.net = &net;
  forces.force = acting;
  forces.gravity[0] = forces.gravity[1] = forces.gravity[2] = 0;
  /* S^-1 f. */
  t->kernels->springs.accelerations(&forces, first->start.at, own.first, own.last);
  if (free->body_count == 0) {
    correct(t, 0, own);
    return finish_and_move(t, in, own);
  }
  scaled_apply(t);
  find_means(t, in);
  return t->kernels->sparse.move(in, first->start, free->body, free->mean, own.first, own.last);
}

/* ------------------------------------------------------------------------------------- behind a substep */

void scaled_begin_change(const scaled_thread *t, const spring_input *in) {
  const scaled_level *first = &t->scaling->levels[0];
  const parallel_range own = own_groups(t, first);
  const size_t begin = (size_t)own.first * NETWORK_GROUP,
               count = (size_t)(own.last - own.first) * NETWORK_GROUP;
  for (size_t c = 0; c < 3; c++)
    memcpy(first->start.at + c * first->start.stride + begin,
           in->write.slab + (c + VELOCITY_X) * in->stride + begin, count * sizeof *in->write.slab);
}

/* r becomes the impulses in N s, and the velocities what they were before. */
static bool take_impulses(const scaled_thread *t, const spring_input *in, int32_t first, int32_t last) {
  const sparse_vector r = t->scaling->levels[0].start;
  bool some = false;
  for (size_t c = 0; c < 3; c++) {
    msd_real *kept = r.at + c * r.stride, *v = in->write.slab + (c + VELOCITY_X) * in->stride;
    for (int32_t i = first; i < last; i++) {
      const msd_real inverse = in->net->inverse_mass[i], change = inverse > 0 ? v[i] - kept[i] : 0;
      some = some || change != 0;
      v[i] = inverse > 0 ? kept[i] : v[i];
      kept[i] = change != 0 ? change / inverse : 0;
    }
  }
  return some;
}

/* What moves a free body as a whole is taken out of r, of which the cycle then begins with S^-1 r. */
static void take_out_whole(const scaled_thread *t, const spring_input *in, int32_t first, int32_t last) {
  const mass_scaling *s = t->scaling;
  const sparse_vector r = s->levels[0].start;
  for (size_t c = 0; c < 3; c++)
    for (int32_t i = first; i < last; i++) {
      const int32_t body = body_of(s, i);
      if (body >= 0)
        r.at[c * r.stride + (size_t)i] -=
            (msd_real)(s->free.pushed[body][c] / (double)in->net->inverse_mass[i]);
      r.at[c * r.stride + (size_t)i] *= s->levels[0].system.inverse[i];
    }
}

/* Component c of the unpinned slots first..last-1. */
static bool change(const scaled_thread *t, const spring_input *in, size_t c, int32_t first, int32_t last) {
  const mass_scaling *s = t->scaling;
  const sparse_vector by = s->levels[0].start;
  const msd_real *x = in->read.slab + c * in->stride, *inverse = in->net->inverse_mass;
  msd_real *next_x = in->write.slab + c * in->stride, *v = next_x + VELOCITY_X * in->stride;
  bool finite = true;
  for (int32_t i = first; i < last; i++) {
    const int32_t body = body_of(s, i);
    const double whole = body < 0 ? 0 : s->free.pushed[body][c] - s->free.mean[body][c];
    if (inverse[i] > 0)
      v[i] += by.at[c * by.stride + (size_t)i] + (msd_real)whole;
    next_x[i] = x[i] + in->time_step * v[i];
    finite = finite && isfinite(next_x[i]) && isfinite(v[i]);
  }
  return finite;
}

static bool some_acted(const scaled_thread *t) {
  for (int n = 0; n < t->threads; n++)
    if (t->scaling->acted[n])
      return true;
  return false;
}

bool scaled_end_change(const scaled_thread *t, const spring_input *in, bool *changed) {
  const parallel_range own = own_groups(t, &t->scaling->levels[0]);
  const int32_t first = own.first * NETWORK_GROUP, last = own.last * NETWORK_GROUP;
  t->scaling->acted[t->thread] = take_impulses(t, in, first, last);
  wait_for_all(t);
  *changed = some_acted(t);
  if (!*changed) {
    wait_for_all(t); /* the next change says anew who has acted */
    return true;
  }
  if (t->scaling->free.body_count > 0)
    sum_bodies(t, NULL, t->scaling->levels[0].start, t->scaling->free.pushed);
  take_out_whole(t, in, first, last);
  scaled_apply(t);
  if (t->scaling->free.body_count > 0)
    find_means(t, in);
  bool finite = true;
  for (size_t c = 0; c < 3; c++)
    finite = change(t, in, c, first, last) && finite;
  return finite;
}
