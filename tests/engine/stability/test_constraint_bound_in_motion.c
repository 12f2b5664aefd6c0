/* What the limit of springs on constraints is worth in motion: folds of triangles that collapse, shapes that
   blow up, crumpled sheets. */
#include "tests/support/constraint_matrix.h"
#include "tests/support/crumpled.h"

#include "engine/stability/constraint_bound.h"

#include <msd/builder.h>

/* ------------------------------------------------------------------------------------ folds that collapse */

static msd_cloth_def bent_cloth(msd_bend_kind kind, double stiffness) {
  msd_cloth_def def = msd_default_cloth_def();
  def.columns = def.rows = 15;
  def.mass = (msd_real)0.05;
  def.v = (msd_vec3){0, 0, 1};
  def.stretch.law = def.bend.law = MSD_SPRING_STIFFNESS;
  def.stretch.stiffness = 100;
  def.stretch.damping = (msd_real)0.02;
  def.bend.stiffness = (msd_real)stiffness;
  def.bend.damping = (msd_real)1e-6;
  def.bend_kind = kind;
  return def;
}

/* A meter of cloth without shear springs, whose cells flatten as it swings down from two corners: no motion has
   more energy than a fall of 1 m gives, whatever the gradients grow to. */
Test(constraint_bound_in_motion, folds_of_triangles_that_collapse_in_motion_gain_no_energy) {
  const struct {
    double bend, frame, time;
    int substeps;
    msd_integrator integrator;
  } table[] = {
      {1e-3, 1.0 / 60, 3, 0, MSD_SYMPLECTIC_EULER},
      {1e-5, 1.0 / 60, 3, 0, MSD_SYMPLECTIC_EULER},
      {1e-3, 0.001, 1, 0, MSD_SYMPLECTIC_EULER},
      {1e-3, 1.0 / 60, 2, 0, MSD_VELOCITY_VERLET},
      {1e-3, 1.0 / 60, 2, 0, MSD_RK4},
      {1e-3, 1.0 / 60, 2, 40, MSD_SEQUENTIAL_IMPULSE},
  };
  const double fall = 0.05 * 9.81;
  for (size_t n = 0; n < sizeof table / sizeof *table; n++) {
    msd_world_def def = msd_default_world_def();
    def.linear_damping = (msd_real)0.2;
    def.integrator = table[n].integrator;
    msd_world *world = NULL;
    cr_assert_eq(msd_create_world(&def, &world), MSD_OK);
    const msd_cloth_def cloth = bent_cloth(MSD_BEND_DIHEDRAL, table[n].bend);
    ASSERT_OK(world, msd_add_cloth(world, &cloth, NULL));
    ASSERT_OK(world, msd_particle_pin(world, 0));
    ASSERT_OK(world, msd_particle_pin(world, 14));
    for (double t = 0; t < table[n].time; t += table[n].frame) {
      ASSERT_OK(world, msd_world_step(world, (msd_real)table[n].frame, table[n].substeps));
      const msd_stats stats = msd_world_get_stats(world);
      cr_assert(stats.kinetic_energy + stats.elastic_energy < fall, "row %d, %g s: %g J", (int)n, t,
                stats.kinetic_energy + stats.elastic_energy);
    }
    msd_destroy_world(world);
  }
}

/* The rest of a straight angle is pi in single precision, above pi. */
Test(constraint_bound_in_motion, a_flat_cloth_of_angles_is_certified_as_one_without_them) {
  double steps[2];
  for (int bends = 0; bends < 2; bends++) {
    msd_world *world = empty_world();
    const msd_cloth_def cloth = bent_cloth(MSD_BEND_ANGLE, bends ? 1e-6 : 0);
    ASSERT_OK(world, msd_add_cloth(world, &cloth, NULL));
    steps[bends] = report_of(world, 0.01).stable_substep;
    msd_destroy_world(world);
  }
  cr_assert(steps[1] > 0.9 * steps[0], "%g s with angles, %g s without", steps[1], steps[0]);
}

/* The radius of constraints alone as the last substep, of dt, softens them at the present shape. */
static double softened_radius(const msd_world *world, double dt) {
  const constraint_store *s = &world->model.constraints;
  const particle_store *p = &world->model.particles;
  matrix m = {.size = 3 * p->count};
  for (int32_t c = 0; c < s->count; c++) {
    const constraint_shape shape = constraint_measure(s, p, c);
    const law_tuning t = constraint_present_tuning(s, p, c, &shape, dt, false);
    const double load = dt * dt * t.stiffness + 2 * dt * t.damping;
    const constraint_corners its = constraint_corners_of(s, c);
    double g[MATRIX_SIZE] = {0};
    for (int32_t n = 0; n < its.count; n++) {
      const double3 slope = constraint_gradient(s, p, c, n);
      const double root = sqrt(inverse_mass_of(world, its.particles[n]));
      double *at = g + 3 * its.particles[n];
      at[0] = root * slope.x, at[1] = root * slope.y, at[2] = root * slope.z;
    }
    for (int i = 0; i < m.size; i++)
      for (int j = 0; j < m.size; j++)
        m.at[i][j] += load * g[i] * g[j];
  }
  return matrix_spectrum(&m).most;
}

/* Needles, flat tetrahedra, folded legs: whatever the shape and however stiff the constraint, all of them
   together stay below 4 at the substep, and the report counts them. */
Test(constraint_bound_in_motion, softened_constraints_keep_the_radius_below_4_at_every_shape) {
  int32_t softened = 0;
  for (uint64_t seed = 1; seed <= 100; seed++) {
    msd_world *world = empty_world();
    generator random = {.state = seed};
    add_crumpled_particles(world, &random, 8);
    for (int c = 0; c < 12; c++)
      add_random_constraint(world, &random, c % 2 ? MSD_CONSTRAINT_DIHEDRAL : MSD_CONSTRAINT_ANGLE, 0);
    for (double dt = 1e-3; dt < 10; dt *= 10) {
      const int32_t counted = softened_constraints(world, dt);
      softened += counted;
      if (counted > 0)
        continue;
      cr_assert(linear_radius(world, dt, false) < 4, "network %d at %g s: nothing is softened", (int)seed,
                dt);
    }
    ASSERT_OK(world, msd_world_step(world, 1, 1));
    cr_assert(softened_radius(world, 1) < 4, "network %d", (int)seed);
    msd_destroy_world(world);
  }
  cr_assert(softened > 100);
}

/* ------------------------------------------------------------------------------------- shapes that blow up */

static double energy_now(const msd_world *world) {
  const msd_stats stats = msd_world_get_stats(world);
  return stats.kinetic_energy + stats.elastic_energy;
}

static void add_moving(msd_world *world, const double x[3], const double v[3], double mass, bool pinned) {
  msd_particle_def def = msd_default_particle_def();
  def.position = (msd_vec3){(msd_real)x[0], (msd_real)x[1], (msd_real)x[2]};
  def.velocity = (msd_vec3){(msd_real)v[0], (msd_real)v[1], (msd_real)v[2]};
  def.mass = (msd_real)mass;
  def.pinned = pinned;
  ASSERT_OK(world, msd_add_particles(world, &def, 1, NULL));
}

/* The largest energy in so many frames over that at the beginning. */
static double energy_gained(msd_world *world, double frame, int frames, int substeps) {
  const double begun = energy_now(world);
  double most = begun;
  for (int n = 0; n < frames; n++) {
    ASSERT_OK(world, msd_world_step(world, (msd_real)frame, substeps));
    most = fmax(most, energy_now(world));
  }
  return most / begun;
}

/* Its stiffness grows as the fourth power of its size, many times in a frame. */
Test(constraint_bound_in_motion, a_volume_of_free_particles_that_fly_apart_does_not_explode) {
  static const double x[4][3] = {{-.7677, .8326, -.3597},
                                 {2.424, -.8579, 1.27},
                                 {-1.634, 1.288, .4018},
                                 {-.2272, .3915, .1839}},
                      v[4][3] = {{13.6, -11.59, 1.685},
                                 {16.03, 11.29, 6.399},
                                 {.089, -4.897, -15.95},
                                 {.3316, 4.435, -8.58}};
  msd_world *world = empty_world();
  for (int i = 0; i < 4; i++)
    add_moving(world, x[i], v[i], 1, false);
  msd_constraint_def def = constraint_of(MSD_CONSTRAINT_VOLUME, 0, 1, 2, 3);
  def.stiffness = 4305;
  add_constraint(world, def);
  cr_assert_lt(energy_gained(world, 1.0 / 60, 2000, 0), 10);
  msd_destroy_world(world);
}

/* A law by frequency has an energy, as its mass is that of one shape. */
Test(constraint_bound_in_motion, an_undamped_angle_by_frequency_keeps_its_energy) {
  static const double x[3][3] = {{-1.296, 1.154, .92}, {-.0264, .4512, -1.227}, {2.345, .3591, 2.818}},
                      still[3] = {0, 0, 0}, mass[3] = {1, .589, 202.7};
  for (int fine = 0; fine < 2; fine++) {
    msd_world *world = empty_world();
    for (int i = 0; i < 3; i++)
      add_moving(world, x[i], still, mass[i], i == 0);
    msd_constraint_def def = constraint_of(MSD_CONSTRAINT_ANGLE, 0, 1, 2, -1);
    def.law = MSD_SPRING_FREQUENCY;
    def.frequency = (msd_real)23.7;
    def.rest = (msd_real)2.62;
    add_constraint(world, def);
    const double gained = fine ? energy_gained(world, 1e-4, 5000, 1) : energy_gained(world, 1.0 / 60, 600, 0);
    cr_assert_lt(gained, fine ? 1.1 : 10, "%g times", gained);
    msd_destroy_world(world);
  }
}

/* Four particles in a plane without any force, beside an angle: the volume between them stays 0, and its
   gradients grow with the square of the time. */
Test(constraint_bound_in_motion, particles_that_fly_apart_ask_for_no_end_of_substeps) {
  static const double x[4][3] = {{1, 0, 0}, {0, 1, 0}, {-1, 0, 0}, {0, -1, 0}};
  msd_world *world = empty_world();
  for (int i = 0; i < 4; i++) {
    const double v[3] = {1e4 * x[i][0], 1e4 * x[i][1], 0};
    add_moving(world, x[i], v, 1, false);
  }
  msd_constraint_def def = constraint_of(MSD_CONSTRAINT_VOLUME, 0, 1, 2, 3);
  def.stiffness = 100;
  add_constraint(world, def);
  def = constraint_of(MSD_CONSTRAINT_ANGLE, 0, 1, 2, -1);
  def.stiffness = 1;
  add_constraint(world, def);
  const int64_t begun = msd_world_get_steps(world);
  cr_assert_lt(energy_gained(world, 1.0 / 60, 120, 0), 1.1);
  cr_assert_lt(msd_world_get_steps(world) - begun, 120 * 100);
  msd_destroy_world(world);
}

/* A leg that shortens to nothing and grows again: 1/leg^2 asks for more substeps, then for fewer, which are
   found at other frames than those in which they are asked for. */
Test(constraint_bound_in_motion, a_restored_world_finds_its_substeps_in_the_same_frames) {
  static const double x[3][3] = {{-1, 0, 0}, {0, 0, 0}, {0, 1, 0}}, v[3][3] = {{10, 0, 0}, {0}, {0}};
  msd_world *world = empty_world(), *restored = empty_world();
  for (int i = 0; i < 3; i++)
    add_moving(world, x[i], v[i], 1, i > 0);
  msd_constraint_def def = constraint_of(MSD_CONSTRAINT_ANGLE, 0, 1, 2, -1);
  def.stiffness = 10000;
  add_constraint(world, def);
  int64_t least = INT64_MAX, most = 0;
  for (int frame = 0; frame < 80; frame++) {
    static unsigned char bytes[1 << 16];
    size_t size;
    if (frame % 5 == 0) {
      ASSERT_OK(world, msd_world_save(world, bytes, sizeof bytes, &size));
      ASSERT_OK(restored, msd_world_restore(restored, bytes, size));
    }
    const int64_t before = msd_world_get_steps(world);
    ASSERT_OK(world, msd_world_step(world, (msd_real)0.015625, 0));
    ASSERT_OK(restored, msd_world_step(restored, (msd_real)0.015625, 0));
    const int64_t taken = msd_world_get_steps(world) - before;
    least = taken < least ? taken : least;
    most = taken > most ? taken : most;
    cr_assert_eq(msd_world_get_steps(world), msd_world_get_steps(restored), "frame %d", frame);
    cr_assert_eq(msd_world_hash(world), msd_world_hash(restored), "frame %d", frame);
  }
  cr_assert_gt(most, 2 * least, "%d to %d", (int)least, (int)most);
  msd_destroy_world(world);
  msd_destroy_world(restored);
}

/* --------------------------------------------------------------------------------------------- in motion */

/* A sheet with springs along its edges and one diagonal of each square, and constraints of one kind all
   over. */
static msd_world *sheet(msd_constraint_kind kind, int law_kind) {
  enum { COLUMNS = 6, ROWS = 5 };
  msd_world *world = empty_world();
  graph g = graph_cloth(COLUMNS, ROWS, CLOTH_SHEAR);
  for (int32_t i = 0; i < g.particles; i++) {
    msd_particle_def p = msd_default_particle_def();
    p.position = g.at[i];
    p.mass = (msd_real)0.0625;
    ASSERT_OK(world, msd_add_particles(world, &p, 1, NULL));
  }
  for (int32_t s = 0; s < g.springs; s++) {
    msd_spring_def def = msd_default_spring_def();
    def.a = g.a[s], def.b = g.b[s];
    def.stiffness = 100;
    def.damping = (msd_real)0.125;
    def.law = law_kind == 1 ? MSD_SPRING_COEFFICIENT : MSD_SPRING_STIFFNESS;
    ASSERT_OK(world, msd_add_springs(world, &def, 1, NULL));
  }
  graph_free(&g);
  for (int32_t r = 0; r + 1 < ROWS; r++)
    for (int32_t c = 0; c + 1 < COLUMNS; c++) {
      const int32_t i = r * COLUMNS + c;
      const int32_t next = kind == MSD_CONSTRAINT_ANGLE && c + 2 < COLUMNS ? i + 2 : i + 1 + COLUMNS;
      msd_constraint_def def = kind == MSD_CONSTRAINT_ANGLE ? constraint_of(kind, i, i + 1, next, -1)
                               : kind == MSD_CONSTRAINT_DIHEDRAL
                                   ? constraint_of(kind, i, i + 1 + COLUMNS, i + 1, i + COLUMNS)
                                   : constraint_of(kind, i, i + 1, i + COLUMNS, -1);
      def.stiffness = kind == MSD_CONSTRAINT_AREA ? 1000 : (msd_real)0.125;
      def.damping = def.stiffness / 256;
      if (law_kind == 1)
        def.law = MSD_SPRING_COEFFICIENT;
      add_constraint(world, def);
    }
  return world;
}

static void crumple(msd_world *world, uint64_t seed, msd_real size) {
  generator random = {.state = seed};
  for (int32_t i = 0; i < msd_world_get_particle_count(world); i++) {
    const msd_vec3 x = msd_particle_get_position(world, i), by = random_vector(&random, size);
    ASSERT_OK(world, msd_particle_set_position(world, i, (msd_vec3){x.x + by.x, x.y + by.y, x.z + by.z}));
  }
}

static double energy(const msd_world *world) {
  const msd_stats s = msd_world_get_stats(world);
  return s.kinetic_energy + s.elastic_energy;
}

/* From a tenth of the distance between neighbors to eight times it, 1000 steps of a sixtieth each. Coefficient
   stiffness follows the step, and the energies are compared after the first. */
Test(constraint_bound_in_motion, crumpled_sheets_of_the_max_stable_springs_and_constraints_come_to_rest) {
  for (int kind = 0; kind <= MSD_CONSTRAINT_AREA; kind++)
    for (uint64_t seed = 1; seed <= 6; seed++) {
      msd_world *world = sheet((msd_constraint_kind)kind, 1);
      crumple(world, seed, (msd_real)(seed % 3 == 0 ? 1 : seed % 3 == 1 ? 0.125 : 0.015625));
      ASSERT_OK(world, msd_world_step(world, (msd_real)0.0166666, 0));
      const double start = energy(world);
      ASSERT_OK(world, msd_world_step(world, (msd_real)16.66666, 1000));
      cr_assert(energy(world) < 0.1 * start, "%s %d: from %g to %g J",
                msd_constraint_kind_name((msd_constraint_kind)kind), (int)seed, start, energy(world));
      msd_destroy_world(world);
    }
}

Test(constraint_bound_in_motion, crumpled_sheets_calm_down_in_automatic_substeps) {
  for (int kind = 0; kind <= MSD_CONSTRAINT_AREA; kind++)
    for (uint64_t seed = 1; seed <= 3; seed++) {
      msd_world *world = sheet((msd_constraint_kind)kind, 0);
      crumple(world, seed, (msd_real)0.03125);
      const double start = energy(world);
      for (int n = 0; n < 60; n++) {
        ASSERT_OK(world, msd_world_step(world, (msd_real)0.0078125, 0));
        cr_assert(energy(world) < 2 * start, "%s %d, frame %d: from %g to %g J",
                  msd_constraint_kind_name((msd_constraint_kind)kind), (int)seed, n, start, energy(world));
      }
      cr_assert(energy(world) < start / 4, "%s %d: from %g to %g J",
                msd_constraint_kind_name((msd_constraint_kind)kind), (int)seed, start, energy(world));
      cr_assert(msd_world_get_steps(world) < 60 * 100, "%s %d: %d substeps in 60 frames",
                msd_constraint_kind_name((msd_constraint_kind)kind), (int)seed,
                (int)msd_world_get_steps(world));
      msd_destroy_world(world);
    }
}

/* A hinge of two equilateral triangles, whose triangles collapse in their plane. The largest gradient
   of the reference configuration is 1/height. It is followed up to 4 divided by the longest side, and substeps
   go with it. */
Test(constraint_bound_in_motion, triangles_that_collapse_ask_for_few_more_substeps) {
  const double side = 1, height = sqrt(0.75);
  msd_world *world = empty_world();
  const double x[4][3] = {{0, 0, 0}, {side, 0, 0}, {side / 2, height, 0}, {side / 2, -height, 0}},
               v[3] = {0, 0, 0};
  for (int i = 0; i < 4; i++)
    add_moving(world, x[i], v, 1, false);
  msd_constraint_def def = constraint_of(MSD_CONSTRAINT_DIHEDRAL, 0, 1, 2, 3);
  def.stiffness = 1e5;
  add_constraint(world, def);
  int32_t flat, collapsed;
  cr_assert_eq(msd_world_find_substeps(world, 0.0625F, &flat), MSD_OK);
  cr_assert_gt(flat, 10);
  for (double share = 0.5; share > 1e-4; share /= 2) {
    for (int32_t i = 2; i < 4; i++)
      ASSERT_OK(world, msd_particle_set_position(
                           world, i, (msd_vec3){(msd_real)(side / 2), (msd_real)(x[i][1] * share), 0}));
    cr_assert_eq(msd_world_find_substeps(world, 0.0625F, &collapsed), MSD_OK);
    cr_expect_leq(collapsed, (int32_t)ceil(4 * height * flat), "%d, then %d at %g of the height", flat,
                  collapsed, share);
  }
  msd_destroy_world(world);
}

/* Heights that collapse by chance, and frames in which they halve and halve again. A softened fold gets its
   stiffness back with the height, and with it at most 1/2 k pi^2; and near the limit of the step springs swing
   with more than they were given. */
Test(constraint_bound_in_motion,
     sheets_of_folds_crumpled_at_random_stay_within_the_energy_that_folds_can_hold) {
  for (int kind = MSD_CONSTRAINT_ANGLE; kind <= MSD_CONSTRAINT_DIHEDRAL; kind++)
    for (uint64_t seed = 1; seed <= 12; seed++) {
      msd_world *world = sheet((msd_constraint_kind)kind, 0);
      crumple(world, seed, (msd_real)(seed % 3 == 0 ? 0.5 : seed % 3 == 1 ? 0.125 : 0.03125));
      const double start = energy(world),
                   folds = msd_world_get_constraint_count(world) * 0.5 * 0.125 * PI * PI;
      double most = 0;
      for (int n = 0; n < 120; n++) {
        ASSERT_OK(world, msd_world_step(world, (msd_real)0.0166667, 0));
        most = fmax(most, energy(world));
      }
      cr_assert(most < 1.5 * start + folds, "%s %d: from %g to %g J",
                msd_constraint_kind_name((msd_constraint_kind)kind), (int)seed, start, most);
      cr_assert(energy(world) < start / 10, "%s %d: from %g to %g J",
                msd_constraint_kind_name((msd_constraint_kind)kind), (int)seed, start, energy(world));
      msd_destroy_world(world);
    }
}
