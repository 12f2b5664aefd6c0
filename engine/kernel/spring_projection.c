#include "engine/kernel/spring_projection.h"

#include "engine/base/lane.h"
#include "engine/kernel/spring_force.h"

#include <math.h>

static double taken_share(double load) {
  return isfinite(load) ? load / (1 + load) : 1;
}

msd_real spring_projection_elastic(double stiffness, double inverse_mass, double time_step, bool rigid) {
  const double load = time_step * time_step * stiffness * inverse_mass;
  return (msd_real)((rigid && inverse_mass > 0 ? 1 : taken_share(load)) / time_step);
}

msd_real spring_projection_damper(double damping, double inverse_mass, double time_step) {
  return (msd_real)taken_share(time_step * damping * inverse_mass);
}

/* A spring that is taken, and the shares of its ends along d: w_a/(w |d|), which times d is a unit. */
typedef struct direction {
  msd_real d[3];
  msd_real length, share_a, share_b;
} direction;

/* At the positions after `ahead` seconds. False where there is none, or nothing moves. */
static bool direction_of(const spring_projection_thread *t, const spring_impulse *s, msd_real ahead,
                         direction *out) {
  const msd_real wa = t->net->inverse_mass[s->a], wb = t->net->inverse_mass[s->b];
  msd_real square = 0;
  for (size_t c = 0; c < 3; c++) {
    const msd_real *x = t->position + c * t->stride, *v = t->velocity + c * t->stride;
    out->d[c] = (x[s->a] - x[s->b]) + ahead * (v[s->a] - v[s->b]);
    square += out->d[c] * out->d[c];
  }
  out->length = lane_sqrt(square + (msd_real)SPRING_TINY);
  const msd_real shared = (wa + wb) * out->length;
  if (square == 0 || !(shared > 0))
    return false;
  const msd_real inverse = 1 / shared;
  out->share_a = wa * inverse;
  out->share_b = wb * inverse;
  return true;
}

static void give(const spring_projection_thread *t, const spring_impulse *s, const direction *d,
                 msd_real change) {
  const msd_real at_a = change * d->share_a, at_b = change * d->share_b;
  for (size_t c = 0; c < 3; c++) {
    msd_real *v = t->velocity + c * t->stride;
    if (d->share_a > 0)
      v[s->a] += at_a * d->d[c];
    if (d->share_b > 0)
      v[s->b] -= at_b * d->d[c];
  }
}

/* What `change` leaves of l, and what of it is allowed: l of a tether is 0 or less. */
static msd_real cut_to_side(msd_real side, msd_real *so_far, msd_real change) {
  const msd_real whole = *so_far + change, kept = side * whole > 0 ? 0 : whole;
  change = kept - *so_far;
  *so_far = kept;
  return change;
}

static msd_real side_of(const spring_projection_thread *t, const spring_impulse *s) {
  return t->side ? network_side(t->side[s->index]) : 0;
}

static void project(const spring_projection_thread *t, const spring_impulse *s, msd_real *so_far) {
  const msd_real rest = t->net->rest[s->lane];
  direction d;
  if (!(rest >= 0) || s->stiffness == 0 || !direction_of(t, s, t->time_step, &d))
    return;
  const msd_real p = s->stiffness, kept = 1 - p * t->time_step;
  const msd_real change = -(p * (d.length - rest) + (kept > 0 ? kept : 0) * *so_far);
  give(t, s, &d, cut_to_side(side_of(t, s), so_far, change));
}

static void damp(const spring_projection_thread *t, const spring_impulse *s, msd_real *so_far) {
  const msd_real rest = t->net->rest[s->lane], p = s->damping;
  direction d;
  if (!(rest >= 0) || p == 0 || !direction_of(t, s, 0, &d))
    return;
  const msd_real side = side_of(t, s);
  if (side != 0 && side * (d.length - rest) <= 0)
    return;
  msd_real rate = 0;
  for (size_t c = 0; c < 3; c++) {
    const msd_real *v = t->velocity + c * t->stride;
    rate += (v[s->a] - v[s->b]) * d.d[c];
  }
  const msd_real change = -(p * (rate / d.length) + (1 - p) * *so_far);
  *so_far += change;
  give(t, s, &d, change);
}

/* A sweep, on one thread. */
typedef struct sweep {
  const spring_projection_thread *thread;
  bool damps, goes_back;
} sweep;

static void sweep_range(const void *context, parallel_range range) {
  const sweep *w = context;
  const spring_impulses *all = w->thread->springs;
  for (int32_t k = range.first; k < range.last; k++) {
    const int32_t n = w->goes_back ? range.last - 1 - (k - range.first) : k;
    msd_real *so_far = &all->given[n];
    if (!w->goes_back)
      *so_far = 0;
    if (w->damps)
      damp(w->thread, &all->items[n], so_far);
    else
      project(w->thread, &all->items[n], so_far);
  }
}

static void sweep_both_ways(const spring_projection_thread *t, bool damps) {
  const sweep forward = {t, damps, false}, back = {t, damps, true};
  coloring_run(&t->springs->colors, sweep_range, &forward, t->barrier, t->thread, t->threads);
  coloring_run_back(&t->springs->colors, sweep_range, &back, t->barrier, t->thread, t->threads);
}

void spring_projection_damp(const spring_projection_thread *t) {
  if (t->springs->is_damped)
    sweep_both_ways(t, true);
}

void spring_projection_project(const spring_projection_thread *t) {
  sweep_both_ways(t, false);
}
