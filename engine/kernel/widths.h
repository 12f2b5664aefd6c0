/* The kernels in every vector width of this build, and the run-time choice by processor features. Results are
   bitwise identical in all widths. */
#ifndef MSD_ENGINE_KERNEL_WIDTHS_H
#define MSD_ENGINE_KERNEL_WIDTHS_H

#include "engine/kernel/constraint_force.h"
#include "engine/kernel/contacts.h"
#include "engine/kernel/hard_limits.h"
#include "engine/kernel/sparse_rows.h"
#include "engine/kernel/spring_force.h"
#include "engine/kernel/spring_projection.h"

typedef struct kernels {
  spring_kernel springs;
  constraint_kernel constraints;
  hard_limit_kernel hard_limits;
  contact_kernel *contacts;
  sparse_kernel sparse;
  projection_kernel projections;
} kernels;

/* That width, or the next narrower one that the processor and the build support. */
msd_simd kernels_width(msd_simd simd);

/* The kernels of that width. */
const kernels *kernels_choose(msd_simd simd);

/* Defined by width_scalar.c, width_128.c, width_256.c and width_512.c, which compile the same kernel sources
   for their vectors. */
extern const kernels kernels_scalar, kernels_128, kernels_256, kernels_512;

#define KERNELS                                                                                              \
  {                                                                                                          \
    .springs = {spring_advance_rows, spring_advance_runs, spring_accelerations, spring_run_accelerations,    \
                energy_meter_rows},                                                                          \
    .constraints = {constraint_groups, constraint_mesh_chunks, corner_sum, NEAR_LANES},                      \
    .hard_limits = {hard_limit_give, hard_limit_move}, .contacts = contact_groups,                           \
    .sparse = {sparse_fill_quads, sparse_restrict_to,   sparse_prolong,  sparse_residual, sparse_smooth,     \
               sparse_move,       sparse_take_impulses, sparse_take_out, sparse_change},                     \
    .projections = {projection_project, projection_damp},                                                    \
  }

#endif
