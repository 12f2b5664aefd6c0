/* The other engines of peers/, each a program that steps a network of this benchmark. */
#ifndef MSD_BENCH_PEERS_H
#define MSD_BENCH_PEERS_H

#include <msd/msd.h>

typedef enum peer { PEER_BULLET, PEER_LAMMPS, PEER_CHIPMUNK, PEER_COUNT } peer;

/* "bullet", and the Debian package it is built with: "libbullet-dev". */
const char *peers_name(peer p);
const char *peers_packages(peer p);

/* Whether the program exists in ../libexec/msd relative to this program's folder, where builds and
   installations put it. */
bool peers_found(peer p);

typedef struct peers_result {
  /* s of one step */
  double least, median;
  /* the largest distance in m between a particle there and in the world `after` */
  double distance;
} peers_result;

/* Lets a peer take `checked_steps` steps from the state of `before`, as `after` has done. Then it takes
   `samples` samples of about `seconds` each. False if the peer fails; it has printed the reason to stderr. */
bool peers_measure(peer p, const msd_world *before, const msd_world *after, msd_real time_step,
                   int checked_steps, int samples, double seconds, peers_result *out);

#endif
