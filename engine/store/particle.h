/* The particle store: positions, velocities and masses as a structure of arrays.

   A state is one slab of memory: component c of the particle in slot n stands at slab[c*stride + n], where n
   is the particle's index unless the network has another order (network/particle_order.h). A substep reads one
   slab and writes another, which is there for as long as steps need it: those that go through records from
   their first substep to their last end in the slab that they began with. Temporal blocking uses a third
   (step/temporal_blocking.h). Each component starts on a line of 64 bytes, and stride is 5*64 bytes modulo
   4096, so that the components of one particle never share a set of the cache. In front of and behind each
   component lie at least PARTICLE_GUARD zeros, which vector loads of neighbours i-d and i+d may touch. */
#ifndef MSD_ENGINE_STORE_PARTICLE_H
#define MSD_ENGINE_STORE_PARTICLE_H

#include "engine/base/growth.h"

#include <math.h>
#include <string.h>

enum { PARTICLE_GUARD = 16, PARTICLES_MAX = INT32_MAX - PARTICLE_GUARD };

enum component { POSITION_X, POSITION_Y, POSITION_Z, VELOCITY_X, VELOCITY_Y, VELOCITY_Z, COMPONENTS };

/* A pin on its way to a target, which it reaches at the end of the next step. */
typedef struct pin_move {
  int32_t particle;
  msd_vec3 target;
} pin_move;

typedef struct particle_store {
  int32_t count, capacity;
  /* The number of particles with inverse mass 0. */
  int32_t pinned;
  size_t stride;
  /* They point to component 0 of slot 0. NULL: there is only the current one. */
  msd_real *slab[2];
  void *slab_memory[2];
  /* A third slab, of arbitrary content; NULL: none. */
  msd_real *spare_slab;
  void *spare_memory;
  /* Which slab holds the present state. */
  int current;
  /* The slot of each particle in slabs and forces; NULL: its index. */
  int32_t *slot;
  /* 1/kg, 0 when pinned; PARTICLE_GUARD zeros behind the last. */
  msd_real *inverse_mass;
  /* kg, also of pinned particles. */
  msd_real *mass;
  /* Unbroken springs and constraints at each particle, but for catches; at the parts of one that was split also
     those that the other took, so that none of them has more of the masses than before. */
  int32_t *valence;
  /* Of each whether it is pinned and was free when the limits of steps were last made (stability/cache.h): they
     certify that it is let go. NULL: none is; and how many are. */
  uint8_t *newly_pinned;
  int32_t newly_pinned_count;
  /* The particle that was added of which each is a part; NULL: none was split. */
  int32_t *origin;
  /* How many are parts of others. */
  int32_t parts;
  /* N during the next step, three components with the stride of a slab, or NULL. */
  msd_real *force;
  /* Whether some force is not 0. */
  bool forced;
  /* In any order; each particle has one at most. */
  pin_move *moves;
  int32_t move_count, move_capacity;
  /* The number of the move of each particle among them, from 1 on; 0: it has none. NULL: none ever had one. */
  int32_t *move_of;
} particle_store;

/* 1/mass where that is usable in a step, else 0. */
static inline msd_real particle_inverse(msd_real mass) {
  const msd_real inverse = 1 / mass;
  return isfinite(mass) && mass > 0 && isfinite(inverse) && inverse > 0 ? inverse : 0;
}

/* Bytes that each particle takes in all arrays. */
size_t particle_bytes(void);

/* Makes room for `needed` particles in all. False when there is no memory. */
bool particle_store_reserve(particle_store *p, memory *m, int64_t needed);
void particle_store_free(particle_store *p, memory *m);

/* Makes room for origins. False when there is no memory. */
bool particle_open_origins(particle_store *p, memory *m);

/* Adds a part of a particle with its place, velocity and valence, with room reserved and origins open. The
   particle keeps so many kg of its mass, and the part has what has gone. */
void particle_append_part(particle_store *p, int32_t particle, msd_real kept, msd_real gone);

/* The distance in reals between two components of a slab of that capacity. */
size_t particle_stride(int64_t capacity);

/* Of an array of so many components with that stride. */
size_t particle_slab_bytes(size_t stride, int components);

/* A zeroed array of `components` components with the stride of the store; *block is for memory_release. */
msd_real *particle_allocate_slab(const particle_store *p, memory *m, int components, void **block);

/* Makes sure that there is a slab beside the current one, in which whoever sleeps is where he is in that one;
   false when there is no memory. */
bool particle_reserve_other(particle_store *p, memory *m);
void particle_release_other(particle_store *p, memory *m);

/* Makes sure that there is a spare slab; false when there is no memory. */
bool particle_reserve_spare(particle_store *p, memory *m);
void particle_release_spare(particle_store *p, memory *m);

/* Swaps the spare slab and the current one. */
void particle_swap_spare(particle_store *p);

static inline const msd_real *particle_state(const particle_store *p) {
  return p->slab[p->current];
}

/* The slab that a step from the current one ends in after one substep. */
static inline msd_real *particle_next_slab(const particle_store *p) {
  return p->slab[!p->current] ? p->slab[!p->current] : p->slab[p->current];
}

/* Behind so many substeps, of which each ended in the other slab, where there is one. */
static inline void particle_pass(particle_store *p, int substeps) {
  p->current = p->slab[!p->current] ? (p->current + substeps) % 2 : p->current;
}

static inline size_t particle_slot(const particle_store *p, int32_t particle) {
  return (size_t)(p->slot ? p->slot[particle] : particle);
}

static inline msd_vec3 particle_vector(const particle_store *p, int component, int32_t particle) {
  const msd_real *at = p->slab[p->current] + (size_t)component * p->stride + particle_slot(p, particle);
  return (msd_vec3){at[0], at[p->stride], at[2 * p->stride]};
}

/* m: from b to a in d, and its length. */
static inline double particle_distance(const particle_store *p, int32_t end_a, int32_t end_b, double d[3]) {
  const msd_vec3 a = particle_vector(p, POSITION_X, end_a);
  const msd_vec3 b = particle_vector(p, POSITION_X, end_b);
  d[0] = (double)a.x - (double)b.x;
  d[1] = (double)a.y - (double)b.y;
  d[2] = (double)a.z - (double)b.z;
  return sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
}

static inline void particle_set_vector(particle_store *p, int component, int32_t particle, msd_vec3 value) {
  msd_real *at = p->slab[p->current] + (size_t)component * p->stride + particle_slot(p, particle);
  at[0] = value.x;
  at[p->stride] = value.y;
  at[2 * p->stride] = value.z;
}

/* Bytes of an array of slots for the capacity of the store. */
size_t particle_slot_bytes(const particle_store *p);

/* Moves particle i, its state and its force, to slot[i], or to its index for NULL, through the other slab,
   which must be there. The store takes the array over. */
void particle_move_to_slots(particle_store *p, int32_t *slot, memory *m);

/* Changes what must be a mass. */
void particle_set_mass(particle_store *p, int32_t particle, msd_real mass);

/* Pins it where it is, or lets it go with the velocity it has; a pin on its way stays where it is. Whether that
   made a difference to its mass. */
bool particle_set_pinned(particle_store *p, int32_t particle, bool is_pinned);

/* From now on new pins are remembered. False when there is no memory. */
bool particle_open_new_pins(particle_store *p, memory *m);

static inline bool particle_is_newly_pinned(const particle_store *p, int32_t particle) {
  return p->newly_pinned && p->newly_pinned[particle];
}

/* Where they are remembered. */
static inline void particle_mark_new_pin(particle_store *p, int32_t particle, bool is_new) {
  p->newly_pinned_count += is_new - p->newly_pinned[particle];
  p->newly_pinned[particle] = is_new;
}

/* All pins are what limits of steps are made for. */
static inline void particle_settle_pins(particle_store *p) {
  if (p->newly_pinned_count > 0)
    memset(p->newly_pinned, 0, (size_t)p->count);
  p->newly_pinned_count = 0;
}

/* Takes it out of action: at rest where it is, pinned, without mass and force. */
void particle_bury(particle_store *p, int32_t particle);

/* Whether it has been. */
static inline bool particle_is_buried(const particle_store *p, int32_t particle) {
  return p->mass[particle] == 0;
}

/* Moves particle i to index to[i], and drops it for -1, as growth_close_gaps. Slots, with which the other slab
   must be there, become indices. No valence is above `most` then: parts count what others took, of which some
   may be gone. */
void particle_close_gaps(particle_store *p, memory *m, const int32_t *to, int64_t most);

/* Makes room for so many that are on their way. False when there is no memory. */
bool particle_reserve_moves(particle_store *p, memory *m, int64_t needed);

/* NULL where it is not on its way. */
static inline const pin_move *particle_find_move(const particle_store *p, int32_t particle) {
  return p->move_of && p->move_of[particle] > 0 ? &p->moves[p->move_of[particle] - 1] : NULL;
}

/* Sends a pin to a target, for which there is room, and calls it, or all, back where it is on its way. */
void particle_send(particle_store *p, int32_t particle, msd_vec3 target);
void particle_call_back(particle_store *p, int32_t particle);
void particle_call_all_back(particle_store *p);

/* Before and after a step of `time_step` seconds: moving pins get the velocity of their motion, then rest,
   at their targets if the step succeeded. */
void particle_moves_begin(particle_store *p, double time_step);
void particle_moves_end(particle_store *p, bool arrived);

/* Zeroes the forces of the last step. */
void particle_clear_forces(particle_store *p);

/* The distance between two particles, and the unit vector from b to a (0 when they are in one place). */
double particle_direction(const particle_store *p, int32_t a, int32_t b, double unit[3]);

#endif
