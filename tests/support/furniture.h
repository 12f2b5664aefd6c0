/* Worlds that have everything beside springs. */
#ifndef MSD_TESTS_FURNITURE_H
#define MSD_TESTS_FURNITURE_H

#include "tests/support/constraints.h"
#include "tests/support/networks.h"

/* Beside springs: a strip and a balloon of constraints of all kinds and laws, more of them between particles
   that have springs, soft pins of all laws, and a train of rotors. */
static inline void furnish(msd_world *world) {
  ASSERT_OK(world, msd_world_set_impulse_iterations(world, 2));
  ASSERT_OK(world, msd_world_set_impulse_warm_start(world, true));
  const int32_t netted = msd_world_get_particle_count(world);
  for (int32_t i = 1, turn = 0; i + 70 < netted; i += 19, turn++) {
    msd_constraint_def def =
        constraint_of((msd_constraint_kind)(turn % MSD_CONSTRAINT_FIBER), i, i + 1, i + 40, i + 70);
    give_law(&def, turn);
    add_constraint(world, def);
  }
  add_strip(world, 40, 31);
  sphere ball = make_sphere(2);
  for (int turn = 0; turn < 4; turn++) {
    msd_constraint_def def = add_sphere(world, &ball, 1, -3 * turn);
    give_law(&def, turn);
    add_constraint(world, def);
    free((void *)def.triangles);
  }
  free_sphere(&ball);
  for (int32_t i = 3, turn = 0; i < msd_world_get_particle_count(world); i += 23, turn++) {
    msd_soft_pin_def def = msd_default_soft_pin_def();
    def.particle = i;
    def.position = msd_particle_get_position(world, i);
    def.position.z += (msd_real)0.125;
    def.law = (msd_spring_law)(MSD_SPRING_STIFFNESS + turn % 3);
    def.stiffness = 30;
    def.damping = (msd_real)(turn % 5);
    def.ck = def.cd = (msd_real)0.25;
    def.damping_ratio = (msd_real)(turn % 4) / 2;
    ASSERT_OK(world, msd_add_soft_pins(world, &def, 1, NULL));
  }
  for (int32_t i = 0; i < 24; i++) {
    msd_rotor_def rotor = msd_default_rotor_def();
    rotor.inertia = (msd_real)(1 + i % 3) / 4;
    rotor.angular_velocity = i % 5 - 2;
    rotor.pinned = i % 11 == 7;
    ASSERT_OK(world, msd_add_rotors(world, &rotor, 1, NULL));
    msd_torsion_spring_def spring = msd_default_torsion_spring_def();
    spring.a = i;
    spring.b = i % 6 == 0 ? MSD_GROUND : i - 1 - i % 2;
    spring.rest_angle = 0.25 * (i % 4);
    spring.law = (msd_spring_law)(MSD_SPRING_STIFFNESS + i % 3);
    spring.stiffness = 20;
    spring.damping = (msd_real)0.125;
    spring.frequency = 2;
    spring.damping_ratio = (msd_real)0.25;
    ASSERT_OK(world, msd_add_torsion_springs(world, &spring, 1, NULL));
  }
}

/* A frame of a run: rests that change, constraints that break, soft pins that move, and, half way, one
   constraint more, an soft pin that lets go, and one of another law. */
static inline void play_furniture(msd_world *world, int frame, bool half_way) {
  const int32_t constraints = msd_world_get_constraint_count(world);
  const int32_t changed = (7 + 29 * frame) % constraints;
  ASSERT_OK(world, msd_constraint_break(world, (constraints / 3 + 41 * frame) % constraints));
  ASSERT_OK(world, msd_constraint_set_rest(world, changed,
                                           msd_constraint_get_def(world, changed).rest + (msd_real)0.03125));
  ASSERT_OK(world, msd_soft_pin_move_to(world, frame % msd_world_get_soft_pin_count(world),
                                        (msd_vec3){(msd_real)frame / 32, 1, 0}));
  ASSERT_OK(world, msd_rotor_apply_torque(world, frame % 24, 2));
  if (!half_way)
    return;
  msd_constraint_def def = constraint_of(MSD_CONSTRAINT_AREA, 2, 5, 3, -1);
  def.stiffness = 4;
  add_constraint(world, def);
  msd_soft_pin_def soft_pin = msd_soft_pin_get_def(world, 1);
  soft_pin.particle = -1;
  ASSERT_OK(world, msd_soft_pin_set_def(world, 1, &soft_pin));
  soft_pin = msd_soft_pin_get_def(world, 2);
  soft_pin.law = MSD_SPRING_FREQUENCY;
  ASSERT_OK(world, msd_soft_pin_set_def(world, 2, &soft_pin));
}

#endif
