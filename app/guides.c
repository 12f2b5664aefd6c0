#include "app/guides.h"

#include "app/base/help.h"
#include "app/base/message.h"
#include "app/commands.h"
#include "scenes/input/suggestion.h"

#include <msd/msd.h>

#include <string.h>

typedef struct guided {
  const char *name, *summary;
  int (*run)(int argc, char **argv);
} guided;

#define GUIDED_ENTRY(name, summary) {#name, summary, command_##name},
static const guided commands[] = {COMMANDS(GUIDED_ENTRY)};
#undef GUIDED_ENTRY

enum { COMMAND_COUNT = sizeof commands / sizeof *commands };

/* What stands before the parts of the commands and behind them. */
typedef struct guide_frame {
  void (*begin)(void);
  const char *end;
} guide_frame;

static void begin_man(void) {
  printf(".\\\" Made of what msd --help prints.\n.TH MSD 1 \"\" \"msd %s\" \"User Commands\"\n.SH NAME\n"
         "msd \\- particles joined by damped springs: cloth, rope and soft bodies\n.SH SYNOPSIS\n.B msd\n"
         ".I COMMAND\n.RI [ SCENE ]\n[options]\n.SH DESCRIPTION\n"
         "Simulates, shows and measures scenes: files that say what bodies there are, what springs they are "
         "made\n"
         "of, and what they touch. A step tells the largest time step that is certified stable, and equal "
         "inputs\n"
         "give equal bits.\n.SH COMMANDS\n",
         msd_version());
  for (int i = 0; i < COMMAND_COUNT; i++) {
    printf(".TP\n.B msd %s\n", commands[i].name);
    help_print_roff(commands[i].summary, stdout);
    fputc('\n', stdout);
  }
  fputs(".TP\n.B msd \\-\\-version\nprint the version\n.TP\n.B msd \\-\\-help\nlist the commands\n"
        ".SH OPTIONS\nOptions come before or behind the scene; behind\n.B \\-\\-\nnothing is one. Defaults "
        "stand in "
        "brackets.\n",
        stdout);
}

static const char man_end[] =
    ".SH ENVIRONMENT\n.TP\n.B MSD_SCENES\nthe folder where scenes are looked for by their names\n"
    ".TP\n.B OMP_NUM_THREADS\nhow many threads there are, where\n.B \\-\\-threads\ndoes not say\n"
    ".SH EXIT STATUS\n.TP\n.B 0\ndone\n.TP\n.B 1\nthe run failed: it diverged, or a file cannot be written\n"
    ".TP\n.B 2\nbad usage or input\n.TP\n.B 130, 143\nstopped by Ctrl\\-C or SIGTERM\n"
    ".SH EXAMPLES\n.nf\nmsd list\nmsd view layers\nmsd run drape \\-\\-png drape.png\n"
    "msd run scene.json \\-\\-time 10 \\-\\-export frames \\-\\-format ply\nmsd info scene.json\n.fi\n";

static void print_names(const char *separator) {
  for (int i = 0; i < COMMAND_COUNT; i++)
    printf("%s%s", i > 0 ? separator : "", commands[i].name);
}

static void begin_bash(void) {
  fputs(
      "# Completion of msd for bash. Made of what msd --help prints.\n"
      "_msd_words() { COMPREPLY=($(compgen -W \"$1\" -- \"$current\")); }\n"
      "_msd_files() { mapfile -t COMPREPLY < <(compgen -f -- \"$current\"); }\n"
      "_msd_folders() { mapfile -t COMPREPLY < <(compgen -d -- \"$current\"); }\n"
      "_msd_scenes() {\n"
      "  mapfile -t COMPREPLY < <(compgen -W \"$(msd list 2>/dev/null | cut -d ' ' -f 1)\" -- \"$current\"\n"
      "    compgen -d -- \"$current\"; compgen -f -X '!*.json' -- \"$current\")\n"
      "}\n"
      "_msd() {\n"
      "  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} options takes_scene\n"
      "  COMPREPLY=()\n"
      "  # --name=value is three words.\n"
      "  if [[ $current == = ]]; then current=\n"
      "  elif [[ $previous == = ]]; then previous=${COMP_WORDS[COMP_CWORD-2]}; fi\n"
      "  if ((COMP_CWORD == 1)); then _msd_words '",
      stdout);
  print_names(" ");
  fputs(" --help --version'; return; fi\n  case ${COMP_WORDS[1]} in\n", stdout);
}

static const char bash_end[] = "  esac\n  if [[ $current == -* ]]; then _msd_words \"$options\"\n"
                               "  elif [[ $takes_scene ]]; then _msd_scenes; fi\n}\n"
                               "complete -o filenames -F _msd msd\n";

static void begin_zsh(void) {
  fputs("#compdef msd\n# Completion of msd for zsh. Made of what msd --help prints.\n"
        "_msd_scenes() {\n  local -a scenes\n  scenes=(${(f)\"$(msd list 2>/dev/null | cut -d ' ' -f 1)\"})\n"
        "  _alternative 'scenes:scene:compadd -a scenes' 'files:file:_files -g \"*.json\"'\n}\n"
        "_msd() {\n  local -a commands\n  commands=(\n",
        stdout);
  for (int i = 0; i < COMMAND_COUNT; i++) {
    printf("    '%s:", commands[i].name);
    help_print_quoted(commands[i].summary, true, stdout);
    fputs("'\n", stdout);
  }
  fputs("  )\n  if ((CURRENT == 2)); then\n    _describe command commands\n"
        "    _arguments '--help[list the commands]' '--version[print the version]'\n    return\n  fi\n"
        "  local command=$words[2]\n  shift words\n  ((CURRENT--))\n  case $command in\n",
        stdout);
}

static const char zsh_end[] = "  esac\n}\n_msd \"$@\"\n";

static void begin_fish(void) {
  fputs("# Completion of msd for fish. Made of what msd --help prints.\nfunction __msd_scenes\n"
        "    msd list 2>/dev/null | string replace -r ' +' \\t\nend\ncomplete -c msd -f\n",
        stdout);
  for (int i = 0; i < COMMAND_COUNT; i++) {
    printf("complete -c msd -n __fish_use_subcommand -a %s -d '", commands[i].name);
    help_print_quoted(commands[i].summary, false, stdout);
    fputs("'\n", stdout);
  }
  fputs("complete -c msd -n __fish_use_subcommand -l help -d 'list the commands'\n"
        "complete -c msd -n __fish_use_subcommand -l version -d 'print the version'\n",
        stdout);
}

int guide_print(const char *style) {
  static const guide_frame frames[HELP_STYLES] = {
      {NULL, NULL}, {begin_man, man_end}, {begin_bash, bash_end}, {begin_zsh, zsh_end}, {begin_fish, ""}};
  const int number = word_index(style, help_style_names);
  if (number <= HELP_TEXT) {
    message_error("", "--help '%s': must be man, bash, zsh or fish, or nothing", style);
    return STATUS_BAD_INPUT;
  }
  char option[32];
  snprintf(option, sizeof option, "--help=%s", style);
  frames[number].begin();
  for (int i = 0; i < COMMAND_COUNT; i++) {
    char name[32];
    snprintf(name, sizeof name, "%s", commands[i].name);
    commands[i].run(2, (char *[]){name, option, NULL});
  }
  fputs(frames[number].end, stdout);
  return STATUS_DONE;
}
