#include "engine/step/explicit_step.h"

#include "engine/step/extra_forces.h"
#include "engine/store/particle.h"

#include <math.h>

/* Offsets into the scratch memory, in components: accelerations (3), then a second set of them (3) or a
   complete stage state (6). */
enum { FIRST_ACCELERATION = 0, SECOND_ACCELERATION = 3, STAGE = 3 };

int integrator_evaluations(msd_integrator integrator) {
  return integrator == MSD_RK4 ? 4 : integrator == MSD_VELOCITY_VERLET ? 2 : 1;
}

msd_real *integrator_stage(const substep_inputs *run) {
  return run->integrator == MSD_RK4 ? run->scratch + STAGE * run->input.stride : NULL;
}

int integrator_scratch_components(msd_integrator integrator) {
  switch (integrator) {
  case MSD_EXPLICIT_EULER:
    return 3;
  case MSD_VELOCITY_VERLET:
    return 6;
  case MSD_RK4:
    return STAGE + COMPONENTS;
  default:
    return 0;
  }
}

/* Accelerations at `state`, which is `after` substeps later than the state that is read. */
static void accelerations_at(const worker *w, const msd_real *state, double after, int scratch_component) {
  spring_input in = w->run->input;
  sum_forces(w, state, w->elapsed + after * (double)in.dt);
  in.read = in.pins = (spring_source){.slab = state};
  for (parallel_range groups = no_part(w); next_part(w, &groups);)
    w->run->kernels->springs.accelerations(&in, w->run->scratch + (size_t)scratch_component * in.stride,
                                           groups.first, groups.last);
}

/* Calls `act` on the active particles of the thread. */
static void for_particles(const worker *w, void (*act)(const worker *w, size_t first, size_t last)) {
  for (parallel_range groups = no_part(w); next_part(w, &groups);)
    act(w, (size_t)groups.first * NETWORK_GROUP, (size_t)groups.last * NETWORK_GROUP);
}

/* Applies linear damping to unpinned particles. Returns true if every position and velocity is finite. */
static bool finish(const worker *w) {
  const spring_input *in = &w->run->input;
  bool finite = true;
  for (parallel_range groups = no_part(w); next_part(w, &groups);)
    for (int c = 0; c < 3; c++) {
      msd_real *x = w->write + (size_t)c * in->stride, *v = x + 3 * in->stride;
      for (size_t i = (size_t)groups.first * NETWORK_GROUP; i < (size_t)groups.last * NETWORK_GROUP; i++) {
        v[i] = in->net->inverse_mass[i] > 0 ? v[i] * in->decay : v[i];
        finite = finite && isfinite(x[i]) && isfinite(v[i]);
      }
    }
  return finite;
}

static void move_by_euler(const worker *w, size_t first, size_t last) {
  const size_t stride = w->run->input.stride;
  const msd_real dt = w->run->input.dt;
  for (size_t c = 0; c < 3; c++) {
    const msd_real *x = w->read + c * stride, *v = x + 3 * stride, *a = w->run->scratch + c * stride;
    msd_real *next_x = w->write + c * stride, *next_v = next_x + 3 * stride;
    for (size_t i = first; i < last; i++) {
      next_x[i] = x[i] + dt * v[i];
      next_v[i] = v[i] + dt * a[i];
    }
  }
}

/* x' = x + dt v, v' = v + dt a(x, v). */
bool explicit_euler_step(const worker *w) {
  accelerations_at(w, w->read, 0, FIRST_ACCELERATION);
  for_particles(w, move_by_euler);
  return finish(w);
}

static void predict(const worker *w, size_t first, size_t last) {
  const size_t stride = w->run->input.stride;
  const msd_real dt = w->run->input.dt, half = dt / 2;
  for (size_t c = 0; c < 3; c++) {
    const msd_real *x = w->read + c * stride, *v = x + 3 * stride, *a = w->run->scratch + c * stride;
    msd_real *next_x = w->write + c * stride, *next_v = next_x + 3 * stride;
    for (size_t i = first; i < last; i++) {
      next_x[i] = x[i] + dt * (v[i] + half * a[i]);
      next_v[i] = v[i] + dt * a[i];
    }
  }
}

static void mean_accelerations(const worker *w, size_t first, size_t last) {
  const size_t stride = w->run->input.stride;
  const msd_real half = w->run->input.dt / 2;
  for (size_t c = 0; c < 3; c++) {
    const msd_real *v = w->read + (c + 3) * stride, *a0 = w->run->scratch + c * stride,
                   *a1 = w->run->scratch + (c + SECOND_ACCELERATION) * stride;
    msd_real *next_v = w->write + (c + 3) * stride;
    for (size_t i = first; i < last; i++)
      next_v[i] = v[i] + half * (a0[i] + a1[i]);
  }
}

/* x' = x + dt v + dt^2/2 a0, v' = v + dt/2 (a0 + a(x', v + dt a0)). Damping is evaluated at a predicted
   velocity, which keeps order 2. */
bool velocity_verlet_step(const worker *w) {
  accelerations_at(w, w->read, 0, FIRST_ACCELERATION);
  for_particles(w, predict);
  parallel_wait(w->barrier, w->threads);
  accelerations_at(w, w->write, 1, SECOND_ACCELERATION);
  parallel_wait(w->barrier, w->threads);
  for_particles(w, mean_accelerations);
  return finish(w);
}

/* One of the four slopes k = (v, a) of RK4, evaluated at `state`, which is `after` substeps later than the
   initial state. It enters the sum with `weight`; the next stage is y + dt reach k. */
typedef struct slope {
  const msd_real *state;
  double after;
  msd_real weight, reach;
} slope;

static void add_slope(const worker *w, const slope *k, size_t first, size_t last) {
  const bool is_first = k->after == 0;
  const size_t stride = w->run->input.stride;
  const msd_real dt = w->run->input.dt, weight = k->weight, reach = k->reach;
  msd_real *stage = w->run->scratch + STAGE * stride;
  for (size_t c = 0; c < 3; c++) {
    const msd_real *x = w->read + c * stride, *v = x + 3 * stride, *a = w->run->scratch + c * stride,
                   *rates = k->state + (c + 3) * stride;
    msd_real *sum_x = w->write + c * stride, *sum_v = sum_x + 3 * stride, *stage_x = stage + c * stride,
             *stage_v = stage_x + 3 * stride;
    for (size_t i = first; i < last; i++) {
      const msd_real rate_x = rates[i], rate_v = a[i];
      sum_x[i] = is_first ? rate_x : sum_x[i] + weight * rate_x;
      sum_v[i] = is_first ? rate_v : sum_v[i] + weight * rate_v;
      stage_x[i] = x[i] + dt * reach * rate_x;
      stage_v[i] = v[i] + dt * reach * rate_v;
    }
  }
}

/* The first slope overwrites `write`; the others are added. */
static void rk4_slope(const worker *w, slope k) {
  accelerations_at(w, k.state, k.after, FIRST_ACCELERATION);
  parallel_wait(w->barrier, w->threads); /* all threads have read the stage, which is overwritten next */
  for (parallel_range groups = no_part(w); next_part(w, &groups);)
    add_slope(w, &k, (size_t)groups.first * NETWORK_GROUP, (size_t)groups.last * NETWORK_GROUP);
  parallel_wait(w->barrier, w->threads);
}

static void take_sum(const worker *w, size_t first, size_t last) {
  const size_t stride = w->run->input.stride;
  const msd_real sixth = w->run->input.dt / 6;
  for (size_t c = 0; c < COMPONENTS; c++) {
    const msd_real *y = w->read + c * stride;
    msd_real *sum = w->write + c * stride;
    for (size_t i = first; i < last; i++)
      sum[i] = y[i] + sixth * sum[i];
  }
}

/* y' = y + dt/6 (k1 + 2 k2 + 2 k3 + k4). The slopes are summed first: positions are large compared with their
   changes, and so are rounded only once. */
bool rk4_step(const worker *w) {
  const msd_real half = (msd_real)0.5;
  const msd_real *stage = w->run->scratch + STAGE * w->run->input.stride;
  rk4_slope(w, (slope){w->read, 0, 1, half});
  rk4_slope(w, (slope){stage, 0.5, 2, half});
  rk4_slope(w, (slope){stage, 0.5, 2, 1});
  rk4_slope(w, (slope){stage, 1, 1, 0});
  for_particles(w, take_sum);
  return finish(w);
}
