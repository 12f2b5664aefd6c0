/* What springs on constraints do, against mechanics: single constraints, forces and energies, and what is kept.
   Through the public interface alone. */
#include "tests/support/laboratory.h"

#include <msd/constraint.h>

#include <stdint.h>

enum { CORNERS = 4, KINDS = MSD_CONSTRAINT_KIND_COUNT };

static double random_number(uint64_t *state) {
  *state ^= *state << 13;
  *state ^= *state >> 7;
  *state ^= *state << 17;
  return (double)(*state >> 11) * 0x1p-53;
}

static double position(const msd_world *world, int32_t particle, int axis) {
  return component(msd_particle_get_position(world, particle), axis);
}

static double speed(const msd_world *world, int32_t particle) {
  const msd_vec3 v = msd_particle_get_velocity(world, particle);
  return sqrt((double)v.x * (double)v.x + (double)v.y * (double)v.y + (double)v.z * (double)v.z);
}

/* ------------------------------------------------------------------------------------------- one constraint */

static const int32_t TETRAHEDRON[] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3};

/* On the particles 0 to 3. */
static msd_constraint_def constraint_on(msd_constraint_kind kind) {
  msd_constraint_def def = msd_default_constraint_def();
  def.kind = kind;
  for (int i = 0; i < msd_constraint_kind_particles(kind); i++)
    def.particles[i] = i;
  def.weights[0] = -1, def.weights[1] = (msd_real)0.75, def.weights[3] = (msd_real)0.25;
  if (kind == MSD_CONSTRAINT_MESH_VOLUME) {
    def.triangles = TETRAHEDRON;
    def.triangle_count = 4;
  }
  return def;
}

static void add_constraint(msd_world *world, msd_constraint_def def) {
  ok(world, msd_add_constraints(world, &def, 1, NULL));
}

/* Four particles of masses from 0.5 to 3 kg near the corners of a tetrahedron with edges of 1 to 2 m; their
   places have few binary digits. */
static msd_world *four_particles(msd_integrator integrator, uint64_t seed) {
  const double corners[CORNERS][3] = {{0, 0, 0}, {1.5, 0, 0}, {0.5, 1.25, 0}, {0.625, 0.5, 1}};
  msd_world *world = new_world(integrator);
  uint64_t state = seed;
  for (int i = 0; i < CORNERS; i++) {
    double x[3];
    for (int axis = 0; axis < 3; axis++)
      x[axis] = corners[i][axis] + floor(random_number(&state) * 256) / 1024;
    add_particle(world, 0.5 + 2.5 * random_number(&state), x[0], x[1], x[2]);
  }
  return world;
}

static double error_of(const msd_world *world) {
  return msd_constraint_get_value(world, 0) - (double)msd_constraint_get_def(world, 0).rest;
}

/* A constraint of the coefficient law that is `error` from its rest. */
static msd_world *displaced(msd_constraint_kind kind, msd_integrator integrator, uint64_t seed, double ck,
                            double cd, double error) {
  msd_world *world = four_particles(integrator, seed);
  msd_constraint_def def = constraint_on(kind);
  def.law = MSD_SPRING_COEFFICIENT;
  def.ck = (msd_real)ck;
  def.cd = (msd_real)cd;
  add_constraint(world, def);
  ok(world, msd_constraint_set_rest(world, 0, (msd_real)(msd_constraint_get_value(world, 0) - error)));
  return world;
}

typedef struct settled {
  double after_one, after_two; /* |C| */
  double speed;                /* the largest after two steps, times the step: m */
} settled;

static settled settle(msd_constraint_kind kind, msd_integrator integrator, uint64_t seed, double error) {
  const double dt = 0.0078125;
  msd_world *world = displaced(kind, integrator, seed, 1, 1, error);
  step(world, dt, 1);
  settled s = {.after_one = fabs(error_of(world))};
  step(world, dt, 1);
  s.after_two = fabs(error_of(world));
  for (int32_t i = 0; i < CORNERS; i++)
    s.speed = largest(s.speed, speed(world, i) * dt);
  msd_destroy_world(world);
  return s;
}

/* In the linear motion C is 0 after one step and all is at rest after two. What is left comes of the bend of C
   along the way, half its second derivative times the squares of the displacements, which are proportional to
   the error at the beginning: it falls to a quarter when that is halved. Third derivatives and rounding make it
   differ from a quarter. Of the shapes some bend little; all together they show the law. */
static void assert_settles(msd_integrator integrator) {
  const double error = 0.04;
  for (int k = 0; k < KINDS; k++) {
    settled whole = {0, 0, 0}, half = {0, 0, 0};
    for (uint64_t seed = 1; seed <= 20; seed++) {
      const settled a = settle((msd_constraint_kind)k, integrator, seed, error);
      const settled b = settle((msd_constraint_kind)k, integrator, seed, error / 2);
      const double bound = 10 * error * error;
      cr_assert_lt(a.after_one, bound, "kind %d: %g", k, a.after_one);
      cr_assert_lt(a.after_two, bound, "kind %d: %g", k, a.after_two);
      cr_assert_lt(a.speed, bound, "kind %d: %g", k, a.speed);
      whole.after_one += a.after_one, whole.speed += a.speed;
      half.after_one += b.after_one, half.speed += b.speed;
    }
    if (k == MSD_CONSTRAINT_FIBER) { /* which bends as little as a spring that stays in its line */
      cr_assert_lt(whole.after_one + whole.speed, 40 * 1e-6, "%g, %g", whole.after_one, whole.speed);
      continue;
    }
    const double one = half.after_one / whole.after_one, rest = half.speed / whole.speed;
    cr_assert(one > 0.2 && one < 0.3, "kind %d: C falls by %g", k, one);
    cr_assert(rest > 0.2 && rest < 0.3, "kind %d: the speed falls by %g", k, rest);
  }
}

Test(constraint_physics, at_full_coefficients_each_kind_is_satisfied_after_one_step_and_at_rest_after_two) {
  assert_settles(MSD_SYMPLECTIC_EULER);
}

Test(constraint_physics, as_an_impulse_each_kind_is_satisfied_after_one_step_and_at_rest_after_two) {
  assert_settles(MSD_SEQUENTIAL_IMPULSE);
}

/* The largest error in that many steps over that at the beginning, 0.0005, and the last one. */
static void follow(msd_constraint_kind kind, double ck, double cd, int steps, double *most, double *last) {
  const double error = 0.0005;
  msd_world *world = displaced(kind, MSD_SYMPLECTIC_EULER, 7, ck, cd, error);
  *most = *last = 0;
  for (int i = 0; i < steps && *most < 100; i++) {
    step(world, 0.0078125, 1);
    *last = fabs(error_of(world)) / error;
    *most = largest(*most, *last);
  }
  msd_destroy_world(world);
}

Test(constraint_physics, each_kind_is_stable_up_to_ck_plus_twice_cd_of_four) {
  const double below[][2] = {{3.8, 0.05}, {1.2, 1.3}, {0.1, 1.9}, {2, 0.9}};
  for (int k = 0; k < KINDS; k++)
    for (int i = 0; i < 4; i++) {
      double most, last;
      follow((msd_constraint_kind)k, below[i][0], below[i][1], 300, &most, &last);
      cr_assert_lt(most, 10, "kind %d, ck %g, cd %g", k, below[i][0], below[i][1]);
      cr_assert_lt(last, 0.5, "kind %d, ck %g, cd %g", k, below[i][0], below[i][1]);
    }
}

Test(constraint_physics, no_kind_is_stable_beyond) {
  const double beyond[][2] = {{4.2, 0}, {1.5, 1.4}, {0.1, 2.1}};
  for (int k = 0; k < KINDS; k++)
    for (int i = 0; i < 3; i++) {
      double most, last;
      follow((msd_constraint_kind)k, beyond[i][0], beyond[i][1], 300, &most, &last);
      cr_assert_geq(most, 50, "kind %d, ck %g, cd %g: %g", k, beyond[i][0], beyond[i][1], most);
    }
}

/* ------------------------------------------------------------------------------------ forces and energies */

static double energy_at(msd_world *world, int32_t particle, int axis, double offset) {
  const msd_vec3 home = msd_particle_get_position(world, particle);
  msd_vec3 x = home;
  msd_real *moved = axis == 0 ? &x.x : axis == 1 ? &x.y : &x.z;
  *moved += (msd_real)offset;
  ok(world, msd_particle_set_position(world, particle, x));
  const double energy = msd_world_get_stats(world).elastic_energy;
  ok(world, msd_particle_set_position(world, particle, home));
  return energy;
}

/* Central differences of two steps, of which the error of second order goes out. */
static double slope(msd_world *world, int32_t particle, int axis) {
  const double h = 0x1p-11;
  const double coarse = energy_at(world, particle, axis, 2 * h) - energy_at(world, particle, axis, -2 * h);
  const double fine = energy_at(world, particle, axis, h) - energy_at(world, particle, axis, -h);
  return (8 * fine - coarse) / (12 * h);
}

Test(constraint_physics, every_force_is_minus_the_gradient_of_the_elastic_energy) {
  const double dt = 0x1p-10;
  for (int k = 0; k < KINDS; k++)
    for (uint64_t seed = 1; seed <= 10; seed++) {
      msd_world *world = four_particles(MSD_SYMPLECTIC_EULER, seed);
      msd_constraint_def def = constraint_on((msd_constraint_kind)k);
      def.stiffness = 3;
      def.rest = (msd_real)-0.25;
      if (k == MSD_CONSTRAINT_AREA || k == MSD_CONSTRAINT_ANGLE)
        def.rest = (msd_real)0.25;
      add_constraint(world, def);
      double expected[CORNERS][3], most = 0;
      for (int32_t i = 0; i < CORNERS; i++)
        for (int axis = 0; axis < 3; axis++) {
          expected[i][axis] = -slope(world, i, axis);
          most = largest(most, fabs(expected[i][axis]));
        }
      cr_assert_gt(most, 0.01);
      step(world, dt, 1);
      for (int32_t i = 0; i < CORNERS; i++)
        for (int axis = 0; axis < 3; axis++) {
          const double force = (double)msd_particle_get_mass(world, i) *
                               component(msd_particle_get_velocity(world, i), axis) / dt;
          cr_assert_float_eq(force, expected[i][axis], most * largest(1e-8, 30 * EPSILON),
                             "kind %d, particle %d, axis %d: %.9g, not %.9g", k, i, axis, force,
                             expected[i][axis]);
        }
      msd_destroy_world(world);
    }
}

Test(constraint_physics, elastic_energy_is_half_k_times_the_square_of_the_error) {
  for (int k = 0; k < KINDS; k++) {
    msd_world *world = four_particles(MSD_SYMPLECTIC_EULER, 11);
    msd_constraint_def def = constraint_on((msd_constraint_kind)k);
    def.stiffness = 8;
    add_constraint(world, def);
    cr_assert_float_eq(msd_world_get_stats(world).elastic_energy, 0, 1e-12);
    const double rest = msd_constraint_get_value(world, 0) - 0.5;
    ok(world, msd_constraint_set_rest(world, 0, (msd_real)rest));
    cr_assert_float_eq(msd_world_get_stats(world).elastic_energy, 1, 10 * EPSILON);
    cr_assert_float_eq(msd_constraint_get_tension(world, 0), 4, 40 * EPSILON);
    msd_destroy_world(world);
  }
}

/* Undamped and with a small step, energy is exchanged and not made. */
Test(constraint_physics, kinetic_and_elastic_energy_keep_their_sum) {
  for (int k = 0; k < KINDS; k++) {
    msd_world *world = four_particles(MSD_VELOCITY_VERLET, 12);
    msd_constraint_def def = constraint_on((msd_constraint_kind)k);
    def.stiffness = 20;
    add_constraint(world, def);
    ok(world, msd_constraint_set_rest(world, 0, (msd_real)(msd_constraint_get_value(world, 0) * 0.8)));
    const double total = msd_world_get_stats(world).elastic_energy;
    double exchanged = 0;
    for (int i = 0; i < 1000; i++) {
      step(world, 0.001, 1);
      const msd_stats stats = msd_world_get_stats(world);
      exchanged = largest(exchanged, stats.kinetic_energy);
      cr_assert_float_eq(stats.kinetic_energy + stats.elastic_energy, total, 1e-3 * total, "kind %d", k);
    }
    cr_assert_gt(exchanged, 0.5 * total, "kind %d", k);
    msd_destroy_world(world);
  }
}

/* ------------------------------------------------------------------------------------------- what is kept */

static void assert_kept(msd_integrator integrator, msd_constraint_kind kind) {
  msd_world *world = four_particles(integrator, 13);
  uint64_t state = 14;
  for (int32_t i = 0; i < CORNERS; i++)
    set_velocity(world, i, random_number(&state), random_number(&state), random_number(&state));
  msd_constraint_def def = constraint_on(kind);
  def.stiffness = 30;
  def.damping = (msd_real)0.2;
  add_constraint(world, def);
  ok(world, msd_constraint_set_rest(world, 0, (msd_real)(msd_constraint_get_value(world, 0) * 0.7)));
  const msd_stats before = msd_world_get_stats(world);
  step(world, 1, 1000);
  const msd_stats after = msd_world_get_stats(world);
  cr_assert(fabs(after.elastic_energy - before.elastic_energy) > 0.01 * before.elastic_energy);
  for (int axis = 0; axis < 3; axis++) {
    cr_assert_float_eq(after.momentum[axis], before.momentum[axis], 1000 * EPSILON, "kind %d: %g, then %g",
                       (int)kind, before.momentum[axis], after.momentum[axis]);
    cr_assert_float_eq(after.angular_momentum[axis], before.angular_momentum[axis], 3000 * EPSILON,
                       "kind %d: %g, then %g", (int)kind, before.angular_momentum[axis],
                       after.angular_momentum[axis]);
  }
  msd_destroy_world(world);
}

Test(constraint_physics, every_kind_keeps_momentum_and_angular_momentum) {
  for (int k = 0; k < KINDS; k++)
    assert_kept(MSD_SYMPLECTIC_EULER, (msd_constraint_kind)k);
}

Test(constraint_physics, impulses_of_every_kind_keep_momentum_and_angular_momentum) {
  for (int k = 0; k < KINDS; k++)
    assert_kept(MSD_SEQUENTIAL_IMPULSE, (msd_constraint_kind)k);
}

/* Turned about (1, 2, 2)/3 by 1 rad, shifted, and turning on with 2 rad/s while it flies: nothing is felt. */
Test(constraint_physics, rigid_motions_give_no_force) {
  const double axis[3] = {1.0 / 3, 2.0 / 3, 2.0 / 3}, dt = 0.0078125;
  for (int k = 0; k < KINDS; k++) {
    msd_world *world = four_particles(MSD_SYMPLECTIC_EULER, 15);
    msd_constraint_def def = constraint_on((msd_constraint_kind)k);
    def.stiffness = 10;
    def.damping = 1;
    add_constraint(world, def);
    double v[CORNERS][3];
    for (int32_t i = 0; i < CORNERS; i++) {
      double x[3], turned[3], along = 0;
      for (int c = 0; c < 3; c++) {
        x[c] = position(world, i, c);
        along += axis[c] * x[c];
      }
      for (int c = 0; c < 3; c++) {
        const int d = (c + 1) % 3, e = (c + 2) % 3;
        turned[c] =
            x[c] * cos(1) + (axis[d] * x[e] - axis[e] * x[d]) * sin(1) + axis[c] * along * (1 - cos(1));
      }
      for (int c = 0; c < 3; c++) {
        const int d = (c + 1) % 3, e = (c + 2) % 3;
        v[i][c] = 2 * (axis[d] * turned[e] - axis[e] * turned[d]) + 0.5 * c;
      }
      ok(world,
         msd_particle_set_position(
             world, i, (msd_vec3){(msd_real)(turned[0] + 1), (msd_real)turned[1], (msd_real)turned[2]}));
      set_velocity(world, i, v[i][0], v[i][1], v[i][2]);
    }
    step(world, dt, 1);
    for (int32_t i = 0; i < CORNERS; i++)
      for (int c = 0; c < 3; c++) {
        const double change = component(msd_particle_get_velocity(world, i), c) - v[i][c];
        cr_assert_float_eq(change / dt, 0, 600 * EPSILON, "kind %d, particle %d: %g m/s^2", k, i,
                           change / dt);
      }
    msd_destroy_world(world);
  }
}

/* All in one place, then all in one line, where a fiber has a direction: by every law, as a force and as an
   impulse. */
Test(constraint_physics, shapes_without_a_direction_feel_nothing) {
  const msd_spring_law laws[] = {MSD_SPRING_STIFFNESS, MSD_SPRING_COEFFICIENT, MSD_SPRING_FREQUENCY};
  const msd_integrator integrators[] = {MSD_SYMPLECTIC_EULER, MSD_SEQUENTIAL_IMPULSE, MSD_RK4};
  for (int k = 0; k < KINDS; k++)
    for (int way = 0; way < 9; way++)
      for (int length = 0; length < (k == MSD_CONSTRAINT_FIBER ? 1 : 2); length++) {
        msd_world *world = new_world(integrators[way / 3]);
        for (int i = 0; i < CORNERS; i++)
          add_particle(world, 1 + i, i * length, 0, 0);
        msd_constraint_def def = constraint_on((msd_constraint_kind)k);
        def.law = laws[way % 3];
        def.stiffness = def.damping = def.frequency = def.damping_ratio = 1;
        def.rest = (msd_real)0.5;
        add_constraint(world, def);
        step(world, 0.0625, 4);
        for (int32_t i = 0; i < CORNERS; i++)
          cr_assert_eq(speed(world, i), 0, "kind %d, way %d, particle %d", k, way, i);
        msd_destroy_world(world);
      }
}
