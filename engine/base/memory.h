/* What every room of the engine shares: memory with a budget, and the cookies of definitions. */
#ifndef MSD_ENGINE_BASE_MEMORY_H
#define MSD_ENGINE_BASE_MEMORY_H

#include "msd/msd.h"

/* A definition that was not made by its msd_default_..._def function does not carry its cookie. */
enum {
  MSD_WORLD_COOKIE = 0x6d736401,
  MSD_PARTICLE_COOKIE = 0x6d736402,
  MSD_SPRING_COOKIE = 0x6d736403,
  MSD_ROPE_COOKIE = 0x6d736404,
  MSD_CLOTH_COOKIE = 0x6d736405,
  MSD_MESH_COOKIE = 0x6d736406,
  MSD_BLOCK_COOKIE = 0x6d736407,
  MSD_STRETCH_TARGET_COOKIE = 0x6d736408,
  MSD_CONSTRAINT_COOKIE = 0x6d736409,
  MSD_ANCHOR_COOKIE = 0x6d73640a,
  MSD_ROTOR_COOKIE = 0x6d73640b,
  MSD_ANGULAR_SPRING_COOKIE = 0x6d73640c,
  MSD_TETMESH_COOKIE = 0x6d73640d,
  MSD_TETHERS_COOKIE = 0x6d73640e
};

/* The memory of one world: its allocator, the bytes in use and the most it may use. */
typedef struct memory {
  msd_allocator allocator;
  size_t used, limit;
  bool over_limit; /* the last refusal was for the limit, not for want of memory */
} memory;

/* The allocator of the C library, with the alignment that msd_allocator asks for. */
msd_allocator core_default_allocator(void);

/* `bytes` of memory aligned to 64 bytes, zeroed; NULL when over the limit or the allocator has none. */
void *memory_allocate(memory *m, size_t bytes);
void memory_release(memory *m, void *block); /* NULL is allowed */

/* What memory_allocate(bytes) adds to `used`. */
size_t memory_cost(size_t bytes);

#endif
