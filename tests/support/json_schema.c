#include "tests/support/json_schema.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef struct checker {
  const json_t *root;
  schema_error *error;
  schema_visitor visit;
  void *context;
} checker;

static bool check(const checker *c, const json_t *schema, const json_t *value, const char *path);

static bool fail(const checker *c, const char *path, const char *keyword, const char *detail) {
  if (!c->error)
    return false;
  snprintf(c->error->path, sizeof c->error->path, "%s", path);
  snprintf(c->error->text, sizeof c->error->text, "%s: %s %.100s", path, keyword, detail);
  c->error->is_unknown_key = strcmp(keyword, "additionalProperties") == 0;
  return false;
}

/* ----------------------------------------------------------------------------------------------- one value */

static bool has_type(const json_t *value, const char *type) {
  if (strcmp(type, "integer") == 0)
    return json_is_number(value) && json_number_value(value) == floor(json_number_value(value));
  return (strcmp(type, "number") == 0 && json_is_number(value)) ||
         (strcmp(type, "string") == 0 && json_is_string(value)) ||
         (strcmp(type, "boolean") == 0 && json_is_boolean(value)) ||
         (strcmp(type, "object") == 0 && json_is_object(value)) ||
         (strcmp(type, "array") == 0 && json_is_array(value));
}

static bool equals(const json_t *a, const json_t *b) {
  return json_is_number(a) && json_is_number(b) ? json_number_value(a) == json_number_value(b)
                                                : json_equal(a, b);
}

static bool is_one_of(const json_t *words, const json_t *value) {
  for (size_t i = 0; i < json_array_size(words); i++)
    if (equals(json_array_get(words, i), value))
      return true;
  return false;
}

static bool check_value(const checker *c, const json_t *schema, const json_t *value, const char *path) {
  const json_t *type = json_object_get(schema, "type"), *words = json_object_get(schema, "enum"),
               *constant = json_object_get(schema, "const"), *least = json_object_get(schema, "minimum"),
               *most = json_object_get(schema, "maximum"), *length = json_object_get(schema, "minLength");
  if (type && !has_type(value, json_string_value(type)))
    return fail(c, path, "type", json_string_value(type));
  if ((words && !is_one_of(words, value)) || (constant && !equals(constant, value)))
    return fail(c, path, "enum", "");
  if (json_is_number(value) && ((least && json_number_value(value) < json_number_value(least)) ||
                                (most && json_number_value(value) > json_number_value(most))))
    return fail(c, path, "minimum or maximum", "");
  return !length || !json_is_string(value) ||
         json_string_length(value) >= (size_t)json_integer_value(length) || fail(c, path, "minLength", "");
}

/* ------------------------------------------------------------------------------------- lists and objects */

static bool check_array(const checker *c, const json_t *schema, const json_t *value, const char *path) {
  const json_t *items = json_object_get(schema, "items"), *rest = json_object_get(schema, "additionalItems"),
               *least = json_object_get(schema, "minItems"), *most = json_object_get(schema, "maxItems");
  const size_t size = json_array_size(value);
  if ((least && size < (size_t)json_integer_value(least)) ||
      (most && size > (size_t)json_integer_value(most)))
    return fail(c, path, "minItems or maxItems", "");
  for (size_t i = 0; i < size; i++) {
    char below[SCHEMA_PATH_MAX + 32];
    snprintf(below, sizeof below, "%s[%zu]", path, i);
    const json_t *own = json_is_array(items) ? json_array_get(items, i) : items;
    own = own ? own : rest;
    if (own && !check(c, own, json_array_get(value, i), below))
      return false;
  }
  return true;
}

static bool check_required(const checker *c, const json_t *list, const json_t *value, const char *path) {
  for (size_t i = 0; i < json_array_size(list); i++)
    if (!json_object_get(value, json_string_value(json_array_get(list, i))))
      return fail(c, path, "required", json_string_value(json_array_get(list, i)));
  return true;
}

static bool check_object(const checker *c, const json_t *schema, const json_t *value, const char *path) {
  const json_t *properties = json_object_get(schema, "properties"),
               *others = json_object_get(schema, "additionalProperties");
  const char *key;
  json_t *member, *needed;
  if (!check_required(c, json_object_get(schema, "required"), value, path))
    return false;
  json_object_foreach((json_t *)(uintptr_t)value, key, member) {
    char below[SCHEMA_PATH_MAX + 128];
    snprintf(below, sizeof below, "%s%s%.100s", path, path[0] ? "." : "", key);
    const json_t *own = json_object_get(properties, key);
    if (!own && json_is_false(others))
      return fail(c, below, "additionalProperties", key);
    own = own ? own : others;
    if (own && !check(c, own, member, below))
      return false;
  }
  json_object_foreach(json_object_get(schema, "dependencies"), key, needed) {
    if (json_object_get(value, key) && !check_required(c, needed, value, path))
      return false;
  }
  return true;
}

/* ------------------------------------------------------------------------------------------ combinations */

/* Of forms that all are wrong the one that is wrong furthest inside is what was meant. */
static bool check_any(const checker *c, const json_t *forms, const json_t *value, const char *path) {
  schema_error deepest = {"", "", false};
  for (size_t i = 0; i < json_array_size(forms); i++) {
    schema_error own = {"", "", false};
    const checker inner = {c->root, &own, c->visit, c->context};
    if (check(&inner, json_array_get(forms, i), value, path))
      return true;
    if (i == 0 || strlen(own.path) > strlen(deepest.path))
      deepest = own;
  }
  if (c->error)
    *c->error = deepest;
  return false;
}

static bool check_parts(const checker *c, const json_t *schema, const json_t *value, const char *path) {
  const json_t *all = json_object_get(schema, "allOf"), *any = json_object_get(schema, "anyOf"),
               *condition = json_object_get(schema, "if");
  for (size_t i = 0; i < json_array_size(all); i++)
    if (!check(c, json_array_get(all, i), value, path))
      return false;
  if (any && !check_any(c, any, value, path))
    return false;
  if (!condition)
    return true;
  const checker silent = {c->root, NULL, NULL, NULL};
  const json_t *next = json_object_get(schema, check(&silent, condition, value, path) ? "then" : "else");
  return !next || check(c, next, value, path);
}

static const json_t *referred(const json_t *root, const json_t *schema) {
  static const char prefix[] = "#/definitions/";
  const char *name = json_string_value(json_object_get(schema, "$ref"));
  return name && strncmp(name, prefix, sizeof prefix - 1) == 0
             ? json_object_get(json_object_get(root, "definitions"), name + sizeof prefix - 1)
             : NULL;
}

static bool check(const checker *c, const json_t *schema, const json_t *value, const char *path) {
  if (json_is_boolean(schema))
    return json_is_true(schema) || fail(c, path, "cannot be combined with what else is there", "");
  if (json_object_get(schema, "$ref")) {
    const json_t *target = referred(c->root, schema);
    return target ? check(c, target, value, path) : fail(c, path, "$ref", "leads nowhere");
  }
  if (!check_value(c, schema, value, path) ||
      (json_is_array(value) && !check_array(c, schema, value, path)) ||
      (json_is_object(value) && !check_object(c, schema, value, path)) ||
      !check_parts(c, schema, value, path))
    return false;
  if (c->visit)
    c->visit(schema, value, c->context);
  return true;
}

bool schema_accepts(const json_t *root, const json_t *value, schema_error *error) {
  const checker c = {root, error, NULL, NULL};
  return check(&c, root, value, "");
}

bool schema_visit(const json_t *root, const json_t *value, schema_visitor visit, void *context) {
  const checker c = {root, NULL, visit, context};
  return check(&c, root, value, "");
}

/* --------------------------------------------------------------------------------------------- keywords */

static bool is_in(const char *word, const char *const *words) {
  for (; *words; words++)
    if (strcmp(word, *words) == 0)
      return true;
  return false;
}

static const char *unknown_in_members(const json_t *object) {
  const char *key, *found = NULL;
  json_t *member;
  json_object_foreach((json_t *)(uintptr_t)object, key, member) {
    if (json_is_object(member) && !found)
      found = schema_unknown_keyword(member);
  }
  return found;
}

static const char *unknown_in_items(const json_t *list) {
  const char *found = NULL;
  for (size_t i = 0; !found && i < json_array_size(list); i++)
    found = schema_unknown_keyword(json_array_get(list, i));
  return found;
}

const char *schema_unknown_keyword(const json_t *schema) {
  static const char *const plain[] = {
      "$schema", "$ref",    "title",    "description", "default",  "type",      "enum",         "const",
      "minimum", "maximum", "required", "minItems",    "maxItems", "minLength", "dependencies", NULL};
  static const char *const of_members[] = {"properties", "definitions", NULL};
  static const char *const of_schemas[] = {
      "items", "additionalItems", "additionalProperties", "allOf", "anyOf", "if", "then", "else", NULL};
  const char *key;
  json_t *part;
  json_object_foreach((json_t *)(uintptr_t)schema, key, part) {
    const char *found = is_in(key, plain)         ? NULL
                        : is_in(key, of_members)  ? unknown_in_members(part)
                        : !is_in(key, of_schemas) ? key
                        : json_is_array(part)     ? unknown_in_items(part)
                                                  : schema_unknown_keyword(part);
    if (found)
      return found;
  }
  return NULL;
}
