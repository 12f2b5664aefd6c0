/* The surface store: what of the particles touches what. contact/self_contact.h tells how. */
#ifndef MSD_ENGINE_STORE_SURFACE_H
#define MSD_ENGINE_STORE_SURFACE_H

#include "engine/base/growth.h"
#include "engine/store/particle.h"

typedef struct surface_entry {
  int32_t first_triangle, triangle_count;
  int32_t first_segment, segment_count;
  /* MSD_CONTACT_THICKNESS: the world's. */
  msd_real thickness;
  /* MSD_CONTACT_FRICTION: none of its own. */
  msd_real friction;
  bool touches_itself;
} surface_entry;

/* Two that ignore each other, the lower first. */
typedef struct surface_pair {
  int32_t low, high;
} surface_pair;

/* How the lists of pairs are made that may meet, as those before have lasted: the least skin, in m, and for how
   many substeps; 0: none has been made. And in m/s^2 what all particles have of late gained of velocity, x y z,
   where they share that, or 0. All else that a step begins with is in the state of the particles. */
typedef struct surface_habit {
  double skin;
  double bend[3];
  int32_t substeps;
} surface_habit;

typedef struct surface_store {
  int32_t count, capacity;
  surface_entry *entries;
  int32_t triangle_count, triangle_capacity;
  int32_t (*triangles)[3];
  int32_t segment_count, segment_capacity;
  int32_t (*segments)[2];
  /* Of the first particles: where they were when their surface was added. */
  int32_t rest_count, rest_capacity;
  msd_vec3 *rest;
  /* Ascending. That the parts of one ignore each other is in its entry. */
  int32_t ignored_count, ignored_capacity;
  surface_pair *ignored;
  surface_habit habit;
} surface_store;

void surface_store_free(surface_store *s, memory *m);

/* Room for more; `particles` is how many there are in all. On failure nothing has changed. */
bool surface_store_reserve(surface_store *s, memory *m, int64_t surfaces, int64_t triangles, int64_t segments,
                           int32_t particles);

/* Adds a definition that was checked, with room reserved. */
void surface_store_append(surface_store *s, const particle_store *p, const msd_surface_def *def);

/* Gives a particle the place at rest of another, with room reserved. */
void surface_store_append_rest(surface_store *s, int32_t particle, int32_t other);

/* Takes out the triangles and segments that `drops` says, by their surface and corners; returns whether there
   were some. */
typedef bool surface_drops(const void *context, int32_t surface, const int32_t *corners, int count);
bool surface_store_drop(surface_store *s, surface_drops *drops, const void *context);

/* Moves surfaces, as growth_close_gaps, and their corners to other indices; NULL: these or those stay. Those
   that go have nothing left. */
void surface_close_gaps(surface_store *s, memory *m, const int32_t *to, const int32_t *particle_to);

/* As it was added; its lists are those of the store. */
msd_surface_def surface_def_of(const surface_store *s, int32_t surface);

/* Room for so many pairs in all that ignore each other. On failure nothing has changed. */
bool surface_store_reserve_ignored(surface_store *s, memory *m, int64_t pairs);

/* Whether surfaces ignore each other, and lets them, where there is room for one pair more. The two may be
   one. */
bool surface_store_ignores(const surface_store *s, int32_t surface, int32_t other);
void surface_store_ignore(surface_store *s, int32_t surface, int32_t other);

/* How many pairs do not ignore each other, a surface and itself among them, of those of which something is
   left; INT32_MAX: so many or more. */
int32_t surface_store_touching(const surface_store *s);

#endif
