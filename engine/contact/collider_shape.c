#include "engine/contact/collider_shape.h"

/* ----------------------------------------------------------------------------------------------- frames */

/* The columns of the matrix of a unit quaternion. */
collider_frame collider_frame_of(const collider_pose *pose) {
  const msd_quaternion q = pose->rotation;
  return (collider_frame){
      pose->position,
      {{1 - 2 * (q.y * q.y + q.z * q.z), 2 * (q.x * q.y + q.w * q.z), 2 * (q.x * q.z - q.w * q.y)},
       {2 * (q.x * q.y - q.w * q.z), 1 - 2 * (q.x * q.x + q.z * q.z), 2 * (q.y * q.z + q.w * q.x)},
       {2 * (q.x * q.z + q.w * q.y), 2 * (q.y * q.z - q.w * q.x), 1 - 2 * (q.x * q.x + q.y * q.y)}}};
}

double3 collider_turn(const collider_frame *f, double3 d) {
  return (double3){f->axis[0].x * d.x + f->axis[1].x * d.y + f->axis[2].x * d.z,
                   f->axis[0].y * d.x + f->axis[1].y * d.y + f->axis[2].y * d.z,
                   f->axis[0].z * d.x + f->axis[1].z * d.y + f->axis[2].z * d.z};
}

double3 collider_turn_back(const collider_frame *f, double3 d) {
  return (double3){double3_dot(f->axis[0], d), double3_dot(f->axis[1], d), double3_dot(f->axis[2], d)};
}

double3 collider_place(const collider_frame *f, double3 local) {
  return double3_add_scaled(collider_turn(f, local), f->origin, 1);
}

double3 collider_place_back(const collider_frame *f, double3 place) {
  return collider_turn_back(f, double3_subtract(place, f->origin));
}

/* ----------------------------------------------------------------------------------------------- shapes */

static collider_nearest nearest_of_plane(const collider_entry *c, double3 q) {
  const double3 normal = vec3_double(c->normal);
  const double distance = double3_dot(normal, q);
  return (collider_nearest){distance, double3_add_scaled(q, normal, -distance), normal};
}

/* A unit vector across another vector; any, where that is 0. */
static double3 direction_across(double3 v) {
  const double x = fabs(v.x), y = fabs(v.y), z = fabs(v.z);
  const double3 across = y <= x && y <= z ? (double3){v.z, 0, -v.x}
                         : x <= z         ? (double3){0, -v.z, v.y}
                                          : (double3){-v.y, v.x, 0};
  const double length = sqrt(double3_dot(across, across));
  return length > 0 ? (double3){across.x / length, across.y / length, across.z / length}
                    : (double3){0, 1, 0};
}

/* Of a ball about a place of a line in the frame. */
static collider_nearest nearest_of_ball(double3 middle, double3 line, double radius, double3 q) {
  const double3 from = double3_subtract(q, middle);
  const double length = sqrt(double3_dot(from, from));
  const double3 normal = length > 0 ? (double3){from.x / length, from.y / length, from.z / length}
                                    : direction_across(line);
  return (collider_nearest){length - radius, double3_add_scaled(middle, normal, radius), normal};
}

static double clamp(double value, double least, double most) {
  return value < least ? least : value > most ? most : value;
}

static collider_nearest nearest_of_capsule(const collider_entry *c, double3 q) {
  const double3 from = vec3_double(c->from), along = double3_subtract(vec3_double(c->to), from);
  const double square = double3_dot(along, along);
  const double t = square > 0 ? double3_dot(double3_subtract(q, from), along) / square : 0;
  return nearest_of_ball(double3_add_scaled(from, along, clamp(t, 0, 1)), along, (double)c->radius, q);
}

/* From inside, the nearest of the six sides; where there are several, the first. */
static collider_nearest nearest_from_inside(const double half[3], const double at[3]) {
  int side = 0;
  for (int axis = 1; axis < 3; axis++)
    if (half[axis] - fabs(at[axis]) < half[side] - fabs(at[side]))
      side = axis;
  double point[3] = {at[0], at[1], at[2]}, normal[3] = {0, 0, 0};
  normal[side] = at[side] < 0 ? -1 : 1;
  point[side] = normal[side] * half[side];
  return (collider_nearest){fabs(at[side]) - half[side],
                            {point[0], point[1], point[2]},
                            {normal[0], normal[1], normal[2]}};
}

static collider_nearest nearest_of_box(const collider_entry *c, double3 q) {
  const double half[3] = {(double)c->size.x / 2, (double)c->size.y / 2, (double)c->size.z / 2};
  const double at[3] = {q.x, q.y, q.z};
  const double3 point = {clamp(q.x, -half[0], half[0]), clamp(q.y, -half[1], half[1]),
                         clamp(q.z, -half[2], half[2])};
  const double3 from = double3_subtract(q, point);
  const double length = sqrt(double3_dot(from, from));
  if (!(length > 0))
    return nearest_from_inside(half, at);
  return (collider_nearest){length, point, {from.x / length, from.y / length, from.z / length}};
}

collider_nearest collider_find_nearest(const collider_entry *c, double3 local) {
  switch (c->kind) {
  case MSD_COLLIDER_SPHERE:
    return nearest_of_ball((double3){0, 0, 0}, (double3){0, 0, 0}, (double)c->radius, local);
  case MSD_COLLIDER_CAPSULE:
    return nearest_of_capsule(c, local);
  case MSD_COLLIDER_BOX:
    return nearest_of_box(c, local);
  default:
    return nearest_of_plane(c, local);
  }
}
