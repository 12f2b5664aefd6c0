/* msd: surfaces: the triangles and segments of bodies that touch each other and themselves.

   Particles alone pass through each other. Those of a surface are the corners of its triangles (cloth, the skin
   of a block) or the ends of its segments (ropes), and no two triangles or segments of surfaces that are apart
   when a step begins are not apart when it ends, whatever the forces, speeds and colliders, unless pins that
   are moved leave no other way (msd_tangle): each substep every near pair has a plane between it that its
   corners do not pass. Nearer than their thickness surfaces push each other apart, with friction. A pile of n
   equal sheets is carried by what pushes, and lies still, in substeps of dt s as long as n |gravity| dt is no
   more than about (1 - softness) 0.0125 m/s; in longer ones planes carry what is left, and these do not rub.
   docs/contact.md has the proofs of the first two, and how the third was tried. Colliders act on all particles,
   with or without a surface. */
#ifndef MSD_SURFACE_H
#define MSD_SURFACE_H

#include "msd/collider.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A thickness that is the world's. */
#define MSD_CONTACT_THICKNESS (-1)

typedef struct msd_surface_def {
  /* 3 particles each, and 2 each, all different; copied. Default none. */
  const int32_t *triangles, *segments;
  /* >= 0; one of them > 0. */
  int32_t triangle_count, segment_count;
  /* m, >= 0: surfaces of two thicknesses keep their mean apart. Pairs of triangles or edges keep at most 0.9 of
     the distance that they had when the surfaces were added, those of one surface 0.3: so that a mesh can be
     finer than it is thick, and be creased. Default MSD_CONTACT_THICKNESS. */
  msd_real thickness;
  /* Coulomb's, >= 0. Two surfaces rub with sqrt(a b); where one has none of its own, with that of the other,
     and with the world's where neither has. Default MSD_CONTACT_FRICTION. */
  msd_real friction;
  /* Whether its parts touch each other; default true. */
  bool touches_itself;
  /* Set by msd_default_surface_def. */
  uint32_t cookie;
} msd_surface_def;

MSD_API msd_surface_def msd_default_surface_def(void);

/* Adds `count` >= 0 surfaces with consecutive indices, the first of which goes to *first (may be NULL). All or
   none are added. MSD_BAD_DEF, MSD_BAD_INDEX, MSD_BAD_VALUE, MSD_TOO_LARGE, MSD_OUT_OF_MEMORY. */
MSD_API msd_result msd_add_surfaces(msd_world *world, const msd_surface_def *defs, int count, int32_t *first);

MSD_API int32_t msd_world_get_surface_count(const msd_world *world);

/* A surface as it was added, but that it touches itself no more where msd_surface_ignore has said so, and that
   corners are others where particles have been split (wear.h): there are as many triangles and segments, in
   the same order. They are the world's, and valid until surfaces are added or the world is restored or
   destroyed. The default definition for a bad index. */
MSD_API msd_surface_def msd_surface_get_def(const msd_world *world, int32_t surface);

/* From now on two surfaces, or the parts of one where `other` is the same, neither push each other nor keep
   each other from passing through. Saying so again changes nothing. MSD_BAD_INDEX, MSD_OUT_OF_MEMORY. */
MSD_API msd_result msd_surface_ignore(msd_world *world, int32_t surface, int32_t other);

/* Whether two surfaces, or the parts of one, ignore each other; false for a bad index. */
MSD_API bool msd_surface_ignores(const msd_world *world, int32_t surface, int32_t other);

/* A pair that nothing keeps apart until it is further apart than its thickness: a point and a triangle, or
   two edges. It intersects since the caller has put it so, or is pinched: particles that are pinned or led
   have been moved through it although the others stayed where they were, as a cloth between two rollers that
   meet. */
typedef struct msd_tangle {
  /* Of the point, or of the first edge, and of the triangle or the second edge. */
  int32_t surface_a, surface_b;
  /* The point and the corners of the triangle, or the ends of the one edge and of the other. */
  int32_t particles[4];
  bool is_point_and_triangle;
  bool is_pinched;
} msd_tangle;

/* Writes the first `capacity` of the present tangles, the points and triangles first, in the order of their
   particles, and returns how many there are. They are found by the first step, and by the first one after a
   particle of the world was put elsewhere, which takes as long as msd_world_find_intersections; before that
   there are none. In snapshots. */
MSD_API int32_t msd_world_get_tangles(const msd_world *world, msd_tangle *out, int32_t capacity);

/* The first pair that was pinched since the beginning; false where none was. */
MSD_API bool msd_world_get_first_pinched(const msd_world *world, msd_tangle *pinched);

/* A point and a triangle, or two edges, that have pushed each other in the last substep: what msd_contact is
   for colliders. */
typedef struct msd_surface_contact {
  /* As of a msd_tangle. */
  int32_t surface_a, surface_b;
  int32_t particles[4];
  bool is_point_and_triangle;
  /* m: halfway between the two, as they now are, and the unit vector that leads from b to a. */
  msd_vec3 point, normal;
  /* N: on a, its mean over the substep; b has its opposite. */
  msd_vec3 force;
} msd_surface_contact;

/* Writes the first `capacity` of them, in the same order on any threads, and returns how many there are. They
   are forgotten when particles, springs or surfaces are added, and are not in snapshots. */
MSD_API int32_t msd_world_get_surface_contacts(const msd_world *world, msd_surface_contact *out,
                                               int32_t capacity);

#ifdef __cplusplus
}
#endif

#endif
