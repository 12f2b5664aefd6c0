#include "engine/contact/vertex_order.h"

#include "tests/support/networks.h"

#include <criterion/criterion.h>

enum { COUNT = 700, LEAF = 16 };

static void number(int32_t *particles) {
  for (int32_t n = 0; n < COUNT; n++)
    particles[n] = n;
}

static bool is_permutation(const int32_t *particles) {
  bool seen[COUNT] = {false};
  for (int32_t n = 0; n < COUNT; n++) {
    if (particles[n] < 0 || particles[n] >= COUNT || seen[particles[n]])
      return false;
    seen[particles[n]] = true;
  }
  return true;
}

Test(vertex_order, every_particle_stays_in_the_order) {
  generator random = {.state = 1};
  msd_vec3 rest[COUNT];
  int32_t particles[COUNT];
  for (int kind = 0; kind < 4; kind++) {
    for (int32_t n = 0; n < COUNT; n++)
      rest[n] = random_vector(&random, kind == 0 ? 0 : 1); /* all in one place, or anywhere */
    for (int32_t n = 0; n < COUNT && kind == 2; n++)
      rest[n].x = (msd_real)(n / 7 % 5);
    number(particles);
    vertex_order_make(particles, COUNT, rest, LEAF);
    cr_assert(is_permutation(particles));
  }
}

Test(vertex_order, along_a_line_leaves_follow_each_other) {
  msd_vec3 rest[COUNT] = {{0}};
  int32_t particles[COUNT];
  for (int32_t n = 0; n < COUNT; n++)
    rest[n].y = (msd_real)(n * 257 % COUNT);
  number(particles);
  vertex_order_make(particles, COUNT, rest, LEAF);
  for (int32_t n = 0; n < COUNT; n++)
    cr_assert_eq((int32_t)rest[particles[n]].y / LEAF, n / LEAF);
}
