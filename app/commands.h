/* The commands of msd, in the order in which `msd --help` lists them. A command gets its own name as argv[0]
   and returns the exit status. */
#ifndef MSD_APP_COMMANDS_H
#define MSD_APP_COMMANDS_H

/* The commands that measure are an option of the build. */
#ifdef MSD_COMMAND_BENCH
#define COMMAND_BENCH(X)                                                                                     \
  X(stability, "compare the predicted stability limit of a scene with test runs")                            \
  X(bench, "measure the speed of a substep against the limits of this machine")
#else
#define COMMAND_BENCH(X)
#endif

#define COMMANDS(X)                                                                                          \
  X(run, "simulate a scene without a window")                                                                \
  X(view, "show a scene in a window")                                                                        \
  X(info, "show the contents, the stability limit and the expected cost of a scene")                         \
  X(list, "list the built-in scenes")                                                                        \
  X(materials, "list the named fabrics, sheets and ropes with their sources")                                \
  X(drape, "find the static equilibrium of a scene")                                                         \
  X(export, "write the initial state of a scene for other programs")                                         \
  X(mesh, "reorder a mesh for distributed loading")                                                          \
  X(spring, "show the response of one damped spring beside naive formulas")                                  \
  COMMAND_BENCH(X)

enum {
  STATUS_DONE = 0,
  /* The simulation became unstable, or an iteration did not converge. */
  STATUS_FAILED = 1,
  /* Bad usage, or a bad input file. */
  STATUS_BAD_INPUT = 2,
  /* A file cannot be read or written while the command works, or memory is short. */
  STATUS_IO = 3,
  /* Plus the number of the signal that stopped the command. */
  STATUS_SIGNAL = 128
};

#define COMMAND_FUNCTION(name, summary) int command_##name(int argc, char **argv);
COMMANDS(COMMAND_FUNCTION)
#undef COMMAND_FUNCTION

#endif
