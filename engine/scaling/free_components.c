#include "engine/scaling/free_components.h"

#include "engine/base/union_find.h"

/* The number of particles in a block. */
enum { BLOCK = 256 };

/* Joins two particles that a spring or constraint connects. */
static void join_pair(const world_model *model, int32_t *parent, uint8_t *is_held, int32_t a, int32_t b) {
  const particle_store *p = &model->particles;
  const bool held_a = p->inverse_mass[a] == 0, held_b = p->inverse_mass[b] == 0;
  const int32_t root_a = union_find_root(parent, held_a ? b : a),
                root_b = union_find_root(parent, held_b ? a : b);
  is_held[union_find_join(parent, root_a, root_b)] = is_held[root_a] || is_held[root_b] || held_a || held_b;
}

static void join_corners(const world_model *model, int32_t *parent, uint8_t *is_held) {
  for (int32_t c = 0; c < model->constraints.count; c++) {
    const constraint_corners corners = constraint_corners_of(&model->constraints, c);
    for (int32_t n = 1; n < corners.count && !constraint_is_broken(&model->constraints, c); n++)
      join_pair(model, parent, is_held, corners.particles[n - 1], corners.particles[n]);
  }
}

/* Finds components of springs and constraints. A component with a pinned particle or a soft pin is not
   free. */
static void join(const world_model *model, int32_t *parent, uint8_t *is_held) {
  const spring_store *s = &model->springs;
  const particle_store *p = &model->particles;
  union_find_init(parent, p->count);
  for (int32_t i = 0; i < p->count; i++)
    is_held[i] = p->inverse_mass[i] == 0;
  for (int32_t n = 0; n < model->soft_pins.count; n++)
    if (soft_pin_moves(&model->soft_pins, p, n))
      is_held[model->soft_pins.entries[n].particle] = true;
  for (int32_t e = 0; e < s->count; e++)
    if (spring_effective_mass(s, p, e).share > 0)
      join_pair(model, parent, is_held, s->a[e], s->b[e]);
  join_corners(model, parent, is_held);
}

/* Numbers bodies by their first particle. A single particle has no springs and is not a body. */
static int32_t number_bodies(const world_model *model, int32_t *parent, const uint8_t *is_held,
                             int32_t *size) {
  int32_t count = 0;
  for (int32_t i = 0; i < model->particles.count; i++)
    size[union_find_root(parent, i)]++;
  for (int32_t i = 0; i < model->particles.count; i++)
    if (parent[i] == i)
      size[i] = size[i] > 1 && !is_held[i] ? count++ : -1;
  return count;
}

/* Computes free_components.body by particle. */
static bool find_bodies(free_components *f, world_model *model, int32_t *of) {
  memory *m = &model->memory;
  const int32_t particles = model->particles.count;
  int32_t *parent = memory_allocate_items(m, particles, sizeof *parent);
  int32_t *number = memory_allocate_items(m, particles, sizeof *number);
  uint8_t *is_held = memory_allocate_items(m, particles, sizeof *is_held);
  const bool done = parent && number && is_held;
  if (done) {
    join(model, parent, is_held);
    f->body_count = number_bodies(model, parent, is_held, number);
    for (int32_t i = 0; i < particles; i++)
      of[i] = number[union_find_root(parent, i)];
  }
  memory_release(m, parent);
  memory_release(m, number);
  memory_release(m, is_held);
  return done;
}

/* Lists slots in ascending order, body by body, in blocks. */
static bool list_free_slots(free_components *f, const world_model *model, memory *m, int32_t slots) {
  int32_t free_count = 0;
  int32_t *end = memory_allocate_items(m, (int64_t)f->body_count + 1, sizeof *end);
  for (int32_t i = 0; i < slots; i++) {
    free_count += f->body[i] >= 0;
    if (end && f->body[i] >= 0)
      end[f->body[i] + 1]++;
  }
  const int64_t blocks = (int64_t)free_count / BLOCK + f->body_count + 1;
  f->slots = memory_allocate_items(m, free_count, sizeof *f->slots);
  f->slot_mass = memory_allocate_items(m, slots, sizeof *f->slot_mass);
  f->first_block = memory_allocate_items(m, (int64_t)f->body_count + 1, sizeof *f->first_block);
  f->first_slot = memory_allocate_items(m, blocks + 1, sizeof *f->first_slot);
  f->inverse_mass = memory_allocate_items(m, f->body_count, sizeof *f->inverse_mass);
  f->mean = memory_allocate_items(m, f->body_count, sizeof *f->mean);
  f->pushed = memory_allocate_items(m, f->body_count, sizeof *f->pushed);
  f->block_sum = memory_allocate_items(m, blocks, sizeof *f->block_sum);
  const bool done = end && f->slots && f->slot_mass && f->first_block && f->first_slot && f->inverse_mass &&
                    f->mean && f->pushed && f->block_sum;
  for (int32_t n = 0; done && n < f->body_count; n++) {
    f->first_block[n] = f->block_count;
    for (int32_t at = end[n]; at < end[n] + end[n + 1]; at += BLOCK)
      f->first_slot[f->block_count++] = at;
    end[n + 1] += end[n];
  }
  if (done) {
    f->first_block[f->body_count] = f->block_count;
    f->first_slot[f->block_count] = free_count;
    for (int32_t i = 0; i < slots; i++)
      if (f->body[i] >= 0)
        f->slots[end[f->body[i]]++] = i;
    for (int32_t i = 0; i < model->particles.count; i++) {
      const size_t slot = particle_slot(&model->particles, i);
      if (f->body[slot] < 0)
        continue;
      f->slot_mass[slot] = 1 / (double)model->particles.inverse_mass[i];
      f->inverse_mass[f->body[slot]] += f->slot_mass[slot];
    }
    for (int32_t n = 0; n < f->body_count; n++)
      f->inverse_mass[n] = 1 / f->inverse_mass[n];
  }
  memory_release(m, end);
  return done;
}

bool free_components_find(free_components *f, world_model *model) {
  memory *m = &model->memory;
  const int32_t particles = model->particles.count;
  int32_t *of = memory_allocate_items(m, particles, sizeof *of);
  *f =
      (free_components){.body = memory_allocate_items(m, (int64_t)particles + SPARSE_GROUP, sizeof *f->body)};
  bool done = of && f->body && find_bodies(f, model, of);
  for (int32_t i = 0; done && i < SPARSE_GROUP; i++)
    f->body[particles + i] = -1;
  for (int32_t i = 0; done && i < particles; i++)
    f->body[particle_slot(&model->particles, i)] = of[i];
  memory_release(m, of);
  done = done && list_free_slots(f, model, m, particles);
  if (!done)
    free_components_free(f, m);
  return done;
}

void free_components_free(free_components *f, memory *m) {
  memory_release(m, f->body);
  memory_release(m, f->slots);
  memory_release(m, f->slot_mass);
  memory_release(m, f->first_block);
  memory_release(m, f->first_slot);
  memory_release(m, f->inverse_mass);
  memory_release(m, f->mean);
  memory_release(m, f->pushed);
  memory_release(m, f->block_sum);
  *f = (free_components){.body_count = 0};
}
