/* What is at each particle, against all springs, pieces and constraints one by one. */
#include "tests/support/laboratory.h"
#include "tests/support/networks.h"

#include "engine/step/one_ring.h"
#include "engine/world/world.h"

static bool lists(const incidence *at, int32_t particle, int32_t item) {
  int found = 0;
  for (int32_t n = at->first[particle]; n < at->first[particle + 1]; n++) {
    found += at->item[n] == item;
    cr_expect(n == at->first[particle] || at->item[n] > at->item[n - 1], "ascending");
  }
  cr_expect_leq(found, 1);
  return found == 1;
}

Test(one_ring, list_all_that_is_at_a_particle_and_nothing_else) {
  graph g = graph_random(30, 120, 7);
  msd_world *world = world_of(&g, &(making){.laws = LAWS_PHYSICAL});
  graph_free(&g);
  static const int32_t triangles[] = {0, 1, 2, 2, 1, 3}, segments[] = {4, 5, 5, 0};
  msd_collision_mesh_def surface = msd_default_collision_mesh_def();
  surface.triangles = triangles;
  surface.triangle_count = 2;
  surface.segments = segments;
  surface.segment_count = 2;
  ok(world, msd_add_collision_meshes(world, &surface, 1, NULL));
  msd_constraint_def angles[2] = {msd_default_constraint_def(), msd_default_constraint_def()};
  for (int n = 0; n < 2; n++) {
    angles[n].kind = MSD_CONSTRAINT_ANGLE;
    for (int k = 0; k < 3; k++)
      angles[n].particles[k] = 3 * n + k;
    angles[n].stiffness = 1;
  }
  ok(world, msd_add_constraints(world, angles, 2, NULL));
  ok(world, msd_constraint_break(world, 1));
  one_ring all;
  cr_assert(one_ring_find(&all, &world->model.memory, &world->model));
  for (int32_t i = 0; i < 30; i++) {
    for (int32_t e = 0; e < 120; e++)
      cr_expect_eq(lists(&all.springs, i, e),
                   world->model.springs.a[e] == i || world->model.springs.b[e] == i);
    for (int32_t p = 0; p < 4; p++)
      cr_expect_eq(lists(&all.pieces, i, p), element_has(one_ring_corners(&world->model.surfaces, p), i));
    cr_expect_eq(lists(&all.constraints, i, 0), i < 3);
    cr_expect_not(lists(&all.constraints, i, 1), "a broken one");
  }
  one_ring_free(&all, &world->model.memory);
  msd_destroy_world(world);
}
