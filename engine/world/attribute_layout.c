#include "engine/world/attribute_layout.h"

#include <string.h>

/* Size of a scalar type in bytes; 0 for an unknown type. */
static size_t number_bytes(msd_scalar number) {
  static const size_t bytes[] = {[MSD_SCALAR_REAL] = sizeof(msd_real),
                                 [MSD_SCALAR_FLOAT] = sizeof(float),
                                 [MSD_SCALAR_DOUBLE] = sizeof(double),
                                 [MSD_SCALAR_BYTE] = 1};
  return number >= 0 && number < MSD_SCALAR_COUNT ? bytes[number] : 0;
}

const char *layout_fault(msd_memory_layout layout, int components) {
  const size_t bytes = number_bytes(layout.number);
  if (bytes == 0)
    return "the number must be MSD_SCALAR_REAL, _FLOAT, _DOUBLE or _BYTE";
  const size_t element = layout.component_stride == 0 ? (size_t)components * bytes : bytes;
  if (layout.stride != 0 && layout.stride < element)
    return "the stride must be 0, or have room for an element";
  return layout.component_stride != 0 && layout.component_stride < bytes
             ? "the component_stride must be 0, or have room for a number"
             : NULL;
}

msd_memory_layout layout_complete(msd_memory_layout layout, int components) {
  const size_t bytes = number_bytes(layout.number);
  const bool is_together = layout.component_stride == 0;
  if (is_together)
    layout.component_stride = bytes;
  if (layout.stride == 0)
    layout.stride = is_together ? (size_t)components * bytes : bytes;
  if (layout.number == MSD_SCALAR_REAL)
    layout.number = sizeof(msd_real) == sizeof(float) ? MSD_SCALAR_FLOAT : MSD_SCALAR_DOUBLE;
  return layout;
}

#define PUT(type)                                                                                            \
  for (int c = 0; c < components; c++)                                                                       \
    for (int32_t i = 0; i < count; i++) {                                                                    \
      const type number = (type)value[c][i];                                                                 \
      memcpy(at + (size_t)i * layout.stride + (size_t)c * layout.component_stride, &number, sizeof number);  \
    }

void layout_put(msd_memory_layout layout, int components, int32_t first, int32_t count,
                double (*value)[LAYOUT_BLOCK], void *to) {
  unsigned char *at = (unsigned char *)to + (size_t)first * layout.stride;
  if (layout.number == MSD_SCALAR_FLOAT)
    PUT(float)
  else if (layout.number == MSD_SCALAR_DOUBLE)
    PUT(double)
  else
    PUT(uint8_t)
}

#define GET(type)                                                                                            \
  for (int c = 0; c < components; c++)                                                                       \
    for (int32_t i = 0; i < count; i++) {                                                                    \
      type number;                                                                                           \
      memcpy(&number, at + (size_t)i * layout.stride + (size_t)c * layout.component_stride, sizeof number);  \
      value[c][i] = (double)number;                                                                          \
    }

void layout_get(msd_memory_layout layout, int components, int32_t first, int32_t count,
                double (*value)[LAYOUT_BLOCK], const void *from) {
  const unsigned char *at = (const unsigned char *)from + (size_t)first * layout.stride;
  if (layout.number == MSD_SCALAR_FLOAT)
    GET(float)
  else if (layout.number == MSD_SCALAR_DOUBLE)
    GET(double)
  else
    GET(uint8_t)
}
