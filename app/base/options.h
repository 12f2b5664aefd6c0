/* The command line: one table per command, from which both the parser and --help are made, and small parsers
   for the types of values. */
#ifndef MSD_APP_BASE_OPTIONS_H
#define MSD_APP_BASE_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Identifiers of options stay clear of the letters that getopt reports. */
enum { OPTIONS_FIRST_ID = 256 };

typedef struct option_spec {
  int id;               /* what options_next returns for it: OPTIONS_FIRST_ID or more */
  const char *name;     /* without the dashes */
  const char *argument; /* how help names its value: "SECONDS"; NULL: takes none */
  const char *text;     /* what it does, with the unit; one line */
  const char *initial;  /* its default as help shows it; NULL: nothing to show */
} option_spec;

typedef struct command_line {
  const char *name;    /* of the command */
  const char *operand; /* how help names its one operand: "SCENE"; NULL: takes none */
  const char *summary; /* one line */
  const option_spec *options;
  int option_count;
  const char *notes; /* paragraphs at the end of help; NULL: none */
} command_line;

enum { OPTIONS_END = 0, OPTIONS_BAD = -1, OPTIONS_HELP = -2, OPTIONS_MAX = 32 };

/* The next option: its id, with its value in *value (NULL when it takes none). OPTIONS_END after the last,
   OPTIONS_BAD after printing what is wrong, OPTIONS_HELP after printing the help that was asked for. */
int options_next(const command_line *line, int argc, char **argv, const char **value);

/* After OPTIONS_END: the operand in *operand, NULL for a command that takes none. False, with a line on
   stderr, when it is missing or there are more. */
bool options_operand(const command_line *line, int argc, char **argv, const char **operand);

void options_help(const command_line *line, FILE *stream);

/* A finite number in the C notation, all of `text`. */
bool parse_number(const char *text, double *value);

/* A whole number from `least` to `most`, all of `text`. */
bool parse_count(const char *text, int64_t least, int64_t most, int64_t *value);

/* The index of `text` in `names`; -1 when it is none of them. */
int parse_name(const char *text, const char *const *names, int count);

/* The name that `text` was most likely meant to be: within a third of its letters of edits; NULL for none. */
const char *nearest_name(const char *text, const char *const *names, int count);

#endif
