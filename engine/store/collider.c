#include "engine/store/collider.h"

#include "engine/base/definition.h"

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

static double between(double from, double to, double share) {
  return from + (to - from) * share;
}

collider_pose collider_pose_at(const collider_entry *c, double share) {
  if (!c->moves || share <= 0)
    return c->pose;
  if (share >= 1)
    return c->target;
  const collider_pose *a = &c->pose, *b = &c->target;
  const msd_quaternion p = a->rotation, q = b->rotation;
  /* q and -q are the same rotation; the sign selects the shorter arc. */
  const double sign = p.w * q.w + p.x * q.x + p.y * q.y + p.z * q.z < 0 ? -1 : 1;
  collider_pose pose = {{between(a->position.x, b->position.x, share),
                         between(a->position.y, b->position.y, share),
                         between(a->position.z, b->position.z, share)},
                        {between(p.w, sign * q.w, share), between(p.x, sign * q.x, share),
                         between(p.y, sign * q.y, share), between(p.z, sign * q.z, share)}};
  if (!collider_normalize(&pose.rotation))
    pose.rotation = p;
  return pose;
}

void collider_end_step(collider_store *s, int done) {
  const double share = (double)done / s->substeps;
  for (int32_t i = 0; i < s->count; i++) {
    collider_entry *c = &s->entries[i];
    c->pose = collider_pose_at(c, share);
    c->target = c->pose;
    c->moves = false;
  }
}
