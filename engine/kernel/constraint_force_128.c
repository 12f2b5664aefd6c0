/* Constraints over vectors of 128 bits: what every processor with vectors has. */

#define SIMD_BYTES             16
#define CONSTRAINT_GROUPS      constraint_groups_128
#define CONSTRAINT_MESH_CHUNKS constraint_mesh_chunks_128
#include "engine/kernel/constraint_force_kernel.h"
