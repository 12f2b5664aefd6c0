/* Separating planes: they keep pairs apart whatever forces act on them.

   Springs, contact forces and colliders have moved the particles from x to x'. For each pair, n is the
   witness at x, the direction between its closest points. A plane across n divides the gap in proportion to
   how far each side approaches. Each side keeps a margin of 1/50 of the thickness, at most 0.45 of the gap.

   Where one side is kinematic, and slides along the other by more than half of the thickness, a plane that
   would clip a free corner may be parallel to a face of the kinematic side instead, if that separates the pair
   at x, too, and clips less. The witness to an inner edge of a flat surface leads along the surface, and a
   plane across it would stop what slides over the edge.

   The half-spaces of all planes of a particle are its safe region, which contains x. A particle whose x'
   lies outside moves to the nearest point of its safe region instead (a clipped move). All of A is on one
   side and all of B on the other at both ends of the substep. Half-spaces are convex, so the same holds in
   between, and no pair that was apart comes together.

   A clipped move changes the position alone. The velocity keeps its momentum, and inelastic impacts between
   both sides of the pair take their approach from it (separation_transfer): equal and opposite impulses along
   the separating direction after the substep, at the closest points, and at corners that would have passed the
   plane and the closest point of the other side. The impacts of a substep act one after the other, each takes
   kinetic energy and adds none, and the sum of momentum stays. A particle that colliders hold passes its part
   on to them. The velocity becomes that of the move, and momentum is lost, where a cut is longer than half of
   an edge there, because springs would be strained as much; and where pins hold one of the bodies, which take
   the momentum anyway. What is squeezed there, as in a knot, is loaded in each substep, and impacts that are
   not solved to the end would heat it.

   Planes last one substep, since they follow from x alone. They are checked in double precision on the
   rounded state. Where rounding would violate one, all corners of the pair stay at x, bit for bit.

   Most pairs need no plane. Since the gap of a pair was last measured, its sides have come nearer by at most
   the sum of the longest displacements of A and B. While the rest exceeds both margins the pair is far and
   is skipped. Clipping only shortens displacements, so this stays true.

   Kinematic particles reach their targets. If that carries one through a plane that the free side respected,
   the free side is carried along, together with the free particles in its path: planes between free
   particles do not move. What is between two kinematic surfaces is carried by both, and keeps to the space
   between them, however narrow. Where nothing is left, the pair is a forced intersection. A fully kinematic
   pair is a forced intersection only if it meets on its path. */
#ifndef MSD_ENGINE_CONTACT_SEPARATION_H
#define MSD_ENGINE_CONTACT_SEPARATION_H

#include "engine/base/stop_poll.h"
#include "engine/base/vec3.h"
#include "engine/contact/particle_lists.h"
#include "engine/contact/surface_mesh.h"
#include "engine/kernel/contacts.h"
#include "engine/store/particle.h"

#include <stdatomic.h>

/* A particle during a substep: x, its current target `next`, the distance between them in m, and whether it
   is kinematic (1) or free (0). A record of doubles (base/record.h). */
typedef struct cell_particle {
  double3 x;
  double way;
  double3 next;
  double is_kinematic;
} cell_particle;

/* State of a particle while kinematic particles or colliders carry others: the displacement that it follows in
   the whole substep; its positions at the beginning and the end of an interval; a sum of displacements and of
   their weights; the last push, and how easily it gives way to one; how far its end is from x. The flags: it
   is carried now; it will be carried in this round; it has ever been carried; it may not be carried; it is
   kinematic; it follows another particle; a pair of it is nearer than it needs to be. `moved_in`: the last
   sweep that has moved its end. */
typedef struct carry_state {
  double3 way, from, to, sum, push;
  double weight, ease, reach;
  int32_t moved_in;
  bool rides, is_asked, is_touched, stays, is_led, has_way, is_near;
  /* What carries it, if colliders carry particles. */
  int32_t collider;
} carry_state;

typedef struct separation_pair {
  /* Index into `particles`, by corner. */
  int32_t particles[PAIR_CORNERS];
  pair_kind kind;
  /* `is_active`: a corner is carried by kinematic particles. Then `normal`, `plane` and `room` are the witness,
     the gap and the weights at the beginning of an interval, and `margin` and `away` the gap that is wanted
     at its end and the least one. `is_level`: the plane is parallel to a face, and not across the witness. */
  bool is_far, stops, is_forced, is_active, is_level;
  /* m: lower bounds of the gap at x and after the substep; and the part of a gap that two margins would
     take. */
  double gap, next_gap, least;
  /* m */
  double thickness;
  /* m: the margin of the plane; how far a pair below the least gap moves apart when it is clipped; the
     offset of the plane along `normal`, the unit vector from B to A. */
  double margin, away, plane;
  double3 normal;
  /* m: how far each corner may move towards the plane; below 0: it must retreat. Undefined if `stops` is
     set. */
  double room[PAIR_CORNERS];
} separation_pair;

/* The impact of a pair with clipped corners: at its closest points after the substep, with their weights,
   which sum to 0. */
typedef struct separation_impact {
  double3 normal;
  double weight[PAIR_CORNERS];
  /* 1/kg: the change of velocity of each corner by an impulse of 1, and what of that its colliders take. */
  double3 change[PAIR_CORNERS], held[PAIR_CORNERS];
  /* kg, of the pair; m/s, at which its sides may approach; and N s, the impulse so far. */
  double mass, allowed, impulse;
  int32_t slots[PAIR_CORNERS];
} separation_impact;

typedef struct cells {
  int32_t count, capacity;
  separation_pair *pairs;
  /* By pair: bit n is set if the move of corner n would have passed the plane. Threads write it
     concurrently. */
  atomic_uchar *struck;
  /* By corner and pair. */
  int32_t *slots[PAIR_CORNERS];
  /* The active pairs. */
  int32_t *active;
  corner_lists corners;
  /* By index in corners.slots. */
  cell_particle *particles;
  carry_state *rides;
  int32_t particle_count, particle_capacity;
  separation_impact *impacts;
  int32_t impact_count, impact_capacity;
} cells;

/* What of a pair outlives the substep, in m: a lower bound of its gap, and what two margins take. */
typedef struct separation_distance {
  double gap, least;
} separation_distance;

/* One substep. States have six components each, with this stride. */
typedef struct separation_step {
  cells *cells;
  const msd_real *before, *inverse_mass;
  msd_real *behind;
  size_t stride;
  /* s */
  double dt;
  /* By slot: 1 if a pin or soft pin holds the body of the particle; NULL: none does. */
  const uint8_t *attached;
  /* The faces of kinematic surfaces, by slot; NULL: the planes of all pairs are across their witnesses. */
  const surface_mesh *mesh;
  /* What colliders did in the substep; NULL: there are none. */
  contact_work *colliders;
  /* The substep is being repeated. */
  bool is_again;
  msd_simd simd;
  /* May be NULL. */
  stop_poll *stop;
} separation_step;

/* The number of clipped moves, and of half-spaces visited. */
typedef struct separation_clipped {
  int32_t moves;
  int64_t visits;
} separation_clipped;

/* Operations on several pairs at once, for one vector width. */
typedef struct separation_kernel {
  /* Places the planes of `count` pairs of one kind. */
  void (*divide)(const cells *c, pair_kind kind, const int32_t *pairs, int32_t count);
} separation_kernel;

/* Each is defined by the file of its name: separation_kernel.h compiled for one vector width. */
extern const separation_kernel cell_kernel_scalar, cell_kernel_128, cell_kernel_256, cell_kernel_512;

bool separation_reserve(cells *c, memory *m, int32_t particles);
void separation_free(cells *c, memory *m);
/* Frees the impacts alone. */
void separation_free_impacts(cells *c, memory *m);

/* Reserves memory for `pairs` pairs and keeps those before `first`. False without memory. */
bool separation_make_room(cells *c, memory *m, int32_t first, int32_t pairs);
void separation_put(cells *c, int32_t n, const int32_t slots[PAIR_CORNERS], pair_kind kind, double thickness);
/* Call after separation_put for all pairs from `first` on: builds the lists of particles. */
bool separation_finish(cells *c, memory *m, int32_t first, int32_t count, const msd_tasks *tasks,
                       int threads);

static inline void cells_slots(const cells *c, int32_t n, int32_t slots[PAIR_CORNERS]) {
  for (int corner = 0; corner < PAIR_CORNERS; corner++)
    slots[corner] = c->slots[corner][n];
}

/* Saves the gap bounds of all pairs, and restores them for a state x. Restored bounds that x contradicts are
   ignored, so that invented numbers cannot suppress a plane. */
void separation_report(const cells *c, separation_distance *distances);
void separation_continue(cells *c, const separation_distance *distances, const msd_real *before,
                         size_t stride);

bool cells_have(const cells *c, const int32_t slots[PAIR_CORNERS], pair_kind kind);

/* True if a pair without a plane ended the substep as far apart as its plane would have kept it. Then the
   missing plane has changed nothing. */
bool separation_has_divided(const separation_step *s, const int32_t slots[PAIR_CORNERS], pair_kind kind,
                            double thickness);

/* A bound on the displacement w of a particle from x: normal . w <= most. */
typedef struct separation_bound {
  double3 normal;
  double most;
} separation_bound;

/* The displacement nearest to `way` within the planes of a slot and `count` bounds. For a slot without pairs
   only the bounds count. At most 1024 planes and bounds are taken, with more the result is 0; a particle of a
   pair that stops stays. */
double3 separation_find_within(const cells *c, int32_t slot, const separation_bound *bounds, int32_t count,
                               double3 way);

/* The index of a slot in corners.slots; -1: it has no pairs. */
static inline int32_t separation_owner(const cells *c, int32_t slot) {
  if (c->count == 0)
    return -1;
  const int32_t n = c->corners.owner[slot];
  return n >= 0 && n < c->corners.count && c->corners.slots[n] == slot ? n : -1;
}

/* The phases of a substep, in this order. All threads finish one before the next begins.
       read          loads a range of particles (indices in corners.slots)
       divide        places the planes of a range of pairs
       clip          clips the moves of a range of particles
       check         finds pairs that violate their planes; returns true if the last two phases are needed
       transfer      one thread: the impulses of clipped moves; false without memory
       stop          returns the particles of such pairs to x
       find_forced   marks forced intersections; returns how many */
void separation_read(const separation_step *s, parallel_range particles);
void separation_divide(const separation_step *s, parallel_range pairs);
separation_clipped separation_clip(const separation_step *s, parallel_range particles);
bool separation_check(const separation_step *s, parallel_range pairs);
bool separation_transfer(const separation_step *s, memory *m);
void separation_stop(const separation_step *s, parallel_range particles);
int32_t separation_find_forced(const separation_step *s, parallel_range pairs);

/* Call with one thread when some intersections are forced: carries free particles along with kinematic ones
   where that separates the pairs. Returns how many remain forced, and how often it has visited a pair. */
int32_t separation_carry_with_kinematics(const separation_step *s, int64_t *visits);

/* A particle that a collider has moved after the phases, its displacement before that, and the collider. */
typedef struct separation_moved {
  int32_t slot, collider;
  double3 kept;
} separation_moved;

/* The displacement that a collider gives to what it carries rigidly, from a position before the substep. */
typedef double3 separation_ride(const void *context, int32_t collider, double3 x);

/* Call with one thread after particles were moved. Pairs that would meet because of that are carried rigidly
   with the collider, with all that they would meet in turn. What still meets is moved back. Pairs that are
   forced stay so. */
void separation_carry_moved(const separation_step *s, const separation_moved *moved, int32_t count,
                            separation_ride *ride, const void *context);

#endif
