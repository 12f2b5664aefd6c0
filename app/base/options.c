#include "app/base/options.h"

#include "app/base/help.h"
#include "app/base/message.h"
#include "scenes/input/file_bytes.h"
#include "scenes/input/suggestion.h"

#include <errno.h>
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

bool parse_seconds(const char *text, double *seconds) {
  static const struct {
    const char *unit;
    double seconds;
  } units[] = {{"ms", 1e-3}, {"us", 1e-6}, {"s", 1}, {"", 1}};
  for (size_t n = 0; n < sizeof units / sizeof *units; n++) {
    const size_t length = strlen(text), unit = strlen(units[n].unit);
    char number[64];
    if (length < unit || length - unit >= sizeof number || strcmp(text + length - unit, units[n].unit) != 0)
      continue;
    snprintf(number, sizeof number, "%.*s", (int)(length - unit), text);
    double value;
    if (!parse_number(number, &value))
      return false;
    *seconds = value * units[n].seconds;
    return true;
  }
  return false;
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

option_reader options_begin(const command_line *line, int argc, char **argv) {
  return (option_reader){.line = line, .argc = argc, .argv = argv, .at = 1};
}

/* What other programs call some options. */
static const char *other_name(const command_line *line, const char *word) {
  static const struct {
    const char *word, *option, *text;
  } names[] = {{"fps", "frame-time", "--frame-time, the seconds of a frame"},
               {"dt", "frame-time", "--frame-time"},
               {"timestep", "frame-time", "--frame-time"},
               {"time", "duration", "--duration"},
               {"limit", "clamp-stiffness", "--clamp-stiffness"},
               {"energy", "energy-mode", "--energy-mode"},
               {"weld", "merge-distance", "--merge-distance"},
               {"output", "export", "--export DIR"},
               {"out", "export", "--export DIR"},
               {"cores", "threads", "--threads"},
               {"jobs", "threads", "--threads"},
               {"movie", "video", "--video FILE.mp4"},
               {"image", "png", "--png FILE"},
               {"screenshot", "png", "--png FILE"}};
  for (size_t n = 0; n < sizeof names / sizeof *names; n++)
    for (int i = 0; i < line->option_count && strcmp(word, names[n].word) == 0; i++)
      if (strcmp(line->options[i].name, names[n].option) == 0)
        return names[n].text;
  return NULL;
}

static int refuse_unknown(const option_reader *r, const char *word) {
  const command_line *line = r->line;
  enum { OPTIONS_MAX = 64 };
  const char *names[OPTIONS_MAX + 2] = {"help"};
  for (int i = 0; i < line->option_count && i < OPTIONS_MAX; i++)
    names[i + 1] = line->options[i].name;
  const char *meant = nearest_word(word, names), *other = other_name(line, word);
  if (other != NULL)
    message_error(line->name, "unknown option '--%s'; did you mean %s?", word, other);
  else if (meant != NULL)
    message_error(line->name, "unknown option '--%s'; did you mean '--%s'?", word, meant);
  else
    message_error(line->name, "unknown option '--%s'; 'msd %s --help' shows them all", word, line->name);
  return OPTIONS_BAD;
}

/* The long names that begin with a letter: "--duration, --threads". */
static void list_options_of(const command_line *line, char letter, char *text, size_t size) {
  enum { SHOWN = 4 };
  int shown = 0;
  size_t used = 0;
  text[0] = '\0';
  for (int i = 0; i < line->option_count && shown < SHOWN && used < size; i++)
    if (line->options[i].name[0] == letter)
      used += (size_t)snprintf(text + used, size - used, "%s--%s", shown++ > 0 ? ", " : "",
                               line->options[i].name);
}

/* -o, or -t: there are no short options, since what is short for one today may be short for two tomorrow. */
static int refuse_short(const option_reader *r, const char *token) {
  const command_line *line = r->line;
  char names[160];
  list_options_of(line, token[1], names, sizeof names);
  if (token[1] == 'o' && line->outputs != NULL)
    message_error(line->name, "unknown option '%s'; files are written by %s", token, line->outputs);
  else if (names[0] != '\0')
    message_error(line->name, "unknown option '%s'; options have long names, such as %s", token, names);
  else
    message_error(line->name, "unknown option '%s'; 'msd %s --help' shows all options", token, line->name);
  return OPTIONS_BAD;
}

static int take_option(option_reader *r, const char *token) {
  const command_line *line = r->line;
  char word[256];
  const size_t length = strcspn(token + 2, "=");
  snprintf(word, sizeof word, "%.*s", (int)(length < sizeof word ? length : sizeof word - 1), token + 2);
  if (strcmp(word, "help") == 0) {
    const int style =
        token[2 + length] == '=' ? word_index(token + 2 + length + 1, help_style_names) : HELP_TEXT;
    if (style < 0) {
      message_error(line->name, "'%s': must be --help, or --help=man, bash, zsh or fish", token);
      return OPTIONS_BAD;
    }
    help_print(line, (help_style)style, stdout);
    return OPTIONS_HELP;
  }
  r->option = NULL;
  for (int i = 0; i < line->option_count; i++)
    if (strlen(line->options[i].name) == length && strcmp(line->options[i].name, word) == 0)
      r->option = &line->options[i];
  if (r->option == NULL)
    return refuse_unknown(r, word);
  r->value = token[2 + length] == '=' ? token + 2 + length + 1 : NULL;
  if (r->option->argument == NULL && r->value != NULL) {
    message_error(line->name, "'%s': this option takes no value", token);
    return OPTIONS_BAD;
  }
  if (r->option->argument != NULL && r->value == NULL) {
    if (r->at == r->argc) {
      message_error(line->name, "%s needs a value; 'msd %s --help' says which", token, line->name);
      return OPTIONS_BAD;
    }
    r->value = r->argv[r->at++];
  }
  return r->option->id;
}

static bool take_operand(option_reader *r, const char *token) {
  const command_line *line = r->line;
  if (line->operand == NULL)
    message_error(line->name, "takes no operand, got '%s'", token);
  else if (r->operand != NULL && line->folder == NULL)
    message_error(line->name, "takes one %s, got '%s' and '%s'", line->operand, r->operand, token);
  else if (r->operand != NULL && r->folder != NULL)
    message_error(line->name, "takes one %s and one %s, got '%s' too", line->operand, line->folder, token);
  else {
    *(r->operand == NULL ? &r->operand : &r->folder) = token;
    return true;
  }
  return false;
}

int options_next(option_reader *r) {
  while (r->at < r->argc) {
    const char *token = r->argv[r->at++];
    if (r->no_more_options || token[0] != '-' || token[1] == '\0') {
      if (!take_operand(r, token))
        return OPTIONS_BAD;
    } else if (strcmp(token, "--") == 0) {
      r->no_more_options = true;
    } else if (strcmp(token, "-h") == 0) {
      help_print(r->line, HELP_TEXT, stdout);
      return OPTIONS_HELP;
    } else if (token[1] != '-') {
      return refuse_short(r, token);
    } else {
      return take_option(r, token);
    }
  }
  const command_line *line = r->line;
  const bool has_operand = line->operand == NULL || r->operand != NULL;
  if (has_operand && (line->folder == NULL || r->folder != NULL))
    return OPTIONS_END;
  if (!has_operand && line->of_files)
    message_error(line->name, "needs a %s: a file to read", line->operand);
  else if (!has_operand)
    message_error(line->name, "needs a %s: a file, or a name from 'msd list'", line->operand);
  else
    message_error(line->name, "needs a %s after the %s: the %s to write%s", line->folder, line->operand,
                  line->of_files ? "file" : "folder", line->of_files ? "" : " in");
  return OPTIONS_BAD;
}

bool option_refuse(const option_reader *r, const char *wanted) {
  message_error(r->line->name, "--%s '%s': must be %s", r->option->name, r->value, wanted);
  return false;
}

bool option_accept(const option_reader *r, bool taken, const char *error) {
  if (!taken)
    message_error(r->line->name, "--%s: %s", r->option->name, error);
  return taken;
}

bool option_take_seconds(const option_reader *r, bool zero_allowed, double *seconds) {
  double value;
  if (!parse_seconds(r->value, &value) || value < 0 || (value == 0 && !zero_allowed))
    return option_refuse(r, zero_allowed ? "a number of seconds, 0 or more, such as 5 or 500ms"
                                         : "a number of seconds above 0, such as 0.01 or 10ms");
  *seconds = value;
  return true;
}

bool option_take_count(const option_reader *r, int64_t least, int64_t most, const char *wanted,
                       int64_t *count) {
  return parse_count(r->value, least, most, count) || option_refuse(r, wanted);
}

bool option_take_name(const option_reader *r, const char *const *names, int *index) {
  *index = word_index(r->value, names);
  if (*index >= 0)
    return true;
  char suggestion[SUGGESTION_MAX];
  suggest_word(suggestion, r->value, names);
  message_error(r->line->name, "--%s '%s': unknown; %s", r->option->name, r->value, suggestion);
  return false;
}

bool option_take_file(const option_reader *r, const char *ending, const char **path) {
  char wanted[64];
  snprintf(wanted, sizeof wanted, "a name that ends in %s", ending);
  *path = r->value;
  return file_has_ending(r->value, ending) || option_refuse(r, wanted);
}
