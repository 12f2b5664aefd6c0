/* Constraints over vectors of 256 bits: AVX2; the build compiles this file for it. */

#define SIMD_BYTES             32
#define CONSTRAINT_GROUPS      constraint_groups_256
#define CONSTRAINT_MESH_CHUNKS constraint_mesh_chunks_256
#include "engine/kernel/constraint_force_kernel.h"
