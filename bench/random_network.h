/* Networks at random, to try certified limits on: crumpled up, with any masses, stiffness and damping. */
#ifndef MSD_BENCH_RANDOM_NETWORK_H
#define MSD_BENCH_RANDOM_NETWORK_H

#include <msd/msd.h>

typedef enum random_network_kind {
  RANDOM_NETWORK_ROPE,
  RANDOM_NETWORK_GRID,
  RANDOM_NETWORK_LATTICE,
  RANDOM_NETWORK_STAR,
  RANDOM_NETWORK_GRAPH,
  /* A few springs, and constraints of all kinds and laws. */
  RANDOM_NETWORK_TANGLE,
  /* The stiffest angles and dihedral angles, which nothing else holds: every step is certified. */
  RANDOM_NETWORK_STIFFEST,
  RANDOM_NETWORK_KIND_COUNT
} random_network_kind;

/* "rope", "grid", "lattice", "star", "graph", "tangle", "stiffest" */
const char *random_network_kind_name(random_network_kind kind);

/* Adds up to some 100 particles and their springs to an empty world: masses over six orders of magnitude,
   stiffness over three, one in three networks without damping and the others with damping ratios from 0.001 to
   1, some springs given by coefficients, some pins, no gravity. Springs rest at about 1 m, while the particles
   lie anywhere in a box of that size; constraints rest at any value. The same seed gives the same network
   everywhere. */
msd_result random_network_add(msd_world *world, random_network_kind kind, uint64_t seed);

#endif
