/* What of the surfaces nothing keeps apart: pairs that intersect already, and pairs that prescribed motion has
   forced together.

   No plane divides a pair that intersects, and a force would hold it where it is. Such pairs, the tangled ones,
   get neither until they are apart. Two ways lead into the set:

       found       where the caller has put particles, triangles and segments that intersect are found exactly
                   (intersection/intersections.h). Of an edge that goes through a triangle all pairs between
                   the two are tangled: its ends with the triangle, and itself with the three edges.
       pinched     a prescribed particle, whose inverse mass is 0, has passed the plane of a pair, though all of
                   its free corners stayed where they were.

   and one out of it: a pair of which nothing intersects, and which is further apart than its thickness. To see
   that, and to follow a crossing from one triangle to the next, all that has a corner of a tangled pair is
   looked at again, exactly, whenever lists of pairs are made. An edge can only come through a triangle where
   one of the pairs between the two is tangled, so what is not looked at cannot have begun to intersect; but
   where it is prescribed as a whole, edge and triangle and all that has the edge, which is none of these.

   Pairs with four prescribed corners are seen where something hangs on them (near_choice.h), and pinched. What
   hangs there is still kept apart: of a crossing all of whose known pairs have been pinched, and one pair of
   which is prescribed as a whole, no other pair is taken up. It goes as it came, by those that it has.

   Pairs are kept by particle and in ascending order, so that they are the same for any order of slots and any
   number of threads, and go into snapshots as they are. */
#ifndef MSD_ENGINE_CONTACT_TANGLES_H
#define MSD_ENGINE_CONTACT_TANGLES_H

#include "engine/contact/pair_search.h"
#include "engine/store/revision.h"
#include "engine/store/surface.h"

typedef struct tangled_pair {
  /* In the order of pair_search.h; the corners of a triangle, the ends of an edge and two edges ascend. */
  int32_t particle[PAIR_CORNERS];
  pair_kind kind;
  /* Of the point or the first edge, and of what it is paired with. */
  int32_t surface[2];
  bool is_pinched;
  /* It is between an edge and a triangle that intersect. */
  bool crosses;
} tangled_pair;

/* A triangle or a segment, of two or three corners. */
typedef struct tangled_piece {
  int32_t particle[SURFACE_CORNERS];
  int count;
  int32_t surface;
} tangled_piece;

/* Whose tangles they are. All of it must stay where it is. */
typedef struct tangled_bodies {
  const surface_store *surfaces;
  const particle_store *particles;
  /* m: of surfaces that have none of their own. */
  msd_real thickness;
} tangled_bodies;

/* Where all are, by slot, and who looks. */
typedef struct tangled_places {
  const msd_real *positions;
  size_t stride;
  const msd_tasks *tasks;
  int threads;
} tangled_places;

/* Begin with all zeros. */
typedef struct tangles {
  int32_t count, capacity;
  /* Ascending. */
  tangled_pair *pairs;
  /* Pairs of triangles or segments that intersected when last looked at, without those that cannot move; and
     the first of them. */
  int64_t crossings;
  tangled_piece first[2];
  /* Pairs pinched since the beginning, and the first of them. */
  int64_t pinched;
  tangled_pair first_pinched;

  tangled_bodies of;
  /* By slot: the particle, and whether a pair has it. */
  int32_t *particle;
  bool *is_tangled;
  /* By particle: the first surface that has it; -1: none. */
  int32_t *surface;
  /* What is there by slot, and what intersects. */
  revision placed_for, found_for;
} tangles;

extern const growth_table tangled_pair_growth;

void tangles_free(tangles *t, memory *m);

/* Follows the particles to other slots, and other surfaces. False without memory. */
bool tangles_place(tangles *t, memory *m, const tangled_bodies *of);

/* Finds the set anew, for positions by slot, three components with that stride. What has been pinched, and
   still crosses, stays so. False without memory. */
bool tangles_find(tangles *t, memory *m, const tangled_places *at);

/* Lets go what is apart, and takes up what crossings have come to. False, with the set as it was or larger,
   without memory. */
bool tangles_review(tangles *t, memory *m, const tangled_places *at);

/* Room for so many pairs more. */
bool tangles_make_room(tangles *t, memory *m, int64_t more);

/* Takes up a pair that was forced, for which there is room. In the order of the list. */
void tangles_pinch(tangles *t, pair_kind kind, const int32_t slots[PAIR_CORNERS]);

/* Whether a set that came from somewhere else is in order, and of particles and surfaces that there are. */
bool tangles_are_sound(const tangles *t, const surface_store *surfaces);

/* How many pairs that were forced are not apart yet. */
int32_t tangles_count_pinched(const tangles *t);

/* The same pair as it is in the set. */
const tangled_pair *tangles_look_up(const tangles *t, pair_kind kind, const int32_t slots[PAIR_CORNERS]);

/* Whether nothing may keep the pair apart. */
static inline bool tangles_has(const tangles *t, pair_kind kind, const int32_t slots[PAIR_CORNERS]) {
  if (t->count == 0)
    return false;
  for (int corner = 0; corner < PAIR_CORNERS; corner++)
    if (!t->is_tangled[slots[corner]])
      return false;
  return tangles_look_up(t, kind, slots) != NULL;
}

#endif
