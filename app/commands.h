/* The commands of msd, in the order in which `msd --help` lists them. A command gets its own name as argv[0]
   and returns the exit status. */
#ifndef MSD_APP_COMMANDS_H
#define MSD_APP_COMMANDS_H

/* What measures is an option of the build. */
#ifdef MSD_COMMAND_BENCH
#define COMMAND_BENCH(X)                                                                                     \
  X(stability, "the predicted limit of a scene against what really happens")                                 \
  X(bench, "measure the speed of the step against what this machine can do")
#else
#define COMMAND_BENCH(X)
#endif

#define COMMANDS(X)                                                                                          \
  X(run, "simulate a scene without a window")                                                                \
  X(drape, "take a scene to its shape of rest")                                                              \
  X(export, "write a scene as it begins for other programs")                                                 \
  X(mesh, "write a mesh in the order in which several processes can each read a part")                       \
  X(view, "show a scene in a window")                                                                        \
  X(info, "count, weigh and find the stable time step of a scene")                                           \
  X(list, "list the scenes that ship")                                                                       \
  X(spring, "the response of one damped spring, beside naive formulas")                                      \
  COMMAND_BENCH(X)

enum {
  STATUS_DONE = 0,
  /* The run failed: it diverged, or a file cannot be written. */
  STATUS_FAILED = 1,
  /* Bad usage, or a bad input file. */
  STATUS_BAD_INPUT = 2,
  /* Plus the number of the signal that stopped the command. */
  STATUS_SIGNAL = 128
};

#define COMMAND_FUNCTION(name, summary) int command_##name(int argc, char **argv);
COMMANDS(COMMAND_FUNCTION)
#undef COMMAND_FUNCTION

#endif
