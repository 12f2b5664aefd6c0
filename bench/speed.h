/* How fast the step is: springs per second on each network, one thread and all of them, against a textbook
   loop and against other engines, all in one run. */
#ifndef MSD_BENCH_SPEED_H
#define MSD_BENCH_SPEED_H

#include "bench/networks.h"
#include "bench/peers.h"

typedef struct speed_case {
  const char *name;
  networks_kind kind;
  int32_t size;
} speed_case;

/* The cases in the order of their sizes; *count of them. */
const speed_case *speed_cases(int *count);

typedef struct speed_time {
  /* s for one substep */
  double least, median;
} speed_time;

enum { SPEED_THREADS = 2, SPEED_CHECKED_SUBSTEPS = 16 };

/* What others need for the same: the textbook loop in this process, and the peers. One thread each. */
enum { SPEED_TEXTBOOK, SPEED_PEERS, SPEED_RIVALS = SPEED_PEERS + PEER_COUNT };

typedef struct speed_rival {
  /* 0: not asked for, or not there */
  speed_time time;
  /* m, the largest between a particle of theirs and of ours after the checked substeps */
  double distance;
} speed_rival;

/* "textbook", or the name of the peer. */
const char *speed_rival_name(int rival);

/* What is to be said of the state after the checked substeps. */
typedef enum speed_state {
  SPEED_STATE_RIGHT,
  /* Not the golden one. */
  SPEED_STATE_WRONG,
  /* There is no golden one. */
  SPEED_STATE_UNKNOWN,
  /* Threads, vectors and the scalar step do not agree, then or at the end. */
  SPEED_STATE_DIFFERENT,
  SPEED_STATE_COUNT
} speed_state;

/* One line: "is not the golden state". */
const char *speed_state_text(speed_state state);

typedef struct speed_result {
  int32_t particles, springs;
  /* 1, and what the machine offers */
  int threads[SPEED_THREADS];
  speed_time msd[SPEED_THREADS];
  speed_rival rivals[SPEED_RIVALS];
  /* from springs to the first substep done */
  double build_seconds;
  /* that a substep moves at least: every state, mass and spring once */
  double bytes;
  /* of a substep, + - * / and square root each one */
  double flops;
  /* bytes that the world holds */
  size_t memory;
  /* of the state after SPEED_CHECKED_SUBSTEPS */
  uint64_t hash;
  speed_state state;
} speed_result;

typedef struct speed_plan {
  /* 1 to 199 of each way, in turns; peers take theirs afterwards */
  int samples;
  /* about what one sample takes */
  double seconds;
  /* whether to run it */
  bool textbook;
  bool peers[PEER_COUNT];
} speed_plan;

/* Runs one case. False when it cannot be built or a peer fails; *why then says so. */
bool speed_measure(const speed_case *c, const speed_plan *plan, speed_result *out, const char **why);

/* The hash of a case after SPEED_CHECKED_SUBSTEPS in plain scalar C. False when it cannot be built. */
bool speed_hash(const speed_case *c, uint64_t *hash);

#endif
