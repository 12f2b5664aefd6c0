/* What colliders allow of an iteration towards rest: what the proof of docs/theory/equilibrium.md asks of it,
   among random colliders; Coulomb's law; and shapes of rest in closed form and against long damped stepping. */
#include "engine/equilibrium/collider_set.h"
#include "tests/support/share.h"

#include "engine/world/world.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#define THICKNESS 0.01

static uint32_t random_bits(uint32_t *seed) {
  *seed = *seed * 1664525u + 1013904223u;
  return *seed >> 8;
}

static double between(uint32_t *seed, double least, double most) {
  return least + (most - least) * (random_bits(seed) / 16777216.0);
}

static msd_vec3 random_vector(uint32_t *seed, double least, double most) {
  msd_vec3 v;
  v.x = (msd_real)between(seed, least, most);
  v.y = (msd_real)between(seed, least, most);
  v.z = (msd_real)between(seed, least, most);
  return v;
}

static msd_world *new_world(int threads) {
  msd_world_def def = msd_default_world_def();
  msd_world *world = NULL;
  def.gravity = (msd_vec3){0, -10, 0};
  def.thread_count = threads;
  cr_assert_eq(msd_create_world(&def, &world), MSD_OK);
  msd_contact_settings contact = msd_default_contact_settings();
  contact.thickness = (msd_real)THICKNESS;
  cr_assert_eq(msd_world_set_contact_settings(world, &contact), MSD_OK);
  return world;
}

static int32_t add_particle(msd_world *world, double x, double y, double z, double mass, bool pinned) {
  msd_particle_def def = msd_default_particle_def();
  int32_t first;
  def.position = (msd_vec3){(msd_real)x, (msd_real)y, (msd_real)z};
  def.mass = (msd_real)mass;
  def.pinned = pinned;
  cr_assert_eq(msd_add_particles(world, &def, 1, &first), MSD_OK, "%s", msd_world_message(world));
  return first;
}

static void add_spring(msd_world *world, int32_t a, int32_t b, double rest, double stiffness) {
  msd_spring_def def = msd_default_spring_def();
  def.a = a;
  def.b = b;
  def.rest_length = (msd_real)rest;
  def.stiffness = (msd_real)stiffness;
  cr_assert_eq(msd_add_springs(world, &def, 1, NULL), MSD_OK, "%s", msd_world_message(world));
}

static void add_collider(msd_world *world, msd_collider_def def) {
  cr_assert_eq(msd_add_colliders(world, &def, 1, NULL), MSD_OK, "%s", msd_world_message(world));
}

static void add_random_collider(msd_world *world, uint32_t *seed) {
  msd_collider_def def = msd_default_collider_def();
  def.kind = (msd_collider_kind)(random_bits(seed) % MSD_COLLIDER_KIND_COUNT);
  def.position = random_vector(seed, -1, 1);
  def.rotation = msd_quaternion_from_degrees(random_vector(seed, -180, 180));
  def.from = random_vector(seed, -0.5, 0.5);
  def.to = random_vector(seed, -0.5, 0.5);
  def.radius = (msd_real)between(seed, 0.05, 0.5);
  def.size = random_vector(seed, 0.1, 1);
  def.friction = (msd_real)(random_bits(seed) % 3 == 0 ? 0 : between(seed, 0, 1.5));
  add_collider(world, def);
}

static double length_of(double3 v) {
  return sqrt(double3_dot(v, v));
}

static double3 place(const msd_world *world, int32_t particle) {
  return vec3_double(msd_particle_get_position(world, particle));
}

/* m: how far the particle of all is outside that is so the least. */
static double least_distance(msd_world *world) {
  memory m = {.allocator = memory_default_allocator(), .limit = SIZE_MAX};
  collider_set t;
  double least = INFINITY;
  int32_t collider;
  cr_assert(collider_set_make(&t, &m, &world->model, 1, true));
  for (int32_t i = 0; i < world->model.particles.count; i++)
    if (!msd_particle_is_pinned(world, i))
      least = fmin(least, collider_set_distance(&t, place(world, i), &collider));
  collider_set_free(&t, &m);
  return least;
}

/* ------------------------------------------------------------------------------------------------- one way */

/* Ways of all lengths, among up to eight colliders that may overlap. */
Test(collider_set, no_way_leads_into_a_collider_and_all_are_in_the_ball_of_the_proof) {
  int turned = 0;
  for (uint32_t seed = 1; seed <= 3000; seed++) {
    uint32_t random = seed;
    memory m = {.allocator = memory_default_allocator(), .limit = SIZE_MAX};
    msd_world *world = new_world(1);
    const msd_vec3 at = random_vector(&random, -1.5, 1.5);
    const int32_t i = add_particle(world, (double)at.x, (double)at.y, (double)at.z, 1, false);
    const double3 x = place(world, i);
    for (unsigned n = random_bits(&random) % 8 + 1; n > 0; n--)
      add_random_collider(world, &random);
    collider_set t;
    int32_t collider;
    cr_assert(collider_set_make(&t, &m, &world->model, 1, true));
    const double3 w = vec3_double(random_vector(&random, -1, 1));
    const double before = collider_set_distance(&t, x, &collider);
    if (before >= 0) {
      const double3 v = collider_set_go(&t, 0, i, x, w);
      const double along = double3_dot(w, v), square = double3_dot(v, v);
      turned += along < double3_dot(w, w);
      cr_expect_geq(along, square - 1e-14, "seed %u", (unsigned)seed);
      cr_expect_geq(collider_set_distance(&t, double3_add_scaled(x, v, 1), &collider),
                    fmin(before, THICKNESS) - 1e-6, "seed %u", (unsigned)seed);
    }
    collider_set_free(&t, &m);
    cr_expect_eq(m.used, 0);
    msd_destroy_world(world);
  }
  cr_expect_gt(turned, 300);
}

/* On a plane: what is slid is |w_t| - mu |w_n|, and nothing where that is not above 0. */
Test(collider_set, a_way_along_a_plane_is_shortened_as_Coulomb_has_it) {
  memory m = {.allocator = memory_default_allocator(), .limit = SIZE_MAX};
  msd_world *world = new_world(1);
  msd_collider_def plane = msd_default_collider_def();
  plane.kind = MSD_COLLIDER_PLANE;
  plane.friction = (msd_real)0.5;
  add_collider(world, plane);
  const int32_t i = add_particle(world, 0, THICKNESS, 0, 1, false);
  const double3 x = place(world, i);
  collider_set t;
  cr_assert(collider_set_make(&t, &m, &world->model, 1, true));
  const double3 slides = collider_set_go(&t, 0, i, x, (double3){3, -4, 4});
  cr_expect_float_eq(slides.x, 3 * (5 - 0.5 * 4) / 5, 1e-6);
  cr_expect_float_eq(slides.z, 4 * (5 - 0.5 * 4) / 5, 1e-6);
  cr_expect_float_eq(slides.y, 0, 1e-6);
  const double3 sticks = collider_set_go(&t, 0, i, x, (double3){0.3, -1, 0.3}),
                leaves = collider_set_go(&t, 0, i, x, (double3){0.3, 1, 0.3});
  cr_expect_lt(length_of(sticks), 1e-12);
  cr_expect(leaves.x == 0.3 && leaves.y == 1 && leaves.z == 0.3);
  collider_set_free(&t, &m);
  msd_destroy_world(world);
}

/* ---------------------------------------------------------------------------------------------- shapes */

static msd_equilibrium_report relax(msd_world *world, msd_equilibrium_def def) {
  msd_equilibrium_report outcome;
  cr_assert_eq(msd_world_find_equilibrium(world, &def, &outcome), MSD_OK, "%s", msd_world_message(world));
  cr_expect_leq(outcome.energy, outcome.energy_before);
  return outcome;
}

typedef struct course {
  double last, worst;
} course;

static bool watch(msd_equilibrium_progress p, void *context) {
  course *c = context;
  c->worst = p.iteration > 0 ? fmax(c->worst, p.energy - c->last) : 0;
  c->last = p.energy;
  return true;
}

/* Stiffnesses and masses 10^4 apart. */
static msd_world *penetration(uint32_t seed, int threads) {
  enum { PARTICLES = 30, COLLIDERS = 6 };
  msd_world *world = new_world(threads);
  for (int i = 0; i < PARTICLES; i++)
    add_particle(world, between(&seed, -1, 1), between(&seed, 2, 4), between(&seed, -1, 1),
                 pow(10, between(&seed, -3, 1)), false);
  for (int n = 0; n < 3 * PARTICLES; n++) {
    const int32_t a = n % PARTICLES, b = (int32_t)(random_bits(&seed) % PARTICLES);
    if (a != b)
      add_spring(world, a, b, between(&seed, 0, 1), pow(10, between(&seed, 1, 5)));
  }
  msd_collider_def floor = msd_default_collider_def();
  floor.kind = MSD_COLLIDER_PLANE;
  floor.position = (msd_vec3){0, -1, 0};
  add_collider(world, floor);
  for (int n = 0; n < COLLIDERS; n++) {
    msd_collider_def def = msd_default_collider_def();
    def.kind = n % 2 == 0 ? MSD_COLLIDER_CAPSULE : MSD_COLLIDER_BOX;
    def.position = random_vector(&seed, -0.8, 0.8);
    def.rotation = msd_quaternion_from_degrees(random_vector(&seed, -180, 180));
    def.to = random_vector(&seed, -0.5, 0.5);
    def.radius = (msd_real)between(&seed, 0.05, 0.3);
    def.size = random_vector(&seed, 0.1, 0.8);
    def.friction = (msd_real)between(&seed, 0, 1);
    add_collider(world, def);
  }
  return world;
}

Test(collider_set, no_iteration_of_penetrations_that_fall_on_colliders_raises_the_energy_or_leads_into_one) {
  for (uint32_t seed = 1; seed <= 40; seed++) {
    course c = {0};
    msd_world *world = penetration(seed, 1);
    msd_equilibrium_def def = msd_default_equilibrium_def();
    def.iterations = 3000;
    def.progress = watch;
    def.progress_interval = 1;
    def.context = &c;
    const msd_equilibrium_report outcome = relax(world, def);
    cr_expect_leq(c.worst, 0, "penetration %d rose by %g J", (int)seed, c.worst);
    cr_expect_lt(outcome.energy, outcome.energy_before);
    cr_expect_geq(least_distance(world), THICKNESS - 1e-5, "penetration %d", (int)seed);
    msd_destroy_world(world);
  }
}

Test(collider_set, the_bits_are_the_same_on_any_number_of_threads) {
  uint64_t wanted = 0;
  for (int threads = 1; threads <= 5; threads += in_part ? 3 : 1) {
    msd_world *world = penetration(3, threads);
    msd_equilibrium_def def = msd_default_equilibrium_def();
    def.iterations = 500;
    relax(world, def);
    wanted = threads == 1 ? msd_world_hash(world) : wanted;
    cr_expect_eq(msd_world_hash(world), wanted, "%d threads", threads);
    msd_destroy_world(world);
  }
}

/* Two particles on a slope, held by a spring to a pin further up: of the weight along the slope it bears what
   friction leaves, which is anything between both of its signs. */
static double pull_on_slope(double angle, double friction) {
  msd_world *world = new_world(1);
  msd_collider_def plane = msd_default_collider_def();
  plane.kind = MSD_COLLIDER_PLANE;
  plane.rotation = msd_quaternion_from_degrees((msd_vec3){0, 0, (msd_real)angle});
  plane.friction = (msd_real)friction;
  add_collider(world, plane);
  const double c = cos(angle * acos(-1) / 180), s = sin(angle * acos(-1) / 180), off = THICKNESS + 1e-6;
  const int32_t pin = add_particle(world, c - s * off, s + c * off, 0, 1, true),
                upper = add_particle(world, -s * off, c * off, 0, 0.5, false),
                lower = add_particle(world, -c - s * off, -s + c * off, 0, 0.5, false);
  add_spring(world, pin, upper, 1, 100);
  add_spring(world, upper, lower, 1, 1000);
  cr_expect(relax(world, msd_default_equilibrium_def()).converged);
  const double pull = 100 * (length_of(double3_subtract(place(world, pin), place(world, upper))) - 1);
  msd_destroy_world(world);
  return pull;
}

Test(collider_set, what_lies_on_a_slope_hangs_by_what_friction_leaves) {
  const double s = 10 * 0.5, c = 10 * sqrt(0.75);
  cr_expect_float_eq(pull_on_slope(30, 0), s, 1e-3);
  const double some = pull_on_slope(30, 0.2);
  cr_expect_geq(some, s - 0.2 * c - 1e-3);
  cr_expect_leq(some, s + 0.2 * c + 1e-3);
  /* tan 30 degrees is 0.577: it stays where it lies. */
  cr_expect_float_eq(pull_on_slope(30, 0.6), 0, 1e-4);
}

/* Over a cylinder hangs a rope, from a pin on one side to a weight on the other. With mu = 0 both ends bear the
   same; else they are within e^(mu pi). */
static double capstan_ratio(double friction) {
  enum { LINKS = 80 };
  const double radius = 0.3 + THICKNESS, pi = acos(-1), link = (pi * radius + 0.6) / LINKS;
  msd_world *world = new_world(1);
  msd_collider_def drum = msd_default_collider_def();
  drum.kind = MSD_COLLIDER_CAPSULE;
  drum.from = (msd_vec3){0, 0, -1};
  drum.to = (msd_vec3){0, 0, 1};
  drum.radius = (msd_real)0.3;
  drum.friction = (msd_real)friction;
  add_collider(world, drum);
  for (int i = 0; i <= LINKS; i++) {
    const double along = i * link - 0.3, turn = along / radius, reach = radius / cos(link / radius);
    const bool is_last = i == LINKS;
    if (along < 0)
      add_particle(world, -reach, along, 0, 1e-5, i == 0);
    else if (turn > pi)
      add_particle(world, reach, -(along - pi * radius), 0, is_last ? 1 : 1e-5, false);
    else
      add_particle(world, -reach * cos(turn), reach * sin(turn), 0, 1e-5, false);
  }
  for (int i = 0; i < LINKS; i++)
    add_spring(world, i, i + 1, link, 1e4);
  msd_equilibrium_def def = msd_default_equilibrium_def();
  def.tolerance = 1;
  cr_expect(relax(world, def).converged);
  cr_expect_geq(least_distance(world), THICKNESS - 1e-5);
  const double first = length_of(double3_subtract(place(world, 0), place(world, 1))) - link,
               last = length_of(double3_subtract(place(world, LINKS), place(world, LINKS - 1))) - link;
  msd_destroy_world(world);
  return last / first;
}

Test(collider_set, a_rope_over_a_drum_bears_at_its_ends_what_Euler_allows) {
  const double pi = acos(-1);
  cr_expect_float_eq(capstan_ratio(0), 1, 0.02);
  const double ratio = capstan_ratio(0.3);
  cr_expect_gt(ratio, 1.2);
  cr_expect_leq(ratio, exp(0.3 * pi) * 1.02);
}

/* ------------------------------------------------------------------------------------ against long stepping */

/* A net that hangs on its corners, over a smooth ball that lifts its middle. */
static msd_world *net_on_ball(int side) {
  msd_world *world = new_world(1);
  msd_cloth_def def = msd_default_cloth_def();
  def.columns = def.rows = side;
  def.origin = (msd_vec3){(msd_real)-0.5, 0, (msd_real)-0.5};
  def.u = (msd_vec3){1, 0, 0};
  def.v = (msd_vec3){0, 0, 1};
  def.mass = (msd_real)0.2;
  def.stretch.law = def.shear.law = MSD_SPRING_STIFFNESS;
  def.stretch.stiffness = def.shear.stiffness = 100;
  def.stretch.damping = def.shear.damping = (msd_real)0.2;
  cr_assert_eq(msd_add_cloth(world, &def, NULL), MSD_OK, "%s", msd_world_message(world));
  const int corners[] = {0, side - 1, side * (side - 1), side * side - 1};
  for (int n = 0; n < 4; n++)
    cr_assert_eq(msd_particle_pin(world, corners[n]), MSD_OK);
  msd_collider_def ball = msd_default_collider_def();
  ball.kind = MSD_COLLIDER_SPHERE;
  ball.position = (msd_vec3){0, (msd_real)-0.22, 0};
  ball.radius = (msd_real)0.2;
  ball.friction = 0;
  add_collider(world, ball);
  return world;
}

Test(collider_set, a_net_on_a_ball_has_the_shape_that_damped_steps_come_to) {
  msd_world *world = net_on_ball(9), *stepped = net_on_ball(9);
  cr_expect(relax(world, msd_default_equilibrium_def()).converged);
  cr_assert_eq(msd_world_set_linear_damping(stepped, 2), MSD_OK);
  for (int frame = 0; frame < 1200; frame++)
    cr_assert_eq(msd_world_step(stepped, (msd_real)(1.0 / 60), 8), MSD_OK);
  cr_expect_gt(msd_world_get_stats(stepped).contacts, 0);
  for (int32_t i = 0; i < 81; i++)
    cr_expect_lt(length_of(double3_subtract(place(world, i), place(stepped, i))), 2e-4, "particle %d",
                 (int)i);
  msd_destroy_world(world);
  msd_destroy_world(stepped);
}

/* ------------------------------------------------------------------------------------------ what is refused */

static void expect_refused(msd_world *world, const char *words) {
  const msd_equilibrium_def def = msd_default_equilibrium_def();
  const uint64_t hash = msd_world_hash(world);
  cr_expect_eq(msd_world_find_equilibrium(world, &def, NULL), MSD_BAD_VALUE);
  cr_expect_not_null(strstr(msd_world_message(world), words), "'%s'", msd_world_message(world));
  cr_expect_eq(msd_world_hash(world), hash);
}

Test(collider_set, what_begins_in_a_collider_or_falls_alone_is_refused) {
  msd_world *world = new_world(1);
  msd_collider_def ball = msd_default_collider_def();
  ball.kind = MSD_COLLIDER_SPHERE;
  ball.radius = (msd_real)0.5;
  add_collider(world, ball);
  const int32_t within = add_particle(world, 0.3, 0, 0, 1, false),
                other = add_particle(world, 0, 2, 0, 1, false);
  add_spring(world, within, other, 2, 100);
  expect_refused(world, "particle 0 is inside collider 0");
  cr_assert_eq(msd_particle_pin(world, within), MSD_OK);
  cr_expect(relax(world, msd_default_equilibrium_def()).iterations > 0);
  add_particle(world, 0, 3, 0, 1, false);
  expect_refused(world, "no spring or constraint acts on particle 2");
  cr_assert_eq(msd_destroy_objects(world, MSD_OBJECT_COLLIDER, &(int32_t){0}, 1), MSD_OK);
  expect_refused(world, "particle 2 is attached to nothing");
  msd_destroy_world(world);
}
