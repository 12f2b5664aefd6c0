/* msd bench: what it prints, on the smallest network and with no time taken. */
#include "tests/support/command.h"

TestSuite(command_bench, .init = command_setup, .fini = command_teardown);

#define SHORT "bench --case 32x32 --samples 1 --seconds 1e-5 "

/* Columns of a line of comma-separated values. */
static int columns_of(const char *line) {
  int columns = 1;
  for (; *line != '\0' && *line != '\n'; line++)
    columns += *line == ',';
  return columns;
}

Test(command_bench, csv_has_a_row_per_thread_count_and_as_many_columns_as_names) {
  const command_result result = msd(SHORT "--csv");
  cr_assert_eq(result.status, 0, "%s", result.err);
  const char *row = result.out;
  int rows = 0;
  for (; row && *row != '\0'; rows++) {
    cr_expect_eq(columns_of(row), columns_of(result.out), "%s", row);
    row = strchr(row, '\n');
    row = row ? row + 1 : NULL;
  }
  cr_expect_eq(rows, 3);
  cr_expect_not_null(strstr(result.out, ",right,"));
}

Test(command_bench, json_has_the_machine_and_each_network) {
  json_t *all = parse_json(msd(SHORT "--json").out);
  json_t *networks = json_object_get(all, "networks"), *machine = json_object_get(all, "machine");
  cr_assert_eq(json_array_size(networks), 1);
  cr_assert_eq(json_array_size(machine), 2);
  json_t *cloth = json_array_get(networks, 0);
  cr_expect_eq(number_of(cloth, "particles"), 1024);
  cr_expect(json_is_true(json_object_get(cloth, "hash_is_right")));
  json_t *way = json_array_get(json_object_get(cloth, "msd"), 0);
  const double bytes = number_of(way, "bytes_per_second"),
               triad = number_of(json_array_get(machine, 0), "triad_bytes_per_second");
  cr_expect_float_eq(number_of(way, "memory_share"), bytes / triad, 1e-6 * bytes / triad);
}

Test(command_bench, table_compares_with_the_textbook_and_names_what_is_missing) {
  const command_result result = msd(SHORT "--compare");
  cr_expect_eq(result.status, 0, "%s", result.err);
  cr_expect_not_null(strstr(result.out, "textbook"));
  const char *const peers[] = {"bullet", "lammps", "chipmunk"};
  for (int p = 0; p < 3; p++)
    cr_expect(strstr(result.out, peers[p]) || strstr(result.err, peers[p]), "%s", peers[p]);
}

Test(command_bench, prints_the_verdict_first_and_all_columns_on_request) {
  const command_result result = msd(SHORT), details = msd(SHORT "--details");
  cr_assert_eq(result.status, 0, "%s", result.err);
  cr_expect_eq(strncmp(result.out, "msd bench: all results are correct; up to ", 42), 0, "%s", result.out);
  cr_expect_leq(count_lines(result.out), 12, "%s", result.out);
  cr_expect_not_null(strstr(result.out, "32x32"));
  cr_expect_not_null(strstr(details.out, "GFLOP/s"));
}

Test(command_bench, plot_is_a_picture) {
  const command_result result = msd(SHORT "--plot %s", in_folder("speed.svg"));
  if (result.status == 1 && strstr(result.err, "gnuplot, which is not installed"))
    cr_skip_test("gnuplot is not installed");
  cr_assert_eq(result.status, 0, "%s", result.err);
  cr_expect_not_null(strstr(read_text("speed.svg"), "springs/s"));
}

Test(command_bench, bad_options_are_told_before_anything_runs) {
  const command_result plot = msd("bench --plot speed.pdf"), name = msd("bench --case no_such");
  cr_expect_eq(plot.status, 2);
  cr_expect_not_null(strstr(plot.err, ".svg"));
  cr_expect_eq(name.status, 2);
  cr_expect_not_null(strstr(name.err, "no_such"));
}
