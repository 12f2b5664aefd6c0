/* What sticks is known again by the corners that it had. */
#include "engine/contact/friction_cache.h"

#include "tests/support/networks.h"
#include "tests/support/scarce_memory.h"

#include <math.h>

enum { PARTICLES = 24, PAIRS = 60 };

/* Pairs of particles whose slots are in another order than they are, and what sticks of them. */
typedef struct gripping {
  memory m;
  near_pairs near;
  friction_cache held;
  int32_t particle[PARTICLES];
  msd_real inverse_mass[PARTICLES];
} gripping;

static void begin(gripping *g) {
  *g = (gripping){.m = {.allocator = memory_default_allocator(), .limit = SIZE_MAX}};
  for (int32_t slot = 0; slot < PARTICLES; slot++) {
    g->particle[slot] = (5 * slot + 3) % PARTICLES;
    g->inverse_mass[slot] = 1;
  }
  cr_assert(near_pairs_reserve(&g->near, &g->m, PARTICLES));
  friction_cache_begin(&g->held, &g->m, PARTICLES);
}

static void end(gripping *g) {
  near_pairs_free(&g->near, &g->m);
  friction_cache_free(&g->held, &g->m);
  cr_assert_eq(g->m.used, 0);
}

static const near_witness witness_of[] = {
    [PAIR_POINT_TRIANGLE] = {{0, 1, 0}, {1, (msd_real)-0.5, (msd_real)-0.25, (msd_real)-0.25}},
    [PAIR_EDGE_EDGE] = {{0, 1, 0}, {(msd_real)0.5, (msd_real)0.5, (msd_real)-0.25, (msd_real)-0.75}}};

/* Four slots of their own for each pair of a kind; many begin with the same. */
static void find_slots(int32_t n, int32_t slots[PAIR_CORNERS]) {
  const int32_t first = n % 6;
  slots[0] = first;
  for (int corner = 1; corner < PAIR_CORNERS; corner++)
    slots[corner] = (first + corner * (1 + n / 6 % 7)) % PARTICLES;
}

/* Pairs come by two of the same slots, of either kind. */
static pair_kind kind_of(int32_t n) {
  return n % 2 ? PAIR_EDGE_EDGE : PAIR_POINT_TRIANGLE;
}

/* No two are held by the same way. */
static tangential_spring grip_of(int32_t n) {
  const msd_real more = (msd_real)n / 64;
  return (tangential_spring){{1 + more, more, -2 - more}, NEAR_STUCK_NEW, 3 + more};
}

static void put_pairs(gripping *g, int32_t count) {
  cr_assert(near_pairs_make_room(&g->near, &g->m, 0, count));
  for (int32_t n = 0; n < count; n++) {
    int32_t slots[PAIR_CORNERS];
    find_slots(n / 2, slots);
    near_pairs_put(&g->near, n, slots, &witness_of[kind_of(n)], 1, 1);
    const tangential_spring held = grip_of(n);
    near_pairs_set_tangential(&g->near, n, &held);
  }
  cr_assert(near_pairs_finish(&g->near, &g->m, 0, count, g->inverse_mass, NULL, 1));
}

/* Pairs that no substep has seen keep the grip that they were put with; no positions are read then. */
static void take_all(gripping *g) {
  cr_assert(friction_cache_make_room(&g->held, &g->m, g->near.count));
  near_kernel_choose(MSD_SIMD_WIDEST)->hold(&g->near, NULL, 0, (parallel_range){0, g->near.group_count});
  friction_cache_take(&g->held, &g->near, g->particle, NULL, 1);
  friction_cache_index(&g->held, NULL, 1);
}

static tangential_spring find(const gripping *g, int32_t n, pair_kind kind) {
  int32_t slots[PAIR_CORNERS];
  find_slots(n / 2, slots);
  int32_t next = 0;
  return friction_cache_find(&g->held, slots, kind, g->particle, &next);
}

static void expect_grip(const tangential_spring *found, const tangential_spring *wanted, int sign,
                        int32_t n) {
  for (int axis = 0; axis < 3; axis++)
    cr_assert_eq(found->anchor[axis], (msd_real)sign * wanted->anchor[axis], "pair %d", (int)n);
  cr_assert_eq(found->most, NEAR_STUCK_NEW, "pair %d", (int)n);
  cr_assert_eq(found->mass, wanted->mass, "pair %d", (int)n);
}

static void expect_nothing(const tangential_spring *found, int32_t n) {
  const tangential_spring nothing = {.most = NEAR_STUCK_NEW};
  expect_grip(found, &nothing, 1, n);
}

static void expect_all(const gripping *g) {
  for (int32_t n = 0; n < PAIRS; n++) {
    const tangential_spring found = find(g, n, kind_of(n)), wanted = grip_of(n);
    expect_grip(&found, &wanted, 1, n);
  }
}

/* Also where a point and a triangle have the corners of two edges. */
Test(friction_cache, what_was_taken_is_found_by_its_corners_and_its_kind) {
  gripping g;
  begin(&g);
  put_pairs(&g, PAIRS);
  take_all(&g);
  cr_assert_eq(g.held.count, PAIRS);
  expect_all(&g);
  end(&g);
}

Test(friction_cache, it_is_found_whatever_slots_its_particles_have_come_to) {
  gripping g;
  begin(&g);
  put_pairs(&g, PAIRS);
  take_all(&g);
  int32_t slot_of[PARTICLES];
  for (int32_t slot = 0; slot < PARTICLES; slot++)
    slot_of[(7 * slot + 1) % PARTICLES] = slot;
  int32_t particle[PARTICLES];
  for (int32_t i = 0; i < PARTICLES; i++)
    particle[slot_of[i]] = i;
  int32_t next = 0;
  for (int32_t n = 0; n < PAIRS; n++) {
    int32_t slots[PAIR_CORNERS];
    find_slots(n / 2, slots);
    for (int corner = 0; corner < PAIR_CORNERS; corner++)
      slots[corner] = slot_of[g.particle[slots[corner]]];
    const tangential_spring found = friction_cache_find(&g.held, slots, kind_of(n), particle, &next),
                            wanted = grip_of(n);
    expect_grip(&found, &wanted, 1, n);
  }
  end(&g);
}

/* What is a way of A along B is one of B along A, turned; but a corner has no other side. */
Test(friction_cache, edges_the_other_way_round_are_held_by_the_way_turned) {
  gripping g;
  begin(&g);
  put_pairs(&g, PAIRS);
  take_all(&g);
  int32_t next = 0;
  for (int32_t n = 0; n < PAIRS; n++) {
    int32_t slots[PAIR_CORNERS];
    find_slots(n / 2, slots);
    const int32_t turned[PAIR_CORNERS] = {slots[2], slots[3], slots[0], slots[1]};
    const tangential_spring found = friction_cache_find(&g.held, turned, kind_of(n), g.particle, &next),
                            wanted = grip_of(n);
    if (kind_of(n) == PAIR_EDGE_EDGE)
      expect_grip(&found, &wanted, -1, n);
    else
      expect_nothing(&found, n);
  }
  end(&g);
}

Test(friction_cache, a_pair_of_which_nothing_was_taken_is_held_by_nothing) {
  gripping g;
  begin(&g);
  put_pairs(&g, PAIRS);
  near_pairs_set_tangential(&g.near, 0, &(tangential_spring){.most = NEAR_STUCK_NEW, .mass = 5});
  take_all(&g);
  cr_assert_eq(g.held.count, PAIRS - 1);
  for (int32_t n = 0; n < 2; n++) {
    const tangential_spring found = find(&g, n, kind_of(n)), wanted = grip_of(n);
    if (n == 0)
      expect_nothing(&found, n);
    else
      expect_grip(&found, &wanted, 1, n);
  }
  const int32_t others[PAIR_CORNERS] = {0, 2, 1, 3};
  int32_t next = 0;
  const tangential_spring found =
      friction_cache_find(&g.held, others, PAIR_POINT_TRIANGLE, g.particle, &next);
  expect_nothing(&found, -1);
  friction_cache_clear(&g.held);
  for (int32_t n = 0; n < PAIRS; n++) {
    const tangential_spring none = find(&g, n, kind_of(n));
    expect_nothing(&none, n);
  }
  end(&g);
}

Test(friction_cache, what_is_taken_takes_the_place_of_what_was_taken_before) {
  gripping g;
  begin(&g);
  put_pairs(&g, PAIRS);
  take_all(&g);
  put_pairs(&g, 1);
  take_all(&g);
  cr_assert_eq(g.held.count, 1);
  for (int32_t n = 1; n < PAIRS; n++) {
    const tangential_spring none = find(&g, n, kind_of(n));
    expect_nothing(&none, n);
  }
  end(&g);
}

/* Of several pairs of the same corners all are counted. The others let go: they would not be in snapshots. */
Test(friction_cache, no_more_are_taken_than_there_may_be_and_the_others_let_go) {
  gripping g;
  begin(&g);
  const int32_t most = friction_cache_most(PARTICLES);
  put_pairs(&g, most + PAIRS);
  take_all(&g);
  cr_assert_eq(g.held.count, most);
  for (int32_t n = 0; n < most + PAIRS; n++) {
    const tangential_spring left = near_pairs_get_tangential(&g.near, n), wanted = grip_of(n);
    if (n < most)
      expect_grip(&left, &wanted, 1, n);
    else
      expect_nothing(&left, n);
  }
  end(&g);
}

Test(friction_cache, of_any_number_of_particles_no_more_than_can_be_counted_stick) {
  cr_expect_eq(friction_cache_most(0), 0);
  cr_expect_eq(friction_cache_most(1), 8);
  cr_expect_eq(friction_cache_most(INT32_MAX / 8 - 1), 8 * (INT32_MAX / 8 - 1));
  cr_expect_eq(friction_cache_most(INT32_MAX), INT32_MAX);
}

Test(friction_cache, what_was_filled_in_is_found_when_it_is_indexed) {
  gripping g;
  begin(&g);
  put_pairs(&g, PAIRS);
  take_all(&g);
  for (int32_t n = 0; n < g.held.bucket_count; n++)
    g.held.buckets[n] = -1;
  for (int32_t n = 0; n < g.held.count; n++)
    g.held.links[n] = (friction_anchor_link){-1, -1};
  g.held.is_indexed = false;
  friction_cache_index(&g.held, NULL, 1);
  cr_assert_eq(g.held.count, PAIRS);
  expect_all(&g);
  end(&g);
}

/* --------------------------------------------------------------------------------------------- what is read */

/* All but one are as they were taken. */
static bool is_sound_with(gripping *g, const friction_anchor *changed) {
  friction_anchor *at = &g->held.all[PAIRS / 2], was = *at;
  *at = *changed;
  const bool sound = friction_cache_are_sound(&g->held);
  *at = was;
  return sound;
}

Test(friction_cache, numbers_that_no_grip_can_have_are_not_sound) {
  gripping g;
  begin(&g);
  put_pairs(&g, PAIRS);
  take_all(&g);
  const friction_anchor good = g.held.all[PAIRS / 2];
  cr_assert(is_sound_with(&g, &good));
  static const double ways[] = {NAN, INFINITY, -INFINITY, 1e13, -1e30},
                      masses[] = {NAN, INFINITY, -1, -1e-30};
  for (int axis = 0; axis < 3; axis++)
    for (size_t n = 0; n < sizeof ways / sizeof *ways; n++) {
      friction_anchor bad = good;
      bad.way[axis] = (msd_real)ways[n];
      cr_expect_not(is_sound_with(&g, &bad), "way %g", ways[n]);
    }
  for (size_t n = 0; n < sizeof masses / sizeof *masses; n++) {
    friction_anchor bad = good;
    bad.mass = (msd_real)masses[n];
    cr_expect_not(is_sound_with(&g, &bad), "mass %g", masses[n]);
  }
  static const int32_t particles[] = {-1, INT32_MIN, PARTICLES, INT32_MAX};
  for (int corner = 0; corner < PAIR_CORNERS; corner++)
    for (int n = 0; n < 4; n++) {
      friction_anchor bad = good;
      bad.particles[corner] = particles[n];
      cr_expect_not(is_sound_with(&g, &bad), "particle %d", (int)particles[n]);
    }
  for (int kind = 2; kind < 256; kind++) {
    friction_anchor bad = good;
    bad.kind = (pair_kind)kind;
    cr_expect_not(is_sound_with(&g, &bad), "kind %d", kind);
  }
  end(&g);
}

Test(friction_cache, the_last_is_looked_at_as_the_first_is) {
  gripping g;
  begin(&g);
  put_pairs(&g, PAIRS);
  for (int32_t n = 0; n < PAIRS; n += PAIRS - 1) {
    take_all(&g);
    g.held.all[n].mass = -1;
    cr_expect_not(friction_cache_are_sound(&g.held), "grip %d", (int)n);
  }
  friction_cache_clear(&g.held);
  cr_expect(friction_cache_are_sound(&g.held));
  end(&g);
}

/* ------------------------------------------------------------------------------------------------- memory */

Test(friction_cache, without_memory_they_are_empty_and_nothing_is_left_of_them) {
  for (int left = 0; left < 4; left++) {
    scarce s = {.left = left};
    memory m = {.allocator = scarce_allocator(&s), .limit = SIZE_MAX};
    friction_cache held = {0};
    friction_cache_begin(&held, &m, PARTICLES);
    cr_assert_eq(friction_cache_make_room(&held, &m, PAIRS), left > 2);
    cr_assert_eq(held.capacity >= PAIRS, left > 1);
    cr_assert_eq(held.count, 0);
    cr_assert_eq(m.used, friction_cache_bytes(&held));
    friction_cache_free(&held, &m);
    cr_assert_eq(m.used, 0);
    cr_assert_eq(s.in_use, 0);
  }
}

/* Those of more particles are none of those that were. */
Test(friction_cache, who_makes_room_again_begins_with_nothing) {
  gripping g;
  begin(&g);
  put_pairs(&g, PAIRS);
  take_all(&g);
  friction_cache_begin(&g.held, &g.m, PARTICLES);
  cr_assert_eq(g.held.count, 0);
  for (int32_t n = 0; n < PAIRS; n++) {
    const tangential_spring none = find(&g, n, kind_of(n));
    expect_nothing(&none, n);
  }
  end(&g);
}
