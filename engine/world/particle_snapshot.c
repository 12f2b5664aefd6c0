/* Particles in a snapshot: six components of the state, masses, flags (1: pinned, 2: newly pinned), three
   components of pending forces (if any), moving pins, and slots (if the particles have been reordered). If
   particles have been split, the origin and valence of each particle follow in a separate section. */

#include "engine/base/real_bits.h"
#include "engine/base/rigid_path.h"
#include "engine/world/snapshot.h"

snapshot_columns particle_snapshot_columns(const particle_snapshot *h) {
  snapshot_columns columns = {.count = COMPONENTS + 2 + (h->forced ? 3 : 0)};
  for (int n = 0; n < columns.count; n++)
    columns.bytes[n] = n == COMPONENTS + 1 ? 1 : sizeof(msd_real);
  return columns;
}

uint64_t particle_snapshot_size(const particle_snapshot *h) {
  return snapshot_columns_size(particle_snapshot_columns(h), h->particles) +
         (uint64_t)h->moves * sizeof(pin_move) + (h->ordered ? (uint64_t)h->particles * sizeof(int32_t) : 0);
}

/* Writes a component of a slab in the order of the indices. */
static void put_by_index(unsigned char **to, const particle_store *p, const msd_real *component) {
  if (!p->slot)
    snapshot_put(to, component, (size_t)p->count * sizeof *component);
  for (int32_t i = 0; i < p->count && p->slot; i++)
    snapshot_put(to, &component[p->slot[i]], sizeof *component);
}

void particle_motion_put(unsigned char **to, const particle_store *p) {
  for (size_t c = 0; c < COMPONENTS && p->count > 0; c++)
    put_by_index(to, p, particle_state(p) + c * p->stride);
}

bool particle_motion_is_sound(const particle_store *p, const unsigned char *from) {
  return reals_are_finite(from, COMPONENTS * (size_t)p->count);
}

void particle_motion_get(particle_store *p, const unsigned char **from) {
  for (size_t c = 0; c < COMPONENTS && p->count > 0; c++) {
    msd_real *component = p->slab[p->current] + c * p->stride;
    if (!p->slot)
      snapshot_get(component, from, (size_t)p->count * sizeof *component);
    for (int32_t i = 0; i < p->count && p->slot; i++)
      snapshot_get(&component[p->slot[i]], from, sizeof *component);
  }
}

/* Sorted by particle, so that the bytes do not depend on the order of the calls. Padding of pin_move is
   written as zeros. */
static void put_moves(unsigned char **to, const particle_store *p) {
  for (int32_t i = 0; i < p->count && p->move_count > 0; i++) {
    const pin_move *move = particle_find_move(p, i);
    if (!move)
      continue;
    memset(*to, 0, sizeof *move);
    memcpy(*to + offsetof(pin_move, particle), &move->particle, sizeof move->particle);
    memcpy(*to + offsetof(pin_move, target), &move->target, sizeof move->target);
    memcpy(*to + offsetof(pin_move, turn), &move->turn, sizeof move->turn);
    *to += sizeof *move;
  }
}

void particle_snapshot_put(unsigned char **to, const particle_snapshot *h, const particle_store *p) {
  const size_t count = (size_t)p->count;
  particle_motion_put(to, p);
  snapshot_put(to, p->mass, count * sizeof(msd_real));
  for (size_t i = 0; i < count; i++)
    *(*to)++ = (unsigned char)((p->inverse_mass[i] == 0) +
                               (h->has_new_pins && particle_is_newly_pinned(p, (int32_t)i)));
  for (size_t c = 0; c < 3 && h->forced; c++)
    put_by_index(to, p, p->force + c * p->stride);
  put_moves(to, p);
  if (h->ordered)
    snapshot_put(to, p->slot, count * sizeof(int32_t));
}

/* Slots must be a permutation. Valence is used for counting and reset to 0. */
static bool get_slots(particle_store *p, int32_t *slot, const unsigned char **from) {
  snapshot_get(slot, from, (size_t)p->count * sizeof *slot);
  bool sound = true;
  for (int32_t i = 0; i < p->count; i++)
    sound = sound && slot[i] >= 0 && slot[i] < p->count && ++p->valence[slot[i]] == 1;
  memset(p->valence, 0, (size_t)p->count * sizeof *p->valence);
  return sound;
}

/* Reads consecutive components. Returns true if all values are finite. */
static bool get_components(msd_real *to, const particle_store *p, size_t components,
                           const unsigned char **from) {
  const size_t count = (size_t)p->count;
  bool sound = true;
  for (size_t c = 0; c < components; c++) {
    msd_real *component = to + c * p->stride;
    snapshot_get(component, from, count * sizeof *component);
    for (size_t i = 0; i < count; i++)
      sound = sound && isfinite(component[i]);
  }
  return sound;
}

static bool get_moves(particle_store *p, const unsigned char **from) {
  snapshot_get(p->moves, from, (size_t)p->move_count * sizeof(pin_move));
  bool sound = true;
  for (int32_t m = 0; m < p->move_count; m++)
    sound = sound && p->moves[m].particle >= 0 && p->moves[m].particle < p->count &&
            (m == 0 || p->moves[m].particle > p->moves[m - 1].particle) &&
            p->inverse_mass[p->moves[m].particle] == 0 && vec3_is_finite(p->moves[m].target) &&
            turn_is_finite(p->moves[m].turn);
  for (int32_t m = 0; m < p->move_count && sound; m++)
    p->move_of[p->moves[m].particle] = m + 1;
  return sound;
}

bool particle_snapshot_get(particle_store *p, int32_t *slot, const particle_snapshot *h,
                           const unsigned char **from) {
  p->count = h->particles;
  p->forced = h->forced;
  p->move_count = h->moves;
  bool sound = p->count == 0 || get_components(p->slab[0], p, COMPONENTS, from);
  snapshot_get(p->mass, from, (size_t)p->count * sizeof(msd_real));
  for (int32_t i = 0; i < p->count; i++) {
    const unsigned char pin = *(*from)++;
    const bool pinned = pin > 0;
    const msd_real inverse = particle_inverse(p->mass[i]);
    p->pinned += pinned;
    if (p->newly_pinned)
      particle_mark_new_pin(p, i, pin > 1);
    p->inverse_mass[i] = pinned ? 0 : inverse;
    sound = sound && (inverse > 0 || (pinned && p->mass[i] == 0)); /* a destroyed particle */
  }
  sound = (!h->forced || get_components(p->force, p, 3, from)) && sound;
  sound = get_moves(p, from) && sound;
  return sound && (!slot || get_slots(p, slot, from));
}

uint64_t split_snapshot_size(int32_t particles) {
  return (uint64_t)particles * 2 * sizeof(int32_t);
}

void split_snapshot_put(unsigned char **to, const particle_store *p) {
  snapshot_put(to, p->origin, (size_t)p->count * sizeof *p->origin);
  snapshot_put(to, p->valence, (size_t)p->count * sizeof *p->valence);
}

/* A split-off particle has a larger index than its origin. The stored valence includes springs that were
   shared before the split, so it is at least the current one. */
bool split_snapshot_get(particle_store *p, int64_t most, const unsigned char **from) {
  snapshot_get(p->origin, from, (size_t)p->count * sizeof *p->origin);
  bool sound = true;
  for (int32_t i = 0; i < p->count; i++) {
    int32_t valence;
    snapshot_get(&valence, from, sizeof valence);
    const int32_t origin = p->origin[i];
    sound = sound && origin >= 0 && origin <= i && p->origin[origin] == origin && valence >= p->valence[i] &&
            valence <= most;
    p->valence[i] = valence;
    p->parts += origin != i;
  }
  return sound;
}
