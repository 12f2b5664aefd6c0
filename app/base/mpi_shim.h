/* The processes of one command: this one, or several that mpirun has started, in builds with MPI (ranks/).
   The first of them alone prints; what another has to say is shown at the end, if the first was content. */
#ifndef MSD_APP_BASE_MPI_SHIM_H
#define MSD_APP_BASE_MPI_SHIM_H

#include "app/base/message.h"

#include <msd/msd.h>

/* Before all else, and behind it: `status` is the exit status of this process, and what is returned the
   largest of all. */
void processes_begin(void);
int processes_end(int status);

/* 1 without MPI; and whether this is the first. */
int processes_count(void);
bool processes_is_first(void);

/* Whether something is so in any of them, and the largest of their numbers. All have to ask. */
bool processes_any(bool is_so);
double processes_largest(double value);

/* Whether all of them have the same, which all have to ask. */
bool processes_agree(uint64_t value);

/* Of processes of which one at least has failed: the text of the first of those, of which there are so many
   bytes, becomes that of all. All have to ask. */
void processes_share_text(bool has_failed, char *text, size_t size);

/* Whether all of them have succeeded, which all have to ask; if not, *p becomes that of the first that has
   failed. */
bool processes_all_succeed(bool ok, problem *p);

/* Has the steps of a world shared among them; nothing with one. See msd_ranks for the depth, and ranks.h for
   parts. */
msd_result processes_share(msd_world *world, int depth, bool in_parts);

/* For scenes of which each has a part, to stay until the program ends; NULL with one. See msd_ranks for the
   depth. */
const msd_ranks *processes_ranks(int depth);

#endif
