/* The kinds of closed-form springs that `msd spring` shows, each with the naive formula beside it. */
#ifndef MSD_APP_REPORT_SPRING_KINDS_H
#define MSD_APP_REPORT_SPRING_KINDS_H

#include <msd/damped_spring.h>

#include <stdbool.h>

/* Values that a kind may use besides from, velocity, goal and time. */
enum {
  USES_HALFLIFE = 1,
  /* Any pair that describes a spring, halflife among them. */
  USES_PARAMETERS = 2,
  USES_GOAL_VELOCITY = 4,
  USES_GOAL_TIME = 8,
  USES_SPEED = 16,
  USES_APPREHENSION = 32,
  USES_GAINS = 64,
  /* The goal is a velocity, not a place. */
  SHOWS_MOTION = 128
};

typedef struct spring_setup {
  double from, velocity, goal, goal_velocity;
  msd_spring_parameters parameters;
  double goal_time, speed, apprehension;
  /* Per step of 1/60 s. */
  msd_tracking_gains gains;
} spring_setup;

typedef struct spring_state {
  double time, x, v;
  /* Double spring. */
  double middle_x, middle_v;
  /* Timed and velocity springs. */
  double line;
  /* Character. */
  double acceleration;
} spring_state;

typedef struct spring_kind {
  const char *name, *summary;
  unsigned uses;
  void (*exact)(const spring_setup *setup, spring_state *state, double dt);
  void (*naive)(const spring_setup *setup, spring_state *state, double dt);
} spring_kind;

enum { SPRING_KINDS = 9 };
extern const spring_kind spring_kinds[SPRING_KINDS];

spring_state spring_start(const spring_setup *setup);

/* One step with either formula; advances the time. */
typedef void spring_step(const spring_setup *setup, spring_state *state, double dt);

/* Whether the goal is a place; for a character it is a velocity. */
bool spring_has_goal(const spring_kind *kind);

/* Where the goal is at this time. */
double spring_goal(const spring_setup *setup, double time);

#endif
