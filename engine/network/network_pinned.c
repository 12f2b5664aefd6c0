/* The pinned rows of a network: see network.h. */

#include "engine/network/network_compiler.h"

/* The minimum number of used lanes in a pinned row. With fewer an indexed row is as fast, and can also take
   springs to other pins. */
enum { HELD_LANES_MIN = 4 };

/* Sort key of a one-sided spring at a pin: group, location of the pin, mode, place in the group. A row has
   springs that share everything except the place. The location is the index of the pin, or its distance from
   the particle. */
enum { PLACE_BITS = 4, SIDE_BITS = 1, WHERE_BITS = 32, WHERE_ZERO = -1 - INT32_MAX };

static uint64_t key_of(const compiler *c, int32_t spring, bool to_one_pin) {
  const int32_t particle = compiler_free_end(c, spring), pin = compiler_pinned_end(c, spring);
  const uint64_t group = (uint64_t)(particle / NETWORK_GROUP), place = (uint64_t)(particle % NETWORK_GROUP);
  const uint64_t where = (uint64_t)((to_one_pin ? (int64_t)pin : (int64_t)pin - particle) - WHERE_ZERO);
  const uint64_t is_strut = compiler_side(c, spring) == MSD_SPRING_COMPRESSION_ONLY;
  return ((group << WHERE_BITS | where) << SIDE_BITS | is_strut) << PLACE_BITS | place;
}

/* Springs sorted by one of the two keys. */
typedef struct held_list {
  sort_item *items;
  int32_t count;
  bool to_one_pin;
} held_list;

/* The items first..end-1 that could share a row. */
typedef struct row_springs {
  int32_t first, end;
  /* The number of different particles: a second spring to the same pin has no lane. */
  int32_t lanes;
} row_springs;

static bool next_row(const held_list *list, row_springs *row) {
  if (row->end >= list->count)
    return false;
  const sort_item *items = list->items;
  row->first = row->end;
  row->lanes = 0;
  for (; row->end < list->count && items[row->end].key >> PLACE_BITS == items[row->first].key >> PLACE_BITS;
       row->end++)
    row->lanes += row->end == row->first || items[row->end].key != items[row->end - 1].key;
  return true;
}

static bool has_lane(const held_list *list, const row_springs *row, int32_t item) {
  return row->lanes >= HELD_LANES_MIN &&
         (item == row->first || list->items[item].key != list->items[item - 1].key);
}

/* Moves the springs without a row in `list` to `rest`, with the other key. */
static void pass_on(const compiler *c, const held_list *list, held_list *rest) {
  for (row_springs row = {0}; next_row(list, &row);)
    for (int32_t i = row.first; i < row.end; i++)
      if (!has_lane(list, &row, i)) {
        const int32_t spring = list->items[i].index;
        rest->items[rest->count++] = (sort_item){key_of(c, spring, rest->to_one_pin), spring};
      }
}

static int32_t group_of(const compiler *c, const held_list *list, const row_springs *row) {
  return compiler_free_end(c, list->items[row->first].index) / NETWORK_GROUP;
}

/* Counts are stored one group ahead, so that summing turns them into beginnings. */
static void count_rows(compiler *c, const held_list *list) {
  for (row_springs row = {0}; next_row(list, &row);)
    c->net->groups[group_of(c, list, &row) + 1].held += row.lanes >= HELD_LANES_MIN;
}

/* Advances the beginning of each group's rows to its end. */
static void write_rows(compiler *c, const held_list *list) {
  network *net = c->net;
  for (row_springs row = {0}; next_row(list, &row);) {
    if (row.lanes < HELD_LANES_MIN)
      continue;
    const int32_t spring = list->items[row.first].index;
    const int32_t pin = compiler_pinned_end(c, spring);
    const int32_t index = net->groups[group_of(c, list, &row)].held++;
    net->held_rows[index] = (network_held_row){.pin = list->to_one_pin ? pin : -1,
                                               .shift = pin - compiler_free_end(c, spring),
                                               .side = network_side(compiler_side(c, spring)),
                                               .material = {.uniform = true}};
    for (int32_t i = row.first; i < row.end; i++)
      if (has_lane(list, &row, i)) {
        c->places[list->items[i].index].a = index;
        net->contiguous_count++;
      }
  }
}

/* Makes row indices relative to the first row of the group. */
static void count_in_groups(compiler *c, const held_list *list) {
  for (row_springs row = {0}; next_row(list, &row);)
    for (int32_t i = row.first; i < row.end; i++)
      if (has_lane(list, &row, i))
        c->places[list->items[i].index].a -= c->net->groups[group_of(c, list, &row)].held;
}

static bool make_rows(compiler *c, const held_list *to_one_pin, const held_list *shifted) {
  network *net = c->net;
  count_rows(c, to_one_pin);
  count_rows(c, shifted);
  for (int32_t g = 0; g < net->group_count; g++)
    net->groups[g + 1].held += net->groups[g].held;
  net->held_row_count = net->groups[net->group_count].held;
  if (net->held_row_count > (INT32_MAX - net->held_lane) / NETWORK_GROUP)
    return false;
  net->held_rows = memory_allocate(c->memory, (size_t)net->held_row_count * sizeof *net->held_rows);
  if (!net->held_rows)
    return false;
  write_rows(c, to_one_pin);
  write_rows(c, shifted);
  for (int32_t g = net->group_count; g > 0; g--)
    net->groups[g].held = net->groups[g - 1].held;
  net->groups[0].held = 0;
  count_in_groups(c, to_one_pin);
  count_in_groups(c, shifted);
  return true;
}

static bool make_from(compiler *c, sort_item *items, sort_item *spare, sort_item *others) {
  held_list to_one_pin = {.items = items, .to_one_pin = true}, shifted = {.items = others};
  if (!items || !spare || !others)
    return false;
  for (int32_t s = 0; s < network_early(&c->source); s++)
    if (!network_leaves_out(&c->source, s) && network_is_held(&c->source, s))
      items[to_one_pin.count++] = (sort_item){key_of(c, s, true), s};
  to_one_pin.items = sort_by_key(items, spare, to_one_pin.count);
  pass_on(c, &to_one_pin, &shifted);
  shifted.items = sort_by_key(others, to_one_pin.items == items ? spare : items, shifted.count);
  return make_rows(c, &to_one_pin, &shifted);
}

bool compiler_make_held_rows(compiler *c) {
  const int32_t held = c->held_count;
  if (held == 0)
    return true;
  const size_t bytes = (size_t)held * sizeof(sort_item);
  sort_item *items = memory_allocate(c->memory, bytes), *spare = memory_allocate(c->memory, bytes),
            *others = memory_allocate(c->memory, bytes);
  const bool done = make_from(c, items, spare, others);
  memory_release(c->memory, items);
  memory_release(c->memory, spare);
  memory_release(c->memory, others);
  return done;
}
