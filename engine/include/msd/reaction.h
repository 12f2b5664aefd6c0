/* msd: reactions, the forces that pins, soft pins, colliders and constraints exert, and contacts, averaged
   over a frame.

   A world records them if the program asks for it. They are the means over the frame of the forces that acted
   in its substeps, so momentum balances: with J the impulses, force times the time of the frame,

       change of momentum of the unpinned particles = J of pins + J of soft pins - J of colliders
                                                      + weight, wind, drag and applied forces of all particles

   A particle with an exact soft pin counts with its velocity after the substep, not the mean that can be read.

   Cost. A recorded frame takes its substeps one at a time, without temporal blocking, and one thread adds up
   what each substep did: about 0.1 us for each contact and each spring at a pin, 0.3 us for each constraint.
   Contacts of a cloth on a sphere take a third of a frame more, all constraints of a cloth ten times a frame.
   Recording never changes results. Snapshots, copies and distributed worlds (ranks.h) do not contain records.

   Contacts between collision meshes are forces of nearby pairs. The separating planes that hold what these do
   not (collision_mesh.h) have no force that could be attributed to a pair or a pin. */
#ifndef MSD_REACTION_H
#define MSD_REACTION_H

#include "msd/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a world records: a sum of these flags. */
typedef enum msd_record {
  MSD_RECORD_NOTHING = 0,
  /* Contacts with colliders and between collision meshes: their impulses in msd_collider_contact and
     msd_mesh_contact then cover the frame, and colliders have reactions. Contact events (callbacks.h) imply
     it. */
  MSD_RECORD_CONTACTS = 1,
  /* Reactions of pins and soft pins. */
  MSD_RECORD_PINS = 2,
  /* Forces of constraints. */
  MSD_RECORD_CONSTRAINTS = 4,
  MSD_RECORD_ALL = 7
} msd_record;

/* Sets what the next frames record, msd_record flags; default MSD_RECORD_NOTHING. Returns MSD_BAD_VALUE for
   other numbers. */
MSD_API msd_result msd_world_set_record(msd_world *world, int record);

/* Returns what the next frames record. */
MSD_API int msd_world_get_record(const msd_world *world);

/* The following functions store 0 and return
   - MSD_BAD_INDEX if the object does not exist or is not held, or was added after the last frame;
   - MSD_BAD_VALUE if the last frame did not record it, or the force is not known: see each function. */

/* Stores the mean force in N that holds a pinned particle: minus the sum of the forces on it, which are
   springs, constraints, hard length limits, wind, contact of collision meshes, applied force and its weight.
   It has no torque. It contains no inertia: to move a pin with acceleration a takes `mass a` more.

   Known with MSD_SYMPLECTIC_EULER, MSD_EXPLICIT_EULER and MSD_SEQUENTIAL_IMPULSE. Not known with
   MSD_SOLVER_GAUSS_SEIDEL and the other integrators, in a frame in which the energy limiter reduced spring
   forces (msd_energy_mode), and with sequential impulses if a closed mesh with a volume constraint has a pin.
   With mass scaling the momentum that balances is that of the scaled masses. */
MSD_API msd_result msd_particle_get_reaction(const msd_world *world, int32_t particle, msd_vec3 *force);

/* Stores the mean force in N of a soft pin on its particle. Known with all integrators except
   MSD_VELOCITY_VERLET and MSD_RK4. */
MSD_API msd_result msd_soft_pin_get_reaction(const msd_world *world, int32_t soft_pin, msd_vec3 *force);

/* Stores the mean force in N of all particles on a collider, friction included, and its torque in N m about
   the position of the collider (the origin of its frame). A body that the program integrates itself needs
   these two numbers. Either pointer may be NULL. */
MSD_API msd_result msd_collider_get_reaction(const msd_world *world, int32_t collider, msd_vec3 *force,
                                             msd_vec3 *torque);

/* Stores the mean generalized force k C + mu C' (msd_constraint_get_tension), and the mean force in N on each
   of its up to 4 particles, minus that times dC/dx. For a mesh volume constraint the forces are 0. Either
   pointer may be NULL. Not known with MSD_VELOCITY_VERLET and MSD_RK4. */
MSD_API msd_result msd_constraint_get_reaction(const msd_world *world, int32_t constraint, double *tension,
                                               msd_vec3 forces[4]);

#ifdef __cplusplus
}
#endif

#endif
