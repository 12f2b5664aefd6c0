/* Laws: what definitions say of them, and what they amount to at a mass and a substep. */
#include "engine/store/law.h"

#include <criterion/criterion.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

static report new_report(memory *m) {
  *m = (memory){.limit = SIZE_MAX};
  return (report){.memory = m};
}

static law of_kind(msd_spring_law kind, double first, double second) {
  return (law){(uint8_t)kind, (msd_real)first, (msd_real)second};
}

static bool same(law a, law b) {
  return a.kind == b.kind && a.first == b.first && a.second == b.second;
}

/* ------------------------------------------------------------------------------------------- in definitions */

/* Numbers that are all different. */
static msd_spring_def spring_def(msd_spring_law kind) {
  msd_spring_def def = msd_default_spring_def();
  def.law = kind;
  def.stiffness = 1;
  def.damping = 2;
  def.ck = 3;
  def.cd = 4;
  def.frequency = 5;
  def.damping_ratio = 6;
  return def;
}

Test(law, each_kind_reads_its_own_two_fields) {
  const msd_spring_def physical = spring_def(MSD_SPRING_STIFFNESS),
                       frequency = spring_def(MSD_SPRING_FREQUENCY),
                       coefficient = spring_def(MSD_SPRING_COEFFICIENT);
  cr_expect(same(law_read(LAW_FIELDS(&physical)), of_kind(MSD_SPRING_STIFFNESS, 1, 2)));
  cr_expect(same(law_read(LAW_FIELDS(&coefficient)), of_kind(MSD_SPRING_COEFFICIENT, 3, 4)));
  cr_expect(same(law_read(LAW_FIELDS(&frequency)), of_kind(MSD_SPRING_FREQUENCY, 5, 6)));
}

Test(law, writing_changes_the_fields_of_that_kind_alone) {
  for (int kind = MSD_SPRING_STIFFNESS; kind < MSD_SPRING_HARD_LIMIT; kind++) {
    msd_constraint_def def = msd_default_constraint_def();
    const law given = of_kind((msd_spring_law)kind, 0.25, 0.5);
    LAW_WRITE(&def, given);
    cr_expect(same(law_read(LAW_FIELDS(&def)), given));
    const msd_constraint_def untouched = msd_default_constraint_def();
    for (int other = MSD_SPRING_STIFFNESS; other < MSD_SPRING_HARD_LIMIT; other++) {
      def.law = (msd_spring_law)other;
      msd_constraint_def expected = untouched;
      expected.law = def.law;
      if (other != kind)
        cr_expect(same(law_read(LAW_FIELDS(&def)), law_read(LAW_FIELDS(&expected))));
    }
  }
}

Test(law, a_number_that_no_law_can_have_is_refused_by_its_name) {
  static const char *const names[][2] = {[MSD_SPRING_STIFFNESS] = {"stiffness", "damping"},
                                         [MSD_SPRING_COEFFICIENT] = {"ck", "cd"},
                                         [MSD_SPRING_FREQUENCY] = {"frequency", "damping_ratio"}};
  const msd_real bad[] = {-2, (msd_real)INFINITY, (msd_real)NAN, -(msd_real)INFINITY};
  memory m;
  report r = new_report(&m);
  for (int kind = MSD_SPRING_STIFFNESS; kind < MSD_SPRING_HARD_LIMIT; kind++)
    for (int n = 0; n < 2; n++)
      for (size_t b = 0; b < sizeof bad / sizeof bad[0]; b++) {
        law_fields fields = {.kind = (msd_spring_law)kind};
        fields.numbers[kind][n] = bad[b];
        char said[40];
        snprintf(said, sizeof said, "spring 7: %s is ", names[kind][n]);
        cr_expect_eq(law_check(&r, fields, (subject){"spring", 7, NULL}), MSD_BAD_VALUE);
        cr_expect(strstr(r.message, said) == r.message, "%s", r.message);
        cr_expect_not(law_is_sound(law_read(fields)));
        fields.numbers[kind][n] = 0;
        fields.numbers[kind % 3 + 1][n] = bad[b]; /* of another law */
        cr_expect_eq(law_check(&r, fields, the_only("spring")), MSD_OK);
        cr_expect(law_is_sound(law_read(fields)));
      }
}

Test(law, a_hard_limit_has_no_damping_whatever_the_definition_says) {
  msd_spring_def def = msd_default_spring_def();
  def.law = MSD_SPRING_HARD_LIMIT;
  for (int n = 0; n < 3; n++) {
    def.cd = (msd_real)(n == 0 ? -0.5 : n == 1 ? (double)NAN : 1e30);
    const law own = law_read(LAW_FIELDS(&def));
    cr_expect(law_is_sound_hard_limit(own) && own.second == MSD_MAX_STABLE);
  }
}

Test(law, a_hard_limit_has_the_share_of_a_coefficient_and_is_known_to_springs_alone) {
  static const double good[] = {MSD_MAX_STABLE, 1e-6, 0.5, 1}, bad[] = {0, -0.5, 1.5, INFINITY, NAN};
  memory m;
  report r = new_report(&m);
  msd_spring_def def = spring_def(MSD_SPRING_HARD_LIMIT);
  for (size_t n = 0; n < sizeof good / sizeof *good; n++) {
    def.ck = (msd_real)good[n];
    const law own = law_read(LAW_FIELDS(&def));
    cr_expect(own.kind == MSD_SPRING_HARD_LIMIT && own.first == def.ck);
    cr_expect_eq(law_check_hard_limit(&r, LAW_FIELDS(&def), the_only("spring")), MSD_OK);
    cr_expect(law_is_sound_hard_limit(own) && !law_is_sound(own));
    cr_expect_eq(law_check(&r, LAW_FIELDS(&def), the_only("spring")), MSD_BAD_VALUE);
    msd_spring_def written = msd_default_spring_def();
    LAW_WRITE(&written, own);
    cr_expect(written.law == MSD_SPRING_HARD_LIMIT && written.ck == def.ck && written.stiffness == 0);
    cr_expect_eq(law_hard_limit_share(own), n == 0 ? 1 : (double)def.ck);
  }
  for (size_t n = 0; n < sizeof bad / sizeof *bad; n++) {
    def.ck = (msd_real)bad[n];
    cr_expect_eq(law_check_hard_limit(&r, LAW_FIELDS(&def), the_only("spring")), MSD_BAD_VALUE);
    cr_expect_not(law_is_sound_hard_limit(law_read(LAW_FIELDS(&def))));
  }
}

Test(law, the_max_stable_is_a_coefficient_alone) {
  memory m;
  report r = new_report(&m);
  for (int kind = MSD_SPRING_STIFFNESS; kind < MSD_SPRING_LAW_COUNT; kind++) {
    law_fields fields = {.kind = (msd_spring_law)kind};
    fields.numbers[kind][0] = fields.numbers[kind][1] = MSD_MAX_STABLE;
    cr_expect_eq(law_check(&r, fields, the_only("spring")) == MSD_OK, kind == MSD_SPRING_COEFFICIENT);
    cr_expect_eq(law_is_sound(law_read(fields)), kind == MSD_SPRING_COEFFICIENT);
  }
}

Test(law, a_kind_that_there_is_not_is_refused) {
  const int kinds[] = {MSD_SPRING_NONE, MSD_SPRING_LAW_COUNT, -1, 257};
  memory m;
  report r = new_report(&m);
  for (size_t n = 0; n < sizeof kinds / sizeof kinds[0]; n++) {
    const law_fields fields = {.kind = (msd_spring_law)kinds[n]};
    cr_expect_eq(law_check(&r, fields, (subject){"soft_pin", 3, NULL}), MSD_BAD_VALUE, "%d", kinds[n]);
    cr_expect(strstr(r.message, "soft_pin 3: law is "), "%s", r.message);
  }
  cr_expect_not(law_is_sound((law){.kind = MSD_SPRING_NONE}));
  cr_expect_not(law_is_sound((law){.kind = MSD_SPRING_LAW_COUNT}));
}

/* ---------------------------------------------------------------------------------------- what it amounts
   to */

static void expect_close(double is, double expected, const char *what) {
  cr_expect(fabs(is - expected) <= 4 * DBL_EPSILON * fabs(expected), "%s: %.17g, not %.17g", what, is,
            expected);
}

Test(law, a_frequency_swings_the_reduced_mass_at_that_frequency) {
  const double mass = 0.3, hertz = 1.75, ratio = 0.125;
  const law_terms t = law_split(of_kind(MSD_SPRING_FREQUENCY, hertz, ratio), mass, 0.1);
  const law_tuning k = law_tune(&t, 0.01, false);
  expect_close(sqrt(k.stiffness / mass) / (2 * PI), hertz, "frequency");
  expect_close(k.damping / (2 * sqrt(k.stiffness * mass)), ratio, "damping ratio");
}

Test(law, a_coefficient_is_a_fraction_of_what_the_substep_can_carry) {
  const double mass = 0.3, dt = 0.02;
  const law_terms t = law_split(of_kind(MSD_SPRING_COEFFICIENT, 0.25, 0.5), mass, 0.1);
  const law_tuning k = law_tune(&t, dt, false);
  expect_close(k.stiffness * dt * dt / mass, 0.25, "ck");
  expect_close(k.damping * dt / mass, 0.5, "cd");
}

Test(law, the_max_stable_uses_up_the_share) {
  const law_terms t = law_split(of_kind(MSD_SPRING_COEFFICIENT, -1, -1), 0.3, 0.07);
  const law_tuning k = law_tune(&t, 0.01, true);
  expect_close(k.stiffness * 1e-4, 0.07, "stiffness");
  expect_close(k.damping * 1e-2, 0.07, "damping");
}

Test(law, a_physical_law_is_itself_at_any_mass_and_substep) {
  const law_terms t = law_split(of_kind(MSD_SPRING_STIFFNESS, 5, 0.25), 0.3, 0.1);
  for (double dt = 1e-4; dt < 1; dt *= 10) {
    const law_tuning k = law_tune(&t, dt, false);
    cr_expect(k.stiffness == 5 && k.damping == 0.25 && !k.capped);
  }
}

Test(law, the_limit_softens_to_the_share_and_no_further) {
  const law_terms t = law_split(of_kind(MSD_SPRING_STIFFNESS, 1000, 1), 0.3, 0.1);
  const law_tuning short_step = law_tune(&t, 0.01, true); /* 1000 N/m, 10 N s/m */
  cr_expect(short_step.stiffness == 1000 && short_step.damping == 1);
  const law_tuning stiff = law_tune(&t, 0.05, true);
  expect_close(stiff.stiffness, 0.1 / (0.05 * 0.05), "stiffness");
  cr_expect(stiff.capped && stiff.damping == 1);
  const law_tuning both = law_tune(&t, 0.5, true);
  expect_close(both.damping, 0.1 / 0.5, "damping");
  cr_expect(both.capped);
}

Test(law, before_the_first_substep_a_coefficient_has_no_stiffness) {
  const law_terms coefficient = law_split(of_kind(MSD_SPRING_COEFFICIENT, 1, 1), 0.3, 0.1);
  cr_expect_eq(law_present(&coefficient, 0, true).stiffness, 0);
  const law_terms physical = law_split(of_kind(MSD_SPRING_STIFFNESS, 1000, 1), 0.3, 0.1);
  cr_expect_eq(law_present(&physical, 0, true).stiffness, 1000);
}

Test(law, scaling_keeps_the_damping_ratio) {
  const double mass = 0.3, factor = 9;
  const law physical = of_kind(MSD_SPRING_STIFFNESS, 64, 2),
            frequency = of_kind(MSD_SPRING_FREQUENCY, 2, 0.5);
  const law laws[] = {physical, frequency};
  for (int n = 0; n < 2; n++) {
    const law_terms before = law_split(laws[n], mass, 1),
                    after = law_split(law_scaled(laws[n], factor), mass, 1);
    expect_close(after.stiffness, factor * before.stiffness, "stiffness");
    expect_close(after.damping / sqrt(after.stiffness), before.damping / sqrt(before.stiffness), "ratio");
  }
  const law coefficient = of_kind(MSD_SPRING_COEFFICIENT, 0.5, 0.25);
  cr_expect(same(law_scaled(coefficient, factor), coefficient));
}
