/* Distributed worlds: each rank stores a subdomain.

   The global domain is what the bodies would be in a single process. Its particles are in the order of their
   indices, which is the order of the compiled network. Each rank owns a contiguous range of complete chunks
   and stores a ghost layer on both sides:

       global   ---------------------------------------------------------------------
       stored               [ ghosts |          owned          | ghosts ]

   It is a world of its own, with all springs that have both ends stored. Substeps treat it like any other
   world, with threads and temporal blocking. Each substep invalidates what springs reach from the outer ends
   of the ghost layers. Owned particles stay valid for `depth` substeps; then the ghosts are received again
   from their owners.

   Determinism. The forces on a particle are summed over its springs in an order that depends on the rows of
   the groups of 16 at both ends of each spring (network.h). Stored particles begin with a group of the global
   domain. So their rows equal the global ones wherever all springs of the group are stored: `reach` and one
   group away from the end. The coefficients of a spring depend on the springs at both its ends, which takes
   another `reach`. So a ghost layer has depth + 1 times the reach and a group, rounded up to complete
   chunks. */
#ifndef MSD_ENGINE_WORLD_SUBDOMAIN_H
#define MSD_ENGINE_WORLD_SUBDOMAIN_H

#include "engine/base/memory.h"
#include "engine/stability/global_analysis.h"
#include "engine/store/revision.h"

#include <msd/ranks.h>

/* A contiguous range of springs of the global domain that is stored here, and the range of these that is
   owned. */
typedef struct part_family {
  /* Local indices. An own.count of -1: owned are the springs whose first ends are owned; first ends
     ascend. */
  msd_range springs, own;
  /* Global index of the first stored one. */
  int32_t first;
} part_family;

typedef struct world_part {
  bool is_open;
  msd_ranks ranks;
  /* is: numbers of objects added so far. particles: final number of particles; 0 while a first pass counts
     them. */
  msd_subdomain is;
  int32_t particles;
  /* Substeps between two exchanges, and substeps for which owned particles are still valid. */
  int depth, fresh;
  /* Chunks of the ghost layer on each side. */
  int32_t border;
  part_family *families;
  int32_t family_count, family_room;
  /* Route of the ranks, and its messages: one for each chunk. */
  void *route;
  unsigned char *give, *take;
  int32_t give_count, take_count;
  /* Revision of the network whose particle order was accepted. */
  revision agreed_for;
  bool is_lost;
} world_part;

void subdomain_free(world_part *part, memory *m);

/* ----------------------------------------------------------------------------------------------- building */

/* The range of the next `count` global particles that this world stores, counted from the first of them; all
   of them if the world is not distributed. */
msd_range subdomain_keep(const msd_world *world, int32_t count);

/* Checks that a body of this global size can be added, and reserves memory for its families of springs.
   Returns MSD_TOO_LARGE or MSD_OUT_OF_MEMORY on failure. */
msd_result subdomain_reserve(msd_world *world, int64_t particles, int64_t springs, int32_t families);

/* Adds a family of springs of a body, whose ends are at most `reach` apart. `springs` are the stored ones,
   `own` is as in part_family, `before` precede them in the family, and `count` is its global size. Does
   nothing if the world is not distributed. */
void subdomain_add_family(msd_world *world, int32_t reach, msd_range springs, msd_range own, int64_t before,
                          int64_t count);

/* Adds the particles of a body, after everything else of it. */
void subdomain_add_particles(msd_world *world, int32_t count);

/* ----------------------------------------------------------------------------------------------- stepping */

/* True if the world consists only of bodies, and these have the declared number of particles. */
bool subdomain_is_global(const msd_world *world);

/* Checks that a frame can be advanced, without communication. Returns MSD_BAD_VALUE if it cannot. */
msd_result subdomain_check(msd_world *world);

/* Before the first substep. All ranks call it and get the same result. Returns MSD_BAD_VALUE or
   MSD_OUT_OF_MEMORY on failure. */
msd_result subdomain_begin_step(msd_world *world);

/* Before a collective operation outside of a frame. All ranks call it and get the same result. Returns
   MSD_BAD_VALUE or MSD_OUT_OF_MEMORY on failure. */
msd_result subdomain_join(msd_world *world);

/* Description of the global domain for a stability analysis; call subdomain_begin_step or subdomain_join
   before. */
analysis_whole part_whole(msd_world *world);

/* Number of substeps that can be advanced before subdomain_go_on. */
int substeps_until_subdomain(const world_part *part);

/* After `taken` substeps: exchanges ghosts if they are due, or at the end of a frame. */
void subdomain_go_on(msd_world *world, int taken, bool is_end);

/* Finds the first substep and global particle with a non-finite state over all ranks. On entry `done` and
   `particle` are the findings of this rank, or a substep after the last one and -1. */
void subdomain_find_failed(msd_world *world, int *done, int32_t *particle);

/* --------------------------------------------------------------------------------------------------- sums */

/* Adds a range of local particles or springs to a sum. */
typedef void part_adder(const msd_world *world, msd_range range, void *sum);

/* Lets the ranks add their owned objects to a sum in order, with the result of a single process. All ranks
   start with the same value and get the final one. */
void subdomain_sum_particles(const msd_world *world, part_adder *add, void *sum, size_t bytes);
void subdomain_sum_springs(const msd_world *world, part_adder *add, void *sum, size_t bytes);

/* The owned particles, and the owned springs of a family, as local indices. */
msd_range subdomain_own_particles(const msd_world *world);
msd_range subdomain_own_springs(const msd_world *world, int32_t family);

/* Global index of a local spring. */
int32_t subdomain_spring_number(const msd_world *world, int32_t spring);

#endif
