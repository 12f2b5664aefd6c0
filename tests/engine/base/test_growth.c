/* Arrays that grow together: all or none, with room, and never past the limit. */
#include "engine/base/growth.h"

#include <criterion/criterion.h>

typedef struct shelf {
  int32_t count, capacity;
  int32_t *numbers;
  double *values;
  char *marks; /* optional */
} shelf;

enum { MOST = 1000, BEHIND = 3 };

static const growth_array arrays[] = {GROWTH_ARRAY(shelf, numbers), GROWTH_ARRAY(shelf, values),
                                      GROWTH_OPTIONAL_ARRAY(shelf, marks)};
static const growth_table shelf_growth =
    GROWTH(shelf, count, capacity, arrays, .most = MOST, .behind = BEHIND);

static memory plenty(void) {
  return (memory){.allocator = memory_default_allocator(), .limit = SIZE_MAX};
}

static void put(shelf *s, memory *m) {
  cr_assert(growth_reserve(&shelf_growth, s, m, s->count + 1));
  s->numbers[s->count] = 7 * s->count;
  s->values[s->count] = 0.5 * s->count;
  if (s->marks)
    s->marks[s->count] = (char)(s->count % 100);
  s->count++;
}

static void assert_as_put(const shelf *s) {
  for (int32_t i = 0; i < s->count; i++)
    cr_assert(s->numbers[i] == 7 * i && s->values[i] == 0.5 * i && (!s->marks || s->marks[i] == i % 100),
              "item %d of %d", i, s->count);
}

Test(growth, items_stay_and_adding_one_by_one_makes_room_for_half_as_many_more) {
  memory m = plenty();
  shelf s = {0};
  int grown = 0;
  for (int32_t n = 0; n < MOST; n++) {
    const int32_t capacity = s.capacity;
    put(&s, &m);
    grown += s.capacity != capacity;
    cr_assert_leq(s.capacity, MOST);
  }
  assert_as_put(&s);
  cr_assert_lt(grown, 20, "%d times", grown);
  cr_assert_null(s.marks, "nobody asked for it");
  growth_free(&shelf_growth, &s, &m);
  cr_assert(m.used == 0 && !s.numbers && !s.values && s.capacity == 0);
}

Test(growth, an_optional_array_grows_with_the_others) {
  memory m = plenty();
  shelf s = {.marks = memory_allocate(&m, BEHIND)};
  for (int32_t n = 0; n < 300; n++)
    put(&s, &m);
  assert_as_put(&s);
  growth_free(&shelf_growth, &s, &m);
  cr_assert_eq(m.used, 0);
}

Test(growth, what_fits_without_room_to_grow_is_made_to_fit) {
  memory m = plenty();
  shelf s = {0};
  while (s.count < 100)
    put(&s, &m);
  cr_assert(growth_resize(&shelf_growth, &s, &m, 100));
  /* While they are copied there are both. */
  const size_t both =
      m.used + memory_cost((101 + BEHIND) * sizeof(int32_t)) + memory_cost((101 + BEHIND) * sizeof(double));
  m.limit = both;
  put(&s, &m);
  cr_assert_eq(s.capacity, 101);
  assert_as_put(&s);
  growth_free(&shelf_growth, &s, &m);
}

Test(growth, without_memory_the_old_arrays_are_kept) {
  memory m = plenty();
  shelf s = {.marks = memory_allocate(&m, BEHIND)};
  while (s.count < 100)
    put(&s, &m);
  cr_assert(growth_resize(&shelf_growth, &s, &m, 100));
  const shelf before = s;
  const size_t used = m.used;
  for (size_t more = 0; more < 3000; more += 64) { /* enough for none, one, two of the three */
    m.limit = used + more;
    if (growth_reserve(&shelf_growth, &s, &m, 101))
      break;
    cr_assert(m.used == used && s.capacity == 100 && s.numbers == before.numbers &&
              s.values == before.values && s.marks == before.marks);
    cr_assert(m.over_limit);
    assert_as_put(&s);
  }
  cr_assert_eq(s.capacity, 101, "in the end there was enough");
  assert_as_put(&s);
  growth_free(&shelf_growth, &s, &m);
  cr_assert_eq(m.used, 0);
}

Test(growth, there_are_more_items_behind_the_last) {
  memory m = plenty();
  shelf s = {0};
  put(&s, &m);
  for (int32_t i = s.capacity; i < s.capacity + BEHIND; i++)
    cr_assert(s.numbers[i] == 0 && s.values[i] == 0);
  growth_free(&shelf_growth, &s, &m);
}

Test(growth, an_item_takes_what_its_arrays_take) {
  cr_assert_eq(growth_item_bytes(&shelf_growth), sizeof(int32_t) + sizeof(double));
}
