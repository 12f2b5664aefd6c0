/* The spring store: laws and their conversions, rest lengths, breaking, retuning, tension. */
#include "tests/support/networks.h"

#include "engine/store/spring.h"
#include "engine/world/world.h"

#include <float.h>
#include <math.h>

static const double EPSILON = sizeof(msd_real) == sizeof(double) ? DBL_EPSILON : FLT_EPSILON;
static const double PI = 3.14159265358979323846;

static msd_world *points(const double masses[], int count) {
  msd_world_def world_def = msd_default_world_def();
  world_def.gravity = (msd_vec3){0, 0, 0};
  msd_world *world = world_from_def(&world_def);
  for (int i = 0; i < count; i++) {
    msd_particle_def def = msd_default_particle_def();
    def.position = (msd_vec3){(msd_real)(3 * i), (msd_real)(4 * i), 0}; /* 5 m apart */
    def.pinned = !(masses[i] > 0);
    if (!def.pinned)
      def.mass = (msd_real)masses[i];
    ASSERT_OK(world, msd_add_particles(world, &def, 1, NULL));
  }
  return world;
}

static int32_t join(msd_world *world, msd_spring_def def, int32_t a, int32_t b) {
  def.a = a;
  def.b = b;
  int32_t spring = -1;
  ASSERT_OK(world, msd_add_springs(world, &def, 1, &spring));
  return spring;
}

static msd_spring_def physical(double stiffness, double damping) {
  msd_spring_def def = msd_default_spring_def();
  def.stiffness = (msd_real)stiffness;
  def.damping = (msd_real)damping;
  return def;
}

static msd_spring_def coefficient(double ck, double cd) {
  msd_spring_def def = msd_default_spring_def();
  def.law = MSD_SPRING_COEFFICIENT;
  def.ck = (msd_real)ck;
  def.cd = (msd_real)cd;
  return def;
}

static void assert_near(double found, double wanted, double relative, const char *what) {
  cr_assert(fabs(found - wanted) <= relative * fabs(wanted), "%s is %.17g, not %.17g", what, found, wanted);
}

/* ------------------------------------------------------------------------------------------- definitions */

Test(spring, a_default_spring_is_physical_slack_free_and_has_no_ends) {
  const msd_spring_def def = msd_default_spring_def();
  cr_assert_eq(def.a, -1);
  cr_assert_eq(def.b, -1);
  cr_assert(def.rest_length < 0);
  cr_assert_eq(def.law, MSD_SPRING_STIFFNESS);
  cr_assert(def.stiffness == 0 && def.damping == 0 && def.frequency == 0 && def.damping_ratio == 0);
  cr_assert(def.ck == MSD_MAX_STABLE && def.cd == MSD_MAX_STABLE);
}

Test(spring, a_definition_is_read_back_as_it_was_given) {
  msd_world *world = points((double[]){1, 1, 1}, 3);
  msd_spring_def def = physical(7, 0.5);
  def.rest_length = 2;
  const int32_t stiff = join(world, def, 0, 1), fraction = join(world, coefficient(0.25, 0.125), 2, 1);
  def = msd_default_spring_def();
  def.law = MSD_SPRING_FREQUENCY;
  def.frequency = 3;
  def.damping_ratio = (msd_real)0.75;
  def.mode = MSD_SPRING_COMPRESSION_ONLY;
  const int32_t hertz = join(world, def, 0, 2);
  msd_spring_def got = msd_spring_get_def(world, stiff);
  cr_assert(got.a == 0 && got.b == 1 && got.law == MSD_SPRING_STIFFNESS && got.stiffness == 7 &&
            got.damping == (msd_real)0.5 && got.rest_length == 2 && got.mode == MSD_SPRING_BOTH);
  got = msd_spring_get_def(world, fraction);
  cr_assert(got.a == 2 && got.b == 1 && got.law == MSD_SPRING_COEFFICIENT && got.ck == (msd_real)0.25 &&
            got.cd == (msd_real)0.125 && got.rest_length == 5);
  got = msd_spring_get_def(world, hertz);
  cr_assert(got.law == MSD_SPRING_FREQUENCY && got.frequency == 3 && got.damping_ratio == (msd_real)0.75 &&
            got.rest_length == 10 && got.mode == MSD_SPRING_COMPRESSION_ONLY);
  ASSERT_OK(world, msd_spring_break(world, hertz));
  cr_assert_eq(msd_spring_get_def(world, hertz).law, MSD_SPRING_FREQUENCY, "breaking changes the definition");
  for (int32_t wrong = -1; wrong < 100; wrong += 50) {
    got = msd_spring_get_def(world, wrong < 0 ? wrong : wrong + 3);
    cr_assert(got.a == -1 && got.b == -1 && got.law == MSD_SPRING_STIFFNESS);
  }
  /* What is read can be added again. */
  got = msd_spring_get_def(world, fraction);
  ASSERT_OK(world, msd_add_springs(world, &got, 1, NULL));
  msd_destroy_world(world);
}

Test(spring, a_spring_without_a_rest_length_rests_as_it_is_placed) {
  msd_world *world = points((double[]){1, 1}, 2);
  const int32_t spring = join(world, physical(1, 0), 0, 1);
  cr_assert_eq(msd_spring_get_def(world, spring).rest_length, 5);
  cr_assert_eq(msd_spring_get_length(world, spring), 5);
  ASSERT_OK(world, msd_spring_set_rest_length(world, spring, 1));
  cr_assert_eq(msd_spring_get_def(world, spring).rest_length, 1);
  cr_assert_eq(msd_spring_set_rest_length(world, spring, -1), MSD_BAD_VALUE);
  cr_assert_eq(msd_spring_set_rest_length(world, spring, (msd_real)NAN), MSD_BAD_VALUE);
  cr_assert_eq(msd_spring_get_def(world, spring).rest_length, 1);
  msd_destroy_world(world);
}

typedef struct refused {
  const char *what;
  msd_spring_def def;
  msd_result result;
} refused;

Test(spring, definitions_out_of_range_are_refused_and_named) {
  msd_world *world = points((double[]){1, 1}, 2);
  const msd_spring_def good = physical(1, 1);
  refused cases[] = {
      {"cookie", good, MSD_UNINITIALIZED_DEF},
      {"a is 2", good, MSD_BAD_INDEX},
      {"b is -1", good, MSD_BAD_INDEX},
      {"both ends", good, MSD_BAD_INDEX},
      {"rest_length", good, MSD_BAD_VALUE},
      {"stiffness", good, MSD_BAD_VALUE},
      {"damping", good, MSD_BAD_VALUE},
      {"law", good, MSD_BAD_VALUE},
      {"law", good, MSD_BAD_VALUE},
      {"ck", coefficient(1, 1), MSD_BAD_VALUE},
      {"cd", coefficient(1, 1), MSD_BAD_VALUE},
      {"mode", good, MSD_BAD_VALUE},
      {"mode", good, MSD_BAD_VALUE},
  };
  enum { CASES = sizeof cases / sizeof cases[0] };
  for (int c = 0; c < CASES; c++) {
    cases[c].def.a = 0;
    cases[c].def.b = 1;
  }
  cases[0].def.cookie = 0;
  cases[1].def.a = 2;
  cases[2].def.b = -1;
  cases[3].def.b = 0;
  cases[4].def.rest_length = (msd_real)INFINITY;
  cases[5].def.stiffness = -1;
  cases[6].def.damping = (msd_real)NAN;
  cases[7].def.law = MSD_SPRING_NONE;
  cases[8].def.law = MSD_SPRING_LAW_COUNT;
  cases[9].def.ck = (msd_real)-0.5;
  cases[10].def.cd = (msd_real)INFINITY;
  cases[11].def.mode = MSD_SPRING_MODE_COUNT;
  cases[12].def.mode = (msd_spring_mode)-1;
  for (int c = 0; c < CASES; c++) {
    msd_spring_def pair[2] = {good, cases[c].def};
    pair[0].a = 0;
    pair[0].b = 1;
    int32_t first = 99;
    cr_assert_eq(msd_add_springs(world, pair, 2, &first), cases[c].result, "case %d, %s: %s", c,
                 cases[c].what, msd_world_message(world));
    cr_assert_eq(first, 99);
    cr_assert_eq(msd_world_get_spring_count(world), 0);
    cr_assert(c == 0 || strstr(msd_world_message(world), cases[c].what), "%s: %s", cases[c].what,
              msd_world_message(world));
    cr_assert(strstr(msd_world_message(world), " 1"), "which one? %s", msd_world_message(world));
  }
  msd_destroy_world(world);
}

/* ------------------------------------------------------------------------------------------------- laws */

Test(spring, physical_springs_are_what_they_were_defined_to_be_at_any_step) {
  msd_world *world = points((double[]){1, 2}, 2);
  const int32_t spring = join(world, physical(7, 0.5), 0, 1);
  cr_assert(msd_spring_get_stiffness(world, spring) == 7 &&
            msd_spring_get_damping(world, spring) == (msd_real)0.5);
  ASSERT_OK(world, msd_world_step(world, (msd_real)0.01, 1));
  cr_assert(msd_spring_get_stiffness(world, spring) == 7 &&
            msd_spring_get_damping(world, spring) == (msd_real)0.5);
  msd_destroy_world(world);
}

Test(spring, coefficients_are_fractions_of_the_reduced_mass_over_the_step) {
  const double masses[][2] = {{1, 1}, {1, 3}, {0, 2}, {1000, 0.5}};
  for (int m = 0; m < 4; m++) {
    msd_world *world = points(masses[m], 2);
    const int32_t spring = join(world, coefficient(0.5, 0.25), 0, 1);
    cr_assert_eq(msd_spring_get_stiffness(world, spring), 0);
    cr_assert_eq(msd_spring_get_damping(world, spring), 0);
    const double reduced = masses[m][0] > 0 ? 1 / (1 / masses[m][0] + 1 / masses[m][1]) : masses[m][1];
    for (int substeps = 1; substeps < 9; substeps++) {
      ASSERT_OK(world, msd_world_step(world, (msd_real)0.125, substeps));
      const double dt = (double)(msd_real)(0.125 / substeps);
      assert_near((double)msd_spring_get_stiffness(world, spring), 0.5 * reduced / (dt * dt), 4 * EPSILON,
                  "k");
      assert_near((double)msd_spring_get_damping(world, spring), 0.25 * reduced / dt, 4 * EPSILON, "mu");
    }
    msd_destroy_world(world);
  }
}

Test(spring, frequency_and_ratio_are_converted_by_the_reduced_mass) {
  msd_world *world = points((double[]){1, 3}, 2);
  msd_spring_def def = msd_default_spring_def();
  def.law = MSD_SPRING_FREQUENCY;
  def.frequency = 2;
  def.damping_ratio = (msd_real)0.5;
  const int32_t spring = join(world, def, 0, 1);
  assert_near((double)msd_spring_get_stiffness(world, spring), 0.75 * 16 * PI * PI, 4 * EPSILON, "k");
  assert_near((double)msd_spring_get_damping(world, spring), 2 * 0.5 * 0.75 * 4 * PI, 4 * EPSILON, "mu");
  msd_destroy_world(world);
}

/* nbar = (w_a n_a + w_b n_b)/(w_a + w_b). */
Test(spring, the_max_stable_coefficient_is_one_over_the_weighted_number_of_springs) {
  const double masses[] = {1, 4, 0.25, 0, 2, 1};
  msd_world *world = points(masses, 6);
  const int32_t ends[][2] = {{0, 1}, {0, 2}, {0, 3}, {0, 4}, {1, 2}, {3, 4}, {4, 5}, {0, 4}};
  int springs_at[6] = {0};
  for (int s = 0; s < 8; s++) {
    join(world, coefficient((double)MSD_MAX_STABLE, (double)MSD_MAX_STABLE), ends[s][0], ends[s][1]);
    springs_at[ends[s][0]]++;
    springs_at[ends[s][1]]++;
  }
  bool broken[8] = {false};
  for (int round = 0; round < 4; round++) {
    const double dt = 0.0625;
    ASSERT_OK(world, msd_world_step(world, (msd_real)dt, 1));
    for (int s = 0; s < 8; s++) {
      const int a = ends[s][0], b = ends[s][1];
      const double wa = masses[a] > 0 ? 1 / masses[a] : 0, wb = masses[b] > 0 ? 1 / masses[b] : 0;
      const double nbar = (wa * springs_at[a] + wb * springs_at[b]) / (wa + wb);
      const double k = broken[s] ? 0 : 1 / nbar / (wa + wb) / (dt * dt);
      assert_near((double)msd_spring_get_stiffness(world, s), k, 4 * EPSILON, "k");
      assert_near((double)msd_spring_get_damping(world, s), k * dt, 4 * EPSILON, "mu");
    }
    /* A broken spring leaves its share to the others. */
    broken[2 * round] = true;
    springs_at[ends[2 * round][0]]--;
    springs_at[ends[2 * round][1]]--;
    ASSERT_OK(world, msd_spring_break(world, 2 * round));
  }
  msd_destroy_world(world);
}

/* sum over springs of share b b^T is at most M: for every x, sum share |x_a - x_b|^2 <= sum m |x|^2, and in the
   worst case, with a plus, too (see stability.h). Tried with random vectors and with alternating ones. */
Test(spring, shares_of_all_springs_together_are_at_most_the_mass) {
  for (uint64_t seed = 1; seed < 30; seed++) {
    graph g = graph_random(20, 10 * (int32_t)seed, seed);
    msd_world *world =
        world_of(&g, &(making){.seed = seed, .pins = seed % 2 == 0, .breaks = seed % 3 ? 4 : 0});
    generator random = {.state = seed};
    for (int trial = 0; trial < 50; trial++) {
      double x[20], spent = 0, held = 0;
      for (int i = 0; i < 20; i++)
        x[i] = msd_particle_is_pinned(world, i) ? 0 : fabs((double)random_real(&random));
      for (int32_t s = 0; s < g.springs; s++) {
        const law_terms terms = spring_effective_mass(&world->model.springs, &world->model.particles, s);
        const double sum = x[g.a[s]] + x[g.b[s]];
        spent += terms.share * sum * sum;
      }
      for (int i = 0; i < 20; i++)
        held += (double)msd_particle_get_mass(world, i) * x[i] * x[i];
      cr_assert(spent <= held * (1 + 1e-6), "%g of %g kg", spent, held);
    }
    msd_destroy_world(world);
    graph_free(&g);
  }
}

Test(spring, the_limit_softens_what_is_over_its_share_and_nothing_else) {
  msd_world *world = points((double[]){1, 1, 1}, 3);
  const int32_t soft = join(world, physical(10, 0.5), 0, 1), stiff = join(world, physical(1e6, 0.5), 1, 2),
                thick = join(world, physical(10, 1e6), 0, 2);
  ASSERT_OK(world, msd_world_set_clamp_stiffness(world, true));
  const double dt = 0.0625, share = 0.25; /* two springs of inverse mass 1 at each end */
  ASSERT_OK(world, msd_world_step(world, (msd_real)dt, 1));
  cr_assert_eq(msd_spring_get_stiffness(world, soft), 10);
  cr_assert_eq(msd_spring_get_damping(world, soft), (msd_real)0.5);
  assert_near((double)msd_spring_get_stiffness(world, stiff), share / (dt * dt), 4 * EPSILON, "k");
  cr_assert_eq(msd_spring_get_damping(world, stiff), (msd_real)0.5);
  cr_assert_eq(msd_spring_get_stiffness(world, thick), 10);
  assert_near((double)msd_spring_get_damping(world, thick), share / dt, 4 * EPSILON, "mu");
  cr_assert_eq(msd_spring_get_def(world, stiff).stiffness, (msd_real)1e6, "the definition is lost");
  ASSERT_OK(world, msd_world_set_clamp_stiffness(world, false));
  ASSERT_OK(world, msd_world_step(world, (msd_real)1e-5, 1));
  cr_assert_eq(msd_spring_get_stiffness(world, stiff), (msd_real)1e6);
  msd_destroy_world(world);
}

Test(spring, between_pins_there_is_no_force_and_no_division) {
  msd_world *world = points((double[]){0, 0}, 2);
  const int32_t hard = join(world, physical(1e5, 10), 0, 1),
                max_stable = join(world, coefficient((double)MSD_MAX_STABLE, (double)MSD_MAX_STABLE), 0, 1);
  ASSERT_OK(world, msd_spring_set_rest_length(world, hard, 1));
  ASSERT_OK(world, msd_world_step(world, 1, 10));
  ASSERT_OK(world, msd_world_step(world, 1, 0));
  cr_assert_eq(msd_spring_get_stiffness(world, max_stable), 0);
  cr_assert_eq(msd_particle_get_position(world, 0).x, 0);
  cr_assert(isfinite(msd_spring_get_tension(world, hard)) &&
            isfinite(msd_spring_get_tension(world, max_stable)));
  msd_destroy_world(world);
}

/* --------------------------------------------------------------------------------- retuning and breaking */

Test(spring, a_retuned_spring_keeps_its_ends_and_rest_length) {
  msd_world *world = points((double[]){1, 1, 1}, 3);
  const int32_t spring = join(world, physical(7, 0.5), 0, 1);
  msd_spring_def other = coefficient(0.5, 0.25);
  other.a = 2;
  other.b = 99;
  other.rest_length = 77;
  ASSERT_OK(world, msd_spring_set_law(world, spring, &other));
  const msd_spring_def got = msd_spring_get_def(world, spring);
  cr_assert(got.a == 0 && got.b == 1 && got.rest_length == 5);
  cr_assert(got.law == MSD_SPRING_COEFFICIENT && got.ck == (msd_real)0.5 && got.cd == (msd_real)0.25);
  other.cookie = 0;
  cr_assert_eq(msd_spring_set_law(world, spring, &other), MSD_UNINITIALIZED_DEF);
  cr_assert_eq(msd_spring_set_law(world, spring, NULL), MSD_UNINITIALIZED_DEF);
  other = physical(-1, 0);
  cr_assert_eq(msd_spring_set_law(world, spring, &other), MSD_BAD_VALUE);
  cr_assert_eq(msd_spring_set_law(world, 1, &other), MSD_BAD_INDEX);
  cr_assert_eq(msd_spring_get_def(world, spring).law, MSD_SPRING_COEFFICIENT);
  msd_destroy_world(world);
}

Test(spring, a_range_takes_a_law_as_a_whole_or_not_at_all) {
  msd_world *world = points((double[]){1, 2, 3, 4}, 4);
  for (int32_t i = 0; i < 3; i++)
    join(world, physical(10 + i, 0), i, i + 1);
  const msd_spring_def soft = coefficient(0.25, 0.125);
  msd_spring_def bad = soft;
  bad.ck = -2;
  const msd_range wrong[] = {{-1, 2}, {2, 2}, {0, -1}, {INT32_MAX, INT32_MAX}};
  cr_assert_eq(msd_springs_set_law(world, (msd_range){0, 3}, &bad), MSD_BAD_VALUE);
  cr_assert_eq(msd_springs_set_law(world, (msd_range){0, 3}, NULL), MSD_UNINITIALIZED_DEF);
  for (size_t n = 0; n < sizeof wrong / sizeof *wrong; n++)
    cr_assert_eq(msd_springs_set_law(world, wrong[n], &soft), MSD_BAD_INDEX, "range %zu", n);
  for (int32_t e = 0; e < 3; e++)
    cr_assert_eq(msd_spring_get_def(world, e).stiffness, (msd_real)(10 + e), "it is unchanged");
  ASSERT_OK(world, msd_springs_set_law(world, (msd_range){1, 2}, &soft));
  cr_assert_eq(msd_spring_get_def(world, 0).law, MSD_SPRING_STIFFNESS);
  for (int32_t e = 1; e < 3; e++) {
    const msd_spring_def now = msd_spring_get_def(world, e);
    cr_assert(now.law == MSD_SPRING_COEFFICIENT && now.ck == soft.ck && now.cd == soft.cd && now.a == e);
  }
  msd_destroy_world(world);
}

Test(spring, stretch_is_of_what_acts_and_has_a_rest_length) {
  msd_world *world = points((double[]){1, 1}, 2); /* 5 m apart */
  msd_spring_def def = physical(1, 0);
  def.rest_length = 4;
  join(world, def, 0, 1);
  def.mode = MSD_SPRING_TENSION_ONLY;
  def.rest_length = 10;
  join(world, def, 0, 1);
  def.mode = MSD_SPRING_COMPRESSION_ONLY;
  join(world, def, 0, 1);
  def.mode = MSD_SPRING_BOTH;
  def.rest_length = 0;
  join(world, def, 0, 1);
  const double expected[] = {0.25, 0, -0.5, 0};
  for (int32_t e = 0; e < 4; e++)
    cr_assert_float_eq(msd_spring_get_stretch(world, e), expected[e], 1e-6, "spring %d", (int)e);
  cr_assert_float_eq(msd_world_get_stats(world).max_stretch, 0.25, 1e-6);
  ASSERT_OK(world, msd_spring_break(world, 0));
  cr_assert(msd_spring_get_stretch(world, 0) == 0 && msd_spring_get_stretch(world, 4) == 0);
  msd_destroy_world(world);
}

Test(spring, a_broken_spring_keeps_its_index_and_pulls_no_more) {
  msd_world *world = points((double[]){1, 1, 1}, 3);
  msd_spring_def def = physical(10, 1);
  def.rest_length = 1;
  const int32_t first = join(world, def, 0, 1), second = join(world, def, 1, 2);
  ASSERT_OK(world, msd_world_step(world, (msd_real)0.01, 1));
  cr_assert(msd_spring_get_tension(world, first) > 0);
  for (int again = 0; again < 3; again++)
    ASSERT_OK(world, msd_spring_break(world, first));
  cr_assert(msd_spring_is_broken(world, first) && !msd_spring_is_broken(world, second));
  cr_assert_eq(msd_world_get_spring_count(world), 2);
  cr_assert_eq(msd_world_get_stats(world).broken, 1);
  cr_assert_eq(msd_spring_get_tension(world, first), 0);
  const msd_vec3 before = msd_particle_get_velocity(world, 0);
  ASSERT_OK(world, msd_spring_set_law(world, first, &def)); /* there is no way back */
  ASSERT_OK(world, msd_spring_set_rest_length(world, first, 2));
  ASSERT_OK(world, msd_world_step(world, (msd_real)0.01, 5));
  const msd_vec3 after = msd_particle_get_velocity(world, 0);
  cr_assert(before.x == after.x && before.y == after.y && before.z == after.z);
  cr_assert(msd_spring_is_broken(world, first));
  cr_assert_eq(msd_spring_break(world, 2), MSD_BAD_INDEX);
  cr_assert_not(msd_spring_is_broken(world, 2));
  msd_destroy_world(world);
}

/* ------------------------------------------------------------------------------------ tension and length */

Test(spring, tension_is_k_times_stretch_plus_mu_times_its_rate_and_pulls_when_positive) {
  msd_world *world = points((double[]){1, 1}, 2); /* (0,0,0) and (3,4,0) */
  msd_spring_def def = physical(10, 2);
  def.rest_length = 4;
  const int32_t spring = join(world, def, 0, 1);
  assert_near((double)msd_spring_get_tension(world, spring), 10, 4 * EPSILON, "tension");
  ASSERT_OK(world, msd_particle_set_velocity(world, 1, (msd_vec3){3, 4, 7})); /* parts at 5 m/s */
  assert_near((double)msd_spring_get_tension(world, spring), 20, 4 * EPSILON, "tension");
  ASSERT_OK(world, msd_particle_set_velocity(world, 0, (msd_vec3){6, 8, 0})); /* closes at 5 m/s */
  cr_assert(fabs((double)msd_spring_get_tension(world, spring)) <= 40 * EPSILON);
  ASSERT_OK(world, msd_spring_set_rest_length(world, spring, 6));
  assert_near((double)msd_spring_get_tension(world, spring), -20, 4 * EPSILON, "tension");
  cr_assert_eq(msd_spring_get_tension(world, 1), 0);
  cr_assert_eq(msd_spring_get_length(world, -1), 0);
  msd_destroy_world(world);
}

/* A tether pulls above its rest length, a strut pushes below it, and no damping turns them round. */
Test(spring, tension_of_a_tether_or_strut_has_the_sign_of_its_side) {
  for (int side = MSD_SPRING_TENSION_ONLY; side <= MSD_SPRING_COMPRESSION_ONLY; side++) {
    const double sign = side == MSD_SPRING_TENSION_ONLY ? 1 : -1;
    msd_world *world = points((double[]){1, 1}, 2); /* 5 m apart */
    msd_spring_def def = physical(10, 2);
    def.mode = (msd_spring_mode)side;
    def.rest_length = 5;
    const int32_t spring = join(world, def, 0, 1);
    cr_assert_eq(msd_spring_get_tension(world, spring), 0);
    ASSERT_OK(world, msd_spring_set_rest_length(world, spring, (msd_real)(5 + sign))); /* slack */
    cr_assert_eq(msd_spring_get_tension(world, spring), 0);
    ASSERT_OK(world, msd_particle_set_velocity(
                         world, 1, (msd_vec3){(msd_real)(6 * sign), (msd_real)(8 * sign), 0})); /* 10 m/s */
    cr_assert_eq(msd_spring_get_tension(world, spring), 0, "damping acts where the spring is slack");
    ASSERT_OK(world, msd_spring_set_rest_length(world, spring, (msd_real)(5 - sign)));
    assert_near((double)msd_spring_get_tension(world, spring), sign * 30, 4 * EPSILON, "tension");
    ASSERT_OK(world, msd_particle_set_velocity(world, 1,
                                               (msd_vec3){(msd_real)(-6 * sign), (msd_real)(-8 * sign), 0}));
    cr_assert_eq(msd_spring_get_tension(world, spring), 0, "damping turns the force round");
    msd_destroy_world(world);
  }
}

Test(spring, retuning_looks_at_no_side_and_changes_none) {
  msd_world *world = points((double[]){1, 1}, 2);
  msd_spring_def def = physical(10, 2);
  def.mode = MSD_SPRING_TENSION_ONLY;
  const int32_t spring = join(world, def, 0, 1);
  def.mode = (msd_spring_mode)77;
  def.stiffness = 5;
  ASSERT_OK(world, msd_spring_set_law(world, spring, &def));
  const msd_spring_def got = msd_spring_get_def(world, spring);
  cr_assert(got.mode == MSD_SPRING_TENSION_ONLY && got.stiffness == 5);
  msd_destroy_world(world);
}

/* The tension is the force that the step applies. */
Test(spring, the_step_applies_the_tension_to_both_ends) {
  msd_world *world = points((double[]){2, 4}, 2);
  msd_spring_def def = physical(20, 3);
  def.rest_length = 1;
  const int32_t spring = join(world, def, 1, 0);
  ASSERT_OK(world, msd_particle_set_velocity(world, 0, (msd_vec3){1, -1, 2}));
  const double pull = (double)msd_spring_get_tension(world, spring), dt = 0.015625;
  ASSERT_OK(world, msd_world_step(world, (msd_real)dt, 1));
  const msd_vec3 v0 = msd_particle_get_velocity(world, 0), v1 = msd_particle_get_velocity(world, 1);
  cr_assert(fabs((double)v0.x - (1 + dt * pull * 0.6 / 2)) < 8 * EPSILON);
  cr_assert(fabs((double)v0.y - (-1 + dt * pull * 0.8 / 2)) < 8 * EPSILON);
  cr_assert(fabs((double)v1.x + dt * pull * 0.6 / 4) < 8 * EPSILON);
  cr_assert(fabs((double)v1.y + dt * pull * 0.8 / 4) < 8 * EPSILON);
  msd_destroy_world(world);
}

Test(spring, in_one_place_the_length_is_zero_and_the_force_too) {
  msd_world *world = points((double[]){1, 1}, 2);
  ASSERT_OK(world, msd_particle_set_position(world, 1, (msd_vec3){0, 0, 0}));
  msd_spring_def def = physical(1000, 10);
  def.rest_length = 1;
  const int32_t spring = join(world, def, 0, 1);
  cr_assert_eq(msd_spring_get_length(world, spring), 0);
  cr_assert(isfinite(msd_spring_get_tension(world, spring)));
  ASSERT_OK(world, msd_world_step(world, (msd_real)0.01, 3));
  for (int32_t i = 0; i < 2; i++) {
    const msd_vec3 v = msd_particle_get_velocity(world, i);
    cr_assert(v.x == 0 && v.y == 0 && v.z == 0);
  }
  msd_destroy_world(world);
}

Test(spring, a_store_that_cannot_grow_stays_as_it_is) {
  memory m = {.allocator = memory_default_allocator(), .limit = SIZE_MAX};
  spring_store s = {0};
  cr_assert(spring_store_reserve(&s, &m, 100));
  const size_t used = m.used;
  s.count = 1;
  s.a[0] = 4;
  s.rest[0] = 5;
  m.limit = m.used + 500;
  cr_assert_not(spring_store_reserve(&s, &m, 100000));
  cr_assert_eq(m.used, used);
  m.limit = SIZE_MAX;
  cr_assert(spring_store_reserve(&s, &m, 100000));
  cr_assert(s.count == 1 && s.a[0] == 4 && s.rest[0] == 5);
  spring_store_free(&s, &m);
  cr_assert_eq(m.used, 0);
}

static void assert_law_counts(const msd_world *world) {
  int32_t counts[MSD_SPRING_LAW_COUNT] = {0};
  for (int32_t e = 0; e < msd_world_get_spring_count(world); e++)
    counts[msd_spring_get_def(world, e).law]++;
  for (int kind = 1; kind < MSD_SPRING_LAW_COUNT; kind++)
    cr_assert_eq(msd_world_get_law_count(world, (msd_spring_law)kind), counts[kind], "law %d", kind);
}

Test(spring, laws_are_counted_through_every_change) {
  static const double masses[] = {1, 1, 1, 1, 0};
  msd_world *world = points(masses, 5), *copy = NULL;
  for (int n = 0; n < 24; n++) {
    msd_spring_def def = msd_default_spring_def();
    def.law = (msd_spring_law)(1 + n % 4);
    def.mode = MSD_SPRING_TENSION_ONLY;
    join(world, def, n % 4, 4);
  }
  assert_law_counts(world);
  cr_expect_eq(msd_world_get_law_count(world, MSD_SPRING_COEFFICIENT), 6);
  msd_spring_def other = msd_default_spring_def();
  other.law = MSD_SPRING_FREQUENCY;
  ASSERT_OK(world, msd_spring_set_law(world, 0, &other));
  ASSERT_OK(world, msd_springs_set_law(world, (msd_range){4, 5}, &other));
  ASSERT_OK(world, msd_spring_break(world, 5));
  assert_law_counts(world);
  cr_assert_eq(msd_copy_world(world, &copy), MSD_OK);
  assert_law_counts(copy);
  static char snapshot[1 << 16];
  size_t size;
  ASSERT_OK(world, msd_world_save(world, snapshot, sizeof snapshot, &size));
  ASSERT_OK(world, msd_spring_set_law(world, 1, &other));
  ASSERT_OK(world, msd_world_restore(world, snapshot, size));
  assert_law_counts(world);
  cr_expect_eq(msd_world_get_law_count(world, MSD_SPRING_LAW_COUNT), 0);
  cr_expect_eq(msd_world_get_law_count(NULL, MSD_SPRING_STIFFNESS), 0);
  msd_destroy_world(copy);
  msd_destroy_world(world);
}

/* A cloth and its tethers, which a builder adds by batches; every other kind of pattern. */
static msd_world *tethered_cloth(msd_spring_law kind) {
  msd_world_def world_def = msd_default_world_def();
  msd_world *world = world_from_def(&world_def);
  msd_cloth_def cloth = msd_default_cloth_def();
  cloth.columns = 9;
  cloth.rows = 7;
  cloth.shear = cloth.stretch;
  msd_body body;
  ASSERT_OK(world, msd_add_cloth(world, &cloth, &body));
  ASSERT_OK(world, msd_particle_pin(world, 0));
  ASSERT_OK(world, msd_particle_pin(world, 8));
  msd_tethers_def tethers = msd_default_tethers_def();
  tethers.particles = body.particles;
  tethers.spring.law = kind;
  ASSERT_OK(world, msd_add_tethers(world, &tethers, NULL));
  return world;
}

Test(spring, springs_of_a_builder_are_counted_as_those_that_are_added_one_by_one) {
  static const msd_spring_law kinds[] = {MSD_SPRING_COEFFICIENT, MSD_SPRING_HARD_LIMIT};
  for (int n = 0; n < 2; n++) {
    msd_world *built = tethered_cloth(kinds[n]);
    msd_world_def world_def = msd_default_world_def();
    msd_world *added = world_from_def(&world_def);
    const int32_t particles = built->model.particles.count;
    for (int32_t i = 0; i < particles; i++) {
      const msd_particle_def def = msd_particle_get_def(built, i);
      ASSERT_OK(added, msd_add_particles(added, &def, 1, NULL));
    }
    for (int32_t e = 0; e < built->model.springs.count; e++) {
      const msd_spring_def def = msd_spring_get_def(built, e);
      ASSERT_OK(added, msd_add_springs(added, &def, 1, NULL));
    }
    const spring_store *a = &built->model.springs, *b = &added->model.springs;
    cr_expect_gt(a->one_sided, 0);
    cr_expect_eq(a->one_sided, b->one_sided);
    cr_expect_eq(a->hard_limits > 0, kinds[n] == MSD_SPRING_HARD_LIMIT);
    cr_expect_eq(a->hard_limits, b->hard_limits);
    cr_expect_arr_eq(a->of_law, b->of_law, sizeof a->of_law);
    cr_expect_arr_eq(a->side, b->side, (size_t)a->count);
    cr_expect_arr_eq(built->model.particles.valence, added->model.particles.valence,
                     (size_t)particles * sizeof *added->model.particles.valence);
    msd_destroy_world(built);
    msd_destroy_world(added);
  }
}
