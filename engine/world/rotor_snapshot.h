/* Rotors and angular springs in a snapshot (snapshot.c): angles, angular velocities, pending torques,
   inertias and pinned flags of all rotors, then the springs' ends, rest angles, stiffness, damping and laws,
   and what each gave in the last substep. */
#ifndef MSD_ENGINE_WORLD_ROTOR_SNAPSHOT_H
#define MSD_ENGINE_WORLD_ROTOR_SNAPSHOT_H

#include "engine/store/angular_spring.h"

uint64_t rotor_snapshot_size(int32_t rotors, int32_t springs);
void rotor_snapshot_put(unsigned char **to, const rotor_store *r, const angular_spring_store *s);

/* Into stores that were reserved and are empty. False when an index or a number is out of its range. */
bool rotor_snapshot_get(rotor_store *r, int32_t rotors, angular_spring_store *s, int32_t springs,
                        const unsigned char **from);

#endif
