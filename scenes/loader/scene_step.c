#include "scenes/loader/scene.h"

/* A time so close before a frame, as a part of it, belongs to the frame: the times of frames are sums that are
   rounded, and 1.5 s is meant to be the 90th of frames of 1/60 s. */
static const double EARLY = 1e-3;

/* The ends overlap, so that rounding loses nothing between two frames. What has happened in one of them does
   not happen again in the next: what is broken or free stays so. */
static bool is_due(const scene_event *event, double time, double time_step) {
  return event->time >= time - EARLY * time_step && event->time < time + (1 - EARLY / 2) * time_step;
}

/* The motion that leads a particle, and its number there; NULL: none. */
static const scene_motion *find_motion(const scene *s, int32_t particle, int32_t *number) {
  for (int m = 0; m < s->timetable.motion_count; m++)
    if ((*number = motion_find(&s->timetable.motions[m], particle)) >= 0)
      return &s->timetable.motions[m];
  return NULL;
}

/* m/s: of what has just been led for a step. */
static msd_vec3 velocity_of(const scene_motion *motion, int32_t number, double time, double time_step) {
  const motion_place now = motion_place_at(motion, time), before = motion_place_at(motion, time - time_step);
  const msd_vec3 to = motion_place_of(&now, motion->placed[number]);
  const msd_vec3 from = motion_place_of(&before, motion->placed[number]);
  return (msd_vec3){(msd_real)(((double)to.x - (double)from.x) / time_step),
                    (msd_real)(((double)to.y - (double)from.y) / time_step),
                    (msd_real)(((double)to.z - (double)from.z) / time_step)};
}

/* A pin that was led goes on as fast. */
static msd_result let_go(const scene *s, int32_t particle, double time, double time_step) {
  if (!msd_particle_is_pinned(s->world, particle))
    return MSD_OK;
  const msd_result result = msd_particle_unpin(s->world, particle);
  int32_t number;
  const scene_motion *motion = find_motion(s, particle, &number);
  if (result != MSD_OK || motion == NULL)
    return result;
  return msd_particle_set_velocity(s->world, particle, velocity_of(motion, number, time, time_step));
}

/* What it held goes on as it was. */
static msd_result drop_anchor(const scene *s, int32_t anchor) {
  msd_anchor_def def = msd_anchor_get_def(s->world, anchor);
  def.particle = -1;
  return msd_anchor_set_def(s->world, anchor, &def);
}

static msd_result play_event(const scene *s, const scene_event *event, double time, double time_step) {
  msd_result result = MSD_OK;
  for (int32_t e = 0; result == MSD_OK && e < event->spring_count; e++)
    result = msd_spring_break(s->world, event->springs[e]);
  for (int32_t c = 0; result == MSD_OK && c < event->constraint_count; c++)
    result = msd_constraint_break(s->world, event->constraints[c]);
  for (int32_t r = 0; result == MSD_OK && r < event->released_count; r++)
    result = let_go(s, event->released[r], time, time_step);
  for (int32_t a = 0; result == MSD_OK && a < event->anchor_count; a++)
    result = drop_anchor(s, event->anchors[a]);
  return result;
}

/* What has been let go is led no longer. */
static msd_result play_motion(const scene *s, const scene_motion *motion, double time) {
  const motion_place place = motion_place_at(motion, time);
  msd_result result = MSD_OK;
  for (int32_t i = 0; result == MSD_OK && i < motion->count; i++) {
    const msd_vec3 to = motion_place_of(&place, motion->placed[i]);
    const int32_t particle = motion->particles[i], anchor = motion->anchors ? motion->anchors[i] : -1;
    if (anchor >= 0)
      result = msd_anchor_move_to(s->world, anchor, to);
    else if (msd_particle_is_pinned(s->world, particle))
      result = msd_particle_move_to(s->world, particle, to);
  }
  return result;
}

/* Its mean over the frame: what it gives in all is the same with frames of any length. */
static msd_result play_force(const scene *s, const scene_force *force, double time, double time_step) {
  double mean[3];
  track_mean(&force->track, time, time + time_step, mean);
  const msd_vec3 each = {(msd_real)(mean[0] / force->count), (msd_real)(mean[1] / force->count),
                         (msd_real)(mean[2] / force->count)};
  msd_result result = MSD_OK;
  if (mean[0] == 0 && mean[1] == 0 && mean[2] == 0)
    return MSD_OK;
  for (int32_t i = 0; result == MSD_OK && i < force->count; i++)
    result = msd_particle_apply_force(s->world, force->particles[i], each);
  return result;
}

static msd_result move_collider(const scene *s, const scene_collider_motion *motion, double time) {
  const scene_key at = track_at(&motion->track, time);
  return msd_collider_move_to(s->world, motion->collider, key_position(&at), key_rotation(&at));
}

static msd_result move_figure(const scene *s, const scene_figure *of, double time) {
  msd_result result = MSD_OK;
  for (int32_t b = 0; result == MSD_OK && b < of->colliders.count; b++) {
    const figure_place at = figure_joint_at(of->skeleton, of->joints[b], time);
    result = msd_collider_move_to(s->world, of->colliders.first + b, figure_place_position(&at),
                                  figure_place_rotation(&at));
  }
  return result;
}

/* Evenly from where it is at the beginning of the frame to where it is at its end, whatever has been before.
   One more frame after the end makes sure of it, whatever is rounded. */
static msd_result play_seam(const scene *s, const scene_seam *seam, double time, double time_step) {
  msd_result result = MSD_OK;
  if (time + time_step < seam->begin || time > seam->end + time_step)
    return MSD_OK;
  for (int32_t i = 0; result == MSD_OK && i < seam->springs.count; i++) {
    const int32_t spring = seam->springs.first + i;
    const msd_real from = seam_rest(seam, i, time), to = seam_rest(seam, i, time + time_step);
    if (msd_spring_get_def(s->world, spring).rest_length != from)
      result = msd_spring_set_rest_length(s->world, spring, from);
    if (result == MSD_OK && to != from)
      result = msd_spring_move_rest_length_to(s->world, spring, to);
  }
  return result;
}

msd_result scene_step(const scene *s, double time_step, int substeps) {
  const double time = msd_world_get_time(s->world), step = (double)(msd_real)time_step;
  msd_result result = MSD_OK;
  for (int e = 0; result == MSD_OK && e < s->timetable.event_count; e++)
    if (is_due(&s->timetable.events[e], time, step))
      result = play_event(s, &s->timetable.events[e], time, step);
  for (int m = 0; result == MSD_OK && m < s->timetable.motion_count; m++)
    result = play_motion(s, &s->timetable.motions[m], time + step);
  for (int c = 0; result == MSD_OK && c < s->timetable.collider_motion_count; c++)
    result = move_collider(s, &s->timetable.collider_motions[c], time + step);
  for (int f = 0; result == MSD_OK && f < s->timetable.figure_count; f++)
    result = move_figure(s, &s->timetable.figures[f], time + step);
  for (int f = 0; result == MSD_OK && f < s->timetable.force_count; f++)
    result = play_force(s, &s->timetable.forces[f], time, step);
  for (int i = 0; result == MSD_OK && i < s->timetable.seam_count; i++)
    result = play_seam(s, &s->timetable.seams[i], time, step);
  return result == MSD_OK ? msd_world_step(s->world, (msd_real)time_step, substeps) : result;
}
