/* msd_world_compact. All memory is allocated first. Then objects move within their arrays, which cannot fail,
   and derived structures are invalidated. */

#include "engine/world/world.h"

#include <string.h>

typedef struct compaction {
  /* New index of each object; NULL for types without destroyed objects. */
  int32_t *to[MSD_OBJECT_COUNT];
  spring_companion *companions;
  int32_t companion_count;
  /* New numbers of the components in the sleep store. */
  int32_t *pieces;
} compaction;

static void close_plan(compaction *c, memory *m) {
  for (int item = 0; item < MSD_OBJECT_COUNT; item++)
    memory_release(m, c->to[item]);
  memory_release(m, c->companions);
  memory_release(m, c->pieces);
}

static bool plan_moves(compaction *c, world_model *model, msd_object item) {
  const int32_t count = model_count(model, item);
  if (model->tombstones.of[item].count == 0)
    return true;
  c->to[item] = memory_allocate_unset(&model->memory, (size_t)count * sizeof *c->to[item]);
  if (c->to[item])
    tombstones_list_moves(&model->tombstones, item, count, c->to[item]);
  return c->to[item];
}

static bool plan_companions(compaction *c, world_model *model) {
  const int32_t *to = c->to[MSD_OBJECT_SPRING];
  if (!to || model->springs.companion_count == 0)
    return true;
  c->companion_count = spring_move_companions(&model->springs, to, NULL);
  c->companions = memory_allocate_items(&model->memory, c->companion_count, sizeof *c->companions);
  if (c->companions)
    spring_move_companions(&model->springs, to, c->companions);
  return c->companions;
}

static bool plan_pieces(compaction *c, world_model *model) {
  if (!c->to[MSD_OBJECT_PARTICLE] || model->sleep.pieces == 0)
    return true;
  c->pieces = memory_allocate_items(&model->memory, model->sleep.pieces, sizeof *c->pieces);
  return c->pieces;
}

/* Particles return to the order of their indices through the second slab. */
static bool plan_particles(const compaction *c, world_model *model) {
  return !c->to[MSD_OBJECT_PARTICLE] || !model->particles.slot ||
         particle_reserve_other(&model->particles, &model->memory);
}

static bool plan(compaction *c, world_model *model) {
  bool done = true;
  for (int item = 0; item < MSD_OBJECT_COUNT && done; item++)
    done = plan_moves(c, model, (msd_object)item);
  return done && plan_particles(c, model) && plan_companions(c, model) && plan_pieces(c, model);
}

static void tell(const msd_world *world, const compaction *c, const msd_index_moves *moves) {
  for (int item = 0; item < MSD_OBJECT_COUNT && moves; item++)
    for (int32_t i = 0; moves->to[item] && i < model_count(&world->model, (msd_object)item); i++)
      moves->to[item][i] = c->to[item] ? c->to[item][i] : i;
}

/* Renumbers soft pins, rotors, torsion springs and colliders. */
static void move_others(world_model *model, const compaction *c) {
  memory *m = &model->memory;
  const int32_t *particle_to = c->to[MSD_OBJECT_PARTICLE], *rotor_to = c->to[MSD_OBJECT_ROTOR];
  torsion_spring_store *angular = &model->torsion_springs;
  if (c->to[MSD_OBJECT_SOFT_PIN])
    column_compact(&soft_pin_growth, &model->soft_pins, m, c->to[MSD_OBJECT_SOFT_PIN]);
  for (int32_t n = 0; n < model->soft_pins.count && particle_to; n++)
    if (model->soft_pins.entries[n].particle >= 0)
      model->soft_pins.entries[n].particle = particle_to[model->soft_pins.entries[n].particle];
  if (rotor_to)
    column_compact(&rotor_growth, &model->rotors, m, rotor_to);
  if (c->to[MSD_OBJECT_TORSION_SPRING])
    column_compact(&torsion_spring_growth, angular, m, c->to[MSD_OBJECT_TORSION_SPRING]);
  for (int32_t e = 0; e < angular->count && rotor_to; e++) {
    angular->a[e] = rotor_to[angular->a[e]];
    angular->b[e] = angular->b[e] >= 0 ? rotor_to[angular->b[e]] : angular->b[e];
  }
  if (c->to[MSD_OBJECT_COLLIDER])
    column_compact(&collider_growth, &model->colliders, m, c->to[MSD_OBJECT_COLLIDER]);
}

static void move_model(world_model *model, compaction *c) {
  memory *m = &model->memory;
  const int32_t *particle_to = c->to[MSD_OBJECT_PARTICLE], *spring_to = c->to[MSD_OBJECT_SPRING];
  spring_close_gaps(&model->springs, m, spring_to, particle_to, c->companions, c->companion_count);
  if (spring_to)
    c->companions = NULL;
  constraint_close_gaps(&model->constraints, m, c->to[MSD_OBJECT_CONSTRAINT], particle_to);
  surface_close_gaps(&model->surfaces, m, c->to[MSD_OBJECT_COLLISION_MESH], particle_to);
  move_others(model, c);
  if (particle_to)
    particle_close_gaps(&model->particles, m, particle_to,
                        (int64_t)model->springs.count + model->constraints.count);
  if (c->pieces)
    sleep_close_gaps(&model->sleep, particle_to, c->pieces);
  tombstones_free(&model->tombstones, m);
}

/* Renumbers impulses and callbacks. Discards the stable limit and contact data, which are computed again. */
static void move_rest(msd_world *world, const compaction *c) {
  stepper *s = &world->stepper;
  memory *m = &world->model.memory;
  given_impulses_close_gaps(&s->spring_given, c->to[MSD_OBJECT_SPRING]);
  given_impulses_close_gaps(&s->constraint_given, c->to[MSD_OBJECT_CONSTRAINT]);
  callbacks_close_gaps(&world->callbacks, c->to[MSD_OBJECT_PARTICLE], c->to[MSD_OBJECT_COLLIDER],
                       c->to[MSD_OBJECT_COLLISION_MESH]);
  frame_record_forget(&s->record);
  stepper_take_penetrations(s, &(penetrations){.count = 0});
  self_contact_let_go(&s->self);
  incremental_bounds_free(&world->bounds, m);
  particle_settle_pins(&world->model.particles);
  world->limits = (stability_cache){.age = 0};
  model_lay_out_anew(&world->model);
  revision_advance(&world->model.revision);
}

msd_result msd_world_compact(msd_world *world, const msd_index_moves *moves) {
  if (!world_is_open(world))
    return fail_locked(world);
  world_model *model = &world->model;
  compaction c = {.companion_count = 0};
  const bool done = plan(&c, model);
  if (done)
    tell(world, &c, moves);
  if (done && model->tombstones.count > 0) {
    move_model(model, &c);
    move_rest(world, &c);
  }
  close_plan(&c, &model->memory);
  return done ? MSD_OK
              : world_fail(world, MSD_OUT_OF_MEMORY, "no memory to compact %lld destroyed objects",
                           (long long)model->tombstones.count);
}
