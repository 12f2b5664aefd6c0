/* The default springs of the builders in frames of changing length: their energy stays bounded. The oracle is
   energy conservation: gravity and the start give all of it. */
#include "tests/support/laboratory.h"
#include "tests/support/networks.h"
#include "tests/support/snapshots.h"

static const double G = 9.81, SHORTEST = 1.0 / 240, LONGEST = 1.0 / 20;

typedef enum body_kind { ROPE, CLOTH, BLOCK, BODIES } body_kind;

/* 1 kg of 1 m, with default springs; hung up at one side. */
static msd_world *body_world(body_kind kind, double drag) {
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  ok(world, msd_world_set_gravity(world, (msd_vec3){0, (msd_real)-G, 0}));
  ok(world, msd_world_set_linear_damping(world, (msd_real)drag));
  msd_body body;
  if (kind == ROPE) {
    msd_rope_def def = msd_default_rope_def();
    def.mass = 1;
    ok(world, msd_add_rope(world, &def, &body));
    ok(world, msd_particle_pin(world, 0));
  } else if (kind == CLOTH) {
    msd_cloth_def def = msd_default_cloth_def();
    def.columns = def.rows = 12;
    def.mass = 1;
    ok(world, msd_add_cloth(world, &def, &body));
    ok(world, msd_particle_pin(world, 0));
    ok(world, msd_particle_pin(world, 11));
  } else {
    msd_block_def def = msd_default_block_def();
    def.mass = 1;
    ok(world, msd_add_block(world, &def, &body));
    ok(world, msd_particle_pin(world, 0));
  }
  return world;
}

static double energy_of(const msd_world *world) {
  const msd_stats s = msd_world_get_stats(world);
  double energy = s.kinetic_energy + s.potential_energy;
  return energy;
}

/* Frame times: uniform, uniform in the frame rate, of three lengths, and long and short alternating. */
enum { PATTERNS = 4 };

static double frame_of(int pattern, int frame, generator *random) {
  const double share = random_below(random, 1000001) / 1e6, three[] = {SHORTEST, 1.0 / 60, LONGEST};
  switch (pattern) {
  case 0:
    return SHORTEST + (LONGEST - SHORTEST) * share;
  case 1:
    return 1 / (20 + 220 * share);
  case 2:
    return three[random_below(random, 3)];
  default:
    return frame / 7 % 2 ? SHORTEST : LONGEST;
  }
}

/* Returns the largest energy that one minute adds to the start, in units of m g L. */
static double gain_of(body_kind kind, double drag, int pattern) {
  msd_world *world = body_world(kind, drag);
  generator random = {.state = 7};
  double most = 0, before = 0;
  bool is_first = true;
  for (double time = 0; time < 60;) {
    const double frame = frame_of(pattern, (int)(time * 60), &random);
    ok(world, msd_world_step(world, (msd_real)frame, 0));
    time += frame;
    const double now = energy_of(world);
    before = is_first ? now : before;
    is_first = false;
    most = fmax(most, now - before);
  }
  msd_destroy_world(world);
  return most / G;
}

Test(changing_frames, add_no_energy_to_the_default_springs) {
  for (body_kind kind = ROPE; kind < BODIES; kind++)
    for (int drag = 0; drag < 2; drag++)
      for (int pattern = 0; pattern < PATTERNS; pattern++) {
        const double gain = gain_of(kind, drag, pattern);
        cr_expect_leq(gain, 0.75, "body %d, drag %d, pattern %d: %g", kind, drag, pattern, gain);
      }
}

/* The longest substep counts; frames of one length bring the stiffness back that they had before a long one. */
Test(changing_frames, a_long_frame_is_forgotten) {
  msd_world *world = body_world(CLOTH, 1);
  step(world, 1.0 / 60, 1);
  const double stiff = (double)msd_spring_get_stiffness(world, 30);
  step(world, LONGEST, 1);
  cr_expect_float_eq((double)msd_spring_get_stiffness(world, 30) / stiff, 1 / 9.0, 1e-5);
  double last = 0;
  for (int frame = 0; frame < 600; frame++) {
    step(world, 1.0 / 60, 1);
    const double now = (double)msd_spring_get_stiffness(world, 30) / stiff;
    cr_assert(now >= last && now <= 1);
    last = now;
  }
  cr_expect_gt(last, 0.999);
  step(world, 1.0 / 60, 2);
  cr_expect_float_eq((double)msd_spring_get_stiffness(world, 30) / stiff, 4, 1e-4, "substeps count at once");
  msd_destroy_world(world);
}

/* The same with undamped springs in N/m, near the limit. */
static msd_world *bounded_world(void) {
  msd_world *world = body_world(CLOTH, 0);
  msd_spring_def law = msd_default_spring_def();
  law.law = MSD_SPRING_STIFFNESS;
  law.stiffness = 100;
  for (int32_t e = 0; e < msd_world_get_spring_count(world); e++)
    ok(world, msd_spring_set_law(world, e, &law));
  ok(world, msd_world_set_energy_mode(world, MSD_ENERGY_BOUNDED));
  return world;
}

static void assert_goes_on_alike(msd_world *world, int before, int substeps) {
  msd_world *restored = new_world(MSD_SYMPLECTIC_EULER);
  generator random = {.state = 3};
  for (int frame = 0; frame < before; frame++)
    step(world, frame_of(0, frame, &random), substeps);
  const snapshot s = snapshot_of(world), state = saved_state_of(world);
  ok(restored, msd_world_restore(restored, s.data, s.size));
  for (int n = 0; n < 2; n++) {
    generator again = {.state = 5};
    for (int frame = 0; frame < 20; frame++)
      step(n == 0 ? world : restored, frame_of(0, frame, &again), substeps);
  }
  cr_expect_eq(msd_world_hash(world), msd_world_hash(restored));
  const uint64_t hash = msd_world_hash(world);
  ok(world, msd_world_restore_state(world, state.data, state.size));
  generator again = {.state = 5};
  for (int frame = 0; frame < 20; frame++)
    step(world, frame_of(0, frame, &again), substeps);
  cr_expect_eq(msd_world_hash(world), hash, "after a state");
  free(s.data);
  free(state.data);
  msd_destroy_world(world);
  msd_destroy_world(restored);
}

Test(changing_frames, go_on_alike_in_a_restored_world) {
  assert_goes_on_alike(body_world(BLOCK, 0), 20, 1);
  for (int before = 1; before < 40; before += 6)
    assert_goes_on_alike(bounded_world(), before, 0);
}
