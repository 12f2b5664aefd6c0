#include "engine/step/surroundings.h"

enum { CORNERS_MAX = 4 };

/* The particles of an item go to `corners`; returns how many there are. */
typedef int item_corners(const world_model *model, int32_t item, int32_t corners[CORNERS_MAX]);

static int spring_ends(const world_model *model, int32_t spring, int32_t corners[CORNERS_MAX]) {
  corners[0] = model->springs.a[spring];
  corners[1] = model->springs.b[spring];
  return 2;
}

static int corners_of_piece(const world_model *model, int32_t piece, int32_t corners[CORNERS_MAX]) {
  const piece_corners own = surroundings_piece(&model->surfaces, piece);
  for (int n = 0; n < own.count; n++)
    corners[n] = own.particle[n];
  return own.count;
}

static int corners_of_constraint(const world_model *model, int32_t constraint, int32_t corners[CORNERS_MAX]) {
  const constraint_store *s = &model->constraints;
  if (constraint_is_broken(s, constraint) || constraint_is_mesh(s, constraint))
    return 0;
  const constraint_corners own = constraint_corners_of(s, constraint);
  for (int32_t n = 0; n < own.count; n++)
    corners[n] = own.particles[n];
  return own.count;
}

/* Counts what is at each particle, then puts it there. */
static bool find(incidence *at, memory *m, const world_model *model, int64_t items,
                 item_corners *corners_of) {
  const int32_t particles = model->particles.count;
  int32_t corners[CORNERS_MAX];
  at->first = memory_allocate_items(m, (int64_t)particles + 2, sizeof *at->first);
  at->item = memory_allocate_items(m, CORNERS_MAX * items, sizeof *at->item);
  if (!at->first || !at->item || items > INT32_MAX / CORNERS_MAX)
    return false;
  for (int32_t item = 0; item < items; item++)
    for (int n = corners_of(model, item, corners); n > 0; n--)
      at->first[corners[n - 1] + 2]++;
  for (int32_t i = 0; i < particles; i++)
    at->first[i + 2] += at->first[i + 1];
  for (int32_t item = 0; item < items; item++)
    for (int n = corners_of(model, item, corners); n > 0; n--)
      at->item[at->first[corners[n - 1] + 1]++] = item;
  return true;
}

static void free_incidence(incidence *at, memory *m) {
  memory_release(m, at->first);
  memory_release(m, at->item);
  *at = (incidence){NULL, NULL};
}

bool surroundings_find(surroundings *all, memory *m, const world_model *model) {
  const surface_store *surfaces = &model->surfaces;
  *all = (surroundings){.torn = {.count = 0}};
  if (find(&all->springs, m, model, model->springs.count, spring_ends) &&
      find(&all->pieces, m, model, (int64_t)surfaces->triangle_count + surfaces->segment_count,
           corners_of_piece) &&
      find(&all->constraints, m, model, model->constraints.count, corners_of_constraint) &&
      torn_edges_find(&all->torn, m, &model->springs))
    return true;
  surroundings_free(all, m);
  return false;
}

void surroundings_free(surroundings *all, memory *m) {
  free_incidence(&all->springs, m);
  free_incidence(&all->pieces, m);
  free_incidence(&all->constraints, m);
  torn_edges_free(&all->torn, m);
}
