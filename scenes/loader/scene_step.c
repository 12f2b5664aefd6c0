#include "scenes/loader/scene.h"

/* A time so close before a frame, as a part of it, belongs to the frame: the times of frames are sums that are
   rounded, and 1.5 s is meant to be the 90th of frames of 1/60 s. */
static const double EARLY = 1e-3;

/* The ends overlap, so that rounding loses nothing between two frames. What has happened in one of them does
   not happen again in the next: what is broken or free stays so. */
static bool is_due(const scene_event *event, double time, double frame_time) {
  return event->time >= time - EARLY * frame_time && event->time < time + (1 - EARLY / 2) * frame_time;
}

/* The motion that leads a particle, and its number there; NULL: none. */
static const scene_motion *find_motion(const scene *s, int32_t particle, int32_t *number) {
  for (int m = 0; m < s->animation.motion_count; m++)
    if ((*number = motion_find(&s->animation.motions[m], particle)) >= 0)
      return &s->animation.motions[m];
  return NULL;
}

/* What turns is followed through a short end of the frame. */
static const double TANGENT = 1.0 / 1024;

/* m/s: of what has just been led for a step. */
static msd_vec3 velocity_of(const scene_motion *motion, int32_t number, double time, double frame_time) {
  const msd_turn turn = motion_turn(motion, time - frame_time, time);
  const bool turns = turn.rotation.x != 0 || turn.rotation.y != 0 || turn.rotation.z != 0;
  const double span = turns ? frame_time * TANGENT : frame_time;
  const motion_place now = motion_place_at(motion, time), before = motion_place_at(motion, time - span);
  double to[3], from[3];
  motion_point_of(&now, motion->placed[number], to);
  motion_point_of(&before, motion->placed[number], from);
  return (msd_vec3){(msd_real)((to[0] - from[0]) / span), (msd_real)((to[1] - from[1]) / span),
                    (msd_real)((to[2] - from[2]) / span)};
}

/* A pin that was led goes on as fast. */
static msd_result let_go(const scene *s, int32_t particle, double time, double frame_time) {
  if (!msd_particle_is_pinned(s->world, particle))
    return MSD_OK;
  const msd_result result = msd_particle_unpin(s->world, particle);
  int32_t number;
  const scene_motion *motion = find_motion(s, particle, &number);
  if (result != MSD_OK || motion == NULL)
    return result;
  return msd_particle_set_velocity(s->world, particle, velocity_of(motion, number, time, frame_time));
}

/* What it held goes on as it was. */
static msd_result drop_soft_pin(const scene *s, int32_t soft_pin) {
  msd_soft_pin_def def = msd_soft_pin_get_def(s->world, soft_pin);
  def.particle = -1;
  return msd_soft_pin_set_def(s->world, soft_pin, &def);
}

static msd_result play_event(const scene *s, const scene_event *event, double time, double frame_time) {
  msd_result result = MSD_OK;
  for (int32_t e = 0; result == MSD_OK && e < event->spring_count; e++)
    result = msd_spring_break(s->world, event->springs[e]);
  for (int32_t c = 0; result == MSD_OK && c < event->constraint_count; c++)
    result = msd_constraint_break(s->world, event->constraints[c]);
  for (int32_t r = 0; result == MSD_OK && r < event->released_count; r++)
    result = let_go(s, event->released[r], time, frame_time);
  for (int32_t a = 0; result == MSD_OK && a < event->soft_pin_count; a++)
    result = drop_soft_pin(s, event->soft_pins[a]);
  return result;
}

/* What has been let go is led no longer. */
static msd_result play_motion(const scene *s, const scene_motion *motion, double time, double frame_time) {
  const motion_place place = motion_place_at(motion, time + frame_time);
  const msd_turn turn = motion_turn(motion, time, time + frame_time);
  msd_result result = MSD_OK;
  for (int32_t i = 0; result == MSD_OK && i < motion->count; i++) {
    const msd_vec3 to = motion_place_of(&place, motion->placed[i]);
    const int32_t particle = motion->particles[i], soft_pin = motion->soft_pins ? motion->soft_pins[i] : -1;
    if (soft_pin >= 0)
      result = msd_soft_pin_move_along(s->world, soft_pin, to, turn);
    else if (msd_particle_is_pinned(s->world, particle))
      result = msd_particle_move_along(s->world, particle, to, turn);
  }
  return result;
}

/* Its mean over the frame: what it gives in all is the same with frames of any length. */
static msd_result play_force(const scene *s, const scene_force *force, double time, double frame_time) {
  double mean[3];
  track_mean(&force->track, time, time + frame_time, mean);
  const msd_vec3 each = {(msd_real)(mean[0] / force->count), (msd_real)(mean[1] / force->count),
                         (msd_real)(mean[2] / force->count)};
  msd_result result = MSD_OK;
  if (mean[0] == 0 && mean[1] == 0 && mean[2] == 0)
    return MSD_OK;
  for (int32_t i = 0; result == MSD_OK && i < force->count; i++)
    result = msd_particle_apply_force(s->world, force->particles[i], each);
  return result;
}

/* From where it is to a place, about its position there, with the whole turns that are nearest to `turned`. */
static msd_result send_collider(const scene *s, int32_t collider, msd_vec3 to, msd_quaternion rotation,
                                const double turned[3]) {
  const msd_collider_def now = msd_collider_get_def(s->world, collider);
  double turn[3];
  turn_unwrap(rotation_between(now.rotation, rotation), turned, turn);
  if (turn[0] == 0 && turn[1] == 0 && turn[2] == 0)
    return msd_collider_move_to(s->world, collider, to, rotation);
  return msd_collider_move_along(
      s->world, collider, to, rotation,
      (msd_turn){{(msd_real)turn[0], (msd_real)turn[1], (msd_real)turn[2]}, now.position});
}

static msd_result move_collider(const scene *s, const scene_collider_motion *motion, double time,
                                double frame_time) {
  const scene_key at = track_at(&motion->track, time + frame_time);
  double turned[3];
  track_turned(&motion->track, time, time + frame_time, turned);
  return send_collider(s, motion->collider, key_position(&at), key_rotation(&at), turned);
}

static msd_result move_skeleton(const scene *s, const scene_skeleton *of, double time) {
  static const double turned[3] = {0, 0, 0};
  msd_result result = MSD_OK;
  for (int32_t b = 0; result == MSD_OK && b < of->colliders.count; b++) {
    const skeleton_place at = skeleton_joint_at(of->bones, of->joints[b], time);
    result = send_collider(s, of->colliders.first + b, skeleton_place_position(&at),
                           skeleton_place_rotation(&at), turned);
  }
  return result;
}

/* Evenly from where it is at the beginning of the frame to where it is at its end, whatever has been before.
   One more frame after the end makes sure of it, whatever is rounded. */
static msd_result play_seam(const scene *s, const scene_seam *seam, double time, double frame_time) {
  msd_result result = MSD_OK;
  if (time + frame_time < seam->begin || time > seam->end + frame_time)
    return MSD_OK;
  for (int32_t i = 0; result == MSD_OK && i < seam->springs.count; i++) {
    const int32_t spring = seam->springs.first + i;
    const msd_real from = seam_rest(seam, i, time), to = seam_rest(seam, i, time + frame_time);
    if (msd_spring_get_def(s->world, spring).rest_length != from)
      result = msd_spring_set_rest_length(s->world, spring, from);
    if (result == MSD_OK && to != from)
      result = msd_spring_move_rest_length_to(s->world, spring, to);
  }
  return result;
}

msd_result scene_step(const scene *s, double frame_time, int substeps) {
  const double time = msd_world_get_time(s->world), step = (double)(msd_real)frame_time;
  msd_result result = MSD_OK;
  for (int e = 0; result == MSD_OK && e < s->animation.event_count; e++)
    if (is_due(&s->animation.events[e], time, step))
      result = play_event(s, &s->animation.events[e], time, step);
  for (int m = 0; result == MSD_OK && m < s->animation.motion_count; m++)
    result = play_motion(s, &s->animation.motions[m], time, step);
  for (int c = 0; result == MSD_OK && c < s->animation.collider_motion_count; c++)
    result = move_collider(s, &s->animation.collider_motions[c], time, step);
  for (int f = 0; result == MSD_OK && f < s->animation.skeleton_count; f++)
    result = move_skeleton(s, &s->animation.skeletons[f], time + step);
  for (int f = 0; result == MSD_OK && f < s->animation.force_count; f++)
    result = play_force(s, &s->animation.forces[f], time, step);
  for (int i = 0; result == MSD_OK && i < s->animation.seam_count; i++)
    result = play_seam(s, &s->animation.seams[i], time, step);
  return result == MSD_OK ? msd_world_step(s->world, (msd_real)frame_time, substeps) : result;
}
