#include "engine/network/coefficient_palette.h"

#include <string.h>

/* Open addressing; the hash table is never full. */
enum { ROOM_MIN = 16, PLACE_BITS = 9, PLACES = 1 << PLACE_BITS };
enum { PAIR_WORDS = 2 * sizeof(msd_real) / sizeof(uint32_t) };

/* Reserves space for one more pair. */
static bool reserve_pair(coefficient_palette *p, memory *m) {
  if (p->count < p->room)
    return true;
  const int room = p->room > 0 ? 2 * p->room : ROOM_MIN;
  msd_real *pairs = memory_allocate(m, (size_t)room * NETWORK_PAIR * sizeof *pairs);
  if (!pairs)
    return false;
  if (p->pairs)
    memcpy(pairs, p->pairs, (size_t)p->room * NETWORK_PAIR * sizeof *pairs);
  memory_release(m, p->pairs);
  p->pairs = pairs;
  p->room = room;
  return true;
}

static unsigned hash_of(msd_real stiffness, msd_real damping) {
  const msd_real pair[2] = {stiffness, damping};
  uint32_t words[PAIR_WORDS], hash = 0;
  memcpy(words, pair, sizeof words);
  for (int n = 0; n < PAIR_WORDS; n++)
    hash = (hash ^ words[n]) * 0x9e3779b1u ^ hash >> 15;
  return hash >> (32 - PLACE_BITS);
}

/* The index of a pair, which is added if new; -1 if the table is full or memory runs out. */
static int find_or_add(coefficient_palette *p, memory *m, msd_real stiffness, msd_real damping) {
  unsigned place = hash_of(stiffness, damping);
  for (; p->places[place] >= 0; place = (place + 1) % PLACES) {
    const msd_real *at = p->pairs + p->places[place] * NETWORK_PAIR;
    if (at[0] == stiffness && at[1] == damping)
      return p->places[place];
  }
  if (p->count == NETWORK_PALETTE_MAX || !reserve_pair(p, m))
    return -1;
  msd_real *added = p->pairs + p->count * NETWORK_PAIR;
  added[0] = stiffness;
  added[1] = damping;
  p->places[place] = (int16_t)p->count;
  return p->count++;
}

bool network_palette_begin(coefficient_palette *p, memory *m, int32_t lanes, msd_real stiffness,
                           msd_real damping) {
  if (!p->pair)
    p->pair = memory_allocate(m, (size_t)lanes);
  if (!p->places)
    p->places = memory_allocate(m, PLACES * sizeof *p->places);
  if (p->pair && p->places) {
    memset(p->pair, 0, (size_t)lanes);
    memset(p->places, -1, PLACES * sizeof *p->places);
    p->count = 0;
    if (find_or_add(p, m, stiffness, damping) == 0)
      return true;
  }
  network_palette_free(p, m);
  return false;
}

bool network_palette_set(coefficient_palette *p, memory *m, network_place place, msd_real stiffness,
                         msd_real damping) {
  const int pair = find_or_add(p, m, stiffness, damping);
  if (pair < 0)
    return false;
  p->pair[place.a] = (uint8_t)pair;
  if (place.b >= 0)
    p->pair[place.b] = (uint8_t)pair;
  return true;
}

void network_palette_free(coefficient_palette *p, memory *m) {
  memory_release(m, p->pair);
  memory_release(m, p->pairs);
  memory_release(m, p->places);
  *p = (coefficient_palette){0};
}
