/* The states that the benchmark's networks have after their first substeps, recorded in golden.csv: whoever is
   fast and wrong is told so. */
#ifndef MSD_BENCH_GOLDEN_H
#define MSD_BENCH_GOLDEN_H

#include <stdbool.h>
#include <stdint.h>

typedef struct golden_hash {
  const char *network; /* as in speed_cases */
  int precision;       /* sizeof(msd_real) */
  int substeps;
  uint64_t hash; /* msd_world_hash */
} golden_hash;

/* NULL when the table has none for that network in the precision of this build. */
const golden_hash *golden_find(const char *network);

#endif
