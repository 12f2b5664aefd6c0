/* The nearest point of a collider. All are convex, so the distance from them, negative within, is a convex
   function of the place, and the half-space behind the nearest point's tangent plane holds all of the collider. */
#ifndef MSD_ENGINE_CONTACT_COLLIDER_SHAPE_H
#define MSD_ENGINE_CONTACT_COLLIDER_SHAPE_H

#include "engine/store/collider.h"

/* A frame: its origin, and its axes as columns. */
typedef struct collider_frame {
  double3 origin;
  double3 axis[3];
} collider_frame;

collider_frame collider_frame_of(const collider_pose *pose);

/* From the frame to the world and back; of directions, and of places. */
double3 collider_turn(const collider_frame *f, double3 direction);
double3 collider_turn_back(const collider_frame *f, double3 direction);
double3 collider_place(const collider_frame *f, double3 local);
double3 collider_place_back(const collider_frame *f, double3 place);

/* In the frame: how far a place is from the surface, in m, below 0 within; the nearest point of the surface; and
   the unit vector that leads out of it there, also where the place is on it. */
typedef struct collider_nearest {
  double distance;
  double3 point, normal;
} collider_nearest;

collider_nearest collider_find_nearest(const collider_entry *c, double3 local);

#endif
