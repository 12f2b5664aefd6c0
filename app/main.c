/* msd COMMAND ...: finds the command and runs it. */
#include "app/commands.h"

#include "app/base/message.h"
#include "app/base/mpi_shim.h"
#include "app/base/numbers.h"
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
  fprintf(
      stream,
      "usage: msd COMMAND [SCENE] [options]\n\nmsd is a mass-spring-damper engine for cloth, rope and soft "
      "bodies.\n\ncommands:\n");
  for (int i = 0; i < COMMAND_COUNT; i++)
    fprintf(stream, "  %-10s  %s\n", commands[i].name, commands[i].summary);
  fprintf(stream, "\n  --version   print the version\n  --help      print this\n\n"
                  "'msd help COMMAND' shows the options of a command, with examples. To start:\n"
                  "  msd list                 list the built-in scenes\n"
                  "  msd view layers          show one in a window\n"
                  "  msd run layers           simulate it without a window\n"
                  "  msd info curtain         show the stability limit and the cost of a scene\n");
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

static const command *find_command(const char *name) {
  for (int i = 0; i < COMMAND_COUNT; i++)
    if (strcmp(name, commands[i].name) == 0)
      return &commands[i];
  return NULL;
}

/* `msd help`, or `msd help COMMAND`, which is `msd COMMAND --help`. */
static int help(int argc, char **argv) {
  if (argc < 3) {
    print_help(stdout);
    return STATUS_DONE;
  }
  const command *c = find_command(argv[2]);
  char option[] = "--help";
  return c != NULL ? c->run(2, (char *[]){argv[2], option, NULL}) : unknown_command(argv[2]);
}

static int run_one(const command *c, int argc, char **argv) {
  if (processes_count() == 1 || c->run == command_run)
    return c->run(argc, argv);
  message_error(c->name, "runs in one process; only 'msd run' can use several");
  return STATUS_BAD_INPUT;
}

static int run_command(int argc, char **argv) {
  if (argc < 2) {
    print_help(stderr);
    return STATUS_BAD_INPUT;
  }
  if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0)
    return help(argc, argv);
  static const char guide[] = "--help=";
  if (strncmp(argv[1], guide, sizeof guide - 1) == 0)
    return guide_print(argv[1] + sizeof guide - 1);
  if (strcmp(argv[1], "--version") == 0) {
    printf("msd %s (%s precision)\n", msd_version(), precision_name());
    return STATUS_DONE;
  }
  const command *c = find_command(argv[1]);
  return c != NULL ? run_one(c, argc - 1, argv + 1) : unknown_command(argv[1]);
}

int main(int argc, char **argv) {
  processes_begin();
  int status = run_command(argc, argv);
  if (fflush(stdout) != 0 || ferror(stdout)) {
    message_error("", "the results cannot be written to the standard output (%s)", strerror(errno));
    status = STATUS_IO;
  }
  return processes_end(status);
}
