/* Blocks out of chunks; where there are no chunks, there is nothing to be seen. */
#include "engine/base/arena.h"

#include <criterion/criterion.h>
#include <stdint.h>
#include <string.h>

enum { HELD = 4 << 20, BLOCK = 64 << 10, BLOCKS = 40 };

static bool are_there(void) {
  memory_chunk *chunks = NULL, *of;
  void *block = arena_take(&chunks, BLOCK, HELD, false, &of);
  if (block)
    arena_release(&chunks, of, block, BLOCK);
  return block != NULL;
}

Test(chunks, what_is_small_or_large_and_what_little_is_held_beside_is_taken_elsewhere) {
  memory_chunk *chunks = NULL, *of;
  cr_assert_null(arena_take(&chunks, 1000, HELD, false, &of));
  cr_assert_null(arena_take(&chunks, (size_t)8 << 20, HELD, false, &of));
  cr_assert_null(arena_take(&chunks, BLOCK, 1000, false, &of));
  cr_assert_null(chunks);
}

/* A block and what is written all over it. */
typedef struct filled_block {
  unsigned char *at;
  memory_chunk *of;
  size_t bytes;
  unsigned char value;
} filled_block;

static void assert_has(const filled_block *b, unsigned char value) {
  cr_assert_eq((uintptr_t)b->at % 64, 0);
  size_t wrong = 0;
  for (size_t n = 0; n < b->bytes; n++)
    wrong += b->at[n] != value;
  cr_assert_eq(wrong, 0, "%zu bytes of %zu", wrong, b->bytes);
}

static void give_back(memory_chunk **chunks, filled_block *b) {
  assert_has(b, b->value);
  arena_release(chunks, b->of, b->at, b->bytes);
  b->at = NULL;
}

Test(chunks, blocks_begin_as_zeros_and_keep_what_is_written_into_them) {
  if (!are_there())
    cr_skip_test("there are none");
  memory_chunk *chunks = NULL;
  filled_block blocks[BLOCKS] = {{0}};
  uint32_t random = 1;
  for (int round = 1; round < 1000; round++) {
    random = random * 1664525u + 1013904223u;
    filled_block *b = &blocks[(random >> 8) % BLOCKS];
    if (b->at)
      give_back(&chunks, b);
    *b = (filled_block){.bytes = BLOCK / 4 + (random >> 16) * (round % 10 == 0 ? 40 : 2),
                        .value = (unsigned char)round};
    b->at = arena_take(&chunks, b->bytes, HELD, true, &b->of);
    cr_assert_not_null(b->at);
    assert_has(b, 0);
    memset(b->at, b->value, b->bytes);
  }
  for (int n = 0; n < BLOCKS; n++)
    if (blocks[n].at)
      give_back(&chunks, &blocks[n]);
  cr_assert_null(chunks, "with the last block all of it is given back");
}

Test(chunks, what_lies_side_by_side_is_taken_again_as_one) {
  if (!are_there())
    cr_skip_test("there are none");
  memory_chunk *chunks = NULL, *of[4];
  char *block[4];
  for (int n = 0; n < 4; n++) {
    block[n] = arena_take(&chunks, BLOCK, HELD, false, &of[n]);
    cr_assert_eq(of[n], of[0]);
  }
  for (int n = 0; n < 2; n++) {
    const int first = n == 0 ? 1 : 2;
    arena_release(&chunks, of[0], block[first], BLOCK);
    arena_release(&chunks, of[0], block[3 - first], BLOCK);
    char *both = arena_take(&chunks, 2 * BLOCK, HELD, false, &of[1]);
    cr_assert_eq(both, block[1]);
    arena_release(&chunks, of[0], both, 2 * BLOCK);
    for (int other = 2; other > 0; other--)
      cr_assert_eq(arena_take(&chunks, BLOCK, HELD, false, &of[1]), block[other]);
  }
  for (int n = 0; n < 4; n++)
    arena_release(&chunks, of[0], block[n], BLOCK);
  cr_assert_null(chunks);
}
