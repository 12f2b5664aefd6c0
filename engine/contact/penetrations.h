/* Penetrations: pairs that nothing keeps apart, because they intersect already or because kinematic motion
   has forced them to.

   No plane separates a pair that intersects, and a contact force would hold it where it is. Such pairs get
   neither until they are apart. A pair becomes a penetration in one of two ways:

       found    Where the caller has placed particles, intersecting triangles and segments are found exactly
                (intersection/intersections.h). For an edge that pierces a triangle, all pairs between the two
                become penetrations: the ends of the edge with the triangle, the edge with the three sides.
       forced   A kinematic particle, whose inverse mass is 0, has crossed the plane of a pair although its
                free corners stayed where they were.

   It ceases to be one when nothing of the pair intersects and its distance exceeds its thickness. To detect
   this, and to follow a crossing from one triangle to the next, every triangle and segment with a corner of
   a penetration is tested again, exactly, whenever candidate pairs are listed. Nothing else can have begun
   to intersect: an edge can only pierce a triangle after one of the pairs between the two became a
   penetration. The exception is a fully kinematic crossing (the edge, the triangle and all that contains the
   edge), which is not recorded.

   Pairs with four kinematic corners are tracked only if a free primitive shares a vertex with them
   (active_set.h); they can only be forced. That free primitive is still kept apart: if all known pairs of a
   crossing were forced, and one of its pairs is fully kinematic, no other pair of the crossing is added. The
   crossing disappears as it came, through the pairs it has.

   Pairs are stored by particle index in ascending order. They are therefore the same for any order of slots
   and any number of threads, and snapshots contain them as they are. */
#ifndef MSD_ENGINE_CONTACT_PENETRATIONS_H
#define MSD_ENGINE_CONTACT_PENETRATIONS_H

#include "engine/contact/broad_phase.h"
#include "engine/store/fracture.h"
#include "engine/store/revision.h"

typedef struct penetrating_pair {
  /* Corners as in broad_phase.h, with those of a triangle, of an edge, and the two edges in ascending order. */
  int32_t particle[PAIR_CORNERS];
  pair_kind kind;
  /* Of the point or first edge, and of the triangle or second edge. */
  int32_t surface[2];
  bool is_forced;
  /* An edge and a triangle of this pair intersect. */
  bool crosses;
} penetrating_pair;

/* A triangle or a segment: three or two corners. */
typedef struct penetrating_piece {
  int32_t particle[SURFACE_CORNERS];
  int count;
  int32_t surface;
} penetrating_piece;

/* The bodies that a set of penetrations belongs to; must outlive it. Triangles and segments with an edge that
   is a torn spring are no part of them. */
typedef struct penetrating_bodies {
  const surface_store *surfaces;
  const particle_store *particles;
  const spring_store *springs;
  /* m: default for collision meshes without a thickness of their own. */
  msd_real thickness;
} penetrating_bodies;

/* Positions by slot, and the threads to use. */
typedef struct penetrating_places {
  const msd_real *positions;
  size_t stride;
  const msd_tasks *tasks;
  int threads;
} penetrating_places;

/* Initialize with zeros. */
typedef struct penetrations {
  int32_t count, capacity;
  /* In ascending order. */
  penetrating_pair *pairs;
  /* Pairs of triangles or segments that intersected at the last test, except fully kinematic ones; and the
     first of them. */
  int64_t crossings;
  penetrating_piece first[2];
  /* Forced intersections since the beginning, and the first of them. */
  int64_t forced_count;
  penetrating_pair first_forced;

  penetrating_bodies of;
  torn_edges torn;
  /* By slot: the particle; whether some penetration contains it. */
  int32_t *particle;
  bool *is_penetrating;
  /* By particle: the first collision mesh that contains it, or -1. */
  int32_t *surface;
  /* Revisions of the order of slots, and of the positions at the last search. */
  revision placed_for, found_for;
} penetrations;

extern const growth_table penetrating_pair_growth;

/* False before penetrations_place, and after it found no memory: particles of contacts are then not known. */
static inline bool penetrations_are_placed(const penetrations *t) {
  return t->particle != NULL;
}

void penetrations_free(penetrations *t, memory *m);

/* Adapts to another order of slots, other collision meshes or further torn springs. False without memory. */
bool penetrations_place(penetrations *t, memory *m, const penetrating_bodies *of);

/* Finds all penetrations from scratch; positions have three components by slot. Forced pairs that still
   cross stay marked as forced. False without memory. */
bool penetrations_find(penetrations *t, memory *m, const penetrating_places *at);

/* Removes pairs that are apart, and adds those that crossings have moved to. False without memory; the pairs
   are then as before, or more. */
bool penetrations_update(penetrations *t, memory *m, const penetrating_places *at);

/* Reserves memory for `more` further pairs. */
bool penetrations_make_room(penetrations *t, memory *m, int64_t more);

/* Adds a forced pair in its place; needs reserved memory. Ignores pairs that are known already. */
void penetrations_add_forced(penetrations *t, pair_kind kind, const int32_t slots[PAIR_CORNERS]);

/* Validates pairs read from a snapshot: their order, particles and collision meshes. */
bool penetrations_are_sound(const penetrations *t, const surface_store *surfaces);

/* How many forced pairs are not yet apart. */
int32_t penetrations_count_forced(const penetrations *t);

/* True if some stored pair contains the particle. */
bool penetrations_contain(const penetrations *t, int32_t particle);

/* The stored pair with these corners, or NULL. */
const penetrating_pair *penetrations_look_up(const penetrations *t, pair_kind kind,
                                             const int32_t slots[PAIR_CORNERS]);

/* True if forces and planes must ignore the pair. */
static inline bool penetrations_has(const penetrations *t, pair_kind kind,
                                    const int32_t slots[PAIR_CORNERS]) {
  if (t->count == 0)
    return false;
  for (int corner = 0; corner < PAIR_CORNERS; corner++)
    if (!t->is_penetrating[slots[corner]])
      return false;
  return penetrations_look_up(t, kind, slots) != NULL;
}

#endif
