/* What couples particles beside the springs of a network, as several processes have to know it: which particles
   it joins, how far a substep reaches through it, and which of it one rank evaluates.

   Each rank evaluates whatever has a particle in the chunks that it takes in a substep, all from the same
   states and in the same order as one process does. What others take as well is evaluated there too. */
#ifndef MSD_ENGINE_STEP_COUPLINGS_H
#define MSD_ENGINE_STEP_COUPLINGS_H

#include "engine/step/shares.h"
#include "engine/store/anchor.h"

typedef struct stepper stepper;

/* Kinds of joints: constraints, catches, and the faces that air pushes. */
enum { COUPLING_JOINTS_MAX = 3 };

/* What is joined beside springs, into `joints`, which has room for COUPLING_JOINTS_MAX; the rest of what is
   to be shared as well. */
share_demand couplings_demand(const stepper *s, chunk_joint *joints);

/* The numbers of an anchor that go with its chunk: its velocities, and what it gave. */
enum { COUPLING_ANCHOR = 9 * sizeof(double) / sizeof(msd_real) };

/* What a rank takes in a substep behind which there are so many more before the next exchange. */
typedef struct coupling_lists {
  span_list groups[MSD_RANKS_DEPTH_MAX], mesh_chunks[MSD_RANKS_DEPTH_MAX], faces[MSD_RANKS_DEPTH_MAX];
  /* The slots of all pins. */
  int32_t *pins;
  int32_t pin_count;
  /* Of anchors, room for what they were before a run. */
  anchor_work *kept;
  revision listed_for;
} coupling_lists;

/* Lists all for shares that have been made. False, and empty, without memory. */
bool couplings_list(coupling_lists *l, const stepper *s, const shares *shared);

void couplings_free(coupling_lists *l, memory *m);

/* Forgets how far constraints were softened that have no particle of this rank: it may not have known where
   their particles were. */
void couplings_forget_excess(const stepper *s, const shares *shared);

#endif
