/* The common code of the peer programs. A peer reads a network from the standard input and builds it with the
   engine of its name. It takes the first steps, writes the resulting positions and then the time of a step.
   `msd bench --compare` starts it and reads the answer.

   Numbers are exchanged in the memory format of the machine: both programs come from one build and run on one
   machine. */
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
  /* numbers of the records that follow */
  int32_t particles, springs;
  /* steps before the positions are written, which are not timed */
  int32_t checked_steps;
  /* number of timed samples, 1 to 199 */
  int32_t samples;
  /* target time of a sample, in s */
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

/* The end of the answer. Before it come three doubles for each particle, NaN for a coordinate that the engine
   does not have. */
typedef struct peer_answer {
  int32_t magic;
  /* s of one step */
  double least, median;
} peer_answer;

typedef struct peer_network {
  peer_header header;
  peer_particle *particles;
  peer_spring *springs;
  /* receives the answer */
  FILE *output;
} peer_network;

/* The functions of an engine; `engine` is passed to them. */
typedef struct peer_engine {
  void *engine;
  void (*step)(void *engine, int steps);
  void (*positions)(void *engine, double *xyz);
} peer_engine;

/* Reads a network from the standard input. False if it is invalid; the reason goes to stderr. */
bool peer_read(peer_network *network);
void peer_free(peer_network *network);

/* Takes the first steps, writes the positions and measures. Returns the exit status. */
int peer_run(const peer_network *network, const peer_engine *engine);

#ifdef __cplusplus
}
#endif

#endif
