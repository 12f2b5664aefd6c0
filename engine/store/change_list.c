#include "engine/store/change_list.h"

#include <string.h>

enum { ROOM_MIN = 64 };

static bool has_room(change_list *c, memory *m, int32_t most) {
  if (c->count < c->capacity)
    return true;
  const int32_t room = c->capacity < ROOM_MIN ? ROOM_MIN : c->capacity <= most / 2 ? 2 * c->capacity : most;
  if (room <= c->capacity)
    return false;
  int32_t *items = memory_allocate_unset(m, (size_t)room * sizeof *items);
  if (!items)
    return false;
  if (c->count > 0)
    memcpy(items, c->items, (size_t)c->count * sizeof *items);
  memory_release(m, c->items);
  c->items = items;
  c->capacity = room;
  return true;
}

void change_list_add(change_list *c, memory *m, revision *r, int32_t item, int32_t most, bool relaxes) {
  if (c->since + (uint64_t)c->count != r->definitions)
    change_list_resume(c, r->definitions, 0);
  r->definitions++;
  if (!relaxes)
    c->tightened = r->definitions;
  if (c->length < most && has_room(c, m, most)) {
    c->items[c->count++] = item;
    c->length++;
  } else {
    change_list_resume(c, r->definitions, 0);
  }
}
