/* The nearest points of colliders, for any lane (base/lane.h). All shapes are convex, so the half-space
   inside the tangent plane at the nearest point contains the whole collider. */
#include "engine/base/lane.h"
#include "engine/collider/motion.h"

/* In the collider frame: the signed distance to the surface in m, negative inside; and the outward unit
   normal at the nearest point. */
typedef struct collider_nearest {
  LANE distance;
  LANE3 normal;
} collider_nearest;

LANE_INLINE LANE3 lanes_of(msd_vec3 v) {
  return lane_set3(v.x, v.y, v.z);
}

/* Rotate from the collider frame to the world, and back. */
LANE_INLINE LANE3 collider_turn(const msd_vec3 axis[3], LANE3 d) {
  return (LANE3){axis[0].x * d.x + axis[1].x * d.y + axis[2].x * d.z,
                 axis[0].y * d.x + axis[1].y * d.y + axis[2].y * d.z,
                 axis[0].z * d.x + axis[1].z * d.y + axis[2].z * d.z};
}

LANE_INLINE LANE3 collider_turn_back(const msd_vec3 axis[3], LANE3 d) {
  return (LANE3){lane_dot(lanes_of(axis[0]), d), lane_dot(lanes_of(axis[1]), d),
                 lane_dot(lanes_of(axis[2]), d)};
}

LANE_INLINE collider_nearest nearest_of_plane(const collider_motion *c, LANE3 q) {
  const LANE3 normal = lanes_of(c->normal);
  return (collider_nearest){lane_dot(normal, q), normal};
}

LANE_INLINE LANE lane_clamp(LANE a, LANE least, LANE most) {
  return lane_select(a < least, least, lane_select(a > most, most, a));
}

/* A capsule, or a sphere, whose line has length 0. */
LANE_INLINE collider_nearest nearest_of_round(const collider_motion *c, LANE3 q) {
  const LANE3 from = lane_subtract(q, lanes_of(c->from)), along = lanes_of(c->along);
  const LANE t = lane_clamp(lane_dot(from, along), lane_set(0), lane_set(c->length));
  const LANE3 out = lane_subtract(from, lane_scale(along, t));
  const LANE square = lane_dot(out, out);
  const LANE_MASK points = square > LANE_SMALLEST;
  const LANE length = lane_keep(points, lane_sqrt(square));
  const LANE3 normal = lane_scale(out, lane_inverse(points, length));
  return (collider_nearest){length - c->radius, lane_select3(points, normal, lanes_of(c->across))};
}

/* Outside of a box the direction from the nearest point; inside the nearest side, the first of several. */
LANE_INLINE collider_nearest nearest_of_box(const collider_motion *c, LANE3 q) {
  const LANE3 half = lanes_of(c->half), zero = lane_set3(0, 0, 0), one = lane_set3(1, 1, 1);
  const LANE3 clamped = {lane_clamp(q.x, -half.x, half.x), lane_clamp(q.y, -half.y, half.y),
                         lane_clamp(q.z, -half.z, half.z)};
  const LANE3 out = lane_subtract(q, clamped);
  const LANE square = lane_dot(out, out);
  const LANE_MASK outside = square > LANE_SMALLEST;
  const LANE length = lane_sqrt(square);
  const LANE3 away = lane_scale(out, lane_inverse(outside, length));
  const LANE3 deep = {half.x - lane_abs(q.x), half.y - lane_abs(q.y), half.z - lane_abs(q.z)};
  const LANE_MASK is_x = lane_not((deep.x > deep.y) | (deep.x > deep.z)),
                  is_y = lane_not(is_x) & lane_not(deep.y > deep.z), is_z = lane_not(is_x | is_y);
  const LANE3 sign = {lane_select(q.x < 0, -one.x, one.x), lane_select(q.y < 0, -one.y, one.y),
                      lane_select(q.z < 0, -one.z, one.z)};
  const LANE3 side = {lane_select(is_x, sign.x, zero.x), lane_select(is_y, sign.y, zero.y),
                      lane_select(is_z, sign.z, zero.z)};
  const LANE depth = lane_select(is_x, deep.x, lane_select(is_y, deep.y, deep.z));
  return (collider_nearest){lane_select(outside, length, -depth), lane_select3(outside, away, side)};
}

LANE_INLINE collider_nearest collider_find_nearest(const collider_motion *c, LANE3 q) {
  switch (c->kind) {
  case MSD_COLLIDER_PLANE:
    return nearest_of_plane(c, q);
  case MSD_COLLIDER_BOX:
    return nearest_of_box(c, q);
  default:
    return nearest_of_round(c, q);
  }
}
