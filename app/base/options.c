#include "app/base/options.h"

#include "app/base/message.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

bool parse_number(const char *text, double *value) {
  /* strtod skips spaces and takes hexadecimal, "nan" and "inf"; a quantity on a command line is none of
     these. */
  if (*text == '\0' || strspn(text, "+-.0123456789eE") != strlen(text))
    return false;
  char *end;
  double number = strtod(text, &end);
  if (*end != '\0' || !isfinite(number))
    return false;
  *value = number;
  return true;
}

bool parse_count(const char *text, int64_t least, int64_t most, int64_t *value) {
  if (*text == '\0' || strspn(text, "+-0123456789") != strlen(text))
    return false;
  char *end;
  errno = 0;
  long long number = strtoll(text, &end, 10);
  if (*end != '\0' || errno != 0 || number < least || number > most)
    return false;
  *value = number;
  return true;
}

int parse_name(const char *text, const char *const *names, int count) {
  for (int i = 0; i < count; i++) {
    if (strcmp(text, names[i]) == 0)
      return i;
  }
  return -1;
}

enum { NAME_MAX_LETTERS = 63 };

static int least(int a, int b) {
  return a < b ? a : b;
}

static bool same_letter(char a, char b) {
  return tolower((unsigned char)a) == tolower((unsigned char)b);
}

/* The fewest letters inserted, removed, replaced or swapped with their neighbour that turn one word into the
   other (optimal string alignment). */
static int edit_distance(const char *a, const char *b) {
  size_t a_length = strlen(a), b_length = strlen(b);
  if (a_length > NAME_MAX_LETTERS || b_length > NAME_MAX_LETTERS)
    return NAME_MAX_LETTERS;
  int edits[NAME_MAX_LETTERS + 1][NAME_MAX_LETTERS + 1]; /* of the first i letters of a and j of b */
  for (size_t i = 0; i <= a_length; i++)
    edits[i][0] = (int)i;
  for (size_t j = 0; j <= b_length; j++)
    edits[0][j] = (int)j;
  for (size_t i = 1; i <= a_length; i++) {
    for (size_t j = 1; j <= b_length; j++) {
      int replaced = edits[i - 1][j - 1] + !same_letter(a[i - 1], b[j - 1]);
      edits[i][j] = least(replaced, least(edits[i - 1][j], edits[i][j - 1]) + 1);
      if (i > 1 && j > 1 && same_letter(a[i - 1], b[j - 2]) && same_letter(a[i - 2], b[j - 1]))
        edits[i][j] = least(edits[i][j], edits[i - 2][j - 2] + 1);
    }
  }
  return edits[a_length][b_length];
}

const char *nearest_name(const char *text, const char *const *names, int count) {
  const char *nearest = NULL;
  int nearest_distance = 0;
  for (int i = 0; i < count; i++) {
    int distance = edit_distance(text, names[i]);
    if (nearest == NULL || distance < nearest_distance) {
      nearest = names[i];
      nearest_distance = distance;
    }
  }
  return nearest != NULL && nearest_distance * 3 <= (int)strlen(nearest) + 2 ? nearest : NULL;
}

enum { HELP_COLUMN = 26 };

static void print_option(FILE *stream, const char *name, const char *argument, const char *text,
                         const char *initial) {
  int width =
      fprintf(stream, "  --%s%s%s", name, argument != NULL ? " " : "", argument != NULL ? argument : "");
  if (width > HELP_COLUMN - 2) {
    fputc('\n', stream);
    width = 0;
  }
  fprintf(stream, "%*s%s", HELP_COLUMN - width, "", text);
  if (initial != NULL)
    fprintf(stream, " [%s]", initial);
  fputc('\n', stream);
}

void options_help(const command_line *line, FILE *stream) {
  fprintf(stream, "usage: msd %s%s%s [options]\n\n%s\n\noptions, with their defaults in brackets:\n",
          line->name, line->operand != NULL ? " " : "", line->operand != NULL ? line->operand : "",
          line->summary);
  for (int i = 0; i < line->option_count; i++) {
    const option_spec *option = &line->options[i];
    print_option(stream, option->name, option->argument, option->text, option->initial);
  }
  print_option(stream, "help", NULL, "print this and exit", NULL);
  if (line->notes != NULL)
    fprintf(stream, "\n%s\n", line->notes);
}

static void complain_unknown_option(const command_line *line, const char *token) {
  if (strncmp(token, "--", 2) != 0) {
    message_error(line->name, "unknown option '%s'; options are words such as --help", token);
    return;
  }
  const char *names[OPTIONS_MAX + 1];
  int count = 0;
  for (; count < line->option_count; count++)
    names[count] = line->options[count].name;
  names[count++] = "help";

  char word[NAME_MAX_LETTERS + 1];
  snprintf(word, sizeof word, "%.*s", (int)strcspn(token + 2, "="), token + 2);
  const char *meant = nearest_name(word, names, count);
  if (meant != NULL)
    message_error(line->name, "unknown option '--%s'; did you mean '--%s'?", word, meant);
  else
    message_error(line->name, "unknown option '--%s'; 'msd %s --help' shows them all", word, line->name);
}

/* getopt_long also takes an unambiguous beginning of a name; an ambiguous one is reported as unknown. */
int options_next(const command_line *line, int argc, char **argv, const char **value) {
  enum { HELP_ID = 1 << 20 };
  struct option table[OPTIONS_MAX + 2];
  int count = 0;
  for (; count < line->option_count; count++) {
    const option_spec *option = &line->options[count];
    table[count] = (struct option){.name = option->name,
                                   .has_arg = option->argument != NULL ? required_argument : no_argument,
                                   .val = option->id};
  }
  table[count++] = (struct option){.name = "help", .has_arg = no_argument, .val = HELP_ID};
  table[count] = (struct option){.name = NULL};

  opterr = 0;
  int id = getopt_long(argc, argv, ":h", table, NULL);
  *value = optarg;
  switch (id) {
  case -1:
    return OPTIONS_END;
  case 'h':
  case HELP_ID:
    options_help(line, stdout);
    return OPTIONS_HELP;
  case ':':
    message_error(line->name, "%s needs a value; 'msd %s --help' says which", argv[optind - 1], line->name);
    return OPTIONS_BAD;
  case '?':
    if (optopt >= OPTIONS_FIRST_ID)
      message_error(line->name, "'%s': this option takes no value", argv[optind - 1]);
    else if (optopt != 0)
      message_error(line->name, "unknown option '-%c'; options are words such as --help", optopt);
    else
      complain_unknown_option(line, argv[optind - 1]);
    return OPTIONS_BAD;
  default:
    return id;
  }
}

bool options_operand(const command_line *line, int argc, char **argv, const char **operand) {
  int wanted = line->operand != NULL ? 1 : 0;
  *operand = NULL;
  if (argc - optind > wanted) {
    if (wanted == 0)
      message_error(line->name, "takes no operand, got '%s'", argv[optind]);
    else
      message_error(line->name, "takes one %s, got '%s' and '%s'", line->operand, argv[optind],
                    argv[optind + 1]);
    return false;
  }
  if (argc - optind < wanted) {
    message_error(line->name, "needs a %s: a file, or one of the names that 'msd list' shows", line->operand);
    return false;
  }
  if (wanted == 1)
    *operand = argv[optind];
  return true;
}
