/* How fast the step is: springs per second on each network, one thread and all of them, against a textbook
   loop and against what the machine's memory and arithmetic allow, all in one run. */
#ifndef MSD_BENCH_SPEED_H
#define MSD_BENCH_SPEED_H

#include "machine.h"
#include "networks.h"

typedef struct speed_case {
  const char *name;
  networks_kind kind;
  int32_t size;
} speed_case;

/* The cases in the order of their sizes; *count of them. */
const speed_case *speed_cases(int *count);

typedef struct speed_time {
  double least, median; /* s for one substep */
} speed_time;

enum { SPEED_THREADS = 2 };

typedef struct speed_result {
  int32_t particles, springs;
  int threads[SPEED_THREADS]; /* 1, and what the machine offers */
  speed_time msd[SPEED_THREADS];
  speed_time textbook;  /* one thread; 0 when it was not asked for */
  double build_seconds; /* from springs to the first substep done */
  double bytes;         /* that a substep moves at least: every state, mass and spring once */
  double flops;         /* of a substep, + - * / and square root each one */
  size_t memory;        /* bytes that the world holds */
  uint64_t hash;        /* of the state */
  bool hash_is_right;   /* the same with one thread, with all, and in plain scalar C */
} speed_result;

/* Runs one case: `samples` times (at least 1) each way, in turns. `seconds` is about what one sample takes.
   False when it cannot be built; *why then says so. */
bool speed_measure(const speed_case *c, bool with_textbook, int samples, double seconds, speed_result *out,
                   const char **why);

#endif
