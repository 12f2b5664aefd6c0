/* Snapshots. Each store is saved and restored in a file of its own; snapshot_contents.c combines them.

   The _size functions also accept counts from a snapshot that was read, which can be any numbers from 0 up.
   Unless noted otherwise, the _get functions read into an empty store with reserved capacity. They validate
   every number. Those of springs, constraints and rotors also count the valence. */
#ifndef MSD_ENGINE_WORLD_SNAPSHOT_H
#define MSD_ENGINE_WORLD_SNAPSHOT_H

#include "engine/contact/contact_cache.h"
#include "engine/contact/penetrations.h"
#include "engine/store/collider.h"
#include "engine/store/constraint.h"
#include "engine/store/sleep.h"
#include "engine/store/soft_pin.h"
#include "engine/store/spring.h"
#include "engine/store/surface.h"
#include "engine/store/tombstones.h"
#include "engine/store/torsion_spring.h"

#include <string.h>

/* More than any simulation can reach, and small enough to add to without overflow. */
static const int64_t SNAPSHOT_STEPS_MAX = INT64_MAX / 2;

/* Copies `bytes` bytes and advances the pointer. */
static inline void snapshot_put(unsigned char **to, const void *from, size_t bytes) {
  if (bytes > 0)
    memcpy(*to, from, bytes);
  *to += bytes;
}

static inline void snapshot_get(void *to, const unsigned char **from, size_t bytes) {
  if (bytes > 0)
    memcpy(to, *from, bytes);
  *from += bytes;
}

/* Consecutive arrays in a snapshot, with their bytes per object. */
enum { SNAPSHOT_COLUMNS_MAX = 12 };

typedef struct snapshot_columns {
  int count;
  size_t bytes[SNAPSHOT_COLUMNS_MAX];
} snapshot_columns;

/* Total size of all arrays in bytes. */
static inline uint64_t snapshot_columns_size(snapshot_columns columns, int32_t items) {
  size_t bytes = 0;
  for (int n = 0; n < columns.count; n++)
    bytes += columns.bytes[n];
  return (uint64_t)items * bytes;
}

/* Offsets of spring laws: all first numbers, all second numbers, and one byte each with the kind and
   SNAPSHOT_BROKEN. */
typedef struct snapshot_laws {
  size_t first, second, kinds;
} snapshot_laws;

/* Laws whose three arrays are contiguous. */
static inline snapshot_laws snapshot_laws_alone(size_t count) {
  return (snapshot_laws){0, count * sizeof(msd_real), 2 * count * sizeof(msd_real)};
}

enum { SNAPSHOT_BROKEN = 0x80 };

static inline void snapshot_put_law(unsigned char *bytes, snapshot_laws at, size_t index, law l,
                                    bool is_broken) {
  memcpy(bytes + at.first + index * sizeof l.first, &l.first, sizeof l.first);
  memcpy(bytes + at.second + index * sizeof l.second, &l.second, sizeof l.second);
  bytes[at.kinds + index] = (unsigned char)(l.kind | (is_broken ? SNAPSHOT_BROKEN : 0));
}

static inline law snapshot_get_law(const unsigned char *bytes, snapshot_laws at, size_t index,
                                   bool *is_broken) {
  const unsigned char kind = bytes[at.kinds + index];
  law l = {.kind = kind & (unsigned char)~SNAPSHOT_BROKEN};
  memcpy(&l.first, bytes + at.first + index * sizeof l.first, sizeof l.first);
  memcpy(&l.second, bytes + at.second + index * sizeof l.second, sizeof l.second);
  *is_broken = kind & SNAPSHOT_BROKEN;
  return l;
}

typedef struct particle_snapshot {
  int32_t particles, moves;
  bool forced, ordered;
  /* True if some pins are newer than a valid stable limit. */
  bool has_new_pins;
} particle_snapshot;

/* The leading columns of particles; moving pins and slots follow. */
snapshot_columns particle_snapshot_columns(const particle_snapshot *h);

/* particle_snapshot_get also reads the slots if the particles were reordered, but leaves the particles in the
   order of their indices. Returns false if a number is out of its range. */
uint64_t particle_snapshot_size(const particle_snapshot *h);
void particle_snapshot_put(unsigned char **to, const particle_snapshot *h, const particle_store *p);
bool particle_snapshot_get(particle_store *p, int32_t *slot, const particle_snapshot *h,
                           const unsigned char **from);

/* Positions and velocities only. The number of particles must match. */
static inline uint64_t particle_motion_size(int32_t particles) {
  return (uint64_t)particles * COMPONENTS * sizeof(msd_real);
}
void particle_motion_put(unsigned char **to, const particle_store *p);
/* True if all numbers are finite. */
bool particle_motion_is_sound(const particle_store *p, const unsigned char *from);
void particle_motion_get(particle_store *p, const unsigned char **from);

/* Origins and valences of split particles, for a store with origins whose springs and constraints have been
   counted. Returns false if a number is out of its range; `most` is the total number of springs and
   constraints. */
uint64_t split_snapshot_size(int32_t particles);
void split_snapshot_put(unsigned char **to, const particle_store *p);
bool split_snapshot_get(particle_store *p, int64_t most, const unsigned char **from);

typedef struct spring_snapshot {
  int32_t springs, companions, moves;
  bool has_damage;
} spring_snapshot;

/* The leading columns of springs, ends first; companion springs and rest-length tracks follow. */
snapshot_columns spring_snapshot_columns(spring_snapshot h);

/* Only the capacity for springs is reserved before. Returns MSD_BAD_SNAPSHOT or MSD_OUT_OF_MEMORY without a
   message. */
uint64_t spring_snapshot_size(spring_snapshot h);
void spring_snapshot_put(unsigned char **to, const spring_store *s);
msd_result spring_snapshot_get(spring_store *s, particle_store *p, memory *m, spring_snapshot h,
                               const unsigned char **from);

typedef struct constraint_snapshot {
  int32_t constraints, meshes, triangles, vertices;
  bool has_damage;
} constraint_snapshot;

/* `step` is the substep in s for which constraint weights are valid; 0: they must be computed again. Fails
   with a message. */
uint64_t constraint_snapshot_size(constraint_snapshot h);
void constraint_snapshot_put(unsigned char **to, const constraint_store *s, double step);
msd_result constraint_snapshot_get(msd_world *world, constraint_store *s, particle_store *p,
                                   constraint_snapshot h, const unsigned char **from);

/* Reserves the capacity itself; `p` must have its masses. Fails with a message. */
uint64_t soft_pin_snapshot_size(int32_t soft_pins);
void soft_pin_snapshot_put(unsigned char **to, const soft_pin_store *s);
msd_result soft_pin_snapshot_get(msd_world *world, soft_pin_store *s, const particle_store *p,
                                 int32_t soft_pins, const unsigned char **from);

/* Rotors and torsion springs. Returns false if a number is out of its range. */
uint64_t rotor_snapshot_size(int32_t rotors, int32_t springs);
void rotor_snapshot_put(unsigned char **to, const rotor_store *r, const torsion_spring_store *s);
bool rotor_snapshot_get(rotor_store *r, int32_t rotors, torsion_spring_store *s, int32_t springs,
                        const unsigned char **from);

/* Returns false if a number is out of its range. */
uint64_t collider_snapshot_size(int32_t colliders);
void collider_snapshot_put(unsigned char **to, const collider_store *s);
bool collider_snapshot_get(collider_store *s, int32_t colliders, const unsigned char **from);

typedef struct surface_snapshot {
  int32_t surfaces, triangles, segments, rests, ignored;
} surface_snapshot;

/* Returns false if a number is out of its range. */
uint64_t surface_snapshot_size(surface_snapshot h);
void surface_snapshot_put(unsigned char **to, const surface_store *s);
bool surface_snapshot_get(surface_store *s, surface_snapshot h, const unsigned char **from);

/* State of the energy limiter; see energy_limiter. */
typedef struct energy_snapshot {
  int64_t scaled, turned;
  double made, credit, balance, withheld, least_kept;
  /* Step in s of the revision for which the balance is valid; 0: none. */
  double step;
} energy_snapshot;

/* The limiter of springs, and the account of constraints. */
typedef struct energy_snapshots {
  energy_snapshot springs, constraints;
  /* Whether the account of constraints has begun. */
  int64_t is_active;
} energy_snapshots;

energy_snapshots energy_snapshot_of(const msd_world *world);
bool energy_snapshot_is_sound(const energy_snapshots *e);
/* Call it after everything that changes the revision. */
void energy_snapshot_resume(msd_world *world, const energy_snapshots *e);

/* The stores in which destroyed objects must be inactive. */
typedef struct tombstones_snapshot {
  const particle_store *particles;
  const spring_store *springs;
  const constraint_store *constraints;
  const soft_pin_store *soft_pins;
  const rotor_store *rotors;
  const torsion_spring_store *torsion_springs;
  collider_store *colliders;
  const surface_store *surfaces;
} tombstones_snapshot;

/* `tombstones` is the number of destroyed objects of all types. Marks the destroyed colliders in their store.
   Call it after everything else has been read. Returns MSD_BAD_SNAPSHOT or MSD_OUT_OF_MEMORY without a message.
   */
uint64_t tombstones_snapshot_size(int64_t tombstones);
void tombstones_snapshot_put(unsigned char **to, const tombstone_store *g);
msd_result tombstones_snapshot_get(tombstone_store *g, memory *m, int64_t tombstones,
                                   const tombstones_snapshot *of, const unsigned char **from);

typedef struct sleep_snapshot {
  int32_t particles, pieces;
} sleep_snapshot;

/* Nothing is written if sleeping is off. Capacity for reading is reserved before. Returns false if a number
   is out of its range. */
sleep_snapshot sleep_snapshot_of(const sleep_store *s);
bool sleep_snapshot_counts_are_sound(sleep_snapshot h, int32_t particles);
uint64_t sleep_snapshot_size(sleep_snapshot h);
void sleep_snapshot_put(unsigned char **to, sleep_snapshot h, const sleep_store *s);
bool sleep_snapshot_get(sleep_store *s, sleep_snapshot h, const unsigned char **from);

/* If `particles` is 0, the next frame builds new neighbor lists. Friction anchors are kept in any case. */
typedef struct contact_cache_snapshot {
  int32_t particles, is_chosen, edits, edit_batches;
  int64_t kept, friction_cache;
} contact_cache_snapshot;

/* The contact cache that the next frame continues with, and the largest one for a number of particles. Call
   contact_cache_snapshot_resume after everything that changes the revision, once the stepper has the cache.
   Returns false if a number is out of its range. */
contact_cache_snapshot contact_cache_snapshot_of(const msd_world *world);
contact_cache_snapshot contact_cache_snapshot_most(int32_t particles);
bool contact_cache_snapshot_counts_are_sound(contact_cache_snapshot h, int32_t particles);
uint64_t contact_cache_snapshot_size(contact_cache_snapshot h);
void contact_cache_snapshot_put(unsigned char **to, contact_cache_snapshot h, const contact_cache *l);
bool contact_cache_snapshot_reserve(contact_cache *l, memory *m, contact_cache_snapshot h,
                                    const particle_store *p, int32_t particles);
bool contact_cache_snapshot_get(contact_cache *l, contact_cache_snapshot h, const unsigned char **from);
void contact_cache_snapshot_resume(msd_world *world, contact_cache_snapshot h);

typedef struct penetrations_snapshot {
  int32_t pairs;
  int64_t crossings, forced_count;
} penetrations_snapshot;

/* True if the penetrations are those of the current state. Otherwise nothing is written. */
bool penetrations_are_known(const msd_world *world);
penetrations_snapshot penetrations_snapshot_of(const msd_world *world);

/* The collision meshes must have been read. Returns false if a number is out of its range. */
uint64_t penetrations_snapshot_size(penetrations_snapshot h);
void penetrations_snapshot_put(unsigned char **to, penetrations_snapshot h, const penetrations *t);
bool penetrations_snapshot_get(penetrations *t, penetrations_snapshot h, const surface_store *s,
                               const unsigned char **from);

#endif
