/* The operator of scaled masses against the bound that is proven for it, by dense eigenvalues: of C L,
   with L the sum of kappa (x_i - x_j)^2, none is above 3.92, whatever the masses, the stiffness and the
   step. */

#include "engine/step/scaled_step.h"
#include "engine/world/world.h"
#include "tests/support/eigenvalue.h"
#include "tests/support/networks.h"
#include "tests/support/share.h"

#include <math.h>

/* 10 to a random power between two, in steps of 1/64. */
static double random_power(generator *g, int least, int most) {
  return pow(10, least + random_below(g, 64 * (most - least) + 1) / 64.0);
}

/* Masses that are up to 10^8 apart, and stiffness over mass up to 10^12. */
static msd_world *random_network(generator *g, int32_t particles, int32_t springs, bool pins) {
  msd_world_def world_def = msd_default_world_def();
  world_def.mass_scaling = MSD_MASS_SCALING_SELECTIVE;
  msd_world *world = world_from_def(&world_def);
  for (int32_t i = 0; i < particles; i++) {
    msd_particle_def def = msd_default_particle_def();
    def.position = random_vector(g, 1);
    def.mass = (msd_real)random_power(g, -4, 4);
    def.pinned = pins && i % 7 == 0;
    ASSERT_OK(world, msd_add_particles(world, &def, 1, NULL));
  }
  for (int32_t s = 0; s < springs; s++) {
    msd_spring_def def = msd_default_spring_def();
    def.a = s < particles - 1 ? s : random_below(g, particles);
    def.b = s < particles - 1 ? s + 1 : (def.a + 1 + random_below(g, particles - 1)) % particles;
    const double light =
        fmin((double)msd_particle_get_mass(world, def.a), (double)msd_particle_get_mass(world, def.b));
    def.stiffness = (msd_real)(light * random_power(g, 0, 12));
    def.damping = s % 3 == 0 ? 0 : (msd_real)(light * random_power(g, -2, 5));
    ASSERT_OK(world, msd_add_springs(world, &def, 1, NULL));
  }
  return world;
}

/* C of a force at the ends of a spring, which is the same in all three components. */
static void apply(const msd_world *world, int32_t spring, double force) {
  const scaled_level *first = &world->stepper.scaling.levels[0];
  const spring_store *s = &world->model.springs;
  const particle_store *p = &world->model.particles;
  parallel_barrier barrier = {0};
  for (size_t c = 0; c < 3; c++)
    for (int32_t i = 0; i < first->rows; i++)
      first->start.at[c * first->start.stride + (size_t)i] = 0;
  for (int end = 0; end < 2; end++) {
    const int32_t particle = end ? s->b[spring] : s->a[spring];
    const size_t slot = particle_slot(p, particle);
    for (size_t c = 0; c < 3 && p->inverse_mass[particle] > 0; c++)
      first->start.at[c * first->start.stride + slot] =
          first->system.inverse[slot] * (msd_real)(end ? -force : force);
  }
  scaled_apply(&(scaled_thread){&world->stepper.scaling,
                                kernels_choose(MSD_SIMD_WIDEST),
                                &barrier,
                                0,
                                1,
                                {0, first->system.rows.group_count}});
}

static double moved(const msd_world *world, int32_t particle) {
  const scaled_level *first = &world->stepper.scaling.levels[0];
  return (double)first->start.at[particle_slot(&world->model.particles, particle)];
}

static double kappa_of(const msd_world *world, int32_t spring, double dt) {
  const msd_spring_def def = msd_spring_get_def(world, spring);
  return dt * dt * (double)def.stiffness + 2 * dt * (double)def.damping;
}

/* The eigenvalues of sqrt(kappa) N C N' sqrt(kappa), N the differences along the springs: those of C L,
   and zeros. How far it is from symmetric, of its largest number, goes to *apart. */
static spectrum spectrum_of_network(const msd_world *world, double dt, double *apart) {
  const int springs = msd_world_get_spring_count(world);
  double *m = calloc((size_t)(springs * springs), sizeof *m), most = 0;
  cr_assert_not_null(m);
  *apart = 0;
  for (int32_t s = 0; s < springs; s++) {
    apply(world, s, 1);
    for (int32_t t = 0; t < springs; t++) {
      const msd_spring_def def = msd_spring_get_def(world, t);
      m[s * springs + t] = sqrt(kappa_of(world, s, dt)) * sqrt(kappa_of(world, t, dt)) *
                           (moved(world, def.a) - moved(world, def.b));
    }
  }
  for (int s = 0; s < springs; s++)
    for (int t = 0; t <= s; t++) {
      const double one = m[s * springs + t], other = m[t * springs + s];
      most = fmax(most, fabs(one));
      *apart = fmax(*apart, fabs(one - other));
      m[s * springs + t] = m[t * springs + s] = (one + other) / 2;
    }
  *apart /= most;
  const spectrum found = spectrum_of(m, springs, springs);
  free(m);
  return found;
}

#ifdef MSD_DOUBLE
static const double ROUNDING = 1e-6;
#else
static const double ROUNDING = 0.02; /* kappa is up to 10^12 times a mass, and a float has 7 digits */
#endif

Test(mass_scaling, certifies_random_networks_at_any_stiffness_mass_and_step) {
  static const double steps[] = {1e-4, 1e-3, 1.0 / 60, 1};
  double largest = 0;
  for (int n = 0; n < share_of(40); n++) {
    generator random = {.state = (uint64_t)n + 1};
    const int32_t particles = 6 + n % 5 * 6;
    msd_world *world = random_network(&random, particles, particles * (1 + n % 3) - n % 2, n % 4 > 0);
    const double dt = steps[n % 4];
    ASSERT_OK(world, stepper_prepare(&world->stepper));
    ASSERT_OK(world, stepper_tune_springs(&world->stepper, dt));
    double apart;
    const spectrum found = spectrum_of_network(world, dt, &apart);
    largest = fmax(largest, found.most);
    cr_expect_leq(found.most, 3.92 + ROUNDING, "network %d, dt %g: %g", n, dt, found.most);
    cr_expect_geq(found.least, -ROUNDING, "network %d, dt %g: %g", n, dt, found.least);
    cr_expect_leq(apart, ROUNDING, "network %d, dt %g: %g", n, dt, apart);
    msd_destroy_world(world);
  }
  cr_expect_geq(largest, 3, "the bound is %g away", largest);
}

Test(mass_scaling, has_several_levels_of_a_stiff_sheet_and_none_that_a_soft_one_needs) {
  graph g = graph_cloth(40, 40, CLOTH_BEND);
  msd_world *world = world_of(&g, &(making){.pins = true});
  ASSERT_OK(world, msd_world_set_mass_scaling(world, MSD_MASS_SCALING_SELECTIVE));
  ASSERT_OK(world, stepper_prepare(&world->stepper));
  ASSERT_OK(world, stepper_tune_springs(&world->stepper, 10));
  cr_expect_geq(world->stepper.scaling.level_count, 3);
  ASSERT_OK(world, stepper_tune_springs(&world->stepper, 1e-3));
  cr_expect_eq(world->stepper.scaling.level_count, 1);
  cr_expect_eq(world->stepper.scaling.levels[0].system.rows.first[100], 0, "no spring is too stiff");
  ASSERT_OK(world, msd_world_set_mass_scaling(world, MSD_MASS_SCALING_NONE));
  ASSERT_OK(world, stepper_tune_springs(&world->stepper, 1e-3));
  cr_expect_eq(world->stepper.scaling.level_count, 0, "the memory is given back");
  msd_destroy_world(world);
  graph_free(&g);
}
