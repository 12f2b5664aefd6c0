#include "engine/store/components.h"

#include "engine/base/union_find.h"

#include <string.h>

/* A root is the first particle of its component. Stops early if all particles are connected. */
static void join_all(const world_model *model, int32_t *parent) {
  int32_t components = model->particles.count;
  union_find_init(parent, components);
  for (int32_t e = 0; e < model->springs.count && components > 1; e++)
    if (!spring_is_broken(&model->springs, e))
      components -= forest_joins(parent, model->springs.a[e], model->springs.b[e]);
  for (int32_t c = 0; c < model->constraints.count && components > 1; c++) {
    const constraint_corners corners = constraint_corners_of(&model->constraints, c);
    for (int32_t n = 1; n < corners.count && !constraint_is_broken(&model->constraints, c); n++)
      components -= forest_joins(parent, corners.particles[0], corners.particles[n]);
  }
}

static void mark_attached_roots(const world_model *model, int32_t *parent, bool *attached) {
  for (int32_t i = 0; i < model->particles.count; i++)
    if (model->particles.inverse_mass[i] == 0)
      attached[union_find_root(parent, i)] = true;
  for (int32_t n = 0; n < model->soft_pins.count; n++)
    if (model->soft_pins.entries[n].particle >= 0)
      attached[union_find_root(parent, model->soft_pins.entries[n].particle)] = true;
}

static void tell_buried(int32_t particle, int32_t *component_of, bool *is_attached) {
  if (component_of)
    component_of[particle] = -1;
  if (is_attached)
    is_attached[particle] = false;
}

/* A root precedes the rest of its component, so the rest reads what was written for the root. */
static void set_counts(const world_model *model, int32_t *parent, const bool *attached, int32_t *component_of,
                       bool *is_attached, msd_components *counts) {
  *counts = (msd_components){0, 0};
  for (int32_t i = 0; i < model->particles.count; i++) {
    const int32_t root = union_find_root(parent, i);
    if (particle_is_buried(&model->particles, i)) {
      tell_buried(i, component_of, is_attached);
      continue;
    }
    if (component_of)
      component_of[i] = root == i ? counts->components : component_of[root];
    if (is_attached)
      is_attached[i] = attached[root];
    counts->components += root == i;
    counts->attached += root == i && attached[i];
  }
}

bool components_find(const world_model *model, memory *m, int32_t *component_of, bool *is_attached,
                     msd_components *counts) {
  const size_t count = (size_t)model->particles.count;
  int32_t *parent = memory_allocate(m, count * sizeof *parent);
  bool *attached = memory_allocate(m, count * sizeof *attached);
  const bool open = parent && attached;
  if (open) {
    memset(attached, 0, count * sizeof *attached);
    join_all(model, parent);
    mark_attached_roots(model, parent, attached);
    set_counts(model, parent, attached, component_of, is_attached, counts);
  }
  memory_release(m, parent);
  memory_release(m, attached);
  return open;
}
