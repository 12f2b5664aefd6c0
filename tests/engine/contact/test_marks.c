#include "engine/contact/flags.h"

#include <criterion/criterion.h>

enum { SLOTS = 261, ONE = 1, OTHER = 4 };

Test(marks, all_that_have_one_of_the_marks_are_found_in_order) {
  for (int32_t step = 1; step < SLOTS; step++) {
    uint8_t marked[SLOTS] = {0};
    for (int32_t slot = 0; slot < SLOTS; slot++)
      marked[slot] = slot % step == step / 2 ? ONE : slot % 3 == 0 ? OTHER : 0;
    int32_t expected = 0;
    for (int32_t slot = marks_next(marked, ONE, 0, SLOTS); slot < SLOTS;
         slot = marks_next(marked, ONE, slot + 1, SLOTS)) {
      while (!(marked[expected] & ONE))
        expected++;
      cr_assert_eq(slot, expected++);
    }
    for (; expected < SLOTS; expected++)
      cr_assert_not(marked[expected] & ONE);
  }
}

Test(marks, what_has_none_has_no_first) {
  const uint8_t marked[SLOTS] = {[7] = OTHER, [SLOTS - 1] = OTHER};
  cr_assert_eq(marks_next(marked, ONE, 0, SLOTS), SLOTS);
  cr_assert_eq(marks_next(marked, ONE, SLOTS, SLOTS), SLOTS);
  cr_assert_eq(marks_next(marked, OTHER, 8, SLOTS), SLOTS - 1);
  cr_assert_eq(marks_next(marked, OTHER, 0, 0), 0);
}
