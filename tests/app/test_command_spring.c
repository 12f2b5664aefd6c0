/* msd spring */
#include "tests/support/command.h"

#include <math.h>

TestSuite(command_spring, .init = command_setup, .fini = command_teardown);

static const char *const kinds[] = {"damper",   "spring",   "critical",  "double", "timed",
                                    "velocity", "tracking", "character", "angle"};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* The rows of the table it prints: time, exact and four rates. */
static int read_rows(const char *out, double rows[][6], int most) {
  int count = 0;
  for (const char *line = out; line != NULL && count < most; line = strchr(line, '\n')) {
    line += *line == '\n';
    double *r = rows[count];
    if (sscanf(line, "%lf %lf %lf %lf %lf %lf", &r[0], &r[1], &r[2], &r[3], &r[4], &r[5]) == 6)
      count++;
  }
  return count;
}

Test(command_spring, every_kind_prints_a_table_of_numbers) {
  for (int i = 0; i < KINDS; i++) {
    command_result result = msd("spring --kind %s", kinds[i]);
    double rows[64][6];
    cr_expect_eq(result.status, 0, "%s: %s", kinds[i], result.err);
    cr_expect_eq(read_rows(result.out, rows, 64), 21, "%s", kinds[i]);
    cr_expect_null(strstr(result.out, "nan"), "%s", kinds[i]);
  }
}

Test(command_spring, a_critical_response_is_the_textbook_formula) {
  command_result result = msd("spring --kind critical --halflife 0.2 --from 3 --goal 1 --duration 1");
  double rows[64][6];
  const int count = read_rows(result.out, rows, 64);
  cr_assert_eq(count, 21);
  for (int i = 0; i < count; i++) {
    const double u = 2 * log(2) / 0.2 * rows[i][0];
    cr_expect_float_eq(rows[i][1], 1 + 2 * (1 + u) * exp(-u), 6e-6);
  }
}

/* Stiffness dt^2 + 2 damping dt is above 4 at 15 and 30 Hz, and below at 60 and 144. */
Test(command_spring, naive_springs_blow_up_where_theory_says) {
  command_result result = msd("spring --kind critical --halflife 0.05 --duration 3");
  double rows[64][6];
  const int count = read_rows(result.out, rows, 64);
  const double *last = rows[count - 1];
  cr_expect(fabs(last[2]) > 1e3 && fabs(last[3]) > 1e3);
  cr_expect(fabs(last[1] - 1) < 1e-4 && fabs(last[4] - 1) < 1e-4 && fabs(last[5] - 1) < 1e-4);
}

Test(command_spring, csv_has_every_frame_of_every_rate) {
  cr_assert_eq(msd("spring --duration 2 --csv out.csv").status, 0);
  const char *text = read_text("out.csv");
  cr_expect_eq(strncmp(text, "formula,rate,time,x,v\n", 22), 0);
  int frames[200] = {0};
  for (const char *line = strchr(text, '\n') + 1; *line != '\0'; line = strchr(line, '\n') + 1) {
    char formula[8];
    double rate, time, x, v;
    cr_assert_eq(sscanf(line, "%5[a-z],%lf,%lf,%lf,%lf", formula, &rate, &time, &x, &v), 5);
    frames[(int)rate]++;
  }
  cr_expect(frames[15] == 31 && frames[30] == 61 && frames[60] == 121 && frames[144] == 289 &&
            frames[0] == 361);
  cr_expect(!exists("out.csv.part"));
}

static bool gnuplot_is_here(void) {
  return system("command -v gnuplot >/dev/null 2>&1") == 0;
}

Test(command_spring, plots_are_whole_pictures) {
  if (!gnuplot_is_here())
    return;
  command_result svg = msd("spring --plot \"it's a plot.svg\""),
                 png = msd("spring --kind damper --plot plot.png");
  cr_assert_eq(svg.status, 0, "%s", svg.err);
  cr_assert_eq(png.status, 0, "%s", png.err);
  const char *text = read_text("it's a plot.svg");
  cr_expect_not_null(strstr(text, "<svg"));
  cr_expect_not_null(strstr(text, "</svg>"));
  cr_expect_eq(memcmp(read_bytes("plot.png", NULL), "\x89PNG", 4), 0);
  cr_expect(!exists("plot.png.part"));
}

Test(command_spring, a_missing_gnuplot_is_named_and_nothing_is_left) {
  const char *line = format_text("cd '%s' && PATH=/nonexistent '%s' spring --plot p.svg >.out 2>.err",
                                 command_folder, MSD_COMMAND);
  cr_expect_eq(exit_status(system(line)), 3);
  const char *err = read_text(".err");
  cr_expect_not_null(strstr(err, "gnuplot, which is not installed"), "%s", err);
  cr_expect_eq(count_lines(err), 1);
  cr_expect(!exists("p.svg") && !exists("p.svg.part"));
}

Test(command_spring, bad_input_is_one_line_and_status_2) {
  expect_refused(msd("spring --kind dumper"), 2, "did you mean \"damper\"");
  expect_refused(msd("spring --kind 7"), 2, "known here: damper");
  expect_refused(msd("spring --halflife 0 --kind damper"), 2, "--halflife '0'");
  expect_refused(msd("spring --frequency nan"), 2, "--frequency 'nan'");
  expect_refused(msd("spring --ratio -1"), 2, "--ratio '-1'");
  expect_refused(msd("spring --stiffness 5"), 2, "one pair");
  expect_refused(msd("spring --stiffness 5 --ratio 1"), 2, "one pair");
  expect_refused(msd("spring --ratio 0 --halflife 1"), 2, "infinitely stiff");
  expect_refused(msd("spring --speed 5"), 2, "--speed: has no meaning for --kind spring");
  expect_refused(msd("spring --kind damper --ratio 1"), 2, "--ratio: has no meaning");
  expect_refused(msd("spring --plot p.pdf"), 2, ".svg or a .png");
  expect_refused(msd("spring --csv nowhere/a.csv"), 2, "nowhere");
  expect_refused(msd("spring --duration 1e9"), 2, "--duration");
  expect_refused(msd("spring extra"), 2, "extra");
  expect_refused(msd("spring --nonsense"), 2, "unknown option");
}

Test(command_spring, all_descriptions_of_one_spring_give_one_response) {
  const char *pairs[] = {"--frequency 1 --ratio 0.5",
                         "--stiffness 39.478417604357434 --damping 6.283185307179586",
                         "--period 1 --bounce 0.5", "--frequency 1 --halflife 0.44127120030530319",
                         "--ratio 0.5 --halflife 0.44127120030530319"};
  double want[64][6], rows[64][6];
  cr_assert_eq(read_rows(msd("spring %s", pairs[0]).out, want, 64), 21);
  for (int i = 1; i < 5; i++) {
    cr_assert_eq(read_rows(msd("spring %s", pairs[i]).out, rows, 64), 21);
    for (int k = 0; k < 21; k++)
      cr_expect_float_eq(rows[k][1], want[k][1], 2e-5, "%s", pairs[i]);
  }
}
