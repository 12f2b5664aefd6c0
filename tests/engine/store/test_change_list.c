/* What a list tells of what has changed since when. */
#include "engine/store/change_list.h"

#include <criterion/criterion.h>

static memory plenty(void) {
  return (memory){.allocator = memory_default_allocator(), .limit = SIZE_MAX};
}

Test(change_list, tells_all_that_has_changed_since_any_count_that_it_reaches_back_to) {
  memory m = plenty();
  revision r = {.definitions = 10};
  change_list list = {.items = NULL};
  change_range range = {0, 0, false};
  for (int32_t n = 0; n < 200; n++)
    change_list_add(&list, &m, &r, n % 2 ? n : change_of_particle(n), 1000, true);
  cr_assert_eq(r.definitions, 210);
  for (uint64_t before = 10; before <= 210; before++) {
    cr_assert(change_list_since(&list, before, r.definitions, &range));
    cr_assert_eq((uint64_t)(range.end - range.first), 210 - before);
    for (int32_t n = range.first; n < range.end; n++)
      cr_assert_eq(list.items[n], n % 2 ? n : -1 - n);
  }
  cr_assert_not(change_list_since(&list, 9, r.definitions, &range), "it was empty until then");
  change_list_free(&list, &m);
  cr_assert_eq(m.used, 0);
}

Test(change_list, does_not_tell_what_has_changed_without_an_entry) {
  memory m = plenty();
  revision r = {.definitions = 1};
  change_list list = {.items = NULL};
  change_range range = {0, 0, false};
  change_list_add(&list, &m, &r, 3, 100, true);
  r.definitions++;
  cr_assert_not(change_list_since(&list, 1, r.definitions, &range));
  cr_assert_not(change_list_since(&list, 2, r.definitions, &range));
  change_list_add(&list, &m, &r, 4, 100, true);
  cr_assert_not(change_list_since(&list, 2, r.definitions, &range));
  cr_assert(change_list_since(&list, 3, r.definitions, &range));
  cr_assert_eq(range.end - range.first, 1);
  cr_assert_eq(list.items[range.first], 4);
  change_list_free(&list, &m);
}

Test(change_list, forgets_what_would_be_more_than_pays_or_has_no_memory) {
  memory m = plenty();
  change_range range = {0, 0, false};
  for (int is_scarce = 0; is_scarce < 2; is_scarce++) {
    revision r = {.definitions = 1};
    change_list list = {.items = NULL};
    m.limit = is_scarce ? 0 : SIZE_MAX;
    for (int32_t n = 0; n < 70; n++)
      change_list_add(&list, &m, &r, n, 70, true);
    cr_assert_eq(change_list_since(&list, 1, r.definitions, &range), !is_scarce);
    change_list_add(&list, &m, &r, 70, 70, true);
    cr_assert_not(change_list_since(&list, 1, r.definitions, &range));
    cr_assert(change_list_since(&list, r.definitions, r.definitions, &range), "nothing has changed since");
    cr_assert_eq(range.first, range.end);
    change_list_free(&list, &m);
  }
}

Test(change_list, all_relax_until_one_does_not) {
  memory m = plenty();
  revision r = {.definitions = 1};
  change_list list = {.items = NULL};
  change_range range = {0, 0, false};
  for (int32_t n = 0; n < 9; n++)
    change_list_add(&list, &m, &r, n, 100, n != 4);
  for (uint64_t before = 1; before <= r.definitions; before++) {
    cr_assert(change_list_since(&list, before, r.definitions, &range));
    cr_assert_eq(range.relaxes, before >= 6, "since %d", (int)before);
  }
  change_list_free(&list, &m);
}
