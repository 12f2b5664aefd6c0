/* A world of which each rank has a part.

   The whole is what bodies would be in one process: particles in the order of their indices, which is the order
   that the network is compiled in. Each rank owns a stretch of it, whole chunks, and keeps a border on both
   sides:

       whole   ---------------------------------------------------------------------
       kept                [ border |          own          | border ]

   as a world of its own, with the springs both of whose ends are kept. That is a plain world to the step, with
   threads and with several substeps in one pass through memory. Each substep makes wrong what springs of the
   border's ends reach, and what is owned stays right for `depth` substeps; then the border is taken anew from
   whoever owns it.

   Bits. A particle's sums go through its own springs, in an order that follows from the rows of the groups of
   16 at both ends of each (network.h). Kept particles begin with a group of the whole, so these rows are those
   of the whole where all springs of the group are there: `reach` and a group away from the end of what is kept.
   A spring's coefficients count the springs at both its ends, which takes one more `reach`. So the border has
   depth + 1 times the reach and a group, in whole chunks. */
#ifndef MSD_ENGINE_WORLD_PART_H
#define MSD_ENGINE_WORLD_PART_H

#include "engine/base/memory.h"
#include "engine/stability/whole.h"
#include "engine/store/revision.h"

#include <msd/ranks.h>

/* Springs of which the world has a stretch of those of the whole, and its own are a stretch of these. */
typedef struct part_family {
  /* Of the world; a count of -1 of its own: those whose first ends are its own, and ascend. */
  msd_range springs, own;
  /* The number that the first of them has in the whole. */
  int32_t first;
} part_family;

typedef struct world_part {
  bool is_open;
  msd_ranks ranks;
  /* What bodies have brought so far; and what they are to bring, 0: that is to be found out. */
  msd_part is;
  int32_t particles;
  /* Substeps from one exchange to the next; and those for which what is owned is still right. */
  int depth, fresh;
  /* Chunks of the border on each side. */
  int32_t border;
  part_family *families;
  int32_t family_count, family_room;
  /* The route of the ranks, the parcels that go along it, and how many: a chunk each. */
  void *route;
  unsigned char *give, *take;
  int32_t give_count, take_count;
  /* The network whose rows have been found to keep the order of the particles. */
  revision agreed_for;
  bool is_lost;
} world_part;

void part_free(world_part *part, memory *m);

/* ------------------------------------------------------------------------------------------------- building */

/* Which of the next `count` particles of the whole the world gets, counted from the first of these; all of a
   world that is no part. */
msd_range part_keep(const msd_world *world, int32_t count);

/* Makes sure that a body of so many in the whole can be counted. MSD_TOO_LARGE, MSD_OUT_OF_MEMORY. */
msd_result part_reserve(msd_world *world, int64_t particles, int64_t springs, int32_t families);

/* Counts a family of springs of a body, the ends of which are at most `reach` apart: `springs` are those
   that the world gets, `own` as in a part_family, `before` come before these in the family, which has
   `count`. Nothing in a world that is no part. */
void part_add_family(msd_world *world, int32_t reach, msd_range springs, msd_range own, int64_t before,
                     int64_t count);

/* Counts the particles of a body, behind all of it. */
void part_add_particles(msd_world *world, int32_t count);

/* ------------------------------------------------------------------------------------------------- stepping */

/* Whether all that the world has came from bodies, of which the whole has as many as was said. */
bool part_is_whole(const msd_world *world);

/* Whether a step can be taken, without asking other ranks. MSD_BAD_VALUE. */
msd_result part_check(msd_world *world);

/* Before the first substep, on all ranks at once, with the same result. MSD_BAD_VALUE, MSD_OUT_OF_MEMORY. */
msd_result part_begin_step(msd_world *world);

/* Before ranks ask for something together without a step, with the same result. MSD_BAD_VALUE,
   MSD_OUT_OF_MEMORY. */
msd_result part_join(msd_world *world);

/* Behind one of these: of what the model is a part. */
analysis_whole part_whole(msd_world *world);

/* How many substeps may be taken before part_go_on. */
int part_distance(const world_part *part);

/* Behind so many: exchanges borders where that is due, or where it is the end of a step. */
void part_go_on(msd_world *world, int taken, bool is_end);

/* The substep and the particle of the whole that are first without a finite state, of all ranks; `done` and
   `particle` are what this one has found, or a number of substeps beyond all and -1. */
void part_find_failed(msd_world *world, int *done, int32_t *particle);

/* --------------------------------------------------------------------------------------------------- sums */

/* Adds some particles or springs of the world to a sum. */
typedef void part_adder(const msd_world *world, msd_range range, void *sum);

/* Lets the ranks add their own to a sum, one after the other, as one process would: the sum that each has then.
   All ranks begin with the same. */
void part_sum_particles(const msd_world *world, part_adder *add, void *sum, size_t bytes);
void part_sum_springs(const msd_world *world, part_adder *add, void *sum, size_t bytes);

/* Which of the particles of the world, and of its springs of a family, are this rank's own. */
msd_range part_own_particles(const msd_world *world);
msd_range part_own_springs(const msd_world *world, int32_t family);

/* The number in the whole of a spring of the world. */
int32_t part_spring_number(const msd_world *world, int32_t spring);

#endif
