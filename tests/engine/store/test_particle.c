/* The particle store: what a particle is, pins and their motion, forces, and the layout of the arrays. */
#include "tests/support/networks.h"

#include "engine/store/particle.h"

#include <math.h>

static msd_vec3 vec(double x, double y, double z) {
  return (msd_vec3){(msd_real)x, (msd_real)y, (msd_real)z};
}

static void assert_vec(msd_vec3 found, double x, double y, double z) {
  const msd_vec3 wanted = vec(x, y, z);
  cr_assert(found.x == wanted.x && found.y == wanted.y && found.z == wanted.z,
            "(%.9g, %.9g, %.9g) is not (%.9g, %.9g, %.9g)", (double)found.x, (double)found.y, (double)found.z,
            (double)wanted.x, (double)wanted.y, (double)wanted.z);
}

static msd_world *empty_world(void) {
  msd_world_def def = msd_default_world_def();
  def.gravity = vec(0, 0, 0);
  return world_from_def(&def);
}

static int32_t add(msd_world *world, msd_vec3 position, double mass, bool pinned) {
  msd_particle_def def = msd_default_particle_def();
  def.position = position;
  def.mass = (msd_real)mass;
  def.pinned = pinned;
  int32_t index = -1;
  ASSERT_OK(world, msd_add_particles(world, &def, 1, &index));
  return index;
}

/* ------------------------------------------------------------------------------------------------- layout */

Test(particle, components_lie_on_lines_and_never_share_a_cache_set) {
  for (int64_t capacity = 1; capacity < 100000; capacity = capacity * 3 / 2 + 1) {
    const size_t bytes = particle_stride(capacity) * sizeof(msd_real);
    cr_assert_eq(bytes % 4096, 5 * 64, "capacity %lld", (long long)capacity);
    cr_assert(bytes >= ((size_t)capacity + PARTICLE_GUARD) * sizeof(msd_real));
    cr_assert(bytes <= (size_t)capacity * sizeof(msd_real) + 2 * 4096 + 64);
  }
}

Test(particle, growing_keeps_every_particle_force_and_move) {
  memory m = {.allocator = memory_default_allocator(), .limit = SIZE_MAX};
  particle_store p = {0};
  cr_assert(particle_store_reserve(&p, &m, 3));
  p.count = 3;
  for (int32_t i = 0; i < 3; i++) {
    particle_set_vector(&p, POSITION_X, i, vec(i, 10 + i, 20 + i));
    particle_set_vector(&p, VELOCITY_X, i, vec(30 + i, 40 + i, 50 + i));
    p.mass[i] = (msd_real)(60 + i);
    p.inverse_mass[i] = (msd_real)(70 + i);
    p.valence[i] = 80 + i;
  }
  cr_assert(particle_store_reserve(&p, &m, 5000));
  for (int32_t i = 0; i < 3; i++) {
    assert_vec(particle_vector(&p, POSITION_X, i), i, 10 + i, 20 + i);
    assert_vec(particle_vector(&p, VELOCITY_X, i), 30 + i, 40 + i, 50 + i);
    cr_assert_eq(p.mass[i], (msd_real)(60 + i));
    cr_assert_eq(p.inverse_mass[i], (msd_real)(70 + i));
    cr_assert_eq(p.valence[i], 80 + i);
  }
  cr_assert_eq((uintptr_t)particle_state(&p) % 64, 0);
  particle_store_free(&p, &m);
  cr_assert_eq(m.used, 0);
}

Test(particle, a_store_that_cannot_grow_stays_as_it_is) {
  memory m = {.allocator = memory_default_allocator(), .limit = SIZE_MAX};
  particle_store p = {0};
  cr_assert(particle_store_reserve(&p, &m, 100));
  m.limit = m.used + 2000;
  p.count = 1;
  particle_set_vector(&p, POSITION_X, 0, vec(1, 2, 3));
  const size_t used = m.used;
  cr_assert_not(particle_store_reserve(&p, &m, 200000));
  cr_assert_eq(m.used, used);
  cr_assert_eq(p.capacity, 100);
  assert_vec(particle_vector(&p, POSITION_X, 0), 1, 2, 3);
  particle_store_free(&p, &m);
}

Test(particle, both_sides_of_every_component_stay_zero_through_steps) {
  memory m = {.allocator = memory_default_allocator(), .limit = SIZE_MAX};
  particle_store p = {0};
  cr_assert(particle_store_reserve(&p, &m, 37));
  cr_assert(particle_reserve_other(&p, &m));
  for (int s = 0; s < 2; s++)
    for (int c = 0; c < COMPONENTS; c++)
      for (int g = 1; g <= PARTICLE_GUARD; g++) {
        const msd_real *start = p.slab[s] + (size_t)c * p.stride;
        cr_assert_eq(start[-g], 0);
        cr_assert_eq(start[37 + g - 1], 0);
      }
  particle_store_free(&p, &m);
}

Test(particle, the_state_stays_when_the_other_slab_goes_whichever_holds_it) {
  memory m = {.allocator = memory_default_allocator(), .limit = SIZE_MAX};
  particle_store p = {0};
  cr_assert(particle_store_reserve(&p, &m, 1));
  p.count = 1;
  const size_t used = m.used;
  for (int turn = 0; turn < 2; turn++) {
    cr_assert(particle_reserve_other(&p, &m));
    cr_assert_gt(m.used, used);
    particle_pass(&p, turn);
    particle_set_vector(&p, POSITION_X, 0, (msd_vec3){1, 2, (msd_real)turn});
    particle_release_other(&p, &m);
    assert_vec(particle_vector(&p, POSITION_X, 0), 1, 2, turn);
    cr_assert_eq(m.used, used);
    particle_pass(&p, 1);
    assert_vec(particle_vector(&p, POSITION_X, 0), 1, 2, turn);
  }
  particle_store_free(&p, &m);
}

/* ---------------------------------------------------------------------------------------------- particles */

Test(particle, a_default_particle_is_a_kilogram_at_rest_in_the_origin) {
  msd_world *world = empty_world();
  const msd_particle_def def = msd_default_particle_def();
  int32_t first = -1;
  ASSERT_OK(world, msd_add_particles(world, &def, 1, &first));
  cr_assert_eq(first, 0);
  assert_vec(msd_particle_get_position(world, 0), 0, 0, 0);
  assert_vec(msd_particle_get_velocity(world, 0), 0, 0, 0);
  cr_assert_eq(msd_particle_get_mass(world, 0), 1);
  cr_assert_not(msd_particle_is_pinned(world, 0));
  msd_destroy_world(world);
}

Test(particle, added_particles_are_numbered_from_first_and_keep_what_they_were_given) {
  msd_world *world = empty_world();
  int32_t expected = 0;
  for (int32_t batch = 1; batch < 40; batch++) {
    msd_particle_def defs[40];
    for (int32_t i = 0; i < batch; i++) {
      defs[i] = msd_default_particle_def();
      defs[i].position = vec(expected + i, batch, -i);
      defs[i].velocity = vec(-i, expected + i, 1);
      defs[i].mass = (msd_real)(1 + i);
      defs[i].pinned = i % 3 == 0;
    }
    int32_t first = -1;
    ASSERT_OK(world, msd_add_particles(world, defs, batch, &first));
    cr_assert_eq(first, expected);
    expected += batch;
  }
  cr_assert_eq(msd_world_get_particle_count(world), expected);
  int32_t particle = 0;
  for (int32_t batch = 1; batch < 40; batch++)
    for (int32_t i = 0; i < batch; i++, particle++) {
      assert_vec(msd_particle_get_position(world, particle), particle, batch, -i);
      assert_vec(msd_particle_get_velocity(world, particle), -i, particle, 1);
      cr_assert_eq(msd_particle_get_mass(world, particle), (msd_real)(1 + i));
      cr_assert_eq(msd_particle_is_pinned(world, particle), i % 3 == 0);
      const msd_particle_def def = msd_particle_get_def(world, particle);
      assert_vec(def.position, particle, batch, -i);
      assert_vec(def.velocity, -i, particle, 1);
      cr_assert(def.mass == (msd_real)(1 + i) && def.pinned == (i % 3 == 0));
      cr_assert_eq(def.cookie, msd_default_particle_def().cookie, "it can be added again");
    }
  msd_destroy_world(world);
}

Test(particle, all_or_none_are_added) {
  msd_world *world = empty_world();
  msd_particle_def defs[3] = {msd_default_particle_def(), msd_default_particle_def(),
                              msd_default_particle_def()};
  defs[2].mass = 0;
  int32_t first = 99;
  cr_assert_eq(msd_add_particles(world, defs, 3, &first), MSD_BAD_VALUE);
  cr_assert_eq(first, 99);
  cr_assert_eq(msd_world_get_particle_count(world), 0);
  cr_assert(strstr(msd_world_message(world), "2"), "which one? %s", msd_world_message(world));
  cr_assert_eq(msd_add_particles(world, defs, 0, &first), MSD_OK);
  cr_assert_eq(msd_add_particles(world, NULL, 0, NULL), MSD_OK);
  cr_assert_eq(msd_world_get_particle_count(world), 0);
  msd_destroy_world(world);
}

Test(particle, reading_a_particle_that_does_not_exist_gives_zero) {
  msd_world *world = empty_world();
  add(world, vec(1, 2, 3), 4, true);
  const int32_t wrong[] = {-1, 1, INT32_MIN, INT32_MAX};
  for (size_t i = 0; i < 4; i++) {
    assert_vec(msd_particle_get_position(world, wrong[i]), 0, 0, 0);
    assert_vec(msd_particle_get_velocity(world, wrong[i]), 0, 0, 0);
    cr_assert_eq(msd_particle_get_mass(world, wrong[i]), 0);
    cr_assert_not(msd_particle_is_pinned(world, wrong[i]));
    cr_assert(msd_particle_get_def(world, wrong[i]).mass == 1, "the default definition");
    cr_assert_eq(msd_particle_set_position(world, wrong[i], vec(0, 0, 0)), MSD_BAD_INDEX);
    cr_assert_eq(msd_particle_set_velocity(world, wrong[i], vec(0, 0, 0)), MSD_BAD_INDEX);
    cr_assert_eq(msd_particle_set_mass(world, wrong[i], 1), MSD_BAD_INDEX);
    cr_assert_eq(msd_particle_pin(world, wrong[i]), MSD_BAD_INDEX);
    cr_assert_eq(msd_particle_unpin(world, wrong[i]), MSD_BAD_INDEX);
    cr_assert_eq(msd_particle_move_to(world, wrong[i], vec(0, 0, 0)), MSD_BAD_INDEX);
    cr_assert_eq(msd_particle_apply_force(world, wrong[i], vec(0, 0, 0)), MSD_BAD_INDEX);
  }
  msd_destroy_world(world);
}

static void assert_views_show_the_state(graph g) {
  msd_world *world = world_of(&g, &(making){LAWS_COEFFICIENT, .seed = 1});
  for (int round = 0; round < 3; round++) {
    const msd_view x = msd_world_get_positions(world), v = msd_world_get_velocities(world);
    cr_assert_eq(x.count, g.particles);
    cr_assert_eq(v.count, g.particles);
    for (int32_t i = 0; i < g.particles; i++) {
      const msd_vec3 position = msd_particle_get_position(world, i);
      const msd_vec3 velocity = msd_particle_get_velocity(world, i);
      assert_vec(msd_view_at(x, i), (double)position.x, (double)position.y, (double)position.z);
      assert_vec(msd_view_at(v, i), (double)velocity.x, (double)velocity.y, (double)velocity.z);
    }
    ASSERT_OK(world, msd_world_step(world, (msd_real)0.01, 3));
  }
  msd_destroy_world(world);
  graph_free(&g);
}

Test(particle, views_show_the_state_without_a_copy) {
  assert_views_show_the_state(graph_cloth(9, 8, CLOTH_SHEAR));
  assert_views_show_the_state(graph_shuffled(graph_cloth(20, 20, CLOTH_BEND), 1));
  assert_views_show_the_state(graph_random(700, 3000, 2));
  graph nothing = graph_of_points(0);
  msd_world *world = world_of(&nothing, &(making){0});
  cr_assert_eq(msd_world_get_positions(world).count, 0);
  cr_assert_eq(msd_world_get_velocities(world).count, 0);
  msd_destroy_world(world);
  graph_free(&nothing);
}

/* An irregular network is put in another order by its first step. Whatever was given by index arrives there. */
Test(particle, forces_pins_and_masses_keep_to_their_index_when_the_order_in_memory_changes) {
  graph g = graph_random(600, 2500, 7);
  msd_world *world = world_of(&g, &(making){.laws = LAWS_COEFFICIENT});
  for (int32_t s = 0; s < g.springs; s++)
    ASSERT_OK(world, msd_spring_break(world, s));
  ASSERT_OK(world, msd_world_set_gravity(world, vec(0, 0, 0)));
  for (int round = 0; round < 3; round++) {
    for (int32_t i = 0; i < g.particles; i++) {
      ASSERT_OK(world, msd_particle_unpin(world, i));
      ASSERT_OK(world, msd_particle_set_position(world, i, vec(i, 0, round)));
      ASSERT_OK(world, msd_particle_set_velocity(world, i, vec(0, 0, 0)));
      ASSERT_OK(world, msd_particle_set_mass(world, i, (msd_real)(1 << i % 4)));
      ASSERT_OK(world, msd_particle_apply_force(world, i, vec(0, i, 0)));
      if (i % 5 == 0)
        ASSERT_OK(world, msd_particle_pin(world, i));
      if (i % 10 == 0)
        ASSERT_OK(world, msd_particle_move_to(world, i, vec(i, 7, round)));
    }
    if (round == 2)
      add(world, vec(0, 0, 0), 1, false); /* they are put in order anew, forces and all */
    ASSERT_OK(world, msd_world_step(world, 1, 1));
    for (int32_t i = 0; i < g.particles; i++) {
      const double v = i % 5 == 0 ? 0 : (double)i / (1 << i % 4);
      assert_vec(msd_particle_get_velocity(world, i), 0, v, 0);
      assert_vec(msd_particle_get_position(world, i), i, i % 10 == 0 ? 7 : v / 2, round);
      cr_assert_eq(msd_particle_is_pinned(world, i), i % 5 == 0);
    }
  }
  msd_destroy_world(world);
  graph_free(&g);
}

/* -------------------------------------------------------------------------------------------- mass and pins */

Test(particle, mass_counts_from_the_next_step_on_and_pins_keep_theirs) {
  msd_world *world = empty_world();
  const int32_t i = add(world, vec(0, 0, 0), 1, false);
  ASSERT_OK(world, msd_particle_set_mass(world, i, 4));
  ASSERT_OK(world, msd_particle_apply_force(world, i, vec(8, 0, 0)));
  ASSERT_OK(world, msd_world_step(world, (msd_real)0.5, 1));
  assert_vec(msd_particle_get_velocity(world, i), 1, 0, 0);
  ASSERT_OK(world, msd_particle_pin(world, i));
  assert_vec(msd_particle_get_velocity(world, i), 0, 0, 0);
  ASSERT_OK(world, msd_particle_set_mass(world, i, 2));
  cr_assert(msd_particle_is_pinned(world, i));
  cr_assert_eq(msd_particle_get_mass(world, i), 2);
  ASSERT_OK(world, msd_particle_unpin(world, i));
  ASSERT_OK(world, msd_particle_apply_force(world, i, vec(8, 0, 0)));
  ASSERT_OK(world, msd_world_step(world, (msd_real)0.5, 1));
  assert_vec(msd_particle_get_velocity(world, i), 2, 0, 0);
  msd_destroy_world(world);
}

Test(particle, masses_whose_inverse_is_no_number_are_refused) {
  msd_world *world = empty_world();
  const int32_t i = add(world, vec(0, 0, 0), 3, false);
  const msd_real bad[] = {0, -1, (msd_real)NAN, (msd_real)INFINITY, -(msd_real)INFINITY};
  for (size_t b = 0; b < sizeof bad / sizeof bad[0]; b++)
    cr_assert_eq(msd_particle_set_mass(world, i, bad[b]), MSD_BAD_VALUE);
  cr_assert_eq(msd_particle_get_mass(world, i), 3);
  msd_destroy_world(world);
}

Test(particle, a_pin_is_exactly_still_whatever_pulls_at_it) {
  graph g = graph_cloth(20, 20, CLOTH_BEND);
  msd_world *world = world_of(&g, &(making){.seed = 3, .pins = true});
  ASSERT_OK(world, msd_world_set_linear_damping(world, (msd_real)0.3));
  msd_vec3 before[8];
  for (int32_t k = 0; k < 8; k++)
    before[k] = msd_particle_get_position(world, 50 * k);
  for (int integrator = 0; integrator < MSD_INTEGRATOR_COUNT; integrator++) {
    ASSERT_OK(world, msd_world_set_integrator(world, (msd_integrator)integrator));
    for (int frame = 0; frame < 5; frame++) {
      for (int32_t k = 0; k < 8; k++)
        ASSERT_OK(world, msd_particle_apply_force(world, 50 * k, vec(1000, 0, 0)));
      ASSERT_OK(world, msd_world_step(world, (msd_real)0.01, 4));
    }
    for (int32_t k = 0; k < 8; k++) {
      assert_vec(msd_particle_get_position(world, 50 * k), (double)before[k].x, (double)before[k].y,
                 (double)before[k].z);
      assert_vec(msd_particle_get_velocity(world, 50 * k), 0, 0, 0);
    }
  }
  msd_destroy_world(world);
  graph_free(&g);
}

Test(particle, a_pin_with_a_velocity_travels_at_it_in_air_too) {
  msd_world *world = empty_world();
  const int32_t i = add(world, vec(0, 0, 0), 1, true);
  ASSERT_OK(world, msd_world_set_gravity(world, vec(0, -10, 0)));
  ASSERT_OK(world, msd_world_set_linear_damping(world, 1));
  ASSERT_OK(world, msd_particle_set_velocity(world, i, vec(2, 0, -4)));
  for (int integrator = 0; integrator < MSD_INTEGRATOR_COUNT; integrator++) {
    ASSERT_OK(world, msd_world_set_integrator(world, (msd_integrator)integrator));
    ASSERT_OK(world, msd_particle_set_position(world, i, vec(0, 1, 0)));
    ASSERT_OK(world, msd_world_step(world, 1, 64));
    const msd_vec3 x = msd_particle_get_position(world, i);
    cr_assert(fabs((double)x.x - 2) < 1e-5 && x.y == 1 && fabs((double)x.z + 4) < 1e-5, "%s: (%g, %g, %g)",
              msd_integrator_name((msd_integrator)integrator), (double)x.x, (double)x.y, (double)x.z);
    assert_vec(msd_particle_get_velocity(world, i), 2, 0, -4);
  }
  msd_destroy_world(world);
}

Test(particle, a_moved_pin_goes_in_a_straight_line_arrives_exactly_and_is_still) {
  for (int integrator = 0; integrator < MSD_INTEGRATOR_COUNT; integrator++)
    for (int substeps = 1; substeps < 20; substeps += 6) {
      msd_world *world = empty_world();
      ASSERT_OK(world, msd_world_set_integrator(world, (msd_integrator)integrator));
      const int32_t i = add(world, vec(0.1, 0.2, 0.3), 1, true);
      ASSERT_OK(world, msd_particle_move_to(world, i, vec(1.7, -0.9, 2.3)));
      ASSERT_OK(world, msd_world_step(world, (msd_real)0.0166667, substeps));
      assert_vec(msd_particle_get_position(world, i), 1.7, -0.9, 2.3);
      assert_vec(msd_particle_get_velocity(world, i), 0, 0, 0);
      ASSERT_OK(world, msd_world_step(world, (msd_real)0.0166667, substeps));
      assert_vec(msd_particle_get_position(world, i), 1.7, -0.9, 2.3);
      msd_destroy_world(world);
    }
}

/* A damper of mu between a still mass and a pin that moves at V along the spring pulls with mu V. */
Test(particle, springs_feel_the_velocity_of_a_moved_pin) {
  msd_world *world = empty_world();
  const int32_t pin = add(world, vec(0, 0, 0), 1, true), i = add(world, vec(1, 0, 0), 2, false);
  msd_spring_def def = msd_default_spring_def();
  def.a = pin;
  def.b = i;
  def.damping = 3;
  ASSERT_OK(world, msd_add_springs(world, &def, 1, NULL));
  ASSERT_OK(world, msd_particle_move_to(world, pin, vec(-0.5, 0, 0)));
  ASSERT_OK(world, msd_world_step(world, (msd_real)0.125, 1)); /* at -4 m/s: 12 N on 2 kg for 1/8 s */
  assert_vec(msd_particle_get_velocity(world, i), -0.75, 0, 0);
  msd_destroy_world(world);
}

Test(particle, the_last_target_of_a_pin_counts) {
  msd_world *world = empty_world();
  const int32_t i = add(world, vec(0, 0, 0), 1, true);
  ASSERT_OK(world, msd_particle_move_to(world, i, vec(1, 0, 0)));
  ASSERT_OK(world, msd_particle_move_to(world, i, vec(2, 0, 0)));
  ASSERT_OK(world, msd_world_step(world, 1, 1));
  assert_vec(msd_particle_get_position(world, i), 2, 0, 0);
  msd_destroy_world(world);
}

Test(particle, a_pin_put_or_let_go_by_hand_forgets_its_target) {
  msd_world *world = empty_world();
  const int32_t put = add(world, vec(0, 0, 0), 1, true), let_go = add(world, vec(0, 0, 0), 1, true),
                moved = add(world, vec(0, 0, 0), 1, true), sent = add(world, vec(0, 0, 0), 1, true);
  const int32_t all[] = {put, let_go, moved, sent};
  for (int k = 0; k < 4; k++)
    ASSERT_OK(world, msd_particle_move_to(world, all[k], vec(5, 0, 0)));
  ASSERT_OK(world, msd_particle_set_position(world, put, vec(1, 0, 0)));
  ASSERT_OK(world, msd_particle_unpin(world, let_go));
  ASSERT_OK(world, msd_particle_set_velocity(world, sent, vec(0, 0, 3)));
  ASSERT_OK(world, msd_world_step(world, 1, 1));
  assert_vec(msd_particle_get_position(world, put), 1, 0, 0);
  assert_vec(msd_particle_get_position(world, let_go), 0, 0, 0);
  assert_vec(msd_particle_get_position(world, moved), 5, 0, 0);
  assert_vec(msd_particle_get_position(world, sent), 0, 0, 3);
  msd_destroy_world(world);
}

Test(particle, many_pins_can_move_at_once) {
  msd_world *world = empty_world();
  for (int i = 0; i < 500; i++)
    add(world, vec(i, 0, 0), 1, true);
  for (int i = 0; i < 500; i++)
    ASSERT_OK(world, msd_particle_move_to(world, i, vec(i, i, 0)));
  ASSERT_OK(world, msd_world_step(world, 1, 2));
  for (int i = 0; i < 500; i++)
    assert_vec(msd_particle_get_position(world, i), i, i, 0);
  msd_destroy_world(world);
}

/* Beside a table of where each was last sent. */
Test(particle, pins_sent_and_called_back_in_any_order_arrive_where_they_were_last_sent) {
  enum { PINS = 300, CALLS = 2000 };
  msd_world *world = empty_world(), *copy = NULL;
  generator g = {7};
  msd_vec3 wanted[PINS];
  for (int i = 0; i < PINS; i++) {
    wanted[i] = vec(i, 0, 0);
    add(world, wanted[i], 1, true);
  }
  for (int n = 0; n < CALLS; n++) {
    const int32_t i = random_below(&g, PINS);
    const bool calls_back = random_below(&g, 3) == 0;
    wanted[i] = vec(i, calls_back ? 0 : n, 1);
    if (calls_back)
      ASSERT_OK(world, msd_particle_set_position(world, i, wanted[i]));
    else
      ASSERT_OK(world, msd_particle_move_to(world, i, wanted[i]));
    const int32_t gone = PINS - 1 - n / 50;
    if (n % 50 == 49 && gone > PINS / 2) {
      wanted[gone] = msd_particle_get_position(world, gone);
      ASSERT_OK(world, msd_particle_unpin(world, gone));
      ASSERT_OK(world, msd_particle_pin(world, gone));
    }
  }
  ASSERT_OK(world, msd_copy_world(world, &copy));
  ASSERT_OK(world, msd_world_step(world, 1, 2));
  ASSERT_OK(copy, msd_world_step(copy, 1, 2));
  for (int i = 0; i < PINS; i++) {
    assert_vec(msd_particle_get_position(world, i), (double)wanted[i].x, (double)wanted[i].y,
               (double)wanted[i].z);
    assert_vec(msd_particle_get_position(copy, i), (double)wanted[i].x, (double)wanted[i].y,
               (double)wanted[i].z);
  }
  msd_destroy_world(copy);
  msd_destroy_world(world);
}

Test(particle, only_pins_can_be_moved) {
  msd_world *world = empty_world();
  const int32_t i = add(world, vec(0, 0, 0), 1, false);
  cr_assert_eq(msd_particle_move_to(world, i, vec(1, 0, 0)), MSD_BAD_VALUE);
  ASSERT_OK(world, msd_world_step(world, 1, 1));
  assert_vec(msd_particle_get_position(world, i), 0, 0, 0);
  msd_destroy_world(world);
}

Test(particle, an_unpinned_particle_goes_on_with_the_velocity_it_has) {
  msd_world *world = empty_world();
  const int32_t i = add(world, vec(0, 0, 0), 1, true);
  ASSERT_OK(world, msd_particle_set_velocity(world, i, vec(0, 2, 0)));
  ASSERT_OK(world, msd_particle_unpin(world, i));
  assert_vec(msd_particle_get_velocity(world, i), 0, 2, 0);
  ASSERT_OK(world, msd_world_step(world, (msd_real)0.5, 1));
  assert_vec(msd_particle_get_position(world, i), 0, 1, 0);
  ASSERT_OK(world, msd_particle_unpin(world, i)); /* nothing to do */
  cr_assert_eq(msd_world_get_stats(world).pinned, 0);
  msd_destroy_world(world);
}

Test(particle, pinning_twice_counts_once) {
  msd_world *world = empty_world();
  add(world, vec(0, 0, 0), 1, true);
  const int32_t i = add(world, vec(0, 0, 0), 1, false);
  for (int k = 0; k < 3; k++)
    ASSERT_OK(world, msd_particle_pin(world, i));
  cr_assert_eq(msd_world_get_stats(world).pinned, 2);
  msd_destroy_world(world);
}

/* ------------------------------------------------------------------------------------------------- forces */

Test(particle, forces_add_up_act_during_one_step_and_are_gone) {
  msd_world *world = empty_world();
  const int32_t i = add(world, vec(0, 0, 0), 2, false), other = add(world, vec(9, 9, 9), 2, false);
  ASSERT_OK(world, msd_particle_apply_force(world, i, vec(3, 0, 0)));
  ASSERT_OK(world, msd_particle_apply_force(world, i, vec(1, 8, -16)));
  ASSERT_OK(world, msd_world_step(world, (msd_real)0.5, 4)); /* all four substeps */
  assert_vec(msd_particle_get_velocity(world, i), 1, 2, -4);
  assert_vec(msd_particle_get_velocity(world, other), 0, 0, 0);
  ASSERT_OK(world, msd_world_step(world, (msd_real)0.5, 4));
  assert_vec(msd_particle_get_velocity(world, i), 1, 2, -4);
  msd_destroy_world(world);
}

Test(particle, forces_wait_while_particles_are_added) {
  msd_world *world = empty_world();
  const int32_t i = add(world, vec(0, 0, 0), 1, false);
  ASSERT_OK(world, msd_particle_apply_force(world, i, vec(1, 2, 3)));
  int32_t last = i;
  for (int k = 0; k < 3000; k++)
    last = add(world, vec(0, 0, 0), 1, false);
  ASSERT_OK(world, msd_particle_apply_force(world, last, vec(3, 2, 1)));
  ASSERT_OK(world, msd_world_step(world, 1, 1));
  assert_vec(msd_particle_get_velocity(world, i), 1, 2, 3);
  assert_vec(msd_particle_get_velocity(world, last), 3, 2, 1);
  assert_vec(msd_particle_get_velocity(world, last - 1), 0, 0, 0);
  msd_destroy_world(world);
}

Test(particle, forces_whose_sum_overflows_are_refused_and_the_sum_so_far_stays) {
  msd_world *world = empty_world();
  const int32_t i = add(world, vec(0, 0, 0), 1, false);
  const msd_real most = sizeof(msd_real) == 4 ? (msd_real)3e38 : (msd_real)1.5e308;
  ASSERT_OK(world, msd_particle_apply_force(world, i, (msd_vec3){most, 0, 0}));
  cr_assert_eq(msd_particle_apply_force(world, i, (msd_vec3){most, 0, 0}), MSD_BAD_VALUE);
  ASSERT_OK(world, msd_particle_apply_force(world, i, (msd_vec3){-most, 2, 0}));
  ASSERT_OK(world, msd_world_step(world, 1, 1));
  assert_vec(msd_particle_get_velocity(world, i), 0, 2, 0);
  msd_destroy_world(world);
}

Test(particle, values_that_are_not_finite_are_refused_and_change_nothing) {
  msd_world *world = empty_world();
  const int32_t i = add(world, vec(1, 2, 3), 1, true);
  const msd_vec3 bad[] = {vec(NAN, 0, 0), vec(0, INFINITY, 0), vec(0, 0, -INFINITY)};
  for (size_t b = 0; b < 3; b++) {
    cr_assert_eq(msd_particle_set_position(world, i, bad[b]), MSD_BAD_VALUE);
    cr_assert_eq(msd_particle_set_velocity(world, i, bad[b]), MSD_BAD_VALUE);
    cr_assert_eq(msd_particle_move_to(world, i, bad[b]), MSD_BAD_VALUE);
    cr_assert_eq(msd_particle_apply_force(world, i, bad[b]), MSD_BAD_VALUE);
    cr_assert(strlen(msd_world_message(world)) > 0);
  }
  ASSERT_OK(world, msd_world_step(world, 1, 1));
  assert_vec(msd_particle_get_position(world, i), 1, 2, 3);
  assert_vec(msd_particle_get_velocity(world, i), 0, 0, 0);
  msd_destroy_world(world);
}
