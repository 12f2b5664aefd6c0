#include "scenes/loader/skeleton.h"

#include "scenes/loader/rotation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Two frames, the part of the way from one to the next, and how often the motion was gone through before. */
typedef struct moment {
  int32_t frame, next;
  double part, laps;
} moment;

static moment moment_at(const skeleton *f, double time) {
  const double last = f->frame_count - 1;
  moment m = {0};
  double at = fmax((time - f->start) * f->rate, 0);
  if (last == 0)
    return m;
  if (f->loops) {
    m.laps = floor(at / last);
    at = fmax(at - m.laps * last, 0);
  }
  at = fmin(at, last);
  m.frame = (int32_t)at;
  m.next = m.frame < f->frame_count - 1 ? m.frame + 1 : m.frame;
  m.part = at - m.frame;
  return m;
}

static void root_at(const skeleton *f, const moment *m, double out[3]) {
  const double *a = f->roots[m->frame], *b = f->roots[m->next], *first = f->roots[0],
               *last = f->roots[f->frame_count - 1];
  for (int c = 0; c < 3; c++)
    out[c] = a[c] + m->part * (b[c] - a[c]) + m->laps * (last[c] - first[c]);
}

static void joint_rotation_at(const skeleton *f, const moment *m, int32_t joint, double out[4]) {
  static const double none[4] = {1, 0, 0, 0};
  const size_t turns = (size_t)f->turn_count;
  const int32_t turn = f->joints[joint].turn;
  const double *a = turn < 0 ? none : f->rotations[(size_t)m->frame * turns + (size_t)turn],
               *b = turn < 0 ? none : f->rotations[(size_t)m->next * turns + (size_t)turn];
  if (turn < 0 || m->part == 0)
    memcpy(out, a, 4 * sizeof *out);
  else
    quaternion_between(a, b, m->part, out);
}

/* From the joint up to the root, and from there into the scene. */
skeleton_place skeleton_joint_at(const skeleton *f, int32_t joint, double time) {
  const moment m = moment_at(f, time);
  skeleton_place at = {.position = {0, 0, 0}, .rotation = {1, 0, 0, 0}};
  double root[3];
  root_at(f, &m, root);
  for (int32_t j = joint; j >= 0; j = f->joints[j].parent) {
    const double *offset = j == 0 ? root : f->joints[j].offset;
    double turn[4];
    joint_rotation_at(f, &m, j, turn);
    quaternion_turn_point(turn, at.position);
    quaternion_product(turn, at.rotation, at.rotation);
    for (int c = 0; c < 3; c++)
      at.position[c] += offset[c];
  }
  quaternion_turn_point(f->place.rotation, at.position);
  quaternion_product(f->place.rotation, at.rotation, at.rotation);
  for (int c = 0; c < 3; c++)
    at.position[c] += f->place.position[c];
  return at;
}

int32_t skeleton_find_joint(const skeleton *f, const char *name) {
  for (int32_t j = 0; j < f->joint_count; j++)
    if (f->joints[j].name && strcmp(f->joints[j].name, name) == 0)
      return j;
  return -1;
}

msd_vec3 skeleton_place_position(const skeleton_place *place) {
  const double *p = place->position;
  return (msd_vec3){(msd_real)p[0], (msd_real)p[1], (msd_real)p[2]};
}

msd_quaternion skeleton_place_rotation(const skeleton_place *place) {
  const double *q = place->rotation;
  return (msd_quaternion){q[0], q[1], q[2], q[3]};
}

void skeleton_free(skeleton *f) {
  if (!f)
    return;
  for (int32_t j = 0; j < f->joint_count; j++)
    free(f->joints[j].name);
  free(f->joints);
  free(f->rotations);
  free(f->roots);
  free(f);
}
