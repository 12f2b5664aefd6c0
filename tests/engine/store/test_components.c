/* What hangs together, and what is held. */
#include "tests/support/unit_networks.h"

#include <string.h>

enum { MOST = 64 };

typedef struct found {
  int32_t piece[MOST];
  bool is_attached[MOST];
  msd_components counts;
} found;

static found find(const msd_world *world) {
  found f;
  cr_assert_eq(msd_world_find_components(world, f.piece, f.is_attached, &f.counts), MSD_OK);
  return f;
}

/* Two ropes of three particles, and one that is alone. */
static msd_world *ropes(void) {
  msd_world *world = empty_world();
  for (int32_t i = 0; i < 7; i++)
    add_particle(world, i, 0, 0, 1);
  join(world, 4, 5, physical(1, 0));
  join(world, 5, 3, physical(1, 0));
  join(world, 2, 0, physical(1, 0));
  join(world, 2, 1, physical(1, 0));
  return world;
}

Test(pieces, are_numbered_by_their_first_particles) {
  msd_world *world = ropes();
  const int32_t expected[7] = {0, 0, 0, 1, 1, 1, 2};
  const found f = find(world);
  cr_assert(memcmp(f.piece, expected, sizeof expected) == 0);
  cr_assert(f.counts.components == 3 && f.counts.attached == 0);
  msd_destroy_world(world);
}

Test(pieces, are_held_by_a_pin_or_an_soft_pin) {
  msd_world *world = ropes();
  cr_assert_eq(msd_particle_pin(world, 5), MSD_OK);
  msd_soft_pin_def soft_pin = msd_default_soft_pin_def();
  cr_assert_eq(msd_add_soft_pins(world, &soft_pin, 1, NULL), MSD_OK);
  found f = find(world);
  cr_assert(f.counts.components == 3 && f.counts.attached == 1, "an soft pin of nothing holds nothing");
  soft_pin.particle = 1;
  cr_assert_eq(msd_soft_pin_set_def(world, 0, &soft_pin), MSD_OK);
  f = find(world);
  cr_assert_eq(f.counts.attached, 2);
  for (int32_t i = 0; i < 7; i++)
    cr_assert_eq(f.is_attached[i], i < 6, "particle %d", (int)i);
  msd_destroy_world(world);
}

Test(pieces, fall_apart_where_springs_and_constraints_break) {
  msd_world *world = ropes();
  msd_constraint_def def = msd_default_constraint_def();
  def.kind = MSD_CONSTRAINT_AREA;
  def.particles[0] = 6, def.particles[1] = 3, def.particles[2] = 1;
  cr_assert_eq(msd_add_constraints(world, &def, 1, NULL), MSD_OK);
  cr_assert_eq(find(world).counts.components, 1, "a constraint joins all its corners");
  cr_assert_eq(msd_constraint_break(world, 0), MSD_OK);
  cr_assert_eq(find(world).counts.components, 3);
  cr_assert_eq(msd_spring_break(world, 1), MSD_OK);
  const int32_t expected[7] = {0, 0, 0, 1, 2, 2, 3};
  const found f = find(world);
  cr_assert(memcmp(f.piece, expected, sizeof expected) == 0);
  msd_destroy_world(world);
}

/* By spreading the lowest number along springs until nothing changes. */
Test(pieces, of_random_networks_are_those_of_a_flood) {
  for (uint64_t seed = 1; seed <= 50; seed++) {
    uint64_t random = seed;
    msd_world *world = empty_world();
    const int32_t particles = 1 + below(&random, MOST),
                  springs = particles > 1 ? below(&random, particles) : 0;
    for (int32_t i = 0; i < particles; i++)
      add_particle(world, i, 0, 0, 1);
    int32_t ends[MOST][2], lowest[MOST];
    for (int32_t e = 0; e < springs; e++) {
      ends[e][0] = below(&random, particles);
      ends[e][1] = (ends[e][0] + 1 + below(&random, particles - 1)) % particles;
      join(world, ends[e][0], ends[e][1], physical(1, 0));
    }
    for (int32_t i = 0; i < particles; i++)
      lowest[i] = i;
    for (int32_t round = 0; round < particles; round++)
      for (int32_t e = 0; e < springs; e++) {
        const int32_t a = lowest[ends[e][0]], b = lowest[ends[e][1]];
        lowest[ends[e][0]] = lowest[ends[e][1]] = a < b ? a : b;
      }
    const found f = find(world);
    int32_t number[MOST], pieces = 0;
    for (int32_t i = 0; i < particles; i++) {
      if (lowest[i] == i)
        number[i] = pieces++;
      cr_assert_eq(f.piece[i], number[lowest[i]], "network %d, particle %d", (int)seed, (int)i);
    }
    cr_assert_eq(f.counts.components, pieces);
    msd_destroy_world(world);
  }
}

Test(pieces, only_counts_may_be_wanted) {
  msd_world *world = ropes();
  msd_components counts;
  cr_assert_eq(msd_world_find_components(world, NULL, NULL, &counts), MSD_OK);
  cr_assert_eq(counts.components, 3);
  cr_assert_eq(msd_world_find_components(world, NULL, NULL, NULL), MSD_BAD_VALUE);
  cr_assert_eq(msd_world_find_components(NULL, NULL, NULL, &counts), MSD_BAD_VALUE);
  msd_destroy_world(world);
  world = empty_world();
  cr_assert_eq(msd_world_find_components(world, NULL, NULL, &counts), MSD_OK);
  cr_assert(counts.components == 0 && counts.attached == 0);
  msd_destroy_world(world);
}
