/* Catches: what they give in one substep, and what no number of them may do in any number of substeps. The
   oracles are the formulas of docs/theory/hard_limits.md in double precision, statics, and the conservation
   laws. */
#include "tests/support/laboratory.h"
#include "tests/support/networks.h"
#include "tests/support/scarce_memory.h"
#include "tests/support/share.h"
#include "tests/support/snapshots.h"

static const double PRECISION = sizeof(msd_real) == sizeof(double) ? 1e-11 : 3e-5;

static msd_spring_def hard_limit_of(msd_spring_mode side, double share) {
  msd_spring_def def = msd_default_spring_def();
  def.law = MSD_SPRING_HARD_LIMIT;
  def.mode = side;
  def.ck = (msd_real)share;
  return def;
}

static double random_unit(generator *random) {
  return random_below(random, 1000001) / 1e6;
}

/* ------------------------------------------------------------------------------------ networks of catches */

enum { PARTICLES = 40, HARD_LIMITS = 160 };

typedef struct catching {
  int32_t a, b;
  double rest, share;
  bool is_strut;
} catching;

/* Particles of 0.01 to 100 kg, every ninth of which is a pin if there are pins, in a cube of 2 m, and tethers
   and struts that many of them have passed. */
static msd_world *network_of_hard_limits(uint64_t seed, int32_t pins, catching *list) {
  generator random = {.state = seed};
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  for (int32_t i = 0; i < PARTICLES; i++) {
    add_particle(world, exp((2 * random_unit(&random) - 1) * log(100)), 2 * random_unit(&random),
                 2 * random_unit(&random), 2 * random_unit(&random));
    if (pins > 0 && i % pins == 0)
      ok(world, msd_particle_pin(world, i));
    else
      set_velocity(world, i, random_unit(&random) - 0.5, random_unit(&random) - 0.5,
                   random_unit(&random) - 0.5);
  }
  for (int32_t e = 0; e < HARD_LIMITS; e++) {
    catching *c = &list[e];
    c->a = random_below(&random, PARTICLES);
    c->b = (c->a + 1 + random_below(&random, PARTICLES - 1)) % PARTICLES;
    c->is_strut = e % 3 == 0;
    c->rest = (double)(msd_real)(2 * random_unit(&random));
    c->share = (double)(msd_real)(e % 5 == 0 ? 1 : 0.01 + 0.99 * random_unit(&random));
    add_spring(world,
               hard_limit_of(c->is_strut ? MSD_SPRING_COMPRESSION_ONLY : MSD_SPRING_TENSION_ONLY, c->share),
               c->a, c->b, c->rest);
  }
  return world;
}

static void read_vector(msd_vec3 v, double *out) {
  out[0] = (double)v.x, out[1] = (double)v.y, out[2] = (double)v.z;
}

static double inverse_mass_of(const msd_world *world, int32_t i) {
  return msd_particle_is_pinned(world, i) ? 0 : 1 / (double)msd_particle_get_mass(world, i);
}

static double dot(const double *a, const double *b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* What catches add to the positions y behind a substep from x. */
static void give_by_formula(const msd_world *world, const catching *list, double x[][3], double y[][3],
                            double moved[][3]) {
  int count[PARTICLES] = {0};
  for (int32_t e = 0; e < HARD_LIMITS; e++) {
    count[list[e].a]++;
    count[list[e].b]++;
  }
  for (int32_t e = 0; e < HARD_LIMITS; e++) {
    const catching *c = &list[e];
    const double wa = inverse_mass_of(world, c->a), wb = inverse_mass_of(world, c->b);
    double before[3], behind[3];
    for (int k = 0; k < 3; k++) {
      before[k] = x[c->a][k] - x[c->b][k];
      behind[k] = y[c->a][k] - y[c->b][k];
    }
    const double *along = c->is_strut ? before : behind;
    const double length = sqrt(dot(along, along)), projected = dot(along, behind) / length;
    const double past = c->is_strut ? c->rest - projected : projected - c->rest;
    if (wa + wb == 0 || past <= 0)
      continue;
    const double impulse = c->share * past / (wa * count[c->a] + wb * count[c->b]);
    for (int k = 0; k < 3; k++) {
      const double given = (c->is_strut ? impulse : -impulse) * along[k] / length;
      moved[c->a][k] += wa * given;
      moved[c->b][k] -= wb * given;
    }
  }
}

Test(hard_limits, a_substep_ends_where_the_formula_says) {
  const double dt = 1.0 / 64;
  for (uint64_t seed = 1; seed <= 5; seed++) {
    catching list[HARD_LIMITS];
    double x[PARTICLES][3], v[PARTICLES][3], y[PARTICLES][3], moved[PARTICLES][3] = {{0}};
    msd_world *world = network_of_hard_limits(seed, 9, list);
    for (int32_t i = 0; i < PARTICLES; i++) {
      read_vector(msd_particle_get_position(world, i), x[i]);
      read_vector(msd_particle_get_velocity(world, i), v[i]);
      for (int k = 0; k < 3; k++)
        y[i][k] = x[i][k] + dt * v[i][k];
    }
    give_by_formula(world, list, x, y, moved);
    ok(world, msd_world_step(world, (msd_real)dt, 1));
    for (int32_t i = 0; i < PARTICLES; i++) {
      double now[3], speed[3];
      read_vector(msd_particle_get_position(world, i), now);
      read_vector(msd_particle_get_velocity(world, i), speed);
      for (int k = 0; k < 3; k++) {
        cr_assert_float_eq(now[k], y[i][k] + moved[i][k], 0.1 * PRECISION, "seed %d", (int)seed);
        cr_assert_float_eq(speed[k], v[i][k] + moved[i][k] / dt, 10 * PRECISION, "seed %d", (int)seed);
      }
    }
    msd_destroy_world(world);
  }
}

static double energy_of(const msd_world *world) {
  const msd_stats stats = msd_world_get_stats(world);
  return stats.kinetic_energy + stats.elastic_energy;
}

/* Whatever opens and closes, however far they were pulled, and at any step. */
Test(hard_limits, never_add_energy) {
  for (uint64_t seed = 1; seed <= (uint64_t)share_of(12); seed++) {
    catching list[HARD_LIMITS];
    msd_world *world = network_of_hard_limits(seed, seed % 2 ? 0 : 9, list);
    const msd_real dt = (msd_real)pow(10, -(double)(seed % 4));
    ok(world, msd_world_step(world, dt, 1)); /* which says what k is */
    const double begin = energy_of(world);
    double last = begin;
    for (int n = 0; n < 2000; n++) {
      ok(world, msd_world_step(world, dt, 1));
      const double now = energy_of(world);
      cr_assert_leq(now, last + begin * PRECISION, "seed %d, substep %d", (int)seed, n);
      last = now;
    }
    cr_expect_lt(last, 0.9 * begin, "seed %d: nothing was caught", (int)seed);
    msd_destroy_world(world);
  }
}

Test(hard_limits, keep_linear_momentum) {
  catching list[HARD_LIMITS];
  msd_world *world = network_of_hard_limits(3, 0, list);
  const msd_stats before = msd_world_get_stats(world);
  double scale = 0;
  for (int32_t i = 0; i < PARTICLES; i++)
    scale += (double)msd_particle_get_mass(world, i);
  ok(world, msd_world_step(world, 1, 500));
  const msd_stats after = msd_world_get_stats(world);
  for (int c = 0; c < 3; c++)
    cr_expect_float_eq(after.momentum[c], before.momentum[c], scale * PRECISION);
  msd_destroy_world(world);
}

/* Their impulses are along the line of both ends as it was before the substep. */
Test(hard_limits, struts_keep_angular_momentum) {
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  generator random = {.state = 5};
  for (int32_t i = 0; i < 12; i++) {
    add_particle(world, 1 + i % 3, random_unit(&random), random_unit(&random), random_unit(&random));
    set_velocity(world, i, random_unit(&random), random_unit(&random), random_unit(&random));
  }
  for (int32_t e = 0; e < 30; e++)
    add_spring(world, hard_limit_of(MSD_SPRING_COMPRESSION_ONLY, 0.5), e % 12,
               (e * 5 + 1 + e / 12) % 12 == e % 12 ? (e + 1) % 12 : (e * 5 + 1 + e / 12) % 12, 0.75);
  const msd_stats before = msd_world_get_stats(world);
  ok(world, msd_world_step(world, 1, 100));
  const msd_stats after = msd_world_get_stats(world);
  for (int c = 0; c < 3; c++)
    cr_expect_float_eq(after.angular_momentum[c], before.angular_momentum[c], 100 * PRECISION);
  msd_destroy_world(world);
}

/* ---------------------------------------------------------------------------------------- one catch alone */

/* The largest speed at which a particle comes back from a catch that it met with 10 m/s. */
static double speed_back(msd_spring_mode side, double share, double dt, double mass) {
  const bool is_strut = side == MSD_SPRING_COMPRESSION_ONLY;
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  if (mass > 0)
    add_particle(world, mass, 0, 0, 0);
  else
    add_pin(world, 0, 0, 0);
  add_particle(world, 1, is_strut ? 1.37 : 0.63, 0, 0);
  set_velocity(world, 1, is_strut ? -10 : 10, 0, 0);
  add_spring(world, hard_limit_of(side, share), 0, 1, 1);
  double most = -INFINITY;
  for (int n = 0; n < 400; n++) {
    ok(world, msd_world_step(world, (msd_real)dt, 1));
    const double speed =
        (double)msd_particle_get_velocity(world, 1).x - (double)msd_particle_get_velocity(world, 0).x;
    most = fmax(most, is_strut ? speed : -speed);
  }
  msd_destroy_world(world);
  return most;
}

Test(hard_limits, never_throw_back_faster_than_they_were_hit) {
  static const double shares[] = {0.001, 0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 1},
                      steps[] = {0.1, 0.01, 0.001};
  for (int side = MSD_SPRING_TENSION_ONLY; side <= MSD_SPRING_COMPRESSION_ONLY; side++)
    for (size_t s = 0; s < sizeof shares / sizeof *shares; s++)
      for (size_t t = 0; t < sizeof steps / sizeof *steps; t++)
        for (double mass = 0; mass <= 100; mass = mass > 0 ? 100 * mass : 0.01)
          cr_expect_leq(speed_back((msd_spring_mode)side, shares[s], steps[t], mass),
                        10 * (1 + 10 * PRECISION), "side %d, share %g, %g s, %g kg", side, shares[s],
                        steps[t], mass);
}

Test(hard_limits, that_are_exact_do_not_throw_back_at_all) {
  for (int side = MSD_SPRING_TENSION_ONLY; side <= MSD_SPRING_COMPRESSION_ONLY; side++)
    for (double mass = 0; mass <= 1; mass++)
      cr_expect_lt(speed_back((msd_spring_mode)side, 1, 0.0078125, mass), 0.01);
}

static msd_vec3 only_y(double y) {
  return (msd_vec3){0, (msd_real)y, 0};
}

Test(hard_limits, a_pendulum_on_an_exact_tether_keeps_its_length) {
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  ok(world, msd_world_set_gravity(world, only_y(-9.81)));
  add_pin(world, 0, 0, 0);
  add_particle(world, 3, 1, 0, 0);
  add_spring(world, hard_limit_of(MSD_SPRING_TENSION_ONLY, 1), 0, 1, 1);
  double most = 0;
  for (int n = 0; n < 2400; n++) {
    ok(world, msd_world_step(world, (msd_real)(1.0 / 1200), 1));
    most = fmax(most, (double)msd_spring_get_length(world, 0));
  }
  cr_expect_leq(most, 1 + 4 * EPSILON);
  msd_destroy_world(world);
}

/* Links of a chain at rest: what hangs below is n m g, and a link gives c m_e/dt^2 times what it is longer,
   with what its lower end would fall in the substep where the upper one is a pin. */
Test(hard_limits, a_chain_at_rest_is_as_long_as_statics_says) {
  enum { LINKS = 8 };
  const double g = 9.81, dt = 1.0 / 1024, share = 0.5;
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  ok(world, msd_world_set_gravity(world, only_y(-g)));
  ok(world, msd_world_set_linear_damping(world, 4));
  add_pin(world, 0, 0, 0);
  for (int i = 1; i <= LINKS; i++) {
    add_particle(world, 0.5, 0, -0.25 * i, 0);
    add_spring(world, hard_limit_of(MSD_SPRING_TENSION_ONLY, share), i - 1, i, 0.25);
  }
  for (int n = 0; n < 16; n++)
    ok(world, msd_world_step(world, 1, 1024));
  const double drop = g * dt * dt;
  for (int link = 0; link < LINKS; link++) {
    const int below = LINKS - link;
    const int hard_limits = link == 0 ? 2 : link == LINKS - 1 ? 3 : 4; /* w_a n_a + w_b n_b, in units of w */
    const double past = below * drop * hard_limits / share - (link == 0 ? drop : 0);
    cr_expect_float_eq((double)msd_spring_get_length(world, link) - 0.25, past, 1e-7 + 0.02 * past, "link %d",
                       link);
    cr_expect_float_eq((double)msd_spring_get_tension(world, link), below * 0.5 * g, 0.02 * below * 0.5 * g,
                       "link %d", link);
  }
  msd_destroy_world(world);
}

/* From one chord to the next the angle becomes atan(sin/(2 - cos)), which is less by its third power. */
Test(hard_limits, what_turns_on_a_tether_slows_down_as_computed) {
  const double dt = 1.0 / 256;
  double angle = 0.05, sum = 0;
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  add_pin(world, 0, 0, 0);
  add_particle(world, 1, 1, 0, 0);
  set_velocity(world, 1, -(1 - cos(angle)) / dt, sin(angle) / dt, 0);
  add_spring(world, hard_limit_of(MSD_SPRING_TENSION_ONLY, 1), 0, 1, 1);
  ok(world, msd_world_step(world, (msd_real)dt, 1));
  for (int n = 0; n < 20; n++) {
    sum += angle;
    angle = atan(sin(angle) / (2 - cos(angle)));
    const msd_vec3 x = msd_particle_get_position(world, 1);
    cr_expect_float_eq(atan2((double)x.y, (double)x.x), sum, 1e-3 * sum);
    ok(world, msd_world_step(world, (msd_real)dt, 1));
  }
  msd_destroy_world(world);
}

/* ------------------------------------------------------------------------------------ beside other springs */

/* A network with hard length limits that can never act. */
static msd_world *with_slack_hard_limits(const graph *g, const making *m, bool has_hard_limits,
                                         msd_integrator integrator) {
  msd_world *world = world_of(g, m);
  for (int32_t i = 0; i < g->particles && has_hard_limits; i += 3) {
    msd_spring_def def = hard_limit_of(i % 2 ? MSD_SPRING_COMPRESSION_ONLY : MSD_SPRING_TENSION_ONLY, 1);
    add_spring(world, def, i, (i + 50) % g->particles, i % 2 ? 0 : 1000);
  }
  ok(world, msd_world_set_integrator(world, integrator));
  return world;
}

Test(hard_limits, that_are_slack_change_no_bit_and_no_limit) {
  static const msd_integrator integrators[] = {MSD_SYMPLECTIC_EULER, MSD_SEQUENTIAL_IMPULSE};
  graph shapes[] = {graph_cloth(24, 21, CLOTH_BEND), graph_random(200, 600, 4), graph_rope(60, true)};
  for (int n = 0; n < 6; n++) {
    const making m = {LAWS_COEFFICIENT, .seed = 3, .pins = n % 3 != 1, .sides = n % 3 == 2 ? 0 : 5,
                      .breaks = 17};
    msd_world *without = with_slack_hard_limits(&shapes[n / 2], &m, false, integrators[n % 2]);
    msd_world *with = with_slack_hard_limits(&shapes[n / 2], &m, true, integrators[n % 2]);
    msd_stability alone, beside;
    ok(with, msd_world_analyze_stability(with, (msd_real)0.01, &beside));
    ok(without, msd_world_analyze_stability(without, (msd_real)0.01, &alone));
    cr_expect_eq(alone.radius, beside.radius);
    ok(without, msd_world_step(without, (msd_real)0.25, 32));
    ok(with, msd_world_step(with, (msd_real)0.25, 32));
    cr_expect_eq(first_difference(without, with), -1, "%d", n);
    msd_destroy_world(without);
    msd_destroy_world(with);
  }
  for (int n = 0; n < 3; n++)
    graph_free(&shapes[n]);
}

/* Springs at 0.98 of what is certified without the catches, lightly damped so that they make no energy of their
   own; the catches are of any share, and as many as there are springs. */
static double growth_beside_springs(uint64_t seed) {
  generator random = {.state = seed};
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  for (int32_t i = 0; i < 20; i++) {
    add_particle(world, exp(2 * random_unit(&random)), random_unit(&random), random_unit(&random),
                 random_unit(&random));
    set_velocity(world, i, random_unit(&random) - 0.5, random_unit(&random) - 0.5,
                 random_unit(&random) - 0.5);
  }
  for (int32_t e = 0; e < 50; e++) {
    msd_spring_def def = msd_default_spring_def();
    const int32_t a = random_below(&random, 20), b = (a + 1 + random_below(&random, 19)) % 20;
    def.stiffness = (msd_real)exp(4 * random_unit(&random));
    def.damping = (msd_real)0.1;
    add_spring(world, def, a, b, -1);
    add_spring(world,
               hard_limit_of(e % 2 ? MSD_SPRING_TENSION_ONLY : MSD_SPRING_COMPRESSION_ONLY,
                             0.01 + 0.99 * random_unit(&random)),
               a, (b + e) % 20 == a ? b : (b + e) % 20, random_unit(&random));
  }
  msd_stability limit;
  ok(world, msd_world_analyze_stability(world, 1, &limit));
  const msd_real dt = (msd_real)(0.98 * limit.stable_substep);
  ok(world, msd_world_step(world, dt, 1));
  const double begin = energy_of(world);
  double most = 0;
  for (int n = 0; n < 200; n++) {
    ok(world, msd_world_step(world, 10 * dt, 10));
    most = fmax(most, energy_of(world));
  }
  msd_destroy_world(world);
  return most / begin;
}

Test(hard_limits, no_network_explodes_at_the_limit_of_its_springs) {
  double worst = 0;
  for (uint64_t seed = 1; seed <= (uint64_t)share_of(400); seed++)
    worst = fmax(worst, growth_beside_springs(seed));
  cr_expect_lt(worst, 1.5, "%g", worst);
}

/* -------------------------------------------------------------------------------------------- what changes */

/* Broken catches leave their share of the mass to the others. */
Test(hard_limits, that_break_are_as_if_they_had_never_been) {
  msd_world *broken = new_world(MSD_SYMPLECTIC_EULER), *never = new_world(MSD_SYMPLECTIC_EULER);
  msd_world *worlds[2] = {broken, never};
  for (int n = 0; n < 2; n++) {
    add_pin(worlds[n], 0, 0, 0);
    add_particle(worlds[n], 1, 1, 0.5, 0);
    set_velocity(worlds[n], 1, 2, 1, 0);
    add_spring(worlds[n], hard_limit_of(MSD_SPRING_TENSION_ONLY, 1), 0, 1, 1);
    if (n == 0)
      add_spring(worlds[n], hard_limit_of(MSD_SPRING_TENSION_ONLY, 0.5), 1, 0, 0.5);
  }
  ok(broken, msd_spring_break(broken, 1));
  for (int n = 0; n < 2; n++)
    ok(worlds[n], msd_world_step(worlds[n], (msd_real)0.5, 32));
  cr_expect_eq(first_difference(broken, never), -1);
  cr_expect_eq(msd_spring_get_tension(broken, 1), 0);
  ok(broken, msd_spring_break(broken, 0));
  ok(broken, msd_world_step(broken, (msd_real)0.5, 32));
  msd_destroy_world(broken);
  msd_destroy_world(never);
}

Test(hard_limits, that_become_springs_and_back_are_as_made_anew) {
  graph g = graph_cloth(12, 12, CLOTH_SHEAR);
  const making m = {LAWS_COEFFICIENT, .seed = 3, .pins = true, .sides = 3, .hard_limits = true};
  msd_world *anew = world_of(&g, &m), *turned = world_of(&g, &m);
  ok(turned, msd_world_step(turned, (msd_real)0.001, 1));
  for (int32_t e = 0; e < g.springs; e++) {
    const msd_spring_def own = msd_spring_get_def(turned, e);
    msd_spring_def other = own;
    other.law = MSD_SPRING_STIFFNESS;
    ok(turned, msd_spring_set_law(turned, e, &other));
    if (e % 7 == 0)
      ok(turned, msd_world_step(turned, (msd_real)0.001, 1));
    ok(turned, msd_springs_set_law(turned, (msd_range){e, 1}, &own));
  }
  for (int32_t i = 0; i < g.particles; i++) {
    ok(turned, msd_particle_set_position(turned, i, msd_particle_get_position(anew, i)));
    ok(turned, msd_particle_set_velocity(turned, i, msd_particle_get_velocity(anew, i)));
  }
  ok(anew, msd_world_step(anew, (msd_real)0.125, 16));
  ok(turned, msd_world_step(turned, (msd_real)0.125, 16));
  cr_expect_eq(first_difference(anew, turned), -1);
  msd_destroy_world(anew);
  msd_destroy_world(turned);
  graph_free(&g);
}

Test(hard_limits, go_on_behind_a_snapshot) {
  graph g = graph_cloth(20, 20, CLOTH_SHEAR);
  const making m = {LAWS_COEFFICIENT, .seed = 3, .pins = true, .sides = 3, .breaks = 7, .hard_limits = true};
  msd_world *world = world_of(&g, &m), *restored = new_world(MSD_SYMPLECTIC_EULER);
  ok(world, msd_world_step(world, (msd_real)0.125, 16));
  snapshot s = snapshot_of(world);
  ok(restored, msd_world_restore(restored, s.data, s.size));
  cr_expect_eq(msd_world_hash(world), msd_world_hash(restored));
  ok(world, msd_world_step(world, (msd_real)0.125, 16));
  ok(restored, msd_world_step(restored, (msd_real)0.125, 16));
  cr_expect_eq(msd_world_hash(world), msd_world_hash(restored));
  free(s.data);
  msd_destroy_world(world);
  msd_destroy_world(restored);
  graph_free(&g);
}

Test(hard_limits, that_are_broken_may_have_another_law_and_rest_length) {
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  for (int i = 0; i < 4; i++)
    add_particle(world, 1, i, 0, 0);
  for (int i = 0; i < 3; i++)
    add_spring(world, hard_limit_of(MSD_SPRING_COMPRESSION_ONLY, 1), i, i + 1, 2);
  const msd_spring_def spring = msd_default_spring_def();
  for (int i = 0; i < 3; i++) {
    ok(world, msd_spring_break(world, i));
    ok(world, msd_world_step(world, (msd_real)0.125, 1));
    ok(world, msd_spring_set_law(world, i, &spring));
    ok(world, msd_spring_set_rest_length(world, i, 3));
    const msd_stats before = msd_world_get_stats(world);
    ok(world, msd_world_step(world, (msd_real)0.125, 1));
    cr_expect(i < 2 || msd_world_get_stats(world).kinetic_energy == before.kinetic_energy);
  }
  msd_destroy_world(world);
}

Test(hard_limits, follow_a_rest_length_that_is_set) {
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  add_particle(world, 1, 0, 0, 0);
  add_particle(world, 1, 1, 0, 0);
  add_spring(world, hard_limit_of(MSD_SPRING_COMPRESSION_ONLY, 1), 0, 1, 0.5);
  ok(world, msd_world_step(world, (msd_real)0.125, 1));
  ok(world, msd_spring_set_rest_length(world, 0, 2));
  ok(world, msd_world_step(world, (msd_real)0.125, 1));
  cr_expect_float_eq((double)msd_spring_get_length(world, 0), 2, 1e-6);
  msd_destroy_world(world);
}

/* An anchored particle that is caught goes on from where it was left. */
Test(hard_limits, hold_anchored_particles) {
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  add_pin(world, 0, 0, 0);
  add_particle(world, 1, 1, 0, 0);
  add_spring(world, hard_limit_of(MSD_SPRING_TENSION_ONLY, 1), 0, 1, 1);
  msd_soft_pin_def soft_pin = msd_default_soft_pin_def();
  soft_pin.particle = 1;
  soft_pin.position = (msd_vec3){3, 0, 0};
  soft_pin.frequency = 2;
  soft_pin.damping_ratio = 0;
  ok(world, msd_add_soft_pins(world, &soft_pin, 1, NULL));
  for (int n = 0; n < 200; n++) {
    ok(world, msd_world_step(world, (msd_real)0.0078125, 1));
    cr_assert_leq((double)msd_spring_get_length(world, 0), 1 + 4 * EPSILON);
  }
  cr_expect_float_eq((double)msd_particle_get_position(world, 1).x, 1, 1e-5);
  ok(world, msd_spring_break(world, 0));
  double most = 0;
  for (int n = 0; n < 200; n++) {
    ok(world, msd_world_step(world, (msd_real)0.0078125, 1));
    most = fmax(most, (double)msd_particle_get_position(world, 1).x);
  }
  cr_expect_float_eq(most, 5, 0.01); /* it swings about the soft pin from rest, 2 m away */
  msd_destroy_world(world);
}

/* Between two pins, from which it may not get further than 1 m, on an soft pin without damping that turns by up
   to nearly pi in a substep. It begins 0.25 m too far, which a catch makes a speed of 0.25 m in a substep. */
Test(hard_limits, stop_what_swings_on_the_max_stable_soft_pins) {
  for (double angle = 0.5; angle < 3.12; angle += 0.2)
    for (int way = 0; way < 3; way++) {
      const double dt = 1.0 / 128;
      msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
      add_pin(world, 0, 0, 0);
      add_particle(world, 1, 1.25, 0, 0);
      add_pin(world, 2, 0, 0);
      for (int n = 0; n < 1 + (way > 0); n++)
        add_spring(world, hard_limit_of(MSD_SPRING_TENSION_ONLY, way == 2 ? 0.25 : 1), 1, 2 * n, 1);
      msd_soft_pin_def soft_pin = msd_default_soft_pin_def();
      soft_pin.particle = 1;
      soft_pin.position = (msd_vec3){1, 0, 0};
      soft_pin.frequency = (msd_real)(angle / (2 * PI * dt));
      soft_pin.damping_ratio = 0;
      ok(world, msd_add_soft_pins(world, &soft_pin, 1, NULL));
      for (int n = 0; n < 1000; n++) {
        ok(world, msd_world_step(world, (msd_real)dt, 1));
        const double x = (double)msd_particle_get_position(world, 1).x;
        cr_assert_leq(fabs(x - 1), 0.25 * (1 + 1 / angle), "angle %g, way %d, substep %d", angle, way, n);
      }
      msd_destroy_world(world);
    }
}

Test(hard_limits, without_memory_a_step_is_refused_and_nothing_lost) {
  bool done = false;
  for (int left = 0; !done; left++) {
    scarce s = {.left = 1000};
    msd_world_def def = msd_default_world_def();
    def.allocator = scarce_allocator(&s);
    msd_world *world = world_from_def(&def);
    graph g = graph_cloth(6, 6, CLOTH_SHEAR);
    populate(world, &g, &(making){LAWS_COEFFICIENT, .seed = 3, .sides = 3, .hard_limits = true});
    const uint64_t hash = msd_world_hash(world);
    s.left = left;
    const msd_result result = msd_world_step(world, (msd_real)0.125, 16);
    done = result == MSD_OK;
    cr_expect(done || (result == MSD_OUT_OF_MEMORY && msd_world_hash(world) == hash), "%d requests", left);
    s.left = 1000;
    ok(world, msd_world_step(world, (msd_real)0.125, 16));
    cr_assert_lt(left, 200);
    graph_free(&g);
    msd_destroy_world(world);
    cr_expect_eq(s.in_use, 0);
  }
}

Test(hard_limits, need_an_integrator_that_has_them) {
  for (int n = 0; n < MSD_INTEGRATOR_COUNT; n++) {
    const msd_integrator integrator = (msd_integrator)n;
    const bool has = integrator == MSD_SYMPLECTIC_EULER || integrator == MSD_SEQUENTIAL_IMPULSE;
    msd_world *world = new_world(integrator);
    add_particle(world, 1, 0, 0, 0);
    add_particle(world, 1, 1, 0, 0);
    add_spring(world, msd_default_spring_def(), 0, 1, 1);
    add_spring(world, hard_limit_of(MSD_SPRING_COMPRESSION_ONLY, 1), 0, 1, 0.5);
    cr_expect_eq(msd_world_step(world, (msd_real)0.125, 1), has ? MSD_OK : MSD_BAD_VALUE);
    cr_expect(has || strstr(msd_world_message(world), "hard length limits need integrator"), "%s",
              msd_world_message(world));
    msd_stability limit;
    ok(world, msd_world_analyze_stability(world, 1, &limit));
    cr_expect(has || limit.integrator_stable_substep[n] == 0);
    if (n % 2) {
      ok(world, msd_spring_break(world, 1));
    } else {
      const msd_spring_def spring = msd_default_spring_def();
      ok(world, msd_spring_set_law(world, 1, &spring));
    }
    cr_expect_eq(msd_world_step(world, (msd_real)0.125, 1), MSD_OK);
    msd_destroy_world(world);
  }
}
