/* How far a network stretches under its own weight. */
#include "tests/support/fibers.h"
#include "tests/support/unit_networks.h"

Test(static_stretch, a_hanging_chain_stretches_as_foretold) {
  msd_world *world = rope(21, physical(5000, 20));
  cr_assert_eq(msd_particle_pin(world, 0), MSD_OK);
  cr_assert_eq(msd_world_set_gravity(world, (msd_vec3){10, 0, 0}), MSD_OK);
  const msd_static_stretch stretch = stretch_of(world, 0.001);
  /* The top spring carries 20 kg at 10 m/s^2 over k times its meter. */
  cr_assert_float_eq(stretch.present, 20 * 10 / 5000.0, 1e-6);
  /* At Ck = 1/2 between two unit masses k = 1/2 1/2 /dt^2; the pinned end has k = 1/2 /dt^2. */
  cr_assert_float_eq(stretch.max_stable, 19 * 10 / (0.25 / 1e-6), 1e-7);
  cr_assert_eq(msd_world_set_linear_damping(world, 1), MSD_OK);
  cr_assert_eq(msd_world_step(world, 60, 60000), MSD_OK);
  cr_assert_float_eq(msd_world_get_stats(world).max_stretch, stretch.present, 1e-3);
  msd_destroy_world(world);
}

Test(static_stretch, nothing_hangs_without_a_pin_or_gravity) {
  msd_world *world = rope(5, physical(100, 0));
  cr_assert_eq(msd_world_set_gravity(world, (msd_vec3){0, -10, 0}), MSD_OK);
  cr_assert_eq(stretch_of(world, 0.01).present, 0);
  cr_assert_eq(msd_particle_pin(world, 2), MSD_OK);
  /* Two masses hang on each of two springs. */
  cr_assert_float_eq(stretch_of(world, 0.01).present, 0.2, 1e-6);
  cr_assert_eq(msd_world_set_gravity(world, (msd_vec3){0, 0, 0}), MSD_OK);
  cr_assert_eq(stretch_of(world, 0.01).present, 0);
  msd_destroy_world(world);
}

/* Beside 100 N/m a catch of half the mass of 1 kg has 0.5/0.1^2 = 50 N/m. */
Test(static_stretch, a_hard_limit_from_a_pin_holds_unless_it_is_slack) {
  for (int slack = 0; slack < 2; slack++) {
    msd_world *world = rope(2, physical(100, 0));
    msd_spring_def def = msd_default_spring_def();
    def.a = 0;
    def.b = 1;
    def.law = MSD_SPRING_HARD_LIMIT;
    def.ck = (msd_real)0.5;
    def.mode = MSD_SPRING_TENSION_ONLY;
    def.rest_length = (msd_real)(1 + slack);
    cr_assert_eq(msd_add_springs(world, &def, 1, NULL), MSD_OK);
    cr_assert_eq(msd_particle_pin(world, 0), MSD_OK);
    cr_assert_eq(msd_world_set_gravity(world, (msd_vec3){10, 0, 0}), MSD_OK);
    cr_expect_float_eq(stretch_of(world, 0.1).present, slack ? 10.0 / 100 : 10.0 / 150, 1e-6);
    msd_destroy_world(world);
  }
}

/* Where particle n of a chain is numbered and the k-th spring that is added lies: no order runs along it. */
enum { SCATTERED = 1009 /* a prime */, STRIDE = 101, SPRING_STRIDE = 77 };

Test(static_stretch, no_order_of_particles_and_springs_changes_what_a_chain_stretches) {
  msd_world *world = empty_world();
  for (int i = 0; i < SCATTERED; i++)
    add_particle(world, i, 0, 0, 1);
  for (int k = 1; k < SCATTERED; k++) {
    const int n = k * SPRING_STRIDE % SCATTERED;
    msd_spring_def def = physical(1e6, 0);
    def.rest_length = 1;
    join(world, n * STRIDE % SCATTERED, (n - 1) * STRIDE % SCATTERED, def);
  }
  cr_assert_eq(msd_particle_pin(world, 0), MSD_OK);
  cr_assert_eq(msd_world_set_gravity(world, (msd_vec3){10, 0, 0}), MSD_OK);
  cr_expect_float_eq(stretch_of(world, 0.001).present, (SCATTERED - 1) * 10 / 1e6, 1e-9);
  msd_destroy_world(world);
}

/* Along a sheet each way that leads up and down again is longer than the one straight down: 60 rows hang. */
Test(static_stretch, a_sheet_that_hangs_from_its_last_row_stretches_as_one_that_hangs_from_its_first) {
  enum { ROWS = 61, COLUMNS = 5 };
  for (int last = 0; last < 2; last++) {
    msd_world *world = empty_world();
    msd_cloth_def def = msd_default_cloth_def();
    def.columns = COLUMNS;
    def.rows = ROWS;
    def.u = (msd_vec3){COLUMNS - 1, 0, 0};
    def.v = (msd_vec3){0, ROWS - 1, 0};
    def.mass = ROWS * COLUMNS;
    def.stretch = physical(1e5, 0);
    def.shear.law = def.bend.law = MSD_SPRING_NONE;
    cr_assert_eq(msd_add_cloth(world, &def, NULL), MSD_OK);
    for (int i = 0; i < COLUMNS; i++)
      cr_assert_eq(msd_particle_pin(world, i + last * (ROWS - 1) * COLUMNS), MSD_OK);
    cr_assert_eq(msd_world_set_gravity(world, (msd_vec3){0, last ? -10 : 10, 0}), MSD_OK);
    cr_expect_float_eq(stretch_of(world, 0.001).present, (ROWS - 1) * 10 / 1e5, 1e-6);
    msd_destroy_world(world);
  }
}

/* Ten particles hang from the pin by springs, and ten from the last of these by tethers alone. */
Test(static_stretch, what_only_tethers_hold_hangs_from_what_springs_hold) {
  enum { HALF = 10 };
  msd_world *world = empty_world();
  for (int i = 0; i <= 2 * HALF; i++)
    add_particle(world, i, 0, 0, 1);
  for (int i = 0; i < 2 * HALF; i++) {
    msd_spring_def def = physical(1e4, 0);
    def.mode = i < HALF ? MSD_SPRING_BOTH : MSD_SPRING_TENSION_ONLY;
    join(world, i, i + 1, def);
  }
  cr_assert_eq(msd_particle_pin(world, 0), MSD_OK);
  cr_assert_eq(msd_world_set_gravity(world, (msd_vec3){10, 0, 0}), MSD_OK);
  cr_expect_float_eq(stretch_of(world, 0.001).present, 2 * HALF * 10 / 1e4, 1e-9);
  msd_destroy_world(world);
}

/* The second spring carries all but one particle; were the end near the pin, two would share them. */
Test(static_stretch, a_slack_tether_from_the_pin_is_no_way_to_the_end_of_a_chain) {
  enum { SPRINGS = 20 };
  msd_world *world = rope(SPRINGS + 1, physical(1e4, 0));
  msd_spring_def firm = physical(1e6, 0), tether = physical(1e4, 0);
  firm.rest_length = 1;
  join(world, 0, 1, firm);
  tether.mode = MSD_SPRING_TENSION_ONLY;
  tether.rest_length = 2 * SPRINGS;
  join(world, 0, SPRINGS, tether);
  cr_assert_eq(msd_particle_pin(world, 0), MSD_OK);
  cr_assert_eq(msd_world_set_gravity(world, (msd_vec3){10, 0, 0}), MSD_OK);
  cr_expect_float_eq(stretch_of(world, 0.001).present, (SPRINGS - 1) * 10 / 1e4, 1e-6);
  msd_destroy_world(world);
}

/* ------------------------------------------------------------------------------------------------ fibers */

/* A sheet of 1.5 m and six rows below pins that weigh 6 kg each, half as much at the sides. */
static msd_world *hanging_sheet(sheet_kind kind, const fiber_family *families, int count) {
  const sheet s = make_sheet(kind);
  msd_world *world = empty_world();
  for (int v = 0; v < SHEET_VERTICES; v++) {
    const bool is_side = v % SHEET_SIDE % SHEET_CELLS == 0;
    add_particle(world, (double)s.at[v].x, (double)s.at[v].y, 0, is_side ? 0.5 : 1);
  }
  add_sheet_fibers(world, &s, families, count, 0);
  for (int32_t v = 0; v < SHEET_SIDE; v++)
    cr_assert_eq(msd_particle_pin(world, v), MSD_OK);
  cr_assert_eq(msd_world_set_gravity(world, (msd_vec3){0, 10, 0}), MSD_OK);
  return world;
}

/* Along and across, nothing narrows: every column is a chain of its own. */
Test(static_stretch, a_hanging_sheet_of_fibers_stretches_as_foretold) {
  const double load = 6 * 6 * 10, stiffness = 24000, width = 1.5;
  const fiber_family families[2] = {{0, stiffness}, {acos(0.0), stiffness}};
  msd_world *world = hanging_sheet(SHEET_SQUARE, families, 2);
  const double foretold = stretch_of(world, 0.001).present;
  cr_assert_float_eq(foretold, load / (stiffness * width), 1e-6);
  cr_assert_eq(stretch_of(world, 0.001).unseen_constraints, 0);
  cr_assert_eq(msd_world_set_linear_damping(world, 10), MSD_OK);
  cr_assert_eq(msd_world_step(world, 4, 4000), MSD_OK);
  cr_assert_float_eq(msd_world_get_stats(world).max_stretch, foretold, 1e-3 * foretold);
  msd_destroy_world(world);
}

/* C11 is 9/8 of the stiffness of three fibers over the area, wherever they point. */
Test(static_stretch, a_sheet_that_keeps_its_width_has_the_stiffness_of_its_material) {
  for (int kind = SHEET_SQUARE; kind <= SHEET_ALTERNATING; kind++)
    for (int turn = 0; turn < 3; turn++) {
      const double third = acos(0.5), angle = 0.3 * turn;
      const fiber_family families[3] = {{angle, 8000}, {angle + third, 8000}, {angle - third, 8000}};
      msd_world *world = hanging_sheet((sheet_kind)kind, families, 3);
      cr_expect_float_eq(stretch_of(world, 0.001).present, 6 * 6 * 10 / (9000 * 1.5), 1e-6);
      msd_destroy_world(world);
    }
}

/* Three corners and one above each other, and two and two across, of a height of 1 m and of 0.5 m; beside the
   fiber along the height one that is half along it, which has a quarter of its stiffness. */
Test(static_stretch, tetrahedra_of_fibers_hang_by_their_height) {
  static const msd_vec3 corners[2][4] = {
      {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
      {{0, 0, 0}, {1, 0, 0}, {0, 0, (msd_real)0.5}, {0, 1, (msd_real)0.5}}};
  for (int way = 0; way < 2; way++) {
    msd_world *world = empty_world();
    msd_constraint_def fiber = msd_default_constraint_def();
    fiber.kind = MSD_CONSTRAINT_FIBER;
    fiber.stiffness = 400;
    fiber.rest = 1;
    for (int n = 0; n < 4; n++) {
      add_particle(world, (double)corners[way][n].x, (double)corners[way][n].y, (double)corners[way][n].z, 1);
      fiber.particles[n] = n;
    }
    for (int n = 0; n < 2; n++) {
      cr_assert_eq(msd_fiber_weights(corners[way], 4, (msd_vec3){0, (msd_real)n, 1}, fiber.weights), MSD_OK);
      cr_assert_eq(msd_add_constraints(world, &fiber, 1, NULL), MSD_OK);
    }
    const int pinned = way == 0 ? 3 : 2;
    for (int32_t n = 0; n < pinned; n++)
      cr_assert_eq(msd_particle_pin(world, n), MSD_OK);
    cr_assert_eq(msd_world_set_gravity(world, (msd_vec3){0, 0, 10}), MSD_OK);
    const double height = way == 0 ? 1 : 0.5, load = 10 * (4 - pinned);
    cr_expect_float_eq(stretch_of(world, 0.001).present, load * height / (400 * 1.25), 1e-6);
    msd_destroy_world(world);
  }
}

/* Fibers by coefficients depend on the step, and what is not seen is counted. */
Test(static_stretch, fibers_that_are_not_seen_are_counted) {
  const fiber_family along = {acos(0.0), 24000};
  msd_world *world = hanging_sheet(SHEET_SQUARE, &along, 1);
  msd_constraint_def law = msd_default_constraint_def();
  law.law = MSD_SPRING_COEFFICIENT;
  cr_assert_eq(msd_constraint_set_law(world, 0, &law), MSD_OK);
  cr_assert_eq(msd_constraint_set_rest(world, 1, (msd_real)0.99), MSD_OK);
  cr_assert_eq(msd_constraint_break(world, 2), MSD_OK);
  cr_expect_eq(stretch_of(world, 0.001).unseen_constraints, 2);
  msd_destroy_world(world);
}
