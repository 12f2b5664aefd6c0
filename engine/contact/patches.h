/* Patches: parts of a surface that cannot touch themselves as long as they are smooth.

   A leaf and its neighbours, seen along the normal of the leaf at rest, are a piece of the plane: u is the
   place of a point there, in m. Let f be where the points are later. Where every triangle between u and u + d
   has

       d' P' F d >= L d' d,     F the gradient of f over u, P two axes across each other, not longer than 1,

   integrating along the straight way gives P d . (f(u + d) - f(u)) >= L d' d, and so

       |f(u + d) - f(u)| >= L |d|.

   So much for one state. Where f moves along lines in time F is linear in it, and what holds with the same P at
   0 and at T holds in between. That two parts of a leaf and of a neighbour stay apart is thus known from a few
   numbers of each leaf, and no pair of them needs to be looked at: in a smooth cloth that is nearly all.

   It takes that all of the straight way lies in the surface, and that the plane has it once. For two leaves
   that is so where no border of the patch passes between them, no triangle of it is turned over, and some place
   of it is covered once: coverage cannot change but at a border. Which leaves have triangles between the two is
   noted.

   Leaves have planes of their own. With w the place in that of a leaf c, and n the normals, a way d in the
   plane of the leaf a is w in that of c with

       d = A w + B h,        A = Q_a' Q_c,    B = Q_a' n_c,    |h| <= t |w|,

   h being how far the way leaves the plane of c and t the steepest slope of a triangle of c against it. A has
   the singular values 1 and cos of the angle between the planes, B the length of its sine, so

       |w - A^-1 d| <= (tan t) |w|,    |w| <= s |d|,    s = 1/(cos (1 - tan t)),

   and F is wrong by no more than |F| s tan t where A^-1 is taken for the turn between the planes. */
#ifndef MSD_ENGINE_CONTACT_PATCHES_H
#define MSD_ENGINE_CONTACT_PATCHES_H

#include "engine/base/memory.h"

/* At most; a multiple of every number of lanes. */
enum { PATCH_LEAVES = 32, PATCH_TURN = 4 };

/* Around one leaf. Behind the last leaf come repetitions of it. */
typedef struct surface_patch {
  /* 0: nothing is known of it. */
  int32_t count;
  /* m: the least height of a triangle, seen in the plane. */
  msd_real height;
  /* How long a way of 1 m in the plane can be in the surface. */
  msd_real longest;
  int32_t leaf[PATCH_LEAVES];
  /* Of each leaf, which leaves of the patch have triangles between it and the leaf in the middle: bit n is the
     n-th. 0: that is not known. */
  uint32_t between[PATCH_LEAVES];
  /* Of each leaf A^-1, row by row; s; and s tan t. */
  msd_real turn[PATCH_TURN][PATCH_LEAVES], stretch[PATCH_LEAVES], tilt[PATCH_LEAVES];
} surface_patch;

/* What a surface_mesh has of them. */
typedef struct surface_patches {
  /* Of each leaf. */
  surface_patch *around;
  /* Of each place of a triangle the inverse of its two edges from the first corner, in the plane of its leaf,
     row by row. */
  msd_real *unfold[PATCH_TURN];
  /* Of each vertex two weights: the sums of weight times place over a leaf are the columns of F of the plane
     that fits best. */
  msd_real *fit;
} surface_patches;

struct surface_mesh;

/* Of a mesh that has all else, by that many threads at most. False, and empty, without memory. */
bool surface_patches_make(surface_patches *patches, memory *m, const struct surface_mesh *mesh,
                          const msd_tasks *tasks, int threads);
void surface_patches_free(surface_patches *patches, memory *m);

#endif
