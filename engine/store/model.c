#include "engine/store/model.h"

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
}
