/* The step over vectors of 256 bits: AVX2; the build compiles this file for it, and step_choose asks the processor first. */

#define SIMD_BYTES         32
#define STEP_ADVANCE_ROWS  step_advance_rows_256
#define STEP_ADVANCE_RUNS  step_advance_runs_256
#define STEP_ACCELERATIONS step_accelerations_256
#include "engine/kernel/spring_force_kernel.h"
