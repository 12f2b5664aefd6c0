#include "engine/step/acting.h"

anchor_slice acting_anchors(const worker *w, size_t first, size_t last, double elapsed) {
  const spring_input *in = &w->run->input;
  return (anchor_slice){.works = w->run->anchors.works,
                        .work_count = w->run->anchors.count,
                        .first = first,
                        .last = last,
                        .stride = in->stride,
                        .inverse_mass = in->net->inverse_mass,
                        .time_step = (double)in->time_step,
                        .elapsed = elapsed,
                        .decay = (double)in->decay};
}

/* What constraints and anchors do not write again: the applied forces at anchored particles. */
static void apply_at_anchors(const worker *w) {
  const integrator_acting *acting = &w->run->acting;
  const size_t stride = w->run->input.stride;
  for (int32_t n = 0; n < w->run->anchors.count; n++) {
    const size_t slot = w->run->anchors.works[n].slot;
    for (size_t c = 0; c < 3 && slot >= first_particle(w) && slot < last_particle(w); c++)
      acting->forces->force[c * stride + slot] = acting->applied ? acting->applied[c * stride + slot] : 0;
  }
}

void acting_sum(const worker *w, const msd_real *state, double elapsed) {
  const integrator_acting *acting = &w->run->acting;
  if (!acting->forces)
    return;
  if (acting->anchors)
    apply_at_anchors(w);
  /* The records of what sleeps are not kept. */
  const msd_real *records = w->run->awake.spans ? NULL : w->run->records[w->from];
  constraint_forces_evaluate(&(constraint_force_thread){.forces = acting->forces,
                                                        .kernel = w->run->kernels->constraints,
                                                        .state = {state, w->run->input.stride, records},
                                                        .applied = acting->applied,
                                                        .groups = acting->groups,
                                                        .mesh_chunks = acting->mesh_chunks,
                                                        .first = first_particle(w),
                                                        .last = last_particle(w),
                                                        .barrier = w->barrier,
                                                        .thread = w->thread,
                                                        .threads = w->threads});
  if (acting->anchors) {
    const anchor_slice anchors = acting_anchors(w, first_particle(w), last_particle(w), elapsed);
    anchor_add_forces(&anchors, state, acting->forces->force);
  }
}
