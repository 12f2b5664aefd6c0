#include "engine/step/denormal_flush.h"

#include <math.h>

static void settle_component(msd_real *x, msd_real *v, const msd_real *inverse_mass, int32_t count) {
  for (int32_t i = 0; i < count; i++) {
    const bool is_slow = inverse_mass[i] > 0 && (msd_real)fabs((double)v[i]) < DENORMAL_FLUSH_LEAST;
    x[i] = is_slow && (msd_real)fabs((double)x[i]) < DENORMAL_FLUSH_LEAST ? 0 : x[i];
    v[i] = is_slow ? 0 : v[i];
  }
}

/* The velocity of a soft pin equals the one that it gave to the particle, so it is flushed too. */
static void settle_soft_pin(double *v) {
  for (int c = 0; c < 3; c++)
    v[c] = fabs(v[c]) < (double)DENORMAL_FLUSH_LEAST ? 0 : v[c];
}

void denormal_flush_apply(stepper *s, int64_t taken) {
  const particle_store *p = &s->model->particles;
  const soft_pin_store *soft_pins = &s->model->soft_pins;
  if (taken % DENORMAL_FLUSH_SUBSTEPS != 0)
    return;
  for (size_t c = 0; c < 3; c++) {
    msd_real *x = p->slab[p->current] + c * p->stride;
    settle_component(x, x + 3 * p->stride, s->network.inverse_mass, p->count);
  }
  for (int32_t n = 0; n < soft_pins->work_count; n++) {
    settle_soft_pin(soft_pins->works[n].velocity[p->current]);
    settle_soft_pin(soft_pins->works[n].seen[p->current]);
  }
}
