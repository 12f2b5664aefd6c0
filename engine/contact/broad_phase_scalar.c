/* Scalar: for compilers without vector extensions, and for debugging. */

#include "engine/contact/broad_phase_kernel.h"

#include "engine/contact/contact_pairs_kernel.h"

const pair_kernel pair_kernel_scalar = PAIR_KERNEL;
const near_kernel near_kernel_scalar = NEAR_KERNEL;
