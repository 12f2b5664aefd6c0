#include "engine/kernel/constraint_force.h"

#include "engine/base/sort.h"
#include "engine/constraint/tuning.h"

/* ------------------------------------------------------------------------------------------ evaluating */

/* -(k C + mu C') of a mesh, as the kernel computes it for the other kinds; and its excess. */
static msd_real mesh_push(const constraint_forces *f, const constraint_mesh_groups *mesh, msd_real *excess) {
  constraint_mesh_sum sum = {0};
  for (int32_t c = mesh->first_chunk; c < mesh->last_chunk; c++) {
    sum.volume += f->sums[c].volume;
    sum.rate += f->sums[c].rate;
    sum.excess += f->sums[c].excess;
  }
  const tuning_factors factors = tuning_read(mesh->factors, 1);
  const shape_tuning t = tuning_at(&factors, sum.excess, (tuning_limit){f->most_stiffness, f->most_damping});
  *excess = sum.excess;
  return t.stiffness + t.damping > 0 ? -(t.stiffness * (sum.volume / 3 - mesh->rest) + t.damping * sum.rate)
                                     : 0;
}

/* Gradients of the volume become forces. Who has the first chunk of a mesh keeps its excess. */
static void scale_chunks(const constraint_forces *f, parallel_range chunks) {
  for (int32_t c = chunks.first; c < chunks.last; c++) {
    const constraint_mesh_chunk *chunk = &f->chunks[c];
    constraint_mesh_groups *mesh = &f->meshes[chunk->mesh];
    msd_real excess;
    const msd_real push = mesh_push(f, mesh, &excess);
    if (c == mesh->first_chunk && excess > mesh->excess)
      mesh->excess = excess;
    msd_real *from = f->corner_forces + constraint_mesh_force_at(f, chunk->first_group),
             *to = f->corner_forces + constraint_mesh_force_at(f, chunk->last_group);
    for (msd_real *at = from; at < to; at++)
      *at = push == 0 ? 0 : *at * push;
  }
}

/* The first of the ascending slots that is not below `slot`. */
static int32_t first_touched(const constraint_forces *f, size_t slot) {
  return sorted_place(f->touched, f->touched_count, sizeof *f->touched, (int32_t)slot);
}

/* Phase 2. */
static void sum_corners(const constraint_force_thread *thread) {
  const constraint_forces *f = thread->forces;
  const size_t stride = thread->state.stride;
  const int32_t last = first_touched(f, thread->last);
  for (int32_t t = first_touched(f, thread->first); t < last; t++) {
    const size_t slot = (size_t)f->touched[t];
    /* A whole quad, though its last number is of no use: it is added at once. */
    msd_real sum[RECORD_QUAD] = {0, 0, 0, 0};
    for (int c = 0; c < 3 && thread->applied; c++)
      sum[c] = thread->applied[(size_t)c * stride + slot];
    for (int32_t n = f->touched_first[t]; n < f->touched_first[t + 1]; n++) {
      const msd_real *corner = f->corner_forces + f->corner_at[n];
      for (int c = 0; c < RECORD_QUAD; c++)
        sum[c] += corner[c];
    }
    for (int c = 0; c < 3; c++)
      f->force[(size_t)c * stride + slot] = sum[c];
  }
}

void constraint_forces_evaluate(const constraint_force_thread *t) {
  const constraint_forces *f = t->forces;
  const parallel_range groups = span_share(&t->groups, f->group_count, t->thread, t->threads);
  const parallel_range chunks = span_share(&t->mesh_chunks, f->mesh_chunk_count, t->thread, t->threads);
  for (parallel_range part = {groups.first, groups.first}; span_next(&t->groups, 1, groups, &part);)
    t->kernel.groups(f, &t->state, part.first, part.last);
  if (f->mesh_chunk_count > 0) {
    for (parallel_range part = {chunks.first, chunks.first}; span_next(&t->mesh_chunks, 1, chunks, &part);)
      t->kernel.mesh_chunks(f, &t->state, part.first, part.last);
    parallel_wait(t->barrier, t->threads);
    for (parallel_range part = {chunks.first, chunks.first}; span_next(&t->mesh_chunks, 1, chunks, &part);)
      scale_chunks(f, part);
  }
  if (f->touched_count > 0)
    parallel_wait(t->barrier, t->threads);
  sum_corners(t);
}
