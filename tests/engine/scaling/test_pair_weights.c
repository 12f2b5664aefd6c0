/* Constraints, fibers and soft pins through the operator of scaled masses: whatever the shape, what they take
   by their gradients is at most 3.92 W together with springs, by dense eigenvalues. */

#include "engine/scaling/pair_weights.h"
#include "engine/stability/softening_weights.h"
#include "engine/step/scaled_step.h"
#include "engine/world/world.h"
#include "tests/support/eigenvalue.h"
#include "tests/support/networks.h"
#include "tests/support/share.h"
#include "tests/support/torn_sheets.h"

#include <math.h>

enum { PARTICLES = 16, HELD_MAX = 24, ROWS_MAX = 400, NUMBERS = 3 * HELD_MAX };

/* x' (dt^2 K + 2 dt D) x is at most the sum of the squares of row . x. */
typedef struct rows {
  int count;
  double of[ROWS_MAX][NUMBERS];
} rows;

static const msd_spring_law all_laws[] = {MSD_SPRING_STIFFNESS, MSD_SPRING_COEFFICIENT, MSD_SPRING_FREQUENCY};

/* 10 to a random power between two, in steps of 1/64. */
static double random_power(generator *g, int least, int most) {
  return pow(10, least + random_below(g, 64 * (most - least) + 1) / 64.0);
}

static void add_particles(msd_world *world, generator *g, bool pins) {
  for (int32_t i = 0; i < PARTICLES; i++) {
    msd_particle_def def = msd_default_particle_def();
    def.position = random_vector(g, 1);
    def.mass = (msd_real)random_power(g, -3, 3);
    def.pinned = pins && i % 7 == 0;
    ASSERT_OK(world, msd_add_particles(world, &def, 1, NULL));
  }
}

static void add_springs(msd_world *world, generator *g) {
  for (int32_t s = 0; s < PARTICLES; s++) {
    msd_spring_def def = msd_default_spring_def();
    def.a = s;
    def.b = (s + 1) % PARTICLES;
    def.stiffness = (msd_real)random_power(g, -3, 9);
    def.damping = s % 3 == 0 ? 0 : (msd_real)random_power(g, -4, 3);
    ASSERT_OK(world, msd_add_springs(world, &def, 1, NULL));
  }
}

/* Of all kinds but meshes, and of all laws. */
static void add_constraint(msd_world *world, generator *g, int n) {
  static const msd_constraint_kind kinds[] = {MSD_CONSTRAINT_ANGLE, MSD_CONSTRAINT_DIHEDRAL,
                                              MSD_CONSTRAINT_AREA, MSD_CONSTRAINT_VOLUME,
                                              MSD_CONSTRAINT_FIBER};
  msd_constraint_def def = msd_default_constraint_def();
  def.kind = kinds[n % 5];
  const int corners =
      def.kind == MSD_CONSTRAINT_FIBER ? 3 + n / 5 % 2 : msd_constraint_kind_particles(def.kind);
  const int32_t first = random_below(g, PARTICLES), step = 1 + random_below(g, 3);
  for (int c = 0; c < corners; c++)
    def.particles[c] = (first + c * step) % PARTICLES;
  for (int c = 1; c < corners && def.kind == MSD_CONSTRAINT_FIBER; c++) {
    def.weights[c] = random_real(g) + (msd_real)1.5;
    def.weights[0] -= def.weights[c];
  }
  def.law = all_laws[n / 5 % 3];
  def.stiffness = (msd_real)random_power(g, -3, 9);
  def.damping = (msd_real)random_power(g, -4, 3);
  def.ck = n % 2 ? MSD_MAX_STABLE : (msd_real)random_power(g, -1, 2);
  def.cd = n % 2 ? MSD_MAX_STABLE : (msd_real)random_power(g, -1, 2);
  def.frequency = (msd_real)random_power(g, 0, 5);
  def.damping_ratio = (msd_real)random_power(g, -2, 0);
  ASSERT_OK(world, msd_add_constraints(world, &def, 1, NULL));
}

static void add_mesh(msd_world *world, generator *g) {
  static const int32_t sides[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};
  int32_t triangles[12];
  const int32_t first = random_below(g, PARTICLES);
  for (int n = 0; n < 12; n++)
    triangles[n] = (first + 2 * sides[n / 3][n % 3]) % PARTICLES;
  msd_constraint_def def = msd_default_constraint_def();
  def.kind = MSD_CONSTRAINT_MESH_VOLUME;
  def.triangles = triangles;
  def.triangle_count = 4;
  def.stiffness = (msd_real)random_power(g, 0, 9);
  ASSERT_OK(world, msd_add_constraints(world, &def, 1, NULL));
}

static void add_soft_pins(msd_world *world, generator *g) {
  for (int32_t n = 0; n < 3; n++) {
    msd_soft_pin_def def = msd_default_soft_pin_def();
    def.particle = 5 * n + 1;
    def.law = all_laws[n];
    def.ck = def.cd = 1;
    def.stiffness = (msd_real)random_power(g, -3, 9);
    def.damping = (msd_real)random_power(g, -4, 3);
    def.frequency = (msd_real)random_power(g, 0, 5);
    ASSERT_OK(world, msd_add_soft_pins(world, &def, 1, NULL));
  }
}

static double load_of(law_tuning t, double dt) {
  return dt * dt * t.stiffness + 2 * dt * t.damping;
}

/* Three rows, one for each direction, of load |sum of weights x|^2. */
static void add_isotropic(rows *r, double load, const int32_t *particles, const double *weights, int count) {
  for (int c = 0; c < 3; c++, r->count++) {
    cr_assert_lt(r->count, ROWS_MAX);
    for (int n = 0; n < count; n++)
      r->of[r->count][3 * particles[n] + c] += sqrt(load) * weights[n];
  }
}

static void add_spring_rows(const msd_world *world, rows *r, double dt) {
  const spring_store *s = &world->model.springs;
  for (int32_t e = 0; e < s->count; e++) {
    const law_terms terms = spring_effective_mass(s, &world->model.particles, e);
    add_isotropic(r, load_of(law_tune(&terms, dt, false), dt), (int32_t[]){s->a[e], s->b[e]},
                  (double[]){1, -1}, 2);
  }
}

/* At the present shape, softened as the step does it. */
static void add_constraint_rows(const msd_world *world, rows *r, double dt) {
  const constraint_store *s = &world->model.constraints;
  const particle_store *p = &world->model.particles;
  for (int32_t c = 0; c < s->count; c++) {
    const constraint_corners corners = constraint_corners_of(s, c);
    if (constraint_is_fiber(s, c)) {
      double weights[4] = {0};
      for (int32_t n = 1; n < corners.count; n++) {
        weights[n] = (double)constraint_fiber_of(s, c)[n];
        weights[0] -= weights[n];
      }
      add_isotropic(r, scaled_constraint_load(&world->model, c, dt), corners.particles, weights,
                    corners.count);
      continue;
    }
    const constraint_shape shape = constraint_measure(s, p, c);
    const law_tuning t = constraint_present_tuning(s, p, c, &shape, dt, false);
    for (int32_t n = 0; n < corners.count; n++) {
      const double3 g = constraint_gradient(s, p, c, n);
      for (int k = 0; k < 3; k++)
        r->of[r->count][3 * corners.particles[n] + k] = sqrt(load_of(t, dt)) * (k == 0   ? g.x
                                                                                : k == 1 ? g.y
                                                                                         : g.z);
    }
    r->count++;
  }
}

static void add_soft_pin_rows(const msd_world *world, rows *r, double dt) {
  for (int32_t n = 0; n < world->model.soft_pins.count; n++) {
    const soft_pin_entry *a = &world->model.soft_pins.entries[n];
    const double mass = (double)world->model.particles.mass[a->particle];
    const law_terms terms = law_split(a->law, mass, mass);
    add_isotropic(r, load_of(law_tune(&terms, dt, false), dt), &a->particle, (double[]){1}, 1);
  }
}

/* C of a row, into another. */
static void apply(const msd_world *world, const double *row, double *out) {
  const scaled_level *first = &world->stepper.scaling.levels[0];
  const particle_store *p = &world->model.particles;
  parallel_barrier barrier = {0};
  double most = 0;
  for (int n = 0; n < NUMBERS; n++)
    most = fmax(most, fabs(row[n]));
  for (int32_t i = 0; i < p->count; i++)
    for (size_t c = 0; c < 3; c++)
      first->start.at[c * first->start.stride + particle_slot(p, i)] =
          first->system.inverse[particle_slot(p, i)] *
          (p->inverse_mass[i] > 0 && most > 0 ? (msd_real)(row[3 * (size_t)i + c] / most) : 0);
  scaled_apply(&(scaled_thread){&world->stepper.scaling,
                                kernels_choose(MSD_SIMD_WIDEST),
                                &barrier,
                                0,
                                1,
                                {0, first->system.rows.group_count}});
  for (int32_t i = 0; i < p->count; i++)
    for (size_t c = 0; c < 3; c++)
      out[3 * (size_t)i + c] = most * (double)first->start.at[c * first->start.stride + particle_slot(p, i)];
}

static double largest_share(const msd_world *world, double dt) {
  rows *r = calloc(1, sizeof *r);
  cr_assert_not_null(r);
  add_spring_rows(world, r, dt);
  add_constraint_rows(world, r, dt);
  add_soft_pin_rows(world, r, dt);
  double *m = calloc((size_t)(r->count * r->count), sizeof *m), moved[NUMBERS] = {0};
  cr_assert_not_null(m);
  for (int i = 0; i < r->count; i++) {
    apply(world, r->of[i], moved);
    for (int j = 0; j < r->count; j++)
      for (int n = 0; n < NUMBERS; n++)
        m[i * r->count + j] += r->of[j][n] * moved[n] / 2;
  }
  for (int i = 0; i < r->count; i++)
    for (int j = 0; j <= i; j++)
      m[i * r->count + j] = m[j * r->count + i] = m[i * r->count + j] + m[j * r->count + i];
  const double found = largest_eigenvalue(m, r->count, r->count);
  free(m);
  free(r);
  return found;
}

#ifdef MSD_DOUBLE
static const double ROUNDING = 1e-5;
#else
static const double ROUNDING = 0.05; /* loads are up to 10^12 times a mass, and a float has 7 digits */
#endif

Test(pair_weights, certifies_constraints_fibers_and_soft_pins_at_any_shape_stiffness_mass_and_step) {
  static const double steps[] = {1e-4, 1e-3, 1.0 / 60, 1};
  double largest = 0;
  for (int n = 0; n < share_of(24); n++) {
    generator random = {.state = (uint64_t)n + 1};
    msd_world_def def = msd_default_world_def();
    def.mass_scaling = MSD_MASS_SCALING_SELECTIVE;
    msd_world *world = world_from_def(&def);
    const double dt = steps[n % 4];
    add_particles(world, &random, n % 3 > 0);
    if (n % 2)
      add_springs(world, &random);
    for (int c = 0; c < 10 + n % 12; c++)
      add_constraint(world, &random, c);
    add_mesh(world, &random);
    if (n % 5 == 0)
      add_soft_pins(world, &random);
    ASSERT_OK(world, stepper_prepare(&world->stepper));
    ASSERT_OK(world, stepper_tune_springs(&world->stepper, dt));
    ASSERT_OK(world, softening_weights_make(&world->model, dt));
    for (int shape = 0; shape < 2; shape++) {
      const double found = largest_share(world, dt);
      largest = fmax(largest, found);
      cr_expect_leq(found, 3.92 + ROUNDING, "network %d, shape %d, dt %g: %g", n, shape, dt, found);
      for (int32_t i = 0; i < PARTICLES; i++)
        ASSERT_OK(world, msd_particle_set_position(world, i, random_vector(&random, (msd_real)(1 + shape))));
    }
    msd_destroy_world(world);
  }
  cr_expect_geq(largest, 3, "the bound is %g away", largest);
}

/* With laws that follow the masses too, of which a split makes two of one. */
Test(pair_weights, certifies_what_splits_have_left_of_a_sheet_at_any_step) {
  static const double steps[] = {1e-4, 1e-3, 1.0 / 60, 1};
  int64_t parts = 0;
  for (int n = 0; n < share_of(24); n++) {
    generator random = {.state = (uint64_t)n + 1};
    msd_world *world = sheet_of(4, 4, CLOTH_BEND, (making){.laws = (laws)(n % LAWS_COUNT)});
    for (int32_t i = 0; i < 16; i++)
      ASSERT_OK(world, msd_particle_set_mass(world, i, (msd_real)random_power(&random, -3, 3)));
    ASSERT_OK(world, msd_world_scale_stiffness(world, (msd_real)random_power(&random, 0, 6)));
    ASSERT_OK(world, msd_collision_mesh_exclude(world, 0, 0));
    ASSERT_OK(world, msd_world_set_mass_scaling(world, MSD_MASS_SCALING_SELECTIVE));
    for (int torn = 0; torn < 6; torn++) {
      ASSERT_OK(world, msd_world_step(world, (msd_real)steps[n % 4] / 1024, 1));
      const int32_t spring = random_below(&random, msd_world_get_spring_count(world));
      if (!msd_spring_is_broken(world, spring))
        split_at(world, spring, msd_spring_get_def(world, spring).a);
    }
    parts += msd_world_get_particle_count(world) - 16;
    ASSERT_OK(world, stepper_prepare(&world->stepper));
    ASSERT_OK(world, stepper_tune_springs(&world->stepper, steps[n % 4]));
    const double found = largest_share(world, steps[n % 4]);
    cr_expect_leq(found, 3.92 + ROUNDING, "sheet %d, dt %g: %g", n, steps[n % 4], found);
    msd_destroy_world(world);
  }
  cr_expect_gt(parts, in_part ? 2 : 40, "%d", (int)parts);
}

static msd_world *fold_of(msd_real stiffness) {
  static const msd_vec3 at[] = {{0, 0, 0}, {2, 0, 0}, {1, 2, 0}, {1, -2, 0}};
  msd_world_def def = msd_default_world_def();
  def.mass_scaling = MSD_MASS_SCALING_SELECTIVE;
  msd_world *world = world_from_def(&def);
  for (int i = 0; i < 4; i++) {
    msd_particle_def particle = msd_default_particle_def();
    particle.position = at[i];
    ASSERT_OK(world, msd_add_particles(world, &particle, 1, NULL));
  }
  msd_constraint_def fold = msd_default_constraint_def();
  fold.kind = MSD_CONSTRAINT_DIHEDRAL;
  for (int n = 0; n < 4; n++)
    fold.particles[n] = n;
  fold.stiffness = stiffness;
  ASSERT_OK(world, msd_add_constraints(world, &fold, 1, NULL));
  return world;
}

/* A fold of any stiffness is what it is where it was placed, and not softened. */
Test(pair_weights, a_fold_is_as_stiff_as_it_was_asked_for_at_any_step) {
  msd_world *world = fold_of(1e6);
  msd_softening found;
  ASSERT_OK(world, msd_world_find_softening(world, 1, false, &found));
  cr_expect_eq(found.constraints, 0, "%d", (int)found.constraints);
  ASSERT_OK(world, msd_world_set_mass_scaling(world, MSD_MASS_SCALING_NONE));
  ASSERT_OK(world, msd_world_find_softening(world, 1, false, &found));
  cr_expect_eq(found.constraints, 1);
  msd_destroy_world(world);
}
