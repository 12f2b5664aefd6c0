/* Random networks to test the stable limit: far from their rest configuration, with a wide range of masses,
   stiffness and damping. */
#ifndef MSD_BENCH_RANDOM_NETWORK_H
#define MSD_BENCH_RANDOM_NETWORK_H

#include <msd/msd.h>

typedef enum random_network_kind {
  RANDOM_NETWORK_ROPE,
  RANDOM_NETWORK_GRID,
  RANDOM_NETWORK_LATTICE,
  RANDOM_NETWORK_STAR,
  RANDOM_NETWORK_GRAPH,
  /* A few springs, and constraints of all kinds and models. */
  RANDOM_NETWORK_TANGLE,
  /* Angles and dihedral angles at their maximum stable stiffness and nothing else: every substep is stable. */
  RANDOM_NETWORK_MAX_STABLE,
  RANDOM_NETWORK_KIND_COUNT
} random_network_kind;

/* "rope", "grid", "lattice", "star", "graph", and so on; "unknown" for an invalid kind */
const char *random_network_kind_name(random_network_kind kind);

/* Adds up to about 100 particles and their springs to an empty world. Masses range over six orders of magnitude
   and stiffness over three. One network in three is undamped; the others have damping ratios from 0.001 to 1.
   Some springs are given by coefficients, some particles are pinned, and there is no gravity. Springs have rest
   lengths of about 1 m while the particles are at random in a box of that size; constraints have any rest
   value. The same seed gives the same network on every machine. */
msd_result random_network_add(msd_world *world, random_network_kind kind, uint64_t seed);

#endif
