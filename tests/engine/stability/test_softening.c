/* Which springs and constraints a substep softens, and from which substep on. */
#include "tests/support/unit_networks.h"

#include <stdlib.h>

static double inverse_mass(const msd_world *world, int32_t particle) {
  return msd_particle_is_pinned(world, particle) ? 0 : 1 / (double)msd_particle_get_mass(world, particle);
}

/* A cloth of springs that all differ. */
static msd_world *patchwork(uint64_t seed) {
  msd_world *world = cloth(5, physical(1, 0), physical(1, 0), none());
  for (int32_t e = 0; e < msd_world_get_spring_count(world); e++) {
    const msd_spring_def def =
        physical(pow(10, 4 * uniform(&seed)), below(&seed, 2) * pow(10, 2 * uniform(&seed)));
    cr_assert_eq(msd_spring_set_law(world, e, &def), MSD_OK);
  }
  for (int32_t i = 0; i < 25; i++)
    cr_assert_eq(msd_particle_set_mass(world, i, (msd_real)(0.1 + uniform(&seed))), MSD_OK);
  cr_assert_eq(msd_particle_pin(world, 0), MSD_OK);
  return world;
}

static void find_steps(const msd_world *world, double steps[]) {
  cr_assert_eq(msd_world_find_softening_steps(world, steps, NULL), MSD_OK);
}

/* The limit caps k at share/dt^2 and mu at share/dt, with the share 1/(n_a w_a + n_b w_b) of each spring. */
Test(softening, a_spring_is_softened_where_it_would_use_more_than_its_share) {
  msd_world *world = patchwork(1);
  double steps[200], springs_at[25] = {0};
  const int32_t count = msd_world_get_spring_count(world);
  find_steps(world, steps);
  for (int32_t e = 0; e < count; e++) {
    const msd_spring_def def = msd_spring_get_def(world, e);
    springs_at[def.a]++;
    springs_at[def.b]++;
  }
  for (int32_t e = 0; e < count; e++) {
    const msd_spring_def def = msd_spring_get_def(world, e);
    const double share =
        1 / (springs_at[def.a] * inverse_mass(world, def.a) + springs_at[def.b] * inverse_mass(world, def.b));
    const double stiff = sqrt(share / (double)def.stiffness), damped = share / (double)def.damping;
    cr_assert_float_eq(steps[e] / fmin(stiff, damped), 1, 1e-6, "spring %d: %g", (int)e, steps[e]);
  }
  msd_destroy_world(world);
}

Test(softening, a_step_with_the_limit_leaves_stiffness_up_to_there) {
  msd_world *first = patchwork(2);
  double steps[200];
  find_steps(first, steps);
  cr_assert_eq(msd_world_set_clamp_stiffness(first, true), MSD_OK);
  for (int32_t e = 0; e < msd_world_get_spring_count(first); e++)
    for (int over = 0; over < 2; over++) {
      msd_world *world;
      cr_assert_eq(msd_copy_world(first, &world), MSD_OK);
      cr_assert_eq(msd_world_step(world, (msd_real)(steps[e] * (over ? 1.001 : 0.999)), 1), MSD_OK);
      const msd_spring_def def = msd_spring_get_def(world, e);
      const bool is_whole = msd_spring_get_stiffness(world, e) == def.stiffness &&
                            msd_spring_get_damping(world, e) == def.damping;
      cr_assert_eq(is_whole, !over, "spring %d", (int)e);
      msd_destroy_world(world);
    }
  msd_destroy_world(first);
}

Test(softening, the_count_at_a_substep_is_of_the_springs_with_a_shorter_one) {
  msd_world *world = patchwork(3);
  double steps[200];
  find_steps(world, steps);
  int32_t last = 0;
  for (double dt = 1e-4; dt < 10; dt *= 1.3) {
    int32_t shorter = 0;
    for (int32_t e = 0; e < msd_world_get_spring_count(world); e++)
      shorter += steps[e] < (double)(msd_real)dt;
    const msd_softening softening = softening_of(world, dt);
    cr_assert_eq(softening.springs, shorter, "%g s: %d, not %d", dt, (int)softening.springs, (int)shorter);
    cr_assert(softening.springs >= last && softening.constraints == 0);
    cr_assert_eq(softening.substep, (double)(msd_real)dt);
    last = shorter;
  }
  cr_assert_eq(last, msd_world_get_spring_count(world), "at the longest all are");
  msd_destroy_world(world);
}

Test(softening, coefficients_are_softened_at_every_substep_or_at_none) {
  msd_world *world = rope(3, coefficient(0.2, 0.1));
  double steps[4];
  find_steps(world, steps);
  cr_assert(isinf(steps[0]) && isinf(steps[1]));
  msd_spring_def def = coefficient(2, 0);
  cr_assert_eq(msd_spring_set_law(world, 0, &def), MSD_OK);
  def = coefficient(0, 2);
  cr_assert_eq(msd_spring_set_law(world, 1, &def), MSD_OK);
  find_steps(world, steps);
  cr_assert(steps[0] == 0 && steps[1] == 0);
  cr_assert_eq(softening_of(world, 1e-9).springs, 2);
  msd_destroy_world(world);
}

Test(softening, what_moves_nothing_is_softened_by_no_substep) {
  msd_world *world = rope(4, physical(1000, 1));
  double steps[3];
  cr_assert_eq(msd_spring_break(world, 0), MSD_OK);
  cr_assert_eq(msd_particle_pin(world, 2), MSD_OK);
  cr_assert_eq(msd_particle_pin(world, 3), MSD_OK);
  find_steps(world, steps);
  cr_assert(isinf(steps[0]) && isfinite(steps[1]) && isinf(steps[2]));
  cr_assert_eq(softening_of(world, 100).springs, 1);
  msd_destroy_world(world);
}

/* An angle on three unit masses a meter apart, whose tip is bent up. */
static msd_world *hinge(msd_constraint_def def) {
  msd_world *world = empty_world();
  for (int32_t i = 0; i < 3; i++) {
    add_particle(world, i, i == 2 ? 1 : 0, 0, 1);
    def.particles[i] = i;
  }
  cr_assert_eq(msd_add_constraints(world, &def, 1, NULL), MSD_OK);
  return world;
}

static msd_constraint_def angle(msd_spring_law law, double first, double second) {
  msd_constraint_def def = msd_default_constraint_def();
  def.law = law;
  def.stiffness = def.ck = def.frequency = (msd_real)first;
  def.damping = def.cd = def.damping_ratio = (msd_real)second;
  return def;
}

Test(softening, constraints_have_their_substeps_at_the_present_shape) {
  static const msd_spring_law laws[] = {MSD_SPRING_STIFFNESS, MSD_SPRING_FREQUENCY, MSD_SPRING_COEFFICIENT};
  for (int n = 0; n < 3; n++)
    for (int damped = 0; damped < 2; damped++) {
      msd_world *world = hinge(angle(laws[n], n == 2 ? 0.5 : 20, damped ? (n == 0 ? 50 : 2) : 0));
      double step = -1;
      cr_assert_eq(msd_world_find_softening_steps(world, NULL, &step), MSD_OK);
      if (n < 2) {
        cr_assert(step > 0 && isfinite(step), "law %d", n);
        cr_assert_eq(softening_of(world, step * 0.9999).constraints, 0, "law %d", n);
        cr_assert_eq(softening_of(world, step * 1.0001).constraints, 1, "law %d", n);
      } else {
        cr_assert_eq(step, damped ? 0 : INFINITY);
        cr_assert_eq(softening_of(world, 0.01).constraints, damped);
      }
      cr_assert_eq(msd_constraint_break(world, 0), MSD_OK);
      cr_assert_eq(msd_world_find_softening_steps(world, NULL, &step), MSD_OK);
      cr_assert_eq(step, INFINITY, "broken");
      msd_destroy_world(world);
    }
}

/* A leg of a millimeter has gradients of 1000 rad/m. */
Test(softening, without_a_limit_only_folds_that_collapse_are_softened) {
  msd_world *world = hinge(angle(MSD_SPRING_STIFFNESS, 20, 0));
  msd_softening softening;
  cr_assert_eq(softened_constraints(world, 0.01), 0);
  cr_assert_eq(msd_particle_set_position(world, 2, (msd_vec3){1, (msd_real)0.001, 0}), MSD_OK);
  cr_assert_eq(msd_world_find_softening(world, (msd_real)0.01, false, &softening), MSD_OK);
  cr_assert(softening.constraints == 1 && softening.springs == 0);
  cr_assert(softening.stiffness_left > 0 && softening.stiffness_left < 1e-2, "%g", softening.stiffness_left);
  const double left = softening.stiffness_left;
  cr_assert_eq(msd_world_set_clamp_stiffness(world, true), MSD_OK);
  cr_assert_eq(msd_world_find_softening(world, (msd_real)0.01, false, &softening), MSD_OK);
  cr_assert(softening.stiffness_left == left, "whatever the limit of the world");
  msd_destroy_world(world);
}

Test(softening, torsion_springs_count_as_springs) {
  msd_world *world = empty_world();
  const msd_rotor_def rotor = msd_default_rotor_def();
  msd_torsion_spring_def spring = msd_default_torsion_spring_def();
  spring.a = 0;
  spring.stiffness = 100; /* to the frame: the share is the inertia, so it is softened above 0.1 s */
  cr_assert_eq(msd_add_rotors(world, &rotor, 1, NULL), MSD_OK);
  cr_assert_eq(msd_add_torsion_springs(world, &spring, 1, NULL), MSD_OK);
  cr_assert_eq(softening_of(world, 0.09).springs, 0);
  cr_assert_eq(softening_of(world, 0.2).springs, 1);
  cr_assert_float_eq(softening_of(world, 0.2).stiffness_left, 0.25, 1e-6);
  msd_destroy_world(world);
}

Test(softening, a_limit_that_is_none_is_refused) {
  msd_world *world = empty_world();
  msd_softening softening;
  cr_assert_eq(msd_world_find_softening(NULL, 1, false, &softening), MSD_BAD_VALUE);
  cr_assert_eq(msd_world_find_softening_steps(NULL, NULL, NULL), MSD_BAD_VALUE);
  msd_destroy_world(world);
}
