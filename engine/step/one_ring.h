/* Incidence lists: the springs, mesh elements and constraints at each particle. */
#ifndef MSD_ENGINE_STEP_ONE_RING_H
#define MSD_ENGINE_STEP_ONE_RING_H

#include "engine/store/fracture.h"
#include "engine/store/incidence.h"
#include "engine/store/model.h"

/* Elements are the triangles of all collision meshes, then their segments. Broken constraints and pressure
   meshes are excluded. */
typedef struct one_ring {
  incidence springs, pieces, constraints;
  torn_edges torn;
} one_ring;

/* Returns false, with empty lists, if memory runs out. */
bool one_ring_find(one_ring *all, memory *m, const world_model *model);
void one_ring_free(one_ring *all, memory *m);

/* The particles of an element. */
typedef struct element_corners {
  int32_t *particle;
  int count;
} element_corners;

static inline element_corners one_ring_corners(const surface_store *s, int32_t element) {
  return element < s->triangle_count ? (element_corners){s->triangles[element], 3}
                                     : (element_corners){s->segments[element - s->triangle_count], 2};
}

static inline bool element_has(element_corners element, int32_t particle) {
  for (int n = 0; n < element.count; n++)
    if (element.particle[n] == particle)
      return true;
  return false;
}

#endif
