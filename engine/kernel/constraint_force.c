#include "engine/kernel/constraint_force.h"

#include "engine/constraint/tuning.h"

#include <math.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------ evaluation */

/* A mesh in its current configuration. */
typedef struct mesh_push {
  /* -(k C + mu C'), scaled if the meter asks for it. */
  msd_real along;
  msd_real excess;
  /* theta/2 times b_j/kappa_0 times this is the force on a vertex, with its velocity relative to `mean`. */
  msd_real across;
  /* Relative to the first vertex. */
  msd_real mean[3];
  /* e, A and P. */
  msd_real energies[CONSTRAINT_ENERGIES];
  bool is_softened;
} mesh_push;

static constraint_mesh_sum sum_mesh(const constraint_forces *f, const constraint_mesh_groups *mesh) {
  constraint_mesh_sum sum = {0};
  for (int32_t c = mesh->first_chunk; c < mesh->last_chunk; c++) {
    const constraint_mesh_sum *of = &f->sums[c];
    sum.volume += of->volume;
    sum.rate += of->rate;
    sum.excess += of->excess;
    sum.weight += of->weight;
    sum.squared += of->squared;
    for (int axis = 0; axis < 3; axis++)
      sum.motion[axis] += of->motion[axis];
  }
  return sum;
}

/* Scales the push by a meter, or computes the energies, as the kernel does for other types. */
static void meter_mesh(const constraint_forces *f, const constraint_mesh_groups *mesh,
                       const constraint_meter *meter, const constraint_mesh_sum *sum,
                       const tuning_factors *factors, const shape_tuning *t, const msd_real *origin_motion,
                       mesh_push *push) {
  const msd_real half = f->step / 2, error = sum->volume / 3 - mesh->rest, lag = half * sum->rate,
                 stretch = t->stiffness * error, fitting = t->stiffness * half + t->damping;
  const msd_real room =
      f->most_stiffness > 0
          ? 3 * f->most_stiffness
          : (f->tuned_step / f->step) * (factors->stiffness + factors->damping * (2 / f->tuned_step));
  msd_real squared = sum->squared;
  for (int axis = 0; axis < 3; axis++) {
    push->mean[axis] = mesh->is_held     ? -origin_motion[axis]
                       : sum->weight > 0 ? sum->motion[axis] / sum->weight
                                         : 0;
    squared += push->mean[axis] * (sum->weight * push->mean[axis] - 2 * sum->motion[axis]);
  }
  const msd_real across = half * (half * room * squared - fitting * sum->rate * sum->rate) / 2;
  push->energies[CONSTRAINT_ENERGY] =
      (stretch * error - lag * (stretch + stretch + t->damping * sum->rate)) / 2;
  push->energies[CONSTRAINT_SPARE] = t->stiffness * (error - lag) * (error - lag) / 2;
  push->energies[CONSTRAINT_ACROSS] = across > 0 ? across : 0;
  if (!meter->scales)
    return;
  const msd_real spare = push->energies[CONSTRAINT_SPARE];
  const msd_real kept = spare > meter->cap ? (msd_real)sqrt((double)(meter->cap / spare)) : 1;
  push->along = kept * push->along - (1 - kept - meter->turned) * fitting * sum->rate;
  push->across = meter->turned * half * room;
}

static mesh_push push_mesh(const constraint_forces *f, const constraint_mesh_groups *mesh,
                           const constraint_state *state) {
  const constraint_mesh_sum sum = sum_mesh(f, mesh);
  const tuning_factors factors = tuning_read(mesh->factors, 1);
  const shape_tuning t = tuning_at(&factors, sum.excess, (tuning_limit){f->most_stiffness, f->most_damping});
  mesh_push push = {.excess = sum.excess, .is_softened = t.capped && factors.relief > 0};
  if (!(t.stiffness + t.damping > 0))
    return push;
  push.along = -(t.stiffness * (sum.volume / 3 - mesh->rest) + t.damping * sum.rate);
  const msd_real *moves = state->at + VELOCITY_X * state->stride + mesh->origin;
  const msd_real origin_motion[3] = {moves[0], moves[state->stride], moves[2 * state->stride]};
  if (state->meter && sum.excess > 0)
    meter_mesh(f, mesh, state->meter, &sum, &factors, &t, origin_motion, &push);
  return push;
}

/* The thread with the first chunk of a mesh stores what belongs to the mesh. */
static void note_mesh(const constraint_forces *f, int32_t mesh, const mesh_push *push,
                      const constraint_meter *meter) {
  constraint_mesh_groups *groups = &f->meshes[mesh];
  groups->excess = push->excess > groups->excess ? push->excess : groups->excess;
  groups->alarm = push->is_softened;
  for (int row = 0; row < CONSTRAINT_ENERGIES && meter && !meter->scales; row++)
    f->energies[(size_t)row * constraint_energy_count(f) + constraint_energy_of_mesh(f, mesh)] =
        push->energies[row];
}

/* Replaces the gradient of a vertex by its force. */
static void push_vertex(const constraint_forces *f, const constraint_mesh_groups *mesh,
                        const constraint_state *state, const mesh_push *push, int32_t at) {
  const msd_real *gradient = f->mesh_gradients + (size_t)at * RECORD_QUAD;
  msd_real *force = f->corner_forces + f->mesh_places[at];
  for (int n = 0; n < RECORD_QUAD; n++)
    force[n] = push->along == 0 ? 0 : gradient[n] * push->along;
  const msd_real weight = f->mesh_weights[at];
  for (size_t axis = 0; axis < 3 && push->across > 0 && weight > 0; axis++) {
    const msd_real *v = state->at + (VELOCITY_X + axis) * state->stride;
    force[axis] -= push->across / weight * (v[f->mesh_slots[at]] - v[mesh->origin] - push->mean[axis]);
  }
}

/* Scales volume gradients to forces. */
static void scale_chunks(const constraint_forces *f, const constraint_state *state, parallel_range chunks) {
  for (int32_t c = chunks.first; c < chunks.last; c++) {
    const constraint_mesh_chunk *chunk = &f->chunks[c];
    const constraint_mesh_groups *mesh = &f->meshes[chunk->mesh];
    const mesh_push push = push_mesh(f, mesh, state);
    if (c == mesh->first_chunk)
      note_mesh(f, chunk->mesh, &push, state->meter);
    for (int32_t at = chunk->first_group * CONSTRAINT_LANES; at < chunk->last_group * CONSTRAINT_LANES; at++)
      push_vertex(f, mesh, state, &push, at);
  }
}

bool constraint_forces_alarmed(const constraint_forces *f) {
  bool alarmed = f->group_count > 0 && memchr(f->alarms, 1, (size_t)f->group_count);
  for (int32_t n = 0; n < f->mesh_count; n++)
    alarmed = alarmed || f->meshes[n].alarm;
  return alarmed;
}

void constraint_forces_evaluate(const constraint_force_thread *t) {
  const constraint_forces *f = t->forces;
  const parallel_range groups = span_share(&t->groups, f->group_count, t->thread, t->threads);
  const parallel_range chunks = span_share(&t->mesh_chunks, f->mesh_chunk_count, t->thread, t->threads);
  for (parallel_range part = {groups.first, groups.first}; span_next(&t->groups, 1, groups, &part);) {
    memset(f->alarms + part.first, 0, (size_t)(part.last - part.first));
    t->kernel.groups(f, &t->state, part.first, part.last);
  }
  if (f->mesh_chunk_count > 0) {
    for (parallel_range part = {chunks.first, chunks.first}; span_next(&t->mesh_chunks, 1, chunks, &part);)
      t->kernel.mesh_chunks(f, &t->state, part.first, part.last);
    parallel_wait(t->barrier, t->threads);
    for (parallel_range part = {chunks.first, chunks.first}; span_next(&t->mesh_chunks, 1, chunks, &part);)
      scale_chunks(f, &t->state, part);
  }
  if (f->particle_sums.slice_count > 0)
    parallel_wait(t->barrier, t->threads);
  t->kernel.sum(&f->particle_sums, f->corner_forces,
                &(corner_target){f->force, t->applied, t->state.stride, t->first, t->last});
  if (t->state.meter)
    t->kernel.sum(&f->particle_sums, f->corner_forces,
                  &(corner_target){f->own, NULL, t->state.stride, t->first, t->last});
}
