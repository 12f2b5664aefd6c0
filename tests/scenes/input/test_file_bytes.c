#define _POSIX_C_SOURCE 200809L
#include "scenes/input/file_bytes.h"

#include "tests/support/scene_text.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

TestSuite(file_bytes, .init = enter_scratch_folder, .fini = leave_scratch_folder, .timeout = 30);

static const file_kind notes = {.what = "a file of notes",
                                .missing_remedy = "write one",
                                .size_remedy = "leave something out",
                                .largest_mb = 0.001};

static void expect_bytes_refused(const char *path, const char *line) {
  scene_error error = {{0}};
  size_t size = 0;
  cr_expect(file_bytes_read(path, &notes, &size, &error) == NULL, "%s was read", path);
  cr_expect_str_eq(error.text, line);
}

Test(file_bytes, a_file_is_read_whole_and_ended) {
  write_file("notes", "ab\0c", 4);
  scene_error error;
  size_t size = 0;
  char *bytes = file_bytes_read("notes", &notes, &size, &error);
  cr_assert(bytes != NULL && size == 4);
  cr_expect(memcmp(bytes, "ab\0c", 5) == 0);
  free(bytes);
}

Test(file_bytes, a_file_of_the_largest_size_is_read_and_a_larger_one_is_not) {
  char bytes[2000] = "";
  write_file("notes", bytes, 1000);
  scene_error error;
  size_t size = 0;
  char *read = file_bytes_read("notes", &notes, &size, &error);
  cr_expect(read != NULL && size == 1000);
  free(read);
  write_file("notes", bytes, 1001);
  expect_bytes_refused("notes",
                       "notes: has 0.001001 MB; a file of notes may have 0.001 MB: leave something out");
}

/* Nobody writes to the pipe: whoever waits for it, waits for ever. */
Test(file_bytes, what_is_no_regular_file_is_refused_at_once) {
  cr_assert(mkfifo("pipe", 0600) == 0 && mkdir("folder", 0700) == 0);
  expect_bytes_refused("pipe", "pipe: is a pipe; give a file of notes");
  expect_bytes_refused("folder", "folder: is a folder; give a file of notes");
  expect_bytes_refused("/dev/zero", "/dev/zero: is a device; give a file of notes");
  expect_bytes_refused("nothing", "nothing: No such file or directory; write one");
  rmdir("folder");
}

Test(file_bytes, the_mark_of_utf8_is_three_bytes_at_the_start) {
  cr_expect_eq(file_mark_length("\xef\xbb\xbf{}", 5), 3);
  cr_expect_eq(file_mark_length("\xef\xbb\xbf", 3), 3);
  cr_expect_eq(file_mark_length("\xef\xbb\xbf", 2), 0);
  cr_expect_eq(file_mark_length("{}", 2), 0);
}

Test(file_bytes, text_is_utf8_without_zero_bytes) {
  scene_error error = {{0}};
  cr_expect(file_check_text("f", "{}", 2, &error));
  cr_expect(!file_check_text("f", "\xff\xfe{\0", 4, &error));
  cr_expect_str_eq(error.text, "f: is text in UTF-16; save it as UTF-8");
  cr_expect(!file_check_text("f", "{\0}", 3, &error));
  cr_expect_str_eq(error.text, "f: holds zero bytes; it must be text");
}

Test(file_bytes, endings_are_told_in_any_case_and_paths_start_at_a_folder) {
  cr_expect(file_has_ending("A.OBJ", ".obj") && !file_has_ending("obj", ".obj"));
  char *beside = file_path_in_folder("there", "a.obj"), *rooted = file_path_in_folder("there", "/a.obj");
  cr_expect_str_eq(beside, "there/a.obj");
  cr_expect_str_eq(rooted, "/a.obj");
  free(beside);
  free(rooted);
}

/* ---------------------------------------------------------------------------------------------- line by
   line */

static const file_kind large_notes = {
    .what = "a file of notes", .missing_remedy = "write one", .size_remedy = "none", .largest_mb = 100};

/* The lines so far, and how often some came. */
typedef struct taken_lines {
  char *text;
  size_t length;
  int times, most_times;
} taken_lines;

static bool take(void *context, char *lines) {
  taken_lines *t = context;
  const size_t length = strlen(lines);
  memcpy(t->text + t->length, lines, length + 1);
  t->length += length;
  memset(lines, 'x', length); /* they may be changed */
  return ++t->times < t->most_times;
}

/* Lines of all lengths up to some thousand bytes, one of megabytes, and some that go on in the next. */
static char *make_lines(size_t *size) {
  char *text = malloc(12000000);
  size_t used = 0;
  for (int line = 0; line < 4000; line++) {
    const size_t length = line == 2222 ? 3000000 : (size_t)(line * 7919 % 3001);
    for (size_t n = 0; n < length; n++)
      text[used++] = (char)('a' + (n + (size_t)line) % 26);
    const char *end = line % 5 == 0 ? "\\\n" : line % 7 == 0 ? "\\\r\n" : line % 3 == 0 ? "\r\n" : "\n";
    memcpy(text + used, end, strlen(end));
    used += strlen(end);
  }
  text[used++] = 'z';
  text[used] = '\0';
  *size = used;
  return text;
}

Test(file_bytes, lines_come_some_at_a_time_and_all_of_them) {
  size_t size;
  char *text = make_lines(&size);
  write_file("notes", text, size);
  scene_error error;
  taken_lines t = {.text = malloc(size + 1), .most_times = 1000};
  cr_assert(file_lines_read("notes", &large_notes, take, &t, &error), "%s", error.text);
  cr_expect(t.length == size && memcmp(t.text, text, size) == 0);
  cr_expect_gt(t.times, 2);
  t = (taken_lines){.text = t.text, .most_times = 2};
  cr_expect_not(file_lines_read("notes", &large_notes, take, &t, &error));
  cr_expect_eq(t.times, 2);
  cr_expect(t.length < size && t.text[t.length - 1] == '\n' && t.text[t.length - 2] != '\\');
  free(t.text);
  free(text);
}

Test(file_bytes, lines_that_are_no_text_are_refused) {
  char text[64];
  scene_error error;
  taken_lines t = {.text = text, .most_times = 9};
  write_file("notes",
             "\xef\xbb\xbf"
             "a\nb",
             6);
  cr_expect(file_lines_read("notes", &large_notes, take, &t, &error));
  cr_expect_str_eq(text, "a\nb");
  write_file("notes", "a\n\0b\n", 5);
  cr_expect_not(file_lines_read("notes", &large_notes, take, &t, &error));
  cr_expect_str_eq(error.text, "notes: holds zero bytes; it must be text");
  write_file("notes",
             "\xff\xfe"
             "a\n",
             4);
  cr_expect_not(file_lines_read("notes", &large_notes, take, &t, &error));
  cr_expect_str_eq(error.text, "notes: is text in UTF-16; save it as UTF-8");
  cr_expect_not(file_lines_read("nothing", &large_notes, take, &t, &error));
  cr_expect_not(file_lines_read(".", &large_notes, take, &t, &error));
  cr_expect_str_eq(error.text, ".: is a folder; give a file of notes");
}
