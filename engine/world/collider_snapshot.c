/* Colliders in a snapshot. */

#include "engine/world/snapshot.h"

#include <math.h>

enum { POSES = 2, POSE_NUMBERS = 7, SHAPE_NUMBERS = 14 };

uint64_t collider_snapshot_size(int32_t colliders) {
  return (uint64_t)colliders *
         (3 + POSES * POSE_NUMBERS * sizeof(double) + sizeof(msd_turn) + SHAPE_NUMBERS * sizeof(msd_real));
}

static void put_pose(unsigned char **to, const collider_pose *p) {
  const double numbers[POSE_NUMBERS] = {p->position.x, p->position.y, p->position.z, p->rotation.w,
                                        p->rotation.x, p->rotation.y, p->rotation.z};
  snapshot_put(to, numbers, sizeof numbers);
}

void collider_snapshot_put(unsigned char **to, const collider_store *s) {
  for (int32_t i = 0; i < s->count; i++) {
    const collider_entry *c = &s->entries[i];
    *(*to)++ = (unsigned char)c->kind;
    *(*to)++ = c->moves;
    *(*to)++ = c->has_turn;
    snapshot_put(to, &c->turn, sizeof c->turn);
    put_pose(to, &c->pose);
    put_pose(to, &c->target);
    const msd_vec3 vectors[4] = {c->normal, c->from, c->to, c->size};
    snapshot_put(to, vectors, sizeof vectors);
    snapshot_put(to, &c->radius, sizeof c->radius);
    snapshot_put(to, &c->friction, sizeof c->friction);
  }
}

/* True if a squared length is 1 up to rounding. */
static bool is_one(double square) {
  return fabs(square - 1) < 1e-5;
}

static bool get_pose(collider_pose *p, const unsigned char **from) {
  double n[POSE_NUMBERS];
  snapshot_get(n, from, sizeof n);
  *p = (collider_pose){{n[0], n[1], n[2]}, {n[3], n[4], n[5], n[6]}};
  return isfinite(n[0]) && isfinite(n[1]) && isfinite(n[2]) &&
         is_one(n[3] * n[3] + n[4] * n[4] + n[5] * n[5] + n[6] * n[6]);
}

static bool is_above(msd_real value) {
  return value > 0 && isfinite(value);
}

static bool is_sound(const collider_entry *c) {
  return (unsigned)c->kind < MSD_COLLIDER_KIND_COUNT && is_one(vec3_dot(c->normal, c->normal)) &&
         vec3_is_finite(c->from) && vec3_is_finite(c->to) && is_above(c->size.x) && is_above(c->size.y) &&
         is_above(c->size.z) && is_above(c->radius) && isfinite(c->friction) &&
         (c->friction >= 0 || c->friction == MSD_CONTACT_FRICTION);
}

bool collider_snapshot_get(collider_store *s, int32_t colliders, const unsigned char **from) {
  bool sound = true;
  for (int32_t i = 0; i < colliders && sound; i++) {
    collider_entry *c = &s->entries[s->count++];
    c->kind = (msd_collider_kind) * (*from)++;
    const unsigned char moves = *(*from)++, has_turn = *(*from)++;
    c->moves = moves != 0;
    c->has_turn = has_turn != 0;
    snapshot_get(&c->turn, from, sizeof c->turn);
    sound = get_pose(&c->pose, from) && sound;
    sound = get_pose(&c->target, from) && sound;
    msd_vec3 vectors[4];
    snapshot_get(vectors, from, sizeof vectors);
    c->normal = vectors[0];
    c->from = vectors[1];
    c->to = vectors[2];
    c->size = vectors[3];
    snapshot_get(&c->radius, from, sizeof c->radius);
    snapshot_get(&c->friction, from, sizeof c->friction);
    sound = sound && moves <= 1 && has_turn <= 1 && turn_is_finite(c->turn) && is_sound(c);
  }
  return sound;
}
