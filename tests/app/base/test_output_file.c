/* app/base/output_file.c */
#include "tests/support/command.h"

#include "app/base/output_file.h"

#include <signal.h>
#include <sys/resource.h>

TestSuite(output_file, .init = command_setup, .fini = command_teardown);

Test(output_file, a_file_appears_only_when_it_is_committed) {
  output_file file;
  problem p;
  cr_assert(output_file_open(&file, in_folder("a"), &p), "%s", p.text);
  fputs("new", file.stream);
  cr_expect(exists("a.part"));
  cr_expect_not(exists("a"));
  cr_expect(output_file_commit(&file, true, &p));
  cr_expect_str_eq(read_text("a"), "new");
  cr_expect_not(exists("a.part"));
}

Test(output_file, a_discarded_file_leaves_the_old_one) {
  write_file("a", "old", 3);
  output_file file;
  problem p;
  cr_assert(output_file_open(&file, in_folder("a"), &p));
  fputs("new", file.stream);
  output_file_discard(&file);
  cr_expect_str_eq(read_text("a"), "old");
  cr_expect_not(exists("a.part"));
}

/* A write that fails: past the limit on the size of files. */
Test(output_file, a_failing_write_is_told_and_leaves_the_old_file) {
  write_file("a", "old", 3);
  output_file file;
  problem p = {""};
  cr_assert(output_file_open(&file, in_folder("a"), &p));
  signal(SIGXFSZ, SIG_IGN);
  const struct rlimit limit = {.rlim_cur = 1000, .rlim_max = RLIM_INFINITY};
  cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
  for (int i = 0; i < 1000; i++)
    fputs("new", file.stream);
  cr_expect_not(output_file_commit(&file, false, &p));
  cr_expect_not_null(strstr(p.text, "a.part"), "%s", p.text);
  cr_expect_str_eq(read_text("a"), "old");
  cr_expect_not(exists("a.part"));
}

/* As many rows as a thread of an export writes at a time. */
Test(output_file, what_is_written_piece_by_piece_goes_to_the_system_in_one) {
  output_file file;
  problem p;
  struct stat status;
  cr_assert(output_file_open(&file, in_folder("a"), &p), "%s", p.text);
  for (int i = 0; i < 10000; i++)
    fputs("0123456789", file.stream);
  cr_assert_eq(fstat(fileno(file.stream), &status), 0);
  cr_expect_eq(status.st_size, 0, "%ld bytes are there", (long)status.st_size);
  cr_assert(output_file_commit(&file, false, &p), "%s", p.text);
  cr_assert_eq(stat(in_folder("a"), &status), 0);
  cr_expect_eq(status.st_size, 100000);
}

static bool is_link(const char *name) {
  struct stat status;
  return lstat(in_folder(name), &status) == 0 && S_ISLNK(status.st_mode);
}

/* Another user who can write in the folder knows the name that the file will have at first. */
Test(output_file, a_link_under_its_name_is_replaced_and_not_followed) {
  write_file("victim", "precious", 8);
  cr_assert_eq(symlink(in_folder("victim"), in_folder("a.part")), 0);
  output_file file;
  problem p = {""};
  cr_assert(output_file_check(in_folder("a"), &p), "%s", p.text);
  cr_assert(output_file_open(&file, in_folder("a"), &p), "%s", p.text);
  fputs("new", file.stream);
  cr_expect_not(is_link("a.part"));
  cr_expect(output_file_commit(&file, false, &p), "%s", p.text);
  cr_expect_str_eq(read_text("a"), "new");
  cr_expect_str_eq(read_text("victim"), "precious");
}

Test(output_file, a_link_is_not_continued) {
  write_file("victim", "precious", 8);
  output_file file;
  bool found;
  for (int hard = 0; hard < 2; hard++) {
    problem p = {""};
    cr_assert_eq((hard ? link : symlink)(in_folder("victim"), in_folder("a.part")), 0);
    cr_expect_not(output_file_continue(&file, in_folder("a"), &found, &p));
    cr_expect_not_null(strstr(p.text, "remove it"), "%s", p.text);
    cr_expect_str_eq(read_text("victim"), "precious");
    unlink(in_folder("a.part"));
  }
}

/* Opening a pipe waits for whoever reads it. */
Test(output_file, a_pipe_in_its_way_is_refused_at_once, .timeout = 20) {
  cr_assert_eq(mkfifo(in_folder("a.part"), 0666), 0);
  output_file file;
  problem p = {""};
  bool found;
  cr_expect_not(output_file_check(in_folder("a"), &p));
  cr_expect_not(output_file_open(&file, in_folder("a"), &p));
  cr_expect_not_null(strstr(p.text, "not an ordinary file"), "%s", p.text);
  cr_expect_not(output_file_continue(&file, in_folder("a"), &found, &p));
  cr_assert_eq(mkfifo(in_folder("b"), 0666), 0);
  cr_expect_not(output_file_continue(&file, in_folder("b"), &found, &p));
}

Test(output_file, two_that_write_one_file_are_told) {
  output_file first, second;
  problem p = {""};
  cr_assert(output_file_open(&first, in_folder("a"), &p));
  cr_assert(output_file_open(&second, in_folder("a"), &p));
  fputs("first", first.stream);
  fputs("second", second.stream);
  cr_expect_not(output_file_commit(&first, false, &p));
  cr_expect_not_null(strstr(p.text, "another run"), "%s", p.text);
  cr_expect(output_file_commit(&second, false, &p), "%s", p.text);
  cr_expect_str_eq(read_text("a"), "second");
}

Test(output_file, what_an_earlier_run_left_is_replaced) {
  write_file("a.part", "left", 4);
  output_file file;
  problem p = {""};
  cr_assert(output_file_check(in_folder("a"), &p), "%s", p.text);
  cr_expect_str_eq(read_text("a.part"), "left");
  cr_assert(output_file_open(&file, in_folder("a"), &p), "%s", p.text);
  cr_expect(output_file_commit(&file, false, &p), "%s", p.text);
  cr_expect_str_eq(read_text("a"), "");
}

Test(output_file, a_finished_file_is_continued_as_a_copy) {
  write_file("a", "abcdef", 6);
  output_file file;
  problem p;
  bool found = false;
  cr_assert(output_file_continue(&file, in_folder("a"), &found, &p));
  cr_expect(found);
  cr_expect(output_file_cut(&file, 3, &p));
  fputs("XY", file.stream);
  cr_expect(output_file_flush(&file, &p));
  cr_expect_str_eq(read_text("a"), "abcdef");
  cr_expect(output_file_commit(&file, false, &p));
  cr_expect_str_eq(read_text("a"), "abcXY");
}

Test(output_file, an_unfinished_file_is_preferred_and_not_removed_when_it_is_no_good) {
  write_file("a", "finished", 8);
  write_file("a.part", "unfinished", 10);
  output_file file;
  problem p;
  bool found = false;
  cr_assert(output_file_continue(&file, in_folder("a"), &found, &p));
  cr_expect(found);
  char text[20] = "";
  cr_expect_not_null(fgets(text, sizeof text, file.stream));
  cr_expect_str_eq(text, "unfinished");
  output_file_discard(&file);
  cr_expect_str_eq(read_text("a.part"), "unfinished");
}

Test(output_file, nothing_to_continue_is_a_new_file) {
  output_file file;
  problem p;
  bool found = true;
  cr_assert(output_file_continue(&file, in_folder("a"), &found, &p));
  cr_expect_not(found);
  output_file_discard(&file);
  cr_expect_not(exists("a.part"));
}

Test(output_file, a_check_leaves_no_trace) {
  problem p = {""};
  cr_expect(output_file_check(in_folder("a"), &p), "%s", p.text);
  cr_expect_not(exists("a"));
  cr_expect_not(exists("a.part"));
  cr_expect_not(output_file_check(command_folder, &p));
  cr_expect_not(output_file_check("", &p));
}

Test(output_file, only_the_last_part_of_a_folder_is_made) {
  problem p = {""};
  cr_expect(output_folder_prepare(in_folder("new"), &p), "%s", p.text);
  cr_expect(exists("new"));
  cr_expect(output_folder_prepare(in_folder("new"), &p), "a folder that is there is fine");
  cr_expect_not(output_folder_prepare(in_folder("no/where"), &p));
  cr_expect_not(output_folder_prepare(in_folder("ball.json"), &p));
}
