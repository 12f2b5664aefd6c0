/* The order of an irregular network in memory: a permutation, the same for equal worlds, that brings near
   particles together. */
#include "networks.h"

#include "engine/order.h"
#include "engine/world.h"

#include <math.h>

static int32_t *order_of(msd_world *world) {
  const int32_t count = world->particles.count;
  int32_t *slot = calloc((size_t)count + 1, sizeof *slot);
  cr_assert_not_null(slot);
  const size_t used = world->memory.used;
  cr_assert(order_along_curve(&world->particles, &world->springs, &world->memory, slot));
  cr_assert_eq(world->memory.used, used, "memory is kept");
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

Test(order, particles_in_one_place_or_at_the_ends_of_space_get_a_permutation_too) {
  const msd_real most = sizeof(msd_real) == sizeof(double) ? (msd_real)1.7e308 : (msd_real)3.4e38F;
  graph g = graph_random(300, 900, 1);
  for (int places = 0; places < 3; places++) {
    msd_world *world = world_of(&g, &(making){0});
    for (int32_t i = 0; i < g.particles; i++) {
      const msd_real far = places == 0 ? 0 : i % 3 == 0 ? most : -most;
      const msd_vec3 at = places == 2 && i % 2 ? (msd_vec3){1, 2, 3} : (msd_vec3){far, far, -far};
      ASSERT_OK(world, msd_particle_set_position(world, i, at));
    }
    free(order_of(world));
    msd_destroy_world(world);
  }
  graph_free(&g);
}

/* Half of all springs of a shuffled sheet join slots that are less than two windows apart; without an order
   it would be about one in eight. */
Test(order, neighbours_in_space_are_near_in_memory) {
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
  const size_t used = world->memory.used, limit = world->memory.limit;
  for (size_t room = 0; room < 12000; room += 1500) {
    world->memory.limit = used + room;
    cr_assert_not(order_along_curve(&world->particles, &world->springs, &world->memory, slot), "in %zu bytes",
                  room);
    cr_assert_eq(world->memory.used, used);
  }
  world->memory.limit = limit;
  free(slot);
  msd_destroy_world(world);
  graph_free(&g);
}
