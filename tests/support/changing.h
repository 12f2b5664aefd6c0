/* Changes of single springs and particles, at random. */
#ifndef MSD_TESTS_SUPPORT_CHANGING_H
#define MSD_TESTS_SUPPORT_CHANGING_H

#include "tests/support/networks.h"

enum { CHANGE_KINDS = 7 };

/* One of them, to numbers like those that the world was made with. */
static inline void change_one(msd_world *world, generator *random, const making *m) {
  const int32_t particle = random_below(random, msd_world_get_particle_count(world));
  const int32_t spring = random_below(random, msd_world_get_spring_count(world));
  const int32_t kind = random_below(random, CHANGE_KINDS), number = random_below(random, 8);
  const msd_real mass = (msd_real)(1 + number) / 4;
  switch (kind) {
  case 0:
    ASSERT_OK(world, msd_particle_pin(world, particle));
    break;
  case 1:
    ASSERT_OK(world, msd_particle_unpin(world, particle));
    break;
  case 2:
    ASSERT_OK(world, msd_spring_break(world, spring));
    break;
  case 3:
    ASSERT_OK(world, msd_particle_set_mass(world, particle, mass));
    break;
  case 4:
    ASSERT_OK(world, msd_world_write(world, (msd_particle_set){.indices = &particle, .count = 1}, MSD_MASS,
                                     (msd_memory_layout){.stride = 0}, &mass));
    break;
  case 5:
    ASSERT_OK(world, msd_spring_set_rest_length(world, spring, (msd_real)(1 + number) / 16));
    break;
  default: {
    making other = *m;
    other.soften = (m->soften > 0 ? m->soften : 1) * (msd_real)(2 + number) / 4;
    msd_spring_def def = making_spring(&other, spring + 3 * number);
    def.mode = msd_spring_get_def(world, spring).mode;
    ASSERT_OK(world, msd_spring_set_law(world, spring, &def));
  }
  }
}

#endif
