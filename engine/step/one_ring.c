#include "engine/step/one_ring.h"

static int corners_of_element(const void *context, int32_t element, int32_t corners[INCIDENCE_CORNERS_MAX]) {
  const world_model *model = context;
  const element_corners own = one_ring_corners(&model->surfaces, element);
  for (int n = 0; n < own.count; n++)
    corners[n] = own.particle[n];
  return own.count;
}

static int corners_of_constraint(const void *context, int32_t constraint,
                                 int32_t corners[INCIDENCE_CORNERS_MAX]) {
  const world_model *model = context;
  const constraint_store *s = &model->constraints;
  if (constraint_is_broken(s, constraint) || constraint_is_mesh(s, constraint))
    return 0;
  const constraint_corners own = constraint_corners_of(s, constraint);
  for (int32_t n = 0; n < own.count; n++)
    corners[n] = own.particles[n];
  return own.count;
}

bool one_ring_find(one_ring *all, memory *m, const world_model *model) {
  const surface_store *surfaces = &model->surfaces;
  const int32_t particles = model->particles.count;
  *all = (one_ring){.torn = {.count = 0}};
  if (spring_find_incidence(&all->springs, m, &model->springs, particles) &&
      incidence_find(&all->pieces, m, particles, (int64_t)surfaces->triangle_count + surfaces->segment_count,
                     corners_of_element, model) &&
      incidence_find(&all->constraints, m, particles, model->constraints.count, corners_of_constraint,
                     model) &&
      torn_edges_find(&all->torn, m, &model->springs))
    return true;
  one_ring_free(all, m);
  return false;
}

void one_ring_free(one_ring *all, memory *m) {
  incidence_free(&all->springs, m);
  incidence_free(&all->pieces, m);
  incidence_free(&all->constraints, m);
  torn_edges_free(&all->torn, m);
}
