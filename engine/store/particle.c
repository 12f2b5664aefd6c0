#include "engine/store/particle.h"

#include "engine/base/vec3.h"

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

double particle_direction(const particle_store *p, int32_t end_a, int32_t end_b, double unit[3]) {
  const msd_vec3 a = particle_vector(p, POSITION_X, end_a);
  const msd_vec3 b = particle_vector(p, POSITION_X, end_b);
  const double d[3] = {(double)a.x - (double)b.x, (double)a.y - (double)b.y, (double)a.z - (double)b.z};
  const double length = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
  for (int c = 0; c < 3; c++)
    unit[c] = length > 0 ? d[c] / length : 0;
  return length;
}
