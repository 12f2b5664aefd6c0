/* Numbers of binary files that have their low bytes first. */
#ifndef MSD_SCENES_MESHES_LITTLE_ENDIAN_H
#define MSD_SCENES_MESHES_LITTLE_ENDIAN_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Of 1 to 4 bytes. */
static inline uint32_t little_endian_whole(const char *bytes, size_t count) {
  uint32_t value = 0;
  for (size_t b = count; b-- > 0;)
    value = value << 8 | (unsigned char)bytes[b];
  return value;
}

/* Of 4 bytes. */
static inline double little_endian_float(const char *bytes) {
  const uint32_t bits = little_endian_whole(bytes, 4);
  float value;
  memcpy(&value, &bits, sizeof value);
  return (double)value;
}

#endif
