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
  bool touches_itself;
} surface_entry;

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
} surface_store;

extern const growth_table surface_growth, surface_triangle_growth, surface_segment_growth,
    surface_rest_growth;

void surface_store_free(surface_store *s, memory *m);

/* Room for more; `particles` is how many there are in all. On failure nothing has changed. */
bool surface_store_reserve(surface_store *s, memory *m, int64_t surfaces, int64_t triangles, int64_t segments,
                           int32_t particles);

/* Adds a definition that was checked, with room reserved. */
void surface_store_append(surface_store *s, const particle_store *p, const msd_surface_def *def);

#endif
