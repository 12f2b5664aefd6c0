#include "tests/support/scene_text.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>

TestSuite(spring_reader, .init = enter_scratch_folder, .fini = leave_scratch_folder);

/* Two particles of 1 and 3 kg: reduced mass 3/4 kg. */
static msd_spring_def spring_of(const char *law) {
  char body[512];
  snprintf(body, sizeof body,
           "{ \"type\": \"particles\", \"position\": [[0,0,0],[2,0,0]], \"mass\": [1,3], \"springs\": [ { "
           "\"between\": [0, 1]%s } ] }",
           law);
  scene *s = load_bodies(body);
  cr_assert_eq(msd_world_get_spring_count(s->world), 1);
  msd_spring_def def = msd_spring_get_def(s->world, 0);
  scene_free(s);
  return def;
}

Test(spring_reader, stiffness_and_damping_are_physical) {
  msd_spring_def def = spring_of(", \"stiffness\": 200, \"damping\": 1.5");
  cr_expect_eq(def.law, MSD_SPRING_STIFFNESS);
  cr_expect_eq(def.stiffness, (msd_real)200);
  cr_expect_eq(def.damping, (msd_real)1.5);
}

Test(spring_reader, ck_and_cd_are_coefficients) {
  msd_spring_def def = spring_of(", \"ck\": 0.25, \"cd\": 0.5");
  cr_expect_eq(def.law, MSD_SPRING_COEFFICIENT);
  cr_expect_eq(def.ck, (msd_real)0.25);
  cr_expect_eq(def.cd, (msd_real)0.5);
}

Test(spring_reader, frequency_and_damping_ratio_are_kept) {
  msd_spring_def def = spring_of(", \"frequency\": 2, \"damping_ratio\": 0.5");
  cr_expect_eq(def.law, MSD_SPRING_FREQUENCY);
  cr_expect_eq(def.frequency, (msd_real)2);
  cr_expect_eq(def.damping_ratio, (msd_real)0.5);
}

Test(spring_reader, max_stable_is_the_max_stable_coefficient) {
  msd_spring_def def = spring_of(", \"stiffness\": \"max_stable\"");
  cr_expect_eq(def.law, MSD_SPRING_COEFFICIENT);
  cr_expect_eq(def.ck, MSD_MAX_STABLE);
  cr_expect_eq(def.cd, MSD_MAX_STABLE);
}

Test(spring_reader, a_spring_without_a_law_is_the_max_stable) {
  msd_spring_def def = spring_of("");
  cr_expect_eq(def.law, MSD_SPRING_COEFFICIENT);
  cr_expect_eq(def.ck, MSD_MAX_STABLE);
}

Test(spring_reader, the_partner_of_a_number_is_0) {
  cr_expect_eq(spring_of(", \"stiffness\": 3").damping, 0);
  cr_expect_eq(spring_of(", \"damping\": 3").stiffness, 0);
  cr_expect_eq(spring_of(", \"ck\": 0.5").cd, 0);
  cr_expect_eq(spring_of(", \"cd\": 0.5").ck, 0);
  cr_expect_eq(spring_of(", \"frequency\": 3").damping_ratio, 0);
}

Test(spring_reader, rest_length_is_as_placed_unless_given) {
  cr_expect_eq(spring_of("").rest_length, 2);
  cr_expect_eq(spring_of(", \"rest_length\": 0.5").rest_length, (msd_real)0.5);
  cr_expect_eq(spring_of(", \"rest_length\": 0").rest_length, 0);
}

Test(spring_reader, a_spring_may_have_one_side) {
  cr_expect_eq(spring_of("").mode, MSD_SPRING_BOTH);
  cr_expect_eq(spring_of(", \"mode\": \"both\"").mode, MSD_SPRING_BOTH);
  cr_expect_eq(spring_of(", \"mode\": \"tension_only\"").mode, MSD_SPRING_TENSION_ONLY);
  cr_expect_eq(spring_of(", \"mode\": \"compression_only\", \"stiffness\": 5").mode,
               MSD_SPRING_COMPRESSION_ONLY);
  const msd_spring_def caught = spring_of(", \"mode\": \"compression_only\", \"hard_limit\": 0.25");
  cr_expect(caught.law == MSD_SPRING_HARD_LIMIT && caught.ck == (msd_real)0.25);
}

static msd_body counts_of(const char *groups, msd_spring_def *stretch) {
  char body[512];
  snprintf(body, sizeof body, "{ \"type\": \"cloth\", \"columns\": 4, \"rows\": 3%s }", groups);
  scene *s = load_bodies(body);
  msd_body counts = {.springs = s->bodies[0].springs};
  *stretch = msd_spring_get_def(s->world, 0);
  for (int g = 0; g < s->bodies[0].group_count; g++) {
    const scene_group *group = &s->bodies[0].groups[g];
    msd_range *to = group->name[0] == 'b'   ? &counts.bend
                    : group->name[1] == 'h' ? &counts.shear
                                            : &counts.stretch;
    *to = group->springs;
  }
  scene_free(s);
  return counts;
}

/* A grid of 4 x 3: 3*3 + 4*2 stretch, 2*3*2 shear, 2*3 + 4*1 bend. */
Test(spring_reader, absent_and_empty_groups_make_none_but_stretch_is_max_stable) {
  static const char *const empty[] = {"", ", \"stretch\": {}, \"shear\": {}, \"bend\": {}"};
  for (size_t i = 0; i < COUNT_OF(empty); i++) {
    msd_spring_def def;
    msd_body made = counts_of(empty[i], &def);
    cr_expect_eq(made.springs.count, 17);
    cr_expect_eq(made.stretch.count, 17);
    cr_expect_eq(made.shear.count, 0);
    cr_expect_eq(made.bend.count, 0);
    cr_expect_eq(def.law, MSD_SPRING_COEFFICIENT);
    cr_expect_eq(def.ck, MSD_MAX_STABLE);
  }
}

Test(spring_reader, groups_that_say_something_are_made) {
  msd_spring_def def;
  msd_body made = counts_of(", \"stretch\": { \"ck\": 0.1 }, \"shear\": { \"stiffness\": 5 }, \"bend\": { "
                            "\"stiffness\": \"max_stable\" }",
                            &def);
  cr_expect_eq(made.springs.count, 17 + 12 + 10);
  cr_expect_eq(made.stretch.count, 17);
  cr_expect_eq(made.shear.count, 12);
  cr_expect_eq(made.bend.count, 10);
  cr_expect_eq(def.ck, (msd_real)0.1);
}

Test(spring_reader, bad_springs_are_refused_with_place_and_remedy) {
  static const bad_text cases[] = {
      {"\"stiffness\": 1, \"ck\": 0.5", "springs[0].ck: cannot be combined with \"stiffness\"",
       "give stiffness and damping"},
      {"\"ck\": 0.5, \"frequency\": 1", "springs[0].frequency: cannot be combined with \"ck\"",
       "give stiffness and damping"},
      {"\"stiffness\": \"max_stable\", \"cd\": 1", "springs[0].cd: cannot be combined with \"stiffness\"",
       "give stiffness and damping"},
      {"\"damping\": 1, \"damping_ratio\": 1", "springs[0].damping_ratio: cannot be combined",
       "give stiffness and damping"},
      {"\"damping_ratio\": 1", "springs[0].frequency: is missing", "a frequency in Hz"},
      {"\"stiffness\": -1", "springs[0].stiffness: is -1", "0 or more in N/m"},
      {"\"damping\": -1", "springs[0].damping: is -1", "0 or more in N s/m"},
      {"\"ck\": 1.5", "springs[0].ck: is 1.5", "a fraction from 0 to 1"},
      {"\"cd\": -0.5", "springs[0].cd: is -0.5", "a fraction from 0 to 1"},
      {"\"frequency\": -2", "springs[0].frequency: is -2", "0 or more in Hz"},
      {"\"frequency\": 2, \"damping_ratio\": \"critical\"", "springs[0].damping_ratio: is the text",
       "1 is critical"},
      {"\"rest_length\": -1", "springs[0].rest_length: is -1", "0 or more in m"},
      {"\"max_stable\": true", "springs[0].max_stable: unknown key", ""},
      {"\"hard_limit\": 1", "springs[0].hard_limit: needs \"mode\"",
       "\"tension_only\" or \"compression_only\" beside it"},
      {"\"mode\": \"compression_only\", \"hard_limit\": 0", "springs[0].hard_limit: is 0",
       "from 0.000001 to 1"},
      {"\"mode\": \"compression_only\", \"hard_limit\": 0.5, \"ck\": 1",
       "springs[0].hard_limit: cannot be combined with \"ck\"", "give stiffness and damping"},
      {"\"mode\": \"strutt\"", "springs[0].mode: is the text \"strutt\"", "known here: both"},
      {"\"mode\": 1", "springs[0].mode: is 1", "known here: both, tension_only, compression_only"},
      {"\"stifness\": 1", "springs[0].stifness: unknown key", "did you mean \"stiffness\"?"},
  };
  expect_refused(cases, COUNT_OF(cases),
                 "{ \"msd\": 1, \"bodies\": [ { \"type\": \"particles\", \"position\": [[0,0,0],[1,0,0]], "
                 "\"springs\": [ { \"between\": [0, 1], %s } ] } ] }");
}

Test(spring_reader, bad_groups_are_refused_with_place_and_remedy) {
  static const bad_text cases[] = {
      {"\"stretch\": 5", "bodies[0].stretch: is 5", "an object"},
      {"\"shear\": { \"stiffness\": 1, \"cd\": 1 }", "bodies[0].shear.cd", "give stiffness and damping"},
      {"\"bend\": { \"between\": [0, 1] }", "bodies[0].bend.between: unknown key", "known here: stiffness"},
      {"\"bend\": { \"stiffness\": [1] }", "bodies[0].bend.stiffness: is a list of 1", "in N/m"},
  };
  expect_refused(cases, COUNT_OF(cases), "{ \"msd\": 1, \"bodies\": [ { \"type\": \"cloth\", %s } ] }");
}
