#include "engine/kernel/constraint_force.h"

#include "engine/constraint/tuning.h"

/* ------------------------------------------------------------------------------------------ evaluation */

/* -(k C + mu C') of a mesh, as the kernel computes it for other types, and its excess. */
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

/* Scales volume gradients to forces. The thread with the first chunk of a mesh stores the excess of the
   mesh. */
static void scale_chunks(const constraint_forces *f, parallel_range chunks) {
  for (int32_t c = chunks.first; c < chunks.last; c++) {
    const constraint_mesh_chunk *chunk = &f->chunks[c];
    constraint_mesh_groups *mesh = &f->meshes[chunk->mesh];
    msd_real excess;
    const msd_real push = mesh_push(f, mesh, &excess);
    if (c == mesh->first_chunk && excess > mesh->excess)
      mesh->excess = excess;
    for (int32_t at = chunk->first_group * CONSTRAINT_LANES; at < chunk->last_group * CONSTRAINT_LANES; at++)
      for (int n = 0; n < RECORD_QUAD; n++)
        f->corner_forces[f->mesh_places[at] + n] =
            push == 0 ? 0 : f->mesh_gradients[(size_t)at * RECORD_QUAD + (size_t)n] * push;
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
  if (f->particle_sums.slice_count > 0)
    parallel_wait(t->barrier, t->threads);
  t->kernel.sum(&f->particle_sums, f->corner_forces,
                &(corner_target){f->force, t->applied, t->state.stride, t->first, t->last});
}
