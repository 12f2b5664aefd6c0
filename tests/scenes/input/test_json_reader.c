#define _POSIX_C_SOURCE 200809L
#include "scenes/input/json_reader.h"

#include "tests/support/scene_text.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

TestSuite(json_reader, .init = enter_scratch_folder, .fini = leave_scratch_folder);

Test(json_reader, syntax_errors_name_line_and_column) {
  static const bad_text cases[] = {
      {"{ \"msd\": 1,\n  \"bodies\": [\n", "test.json:3:0", "the file is truncated: complete it"},
      {"{ \"title\": \"a\\u0000b\" }", "test.json:1:", "remove the zero byte"},
      {"{ \"a\\u0000b\": 1 }", "test.json:1:", "remove the zero byte"},
      {"{ \"msd\": 1 \"bodies\": [] }", "test.json:1:19", "missing comma"},
      {"{ \"msd\": 1,\n  \"gravity\": [0, NaN, 0] }", "test.json:2:20", "no comments, NaN or Infinity"},
      {"{ \"msd\": 1,\n  \"msd\": 1 }", "test.json:2:7", "keep one of them"},
      {"{ \"msd\": 1e999 }", "test.json:1:14", "numbers go to 1e18"},
      {"{ \"msd\": 99999999999999999999 }", "test.json:1:29", "numbers go to 1e18"},
      {"{ \"msd\": 1 } x", "test.json:1:14", "delete what follows"},
      {"{ \"title\": \"\xff\" }", "test.json:1:", "save the file as UTF-8"},
      {"", "test.json:1:0", "the file is truncated"},
      {"not json", "test.json:1:3", "missing comma, quote or bracket"},
  };
  expect_refused(cases, COUNT_OF(cases), NULL);
}

Test(json_reader, nesting_without_end_is_refused) {
  static char text[100001];
  for (size_t i = 0; i < sizeof text - 1; i++)
    text[i] = '[';
  const bad_text deep = {text, "test.json:1:", "no scene needs such deep nesting"};
  expect_refused(&deep, 1, NULL);
}

Test(json_reader, a_missing_file_or_a_folder_is_refused_with_a_remedy) {
  scene_error error;
  cr_expect(scene_load("./nothing.json", &error) == NULL);
  cr_expect_str_eq(error.text,
                   "./nothing.json: No such file or directory; check its name, or give the name of a "
                   "built-in scene");
  cr_assert(mkdir("folder.json", 0700) == 0);
  cr_expect(scene_load("./folder.json", &error) == NULL);
  cr_expect_str_eq(error.text, "./folder.json: is a folder; give a scene file");
  rmdir("folder.json");
}

/* A parsed text as the root of places. */
typedef struct parsed {
  scene_error error;
  json_source source;
  json_t *value;
  json_place root;
} parsed;

static void parse(parsed *p, const char *text) {
  p->source = (json_source){.file = "f.json", .error = &p->error};
  p->value = json_loads(text, 0, NULL);
  cr_assert(p->value != NULL);
  p->root = place_root(&p->source, p->value);
}

Test(json_reader, a_place_knows_its_path) {
  parsed p;
  parse(&p, "{ \"bodies\": [ {}, { \"rows\": 3 } ] }");
  json_place bodies = place_member(&p.root, "bodies"), body = place_item(&bodies, 1),
             rows = place_member(&body, "rows");
  char path[64];
  place_path(&rows, path, sizeof path);
  cr_expect_str_eq(path, "bodies[1].rows");
  place_path(&p.root, path, sizeof path);
  cr_expect_str_eq(path, "");
  cr_expect(!place_fail(&rows, "is %d", 3));
  cr_expect_str_eq(p.error.text, "f.json: bodies[1].rows: is 3");
  char small[9];
  place_path(&rows, small, sizeof small);
  cr_expect_str_eq(small, "bodies[1");
  json_decref(p.value);
}

Test(json_reader, absent_members_leave_the_default) {
  parsed p;
  parse(&p, "{}");
  double number = 4;
  msd_real real = 5;
  msd_vec3 v = {1, 2, 3};
  bool flag = true;
  const char *text = "t";
  int choice = 6;
  const char *const words[] = {"a", NULL};
  cr_expect(read_double(&p.root, "k", &quantity_coordinate, &number) && number == 4);
  cr_expect(read_real(&p.root, "k", &quantity_coordinate, &real) && real == 5);
  cr_expect(read_vector(&p.root, "k", &v) && v.x == 1 && v.y == 2 && v.z == 3);
  cr_expect(read_flag(&p.root, "k", &flag) && flag);
  cr_expect(read_text(&p.root, "k", &text) && text[0] == 't');
  cr_expect(read_choice(&p.root, "k", words, &choice) && choice == 6);
  cr_expect(!require_member(&p.root, "k", "a thing"));
  cr_expect_str_eq(p.error.text, "f.json: k: is missing; it must be a thing");
  json_decref(p.value);
}

Test(json_reader, a_range_that_the_words_give_is_not_given_twice) {
  static const quantity pins = {"a whole number of pins from 1 to 8", 1, 8};
  static const char *const texts[][2] = {
      {"{ \"k\": 9 }", "f.json: k: is 9; it must be a whole number of pins from 1 to 8"},
      {"{ \"k\": 0.5 }", "f.json: k: is 0.5; it must be a whole number of pins from 1 to 8"}};
  for (size_t i = 0; i < COUNT_OF(texts); i++) {
    parsed p;
    parse(&p, texts[i][0]);
    double number = 7;
    cr_expect(!read_double(&p.root, "k", &pins, &number));
    cr_expect_str_eq(p.error.text, texts[i][1]);
    json_decref(p.value);
  }
}

Test(json_reader, numbers_outside_their_range_are_refused_with_the_range) {
  static const quantity above_zero = {"a mass above 0 in kg", NUMBER_SMALLEST, NUMBER_LARGEST};
  static const struct {
    const char *text, *error;
  } cases[] = {
      {"{ \"k\": -1 }", "f.json: k: is -1; it must be a mass above 0 in kg"},
      {"{ \"k\": 0 }", "f.json: k: is 0; it must be a mass above 0 in kg"},
      {"{ \"k\": 1e300 }", "f.json: k: is 1e+300; it must be a mass above 0 in kg, at most 1e+18"},
      {"{ \"k\": 1e-300 }", "f.json: k: is 1e-300; it must be a mass above 0 in kg, at least 1e-18"},
      {"{ \"k\": \"1\" }", "f.json: k: is the text \"1\"; it must be a mass above 0 in kg"},
      {"{ \"k\": null }", "f.json: k: is null; it must be a mass above 0 in kg"},
      {"{ \"k\": true }", "f.json: k: is true; it must be a mass above 0 in kg"},
      {"{ \"k\": false }", "f.json: k: is false; it must be a mass above 0 in kg"},
      {"{ \"k\": {} }", "f.json: k: is an object; it must be a mass above 0 in kg"},
      {"{ \"k\": [1, 2] }", "f.json: k: is a list of 2; it must be a mass above 0 in kg"},
  };
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    parsed p;
    parse(&p, cases[i].text);
    double number = 7;
    cr_expect(!read_double(&p.root, "k", &above_zero, &number));
    cr_expect_str_eq(p.error.text, cases[i].error);
    cr_expect_eq(number, 7);
    json_decref(p.value);
  }
}

Test(json_reader, whole_numbers_may_be_written_as_reals) {
  static const quantity any = {"a whole number", -1e6, 1e6};
  parsed p;
  parse(&p, "[3, 3.0, 3e0, 3.5]");
  double number = 0;
  for (size_t i = 0; i < 4; i++) {
    json_place item = place_item(&p.root, i);
    cr_expect_eq(place_get_whole(&item, &any, &number), i < 3);
    cr_expect_eq(number, 3);
  }
  json_decref(p.value);
}

static bool read_item(const void *context, const json_place *place, void *item) {
  static const quantity any = {"a number below 5", -1e6, 5};
  (void)context;
  return place_get_number(place, &any, item);
}

Test(json_reader, a_list_is_read_item_by_item) {
  parsed p;
  parse(&p, "{ \"k\": [1, 2, 3], \"none\": [], \"bad\": [1, 7], \"no\": 1 }");
  json_list list;
  cr_assert(read_list(&p.root, "k", "a list", sizeof(double), read_item, NULL, &list));
  cr_assert_eq(list.count, 3);
  cr_expect_eq(((double *)list.items)[2], 3);
  free(list.items);
  cr_expect(read_list(&p.root, "absent", "a list", sizeof(double), read_item, NULL, &list) &&
            list.count == 0);
  cr_expect(read_list(&p.root, "none", "a list", sizeof(double), read_item, NULL, &list) && list.count == 0);
  cr_expect(!read_list(&p.root, "no", "a list", sizeof(double), read_item, NULL, &list));
  cr_expect_str_eq(p.error.text, "f.json: no: is 1; it must be a list");
  cr_expect(!read_list(&p.root, "bad", "a list", sizeof(double), read_item, NULL, &list));
  cr_expect_str_eq(p.error.text, "f.json: bad[1]: is 7; it must be a number below 5");
  cr_expect(list.items == NULL && list.count == 0);
  json_decref(p.value);
}

Test(json_reader, the_mark_that_some_editors_begin_a_file_with_is_skipped) {
  scene_error error;
  scene *s = load_text("\xef\xbb\xbf{ \"msd\": 1, \"bodies\": [ { \"type\": \"rope\" } ] }", &error);
  cr_expect(s != NULL, "%s", error.text);
  scene_free(s);
  static const char utf16[] = "\xff\xfe{\0}\0";
  write_file("test.json", utf16, sizeof utf16 - 1);
  cr_expect(scene_load("./test.json", &error) == NULL);
  cr_expect_str_eq(error.text, "./test.json: is text in UTF-16; save it as UTF-8");
}

/* Parsed, a file of nested lists takes some eighty times its size. */
Test(json_reader, a_file_too_large_for_memory_is_refused_unread) {
  FILE *file = fopen("large.json", "wb");
  cr_assert(file != NULL && fseek(file, 200 * 1000 * 1000, SEEK_SET) == 0 && fputc('{', file) == '{');
  fclose(file);
  scene_error error;
  cr_expect(scene_load("./large.json", &error) == NULL);
  cr_expect_str_eq(error.text, "./large.json: has 200 MB; a scene file may have 32 MB: put large bodies into "
                               "mesh files (OBJ, PLY, glTF, TetGen)");
}

Test(json_reader, a_pipe_as_scene_file_is_refused_at_once, .timeout = 30) {
  cr_assert(mkfifo("pipe.json", 0600) == 0);
  scene_error error;
  cr_expect(scene_load("./pipe.json", &error) == NULL);
  cr_expect_str_eq(error.text, "./pipe.json: is a pipe; give a scene file");
}
