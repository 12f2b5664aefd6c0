#include "engine/contact/cluster_vertices.h"

#include "tests/support/networks.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

enum { COUNT = 700, LEAF = 16 };

static void number(int32_t *particles) {
  for (int32_t n = 0; n < COUNT; n++)
    particles[n] = n;
}

static void make_order(int32_t *particles, const msd_vec3 *rest, int threads) {
  memory m = {.allocator = memory_default_allocator(), .limit = SIZE_MAX};
  cr_assert(vertex_order_make(particles, COUNT, rest, LEAF, &m, NULL, threads));
  cr_assert_eq(m.used, 0);
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
    make_order(particles, rest, 1);
    cr_assert(is_permutation(particles));
  }
}

Test(vertex_order, along_a_line_leaves_follow_each_other) {
  msd_vec3 rest[COUNT] = {{0}};
  int32_t particles[COUNT];
  for (int32_t n = 0; n < COUNT; n++)
    rest[n].y = (msd_real)(n * 257 % COUNT);
  number(particles);
  make_order(particles, rest, 1);
  for (int32_t n = 0; n < COUNT; n++)
    cr_assert_eq((int32_t)rest[particles[n]].y / LEAF, n / LEAF);
}

/* Into groups of 16 leaves, leaves and vertices, each half holding what stands first along the longest side. */
static void assert_halved(const int32_t *particles, int32_t count, const msd_vec3 *rest) {
  if (count < 2)
    return;
  const int32_t group = count > 32 * LEAF ? 16 * LEAF
                        : count > LEAF    ? LEAF
                                          : 1,
                half = (count + group - 1) / group / 2 * group;
  const size_t sides[3] = {offsetof(msd_vec3, x), offsetof(msd_vec3, y), offsetof(msd_vec3, z)};
  double longest = -1, last = 0, next = 0;
  for (int axis = 0; axis < 3; axis++) {
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    for (int32_t n = 0; n < count; n++) {
      msd_real at;
      memcpy(&at, (const char *)&rest[particles[n]] + sides[axis], sizeof at);
      low[n >= half] = fmin(low[n >= half], (double)at);
      high[n >= half] = fmax(high[n >= half], (double)at);
    }
    const double length = fmax(high[0], high[1]) - fmin(low[0], low[1]);
    if (length > longest)
      longest = length, last = high[0], next = low[1];
  }
  cr_assert_leq(last, next);
  assert_halved(particles, half, rest);
  assert_halved(particles + half, count - half, rest);
}

Test(vertex_order, each_half_is_first_along_the_longest_side) {
  generator random = {.state = 2};
  msd_vec3 rest[COUNT];
  int32_t particles[COUNT];
  for (int kind = 0; kind < 3; kind++) {
    for (int32_t n = 0; n < COUNT; n++) {
      rest[n] = random_vector(&random, 1);
      if (kind == 1)
        rest[n].y = (msd_real)(n % 2 ? 0.0 : -0.0), rest[n].z = (msd_real)(n % 9 - 4);
    }
    number(particles);
    make_order(particles, rest, 1);
    cr_assert(is_permutation(particles));
    assert_halved(particles, COUNT, rest);
  }
}

Test(vertex_order, neither_threads_nor_the_order_given_change_it) {
  enum { MANY = 5000 };
  static msd_vec3 rest[MANY];
  static int32_t one[MANY], other[MANY];
  generator random = {.state = 3};
  memory m = {.allocator = memory_default_allocator(), .limit = SIZE_MAX};
  for (int32_t n = 0; n < MANY; n++) {
    rest[n] = random_vector(&random, 1);
    rest[n].x = (msd_real)(n % 70);
    one[n] = n;
    other[n] = MANY - 1 - n;
  }
  cr_assert(vertex_order_make(one, MANY, rest, LEAF, &m, NULL, 1));
  cr_assert(vertex_order_make(other, MANY, rest, LEAF, &m, NULL, 3));
  cr_assert_eq(memcmp(one, other, sizeof one), 0);
}
