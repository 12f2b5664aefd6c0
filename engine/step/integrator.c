#include "engine/step/integrator.h"

#include "engine/base/parallel.h"
#include "engine/store/particle.h"

#include <math.h>
#include <string.h>

static const char *const names[MSD_INTEGRATOR_COUNT] = {
    [MSD_SYMPLECTIC_EULER] = "symplectic_euler",     [MSD_EXPLICIT_EULER] = "explicit_euler",
    [MSD_VELOCITY_VERLET] = "velocity_verlet",       [MSD_RK4] = "rk4",
    [MSD_SEQUENTIAL_IMPULSE] = "sequential_impulse",
};

const char *msd_integrator_name(msd_integrator integrator) {
  return (unsigned)integrator < MSD_INTEGRATOR_COUNT ? names[integrator] : NULL;
}

/* Scratch holds accelerations (3 components), then a second set of them (3) or a whole stage state (6). */
enum { FIRST_ACCELERATION = 0, SECOND_ACCELERATION = 3, STAGE = 3 };

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

/* exp(-u) = (exp(-u/2^n))^(2^n), with the Taylor series where it has converged to the last bit. */
double integrator_drag_decay(double rate, double time_step) {
  double u = rate * time_step;
  if (!(u > 0))
    return 1;
  if (u > 800)
    return 0;
  int squarings = 0;
  for (; u > 0.125; squarings++)
    u /= 2;
  double sum = 1;
  for (int term = 14; term >= 1; term--)
    sum = 1 - u / term * sum;
  for (; squarings > 0; squarings--)
    sum *= sum;
  return sum;
}

/* One thread's part of one substep. */
typedef struct part {
  const integrator_run *run;
  parallel_barrier *barrier;
  int thread, threads;
  parallel_range groups;
  const msd_real *read;
  msd_real *write;
  const msd_real *read_records;
  msd_real *write_records;
  int from;       /* which of the two states is read */
  double elapsed; /* s since the beginning of the step */
} part;

static size_t first_particle(const part *p) {
  return (size_t)p->groups.first * NETWORK_GROUP;
}

static size_t last_particle(const part *p) {
  return (size_t)p->groups.last * NETWORK_GROUP;
}

/* The anchored particles among some slots, `elapsed` seconds after the beginning of the step. */
static anchor_part anchored(const part *p, size_t first, size_t last, double elapsed) {
  const step_input *in = &p->run->input;
  return (anchor_part){.works = p->run->anchors.works,
                       .work_count = p->run->anchors.count,
                       .first = first,
                       .last = last,
                       .stride = in->stride,
                       .time_step = (double)in->time_step,
                       .elapsed = elapsed,
                       .decay = (double)in->decay};
}

/* What constraints and anchors do not write again: the applied forces at anchored particles. */
static void apply_at_anchors(const part *p) {
  const integrator_acting *acting = &p->run->acting;
  const size_t stride = p->run->input.stride;
  for (int32_t n = 0; n < p->run->anchors.count; n++) {
    const size_t slot = p->run->anchors.works[n].slot;
    for (size_t c = 0; c < 3 && slot >= first_particle(p) && slot < last_particle(p); c++)
      acting->forces->force[c * stride + slot] = acting->applied ? acting->applied[c * stride + slot] : 0;
  }
}

/* Sums up the forces on the thread's own particles at a state, `elapsed` seconds after the beginning of the
   step. */
static void act_at(const part *p, const msd_real *state, double elapsed) {
  const integrator_acting *acting = &p->run->acting;
  if (!acting->forces)
    return;
  if (acting->anchors)
    apply_at_anchors(p);
  constraint_forces_evaluate(&(constraint_force_thread){.forces = acting->forces,
                                                        .kernel = acting->kernel,
                                                        .state = {state, p->run->input.stride},
                                                        .applied = acting->applied,
                                                        .first = first_particle(p),
                                                        .last = last_particle(p),
                                                        .barrier = p->barrier,
                                                        .thread = p->thread,
                                                        .threads = p->threads});
  if (acting->anchors) {
    const anchor_part anchors = anchored(p, first_particle(p), last_particle(p), elapsed);
    anchor_add_forces(&anchors, state, acting->forces->force);
  }
}

/* At a state `after` substeps behind the one that is read. */
static void accelerations_at(const part *p, const msd_real *state, double after, int scratch_component) {
  step_input in = p->run->input;
  act_at(p, state, p->elapsed + after * (double)in.time_step);
  in.read = state;
  in.write = p->run->scratch + (size_t)scratch_component * in.stride;
  p->run->kernel.accelerations(&in, p->groups.first, p->groups.last);
}

/* What a kernel has kicked and let drift goes where its anchor takes it instead. */
static bool move_anchored(const part *p, size_t first, size_t last) {
  if (p->run->anchors.count == 0)
    return true;
  const anchor_part anchors = anchored(p, first, last, p->elapsed);
  return anchor_move(&anchors, p->read, p->write, p->write_records, !p->from);
}

/* v of unpinned particles decays; pins keep theirs. Returns whether every position is finite. */
static bool finish(const part *p) {
  const step_input *in = &p->run->input;
  bool finite = true;
  for (int c = 0; c < 3; c++) {
    msd_real *x = p->write + (size_t)c * in->stride, *v = x + 3 * in->stride;
    for (size_t i = first_particle(p); i < last_particle(p); i++) {
      v[i] = in->inverse_mass[i] > 0 ? v[i] * in->decay : v[i];
      finite = finite && isfinite(x[i]) && isfinite(v[i]);
    }
  }
  return finite;
}

/* The most that one of `threads` ranges of whole chunks has. */
static int32_t range_particles(const network *net, int threads) {
  return (net->chunk_count / threads + 1) * STEP_CHUNK;
}

size_t integrator_down_size(const network *net, int threads) {
  return step_down_size(net, range_particles(net, threads), threads);
}

/* One range of chunks for each thread that was asked for, also when fewer have come. */
static bool advance_runs(const part *p, step_input *in) {
  const integrator_run *run = p->run;
  const network *net = in->net;
  const int32_t particles = range_particles(net, run->threads);
  bool finite = true;
  in->down_stride = step_down_stride(net, particles);
  for (int range = p->thread; range < run->threads; range += p->threads) {
    const parallel_range chunks = parallel_split(net->chunk_count, range, run->threads);
    const int32_t last = chunks.last * NETWORK_CHUNK_GROUPS;
    in->down = step_down_place(run->down, net, particles, range, run->slab[0], chunks.first * STEP_CHUNK);
    if (chunks.first < chunks.last)
      finite = run->kernel.advance_runs(in, chunks.first * NETWORK_CHUNK_GROUPS,
                                        last < net->group_count ? last : net->group_count) &&
               move_anchored(p, (size_t)chunks.first * STEP_CHUNK, (size_t)chunks.last * STEP_CHUNK) &&
               finite;
  }
  return finite;
}

/* v' = v + dt (f/m + g), x' = x + dt v'; the kernel does all of it. */
static bool symplectic_euler(const part *p) {
  step_input in = p->run->input;
  in.read = p->run->records_alone ? NULL : p->read;
  in.write = p->run->records_alone ? NULL : p->write;
  in.read_records = p->read_records;
  in.write_records = p->write_records;
  act_at(p, p->read, p->elapsed);
  if (p->run->down) {
    if (p->run->acting.forces)
      parallel_wait(p->barrier, p->threads); /* the chunks of a thread are not its groups */
    return advance_runs(p, &in);
  }
  return p->run->kernel.advance_rows(&in, p->groups.first, p->groups.last) &&
         move_anchored(p, first_particle(p), last_particle(p));
}

/* x' = x + dt v, v' = v + dt a(x, v). */
static bool explicit_euler(const part *p) {
  const size_t stride = p->run->input.stride;
  const msd_real dt = p->run->input.time_step;
  accelerations_at(p, p->read, 0, FIRST_ACCELERATION);
  for (size_t c = 0; c < 3; c++) {
    const msd_real *x = p->read + c * stride, *v = x + 3 * stride, *a = p->run->scratch + c * stride;
    msd_real *next_x = p->write + c * stride, *next_v = next_x + 3 * stride;
    for (size_t i = first_particle(p); i < last_particle(p); i++) {
      next_x[i] = x[i] + dt * v[i];
      next_v[i] = v[i] + dt * a[i];
    }
  }
  return finish(p);
}

/* x' = x + dt v + dt^2/2 a0, v' = v + dt/2 (a0 + a(x', v + dt a0)); the damping is seen at a predicted
   velocity, which keeps order 2. */
static bool velocity_verlet(const part *p) {
  const size_t stride = p->run->input.stride;
  const msd_real dt = p->run->input.time_step, half = dt / 2;
  accelerations_at(p, p->read, 0, FIRST_ACCELERATION);
  for (size_t c = 0; c < 3; c++) {
    const msd_real *x = p->read + c * stride, *v = x + 3 * stride, *a = p->run->scratch + c * stride;
    msd_real *next_x = p->write + c * stride, *next_v = next_x + 3 * stride;
    for (size_t i = first_particle(p); i < last_particle(p); i++) {
      next_x[i] = x[i] + dt * (v[i] + half * a[i]);
      next_v[i] = v[i] + dt * a[i];
    }
  }
  parallel_wait(p->barrier, p->threads);
  accelerations_at(p, p->write, 1, SECOND_ACCELERATION);
  parallel_wait(p->barrier, p->threads);
  for (size_t c = 0; c < 3; c++) {
    const msd_real *v = p->read + (c + 3) * stride, *a0 = p->run->scratch + c * stride,
                   *a1 = p->run->scratch + (c + SECOND_ACCELERATION) * stride;
    msd_real *next_v = p->write + (c + 3) * stride;
    for (size_t i = first_particle(p); i < last_particle(p); i++)
      next_v[i] = v[i] + half * (a0[i] + a1[i]);
  }
  return finish(p);
}

/* One of the four slopes k = (v, a) of RK4, taken at `state`, `after` substeps behind the first: adds weight k to the sum in `write`, which the
   first begins, and makes the next stage y + dt reach k. */
static void rk4_slope(const part *p, const msd_real *state, double after, msd_real weight, msd_real reach) {
  const bool is_first = after == 0;
  const size_t stride = p->run->input.stride;
  const msd_real dt = p->run->input.time_step;
  msd_real *stage = p->run->scratch + STAGE * stride;
  accelerations_at(p, state, after, FIRST_ACCELERATION);
  parallel_wait(p->barrier, p->threads); /* all have read the stage that is now overwritten */
  for (size_t c = 0; c < 3; c++) {
    const msd_real *x = p->read + c * stride, *v = x + 3 * stride, *a = p->run->scratch + c * stride,
                   *slope = state + (c + 3) * stride;
    msd_real *sum_x = p->write + c * stride, *sum_v = sum_x + 3 * stride, *stage_x = stage + c * stride,
             *stage_v = stage_x + 3 * stride;
    for (size_t i = first_particle(p); i < last_particle(p); i++) {
      const msd_real rate_x = slope[i], rate_v = a[i];
      sum_x[i] = is_first ? rate_x : sum_x[i] + weight * rate_x;
      sum_v[i] = is_first ? rate_v : sum_v[i] + weight * rate_v;
      stage_x[i] = x[i] + dt * reach * rate_x;
      stage_v[i] = v[i] + dt * reach * rate_v;
    }
  }
  parallel_wait(p->barrier, p->threads);
}

/* y' = y + dt/6 (k1 + 2 k2 + 2 k3 + k4). The slopes are summed first, so that a position, which is large beside
   its change, is rounded once. */
static bool rk4(const part *p) {
  const size_t stride = p->run->input.stride;
  const msd_real half = (msd_real)0.5, sixth = p->run->input.time_step / 6;
  const msd_real *stage = p->run->scratch + STAGE * stride;
  rk4_slope(p, p->read, 0, 1, half);
  rk4_slope(p, stage, 0.5, 2, half);
  rk4_slope(p, stage, 0.5, 2, 1);
  rk4_slope(p, stage, 1, 1, 0);
  for (size_t c = 0; c < COMPONENTS; c++) {
    const msd_real *y = p->read + c * stride;
    msd_real *sum = p->write + c * stride;
    for (size_t i = first_particle(p); i < last_particle(p); i++)
      sum[i] = y[i] + sixth * sum[i];
  }
  return finish(p);
}

static void copy_velocities(const part *p) {
  const size_t first = first_particle(p), bytes = (last_particle(p) - first) * sizeof *p->write;
  for (size_t c = VELOCITY_X; c < COMPONENTS; c++)
    memcpy(p->write + c * p->run->input.stride + first, p->read + c * p->run->input.stride + first, bytes);
}

/* v' = v + the impulses of the springs and constraints in their order + dt (f/m + g) of the other forces, x' = x + dt v'. */
static bool sequential_impulse(const part *p) {
  const step_input *in = &p->run->input;
  const integrator_impulses *impulses = &p->run->impulses;
  const msd_real dt = in->time_step;
  const constraint_impulse_thread constraints = {
      .impulses = impulses->constraints,
      .store = impulses->constraint_store,
      .position = p->read,
      .velocity = p->write + VELOCITY_X * in->stride,
      .stride = in->stride,
      .time_step = dt,
      .begin = impulses->warm_start ? impulses->constraint_given[p->from] : NULL,
      .given = impulses->constraint_given[!p->from],
      .barrier = p->barrier,
      .thread = p->thread,
      .threads = p->threads};
  copy_velocities(p);
  parallel_wait(p->barrier, p->threads);
  spring_impulses_solve(
      &(spring_impulse_thread){.springs = impulses->springs,
                               .net = in->net,
                               .side = impulses->side,
                               .position = p->read,
                               .velocity = p->write + VELOCITY_X * in->stride,
                               .stride = in->stride,
                               .time_step = dt,
                               .iterations = impulses->iterations,
                               .begin = impulses->warm_start ? impulses->given[p->from] : NULL,
                               .given = impulses->given[!p->from],
                               .constraints = impulses->constraints ? &constraints : NULL,
                               .barrier = p->barrier,
                               .thread = p->thread,
                               .threads = p->threads});
  bool finite = true;
  for (size_t c = 0; c < 3; c++) {
    const msd_real *x = p->read + c * in->stride, *force = in->force ? in->force + c * in->stride : NULL;
    msd_real *next_x = p->write + c * in->stride, *v = next_x + 3 * in->stride;
    for (size_t i = first_particle(p); i < last_particle(p); i++) {
      const msd_real w = in->inverse_mass[i];
      if (w > 0)
        v[i] = (v[i] + dt * ((force ? force[i] * w : 0) + in->gravity[c])) * in->decay;
      next_x[i] = x[i] + dt * v[i];
      finite = finite && isfinite(next_x[i]) && isfinite(v[i]);
    }
  }
  return move_anchored(p, first_particle(p), last_particle(p)) && finite;
}

typedef bool substep_method(const part *p);

static substep_method *const methods[MSD_INTEGRATOR_COUNT] = {
    [MSD_SYMPLECTIC_EULER] = symplectic_euler,     [MSD_EXPLICIT_EULER] = explicit_euler,
    [MSD_VELOCITY_VERLET] = velocity_verlet,       [MSD_RK4] = rk4,
    [MSD_SEQUENTIAL_IMPULSE] = sequential_impulse,
};

typedef struct shared {
  const integrator_run *run;
  parallel_meeting meeting; /* after each substep */
} shared;

static void advance_part(void *context, int thread, int threads) {
  shared *s = context;
  const integrator_run *run = s->run;
  part p = {
      .run = run,
      .barrier = &s->meeting.barrier,
      .thread = thread,
      .threads = threads,
      .groups = parallel_split(run->input.net->group_count, thread, threads),
  };
  const parallel_range groups = p.groups;
  const size_t stride = run->input.stride;
  if (run->records[0]) {
    step_make_records(run->slab[run->current], stride, run->records[run->current], groups.first, groups.last);
    parallel_wait(p.barrier, threads);
  }
  bool well = true;
  for (int substep = 0; substep < run->substeps && well; substep++) {
    const int from = (run->current + substep) % 2;
    p.from = from;
    p.elapsed = (run->anchors.before + substep) * (double)run->input.time_step;
    p.read = run->slab[from];
    p.write = run->slab[!from];
    p.read_records = run->records[from];
    p.write_records = run->records[!from];
    well = parallel_meet(&s->meeting, threads, substep, methods[run->integrator](&p));
  }
  if (run->records_alone) {
    step_read_records(p.write_records, p.write, stride, groups.first, groups.last);
    if (!well)
      step_read_records(p.read_records, run->slab[p.from], stride, groups.first, groups.last);
  }
}

int integrator_advance(const integrator_run *run) {
  shared s = {.run = run};
  parallel_meeting_begin(&s.meeting);
  parallel_run(run->threads, advance_part, &s);
  const int failed = parallel_meeting_failed(&s.meeting);
  return failed < run->substeps ? failed : run->substeps;
}
