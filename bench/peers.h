/* The other engines of peers/, as programs that are started on a network of ours. */
#ifndef MSD_BENCH_PEERS_H
#define MSD_BENCH_PEERS_H

#include <msd/msd.h>

typedef enum peer { PEER_BULLET, PEER_LAMMPS, PEER_CHIPMUNK, PEER_COUNT } peer;

/* "bullet", and the packages that it was built from as Debian calls them: "libbullet-dev". */
const char *peers_name(peer p);
const char *peers_packages(peer p);

/* Whether the program stands where it was built or installed: in ../libexec/msd of the folder of this
   program. */
bool peers_found(peer p);

typedef struct peers_result {
  /* s for one step */
  double least, median;
  /* the largest in m between a particle there and in the world `after` */
  double distance;
} peers_result;

/* Lets a peer take `checked_steps` from the state of `before`, which `after` has taken too, and then `samples`
   times of about `seconds` each. False when it fails; it has said why on stderr. */
bool peers_measure(peer p, const msd_world *before, const msd_world *after, msd_real time_step,
                   int checked_steps, int samples, double seconds, peers_result *out);

#endif
