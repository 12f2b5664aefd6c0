/* Sleep: what rests is left out of the steps, and wakes when it is touched. */
#include "tests/support/constraints.h"
#include "tests/support/share.h"
#include "tests/support/sleepers.h"

#include "engine/world/world.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Ropes of one piece each, of so many particles, beside each other, that hang from a pin. */
static void add_ropes(msd_world *world, int count, int particles) {
  for (int n = 0; n < count; n++) {
    const int32_t first = msd_world_get_particle_count(world);
    for (int i = 0; i < particles; i++) {
      msd_particle_def def = msd_default_particle_def();
      def.position = (msd_vec3){(msd_real)n, -(msd_real)i / 16, 0};
      def.mass = (msd_real)0.0625;
      def.pinned = i == 0;
      ASSERT_OK(world, msd_add_particles(world, &def, 1, NULL));
    }
    for (int i = 0; i + 1 < particles; i++) {
      msd_spring_def def = sleepers_spring(2000, 4);
      def.a = first + i;
      def.b = first + i + 1;
      ASSERT_OK(world, msd_add_springs(world, &def, 1, NULL));
    }
  }
}

static msd_world *two_blocks(int threads, msd_simd simd) {
  msd_world *world = sleepers_world(threads, simd);
  add_sleepers_ground(world);
  add_sleepers_block(world, (msd_vec3){0, (msd_real)0.01, 0});
  add_sleepers_block(world, (msd_vec3){3, (msd_real)0.01, 0});
  return world;
}

static msd_world *sleeping_blocks(void) {
  msd_world *world = two_blocks(1, MSD_SIMD_WIDEST);
  step_until_asleep(world, 2 * BLOCK_PARTICLES);
  return world;
}

Test(sleep, blocks_on_the_ground_fall_asleep_and_stay_where_they_are) {
  msd_world *world = sleeping_blocks();
  const uint64_t hash = msd_world_hash(world);
  const int64_t steps = msd_world_get_steps(world);
  step_sleepers(world, 20);
  cr_assert_eq(msd_world_hash(world), hash);
  cr_assert_eq(msd_world_get_steps(world), steps + 20 * SLEEPERS_SUBSTEPS);
  cr_assert_eq(msd_world_get_stats(world).kinetic_energy, 0);
  msd_destroy_world(world);
}

/* What sleeps is not written: the other state of it keeps what somebody put there. */
Test(sleep, chunks_in_which_all_sleep_are_not_touched) {
  msd_world *world = sleeping_blocks();
  ASSERT_OK(world, msd_particle_set_velocity(world, 2 * BLOCK_PARTICLES - 1, (msd_vec3){1, 0, 0}));
  step_sleepers(world, 1);
  cr_assert_eq(msd_world_get_stats(world).asleep, BLOCK_PARTICLES);
  const particle_store *p = &world->model.particles;
  msd_real *other = p->slab[!p->current];
  size_t poisoned = 0;
  for (int32_t i = 0; i < BLOCK_PARTICLES; i++)
    if (particle_slot(p, i) < NETWORK_CHUNK) {
      other[particle_slot(p, i)] = (msd_real)1234.5;
      poisoned++;
    }
  cr_assert_gt(poisoned, NETWORK_CHUNK / 2);
  step_sleepers(world, 3); /* an even number of substeps */
  for (int32_t i = 0; i < BLOCK_PARTICLES; i++)
    if (particle_slot(p, i) < NETWORK_CHUNK)
      cr_assert_eq(p->slab[!p->current][particle_slot(p, i)], (msd_real)1234.5);
  msd_destroy_world(world);
}

/* Springs of physical laws, so that pins change nothing else. */
Test(sleep, sleepers_are_to_all_others_what_pins_that_stand_are) {
  msd_world *world = two_blocks(1, MSD_SIMD_WIDEST), *twin = two_blocks(1, MSD_SIMD_WIDEST);
  const msd_sleep_def off = {0, 1, msd_default_sleep_def().cookie};
  ASSERT_OK(twin, msd_world_set_sleep(twin, &off));
  add_ropes(world, 9, 30);
  add_ropes(twin, 9, 30);
  int32_t slept = 0;
  for (int frame = 0; frame < 400; frame++) {
    const msd_vec3 kick = {(msd_real)0.5, 0, 0};
    const int32_t kicked = 2 * BLOCK_PARTICLES + 30 * (frame / 40 % 9) + 17;
    for (int n = 0; n < 2 && frame % 40 == 0; n++)
      ASSERT_OK(n ? twin : world, msd_particle_set_velocity(n ? twin : world, kicked, kick));
    for (int32_t i = 0; i < msd_world_get_particle_count(world); i++) {
      const bool is_root = i >= 2 * BLOCK_PARTICLES && (i - 2 * BLOCK_PARTICLES) % 30 == 0;
      const bool holds = is_root || msd_particle_is_asleep(world, i);
      if (holds != msd_particle_is_pinned(twin, i)) {
        const msd_vec3 v = msd_particle_get_velocity(world, i);
        ASSERT_OK(twin, holds ? msd_particle_pin(twin, i) : msd_particle_unpin(twin, i));
        ASSERT_OK(twin, msd_particle_set_velocity(twin, i, v));
      }
      slept += holds && !is_root;
    }
    /* Of an odd number of substeps, so that the two states take turns. */
    ASSERT_OK(world, msd_world_step(world, SLEEPERS_FRAME, SLEEPERS_SUBSTEPS - 1));
    ASSERT_OK(twin, msd_world_step(twin, SLEEPERS_FRAME, SLEEPERS_SUBSTEPS - 1));
    for (int32_t i = 0; i < msd_world_get_particle_count(world); i++) {
      const msd_vec3 x = msd_particle_get_position(world, i), y = msd_particle_get_position(twin, i);
      cr_assert(x.x == y.x && x.y == y.y && x.z == y.z, "particle %d, frame %d", (int)i, frame);
    }
  }
  cr_assert_gt(slept, 100000);
  msd_destroy_world(twin);
  msd_destroy_world(world);
}

/* Some asleep, some falling asleep, some woken. */
static void play(msd_world *world, int frames) {
  for (int frame = 0; frame < frames; frame++) {
    if (frame % 50 == 20)
      ASSERT_OK(world, msd_particle_apply_force(world, BLOCK_PARTICLES - 1, (msd_vec3){30, 10, 5}));
    step_sleepers(world, 1);
  }
}

static msd_world *busy_sleepers(int threads, msd_simd simd) {
  msd_world *world = two_blocks(threads, simd);
  add_ropes(world, 5, 40);
  return world;
}

Test(sleep, bits_do_not_depend_on_threads_and_widths) {
  msd_world *reference = busy_sleepers(1, MSD_SIMD_SCALAR);
  play(reference, 170);
  cr_assert_gt(msd_world_get_stats(reference).asleep, 0);
  for (int threads = 1; threads <= 5; threads += in_part ? 4 : 2)
    for (int simd = 0; simd < MSD_SIMD_COUNT; simd++) {
      msd_world *world = busy_sleepers(threads, (msd_simd)simd);
      play(world, 170);
      cr_assert_eq(msd_world_hash(world), msd_world_hash(reference), "%d threads, width %d", threads, simd);
      cr_assert_eq(msd_world_get_stats(world).asleep, msd_world_get_stats(reference).asleep);
      msd_destroy_world(world);
    }
  msd_destroy_world(reference);
}

Test(sleep, snapshots_states_and_copies_go_on_with_the_same_bits_at_every_moment) {
  msd_world *world = busy_sleepers(1, MSD_SIMD_WIDEST);
  bool was_half = false;
  for (int moment = 0; moment < 12; moment++) {
    play(world, 15);
    msd_world *copy = NULL;
    ASSERT_OK(world, msd_copy_world(world, &copy));
    size_t size = 0;
    cr_assert_eq(msd_world_save_state(world, NULL, 0, &size), MSD_OK);
    void *state = malloc(size);
    cr_assert_eq(msd_world_save_state(world, state, size, &size), MSD_OK);
    const msd_stats before = msd_world_get_stats(world);
    was_half = was_half || (before.asleep > 0 && before.asleep < before.particles);
    play(world, 40);
    play(copy, 40);
    const uint64_t hash = msd_world_hash(world);
    cr_assert_eq(msd_world_hash(copy), hash, "moment %d", moment);
    ASSERT_OK(world, msd_world_restore_state(world, state, size));
    cr_assert_eq(msd_world_get_stats(world).asleep, before.asleep);
    play(world, 40);
    cr_assert_eq(msd_world_hash(world), hash, "moment %d", moment);
    ASSERT_OK(world, msd_world_restore_state(world, state, size));
    free(state);
    msd_destroy_world(copy);
  }
  cr_assert(was_half);
  msd_destroy_world(world);
}

/* Four particles with a speed each and a constraint between them; returns the first. */
static int32_t add_joined(msd_world *world, msd_constraint_kind kind) {
  static const msd_real places[4][3] = {{5, 1, 0}, {6, 1, 0}, {6, 2, (msd_real)0.25}, {5, 2, 1}};
  static const int32_t corners[12] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3};
  const int32_t first = msd_world_get_particle_count(world);
  for (int n = 0; n < 4; n++) {
    msd_particle_def def = msd_default_particle_def();
    def.position = (msd_vec3){places[n][0], places[n][1], places[n][2]};
    def.velocity = (msd_vec3){(msd_real)n, (msd_real)(n % 2), (msd_real)(n / 2)};
    ASSERT_OK(world, msd_add_particles(world, &def, 1, NULL));
  }
  int32_t triangles[12];
  msd_constraint_def def = constraint_of(kind, first, first + 1, first + 2, first + 3);
  for (int n = 0; n < 12; n++)
    triangles[n] = first + corners[n];
  if (kind == MSD_CONSTRAINT_MESH_VOLUME) {
    def.triangles = triangles;
    def.triangle_count = 4;
  }
  def.law = MSD_SPRING_STIFFNESS;
  def.stiffness = 4;
  ASSERT_OK(world, msd_add_constraints(world, &def, 1, NULL));
  return first;
}

Test(sleep, constraints_of_every_kind_act_beside_what_sleeps_as_if_it_were_not_there) {
  for (int kind = 0; kind < MSD_CONSTRAINT_KIND_COUNT; kind++) {
    msd_world *both = sleepers_world(1, MSD_SIMD_WIDEST), *alone = sleepers_world(1, MSD_SIMD_WIDEST);
    add_ropes(both, 1, 12);
    step_until_asleep(both, 12);
    const int32_t there = add_joined(both, (msd_constraint_kind)kind),
                  here = add_joined(alone, (msd_constraint_kind)kind);
    step_sleepers(both, 8);
    step_sleepers(alone, 8);
    cr_assert_eq(msd_world_get_stats(both).asleep, 12);
    for (int32_t n = 0; n < 4; n++) {
      const msd_vec3 p = msd_particle_get_position(both, there + n);
      const msd_vec3 q = msd_particle_get_position(alone, here + n);
      cr_assert(p.x == q.x && p.y == q.y && p.z == q.z, "%s, particle %d",
                msd_constraint_kind_name((msd_constraint_kind)kind), (int)n);
    }
    msd_destroy_world(both);
    msd_destroy_world(alone);
  }
}

Test(sleep, energy_never_grows) {
  msd_world *world = two_blocks(1, MSD_SIMD_WIDEST);
  double least = INFINITY;
  int32_t asleep = 0;
  for (int frame = 0; frame < 300; frame++) {
    const msd_stats before = msd_world_get_stats(world);
    step_sleepers(world, 1);
    const msd_stats s = msd_world_get_stats(world);
    const double energy = s.kinetic_energy + s.elastic_energy + s.potential_energy;
    cr_assert_leq(energy, least + 1e-4 * fabs(least), "frame %d", frame);
    cr_assert(s.asleep >= before.asleep);
    least = fmin(least, energy);
    asleep = s.asleep;
  }
  cr_assert_eq(asleep, 2 * BLOCK_PARTICLES);
  msd_destroy_world(world);
}

Test(sleep, a_step_of_a_world_that_can_sleep_but_does_not_is_that_of_one_that_cannot) {
  msd_world *world = busy_sleepers(2, MSD_SIMD_WIDEST), *plain = busy_sleepers(2, MSD_SIMD_WIDEST);
  const msd_sleep_def off = {0, 1, msd_default_sleep_def().cookie};
  ASSERT_OK(plain, msd_world_set_sleep(plain, &off));
  while (msd_world_get_stats(world).asleep == 0) {
    cr_assert_eq(msd_world_hash(world), msd_world_hash(plain));
    step_sleepers(world, 1);
    step_sleepers(plain, 1);
  }
  cr_assert_eq(msd_world_get_stats(plain).asleep, 0);
  msd_destroy_world(plain);
  msd_destroy_world(world);
}

/* ------------------------------------------------------------------------------------------- what wakes */

typedef void cause(msd_world *world);

static void by_force(msd_world *world) {
  ASSERT_OK(world, msd_particle_apply_force(world, 100, (msd_vec3){0, 1, 0}));
}

static void by_velocity(msd_world *world) {
  ASSERT_OK(world, msd_particle_set_velocity(world, 100, (msd_vec3){0, 1, 0}));
}

static void by_position(msd_world *world) {
  ASSERT_OK(world, msd_particle_set_position(world, 100, msd_particle_get_position(world, 100)));
}

static void by_bulk(msd_world *world) {
  const float place[3] = {0, 1, 0};
  const msd_particle_set which = {.first = 100, .count = 1};
  ASSERT_OK(world, msd_world_write(world, which, MSD_VELOCITY,
                                   (msd_memory_layout){.number = MSD_SCALAR_FLOAT}, place));
}

static void by_pin(msd_world *world) {
  ASSERT_OK(world, msd_particle_pin(world, 100));
}

static void by_mass(msd_world *world) {
  ASSERT_OK(world, msd_particle_set_mass(world, 100, 1));
}

static void by_law(msd_world *world) {
  const msd_spring_def def = sleepers_spring(300, 1);
  ASSERT_OK(world, msd_spring_set_law(world, 50, &def));
}

static void by_rest(msd_world *world) {
  ASSERT_OK(world, msd_spring_set_rest_length(world, 50, (msd_real)0.3));
}

static void by_going_rest(msd_world *world) {
  ASSERT_OK(world, msd_spring_move_rest_length_to(world, 50, (msd_real)0.3));
}

static void by_break(msd_world *world) {
  ASSERT_OK(world, msd_spring_break(world, 50));
}

static void by_new_spring(msd_world *world) {
  msd_spring_def def = sleepers_spring(300, 1);
  def.a = 100;
  def.b = 200;
  ASSERT_OK(world, msd_add_springs(world, &def, 1, NULL));
}

static void by_new_constraint(msd_world *world) {
  msd_constraint_def def = msd_default_constraint_def();
  def.particles[0] = 0;
  def.particles[1] = 1;
  def.particles[2] = 7;
  def.stiffness = 1;
  def.law = MSD_SPRING_STIFFNESS;
  ASSERT_OK(world, msd_add_constraints(world, &def, 1, NULL));
}

static void by_soft_pin(msd_world *world) {
  msd_soft_pin_def def = msd_default_soft_pin_def();
  def.particle = 100;
  def.position = msd_particle_get_position(world, 100);
  ASSERT_OK(world, msd_add_soft_pins(world, &def, 1, NULL));
}

static void by_call(msd_world *world) {
  ASSERT_OK(world, msd_particle_wake(world, 100));
}

static void by_gravity(msd_world *world) {
  ASSERT_OK(world, msd_world_set_gravity(world, (msd_vec3){0, -9, 0}));
}

static void by_drag(msd_world *world) {
  ASSERT_OK(world, msd_world_set_linear_damping(world, 1));
}

static void by_wind(msd_world *world) {
  const msd_wind_def def = msd_default_wind_def();
  ASSERT_OK(world, msd_world_set_wind(world, &def));
}

static void by_contact(msd_world *world) {
  const msd_contact_settings def = msd_default_contact_settings();
  ASSERT_OK(world, msd_world_set_contact_settings(world, &def));
}

static void by_new_collider(msd_world *world) {
  add_sleepers_ground(world);
}

static void by_all(msd_world *world) {
  ASSERT_OK(world, msd_world_wake_all(world));
}

static void by_setting(msd_world *world) {
  const msd_sleep_def def = msd_world_get_sleep(world);
  ASSERT_OK(world, msd_world_set_sleep(world, &def));
}

static const struct {
  const char *name;
  cause *act;
  bool wakes_all, at_the_step;
} causes[] = {{"force", by_force, false, false},
              {"velocity", by_velocity, false, false},
              {"position", by_position, false, false},
              {"bulk", by_bulk, false, false},
              {"pin", by_pin, false, false},
              {"mass", by_mass, false, false},
              {"law", by_law, false, false},
              {"rest length", by_rest, false, false},
              {"rest length that goes", by_going_rest, false, true},
              {"break", by_break, false, false},
              {"spring", by_new_spring, false, false},
              {"constraint", by_new_constraint, false, false},
              {"soft_pin", by_soft_pin, false, false},
              {"call", by_call, false, false},
              {"gravity", by_gravity, true, false},
              {"drag", by_drag, true, false},
              {"wind", by_wind, true, false},
              {"contact", by_contact, true, false},
              {"collider", by_new_collider, true, false},
              {"all", by_all, true, false},
              {"setting", by_setting, true, false}};

Test(sleep, whatever_touches_a_particle_wakes_its_island_and_no_other) {
  msd_world *sleeping = sleeping_blocks();
  for (size_t n = 0; n < sizeof causes / sizeof causes[0]; n++) {
    msd_world *world = NULL;
    ASSERT_OK(sleeping, msd_copy_world(sleeping, &world));
    causes[n].act(world);
    if (!causes[n].at_the_step)
      cr_assert_not(msd_particle_is_asleep(world, 0), "%s", causes[n].name);
    step_sleepers(world, 1);
    const int32_t woken = causes[n].wakes_all ? 2 * BLOCK_PARTICLES : BLOCK_PARTICLES;
    cr_assert_eq(msd_world_get_stats(world).asleep, 2 * BLOCK_PARTICLES - woken, "%s", causes[n].name);
    msd_destroy_world(world);
  }
  msd_destroy_world(sleeping);
}

Test(sleep, a_collider_wakes_what_it_comes_to_and_nothing_from_afar) {
  msd_world *world = two_blocks(1, MSD_SIMD_WIDEST);
  msd_collider_def def = msd_default_collider_def();
  def.kind = MSD_COLLIDER_SPHERE;
  def.radius = (msd_real)0.25;
  def.position = (msd_vec3){(msd_real)0.5, 3, (msd_real)0.5};
  ASSERT_OK(world, msd_add_colliders(world, &def, 1, NULL));
  step_until_asleep(world, 2 * BLOCK_PARTICLES);
  const msd_real top = msd_particle_get_position(world, BLOCK_PARTICLES - 1).y;
  for (int frame = 1; msd_particle_is_asleep(world, 0); frame++) {
    def.position.y -= (msd_real)0.0625;
    cr_assert_gt(def.position.y, top - def.radius, "frame %d", frame);
    const bool is_far = def.position.y - def.radius > top + (msd_real)0.25;
    ASSERT_OK(world, msd_collider_move_to(world, 1, def.position, def.rotation));
    step_sleepers(world, 1);
    cr_assert(!is_far || msd_particle_is_asleep(world, 0));
  }
  cr_assert_gt(def.position.y, top); /* before it is in it */
  cr_assert(msd_particle_is_asleep(world, BLOCK_PARTICLES));
  msd_destroy_world(world);
}

Test(sleep, a_pin_or_an_soft_pin_that_moves_wakes_what_hangs_from_it) {
  msd_world *world = sleepers_world(1, MSD_SIMD_WIDEST);
  add_ropes(world, 2, 30);
  msd_soft_pin_def def = msd_default_soft_pin_def();
  def.particle = 59;
  def.position = (msd_vec3){1, -2, 0};
  ASSERT_OK(world, msd_add_soft_pins(world, &def, 1, NULL));
  step_until_asleep(world, 60);
  const msd_vec3 force = msd_soft_pin_get_force(world, 0);
  step_sleepers(world, 1);
  cr_assert_eq(msd_soft_pin_get_force(world, 0).y, force.y);
  ASSERT_OK(world, msd_particle_move_to(world, 0, (msd_vec3){0, (msd_real)0.01, 0}));
  step_sleepers(world, 1);
  cr_assert(!msd_particle_is_asleep(world, 29) && msd_particle_is_asleep(world, 30));
  ASSERT_OK(world, msd_soft_pin_move_to(world, 0, (msd_vec3){1, (msd_real)-2.01, 0}));
  step_sleepers(world, 1);
  cr_assert_not(msd_particle_is_asleep(world, 30));
  step_until_asleep(world, 60);
  msd_destroy_world(world);
}

Test(sleep, what_is_cut_off_falls) {
  msd_world *world = sleepers_world(1, MSD_SIMD_WIDEST);
  add_ropes(world, 1, 30);
  step_until_asleep(world, 30);
  const msd_real before = msd_particle_get_position(world, 29).y;
  ASSERT_OK(world, msd_spring_break(world, 14));
  step_sleepers(world, 40);
  cr_assert_lt(msd_particle_get_position(world, 29).y, before - (msd_real)0.1);
  cr_assert_not(msd_particle_is_asleep(world, 29));
  msd_destroy_world(world);
}

Test(sleep, another_substep_wakes_what_has_laws_that_follow_it) {
  for (int follows = 0; follows < 2; follows++) {
    msd_world *world = sleepers_world(1, MSD_SIMD_WIDEST);
    add_ropes(world, 1, 10);
    msd_spring_def def = msd_default_spring_def();
    def.law = MSD_SPRING_COEFFICIENT;
    def.ck = (msd_real)0.01;
    def.cd = (msd_real)0.1;
    if (follows)
      ASSERT_OK(world, msd_spring_set_law(world, 3, &def));
    step_until_asleep(world, 10);
    ASSERT_OK(world, msd_world_step(world, SLEEPERS_FRAME, 2 * SLEEPERS_SUBSTEPS));
    cr_assert_eq(msd_world_get_stats(world).asleep, follows ? 0 : 10);
    msd_destroy_world(world);
  }
}

/* --------------------------------------------------------------------------------------------- settings */

Test(sleep, other_integrators_and_watched_energies_are_refused_with_the_reason) {
  msd_world *world = two_blocks(1, MSD_SIMD_WIDEST);
  ASSERT_OK(world, msd_world_set_energy_mode(world, MSD_ENERGY_BOUNDED));
  cr_assert_eq(msd_world_step(world, SLEEPERS_FRAME, 8), MSD_BAD_VALUE);
  cr_assert(strstr(msd_world_message(world), "bounded") && strstr(msd_world_message(world), "off"), "%s",
            msd_world_message(world));
  ASSERT_OK(world, msd_world_set_energy_mode(world, MSD_ENERGY_OFF));
  ASSERT_OK(world, msd_world_set_integrator(world, MSD_SEQUENTIAL_IMPULSE));
  cr_assert_eq(msd_world_step(world, SLEEPERS_FRAME, 8), MSD_BAD_VALUE);
  cr_assert(strstr(msd_world_message(world), "symplectic_euler"), "%s", msd_world_message(world));
  msd_destroy_world(world);
}

Test(sleep, settings_outside_of_their_ranges_are_refused) {
  msd_world *world = two_blocks(1, MSD_SIMD_WIDEST);
  msd_sleep_def def = msd_default_sleep_def();
  def.speed = -1;
  cr_assert_eq(msd_world_set_sleep(world, &def), MSD_BAD_VALUE);
  def.speed = 1;
  def.delay = 0;
  cr_assert_eq(msd_world_set_sleep(world, &def), MSD_BAD_VALUE);
  def.delay = (msd_real)NAN;
  cr_assert_eq(msd_world_set_sleep(world, &def), MSD_BAD_VALUE);
  cr_assert_eq(msd_world_set_sleep(world, &(msd_sleep_def){1, 1, 0}), MSD_UNINITIALIZED_DEF);
  cr_assert_eq(msd_world_get_sleep(world).speed, (msd_real)0.02);
  msd_destroy_world(world);
}

/* More than there was room for when something slept. */
Test(sleep, what_is_added_to_a_world_that_is_told_not_to_sleep_moves_with_what_woke) {
  msd_world *world = sleeping_blocks();
  msd_sleep_def def = msd_default_sleep_def();
  def.speed = 0;
  ASSERT_OK(world, msd_world_set_sleep(world, &def));
  const int32_t first = msd_world_get_particle_count(world);
  add_ropes(world, 40, 40);
  ASSERT_OK(world, msd_world_set_gravity(world, (msd_vec3){0, 10, 0}));
  const msd_vec3 block = msd_particle_get_position(world, 5),
                 rope = msd_particle_get_position(world, first + 5);
  step_sleepers(world, 4);
  cr_assert_gt(msd_particle_get_position(world, 5).y, block.y);
  cr_assert_gt(msd_particle_get_position(world, first + 5).y, rope.y);
  msd_destroy_world(world);
}

Test(sleep, a_world_that_is_told_not_to_sleep_goes_on_as_one_that_never_did) {
  msd_world *world = sleeping_blocks();
  const msd_sleep_def off = {0, 1, msd_default_sleep_def().cookie};
  ASSERT_OK(world, msd_world_set_sleep(world, &off));
  msd_world *copy = NULL;
  ASSERT_OK(world, msd_copy_world(world, &copy));
  step_sleepers(world, 10);
  step_sleepers(copy, 10);
  cr_assert_eq(msd_world_hash(world), msd_world_hash(copy));
  cr_assert_eq(msd_world_get_stats(world).asleep, 0);
  cr_assert_null(world->model.sleep.piece);
  msd_destroy_world(copy);
  msd_destroy_world(world);
}
