#include "engine/contact/motion_bound.h"

#include <criterion/criterion.h>

#include <math.h>
#include <string.h>

enum { PARTICLES = 40, FIRST = 1, SECOND = 2 };

static const double straight[3] = {0, 0, 0};

/* Particles of which number i is at (i, 0, 0) and goes along y. */
typedef struct moving {
  particle_store store;
  memory m;
  msd_real *before, *behind;
  void *blocks[2];
  motion_bound f;
  double dt;
} moving;

static moving begin_moving(double dt) {
  moving x = {.m = {.allocator = memory_default_allocator(), .limit = SIZE_MAX}, .dt = dt};
  cr_assert(particle_store_reserve(&x.store, &x.m, PARTICLES));
  x.store.count = PARTICLES;
  x.before = particle_allocate_slab(&x.store, &x.m, COMPONENTS, &x.blocks[0]);
  x.behind = particle_allocate_slab(&x.store, &x.m, COMPONENTS, &x.blocks[1]);
  cr_assert(motion_bound_reserve(&x.f, &x.m, &x.store));
  for (int32_t i = 0; i < PARTICLES; i++)
    x.before[i] = x.behind[i] = (msd_real)i;
  return x;
}

static void end_moving(moving *x) {
  motion_bound_free(&x->f, &x->m);
  memory_release(&x->m, x->blocks[0]);
  memory_release(&x->m, x->blocks[1]);
  x->store.count = 0;
  particle_store_free(&x->store, &x->m);
  cr_assert_eq(x->m.used, 0);
}

static motion_bound_substep substep_of(const moving *x) {
  return (motion_bound_substep){x->before, x->behind, x->store.stride, x->dt};
}

/* Particle i goes on by way(i), and its velocity in y is that over a substep. */
static void take_substep(moving *x, double (*way)(int32_t i)) {
  const size_t y = x->store.stride;
  memcpy(x->before, x->behind, COMPONENTS * y * sizeof *x->before);
  for (int32_t i = 0; i < PARTICLES; i++) {
    x->behind[y + (size_t)i] += (msd_real)way(i);
    x->behind[4 * y + (size_t)i] = (msd_real)(way(i) / x->dt);
  }
}

static double slow_or_fast(int32_t i) {
  return i % 2 == 0 ? 0.001 : 0.004;
}

static double twice_that(int32_t i) {
  return 2 * slow_or_fast(i);
}

static double expected_y(const moving *x, int32_t i, double age) {
  const size_t y = x->f.stride + (size_t)i, v = 4 * x->f.stride + (size_t)i;
  return (double)x->f.state[y] + (double)x->f.state[v] * age;
}

static void begin_unwatched(moving *x, const motion_bound_substep *s, double horizon, const double bend[3]) {
  const motion_bound_plan plan = {.horizon = horizon, .skin = 0.001, .bend = bend};
  motion_bound_begin_unwatched(&x->f, s, &plan);
}

static void begin(moving *x, const motion_bound_substep *s, double horizon, double skin,
                  bool follows_the_last, const double bend[3]) {
  const motion_bound_plan plan = {
      .horizon = horizon, .skin = skin, .follows_the_last = follows_the_last, .bend = bend};
  motion_bound_begin(&x->f, s, &plan);
}

/* Goes for a substep, and begins a motion bound before another, in which all go twice as fast. */
static motion_bound_substep begin_going(moving *x) {
  const motion_bound_substep s = substep_of(x);
  take_substep(x, slow_or_fast);
  take_substep(x, twice_that);
  begin(x, &s, 8 * x->dt, 0.0005, false, straight);
  return s;
}

Test(motion_bound, all_are_expected_to_go_on_as_they_went) {
  moving x = begin_moving(0.001);
  const motion_bound_substep s = begin_going(&x);
  for (int32_t i = 0; i < PARTICLES; i++)
    cr_assert_float_eq(expected_y(&x, i, 0.008), 9 * slow_or_fast(i), 1e-6, "%d", (int)i);
  cr_assert_float_eq(motion_bound_fastest(&s, PARTICLES), 4, 1e-3);
  cr_assert(motion_bound_lasts(&x.f, 0.008));
  cr_assert_not(motion_bound_lasts(&x.f, 0.0081));
  end_moving(&x);
}

Test(motion_bound, the_fastest_is_whoever_goes_fastest_along_an_axis_in_either_direction) {
  moving x = begin_moving(0.01);
  const motion_bound_substep s = {x.before, x.behind, x.store.stride, 0.01};
  cr_assert_eq(motion_bound_fastest(&s, PARTICLES), 0);
  for (int32_t slot = 0; slot < PARTICLES; slot++)
    for (size_t axis = 0; axis < 3; axis++) {
      msd_real *speed = x.before + (VELOCITY_X + axis) * x.store.stride + slot;
      for (int sign = -1; sign <= 1; sign += 2) {
        *speed = (msd_real)(sign * (slot + 1));
        cr_expect_eq(motion_bound_fastest(&s, PARTICLES), slot + 1, "slot %d, axis %d", slot, (int)axis);
        cr_expect_eq(motion_bound_fastest(&s, slot), 0, "slot %d, axis %d", slot, (int)axis);
      }
      *speed = (msd_real)NAN;
      cr_expect_eq(motion_bound_fastest(&s, PARTICLES), 0);
      *speed = 0;
    }
  end_moving(&x);
}

Test(motion_bound, where_nobody_is_watched_only_those_who_are_followed_come_to_be) {
  moving x = begin_moving(0.01);
  const motion_bound_substep s = {x.before, x.behind, x.store.stride, 0.01};
  begin_unwatched(&x, &s, 0.02, straight);
  cr_assert(motion_bound_lasts(&x.f, 0.02) && !motion_bound_lasts(&x.f, 0.03));
  uint8_t marks[PARTICLES] = {0};
  marks[7] = FIRST;
  motion_bound_follow(&x.f, &s, 0.001, marks, FIRST);
  const msd_real *skins = motion_bound_skins(&x.f);
  for (int32_t slot = 0; slot < PARTICLES; slot++)
    cr_expect_eq(skins[slot] < MOTION_BOUND_UNWATCHED, slot == 7, "slot %d", slot);
  cr_expect_eq(x.f.state[7], x.before[7]);
  end_moving(&x);
}

/* Of a motion bound before nothing is left. */
Test(motion_bound, where_nobody_is_watched_all_have_begun_where_they_were_all_the_same) {
  moving x = begin_moving(0.001);
  begin_going(&x);
  take_substep(&x, slow_or_fast);
  const motion_bound_substep s = substep_of(&x);
  begin_unwatched(&x, &s, 0.02, straight);
  for (size_t k = 0; k < COMPONENTS; k++)
    for (int32_t slot = 0; slot < PARTICLES; slot++)
      cr_assert_eq(x.f.state[k * x.f.stride + (size_t)slot], x.before[k * x.store.stride + (size_t)slot],
                   "slot %d", slot);
  end_moving(&x);
}

/* And not as those of the motion bound before did. */
Test(motion_bound, who_comes_to_be_watched_gains_what_all_gain_now) {
  moving x = begin_moving(0.01);
  const motion_bound_substep s = substep_of(&x);
  begin(&x, &s, 0.02, 0.001, false, (const double[3]){0, 1e6, 0});
  begin_unwatched(&x, &s, 0.02, (const double[3]){0, -10, 0});
  uint8_t marks[PARTICLES] = {[7] = FIRST};
  motion_bound_follow(&x.f, &s, 0.001, marks, FIRST);
  cr_expect_float_eq(expected_y(&x, 7, 0.02) + motion_bound_shift(&x.f, 1, 0.02), -10 * 0.02 * 0.02 / 2,
                     1e-9);
  end_moving(&x);
}

Test(motion_bound, a_skin_is_widened_where_a_particle_needs_it) {
  moving x = begin_moving(0.001);
  const motion_bound_substep s = begin_going(&x);
  const size_t y = x.store.stride;
  uint8_t marked[PARTICLES] = {[3] = FIRST, [4] = SECOND | FIRST, [5] = SECOND};
  for (int32_t i = 3; i <= 5; i++)
    x.behind[y + (size_t)i] = (msd_real)(expected_y(&x, i, 0.001) + 0.1);
  cr_assert(motion_bound_widen(&x.f, &s, marked, FIRST));
  for (int32_t i = 0; i < PARTICLES; i++)
    cr_assert_float_eq((double)motion_bound_skins(&x.f)[i], i == 3 || i == 4 ? 0.15 : 0.0005, 2e-5, "%d",
                       (int)i);
  x.behind[y + 5] = (msd_real)NAN;
  cr_assert_not(motion_bound_widen(&x.f, &s, marked, SECOND));
  end_moving(&x);
}

/* From where it is before the substep, whatever the motion bound was. */
Test(motion_bound, who_is_followed_is_expected_to_go_on_as_it_goes_in_the_substep) {
  moving x = begin_moving(0.001);
  const motion_bound_substep s = begin_going(&x);
  uint8_t marked[PARTICLES] = {[6] = FIRST, [8] = SECOND};
  motion_bound_skins(&x.f)[6] = MOTION_BOUND_UNWATCHED;
  x.f.age = 0.003;
  x.before[x.store.stride + 6] = x.before[x.store.stride + 8] = 2;
  motion_bound_follow(&x.f, &s, 0.25, marked, FIRST);
  cr_assert_float_eq(expected_y(&x, 6, 0.003), 2, 1e-6);
  cr_assert_float_eq(expected_y(&x, 6, 0.005), 2.004, 1e-6);
  cr_assert_float_eq((double)motion_bound_skins(&x.f)[6], 0.25, 1e-5);
  cr_assert_float_eq(expected_y(&x, 8, 0.003), 0.004, 1e-6);
  end_moving(&x);
}

/* But not in a substep that is done again, where they would be widened and narrowed for ever. */
Test(motion_bound, skins_narrow_from_one_motion_bound_to_the_next) {
  moving x = begin_moving(0.001);
  const motion_bound_substep s = begin_going(&x);
  motion_bound_skins(&x.f)[7] = (msd_real)0.16;
  begin(&x, &s, 0.008, 0.0005, true, straight);
  cr_assert_float_eq((double)motion_bound_skins(&x.f)[7], 0.16, 1e-5);
  x.f.age = 0.001;
  begin(&x, &s, 0.008, 0.0005, true, straight);
  cr_assert_float_eq((double)motion_bound_skins(&x.f)[7], 0.12, 1e-5);
  cr_assert_float_eq((double)motion_bound_skins(&x.f)[0], 0.0005, 1e-5);
  motion_bound_forget(&x.f);
  cr_assert_not(x.f.holds);
  cr_assert_eq(motion_bound_skins(&x.f)[7], 0);
  end_moving(&x);
}

/* Lets a motion bound go by, in which the first 16 come to be off by a 16th of `one`, the next by 64 of it, and
   the last eight by 1 and 7 of it in turns. */
static void go_off(moving *x, double age, double one) {
  x->f.age = age;
  for (int32_t i = 0; i < PARTICLES; i++) {
    const double times = i < 16 ? 1.0 / 16 : i < 32 ? 64 : i % 2 == 0 ? 1 : 7;
    x->before[x->store.stride + (size_t)i] = (msd_real)(expected_y(x, i, age) + one * times);
  }
}

/* Of what was off by 1 and by 7 mm in turns the root of the mean square is 5 mm. */
Test(motion_bound, skins_may_follow_how_far_off_the_last_motion_bound_was) {
  for (int shown = 3; shown <= 12; shown *= 2) {
    moving x = begin_moving(0.001);
    const motion_bound_substep s = begin_going(&x);
    go_off(&x, 0.001 * shown, 0.001);
    motion_bound_skins(&x.f)[39] = (msd_real)0.5;
    const double skin = 0.02, off = 0.015 * 36 / (shown * shown);
    begin(&x, &s, 0.008, skin, true, straight);
    for (int32_t i = 0; i < 39; i++) {
      const double wanted = i < 16 ? 0 : i < 32 ? 1 : off;
      const double kept = fmin(fmax(wanted, skin / 3), 2 * skin);
      cr_assert_float_eq((double)motion_bound_skins(&x.f)[i], kept, 1e-5, "%d", (int)i);
    }
    cr_assert_float_eq((double)motion_bound_skins(&x.f)[39], 0.25, 1e-5);
    end_moving(&x);
  }
}

/* Groups of 16 are shared out, the last of which is not whole. */
Test(motion_bound, any_number_of_threads_begins_the_same) {
  moving x = begin_moving(0.001), y = begin_moving(0.001);
  const motion_bound_substep s = begin_going(&x), same = begin_going(&y);
  go_off(&x, 0.006, 0.001);
  go_off(&y, 0.006, 0.001);
  const size_t bytes = MOTION_BOUND_COMPONENTS * x.f.stride * sizeof *x.f.state;
  for (int threads = 2; threads <= 5; threads++) {
    begin(&x, &s, 0.008, 0.0005, true, straight);
    const motion_bound_plan plan = {
        .horizon = 0.008, .skin = 0.0005, .follows_the_last = true, .bend = straight, .threads = threads};
    motion_bound_begin(&y.f, &same, &plan);
    cr_expect_arr_eq(x.f.state, y.f.state, bytes, "%d threads", threads);
    x.f.age = y.f.age = 0.004;
  }
  end_moving(&x);
  end_moving(&y);
}

/* What has lasted for less says little about an acceleration; and nobody has asked in the second case. */
Test(motion_bound, skins_do_not_follow_a_motion_bound_that_has_hardly_lasted_or_is_forgotten) {
  for (int which = 0; which < 3; which++) {
    moving x = begin_moving(0.001);
    const motion_bound_substep s = begin_going(&x);
    go_off(&x, which == 0 ? 0.002 : 0.006, 0.001);
    if (which == 2)
      motion_bound_forget(&x.f);
    begin(&x, &s, 0.008, 0.02, which != 1, straight);
    for (int32_t i = 0; i < PARTICLES; i++)
      cr_assert_float_eq((double)motion_bound_skins(&x.f)[i], 0.02, 1e-5, "%d, %d", which, (int)i);
    end_moving(&x);
  }
}

/* As all fall for so many substeps, but for some that rest. Returns the bend that is found from 7. */
static double find_bend(int substeps, int32_t resting) {
  moving x = begin_moving(1.0 / 1024);
  const motion_bound_substep s = substep_of(&x);
  begin(&x, &s, 1, 0.0005, false, straight);
  x.f.age = substeps * x.dt;
  for (int32_t i = 0; i < PARTICLES; i++)
    x.behind[4 * x.store.stride + (size_t)i] = (msd_real)(i % 32 < resting ? 0 : -8 * x.f.age);
  double bend[3] = {0, 7, 0};
  motion_bound_find_bend(&x.f, x.behind, x.store.stride, x.dt, bend);
  cr_expect(bend[0] == 0 && bend[2] == 0);
  end_moving(&x);
  return bend[1];
}

/* Two of 32 are those that may do otherwise; of fewer than three substeps nothing is taken. */
Test(motion_bound, what_nearly_all_gain_of_velocity_is_what_motion_bounds_bend_by) {
  cr_expect_float_eq(find_bend(32, 0), -8, 1e-6);
  cr_expect_float_eq(find_bend(3, 0), -8, 1e-6);
  cr_expect_eq(find_bend(2, 0), 7);
  cr_expect_float_eq(find_bend(32, 2), -8.0 * 30 / 32, 1e-6);
  cr_expect_eq(find_bend(32, 3), 0);
  cr_expect_eq(find_bend(32, 16), 0);
  cr_expect_eq(find_bend(32, 32), 0, "what rests has nothing to bend");
}

Test(motion_bound, what_is_not_finite_bends_no_motion_bound) {
  moving x = begin_moving(1.0 / 1024);
  const motion_bound_substep s = substep_of(&x);
  begin(&x, &s, 1, 0.0005, false, straight);
  x.f.age = 0.01;
  const msd_real strange[] = {(msd_real)INFINITY, (msd_real)NAN};
  for (int n = 0; n < 2; n++) {
    for (int32_t i = 0; i < PARTICLES; i++)
      x.behind[4 * x.store.stride + (size_t)i] = strange[n];
    double bend[3] = {7, 7, 7};
    motion_bound_find_bend(&x.f, x.behind, x.store.stride, x.dt, bend);
    cr_expect(bend[0] == 0 && bend[1] == 0 && bend[2] == 0);
  }
  end_moving(&x);
}

/* x = 8 t^2/2 of all: none is off, and none needs a wider skin; that of what stands is off by it. */
Test(motion_bound, what_goes_as_a_motion_bound_bends_needs_no_wider_skin) {
  const double bend[3] = {0, 8, 0}, age = 1.0 / 64, way = 4 * age * age;
  moving x = begin_moving(1.0 / 1024);
  const motion_bound_substep s = substep_of(&x);
  begin(&x, &s, 1, 0.0005, false, bend);
  x.f.age = age - x.dt;
  cr_assert_float_eq(motion_bound_shift(&x.f, 1, age), way, 1e-9);
  for (int32_t i = 0; i < PARTICLES; i++)
    x.behind[x.store.stride + (size_t)i] = (msd_real)(i == 5 ? 0 : way);
  uint8_t marked[PARTICLES];
  memset(marked, FIRST, sizeof marked);
  cr_assert(motion_bound_widen(&x.f, &s, marked, FIRST));
  for (int32_t i = 0; i < PARTICLES; i++)
    cr_expect_float_eq((double)motion_bound_skins(&x.f)[i], 1.5 * (i == 5 ? way : 0.0005), 3e-6, "%d",
                       (int)i);
  end_moving(&x);
}

/* Where it goes now, and as fast as it does now, at the age that the motion bound has. */
Test(motion_bound, what_has_strayed_from_one_that_bends_is_expected_where_it_is_and_as_it_goes) {
  const double bend[3] = {0, 8, 0}, age = 1.0 / 64;
  moving x = begin_moving(1.0 / 1024);
  const motion_bound_substep s = substep_of(&x);
  begin(&x, &s, 1, 0.0005, false, bend);
  x.f.age = age;
  const size_t y = x.store.stride + 5, v = 4 * x.store.stride + 5;
  x.before[y] = (msd_real)0.25;
  x.behind[v] = -2;
  uint8_t marked[PARTICLES] = {[5] = FIRST};
  motion_bound_follow(&x.f, &s, 0.001, marked, FIRST);
  cr_expect_float_eq(expected_y(&x, 5, age) + motion_bound_shift(&x.f, 1, age), 0.25, 1e-6);
  cr_expect_float_eq((double)x.f.state[v] + 8 * age, -2, 1e-6);
  cr_expect_eq(expected_y(&x, 4, age), 0);
  end_moving(&x);
}
