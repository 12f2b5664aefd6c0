/* The collision mesh store: the triangles and segments that collide. contact/self_contact.h explains how. */
#ifndef MSD_ENGINE_STORE_SURFACE_H
#define MSD_ENGINE_STORE_SURFACE_H

#include "engine/base/growth.h"
#include "engine/store/particle.h"

typedef struct surface_entry {
  int32_t first_triangle, triangle_count;
  int32_t first_segment, segment_count;
  /* MSD_CONTACT_THICKNESS: the value of the world. */
  msd_real thickness;
  /* MSD_CONTACT_FRICTION: no value of its own. */
  msd_real friction;
  bool self_collision;
} surface_entry;

/* Two meshes that do not collide with each other, low < high. */
typedef struct surface_pair {
  int32_t low, high;
} surface_pair;

/* Learned settings of the neighbor lists: the smallest skin in m, and the lifetime in substeps (0: no list
   was built yet). `bend` is the recent common acceleration of all particles in m/s^2, or 0. The rest of the
   initial state of a frame is in the particles. */
typedef struct list_policy {
  double skin;
  double bend[3];
  int32_t substeps;
} list_policy;

typedef struct surface_store {
  int32_t count, capacity;
  surface_entry *entries;
  int32_t triangle_count, triangle_capacity;
  int32_t (*triangles)[3];
  int32_t segment_count, segment_capacity;
  int32_t (*segments)[2];
  /* The positions of the first rest_count particles when their mesh was added. */
  int32_t rest_count, rest_capacity;
  msd_vec3 *rest;
  /* Ascending. Excluded self-collision is stored in the entry of a mesh. */
  int32_t ignored_count, ignored_capacity;
  surface_pair *ignored;
  list_policy list_policy;
} surface_store;

void surface_store_free(surface_store *s, memory *m);

/* Reserves capacity for more elements; `particles` is the total number of particles. On failure nothing has
   changed. */
bool surface_store_reserve(surface_store *s, memory *m, int64_t surfaces, int64_t triangles, int64_t segments,
                           int32_t particles);

/* Appends a validated definition, with capacity reserved. */
void surface_store_append(surface_store *s, const particle_store *p, const msd_collision_mesh_def *def);

/* Copies the rest position of particle `other`, with capacity reserved. */
void surface_store_append_rest(surface_store *s, int32_t particle, int32_t other);

/* Removes the triangles and segments for which `drops` returns true. Returns whether any was removed. */
typedef bool surface_drops(const void *context, int32_t surface, const int32_t *corners, int count);
bool surface_store_drop(surface_store *s, surface_drops *drops, const void *context);

/* Renumbers meshes as column_compact does, and their corners. A map that is NULL is the identity. Meshes
   that are removed must be empty. */
void surface_close_gaps(surface_store *s, memory *m, const int32_t *to, const int32_t *particle_to);

/* The definition as it was added. Its arrays belong to the store. */
msd_collision_mesh_def surface_def_of(const surface_store *s, int32_t surface);

/* Reserves capacity for `pairs` excluded pairs in total. On failure nothing has changed. */
bool surface_store_reserve_ignored(surface_store *s, memory *m, int64_t pairs);

/* Return whether two meshes are excluded from collision, and exclude them, with capacity reserved. The two
   may be the same mesh. */
bool surface_store_ignores(const surface_store *s, int32_t surface, int32_t other);
void surface_store_ignore(surface_store *s, int32_t surface, int32_t other);

/* The number of pairs of non-empty meshes that may collide, including a mesh with itself. At most
   INT32_MAX. */
int32_t surface_store_touching(const surface_store *s);

#endif
