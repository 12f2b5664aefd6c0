/* app/base/bytes.h */
#include "app/base/bytes.h"

#include <criterion/criterion.h>

#include <string.h>

static const uint64_t pattern = UINT64_C(0xf1e2d3c4b5a69788);

/* Byte n of it, from the least significant. */
static unsigned char byte_of(int n) {
  static const unsigned char bytes[8] = {0x88, 0x97, 0xa6, 0xb5, 0xc4, 0xd3, 0xe2, 0xf1};
  return bytes[n];
}

enum { BEYOND = 0x55 };

static void expect_bytes(const unsigned char *found, const unsigned char *end, int count, bool is_big) {
  cr_assert_eq(end - found, count);
  for (int n = 0; n < count; n++)
    cr_expect_eq(found[n], byte_of(is_big ? count - 1 - n : n), "byte %d of %d", n, count);
  cr_expect_eq(found[count], BEYOND, "more than %d bytes are written", count);
}

/* At every place in memory, since a file need not be aligned. */
Test(bytes, numbers_of_every_length_are_written_in_the_order_that_is_asked_for) {
  for (int count = 1; count <= 8; count++)
    for (int at = 0; at < 8; at++) {
      unsigned char bytes[24];
      memset(bytes, BEYOND, sizeof bytes);
      expect_bytes(bytes + at, bytes_put_little(bytes + at, pattern, count), count, false);
      memset(bytes, BEYOND, sizeof bytes);
      expect_bytes(bytes + at, bytes_put_big(bytes + at, pattern, count), count, true);
    }
}

Test(bytes, numbers_of_every_length_are_read_from_the_least_significant_byte_on) {
  unsigned char bytes[16];
  for (int at = 0; at < 8; at++) {
    for (int n = 0; n < 8; n++)
      bytes[at + n] = byte_of(n);
    for (int count = 1; count <= 8; count++)
      cr_expect_eq(bytes_load_little(bytes + at, count), pattern & (UINT64_MAX >> (64 - 8 * count)));
  }
}

Test(bytes, the_bytes_of_a_number_are_turned_among_four_and_among_eight) {
  cr_expect_eq((uint32_t)bytes_turned(pattern, 4), 0x8897a6b5u);
  cr_expect_eq(bytes_turned(pattern, 8), UINT64_C(0x8897a6b5c4d3e2f1));
}
