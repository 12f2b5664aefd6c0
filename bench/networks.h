/* The networks that the speed benchmark steps. */
#ifndef MSD_BENCH_NETWORKS_H
#define MSD_BENCH_NETWORKS_H

#include <msd/msd.h>

typedef enum networks_kind {
  /* size x size particles; structural, shear and bend springs. */
  NETWORKS_CLOTH,
  /* `size` ropes of 100 particles; stretch and bend springs. */
  NETWORKS_ROPES,
  /* About `size` particles of an irregular triangle mesh, in a shuffled order: edges and bend springs. */
  NETWORKS_TRIANGLES,
  /* About `size` particles of an irregular tetrahedral mesh, shuffled: edges. */
  NETWORKS_TETRAHEDRA,
} networks_kind;

/* Adds the network to an empty world: physical springs, stable at NETWORKS_TIME_STEP, at rest as placed, and
   particles that start in all directions at up to 0.05 m/s, so that every spring works from the first
   substeps. */
msd_result networks_add(msd_world *world, networks_kind kind, int32_t size);

/* A substep in s at which every one of them is stable. */
#define NETWORKS_TIME_STEP ((msd_real)1e-4)

#endif
