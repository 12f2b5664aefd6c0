#include "engine/step/projected_step.h"

#include "engine/kernel/records.h"
#include "engine/store/particle.h"

#include <math.h>
#include <string.h>

typedef struct own_slots {
  size_t first, last;
} own_slots;

/* One thread of a run. */
typedef struct worker {
  const projected_run *run;
  parallel_barrier *barrier;
  int thread, threads;
} worker;

static void begin(const spring_input *in, own_slots own) {
  for (size_t c = 0; c < COMPONENTS; c++)
    memcpy(in->write.slab + c * in->stride + own.first, in->read.slab + c * in->stride + own.first,
           (own.last - own.first) * sizeof *in->write.slab);
}

/* Applies gravity, applied forces and linear damping. */
static void kick(const spring_input *in, own_slots own) {
  for (size_t c = 0; c < 3; c++) {
    const msd_real *force = in->force ? in->force + c * in->stride : NULL;
    msd_real *v = in->write.slab + (c + VELOCITY_X) * in->stride;
    for (size_t i = own.first; i < own.last; i++) {
      const msd_real inverse = in->net->inverse_mass[i];
      if (inverse > 0)
        v[i] = (v[i] + in->dt * ((force ? force[i] * inverse : 0) + in->gravity[c])) * in->decay;
    }
  }
}

static bool drift(const spring_input *in, own_slots own) {
  bool finite = true;
  for (size_t c = 0; c < 3; c++) {
    const msd_real *x = in->read.slab + c * in->stride;
    msd_real *next_x = in->write.slab + c * in->stride;
    const msd_real *v = next_x + VELOCITY_X * in->stride;
    const msd_real *force = in->force ? in->force + c * in->stride : NULL;
    for (size_t i = own.first; i < own.last; i++) {
      next_x[i] = x[i] + in->dt * v[i];
      if (in->loose && in->loose[i] > 0)
        next_x[i] -=
            in->dt * in->dt / 2 * ((force ? force[i] * in->net->inverse_mass[i] : 0) + in->gravity[c]);
      finite = finite && isfinite(next_x[i]) && isfinite(v[i]);
    }
  }
  return finite;
}

static void hold_tethers(const worker *w, const spring_input *in, own_slots own) {
  if (w->run->tethers)
    tether_projections_hold(
        w->run->tethers, w->run->hard_limits,
        &(tether_state){in->read.slab, in->write.slab + VELOCITY_X * in->stride, in->stride, in->dt},
        own.first, own.last);
}

/* Runs one Gauss-Seidel sweep over all springs or all dampers. Copies the slots of the thread to the records
   before and back after. */
static void sweep(const worker *w, const spring_input *in, own_slots own, bool damps) {
  const spring_projection_thread springs = {.springs = w->run->springs,
                                            .kernel = w->run->kernels->projections,
                                            .net = in->net,
                                            .dt = in->dt,
                                            .barrier = w->barrier,
                                            .thread = w->thread,
                                            .threads = w->threads};
  msd_real *records = w->run->springs->records + RECORD_SIZE;
  records_from_slab(in->write.slab, in->stride, records, own.first, own.last);
  parallel_wait(w->barrier, w->threads);
  if (damps)
    spring_projection_damp(&springs);
  else
    spring_projection_project(&springs);
  records_to_slab(records, in->write.slab, in->stride, own.first, own.last);
}

bool projected_step(const projected_run *run, const spring_input *in, parallel_barrier *barrier, int thread,
                    int threads) {
  const worker w = {run, barrier, thread, threads};
  const parallel_range groups = parallel_split(in->net->group_count, thread, threads);
  const own_slots own = {(size_t)groups.first * NETWORK_GROUP, (size_t)groups.last * NETWORK_GROUP};
  begin(in, own);
  if (run->springs->is_damped)
    sweep(&w, in, own, true);
  kick(in, own);
  if (run->tethers)
    parallel_wait(barrier, threads); /* pins that other threads read are in place */
  hold_tethers(&w, in, own);
  sweep(&w, in, own, false);
  hold_tethers(&w, in, own);
  return drift(in, own);
}
