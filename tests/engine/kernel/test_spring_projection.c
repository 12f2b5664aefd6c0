/* Gauss-Seidel over springs: a lone spring by implicit Euler, and networks against S = (D + L) D^-1 (D + L'),
   the symmetric sweep in matrices. On a line, where directions do not turn, a substep is x + dt Q v. */

#include "engine/kernel/records.h"
#include "engine/kernel/widths.h"
#include "engine/world/world.h"
#include "tests/support/eigenvalue.h"
#include "tests/support/networks.h"
#include "tests/support/share.h"

#include <math.h>

#ifdef MSD_DOUBLE
static const double ROUNDING = 1e-7;
#else
static const double ROUNDING =
    0.01; /* masses are 10^8 apart, whose roots are 10^4, and a float has 7 digits */
#endif

static msd_world *still_world(void) {
  msd_world_def def = msd_default_world_def();
  def.gravity = (msd_vec3){0, 0, 0};
  def.solver = MSD_SOLVER_GAUSS_SEIDEL;
  return world_from_def(&def);
}

static void add(msd_world *world, msd_vec3 at, double mass, bool pinned) {
  msd_particle_def def = msd_default_particle_def();
  def.position = at;
  def.mass = (msd_real)mass;
  def.pinned = pinned;
  ASSERT_OK(world, msd_add_particles(world, &def, 1, NULL));
}

static void join(msd_world *world, int32_t a, int32_t b, double stiffness, double damping) {
  msd_spring_def def = msd_default_spring_def();
  def.a = a;
  def.b = b;
  def.stiffness = (msd_real)stiffness;
  def.damping = (msd_real)damping;
  ASSERT_OK(world, msd_add_springs(world, &def, 1, NULL));
}

/* --------------------------------------------------------------------------------------------- one spring */

/* Of a length that is C too much and grows by r, implicit Euler leaves (C + dt r')/(1 + dt^2 k w), with r' =
   r/(1 + dt w mu) after the damper. */
Test(spring_projection, takes_a_lone_spring_by_implicit_euler) {
  static const double stiffness[] = {0, 3, 400, 1e7}, damping[] = {0, 5, 1e5}, dt = 0.015625;
  for (int k = 0; k < 4; k++)
    for (int mu = 0; mu < 3; mu++)
      for (int pinned = 0; pinned < 2; pinned++) {
        msd_world *world = still_world();
        add(world, (msd_vec3){0, 0, 0}, 3, pinned);
        add(world, (msd_vec3){1, 0, 0}, 1, false);
        join(world, 0, 1, stiffness[k], damping[mu]);
        ASSERT_OK(world, msd_particle_set_position(world, 1, (msd_vec3){(msd_real)1.125, 0, 0}));
        ASSERT_OK(world, msd_particle_set_velocity(world, 1, (msd_vec3){2, 0, 0}));
        ASSERT_OK(world, msd_world_step(world, (msd_real)dt, 1));
        const double w = pinned ? 1 : 4.0 / 3, rate = 2 / (1 + dt * w * damping[mu]);
        const double wanted = (0.125 + dt * rate) / (1 + dt * dt * stiffness[k] * w);
        const double found =
            (double)msd_particle_get_position(world, 1).x - (double)msd_particle_get_position(world, 0).x - 1;
        cr_expect_float_eq(found, wanted, 1e-6, "k %g, mu %g, pinned %d: %g instead of %g", stiffness[k],
                           damping[mu], pinned, found, wanted);
        const msd_stats stats = msd_world_get_stats(world);
        cr_expect(pinned || fabs(stats.momentum[0] - 2) < 2e-6, "momentum %g", stats.momentum[0]);
        msd_destroy_world(world);
      }
}

Test(spring_projection, tethers_pull_and_struts_push_alone) {
  for (int strut = 0; strut < 2; strut++)
    for (int longer = 0; longer < 2; longer++) {
      msd_world *world = still_world();
      add(world, (msd_vec3){0, 0, 0}, 1, false);
      add(world, (msd_vec3){longer ? (msd_real)1.25 : (msd_real)0.75, 0, 0}, 1, false);
      msd_spring_def def = msd_default_spring_def();
      def.a = 0;
      def.b = 1;
      def.rest_length = 1;
      def.stiffness = 1000;
      def.damping = 10;
      def.mode = strut ? MSD_SPRING_COMPRESSION_ONLY : MSD_SPRING_TENSION_ONLY;
      ASSERT_OK(world, msd_add_springs(world, &def, 1, NULL));
      ASSERT_OK(world, msd_world_step(world, (msd_real)0.01, 1));
      const bool acts = longer != strut;
      cr_expect_eq(msd_world_get_stats(world).kinetic_energy > 0, acts, "strut %d, longer %d", strut, longer);
      msd_destroy_world(world);
    }
}

/* ------------------------------------------------------------------------------------------------ networks */

static double random_power(generator *g, int least, int most) {
  return pow(10, least + random_below(g, 64 * (most - least) + 1) / 64.0);
}

typedef struct making_line {
  /* Of the least and the largest mass and stiffness over mass, powers of ten. */
  int mass_least, mass_most, stiffness_most;
  bool pins, is_damped, in_space;
} making_line;

/* Springs at rest between particles on a line, one apart, or somewhere in a cube. */
static msd_world *network_of(generator *g, int32_t particles, int32_t springs, const making_line *m) {
  msd_world *world = still_world();
  for (int32_t i = 0; i < particles; i++) {
    const msd_vec3 anywhere = random_vector(g, 1);
    const double mass = random_power(g, m->mass_least, m->mass_most);
    add(world, m->in_space ? anywhere : (msd_vec3){(msd_real)i, 0, 0}, mass, m->pins && i % 7 == 0);
  }
  for (int32_t s = 0; s < springs; s++) {
    const int32_t a = s < particles - 1 ? s : random_below(g, particles);
    const int32_t b = s < particles - 1 ? s + 1 : (a + 1 + random_below(g, particles - 1)) % particles;
    const double light =
        fmin((double)msd_particle_get_mass(world, a), (double)msd_particle_get_mass(world, b));
    const double stiffness = light * random_power(g, 0, m->stiffness_most);
    const double damping = light * random_power(g, -2, 5);
    join(world, a, b, stiffness, m->is_damped && s % 2 == 0 ? damping : 0);
  }
  return world;
}

static double inverse_mass_of(const msd_world *world, int32_t slot) {
  return (double)world->stepper.network.inverse_mass[slot];
}

/* Q e of one slot along the line, by the engine. */
static void project_by_engine(const msd_world *world, double dt, int32_t slot, double size, double *q) {
  const particle_store *p = &world->model.particles;
  const spring_projections *springs = &world->stepper.projections;
  parallel_barrier barrier = {0};
  msd_real *records = springs->records + RECORD_SIZE, *x = p->slab[p->current], *v = x + 3 * p->stride;
  for (size_t i = 0; i < 3 * p->stride; i++)
    v[i] = 0;
  v[slot] = (msd_real)(size / dt);
  records_from_slab(x, p->stride, records, 0, (size_t)p->count);
  spring_projection_project(
      &(spring_projection_thread){.springs = springs,
                                  .kernel = kernels_choose(MSD_SIMD_WIDEST)->projections,
                                  .net = &world->stepper.network,
                                  .dt = (msd_real)dt,
                                  .barrier = &barrier,
                                  .threads = 1});
  for (int32_t i = 0; i < p->count; i++)
    q[i] = (double)records[i * RECORD_SIZE + RECORD_QUAD] * dt / size;
}

/* A spring in the order in which it is taken. */
typedef struct taken_spring {
  int32_t a, b, index;
} taken_spring;

static int32_t list_springs(const msd_world *world, taken_spring *all) {
  const spring_projections *springs = &world->stepper.projections;
  int32_t count = 0;
  for (int32_t n = 0; n < springs->count; n++)
    for (int lane = 0; lane < PROJECTION_LANES; lane++) {
      const projection_block *b = &springs->blocks[n];
      if (b->index[lane] >= 0)
        all[count++] = (taken_spring){b->a[lane], b->b[lane], b->index[lane]};
    }
  return count;
}

/* b_e . b_f of two springs on the line, by the inverse masses. */
static double coupling(const msd_world *world, const taken_spring *e, const taken_spring *f) {
  const double x = (e->a == f->a) - (double)(e->a == f->b), y = (e->b == f->b) - (double)(e->b == f->a);
  const double sign_e = e->a > e->b ? 1 : -1, sign_f = f->a > f->b ? 1 : -1;
  return sign_e * sign_f * (inverse_mass_of(world, e->a) * x + inverse_mass_of(world, e->b) * y);
}

/* Q e = e - W B' S^-1 B e. */
static void project_by_matrices(const msd_world *world, double dt, int32_t slot, double *q) {
  taken_spring *all = calloc((size_t)msd_world_get_spring_count(world), sizeof *all);
  cr_assert_not_null(all);
  const int32_t n = list_springs(world, all);
  double *z = calloc((size_t)n, sizeof *z), *diagonal = calloc((size_t)n, sizeof *diagonal);
  cr_assert(z && diagonal);
  for (int32_t e = 0; e < n; e++) {
    const taken_spring *s = &all[e];
    const double k = (double)msd_spring_get_def(world, s->index).stiffness, sign = s->a > s->b ? 1 : -1;
    diagonal[e] = coupling(world, s, s) + 1 / (dt * dt * k);
    z[e] = sign * ((s->a == slot) - (double)(s->b == slot));
  }
  for (int32_t e = 0; e < n; e++) { /* (D + L) y = z, then D y */
    for (int32_t f = 0; f < e; f++)
      z[e] -= coupling(world, &all[e], &all[f]) * z[f] / diagonal[f];
  }
  for (int32_t e = n - 1; e >= 0; e--) { /* (D + L') l = D y */
    for (int32_t f = e + 1; f < n; f++)
      z[e] -= coupling(world, &all[e], &all[f]) * z[f];
    z[e] /= diagonal[e];
  }
  for (int32_t i = 0; i < world->model.particles.count; i++)
    q[i] = i == slot;
  for (int32_t e = 0; e < n; e++) {
    const taken_spring *s = &all[e];
    const double sign = s->a > s->b ? 1 : -1;
    q[s->a] -= sign * inverse_mass_of(world, s->a) * z[e];
    q[s->b] += sign * inverse_mass_of(world, s->b) * z[e];
  }
  free(all);
  free(z);
  free(diagonal);
}

typedef struct projection_check {
  spectrum found;
  /* From the matrices, and from symmetric. */
  double off, apart;
} projection_check;

/* Of M^1/2 Q M^-1/2, where nothing is pinned. */
static projection_check check_projection(const msd_world *world, double dt) {
  const int n = world->model.particles.count;
  double *m = calloc((size_t)(n * n), sizeof *m), *q = calloc(2 * (size_t)n, sizeof *q);
  cr_assert(m && q);
  projection_check c = {.off = 0};
  for (int32_t j = 0; j < n; j++) {
    const double wj = inverse_mass_of(world, j);
    if (wj == 0)
      continue;
    project_by_engine(world, dt, j, 0.015625, q);
    project_by_matrices(world, dt, j, q + n);
    for (int i = 0; i < n; i++) {
      const double wi = inverse_mass_of(world, i), scale = wi > 0 ? sqrt(wj / wi) : 0;
      m[i * n + j] = q[i] * scale;
      c.off = fmax(c.off, fabs(q[i] - q[n + i]) * scale);
    }
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) {
      c.apart = fmax(c.apart, fabs(m[i * n + j] - m[j * n + i]));
      m[i * n + j] = m[j * n + i] = (m[i * n + j] + m[j * n + i]) / 2;
    }
  c.found = spectrum_of(m, n, n);
  free(m);
  free(q);
  return c;
}

/* With q in 0 .. 1 the roots of z^2 - 2 q z + q are sqrt(q) from 0. */
Test(spring_projection, is_symmetric_and_between_0_and_1_at_any_stiffness_mass_and_step) {
  static const double steps[] = {1e-4, 1e-3, 1.0 / 64, 1};
  double largest = 0;
  for (int n = 0; n < share_of(40); n++) {
    generator random = {.state = (uint64_t)n + 1};
    const int32_t particles = 6 + n % 5 * 6;
    msd_world *world = network_of(&random, particles, particles * (1 + n % 3) - n % 2,
                                  &(making_line){-4, 4, 12, .pins = n % 3 > 0});
    const double dt = (double)(msd_real)steps[n % 4];
    ASSERT_OK(world, stepper_prepare(&world->stepper));
    ASSERT_OK(world, stepper_tune_springs(&world->stepper, dt));
    stepper_tune_constraints(&world->stepper, dt);
    const projection_check c = check_projection(world, dt);
    largest = fmax(largest, c.found.most);
    cr_expect_geq(c.found.least, -ROUNDING, "network %d, dt %g: %g", n, dt, c.found.least);
    cr_expect_leq(c.found.most, 1 + ROUNDING, "network %d, dt %g: %g", n, dt, c.found.most);
    cr_expect_leq(c.apart, ROUNDING, "network %d, dt %g: %g from symmetric", n, dt, c.apart);
    cr_expect_leq(c.off, ROUNDING, "network %d, dt %g: %g from the matrices", n, dt, c.off);
    msd_destroy_world(world);
  }
  cr_expect_geq(largest, 0.9, "something moves: %g", largest);
}

/* ----------------------------------------------------------------------------------------------- in motion */

static void set_in_motion(msd_world *world, generator *g, bool in_space) {
  for (int32_t i = 0; i < msd_world_get_particle_count(world); i++) {
    msd_vec3 v = random_vector(g, 1);
    if (!in_space)
      v.y = v.z = 0;
    if (!msd_particle_is_pinned(world, i))
      ASSERT_OK(world, msd_particle_set_velocity(world, i, v));
  }
}

/* T(v') + Phi(x')/dt^2 falls, and Phi is 0 at rest: dampers or not. */
Test(spring_projection, what_begins_at_rest_lengths_never_has_more_kinetic_energy) {
  static const double steps[] = {1e-4, 1e-3, 1.0 / 64, 1};
  for (int n = 0; n < share_of(24); n++) {
    generator random = {.state = (uint64_t)n + 100};
    msd_world *world =
        network_of(&random, 20, 20 + n, &(making_line){-1, 1, 12, n % 3 > 0, n % 2 > 0, false});
    const double dt = steps[n % 4];
    set_in_motion(world, &random, false);
    for (int32_t i = 0; i < 20; i++) {
      msd_vec3 v = msd_particle_get_velocity(world, i);
      v.x *= (msd_real)(0.001 / dt);
      ASSERT_OK(world, msd_particle_set_velocity(world, i, v));
    }
    const double first = msd_world_get_stats(world).kinetic_energy;
    double most = 0;
    for (int step = 0; step < share_of(400); step++) {
      ASSERT_OK(world, msd_world_step(world, (msd_real)dt, 1));
      most = fmax(most, msd_world_get_stats(world).kinetic_energy);
    }
    cr_expect_leq(most, first * (1 + ROUNDING / 10), "network %d, dt %g: %g of %g", n, dt, most, first);
    msd_destroy_world(world);
  }
}

Test(spring_projection, random_networks_in_space_do_not_explode) {
  static const double steps[] = {1e-4, 1e-3, 1.0 / 64, 1};
  double worst = 0;
  for (int n = 0; n < share_of(40); n++) {
    generator random = {.state = (uint64_t)n + 300};
    msd_world *world =
        network_of(&random, 24, 24 + n % 40, &(making_line){-4, 4, 12, n % 3 > 0, n % 2 > 0, true});
    set_in_motion(world, &random, true);
    const double first = msd_world_get_stats(world).kinetic_energy;
    for (int step = 0; step < share_of(1000); step++)
      ASSERT_OK(world, msd_world_step(world, (msd_real)steps[n % 4], 1));
    const double ratio = msd_world_get_stats(world).kinetic_energy / first;
    worst = fmax(worst, ratio);
    cr_expect_leq(ratio, 4, "network %d: %g times the energy", n, ratio);
    msd_destroy_world(world);
  }
  cr_log_info("worst %g", worst);
}
