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
   leave no space; what then remains in a box is counted as squeezed. Elements that begin in a box are pushed
   out at CONTACT_PUSH, and come no deeper.

   Planes need none of this: their complement is convex, so an element is outside if its corners are.

   Candidates are all pairs of a box and an element whose distance, less the thickness, is below a bound. They
   are found again when a particle or a box has moved farther than the distance of the nearest pair that is
   left out. Which pairs act follows from x and x' alone. */
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
bool box_contact_covers(const box_contacts *b, const msd_real *state, size_t stride,
                        parallel_range particles);

/* Changes the state after the substep. Serial. False without memory. */
bool box_contact_push(const self_contact_step *s);

/* Counts and records what has pushed particles. Call after the colliders. */
void box_contact_note(const self_contact_step *s);

/* Call after all other contact, with candidates that cover the state: marks those of a range that violate the
   guarantee, and returns whether there are any. Then resolves them, and counts those that are left; serial.
   False without memory. */
bool box_contact_check(const self_contact_step *s, parallel_range candidates);
bool box_contact_resolve(const self_contact_step *s, const separation_step *pairs);

box_corners box_contact_corners(const self_contact_step *s, const box_candidate *c);

/* m: a lower bound of the distance of an element from a box, from its bounding box in that frame. */
double box_contact_gap(double3 half, const double3 x[BOX_CORNERS]);

/* A vector of the frame of a box in the world. */
static inline double3 box_contact_turn(const collider_frame *f, double3 v) {
  return double3_add_scaled(double3_add_scaled(double3_scale(f->axis[0], v.x), f->axis[1], v.y), f->axis[2],
                            v.z);
}

#endif
