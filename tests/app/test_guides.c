/* The manual page and the completion of shells say what --help says. */
#include "app/base/help.h"
#include "app/commands.h"
#include "tests/support/command.h"

TestSuite(guides, .init = command_setup, .fini = command_teardown);

#define COMMAND_NAME(name, summary) #name,
static const char *const commands[] = {COMMANDS(COMMAND_NAME) NULL};
#undef COMMAND_NAME

/* How each style writes an option. */
static const struct {
  const char *style, *before;
} styles[] = {{"man", "\n.B \\-\\-"}, {"bash", "--"}, {"zsh", "'--"}, {"fish", " -l "}};

enum { STYLES = sizeof styles / sizeof *styles };

/* The name as the style writes it; roff has its hyphens behind backslashes. */
static char *written(int style, const char *name, size_t length) {
  char text[128], *end = text + snprintf(text, sizeof text, "%s", styles[style].before);
  for (size_t i = 0; i < length; i++) {
    if (style == 0 && name[i] == '-')
      *end++ = '\\';
    *end++ = name[i];
  }
  *end = '\0';
  return format_text("%s", text);
}

/* The part of a command. */
static const char *part_of(const char *guide, int style, const char *command) {
  char begin[64];
  snprintf(begin, sizeof begin,
           style == 0  ? "\n.SS msd %s"
           : style < 3 ? "\n  %s)\n"
                       : "seen_subcommand_from %s'",
           command);
  return strstr(guide, begin);
}

Test(guides, have_every_option_of_every_command) {
  int seen = 0;
  for (int s = 0; s < STYLES; s++) {
    const char *guide = msd("--help=%s", styles[s].style).out;
    for (int c = 0; commands[c] != NULL; c++) {
      const char *part = part_of(guide, s, commands[c]);
      cr_assert(part != NULL, "%s of %s", styles[s].style, commands[c]);
      const char *help = msd("%s --help", commands[c]).out;
      for (const char *at = help; (at = strstr(at, "\n  --")) != NULL; seen++) {
        at += strlen("\n  --");
        char *option = written(s, at, strcspn(at, " \n"));
        const char *found = strstr(part, option);
        cr_expect(found != NULL, "%s: no %s of %s", styles[s].style, option, commands[c]);
      }
    }
  }
  cr_expect_gt(seen, STYLES * 60);
}

Test(guides, of_an_unknown_style_are_refused) {
  expect_refused(msd("--help=csh"), 2, "man, bash, zsh or fish");
  expect_refused(msd("run --help=csh"), 2, "man, bash, zsh or fish");
  cr_expect_str_eq(msd("info --help").out, msd("info --help=text").out);
}

/* -------------------------------------------------------------------------------------------------- words */

static const char *words_of(const char *argument, const char *text) {
  static char words[64];
  const option_spec option = {OPTIONS_FIRST_ID, "x", argument, text, NULL};
  cr_assert(help_words(&option, words, sizeof words));
  return words;
}

Test(guides, words_of_an_option_are_those_that_its_text_lists) {
  cr_expect_str_eq(words_of("NAME", "of --export: obj, ply, vtk, vtu or pc2"), "obj ply vtk vtu pc2");
  cr_expect_str_eq(words_of("NAME", "none, or coefficients: soften springs"), "none coefficients");
  cr_expect_str_eq(words_of("NAME", "explicit_euler or rk4"), "explicit_euler rk4");
  cr_expect_str_eq(words_of("NAME", "which spring; the kinds are below"), "");
  cr_expect_str_eq(words_of("FILE", "a, b or c"), "");
  cr_expect_str_eq(words_of(NULL, "a, b or c"), "");
  const option_spec many = {OPTIONS_FIRST_ID, "x", "NAME", "alpha, beta or gamma", NULL};
  char words[16];
  cr_expect_not(help_words(&many, words, sizeof words));
}

/* Each word that the completion of a run offers is taken. */
Test(guides, offer_words_that_are_taken) {
  const char *guide = part_of(msd("--help=bash").out, 1, "run"), *end = strstr(guide, "esac");
  int seen = 0;
  for (const char *at = guide; (at = strstr(at, "_msd_words '")) != NULL && at < end;) {
    const char *option = at;
    while (option[-1] != '-' || option[-2] != '-')
      option--;
    const int option_length = (int)strcspn(option, ")");
    for (at += strlen("_msd_words '"); *at != '\''; at += *at == ' ') {
      const int length = (int)strcspn(at, " '");
      const command_result result =
          msd("run rope.json --duration 0 --export x --%.*s %.*s", option_length, option, length, at);
      cr_expect_null(strstr(result.err, "unknown"), "%s", result.err);
      at += length;
      seen++;
    }
  }
  cr_expect_geq(seen, 5 + 2 + 4 + 5 + 6);
}

/* --------------------------------------------------------------------------------------------------- bash */

/* What is offered behind these words, of which the last may be begun, on one line. */
static const char *offered(const char *words) {
  static char line[4096];
  char *command = format_text("PATH='%.*s':$PATH; . <(msd --help=bash); COMP_WORDS=(%s); "
                              "COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _msd; echo \"${COMPREPLY[*]}\"",
                              (int)(strrchr(MSD_COMMAND, '/') - MSD_COMMAND), MSD_COMMAND, words);
  write_file("complete.sh", command, strlen(command));
  FILE *bash = popen(format_text("cd '%s' && bash complete.sh", in_folder("")), "r");
  cr_assert(bash != NULL);
  const size_t size = fread(line, 1, sizeof line - 1, bash);
  cr_assert_eq(pclose(bash), 0);
  line[size > 0 ? size - 1 : 0] = '\0';
  return line;
}

Test(guides, complete_in_bash) {
  cr_expect_str_eq(offered("msd in"), "info");
  cr_expect_str_eq(offered("msd run --form"), "--format");
  cr_expect_str_eq(offered("msd run --format v"), "vtk vtu");
  cr_expect_str_eq(offered("msd run --format = p"), "ply pc2");
  cr_expect_str_eq(offered("msd run rope.j"), "rope.json");
  cr_expect_str_eq(offered("msd run --duration 1"), "");
  cr_expect_str_eq(offered("msd list x"), "");
  cr_expect_str_eq(offered("msd mesh rope.j"), "rope.json");
  cr_expect_str_eq(offered("msd info --"), "--details --json --estimate --help");
}

Test(guides, complete_names_of_scenes) {
  setenv("MSD_SCENES", MSD_TEST_SCENES, 1);
  cr_expect_str_eq(offered("msd view wrecking_b"), "wrecking_ball");
}
