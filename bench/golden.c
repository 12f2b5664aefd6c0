#include "bench/golden.h"

#include <msd/msd.h>

#include <stddef.h>
#include <string.h>

static const golden_hash table[] = {
/* Made from golden.csv by the build: {network, precision, substeps, hash}, */
#include "golden_table.h"
};

const golden_hash *golden_find(const char *network) {
  for (size_t n = 0; n < sizeof table / sizeof *table; n++)
    if (table[n].precision == (int)sizeof(msd_real) && strcmp(table[n].network, network) == 0)
      return &table[n];
  return NULL;
}
