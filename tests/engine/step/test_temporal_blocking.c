/* Several substeps in one pass: against substeps one by one in plain C, bit for bit. */
#include "tests/support/courses.h"

#include "engine/base/parallel.h"
#include "engine/step/temporal_blocking.h"

#include <math.h>

/* The largest depth. */
enum { DEPTH_MAX = 9 };

/* ------------------------------------------------------------------------------------------------- trials */

/* One way to take the substeps. */
typedef enum medium { THROUGH_ROWS, THROUGH_RUNS, THROUGH_RECORDS, MEDIUM_COUNT } medium;

typedef struct trial {
  blocking_shape shape;
  msd_simd width;
  medium medium;
  int threads, substeps;
  /* Ends in the slab that it began with; of records. */
  bool in_place;
} trial;

static blocking_run run_of(const course *c, const trial *t, msd_real *down) {
  blocking_run run = {.shape = t->shape,
                      .kernel = kernels_choose(t->width)->springs,
                      .input = c->input,
                      .slab = {c->slab[0] + PARTICLE_GUARD, c->slab[t->in_place ? 0 : 1] + PARTICLE_GUARD},
                      .down = down,
                      .threads = t->threads,
                      .substeps = t->substeps};
  if (t->medium != THROUGH_RECORDS)
    run.slab[2] = c->slab[2] + PARTICLE_GUARD;
  for (int n = 0; n < 2 && t->medium == THROUGH_RECORDS; n++)
    run.records[n] = c->records[n] + PARTICLE_GUARD * RECORD_SIZE;
  return run;
}

/* Where nothing has been written yet there is no number. */
static void spoil(const course *c) {
  memcpy(c->slab[0], c->block[0], c->reals * sizeof(msd_real));
  for (int n = 1; n < BLOCKING_SLABS; n++)
    for (size_t k = 0; k < COMPONENTS; k++)
      memset(c->slab[n] + PARTICLE_GUARD + k * c->input.stride, 0xff, slot_count(c) * sizeof(msd_real));
  for (int n = 0; n < 2; n++)
    memset(c->records[n] + PARTICLE_GUARD * RECORD_SIZE, 0xff,
           slot_count(c) * RECORD_SIZE * sizeof(msd_real));
}

static void assert_as_single_substeps(const course *c, const trial *t, const blocking_run *run,
                                      const char *name) {
  const msd_real *last = c->slab[t->in_place ? 0 : blocking_slab(run, t->substeps)];
  const msd_real *expected = c->block[t->substeps];
  if (memcmp(last, expected, c->reals * sizeof *last) == 0)
    return;
  size_t i = 0;
  while (memcmp(&last[i], &expected[i], sizeof *last) == 0)
    i++;
  cr_assert_fail("%s: real %zu is %.9g, not %.9g", name, i, (double)last[i], (double)expected[i]);
}

/* Takes the substeps of a trial. Beside what blocking_advance says: the bits of all that it leaves in the last
   slab, if all is finite; the first state stands as it was, unless that is the last slab too; and down sums are
   zero. */
static bool advance(const course *c, const trial *t) {
  static const char *const names[MEDIUM_COUNT] = {"rows", "runs", "records"};
  char name[160];
  snprintf(name, sizeof name, "%s: depth %d, tile %d, skew %d, %d threads, %d substeps, width %d, %s",
           c->name, t->shape.depth, (int)t->shape.tile, (int)t->shape.skew, t->threads, t->substeps,
           (int)t->width, names[t->medium]);
  const size_t down_size =
      t->medium == THROUGH_RUNS ? blocking_down_size(c->input.net, &t->shape, t->threads) : 0;
  msd_real *down = down_size > 0 ? reals_of(down_size) : NULL;
  spoil(c);
  const blocking_run run = run_of(c, t, down);
  const bool finite = blocking_advance(&run);
  cr_assert((t->in_place && finite) || memcmp(c->slab[0], c->block[0], c->reals * sizeof(msd_real)) == 0,
            "%s: the first state is changed", name);
  for (size_t i = 0; i < down_size; i++)
    cr_assert(down[i] == 0, "%s: down sums are left at %zu", name, i);
  if (finite)
    assert_as_single_substeps(c, t, &run, name);
  free(down);
  return finite;
}

static int32_t least_skew(const network *net) {
  const int32_t skew = (net->reach + NETWORK_CHUNK - 1) / NETWORK_CHUNK;
  return skew > 1 ? skew : 1;
}

/* Whether the ends of a range, as wide as the skews of all levels, leave room for each other. */
static bool has_room(const network *net, const blocking_shape *shape, int threads) {
  for (int thread = 0; thread < threads && threads > 1; thread++) {
    const parallel_range range = parallel_split(net->chunk_count, thread, threads);
    if (range.last - range.first < 2 * shape->skew * (shape->depth - 1))
      return false;
  }
  return true;
}

/* Every width that there is, through all that it has. Returns how many. */
enum { WAYS_MAX = MEDIUM_COUNT * MSD_SIMD_COUNT };
static int list_ways(trial list[WAYS_MAX]) {
  int count = 0;
  for (int w = MSD_SIMD_SCALAR; w < MSD_SIMD_COUNT; w++)
    for (int m = 0; m < MEDIUM_COUNT; m++)
      if (has_width((msd_simd)w))
        list[count++] = (trial){.width = (msd_simd)w, .medium = (medium)m};
  return count;
}

/* All shapes that there is room for; ways and numbers of substeps take turns. */
static void assert_same_in_all_shapes(course c) {
  static const int threads[] = {1, 2, 3, 5};
  trial ways[WAYS_MAX];
  const int way_count = list_ways(ways);
  int turn = 0;
  for (int depth = 1; depth <= DEPTH_MAX; depth++)
    for (int32_t tile = 1; tile <= 3; tile++)
      for (int32_t more = 0; more < 2; more++)
        for (int n = 0; n < 4; n++) {
          const int substeps[] = {depth, depth + 1, 2 * depth + 1, 2 * depth - 1};
          trial t = ways[turn % way_count];
          t.shape = (blocking_shape){.skew = least_skew(c.input.net) + more, .tile = tile, .depth = depth};
          t.threads = threads[n];
          t.substeps = substeps[turn / way_count % 4];
          if (!has_room(c.input.net, &t.shape, t.threads))
            continue;
          turn++;
          cr_assert(advance(&c, &t), "%s: not finite", c.name);
        }
  cr_assert_geq(turn, 4 * way_count, "%s: %d trials", c.name, turn);
  close_course(&c);
}

/* ----------------------------------------------------------------------------------------------- networks */

Test(temporal_blocking, cloths_have_the_bits_of_single_substeps) {
  assert_same_in_all_shapes(open_course("cloth", world_made(graph_cloth(53, 61, CLOTH_BEND), &LIVELY)));
  assert_same_in_all_shapes(
      open_course("wide cloth", world_made(graph_cloth(300, 11, CLOTH_SHEAR),
                                           &(making){LAWS_COEFFICIENT, .seed = 2, .pins = true})));
}

/* Of so many chunks that five threads have room for every depth. */
TestSuite(temporal_blocking_long);
Test(temporal_blocking_long, long_ribbons_have_the_bits_of_single_substeps) {
  assert_same_in_all_shapes(
      open_course("ribbon", world_made(graph_cloth(8, 2563, CLOTH_SHEAR), &(making){LAWS_MIXED, .seed = 3})));
}

Test(temporal_blocking, ropes_have_the_bits_of_single_substeps) {
  assert_same_in_all_shapes(open_course("rope", world_made(graph_rope(4871, true), &LIVELY)));
  assert_same_in_all_shapes(open_course("small rope", world_made(graph_rope(700, false), &LIVELY)));
}

Test(temporal_blocking, springs_of_no_pattern_have_the_bits_of_single_substeps) {
  assert_same_in_all_shapes(
      open_course("near", world_made(graph_near(2500, 3, 250, 5), &(making){LAWS_MIXED, .seed = 4})));
  assert_same_in_all_shapes(open_course(
      "patched cloth", world_made(graph_patched(50, 60, 500), &(making){LAWS_COEFFICIENT, .seed = 5})));
}

Test(temporal_blocking, hubs_have_the_bits_of_single_substeps) {
  course c = open_course("hubs", world_made(graph_near_hubs(3001, 400, 120),
                                            &(making){LAWS_COEFFICIENT, .seed = 6, .pins = true}));
  cr_assert_gt(c.input.net->tail_count, 3);
  assert_same_in_all_shapes(c);
}

/* Of a spring whose ends are both hubs, no row knows. */
Test(temporal_blocking, a_spring_from_hub_to_hub_reaches_as_far_as_they_are_apart) {
  graph g = graph_near_hubs(3001, 400, 120);
  graph_join(&g, 100, 2900);
  course c = open_course("two hubs", world_made(g, &LIVELY));
  cr_assert_eq(c.input.net->reach, 2800);
  close_course(&c);
}

Test(temporal_blocking, broken_springs_pins_and_other_materials_have_the_bits_of_single_substeps) {
  const making m = {LAWS_MIXED, .seed = 7, .pins = true, .breaks = 5};
  assert_same_in_all_shapes(open_course("mixed cloth", world_made(graph_cloth(41, 67, CLOTH_BEND), &m)));
}

Test(temporal_blocking, tethers_and_struts_have_the_bits_of_single_substeps) {
  const making m = {LAWS_PHYSICAL, .seed = 8, .soften = 8, .sides = 3};
  assert_same_in_all_shapes(open_course("one-sided", world_made(graph_cloth(41, 67, CLOTH_BEND), &m)));
}

Test(temporal_blocking, tethers_to_pins_farther_than_the_skew_have_the_bits_of_single_substeps) {
  course c = open_course("tethered", tethered_cloth(48, 60, &LIVELY));
  cr_assert_gt(c.input.net->held_row_count, 50);
  cr_assert_eq(c.input.net->reach, 2 * 48, "held rows count for no reach");
  assert_same_in_all_shapes(c);
}

/* Pins that drift are no matter where nothing is held; forces act in every substep; and a flat cloth has zeros
   of both signs. */
Test(temporal_blocking, drifting_pins_forces_and_signed_zeros_have_the_bits_of_single_substeps) {
  course c = open_course("pushed", world_made(graph_cloth(53, 49, CLOTH_BEND),
                                              &(making){LAWS_PHYSICAL, .soften = 8, .pins = true}));
  msd_real *force = reals_of(c.reals), *state = state_of(&c, 0);
  const size_t stride = c.input.stride;
  for (size_t i = 0; i < slot_count(&c); i++) {
    state[VELOCITY_X * stride + i] = c.input.net->inverse_mass[i] == 0 ? 1 : 0;
    state[POSITION_Z * stride + i] = i % 2 ? (msd_real)-0.0 : 0;
    state[VELOCITY_Z * stride + i] = i % 3 ? (msd_real)-0.0 : 0;
    force[PARTICLE_GUARD + stride * (i % 2) + i] = (msd_real)(i % 5) - 2;
  }
  c.input.force = force + PARTICLE_GUARD;
  c.input.decay = 1;
  cr_assert(take_plain_substeps(&c));
  assert_same_in_all_shapes(c);
  free(force);
}

/* ------------------------------------------------------------------------------------------ what may fail */

Test(temporal_blocking, a_position_that_is_not_finite_is_told_and_the_first_state_is_kept) {
  enum { FREE = 1234 };
  graph whole = graph_cloth(40, 60, CLOTH_BEND), g = graph_of_points(whole.particles);
  memcpy(g.at, whole.at, (size_t)g.particles * sizeof *g.at);
  for (int32_t s = 0; s < whole.springs; s++)
    if (whole.a[s] != FREE && whole.b[s] != FREE)
      graph_join(&g, whole.a[s], whole.b[s]);
  graph_free(&whole);
  course c = open_course("shot", world_made(g, &LIVELY));
  c.input.decay = 1;
  trial ways[WAYS_MAX];
  const int way_count = list_ways(ways);
  for (int failing = 1; failing <= 10; failing += failing % 4 == 1 ? 1 : 3) {
    shoot(&c, FREE, failing);
    cr_assert(!take_plain_substeps(&c));
    for (int n = 0; n < 2 * way_count; n++) {
      trial t = ways[n / 2];
      t.shape = (blocking_shape){.skew = 1, .tile = 1 + failing % 3, .depth = n % 2 ? 5 : 3};
      t.threads = n % 2 ? 1 : 2;
      t.substeps = 9; /* in passes of 5 and 4, and of 3 */
      cr_assert_eq(advance(&c, &t), failing > 9, "fails in substep %d, width %d", failing, (int)t.width);
      if (failing > 1) { /* and the substeps before it are as good as any */
        t.substeps = failing - 1;
        cr_assert(advance(&c, &t), "fails after %d substeps, width %d", t.substeps, (int)t.width);
      }
      t.in_place = t.medium == THROUGH_RECORDS;
      for (t.substeps = 9; t.in_place && t.substeps > 0; t.substeps--)
        cr_assert_eq(advance(&c, &t), failing > t.substeps, "in place, %d substeps", t.substeps);
    }
  }
  close_course(&c);
}

/* Whether they stand is what a plain substep does to them. */
static void assert_pins_stand(const course *c, bool stand, const char *why) {
  spring_input in = c->input;
  in.read.slab = in.pins.slab = state_of(c, 0);
  in.write.slab = state_of(c, 1);
  reference_advance(&in);
  bool stood = true;
  for (size_t k = 0; k < COMPONENTS; k++)
    for (size_t i = 0; i < slot_count(c); i++)
      if (in.net->inverse_mass[i] == 0)
        stood = stood && memcmp(&in.read.slab[k * in.stride + i], &in.write.slab[k * in.stride + i],
                                sizeof(msd_real)) == 0;
  cr_expect_eq(stood, stand, "%s: the plain substep", why);
  cr_expect_eq(blocking_pins_stand(&c->input, state_of(c, 0)), stand, "%s", why);
}

Test(temporal_blocking, pins_of_held_rows_stand_unless_a_substep_changes_one_of_their_bits) {
  enum { PIN = 17 };
  course c = open_course("tethered", tethered_cloth(48, 20, &LIVELY));
  assert_pins_stand(&c, true, "at rest");
  for (size_t k = 0; k < 3; k++) {
    msd_real *x = state_of(&c, 0) + k * c.input.stride + PIN, *v = x + 3 * c.input.stride;
    const msd_real before = *x;
    *v = (msd_real)0.125;
    assert_pins_stand(&c, false, "moving");
    *x = 1;
    *v = (msd_real)1e-20;
    assert_pins_stand(&c, true, "too slow to move");
    *x = (msd_real)-0.0;
    *v = 0;
    assert_pins_stand(&c, false, "-0 + 0 is 0");
    *v = (msd_real)-0.0;
    assert_pins_stand(&c, true, "-0 - 0 is -0");
    *x = before, *v = 0;
  }
  close_course(&c);
}

Test(temporal_blocking, without_held_rows_no_pin_need_stand) {
  course c = open_course("pinned", world_made(graph_cloth(20, 20, CLOTH_BEND), &(making){.pins = true}));
  state_of(&c, 0)[VELOCITY_Y * c.input.stride] = 1;
  cr_expect_eq(c.input.net->inverse_mass[0], 0);
  cr_expect(blocking_pins_stand(&c.input, state_of(&c, 0)));
  close_course(&c);
}

/* ----------------------------------------------------------------------------------------------- choosing */

/* As wide and as far-reaching as that. */
static network network_of(int32_t particles, int32_t reach) {
  return (network){.group_count = (particles + NETWORK_GROUP - 1) / NETWORK_GROUP,
                   .chunk_count = (particles + NETWORK_CHUNK - 1) / NETWORK_CHUNK,
                   .reach = reach};
}

static int chosen_depth(int32_t particles, int32_t reach, int threads, int substeps) {
  const network net = network_of(particles, reach);
  return blocking_choose(&net, threads, substeps).depth;
}

Test(temporal_blocking, the_chosen_shape_reaches_as_far_as_springs_and_leaves_every_thread_room) {
  static const int32_t particles[] = {0, 1, 255, 5000, 119999, 120000, 129600, 250000, 1000003, 100000000};
  for (size_t p = 0; p < sizeof particles / sizeof particles[0]; p++)
    for (int32_t reach = 0; reach < particles[p]; reach = reach * 5 / 3 + 1)
      for (int threads = 1; threads <= 256; threads += 1 + threads / 3)
        for (int substeps = 1; substeps < 2000; substeps = substeps * 3 / 2 + 1) {
          const network net = network_of(particles[p], reach);
          const blocking_shape shape = blocking_choose(&net, threads, substeps);
          cr_assert(shape.skew >= 1 && shape.tile >= 1 && shape.skew * NETWORK_CHUNK >= reach);
          cr_assert_leq(shape.depth, substeps);
          if (shape.depth >= BLOCKING_DEPTH_MIN)
            cr_assert(has_room(&net, &shape, threads), "%d particles, reach %d, %d threads", particles[p],
                      reach, threads);
        }
}

Test(temporal_blocking, few_substeps_far_springs_and_many_threads_leave_no_depth) {
  cr_expect_geq(chosen_depth(1000000, 2000, 1, 8), BLOCKING_DEPTH_MIN);
  cr_expect_geq(chosen_depth(1000000, 2000, 2, 8), BLOCKING_DEPTH_MIN);
  cr_expect_lt(chosen_depth(1000000, 2, 1, BLOCKING_DEPTH_MIN - 1), BLOCKING_DEPTH_MIN, "few substeps");
  cr_expect_lt(chosen_depth(1000000, 900000, 1, 8), BLOCKING_DEPTH_MIN, "a spring from end to end");
  cr_expect_lt(chosen_depth(1000000, 200000, 2, 8), BLOCKING_DEPTH_MIN, "a spring over a fifth of all");
  cr_expect_lt(chosen_depth(1000000, 2000, 64, 8), BLOCKING_DEPTH_MIN, "too many threads");
  cr_expect_lt(chosen_depth(1000000, 2, 5000, 8), BLOCKING_DEPTH_MIN, "more threads than chunks");
}

Test(temporal_blocking, the_depth_never_grows_with_the_reach_or_the_threads) {
  for (int threads = 1; threads < 64; threads++)
    for (int32_t reach = 1; reach < 200000; reach = reach * 3 / 2 + 1) {
      const int depth = chosen_depth(500000, reach, threads, 32);
      cr_assert_leq(chosen_depth(500000, reach + NETWORK_CHUNK, threads, 32), depth);
      cr_assert_leq(chosen_depth(500000, reach, threads + 1, 32), depth);
    }
}
