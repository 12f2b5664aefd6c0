#include "engine/kernel/records.h"

void records_from_slab(const msd_real *slab, size_t stride, msd_real *records, size_t first, size_t last) {
  for (size_t i = first; i < last; i++)
    for (size_t c = 0; c < 3; c++) {
      records[i * RECORD_SIZE + c] = slab[c * stride + i];
      records[i * RECORD_SIZE + RECORD_QUAD + c] = slab[(c + 3) * stride + i];
    }
}

void records_to_slab(const msd_real *records, msd_real *slab, size_t stride, size_t first, size_t last) {
  for (size_t i = first; i < last; i++)
    for (size_t c = 0; c < 3; c++) {
      slab[c * stride + i] = records[i * RECORD_SIZE + c];
      slab[(c + 3) * stride + i] = records[i * RECORD_SIZE + RECORD_QUAD + c];
    }
}
