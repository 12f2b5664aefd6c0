/* msd: bodies that particles touch: planes, spheres, capsules and boxes, which stand, or move as they are told.

   At the end of a substep dt every particle is where its springs have taken it, at y = x + dt v. Each collider
   that it came near gives it a half-space: that side of the tangent plane, at the point nearest to x and one
   thickness above it, on which x was. The particle is projected onto it, and its velocity changes by as much
   as its position divided by dt:

       x' = y + (1 - softness) d n,       d = max(0, thickness - n . (y - p)),      v' = v + (x' - y)/dt

   with p and n moved as the collider moves in the substep. Friction then takes at most `friction` times that
   much of the way that the particle has slid. So nothing bounces, a particle at rest on a slope below the
   angle of friction stays at rest, no step is too long for a collider, and the particles that touch those
   that stand never gain energy: docs/contact.md has the proof. Colliders take nothing of the certified step.
   Symplectic Euler and sequential impulses have them; with another integrator a step is refused.

   What is nearer than the thickness to begin with, or after it was put there, is pushed out at 5 cm/s and not
   thrown. Particles are pushed, and the edges between them are not: a point or an edge of a collider may come
   through between the particles of a coarse cloth. Particles of surfaces (surface.h) stay that much further
   from spheres and capsules that their edges and triangles stay out, too: of a radius R, sqrt((R +
   thickness)^2 + L^2/3) - R, with L the longest edge at rest of the triangles that they are in, and L^2/4 for
   the segments of ropes. */
#ifndef MSD_COLLIDER_H
#define MSD_COLLIDER_H

#include "msd/damped_spring.h"
#include "msd/particle.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Each is convex and has a frame of its own, which stands at `position`, turned by `rotation`. */
typedef enum msd_collider_kind {
  /* All behind the plane through the origin of the frame, seen along `normal`. */
  MSD_COLLIDER_PLANE,
  /* Of `radius`, about the origin. */
  MSD_COLLIDER_SPHERE,
  /* Of `radius`, about the line from `from` to `to`. */
  MSD_COLLIDER_CAPSULE,
  /* Of the side lengths `size`, about the origin. */
  MSD_COLLIDER_BOX,
  MSD_COLLIDER_KIND_COUNT
} msd_collider_kind;

/* The name used in scene files: "plane", "sphere", "capsule", "box"; NULL for any other number. */
MSD_API const char *msd_collider_kind_name(msd_collider_kind kind);

/* A friction that is the world's. */
#define MSD_CONTACT_FRICTION (-1)

typedef struct msd_collider_def {
  /* Default MSD_COLLIDER_PLANE. */
  msd_collider_kind kind;
  /* m; default 0. */
  msd_vec3 position;
  /* Of any length but 0; default none. */
  msd_quaternion rotation;
  /* Of any length but 0, in the frame; default 0, 1, 0. */
  msd_vec3 normal;
  /* m, in the frame; default 0. They may be one point. */
  msd_vec3 from, to;
  /* m, > 0; default 1. */
  msd_real radius;
  /* m, > 0 each; default 1, 1, 1. */
  msd_vec3 size;
  /* Coulomb's, >= 0; default MSD_CONTACT_FRICTION. */
  msd_real friction;
  /* Set by msd_default_collider_def. */
  uint32_t cookie;
} msd_collider_def;

MSD_API msd_collider_def msd_default_collider_def(void);

/* A rotation by so many degrees about x, then about y, then about z. With the same bits everywhere. */
MSD_API msd_quaternion msd_quaternion_from_degrees(msd_vec3 degrees);

/* Adds `count` >= 0 colliders with consecutive indices, the first of which goes to *first (may be NULL). All or
   none are added. MSD_BAD_DEF, MSD_BAD_VALUE, MSD_TOO_LARGE, MSD_OUT_OF_MEMORY. */
MSD_API msd_result msd_add_colliders(msd_world *world, const msd_collider_def *defs, int count,
                                     int32_t *first);

MSD_API int32_t msd_world_get_collider_count(const msd_world *world);

/* A collider as it now is, the normal and the rotation with length 1; the default one for a bad index. */
MSD_API msd_collider_def msd_collider_get_def(const msd_world *world, int32_t collider);

/* Puts another in its place, at once. MSD_BAD_INDEX, MSD_BAD_DEF, MSD_BAD_VALUE. */
MSD_API msd_result msd_collider_set_def(msd_world *world, int32_t collider, const msd_collider_def *def);

/* Carries a collider to a position, and turns it to a rotation the short way, during the next msd_world_step;
   what touches it is carried along. Afterwards it is still. MSD_BAD_INDEX, MSD_BAD_VALUE. */
MSD_API msd_result msd_collider_move_to(msd_world *world, int32_t collider, msd_vec3 position,
                                        msd_quaternion rotation);

/* ------------------------------------------------------------------------------------------- of the world */

typedef struct msd_contact_def {
  /* m, >= 0: how far particles stay from colliders; default 0.005. */
  msd_real thickness;
  /* Of colliders that have none of their own, >= 0; default 0.3. */
  msd_real friction;
  /* The share of how deep a particle has come that is left to the next substeps, 0 (default) to below 1. */
  msd_real softness;
  /* Whether a step is refused that begins with surfaces that intersect and that something else than steps has
     put there; default false: they are let be until they are apart (surface.h). */
  bool strict;
  /* Set by msd_default_contact_def. */
  uint32_t cookie;
} msd_contact_def;

MSD_API msd_contact_def msd_default_contact_def(void);

/* MSD_BAD_DEF, MSD_BAD_VALUE. */
MSD_API msd_result msd_world_set_contact(msd_world *world, const msd_contact_def *def);
MSD_API msd_contact_def msd_world_get_contact(const msd_world *world);

/* A particle that a collider has pushed in the last substep. Where several have, the collider is the last one
   that did, and the force that of all. */
typedef struct msd_contact {
  int32_t particle, collider;
  /* m: the nearest point of the collider, as both now are, and the unit vector that leads out of it. */
  msd_vec3 point, normal;
  /* N: on the particle, its mean over the substep. */
  msd_vec3 force;
} msd_contact;

/* Writes the first `capacity` contacts, in the order of the particles, and returns how many there are. They are
   forgotten when particles or springs are added, and are not in snapshots. */
MSD_API int32_t msd_world_get_contacts(const msd_world *world, msd_contact *contacts, int32_t capacity);

#ifdef __cplusplus
}
#endif

#endif
