/* What is at each particle, against all items one by one. */
#include "tests/support/networks.h"

#include "engine/store/incidence.h"

enum { PARTICLES = 17, ITEMS = 60 };

/* None to all corners, of which no two are the same. */
static int corners_of(const void *context, int32_t item, int32_t corners[INCIDENCE_CORNERS_MAX]) {
  const int32_t step = *(const int32_t *)context;
  for (int32_t n = 0; n < item % (INCIDENCE_CORNERS_MAX + 1); n++)
    corners[n] = (item + n * step) % PARTICLES;
  return item % (INCIDENCE_CORNERS_MAX + 1);
}

static bool touches(int32_t step, int32_t item, int32_t particle) {
  int32_t corners[INCIDENCE_CORNERS_MAX];
  for (int n = corners_of(&step, item, corners); n > 0; n--)
    if (corners[n - 1] == particle)
      return true;
  return false;
}

Test(incidence, lists_what_is_at_each_particle_once_and_in_order) {
  const int32_t step = 3;
  memory m = {.allocator = memory_default_allocator(), .limit = SIZE_MAX};
  incidence at;
  cr_assert(incidence_find(&at, &m, PARTICLES, ITEMS, corners_of, &step));
  cr_assert_eq(at.first[0], 0);
  for (int32_t i = 0; i < PARTICLES; i++) {
    int32_t n = at.first[i];
    for (int32_t item = 0; item < ITEMS; item++)
      if (touches(step, item, i))
        cr_assert_eq(at.item[n++], item);
    cr_assert_eq(n, at.first[i + 1]);
  }
  incidence_free(&at, &m);
  cr_assert_eq(m.used, 0);
}

/* What is at a particle from an item on, one by one. */
static void assert_visits(const incidence *at, int32_t step, int32_t items, int32_t particle, int32_t from) {
  incidence_visit here = incidence_at(at, particle, from);
  int32_t found;
  for (int32_t item = from; item < items; item++)
    if (touches(step, item, particle)) {
      cr_assert(incidence_next(&here, &found), "item %d at particle %d is missing", item, particle);
      cr_assert_eq(found, item, "%d at particle %d, and not %d", found, particle, item);
    }
  cr_assert_not(incidence_next(&here, &found));
}

Test(incidence, what_is_appended_is_visited_behind_the_others_in_order) {
  const int32_t step = 3;
  for (int32_t first = 0; first <= ITEMS; first += 12) {
    memory m = {.allocator = memory_default_allocator(), .limit = SIZE_MAX};
    incidence at;
    cr_assert(incidence_find(&at, &m, PARTICLES, first, corners_of, &step));
    for (int32_t items = first; items <= ITEMS; items += 1 + items % 7) {
      cr_assert(incidence_append(&at, &m, PARTICLES + items, items, corners_of, &step));
      for (int32_t i = 0; i < PARTICLES + items; i++)
        for (int32_t from = 0; from <= items; from += 9)
          assert_visits(&at, step, items, i, from);
    }
    incidence_free(&at, &m);
    cr_assert_eq(m.used, 0);
  }
}

Test(incidence, what_there_is_no_memory_to_append_is_left_out) {
  const int32_t step = 3;
  memory m = {.allocator = memory_default_allocator(), .limit = SIZE_MAX};
  incidence at;
  cr_assert(incidence_find(&at, &m, PARTICLES, ITEMS / 2, corners_of, &step));
  m.limit = m.used;
  int refused = 0;
  for (; !incidence_append(&at, &m, PARTICLES, ITEMS, corners_of, &step); m.limit += 64, refused++)
    for (int32_t i = 0; i < PARTICLES; i++)
      assert_visits(&at, step, ITEMS / 2, i, 0);
  cr_assert_gt(refused, 1);
  for (int32_t i = 0; i < PARTICLES; i++)
    assert_visits(&at, step, ITEMS, i, 0);
  incidence_free(&at, &m);
  cr_assert_eq(m.used, 0);
}

Test(incidence, without_memory_there_is_none) {
  const int32_t step = 3;
  memory m = {.allocator = memory_default_allocator()};
  incidence at;
  for (m.limit = 0; m.limit < 1200; m.limit += 100) {
    const bool done = incidence_find(&at, &m, PARTICLES, ITEMS, corners_of, &step);
    cr_assert(!done || (at.first && at.item));
    incidence_free(&at, &m);
    cr_assert_eq(m.used, 0);
  }
}
