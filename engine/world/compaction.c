/* msd_world_compact. Whatever needs memory comes first; then everything moves within its own arrays, which
   cannot fail, and what was derived is made anew. */

#include "engine/world/world.h"

#include <string.h>

typedef struct compaction {
  /* Where each item goes; NULL of kinds without gaps. */
  int32_t *to[MSD_ITEM_COUNT];
  spring_backing *backings;
  int32_t backing_count;
  /* Where the pieces of what sleeps go. */
  int32_t *pieces;
} compaction;

static void close_plan(compaction *c, memory *m) {
  for (int item = 0; item < MSD_ITEM_COUNT; item++)
    memory_release(m, c->to[item]);
  memory_release(m, c->backings);
  memory_release(m, c->pieces);
}

static bool plan_moves(compaction *c, world_model *model, msd_item item) {
  const int32_t count = model_count(model, item);
  if (model->gaps.of[item].count == 0)
    return true;
  c->to[item] = memory_allocate_unset(&model->memory, (size_t)count * sizeof *c->to[item]);
  if (c->to[item])
    gaps_list_moves(&model->gaps, item, count, c->to[item]);
  return c->to[item];
}

static bool plan_backings(compaction *c, world_model *model) {
  const int32_t *to = c->to[MSD_ITEM_SPRING];
  if (!to || model->springs.backing_count == 0)
    return true;
  c->backing_count = spring_move_backings(&model->springs, to, NULL);
  c->backings = memory_allocate_items(&model->memory, c->backing_count, sizeof *c->backings);
  if (c->backings)
    spring_move_backings(&model->springs, to, c->backings);
  return c->backings;
}

static bool plan_pieces(compaction *c, world_model *model) {
  if (!c->to[MSD_ITEM_PARTICLE] || model->sleep.pieces == 0)
    return true;
  c->pieces = memory_allocate_items(&model->memory, model->sleep.pieces, sizeof *c->pieces);
  return c->pieces;
}

/* Particles go back to their indices through another slab. */
static bool plan_particles(const compaction *c, world_model *model) {
  return !c->to[MSD_ITEM_PARTICLE] || !model->particles.slot ||
         particle_reserve_other(&model->particles, &model->memory);
}

static bool plan(compaction *c, world_model *model) {
  bool done = true;
  for (int item = 0; item < MSD_ITEM_COUNT && done; item++)
    done = plan_moves(c, model, (msd_item)item);
  return done && plan_particles(c, model) && plan_backings(c, model) && plan_pieces(c, model);
}

static void tell(const msd_world *world, const compaction *c, const msd_index_moves *moves) {
  for (int item = 0; item < MSD_ITEM_COUNT && moves; item++)
    for (int32_t i = 0; moves->to[item] && i < model_count(&world->model, (msd_item)item); i++)
      moves->to[item][i] = c->to[item] ? c->to[item][i] : i;
}

/* What has no springs, and what acts on particles. */
static void move_others(world_model *model, const compaction *c) {
  memory *m = &model->memory;
  const int32_t *particle_to = c->to[MSD_ITEM_PARTICLE], *rotor_to = c->to[MSD_ITEM_ROTOR];
  angular_spring_store *angular = &model->angular_springs;
  if (c->to[MSD_ITEM_ANCHOR])
    growth_close_gaps(&anchor_growth, &model->anchors, m, c->to[MSD_ITEM_ANCHOR]);
  for (int32_t n = 0; n < model->anchors.count && particle_to; n++)
    if (model->anchors.entries[n].particle >= 0)
      model->anchors.entries[n].particle = particle_to[model->anchors.entries[n].particle];
  if (rotor_to)
    growth_close_gaps(&rotor_growth, &model->rotors, m, rotor_to);
  if (c->to[MSD_ITEM_ANGULAR_SPRING])
    growth_close_gaps(&angular_spring_growth, angular, m, c->to[MSD_ITEM_ANGULAR_SPRING]);
  for (int32_t e = 0; e < angular->count && rotor_to; e++) {
    angular->a[e] = rotor_to[angular->a[e]];
    angular->b[e] = angular->b[e] >= 0 ? rotor_to[angular->b[e]] : angular->b[e];
  }
  if (c->to[MSD_ITEM_COLLIDER])
    growth_close_gaps(&collider_growth, &model->colliders, m, c->to[MSD_ITEM_COLLIDER]);
}

static void move_model(world_model *model, compaction *c) {
  memory *m = &model->memory;
  const int32_t *particle_to = c->to[MSD_ITEM_PARTICLE], *spring_to = c->to[MSD_ITEM_SPRING];
  spring_close_gaps(&model->springs, m, spring_to, particle_to, c->backings, c->backing_count);
  if (spring_to)
    c->backings = NULL;
  constraint_close_gaps(&model->constraints, m, c->to[MSD_ITEM_CONSTRAINT], particle_to);
  surface_close_gaps(&model->surfaces, m, c->to[MSD_ITEM_SURFACE], particle_to);
  move_others(model, c);
  if (particle_to)
    particle_close_gaps(&model->particles, m, particle_to,
                        (int64_t)model->springs.count + model->constraints.count);
  if (c->pieces)
    sleep_close_gaps(&model->sleep, particle_to, c->pieces);
  gaps_free(&model->gaps, m);
}

/* Limits and contacts are found as of a new world. */
static void move_rest(msd_world *world, const compaction *c) {
  stepper *s = &world->stepper;
  memory *m = &world->model.memory;
  given_impulses_close_gaps(&s->spring_given, c->to[MSD_ITEM_SPRING]);
  given_impulses_close_gaps(&s->constraint_given, c->to[MSD_ITEM_CONSTRAINT]);
  callbacks_close_gaps(&world->callbacks, c->to[MSD_ITEM_PARTICLE], c->to[MSD_ITEM_COLLIDER],
                       c->to[MSD_ITEM_SURFACE]);
  stepper_take_tangles(s, &(tangles){.count = 0});
  self_contact_let_go(&s->self);
  step_bounds_free(&world->bounds, m);
  particle_settle_pins(&world->model.particles);
  world->limits = (stability_cache){.age = 0};
  model_lay_out_anew(&world->model);
  revision_advance(&world->model.revision);
}

msd_result msd_world_compact(msd_world *world, const msd_index_moves *moves) {
  if (!world_is_open(world))
    return world_say_closed(world);
  world_model *model = &world->model;
  compaction c = {.backing_count = 0};
  const bool done = plan(&c, model);
  if (done)
    tell(world, &c, moves);
  if (done && model->gaps.count > 0) {
    move_model(model, &c);
    move_rest(world, &c);
  }
  close_plan(&c, &model->memory);
  return done ? MSD_OK
              : world_fail(world, MSD_OUT_OF_MEMORY, "no memory to close the gaps of %lld destroyed items",
                           (long long)model->gaps.count);
}
