#include "scenes/loader/body_names.h"

#include "scenes/input/suggestion.h"
#include "scenes/loader/item_names.h"

#include <stdlib.h>

bool body_names_read(const json_place *list, scene *s, body_names **names) {
  *names = NULL;
  named_item *items = calloc((size_t)s->body_count + 1, sizeof *items);
  if (!items)
    return place_out_of_memory(list);
  for (int i = 0; i < s->body_count; i++)
    items[i] = (named_item){s->bodies[i].kind, &s->bodies[i].name};
  const bool done = item_names_read(list, items, s->body_count, names);
  free(items);
  return done;
}

bool body_names_find(const json_place *place, const scene *s, const body_names *names,
                     const scene_body **body) {
  if (!json_is_string(place->value))
    return place_fail_type(place, "the name of a body");
  const char *name = json_string_value(place->value);
  const json_t *found = json_object_get(names, name);
  if (found) {
    *body = &s->bodies[json_integer_value(found)];
    return true;
  }
  const char **words = calloc((size_t)s->body_count + 1, sizeof *words);
  if (!words)
    return place_out_of_memory(place);
  for (int i = 0; i < s->body_count; i++)
    words[i] = s->bodies[i].name;
  char suggestion[SUGGESTION_MAX];
  suggest_word(suggestion, name, words);
  free(words);
  return place_fail(place, "there is no body \"%.60s\"; %s", name, suggestion);
}
