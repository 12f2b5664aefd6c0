/* A state as records (base/record.h), one of each particle in the order of the slots. Rows of vectors are
   read past the first and the last one: PARTICLE_GUARD more stand in front and behind. */
#ifndef MSD_ENGINE_KERNEL_RECORDS_H
#define MSD_ENGINE_KERNEL_RECORDS_H

#include "engine/base/record.h"
#include "msd/msd.h"

#include <stddef.h>

/* The records of the slots first..last-1 of a slab with that stride, and the other way round. */
void records_from_slab(const msd_real *slab, size_t stride, msd_real *records, size_t first, size_t last);
void records_to_slab(const msd_real *records, msd_real *slab, size_t stride, size_t first, size_t last);

#endif
