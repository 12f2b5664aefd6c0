/* Converts between the caller's memory in any layout (msd/bulk.h) and blocks of doubles, which represent all
   supported scalar types exactly. */
#ifndef MSD_ENGINE_WORLD_ATTRIBUTE_LAYOUT_H
#define MSD_ENGINE_WORLD_ATTRIBUTE_LAYOUT_H

#include "msd/bulk.h"

enum { LAYOUT_BLOCK = 256 };

/* Describes what is wrong with a layout for elements with this many components; NULL: it is valid. */
const char *layout_fault(msd_memory_layout layout, int components);

/* Replaces default strides and MSD_SCALAR_REAL by explicit values. */
msd_memory_layout layout_complete(msd_memory_layout layout, int components);

/* Copies the elements first to first + count - 1, at most LAYOUT_BLOCK, to or from the caller's memory.
   value[c] contains component c. The layout must be complete. */
void layout_put(msd_memory_layout layout, int components, int32_t first, int32_t count,
                double (*value)[LAYOUT_BLOCK], void *to);
void layout_get(msd_memory_layout layout, int components, int32_t first, int32_t count,
                double (*value)[LAYOUT_BLOCK], const void *from);

#endif
