#include "engine/step/settling.h"

#include <math.h>

static void settle_component(msd_real *x, msd_real *v, const msd_real *inverse_mass, int32_t count) {
  for (int32_t i = 0; i < count; i++) {
    const bool is_slow = inverse_mass[i] > 0 && (msd_real)fabs((double)v[i]) < SETTLING_LEAST;
    x[i] = is_slow && (msd_real)fabs((double)x[i]) < SETTLING_LEAST ? 0 : x[i];
    v[i] = is_slow ? 0 : v[i];
  }
}

/* An anchor's v is the one that it gave to the particle, and follows it. */
static void settle_anchor(double *v) {
  for (int c = 0; c < 3; c++)
    v[c] = fabs(v[c]) < (double)SETTLING_LEAST ? 0 : v[c];
}

void settling_apply(stepper *s, int64_t taken) {
  const particle_store *p = &s->model->particles;
  const anchor_store *anchors = &s->model->anchors;
  if (taken % SETTLING_SUBSTEPS != 0)
    return;
  for (size_t c = 0; c < 3; c++) {
    msd_real *x = p->slab[p->current] + c * p->stride;
    settle_component(x, x + 3 * p->stride, s->network.inverse_mass, p->count);
  }
  for (int32_t n = 0; n < anchors->work_count; n++) {
    settle_anchor(anchors->works[n].velocity[p->current]);
    settle_anchor(anchors->works[n].seen[p->current]);
  }
}
