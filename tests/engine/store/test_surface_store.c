/* What the store of surfaces keeps: which of them ignore each other. */
#include "engine/store/surface.h"

#include "tests/support/soft_pins.h"

enum { SURFACES = 9 };

static surface_store store_of_some(memory *m) {
  static const int32_t triangle[] = {0, 1, 2};
  particle_store p = {0};
  surface_store s = {0};
  cr_assert(particle_store_reserve(&p, m, 3));
  cr_assert(surface_store_reserve(&s, m, SURFACES, SURFACES, 0, 3));
  p.count = 3;
  const msd_collision_mesh_def def = {.triangles = triangle, .triangle_count = 1, .self_collision = true};
  for (int n = 0; n < SURFACES; n++)
    surface_store_append(&s, &p, &def);
  particle_store_free(&p, m);
  return s;
}

/* Against a table, in any order and more than once. */
Test(surface_store, those_ignore_each_other_that_were_told_to) {
  for (uint64_t seed = 1; seed <= 20; seed++) {
    generator random = {seed};
    memory m = {.allocator = memory_default_allocator(), .limit = SIZE_MAX};
    surface_store s = store_of_some(&m);
    bool table[SURFACES][SURFACES] = {{false}};
    for (int n = 0; n < 40; n++) {
      const int a = (int)(next_unit(&random) * SURFACES), b = (int)(next_unit(&random) * SURFACES);
      cr_assert(surface_store_reserve_ignored(&s, &m, (int64_t)s.ignored_count + 1));
      surface_store_ignore(&s, a, b);
      table[a][b] = table[b][a] = true;
    }
    for (int a = 0; a < SURFACES; a++)
      for (int b = 0; b < SURFACES; b++)
        cr_expect_eq(surface_store_ignores(&s, a, b), table[a][b], "%d and %d", a, b);
    int32_t touching = 0;
    for (int a = 0; a < SURFACES; a++)
      for (int b = a; b < SURFACES; b++)
        touching += !table[a][b];
    cr_expect_eq(surface_store_touching(&s), touching);
    for (int32_t n = 0; n < s.ignored_count; n++)
      cr_expect(s.ignored[n].low < s.ignored[n].high && (n == 0 || s.ignored[n - 1].low <= s.ignored[n].low));
    surface_store_free(&s, &m);
    cr_expect_eq(m.used, 0);
  }
}
