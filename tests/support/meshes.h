/* Networks without any order that several tests use. */
#ifndef MSD_TESTS_SUPPORT_MESHES_H
#define MSD_TESTS_SUPPORT_MESHES_H

#include "tests/support/networks.h"

/* A sheet whose points are shaken by up to a quarter of a cell and whose cells are cut into two triangles along
   one diagonal or the other by chance; the edges of the triangles are springs, and all is numbered at random.
   The sheet is in the plane of the axes `wide` and the next one. */
static inline graph graph_mesh(int32_t columns, int32_t rows, int wide, uint64_t seed) {
  generator random = {.state = seed};
  graph g = graph_of_points(columns * rows);
  for (int32_t r = 0; r < rows; r++)
    for (int32_t c = 0; c < columns; c++) {
      const int32_t i = r * columns + c;
      const msd_vec3 shake = random_vector(&random, (msd_real)0.03125);
      const msd_real across = (msd_real)c / 8 + shake.x, along = (msd_real)r / 8 + shake.y, off = shake.z;
      g.at[i] = wide == 0   ? (msd_vec3){across, along, off}
                : wide == 1 ? (msd_vec3){off, across, along}
                            : (msd_vec3){along, off, across};
      if (c + 1 < columns)
        graph_join(&g, i, i + 1);
      if (r + 1 < rows)
        graph_join(&g, i, i + columns);
      if (c + 1 == columns || r + 1 == rows)
        continue;
      if (random_below(&random, 2))
        graph_join(&g, i, i + columns + 1);
      else
        graph_join(&g, i + 1, i + columns);
    }
  return graph_shuffled(g, seed);
}

#endif
