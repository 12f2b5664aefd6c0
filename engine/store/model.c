#include "engine/store/model.h"

/* A log entry costs about as much as rebuilding ITEMS_PER_CHANGE particles. */
enum { CHANGES_MOST = 64, ITEMS_PER_CHANGE = 16 };

/* The layout is rebuilt if more than 1/16 of the springs, plus 64, were appended. A network without springs
   in its layout is always rebuilt. */
enum { EARLY_PER_LATE = 16, LATE_LEAST = 64 };

static int32_t late_most(int32_t early) {
  return early > 0 ? early / EARLY_PER_LATE + LATE_LEAST : 0;
}

int32_t model_count(const world_model *model, msd_object item) {
  switch (item) {
  case MSD_OBJECT_PARTICLE:
    return model->particles.count;
  case MSD_OBJECT_SPRING:
    return model->springs.count;
  case MSD_OBJECT_CONSTRAINT:
    return model->constraints.count;
  case MSD_OBJECT_SOFT_PIN:
    return model->soft_pins.count;
  case MSD_OBJECT_ROTOR:
    return model->rotors.count;
  case MSD_OBJECT_TORSION_SPRING:
    return model->torsion_springs.count;
  case MSD_OBJECT_COLLIDER:
    return model->colliders.count;
  case MSD_OBJECT_COLLISION_MESH:
    return model->surfaces.count;
  default:
    return 0;
  }
}

void model_wake_spring(world_model *model, int32_t spring) {
  sleep_wake(&model->sleep, model->springs.a[spring]);
  sleep_wake(&model->sleep, model->springs.b[spring]);
}

void model_wake_constraint(world_model *model, int32_t constraint) {
  const constraint_corners corners = constraint_corners_of(&model->constraints, constraint);
  for (int32_t n = 0; n < corners.count; n++)
    sleep_wake(&model->sleep, corners.particles[n]);
}

void model_wake_surface(world_model *model, int32_t surface) {
  const surface_entry *e = &model->surfaces.entries[surface];
  for (int32_t n = e->first_triangle; n < e->first_triangle + e->triangle_count; n++)
    for (int c = 0; c < 3; c++)
      sleep_wake(&model->sleep, model->surfaces.triangles[n][c]);
  for (int32_t n = e->first_segment; n < e->first_segment + e->segment_count; n++)
    for (int c = 0; c < 2; c++)
      sleep_wake(&model->sleep, model->surfaces.segments[n][c]);
}

void model_wake_where_placed(world_model *model, int32_t particle) {
  if (model->particles.inverse_mass[particle] == 0 && model->surfaces.count > 0)
    sleep_wake_all(&model->sleep);
  else
    sleep_wake(&model->sleep, particle);
}

void model_note_change(world_model *model, int32_t item, bool relaxes) {
  if (item < 0)
    sleep_wake(&model->sleep, change_of_particle(item));
  else
    model_wake_spring(model, item);
  const int32_t items = model->particles.count / ITEMS_PER_CHANGE;
  change_list_add(&model->changes, &model->memory, &model->revision, item,
                  items > CHANGES_MOST ? items : CHANGES_MOST, relaxes);
}

void model_lay_out_anew(world_model *model) {
  model->revision.topology++;
  model->layout_is_fixed = false;
  model->late_springs = 0;
}

void model_note_pin(world_model *model) {
  model->revision.pins++;
  model->revision.held += model->springs.one_sided > 0;
}

void model_note_particles(world_model *model, int32_t added) {
  if (added > 0 && model->layout_is_fixed)
    model->revision.particles++;
  else if (added > 0)
    model_lay_out_anew(model);
}

void model_note_springs(world_model *model, int32_t added) {
  const int64_t late = (int64_t)model->late_springs + added;
  if (added == 0)
    return;
  if (!model->layout_is_fixed || late > late_most((int32_t)(model->springs.count - late))) {
    model_lay_out_anew(model);
  } else {
    model->revision.springs++;
    model->late_springs = (int32_t)late;
  }
}

void model_note_placements(world_model *model) {
  model->revision.definitions++;
  model->revision.placements++;
}

void model_forget_springs_at(world_model *model) {
  incidence_free(&model->springs_at, &model->memory);
  model->springs_at_made_for = 0;
}

const incidence *model_springs_at(world_model *model) {
  const spring_store *s = &model->springs;
  const int32_t particles = model->particles.count;
  memory *m = &model->memory;
  if (model->springs_at_made_for == model->revision.topology &&
      spring_append_incidence(&model->springs_at, m, s, particles))
    return &model->springs_at;
  model_forget_springs_at(model);
  if (!spring_find_incidence(&model->springs_at, m, s, particles)) {
    model_forget_springs_at(model);
    return NULL;
  }
  model->springs_at_made_for = model->revision.topology;
  return &model->springs_at;
}

/* Visits springs until a rebuild would be cheaper. */
typedef struct visiting {
  const incidence *at;
  model_visit_spring *visit;
  void *context;
  int64_t left;
} visiting;

static int64_t visits_that_pay(const world_model *model) {
  return (int64_t)model->springs.count / 4 + CHANGES_MOST;
}

static bool visit_one(visiting *v, int32_t spring) {
  return v->left-- > 0 && v->visit(v->context, spring);
}

static bool visit_all_at(visiting *v, int32_t particle) {
  incidence_visit here = incidence_at(v->at, particle, 0);
  int32_t spring;
  while (incidence_next(&here, &spring))
    if (!visit_one(v, spring))
      return false;
  return true;
}

bool model_visit_changed(const world_model *model, const incidence *at, change_range changes,
                         model_visit_spring *visit, void *context) {
  visiting v = {at, visit, context, visits_that_pay(model)};
  for (int32_t c = changes.first; c < changes.end; c++) {
    const int32_t item = model->changes.items[c];
    if (item < 0 ? !visit_all_at(&v, change_of_particle(item)) : !visit_one(&v, item))
      return false;
  }
  return true;
}

bool model_is_first_added(const incidence *at, int32_t particle, int32_t spring, int32_t first) {
  incidence_visit here = incidence_at(at, particle, first);
  int32_t found;
  return incidence_next(&here, &found) && found == spring;
}

bool model_visit_added(const world_model *model, const incidence *at, int32_t first,
                       model_visit_spring *visit, void *context) {
  const spring_store *s = &model->springs;
  visiting v = {at, visit, context, visits_that_pay(model)};
  for (int32_t e = first; e < s->count; e++) {
    const int32_t ends[2] = {s->a[e], s->b[e]};
    if (!visit_one(&v, e))
      return false;
    for (int n = 0; n < 2; n++)
      if (model->particles.inverse_mass[ends[n]] > 0 && model_is_first_added(at, ends[n], e, first) &&
          !visit_all_at(&v, ends[n]))
        return false;
  }
  return true;
}

void model_free(world_model *model) {
  memory *m = &model->memory;
  particle_store_free(&model->particles, m);
  spring_store_free(&model->springs, m);
  constraint_store_free(&model->constraints, m);
  soft_pin_store_free(&model->soft_pins, m);
  rotor_store_free(&model->rotors, m);
  torsion_spring_store_free(&model->torsion_springs, m);
  collider_store_free(&model->colliders, m);
  surface_store_free(&model->surfaces, m);
  tombstones_free(&model->tombstones, m);
  change_list_free(&model->changes, m);
  model_forget_springs_at(model);
  sleep_store_free(&model->sleep, m);
}
