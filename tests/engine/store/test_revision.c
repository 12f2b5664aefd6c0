/* What must be made anew after each change, and what need not. */
#include "tests/support/laboratory.h"
#include "tests/support/snapshots.h"

#include "engine/world/world.h"

enum derived {
  NETWORK = 1,
  TUNING = 2,
  CONSTRAINTS = 4,
  SOFTENING = 8,
  SOFT_PINS = 16,
  STABLE_STEPS = 32,
  SHAPE = 64,
  ROTOR_STEPS = 128,
  ENERGY = 256,
  ALL = 511
};

static const double STEP = 0.0078125;

static int changed_between(const revision *before, const revision *now) {
  const revision made[] = {
      revision_of_network(before),
      revision_of_tuning(before, STEP),
      revision_of_constraint_layout(before),
      revision_of_softening(before, STEP),
      revision_of_soft_pin_works(before, STEP),
      revision_of_stable_steps(before),
      revision_of_shape(before),
      revision_of_rotor_steps(before),
      revision_of_energy(before, STEP),
  };
  const revision current[] = {
      revision_of_network(now),
      revision_of_tuning(now, STEP),
      revision_of_constraint_layout(now),
      revision_of_softening(now, STEP),
      revision_of_soft_pin_works(now, STEP),
      revision_of_stable_steps(now),
      revision_of_shape(now),
      revision_of_rotor_steps(now),
      revision_of_energy(now, STEP),
  };
  int changed = 0;
  for (size_t n = 0; n < sizeof made / sizeof *made; n++)
    changed |= revision_holds(&made[n], current[n]) ? 0 : 1 << n;
  return changed;
}

static msd_spring_def both_ways(void) {
  msd_spring_def def = msd_default_spring_def();
  def.a = 0, def.b = 1;
  return def;
}

static msd_spring_def tether(void) {
  msd_spring_def def = both_ways();
  def.mode = MSD_SPRING_TENSION_ONLY;
  return def;
}

/* Of a world in which a particle, a spring and so on with the index 0 are there. */
static msd_result change(msd_world *world, int n) {
  const msd_spring_def spring = both_ways();
  msd_soft_pin_def soft_pin = msd_default_soft_pin_def();
  msd_constraint_def angle = msd_default_constraint_def();
  msd_rotor_def rotor = msd_default_rotor_def();
  msd_particle_def particle = msd_default_particle_def();
  switch (n) {
  case 0:
    return msd_add_particles(world, &particle, 1, NULL);
  case 1:
    return msd_add_springs(world, &spring, 1, NULL);
  case 2:
    angle.kind = MSD_CONSTRAINT_ANGLE;
    for (int32_t corner = 0; corner < 3; corner++)
      angle.particles[corner] = corner;
    return msd_add_constraints(world, &angle, 1, NULL);
  case 3:
    return msd_particle_set_mass(world, 0, 2);
  case 4:
    return msd_particle_pin(world, 0);
  case 5:
    return msd_spring_set_law(world, 0, &spring);
  case 6:
    return msd_spring_break(world, 0);
  case 7:
    return msd_world_set_clamp_stiffness(world, true);
  case 8: /* critically damped, which weighs nothing */
    soft_pin.particle = 2;
    soft_pin.law = MSD_SPRING_FREQUENCY;
    soft_pin.frequency = 1, soft_pin.damping_ratio = 1;
    return msd_soft_pin_set_def(world, 0, &soft_pin);
  case 9:
    soft_pin.particle = 2;
    soft_pin.law = MSD_SPRING_FREQUENCY;
    soft_pin.frequency = 1, soft_pin.damping_ratio = 0;
    return msd_soft_pin_set_def(world, 0, &soft_pin);
  case 10:
    return msd_soft_pin_move_to(world, 0, (msd_vec3){1, 2, 3});
  case 11:
    rotor.inertia = 3;
    return msd_rotor_set_def(world, 0, &rotor);
  case 12:
    return msd_world_set_impulse_iterations(world, 3);
  case 13:
    return msd_world_set_gravity(world, (msd_vec3){1, 2, 3});
  case 14:
    return msd_particle_set_position(world, 0, (msd_vec3){1, 2, 3});
  case 15:
    return msd_spring_set_rest_length(world, 0, 2);
  default:
    return msd_world_set_integrator(world, MSD_RK4);
  }
}

static msd_world *world_of_everything(bool one_sided) {
  msd_world *world = new_world(MSD_SYMPLECTIC_EULER);
  for (int n = 0; n < 3; n++)
    add_particle(world, 1, n, n % 2, 0);
  const msd_spring_def spring = one_sided ? tether() : both_ways();
  msd_soft_pin_def soft_pin = msd_default_soft_pin_def();
  msd_rotor_def rotor = msd_default_rotor_def();
  cr_assert_eq(msd_add_springs(world, &spring, 1, NULL), MSD_OK);
  cr_assert_eq(msd_add_soft_pins(world, &soft_pin, 1, NULL), MSD_OK);
  cr_assert_eq(msd_add_rotors(world, &rotor, 1, NULL), MSD_OK);
  return world;
}

static void expect_change(int n, bool one_sided, int expected) {
  msd_world *world = world_of_everything(one_sided);
  const revision before = world->model.revision;
  cr_assert_eq(change(world, n), MSD_OK, "change %d: %s", n, msd_world_message(world));
  const int changed = changed_between(&before, &world->model.revision);
  cr_assert_eq(changed, expected, "change %d: %d instead of %d", n, changed, expected);
  msd_destroy_world(world);
}

Test(revision, each_change_makes_stale_what_follows_from_it_alone) {
  const int springs = TUNING | SOFTENING | SOFT_PINS | STABLE_STEPS | ENERGY,
            particles = springs | NETWORK | CONSTRAINTS;
  const int expected[] = {
      particles,
      particles,
      CONSTRAINTS | TUNING | SOFTENING | STABLE_STEPS | ENERGY,
      springs,
      springs,
      springs,
      springs,
      springs,
      SOFT_PINS,
      SOFT_PINS | SOFTENING | STABLE_STEPS,
      0,
      ROTOR_STEPS,
      STABLE_STEPS | ROTOR_STEPS,
      0,
      SHAPE | ENERGY,
      ENERGY,
      SOFT_PINS | SOFTENING | STABLE_STEPS,
  };
  for (int n = 0; n < (int)(sizeof expected / sizeof *expected); n++)
    expect_change(n, false, expected[n]);
}

Test(revision, pins_move_one_sided_springs_to_other_rows) {
  expect_change(4, true, NETWORK | TUNING | SOFTENING | SOFT_PINS | STABLE_STEPS | ENERGY);
}

/* Catches are of springs, and what of contact goes by slots is of particles. */
Test(revision, what_is_added_to_a_layout_that_stands_leaves_its_topology) {
  for (int n = 0; n < 2; n++) {
    msd_world *world = world_of_everything(false);
    cr_assert_eq(msd_world_step(world, (msd_real)STEP, 1), MSD_OK);
    const revision before = world->model.revision, *now = &world->model.revision;
    const revision of_network = revision_of_network(&before), slots = revision_of_slots(&before),
                   hard_limits = revision_of_hard_limits(&before), surfaces = revision_of_surfaces(&before);
    cr_assert_eq(change(world, n), MSD_OK);
    cr_assert_eq(now->topology, before.topology);
    cr_assert_not(revision_holds(&of_network, revision_of_network(now)));
    cr_assert_eq(revision_holds(&slots, revision_of_slots(now)), n == 1);
    cr_assert_eq(revision_holds(&surfaces, revision_of_surfaces(now)), n == 1);
    cr_assert_eq(revision_holds(&hard_limits, revision_of_hard_limits(now)), n == 0);
    const revision followed = revision_followed(revision_of_stable_steps(&before), now);
    cr_assert(revision_holds(&followed, revision_of_stable_steps(now)));
    msd_destroy_world(world);
  }
}

Test(revision, a_restored_world_has_everything_made_anew) {
  msd_world *world = world_of_everything(false);
  const snapshot saved = snapshot_of(world);
  const revision before = world->model.revision;
  cr_assert_eq(msd_world_restore(world, saved.data, saved.size), MSD_OK);
  cr_assert_eq(changed_between(&before, &world->model.revision), ALL);
  free(saved.data);
  msd_destroy_world(world);
}

Test(revision, what_is_made_for_no_step_holds_at_any_and_what_was_never_made_does_not) {
  revision now = {0};
  revision_advance(&now);
  const revision at_any = revision_of_tuning(&now, 0), at_one = revision_of_tuning(&now, STEP), never = {0};
  cr_assert(revision_holds(&at_any, revision_of_tuning(&now, STEP)));
  cr_assert(revision_holds(&at_one, revision_of_tuning(&now, STEP)));
  cr_assert_not(revision_holds(&at_one, revision_of_tuning(&now, 2 * STEP)));
  cr_assert_not(revision_holds(&never, revision_of_tuning(&now, STEP)));
  cr_assert_not(revision_holds(&never, revision_of_network(&now)));
}
