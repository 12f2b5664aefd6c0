#include "engine/store/model.h"

/* A change costs as much as some springs do where all are made anew. */
enum { CHANGES_MOST = 64, ITEMS_PER_CHANGE = 16 };

void model_wake_spring(world_model *model, int32_t spring) {
  sleep_wake(&model->sleep, model->springs.a[spring]);
  sleep_wake(&model->sleep, model->springs.b[spring]);
}

void model_wake_constraint(world_model *model, int32_t constraint) {
  const constraint_corners corners = constraint_corners_of(&model->constraints, constraint);
  for (int32_t n = 0; n < corners.count; n++)
    sleep_wake(&model->sleep, corners.particles[n]);
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

void model_forget_springs_at(world_model *model) {
  incidence_free(&model->springs_at, &model->memory);
  model->springs_at_made_for = (revision){0};
}

const incidence *model_springs_at(world_model *model) {
  const revision now = revision_of_network(&model->revision);
  if (revision_holds(&model->springs_at_made_for, now))
    return &model->springs_at;
  model_forget_springs_at(model);
  if (!spring_find_incidence(&model->springs_at, &model->memory, &model->springs, model->particles.count)) {
    model_forget_springs_at(model);
    return NULL;
  }
  model->springs_at_made_for = now;
  return &model->springs_at;
}

bool model_visit_changed(const world_model *model, const incidence *at, change_range changes,
                         model_visit_spring *visit, void *context) {
  int64_t left = (int64_t)model->springs.count / 4 + CHANGES_MOST;
  for (int32_t c = changes.first; c < changes.end; c++) {
    const int32_t item = model->changes.items[c], particle = change_of_particle(item);
    const int32_t first = item < 0 ? at->first[particle] : 0, end = item < 0 ? at->first[particle + 1] : 1;
    left -= end - first;
    if (left < 0)
      return false;
    for (int32_t n = first; n < end; n++)
      if (!visit(context, item < 0 ? at->item[n] : item))
        return false;
  }
  return true;
}

void model_free(world_model *model) {
  memory *m = &model->memory;
  particle_store_free(&model->particles, m);
  spring_store_free(&model->springs, m);
  constraint_store_free(&model->constraints, m);
  anchor_store_free(&model->anchors, m);
  rotor_store_free(&model->rotors, m);
  angular_spring_store_free(&model->angular_springs, m);
  collider_store_free(&model->colliders, m);
  surface_store_free(&model->surfaces, m);
  change_list_free(&model->changes, m);
  model_forget_springs_at(model);
  sleep_store_free(&model->sleep, m);
}
