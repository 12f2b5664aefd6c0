/* Speed of the step: springs per second on each network, on one thread and on all, compared with a textbook
   loop and other engines in the same run. */
#ifndef MSD_BENCH_SPEED_H
#define MSD_BENCH_SPEED_H

#include "bench/networks.h"
#include "bench/peers.h"

typedef struct speed_case {
  const char *name;
  networks_kind kind;
  int32_t size;
} speed_case;

/* Returns the cases, *count of them, in the order of their sizes. */
const speed_case *speed_cases(int *count);

typedef struct speed_time {
  /* s of one substep */
  double least, median;
} speed_time;

enum { SPEED_THREADS = 2, SPEED_CHECKED_SUBSTEPS = 16 };

/* The programs that msd is compared with: the textbook loop in this process, and the peers. Each uses one
   thread. */
enum { SPEED_TEXTBOOK, SPEED_PEERS, SPEED_RIVALS = SPEED_PEERS + PEER_COUNT };

typedef struct speed_rival {
  /* 0: not requested, or not available */
  speed_time time;
  /* the largest distance in m between their particles and those of msd after the checked substeps */
  double distance;
} speed_rival;

/* "textbook", or the name of the peer. */
const char *speed_rival_name(int rival);

/* Result of the check of the state after the checked substeps. */
typedef enum speed_state {
  SPEED_STATE_RIGHT,
  /* Differs from the golden state. */
  SPEED_STATE_WRONG,
  /* There is no golden state. */
  SPEED_STATE_UNKNOWN,
  /* Threads, vectors and the scalar step give different states, then or at the end. */
  SPEED_STATE_DIFFERENT,
  SPEED_STATE_COUNT
} speed_state;

/* One line: "is not the golden state". */
const char *speed_state_text(speed_state state);

typedef struct speed_result {
  int32_t particles, springs;
  /* 1, and the threads of the machine */
  int threads[SPEED_THREADS];
  speed_time msd[SPEED_THREADS];
  speed_rival rivals[SPEED_RIVALS];
  /* from the springs to the end of the first substep */
  double build_seconds;
  /* moved by a substep at least: every state, mass and spring once */
  double bytes;
  /* of a substep; each + - * / and square root counts one */
  double flops;
  /* bytes of memory of the world */
  size_t memory;
  /* of the state after SPEED_CHECKED_SUBSTEPS */
  uint64_t hash;
  speed_state state;
} speed_result;

typedef struct speed_plan {
  /* 1 to 199 of each configuration, interleaved; peers run afterwards */
  int samples;
  /* target time of a sample, in s */
  double seconds;
  /* whether to run the textbook loop */
  bool textbook;
  bool peers[PEER_COUNT];
} speed_plan;

/* Runs one case. False if the world cannot be built or a peer fails; *why is the reason. */
bool speed_measure(const speed_case *c, const speed_plan *plan, speed_result *out, const char **why);

/* The hash of a case after SPEED_CHECKED_SUBSTEPS in scalar C. False if the world cannot be built. */
bool speed_hash(const speed_case *c, uint64_t *hash);

#endif
