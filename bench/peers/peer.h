/* What every peer program has in common: it reads a network from the standard input, builds it with the
   engine that it is named after, takes the first steps, answers with the positions that they led to, and then
   with what a step costs. `msd bench --compare` starts it and reads the answer.

   Numbers travel as they lie in memory: both ends were built together and run on one machine. */
#ifndef MSD_BENCH_PEERS_PEER_H
#define MSD_BENCH_PEERS_PEER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { PEER_MAGIC = 0x6d736470 };

typedef struct peer_header {
  /* PEER_MAGIC */
  int32_t magic;
  /* that follow */
  int32_t particles, springs;
  /* to take before the positions are told, and before time is taken */
  int32_t checked_steps;
  /* how often to take the time, 1 to 199 */
  int32_t samples;
  /* about what one sample should take */
  double seconds;
  /* s */
  double time_step;
  /* m/s^2 */
  double gravity[3];
} peer_header;

typedef struct peer_particle {
  /* m, m/s */
  double position[3], velocity[3];
  /* kg */
  double mass;
  int32_t pinned;
} peer_particle;

typedef struct peer_spring {
  int32_t a, b;
  /* m, N/m, N s/m */
  double rest, stiffness, damping;
} peer_spring;

/* The answer, behind the positions: three doubles for each particle, NaN where an engine has no such
   coordinate. */
typedef struct peer_answer {
  int32_t magic;
  /* s for one step */
  double least, median;
} peer_answer;

typedef struct peer_network {
  peer_header header;
  peer_particle *particles;
  peer_spring *springs;
  /* for the answer */
  FILE *output;
} peer_network;

/* What an engine has to offer; `engine` is its own. */
typedef struct peer_engine {
  void *engine;
  void (*step)(void *engine, int steps);
  void (*positions)(void *engine, double *xyz);
} peer_engine;

/* Reads a network. False, after saying so on stderr, when the input is none. */
bool peer_read(peer_network *network);
void peer_free(peer_network *network);

/* The rest of the program: first steps, positions, times. Returns the exit status. */
int peer_run(const peer_network *network, const peer_engine *engine);

#ifdef __cplusplus
}
#endif

#endif
