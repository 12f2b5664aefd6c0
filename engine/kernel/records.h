/* The state as records (base/record.h), one per particle in slot order. Vector loads read past both ends, so
   PARTICLE_GUARD more records precede and follow. */
#ifndef MSD_ENGINE_KERNEL_RECORDS_H
#define MSD_ENGINE_KERNEL_RECORDS_H

#include "engine/base/record.h"
#include "msd/msd.h"

#include <stddef.h>

/* Convert the slots first..last-1 from a slab with that stride to records, and back. */
void records_from_slab(const msd_real *slab, size_t stride, msd_real *records, size_t first, size_t last);
void records_to_slab(const msd_real *records, msd_real *slab, size_t stride, size_t first, size_t last);

#endif
