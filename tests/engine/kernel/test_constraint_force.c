/* The forces of constraints in a step: against their definitions evaluated plainly, and the same bits however
   they are computed. */
#include "tests/support/constraint_forces.h"
#include "tests/support/laboratory.h"

#include "engine/world/world.h"

/* Takes one step of symplectic Euler, in which every velocity changes by dt f/m. Coefficients are tuned for the
   longest step so far, since no test takes 2 s. */
static void expect_forces(msd_world *world, double dt, const char *what) {
  const double tuned = fmax(dt, world->model.tuned_step);
  keep_places(world);
  system_state before = copy_system(world);
  point *force = calloc((size_t)before.count, sizeof *force);
  cr_assert_not_null(force);
  add_forces(world, &before, tuned, force);
  ok(world, msd_world_step(world, (msd_real)dt, 1));
  system_state after = copy_system(world);
  double size = 0;
  for (int32_t i = 0; i < before.count; i++)
    size = largest(size, point_length(force[i]));
  cr_assert_gt(size, 0.1, "%s: nothing acts", what);
  for (int32_t i = 0; i < before.count; i++) {
    if (before.weight[i] == 0) {
      cr_assert_eq(point_length(point_between(&after.v[i], &before.v[i])), 0, "%s: pin %d", what, i);
      continue;
    }
    for (int a = 0; a < 3; a++) {
      const double found = (after.v[i].c[a] - before.v[i].c[a]) / (dt * before.weight[i]);
      /* A velocity of 1 m/s is rounded, and then divided by the step. */
      const double rounding = EPSILON * (64 * size + 4 / (dt * before.weight[i])) + 1e-8 * size;
      cr_assert(fabs(found - force[i].c[a]) <= rounding, "%s: particle %d: %.9g N, not %.9g (size %g)", what,
                i, found, force[i].c[a], size);
    }
  }
  free(force);
  free_system(&before);
  free_system(&after);
}

static msd_world *strip_world(int32_t columns, uint64_t seed) {
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  add_strip(world, columns, seed);
  placed_count = 0;
  return world;
}

Test(constraint_force, every_kind_and_law_has_the_force_of_its_definition) {
  for (uint64_t seed = 1; seed <= 3; seed++) {
    msd_world *world = strip_world(20, seed);
    for (int step = 0; step < 3; step++)
      expect_forces(world, 0.00390625, "strip");
    msd_destroy_world(world);
  }
}

/* Of their own, as they take of the room of what is softened. */
static msd_world *fiber_world(int32_t particles, uint64_t seed) {
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  add_fiber_strip(world, particles, seed);
  placed_count = 0;
  return world;
}

Test(constraint_force, fibers_on_the_same_corners_or_others_have_the_forces_of_their_definition) {
  for (int32_t particles = 4; particles < 60; particles += 5) {
    msd_world *world = fiber_world(particles, (uint64_t)particles);
    for (int step = 0; step < 3; step++)
      expect_forces(world, 0.00390625, "fibers");
    msd_destroy_world(world);
  }
}

/* Every second constraint is far too stiff for the step, and is limited. */
static void expect_caps(msd_world *world) {
  msd_constraint_def stiff = msd_default_constraint_def();
  stiff.stiffness = stiff.damping = 100000;
  for (int32_t c = 0; c < msd_world_get_constraint_count(world); c += 2)
    ok(world, msd_constraint_set_law(world, c, &stiff));
  ok(world, msd_world_set_clamp_stiffness(world, true));
  expect_forces(world, 0.03125, "limited");
}

Test(constraint_force, the_limit_caps_fibers) {
  msd_world *world = fiber_world(40, 4);
  expect_caps(world);
  ok(world, msd_world_set_clamp_stiffness(world, false));
  expect_forces(world, 0.000244140625, "without a limit");
  msd_destroy_world(world);
}

Test(constraint_force, forces_of_fibers_follow_every_change) {
  msd_world *world = fiber_world(40, 9);
  expect_forces(world, 0.00390625, "as made");
  expect_forces(world, 0.001953125, "another step");
  msd_constraint_def def = msd_default_constraint_def();
  give_law(&def, 3);
  for (int32_t c = 0; c < 20; c += 3)
    ok(world, msd_constraint_set_law(world, c, &def));
  ok(world, msd_constraint_break(world, 2));
  expect_forces(world, 0.001953125, "retuned and broken");
  for (int32_t c = 5; c < 20; c++)
    ok(world, msd_constraint_set_rest(world, c, (msd_real)c / 8));
  expect_forces(world, 0.001953125, "other rests");
  ok(world, msd_particle_set_mass(world, 3, 7));
  ok(world, msd_particle_pin(world, 4));
  ok(world, msd_particle_unpin(world, 5));
  expect_forces(world, 0.001953125, "another mass and other pins");
  add_fiber_strip(world, 9, 10);
  expect_forces(world, 0.001953125, "more of them");
  msd_destroy_world(world);
}

Test(constraint_force, the_limit_caps_every_kind) {
  msd_world *world = strip_world(20, 4);
  expect_caps(world);
  msd_destroy_world(world);
}

Test(constraint_force, a_closed_mesh_has_the_force_of_its_definition) {
  for (int rounds = 1; rounds <= 3; rounds++)
    for (int turn = 0; turn < 4; turn++) {
      msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
      placed_count = 0;
      sphere s = make_sphere(rounds);
      msd_constraint_def def = add_sphere(world, &s, 1.5, 3);
      give_law(&def, turn);
      def.rest = (msd_real)(turn == 0 ? 20 : 12);
      add_constraint(world, def);
      for (int32_t v = 0; v < 5; v++) /* some vertices have more than the mesh */
        add_constraint(world, constraint_of(MSD_CONSTRAINT_AREA, 0, v + 1, 6, -1));
      expect_forces(world, 0.015625, "sphere");
      def.stiffness = def.damping = 1000;
      def.law = MSD_SPRING_STIFFNESS;
      ok(world, msd_constraint_set_law(world, 0, &def));
      ok(world, msd_world_set_clamp_stiffness(world, true));
      expect_forces(world, 0.0625, "limited sphere");
      free((void *)def.triangles);
      free_sphere(&s);
      msd_destroy_world(world);
    }
}

Test(constraint_force, forces_follow_every_change) {
  msd_world *world = strip_world(12, 9);
  expect_forces(world, 0.00390625, "as made");
  expect_forces(world, 0.001953125, "another step");
  msd_constraint_def def = msd_default_constraint_def();
  give_law(&def, 3);
  ok(world, msd_constraint_set_law(world, 1, &def));
  ok(world, msd_constraint_break(world, 2));
  expect_forces(world, 0.001953125, "retuned and broken");
  ok(world, msd_constraint_set_rest(world, 3, 2));
  expect_forces(world, 0.001953125, "another rest");
  ok(world, msd_particle_set_mass(world, 3, 7));
  ok(world, msd_particle_pin(world, 4));
  ok(world, msd_particle_unpin(world, 5));
  expect_forces(world, 0.001953125, "another mass and other pins");
  add_strip(world, 8, 10);
  expect_forces(world, 0.001953125, "more of them");
  msd_destroy_world(world);
}

Test(constraint_force, springs_between_two_particles_and_applied_forces_add_to_them) {
  for (int with_constraints = 0; with_constraints < 2; with_constraints++) {
    msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
    for (int i = 0; i < 3; i++)
      add_pin(world, i == 1, i == 2, 0);
    add_particle(world, 1, 0, 0, 1);
    if (with_constraints) {
      msd_constraint_def def = constraint_of(MSD_CONSTRAINT_VOLUME, 0, 1, 2, 3);
      def.stiffness = 36;
      def.rest = 0; /* C = 1/6 and g3 = (0, 0, 1/6): -1 N on particle 3 */
      add_constraint(world, def);
    }
    add_spring(world, physical(8, 0), 3, 0, 0.5);
    ok(world, msd_particle_apply_force(world, 3, (msd_vec3){2, 0, 16}));
    ok(world, msd_world_step(world, (msd_real)0.125, 1));
    const msd_vec3 v = msd_particle_get_velocity(world, 3);
    const double wanted = (16 - 4 - with_constraints) * 0.125;
    cr_assert(fabs((double)v.z - wanted) <= 8 * EPSILON && v.x == (msd_real)0.25, "%.9g, not %.9g",
              (double)v.z, wanted);
    ok(world,
       msd_particle_set_position(world, 3, (msd_vec3){0, 0, 0})); /* C = 0, and the spring has no length */
    ok(world, msd_particle_set_velocity(world, 3, (msd_vec3){0, 0, 0}));
    ok(world, msd_world_step(world, (msd_real)0.125, 1));
    cr_assert(msd_particle_get_velocity(world, 3).x == 0, "an applied force lasts for one step");
    msd_destroy_world(world);
  }
}

Test(constraint_force, an_applied_force_lasts_for_one_step_where_no_constraint_is) {
  msd_world *world = strip_world(12, 9);
  const int32_t alone = add_particle(world, 2, 100, 0, 0);
  ok(world, msd_particle_apply_force(world, alone, (msd_vec3){16, 0, -8}));
  for (int n = 0; n < 2; n++) {
    ok(world, msd_world_step(world, (msd_real)0.125, 1));
    const msd_vec3 v = msd_particle_get_velocity(world, alone);
    cr_assert(v.x == 1 && v.y == 0 && v.z == (msd_real)-0.5);
  }
  msd_destroy_world(world);
}

/* ---------------------------------------------------------------------------------- the same bits */

/* Springs between two particles as in a cloth, for the ways that a step has through them; irregular ones, for
   the order along a curve; constraints over all of it, and a mesh. */
static msd_world *mixed_world(msd_integrator integrator, bool irregular) {
  graph g = irregular ? graph_random(700, 1500, 3) : graph_cloth(30, 22, CLOTH_SHEAR);
  msd_world *world = world_of(&g, &(making){LAWS_MIXED, .seed = 3, .pins = true, .soften = 64});
  graph_free(&g);
  ok(world, msd_world_set_integrator(world, integrator));
  generator random = {irregular};
  for (int n = 0; n < 500; n++) {
    const int32_t i = random_below(&random, 560), far = 1 + random_below(&random, 40);
    msd_constraint_def def =
        constraint_of((msd_constraint_kind)(n % 4), i, i + far, i + 2 * far, i + far + 1);
    if (far == 1)
      def.particles[3] = i + 5;
    def.law = MSD_SPRING_STIFFNESS;
    def.stiffness = (msd_real)0.0625;
    def.damping = (msd_real)0.03125;
    const int32_t c = add_constraint(world, def);
    ok(world, msd_constraint_set_rest(world, c, msd_constraint_get_def(world, c).rest + (msd_real)0.125));
  }
  sphere s = make_sphere(3);
  msd_constraint_def def = add_sphere(world, &s, 2, 50);
  def.stiffness = 1;
  def.damping = (msd_real)0.5;
  def.rest = 40;
  add_constraint(world, def);
  free((void *)def.triangles);
  free_sphere(&s);
  return world;
}

static void run(msd_world *world) {
  ok(world, msd_particle_apply_force(world, 100, (msd_vec3){1, 2, 3}));
  for (int frame = 0; frame < 4; frame++)
    ok(world, msd_world_step(world, (msd_real)0.0078125, 3));
}

static void expect_same_bits(msd_integrator integrator, bool irregular) {
  msd_world *plain = mixed_world(integrator, irregular);
  ok(plain, msd_world_set_simd(plain, MSD_SIMD_SCALAR));
  ok(plain, msd_world_set_thread_count(plain, 1));
  run(plain);
  cr_assert_gt(msd_world_get_stats(plain).max_speed, 0.1);
  for (int simd = 0; simd < MSD_SIMD_COUNT; simd++)
    for (int threads = 1; threads <= 8; threads += simd == MSD_SIMD_WIDEST ? 1 : 2) {
      msd_world *world = mixed_world(integrator, irregular);
      ok(world, msd_world_set_simd(world, (msd_simd)simd));
      ok(world, msd_world_set_thread_count(world, threads));
      run(world);
      cr_assert_eq(first_difference(plain, world), -1, "%s, simd %d, %d threads: particle %d",
                   msd_integrator_name(integrator), simd, threads, first_difference(plain, world));
      cr_assert_eq(msd_world_hash(plain), msd_world_hash(world));
      msd_destroy_world(world);
    }
  msd_destroy_world(plain);
}

Test(constraint_force, widths_and_threads_give_the_same_bits_in_a_cloth) {
  expect_same_bits(MSD_SYMPLECTIC_EULER, false);
}

Test(constraint_force, widths_and_threads_give_the_same_bits_in_an_irregular_network) {
  expect_same_bits(MSD_SYMPLECTIC_EULER, true);
}

Test(constraint_force, widths_and_threads_give_the_same_bits_with_every_integrator) {
  expect_same_bits(MSD_EXPLICIT_EULER, false);
  expect_same_bits(MSD_VELOCITY_VERLET, true);
  expect_same_bits(MSD_RK4, false);
}

Test(constraint_force, the_places_of_particles_in_memory_change_no_bit) {
  msd_world *free_order = mixed_world(MSD_SYMPLECTIC_EULER, true),
            *kept = mixed_world(MSD_SYMPLECTIC_EULER, true);
  kept->model.layout_is_fixed = true;
  run(free_order);
  run(kept);
  cr_assert(free_order->model.particles.slot != NULL && kept->model.particles.slot == NULL);
  cr_assert_eq(first_difference(free_order, kept), -1);
  msd_destroy_world(free_order);
  msd_destroy_world(kept);
}

/* Springs that give a reason to lay the particles out in another order, after a step without it. */
Test(constraint_force, forces_follow_the_particles_to_other_places_in_memory) {
  msd_world *moved = strip_world(300, 3), *kept = strip_world(300, 3), *worlds[] = {moved, kept};
  graph g = graph_random(600, 1500, 5);
  for (int n = 0; n < 2; n++) {
    ok(worlds[n], msd_world_step(worlds[n], (msd_real)0.0078125, 1));
    for (int32_t s = 0; s < g.springs; s++)
      add_spring(worlds[n], physical(0.25, 0.125), g.a[s], g.b[s], -1);
  }
  kept->model.layout_is_fixed = true;
  for (int n = 0; n < 2; n++)
    ok(worlds[n], msd_world_step(worlds[n], (msd_real)0.0078125, 2));
  cr_assert(moved->model.particles.slot != NULL && kept->model.particles.slot == NULL);
  cr_assert_eq(first_difference(moved, kept), -1);
  graph_free(&g);
  msd_destroy_world(moved);
  msd_destroy_world(kept);
}

Test(constraint_force, a_world_that_was_changed_is_one_that_was_made_so) {
  msd_world *changed = strip_world(30, 2), *made = strip_world(30, 2);
  ok(changed, msd_world_step(changed, (msd_real)0.015625, 1));
  ok(made, msd_world_step(made, (msd_real)0.015625, 1));
  msd_constraint_def def = msd_default_constraint_def();
  give_law(&def, 1);
  msd_world *worlds[] = {changed, made};
  for (int n = 0; n < 2; n++) {
    ok(worlds[n], msd_constraint_set_rest(worlds[n], 6, (msd_real)0.75));
    ok(worlds[n], msd_constraint_set_law(worlds[n], 7, &def));
    ok(worlds[n], msd_constraint_break(worlds[n], 8));
  }
  /* What follows from it is made anew in one of them. */
  size_t size = 0;
  ok(made, msd_world_save(made, NULL, 0, &size));
  void *bytes = malloc(size);
  cr_assert_not_null(bytes);
  ok(made, msd_world_save(made, bytes, size, &size));
  ok(made, msd_world_restore(made, bytes, size));
  free(bytes);
  for (int frame = 0; frame < 3; frame++)
    for (int n = 0; n < 2; n++)
      ok(worlds[n], msd_world_step(worlds[n], (msd_real)0.015625, 2));
  cr_assert_eq(first_difference(changed, made), -1);
  msd_destroy_world(changed);
  msd_destroy_world(made);
}

/* ---------------------------------------------------------------------------------- what is kept */

Test(constraint_force, momentum_and_angular_momentum_are_kept) {
  for (int integrator = 0; integrator < MSD_SEQUENTIAL_IMPULSE; integrator++) {
    msd_world *world = strip_world(20, 6);
    for (int32_t i = 0; i < msd_world_get_particle_count(world); i++)
      ok(world, msd_particle_unpin(world, i));
    ok(world, msd_world_set_integrator(world, (msd_integrator)integrator));
    const msd_stats before = msd_world_get_stats(world);
    for (int n = 0; n < 20; n++)
      ok(world, msd_world_step(world, (msd_real)0.0009765625, 1));
    const msd_stats after = msd_world_get_stats(world);
    for (int c = 0; c < 3; c++) {
      cr_assert_float_eq(after.momentum[c], before.momentum[c], 5e4 * EPSILON);
      /* Only symplectic Euler keeps it but for rounding, the others to the order of their error. */
      if (integrator == MSD_SYMPLECTIC_EULER)
        cr_assert_float_eq(after.angular_momentum[c], before.angular_momentum[c], 1e6 * EPSILON);
    }
    msd_destroy_world(world);
  }
}

Test(constraint_force, broken_constraints_do_nothing) {
  msd_world *broken = strip_world(20, 3), *without = new_world(MSD_SYMPLECTIC_EULER);
  /* So far off that squares and products of distances are no numbers. */
  const msd_real far = (msd_real)(IS_DOUBLE ? 1e200 : 1e25);
  ok(broken, msd_particle_set_position(broken, 6, (msd_vec3){far, 1, 2}));
  ok(broken, msd_particle_set_position(broken, 7, (msd_vec3){3, far, 2}));
  for (int32_t i = 0; i < msd_world_get_particle_count(broken); i++) {
    msd_particle_def def = msd_default_particle_def();
    def.position = msd_particle_get_position(broken, i);
    def.velocity = msd_particle_get_velocity(broken, i);
    def.mass = msd_particle_get_mass(broken, i);
    def.pinned = msd_particle_is_pinned(broken, i);
    ok(without, msd_add_particles(without, &def, 1, NULL));
  }
  for (int32_t c = 0; c < msd_world_get_constraint_count(broken); c++)
    ok(broken, msd_constraint_break(broken, c));
  for (int n = 0; n < 3; n++) {
    ok(broken, msd_world_step(broken, (msd_real)0.125, 1));
    ok(without, msd_world_step(without, (msd_real)0.125, 1));
  }
  cr_assert_eq(first_difference(broken, without), -1);
  msd_destroy_world(broken);
  msd_destroy_world(without);
}

Test(constraint_force, shapes_without_a_direction_stay_finite) {
  for (int integrator = 0; integrator < MSD_SEQUENTIAL_IMPULSE; integrator++)
    for (int turn = 0; turn < 8; turn++) {
      msd_world *world = new_world((msd_integrator)integrator);
      for (int i = 0; i < 4; i++)
        add_particle(world, 1, turn < 4 ? 0 : i, 0, 0);
      for (int kind = 0; kind < MSD_CONSTRAINT_MESH_VOLUME; kind++) {
        if (kind == MSD_CONSTRAINT_FIBER && turn >= 4)
          continue; /* which has a direction in a line */
        msd_constraint_def def = constraint_of((msd_constraint_kind)kind, 0, 1, 2, 3);
        give_law(&def, turn);
        def.rest = 1;
        add_constraint(world, def);
      }
      ok(world, msd_world_step(world, (msd_real)0.01, 2));
      for (int32_t i = 0; i < 4; i++) {
        const msd_vec3 x = msd_particle_get_position(world, i);
        cr_assert(x.x == (turn < 4 ? 0 : (msd_real)i) && x.y == 0 && x.z == 0);
      }
      msd_destroy_world(world);
    }
}

Test(constraint_force, divergence_keeps_the_last_finite_state) {
  for (int integrator = 0; integrator < MSD_SEQUENTIAL_IMPULSE; integrator++) {
    msd_world *world = strip_world(20, 8);
    ok(world, msd_world_set_integrator(world, (msd_integrator)integrator));
    msd_constraint_def stiff = msd_default_constraint_def();
    stiff.law = MSD_SPRING_COEFFICIENT;
    stiff.ck = 1e6; /* a coefficient is softened to no less than it is where it was placed */
    for (int32_t c = 0; c < msd_world_get_constraint_count(world); c++)
      ok(world, msd_constraint_set_law(world, c, &stiff));
    const uint64_t start = msd_world_hash(world);
    cr_assert_eq(msd_world_step(world, (msd_real)0.5, 1000), MSD_DIVERGED);
    const int64_t done = msd_world_get_steps(world);
    cr_assert_lt(done, 1000);
    cr_assert(isfinite(msd_world_get_stats(world).max_speed));
    msd_world *again = strip_world(20, 8);
    ok(again, msd_world_set_integrator(again, (msd_integrator)integrator));
    for (int32_t c = 0; c < msd_world_get_constraint_count(again); c++)
      ok(again, msd_constraint_set_law(again, c, &stiff));
    if (done > 0)
      ok(again, msd_world_step(again, (msd_real)0.0005 * (msd_real)done, (int)done));
    else
      cr_assert_eq(msd_world_hash(world), start);
    msd_destroy_world(again);
    msd_destroy_world(world);
  }
}

/* Vectors also look at lanes without a spring; where the difference of two positions is no number there, a
   substep is taken once more without them. */
Test(constraint_force, a_substep_that_is_repeated_without_vectors_has_the_same_bits) {
  for (int integrator = 0; integrator < MSD_SEQUENTIAL_IMPULSE; integrator++) {
    msd_world *worlds[2];
    for (int n = 0; n < 2; n++) {
      msd_world *world = worlds[n] = new_world((msd_integrator)integrator);
      for (int i = 0; i < 2; i++)
        add_particle(world, 1, (i ? -0.9 : 0.9) * (IS_DOUBLE ? DBL_MAX : (double)FLT_MAX), 0, 0);
      add_strip(world, 20, 4);
      add_fiber_strip(world, 23, 4);
      for (int32_t i = 2; i < 40; i++)
        add_spring(world, physical(4, 0.25), i, i + 1, 1);
      ok(world, msd_world_set_simd(world, n ? MSD_SIMD_WIDEST : MSD_SIMD_SCALAR));
      ok(world, msd_world_step(world, (msd_real)0.0625, 4));
    }
    cr_assert_eq(first_difference(worlds[0], worlds[1]), -1, "%s",
                 msd_integrator_name((msd_integrator)integrator));
    msd_destroy_world(worlds[0]);
    msd_destroy_world(worlds[1]);
  }
}

/* Lanes with one to six fibers, and runs of seven that need two. */
static uint64_t hash_of_fibers(msd_integrator integrator, int threads, msd_simd simd) {
  msd_world *world = new_world(integrator);
  add_fiber_strip(world, 400, 6);
  ok(world, msd_world_set_impulse_iterations(world, 2));
  ok(world, msd_world_set_thread_count(world, threads));
  ok(world, msd_world_set_simd(world, simd));
  ok(world, msd_constraint_break(world, 9));
  ok(world, msd_world_step(world, (msd_real)0.015625, 8));
  const uint64_t hash = msd_world_hash(world);
  msd_destroy_world(world);
  return hash;
}

Test(constraint_force, fibers_have_the_same_bits_on_any_threads_and_width) {
  static const msd_simd widths[] = {MSD_SIMD_SCALAR,
#ifdef __x86_64__
                                    MSD_SIMD_256, MSD_SIMD_512,
#endif
                                    MSD_SIMD_128};
  for (int integrator = 0; integrator < MSD_INTEGRATOR_COUNT; integrator++) {
    const uint64_t expected = hash_of_fibers((msd_integrator)integrator, 1, MSD_SIMD_SCALAR);
    for (int threads = 1; threads <= 5; threads++)
      for (size_t w = 0; w < sizeof widths / sizeof *widths; w++)
        cr_assert_eq(hash_of_fibers((msd_integrator)integrator, threads, widths[w]), expected,
                     "%s, %d threads, width %d", msd_integrator_name((msd_integrator)integrator), threads,
                     (int)widths[w]);
  }
}

/* Hinges of a lattice whose diagonals alternate have every second particle of a row. */
static msd_world *folded_cloth(int32_t columns, msd_simd simd) {
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  ok(world, msd_world_set_simd(world, simd));
  msd_cloth_def cloth = msd_default_cloth_def();
  cloth.columns = columns;
  cloth.rows = 40;
  cloth.stretch.law = cloth.bend.law = MSD_SPRING_STIFFNESS;
  cloth.stretch.stiffness = 64;
  cloth.bend.stiffness = (msd_real)0.0625;
  cloth.bend.damping = (msd_real)0.001;
  cloth.bend_kind = MSD_BEND_DIHEDRAL;
  ok(world, msd_add_cloth(world, &cloth, NULL));
  generator random = {(uint64_t)columns};
  for (int32_t i = 0; i < msd_world_get_particle_count(world); i++) {
    msd_vec3 x = msd_particle_get_position(world, i);
    x.z += (msd_real)random_below(&random, 100) / 10000;
    ok(world, msd_particle_set_position(world, i, x));
  }
  return world;
}

Test(constraint_force, hinges_of_lattices_have_the_same_bits_in_every_width) {
  for (int32_t columns = 3; columns < 60; columns += columns < 20 ? 1 : 7) {
    uint64_t expected = 0;
    for (int simd = MSD_SIMD_SCALAR; simd < MSD_SIMD_COUNT; simd++) {
      msd_world *world = folded_cloth(columns, (msd_simd)simd);
      ok(world, msd_world_step(world, (msd_real)0.015625, 32));
      const uint64_t hash = msd_world_hash(world);
      expected = simd == MSD_SIMD_SCALAR ? hash : expected;
      cr_assert_eq(hash, expected, "%d columns, width %d", (int)columns, simd);
      msd_destroy_world(world);
    }
  }
}

/* In rows of three groups or more: at least half of them, where rows have an even number three quarters. */
Test(constraint_force, corners_of_hinges_of_lattices_are_near_each_other) {
  for (int32_t columns = 50; columns < 70; columns++) {
    msd_world *world = folded_cloth(columns, MSD_SIMD_WIDEST);
    keep_places(world);
    ok(world, msd_world_step(world, (msd_real)0.001, 1));
    const constraint_forces *f = &world->stepper.constraint_forces;
    cr_assert_gt(f->apart, 0);
    cr_assert_lt((columns % 2 == 0 ? 4 : 2) * f->far_in_rows, f->apart, "%d columns: %d of %d", (int)columns,
                 (int)f->far_in_rows, (int)f->apart);
    msd_destroy_world(world);
  }
}

Test(constraint_force, slots_within_two_vectors_of_a_row_are_near) {
  int32_t slots[CONSTRAINT_LANES];
  for (int32_t step = 0; step <= 4; step++) {
    for (int32_t lane = 0; lane < CONSTRAINT_LANES; lane++)
      slots[lane] = 100 + step * lane;
    cr_expect_eq(are_near(slots, CONSTRAINT_LANES), step <= 2, "every %d", (int)step);
    cr_expect_eq(nears_of_row(slots), step <= 2 ? 7u : 0u, "every %d", (int)step);
  }
  /* One in the middle is elsewhere. */
  for (int32_t lane = 0; lane < CONSTRAINT_LANES; lane++)
    slots[lane] = lane == 5 ? 50 : 100 + lane;
  cr_expect_not(are_near(slots, CONSTRAINT_LANES));
  cr_expect_eq(nears_of_row(slots), 1u << 1);
  cr_expect(nears_have(nears_of_row(slots), RUN_LANES, RUN_LANES));
  cr_expect_not(nears_have(nears_of_row(slots), 0, RUN_LANES));
}

Test(constraint_force, nothing_is_made_without_constraints) {
  graph g = graph_cloth(20, 20, CLOTH_SHEAR);
  msd_world *world = world_of(&g, &(making){LAWS_PHYSICAL, .seed = 1});
  ok(world, msd_world_step(world, (msd_real)0.001, 1));
  cr_assert(world->stepper.constraint_forces.force == NULL &&
            world->stepper.constraint_forces.corner_forces == NULL);
  graph_free(&g);
  msd_destroy_world(world);
}

/* ------------------------------------------------------------------------------- orders of accuracy */

/* A few particles with soft physical constraints of every kind. */
static msd_world *soft_world(msd_integrator integrator) {
  msd_world *world = new_world(integrator);
  static const double at[6][3] = {{0, 0, 0},      {1, 0, 0},      {0.25, 1, 0},
                                  {0.5, 0.25, 1}, {1.25, 1, 0.5}, {0.5, 2, 0.25}};
  for (int i = 0; i < 6; i++) {
    const int32_t p = add_particle(world, 1 + 0.25 * i, at[i][0], at[i][1], at[i][2]);
    set_velocity(world, p, 0.25 * (i % 2), 0.125 * (i % 3), -0.0625 * i);
  }
  static const int32_t octet[12] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
  msd_constraint_def defs[] = {
      constraint_of(MSD_CONSTRAINT_ANGLE, 3, 4, 5, -1), constraint_of(MSD_CONSTRAINT_DIHEDRAL, 2, 4, 1, 5),
      constraint_of(MSD_CONSTRAINT_AREA, 2, 4, 5, -1), constraint_of(MSD_CONSTRAINT_VOLUME, 1, 2, 3, 4),
      constraint_of(MSD_CONSTRAINT_ANGLE, 0, 1, 2, -1)};
  defs[4].kind = MSD_CONSTRAINT_MESH_VOLUME;
  defs[4].triangles = octet;
  defs[4].triangle_count = 4;
  static const double stiffness[] = {3, 2, 4, 30, 40};
  for (int n = 0; n < 5; n++) {
    defs[n].stiffness = (msd_real)stiffness[n];
    defs[n].damping = (msd_real)(stiffness[n] / 16);
    const int32_t c = add_constraint(world, defs[n]);
    ok(world, msd_constraint_set_rest(world, c, msd_constraint_get_def(world, c).rest + (msd_real)0.0625));
  }
  return world;
}

/* Takes a state by one step of the classical Runge-Kutta method, with forces by definition. */
static void reference_step(const msd_world *world, system_state *s, double h) {
  system_state stage = copy_system(world);
  point k_x[4][6], k_v[4][6];
  static const double reach[4] = {0, 0.5, 0.5, 1}, weight[4] = {1, 2, 2, 1};
  for (int n = 0; n < 4; n++) {
    point force[6] = {{{0, 0, 0}}};
    keep_places(world);
    for (int i = 0; i < 6; i++)
      for (int a = 0; a < 3; a++) {
        stage.x[i].c[a] = s->x[i].c[a] + (n ? h * reach[n] * k_x[n - 1][i].c[a] : 0);
        stage.v[i].c[a] = s->v[i].c[a] + (n ? h * reach[n] * k_v[n - 1][i].c[a] : 0);
      }
    add_forces(world, &stage, h, force);
    for (int i = 0; i < 6; i++)
      for (int a = 0; a < 3; a++) {
        k_x[n][i].c[a] = stage.v[i].c[a];
        k_v[n][i].c[a] = force[i].c[a] * s->weight[i];
      }
  }
  for (int n = 0; n < 4; n++)
    for (int i = 0; i < 6; i++)
      for (int a = 0; a < 3; a++) {
        s->x[i].c[a] += h / 6 * weight[n] * k_x[n][i].c[a];
        s->v[i].c[a] += h / 6 * weight[n] * k_v[n][i].c[a];
      }
  free_system(&stage);
}

static double error_after(msd_integrator integrator, int steps, const system_state *wanted) {
  msd_world *world = soft_world(integrator);
  ok(world, msd_world_step(world, 1, steps));
  system_state s = copy_system(world);
  double error = 0;
  for (int i = 0; i < 6; i++)
    error = largest(error, point_length(point_between(&s.x[i], &wanted->x[i])));
  free_system(&s);
  msd_destroy_world(world);
  return error;
}

Test(constraint_force, integrators_keep_their_orders) {
  msd_world *world = soft_world(MSD_RK4);
  system_state wanted = copy_system(world);
  for (int n = 0; n < 200; n++)
    reference_step(world, &wanted, 1.0 / 200);
  static const int coarse[MSD_SEQUENTIAL_IMPULSE] = {
      [MSD_SYMPLECTIC_EULER] = 128, [MSD_EXPLICIT_EULER] = 128, [MSD_VELOCITY_VERLET] = 32, [MSD_RK4] = 4};
  static const double order[MSD_SEQUENTIAL_IMPULSE] = {
      [MSD_SYMPLECTIC_EULER] = 1, [MSD_EXPLICIT_EULER] = 1, [MSD_VELOCITY_VERLET] = 2, [MSD_RK4] = 4};
  for (int integrator = 0; integrator < MSD_SEQUENTIAL_IMPULSE; integrator++) {
    const double large = error_after((msd_integrator)integrator, coarse[integrator], &wanted);
    const double small = error_after((msd_integrator)integrator, 2 * coarse[integrator], &wanted);
    cr_assert_gt(small, 20 * EPSILON, "rounding hides the order");
    cr_assert_float_eq(log2(large / small), order[integrator], 0.35, "%s: errors %g and %g",
                       msd_integrator_name((msd_integrator)integrator), large, small);
  }
  free_system(&wanted);
  msd_destroy_world(world);
}
