/* app/base/output_file.c */
#include "tests/support/command.h"

#include "app/base/output_file.h"

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

Test(output_file, a_failing_write_is_told_and_leaves_the_old_file) {
  if (access("/dev/full", W_OK) != 0)
    cr_skip_test("this system has no /dev/full");
  write_file("a", "old", 3);
  cr_assert_eq(symlink("/dev/full", in_folder("a.part")), 0);
  output_file file;
  problem p = {""};
  cr_assert(output_file_open(&file, in_folder("a"), &p));
  fputs("new", file.stream);
  cr_expect_not(output_file_commit(&file, false, &p));
  cr_expect_not_null(strstr(p.text, "a.part"), "%s", p.text);
  cr_expect_str_eq(read_text("a"), "old");
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
