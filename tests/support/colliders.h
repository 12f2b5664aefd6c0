/* Colliders in a few words, and how far a place is from one: in double precision, and computed in another way
   than by the engine. */
#ifndef MSD_TESTS_SUPPORT_COLLIDERS_H
#define MSD_TESTS_SUPPORT_COLLIDERS_H

#include "tests/support/laboratory.h"
#include "tests/support/networks.h"

static inline msd_vec3 vector(double x, double y, double z) {
  return (msd_vec3){(msd_real)x, (msd_real)y, (msd_real)z};
}

static inline msd_quaternion degrees(double x, double y, double z) {
  return msd_quaternion_from_degrees(vector(x, y, z));
}

static inline msd_collider_def plane_of(msd_vec3 normal) {
  msd_collider_def def = msd_default_collider_def();
  def.normal = normal;
  return def;
}

static inline msd_collider_def sphere_of(double radius) {
  msd_collider_def def = msd_default_collider_def();
  def.kind = MSD_COLLIDER_SPHERE;
  def.radius = (msd_real)radius;
  return def;
}

static inline msd_collider_def capsule_of(double radius, msd_vec3 from, msd_vec3 to) {
  msd_collider_def def = sphere_of(radius);
  def.kind = MSD_COLLIDER_CAPSULE;
  def.from = from;
  def.to = to;
  return def;
}

static inline msd_collider_def box_of(double x, double y, double z) {
  msd_collider_def def = msd_default_collider_def();
  def.kind = MSD_COLLIDER_BOX;
  def.size = vector(x, y, z);
  return def;
}

static inline int32_t add_collider(msd_world *world, msd_collider_def def) {
  int32_t index = -1;
  ok(world, msd_add_colliders(world, &def, 1, &index));
  return index;
}

static inline void set_contact(msd_world *world, double thickness, double friction, double relaxation) {
  msd_contact_settings def = msd_default_contact_settings();
  def.thickness = (msd_real)thickness;
  def.friction = (msd_real)friction;
  def.relaxation = (msd_real)relaxation;
  ok(world, msd_world_set_contact_settings(world, &def));
}

static inline void move_collider(msd_world *world, int32_t collider, msd_vec3 position, msd_quaternion turn) {
  ok(world, msd_collider_move_to(world, collider, position, turn));
}

/* In 0..1. */
static inline double random_share(generator *random) {
  return random_below(random, 1000001) / 1e6;
}

static inline msd_vec3 random_place(generator *random, double size) {
  return vector(size * (2 * random_share(random) - 1), size * (2 * random_share(random) - 1),
                size * (2 * random_share(random) - 1));
}

/* One of `kind` of about a meter, within about `size` of the origin. */
static inline msd_collider_def random_collider(generator *random, msd_collider_kind kind, double size) {
  msd_collider_def def = msd_default_collider_def();
  def.kind = kind;
  def.position = random_place(random, size);
  def.rotation = msd_quaternion_from_degrees(random_place(random, 180));
  def.normal = random_place(random, 1);
  def.normal.y += 2;
  def.from = random_place(random, 0.5);
  def.to = random_place(random, 0.5);
  def.radius = (msd_real)(0.1 + 0.5 * random_share(random));
  def.size = vector(0.1 + random_share(random), 0.1 + random_share(random), 0.1 + random_share(random));
  return def;
}

/* Rotates by a unit quaternion w + (x, y, z), or back: v + 2 q x (q x v + w v). */
static inline void rotate(msd_quaternion q, int sign, const double v[3], double out[3]) {
  const double u[3] = {sign * q.x, sign * q.y, sign * q.z};
  const double t[3] = {u[1] * v[2] - u[2] * v[1] + q.w * v[0], u[2] * v[0] - u[0] * v[2] + q.w * v[1],
                       u[0] * v[1] - u[1] * v[0] + q.w * v[2]};
  out[0] = v[0] + 2 * (u[1] * t[2] - u[2] * t[1]);
  out[1] = v[1] + 2 * (u[2] * t[0] - u[0] * t[2]);
  out[2] = v[2] + 2 * (u[0] * t[1] - u[1] * t[0]);
}

/* A place in the frame of a collider. */
static inline void local_place(const msd_collider_def *def, msd_vec3 place, double out[3]) {
  const double d[3] = {(double)place.x - (double)def->position.x, (double)place.y - (double)def->position.y,
                       (double)place.z - (double)def->position.z};
  rotate(def->rotation, -1, d, out);
}

/* From a place to the line between two points. */
static inline double distance_to_line(const double q[3], msd_vec3 from, msd_vec3 to) {
  double along[3], out[3], square = 0, dot = 0, rest = 0;
  for (int c = 0; c < 3; c++) {
    along[c] = component(to, c) - component(from, c);
    out[c] = q[c] - component(from, c);
    square += along[c] * along[c];
    dot += along[c] * out[c];
  }
  const double share = square > 0 ? fmin(fmax(dot / square, 0), 1) : 0;
  for (int c = 0; c < 3; c++)
    rest += (out[c] - share * along[c]) * (out[c] - share * along[c]);
  return sqrt(rest);
}

/* How far a place is from the surface of a collider whose rotation has length 1; below 0 within. */
static inline double distance_from(const msd_collider_def *def, msd_vec3 place) {
  double q[3], length = 0, along = 0, outside = 0, inside = -INFINITY;
  local_place(def, place, q);
  const msd_vec3 zero = {0, 0, 0};
  switch (def->kind) {
  case MSD_COLLIDER_PLANE:
    for (int c = 0; c < 3; c++) {
      length += component(def->normal, c) * component(def->normal, c);
      along += component(def->normal, c) * q[c];
    }
    return along / sqrt(length);
  case MSD_COLLIDER_BOX:
    for (int c = 0; c < 3; c++) {
      const double beyond = fabs(q[c]) - component(def->size, c) / 2;
      outside += beyond > 0 ? beyond * beyond : 0;
      inside = fmax(inside, beyond);
    }
    return inside > 0 ? sqrt(outside) : inside;
  case MSD_COLLIDER_CAPSULE:
    return distance_to_line(q, def->from, def->to) - (double)def->radius;
  default:
    return distance_to_line(q, zero, zero) - (double)def->radius;
  }
}

/* To the nearest of all colliders of a world, as they are. */
static inline double distance_from_all(const msd_world *world, msd_vec3 place) {
  double least = INFINITY;
  for (int32_t i = 0; i < msd_world_get_collider_count(world); i++) {
    const msd_collider_def def = msd_collider_get_def(world, i);
    least = fmin(least, distance_from(&def, place));
  }
  return least;
}

#endif
