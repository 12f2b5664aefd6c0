/* Of surfaces that are led through each other nothing can keep apart what is led: it is named, and what hangs
   on it stays on its side. A plate is the triangle of particles 0, 1 and 2 and stands at y = 0; a flag is a
   triangle of which one corner or two are pins. The oracles are the exact check of intersections and the sides
   that free particles were on. */
#include "tests/support/laboratory.h"
#include "tests/support/networks.h"
#include "tests/support/snapshots.h"

static const double FRAME = 1.0 / 60;
enum { SUBSTEPS = 40, PLATE = 3, FLAG = 6, PENETRATIONS_MAX = 32 };

static void add_surface(msd_world *world, const int32_t corners[3]) {
  msd_collision_mesh_def def = msd_default_collision_mesh_def();
  def.triangles = corners;
  def.triangle_count = 1;
  ok(world, msd_add_collision_meshes(world, &def, 1, NULL));
}

static msd_world *plate_world(void) {
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  static const int32_t corners[PLATE] = {0, 1, 2};
  add_pin(world, -0.5, 0, -0.5);
  add_pin(world, 0.5, 0, -0.5);
  add_pin(world, 0, 0, 0.5);
  add_surface(world, corners);
  return world;
}

/* The particles 3, 4 and 5, of which 3 is a pin at that height over the plate. */
static msd_world *flag_world(double height) {
  msd_world *world = plate_world();
  static const int32_t corners[3] = {3, 4, 5};
  add_pin(world, 0, height, -0.1);
  add_particle(world, 0.1, -0.1, height + 0.1, -0.1);
  add_particle(world, 0.1, 0.1, height + 0.1, -0.1);
  add_surface(world, corners);
  return world;
}

/* Pulled together by the springs of the flag as strongly as by 100 times its weight. */
static void add_flag_springs(msd_world *world) {
  for (int32_t i = 4; i < FLAG; i++)
    add_spring(world, physical(100, 0.2), 3, i, 0.01);
}

static void send(msd_world *world, int32_t particle, double x, double y, double z) {
  ok(world, msd_particle_move_to(world, particle, (msd_vec3){(msd_real)x, (msd_real)y, (msd_real)z}));
}

static void send_by(msd_world *world, int32_t particle, double y) {
  const msd_vec3 at = msd_particle_get_position(world, particle);
  send(world, particle, (double)at.x, (double)at.y + y, (double)at.z);
}

static void run_frame(msd_world *world, int substeps) {
  ok(world, msd_world_step(world, (msd_real)FRAME, substeps));
}

static int64_t count_intersections(const msd_world *world) {
  static const int32_t triangles[] = {0, 1, 2, 3, 4, 5};
  msd_intersection_def def = msd_default_intersection_def();
  def.triangles = triangles;
  def.triangle_count = 2;
  int64_t found = -1;
  cr_assert_eq(msd_world_find_intersections(world, &def, NULL, 0, &found), MSD_OK);
  return found;
}

static void expect_one_penetration(const msd_world *world, bool is_point, const int32_t particles[4]) {
  msd_penetration found[PENETRATIONS_MAX], first;
  cr_assert_eq(msd_world_get_penetrations(world, found, PENETRATIONS_MAX), 1);
  cr_assert(msd_world_get_first_forced_intersection(world, &first));
  cr_expect(found[0].is_forced && first.is_forced);
  cr_expect(found[0].is_point_and_triangle == is_point && first.is_point_and_triangle == is_point);
  cr_expect_eq(memcmp(found[0].particles, particles, sizeof found[0].particles), 0);
  cr_expect_eq(memcmp(first.particles, particles, sizeof first.particles), 0);
  cr_expect(found[0].mesh_a == (is_point ? 1 : 0) && found[0].mesh_b == (is_point ? 0 : 1));
  cr_expect_eq(msd_world_get_stats(world).forced_intersections, 1);
}

static const int32_t POINT_AND_PLATE[4] = {3, 0, 1, 2};

static bool has_penetration(const msd_world *world, const int32_t particles[4]) {
  msd_penetration found[PENETRATIONS_MAX];
  const int32_t count = msd_world_get_penetrations(world, found, PENETRATIONS_MAX);
  cr_assert_leq(count, PENETRATIONS_MAX);
  bool has = false;
  for (int32_t n = 0; n < count; n++)
    has = has || memcmp(found[n].particles, particles, sizeof found[n].particles) == 0;
  return has;
}

/* At 6 m/s in one substep and in 40, and at 60. */
Test(led_surfaces, a_pin_of_something_free_that_is_led_through_pins_is_forced_and_named) {
  static const struct {
    double way;
    int substeps;
  } ways[] = {{0.1, 1}, {0.1, SUBSTEPS}, {1, SUBSTEPS}};
  for (size_t n = 0; n < sizeof ways / sizeof *ways; n++) {
    msd_world *world = flag_world(0.05);
    run_frame(world, ways[n].substeps);
    send_by(world, 3, -ways[n].way);
    run_frame(world, ways[n].substeps);
    cr_expect_eq(count_intersections(world), 1);
    expect_one_penetration(world, true, POINT_AND_PLATE);
    for (int frame = 0; frame < 10; frame++)
      run_frame(world, ways[n].substeps);
    expect_one_penetration(world, true, POINT_AND_PLATE);
    cr_expect_eq(msd_world_get_stats(world).penetrations, 1);
    msd_destroy_world(world);
  }
}

Test(led_surfaces, a_pin_that_stands_while_pins_are_led_through_it_is_forced) {
  msd_world *world = flag_world(0.05);
  for (int32_t i = 0; i < PLATE; i++)
    send_by(world, i, 0.1);
  run_frame(world, SUBSTEPS);
  cr_expect_eq(count_intersections(world), 1);
  expect_one_penetration(world, true, POINT_AND_PLATE);
  msd_destroy_world(world);
}

Test(led_surfaces, what_hangs_on_a_pin_stays_on_its_side_of_what_the_pin_is_led_through) {
  msd_world *world = flag_world(0.05);
  add_flag_springs(world);
  for (int frame = 0; frame < 60; frame++) {
    send_by(world, 3, -0.02);
    run_frame(world, SUBSTEPS);
    for (int32_t i = 4; i < FLAG; i++)
      cr_assert_gt(msd_particle_get_position(world, i).y, 0, "frame %d", frame);
    cr_expect_eq(msd_world_get_stats(world).squeezed, frame < 2 ? 0 : 1, "frame %d", frame);
  }
  expect_one_penetration(world, true, POINT_AND_PLATE);
  msd_destroy_world(world);
}

Test(led_surfaces, what_is_led_back_is_forgotten_and_pinched_again_the_next_time) {
  msd_world *world = flag_world(0.05);
  for (int turn = 1; turn <= 3; turn++) {
    send_by(world, 3, -0.1);
    run_frame(world, SUBSTEPS);
    cr_expect_eq(msd_world_get_stats(world).squeezed, 1);
    cr_expect_eq(msd_world_get_stats(world).forced_intersections, turn);
    send_by(world, 3, 0.1);
    run_frame(world, SUBSTEPS);
    for (int frame = 0; frame < 3; frame++)
      run_frame(world, SUBSTEPS);
    cr_expect_eq(msd_world_get_stats(world).squeezed, 0);
    cr_expect_eq(msd_world_get_penetrations(world, NULL, 0), 0);
    cr_expect_eq(count_intersections(world), 0);
  }
  msd_destroy_world(world);
}

/* A flag hangs on an edge that is led from before the side of the plate to behind it, one end above and one end
   below; its third corner is pulled after it. */
Test(led_surfaces, an_edge_of_something_free_that_is_led_through_an_edge_of_pins_is_forced_and_named) {
  msd_world *world = plate_world();
  static const int32_t corners[3] = {3, 4, 5}, edges[4] = {0, 1, 3, 4};
  add_pin(world, 0, 0.1, -0.55);
  add_pin(world, 0, -0.1, -0.55);
  add_particle(world, 0.1, 0, 0, -0.7);
  add_surface(world, corners);
  add_flag_springs(world);
  add_spring(world, physical(100, 0.2), 4, 5, 0.01);
  for (int frame = 0; frame < 60; frame++) {
    for (int32_t i = 3; i < 5; i++)
      send(world, i, 0, i == 3 ? 0.1 : -0.1, -0.55 + 0.1 * (frame < 10 ? frame / 10.0 : 1));
    run_frame(world, SUBSTEPS);
    cr_assert_lt(msd_particle_get_position(world, 5).z, -0.5, "frame %d", frame);
  }
  cr_expect_eq(count_intersections(world), 1);
  expect_one_penetration(world, false, edges);
  msd_destroy_world(world);
}

Test(led_surfaces, what_is_prescribed_as_a_whole_intersects_by_prescription_and_is_not_pinched) {
  msd_world *world = flag_world(0.05);
  for (int32_t i = 4; i < FLAG; i++)
    ok(world, msd_particle_pin(world, i));
  for (int32_t i = 3; i < FLAG; i++)
    send_by(world, i, -0.1);
  run_frame(world, SUBSTEPS);
  const msd_stats stats = msd_world_get_stats(world);
  cr_expect_eq(count_intersections(world), 1);
  cr_expect(stats.forced_intersections == 0 && stats.penetrations == 0);
  msd_destroy_world(world);
}

/* The segment along which the pin goes intersects the plate or does not. */
Test(led_surfaces, in_one_substep_a_pin_is_forced_only_where_its_way_goes_through) {
  enum { WAYS = 400 };
  int forced_count = 0, missed = 0;
  generator random = {.state = 5};
  for (int n = 0; n < WAYS; n++) {
    msd_world *world = flag_world(0.05);
    const msd_vec3 from = random_vector(&random, (msd_real)0.7), to = random_vector(&random, (msd_real)0.7);
    const int32_t triangle[] = {0, 1, 2}, segment[] = {3, 4};
    ok(world, msd_particle_set_position(world, 3, to));
    ok(world, msd_particle_set_position(world, 4, from));
    msd_intersection_def def = msd_default_intersection_def();
    def.triangles = triangle;
    def.segments = segment;
    def.triangle_count = def.segment_count = 1;
    int64_t expected = -1;
    cr_assert_eq(msd_world_find_intersections(world, &def, NULL, 0, &expected), MSD_OK);
    ok(world, msd_particle_set_position(world, 3, from));
    for (int32_t i = 4; i < FLAG; i++)
      ok(world,
         msd_particle_set_position(world, i, (msd_vec3){from.x, from.y + (from.y > 0 ? 9 : -9), from.z}));
    run_frame(world, 1);
    send(world, 3, (double)to.x, (double)to.y, (double)to.z);
    run_frame(world, 1);
    cr_expect_eq(has_penetration(world, POINT_AND_PLATE), expected > 0, "way %d", n);
    forced_count += expected > 0;
    missed += expected == 0;
    msd_destroy_world(world);
  }
  cr_expect(forced_count > WAYS / 20 && missed > WAYS / 20, "%d through, %d past", forced_count, missed);
}

/* A flag that sleeps is not woken by what only its pin touches. */
Test(led_surfaces, a_pin_of_what_sleeps_is_forced_by_pins_that_are_led) {
  msd_world *world = flag_world(0.05);
  add_flag_springs(world);
  msd_sleep_def sleep = msd_default_sleep_def();
  sleep.speed = (msd_real)0.05;
  sleep.delay = (msd_real)0.1;
  ok(world, msd_world_set_sleep(world, &sleep));
  for (int32_t i = 4; i < FLAG; i++)
    ok(world,
       msd_particle_set_position(world, i, (msd_vec3){0, (msd_real)0.06, (msd_real)(-0.14 + 0.01 * i)}));
  for (int frame = 0; frame < 600 && !msd_particle_is_asleep(world, 4); frame++)
    run_frame(world, SUBSTEPS);
  cr_assert(msd_particle_is_asleep(world, 4));
  for (int frame = 0; frame < 5; frame++) {
    for (int32_t i = 0; i < PLATE; i++)
      send_by(world, i, 0.011);
    run_frame(world, SUBSTEPS);
  }
  cr_expect_eq(count_intersections(world), 1);
  cr_expect_gt(msd_world_get_stats(world).squeezed, 0);
  for (int32_t i = 4; i < FLAG; i++)
    cr_expect_gt(msd_particle_get_position(world, i).y, msd_particle_get_position(world, 0).y);
  msd_destroy_world(world);
}

/* Something else is put elsewhere, and a snapshot taken before a step has looked. */
Test(led_surfaces, what_was_pinched_is_held_as_before_when_intersections_are_found_anew) {
  msd_world *world = flag_world(0.05), *copy = NULL;
  add_flag_springs(world);
  const int32_t other = add_particle(world, 0.1, 3, 0, 0);
  send_by(world, 3, -0.1);
  run_frame(world, SUBSTEPS);
  ok(world, msd_particle_set_position(world, other, (msd_vec3){4, 0, 0}));
  const snapshot s = snapshot_of(world);
  copy = new_world(MSD_SYMPLECTIC_EULER);
  ok(copy, msd_world_restore(copy, s.data, s.size));
  for (int frame = 0; frame < 20; frame++) {
    run_frame(world, SUBSTEPS);
    run_frame(copy, SUBSTEPS);
    cr_assert_eq(msd_world_hash(world), msd_world_hash(copy), "frame %d", frame);
    for (int32_t i = 4; i < FLAG; i++)
      cr_assert_gt(msd_particle_get_position(world, i).y, 0, "frame %d", frame);
  }
  expect_one_penetration(world, true, POINT_AND_PLATE);
  expect_one_penetration(copy, true, POINT_AND_PLATE);
  free(s.data);
  msd_destroy_world(copy);
  msd_destroy_world(world);
}

Test(led_surfaces, strict_contact_refuses_what_was_pinched_when_intersections_are_found_anew) {
  msd_world *world = flag_world(0.05);
  msd_contact_settings contact = msd_default_contact_settings();
  contact.error_on_intersection = true;
  ok(world, msd_world_set_contact_settings(world, &contact));
  send_by(world, 3, -0.1);
  run_frame(world, SUBSTEPS);
  cr_expect_eq(msd_world_get_stats(world).squeezed, 1);
  ok(world, msd_particle_set_position(world, 4, msd_particle_get_position(world, 4)));
  cr_assert_eq(msd_world_step(world, (msd_real)FRAME, SUBSTEPS), MSD_INITIAL_INTERSECTION);
  cr_expect(strstr(msd_world_message(world), "0, 1 and 2") && strstr(msd_world_message(world), "3, 4 and 5"),
            "%s", msd_world_message(world));
  msd_destroy_world(world);
}

/* The plate is destroyed, and another one made of the same pins. */
Test(led_surfaces, what_was_pinched_is_told_of_by_the_surfaces_that_there_are) {
  static const int32_t corners[PLATE] = {0, 1, 2};
  msd_world *world = flag_world(0.05);
  send_by(world, 3, -0.1);
  run_frame(world, SUBSTEPS);
  const int32_t plate = 0;
  ok(world, msd_destroy_objects(world, MSD_OBJECT_COLLISION_MESH, &plate, 1));
  add_surface(world, corners);
  run_frame(world, SUBSTEPS);
  msd_penetration found[PENETRATIONS_MAX];
  cr_assert_eq(msd_world_get_penetrations(world, found, PENETRATIONS_MAX), 1);
  cr_expect(found[0].is_forced);
  cr_expect(found[0].mesh_a == 1 && found[0].mesh_b == 2, "surfaces %d and %d", (int)found[0].mesh_a,
            (int)found[0].mesh_b);
  msd_destroy_world(world);
}

/* Of a square of pins, and a segment whose lower end is a pin that is led from under one half to under the
   other, and whose upper end goes with it. */
Test(led_surfaces, what_the_caller_has_put_through_pins_is_let_be_wherever_it_is_led) {
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  static const int32_t square[] = {0, 1, 2, 1, 3, 2}, segment[] = {4, 5};
  for (int32_t i = 0; i < 4; i++)
    add_pin(world, i % 2, 0, i / 2);
  add_pin(world, 0.25, -0.1, 0.25);
  add_particle(world, 0.1, 0.25, 0.1, 0.25);
  msd_collision_mesh_def def = msd_default_collision_mesh_def();
  def.triangles = square;
  def.triangle_count = 2;
  ok(world, msd_add_collision_meshes(world, &def, 1, NULL));
  def.triangles = NULL;
  def.triangle_count = 0;
  def.segments = segment;
  def.segment_count = 1;
  ok(world, msd_add_collision_meshes(world, &def, 1, NULL));
  set_velocity(world, 5, 1, 0, 1);
  for (int frame = 1; frame <= 30; frame++) {
    send(world, 4, 0.25 + FRAME * frame, -0.1, 0.25 + FRAME * frame);
    run_frame(world, SUBSTEPS);
  }
  cr_expect_eq(msd_world_get_stats(world).forced_intersections, 0);
  cr_expect_eq(msd_world_get_penetrations(world, NULL, 0), 5, "all pairs with the other half");
  set_velocity(world, 5, 0, -1, 0);
  for (int frame = 0; frame < 12; frame++)
    run_frame(world, SUBSTEPS);
  cr_expect_lt(msd_particle_get_position(world, 5).y, 0, "nothing holds it");
  msd_destroy_world(world);
}

/* A curtain whose upper row is led through a roof of pins, and pulled back. */
static uint64_t led_curtain(int threads) {
  enum { COLUMNS = 12, ROWS = 8 };
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  ok(world, msd_world_set_thread_count(world, threads));
  msd_cloth_def def = msd_default_cloth_def();
  def.columns = COLUMNS;
  def.rows = ROWS;
  def.u = (msd_vec3){(msd_real)0.55, 0, 0};
  def.v = (msd_vec3){0, (msd_real)-0.35, (msd_real)0.02};
  def.origin = (msd_vec3){(msd_real)-0.25, (msd_real)-0.05, 0};
  def.stretch = def.shear = coefficient(0.2, 0.05);
  msd_body cloth;
  ok(world, msd_add_cloth(world, &def, &cloth));
  int32_t corners[6 * COLUMNS * ROWS], count = 0;
  for (int32_t n = 0; n < COLUMNS * (ROWS - 1); n++)
    if (n % COLUMNS < COLUMNS - 1) {
      const int32_t two[6] = {n, n + 1, n + COLUMNS, n + 1, n + COLUMNS + 1, n + COLUMNS};
      memcpy(corners + 3 * count, two, sizeof two);
      count += 2;
    }
  const int32_t roof[3] = {add_pin(world, -1, 0, -1), add_pin(world, 1, 0, -1), add_pin(world, 0, 0, 1)};
  memcpy(corners + 3 * count, roof, sizeof roof);
  msd_collision_mesh_def surface = msd_default_collision_mesh_def();
  surface.triangles = corners;
  surface.triangle_count = count + 1;
  ok(world, msd_add_collision_meshes(world, &surface, 1, NULL));
  for (int32_t i = 0; i < COLUMNS; i++)
    ok(world, msd_particle_pin(world, i));
  for (int frame = 0; frame < 40; frame++) {
    for (int32_t i = 0; i < COLUMNS; i++)
      send_by(world, i, frame < 20 ? 0.02 : -0.02);
    run_frame(world, 10);
    for (int32_t i = COLUMNS; i < COLUMNS * ROWS; i++)
      cr_assert_lt(msd_particle_get_position(world, i).y, 0, "particle %d in frame %d", (int)i, frame);
  }
  cr_expect_geq(msd_world_get_stats(world).forced_intersections, COLUMNS);
  const uint64_t hash = msd_world_hash(world);
  msd_destroy_world(world);
  return hash;
}

Test(led_surfaces, a_curtain_stays_under_the_roof_that_its_pins_go_through_on_any_threads) {
  const uint64_t hash = led_curtain(1);
  for (int threads = 2; threads <= 4; threads++)
    cr_expect_eq(led_curtain(threads), hash, "%d threads", threads);
}

/* ------------------------------------------------------------------------------------ what lies on the led */

enum { PILE = 6 };

/* Triangles over each other and the plate, so far apart. */
static void add_pile(msd_world *world, double apart) {
  for (int n = 0; n < PILE; n++) {
    int32_t corners[3];
    for (int k = 0; k < 3; k++) {
      const double angle = 2.0944 * k + n;
      corners[k] = add_particle(world, 0.1, 0.2 * cos(angle), apart * (n + 1), 0.2 * sin(angle));
    }
    for (int k = 0; k < 3; k++)
      add_spring(world, physical(100, 0.2), corners[k], corners[(k + 1) % 3], 0.2 * sqrt(3));
    add_surface(world, corners);
  }
}

static int64_t count_in_pile(const msd_world *world) {
  int32_t triangles[3 * (PILE + 1)];
  for (int32_t n = 0; n < 3 * (PILE + 1); n++)
    triangles[n] = n;
  msd_intersection_def def = msd_default_intersection_def();
  def.triangles = triangles;
  def.triangle_count = PILE + 1;
  int64_t found = -1;
  cr_assert_eq(msd_world_find_intersections(world, &def, NULL, 0, &found), MSD_OK);
  return found;
}

/* With next to no forces it lies as near as cells let it, and planes within it leave nothing no way. */
Test(led_surfaces, a_pile_is_lifted_by_what_it_lies_on_and_nothing_of_it_is_forced) {
  for (double speed = 0.1; speed < 40; speed *= 2) {
    msd_world *world = plate_world();
    msd_contact_settings contact = msd_default_contact_settings();
    contact.relaxation = (msd_real)0.99;
    contact.thickness = (msd_real)0.005;
    ok(world, msd_world_set_contact_settings(world, &contact));
    add_pile(world, 0.01);
    for (int frame = 0; frame < 60; frame++)
      run_frame(world, SUBSTEPS);
    for (int frame = 0; frame < 60; frame++) {
      for (int32_t i = 0; i < PLATE; i++)
        send_by(world, i, speed * FRAME);
      run_frame(world, SUBSTEPS);
      cr_assert_eq(count_in_pile(world), 0, "%g m/s, frame %d", speed, frame);
    }
    cr_expect_eq(msd_world_get_stats(world).forced_intersections, 0, "%g m/s", speed);
    msd_destroy_world(world);
  }
}
