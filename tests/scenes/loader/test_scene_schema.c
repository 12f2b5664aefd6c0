/* scene.schema.json says what the loader does. The other tests of the loader hold each of their scenes against
   it too (scene_text.c); here each key of each object is taken away, given other values, and put where it does
   not belong. */
#include "tests/support/json_schema.h"
#include "tests/support/scene_text.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TestSuite(scene_schema, .init = enter_scratch_folder, .fini = leave_scratch_folder);

Test(scene_schema, accepts_the_scenes_that_ship) {
  DIR *folder = opendir(MSD_TEST_SCENES);
  int seen = 0;
  cr_assert(folder != NULL);
  for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
    const char *ending = strrchr(entry->d_name, '.');
    if (!ending || strcmp(ending, ".json") != 0)
      continue;
    char path[512];
    snprintf(path, sizeof path, "%s/%.200s", MSD_TEST_SCENES, entry->d_name);
    json_t *value = json_load_file(path, 0, NULL);
    schema_error wrong = {"", "", false};
    cr_expect(value && schema_accepts(scene_schema(), value, &wrong), "%s: %s", path, wrong.text);
    json_decref(value);
    seen++;
  }
  closedir(folder);
  cr_expect_geq(seen, 30);
}

Test(scene_schema, has_no_keyword_that_the_tests_do_not_check) {
  const char *keyword = schema_unknown_keyword(scene_schema());
  cr_expect(keyword == NULL, "%s", keyword);
}

Test(scene_schema, may_be_named_by_a_scene) {
  static const bad_text cases[] = {{"{ \"$schema\": 1, \"msd\": 1, \"bodies\": [ { \"type\": \"rope\" } ] }",
                                    "$schema: is 1", "a line of text"}};
  scene_free(load_framed("{ \"$schema\": \"%s\", \"msd\": 1, \"bodies\": [ { \"type\": \"rope\" } ] }",
                         "scene.schema.json"));
  expect_refused(cases, 1, NULL);
}

/* ------------------------------------------------------------------------------ every key of every object */

/* One in so many changes is tried, of which there are about ten thousand. */
#ifndef STRIDE
#define STRIDE 23
#endif

static void write_files(void) {
  write_text("m.obj", "g g\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
  write_text("t.node", "5 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 1 1 1\n");
  write_text("t.ele", "2 4 0\n1 1 2 3 4\n2 2 3 4 5\n");
  write_text("f.bvh",
             "HIERARCHY ROOT Hips\n{ OFFSET 0 0 0 CHANNELS 1 Yposition\nEnd Site { OFFSET 0 50 0 } }\n"
             "MOTION Frames: 2 Frame Time: 1\n0 7\n");
}

static void try(const json_t *root) {
  static size_t turn;
  scene_error error;
  if (turn++ % (STRIDE * MSD_TEST_SHARE) != 0)
    return;
  char *text = json_dumps(root, JSON_COMPACT);
  cr_assert(text != NULL);
  scene_free(load_text(text, &error));
  free(text);
}

/* Calls `change` for each list and object in a value, with the whole of which it is a part. */
static void for_each_holder(json_t *root, json_t *value, void (*change)(json_t *root, json_t *holder)) {
  const char *key;
  json_t *member;
  size_t index;
  if (json_is_array(value))
    json_array_foreach(value, index, member) for_each_holder(root, member, change);
  json_object_foreach(value, key, member) for_each_holder(root, member, change);
  if (json_is_object(value) || json_is_array(value))
    change(root, value);
}

/* A list of scenes that have, together, every key that there is, and the files that they name. */
static json_t *every_key(void) {
  write_files();
  json_error_t error;
  json_t *scenes = json_load_file(MSD_TEST_DATA "/every_key.json", JSON_REJECT_DUPLICATES, &error);
  cr_assert(scenes != NULL, "every_key.json:%d: %s", error.line, error.text);
  return scenes;
}

static void change_all(void (*change)(json_t *root, json_t *holder)) {
  json_t *scenes = every_key(), *root;
  size_t index;
  json_array_foreach(scenes, index, root) for_each_holder(root, root, change);
  json_decref(scenes);
}

Test(scene_schema, accepts_every_key_as_the_loader_does) {
  json_t *scenes = every_key(), *root;
  size_t index;
  json_array_foreach(scenes, index, root) {
    scene_error error = {{0}};
    char *text = json_dumps(root, JSON_COMPACT);
    scene *s = load_text(text, &error);
    cr_expect(s != NULL, "%s", error.text);
    scene_free(s);
    free(text);
  }
  json_decref(scenes);
}

/* Each value, of keys and in lists, becomes each of these in turn, and is taken away. */
static void change_values(json_t *root, json_t *holder) {
  static const char *const values[] = {"-1",   "0",        "1e-30", "0.3", "1.5", "1001",
                                       "2e18", "\"text\"", "true",  "{}",  "[]",  "[1, 1, 1]"};
  const bool is_list = json_is_array(holder);
  json_t *all = json_copy(holder);
  const char *key;
  json_t *old;
  for (size_t v = 0; v < COUNT_OF(values); v++) {
    json_t *value = json_loads(values[v], JSON_DECODE_ANY, NULL);
    /* Numbers of a list are alike. */
    for (size_t i = 0; is_list && i < json_array_size(all);
         i += json_is_number(json_array_get(all, i)) ? 99 : 1) {
      json_array_set(holder, i, value);
      try(root);
      json_array_set(holder, i, json_array_get(all, i));
    }
    json_object_foreach(all, key, old) {
      json_object_set(holder, key, value);
      try(root);
      json_object_set(holder, key, old);
    }
    json_decref(value);
  }
  json_object_foreach(all, key, old) {
    json_object_del(holder, key);
    try(root);
    json_object_set(holder, key, old);
  }
  json_decref(all);
}

Test(scene_schema, refuses_the_values_that_the_loader_does) {
  change_all(change_values);
}

/* ------------------------------------------------------------------------------- which keys an object has */

static json_t *names_of_keys;

static void collect_names(const json_t *schema) {
  const char *key;
  json_t *part;
  size_t index;
  json_object_foreach(json_object_get(schema, "properties"), key, part) {
    json_object_set_new(names_of_keys, key, json_true());
  }
  if (json_is_array(schema))
    json_array_foreach(schema, index, part) collect_names(part);
  json_object_foreach((json_t *)(uintptr_t)schema, key, part) collect_names(part);
}

/* Keys of other objects are put into each object, each time others. */
static void add_keys(json_t *root, json_t *holder) {
  static size_t turn;
  const char *key;
  json_t *unused;
  if (!json_is_object(holder))
    return;
  json_object_foreach(names_of_keys, key, unused) {
    if (json_object_get(holder, key) || turn++ % (STRIDE * MSD_TEST_SHARE) != 0)
      continue;
    json_object_set_new(holder, key, json_null());
    char *text = json_dumps(root, JSON_COMPACT);
    scene_error error = {{0}};
    schema_error wrong = {"", "", false};
    scene_free(load_text(text, &error));
    const bool unknown = strstr(error.text, "unknown key") != NULL,
               misplaced = strstr(error.text, "cannot be combined with") ||
                           strstr(error.text, "a body of type") || strstr(error.text, "only for fibers") ||
                           strstr(error.text, "].cut: ") || strstr(error.text, "].release: ") ||
                           strstr(error.text, "is a \"sphere\"") ||
                           strstr(error.text, "exactly one of its keys");
    schema_accepts(scene_schema(), root, &wrong);
    if (!misplaced)
      cr_expect(wrong.is_unknown_key == unknown, "\"%s\" in %s\n  loader: %s\n  schema: %s", key, text,
                error.text, wrong.text);
    free(text);
    json_object_del(holder, key);
  }
}

Test(scene_schema, has_the_keys_of_the_loader_in_each_kind_of_object) {
  names_of_keys = json_object();
  collect_names(scene_schema());
  cr_assert_gt(json_object_size(names_of_keys), 100);
  change_all(add_keys);
  json_decref(names_of_keys);
}

/* --------------------------------------------------------------------------- whether these tests see it all */

/* A property by its name and what is said of it. */
static char *text_of_property(const char *key, const json_t *said) {
  json_t *pair = json_pack("[s, O]", key, (json_t *)(uintptr_t)said);
  char *text = json_dumps(pair, JSON_COMPACT | JSON_SORT_KEYS);
  json_decref(pair);
  cr_assert(text != NULL);
  return text;
}

static void mark_used(const json_t *schema, const json_t *value, void *used) {
  const json_t *properties = json_object_get(schema, "properties");
  const char *key;
  json_t *member;
  json_object_foreach((json_t *)(uintptr_t)value, key, member) {
    const json_t *said = json_object_get(properties, key);
    if (!said)
      continue;
    char *text = text_of_property(key, said);
    json_object_set_new(used, text, json_true());
    free(text);
  }
}

static void expect_all_used(const json_t *schema, json_t *used) {
  const char *key;
  json_t *part;
  size_t index;
  if (json_is_false(json_object_get(schema, "additionalProperties")))
    json_object_foreach(json_object_get(schema, "properties"), key, part) {
      char *text = text_of_property(key, part);
      cr_expect(json_object_get(used, text) != NULL, "no scene of this test has %s", text);
      free(text);
    }
  if (json_is_array(schema))
    json_array_foreach(schema, index, part) expect_all_used(part, used);
  json_object_foreach((json_t *)(uintptr_t)schema, key, part) expect_all_used(part, used);
}

Test(scene_schema, is_tested_with_every_key_that_it_has) {
  json_t *used = json_object(), *scenes = every_key(), *root;
  size_t index;
  json_array_foreach(scenes, index, root) schema_visit(scene_schema(), root, mark_used, used);
  expect_all_used(scene_schema(), used);
  json_decref(scenes);
  json_decref(used);
}
