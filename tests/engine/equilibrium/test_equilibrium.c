/* The shape of rest: against statics in closed form and long damped stepping, downhill at every iterate, the
   same bits everywhere, and what is refused. */
#include "engine/equilibrium/equilibrium.h"
#include "engine/world/world.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static msd_world *new_world(msd_vec3 gravity) {
  msd_world_def def = msd_default_world_def();
  msd_world *world = NULL;
  def.gravity = gravity;
  cr_assert_eq(msd_create_world(&def, &world), MSD_OK);
  return world;
}

static int32_t add_particle(msd_world *world, double x, double y, double z, double mass, bool pinned) {
  msd_particle_def def = msd_default_particle_def();
  int32_t first;
  def.position = (msd_vec3){(msd_real)x, (msd_real)y, (msd_real)z};
  def.velocity = (msd_vec3){1, 0, 2};
  def.mass = (msd_real)mass;
  def.pinned = pinned;
  if (pinned)
    def.velocity = (msd_vec3){0, 0, 0};
  cr_assert_eq(msd_add_particles(world, &def, 1, &first), MSD_OK, "%s", msd_world_message(world));
  return first;
}

static int32_t add_spring(msd_world *world, int32_t a, int32_t b, double rest, double stiffness,
                          msd_spring_mode side) {
  msd_spring_def def = msd_default_spring_def();
  int32_t first;
  def.law = MSD_SPRING_STIFFNESS;
  def.a = a;
  def.b = b;
  def.rest_length = (msd_real)rest;
  def.stiffness = (msd_real)stiffness;
  def.damping = 0;
  def.mode = side;
  cr_assert_eq(msd_add_springs(world, &def, 1, &first), MSD_OK, "%s", msd_world_message(world));
  return first;
}

static msd_equilibrium_report relax(msd_world *world, const msd_equilibrium_def *def) {
  const msd_equilibrium_def usual = msd_default_equilibrium_def();
  msd_equilibrium_report outcome;
  cr_assert_eq(msd_world_find_equilibrium(world, def ? def : &usual, &outcome), MSD_OK, "%s",
               msd_world_message(world));
  cr_expect_leq(outcome.energy, outcome.energy_before);
  return outcome;
}

static double3 place(const msd_world *world, int32_t particle) {
  return vec3_double(msd_particle_get_position(world, particle));
}

/* ----------------------------------------------------------------------------------------- in closed form */

Test(rest, a_hanging_mass_stretches_its_spring_by_its_weight) {
  msd_world *world = new_world((msd_vec3){0, -10, 0});
  const int32_t top = add_particle(world, 0, 0, 0, 1, true),
                mass = add_particle(world, 0.3, -0.5, 0.1, 2, false);
  add_spring(world, top, mass, 1, 400, MSD_SPRING_BOTH);
  const msd_equilibrium_report outcome = relax(world, NULL);
  cr_expect(outcome.converged);
  cr_expect_eq(outcome.particle, mass);
  cr_expect_float_eq(outcome.force, 2 * outcome.acceleration, 1e-12);
  cr_expect_float_eq(place(world, mass).y, -1.05, 1e-6);
  cr_expect_float_eq(place(world, mass).x, 0, 2e-5);
  cr_expect_float_eq(outcome.energy, 0.5 * 400 * 0.05 * 0.05 - 2 * 10 * 1.05, 1e-5);
  const msd_vec3 v = msd_particle_get_velocity(world, mass);
  cr_expect(v.x == 0 && v.y == 0 && v.z == 0);
  cr_expect_eq(msd_world_get_time(world), 0);
  msd_destroy_world(world);
}

/* Between two springs the displacements share the load: (k1 + k2) s = m g, and what is pushed counts as what is
   pulled. */
Test(rest, a_mass_between_two_springs_hangs_on_both) {
  msd_world *world = new_world((msd_vec3){0, -10, 0});
  const int32_t top = add_particle(world, 0, 1, 0, 1, true), low = add_particle(world, 0, -1, 0, 1, true);
  const int32_t mass = add_particle(world, 0, 0.2, 0, 3, false);
  add_spring(world, top, mass, 1, 900, MSD_SPRING_BOTH);
  add_spring(world, mass, low, 1, 600, MSD_SPRING_BOTH);
  cr_expect(relax(world, NULL).converged);
  cr_expect_float_eq(place(world, mass).y, -30.0 / 1500, 1e-6);
  msd_destroy_world(world);
}

/* A tether below its rest length, a strut above it and a broken spring carry nothing. */
Test(rest, what_cannot_act_carries_nothing) {
  msd_world *world = new_world((msd_vec3){0, -10, 0});
  const int32_t top = add_particle(world, 0, 1, 0, 1, true), low = add_particle(world, 0, -1, 0, 1, true);
  const int32_t mass = add_particle(world, 0, 0, 0, 1, false);
  add_spring(world, top, mass, 1, 100, MSD_SPRING_BOTH);
  add_spring(world, mass, low, 1, 1e4, MSD_SPRING_TENSION_ONLY);
  add_spring(world, mass, top, 1, 1e4, MSD_SPRING_COMPRESSION_ONLY);
  cr_assert_eq(msd_spring_break(world, add_spring(world, mass, low, 0, 1e4, MSD_SPRING_BOTH)), MSD_OK);
  cr_expect(relax(world, NULL).converged);
  cr_expect_float_eq(place(world, mass).y, -0.1, 1e-6);
  msd_destroy_world(world);
}

/* 2 a sinh(span/(2 a)) = length, by bisection. */
static double catenary(double span, double length) {
  double low = span / 20, high = span * 20;
  for (int n = 0; n < 100; n++) {
    const double a = (low + high) / 2;
    if (2 * a * sinh(span / (2 * a)) > length)
      low = a;
    else
      high = a;
  }
  return low;
}

Test(rest, a_chain_hangs_as_a_catenary) {
  enum { LINKS = 64 };
  msd_world *world = new_world((msd_vec3){0, -10, 0});
  const double length = 1.5, span = 1;
  for (int i = 0; i <= LINKS; i++)
    add_particle(world, span * i / LINKS, 0, 0, 0.01, i == 0 || i == LINKS);
  for (int i = 0; i < LINKS; i++)
    add_spring(world, i, i + 1, length / LINKS, 2e4, MSD_SPRING_BOTH);
  cr_expect(relax(world, NULL).converged);
  /* Straight links, and a stretch of 10 N/(2e4 N/m x link length), leave less than a hundredth of the sag. */
  const double a = catenary(span, length);
  for (int i = 0; i <= LINKS; i++) {
    const double3 at = place(world, i);
    cr_expect_float_eq(at.y, a * (cosh((at.x - span / 2) / a) - cosh(span / (2 * a))), 5e-3);
    cr_expect_float_eq(at.z, 0, 1e-5);
  }
  msd_destroy_world(world);
}

/* -------------------------------------------------------------------------------------- random networks */

static uint32_t random_bits(uint32_t *seed) {
  *seed = *seed * 1664525u + 1013904223u;
  return *seed >> 8;
}

static double random_number(uint32_t *seed) {
  return random_bits(seed) / 16777216.0;
}

/* Ten to a power from -e to e. */
static double random_scale(uint32_t *seed, double e) {
  return pow(10, e * (2 * random_number(seed) - 1));
}

static double3 random_place(uint32_t *seed) {
  double3 at;
  at.x = random_number(seed);
  at.y = random_number(seed);
  at.z = random_number(seed);
  return at;
}

/* Stiffnesses and masses 10^6 apart, tethers, struts, broken springs, springs without a length. All hangs
   together along a chain of springs from a pin. */
static msd_world *random_world(uint32_t seed, int particles, bool gentle) {
  msd_world *world = new_world((msd_vec3){0, -10, 0});
  const double spread = gentle ? 0.5 : 3;
  for (int i = 0; i < particles; i++) {
    const double3 at = random_place(&seed);
    const double mass = 0.1 * random_scale(&seed, spread);
    add_particle(world, at.x, at.y, at.z, mass, i == 0 || random_bits(&seed) % 16 == 0);
  }
  for (int n = 0; n < 4 * particles; n++) {
    const int32_t chain = n % particles,
                  a = n < particles ? chain : (int32_t)(random_bits(&seed) % (unsigned)particles);
    const int32_t b =
        n < particles ? (chain > 0 ? chain - 1 : 1) : (int32_t)(random_bits(&seed) % (unsigned)particles);
    const double rest = random_bits(&seed) % 8 == 0 ? 0 : random_number(&seed),
                 k = 1e3 * random_scale(&seed, spread);
    const unsigned what = random_bits(&seed) % 8;
    if (a == b)
      continue;
    const msd_spring_mode side = n < particles || what > 1 ? MSD_SPRING_BOTH
                                 : what == 0               ? MSD_SPRING_TENSION_ONLY
                                                           : MSD_SPRING_COMPRESSION_ONLY;
    const int32_t spring = add_spring(world, a, b, rest, k, side);
    if (n >= particles && what == 7)
      cr_assert_eq(msd_spring_break(world, spring), MSD_OK);
  }
  return world;
}

typedef struct course {
  double last, worst;
  int count;
} course;

static bool watch(msd_equilibrium_progress p, void *context) {
  course *c = context;
  if (c->count > 0)
    c->worst = fmax(c->worst, p.energy - c->last);
  c->last = p.energy;
  c->count++;
  return true;
}

Test(rest, no_iteration_of_a_hundred_random_networks_raises_the_energy) {
  for (uint32_t seed = 1; seed <= 100; seed++) {
    msd_world *world = random_world(seed, 24, false);
    course c = {0};
    msd_equilibrium_def def = msd_default_equilibrium_def();
    def.iterations = 2000;
    def.progress = watch;
    def.progress_interval = 1;
    def.context = &c;
    const msd_stats before = msd_world_get_stats(world);
    const msd_equilibrium_report outcome = relax(world, &def);
    const msd_stats behind = msd_world_get_stats(world);
    const double first = before.elastic_energy + before.potential_energy,
                 last = behind.elastic_energy + behind.potential_energy;
    cr_expect_leq(c.worst, 0, "network %d rose by %g J", (int)seed, c.worst);
    cr_expect_gt(c.count, 10);
    cr_expect_float_eq(outcome.energy_before, first, 1e-6 * fabs(first));
    cr_expect_float_eq(outcome.energy, last, 1e-6 * fabs(first));
    cr_expect_float_eq(c.last, last, 1e-5 * fabs(first));
    cr_expect_lt(last, 0.9 * first);
    msd_destroy_world(world);
  }
}

/* The theorem of equilibrium.h: the plain step takes at least half of g^2/D. */
Test(rest, a_plain_step_takes_what_is_proved) {
  for (uint32_t seed = 1; seed <= 60; seed++) {
    msd_world *world = random_world(seed, 30, false);
    memory m = {.allocator = memory_default_allocator(), .limit = SIZE_MAX};
    equilibrium_search s;
    cr_assert(rest_begin(&s, &m, &world->model, 1, 0.01, false));
    double least = 0;
    for (int32_t i = 0; i < s.terms.particles; i++)
      least += 0.5 * double3_dot(s.gradient[i], s.gradient[i]) * s.inverse[i];
    rest_go_on(&s, 1, 0);
    cr_expect_eq(s.returns, 0);
    cr_expect_gt(least, 0);
    cr_expect_leq(s.change, -least * (1 - 1e-9));
    rest_end(&s, &m);
    cr_expect_eq(m.used, 0);
    msd_destroy_world(world);
  }
}

Test(rest, the_bits_are_the_same_on_any_number_of_threads_and_any_width) {
  uint64_t wanted = 0;
  for (int n = 0; n < 6; n++) {
    msd_world *world = random_world(7, 3000, false);
    msd_equilibrium_def def = msd_default_equilibrium_def();
    def.iterations = 60;
    cr_assert_eq(msd_world_set_thread_count(world, n + 1), MSD_OK);
    cr_assert_eq(msd_world_set_simd(world, n % 2 ? MSD_SIMD_SCALAR : MSD_SIMD_WIDEST), MSD_OK);
    if (n == 5) /* the particles get an order */
      cr_assert_eq(msd_particle_set_velocity(world, 1, msd_particle_get_velocity(world, 1)), MSD_OK);
    cr_expect_not(relax(world, &def).converged);
    wanted = n == 0 ? msd_world_hash(world) : wanted;
    cr_expect_eq(msd_world_hash(world), wanted, "%d threads", n + 1);
    msd_destroy_world(world);
  }
}

/* ------------------------------------------------------------------------------------ against long stepping */

static msd_world *net(int side) {
  msd_world *world = new_world((msd_vec3){0, -10, 0});
  msd_cloth_def def = msd_default_cloth_def();
  def.columns = def.rows = side;
  def.u = (msd_vec3){1, 0, 0};
  def.v = (msd_vec3){0, 0, 1};
  def.mass = 0.2f;
  def.stretch.law = def.shear.law = MSD_SPRING_STIFFNESS;
  def.stretch.stiffness = def.shear.stiffness = 100;
  def.stretch.damping = def.shear.damping = 0.2f;
  msd_body cloth;
  cr_assert_eq(msd_add_cloth(world, &def, &cloth), MSD_OK, "%s", msd_world_message(world));
  const int corners[] = {0, side - 1, side * (side - 1), side * side - 1};
  for (int n = 0; n < 4; n++)
    cr_assert_eq(msd_particle_pin(world, cloth.particles.first + corners[n]), MSD_OK);
  return world;
}

Test(rest, a_net_has_the_shape_that_damped_steps_come_to) {
  msd_world *world = net(9), *stepped = net(9);
  cr_expect(relax(world, NULL).converged);
  cr_assert_eq(msd_world_set_linear_damping(stepped, 2), MSD_OK);
  for (int frame = 0; frame < 1200; frame++)
    cr_assert_eq(msd_world_step(stepped, (msd_real)(1.0 / 60), 8), MSD_OK);
  for (int32_t i = 0; i < 81; i++) {
    const double3 d = double3_subtract(place(world, i), place(stepped, i));
    cr_expect_lt(sqrt(double3_dot(d, d)), 1e-4, "particle %d", (int)i);
  }
  msd_destroy_world(world);
  msd_destroy_world(stepped);
}

/* Steps from the shape of rest stay there. */
static void expect_still(msd_world *world, double most) {
  for (int frame = 0; frame < 30; frame++)
    cr_assert_eq(msd_world_step(world, (msd_real)(1.0 / 60), 40), MSD_OK, "%s", msd_world_message(world));
  cr_expect_lt(msd_world_get_stats(world).max_speed, most);
}

/* Constraints of all kinds, an soft pin and fibers go downhill with the rest, and none of them pushes on at the
   end. */
Test(rest, constraints_and_soft_pins_come_to_rest_together) {
  static const double places[][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 0.3}};
  msd_world *world = new_world((msd_vec3){0, -10, 0});
  for (int i = 0; i < 5; i++)
    add_particle(world, places[i][0], places[i][1], places[i][2], 0.1, false);
  for (int a = 0; a < 5; a++)
    for (int b = 0; b < a; b++)
      add_spring(world, a, b, 0.9, 200, MSD_SPRING_BOTH);
  msd_soft_pin_def soft_pin = msd_default_soft_pin_def();
  soft_pin.particle = 2;
  soft_pin.position = (msd_vec3){0, 1, 0};
  cr_assert_eq(msd_add_soft_pins(world, &soft_pin, 1, NULL), MSD_OK, "%s", msd_world_message(world));
  static const msd_constraint_kind kinds[] = {MSD_CONSTRAINT_ANGLE, MSD_CONSTRAINT_AREA,
                                              MSD_CONSTRAINT_VOLUME, MSD_CONSTRAINT_DIHEDRAL};
  for (int n = 0; n < 4; n++) {
    msd_constraint_def def = msd_default_constraint_def();
    def.kind = kinds[n];
    def.law = MSD_SPRING_STIFFNESS;
    def.stiffness = kinds[n] == MSD_CONSTRAINT_ANGLE || kinds[n] == MSD_CONSTRAINT_DIHEDRAL ? 1 : 300;
    def.damping = 0;
    for (int c = 0; c < 4; c++)
      def.particles[c] = (c + n) % 5;
    def.rest = kinds[n] == MSD_CONSTRAINT_VOLUME ? 0.2f : 0.5f;
    cr_assert_eq(msd_add_constraints(world, &def, 1, NULL), MSD_OK, "%s", msd_world_message(world));
  }
  course c = {0};
  msd_equilibrium_def def = msd_default_equilibrium_def();
  def.progress = watch;
  def.progress_interval = 1;
  def.context = &c;
  cr_expect(relax(world, &def).converged);
  cr_expect_leq(c.worst, 0);
  expect_still(world, 2e-3);
  msd_destroy_world(world);
}

static bool stop_at_once(msd_equilibrium_progress p, void *context) {
  *(int *)context = p.iteration;
  return p.iteration < 30;
}

Test(rest, who_is_told_may_end_it_and_cannot_change_the_world) {
  msd_world *world = net(9);
  int last = -1;
  msd_equilibrium_def def = msd_default_equilibrium_def();
  def.progress = stop_at_once;
  def.progress_interval = 10;
  def.context = &last;
  const msd_equilibrium_report outcome = relax(world, &def);
  cr_expect_eq(last, 30);
  cr_expect_eq(outcome.iterations, 30);
  cr_expect_not(outcome.converged);
  msd_destroy_world(world);
}

/* A world at rest stays as it is, and one that has nothing is at rest. */
Test(rest, what_is_at_rest_stays) {
  msd_world *world = new_world((msd_vec3){0, -10, 0});
  cr_expect(relax(world, NULL).converged);
  add_particle(world, 0, 0, 0, 1, true);
  cr_expect_eq(relax(world, NULL).particle, -1);
  msd_destroy_world(world);
  world = net(6);
  relax(world, NULL);
  const msd_equilibrium_report again = relax(world, NULL);
  cr_expect_leq(again.energy, again.energy_before);
  cr_expect_float_eq(again.energy, again.energy_before, 1e-6);
  msd_destroy_world(world);
}

/* ------------------------------------------------------------------------------------------ what is refused */

static void expect_refused(msd_world *world, const msd_equilibrium_def *def, const char *word) {
  const uint64_t hash = msd_world_hash(world);
  msd_equilibrium_report outcome;
  cr_expect_eq(msd_world_find_equilibrium(world, def, &outcome), MSD_BAD_VALUE, "%s", word);
  cr_expect_not_null(strstr(msd_world_message(world), word), "'%s' lacks '%s'", msd_world_message(world),
                     word);
  cr_expect_eq(msd_world_hash(world), hash);
}

Test(rest, numbers_out_of_their_range_are_refused) {
  msd_world *world = net(3);
  msd_equilibrium_def def = msd_default_equilibrium_def();
  def.cookie = 0;
  cr_expect_eq(msd_world_find_equilibrium(world, &def, NULL), MSD_UNINITIALIZED_DEF);
  cr_expect_eq(msd_world_find_equilibrium(world, NULL, NULL), MSD_UNINITIALIZED_DEF);
  cr_expect_eq(msd_world_find_equilibrium(NULL, &def, NULL), MSD_BAD_VALUE);
  def = msd_default_equilibrium_def();
  def.tolerance = 0;
  expect_refused(world, &def, "tolerance");
  def.tolerance = (double)NAN;
  expect_refused(world, &def, "tolerance");
  def = msd_default_equilibrium_def();
  def.iterations = 0;
  expect_refused(world, &def, "iterations");
  def = msd_default_equilibrium_def();
  def.progress_interval = 0;
  expect_refused(world, &def, "progress_interval");
  def = msd_default_equilibrium_def();
  def.substep = -1;
  expect_refused(world, &def, "substep");
  msd_destroy_world(world);
}

Test(rest, worlds_without_such_a_shape_are_refused_by_name) {
  msd_world *world = net(3);
  msd_equilibrium_def def = msd_default_equilibrium_def();
  const int32_t loose = add_particle(world, 9, 9, 9, 1, false);
  expect_refused(world, &def, "particle 9 ");
  cr_assert_eq(msd_particle_pin(world, loose), MSD_OK);
  const int32_t triangle[] = {0, 1, 3};
  msd_collision_mesh_def surface = msd_default_collision_mesh_def();
  surface.triangles = triangle;
  surface.triangle_count = 1;
  cr_assert_eq(msd_add_collision_meshes(world, &surface, 1, NULL), MSD_OK);
  expect_refused(world, &def, "contact between bodies");
  def.ignore_contact = true;
  cr_expect_eq(msd_world_find_equilibrium(world, &def, NULL), MSD_OK);
  msd_spring_def spring = msd_default_spring_def();
  spring.a = 0;
  spring.b = loose;
  spring.law = MSD_SPRING_COEFFICIENT;
  spring.ck = (msd_real)0.1;
  int32_t first;
  cr_assert_eq(msd_add_springs(world, &spring, 1, &first), MSD_OK);
  expect_refused(world, &def, "substep");
  def.substep = 0.01;
  cr_expect_eq(msd_world_find_equilibrium(world, &def, NULL), MSD_OK);
  msd_destroy_world(world);
}

/* Gives nothing at one chosen request, counted from 1. */
typedef struct limited_memory {
  int requests, fail_at;
} limited_memory;

static void *allocate_limited(size_t bytes, void *context) {
  limited_memory *m = context;
  return ++m->requests == m->fail_at ? NULL : aligned_alloc(64, (bytes + 63) / 64 * 64);
}

static void release_limited(void *block, void *context) {
  (void)context;
  free(block);
}

Test(rest, a_world_without_memory_is_as_before_and_can_go_on) {
  limited_memory m = {0, 0};
  msd_world_def def = msd_default_world_def();
  def.allocator = (msd_allocator){allocate_limited, release_limited, &m};
  msd_world *world = NULL;
  cr_assert_eq(msd_create_world(&def, &world), MSD_OK);
  add_spring(world, add_particle(world, 0, 0, 0, 1, true), add_particle(world, 1, 0, 0, 1, false), 1, 100,
             MSD_SPRING_BOTH);
  msd_collider_def floor = msd_default_collider_def();
  floor.position = (msd_vec3){0, -5, 0};
  cr_assert_eq(msd_add_colliders(world, &floor, 1, NULL), MSD_OK);
  const msd_equilibrium_def rest = msd_default_equilibrium_def();
  const uint64_t hash = msd_world_hash(world);
  const size_t bytes = msd_world_get_stats(world).bytes;
  msd_result result = MSD_OUT_OF_MEMORY;
  int failed = 0;
  for (; result == MSD_OUT_OF_MEMORY && failed < 100; failed++) {
    m = (limited_memory){0, failed + 1};
    result = msd_world_find_equilibrium(world, &rest, NULL);
    cr_expect(result == MSD_OK || msd_world_hash(world) == hash);
    cr_expect_eq(msd_world_get_stats(world).bytes, bytes);
  }
  cr_expect_eq(result, MSD_OK);
  cr_expect_gt(failed, 10);
  msd_destroy_world(world);
}
