#include "engine/store/particle.h"

#include "engine/base/rigid_path.h"

#include <string.h>

enum { LINE = 64, PAGE = 4096, LINES_BETWEEN_COMPONENTS = 5 };

size_t particle_stride(int64_t capacity) {
  size_t bytes = ((size_t)capacity + 2 * PARTICLE_GUARD) * sizeof(msd_real);
  bytes = (bytes + LINE - 1) / LINE * LINE;
  while (bytes % PAGE != LINES_BETWEEN_COMPONENTS * LINE)
    bytes += LINE;
  return bytes / sizeof(msd_real);
}

size_t particle_slab_bytes(size_t stride, int components) {
  return (stride * (size_t)components + 2 * PARTICLE_GUARD) * sizeof(msd_real);
}

/* Vector loads read past the last particle. */
static const growth_array arrays[] = {
    GROWTH_ARRAY(particle_store, inverse_mass),     GROWTH_ARRAY(particle_store, mass),
    GROWTH_ARRAY(particle_store, valence),          GROWTH_OPTIONAL_ARRAY(particle_store, newly_pinned),
    GROWTH_OPTIONAL_ARRAY(particle_store, slot),    GROWTH_OPTIONAL_ARRAY(particle_store, origin),
    GROWTH_OPTIONAL_ARRAY(particle_store, move_of), GROWTH_OPTIONAL_ARRAY(particle_store, arrivals),
};
static const growth_table array_growth =
    GROWTH(particle_store, count, capacity, arrays, .most = PARTICLES_MAX, .behind = PARTICLE_GUARD);

static const growth_array move_arrays[] = {GROWTH_ARRAY(particle_store, moves)};
static const growth_table pin_move_growth =
    GROWTH(particle_store, move_count, move_capacity, move_arrays, .most = INT32_MAX);

size_t particle_bytes(void) {
  return 2 * COMPONENTS * sizeof(msd_real) + growth_item_bytes(&array_growth);
}

msd_real *particle_allocate_slab(const particle_store *p, memory *m, int components, void **block) {
  *block = memory_allocate(m, particle_slab_bytes(p->stride, components));
  return *block ? (msd_real *)*block + PARTICLE_GUARD : NULL;
}

static void copy_components(msd_real *to, size_t to_stride, const msd_real *from, size_t from_stride,
                            int components, int32_t count) {
  for (int c = 0; c < components && from; c++)
    memcpy(to + (size_t)c * to_stride, from + (size_t)c * from_stride, (size_t)count * sizeof(msd_real));
}

static msd_real *force_memory(const particle_store *p) {
  return p->force ? p->force - PARTICLE_GUARD : NULL;
}

void particle_store_free(particle_store *p, memory *m) {
  memory_release(m, p->slab_memory[0]);
  memory_release(m, p->slab_memory[1]);
  memory_release(m, p->spare_memory);
  memory_release(m, force_memory(p));
  growth_free(&array_growth, p, m);
  growth_free(&pin_move_growth, p, m);
  *p = (particle_store){0};
}

/* Allocates the slab first: the arrays may be larger than the slab, but not smaller. The second and third
   slabs must be reserved again. */
static bool resize(void *store, memory *m, int64_t capacity) {
  particle_store *p = store;
  particle_release_spare(p, m);
  particle_release_other(p, m);
  particle_store larger = {.stride = particle_stride(capacity)};
  void *force_block = NULL;
  larger.slab[0] = particle_allocate_slab(&larger, m, COMPONENTS, &larger.slab_memory[0]);
  if (p->force)
    larger.force = particle_allocate_slab(&larger, m, 3, &force_block);
  if (!larger.slab[0] || (p->force && !larger.force) || !growth_resize(&array_growth, p, m, capacity)) {
    particle_store_free(&larger, m);
    return false;
  }
  copy_components(larger.slab[0], larger.stride, p->slab[0], p->stride, COMPONENTS, p->count);
  copy_components(larger.force, larger.stride, p->force, p->stride, 3, p->count);
  memory_release(m, force_memory(p));
  p->force = larger.force;
  memory_release(m, p->slab_memory[0]);
  p->slab[0] = larger.slab[0];
  p->slab_memory[0] = larger.slab_memory[0];
  p->stride = larger.stride;
  return true;
}

bool particle_store_reserve(particle_store *p, memory *m, int64_t needed) {
  return growth_with_room(resize, p, m, needed, p->capacity, PARTICLES_MAX);
}

bool particle_open_new_pins(particle_store *p, memory *m) {
  if (!p->newly_pinned)
    p->newly_pinned =
        memory_allocate_items(m, (int64_t)p->capacity + PARTICLE_GUARD, sizeof *p->newly_pinned);
  return p->newly_pinned;
}

bool particle_open_origins(particle_store *p, memory *m) {
  if (p->origin)
    return true;
  p->origin = memory_allocate_items(m, (int64_t)p->capacity + PARTICLE_GUARD, sizeof *p->origin);
  for (int32_t i = 0; p->origin && i < p->count; i++)
    p->origin[i] = i;
  return p->origin;
}

void particle_append_part(particle_store *p, int32_t particle, msd_real kept, msd_real gone) {
  const int32_t part = p->count++;
  if (p->slot)
    p->slot[part] = part;
  p->mass[part] = gone;
  p->mass[particle] = kept;
  p->inverse_mass[part] = particle_inverse(p->mass[part]);
  p->inverse_mass[particle] = particle_inverse(p->mass[particle]);
  p->valence[part] = p->valence[particle];
  if (p->newly_pinned)
    p->newly_pinned[part] = 0;
  if (p->move_of) {
    p->move_of[part] = 0;
    p->arrivals[part] = (pin_arrival){{0, 0, 0}, {0, 0, 0}};
  }
  p->origin[part] = p->origin[particle];
  p->parts++;
  particle_set_vector(p, POSITION_X, part, particle_vector(p, POSITION_X, particle));
  particle_set_vector(p, VELOCITY_X, part, particle_vector(p, VELOCITY_X, particle));
}

bool particle_reserve_other(particle_store *p, memory *m) {
  if (p->slab[!p->current])
    return true;
  p->slab[!p->current] = particle_allocate_slab(p, m, COMPONENTS, &p->slab_memory[!p->current]);
  if (!p->slab[!p->current])
    return false;
  copy_components(p->slab[!p->current], p->stride, p->slab[p->current], p->stride, COMPONENTS, p->count);
  return true;
}

/* The remaining slab becomes the first. */
void particle_release_other(particle_store *p, memory *m) {
  msd_real *const slab = p->slab[p->current];
  void *const block = p->slab_memory[p->current];
  memory_release(m, p->slab_memory[!p->current]);
  p->current = 0;
  p->slab[0] = slab;
  p->slab_memory[0] = block;
  p->slab[1] = NULL;
  p->slab_memory[1] = NULL;
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
  return ((size_t)p->capacity + PARTICLE_GUARD) * sizeof(int32_t);
}

void particle_move_to_slots(particle_store *p, int32_t *slot, memory *m) {
  const msd_real *from = p->slab[p->current];
  msd_real *to = p->slab[!p->current];
  for (size_t c = 0; c < COMPONENTS; c++)
    for (int32_t i = 0; i < p->count; i++)
      to[c * p->stride + (size_t)(slot ? slot[i] : i)] = from[c * p->stride + particle_slot(p, i)];
  /* The slab that held the state serves as scratch for the forces. */
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

void particle_set_mass(particle_store *p, int32_t particle, msd_real mass) {
  p->mass[particle] = mass;
  if (p->inverse_mass[particle] != 0)
    p->inverse_mass[particle] = particle_inverse(mass);
}

bool particle_set_pinned(particle_store *p, int32_t particle, bool is_pinned) {
  const bool was_pinned = p->inverse_mass[particle] == 0;
  if (p->newly_pinned)
    particle_mark_new_pin(p, particle, is_pinned && (!was_pinned || p->newly_pinned[particle]));
  p->pinned += is_pinned - was_pinned;
  p->inverse_mass[particle] = is_pinned ? 0 : particle_inverse(p->mass[particle]);
  particle_cancel_move(p, particle);
  if (is_pinned)
    particle_set_vector(p, VELOCITY_X, particle, (msd_vec3){0, 0, 0});
  return is_pinned != was_pinned;
}

bool particle_reserve_moves(particle_store *p, memory *m, int64_t needed) {
  const int64_t capacity = (int64_t)p->capacity + PARTICLE_GUARD;
  if (!p->arrivals && needed > 0)
    p->arrivals = memory_allocate_items(m, capacity, sizeof *p->arrivals);
  if (!p->move_of && p->arrivals && needed > 0)
    p->move_of = memory_allocate_items(m, capacity, sizeof *p->move_of);
  return growth_reserve(&pin_move_growth, p, m, needed) && (p->move_of || needed == 0);
}

void particle_set_target(particle_store *p, int32_t particle, msd_vec3 target, msd_turn turn) {
  if (p->move_of[particle] == 0)
    p->move_of[particle] = ++p->move_count;
  p->moves[p->move_of[particle] - 1] = (pin_move){.particle = particle, .target = target, .turn = turn};
}

static void forget_arrivals(particle_store *p) {
  if (p->some_moved)
    memset(p->arrivals, 0, (size_t)p->count * sizeof *p->arrivals);
  p->some_moved = false;
}

/* The last move fills the gap. */
void particle_cancel_move(particle_store *p, int32_t particle) {
  const int32_t number = p->move_of ? p->move_of[particle] : 0;
  if (p->arrivals)
    p->arrivals[particle] = (pin_arrival){{0, 0, 0}, {0, 0, 0}};
  if (number == 0)
    return;
  const pin_move last = p->moves[--p->move_count];
  p->moves[number - 1] = last;
  p->move_of[last.particle] = number;
  p->move_of[particle] = 0;
}

void particle_moves_end(particle_store *p) {
  for (int32_t n = 0; n < p->move_count; n++)
    p->move_of[p->moves[n].particle] = 0;
  p->move_count = 0;
}

void particle_call_all_back(particle_store *p) {
  particle_moves_end(p);
  forget_arrivals(p);
}

void particle_deactivate(particle_store *p, int32_t particle) {
  particle_cancel_move(p, particle);
  if (p->newly_pinned)
    particle_mark_new_pin(p, particle, false);
  p->pinned += p->inverse_mass[particle] != 0;
  p->inverse_mass[particle] = p->mass[particle] = 0;
  particle_set_vector(p, VELOCITY_X, particle, (msd_vec3){0, 0, 0});
  for (size_t c = 0; c < 3 && p->force; c++)
    p->force[c * p->stride + particle_slot(p, particle)] = 0;
}

/* If an origin is removed, its first remaining copy becomes the origin. Until the end of the loop origin[] of
   the removed one holds -1 - that new index. */
static void move_origins(particle_store *p, memory *m, const int32_t *to) {
  p->parts = 0;
  for (int32_t i = 0; i < p->count; i++) {
    const int32_t origin = p->origin[i];
    if (to[i] < 0)
      continue;
    if (to[origin] < 0 && p->origin[origin] >= 0)
      p->origin[origin] = -1 - to[i];
    p->origin[i] = to[origin] >= 0 ? to[origin] : -1 - p->origin[origin];
    p->parts += p->origin[i] != to[i];
  }
  if (p->parts > 0)
    return;
  memory_release(m, p->origin);
  p->origin = NULL;
}

static void move_components(msd_real *slab, const particle_store *p, size_t components, const int32_t *to) {
  for (size_t c = 0; c < components && slab; c++)
    growth_move_items(slab + c * p->stride, sizeof *slab, p->count, to);
}

void particle_close_gaps(particle_store *p, memory *m, const int32_t *to, int64_t most) {
  if (p->slot)
    particle_move_to_slots(p, NULL, m);
  if (p->origin)
    move_origins(p, m, to);
  for (int32_t n = 0; n < p->move_count; n++)
    p->moves[n].particle = to[p->moves[n].particle];
  particle_settle_pins(p);
  for (int s = 0; s < 2; s++)
    move_components(p->slab[s], p, COMPONENTS, to);
  move_components(p->force, p, 3, to);
  growth_move_arrays(&array_growth, p, to);
  p->pinned = 0;
  for (int32_t i = 0; i < p->count; i++) {
    p->pinned += p->inverse_mass[i] == 0;
    p->valence[i] = p->valence[i] > most ? (int32_t)most : p->valence[i];
  }
  resize(p, m, p->count);
}

static msd_vec3 velocity_to(double3 from, double3 to, double dt) {
  return (msd_vec3){(msd_real)((to.x - from.x) / dt), (msd_real)((to.y - from.y) / dt),
                    (msd_real)((to.z - from.z) / dt)};
}

void particle_moves_begin(particle_store *p, double dt) {
  forget_arrivals(p);
  p->some_turn = false;
  for (int32_t m = 0; m < p->move_count; m++) {
    const int32_t i = p->moves[m].particle;
    p->moves[m].from = particle_vector(p, POSITION_X, i);
    const msd_vec3 distance = vec3_subtract(p->moves[m].target, p->moves[m].from);
    particle_set_vector(p, VELOCITY_X, i, velocity_to((double3){0, 0, 0}, vec3_double(distance), dt));
    p->some_turn = p->some_turn || !turn_is_none(p->moves[m].turn);
  }
}

static bool turns_are_equal(msd_turn a, msd_turn b) {
  return a.rotation.x == b.rotation.x && a.rotation.y == b.rotation.y && a.rotation.z == b.rotation.z &&
         a.pivot.x == b.pivot.x && a.pivot.y == b.pivot.y && a.pivot.z == b.pivot.z;
}

/* From where it is now, so that the rounding errors of substeps do not add up. Pins that move together are
   usually listed together and share the path. */
void particle_moves_go(particle_store *p, int number, int substeps, double substep) {
  const double share = (double)number / substeps;
  rigid_path path = {{0, 0, 0}, {0, 0, 0}, 0, {1, 0, 0, 0}};
  msd_quaternion turned = path.whole;
  const pin_move *last = NULL;
  for (int32_t m = 0; m < p->move_count && p->some_turn; m++) {
    const pin_move *move = &p->moves[m];
    if (turn_is_none(move->turn))
      continue;
    if (!last || !turns_are_equal(last->turn, move->turn)) {
      path = rigid_path_of(move->turn);
      turned = rigid_path_rotation(&path, share);
    }
    last = move;
    const double3 now = vec3_double(particle_vector(p, POSITION_X, move->particle));
    const double3 next =
        rigid_path_point(&path, turned, share, vec3_double(move->from), vec3_double(move->target));
    particle_set_vector(p, VELOCITY_X, move->particle, velocity_to(now, next, substep));
  }
}

double particle_moves_turn(const particle_store *p) {
  double most = 0;
  for (int32_t m = 0; m < p->move_count; m++)
    most = fmax(most, vec3_length(p->moves[m].turn.rotation));
  return most;
}

void particle_moves_arrive(particle_store *p, bool arrived) {
  forget_arrivals(p);
  for (int32_t m = 0; m < p->move_count; m++) {
    const int32_t i = p->moves[m].particle;
    p->arrivals[i].velocity = particle_vector(p, VELOCITY_X, i);
    if (arrived) {
      p->arrivals[i].offset = vec3_subtract(particle_vector(p, POSITION_X, i), p->moves[m].target);
      particle_set_vector(p, POSITION_X, i, p->moves[m].target);
    }
    particle_set_vector(p, VELOCITY_X, i, (msd_vec3){0, 0, 0});
  }
  p->some_moved = p->move_count > 0;
}

void particle_clear_forces(particle_store *p) {
  for (int c = 0; c < 3 && p->forced; c++)
    memset(p->force + (size_t)c * p->stride, 0, (size_t)p->count * sizeof(msd_real));
  p->forced = false;
}

double particle_direction(const particle_store *p, int32_t end_a, int32_t end_b, double unit[3]) {
  double d[3];
  const double length = particle_distance(p, end_a, end_b, d);
  for (int c = 0; c < 3; c++)
    unit[c] = length > 0 ? d[c] / length : 0;
  return length;
}
