/* What is left of the ways of particles between the planes of their pairs. The oracle tries all sets of up to
   three planes for the point of the cell that is nearest. */
#include "tests/support/colliders.h"

#include "engine/contact/cells.h"
#include "engine/store/particle.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PAIRS_MAX = 100, SLOTS = 1 + 3 * PAIRS_MAX };

static const double SIZE = 0.02, THICKNESS = 0.005, TIME_STEP = 1e-3;

/* Particle 0 between triangles that stand, each of three particles of its own. */
typedef struct cage {
  cells cells;
  memory memory;
  cell_step step;
  int32_t particles, pairs;
  msd_real before[COMPONENTS * SLOTS], behind[COMPONENTS * SLOTS], inverse_mass[SLOTS];
} cage;

static cage *cage_new(void) {
  cage *c = calloc(1, sizeof *c);
  cr_assert_not_null(c);
  c->particles = 1;
  c->memory = (memory){.allocator = memory_default_allocator(), .limit = SIZE_MAX};
  c->inverse_mass[0] = 1;
  c->step = (cell_step){.cells = &c->cells,
                        .before = c->before,
                        .inverse_mass = c->inverse_mass,
                        .behind = c->behind,
                        .stride = SLOTS,
                        .time_step = TIME_STEP};
  return c;
}

static void cage_free(cage *c) {
  cells_free(&c->cells, &c->memory);
  free(c);
}

static void put(msd_real *state, int32_t slot, double3 at) {
  state[slot] = (msd_real)at.x;
  state[SLOTS + slot] = (msd_real)at.y;
  state[2 * SLOTS + slot] = (msd_real)at.z;
}

static double3 get(const msd_real *state, int32_t slot) {
  return (double3){(double)state[slot], (double)state[SLOTS + slot], (double)state[2 * SLOTS + slot]};
}

static double3 plus(double3 a, double3 b) {
  return double3_add_scaled(a, b, 1);
}

static double length(double3 a) {
  return sqrt(double3_dot(a, a));
}

/* A triangle around the point at -gap along a direction from the origin, across it. */
static void add_triangle(cage *c, double3 up, double gap) {
  const double3 n = double3_scale(up, 1 / length(up)),
                other = fabs(n.x) < 0.5 ? (double3){1, 0, 0} : (double3){0, 1, 0};
  const double3 u = double3_cross(n, other), v = double3_cross(n, u), foot = double3_scale(n, -gap);
  for (int k = 0; k < 3; k++) {
    const double3 off = plus(double3_scale(u, cos(2.0944 * k)), double3_scale(v, sin(2.0944 * k)));
    put(c->before, c->particles + k, double3_add_scaled(foot, off, SIZE));
    put(c->behind, c->particles + k, double3_add_scaled(foot, off, SIZE));
  }
  c->particles += 3;
  c->pairs++;
}

static void make_cells(cage *c) {
  cr_assert(cells_reserve(&c->cells, &c->memory, SLOTS));
  cr_assert(cells_make_room(&c->cells, &c->memory, 0, c->pairs));
  for (int32_t n = 0; n < c->pairs; n++)
    cells_put(&c->cells, n, (const int32_t[]){0, 1 + 3 * n, 2 + 3 * n, 3 + 3 * n}, PAIR_POINT_TRIANGLE,
              THICKNESS);
  cr_assert(cells_finish(&c->cells, &c->memory, 0, c->pairs, NULL, 1));
}

static void act(cage *c) {
  const parallel_range pairs = {0, c->pairs}, particles = {0, c->cells.corners.count};
  cells_read(&c->step, particles);
  cells_divide(&c->step, pairs);
  cells_shorten(&c->step, particles);
  if (cells_check(&c->step, pairs))
    cells_stop(&c->step, particles);
}

/* Leads the particle from the origin on a way, as far as it may go. */
static double3 lead(cage *c, double3 way) {
  put(c->behind, 0, way);
  make_cells(c);
  act(c);
  return get(c->behind, 0);
}

static double tiny(void) {
  return IS_DOUBLE ? 1e-8 : 1e-5;
}

static void expect_way(double3 kept, double3 expected) {
  const double off = length(double3_subtract(kept, expected));
  cr_expect_leq(off, 2 * tiny(), "%g %g %g, and not %g %g %g", kept.x, kept.y, kept.z, expected.x, expected.y,
                expected.z);
}

Test(cells, a_particle_beside_a_plane_goes_all_of_its_way_along_it) {
  cage *c = cage_new();
  add_triangle(c, (double3){0, 1, 0}, tiny());
  expect_way(lead(c, (double3){1e-3, -1e-3, 2e-3}), (double3){1e-3, 0, 2e-3});
  const msd_real *v = c->behind + 3 * SLOTS;
  cr_expect_float_eq((double)v[0], 1, 1e-6, "its velocity is the way over the time");
  cr_expect_float_eq((double)v[SLOTS], 0, 2 * tiny() / TIME_STEP);
  cage_free(c);
}

Test(cells, between_two_planes_a_particle_slides_along_what_they_have_in_common) {
  for (double half = 0.02; half < 1.5; half *= 2) {
    cage *c = cage_new();
    add_triangle(c, (double3){sin(half), cos(half), 0}, tiny());
    add_triangle(c, (double3){-sin(half), cos(half), 0}, tiny());
    expect_way(lead(c, (double3){1e-6, -1e-3, 2e-3}), (double3){0, 0, 2e-3});
    cage_free(c);
  }
}

Test(cells, in_an_acute_wedge_a_particle_slides_along_the_edge) {
  for (double half = 0.05; half < 1.5; half *= 2) {
    cage *c = cage_new();
    add_triangle(c, (double3){cos(half), sin(half), 0}, tiny());
    add_triangle(c, (double3){-cos(half), sin(half), 0}, tiny());
    const double3 kept = lead(c, (double3){0, -1e-3, 2e-3});
    cr_expect_float_eq(kept.z, 2e-3, 1e-9);
    cr_expect_leq(fabs(kept.y), 2 * tiny() / sin(half));
    cage_free(c);
  }
}

Test(cells, a_particle_that_leaves_goes_all_of_its_way) {
  cage *c = cage_new();
  add_triangle(c, (double3){0, 1, 0}, tiny());
  add_triangle(c, (double3){1, 0, 0}, tiny());
  put(c->behind, 0, (double3){1e-3, 2e-3, 0});
  const msd_real x = c->behind[0], y = c->behind[SLOTS];
  const double3 kept = lead(c, (double3){1e-3, 2e-3, 0});
  cr_expect_eq((msd_real)kept.x, x);
  cr_expect_eq((msd_real)kept.y, y);
  cage_free(c);
}

/* Pressed on for long it comes no nearer than its witness is exact, and so it still slides and can leave. */
Test(cells, a_particle_that_is_pressed_onto_a_triangle_still_slides_on_it) {
  enum { STEPS = 2000 };
  cage *c = cage_new();
  add_triangle(c, (double3){0.3, 1, 0.2}, THICKNESS);
  const double3 down = {-0.3, -1, -0.2}, aside = {1, -0.3, 0};
  double3 at = {0, 0, 0};
  for (int n = 0; n < STEPS; n++) {
    const double3 way = plus(double3_scale(down, THICKNESS / 10), double3_scale(aside, SIZE / 4 / STEPS));
    at = lead(c, plus(at, way));
    put(c->before, 0, at);
  }
  cr_expect_gt(double3_dot(at, down) / length(down), THICKNESS * 0.99, "it has come near");
  cr_expect_lt(double3_dot(at, down) / length(down), THICKNESS, "and not through");
  cr_expect_float_eq(double3_dot(at, aside), double3_dot(aside, aside) * SIZE / 4, SIZE / 400);
  cr_expect_gt(length(double3_subtract(lead(c, double3_add_scaled(at, down, -1e-3)), at)), 1e-3, "it leaves");
  cage_free(c);
}

/* Moves the n-th triangle before the next time. */
static void move_triangle(cage *c, int32_t n, double3 way) {
  for (int32_t slot = 1 + 3 * n; slot < 4 + 3 * n; slot++)
    put(c->behind, slot, plus(get(c->before, slot), way));
}

Test(cells, what_is_led_takes_along_what_is_in_its_way) {
  cage *c = cage_new();
  add_triangle(c, (double3){0, 1, 0}, tiny());
  move_triangle(c, 0, (double3){0, 1e-3, 0});
  expect_way(lead(c, (double3){2e-3, -1e-3, 0}), (double3){2e-3, 1e-3, 0});
  cr_expect_eq(cells_find_pinched(&c->step, (parallel_range){0, 1}), 0);
  cage_free(c);
}

Test(cells, what_is_led_together_throws_nothing_out_and_is_pinched) {
  for (double half = 0.001; half < 1; half *= 3) {
    cage *c = cage_new();
    add_triangle(c, (double3){cos(half), sin(half), 0}, tiny());
    add_triangle(c, (double3){-cos(half), sin(half), 0}, tiny());
    move_triangle(c, 0, (double3){1e-3, 0, 0});
    move_triangle(c, 1, (double3){-1e-3, 0, 0});
    const double3 kept = lead(c, (double3){0, 0, 0});
    cr_expect_leq(length(kept), 4.1e-3);
    cr_expect_eq(cells_find_pinched(&c->step, (parallel_range){0, 2}), length(kept) > 0 ? 0 : 2);
    cage_free(c);
  }
}

/* The second triangle has the particle in it, so that it has to stay where it is. */
Test(cells, what_is_to_be_taken_along_and_stays_for_another_pair_is_pinched) {
  cage *c = cage_new();
  add_triangle(c, (double3){0, 1, 0}, tiny());
  add_triangle(c, (double3){1, 0, 0}, 0);
  move_triangle(c, 0, (double3){0, 1e-3, 0});
  expect_way(lead(c, (double3){0, 0, 0}), (double3){0, 0, 0});
  cr_expect_eq(cells_find_pinched(&c->step, (parallel_range){0, 2}), 1);
  cr_expect(c->cells.pairs[0].is_pinched);
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
  const int32_t pinched = cells_find_pinched(&c->step, (parallel_range){0, 1});
  cage_free(c);
  return pinched;
}

/* The plane over the triangle divides neither way. */
Test(cells, what_is_led_as_a_whole_is_pinched_where_it_goes_through_and_not_where_it_goes_past) {
  for (double aside = 0; aside < 0.45; aside += 0.05)
    cr_expect_eq(lead_through(aside * SIZE), 1, "%g", aside);
  for (double aside = 1.05; aside < 30; aside *= 1.5)
    cr_expect_eq(lead_through(aside * SIZE), 0, "%g", aside);
}

/* ------------------------------------------------------------------------------------- what is taken along */

static void free_triangle(cage *c, int32_t n) {
  for (int32_t slot = 1 + 3 * n; slot < 4 + 3 * n; slot++)
    c->inverse_mass[slot] = 1;
}

/* Leads the particle, and takes along what is in the way; returns how many pairs are pinched. */
static int32_t take_along(cage *c) {
  lead(c, (double3){0, 0, 0});
  return cells_find_pinched(&c->step, (parallel_range){0, c->pairs}) > 0 ? cells_take_along(&c->step) : 0;
}

static void expect_height(const cage *c, int32_t first, int32_t count, double height) {
  for (int32_t slot = first; slot < first + count; slot++) {
    const double way = get(c->behind, slot).y - get(c->before, slot).y;
    cr_expect_float_eq(way, height, tiny(), "%d: %g", slot, way);
    cr_expect_float_eq((double)c->behind[4 * SLOTS + slot], height / TIME_STEP, tiny() / TIME_STEP);
  }
}

/* A triangle is led up to a particle over which a free one lies: no plane between these two follows. */
Test(cells, what_is_free_over_what_is_taken_along_is_taken_along_as_well) {
  cage *c = cage_new();
  add_triangle(c, (double3){0, 1, 0}, tiny());
  add_triangle(c, (double3){0, -1, 0}, tiny());
  free_triangle(c, 1);
  move_triangle(c, 0, (double3){0, 1e-3, 0});
  cr_expect_eq(take_along(c), 0);
  expect_height(c, 0, 1, 1e-3);
  expect_height(c, 4, 3, 1e-3);
  cr_expect_gt(get(c->behind, 0).y, get(c->behind, 1).y);
  cr_expect_lt(get(c->behind, 0).y, get(c->behind, 4).y);
  cage_free(c);
}

Test(cells, what_is_squeezed_between_the_led_is_pinched_and_stays_as_if_nothing_had_been_taken_along) {
  cage *c = cage_new();
  add_triangle(c, (double3){0, 1, 0}, tiny());
  add_triangle(c, (double3){0, -1, 0}, tiny());
  add_triangle(c, (double3){0, -1, 0}, 2 * tiny());
  free_triangle(c, 2);
  move_triangle(c, 0, (double3){0, 1e-3, 0});
  lead(c, (double3){0, 0, 0});
  const int32_t pinched = cells_find_pinched(&c->step, (parallel_range){0, c->pairs});
  msd_real without[COMPONENTS * SLOTS];
  memcpy(without, c->behind, sizeof without);
  cr_expect_geq(pinched, 1);
  cr_expect_eq(cells_take_along(&c->step), pinched);
  cr_expect_eq(memcmp(without, c->behind, sizeof without), 0);
  cage_free(c);
}

/* What the pairs leave particle 0: normal . way <= room. */
typedef struct limit {
  double3 normal;
  double room;
} limit;

/* Either as they are or with all that rounding is allowed. */
static limit limit_of(const cage *c, int32_t pair, bool is_rounded) {
  const cell_pair *p = &c->cells.pairs[pair];
  return (limit){double3_scale(p->normal, -1), p->room[0] + (is_rounded ? p->margin / 4 : 0)};
}

static bool holds(const cage *c, double3 way, bool is_rounded) {
  for (int32_t n = 0; n < c->pairs; n++) {
    const limit l = limit_of(c, n, is_rounded);
    if (double3_dot(l.normal, way) > l.room + 1e-12)
      return false;
  }
  return true;
}

/* The point nearest to `way` on all planes of a set of up to three. */
static bool meet(const limit *set, int count, double3 way, double3 *at) {
  *at = way;
  double3 basis[3];
  double left[3];
  for (int k = 0; k < count; k++) {
    double3 b = set[k].normal;
    double room = set[k].room;
    for (int j = 0; j < k; j++) {
      const double share = double3_dot(b, basis[j]);
      b = double3_add_scaled(b, basis[j], -share);
      room -= share * left[j];
    }
    const double size = length(b);
    if (size < 1e-6)
      return false;
    basis[k] = double3_scale(b, 1 / size);
    left[k] = room / size;
    *at = double3_add_scaled(*at, basis[k], left[k] - double3_dot(*at, basis[k]));
  }
  return true;
}

/* How far from `way` the nearest point of the cell is. */
static double distance_to_cell(const cage *c, double3 way, bool is_rounded) {
  double least = INFINITY;
  for (int32_t i = -1; i < c->pairs; i++)
    for (int32_t j = i < 0 ? -1 : i; j < c->pairs; j++)
      for (int32_t k = j < 0 ? -1 : j; k < c->pairs; k++) {
        limit set[3];
        int count = 0;
        const int32_t chosen[3] = {i, j, k};
        for (int m = 0; m < 3; m++)
          if (chosen[m] >= 0 && (m == 0 || chosen[m] != chosen[m - 1]))
            set[count++] = limit_of(c, chosen[m], is_rounded);
        double3 at;
        if (meet(set, count, way, &at) && holds(c, at, is_rounded))
          least = fmin(least, length(double3_subtract(at, way)));
      }
  return least;
}

static double3 random_direction(generator *random) {
  const msd_vec3 v = random_vector(random, 1);
  return (double3){(double)v.x, (double)v.y, (double)v.z};
}

Test(cells, a_way_ends_at_the_point_of_the_cell_that_is_nearest_and_is_never_longer) {
  generator random = {.state = 11};
  for (int n = 0; n < 300; n++) {
    cage *c = cage_new();
    for (int pair = 0; pair < 1 + n % 12; pair++)
      add_triangle(c, random_direction(&random), THICKNESS * pow(10, -2 * random_share(&random)));
    const double3 way = double3_scale(random_direction(&random), THICKNESS), kept = lead(c, way);
    const double cut = length(double3_subtract(kept, way));
    cr_expect_leq(length(kept), length(way) * (1 + 1e-6), "cage %d", n);
    cr_expect(holds(c, kept, true), "cage %d: in its cell", n);
    cr_expect_leq(cut, distance_to_cell(c, way, false) + 1e-9, "cage %d", n);
    cr_expect_geq(cut, distance_to_cell(c, way, true) - 1e-9, "cage %d", n);
    cage_free(c);
  }
}

Test(cells, among_many_planes_that_are_all_but_parallel_a_way_is_neither_longer_nor_outside) {
  generator random = {.state = 12};
  for (int n = 0; n < 200; n++) {
    cage *c = cage_new();
    for (int pair = 0; pair < PAIRS_MAX; pair++) {
      const double3 tilt = double3_scale(random_direction(&random), pow(10, -12 * random_share(&random)));
      add_triangle(c, plus((double3){0, pair % 3 ? 1 : -1, 0}, tilt), tiny() * (1 + random_share(&random)));
    }
    const double3 way = double3_scale(random_direction(&random), THICKNESS), kept = lead(c, way);
    cr_expect_leq(length(kept), length(way) * (1 + 1e-6), "cage %d", n);
    cr_expect(holds(c, kept, true), "cage %d: in its cell", n);
    cage_free(c);
  }
}

/* -------------------------------------------------------------------------------- from substep to substep */

static void stand_still(cage *c) {
  memcpy(c->before, c->behind, sizeof c->before);
}

/* In ways of all lengths, each substep taken once or several times, between two triangles that come along. */
Test(cells, over_many_substeps_a_particle_stays_between_its_planes) {
  for (uint64_t seed = 0; seed < 40; seed++) {
    generator random = {seed};
    cage *c = cage_new();
    const double3 up = {0, 1, 0};
    add_triangle(c, up, THICKNESS);
    add_triangle(c, (double3){0, -1, 0}, THICKNESS);
    make_cells(c);
    const double size = THICKNESS / (double)(1 << random_below(&random, 10));
    int far = 0;
    for (int substep = 0; substep < 200; substep++) {
      for (int again = random_below(&random, 3); again >= 0; again--) {
        memcpy(c->behind, c->before, sizeof c->behind);
        const double by = size * (1 + random_share(&random));
        put(c->behind, 0, double3_add_scaled(get(c->before, 0), up, seed % 2 ? by : -by));
        for (int32_t slot = 1; slot < c->particles; slot++)
          put(c->behind, slot, double3_add_scaled(get(c->before, slot), up, by / 4));
        act(c);
        c->step.is_again = again > 0;
      }
      for (int n = 0; n < c->pairs; n++)
        far += c->cells.pairs[n].is_far;
      stand_still(c);
      const double at = get(c->before, 0).y;
      cr_assert_gt(at, get(c->before, 1).y, "%d: it is through the one below", substep);
      cr_assert_lt(at, get(c->before, 4).y, "%d: it is through the one above", substep);
    }
    cr_expect(far > 0 || size > THICKNESS / 8, "what is far needs no plane");
    cage_free(c);
  }
}

/* From 1 m away from the origin on, where the numbers of the state are further apart than a 40th of the gap, and it
   is led on by no multiple of that. */
Test(cells, what_is_led_on_for_long_does_not_come_through_by_rounding) {
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
      cr_assert_eq(cells_find_pinched(&c->step, (parallel_range){0, 1}), 0, "way %d, substep %d", way, n);
      stand_still(c);
    }
    cage_free(c);
  }
}

/* Both go the same way, where one is stopped by what stands before it. */
Test(cells, what_is_far_is_so_however_much_of_a_way_is_left) {
  cage *c = cage_new();
  const double3 up = {0, 1, 0};
  add_triangle(c, up, THICKNESS / 2);
  add_triangle(c, (double3){0, -1, 0}, THICKNESS / 4);
  make_cells(c);
  for (int substep = 0; substep < 50; substep++) {
    memcpy(c->behind, c->before, sizeof c->behind);
    for (int32_t slot = 0; slot < 4; slot++) {
      c->inverse_mass[slot] = 1;
      put(c->behind, slot, double3_add_scaled(get(c->before, slot), up, THICKNESS / 20));
    }
    act(c);
    stand_still(c);
    cr_assert_gt(get(c->before, 0).y, get(c->before, 1).y, "%d: it has been run over", substep);
    cr_assert_lt(get(c->before, 0).y, get(c->before, 4).y, "%d: it has gone through", substep);
  }
  cage_free(c);
}

/* ------------------------------------------------------------------------------------ several pairs at once */

enum { CROWD = 24 };

/* So many pairs of either kind of particles in a box, every eighth of which is led; in one of eleven a corner
   lies on another one. */
static void add_crowd(cage *c, int32_t pairs) {
  generator random = {.state = 13};
  c->particles = CROWD;
  c->pairs = pairs;
  for (int32_t slot = 0; slot < CROWD; slot++) {
    put(c->before, slot, double3_scale(random_direction(&random), SIZE));
    c->inverse_mass[slot] = slot % 8 ? 1 : 0;
  }
  put(c->before, CROWD - 1, get(c->before, 1));
  cr_assert(cells_reserve(&c->cells, &c->memory, SLOTS));
  cr_assert(cells_make_room(&c->cells, &c->memory, 0, pairs));
  for (int32_t n = 0; n < pairs; n++) {
    int32_t first = (int32_t)random_below(&random, CROWD), slots[PAIR_CORNERS];
    for (int corner = 0; corner < PAIR_CORNERS; corner++)
      slots[corner] = (first + 5 * corner) % CROWD;
    if (n % 11 == 0)
      slots[0] = 1, slots[1] = 2, slots[2] = CROWD - 1, slots[3] = 5;
    cells_put(&c->cells, n, slots, n % 3 ? PAIR_EDGE_EDGE : PAIR_POINT_TRIANGLE, THICKNESS);
  }
  cr_assert(cells_finish(&c->cells, &c->memory, 0, pairs, NULL, 1));
}

/* They go about for some substeps. */
static void move_crowd(cage *c) {
  generator random = {.state = 14};
  for (int substep = 0; substep < 8; substep++) {
    for (int32_t slot = 0; slot < CROWD; slot++)
      put(c->behind, slot,
          double3_add_scaled(get(c->before, slot), random_direction(&random), SIZE / (2 << substep)));
    act(c);
    stand_still(c);
  }
}

Test(cells, every_width_of_vectors_leaves_the_same_bits) {
  for (int32_t pairs = 1; pairs < PAIRS_MAX; pairs += 1 + pairs / 4) {
    cage *scalar = NULL;
    for (int simd = MSD_SIMD_SCALAR; simd < MSD_SIMD_COUNT; simd++) {
      cage *c = cage_new();
      c->step.simd = (msd_simd)simd;
      add_crowd(c, pairs);
      move_crowd(c);
      scalar = scalar ? scalar : c;
      cr_expect_eq(memcmp(c->behind, scalar->behind, sizeof c->behind), 0, "%d pairs, width %d", (int)pairs,
                   simd);
      for (int32_t n = 0; n < pairs; n++) {
        const cell_pair *p = &c->cells.pairs[n], *q = &scalar->cells.pairs[n];
        cr_expect(p->stops == q->stops && p->next_gap == q->next_gap && p->least == q->least,
                  "%d of %d pairs, width %d", (int)n, (int)pairs, simd);
      }
      if (c != scalar)
        cage_free(c);
    }
    cage_free(scalar);
  }
}

/* Whoever looks for that finds it behind the substep. */
Test(cells, what_is_not_finite_is_not_put_back_to_where_it_was) {
  for (int32_t slot = 0; slot < PAIR_CORNERS; slot++) {
    cage *c = cage_new();
    add_triangle(c, (double3){0, 1, 0}, tiny());
    put(c->behind, slot, (double3){NAN, NAN, NAN});
    for (int32_t n = 0; n < PAIR_CORNERS; n++)
      c->inverse_mass[n] = 1;
    make_cells(c);
    act(c);
    cr_expect(isnan(c->behind[slot]), "corner %d", (int)slot);
    cage_free(c);
  }
}

/* ------------------------------------------------------------------------------- what was no pair of theirs */

/* A particle `gap` above a triangle goes by that much of it towards it; the triangle comes as far. */
static bool is_divided_after(double gap, double by) {
  cage *c = cage_new();
  const double3 up = {0.6, 0.64, 0.48};
  add_triangle(c, up, gap);
  for (int32_t corner = 1; corner < PAIR_CORNERS; corner++)
    put(c->behind, corner, double3_add_scaled(get(c->before, corner), up, by * gap));
  put(c->behind, 0, double3_scale(up, -by * gap));
  const bool divided =
      cells_have_divided(&c->step, (const int32_t[]){0, 1, 2, 3}, PAIR_POINT_TRIANGLE, THICKNESS);
  cage_free(c);
  return divided;
}

/* Of a 50th of the thickness on both sides, or of 0.45 of the gap where that is less. */
/* Of a particle that has come down to 9 mm above its triangle, as if the pair had been put anew. */
static void go_on(cage *c, cell_distance distance) {
  cells_free(&c->cells, &c->memory);
  make_cells(c);
  cells_go_on(&c->cells, &distance, c->before, SLOTS);
}

Test(cells, what_was_measured_goes_on_where_the_state_bears_it_out) {
  cage *c = cage_new();
  add_triangle(c, (double3){0, 1, 0}, 0.01);
  lead(c, (double3){0, -1e-3, 0});
  put(c->before, 0, get(c->behind, 0));
  const cell_pair was = c->cells.pairs[0], *is;
  cell_distance told;
  cells_tell(&c->cells, &told);
  cr_assert(told.gap == was.next_gap && told.least == was.least);
  cr_assert(told.gap > 0.0085 && told.gap < 0.009 && told.least > 0);
  go_on(c, told);
  is = &c->cells.pairs[0];
  cr_expect(is->next_gap == was.next_gap && is->least == was.least);
  static const double farther[] = {0.0091, 1, INFINITY, NAN}, less[] = {0, -1, 1e-5, NAN};
  for (int n = 0; n < 4; n++) {
    go_on(c, (cell_distance){farther[n], told.least});
    is = &c->cells.pairs[0];
    cr_expect_eq(is->next_gap, 0, "a gap of %g", farther[n]);
    go_on(c, (cell_distance){told.gap, less[n]});
    is = &c->cells.pairs[0];
    cr_expect_eq(is->next_gap, 0, "%g of it for a plane", less[n]);
  }
  cage_free(c);
}

Test(cells, a_pair_without_a_plane_is_divided_where_it_keeps_two_margins) {
  const double gap = THICKNESS, margin = THICKNESS / 50;
  cr_expect(is_divided_after(gap, 0));
  cr_expect(is_divided_after(gap, -3));
  cr_expect(is_divided_after(gap, (0.99 * gap - 2 * margin) / (2 * gap)));
  cr_expect_not(is_divided_after(gap, (gap - 1.5 * margin) / (2 * gap)), "what is left is not two margins");
  cr_expect(is_divided_after(margin, 0.04));
  cr_expect_not(is_divided_after(margin, 0.4));
  cr_expect_not(is_divided_after(gap, 0.51), "they are through each other");
  cr_expect_not(is_divided_after(gap, 30));
}

Test(cells, a_pair_that_meets_has_no_witness_and_is_not_divided) {
  cr_expect_not(is_divided_after(0, 0));
}
