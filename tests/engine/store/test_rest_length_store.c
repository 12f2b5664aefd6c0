#include "engine/store/rest_length_track.h"

#include <criterion/criterion.h>

static const int32_t ORDER[] = {5, 2, 9, 7, 0, 2, 9};

static rest_length_store make(memory *m) {
  rest_length_store s = {0};
  for (size_t n = 0; n < sizeof ORDER / sizeof *ORDER; n++)
    cr_assert(rest_move_send(&s, m, ORDER[n], (msd_real)n));
  return s;
}

static void expect(const rest_length_store *s, int32_t count, const int32_t *springs, const int *targets) {
  cr_assert_eq(s->count, count);
  for (int32_t n = 0; n < count; n++)
    cr_expect(s->items[n].spring == springs[n] && s->items[n].target == (msd_real)targets[n], "%d", (int)n);
}

Test(rest_move, each_spring_has_its_last_target_in_the_order_of_the_springs) {
  memory m = {.allocator = memory_default_allocator(), .limit = 1 << 20};
  rest_length_store s = make(&m);
  expect(&s, 5, (const int32_t[]){0, 2, 5, 7, 9}, (const int[]){4, 5, 0, 3, 6});
  growth_free(&rest_move_growth, &s, &m);
}

Test(rest_move, what_is_canceled_is_gone_and_nothing_else) {
  memory m = {.allocator = memory_default_allocator(), .limit = 1 << 20};
  rest_length_store s = make(&m);
  rest_move_cancel(&s, 5);
  rest_move_cancel(&s, 6);
  rest_move_cancel(&s, 9);
  rest_move_cancel(&s, 10);
  expect(&s, 3, (const int32_t[]){0, 2, 7}, (const int[]){4, 5, 3});
  growth_free(&rest_move_growth, &s, &m);
}

Test(rest_move, without_memory_what_there_was_stays) {
  memory m = {.allocator = memory_default_allocator(), .limit = 1 << 20};
  rest_length_store s = make(&m);
  m.limit = 1;
  int32_t next = 100;
  while (s.count < s.capacity)
    cr_assert(rest_move_send(&s, &m, next++, 0));
  const int32_t count = s.count;
  cr_expect(!rest_move_send(&s, &m, next, 0));
  cr_expect(rest_move_send(&s, &m, 7, 42), "it has its place");
  cr_expect_eq(s.count, count);
  cr_expect(s.items[3].spring == 7 && s.items[3].target == 42);
  growth_free(&rest_move_growth, &s, &m);
}
