/* Mass redistribution in msd info and msd run. */
#include "tests/support/command.h"

TestSuite(mass_redistribution_report, .init = command_setup, .fini = command_teardown);

/* Two triangles, and one that is split near a corner of it. */
static const char SHEET[] =
    "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nv 0.01 0.01 0\nf 1 2 5\nf 2 3 5\nf 3 1 5\nf 2 4 3\n";

static void write_scene(const char *settings) {
  const char *text =
      format_text("{\"msd\": 1, \"duration\": 0.1, \"bodies\": [{\"type\": \"mesh\", \"file\": "
                  "\"sheet.obj\", \"stretch\": {\"stiffness\": 1e4}%s}]}",
                  settings);
  write_file("sheet.obj", SHEET, sizeof SHEET - 1);
  write_file("sheet.json", text, strlen(text));
}

Test(mass_redistribution_report, prints_its_effect_in_one_line) {
  write_scene(", \"mass_redistribution\": 0.05");
  const json_t *made = json_object_get(parse_json(msd("info sheet.json --json").out), "mass_redistribution");
  cr_assert(json_is_object(made));
  const double before = number_of(made, "substeps_before"), after = number_of(made, "substeps_after");
  cr_expect_lt(after, before);
  cr_expect_eq(number_of(made, "particles"), 5);
  cr_expect_float_eq(number_of(made, "mass"), 1, 1e-6);
  cr_expect_leq(number_of(made, "moved"), 0.05);
  const char *line = format_text("%.3g %% of the vertices made heavier, at most %.3g times, "
                                 "%.1f %% of the mass moved, %g -> %g substeps\n",
                                 20 * number_of(made, "heavier"), number_of(made, "largest_factor"),
                                 100 * number_of(made, "moved") / number_of(made, "mass"), before, after);
  const char *info = msd("info sheet.json --details").out, *run = msd("run sheet.json --details").out;
  cr_expect_not_null(strstr(info, line), "%s is not in %s", line, info);
  cr_expect_not_null(strstr(run, line), "%s is not in %s", line, run);
  const json_t *summary = parse_json(msd("run sheet.json --json").out);
  cr_expect_eq(number_of(summary, "substeps"), after);
  cr_expect_eq(number_of(json_object_get(summary, "mass_redistribution"), "substeps_after"), after);
}

Test(mass_redistribution_report, says_where_it_saves_nothing) {
  write_scene(", \"mass_redistribution\": 1e-9");
  const char *info = msd("info sheet.json --details").out;
  cr_expect_not_null(strstr(info, "  redistribution    none: it would not reduce the "), "%s", info);
}

Test(mass_redistribution_report, says_where_no_substeps_are_stable) {
  write_scene(", \"mass_redistribution\": 1e-9, \"area_density\": 1e-17, \"bend\": {\"stiffness\": 1e17}");
  const char *info = msd("info sheet.json --details").out;
  cr_expect_not_null(strstr(info, "  redistribution    none: no number of substeps is stable\n"), "%s", info);
}

Test(mass_redistribution_report, prints_nothing_of_scenes_without_it) {
  write_scene("");
  cr_expect_null(strstr(msd("info sheet.json --details").out, "redistribution"));
  cr_expect(
      json_is_null(json_object_get(parse_json(msd("info sheet.json --json").out), "mass_redistribution")));
}
