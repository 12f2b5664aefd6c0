#include "hand.h"

#include <msd/damped_spring.h>

/* s; short enough to feel direct, long enough that a jerk of the pointer does not tear cloth */
#define HALF_LIFE 0.04

hand hand_empty(void) {
  return (hand){.particle = -1};
}

void hand_grab(hand *h, msd_world *world, int32_t particle) {
  hand_release(h, world);
  msd_vec3 x = msd_particle_get_position(world, particle), v = msd_particle_get_velocity(world, particle);
  bool was_pinned = msd_particle_is_pinned(world, particle);
  if (msd_particle_pin(world, particle) != MSD_OK)
    return; /* no such particle */
  *h = (hand){.particle = particle,
              .was_pinned = was_pinned,
              .x = {(double)x.x, (double)x.y, (double)x.z},
              .v = {(double)v.x, (double)v.y, (double)v.z},
              .goal = {(double)x.x, (double)x.y, (double)x.z}};
}

void hand_step(hand *h, msd_world *world, double time_step) {
  if (h->particle < 0)
    return;
  msd_damped_spring spring = msd_damped_spring_make_critical(HALF_LIFE, time_step);
  msd_damped_spring_update_vec3(&spring, h->x, h->v, h->goal);
  msd_particle_move_to(world, h->particle,
                       (msd_vec3){(msd_real)h->x[0], (msd_real)h->x[1], (msd_real)h->x[2]});
}

void hand_release(hand *h, msd_world *world) {
  if (h->particle >= 0 && !h->was_pinned && msd_particle_unpin(world, h->particle) == MSD_OK)
    msd_particle_set_velocity(world, h->particle,
                              (msd_vec3){(msd_real)h->v[0], (msd_real)h->v[1], (msd_real)h->v[2]});
  *h = hand_empty();
}
