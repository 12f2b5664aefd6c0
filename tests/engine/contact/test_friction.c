/* Friction of near pairs: it holds by springs that give way, and remembers how far. */
#include "tests/support/friction.h"
#include "tests/support/share.h"

#include <criterion/criterion.h>

static const double EPSILON = sizeof(msd_real) == sizeof(float) ? 0x1p-23 : 0x1p-52;

/* ------------------------------------------------------------------------------------------------ one pair */

/* m/s^2: of a corner of 2 kg over a triangle that is held, down and along x. */
static const double DOWN = 9.81, FRICTION = 0.5;

enum { CORNER = 3 };

static void put_corner(rubbing *r, int32_t n) {
  static const int32_t slots[PAIR_CORNERS] = {CORNER, 0, 1, 2};
  const near_witness witness = {{0, 1, 0}, {1, (msd_real)-0.5, (msd_real)-0.25, (msd_real)-0.25}};
  near_pairs_put(&r->near, n, slots, &witness, (msd_real)0.01, (msd_real)FRICTION);
}

/* A corner that lies where its closest point is, so that sums of g x are exact. */
static void begin_corner(rubbing *r) {
  rubbing_begin(r, 1);
  r->dt = (msd_real)0x1p-7;
  for (int32_t i = 0; i < RUBBING_PARTICLES; i++)
    r->inverse_mass[i] = i == CORNER ? (msd_real)0.5 : 0;
  r->before[RUBBING_PARTICLES + CORNER] = (msd_real)0.01;
  rubbing_put(r, 0, 1, put_corner);
}

static msd_real *x_of(rubbing *r) {
  return &r->before[CORNER];
}

static msd_real *vx_of(rubbing *r) {
  return &r->before[RUBBING_SPEED + CORNER];
}

static msd_real *vy_of(rubbing *r) {
  return &r->before[RUBBING_SPEED + RUBBING_PARTICLES + CORNER];
}

/* A substep of the corner, pulled so hard along x. */
static void pull(rubbing *r, double along, msd_simd simd) {
  *vx_of(r) += (msd_real)(along * (double)r->dt);
  *vy_of(r) -= (msd_real)(DOWN * (double)r->dt);
  rubbing_push(r, simd);
  rubbing_move(r, simd);
  memcpy(r->before, r->behind, sizeof r->before);
}

Test(friction, what_is_pulled_less_than_friction_holds_stays_where_it_is_for_ever) {
  for (int simd = MSD_SIMD_WIDEST; simd < MSD_SIMD_COUNT; simd++)
    for (int tenths = 1; tenths < 10; tenths++) {
      rubbing r;
      begin_corner(&r);
      const double step = DOWN * FRICTION * (double)r.dt * (double)r.dt;
      double furthest = 0;
      for (int n = 0; n < share_of(10000); n++) {
        pull(&r, 0.1 * tenths * FRICTION * DOWN, (msd_simd)simd);
        furthest = fmax(furthest, fabs((double)*x_of(&r)));
      }
      cr_expect_lt(furthest, 16 * EPSILON * step, "0.%d: %g m", tenths, furthest);
      cr_expect_lt(fabs((double)*vx_of(&r)), 16 * EPSILON * DOWN * (double)r.dt);
      rubbing_end(&r);
    }
}

/* Far from where numbers are small the place is rounded; but it does not add up. */
Test(friction, what_stays_does_not_creep_by_rounding) {
  for (int simd = MSD_SIMD_WIDEST; simd < MSD_SIMD_COUNT; simd++) {
    rubbing r;
    begin_corner(&r);
    const double far = 10.3;
    for (int32_t i = 0; i < RUBBING_PARTICLES; i++)
      r.before[i] = (msd_real)far;
    for (int n = 0; n < share_of(10000); n++)
      pull(&r, 0.8 * FRICTION * DOWN, (msd_simd)simd);
    cr_expect_lt(fabs((double)*x_of(&r) - (double)(msd_real)far), 2 * EPSILON * far,
                 "%g m in 10,000 substeps", (double)*x_of(&r) - far);
    rubbing_end(&r);
  }
}

/* v = (a - mu g) t, from the first substep on. */
Test(friction, what_is_pulled_harder_slides_as_coulomb_has_it) {
  for (int simd = MSD_SIMD_WIDEST; simd < MSD_SIMD_COUNT; simd++)
    for (int tenths = 11; tenths < 30; tenths += 3) {
      rubbing r;
      begin_corner(&r);
      const double along = 0.1 * tenths * FRICTION * DOWN, gains = along - FRICTION * DOWN;
      for (int n = 1; n <= 50; n++) {
        pull(&r, along, (msd_simd)simd);
        const double wanted = gains * n * (double)r.dt;
        cr_assert_float_eq((double)*vx_of(&r), wanted, 64 * EPSILON * n * along * (double)r.dt,
                           "%g m/s, not %g", (double)*vx_of(&r), wanted);
      }
      rubbing_end(&r);
    }
}

/* The corner is led, and pressed on the triangle by a way of `depth` in every substep: what friction does then
   is told by its force alone. */
static double rub(rubbing *r, double way, double depth, msd_simd simd) {
  *vx_of(r) = (msd_real)(way / (double)r->dt);
  *vy_of(r) = (msd_real)(-depth / (double)r->dt);
  rubbing_push(r, simd);
  near_contact contact;
  const bool acts = near_pairs_get_contact(&r->near, 0, &contact);
  cr_assert_eq(acts, depth > 0);
  *x_of(r) += (msd_real)way;
  return acts ? (double)contact.force.x : 0;
}

/* To and fro: the force is on a loop whose flanks are 2 mu J/m of way. */
Test(friction, a_stretch_turns_round_before_it_slides_back) {
  const double depth = 0x1p-10, most = FRICTION * depth, way = most / 8, mass = 2;
  for (int simd = MSD_SIMD_WIDEST; simd < MSD_SIMD_COUNT; simd++) {
    rubbing r;
    begin_corner(&r);
    double s = 0;
    for (int n = 0; n < 200; n++) {
      const double along = n / 40 % 2 ? -way : way, force = rub(&r, along, depth, (msd_simd)simd);
      s = fmax(-most, fmin(most, s + along));
      cr_assert_float_eq(force, -mass * s, 1e-4 * mass * most, "substep %d: %g, not %g", n, force, -mass * s);
      const int since = n % 40 + 1;
      if (n >= 40 && since == 8)
        cr_assert_lt(fabs(force), 1e-4 * mass * most, "half of the way round");
      if (n >= 40 && since >= 16)
        cr_assert_float_eq(force, mass * (along > 0 ? -most : most), 1e-4 * mass * most, "it slides back");
    }
    rubbing_end(&r);
  }
}

/* Lighter pressed, an soft pin is drawn along by the next substep. */
Test(friction, what_is_pressed_less_gives_way) {
  const double depth = 0x1p-10, most = FRICTION * depth, mass = 2;
  for (int simd = MSD_SIMD_WIDEST; simd < MSD_SIMD_COUNT; simd++) {
    rubbing r;
    begin_corner(&r);
    cr_assert_float_eq(rub(&r, most, depth, (msd_simd)simd), -mass * most, 1e-5 * mass * most);
    cr_assert_float_eq(rub(&r, 0, depth / 4, (msd_simd)simd), -mass * most / 4, 1e-5 * mass * most);
    cr_assert_float_eq(rub(&r, 0, depth, (msd_simd)simd), -mass * most / 4, 1e-5 * mass * most);
    rubbing_end(&r);
  }
}

Test(friction, what_ceases_to_act_forgets) {
  const double depth = 0x1p-10, most = FRICTION * depth, mass = 2;
  for (int simd = MSD_SIMD_WIDEST; simd < MSD_SIMD_COUNT; simd++)
    for (int by_hold = 0; by_hold < 2; by_hold++) {
      rubbing r;
      begin_corner(&r);
      rub(&r, most / 2, depth, (msd_simd)simd);
      if (by_hold)
        rubbing_hold(&r, (msd_simd)simd);
      cr_assert_float_eq(rub(&r, most / 4, depth, (msd_simd)simd), -mass * most * 0.75, 1e-5 * mass * most);
      if (by_hold)
        rubbing_hold(&r, (msd_simd)simd);
      cr_assert_eq(rub(&r, most / 4, -depth, (msd_simd)simd), 0);
      cr_assert_float_eq(rub(&r, most / 4, depth, (msd_simd)simd), -mass * most / 4, 1e-5 * mass * most);
      rubbing_end(&r);
    }
}

/* A substep that is taken again begins where it began. */
Test(friction, an_soft_pin_that_has_followed_in_a_substep_does_not_follow_again) {
  const double depth = 0x1p-10, most = FRICTION * depth, mass = 2;
  for (int simd = MSD_SIMD_WIDEST; simd < MSD_SIMD_COUNT; simd++) {
    rubbing r;
    begin_corner(&r);
    rub(&r, most, depth, (msd_simd)simd);
    cr_assert_float_eq(rub(&r, 0, depth / 8, (msd_simd)simd), -mass * most / 8, 1e-5 * mass * most);
    rubbing s;
    begin_corner(&s);
    rub(&s, most, depth, (msd_simd)simd);
    rub(&s, 0, depth / 8, (msd_simd)simd);
    s.near.has_followed = true;
    cr_assert_float_eq(rub(&s, 0, depth, (msd_simd)simd), -mass * most, 1e-5 * mass * most, "as it was");
    s.near.has_followed = false;
    rubbing_end(&s);
    rubbing_end(&r);
  }
}

/* ---------------------------------------------------------------------------------------------- many pairs */

/* Velocities of some are others, as if something had pulled at them. */
static void pull_some(rubbing *r, double speed) {
  for (int32_t k = RUBBING_SPEED; k < RUBBING_STATE; k++)
    if (r->inverse_mass[k % RUBBING_PARTICLES] > 0 && random_below(&r->random, 4) == 0)
      r->before[k] += (msd_real)(speed * (2 * rubbing_share(&r->random) - 1));
}

/* Pairs are put in place of others or behind them, now and then, in the same order at every width. */
static void put_some(rubbing *r, int substep) {
  if (substep % 60 == 30)
    rubbing_put(r, r->near.count, RUBBING_PAIRS, rubbing_put_any);
  if (substep % 60 == 59)
    rubbing_put(r, 0, RUBBING_PAIRS - 12, rubbing_put_any);
}

static void begin_crowd(rubbing *r, uint64_t seed) {
  rubbing_begin(r, seed);
  r->relaxation = (msd_real)(seed % 3 == 0 ? 0.5 : 0);
  rubbing_weigh_all(r, seed % 2 ? 7 : 0);
  rubbing_scatter(r, 0.1);
  for (int32_t k = RUBBING_SPEED; k < RUBBING_STATE; k++)
    r->before[k] *= r->inverse_mass[k % RUBBING_PARTICLES] > 0;
  rubbing_put(r, 0, RUBBING_PAIRS - 12, rubbing_put_any);
}

/* Rounding decides which of them act where C is all but 0. */
static bool is_doubtful(const rubbing *r, const rubbing_pair *all) {
  bool doubtful = false;
  for (int32_t n = 0; n < r->near.count; n++)
    doubtful = doubtful || fabs(all[n].gap) < 16 * EPSILON;
  return doubtful;
}

static double way_of(const rubbing *r, const rubbing_pair *of) {
  double square = 0;
  for (int axis = 0; axis < 3; axis++)
    square += of->force[axis] * of->force[axis];
  return of->mass > 0 ? sqrt(square) / of->mass / (1 - (double)r->relaxation) : 0;
}

static void check_forces(const rubbing *r, const rubbing_pair *all, int substep) {
  for (int32_t n = 0; n < r->near.count; n++) {
    near_contact contact = {.force = {0, 0, 0}};
    const bool acts = near_pairs_get_contact(&r->near, n, &contact);
    cr_assert_eq(acts, all[n].acts, "pair %d in substep %d: %g", (int)n, substep, all[n].gap);
    const double force[3] = {(double)contact.force.x, (double)contact.force.y, (double)contact.force.z};
    const double near_enough = all[n].mass * (1e-4 * way_of(r, &all[n]) + 64 * EPSILON);
    for (int axis = 0; axis < 3 && acts; axis++)
      cr_assert_float_eq(force[axis], all[n].force[axis], near_enough, "pair %d in substep %d: %g, not %g N",
                         (int)n, substep, force[axis], all[n].force[axis]);
  }
}

/* Substeps go on from what the formulas have made of the soft pins of those that act; some of them hold. */
Test(friction, forces_of_many_pairs_are_those_of_the_formulas) {
  for (int simd = MSD_SIMD_WIDEST; simd < MSD_SIMD_COUNT; simd++) {
    int compared = 0, stretched = 0;
    for (uint64_t seed = 1; seed <= 12; seed++) {
      rubbing r;
      static rubbing_pair all[RUBBING_PAIRS];
      begin_crowd(&r, seed);
      memset(all, 0, sizeof all);
      for (int n = 0; n < share_of(100); n++) {
        rubbing_approach(&r, all);
        const bool was_doubtful = is_doubtful(&r, all);
        rubbing_push(&r, (msd_simd)simd);
        rubbing_expect(&r, all);
        if (was_doubtful || is_doubtful(&r, all)) {
          rubbing_put(&r, 0, RUBBING_PAIRS, rubbing_put_any);
          memset(all, 0, sizeof all);
          continue;
        }
        check_forces(&r, all, n);
        rubbing_move(&r, (msd_simd)simd);
        memcpy(r.before, r.behind, sizeof r.before);
        pull_some(&r, 0.05);
        if (n % 7 == 3) {
          rubbing_approach(&r, all);
          rubbing_hold(&r, (msd_simd)simd);
          rubbing_shift(&r, all);
        }
        compared++;
        for (int32_t k = 0; k < r.near.count; k++) {
          double s[3];
          stretched += all[k].is_held && rubbing_stretch(&r, k, &all[k], all[k].apart, s) > 1e-5;
        }
      }
      rubbing_end(&r);
    }
    cr_assert_gt(compared, share_of(600));
    cr_assert_gt(stretched, compared, "%d in %d substeps", stretched, compared);
  }
}

/* What becomes of the soft pins is part of that. */
Test(friction, what_is_held_has_the_same_bits_at_every_width) {
  for (uint64_t seed = 1; seed <= 6; seed++) {
    static rubbing widest, r;
    for (int simd = MSD_SIMD_WIDEST + 1; simd < MSD_SIMD_COUNT; simd++) {
      begin_crowd(&widest, seed);
      begin_crowd(&r, seed);
      for (int n = 0; n < share_of(400); n++) {
        rubbing *both[2] = {&widest, &r};
        for (int which = 0; which < 2; which++) {
          const msd_simd width = which ? (msd_simd)simd : MSD_SIMD_WIDEST;
          rubbing_push(both[which], width);
          rubbing_move(both[which], width);
          memcpy(both[which]->before, both[which]->behind, sizeof r.before);
          pull_some(both[which], 0.05);
          if (n % 5 == 2)
            rubbing_hold(both[which], width);
          put_some(both[which], n);
        }
        cr_assert_eq(memcmp(widest.before, r.before, sizeof r.before), 0, "width %d, seed %d, substep %d",
                     simd, (int)seed, n);
        for (int32_t k = 0; k < r.near.count; k++) {
          const tangential_spring wide = near_pairs_get_tangential(&widest.near, k),
                                  other = near_pairs_get_tangential(&r.near, k);
          cr_assert_eq(memcmp(wide.anchor, other.anchor, sizeof wide.anchor), 0,
                       "pair %d, width %d, seed %d, substep %d", (int)k, simd, (int)seed, n);
          cr_assert_eq(wide.most, other.most);
        }
      }
      rubbing_end(&r);
      rubbing_end(&widest);
    }
  }
}

/* All that is held is then by a way, which is as long as it was. */
Test(friction, what_holds_and_holds_again_is_what_held_once) {
  for (int simd = MSD_SIMD_WIDEST; simd < MSD_SIMD_COUNT; simd++)
    for (uint64_t seed = 1; seed <= 6; seed++) {
      static rubbing r;
      begin_crowd(&r, seed);
      for (int n = 0; n < 20; n++) {
        rubbing_push(&r, (msd_simd)simd);
        rubbing_move(&r, (msd_simd)simd);
        memcpy(r.before, r.behind, sizeof r.before);
        pull_some(&r, 0.05);
        tangential_spring once[RUBBING_PAIRS];
        rubbing_hold(&r, (msd_simd)simd);
        for (int32_t k = 0; k < r.near.count; k++) {
          once[k] = near_pairs_get_tangential(&r.near, k);
          cr_assert_lt(once[k].most, 0);
        }
        rubbing_hold(&r, (msd_simd)simd);
        for (int32_t k = 0; k < r.near.count; k++) {
          const tangential_spring twice = near_pairs_get_tangential(&r.near, k);
          cr_assert_eq(memcmp(&twice, &once[k], sizeof twice), 0, "pair %d", (int)k);
        }
      }
      rubbing_end(&r);
    }
}
