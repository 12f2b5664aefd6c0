#include "engine/contact/forecast.h"

#include <criterion/criterion.h>

#include <math.h>
#include <string.h>

enum { PARTICLES = 40, FIRST = 1, SECOND = 2 };

/* Particles of which number i is at (i, 0, 0) and goes by way[i] in a substep. */
typedef struct moving {
  particle_store store;
  memory m;
  msd_real *before, *behind;
  void *blocks[2];
  forecast course, f;
  double time_step;
} moving;

static moving begin_moving(double time_step) {
  moving x = {.m = {.allocator = memory_default_allocator(), .limit = SIZE_MAX}, .time_step = time_step};
  cr_assert(particle_store_reserve(&x.store, &x.m, PARTICLES));
  x.store.count = PARTICLES;
  x.before = particle_allocate_slab(&x.store, &x.m, COMPONENTS, &x.blocks[0]);
  x.behind = particle_allocate_slab(&x.store, &x.m, COMPONENTS, &x.blocks[1]);
  cr_assert(forecast_reserve(&x.course, &x.m, &x.store));
  cr_assert(forecast_reserve(&x.f, &x.m, &x.store));
  for (int32_t i = 0; i < PARTICLES; i++)
    x.before[i] = x.behind[i] = (msd_real)i;
  return x;
}

static void end_moving(moving *x) {
  forecast_free(&x->course, &x->m);
  forecast_free(&x->f, &x->m);
  memory_release(&x->m, x->blocks[0]);
  memory_release(&x->m, x->blocks[1]);
  x->store.count = 0;
  particle_store_free(&x->store, &x->m);
  cr_assert_eq(x->m.used, 0);
}

static forecast_substep substep_of(const moving *x) {
  return (forecast_substep){x->before, x->behind, x->store.stride, x->time_step};
}

/* Particle i goes on by way(i), and its velocity says something else. */
static void take_substep(moving *x, double (*way)(int32_t i, int n), int n) {
  const size_t y = x->store.stride;
  memcpy(x->before, x->behind, COMPONENTS * y * sizeof *x->before);
  for (int32_t i = 0; i < PARTICLES; i++) {
    x->behind[y + (size_t)i] += (msd_real)way(i, n);
    x->behind[4 * y + (size_t)i] = (msd_real)(way(i, n) / x->time_step);
  }
}

static double swing(int32_t i, int n) {
  return i % 2 == 0 ? 0.001 : n % 2 == 0 ? 0.01 : -0.01;
}

static double expected_y(const moving *x, int32_t i, double age) {
  const size_t y = x->f.stride + (size_t)i, v = 4 * x->f.stride + (size_t)i;
  return (double)x->f.state[y] + (double)x->f.state[v] * age;
}

/* Takes a course over six substeps and begins a forecast. */
static forecast_substep begin_swinging(moving *x) {
  forecast_substep s = substep_of(x);
  forecast_set_course(&x->course, &s);
  for (int n = 0; n < 7; n++) {
    take_substep(x, swing, n);
    x->course.age += n < 6 ? x->time_step : 0;
  }
  forecast_set_course(&x->course, &s);
  forecast_begin(&x->f, &x->course, &s, 8 * x->time_step, 0.0005);
  return s;
}

Test(forecast, what_swings_is_expected_to_stand_and_what_goes_on_to_go_on) {
  moving x = begin_moving(0.001);
  begin_swinging(&x);
  for (int32_t i = 0; i < PARTICLES; i++)
    cr_assert_float_eq(expected_y(&x, i, 0.008), i % 2 == 0 ? 0.014 : 0, 1e-6, "%d", (int)i);
  cr_assert_float_eq(forecast_fastest(&x.f), 1, 1e-3);
  cr_assert(forecast_lasts(&x.f, 0.008));
  cr_assert_not(forecast_lasts(&x.f, 0.0081));
  end_moving(&x);
}

Test(forecast, a_skin_is_widened_where_a_particle_needs_it) {
  moving x = begin_moving(0.001);
  const forecast_substep s = begin_swinging(&x);
  const size_t y = x.store.stride;
  uint8_t marked[PARTICLES] = {[3] = FIRST, [4] = SECOND | FIRST, [5] = SECOND};
  for (int32_t i = 3; i <= 5; i++)
    x.behind[y + (size_t)i] = (msd_real)(expected_y(&x, i, 0.001) + 0.1);
  cr_assert(forecast_widen(&x.f, &s, marked, FIRST));
  for (int32_t i = 0; i < PARTICLES; i++)
    cr_assert_float_eq((double)forecast_skins(&x.f)[i], i == 3 || i == 4 ? 0.15 : 0.0005, 2e-5, "%d", (int)i);
  x.behind[y + 5] = (msd_real)NAN;
  cr_assert_not(forecast_widen(&x.f, &s, marked, SECOND));
  end_moving(&x);
}

/* From where it is before the substep, whatever the forecast was. */
Test(forecast, who_is_followed_is_expected_to_go_on_from_where_it_is) {
  moving x = begin_moving(0.001);
  const forecast_substep s = begin_swinging(&x);
  uint8_t marked[PARTICLES] = {[6] = FIRST, [8] = SECOND};
  forecast_skins(&x.f)[6] = FORECAST_UNWATCHED;
  x.f.age = 0.003;
  x.before[x.store.stride + 6] = x.before[x.store.stride + 8] = 2;
  forecast_follow(&x.f, &x.course, &s, 0.25, marked, FIRST);
  cr_assert_float_eq(expected_y(&x, 6, 0.003), 2, 1e-6);
  cr_assert_float_eq(expected_y(&x, 6, 0.005), 2.002, 1e-6);
  cr_assert_float_eq((double)forecast_skins(&x.f)[6], 0.25, 1e-5);
  cr_assert_float_eq(expected_y(&x, 8, 0.003), 0.009, 1e-6);
  end_moving(&x);
}

/* But not in a substep that is done again, where they would be widened and narrowed for ever. */
Test(forecast, skins_narrow_from_one_forecast_to_the_next) {
  moving x = begin_moving(0.001);
  const forecast_substep s = begin_swinging(&x);
  forecast_skins(&x.f)[7] = (msd_real)0.16;
  forecast_begin(&x.f, &x.course, &s, 0.008, 0.0005);
  cr_assert_float_eq((double)forecast_skins(&x.f)[7], 0.16, 1e-5);
  x.f.age = 0.001;
  forecast_begin(&x.f, &x.course, &s, 0.008, 0.0005);
  cr_assert_float_eq((double)forecast_skins(&x.f)[7], 0.12, 1e-5);
  cr_assert_float_eq((double)forecast_skins(&x.f)[0], 0.0005, 1e-5);
  forecast_forget(&x.f);
  cr_assert_not(x.f.holds);
  cr_assert_eq(forecast_skins(&x.f)[7], 0);
  end_moving(&x);
}
