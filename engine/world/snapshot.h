/* Snapshots: each store is written as bytes and read back by a file of its own; snapshot_contents.c puts them
   together.

   The _size functions also take counts of a snapshot that was read, which may be any numbers from 0 up. The
   _get functions read into a store that is empty and has room for the counts, unless they say otherwise. They
   check every number, and all but those of particles count the valence. */
#ifndef MSD_ENGINE_WORLD_SNAPSHOT_H
#define MSD_ENGINE_WORLD_SNAPSHOT_H

#include "engine/contact/lookout.h"
#include "engine/contact/tangles.h"
#include "engine/store/anchor.h"
#include "engine/store/angular_spring.h"
#include "engine/store/collider.h"
#include "engine/store/constraint.h"
#include "engine/store/gaps.h"
#include "engine/store/sleep.h"
#include "engine/store/spring.h"
#include "engine/store/surface.h"

#include <string.h>

/* More than any run can take, and few enough to count on. */
static const int64_t SNAPSHOT_STEPS_MAX = INT64_MAX / 2;

/* Copies `bytes` and moves on behind them. */
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

/* Arrays that follow each other in a snapshot, with so many bytes for each item of a store. */
enum { SNAPSHOT_COLUMNS_MAX = 12 };

typedef struct snapshot_columns {
  int count;
  size_t bytes[SNAPSHOT_COLUMNS_MAX];
} snapshot_columns;

/* Of all of them together. */
static inline uint64_t snapshot_columns_size(snapshot_columns columns, int32_t items) {
  size_t bytes = 0;
  for (int n = 0; n < columns.count; n++)
    bytes += columns.bytes[n];
  return (uint64_t)items * bytes;
}

/* Where laws are: all first numbers, all second numbers, and a byte for each, its kind with
   SNAPSHOT_BROKEN. */
typedef struct snapshot_laws {
  size_t first, second, kinds;
} snapshot_laws;

/* Laws with nothing between the three. */
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
  /* Whether some pins are newer than limits that stand. */
  bool has_new_pins;
} particle_snapshot;

/* What particles begin with: before pins that move, and slots. */
snapshot_columns particle_snapshot_columns(const particle_snapshot *h);

/* Also reads the slots, if the particles were reordered, but leaves the particles in the order of their
   indices. False when a number is out of its range. */
uint64_t particle_snapshot_size(const particle_snapshot *h);
void particle_snapshot_put(unsigned char **to, const particle_snapshot *h, const particle_store *p);
bool particle_snapshot_get(particle_store *p, int32_t *slot, const particle_snapshot *h,
                           const unsigned char **from);

/* Positions and velocities alone, of as many particles as there are. */
static inline uint64_t particle_motion_size(int32_t particles) {
  return (uint64_t)particles * COMPONENTS * sizeof(msd_real);
}
void particle_motion_put(unsigned char **to, const particle_store *p);
/* Whether all of them are finite. */
bool particle_motion_is_sound(const particle_store *p, const unsigned char *from);
void particle_motion_get(particle_store *p, const unsigned char **from);

/* Of a store that has origins or is to have them, and whose springs and constraints have been counted: what
   particles are parts of, and their valences. False when a number is out of its range; `most` is that of all
   springs and constraints. */
uint64_t split_snapshot_size(int32_t particles);
void split_snapshot_put(unsigned char **to, const particle_store *p);
bool split_snapshot_get(particle_store *p, int64_t most, const unsigned char **from);

typedef struct spring_snapshot {
  int32_t springs, backings, moves;
  bool has_wear;
} spring_snapshot;

/* What springs begin with, their ends first: before what backs them, and rest lengths that move. */
snapshot_columns spring_snapshot_columns(spring_snapshot h);

/* Room for the springs is reserved, and for nothing else. MSD_BAD_SNAPSHOT or MSD_OUT_OF_MEMORY, without a
   message. */
uint64_t spring_snapshot_size(spring_snapshot h);
void spring_snapshot_put(unsigned char **to, const spring_store *s);
msd_result spring_snapshot_get(spring_store *s, particle_store *p, memory *m, spring_snapshot h,
                               const unsigned char **from);

typedef struct constraint_snapshot {
  int32_t constraints, meshes, triangles, vertices;
  bool has_wear;
} constraint_snapshot;

/* `step` is the substep that they are softened for; 0: that must be found again. Fails with a message. */
uint64_t constraint_snapshot_size(constraint_snapshot h);
void constraint_snapshot_put(unsigned char **to, const constraint_store *s, double step);
msd_result constraint_snapshot_get(msd_world *world, constraint_store *s, particle_store *p,
                                   constraint_snapshot h, const unsigned char **from);

/* Reserves the store itself; `p` must have its masses. Fails with a message. */
uint64_t anchor_snapshot_size(int32_t anchors);
void anchor_snapshot_put(unsigned char **to, const anchor_store *s);
msd_result anchor_snapshot_get(msd_world *world, anchor_store *s, const particle_store *p, int32_t anchors,
                               const unsigned char **from);

/* Rotors and angular springs. False when a number is out of its range. */
uint64_t rotor_snapshot_size(int32_t rotors, int32_t springs);
void rotor_snapshot_put(unsigned char **to, const rotor_store *r, const angular_spring_store *s);
bool rotor_snapshot_get(rotor_store *r, int32_t rotors, angular_spring_store *s, int32_t springs,
                        const unsigned char **from);

/* False when a number is out of its range. */
uint64_t collider_snapshot_size(int32_t colliders);
void collider_snapshot_put(unsigned char **to, const collider_store *s);
bool collider_snapshot_get(collider_store *s, int32_t colliders, const unsigned char **from);

typedef struct surface_snapshot {
  int32_t surfaces, triangles, segments, rests, ignored;
} surface_snapshot;

/* False when a number is out of its range. */
uint64_t surface_snapshot_size(surface_snapshot h);
void surface_snapshot_put(unsigned char **to, const surface_store *s);
bool surface_snapshot_get(surface_store *s, surface_snapshot h, const unsigned char **from);

/* The account of an energy_guard. */
typedef struct energy_snapshot {
  int64_t scaled, turned;
  double made, credit, balance, least_kept;
  /* The substep that the balance holds for; 0: for none. */
  double step;
} energy_snapshot;

energy_snapshot energy_snapshot_of(const msd_world *world);
bool energy_snapshot_is_sound(const energy_snapshot *e);
/* Behind all that changes the revision. */
void energy_snapshot_resume(msd_world *world, const energy_snapshot *e);

/* Where what has been destroyed should be out of action. */
typedef struct gaps_snapshot {
  const particle_store *particles;
  const spring_store *springs;
  const constraint_store *constraints;
  const anchor_store *anchors;
  const rotor_store *rotors;
  const angular_spring_store *angular_springs;
  collider_store *colliders;
  const surface_store *surfaces;
} gaps_snapshot;

/* Of so many in all; the colliders are told. Behind all else. MSD_BAD_SNAPSHOT or MSD_OUT_OF_MEMORY, without a
   message. */
uint64_t gaps_snapshot_size(int64_t gaps);
void gaps_snapshot_put(unsigned char **to, const gap_store *g);
msd_result gaps_snapshot_get(gap_store *g, memory *m, int64_t gaps, const gaps_snapshot *of,
                             const unsigned char **from);

typedef struct sleep_snapshot {
  int32_t particles, pieces;
} sleep_snapshot;

/* Nothing is written of what cannot sleep. Room for what is read is reserved. False when a number is out of its
   range. */
sleep_snapshot sleep_snapshot_of(const sleep_store *s);
bool sleep_snapshot_counts_are_sound(sleep_snapshot h, int32_t particles);
uint64_t sleep_snapshot_size(sleep_snapshot h);
void sleep_snapshot_put(unsigned char **to, sleep_snapshot h, const sleep_store *s);
bool sleep_snapshot_get(sleep_store *s, sleep_snapshot h, const unsigned char **from);

/* Where `particles` is 0 lists are made anew by the next step. What sticks goes on all the same. */
typedef struct lookout_snapshot {
  int32_t particles, is_chosen, mends, rounds;
  int64_t kept, grips;
} lookout_snapshot;

/* What the next step goes on with; and the most of that; of so many particles in all. Resumed behind all that
   changes the revision, when the stepper has it. False when a number is out of its range. */
lookout_snapshot lookout_snapshot_of(const msd_world *world);
lookout_snapshot lookout_snapshot_most(int32_t particles);
bool lookout_snapshot_counts_are_sound(lookout_snapshot h, int32_t particles);
uint64_t lookout_snapshot_size(lookout_snapshot h);
void lookout_snapshot_put(unsigned char **to, lookout_snapshot h, const lookout *l);
bool lookout_snapshot_reserve(lookout *l, memory *m, lookout_snapshot h, const particle_store *p,
                              int32_t particles);
bool lookout_snapshot_get(lookout *l, lookout_snapshot h, const unsigned char **from);
void lookout_snapshot_resume(msd_world *world, lookout_snapshot h);

typedef struct tangles_snapshot {
  int32_t pairs;
  int64_t crossings, pinched;
} tangles_snapshot;

/* Whether those of the world are of its present state; nothing is written where they are not. */
bool tangles_are_known(const msd_world *world);
tangles_snapshot tangles_snapshot_of(const msd_world *world);

/* Those of surfaces that have been read. False when a number is out of its range. */
uint64_t tangles_snapshot_size(tangles_snapshot h);
void tangles_snapshot_put(unsigned char **to, tangles_snapshot h, const tangles *t);
bool tangles_snapshot_get(tangles *t, tangles_snapshot h, const surface_store *s, const unsigned char **from);

#endif
