/* The world: settings, divergence, messages, the log, and memory. */
#include "tests/support/rebuilt.h"
#include "tests/support/scarce_memory.h"

#include <float.h>
#include <math.h>

static const bool IS_DOUBLE = sizeof(msd_real) == sizeof(double);

/* --------------------------------------------------------------------------------------- making a world */

Test(world, a_default_world_is_empty_and_has_earth_gravity) {
  const msd_world_def def = msd_default_world_def();
  msd_world *world = world_from_def(&def);
  const msd_vec3 g = msd_world_get_gravity(world);
  cr_assert(g.x == 0 && g.y == (msd_real)-9.81 && g.z == 0);
  cr_assert_eq(msd_world_get_linear_damping(world), 0);
  cr_assert_eq(msd_world_get_integrator(world), MSD_SYMPLECTIC_EULER);
  cr_assert_eq(msd_world_get_clamp_stiffness(world), false);
  cr_assert_eq(msd_world_get_particle_count(world), 0);
  cr_assert_eq(msd_world_get_spring_count(world), 0);
  cr_assert_eq(msd_world_get_time(world), 0);
  cr_assert_eq(msd_world_get_steps(world), 0);
  cr_assert_str_eq(msd_world_message(world), "");
  cr_assert_eq(msd_world_get_thread_count(world), 1);
  msd_destroy_world(world);
  msd_destroy_world(NULL);
}

static void release_nothing(void *block, void *context) {
  (void)block, (void)context;
}

Test(world, definitions_out_of_range_make_no_world) {
  msd_world_def def = msd_default_world_def();
  const struct {
    size_t offset, size;
    double value; /* of a real */
    int number;   /* of an int or enum */
    msd_result result;
  } cases[] = {
      {offsetof(msd_world_def, gravity.y), sizeof(msd_real), NAN, 0, MSD_BAD_VALUE},
      {offsetof(msd_world_def, gravity.x), sizeof(msd_real), INFINITY, 0, MSD_BAD_VALUE},
      {offsetof(msd_world_def, linear_damping), sizeof(msd_real), -1, 0, MSD_BAD_VALUE},
      {offsetof(msd_world_def, linear_damping), sizeof(msd_real), INFINITY, 0, MSD_BAD_VALUE},
      {offsetof(msd_world_def, integrator), 0, 0, MSD_INTEGRATOR_COUNT, MSD_BAD_VALUE},
      {offsetof(msd_world_def, integrator), 0, 0, -1, MSD_BAD_VALUE},
      {offsetof(msd_world_def, simd), 0, 0, MSD_SIMD_COUNT, MSD_BAD_VALUE},
      {offsetof(msd_world_def, thread_count), 0, 0, -1, MSD_BAD_VALUE},
      {offsetof(msd_world_def, thread_count), 0, 0, 257, MSD_BAD_VALUE},
      {offsetof(msd_world_def, cookie), 0, 0, 0, MSD_UNINITIALIZED_DEF},
  };
  for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
    msd_world_def bad = def;
    const msd_real value = (msd_real)cases[c].value;
    memcpy((char *)&bad + cases[c].offset,
           cases[c].size ? (const void *)&value : (const void *)&cases[c].number,
           cases[c].size ? sizeof value : sizeof cases[c].number);
    msd_world *world = (msd_world *)(uintptr_t)64;
    cr_assert_eq(msd_create_world(&bad, &world), cases[c].result, "case %zu", c);
    cr_assert_null(world);
  }
  msd_world *world = (msd_world *)(uintptr_t)64;
  def.allocator.release = release_nothing;
  cr_assert_eq(msd_create_world(&def, &world), MSD_BAD_VALUE, "an allocator that only releases");
  cr_assert_null(world);
  cr_assert_eq(msd_create_world(NULL, &world), MSD_UNINITIALIZED_DEF);
  def = msd_default_world_def();
  cr_assert_eq(msd_create_world(&def, NULL), MSD_BAD_VALUE);
}

Test(world, settings_are_kept_and_bad_ones_refused) {
  const msd_world_def def = msd_default_world_def();
  msd_world *world = world_from_def(&def);
  ASSERT_OK(world, msd_world_set_gravity(world, vec(1, 2, 3)));
  ASSERT_OK(world, msd_world_set_linear_damping(world, (msd_real)0.5));
  ASSERT_OK(world, msd_world_set_integrator(world, MSD_RK4));
  ASSERT_OK(world, msd_world_set_clamp_stiffness(world, true));
  ASSERT_OK(world, msd_world_set_thread_count(world, 256));
  ASSERT_OK(world, msd_world_set_simd(world, MSD_SIMD_128));
  cr_assert_str_eq(msd_world_message(world), "");
  cr_assert_eq(msd_world_set_gravity(world, vec(0, NAN, 0)), MSD_BAD_VALUE);
  cr_assert_eq(msd_world_set_linear_damping(world, -1), MSD_BAD_VALUE);
  cr_assert(strstr(msd_world_message(world), "linear_damping") && strstr(msd_world_message(world), "-1"),
            "%s", msd_world_message(world));
  cr_assert_eq(msd_world_set_linear_damping(world, (msd_real)INFINITY), MSD_BAD_VALUE);
  cr_assert_eq(msd_world_set_integrator(world, MSD_INTEGRATOR_COUNT), MSD_BAD_VALUE);
  cr_assert_eq(msd_world_set_thread_count(world, -1), MSD_BAD_VALUE);
  cr_assert_eq(msd_world_set_thread_count(world, 257), MSD_BAD_VALUE);
  cr_assert_eq(msd_world_set_simd(world, MSD_SIMD_COUNT), MSD_BAD_VALUE);
  cr_assert(strstr(msd_world_message(world), "simd"));
  const msd_vec3 g = msd_world_get_gravity(world);
  cr_assert(g.x == 1 && g.y == 2 && g.z == 3);
  cr_assert(msd_world_get_linear_damping(world) == (msd_real)0.5 &&
            msd_world_get_integrator(world) == MSD_RK4 && msd_world_get_clamp_stiffness(world));
  msd_destroy_world(world);
}

Test(world, no_world_is_refused_everywhere) {
  cr_assert_eq(msd_world_step(NULL, 1, 1), MSD_BAD_VALUE);
  cr_assert_eq(msd_world_set_gravity(NULL, vec(0, 0, 0)), MSD_BAD_VALUE);
  cr_assert_eq(msd_world_set_linear_damping(NULL, 0), MSD_BAD_VALUE);
  cr_assert_eq(msd_add_particles(NULL, NULL, 0, NULL), MSD_BAD_VALUE);
  cr_assert_eq(msd_add_springs(NULL, NULL, 0, NULL), MSD_BAD_VALUE);
  cr_assert_eq(msd_world_get_particle_count(NULL), 0);
  cr_assert_eq(msd_world_get_steps(NULL), 0);
  cr_assert_str_eq(msd_world_message(NULL), "");
  cr_assert_eq(msd_world_get_positions(NULL).count, 0);
  cr_assert_eq(msd_world_get_stats(NULL).particles, 0);
}

/* --------------------------------------------------------------------------------------------- stepping */

Test(world, an_empty_world_steps_through_time) {
  const msd_world_def def = msd_default_world_def();
  msd_world *world = world_from_def(&def);
  ASSERT_OK(world, msd_world_step(world, (msd_real)0.5, 4));
  ASSERT_OK(world, msd_world_step(world, (msd_real)0.25, 0));
  cr_assert_eq(msd_world_get_time(world), 0.75);
  cr_assert_eq(msd_world_get_steps(world), 5);
  msd_destroy_world(world);
}

Test(world, steps_that_lead_nowhere_are_refused) {
  const msd_world_def def = msd_default_world_def();
  msd_world *world = world_from_def(&def);
  const msd_real bad[] = {0, -1, (msd_real)NAN, (msd_real)INFINITY};
  for (int i = 0; i < 4; i++)
    cr_assert_eq(msd_world_step(world, bad[i], 1), MSD_BAD_FRAME_TIME);
  cr_assert_eq(msd_world_step(world, 1, -1), MSD_BAD_FRAME_TIME);
  cr_assert_eq(msd_world_step(world, IS_DOUBLE ? (msd_real)5e-324 : (msd_real)1.5e-45, 1000),
               MSD_BAD_FRAME_TIME);
  cr_assert_eq(msd_world_get_steps(world), 0);
  cr_assert_eq(msd_world_get_time(world), 0);
  msd_destroy_world(world);
}

static msd_world *swinging_cloth(void) {
  graph g = graph_cloth(14, 11, CLOTH_BEND);
  msd_world *world = world_of(&g, &(making){LAWS_MIXED, .seed = 1, .pins = true});
  graph_free(&g);
  return world;
}

Test(world, automatic_substeps_are_those_of_the_report) {
  msd_world *automatic = swinging_cloth(), *by_hand = swinging_cloth();
  msd_stability told;
  int32_t substeps = 0;
  ASSERT_OK(automatic, msd_world_find_substeps(automatic, (msd_real)0.125, &substeps));
  ASSERT_OK(by_hand, msd_world_analyze_stability(by_hand, (msd_real)0.125, &told));
  cr_assert(told.substeps > 1 && substeps == told.substeps, "%d and %d", told.substeps, (int)substeps);
  ASSERT_OK(automatic, msd_world_step(automatic, (msd_real)0.125, 0));
  ASSERT_OK(by_hand, msd_world_step(by_hand, (msd_real)0.125, told.substeps));
  cr_assert_eq(msd_world_get_steps(automatic), told.substeps);
  cr_assert_eq(msd_world_hash(automatic), msd_world_hash(by_hand));
  msd_destroy_world(automatic);
  msd_destroy_world(by_hand);
}

/* Before a step and after it, when the world remembers its limit; and never an old one. */
Test(world, the_substeps_that_are_found_are_those_that_a_step_takes) {
  msd_world *world = swinging_cloth();
  for (int round = 0; round < 6; round++) {
    int32_t found = -1;
    ASSERT_OK(world, msd_world_find_substeps(world, (msd_real)0.125, &found));
    const int64_t before = msd_world_get_steps(world);
    ASSERT_OK(world, msd_world_step(world, (msd_real)0.125, 0));
    cr_assert_eq(msd_world_get_steps(world) - before, found, "round %d", round);
    if (round == 1)
      ASSERT_OK(world, msd_world_scale_stiffness(world, 9));
    if (round == 2)
      ASSERT_OK(world, msd_world_set_integrator(world, MSD_RK4));
    if (round == 3)
      ASSERT_OK(world, msd_world_set_integrator(world, MSD_SYMPLECTIC_EULER));
    if (round == 4)
      ASSERT_OK(world, msd_world_set_clamp_stiffness(world, true));
  }
  int32_t found = -1;
  ASSERT_OK(world, msd_world_find_substeps(world, (msd_real)0.125, &found));
  cr_assert_eq(found, 1, "the limit");
  msd_destroy_world(world);
}

Test(world, a_copy_goes_on_with_the_same_bits_and_knows_nothing_of_the_other) {
  msd_world *world = swinging_cloth(), *copy = NULL;
  ASSERT_OK(world, msd_world_set_thread_count(world, 1));
  ASSERT_OK(world, msd_world_step(world, (msd_real)0.1, 7));
  cr_assert_eq(msd_copy_world(world, &copy), MSD_OK);
  cr_assert_eq(msd_world_hash(copy), msd_world_hash(world));
  cr_assert(msd_world_get_time(copy) == msd_world_get_time(world) && msd_world_get_thread_count(copy) == 1);
  const uint64_t before = msd_world_hash(world);
  ASSERT_OK(copy, msd_world_step(copy, (msd_real)0.1, 7));
  cr_assert_eq(msd_world_hash(world), before);
  ASSERT_OK(world, msd_world_step(world, (msd_real)0.1, 7));
  cr_assert_eq(msd_world_hash(copy), msd_world_hash(world));
  msd_destroy_world(world);
  msd_destroy_world(copy);
  copy = (msd_world *)&copy;
  cr_assert_eq(msd_copy_world(NULL, &copy), MSD_BAD_VALUE);
  cr_assert_null(copy);
}

/* -------------------------------------------------------------------------------------------- divergence */

typedef struct record {
  char lines[8][256];
  int count;
} record;

static void keep_line(const char *message, void *context) {
  record *r = context;
  if (r->count < 8)
    snprintf(r->lines[r->count], sizeof r->lines[0], "%s", message);
  r->count++;
}

Test(world, a_step_that_diverges_keeps_the_last_finite_state_and_names_the_lowest_particle) {
  const msd_real most = IS_DOUBLE ? (msd_real)DBL_MAX : (msd_real)FLT_MAX;
  for (int threads = 1; threads < 4; threads++) {
    record log = {.count = 0};
    msd_world_def def = msd_default_world_def();
    def.gravity = vec(0, 0, 0);
    def.thread_count = threads;
    def.log = keep_line;
    def.log_context = &log;
    msd_world *world = world_from_def(&def);
    for (int i = 0; i < 3000; i++) {
      msd_particle_def particle = msd_default_particle_def();
      particle.position.x = (msd_real)i;
      particle.velocity.x = 1;
      if (i == 1234 || i == 77 || i == 2999)
        particle.velocity.y = most;
      ASSERT_OK(world, msd_add_particles(world, &particle, 1, NULL));
    }
    ASSERT_OK(world, msd_particle_set_position(world, 2999, (msd_vec3){0, most, 0}));
    ASSERT_OK(world, msd_particle_set_position(world, 77, (msd_vec3){0, most / 2, 0}));
    /* Substeps of 1/4 s: 2999 is out at once. */
    cr_assert_eq(msd_world_step(world, 2, 8), MSD_DIVERGED);
    cr_assert(strstr(msd_world_message(world), "particle 2999 "), "%s", msd_world_message(world));
    cr_assert_eq(msd_world_get_steps(world), 0);
    cr_assert_eq(msd_particle_get_position(world, 5).x, 5);
    ASSERT_OK(world, msd_particle_set_velocity(world, 2999, vec(0, 0, 0)));
    /* 77 after the second substep (1/2 + 3/4), 1234 after the fourth. */
    cr_assert_eq(msd_world_step(world, 2, 8), MSD_DIVERGED);
    cr_assert(strstr(msd_world_message(world), "particle 77 "), "%s", msd_world_message(world));
    cr_assert_eq(msd_world_get_steps(world), 2, "%lld", (long long)msd_world_get_steps(world));
    cr_assert_eq(msd_world_get_time(world), 0.5);
    for (int32_t i = 0; i < 3000; i++) {
      const msd_vec3 x = msd_particle_get_position(world, i);
      cr_assert(isfinite(x.x) && isfinite(x.y) && isfinite(x.z), "particle %d", i);
    }
    cr_assert_eq(msd_particle_get_position(world, 5).x, (msd_real)5.5);
    cr_assert_eq(log.count, 2);
    cr_assert_str_eq(log.lines[1], msd_world_message(world));
    /* Both at once: the lower. */
    ASSERT_OK(world, msd_particle_set_position(world, 1234, (msd_vec3){0, most, 0}));
    cr_assert_eq(msd_world_step(world, 2, 8), MSD_DIVERGED);
    cr_assert(strstr(msd_world_message(world), "particle 77 "), "%s", msd_world_message(world));
    msd_destroy_world(world);
  }
}

/* Irregular networks stand in memory in another order; the name is the user's index all the same. */
Test(world, the_particle_that_diverged_is_named_by_its_index_in_irregular_networks_too) {
  const msd_real most = IS_DOUBLE ? (msd_real)DBL_MAX : (msd_real)FLT_MAX;
  graph g = graph_shuffled(graph_cloth(30, 30, CLOTH_BEND), 2);
  for (int32_t i = 3; i < g.particles; i += 111) {
    msd_world *world = world_of(&g, &(making){LAWS_PHYSICAL, .soften = 8});
    step(world, 1);
    for (int32_t s = 0; s < g.springs; s++)
      if (g.a[s] == i || g.b[s] == i)
        ASSERT_OK(world, msd_spring_break(world, s));
    ASSERT_OK(world, msd_particle_set_position(world, i, (msd_vec3){0, 0, most}));
    ASSERT_OK(world, msd_particle_set_velocity(world, i, (msd_vec3){0, 0, most}));
    cr_assert_eq(msd_world_step(world, (msd_real)0.25, 1), MSD_DIVERGED);
    char name[32];
    snprintf(name, sizeof name, "particle %d ", i);
    cr_assert(strstr(msd_world_message(world), name), "%s: %s", name, msd_world_message(world));
    msd_destroy_world(world);
  }
  graph_free(&g);
}

/* Nothing of the failed substep is left in any working memory: it goes on like a new one. */
static void assert_recovers(graph g, msd_integrator integrator, int threads) {
  msd_world *world = world_of(&g, &(making){LAWS_PHYSICAL, .seed = 1, .pins = true});
  ASSERT_OK(world, msd_world_set_integrator(world, integrator));
  ASSERT_OK(world, msd_world_set_thread_count(world, threads));
  msd_result result = MSD_OK;
  for (int n = 0; n < 2000 && result == MSD_OK; n++)
    result = msd_world_step(world, 1, 1);
  cr_assert_eq(result, MSD_DIVERGED);
  for (int32_t i = 0; i < g.particles; i++) {
    const msd_vec3 x = msd_particle_get_position(world, i), v = msd_particle_get_velocity(world, i);
    cr_assert(isfinite(x.x) && isfinite(x.y) && isfinite(x.z));
    cr_assert(isfinite(v.x) && isfinite(v.y) && isfinite(v.z));
    ASSERT_OK(world, msd_particle_set_position(world, i, g.at[i]));
    ASSERT_OK(world, msd_particle_set_velocity(world, i, vec(0, 0, 0)));
  }
  assert_goes_on_like_new("after divergence", world);
  msd_destroy_world(world);
  graph_free(&g);
}

Test(world, a_world_that_diverged_goes_on_when_it_is_helped) {
  for (int integrator = 0; integrator < MSD_INTEGRATOR_COUNT; integrator++)
    for (int threads = 1; threads < 4; threads++) {
      assert_recovers(graph_cloth(10, 10, CLOTH_SHEAR), (msd_integrator)integrator, threads);
      assert_recovers(graph_cloth(50, 40, CLOTH_BEND), (msd_integrator)integrator, threads);
      assert_recovers(graph_random(200, 700, 1), (msd_integrator)integrator, threads);
    }
}

Test(world, a_pin_sent_further_than_numbers_reach_diverges_and_stays) {
  const msd_real most = IS_DOUBLE ? (msd_real)1.7e308 : (msd_real)3.3e38;
  const msd_world_def def = msd_default_world_def();
  msd_world *world = world_from_def(&def);
  msd_particle_def particle = msd_default_particle_def();
  particle.pinned = true;
  particle.position.x = -most;
  ASSERT_OK(world, msd_add_particles(world, &particle, 1, NULL));
  ASSERT_OK(world, msd_particle_move_to(world, 0, (msd_vec3){most, 0, 0}));
  cr_assert_eq(msd_world_step(world, (msd_real)0.01, 2), MSD_DIVERGED);
  const msd_vec3 x = msd_particle_get_position(world, 0), v = msd_particle_get_velocity(world, 0);
  cr_assert_eq(x.x, -most);
  cr_assert(v.x == 0 && v.y == 0 && v.z == 0, "it moves at (%g, %g, %g)", (double)v.x, (double)v.y,
            (double)v.z);
  ASSERT_OK(world, msd_world_step(world, (msd_real)0.01, 2));
  msd_destroy_world(world);
}

/* -------------------------------------------------------------------------------------- messages and log */

Test(world, every_failure_has_one_line_for_the_log_and_for_the_caller) {
  record log = {.count = 0};
  msd_world_def def = msd_default_world_def();
  def.log = keep_line;
  def.log_context = &log;
  msd_world *world = world_from_def(&def);
  msd_particle_def particle = msd_default_particle_def();
  ASSERT_OK(world, msd_add_particles(world, &particle, 1, NULL));
  ASSERT_OK(world, msd_world_step(world, 1, 1));
  cr_assert_eq(log.count, 0, "a success is no news: %s", log.lines[0]);
  cr_assert_eq(msd_particle_set_mass(world, 5, 1), MSD_BAD_INDEX);
  cr_assert(strstr(msd_world_message(world), "5"));
  particle.mass = -3;
  cr_assert_eq(msd_add_particles(world, &particle, 1, NULL), MSD_BAD_VALUE);
  cr_assert(strstr(msd_world_message(world), "-3"), "%s", msd_world_message(world));
  cr_assert_eq(msd_world_step(world, -7, 1), MSD_BAD_FRAME_TIME);
  cr_assert(strstr(msd_world_message(world), "-7"));
  cr_assert_eq(log.count, 3);
  for (int i = 0; i < 3; i++)
    cr_assert(strlen(log.lines[i]) > 10 && !strchr(log.lines[i], '\n'), "%s", log.lines[i]);
  cr_assert_str_eq(log.lines[2], msd_world_message(world));
  /* It is the last failure's, until another. */
  ASSERT_OK(world, msd_world_step(world, 1, 1));
  cr_assert_str_eq(log.lines[2], msd_world_message(world));
  msd_destroy_world(world);
}

Test(world, negative_counts_and_missing_definitions_are_refused) {
  const msd_world_def def = msd_default_world_def();
  msd_world *world = world_from_def(&def);
  const msd_particle_def particle = msd_default_particle_def();
  const msd_spring_def spring = msd_default_spring_def();
  cr_assert_eq(msd_add_particles(world, &particle, -1, NULL), MSD_BAD_VALUE);
  cr_assert_eq(msd_add_particles(world, NULL, 1, NULL), MSD_BAD_VALUE);
  cr_assert_eq(msd_add_springs(world, &spring, INT32_MIN, NULL), MSD_BAD_VALUE);
  cr_assert_eq(msd_add_springs(world, NULL, 2, NULL), MSD_BAD_VALUE);
  msd_destroy_world(world);
}

/* ----------------------------------------------------------------------------------------------- memory */

Test(world, a_world_over_its_memory_limit_says_so_and_stays_as_it_was) {
  msd_world_def def = msd_default_world_def();
  def.memory_limit = 1 << 20;
  msd_world *world = world_from_def(&def);
  msd_particle_def *particles = malloc(20000 * sizeof *particles);
  cr_assert_not_null(particles);
  for (int i = 0; i < 20000; i++)
    particles[i] = msd_default_particle_def();
  int32_t added = 0;
  msd_result result = MSD_OK;
  for (int n = 0; n < 400 && result == MSD_OK; n++) {
    result = msd_add_particles(world, particles, 50, NULL);
    if (result == MSD_OK)
      added += 50;
  }
  cr_assert_eq(result, MSD_TOO_LARGE, "%s: %s", msd_result_string(result), msd_world_message(world));
  cr_assert_eq(msd_world_get_particle_count(world), added);
  cr_assert(added >= 3000, "only %d particles fit in 1 MiB", added);
  cr_assert_eq(msd_add_particles(world, particles, 20000, NULL), MSD_TOO_LARGE);
  cr_assert(strstr(msd_world_message(world), "GB"), "%s", msd_world_message(world));
  cr_assert(msd_world_get_stats(world).bytes <= (1 << 20) + 4096);
  free(particles);
  msd_destroy_world(world);
}

static msd_result build_and_step(msd_world *world, const graph *g) {
  msd_particle_def particle = msd_default_particle_def();
  msd_result result = MSD_OK;
  for (int32_t i = 0; i < g->particles && result == MSD_OK; i++) {
    particle.position = g->at[i];
    particle.pinned = i == 0;
    result = msd_add_particles(world, &particle, 1, NULL);
  }
  msd_spring_def spring = msd_default_spring_def();
  spring.stiffness = 10;
  for (int32_t s = 0; s < g->springs && result == MSD_OK; s++) {
    spring.a = g->a[s];
    spring.b = g->b[s];
    result = msd_add_springs(world, &spring, 1, NULL);
  }
  if (result == MSD_OK)
    result = msd_particle_move_to(world, 0, vec(0, 1, 0));
  if (result == MSD_OK)
    result = msd_particle_apply_force(world, 1, vec(0, 1, 0));
  if (result == MSD_OK)
    result = msd_world_step(world, (msd_real)0.01, 0);
  if (result == MSD_OK)
    result = msd_world_set_integrator(world, MSD_RK4);
  if (result == MSD_OK)
    result = msd_world_step(world, (msd_real)0.01, 2);
  msd_stability told;
  if (result == MSD_OK)
    result = msd_world_analyze_stability(world, (msd_real)0.01, &told);
  return result;
}

/* Each request for memory fails once; the world says so, and is whole: with memory it goes on. */
Test(world, without_memory_at_any_moment_a_call_fails_and_the_world_is_whole) {
  graph g = graph_cloth(7, 7, CLOTH_BEND);
  bool done = false;
  for (int left = 0; !done; left++) {
    cr_assert(left < 1000);
    scarce s = {.left = left};
    msd_world_def def = msd_default_world_def();
    def.allocator = scarce_allocator(&s);
    msd_world *world;
    const msd_result made = msd_create_world(&def, &world);
    if (made != MSD_OK) {
      cr_assert(made == MSD_OUT_OF_MEMORY && world == NULL && s.in_use == 0);
      continue;
    }
    const msd_result result = build_and_step(world, &g);
    done = result == MSD_OK;
    cr_assert(done || result == MSD_OUT_OF_MEMORY, "request %d: %s", left, msd_result_string(result));
    s.left = INT32_MAX;
    ASSERT_OK(world, msd_world_step(world, (msd_real)0.01, 2));
    msd_destroy_world(world);
    cr_assert_eq(s.in_use, 0, "request %d: %d blocks leak", left, s.in_use);
  }
  graph_free(&g);
}

/* 160 bytes a particle and 32 a spring, at the precision of the format's 4-byte reals. */
Test(world, a_large_cloth_takes_few_bytes) {
  graph g = graph_cloth(200, 200, CLOTH_BEND);
  msd_world *world = world_of(&g, &(making){.laws = LAWS_PHYSICAL});
  ASSERT_OK(world, msd_world_step(world, (msd_real)0.001, 1));
  const double bytes = (double)msd_world_get_stats(world).bytes;
  const double allowed = (160.0 * g.particles + 32.0 * g.springs) * (IS_DOUBLE ? 2 : 1);
  cr_assert(bytes <= allowed, "%g bytes for %d particles and %d springs; %g are allowed", bytes, g.particles,
            g.springs, allowed);
  msd_destroy_world(world);
  graph_free(&g);
}

Test(world, two_worlds_know_nothing_of_each_other) {
  msd_world *one = swinging_cloth(), *other = swinging_cloth(), *alone = swinging_cloth();
  for (int n = 0; n < 5; n++) {
    step(one, 3);
    if (n == 2)
      ASSERT_OK(other, msd_spring_break(other, 7));
    step(other, 2);
    step(alone, 3);
  }
  cr_assert_eq(msd_world_hash(one), msd_world_hash(alone));
  cr_assert_neq(msd_world_hash(one), msd_world_hash(other));
  msd_destroy_world(one);
  msd_destroy_world(other);
  msd_destroy_world(alone);
}
