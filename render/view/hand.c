#include "render/view/hand.h"

#include <msd/damped_spring.h>

#include <stdlib.h>

#define PI 3.14159265358979323846

/* s, of the spring that leads a pin: short enough to feel direct, long enough that a jerk of the pointer does
   not tear the cloth. */
#define HALF_LIFE 0.04

hand hand_empty(void) {
  return (hand){.particle = -1, .collider = -1, .own_soft_pin = -1, .soft_pin = -1};
}

static msd_vec3 to_vec3(const double v[3]) {
  return (msd_vec3){(msd_real)v[0], (msd_real)v[1], (msd_real)v[2]};
}

static void from_vec3(msd_vec3 v, double out[3]) {
  out[0] = (double)v.x;
  out[1] = (double)v.y;
  out[2] = (double)v.z;
}

static bool has_exact_soft_pins(const msd_world *world) {
  return msd_integrator_has_exact_soft_pins(msd_world_get_integrator(world));
}

/* The soft pin that already holds the particle, or the hand's own, which is added when first needed; -1: none.
   */
static int32_t find_soft_pin(hand *h, msd_world *world, int32_t particle) {
  int32_t of_scene = msd_particle_get_soft_pin(world, particle);
  if (of_scene >= 0)
    return of_scene;
  msd_soft_pin_def def = msd_default_soft_pin_def();
  bool has_own = h->own_soft_pin >= 0 || msd_add_soft_pins(world, &def, 1, &h->own_soft_pin) == MSD_OK;
  return has_own ? h->own_soft_pin : -1;
}

static void grab_by_soft_pin(hand *h, msd_world *world, int32_t particle) {
  int32_t soft_pin = find_soft_pin(h, world, particle);
  if (soft_pin < 0)
    return;
  double mass = msd_world_get_stats(world).total_mass, w = 2 * PI * HAND_FREQUENCY;
  h->old_soft_pin_def = msd_soft_pin_get_def(world, soft_pin);
  h->soft_pin_def = msd_default_soft_pin_def();
  h->soft_pin_def.particle = particle;
  h->soft_pin_def.law = MSD_SPRING_STIFFNESS;
  h->soft_pin_def.stiffness = (msd_real)(mass * w * w);
  h->soft_pin_def.damping = (msd_real)(2 * mass * w);
  h->soft_pin_def.position = to_vec3(h->goal);
  h->soft_pin = soft_pin;
  h->leads_pin = false;
  if (msd_soft_pin_set_def(world, soft_pin, &h->soft_pin_def) == MSD_OK)
    h->particle = particle;
}

static bool take_pins(hand *h, const msd_world *world, msd_range pins, const double at[3]) {
  h->placed = malloc((size_t)pins.count * sizeof *h->placed);
  if (h->placed == NULL)
    return false;
  h->pins = pins;
  for (int32_t i = 0; i < pins.count; i++)
    h->placed[i] = msd_particle_get_position(world, pins.first + i);
  for (int c = 0; c < 3; c++) {
    h->taken[c] = h->x[c] = at[c];
    h->v[c] = 0;
  }
  return true;
}

static void leave_pins(hand *h) {
  free(h->placed);
  h->placed = NULL;
  h->pins = (msd_range){0};
}

static void grab_by_pin(hand *h, msd_world *world, int32_t particle) {
  double at[3];
  from_vec3(msd_particle_get_position(world, particle), at);
  if (!take_pins(h, world, (msd_range){particle, 1}, at))
    return;
  from_vec3(msd_particle_get_velocity(world, particle), h->v);
  h->was_pinned = msd_particle_is_pinned(world, particle);
  h->leads_pin = true;
  if (msd_particle_pin(world, particle) == MSD_OK)
    h->particle = particle;
  else
    leave_pins(h);
}

static void take_hold(hand *h, msd_world *world, int32_t particle) {
  if (has_exact_soft_pins(world) && !msd_particle_is_pinned(world, particle))
    grab_by_soft_pin(h, world, particle);
  else
    grab_by_pin(h, world, particle);
}

void hand_grab(hand *h, msd_world *world, int32_t particle) {
  hand_release(h, world);
  if (particle < 0 || particle >= msd_world_get_particle_count(world))
    return;
  from_vec3(msd_particle_get_position(world, particle), h->goal);
  take_hold(h, world, particle);
}

void hand_grab_collider(hand *h, msd_world *world, int32_t collider, const double at[3]) {
  hand_release(h, world);
  if (collider < 0 || collider >= msd_world_get_collider_count(world))
    return;
  from_vec3(msd_collider_get_def(world, collider).position, h->x);
  for (int c = 0; c < 3; c++) {
    h->goal[c] = at[c];
    h->grip[c] = h->x[c] - at[c];
    h->v[c] = 0;
  }
  h->collider = collider;
}

void hand_grab_pins(hand *h, msd_world *world, msd_range pins, const double at[3]) {
  hand_release(h, world);
  if (pins.first < 0 || pins.count <= 0 || pins.count > msd_world_get_particle_count(world) - pins.first)
    return;
  if (take_pins(h, world, pins, at))
    for (int c = 0; c < 3; c++)
      h->goal[c] = at[c];
}

/* Whether the particle was pinned or unpinned, or the integrator was changed, while the hand held it. */
static bool holds_wrongly(const hand *h, const msd_world *world) {
  bool is_pinned = msd_particle_is_pinned(world, h->particle);
  return h->leads_pin ? !is_pinned || (!h->was_pinned && has_exact_soft_pins(world))
                      : is_pinned || !has_exact_soft_pins(world);
}

/* The next place on the way of a spring to a goal. */
static msd_vec3 follow_spring(hand *h, double frame_time, const double goal[3]) {
  msd_damped_spring spring = msd_damped_spring_make_critical(HALF_LIFE, frame_time);
  msd_damped_spring_update_vec3(&spring, h->x, h->v, goal);
  return to_vec3(h->x);
}

static void lead_collider(hand *h, msd_world *world, double frame_time) {
  double goal[3];
  for (int c = 0; c < 3; c++)
    goal[c] = h->goal[c] + h->grip[c];
  msd_collider_move_to(world, h->collider, follow_spring(h, frame_time, goal),
                       msd_collider_get_def(world, h->collider).rotation);
}

static void lead_pins(hand *h, msd_world *world, double frame_time) {
  follow_spring(h, frame_time, h->goal);
  for (int32_t i = 0; i < h->pins.count; i++) {
    double place[3];
    from_vec3(h->placed[i], place);
    for (int c = 0; c < 3; c++)
      place[c] += h->x[c] - h->taken[c];
    msd_particle_move_to(world, h->pins.first + i, to_vec3(place));
  }
}

void hand_step(hand *h, msd_world *world, double frame_time) {
  if (h->collider >= 0)
    lead_collider(h, world, frame_time);
  if (h->particle >= 0 && holds_wrongly(h, world)) {
    int32_t particle = h->particle;
    hand_release(h, world);
    take_hold(h, world, particle);
  }
  if (h->particle >= 0 && !h->leads_pin) {
    /* The point jumps to the goal: if it moved there, it would throw the particle past it. */
    h->soft_pin_def.position = to_vec3(h->goal);
    msd_soft_pin_set_def(world, h->soft_pin, &h->soft_pin_def);
  }
  if (h->pins.count > 0)
    lead_pins(h, world, frame_time);
}

void hand_release(hand *h, msd_world *world) {
  int32_t particle = h->particle;
  h->particle = h->collider = -1;
  leave_pins(h);
  if (particle < 0)
    return;
  if (!h->leads_pin)
    msd_soft_pin_set_def(world, h->soft_pin, &h->old_soft_pin_def);
  else if (!h->was_pinned && msd_particle_unpin(world, particle) == MSD_OK)
    msd_particle_set_velocity(world, particle, to_vec3(h->v));
}

void hand_forget(hand *h) {
  leave_pins(h);
  *h = hand_empty();
}
