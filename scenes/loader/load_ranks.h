/* What lies between processes that load parts of one scene. What goes wrong may do so on one of them alone,
   which then has nothing more to ask of the others, while they wait for it: so each question says too whether
   somebody has come to an end, and from then on each goes on alone to its own, and all fail. */
#ifndef MSD_SCENES_LOADER_LOAD_RANKS_H
#define MSD_SCENES_LOADER_LOAD_RANKS_H

#include "scenes/input/scene_error.h"

#include <msd/ranks.h>

typedef struct load_ranks {
  /* For the world; those that it goes through; and those given, NULL: none. */
  msd_ranks through;
  const msd_ranks *given;
  bool is_loading;
  /* One has come to its end while others were not at theirs. */
  bool is_broken;
} load_ranks;

/* Stays where it is, with what is given, as long as the world. Returns what the world is to have. */
const msd_ranks *load_ranks_begin(load_ranks *ranks, const msd_ranks *given);

/* On all processes, when they have loaded their parts or have failed: whether all have loaded theirs. If not,
   the error of the first that has said why becomes that of all. */
bool load_ranks_end(load_ranks *ranks, bool ok, scene_error *error);

#endif
