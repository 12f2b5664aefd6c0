#include "scenes/loader/animation.h"

#include "scenes/loader/rotation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

msd_vec3 key_position(const scene_key *key) {
  return (msd_vec3){(msd_real)key->offset[0], (msd_real)key->offset[1], (msd_real)key->offset[2]};
}

msd_quaternion key_rotation(const scene_key *key) {
  msd_real degrees[3];
  for (int c = 0; c < 3; c++)
    degrees[c] = (msd_real)fmod(key->rotation[c], 360);
  return msd_quaternion_from_degrees((msd_vec3){degrees[0], degrees[1], degrees[2]});
}

msd_quaternion rotation_between(msd_quaternion from, msd_quaternion to) {
  const double a[4] = {to.w, to.x, to.y, to.z}, b[4] = {from.w, -from.x, -from.y, -from.z};
  double q[4];
  quaternion_product(a, b, q);
  return (msd_quaternion){q[0], q[1], q[2], q[3]};
}

/* Degrees about x, then y, then z, as a quaternion. */
static msd_quaternion rotation_at(const scene_track *track, double time) {
  const scene_key at = track_at(track, time);
  double q[4] = {1, 0, 0, 0};
  for (int axis = 2; axis >= 0; axis--)
    quaternion_turn(q, axis, at.rotation[axis]);
  return (msd_quaternion){q[0], q[1], q[2], q[3]};
}

/* Degrees in a piece, so that the shorter arc is the way; and the most pieces. */
static const double PIECE_DEGREES = 30;
enum { PIECES_MAX = 64 };

void track_turned(const scene_track *track, double from, double to, double turned[3]) {
  const scene_key begin = track_at(track, from), end = track_at(track, to);
  double change = 0;
  for (int c = 0; c < 3; c++)
    change += fabs(end.rotation[c] - begin.rotation[c]);
  const int pieces = (int)fmin(fmax(ceil(change / PIECE_DEGREES), 1), PIECES_MAX);
  turned[0] = turned[1] = turned[2] = 0;
  if (change == 0)
    return;
  msd_quaternion last = rotation_at(track, from);
  for (int n = 1; n <= pieces; n++) {
    const msd_quaternion next = rotation_at(track, from + (to - from) * n / pieces);
    double part[3];
    msd_quaternion_to_rotation_vector(rotation_between(last, next), part);
    for (int c = 0; c < 3; c++)
      turned[c] += part[c];
    last = next;
  }
}

/* `change` leaves the number of whole turns open: those are taken with which it is nearest to `turned`. */
void turn_unwrap(msd_quaternion change, const double turned[3], double turn[3]) {
  const double whole = 2 * 3.14159265358979323846;
  double angle = 0, along = 0, axis[3];
  msd_quaternion_to_rotation_vector(change, turn);
  for (int c = 0; c < 3; c++)
    angle += turn[c] * turn[c];
  angle = sqrt(angle);
  const double *direction = angle > 1e-6 ? turn : turned;
  double length = 0;
  for (int c = 0; c < 3; c++)
    length += direction[c] * direction[c];
  if (!(length > 0))
    return;
  for (int c = 0; c < 3; c++) {
    axis[c] = direction[c] / sqrt(length);
    along += axis[c] * (turned[c] - turn[c]);
  }
  const double turns = floor(along / whole + 0.5);
  for (int c = 0; c < 3; c++)
    turn[c] += axis[c] * turns * whole;
}

scene_key track_at(const scene_track *track, double time) {
  const scene_key *keys = track->keys;
  int next = 0;
  while (next < track->count && keys[next].time <= time)
    next++;
  scene_key at = keys[next > 0 ? next - 1 : 0];
  if (next > 0 && next < track->count) {
    const double part = (time - at.time) / (keys[next].time - at.time);
    for (int c = 0; c < 3; c++) {
      at.offset[c] += part * (keys[next].offset[c] - at.offset[c]);
      at.rotation[c] += part * (keys[next].rotation[c] - at.rotation[c]);
    }
  }
  at.time = time;
  return at;
}

/* Piece by piece: the mean of a straight line is at its middle. */
void track_mean(const scene_track *track, double from, double to, double mean[3]) {
  mean[0] = mean[1] = mean[2] = 0;
  for (int k = 0; k + 1 < track->count; k++) {
    const double begin = fmax(from, track->keys[k].time), end = fmin(to, track->keys[k + 1].time);
    if (!(begin < end))
      continue;
    const scene_key middle = track_at(track, begin + (end - begin) / 2);
    for (int c = 0; c < 3; c++)
      mean[c] += (end - begin) / (to - from) * middle.offset[c];
  }
}

int32_t motion_find(const scene_motion *motion, int32_t particle) {
  int32_t low = 0, high = motion->count;
  while (low < high) {
    const int32_t middle = low + (high - low) / 2;
    if (motion->particles[middle] < particle)
      low = middle + 1;
    else
      high = middle;
  }
  return low < motion->count && motion->particles[low] == particle ? low : -1;
}

/* As the frame of the joint has moved since the time 0. */
static motion_place place_by_joint(const scene_motion *motion, double time) {
  const skeleton_place now = skeleton_joint_at(motion->leader, motion->joint, time),
                       first = skeleton_joint_at(motion->leader, motion->joint, 0);
  const double *q = first.rotation;
  const double back[4] = {q[0], -q[1], -q[2], -q[3]};
  motion_place place;
  double turn[4];
  quaternion_product(now.rotation, back, turn);
  for (int c = 0; c < 3; c++) {
    double axis[3] = {c == 0, c == 1, c == 2};
    quaternion_turn_point(turn, axis);
    for (int r = 0; r < 3; r++)
      place.turn[r][c] = axis[r] - (r == c);
    place.center[c] = first.position[c];
    place.offset[c] = now.position[c] - first.position[c];
  }
  return place;
}

motion_place motion_place_at(const scene_motion *motion, double time) {
  if (motion->leader)
    return place_by_joint(motion, time);
  const scene_key at = track_at(&motion->track, time);
  motion_place place;
  rotation_of_degrees(at.rotation, place.turn);
  for (int c = 0; c < 3; c++) {
    place.offset[c] = at.offset[c];
    place.center[c] = motion->center[c];
    place.turn[c][c] -= 1;
  }
  return place;
}

void motion_point_of(const motion_place *place, const double placed[3], double to[3]) {
  for (int c = 0; c < 3; c++) {
    to[c] = placed[c] + place->offset[c];
    for (int k = 0; k < 3; k++)
      to[c] += place->turn[c][k] * (placed[k] - place->center[k]);
  }
}

msd_vec3 motion_place_of(const motion_place *place, const double placed[3]) {
  double to[3];
  motion_point_of(place, placed, to);
  return (msd_vec3){(msd_real)to[0], (msd_real)to[1], (msd_real)to[2]};
}

msd_turn motion_turn(const scene_motion *motion, double from, double to) {
  double turned[3] = {0, 0, 0}, turn[3] = {0, 0, 0}, pivot[3];
  if (motion->leader) {
    const skeleton_place begin = skeleton_joint_at(motion->leader, motion->joint, from),
                         end = skeleton_joint_at(motion->leader, motion->joint, to);
    turn_unwrap(rotation_between(skeleton_place_rotation(&begin), skeleton_place_rotation(&end)), turned,
                turn);
    memcpy(pivot, begin.position, sizeof pivot);
  } else {
    const scene_key begin = track_at(&motion->track, from);
    track_turned(&motion->track, from, to, turned);
    if (turned[0] != 0 || turned[1] != 0 || turned[2] != 0)
      turn_unwrap(rotation_between(rotation_at(&motion->track, from), rotation_at(&motion->track, to)),
                  turned, turn);
    for (int c = 0; c < 3; c++)
      pivot[c] = motion->center[c] + begin.offset[c];
  }
  return (msd_turn){{(msd_real)turn[0], (msd_real)turn[1], (msd_real)turn[2]},
                    {(msd_real)pivot[0], (msd_real)pivot[1], (msd_real)pivot[2]}};
}

/* A list with room for one more, of nothing yet; NULL when out of memory. */
static void *with_one_more(void *items, int count, size_t size) {
  char *larger = realloc(items, ((size_t)count + 1) * size);
  if (larger)
    memset(larger + (size_t)count * size, 0, size);
  return larger;
}

scene_motion *animation_add_motion(scene_animation *t) {
  scene_motion *motions = with_one_more(t->motions, t->motion_count, sizeof *motions);
  if (!motions)
    return NULL;
  t->motions = motions;
  return &motions[t->motion_count++];
}

scene_skeleton *animation_add_skeleton(scene_animation *t) {
  scene_skeleton *skeletons = with_one_more(t->skeletons, t->skeleton_count, sizeof *skeletons);
  if (!skeletons)
    return NULL;
  t->skeletons = skeletons;
  return &skeletons[t->skeleton_count++];
}

scene_force *animation_add_force(scene_animation *t) {
  scene_force *forces = with_one_more(t->forces, t->force_count, sizeof *forces);
  if (!forces)
    return NULL;
  t->forces = forces;
  return &forces[t->force_count++];
}

scene_seam *animation_add_seam(scene_animation *t) {
  scene_seam *seams = with_one_more(t->seams, t->seam_count, sizeof *seams);
  if (!seams)
    return NULL;
  t->seams = seams;
  return &seams[t->seam_count++];
}

msd_real seam_rest(const scene_seam *seam, int32_t i, double time) {
  const double from = (double)seam->placed[i], to = fmin(seam->gap, from),
               part = fmin(fmax((time - seam->begin) / (seam->end - seam->begin), 0), 1);
  return (msd_real)(part < 1 ? from + part * (to - from) : to);
}

void animation_free(scene_animation *t) {
  for (int m = 0; m < t->motion_count; m++) {
    free(t->motions[m].particles);
    free(t->motions[m].soft_pins);
    free(t->motions[m].placed);
    free(t->motions[m].track.keys);
  }
  for (int e = 0; e < t->event_count; e++) {
    free(t->events[e].springs);
    free(t->events[e].constraints);
    free(t->events[e].released);
    free(t->events[e].soft_pins);
  }
  for (int c = 0; c < t->collider_motion_count; c++)
    free(t->collider_motions[c].track.keys);
  for (int i = 0; i < t->seam_count; i++)
    free(t->seams[i].placed);
  for (int f = 0; f < t->skeleton_count; f++) {
    free(t->skeletons[f].name);
    free(t->skeletons[f].file);
    free(t->skeletons[f].joints);
    skeleton_free(t->skeletons[f].bones);
  }
  for (int f = 0; f < t->force_count; f++) {
    free(t->forces[f].particles);
    free(t->forces[f].track.keys);
  }
  free(t->seams);
  free(t->forces);
  free(t->skeletons);
  free(t->motions);
  free(t->collider_motions);
  free(t->events);
  free(t->text);
  *t = (scene_animation){0};
}
