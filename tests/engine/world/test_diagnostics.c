/* Energies, momenta and stretch, against sums made here; and the hash. */
#include "tests/support/fibers.h"

#include <float.h>
#include <math.h>

static const double EPSILON = sizeof(msd_real) == sizeof(double) ? DBL_EPSILON : FLT_EPSILON;

static void assert_close(double found, double wanted, double size, const char *what) {
  cr_assert(fabs(found - wanted) <= 1e-12 * size + 4 * EPSILON * size, "%s is %.17g, not %.17g", what, found,
            wanted);
}

/* ------------------------------------------------------------------------------------------------- sums */

/* A hand-made world: 1 kg at (1,0,0) moving at (0,2,0); 3 kg at (0,0,2) moving at (-1,0,0); a pin of 5 kg at
   (0,4,0) that travels at (0,0,6). */
static msd_world *three_particles(void) {
  msd_world_def def = msd_default_world_def();
  def.gravity = (msd_vec3){0, -10, 2};
  msd_world *world = world_from_def(&def);
  const msd_vec3 x[] = {{1, 0, 0}, {0, 0, 2}, {0, 4, 0}}, v[] = {{0, 2, 0}, {-1, 0, 0}, {0, 0, 6}};
  const msd_real mass[] = {1, 3, 5};
  for (int i = 0; i < 3; i++) {
    msd_particle_def particle = msd_default_particle_def();
    particle.position = x[i];
    particle.mass = mass[i];
    particle.pinned = i == 2;
    ASSERT_OK(world, msd_add_particles(world, &particle, 1, NULL));
    ASSERT_OK(world, msd_particle_set_velocity(world, i, v[i]));
  }
  return world;
}

Test(diagnostics, an_empty_world_has_nothing_and_divides_by_nothing) {
  const msd_world_def def = msd_default_world_def();
  msd_world *world = world_from_def(&def);
  const msd_stats stats = msd_world_get_stats(world);
  cr_assert(stats.particles == 0 && stats.springs == 0 && stats.pinned == 0 && stats.broken == 0);
  cr_assert(stats.total_mass == 0 && stats.kinetic_energy == 0 && stats.elastic_energy == 0 &&
            stats.potential_energy == 0 && stats.max_speed == 0);
  cr_assert(stats.max_stretch == 0 && stats.mean_stretch == 0);
  cr_assert(stats.max_stretch_spring == -1 && stats.max_stretch_fiber == -1);
  for (int c = 0; c < 3; c++)
    cr_assert(stats.momentum[c] == 0 && stats.angular_momentum[c] == 0 && stats.center_of_mass[c] == 0);
  cr_assert(stats.bytes > 0);
  msd_destroy_world(world);
}

Test(diagnostics, counts_are_those_of_the_stats_without_what_is_summed) {
  msd_world *world = three_particles();
  msd_spring_def spring = msd_default_spring_def();
  for (int b = 1; b < 3; b++) {
    spring.a = 0;
    spring.b = b;
    spring.rest_length = 1;
    spring.stiffness = 10;
    ASSERT_OK(world, msd_add_springs(world, &spring, 1, NULL));
  }
  ASSERT_OK(world, msd_spring_break(world, 1));
  msd_stats stats = msd_world_get_stats(world);
  const msd_stats counts = msd_world_get_counts(world);
  cr_assert(counts.particles == 3 && counts.pinned == 1 && counts.springs == 2 && counts.broken == 1);
  cr_assert_eq(counts.bytes, stats.bytes);
  cr_assert(stats.elastic_energy > 0 && counts.elastic_energy == 0 && counts.kinetic_energy == 0 &&
            counts.total_mass == 0 && counts.max_speed == 0 && counts.max_stretch_spring == -1);
  cr_assert_eq(msd_world_get_counts(NULL).particles, 0);
  msd_destroy_world(world);
}

Test(diagnostics, momenta_and_kinetic_energy_are_those_of_unpinned_particles) {
  msd_world *world = three_particles();
  const msd_stats s = msd_world_get_stats(world);
  cr_assert(s.particles == 3 && s.pinned == 1);
  assert_close(s.kinetic_energy, 0.5 * 4 + 0.5 * 3, 10, "kinetic energy");
  const double momentum[] = {-3, 2, 0}, angular[] = {0, -6, 2}; /* x cross m v: (0,0,2) and (0,-6,0) */
  for (int c = 0; c < 3; c++) {
    assert_close(s.momentum[c], momentum[c], 10, "momentum");
    assert_close(s.angular_momentum[c], angular[c], 10, "angular momentum");
  }
  msd_destroy_world(world);
}

Test(diagnostics, mass_center_and_potential_energy_count_pins_too) {
  msd_world *world = three_particles();
  const msd_stats s = msd_world_get_stats(world);
  assert_close(s.total_mass, 9, 10, "mass");
  const double center[] = {1.0 / 9, 20.0 / 9, 6.0 / 9};
  for (int c = 0; c < 3; c++)
    assert_close(s.center_of_mass[c], center[c], 10, "center of mass");
  assert_close(s.potential_energy, -(5 * -10 * 4 + 3 * 2 * 2), 200, "potential energy");
  assert_close(s.max_speed, 6, 10, "speed");
  msd_destroy_world(world);
}

static int32_t join(msd_world *world, int32_t a, int32_t b, double stiffness, double rest) {
  msd_spring_def def = msd_default_spring_def();
  def.a = a;
  def.b = b;
  def.stiffness = (msd_real)stiffness;
  def.rest_length = (msd_real)rest;
  int32_t spring;
  ASSERT_OK(world, msd_add_springs(world, &def, 1, &spring));
  return spring;
}

Test(diagnostics, elastic_energy_and_stretch_are_those_of_unbroken_springs) {
  msd_world *world = three_particles();
  ASSERT_OK(world, msd_particle_set_position(world, 0, (msd_vec3){3, 0, 2})); /* 3 m from particle 1 */
  ASSERT_OK(world, msd_particle_set_position(world, 1, (msd_vec3){0, 0, 2}));
  ASSERT_OK(world, msd_particle_set_position(world, 2, (msd_vec3){0, 4, 2})); /* 4 m from it, 5 from 0 */
  join(world, 0, 1, 10, 2);                                                   /* +0.5 */
  join(world, 1, 2, 100, 5);                                                  /* -0.2 */
  const int32_t longest = join(world, 2, 0, 2, 2);                            /* +1.5 */
  join(world, 0, 1, 7, 0); /* no rest length: no stretch, but energy */
  msd_stats s = msd_world_get_stats(world);
  assert_close(s.elastic_energy, 5 * 1 + 50 * 1 + 1 * 9 + 3.5 * 9, 100, "elastic energy");
  assert_close(s.max_stretch, 1.5, 2, "stretch");
  assert_close(s.mean_stretch, (0.5 - 0.2 + 1.5) / 3, 2, "mean stretch");
  cr_assert_eq(s.max_stretch_spring, longest);
  ASSERT_OK(world, msd_spring_break(world, longest));
  s = msd_world_get_stats(world);
  cr_assert(s.springs == 4 && s.broken == 1);
  assert_close(s.elastic_energy, 5 * 1 + 50 * 1 + 3.5 * 9, 100, "elastic energy");
  assert_close(s.max_stretch, 0.5, 2, "stretch");
  assert_close(s.mean_stretch, (0.5 - 0.2) / 2, 2, "mean stretch");
  msd_destroy_world(world);
}

/* A tether that is slack is no stretch of anything, and holds no energy; nor does a strut that is free. */
Test(diagnostics, springs_count_on_their_side_alone) {
  msd_world *world = three_particles();
  ASSERT_OK(world, msd_particle_set_position(world, 0, (msd_vec3){3, 0, 2})); /* 3 m from particle 1 */
  ASSERT_OK(world, msd_particle_set_position(world, 1, (msd_vec3){0, 0, 2}));
  msd_spring_def def = msd_default_spring_def();
  def.a = 0;
  def.b = 1;
  def.stiffness = 10;
  def.mode = MSD_SPRING_TENSION_ONLY;
  def.rest_length = 4;
  ASSERT_OK(world, msd_add_springs(world, &def, 1, NULL));
  def.mode = MSD_SPRING_COMPRESSION_ONLY;
  def.rest_length = 1;
  ASSERT_OK(world, msd_add_springs(world, &def, 1, NULL));
  msd_stats s = msd_world_get_stats(world);
  cr_assert(s.elastic_energy == 0 && s.max_stretch == 0 && s.mean_stretch == 0 && s.max_stretch_spring == -1);
  ASSERT_OK(world, msd_spring_set_rest_length(world, 0, 2)); /* +0.5 */
  ASSERT_OK(world, msd_spring_set_rest_length(world, 1, 4)); /* -0.25 */
  s = msd_world_get_stats(world);
  assert_close(s.elastic_energy, 5 + 5, 100, "elastic energy");
  assert_close(s.max_stretch, 0.5, 2, "stretch");
  assert_close(s.mean_stretch, (0.5 - 0.25) / 2, 2, "mean stretch");
  msd_destroy_world(world);
}

Test(diagnostics, the_largest_stretch_is_negative_when_all_springs_are_compressed) {
  msd_world *world = three_particles();
  const int32_t a = join(world, 0, 1, 1, 10), b = join(world, 1, 2, 1, 50);
  const msd_stats s = msd_world_get_stats(world);
  cr_assert(s.max_stretch < -0.5 && s.mean_stretch <= s.max_stretch);
  cr_assert(s.max_stretch_spring == a && b != a);
  msd_destroy_world(world);
}

/* Fibers along x and at 60 degrees on either side of it. */
enum { FAMILIES = 3 };

static msd_world *sheet_of_fibers(const sheet *s) {
  static const double THIRD = 3.14159265358979323846 / 3;
  static const fiber_family families[FAMILIES] = {{0, 10}, {THIRD, 10}, {-THIRD, 10}};
  const msd_world_def def = msd_default_world_def();
  msd_world *world = world_from_def(&def);
  for (int v = 0; v < SHEET_VERTICES; v++) {
    msd_particle_def particle = msd_default_particle_def();
    particle.position = s->at[v];
    ASSERT_OK(world, msd_add_particles(world, &particle, 1, NULL));
  }
  add_sheet_fibers(world, s, families, FAMILIES, 0);
  return world;
}

static void pull(msd_world *world, const sheet *s, double along_x, double along_y) {
  for (int v = 0; v < SHEET_VERTICES; v++)
    ASSERT_OK(world, msd_particle_set_position(world, v,
                                               (msd_vec3){(msd_real)(along_x * (double)s->at[v].x),
                                                          (msd_real)(along_y * (double)s->at[v].y), 0}));
}

/* What was 1 m at an angle is then |F d| long, whatever the triangles. */
Test(diagnostics, a_sheet_of_fibers_is_stretched_as_it_was_pulled) {
  for (int kind = 0; kind < SHEET_KINDS; kind++) {
    const sheet s = make_sheet((sheet_kind)kind);
    msd_world *world = sheet_of_fibers(&s);
    pull(world, &s, 1.25, 1.25);
    msd_stats stats = msd_world_get_stats(world);
    assert_close(stats.max_stretch, 0.25, 100, "stretch of a sheet pulled in all directions");
    assert_close(stats.mean_stretch, 0.25, 100, "its mean");
    pull(world, &s, 1.25, 1);
    stats = msd_world_get_stats(world);
    const double askew = sqrt(1.25 * 1.25 / 4 + 3.0 / 4) - 1;
    assert_close(stats.max_stretch, 0.25, 100, "stretch of a sheet pulled along x");
    assert_close(stats.mean_stretch, (0.25 + 2 * askew) / FAMILIES, 100, "its mean");
    cr_expect(stats.max_stretch_fiber % FAMILIES == 0 && stats.max_stretch_spring == -1);
    for (int32_t c = 0; c < stats.constraints; c++)
      assert_close(msd_constraint_get_stretch(world, c), c % FAMILIES == 0 ? 0.25 : askew, 100, "a fiber");
    msd_destroy_world(world);
  }
}

/* Springs and fibers count alike, each once; the largest is of one of them. */
Test(diagnostics, the_largest_stretch_is_of_a_spring_or_of_a_fiber) {
  const sheet s = make_sheet(SHEET_SQUARE);
  msd_world *world = sheet_of_fibers(&s);
  const int32_t fibers = msd_world_get_constraint_count(world);
  for (int32_t c = 0; c < fibers; c++) {
    ASSERT_OK(world, msd_constraint_set_rest(world, c, c == 4 ? (msd_real)0.8 : 1)); /* +0.25 */
    if (c == 7)
      ASSERT_OK(world, msd_constraint_set_rest(world, c, 0)); /* no rest value, no stretch */
    if (c == 5)
      ASSERT_OK(world, msd_constraint_break(world, c));
  }
  msd_stats stats = msd_world_get_stats(world);
  assert_close(stats.mean_stretch, 0.25 / (fibers - 2), 1, "mean stretch");
  cr_expect(stats.max_stretch_fiber == 4 && stats.max_stretch_spring == -1);
  cr_expect(msd_constraint_get_stretch(world, 5) == 0 && msd_constraint_get_stretch(world, 7) == 0);
  cr_expect(msd_constraint_get_stretch(world, fibers) == 0 && msd_constraint_get_stretch(NULL, 0) == 0);
  const int32_t spring = join(world, 0, 1, 1, (msd_real)0.125); /* of 0.25 m: +1 */
  stats = msd_world_get_stats(world);
  assert_close(stats.max_stretch, 1, 1, "stretch");
  assert_close(stats.mean_stretch, 1.25 / (fibers - 1), 1, "mean stretch");
  cr_expect(stats.max_stretch_fiber == -1 && stats.max_stretch_spring == spring);
  ASSERT_OK(world, msd_spring_set_rest_length(world, spring, (msd_real)0.24));
  stats = msd_world_get_stats(world);
  assert_close(stats.max_stretch, 0.25, 1, "stretch");
  cr_expect(stats.max_stretch_fiber == 4 && stats.max_stretch_spring == -1);
  msd_destroy_world(world);
}

/* Coefficient springs have a stiffness only since their last step. */
Test(diagnostics, elastic_energy_uses_the_stiffness_of_the_last_substep) {
  graph g = graph_rope(2, false);
  msd_world *world = world_of(&g, &(making){.laws = LAWS_PHYSICAL});
  ASSERT_OK(world, msd_world_set_gravity(world, (msd_vec3){0, 0, 0}));
  msd_spring_def def = msd_default_spring_def();
  def.law = MSD_SPRING_COEFFICIENT;
  def.ck = (msd_real)0.25;
  def.cd = 0;
  ASSERT_OK(world, msd_spring_set_law(world, 0, &def));
  ASSERT_OK(world, msd_spring_set_rest_length(world, 0, (msd_real)0.125));
  cr_assert_eq(msd_world_get_stats(world).elastic_energy, 0);
  ASSERT_OK(world, msd_world_step(world, (msd_real)0.25, 2));
  const double constraint = (double)msd_spring_get_length(world, 0) - 0.125;
  const double stiffness = 0.25 * 0.5 / (0.125 * 0.125);
  assert_close(msd_world_get_stats(world).elastic_energy, 0.5 * stiffness * constraint * constraint, 1,
               "energy");
  msd_destroy_world(world);
  graph_free(&g);
}

Test(diagnostics, sums_over_a_large_network_are_those_made_one_by_one) {
  graph g = graph_cloth(60, 50, CLOTH_BEND);
  msd_world *world = world_of(&g, &(making){LAWS_PHYSICAL, .seed = 5, .pins = true, .breaks = 7});
  ASSERT_OK(world, msd_world_step(world, (msd_real)0.015625, 5));
  const msd_stats s = msd_world_get_stats(world);
  double kinetic = 0, elastic = 0, mass = 0, stretch = 0, most = -1;
  int springs = 0;
  for (int32_t i = 0; i < g.particles; i++) {
    const msd_vec3 v = msd_particle_get_velocity(world, i);
    const double m = (double)msd_particle_get_mass(world, i), x = (double)v.x, y = (double)v.y,
                 z = (double)v.z;
    mass += m;
    if (!msd_particle_is_pinned(world, i))
      kinetic += 0.5 * m * (x * x + y * y + z * z);
  }
  for (int32_t e = 0; e < g.springs; e++) {
    if (msd_spring_is_broken(world, e))
      continue;
    const double length = (double)msd_spring_get_length(world, e);
    const double rest = (double)msd_spring_get_def(world, e).rest_length;
    elastic += 0.5 * (double)msd_spring_get_stiffness(world, e) * (length - rest) * (length - rest);
    stretch += length / rest - 1;
    most = fmax(most, length / rest - 1);
    springs++;
  }
  assert_close(s.total_mass, mass, mass, "mass");
  assert_close(s.kinetic_energy, kinetic, kinetic, "kinetic energy");
  assert_close(s.elastic_energy, elastic, 100 * elastic, "elastic energy");
  assert_close(s.max_stretch, most, 100, "stretch");
  assert_close(s.mean_stretch, stretch / springs, 100, "mean stretch");
  cr_assert_eq(s.broken, g.springs - springs);
  msd_destroy_world(world);
  graph_free(&g);
}

/* ------------------------------------------------------------------------------------------------- hash */

static msd_world *hashed_world(void) {
  graph g = graph_cloth(6, 5, CLOTH_SHEAR);
  msd_world *world = world_of(&g, &(making){LAWS_PHYSICAL, .seed = 8});
  graph_free(&g);
  return world;
}

static msd_real flip_bit(msd_real value, int bit) {
  unsigned char bytes[sizeof value];
  memcpy(bytes, &value, sizeof value);
  bytes[bit / 8] = (unsigned char)(bytes[bit / 8] ^ 1u << bit % 8);
  memcpy(&value, bytes, sizeof value);
  return value;
}

Test(diagnostics, every_bit_of_every_coordinate_and_velocity_changes_the_hash) {
  msd_world *world = hashed_world();
  const uint64_t hash = msd_world_hash(world);
  for (int32_t i = 0; i < msd_world_get_particle_count(world); i += 4)
    for (int bit = 0; bit < (int)(8 * sizeof(msd_real)); bit++)
      for (int component = 0; component < 6; component++) {
        const msd_vec3 x = msd_particle_get_position(world, i), v = msd_particle_get_velocity(world, i);
        msd_vec3 other = component < 3 ? x : v;
        msd_real *value = component % 3 == 0 ? &other.x : component % 3 == 1 ? &other.y : &other.z;
        *value = flip_bit(*value, bit);
        if (!isfinite(*value))
          continue;
        if (component < 3) {
          ASSERT_OK(world, msd_particle_set_position(world, i, other));
        } else {
          ASSERT_OK(world, msd_particle_set_velocity(world, i, other));
        }
        cr_assert_neq(msd_world_hash(world), hash, "particle %d, component %d, bit %d", i, component, bit);
        ASSERT_OK(world, msd_particle_set_position(world, i, x));
        ASSERT_OK(world, msd_particle_set_velocity(world, i, v));
        cr_assert_eq(msd_world_hash(world), hash);
      }
  msd_destroy_world(world);
}

Test(diagnostics, equal_worlds_have_equal_hashes_and_swapped_particles_do_not) {
  msd_world *one = hashed_world(), *other = hashed_world();
  cr_assert_eq(msd_world_hash(one), msd_world_hash(other));
  const msd_vec3 a = msd_particle_get_position(other, 3), b = msd_particle_get_position(other, 4);
  ASSERT_OK(other, msd_particle_set_position(other, 3, b));
  ASSERT_OK(other, msd_particle_set_position(other, 4, a));
  cr_assert_neq(msd_world_hash(one), msd_world_hash(other));
  msd_destroy_world(one);
  msd_destroy_world(other);
}

/* Irregular networks stand in memory in another order, which the hash does not see. */
Test(diagnostics, the_hash_is_in_the_order_of_the_indices) {
  graph g = graph_random(600, 2500, 3), points = graph_of_points(600);
  msd_world *penetration = world_of(&g, &(making){LAWS_COEFFICIENT, .seed = 1}),
            *dust = world_of(&points, &(making){0});
  for (int n = 0; n < 3; n++) {
    ASSERT_OK(penetration, msd_world_step(penetration, (msd_real)0.01, 2));
    for (int32_t i = 0; i < g.particles; i++) {
      ASSERT_OK(dust, msd_particle_set_position(dust, i, msd_particle_get_position(penetration, i)));
      ASSERT_OK(dust, msd_particle_set_velocity(dust, i, msd_particle_get_velocity(penetration, i)));
    }
    cr_assert_eq(msd_world_hash(penetration), msd_world_hash(dust));
  }
  msd_destroy_world(penetration);
  msd_destroy_world(dust);
  graph_free(&g);
  graph_free(&points);
}

Test(diagnostics, hashes_of_worlds_that_differ_by_a_particle_differ) {
  const msd_world_def def = msd_default_world_def();
  msd_world *world = world_from_def(&def);
  uint64_t seen[50];
  for (int n = 0; n < 50; n++) {
    seen[n] = msd_world_hash(world);
    for (int other = 0; other < n; other++)
      cr_assert_neq(seen[n], seen[other]);
    const msd_particle_def particle = msd_default_particle_def();
    ASSERT_OK(world, msd_add_particles(world, &particle, 1, NULL));
  }
  msd_destroy_world(world);
}

Test(diagnostics, looking_changes_nothing) {
  msd_world *world = hashed_world();
  const uint64_t hash = msd_world_hash(world);
  msd_world_get_stats(world);
  cr_assert_eq(msd_world_hash(world), hash);
  msd_destroy_world(world);
}
