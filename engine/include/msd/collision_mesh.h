/* msd: collision meshes, the triangles and segments of bodies that collide with each other and with
   themselves.

   Particles alone do not collide with each other. A collision mesh gives a body triangles (cloth, the
   boundary of a block) or segments (ropes), with self-collision and contact with other collision meshes.
   Colliders (collider.h) act on all particles, with or without a collision mesh. Proofs and tests are in
   docs/theory/contact.md.

   Cut elements. A triangle or segment is cut if one of its edges is a torn spring (msd_spring_is_torn). It is
   no part of its collision mesh from the frame after the tear on: it does not collide, no wind pushes it, and
   it is not searched for intersections. msd_collision_mesh_find_cut says which are cut.

   No tunneling. Triangles and segments that do not intersect when a frame begins do not intersect when it
   ends, at any force and speed. In each substep every close pair has a separating plane that its corners
   cannot cross. The only exception are forced intersections: kinematic pins whose motion leaves no other
   possibility (msd_penetration).

   Contact forces. Collision meshes closer than their thickness repel each other, with friction. A stack of n
   equal sheets is carried by these forces and stays at rest if n |gravity| dt is at most about (1 - relaxation)
   0.0125 m/s, with dt the substep in s. In longer substeps separating planes carry the rest, and these have
   no friction. */
#ifndef MSD_COLLISION_MESH_H
#define MSD_COLLISION_MESH_H

#include "msd/collider.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Value of `thickness` that selects the thickness of the world (msd_contact_settings). */
#define MSD_CONTACT_THICKNESS (-1)

typedef struct msd_collision_mesh_def {
  /* 3 particles per triangle and 2 per segment, all different; default NULL. The arrays are copied. */
  const int32_t *triangles, *segments;
  /* >= 0; at least one of them > 0. */
  int32_t triangle_count, segment_count;
  /* m, >= 0; default MSD_CONTACT_THICKNESS. Two collision meshes keep a distance of the mean of their
     thicknesses. The distance of a pair of elements is limited to 0.9 times the distance that it had when the
     meshes were added, and 0.3 times for self-collision. So elements can be smaller than the thickness, and a
     mesh can be creased. */
  msd_real thickness;
  /* >= 0; default MSD_CONTACT_FRICTION. Coulomb coefficient of both static and kinetic friction. Two
     collision meshes with coefficients a and b have sqrt(a b). If only one has its own coefficient, that one
     is used; if neither has, that of the world. */
  msd_real friction;
  /* Default true. Enables self-collision. */
  bool self_collision;
  /* Internal mark of an initialized definition. Set by msd_default_collision_mesh_def. */
  uint32_t cookie;
} msd_collision_mesh_def;

MSD_API msd_collision_mesh_def msd_default_collision_mesh_def(void);

/* Adds `count` (>= 0) collision meshes with consecutive indices, all of them or none. Stores the index of the
   first in *first, which may be NULL. Returns MSD_UNINITIALIZED_DEF, MSD_BAD_INDEX, MSD_BAD_VALUE,
   MSD_TOO_LARGE or MSD_OUT_OF_MEMORY on failure. */
MSD_API msd_result msd_add_collision_meshes(msd_world *world, const msd_collision_mesh_def *defs, int count,
                                            int32_t *first);

/* Returns the number of collision meshes, destroyed ones included (removal.h). */
MSD_API int32_t msd_world_get_collision_mesh_count(const msd_world *world);

/* Returns the current definition of a collision mesh; the default definition for a bad index. It differs from
   the one that was added if msd_collision_mesh_exclude has turned off self-collision. After particles were
   split (msd_damage_def) it has other corners, with the same number of triangles and segments in the same
   order. The arrays belong to the world and are valid until collision meshes are added or the world is restored
   or destroyed. */
MSD_API msd_collision_mesh_def msd_collision_mesh_get_def(const msd_world *world, int32_t surface);

/* Stores which elements of a collision mesh are cut: triangles[n] for its triangle n and segments[n] for its
   segment n, in the order of msd_collision_mesh_get_def. Each array has an element for each triangle or segment
   and may be NULL. A spring that msd_spring_break has broken cuts nothing, nor does one that has split an end.
   O(springs + elements), more for torn springs. Returns MSD_BAD_INDEX, MSD_OUT_OF_MEMORY or MSD_TOO_LARGE on
   failure, and stores nothing then. */
MSD_API msd_result msd_collision_mesh_find_cut(const msd_world *world, int32_t surface, bool *triangles,
                                               bool *segments);

/* Excludes two collision meshes from contact with each other, permanently; with `other` equal to `surface`,
   turns off self-collision. Repeating it has no effect. Returns MSD_BAD_INDEX or MSD_OUT_OF_MEMORY on
   failure. */
MSD_API msd_result msd_collision_mesh_exclude(msd_world *world, int32_t surface, int32_t other);

/* Returns whether two collision meshes, or a mesh and itself, are excluded from contact; false for a bad
   index. */
MSD_API bool msd_collision_mesh_excludes(const msd_world *world, int32_t surface, int32_t other);

/* A penetration: a vertex-triangle or edge-edge pair that contact ignores until it is further apart than its
   thickness. There are two causes:
   - Initial intersection: the program has placed the pair so.
   - Forced intersection: kinematic or pinned particles were moved through the pair although its free
     particles stayed at their positions, like a cloth between two rollers that meet. */
typedef struct msd_penetration {
  /* Collision mesh of the vertex or the first edge, and of the triangle or the second edge. */
  int32_t mesh_a, mesh_b;
  /* The vertex and the corners of the triangle, or the ends of both edges. */
  int32_t particles[4];
  /* Whether the pair is a vertex and a triangle; otherwise it is two edges. */
  bool is_point_and_triangle;
  /* Whether it is a forced intersection. */
  bool is_forced;
} msd_penetration;

/* Writes the first `capacity` penetrations, vertex-triangle pairs first, ordered by particles, and returns
   their number. They are computed by the first frame, and by the first one after a particle was teleported;
   that takes as long as msd_world_find_intersections. Before that there are none. Snapshots contain them. */
MSD_API int32_t msd_world_get_penetrations(const msd_world *world, msd_penetration *out, int32_t capacity);

/* Stores the first forced intersection since the world was created in its second argument. Returns false if
   there was none. */
MSD_API bool msd_world_get_first_forced_intersection(const msd_world *world, msd_penetration *squeezed);

/* A contact between collision meshes: a vertex-triangle or edge-edge pair that repelled each other in the last
   substep, or in any substep of the last frame if that recorded contacts (reaction.h). The counterpart of
   msd_collider_contact for colliders. */
typedef struct msd_mesh_contact {
  /* As in msd_penetration. */
  int32_t mesh_a, mesh_b;
  int32_t particles[4];
  bool is_point_and_triangle;
  /* m: midpoint of the pair in the current state, or after the last substep in which it touched; and the unit
     vector from b to a. */
  msd_vec3 point, normal;
  /* N: mean force on a, friction included; and N s: its impulse. Over the frame or the substep; b has the
     opposite ones. */
  msd_vec3 force, impulse;
  /* Whether they touched in the last substep. */
  bool is_touching;
} msd_mesh_contact;

/* Writes the first `capacity` contacts between collision meshes and returns the total number. The order does
   not depend on the number of threads. Contacts are cleared when particles, springs or collision meshes are
   added, and snapshots do not contain them. */
MSD_API int32_t msd_world_get_mesh_contacts(const msd_world *world, msd_mesh_contact *out, int32_t capacity);

#ifdef __cplusplus
}
#endif

#endif
