/* Conversions between parameterizations of a damped spring of unit mass. There are no epsilons: a division
   by 0 gives infinity. */
#include "engine/damped_spring/internal.h"

/* (1 + u) e^-u = 1/2. */
#define HALF_WAY 1.67834699001666065341

double msd_damping_from_halflife(double halflife) {
  return 4 * LN2 / parameter(halflife);
}

double msd_halflife_from_damping(double damping) {
  return 4 * LN2 / parameter(damping);
}

double msd_stiffness_from_frequency(double frequency) {
  const double w = 2 * PI * parameter(frequency);
  return w * w;
}

double msd_frequency_from_stiffness(double stiffness) {
  return sqrt(parameter(stiffness)) / (2 * PI);
}

double msd_damping_ratio(double stiffness, double damping) {
  const double d = parameter(damping);
  return d > 0 ? d / (2 * sqrt(parameter(stiffness))) : 0;
}

double msd_stiffness_from_ratio(double damping_ratio, double damping) {
  const double d = parameter(damping), w = d > 0 ? d / bounded(2 * parameter(damping_ratio)) : 0;
  return w * w;
}

double msd_damping_from_ratio(double damping_ratio, double stiffness) {
  return 2 * parameter(damping_ratio) * sqrt(parameter(stiffness));
}

double msd_critical_stiffness(double halflife) {
  const double y = 2 * LN2 / parameter(halflife);
  return y * y;
}

double msd_critical_frequency(double halflife) {
  return LN2 / PI / parameter(halflife);
}

double msd_critical_halflife(double frequency) {
  return LN2 / PI / parameter(frequency);
}

double msd_half_time_from_halflife(double halflife) {
  return HALF_WAY / (2 * LN2) * parameter(halflife);
}

double msd_halflife_from_half_time(double half_time) {
  return 2 * LN2 / HALF_WAY * parameter(half_time);
}

static msd_spring_parameters describe(double stiffness, double damping, double w, double ratio) {
  return (msd_spring_parameters){.stiffness = stiffness,
                                 .damping = damping,
                                 .angular_frequency = w,
                                 .frequency = w / (2 * PI),
                                 .damping_ratio = ratio,
                                 .halflife = msd_halflife_from_damping(damping),
                                 .duration = 2 * PI / w,
                                 .bounce = 1 - ratio};
}

msd_spring_parameters msd_spring_from_angular(double angular_frequency, double damping_ratio) {
  const double w = parameter(angular_frequency), zeta = parameter(damping_ratio);
  return describe(w * w, 2 * (zeta * w), w, zeta);
}

msd_spring_parameters msd_spring_from_stiffness(double stiffness, double damping) {
  const double s = parameter(stiffness), d = parameter(damping);
  return describe(s, d, sqrt(s), msd_damping_ratio(s, d));
}

msd_spring_parameters msd_spring_from_frequency(double frequency, double halflife) {
  const double w = 2 * PI * parameter(frequency), d = msd_damping_from_halflife(halflife);
  return describe(w * w, d, w, d > 0 ? d / bounded(2 * w) : 0);
}

msd_spring_parameters msd_spring_from_ratio(double damping_ratio, double halflife) {
  const double zeta = parameter(damping_ratio), d = msd_damping_from_halflife(halflife);
  const double w = d > 0 ? d / bounded(2 * zeta) : 0;
  return describe(w * w, d, w, zeta);
}

msd_spring_parameters msd_spring_from_duration(double duration, double bounce) {
  return msd_spring_from_angular(2 * PI / parameter(duration), isnan(bounce) ? 1 : 1 - bounce);
}

msd_spring_parameters msd_spring_from_critical(double halflife) {
  return msd_spring_from_ratio(1, halflife);
}

msd_spring_parameters msd_spring_from_coefficients(double ck, double cd, double step) {
  const double dt = parameter(step), root = sqrt(parameter(ck)), damping = parameter(cd);
  const double w = root > 0 ? root / dt : 0, d = damping > 0 ? damping / dt : 0;
  const double ratio = damping > 0 ? damping / (2 * root) : 0;
  return describe(w * w, d, w, ratio);
}

void msd_spring_to_coefficients(const msd_spring_parameters *parameters, double step, double *ck,
                                double *cd) {
  const double dt = parameter(step), U = bounded(parameters->angular_frequency) * dt;
  *ck = U * U;
  *cd = bounded(parameters->damping) * dt;
}
