/* What touches in worlds so large that several substeps pass through them at once: as the same steps substep by
   substep, which is what they are taken by where a program is told of each. */
#include "tests/support/kernels.h"
#include "tests/support/rank_room.h"

#include <float.h>
#include <math.h>

#ifdef MSD_DOUBLE
static const msd_real LARGEST = DBL_MAX;
#else
static const msd_real LARGEST = FLT_MAX;
#endif

/* Of all rows those in the middle have a surface. */
enum { SIDE = 448, SURFACE_ROWS = 32, SURFACE_BEGIN = (SIDE - SURFACE_ROWS) / 2, SUBSTEPS = 12, STEPS = 2 };
static const msd_real SPACING = (msd_real)0.01, PARTICLE_MASS = (msd_real)1e-4,
                      TIME_STEP = (msd_real)1 / 1024;

static void pass_by(const msd_world *world, const msd_substep_info *moment, void *context) {
  (void)world;
  (void)moment;
  (void)context;
}

static void tell_of_substeps(msd_world *world) {
  ASSERT_OK(world, msd_world_set_callbacks(world, &(msd_callbacks){.after_substep = pass_by}));
}

static msd_result step(msd_world *world) {
  return msd_world_step(world, SUBSTEPS * TIME_STEP, SUBSTEPS);
}

/* Several substeps in one pass need a spare slab. */
static bool has_blocked(const msd_world *world) {
  return world->model.particles.spare_slab;
}

static void add_surface(msd_world *world, const int32_t *triangles, int32_t count) {
  msd_collision_mesh_def def = msd_default_collision_mesh_def();
  def.triangles = triangles;
  def.triangle_count = count;
  ASSERT_OK(world, msd_add_collision_meshes(world, &def, 1, NULL));
}

/* Level, with springs that hold nothing up, at the height 0. */
static msd_world *level_cloth(int threads, msd_real gravity, bool has_surface) {
  msd_world_def def = msd_default_world_def();
  def.thread_count = threads;
  def.gravity = (msd_vec3){0, gravity, 0};
  msd_world *world = world_from_def(&def);
  msd_cloth_def cloth = msd_default_cloth_def();
  cloth.columns = cloth.rows = SIDE;
  cloth.u = (msd_vec3){SPACING * (SIDE - 1), 0, 0};
  cloth.v = (msd_vec3){0, 0, SPACING * (SIDE - 1)};
  cloth.mass = PARTICLE_MASS * SIDE * SIDE;
  cloth.shear = cloth.stretch;
  ASSERT_OK(world, msd_add_cloth(world, &cloth, NULL));
  for (int32_t i = 3; i < SIDE * SIDE; i += 101)
    ASSERT_OK(world, msd_particle_set_velocity(world, i, (msd_vec3){0, 0, (msd_real)(i % 7) / 1024}));
  int32_t triangles[6 * SIDE * SURFACE_ROWS], *next = triangles;
  for (int32_t i = SURFACE_BEGIN * SIDE; i < (SURFACE_BEGIN + SURFACE_ROWS) * SIDE; i++)
    if (i % SIDE < SIDE - 1) {
      const int32_t two[6] = {i, i + SIDE, i + 1, i + 1, i + SIDE, i + SIDE + 1};
      memcpy(next, two, sizeof two);
      next += 6;
    }
  if (has_surface)
    add_surface(world, triangles, (int32_t)((next - triangles) / 3));
  return world;
}

/* A world that is made alike for any number of threads. */
typedef msd_world *maker(int threads);

static void assert_alike(const msd_world *one, const msd_world *other) {
  cr_assert(first_difference(one, other) < 0, "particle %d", first_difference(one, other));
  cr_expect_eq(msd_world_hash(one), msd_world_hash(other));
  cr_expect_eq(msd_world_get_steps(one), msd_world_get_steps(other));
  cr_expect_str_eq(msd_world_message(one), msd_world_message(other));
  const list_policy policy = one->model.surfaces.list_policy, others = other->model.surfaces.list_policy;
  cr_expect(policy.substeps == others.substeps && policy.skin == others.skin);
  for (int axis = 0; axis < 3; axis++)
    cr_expect_eq(policy.bend[axis], others.bend[axis]);
  const msd_stats stats = msd_world_get_stats(one), of_other = msd_world_get_stats(other);
  cr_expect_eq(stats.contacts, of_other.contacts);
  cr_expect_eq(stats.squeezed, of_other.squeezed);
}

static void take_steps(msd_world *world) {
  for (int n = 0; n < STEPS; n++)
    ASSERT_OK(world, step(world));
}

/* Returns the world that was stepped substep by substep. */
static msd_world *assert_passes_make_no_difference(maker *make) {
  msd_world *told = make(2);
  tell_of_substeps(told);
  take_steps(told);
  cr_assert(!has_blocked(told));
  for (int threads = 1; threads <= 2; threads++) {
    msd_world *world = make(threads);
    take_steps(world);
    cr_assert(has_blocked(world));
    assert_alike(world, told);
    msd_destroy_world(world);
  }
  return told;
}

static msd_world *falling_surface(int threads) {
  return level_cloth(threads, (msd_real)-9.81, true);
}

Test(blocked_contact, a_large_surface_that_touches_nothing_falls_alike_in_one_pass_and_substep_by_substep) {
  msd_destroy_world(assert_passes_make_no_difference(falling_surface));
}

/* From 0.2 mm above two spheres, of which one is led up to it; it falls by more. And there is a floor. */
static msd_world *cloth_on_colliders(int threads, bool has_surface) {
  msd_world *world = level_cloth(threads, (msd_real)-9.81, has_surface);
  const msd_real thickness = msd_default_contact_settings().thickness, middle = SPACING * SIDE / 2;
  msd_collider_def defs[3] = {msd_default_collider_def(), msd_default_collider_def(),
                              msd_default_collider_def()};
  for (int n = 0; n < 2; n++) {
    defs[n].kind = MSD_COLLIDER_SPHERE;
    defs[n].radius = (msd_real)0.5;
    defs[n].position =
        (msd_vec3){middle * (msd_real)(n + 1) / 2, -defs[n].radius - thickness - (msd_real)2e-4, middle};
  }
  defs[2].position.y = -1;
  ASSERT_OK(world, msd_add_colliders(world, defs, 3, NULL));
  msd_vec3 up = defs[1].position;
  up.y += (msd_real)0.001;
  ASSERT_OK(world, msd_collider_move_to(world, 1, up, msd_quaternion_from_degrees((msd_vec3){0, 0, 0})));
  return world;
}

static msd_world *bare_cloth_on_colliders(int threads) {
  return cloth_on_colliders(threads, false);
}

static msd_world *surface_on_colliders(int threads) {
  return cloth_on_colliders(threads, true);
}

static void assert_touches_colliders(msd_world *world) {
  const int32_t touching = msd_world_get_collider_contacts(world, NULL, 0);
  cr_expect_gt(touching, 10);
  cr_expect_eq(msd_world_get_stats(world).contacts, touching);
  msd_destroy_world(world);
}

Test(blocked_contact, colliders_push_a_large_cloth_alike_in_one_pass_and_substep_by_substep) {
  assert_touches_colliders(assert_passes_make_no_difference(bare_cloth_on_colliders));
}

Test(blocked_contact, colliders_push_a_large_surface_alike_in_one_pass_and_substep_by_substep) {
  assert_touches_colliders(assert_passes_make_no_difference(surface_on_colliders));
}

/* A triangle of no springs 8.5 mm above the cloth, further than is near while it stands; but a force takes it
   there within five substeps. */
enum { CORNERS = 3 };

static msd_world *hit_surface(int threads) {
  msd_world *world = level_cloth(threads, 0, true);
  const msd_real middle = SPACING * SIDE / 2;
  int32_t corners[CORNERS];
  for (int n = 0; n < CORNERS; n++) {
    msd_particle_def def = msd_default_particle_def();
    def.mass = PARTICLE_MASS;
    def.position =
        (msd_vec3){middle + (n == 1 ? SPACING : 0), (msd_real)0.0085, middle + (n == 2 ? SPACING : 0)};
    ASSERT_OK(world, msd_add_particles(world, &def, 1, &corners[n]));
  }
  add_surface(world, corners, 1);
  for (int n = 0; n < CORNERS; n++)
    ASSERT_OK(world, msd_particle_apply_force(world, corners[n], (msd_vec3){0, -1000 * PARTICLE_MASS, 0}));
  return world;
}

/* The lowest corner of the four of the cloth that are around a point. Cloth that gives way is not level. */
static msd_real lowest_around(const msd_world *world, msd_vec3 point) {
  const int32_t first = (int32_t)(point.z / SPACING) * SIDE + (int32_t)(point.x / SPACING);
  msd_real lowest = INFINITY;
  for (int n = 0; n < 4; n++) {
    const msd_real y = msd_particle_get_position(world, first + n / 2 * SIDE + n % 2).y;
    lowest = y < lowest ? y : lowest;
  }
  return lowest;
}

/* It would be 20 cm further down otherwise. */
Test(blocked_contact, what_leaves_its_way_in_the_middle_of_a_pass_meets_what_is_in_its_way) {
  msd_world *told = assert_passes_make_no_difference(hit_surface);
  for (int32_t n = 0; n < CORNERS; n++) {
    const msd_vec3 corner = msd_particle_get_position(told, SIDE * SIDE + n);
    cr_expect_gt(corner.y, lowest_around(told, corner));
    cr_expect_gt(msd_particle_get_velocity(told, SIDE * SIDE + n).y,
                 (msd_real)-1000 * SUBSTEPS * TIME_STEP / 2);
  }
  msd_destroy_world(told);
}

/* Ranks search for what is near together, and each takes passes by itself, with threads of its own: so they may
   be broken off elsewhere, as long as all ask each other at the same substeps. */
enum { RANKS = 2 };
static msd_world *of_rank[RANKS];

static void *take_steps_as_rank(void *context) {
  room_seat *seat = context;
  msd_world *world = of_rank[seat->rank] = hit_surface(seat->rank + 1);
  const msd_ranks ranks = room_ranks(seat, 1);
  ASSERT_OK(world, msd_world_set_ranks(world, &ranks));
  take_steps(world);
  return NULL;
}

Test(blocked_contact, ranks_that_break_passes_off_by_themselves_step_as_one_that_goes_substep_by_substep) {
  msd_world *told = hit_surface(1);
  tell_of_substeps(told);
  take_steps(told);
  rank_room room;
  room_begin_with(&room, RANKS, 0);
  room_run(&room, take_steps_as_rank);
  for (int rank = 0; rank < RANKS; rank++) {
    cr_assert(has_blocked(of_rank[rank]));
    cr_expect_gt(room.seats[rank].gathers, 0);
    assert_alike(of_rank[rank], told);
    msd_destroy_world(of_rank[rank]);
  }
  msd_destroy_world(told);
}

/* Surfaces are kept apart from where a pin stands behind the last substep of a step. */
Test(blocked_contact, beside_a_pin_that_is_led_surfaces_go_substep_by_substep) {
  msd_world *worlds[2];
  for (int n = 0; n < 2; n++) {
    worlds[n] = falling_surface(2);
    ASSERT_OK(worlds[n], msd_particle_pin(worlds[n], 0));
    if (n == 1)
      tell_of_substeps(worlds[n]);
    ASSERT_OK(worlds[n], msd_particle_move_to(worlds[n], 0, (msd_vec3){0, 0, (msd_real)-1e-4}));
    ASSERT_OK(worlds[n], step(worlds[n]));
    cr_assert(!has_blocked(worlds[n]));
  }
  assert_alike(worlds[0], worlds[1]);
  for (int n = 0; n < 2; n++)
    msd_destroy_world(worlds[n]);
}

/* Behind a step in which it falls one particle, which has no springs, leaves the numbers. */
static msd_world *shooting_world(bool has_surface, bool told) {
  msd_world *world = cloth_on_colliders(2, has_surface);
  const msd_particle_def particle = msd_default_particle_def();
  int32_t shot;
  ASSERT_OK(world, msd_add_particles(world, &particle, 1, &shot));
  if (told)
    tell_of_substeps(world);
  ASSERT_OK(world, step(world));
  const msd_real room = LARGEST / 4096;
  ASSERT_OK(world, msd_particle_set_position(world, shot, (msd_vec3){LARGEST - room, 0, 0}));
  ASSERT_OK(world, msd_particle_set_velocity(world, shot, (msd_vec3){room * 1024 / (msd_real)4.5, 0, 0}));
  cr_expect_eq(step(world), MSD_DIVERGED);
  return world;
}

Test(blocked_contact, a_large_world_diverges_alike_in_one_pass_and_substep_by_substep) {
  for (int has_surface = 0; has_surface < 2; has_surface++) {
    msd_world *world = shooting_world(has_surface, false), *told = shooting_world(has_surface, true);
    cr_assert(has_blocked(world) && !has_blocked(told));
    assert_alike(world, told);
    ASSERT_OK(world, msd_particle_set_position(world, SIDE * SIDE, (msd_vec3){0, 1, 0}));
    ASSERT_OK(told, msd_particle_set_position(told, SIDE * SIDE, (msd_vec3){0, 1, 0}));
    ASSERT_OK(world, msd_particle_set_velocity(world, SIDE * SIDE, (msd_vec3){0, 0, 0}));
    ASSERT_OK(told, msd_particle_set_velocity(told, SIDE * SIDE, (msd_vec3){0, 0, 0}));
    ASSERT_OK(world, step(world));
    ASSERT_OK(told, step(told));
    assert_alike(world, told);
    msd_destroy_world(world);
    msd_destroy_world(told);
  }
}

Test(blocked_contact, a_first_substep_that_fails_leaves_nothing_of_what_was_looked_ahead_to) {
  msd_world *worlds[2];
  for (int n = 0; n < 2; n++) {
    worlds[n] = falling_surface(2);
    if (n == 1)
      tell_of_substeps(worlds[n]);
    ASSERT_OK(worlds[n], msd_particle_apply_force(worlds[n], SIDE, (msd_vec3){LARGEST / 2, 0, 0}));
    cr_expect_eq(step(worlds[n]), MSD_DIVERGED);
  }
  cr_assert(has_blocked(worlds[0]));
  assert_alike(worlds[0], worlds[1]);
  cr_expect_eq(worlds[0]->model.surfaces.list_policy.substeps, 0);
  for (int n = 0; n < 2; n++)
    msd_destroy_world(worlds[n]);
}
