/* msd: many particles in one call, between the world and the memory of a program, in whatever layout that
   has: a mapped vertex buffer, an array of structures, a table of another library. Views of the arrays of the
   world itself, without a copy, are in particle.h. */
#ifndef MSD_BULK_H
#define MSD_BULK_H

#include "msd/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Which particles, in which order: element i is particle indices[i], or first + i where indices is NULL. A
   list may name a particle several times; what is written last then stays. */
typedef struct msd_particles {
  const int32_t *indices;
  int32_t first, count;
} msd_particles;

static inline msd_particles msd_particles_in_range(msd_range range) {
  msd_particles p;
  p.indices = (const int32_t *)0;
  p.first = range.first;
  p.count = range.count;
  return p;
}

static inline msd_particles msd_particles_in_list(const int32_t *indices, int32_t count) {
  msd_particles p;
  p.indices = indices;
  p.first = 0;
  p.count = count;
  return p;
}

/* What of a particle: the number of its components, and what writing it does. */
typedef enum msd_quantity {
  /* 3, m: as msd_particle_set_position. */
  MSD_POSITION,
  /* 3, m/s: as msd_particle_set_velocity. */
  MSD_VELOCITY,
  /* 3, N: the force that acts during the next step, in place of what has been applied so far. */
  MSD_FORCE,
  /* 3, m: where a pin is carried by the next step, as msd_particle_move_to; what is read is the present
     position where it is not sent anywhere. */
  MSD_TARGET,
  /* 1, kg: as msd_particle_set_mass. */
  MSD_MASS,
  /* 1: 0 is free, anything else pinned, as msd_particle_unpin and msd_particle_pin; a particle that is so
     already is left alone. 1 is read. */
  MSD_PINNED,
  MSD_QUANTITY_COUNT
} msd_quantity;

/* 3 or 1; 0 for another number. */
MSD_API int msd_quantity_components(msd_quantity quantity);

typedef enum msd_number {
  MSD_NUMBER_REAL, /* msd_real */
  MSD_NUMBER_FLOAT,
  MSD_NUMBER_DOUBLE,
  MSD_NUMBER_BYTE, /* uint8_t, for MSD_PINNED */
  MSD_NUMBER_COUNT
} msd_number;

/* How elements lie in memory. All zeros: numbers of type msd_real without gaps, x y z x y z. Nothing has to be
   aligned. */
typedef struct msd_layout {
  /* Bytes from an element to the next; 0: without gaps. 16 for the xyz of floats that are padded to four. */
  size_t stride;
  /* Bytes from a component of an element to the next; 0: they follow each other. For three arrays of their own:
     the bytes from one array to the next. */
  size_t component_stride;
  /* Default MSD_NUMBER_REAL. */
  msd_number number;
} msd_layout;

/* Fills `to` with a quantity of particles, destroyed ones as removal.h says; bytes between the numbers are
   left alone. Numbers are rounded to the type that is asked for. MSD_BAD_INDEX, or MSD_BAD_VALUE of an unknown
   quantity or number, a negative count, a stride within which an element has no room, or no memory where there
   is something to read: nothing is filled. Leaves no message, as many threads may read a world at once.
   O(count). */
MSD_API msd_result msd_world_read(const msd_world *world, msd_particles which, msd_quantity quantity,
                                  msd_layout layout, void *to);

/* Gives particles a quantity: all of them, or none. A range may have some that were destroyed, which are left
   alone. MSD_BAD_INDEX; MSD_BAD_VALUE as above, of numbers that the
   particle could not have, and for targets of what is not pinned; MSD_OUT_OF_MEMORY. O(count). */
MSD_API msd_result msd_world_write(msd_world *world, msd_particles which, msd_quantity quantity,
                                   msd_layout layout, const void *from);

#ifdef __cplusplus
}
#endif

#endif
