/* The materials of the springs: law, stiffness and damping, each kept once for all springs that share it. */

#include "engine/store/spring.h"

#include <string.h>

enum { MATERIALS_MAX = UINT8_MAX + 1, MATERIALS_SPARE = 64 };

size_t spring_materials_cost(int64_t capacity) {
  return memory_cost((size_t)capacity) + memory_cost(MATERIALS_MAX * sizeof(spring_material));
}

void spring_materials_free(spring_materials *s, memory *m) {
  memory_release(m, s->table);
  memory_release(m, s->index);
  *s = (spring_materials){0};
}

/* Drops the materials that none of so many springs has. */
static void sweep(spring_materials *s, int32_t springs) {
  bool used[MATERIALS_MAX] = {false};
  uint8_t moved[MATERIALS_MAX];
  for (int32_t e = 0; e < springs; e++)
    used[s->index[e]] = true;
  int32_t count = 0;
  for (int32_t n = 0; n < s->count; n++) {
    moved[n] = (uint8_t)count;
    if (used[n])
      s->table[count++] = s->table[n];
  }
  for (int32_t e = 0; e < springs; e++)
    s->index[e] = moved[s->index[e]];
  s->count = count;
}

/* From then on each spring has a material of its own. */
static bool split(spring_materials *s, memory *m, int32_t springs, int32_t capacity) {
  spring_material *own = memory_allocate(m, (size_t)capacity * sizeof *own);
  if (!own)
    return false;
  for (int32_t e = 0; e < springs; e++)
    own[e] = s->table[s->index[e]];
  spring_materials_free(s, m);
  s->table = own;
  return true;
}

bool spring_materials_grow(spring_materials *s, memory *m, int32_t springs, int32_t capacity) {
  const bool shared = s->index || !s->table;
  spring_materials larger = {.count = s->count};
  larger.table = memory_allocate(m, (shared ? MATERIALS_MAX : (size_t)capacity) * sizeof *larger.table);
  larger.index = shared ? memory_allocate(m, (size_t)capacity) : NULL;
  if (!larger.table || (shared && !larger.index)) {
    spring_materials_free(&larger, m);
    return false;
  }
  if (s->table)
    memcpy(larger.table, s->table, (size_t)(shared ? s->count : springs) * sizeof *s->table);
  if (s->index)
    memcpy(larger.index, s->index, (size_t)springs);
  spring_materials_free(s, m);
  *s = larger;
  return true;
}

bool spring_materials_reserve(spring_materials *s, memory *m, int32_t springs, int32_t capacity) {
  if (!s->index || s->count <= MATERIALS_MAX - MATERIALS_SPARE)
    return true;
  sweep(s, springs);
  return s->count <= MATERIALS_MAX / 2 || split(s, m, springs, capacity);
}

/* The one among those that are shared; -1 when it is not there. What was added last comes first. */
static int32_t find(const spring_materials *s, const spring_material *material) {
  for (int32_t n = s->count - 1; n >= 0; n--) {
    const spring_material *at = &s->table[n];
    if (at->law == material->law && at->stiffness == material->stiffness && at->damping == material->damping)
      return n;
  }
  return -1;
}

bool spring_materials_set(spring_materials *s, memory *m, int32_t spring, spring_material material,
                          int32_t springs, int32_t capacity) {
  int32_t n = s->index ? find(s, &material) : spring;
  if (n < 0 && s->count == MATERIALS_MAX) {
    sweep(s, springs);
    /* A table that would soon be full again is given up. */
    if (s->count > MATERIALS_MAX / 2 && !split(s, m, springs, capacity) && s->count == MATERIALS_MAX)
      return false;
  }
  if (!s->index)
    n = spring;
  else if (n < 0)
    n = s->count++;
  s->table[n] = material;
  if (s->index)
    s->index[spring] = (uint8_t)n;
  return true;
}
