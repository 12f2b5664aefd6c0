/* msd: colliders, static or kinematic rigid shapes that particles collide with: planes, spheres, capsules,
   boxes.

   Method. At the end of a substep of length dt the springs have moved a particle from x to y = x + dt v. Each
   collider near it gives a half-space: the side of a tangent plane on which x was. The tangent plane is at
   the point of the collider closest to x, offset outward by the contact thickness. The particle is projected
   onto the half-space, and its velocity changes accordingly:

       x' = y + (1 - relaxation) d n,       d = max(0, thickness - n . (y - p)),      v' = v + (x' - y)/dt

   p and n move with the collider during the substep. Coulomb friction then removes tangential displacement
   relative to the rigid motion of the collider at the particle, at most `friction` times the normal
   correction.

   Properties, with proofs in docs/theory/contact.md:
   - Contacts are inelastic: there is no restitution.
   - A particle at rest on a slope below the friction angle stays at rest.
   - Collision response is stable in a substep of any length and does not reduce the stable substep.
   - Static colliders never add energy to the particles that touch them.

   A particle that is closer than the thickness at the start, or after it was teleported, is pushed out at 5
   cm/s. Colliders need symplectic Euler or sequential impulses; msd_world_step returns MSD_BAD_VALUE with the
   other integrators.

   Edges and triangles. Colliders act on particles, and on the triangles and segments of collision meshes
   (collision_mesh.h) between them:
   - Planes need nothing more: what is outside of all planes is convex.
   - Boxes push triangles and segments at their nearest point, with friction. None outside of a box before a
     substep is inside after it, at any speed, even if no particle comes near the box. Where pinned particles or
     several moving boxes leave no space, what remains counts as squeezed (msd_stats). What begins in a box
     comes no deeper. Particles without a collision mesh and worlds with mass scaling have none of this.
   - Particles of a collision mesh stay further away from spheres and capsules, so that their edges and
     triangles stay outside too. For a radius R that distance is sqrt((R + thickness)^2 + L^2/3) - R, with L the
     longest rest edge of the triangles at the particle; for segments of ropes L^2/4 replaces L^2/3. */
#ifndef MSD_COLLIDER_H
#define MSD_COLLIDER_H

#include "msd/damped_spring.h"
#include "msd/particle.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Shape of a collider. All shapes are convex and defined in a local frame with origin `position` and
   orientation `rotation`. */
typedef enum msd_collider_kind {
  /* Half-space below the plane through the local origin; `normal` points out of it. */
  MSD_COLLIDER_PLANE,
  /* Sphere of `radius` around the local origin. */
  MSD_COLLIDER_SPHERE,
  /* Capsule of `radius` around the segment from `from` to `to`. */
  MSD_COLLIDER_CAPSULE,
  /* Box with side lengths `size`, centered at the local origin. */
  MSD_COLLIDER_BOX,
  MSD_COLLIDER_KIND_COUNT
} msd_collider_kind;

/* Returns the name used in scene files: "plane", "sphere", "capsule", "box"; NULL for any other number. */
MSD_API const char *msd_collider_kind_name(msd_collider_kind kind);

/* Value of `friction` that selects the friction of the world (msd_contact_settings). */
#define MSD_CONTACT_FRICTION (-1)

typedef struct msd_collider_def {
  /* Default MSD_COLLIDER_PLANE. */
  msd_collider_kind kind;
  /* m; default (0,0,0). Origin of the local frame. */
  msd_vec3 position;
  /* Any length except 0; default no rotation. Orientation of the local frame. */
  msd_quaternion rotation;
  /* Any length except 0; default (0,1,0). Outward normal of a plane, in the local frame. */
  msd_vec3 normal;
  /* m; default (0,0,0). End points of the axis of a capsule, in the local frame. They may coincide. */
  msd_vec3 from, to;
  /* m, > 0; default 1. Radius of a sphere or capsule. */
  msd_real radius;
  /* m, > 0 each; default (1,1,1). Side lengths of a box. */
  msd_vec3 size;
  /* >= 0; default MSD_CONTACT_FRICTION. Coulomb coefficient of both static and kinetic friction. */
  msd_real friction;
  /* Internal mark of an initialized definition. Set by msd_default_collider_def. */
  uint32_t cookie;
} msd_collider_def;

MSD_API msd_collider_def msd_default_collider_def(void);

/* Returns the rotation by the given angles in degrees about x, then about y, then about z. The result is
   bitwise identical on all platforms. */
MSD_API msd_quaternion msd_quaternion_from_degrees(msd_vec3 degrees);

/* Adds `count` (>= 0) colliders with consecutive indices, all of them or none. Stores the index of the first
   in *first, which may be NULL. Returns MSD_UNINITIALIZED_DEF, MSD_BAD_VALUE, MSD_TOO_LARGE or
   MSD_OUT_OF_MEMORY on failure. */
MSD_API msd_result msd_add_colliders(msd_world *world, const msd_collider_def *defs, int count,
                                     int32_t *first);

/* Returns the number of colliders, destroyed ones included (removal.h). */
MSD_API int32_t msd_world_get_collider_count(const msd_world *world);

/* Returns the current definition of a collider, with normal and rotation normalized; the default definition
   for a bad index. */
MSD_API msd_collider_def msd_collider_get_def(const msd_world *world, int32_t collider);

/* Replaces a collider at once, without motion in between. Returns MSD_BAD_INDEX, MSD_UNINITIALIZED_DEF or
   MSD_BAD_VALUE on failure. */
MSD_API msd_result msd_collider_set_def(msd_world *world, int32_t collider, const msd_collider_def *def);

/* Moves a collider to a position and rotation during the next msd_world_step (kinematic motion), at constant
   velocity and angular velocity. The rotation takes the shorter arc, so it is less than half a turn: more is
   taken for a turn the other way, and msd_collider_move_along follows it. Afterwards the collider is at rest.
   Particles that stick to it by friction move as if they were part of it: with its velocity plus its angular
   velocity times their own distance from the axis. Returns MSD_BAD_INDEX on failure, or MSD_BAD_VALUE for bad
   values and for a rotation that is half a turn away within 0.02 rad. */
MSD_API msd_result msd_collider_move_to(msd_world *world, int32_t collider, msd_vec3 position,
                                        msd_quaternion rotation);

/* Like msd_collider_move_to, on the path of a rotation (msd_turn): about any pivot, and through any number of
   turns. The turn must end at `rotation` within 0.02 rad. msd_world_step returns MSD_BAD_VALUE if a collider
   turns by more than half a turn in a substep; with substeps 0 it takes at least eight substeps a turn. Above a
   quarter turn in a substep particles slide on the collider. */
MSD_API msd_result msd_collider_move_along(msd_world *world, int32_t collider, msd_vec3 position,
                                           msd_quaternion rotation, msd_turn turn);

/* ------------------------------------------------------------------------------------------- of the world */

/* Contact settings of a world. */
typedef struct msd_contact_settings {
  /* m, >= 0; default 0.005. Distance that particles keep from colliders. */
  msd_real thickness;
  /* >= 0; default 0.3. Coulomb friction of colliders and collision meshes that have none of their own. */
  msd_real friction;
  /* 0 to below 1; default 0. Fraction of the penetration depth that is left for later substeps: 0 corrects
     all of it at once, 0.9 corrects 10 % per substep. */
  msd_real relaxation;
  /* Default false: intersections at the start are ignored until they separate (collision_mesh.h). If true,
     msd_world_step returns MSD_INITIAL_INTERSECTION for collision meshes that intersect when a frame begins,
     unless earlier frames caused it. */
  bool error_on_intersection;
  /* Internal mark of an initialized definition. Set by msd_default_contact_settings. */
  uint32_t cookie;
} msd_contact_settings;

/* Returns the default contact settings. */
MSD_API msd_contact_settings msd_default_contact_settings(void);

/* Sets the contact settings. Returns MSD_UNINITIALIZED_DEF or MSD_BAD_VALUE on failure. */
MSD_API msd_result msd_world_set_contact_settings(msd_world *world, const msd_contact_settings *def);
/* Returns the contact settings. */
MSD_API msd_contact_settings msd_world_get_contact_settings(const msd_world *world);

/* A contact between a particle and a collider.

   If the last frame recorded contacts (reaction.h), they are all contacts of that frame, also those that ended
   in it, one for each particle and collider. Otherwise, and in a substep callback, they are those of the last
   substep; if several colliders push one particle, `collider` is the last of them and `force` is the sum. */
typedef struct msd_collider_contact {
  int32_t particle, collider;
  /* m: the point of the collider that is closest to the particle, in the current state or after the last
     substep in which they touched; and the outward unit normal there. */
  msd_vec3 point, normal;
  /* N: mean force on the particle, friction included; and N s: its impulse. Over the frame or the substep. */
  msd_vec3 force, impulse;
  /* Whether they touched in the last substep. */
  bool is_touching;
} msd_collider_contact;

/* Writes the first `capacity` contacts with colliders, ordered by particle and then by collider, and returns
   the total number.
   Contacts are cleared when particles or springs are added, and snapshots do not contain them. */
MSD_API int32_t msd_world_get_collider_contacts(const msd_world *world, msd_collider_contact *contacts,
                                                int32_t capacity);

#ifdef __cplusplus
}
#endif

#endif
