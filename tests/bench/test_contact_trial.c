#include "bench/contact_speed.h"

#include <criterion/criterion.h>
#include <criterion/redirect.h>

static bool reads(int argc, char **argv, contact_request *out) {
  *out = (contact_request){.seconds = 1, .sides = {25, 50}, .side_count = 2};
  return contact_request_read(argc, argv, out);
}

Test(contact_trial, seconds_come_first_then_sides_then_names) {
  char *all[] = {"0.5", "10", "20", "30", "ring", "yarn"};
  contact_request r;
  cr_expect(reads(0, all, &r) && r.seconds == 1 && r.side_count == 2 && r.name_count == 0);
  cr_expect(reads(1, all, &r) && r.seconds == 0.5 && r.side_count == 2 && r.sides[1] == 50);
  cr_expect(reads(6, all, &r) && r.side_count == 3 && r.sides[2] == 30 && r.name_count == 2);
  cr_expect_str_eq(r.names[1], "yarn");
  cr_expect_eq(contact_request_frames(&r), 30);
  cr_expect(reads(1, all + 4, &r) && r.seconds == 1 && r.name_count == 1, "names alone");
}

Test(contact_trial, what_is_no_time_or_no_side_is_refused) {
  static char *bad[][2] = {{"0", "25"},  {"-1", "25"}, {"1s", "25"},  {"1e6", "25"},
                           {"1", "25x"}, {"1", "1"},   {"1", "1001"}, {"ring", "25"}};
  contact_request r;
  for (size_t n = 0; n < sizeof bad / sizeof *bad; n++)
    cr_expect_not(reads(2, bad[n], &r), "%s %s", bad[n][0], bad[n][1]);
}

static bool passes(contact_kind kind, bool has_surfaces, int frames) {
  const contact_case c = {"scene", kind, 12, 12, 0, frames};
  contact_scene s;
  cr_assert_eq(contact_open(&s, &c, 1, has_surfaces), MSD_OK);
  const contact_trial t = contact_trial_of(&s, &c);
  const bool passed = contact_trial_run(&t, 0, frames);
  contact_close(&s);
  return passed;
}

/* The sheets are 0.3 m apart and meet at 30 m/s after 10 ms. */
Test(contact_trial, what_passes_through_something_fails_and_what_is_kept_apart_does_not,
     .init = cr_redirect_stdout) {
  cr_expect(passes(CONTACT_HIT, true, 2));
  cr_redirect_stderr();
  cr_expect_not(passes(CONTACT_HIT, false, 2));
}
