#include "engine/store/particle.h"

#include "engine/base/vec3.h"
#include "engine/world/world.h"

#include <string.h>

enum { LINE = 64, PAGE = 4096, LINES_BETWEEN_COMPONENTS = 5 };

size_t particle_stride(int64_t capacity) {
  size_t bytes = ((size_t)capacity + 2 * PARTICLE_GUARD) * sizeof(msd_real);
  bytes = (bytes + LINE - 1) / LINE * LINE;
  while (bytes % PAGE != LINES_BETWEEN_COMPONENTS * LINE)
    bytes += LINE;
  return bytes / sizeof(msd_real);
}

static size_t slab_bytes(size_t stride, int components) {
  return (stride * (size_t)components + 2 * PARTICLE_GUARD) * sizeof(msd_real);
}

/* Vectors of a group's last lanes are read past the last particle. */
static size_t array_bytes(int64_t capacity, size_t item) {
  return ((size_t)capacity + PARTICLE_GUARD) * item;
}

size_t particle_store_cost(int64_t capacity) {
  return 2 * memory_cost(slab_bytes(particle_stride(capacity), COMPONENTS)) +
         2 * memory_cost(array_bytes(capacity, sizeof(msd_real))) +
         memory_cost(array_bytes(capacity, sizeof(int32_t)));
}

msd_real *particle_allocate_slab(const particle_store *p, memory *m, int components, void **block) {
  *block = memory_allocate(m, slab_bytes(p->stride, components));
  return *block ? (msd_real *)*block + PARTICLE_GUARD : NULL;
}

static void copy_components(msd_real *to, size_t to_stride, const msd_real *from, size_t from_stride,
                            int components, int32_t count) {
  for (int c = 0; c < components && from; c++)
    memcpy(to + (size_t)c * to_stride, from + (size_t)c * from_stride, (size_t)count * sizeof(msd_real));
}

static void copy_array(void *to, const void *from, int32_t count, size_t item) {
  if (from)
    memcpy(to, from, (size_t)count * item);
}

void particle_store_free(particle_store *p, memory *m) {
  memory_release(m, p->slab_memory[0]);
  memory_release(m, p->slab_memory[1]);
  memory_release(m, p->spare_memory);
  memory_release(m, p->inverse_mass);
  memory_release(m, p->mass);
  memory_release(m, p->valence);
  memory_release(m, p->slot);
  memory_release(m, p->force ? p->force - PARTICLE_GUARD : NULL);
  memory_release(m, p->moves);
  *p = (particle_store){0};
}

bool particle_store_reserve(particle_store *p, memory *m, int64_t capacity) {
  if (capacity <= p->capacity)
    return true;
  particle_release_spare(p, m);
  particle_store larger = {
      .count = p->count,
      .capacity = (int32_t)capacity,
      .pinned = p->pinned,
      .forced = p->forced,
      .stride = particle_stride(capacity),
      .move_count = p->move_count,
      .move_capacity = p->move_capacity,
  };
  for (int s = 0; s < 2; s++)
    larger.slab[s] = particle_allocate_slab(&larger, m, COMPONENTS, &larger.slab_memory[s]);
  larger.inverse_mass = memory_allocate(m, array_bytes(capacity, sizeof(msd_real)));
  larger.mass = memory_allocate(m, array_bytes(capacity, sizeof(msd_real)));
  larger.valence = memory_allocate(m, array_bytes(capacity, sizeof(int32_t)));
  if (p->slot)
    larger.slot = memory_allocate(m, array_bytes(capacity, sizeof(int32_t)));
  void *force_block = NULL;
  if (p->force)
    larger.force = particle_allocate_slab(&larger, m, 3, &force_block);
  if (!larger.slab[0] || !larger.slab[1] || !larger.inverse_mass || !larger.mass || !larger.valence ||
      (p->slot && !larger.slot) || (p->force && !larger.force)) {
    particle_store_free(&larger, m);
    return false;
  }
  copy_components(larger.slab[0], larger.stride, p->slab[p->current], p->stride, COMPONENTS, p->count);
  copy_components(larger.force, larger.stride, p->force, p->stride, 3, p->count);
  copy_array(larger.inverse_mass, p->inverse_mass, p->count, sizeof(msd_real));
  copy_array(larger.mass, p->mass, p->count, sizeof(msd_real));
  copy_array(larger.valence, p->valence, p->count, sizeof(int32_t));
  copy_array(larger.slot, p->slot, p->count, sizeof(int32_t));
  larger.moves = p->moves;
  p->moves = NULL;
  particle_store_free(p, m);
  *p = larger;
  return true;
}

bool particle_reserve_spare(particle_store *p, memory *m) {
  if (!p->spare_slab)
    p->spare_slab = particle_allocate_slab(p, m, COMPONENTS, &p->spare_memory);
  return p->spare_slab;
}

void particle_release_spare(particle_store *p, memory *m) {
  memory_release(m, p->spare_memory);
  p->spare_slab = NULL;
  p->spare_memory = NULL;
}

void particle_swap_spare(particle_store *p) {
  msd_real *const slab = p->slab[p->current];
  void *const block = p->slab_memory[p->current];
  p->slab[p->current] = p->spare_slab;
  p->slab_memory[p->current] = p->spare_memory;
  p->spare_slab = slab;
  p->spare_memory = block;
}

size_t particle_slot_bytes(const particle_store *p) {
  return array_bytes(p->capacity, sizeof(int32_t));
}

void particle_move_to_slots(particle_store *p, int32_t *slot, memory *m) {
  const msd_real *from = p->slab[p->current];
  msd_real *to = p->slab[!p->current];
  for (size_t c = 0; c < COMPONENTS; c++)
    for (int32_t i = 0; i < p->count; i++)
      to[c * p->stride + (size_t)(slot ? slot[i] : i)] = from[c * p->stride + particle_slot(p, i)];
  /* The slab that the states came from serves to move the forces. */
  msd_real *spare = p->slab[p->current];
  for (size_t c = 0; c < 3 && p->forced; c++) {
    msd_real *force = p->force + c * p->stride;
    memcpy(spare, force, (size_t)p->count * sizeof *spare);
    for (int32_t i = 0; i < p->count; i++)
      force[slot ? slot[i] : i] = spare[particle_slot(p, i)];
  }
  p->current = !p->current;
  memory_release(m, p->slot);
  p->slot = slot;
}

void particle_moves_begin(particle_store *p, double time_step) {
  for (int32_t m = 0; m < p->move_count; m++) {
    const int32_t i = p->moves[m].particle;
    const msd_vec3 way = vec3_subtract(p->moves[m].target, particle_vector(p, POSITION_X, i));
    particle_set_vector(p, VELOCITY_X, i,
                        (msd_vec3){(msd_real)((double)way.x / time_step),
                                   (msd_real)((double)way.y / time_step),
                                   (msd_real)((double)way.z / time_step)});
  }
}

void particle_moves_end(particle_store *p, bool arrived) {
  for (int32_t m = 0; m < p->move_count; m++) {
    if (arrived)
      particle_set_vector(p, POSITION_X, p->moves[m].particle, p->moves[m].target);
    particle_set_vector(p, VELOCITY_X, p->moves[m].particle, (msd_vec3){0, 0, 0});
  }
  p->move_count = 0;
}

void particle_clear_forces(particle_store *p) {
  for (int c = 0; c < 3 && p->forced; c++)
    memset(p->force + (size_t)c * p->stride, 0, (size_t)p->count * sizeof(msd_real));
  p->forced = false;
}

/* ------------------------------------------------------------------------------------------- public API */

msd_particle_def msd_default_particle_def(void) {
  return (msd_particle_def){.mass = 1, .cookie = MSD_PARTICLE_COOKIE};
}

static msd_result check_mass(msd_world *world, msd_real mass, const char *what, int32_t index) {
  if (isfinite(mass) && mass > 0 && isfinite(1 / mass) && 1 / mass > 0)
    return MSD_OK;
  return world_fail(world, MSD_BAD_VALUE, "%s %d: mass %g kg; it must be finite and above 0", what,
                    (int)index, (double)mass);
}

static msd_result check_vector(msd_world *world, msd_vec3 value, const char *name, const char *what,
                               int32_t index) {
  if (vec3_is_finite(value))
    return MSD_OK;
  return world_fail(world, MSD_BAD_VALUE, "%s %d: %s (%g, %g, %g) is not finite", what, (int)index, name,
                    (double)value.x, (double)value.y, (double)value.z);
}

static msd_result check_particle_def(msd_world *world, const msd_particle_def *def, int index) {
  if (def->cookie != MSD_PARTICLE_COOKIE)
    return world_fail(world, MSD_BAD_DEF, "particle definition %d was not made by msd_default_particle_def",
                      index);
  msd_result result = check_vector(world, def->position, "position", "particle definition", index);
  if (result == MSD_OK)
    result = check_vector(world, def->velocity, "velocity", "particle definition", index);
  if (result == MSD_OK)
    result = check_mass(world, def->mass, "particle definition", index);
  return result;
}

msd_result msd_add_particles(msd_world *world, const msd_particle_def *defs, int count, int32_t *first) {
  if (!world)
    return MSD_BAD_VALUE;
  if (count < 0 || (count > 0 && !defs))
    return world_fail(world, MSD_BAD_VALUE, "msd_add_particles: count is %d and defs %s", count,
                      defs ? "set; count must be 0 or more" : "NULL");
  for (int i = 0; i < count; i++) {
    const msd_result result = check_particle_def(world, &defs[i], i);
    if (result != MSD_OK)
      return result;
  }
  const msd_result result = world_reserve(world, count, 0);
  if (result != MSD_OK)
    return result;
  particle_store *p = &world->particles;
  if (first)
    *first = p->count;
  for (int i = 0; i < count; i++) {
    const int32_t particle = p->count++;
    if (p->slot)
      p->slot[particle] = particle;
    particle_set_vector(p, POSITION_X, particle, defs[i].position);
    particle_set_vector(p, VELOCITY_X, particle, defs[i].velocity);
    p->mass[particle] = defs[i].mass;
    p->inverse_mass[particle] = defs[i].pinned ? 0 : 1 / defs[i].mass;
    p->valence[particle] = 0;
    p->pinned += defs[i].pinned;
  }
  if (count > 0)
    world_touch_network(world);
  return MSD_OK;
}

static bool is_particle(const msd_world *world, int32_t particle) {
  return world && particle >= 0 && particle < world->particles.count;
}

msd_vec3 msd_particle_get_position(const msd_world *world, int32_t particle) {
  if (!is_particle(world, particle))
    return (msd_vec3){0, 0, 0};
  return particle_vector(&world->particles, POSITION_X, particle);
}

msd_vec3 msd_particle_get_velocity(const msd_world *world, int32_t particle) {
  if (!is_particle(world, particle))
    return (msd_vec3){0, 0, 0};
  return particle_vector(&world->particles, VELOCITY_X, particle);
}

msd_real msd_particle_get_mass(const msd_world *world, int32_t particle) {
  return is_particle(world, particle) ? world->particles.mass[particle] : 0;
}

bool msd_particle_is_pinned(const msd_world *world, int32_t particle) {
  return is_particle(world, particle) && world->particles.inverse_mass[particle] == 0;
}

/* A pin that is put, set going or let go by hand no longer goes where it was sent. */
static void cancel_move(particle_store *p, int32_t particle) {
  for (int32_t m = 0; m < p->move_count; m++)
    if (p->moves[m].particle == particle)
      p->moves[m] = p->moves[--p->move_count];
}

static msd_result check_change(msd_world *world, int32_t particle, msd_vec3 value, const char *name) {
  if (!world_has_particle(world, particle))
    return MSD_BAD_INDEX;
  return check_vector(world, value, name, "particle", particle);
}

msd_result msd_particle_set_position(msd_world *world, int32_t particle, msd_vec3 position) {
  const msd_result result = check_change(world, particle, position, "position");
  if (result != MSD_OK)
    return result;
  cancel_move(&world->particles, particle);
  particle_set_vector(&world->particles, POSITION_X, particle, position);
  return MSD_OK;
}

msd_result msd_particle_set_velocity(msd_world *world, int32_t particle, msd_vec3 velocity) {
  const msd_result result = check_change(world, particle, velocity, "velocity");
  if (result != MSD_OK)
    return result;
  cancel_move(&world->particles, particle);
  particle_set_vector(&world->particles, VELOCITY_X, particle, velocity);
  return MSD_OK;
}

msd_result msd_particle_set_mass(msd_world *world, int32_t particle, msd_real mass) {
  if (!world_has_particle(world, particle))
    return MSD_BAD_INDEX;
  const msd_result result = check_mass(world, mass, "particle", particle);
  if (result != MSD_OK)
    return result;
  particle_store *p = &world->particles;
  p->mass[particle] = mass;
  if (p->inverse_mass[particle] != 0)
    p->inverse_mass[particle] = 1 / mass;
  world_touch_tuning(world);
  return MSD_OK;
}

/* One-sided springs to a pin are laid out in a way of their own; see network.h. */
static void touch_pins(msd_world *world) {
  if (world->springs.one_sided > 0)
    world_touch_network(world);
  else
    world_touch_tuning(world);
}

msd_result msd_particle_pin(msd_world *world, int32_t particle) {
  if (!world_has_particle(world, particle))
    return MSD_BAD_INDEX;
  particle_store *p = &world->particles;
  p->pinned += p->inverse_mass[particle] != 0;
  p->inverse_mass[particle] = 0;
  cancel_move(p, particle);
  particle_set_vector(p, VELOCITY_X, particle, (msd_vec3){0, 0, 0});
  touch_pins(world);
  return MSD_OK;
}

msd_result msd_particle_unpin(msd_world *world, int32_t particle) {
  if (!world_has_particle(world, particle))
    return MSD_BAD_INDEX;
  particle_store *p = &world->particles;
  p->pinned -= p->inverse_mass[particle] == 0;
  p->inverse_mass[particle] = 1 / p->mass[particle];
  cancel_move(p, particle);
  touch_pins(world);
  return MSD_OK;
}

static bool reserve_moves(msd_world *world) {
  particle_store *p = &world->particles;
  if (p->move_count < p->move_capacity)
    return true;
  const int32_t capacity = p->move_capacity ? 2 * p->move_capacity : 16;
  pin_move *moves = memory_allocate(&world->memory, (size_t)capacity * sizeof *moves);
  if (!moves)
    return false;
  copy_array(moves, p->moves, p->move_count, sizeof *moves);
  memory_release(&world->memory, p->moves);
  p->moves = moves;
  p->move_capacity = capacity;
  return true;
}

msd_result msd_particle_move_to(msd_world *world, int32_t particle, msd_vec3 position) {
  const msd_result result = check_change(world, particle, position, "target");
  if (result != MSD_OK)
    return result;
  if (!msd_particle_is_pinned(world, particle))
    return world_fail(world, MSD_BAD_VALUE, "particle %d is not pinned; pin it before moving it",
                      (int)particle);
  cancel_move(&world->particles, particle);
  if (!reserve_moves(world))
    return world_fail(world, MSD_OUT_OF_MEMORY, "no memory for the motion of pin %d", (int)particle);
  world->particles.moves[world->particles.move_count++] = (pin_move){particle, position};
  return MSD_OK;
}

msd_result msd_particle_apply_force(msd_world *world, int32_t particle, msd_vec3 force) {
  const msd_result result = check_change(world, particle, force, "force");
  if (result != MSD_OK)
    return result;
  particle_store *p = &world->particles;
  void *block;
  if (!p->force && !(p->force = particle_allocate_slab(p, &world->memory, 3, &block)))
    return world_fail(world, MSD_OUT_OF_MEMORY, "no memory for forces on %d particles", (int)p->count);
  msd_real *at = p->force + particle_slot(p, particle);
  const msd_vec3 sum = {at[0] + force.x, at[p->stride] + force.y, at[2 * p->stride] + force.z};
  if (!vec3_is_finite(sum))
    return world_fail(world, MSD_BAD_VALUE, "particle %d: the sum of its forces is not finite",
                      (int)particle);
  at[0] = sum.x;
  at[p->stride] = sum.y;
  at[2 * p->stride] = sum.z;
  p->forced = true;
  return MSD_OK;
}

static msd_view view_of(const msd_world *world, int component) {
  if (!world || !world->particles.count)
    return (msd_view){0};
  const particle_store *p = &world->particles;
  const msd_real *at = particle_state(p) + (size_t)component * p->stride;
  return (msd_view){at, at + p->stride, at + 2 * p->stride, p->slot, p->count};
}

msd_view msd_world_positions(const msd_world *world) {
  return view_of(world, POSITION_X);
}

msd_view msd_world_velocities(const msd_world *world) {
  return view_of(world, VELOCITY_X);
}
