#include "engine/step/extra_forces.h"

soft_pin_slice soft_pin_forces(const worker *w, size_t first, size_t last, double elapsed) {
  const spring_input *in = &w->run->input;
  return (soft_pin_slice){.works = w->run->soft_pins.works,
                          .work_count = w->run->soft_pins.count,
                          .first = first,
                          .last = last,
                          .stride = in->stride,
                          .inverse_mass = in->net->inverse_mass,
                          .dt = (double)in->dt,
                          .elapsed = elapsed,
                          .decay = (double)in->decay};
}

/* Resets the force at soft-pinned particles to the applied force. Constraints rewrite the force of their own
   particles only, so the soft-pin forces of earlier evaluations would add up elsewhere. */
static void copy_applied_at_soft_pins(const worker *w) {
  const integrator_acting *acting = &w->run->acting;
  const size_t stride = w->run->input.stride;
  for (int32_t n = 0; n < w->run->soft_pins.count; n++) {
    const size_t slot = w->run->soft_pins.works[n].slot;
    for (size_t c = 0; c < 3 && slot >= first_particle(w) && slot < last_particle(w); c++)
      acting->forces->force[c * stride + slot] = acting->applied ? acting->applied[c * stride + slot] : 0;
  }
}

void evaluate_constraints(const worker *w, const msd_real *state, const constraint_meter *meter) {
  const integrator_acting *acting = &w->run->acting;
  /* The AoS records of sleeping particles are stale. */
  const msd_real *records = w->run->awake.spans ? NULL : w->run->records[w->from];
  constraint_forces_evaluate(
      &(constraint_force_thread){.forces = acting->forces,
                                 .kernel = w->run->kernels->constraints,
                                 .state = {state, w->run->input.stride, records, meter},
                                 .applied = acting->applied,
                                 .groups = acting->groups,
                                 .mesh_chunks = acting->mesh_chunks,
                                 .first = first_particle(w),
                                 .last = last_particle(w),
                                 .barrier = w->barrier,
                                 .thread = w->thread,
                                 .threads = w->threads});
}

void sum_forces(const worker *w, const msd_real *state, double elapsed) {
  const integrator_acting *acting = &w->run->acting;
  if (!acting->forces)
    return;
  if (acting->soft_pins)
    copy_applied_at_soft_pins(w);
  evaluate_constraints(w, state, constraint_account_meter(w));
  constraint_account_act(w, state);
  if (acting->soft_pins) {
    const soft_pin_slice soft_pins = soft_pin_forces(w, first_particle(w), last_particle(w), elapsed);
    soft_pin_add_forces(&soft_pins, state, acting->forces->force);
  }
}
