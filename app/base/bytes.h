/* Numbers as bytes of a stated order, for binary files. */
#ifndef MSD_APP_BASE_BYTES_H
#define MSD_APP_BASE_BYTES_H

#include <msd/msd.h>

#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { BYTES_REAL = (int)sizeof(msd_real) };

/* The bits of a number of the world's precision, in the lowest BYTES_REAL bytes. */
static inline uint64_t bytes_of_real(msd_real value) {
#ifdef MSD_DOUBLE
  uint64_t bits;
#else
  uint32_t bits;
#endif
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

static inline uint32_t bytes_of_float(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

static inline uint64_t bytes_of_double(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

static inline double bytes_to_double(uint64_t bits) {
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

/* The lowest `count` bytes of `bits`, least significant first. Four are written out, as most are, so that the
   compiler sees that they are one number. */
static inline void bytes_store_little(unsigned char *to, uint64_t bits, int count) {
  if (count == 4) {
    to[0] = (unsigned char)bits;
    to[1] = (unsigned char)(bits >> 8);
    to[2] = (unsigned char)(bits >> 16);
    to[3] = (unsigned char)(bits >> 24);
    return;
  }
  for (int i = 0; i < count; i++)
    to[i] = (unsigned char)(bits >> (8 * i));
}

static inline uint64_t bytes_load_little(const unsigned char *from, int count) {
  uint64_t bits = 0;
  for (int i = 0; i < count; i++)
    bits |= (uint64_t)from[i] << (8 * i);
  return bits;
}

/* The same, and most significant first; both return where they end, so that a record is written as a whole. */
static inline unsigned char *bytes_put_little(unsigned char *to, uint64_t bits, int count) {
  bytes_store_little(to, bits, count);
  return to + count;
}

static inline unsigned char *bytes_put_big(unsigned char *to, uint64_t bits, int count) {
  if (count == 4) {
    to[0] = (unsigned char)(bits >> 24);
    to[1] = (unsigned char)(bits >> 16);
    to[2] = (unsigned char)(bits >> 8);
    to[3] = (unsigned char)bits;
    return to + 4;
  }
  for (int i = 0; i < count; i++)
    to[i] = (unsigned char)(bits >> (8 * (count - 1 - i)));
  return to + count;
}

/* Errors stay with the stream, for output_file_commit to find. */
static inline void bytes_write_little(FILE *stream, uint64_t bits, int count) {
  unsigned char bytes[8];
  bytes_store_little(bytes, bits, count);
  fwrite(bytes, 1, (size_t)count, stream);
}

static inline void bytes_write_big(FILE *stream, uint64_t bits, int count) {
  unsigned char bytes[8];
  bytes_put_big(bytes, bits, count);
  fwrite(bytes, 1, (size_t)count, stream);
}

#endif
