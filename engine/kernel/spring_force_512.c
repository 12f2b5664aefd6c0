/* The step over vectors of 512 bits: AVX-512; the build compiles this file for it, and step_choose asks the processor first. */

#define SIMD_BYTES         64
#define STEP_ADVANCE_ROWS  step_advance_rows_512
#define STEP_ADVANCE_RUNS  step_advance_runs_512
#define STEP_ACCELERATIONS step_accelerations_512
#include "engine/kernel/spring_force_kernel.h"
