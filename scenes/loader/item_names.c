#include "scenes/loader/item_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool keep_name(const json_place *place, const named_item *items, int item, const char *name,
                      json_t *numbers) {
  *items[item].name = strdup(name);
  return (*items[item].name && json_object_set_new_nocheck(numbers, name, json_integer(item)) == 0) ||
         place_out_of_memory(place);
}

static bool take_given_name(const json_place *place, const named_item *items, int item, json_t *numbers) {
  const char *name = NULL;
  if (!read_text(place, "name", &name))
    return false;
  if (!name)
    return true;
  json_place member = place_member(place, "name");
  if (!name[0])
    return place_fail(&member, "is empty; give it a name, or leave the key out");
  const json_t *other = json_object_get(numbers, name);
  if (other)
    return place_fail(&member, "\"%.60s\" is the name of %s[%d] too; each needs its own", name,
                      place->parent->key, (int)json_integer_value(other));
  return keep_name(place, items, item, name, numbers);
}

/* "cloth 2" for the second item of a list, or the next number that is free. `lasts` holds the last number of
   each kind: those from that of the item up to it are taken, since the search that found it passed them. */
static bool make_up_name(const json_place *place, const named_item *items, int item, json_t *numbers,
                         json_t *lasts) {
  const char *kind = items[item].kind;
  const json_int_t last = json_integer_value(json_object_get(lasts, kind));
  json_int_t number = last > item ? last : item;
  char name[64];
  do
    snprintf(name, sizeof name, "%s %" JSON_INTEGER_FORMAT, kind, ++number);
  while (json_object_get(numbers, name));
  return (json_object_set_new(lasts, kind, json_integer(number)) == 0 || place_out_of_memory(place)) &&
         keep_name(place, items, item, name, numbers);
}

bool item_names_read(const json_place *list, const named_item *items, int count, json_t **numbers) {
  *numbers = json_object();
  if (!*numbers)
    return place_out_of_memory(list);
  /* Names that the file gives come first, so that no made-up one takes theirs. */
  for (int i = 0; i < count; i++) {
    json_place place = place_item(list, (size_t)i);
    if (!take_given_name(&place, items, i, *numbers))
      return false;
  }
  json_t *lasts = json_object();
  bool done = lasts || place_out_of_memory(list);
  for (int i = 0; done && i < count; i++) {
    json_place place = place_item(list, (size_t)i);
    done = *items[i].name || make_up_name(&place, items, i, *numbers, lasts);
  }
  json_decref(lasts);
  return done;
}
