/* What sticks goes on from snapshots and states, also where no list does; and whatever numbers somebody puts
   there, it is refused or holds no more than friction may. */
#include "tests/support/share.h"
#include "tests/support/snapshots.h"
#include "tests/support/touching.h"

#include "engine/world/snapshot.h"
#include "engine/world/world.h"

#include <limits.h>

static const double STEP = 1.0 / 60, MU = 0.5;
enum { SUBSTEPS = 20, SIDE = 5, SHEET = SIDE * SIDE, AHEAD = 6 };

/* Two sheets that stick to each other and to a slope, and a particle without a surface. */
static touching sticking(void) {
  const double angle = 0.5 * atan(MU), c = cos(angle), s = sin(angle);
  touching t = contact_step_new(vector(0, -9.81, 0), MU, 0);
  const int32_t slope =
      touching_triangle(&t, 1, vector(-4 * c, 4 * s, -5), vector(-4 * c, 4 * s, 5), vector(6 * c, -6 * s, 0));
  pin_all(t.world, slope, 3);
  for (int n = 0; n < 2; n++)
    touching_sheet(&t, SIDE, SIDE, vector(0.0052 * (n + 1) * s, 0.0052 * (n + 1) * c, 0.02 * n),
                   vector(0.2 * c, -0.2 * s, 0.03 * n), vector(0, 0, 0.2), true);
  add_particle(t.world, 1, 0, 5, 0);
  for (int frame = 0; frame < 30; frame++)
    step(t.world, STEP, SUBSTEPS);
  return t;
}

static msd_result load(const snapshot *from, msd_world **to) {
  *to = new_world(MSD_SYMPLECTIC_EULER);
  return msd_world_restore(*to, from->data, from->size);
}

static friction_cache *friction_cache_of(msd_world *world) {
  return &world->stepper.self.cache.friction_cache;
}

static void change_a_place(msd_world *world) {
  ok(world, msd_particle_set_position(world, msd_world_get_particle_count(world) - 1, vector(0, 6, 0)));
}

static void change_contact(msd_world *world) {
  set_contact(world, 0.005, 1.1 * MU, 0);
}

static void change_a_velocity(msd_world *world) {
  ok(world, msd_particle_set_velocity(world, msd_world_get_particle_count(world) - 1, vector(0, 1, 0)));
}

static void change_a_mass(msd_world *world) {
  ok(world, msd_particle_set_mass(world, 3, (msd_real)0.9 * msd_particle_get_mass(world, 3)));
}

static void change_nothing(msd_world *world) {
  (void)world;
}

static uint64_t hash_ahead(msd_world *world) {
  for (int n = 0; n < AHEAD; n++)
    step(world, STEP, SUBSTEPS);
  return msd_world_hash(world);
}

static void expect_to_go_on(const char *what, void change(msd_world *world), bool has_list) {
  touching t = sticking();
  change(t.world);
  cr_assert_gt(friction_cache_of(t.world)->count, 0);
  cr_assert_eq(contact_cache_snapshot_of(t.world).particles > 0, has_list, "%s", what);
  cr_assert(!has_list || contact_cache_snapshot_of(t.world).is_chosen == (change == change_nothing), "%s",
            what);
  const snapshot whole = snapshot_of(t.world), state = saved_state_of(t.world);
  msd_world *loaded = NULL, *copied = NULL;
  ok(t.world, msd_copy_world(t.world, &copied));
  cr_assert_leq(whole.size, msd_world_get_save_bound(t.world));
  cr_assert_eq(load(&whole, &loaded), MSD_OK);
  const uint64_t hash = hash_ahead(t.world);
  cr_expect_eq(hash_ahead(loaded), hash, "%s: from a snapshot", what);
  cr_expect_eq(hash_ahead(copied), hash, "%s: a copy", what);
  ok(t.world, msd_world_restore_state(t.world, state.data, state.size));
  cr_expect_eq(hash_ahead(t.world), hash, "%s: from its state", what);
  msd_destroy_world(loaded);
  msd_destroy_world(copied);
  free(whole.data);
  free(state.data);
  contact_step_free(&t);
}

Test(grip_snapshot, what_sticks_goes_on_with_the_same_bits_where_no_list_does) {
  expect_to_go_on("a place", change_a_place, false);
  expect_to_go_on("a velocity", change_a_velocity, false);
  expect_to_go_on("contact", change_contact, false);
}

Test(grip_snapshot, it_goes_on_where_a_list_does_with_or_without_what_is_near) {
  expect_to_go_on("nothing", change_nothing, true);
  expect_to_go_on("a mass", change_a_mass, true);
}

/* Else nothing above would show anything. */
Test(grip_snapshot, what_has_let_go_goes_elsewhere) {
  touching t = sticking();
  change_a_place(t.world);
  msd_world *other = NULL;
  ok(t.world, msd_copy_world(t.world, &other));
  friction_cache_clear(friction_cache_of(other));
  cr_assert_neq(hash_ahead(other), hash_ahead(t.world));
  msd_destroy_world(other);
  contact_step_free(&t);
}

/* A state of what sticks takes along that another world does, too. */
Test(grip_snapshot, a_world_that_goes_back_to_where_nothing_stuck_holds_nothing) {
  touching t = sticking();
  msd_world *other = NULL;
  ok(t.world, msd_copy_world(t.world, &other));
  friction_cache_clear(friction_cache_of(other));
  change_a_place(other);
  const snapshot state = saved_state_of(other);
  ok(t.world, msd_world_restore_state(t.world, state.data, state.size));
  cr_assert_eq(friction_cache_of(t.world)->count, 0);
  cr_assert_eq(hash_ahead(t.world), hash_ahead(other));
  free(state.data);
  msd_destroy_world(other);
  contact_step_free(&t);
}

/* Loads a world in which nothing sticks and takes a substep. False if near pairs were chosen again in it. */
static bool is_noted_without_choice(const snapshot *of, int32_t least) {
  msd_world *loaded = NULL;
  cr_assert_eq(load(of, &loaded), MSD_OK);
  cr_assert_eq(friction_cache_of(loaded)->capacity, 0);
  const double chosen_at = loaded->stepper.self.cache.chosen_at;
  step(loaded, STEP / SUBSTEPS, 1);
  const bool goes_on = loaded->stepper.self.cache.chosen_at == chosen_at;
  if (goes_on)
    cr_assert_gt(friction_cache_of(loaded)->count, least);
  msd_destroy_world(loaded);
  return goes_on;
}

/* The cache has capacity for that where near pairs are not chosen again. A choice may end with a frame, but
   not with each. */
Test(grip_snapshot, what_sticks_first_behind_a_snapshot_is_noted) {
  touching t = sticking();
  const int32_t held = friction_cache_of(t.world)->count;
  bool goes_on = false;
  for (int frame = 0; frame < 8 && !goes_on; frame++) {
    friction_cache_clear(friction_cache_of(t.world));
    const snapshot whole = snapshot_of(t.world);
    goes_on = is_noted_without_choice(&whole, held / 2);
    free(whole.data);
    step(t.world, STEP, SUBSTEPS);
  }
  cr_assert(goes_on);
  contact_step_free(&t);
}

/* Those behind a particle that is destroyed have other numbers. */
Test(grip_snapshot, particles_of_other_numbers_let_go) {
  touching t = sticking();
  const int32_t loose = msd_world_get_particle_count(t.world) - 1;
  ok(t.world, msd_destroy_objects(t.world, MSD_OBJECT_PARTICLE, &loose, 1));
  ok(t.world, msd_world_compact(t.world, NULL));
  cr_assert_eq(friction_cache_of(t.world)->count, 0);
  contact_step_free(&t);
}

Test(grip_snapshot, surfaces_that_do_not_act_in_a_step_let_go) {
  touching t = sticking();
  for (int32_t a = 0; a < 3; a++)
    for (int32_t b = a; b < 3; b++)
      ok(t.world, msd_collision_mesh_exclude(t.world, a, b));
  step(t.world, STEP, SUBSTEPS);
  cr_assert_eq(friction_cache_of(t.world)->count, 0);
  contact_step_free(&t);
}

Test(grip_snapshot, what_comes_apart_lets_go) {
  touching t = sticking();
  ok(t.world, msd_world_set_gravity(t.world, vector(0, 0, 0)));
  throw_all(t.world, 3, SHEET, vector(0, 1, 0));
  throw_all(t.world, 3 + SHEET, SHEET, vector(0, 3, 0));
  step(t.world, STEP, SUBSTEPS);
  cr_assert_eq(friction_cache_of(t.world)->count, 0);
  contact_step_free(&t);
}

/* ------------------------------------------------------------------------------------------------- forged */

/* Both as a state, which has no checksum, and as a snapshot that is signed. */
static void expect_result(msd_world *world, msd_result wanted, const char *what, double number) {
  const snapshot state = saved_state_of(world), whole = snapshot_of(world);
  const msd_result of_state = msd_world_restore_state(world, state.data, state.size);
  msd_world *loaded = NULL;
  const msd_result of_whole = load(&whole, &loaded);
  cr_expect_eq(of_state, wanted, "%s %g as a state", what, number);
  cr_expect_eq(of_whole, wanted, "%s %g as a snapshot", what, number);
  msd_destroy_world(loaded);
  free(state.data);
  free(whole.data);
}

Test(grip_snapshot, numbers_that_no_grip_has_are_refused) {
  touching t = sticking();
  friction_anchor *at = &friction_cache_of(t.world)->all[friction_cache_of(t.world)->count / 2];
  const friction_anchor good = *at;
  expect_result(t.world, MSD_OK, "nothing", 0);
  at = &friction_cache_of(t.world)->all[friction_cache_of(t.world)->count / 2];
  static const double numbers[] = {NAN, INFINITY, -INFINITY, -1e30};
  for (int n = 0; n < 4; n++) {
    at->way[n % 3] = (msd_real)numbers[n];
    expect_result(t.world, MSD_BAD_SNAPSHOT, "way", numbers[n]);
    *at = good;
    at->mass = (msd_real)numbers[n];
    expect_result(t.world, MSD_BAD_SNAPSHOT, "mass", numbers[n]);
    *at = good;
  }
  static const int32_t particles[] = {-1, INT_MIN, INT_MAX, 3 + 2 * SHEET + 1};
  for (int n = 0; n < 4; n++) {
    at->particles[n] = particles[n];
    expect_result(t.world, MSD_BAD_SNAPSHOT, "particle", particles[n]);
    *at = good;
  }
  for (int kind = 2; kind < 256; kind += 23) {
    at->kind = (pair_kind)kind;
    expect_result(t.world, MSD_BAD_SNAPSHOT, "kind", kind);
    *at = good;
  }
  expect_result(t.world, MSD_OK, "nothing", 0);
  contact_step_free(&t);
}

/* Any ways and masses that are taken, of all pairs. */
static void forge(friction_cache *g, generator *random) {
  static const double ways[] = {0, 1e-6, 1e-3, 1, 1e6, 1e12}, masses[] = {0, 1e-30, 1e-3, 1, 1e12, 1e38};
  for (int32_t n = 0; n < g->count; n++) {
    for (int axis = 0; axis < 3; axis++)
      g->all[n].way[axis] = (msd_real)((2 * random_share(random) - 1) * ways[random_below(random, 6)]);
    g->all[n].mass = (msd_real)masses[random_below(random, 6)];
    if (random_below(random, 4) == 0)
      g->all[n].particles[random_below(random, 4)] = random_below(random, g->particles);
  }
}

/* m/s: of the particles of both sheets. */
static double fastest(const msd_world *world) {
  double most = 0;
  for (int32_t i = 3; i < 3 + 2 * SHEET; i++)
    most = fmax(most, length_of_vector(msd_particle_get_velocity(world, i)));
  return most;
}

/* Nothing is held harder than by mu J, which stops what lies there and does not throw it. */
Test(grip_snapshot, any_ways_and_masses_hold_no_harder_than_friction_may) {
  touching t = sticking();
  change_a_place(t.world);
  generator random = {.state = 4};
  for (int trial = 0; trial < share_of(40); trial++) {
    msd_world *other = NULL;
    ok(t.world, msd_copy_world(t.world, &other));
    forge(friction_cache_of(other), &random);
    const snapshot state = saved_state_of(other);
    ok(other, msd_world_restore_state(other, state.data, state.size));
    for (int n = 0; n < AHEAD; n++) {
      step(other, STEP, SUBSTEPS);
      const touching there = {other, t.triangles, t.segments, t.triangle_count, t.segment_count};
      cr_assert_eq(touching_intersections(&there), 0, "trial %d", trial);
      cr_assert_lt(fastest(other), 0.5, "trial %d: %g m/s", trial, fastest(other));
    }
    free(state.data);
    msd_destroy_world(other);
  }
  contact_step_free(&t);
}
