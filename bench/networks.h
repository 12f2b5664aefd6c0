/* The networks of the speed benchmark. */
#ifndef MSD_BENCH_NETWORKS_H
#define MSD_BENCH_NETWORKS_H

#include <msd/msd.h>

typedef enum networks_kind {
  /* size x size particles; stretch, shear and bend springs. */
  NETWORKS_CLOTH,
  /* `size` ropes of 100 particles; stretch and bend springs. */
  NETWORKS_ROPES,
  /* About `size` particles of an irregular triangle mesh in shuffled order; springs along edges, and bend
     springs. */
  NETWORKS_TRIANGLES,
  /* About `size` particles of an irregular tetrahedral mesh in shuffled order; springs along edges. */
  NETWORKS_TETRAHEDRA,
} networks_kind;

/* Adds the network to an empty world: springs given by stiffness, at rest in the initial configuration and
   stable at NETWORKS_TIME_STEP. Particles have random velocities of up to 0.05 m/s, so that every spring exerts
   a force from the first substeps on. */
msd_result networks_add(msd_world *world, networks_kind kind, int32_t size);

/* A substep in s at which every network is stable. */
#define NETWORKS_TIME_STEP ((msd_real)1e-4)

#endif
