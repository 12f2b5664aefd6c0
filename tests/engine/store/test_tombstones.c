/* Gaps in indices: who has them, and where the rest goes. */
#include "engine/store/tombstones.h"

#include <criterion/criterion.h>
#include <string.h>

Test(gaps, those_are_gaps_that_were_added_and_nothing_behind_them) {
  memory m = {.allocator = memory_default_allocator(), .limit = SIZE_MAX};
  tombstone_store g = {.count = 0};
  cr_assert(tombstones_cover(&g, &m, MSD_OBJECT_SPRING, 5));
  tombstones_add(&g, MSD_OBJECT_SPRING, 1);
  tombstones_add(&g, MSD_OBJECT_SPRING, 4);
  for (int32_t i = 0; i < 9; i++) {
    cr_expect_eq(tombstones_have(&g, MSD_OBJECT_SPRING, i), i == 1 || i == 4);
    cr_expect_not(tombstones_have(&g, MSD_OBJECT_PARTICLE, i));
  }
  int32_t to[7];
  tombstones_list_moves(&g, MSD_OBJECT_SPRING, 7, to);
  const int32_t expected[7] = {0, -1, 1, 2, -1, 3, 4};
  cr_expect_eq(memcmp(to, expected, sizeof to), 0);
  cr_expect(g.count == 2 && g.of[MSD_OBJECT_SPRING].count == 2);
  cr_assert(tombstones_cover(&g, &m, MSD_OBJECT_SPRING, 100));
  cr_expect(tombstones_have(&g, MSD_OBJECT_SPRING, 4) && !tombstones_have(&g, MSD_OBJECT_SPRING, 99));
  tombstones_free(&g, &m);
  cr_expect(m.used == 0 && g.count == 0);
}

Test(gaps, the_mark_tells_which_they_are_and_not_in_which_order_they_came) {
  memory m = {.allocator = memory_default_allocator(), .limit = SIZE_MAX};
  uint64_t marks[4];
  for (int n = 0; n < 4; n++) {
    tombstone_store g = {.count = 0};
    const msd_object item = n == 2 ? MSD_OBJECT_SOFT_PIN : MSD_OBJECT_ROTOR;
    cr_assert(tombstones_cover(&g, &m, item, 9));
    tombstones_add(&g, item, n == 1 ? 7 : 3);
    tombstones_add(&g, item, n == 1 ? 3 : n == 3 ? 8 : 7);
    marks[n] = g.mark;
    tombstones_free(&g, &m);
  }
  cr_expect_eq(marks[0], marks[1]);
  cr_expect(marks[2] != marks[0] && marks[3] != marks[0] && marks[2] != marks[3]);
}
