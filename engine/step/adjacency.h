/* Constraints, hard limits and wind faces in distributed runs: the halo rings that a substep consumes for them,
   and the items that each rank evaluates.

   A rank evaluates every coupling that has a particle in the chunks it advances. The inputs and the order are
   those of a single process, so a coupling that several ranks evaluate gives the same result on all of
   them. */
#ifndef MSD_ENGINE_STEP_ADJACENCY_H
#define MSD_ENGINE_STEP_ADJACENCY_H

#include "engine/step/partition.h"
#include "engine/store/soft_pin.h"

typedef struct stepper stepper;

/* Kinds of couplings: constraints, hard length limits and faces with wind. */
enum { COUPLING_JOINTS_MAX = 3 };

/* Lists the couplings in `joints`, of capacity COUPLING_JOINTS_MAX. Returns the input of the partition: the
   couplings, the rings that a substep consumes, and the soft-pin data of a chunk. */
partition_input adjacency_demand(const stepper *s, chunk_joint *joints);

/* Size of the soft-pin data that is exchanged with its chunk, in reals: two velocities and the velocity
   change. */
enum { COUPLING_SOFT_PIN = 9 * sizeof(double) / sizeof(msd_real) };

/* Items that a rank evaluates in a substep, indexed by the number of substeps left before the next
   exchange. */
typedef struct coupling_lists {
  span_list groups[MSD_RANKS_DEPTH_MAX], mesh_chunks[MSD_RANKS_DEPTH_MAX], faces[MSD_RANKS_DEPTH_MAX];
  /* Slots of all pinned particles. */
  int32_t *pins;
  int32_t pin_count;
  /* Soft-pin state before the run; restored if the run fails. */
  soft_pin_work *kept;
  revision listed_for;
} coupling_lists;

/* Builds the lists for a partition. Returns false, with empty lists, if memory runs out. */
bool adjacency_list(coupling_lists *l, const stepper *s, const partition *shared);

void adjacency_free(coupling_lists *l, memory *m);

/* Clears `excess`, the recorded stiffness clamping, of each constraint without a particle that this rank owns.
   The rank may have evaluated such a constraint at stale halo positions. */
void adjacency_forget_excess(const stepper *s, const partition *shared);

#endif
