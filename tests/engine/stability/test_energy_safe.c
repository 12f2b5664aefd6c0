/* Up to which step the energy of a network at rest lengths can only fall. The oracle is the quadratic form
   2 B - B^2 - A of the whole network, A = dt^2 K and B = dt D over the masses, from dense matrices. */
#include "tests/support/rotors.h"
#include "tests/support/true_limit.h"

enum { PARTICLES = 7, SIDE = 3 * PARTICLES };

/* dt^2 k and dt mu of a spring, in kg. */
typedef struct loads {
  double stiff, damped;
} loads;

static loads loads_of(const msd_world *world, int32_t spring, double dt) {
  const msd_spring_def def = msd_spring_get_def(world, spring);
  const double reduced = 1 / (inverse_mass(world, def.a) + inverse_mass(world, def.b));
  const double w = 2 * PI * (double)def.frequency * dt;
  const double share = 1 / (inverse_mass(world, def.a) * springs_at(world, def.a) +
                            inverse_mass(world, def.b) * springs_at(world, def.b));
  if (def.law == MSD_SPRING_COEFFICIENT)
    return (loads){def.ck < 0 ? share : reduced * (double)def.ck,
                   def.cd < 0 ? share : reduced * (double)def.cd};
  if (def.law == MSD_SPRING_FREQUENCY)
    return (loads){reduced * w * w, reduced * 2 * (double)def.damping_ratio * w};
  return (loads){dt * dt * (double)def.stiffness, dt * (double)def.damping};
}

static void add_spring_to(double m[SIDE][SIDE], const msd_world *world, int32_t spring, double load) {
  const msd_spring_def def = msd_spring_get_def(world, spring);
  const msd_vec3 a = msd_particle_get_position(world, def.a), b = msd_particle_get_position(world, def.b);
  const double d[3] = {(double)a.x - (double)b.x, (double)a.y - (double)b.y, (double)a.z - (double)b.z};
  const double square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
  const int32_t ends[2] = {def.a, def.b};
  for (int p = 0; p < 2; p++)
    for (int q = 0; q < 2; q++) {
      const double w = sqrt(inverse_mass(world, ends[p]) * inverse_mass(world, ends[q])) * (p == q ? 1 : -1);
      for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++)
          m[3 * ends[p] + r][3 * ends[q] + c] += w * load * d[r] * d[c] / square;
    }
}

/* The least eigenvalue of 2 B - B^2 - A at rest lengths: below 0 some state gains energy in a step. */
static double least_loss(const msd_world *world, double dt) {
  static double a[SIDE][SIDE], b[SIDE][SIDE], loss[SIDE][SIDE];
  const int n = 3 * msd_world_get_particle_count(world);
  cr_assert_leq(n, SIDE);
  memset(a, 0, sizeof a);
  memset(b, 0, sizeof b);
  for (int32_t s = 0; s < msd_world_get_spring_count(world); s++) {
    const loads l = loads_of(world, s, dt);
    add_spring_to(a, world, s, l.stiff);
    add_spring_to(b, world, s, l.damped);
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double squared = 0;
      for (int k = 0; k < n; k++)
        squared += b[i][k] * b[k][j];
      loss[i][j] = 2 * b[i][j] - squared - a[i][j];
    }
  return spectrum_of(&loss[0][0], n, SIDE).least;
}

static double safe_step(const msd_world *world) {
  return report_of(world, 0.01).energy_safe_substep;
}

static msd_spring_def random_law(generator *g, int law) {
  const double first = 1.5 + (double)random_real(g), second = 1.5 + (double)random_real(g);
  if (law == 0)
    return physical(200 * first, 2 * second);
  if (law == 1)
    return coefficient(0.1 * first, 0.2 * second);
  return frequency(3 * first, 0.3 * second);
}

/* Masses over a factor of ten, springs between any two particles, one pin; law 3 mixes them. */
static msd_world *penetration(uint64_t seed, int law) {
  generator g = {.state = seed};
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  for (int i = 0; i < PARTICLES; i++) {
    const msd_vec3 x = random_vector(&g, 1);
    add_particle(world, 1.1 + (double)random_real(&g), (double)x.x + 3 * i, (double)x.y, (double)x.z);
  }
  for (int32_t i = 0; i < 2 * PARTICLES; i++) {
    const int32_t a = i % PARTICLES, b = (a + 1 + random_below(&g, PARTICLES - 1)) % PARTICLES;
    add_spring(world, random_law(&g, law < 3 ? law : random_below(&g, 3)), a, b, (double)MSD_AS_PLACED);
  }
  if (seed % 2 == 0)
    ok(world, msd_particle_pin(world, 0));
  return world;
}

Test(energy_safe, no_state_of_a_random_network_gains_energy_at_a_step_that_is_safe) {
  for (uint64_t seed = 1; seed <= 40; seed++) {
    msd_world *world = penetration(seed, (int)(seed % 4));
    const double step = safe_step(world), dt = isfinite(step) ? step : 1;
    cr_expect_leq(step, report_of(world, 0.01).stable_substep);
    if (seed % 2 == 0) /* coefficients may be too large at any step */
      cr_expect(step > 0 && isfinite(step), "network %d: %g", (int)seed, step);
    if (step > 0)
      for (double part = 1; part > 0.01; part /= 3)
        cr_expect_geq(least_loss(world, part * dt), -1e-6, "network %d at %g of %g s", (int)seed, part, step);
    cr_expect(step == 0 || report_of(world, 0.999 * dt).energy_safe);
    cr_expect(isinf(step) || !report_of(world, 1.001 * step + 1e-9).energy_safe);
    msd_destroy_world(world);
  }
}

/* kappa = delta (2 - delta) of the reduced mass. */
Test(energy_safe, of_one_spring_it_is_the_classical_limit) {
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  add_particle(world, 2, 0, 0, 0);
  add_particle(world, 6, 1, 0, 0);
  add_spring(world, physical(300, 4), 0, 1, 1);
  const double k = 300 / 1.5, mu = 4 / 1.5, dt = safe_step(world);
  cr_expect_float_eq(dt * dt * k, dt * mu * (2 - dt * mu), 1e-6 * dt * dt * k);
  msd_destroy_world(world);
}

/* Four particles in a ring, folded onto a line: the bound of the radius is the radius, and all springs have one
   ratio of stiffness and damping. */
Test(energy_safe, there_are_networks_that_gain_energy_just_above) {
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  for (int i = 0; i < 4; i++)
    add_particle(world, 1, i % 2, 0, 0);
  for (int i = 0; i < 4; i++)
    add_spring(world, physical(100, 3), i, (i + 1) % 4, 1);
  const double dt = safe_step(world);
  cr_expect_geq(least_loss(world, dt), -1e-7);
  cr_expect_lt(least_loss(world, 1.01 * dt), -1e-4);
  msd_destroy_world(world);
}

Test(energy_safe, the_max_stable_springs_are_at_every_step) {
  for (uint64_t seed = 1; seed <= 10; seed++) {
    msd_world *world = penetration(seed, 1);
    const msd_spring_def max_stable = msd_default_spring_def();
    for (int32_t s = 0; s < msd_world_get_spring_count(world); s++)
      ok(world, msd_spring_set_law(world, s, &max_stable));
    cr_expect_eq(safe_step(world), INFINITY);
    cr_expect(report_of(world, 1e6).energy_safe);
    cr_expect_geq(least_loss(world, 1), -1e-6);
    msd_destroy_world(world);
  }
}

Test(energy_safe, no_step_is_where_something_is_stiff_and_not_damped) {
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  for (int i = 0; i < 3; i++)
    add_particle(world, 1, i, 0, 0);
  add_spring(world, physical(100, 1), 0, 1, 1);
  cr_expect_gt(safe_step(world), 0);
  const int32_t undamped = msd_world_get_spring_count(world);
  add_spring(world, physical(1, 0), 1, 2, 1);
  cr_expect_eq(safe_step(world), 0);
  cr_expect_not(report_of(world, 1e-9).energy_safe);
  cr_expect_lt(least_loss(world, 1e-3), 0);
  ok(world, msd_spring_break(world, undamped));
  cr_expect_gt(safe_step(world), 0);
  msd_soft_pin_def soft_pin = msd_default_soft_pin_def();
  soft_pin.particle = 0;
  ok(world, msd_add_soft_pins(world, &soft_pin, 1, NULL));
  cr_expect_eq(safe_step(world), 0, "nothing is proven of soft pins");
  msd_destroy_world(world);
}

Test(energy_safe, what_only_damps_is_safe_up_to_half_of_its_limit_over_all) {
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  add_particle(world, 1, 0, 0, 0);
  add_particle(world, 1, 1, 0, 0);
  cr_expect_eq(safe_step(world), INFINITY, "nothing is joined");
  add_spring(world, physical(0, 5), 0, 1, 1);
  cr_expect_float_eq(safe_step(world), 2 / (5.0 * 2), 1e-6);
  msd_destroy_world(world);
}

/* k and mu at their shares over dt^2 and dt are the stiffest springs. */
Test(energy_safe, with_the_limit_it_is_of_what_is_left_of_the_springs) {
  msd_world *world = penetration(3, 0);
  ok(world, msd_world_set_clamp_stiffness(world, true));
  const double step = safe_step(world);
  cr_expect(step > 0 && isfinite(step));
  cr_expect(report_of(world, 0.99 * step).energy_safe);
  cr_expect(report_of(world, 1e4).energy_safe, "all are softened to the stiffest");
  const msd_spring_def undamped = physical(100, 0);
  for (int32_t s = 0; s < msd_world_get_spring_count(world); s++)
    ok(world, msd_spring_set_law(world, s, &undamped));
  cr_expect_not(report_of(world, 1e4).energy_safe);
  msd_destroy_world(world);
}

/* The law of a constraint counts as that of a spring along its gradient. */
Test(energy_safe, constraints_count_as_they_are_damped) {
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  for (int i = 0; i < 3; i++)
    add_particle(world, 1, i, i == 1, 0);
  msd_constraint_def def = msd_default_constraint_def();
  def.kind = MSD_CONSTRAINT_AREA;
  for (int n = 0; n < 3; n++)
    def.particles[n] = n;
  def.law = MSD_SPRING_STIFFNESS;
  def.stiffness = 50;
  def.damping = 0;
  int32_t area;
  ok(world, msd_add_constraints(world, &def, 1, &area));
  cr_expect_eq(safe_step(world), 0);
  def.damping = 2;
  ok(world, msd_constraint_set_law(world, area, &def));
  /* Its gradients have lengths of half the opposite sides; the margin of 2 makes it shorter. */
  const double radius = 2 * (2 + 2 + 4) / 4.0, exact = 2 / (50.0 / 2 + radius);
  cr_expect_leq(safe_step(world), exact * (1 + 1e-6));
  cr_expect_gt(safe_step(world), 0.25 * exact);
  def.law = MSD_SPRING_COEFFICIENT;
  def.ck = def.cd = MSD_MAX_STABLE;
  ok(world, msd_constraint_set_law(world, area, &def));
  cr_expect_eq(safe_step(world), INFINITY);
  msd_destroy_world(world);
}

/* ------------------------------------------------------------------------------------------------ in motion */

static double energy_of(const msd_world *world) {
  const msd_stats stats = msd_world_get_stats(world);
  return stats.kinetic_energy + stats.elastic_energy;
}

/* The most that a step adds, as a part of the energy at the start. */
static double largest_gain(msd_world *world, double dt, int steps) {
  const double start = energy_of(world);
  double most = -INFINITY;
  for (int n = 0; n < steps; n++) {
    const double before = energy_of(world);
    ok(world, msd_world_step(world, (msd_real)dt, 1));
    most = fmax(most, (energy_of(world) - before) / start);
  }
  return most;
}

/* Masses in a line that move along it are linear. */
static msd_world *line(uint64_t seed, double damping) {
  generator g = {.state = seed};
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  for (int i = 0; i < PARTICLES; i++)
    add_particle(world, 1.5 + (double)random_real(&g), i, 0, 0);
  for (int i = 0; i + 1 < PARTICLES; i++) {
    add_spring(world, physical(100 * (1.5 + (double)random_real(&g)), damping), i, i + 1, 1);
    ok(world, msd_particle_set_velocity(world, i, (msd_vec3){random_real(&g), 0, 0}));
  }
  return world;
}

Test(energy_safe, a_line_in_motion_loses_energy_in_each_safe_step) {
  for (uint64_t seed = 1; seed <= 8; seed++) {
    msd_world *world = line(seed, 4);
    const double gain = largest_gain(world, safe_step(world), 300);
    cr_expect_leq(gain, 1e-6, "line %d gains %g", (int)seed, gain);
    msd_destroy_world(world);
  }
}

Test(energy_safe, a_line_that_is_stable_and_not_safe_gains_energy_in_some_step) {
  msd_world *world = line(1, 0.1);
  const double limit = report_of(world, 0.01).stable_substep;
  cr_expect_lt(safe_step(world), 0.1 * limit);
  cr_expect_gt(largest_gain(world, 0.9 * limit, 300), 0.01);
  msd_destroy_world(world);
}

Test(energy_safe, rotors_lose_energy_in_each_safe_step) {
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  add_rotor(world, 1, 1, 0);
  add_rotor(world, 3, -1, 2);
  add_angular(world, angular(60, 5), 0, 1, 0);
  const double k = 60 * (1 + 1 / 3.0), mu = 5 * (1 + 1 / 3.0), dt = safe_step(world);
  cr_expect_float_eq(dt * dt * k, dt * mu * (2 - dt * mu), 1e-6 * dt * dt * k);
  cr_expect_leq(largest_gain(world, dt, 300), 1e-6);
  msd_destroy_world(world);
}
