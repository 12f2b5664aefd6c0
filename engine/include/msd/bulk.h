/* msd: bulk access to particle attributes: copies between a world and memory of the program.

   The memory can have any layout: a mapped vertex buffer, an array of structures, a table of another library.
   particle.h has views of the arrays of the world, which need no copy. */
#ifndef MSD_BULK_H
#define MSD_BULK_H

#include "msd/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A selection of particles and their order: element i is particle indices[i], or first + i if indices is
   NULL. A list may name a particle more than once; the last value written then remains. */
typedef struct msd_particle_set {
  const int32_t *indices;
  int32_t first, count;
} msd_particle_set;

/* Selects the particles of a range. */
static inline msd_particle_set msd_particle_set_of_range(msd_range range) {
  msd_particle_set p;
  p.indices = (const int32_t *)0;
  p.first = range.first;
  p.count = range.count;
  return p;
}

/* Selects particles by a list of indices, which must stay valid while the selection is used. */
static inline msd_particle_set msd_particle_set_of_list(const int32_t *indices, int32_t count) {
  msd_particle_set p;
  p.indices = indices;
  p.first = 0;
  p.count = count;
  return p;
}

/* Particle attributes. Each comment gives the number of components, the unit, and the effect of writing. */
typedef enum msd_attribute {
  /* 3, m: as msd_particle_set_position. */
  MSD_POSITION,
  /* 3, m/s: as msd_particle_set_velocity. */
  MSD_VELOCITY,
  /* 3, N: the force that acts during the next msd_world_step. It replaces forces applied so far. */
  MSD_FORCE,
  /* 3, m: kinematic target of a pinned particle in the next msd_world_step, as msd_particle_move_to. Reading
     returns the current position of a particle that has no target. */
  MSD_TARGET,
  /* 1, kg: as msd_particle_set_mass. */
  MSD_MASS,
  /* 1: 0 is free, any other value is pinned, as msd_particle_unpin and msd_particle_pin. A particle that is
     already in the requested state is unchanged. Reading returns 0 or 1. */
  MSD_PINNED,
  MSD_ATTRIBUTE_COUNT
} msd_attribute;

/* Returns the number of components of an attribute, 3 or 1; 0 for any other number. */
MSD_API int msd_attribute_components(msd_attribute attribute);

/* Scalar type of the components in memory. */
typedef enum msd_scalar {
  MSD_SCALAR_REAL, /* msd_real */
  MSD_SCALAR_FLOAT,
  MSD_SCALAR_DOUBLE,
  MSD_SCALAR_BYTE, /* uint8_t, for MSD_PINNED */
  MSD_SCALAR_COUNT
} msd_scalar;

/* Memory layout of a buffer. All zeros: msd_real components without gaps, x y z x y z. No alignment is
   required. */
typedef struct msd_memory_layout {
  /* Bytes from one element to the next; 0: without gaps. 16 for float positions padded to four components. */
  size_t stride;
  /* Bytes from one component of an element to the next; 0: components are adjacent. For three separate
     arrays, the bytes from one array to the next. */
  size_t component_stride;
  /* Default MSD_SCALAR_REAL. */
  msd_scalar number;
} msd_memory_layout;

/* Copies an attribute of particles to memory. Values are rounded to the requested scalar type, and bytes
   between the values are not touched. removal.h describes the values of destroyed particles. Returns, without
   writing anything:
   - MSD_BAD_INDEX if a particle does not exist.
   - MSD_BAD_VALUE for an unknown attribute or scalar type, a negative count, a stride too small for an
     element, or NULL memory with a count above 0.

   Sets no message, because many threads may read a world at the same time. O(count). */
MSD_API msd_result msd_world_read(const msd_world *world, msd_particle_set which, msd_attribute attribute,
                                  msd_memory_layout layout, void *to);

/* Sets an attribute of particles from memory, for all of them or none. Destroyed particles in a range are
   skipped. Returns:
   - MSD_BAD_INDEX if a particle does not exist.
   - MSD_BAD_VALUE as msd_world_read, and if a value is out of its range or a particle with a target is not
     pinned.
   - MSD_OUT_OF_MEMORY.

   O(count). */
MSD_API msd_result msd_world_write(msd_world *world, msd_particle_set which, msd_attribute attribute,
                                   msd_memory_layout layout, const void *from);

#ifdef __cplusplus
}
#endif

#endif
