/* A world that is changed between its steps: what it had worked out before is worked out again. */
#include "tests/support/rebuilt.h"

static msd_world *swinging_cloth(void) {
  graph g = graph_cloth(14, 11, CLOTH_BEND);
  msd_world *world = world_of(&g, &(making){LAWS_MIXED, .seed = 1, .pins = true});
  graph_free(&g);
  return world;
}

Test(world_changes, particles_and_springs_may_be_added_between_steps) {
  msd_world *world = swinging_cloth();
  step(world, 2);
  int32_t last = msd_world_get_particle_count(world) - 1;
  for (int n = 0; n < 40; n++) {
    msd_particle_def particle = msd_default_particle_def();
    particle.position = vec(0.1 * n, -2, 0.5);
    int32_t added;
    ASSERT_OK(world, msd_add_particles(world, &particle, 1, &added));
    if (n % 4 == 0)
      assert_goes_on_like_new("a particle", world);
    msd_spring_def spring = msd_default_spring_def();
    spring.a = added;
    spring.b = last;
    spring.stiffness = 30;
    ASSERT_OK(world, msd_add_springs(world, &spring, 1, NULL));
    if (n % 4 == 1)
      assert_goes_on_like_new("a spring", world);
    last = added;
  }
  msd_destroy_world(world);
}

Test(world_changes, springs_may_be_broken_between_steps) {
  msd_world *world = swinging_cloth();
  step(world, 2);
  for (int32_t s = 0; s < msd_world_get_spring_count(world); s += 13) {
    ASSERT_OK(world, msd_spring_break(world, s));
    if (s % 5 == 0)
      assert_goes_on_like_new("a broken spring", world);
  }
  msd_destroy_world(world);
}

Test(world_changes, springs_may_be_retuned_between_steps) {
  msd_world *world = swinging_cloth();
  step(world, 2);
  for (int32_t s = 0; s < msd_world_get_spring_count(world); s += 23) {
    const msd_spring_def def = making_spring(&(making){LAWS_MIXED, .soften = 2}, s + 1);
    ASSERT_OK(world, msd_spring_set_law(world, s, &def));
    ASSERT_OK(world, msd_spring_set_rest_length(world, s + 1, (msd_real)0.17));
    assert_goes_on_like_new("a retuned spring", world);
  }
  msd_destroy_world(world);
}

Test(world_changes, a_spring_added_since_the_last_step_may_be_retuned_and_broken_before_the_next) {
  msd_world *world = swinging_cloth();
  step(world, 2);
  msd_spring_def def = msd_default_spring_def();
  def.a = 3;
  def.b = 100;
  def.stiffness = 5;
  int32_t spring;
  ASSERT_OK(world, msd_add_springs(world, &def, 1, &spring));
  def.stiffness = 50;
  ASSERT_OK(world, msd_spring_set_law(world, spring, &def));
  ASSERT_OK(world, msd_spring_set_rest_length(world, spring, (msd_real)0.2));
  assert_goes_on_like_new("a spring retuned at once", world);
  ASSERT_OK(world, msd_add_springs(world, &def, 1, &spring));
  ASSERT_OK(world, msd_spring_break(world, spring));
  assert_goes_on_like_new("a spring broken at once", world);
  msd_destroy_world(world);
}

/* The stiffest springs leave room for the constraints at their ends, and take it back, also when the substep is
   that of the step before. */
Test(world_changes, constraints_may_be_added_and_broken_between_steps) {
  for (int integrator = 0; integrator < MSD_INTEGRATOR_COUNT; integrator++) {
    msd_world_def world_def = msd_default_world_def();
    world_def.integrator = (msd_integrator)integrator;
    msd_world *world = world_from_def(&world_def);
    msd_cloth_def cloth = msd_default_cloth_def();
    cloth.columns = 6;
    cloth.rows = 5;
    cloth.stretch.cd = 0;
    ASSERT_OK(world, msd_add_cloth(world, &cloth, NULL));
    ASSERT_OK(world, msd_particle_pin(world, 0));
    for (int kind = 0; kind < MSD_CONSTRAINT_MESH_VOLUME; kind++) {
      msd_constraint_def def = msd_default_constraint_def();
      def.kind = (msd_constraint_kind)kind;
      def.law = MSD_SPRING_COEFFICIENT;
      const int32_t corners[4] = {3 + 4 * kind, 4 + 4 * kind, 10 + 4 * kind, 9 + 4 * kind};
      for (int n = 0; n < msd_constraint_kind_particles(def.kind); n++)
        def.particles[n] = corners[n];
      def.weights[0] = -1, def.weights[2] = 1;
      int32_t added;
      step(world, 1);
      ASSERT_OK(world, msd_add_constraints(world, &def, 1, &added));
      assert_goes_on_like_new(msd_constraint_kind_name(def.kind), world);
      step(world, 1);
      ASSERT_OK(world, msd_constraint_break(world, added));
      assert_goes_on_like_new("a broken constraint", world);
    }
    msd_destroy_world(world);
  }
}

Test(world_changes, pins_masses_positions_and_velocities_may_be_changed_between_steps) {
  msd_world *world = swinging_cloth();
  step(world, 2);
  for (int32_t i = 1; i < msd_world_get_particle_count(world); i += 17) {
    ASSERT_OK(world, msd_particle_pin(world, i));
    assert_goes_on_like_new("a pin", world);
    ASSERT_OK(world, msd_particle_set_mass(world, i + 1, (msd_real)0.75));
    assert_goes_on_like_new("a mass", world);
    ASSERT_OK(world, msd_particle_unpin(world, i));
    ASSERT_OK(world, msd_particle_set_position(world, i, vec(0.3, -0.2, 0.1)));
    ASSERT_OK(world, msd_particle_set_velocity(world, i, vec(1, 0, -1)));
    assert_goes_on_like_new("a place and a velocity", world);
  }
  msd_destroy_world(world);
}

Test(world_changes, settings_may_be_changed_between_steps) {
  msd_world *world = swinging_cloth();
  step(world, 2);
  for (int integrator = 0; integrator < MSD_INTEGRATOR_COUNT; integrator++)
    for (int limit = 0; limit < 2; limit++) {
      ASSERT_OK(world, msd_world_set_integrator(world, (msd_integrator)integrator));
      ASSERT_OK(world, msd_world_set_clamp_stiffness(world, limit == 1));
      ASSERT_OK(world, msd_world_set_gravity(world, vec(limit, -9, integrator)));
      ASSERT_OK(world, msd_world_set_linear_damping(world, (msd_real)(0.5 * limit)));
      assert_goes_on_like_new(msd_integrator_name((msd_integrator)integrator), world);
    }
  msd_destroy_world(world);
}

/* Scratch memory and networks of all sizes follow each other in one world. */
Test(world_changes, a_world_may_grow_by_thousands_between_steps_of_any_integrator) {
  const msd_world_def def = msd_default_world_def();
  msd_world *world = world_from_def(&def);
  for (int round = 0; round < 8; round++) {
    graph g = graph_rope(3 << round, true);
    ASSERT_OK(world, msd_world_set_integrator(world, (msd_integrator)(round % MSD_INTEGRATOR_COUNT)));
    for (int32_t i = 0; i < g.particles; i++) {
      msd_particle_def particle = msd_default_particle_def();
      particle.position = vec(0.25 * i, round, 0);
      ASSERT_OK(world, msd_add_particles(world, &particle, 1, NULL));
    }
    const int32_t first = msd_world_get_particle_count(world) - g.particles;
    for (int32_t s = 0; s < g.springs; s++) {
      msd_spring_def spring = msd_default_spring_def();
      spring.a = first + g.a[s];
      spring.b = first + g.b[s];
      spring.stiffness = 20;
      ASSERT_OK(world, msd_add_springs(world, &spring, 1, NULL));
    }
    assert_goes_on_like_new("grown", world);
    graph_free(&g);
  }
  msd_destroy_world(world);
}

/* Half cloth, half penetration: all ways of reading springs at once. Every change of threads, width and size
   asks for other working memory. */
Test(world_changes, threads_widths_and_particles_may_be_added_to_a_network_of_every_kind_of_spring) {
  graph g = graph_cloth(45, 45, CLOTH_BEND);
  generator random = {.state = 1};
  for (int n = 0; n < 3000; n++) {
    const int32_t a = random_below(&random, g.particles), b = random_below(&random, g.particles - 1);
    graph_join(&g, a, b < a ? b : b + 1);
  }
  const making m = {LAWS_COEFFICIENT, .seed = 1, .pins = true};
  msd_world *world = world_of(&g, &m), *twin = world_of(&g, &m);
  const int threads[] = {1, 2, 3, 1, 8, 2, 16, 5};
  for (int round = 0; round < 8; round++) {
    ASSERT_OK(world, msd_world_set_thread_count(world, threads[round]));
    ASSERT_OK(world, msd_world_set_simd(world, (msd_simd)(round % MSD_SIMD_COUNT)));
    ASSERT_OK(twin, msd_world_set_thread_count(twin, 1));
    ASSERT_OK(twin, msd_world_set_simd(twin, MSD_SIMD_SCALAR));
    step(world, 2);
    step(twin, 2);
    cr_assert_eq(first_difference(world, twin), -1, "round %d", round);
    for (int n = 0; n < round * 40; n++) {
      const msd_particle_def particle = msd_default_particle_def();
      ASSERT_OK(world, msd_add_particles(world, &particle, 1, NULL));
      ASSERT_OK(twin, msd_add_particles(twin, &particle, 1, NULL));
    }
  }
  msd_destroy_world(world);
  msd_destroy_world(twin);
  graph_free(&g);
}
