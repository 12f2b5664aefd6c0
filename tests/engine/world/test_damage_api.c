/* The public functions of msd/damage.h: what they keep, and what is refused. */
#include "tests/support/laboratory.h"
#include "tests/support/misuse.h"

/* Four particles; springs 0 and 1, a tether 2 that is a catch, and spring 3, which backs spring 1. */
static msd_world *some_springs(void) {
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  for (int i = 0; i < 4; i++)
    add_particle(world, 1, i, 0, 0);
  add_spring(world, physical(100, 1), 0, 1, 1);
  add_spring(world, physical(100, 1), 1, 2, 1);
  msd_spring_def caught = physical(0, 0);
  caught.law = MSD_SPRING_HARD_LIMIT;
  caught.mode = MSD_SPRING_TENSION_ONLY;
  add_spring(world, caught, 2, 3, 1);
  ok(world, msd_springs_stiffen(world, (msd_range){1, 1}, (msd_real)0.5, 3, NULL));
  return world;
}

static bool is_same_damage(msd_damage_def a, msd_damage_def b) {
  return a.tear_strain == b.tear_strain && a.tear_energy == b.tear_energy &&
         a.yield_strain == b.yield_strain && a.plastic_rate == b.plastic_rate &&
         a.max_plastic_strain == b.max_plastic_strain && a.split == b.split && a.cookie == b.cookie;
}

Test(damage_api, springs_keep_what_they_are_given_until_it_is_taken_away) {
  msd_world *world = some_springs();
  const msd_damage_def none = msd_default_damage_def();
  cr_expect(none.tear_strain == 0 && none.yield_strain == 0 && none.plastic_rate == (msd_real)INFINITY &&
            none.max_plastic_strain == 0);
  cr_expect(is_same_damage(msd_spring_get_damage(world, 0), none) &&
            is_same_damage(msd_spring_get_damage(NULL, 0), none));
  msd_damage_def def = none;
  def.tear_strain = (msd_real)0.5;
  def.tear_energy = 3;
  def.yield_strain = (msd_real)0.25;
  def.plastic_rate = (msd_real)0.5;
  def.max_plastic_strain = 2;
  def.split = true;
  ok(world, msd_springs_set_damage(world, (msd_range){0, 2}, &def));
  cr_expect(is_same_damage(msd_spring_get_damage(world, 0), def) &&
            is_same_damage(msd_spring_get_damage(world, 1), def));
  cr_expect(is_same_damage(msd_spring_get_damage(world, 2), none) &&
            is_same_damage(msd_spring_get_damage(world, 99), none));
  ok(world, msd_springs_set_damage(world, (msd_range){1, 1}, &none));
  cr_expect(is_same_damage(msd_spring_get_damage(world, 1), none) &&
            is_same_damage(msd_spring_get_damage(world, 0), def));
  add_spring(world, physical(1, 0), 0, 3, 1);
  cr_expect(is_same_damage(msd_spring_get_damage(world, 4), none));
  cr_expect(msd_spring_get_plastic_strain(world, 0) == 0 && msd_spring_get_plastic_strain(world, -1) == 0);
  cr_expect(!msd_spring_is_torn(world, 0) && !msd_spring_is_torn(NULL, 0));
  msd_destroy_world(world);
}

/* Rows bound the radius no closer than sweeps do. */
Test(damage_api, a_world_that_may_split_is_certified_by_rows) {
  msd_world *world = some_springs();
  msd_damage_def def = msd_default_damage_def();
  def.split = true;
  cr_expect_eq(msd_springs_set_damage(world, (msd_range){0, 1}, &def), MSD_BAD_VALUE);
  cr_expect(strstr(msd_world_message(world), "tear_strain is 0") != NULL, "%s", msd_world_message(world));
  msd_stability before, after;
  ok(world, msd_world_analyze_stability(world, 1, &before));
  def.tear_strain = 1;
  ok(world, msd_springs_set_damage(world, (msd_range){0, 1}, &def));
  ok(world, msd_world_analyze_stability(world, 1, &after));
  /* Springs 0, 1 and what backs 1, at 1 kg each: particle 1 has 100 + 300 N/m and 1 + 1 N s/m, twice. */
  const double k = 2 * (100 + 100 + 200), mu = 2 * (1 + 1);
  const double expected = (sqrt(mu * mu + 4 * k) - mu) / k;
  cr_expect_float_eq(after.stable_substep, expected, 1e-4 * expected);
  cr_expect_lt(after.stable_substep, before.stable_substep);
  cr_expect_eq(after.stable_substep_quick, after.stable_substep);
  msd_destroy_world(world);
}

Test(damage_api, a_definition_out_of_range_is_refused) {
  msd_world *world = some_springs();
  const msd_range all = {0, 2};
  static const struct {
    const char *field;
    msd_real wrong[4];
  } cases[] = {{"tear_strain", {-1, (msd_real)NAN, (msd_real)INFINITY, (msd_real)-0.5}},
               {"tear_energy", {-1, (msd_real)NAN, (msd_real)INFINITY, (msd_real)-0.125}},
               {"yield_strain", {-1, (msd_real)NAN, (msd_real)INFINITY, (msd_real)-0.125}},
               {"plastic_rate", {0, (msd_real)-1.5, -1, (msd_real)NAN}},
               {"max_plastic_strain", {-1, (msd_real)NAN, (msd_real)INFINITY, (msd_real)-0.125}}};
  for (int field = 0; field < 5; field++)
    for (int n = 0; n < 4; n++) {
      msd_damage_def def = msd_default_damage_def();
      msd_real *const fields[] = {&def.tear_strain, &def.tear_energy, &def.yield_strain, &def.plastic_rate,
                                  &def.max_plastic_strain};
      *fields[field] = cases[field].wrong[n];
      REFUSED(world, msd_springs_set_damage(world, all, &def), MSD_BAD_VALUE, cases[field].field);
    }
  REFUSED(world, msd_springs_set_damage(world, all, NULL), MSD_UNINITIALIZED_DEF, "the definition is NULL");
  REFUSED(world, msd_springs_set_damage(world, all, &(msd_damage_def){.tear_strain = 1, .plastic_rate = 1}),
          MSD_UNINITIALIZED_DEF, "msd_default_damage_def");
  cr_expect_eq(msd_springs_set_damage(NULL, all, NULL), MSD_BAD_VALUE);
  msd_destroy_world(world);
}

Test(damage_api, springs_that_cannot_damage_are_named) {
  msd_world *world = some_springs();
  msd_damage_def def = msd_default_damage_def();
  ok(world, msd_springs_set_damage(world, (msd_range){0, 4}, &def)); /* takes away what none of them has */
  def.tear_strain = 1;
  REFUSED(world, msd_springs_set_damage(world, (msd_range){0, 3}, &def), MSD_BAD_VALUE,
          "spring 2: is a hard limit");
  REFUSED(world, msd_springs_set_damage(world, (msd_range){3, 1}, &def), MSD_BAD_VALUE,
          "spring 3: is the companion");
  REFUSED(world, msd_springs_set_damage(world, (msd_range){0, 5}, &def), MSD_BAD_INDEX, "springs 0 to 4");
  REFUSED(world, msd_springs_set_damage(world, (msd_range){-1, 1}, &def), MSD_BAD_INDEX, "the world has 4");
  REFUSED(world, msd_springs_set_damage(world, (msd_range){2, INT32_MAX}, &def), MSD_BAD_INDEX,
          "the world has 4");
  msd_destroy_world(world);
}

/* Four particles, an angle 0 and an area 1. */
static msd_world *some_constraints(void) {
  msd_world *world = some_springs();
  msd_constraint_def defs[2] = {msd_default_constraint_def(), msd_default_constraint_def()};
  ok(world, msd_particle_set_position(world, 3, (msd_vec3){1, 1, 0}));
  defs[1].kind = MSD_CONSTRAINT_AREA;
  for (int n = 0; n < 3; n++) {
    defs[0].particles[n] = n;
    defs[1].particles[n] = n + 1;
  }
  ok(world, msd_add_constraints(world, defs, 2, NULL));
  return world;
}

Test(damage_api, constraints_keep_what_they_are_given_until_it_is_taken_away) {
  msd_world *world = some_constraints();
  const msd_damage_def none = msd_default_damage_def();
  msd_damage_def def = none;
  ok(world, msd_constraints_set_damage(world, (msd_range){0, 2}, &none)); /* what none of them has */
  cr_expect(is_same_damage(msd_constraint_get_damage(world, 0), none) &&
            is_same_damage(msd_constraint_get_damage(NULL, 0), none));
  def.yield_strain = 4; /* rad, more than there are */
  def.plastic_rate = (msd_real)0.5;
  def.max_plastic_strain = 2;
  ok(world, msd_constraints_set_damage(world, (msd_range){0, 1}, &def));
  cr_expect(is_same_damage(msd_constraint_get_damage(world, 0), def) &&
            is_same_damage(msd_constraint_get_damage(world, 1), none) &&
            is_same_damage(msd_constraint_get_damage(world, 2), none));
  msd_constraint_def another = msd_constraint_get_def(world, 1);
  for (int n = 0; n < 20; n++) /* beyond the room that there was */
    ok(world, msd_add_constraints(world, &another, 1, NULL));
  cr_expect(is_same_damage(msd_constraint_get_damage(world, 0), def) &&
            is_same_damage(msd_constraint_get_damage(world, 21), none));
  ok(world, msd_constraints_set_damage(world, (msd_range){0, 22}, &none));
  cr_expect(is_same_damage(msd_constraint_get_damage(world, 0), none));
  cr_expect(msd_constraint_get_plastic_strain(world, 0) == 0 &&
            msd_constraint_get_plastic_strain(world, 99) == 0);
  msd_destroy_world(world);
}

Test(damage_api, constraints_that_cannot_damage_so_are_named) {
  msd_world *world = some_constraints();
  msd_damage_def def = msd_default_damage_def();
  def.yield_strain = 1;
  REFUSED(world, msd_constraints_set_damage(world, (msd_range){0, 3}, &def), MSD_BAD_INDEX,
          "constraints 0 to 2; the world has 2");
  REFUSED(world, msd_constraints_set_damage(world, (msd_range){-1, 1}, &def), MSD_BAD_INDEX,
          "the world has 2");
  REFUSED(world, msd_constraints_set_damage(world, (msd_range){1, INT32_MAX}, &def), MSD_BAD_INDEX,
          "the world has 2");
  REFUSED(world, msd_constraints_set_damage(world, (msd_range){0, 1}, NULL), MSD_UNINITIALIZED_DEF,
          "is NULL");
  ok(world, msd_constraints_set_damage(world, (msd_range){2, 0}, &def));
  def.plastic_rate = -2;
  REFUSED(world, msd_constraints_set_damage(world, (msd_range){1, 1}, &def), MSD_BAD_VALUE,
          "constraint 1: plastic_rate");
  def.plastic_rate = (msd_real)INFINITY;
  def.tear_strain = 1;
  REFUSED(world, msd_constraints_set_damage(world, (msd_range){0, 2}, &def), MSD_BAD_VALUE,
          "constraint 0: tear_strain is 1");
  cr_expect_eq(msd_constraints_set_damage(NULL, (msd_range){0, 1}, &def), MSD_BAD_VALUE);
  msd_destroy_world(world);
}

Test(damage_api, what_cannot_back_springs_is_refused) {
  msd_world *world = some_springs();
  const msd_range one = {0, 1};
  msd_range made = {7, 7};
  static const msd_real wrong[] = {-1, (msd_real)NAN, (msd_real)INFINITY};
  for (int n = 0; n < 3; n++) {
    REFUSED(world, msd_springs_stiffen(world, one, wrong[n], 2, &made), MSD_BAD_VALUE, "strain");
    REFUSED(world, msd_springs_stiffen(world, one, 0, wrong[n], &made), MSD_BAD_VALUE, "factor");
    REFUSED(world, msd_springs_limit_stretch(world, one, wrong[n], 1, &made), MSD_BAD_VALUE, "stretch");
    REFUSED(world, msd_springs_limit_stretch(world, one, 1, wrong[n], &made), MSD_BAD_VALUE, "ck");
  }
  REFUSED(world, msd_springs_stiffen(world, one, 0, 1, &made), MSD_BAD_VALUE, "factor is 1");
  REFUSED(world, msd_springs_limit_stretch(world, one, (msd_real)-0.5, 1, &made), MSD_BAD_VALUE,
          "max_stretch is -0.5");
  REFUSED(world, msd_springs_limit_stretch(world, one, 1, 0, &made), MSD_BAD_VALUE, "ck is 0");
  REFUSED(world, msd_springs_stiffen(world, (msd_range){0, 3}, 0, 2, &made), MSD_BAD_VALUE, "spring 2");
  REFUSED(world, msd_springs_stiffen(world, (msd_range){2, 2}, 0, 2, &made), MSD_BAD_VALUE, "spring");
  REFUSED(world, msd_springs_limit_stretch(world, (msd_range){3, 1}, 1, 1, &made), MSD_BAD_VALUE,
          "spring 3: is itself a companion");
  REFUSED(world, msd_springs_limit_stretch(world, (msd_range){0, 9}, 1, 1, &made), MSD_BAD_INDEX,
          "springs 0 to 8");
  REFUSED(world, msd_springs_stiffen(world, (msd_range){-2, 1}, 0, 2, &made), MSD_BAD_INDEX,
          "springs -2 to -2");
  add_spring(world, coefficient(-1, -1), 0, 3, 1);
  REFUSED(world, msd_springs_stiffen(world, (msd_range){4, 1}, 0, 2, &made), MSD_BAD_VALUE,
          "spring 4: has the maximum");
  cr_expect(made.first == 7 && made.count == 7);
  cr_expect_eq(msd_springs_stiffen(NULL, one, 0, 2, NULL), MSD_BAD_VALUE);
  cr_expect_eq(msd_springs_limit_stretch(NULL, one, 1, 1, NULL), MSD_BAD_VALUE);
  ok(world, msd_springs_limit_stretch(world, (msd_range){2, 0}, 1, 1, &made));
  cr_expect(made.first == 5 && made.count == 0);
  msd_destroy_world(world);
}

/* Beyond its rest length a strut has no force, and so many times that is none. */
Test(damage_api, a_strut_has_nothing_to_stiffen) {
  msd_world *world = some_springs();
  msd_spring_def strut = physical(100, 1);
  strut.mode = MSD_SPRING_COMPRESSION_ONLY;
  add_spring(world, strut, 0, 3, 1);
  REFUSED(world, msd_springs_stiffen(world, (msd_range){4, 1}, 0, 2, NULL), MSD_BAD_VALUE,
          "spring 4: is compression-only");
  ok(world, msd_springs_limit_stretch(world, (msd_range){4, 1}, 1, 1, NULL));
  msd_destroy_world(world);
}

Test(damage_api, no_springs_are_none_that_back_others) {
  msd_world *world = some_springs();
  msd_range made;
  ok(world, msd_springs_stiffen(world, (msd_range){0, 2}, 0, 2, &made));
  cr_assert(made.first == 4 && made.count == 2);
  msd_damage_def def = msd_default_damage_def();
  def.tear_strain = 1;
  const msd_range empty = {5, 0};
  ok(world, msd_springs_set_damage(world, empty, &def));
  ok(world, msd_springs_stiffen(world, empty, 0, 2, &made));
  ok(world, msd_springs_limit_stretch(world, empty, 1, 1, &made));
  cr_expect(made.first == 6 && made.count == 0);
  msd_destroy_world(world);
}
