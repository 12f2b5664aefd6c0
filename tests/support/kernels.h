/* What a kernel is given, for the network of a world that has been stepped. */
#ifndef MSD_TESTS_SUPPORT_KERNELS_H
#define MSD_TESTS_SUPPORT_KERNELS_H

#include "tests/support/networks.h"
#include "tests/support/spring_reference.h"

#include "engine/kernel/records.h"
#include "engine/kernel/widths.h"
#include "engine/store/particle.h"
#include "engine/world/world.h"

static inline msd_real *reals_of(size_t count) {
  msd_real *reals = calloc(count, sizeof *reals);
  cr_assert_not_null(reals);
  return reals;
}

/* Whether this processor and build have kernels of that width. */
static inline bool has_width(msd_simd width) {
  return width == MSD_SIMD_SCALAR || kernels_choose(width) != kernels_choose(width - 1);
}

/* From the world's state; where to write is left open. */
static inline spring_input kernel_input(const msd_world *world) {
  const particle_store *p = &world->model.particles;
  return (spring_input){.net = &world->stepper.network,
                        .read = {.slab = particle_state(p)},
                        .pins = {.slab = particle_state(p)},
                        .stride = p->stride,
                        .gravity = {0, (msd_real)-9.81, 0},
                        .dt = (msd_real)0.00390625,
                        .decay = (msd_real)0.96875};
}

#endif
