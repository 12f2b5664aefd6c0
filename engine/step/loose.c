#include "engine/step/loose.h"

#include <string.h>

static void tie(const particle_store *p, msd_real *is_loose, int32_t particle) {
  is_loose[particle_slot(p, particle)] = 0;
}

/* Broken springs still count in the valence of a particle if they were torn. */
static bool has_springs(const world_model *model, int32_t particle) {
  return model->springs.broken == 0 && model->particles.valence[particle] > 0;
}

static void tie_springs(const world_model *model, msd_real *is_loose) {
  const spring_store *s = &model->springs;
  for (int32_t e = 0; e < s->count && (s->broken > 0 || s->hard_limits > 0); e++)
    if (!spring_is_broken(s, e)) {
      tie(&model->particles, is_loose, s->a[e]);
      tie(&model->particles, is_loose, s->b[e]);
    }
}

static void tie_constraints(const world_model *model, msd_real *is_loose) {
  const constraint_store *s = &model->constraints;
  for (int32_t c = 0; c < s->count; c++) {
    const constraint_corners corners = constraint_corners_of(s, c);
    for (int32_t n = 0; n < corners.count && !constraint_is_broken(s, c); n++)
      tie(&model->particles, is_loose, corners.particles[n]);
  }
}

static void tie_meshes(const world_model *model, msd_real *is_loose) {
  const surface_store *s = &model->surfaces;
  for (int32_t t = 0; t < s->triangle_count; t++)
    for (int n = 0; n < 3; n++)
      tie(&model->particles, is_loose, s->triangles[t][n]);
  for (int32_t e = 0; e < s->segment_count; e++)
    for (int n = 0; n < 2; n++)
      tie(&model->particles, is_loose, s->segments[e][n]);
}

static void tie_soft_pins(const world_model *model, msd_real *is_loose) {
  for (int32_t n = 0; n < model->soft_pins.count; n++)
    if (model->soft_pins.entries[n].particle >= 0)
      tie(&model->particles, is_loose, model->soft_pins.entries[n].particle);
}

/* Marks free particles that have no unbroken spring. Returns their number. */
static int32_t count_candidates(const world_model *model) {
  const particle_store *p = &model->particles;
  int32_t count = 0;
  for (int32_t i = 0; i < p->count; i++)
    count += p->inverse_mass[i] > 0 && !particle_is_buried(p, i) && !has_springs(model, i);
  return count;
}

static void mark(const world_model *model, msd_real *is_loose) {
  const particle_store *p = &model->particles;
  memset(is_loose, 0, p->stride * sizeof *is_loose);
  for (int32_t i = 0; i < p->count; i++)
    is_loose[particle_slot(p, i)] =
        p->inverse_mass[i] > 0 && !particle_is_buried(p, i) && !has_springs(model, i);
  tie_springs(model, is_loose);
  tie_constraints(model, is_loose);
  tie_soft_pins(model, is_loose);
  tie_meshes(model, is_loose);
}

static bool reserve(loose_particles *l, memory *m, const particle_store *p) {
  if (l->size >= p->stride)
    return true;
  memory_release(m, l->block);
  *l = (loose_particles){.block = NULL};
  l->is_loose = particle_allocate_slab(p, m, 1, &l->block);
  l->size = l->is_loose ? p->stride : 0;
  return l->is_loose != NULL;
}

bool loose_particles_make(loose_particles *l, world_model *model) {
  const particle_store *p = &model->particles;
  const revision now = revision_of_connections(&model->revision);
  if (revision_holds(&l->made_for, now))
    return true;
  l->count = 0;
  if (count_candidates(model) > 0) {
    if (!reserve(l, &model->memory, p))
      return false;
    mark(model, l->is_loose);
    for (size_t slot = 0; slot < p->stride; slot++)
      l->count += l->is_loose[slot] > 0;
  }
  l->made_for = now;
  return true;
}

void loose_particles_free(loose_particles *l, memory *m) {
  memory_release(m, l->block);
  *l = (loose_particles){.block = NULL};
}
