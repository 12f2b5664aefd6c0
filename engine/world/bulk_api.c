/* Public functions of msd/bulk.h. Data passes through blocks of doubles: attribute_layout.h converts between a
   block and the caller's memory, `load` and `store` between a block and the stores. */

#include "engine/base/float_environment.h"
#include "engine/base/vec3.h"
#include "engine/world/attribute_layout.h"
#include "engine/world/world.h"

#include <math.h>
#include <string.h>

enum { COMPONENTS_MOST = 3 };

typedef struct block {
  /* Elements first to first + count - 1 of the list. */
  int32_t first, count;
  int32_t particle[LAYOUT_BLOCK];
  double value[COMPONENTS_MOST][LAYOUT_BLOCK];
} block;

int msd_attribute_components(msd_attribute attribute) {
  static const int components[] = {[MSD_POSITION] = 3, [MSD_VELOCITY] = 3, [MSD_FORCE] = 3,
                                   [MSD_TARGET] = 3,   [MSD_MASS] = 1,     [MSD_PINNED] = 1};
  return attribute >= 0 && attribute < MSD_ATTRIBUTE_COUNT ? components[attribute] : 0;
}

/* Describes what is wrong with a request; NULL: it is valid. */
static const char *fault_of(msd_particle_set which, msd_attribute attribute, msd_memory_layout layout,
                            const void *data) {
  const int components = msd_attribute_components(attribute);
  if (components == 0)
    return "there is no such quantity";
  if (layout.number == MSD_SCALAR_BYTE && attribute != MSD_PINNED)
    return "the number must be MSD_SCALAR_REAL, _FLOAT or _DOUBLE; _BYTE is for MSD_PINNED";
  if (which.count < 0)
    return "the count must be 0 or more";
  return which.count > 0 && !data ? "the memory is NULL" : layout_fault(layout, components);
}

/* Advances to the next block. Returns false after the last one. */
static bool next_block(block *b, msd_particle_set which) {
  b->first += b->count;
  b->count = which.count - b->first < LAYOUT_BLOCK ? which.count - b->first : LAYOUT_BLOCK;
  for (int32_t i = 0; i < b->count; i++)
    b->particle[i] = world_element(which, b->first + i);
  return b->count > 0;
}

/* ------------------------------------------------------------------------------------------------ stores */

/* Component 0 of a vector attribute. */
static msd_real *slab_of(const particle_store *p, msd_attribute attribute) {
  if (attribute == MSD_FORCE)
    return p->force;
  return p->slab[p->current] + (attribute == MSD_VELOCITY ? VELOCITY_X : POSITION_X) * p->stride;
}

/* Loads zeros if slab is NULL. */
static void load_vectors(block *b, const particle_store *p, const msd_real *slab) {
  if (!slab)
    memset(b->value, 0, sizeof b->value);
  for (int c = 0; c < 3 && slab; c++)
    for (int32_t i = 0; i < b->count; i++)
      b->value[c][i] = (double)slab[(size_t)c * p->stride + particle_slot(p, b->particle[i])];
}

static msd_vec3 vector_at(const block *b, int32_t i) {
  return (msd_vec3){(msd_real)b->value[0][i], (msd_real)b->value[1][i], (msd_real)b->value[2][i]};
}

static void load_targets(block *b, const particle_store *p) {
  load_vectors(b, p, slab_of(p, MSD_POSITION));
  for (int32_t i = 0; i < b->count; i++) {
    const pin_move *move = particle_find_move(p, b->particle[i]);
    if (!move)
      continue;
    b->value[0][i] = (double)move->target.x;
    b->value[1][i] = (double)move->target.y;
    b->value[2][i] = (double)move->target.z;
  }
}

static void load(block *b, const particle_store *p, msd_attribute attribute) {
  if (attribute == MSD_TARGET)
    load_targets(b, p);
  else if (attribute == MSD_MASS)
    for (int32_t i = 0; i < b->count; i++)
      b->value[0][i] = (double)p->mass[b->particle[i]];
  else if (attribute == MSD_PINNED)
    for (int32_t i = 0; i < b->count; i++)
      b->value[0][i] = p->inverse_mass[b->particle[i]] == 0;
  else
    load_vectors(b, p, slab_of(p, attribute));
}

static void store_vectors(const block *b, particle_store *p, msd_attribute attribute) {
  msd_real *slab = slab_of(p, attribute);
  for (int c = 0; c < 3; c++)
    for (int32_t i = 0; i < b->count; i++)
      slab[(size_t)c * p->stride + particle_slot(p, b->particle[i])] = (msd_real)b->value[c][i];
  for (int32_t i = 0; i < b->count && attribute != MSD_FORCE && p->move_count > 0; i++)
    particle_cancel_move(p, b->particle[i]);
}

/* Particles that already have the requested flag keep their targets. */
static void store_pins(const block *b, msd_world *world) {
  for (int32_t i = 0; i < b->count; i++) {
    const bool pins = b->value[0][i] != 0;
    if (pins != (world->model.particles.inverse_mass[b->particle[i]] == 0))
      world_set_pinned(world, b->particle[i], pins);
  }
}

static void store(const block *b, msd_world *world, msd_attribute attribute) {
  particle_store *p = &world->model.particles;
  /* world_set_pinned and world_set_mass wake particles themselves. */
  for (int32_t i = 0; i < b->count && attribute != MSD_PINNED && attribute != MSD_MASS; i++)
    if (attribute == MSD_POSITION)
      model_wake_where_placed(&world->model, b->particle[i]);
    else
      sleep_wake(&world->model.sleep, b->particle[i]);
  if (attribute == MSD_PINNED)
    store_pins(b, world);
  else if (attribute == MSD_TARGET)
    for (int32_t i = 0; i < b->count; i++)
      particle_set_target(p, b->particle[i], vector_at(b, i), (msd_turn){{0, 0, 0}, {0, 0, 0}});
  else if (attribute == MSD_MASS)
    for (int32_t i = 0; i < b->count; i++)
      world_set_mass(world, b->particle[i], (msd_real)b->value[0][i]);
  else
    store_vectors(b, p, attribute);
}

/* ------------------------------------------------------------------------------------------- public API */

msd_result msd_world_read(const msd_world *world, msd_particle_set which, msd_attribute attribute,
                          msd_memory_layout layout, void *to) {
  DEFAULT_FLOAT_ENVIRONMENT;
  if (!world || fault_of(which, attribute, layout, to))
    return MSD_BAD_VALUE;
  if (world_find_missing(world, which) < which.count)
    return MSD_BAD_INDEX;
  const int components = msd_attribute_components(attribute);
  layout = layout_complete(layout, components);
  for (block b = {0}; next_block(&b, which);) {
    load(&b, &world->model.particles, attribute);
    layout_put(layout, components, b.first, b.count, b.value, to);
  }
  return MSD_OK;
}

/* Returns the block without destroyed particles, which a range can contain. `kept` is used as the result if
   there are any. */
static const block *leave_gaps(const block *b, const msd_world *world, block *kept) {
  const tombstone_store *tombstones = &world->model.tombstones;
  if (tombstones->of[MSD_OBJECT_PARTICLE].count == 0)
    return b;
  *kept = (block){.first = b->first};
  for (int32_t i = 0; i < b->count; i++) {
    if (tombstones_have(tombstones, MSD_OBJECT_PARTICLE, b->particle[i]))
      continue;
    for (int c = 0; c < COMPONENTS_MOST; c++)
      kept->value[c][kept->count] = b->value[c][i];
    kept->particle[kept->count++] = b->particle[i];
  }
  return kept;
}

/* Describes what is wrong with element i; NULL: it is valid. */
static const char *value_fault(const block *b, const particle_store *p, msd_attribute attribute, int32_t i) {
  for (int c = 0; c < msd_attribute_components(attribute); c++)
    if (!isfinite((msd_real)b->value[c][i]))
      return "is not finite";
  if (attribute == MSD_MASS && !(particle_inverse((msd_real)b->value[0][i]) > 0))
    return "is no mass, which is above 0";
  if (attribute == MSD_TARGET && p->inverse_mass[b->particle[i]] != 0)
    return "is a target of a particle that is not pinned; pin it before moving it";
  return NULL;
}

static msd_result check_values(msd_world *world, msd_particle_set which, msd_attribute attribute,
                               msd_memory_layout layout, const void *from) {
  for (block b = {0}; next_block(&b, which);) {
    layout_get(layout, msd_attribute_components(attribute), b.first, b.count, b.value, from);
    for (int32_t i = 0; i < b.count; i++) {
      const char *fault = world_has(world, MSD_OBJECT_PARTICLE, b.particle[i])
                              ? value_fault(&b, &world->model.particles, attribute, i)
                              : NULL;
      if (fault)
        return world_fail(world, MSD_BAD_VALUE, "element %d, for particle %d, %s", (int)(b.first + i),
                          (int)b.particle[i], fault);
    }
  }
  return MSD_OK;
}

/* Reserves all memory in advance, so that writing cannot fail. */
static msd_result make_room(msd_world *world, msd_particle_set which, msd_attribute attribute) {
  particle_store *p = &world->model.particles;
  void *start;
  bool has_room = true;
  if (attribute == MSD_TARGET)
    has_room = particle_reserve_moves(p, &world->model.memory, p->move_count + (int64_t)which.count);
  else if (attribute == MSD_FORCE && !p->force)
    has_room = (p->force = particle_allocate_slab(p, &world->model.memory, 3, &start)) != NULL;
  return has_room ? MSD_OK
                  : world_fail(world, MSD_OUT_OF_MEMORY, "no memory for what is written of %d particles",
                               (int)which.count);
}

static void mark_written(msd_world *world, msd_attribute attribute) {
  revision *r = &world->model.revision;
  r->state += attribute == MSD_POSITION || attribute == MSD_VELOCITY;
  r->positions += attribute == MSD_POSITION;
  world->model.particles.forced |= attribute == MSD_FORCE;
}

msd_result msd_world_write(msd_world *world, msd_particle_set which, msd_attribute attribute,
                           msd_memory_layout layout, const void *from) {
  DEFAULT_FLOAT_ENVIRONMENT;
  if (!world_is_open(world))
    return fail_locked(world);
  const char *fault = fault_of(which, attribute, layout, from);
  if (fault)
    return world_fail(world, MSD_BAD_VALUE, "%s", fault);
  const int32_t missing = world_find_missing(world, which);
  if (missing < which.count)
    return world_fail(world, MSD_BAD_INDEX, "element %d: there is no particle %d; the world has %d",
                      (int)missing, (int)world_element(which, missing), (int)world->model.particles.count);
  for (int32_t i = 0; which.indices && i < which.count; i++)
    if (!world_has(world, MSD_OBJECT_PARTICLE, which.indices[i]))
      return world_fail(world, MSD_BAD_INDEX, "element %d: particle %d was destroyed", (int)i,
                        (int)which.indices[i]);
  const int components = msd_attribute_components(attribute);
  layout = layout_complete(layout, components);
  msd_result result = check_values(world, which, attribute, layout, from);
  if (result == MSD_OK)
    result = make_room(world, which, attribute);
  if (result != MSD_OK || which.count == 0)
    return result;
  block kept;
  for (block b = {0}; next_block(&b, which);) {
    layout_get(layout, components, b.first, b.count, b.value, from);
    store(leave_gaps(&b, world, &kept), world, attribute);
  }
  mark_written(world, attribute);
  return MSD_OK;
}
