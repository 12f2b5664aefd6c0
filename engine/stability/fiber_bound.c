#include "engine/stability/fiber_bound.h"

#include <string.h>

bool fiber_bound_has(const world_model *model, int32_t constraint) {
  const constraint_store *s = &model->constraints;
  return constraint_gradients_stay((msd_constraint_kind)s->kind[constraint]) && !s->is_broken[constraint] &&
         !law_is(s->laws[constraint], MSD_SPRING_COEFFICIENT);
}

/* The consecutive fibers from `first` on that have the same corners. */
static parallel_range group_at(const world_model *model, int32_t first) {
  const constraint_store *s = &model->constraints;
  const int32_t *corners = s->corners + (size_t)first * CONSTRAINT_CORNERS;
  int32_t last = first + 1;
  while (last < s->count && fiber_bound_has(model, last) &&
         memcmp(s->corners + (size_t)last * CONSTRAINT_CORNERS, corners,
                CONSTRAINT_CORNERS * sizeof *corners) == 0)
    last++;
  return (parallel_range){first, last};
}

/* The next group after a range; false after the last. */
static bool next_group(const world_model *model, parallel_range *group) {
  int32_t first = group->last;
  while (first < model->constraints.count && !fiber_bound_has(model, first))
    first++;
  if (first == model->constraints.count)
    return false;
  *group = group_at(model, first);
  return true;
}

int64_t fiber_bound_count(const world_model *model) {
  int64_t count = 0;
  for (parallel_range group = {0, 0}; next_group(model, &group);) {
    const int32_t corners = constraint_corners_of(&model->constraints, group.first).count;
    count += corners * (corners - 1) / 2;
  }
  return count;
}

static double size_at(const world_model *model, int32_t constraint, int32_t corner) {
  return fabs((double)constraint_fiber_of(&model->constraints, constraint)[corner]);
}

static step_load load_of(const world_model *model, int32_t constraint) {
  const law_terms t = constraint_split(&model->constraints, &model->particles, constraint);
  return (step_load){t.stiffness, t.damping, 0};
}

/* Adds the spring between two corners of a group. */
static void add_pair(analysis *a, parallel_range group, const int32_t *particles, int one, int other) {
  if (analysis_inverse_mass(a, particles[one]) == 0 && analysis_inverse_mass(a, particles[other]) == 0)
    return;
  step_load sum = {0, 0, 0};
  for (int32_t c = group.first; c < group.last; c++)
    step_load_add(&sum, load_of(a->model, c), size_at(a->model, c, one) * size_at(a->model, c, other));
  a->list[a->count] = (analysis_spring){-1, particles[one], particles[other]};
  a->terms[a->count++] = sum;
  a->has_stiffness = a->has_stiffness || sum.stiffness > 0;
  a->has_damping = a->has_damping || sum.damping > 0;
}

void fiber_bound_add(analysis *a) {
  for (parallel_range group = {0, 0}; next_group(a->model, &group);) {
    const constraint_corners corners = constraint_corners_of(&a->model->constraints, group.first);
    for (int one = 0; one < corners.count; one++)
      for (int other = one + 1; other < corners.count; other++)
        add_pair(a, group, corners.particles, one, other);
  }
}

step_load fiber_bound_term(const world_model *model, int32_t constraint, int corner, double others) {
  double sum = 0;
  for (int n = 0; n < CONSTRAINT_CORNERS; n++)
    sum += n == corner ? 0 : size_at(model, constraint, n);
  const double own = size_at(model, constraint, corner);
  return step_load_scaled(load_of(model, constraint), own * (own + others * sum));
}

double fiber_bound_part(const analysis *a, int32_t constraint, double dt) {
  const constraint_corners corners = constraint_corners_of(&a->model->constraints, constraint);
  double sum = 0;
  for (int32_t n = 0; n < corners.count; n++)
    sum += size_at(a->model, constraint, n) * a->x[corners.particles[n]];
  return step_load_at(load_of(a->model, constraint), dt) * sum * sum;
}
