/* What impulses gave: kept when there come to be more of them, and when there is no memory. */
#include "tests/support/networks.h"
#include "tests/support/scarce_memory.h"

#include "engine/kernel/warm_start.h"

static memory granting(scarce *left) {
  return (memory){.allocator = scarce_allocator(left), .limit = SIZE_MAX};
}

Test(given_impulses, more_of_them_keep_what_those_before_gave_last) {
  scarce left = {.left = 100};
  memory m = granting(&left);
  given_impulses g = {0};
  cr_assert(given_impulses_reserve(&g, &m, 3));
  for (int n = 0; n < 3; n++) {
    g.of[0][n] = -1;
    g.of[1][n] = (msd_real)(n + 1);
  }
  g.current = 1;
  cr_assert(given_impulses_reserve(&g, &m, 5));
  cr_assert_eq(g.count, 5);
  for (int n = 0; n < 5; n++)
    cr_assert_eq(g.of[g.current][n], n < 3 ? (msd_real)(n + 1) : 0);
  const given_impulses before = g;
  cr_assert(given_impulses_reserve(&g, &m, 4));
  cr_assert_eq(g.of[0], before.of[0], "there is room for 4 already");
  cr_assert_eq(g.count, 5);
  given_impulses_free(&g, &m);
  cr_assert_eq(m.used, 0);
}

Test(given_impulses, without_memory_nothing_changes) {
  for (int granted = 2; granted < 4; granted++) {
    scarce left = {.left = granted};
    memory m = granting(&left);
    given_impulses g = {0};
    cr_assert(given_impulses_reserve(&g, &m, 2));
    g.of[g.current][1] = 7;
    const given_impulses before = g;
    const size_t used = m.used;
    cr_assert_not(given_impulses_reserve(&g, &m, 9));
    cr_assert(g.of[0] == before.of[0] && g.of[1] == before.of[1] && g.count == 2);
    cr_assert_eq(g.of[g.current][1], 7);
    cr_assert_eq(m.used, used);
    given_impulses_free(&g, &m);
  }
}
