/* Worlds so large that several substeps pass through them at once: as the same world substep by substep. */
#include "tests/support/kernels.h"

#include <float.h>

#ifdef MSD_DOUBLE
static const msd_real LARGEST = DBL_MAX;
#else
static const msd_real LARGEST = FLT_MAX;
#endif

enum { SUBSTEPS = 8 };

/* Takes that many substeps in one call, or each in its own; pin 0 goes at 1 m/s if it moves. */
static msd_result go(msd_world *world, int substeps, bool one_by_one, bool moves) {
  const int each = one_by_one ? 1 : substeps;
  msd_result result = MSD_OK;
  for (int n = 0; n < substeps && result == MSD_OK; n += each) {
    for (int32_t i = 5; i < msd_world_get_particle_count(world); i += 997)
      ASSERT_OK(world, msd_particle_apply_force(world, i, (msd_vec3){0, 0, (msd_real)(i % 7) / 1024}));
    const msd_real z = (msd_real)(msd_world_get_steps(world) + each) / 1024;
    if (moves)
      ASSERT_OK(world, msd_particle_move_to(world, 0, (msd_vec3){0, 0, z}));
    result = msd_world_step(world, (msd_real)each / 1024, each);
  }
  return result;
}

/* An even and an odd number of substeps end in other slabs; and between them a particle more is added, for
   which all slabs have to grow. */
static void go_twice(msd_world *world, bool one_by_one, bool moves) {
  const msd_particle_def particle = msd_default_particle_def();
  ASSERT_OK(world, go(world, SUBSTEPS, one_by_one, moves));
  ASSERT_OK(world, msd_add_particles(world, &particle, 1, NULL));
  ASSERT_OK(world, go(world, SUBSTEPS - 1, one_by_one, moves));
}

static msd_world *quiet_world(int threads) {
  msd_world_def def = msd_default_world_def();
  def.thread_count = threads;
  def.linear_damping = (msd_real)0.5;
  return world_from_def(&def);
}

/* Larger than the caches, so that several substeps in one pass pay; of whole groups to a row, so that tethers
   have held rows. */
enum { SIDE = 448, ROPES = 250, PER_ROPE = 1000 };

/* Some particles of the upper border are pinned. */
static msd_world *large_cloth(int threads) {
  msd_world *world = quiet_world(threads);
  msd_cloth_def def = msd_default_cloth_def();
  def.columns = def.rows = SIDE;
  def.shear = def.stretch;
  ASSERT_OK(world, msd_add_cloth(world, &def, NULL));
  for (int32_t i = 0; i < SIDE; i += 8)
    ASSERT_OK(world, msd_particle_pin(world, i));
  return world;
}

static msd_world *large_tethered_cloth(int threads) {
  msd_world *world = large_cloth(threads);
  msd_spring_def tether = msd_default_spring_def();
  tether.law = MSD_SPRING_COEFFICIENT;
  tether.mode = MSD_SPRING_TENSION_ONLY;
  tether.rest_length = (msd_real)0.75;
  for (tether.a = (SIDE - 60) * SIDE; tether.a < (SIDE - 50) * SIDE; tether.a++) {
    tether.b = tether.a % SIDE / 8 * 8;
    ASSERT_OK(world, msd_add_springs(world, &tether, 1, NULL));
  }
  return world;
}

static msd_world *many_ropes(int threads) {
  msd_world *world = quiet_world(threads);
  msd_rope_def def = msd_default_rope_def();
  def.particles = PER_ROPE;
  def.bend = def.stretch;
  for (int n = 0; n < ROPES; n++) {
    def.from.z = def.to.z = (msd_real)n;
    ASSERT_OK(world, msd_add_rope(world, &def, NULL));
  }
  ASSERT_OK(world, msd_particle_pin(world, 0));
  return world;
}

/* A rope with so many springs of no pattern besides that the state is kept as records; slots stay as they
   are. */
static msd_world *knitted_ropes(int threads) {
  enum { PER_PARTICLE = 3, REACH = 200 };
  msd_world *world = quiet_world(threads);
  msd_rope_def rope = msd_default_rope_def();
  rope.particles = 100000;
  rope.to.x = 100;
  ASSERT_OK(world, msd_add_rope(world, &rope, NULL));
  msd_spring_def *defs = calloc((size_t)rope.particles * PER_PARTICLE, sizeof *defs);
  cr_assert_not_null(defs);
  generator random = {.state = 1};
  int springs = 0;
  for (int32_t i = 0; i + REACH < rope.particles; i++)
    for (int n = 0; n < PER_PARTICLE; n++) {
      defs[springs] = msd_default_spring_def();
      defs[springs].law = MSD_SPRING_COEFFICIENT;
      defs[springs].a = i;
      defs[springs++].b = i + 1 + random_below(&random, REACH);
    }
  ASSERT_OK(world, msd_add_springs(world, defs, springs, NULL));
  world->model.layout_is_fixed = true;
  free(defs);
  return world;
}

/* Several substeps in one pass need a spare slab, but for those through records. */
static bool has_blocked(const msd_world *world) {
  return world->model.particles.spare_slab;
}

typedef msd_world *maker(int threads);

static void assert_calls_make_no_difference(maker *make, bool moves, bool blocks) {
  msd_world *single = make(2);
  go_twice(single, true, moves);
  cr_assert(!has_blocked(single));
  for (int threads = 1; threads <= 2; threads++) {
    msd_world *world = make(threads);
    go_twice(world, false, moves);
    cr_assert_eq(has_blocked(world), blocks);
    cr_assert(first_difference(single, world) < 0, "%d threads: particle %d", threads,
              first_difference(single, world));
    cr_expect_eq(msd_world_hash(world), msd_world_hash(single));
    cr_expect_eq(msd_world_get_time(world), msd_world_get_time(single));
    cr_expect_eq(msd_world_get_steps(world), msd_world_get_steps(single));
    msd_destroy_world(world);
  }
  msd_destroy_world(single);
}

Test(temporal_blocking_world, a_large_cloth_steps_alike_in_one_call_and_in_many) {
  assert_calls_make_no_difference(large_cloth, true, true);
}

static msd_world *small_cloth(int threads) {
  msd_world *world = quiet_world(threads);
  msd_cloth_def def = msd_default_cloth_def();
  def.columns = def.rows = SIDE / 2;
  def.shear = def.stretch;
  ASSERT_OK(world, msd_add_cloth(world, &def, NULL));
  ASSERT_OK(world, msd_particle_pin(world, 0));
  return world;
}

Test(temporal_blocking_world, a_cloth_that_fits_in_the_caches_goes_through_memory_in_every_substep) {
  assert_calls_make_no_difference(small_cloth, true, false);
}

Test(temporal_blocking_world, many_ropes_step_alike_in_one_call_and_in_many) {
  assert_calls_make_no_difference(many_ropes, false, true);
}

Test(temporal_blocking_world, a_rope_knitted_into_itself_steps_alike_in_one_call_and_in_many) {
  assert_calls_make_no_difference(knitted_ropes, false, false);
}

Test(temporal_blocking_world, a_large_tethered_cloth_steps_alike_in_one_call_and_in_many) {
  assert_calls_make_no_difference(large_tethered_cloth, false, true);
}

Test(temporal_blocking_world, a_large_cloth_tethered_to_a_pin_that_moves_steps_alike_substep_by_substep) {
  assert_calls_make_no_difference(large_tethered_cloth, true, false);
}

/* Gives no more memory from some moment on. */
static void *allocate_while_open(size_t bytes, void *context) {
  return *(bool *)context ? memory_default_allocator().allocate(bytes, NULL) : NULL;
}

static void release_always(void *block, void *context) {
  (void)context;
  memory_default_allocator().release(block, NULL);
}

/* A large cloth whose last particle, which has no springs, leaves the numbers `failing` substeps from now; with
   no more memory from now on if `closed`. */
static msd_world *shooting_cloth(int failing, bool closed, bool *memory_is_open) {
  *memory_is_open = true;
  msd_world_def def = msd_default_world_def();
  def.thread_count = 2;
  def.gravity = (msd_vec3){0, 0, 0};
  def.allocator = (msd_allocator){allocate_while_open, release_always, memory_is_open};
  msd_world *world = world_from_def(&def);
  msd_cloth_def cloth = msd_default_cloth_def();
  cloth.columns = cloth.rows = SIDE;
  ASSERT_OK(world, msd_add_cloth(world, &cloth, NULL));
  msd_particle_def particle = msd_default_particle_def();
  int32_t shot;
  ASSERT_OK(world, msd_add_particles(world, &particle, 1, &shot));
  for (int32_t i = 3; i < shot; i += 100)
    ASSERT_OK(world, msd_particle_set_velocity(world, i, (msd_vec3){0, 0, (msd_real)0.125}));
  ASSERT_OK(world, msd_world_step(world, (msd_real)1 / 1024, 1));
  const msd_real room = LARGEST / 4096;
  ASSERT_OK(world, msd_particle_set_position(world, shot, (msd_vec3){LARGEST - room, 0, 0}));
  ASSERT_OK(world, msd_particle_set_velocity(
                       world, shot, (msd_vec3){room * 1024 / ((msd_real)failing - (msd_real)0.5), 0, 0}));
  *memory_is_open = !closed;
  return world;
}

Test(temporal_blocking_world,
     a_large_world_diverges_alike_in_one_pass_without_memory_for_it_and_substep_by_substep) {
  enum { FAILING = 5 };
  bool is_open[3];
  msd_world *blocking = shooting_cloth(FAILING, false, &is_open[0]);
  msd_world *plain = shooting_cloth(FAILING, true, &is_open[1]);
  msd_world *single = shooting_cloth(FAILING, true, &is_open[2]);
  cr_expect_eq(msd_world_step(blocking, (msd_real)SUBSTEPS / 1024, SUBSTEPS), MSD_DIVERGED);
  cr_expect_eq(msd_world_step(plain, (msd_real)SUBSTEPS / 1024, SUBSTEPS), MSD_DIVERGED);
  for (int n = 1; n < FAILING; n++)
    ASSERT_OK(single, msd_world_step(single, (msd_real)1 / 1024, 1));
  cr_expect_eq(msd_world_step(single, (msd_real)1 / 1024, 1), MSD_DIVERGED);
  cr_assert(has_blocked(blocking) && !has_blocked(plain) && !has_blocked(single));
  cr_expect_str_eq(msd_world_message(blocking), msd_world_message(plain));
  char place[32];
  snprintf(place, sizeof place, "after substep %d of %d;", FAILING, SUBSTEPS);
  cr_expect(strstr(msd_world_message(blocking), place), "%s", msd_world_message(blocking));
  snprintf(place, sizeof place, "particle %d ", SIDE * SIDE);
  cr_expect(strstr(msd_world_message(blocking), place), "%s", msd_world_message(blocking));
  const msd_world *const others[] = {plain, single};
  for (int n = 0; n < 2; n++) {
    cr_expect(first_difference(blocking, others[n]) < 0);
    cr_expect_eq(msd_world_hash(blocking), msd_world_hash(others[n]));
    cr_expect_eq(msd_world_get_time(blocking), msd_world_get_time(others[n]));
    cr_expect_eq(msd_world_get_steps(blocking), msd_world_get_steps(others[n]));
  }
  is_open[1] = is_open[2] = true;
  msd_destroy_world(blocking);
  msd_destroy_world(plain);
  msd_destroy_world(single);
}
