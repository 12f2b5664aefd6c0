/* The particle store: positions, velocities and masses as a structure of arrays.

   A state is one slab of memory: component c of the particle in slot n stands at slab[c*stride + n], where n
   is the particle's index unless the network was put in another order (order.h). There are two slabs; a
   substep reads one and writes the other. A third comes and goes (wave.h). Each component starts on a line of
   64 bytes, and stride is 5*64 bytes modulo 4096, so that the components of one particle never share a set of
   the cache. In front of and behind each component lie at least PARTICLE_GUARD zeros, which vector loads of
   neighbours i-d and i+d may touch. */
#ifndef MSD_ENGINE_STORE_PARTICLE_H
#define MSD_ENGINE_STORE_PARTICLE_H

#include "engine/base/growth.h"

#include <math.h>

enum { PARTICLE_GUARD = 16, PARTICLES_MAX = INT32_MAX - PARTICLE_GUARD };

enum component { POSITION_X, POSITION_Y, POSITION_Z, VELOCITY_X, VELOCITY_Y, VELOCITY_Z, COMPONENTS };

/* A pin on its way to a place that it reaches at the end of the next step. */
typedef struct pin_move {
  int32_t particle;
  msd_vec3 target;
} pin_move;

typedef struct particle_store {
  int32_t count, capacity;
  int32_t pinned; /* how many have inverse mass 0 */
  size_t stride;
  msd_real *slab[2]; /* component 0 of slot 0 */
  void *slab_memory[2];
  msd_real *spare_slab; /* a third slab, of no particular content; NULL: none */
  void *spare_memory;
  int current;            /* the slab that holds the present state */
  int32_t *slot;          /* of each particle in slabs and forces; NULL: its index */
  msd_real *inverse_mass; /* 1/kg, 0 when pinned; PARTICLE_GUARD zeros behind the last */
  msd_real *mass;         /* kg, also of pinned particles */
  int32_t *valence;       /* unbroken springs at each particle */
  msd_real *force;        /* N during the next step, three components with the stride of a slab, or NULL */
  bool forced;            /* some force is not 0 */
  pin_move *moves;
  int32_t move_count, move_capacity;
} particle_store;

/* 1/mass when that is a number that a step can use, else 0. */
static inline msd_real particle_inverse(msd_real mass) {
  const msd_real inverse = 1 / mass;
  return isfinite(mass) && mass > 0 && isfinite(inverse) && inverse > 0 ? inverse : 0;
}

/* Bytes that each particle takes, in two slabs and all. */
size_t particle_bytes(void);

extern const growth_table pin_move_growth;

/* Room for `needed` particles in all. False when there is no memory. */
bool particle_store_reserve(particle_store *p, memory *m, int64_t needed);
void particle_store_free(particle_store *p, memory *m);

/* Reals between two components of a slab for that capacity, and of a whole slab. */
size_t particle_stride(int64_t capacity);

/* A zeroed array of `components` components with the stride of the store; *block is what to release. */
msd_real *particle_allocate_slab(const particle_store *p, memory *m, int components, void **block);

/* Makes sure that there is a spare slab, or none; false when there is no memory. */
bool particle_reserve_spare(particle_store *p, memory *m);
void particle_release_spare(particle_store *p, memory *m);

/* The spare slab becomes the current one, and that the spare one. */
void particle_swap_spare(particle_store *p);

static inline const msd_real *particle_state(const particle_store *p) {
  return p->slab[p->current];
}

static inline size_t particle_slot(const particle_store *p, int32_t particle) {
  return (size_t)(p->slot ? p->slot[particle] : particle);
}

static inline msd_vec3 particle_vector(const particle_store *p, int component, int32_t particle) {
  const msd_real *at = p->slab[p->current] + (size_t)component * p->stride + particle_slot(p, particle);
  return (msd_vec3){at[0], at[p->stride], at[2 * p->stride]};
}

static inline void particle_set_vector(particle_store *p, int component, int32_t particle, msd_vec3 value) {
  msd_real *at = p->slab[p->current] + (size_t)component * p->stride + particle_slot(p, particle);
  at[0] = value.x;
  at[p->stride] = value.y;
  at[2 * p->stride] = value.z;
}

/* Bytes of an array of slots for all particles that the store has room for. */
size_t particle_slot_bytes(const particle_store *p);

/* Puts the particles in other slots: slot[i] is the new one of particle i, NULL for its index. The array
   becomes the store's. Forces and states move along. */
void particle_move_to_slots(particle_store *p, int32_t *slot, memory *m);

/* Before and after a step of `time_step` seconds: pins that move get the velocity of their motion, then
   stand still, at their targets if the step went well. */
void particle_moves_begin(particle_store *p, double time_step);
void particle_moves_end(particle_store *p, bool arrived);

/* Removes the forces of the last step. */
void particle_clear_forces(particle_store *p);

/* The distance between two particles, and the unit vector from b to a (0 when they are in one place). */
double particle_direction(const particle_store *p, int32_t a, int32_t b, double unit[3]);

#endif
