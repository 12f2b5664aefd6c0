/* What springs gave in the substep before, with which a warm start begins. */
#include "tests/support/impulses.h"

/* From a state of rest under a load, one pass that begins with the impulses of the substep before is nearer to
   what all passes lead to than one that begins with nothing. */
Test(warm_start, a_warm_start_is_nearer_to_convergence) {
  graph g = graph_rope(20, false);
  double left[2];
  for (int warm = 0; warm < 2; warm++) {
    msd_world *world = crumpled(&g, impulses(1, warm), coefficient(0.5, 0.5), 0);
    msd_world *converged = empty_world(impulses(500, false));
    ASSERT_OK(world, msd_particle_pin(world, 0));
    ASSERT_OK(world, msd_world_set_gravity(world, (msd_vec3){1, 0, 0}));
    ASSERT_OK(world, msd_world_step(world, 50, 50 * 64));
    size_t size;
    ASSERT_OK(world, msd_world_save(world, NULL, 0, &size));
    void *bytes = malloc(size);
    ASSERT_OK(world, msd_world_save(world, bytes, size, &size));
    ASSERT_OK(converged, msd_world_restore(converged, bytes, size));
    ASSERT_OK(converged, msd_world_set_impulse_iterations(converged, 500));
    ASSERT_OK(converged, msd_world_set_impulse_warm_start(converged, false));
    ASSERT_OK(world, msd_world_step(world, 0x1p-6F, 1));
    ASSERT_OK(converged, msd_world_step(converged, 0x1p-6F, 1));
    left[warm] = velocity_difference(world, converged);
    free(bytes);
    msd_destroy_world(world);
    msd_destroy_world(converged);
  }
  cr_assert_lt(left[1], 0.01 * left[0], "%g warm, %g cold", left[1], left[0]);
  graph_free(&g);
}

Test(warm_start, a_warm_started_world_goes_on_from_a_snapshot_and_after_adding_springs_with_the_same_bits) {
  graph g = graph_shuffled(graph_cloth(20, 20, CLOTH_SHEAR), 3);
  msd_world *world = crumpled(&g, impulses(2, true), coefficient(0.25, 0.25), (msd_real)0.0625);
  ASSERT_OK(world, msd_world_step(world, 1, 5));
  size_t size;
  ASSERT_OK(world, msd_world_save(world, NULL, 0, &size));
  void *bytes = malloc(size);
  ASSERT_OK(world, msd_world_save(world, bytes, size, &size));
  msd_world *restored = empty_world(FORCES);
  ASSERT_OK(restored, msd_world_restore(restored, bytes, size));
  cr_assert_eq(msd_world_get_impulse_iterations(restored), 2);
  cr_assert(msd_world_get_impulse_warm_start(restored));
  msd_spring_def spring = coefficient(0.25, 0.25);
  for (int round = 0; round < 3; round++) {
    spring.a = round;
    spring.b = 100 + round;
    ASSERT_OK(world, msd_add_springs(world, &spring, 1, NULL));
    ASSERT_OK(restored, msd_add_springs(restored, &spring, 1, NULL));
    ASSERT_OK(world, msd_world_step(world, 1, 3));
    ASSERT_OK(restored, msd_world_step(restored, 1, 3));
    cr_assert_eq(msd_world_hash(world), msd_world_hash(restored));
  }
  free(bytes);
  msd_destroy_world(world);
  msd_destroy_world(restored);
  graph_free(&g);
}

/* A pair that is added elsewhere is no reason to begin from nothing again. */
Test(warm_start, what_springs_gave_is_known_when_others_are_added) {
  graph g = graph_rope(20, false);
  msd_world *worlds[2];
  for (int grows = 0; grows < 2; grows++) {
    msd_world *world = worlds[grows] =
        crumpled(&g, impulses(2, true), coefficient(0.25, 0.25), (msd_real)0.0625);
    ASSERT_OK(world, msd_world_step(world, 1, 5));
    for (int round = 0; round < 3; round++) {
      msd_particle_def def = msd_default_particle_def();
      msd_spring_def spring = coefficient(0.25, 0.25);
      for (int end = 0; end < 2 && grows; end++) {
        def.position = (msd_vec3){(msd_real)end, 9, (msd_real)round};
        ASSERT_OK(world, msd_add_particles(world, &def, 1, end ? &spring.b : &spring.a));
      }
      if (grows)
        ASSERT_OK(world, msd_add_springs(world, &spring, 1, NULL));
      ASSERT_OK(world, msd_world_step(world, 1, 1));
    }
  }
  for (int32_t i = 0; i < g.particles; i++) {
    const msd_vec3 x = msd_particle_get_position(worlds[0], i), y = msd_particle_get_position(worlds[1], i);
    cr_assert(x.x == y.x && x.y == y.y && x.z == y.z, "particle %d", i);
  }
  msd_destroy_world(worlds[0]);
  msd_destroy_world(worlds[1]);
  graph_free(&g);
}

/* A tether that has been slack since it last gave something begins a warm start with nothing. */
Test(warm_start, a_tether_forgets_what_it_gave_before_it_was_slack) {
  msd_spring_def tether = coefficient(0.5, 0.5);
  tether.mode = MSD_SPRING_TENSION_ONLY;
  tether.rest_length = 1;
  msd_vec3 end[2];
  for (int was_taut = 0; was_taut < 2; was_taut++) {
    msd_world *world = empty_world(impulses(2, true));
    msd_particle_def def = msd_default_particle_def();
    def.pinned = true;
    ASSERT_OK(world, msd_add_particles(world, &def, 1, &tether.a));
    def.pinned = false;
    ASSERT_OK(world, msd_add_particles(world, &def, 1, &tether.b));
    ASSERT_OK(world, msd_add_springs(world, &tether, 1, NULL));
    const double lengths[] = {2, 0.5, 2};
    for (int n = was_taut ? 0 : 2; n < 3; n++) {
      ASSERT_OK(world, msd_particle_set_position(world, 1, (msd_vec3){(msd_real)lengths[n], 0, 0}));
      ASSERT_OK(world, msd_particle_set_velocity(world, 1, (msd_vec3){0, 0, 0}));
      ASSERT_OK(world, msd_world_step(world, 1, 1));
    }
    end[was_taut] = msd_particle_get_position(world, 1);
    msd_destroy_world(world);
  }
  cr_assert_lt(end[0].x, 2);
  cr_assert_eq(end[1].x, end[0].x);
}

/* ------------------------------------------------------------------------------------ beyond all numbers */

/* Two pins so far apart that the spring between them is infinitely long, and would give as much. */
Test(warm_start, an_impulse_between_pins_out_of_range_is_not_kept) {
  msd_world *world = empty_world(impulses(2, true)), *twin = empty_world(impulses(2, true));
  const msd_real far = sizeof far == sizeof(double) ? (msd_real)1e200 : (msd_real)1e30;
  for (int n = 0; n < 3; n++) {
    msd_particle_def def = msd_default_particle_def();
    def.position.x = (msd_real)n * far;
    def.pinned = n < 2;
    ASSERT_OK(world, msd_add_particles(world, &def, 1, NULL));
  }
  msd_spring_def spring = coefficient(0.5, 0.25);
  spring.a = 0;
  spring.b = 1;
  spring.rest_length = 1;
  ASSERT_OK(world, msd_add_springs(world, &spring, 1, NULL));
  ASSERT_OK(world, msd_world_step(world, (msd_real)0.015625, 3));
  unsigned char bytes[4096];
  size_t size;
  ASSERT_OK(world, msd_world_save(world, bytes, sizeof bytes, &size));
  ASSERT_OK(twin, msd_world_restore(twin, bytes, size));
  ASSERT_OK(world, msd_world_step(world, (msd_real)0.015625, 3));
  ASSERT_OK(twin, msd_world_step(twin, (msd_real)0.015625, 3));
  cr_assert_eq(msd_world_hash(twin), msd_world_hash(world));
  msd_destroy_world(world);
  msd_destroy_world(twin);
}
