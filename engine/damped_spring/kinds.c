/* Dampers, the kinds of critically damped springs, tracking springs, and the naive formulas that they
   replace. */
#include "engine/damped_spring/internal.h"

/* ------------------------------------------------------------------------------------------------ dampers */

double msd_damper_remainder(double halflife, double time_step) {
  return exp(-damper_argument(halflife, time_step));
}

/* As in batch.c: relative to x for short intervals, to the goal for long ones. */
double msd_damper(double x, double goal, double halflife, double time_step) {
  const double argument = damper_argument(halflife, time_step), offset = bounded(x - goal);
  return argument < LN2 ? x + expm1(-argument) * offset : goal + exp(-argument) * offset;
}

bool msd_damper_exponential(double *x, double goal, double damping, double reference_step, double time_step) {
  const double rate = parameter(damping), reference = parameter(reference_step), dt = parameter(time_step);
  const double factor = rate * reference;
  if (!(factor < 1))
    return false;
  /* log1p(-factor)/reference -> -rate as the reference interval goes to 0. */
  const double decay = factor > 0 ? log1p(-factor) / reference : -rate;
  const double argument = bounded(-decay * dt), offset = bounded(*x - goal);
  *x = argument < LN2 ? *x + expm1(-argument) * offset : goal + exp(-argument) * offset;
  return true;
}

/* --------------------------------------------------------------------------------------- critical springs */

void msd_simple_spring(double *x, double *v, double goal, double halflife, double time_step) {
  const msd_damped_spring s = msd_damped_spring_make_critical(halflife, time_step);
  msd_damped_spring_update(&s, x, v, goal);
}

void msd_decay_spring(double *x, double *v, double halflife, double time_step) {
  msd_simple_spring(x, v, 0, halflife, time_step);
}

void msd_critical_spring(double *x, double *v, double goal, double goal_velocity, double halflife,
                         double time_step) {
  const msd_damped_spring s = msd_damped_spring_make_critical(halflife, time_step);
  msd_damped_spring_hold(&s, parameter(halflife) / LN2, x, v, goal, goal_velocity);
}

/* The solution of the header in U = y t, with f1 t = v t + U f0 and b t = middle_v t + U a. */
void msd_double_spring_update(msd_double_spring *spring, double goal, double halflife, double time_step) {
  const double dt = parameter(time_step), y = bounded(2 * critical_rate(halflife)), U = bounded(y * dt);
  const double envelope = exp(-U);
  if (dt == 0)
    return;
  if (envelope == 0) {
    *spring = (msd_double_spring){goal, 0, goal, 0};
    return;
  }
  const double x = bounded(spring->x - goal), a = bounded(spring->middle_x - goal);
  const double vt = bounded(spring->v * dt), bt = bounded(bounded(spring->middle_v * dt) + bounded(U * a));
  const double kept = envelope * (1 + U);
  const double moved = envelope * (vt + bounded(U * U / 2 * a) + bounded(U * U / 6 * bt));
  const double pull = bounded((U - U * U / 2) * a) + bounded((U / 2 - U * U / 6) * bt) - bounded(U * x);
  spring->x = bounded(kept > 0.5 ? spring->x + ((kept - 1) * x + moved) : goal + (kept * x + moved));
  spring->v = bounded(bounded(envelope * (1 - U) * spring->v) + envelope * bounded(y * pull));

  const msd_damped_spring middle = msd_damped_spring_make(y, 1, dt);
  msd_damped_spring_update(&middle, &spring->middle_x, &spring->middle_v, goal);
}

/* Until the target point reaches the goal, the spring follows it without knowing its velocity, and lags by
   halflife/ln2 seconds. After that its goal is at rest. */
void msd_timed_spring_update(msd_timed_spring *spring, double time_step) {
  const double dt = parameter(time_step), left = parameter(spring->time_left);
  const double halflife = parameter(spring->halflife);
  const double ahead = bounded(parameter(spring->apprehension) * halflife);
  const double velocity = left > 0 ? bounded(bounded(spring->goal - spring->line) / left) : 0;
  const double moving = fmin(dt, fmax(0, left - ahead)), resting = dt - moving;
  if (moving > 0) {
    const msd_damped_spring s = msd_damped_spring_make_critical(halflife, moving);
    const double seen = bounded(spring->line + bounded(velocity * (ahead - halflife / LN2)));
    msd_damped_spring_track(&s, moving, &spring->x, &spring->v, seen, velocity);
  }
  if (resting > 0) {
    const msd_damped_spring s = msd_damped_spring_make_critical(halflife, resting);
    msd_damped_spring_update(&s, &spring->x, &spring->v, spring->goal);
  }
  spring->line = left > dt ? bounded(spring->line + velocity * dt) : spring->goal;
  spring->time_left = left > dt ? left - dt : 0;
}

void msd_velocity_spring_update(msd_velocity_spring *spring, double time_step) {
  const double speed = parameter(fabs(spring->speed)), distance = bounded(fabs(spring->goal - spring->line));
  const bool waits = speed == 0;
  msd_timed_spring timed = {.x = spring->x,
                            .v = spring->v,
                            .line = spring->line,
                            .goal = waits ? spring->line : spring->goal,
                            .time_left = waits ? 0 : distance / speed,
                            .halflife = spring->halflife,
                            .apprehension = spring->apprehension};
  msd_timed_spring_update(&timed, time_step);
  spring->x = timed.x;
  spring->v = timed.v;
  spring->line = timed.line;
}

void msd_damped_spring_update_angle(const msd_damped_spring *spring, double *x, double *v, double goal) {
  /* The periodic image of the goal nearest to x; exactly the goal if that is nearest. */
  double nearest = goal;
  if (fabs(*x - goal) > PI)
    nearest = *x - remainder(remainder(*x, 2 * PI) - remainder(goal, 2 * PI), 2 * PI);
  msd_damped_spring_update(spring, x, v, nearest);
}

/* --------------------------------------------------------------------------------------- tracking springs */

static double gain(double value) {
  return fmin(parameter(value), 1);
}

static double mix(double from, double to, double share) {
  return (1 - share) * from + share * to;
}

static void track_by_gains(double *x, double *v, const msd_motion *goal, const msd_tracking_gains *gains,
                           double dt) {
  double u = bounded(*v + bounded(gains->acceleration * goal->acceleration * dt));
  u = mix(u, goal->velocity, gains->velocity);
  u = mix(u, bounded(bounded(goal->position - *x) / dt), gains->position);
  *v = u;
  *x = bounded(*x + bounded(u * dt));
}

void msd_tracking_spring(double *x, double *v, msd_motion goal, msd_tracking_gains gains, double time_step) {
  const msd_tracking_gains g = {gain(gains.position), gain(gains.velocity), gain(gains.acceleration)};
  if (parameter(time_step) > 0)
    track_by_gains(x, v, &goal, &g, parameter(time_step));
}

static double gain_of_halflife(double halflife, double dt) {
  return -expm1(-damper_argument(halflife, dt));
}

void msd_tracking_spring_halflife(double *x, double *v, msd_motion goal, msd_tracking_gains halflives,
                                  double time_step) {
  const double dt = parameter(time_step);
  const msd_tracking_gains g = {gain_of_halflife(halflives.position, dt),
                                gain_of_halflife(halflives.velocity, dt),
                                gain_of_halflife(halflives.acceleration, dt)};
  if (dt > 0)
    track_by_gains(x, v, &goal, &g, dt);
}

/* (1 - e^-pt)/p, t at p = 0. */
static double decayed_time(double p, double t) {
  return p * t > 0 ? -expm1(-bounded(p * t)) / p : t;
}

/* The displacement from rest after dt under constant unit acceleration: the integral of pos_vel, (1 -
   pos_pos)/s. That cancels if the spring hardly pulls in this time. Then either damping dominates and the
   two modes are far apart, or a few terms of the series in dt suffice. */
static double carried(double s, double d, double dt, const msd_damped_spring *spring) {
  if (s * dt > 0.01 * (1 / dt + d))
    return bounded((1 - spring->pos_pos) / s);
  if (d * dt > 1) {
    const double y = d / 2, r = y * sqrt(1 - s / y / y), fast = y + r, slow = s / fast;
    return bounded((decayed_time(slow, dt) - decayed_time(fast, dt)) / (2 * r));
  }
  double before = 0, derivative = 1, sum = 0, factorial = 2;
  for (int n = 2; n < 24; n++) { /* derivative n of x, times dt^(n - 2) */
    sum += derivative / factorial;
    const double next = -(d * dt) * derivative - (s * dt * dt) * before;
    before = derivative;
    derivative = next;
    factorial *= n + 1;
  }
  return bounded(dt * (dt * sum));
}

/* One update by gains is v' = v - dt (d v - s (x_goal - x) - push), with the stiffness s, damping d and push
   below. It approximates x'' = s (x_goal - x) - d x' + push. */
void msd_tracking_spring_exact(double *x, double *v, msd_motion goal, msd_tracking_gains gains,
                               double gain_step, double time_step) {
  const double step = parameter(gain_step), dt = parameter(time_step);
  const double gx = gain(gains.position), gv = gain(gains.velocity), ga = gain(gains.acceleration);
  if (dt == 0)
    return;
  const double s = gx / step / step, d = (gv + gx - gv * gx) / step;
  if (!(s < 1e150 && d < 1e150)) {
    *x = goal.position;
    *v = 0;
    return;
  }
  const double push =
      bounded(gv * (1 - gx) / step * goal.velocity) + bounded(ga * (1 - gv) * (1 - gx) * goal.acceleration);
  const msd_damped_spring spring = msd_damped_spring_make_stiffness(s, d, dt);
  msd_damped_spring_update(&spring, x, v, goal.position);
  *x = bounded(*x + bounded(bounded(push) * carried(s, d, dt, &spring)));
  *v = bounded(*v + bounded(bounded(push) * spring.pos_vel));
}

double msd_sampled_velocity(double now, double before, double time_step) {
  const double dt = parameter(time_step);
  return dt > 0 ? bounded(bounded(now - before) / dt) : 0;
}

double msd_sampled_acceleration(double now, double before, double before_that, double time_step) {
  return msd_sampled_velocity(msd_sampled_velocity(now, before, time_step),
                              msd_sampled_velocity(before, before_that, time_step), time_step);
}

/* ----------------------------------------------------------------------------------------- naive formulas */

double msd_naive_lerp(double x, double goal, double factor) {
  return x + factor * (goal - x);
}

double msd_naive_damper(double x, double goal, double damping, double time_step) {
  return msd_naive_lerp(x, goal, damping * time_step);
}

void msd_naive_spring(double *x, double *v, double goal, double stiffness, double damping, double time_step) {
  *v += time_step * (stiffness * (goal - *x) - damping * *v);
  *x += time_step * *v;
}
