#include "engine/store/collider.h"

#include "engine/base/definition.h"
#include "engine/base/quaternion.h"

#include <math.h>

static const growth_array arrays[] = {GROWTH_ARRAY(collider_store, entries)};
const growth_table collider_growth = GROWTH(collider_store, count, capacity, arrays, .most = INT32_MAX);

void collider_store_free(collider_store *s, memory *m) {
  growth_free(&collider_growth, s, m);
  *s = (collider_store){0};
}

bool contact_settings_are_sound(contact_settings c) {
  return isfinite(c.thickness) && c.thickness >= 0 && isfinite(c.friction) && c.friction >= 0 &&
         c.relaxation >= 0 && c.relaxation < 1;
}

bool collider_normalize(msd_quaternion *q) {
  const double length = sqrt(q->w * q->w + q->x * q->x + q->y * q->y + q->z * q->z);
  if (!(length > 0) || !isfinite(length))
    return false;
  *q = (msd_quaternion){q->w / length, q->x / length, q->y / length, q->z / length};
  return true;
}

bool collider_normalize_vector(msd_vec3 *v) {
  const double x = (double)v->x, y = (double)v->y, z = (double)v->z, length = sqrt(x * x + y * y + z * z);
  if (!(length > 0) || !isfinite(length))
    return false;
  *v = (msd_vec3){(msd_real)(x / length), (msd_real)(y / length), (msd_real)(z / length)};
  return true;
}

collider_entry collider_entry_of(const msd_collider_def *def) {
  collider_entry c = {.kind = def->kind,
                      .pose = {vec3_double(def->position), def->rotation},
                      .normal = def->normal,
                      .from = def->from,
                      .to = def->to,
                      .size = def->size,
                      .radius = def->radius,
                      .friction = def->friction};
  collider_normalize(&c.pose.rotation);
  collider_normalize_vector(&c.normal);
  c.target = c.pose;
  return c;
}

msd_collider_def collider_def_of(const collider_entry *c) {
  return (msd_collider_def){
      .kind = c->kind,
      .position = {(msd_real)c->pose.position.x, (msd_real)c->pose.position.y, (msd_real)c->pose.position.z},
      .rotation = c->pose.rotation,
      .normal = c->normal,
      .from = c->from,
      .to = c->to,
      .size = c->size,
      .radius = c->radius,
      .friction = c->friction,
      .cookie = MSD_COLLIDER_COOKIE};
}

static msd_quaternion inverse(msd_quaternion q) {
  return (msd_quaternion){q.w, -q.x, -q.y, -q.z};
}

rigid_path collider_path(const collider_entry *c) {
  if (c->has_turn)
    return rigid_path_of(c->turn);
  const msd_quaternion turn = quaternion_product(c->target.rotation, inverse(c->pose.rotation));
  return rigid_path_make(quaternion_rotation_vector(turn), c->pose.position);
}

/* Takes the rotation at the end of the path to the target. */
static msd_quaternion rest_of(const collider_entry *c, const rigid_path *path) {
  msd_quaternion rest =
      quaternion_product(c->target.rotation, inverse(quaternion_product(path->whole, c->pose.rotation)));
  return rest.w < 0 ? (msd_quaternion){-rest.w, -rest.x, -rest.y, -rest.z} : rest;
}

double collider_turn_rest(const collider_entry *c) {
  const rigid_path path = collider_path(c);
  const double3 rest = quaternion_rotation_vector(rest_of(c, &path));
  return sqrt(double3_dot(rest, rest));
}

double collider_moves_turn(const collider_store *s) {
  double most = 0;
  for (int32_t i = 0; i < s->count; i++)
    if (s->entries[i].moves && !s->entries[i].is_gone)
      most = fmax(most, collider_path(&s->entries[i]).angle);
  return most;
}

void collider_begin_step(collider_store *s, int substeps) {
  s->substeps = substeps;
  for (int32_t i = 0; i < s->count; i++) {
    collider_entry *c = &s->entries[i];
    if (!c->moves)
      continue;
    c->path = collider_path(c);
    c->rest = rest_of(c, &c->path);
  }
}

/* The rest is small, so its share is taken along the chord. */
collider_pose collider_pose_at(const collider_entry *c, double share) {
  if (!c->moves || share <= 0)
    return c->pose;
  if (share >= 1)
    return c->target;
  const msd_quaternion turned = rigid_path_rotation(&c->path, share), r = c->rest;
  msd_quaternion rest = {1 + share * (r.w - 1), share * r.x, share * r.y, share * r.z};
  collider_normalize(&rest);
  collider_pose pose = {rigid_path_point(&c->path, turned, share, c->pose.position, c->target.position),
                        quaternion_product(rest, quaternion_product(turned, c->pose.rotation))};
  collider_normalize(&pose.rotation);
  return pose;
}

void collider_velocity_at(const collider_entry *c, double share, double span, double3 *shift, double3 *turn) {
  *shift = *turn = (double3){0, 0, 0};
  if (!c->moves)
    return;
  const double3 arm = double3_subtract(c->pose.position, c->path.pivot);
  const double3 rest = double3_subtract(double3_subtract(c->target.position, c->path.pivot),
                                        quaternion_turn_vector(c->path.whole, arm));
  *turn = double3_scale(c->path.axis, c->path.angle * span);
  const double3 now = quaternion_turn_vector(rigid_path_rotation(&c->path, share), arm);
  *shift = double3_add_scaled(double3_cross(*turn, now), rest, span);
}

void collider_end_step(collider_store *s, int done) {
  const double share = (double)done / s->substeps;
  for (int32_t i = 0; i < s->count; i++) {
    collider_entry *c = &s->entries[i];
    c->pose = collider_pose_at(c, share);
    c->target = c->pose;
    c->moves = c->has_turn = false;
  }
}
