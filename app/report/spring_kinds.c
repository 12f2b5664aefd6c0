#include "app/report/spring_kinds.h"

#include <math.h>

static const double LN2 = 0.69314718055994530942;

spring_state spring_start(const spring_setup *setup) {
  return (spring_state){.x = setup->from,
                        .v = setup->velocity,
                        .middle_x = setup->from,
                        .middle_v = setup->velocity,
                        .line = setup->from};
}

bool spring_has_goal(const spring_kind *kind) {
  return (kind->uses & SHOWS_MOTION) == 0;
}

double spring_goal(const spring_setup *setup, double time) {
  return setup->goal + setup->goal_velocity * time;
}

static void exact_damper(const spring_setup *setup, spring_state *s, double dt) {
  s->x = msd_damper(s->x, setup->goal, setup->parameters.halflife, dt);
  s->v = LN2 / setup->parameters.halflife * (setup->goal - s->x);
}

static void naive_damper(const spring_setup *setup, spring_state *s, double dt) {
  const double rate = LN2 / setup->parameters.halflife;
  s->x = msd_naive_damper(s->x, setup->goal, rate, dt);
  s->v = rate * (setup->goal - s->x);
}

static void exact_spring(const spring_setup *setup, spring_state *s, double dt) {
  const msd_damped_spring spring =
      msd_damped_spring_make_stiffness(setup->parameters.stiffness, setup->parameters.damping, dt);
  msd_damped_spring_track(&spring, dt, &s->x, &s->v, spring_goal(setup, s->time), setup->goal_velocity);
}

/* In the frame of the goal. */
static void naive_spring(const spring_setup *setup, spring_state *s, double dt) {
  double x = s->x - spring_goal(setup, s->time), v = s->v - setup->goal_velocity;
  msd_naive_spring(&x, &v, 0, setup->parameters.stiffness, setup->parameters.damping, dt);
  s->x = spring_goal(setup, s->time + dt) + x;
  s->v = v + setup->goal_velocity;
}

static void exact_double(const spring_setup *setup, spring_state *s, double dt) {
  msd_double_spring d = {s->x, s->v, s->middle_x, s->middle_v};
  msd_double_spring_update(&d, setup->goal, setup->parameters.halflife, dt);
  s->x = d.x;
  s->v = d.v;
  s->middle_x = d.middle_x;
  s->middle_v = d.middle_v;
}

static void naive_double(const spring_setup *setup, spring_state *s, double dt) {
  const msd_spring_parameters p = msd_spring_from_critical(setup->parameters.halflife / 2);
  msd_naive_spring(&s->middle_x, &s->middle_v, setup->goal, p.stiffness, p.damping, dt);
  msd_naive_spring(&s->x, &s->v, s->middle_x, p.stiffness, p.damping, dt);
}

static void exact_timed(const spring_setup *setup, spring_state *s, double dt) {
  msd_timed_spring t = {s->x,
                        s->v,
                        s->line,
                        setup->goal,
                        setup->goal_time - s->time,
                        setup->parameters.halflife,
                        setup->apprehension};
  msd_timed_spring_update(&t, dt);
  s->x = t.x;
  s->v = t.v;
  s->line = t.line;
}

/* A critical spring by symplectic Euler whose goal `seen` stands still during the step. */
static void naive_chase(const spring_setup *setup, spring_state *s, double seen, double dt) {
  const msd_spring_parameters p = msd_spring_from_critical(setup->parameters.halflife);
  msd_naive_spring(&s->x, &s->v, seen, p.stiffness, p.damping, dt);
}

static void naive_timed(const spring_setup *setup, spring_state *s, double dt) {
  const double left = setup->goal_time - s->time, velocity = (setup->goal - s->line) / fmax(left, dt);
  const double ahead = dt + setup->apprehension * setup->parameters.halflife;
  naive_chase(setup, s, ahead < left ? s->line + velocity * ahead : setup->goal, dt);
  s->line += velocity * dt;
}

static void exact_velocity(const spring_setup *setup, spring_state *s, double dt) {
  msd_velocity_spring t = {
      s->x, s->v, s->line, setup->goal, setup->speed, setup->parameters.halflife, setup->apprehension};
  msd_velocity_spring_update(&t, dt);
  s->x = t.x;
  s->v = t.v;
  s->line = t.line;
}

static void naive_velocity(const spring_setup *setup, spring_state *s, double dt) {
  const double way = setup->goal - s->line, velocity = copysign(setup->speed, way);
  const double ahead = dt + setup->apprehension * setup->parameters.halflife;
  naive_chase(setup, s, fabs(way) > ahead * setup->speed ? s->line + velocity * ahead : setup->goal, dt);
  s->line = fabs(way) > dt * setup->speed ? s->line + velocity * dt : setup->goal;
}

static void exact_tracking(const spring_setup *setup, spring_state *s, double dt) {
  msd_tracking_spring_exact(&s->x, &s->v, (msd_motion){setup->goal, 0, 0}, setup->gains, 1.0 / 60, dt);
}

static void naive_tracking(const spring_setup *setup, spring_state *s, double dt) {
  msd_tracking_spring(&s->x, &s->v, (msd_motion){setup->goal, 0, 0}, setup->gains, dt);
}

static void exact_character(const spring_setup *setup, spring_state *s, double dt) {
  msd_motion m = {s->x, s->v, s->acceleration};
  msd_character_update(&m, setup->goal, setup->parameters.halflife, dt);
  s->x = m.position;
  s->v = m.velocity;
  s->acceleration = m.acceleration;
}

static void naive_character(const spring_setup *setup, spring_state *s, double dt) {
  const msd_spring_parameters p = msd_spring_from_critical(setup->parameters.halflife);
  msd_naive_spring(&s->v, &s->acceleration, setup->goal, p.stiffness, p.damping, dt);
  s->x += dt * s->v;
}

static void exact_angle(const spring_setup *setup, spring_state *s, double dt) {
  const msd_damped_spring spring =
      msd_damped_spring_make_stiffness(setup->parameters.stiffness, setup->parameters.damping, dt);
  msd_damped_spring_update_angle(&spring, &s->x, &s->v, setup->goal);
}

const spring_kind spring_kinds[SPRING_KINDS] = {
    {"damper", "halves the distance every half-life", USES_HALFLIFE, exact_damper, naive_damper},
    {"spring", "a damped spring", USES_PARAMETERS | USES_GOAL_VELOCITY, exact_spring, naive_spring},
    {"critical", "a critically damped spring", USES_HALFLIFE | USES_GOAL_VELOCITY, exact_spring,
     naive_spring},
    {"double", "two critical springs in series", USES_HALFLIFE, exact_double, naive_double},
    {"timed", "a critical spring that arrives at --goal-time",
     USES_HALFLIFE | USES_GOAL_TIME | USES_APPREHENSION, exact_timed, naive_timed},
    {"velocity", "a critical spring that travels at --speed", USES_HALFLIFE | USES_SPEED | USES_APPREHENSION,
     exact_velocity, naive_velocity},
    {"tracking", "a tracking spring, its gains per 1/60 s", USES_GAINS, exact_tracking, naive_tracking},
    {"character", "a position whose velocity follows --goal by a critical spring",
     USES_HALFLIFE | SHOWS_MOTION, exact_character, naive_character},
    {"angle", "a damped spring on an angle in radians, the short way around the circle", USES_PARAMETERS,
     exact_angle, naive_spring},
};
