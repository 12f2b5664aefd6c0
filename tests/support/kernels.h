/* What a kernel is given, for the network of a world that has been stepped: a world itself has the scalar
   kernel repeat a substep that another one fails, which would hide a kernel that is wrong but not finite. */
#ifndef MSD_TESTS_SUPPORT_KERNELS_H
#define MSD_TESTS_SUPPORT_KERNELS_H

#include "tests/support/networks.h"

#include "engine/kernel/spring_force.h"
#include "engine/store/particle.h"
#include "engine/world/world.h"

static inline msd_real *reals_of(size_t count) {
  msd_real *reals = calloc(count, sizeof *reals);
  cr_assert_not_null(reals);
  return reals;
}

/* From the world's state; where to write is left open. */
static inline step_input kernel_input(const msd_world *world) {
  const particle_store *p = &world->model.particles;
  return (step_input){.net = &world->stepper.network,
                      .read = particle_state(p),
                      .read_pins = particle_state(p),
                      .stride = p->stride,
                      .inverse_mass = world->stepper.network.inverse_mass,
                      .gravity = {0, (msd_real)-9.81, 0},
                      .time_step = (msd_real)0.00390625,
                      .decay = (msd_real)0.96875};
}

#endif
