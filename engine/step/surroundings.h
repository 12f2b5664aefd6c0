/* What is at each particle of a model: springs, triangles and segments of surfaces, constraints. */
#ifndef MSD_ENGINE_STEP_SURROUNDINGS_H
#define MSD_ENGINE_STEP_SURROUNDINGS_H

#include "engine/store/incidence.h"
#include "engine/store/model.h"
#include "engine/store/tears.h"

/* Pieces are the triangles of all surfaces, then their segments. Constraints are those that are not broken and
   no meshes. */
typedef struct surroundings {
  incidence springs, pieces, constraints;
  torn_edges torn;
} surroundings;

/* False, with none, when there is no memory. */
bool surroundings_find(surroundings *all, memory *m, const world_model *model);
void surroundings_free(surroundings *all, memory *m);

/* The particles of a piece. */
typedef struct piece_corners {
  int32_t *particle;
  int count;
} piece_corners;

static inline piece_corners surroundings_piece(const surface_store *s, int32_t piece) {
  return piece < s->triangle_count ? (piece_corners){s->triangles[piece], 3}
                                   : (piece_corners){s->segments[piece - s->triangle_count], 2};
}

static inline bool piece_has(piece_corners piece, int32_t particle) {
  for (int n = 0; n < piece.count; n++)
    if (piece.particle[n] == particle)
      return true;
  return false;
}

#endif
