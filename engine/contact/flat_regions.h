/* Patches: regions of a surface that cannot touch themselves while they are smooth.

   A leaf and its neighbors, seen along the rest normal of the leaf, form a region of the plane, with u the
   position of a point in it, in m. Let f be the deformed position and F the gradient of f over u. Let P have
   two orthogonal axes, not longer than 1. If every triangle between u and u + d satisfies

       d' P' F d >= L d' d,

   integrating along the straight line gives P d . (f(u + d) - f(u)) >= L d' d, and so

       |f(u + d) - f(u)| >= L |d|.

   This is for one state. If f moves along lines in time, F is linear in time, so what holds with the same P
   at 0 and at T holds in between. Thus a few numbers of each leaf prove that primitives of a leaf and of a
   neighbor stay apart, and none of their pairs needs a test: nearly all pairs of a smooth cloth.

   The proof needs the straight line to lie within the surface, and the plane to be covered once. For two
   leaves this is true if no border of the patch passes between them, no triangle is folded over, and some
   point of the patch is covered once, because coverage changes only at borders. The leaves with triangles
   between the two are recorded.

   Each leaf has its own plane. With w the position in that of leaf c and n the normals, a vector d in the
   plane of leaf a corresponds to w with

       d = A w + B h,        A = Q_a' Q_c,    B = Q_a' n_c,    |h| <= t |w|,

   where h is how far the line leaves the plane of c, and t the steepest slope of a triangle of c against it.
   A has the singular values 1 and the cosine of the angle between the planes, and B has the length of its
   sine, so

       |w - A^-1 d| <= (tan t) |w|,    |w| <= s |d|,    s = 1/(cos (1 - tan t)),

   and the error of F is at most |F| s tan t if A^-1 is used for the rotation between the planes. */
#ifndef MSD_ENGINE_CONTACT_FLAT_REGIONS_H
#define MSD_ENGINE_CONTACT_FLAT_REGIONS_H

#include "engine/base/memory.h"

/* Most leaves of a patch: a multiple of every number of lanes. */
enum { PATCH_LEAVES = 32, FLAT_REGION_TURN = 4 };

/* The patch around one leaf, padded with repetitions of its last leaf. */
typedef struct flat_region {
  /* 0: nothing is known, all pairs must be tested. */
  int32_t count;
  /* m: the least height of a triangle, projected to the plane. */
  msd_real height;
  /* The largest length in the surface of a vector of 1 m in the plane. */
  msd_real longest;
  int32_t leaf[PATCH_LEAVES];
  /* By leaf: the leaves with triangles between it and the central leaf, bit n for the n-th. 0: unknown. */
  uint32_t between[PATCH_LEAVES];
  /* By leaf: A^-1, row by row; s; s tan t. */
  msd_real turn[FLAT_REGION_TURN][PATCH_LEAVES], stretch[PATCH_LEAVES], tilt[PATCH_LEAVES];
} flat_region;

/* The patches of a surface_mesh. */
typedef struct flat_regions {
  /* By leaf. */
  flat_region *around;
  /* By place of a triangle: the inverse of its two edges from the first corner, in the plane of its leaf,
     row by row. */
  msd_real *unfold[FLAT_REGION_TURN];
  /* By vertex: two weights. The sums of weight times position over a leaf are the columns of F of the plane
     that fits best. */
  msd_real *fit;
} flat_regions;

struct surface_mesh;

/* Call when the rest of the mesh is complete. False without memory; then empty. */
bool flat_regions_make(flat_regions *patches, memory *m, const struct surface_mesh *mesh,
                       const msd_tasks *tasks, int threads);
void flat_regions_free(flat_regions *patches, memory *m);

#endif
