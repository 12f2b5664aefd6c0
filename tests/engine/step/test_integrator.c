/* The integrators on a linear oscillator: a particle on a line through a pin, joined by a spring of rest
   length 1, where the spring is linear in x = distance - 1 while |x| < 1. */
#include "tests/support/kernels.h"
#include "tests/support/meshes.h"

#include "engine/step/integrator.h"

#include <float.h>
#include <math.h>

static const bool IS_DOUBLE = sizeof(msd_real) == sizeof(double);
static const double EPSILON = sizeof(msd_real) == sizeof(double) ? DBL_EPSILON : FLT_EPSILON;

typedef struct state {
  double x, v;
} state;

typedef struct oscillator {
  double mass, stiffness, damping;
} oscillator;

static double acceleration(const oscillator *o, double x, double v) {
  return -(o->stiffness * x + o->damping * v) / o->mass;
}

static msd_world *oscillator_world(msd_integrator integrator, const oscillator *o) {
  msd_world_def def = msd_default_world_def();
  def.gravity = (msd_vec3){0, 0, 0};
  def.integrator = integrator;
  msd_world *world = world_from_def(&def);
  msd_particle_def particle = msd_default_particle_def();
  particle.pinned = true;
  ASSERT_OK(world, msd_add_particles(world, &particle, 1, NULL));
  particle.pinned = false;
  particle.mass = (msd_real)o->mass;
  particle.position.x = 1;
  ASSERT_OK(world, msd_add_particles(world, &particle, 1, NULL));
  msd_spring_def spring = msd_default_spring_def();
  spring.a = 0;
  spring.b = 1;
  spring.stiffness = (msd_real)o->stiffness;
  spring.damping = (msd_real)o->damping;
  ASSERT_OK(world, msd_add_springs(world, &spring, 1, NULL));
  return world;
}

static state run(msd_integrator integrator, const oscillator *o, state start, double dt, int steps) {
  msd_world *world = oscillator_world(integrator, o);
  ASSERT_OK(world, msd_particle_set_position(world, 1, (msd_vec3){(msd_real)(1 + start.x), 0, 0}));
  ASSERT_OK(world, msd_particle_set_velocity(world, 1, (msd_vec3){(msd_real)start.v, 0, 0}));
  for (int n = 0; n < steps; n++)
    ASSERT_OK(world, msd_world_step(world, (msd_real)dt, 1));
  const msd_vec3 x = msd_particle_get_position(world, 1), v = msd_particle_get_velocity(world, 1);
  msd_destroy_world(world);
  cr_assert(x.y == 0 && x.z == 0 && v.y == 0 && v.z == 0);
  return (state){(double)x.x - 1, (double)v.x};
}

/* ------------------------------------------------------------------------------------------ the formulas */

static state by_formula(msd_integrator integrator, const oscillator *o, state s, double h) {
  const double a0 = acceleration(o, s.x, s.v);
  switch (integrator) {
  case MSD_EXPLICIT_EULER:
    return (state){s.x + h * s.v, s.v + h * a0};
  case MSD_VELOCITY_VERLET: {
    const double x = s.x + h * s.v + h * h / 2 * a0;
    return (state){x, s.v + h / 2 * (a0 + acceleration(o, x, s.v + h * a0))};
  }
  case MSD_RK4: {
    const double v2 = s.v + h / 2 * a0, a2 = acceleration(o, s.x + h / 2 * s.v, v2);
    const double v3 = s.v + h / 2 * a2, a3 = acceleration(o, s.x + h / 2 * v2, v3);
    const double v4 = s.v + h * a3, a4 = acceleration(o, s.x + h * v3, v4);
    return (state){s.x + h / 6 * (s.v + 2 * v2 + 2 * v3 + v4), s.v + h / 6 * (a0 + 2 * a2 + 2 * a3 + a4)};
  }
  default:
    return (state){s.x + h * (s.v + h * a0), s.v + h * a0};
  }
}

Test(integrator, one_step_is_that_of_the_formula) {
  generator random = {.state = 1};
  for (int integrator = 0; integrator <= MSD_RK4; integrator++)
    for (int trial = 0; trial < 200; trial++) {
      const oscillator o = {.mass = 0.25 * (1 + random_below(&random, 8)),
                            .stiffness = 0.5 * random_below(&random, 64),
                            .damping = 0.0625 * random_below(&random, 32)};
      const state start = {0.25 * (double)random_real(&random), (double)random_real(&random)};
      const double h = 0.00390625 * (1 + random_below(&random, 32));
      const state found = run((msd_integrator)integrator, &o, start, h, 1);
      const state wanted = by_formula((msd_integrator)integrator, &o, start, h);
      const double force = h / o.mass * (o.stiffness * 2 + o.damping * 2);
      cr_assert(fabs(found.x - wanted.x) <= EPSILON * (4 + 8 * h * (2 + force)), "%s: x is %.17g, not %.17g",
                msd_integrator_name((msd_integrator)integrator), found.x, wanted.x);
      cr_assert(fabs(found.v - wanted.v) <= EPSILON * (4 + 8 * force), "%s: v is %.17g, not %.17g",
                msd_integrator_name((msd_integrator)integrator), found.v, wanted.v);
    }
}

/* ---------------------------------------------------------------------------------------- amplitude factors */

/* The matrix of one step from (x, v/w) to (x, v/w), from two starts. */
typedef struct matrix {
  double xx, xv, vx, vv;
} matrix;

static matrix step_matrix(msd_integrator integrator, double theta) {
  const double size = 0.25, w = 8, h = theta / w;
  const oscillator o = {1, w * w, 0};
  const state first = run(integrator, &o, (state){size, 0}, h, 1);
  const state second = run(integrator, &o, (state){0, size * w}, h, 1);
  return (matrix){first.x / size, second.x / size, first.v / (size * w), second.v / (size * w)};
}

/* One step of size theta = w dt scales (x, v/w) by the factor, whatever the phase: the columns of its matrix
   are at right angles and of that length. */
static void assert_rotation_scaled_by(msd_integrator integrator, double theta, double factor) {
  const matrix m = step_matrix(integrator, theta);
  const double tolerance = 40 * EPSILON * factor * factor;
  cr_assert(fabs(hypot(m.xx, m.vx) - factor) <= tolerance, "%s at %g: %.17g, not %.17g",
            msd_integrator_name(integrator), theta, hypot(m.xx, m.vx), factor);
  cr_assert(fabs(hypot(m.xv, m.vv) - factor) <= tolerance, "%s at %g: %.17g, not %.17g",
            msd_integrator_name(integrator), theta, hypot(m.xv, m.vv), factor);
  cr_assert(fabs(m.xx * m.xv + m.vx * m.vv) <= 2 * tolerance);
}

Test(integrator, explicit_euler_grows_by_the_root_of_one_plus_theta_squared) {
  for (double theta = 0.0625; theta < 3; theta += 0.0625)
    assert_rotation_scaled_by(MSD_EXPLICIT_EULER, theta, sqrt(1 + theta * theta));
}

Test(integrator, rk4_scales_by_its_known_factor_and_is_stable_up_to_2_root_2) {
  for (double theta = 0.0625; theta < 3; theta += 0.0625) {
    const double factor = sqrt(1 - pow(theta, 6) / 72 + pow(theta, 8) / 576);
    assert_rotation_scaled_by(MSD_RK4, theta, factor);
    cr_assert((factor <= 1) == (theta <= 2 * sqrt(2)));
  }
}

/* Both have determinant 1 and trace 2 - theta^2: amplitude 1 up to theta = 2, and one root beyond -1 above. */
static void assert_symplectic(msd_integrator integrator) {
  for (double theta = 0.0625; theta < 3; theta += 0.0625) {
    const matrix m = step_matrix(integrator, theta);
    const double tolerance = 60 * EPSILON * (1 + theta * theta);
    cr_assert(fabs(m.xx * m.vv - m.xv * m.vx - 1) <= tolerance * (1 + theta * theta), "%s at %g: area %.17g",
              msd_integrator_name(integrator), theta, m.xx * m.vv - m.xv * m.vx);
    cr_assert(fabs(m.xx + m.vv - (2 - theta * theta)) <= tolerance, "%s at %g: trace %.17g",
              msd_integrator_name(integrator), theta, m.xx + m.vv);
  }
}

Test(integrator, symplectic_euler_keeps_area_and_is_stable_up_to_2) {
  assert_symplectic(MSD_SYMPLECTIC_EULER);
}

Test(integrator, velocity_verlet_keeps_area_and_is_stable_up_to_2) {
  assert_symplectic(MSD_VELOCITY_VERLET);
}

/* ------------------------------------------------------------------------------------------------- orders */

/* x'' = -k x - mu x' for 1 kg, under-damped, in closed form. */
static state exact(const oscillator *o, state s, double t) {
  const double rate = o->damping / 2, w = sqrt(o->stiffness - rate * rate), decay = exp(-rate * t);
  const double b = (s.v + rate * s.x) / w;
  const double x = decay * (s.x * cos(w * t) + b * sin(w * t));
  return (state){x, -rate * x + decay * w * (b * cos(w * t) - s.x * sin(w * t))};
}

static double error_at(msd_integrator integrator, int steps) {
  const oscillator o = {1, 9, 0.75};
  const state start = {0.25, 0.5}, end = exact(&o, start, 1);
  const state found = run(integrator, &o, start, 1.0 / steps, steps);
  return hypot(found.x - end.x, (found.v - end.v) / 3);
}

static void assert_order(msd_integrator integrator, double order, int float_steps, int double_steps,
                         double tolerance) {
  const int steps = IS_DOUBLE ? double_steps : float_steps;
  const double coarse = error_at(integrator, steps), fine = error_at(integrator, 2 * steps);
  const double observed = log2(coarse / fine);
  cr_assert(fabs(observed - order) <= tolerance, "%s: order %g (errors %g and %g)",
            msd_integrator_name(integrator), observed, coarse, fine);
}

Test(integrator, symplectic_euler_has_order_1) {
  assert_order(MSD_SYMPLECTIC_EULER, 1, 256, 4096, 0.05);
}

Test(integrator, explicit_euler_has_order_1) {
  assert_order(MSD_EXPLICIT_EULER, 1, 256, 4096, 0.05);
}

Test(integrator, velocity_verlet_has_order_2_with_damping) {
  assert_order(MSD_VELOCITY_VERLET, 2, 32, 1024, 0.1);
}

Test(integrator, rk4_has_order_4_with_damping) {
  assert_order(MSD_RK4, 4, 4, 64, IS_DOUBLE ? 0.05 : 0.6);
}

/* -------------------------------------------------------------------------------------------------- drag */

/* By every integrator: the velocity it would have without drag, times the decay of the substep. */
Test(integrator, drag_multiplies_the_velocity_at_the_end_of_each_substep) {
  const oscillator o = {1, 4, 0.5};
  const double h = 0.125, rate = 1.5;
  for (int integrator = 0; integrator < MSD_INTEGRATOR_COUNT; integrator++) {
    const state start = {0.25, 0.5}, free = run((msd_integrator)integrator, &o, start, h, 1);
    msd_world *world = oscillator_world((msd_integrator)integrator, &o);
    ASSERT_OK(world, msd_world_set_linear_damping(world, (msd_real)rate));
    ASSERT_OK(world, msd_particle_set_position(world, 1, (msd_vec3){(msd_real)1.25, 0, 0}));
    ASSERT_OK(world, msd_particle_set_velocity(world, 1, (msd_vec3){(msd_real)0.5, 0, 0}));
    ASSERT_OK(world, msd_world_step(world, (msd_real)h, 1));
    const double found = (double)msd_particle_get_velocity(world, 1).x;
    cr_assert(fabs(found - free.v * exp(-rate * h)) <= 4 * EPSILON, "%s: %.17g, not %.17g",
              msd_integrator_name((msd_integrator)integrator), found, free.v * exp(-rate * h));
    msd_destroy_world(world);
  }
}

/* ------------------------------------------------------------------------------------- names and substeps */

Test(integrator, integrators_have_the_names_of_scene_files) {
  cr_assert_str_eq(msd_integrator_name(MSD_SYMPLECTIC_EULER), "symplectic_euler");
  cr_assert_str_eq(msd_integrator_name(MSD_EXPLICIT_EULER), "explicit_euler");
  cr_assert_str_eq(msd_integrator_name(MSD_VELOCITY_VERLET), "velocity_verlet");
  cr_assert_str_eq(msd_integrator_name(MSD_RK4), "rk4");
  cr_assert_str_eq(msd_integrator_name(MSD_SEQUENTIAL_IMPULSE), "sequential_impulse");
  cr_assert_null(msd_integrator_name(MSD_INTEGRATOR_COUNT));
  msd_integrator strange;
  memcpy(&strange, &(int){-1}, sizeof strange);
  cr_assert_null(msd_integrator_name(strange));
}

Test(integrator, one_pass_over_the_springs_needs_no_scratch_memory) {
  cr_assert_eq(integrator_scratch_components(MSD_SYMPLECTIC_EULER), 0);
  for (int i = MSD_EXPLICIT_EULER; i <= MSD_RK4; i++)
    cr_assert(integrator_scratch_components((msd_integrator)i) >= 3);
}

/* A particle that passes the largest number in its fifth substep, among others that do not. */
Test(integrator, the_state_after_the_last_finite_substep_is_kept) {
  const double most = IS_DOUBLE ? DBL_MAX : FLT_MAX;
  for (int integrator = 0; integrator < MSD_INTEGRATOR_COUNT; integrator++)
    for (int threads = 1; threads <= 4; threads++) {
      graph g = graph_cloth(20, 20, CLOTH_SHEAR);
      const int32_t runaway = g.particles;
      msd_world *world = world_of(&g, &(making){LAWS_PHYSICAL, .seed = 1, .soften = 1e6F});
      msd_particle_def def = msd_default_particle_def();
      def.position.y = (msd_real)(most * 0.55);
      def.velocity.y = (msd_real)(most * 0.1);
      ASSERT_OK(world, msd_add_particles(world, &def, 1, NULL));
      def.position.y = 0;
      def.velocity.y = 1;
      ASSERT_OK(world, msd_add_particles(world, &def, 1, NULL));
      ASSERT_OK(world, msd_world_set_gravity(world, (msd_vec3){0, 0, 0}));
      ASSERT_OK(world, msd_world_set_integrator(world, (msd_integrator)integrator));
      ASSERT_OK(world, msd_world_set_thread_count(world, threads));
      /* 0.55 + n 0.1 passes 1 at n = 5. */
      cr_assert_eq(msd_world_step(world, 10, 10), MSD_DIVERGED);
      cr_assert_eq(msd_world_get_steps(world), 4, "%s kept substep %lld: %s",
                   msd_integrator_name((msd_integrator)integrator), (long long)msd_world_get_steps(world),
                   msd_world_message(world));
      cr_assert(msd_world_get_time(world) == 4);
      cr_assert(fabs((double)msd_particle_get_position(world, runaway).y / most - 0.95) < 1e-5);
      cr_assert(fabs((double)msd_particle_get_position(world, runaway + 1).y - 4) < 1e-5);
      cr_assert(strstr(msd_world_message(world), "particle 400"), "%s", msd_world_message(world));
      /* It is in order: with the runaway stopped it goes on. */
      ASSERT_OK(world, msd_particle_set_velocity(world, runaway, (msd_vec3){0, 0, 0}));
      ASSERT_OK(world, msd_world_step(world, (msd_real)0.01, 2));
      msd_destroy_world(world);
      graph_free(&g);
    }
}

/* ------------------------------------------------------------------------------------------ records alone */

/* A mesh that has been stepped once, and a particle without springs that leaves the numbers in the fifth
   substep of 1/256 s from now. */
static msd_world *shooting_mesh(void) {
  const msd_real room = (msd_real)((IS_DOUBLE ? DBL_MAX : FLT_MAX) / 4096);
  graph g = graph_mesh(23, 31, 0, 1);
  msd_world *world = world_of(&g, &(making){LAWS_PHYSICAL, .seed = 1, .pins = true});
  msd_particle_def def = msd_default_particle_def();
  def.position.x = room * 4095;
  def.velocity.x = room * 256 / (msd_real)4.5;
  ASSERT_OK(world, msd_add_particles(world, &def, 1, NULL));
  ASSERT_OK(world, msd_world_step(world, (msd_real)1 / 65536, 1));
  graph_free(&g);
  return world;
}

/* Advances by hand, through slabs or records whatever a world would choose. */
static int advance(msd_world *world, bool records_alone, msd_simd simd, int threads, int substeps) {
  particle_store *p = &world->model.particles;
  cr_assert(particle_reserve_other(p, &world->model.memory));
  const size_t records = (size_t)world->stepper.network.group_count * NETWORK_GROUP + 2 * PARTICLE_GUARD;
  substep_inputs run = {.integrator = MSD_SYMPLECTIC_EULER,
                        .kernels = kernels_choose(simd),
                        .input = kernel_input(world),
                        .slab = {p->slab[0], p->slab[1]},
                        .current = p->current,
                        .records_alone = records_alone,
                        .threads = threads,
                        .substeps = substeps};
  run.input.decay = 1;
  msd_real *blocks[2] = {NULL, NULL};
  for (int n = 0; n < 2 && records_alone; n++) {
    blocks[n] = memory_allocate(&world->model.memory, records * RECORD_SIZE * sizeof(msd_real));
    cr_assert_not_null(blocks[n]);
    run.records[n] = blocks[n] + PARTICLE_GUARD * RECORD_SIZE;
  }
  const int done = integrator_advance(&run);
  memory_release(&world->model.memory, blocks[0]);
  memory_release(&world->model.memory, blocks[1]);
  return done;
}

static void assert_same_slab(const msd_world *world, const msd_world *plain, int slab, const char *what) {
  const particle_store *p = &world->model.particles, *q = &plain->model.particles;
  cr_assert(p->stride == q->stride && p->count == q->count);
  for (size_t c = 0; c < COMPONENTS; c++)
    for (size_t i = 0; i < (size_t)p->count; i++) {
      const msd_real found = p->slab[slab][c * p->stride + i], wanted = q->slab[slab][c * q->stride + i];
      /* A number that is none has many bit patterns. */
      cr_assert(memcmp(&found, &wanted, sizeof found) == 0 || (isnan(found) && isnan(wanted)),
                "%s: component %zu of slot %zu", what, c, i);
    }
}

Test(integrator, through_records_alone_slabs_get_the_last_state_and_where_it_fails_the_failed_one_too) {
  enum { FAILING = 5 };
  for (int substeps = 1; substeps <= FAILING + 2; substeps++)
    for (int threads = 1; threads <= 3; threads++)
      for (int simd = MSD_SIMD_SCALAR; simd <= MSD_SIMD_512; simd++) {
        msd_world *plain = shooting_mesh(), *world = shooting_mesh();
        const int done = advance(plain, false, MSD_SIMD_SCALAR, 1, substeps);
        cr_assert_eq(done, substeps < FAILING ? substeps : FAILING - 1, "%d", done);
        cr_assert_eq(advance(world, true, (msd_simd)simd, threads, substeps), done);
        const int last = (world->model.particles.current + done) % 2;
        assert_same_slab(world, plain, last, "the last state");
        if (done < substeps)
          assert_same_slab(world, plain, !last, "the failed state");
        msd_destroy_world(plain);
        msd_destroy_world(world);
      }
}

/* A particle without springs, from rest by gravity: g t^2/2. */
Test(integrator, free_fall_is_exact) {
  static const msd_integrator all[] = {MSD_SYMPLECTIC_EULER, MSD_VELOCITY_VERLET, MSD_RK4};
  const double gravity = 8, frames[] = {1 / 32.0, 1 / 64.0, 1 / 256.0};
  for (int n = 0; n < 3; n++)
    for (int f = 0; f < 3; f++)
      for (int substeps = 1; substeps < 9; substeps += 7) {
        msd_world_def def = msd_default_world_def();
        def.gravity = (msd_vec3){0, (msd_real)-gravity, 0};
        def.integrator = all[n];
        msd_world *world = world_from_def(&def);
        const msd_particle_def start = msd_default_particle_def();
        cr_assert_eq(msd_add_particles(world, &start, 1, NULL), MSD_OK);
        for (int frame = 0; frame < (int)(1 / frames[f]); frame++)
          cr_assert_eq(msd_world_step(world, (msd_real)frames[f], substeps), MSD_OK);
        cr_expect_float_eq((double)msd_particle_get_position(world, 0).y, -gravity / 2, 4000 * EPSILON);
        msd_destroy_world(world);
      }
}
