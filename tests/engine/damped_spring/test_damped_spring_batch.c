/* Batches give what the scalar functions give, element by element. */
#include <msd/damped_spring.h>

#include <criterion/criterion.h>
#include <float.h>
#include <math.h>
#include <string.h>

enum { COUNT = 1003 }; /* no multiple of any vector width */

/* Reproducible values in -1..1. */
static double noise(unsigned *seed) {
  *seed = *seed * 1664525u + 1013904223u;
  return (double)*seed / 2147483648.0 - 1;
}

typedef struct {
  double x[COUNT], v[COUNT], goal[COUNT], q[COUNT];
  float fx[COUNT], fv[COUNT], fgoal[COUNT], fq[COUNT];
} arrays;

static void fill(arrays *a, double goal_scale) {
  unsigned seed = 7;
  for (int i = 0; i < COUNT; i++) {
    a->fx[i] = (float)noise(&seed);
    a->fv[i] = (float)(10 * noise(&seed));
    a->fgoal[i] = (float)(goal_scale * noise(&seed));
    a->fq[i] = (float)noise(&seed);
    a->x[i] = (double)a->fx[i];
    a->v[i] = (double)a->fv[i];
    a->goal[i] = (double)a->fgoal[i];
    a->q[i] = (double)a->fq[i];
  }
}

static const double steps[] = {0, 1e-6, 1.0 / 240, 1.0 / 60, 0.3, 100};
static const double ratios[] = {0, 0.2, 1, 40};

Test(damped_spring_batch, doubles_are_bit_for_bit_the_scalar_step) {
  static arrays a, b;
  for (int k = 0; k < 24; k++) {
    const double dt = steps[k % 6];
    const msd_damped_spring s = msd_damped_spring_make(5, ratios[k / 6], dt);
    fill(&a, 3);
    b = a;
    msd_damped_spring_update_doubles(&s, a.x, a.v, a.goal, COUNT);
    msd_damped_spring_track_doubles(&s, dt, a.x, a.v, a.goal, a.q, COUNT);
    msd_damped_spring_gather_doubles(&s, a.x, a.v, 0.3, COUNT);
    msd_damped_spring_update_doubles(&s, a.x, a.v, NULL, COUNT);
    msd_damper_doubles(a.x, a.goal, 0.2, dt, COUNT);
    for (int i = 0; i < COUNT; i++) {
      msd_damped_spring_update(&s, &b.x[i], &b.v[i], b.goal[i]);
      msd_damped_spring_track(&s, dt, &b.x[i], &b.v[i], b.goal[i], b.q[i]);
      msd_damped_spring_update(&s, &b.x[i], &b.v[i], 0.3);
      msd_damped_spring_decay(&s, &b.x[i], &b.v[i]);
      b.x[i] = msd_damper(b.x[i], b.goal[i], 0.2, dt);
    }
    cr_assert(memcmp(a.x, b.x, sizeof a.x) == 0 && memcmp(a.v, b.v, sizeof a.v) == 0, "dt %g zeta %g", dt,
              ratios[k / 6]);
  }
}

/* One step in float: the terms are rounded once each, and the sum once. */
Test(damped_spring_batch, floats_agree_with_double_to_rounding) {
  static arrays a;
  for (int k = 0; k < 24; k++) {
    const double dt = steps[k % 6], w = 5;
    const msd_damped_spring s = msd_damped_spring_make(w, ratios[k / 6], dt);
    for (int kind = 0; kind < 3; kind++) {
      fill(&a, 3);
      if (kind == 0)
        msd_damped_spring_update_floats(&s, a.fx, a.fv, a.fgoal, COUNT);
      else if (kind == 1)
        msd_damped_spring_track_floats(&s, dt, a.fx, a.fv, a.fgoal, a.fq, COUNT);
      else
        msd_damped_spring_gather_floats(&s, a.fx, a.fv, 0.25f, COUNT);
      for (int i = 0; i < COUNT; i++) {
        const double size =
            fabs(a.x[i]) + fabs(a.goal[i]) + fabs(a.v[i]) / w + (kind == 1 ? fabs(a.q[i]) * dt : 0) + 1;
        double x = a.x[i], v = a.v[i];
        msd_damped_spring_track(&s, dt, &x, &v, kind == 2 ? 0.25 : a.goal[i], kind == 1 ? a.q[i] : 0);
        cr_assert(fabs((double)a.fx[i] - x) <= 2 * FLT_EPSILON * size, "kind %d dt %g zeta %g: %g for %g",
                  kind, dt, ratios[k / 6], (double)a.fx[i], x);
        cr_assert(fabs((double)a.fv[i] - v) <= 2 * FLT_EPSILON * size * w,
                  "kind %d dt %g zeta %g: v %g for %g", kind, dt, ratios[k / 6], (double)a.fv[i], v);
      }
    }
  }
}

/* Float coefficients near 1 would be wrong by 6e-8 every step and shift a slow motion for good; increments
   are not. The rounding of the stored state remains. */
Test(damped_spring_batch, a_slow_spring_in_float_arrives_on_time) {
  const double w = 0.02, dt = 1.0 / 1000;
  const msd_damped_spring s = msd_damped_spring_make(w, 1, dt);
  float x[8] = {1, 1, 1, 1, 1, 1, 1, 1}, v[8] = {0};
  const int count = 100000;
  for (int n = 0; n < count; n++)
    msd_damped_spring_update_floats(&s, x, v, NULL, 8);
  const double want = msd_damped_spring_predict(w, 1, 1, 0, count * dt).position;
  for (int i = 0; i < 8; i++)
    cr_assert_float_eq((double)x[i], want, 1e-3);
}

Test(damped_spring_batch, floats_that_reached_their_goal_stay) {
  const msd_damped_spring s = msd_damped_spring_make(5, 1, 1.0 / 60);
  static arrays a, b;
  fill(&a, 100);
  memcpy(a.fx, a.fgoal, sizeof a.fx);
  memset(a.fv, 0, sizeof a.fv);
  b = a;
  for (int n = 0; n < 100; n++)
    msd_damped_spring_update_floats(&s, a.fx, a.fv, a.fgoal, COUNT);
  cr_assert(memcmp(a.fx, b.fx, sizeof a.fx) == 0 && memcmp(a.fv, b.fv, sizeof a.fv) == 0);
}

Test(damped_spring_batch, dampers_in_float_halve_the_distance) {
  static arrays a;
  fill(&a, 1);
  msd_damper_floats(a.fx, a.fgoal, 0.5, 0.5, COUNT);
  for (int i = 0; i < COUNT; i++)
    cr_assert_float_eq((double)a.fx[i], (a.x[i] + a.goal[i]) / 2, 2e-7);
  fill(&a, 1);
  msd_damper_floats(a.fx, NULL, 0, 0.1, COUNT);
  for (int i = 0; i < COUNT; i++)
    cr_assert(a.fx[i] == 0);
}

Test(damped_spring_batch, empty_and_missing_arrays_do_nothing) {
  const msd_damped_spring s = msd_damped_spring_make(5, 1, 0.1);
  float x = 1, v = 2;
  double dx = 1, dv = 2;
  msd_damped_spring_update_floats(&s, &x, &v, NULL, 0);
  msd_damped_spring_update_floats(&s, NULL, &v, NULL, 1);
  msd_damped_spring_track_floats(&s, 0.1, &x, NULL, NULL, NULL, 1);
  msd_damped_spring_gather_floats(&s, NULL, NULL, 1, 1);
  msd_damped_spring_update_doubles(&s, NULL, &dv, NULL, 1);
  msd_damped_spring_gather_doubles(&s, &dx, NULL, 1, 1);
  msd_damped_spring_track_doubles(&s, 0.1, &dx, &dv, NULL, NULL, 0);
  msd_damper_floats(NULL, NULL, 1, 1, 5);
  msd_damper_doubles(&dx, NULL, 1, 1, 0);
  cr_assert(x == 1 && v == 2 && dx == 1 && dv == 2);
}

Test(damped_spring_batch, missing_goals_are_zeros) {
  static arrays a, b;
  const msd_damped_spring s = msd_damped_spring_make(5, 0.4, 0.1);
  fill(&a, 0);
  b = a;
  memset(b.fq, 0, sizeof b.fq);
  msd_damped_spring_track_floats(&s, 0.1, a.fx, a.fv, NULL, NULL, COUNT);
  msd_damped_spring_track_floats(&s, 0.1, b.fx, b.fv, b.fgoal, b.fq, COUNT);
  cr_assert(memcmp(a.fx, b.fx, sizeof a.fx) == 0 && memcmp(a.fv, b.fv, sizeof a.fv) == 0);
}

Test(damped_spring_batch, what_is_finite_stays_finite) {
  const double p[] = {0, 5e-324, 1e-40, 1, 1e30, 1e39, 1e200, DBL_MAX, INFINITY};
  const float f[] = {0, 1, -1e-45f, FLT_MAX, -FLT_MAX};
  const double d[] = {0, 1, -5e-324, DBL_MAX, -DBL_MAX};
  for (int k = 0; k < 9 * 9 * 9; k++) {
    const double dt = p[k / 81];
    const msd_damped_spring s = msd_damped_spring_make(p[k % 9], p[k / 9 % 9], dt);
    float x[125], v[125], goal[125], tx[125], tv[125], damped[125];
    double X[125], V[125], GOAL[125];
    for (int i = 0; i < 125; i++) {
      damped[i] = tx[i] = x[i] = f[i % 5];
      tv[i] = v[i] = f[i / 5 % 5];
      goal[i] = f[i / 25];
      X[i] = d[i % 5];
      V[i] = d[i / 5 % 5];
      GOAL[i] = d[i / 25];
    }
    msd_damped_spring_update_floats(&s, x, v, goal, 125);
    msd_damped_spring_track_floats(&s, dt, tx, tv, goal, goal, 125);
    msd_damped_spring_track_doubles(&s, dt, X, V, GOAL, GOAL, 125);
    msd_damper_floats(damped, goal, p[k % 9], dt, 125);
    for (int i = 0; i < 125; i++)
      cr_assert(isfinite(x[i]) && isfinite(v[i]) && isfinite(tx[i]) && isfinite(tv[i]) && isfinite(X[i]) &&
                    isfinite(V[i]) && isfinite(damped[i]),
                "w %g zeta %g dt %g, element %d", p[k % 9], p[k / 9 % 9], dt, i);
  }
}
