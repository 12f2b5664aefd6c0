/* The integrators against reference solutions.

   data/net_*.csv hold four small networks without gravity, their states by a solver good to 1e-13, and the
   errors that the usual integrators make on them at several time steps. */
#include "tests/support/laboratory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -------------------------------------------------------------------------------------------- CSV tables */

enum { COLUMNS_MAX = 12, ROWS_MAX = 512, FIELD_MAX = 32 };

typedef struct sheet {
  int rows;
  char text[ROWS_MAX][COLUMNS_MAX][FIELD_MAX];
} sheet;

static sheet *read_sheet(const char *name) {
  char path[1024], line[1024];
  snprintf(path, sizeof path, "%s/%s", MSD_TEST_DATA, name);
  FILE *file = fopen(path, "r");
  cr_assert(file != NULL, "cannot open %s", path);
  sheet *t = calloc(1, sizeof *t);
  cr_assert(t != NULL && fgets(line, sizeof line, file) != NULL, "%s has no header", path);
  while (fgets(line, sizeof line, file)) {
    cr_assert_lt(t->rows, ROWS_MAX);
    int column = 0;
    for (char *field = line; field && column < COLUMNS_MAX; column++) {
      char *end = strpbrk(field, ",\r\n");
      if (end)
        *end++ = '\0';
      snprintf(t->text[t->rows][column], FIELD_MAX, "%.*s", FIELD_MAX - 1, field);
      field = end && *end && *end != '\n' ? end : NULL;
    }
    t->rows++;
  }
  fclose(file);
  cr_assert_gt(t->rows, 0, "%s is empty", path);
  return t;
}

static double number(const sheet *t, int row, int column) {
  return strtod(t->text[row][column], NULL);
}

/* ----------------------------------------------------------- reference networks: states and orders */

static const char *const cases[] = {"pair1d", "pair", "pair_undamped", "chain3"};
enum { CASE_COUNT = 4 };

static msd_world *network(const char *name, msd_integrator integrator) {
  msd_world *world = new_world(integrator);
  sheet *particles = read_sheet("net_particles.csv"), *springs = read_sheet("net_springs.csv");
  for (int r = 0; r < particles->rows; r++)
    if (strcmp(particles->text[r][0], name) == 0) {
      const int32_t i = add_particle(world, number(particles, r, 2), number(particles, r, 4),
                                     number(particles, r, 5), number(particles, r, 6));
      set_velocity(world, i, number(particles, r, 7), number(particles, r, 8), number(particles, r, 9));
    }
  for (int r = 0; r < springs->rows; r++)
    if (strcmp(springs->text[r][0], name) == 0)
      add_spring(world, physical(number(springs, r, 5), number(springs, r, 6)),
                 (int32_t)number(springs, r, 2), (int32_t)number(springs, r, 3), number(springs, r, 4));
  cr_assert_gt(msd_world_get_spring_count(world), 0, "no case %s", name);
  free(particles);
  free(springs);
  return world;
}

typedef struct network_error {
  double x, v; /* largest error of a component, against the reference state */
} network_error;

static network_error error_at(const msd_world *world, const sheet *states, const char *name, double time) {
  network_error e = {0, 0};
  int found = 0;
  for (int r = 0; r < states->rows; r++) {
    if (strcmp(states->text[r][0], name) != 0 || number(states, r, 1) != time)
      continue;
    const int32_t i = (int32_t)number(states, r, 2);
    for (int c = 0; c < 3; c++) {
      e.x = largest(e.x, fabs(component(msd_particle_get_position(world, i), c) - number(states, r, 3 + c)));
      e.v = largest(e.v, fabs(component(msd_particle_get_velocity(world, i), c) - number(states, r, 6 + c)));
    }
    found++;
  }
  cr_assert_eq(found, msd_world_get_particle_count(world));
  return e;
}

static network_error dia_block(const char *name, msd_integrator integrator, double time, double frame_time) {
  msd_world *world = network(name, integrator);
  sheet *states = read_sheet("net_states.csv");
  const int steps = (int)lround(time / frame_time);
  for (int n = 0; n < steps; n++)
    step(world, frame_time, 1);
  const network_error e = error_at(world, states, name, time);
  free(states);
  msd_destroy_world(world);
  return e;
}

/* The published errors at t = 0.5, within 5 %. In double all time steps count; in float those at which the
   error stands far above the rounding of coordinates near 1. `rounding` is the part that is not the
   integrator's: of the reference (1e-13), and of adding 2^11 steps in the precision of the world. */
static void check_errors(msd_integrator integrator, const char *method, double smallest_step_in_float) {
  sheet *t = read_sheet("net_order_check.csv");
  const double rounding = IS_DOUBLE ? 4e-13 : 2e-5;
  int checked = 0;
  for (int r = 0; r < t->rows; r++) {
    const double time = number(t, r, 2), frame_time = number(t, r, 3);
    if (strcmp(t->text[r][1], method) != 0 || (!IS_DOUBLE && frame_time < smallest_step_in_float))
      continue;
    const network_error e = dia_block(t->text[r][0], integrator, time, frame_time);
    const double x = number(t, r, 4), v = number(t, r, 5);
    cr_expect(fabs(e.x - x) <= 0.05 * x + rounding && fabs(e.v - v) <= 0.05 * v + 10 * rounding,
              "%s %s at %g: errors %.4e and %.4e, published %.4e and %.4e", method, t->text[r][0], frame_time,
              e.x, e.v, x, v);
    checked++;
  }
  cr_expect_geq(checked, CASE_COUNT);
  free(t);
}

Test(accuracy, symplectic_euler_errs_as_published) {
  check_errors(MSD_SYMPLECTIC_EULER, "symplectic_euler", 0x1p-10);
}

Test(accuracy, velocity_verlet_errs_as_published) {
  check_errors(MSD_VELOCITY_VERLET, "velocity_verlet", 0x1p-8);
}

Test(accuracy, rk4_errs_as_published) {
  if (IS_DOUBLE) {
    check_errors(MSD_RK4, "rk4", 0);
    return;
  }
  for (int c = 0; c < CASE_COUNT; c++) { /* its error lies below the rounding of floats */
    const network_error e = dia_block(cases[c], MSD_RK4, 0.5, 0x1p-7);
    cr_expect(e.x < 2e-5 && e.v < 6e-4, "%s: errors %.3e and %.3e", cases[c], e.x, e.v);
  }
}

/* log2 of the ratio of errors at a time step and at half of it. In float the steps are larger, where the
   error is far above rounding. */
static double order(const char *name, msd_integrator integrator, double frame_time) {
  const network_error coarse = dia_block(name, integrator, 0.5, frame_time);
  const network_error fine = dia_block(name, integrator, 0.5, frame_time / 2);
  return log2(coarse.x / fine.x);
}

Test(accuracy, symplectic_euler_has_order_1) {
  for (int c = 0; c < CASE_COUNT; c++) {
    const double p = order(cases[c], MSD_SYMPLECTIC_EULER, IS_DOUBLE ? 0x1p-11 : 0x1p-8);
    cr_expect(fabs(p - 1) < (IS_DOUBLE ? 0.01 : 0.06), "%s: order %.4f", cases[c], p);
  }
}

Test(accuracy, explicit_euler_has_order_1) {
  for (int c = 0; c < CASE_COUNT; c++) {
    const double p = order(cases[c], MSD_EXPLICIT_EULER, IS_DOUBLE ? 0x1p-13 : 0x1p-10);
    cr_expect(fabs(p - 1) < (IS_DOUBLE ? 0.05 : 0.2), "%s: order %.4f", cases[c], p);
  }
}

Test(accuracy, sequential_impulse_has_order_1) {
  for (int c = 0; c < CASE_COUNT; c++) {
    const double p = order(cases[c], MSD_SEQUENTIAL_IMPULSE, IS_DOUBLE ? 0x1p-11 : 0x1p-8);
    cr_expect(fabs(p - 1) < (IS_DOUBLE ? 0.01 : 0.06), "%s: order %.4f", cases[c], p);
  }
}

Test(accuracy, velocity_verlet_has_order_2) {
  for (int c = 0; c < CASE_COUNT; c++) {
    const double p = order(cases[c], MSD_VELOCITY_VERLET, IS_DOUBLE ? 0x1p-10 : 0x1p-7);
    cr_expect(fabs(p - 2) < (IS_DOUBLE ? 0.02 : 0.2), "%s: order %.4f", cases[c], p);
  }
}

Test(accuracy, rk4_has_order_4) {
  if (!IS_DOUBLE)
    cr_skip_test("the error of RK4 lies below the rounding of floats");
  for (int c = 0; c < CASE_COUNT; c++) {
    const double p = order(cases[c], MSD_RK4, 0x1p-9);
    cr_expect(fabs(p - 4) < 0.1, "%s: order %.4f", cases[c], p);
  }
}

Test(accuracy, reference_states_are_met_up_to_two_seconds) {
  static const double times[] = {0.125, 0.25, 0.5, 1, 2};
  for (int c = 0; c < CASE_COUNT; c++)
    for (int t = 0; t < 5; t++) {
      const network_error rk4 = dia_block(cases[c], MSD_RK4, times[t], 0x1p-10);
      cr_expect(rk4.x < (IS_DOUBLE ? 2e-8 : 2e-4) && rk4.v < (IS_DOUBLE ? 4e-7 : 4e-3),
                "%s at %g by RK4: errors %.3e and %.3e", cases[c], times[t], rk4.x, rk4.v);
      const network_error euler = dia_block(cases[c], MSD_SYMPLECTIC_EULER, times[t], 0x1p-12);
      cr_expect(euler.x < 1.5e-3 && euler.v < 2e-2, "%s at %g by symplectic Euler: errors %.3e and %.3e",
                cases[c], times[t], euler.x, euler.v);
    }
}

/* ---------------------------------------------------------------------------------- one oscillator        */

/* The size sqrt(x^2 + (v/w)^2) of an undamped oscillator after a step of th = w dt, divided by that before. */
static double amplification(msd_integrator integrator, double th) {
  const double w = th / 0x1p-4;
  oscillator o = new_oscillator(integrator, physical(w * w, 0), 1, 1, 0x1p-5, 0x1p-6 * w);
  const double before = hypot(displacement(&o), velocity(&o) / w);
  step(o.world, 0x1p-4, 1);
  const double after = hypot(displacement(&o), velocity(&o) / w);
  msd_destroy_world(o.world);
  return after / before;
}

Test(accuracy, one_step_grows_an_oscillator_by_the_known_factor) {
  static const double angles[] = {0.125, 0.5, 1, 1.5, 2.75};
  for (int i = 0; i < 5; i++) {
    const double th = angles[i], t2 = th * th, t6 = t2 * t2 * t2;
    const double euler = amplification(MSD_EXPLICIT_EULER, th), rk4 = amplification(MSD_RK4, th);
    cr_expect_float_eq(euler, sqrt(1 + t2), 2048 * EPSILON, "explicit Euler %g: %.9g", th, euler);
    cr_expect_float_eq(rk4, sqrt(1 - t6 / 72 + t6 * t2 / 576), 2048 * EPSILON, "RK4 %g: %.9g", th, rk4);
  }
}

static double largest_after(msd_integrator integrator, double th, int steps) {
  const double w = th / 0x1p-4;
  oscillator o = new_oscillator(integrator, physical(w * w, 0), 1, 1, 0x1p-10, 0);
  double size = 0;
  for (int n = 0; n < steps && size < 0.25; n++) {
    step(o.world, 0x1p-4, 1);
    size = largest(n < steps / 2 ? 0 : size, fabs(displacement(&o)));
  }
  msd_destroy_world(o.world);
  return size / 0x1p-10;
}

Test(accuracy, integrators_are_stable_up_to_their_limits) {
  cr_expect_lt(largest_after(MSD_SYMPLECTIC_EULER, 1.99, 1000), 20);
  cr_expect_gt(largest_after(MSD_SYMPLECTIC_EULER, 2.01, 1000), 200);
  cr_expect_lt(largest_after(MSD_VELOCITY_VERLET, 1.99, 1000), 20);
  cr_expect_gt(largest_after(MSD_VELOCITY_VERLET, 2.01, 1000), 200);
  cr_expect_lt(largest_after(MSD_RK4, 2.80, 1000), 1.1);
  cr_expect_gt(largest_after(MSD_RK4, 2.86, 1000), 200);
  cr_expect_gt(largest_after(MSD_EXPLICIT_EULER, 0.2, 1000), 200, "explicit Euler is never stable undamped");
}
