/* Data of box_contact.h. */
#ifndef MSD_ENGINE_CONTACT_BOX_CONTACTS_H
#define MSD_ENGINE_CONTACT_BOX_CONTACTS_H

#include "engine/base/growth.h"
#include "engine/base/vec3.h"
#include "engine/collider/motion.h"

/* An element and a box that may touch. A segment repeats its last corner. */
typedef struct box_candidate {
  int32_t slots[3];
  /* Index of the box_motion. */
  int32_t box;
  bool is_segment;
  /* It violates the guarantee after the substep. */
  bool is_violated;
} box_candidate;

/* A box when candidates were found. */
typedef struct box_reference {
  int32_t collider;
  double3 half;
  collider_frame frame;
} box_reference;

/* A particle that boxes push in a substep: the position after it, now and before the push. For the guard:
   `next` is its displacement, `first` the first of its planes as an index of plane and corner, -1 for none;
   and `is_back`, that it has gone back to x; `box` has moved it. */
typedef struct box_particle {
  int32_t slot, first, box;
  bool is_back;
  double inverse_mass;
  double3 x, next, given;
} box_particle;

/* The plane of an element with a corner that the guard moves, in the world: normal . x >= offset. `next`: of
   the planes at each corner, as box_particle.first. */
typedef struct box_plane_at {
  double3 normal;
  double offset;
  int32_t next[3];
} box_plane_at;

/* An impulse of a box on an element; see box_contact.h. */
typedef struct box_impulse {
  int32_t box, corners;
  int32_t particles[3];
  double weight[3];
  /* 1/kg, of the point that it acts on. */
  double inverse_mass;
  /* normal . point >= least in m; `way` is the displacement of the box there. */
  double3 normal, way;
  double least;
  /* kg m: along the normal, and of friction. */
  double push;
  double3 rub;
} box_impulse;

typedef struct box_contacts {
  struct box_motion *boxes;
  int32_t box_count, box_capacity;
  box_reference *references;
  int32_t reference_count, reference_capacity;

  /* Candidates are those of `references` and of the positions `at`, three components by slot, and cover all
     states within `radius` in m of them. */
  bool holds;
  double radius;
  msd_real *at;
  size_t stride;
  int32_t slot_count;
  /* Places of the edges that no triangle has (surface_mesh.h), once known. */
  bool knows_loose;
  int32_t *loose, loose_count, loose_capacity;
  box_candidate *candidates;
  int32_t candidate_count, candidate_capacity;

  box_particle *particles;
  int32_t particle_count, particle_capacity;
  struct separation_moved *moved;
  int32_t moved_count, moved_capacity;
  box_plane_at *planes;
  int32_t plane_count, plane_capacity;
  box_impulse *impulses;
  int32_t impulse_count, impulse_capacity;
  /* By slot: one more than the index in `particles`, within a phase of a substep; else 0. */
  int32_t *mark;
} box_contacts;

extern const growth_table box_particle_growth, box_impulse_growth, box_plane_growth, box_moved_growth;

bool box_contacts_reserve(box_contacts *b, memory *m, int32_t particles, size_t stride);
void box_contacts_free(box_contacts *b, memory *m);

#endif
