/* A particle that is cut in two, by a plane across a spring: what goes to a part of its own, what keeps the
   particle, and how the mass is shared (step/split.h). Nothing of the model changes here. */
#ifndef MSD_ENGINE_STEP_CUT_H
#define MSD_ENGINE_STEP_CUT_H

#include "engine/base/vec3.h"
#include "engine/step/surroundings.h"

/* Of a particle: it is a corner of what goes and of what stays in the cut at hand; and it cannot be cut. */
enum { MARK_GOES = 1, MARK_STAYS = 2, MARK_IS_HELD = 4 };

/* What is known of a model whose particles are cut. All arrays are the caller's. */
typedef struct cutter {
  const world_model *model;
  /* s: that to which rows are taken. */
  double substep;
  surroundings around;
  /* By particle. */
  uint8_t *marks;
  /* By piece: whether it goes to the new part, in the last cut at one of its corners. */
  bool *goes;
} cutter;

typedef struct cut {
  int32_t particle, towards;
  /* The index that the new part will have. */
  int32_t part;
  /* m: where the particle is, and the way to `towards`: its direction and length. */
  double3 at, normal;
  double length;
  /* Of the mass, what goes; and in kg, what stays and what goes. */
  double share;
  msd_real kept, gone;
  /* m: where the two parts begin, a hair from each other around the same centre of mass. */
  msd_vec3 stays_at, goes_to;
} cut;

/* Both: an edge on both sides of the cut, or a constraint across it. */
typedef enum cut_fate { CUT_STAYS, CUT_GOES, CUT_BOTH } cut_fate;

/* Cuts a particle across the way to another. False where it cannot be: it is held, or all of its surface is on
   one side, or a part would have no mass. Leaves marks, which cut_unmark takes away. */
bool cut_make(cutter *w, cut *c, int32_t particle, int32_t towards);

/* Takes the marks of a cut away, and leaves others at all corners of what is around the particle. */
void cut_unmark(cutter *w, const cut *c, uint8_t left);

/* Whether surfaces that are to stay apart would intersect at the two parts: exactly. */
bool cut_intersects(const cutter *w, const cut *c);

/* Whether no edge of a piece has torn. */
bool cut_is_whole(const cutter *w, int32_t piece);

/* Whether two particles are corners of one such piece. */
bool cut_is_edge(const cutter *w, int32_t one, int32_t other);

/* Where a spring or constraint at the particle belongs. */
cut_fate cut_spring(const cutter *w, const cut *c, int32_t spring);
cut_fate cut_constraint(const cutter *w, const cut *c, int32_t constraint);

#endif
