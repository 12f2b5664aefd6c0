#include "engine/kernel/spring_force.h"

#include "engine/store/particle.h"

/* MSD_STEP_X86 is set by the build when step_256.c and step_512.c were compiled for AVX2 and AVX-512. */
static bool has_width(msd_simd simd) {
  switch (simd) {
#ifdef MSD_STEP_X86
  case MSD_SIMD_512:
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl");
  case MSD_SIMD_256:
    return __builtin_cpu_supports("avx2");
#endif
#ifdef __GNUC__
  case MSD_SIMD_128:
    return true;
#endif
  default:
    return false;
  }
}

size_t step_down_stride(const network *net, int32_t particles) {
  return particle_stride((int64_t)particles + net->largest_offset);
}

/* The components of a particle's state stand 5 lines apart, and so do those of its sums, behind them. */
enum { DOWN_LINES = 32, LINE = 64, PAGE = 4096, PAGE_REALS = PAGE / sizeof(msd_real) };

static size_t down_room(const network *net, int32_t particles) {
  return 3 * step_down_stride(net, particles) + PAGE_REALS;
}

size_t step_down_size(const network *net, int32_t particles, int ranges) {
  return (size_t)ranges * down_room(net, particles) + 2 * PARTICLE_GUARD;
}

msd_real *step_down_place(msd_real *block, const network *net, int32_t particles, int nth,
                          const msd_real *state, int32_t particle) {
  msd_real *from = block + PARTICLE_GUARD + (size_t)nth * down_room(net, particles);
  const uintptr_t beside = (uintptr_t)state + (uintptr_t)((intptr_t)particle * (intptr_t)sizeof *state);
  return from + (beside + DOWN_LINES * LINE - (uintptr_t)from) % PAGE / sizeof *from;
}

void step_make_records(const msd_real *state, size_t stride, msd_real *records, int32_t first, int32_t last) {
  for (size_t i = (size_t)first * NETWORK_GROUP; i < (size_t)last * NETWORK_GROUP; i++)
    for (size_t c = 0; c < 3; c++) {
      records[i * STEP_RECORD + c] = state[c * stride + i];
      records[i * STEP_RECORD + c + 4] = state[(c + 3) * stride + i];
    }
}

void step_read_records(const msd_real *records, msd_real *state, size_t stride, int32_t first, int32_t last) {
  for (size_t i = (size_t)first * NETWORK_GROUP; i < (size_t)last * NETWORK_GROUP; i++)
    for (size_t c = 0; c < 3; c++) {
      state[c * stride + i] = records[i * STEP_RECORD + c];
      state[(c + 3) * stride + i] = records[i * STEP_RECORD + c + 4];
    }
}

msd_simd step_width(msd_simd simd) {
  if (simd == MSD_SIMD_WIDEST)
    simd = MSD_SIMD_512;
  while (simd > MSD_SIMD_SCALAR && !has_width(simd))
    simd--;
  return simd;
}

step_kernel step_choose(msd_simd simd) {
  switch (step_width(simd)) {
#ifdef MSD_STEP_X86
  case MSD_SIMD_512:
    return (step_kernel){step_advance_rows_512, step_advance_runs_512, step_accelerations_512};
  case MSD_SIMD_256:
    return (step_kernel){step_advance_rows_256, step_advance_runs_256, step_accelerations_256};
#endif
#ifdef __GNUC__
  case MSD_SIMD_128:
    return (step_kernel){step_advance_rows_128, step_advance_runs_128, step_accelerations_128};
#endif
  default:
    return (step_kernel){step_advance_rows_scalar, NULL, step_accelerations_scalar};
  }
}
