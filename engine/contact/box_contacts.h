/* Data of box_contact.h. */
#ifndef MSD_ENGINE_CONTACT_BOX_CONTACTS_H
#define MSD_ENGINE_CONTACT_BOX_CONTACTS_H

#include "engine/base/growth.h"
#include "engine/base/vec3.h"
#include "engine/collider/motion.h"

/* An element and a box that may touch. A segment repeats its last corner. */
typedef struct box_candidate {
  int32_t slots[3];
  /* Of the corners among the codes of box_runs: the index of the run times BOX_GROUP, and that within it. */
  int32_t places[3];
  /* Index of the box_motion. */
  int32_t box;
  bool is_segment;
  /* It violates the guarantee after the substep. Only from box_contact_check to box_contact_resolve. */
  bool is_violated;
} box_candidate;

/* Particles of a run. */
enum { BOX_GROUP = 16 };

/* Particles with slots that follow `first`, a multiple of BOX_GROUP, some of which are corners of candidates of
   a box. */
typedef struct box_run {
  int32_t box, first;
} box_run;

/* Where particles of a run are: bits 0 to 5 are the sides of the box, two of each axis. */
typedef struct box_codes {
  uint16_t of[BOX_GROUP];
} box_codes;

/* The coordinates of the particles of a run at x, in the frame of the box. */
typedef struct box_places {
  double at[3][BOX_GROUP];
} box_places;

/* Consecutive candidates of a box, in one leaf; and the runs with their corners, which are too many to list if
   run_count is negative. */
enum { BOX_BLOCK_RUNS = 12 };
typedef struct box_block {
  int32_t first, last, run_count;
  int32_t runs[BOX_BLOCK_RUNS];
} box_block;

/* A box when candidates were found. */
typedef struct box_reference {
  int32_t collider;
  double3 half;
  collider_frame frame;
} box_reference;

/* A particle that boxes push in a substep: the position after it, now and before the push; `first` is the first
   of its impulses as an index of impulse and corner, -1 for none. For the guard: `next` is its displacement,
   `first` the first of its planes likewise; and `is_back`, that it has gone back to x; `box` has moved it. */
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
  /* Of the impulses on each particle, as box_particle.first. */
  int32_t next[3];
  double weight[3];
  /* 1/kg, of the point that it acts on. */
  double inverse_mass;
  /* m, and in the frame of the box: the separation at x. */
  double distance;
  double3 side;
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
  /* m: the longest way of a particle from `at` to x, once known in the substep; and that in the substep when it
     became known. */
  bool knows_way;
  double way, way_within;
  msd_real *at;
  size_t stride;
  int32_t slot_count;
  /* Places of the edges that no triangle has (surface_mesh.h), once known. */
  bool knows_loose;
  int32_t *loose, loose_count, loose_capacity;
  box_candidate *candidates;
  int32_t candidate_count, candidate_capacity;
  box_block *blocks;
  int32_t block_count, block_capacity;
  box_run *runs;
  /* The codes by which elements are passed over (box_contact_passes); and the sides that particles are outside
     of at x. */
  box_codes *codes, *outside;
  /* By run: the bits that the codes of all its particles have in common. */
  uint16_t *common;
  box_places *places;
  int32_t run_count, run_capacity;
  /* The codes have been found in this substep. */
  bool is_marked;
  /* By slot / BOX_GROUP: a run that may have those particles. */
  int32_t *run_of;

  box_particle *particles;
  int32_t particle_count, particle_capacity;
  struct separation_moved *moved;
  int32_t moved_count, moved_capacity;
  box_plane_at *planes;
  int32_t plane_count, plane_capacity;
  box_impulse *impulses;
  int32_t impulse_count, impulse_capacity;
  /* Bits of impulses that must be computed again. */
  uint32_t *due;
  int32_t due_count, due_capacity;
  /* By slot: one more than the index in `particles`, within a phase of a substep; else 0. */
  int32_t *mark;
} box_contacts;

extern const growth_table box_particle_growth, box_impulse_growth, box_plane_growth, box_moved_growth,
    box_due_growth;

bool box_contacts_reserve(box_contacts *b, memory *m, int32_t particles, size_t stride);
void box_contacts_free(box_contacts *b, memory *m);

#endif
