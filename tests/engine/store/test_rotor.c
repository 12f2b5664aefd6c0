/* Rotors and torsion springs as they are kept: definitions, what is refused, energies, memory, snapshots. */
#include "tests/support/rotors.h"

#include "engine/world/snapshot.h"
#include "engine/world/world.h"

#include <string.h>

/* Three rotors, the last pinned; springs 0-1, 1-2 and 0-frame. */
static msd_world *three_rotors(void) {
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  add_rotor(world, 2, 0.5, 0);
  add_rotor(world, 4, 0, 1);
  add_pinned_rotor(world, 1, 0);
  add_angular(world, angular(8, 0.5), 0, 1, 0);
  add_angular(world, angular_coefficient(0.25, 0.5), 1, 2, 0);
  add_angular(world, angular(16, 0), 0, MSD_GROUND, 0.25);
  return world;
}

static void assert_message(const msd_world *world, const char *part) {
  cr_assert(strstr(msd_world_message(world), part) != NULL, "\"%s\" does not say \"%s\"",
            msd_world_message(world), part);
}

/* ------------------------------------------------------------------------------------------- definitions */

Test(rotor, a_default_rotor_is_still_at_0_and_weighs_1) {
  const msd_rotor_def def = msd_default_rotor_def();
  cr_assert(def.angle == 0 && def.angular_velocity == 0 && def.inertia == 1 && !def.pinned);
}

Test(rotor, a_default_torsion_spring_is_physical_joins_the_frame_and_rests_as_placed) {
  const msd_torsion_spring_def def = msd_default_torsion_spring_def();
  cr_assert(def.a == -1 && def.b == MSD_GROUND && def.rest_angle == (double)MSD_AS_PLACED);
  cr_assert(def.law == MSD_SPRING_STIFFNESS && def.stiffness == 0 && def.damping == 0);
  cr_assert(def.ck == MSD_MAX_STABLE && def.cd == MSD_MAX_STABLE);
}

Test(rotor, definitions_are_kept_as_they_were_given) {
  msd_world *world = three_rotors();
  cr_assert_eq(msd_world_get_rotor_count(world), 3);
  cr_assert_eq(msd_world_get_torsion_spring_count(world), 3);
  msd_rotor_def def = msd_rotor_get_def(world, 1);
  cr_assert(def.angle == 0 && def.angular_velocity == 1 && def.inertia == 4 && !def.pinned);
  cr_assert(msd_rotor_get_def(world, 2).pinned);
  def.angle = -3;
  def.inertia = 7;
  ok(world, msd_rotor_set_def(world, 1, &def));
  cr_assert(msd_rotor_get_angle(world, 1) == -3 && msd_rotor_get_def(world, 1).inertia == 7);
  cr_assert_eq(msd_rotor_get_angular_velocity(world, 1), 1);
  const msd_torsion_spring_def spring = msd_torsion_spring_get_def(world, 1);
  cr_assert(spring.a == 1 && spring.b == 2 && spring.law == MSD_SPRING_COEFFICIENT);
  cr_assert(spring.ck == (msd_real)0.25 && spring.cd == (msd_real)0.5 && spring.rest_angle == 0);
  cr_assert_eq(msd_torsion_spring_get_def(world, 2).b, MSD_GROUND);
  msd_destroy_world(world);
}

Test(rotor, a_spring_as_placed_has_no_torque) {
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  add_rotor(world, 1, 0.1, 0);
  add_rotor(world, 1, 20000.7, 0);
  const int32_t pair = add_angular(world, angular(1e6, 0), 1, 0, (double)MSD_AS_PLACED);
  const int32_t frame = add_angular(world, angular(1e6, 0), 1, MSD_GROUND, (double)MSD_AS_PLACED);
  cr_assert_eq(msd_torsion_spring_get_torque(world, pair), 0);
  cr_assert_eq(msd_torsion_spring_get_torque(world, frame), 0);
  ok(world, msd_torsion_spring_set_rest_angle(world, frame, 0));
  cr_assert_neq(msd_torsion_spring_get_torque(world, frame), 0);
  ok(world, msd_torsion_spring_set_rest_angle(world, frame, (double)MSD_AS_PLACED));
  cr_assert_eq(msd_torsion_spring_get_torque(world, frame), 0);
  msd_destroy_world(world);
}

/* k (0.5 - 0) + mu (0 - 1) = 8 x 0.5 - 0.5 */
Test(rotor, torque_is_k_C_plus_mu_times_its_rate) {
  msd_world *world = three_rotors();
  cr_assert_eq(msd_torsion_spring_get_torque(world, 0), 3.5);
  cr_assert_eq(msd_torsion_spring_get_torque(world, 2), 4);
  cr_assert_eq(msd_torsion_spring_get_torque(world, 1), 0,
               "a coefficient spring has none before the first step");
  ok(world, msd_world_step(world, (msd_real)0.0078125, 1));
  /* m = 4 beside a pin: k = 0.25 x 4/dt^2 = 16384, mu = 0.5 x 4/dt = 256 */
  const double error = angle_of(world, 1) - 1, rate = turning_of(world, 1);
  const double torque = msd_torsion_spring_get_torque(world, 1), wanted = 16384 * error + 256 * rate;
  cr_assert(fabs(torque - wanted) <= 1e-5 * fabs(wanted), "%g, not %g", torque, wanted);
  msd_destroy_world(world);
}

Test(rotor, frequency_and_retuned_springs_follow_their_law) {
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  add_rotor(world, 2, 1, 0);
  add_rotor(world, 2, 0, 0);
  msd_torsion_spring_def def = msd_default_torsion_spring_def();
  def.law = MSD_SPRING_FREQUENCY;
  def.frequency = 3;
  def.damping_ratio = (msd_real)0.5;
  const int32_t spring = add_angular(world, def, 0, 1, 0);
  const double k = 1 * pow(2 * PI * 3, 2); /* reduced inertia 1 */
  cr_assert_float_eq(msd_torsion_spring_get_torque(world, spring), k, 1e-12 * k);
  def = angular(5, 0);
  ok(world, msd_torsion_spring_set_law(world, spring, &def));
  cr_assert_eq(msd_torsion_spring_get_torque(world, spring), 5);
  cr_assert(msd_torsion_spring_get_def(world, spring).a == 0 &&
            msd_torsion_spring_get_def(world, spring).b == 1);
  msd_destroy_world(world);
}

/* 1/2 4 1^2 of rotor 1 (the pin counts not); 1/2 8 0.5^2 + 1/2 16 0.25^2. */
Test(rotor, energies_and_counts_are_in_the_statistics) {
  msd_world *world = three_rotors();
  msd_stats stats = msd_world_get_stats(world);
  cr_assert(stats.rotors == 3 && stats.torsion_springs == 3 && stats.particles == 0 && stats.springs == 0);
  cr_assert_eq(stats.kinetic_energy, 2);
  cr_assert_eq(stats.elastic_energy, 1.5);
  ok(world, msd_torsion_spring_break(world, 0));
  stats = msd_world_get_stats(world);
  cr_assert_eq(stats.elastic_energy, 0.5);
  cr_assert_eq(stats.torsion_springs, 3);
  msd_destroy_world(world);
}

/* What is driven has no energy of its own, however fast it turns. */
Test(rotor, a_driven_rotor_has_no_kinetic_energy) {
  msd_world *world = three_rotors();
  msd_rotor_def driven = msd_rotor_get_def(world, 2);
  driven.angular_velocity = 3;
  ok(world, msd_rotor_set_def(world, 2, &driven));
  cr_assert_eq(msd_world_get_stats(world).kinetic_energy, 2);
  msd_destroy_world(world);
}

Test(rotor, a_broken_spring_has_no_torque_and_leaves_its_share_to_the_others) {
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  add_rotor(world, 1, 1, 0);
  const int32_t first = add_angular(world, angular_coefficient(-1, 0), 0, MSD_GROUND, 0);
  const int32_t second = add_angular(world, angular_coefficient(-1, 0), 0, MSD_GROUND, 0);
  ok(world, msd_world_step(world, 1, 1)); /* half each: C = 1 becomes 0 at once */
  cr_assert_eq(angle_of(world, 0), 0);
  ok(world, msd_torsion_spring_break(world, first));
  ok(world, msd_torsion_spring_break(world, first));
  cr_assert(msd_torsion_spring_is_broken(world, first) && !msd_torsion_spring_is_broken(world, second));
  msd_rotor_def def = msd_rotor_get_def(world, 0);
  def.angle = 1;
  def.angular_velocity = 0;
  ok(world, msd_rotor_set_def(world, 0, &def));
  cr_assert_eq(msd_torsion_spring_get_torque(world, first), 0);
  cr_assert_eq(msd_torsion_spring_get_torque(world, second), 1);
  ok(world, msd_world_step(world, 1, 1));
  cr_assert_eq(angle_of(world, 0), 0);
  msd_destroy_world(world);
}

/* Beyond 1e4 rad a float has steps of 0.001 rad. */
Test(rotor, what_is_read_and_written_back_keeps_its_bits) {
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  add_rotor(world, 1, 10000, 1.0 / 3);
  for (int i = 0; i < 10; i++)
    ok(world, msd_world_step(world, (msd_real)0.01, 1));
  const uint64_t hash = msd_world_hash(world);
  const msd_rotor_def def = msd_rotor_get_def(world, 0);
  ok(world, msd_rotor_set_def(world, 0, &def));
  cr_assert_eq(msd_world_hash(world), hash);
  msd_destroy_world(world);
}

/* ------------------------------------------------------------------------------------------------ misuse */

Test(rotor, bad_rotors_are_refused_and_none_is_added) {
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  msd_rotor_def defs[3] = {msd_default_rotor_def(), msd_default_rotor_def(), msd_default_rotor_def()};
  defs[2].cookie = 0;
  cr_assert_eq(msd_add_rotors(world, defs, 3, NULL), MSD_UNINITIALIZED_DEF);
  assert_message(world, "rotor definition 2: the definition was not made by msd_default_rotor_def");
  const msd_real inertias[] = {0, -1, (msd_real)NAN, (msd_real)INFINITY};
  for (int i = 0; i < 4; i++) {
    defs[2] = msd_default_rotor_def();
    defs[2].inertia = inertias[i];
    cr_assert_eq(msd_add_rotors(world, defs, 3, NULL), MSD_BAD_VALUE);
    assert_message(world, "inertia");
  }
  defs[2] = msd_default_rotor_def();
  defs[2].angle = (msd_real)NAN;
  cr_assert_eq(msd_add_rotors(world, defs, 3, NULL), MSD_BAD_VALUE);
  assert_message(world, "angle is nan");
  defs[2] = msd_default_rotor_def();
  defs[2].angular_velocity = (msd_real)-INFINITY;
  cr_assert_eq(msd_add_rotors(world, defs, 3, NULL), MSD_BAD_VALUE);
  assert_message(world, "angular_velocity is -inf");
  cr_assert_eq(msd_add_rotors(world, NULL, 1, NULL), MSD_BAD_VALUE);
  cr_assert_eq(msd_add_rotors(world, defs, -1, NULL), MSD_BAD_VALUE);
  cr_assert_eq(msd_add_rotors(NULL, defs, 1, NULL), MSD_BAD_VALUE);
  cr_assert_eq(msd_world_get_rotor_count(world), 0);
  cr_assert_eq(msd_add_rotors(world, NULL, 0, NULL), MSD_OK);
  msd_destroy_world(world);
}

Test(rotor, bad_torsion_springs_are_refused_and_none_is_added) {
  msd_world *world = three_rotors();
  msd_torsion_spring_def defs[2] = {angular(1, 0), angular(1, 0)};
  defs[0].a = defs[1].a = 0;
  const struct {
    int32_t a, b;
    const char *message;
  } ends[] = {{-1, 0, "a is -1; it must be one of the world's 3 rotors"},
              {3, 0, "a is 3"},
              {0, 3, "b is 3; it must be one of the world's 3 rotors, or MSD_GROUND"},
              {0, -2, "b is -2"},
              {1, 1, "both ends are rotor 1"}};
  for (int i = 0; i < 5; i++) {
    defs[1].a = ends[i].a;
    defs[1].b = ends[i].b;
    cr_assert_eq(msd_add_torsion_springs(world, defs, 2, NULL), MSD_BAD_INDEX);
    assert_message(world, ends[i].message);
  }
  defs[1] = angular(-1, 0);
  defs[1].a = 1;
  cr_assert_eq(msd_add_torsion_springs(world, defs, 2, NULL), MSD_BAD_VALUE);
  assert_message(world, "torsion spring definition 1: stiffness is -1; it must be finite and 0 or more");
  defs[1] = angular(1, 0);
  defs[1].a = 1;
  defs[1].rest_angle = (double)NAN;
  cr_assert_eq(msd_add_torsion_springs(world, defs, 2, NULL), MSD_BAD_VALUE);
  assert_message(world, "rest_angle is nan");
  defs[1] = angular_coefficient(-2, 0);
  defs[1].a = 1;
  cr_assert_eq(msd_add_torsion_springs(world, defs, 2, NULL), MSD_BAD_VALUE);
  assert_message(world, "or MSD_MAX_STABLE");
  defs[1].law = MSD_SPRING_NONE;
  cr_assert_eq(msd_add_torsion_springs(world, defs, 2, NULL), MSD_BAD_VALUE);
  defs[1].cookie = 0;
  cr_assert_eq(msd_add_torsion_springs(world, defs, 2, NULL), MSD_UNINITIALIZED_DEF);
  cr_assert_eq(msd_add_torsion_springs(world, NULL, 1, NULL), MSD_BAD_VALUE);
  cr_assert_eq(msd_add_torsion_springs(world, defs, -1, NULL), MSD_BAD_VALUE);
  cr_assert_eq(msd_add_torsion_springs(NULL, defs, 1, NULL), MSD_BAD_VALUE);
  cr_assert_eq(msd_world_get_torsion_spring_count(world), 3);
  msd_destroy_world(world);
}

Test(rotor, changes_of_what_does_not_exist_are_refused) {
  msd_world *world = three_rotors();
  const uint64_t hash = msd_world_hash(world);
  msd_rotor_def rotor = msd_default_rotor_def();
  msd_torsion_spring_def spring = angular(1, 1);
  static const int32_t indices[] = {-1, 3, INT32_MAX, INT32_MIN};
  for (int i = 0; i < 4; i++) {
    const int32_t n = indices[i];
    cr_assert_eq(msd_rotor_set_def(world, n, &rotor), MSD_BAD_INDEX);
    assert_message(world, "there is no rotor");
    cr_assert_eq(msd_rotor_apply_torque(world, n, 1), MSD_BAD_INDEX);
    cr_assert_eq(msd_torsion_spring_set_law(world, n, &spring), MSD_BAD_INDEX);
    assert_message(world, "there is no torsion spring");
    cr_assert_eq(msd_torsion_spring_set_rest_angle(world, n, 1), MSD_BAD_INDEX);
    cr_assert_eq(msd_torsion_spring_break(world, n), MSD_BAD_INDEX);
    cr_assert(!msd_torsion_spring_is_broken(world, n));
    cr_assert_eq(msd_torsion_spring_get_torque(world, n), 0);
    cr_assert_eq(msd_torsion_spring_get_def(world, n).a, -1);
    cr_assert_eq(msd_rotor_get_def(world, n).inertia, 1);
    cr_assert(msd_rotor_get_angle(world, n) == 0 && msd_rotor_get_angular_velocity(world, n) == 0);
  }
  rotor.inertia = 0;
  cr_assert_eq(msd_rotor_set_def(world, 0, &rotor), MSD_BAD_VALUE);
  cr_assert_eq(msd_rotor_set_def(world, 0, NULL), MSD_UNINITIALIZED_DEF);
  cr_assert_eq(msd_rotor_apply_torque(world, 0, (msd_real)NAN), MSD_BAD_VALUE);
  assert_message(world, "not finite");
  cr_assert_eq(msd_torsion_spring_set_law(world, 0, NULL), MSD_UNINITIALIZED_DEF);
  cr_assert_eq(msd_torsion_spring_set_rest_angle(world, 0, (double)INFINITY), MSD_BAD_VALUE);
  cr_assert_eq(msd_world_hash(world), hash);
  cr_assert_eq(msd_torsion_spring_get_def(world, 0).stiffness, 8);
  msd_destroy_world(world);
}

Test(rotor, no_world_is_no_crash) {
  const msd_rotor_def rotor = msd_default_rotor_def();
  const msd_torsion_spring_def spring = msd_default_torsion_spring_def();
  cr_assert(msd_world_get_rotor_count(NULL) == 0 && msd_world_get_torsion_spring_count(NULL) == 0);
  cr_assert(msd_rotor_get_def(NULL, 0).inertia == 1 && msd_rotor_get_angle(NULL, 0) == 0);
  cr_assert_eq(msd_rotor_get_angular_velocity(NULL, 0), 0);
  cr_assert_eq(msd_rotor_set_def(NULL, 0, &rotor), MSD_BAD_INDEX);
  cr_assert_eq(msd_rotor_apply_torque(NULL, 0, 1), MSD_BAD_INDEX);
  cr_assert_eq(msd_torsion_spring_get_def(NULL, 0).a, -1);
  cr_assert_eq(msd_torsion_spring_set_law(NULL, 0, &spring), MSD_BAD_INDEX);
  cr_assert_eq(msd_torsion_spring_set_rest_angle(NULL, 0, 0), MSD_BAD_INDEX);
  cr_assert_eq(msd_torsion_spring_break(NULL, 0), MSD_BAD_INDEX);
  cr_assert(!msd_torsion_spring_is_broken(NULL, 0) && msd_torsion_spring_get_torque(NULL, 0) == 0);
}

/* ------------------------------------------------------------------------------------------------ memory */

typedef struct bookkeeper {
  int blocks, requests, fail_at; /* fail_at counts from 1; 0: none */
} bookkeeper;

static void *keep_and_allocate(size_t bytes, void *context) {
  bookkeeper *b = context;
  if (++b->requests == b->fail_at)
    return NULL;
  void *block = aligned_alloc(64, (bytes + 63) / 64 * 64);
  if (block)
    memset(block, 0xa5, bytes);
  b->blocks += block != NULL;
  return block;
}

static void keep_and_release(void *block, void *context) {
  ((bookkeeper *)context)->blocks--;
  free(block);
}

/* Does it again when it found no memory; says how often that was. */
#define TRY(failures, world, call)                                                                           \
  do {                                                                                                       \
    const uint64_t before = msd_world_hash(world);                                                           \
    msd_result tried = (call);                                                                               \
    if (tried == MSD_OUT_OF_MEMORY) {                                                                        \
      failures++;                                                                                            \
      cr_assert(msd_world_hash(world) == before && msd_world_message(world)[0] != '\0');                     \
      tried = (call);                                                                                        \
    }                                                                                                        \
    cr_assert(tried == MSD_OK, "%s", msd_world_message(world));                                              \
  } while (0)

static uint64_t live(bookkeeper *b) {
  msd_world_def def = msd_default_world_def();
  def.allocator = (msd_allocator){keep_and_allocate, keep_and_release, b};
  msd_world *world = NULL;
  int failures = 0;
  if (msd_create_world(&def, &world) != MSD_OK) {
    failures++;
    cr_assert_eq(msd_create_world(&def, &world), MSD_OK);
  }
  msd_rotor_def rotors[8];
  msd_torsion_spring_def springs[8];
  for (int32_t i = 0; i < 8; i++) {
    rotors[i] = msd_default_rotor_def();
    rotors[i].angular_velocity = (msd_real)i;
    springs[i] = angular(100, 1);
    springs[i].a = i;
    springs[i].b = i == 7 ? MSD_GROUND : i + 1;
  }
  for (int round = 0; round < 3; round++) {
    TRY(failures, world, msd_add_rotors(world, rotors, 8, NULL));
    TRY(failures, world, msd_add_torsion_springs(world, springs, 8, NULL));
    TRY(failures, world, msd_world_step(world, (msd_real)0.01, 0));
  }
  const uint64_t hash = msd_world_hash(world);
  msd_destroy_world(world);
  cr_assert_eq(failures, b->fail_at > 0);
  cr_assert_eq(b->blocks, 0);
  return hash;
}

Test(rotor, memory_may_run_out_at_any_request) {
  bookkeeper whole = {0};
  const uint64_t hash = live(&whole);
  cr_assert_gt(whole.requests, 30);
  for (int n = 1; n <= whole.requests; n++) {
    bookkeeper b = {.fail_at = n};
    cr_assert_eq(live(&b), hash, "request %d", n);
  }
}

Test(rotor, the_memory_limit_is_kept) {
  msd_world_def def = msd_default_world_def();
  def.memory_limit = 100000;
  msd_world *world = NULL;
  cr_assert_eq(msd_create_world(&def, &world), MSD_OK);
  static msd_rotor_def rotors[2000];
  for (int i = 0; i < 2000; i++)
    rotors[i] = msd_default_rotor_def();
  cr_assert_eq(msd_add_rotors(world, rotors, 2000, NULL), MSD_TOO_LARGE);
  assert_message(world, "2000 rotors would take");
  int32_t count = 0;
  msd_result result;
  while ((result = msd_add_rotors(world, rotors, 50, NULL)) == MSD_OK)
    count += 50;
  cr_assert_eq(result, MSD_TOO_LARGE);
  cr_assert(count > 300 && msd_world_get_rotor_count(world) == count);
  cr_assert_leq(msd_world_get_stats(world).bytes, 100000 + sizeof(struct msd_world));
  msd_destroy_world(world);
}

/* --------------------------------------------------------------------------------------------- snapshots */

static void play(msd_world *world, int frame) {
  ok(world, msd_rotor_apply_torque(world, frame % 3, (msd_real)(frame % 5 - 2)));
  if (frame == 6)
    ok(world, msd_torsion_spring_break(world, 0));
  ok(world, msd_torsion_spring_set_rest_angle(world, 2, 0.1 * frame));
  ok(world, msd_world_step(world, (msd_real)0.0078125, 1 + frame % 3));
}

Test(rotor, a_restored_world_continues_with_the_same_bits) {
  for (int integrator = 0; integrator < MSD_INTEGRATOR_COUNT; integrator++) {
    msd_world *world = three_rotors(), *other = new_world(MSD_RK4);
    add_rotor(other, 9, 9, 9);                                  /* replaced */
    add_angular(world, angular_coefficient(-1, 0.25), 0, 1, 0); /* it counts the springs at both ends */
    ok(world, msd_world_set_integrator(world, (msd_integrator)integrator));
    ok(world, msd_world_set_impulse_warm_start(world, true));
    ok(world, msd_world_set_impulse_iterations(world, 3));
    for (int frame = 0; frame < 8; frame++)
      play(world, frame);
    ok(world, msd_rotor_apply_torque(world, 1, 5)); /* waits for the next step */
    static unsigned char bytes[10000];
    size_t size = 0;
    cr_assert_eq(msd_world_save(world, bytes, sizeof bytes, &size), MSD_OK);
    ok(other, msd_world_restore(other, bytes, size));
    cr_assert_eq(msd_world_hash(other), msd_world_hash(world));
    for (int frame = 8; frame < 16; frame++) {
      play(world, frame);
      play(other, frame);
      cr_assert_eq(msd_world_hash(other), msd_world_hash(world), "%s, frame %d",
                   msd_integrator_name((msd_integrator)integrator), frame);
    }
    cr_assert(msd_torsion_spring_is_broken(other, 0) && msd_rotor_get_def(other, 2).pinned);
    cr_assert_eq(msd_world_get_stats(other).elastic_energy, msd_world_get_stats(world).elastic_energy);
    msd_destroy_world(world);
    msd_destroy_world(other);
  }
}

/* Whether these rotors and springs would be taken out of a snapshot. */
static bool is_taken(const rotor_store *r, const torsion_spring_store *s) {
  static unsigned char bytes[1000];
  memory m = {.allocator = memory_default_allocator(), .limit = 1000000};
  unsigned char *to = bytes;
  rotor_snapshot_put(&to, r, s);
  cr_assert_eq((uint64_t)(to - bytes), rotor_snapshot_size(r->count, s->count));
  rotor_store rotors = {0};
  torsion_spring_store springs = {0};
  cr_assert(growth_reserve(&rotor_growth, &rotors, &m, r->count) &&
            growth_reserve(&torsion_spring_growth, &springs, &m, s->count));
  const unsigned char *from = bytes;
  const bool taken = rotor_snapshot_get(&rotors, r->count, &springs, s->count, &from);
  rotor_store_free(&rotors, &m);
  torsion_spring_store_free(&springs, &m);
  return taken;
}

#define EXPECT_REFUSED(place, value)                                                                         \
  do {                                                                                                       \
    msd_world *world = three_rotors();                                                                       \
    rotor_store *r = &world->model.rotors;                                                                   \
    torsion_spring_store *s = &world->model.torsion_springs;                                                 \
    cr_assert(is_taken(r, s));                                                                               \
    place = value;                                                                                           \
    cr_expect(!is_taken(r, s), "%s = %s was taken", #place, #value);                                         \
    msd_destroy_world(world);                                                                                \
  } while (0)

Test(rotor, a_snapshot_out_of_its_ranges_is_refused) {
  EXPECT_REFUSED(r->angle[1], (double)NAN);
  EXPECT_REFUSED(r->velocity[2], (double)INFINITY);
  EXPECT_REFUSED(r->torque[0], (double)-INFINITY);
  EXPECT_REFUSED(r->inertia[0], 0);
  EXPECT_REFUSED(r->inertia[1], -1);
  EXPECT_REFUSED(r->inertia[2], (msd_real)NAN);
  EXPECT_REFUSED(s->a[0], -1);
  EXPECT_REFUSED(s->a[0], 3);
  EXPECT_REFUSED(s->b[0], -2);
  EXPECT_REFUSED(s->b[0], 3);
  EXPECT_REFUSED(s->b[0], 0);
  EXPECT_REFUSED(s->rest[1], (double)NAN);
  EXPECT_REFUSED(s->laws[1].kind, MSD_SPRING_NONE);
  EXPECT_REFUSED(s->laws[1].kind, MSD_SPRING_LAW_COUNT);
  EXPECT_REFUSED(s->laws[0].first, -1);
  EXPECT_REFUSED(s->laws[2].second, (msd_real)INFINITY);
  EXPECT_REFUSED(s->given[1], (double)NAN);
}

Test(rotor, the_hash_sees_every_rotor_and_is_that_of_the_particles_without) {
  msd_world *empty = new_world(MSD_SYMPLECTIC_EULER);
  cr_assert_eq(msd_world_hash(empty), 0xcbf29ce484222325u);
  msd_world *world = three_rotors();
  for (int32_t i = 0; i < 3; i++) {
    const uint64_t hash = msd_world_hash(world);
    msd_rotor_def def = msd_rotor_get_def(world, i);
    def.angle += 1;
    ok(world, msd_rotor_set_def(world, i, &def));
    const uint64_t turned = msd_world_hash(world);
    def.angular_velocity += 1;
    ok(world, msd_rotor_set_def(world, i, &def));
    cr_assert(turned != hash && msd_world_hash(world) != turned);
  }
  msd_destroy_world(empty);
  msd_destroy_world(world);
}
