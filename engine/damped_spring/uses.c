/* Applications of critically damped springs: smoothing, characters, inertialization, curves, resonance. */
#include "engine/damped_spring/internal.h"

/* ---------------------------------------------------------------------------------------------- smoothing */

/* |H| = 1/(1 + u^2) is 1/sqrt 2 at u = sqrt(sqrt 2 - 1). */
#define CUTOFF 0.64359425290558262474

double msd_smoothing_gain(double halflife, double frequency) {
  const double u = 2 * PI * parameter(frequency) / critical_rate(halflife);
  return 1 / (1 + u * u);
}

double msd_smoothing_cutoff(double halflife) {
  return bounded(CUTOFF / (2 * PI) * critical_rate(halflife));
}

double msd_smoothing_halflife(double cutoff_frequency) {
  return bounded(LN2 * CUTOFF / PI / parameter(cutoff_frequency));
}

/* The sum of the squares of the response to one sample of 1. With U = y dt and e = exp(-U), its term k is
   e^k (A + B k), A = 1 - (1 + U) e, B = U (1 - e). */
double msd_smoothing_noise_gain(double halflife, double time_step) {
  const double U = bounded(critical_rate(halflife) * parameter(time_step)), e = exp(-U);
  if (U < 1e-6)
    return U / 4; /* the next term is smaller by a factor of 1e-12 */
  const double A = -expm1(-U) - U * e, B = e > 0 ? U * -expm1(-U) : 0;
  const double R = e * e, q = -expm1(-2 * U);
  return A * A / q + 2 * A * B * R / (q * q) + B * B * R * (1 + R) / (q * q * q);
}

/* --------------------------------------------------------------------------------------------- characters */

/* v follows the critically damped spring, with a as its velocity; x is the integral of v. With U = y dt, e =
   exp(-U):

       x += v_g dt + (v - v_g) (2 - (2 + U) e)/y + a (1 - (1 + U) e)/y^2.

   Below U = 1 both cancel, and psi = (1 - (1 + U) e)/U^2 = sum (-U)^k/(k! (k + 2)) is used instead. */
void msd_character_update(msd_motion *character, double goal_velocity, double halflife, double time_step) {
  const double y = critical_rate(halflife), dt = parameter(time_step), U = bounded(y * dt);
  if (dt == 0)
    return;
  const double offset = bounded(character->velocity - goal_velocity);
  double by_velocity, by_acceleration;
  if (U < 1) {
    double psi = 0, term = 1;
    for (int k = 0; k < 18; k++) {
      psi += term / (k + 2);
      term *= -U / (k + 1);
    }
    const double phi = U > 0 ? -expm1(-U) / U : 1;
    by_velocity = dt * (phi + U * psi);
    by_acceleration = dt * (dt * psi);
  } else {
    const double e = exp(-U);
    by_velocity = (2 - (2 + U) * e) / y;
    by_acceleration = (1 - (1 + U) * e) / y / y;
  }
  const double steady = bounded(character->position + bounded(goal_velocity * dt));
  character->position = bounded(bounded(steady + bounded(offset * by_velocity)) +
                                bounded(character->acceleration * bounded(by_acceleration)));
  const msd_damped_spring s = msd_damped_spring_make(y, 1, dt);
  msd_damped_spring_update(&s, &character->velocity, &character->acceleration, goal_velocity);
}

void msd_character_predict(const msd_motion *character, double goal_velocity, double halflife,
                           double interval, msd_motion *path, size_t count) {
  const msd_motion now = *character;
  for (size_t i = 0; i < count; i++) {
    path[i] = now;
    msd_character_update(&path[i], goal_velocity, halflife, (double)i * parameter(interval));
  }
}

/* ---------------------------------------------------------------------------------------- inertialization */

void msd_inertializer_transition(msd_inertializer *inertializer, double from_x, double from_v, double to_x,
                                 double to_v) {
  inertializer->offset_x = bounded(inertializer->offset_x + bounded(from_x - to_x));
  inertializer->offset_v = bounded(inertializer->offset_v + bounded(from_v - to_v));
}

void msd_inertializer_update(msd_inertializer *inertializer, double halflife, double time_step, double *x,
                             double *v) {
  msd_decay_spring(&inertializer->offset_x, &inertializer->offset_v, halflife, time_step);
  *x = bounded(*x + inertializer->offset_x);
  *v = bounded(*v + inertializer->offset_v);
}

/* ------------------------------------------------------------------------------------------------- curves */

double msd_polyline(const double *points, size_t count, double place, double *slope) {
  const double s = isnan(place) ? 0 : bounded(place);
  double rise = 0, value = count > 0 ? points[0] : 0;
  if (count > 1) {
    const double line = fmin(fmax(floor(s), 0), (double)(count - 2));
    const double *ends = points + (size_t)line;
    rise = bounded(ends[1] - ends[0]);
    value = bounded(ends[0] + bounded(rise * (s - line)));
  }
  if (slope)
    *slope = rise;
  return value;
}

void msd_spring_curve(const double *points, size_t count, double angular_frequency, double damping_ratio,
                      double *samples, size_t sample_count) {
  const double length = count > 1 ? (double)(count - 1) : 0;
  double place = 0, v, x = msd_polyline(points, count, 0, &v);
  for (size_t i = 0; i < sample_count; i++) {
    const double end = i > 0 ? length * ((double)i / (double)(sample_count - 1)) : 0;
    while (place < end) { /* each line segment is a goal in uniform motion */
      const double next = fmin(end, floor(place) + 1), step = next - place;
      double slope;
      const double goal = msd_polyline(points, count, place, &slope);
      const msd_damped_spring s = msd_damped_spring_make(angular_frequency, damping_ratio, step);
      msd_damped_spring_track(&s, step, &x, &v, goal, slope);
      place = next;
    }
    samples[i] = x;
  }
}

/* ---------------------------------------------------------------------------------------------- resonance */

double msd_damped_spring_energy(double offset, double velocity, double stiffness, double scale) {
  const double x = scale * offset, v = scale * velocity;
  return 0.5 * (v * v + parameter(stiffness) * (x * x));
}

double msd_damped_spring_response(double angular_frequency, double damping_ratio, double drive) {
  const double w = parameter(angular_frequency), k = bounded(parameter(drive) / w);
  if (w == 0)
    return 0;
  return 1 / hypot((1 - k) * (1 + k), bounded(2 * parameter(damping_ratio) * k));
}

double msd_resonant_stiffness(double drive, double damping, msd_resonance definition) {
  const double w = parameter(drive), d = parameter(damping);
  const double share = definition == MSD_RESONANCE_DAMPED      ? 0.25
                       : definition == MSD_RESONANCE_AMPLITUDE ? 0.5
                                                               : 0;
  return bounded(w * w + share * (d * d));
}

void msd_resonator_bank_tune(msd_resonator *bank, size_t count, double lowest, double highest,
                             double halflife, double time_step) {
  const double high = parameter(highest), low = parameter(lowest) > 0 ? parameter(lowest) : high / 1000;
  for (size_t i = 0; i < count; i++) {
    const double share = count > 1 ? (double)i / (double)(count - 1) : 0;
    const double frequency = low > 0 ? bounded(low * pow(high / low, share)) : 0;
    bank[i] = (msd_resonator){.spring = msd_damped_spring_make_frequency(frequency, halflife, time_step),
                              .average = msd_damped_spring_make_critical(halflife, time_step),
                              .frequency = frequency};
  }
}

static double resonator_stiffness(const msd_resonator *r) {
  return msd_stiffness_from_frequency(r->frequency);
}

/* All resonators have the same damping d. For a sine of frequency W and amplitude A, the mean square of v/s
   is A^2 W^2/2 / ((s - W^2)^2 + d^2 W^2). */
void msd_resonator_bank_feed(msd_resonator *bank, size_t count, double sample) {
  for (size_t i = 0; i < count; i++) {
    msd_resonator *r = &bank[i];
    msd_damped_spring_update(&r->spring, &r->x, &r->v, sample);
    const double stiffness = resonator_stiffness(r), u = stiffness > 0 ? r->v / stiffness : 0;
    msd_damped_spring_update(&r->average, &r->power, &r->power_change, bounded(u * u));
  }
}

double msd_resonator_bank_peak(const msd_resonator *bank, size_t count) {
  size_t best = 0;
  for (size_t i = 1; i < count; i++)
    best = bank[i].power > bank[best].power ? i : best;
  if (count == 0 || !(bank[best].power > 0))
    return 0;
  if (best == 0 || best + 1 == count || !(bank[best - 1].power > 0) || !(bank[best + 1].power > 0))
    return bank[best].frequency;

  /* 1/power is the parabola (s - W^2)^2 + const; its vertex follows from three points around the largest
     one. */
  const double middle = resonator_stiffness(&bank[best]);
  const double below = resonator_stiffness(&bank[best - 1]) - middle;
  const double above = resonator_stiffness(&bank[best + 1]) - middle;
  const double drop = (1 / bank[best - 1].power - 1 / bank[best].power) / below;
  const double rise = (1 / bank[best + 1].power - 1 / bank[best].power) / above;
  const double curvature = (rise - drop) / (above - below), slope = drop - curvature * below;
  const double vertex = curvature > 0 ? -slope / (2 * curvature) : 0;
  return msd_frequency_from_stiffness(middle + fmin(fmax(vertex, below), above));
}
