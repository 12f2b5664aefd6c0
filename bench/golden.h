/* Expected states of the benchmark's networks after their first substeps, from golden.csv. They reveal a build
   that is fast and wrong. */
#ifndef MSD_BENCH_GOLDEN_H
#define MSD_BENCH_GOLDEN_H

#include <stdbool.h>
#include <stdint.h>

typedef struct golden_hash {
  /* as in speed_cases */
  const char *network;
  /* sizeof(msd_real) */
  int precision;
  int substeps;
  /* msd_world_hash */
  uint64_t hash;
} golden_hash;

/* NULL if the table has no row for the network in the precision of this build. */
const golden_hash *golden_find(const char *network);

#endif
