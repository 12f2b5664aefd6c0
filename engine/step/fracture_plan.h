/* Plans the split of a particle in two by a plane across a spring: which elements, springs and constraints
   move to the new particle, and how the mass is divided (step/fracture.h). The model is not modified. */
#ifndef MSD_ENGINE_STEP_FRACTURE_PLAN_H
#define MSD_ENGINE_STEP_FRACTURE_PLAN_H

#include "engine/base/vec3.h"
#include "engine/step/one_ring.h"

/* Particle marks: corner of the moving side, corner of the staying side, and cannot be split. */
enum { MARK_GOES = 1, MARK_STAYS = 2, MARK_IS_HELD = 4 };

/* State of a series of splits. The caller owns all arrays. */
typedef struct cutter {
  const world_model *model;
  /* Substep in s for which the row sums are computed. */
  double substep;
  one_ring around;
  /* By particle. */
  uint8_t *marks;
  /* By element (triangle or segment): true if it moved to the new particle in the last split at one of its
     corners. */
  bool *goes;
} cutter;

typedef struct cut {
  int32_t particle, towards;
  /* Index that the new particle will have. */
  int32_t part;
  /* Position of the particle in m, and the unit vector and distance in m to `towards`. */
  double3 at, normal;
  double length;
  /* Fraction of the mass that moves, and the two masses in kg. */
  double share;
  msd_real kept, gone;
  /* Initial positions of the two particles in m: a tiny gap apart, with the center of mass unchanged. */
  msd_vec3 stays_at, goes_to;
} cut;

/* CUT_BOTH: an edge on both sides of the cut, or a constraint across it. */
typedef enum cut_fate { CUT_STAYS, CUT_GOES, CUT_BOTH } cut_fate;

/* Plans the split of a particle by the plane across the direction to `towards`. Returns false if it cannot be
   split: it is excluded, its elements are all on one side, or one particle would have no mass. Leaves marks,
   which cut_unmark clears. */
bool cut_make(cutter *w, cut *c, int32_t particle, int32_t towards);

/* Clears the marks of a split, and sets the marks `left` at all corners of the elements around the
   particle. */
void cut_unmark(cutter *w, const cut *c, uint8_t left);

/* True if collision meshes that must stay separate would intersect after the split. The test is exact. */
bool cut_intersects(const cutter *w, const cut *c);

/* True if no edge of the element is torn. */
bool cut_is_whole(const cutter *w, int32_t element);

/* True if two particles are corners of the same untorn element. */
bool cut_is_edge(const cutter *w, int32_t one, int32_t other);

/* Side to which a spring or constraint at the particle belongs. */
cut_fate cut_spring(const cutter *w, const cut *c, int32_t spring);
cut_fate cut_constraint(const cutter *w, const cut *c, int32_t constraint);

#endif
