#include "scenes/input/suggestion.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static const char *const words[] = {"stiffness", "damping", "frequency", NULL};

Test(suggestion, a_word_is_found_only_where_it_is_the_same) {
  cr_expect_eq(word_index("frequency", words), 2);
  cr_expect_eq(word_index("frequenc", words), -1);
  cr_expect_eq(word_index("", words), -1);
}

Test(suggestion, a_slip_of_the_keyboard_gets_the_word_that_was_meant) {
  static const struct {
    const char *word, *meant;
  } slips[] = {{"stifness", "stiffness"}, {"dampng", "damping"},      {"dampign", "damping"},
               {"Damping", "damping"},    {"frequenzy", "frequency"}, {"damping_", "damping"}};
  for (size_t i = 0; i < sizeof slips / sizeof slips[0]; i++) {
    char text[SUGGESTION_MAX], expected[80];
    suggest_word(text, slips[i].word, words);
    snprintf(expected, sizeof expected, "did you mean \"%s\"?", slips[i].meant);
    cr_expect_str_eq(text, expected);
  }
}

Test(suggestion, letters_that_changed_places_are_one_slip) {
  const char *const commands[] = {"run", "info", "list", "stability", NULL}, *const none[] = {NULL};
  cr_expect_str_eq(nearest_word("rnu", commands), "run");
  cr_expect_str_eq(nearest_word("inof", commands), "info");
  cr_expect_str_eq(nearest_word("LIST", commands), "list");
  cr_expect_str_eq(nearest_word("stabilty", commands), "stability");
  cr_expect_null(nearest_word("xyzzy", commands));
  cr_expect_null(nearest_word("", commands));
  cr_expect_null(nearest_word("run", none));
}

Test(suggestion, a_part_of_a_word_means_the_whole) {
  const char *const keys[] = {"velocity", "position", "area_density", "time_step", "step_time_x", NULL};
  cr_expect_str_eq(nearest_word("density", keys), "area_density");
  cr_expect_str_eq(nearest_word("step", keys), "time_step");
  cr_expect_str_eq(nearest_word("time", keys), "time_step");
  cr_expect_str_eq(nearest_word("velocit", keys), "velocity");
  cr_expect_null(nearest_word("den", keys));
}

Test(suggestion, a_word_like_none_gets_them_all) {
  char text[SUGGESTION_MAX];
  suggest_word(text, "xyz", words);
  cr_expect_str_eq(text, "known here: stiffness, damping, frequency");
}

Test(suggestion, cuts_a_long_list_to_the_most_similar_words) {
  char text[SUGGESTION_MAX];
  const char *const many[] = {"alpha",   "beta", "gamma", "delta",  "epsilon", "zeta", "eta",
                              "theta",   "iota", "kappa", "lambda", "mu",      "nu",   "xi",
                              "omicron", "pi",   "rho",   "sigma",  "tau",     NULL};
  suggest_word(text, "qqqqq", many);
  cr_expect_not_null(strstr(text, " and 13 more"), "%s", text);
}

Test(suggestion, suggestions_for_a_long_word_or_from_no_words_stay_in_bounds) {
  char text[SUGGESTION_MAX], longest[5000];
  memset(longest, 'a', sizeof longest);
  longest[sizeof longest - 1] = '\0';
  suggest_word(text, longest, words);
  cr_expect(strlen(text) < SUGGESTION_MAX);
  const char *const none[] = {NULL};
  suggest_word(text, "", none);
  cr_expect(strlen(text) < SUGGESTION_MAX);
  const char *const many[] = {longest, longest, longest, longest, longest, longest,
                              longest, longest, longest, longest, NULL};
  suggest_word(text, "b", many);
  cr_expect(strlen(text) < SUGGESTION_MAX);
}
