/* The step over vectors of 128 bits: SSE2 on x86-64, NEON on 64-bit ARM, and wherever else the compiler has GNU vectors. */

#define SIMD_BYTES         16
#define STEP_ADVANCE_ROWS  step_advance_rows_128
#define STEP_ADVANCE_RUNS  step_advance_runs_128
#define STEP_ACCELERATIONS step_accelerations_128
#include "engine/kernel/spring_force_kernel.h"
