/* The store of constraints and its public functions: what they promise, refuse and leave as it was. */
#include "tests/support/constraints.h"
#include "tests/support/forged_snapshot.h"
#include "tests/support/picture.h"

#include "engine/world/world.h"

#include <float.h>

static const double EPSILON = sizeof(msd_real) == sizeof(double) ? DBL_EPSILON : FLT_EPSILON;
static const double PI = 3.14159265358979323846;

/* Corners of the unit cube's lower end: 0 at the origin, 1, 2, 3 along x, y, z, 4 at (1,1,1). */
static msd_world *five_particles(void) {
  msd_world *world = empty_world();
  ASSERT_OK(world, msd_world_set_gravity(world, (msd_vec3){0, 0, 0}));
  const msd_vec3 at[5] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}};
  for (int i = 0; i < 5; i++) {
    msd_particle_def def = msd_default_particle_def();
    def.position = at[i];
    ASSERT_OK(world, msd_add_particles(world, &def, 1, NULL));
  }
  return world;
}

/* The tetrahedron of the first four, seen from outside. */
static const int32_t tetrahedron[12] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};

static msd_constraint_def mesh_of(const int32_t *triangles, int32_t count) {
  msd_constraint_def def = msd_default_constraint_def();
  def.kind = MSD_CONSTRAINT_MESH_VOLUME;
  def.triangles = triangles;
  def.triangle_count = count;
  return def;
}

/* ------------------------------------------------------------------------------------------------ adding */

Test(constraint, the_default_definition_is_the_documented_one) {
  const msd_constraint_def def = msd_default_constraint_def();
  cr_assert(def.kind == MSD_CONSTRAINT_ANGLE && def.law == MSD_SPRING_STIFFNESS && def.rest == MSD_AS_PLACED);
  cr_assert(def.stiffness == 0 && def.damping == 0 && def.ck == MSD_MAX_STABLE && def.cd == MSD_MAX_STABLE);
  cr_assert(def.frequency == 0 && def.damping_ratio == 0 && def.triangles == NULL && def.triangle_count == 0);
  for (int n = 0; n < 4; n++)
    cr_assert_eq(def.particles[n], -1);
}

Test(constraint, kinds_have_names_and_particles) {
  static const char *const names[] = {"angle", "dihedral", "area", "volume", "fiber", "mesh_volume"};
  static const int particles[] = {3, 4, 3, 4, 4, 0};
  for (int kind = 0; kind < MSD_CONSTRAINT_KIND_COUNT; kind++) {
    cr_assert_str_eq(msd_constraint_kind_name((msd_constraint_kind)kind), names[kind]);
    cr_assert_eq(msd_constraint_kind_particles((msd_constraint_kind)kind), particles[kind]);
  }
  cr_assert_null(msd_constraint_kind_name(MSD_CONSTRAINT_KIND_COUNT));
  cr_assert_eq(msd_constraint_kind_particles((msd_constraint_kind)-1), 0);
}

Test(constraint, values_and_rests_of_every_kind_are_those_of_the_placed_shape) {
  msd_world *world = five_particles();
  const msd_constraint_def defs[] = {
      constraint_of(MSD_CONSTRAINT_ANGLE, 1, 0, 2, -1), constraint_of(MSD_CONSTRAINT_DIHEDRAL, 0, 1, 2, 3),
      constraint_of(MSD_CONSTRAINT_AREA, 1, 2, 3, -1),  constraint_of(MSD_CONSTRAINT_VOLUME, 0, 1, 2, 3),
      constraint_of(MSD_CONSTRAINT_VOLUME, 0, 2, 1, 3), mesh_of(tetrahedron, 4)};
  const double values[] = {PI / 2, PI / 2, sqrt(3) / 2, 1.0 / 6, -1.0 / 6, 1.0 / 6};
  int32_t first = -1;
  ASSERT_OK(world, msd_add_constraints(world, defs, 6, &first));
  cr_assert(first == 0 && msd_world_get_constraint_count(world) == 6);
  for (int32_t c = 0; c < 6; c++) {
    cr_expect_float_eq(msd_constraint_get_value(world, c), values[c], 1e-14);
    cr_expect_float_eq((double)msd_constraint_get_def(world, c).rest, values[c], 4 * EPSILON);
    cr_expect_eq(msd_constraint_get_tension(world, c), 0);
  }
  msd_destroy_world(world);
}

Test(constraint, a_definition_is_given_back_as_it_was_added) {
  msd_world *world = five_particles();
  for (int turn = 0; turn < 8; turn++) {
    msd_constraint_def def =
        turn % 2 ? mesh_of(tetrahedron, 4) : constraint_of(MSD_CONSTRAINT_AREA, 4, 2, 0, -1);
    def.rest = (msd_real)-0.5;
    give_law(&def, turn);
    const int32_t index = add_constraint(world, def);
    const msd_constraint_def got = msd_constraint_get_def(world, index);
    cr_assert(got.kind == def.kind && got.rest == def.rest && got.law == def.law);
    cr_assert(got.stiffness == def.stiffness && got.damping == def.damping && got.ck == def.ck &&
              got.cd == def.cd && got.frequency == def.frequency && got.damping_ratio == def.damping_ratio);
    for (int n = 0; n < 4; n++)
      cr_assert_eq(got.particles[n], def.particles[n]);
    cr_assert_eq(got.triangle_count, def.triangle_count);
    cr_assert(turn % 2 == 0 || memcmp(got.triangles, tetrahedron, sizeof tetrahedron) == 0);
    int32_t again = -1;
    ASSERT_OK(world, msd_add_constraints(world, &got, 1, &again));
    cr_assert_eq(again, index + 1);
  }
  msd_destroy_world(world);
}

/* Rounding leaves 0.3 + 0.1 - 0.4 something. */
Test(constraint, the_weights_of_a_fiber_are_given_back_with_a_sum_of_0) {
  msd_world *world = five_particles();
  msd_constraint_def def = constraint_of(MSD_CONSTRAINT_FIBER, 4, 0, 2, -1);
  const msd_real weights[4] = {(msd_real)-0.4, (msd_real)0.3, (msd_real)0.1, 77};
  memcpy(def.weights, weights, sizeof weights);
  def.rest = -2;
  add_constraint(world, def);
  const msd_constraint_def got = msd_constraint_get_def(world, 0);
  cr_assert(got.kind == MSD_CONSTRAINT_FIBER && got.particles[2] == 2 && got.particles[3] == -1);
  cr_assert(got.weights[1] == weights[1] && got.weights[2] == weights[2] && got.weights[3] == 0);
  cr_assert_eq(got.weights[0], -(weights[1] + weights[2]));
  cr_assert_eq(got.rest, 0, "a length is not negative");
  add_constraint(world, constraint_of(MSD_CONSTRAINT_ANGLE, 0, 1, 2, -1));
  cr_assert_eq(msd_constraint_get_def(world, 1).weights[1], 0, "an angle has none");
  msd_destroy_world(world);
}

Test(constraint, triangles_are_copied) {
  msd_world *world = five_particles();
  int32_t triangles[12];
  memcpy(triangles, tetrahedron, sizeof triangles);
  const int32_t c = add_constraint(world, mesh_of(triangles, 4));
  memset(triangles, -1, sizeof triangles);
  cr_assert_float_eq(msd_constraint_get_value(world, c), 1.0 / 6, 1e-14);
  msd_destroy_world(world);
}

Test(constraint, an_angle_for_the_rest_of_a_dihedral_is_taken_the_short_way) {
  msd_world *world = five_particles();
  msd_constraint_def def = constraint_of(MSD_CONSTRAINT_DIHEDRAL, 0, 1, 2, 3);
  def.rest = (msd_real)(PI / 2 - 2 * PI);
  def.stiffness = 1;
  const int32_t c = add_constraint(world, def);
  cr_assert_float_eq(msd_constraint_get_tension(world, c), 0, 8 * EPSILON);
  ASSERT_OK(world, msd_constraint_set_rest(world, c, (msd_real)(-PI / 2 - 0.25)));
  cr_assert_float_eq(msd_constraint_get_tension(world, c), PI / 2 + PI / 2 + 0.25 - 2 * PI, 8 * EPSILON);
  msd_destroy_world(world);
}

Test(constraint, valence_counts_each_corner_once_while_it_acts) {
  msd_world *world = five_particles();
  const int32_t *valence = world->model.particles.valence;
  add_constraint(world, mesh_of(tetrahedron, 4));
  const int32_t angle = add_constraint(world, constraint_of(MSD_CONSTRAINT_ANGLE, 1, 0, 4, -1));
  valence = world->model.particles.valence;
  cr_assert(valence[0] == 2 && valence[1] == 2 && valence[2] == 1 && valence[3] == 1 && valence[4] == 1);
  ASSERT_OK(world, msd_constraint_break(world, angle));
  ASSERT_OK(world, msd_constraint_break(world, angle));
  cr_assert(valence[0] == 1 && valence[1] == 1 && valence[4] == 0);
  ASSERT_OK(world, msd_constraint_break(world, 0));
  for (int i = 0; i < 5; i++)
    cr_assert_eq(valence[i], 0);
  cr_assert(msd_constraint_is_broken(world, 0) && msd_constraint_is_broken(world, 1));
  cr_assert_eq(msd_world_get_stats(world).constraints, 2);
  msd_destroy_world(world);
}

/* ---------------------------------------------------------------------------------------------- misuse */

typedef struct mistake {
  const char *what, *said;
  msd_result result;
  msd_constraint_def def;
} mistake;

static void expect_refused(msd_world *world, const mistake *m) {
  const picture before = take_picture(world);
  const msd_constraint_def defs[3] = {constraint_of(MSD_CONSTRAINT_AREA, 0, 1, 2, -1),
                                      mesh_of(tetrahedron, 4), m->def};
  int32_t first = 77;
  const msd_result result = msd_add_constraints(world, defs, 3, &first);
  cr_expect_eq(result, m->result, "%s: %s", m->what, msd_result_string(result));
  cr_expect_eq(first, 77);
  const char *message = msd_world_message(world);
  cr_expect(strstr(message, "constraint definition 2: ") == message && strstr(message, m->said),
            "%s: the message is \"%s\"", m->what, message);
  cr_expect(is_unchanged(world, before), "%s changed the world", m->what);
}

static msd_constraint_def with_law(msd_spring_law law_kind, double ck, double stiffness, double frequency) {
  msd_constraint_def def = constraint_of(MSD_CONSTRAINT_ANGLE, 0, 1, 2, -1);
  def.law = law_kind;
  def.ck = (msd_real)ck;
  def.stiffness = (msd_real)stiffness;
  def.frequency = (msd_real)frequency;
  return def;
}

static msd_constraint_def with_rest(msd_real rest) {
  msd_constraint_def def = constraint_of(MSD_CONSTRAINT_ANGLE, 0, 1, 2, -1);
  def.rest = rest;
  return def;
}

static msd_constraint_def fiber_of(double a, double b, double c) {
  msd_constraint_def def = constraint_of(MSD_CONSTRAINT_FIBER, 0, 1, 2, -1);
  def.weights[0] = (msd_real)a, def.weights[1] = (msd_real)b, def.weights[2] = (msd_real)c;
  return def;
}

static msd_constraint_def of_kind(int kind) {
  msd_constraint_def def = constraint_of(MSD_CONSTRAINT_ANGLE, 0, 1, 2, -1);
  def.kind = (msd_constraint_kind)kind;
  return def;
}

Test(constraint, mistakes_are_named_and_nothing_is_added) {
  static const int32_t open[12] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 4};
  static const int32_t turned[12] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 3, 2};
  static const int32_t doubled[15] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3, 1, 2, 3};
  static const int32_t twice[12] = {0, 2, 2, 0, 1, 3, 0, 3, 2, 1, 2, 3};
  static const int32_t negative[12] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, -3};
  static const int32_t beyond[12] = {0, 2, 1, 0, 1, 5, 0, 5, 2, 1, 2, 5};
  msd_world *world = five_particles();
  msd_constraint_def uninitialized = constraint_of(MSD_CONSTRAINT_ANGLE, 0, 1, 2, -1);
  uninitialized.cookie = 0;
  msd_constraint_def with_triangles = constraint_of(MSD_CONSTRAINT_ANGLE, 0, 1, 2, -1);
  with_triangles.triangle_count = 4;
  const mistake mistakes[] = {
      {"no cookie", "msd_default_constraint_def", MSD_UNINITIALIZED_DEF, uninitialized},
      {"no kind", "kind is 6", MSD_BAD_VALUE, of_kind(MSD_CONSTRAINT_KIND_COUNT)},
      {"negative kind", "kind is -1", MSD_BAD_VALUE, of_kind(-1)},
      {"too few corners", "particles[3] is -1", MSD_BAD_INDEX, of_kind(MSD_CONSTRAINT_VOLUME)},
      {"corner that is not there", "particles[1] is 5; it must be one of the world's 5", MSD_BAD_INDEX,
       constraint_of(MSD_CONSTRAINT_ANGLE, 0, 5, 2, -1)},
      {"corner twice", "particles[0] and particles[2] are both 3", MSD_BAD_INDEX,
       constraint_of(MSD_CONSTRAINT_AREA, 3, 1, 3, -1)},
      {"a fiber without weights", "weights are all 0", MSD_BAD_VALUE, fiber_of(0, 0, 0)},
      {"weights with a sum", "weights have the sum 0.5", MSD_BAD_VALUE, fiber_of(-1, 1, 0.5)},
      {"a weight without a number", "weights[2] is", MSD_BAD_VALUE, fiber_of(-1, 1, NAN)},
      {"weights that are too large", "weights have sizes of 2e+16", MSD_BAD_VALUE, fiber_of(-1e16, 1e16, 0)},
      {"a fiber with two corners", "particles[2] is -1", MSD_BAD_INDEX,
       constraint_of(MSD_CONSTRAINT_FIBER, 0, 1, -1, -1)},
      {"a fiber with a corner twice", "particles[1] and particles[3] are both 2", MSD_BAD_INDEX,
       constraint_of(MSD_CONSTRAINT_FIBER, 0, 2, 1, 2)},
      {"triangles of an angle", "triangle_count is 4", MSD_BAD_VALUE, with_triangles},
      {"no law", "law is 0", MSD_BAD_VALUE, with_law(MSD_SPRING_NONE, 0, 0, 0)},
      {"negative stiffness", "stiffness is -1", MSD_BAD_VALUE, with_law(MSD_SPRING_STIFFNESS, 0, -1, 0)},
      {"negative ck", "ck is -0.5", MSD_BAD_VALUE, with_law(MSD_SPRING_COEFFICIENT, -0.5, 0, 0)},
      {"infinite frequency", "frequency is inf", MSD_BAD_VALUE,
       with_law(MSD_SPRING_FREQUENCY, 0, 0, INFINITY)},
      {"rest without a number", "rest is", MSD_BAD_VALUE, with_rest((msd_real)NAN)},
      {"no triangles", "triangles NULL", MSD_BAD_VALUE, mesh_of(NULL, 4)},
      {"three triangles", "triangle_count is 3", MSD_BAD_VALUE, mesh_of(tetrahedron, 3)},
      {"an open mesh", "has 1 triangle;", MSD_BAD_VALUE, mesh_of(open, 4)},
      {"a triangle that is turned", "opposite orientations", MSD_BAD_VALUE, mesh_of(turned, 4)},
      {"an edge of three triangles", "has 3 triangles", MSD_BAD_VALUE, mesh_of(doubled, 5)},
      {"a triangle with a corner twice", "triangle 0 has the particles 0, 2, 2", MSD_BAD_VALUE,
       mesh_of(twice, 4)},
      {"a negative corner", "1, 2, -3", MSD_BAD_VALUE, mesh_of(negative, 4)},
      {"a corner beyond the last", "particle 5; the world has 5", MSD_BAD_INDEX, mesh_of(beyond, 4)},
  };
  for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++)
    expect_refused(world, &mistakes[i]);
  cr_assert_eq(msd_world_get_constraint_count(world), 0);
  msd_destroy_world(world);
}

/* Two tetrahedra that share the edge 0-1: four triangles meet there, two in each direction. */
Test(constraint, an_edge_of_four_triangles_is_refused) {
  static const int32_t touching[24] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3,
                                       0, 4, 1, 0, 1, 5, 0, 5, 4, 1, 4, 5};
  msd_world *world = five_particles();
  const msd_particle_def sixth = msd_default_particle_def();
  ASSERT_OK(world, msd_add_particles(world, &sixth, 1, NULL));
  const msd_constraint_def def = mesh_of(touching, 8);
  cr_assert_eq(msd_add_constraints(world, &def, 1, NULL), MSD_BAD_VALUE);
  cr_assert(strstr(msd_world_message(world), "between particles 0 and 1 has 4 triangles") ||
                strstr(msd_world_message(world), "between particles 1 and 0 has 4 triangles"),
            "%s", msd_world_message(world));
  msd_destroy_world(world);
}

Test(constraint, calls_without_a_world_or_with_a_bad_index_answer_and_change_nothing) {
  const msd_constraint_def good = constraint_of(MSD_CONSTRAINT_AREA, 0, 1, 2, -1);
  cr_assert_eq(msd_add_constraints(NULL, &good, 1, NULL), MSD_BAD_VALUE);
  cr_assert(msd_world_get_constraint_count(NULL) == 0 && msd_constraint_get_value(NULL, 0) == 0);
  msd_world *world = five_particles();
  add_constraint(world, good);
  cr_assert_eq(msd_add_constraints(world, NULL, 1, NULL), MSD_BAD_VALUE);
  cr_assert_eq(msd_add_constraints(world, &good, -1, NULL), MSD_BAD_VALUE);
  cr_assert_eq(msd_add_constraints(world, NULL, 0, NULL), MSD_OK);
  static const int32_t bad[] = {-1, 1, INT32_MAX, INT32_MIN};
  const picture before = take_picture(world);
  for (int i = 0; i < 4; i++) {
    cr_assert_eq(msd_constraint_set_law(world, bad[i], &good), MSD_BAD_INDEX);
    cr_assert_eq(msd_constraint_set_rest(world, bad[i], 1), MSD_BAD_INDEX);
    cr_assert_eq(msd_constraint_break(world, bad[i]), MSD_BAD_INDEX);
    cr_assert(strstr(msd_world_message(world), "there is no constraint"));
    cr_assert(!msd_constraint_is_broken(world, bad[i]) && msd_constraint_get_value(world, bad[i]) == 0 &&
              msd_constraint_get_tension(world, bad[i]) == 0);
    cr_assert_eq(msd_constraint_get_def(world, bad[i]).particles[0], -1);
  }
  cr_assert_eq(msd_constraint_set_law(world, 0, NULL), MSD_UNINITIALIZED_DEF);
  msd_constraint_def wrong = good;
  wrong.damping = (msd_real)NAN;
  cr_assert_eq(msd_constraint_set_law(world, 0, &wrong), MSD_BAD_VALUE);
  cr_assert_eq(msd_constraint_set_rest(world, 0, (msd_real)INFINITY), MSD_BAD_VALUE);
  cr_assert(is_unchanged(world, before));
  msd_destroy_world(world);
}

/* ---------------------------------------------------------------------------------------------- changing */

Test(constraint, retune_changes_the_law_alone) {
  msd_world *world = five_particles();
  const int32_t c = add_constraint(world, constraint_of(MSD_CONSTRAINT_AREA, 0, 1, 2, -1));
  msd_constraint_def other = constraint_of(MSD_CONSTRAINT_VOLUME, 4, 3, 2, 1);
  other.rest = 9;
  give_law(&other, 3);
  ASSERT_OK(world, msd_constraint_set_law(world, c, &other));
  const msd_constraint_def def = msd_constraint_get_def(world, c);
  cr_assert(def.kind == MSD_CONSTRAINT_AREA && def.particles[0] == 0 && def.rest == (msd_real)0.5);
  cr_assert(def.law == MSD_SPRING_FREQUENCY && def.frequency == 2 && def.damping_ratio == (msd_real)0.25);
  msd_destroy_world(world);
}

Test(constraint, rest_as_placed_is_the_present_value) {
  msd_world *world = five_particles();
  const int32_t c = add_constraint(world, constraint_of(MSD_CONSTRAINT_AREA, 0, 1, 2, -1));
  ASSERT_OK(world, msd_particle_set_position(world, 1, (msd_vec3){3, 0, 0}));
  ASSERT_OK(world, msd_constraint_set_rest(world, c, MSD_AS_PLACED));
  cr_assert_eq(msd_constraint_get_def(world, c).rest, (msd_real)1.5);
  msd_destroy_world(world);
}

Test(constraint, tension_is_stiffness_times_error_and_damping_times_rate) {
  msd_world *world = five_particles();
  msd_constraint_def def = constraint_of(MSD_CONSTRAINT_VOLUME, 0, 1, 2, 3);
  def.stiffness = 60;
  def.damping = 12;
  def.rest = (msd_real)0.125;
  const int32_t c = add_constraint(world, def);
  ASSERT_OK(world, msd_particle_set_velocity(world, 3, (msd_vec3){0, 0, 2})); /* V' = 2/6 */
  cr_assert_float_eq(msd_constraint_get_tension(world, c), 60 * (1.0 / 6 - 0.125) + 12 * 2.0 / 6, 1e-12);
  const double energy = msd_world_get_stats(world).elastic_energy;
  cr_assert_float_eq(energy, 30 * (1.0 / 6 - 0.125) * (1.0 / 6 - 0.125), 1e-12);
  ASSERT_OK(world, msd_constraint_break(world, c));
  cr_assert(msd_constraint_get_tension(world, c) == 0 && msd_world_get_stats(world).elastic_energy == 0);
  msd_destroy_world(world);
}

/* m = 1/sum w |g|^2: of the angle 1-0-2 with unit legs and unit masses g = 1, 1 and sqrt 2, so m = 1/4. */
Test(constraint, the_tension_of_coefficients_is_that_of_the_last_substep) {
  msd_world *world = five_particles();
  msd_constraint_def def = constraint_of(MSD_CONSTRAINT_ANGLE, 1, 0, 2, -1);
  def.law = MSD_SPRING_COEFFICIENT;
  def.ck = (msd_real)0.5;
  def.cd = 0;
  const int32_t c = add_constraint(world, def);
  ASSERT_OK(world, msd_constraint_set_rest(world, c, 1));
  cr_assert_eq(msd_constraint_get_tension(world, c), 0, "before the first substep");
  ASSERT_OK(world, msd_constraint_set_rest(world, c, MSD_AS_PLACED));
  ASSERT_OK(world, msd_world_step(world, (msd_real)0.5, 2));
  ASSERT_OK(world, msd_constraint_set_rest(world, c, 1));
  cr_assert_float_eq(msd_constraint_get_tension(world, c), 0.5 * 0.25 / (0.25 * 0.25) * (PI / 2 - 1),
                     32 * EPSILON);
  msd_destroy_world(world);
}

/* --------------------------------------------------------------------------------------------- snapshots */

static msd_world *busy_world(msd_integrator integrator) {
  msd_world *world = empty_world();
  ASSERT_OK(world, msd_world_set_integrator(world, integrator));
  add_strip(world, 30, 5);
  add_fiber_strip(world, 20, 5);
  sphere s = make_sphere(2);
  for (int n = 0; n < 2; n++) {
    msd_constraint_def def = add_sphere(world, &s, 1 + n, 40.0 + 10 * n);
    give_law(&def, 1 + n);
    def.rest = 5;
    add_constraint(world, def);
    free((void *)def.triangles);
  }
  free_sphere(&s);
  ASSERT_OK(world, msd_constraint_break(world, 3));
  ASSERT_OK(world, msd_particle_apply_force(world, 3, (msd_vec3){1, 2, 3}));
  ASSERT_OK(world, msd_world_step(world, (msd_real)0.0078125, 2));
  return world;
}

Test(constraint, a_restored_world_continues_with_the_same_bits) {
  for (int integrator = 0; integrator < MSD_INTEGRATOR_COUNT; integrator++) {
    msd_world *world = busy_world((msd_integrator)integrator), *other = busy_world(MSD_RK4);
    const picture p = take_picture(world);
    ASSERT_OK(other, msd_world_restore(other, p.bytes, p.size));
    cr_assert(is_unchanged(other, p), "%s", msd_integrator_name((msd_integrator)integrator));
    cr_assert(world->model.constraints.broken == 1 && other->model.constraints.broken == 1);
    for (int32_t c = 0; c < msd_world_get_constraint_count(world); c++) {
      const msd_constraint_def a = msd_constraint_get_def(world, c), b = msd_constraint_get_def(other, c);
      cr_assert(a.kind == b.kind && a.law == b.law && a.rest == b.rest &&
                memcmp(a.particles, b.particles, sizeof a.particles) == 0 &&
                msd_constraint_is_broken(world, c) == msd_constraint_is_broken(other, c));
      cr_assert_eq(msd_constraint_get_tension(world, c), msd_constraint_get_tension(other, c));
    }
    for (int frame = 0; frame < 5; frame++) {
      ASSERT_OK(world, msd_world_step(world, (msd_real)0.0078125, 2));
      ASSERT_OK(other, msd_world_step(other, (msd_real)0.0078125, 2));
      cr_assert_eq(msd_world_hash(world), msd_world_hash(other));
    }
    msd_destroy_world(world);
    msd_destroy_world(other);
  }
}

/* Whatever a well signed snapshot says: it is refused, or it is a world that steps and is saved again. */
Test(constraint, forged_snapshots_are_refused_or_sound) {
  msd_world *world = five_particles();
  for (int kind = 0; kind < MSD_CONSTRAINT_MESH_VOLUME; kind++)
    add_constraint(world, constraint_of((msd_constraint_kind)kind, 0, 1, 2, 3));
  add_constraint(world, mesh_of(tetrahedron, 4));
  const picture p = take_picture(world);
  int refused = 0;
  static const unsigned char values[] = {0, 1, 2, 4, 5, 0x7f, 0x80, 0xff};
  for (size_t at = CHECKED_FROM; at < p.size; at++) {
    unsigned char *byte = (unsigned char *)p.bytes + at;
    const unsigned char was = *byte;
    *byte = values[(at * 7 + at / 8) % sizeof values];
    sign_snapshot(p.bytes, p.size);
    const picture before = take_picture(world);
    const msd_result result = msd_world_restore(world, p.bytes, p.size);
    if (result != MSD_OK) {
      refused++;
      cr_assert(is_unchanged(world, before), "byte %zu", at);
      cr_assert_neq(msd_world_message(world)[0], '\0');
    } else {
      forget(before);
      for (int32_t c = 0; c < msd_world_get_constraint_count(world); c++)
        cr_assert(!isnan(msd_constraint_get_value(world, c)), "byte %zu", at);
      msd_world_step(world, (msd_real)0.001, 1);
      cr_assert(is_finite_world(world), "byte %zu", at);
    }
    *byte = was;
  }
  cr_assert_gt(refused, 100);
  forget(p);
  msd_destroy_world(world);
}

Test(constraint, a_snapshot_with_a_mesh_that_is_not_closed_is_refused) {
  msd_world *world = five_particles();
  add_constraint(world, mesh_of(tetrahedron, 4));
  const picture p = take_picture(world);
  const int32_t corner = 4;                         /* instead of 3, the last corner of the last triangle */
  const size_t vertices = 4 * 2 * sizeof(msd_real); /* behind the triangles */
  memcpy((unsigned char *)p.bytes + p.size - vertices - sizeof corner, &corner, sizeof corner);
  sign_snapshot(p.bytes, p.size);
  cr_assert_eq(msd_world_restore(world, p.bytes, p.size), MSD_BAD_SNAPSHOT);
  cr_assert(strstr(msd_world_message(world), "edge between particles"), "%s", msd_world_message(world));
  forget(p);
  msd_destroy_world(world);
}

/* ------------------------------------------------------------------------------------------------ memory */

/* An allocator that gives nothing at one chosen request, and counts what is out. */
typedef struct bookkeeper {
  int64_t requests, fail_at, blocks;
} bookkeeper;

static void *keep_and_allocate(size_t bytes, void *context) {
  bookkeeper *b = context;
  if (++b->requests == b->fail_at)
    return NULL;
  b->blocks++;
  void *block = aligned_alloc(64, (bytes + 63) / 64 * 64);
  cr_assert_not_null(block);
  memset(block, 0xa5, bytes);
  return block;
}

static void keep_and_release(void *block, void *context) {
  bookkeeper *b = context;
  b->blocks--;
  free(block);
}

typedef msd_result life_call(msd_world *world);

static msd_result live_particles(msd_world *world) {
  msd_particle_def defs[40];
  generator random = {11};
  for (int i = 0; i < 40; i++) {
    defs[i] = msd_default_particle_def();
    defs[i].position = random_vector(&random, 1);
  }
  return msd_add_particles(world, defs, 40, NULL);
}

static msd_result live_constraints(msd_world *world) {
  msd_constraint_def defs[25];
  for (int32_t i = 0; i < 24; i++)
    defs[i] = constraint_of((msd_constraint_kind)(i % 4), i, i + 3, i + 7, i + 11);
  defs[24] = mesh_of(tetrahedron, 4);
  for (int i = 0; i < 25; i++)
    give_law(&defs[i], i);
  return msd_add_constraints(world, defs, 25, NULL);
}

static msd_result live_mesh(msd_world *world) {
  const msd_constraint_def def = mesh_of(tetrahedron, 4);
  return msd_add_constraints(world, &def, 1, NULL);
}

static msd_result live_step(msd_world *world) {
  return msd_world_step(world, (msd_real)1e-3, 2);
}

static msd_result live_restore(msd_world *world) {
  const picture p = take_picture(world);
  const msd_result result = msd_world_restore(world, p.bytes, p.size);
  forget(p);
  return result;
}

static msd_result live_change(msd_world *world) {
  msd_constraint_def def = msd_default_constraint_def();
  give_law(&def, 0);
  const msd_result result = msd_constraint_set_law(world, 5, &def);
  return result == MSD_OK ? msd_constraint_break(world, 7) : result;
}

static life_call *const life[] = {live_particles, live_constraints, live_step,    live_constraints,
                                  live_mesh,      live_step,        live_restore, live_step,
                                  live_change,    live_particles,   live_step};
enum { LIFE_CALLS = sizeof life / sizeof *life };

/* Repeats the one call that the n-th request made fail; returns the hash at the end. */
static uint64_t live(int64_t n, bookkeeper *b) {
  *b = (bookkeeper){.fail_at = n};
  msd_world_def def = msd_default_world_def();
  def.allocator = (msd_allocator){keep_and_allocate, keep_and_release, b};
  def.thread_count = 1;
  msd_world *world = NULL;
  if (msd_create_world(&def, &world) != MSD_OK)
    ASSERT_OK(world, msd_create_world(&def, &world));
  for (int c = 0; c < LIFE_CALLS; c++) {
    const uint64_t hash = msd_world_hash(world);
    const int32_t constraints = msd_world_get_constraint_count(world);
    const int32_t valence = constraints > 0 ? world->model.particles.valence[3] : 0;
    const msd_result result = life[c](world);
    if (result == MSD_OK)
      continue;
    cr_assert_eq(result, MSD_OUT_OF_MEMORY, "request %d, call %d: %s", (int)n, c, msd_result_string(result));
    cr_assert(msd_world_hash(world) == hash && msd_world_get_constraint_count(world) == constraints &&
                  (constraints == 0 || world->model.particles.valence[3] == valence),
              "request %d, call %d changed the world", (int)n, c);
    ASSERT_OK(world, life[c](world));
  }
  const uint64_t hash = msd_world_hash(world);
  msd_destroy_world(world);
  cr_assert_eq(b->blocks, 0, "request %d: %d blocks are left", (int)n, (int)b->blocks);
  return hash;
}

Test(constraint, memory_may_run_out_at_any_request) {
  bookkeeper b;
  const uint64_t hash = live(0, &b);
  const int64_t requests = b.requests;
  cr_assert_gt(requests, 60);
  for (int64_t n = 1; n <= requests; n++)
    cr_assert_eq(live(n, &b), hash, "request %d: another state at the end", (int)n);
}

Test(constraint, a_request_that_no_memory_could_hold_is_refused_at_once) {
  msd_world *world = five_particles();
  static const int64_t many[] = {INT32_MAX, INT64_MAX / 2, INT64_MAX};
  const picture before = take_picture(world);
  for (int i = 0; i < 3; i++) {
    cr_assert_eq(world_reserve(world, &(world_size){.constraints = many[i]}), MSD_TOO_LARGE);
    cr_assert_eq(world_reserve(world, &(world_size){.constraints = 1, .meshes = 1, .triangles = many[i]}),
                 MSD_TOO_LARGE);
  }
  cr_assert(is_unchanged(world, before));
  msd_destroy_world(world);
}
