#include "engine/base/growth.h"

#include <string.h>

enum { ARRAYS_MAX = 16 };

/* Access to pointers of any type at an offset in the store. */
static void *pointer_at(const char *store, size_t at) {
  void *pointer;
  memcpy(&pointer, store + at, sizeof pointer);
  return pointer;
}

static void put_pointer(char *store, size_t at, void *pointer) {
  memcpy(store + at, &pointer, sizeof pointer);
}

static int32_t number_at(const char *store, size_t at) {
  int32_t number;
  memcpy(&number, store + at, sizeof number);
  return number;
}

static void put_number(char *store, size_t at, int32_t number) {
  memcpy(store + at, &number, sizeof number);
}

bool growth_resize(const growth_table *g, void *store, memory *m, int64_t capacity) {
  void *larger[ARRAYS_MAX] = {NULL};
  for (int n = 0; n < g->array_count; n++) {
    const growth_array *array = &g->arrays[n];
    if (array->is_optional && !pointer_at(store, array->at))
      continue;
    larger[n] = memory_allocate_items(m, capacity + g->behind, array->item);
    if (!larger[n]) {
      while (n-- > 0)
        memory_release(m, larger[n]);
      return false;
    }
  }
  const size_t used = (size_t)number_at(store, g->count_at);
  for (int n = 0; n < g->array_count; n++) {
    void *old = pointer_at(store, g->arrays[n].at);
    if (used > 0 && old)
      memcpy(larger[n], old, used * g->arrays[n].item);
    memory_release(m, old);
    put_pointer(store, g->arrays[n].at, larger[n]);
  }
  put_number(store, g->capacity_at, (int32_t)capacity);
  return true;
}

int32_t growth_move_items(void *items, size_t item, int32_t count, const int32_t *to) {
  char *bytes = items;
  int32_t left = 0;
  for (int32_t i = 0; i < count; i++) {
    if (to[i] < 0)
      continue;
    if (to[i] < i)
      memcpy(bytes + (size_t)to[i] * item, bytes + (size_t)i * item, item);
    left = to[i] + 1;
  }
  if (left < count)
    memset(bytes + (size_t)left * item, 0, (size_t)(count - left) * item);
  return left;
}

void growth_move_arrays(const growth_table *g, void *store, const int32_t *to) {
  const int32_t count = number_at(store, g->count_at);
  int32_t left = count;
  for (int n = 0; n < g->array_count; n++) {
    void *items = pointer_at(store, g->arrays[n].at);
    if (items)
      left = growth_move_items(items, g->arrays[n].item, count, to);
  }
  put_number(store, g->count_at, left);
}

void column_compact(const growth_table *g, void *store, memory *m, const int32_t *to) {
  growth_move_arrays(g, store, to);
  growth_resize(g, store, m, number_at(store, g->count_at));
}

bool growth_with_room(growth_resizing *resize, void *store, memory *m, int64_t needed, int64_t capacity,
                      int64_t most) {
  if (needed <= capacity)
    return true;
  const int64_t half_more = capacity + capacity / 2, roomy = half_more < most ? half_more : most;
  if (roomy <= needed)
    return resize(store, m, needed);
  return resize(store, m, roomy) || (m->over_limit && resize(store, m, needed));
}

typedef struct growing {
  const growth_table *g;
  void *store;
} growing;

static bool resize_arrays(void *context, memory *m, int64_t capacity) {
  const growing *w = context;
  return growth_resize(w->g, w->store, m, capacity);
}

bool growth_reserve(const growth_table *g, void *store, memory *m, int64_t needed) {
  growing w = {g, store};
  return growth_with_room(resize_arrays, &w, m, needed, number_at(store, g->capacity_at), g->most);
}

void growth_free(const growth_table *g, void *store, memory *m) {
  for (int n = 0; n < g->array_count; n++) {
    memory_release(m, pointer_at(store, g->arrays[n].at));
    put_pointer(store, g->arrays[n].at, NULL);
  }
  put_number(store, g->capacity_at, 0);
}

size_t growth_item_bytes(const growth_table *g) {
  size_t bytes = 0;
  for (int n = 0; n < g->array_count; n++)
    bytes += g->arrays[n].is_optional ? 0 : g->arrays[n].item;
  return bytes;
}
