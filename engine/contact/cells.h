/* What keeps pairs apart, whatever pushes them together: a plane between each that may meet in the substep.

   All has acted and left the particles at x'. For each pair the plane across its witness at x, the direction
   between the closest points, divides the gap in proportion to how far each side comes, with a margin of a 50th
   of the thickness and of the gap less than half. What a particle has on its side of all its planes is its
   cell, which has x: one that x' would take out goes to the point of the cell nearest to x' instead. That is
   no further from x, so no kinetic energy is made; of its way it loses what leads through the planes, and
   slides along them. All of A stays on one side and all of B on the other, at the beginning and at the end and
   so all the way, as half-spaces are convex: no pair that was apart comes together. Planes are of one substep,
   since the witness at x has the pair on its sides. They are tested in double on the numbers that the state
   has; where rounding would pass one, the particles stay at x, bit for bit.

   Most pairs need no plane. The sides of one that was a gap apart along its witness can have come nearer by no
   more than the longest ways of both since. While that leaves more than the margins of a plane, the pair is
   far, and nothing else is asked of it: whatever becomes of the ways in the substep, they are no longer.

   Particles that are led go where they are led. Where that is through a plane that what is free did not pass,
   this goes along with them, and what is in its way with it, as planes between what is free do not follow;
   where that brings it to something else, the pair is pinched; and where all corners are led, where they meet
   on their way. */
#ifndef MSD_ENGINE_CONTACT_CELLS_H
#define MSD_ENGINE_CONTACT_CELLS_H

#include "engine/base/vec3.h"
#include "engine/contact/corner_lists.h"
#include "engine/store/particle.h"

/* A particle in a substep: where it was, where it is by now, and how long that way is; 1 where nothing can hold
   it, else 0. A record of doubles (base/record.h). */
typedef struct cell_particle {
  double3 x;
  double way;
  double3 next;
  double is_led;
} cell_particle;

/* A particle where something is pinched: what is behind it where it does not go along with what is led, the way
   that it goes along, and whether it does; is asked to; has; or is to stay. */
typedef struct cell_ride {
  msd_real kept[COMPONENTS];
  double3 way;
  bool rides, is_asked, is_touched, stays;
} cell_ride;

typedef struct cell_pair {
  /* Of its corners, in `particles`. */
  int32_t particles[PAIR_CORNERS];
  pair_kind kind;
  bool is_far, stops, is_pinched;
  /* m: the sides are no nearer at x, and behind the substep; how much of that a plane would take for itself. */
  double gap, next_gap, least;
  /* m */
  double thickness;
  /* How far all stay from the plane, and what is too near goes away; the plane, and the unit vector from B to
     A. */
  double margin, away, plane;
  double3 normal;
  /* m: how far each corner may come towards the plane; below 0: must go. Not set where all must stay. */
  double room[PAIR_CORNERS];
} cell_pair;

typedef struct cells {
  int32_t count, capacity;
  cell_pair *pairs;
  /* The slots of each corner. */
  int32_t *slots[PAIR_CORNERS];
  corner_lists corners;
  /* Those of corners.slots. */
  cell_particle *particles;
  cell_ride *rides;
  int32_t particle_count, particle_capacity;
} cells;

/* What of a pair goes on behind a substep. m: its sides are no nearer; and what a plane would take of that. */
typedef struct cell_distance {
  double gap, least;
} cell_distance;

/* A substep. Six components each, with the stride. */
typedef struct cell_step {
  cells *cells;
  const msd_real *before, *inverse_mass;
  msd_real *behind;
  size_t stride;
  /* s */
  double time_step;
  /* The last one did not stand. */
  bool is_again;
  msd_simd simd;
} cell_step;

/* What is done with several pairs at once. */
typedef struct cell_kernel {
  /* Places the planes of some pairs of a kind. */
  void (*divide)(const cells *c, pair_kind kind, const int32_t *pairs, int32_t count);
} cell_kernel;

/* Made by cell_width_scalar.c, cell_width_128.c, cell_width_256.c and cell_width_512.c, which compile the one
   text of cell_kernel.h for their vectors. */
extern const cell_kernel cell_kernel_scalar, cell_kernel_128, cell_kernel_256, cell_kernel_512;

bool cells_reserve(cells *c, memory *m, int32_t particles);
void cells_free(cells *c, memory *m);

/* Room for that many pairs, of which those before `first` are kept. */
bool cells_make_room(cells *c, memory *m, int32_t first, int32_t pairs);
void cells_put(cells *c, int32_t n, const int32_t slots[PAIR_CORNERS], pair_kind kind, double thickness);
/* When all from `first` on are put; by so many threads at most. */
bool cells_finish(cells *c, memory *m, int32_t first, int32_t count, const msd_tasks *tasks, int threads);

/* The slots of the corners of a pair. */
static inline void cells_slots(const cells *c, int32_t n, int32_t slots[PAIR_CORNERS]) {
  for (int corner = 0; corner < PAIR_CORNERS; corner++)
    slots[corner] = c->slots[corner][n];
}

/* Tells what goes on of all pairs; and goes on with that, where the state x of such a stride bears it out. */
void cells_tell(const cells *c, cell_distance *distances);
void cells_go_on(cells *c, const cell_distance *distances, const msd_real *before, size_t stride);

/* Whether some pair is that one. */
bool cells_have(const cells *c, const int32_t slots[PAIR_CORNERS], pair_kind kind);

/* Whether a substep has left a pair that may be none of these as far apart as its plane would have. */
bool cells_have_divided(const cell_step *s, const int32_t slots[PAIR_CORNERS], pair_kind kind,
                        double thickness);

/* In order, each by all threads before the next: reads a range of particles, of corners.slots; places the
   planes of a range of pairs; cuts the ways of a range of particles, and returns how many were; says where
   these do not keep to the planes, and returns whether the last two have something to do: leaves at x what
   belongs to such pairs; finds which are pinched, and returns how many. */
void cells_read(const cell_step *s, parallel_range particles);
void cells_divide(const cell_step *s, parallel_range pairs);
int32_t cells_shorten(const cell_step *s, parallel_range particles);
bool cells_check(const cell_step *s, parallel_range pairs);
void cells_stop(const cell_step *s, parallel_range particles);
int32_t cells_find_pinched(const cell_step *s, parallel_range pairs);

/* Where some are pinched, by one thread: lets what is free of them go along with what is led, and what is in
   its way with that, where this parts them; returns how many still are pinched. */
int32_t cells_take_along(const cell_step *s);

#endif
