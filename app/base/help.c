#include "app/base/help.h"

#include <ctype.h>
#include <string.h>

const char *const help_style_names[] = {"text", "man", "bash", "zsh", "fish", NULL};

static const option_spec help_option = {0, "help", NULL, "print this and exit", NULL};

/* All options and, last, --help. */
static const option_spec *option_at(const command_line *line, int i) {
  return i < line->option_count ? &line->options[i] : &help_option;
}

/* ---------------------------------------------------------------------------------------------------- text */

enum { HELP_COLUMN = 26 };

static void print_option(FILE *stream, const option_spec *o) {
  int width = fprintf(stream, "  --%s%s%s", o->name, o->argument != NULL ? " " : "",
                      o->argument != NULL ? o->argument : "");
  if (width > HELP_COLUMN - 2) {
    fputc('\n', stream);
    width = 0;
  }
  fprintf(stream, "%*s%s", HELP_COLUMN - width, "", o->text);
  if (o->initial != NULL)
    fprintf(stream, " [%s]", o->initial);
  fputc('\n', stream);
}

static void print_usage(const command_line *line, FILE *stream) {
  fprintf(stream, "msd %s", line->name);
  if (line->operand != NULL)
    fprintf(stream, " %s", line->operand);
  if (line->folder != NULL)
    fprintf(stream, " %s", line->folder);
  fputs(" [options]", stream);
}

/* The heading that an option begins; NULL: it begins none. */
static const char *heading_of(const command_line *line, const option_spec *o) {
  for (const option_group *g = line->groups; g != NULL && g->name != NULL; g++)
    if (g->first_id == o->id)
      return g->name;
  return line->groups != NULL && o == &help_option ? "Help" : NULL;
}

static void print_text(const command_line *line, FILE *stream) {
  fputs("usage: ", stream);
  print_usage(line, stream);
  fprintf(stream, "\n\n%s\n", line->summary);
  fprintf(stream, line->groups != NULL ? "\nDefaults are in brackets.\n"
                                       : "\noptions, with their defaults in brackets:\n");
  for (int i = 0; i <= line->option_count; i++) {
    const option_spec *o = option_at(line, i);
    if (heading_of(line, o) != NULL)
      fprintf(stream, "\n%s:\n", heading_of(line, o));
    print_option(stream, o);
  }
  if (line->notes != NULL)
    fprintf(stream, "\n%s\n", line->notes);
  if (line->examples != NULL)
    fprintf(stream, "\nExamples:\n%s\n", line->examples);
}

/* --------------------------------------------------------------------------------------------- manual page */

void help_print_roff(const char *text, FILE *stream) {
  bool at_start = true;
  for (; *text != '\0'; text++) {
    if (at_start && (*text == '.' || *text == '\''))
      fputs("\\&", stream);
    if (*text == '-')
      fputs("\\-", stream);
    else if (*text == '\\')
      fputs("\\e", stream);
    else
      fputc(*text, stream);
    at_start = *text == '\n';
  }
}

/* Lines that are set in stay as they are; of the others those go on in the next that do not end a sentence. */
static void print_notes(const char *notes, FILE *stream) {
  bool is_set_in = false, goes_on = true;
  char one[256];
  for (const char *at = notes; *at != '\0'; at += *at == '\n') {
    const size_t length = strcspn(at, "\n");
    const bool set_in = *at == ' ' || *at == '\t';
    if (set_in != is_set_in)
      fputs(set_in ? ".nf\n" : ".fi\n", stream);
    else if (!set_in && !goes_on && length > 0)
      fputs(".br\n", stream);
    if (length == 0)
      fputs(".PP\n", stream);
    snprintf(one, sizeof one, "%.*s", (int)length, at);
    help_print_roff(one, stream);
    if (length > 0)
      fputc('\n', stream);
    goes_on = length == 0 || strchr(".:", at[length - 1]) == NULL;
    is_set_in = set_in;
    at += length;
  }
  if (is_set_in)
    fputs(".fi\n", stream);
}

static void print_man(const command_line *line, FILE *stream) {
  fputs(".SS ", stream);
  print_usage(line, stream);
  fputc('\n', stream);
  help_print_roff(line->summary, stream);
  fputc('\n', stream);
  for (int i = 0; i <= line->option_count; i++) {
    const option_spec *o = option_at(line, i);
    if (heading_of(line, o) != NULL)
      fprintf(stream, ".PP\n.I %s\n", heading_of(line, o));
    fputs(".TP\n.B \\-\\-", stream);
    help_print_roff(o->name, stream);
    if (o->argument != NULL) {
      fputs(" \\fI", stream);
      help_print_roff(o->argument, stream);
      fputs("\\fR", stream);
    }
    fputc('\n', stream);
    help_print_roff(o->text, stream);
    if (o->initial != NULL) {
      fputs(" [", stream);
      help_print_roff(o->initial, stream);
      fputc(']', stream);
    }
    fputc('\n', stream);
  }
  if (line->notes != NULL) {
    fputs(".PP\n", stream);
    print_notes(line->notes, stream);
  }
  if (line->examples != NULL) {
    fputs(".PP\nExamples:\n", stream);
    print_notes(line->examples, stream);
  }
}

/* -------------------------------------------------------------------------------------- values of options */

static bool is_word_letter(char c) {
  return islower((unsigned char)c) || isdigit((unsigned char)c) || c == '_';
}

/* Where the list begins that ends before " or ": back over words with commas between them. */
static const char *list_begin(const char *text, const char *end) {
  const char *begin = end;
  for (;;) {
    const char *word = begin;
    while (word > text && is_word_letter(word[-1]))
      word--;
    if (word == begin)
      return end;
    if (word - text < 2 || word[-1] != ' ' || word[-2] != ',')
      return word;
    begin = word - 2;
  }
}

bool help_words(const option_spec *option, char *words, size_t size) {
  words[0] = '\0';
  const char * or = strstr(option->text, " or ");
  if (option->argument == NULL || strcmp(option->argument, "NAME") != 0 || or == NULL)
    return true;
  const char *end = or > option->text && or [-1] == ',' ? or -1 : or ;
  const char *last = or +strlen(" or "), *begin = list_begin(option->text, end);
  size_t used = 0, length = strspn(last, "abcdefghijklmnopqrstuvwxyz0123456789_");
  for (const char *c = begin; c < end && used + 1 < size; c++)
    if (*c != ',')
      words[used++] = *c;
  if (used + length + 2 > size)
    return false;
  snprintf(words + used, size - used, " %.*s", (int)length, last);
  return true;
}

typedef enum value_kind { VALUE_NONE, VALUE_FREE, VALUE_FILE, VALUE_FOLDER, VALUE_WORDS } value_kind;

enum { WORDS_MAX = 256 };

static value_kind kind_of_value(const option_spec *option, char words[WORDS_MAX]) {
  words[0] = '\0';
  if (option->argument == NULL)
    return VALUE_NONE;
  if (strncmp(option->argument, "FILE", 4) == 0)
    return VALUE_FILE;
  if (strcmp(option->argument, "DIR") == 0)
    return VALUE_FOLDER;
  return help_words(option, words, WORDS_MAX) && words[0] != '\0' ? VALUE_WORDS : VALUE_FREE;
}

/* --------------------------------------------------------------------------------------------------- shells */

static void print_bash(const command_line *line, FILE *stream) {
  static const char *const actions[] = {
      [VALUE_FREE] = "return", [VALUE_FILE] = "_msd_files; return", [VALUE_FOLDER] = "_msd_folders; return"};
  char words[WORDS_MAX];
  fprintf(stream, "  %s)\n    case $previous in\n", line->name);
  for (int i = 0; i < line->option_count; i++) {
    const value_kind kind = kind_of_value(&line->options[i], words);
    if (kind == VALUE_WORDS)
      fprintf(stream, "    --%s) _msd_words '%s'; return ;;\n", line->options[i].name, words);
    else if (kind != VALUE_NONE)
      fprintf(stream, "    --%s) %s ;;\n", line->options[i].name, actions[kind]);
  }
  fputs("    esac\n    options='", stream);
  for (int i = 0; i <= line->option_count; i++)
    fprintf(stream, "%s--%s", i > 0 ? " " : "", option_at(line, i)->name);
  fprintf(stream, "'\n    takes_scene=%s\n", line->operand != NULL && !line->of_files ? "yes" : "");
  fputs(line->of_files ? "    [[ $current == -* ]] || _msd_files\n    ;;\n" : "    ;;\n", stream);
}

void help_print_quoted(const char *text, bool with_colons, FILE *stream) {
  for (; *text != '\0'; text++) {
    if (*text == '\'')
      fputs("'\\'", stream);
    else if (with_colons && strchr("[]:\\", *text) != NULL)
      fputc('\\', stream);
    fputc(*text == '\n' ? ' ' : *text, stream);
  }
}

static void print_zsh(const command_line *line, FILE *stream) {
  char words[WORDS_MAX];
  fprintf(stream, "  %s)\n    _arguments", line->name);
  for (int i = 0; i <= line->option_count; i++) {
    const option_spec *o = option_at(line, i);
    const value_kind kind = kind_of_value(o, words);
    fprintf(stream, " \\\n      '--%s%s[", o->name, kind == VALUE_NONE ? "" : "=");
    help_print_quoted(o->text, true, stream);
    fputc(']', stream);
    if (kind != VALUE_NONE) {
      fputc(':', stream);
      help_print_quoted(o->argument, true, stream);
      fputs(kind == VALUE_FILE ? ":_files" : kind == VALUE_FOLDER ? ":_files -/" : ":", stream);
    }
    if (kind == VALUE_WORDS)
      fprintf(stream, "(%s)", words);
    fputc('\'', stream);
  }
  const char *const operands = line->of_files ? " \\\n      '1:file:_files' \\\n      '2:file:_files'"
                               : line->operand == NULL ? ""
                               : line->folder == NULL  ? " \\\n      '1:scene:_msd_scenes'"
                                                       : " \\\n      '1:scene:_msd_scenes' \\\n"
                                                         "      '2:folder:_files -/'";
  fprintf(stream, "%s\n    ;;\n", operands);
}

static void print_fish(const command_line *line, FILE *stream) {
  static const char *const values[] = {[VALUE_NONE] = "",
                                       [VALUE_FREE] = " -x",
                                       [VALUE_FILE] = " -r -F",
                                       [VALUE_FOLDER] = " -x -a '(__fish_complete_directories)'",
                                       [VALUE_WORDS] = " -x -a '"};
  char words[WORDS_MAX];
  for (int i = 0; i <= line->option_count; i++) {
    const option_spec *o = option_at(line, i);
    const value_kind kind = kind_of_value(o, words);
    fprintf(stream, "complete -c msd -n '__fish_seen_subcommand_from %s' -l %s%s%s%s -d \"", line->name,
            o->name, values[kind], words, kind == VALUE_WORDS ? "'" : "");
    for (const char *c = o->text; *c != '\0'; c++)
      fprintf(stream, strchr("\"$\\", *c) != NULL ? "\\%c" : "%c", *c);
    fputs("\"\n", stream);
  }
  if (line->of_files)
    fprintf(stream, "complete -c msd -n '__fish_seen_subcommand_from %s' -F\n", line->name);
  else if (line->operand != NULL)
    fprintf(stream,
            "complete -c msd -n '__fish_seen_subcommand_from %s' -k -a '(__fish_complete_suffix .json; "
            "__msd_scenes)'\n",
            line->name);
}

void help_print(const command_line *line, help_style style, FILE *stream) {
  static void (*const printers[HELP_STYLES])(const command_line *line, FILE *stream) = {
      print_text, print_man, print_bash, print_zsh, print_fish};
  printers[style](line, stream);
}
