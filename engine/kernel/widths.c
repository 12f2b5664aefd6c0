#include "engine/kernel/widths.h"

/* The build defines MSD_KERNELS_X86 if it compiles width_256.c for AVX2 and width_512.c for AVX-512. */
static bool has_width(msd_simd simd) {
  switch (simd) {
#ifdef MSD_KERNELS_X86
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

static const kernels *const widths[MSD_SIMD_COUNT] = {
    [MSD_SIMD_SCALAR] = &kernels_scalar,
#ifdef __GNUC__
    [MSD_SIMD_128] = &kernels_128,
#endif
#ifdef MSD_KERNELS_X86
    [MSD_SIMD_256] = &kernels_256,
    [MSD_SIMD_512] = &kernels_512,
#endif
};

msd_simd kernels_width(msd_simd simd) {
  if (simd == MSD_SIMD_WIDEST)
    simd = MSD_SIMD_512;
  while (simd > MSD_SIMD_SCALAR && !has_width(simd))
    simd--;
  return simd;
}

const kernels *kernels_choose(msd_simd simd) {
  return widths[kernels_width(simd)];
}
