/* What a run says of bodies that pass through themselves or each other. */
#include "tests/support/command.h"

TestSuite(intersection_tally, .init = command_setup, .fini = command_teardown);

/* A level sheet 1 m wide, held at its corners, and a rope of two particles, 0.5 m long, that falls onto a
   triangle of it. In n steps of 1/64 s at 8 m/s^2 it falls by n (n + 1)/1024 m: its lower end passes the
   sheet, 0.125 m below, in frame 11, and its upper end not before the run ends with frame 16. */
static const char FALL[] =
    "{\"msd\": 1, \"gravity\": [0, -8, 0], \"frame_time\": 0.015625, \"substeps\": 1, \"duration\": 0.25, "
    "\"bodies\": [{\"type\": \"cloth\", \"name\": \"sheet\", \"origin\": [0, 0, 0], \"u\": [1, 0, 0], "
    "\"v\": [0, 0, 1], \"columns\": 2, \"rows\": 2, \"mass\": 1, "
    "\"pinned\": [\"top\", \"bottom\"], \"stretch\": {\"stiffness\": 10}}, "
    "{\"type\": \"rope\", \"name\": \"dart\", \"from\": [0.25, %g, 0.5], \"to\": [0.25, %g, 0.5], "
    "\"particles\": 2, \"mass\": 1, \"stretch\": {\"stiffness\": 10}}, "
    "{\"type\": \"particles\", \"name\": \"dust\", \"position\": [[0.5, 0, 0.5], [0.5, 0, 0.6]], "
    "\"mass\": [1, 1], \"springs\": [{\"between\": [0, 1], \"stiffness\": 1}]}]}";

static void write_fall(double from) {
  const char *text = format_text(FALL, from, from + 0.5);
  write_file("fall.json", text, strlen(text));
}

Test(intersection_tally, the_first_frame_and_both_bodies_are_named) {
  write_fall(0.125);
  const command_result o = msd("run fall.json --check-intersections");
  cr_assert_eq(o.status, 0, "%s", o.err);
  static const char *const parts[] = {"intersections", "6 in 6 of 17 frames;", "first in frame 11",
                                      "triangle at cloth \"sheet\" row 0 column 0",
                                      "segment at rope \"dart\""};
  for (int n = 0; n < 5; n++)
    cr_expect(strstr(o.out, parts[n]), "%s: %s", parts[n], o.out);
  cr_expect(strstr(o.err, "warning: fall: intersections: 6 in 6 of 17 frames"), "%s", o.err);
  cr_expect_null(strstr(o.out, "at the start"));
}

Test(intersection_tally, json_has_the_sum_the_frames_and_the_first) {
  write_fall(0.125);
  json_t *summary = parse_json(msd("run fall.json --check-intersections --json").out);
  cr_expect_eq(number_of(summary, "intersections"), 6);
  cr_expect_eq(number_of(summary, "intersections_at_start"), 0);
  cr_expect_eq(number_of(summary, "intersecting_frames"), 6);
  cr_expect_eq(number_of(summary, "first_intersection_frame"), 11);
  cr_expect_str_eq(text_of(summary, "first_intersection_of"), "triangle at cloth \"sheet\" row 0 column 0");
  cr_expect_str_eq(text_of(summary, "first_intersection_with"), "segment at rope \"dart\" particle 0");
}

Test(intersection_tally, the_start_is_a_frame_and_is_told_of) {
  write_fall(-0.25);
  const command_result o = msd("run fall.json --check-intersections --duration 0.03125");
  cr_expect(strstr(o.out, "3 in 3 of 3 frames, 1 at the start;"), "%s", o.out);
  cr_expect(strstr(o.out, "first in frame 0"), "%s", o.out);
  json_t *summary = parse_json(msd("run fall.json --check-intersections --json --duration 0").out);
  cr_expect_eq(number_of(summary, "intersections"), 1);
  cr_expect_eq(number_of(summary, "intersections_at_start"), 1);
}

/* Loose particles have no surface; those of this scene are in the sheet. */
Test(intersection_tally, where_nothing_intersects_nothing_is_warned_of) {
  write_fall(3);
  const command_result o = msd("run fall.json --check-intersections");
  cr_expect_eq(o.status, 0);
  cr_expect(strstr(o.out, "intersections: none in 17 frames"), "%s", o.out);
  cr_expect_null(strstr(o.err, "intersection"), "%s", o.err);
  json_t *summary = parse_json(msd("run fall.json --check-intersections --json").out);
  cr_expect_eq(number_of(summary, "intersections"), 0);
  cr_expect(json_is_null(json_object_get(summary, "first_intersection_frame")));
  cr_expect(json_is_null(json_object_get(summary, "first_intersection_with")));
}

Test(intersection_tally, a_run_that_is_not_asked_does_not_check) {
  write_fall(0.125);
  const command_result o = msd("run fall.json");
  cr_expect_null(strstr(o.out, "intersections"), "%s", o.out);
  cr_expect_null(strstr(o.err, "intersections"), "%s", o.err);
  cr_expect_null(json_object_get(parse_json(msd("run fall.json --json").out), "intersections"));
}

/* The frame that a run goes on from belongs to the part before. */
Test(intersection_tally, parts_of_a_run_count_their_own_frames) {
  write_fall(0.125);
  const char *part = "run fall.json --check-intersections --json ";
  json_t *first = parse_json(msd(format_text("%s --duration 0.203125 --save part", part)).out);
  json_t *rest = parse_json(msd(format_text("%s --duration 0.25 --resume part", part)).out);
  cr_expect_eq(number_of(first, "frames"), 13);
  cr_expect_eq(number_of(first, "intersections"), 3);
  cr_expect_eq(number_of(rest, "intersections"), 3);
  cr_expect_eq(number_of(rest, "first_intersection_frame"), 14);
}

/* The bits of a run are those of one that does not check. */
Test(intersection_tally, a_check_changes_nothing) {
  const json_t *plain = parse_json(msd("run mixed.json --json").out);
  const json_t *checked = parse_json(msd("run mixed.json --json --check-intersections").out);
  cr_expect_str_eq(text_of(plain, "hash"), text_of(checked, "hash"));
}

/* The lower edge of the sheet is led 1 m away in two frames, and tears off: the dart falls through a hole. */
Test(intersection_tally, what_has_torn_intersects_nothing) {
  static const char torn[] =
      "{\"msd\": 1, \"gravity\": [0, -8, 0], \"frame_time\": 0.015625, \"substeps\": 1, \"duration\": 0.25, "
      "\"bodies\": [{\"type\": \"cloth\", \"name\": \"sheet\", \"origin\": [0, 0, 0], \"u\": [1, 0, 0], "
      "\"v\": [0, 0, 1], \"columns\": 2, \"rows\": 2, \"mass\": 1, \"pinned\": [\"top\", \"bottom\"], "
      "\"stretch\": {\"stiffness\": 10%s}}, "
      "{\"type\": \"rope\", \"name\": \"dart\", \"from\": [0.25, 0.125, 0.5], \"to\": [0.25, 0.625, 0.5], "
      "\"particles\": 2, \"mass\": 1, \"stretch\": {\"stiffness\": 10}}], "
      "\"animation\": [{\"particles\": [\"sheet\", \"bottom\"], \"keyframes\": [{\"time\": 0, \"offset\": "
      "[0, 0, "
      "0]}, "
      "{\"time\": 0.03125, \"offset\": [0, 0, 1]}]}]}";
  static const char *const tears[] = {"", ", \"tear_strain\": 0.5"};
  for (int n = 0; n < 2; n++) {
    const char *text = format_text(torn, tears[n]);
    write_file("torn.json", text, strlen(text));
    json_t *summary = parse_json(msd("run torn.json --check-intersections --json").out);
    cr_expect_eq(number_of(summary, "intersections") == 0, n == 1);
    cr_expect_eq(number_of(summary, "torn"), n == 1 ? 2 : 0);
  }
}
