/* Closed-form damped springs: the coefficients of one time interval, their application, and predictions.

   x'' + 2 y x' + w^2 x = 0 has the roots -y +- sqrt(y^2 - w^2). With T(t) the motion from 0 with unit
   velocity,

       pos_vel = T,  pos_pos = T' + 2 y T,  vel_vel = T',  vel_pos = -w^2 T,
       T = e^-yt sin(r t)/r  below critical, e^-yt sinh(r t)/r above it, r = sqrt|w^2 - y^2|.

   Both are the same smooth function of w^2 - y^2. So no band around zeta = 1 needs a special case; each side
   only has to be computed without cancellation.

   The coefficients are bitwise identical on every machine, because the engine integrates soft pins with
   them. */
#include "engine/base/portable_math.h"
#include "engine/damped_spring/internal.h"

static const msd_damped_spring identity = {1, 0, 0, 1};
static const msd_damped_spring at_goal = {0, 0, 0, 0};

/* Underdamped. The phase r t may exceed 1e5 rad, where its rounding alone would cost 1e-11: so r is given as
   r + r_low, and the product carries its error along. */
static msd_damped_spring swing(double w, double y, double r, double r_low, double dt) {
  const double envelope = elementary_exp(-bounded(y * dt));
  if (envelope == 0)
    return at_goal;
  const double phase = bounded(r * dt);
  const double low = phase < 1e8 ? fma(r, dt, -phase) + r_low * dt : 0;
  double sine, cosine;
  elementary_sin_cos(phase, &sine, &cosine);
  const double c = cosine - low * sine;
  const double T = phase < 1e-8 ? dt : bounded((sine + low * cosine) / r);
  const double pos_vel = envelope * T;
  return (msd_damped_spring){.pos_pos = envelope * (c + y * T),
                             .pos_vel = pos_vel,
                             .vel_pos = -(w * (w * pos_vel)),
                             .vel_vel = envelope * (c - y * T)};
}

/* Critical and overdamped, with the slow rate as w^2/(y + r) instead of the difference y - r. */
static msd_damped_spring overdamped(double w, double y, double r, double dt) {
  const double fast = bounded(y + r), slow = fast > 0 ? w * (w / fast) : 0;
  const double slow_decay = elementary_exp(-bounded(slow * dt));
  if (slow_decay == 0)
    return at_goal;
  const double rt = bounded(r * dt);
  const double T =
      rt < 1e-8 ? dt * (1 - rt) : bounded(-elementary_expm1(-2 * rt) * (0.5 / r)); /* e^-yt sinh(rt)/r */
  msd_damped_spring s;
  s.pos_vel = slow_decay * T;
  s.vel_pos = -(w * (w * s.pos_vel));
  if (r <= 0.5 * w) {
    const double c = 1 - r * T; /* of e^-yt cosh(rt) */
    s.pos_pos = slow_decay * (c + y * T);
    s.vel_vel = slow_decay * (c - y * T);
  } else {
    const double fast_decay = elementary_exp(-bounded(fast * dt));
    const double a = 0.5 * (y / r + 1), b = 0.5 * (slow / r);
    s.pos_pos = a * slow_decay - b * fast_decay;
    s.vel_vel = a * fast_decay - b * slow_decay;
  }
  return s;
}

/* From w and y, without squaring them. */
static msd_damped_spring mixed(double w, double y, double dt) {
  const double r = sqrt(fabs(w - y)) * sqrt(w + y);
  return w > y ? swing(w, y, r, 0, dt) : overdamped(w, y, r, dt);
}

msd_damped_spring msd_damped_spring_make(double angular_frequency, double damping_ratio, double time_step) {
  const double w = parameter(angular_frequency), zeta = parameter(damping_ratio), dt = parameter(time_step);
  if (dt == 0)
    return identity;
  if (w >= DBL_MAX)
    return at_goal;
  const double y = bounded(w * zeta);
  if (zeta >= 1)
    return overdamped(w, y, bounded(w * (sqrt(zeta - 1) * sqrt(zeta + 1))), dt);

  /* root = sqrt(1 - zeta^2) with its rounding error, and likewise r = w root. */
  const double square = zeta * zeta, rest = 1 - square;
  const double root = sqrt((1 - zeta) * (1 + zeta)), root_square = root * root;
  const double square_low = fma(zeta, zeta, -square), root_square_low = fma(root, root, -root_square);
  const double rest_low = (1 - rest) - square;
  const double root_low = ((rest - root_square) + (rest_low - square_low - root_square_low)) / (2 * root);
  const double r = w * root;
  return swing(w, y, r, fma(w, root, -r) + w * root_low, dt);
}

msd_damped_spring msd_damped_spring_make_stiffness(double stiffness, double damping, double time_step) {
  const double s = parameter(stiffness), dt = parameter(time_step);
  if (dt == 0)
    return identity;
  if (s >= DBL_MAX)
    return at_goal;
  const double w = sqrt(s), y = 0.5 * parameter(damping), square = y * y;
  if (square > DBL_MAX || (square < DBL_MIN && s < DBL_MIN)) /* squares out of range */
    return mixed(w, y, dt);

  /* r^2 = |s - y^2| with the rounding errors of the difference (Knuth's TwoSum) and of the square, which
     matter if s is close to y^2. */
  const double difference = s - square, part = difference - s;
  const double low = (s - (difference - part)) - (square + part) - fma(y, y, -square);
  const double r2 = difference + low;
  if (r2 <= 0)
    return overdamped(w, y, sqrt(-r2), dt);
  const double r = sqrt(r2);
  return swing(w, y, r, (fma(-r, r, difference) + low) / (2 * r), dt);
}

msd_damped_spring msd_damped_spring_make_frequency(double frequency, double halflife, double time_step) {
  const double w = bounded(2 * PI * parameter(frequency)), y = critical_rate(halflife),
               dt = parameter(time_step);
  if (dt == 0)
    return identity;
  if (w >= DBL_MAX || y >= DBL_MAX)
    return at_goal;
  return mixed(w, y, dt);
}

msd_damped_spring msd_damped_spring_make_ratio(double damping_ratio, double halflife, double time_step) {
  const double zeta = parameter(damping_ratio), y = critical_rate(halflife);
  return msd_damped_spring_make(zeta > 0 && y < DBL_MAX ? y / zeta : DBL_MAX, zeta, time_step);
}

msd_damped_spring msd_damped_spring_make_duration(double duration, double bounce, double time_step) {
  return msd_damped_spring_make(2 * PI / parameter(duration), isnan(bounce) ? 1 : 1 - bounce, time_step);
}

msd_damped_spring msd_damped_spring_make_critical(double halflife, double time_step) {
  return msd_damped_spring_make(critical_rate(halflife), 1, time_step);
}

void msd_damped_spring_update(const msd_damped_spring *spring, double *x, double *v, double goal) {
  const increments s = make_increments(spring);
  advance(&s, 0, x, v, goal, 0);
}

void msd_damped_spring_decay(const msd_damped_spring *spring, double *x, double *v) {
  msd_damped_spring_update(spring, x, v, 0);
}

void msd_damped_spring_track(const msd_damped_spring *spring, double time_step, double *x, double *v,
                             double goal, double goal_velocity) {
  const increments s = make_increments(spring);
  advance(&s, parameter(time_step), x, v, goal, goal_velocity);
}

void msd_damped_spring_hold(const msd_damped_spring *spring, double lead, double *x, double *v, double goal,
                            double goal_velocity) {
  msd_damped_spring_update(spring, x, v, bounded(goal + bounded(parameter(lead) * goal_velocity)));
}

double msd_damped_spring_lead(double angular_frequency, double damping_ratio) {
  const double w = parameter(angular_frequency);
  return w > 0 ? bounded(2 * parameter(damping_ratio) / w) : 0;
}

void msd_damped_spring_update_vec2(const msd_damped_spring *spring, double x[2], double v[2],
                                   const double goal[2]) {
  msd_damped_spring_update_doubles(spring, x, v, goal, 2);
}

void msd_damped_spring_update_vec3(const msd_damped_spring *spring, double x[3], double v[3],
                                   const double goal[3]) {
  msd_damped_spring_update_doubles(spring, x, v, goal, 3);
}

void msd_damped_spring_track_vec2(const msd_damped_spring *spring, double time_step, double x[2], double v[2],
                                  const double goal[2], const double goal_velocity[2]) {
  msd_damped_spring_track_doubles(spring, time_step, x, v, goal, goal_velocity, 2);
}

void msd_damped_spring_track_vec3(const msd_damped_spring *spring, double time_step, double x[3], double v[3],
                                  const double goal[3], const double goal_velocity[3]) {
  msd_damped_spring_track_doubles(spring, time_step, x, v, goal, goal_velocity, 3);
}

/* The acceleration is stiffness times offset plus damping times velocity. Far above critical damping the two
   nearly cancel. There the fast mode u = v + slow x, which decays independently, gives x'' = -fast u - slow
   v. */
msd_motion msd_damped_spring_predict(double angular_frequency, double damping_ratio, double offset,
                                     double velocity, double time) {
  const double w = parameter(angular_frequency), zeta = parameter(damping_ratio), t = parameter(time);
  const msd_damped_spring s = msd_damped_spring_make(w, zeta, t);
  double x = offset, v = velocity;
  msd_damped_spring_decay(&s, &x, &v);
  if (w >= DBL_MAX)
    return (msd_motion){x, v, 0};
  double acceleration;
  if (zeta < 1) {
    acceleration = -bounded(w * (w * bounded(x))) - bounded(2 * zeta * w * bounded(v));
  } else {
    const double m = bounded(zeta + sqrt(zeta - 1) * sqrt(zeta + 1));
    const double fast = bounded(w * m), slow = w / m;
    const double mode = bounded(velocity + slow * offset) * exp(-bounded(fast * t));
    acceleration = -bounded(fast * mode) - bounded(slow * bounded(v));
  }
  return (msd_motion){x, v, bounded(acceleration)};
}

static double distance_at(double w, double zeta, double offset, double velocity, double time) {
  return fabs(msd_damped_spring_predict(w, zeta, offset, velocity, time).position);
}

/* The time of the first extremum of x at or after t = 0, or -1 if there is none. From the velocity,
   tan(rt)/r or tanh(rt)/r = v/(w^2 x + y v). */
static double first_extremum(double w, double zeta, double offset, double velocity) {
  if (velocity == 0)
    return 0;
  const double y = w * zeta, push = w * w * offset + y * velocity;
  if (zeta < 1) {
    const double r = w * sqrt((1 - zeta) * (1 + zeta));
    double phase = atan2(velocity * r, push);
    if (phase < 0)
      phase += PI;
    return phase / r;
  }
  const double r = w * sqrt(zeta - 1) * sqrt(zeta + 1), ratio = velocity / push;
  if (!(ratio > 0) || ratio * r >= 1)
    return -1;
  return r > 0 ? atanh(ratio * r) / r : ratio;
}

double msd_damped_spring_settle_time(double angular_frequency, double damping_ratio, double offset,
                                     double velocity, double tolerance) {
  const double w = parameter(angular_frequency), zeta = parameter(damping_ratio),
               limit = parameter(tolerance);
  if (!isfinite(offset) || !isfinite(velocity))
    return INFINITY;
  if (w >= DBL_MAX || (offset == 0 && velocity == 0))
    return 0;
  if (limit == 0 || w == 0)
    return limit > 0 && velocity == 0 && fabs(offset) <= limit ? 0 : INFINITY;

  /* x is monotonic between extrema, and each is smaller than the last by the same factor. Finds the last one
     outside the limit: between it and the next one, x enters the limit for good. */
  const double extremum = first_extremum(w, zeta, offset, velocity);
  const double amplitude = extremum >= 0 ? distance_at(w, zeta, offset, velocity, extremum) : 0;
  double begin = 0, end = 0;
  if (amplitude > limit) {
    if (zeta == 0)
      return INFINITY;
    begin = extremum;
    if (zeta < 1) {
      const double half_turn = PI / (w * sqrt((1 - zeta) * (1 + zeta)));
      begin += half_turn * fmax(0, floor(log(amplitude / limit) / (zeta * w * half_turn)) - 1);
      for (int i = 0; i < 3 && distance_at(w, zeta, offset, velocity, begin + half_turn) > limit; i++)
        begin += half_turn; /* the estimate may be one too low by rounding */
      end = begin + half_turn;
      if (!(end < DBL_MAX))
        return INFINITY;
    }
  } else if (fabs(offset) > limit) {
    end = fmax(0, extremum);
  } else {
    return 0;
  }
  for (double span = 1 / w; end <= begin || distance_at(w, zeta, offset, velocity, end) > limit; span *= 2) {
    end = begin + span;
    if (end > DBL_MAX)
      return INFINITY;
  }
  for (;;) {
    const double middle = begin + 0.5 * (end - begin);
    if (!(middle > begin && middle < end))
      return end;
    *(distance_at(w, zeta, offset, velocity, middle) > limit ? &begin : &end) = middle;
  }
}
