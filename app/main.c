/* msd COMMAND ...: finds the command and runs it. */
#include "app/commands.h"

#include "app/base/message.h"
#include "app/base/numbers.h"
#include "app/base/processes.h"
#include "app/guides.h"
#include "scenes/input/suggestion.h"

#include <msd/msd.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

typedef struct command {
  const char *name, *summary;
  int (*run)(int argc, char **argv);
} command;

#define COMMAND_ENTRY(name, summary) {#name, summary, command_##name},
static const command commands[] = {COMMANDS(COMMAND_ENTRY)};
#undef COMMAND_ENTRY

enum { COMMAND_COUNT = sizeof commands / sizeof *commands };

static void print_help(FILE *stream) {
  fprintf(stream,
          "usage: msd COMMAND [SCENE] [options]\n\nParticles joined by damped springs: cloth, rope and soft "
          "bodies.\n\n");
  for (int i = 0; i < COMMAND_COUNT; i++)
    fprintf(stream, "  %-10s  %s\n", commands[i].name, commands[i].summary);
  fprintf(stream,
          "\n  --version   print the version\n  --help      print this\n\n'msd COMMAND --help' shows the "
          "options of a command. Start with 'msd list' and 'msd run layers'.\n");
}

static int unknown_command(const char *word) {
  const char *names[COMMAND_COUNT + 1] = {NULL};
  for (int i = 0; i < COMMAND_COUNT; i++)
    names[i] = commands[i].name;
  const char *meant = nearest_word(word, names);
  if (meant != NULL)
    message_error("", "unknown command '%s'; did you mean '%s'?", word, meant);
  else
    message_error("", "unknown command '%s'; 'msd --help' lists them", word);
  return STATUS_BAD_INPUT;
}

static int run_one(const command *c, int argc, char **argv) {
  if (processes_count() == 1 || c->run == command_run)
    return c->run(argc, argv);
  message_error(c->name, "is a command of one process; 'msd run' alone is shared among several");
  return STATUS_BAD_INPUT;
}

static int run_command(int argc, char **argv) {
  if (argc < 2) {
    print_help(stderr);
    return STATUS_BAD_INPUT;
  }
  if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0) {
    print_help(stdout);
    return STATUS_DONE;
  }
  static const char guide[] = "--help=";
  if (strncmp(argv[1], guide, sizeof guide - 1) == 0)
    return guide_print(argv[1] + sizeof guide - 1);
  if (strcmp(argv[1], "--version") == 0) {
    printf("msd %s (%s precision)\n", msd_version(), precision_name());
    return STATUS_DONE;
  }
  for (int i = 0; i < COMMAND_COUNT; i++) {
    if (strcmp(argv[1], commands[i].name) == 0)
      return run_one(&commands[i], argc - 1, argv + 1);
  }
  return unknown_command(argv[1]);
}

int main(int argc, char **argv) {
  processes_begin();
  int status = run_command(argc, argv);
  if (fflush(stdout) != 0 || ferror(stdout)) {
    message_error("", "the results cannot be written to the standard output (%s)", strerror(errno));
    status = STATUS_FAILED;
  }
  return processes_end(status);
}
