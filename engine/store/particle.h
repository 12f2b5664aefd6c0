/* The particle store: positions, velocities and masses as a structure of arrays.

   A state is one slab of memory. Component c of the particle in slot n is slab[c*stride + n]; n is the
   particle index unless the network reorders particles (network/reorder.h). A substep reads one slab
   and writes another. The second slab is allocated only while substeps need it: steps that work in records
   begin and end in the same slab. Temporal blocking uses a third slab (step/temporal_blocking.h). Each
   component starts on a 64-byte cache line. The stride is 5*64 bytes modulo 4096, so that the components of
   one particle never map to the same cache set. At least PARTICLE_GUARD zeros precede and follow each
   component, so that vector loads of the neighbors i-d and i+d stay inside. */
#ifndef MSD_ENGINE_STORE_PARTICLE_H
#define MSD_ENGINE_STORE_PARTICLE_H

#include "engine/base/growth.h"

#include <math.h>
#include <string.h>

enum { PARTICLE_GUARD = 16, PARTICLES_MAX = INT32_MAX - PARTICLE_GUARD };

enum component { POSITION_X, POSITION_Y, POSITION_Z, VELOCITY_X, VELOCITY_Y, VELOCITY_Z, COMPONENTS };

/* A pin that moves to a target, which it reaches at the end of the next frame: in a straight line, or on the
   path of a rotation. */
typedef struct pin_move {
  int32_t particle;
  msd_vec3 target;
  msd_turn turn;
  /* m: where it is at the beginning of the frame; set by particle_moves_begin if it turns. */
  msd_vec3 from;
} pin_move;

/* The last substep of a pin that moved in a frame: its velocity in m/s, and its position in m relative to the
   target, at which the frame places it. */
typedef struct pin_arrival {
  msd_vec3 velocity, offset;
} pin_arrival;

typedef struct particle_store {
  int32_t count, capacity;
  /* The number of particles with inverse mass 0. */
  int32_t pinned;
  size_t stride;
  /* Pointers to component 0 of slot 0. NULL: only the current slab is allocated. */
  msd_real *slab[2];
  void *slab_memory[2];
  /* A third slab with undefined content; NULL: none. */
  msd_real *spare_slab;
  void *spare_memory;
  /* The index of the slab with the current state. */
  int current;
  /* The slot of each particle in slabs and forces; NULL: slot i is particle i. */
  int32_t *slot;
  /* 1/kg, 0 if pinned; followed by PARTICLE_GUARD zeros. */
  msd_real *inverse_mass;
  /* kg, also of pinned particles. */
  msd_real *mass;
  /* The number of unbroken springs and constraints at each particle, without hard length limits. The
     particles that come from one split also count the springs that the others took, so that no spring gets a
     larger fraction of the masses than before. */
  int32_t *valence;
  /* For each particle: pinned now, but free when the stability limits were last computed
     (stability/limit_cache.h). Those limits remain valid if it is unpinned. NULL: none. Then their number. */
  uint8_t *newly_pinned;
  int32_t newly_pinned_count;
  /* The particle from which each was split; NULL: none was split. */
  int32_t *origin;
  /* The number of particles that splits have added. */
  int32_t parts;
  /* N: the external force during the next frame, three components with the stride of a slab, or NULL. */
  msd_real *force;
  /* True if some external force is not 0. */
  bool forced;
  /* In any order; at most one per particle. */
  pin_move *moves;
  int32_t move_count, move_capacity;
  /* Some move of the current frame turns. */
  bool some_turn;
  /* For each particle the index of its move plus 1; 0: none. NULL: no particle ever had one. */
  int32_t *move_of;
  /* For each particle; all 0 unless it is a pin that moved in the last frame. NULL with move_of. `some_moved`:
     some are not 0. */
  pin_arrival *arrivals;
  bool some_moved;
} particle_store;

/* 1/mass if that is usable in a substep, else 0. */
static inline msd_real particle_inverse(msd_real mass) {
  const msd_real inverse = 1 / mass;
  return isfinite(mass) && mass > 0 && isfinite(inverse) && inverse > 0 ? inverse : 0;
}

/* Bytes per particle in all arrays. */
size_t particle_bytes(void);

/* Reserves capacity for `needed` particles in total. Returns false if memory runs out. */
bool particle_store_reserve(particle_store *p, memory *m, int64_t needed);
void particle_store_free(particle_store *p, memory *m);

/* Allocates the origins. Returns false if memory runs out. */
bool particle_open_origins(particle_store *p, memory *m);

/* Splits a particle: appends a particle with the same position, velocity and valence. The old one keeps
   `kept` kg, the new one gets `gone` kg. Capacity and origins must be allocated. */
void particle_append_part(particle_store *p, int32_t particle, msd_real kept, msd_real gone);

/* The distance in reals between two components of a slab with that capacity. */
size_t particle_stride(int64_t capacity);

/* Bytes of an array of `components` components with that stride. */
size_t particle_slab_bytes(size_t stride, int components);

/* A zeroed array of `components` components with the stride of the store. Pass *block to memory_release. */
msd_real *particle_allocate_slab(const particle_store *p, memory *m, int components, void **block);

/* Guarantees that there is a second slab; sleeping particles have the same state in both. Returns false if
   memory runs out. */
bool particle_reserve_other(particle_store *p, memory *m);
void particle_release_other(particle_store *p, memory *m);

/* Guarantees that there is a third slab. Returns false if memory runs out. */
bool particle_reserve_spare(particle_store *p, memory *m);
void particle_release_spare(particle_store *p, memory *m);

/* Swaps the third slab and the current one. */
void particle_swap_spare(particle_store *p);

static inline const msd_real *particle_state(const particle_store *p) {
  return p->slab[p->current];
}

/* The slab that holds the state after one substep. */
static inline msd_real *particle_next_slab(const particle_store *p) {
  return p->slab[!p->current] ? p->slab[!p->current] : p->slab[p->current];
}

/* Selects the current slab after `substeps` substeps, each of which changed the slab if there are two. */
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

/* m: the vector from b to a in d; returns its length. */
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

/* Bytes of a slot array for the capacity of the store. */
size_t particle_slot_bytes(const particle_store *p);

/* Moves the state and force of particle i to slot[i], or to slot i if `slot` is NULL. Uses the second slab,
   which must be allocated. The store takes ownership of the array. */
void particle_move_to_slots(particle_store *p, int32_t *slot, memory *m);

/* Sets a validated mass. */
void particle_set_mass(particle_store *p, int32_t particle, msd_real mass);

/* Pins a particle at its position, or unpins it with its current velocity. A moving pin stops at its
   position. Returns whether the inverse mass changed. */
bool particle_set_pinned(particle_store *p, int32_t particle, bool is_pinned);

/* From now on new pins are recorded. Returns false if memory runs out. */
bool particle_open_new_pins(particle_store *p, memory *m);

static inline bool particle_is_newly_pinned(const particle_store *p, int32_t particle) {
  return p->newly_pinned && p->newly_pinned[particle];
}

/* Requires particle_open_new_pins. */
static inline void particle_mark_new_pin(particle_store *p, int32_t particle, bool is_new) {
  p->newly_pinned_count += is_new - p->newly_pinned[particle];
  p->newly_pinned[particle] = is_new;
}

/* Clears the record: the stability limits have been computed for the current pins. */
static inline void particle_settle_pins(particle_store *p) {
  if (p->newly_pinned_count > 0)
    memset(p->newly_pinned, 0, (size_t)p->count);
  p->newly_pinned_count = 0;
}

/* Makes a destroyed particle inert: pinned at its position, without velocity, mass and force. */
void particle_deactivate(particle_store *p, int32_t particle);

/* Returns whether the particle was destroyed. */
static inline bool particle_is_buried(const particle_store *p, int32_t particle) {
  return p->mass[particle] == 0;
}

/* Moves particle i to index to[i] and removes it for -1, as column_compact does. Slots become indices;
   that needs the second slab. Valences are limited to `most`, since split particles count springs that may be
   removed. */
void particle_close_gaps(particle_store *p, memory *m, const int32_t *to, int64_t most);

/* Reserves capacity for moving pins. Returns false if memory runs out. */
bool particle_reserve_moves(particle_store *p, memory *m, int64_t needed);

/* The move of a particle; NULL if it does not move. */
static inline const pin_move *particle_find_move(const particle_store *p, int32_t particle) {
  return p->move_of && p->move_of[particle] > 0 ? &p->moves[p->move_of[particle] - 1] : NULL;
}

/* Sets the target of a pin, with capacity reserved; or cancels the move of one or all pins, and forgets the
   velocity of their last one. */
void particle_set_target(particle_store *p, int32_t particle, msd_vec3 target, msd_turn turn);
void particle_cancel_move(particle_store *p, int32_t particle);
void particle_call_all_back(particle_store *p);

/* The last motion of a pin that has stopped since; all 0 for others. */
static inline pin_arrival particle_arrival(const particle_store *p, int32_t particle) {
  return p->some_moved ? p->arrivals[particle] : (pin_arrival){{0, 0, 0}, {0, 0, 0}};
}

/* The velocity of a particle in the last substep. */
static inline msd_vec3 particle_last_velocity(const particle_store *p, int32_t particle) {
  const msd_vec3 now = particle_vector(p, VELOCITY_X, particle),
                 last = particle_arrival(p, particle).velocity;
  return (msd_vec3){now.x + last.x, now.y + last.y, now.z + last.z};
}

/* Before a frame of `dt` seconds, moving pins get the velocity that takes them to their targets. After
   it they stop, at their targets if the frame succeeded. particle_moves_end follows, and forgets the moves. */
void particle_moves_begin(particle_store *p, double dt);
void particle_moves_arrive(particle_store *p, bool arrived);
void particle_moves_end(particle_store *p);

/* Before substep `number` of `substeps`, counted from 1, each of `substep` s: moving pins that turn get the
   velocity that takes them to their place at its end. */
void particle_moves_go(particle_store *p, int number, int substeps, double substep);

/* The largest angle in rad by which a moving pin turns in the next frame. */
double particle_moves_turn(const particle_store *p);

/* Zeroes the external forces of the last frame. */
void particle_clear_forces(particle_store *p);

/* The distance between two particles, and the unit vector from b to a (0 if they coincide). */
double particle_direction(const particle_store *p, int32_t a, int32_t b, double unit[3]);

#endif
