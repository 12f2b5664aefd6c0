/* The states that the benchmark's networks have after their first substeps, recorded in golden.csv: whoever is
   fast and wrong is told so. */
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

/* NULL when the table has none for that network in the precision of this build. */
const golden_hash *golden_find(const char *network);

#endif
