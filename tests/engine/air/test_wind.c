/* Air on triangles and segments, against quadratic drag in closed form and the theorems of docs/theory/wind.md.
   */
#include "tests/support/touching.h"

static const double GRAVITY = 9.81, RHO = 1.2;
static const double WIDTH = 0.02; /* m */

static msd_wind_def wind_of(msd_vec3 velocity, double density, double normal, double tangential) {
  msd_wind_def def = msd_default_wind_def();
  def.velocity = velocity;
  def.density = (msd_real)density;
  def.normal_drag = (msd_real)normal;
  def.tangential_drag = (msd_real)tangential;
  return def;
}

static void blow(msd_world *world, msd_vec3 velocity, double density, double normal, double tangential) {
  const msd_wind_def def = wind_of(velocity, density, normal, tangential);
  ok(world, msd_world_set_wind(world, &def));
}

static void add_faces(msd_world *world, const int32_t *triangles, int32_t triangle_count,
                      const int32_t *segments, int32_t segment_count) {
  msd_collision_mesh_def def = msd_default_collision_mesh_def();
  def.triangles = triangles;
  def.triangle_count = triangle_count;
  def.segments = segments;
  def.segment_count = segment_count;
  def.thickness = (msd_real)WIDTH;
  def.self_collision = false;
  ok(world, msd_add_collision_meshes(world, &def, 1, NULL));
}

static const int32_t FIRST_CORNERS[3] = {0, 1, 2};

/* A triangle of 0.5 m^2 across `normal` (0, 1 or 2), with corners of those masses. */
static msd_world *world_of_triangle(int normal, const double masses[3]) {
  static const double places[3][2] = {{0, 0}, {1, 0}, {0, 1}};
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  for (int k = 0; k < 3; k++) {
    double x[3] = {0, 0, 0};
    x[(normal + 1) % 3] = places[k][0];
    x[(normal + 2) % 3] = places[k][1];
    add_particle(world, masses[k], x[0], x[1], x[2]);
  }
  add_faces(world, FIRST_CORNERS, 1, NULL, 0);
  return world;
}

/* A segment of 1 m along an axis. */
static msd_world *world_of_segment(int axis, double mass) {
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  add_particle(world, mass / 2, 0, 0, 0);
  add_particle(world, mass / 2, axis == 0, axis == 1, axis == 2);
  add_faces(world, NULL, 0, FIRST_CORNERS, 1);
  return world;
}

static const double EVEN[3] = {0.1, 0.1, 0.1};

/* --------------------------------------------------------------------------------- what falls in still air */

/* So that rounding changes no length on the way down. */
static void put_back(msd_world *world, const msd_vec3 *places, int32_t count) {
  for (int32_t i = 0; i < count; i++)
    ok(world, msd_particle_set_position(world, i, places[i]));
}

/* m g = 1/2 rho A C v^2: reached at any step, and never passed; rounding is that of v + dt g. */
static void expect_terminal_speed(msd_world *world, double mass, double size, double coefficient) {
  static const double steps[] = {0.001, 1.0 / 60, 0.25, 2};
  const double wanted = sqrt(2 * mass * GRAVITY / (RHO * size * coefficient));
  const int32_t count = msd_world_get_particle_count(world);
  msd_vec3 places[3];
  for (int32_t i = 0; i < count; i++)
    places[i] = msd_particle_get_position(world, i);
  ok(world, msd_world_set_gravity(world, vector(0, -GRAVITY, 0)));
  for (int n = 0; n < 4; n++) {
    for (int32_t i = 0; i < count; i++)
      set_velocity(world, i, 0, 0, 0);
    double speed = 0;
    for (double time = 0; time < 20 * wanted / GRAVITY + 20 * steps[n]; time += 10 * steps[n]) {
      put_back(world, places, count);
      step(world, 10 * steps[n], 10);
      speed = -(double)msd_particle_get_velocity(world, 0).y;
      cr_assert_lt(speed, wanted * (1 + 1e-4), "with steps of %g s", steps[n]);
    }
    cr_expect_float_eq(speed, wanted, 1e-4 * wanted, "with steps of %g s: %g and not %g m/s", steps[n], speed,
                       wanted);
  }
}

Test(wind, a_level_plate_falls_at_its_terminal_speed_with_any_step) {
  msd_world *world = world_of_triangle(1, EVEN);
  blow(world, vector(0, 0, 0), RHO, 1.3, 0.02);
  expect_terminal_speed(world, 0.3, 0.5, 1.3);
  msd_destroy_world(world);
}

Test(wind, a_plate_on_its_edge_falls_at_that_of_its_sides) {
  msd_world *world = world_of_triangle(0, EVEN);
  blow(world, vector(0, 0, 0), RHO, 1.3, 0.2);
  expect_terminal_speed(world, 0.3, 0.5, 0.2);
  msd_destroy_world(world);
}

Test(wind, a_level_rope_falls_by_its_width_and_an_upright_one_by_its_skin) {
  for (int axis = 0; axis < 2; axis++) {
    msd_world *world = world_of_segment(axis, 0.01);
    blow(world, vector(0, 0, 0), RHO, 1.1, 0.3);
    expect_terminal_speed(world, 0.01, WIDTH, axis == 0 ? 1.1 : 0.3);
    msd_destroy_world(world);
  }
}

Test(wind, it_pushes_in_sequential_impulses_too) {
  msd_world *world = world_of_triangle(1, EVEN);
  ok(world, msd_world_set_integrator(world, MSD_SEQUENTIAL_IMPULSE));
  blow(world, vector(0, 0, 0), RHO, 1.3, 0.02);
  expect_terminal_speed(world, 0.3, 0.5, 1.3);
  msd_destroy_world(world);
}

/* v' of v* = 3 m/s solves v' = v* - c v'^2 with c = 1/2 dt rho A C/m; the place goes with it. */
Test(wind, a_substep_is_backward_euler_of_quadratic_drag) {
  msd_world *world = world_of_triangle(1, EVEN);
  blow(world, vector(0, 0, 0), RHO, 1.3, 0.02);
  for (int32_t i = 0; i < 3; i++)
    set_velocity(world, i, 0, 3, 0);
  step(world, 0.5, 1);
  const double c = 0.25 * RHO * 0.5 * 1.3 / 0.3, wanted = (sqrt(1 + 4 * c * 3) - 1) / (2 * c);
  for (int32_t i = 0; i < 3; i++) {
    cr_expect_float_eq((double)msd_particle_get_velocity(world, i).y, wanted, 1e-6 * wanted);
    cr_expect_float_eq((double)msd_particle_get_position(world, i).y, 0.5 * wanted, 1e-6 * wanted);
  }
  msd_destroy_world(world);
}

/* -------------------------------------------------------------------------------------------- the force */

/* N: what a short step from rest makes of the momentum. */
static void find_force(msd_world *world, double force[3]) {
  const double dt = 1e-5;
  step(world, dt, 1);
  for (int c = 0; c < 3; c++)
    force[c] = msd_world_get_stats(world).momentum[c] / dt;
}

/* With equal coefficients the force is 1/2 rho A |W| W, at the time at which the step begins. */
Test(wind, turbulence_push_as_fast_as_they_are_said_to_be_now) {
  msd_world *world = world_of_triangle(1, EVEN);
  msd_wind_def turbulence = wind_of(vector(1, 2, 3), RHO, 1, 1), none = turbulence;
  turbulence.turbulence = 3;
  none.density = 0;
  for (int n = 0; n < 5; n++) {
    ok(world, msd_world_set_wind(world, &none));
    for (int32_t i = 0; i < 3; i++)
      set_velocity(world, i, 0, 0, 0);
    step(world, 0.7, 1);
    ok(world, msd_world_set_wind(world, &turbulence));
    const msd_vec3 wind = msd_world_get_wind_velocity(world, vector(1.0 / 3, 0, 1.0 / 3));
    double force[3];
    find_force(world, force);
    const double pressure = 0.5 * RHO * 0.5 * length_of_vector(wind);
    for (int c = 0; c < 3; c++)
      cr_expect_float_eq(force[c], pressure * component(wind, c), 1e-3 * pressure * length_of_vector(wind),
                         "after %d stretches: %g N", n, force[c]);
  }
  msd_destroy_world(world);
}

/* A plate across (1, 1, 0)/sqrt 2 in a wind along x: drag and lift of the formula of a thin plate. */
Test(wind, a_slanted_plate_has_the_drag_and_lift_of_the_formula) {
  const double s = sqrt(0.5), speed = 6, pressure = 0.5 * RHO * 0.5 * speed * speed;
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  add_particle(world, 1, 0, 0, 0);
  add_particle(world, 1, s, -s, 0);
  add_particle(world, 1, 0, 0, 1);
  add_faces(world, FIRST_CORNERS, 1, NULL, 0);
  blow(world, vector(speed, 0, 0), RHO, 1.2, 0.1);
  double force[3];
  find_force(world, force);
  const double drag = pressure * (1.2 + 0.1) / 2, lift = pressure * (1.2 - 0.1) / 2;
  cr_expect_float_eq(force[0], drag, 1e-3 * drag, "%g N", force[0]);
  cr_expect_float_eq(force[1], lift, 1e-3 * drag, "%g N", force[1]);
  cr_expect_float_eq(force[2], 0, 1e-3 * drag);
  msd_destroy_world(world);
}

/* By the speed across it and by that along it. */
Test(wind, a_slanted_rope_takes_the_wind_across_and_along_apart) {
  const double s = sqrt(0.5), speed = 6, pressure = 0.5 * RHO * WIDTH * speed * speed / 2;
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  add_particle(world, 1, 0, 0, 0);
  add_particle(world, 1, s, -s, 0);
  add_faces(world, NULL, 0, FIRST_CORNERS, 1);
  blow(world, vector(speed, 0, 0), RHO, 1.2, 0.1);
  double force[3];
  find_force(world, force);
  cr_expect_float_eq(force[0], pressure * s * (1.2 + 0.1), 1e-3 * pressure, "%g N", force[0]);
  cr_expect_float_eq(force[1], pressure * s * (1.2 - 0.1), 1e-3 * pressure, "%g N", force[1]);
  msd_destroy_world(world);
}

Test(wind, the_side_that_is_counted_first_does_not_matter) {
  static const int32_t orders[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
  for (int n = 0; n < 6; n++) {
    msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
    for (int k = 0; k < 3; k++)
      add_particle(world, 1, 0, k == 1, k == 2);
    add_faces(world, orders[n], 1, NULL, 0);
    blow(world, vector(2, 0, 0), RHO, 1.2, 0.1);
    double force[3];
    find_force(world, force);
    cr_expect_float_eq(force[0], 0.5 * RHO * 0.5 * 1.2 * 4, 1e-3);
    msd_destroy_world(world);
  }
}

/* The corners get the same impulse whatever they weigh: what all of them gain is one force. */
Test(wind, corners_share_the_impulse_evenly_whatever_their_masses) {
  const double masses[3] = {0.001, 0.1, 10};
  msd_world *world = world_of_triangle(1, masses);
  blow(world, vector(1, 20, -3), RHO, 1.2, 0.1);
  step(world, 0.05, 1);
  const msd_vec3 first = msd_particle_get_velocity(world, 0);
  cr_expect_gt((double)first.y, 0);
  for (int32_t i = 1; i < 3; i++) {
    const msd_vec3 v = msd_particle_get_velocity(world, i);
    for (int c = 0; c < 3; c++)
      cr_expect_float_eq(masses[i] * component(v, c), masses[0] * component(first, c),
                         1e-6 * fabs(masses[0] * component(first, c)));
  }
  msd_destroy_world(world);
}

Test(wind, what_goes_with_it_feels_none) {
  msd_world *world = world_of_triangle(2, EVEN);
  blow(world, vector(1, 2, 4), RHO, 1.2, 0.1);
  for (int32_t i = 0; i < 3; i++)
    set_velocity(world, i, 1, 2, 4);
  step(world, 0.5, 8);
  for (int32_t i = 0; i < 3; i++) {
    const msd_vec3 v = msd_particle_get_velocity(world, i);
    cr_expect(v.x == 1 && v.y == 2 && v.z == 4);
  }
  msd_destroy_world(world);
}

Test(wind, pins_stay_and_faces_without_size_feel_nothing) {
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  for (int k = 0; k < 3; k++)
    add_particle(world, 1, 0.5 * k, 0, 0); /* on a line */
  add_pin(world, 0, 2, 0);
  add_pin(world, 1, 2, 0);
  add_pin(world, 0, 2, 1);
  for (int k = 0; k < 2; k++)
    add_particle(world, 1, 0, 4, 0); /* in one place */
  const int32_t triangles[6] = {0, 1, 2, 3, 4, 5}, segment[2] = {6, 7};
  add_faces(world, triangles, 2, segment, 1);
  blow(world, vector(3, 5, 7), RHO, 1.2, 0.1);
  const uint64_t before = msd_world_hash(world);
  step(world, 0.1, 4);
  cr_expect_eq(msd_world_hash(world), before);
  msd_destroy_world(world);
}

/* --------------------------------------------------------------------------------------- what it cannot do */

enum { PARTICLES = 24 };

/* Triangles and segments over shared particles of 0.001 to 1000 kg, with a surface that does not touch. */
static msd_world *random_faces(generator *random, bool pins) {
  enum { FACES = 40 };
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  for (int32_t i = 0; i < PARTICLES; i++) {
    const msd_vec3 x = random_place(random, 1), v = random_place(random, 50);
    add_particle(world, pow(10, 6 * random_share(random) - 3), component(x, 0), component(x, 1),
                 component(x, 2));
    if (pins && i % 5 == 0)
      ok(world, msd_particle_pin(world, i));
    else
      set_velocity(world, i, component(v, 0), component(v, 1), component(v, 2));
  }
  int32_t triangles[3 * FACES], segments[2 * FACES];
  for (int32_t n = 0; n < FACES; n++)
    for (int32_t k = 0; k < 3; k++) {
      const int32_t first = random_below(random, PARTICLES);
      triangles[3 * n + k] = k == 0 ? first : (triangles[3 * n] + 7 * k) % PARTICLES;
      if (k < 2)
        segments[2 * n + k] = (triangles[3 * n] + 5 * k) % PARTICLES;
    }
  add_faces(world, triangles, FACES, segments, FACES);
  return world;
}

/* J: of what moves against a wind. */
static double energy_against(const msd_world *world, msd_vec3 wind) {
  double sum = 0;
  for (int32_t i = 0; i < PARTICLES; i++) {
    const msd_vec3 v = msd_particle_get_velocity(world, i);
    for (int c = 0; c < 3 && !msd_particle_is_pinned(world, i); c++)
      sum += (double)msd_particle_get_mass(world, i) * pow(component(v, c) - component(wind, c), 2) / 2;
  }
  return sum;
}

static void expect_falling(msd_world *world, msd_vec3 wind, double dt, uint64_t seed) {
  double before = energy_against(world, wind);
  for (int n = 0; n < 20; n++) {
    step(world, dt, 1);
    const double now = energy_against(world, wind);
    cr_assert_leq(now, before * (1 + 1e-6), "seed %d, steps of %g s: %g J after %g J", (int)seed, dt, now,
                  before);
    before = now;
  }
}

/* Theorem 1: in the frame of an even wind kinetic energy never grows, at any step and density. */
Test(wind, kinetic_energy_against_an_even_wind_never_grows) {
  static const double steps[] = {1e-4, 0.01, 1, 30};
  for (uint64_t seed = 1; seed <= 40; seed++) {
    generator random = {.state = seed};
    msd_world *world = random_faces(&random, false);
    const msd_vec3 wind = random_place(&random, 60);
    blow(world, wind, pow(10, 4 * random_share(&random) - 1), 3 * random_share(&random),
         3 * random_share(&random));
    expect_falling(world, wind, steps[seed % 4], seed);
    msd_destroy_world(world);
  }
}

/* Theorem 2 with still pins: still air takes energy. */
Test(wind, still_air_takes_energy_beside_pins_too) {
  static const double steps[] = {1e-4, 0.01, 1, 30};
  for (uint64_t seed = 1; seed <= 40; seed++) {
    generator random = {.state = seed};
    msd_world *world = random_faces(&random, true);
    blow(world, vector(0, 0, 0), pow(10, 4 * random_share(&random) - 1), 3 * random_share(&random),
         3 * random_share(&random));
    expect_falling(world, vector(0, 0, 0), steps[seed % 4], seed);
    msd_destroy_world(world);
  }
}

/* Theorem 3: random networks at 0.98 of the certified limit in air of any density stay below the energy that
   they began with; lightly damped, so that the springs make no energy of their own. */
Test(wind, air_takes_nothing_of_the_certified_step) {
  enum { SIDE = 6, COUNT = SIDE * SIDE };
  for (uint64_t seed = 1; seed <= 12; seed++) {
    generator random = {.state = seed};
    msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
    int32_t corners[6 * COUNT];
    for (int32_t i = 0; i < COUNT; i++) {
      add_particle(world, exp(4 * random_share(&random)), 0.1 * (i % SIDE), 0.01 * random_share(&random),
                   0.1 * (i / SIDE));
      const msd_vec3 v = random_place(&random, 1);
      set_velocity(world, i, component(v, 0), component(v, 1), component(v, 2));
    }
    for (int32_t e = 0; e < 3 * COUNT; e++) {
      const int32_t a = random_below(&random, COUNT), b = (a + 1 + random_below(&random, COUNT - 1)) % COUNT;
      const msd_vec3 from = msd_particle_get_position(world, a), to = msd_particle_get_position(world, b);
      const double rest = length_of_vector((msd_vec3){to.x - from.x, to.y - from.y, to.z - from.z});
      add_spring(world, physical(100 * (0.1 + random_share(&random)), 0.5), a, b, rest);
    }
    add_faces(world, corners, grid_triangles(corners, 0, SIDE, SIDE, 1, SIDE), NULL, 0);
    blow(world, vector(0, 0, 0), pow(10, (double)(seed % 6)), 2, 1);
    msd_stability report;
    ok(world, msd_world_analyze_stability(world, 1, &report));
    const msd_stats begin = msd_world_get_stats(world);
    const double all = begin.kinetic_energy + begin.elastic_energy;
    for (int n = 0; n < 100; n++) {
      step(world, 20 * 0.98 * report.stable_substep, 20);
      const msd_stats now = msd_world_get_stats(world);
      cr_assert_lt(now.kinetic_energy + now.elastic_energy, all, "seed %d after %d substeps", (int)seed,
                   20 * n);
    }
    msd_destroy_world(world);
  }
}

/* A sheet of 0.1 kg and 1 m^2 in N/m, held at two corners, in a storm of 100 m/s with as few substeps as are
   certified. */
Test(wind, a_light_sheet_in_a_storm_cracks_like_a_whip_and_stays_bounded) {
  enum { SIDE = 12, COUNT = SIDE * SIDE };
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  msd_cloth_def cloth = msd_default_cloth_def();
  cloth.columns = cloth.rows = SIDE;
  cloth.u = vector(1, 0, 0);
  cloth.v = vector(0, -1, 0);
  cloth.mass = (msd_real)0.1;
  cloth.stretch = physical(2000, 0.05);
  cloth.shear = physical(400, 0.02);
  ok(world, msd_add_cloth(world, &cloth, NULL));
  int32_t corners[6 * COUNT];
  add_faces(world, corners, grid_triangles(corners, 0, SIDE, SIDE, 1, SIDE), NULL, 0);
  ok(world, msd_particle_pin(world, 0));
  ok(world, msd_particle_pin(world, SIDE - 1));
  msd_wind_def wind = wind_of(vector(10, 0, 100), RHO, 1.2, 0.02);
  wind.turbulence = 20;
  ok(world, msd_world_set_wind(world, &wind));
  double most = 0;
  for (int frame = 0; frame < 120; frame++) {
    step(world, 1.0 / 60, 0);
    most = largest(most, msd_world_get_stats(world).max_speed);
  }
  cr_expect_lt(most, 400, "%g m/s", most);
  msd_destroy_world(world);
}

/* -------------------------------------------------------------------------------------------------- bits */

/* A sheet of 400 particles and a rope over a ball, in turbulence. */
static touching new_scene(void) {
  touching t = contact_step_new(vector(0, -GRAVITY, 0), 0.3, 0);
  const int32_t sheet = touching_sheet(&t, 20, 20, vector(0, 1, 0), vector(1, 0, 0), vector(0, 0, 1), true);
  touching_rope(&t, 30, vector(0, 1.1, 0.5), vector(1, 1.1, 0.5));
  ok(t.world, msd_particle_pin(t.world, sheet));
  msd_collider_def ball = sphere_of(0.3);
  ball.position = vector(0.5, 0.5, 0.5);
  add_collider(t.world, ball);
  return t;
}

static uint64_t hash_in_turbulence(msd_simd simd, int threads, double density) {
  touching t = new_scene();
  msd_wind_def wind = wind_of(vector(2, 1, -1), density, 1.2, 0.02);
  wind.turbulence = 1;
  wind.turbulence_length = (msd_real)0.25;
  ok(t.world, msd_world_set_wind(t.world, &wind));
  ok(t.world, msd_world_set_simd(t.world, simd));
  ok(t.world, msd_world_set_thread_count(t.world, threads));
  for (int frame = 0; frame < 8; frame++)
    step(t.world, 1.0 / 60, 10);
  const uint64_t hash = msd_world_hash(t.world);
  contact_step_free(&t);
  return hash;
}

Test(wind, bits_are_equal_at_all_widths_and_on_any_threads) {
  const uint64_t wanted = hash_in_turbulence(MSD_SIMD_SCALAR, 1, RHO);
  for (int n = 2; n < 8; n++)
    cr_expect_eq(hash_in_turbulence((msd_simd)(n % MSD_SIMD_COUNT), n, RHO), wanted, "width %d, %d threads",
                 n % MSD_SIMD_COUNT, n);
}

Test(wind, without_density_bits_are_those_of_a_world_without_air) {
  touching t = new_scene();
  for (int frame = 0; frame < 8; frame++)
    step(t.world, 1.0 / 60, 10);
  cr_expect_eq(hash_in_turbulence(MSD_SIMD_WIDEST, 1, 0), msd_world_hash(t.world));
  cr_expect_neq(hash_in_turbulence(MSD_SIMD_WIDEST, 1, RHO), msd_world_hash(t.world));
  contact_step_free(&t);
}

/* ------------------------------------------------------------------------------------ under scaled masses */

static void connect(msd_world *world, int32_t a, int32_t b, double stiffness, double damping) {
  msd_spring_def def = msd_default_spring_def();
  def.a = a;
  def.b = b;
  def.stiffness = (msd_real)stiffness;
  def.damping = (msd_real)damping;
  ok(world, msd_add_springs(world, &def, 1, NULL));
}

/* Air pushes once in a substep, however often a collider is asked, and the whole of a free body has its
   impulse. */
Test(wind, a_plate_of_stiff_springs_and_scaled_masses_falls_at_its_terminal_speed_with_any_step) {
  msd_world *world = world_of_triangle(1, EVEN);
  msd_collider_def floor = msd_default_collider_def();
  floor.kind = MSD_COLLIDER_PLANE;
  floor.position = vector(0, -1000, 0);
  ok(world, msd_add_colliders(world, &floor, 1, NULL));
  ok(world, msd_world_set_mass_scaling(world, MSD_MASS_SCALING_SELECTIVE));
  for (int32_t i = 0; i < 3; i++)
    connect(world, i, (i + 1) % 3, 1e6, 1e3);
  blow(world, vector(0, 0, 0), RHO, 1.3, 0.02);
  expect_terminal_speed(world, 0.3, 0.5, 1.3);
  msd_destroy_world(world);
}

/* What goes evenly has the kinetic energy of scaled masses that it has of the masses, and of any motion the
   latter is a part of the former. Springs are damped by dt k. */
Test(wind, stiff_penetrations_of_scaled_masses_gain_nothing_against_an_even_wind) {
  static const double steps[] = {1e-4, 0.01, 1, 30};
  for (uint64_t seed = 1; seed <= 40; seed++) {
    generator random = {.state = seed};
    const double dt = steps[seed % 4];
    msd_world *world = random_faces(&random, false);
    const msd_vec3 wind = random_place(&random, 60);
    ok(world, msd_world_set_mass_scaling(world, MSD_MASS_SCALING_SELECTIVE));
    for (int32_t i = 0; i < PARTICLES; i++)
      set_velocity(world, i, 3, -20, 7);
    for (int32_t s = 0; s < 3 * PARTICLES; s++) {
      const int32_t a = s % PARTICLES, away = s < PARTICLES ? 0 : random_below(&random, PARTICLES - 1);
      const double stiffness = (double)msd_particle_get_mass(world, a) * pow(10, 12 * random_share(&random));
      connect(world, a, (a + 1 + away) % PARTICLES, stiffness, dt * stiffness);
    }
    blow(world, wind, pow(10, 4 * random_share(&random) - 1), 3 * random_share(&random),
         3 * random_share(&random));
    const double came = energy_against(world, wind);
    double now = came;
    for (int n = 0; n < 50; n++) {
      step(world, 10 * dt, 10);
      now = energy_against(world, wind);
      cr_assert_leq(now, came * (1 + 1e-3), "seed %d, steps of %g s: %g J of %g J", (int)seed, dt, now, came);
    }
    cr_expect_lt(now, came * (1 - 1e-6), "seed %d: it is pushed", (int)seed);
    msd_destroy_world(world);
  }
}
