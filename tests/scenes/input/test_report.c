#include "scenes/input/report.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static const char *const words[] = {"stiffness", "damping", "frequency", NULL};

Test(report, an_error_is_one_line_whatever_is_in_it) {
  scene_error error;
  cr_expect(!report(&error, "file \"%s\"", "a\nb\tc\x7f"));
  cr_expect_str_eq(error.text, "file \"a?b?c?\"");
}

Test(report, a_long_error_is_cut_and_ended) {
  char text[3 * SCENE_ERROR_MAX];
  memset(text, 'x', sizeof text);
  text[sizeof text - 1] = '\0';
  scene_error error;
  report(&error, "%s", text);
  cr_expect_eq(strlen(error.text), SCENE_ERROR_MAX - 1);
}

Test(report, a_slip_of_the_keyboard_gets_the_word_that_was_meant) {
  static const struct {
    const char *word, *meant;
  } slips[] = {{"stifness", "stiffness"}, {"dampng", "damping"},      {"dampign", "damping"},
               {"Damping", "damping"},    {"frequenzy", "frequency"}, {"damping_", "damping"}};
  for (size_t i = 0; i < sizeof slips / sizeof slips[0]; i++) {
    char text[SUGGESTION_MAX], expected[80];
    report_suggestion(text, slips[i].word, words);
    snprintf(expected, sizeof expected, "did you mean \"%s\"?", slips[i].meant);
    cr_expect_str_eq(text, expected);
  }
}

Test(report, a_word_like_none_gets_them_all) {
  char text[SUGGESTION_MAX];
  report_suggestion(text, "xyz", words);
  cr_expect_str_eq(text, "known here: stiffness, damping, frequency");
}

Test(report, suggestions_for_a_long_word_or_from_no_words_stay_in_bounds) {
  char text[SUGGESTION_MAX], longest[5000];
  memset(longest, 'a', sizeof longest);
  longest[sizeof longest - 1] = '\0';
  report_suggestion(text, longest, words);
  cr_expect(strlen(text) < SUGGESTION_MAX);
  const char *const none[] = {NULL};
  report_suggestion(text, "", none);
  cr_expect(strlen(text) < SUGGESTION_MAX);
  const char *const many[] = {longest, longest, longest, longest, longest, longest,
                              longest, longest, longest, longest, NULL};
  report_suggestion(text, "b", many);
  cr_expect(strlen(text) < SUGGESTION_MAX);
}
