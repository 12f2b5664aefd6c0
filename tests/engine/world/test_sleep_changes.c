/* What is added to a world in which something sleeps, and destroyed in it, wakes what it touches and nothing
   else; what goes on sleeping is kept. */
#include "tests/support/bookkeeper.h"
#include "tests/support/picture.h"
#include "tests/support/schedulers.h"
#include "tests/support/sleepers.h"

#include <string.h>

/* Blocks of which each has a ground of its own, 3 m from each other. */
static msd_world *sleeping_blocks(int blocks, int threads) {
  msd_world *world = sleepers_world(threads, MSD_SIMD_WIDEST);
  for (int n = 0; n < blocks; n++) {
    msd_collider_def def = msd_default_collider_def();
    def.kind = MSD_COLLIDER_BOX;
    def.size = (msd_vec3){2, (msd_real)0.5, 2};
    def.position = (msd_vec3){(msd_real)(3 * n) + (msd_real)0.5, (msd_real)-0.25, (msd_real)0.5};
    def.friction = (msd_real)0.5;
    ASSERT_OK(world, msd_add_colliders(world, &def, 1, NULL));
    add_sleepers_block(world, (msd_vec3){(msd_real)(3 * n), (msd_real)0.01, 0});
  }
  step_until_asleep(world, blocks * BLOCK_PARTICLES);
  return world;
}

/* A ball beside the first block: it reaches into it, or not. */
static void add_ball(msd_world *world, msd_real distance) {
  msd_collider_def def = msd_default_collider_def();
  def.kind = MSD_COLLIDER_SPHERE;
  def.radius = (msd_real)0.25;
  def.position = (msd_vec3){-def.radius - distance, (msd_real)0.5, (msd_real)0.5};
  ASSERT_OK(world, msd_add_colliders(world, &def, 1, NULL));
}

typedef void change(msd_world *world);

static void by_ball(msd_world *world) {
  add_ball(world, (msd_real)-0.1);
}

static void by_far_ball(msd_world *world) {
  add_ball(world, (msd_real)0.2);
}

static void by_ground_that_goes(msd_world *world) {
  const int32_t ground = 0;
  ASSERT_OK(world, msd_destroy_objects(world, MSD_OBJECT_COLLIDER, &ground, 1));
}

static void by_ground_that_is_another(msd_world *world) {
  msd_collider_def def = msd_collider_get_def(world, 0);
  def.friction = 1;
  ASSERT_OK(world, msd_collider_set_def(world, 0, &def));
}

static void by_spring(msd_world *world) {
  const int32_t spring = 50;
  ASSERT_OK(world, msd_destroy_objects(world, MSD_OBJECT_SPRING, &spring, 1));
}

static void by_particle(msd_world *world) {
  const int32_t particle = 100;
  ASSERT_OK(world, msd_destroy_objects(world, MSD_OBJECT_PARTICLE, &particle, 1));
}

static void by_hard_limit(msd_world *world) {
  msd_spring_def def = msd_default_spring_def();
  def.law = MSD_SPRING_HARD_LIMIT;
  def.mode = MSD_SPRING_TENSION_ONLY;
  def.a = 0;
  def.b = BLOCK_PARTICLES - 1;
  ASSERT_OK(world, msd_add_springs(world, &def, 1, NULL));
}

static void by_damage(msd_world *world) {
  msd_damage_def def = msd_default_damage_def();
  def.tear_strain = 2;
  ASSERT_OK(world, msd_springs_set_damage(world, (msd_range){50, 1}, &def));
}

static void by_surface(msd_world *world) {
  const int32_t triangle[3] = {0, 1, 7};
  msd_collision_mesh_def def = msd_default_collision_mesh_def();
  def.triangles = triangle;
  def.triangle_count = 1;
  ASSERT_OK(world, msd_add_collision_meshes(world, &def, 1, NULL));
}

static void by_loose_particle(msd_world *world) {
  msd_particle_def def = msd_default_particle_def();
  def.position = (msd_vec3){0, 9, 0};
  ASSERT_OK(world, msd_add_particles(world, &def, 1, NULL));
}

static void by_body(msd_world *world) {
  add_sleepers_block(world, (msd_vec3){0, 9, 0});
}

static void by_spring_to_what_is_new(msd_world *world) {
  by_loose_particle(world);
  msd_spring_def def = sleepers_spring(10, (msd_real)0.1);
  def.a = 100;
  def.b = msd_world_get_particle_count(world) - 1;
  ASSERT_OK(world, msd_add_springs(world, &def, 1, NULL));
}

static const struct {
  const char *name;
  change *act;
  bool wakes;
} changes[] = {{"a collider that touches", by_ball, true},
               {"a collider that does not", by_far_ball, false},
               {"a ground that goes", by_ground_that_goes, true},
               {"a ground of other friction", by_ground_that_is_another, true},
               {"a spring that goes", by_spring, true},
               {"a particle that goes", by_particle, true},
               {"a catch", by_hard_limit, true},
               {"damage", by_damage, true},
               {"a surface", by_surface, true},
               {"a particle", by_loose_particle, false},
               {"a body", by_body, false},
               {"a spring to a new particle", by_spring_to_what_is_new, true}};

Test(sleep_changes, what_is_added_and_destroyed_wakes_what_it_touches_and_nothing_else) {
  msd_world *sleeping = sleeping_blocks(2, 1);
  for (size_t n = 0; n < sizeof changes / sizeof *changes; n++) {
    msd_world *world = NULL;
    ASSERT_OK(sleeping, msd_copy_world(sleeping, &world));
    changes[n].act(world);
    for (int frame = 0; frame < 2; frame++) {
      cr_assert_eq(msd_particle_is_asleep(world, 0), !changes[n].wakes, "%s, frame %d", changes[n].name,
                   frame);
      cr_assert(msd_particle_is_asleep(world, BLOCK_PARTICLES), "%s, frame %d", changes[n].name, frame);
      step_sleepers(world, 1);
    }
    msd_destroy_world(world);
  }
  msd_destroy_world(sleeping);
}

/* Memory that runs out at one request has made room for particles, or only begun to. */
Test(sleep_changes, what_sleeps_lies_where_it_lay_when_there_was_no_memory_for_more) {
  msd_world *sleeping = sleeping_blocks(4, 1);
  ASSERT_OK(sleeping, msd_particle_wake(sleeping, 0));
  bookkeeper b = {0};
  msd_world_def def = msd_default_world_def();
  def.allocator = (msd_allocator){keep_and_allocate, keep_and_release, &b};
  msd_block_def more = msd_default_block_def();
  more.cells[0] = more.cells[1] = more.cells[2] = 9;
  msd_result result = MSD_OUT_OF_MEMORY;
  for (int64_t request = 1; result != MSD_OK; request++) {
    msd_world *world = NULL, *expected = NULL;
    const picture saved = take_picture(sleeping);
    cr_assert_eq(msd_create_world(&def, &world), MSD_OK);
    ASSERT_OK(world, msd_world_restore(world, saved.bytes, saved.size));
    forget(saved);
    step_sleepers(world, 1);
    ASSERT_OK(world, msd_copy_world(world, &expected));
    b.fail_at = b.requests + request;
    result = msd_add_block(world, &more, NULL);
    b.fail_at = 0;
    if (result != MSD_OK) {
      cr_assert_eq(result, MSD_OUT_OF_MEMORY);
      ASSERT_OK(world, msd_world_step(world, SLEEPERS_FRAME, 2 * SLEEPERS_SUBSTEPS + 1));
      ASSERT_OK(expected, msd_world_step(expected, SLEEPERS_FRAME, 2 * SLEEPERS_SUBSTEPS + 1));
      cr_assert(msd_particle_is_asleep(world, BLOCK_PARTICLES));
      cr_assert_eq(msd_world_hash(world), msd_world_hash(expected), "request %d", (int)request);
    }
    msd_destroy_world(world);
    msd_destroy_world(expected);
  }
  msd_destroy_world(sleeping);
}

Test(sleep_changes, blocks_that_a_new_spring_joins_wake_and_sleep_together) {
  msd_world *world = sleeping_blocks(2, 1);
  msd_spring_def def = sleepers_spring(1, (msd_real)0.1);
  def.a = 0;
  def.b = BLOCK_PARTICLES;
  ASSERT_OK(world, msd_add_springs(world, &def, 1, NULL));
  cr_assert_eq(msd_world_get_stats(world).asleep, 0);
  step_until_asleep(world, 2 * BLOCK_PARTICLES);
  ASSERT_OK(world, msd_particle_wake(world, 0));
  cr_assert_eq(msd_world_get_stats(world).asleep, 0);
  msd_destroy_world(world);
}

/* What is left of a block hangs in the air if it sleeps on. */
Test(sleep_changes, what_lay_on_a_destroyed_ground_falls) {
  msd_world *world = sleeping_blocks(2, 1);
  const msd_real before = msd_particle_get_position(world, 0).y;
  by_ground_that_goes(world);
  step_sleepers(world, 30);
  cr_assert_lt(msd_particle_get_position(world, 0).y, before - (msd_real)0.2);
  msd_destroy_world(world);
}

/* As slowly as it pleases: what it has left behind in one step it does not come near in the next. */
Test(sleep_changes, what_lies_on_a_ground_that_sinks_goes_with_it) {
  msd_world *world = sleeping_blocks(2, 1);
  const msd_real before = msd_particle_get_position(world, 0).y;
  const msd_collider_def def = msd_collider_get_def(world, 0);
  msd_vec3 place = def.position;
  for (int frame = 0; frame < 300; frame++) {
    place.y -= (msd_real)0.001;
    ASSERT_OK(world, msd_collider_move_to(world, 0, place, def.rotation));
    step_sleepers(world, 1);
  }
  cr_assert_float_eq(msd_particle_get_position(world, 0).y, before - (msd_real)0.3, 0.01);
  msd_destroy_world(world);
}

Test(sleep_changes, those_that_are_left_sleep_on_when_gaps_are_closed) {
  msd_world *world = sleeping_blocks(3, 1);
  const msd_vec3 place = msd_particle_get_position(world, 2 * BLOCK_PARTICLES + 5);
  ASSERT_OK(world, msd_destroy_range(world, MSD_OBJECT_PARTICLE, (msd_range){0, BLOCK_PARTICLES}));
  for (int stepped = 0; stepped < 2; stepped++) {
    msd_world *copy = NULL, *again = NULL;
    ASSERT_OK(world, msd_copy_world(world, &copy));
    ASSERT_OK(copy, msd_world_compact(copy, NULL));
    cr_assert_eq(msd_world_get_stats(copy).asleep, 2 * BLOCK_PARTICLES);
    ASSERT_OK(copy, msd_copy_world(copy, &again));
    ASSERT_OK(copy, msd_particle_wake(copy, 5));
    ASSERT_OK(again, msd_particle_wake(again, 5));
    cr_assert_eq(msd_world_get_stats(copy).asleep, BLOCK_PARTICLES);
    step_sleepers(copy, 20);
    step_sleepers(again, 20);
    const msd_vec3 x = msd_particle_get_position(copy, BLOCK_PARTICLES + 5);
    cr_assert(x.x == place.x && x.y == place.y && x.z == place.z);
    cr_assert_eq(msd_world_hash(copy), msd_world_hash(again));
    msd_destroy_world(again);
    msd_destroy_world(copy);
    step_sleepers(world, 1);
    cr_assert_eq(msd_particle_is_asleep(world, 3 * BLOCK_PARTICLES - 1), true);
    cr_assert_eq(msd_particle_is_asleep(world, BLOCK_PARTICLES), true);
    step_sleepers(world, 59); /* the particles that are no more fall asleep too */
  }
  msd_destroy_world(world);
}

/* Ropes that swing, appended to while a block sleeps: a copy lays all of it out from a snapshot. */
static uint64_t append_and_step(const msd_world *sleeping, int threads) {
  msd_world *world = NULL;
  cr_assert_eq(msd_copy_world(sleeping, &world), MSD_OK);
  ASSERT_OK(world, msd_world_set_thread_count(world, threads));
  uint64_t hash = 0;
  for (int n = 0; n < 12; n++) {
    by_loose_particle(world);
    msd_spring_def def = sleepers_spring(10, (msd_real)0.1);
    def.a = n == 0 ? 0 : msd_world_get_particle_count(world) - 2;
    def.b = msd_world_get_particle_count(world) - 1;
    ASSERT_OK(world, msd_add_springs(world, &def, 1, NULL));
    cr_assert(msd_particle_is_asleep(world, BLOCK_PARTICLES));
    msd_world *copy = NULL;
    ASSERT_OK(world, msd_copy_world(world, &copy));
    step_sleepers(world, 2);
    step_sleepers(copy, 2);
    hash = msd_world_hash(world);
    cr_assert_eq(msd_world_hash(copy), hash, "%d added", n);
    msd_destroy_world(copy);
  }
  cr_assert(msd_particle_is_asleep(world, BLOCK_PARTICLES));
  msd_destroy_world(world);
  return hash;
}

Test(sleep_changes, what_is_appended_beside_sleepers_has_the_same_bits_on_any_number_of_threads) {
  msd_world *sleeping = sleeping_blocks(2, 1);
  const uint64_t hash = append_and_step(sleeping, 1);
  cr_assert_eq(append_and_step(sleeping, 2), hash);
  cr_assert_eq(append_and_step(sleeping, 16), hash);
  msd_destroy_world(sleeping);
}

Test(sleep_changes, a_sheet_wakes_when_the_pins_that_it_lies_on_are_set_elsewhere_or_destroyed) {
  msd_world *sleeping = sleepers_world(1, MSD_SIMD_WIDEST), *world = NULL;
  const int32_t ground = add_sleepers_sheet(sleeping, 0, 0, true);
  const int32_t sheet = add_sleepers_sheet(sleeping, 0, (msd_real)0.025, false);
  step_until_asleep(sleeping, 2 * SLEEPERS_SHEET);
  for (int way = 0; way < 2; way++) {
    ASSERT_OK(sleeping, msd_copy_world(sleeping, &world));
    for (int32_t i = ground; i < ground + SLEEPERS_SHEET && way == 0; i++)
      ASSERT_OK(world, msd_particle_set_position(world, i, (msd_vec3){(msd_real)i, -9, 0}));
    if (way == 1)
      ASSERT_OK(world, msd_destroy_range(world, MSD_OBJECT_PARTICLE, (msd_range){ground, SLEEPERS_SHEET}));
    cr_assert_not(msd_particle_is_asleep(world, sheet));
    const msd_real before = msd_particle_get_position(world, sheet + 5).y;
    step_sleepers(world, 15);
    cr_assert_lt(msd_particle_get_position(world, sheet + 5).y, before - (msd_real)0.1);
    msd_destroy_world(world);
  }
  msd_destroy_world(sleeping);
}

Test(sleep_changes, a_snapshot_of_a_world_that_was_not_to_sleep_wakes_one_that_does) {
  msd_world *world = sleepers_world(1, MSD_SIMD_WIDEST);
  add_sleepers_ground(world);
  add_sleepers_block(world, (msd_vec3){0, (msd_real)0.01, 0});
  msd_sleep_def sleep = msd_default_sleep_def();
  sleep.speed = 0;
  ASSERT_OK(world, msd_world_set_sleep(world, &sleep));
  const picture never = take_picture(world);
  sleep.speed = (msd_real)0.02;
  ASSERT_OK(world, msd_world_set_sleep(world, &sleep));
  step_until_asleep(world, BLOCK_PARTICLES);
  ASSERT_OK(world, msd_world_restore(world, never.bytes, never.size));
  cr_assert_eq(msd_world_get_stats(world).asleep, 0);
  step_sleepers(world, 20);
  cr_assert_eq(msd_world_get_stats(world).asleep, 0);
  forget(never);
  msd_destroy_world(world);
}

/* The refused step has found pieces, of which it must leave nothing: the world is woken, and a spring cut,
   before the next one. */
Test(sleep_changes, a_step_that_is_refused_leaves_who_sleeps_and_in_which_pieces_as_it_was) {
  msd_world *world = sleeping_blocks(2, 1), *twin = sleeping_blocks(2, 1);
  msd_world *both[] = {world, twin};
  for (int n = 0; n < 2; n++) {
    add_sleepers_block(both[n], (msd_vec3){12, (msd_real)0.01, 0});
    ASSERT_OK(both[n], msd_spring_break(both[n], 7));
  }
  const picture before = take_picture(world);
  /* The smallest number there is: a third of it would be 0. */
  const msd_real smallest = sizeof(msd_real) == sizeof(double) ? (msd_real)5e-324 : (msd_real)1.4e-45;
  cr_assert_eq(msd_world_step(world, smallest, 3), MSD_BAD_FRAME_TIME);
  cr_assert(is_unchanged(world, before));
  for (int n = 0; n < 2; n++) {
    ASSERT_OK(both[n], msd_particle_wake(both[n], BLOCK_PARTICLES));
    ASSERT_OK(both[n], msd_spring_break(both[n], 9));
  }
  for (int frame = 0; frame < 40; frame++) {
    step_sleepers(world, 1);
    step_sleepers(twin, 1);
    cr_assert_eq(msd_world_hash(world), msd_world_hash(twin), "frame %d", frame);
  }
  const picture one = take_picture(world), other = take_picture(twin);
  cr_assert(is_same(one, other));
  forget(one);
  forget(other);
  msd_destroy_world(world);
  msd_destroy_world(twin);
}

Test(sleep_changes, a_search_for_rest_wakes_all) {
  msd_world *world = sleepers_world(1, MSD_SIMD_WIDEST);
  msd_rope_def rope = msd_default_rope_def();
  msd_body body;
  rope.particles = 12;
  rope.stretch = sleepers_spring(2000, 4);
  ASSERT_OK(world, msd_add_rope(world, &rope, &body));
  ASSERT_OK(world, msd_particle_pin(world, 0));
  step_until_asleep(world, body.particles.count);
  msd_equilibrium_def def = msd_default_equilibrium_def();
  ASSERT_OK(world, msd_world_find_equilibrium(world, &def, NULL));
  cr_assert_eq(msd_world_get_stats(world).asleep, 0);
  msd_destroy_world(world);
}

Test(sleep_changes, scaled_masses_and_gauss_seidel_are_refused_where_something_may_sleep) {
  msd_world *world = sleepers_world(1, MSD_SIMD_WIDEST);
  add_sleepers_block(world, (msd_vec3){0, 0, 0});
  ASSERT_OK(world, msd_world_set_mass_scaling(world, MSD_MASS_SCALING_SELECTIVE));
  cr_assert_eq(msd_world_step(world, SLEEPERS_FRAME, 8), MSD_BAD_VALUE);
  cr_assert(strstr(msd_world_message(world), "sleep needs mass_scaling"), "%s", msd_world_message(world));
  ASSERT_OK(world, msd_world_set_mass_scaling(world, MSD_MASS_SCALING_NONE));
  ASSERT_OK(world, msd_world_set_solver(world, MSD_SOLVER_GAUSS_SEIDEL));
  cr_assert_eq(msd_world_step(world, SLEEPERS_FRAME, 8), MSD_BAD_VALUE);
  cr_assert(strstr(msd_world_message(world), "sleep needs solver"), "%s", msd_world_message(world));
  ASSERT_OK(world, msd_world_set_solver(world, MSD_SOLVER_EXPLICIT));
  step_sleepers(world, 1);
  msd_destroy_world(world);
}

enum { FRAMES_BEFORE = 60, FRAMES = 120 };

/* Sheets on each other and a block, of which some sleep when they are pushed. */
static msd_world *busy_world(void) {
  msd_world *world = sleeping_blocks(1, 1);
  add_sleepers_ground(world);
  add_sleepers_sheet(world, 5, (msd_real)0.02, false);
  add_sleepers_sheet(world, 5, (msd_real)0.06, false);
  add_sleepers_sheet(world, 9, (msd_real)0.02, false);
  step_sleepers(world, FRAMES_BEFORE);
  return world;
}

static msd_world *copy_with(const msd_world *world, int threads) {
  msd_world *copy = NULL;
  cr_assert_eq(msd_copy_world(world, &copy), MSD_OK);
  ASSERT_OK(copy, msd_world_set_thread_count(copy, threads));
  return copy;
}

/* By turns the upper sheet and the block. */
static void push(msd_world *world, int frame) {
  if (frame % 30 == 0)
    ASSERT_OK(world,
              msd_particle_set_velocity(world, frame % 60 == 0 ? BLOCK_PARTICLES + SLEEPERS_SHEET + 30 : 100,
                                        (msd_vec3){0, (msd_real)0.5, 0}));
}

static uint64_t played(msd_world *world) {
  for (int frame = FRAMES_BEFORE; frame < FRAMES; frame++) {
    push(world, frame);
    step_sleepers(world, 1);
  }
  return msd_world_hash(world);
}

Test(sleep_changes, tasks_of_hosts_that_come_late_or_never_give_the_same_bits) {
  msd_world *busy = busy_world(), *world = copy_with(busy, 1);
  const uint64_t hash = played(world);
  msd_destroy_world(world);
  for (int n = 0; n < SERIAL_SCHEDULER_COUNT; n++) {
    task_keeper keeper = {.count = 0};
    const msd_tasks tasks = tasks_of(&SERIAL_SCHEDULERS[n], &keeper, 3);
    world = copy_with(busy, 3);
    ASSERT_OK(world, msd_world_set_tasks(world, &tasks));
    cr_assert_eq(played(world), hash, "%s", SERIAL_SCHEDULERS[n].name);
    msd_destroy_world(world);
  }
  msd_destroy_world(busy);
}

Test(sleep_changes, worlds_that_are_stepped_together_sleep_and_wake_as_alone) {
  enum { WORLDS = 3 };
  msd_world *busy = busy_world(), *alone = copy_with(busy, 1);
  const uint64_t hash = played(alone);
  msd_world *worlds[WORLDS];
  for (int n = 0; n < WORLDS; n++)
    worlds[n] = copy_with(busy, 1);
  int32_t most = 0;
  for (int frame = FRAMES_BEFORE; frame < FRAMES; frame++) {
    msd_step steps[WORLDS];
    for (int n = 0; n < WORLDS; n++) {
      push(worlds[n], frame);
      steps[n] = (msd_step){.world = worlds[n], .frame_time = SLEEPERS_FRAME, .substeps = SLEEPERS_SUBSTEPS};
    }
    cr_assert_eq(msd_worlds_step(steps, WORLDS, 2, NULL), MSD_OK);
    const int32_t asleep = msd_world_get_stats(worlds[0]).asleep;
    most = asleep > most ? asleep : most;
  }
  cr_assert_gt(most, BLOCK_PARTICLES);
  for (int n = 0; n < WORLDS; n++) {
    cr_assert_eq(msd_world_hash(worlds[n]), hash);
    msd_destroy_world(worlds[n]);
  }
  msd_destroy_world(alone);
  msd_destroy_world(busy);
}
