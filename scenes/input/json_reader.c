#include "scenes/input/json_reader.h"

#include "scenes/input/file_bytes.h"
#include "scenes/input/peer_names.h"
#include "scenes/input/suggestion.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const quantity quantity_coordinate = {"a number in m", -NUMBER_LARGEST, NUMBER_LARGEST};

/* ------------------------------------------------------------------------------------------------ parsing */

/* What to do about each kind of syntax error. */
static const char *syntax_remedy(enum json_error_code code) {
  switch (code) {
  case json_error_duplicate_key:
    return "a key can occur once in an object: keep one of them";
  case json_error_premature_end_of_input:
    return "the file is truncated: complete it";
  case json_error_end_of_input_expected:
    return "the file is one object: delete what follows it";
  case json_error_numeric_overflow:
    return "numbers go to 1e18";
  case json_error_invalid_utf8:
    return "save the file as UTF-8";
  case json_error_null_character:
  case json_error_null_byte_in_key:
    return "remove the zero byte from the text";
  case json_error_stack_overflow:
    return "no scene needs such deep nesting";
  default:
    return "look for a missing comma, quote or bracket there (JSON has no comments, NaN or Infinity)";
  }
}

/* Parsed, a scene takes up to eighty times its bytes. */
static const file_kind scene_kind = {.what = "a scene file",
                                     .missing_remedy = "check its name, or give the name of a built-in scene",
                                     .size_remedy =
                                         "put large bodies into mesh files (OBJ, PLY, glTF, TetGen)",
                                     .largest_mb = 32};

json_t *json_source_parse_text(const json_source *source, const char *text, size_t size) {
  const char *shown = scene_error_path(source->file);
  if (!file_check_text(shown, text, size, source->error))
    return NULL;
  const size_t mark = file_mark_length(text, size);
  json_error_t error;
  json_t *root = json_loadb(text + mark, size - mark, JSON_REJECT_DUPLICATES, &error);
  if (!root)
    scene_fail(source->error, "%s:%d:%d: %s; %s", shown, error.line, error.column, error.text,
               syntax_remedy(json_error_code(&error)));
  return root;
}

json_t *json_source_parse(const json_source *source) {
  size_t size = 0;
  char *text = file_bytes_read(source->file, &scene_kind, &size, source->error);
  json_t *root = text ? json_source_parse_text(source, text, size) : NULL;
  free(text);
  return root;
}

/* ------------------------------------------------------------------------------------------------- places */

json_place place_root(const json_source *source, const json_t *value) {
  return (json_place){.source = source, .value = value};
}

json_place place_member(const json_place *object, const char *key) {
  return (json_place){
      .source = object->source, .parent = object, .key = key, .value = json_object_get(object->value, key)};
}

json_place place_item(const json_place *array, size_t index) {
  return (json_place){
      .source = array->source, .parent = array, .index = index, .value = json_array_get(array->value, index)};
}

void place_path(const json_place *place, char *text, size_t size) {
  text[0] = '\0';
  if (!place->parent)
    return;
  place_path(place->parent, text, size);
  size_t used = strlen(text);
  if (place->key)
    snprintf(text + used, size - used, "%s%.60s", used ? "." : "", place->key);
  else
    snprintf(text + used, size - used, "[%zu]", place->index);
}

bool place_fail(const json_place *place, const char *format, ...) {
  char path[160], text[560];
  place_path(place, path, sizeof path);
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  return scene_fail(place->source->error, "%s: %s%s%s", scene_error_path(place->source->file), path,
                    path[0] ? ": " : "", text);
}

bool place_out_of_memory(const json_place *place) {
  return place_fail(place, "out of memory; close other programs or make the scene smaller");
}

/* As a person would type it, with an exponent only where the digits would be too many. */
typedef struct number_text {
  char text[40];
} number_text;

static number_text text_of(double number) {
  number_text out;
  const bool is_short = number == 0 || (fabs(number) >= 1e-6 && fabs(number) < 1e15);
  snprintf(out.text, sizeof out.text, is_short ? "%.15g" : "%.9g", number);
  if (is_short && strchr(out.text, 'e'))
    snprintf(out.text, sizeof out.text, "%.9f", number);
  return out;
}

static void describe_value(const json_t *value, char *text, size_t size) {
  switch (value ? json_typeof(value) : JSON_NULL) {
  case JSON_OBJECT:
    snprintf(text, size, "an object");
    break;
  case JSON_ARRAY:
    snprintf(text, size, "a list of %zu", json_array_size(value));
    break;
  case JSON_STRING:
    snprintf(text, size, "the text \"%.40s\"", json_string_value(value));
    break;
  case JSON_INTEGER:
  case JSON_REAL:
    snprintf(text, size, "%s", text_of(json_number_value(value)).text);
    break;
  case JSON_TRUE:
    snprintf(text, size, "true");
    break;
  case JSON_FALSE:
    snprintf(text, size, "false");
    break;
  case JSON_NULL:
    snprintf(text, size, "null");
    break;
  }
}

bool place_fail_type(const json_place *place, const char *text) {
  char found[80];
  if (!place->value)
    return place_fail(place, "is missing; it must be %s", text);
  describe_value(place->value, found, sizeof found);
  return place_fail(place, "is %s; it must be %s", found, text);
}

/* The key of an object, of the list that it is an item of, or "" for the root. */
static const char *object_key(const json_place *place) {
  while (place->parent && !place->key)
    place = place->parent;
  return place->key ? place->key : "";
}

/* The frame time of as many frames per second as another program is given. */
static bool suggest_frame_time(char text[SUGGESTION_MAX], const char *here, const json_t *value) {
  const double rate = json_number_value(value);
  if (!strstr(here, "frames/s") || !(rate > 0))
    return false;
  snprintf(text, SUGGESTION_MAX, "did you mean \"frame_time\": %.6g (%.6g frames/s)?", 1 / rate, rate);
  return true;
}

static void suggest_key(char text[SUGGESTION_MAX], const json_place *place, const char *key,
                        const json_t *value, const char *const *keys) {
  const char *here = peer_key(object_key(place), key, keys);
  if (!here)
    suggest_word(text, key, keys);
  else if (!suggest_frame_time(text, here, value))
    peer_advice(text, SUGGESTION_MAX, here);
}

bool place_check_object(const json_place *place, const char *const *keys) {
  if (!json_is_object(place->value))
    return place_fail_type(place, "an object { }");
  const char *key;
  json_t *value;
  /* The macro of jansson takes a json_t that it does not change. */
  json_object_foreach((json_t *)(uintptr_t)place->value, key, value) {
    if (word_index(key, keys) >= 0)
      continue;
    char suggestion[SUGGESTION_MAX];
    suggest_key(suggestion, place, key, value, keys);
    json_place member = place_member(place, key);
    return place_fail(&member, "unknown key; %s", suggestion);
  }
  return true;
}

bool place_check_array(const json_place *place, const char *text) {
  return json_is_array(place->value) || place_fail_type(place, text);
}

bool place_check_array_of(const json_place *place, size_t size, const char *text) {
  return (json_is_array(place->value) && json_array_size(place->value) == size) ||
         place_fail_type(place, text);
}

/* ------------------------------------------------------------------------------------------------- values */

/* Beyond a bound that the words about the quantity do not give themselves. */
static bool fail_bound(const json_place *place, const quantity *what, double number, const char *side,
                       double bound) {
  char text[32];
  snprintf(text, sizeof text, "%.9g", bound);
  if (strstr(what->text, text))
    return place_fail(place, "is %s; it must be %s", text_of(number).text, what->text);
  return place_fail(place, "is %s; it must be %s, %s %s", text_of(number).text, what->text, side, text);
}

bool place_get_number(const json_place *place, const quantity *what, double *out) {
  if (!json_is_number(place->value))
    return place_fail_type(place, what->text);
  double number = json_number_value(place->value);
  if (number > what->most)
    return fail_bound(place, what, number, "at most", what->most);
  if (number > 0 && number < what->least)
    return fail_bound(place, what, number, "at least", what->least);
  if (!(number >= what->least))
    return place_fail(place, "is %s; it must be %s", text_of(number).text, what->text);
  *out = number;
  return true;
}

bool place_get_whole(const json_place *place, const quantity *what, double *out) {
  double number = 0;
  if (!place_get_number(place, what, &number))
    return false;
  if (number != floor(number))
    return place_fail_type(place, what->text);
  *out = number;
  return true;
}

static bool get_three(const json_place *place, double out[3]) {
  if (!place_check_array_of(place, 3, "three numbers [x, y, z]"))
    return false;
  for (size_t c = 0; c < 3; c++) {
    json_place component = place_item(place, c);
    if (!place_get_number(&component, &quantity_coordinate, &out[c]))
      return false;
  }
  return true;
}

static msd_vec3 rounded(const double xyz[3]) {
  return (msd_vec3){(msd_real)xyz[0], (msd_real)xyz[1], (msd_real)xyz[2]};
}

bool place_get_vector(const json_place *place, msd_vec3 *out) {
  double xyz[3] = {0};
  if (!get_three(place, xyz))
    return false;
  *out = rounded(xyz);
  return true;
}

bool place_get_point(const json_place *place, double out[3]) {
  if (place->value && !get_three(place, out))
    return false;
  for (size_t c = 0; c < 3; c++)
    out[c] -= place->source->origin[c];
  return true;
}

bool place_get_position(const json_place *place, msd_vec3 *out) {
  double xyz[3] = {(double)out->x, (double)out->y, (double)out->z};
  if (!place_get_point(place, xyz))
    return false;
  *out = rounded(xyz);
  return true;
}

bool read_double(const json_place *object, const char *key, const quantity *what, double *out) {
  json_place place = place_member(object, key);
  return !place.value || place_get_number(&place, what, out);
}

bool read_real(const json_place *object, const char *key, const quantity *what, msd_real *out) {
  double number = (double)*out;
  if (!read_double(object, key, what, &number))
    return false;
  *out = (msd_real)number;
  return true;
}

bool read_whole(const json_place *object, const char *key, const quantity *what, double *out) {
  json_place place = place_member(object, key);
  return !place.value || place_get_whole(&place, what, out);
}

bool read_vector(const json_place *object, const char *key, msd_vec3 *out) {
  json_place place = place_member(object, key);
  return !place.value || place_get_vector(&place, out);
}

bool read_point(const json_place *object, const char *key, double out[3]) {
  const json_place place = place_member(object, key);
  return place_get_point(&place, out);
}

bool read_position(const json_place *object, const char *key, msd_vec3 *out) {
  const json_place place = place_member(object, key);
  return place_get_position(&place, out);
}

bool read_flag(const json_place *object, const char *key, bool *out) {
  json_place place = place_member(object, key);
  if (!place.value)
    return true;
  if (!json_is_boolean(place.value))
    return place_fail_type(&place, "true or false");
  *out = json_is_true(place.value);
  return true;
}

bool read_text(const json_place *object, const char *key, const char **out) {
  json_place place = place_member(object, key);
  if (!place.value)
    return true;
  if (!json_is_string(place.value))
    return place_fail_type(&place, "a line of text");
  const char *text = json_string_value(place.value);
  for (const char *c = text; *c; c++)
    if ((unsigned char)*c < ' ')
      return place_fail(&place, "has a line break or tab in it; it must be one line");
  *out = text;
  return true;
}

bool read_choice(const json_place *object, const char *key, const char *const *words, int *out) {
  json_place place = place_member(object, key);
  if (!place.value)
    return true;
  const char *text = json_is_string(place.value) ? json_string_value(place.value) : "";
  const int word = word_index(text, words);
  if (word >= 0) {
    *out = word;
    return true;
  }
  char found[80], remedy[SUGGESTION_MAX];
  describe_value(place.value, found, sizeof found);
  const char *here = peer_value(object_key(object), key, text);
  if (here)
    peer_advice(remedy, sizeof remedy, here);
  else
    suggest_word(remedy, text, words);
  return place_fail(&place, "is %s, which is not known; %s", found, remedy);
}

bool require_member(const json_place *object, const char *key, const char *text) {
  json_place place = place_member(object, key);
  if (place.value)
    return true;
  const char *given;
  json_t *value;
  json_object_foreach((json_t *)(uintptr_t)object->value, given, value) {
    const json_place member = place_member(object, given);
    if (peer_key(object_key(object), given, (const char *const[]){key, NULL}))
      return place_fail(&member, "unknown key; did you mean \"%s\"?", key);
  }
  return place_fail_type(&place, text);
}

bool read_list(const json_place *object, const char *key, const char *text, size_t item_size,
               item_reader read_item, const void *context, json_list *list) {
  *list = (json_list){0};
  json_place place = place_member(object, key);
  if (!place.value)
    return true;
  if (!place_check_array(&place, text))
    return false;
  const size_t count = json_array_size(place.value);
  if (count == 0)
    return true;
  char *items = malloc(count * item_size);
  bool done = items || place_out_of_memory(&place);
  for (size_t i = 0; done && i < count; i++) {
    json_place item = place_item(&place, i);
    done = read_item(context, &item, items + i * item_size);
  }
  if (done)
    *list = (json_list){items, count};
  else
    free(items);
  return done;
}
