/* Constraints one at a time, in plain C: of the same text as the vectors. */

#define CONSTRAINT_GROUPS      constraint_groups_scalar
#define CONSTRAINT_MESH_CHUNKS constraint_mesh_chunks_scalar
#include "engine/kernel/constraint_force_kernel.h"
