/* Laws of mechanics that whole networks keep, seen through the public interface alone. The reference values
   are closed forms, which each test states. */
#include "tests/support/laboratory.h"

#include <string.h>

/* ------------------------------------------------------------------------------------------ conservation */

static uint32_t next_random(uint32_t *state) {
  *state = *state * 1664525u + 1013904223u;
  return *state >> 8;
}

static double uniform(uint32_t *state, double low, double high) {
  return low + (high - low) * next_random(state) / 0x1p24;
}

/* A cloth, for springs between neighbors in memory, and springs across it, all damped; moving and turning at
   random. */
static msd_world *penetration(msd_integrator integrator, int32_t columns, int32_t rows, int across) {
  msd_world *world = new_world(integrator);
  msd_cloth_def def = msd_default_cloth_def();
  def.columns = columns;
  def.rows = rows;
  def.mass = (msd_real)(columns * rows) / 10;
  def.stretch = def.shear = physical(40, 0.5);
  ok(world, msd_add_cloth(world, &def, NULL));
  uint32_t random = 12345;
  const int32_t n = msd_world_get_particle_count(world);
  for (int32_t i = 0; i < n; i++) {
    set_velocity(world, i, uniform(&random, -1, 2), uniform(&random, -2, 1), uniform(&random, -1, 1));
    ok(world, msd_particle_set_mass(world, i, (msd_real)uniform(&random, 0.05, 0.5)));
  }
  for (int s = 0; s < across; s++) {
    const int32_t a = (int32_t)(next_random(&random) % (uint32_t)n);
    const int32_t b = (a + 1 + (int32_t)(next_random(&random) % (uint32_t)(n - 1))) % n;
    add_spring(world, physical(uniform(&random, 1, 20), uniform(&random, 0, 0.3)), a, b,
               uniform(&random, 0, 1));
  }
  return world;
}

static void check_momenta(msd_world *world, double frame_time, bool exactly) {
  const msd_integrator integrator = msd_world_get_integrator(world);
  const msd_stats before = msd_world_get_stats(world);
  double scale = 0, arm = 0; /* what the momenta are sums of */
  for (int32_t i = 0; i < before.particles; i++) {
    const msd_vec3 v = msd_particle_get_velocity(world, i), x = msd_particle_get_position(world, i);
    const double speed = hypot(hypot((double)v.x, (double)v.y), (double)v.z);
    scale += (double)msd_particle_get_mass(world, i) * speed;
    arm = largest(arm, hypot(hypot((double)x.x, (double)x.y), (double)x.z));
  }
  const int steps = 500;
  for (int n = 0; n < steps; n++)
    step(world, frame_time, 1);
  const msd_stats after = msd_world_get_stats(world);
  const double drift = 4 * EPSILON * sqrt(steps) * scale;
  cr_expect_lt(after.kinetic_energy + after.elastic_energy,
               0.9 * (before.kinetic_energy + before.elastic_energy), "the springs do damp");
  for (int c = 0; c < 3; c++) {
    cr_expect(fabs(after.momentum[c] - before.momentum[c]) < drift, "%s: momentum %d changed by %.3e of %.3e",
              msd_integrator_name(integrator), c, after.momentum[c] - before.momentum[c], scale);
    if (exactly)
      cr_expect(fabs(after.angular_momentum[c] - before.angular_momentum[c]) < 4 * arm * drift,
                "%s: angular momentum %d changed by %.3e of %.3e", msd_integrator_name(integrator), c,
                after.angular_momentum[c] - before.angular_momentum[c], scale * arm);
  }
  msd_destroy_world(world);
}

/* Spring forces are central and opposite, damping too. Symplectic Euler keeps both momenta to round-off. */
Test(physics, momentum_and_angular_momentum_stay_without_pins_and_gravity) {
  check_momenta(penetration(MSD_SYMPLECTIC_EULER, 12, 9, 300), 1e-3, true);
  check_momenta(penetration(MSD_SYMPLECTIC_EULER, 40, 30, 0), 1e-3,
                true); /* each size and share of springs between */
  check_momenta(penetration(MSD_SYMPLECTIC_EULER, 40, 30, 600), 1e-3,
                true); /* neighbors is stepped in its own way */
  check_momenta(penetration(MSD_SYMPLECTIC_EULER, 40, 30, 9000), 2e-4, true);
}

Test(physics, momentum_stays_by_every_integrator) {
  check_momenta(penetration(MSD_EXPLICIT_EULER, 12, 9, 300), 1e-3, false);
  check_momenta(penetration(MSD_VELOCITY_VERLET, 12, 9, 300), 1e-3, false);
  check_momenta(penetration(MSD_RK4, 12, 9, 300), 1e-3, false);
}

/* x_n = x0 + n dt v0 + (n dt)^2 g/2, exactly: every number here is a small multiple of a power of two. */
Test(physics, free_fall_is_exact) {
  const double dt = 0x1p-6, x0[3] = {-3, 100.25, 0.5}, v0[3] = {1.25, 8, -0.5}, g[3] = {0.5, -8, 0};
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  ok(world, msd_world_set_gravity(world, (msd_vec3){(msd_real)g[0], (msd_real)g[1], (msd_real)g[2]}));
  static const double masses[] = {1, 0.1, 1e6, 1e-6};
  for (int i = 0; i < 4; i++)
    set_velocity(world, add_particle(world, masses[i], x0[0], x0[1], x0[2]), v0[0], v0[1], v0[2]);
  for (int n = 1; n <= 1000; n += n % 3 + 1) {
    while (msd_world_get_steps(world) < n) {
      const int left = (int)(n - msd_world_get_steps(world));
      step(world, left * dt, left);
    }
    cr_assert_eq(msd_world_get_steps(world), n);
    for (int32_t i = 0; i < 4; i++)
      for (int c = 0; c < 3; c++) {
        const double x = x0[c] + n * dt * v0[c] + dt * dt * g[c] * (0.5 * n * n);
        cr_assert(component(msd_particle_get_position(world, i), c) == x,
                  "step %d particle %d: %.17g, not %.17g", n, (int)i,
                  component(msd_particle_get_position(world, i), c), x);
        cr_assert(component(msd_particle_get_velocity(world, i), c) == v0[c] + n * dt * g[c]);
      }
  }
  msd_destroy_world(world);
}

/* A force acts during all substeps of one step and is then gone: n substeps give v = n h F/m and
   x = (n h)^2 F/m/2, here exactly. */
Test(physics, a_force_acts_during_one_step) {
  const double h = 0x1p-6;
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  add_particle(world, 2, 0, 0, 0);
  ok(world, msd_particle_apply_force(world, 0, (msd_vec3){16, 0, -8}));
  ok(world, msd_particle_apply_force(world, 0, (msd_vec3){0, 64, 0})); /* they add up */
  step(world, 4 * h, 4);
  const double a[3] = {8, 32, -4};
  for (int c = 0; c < 3; c++) {
    cr_expect_eq(component(msd_particle_get_velocity(world, 0), c), 4 * h * a[c]);
    cr_expect_eq(component(msd_particle_get_position(world, 0), c), 8 * h * h * a[c]);
  }
  step(world, h, 1);
  for (int c = 0; c < 3; c++)
    cr_expect_eq(component(msd_particle_get_velocity(world, 0), c), 4 * h * a[c]);
  msd_destroy_world(world);
}

/* A pin that moves pulls by the stretch it makes and by the damping of its velocity V: from rest, one substep
   of h gives the particle v = (h/m) mu V, since the stretch begins at zero. */
Test(physics, springs_feel_the_velocity_of_a_pin_that_moves) {
  const double h = 0x1p-5, m = 4, mu = 2, velocity = 3;
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  const int32_t pin = add_pin(world, 0, 0, 0);
  add_particle(world, m, 1, 0, 0);
  add_spring(world, physical(1000, mu), 0, 1, 1);
  ok(world, msd_particle_move_to(world, pin, (msd_vec3){(msd_real)(h * velocity), 0, 0}));
  step(world, h, 1);
  cr_expect_eq((double)msd_particle_get_velocity(world, 1).x, h / m * mu * velocity);
  cr_expect_eq((double)msd_particle_get_position(world, pin).x, h * velocity);
  cr_expect_eq((double)msd_particle_get_velocity(world, pin).x, 0, "it has arrived");
  step(world, h, 1);
  cr_expect_eq((double)msd_particle_get_position(world, pin).x, h * velocity, "and stays");
  msd_destroy_world(world);
}

/* v = v0 exp(-drag t) exactly, so also at steps where 1 - drag dt would turn it around. */
Test(physics, linear_damping_is_applied_exactly) {
  static const double drags[] = {0.5, 20, 2000};
  static const double steps[] = {0.25, 0.0625, 0.015625};
  for (int d = 0; d < 3; d++)
    for (int s = 0; s < 3; s++) {
      msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
      ok(world, msd_world_set_linear_damping(world, (msd_real)drags[d]));
      set_velocity(world, add_particle(world, 1, 0, 0, 0), 8, 0, 0);
      for (int n = 0; n < lround(0.5 / steps[s]); n++)
        step(world, steps[s], 1);
      const double v = 8 * exp(-drags[d] * 0.5);
      cr_expect_float_eq((double)msd_particle_get_velocity(world, 0).x, v, 64 * EPSILON * 8 * (v + 1e-3),
                         "drag %g step %g: %g, not %g", drags[d], steps[s],
                         (double)msd_particle_get_velocity(world, 0).x, v);
      msd_destroy_world(world);
    }
}

/* ---------------------------------------------------------------------------- energies of linear networks */

enum { LINE = 8 };

/* Particles on a line between two pins one meter apart each, displaced and moving along it: a linear network,
   whose matrices are tridiagonal. */
typedef struct line {
  msd_world *world;
  double mass[LINE], stiffness[LINE + 1], damping[LINE + 1];
} line;

static line new_line(double damping) {
  line l = {.world = new_world(MSD_SYMPLECTIC_EULER)};
  uint32_t random = 99;
  add_pin(l.world, 0, 0, 0);
  for (int i = 0; i < LINE; i++) {
    l.mass[i] = (double)(msd_real)uniform(&random, 0.5, 2);
    add_particle(l.world, l.mass[i], i + 1 + uniform(&random, -0.2, 0.2), 0, 0);
    set_velocity(l.world, i + 1, uniform(&random, -1, 1), 0, 0);
  }
  add_pin(l.world, LINE + 1, 0, 0);
  for (int s = 0; s <= LINE; s++) {
    l.stiffness[s] = (double)(msd_real)uniform(&random, 20, 80);
    l.damping[s] = (double)(msd_real)(damping * uniform(&random, 0.5, 1));
    add_spring(l.world, physical(l.stiffness[s], l.damping[s]), s, s + 1, 1);
  }
  return l;
}

static void line_state(const line *l, double x[LINE], double v[LINE]) {
  for (int i = 0; i < LINE; i++) {
    x[i] = (double)msd_particle_get_position(l->world, i + 1).x - (i + 1);
    v[i] = (double)msd_particle_get_velocity(l->world, i + 1).x;
  }
}

/* a' K b for the chain with spring constants `k`. */
static double form(const double k[LINE + 1], const double a[LINE], const double b[LINE]) {
  double sum = 0;
  for (int s = 0; s <= LINE; s++) {
    const double left_a = s > 0 ? a[s - 1] : 0, right_a = s < LINE ? a[s] : 0;
    const double left_b = s > 0 ? b[s - 1] : 0, right_b = s < LINE ? b[s] : 0;
    sum += k[s] * (right_a - left_a) * (right_b - left_b);
  }
  return sum;
}

/* H = 1/2 v'Mv - dt/4 v'Dv + 1/2 x'Kx - dt/2 v'Kx */
static double line_energy(const line *l, double dt, const double x[LINE], const double v[LINE]) {
  double kinetic = 0;
  for (int i = 0; i < LINE; i++)
    kinetic += 0.5 * l->mass[i] * v[i] * v[i];
  return kinetic - dt / 4 * form(l->damping, v, v) + 0.5 * form(l->stiffness, x, x) -
         dt / 2 * form(l->stiffness, v, x);
}

Test(physics, an_undamped_linear_network_keeps_its_energy_at_any_stable_step) {
  static const double steps[] = {0.01, 0.05, 0.09}; /* the last close to the limit */
  for (int s = 0; s < 3; s++) {
    line l = new_line(0);
    double x[LINE], v[LINE];
    line_state(&l, x, v);
    const double first = line_energy(&l, steps[s], x, v);
    for (int n = 0; n < 2000; n++) {
      step(l.world, steps[s], 1);
      line_state(&l, x, v);
      const double now = line_energy(&l, steps[s], x, v);
      cr_assert(fabs(now - first) < 400 * EPSILON * LINE * first, "dt %g step %d: %.9g, not %.9g", steps[s],
                n, now, first);
    }
    msd_destroy_world(l.world);
  }
}

/* Each step H falls by dt/4 (v+ + v)' D (v+ + v). */
Test(physics, a_damped_linear_network_loses_energy_by_its_law) {
  static const double steps[] = {0.01, 0.05};
  for (int s = 0; s < 2; s++) {
    const double dt = steps[s];
    line l = new_line(1);
    double x[LINE], v[LINE], next_x[LINE], next_v[LINE], both[LINE];
    line_state(&l, x, v);
    for (int n = 0; n < 100; n++) {
      step(l.world, dt, 1);
      line_state(&l, next_x, next_v);
      for (int i = 0; i < LINE; i++)
        both[i] = v[i] + next_v[i];
      const double before = line_energy(&l, dt, x, v), after = line_energy(&l, dt, next_x, next_v);
      const double loss = dt / 4 * form(l.damping, both, both);
      cr_assert(fabs(before - after - loss) < 100 * EPSILON * LINE * largest(before, 1),
                "step %d: lost %.9g, not %.9g", n, before - after, loss);
      memcpy(x, next_x, sizeof x);
      memcpy(v, next_v, sizeof v);
    }
    msd_destroy_world(l.world);
  }
}

/* -------------------------------------------------------------------------------------- modes of chains */

/* One mode of a chain of N masses along a line, started from rest. Symplectic Euler keeps the shape, and the
   amplitude is exactly A cos((n + 1/2) phi)/cos(phi/2) after n steps with phi = 2 asin(w dt/2): the frequency w
   of the chain times the known shift 2 asin(th/2)/th. */
static void check_mode(int n, bool free_end, int j, double fastest_th) {
  const double k = 64, m = 0.5;
  const double angle = free_end ? (2 * j - 1) * PI / (2 * n + 1) : j * PI / (n + 1);
  const double w = 2 * sqrt(k / m) * sin(angle / 2), amplitude = 0.125;
  const double dt = (double)(msd_real)(fastest_th / (2 * sqrt(k / m))), th = w * dt, phi = 2 * asin(th / 2);
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  const double middle = 0.5 * n; /* keeps coordinates, and so their rounding, small */
  add_pin(world, -middle, 0, 0);
  for (int i = 1; i <= n; i++)
    add_particle(world, m, i - middle + amplitude * sin(i * angle), 0, 0);
  for (int i = 0; i < n; i++)
    add_spring(world, physical(k, 0), i, i + 1, 1);
  if (!free_end)
    add_spring(world, physical(k, 0), n, add_pin(world, n + 1 - middle, 0, 0), 1);
  double square = 0;
  for (int i = 1; i <= n; i++)
    square += sin(i * angle) * sin(i * angle);
  for (int s = 1; s <= 200; s++) {
    step(world, dt, 1);
    double projection = 0, rest = 0;
    for (int i = 1; i <= n; i++)
      projection += ((double)msd_particle_get_position(world, i).x - (i - middle)) * sin(i * angle);
    const double q = projection / square;
    for (int i = 1; i <= n; i++)
      rest = largest(rest,
                     fabs((double)msd_particle_get_position(world, i).x - (i - middle) - q * sin(i * angle)));
    const double expected = amplitude * cos((s + 0.5) * phi) / cos(phi / 2);
    const double tolerance = 2 * EPSILON * (n + 4) * (s + 8) / sqrt(1 - fastest_th * fastest_th / 4);
    cr_assert(fabs(q - expected) < tolerance && rest < tolerance,
              "N %d mode %d th %g step %d: amplitude %.9g, not %.9g; beside the mode %.3e", n, j, th, s, q,
              expected, rest);
  }
  msd_destroy_world(world);
}

static void check_modes(bool free_end) {
  static const int sizes[] = {1, 2, 5, 20};
  for (int s = 0; s < 4; s++)
    for (int j = 1; j <= sizes[s]; j++) {
      check_mode(sizes[s], free_end, j, 0.1);
      check_mode(sizes[s], free_end, j, 1);
      check_mode(sizes[s], free_end, j, 1.9); /* no mode is faster than 2 sqrt(k/m), and 2 is the limit */
    }
}

Test(physics, chains_between_pins_swing_in_their_modes) {
  check_modes(false);
}

Test(physics, chains_with_a_free_end_swing_in_their_modes) {
  check_modes(true);
}

/* ------------------------------------------------------------------------------------- chains that hang */

/* Lets a world settle: the drag takes the velocities and has no part in the place of rest. */
static void settle(msd_world *world, double drag, double frame_time, double seconds) {
  ok(world, msd_world_set_linear_damping(world, (msd_real)drag));
  const int frames = 50, substeps = (int)ceil(seconds / frames / frame_time);
  for (int f = 0; f < frames; f++)
    step(world, seconds / frames, substeps);
}

/* N masses on N springs below a pin: the whole stretch is m g N (N+1)/(2k). */
Test(physics, a_hanging_chain_stretches_by_the_sum_of_its_loads) {
  static const int sizes[] = {1, 4, 16};
  for (int s = 0; s < 3; s++) {
    const int n = sizes[s];
    const double m = 0.125, k = 500, g = 10;
    msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
    ok(world, msd_world_set_gravity(world, (msd_vec3){0, (msd_real)-g, 0}));
    add_pin(world, 0, 0, 0);
    for (int i = 1; i <= n; i++) {
      add_particle(world, m, 0, -0.25 * i, 0);
      add_spring(world, physical(k, 0.5), i - 1, i, 0.25);
    }
    const double slowest = 2 * sqrt(k / m) * sin(PI / (2 * (2 * n + 1)));
    settle(world, 2 * slowest, 0x1p-9, 30 / slowest);
    const double stretch = -(double)msd_particle_get_position(world, n).y - 0.25 * n;
    const double expected = m * g * n * (n + 1) / (2 * k);
    cr_expect_float_eq(stretch, expected, (IS_DOUBLE ? 1e-9 : 1e-4) * (expected + 1), "N %d: %.9g, not %.9g",
                       n, stretch, expected);
    msd_destroy_world(world);
  }
}

/* 20 unit masses, the first pinned, at g = 10: the top one of 19 springs carries 190 N, each next 10 N less. */
Test(physics, the_top_of_a_chain_of_twenty_carries_190_newton) {
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  ok(world, msd_world_set_gravity(world, (msd_vec3){0, -10, 0}));
  msd_rope_def def = msd_default_rope_def();
  def.to = (msd_vec3){0, -19, 0};
  def.particles = 20;
  def.mass = 20;
  def.stretch = physical(20000, 20);
  ok(world, msd_add_rope(world, &def, NULL));
  ok(world, msd_particle_pin(world, 0));
  const double slowest = 2 * sqrt(20000.0) * sin(PI / (2 * 39));
  settle(world, 2 * slowest, 1e-3, 30 / slowest);
  for (int32_t s = 0; s < 19; s++) {
    const double tension = (double)msd_spring_get_tension(world, s);
    cr_expect_float_eq(tension, 10.0 * (19 - s), IS_DOUBLE ? 1e-6 : 0.3, "spring %d: %.9g N", (int)s,
                       tension);
  }
  msd_destroy_world(world);
}

/* A chain of length 1.2 between pins 1 apart hangs as y = a cosh(x/a) with a = 0.469542, the root of
   2 a sinh(1/(2a)) = 1.2, and a sag of 0.292344. 80 links stretch by 1e-4 here and differ from the smooth curve
   by a similar part. */
Test(physics, a_chain_of_stiff_links_hangs_in_a_catenary) {
  enum { LINKS = 80 };
  const double a = 0.469542, link = 1.2 / LINKS, mass = 1.0 / LINKS, g = 10;
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  ok(world, msd_world_set_gravity(world, (msd_vec3){0, (msd_real)-g, 0}));
  /* Start from the catenary's poor relation, the V of the same length. */
  const double depth = sqrt(0.6 * 0.6 - 0.5 * 0.5);
  for (int i = 0; i <= LINKS; i++) {
    const double s = 2.0 * i / LINKS;
    const double x = s / 2 - 0.5, y = -depth * (s < 1 ? s : 2 - s);
    if (i == 0 || i == LINKS)
      add_pin(world, x, y, 0);
    else
      add_particle(world, mass, x, y, 0);
    if (i > 0)
      add_spring(world, physical(5 / (1e-4 * link), 0), i - 1, i, link);
  }
  const double limit = sqrt(mass * 1e-4 * link / 5); /* 2/w of the fastest mode, w = 2 sqrt(k/m) */
  settle(world, 8, 0.9 * limit, 5);
  double worst = 0;
  for (int i = 0; i <= LINKS; i++) {
    const msd_vec3 p = msd_particle_get_position(world, i);
    worst = largest(worst, fabs((double)p.y - a * (cosh((double)p.x / a) - cosh(0.5 / a))));
  }
  const double sag = -(double)msd_particle_get_position(world, LINKS / 2).y;
  cr_expect_lt(msd_world_get_stats(world).max_speed, IS_DOUBLE ? 1e-6 : 0.1, "it hangs still");
  cr_expect_float_eq(sag, 0.292344, 2e-4, "sag %.6f", sag);
  cr_expect_lt(worst, 2e-4, "off the catenary by %.2e", worst);
  msd_destroy_world(world);
}

/* A pendulum let go at 90 degrees needs 1.180341 times the period 2 pi sqrt(L/g) of small swings. */
Test(physics, a_pendulum_at_90_degrees_is_slow_by_the_known_ratio) {
  const double g = 10, dt = 1e-4;
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  ok(world, msd_world_set_gravity(world, (msd_vec3){0, (msd_real)-g, 0}));
  add_pin(world, 0, 0, 0);
  add_particle(world, 1, 1, 0, 0);
  add_spring(world, physical(1e6, 0), 0, 1, 1);
  double crossing[2] = {0, 0}, x = 1;
  for (int n = 1, found = 0; found < 2 && n < 100000; n++) {
    step(world, dt, 1);
    const double next = (double)msd_particle_get_position(world, 1).x;
    if ((x > 0) != (next > 0))
      crossing[found++] = (n - 1 + x / (x - next)) * dt; /* where the line between both places meets zero */
    x = next;
  }
  cr_assert_gt(crossing[1], 0);
  const double period = 2 * (crossing[1] - crossing[0]), ratio = period / (2 * PI * sqrt(1 / g));
  cr_expect_float_eq(ratio, 1.180341, 5e-4, "ratio %.6f", ratio);
  cr_expect_float_eq(4 * crossing[0] / (2 * PI * sqrt(1 / g)), 1.180341, 5e-4, "from the first quarter");
  msd_destroy_world(world);
}
