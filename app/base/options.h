/* The command line of a command: one table, from which both the reader and --help are made. */
#ifndef MSD_APP_BASE_OPTIONS_H
#define MSD_APP_BASE_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Ids of options are above all else that options_next returns. */
enum { OPTIONS_FIRST_ID = 256 };

typedef struct option_spec {
  /* What options_next returns for it: OPTIONS_FIRST_ID or more. */
  int id;
  /* Without the dashes. */
  const char *name;
  /* How help names its value: "SECONDS"; NULL: it takes none. */
  const char *argument;
  /* What it does, with the unit; one line. */
  const char *text;
  /* Its default as help shows it; NULL: nothing to show. */
  const char *initial;
} option_spec;

/* A heading of the options in help, from the option with this id to that of the next heading. */
typedef struct option_group {
  int first_id;
  const char *name;
} option_group;

typedef struct command_line {
  /* Of the command. */
  const char *name;
  /* How help names its operand: "SCENE"; NULL: it takes none. */
  const char *operand;
  /* A second operand, a folder: "DIR"; NULL: there is none. */
  const char *folder;
  /* Whether both are files and no scene and no folder: "MESH" and "FILE". */
  bool of_files;
  /* A sentence or two. */
  const char *summary;
  const option_spec *options;
  int option_count;
  /* Ended by a name of NULL; NULL: the options are one list. */
  const option_group *groups;
  /* The options that write files, for who tries -o: "--export DIR, --png FILE"; NULL: none. */
  const char *outputs;
  /* Paragraphs at the end of help; NULL: none. */
  const char *notes;
  /* Lines "COMMAND LINE  what it does", after the notes; NULL: none. */
  const char *examples;
} command_line;

/* Reads a command line from left to right. Options and operands come in any order; after "--" nothing is
   an option. Names of options are never cut short: a script that says --tim must not change its meaning when
   there is --timeout one day. */
typedef struct option_reader {
  const command_line *line;
  int argc, at;
  char **argv;
  bool no_more_options;
  const char *operand, *folder;
  /* The option at hand, and its value; NULL when it takes none. */
  const option_spec *option;
  const char *value;
} option_reader;

/* argv[0] is the name of the command. */
option_reader options_begin(const command_line *line, int argc, char **argv);

enum { OPTIONS_END = 0, OPTIONS_BAD = -1, OPTIONS_HELP = -2 };

/* The id of the next option. OPTIONS_END after the last, when the operands are there too; OPTIONS_BAD after
   printing what is wrong; OPTIONS_HELP after printing the help that was asked for. */
int options_next(option_reader *r);

/* A time of the option at hand, in s or with a unit: "0.004", "0.004s", "4ms". False, with a line on stderr
   that says what would be right, when it is none. */
bool option_take_seconds(const option_reader *r, bool zero_allowed, double *seconds);

/* A whole number from `least` to `most`, which `wanted` describes: "a whole number of frames, 1 or more". */
bool option_take_count(const option_reader *r, int64_t least, int64_t most, const char *wanted,
                       int64_t *count);

/* The index of the value in `names`, which end with NULL. */
bool option_take_name(const option_reader *r, const char *const *names, int *index);

/* The name of a file with this ending, in small or capital letters: "--png 'x.jpg': must be a name that ends
   in .png". */
bool option_take_file(const option_reader *r, const char *ending, const char **path);

/* "--frame-time '0': must be `wanted`" on stderr; always false. */
bool option_refuse(const option_reader *r, const char *wanted);

/* What another reader of values made of it: `error` says what is wrong when `taken` is false. Returns
   `taken`. */
bool option_accept(const option_reader *r, bool taken, const char *error);

/* A finite number in the C notation, all of `text`. */
bool parse_number(const char *text, double *value);

/* A number of seconds, all of `text`, with the unit "s", "ms", "us" or none. */
bool parse_seconds(const char *text, double *seconds);

/* A whole number from `least` to `most`, all of `text`. */
bool parse_count(const char *text, int64_t least, int64_t most, int64_t *value);

#endif
