/* Ranks in which more than springs moves particles: each has, after every step, the bits of a world alone. */
#include "tests/support/constraints.h"
#include "tests/support/rank_trials.h"

enum { COLUMNS = 24, ROWS = 96 };

static msd_world *cloth_of(laws by, bool hard_limits) {
  return world_made(graph_cloth(COLUMNS, ROWS, CLOTH_SHEAR), &(making){.laws = by,
                                                                       .seed = 5,
                                                                       .soften = 8,
                                                                       .pins = true,
                                                                       .sides = hard_limits ? 4 : 0,
                                                                       .hard_limits = hard_limits});
}

/* All kinds by turns, here and there between particles that stand close in the cloth, and some far apart. */
static void add_constraints(msd_world *world, int apart) {
  int turn = 0;
  for (int32_t row = 0; row + 4 < ROWS; row++)
    for (int32_t column = 0; column + 1 < COLUMNS; column += 3, turn++) {
      const int32_t i = row * COLUMNS + column, far = turn % 61 == 0 && apart > 0 ? i / apart : i + 1;
      msd_constraint_def def =
          constraint_of((msd_constraint_kind)(turn % 5), far, i + COLUMNS, i + COLUMNS + 1, i + 2 * COLUMNS);
      give_law(&def, turn / 5);
      def.stiffness /= 1000; /* not softened, so that frames are shared */
      def.damping /= 1000;
      if (far != i + COLUMNS)
        add_constraint(world, def);
    }
}

static msd_world *constrained(void) {
  msd_world *world = cloth_of(LAWS_PHYSICAL, false);
  add_constraints(world, 0);
  return world;
}

static msd_world *constrained_far(void) {
  msd_world *world = cloth_of(LAWS_COEFFICIENT, false);
  add_constraints(world, 2);
  return world;
}

static msd_world *balloons(void) {
  msd_world *world = cloth_of(LAWS_PHYSICAL, false);
  sphere s = make_sphere(3);
  for (int n = 0; n < 4; n++)
    add_constraint(world, add_sphere(world, &s, 1, 20 + 3 * n));
  free_sphere(&s);
  return world;
}

static msd_world *anchored(void) {
  msd_world *world = cloth_of(LAWS_MIXED, false);
  for (int32_t n = 7; n < COLUMNS * ROWS; n += 131) {
    msd_soft_pin_def def = msd_default_soft_pin_def();
    def.particle = n;
    def.position = msd_particle_get_position(world, n);
    def.position.x += (msd_real)0.25;
    def.frequency = (msd_real)(1 + n % 9);
    def.damping_ratio = (msd_real)0.125;
    ASSERT_OK(world, msd_add_soft_pins(world, &def, 1, NULL));
  }
  return world;
}

static msd_world *caught(void) {
  return cloth_of(LAWS_PHYSICAL, true);
}

static void add_ground(msd_world *world) {
  msd_collider_def plane = msd_default_collider_def(), ball = msd_default_collider_def();
  plane.position = (msd_vec3){0, (msd_real)-11.5, 0};
  ball.kind = MSD_COLLIDER_SPHERE;
  ball.position = (msd_vec3){1, -5, (msd_real)-0.75};
  const msd_collider_def defs[] = {plane, ball};
  ASSERT_OK(world, msd_add_colliders(world, defs, 2, NULL));
}

static msd_world *on_the_ground(void) {
  msd_world *world = cloth_of(LAWS_PHYSICAL, false);
  add_ground(world);
  return world;
}

/* A surface that touches nothing, in turbulence. */
static void add_wind_on(msd_world *world, int32_t columns, int32_t rows, msd_real density) {
  int32_t *triangles = calloc((size_t)6 * (size_t)(columns * rows), sizeof *triangles), *at = triangles;
  for (int32_t row = 0; row + 1 < rows; row++)
    for (int32_t column = 0; column + 1 < columns; column++) {
      const int32_t i = row * columns + column;
      const int32_t corners[] = {i, i + columns, i + 1, i + 1, i + columns, i + columns + 1};
      memcpy(at, corners, sizeof corners);
      at += 6;
    }
  msd_collision_mesh_def def = msd_default_collision_mesh_def();
  def.triangles = triangles;
  def.triangle_count = (int32_t)(at - triangles) / 3;
  def.self_collision = false;
  ASSERT_OK(world, msd_add_collision_meshes(world, &def, 1, NULL));
  free(triangles);
  msd_wind_def wind = msd_default_wind_def();
  wind.velocity = (msd_vec3){1, 0, 9};
  wind.turbulence = 3;
  wind.density = density;
  ASSERT_OK(world, msd_world_set_wind(world, &wind));
}

static void add_wind(msd_world *world) {
  add_wind_on(world, COLUMNS, ROWS, msd_default_wind_def().density);
}

static msd_world *windy(void) {
  msd_world *world = cloth_of(LAWS_PHYSICAL, false);
  add_wind(world);
  return world;
}

/* Each row is a chunk, and joined with the next one alone, so that a ring is one row: what air takes of a
   row follows from the speed of the second next, and that from the springs to the row behind it. Air is so
   dense that it takes much. */
static msd_world *windy_rows(void) {
  enum { ROWS_OF_CHUNKS = 14 };
  msd_world *world = world_made(graph_cloth(NETWORK_CHUNK, ROWS_OF_CHUNKS, CLOTH_STRETCH),
                                &(making){LAWS_PHYSICAL, .seed = 5, .soften = 8});
  add_wind_on(world, NETWORK_CHUNK, ROWS_OF_CHUNKS, 100);
  return world;
}

/* Everything that acts behind springs, but colliders, which surfaces would touch. */
static msd_world *all_in_the_wind(void) {
  msd_world *world = cloth_of(LAWS_PHYSICAL, true);
  add_constraints(world, 0);
  add_wind(world);
  return world;
}

static msd_world *all_on_the_ground(void) {
  msd_world *world = anchored();
  add_constraints(world, 0);
  add_ground(world);
  return world;
}

static msd_world *with(msd_world *world, msd_integrator integrator) {
  ASSERT_OK(world, msd_world_set_integrator(world, integrator));
  return world;
}

static msd_world *by_explicit_euler(void) {
  return with(constrained(), MSD_EXPLICIT_EULER);
}

static msd_world *by_verlet(void) {
  return with(anchored(), MSD_VELOCITY_VERLET);
}

static msd_world *by_rk4(void) {
  return with(constrained(), MSD_RK4);
}

Test(distributed_step, constraints_have_the_bits_of_one_process) {
  assert_same_on_some_ranks("constraints", constrained);
  assert_same_on_some_ranks("far", constrained_far);
}

Test(distributed_step, volumes_of_meshes_have_the_bits_of_one_process) {
  assert_same_on_some_ranks("balloons", balloons);
}

Test(distributed_step, soft_pins_have_the_bits_of_one_process) {
  assert_same_on_some_ranks("soft_pins", anchored);
}

Test(distributed_step, hard_limits_have_the_bits_of_one_process) {
  assert_same_on_some_ranks("hard_limits", caught);
}

Test(distributed_step, colliders_have_the_bits_of_one_process) {
  assert_same_on_some_ranks("colliders", on_the_ground);
}

Test(distributed_step, wind_has_the_bits_of_one_process) {
  assert_same_on_some_ranks("wind", windy);
}

Test(distributed_step, wind_reaches_two_rings_further_than_springs) {
  assert_same_on_some_ranks("wind in rows", windy_rows);
}

Test(distributed_step, all_of_it_together_has_the_bits_of_one_process) {
  assert_same_on_some_ranks("all in the wind", all_in_the_wind);
  assert_same_on_some_ranks("all on the ground", all_on_the_ground);
}

Test(distributed_step, integrators_of_several_evaluations_have_the_bits_of_one_process) {
  assert_same_on_some_ranks("explicit Euler", by_explicit_euler);
  assert_same_on_some_ranks("Verlet", by_verlet);
  assert_same_on_some_ranks("RK4", by_rk4);
}

static msd_world *with_pins_that_move(void) {
  msd_world *world = all_on_the_ground();
  ASSERT_OK(world, msd_particle_set_velocity(world, 0, (msd_vec3){1, 0, (msd_real)0.5}));
  cr_assert(msd_particle_is_pinned(world, 0));
  return world;
}

static msd_world *rope_with_pins_that_move(void) {
  msd_world *world = world_made(graph_rope(5000, true), &LIVELY);
  for (int32_t n = 0; n < 5000; n += 1111) {
    ASSERT_OK(world, msd_particle_set_velocity(world, n, (msd_vec3){1, 0, (msd_real)n / 1000}));
    ASSERT_OK(world, msd_particle_pin(world, n));
    ASSERT_OK(world, msd_particle_set_velocity(world, n, (msd_vec3){1, 0, (msd_real)n / 1000}));
  }
  return world;
}

/* One-sided springs, which go to pins from one end. */
static msd_world *held_by_pins_that_move(void) {
  msd_world *world = world_made(graph_cloth(COLUMNS, ROWS, CLOTH_SHEAR),
                                &(making){LAWS_PHYSICAL, .seed = 2, .soften = 8, .pins = true, .sides = 5});
  for (int32_t n = 0; n < COLUMNS * ROWS; n++)
    if (msd_particle_is_pinned(world, n))
      ASSERT_OK(world, msd_particle_set_velocity(world, n, (msd_vec3){1, 0, (msd_real)(n % 3)}));
  return world;
}

/* The pin that moves is at the top, and all of the last rows hang from it by tethers, which lie in rows that
   join no chunks: that of the pin is in no ring of the last rank. */
static msd_world *held_from_afar(void) {
  msd_world *world = world_made(graph_cloth(COLUMNS, ROWS, CLOTH_SHEAR), &LIVELY);
  ASSERT_OK(world, msd_particle_pin(world, 0));
  ASSERT_OK(world, msd_particle_set_velocity(world, 0, (msd_vec3){10, -1, 20}));
  for (int32_t b = COLUMNS * (ROWS - 4); b < COLUMNS * ROWS; b++) {
    msd_spring_def def = msd_default_spring_def();
    def.a = 0;
    def.b = b;
    def.law = MSD_SPRING_STIFFNESS;
    def.mode = MSD_SPRING_TENSION_ONLY;
    def.stiffness = 50;
    def.rest_length = 5;
    ASSERT_OK(world, msd_add_springs(world, &def, 1, NULL));
  }
  add_ground(world);
  return world;
}

Test(distributed_step, a_pin_of_others_that_is_far_away_is_seen_to_move) {
  assert_same_on_some_ranks("held from afar", held_from_afar);
}

Test(distributed_step, pins_that_move_have_the_bits_of_one_process) {
  assert_same_on_some_ranks("held", held_by_pins_that_move);
  assert_same_on_some_ranks("pins", with_pins_that_move);
  assert_same_on_some_ranks("rope with pins", rope_with_pins_that_move);
}

/* ---------------------------------------------------------------------------------- what changes on the way */

/* After each step something else is there that joins particles or goes with them. */
static void change(msd_world *world, int step) {
  if (step == 0)
    add_ground(world);
  if (step == 1)
    add_constraints(world, 3);
  for (int32_t n = 3; n < COLUMNS * ROWS && step == 2; n += 211) {
    ASSERT_OK(world, msd_particle_pin(world, n));
    ASSERT_OK(world, msd_particle_set_velocity(world, n, (msd_vec3){0, 0, (msd_real)(n % 2)}));
  }
  if (step == 3)
    ASSERT_OK(world, msd_world_set_integrator(world, MSD_SEQUENTIAL_IMPULSE));
  if (step == 4)
    ASSERT_OK(world, msd_world_set_integrator(world, MSD_SYMPLECTIC_EULER));
}

enum { CHANGES = 6 };

static uint64_t changed[CHANGES];
static msd_world *(*make_changing)(void);

static void *change_and_step(void *context) {
  room_seat *seat = context;
  msd_world *world = make_changing();
  const msd_ranks ranks = room_ranks(seat, 2);
  ASSERT_OK(world, msd_world_set_ranks(world, &ranks));
  for (int n = 0; n < CHANGES; n++) {
    const int before = seat->exchanges;
    ASSERT_OK(world, msd_world_step(world, FRAME, 7));
    cr_assert_eq(msd_world_hash(world), changed[n], "rank %d, step %d", seat->rank, n);
    const bool has_account = msd_world_get_energy_account(world).constraint_allowance > 0;
    cr_assert(has_account || (seat->exchanges > before) == (n != 4), "step %d", n);
    change(world, n);
  }
  msd_destroy_world(world);
  return NULL;
}

static void assert_shares_follow(msd_world *(*make)(void)) {
  make_changing = make;
  msd_world *alone = make();
  for (int n = 0; n < CHANGES; n++) {
    ASSERT_OK(alone, msd_world_step(alone, FRAME, 7));
    changed[n] = msd_world_hash(alone);
    change(alone, n);
  }
  msd_destroy_world(alone);
  rank_room room;
  room_begin_with(&room, 3, 5);
  room_run(&room, change_and_step);
}

static msd_world *plain(void) {
  return cloth_of(LAWS_PHYSICAL, false);
}

Test(distributed_step, shares_follow_what_is_added_between_steps) {
  assert_shares_follow(caught);
  assert_shares_follow(plain);
}

/* ------------------------------------------------------------------------------------------------ failures */

static char message_alone[512];

static msd_world *diverging(void) {
  msd_world *world = caught();
  add_ground(world);
  ASSERT_OK(world, msd_world_step(world, FRAME, 5));
  ASSERT_OK(world, msd_particle_set_velocity(world, COLUMNS * ROWS - 9, (msd_vec3){LARGEST / 2, 0, 0}));
  return world;
}

static msd_result diverge_on(const msd_ranks *ranks, uint64_t *hash, uint64_t *told, char *message) {
  msd_world *world = diverging();
  ASSERT_OK(world, msd_world_set_ranks(world, ranks));
  const msd_result result = msd_world_step(world, FRAME * 2048, 20);
  *hash = msd_world_hash(world);
  *told = digest_told(world);
  snprintf(message, 512, "%s", msd_world_message(world));
  msd_destroy_world(world);
  return result;
}

static void *diverge(void *context) {
  room_seat *seat = context;
  const msd_ranks ranks = room_ranks(seat, 3);
  uint64_t hash, told;
  char message[512];
  cr_assert_eq(diverge_on(&ranks, &hash, &told, message), MSD_DIVERGED);
  cr_assert_gt(seat->exchanges, 0);
  cr_assert_eq(hash, now.alone[0]);
  cr_assert_eq(told, now.told[0]);
  cr_assert_str_eq(message, message_alone);
  return NULL;
}

Test(distributed_step, a_state_that_is_not_finite_leaves_all_as_one_process_does) {
  cr_assert_eq(diverge_on(NULL, &now.alone[0], &now.told[0], message_alone), MSD_DIVERGED);
  rank_room room;
  room_begin_with(&room, 3, 0);
  room_run(&room, diverge);
}

/* Only the rank that has it can see that this constraint is softened, which all have to know. */
static msd_world *softened(void) {
  msd_world *world = cloth_of(LAWS_PHYSICAL, false);
  const int32_t i = (ROWS - 9) * COLUMNS + 4;
  msd_constraint_def def = constraint_of(MSD_CONSTRAINT_AREA, i, i + COLUMNS, i + 1, -1);
  def.stiffness = 1e6;
  add_constraint(world, def);
  for (int n = 0; n < 2; n++) {
    msd_vec3 at = msd_particle_get_position(world, i + n * COLUMNS);
    at.x -= 2;
    ASSERT_OK(world, msd_particle_set_position(world, i + n * COLUMNS, at));
  }
  return world;
}

Test(distributed_step, all_know_of_a_constraint_that_one_has_softened) {
  msd_world *world = softened();
  ASSERT_OK(world, msd_world_step(world, FRAME, 13));
  cr_assert(world->limits.was_softened);
  msd_destroy_world(world);
  assert_same_on_some_ranks("softened", softened);
}
