/* What is led through planes, what makes way for it, and what goes along with it. */
#include "tests/support/cages.h"

/* How many intersections remain forced. */
static int32_t carry(cage *c) {
  int64_t visits = 0;
  const int32_t forced_count = separation_carry_with_kinematics(&c->step, &visits);
  cr_expect_gt(visits, 0);
  return forced_count;
}

/* Rounding, and an eighth of the least gap, by which what is too near goes away. */
static double all_but(void) {
  return 2 * tiny() + SIZE / 262144;
}

Test(separation_kinematic, what_is_led_takes_along_what_is_in_its_way) {
  cage *c = cage_new();
  add_triangle(c, (double3){0, 1, 0}, tiny());
  move_triangle(c, 0, (double3){0, 1e-3, 0});
  const double3 kept = lead(c, (double3){2e-3, -1e-3, 0});
  cr_expect_leq(length(double3_subtract(kept, (double3){2e-3, 1e-3, 0})), all_but());
  cr_expect_eq(separation_find_forced(&c->step, (parallel_range){0, 1}), 0);
  cage_free(c);
}

Test(separation_kinematic, what_is_led_together_throws_nothing_out_and_is_forced) {
  for (double half = 0.001; half < 1; half *= 3) {
    cage *c = cage_new();
    add_triangle(c, (double3){cos(half), sin(half), 0}, tiny());
    add_triangle(c, (double3){-cos(half), sin(half), 0}, tiny());
    move_triangle(c, 0, (double3){1e-3, 0, 0});
    move_triangle(c, 1, (double3){-1e-3, 0, 0});
    const double3 kept = lead(c, (double3){0, 0, 0});
    cr_expect_leq(length(kept), 4.1e-3);
    cr_expect_eq(separation_find_forced(&c->step, (parallel_range){0, 2}), length(kept) > 0 ? 0 : 2);
    cage_free(c);
  }
}

/* The second triangle has the particle in it, so that it has to stay where it is. */
Test(separation_kinematic, what_is_to_be_taken_along_and_stays_for_another_pair_is_forced) {
  cage *c = cage_new();
  add_triangle(c, (double3){0, 1, 0}, tiny());
  add_triangle(c, (double3){1, 0, 0}, 0);
  move_triangle(c, 0, (double3){0, 1e-3, 0});
  expect_way(lead(c, (double3){0, 0, 0}), (double3){0, 0, 0});
  cr_expect_eq(separation_find_forced(&c->step, (parallel_range){0, 2}), 1);
  cr_expect(c->cells.pairs[0].is_forced);
  cage_free(c);
}

/* From over the middle of a triangle to as far under its plane, through that so far from the middle. */
static int32_t lead_through(double aside) {
  cage *c = cage_new();
  add_triangle(c, (double3){0, 1, 0}, 1e-3);
  c->inverse_mass[0] = 0;
  put(c->behind, 0, (double3){2 * aside, -2e-3, 0});
  make_cells(c);
  act(c);
  const int32_t forced_count = separation_find_forced(&c->step, (parallel_range){0, 1});
  cage_free(c);
  return forced_count;
}

/* The plane over the triangle divides neither way. */
Test(separation_kinematic,
     what_is_led_as_a_whole_is_forced_where_it_goes_through_and_not_where_it_goes_past) {
  for (double aside = 0; aside < 0.45; aside += 0.05)
    cr_expect_eq(lead_through(aside * SIZE), 1, "%g", aside);
  for (double aside = 1.05; aside < 30; aside *= 1.5)
    cr_expect_eq(lead_through(aside * SIZE), 0, "%g", aside);
}

/* From 1 m away from the origin on, where the numbers of the state are further apart than a 40th of the gap,
   and it is led on by no multiple of that. */
Test(separation_kinematic, what_is_led_on_for_long_does_not_come_through_by_rounding) {
  enum { WAYS = 20, STEPS = 10000 };
  generator random = {.state = 13};
  for (int way = 0; way < WAYS; way++) {
    const double3 tilt = double3_scale(random_direction(&random), 0.2), base = {0.7, 1, 0.3};
    cage *c = cage_new();
    add_triangle(c, plus((double3){0, 1, 0}, tilt), tiny() / 4);
    for (int32_t slot = 0; slot < c->particles; slot++)
      put(c->before, slot, plus(get(c->before, slot), base));
    make_cells(c);
    for (int n = 0; n < STEPS; n++) {
      move_triangle(c, 0, (double3){0, tiny() * (1 + random_share(&random)), 0});
      put(c->behind, 0, get(c->before, 0));
      act(c);
      cr_assert_eq(separation_find_forced(&c->step, (parallel_range){0, 1}), 0, "way %d, substep %d", way, n);
      stand_still(c);
    }
    cage_free(c);
  }
}

/* ------------------------------------------------------------------------------------- what is taken along */

static void free_triangle(cage *c, int32_t n) {
  for (int32_t slot = 1 + 3 * n; slot < 4 + 3 * n; slot++)
    c->inverse_mass[slot] = 1;
}

/* Leads the particle, and takes along what is in the way; returns how many pairs are forced count. */
static int32_t take_along(cage *c) {
  lead(c, (double3){0, 0, 0});
  return separation_find_forced(&c->step, (parallel_range){0, c->pairs}) > 0 ? carry(c) : 0;
}

static void expect_height(const cage *c, int32_t first, int32_t count, double height) {
  for (int32_t slot = first; slot < first + count; slot++) {
    const double way = get(c->behind, slot).y - get(c->before, slot).y;
    cr_expect_float_eq(way, height, all_but(), "%d: %g", slot, way);
    cr_expect_float_eq((double)c->behind[4 * SLOTS + slot], height / TIME_STEP, all_but() / TIME_STEP);
  }
}

/* A triangle is led up to a particle over which a free one lies: no plane between these two follows. */
Test(separation_kinematic, what_is_free_over_what_is_taken_along_is_taken_along_as_well) {
  cage *c = cage_new();
  add_triangle(c, (double3){0, 1, 0}, tiny());
  add_triangle(c, (double3){0, -1, 0}, tiny());
  free_triangle(c, 1);
  move_triangle(c, 0, (double3){0, 1e-3, 0});
  cr_expect_eq(take_along(c), 0);
  expect_height(c, 0, 1, 1e-3);
  expect_height(c, 4, 3, 1e-3);
  cr_expect_gt(get(c->behind, 0).y, get(c->behind, 1).y);
  /* The middle of the upper triangle, over which the particle is. */
  cr_expect_lt(get(c->behind, 0).y, (get(c->behind, 4).y + get(c->behind, 5).y + get(c->behind, 6).y) / 3);
  cage_free(c);
}

Test(separation_kinematic,
     what_is_squeezed_between_the_led_is_forced_and_stays_as_if_nothing_had_been_taken_along) {
  cage *c = cage_new();
  add_triangle(c, (double3){0, 1, 0}, tiny());
  add_triangle(c, (double3){0, -1, 0}, tiny());
  add_triangle(c, (double3){0, -1, 0}, 2 * tiny());
  free_triangle(c, 2);
  move_triangle(c, 0, (double3){0, 1e-3, 0});
  lead(c, (double3){0, 0, 0});
  const int32_t forced_count = separation_find_forced(&c->step, (parallel_range){0, c->pairs});
  msd_real without[COMPONENTS * SLOTS];
  memcpy(without, c->behind, sizeof without);
  cr_expect_geq(forced_count, 1);
  cr_expect_eq(carry(c), forced_count);
  cr_expect_eq(memcmp(without, c->behind, sizeof without), 0);
  cage_free(c);
}

/* What is far when that begins stands above both. */
Test(separation_kinematic, what_is_taken_along_comes_near_to_what_was_far) {
  cage *c = cage_new();
  add_triangle(c, (double3){0, 1, 0}, tiny());
  add_triangle(c, (double3){0, -1, 0}, tiny());
  add_triangle(c, (double3){0, -1, 0}, THICKNESS / 2);
  free_triangle(c, 1);
  make_cells(c);
  int32_t forced_count = 0;
  for (int substep = 0; substep < 50 && forced_count == 0; substep++) {
    memcpy(c->behind, c->before, sizeof c->behind);
    move_triangle(c, 0, (double3){0, THICKNESS / 50, 0});
    act(c);
    if (separation_find_forced(&c->step, (parallel_range){0, c->pairs}) > 0)
      forced_count = carry(c);
    stand_still(c);
    cr_assert_lt(get(c->before, 0).y, get(c->before, 7).y, "%d: it has gone through", substep);
  }
  cr_expect_gt(forced_count, 0);
  cage_free(c);
}
