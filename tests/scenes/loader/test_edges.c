#include "scenes/loader/edges.h"

#include <criterion/criterion.h>
#include <stdlib.h>

Test(edges, an_edge_is_found_in_either_direction) {
  edge memory[3];
  edge_set set = {.edges = memory};
  edge_set_add(&set, 7, 2);
  edge_set_add(&set, 2, 3);
  edge_set_add(&set, 0, 9);
  edge_set_sort(&set);
  cr_expect(edge_set_has(&set, 2, 7) && edge_set_has(&set, 7, 2) && edge_set_has(&set, 3, 2));
  cr_expect(edge_set_has(&set, 0, 9));
  cr_expect_not(edge_set_has(&set, 3, 7));
  cr_expect_not(edge_set_has(&set, 0, 2));
}

Test(edges, an_empty_set_has_none) {
  edge_set set = {0};
  edge_set_sort(&set);
  cr_expect_not(edge_set_has(&set, 0, 1));
}

static bool is_second(const msd_world *world, int32_t spring) {
  return msd_spring_get_def(world, spring).stiffness == 2;
}

Test(edges, are_those_of_some_springs_of_a_world) {
  const msd_world_def def = msd_default_world_def();
  msd_world *world = NULL;
  cr_assert_eq(msd_create_world(&def, &world), MSD_OK);
  const msd_particle_def particles[4] = {msd_default_particle_def(), msd_default_particle_def(),
                                         msd_default_particle_def(), msd_default_particle_def()};
  cr_assert_eq(msd_add_particles(world, particles, 4, NULL), MSD_OK);
  for (int i = 0; i < 3; i++) {
    msd_spring_def spring = msd_default_spring_def();
    spring.a = i + 1;
    spring.b = i;
    spring.stiffness = (msd_real)(1 + i % 2);
    cr_assert_eq(msd_add_springs(world, &spring, 1, NULL), MSD_OK);
  }
  edge_set set = edge_set_of_springs(world, is_second),
           none = edge_set_of_springs(world, msd_spring_is_broken);
  cr_expect(set.count == 1 && edge_set_has(&set, 1, 2) && !edge_set_has(&set, 0, 1));
  cr_expect(none.edges && none.count == 0);
  cr_expect(edge_set_cuts(&set, (const int32_t[]){2, 3, 1}) &&
            edge_set_cuts(&set, (const int32_t[]){1, 2, 0}));
  cr_expect_not(edge_set_cuts(&set, (const int32_t[]){0, 1, 3}));
  free(set.edges);
  free(none.edges);
  msd_destroy_world(world);
}
