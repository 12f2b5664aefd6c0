#include "engine/store/pieces.h"

#include "engine/base/forest.h"

#include <string.h>

/* A root is the first particle of its piece. Where all have become one piece nothing is left to join. */
static void join_all(const world_model *model, int32_t *parent) {
  int32_t pieces = model->particles.count;
  forest_plant(parent, pieces);
  for (int32_t e = 0; e < model->springs.count && pieces > 1; e++)
    if (!spring_is_broken(&model->springs, e))
      pieces -= forest_joins(parent, model->springs.a[e], model->springs.b[e]);
  for (int32_t c = 0; c < model->constraints.count && pieces > 1; c++) {
    const constraint_corners corners = constraint_corners_of(&model->constraints, c);
    for (int32_t n = 1; n < corners.count && !constraint_is_broken(&model->constraints, c); n++)
      pieces -= forest_joins(parent, corners.particles[0], corners.particles[n]);
  }
}

static void hold_roots(const world_model *model, int32_t *parent, bool *held) {
  for (int32_t i = 0; i < model->particles.count; i++)
    if (model->particles.inverse_mass[i] == 0)
      held[forest_root(parent, i)] = true;
  for (int32_t n = 0; n < model->anchors.count; n++)
    if (model->anchors.entries[n].particle >= 0)
      held[forest_root(parent, model->anchors.entries[n].particle)] = true;
}

static void tell_buried(int32_t particle, int32_t *piece_of, bool *is_held) {
  if (piece_of)
    piece_of[particle] = -1;
  if (is_held)
    is_held[particle] = false;
}

/* Roots come before the rest of their pieces, so the others can read what was written for them. */
static void tell(const world_model *model, int32_t *parent, const bool *held, int32_t *piece_of,
                 bool *is_held, msd_pieces *counts) {
  *counts = (msd_pieces){0, 0};
  for (int32_t i = 0; i < model->particles.count; i++) {
    const int32_t root = forest_root(parent, i);
    if (particle_is_buried(&model->particles, i)) {
      tell_buried(i, piece_of, is_held);
      continue;
    }
    if (piece_of)
      piece_of[i] = root == i ? counts->pieces : piece_of[root];
    if (is_held)
      is_held[i] = held[root];
    counts->pieces += root == i;
    counts->held += root == i && held[i];
  }
}

bool pieces_find(const world_model *model, memory *m, int32_t *piece_of, bool *is_held, msd_pieces *counts) {
  const size_t count = (size_t)model->particles.count;
  int32_t *parent = memory_allocate(m, count * sizeof *parent);
  bool *held = memory_allocate(m, count * sizeof *held);
  const bool open = parent && held;
  if (open) {
    memset(held, 0, count * sizeof *held);
    join_all(model, parent);
    hold_roots(model, parent, held);
    tell(model, parent, held, piece_of, is_held, counts);
  }
  memory_release(m, parent);
  memory_release(m, held);
  return open;
}
