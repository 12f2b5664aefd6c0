/* The order of an irregular network in memory: a permutation, the same for equal worlds, that brings near
   particles together, so that no spring reaches further than a few strips. */
#include "tests/support/meshes.h"

#include "engine/base/sort.h"
#include "engine/network/reorder.h"
#include "engine/world/world.h"

#include <float.h>
#include <math.h>

#ifdef MSD_DOUBLE
static const msd_real LARGEST = DBL_MAX, LEAST = DBL_TRUE_MIN;
#else
static const msd_real LARGEST = FLT_MAX, LEAST = FLT_TRUE_MIN;
#endif

static int32_t *order_of(msd_world *world) {
  const int32_t count = world->model.particles.count;
  int32_t *slot = calloc((size_t)count + 1, sizeof *slot);
  cr_assert_not_null(slot);
  const size_t used = world->model.memory.used;
  cr_assert(order_in_strips(&world->model.particles, &world->model.springs, &world->model.memory, slot));
  cr_assert_eq(world->model.memory.used, used, "memory is kept");
  bool *seen = calloc((size_t)count + 1, sizeof *seen);
  cr_assert_not_null(seen);
  for (int32_t i = 0; i < count; i++) {
    cr_assert(slot[i] >= 0 && slot[i] < count && !seen[slot[i]], "particle %d in slot %d", i, slot[i]);
    seen[slot[i]] = true;
  }
  free(seen);
  return slot;
}

Test(order, every_network_gets_a_permutation) {
  named_graph list[ALL_GRAPHS];
  make_all_graphs(list);
  for (int i = 0; i < ALL_GRAPHS; i++) {
    msd_world *world = world_of(&list[i].graph, &(making){.laws = LAWS_PHYSICAL, .seed = 1});
    free(order_of(world));
    msd_destroy_world(world);
  }
  free_all_graphs(list);
}

/* ------------------------------------------------------------------------------------------- odd places */

/* With the particles moved to other places. */
static void assert_permutation(const char *name, const graph *g, const msd_vec3 *at) {
  msd_world *world = world_of(g, &(making){0});
  cr_log_info("%s", name);
  for (int32_t i = 0; i < g->particles; i++)
    ASSERT_OK(world, msd_particle_set_position(world, i, at[i]));
  free(order_of(world));
  msd_destroy_world(world);
}

static msd_vec3 along_axis(int axis, msd_real x) {
  return (msd_vec3){axis == 0 ? x : 0, axis == 1 ? x : 0, axis == 2 ? x : 0};
}

/* Every place is a vector of +-size and 0. */
static void assert_permutation_at_size(const char *name, const graph *g, msd_real size) {
  msd_vec3 *at = calloc((size_t)g->particles, sizeof *at);
  cr_assert_not_null(at);
  generator random = {.state = 12};
  for (int32_t i = 0; i < g->particles; i++)
    at[i] = (msd_vec3){size * (msd_real)(random_below(&random, 3) - 1),
                       size * (msd_real)(random_below(&random, 3) - 1),
                       size * (msd_real)(random_below(&random, 3) - 1)};
  assert_permutation(name, g, at);
  free(at);
}

Test(order, particles_at_the_ends_of_space_or_as_near_as_numbers_can_be_get_a_permutation) {
  graph net = graph_random(300, 900, 1), dust = graph_of_points(300), pair = graph_rope(2, false);
  const graph *all[] = {&net, &dust, &pair};
  for (int n = 0; n < 3; n++) {
    assert_permutation_at_size("in one place", all[n], 0);
    assert_permutation_at_size("at the ends of space", all[n], LARGEST);
    assert_permutation_at_size("at half of it", all[n], LARGEST / 2);
    assert_permutation_at_size("at the least numbers", all[n], LEAST);
    assert_permutation_at_size("at few of the least numbers", all[n], 4 * LEAST);
  }
  graph_free(&net);
  graph_free(&dust);
  graph_free(&pair);
}

Test(order, particles_on_a_line_get_a_permutation) {
  graph net = graph_random(300, 900, 1), dust = graph_of_points(300);
  for (int n = 0; n < 2; n++)
    for (int axis = 0; axis < 3; axis++)
      for (int far = 0; far < 3; far++) {
        const graph *g = n ? &dust : &net;
        const msd_real each = far == 0 ? LEAST : far == 1 ? (msd_real)0.125 : LARGEST / 300;
        msd_vec3 at[300];
        for (int32_t i = 0; i < 300; i++)
          at[i] = along_axis(axis, each * (msd_real)(i * 7 % 300));
        assert_permutation("on a line", g, at);
      }
  graph_free(&net);
  graph_free(&dust);
}

/* The mean length is then about the longest side over the number of springs. */
Test(order, one_spring_as_long_as_space_among_short_ones_leaves_a_permutation) {
  for (int axis = 0; axis < 3; axis++) {
    graph g = graph_mesh(20, 20, axis, 3);
    graph_join(&g, 17, 350);
    msd_vec3 at[400];
    memcpy(at, g.at, sizeof at);
    at[17] = along_axis(axis, LARGEST);
    at[350] = along_axis(axis, -LARGEST);
    assert_permutation("one long spring", &g, at);
    graph_free(&g);
  }
}

/* -------------------------------------------------------------------------------------- near in memory */

/* Half of all springs of a shuffled sheet join slots that are less than two windows apart; without an order
   it would be about one in eight. */
Test(order, neighbors_in_space_are_near_in_memory) {
  graph g = graph_shuffled(graph_cloth(45, 45, CLOTH_SHEAR), 1);
  msd_world *world = world_of(&g, &(making){0});
  int32_t *slot = order_of(world), near = 0, near_before = 0;
  for (int32_t s = 0; s < g.springs; s++) {
    near += abs(slot[g.a[s]] - slot[g.b[s]]) < 128;
    near_before += abs(g.a[s] - g.b[s]) < 128;
  }
  cr_assert(near_before < g.springs / 4);
  cr_assert(near > g.springs / 2, "%d of %d", near, g.springs);
  free(slot);
  msd_destroy_world(world);
  graph_free(&g);
}

static double along(msd_vec3 at, int axis) {
  return (double)(axis == 0 ? at.x : axis == 1 ? at.y : at.z);
}

static double length_of(const graph *g, int32_t spring) {
  const msd_vec3 a = g->at[g->a[spring]], b = g->at[g->b[spring]];
  return sqrt(pow(along(a, 0) - along(b, 0), 2) + pow(along(a, 1) - along(b, 1), 2) +
              pow(along(a, 2) - along(b, 2), 2));
}

static int by_size(const void *one, const void *other) {
  const double a = *(const double *)one, b = *(const double *)other;
  return (a > b) - (a < b);
}

/* The most particles between two planes across the longest side at that distance. */
static int32_t most_between(const graph *g, double distance) {
  double *at = calloc((size_t)g->particles, sizeof *at),
         *longest = calloc((size_t)g->particles, sizeof *longest);
  cr_assert(at && longest);
  double size = -1;
  for (int axis = 0; axis < 3; axis++) {
    for (int32_t i = 0; i < g->particles; i++)
      at[i] = along(g->at[i], axis);
    qsort(at, (size_t)g->particles, sizeof *at, by_size);
    if (at[g->particles - 1] - at[0] > size) {
      size = at[g->particles - 1] - at[0];
      memcpy(longest, at, (size_t)g->particles * sizeof *at);
    }
  }
  int32_t most = 0;
  for (int32_t first = 0, end = 0; first < g->particles; first++) {
    while (end < g->particles && longest[end] - longest[first] <= distance)
      end++;
    most = end - first > most ? end - first : most;
  }
  free(at);
  free(longest);
  return most;
}

enum { WINDOW = 256 };

/* A strip is as wide as a spring is long in the mean. Where no spring is longer than two strips are wide, both
   its ends are in three that follow each other; and a window moves either end by less than its size. */
static int32_t farthest_reach(const graph *g) {
  double mean = 0, longest = 0;
  for (int32_t s = 0; s < g->springs; s++) {
    mean += length_of(g, s) / g->springs;
    longest = fmax(longest, length_of(g, s));
  }
  cr_assert(longest < 2 * mean);
  return most_between(g, 3 * mean * (1 + 1e-6)) + 2 * WINDOW;
}

static int32_t reach_in(const graph *g, const int32_t *slot) {
  int32_t reach = 0;
  for (int32_t s = 0; s < g->springs; s++) {
    const int32_t apart = abs(slot[g->a[s]] - slot[g->b[s]]);
    reach = apart > reach ? apart : reach;
  }
  return reach;
}

static void assert_springs_reach_three_strips(const char *name, graph g) {
  msd_world *world = world_of(&g, &(making){0});
  int32_t *slot = order_of(world);
  const int32_t bound = farthest_reach(&g), reach = reach_in(&g, slot);
  cr_assert(bound < g.particles / 4, "%s: %d of %d particles say nothing", name, bound, g.particles);
  cr_assert(reach < bound, "%s: a spring reaches %d particles, not %d", name, reach, bound);
  ASSERT_OK(world, msd_world_step(world, (msd_real)1 / 1024, 1));
  cr_assert(world->model.particles.slot &&
                memcmp(world->model.particles.slot, slot, (size_t)g.particles * sizeof *slot) == 0,
            "%s", name);
  cr_assert_eq(world->stepper.network.reach, reach, "%s: the network says %d, not %d", name,
               world->stepper.network.reach, reach);
  free(slot);
  msd_destroy_world(world);
  graph_free(&g);
}

Test(order, no_spring_of_a_triangle_mesh_reaches_further_than_three_strips) {
  for (int wide = 0; wide < 3; wide++) {
    assert_springs_reach_three_strips("long mesh", graph_mesh(30, 300, wide, 1));
    assert_springs_reach_three_strips("wide mesh", graph_mesh(300, 30, wide, 2));
    assert_springs_reach_three_strips("square mesh", graph_mesh(210, 200, wide, 3));
  }
}

Test(order, no_spring_of_a_shuffled_cloth_or_block_reaches_further_than_three_strips) {
  assert_springs_reach_three_strips("cloth", graph_shuffled(graph_cloth(100, 80, CLOTH_BEND), 4));
  assert_springs_reach_three_strips("block", graph_shuffled(graph_block(24, true), 5));
}

/* ------------------------------------------------------------------------------------ orders that are kept */

/* Its particles by their slots, and its springs in another order too. */
static graph graph_in_order(graph g, const int32_t *slot) {
  graph ordered = graph_of_points(g.particles);
  for (int32_t i = 0; i < g.particles; i++)
    ordered.at[slot[i]] = g.at[i];
  for (int32_t s = g.springs - 1; s >= 0; s--)
    graph_join(&ordered, slot[g.b[s]], slot[g.a[s]]);
  graph_free(&g);
  return ordered;
}

/* The order of a world, which a step then takes, and that of one whose particles stand in it. */
static void assert_order_is_kept(const char *name, graph g) {
  msd_world *world = world_of(&g, &(making){0});
  int32_t *place = calloc((size_t)g.particles, sizeof *place);
  cr_assert_not_null(place);
  bool is_kept = true;
  ASSERT_OK(world, msd_world_find_layout_order(world, place, &is_kept));
  cr_assert_not(is_kept, "%s", name);
  ASSERT_OK(world, msd_world_step(world, (msd_real)1 / 1024, 1));
  cr_assert(world->model.particles.slot &&
                memcmp(world->model.particles.slot, place, (size_t)g.particles * sizeof *place) == 0,
            "%s", name);
  msd_destroy_world(world);
  g = graph_in_order(g, place);
  world = world_of(&g, &(making){0});
  ASSERT_OK(world, msd_world_find_layout_order(world, place, &is_kept));
  cr_assert(is_kept, "%s", name);
  for (int32_t i = 0; i < g.particles; i++)
    cr_assert(place[i] == i, "%s: particle %d goes to %d", name, i, place[i]);
  ASSERT_OK(world, msd_world_step(world, (msd_real)1 / 1024, 1));
  cr_assert_null(world->model.particles.slot, "%s", name);
  free(place);
  msd_destroy_world(world);
  graph_free(&g);
}

Test(order, particles_that_stand_in_an_order_by_place_keep_it) {
  for (int wide = 0; wide < 3; wide++) {
    assert_order_is_kept("long mesh", graph_mesh(30, 300, wide, 1));
    assert_order_is_kept("square mesh", graph_mesh(110, 100, wide, 3));
  }
  assert_order_is_kept("cloth", graph_shuffled(graph_cloth(100, 80, CLOTH_BEND), 4));
}

/* As reorder.h has it. */
Test(order, one_lane_in_nine_and_a_reach_of_a_quarter_are_the_most) {
  cr_expect(order_serves(&(order_worth){.ends = 800, .lanes = 900, .reach = 250}, 1000));
  cr_expect_not(order_serves(&(order_worth){.ends = 799, .lanes = 900, .reach = 250}, 1000));
  cr_expect_not(order_serves(&(order_worth){.ends = 800, .lanes = 900, .reach = 251}, 1000));
  cr_expect(order_serves(&(order_worth){.ends = 800, .lanes = 900, .reach = 250}, 1003));
}

/* 1.5 n^(2/3) is 9322.8 of 490,000. */
Test(order, of_many_the_reach_of_a_cube_in_strips_is_the_most) {
  cr_expect(order_serves(&(order_worth){.ends = 1, .lanes = 1, .reach = 512 + 9322}, 490000));
  cr_expect_not(order_serves(&(order_worth){.ends = 1, .lanes = 1, .reach = 512 + 9323}, 490000));
}

/* 20 particles in two groups, where the last of each has most: 16 x 3 and 16 x 5 lanes. */
Test(order, groups_have_as_many_rows_as_their_busiest_particle_has_springs) {
  int32_t springs[20] = {[15] = 3, [16] = 2, [19] = 5};
  order_worth worth = {0};
  order_add_groups(&worth, springs, 20);
  cr_expect_eq(worth.ends, 10);
  cr_expect_eq(worth.lanes, 128);
}

/* A world whose order was asked for goes on as one that was not. */
Test(order, asking_for_it_changes_nothing) {
  graph g = graph_mesh(30, 40, 0, 1);
  msd_world *asked = world_of(&g, &(making){.seed = 2}), *other = world_of(&g, &(making){.seed = 2});
  int32_t *place = calloc((size_t)g.particles, sizeof *place);
  cr_assert_not_null(place);
  for (int step = 0; step < 3; step++) {
    ASSERT_OK(asked, msd_world_find_layout_order(asked, place, NULL));
    ASSERT_OK(asked, msd_world_step(asked, (msd_real)1 / 1024, 2));
    ASSERT_OK(other, msd_world_step(other, (msd_real)1 / 1024, 2));
    cr_assert_eq(msd_world_hash(asked), msd_world_hash(other));
  }
  ASSERT_OK(asked, msd_world_find_layout_order(asked, NULL, NULL));
  cr_expect_eq(msd_world_find_layout_order(NULL, place, NULL), MSD_BAD_VALUE);
  free(place);
  msd_destroy_world(asked);
  msd_destroy_world(other);
  graph_free(&g);
}

/* -------------------------------------------------------------------------------------- what it needs */

Test(order, the_order_follows_from_positions_and_springs_alone) {
  graph g = graph_random(500, 2000, 3);
  msd_world *one = world_of(&g, &(making){.laws = LAWS_COEFFICIENT, .seed = 5}),
            *other = world_of(&g, &(making){.laws = LAWS_COEFFICIENT, .seed = 5});
  for (int32_t i = 0; i < g.particles; i++) {
    ASSERT_OK(other, msd_particle_set_velocity(other, i, (msd_vec3){1, 1, 1}));
    ASSERT_OK(other, msd_particle_set_mass(other, i, 3));
  }
  int32_t *first = order_of(one), *second = order_of(other);
  cr_assert(memcmp(first, second, (size_t)g.particles * sizeof *first) == 0);
  free(first);
  free(second);
  msd_destroy_world(one);
  msd_destroy_world(other);
  graph_free(&g);
}

Test(order, without_memory_there_is_none) {
  graph g = graph_random(500, 2000, 3);
  msd_world *world = world_of(&g, &(making){0});
  int32_t *slot = calloc((size_t)g.particles, sizeof *slot);
  const size_t used = world->model.memory.used, limit = world->model.memory.limit,
               count = (size_t)g.particles;
  const size_t needed = 2 * memory_cost(count * sizeof(sort_item)) + memory_cost(count * sizeof *slot);
  for (size_t room = 0; room < needed; room += 1000) {
    world->model.memory.limit = used + room;
    cr_assert_not(order_in_strips(&world->model.particles, &world->model.springs, &world->model.memory, slot),
                  "in %zu bytes", room);
    cr_assert_eq(world->model.memory.used, used);
  }
  world->model.memory.limit = used + needed;
  cr_assert(order_in_strips(&world->model.particles, &world->model.springs, &world->model.memory, slot));
  world->model.memory.limit = limit;
  free(slot);
  msd_destroy_world(world);
  graph_free(&g);
}
