#include "engine/collider/motion.h"

#include "engine/collider/shape.h"

/* The columns of the matrix of a unit quaternion. */
static collider_frame frame_of(const collider_pose *pose) {
  const msd_quaternion q = pose->rotation;
  return (collider_frame){
      pose->position,
      {{1 - 2 * (q.y * q.y + q.z * q.z), 2 * (q.x * q.y + q.w * q.z), 2 * (q.x * q.z - q.w * q.y)},
       {2 * (q.x * q.y - q.w * q.z), 1 - 2 * (q.x * q.x + q.z * q.z), 2 * (q.y * q.z + q.w * q.x)},
       {2 * (q.x * q.z + q.w * q.y), 2 * (q.y * q.z - q.w * q.x), 1 - 2 * (q.x * q.x + q.y * q.y)}}};
}

collider_frame collider_frame_at(const collider_entry *c, double share) {
  const collider_pose pose = collider_pose_at(c, share);
  return frame_of(&pose);
}

static double length_of(double3 v) {
  return sqrt(double3_dot(v, v));
}

static msd_vec3 vec3_of(double3 v) {
  return (msd_vec3){(msd_real)v.x, (msd_real)v.y, (msd_real)v.z};
}

/* A unit vector orthogonal to v; arbitrary if v is 0. */
static double3 direction_across(double3 v) {
  const double x = fabs(v.x), y = fabs(v.y), z = fabs(v.z);
  const double3 across = y <= x && y <= z ? (double3){v.z, 0, -v.x}
                         : x <= z         ? (double3){0, -v.z, v.y}
                                          : (double3){-v.y, v.x, 0};
  const double length = length_of(across);
  return length > 0 ? (double3){across.x / length, across.y / length, across.z / length} : (double3){0, 1, 0};
}

/* The distance of the farthest point from the origin of the frame. */
static double extent_of(const collider_entry *c) {
  const double from = vec3_length(c->from), to = vec3_length(c->to);
  switch (c->kind) {
  case MSD_COLLIDER_SPHERE:
    return (double)c->radius;
  case MSD_COLLIDER_CAPSULE:
    return (from > to ? from : to) + (double)c->radius;
  case MSD_COLLIDER_BOX:
    return vec3_length(c->size) / 2;
  default:
    return INFINITY;
  }
}

/* Applies the smallest rotation that takes one unit vector to another to a third vector. Undefined for
   opposite ones. */
static double3 swing(double3 from, double3 to, double3 v) {
  const double3 sum = double3_add_scaled(from, to, 1);
  const double share = double3_dot(sum, v) / (1 + double3_dot(from, to));
  return double3_add_scaled(double3_add_scaled(v, sum, -share), to, 2 * double3_dot(from, v));
}

static double3 in_frame(const collider_frame *f, msd_vec3 v) {
  const double3 zero = {0, 0, 0}, of = vec3_double(v);
  return double3_add_scaled(double3_add_scaled(double3_add_scaled(zero, f->axis[0], of.x), f->axis[1], of.y),
                            f->axis[2], of.z);
}

/* The spin of a round collider about its axis does not move its surface. */
static void add_swing(collider_motion *m, const collider_frame *before, const collider_frame *behind) {
  const double3 from = in_frame(before, m->along), to = in_frame(behind, m->along);
  const bool is_round = m->radius > 0, has_axis = m->length > 0;
  const bool swings = has_axis && 1 + double3_dot(from, to) > 1e-6;
  for (int n = 0; n < 3; n++) {
    m->swing[n] = m->turn[n];
    if (swings)
      m->swing[n] = vec3_of(double3_subtract(swing(from, to, before->axis[n]), before->axis[n]));
    else if (is_round && !has_axis)
      m->swing[n] = (msd_vec3){0, 0, 0};
  }
}

/* rad: below this turn in a substep, particles can stick. */
static const double GRIP_MAX = 3.14159265358979323846 / 2;

static void add_velocity(collider_motion *m, const collider_entry *c, double share, double span) {
  double3 drift, rotation;
  collider_velocity_at(c, share, span, &drift, &rotation);
  m->drift = vec3_of(drift);
  m->rotation = vec3_of(rotation);
  m->grips = double3_dot(rotation, rotation) < GRIP_MAX * GRIP_MAX;
}

static bool has_spin(const collider_motion *m) {
  double change = 0;
  for (int n = 0; n < 3; n++) {
    const msd_vec3 spin = vec3_subtract(m->turn[n], m->swing[n]);
    change += vec3_dot(spin, spin);
  }
  return m->turns && m->radius > 0 && change > 0;
}

static void add_motion(collider_motion *m, const collider_entry *c, const collider_frame *before,
                       const collider_frame *behind) {
  const double3 shift = double3_subtract(behind->origin, before->origin);
  double turn = 0;
  for (int n = 0; n < 3; n++) {
    const double3 change = double3_subtract(behind->axis[n], before->axis[n]);
    m->turn[n] = vec3_of(change);
    turn += double3_dot(change, change);
  }
  m->shift = vec3_of(shift);
  m->turns = turn > 0 || vec3_dot(m->rotation, m->rotation) > 0;
  m->moves = m->turns || double3_dot(shift, shift) > 0;
  add_swing(m, before, behind);
  m->spins = has_spin(m);
  m->reach = (msd_real)(length_of(shift) + (m->turns ? sqrt(turn) * extent_of(c) : 0));
}

collider_motion collider_motion_make(const collider_entry *c, contact_settings settings, double share_before,
                                     double share_behind) {
  const collider_pose from = collider_pose_at(c, share_before), to = collider_pose_at(c, share_behind);
  const collider_frame before = frame_of(&from), behind = frame_of(&to);
  const bool is_capsule = c->kind == MSD_COLLIDER_CAPSULE;
  const double3 line =
      is_capsule ? double3_subtract(vec3_double(c->to), vec3_double(c->from)) : (double3){0, 0, 0};
  const double length = length_of(line);
  const double3 along = length > 0 ? double3_add_scaled((double3){0, 0, 0}, line, 1 / length) : line;
  collider_motion m = {
      .kind = c->kind,
      .origin = vec3_of(before.origin),
      .axis = {vec3_of(before.axis[0]), vec3_of(before.axis[1]), vec3_of(before.axis[2])},
      .normal = c->normal,
      .half = {c->size.x / 2, c->size.y / 2, c->size.z / 2},
      .from = is_capsule ? c->from : (msd_vec3){0, 0, 0},
      .along = vec3_of(along),
      .across = vec3_of(direction_across(along)),
      .length = (msd_real)length,
      .radius = is_capsule || c->kind == MSD_COLLIDER_SPHERE ? c->radius : 0,
      .friction = c->friction < 0 ? settings.friction : c->friction,
  };
  add_velocity(&m, c, share_before, share_behind - share_before);
  add_motion(&m, c, &before, &behind);
  return m;
}

collider_touch collider_find_touch(const collider_entry *c, msd_vec3 place) {
  const collider_motion m = collider_motion_make(c, (contact_settings){0}, 0, 0);
  const collider_nearest nearest =
      collider_find_nearest(&m, collider_turn_back(m.axis, lane_subtract(place, m.origin)));
  const msd_vec3 normal = collider_turn(m.axis, nearest.normal);
  return (collider_touch){lane_subtract(place, lane_scale(normal, nearest.distance)), normal};
}
