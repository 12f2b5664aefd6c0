/* Constraints over vectors of 512 bits: AVX-512; the build compiles this file for it. */

#define SIMD_BYTES             64
#define CONSTRAINT_GROUPS      constraint_groups_512
#define CONSTRAINT_MESH_CHUNKS constraint_mesh_chunks_512
#include "engine/kernel/constraint_force_kernel.h"
