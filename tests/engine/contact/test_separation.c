/* What is left of the ways of particles between the planes of their pairs. The oracle tries all sets of up to
   three planes for the point of the cell that is nearest. */
#include "tests/support/cages.h"

static void move_at(cage *c, int32_t slot, double3 velocity) {
  put(c->behind, slot, double3_add_scaled(get(c->before, slot), velocity, TIME_STEP));
  put(c->behind + 3 * SLOTS, slot, velocity);
}

Test(cells, a_particle_beside_a_plane_goes_all_of_its_way_along_it) {
  cage *c = cage_new();
  add_triangle(c, (double3){0, 1, 0}, tiny());
  put(c->behind + 3 * SLOTS, 0, (double3){1, -1, 2});
  expect_way(lead(c, (double3){1e-3, -1e-3, 2e-3}), (double3){1e-3, 0, 2e-3});
  const double3 v = get(c->behind + 3 * SLOTS, 0);
  cr_expect_float_eq(v.x, 1, 1e-6, "it keeps its velocity along the plane");
  cr_expect_float_eq(v.z, 2, 1e-6);
  cr_expect(v.y > -2 * tiny() / TIME_STEP, "and stops before what cannot move");
  cage_free(c);
}

/* kg m/s, kg m^2/s and J of the particles of a cage. */
typedef struct cage_motion {
  double3 linear, angular;
  double kinetic, size;
} cage_motion;

static cage_motion motion_of(const cage *c) {
  cage_motion m = {.kinetic = 0};
  for (int32_t n = 0; n < c->particles; n++) {
    const double mass = 1 / (double)c->inverse_mass[n];
    const double3 x = get(c->behind, n), v = get(c->behind + 3 * SLOTS, n);
    m.linear = double3_add_scaled(m.linear, v, mass);
    m.angular = double3_add_scaled(m.angular, double3_cross(x, v), mass);
    m.kinetic += mass * double3_dot(v, v) / 2;
    m.size += mass * length(v);
  }
  return m;
}

/* A free particle among free triangles of any masses, and all of them fly anywhere. */
static cage *cloud_of(generator *random) {
  cage *c = cage_new();
  const int32_t triangles = 1 + (int32_t)random_below(random, 6);
  for (int32_t n = 0; n < triangles; n++) {
    const msd_vec3 up = random_place(random, 1);
    add_triangle(c, (double3){(double)up.x, (double)up.y, (double)up.z}, 1e-4 + 2e-3 * random_share(random));
  }
  for (int32_t n = 0; n < c->particles; n++) {
    const msd_vec3 v = random_place(random, 5);
    c->inverse_mass[n] = (msd_real)pow(10, 4 * random_share(random) - 2);
    move_at(c, n, (double3){(double)v.x, (double)v.y, (double)v.z});
  }
  make_cells(c);
  return c;
}

Test(cells, what_is_cut_from_moves_is_given_to_what_is_in_the_way_and_adds_no_energy) {
  generator random = {.state = 5};
  double given = 0;
  for (int trial = 0; trial < 2000; trial++) {
    cage *c = cloud_of(&random);
    const cage_motion before = motion_of(c);
    act(c);
    const cage_motion behind = motion_of(c);
    const double3 lost = double3_subtract(behind.linear, before.linear);
    const double rounding = 64 * (IS_DOUBLE ? 0x1p-52 : 0x1p-23);
    cr_assert_leq(length(lost), rounding * before.size, "trial %d", trial);
    cr_assert_leq(behind.kinetic, before.kinetic * (1 + rounding), "trial %d", trial);
    given += 1 - behind.kinetic / before.kinetic;
    cage_free(c);
  }
  cr_expect_gt(given / 2000, 0.01);
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

/* What the pairs leave particle 0: normal . way <= room. */
typedef struct limit {
  double3 normal;
  double room;
} limit;

/* Either as they are or with all that rounding is allowed. */
static limit limit_of(const cage *c, int32_t pair, bool is_rounded) {
  const separation_pair *p = &c->cells.pairs[pair];
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
  cr_assert(separation_reserve(&c->cells, &c->memory, SLOTS));
  cr_assert(separation_make_room(&c->cells, &c->memory, 0, pairs));
  for (int32_t n = 0; n < pairs; n++) {
    int32_t first = (int32_t)random_below(&random, CROWD), slots[PAIR_CORNERS];
    for (int corner = 0; corner < PAIR_CORNERS; corner++)
      slots[corner] = (first + 5 * corner) % CROWD;
    if (n % 11 == 0)
      slots[0] = 1, slots[1] = 2, slots[2] = CROWD - 1, slots[3] = 5;
    separation_put(&c->cells, n, slots, n % 3 ? PAIR_EDGE_EDGE : PAIR_POINT_TRIANGLE, THICKNESS);
  }
  cr_assert(separation_finish(&c->cells, &c->memory, 0, pairs, NULL, 1));
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
        const separation_pair *p = &c->cells.pairs[n], *q = &scalar->cells.pairs[n];
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
      separation_has_divided(&c->step, (const int32_t[]){0, 1, 2, 3}, PAIR_POINT_TRIANGLE, THICKNESS);
  cage_free(c);
  return divided;
}

/* Of a 50th of the thickness on both sides, or of 0.45 of the gap where that is less. */
/* Of a particle that has come down to 9 mm above its triangle, as if the pair had been put anew. */
static void go_on(cage *c, separation_distance distance) {
  separation_free(&c->cells, &c->memory);
  make_cells(c);
  separation_continue(&c->cells, &distance, c->before, SLOTS);
}

Test(cells, what_was_measured_goes_on_where_the_state_bears_it_out) {
  cage *c = cage_new();
  add_triangle(c, (double3){0, 1, 0}, 0.01);
  lead(c, (double3){0, -1e-3, 0});
  put(c->before, 0, get(c->behind, 0));
  const separation_pair was = c->cells.pairs[0], *is;
  separation_distance told;
  separation_report(&c->cells, &told);
  cr_assert(told.gap == was.next_gap && told.least == was.least);
  cr_assert(told.gap > 0.0085 && told.gap < 0.009 && told.least > 0);
  go_on(c, told);
  is = &c->cells.pairs[0];
  cr_expect(is->next_gap == was.next_gap && is->least == was.least);
  static const double farther[] = {0.0091, 1, INFINITY, NAN}, less[] = {0, -1, 1e-5, NAN};
  for (int n = 0; n < 4; n++) {
    go_on(c, (separation_distance){farther[n], told.least});
    is = &c->cells.pairs[0];
    cr_expect_eq(is->next_gap, 0, "a gap of %g", farther[n]);
    go_on(c, (separation_distance){told.gap, less[n]});
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

/* ------------------------------------------------------------------------------------------ bounded work */

/* Triangles below the particle, each of which cuts off the point that those before it have left. */
static cage *cage_of_ever_nearer(int32_t count) {
  generator random = {.state = 3};
  cage *c = cage_new();
  for (int32_t n = 0; n < count; n++) {
    const double3 off = double3_scale(random_direction(&random), 0.5);
    add_triangle(c, plus((double3){0, 1, 0}, off), THICKNESS * (1 + 0.5 * (count - n) / count));
  }
  put(c->behind, 0, (double3){THICKNESS, -10 * THICKNESS, THICKNESS});
  make_cells(c);
  return c;
}

static separation_clipped clip_all(cage *c) {
  const parallel_range pairs = {0, c->pairs}, particles = {0, c->cells.corners.count};
  separation_read(&c->step, particles);
  separation_divide(&c->step, pairs);
  const separation_clipped clipped = separation_clip(&c->step, particles);
  cr_expect(!separation_check(&c->step, pairs), "all planes are respected");
  return clipped;
}

/* Unordered they would be visited some count^2 times. */
Test(cells, many_half_spaces_are_visited_in_proportion_to_their_number) {
  for (int32_t count = 150; count <= 1000; count += 150) {
    cage *c = cage_of_ever_nearer(count);
    const separation_clipped clipped = clip_all(c);
    cr_expect_eq(clipped.moves, 1);
    cr_expect_lt(clipped.visits, 60 * count, "%d", count);
    cr_expect_gt(length(get(c->behind, 0)), THICKNESS / 10, "%d", count);
    cage_free(c);
  }
}

/* Triangles all around the particle, which close in on it until their planes have passed each other. */
Test(cells, many_half_spaces_without_a_common_point_are_visited_in_proportion_to_their_number) {
  for (int32_t count = 150; count <= 1000; count += 150) {
    generator random = {.state = 7};
    cage *c = cage_new();
    for (int32_t n = 0; n < count; n++) {
      const double3 up = random_direction(&random);
      add_triangle(c, up, THICKNESS);
      move_triangle(c, n, double3_scale(up, 3 * THICKNESS / length(up)));
    }
    put(c->behind, 0, (double3){5 * THICKNESS, 3 * THICKNESS, 0});
    make_cells(c);
    const parallel_range pairs = {0, c->pairs}, particles = {0, c->cells.corners.count};
    separation_read(&c->step, particles);
    separation_divide(&c->step, pairs);
    const separation_clipped clipped = separation_clip(&c->step, particles);
    cr_expect_eq(clipped.moves, 1);
    cr_expect_lt(clipped.visits, 60 * count, "%d", count);
    cr_expect_eq(length(get(c->behind, 0)), 0, "there is no place for it");
    cage_free(c);
  }
}

Test(cells, a_particle_in_very_many_half_spaces_stays_or_goes_all_of_its_way) {
  cage *c = cage_of_ever_nearer(PAIRS_MAX);
  clip_all(c);
  cr_expect_eq(length(get(c->behind, 0)), 0);
  put(c->behind, 0, (double3){0, THICKNESS, 0});
  const double3 up = get(c->behind, 0);
  make_cells(c);
  cr_expect_eq(clip_all(c).moves, 0);
  cr_expect_eq(length(double3_subtract(get(c->behind, 0), up)), 0);
  cage_free(c);
}
