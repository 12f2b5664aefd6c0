#include "scenes/loader/body_names.h"

#include "scenes/input/suggestion.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool keep_name(const json_place *place, scene *s, int body, const char *name, body_names *names) {
  s->bodies[body].name = strdup(name);
  return (s->bodies[body].name && json_object_set_new_nocheck(names, name, json_integer(body)) == 0) ||
         place_out_of_memory(place);
}

static bool take_given_name(const json_place *place, scene *s, int body, body_names *names) {
  const char *name = NULL;
  if (!read_text(place, "name", &name))
    return false;
  if (!name)
    return true;
  json_place member = place_member(place, "name");
  if (!name[0])
    return place_fail(&member, "is empty; give the body a name, or leave the key out");
  const json_t *other = json_object_get(names, name);
  if (other)
    return place_fail(&member, "\"%.60s\" is the name of bodies[%d] too; every body needs its own", name,
                      (int)json_integer_value(other));
  return keep_name(place, s, body, name, names);
}

/* "cloth 2" for the second body of a file, or the next number that is free. `lasts` holds the last number of
   each kind: those from that of the body up to it are taken, since the search that found it passed them. */
static bool make_up_name(const json_place *place, scene *s, int body, body_names *names, json_t *lasts) {
  const char *kind = s->bodies[body].kind;
  const json_int_t last = json_integer_value(json_object_get(lasts, kind));
  json_int_t number = last > body ? last : body;
  char name[64];
  do
    snprintf(name, sizeof name, "%s %" JSON_INTEGER_FORMAT, kind, ++number);
  while (json_object_get(names, name));
  return (json_object_set_new(lasts, kind, json_integer(number)) == 0 || place_out_of_memory(place)) &&
         keep_name(place, s, body, name, names);
}

bool body_names_read(const json_place *list, scene *s, body_names **names) {
  *names = json_object();
  if (!*names)
    return place_out_of_memory(list);
  /* Names that the file gives come first, so that no made-up one takes theirs. */
  for (int i = 0; i < s->body_count; i++) {
    json_place place = place_item(list, (size_t)i);
    if (!take_given_name(&place, s, i, *names))
      return false;
  }
  json_t *lasts = json_object();
  bool done = lasts || place_out_of_memory(list);
  for (int i = 0; done && i < s->body_count; i++) {
    json_place place = place_item(list, (size_t)i);
    done = s->bodies[i].name || make_up_name(&place, s, i, *names, lasts);
  }
  json_decref(lasts);
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
