/* Numbers in the memory of a program, however they lie there (msd/bulk.h), from and into blocks of numbers in
   double, which hold every other number exactly. */
#ifndef MSD_ENGINE_WORLD_LAYOUT_H
#define MSD_ENGINE_WORLD_LAYOUT_H

#include "msd/bulk.h"

enum { LAYOUT_BLOCK = 256 };

/* What is wrong with a layout for elements of so many components, or NULL. */
const char *layout_fault(msd_layout layout, int components);

/* The same without zeros and without MSD_NUMBER_REAL. */
msd_layout layout_complete(msd_layout layout, int components);

/* Of elements `first` to first + count - 1, at most LAYOUT_BLOCK: value[c] are their components c. The layout
   is complete. */
void layout_put(msd_layout layout, int components, int32_t first, int32_t count,
                double (*value)[LAYOUT_BLOCK], void *to);
void layout_get(msd_layout layout, int components, int32_t first, int32_t count,
                double (*value)[LAYOUT_BLOCK], const void *from);

#endif
