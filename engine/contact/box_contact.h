/* Contact of box colliders with the triangles and segments of collision meshes.

   Colliders push vertices (kernel/contacts.h). Between them an edge or a corner of a box could still enter an
   element, the triangle or segment of a mesh. As both are convex, one direction separates them, or they
   overlap (box_separation.h). All positions here are in the frame of the box, which moves and turns with it,
   so that a moving box needs nothing of its own. In each substep, with x before it:

       push     Where an element would come nearer than the thickness, an impulse at its nearest point
                pushes it away: each corner takes a share by its weight there and its inverse mass.
                Friction acts at the same point. All impulses of the substep are found by projected
                Gauss-Seidel, which for static boxes adds no kinetic energy, as with vertices. It precedes the
                forces between meshes.
       guard    After all other contact, each element near a box is tested again. If it overlaps the box, or
                has come nearer than a fiftieth of the thickness or has passed through, its corners go to the
                nearest point on their own side of the plane that separated them at x, and of the planes that
                keep meshes apart. If no such point is found, they go back to x, or to where the box carries x.

   The last resort satisfies each plane of one box or of boxes at rest. So an element that is outside of all
   boxes stays so at any speed, unless kinematic particles, or several boxes that move towards each other,
   leave no space; what then remains in a box is counted as squeezed. Elements that begin in a box come no
   deeper, and are pushed out at CONTACT_PUSH unless they hold each other.

   Planes need none of this: their complement is convex, so an element is outside if its corners are.

   Candidates are all pairs of a box and an element whose distance, less the thickness, is below a bound. They
   are found again when a particle or a box has moved farther than the distance of the nearest pair that is
   left out. Which pairs act follows from x and x' alone.

   Most candidates are passed over, by the sides of the box that their corners are outside of, found for runs of
   particles at once (box_codes): in the push if all corners face one side alone, or are farther outside of one
   than they come in the substep; in the guard if one side separates them before and after it. The push solves
   one impulse for an edge that is nearest to the box in several triangles. */
#ifndef MSD_ENGINE_CONTACT_BOX_CONTACT_H
#define MSD_ENGINE_CONTACT_BOX_CONTACT_H

#include "engine/contact/box_separation.h"
#include "engine/contact/self_contact.h"

/* A live box in a substep. */
typedef struct box_motion {
  int32_t collider;
  double3 half;
  collider_frame before, behind;
  /* m: no point of it moves farther in the substep. */
  double reach;
  double friction;
} box_motion;

/* A query of where particles of a state are; `far` in m. */
typedef struct box_query {
  const collider_frame *frame;
  double3 half;
  const msd_real *state;
  size_t stride;
  double far;
} box_query;

/* Operations on many particles, for one vector width. */
typedef struct box_kernel {
  /* Of the state at x: the side that a particle is outside of, if only one; and those of which it is farther
     outside than `far`, shifted by 8 bits. Also finds all that it is `outside` of, and its
     place. Returns the bits that all codes have in common. */
  uint16_t (*mark_faces)(const box_query *q, int32_t first, box_codes *codes, box_codes *outside,
                         box_places *places);
  /* Of the state after the substep: the sides in `outside` of which a particle is farther outside than `far`.
     Returns those that all have in common. */
  uint16_t (*mark_apart)(const box_query *q, int32_t first, box_codes *codes, const box_codes *outside);
  box_edges_find *find_edges;
} box_kernel;

/* Each is defined by the file separation_*.c of its width. */
extern const box_kernel box_kernel_scalar, box_kernel_128, box_kernel_256, box_kernel_512;

#define BOX_KERNEL                                                                                           \
  { box_mark_faces, box_mark_apart, box_find_edges }

const box_kernel *box_kernel_choose(msd_simd simd);

/* The part of the thickness that the guard keeps elements apart from boxes. */
static const double BOX_LEAST = 1.0 / 50;

/* The positions of the corners of an element in the frame of a box, before and after the substep. */
typedef struct box_corners {
  double3 before[BOX_CORNERS], behind[BOX_CORNERS];
  /* m: the corners and the box approach by at most this much. */
  double approach;
} box_corners;

/* True if the world has boxes and meshes for them to touch. */
bool box_contact_acts(const self_contact_step *s);

/* Reserves memory for the boxes, and places them in the substep. Call it before all others. */
bool box_contact_begin(const self_contact_step *s);

/* Finds the candidates if the last ones do not cover the states before the substep and `state`. False without
   memory. */
bool box_contact_cover(const self_contact_step *s, const msd_real *state);

/* True if the candidates of the last box_contact_cover cover some particles of a state, while no box moves. */
bool box_contact_covers(const box_contacts *b, msd_simd simd, const msd_real *state,
                        parallel_range particles);

/* Call after box_contact_cover and before box_contact_push: finds the codes of particles, by which most
   elements are passed over. */
void box_contact_mark_faces(const self_contact_step *s);
/* Call before box_contact_check, for ranges of runs. */
void box_contact_mark_apart(const self_contact_step *s, parallel_range runs);

/* True if all particles of the runs of a block have a bit in common. */
static inline bool box_contact_block_passes(const box_contacts *b, const box_block *block) {
  uint32_t common = block->run_count < 0 ? 0 : UINT16_MAX;
  for (int32_t n = 0; n < block->run_count; n++)
    common &= b->common[block->runs[n]];
  return common;
}

/* True if all corners of a candidate have a bit in common. */
static inline bool box_contact_passes(const uint16_t *codes, const box_candidate *c) {
  return codes[c->places[0]] & codes[c->places[1]] & codes[c->places[2]];
}

/* Changes the state after the substep. Serial. False without memory. */
bool box_contact_push(const self_contact_step *s);

/* Counts and records what has pushed particles. Call after the colliders. */
void box_contact_note(const self_contact_step *s);

/* Call after all other contact, with candidates that cover the state: marks those of a range of blocks that
   violate the guarantee, and returns whether there are any. Then resolves them, and counts those that are left;
   serial. False without memory. */
bool box_contact_check(const self_contact_step *s, parallel_range blocks);
bool box_contact_resolve(const self_contact_step *s, const separation_step *pairs);

box_corners box_contact_corners(const self_contact_step *s, const box_candidate *c);

/* The position of a particle in a state. */
static inline double3 box_contact_read(const msd_real *state, size_t stride, int32_t slot) {
  const size_t at = (size_t)slot;
  return (double3){(double)state[at], (double)state[stride + at], (double)state[2 * stride + at]};
}

/* A position of the world in the frame of a box. */
static inline double3 box_contact_place(const collider_frame *f, double3 at) {
  const double3 from = double3_subtract(at, f->origin);
  return (double3){double3_dot(f->axis[0], from), double3_dot(f->axis[1], from),
                   double3_dot(f->axis[2], from)};
}

static inline double box_contact_beyond(double least, double most, double half) {
  return least > half ? least - half : most < -half ? -half - most : 0;
}

static inline double box_contact_least(double a, double b, double c) {
  const double ab = a < b ? a : b;
  return ab < c ? ab : c;
}

static inline double box_contact_most(double a, double b, double c) {
  const double ab = a > b ? a : b;
  return ab > c ? ab : c;
}

/* m: the distance of a bounding box from a box, in its frame. */
static inline double box_contact_gap_of(double3 half, double3 low, double3 high) {
  const double3 gap = {box_contact_beyond(low.x, high.x, half.x), box_contact_beyond(low.y, high.y, half.y),
                       box_contact_beyond(low.z, high.z, half.z)};
  return sqrt(double3_dot(gap, gap));
}

/* m: a lower bound of the distance of an element from a box, from its bounding box in that frame. */
static inline double box_contact_gap(double3 half, const double3 x[BOX_CORNERS]) {
  const double3 low = {box_contact_least(x[0].x, x[1].x, x[2].x), box_contact_least(x[0].y, x[1].y, x[2].y),
                       box_contact_least(x[0].z, x[1].z, x[2].z)},
                high = {box_contact_most(x[0].x, x[1].x, x[2].x), box_contact_most(x[0].y, x[1].y, x[2].y),
                        box_contact_most(x[0].z, x[1].z, x[2].z)};
  return box_contact_gap_of(half, low, high);
}

/* A vector of the frame of a box in the world. */
static inline double3 box_contact_turn(const collider_frame *f, double3 v) {
  return double3_add_scaled(double3_add_scaled(double3_scale(f->axis[0], v.x), f->axis[1], v.y), f->axis[2],
                            v.z);
}

#endif
