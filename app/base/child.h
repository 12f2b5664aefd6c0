/* Another program that is fed through its standard input: gnuplot, ffmpeg. */
#ifndef MSD_APP_BASE_CHILD_H
#define MSD_APP_BASE_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

typedef struct child {
  pid_t process;
  /* A socket rather than a pipe: writing to a program that has ended is an error, not a signal. */
  int input;
} child;

/* Starts arguments[0], looked for in PATH, in a process group of its own, so that Ctrl-C ends the simulation
   and not the picture of what was simulated. Its standard output is the file `output`, or nothing when that
   is negative; what it prints as errors is dropped when `quiet`. Returns 0, or the errno that says why it
   cannot start. */
int child_start(child *c, char *const arguments[], int output, bool quiet);

/* False when the program has ended. */
bool child_send(const child *c, const void *bytes, size_t count);

/* Ends its input and waits for it. Whether it ended with status 0. */
bool child_finish(child *c);

#endif
