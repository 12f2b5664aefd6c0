/* Rotors and torsion springs one by one, for the tests of them. */
#ifndef MSD_TESTS_SUPPORT_ROTORS_H
#define MSD_TESTS_SUPPORT_ROTORS_H

#include "tests/support/laboratory.h"

static inline int32_t add_rotor(msd_world *world, double inertia, double angle, double angular_velocity) {
  msd_rotor_def def = msd_default_rotor_def();
  def.inertia = (msd_real)inertia;
  def.angle = (msd_real)angle;
  def.angular_velocity = (msd_real)angular_velocity;
  int32_t rotor = -1;
  ok(world, msd_add_rotors(world, &def, 1, &rotor));
  return rotor;
}

static inline int32_t add_pinned_rotor(msd_world *world, double angle, double angular_velocity) {
  const int32_t rotor = add_rotor(world, 1, angle, angular_velocity);
  msd_rotor_def def = msd_rotor_get_def(world, rotor);
  def.pinned = true;
  ok(world, msd_rotor_set_def(world, rotor, &def));
  return rotor;
}

static inline msd_torsion_spring_def angular(double stiffness, double damping) {
  msd_torsion_spring_def def = msd_default_torsion_spring_def();
  def.stiffness = (msd_real)stiffness;
  def.damping = (msd_real)damping;
  return def;
}

static inline msd_torsion_spring_def angular_coefficient(double ck, double cd) {
  msd_torsion_spring_def def = msd_default_torsion_spring_def();
  def.law = MSD_SPRING_COEFFICIENT;
  def.ck = (msd_real)ck;
  def.cd = (msd_real)cd;
  return def;
}

static inline int32_t add_angular(msd_world *world, msd_torsion_spring_def def, int32_t a, int32_t b,
                                  double rest) {
  def.a = a;
  def.b = b;
  def.rest_angle = (msd_real)rest;
  int32_t spring = -1;
  ok(world, msd_add_torsion_springs(world, &def, 1, &spring));
  return spring;
}

static inline double angle_of(const msd_world *world, int32_t rotor) {
  return (double)msd_rotor_get_angle(world, rotor);
}

static inline double turning_of(const msd_world *world, int32_t rotor) {
  return (double)msd_rotor_get_angular_velocity(world, rotor);
}

#endif
