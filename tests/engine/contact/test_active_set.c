/* Whether pairs that come to be near once a substep has been taken would have changed it. A point stands over a
   triangle that does not move; the list has the pair, and lets it be due at will. */
#include "tests/support/surfaces.h"

#include "engine/contact/active_set.h"

static const double THICKNESS = 0.01, TIME_STEP = 1e-3, WIDE = 0.03, NARROW = 1e-5;

/* The point is particle 0, the triangle has the next three; the point has another one far above it. */
enum { POINT = 0, TRIANGLE = 1, OTHER = 4, PARTICLES = 5, STRIDE = 16, PAIRS = 2 };

typedef struct stage {
  surface surface;
  surface_mesh mesh;
  memory memory;
  penetrations penetrations;
  near_pairs near;
  cells cells;
  near_choice choice;
  motion_bound list, active_bound;
  int32_t slots[PAIRS][PAIR_CORNERS];
  uint8_t kind[PAIRS], marked[PARTICLES];
  msd_real thickness[PAIRS], gap_begin[PAIRS], gap_end[PAIRS], skins[PAIRS];
  pair_list listed;
  msd_real before[COMPONENTS * STRIDE], predicted[COMPONENTS * STRIDE], behind[COMPONENTS * STRIDE];
  msd_real list_state[MOTION_BOUND_COMPONENTS * STRIDE], watch_state[MOTION_BOUND_COMPONENTS * STRIDE];
  msd_real inverse_mass[PARTICLES];
  near_substep taken;
} stage;

static void place(stage *s, int32_t particle, double x, double y, double z) {
  const double at[3] = {x, y, z};
  for (int axis = 0; axis < 3; axis++)
    s->before[axis * STRIDE + particle] = s->predicted[axis * STRIDE + particle] =
        s->behind[axis * STRIDE + particle] = (msd_real)at[axis];
}

static motion_bound standing(msd_real *state, const stage *s) {
  memcpy(state, s->before, COMPONENTS * STRIDE * sizeof *state);
  for (int32_t i = 0; i < PARTICLES; i++)
    state[MOTION_BOUND_SKIN * STRIDE + i] = (msd_real)NARROW;
  return (motion_bound){
      .state = state, .stride = STRIDE, .particles = PARTICLES, .horizon = 8 * TIME_STEP, .holds = true};
}

/* The point is `height` above the plane of the triangle, `beside` it by that much. */
static stage *stage_new(double height, double beside) {
  stage *s = calloc(1, sizeof *s);
  cr_assert_not_null(s);
  s->memory = (memory){.allocator = memory_default_allocator(), .limit = SIZE_MAX};
  static const int32_t triangle[3] = {TRIANGLE, TRIANGLE + 1, TRIANGLE + 2}, segment[2] = {POINT, OTHER};
  surface_add_particles(&s->surface, PARTICLES);
  surface_add_piece(&s->surface, triangle, 1, segment, 1, THICKNESS);
  place(s, POINT, beside, height, 0.02);
  place(s, TRIANGLE, 0, 0, -0.1);
  place(s, TRIANGLE + 1, 0, 0, 0.1);
  place(s, TRIANGLE + 2, -0.2, 0, 0);
  place(s, OTHER, beside, 1, 0);
  for (int32_t i = 0; i < PARTICLES; i++) {
    s->surface.x[i] = s->surface.rest[i] =
        (msd_vec3){s->before[i], s->before[STRIDE + i], s->before[2 * STRIDE + i]};
    s->inverse_mass[i] = 1;
  }
  const surface_definition from = surface_define(&s->surface);
  cr_assert(surface_mesh_make(&s->mesh, &s->memory, &from));
  cr_assert(near_pairs_reserve(&s->near, &s->memory, PARTICLES));
  cr_assert(separation_reserve(&s->cells, &s->memory, PARTICLES));
  cr_assert(near_choice_reserve(&s->choice, &s->memory, PARTICLES, 1));
  s->list = standing(s->list_state, s);
  s->active_bound = standing(s->watch_state, s);
  memcpy(s->slots[0], (const int32_t[]){POINT, TRIANGLE, TRIANGLE + 1, TRIANGLE + 2}, sizeof s->slots[0]);
  s->kind[0] = PAIR_POINT_TRIANGLE;
  s->thickness[0] = (msd_real)THICKNESS;
  s->listed = (pair_list){1, 1, s->slots, s->kind, s->thickness, s->gap_begin, s->gap_end, s->skins};
  s->taken = (near_substep){s->before, s->predicted, s->behind, STRIDE, TIME_STEP};
  return s;
}

static void stage_free(stage *s) {
  near_choice_free(&s->choice, &s->memory);
  near_pairs_free(&s->near, &s->memory);
  separation_free(&s->cells, &s->memory);
  surface_mesh_free(&s->mesh, &s->memory);
  surface_free(&s->surface);
  cr_assert_eq(s->memory.used, 0);
  free(s);
}

static near_choosing choosing_of(stage *s, const near_substep *taken) {
  return (near_choosing){.choice = &s->choice,
                         .list = &s->listed,
                         .expected = &s->list,
                         .active_bound = &s->active_bound,
                         .mesh = &s->mesh,
                         .penetrations = &s->penetrations,
                         .near = &s->near,
                         .cells = &s->cells,
                         .memory = &s->memory,
                         .taken = taken,
                         .inverse_mass = s->inverse_mass,
                         .threads = 1};
}

/* The list has the other point and the triangle, too, and before. */
static void list_other(stage *s) {
  memcpy(s->slots[1], s->slots[0], sizeof s->slots[0]);
  s->slots[0][0] = OTHER;
  s->kind[1] = s->kind[0];
  s->thickness[1] = s->thickness[0];
  s->listed.count = PAIRS;
}

static void let_be_due(stage *s, bool is_due) {
  s->gap_begin[0] = s->gap_end[0] = is_due ? 0 : 1;
}

/* What a watch begins with. */
static void choose(stage *s, bool is_due) {
  let_be_due(s, is_due);
  const near_choosing choosing = choosing_of(s, NULL);
  cr_assert(near_choice_make(&choosing));
  cr_assert_eq(s->near.count + s->cells.count, 0, "the pair is not near so far");
}

/* The point has a skin of that width now. */
static bool affects_substep(stage *s, double skin) {
  let_be_due(s, true);
  for (int32_t i = 0; i < PARTICLES; i++)
    s->watch_state[MOTION_BOUND_SKIN * STRIDE + i] = (msd_real)(i == POINT ? skin : NARROW);
  s->marked[POINT] = 1;
  const near_choosing choosing = choosing_of(s, &s->taken);
  bool missed;
  cr_assert(near_choice_mend(&choosing, s->marked, &missed));
  return missed;
}

/* The springs have led the point to that height; contact has left it there. */
static void lead(stage *s, double from, double to) {
  s->predicted[STRIDE + POINT] = s->behind[STRIDE + POINT] = (msd_real)to;
  s->predicted[4 * STRIDE + POINT] = s->behind[4 * STRIDE + POINT] = (msd_real)((to - from) / TIME_STEP);
}

/* A point that comes from one height to another over the inside of the triangle. */
static bool is_push_missed(double from, double to, bool was_due) {
  stage *s = stage_new(from, -0.03);
  /* Due and not near is a pair that is further apart than its list knows. */
  choose(s, was_due && from > THICKNESS);
  lead(s, from, to);
  const bool missed = affects_substep(s, from - 0.002);
  cr_assert_eq(s->near.count, 1, "it is near from now on");
  cr_assert_eq(s->cells.count, 0);
  stage_free(s);
  return missed;
}

Test(near_choice, a_push_is_missed_by_what_comes_within_its_thickness_and_was_not_due) {
  cr_expect(is_push_missed(0.015, 0.008, false));
  cr_expect_not(is_push_missed(0.015, 0.011, false), "it stays further away");
  cr_expect_not(is_push_missed(0.015, 0.008, true), "it has been decided on");
  cr_expect_not(is_push_missed(0.009, 0.008, false), "it was as near before");
}

/* Over the border nothing pushes: the place is seen from an edge. */
static bool is_plane_missed(double from, double to) {
  stage *s = stage_new(from, 0.001);
  choose(s, false);
  lead(s, from, to);
  s->behind[POINT] = s->predicted[POINT] = (msd_real)-0.01;
  const bool missed = affects_substep(s, WIDE);
  cr_assert_eq(s->near.count, 0);
  cr_assert_eq(s->cells.count, 1, "it is kept apart from now on");
  stage_free(s);
  return missed;
}

Test(near_choice, a_plane_is_missed_by_what_comes_through_or_next_to_the_other_side) {
  cr_expect(is_plane_missed(0.015, -0.003));
  cr_expect(is_plane_missed(0.015, 0.0005));
  cr_expect_not(is_plane_missed(0.015, 0.008));
  cr_expect_not(is_plane_missed(0.012, 0.013));
}

Test(near_choice, what_was_near_before_it_was_listed_anew_has_pushed) {
  stage *s = stage_new(0.015, -0.03);
  s->watch_state[MOTION_BOUND_SKIN * STRIDE + POINT] = (msd_real)(0.015 - 0.002);
  let_be_due(s, true);
  const near_choosing choosing = choosing_of(s, NULL);
  cr_assert(near_choice_make(&choosing));
  cr_assert_eq(s->near.count, 1);
  lead(s, 0.015, 0.008);
  s->choice.fate[0] = 0;
  cr_expect_not(affects_substep(s, 0.015 - 0.002));
  stage_free(s);
}

/* G, forces and who acts are those of the substep. */
static void push(stage *s) {
  near_pairs *near = &s->near;
  const near_kernel *kernel = near_kernel_choose(MSD_SIMD_WIDEST);
  const parallel_range owned = {0, near->corners.count}, groups = {0, near->group_count};
  const near_substep substep = {s->before, s->behind, s->behind, STRIDE, TIME_STEP};
  kernel->read(near, &substep, owned);
  kernel->push(near, (msd_real)TIME_STEP, 0, groups);
  if (near_pairs_share(near, owned))
    kernel->push_again(near, (msd_real)TIME_STEP, 0, groups);
}

Test(near_choice, what_comes_near_after_a_substep_leaves_the_contacts_in_it_as_they_were) {
  stage *s = stage_new(0.015, -0.03);
  place(s, OTHER, -0.02, 0.007, 0);
  s->active_bound = standing(s->watch_state, s);
  list_other(s);
  s->gap_begin[1] = s->gap_end[1] = 1;
  const near_choosing choosing = choosing_of(s, NULL);
  cr_assert(near_choice_make(&choosing));
  cr_assert_eq(s->near.count, 1);
  s->behind[4 * STRIDE + OTHER] = -1;
  push(s);
  near_contact before, after;
  cr_assert(near_pairs_get_contact(&s->near, 0, &before));
  lead(s, 0.015, 0.011);
  s->gap_begin[1] = s->gap_end[1] = 0;
  cr_assert_not(affects_substep(s, 0.015 - 0.002));
  cr_assert_eq(s->near.count, 2, "the point has come near, too");
  cr_assert(near_pairs_get_contact(&s->near, 0, &after));
  cr_expect_eq(after.slots[0], OTHER);
  cr_expect_arr_eq(&after.force, &before.force, sizeof before.force);
  cr_expect_not(near_pairs_get_contact(&s->near, 1, &after), "it has not pushed yet");
  push(s);
  cr_expect_not(near_pairs_get_contact(&s->near, 1, &after), "it has stayed away");
  cr_expect(near_pairs_get_contact(&s->near, 0, &after));
  stage_free(s);
}

Test(near_choice, what_is_listed_anew_is_near_once) {
  for (int turn = 0; turn < 2; turn++) {
    stage *s = stage_new(0.009, -0.03);
    list_other(s);
    s->gap_begin[0] = s->gap_end[0] = 1;
    const near_choosing choosing = choosing_of(s, NULL);
    cr_assert(near_choice_make(&choosing));
    cr_assert_eq(s->near.count, 1);
    /* What was the second pair is listed no more, and the first is what it was. */
    memcpy(s->slots[0], s->slots[1], sizeof s->slots[0]);
    s->gap_begin[1] = s->gap_end[1] = PAIR_FAR;
    s->choice.has_dropped = true;
    s->choice.fate[0] = 0;
    cr_expect_not(affects_substep(s, turn ? WIDE : NARROW));
    cr_expect_eq(s->near.count, 1);
    cr_expect_eq(s->cells.count, turn, "a wide skin asks for a plane");
    stage_free(s);
  }
}

/* The point and the triangle are led, and the other end of the segment hangs on the point. */
static stage *led_stage(bool hangs) {
  static int32_t particles[PARTICLES] = {0, 1, 2, 3, 4};
  static particle_store store;
  stage *s = stage_new(0.0005, -0.03);
  for (int32_t i = 0; i < PARTICLES; i++)
    s->inverse_mass[i] = i == OTHER && hangs;
  store.inverse_mass = s->inverse_mass;
  s->penetrations.of.particles = &store;
  s->penetrations.particle = particles;
  return s;
}

Test(near_choice, what_is_led_is_looked_at_where_something_hangs_on_it_and_never_pushed) {
  for (int hangs = 0; hangs < 2; hangs++) {
    stage *s = led_stage(hangs);
    s->watch_state[MOTION_BOUND_SKIN * STRIDE + POINT] = (msd_real)0.002;
    let_be_due(s, true);
    const near_choosing choosing = choosing_of(s, NULL);
    cr_assert(near_choice_make(&choosing));
    cr_expect_eq(s->near.count, 0);
    cr_expect_eq(s->cells.count, hangs);
    stage_free(s);
  }
}

/* Within its thickness to begin with. */
Test(near_choice, what_is_led_and_not_yet_looked_at_is_missed_where_it_goes_through) {
  stage *s = led_stage(true);
  s->watch_state[MOTION_BOUND_SKIN * STRIDE + POINT] = 0;
  let_be_due(s, true);
  const near_choosing choosing = choosing_of(s, NULL);
  cr_assert(near_choice_make(&choosing));
  cr_assert_eq(s->cells.count, 0);
  lead(s, 0.0005, -0.001);
  cr_expect(affects_substep(s, 0.002));
  cr_expect_eq(s->cells.count, 1);
  stage_free(s);
}

Test(near_choice, who_is_watched_has_a_list_of_corners_before_it_has_any) {
  stage *s = stage_new(0.015, -0.03);
  place(s, OTHER, -0.02, 0.007, 0);
  list_other(s);
  for (int is_due = 0; is_due < 2; is_due++) {
    s->active_bound = standing(s->watch_state, s);
    s->gap_begin[1] = s->gap_end[1] = !is_due;
    const near_choosing choosing = choosing_of(s, NULL);
    cr_assert(near_choice_make(&choosing));
    cr_assert_eq(s->near.count, 1, "the point is too far away");
    cr_expect_eq(s->near.corners.count, is_due ? PARTICLES : PARTICLES - 1);
  }
  stage_free(s);
}

/* The point is in the second pair of the one list, and in none but the first of the other. */
Test(near_choice, of_another_list_the_pairs_of_who_strays_are_those_of_that_list) {
  stage *s = stage_new(0.015, -0.03);
  enum { LONG = 2 * LISTED_BLOCK };
  int32_t slots[LONG][PAIR_CORNERS];
  uint8_t kind[LONG] = {0};
  msd_real thickness[LONG], gaps[LONG], skins[LONG] = {0};
  s->listed = (pair_list){LONG, LONG, slots, kind, thickness, gaps, gaps, skins};
  place(s, OTHER, -0.02, 0.5, 0);
  s->active_bound = standing(s->watch_state, s);
  for (int list = 0; list < 2; list++) {
    for (int32_t n = 0; n < LONG; n++) {
      const int32_t point = n == (list == 0 ? LONG - 1 : 0) ? POINT : OTHER;
      memcpy(slots[n], (const int32_t[]){point, TRIANGLE, TRIANGLE + 1, TRIANGLE + 2}, sizeof slots[n]);
      thickness[n] = (msd_real)THICKNESS;
      gaps[n] = 0;
    }
    near_choice_forget_list(&s->choice);
    for (int32_t i = 0; i < PARTICLES; i++)
      s->watch_state[MOTION_BOUND_SKIN * STRIDE + i] = (msd_real)NARROW;
    const near_choosing choosing = choosing_of(s, NULL);
    cr_assert(near_choice_make(&choosing));
    cr_assert_eq(s->near.count, 0);
    s->watch_state[MOTION_BOUND_SKIN * STRIDE + POINT] = (msd_real)(0.015 - 0.002);
    s->marked[POINT] = 1;
    const near_choosing again = choosing_of(s, &s->taken);
    bool missed;
    cr_assert(near_choice_mend(&again, s->marked, &missed));
    cr_expect_eq(s->near.count, 1, "list %d", list);
  }
  stage_free(s);
}

/* What a list that says that a pair is 2 cm apart, but for skins of its own, leaves to be found: a particle has
   a skin in the watch, is off the place where the list expects it, and goes as fast as the watch and the list
   say, at some age of the list. */
typedef struct known {
  int particle;
  double skin, off, speed, listed_speed, age;
  bool is_measured;
} known;

/* Whether a pair that the list is wrong about comes to be near, since it is measured. */
static bool is_measured(const known *k, pair_kind kind, msd_simd simd) {
  stage *s = stage_new(0.009, kind == PAIR_EDGE_EDGE ? 0 : -0.03);
  if (kind == PAIR_EDGE_EDGE)
    memcpy(s->slots[0], (const int32_t[]){OTHER, POINT, TRIANGLE, TRIANGLE + 1}, sizeof s->slots[0]);
  s->kind[0] = (uint8_t)kind;
  s->skins[0] = (msd_real)0.02;
  s->list.age = k->age;
  s->list_state[k->particle] += (msd_real)(k->off - k->listed_speed * k->age);
  s->list_state[3 * STRIDE + k->particle] = (msd_real)k->listed_speed;
  s->watch_state[3 * STRIDE + k->particle] = (msd_real)k->speed;
  s->watch_state[MOTION_BOUND_SKIN * STRIDE + k->particle] = (msd_real)k->skin;
  near_choosing choosing = choosing_of(s, NULL);
  choosing.simd = simd;
  cr_assert(near_choice_make(&choosing));
  const bool found = s->near.count + s->cells.count > 0;
  stage_free(s);
  return found;
}

Test(near_choice, what_the_list_and_the_watch_know_to_be_apart_is_not_measured) {
  const known all[] = {{POINT, NARROW, 0, 0, 0, 0, false},
                       {POINT, 0.011, 0, 0, 0, 0, true},
                       {TRIANGLE, 0.011, 0, 0, 0, 0, true},
                       {TRIANGLE + 2, 0.011, 0, 0, 0, 0, true},
                       /* Behind a list that is new all go as it says, or nothing is known. */
                       {POINT, NARROW, 0, 1.5, 1.5, 0, false},
                       {POINT, NARROW, 0, 1.5, 0, 0, true},
                       {POINT, NARROW, 0.001, 0, 0, 0, true},
                       /* Later who is elsewhere reaches further, and who goes. */
                       {POINT, NARROW, 0, 0, 0, TIME_STEP, false},
                       {POINT, NARROW, 0.004, 0, 0, TIME_STEP, false},
                       {POINT, NARROW, 0.011, 0, 0, TIME_STEP, true},
                       {POINT, NARROW, 0, 0.5, 0.5, TIME_STEP, false},
                       {POINT, NARROW, 0, 1.5, 1.5, TIME_STEP, true},
                       {TRIANGLE + 1, NARROW, 0, 0, 1.5, TIME_STEP, true}};
  for (msd_simd simd = 0; simd < MSD_SIMD_COUNT; simd++)
    for (size_t n = 0; n < sizeof all / sizeof *all; n++)
      cr_expect_eq(is_measured(&all[n], PAIR_POINT_TRIANGLE, simd), all[n].is_measured, "%zu, width %d", n,
                   (int)simd);
}

Test(near_choice, of_two_edges_the_wider_end_of_each_says_how_far_they_reach) {
  for (msd_simd simd = 0; simd < MSD_SIMD_COUNT; simd++)
    for (int particle = POINT; particle < PARTICLES; particle++) {
      const known k = {particle, 0.011, 0, 0, 0, 0, particle != TRIANGLE + 2};
      cr_expect_eq(is_measured(&k, PAIR_EDGE_EDGE, simd), k.is_measured, "%d, width %d", particle, (int)simd);
    }
}
