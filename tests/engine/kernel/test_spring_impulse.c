/* Sequential impulses: the laws of the coefficient spring, impulse by impulse. */
#include "tests/support/impulses.h"
#include "tests/support/share.h"

#include "engine/world/world.h"

#include <float.h>
#include <math.h>

static const double EPSILON = sizeof(msd_real) == sizeof(double) ? DBL_EPSILON : FLT_EPSILON;

static double energy(const msd_world *world) {
  const msd_stats s = msd_world_get_stats(world);
  return s.kinetic_energy + s.elastic_energy;
}

/* ------------------------------------------------------------------------------------------- one spring */

/* Two masses on a spring of rest length 1, the first of them pinned or not, in gravity. */
static msd_world *pair(setting s, msd_spring_def spring, bool pinned, double x, double v) {
  msd_world *world = empty_world(s);
  ASSERT_OK(world, msd_world_set_gravity(world, (msd_vec3){1, -4, 0}));
  msd_particle_def def = msd_default_particle_def();
  def.mass = 3;
  def.pinned = pinned;
  ASSERT_OK(world, msd_add_particles(world, &def, 1, NULL));
  def = msd_default_particle_def();
  def.position.x = (msd_real)(1 + x);
  def.velocity.x = (msd_real)v;
  def.velocity.y = (msd_real)0.25;
  ASSERT_OK(world, msd_add_particles(world, &def, 1, NULL));
  spring.a = 0;
  spring.b = 1;
  spring.rest_length = 1;
  ASSERT_OK(world, msd_add_springs(world, &spring, 1, NULL));
  return world;
}

Test(impulse, a_lone_spring_of_any_law_moves_as_by_its_force) {
  msd_spring_def kinds[3] = {coefficient(0.5, 0.25), msd_default_spring_def(), msd_default_spring_def()};
  kinds[1].stiffness = 200;
  kinds[1].damping = 3;
  kinds[2].law = MSD_SPRING_FREQUENCY;
  kinds[2].frequency = 4;
  kinds[2].damping_ratio = (msd_real)0.3;
  for (int law_kind = 0; law_kind < 3; law_kind++)
    for (int pinned = 0; pinned < 2; pinned++)
      for (int iterations = 1; iterations <= 100; iterations *= 10)
        for (int warm = 0; warm < 2; warm++) {
          msd_world *force = pair(FORCES, kinds[law_kind], pinned, 0.125, -0.5);
          msd_world *impulse = pair(impulses(iterations, warm), kinds[law_kind], pinned, 0.125, -0.5);
          for (int n = 0; n < 40; n++) {
            ASSERT_OK(force, msd_world_step(force, (msd_real)0.015625, 1));
            ASSERT_OK(impulse, msd_world_step(impulse, (msd_real)0.015625, 1));
            cr_assert_lt(velocity_difference(force, impulse), 400 * EPSILON,
                         "law %d, pinned %d, %d iterations, warm %d, step %d: %g", law_kind, pinned,
                         iterations, warm, n, velocity_difference(force, impulse));
          }
          msd_destroy_world(force);
          msd_destroy_world(impulse);
        }
}

/* Ck = Cd = 1: no error after one step, no motion after two. */
Test(impulse, a_pair_with_both_coefficients_1_is_at_rest_after_two_steps) {
  msd_world *world = pair(impulses(1, false), coefficient(1, 1), false, 0.25, 0.75);
  ASSERT_OK(world, msd_world_set_gravity(world, (msd_vec3){0, 0, 0}));
  ASSERT_OK(world, msd_particle_set_velocity(world, 1, (msd_vec3){(msd_real)0.75, 0, 0}));
  ASSERT_OK(world, msd_world_step(world, (msd_real)0.125, 1));
  cr_assert_float_eq((double)msd_spring_get_length(world, 0), 1, 4 * EPSILON);
  ASSERT_OK(world, msd_world_step(world, (msd_real)0.125, 1));
  const double left =
      (double)msd_particle_get_velocity(world, 0).x - (double)msd_particle_get_velocity(world, 1).x;
  cr_assert_float_eq((double)msd_spring_get_length(world, 0), 1, 4 * EPSILON);
  cr_assert_float_eq(left, 0, 32 * EPSILON);
  msd_destroy_world(world);
}

/* W dt^2/(m Ck), whatever the iterations: they are no stiffness. */
Test(impulse, iterations_do_not_stiffen_a_soft_spring_under_a_load) {
  const double ck = 0.25, dt = 0.0625, load = 2;
  for (int iterations = 1; iterations <= 256; iterations *= 4)
    for (int warm = 0; warm < 2; warm++) {
      msd_world *world = pair(impulses(iterations, warm), coefficient(ck, 0.5), true, 0, 0);
      ASSERT_OK(world, msd_world_set_gravity(world, (msd_vec3){(msd_real)load, 0, 0}));
      ASSERT_OK(world, msd_particle_set_velocity(world, 1, (msd_vec3){0, 0, 0}));
      for (int n = 0; n < 300; n++)
        ASSERT_OK(world, msd_world_step(world, (msd_real)dt, 1));
      cr_assert_float_eq((double)msd_spring_get_length(world, 0), 1 + load * dt * dt / ck, 64 * EPSILON,
                         "%d iterations", iterations);
      msd_destroy_world(world);
    }
}

/* --------------------------------------------------------------------------------------------- networks */

/* Three unit masses hang from a pin. When all is still, all particles have the velocity -dt g between the
   springs and gravity. A spring that carries n masses has L = -n g dt, and sees C' = -dt g at the pin, 0 below:
   with L = -(m/dt) Ck C - m Cd (C' - L/m) that is m Ck C = dt^2 g (n (1 - Cd) + Cd) at the pin, m = 1, and
   dt^2 g n (1 - Cd) below, m = 1/2. */
Test(impulse, a_converged_chain_hangs_as_its_damping_says) {
  const double ck = 0.25, cd = 0.5, dt = 0.0625, g = 4;
  graph chain = graph_rope(4, false);
  for (int warm = 0; warm < 2; warm++) {
    msd_world *world = crumpled(&chain, impulses(200, warm), coefficient(ck, cd), 0);
    ASSERT_OK(world, msd_particle_pin(world, 0));
    ASSERT_OK(world, msd_world_set_gravity(world, (msd_vec3){(msd_real)g, 0, 0}));
    ASSERT_OK(world, msd_world_step(world, (msd_real)(2000 * dt), 2000));
    for (int32_t e = 0; e < 3; e++) {
      const double carried = 3 - e, mass = e == 0 ? 1 : 0.5;
      const double stretch = dt * dt * g * (carried * (1 - cd) + (e == 0 ? cd : 0)) / (mass * ck);
      cr_assert_float_eq((double)msd_spring_get_length(world, e), 0.25 + stretch, 100 * EPSILON,
                         "spring %d: %g", (int)e, (double)msd_spring_get_length(world, e) - 0.25 - stretch);
    }
    msd_destroy_world(world);
  }
  graph_free(&chain);
}

Test(impulse, a_color_shares_no_particle_and_every_spring_has_its_turn) {
  named_graph list[ALL_GRAPHS];
  make_all_graphs(list);
  for (int i = 0; i < ALL_GRAPHS; i++) {
    msd_world *world = crumpled(&list[i].graph, impulses(1, false), coefficient(0.01, 0.01), 0);
    ASSERT_OK(world, msd_world_step(world, 1, 1));
    const spring_impulses *plan = &world->stepper.spring_impulses;
    const spring_store *s = &world->model.springs;
    int *turns = calloc((size_t)s->count + 1, sizeof *turns);
    int *color_at = calloc((size_t)list[i].graph.particles + 1, sizeof *color_at);
    cr_assert(turns && color_at);
    cr_assert_eq(plan->count, s->count);
    for (int color = 0; color <= COLORING_COLORS; color++)
      for (int32_t n = plan->colors.first[color]; n < plan->colors.first[color + 1]; n++) {
        const int32_t e = plan->items[n].index, ends[2] = {s->a[e], s->b[e]};
        turns[e]++;
        cr_assert_eq((size_t)plan->items[n].a, particle_slot(&world->model.particles, ends[0]));
        cr_assert_eq((size_t)plan->items[n].b, particle_slot(&world->model.particles, ends[1]));
        cr_assert(n == plan->colors.first[color] || plan->items[n - 1].index < e);
        for (int end = 0; end < 2 && color < COLORING_COLORS; end++) {
          cr_assert_neq(color_at[ends[end]], color + 1, "%s: spring %d", list[i].name, (int)e);
          color_at[ends[end]] = color + 1;
        }
      }
    for (int32_t e = 0; e < s->count; e++)
      cr_assert_eq(turns[e], 1, "%s: spring %d", list[i].name, (int)e);
    free(turns);
    free(color_at);
    msd_destroy_world(world);
  }
  free_all_graphs(list);
}

/* A path needs 2 colors, a square mesh 4 in the order of its springs, and 2 are 2 barriers. */
Test(impulse, ropes_take_few_colors) {
  graph g = graph_rope(100, false);
  msd_world *world = crumpled(&g, impulses(1, false), coefficient(0.1, 0.1), 0);
  ASSERT_OK(world, msd_world_step(world, 1, 1));
  cr_assert_eq(world->stepper.spring_impulses.colors.first[2], g.springs);
  msd_destroy_world(world);
  graph_free(&g);
}

Test(impulse, threads_and_width_change_no_bit) {
  named_graph list[] = {{"cloth", graph_cloth(40, 40, CLOTH_BEND)},
                        {"shuffled", graph_shuffled(graph_cloth(30, 30, CLOTH_BEND), 4)},
                        {"star", graph_star(300, 4)}};
  for (size_t i = 0; i < sizeof list / sizeof list[0]; i++)
    for (int warm = 0; warm < 2; warm++) {
      uint64_t wanted = 0;
      for (int threads = 1; threads <= 8; threads += in_part ? 3 : 1) {
        msd_world *world = world_of(&list[i].graph, &(making){LAWS_MIXED, .seed = 6, .pins = true,
                                                              .breaks = 40, .soften = 4, .sides = 2 * warm});
        ASSERT_OK(world, msd_world_set_integrator(world, MSD_SEQUENTIAL_IMPULSE));
        ASSERT_OK(world, msd_world_set_impulse_iterations(world, 2));
        ASSERT_OK(world, msd_world_set_impulse_warm_start(world, warm));
        ASSERT_OK(world, msd_world_set_thread_count(world, threads));
        ASSERT_OK(world, msd_world_set_simd(world, (msd_simd)(threads % MSD_SIMD_COUNT)));
        ASSERT_OK(world, msd_world_step(world, (msd_real)0.015625, 6));
        if (threads == 1)
          wanted = msd_world_hash(world);
        cr_assert_eq(msd_world_hash(world), wanted, "%s, warm %d, %d threads", list[i].name, warm, threads);
        msd_destroy_world(world);
      }
    }
  for (size_t i = 0; i < sizeof list / sizeof list[0]; i++)
    graph_free(&list[i].graph);
}

/* However often they are asked, and whatever they gave before. */
Test(impulse, tethers_give_nothing_while_slack_and_never_push) {
  for (int warm = 0; warm < 2; warm++)
    for (int iterations = 1; iterations <= 4; iterations += 3)
      for (int side = MSD_SPRING_TENSION_ONLY; side <= MSD_SPRING_COMPRESSION_ONLY; side++) {
        const double sign = side == MSD_SPRING_TENSION_ONLY ? 1 : -1;
        msd_world *world = empty_world(impulses(iterations, warm));
        msd_particle_def particle = msd_default_particle_def();
        for (int i = 0; i < 3; i++) {
          particle.position = (msd_vec3){(msd_real)i, 0, 0};
          ASSERT_OK(world, msd_add_particles(world, &particle, 1, NULL));
        }
        for (int i = 0; i < 2; i++) {
          msd_spring_def def = coefficient(0.25, 0.5);
          def.a = i;
          def.b = i + 1;
          def.mode = (msd_spring_mode)side;
          ASSERT_OK(world, msd_add_springs(world, &def, 1, NULL));
        }
        ASSERT_OK(world, msd_particle_set_velocity(world, 0, (msd_vec3){(msd_real)(0.25 * sign), 0, 0}));
        ASSERT_OK(world, msd_world_step(world, (msd_real)0.125, 1)); /* nothing acts at rest length */
        cr_assert_eq(msd_particle_get_velocity(world, 0).x, (msd_real)(0.25 * sign));
        ASSERT_OK(world, msd_world_step(world, 1, 8)); /* on the side where they are slack */
        cr_assert_eq(msd_particle_get_velocity(world, 0).x, (msd_real)(0.25 * sign));
        ASSERT_OK(world, msd_particle_set_velocity(world, 0, (msd_vec3){(msd_real)(-2 * sign), 0, 0}));
        for (int n = 0; n < 20; n++) {
          const msd_real before = msd_particle_get_velocity(world, 0).x;
          ASSERT_OK(world, msd_world_step(world, (msd_real)0.125, 1));
          cr_assert(sign * (double)(msd_particle_get_velocity(world, 0).x - before) >= 0,
                    "step %d pushes a tether or pulls a strut", n);
        }
        cr_assert(sign * (double)msd_particle_get_velocity(world, 0).x > -2);
        msd_destroy_world(world);
      }
}

/* A spring that pulls the particle towards the pin makes the taut tether superfluous: with enough passes
   everything moves as if it were not there. */
Test(impulse, a_tether_takes_back_what_others_make_superfluous) {
  double speed[2];
  for (int is_tied = 0; is_tied < 2; is_tied++) {
    msd_world *world = empty_world(impulses(100, false));
    msd_particle_def def = msd_default_particle_def();
    def.pinned = true;
    ASSERT_OK(world, msd_add_particles(world, &def, 1, NULL));
    def.pinned = false;
    def.position.x = (msd_real)1.0625;
    ASSERT_OK(world, msd_add_particles(world, &def, 1, NULL));
    msd_spring_def tether = coefficient(0.25, 0.25), spring = coefficient(0.25, 0.25);
    tether.a = spring.a = 0, tether.b = spring.b = 1;
    tether.mode = MSD_SPRING_TENSION_ONLY;
    tether.rest_length = 1;
    spring.rest_length = (msd_real)0.5;
    if (is_tied)
      ASSERT_OK(world, msd_add_springs(world, &tether, 1, NULL));
    ASSERT_OK(world, msd_add_springs(world, &spring, 1, NULL));
    ASSERT_OK(world, msd_world_step(world, 1, 1));
    speed[is_tied] = (double)msd_particle_get_velocity(world, 1).x;
    msd_destroy_world(world);
  }
  cr_assert_lt(speed[0], -0.1);
  cr_assert_float_eq(speed[1], speed[0], 100 * EPSILON, "%g m/s beside a tether, %g m/s without", speed[1],
                     speed[0]);
}

/* One pin may hold a whole cloth: its tethers need no colors of their own. */
Test(impulse, tethers_of_one_pin_share_a_color) {
  graph g = graph_star(300, 0);
  msd_world *world = world_of(&g, &(making){LAWS_COEFFICIENT, .sides = 1});
  ASSERT_OK(world, msd_world_set_integrator(world, MSD_SEQUENTIAL_IMPULSE));
  ASSERT_OK(world, msd_particle_pin(world, 0));
  ASSERT_OK(world, msd_world_step(world, (msd_real)0.01, 1));
  cr_assert_eq(world->stepper.spring_impulses.colors.first[1], g.springs);
  ASSERT_OK(world, msd_particle_unpin(world, 0));
  ASSERT_OK(world, msd_world_step(world, (msd_real)0.01, 1));
  cr_assert_eq(world->stepper.spring_impulses.colors.first[1], 1);
  msd_destroy_world(world);
  graph_free(&g);
}

/* Nothing then depends on the order, nor on iterations. */
Test(impulse, without_damping_a_network_moves_as_by_forces) {
  graph g = graph_shuffled(graph_cloth(25, 25, CLOTH_SHEAR), 8);
  const setting ways[] = {impulses(1, false), impulses(5, false), impulses(2, true)};
  for (size_t w = 0; w < sizeof ways / sizeof ways[0]; w++) {
    msd_world *force = crumpled(&g, FORCES, coefficient(0.0625, 0), (msd_real)0.0625);
    msd_world *impulse = crumpled(&g, ways[w], coefficient(0.0625, 0), (msd_real)0.0625);
    ASSERT_OK(force, msd_world_step(force, (msd_real)0.25, 8));
    ASSERT_OK(impulse, msd_world_step(impulse, (msd_real)0.25, 8));
    cr_assert_lt(velocity_difference(force, impulse), 500 * EPSILON, "%zu: %g", w,
                 velocity_difference(force, impulse));
    msd_destroy_world(force);
    msd_destroy_world(impulse);
  }
  graph_free(&g);
}

/* With Ck = Cd = 1 the system that the iterations solve asks of each spring C' = -C/dt afterwards. */
Test(impulse, iterations_converge_to_springs_that_are_all_satisfied) {
  graph g = graph_rope(6, false);
  msd_world *world = crumpled(&g, impulses(1000, false), coefficient(1, 1), (msd_real)0.0625);
  const double dt = 0.125;
  double unit[5][3], error[5];
  for (int32_t e = 0; e < g.springs; e++)
    error[e] = spring_direction(&world->model.springs, &world->model.particles, e, unit[e]) - 0.25;
  ASSERT_OK(world, msd_world_step(world, (msd_real)dt, 1));
  for (int32_t e = 0; e < g.springs; e++) {
    const msd_vec3 a = msd_particle_get_velocity(world, g.a[e]), b = msd_particle_get_velocity(world, g.b[e]);
    const double rate = ((double)a.x - (double)b.x) * unit[e][0] + ((double)a.y - (double)b.y) * unit[e][1] +
                        ((double)a.z - (double)b.z) * unit[e][2];
    cr_assert_float_eq(rate, -error[e] / dt, 100 * EPSILON, "spring %d", (int)e);
  }
  msd_destroy_world(world);
  graph_free(&g);
}

Test(impulse, meshes_that_explode_with_forces_settle_in_colored_order) {
  named_graph list[] = {{"grid", graph_cloth(15, 15, CLOTH_STRETCH)},
                        {"cloth", graph_cloth(15, 15, CLOTH_BEND)},
                        {"block", graph_block(6, true)},
                        {"shuffled", graph_shuffled(graph_cloth(15, 15, CLOTH_BEND), 4)}};
  for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
    const graph *g = &list[i].graph;
    for (int iterations = 1; iterations <= 4; iterations *= 2) {
      msd_world *world = crumpled(g, impulses(iterations, false), coefficient(1, 1), (msd_real)0.0625);
      ASSERT_OK(world, msd_world_step(world, 1, 1));
      const double start = energy(world);
      ASSERT_OK(world, msd_world_step(world, 500, 500));
      cr_assert_lt(energy(world), 0.1 * start, "%s, %d iterations: %g, from %g", list[i].name, iterations,
                   energy(world), start);
      msd_destroy_world(world);
    }
    msd_world *world = crumpled(g, FORCES, coefficient(1, 1), (msd_real)0.0625);
    ASSERT_OK(world, msd_world_step(world, 1, 1));
    const double start = energy(world);
    const msd_result result = msd_world_step(world, 100, 100);
    cr_assert(result == MSD_DIVERGED || energy(world) > 1e3 * start, "%s: forces", list[i].name);
    msd_destroy_world(world);
  }
  for (size_t i = 0; i < sizeof list / sizeof list[0]; i++)
    graph_free(&list[i].graph);
}

/* Each impulse takes m cd (1 - cd/2) C'^2 from the kinetic energy. */
Test(impulse, dampers_never_add_energy_in_any_network) {
  graph g = graph_random(60, 400, 3);
  const double cds[] = {0.5, 1, 1.9};
  for (size_t c = 0; c < sizeof cds / sizeof cds[0]; c++) {
    msd_world *world = crumpled(&g, impulses(1, false), coefficient(0, cds[c]), 0);
    generator random = {.state = 2};
    for (int32_t i = 0; i < g.particles; i++)
      ASSERT_OK(world, msd_particle_set_velocity(world, i, random_vector(&random, (msd_real)0.01)));
    double before = msd_world_get_stats(world).kinetic_energy;
    for (int n = 0; n < 100; n++) {
      ASSERT_OK(world, msd_world_step(world, 1, 1));
      const double now = msd_world_get_stats(world).kinetic_energy;
      cr_assert_leq(now, before * (1 + 1000 * EPSILON), "cd %g, step %d: %g after %g", cds[c], n, now,
                    before);
      before = now;
    }
    msd_destroy_world(world);
  }
  graph_free(&g);
}

Test(impulse, momentum_stays_and_broken_springs_do_nothing) {
  graph g = graph_cloth(20, 20, CLOTH_BEND);
  msd_world *world = crumpled(&g, impulses(2, true), coefficient(0.5, 0.5), (msd_real)0.0625);
  for (int32_t e = 0; e < g.springs; e++)
    if (g.a[e] == 21 || g.b[e] == 21)
      ASSERT_OK(world, msd_spring_break(world, e));
  ASSERT_OK(world, msd_particle_set_velocity(world, 21, (msd_vec3){1, 2, 3}));
  ASSERT_OK(world, msd_world_step(world, 1, 20));
  const msd_vec3 v = msd_particle_get_velocity(world, 21);
  cr_assert(v.x == 1 && v.y == 2 && v.z == 3);
  const msd_stats s = msd_world_get_stats(world);
  for (int c = 0; c < 3; c++)
    cr_assert_float_eq(s.momentum[c], c + 1, 5e4 * EPSILON);
  msd_destroy_world(world);
  graph_free(&g);
}

Test(impulse, forces_pins_drag_and_the_limit_act_as_in_the_force_form) {
  msd_world *worlds[2];
  for (int w = 0; w < 2; w++) {
    msd_spring_def spring = msd_default_spring_def();
    spring.stiffness = 1e6F;
    spring.damping = 10;
    msd_world *world = worlds[w] = pair(w ? impulses(3, false) : FORCES, spring, true, 0.125, 0);
    ASSERT_OK(world, msd_world_set_clamp_stiffness(world, true));
    ASSERT_OK(world, msd_world_set_linear_damping(world, 2));
    ASSERT_OK(world, msd_particle_move_to(world, 0, (msd_vec3){0, (msd_real)0.25, 0}));
    ASSERT_OK(world, msd_particle_apply_force(world, 1, (msd_vec3){0, 3, 1}));
    ASSERT_OK(world, msd_world_step(world, (msd_real)0.125, 16));
    ASSERT_OK(world, msd_world_step(world, (msd_real)0.125, 16));
    cr_assert_eq(msd_particle_get_position(world, 0).y, (msd_real)0.25);
  }
  cr_assert_lt(velocity_difference(worlds[0], worlds[1]), 400 * EPSILON);
  msd_destroy_world(worlds[0]);
  msd_destroy_world(worlds[1]);
}

/* ------------------------------------------------------------------------------------ limits and misuse */

static double limit_of(setting s, double stiffness, double damping) {
  msd_spring_def spring = msd_default_spring_def();
  spring.stiffness = (msd_real)stiffness;
  spring.damping = (msd_real)damping;
  msd_world *world = pair(s, spring, true, 0, 0);
  msd_stability found;
  ASSERT_OK(world, msd_world_analyze_stability(world, (msd_real)0.01, &found));
  msd_destroy_world(world);
  return found.integrator_stable_substep[MSD_SEQUENTIAL_IMPULSE];
}

Test(impulse, only_what_is_proven_is_certified) {
  cr_expect_float_eq(limit_of(impulses(1, false), 400, 0), 0.1, 1e-6);
  cr_expect_float_eq(limit_of(impulses(9, true), 400, 0), 0.1, 1e-6);
  cr_expect_float_eq(limit_of(impulses(1, false), 0, 8), 0.25, 1e-6);
  cr_expect_float_eq(limit_of(impulses(2, false), 0, 8), 0.125, 1e-6);
  cr_expect_eq(limit_of(impulses(1, true), 0, 8), 0);
  cr_expect_eq(limit_of(impulses(1, false), 400, 8), 0);

  msd_spring_def spring = msd_default_spring_def();
  spring.stiffness = 400;
  msd_world *world = pair(impulses(1, false), spring, true, 0, 0);
  ASSERT_OK(world, msd_world_step(world, 1, 0));
  cr_expect_eq(msd_world_get_steps(world), 11);
  spring.damping = 1;
  ASSERT_OK(world, msd_spring_set_law(world, 0, &spring));
  cr_expect_eq(msd_world_step(world, 1, 0), MSD_NO_STABLE_STEP);
  msd_destroy_world(world);
}

Test(impulse, settings_out_of_range_are_refused_and_change_nothing) {
  msd_world_def def = msd_default_world_def();
  cr_expect_eq(def.impulse_iterations, 1);
  cr_expect_not(def.impulse_warm_start);
  msd_world *world = world_from_def(&def);
  ASSERT_OK(world, msd_world_set_impulse_iterations(world, 1000));
  cr_expect_eq(msd_world_set_impulse_iterations(world, 0), MSD_BAD_VALUE);
  cr_expect_eq(msd_world_set_impulse_iterations(world, 1001), MSD_BAD_VALUE);
  cr_expect_eq(msd_world_get_impulse_iterations(world), 1000);
  cr_expect_not_null(strstr(msd_world_message(world), "1 to 1000"));
  ASSERT_OK(world, msd_world_set_impulse_warm_start(world, true));
  cr_expect(msd_world_get_impulse_warm_start(world));
  msd_destroy_world(world);
  cr_expect_eq(msd_world_set_impulse_iterations(NULL, 1), MSD_BAD_VALUE);
  cr_expect_eq(msd_world_set_impulse_warm_start(NULL, true), MSD_BAD_VALUE);
  cr_expect_eq(msd_world_get_impulse_iterations(NULL), 0);
  cr_expect_not(msd_world_get_impulse_warm_start(NULL));
  for (int iterations = -1; iterations <= 1001; iterations += 1002) {
    def.impulse_iterations = iterations;
    cr_expect_eq(msd_create_world(&def, &world), MSD_BAD_VALUE);
    cr_expect_null(world);
  }
}

/* Two dampers in a row: certified while nothing is stiff, and an soft pin that moves something counts as
   stiff. */
static msd_world *damper_chain(void) {
  msd_world *world = empty_world((setting){MSD_SEQUENTIAL_IMPULSE, 1, false});
  for (int32_t i = 0; i < 3; i++) {
    msd_particle_def def = msd_default_particle_def();
    def.position.x = (msd_real)i;
    ASSERT_OK(world, msd_add_particles(world, &def, 1, NULL));
  }
  for (int32_t i = 0; i < 2; i++) {
    msd_spring_def def = msd_default_spring_def();
    def.a = i;
    def.b = i + 1;
    def.damping = 1;
    ASSERT_OK(world, msd_add_springs(world, &def, 1, NULL));
  }
  return world;
}

Test(impulse, only_soft_pins_that_move_something_count_as_stiff) {
  msd_world *world = damper_chain();
  msd_soft_pin_def hand = msd_default_soft_pin_def();
  ASSERT_OK(world, msd_world_step(world, (msd_real)0.0625, 0));
  ASSERT_OK(world, msd_add_soft_pins(world, &hand, 1, NULL));
  ASSERT_OK(world, msd_world_step(world, (msd_real)0.0625, 0));

  hand.particle = 1;
  ASSERT_OK(world, msd_soft_pin_set_def(world, 0, &hand));
  msd_stability found;
  ASSERT_OK(world, msd_world_analyze_stability(world, (msd_real)0.0625, &found));
  cr_assert_eq(found.substeps, 0);
  cr_assert_eq(msd_world_step(world, (msd_real)0.0625, 0), MSD_NO_STABLE_STEP, "as the report says");

  hand.particle = -1;
  ASSERT_OK(world, msd_soft_pin_set_def(world, 0, &hand));
  ASSERT_OK(world, msd_world_step(world, (msd_real)0.0625, 0));
  hand.particle = 1;
  ASSERT_OK(world, msd_soft_pin_set_def(world, 0, &hand));
  ASSERT_OK(world, msd_particle_pin(world, 1));
  ASSERT_OK(world, msd_world_step(world, (msd_real)0.0625, 0));
  msd_destroy_world(world);
}
