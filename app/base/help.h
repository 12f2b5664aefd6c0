/* What --help tells of a command: as text, and with --help=STYLE as its part of the manual page and of the
   completion of shells. All are made of the same table. */
#ifndef MSD_APP_BASE_HELP_H
#define MSD_APP_BASE_HELP_H

#include "app/base/options.h"

typedef enum help_style { HELP_TEXT, HELP_MAN, HELP_BASH, HELP_ZSH, HELP_FISH, HELP_STYLES } help_style;

/* By their numbers, ended by NULL; the first is "text". */
extern const char *const help_style_names[];

void help_print(const command_line *line, help_style style, FILE *stream);

/* The words that an option takes, with spaces between them: those that its text lists, with "or" before the
   last, as in "of --export: obj, ply or pc2". Empty where it takes no NAME, or lists none. False when they do
   not fit. */
bool help_words(const option_spec *option, char *words, size_t size);

/* Text in a manual page. */
void help_print_roff(const char *text, FILE *stream);

/* Text between single quotes of a shell; with `with_colons` as zsh has it in descriptions. */
void help_print_quoted(const char *text, bool with_colons, FILE *stream);

#endif
