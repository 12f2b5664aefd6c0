/* The memory of a world with its budget. */
#include "engine/base/memory.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static memory budget(size_t limit) {
  return (memory){.allocator = memory_default_allocator(), .limit = limit};
}

Test(memory, the_default_allocator_aligns_to_64_bytes) {
  const msd_allocator a = memory_default_allocator();
  for (size_t bytes = 0; bytes < 300; bytes++) {
    unsigned char *block = a.allocate(bytes, a.context);
    cr_assert_not_null(block);
    cr_assert_eq((uintptr_t)block % 64, 0);
    memset(block, 0xa5, bytes);
    a.release(block, a.context);
  }
}

Test(memory, the_default_allocator_refuses_sizes_that_overflow) {
  const msd_allocator a = memory_default_allocator();
  for (size_t less = 0; less < 64; less++)
    cr_assert_null(a.allocate(SIZE_MAX - less, a.context));
}

Test(memory, memory_is_aligned_and_zeroed_also_where_it_was_used_before) {
  memory m = budget(SIZE_MAX);
  for (int round = 0; round < 50; round++)
    for (size_t bytes = 0; bytes < 500; bytes += 37) {
      unsigned char *block = memory_allocate(&m, bytes);
      cr_assert_not_null(block);
      cr_assert_eq((uintptr_t)block % 64, 0);
      for (size_t b = 0; b < bytes; b++)
        cr_assert_eq(block[b], 0);
      memset(block, 0xff, bytes);
      memory_release(&m, block);
    }
}

Test(memory, memory_in_use_is_the_sum_of_the_costs) {
  memory m = budget(SIZE_MAX);
  void *blocks[20];
  size_t expected = 0;
  for (size_t i = 0; i < 20; i++) {
    blocks[i] = memory_allocate(&m, i * 100);
    expected += memory_cost(i * 100);
    cr_assert(memory_cost(i * 100) >= i * 100);
    cr_assert_eq(m.used, expected);
  }
  for (size_t i = 20; i-- > 0;) {
    memory_release(&m, blocks[i]);
    expected -= memory_cost(i * 100);
    cr_assert_eq(m.used, expected);
  }
  cr_assert_eq(m.used, 0);
}

Test(memory, the_limit_may_be_reached_and_not_passed) {
  memory m = budget(memory_cost(1000) + memory_cost(24));
  void *first = memory_allocate(&m, 1000);
  cr_assert_not_null(first);
  cr_assert_null(memory_allocate(&m, 25));
  cr_assert_eq(m.used, memory_cost(1000), "a refused request counts as used");
  void *second = memory_allocate(&m, 24);
  cr_assert_not_null(second);
  cr_assert_eq(m.used, m.limit);
  cr_assert_null(memory_allocate(&m, 0));
  memory_release(&m, first);
  first = memory_allocate(&m, 1000);
  cr_assert_not_null(first);
  memory_release(&m, first);
  memory_release(&m, second);
}

Test(memory, a_limit_lowered_below_what_is_used_refuses_everything) {
  memory m = budget(SIZE_MAX);
  void *block = memory_allocate(&m, 1000);
  m.limit = 10;
  cr_assert_null(memory_allocate(&m, 0));
  memory_release(&m, block);
  cr_assert_eq(m.used, 0);
}

Test(memory, sizes_that_overflow_are_refused_whatever_the_limit) {
  memory m = budget(SIZE_MAX);
  for (size_t less = 0; less < 64; less++)
    cr_assert_null(memory_allocate(&m, SIZE_MAX - less));
  cr_assert_eq(m.used, 0);
  cr_assert_eq(memory_cost(SIZE_MAX), SIZE_MAX);
}

Test(memory, items_whose_bytes_cannot_be_counted_are_refused) {
  memory m = budget(SIZE_MAX);
  cr_assert_null(memory_allocate_items(&m, INT64_MAX, 16));
  cr_assert_null(memory_allocate_items(&m, (int64_t)1 << 61, 16)); /* 2^65, which is 0 in 64 bits */
  cr_assert_null(memory_allocate_unset_items(&m, INT64_MAX, 16));
  cr_assert_null(memory_allocate_unset_items(&m, (int64_t)1 << 61, 16));
  void *block = memory_allocate_items(&m, 10, 16);
  cr_assert_eq(m.used, memory_cost(160));
  memory_release(&m, block);
  block = memory_allocate_unset_items(&m, 10, 16);
  cr_assert_eq(m.used, memory_cost(160));
  memory_release(&m, block);
}

Test(memory, releasing_nothing_is_allowed) {
  memory m = budget(SIZE_MAX);
  memory_release(&m, NULL);
  cr_assert_eq(m.used, 0);
}

typedef struct counted {
  int asked, given, released;
  int fail_from; /* the first request that gets nothing */
} counted;

static void *counted_allocate(size_t bytes, void *context) {
  counted *c = context;
  if (c->asked++ >= c->fail_from)
    return NULL;
  c->given++;
  return memory_default_allocator().allocate(bytes, NULL);
}

static void counted_release(void *block, void *context) {
  counted *c = context;
  c->released++;
  memory_default_allocator().release(block, NULL);
}

Test(memory, an_allocator_without_memory_leaves_the_account_as_it_was) {
  counted c = {.fail_from = 1};
  memory m = {.allocator = {counted_allocate, counted_release, &c}, .limit = SIZE_MAX};
  void *block = memory_allocate(&m, 64);
  cr_assert_not_null(block);
  const size_t used = m.used;
  cr_assert_null(memory_allocate(&m, 64));
  cr_assert_eq(m.used, used);
  memory_release(&m, block);
  cr_assert_eq(m.used, 0);
  cr_assert_eq(c.given, c.released);
}

Test(memory, a_world_gets_all_its_memory_from_its_allocator_and_gives_all_of_it_back) {
  counted c = {.fail_from = INT32_MAX};
  msd_world_def def = msd_default_world_def();
  def.allocator = (msd_allocator){counted_allocate, counted_release, &c};
  def.integrator = MSD_RK4;
  msd_world *world;
  cr_assert_eq(msd_create_world(&def, &world), MSD_OK);
  msd_cloth_def cloth = msd_default_cloth_def();
  cloth.columns = cloth.rows = 9;
  cr_assert_eq(msd_add_cloth(world, &cloth, NULL), MSD_OK);
  cr_assert_eq(msd_particle_pin(world, 0), MSD_OK);
  cr_assert_eq(msd_particle_move_to(world, 0, (msd_vec3){0, 1, 0}), MSD_OK);
  cr_assert_eq(msd_particle_apply_force(world, 5, (msd_vec3){0, 1, 0}), MSD_OK);
  cr_assert_eq(msd_world_step(world, (msd_real)0.01, 2), MSD_OK);
  msd_stability report;
  cr_assert_eq(msd_world_analyze_stability(world, (msd_real)0.01, &report), MSD_OK);
  cr_assert(c.given > 10);
  msd_destroy_world(world);
  cr_assert_eq(c.given, c.released, "%d blocks taken, %d given back", c.given, c.released);
}
