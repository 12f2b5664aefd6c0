#include "engine/kernel/spring_force.h"

#include "engine/store/particle.h"

double spring_bytes(const network *net) {
  const double particles = (double)net->group_count * NETWORK_GROUP;
  const double indexed = net->lane_count - net->indexed_lane, streamed = net->indexed_lane;
  const double tunings = (net->streamed.stiffness ? 2 * streamed : 0) +
                         (net->indexed.stiffness ? indexed : 0) + (net->indexed.damping ? indexed : 0);
  return ((2 * COMPONENTS + 1) * particles + streamed + indexed + tunings) * sizeof(msd_real) +
         indexed * (double)(net->near ? sizeof *net->near : sizeof *net->partner);
}

size_t spring_down_stride(const network *net, int32_t particles) {
  return particle_stride((int64_t)particles + net->largest_offset);
}

/* Components of the particle state are 5 cache lines apart, modulo a page. So are those of the carry buffer,
   which start after them. */
enum { DOWN_LINES = 32, LINE = 64, PAGE = 4096, PAGE_REALS = PAGE / sizeof(msd_real) };

static size_t room_of_range(const network *net, int32_t particles) {
  return 3 * spring_down_stride(net, particles) + PAGE_REALS;
}

size_t spring_down_size(const network *net, int32_t particles, int ranges) {
  return (size_t)ranges * room_of_range(net, particles) + 2 * PARTICLE_GUARD;
}

spring_down spring_down_place(msd_real *block, const network *net, int32_t particles, int nth,
                              const msd_real *slab, int32_t particle) {
  msd_real *from = block + PARTICLE_GUARD + (size_t)nth * room_of_range(net, particles);
  const uintptr_t beside = (uintptr_t)slab + (uintptr_t)((intptr_t)particle * (intptr_t)sizeof *slab);
  const size_t behind = (beside + DOWN_LINES * LINE - (uintptr_t)from) % PAGE;
  return (spring_down){.sums = from + behind / sizeof *from, .stride = spring_down_stride(net, particles)};
}
