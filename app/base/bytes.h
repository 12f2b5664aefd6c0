/* Numbers as bytes of a stated order, for binary files. */
#ifndef MSD_APP_BASE_BYTES_H
#define MSD_APP_BASE_BYTES_H

#include <msd/msd.h>

#include <stdbool.h>
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

/* Whether numbers are in memory with the least significant byte first, which compilers know. */
static inline bool bytes_are_little(void) {
  const uint16_t one = 1;
  unsigned char first;
  memcpy(&first, &one, sizeof first);
  return first == 1;
}

/* The lowest `count` bytes of a number the other way round, for 4 and 8: one instruction. Of 4, what stands
   above them is no part of it. */
static inline uint64_t bytes_turned(uint64_t x, int count) {
  x = (x & UINT64_C(0x00ff00ff00ff00ff)) << 8 | (x >> 8 & UINT64_C(0x00ff00ff00ff00ff));
  x = (x & UINT64_C(0x0000ffff0000ffff)) << 16 | (x >> 16 & UINT64_C(0x0000ffff0000ffff));
  return count == 8 ? x << 32 | x >> 32 : x;
}

/* The lowest bytes of a number, 4 or 8, as they are in memory. Bytes that are written one by one are not always
   made one again, where numbers follow each other. */
static inline void bytes_store(unsigned char *to, uint64_t bits, int count) {
  const uint32_t low = (uint32_t)bits;
  if (count == 4)
    memcpy(to, &low, sizeof low);
  else
    memcpy(to, &bits, sizeof bits);
}

/* The lowest `count` bytes of `bits`, least significant first. */
static inline void bytes_store_little(unsigned char *to, uint64_t bits, int count) {
  if (count == 4 || count == 8) {
    bytes_store(to, bytes_are_little() ? bits : bytes_turned(bits, count), count);
    return;
  }
  for (int i = 0; i < count; i++)
    to[i] = (unsigned char)(bits >> (8 * i));
}

static inline uint64_t bytes_load_little(const unsigned char *from, int count) {
  uint64_t bits = 0;
  if (count == 8) {
    memcpy(&bits, from, sizeof bits);
    return bytes_are_little() ? bits : bytes_turned(bits, count);
  }
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
  if (count == 4 || count == 8) {
    bytes_store(to, bytes_are_little() ? bytes_turned(bits, count) : bits, count);
    return to + count;
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
